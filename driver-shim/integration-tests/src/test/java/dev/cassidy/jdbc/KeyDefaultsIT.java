package dev.cassidy.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cassidy.cql.IdentitySession;
import dev.cassidy.sequence.IdentityType;
import java.sql.BatchUpdateException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.SQLIntegrityConstraintViolationException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.api.AbstractThrowableAssert;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Keys that draw from a sequence, by DEFAULT NEXT VALUE FOR or by NEXT VALUE FOR within the INSERT: identities in all but the word. */
class KeyDefaultsIT {

    private static TestCluster cluster;

    @AutoClose
    private final Connection connection = cluster.open();

    @BeforeAll
    static void prepare() throws SQLException {
        cluster = TestCluster.fresh("key_defaults_it");
        cluster.cql("CREATE TABLE $.installs_cassidy (id int PRIMARY KEY)");
        cluster.identity("installs_cassidy", "id", IdentityType.INT, 1);
    }

    /** Creates a sequence from 100 on, and a table whose key draws from it. */
    private void table(String name) throws SQLException {
        table(name, "exact");
    }

    private void table(String name, String writes) throws SQLException {
        run("CREATE SEQUENCE " + name + "_seq AS INT START WITH 100");
        run("CREATE TABLE " + name + " (id INT PRIMARY KEY DEFAULT (NEXT VALUE FOR " + name
                + "_seq), name NVARCHAR(50), n INT) WITH (" + writes + ")");
    }

    private int run(String sql, Object... parameters) throws SQLException {
        return run(connection, sql, parameters);
    }

    private static int run(Connection on, String sql, Object... parameters) throws SQLException {
        try (PreparedStatement statement = on.prepareStatement(sql)) {
            for (int i = 0; i < parameters.length; i++) {
                statement.setObject(i + 1, parameters[i]);
            }
            return statement.executeUpdate();
        }
    }

    private Object value(String sql, Object... parameters) throws SQLException {
        List<Object> values = values(sql, parameters);
        return values.isEmpty() ? null : values.get(0);
    }

