package dev.cassidy.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.metadata.schema.RelationMetadata;
import com.datastax.oss.driver.api.core.uuid.Uuids;
import dev.cassidy.cql.IdentitySession;
import dev.cassidy.definition.ColumnDefinition;
import dev.cassidy.definition.SqlType;
import dev.cassidy.definition.TableDefinition;
import dev.cassidy.sequence.IdentityType;
import dev.cassidy.sequence.cassandra.InternalAccess;
import dev.cassidy.table.ColumnDefault;
import dev.cassidy.table.Declared;
import dev.cassidy.table.TableDeclaration;
import dev.cassidy.table.TableRegistry;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What T-SQL says of a table is kept with the table, and ends with it. */
class TableContractIT {

    private static final String KEYSPACE = "table_contract_it";

    private static TestCluster cluster;

    @AutoClose
    private final Connection connection = cluster.open();

    @AutoClose
    private final Connection other = cluster.open("fanOut=warn");

    @BeforeAll
    static void prepare() {
        cluster = TestCluster.fresh(KEYSPACE);
        cluster.cql("CREATE TABLE $.installs_cassidy (id int PRIMARY KEY)");
        cluster.identity("installs_cassidy", "id", IdentityType.INT, 1);
    }

    private static void run(Connection by, String... statements) throws SQLException {
        try (Statement statement = by.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    private List<Object> row(String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            assertThat(rows.next()).as(sql).isTrue();
            List<Object> values = new ArrayList<>();
            for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++) {
                values.add(rows.getObject(i));
            }
            return values;
        }
    }

    private static TableRegistry registry(Connection of) throws SQLException {
        return InternalAccess.tables(of.unwrap(IdentitySession.class).sequences());
    }

    private UUID id(String table) throws SQLException {
        return connection
                .unwrap(CqlSession.class)
                .execute(
                        "SELECT id FROM system_schema.tables WHERE keyspace_name = ? AND table_name = ?",
                        KEYSPACE,
                        table)
                .one()
                .getUuid(0);
    }

    private Optional<TableDefinition> definition(String table) throws SQLException {
        return registry(connection)
                .definitionAsync(KEYSPACE, table, id(table))
                .toCompletableFuture()
                .join();
    }

    private static SqlType type(String tsql) {
        return SqlType.parse(tsql).orElseThrow();
    }

    @Test
    void shouldKeepWhatCreateTableSays() throws SQLException {
        run(
                connection,
                "CREATE TABLE [Order Lines] ([LineId] INT IDENTITY(5,1) NOT NULL CONSTRAINT pk PRIMARY KEY CLUSTERED,"
                        + " [Unit Price] DECIMAL(10, 2) NOT NULL DEFAULT 0, Note NVARCHAR(MAX) NULL,"
                        + " Code CHAR(3) COLLATE Latin1_General_CI_AS, at DATETIME2(3), ratio FLOAT, n TINYINT,"
                        + " CONSTRAINT positive CHECK ([Unit Price] >= 0))");

        TableDefinition kept = definition("order_lines").orElseThrow();

        assertThat(kept.columns())
                .containsExactly(
                        new ColumnDefinition("lineid", "LineId", type("int"), true, ""),
                        new ColumnDefinition("Unit Price", "Unit Price", type("decimal(10,2)"), true, ""),
                        new ColumnDefinition("note", "Note", type("nvarchar(max)"), false, ""),
                        new ColumnDefinition("code", "Code", type("char(3)"), false, "Latin1_General_CI_AS"),
                        new ColumnDefinition("at", "at", type("datetime2(3)"), false, ""),
                        new ColumnDefinition("ratio", "ratio", type("float"), false, ""),
                        new ColumnDefinition("n", "n", type("tinyint"), false, ""));
        assertThat(kept.constraints()).singleElement().satisfies(check -> {
            assertThat(check.name()).isEqualTo("positive");
            assertThat(check.text()).isEqualTo("CHECK ([Unit Price] >= 0)");
        });
        run(connection, "ALTER TABLE [Order Lines] ADD Extra VARCHAR(7) NOT NULL, CONSTRAINT u CHECK (Extra <> '')");
        run(connection, "ALTER TABLE [Order Lines] DROP CONSTRAINT positive");
        kept = definition("order_lines").orElseThrow();
        assertThat(kept.columns().get(7))
                .isEqualTo(new ColumnDefinition("extra", "Extra", type("varchar(7)"), true, ""));
        assertThat(kept.constraints()).singleElement().satisfies(check -> assertThat(check.text())
                .isEqualTo("CHECK (Extra <> '')"));
    }

