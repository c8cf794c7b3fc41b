package dev.cassidy.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.Row;
import dev.cassidy.AuthorisedNode;
import dev.cassidy.Remedy;
import dev.cassidy.sequence.IdentityColumn;
import dev.cassidy.sequence.IdentityType;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.cassandra.CassidySchema;
import dev.cassidy.sequence.cassandra.InternalAccess;
import dev.cassidy.sequence.cassandra.Replication;
import dev.cassidy.sequence.cassandra.Sequences;
import dev.cassidy.table.ColumnDefault;
import dev.cassidy.table.TableRegistry;
import dev.cassidy.table.TableWrites;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What Cassidy writes on a user's behalf is the user's right: with a second role for the sequences, and with one role that may
 * write Cassidy's tables.
 */
class ProvenRightsIT {

    private static final CqlSession ADMINISTRATOR = AuthorisedNode.ADMINISTRATOR;
    private static final SequencesConfig CONFIG = SequencesConfig.defaults().withGlobalKeyspace("proven_own");
    private static final List<String> OF_SEQUENCES = List.of(
            "SELECT ON KEYSPACE proven_own",
            "MODIFY ON KEYSPACE proven_own",
            "SELECT ON KEYSPACE proven_own_dc1",
            "MODIFY ON KEYSPACE proven_own_dc1",
            "SELECT ON system_views.settings");

    private static Sequences sequences;

    /**
     * A statement that changes what Cassidy keeps.
     *
     * @param sql with {@code $} for the suffix of the names of one run
     * @param right the one that it needs
     */
    private record Change(String sql, String right) {

        String sql(String suffix) {
            return sql.replace("$", suffix);
        }

        String grant(String suffix, String role) {
            return "GRANT " + right.replace("$", suffix) + " TO " + role;
        }
    }

    private static final String TABLES = " ON ALL TABLES IN KEYSPACE proven_shop";

    /** In this order they can run one after the other. */
    private static final List<Change> CHANGES = List.of(
            new Change("CREATE TABLE ids$ (id INT IDENTITY(1,1) PRIMARY KEY, v NVARCHAR(5))", "CREATE" + TABLES),
            new Change("CREATE TABLE IF NOT EXISTS more$ (id INT IDENTITY PRIMARY KEY)", "CREATE" + TABLES),
            new Change("CREATE TABLE defaults$ (id INT PRIMARY KEY, n INT DEFAULT 0)", "CREATE" + TABLES),
            new Change("CREATE TABLE gone$ (id INT PRIMARY KEY, status text)", "CREATE" + TABLES),
            new Change("ALTER TABLE item$ ADD CONSTRAINT df_a$ DEFAULT 'injected' FOR a", "ALTER ON proven_shop.item$"),
            new Change(
                    "ALTER TABLE proven_shop.item$ ADD DEFAULT NEXT VALUE FOR ticket$ FOR n",
                    "ALTER ON proven_shop.item$"),
            new Change("ALTER TABLE item$ ADD extra INT NOT NULL DEFAULT 5", "ALTER ON proven_shop.item$"),
            new Change("ALTER TABLE item$ DROP CONSTRAINT df_b$", "ALTER ON proven_shop.item$"),
            new Change("ALTER TABLE item$ DROP COLUMN c", "ALTER ON proven_shop.item$"),
            new Change("CREATE SEQUENCE fresh$ START WITH 5", "CREATE" + TABLES),
            new Change("ALTER SEQUENCE ticket$ RESTART WITH 500", "ALTER" + TABLES),
            new Change("ALTER SEQUENCE orders$ RESTART WITH 500", "ALTER ON proven_shop.orders$"),
            new Change("DBCC CHECKIDENT ('orders$', RESEED, 1000)", "ALTER ON proven_shop.orders$"),
            new Change("DROP SEQUENCE unused$", "DROP" + TABLES),
            new Change("DROP SEQUENCE IF EXISTS spare$", "DROP" + TABLES),
            new Change("DROP TABLE dropped$", "DROP ON proven_shop.dropped$"));

    @BeforeAll
    static void install() {
        ADMINISTRATOR.execute(
                "CREATE KEYSPACE proven_shop WITH replication = {'class': 'NetworkTopologyStrategy', 'dc1': 1}");
        CassidySchema.install(ADMINISTRATOR, Replication.parse("dc1:1"), CONFIG);
        // Otherwise the driver waits a second for more after each change of the schema.
        ADMINISTRATOR.setSchemaMetadataEnabled(false);
        sequences = Sequences.open(ADMINISTRATOR, CONFIG);
        AuthorisedNode.role("proven_ids", OF_SEQUENCES);
    }