    /** Returns the first column of a query's rows. */
    private List<Object> values(String sql, Object... parameters) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < parameters.length; i++) {
                statement.setObject(i + 1, parameters[i]);
            }
            try (ResultSet rows = statement.executeQuery()) {
                List<Object> values = new ArrayList<>();
                while (rows.next()) {
                    values.add(rows.getObject(1));
                }
                return values;
            }
        }
    }

    private static List<Integer> keys(Statement statement) throws SQLException {
        try (ResultSet keys = statement.getGeneratedKeys()) {
            List<Integer> all = new ArrayList<>();
            while (keys.next()) {
                assertThat(keys.getMetaData().getColumnLabel(1)).isEqualTo("id");
                assertThat(keys.getObject(1)).isInstanceOf(Integer.class);
                all.add(keys.getInt("id"));
            }
            return all;
        }
    }

    private static AbstractThrowableAssert<?, ?> assertRefused(ThrowingCallable insert) {
        return assertThatThrownBy(insert)
                .isInstanceOf(SQLException.class)
                .hasFieldOrPropertyWithValue("SQLState", "23000");
    }

    // ---- DEFAULT NEXT VALUE FOR

    @Test
    void shouldReturnTheKeyHoweverItIsAskedFor() throws SQLException {
        table("asked");
        String sql = "INSERT INTO asked (name) VALUES (?)";
        List<Integer> ids = new ArrayList<>();
        for (PreparedStatement insert : List.of(
                connection.prepareStatement(sql, Statement.RETURN_GENERATED_KEYS),
                connection.prepareStatement(sql, new String[] {"id"}),
                connection.prepareStatement(sql, new String[] {"[ID]"}),
                connection.prepareStatement(sql, new int[] {1}),
                connection.prepareStatement(sql))) {
            insert.setString(1, "row " + ids.size());
            assertThat(insert.executeUpdate()).isEqualTo(1);
            ids.addAll(keys(insert));
            insert.close();
        }
        try (Statement insert = connection.createStatement()) {
            for (String[] names : new String[][] {{"id"}, {"\"id\""}}) {
                insert.executeUpdate("INSERT INTO asked (name) VALUES ('row " + ids.size() + "')", names);
                ids.addAll(keys(insert));
            }
            insert.execute("INSERT INTO asked (name, id) VALUES ('row 7', DEFAULT)", Statement.RETURN_GENERATED_KEYS);
            ids.addAll(keys(insert));
            insert.execute("INSERT INTO asked DEFAULT VALUES", Statement.RETURN_GENERATED_KEYS);
            ids.addAll(keys(insert));
        }
        assertThat(ids).containsExactly(100, 101, 102, 103, 104, 105, 106, 107, 108);
        for (int i = 0; i < 8; i++) {
            assertThat(value("SELECT name FROM asked WHERE id = ?", ids.get(i))).isEqualTo("row " + i);
        }
    }

    @Test
    void shouldReturnTheKeysOfSeveralRowsBatchesAndTransactions() throws SQLException {
        table("several");
        try (PreparedStatement insert = connection.prepareStatement(
                "INSERT INTO several (name) VALUES (?), ('b'), (?)", Statement.RETURN_GENERATED_KEYS)) {
            insert.setString(1, "a");
            insert.setString(2, "c");
            assertThat(insert.executeUpdate()).isEqualTo(3);
            assertThat(keys(insert)).containsExactly(100, 101, 102);
        }
        connection.setAutoCommit(false);
        try (PreparedStatement insert =
                        connection.prepareStatement("INSERT INTO several (name) VALUES (?)", new String[] {"id"});
                PreparedStatement second = connection.prepareStatement(
                        "INSERT INTO several (name, n) VALUES (?, ?)", Statement.RETURN_GENERATED_KEYS)) {
            insert.setString(1, "d");
            insert.executeUpdate();
            assertThat(keys(insert)).containsExactly(103);
            second.setString(1, "e");
            second.setObject(2, null);
            second.executeUpdate();
            assertThat(keys(second)).containsExactly(104);
        }
        connection.commit();
        connection.setAutoCommit(true);
        try (PreparedStatement insert =
                connection.prepareStatement("INSERT INTO several (name) VALUES (?)", new String[] {"id"})) {
            for (int i = 0; i < 300; i++) {
                insert.setString(1, "batch " + i);
                insert.addBatch();
            }
            assertThat(insert.executeBatch()).hasSize(300).containsOnly(1);
            List<Integer> ids = keys(insert);
            assertThat(ids).hasSize(300).isSorted().doesNotHaveDuplicates();
            for (int i = 0; i < 300; i += 99) {
                assertThat(value("SELECT name FROM several WHERE id = ?", ids.get(i)))
                        .isEqualTo("batch " + i);
            }
        }
        String all = "abcde";
        for (int i = 0; i < all.length(); i++) {
            assertThat(value("SELECT name FROM several WHERE id = ?", 100 + i)).isEqualTo(all.substring(i, i + 1));
        }
    }

    @Test
    void shouldGiveTheKeyInOutput() throws SQLException {
        table("shown");
        assertThat(values("INSERT INTO shown (name) OUTPUT INSERTED.id VALUES (?)", "a"))
                .containsExactly(100);
        assertThat(values("INSERT INTO shown (name) OUTPUT INSERTED.id AS k, INSERTED.name VALUES ('b'), ('c')"))
                .containsExactly(101, 102);
        assertThat(values(
                        "DECLARE @new TABLE (id INT); INSERT INTO shown (name) OUTPUT INSERTED.id INTO @new VALUES ('d');"
                                + " SELECT id FROM @new"))
                .containsExactly(103);
        assertThat(values("INSERT INTO shown (name) OUTPUT 'new', INSERTED.id VALUES ('e')"))
                .containsExactly("new");
        assertThat(value("SELECT name FROM shown WHERE id = 104")).isEqualTo("e");
    }

    /** As in SQL Server, where a sequence is no identity. */
    @Test
    void shouldLeaveScopeIdentityNull() throws SQLException {
        table("scoped");
        run("CREATE TABLE numbered (id INT IDENTITY PRIMARY KEY, name NVARCHAR(9))");
        for (String read : List.of("SELECT SCOPE_IDENTITY()", "SELECT @@IDENTITY")) {
            run("INSERT INTO numbered (name) VALUES ('x')");
            assertThat(value(read)).isNotNull();
            run("INSERT INTO scoped (name) VALUES ('x')");
            assertThat(value(read)).isNull();
            assertThat(value("INSERT INTO scoped (name) VALUES ('x'); " + read)).isNull();
            run("INSERT INTO scoped (id) VALUES (NEXT VALUE FOR scoped_seq)");
            assertThat(value(read)).isNull();
        }
    }

    @Test
    void shouldReturnTheIdentityOfATableThatHasOneToo() throws SQLException {
        run("CREATE SEQUENCE both_seq AS INT START WITH 100");
        run(
                "CREATE TABLE both_kinds (k INT PRIMARY KEY DEFAULT (NEXT VALUE FOR both_seq), id INT IDENTITY(7,1), name NVARCHAR(9))");
        try (PreparedStatement insert =
                connection.prepareStatement("INSERT INTO both_kinds (name) VALUES (?)", new String[] {"id"})) {
            insert.setString(1, "a");
            insert.executeUpdate();
            assertThat(keys(insert)).containsExactly(7);
        }
        assertThat(value("SELECT id FROM both_kinds WHERE k = 100")).isEqualTo(7);
        assertThatThrownBy(() -> connection
                        .prepareStatement("INSERT INTO both_kinds (name) VALUES (?)", new String[] {"k"})
                        .executeUpdate())
                .isInstanceOf(SQLException.class);
        // Its key is guarded all the same.
        for (String sql : List.of(
                "INSERT INTO both_kinds (k, name) VALUES (100, 'over')",
                "INSERT INTO both_kinds (k, name, id) VALUES (100, 'over', 1)",
                "INSERT INTO both_kinds (k, name) VALUES (1, 'under'), (101, 'ahead')")) {
            assertRefused(() -> run(sql)).hasMessageContaining("both_kinds.k");
        }
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO both_kinds (k, name) VALUES (?, ?)")) {
            insert.setInt(1, 100);
            insert.setString(2, "over");
            assertRefused(insert::executeUpdate);
            assertRefused(insert::executeUpdate);
            insert.setInt(1, 5);
            assertThat(insert.executeUpdate()).isEqualTo(1);
        }
        assertThat(value("SELECT name FROM both_kinds WHERE k = 100")).isEqualTo("a");
        assertThat(value("SELECT COUNT(*) FROM both_kinds")).isEqualTo(2L);
    }

    @Test
    void shouldServeAKeyOfSeveralColumns() throws SQLException {
        run("CREATE SEQUENCE part_seq AS BIGINT START WITH 100");
        run(
                "CREATE TABLE part (tenant INT, id BIGINT DEFAULT (NEXT VALUE FOR part_seq), name NVARCHAR(9), PRIMARY KEY (tenant, id))");
        try (PreparedStatement insert = connection.prepareStatement(
                "INSERT INTO part (tenant, name) VALUES (?, 'a')", Statement.RETURN_GENERATED_KEYS)) {
            insert.setInt(1, 1);
            insert.executeUpdate();
            try (ResultSet keys = insert.getGeneratedKeys()) {
                assertThat(keys.next()).isTrue();
                assertThat(keys.getObject("id")).isEqualTo(100L);
            }
        }
        assertRefused(() -> run("INSERT INTO part (tenant, id, name) VALUES (1, 100, 'over')"));
        assertThat(run("INSERT INTO part (tenant, id, name) VALUES (1, 99, 'b')"))
                .isEqualTo(1);
        assertThat(values("SELECT name FROM part WHERE tenant = 1")).containsExactly("b", "a");
    }

    @Test
    void shouldGiveAllColumnsOfARowThatDrawFromOneSequenceOneValue() throws SQLException {
        run("CREATE SEQUENCE same_seq AS INT START WITH 100");
        run(
                "CREATE TABLE same (id INT PRIMARY KEY DEFAULT (NEXT VALUE FOR same_seq), root INT DEFAULT (NEXT VALUE FOR same_seq), name NVARCHAR(9))");
        List<Integer> ids = new ArrayList<>();
        try (PreparedStatement insert =
                connection.prepareStatement("INSERT INTO same (name) VALUES (?)", new String[] {"id"})) {
            for (int i = 0; i < 5; i++) {
                insert.setString(1, "x");
                insert.addBatch();
            }
            insert.executeBatch();
            ids.addAll(keys(insert));
        }
        try (Statement insert = connection.createStatement()) {
            insert.executeUpdate("INSERT INTO same (name) VALUES ('y'), ('z')", new String[] {"id"});
            ids.addAll(keys(insert));
            insert.executeUpdate("INSERT INTO same (id) VALUES (NEXT VALUE FOR same_seq)", new String[] {"id"});
            ids.addAll(keys(insert));
        }
        assertThat(ids).hasSize(8).doesNotHaveDuplicates();
        for (int id : ids) {
            assertThat(value("SELECT root FROM same WHERE id = ?", id)).isEqualTo(id);
        }
    }

    @Test
    void shouldFollowAChangeOfTheDefault() throws SQLException {
        table("changed");
        run("CREATE SEQUENCE later_seq AS INT START WITH 5000");
        try (PreparedStatement insert =
                connection.prepareStatement("INSERT INTO changed (name) VALUES (?)", new String[] {"id"})) {
            insert.setString(1, "x");
            insert.executeUpdate();
            assertThat(keys(insert)).containsExactly(100);
            String constraint = String.valueOf(defaultOf("changed"));
            run("ALTER TABLE changed DROP CONSTRAINT " + constraint);
            assertThatThrownBy(insert::executeUpdate).isInstanceOf(SQLException.class);
            // Without the default, ids are the application's own business.
            assertThat(run("INSERT INTO changed (id, name) VALUES (101, 'y')")).isEqualTo(1);
            run("ALTER TABLE changed ADD CONSTRAINT other DEFAULT (NEXT VALUE FOR later_seq) FOR id");
            insert.executeUpdate();
            assertThat(keys(insert)).containsExactly(5000);
        }
        assertRefused(() -> run("INSERT INTO changed (id, name) VALUES (5000, 'over')"));
        assertThat(value("SELECT name FROM changed WHERE id = 5000")).isEqualTo("x");
    }

    @Test
    void shouldKeepASequenceThatADefaultDrawsFrom() throws SQLException {
        run("CREATE SEQUENCE kept_seq AS INT START WITH 1");
        run("CREATE TABLE keeper (id INT PRIMARY KEY CONSTRAINT df_keeper DEFAULT (NEXT VALUE FOR kept_seq), n INT)");
        run("CREATE TABLE other_keeper (id INT PRIMARY KEY, n INT DEFAULT (NEXT VALUE FOR kept_seq))");

        assertThatThrownBy(() -> run("DROP SEQUENCE kept_seq"))
                .isInstanceOf(SQLException.class)
                .hasFieldOrPropertyWithValue("errorCode", 3729)
                .hasMessageContaining("ALTER TABLE keeper DROP CONSTRAINT df_keeper");
        run("ALTER TABLE keeper DROP CONSTRAINT df_keeper");
        assertThatThrownBy(() -> run("DROP SEQUENCE kept_seq"))
                .hasFieldOrPropertyWithValue("errorCode", 3729)
                .hasMessageContaining("other_keeper");
        assertThat(run("INSERT INTO other_keeper (id) VALUES (1)")).isEqualTo(1);

        // Whatever drops the table: what is said of a table that is no more holds nothing.
        cluster.cql("DROP TABLE $.other_keeper");
        run("DROP SEQUENCE kept_seq");
    }

    /** What the sequence draws later would overwrite them. */
    @Test
    void shouldWarnOfRowsThatAreThereBeforeTheDefault() throws SQLException {
        run("CREATE SEQUENCE old_seq AS INT START WITH 1");
        run("CREATE TABLE old (id INT PRIMARY KEY, n INT)");
        try (Statement statement = connection.createStatement()) {
            statement.execute("ALTER TABLE old ADD CONSTRAINT df_n DEFAULT (NEXT VALUE FOR old_seq) FOR n");
            assertThat((Object) statement.getWarnings()).isNull();
            statement.execute("ALTER TABLE old ADD CONSTRAINT df_id DEFAULT (NEXT VALUE FOR old_seq) FOR id");
            assertThat(statement.getWarnings().getMessage())
                    .contains("ALTER SEQUENCE key_defaults_it.old_seq RESTART WITH n");
        }
    }

    /** The name that Cassidy gave the constraint. */
    private String defaultOf(String table) throws SQLException {
        try {
            run("ALTER TABLE " + table + " ADD CONSTRAINT twice DEFAULT 1 FOR id");
            throw new AssertionError("two defaults");
        } catch (SQLException e) {
            return e.getMessage().replaceFirst("(?s).* DROP CONSTRAINT (\\w+).*", "$1");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"name", "nowhere"})
    void shouldRefuseAKeyByAnotherName(String column) throws SQLException {
        table("named_" + column);
        assertThatThrownBy(() -> {
                    try (PreparedStatement insert = connection.prepareStatement(
                            "INSERT INTO named_" + column + " (name) VALUES ('x')", new String[] {column})) {
                        insert.executeUpdate();
                    }
                })
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("'" + column + "'")
                .hasMessageContaining(" is id");
        assertThat(value("SELECT COUNT(*) FROM named_" + column)).isEqualTo(0L);
    }

    // ---- NEXT VALUE FOR within the INSERT

    @ParameterizedTest
    @ValueSource(strings = {"own", "bare"})
    void shouldReturnTheKeyThatTheInsertDraws(String kind) throws SQLException {
        String table = "drawn_" + kind;
        if (kind.equals("own")) {
            table(table);
        } else {
            // Nothing is declared of it: the statement alone says where its key comes from.
            run("CREATE SEQUENCE " + table + "_seq AS INT START WITH 100");
            run("CREATE TABLE " + table + " (id int PRIMARY KEY, name text, n int)");
        }
        String next = "NEXT VALUE FOR " + table + "_seq";
        try (Statement insert = connection.createStatement()) {
            insert.executeUpdate(
                    "INSERT INTO " + table + " (id, name) VALUES (" + next + ", 'a')", Statement.RETURN_GENERATED_KEYS);
            assertThat(keys(insert)).containsExactly(100);
            insert.executeUpdate(
                    "INSERT INTO " + table + " (name, id) VALUES ('b', (" + next + ")), ('c', " + next + ")",
                    new String[] {"id"});
            assertThat(keys(insert)).containsExactly(101, 102);
        }
        String sql = "INSERT INTO " + table + " (name, id) VALUES (?, " + next + ")";
        try (PreparedStatement insert = connection.prepareStatement(sql, new String[] {"id"})) {
            assertThat(insert.getParameterMetaData().getParameterCount()).isEqualTo(1);
            for (String name : List.of("d", "e")) {
                insert.setString(1, name);
                insert.addBatch();
            }
            assertThat(insert.executeBatch()).containsExactly(1, 1);
            assertThat(keys(insert)).containsExactly(103, 104);
            connection.setAutoCommit(false);
            insert.setString(1, "f");
            insert.executeUpdate();
            assertThat(keys(insert)).containsExactly(105);
            connection.commit();
            connection.setAutoCommit(true);
        }
        assertThat(values("INSERT INTO " + table + " (id, name) OUTPUT INSERTED.id VALUES (" + next + ", ?)", "g"))
                .containsExactly(106);
        String all = "abcdefg";
        for (int i = 0; i < all.length(); i++) {
            assertThat(value("SELECT name FROM " + table + " WHERE id = ?", 100 + i))
                    .isEqualTo(all.substring(i, i + 1));
        }
        try (PreparedStatement insert = connection.prepareStatement(sql, new String[] {"name"})) {
            insert.setString(1, "x");
            assertThatThrownBy(insert::executeUpdate).isInstanceOf(SQLFeatureNotSupportedException.class);
        }
    }

    @Test
    void shouldReturnNoKeyForADrawThatIsNotTheKey() throws SQLException {
        run("CREATE SEQUENCE column_seq AS INT START WITH 100");
        run("CREATE TABLE with_column (k int PRIMARY KEY, n int)");
        assertThatThrownBy(() -> {
                    try (PreparedStatement insert = connection.prepareStatement(
                            "INSERT INTO with_column (k, n) VALUES (1, NEXT VALUE FOR column_seq)",
                            Statement.RETURN_GENERATED_KEYS)) {
                        insert.executeUpdate();
                    }
                })
                .hasMessageContaining("DEFAULT NEXT VALUE FOR")
                .hasMessageContaining("nothing was inserted");
        assertThat(value("SELECT COUNT(*) FROM with_column")).isEqualTo(0L);
        run("INSERT INTO with_column (k, n) VALUES (1, NEXT VALUE FOR column_seq)");
        assertThat(value("SELECT n FROM with_column WHERE k = 1")).isEqualTo(100);
    }

    // ---- explicit ids

    @Test
    void shouldNotLetAnExplicitIdOverwriteADrawnOneNorTakeOneToCome() throws SQLException {
        table("guarded");
        run("INSERT INTO guarded (name) VALUES ('first')");
        run("INSERT INTO guarded (id, name) VALUES (NEXT VALUE FOR guarded_seq, 'second')");
        for (int id : List.of(100, 101, 102, 5000)) {
            assertRefused(() -> run("INSERT INTO guarded (id, name) VALUES (" + id + ", 'literal')"))
                    .isInstanceOf(SQLIntegrityConstraintViolationException.class)
                    .hasMessageContaining("id " + id + " for column key_defaults_it.guarded.id")
                    .hasMessageContaining("sequence key_defaults_it.guarded_seq issues ids, from 100 upwards")
                    .hasMessageContaining("leave the column out")
                    .hasMessageContaining("SELECT NEXT VALUE FOR key_defaults_it.guarded_seq");
            assertRefused(() -> run("INSERT INTO guarded (id, name) VALUES (?, 'parameter')", id));
            assertRefused(() -> run("INSERT INTO guarded (id, name) VALUES (1, 'under'), (?, 'several')", id));
            assertRefused(() -> run("INSERT INTO guarded VALUES (?, 'unlisted', 1)", id));
            connection.setAutoCommit(false);
            assertRefused(() -> run("INSERT INTO guarded (id, name) VALUES (?, 'transaction')", id));
            connection.commit();
            connection.setAutoCommit(true);
        }
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO guarded (id, name) VALUES (?, ?)")) {
            for (int id : List.of(100, 50, 102)) {
                insert.setInt(1, id);
                insert.setString(2, "batch");
                insert.addBatch();
            }
            assertThatThrownBy(insert::executeBatch)
                    .isInstanceOf(BatchUpdateException.class)
                    .extracting(e -> ((BatchUpdateException) e).getUpdateCounts())
                    .isEqualTo(new int[] {Statement.EXECUTE_FAILED, 1, Statement.EXECUTE_FAILED});
        }
        // What lies before the sequence was never drawn.
        assertThat(run("INSERT INTO guarded (id, name) VALUES (99, 'before')")).isEqualTo(1);
        run("INSERT INTO guarded (name) VALUES ('third')");
        assertThat(values("SELECT name FROM guarded WHERE id IN (50, 99, 100, 101, 102)"))
                .containsExactlyInAnyOrder("batch", "before", "first", "second", "third");
        assertThat(value("SELECT COUNT(*) FROM guarded")).isEqualTo(5L);
        // An UPDATE names a row that is there.
        assertThat(run("UPDATE guarded SET name = 'changed' WHERE id = 100")).isEqualTo(1);
    }

    @Test
    void shouldTakeWhatSelectNextValueForHasDrawn() throws SQLException {
        // A rollback undoes an INSERT of a key of its own on a plain table alone.
        table("ahead", "plain");
        Object first = value("SELECT NEXT VALUE FOR ahead_seq");
        run("INSERT INTO ahead (name) VALUES ('default')");
        Object second = value("SELECT NEXT VALUE FOR ahead_seq");
        Object third = value("SELECT NEXT VALUE FOR key_defaults_it.ahead_seq AS id");
        assertThat(List.of(first, second, third)).containsExactly(100, 102, 103);
        try (PreparedStatement insert = connection.prepareStatement(
                "INSERT INTO ahead (id, name) VALUES (?, ?)", Statement.RETURN_GENERATED_KEYS)) {
            insert.setObject(1, first);
            insert.setString(2, "drawn ahead");
            assertThat(insert.executeUpdate()).isEqualTo(1);
            assertThat(keys(insert)).containsExactly(100);
            insert.setObject(1, second);
            insert.addBatch();
            assertThat(insert.executeBatch()).containsExactly(1);
            insert.setInt(1, 101);
            assertRefused(insert::executeUpdate);
        }
        connection.setAutoCommit(false);
        run("INSERT INTO ahead (id, name) VALUES (" + third + ", 'drawn ahead'), (DEFAULT, 'default')");
        connection.rollback();
        assertThat(value("SELECT name FROM ahead WHERE id = 103")).isNull();
        run("INSERT INTO ahead (id, name) VALUES (" + third + ", 'drawn ahead'), (DEFAULT, 'default')");
        connection.commit();
        connection.setAutoCommit(true);
        assertThat(value("SELECT COUNT(*) FROM ahead")).isEqualTo(5L);
        assertThat(value("SELECT name FROM ahead WHERE id = 101")).isEqualTo("default");
        // Another process cannot know it: it might be one that a row has.
        Object fourth = value("SELECT NEXT VALUE FOR ahead_seq");
        try (Connection other = cluster.open("consistency=ONE")) {
            assertRefused(() -> run(other, "INSERT INTO ahead (id, name) VALUES (?, 'x')", fourth));
        }
        assertThat(run("INSERT INTO ahead (id, name) VALUES (?, 'x')", fourth)).isEqualTo(1);
    }

    /** An operator has moved the sequence past the explicit ids to come: drawn rows lie below its first id then. */
    @Test
    void shouldKeepDrawnRowsAlsoAfterTheSequenceWasAdvanced() throws SQLException {
        table("advanced");
        run("INSERT INTO advanced (name) VALUES ('drawn')");
        connection.unwrap(IdentitySession.class).sequences().admin().advancePast("key_defaults_it.advanced_seq", 5000);
        for (String sql : List.of(
                "INSERT INTO advanced (id, name) VALUES (100, 'over')",
                "INSERT INTO advanced (id, name) VALUES ('100', 'over')")) {
            assertRefused(() -> run(sql)).hasFieldOrPropertyWithValue("errorCode", 2627);
        }
        try (PreparedStatement insert =
                connection.prepareStatement("INSERT INTO advanced (id, name) VALUES (?, 'x')")) {
            for (int id : List.of(100, 5000)) {
                insert.setInt(1, id);
                insert.addBatch();
            }
            assertThatThrownBy(insert::executeBatch)
                    .hasFieldOrPropertyWithValue("errorCode", 2627)
                    .extracting(e -> ((BatchUpdateException) e).getUpdateCounts())
                    .isEqualTo(new int[] {Statement.EXECUTE_FAILED, 1});
        }
        Object drawn = value("SELECT NEXT VALUE FOR advanced_seq");
        run("INSERT INTO advanced (id, name) VALUES (?, 'ahead'), (DEFAULT, 'default')", drawn);
        assertThat(value("SELECT name FROM advanced WHERE id = 100")).isEqualTo("drawn");
        assertThat(value("SELECT COUNT(*) FROM advanced")).isEqualTo(4L);
    }

    /** As Hibernate does by default, whose sequences increase by 50. */
    @Test
    void shouldTakeTheIdsThatAnApplicationCountsInBlocks() throws SQLException {
        run("CREATE SEQUENCE blocks_seq AS INT START WITH 1 INCREMENT BY 50");
        run("CREATE TABLE blocks (id INT PRIMARY KEY DEFAULT (NEXT VALUE FOR blocks_seq), name NVARCHAR(9))");
        run("INSERT INTO blocks (name) VALUES ('default')");
        assertThat(value("SELECT NEXT VALUE FOR blocks_seq")).isEqualTo(51);
        for (int id : List.of(2, 50, 51, 52, 100)) {
            assertThat(run("INSERT INTO blocks (id, name) VALUES (?, 'counted')", id))
                    .isEqualTo(1);
        }
        for (int id : List.of(1, 101, 102, 151)) {
            assertRefused(() -> run("INSERT INTO blocks (id, name) VALUES (?, 'x')", id));
        }
        assertThat(value("SELECT name FROM blocks WHERE id = 1")).isEqualTo("default");
    }

    @Test
    void shouldDrawInPlaceOfNull() throws SQLException {
        table("nulls");
        try (PreparedStatement insert = connection.prepareStatement(
                "INSERT INTO nulls (id, name) VALUES (?, ?)", Statement.RETURN_GENERATED_KEYS)) {
            insert.setObject(1, null);
            insert.setString(2, "parameter");
            insert.executeUpdate();
            assertThat(keys(insert)).containsExactly(100);
        }
        assertThat(values("INSERT INTO nulls (id, name) OUTPUT INSERTED.id VALUES (NULL, 'literal')"))
                .containsExactly(101);
        try (Connection strict = cluster.open("identityInsert=strict")) {
            for (String sql : List.of(
                    "INSERT INTO nulls (id, name) VALUES (?, 'x')", "INSERT INTO nulls (name, id) VALUES ('x', ?)")) {
                assertRefused(() -> run(strict, sql, (Object) null)).hasFieldOrPropertyWithValue("errorCode", 515);
            }
            assertRefused(() -> run(strict, "INSERT INTO nulls (id, name) VALUES (NULL, 'x')"))
                    .hasFieldOrPropertyWithValue("errorCode", 515);
            run(strict, "INSERT INTO nulls (id, name) VALUES (DEFAULT, 'word')");
            run(strict, "INSERT INTO nulls (id, name) VALUES (NEXT VALUE FOR nulls_seq, 'drawn')");
        }
        assertThat(values("SELECT name FROM nulls")).containsExactlyInAnyOrder("parameter", "literal", "word", "drawn");
    }

    /** SQL Server has no IDENTITY_INSERT for it, and refuses a duplicate. */
    @Test
    void shouldKeepExistingRowsIfRequested() throws SQLException {
        String table = "kept_strict";
        table(table);
        try (Connection keeping = cluster.open("identityInsert=strict")) {
            String sql = "INSERT INTO " + table + " (id, name) VALUES (?, ?)";
            assertThat(run(keeping, sql, 7, "first")).isEqualTo(1);
            assertRefused(() -> run(keeping, sql, 7, "second")).hasFieldOrPropertyWithValue("errorCode", 2627);
            assertRefused(() -> run(keeping, sql, 100, "to come"));
            try (Statement next = keeping.createStatement();
                    ResultSet row = next.executeQuery("SELECT NEXT VALUE FOR " + table + "_seq")) {
                assertThat(row.next()).isTrue();
                assertThat(run(keeping, sql, row.getInt(1), "drawn")).isEqualTo(1);
                assertRefused(() -> run(keeping, sql, row.getInt(1), "again"))
                        .hasFieldOrPropertyWithValue("errorCode", 2627);
            }
            assertThat(run(keeping, "INSERT INTO " + table + " (name) VALUES ('default'), ('default')"))
                    .isEqualTo(2);
            assertThatThrownBy(() -> run(keeping, "SET IDENTITY_INSERT " + table + " ON"))
                    .hasFieldOrPropertyWithValue("errorCode", 8106);
        }
        assertThat(value("SELECT name FROM " + table + " WHERE id = 7")).isEqualTo("first");
        assertThat(value("SELECT name FROM " + table + " WHERE id = 100")).isEqualTo("drawn");
    }

    @Test
    void shouldRefuseTheKeysOwnSequenceInAnotherColumnOfTheRow() throws SQLException {
        table("twice");
        assertThatThrownBy(() ->
                        run("INSERT INTO twice (id, n) VALUES (NEXT VALUE FOR twice_seq, NEXT VALUE FOR twice_seq)"))
                .isInstanceOf(SQLFeatureNotSupportedException.class)
                .hasMessageContaining("draw it first, by SELECT NEXT VALUE FOR, and give it as a parameter");
        Object id = value("SELECT NEXT VALUE FOR twice_seq");
        run("INSERT INTO twice (id, n) VALUES (?, ?)", id, id);
        assertThat(value("SELECT n FROM twice WHERE id = ?", id)).isEqualTo(id);
    }
}