    /** Their values went into other columns. */
    @Test
    void shouldFollowDropAndAddBehindAPreparedStatement() throws SQLException {
        run(connection, "CREATE TABLE moved (id INT PRIMARY KEY, a NVARCHAR(5), b NVARCHAR(5), c NVARCHAR(5))");
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO moved VALUES (?, ?, ?, ?)")) {
            insert(insert, 1);
            run(connection, "ALTER TABLE moved DROP COLUMN b", "ALTER TABLE moved ADD b NVARCHAR(5)");
            insert(insert, 2);
            run(
                    connection,
                    "DROP TABLE moved",
                    "CREATE TABLE moved (id INT PRIMARY KEY, c NVARCHAR(5), b NVARCHAR(5), a NVARCHAR(5))");
            insert(insert, 4);
        }

        assertThat(row("SELECT a, b, c FROM moved WHERE id = 4")).containsExactly("3", "2", "1");
    }

    @Test
    void shouldPutAColumnThatIsAddedAgainAtTheEnd() throws SQLException {
        run(connection, "CREATE TABLE added (id INT PRIMARY KEY, a NVARCHAR(5), b NVARCHAR(5), c NVARCHAR(5))");
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO added VALUES (?, ?, ?, ?)");
                PreparedStatement batch = connection.prepareStatement("INSERT INTO added VALUES (?, ?, ?, ?)")) {
            insert(insert, 1);
            run(connection, "ALTER TABLE added DROP COLUMN b", "ALTER TABLE added ADD b NVARCHAR(5)");
            insert(insert, 2);
            set(batch, 3);
            batch.addBatch();
            batch.executeBatch();
        }

        assertThat(row("SELECT a, b, c FROM added WHERE id = 2")).containsExactly("1", "3", "2");
        assertThat(row("SELECT a, b, c FROM added WHERE id = 3")).containsExactly("1", "3", "2");
    }

    /** Their values went into other columns, too: the whole script was read before its first statement ran. */
    @Test
    void shouldInsertIntoTheColumnsThatTheScriptHasMade() throws SQLException {
        run(
                connection,
                "CREATE TABLE script (id INT NOT NULL PRIMARY KEY, a VARCHAR(9), b VARCHAR(9))",
                "DROP TABLE script; CREATE TABLE script (id INT NOT NULL PRIMARY KEY, b VARCHAR(9), a VARCHAR(9));"
                        + " INSERT INTO script VALUES (1, 'tob', 'toa')");
        assertThat(row("SELECT a, b FROM script WHERE id = 1")).containsExactly("toa", "tob");

        run(
                connection,
                "ALTER TABLE script DROP COLUMN b; ALTER TABLE script ADD b VARCHAR(9);"
                        + " INSERT INTO script VALUES (2, 'toa', 'tob'), (3, 'a3', 'b3')",
                "INSERT INTO script VALUES (4, 'a4', 'b4'); ALTER TABLE script ADD c INT INSERT script VALUES (5, 'a5', 'b5', 5)");
        assertThat(row("SELECT a, b FROM script WHERE id = 2")).containsExactly("toa", "tob");
        assertThat(row("SELECT a, b FROM script WHERE id = 3")).containsExactly("a3", "b3");
        assertThat(row("SELECT a, b FROM script WHERE id = 4")).containsExactly("a4", "b4");
        assertThat(row("SELECT a, b, c FROM script WHERE id = 5")).containsExactly("a5", "b5", 5);

        assertThatThrownBy(
                        () -> run(connection, "ALTER TABLE script ADD d INT; INSERT INTO script VALUES (6, '', '', 6)"))
                .hasFieldOrPropertyWithValue("errorCode", 213);
    }

    @Test
    void shouldInsertIntoATableThatTheScriptHasMade() throws SQLException {
        run(
                connection,
                "CREATE TABLE scripted (id INT NOT NULL PRIMARY KEY, b VARCHAR(9), a VARCHAR(9))"
                        + " INSERT INTO scripted VALUES (1, 'tob', 'toa')",
                "IF OBJECT_ID('behind_if') IS NULL BEGIN CREATE TABLE behind_if (id INT PRIMARY KEY, b INT, a INT);"
                        + " INSERT INTO behind_if VALUES (1, 2, 3); END");
        assertThat(row("SELECT a, b FROM scripted WHERE id = 1")).containsExactly("toa", "tob");
        assertThat(row("SELECT a, b FROM behind_if WHERE id = 1")).containsExactly(3, 2);

        try (PreparedStatement script = connection.prepareStatement("UPDATE scripted SET a = ? WHERE id = 1;"
                + " DROP TABLE scripted; CREATE TABLE scripted (id INT IDENTITY(77, 1) PRIMARY KEY, a VARCHAR(9), b VARCHAR(9));"
                + " INSERT INTO scripted OUTPUT INSERTED.b VALUES (?, ?); UPDATE scripted SET a = ? WHERE id = 77")) {
            script.setString(1, "first");
            script.setString(2, "toa");
            script.setString(3, "tob");
            script.setString(4, "last");
            script.execute();
            List<Object> shown = new ArrayList<>();
            while (script.getMoreResults() || script.getUpdateCount() >= 0) {
                try (ResultSet rows = script.getResultSet()) {
                    if (rows != null) {
                        assertThat(rows.next()).isTrue();
                        shown.add(rows.getString(1));
                    }
                }
            }
            assertThat(shown).containsExactly("tob");
        }
        assertThat(row("SELECT a, b FROM scripted WHERE id = 77")).containsExactly("last", "tob");
    }

    @Test
    void shouldReadTheEntriesOfABatchWhenItRuns() throws SQLException {
        run(connection, "CREATE TABLE batched (id INT PRIMARY KEY, a VARCHAR(9), b VARCHAR(9), c VARCHAR(9))");
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO batched VALUES (?, ?, ?, ?)");
                Statement statement = connection.createStatement()) {
            set(insert, 1);
            insert.addBatch();
            statement.addBatch("INSERT INTO batched VALUES (3, '1', '2', '3')");
            run(
                    connection,
                    "DROP TABLE batched",
                    "CREATE TABLE batched (id INT PRIMARY KEY, c VARCHAR(9), b VARCHAR(9), a VARCHAR(9))");
            set(insert, 2);
            insert.addBatch();
            insert.executeBatch();
            statement.addBatch("ALTER TABLE batched DROP COLUMN c");
            statement.addBatch("ALTER TABLE batched ADD c VARCHAR(9)");
            statement.addBatch("INSERT INTO batched VALUES (4, '1', '2', '3')");
            statement.executeBatch();
        }
        assertThat(row("SELECT a, b FROM batched WHERE id = 1")).containsExactly("3", "2");
        assertThat(row("SELECT a, b FROM batched WHERE id = 2")).containsExactly("3", "2");
        assertThat(row("SELECT a, b FROM batched WHERE id = 3")).containsExactly("3", "2");
        assertThat(row("SELECT a, b, c FROM batched WHERE id = 4")).containsExactly("2", "1", "3");
    }

    private static void insert(PreparedStatement insert, int id) throws SQLException {
        set(insert, id);
        insert.executeUpdate();
    }

    private static void set(PreparedStatement insert, int id) throws SQLException {
        insert.setInt(1, id);
        insert.setString(2, "1");
        insert.setString(3, "2");
        insert.setString(4, "3");
    }

    /** Nothing of the old table is true of the new one. */
    @Test
    void shouldEndWithItsTable() throws SQLException {
        run(connection, "CREATE TABLE ended (id INT PRIMARY KEY, a NVARCHAR(5) DEFAULT 'x', b INT)");
        cluster.cql("DROP TABLE $.ended", "CREATE TABLE $.ended (b int, a text, id int PRIMARY KEY)");
        UUID made = id("ended");
        CqlSession session = connection.unwrap(CqlSession.class);
        // As long as the driver sees the old table, the values go into the old one's columns, by their names.
        await().atMost(Duration.ofMinutes(1)).until(() -> session.getMetadata()
                .getKeyspace(KEYSPACE)
                .flatMap(keyspace -> keyspace.getTable("ended"))
                .flatMap(RelationMetadata::getId)
                .filter(made::equals)
                .isPresent());

        assertThatThrownBy(() -> run(connection, "INSERT INTO ended VALUES (1, 'y', 2)"))
                .isInstanceOf(SQLFeatureNotSupportedException.class)
                .hasMessageContaining("INSERT without a column list");
        assertThat(definition("ended")).isEmpty();
        run(
                connection,
                "DROP TABLE ended",
                "CREATE TABLE ended (b INT, id INT NOT NULL PRIMARY KEY)",
                "INSERT INTO ended VALUES (7, 1)");
        assertThat(row("SELECT b FROM ended WHERE id = 1")).containsExactly(7);
    }

    @Test
    void shouldContinueTheSequenceOfATableThatWasDropped() throws SQLException {
        run(
                connection,
                "CREATE TABLE continued (id INT IDENTITY PRIMARY KEY, a INT)",
                "INSERT INTO continued VALUES (10)",
                "DROP TABLE continued",
                "CREATE TABLE continued (a INT, number INT IDENTITY PRIMARY KEY)",
                "INSERT INTO continued VALUES (20)");
        assertThat(row("SELECT number, a FROM continued")).containsExactly(2, 20);

        run(
                connection,
                "DROP TABLE continued",
                "CREATE TABLE continued (id INT NOT NULL PRIMARY KEY, a INT)",
                "INSERT INTO continued VALUES (1, 30)");
        assertThat(row("SELECT id, a FROM continued")).containsExactly(1, 30);
        assertThat(registry(connection).columnsOf(KEYSPACE + ".continued"))
                .as("columns with ids of the sequence")
                .extracting(column -> column.column())
                .containsExactlyInAnyOrder("id", "number");
    }

    /** A process ended between the declaration and the table, or its CREATE TABLE is under way. */
    @Test
    void shouldCreateTheTableThatAnotherDeclared() throws SQLException {
        Declared before = registry(connection)
                .declare(new TableDeclaration(
                        KEYSPACE,
                        "pending",
                        new TableDefinition(
                                Uuids.timeBased(),
                                List.of(
                                        new ColumnDefinition("id", "id", type("int"), true, ""),
                                        new ColumnDefinition("a", "a", type("int"), false, "")),
                                List.of()),
                        null,
                        List.of()));

        run(connection, "CREATE TABLE pending (id INT NOT NULL PRIMARY KEY, a INT) WITH (plain)");

        assertThat(id("pending")).isEqualTo(before.id());
        run(connection, "DROP TABLE pending", "CREATE TABLE pending (id INT NOT NULL PRIMARY KEY, a INT) WITH (plain)");
        assertThat(id("pending")).as("the id of another table").isNotEqualTo(before.id());
    }

    /** A process ended before it recorded that the table exists, and before ALTER TABLE. */
    @Test
    void shouldBeOfEffectOnceTheTableExists() throws SQLException {
        Declared declared = registry(connection)
                .declare(new TableDeclaration(
                        KEYSPACE,
                        "crashed",
                        new TableDefinition(
                                Uuids.timeBased(),
                                List.of(
                                        new ColumnDefinition("b", "b", type("varchar(2)"), true, ""),
                                        new ColumnDefinition("id", "id", type("int"), true, "")),
                                List.of()),
                        null,
                        List.of()));
        cluster.cql("CREATE TABLE $.crashed (id int PRIMARY KEY, b text) WITH id = " + declared.id());
        awaitColumns("crashed", 2);

        run(connection, "INSERT INTO crashed VALUES ('x', 1)");
        assertThatThrownBy(() -> run(connection, "INSERT INTO crashed VALUES ('toolong', 2)"))
                .hasFieldOrPropertyWithValue("errorCode", 2628);
        registry(connection)
                .addColumns(
                        KEYSPACE,
                        "crashed",
                        declared.id(),
                        List.of(new ColumnDefinition("c", "c", type("int"), true, "")),
                        List.of(),
                        List.of(new ColumnDefault(
                                KEYSPACE, "crashed", "c", "DF_crashed_c", ColumnDefault.Kind.CONSTANT, "7", "7")));
        run(connection, "INSERT INTO crashed VALUES ('y', 3)");
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO crashed (b, id) VALUES ('w', ?)")) {
            insert.setInt(1, 5);
            insert.executeUpdate();
            run(
                    connection,
                    "ALTER TABLE crashed ADD c INT NOT NULL DEFAULT 7",
                    "INSERT INTO crashed VALUES ('z', 4, 5)");
            insert.setInt(1, 6);
            insert.executeUpdate();
        }
        assertThat(row("SELECT b, c FROM crashed WHERE id = 4")).containsExactly("z", 5);
        assertThat(row("SELECT b, c FROM crashed WHERE id = 6")).containsExactly("w", 7);
    }

    private void awaitColumns(String table, int columns) throws SQLException {
        CqlSession session = connection.unwrap(CqlSession.class);
        await().atMost(Duration.ofMinutes(1)).until(() -> session.getMetadata()
                .getKeyspace(KEYSPACE)
                .flatMap(keyspace -> keyspace.getTable(table))
                .filter(found -> found.getColumns().size() == columns)
                .isPresent());
    }

    /** The DDL of the table that was declared last may be too late. */
    @Test
    void shouldRestoreWhatIsSaidOfTheTableThatExists() throws SQLException {
        run(connection, "CREATE TABLE restored (id INT NOT NULL PRIMARY KEY, a INT)");
        TableDefinition first = definition("restored").orElseThrow();
        Declared late = registry(connection)
                .declare(new TableDeclaration(
                        KEYSPACE,
                        "restored",
                        new TableDefinition(
                                Uuids.timeBased(),
                                List.of(new ColumnDefinition("a", "a", type("int"), true, "")),
                                List.of()),
                        null,
                        List.of()));
        assertThat(definition("restored")).isEmpty();

        registry(connection).restore(late.id(), late.before().orElseThrow());

        assertThat(definition("restored")).contains(first);
        registry(connection).restore(late.id(), late.before().orElseThrow());
        assertThat(definition("restored")).contains(first);
    }

    /** As when several instances of an application start at once. */
    @Test
    void shouldAgreeOnTheTableThatManyCreateAtOnce() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try {
            for (int table = 0; table < 8; table++) {
                // Equal ones, and ones that differ.
                String name = "raced" + table;
                String second = table % 2 == 0 ? "a INT, b INT" : "b INT, a INT";
                CountDownLatch begin = new CountDownLatch(1);
                List<Future<?>> running = List.of(
                        threads.submit(() -> create(connection, name, "a INT, b INT", begin)),
                        threads.submit(() -> create(other, name, second, begin)));
                begin.countDown();
                for (Future<?> each : running) {
                    each.get(2, TimeUnit.MINUTES);
                }
                assertThat(definition(name)).as(name).isPresent();
                run(connection, "INSERT INTO " + name + " VALUES (1, 2)");
            }
        } finally {
            threads.shutdownNow();
        }
    }

    private static Object create(Connection by, String name, String columns, CountDownLatch begin) throws Exception {
        begin.await();
        try {
            run(by, "CREATE TABLE IF NOT EXISTS " + name + " (id INT IDENTITY PRIMARY KEY, " + columns + ")");
        } catch (SQLException e) {
            assertThat(e.getMessage()).containsAnyOf("already exists", "already an object");
        }
        return begin;
    }

    @Test
    void shouldAlterColumnsWhereRowsStayAsTheyAre() throws SQLException {
        run(
                connection,
                "CREATE TABLE widened (id INT NOT NULL PRIMARY KEY, Name NVARCHAR(3) NOT NULL, price DECIMAL(4,2), n INT)");
        assertThatThrownBy(() -> run(connection, "INSERT INTO widened (id, name) VALUES (1, 'abcd')"))
                .hasFieldOrPropertyWithValue("errorCode", 2628);

        run(
                connection,
                "ALTER TABLE widened ALTER COLUMN name NVARCHAR(5) NOT NULL",
                "ALTER TABLE dbo.[widened] ALTER COLUMN [price] DECIMAL(6,2)",
                "INSERT INTO widened (id, name, price) VALUES (1, 'abcd', 1000)");

        assertThat(definition("widened").orElseThrow().columns().get(1))
                .isEqualTo(new ColumnDefinition("name", "Name", type("nvarchar(5)"), true, ""));
        run(
                connection,
                "ALTER TABLE widened ALTER COLUMN name NVARCHAR(5) NULL",
                "INSERT INTO widened (id) VALUES (2)");
        for (String refused : List.of(
                "name NVARCHAR(4)",
                "name NVARCHAR(5) NOT NULL",
                "n BIGINT",
                "name INT",
                "missing INT",
                "n INT IDENTITY")) {
            assertThatThrownBy(() -> run(connection, "ALTER TABLE widened ALTER COLUMN " + refused))
                    .as(refused)
                    .isInstanceOf(SQLFeatureNotSupportedException.class);
        }
    }

    @Test
    void shouldReadDecimalsWithTheScaleThatIsDeclaredNow() throws SQLException {
        run(
                connection,
                "CREATE TABLE scaled (id INT NOT NULL PRIMARY KEY, Price DECIMAL(4,2), m SMALLMONEY, n INT)",
                "INSERT INTO scaled (id, price, m, n) VALUES (1, 1.5, 2, 3)",
                "ALTER TABLE scaled ALTER COLUMN price DECIMAL(9,4)");
        cluster.cql("INSERT INTO $.scaled (id, price, m) VALUES (2, 1.123456, 2.5)");

        BigDecimal price = new BigDecimal("1.5000");
        BigDecimal money = new BigDecimal("2.0000");
        assertThat(row("SELECT * FROM scaled WHERE id = 1")).containsExactly(1, price, money, 3);
        assertThat(row("SELECT m, price AS p, PRICE, n * 2 FROM scaled WHERE id = 1"))
                .containsExactly(money, price, price, 6);
        assertThat(row("SELECT price, m FROM scaled WHERE id = 2"))
                .as("digits that others have written are not taken away")
                .containsExactly(new BigDecimal("1.123456"), new BigDecimal("2.5000"));
        try (Statement statement =
                        connection.createStatement(ResultSet.TYPE_SCROLL_INSENSITIVE, ResultSet.CONCUR_READ_ONLY);
                ResultSet rows = statement.executeQuery("SELECT price FROM scaled WHERE id = 1")) {
            rows.last();
            assertThat(rows.getString("price")).isEqualTo("1.5000");
            assertThat(rows.getBigDecimal(1)).isEqualTo(price);
        }
    }

    /** Cassandra does not let a column come back with another type. */
    @Test
    void shouldTakeBackColumnsThatTheServerRefuses() throws SQLException {
        run(
                connection,
                "CREATE TABLE unwanted (id INT NOT NULL PRIMARY KEY, a INT CONSTRAINT df_a DEFAULT 1, gone INT)",
                "ALTER TABLE unwanted DROP COLUMN gone");
        cluster.cql(
                "CREATE TABLE $.unwanted_cql (id int PRIMARY KEY, gone int)", "ALTER TABLE $.unwanted_cql DROP gone");
        TableDefinition before = definition("unwanted").orElseThrow();
        for (String table : List.of("unwanted", "unwanted_cql")) {
            List<ColumnDefault> defaults = registry(connection).cachedDefaults(KEYSPACE, table);
            String refused = "ALTER TABLE " + table + " ADD fine INT DEFAULT 2, gone NVARCHAR(5)"
                    + " CONSTRAINT df_gone DEFAULT 'x' CONSTRAINT ck_gone CHECK (gone <> 'y')";
            assertThatThrownBy(() -> run(connection, refused))
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("gone");

            assertThat(registry(connection).cachedDefaults(KEYSPACE, table)).isEqualTo(defaults);
            run(connection, "ALTER TABLE " + table + " ADD other NVARCHAR(5) CONSTRAINT df_gone DEFAULT 'z'");
            run(connection, "INSERT INTO " + table + " (id) VALUES (1)");
        }

        assertThat(definition("unwanted").orElseThrow())
                .isEqualTo(before.with(
                        List.of(new ColumnDefinition("other", "other", type("nvarchar(5)"), false, "")), List.of()));
        assertThat(row("SELECT * FROM unwanted")).containsExactly(1, 1, "z");
        assertThat(row("SELECT * FROM unwanted_cql")).containsExactly(1, "z");
    }

    /** What rows may break, a command declares that reads them. */
    @Test
    void shouldNameTheCommandForWhatRowsMayBreak() throws SQLException {
        run(
                connection,
                "CREATE TABLE narrowed (id INT NOT NULL, [Unit Price] DECIMAL(4,2), Name NVARCHAR(9), n SMALLINT,"
                        + " at DATETIME2(3), PRIMARY KEY (id, [Unit Price]))");
        TableDefinition before = definition("narrowed").orElseThrow();
        for (String[] each : new String[][] {
            {"name NVARCHAR(4)", "Name nvarchar(4)"},
            {"name NVARCHAR(9) NOT NULL", "Name nvarchar(9) NOT NULL"},
            {"name CHAR(9)", "Name char(9)"},
            {"n TINYINT", "n tinyint"},
            {"at DATETIME2(1)", "at datetime2(1)"},
            {"at DATETIME", "at datetime"}
        }) {
            assertThatThrownBy(() -> run(connection, "ALTER TABLE narrowed ALTER COLUMN " + each[0]))
                    .isInstanceOf(SQLFeatureNotSupportedException.class)
                    .hasMessageContaining("Run: cassidy tables alter --table " + KEYSPACE + ".narrowed --columns '"
                            + each[1] + "' --contact-points ");
        }
        // No command helps where Cassandra would have to store other values.
        for (String never : List.of("name INT", "[Unit Price] DECIMAL(5,3)", "[Unit Price] MONEY")) {
            assertThatThrownBy(() -> run(connection, "ALTER TABLE narrowed ALTER COLUMN " + never))
                    .isInstanceOf(SQLFeatureNotSupportedException.class)
                    .hasMessageContaining("Add a column")
                    .hasMessageNotContaining("cassidy tables");
        }
        run(connection, "ALTER TABLE narrowed ALTER COLUMN [Unit Price] DECIMAL(6,2)");
        assertThat(definition("narrowed").orElseThrow().columns().get(1).type()).isEqualTo(type("decimal(6,2)"));
        assertThat(definition("narrowed").orElseThrow().columns().get(2))
                .isEqualTo(before.columns().get(2));
    }

    /** As for CREATE TABLE, a table without rows is only declared UNIQUE, with a warning. */
    @Test
    void shouldAddUniqueOnlyWithoutRows() throws SQLException {
        try (Connection lenient = cluster.open("constraints=warn")) {
            run(
                    lenient,
                    "CREATE TABLE singular (id INT NOT NULL PRIMARY KEY, [A b] NVARCHAR(9))",
                    "ALTER TABLE singular ADD CONSTRAINT u UNIQUE NONCLUSTERED ([A b])",
                    "INSERT INTO singular VALUES (1, 'x')");
            assertThat(registry(lenient)
                            .contract(KEYSPACE, "singular")
                            .definition()
                            .constraints())
                    .singleElement()
                    .satisfies(unique -> assertThat(unique.name()).isEqualTo("u"));

            assertThatThrownBy(() -> run(lenient, "ALTER TABLE singular ADD CONSTRAINT v UNIQUE ([A b], id)"))
                    .isInstanceOf(SQLFeatureNotSupportedException.class)
                    .hasMessageContaining("has rows, which may break it")
                    .hasMessageContaining("Run: cassidy tables add-unique --table " + KEYSPACE
                            + ".singular --unique 'CONSTRAINT [v] UNIQUE (\"A b\", id)'");
            assertThatThrownBy(() -> run(lenient, "ALTER TABLE singular ADD c INT UNIQUE"))
                    .isInstanceOf(SQLFeatureNotSupportedException.class)
                    .hasMessageContaining("Add the columns without it");
            assertThat(registry(lenient)
                            .contract(KEYSPACE, "singular")
                            .definition()
                            .columns())
                    .hasSize(2);
        }
    }

    /** Within a watch interval, or at once if the table is new to it. */
    @Test
    void shouldTellOtherProcesses() throws SQLException {
        run(other, "SELECT id FROM installs_cassidy");
        registry(other);
        run(connection, "CREATE TABLE told (b INT, id INT NOT NULL PRIMARY KEY)");
        await().atMost(Duration.ofMinutes(1)).until(() -> other.unwrap(CqlSession.class)
                .getMetadata()
                .getKeyspace(KEYSPACE)
                .orElseThrow()
                .getTable("told")
                .isPresent());

        run(other, "INSERT INTO told VALUES (7, 1)");

        assertThat(row("SELECT b FROM told WHERE id = 1")).containsExactly(7);
        run(connection, "ALTER TABLE told DROP COLUMN b", "ALTER TABLE told ADD c INT, b INT");
        await().atMost(Duration.ofMinutes(1))
                .until(() -> registry(other)
                                .cachedDefinition(KEYSPACE, "told")
                                .orElseThrow()
                                .columns()
                                .size()
                        == 3);
        await().atMost(Duration.ofMinutes(1))
                .until(() -> other.unwrap(CqlSession.class)
                                .getMetadata()
                                .getKeyspace(KEYSPACE)
                                .orElseThrow()
                                .getTable("told")
                                .orElseThrow()
                                .getColumns()
                                .size()
                        // With the mark of each row.
                        == 4);
        run(other, "INSERT INTO told VALUES (2, 3, 4)");
        assertThat(row("SELECT c, b FROM told WHERE id = 2")).containsExactly(3, 4);
    }
}