    @AfterAll
    static void close() {
        sequences.close();
        AuthorisedNode.dropKeyspaces();
        ADMINISTRATOR.setSchemaMetadataEnabled(null);
    }

    /** Makes the tables and sequences of another application, which one run may try to change. */
    private static void prepare(String suffix) {
        ADMINISTRATOR.execute(
                "CREATE TABLE proven_shop.item" + suffix + " (id int PRIMARY KEY, a text, b text, c text, n bigint)");
        ADMINISTRATOR.execute("CREATE TABLE proven_shop.orders" + suffix + " (id int PRIMARY KEY, customer text)");
        ADMINISTRATOR.execute("CREATE TABLE proven_shop.dropped" + suffix + " (id int PRIMARY KEY, status text)");
        for (String name : List.of("orders", "ticket", "unused", "spare")) {
            sequences.create(SequenceSpec.of("proven_shop." + name + suffix, IdentityType.INT, 1, 1));
        }
        String orders = "orders" + suffix;
        sequences.registerIdentity(new IdentityColumn("proven_shop", orders, "id", "proven_shop." + orders));
        TableRegistry tables = InternalAccess.tables(sequences);
        tables.registerDefault(text("item" + suffix, "b", "df_b" + suffix));
        tables.registerDefault(text("item" + suffix, "c", "df_c" + suffix));
        tables.registerDefault(text("dropped" + suffix, "status", "df_dropped" + suffix));
        // Of a table that was dropped by other means.
        tables.registerDefault(text("gone" + suffix, "status", "df_gone" + suffix));
    }

    private static ColumnDefault text(String table, String column, String name) {
        return new ColumnDefault("proven_shop", table, column, name, ColumnDefault.Kind.CONSTANT, "'x'", "'x'");
    }

    /** Makes a role; if there is no second one for the sequences, with the rights of that one. */
    private static String role(String name, boolean twoRoles) {
        AuthorisedNode.role(name, twoRoles ? List.of() : OF_SEQUENCES);
        return name;
    }

    private static Connection connect(String role, boolean twoRoles) throws SQLException {
        return connect(role, "p", twoRoles);
    }

    private static Connection connect(String role, String password, boolean twoRoles) throws SQLException {
        return DriverManager.getConnection(AuthorisedNode.url(
                "proven_shop",
                "globalKeyspace=proven_own&user=" + role + "&password=" + password
                        + (twoRoles ? "&sequencesUser=proven_ids&sequencesPassword=p" : "")));
    }

