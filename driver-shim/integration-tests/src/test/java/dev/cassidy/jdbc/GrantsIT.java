package dev.cassidy.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.datastax.oss.driver.api.core.CqlSession;
import dev.cassidy.AuthorisedNode;
import dev.cassidy.Remedy;
import dev.cassidy.counter.Counter;
import dev.cassidy.counter.CounterException;
import dev.cassidy.counter.Counters;
import dev.cassidy.counter.CountersConfig;
import dev.cassidy.counter.ReceiptStatus;
import dev.cassidy.sequence.IdentityColumn;
import dev.cassidy.sequence.IdentityType;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.cassandra.CassidySchema;
import dev.cassidy.sequence.cassandra.InternalAccess;
import dev.cassidy.sequence.cassandra.Replication;
import dev.cassidy.sequence.cassandra.SequenceStatus;
import dev.cassidy.sequence.cassandra.Sequences;
import dev.cassidy.snowflake.SnowflakeSpec;
import dev.cassidy.table.TableWrites;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The statements of docs/grants.md: each role does its work with what the page grants it, and nothing else. */
class GrantsIT {

    private static final CqlSession ADMINISTRATOR = AuthorisedNode.ADMINISTRATOR;
    private static final SequencesConfig CONFIG = SequencesConfig.defaults().withGlobalKeyspace("grants_cassidy");
    private static final Pattern GRANT = Pattern.compile("GRANT .* TO (\\w+);");

    /** Of the role that issues ids: {@link #shouldNameTheOneRightThatIsMissing} takes them away. */
    private static final Set<String> COVERED = Set.of(
            "grants_ids SELECT ON KEYSPACE grants_cassidy",
            "grants_ids SELECT ON KEYSPACE grants_cassidy_dc1",
            "grants_ids SELECT ON system_views.settings",
            "grants_ids MODIFY ON grants_cassidy.seq",
            "grants_ids MODIFY ON grants_cassidy_dc1.reserve");

    private static final CountersConfig COUNTERS = CountersConfig.of("grants_shop.visits")
            .withGlobalKeyspace("grants_cassidy")
            .withRequestTimeout(Duration.ofMinutes(1))
            .withIncrementTimeout(Duration.ofMinutes(2));

    private static final AtomicInteger FRESH = new AtomicInteger();

    /** The page's roles, in the order of the page. */
    private static final Set<String> ROLES = new LinkedHashSet<>();

    @BeforeAll
    static void grantWhatThePageGrants() throws IOException, SQLException {
        ADMINISTRATOR.execute(
                "CREATE KEYSPACE grants_shop WITH replication = {'class': 'NetworkTopologyStrategy', 'dc1': 1}");
        ADMINISTRATOR.execute("CREATE TABLE grants_shop.orders (id int PRIMARY KEY, customer text, qty int)");
        ADMINISTRATOR.execute("CREATE TABLE grants_shop.unregistered (id int PRIMARY KEY, customer text)");
        ADMINISTRATOR.execute("CREATE TABLE grants_shop.event (id bigint PRIMARY KEY, what text)");
        CassidySchema.install(ADMINISTRATOR, Replication.parse("dc1:1"), CONFIG);
        Counters.create(ADMINISTRATOR, COUNTERS);
        // As the migration tool creates it.
        ADMINISTRATOR.execute("CREATE TABLE grants_cassidy.migration_run (source text PRIMARY KEY, command text)");
        try (Sequences sequences = Sequences.open(ADMINISTRATOR, CONFIG)) {
            sequences.create(SequenceSpec.of("grants_shop.orders", IdentityType.INT, 1, 1));
            sequences.registerIdentity(new IdentityColumn("grants_shop", "orders", "id", "grants_shop.orders"));
            sequences.create(SnowflakeSpec.of("grants_shop.event", Instant.parse("2024-01-01T00:00:00Z")));
            sequences.registerIdentity(new IdentityColumn("grants_shop", "event", "id", "grants_shop.event"));
        }
        List<String> statements = statementsOf(Path.of("..", "..", "docs", "grants.md"));
        for (String statement : statements) {
            Matcher matcher = GRANT.matcher(statement);
            assertThat(matcher.matches()).as(statement).isTrue();
            if (ROLES.add(matcher.group(1))) {
                AuthorisedNode.role(matcher.group(1), List.of());
            }
            ADMINISTRATOR.execute(statement);
        }
        tables();
        assertThat(ROLES)
                .containsExactly(
                        "grants_app",
                        "grants_deploy",
                        "grants_ids",
                        "grants_timed",
                        "grants_register",
                        "grants_mover",
                        "grants_init",
                        "grants_monitor",
                        "grants_counting",
                        "grants_reading");
    }

    private static void tables() throws SQLException {
        try (Connection connection = DriverManager.getConnection(AuthorisedNode.url(
                        "grants_shop", "globalKeyspace=grants_cassidy&user=cassandra&password=cassandra"));
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE grouped (id INT PRIMARY KEY, v NVARCHAR(5))");
            statement.execute("CREATE TABLE grouped_serially (id INT PRIMARY KEY, v NVARCHAR(5)) WITH (serial)");
            statement.execute("CREATE TABLE account (id INT PRIMARY KEY, email NVARCHAR(20) UNIQUE)");
            statement.execute("CREATE TABLE page (id INT PRIMARY KEY, title NVARCHAR(20), hits INT COUNTED)");
        }
    }

    @AfterAll
    static void drop() {
        AuthorisedNode.dropKeyspaces();
    }

    /** Returns the statements of the page's blocks of SQL, with names that only this class uses. */
    private static List<String> statementsOf(Path page) throws IOException {
        List<String> statements = new ArrayList<>();
        boolean sql = false;
        for (String line : Files.readAllLines(page)) {
            if (line.startsWith("```")) {
                sql = line.equals("```sql");
            } else if (sql) {
                statements.add(line.replaceAll("\\b(shop|cassidy|cassidy_dc1)\\b", "grants_$1")
                        .replaceAll("GRANT (app|ids) TO", "GRANT grants_$1 TO")
                        .replaceAll(" TO (\\w+);", " TO grants_$1;"));
            }
        }
        return statements;
    }

    private static String login(String user, String sequencesUser) {
        return "globalKeyspace=grants_cassidy&user=" + user + "&password=p"
                + (sequencesUser.isEmpty() ? "" : "&sequencesUser=" + sequencesUser + "&sequencesPassword=p");
    }

    private static Connection connect(String user, String sequencesUser) throws SQLException {
        return DriverManager.getConnection(AuthorisedNode.url("grants_shop", login(user, sequencesUser)));
    }