    private static void run(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static SQLException refusal(Connection connection, String sql) {
        SQLException refused = catchThrowableOfType(SQLException.class, () -> run(connection, sql));
        assertThat((Throwable) refused).as(sql).isNotNull();
        assertThat(refused.getSQLState()).as(sql + ": " + refused.getMessage()).isEqualTo("42501");
        return refused;
    }

    /** Returns every row of Cassidy's tables, but those of the log of changes, and the schema of the application. */
    private static List<String> everything() {
        List<String> rows = new ArrayList<>();
        for (String keyspace : List.of("proven_own", "proven_own_dc1")) {
            for (Row table : ADMINISTRATOR.execute(
                    "SELECT table_name FROM system_schema.tables WHERE keyspace_name = ?", keyspace)) {
                String name = keyspace + "." + table.getString(0);
                if (!name.endsWith(".changes")) {
                    ADMINISTRATOR
                            .execute("SELECT * FROM " + name)
                            // A drop before is noted in the datacenter's copy some time after it.
                            .forEach(row -> rows.add(
                                    name + " " + row.getFormattedContents().replaceAll("acknowledged:\\w+", "")));
                }
            }
        }
        for (String table : List.of("tables", "columns", "types")) {
            ADMINISTRATOR
                    .execute("SELECT * FROM system_schema." + table + " WHERE keyspace_name = 'proven_shop'")
                    .forEach(row -> rows.add(table + " " + row.getFormattedContents()));
        }
        return rows;
    }

    /** The table: each change, by a role without the right, and by one that has got what the refusal names. */
    @ParameterizedTest(name = "two roles: {0}")
    @CsvSource({"true", "false"})
    void shouldRefuseWhatIsNotTheUsersRightAndNameTheOneGrantThatIsEnough(boolean twoRoles) throws SQLException {
        String suffix = twoRoles ? "_1" : "_2";
        String role = role("proven_none" + suffix, twoRoles);
        prepare(suffix);
        try (Connection connection = connect(role, twoRoles)) {
            // Whatever the first statement of a connection writes.
            refusal(connection, "CREATE SEQUENCE first START WITH 1");
            List<String> before = everything();
            for (Change change : CHANGES) {
                SQLException refused = refusal(connection, change.sql(suffix));

                assertThat(Remedy.of(refused.getMessage()))
                        .as(refused.getMessage())
                        .containsExactly(change.grant(suffix, role));
                assertThat(everything()).as(change.sql(suffix)).isEqualTo(before);
            }
            for (Change change : CHANGES) {
                List<String> earlier = everything();
                String grant = Remedy.of(refusal(connection, change.sql(suffix)).getMessage())
                        .get(0);
                ADMINISTRATOR.execute(grant);

                run(connection, change.sql(suffix));

                assertThat(everything()).as(change.sql(suffix)).isNotEqualTo(earlier);
                if (!change.sql().startsWith("DROP TABLE")) {
                    ADMINISTRATOR.execute(grant.replace("GRANT", "REVOKE").replace(" TO ", " FROM "));
                }
            }
        }
    }

    @ParameterizedTest(name = "{0}, inherited: {1}, two roles: {2}")
    @CsvSource({"KEYSPACE proven_shop, false, true", "ALL KEYSPACES, true, true", "KEYSPACE proven_shop, true, false"})
    void shouldServeWhoHasTheRightOnMoreThanTheTable(String on, boolean inherited, boolean twoRoles)
            throws SQLException {
        String suffix = "_" + (on.startsWith("ALL") ? "all" : "keyspace") + inherited + twoRoles;
        String role = role("proven" + suffix, twoRoles);
        String owner = inherited ? "proven_owner" + suffix : role;
        if (inherited) {
            AuthorisedNode.role(owner, List.of());
            ADMINISTRATOR.execute("GRANT " + owner + " TO " + role);
        }
        for (String right : List.of("CREATE", "ALTER", "DROP")) {
            ADMINISTRATOR.execute("GRANT " + right + " ON " + on + " TO " + owner);
        }
        serves(role, suffix, twoRoles, inherited ? oneOfEachRight() : CHANGES);
    }

    /** Which right a change needs is tested above. */
    private static Collection<Change> oneOfEachRight() {
        Map<String, Change> first = new LinkedHashMap<>();
        CHANGES.forEach(change -> first.putIfAbsent(change.right(), change));
        return first.values();
    }

    @Test
    void shouldServeWhoInheritsTheRightsOfASuperuser() throws SQLException {
        String role = role("proven_heir", true);
        ADMINISTRATOR.execute("GRANT cassandra TO " + role);
        serves(role, "_super", true, oneOfEachRight());
    }

    private static void serves(String role, String suffix, boolean twoRoles, Collection<Change> changes)
            throws SQLException {
        prepare(suffix);
        try (Connection connection = connect(role, twoRoles)) {
            for (Change change : changes) {
                List<String> before = everything();
                run(connection, change.sql(suffix));
                assertThat(everything()).as(change.sql(suffix)).isNotEqualTo(before);
            }
        }
    }

    /** A right on one table is none on another, and a default of one's own that draws from a sequence is no right on it. */
    @Test
    void shouldNotTakeARightOnAnotherTableForOne() throws SQLException {
        prepare("_other");
        String role = role("proven_other", true);
        ADMINISTRATOR.execute("GRANT ALTER ON proven_shop.item_other TO " + role);
        try (Connection connection = connect(role, true)) {
            run(connection, "ALTER TABLE item_other ADD DEFAULT NEXT VALUE FOR orders_other FOR n");
            for (String sql : List.of(
                    "ALTER TABLE orders_other ADD DEFAULT 'x' FOR customer",
                    "ALTER SEQUENCE orders_other RESTART WITH 500",
                    "ALTER TABLE item_other ADD DEFAULT 'x' FOR a; ALTER SEQUENCE orders_other RESTART WITH 500",
                    "DBCC CHECKIDENT (orders_other, RESEED, 500)")) {
                assertThat(Remedy.of(refusal(connection, sql).getMessage()))
                        .containsExactly("GRANT ALTER ON proven_shop.orders_other TO proven_other");
            }
        }
    }

    /** Cassandra took nothing of the statement, so the column is there, and its default too. */
    @Test
    void shouldForgetNoDefaultOfAColumnThatIsStillThere() throws SQLException {
        prepare("_still");
        String role = role("proven_still", true);
        ADMINISTRATOR.execute("GRANT ALTER ON KEYSPACE proven_shop TO " + role);
        try (Connection connection = connect(role, true)) {
            List<String> before = everything();
            assertThatThrownBy(() -> run(connection, "ALTER TABLE item_still DROP COLUMN c, missing"))
                    .hasFieldOrPropertyWithValue("SQLState", "42S22");
            assertThat(everything()).isEqualTo(before);
        }
    }

    /** Its owner could restart it, and nobody could drop it any more. */
    @Test
    void shouldNotGiveANewTableASequenceThatIsInUse() throws SQLException {
        sequences.create(SequenceSpec.of("proven_shop.used", IdentityType.INT, 1, 1));
        assertThat(sequences.allocator("proven_shop.used").nextLong()).isPositive();
        String role = role("proven_taker", true);
        ADMINISTRATOR.execute("GRANT CREATE ON KEYSPACE proven_shop TO " + role);
        String sql = "CREATE TABLE used (id INT IDENTITY(1,1) PRIMARY KEY)";
        try (Connection connection = connect(role, true)) {
            List<String> grants = Remedy.of(refusal(connection, sql).getMessage());
            assertThat(grants).containsExactly("GRANT ALTER ON ALL TABLES IN KEYSPACE proven_shop TO proven_taker");
            assertThat(InternalAccess.tables(sequences).columnsOf("proven_shop.used"))
                    .isEmpty();

            ADMINISTRATOR.execute(grants.get(0));
            run(connection, sql);
        }
    }

    // ---- Cassidy's own tables

    @ParameterizedTest(name = "two roles: {0}")
    @CsvSource({"true", "false"})
    void shouldRegisterNothingForItsOwnTables(boolean twoRoles) throws SQLException {
        try (Connection connection = connect("cassandra", "cassandra", twoRoles)) {
            List<String> before = everything();
            for (String sql : List.of(
                    "ALTER TABLE proven_own.seq ADD DEFAULT 1 FOR next",
                    "ALTER TABLE proven_own_dc1.reserve ADD CONSTRAINT d DEFAULT 'x' FOR holder",
                    "CREATE TABLE proven_own.mine (id INT IDENTITY PRIMARY KEY)",
                    "CREATE TABLE proven_own_dc1.mine (id INT PRIMARY KEY, n INT DEFAULT 0)",
                    "CREATE SEQUENCE proven_own.mine START WITH 1",
                    "ALTER SEQUENCE proven_own.mine RESTART WITH 100",
                    "DROP SEQUENCE IF EXISTS proven_own.mine")) {
                assertThat(refusal(connection, sql).getMessage()).contains("proven_own");
                assertThat(everything()).as(sql).isEqualTo(before);
            }
        }
    }

    @Test
    void shouldRegisterNothingForItsOwnTablesInJava() {
        List<String> before = everything();
        TableRegistry tables = InternalAccess.tables(sequences);
        for (String keyspace : List.of("proven_own", "proven_own_dc1")) {
            String rule =
                    "must not be one of Cassidy's own tables, which have no identity column, no default and no write"
                            + " mode: table=" + keyspace + ".seq";
            IdentityColumn column = new IdentityColumn(keyspace, "seq", "next", "none");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> sequences.registerIdentity(column))
                    .withMessage(rule);
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> sequences.admin().register(SequenceSpec.of("none"), column))
                    .withMessage(rule);
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> tables.registerDefault(
                            new ColumnDefault(keyspace, "seq", "next", "d", ColumnDefault.Kind.CONSTANT, "1", "1")))
                    .withMessage(rule);
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> tables.declareWrites(
                            new TableWrites(keyspace, "seq", "", null, false), Duration.ZERO, () -> {}))
                    .withMessage(rule);
        }
        assertThat(everything()).isEqualTo(before);
    }
}