    private static long insert(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            assertThat(statement.executeUpdate(sql, Statement.RETURN_GENERATED_KEYS))
                    .isEqualTo(1);
            return Orders.keys(statement).get(0);
        }
    }

    private static void refuses(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            assertThatThrownBy(() -> statement.execute(sql))
                    .as(sql)
                    .isInstanceOf(SQLException.class)
                    .hasFieldOrPropertyWithValue("SQLState", "42501");
        }
    }

    /** Every table that claims, refills, first uses, acknowledgements and copies write. */
    @Test
    void shouldLetTheApplicationInsertAndTheSequencesDrawAndRefill() throws SQLException {
        try (Connection connection = connect("grants_app", "grants_ids");
                Statement statement = connection.createStatement()) {
            long first = insert(connection, "INSERT INTO orders (customer) VALUES ('ada')");
            for (int i = 0; i < 200; i++) {
                assertThat(insert(connection, "INSERT INTO orders (customer) VALUES ('grace')"))
                        .isNotEqualTo(first);
            }
            assertThat(statement.executeUpdate("UPDATE orders SET qty = 2 WHERE id = " + first))
                    .isEqualTo(1);

            refuses(connection, "SELECT * FROM grants_cassidy.seq");
        }
        // A sequence that no process of the datacenter has used, and a raise that one has to acknowledge.
        try (Sequences administrating = Sequences.open(ADMINISTRATOR, CONFIG);
                CqlSession session = AuthorisedNode.login("grants_ids", "p");
                Sequences drawing = Sequences.open(session, CONFIG)) {
            administrating.create(
                    SequenceSpec.of("grants_shop.fresh").withBlock(1, 1).withReserve(2, 2));
            for (int i = 0; i < 7; i++) {
                assertThat(drawing.allocator("grants_shop.fresh").nextLong()).isPositive();
            }
            administrating.admin().seed("grants_shop.fresh", 1_000);
            assertThat(drawing.allocator("grants_shop.fresh").nextLong()).isGreaterThanOrEqualTo(1_000);

            assertForbidden(
                    () -> drawing.registerIdentity(
                            new IdentityColumn("grants_shop", "unregistered", "id", "grants_shop.fresh")),
                    "GRANT MODIFY ON grants_cassidy.contracts TO grants_ids");
        }
    }

    @Test
    void shouldLetOneRoleDoBothWithTheRightsOfBoth() throws SQLException {
        AuthorisedNode.role("grants_one", List.of());
        ADMINISTRATOR.execute("GRANT grants_app TO grants_one");
        ADMINISTRATOR.execute("GRANT grants_ids TO grants_one");
        try (Connection connection = connect("grants_one", "")) {
            assertThat(insert(connection, "INSERT INTO orders (customer) VALUES ('one')"))
                    .isPositive();
        }
    }

    @Test
    void shouldIssueTimeOrderedIds() throws SQLException {
        try (Connection connection = connect("grants_app", "grants_ids")) {
            refuses(connection, "INSERT INTO event (what) VALUES ('refused')");
        }
        try (Connection connection = connect("grants_app", "grants_timed")) {
            assertThat(insert(connection, "INSERT INTO event (what) VALUES ('issued')"))
                    .isPositive();
        }
    }

    @Test
    void shouldCreateRaiseAndDropSequencesAndRegisterTables() throws SQLException {
        try (Connection connection = connect("grants_deploy", "grants_register");
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE SEQUENCE ticket START WITH 5");
            statement.execute("ALTER SEQUENCE ticket RESTART WITH 100");
            statement.execute(
                    "CREATE TABLE item (id INT IDENTITY(1,1) PRIMARY KEY, name NVARCHAR(20) DEFAULT 'new', n INT)");
            statement.execute("CREATE INDEX item_name ON item (name)");
            assertThat(insert(connection, "INSERT INTO item (n) VALUES (1)")).isPositive();
            try (ResultSet next = statement.executeQuery("SELECT NEXT VALUE FOR ticket")) {
                assertThat(next.next()).isTrue();
                assertThat(next.getLong(1)).isGreaterThanOrEqualTo(100);
            }
            statement.execute("DROP SEQUENCE ticket");
        }
        try (CqlSession session = AuthorisedNode.login("grants_register", "p")) {
            session.execute("INSERT INTO grants_cassidy.migration_run (source, command) VALUES ('s', 'seed')");
        }
    }

    @Test
    void shouldInstall() {
        SequencesConfig other = CONFIG.withGlobalKeyspace("grants_other");
        try (CqlSession session = AuthorisedNode.login("grants_init", "p")) {
            CassidySchema.install(session, Replication.parse("dc1:1"), other);
            CassidySchema.install(session, Replication.parse("dc1:1"), other);
        }
        try (Sequences sequences = Sequences.open(ADMINISTRATOR, other)) {
            sequences.create(SequenceSpec.of("s"));
            assertThat(sequences.allocator("s").nextLong()).isPositive();
        }
    }

    @Test
    void shouldTellHowMuchIsLeft() {
        try (CqlSession session = AuthorisedNode.login("grants_monitor", "p");
                Sequences sequences = Sequences.open(session, CONFIG)) {
            assertThat(sequences.admin().status())
                    .extracting(status -> status.spec().name())
                    .contains("grants_shop.orders");

            assertForbidden(
                    () -> sequences.allocator("grants_shop.orders"),
                    "GRANT MODIFY ON grants_cassidy.seq TO grants_monitor",
                    "GRANT MODIFY ON grants_cassidy_dc1.reserve TO grants_monitor");
        }
    }

    @Test
    void shouldCountAndReadCounters() {
        shouldCount("/home");
        try (CqlSession session = AuthorisedNode.login("grants_reading", "p")) {
            assertThat(session.execute(
                                    "SELECT SUM(CAST(increment AS varint)) FROM grants_shop.visits WHERE type = '/home'")
                            .one()
                            .getBigInteger(0))
                    .isEqualTo(3);
        }
    }

    @Test
    void shouldNameTheRightThatReadingACounterNeeds() {
        String right = "SELECT ON grants_shop.visits";
        try (CqlSession session = AuthorisedNode.login("grants_counting", "p");
                Counters counters = Counters.open(session, COUNTERS)) {
            ADMINISTRATOR.execute("REVOKE " + right + " FROM grants_counting");
            CounterException.Unfit refused =
                    catchThrowableOfType(CounterException.Unfit.class, () -> counters.counter("/home")
                            .value());
            ADMINISTRATOR.execute("GRANT " + right + " TO grants_counting");

            assertThat(Remedy.of(refused.getMessage())).containsExactly("GRANT " + right + " TO grants_counting");
        }
    }

    // ---- what is missing is named when a sequence is opened, and is enough

    @Test
    void shouldNameTheRightOnTheGlobalKeyspaceBeforeTheReserveIsUsedUp() throws SQLException {
        AuthorisedNode.role("grants_short", List.of());
        ADMINISTRATOR.execute("GRANT grants_app TO grants_short");
        for (String keyspace : List.of("grants_cassidy", "grants_cassidy_dc1")) {
            ADMINISTRATOR.execute("GRANT SELECT ON KEYSPACE " + keyspace + " TO grants_short");
        }
        ADMINISTRATOR.execute("GRANT MODIFY ON grants_cassidy_dc1.reserve TO grants_short");
        try (Connection administrator = DriverManager.getConnection(AuthorisedNode.url(
                        "grants_shop", "globalKeyspace=grants_cassidy&user=cassandra&password=cassandra"));
                Connection connection = connect("grants_short", "")) {
            // Now there is a reserve, from which the role could claim.
            insert(administrator, "INSERT INTO orders (customer) VALUES ('reserve')");
            String sql = "INSERT INTO orders (customer) VALUES ('short')";

            for (String expected : List.of(
                    "GRANT SELECT ON system_views.settings TO grants_short",
                    "GRANT MODIFY ON grants_cassidy.seq TO grants_short")) {
                SQLException refused = catchThrowableOfType(SQLException.class, () -> insert(connection, sql));
                assertThat(refused.getSQLState()).as(refused.getMessage()).isEqualTo("42501");
                List<String> grants = Remedy.of(refused.getMessage());
                assertThat(grants).containsExactly(expected);
                grants.forEach(ADMINISTRATOR::execute);
            }
            assertThat(insert(connection, sql)).isPositive();
        }
    }

    @Test
    void shouldNameTheRightToUseASequenceForTheFirstTime() {
        AuthorisedNode.role(
                "grants_claiming",
                List.of(
                        "SELECT ON system_views.settings",
                        "SELECT ON KEYSPACE grants_cassidy",
                        "SELECT ON KEYSPACE grants_cassidy_dc1",
                        "MODIFY ON grants_cassidy.seq",
                        "MODIFY ON grants_cassidy_dc1.reserve"));
        try (CqlSession session = AuthorisedNode.login("grants_claiming", "p");
                Sequences sequences = Sequences.open(session, CONFIG)) {
            assertForbidden(
                    () -> sequences.create(SequenceSpec.of("grants_shop.first")),
                    "GRANT MODIFY ON grants_cassidy_dc1.sequence TO grants_claiming");
        }
    }

    /** Whether the table has an identity cannot be checked, and that is no matter of trying again. */
    @Test
    void shouldNameTheRightToReadTheRegistry() throws SQLException {
        AuthorisedNode.role(
                "grants_blind", List.of("SELECT ON system_views.settings", "SELECT ON KEYSPACE grants_cassidy_dc1"));
        try (Connection connection = connect("grants_app", "grants_blind");
                Statement statement = connection.createStatement()) {
            SQLException refused = catchThrowableOfType(
                    SQLException.class, () -> statement.execute("INSERT INTO unregistered (customer) VALUES ('no')"));
            assertThat(refused.getSQLState()).as(refused.getMessage()).isEqualTo("42501");
            assertThat(Remedy.of(refused.getMessage()))
                    .singleElement()
                    .asString()
                    .matches("GRANT SELECT ON grants_cassidy\\.\\w+ TO grants_blind");
            // Whether it is registered cannot be read.
            SQLException keys = catchThrowableOfType(
                    SQLException.class, () -> insert(connection, "INSERT INTO unregistered (customer) VALUES ('no')"));
            assertThat(keys.getSQLState()).as(keys.getMessage()).isEqualTo("42501");
            assertThat(Remedy.of(keys.getMessage()))
                    .containsExactly("GRANT SELECT ON grants_cassidy.contracts TO grants_blind");
        }
    }

    @Test
    void shouldNameTheRightOnTheApplicationsOwnTable() throws SQLException {
        AuthorisedNode.role("grants_reader", List.of("SELECT ON grants_shop.orders"));
        try (Connection connection = connect("grants_reader", "grants_ids")) {
            for (String sql : List.of(
                    "INSERT INTO orders (customer) VALUES ('no')",
                    "UPDATE orders SET qty = 1 WHERE id = 1",
                    "DELETE FROM orders WHERE id = 1")) {
                SQLException refused = catchThrowableOfType(SQLException.class, () -> {
                    try (Statement statement = connection.createStatement()) {
                        statement.execute(sql);
                    }
                });
                assertThat(refused.getSQLState()).isEqualTo("42501");
                assertThat(Remedy.of(refused.getMessage()))
                        .containsExactly("GRANT MODIFY ON grants_shop.orders TO grants_reader");
            }
        }
    }

    /** A role that has rights on single tables needs those on the reservations of their values, too. */
    @Test
    void shouldNameTheRightsOnReservations() throws SQLException {
        String reservations;
        try (Sequences sequences = Sequences.open(ADMINISTRATOR, CONFIG)) {
            reservations = "grants_shop."
                    + InternalAccess.tables(sequences)
                            .contract("grants_shop", "account")
                            .definition()
                            .uniqueKeys()
                            .get(0)
                            .reservations()
                            .table();
        }
        AuthorisedNode.role(
                "grants_account", List.of("SELECT ON grants_shop.account", "MODIFY ON grants_shop.account"));
        try (Connection connection = connect("grants_account", "grants_ids");
                Statement statement = connection.createStatement()) {
            for (String right : List.of("SELECT", "MODIFY")) {
                SQLException refused = catchThrowableOfType(
                        SQLException.class, () -> statement.execute("INSERT INTO account VALUES (1, 'a')"));
                assertThat(refused.getSQLState()).as(refused.getMessage()).isEqualTo("42501");
                String grant = "GRANT " + right + " ON " + reservations + " TO grants_account";
                assertThat(Remedy.of(refused.getMessage())).containsExactly(grant);
                ADMINISTRATOR.execute(grant);
            }
            assertThat(statement.executeUpdate("INSERT INTO account VALUES (1, 'a')"))
                    .isEqualTo(1);
            assertThat(statement.executeUpdate("UPDATE account SET email = 'b' WHERE id = 1"))
                    .isEqualTo(1);
            assertThat(statement.executeUpdate("DELETE FROM account WHERE id = 1"))
                    .isEqualTo(1);
        }
        // Who reads the table needs nothing else.
        AuthorisedNode.role("grants_reads_account", List.of("SELECT ON grants_shop.account"));
        try (Connection connection = connect("grants_reads_account", "grants_ids");
                Statement statement = connection.createStatement()) {
            assertThat(statement.execute("SELECT * FROM account WHERE id = 1")).isTrue();
        }
    }

    /** A role that may not write what a transaction adds learns it before anything is locked. */
    @Test
    void shouldNameTheRightsOnColumnsThatCount() throws SQLException {
        AuthorisedNode.role("grants_page", List.of("SELECT ON grants_shop.page", "MODIFY ON grants_shop.page"));
        AuthorisedNode.role("grants_counts", List.of());
        ADMINISTRATOR.execute("GRANT grants_ids TO grants_counts");
        try (Connection connection = connect("grants_page", "grants_counts");
                Statement statement = connection.createStatement()) {
            statement.executeUpdate("INSERT INTO page (id) VALUES (1)");
            String add = "UPDATE page SET hits = hits + 1 WHERE id = 1";
            SQLException refused = refusal(statement, add);
            for (int granted = 0; refused != null && granted < 20; granted++) {
                assertThat(refused.getSQLState()).as(refused.getMessage()).isEqualTo("42501");
                assertThat(Remedy.of(refused.getMessage()))
                        .as(refused.getMessage())
                        .hasSize(1);
                ADMINISTRATOR.execute(Remedy.of(refused.getMessage()).get(0));
                refused = refusal(statement, add);
            }
            assertThat((Throwable) refused).isNull();
            assertThat(hits(statement)).isEqualTo(1);

            String right = "MODIFY ON grants_shop.cassidy_counts_page";
            ADMINISTRATOR.execute("REVOKE " + right + " FROM grants_counts");
            connection.setAutoCommit(false);
            statement.executeUpdate("UPDATE page SET hits = hits + 5, title = 'never' WHERE id = 1");
            SQLException commit = catchThrowableOfType(SQLException.class, connection::commit);
            assertThat(commit.getSQLState()).as(commit.getMessage()).isEqualTo("42501");
            assertThat(Remedy.of(commit.getMessage())).containsExactly("GRANT " + right + " TO grants_counts");
            connection.rollback();
            statement.executeUpdate("UPDATE page SET title = 'free' WHERE id = 1");
            connection.commit();
            ADMINISTRATOR.execute("GRANT " + right + " TO grants_counts");
            statement.executeUpdate("UPDATE page SET hits = hits + 2, title = 'added' WHERE id = 1");
            connection.commit();
            assertThat(hits(statement)).isEqualTo(3);
        }
    }

    private static SQLException refusal(Statement statement, String sql) {
        return catchThrowableOfType(SQLException.class, () -> statement.executeUpdate(sql));
    }

    private static int hits(Statement statement) throws SQLException {
        try (ResultSet rows = statement.executeQuery("SELECT hits FROM page WHERE id = 1")) {
            rows.next();
            return rows.getInt(1);
        }
    }

    @Test
    void shouldShowTheSchemaToEverybody() throws SQLException {
        AuthorisedNode.role("grants_nobody", List.of());
        try (Connection connection = connect("grants_nobody", "grants_ids");
                Statement statement = connection.createStatement()) {
            try (ResultSet columns = statement.executeQuery(
                    "SELECT COLUMN_NAME FROM INFORMATION_SCHEMA.COLUMNS WHERE TABLE_NAME = 'orders'")) {
                assertThat(columns.next()).isTrue();
            }
            assertThat(statement.execute("EXEC sp_help 'orders'")).isTrue();
        }
    }

    /** Each of the rights of a role that issues ids, when it is the only one that is missing. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            grants_ids   | SELECT ON KEYSPACE grants_cassidy          | orders (customer)
            grants_ids   | SELECT ON KEYSPACE grants_cassidy_dc1      | orders (customer)
            grants_ids   | SELECT ON system_views.settings            | orders (customer)
            grants_ids   | MODIFY ON grants_cassidy.seq               | orders (customer)
            grants_ids   | MODIFY ON grants_cassidy_dc1.reserve       | orders (customer)
            grants_timed | MODIFY ON grants_cassidy.snowflake         | event (what)
            grants_timed | MODIFY ON grants_cassidy_dc1.snowflake     | event (what)
            grants_timed | MODIFY ON grants_cassidy_dc1.snowflake_node | event (what)
            """)
    void shouldNameTheOneRightThatIsMissing(String role, String missing, String table) throws Exception {
        try (Connection administrator = DriverManager.getConnection(
                AuthorisedNode.url("grants_shop", "globalKeyspace=grants_cassidy&user=cassandra&password=cassandra"))) {
            // The sequence has a reserve in the datacenter.
            insert(administrator, "INSERT INTO " + table + " VALUES ('first')");
        }
        String without = "grants_without_" + missing.replaceAll("\\W+", "_").toLowerCase(Locale.ROOT);
        AuthorisedNode.role(without, List.of());
        for (String statement : statementsOf(Path.of("..", "..", "docs", "grants.md"))) {
            Matcher matcher = Pattern.compile("GRANT (.*) TO (?:grants_ids|" + role + ");")
                    .matcher(statement);
            if (matcher.matches()
                    && !matcher.group(1).equals(missing)
                    && !matcher.group(1).equals("grants_ids")) {
                ADMINISTRATOR.execute("GRANT " + matcher.group(1) + " TO " + without);
            }
        }
        String within = missing.replace("ON KEYSPACE ", "ON ");
        try (Connection connection = connect("grants_app", without)) {
            String sql = "INSERT INTO " + table + " VALUES ('x')";
            Set<String> named = new LinkedHashSet<>();
            // A right on a keyspace is named table by table.
            int most = within.equals(missing) ? 1 : 2;
            while (named.size() < most) {
                SQLException refused = catchThrowableOfType(SQLException.class, () -> insert(connection, sql));
                if (refused == null) {
                    break;
                }
                assertThat(refused.getSQLState()).as(refused.getMessage()).isEqualTo("42501");
                assertThat(Remedy.of(refused.getMessage()))
                        .singleElement()
                        .asString()
                        .startsWith("GRANT " + within)
                        .endsWith(" TO " + without)
                        .satisfies(
                                grant -> assertThat(named.add(grant)).as(grant).isTrue())
                        .satisfies(ADMINISTRATOR::execute);
            }
            assertThat(named).isNotEmpty();
            assertThat(insert(connection, sql)).isPositive();
        }
    }

    // ---- each right of the page is needed

    /**
     * Those of the page, but for roles that are granted, which Cassandra remembers; for what is taken away by {@link
     * #shouldNameTheOneRightThatIsMissing}; for two tables of counters that are written when a process has ended; and for the
     * copy of contracts that counters read while the other datacenters do not answer.
     */
    static List<Arguments> rights() throws IOException {
        List<Arguments> rights = new ArrayList<>();
        for (String statement : statementsOf(Path.of("..", "..", "docs", "grants.md"))) {
            Matcher right = Pattern.compile("GRANT ((?:\\w+) ON .*) TO (\\w+);").matcher(statement);
            if (right.matches()
                    && !COVERED.contains(right.group(2) + " " + right.group(1))
                    && !right.group(1).matches(".*(snowflake|snowflake_node|counter_settled|counter_touched)")
                    && !right.group().contains("SELECT ON grants_cassidy_dc1.contracts")) {
                rights.add(Arguments.of(right.group(2), right.group(1)));
            }
        }
        assertThat(rights).hasSizeGreaterThan(20);
        return rights;
    }

    /** Each role does its work, and cannot do it without one of its rights. */
    @ParameterizedTest
    @MethodSource("rights")
    void shouldNeedEachRight(String role, String right) throws SQLException {
        ADMINISTRATOR.execute("REVOKE " + right + " FROM " + role);
        Throwable refused;
        try {
            refused = catchThrowable(() -> work(role));
        } finally {
            ADMINISTRATOR.execute("GRANT " + right + " TO " + role);
        }
        assertThat(refused).isNotNull();
        assertThat(chain(refused))
                .contains(right.substring(0, right.indexOf(' ') + 1))
                .contains(
                        right.endsWith("ALL KEYSPACES")
                                ? "all keyspaces"
                                : right.substring(right.lastIndexOf(' ') + 1));
    }

    @ParameterizedTest
    @ValueSource(strings = {"grants_deploy", "grants_register", "grants_mover", "grants_monitor"})
    void shouldDoItsWorkWithTheRightsOfThePage(String role) throws SQLException {
        work(role);
    }

    private static String chain(Throwable failure) {
        StringBuilder all = new StringBuilder();
        for (Throwable each = failure; each != null; each = each.getCause()) {
            all.append(each).append('\n');
        }
        return all.toString();
    }

    private static String freshTable() {
        String name = "fresh" + FRESH.incrementAndGet();
        ADMINISTRATOR.execute("CREATE TABLE grants_shop." + name + " (id int PRIMARY KEY, v text)");
        return name;
    }

    private static void work(String role) throws SQLException {
        String name = "made" + FRESH.incrementAndGet();
        switch (role) {
            case "grants_app" -> {
                try (Connection connection = connect("grants_app", "grants_ids");
                        Statement statement = connection.createStatement()) {
                    insert(connection, "INSERT INTO orders (customer) VALUES ('ada')");
                    statement.executeQuery("SELECT * FROM orders WHERE id = 1").close();
                }
            }
            case "grants_deploy" -> {
                String table = name + "_of_another";
                try (Connection administrator = DriverManager.getConnection(AuthorisedNode.url(
                                "grants_shop", "globalKeyspace=grants_cassidy&user=cassandra&password=cassandra"));
                        Statement statement = administrator.createStatement()) {
                    statement.execute("CREATE TABLE " + table + " (id INT NOT NULL PRIMARY KEY, v NVARCHAR(5))");
                }
                try (Connection connection = connect("grants_deploy", "grants_register");
                        Statement statement = connection.createStatement()) {
                    insert(connection, "INSERT INTO orders (customer) VALUES ('ada')");
                    statement.execute("CREATE TABLE " + name + " (id INT NOT NULL PRIMARY KEY, v NVARCHAR(5))");
                    statement.execute("ALTER TABLE " + table + " ALTER COLUMN v NVARCHAR(9)");
                    statement.execute("ALTER TABLE " + table + " ADD n INT DEFAULT 1");
                    statement.execute("DROP TABLE " + table);
                }
            }
            case "grants_register" -> register(name);
            case "grants_ids" -> {
                register(name);
                transact();
            }
            case "grants_mover" -> {
                String table = freshTable();
                try (CqlSession session = AuthorisedNode.login(role, "p")) {
                    session.execute("CREATE TABLE grants_shop." + name + " (id int PRIMARY KEY)");
                    session.execute("CREATE INDEX ON grants_shop." + table + " (v)");
                    session.execute("INSERT INTO grants_shop." + table + " (id, v) VALUES (1, 'x')");
                    session.execute("SELECT * FROM grants_shop." + table);
                }
            }
            case "grants_init" -> {
                try (CqlSession session = AuthorisedNode.login(role, "p")) {
                    CassidySchema.install(
                            session, Replication.parse("dc1:1"), CONFIG.withGlobalKeyspace("grants_" + name));
                }
            }
            case "grants_monitor" -> {
                try (CqlSession session = AuthorisedNode.login(role, "p");
                        Sequences sequences = Sequences.open(session, CONFIG)) {
                    assertThat(sequences.admin().status())
                            .flatExtracting(SequenceStatus::datacenters)
                            .allSatisfy(each ->
                                    assertThat(each.reserve()).as(each.note()).isPresent());
                    // tables check
                    InternalAccess.tables(sequences).contracts();
                    InternalAccess.tables(sequences).ofOthers();
                }
            }
            case "grants_counting" -> shouldCount(name);
            case "grants_reading" -> {
                try (CqlSession session = AuthorisedNode.login(role, "p")) {
                    session.execute(
                            "SELECT SUM(CAST(increment AS varint)) FROM grants_shop.visits WHERE type = '/home'");
                }
            }
            default -> throw new IllegalArgumentException(role);
        }
    }

    /** Transactions of several partitions, which each datacenter has records of, and those that all of them order. */
    private static void transact() throws SQLException {
        for (String table : List.of("grouped", "grouped_serially")) {
            int id = FRESH.addAndGet(2);
            try (Connection connection = connect("grants_app", "grants_ids");
                    Statement statement = connection.createStatement()) {
                connection.setAutoCommit(false);
                statement.execute("INSERT INTO " + table + " VALUES (" + id + ", 'x'), (" + (id + 1) + ", 'y')");
                connection.commit();
            }
        }
    }

    private static void register(String name) throws SQLException {
        try (Connection connection = connect("grants_deploy", "grants_register");
                Statement statement = connection.createStatement()) {
            statement.execute(
                    "CREATE TABLE " + name + " (id INT IDENTITY PRIMARY KEY, v NVARCHAR(5) NOT NULL) WITH (plain)");
            insert(connection, "INSERT INTO " + name + " (v) VALUES ('x')");
            statement.execute("ALTER TABLE " + name + " ALTER COLUMN v NVARCHAR(7) NOT NULL");
        }
        try (CqlSession session = AuthorisedNode.login("grants_register", "p");
                Sequences sequences = Sequences.open(session, CONFIG.withWatchInterval(Duration.ofMillis(100)))) {
            InternalAccess.tables(sequences)
                    .declareWrites(new TableWrites("grants_shop", name, "", null, false), Duration.ZERO, () -> {});
            session.execute("INSERT INTO grants_cassidy.migration_run (source, command) VALUES ('s', 'seed')");
        }
    }

    private static void shouldCount(String page) {
        try (CqlSession session = AuthorisedNode.login("grants_counting", "p");
                Counters counters = Counters.open(session, COUNTERS)) {
            Counter counter = counters.counter(page);
            var receipt = counter.increment(3);
            counter.fold();
            assertThat(counter.status(receipt)).isEqualTo(ReceiptStatus.COUNTED);
        }
    }

    private static void assertForbidden(Runnable work, String... oneOf) {
        SequenceException.Forbidden refused = catchThrowableOfType(SequenceException.Forbidden.class, work::run);
        assertThat(Remedy.of(refused.getMessage())).singleElement().isIn((Object[]) oneOf);
    }
}
