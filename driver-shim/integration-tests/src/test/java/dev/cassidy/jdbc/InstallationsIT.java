package dev.cassidy.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.RequestThrottlingException;
import com.datastax.oss.driver.api.core.context.DriverContext;
import com.datastax.oss.driver.api.core.cql.BatchStatement;
import com.datastax.oss.driver.api.core.cql.BatchType;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.session.throttling.Throttled;
import com.datastax.oss.driver.internal.core.session.throttling.PassThroughRequestThrottler;
import dev.cassidy.AuthorisedNode;
import dev.cassidy.cql.IdentityInsertException;
import dev.cassidy.cql.IdentitySession;
import dev.cassidy.remedy.Remedy;
import dev.cassidy.sequence.IdentityColumn;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.cassandra.CassidySchema;
import dev.cassidy.sequence.cassandra.InternalAccess;
import dev.cassidy.sequence.cassandra.Replication;
import dev.cassidy.sequence.cassandra.Sequences;
import dev.cassidy.table.TableWrites;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Two installations on one cluster, names that are none of them, and a table that the first one numbers. Nothing is installed
 * under the default's name.
 */
class InstallationsIT {

    private static final SequencesConfig FIRST = SequencesConfig.defaults().withGlobalKeyspace("installation_one");
    private static final SequencesConfig SECOND = SequencesConfig.defaults().withGlobalKeyspace("installation_two");
    private static final Replication REPLICATION = Replication.parse("dc1:1");
    private static final CqlSession SESSION = AuthorisedNode.ADMINISTRATOR;

    @BeforeAll
    static void install() throws SQLException {
        CassidySchema.install(SESSION, REPLICATION, FIRST);
        CassidySchema.install(SESSION, REPLICATION, SECOND);
        createKeyspace("installations_it");
        try (Connection connection = open("globalKeyspace=installation_one");
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE album (id INT IDENTITY PRIMARY KEY, title VARCHAR(50))");
            statement.execute("INSERT INTO album (title) VALUES ('first')");
        }
        SESSION.execute("CREATE TABLE installations_it.nobodys (id int PRIMARY KEY, title text)");
    }

    @AfterAll
    static void drop() {
        AuthorisedNode.dropKeyspaces();
    }

    private static void createKeyspace(String name) {
        SESSION.execute(
                "CREATE KEYSPACE " + name + " WITH replication = {'class': 'NetworkTopologyStrategy', 'dc1': 1}");
    }

    private static void drop(String... keyspaces) {
        for (String keyspace : keyspaces) {
            SESSION.execute("DROP KEYSPACE IF EXISTS " + keyspace);
        }
    }

    /** @param option may be empty */
    private static Connection open(String option) throws SQLException {
        return open(option, new Properties());
    }

    private static Connection open(String option, Properties properties) throws SQLException {
        return DriverManager.getConnection(
                AuthorisedNode.url("installations_it", "user=cassandra", "password=cassandra", option), properties);
    }

    private static void assertRefused(ThrowingCallable insert) {
        assertThatThrownBy(insert)
                .isInstanceOf(SQLException.class)
                .hasMessageContaining(
                        "installations_it.album, which the installation of keyspace installation_one numbers")
                .hasMessageContaining("globalKeyspace=installation_one")
                .hasFieldOrPropertyWithValue("SQLState", "42000");
    }

    private static void assertNothingOverwritten() {
        assertThat(SESSION.execute("SELECT title FROM installations_it.album").all())
                .singleElement()
                .satisfies(row -> assertThat(row.getString(0)).isEqualTo("first"));
    }

    /** The second one has no installation: the default's name is not given, and none has it. */
    @ParameterizedTest
    @ValueSource(strings = {"globalKeyspace=installation_two", ""})
    void shouldNotWriteTheIdentityOfAnothersTable(String option) throws SQLException {
        try (Connection connection = open(option);
                Statement statement = connection.createStatement();
                PreparedStatement prepared =
                        connection.prepareStatement("INSERT INTO album (id, title) VALUES (?, ?)")) {
            for (String insert : List.of(
                    "INSERT INTO album (id, title) VALUES (1, 'overwritten')",
                    "INSERT INTO album (title) VALUES ('numbered by another')",
                    "INSERT INTO album (id, title) VALUES (1, 'overwritten'), (2, 'added')",
                    "INSERT INTO album JSON '{\"id\": 1, \"title\": \"overwritten\"}'")) {
                assertRefused(() -> statement.execute(insert));
            }
            prepared.setInt(1, 1);
            prepared.setString(2, "overwritten");
            assertRefused(prepared::executeUpdate);
            connection.setAutoCommit(false);
            assertRefused(prepared::executeUpdate);
            connection.rollback();
            connection.setAutoCommit(true);
            assertThat(statement.executeUpdate("INSERT INTO nobodys (id, title) VALUES (1, 'plain')"))
                    .isEqualTo(1);
        }
        assertNothingOverwritten();
    }

    @ParameterizedTest
    @ValueSource(strings = {"globalKeyspace=installation_two", ""})
    void shouldNotWriteItInABatchEither(String option) throws SQLException {
        String begin = "BEGIN BATCH INSERT INTO nobodys (id, title) VALUES (3, 'plain'); ";
        try (Connection connection = open(option);
                Statement statement = connection.createStatement();
                PreparedStatement prepared =
                        connection.prepareStatement("INSERT INTO album (id, title) VALUES (?, 'x')");
                PreparedStatement batch = connection.prepareStatement(
                        begin + "INSERT INTO album (id, title) VALUES (?, 'x'); APPLY BATCH")) {
            for (String insert : List.of(
                    "INSERT INTO album (id, title) VALUES (1, 'overwritten')",
                    "INSERT INTO album JSON '{\"id\": 1, \"title\": \"overwritten\"}'",
                    begin + "INSERT INTO album (id, title) VALUES (1, 'overwritten'); APPLY BATCH",
                    "BEGIN UNLOGGED BATCH INSERT INTO installations_it.album JSON '{\"id\": 1}'; APPLY BATCH")) {
                statement.addBatch(insert);
                assertThatThrownBy(statement::executeBatch)
                        .as(insert)
                        .hasMessageContaining("the installation of keyspace installation_one numbers");
                if (insert.startsWith("BEGIN")) {
                    assertRefused(() -> statement.execute(insert));
                }
            }
            prepared.setInt(1, 1);
            prepared.addBatch();
            assertThatThrownBy(prepared::executeBatch).hasMessageContaining("installation_one numbers");
            batch.setInt(1, 1);
            assertRefused(batch::execute);
            assertThat(SESSION.execute("SELECT id FROM installations_it.nobodys WHERE id = 3")
                            .all())
                    .isEmpty();

            statement.execute(begin + "UPDATE nobodys SET title = 'by key' WHERE id = 4; APPLY BATCH");
            statement.execute("INSERT INTO nobodys JSON '{\"id\": 5}'");
            assertThat(SESSION.execute("SELECT id FROM installations_it.nobodys WHERE id IN (3, 4, 5)")
                            .all())
                    .hasSize(3);
        }
        SESSION.execute("DELETE FROM installations_it.nobodys WHERE id IN (3, 4, 5)");
        assertNothingOverwritten();
    }

    @Test
    void shouldNotWriteItThroughASessionEither() {
        try (Sequences sequences = Sequences.open(SESSION, SECOND)) {
            IdentitySession second = IdentitySession.wrap(SESSION, sequences);
            var insert = SimpleStatement.newInstance("INSERT INTO installations_it.album (id, title) VALUES (1, 'x')");
            var bound = SESSION.prepare("INSERT INTO installations_it.album (id, title) VALUES (?, ?)")
                    .bind(1, "overwritten");
            var plain = SimpleStatement.newInstance("INSERT INTO installations_it.nobodys (id) VALUES (6)");
            var batchText = "BEGIN BATCH INSERT INTO installations_it.album (id) VALUES (?); APPLY BATCH";
            for (var statement : List.<com.datastax.oss.driver.api.core.cql.Statement<?>>of(
                    insert,
                    SimpleStatement.newInstance(
                            "INSERT INTO installations_it.album (title) VALUES ('numbered by another')"),
                    SimpleStatement.newInstance("INSERT INTO installations_it.album JSON '{\"id\": 1}'"),
                    SimpleStatement.newInstance(
                            "BEGIN BATCH INSERT INTO installations_it.album (id) VALUES (1); APPLY BATCH"),
                    SimpleStatement.newInstance(batchText, 1),
                    SESSION.prepare(batchText).bind(1),
                    bound,
                    BatchStatement.newInstance(BatchType.LOGGED, plain, insert),
                    BatchStatement.newInstance(BatchType.UNLOGGED, plain, bound))) {
                assertThatThrownBy(() -> second.execute(statement))
                        .as(statement.toString())
                        .isInstanceOfSatisfying(IdentityInsertException.class, e -> assertThat(e.reason())
                                .isEqualTo(IdentityInsertException.Reason.OTHER_INSTALLATION));
            }
            for (String prepared : List.of("INSERT INTO installations_it.album (id, title) VALUES (?, ?)", batchText)) {
                assertThatThrownBy(() -> second.prepare(prepared)).isInstanceOf(IdentityInsertException.class);
            }
            assertThat(SESSION.execute("SELECT id FROM installations_it.nobodys WHERE id = 6")
                            .all())
                    .isEmpty();
        }
        assertNothingOverwritten();
    }

    private static void assertNotThere(String name, ThrowingCallable refused) {
        assertThatThrownBy(refused)
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("globalKeyspace=" + name + " names no installation of Cassidy: this cluster has ")
                .hasMessageContaining("installation_one, installation_two")
                .hasMessageContaining("Correct the name, or create this installation. Run: cassidy init"
                        + " --replication dc1:1 --contact-points ")
                .hasFieldOrPropertyWithValue("SQLState", "3F000");
    }

    /** A slip, an application's keyspace, a datacenter's keyspace, and the default's name. */
    @ParameterizedTest
    @ValueSource(strings = {"installation_tow", "installations_it", "installation_one_dc1", "cassidy"})
    void shouldRefuseANamedInstallationThatIsNotThere(String name) {
        assertNotThere(name, () -> open("globalKeyspace=" + name).close());
        assertThatThrownBy(
                        () -> open("globalKeyspace=" + name + "&sequencesUser=cassandra&sequencesPassword=cassandra"))
                .hasMessageContaining("names no installation of Cassidy");
        if (!name.equals("cassidy")) {
            assertThatThrownBy(() -> open("globalKeyspace=" + name))
                    .hasMessageEndingWith(" --cassandra-user cassandra")
                    .hasMessageContaining(" --global-keyspace " + name + " ");
        }

        SequencesConfig config = SequencesConfig.defaults().withGlobalKeyspace(name);
        assertThatThrownBy(() -> IdentitySession.wrap(SESSION, config))
                .isInstanceOfSatisfying(SequenceException.SchemaMissing.class, e -> {
                    assertThat(e.problem())
                            .startsWith(
                                    "globalKeyspace=" + name + " names no installation of Cassidy: this cluster has ")
                            .contains("installation_one, installation_two");
                    assertThat(e.remedy()).contains(new Remedy.Init("dc1", 1));
                });
    }

    /** By a read of its own: the driver was told not to keep the schema. */
    @Test
    void shouldRefuseItWithoutTheDriversSchemaToo(@TempDir Path folder) throws SQLException, IOException {
        Properties without = configured(folder, "advanced.metadata.schema.enabled = false");

        assertNotThere("installation_tow", () -> open("globalKeyspace=installation_tow", without));
        open("globalKeyspace=installation_two", without).close();
    }

    private static Properties configured(Path folder, String setting) throws IOException {
        Properties properties = new Properties();
        Path file = Files.writeString(folder.resolve("driver.conf"), "datastax-java-driver." + setting + "\n");
        properties.setProperty("configFile", file.toString());
        return properties;
    }

    /** Counts requests, and lets none out while it is closed. The driver's own requests go another way. */
    public static final class Gate extends PassThroughRequestThrottler {

        static final AtomicInteger requests = new AtomicInteger();
        static volatile boolean closed;

        public Gate(DriverContext context) {
            super(context);
        }

        @Override
        public void register(Throttled request) {
            requests.incrementAndGet();
            if (closed) {
                request.onThrottleFailure(new RequestThrottlingException("the gate is closed"));
            } else {
                super.register(request);
            }
        }
    }

    private static Properties gated(Path folder) throws IOException {
        return configured(folder, "advanced.throttler.class = \"" + Gate.class.getName() + "\"");
    }

    @Test
    void shouldAskNobodyIfTheDriverHasSeenTheInstallation(@TempDir Path folder) throws SQLException, IOException {
        Gate.requests.set(0);
        open("globalKeyspace=installation_two", gated(folder)).close();
        assertThat(Gate.requests).hasValue(0);
        assertNotThere("installation_tow", () -> open("globalKeyspace=installation_tow", gated(folder)));
        assertThat(Gate.requests).hasPositiveValue();
    }

    @Test
    void shouldOpenIfNobodyTellsWhetherItIsThereAndThenRefuseWrites(@TempDir Path folder)
            throws SQLException, IOException {
        Properties gated = gated(folder);
        Gate.closed = true;
        try (Connection connection = open("globalKeyspace=installation_tow", gated);
                Statement statement = connection.createStatement()) {
            Gate.closed = false;
            assertNotThere(
                    "installation_tow", () -> statement.execute("INSERT INTO album (id, title) VALUES (1, 'slip')"));
            assertNotThere(
                    "installation_tow",
                    () -> statement.execute("BEGIN BATCH INSERT INTO nobodys (id) VALUES (7); APPLY BATCH"));
            try (ResultSet rows = statement.executeQuery("SELECT title FROM album WHERE id = 1")) {
                assertThat(rows.next()).isTrue();
            }
        } finally {
            Gate.closed = false;
        }
        assertNothingOverwritten();
    }

    @Test
    void shouldNotServePlainlyWhatWasDroppedSince() throws SQLException {
        createPart("installation_three");
        try (Connection connection = open("globalKeyspace=installation_three");
                Statement statement = connection.createStatement()) {
            drop("installation_three");

            assertNotThere(
                    "installation_three",
                    () -> statement.execute("INSERT INTO nobodys (id, title) VALUES (8, 'unchecked')"));
        } finally {
            drop("installation_three");
        }
    }

    /** Creates as much of an installation as tells that it is one. */
    private static void createPart(String installation) {
        createKeyspace(installation);
        SESSION.execute(
                "CREATE TABLE " + installation + ".seq (seq text PRIMARY KEY) WITH comment = 'cassidy schema 1'");
    }

    @ParameterizedTest
    @ValueSource(strings = {"globalKeyspace=installation_two", ""})
    void shouldNotWriteTheKeyOfAnothersTable(String option) throws SQLException {
        String table = option.isEmpty() ? "song_of_one" : "song_of_two";
        try (Connection first = open("globalKeyspace=installation_one");
                Statement statement = first.createStatement()) {
            statement.execute("CREATE SEQUENCE " + table + "_seq AS INT START WITH 1");
            statement.execute("CREATE TABLE " + table + " (id INT PRIMARY KEY DEFAULT (NEXT VALUE FOR " + table
                    + "_seq), title VARCHAR(50))");
            statement.execute("INSERT INTO " + table + " (title) VALUES ('first')");
        }
        try (Connection connection = open(option);
                Statement statement = connection.createStatement()) {
            assertThatThrownBy(
                            () -> statement.execute("INSERT INTO " + table + " (id, title) VALUES (1, 'overwritten')"))
                    .hasMessageContaining(table + ", which the installation of keyspace installation_one numbers");
        }
        assertThat(SESSION.execute("SELECT title FROM installations_it." + table)
                        .one()
                        .getString(0))
                .isEqualTo("first");
    }

    private static String rated(String table) throws SQLException {
        return rated(table, "exact");
    }

    private static String rated(String table, String writes) throws SQLException {
        return rated(table, writes, "CHAR(4)");
    }

    private static String rated(String table, String writes, String code) throws SQLException {
        try (Connection first = open("globalKeyspace=installation_one");
                Statement statement = first.createStatement()) {
            statement.execute(
                    "CREATE TABLE " + table + " (code " + code + " PRIMARY KEY, title VARCHAR(5) NOT NULL, stars INT"
                            + " DEFAULT 3 CHECK (stars > 0)) WITH (" + writes + ")");
            statement.execute("INSERT INTO " + table + " (code, title) VALUES ('ab', 'first')");
        }
        return table;
    }

    private static void assertKept(String table, ThrowingCallable write) {
        assertThatThrownBy(write)
                .hasMessageContaining("of installations_it." + table
                        + ", whose contract the installation of keyspace installation_one keeps")
                .hasMessageContaining("Give globalKeyspace=installation_one");
    }

    private static List<String> writesOf(String table) {
        return List.of(
                "INSERT INTO " + table + " (code, title) VALUES ('ab', 'much too long')",
                "INSERT INTO " + table + " (code, title, stars) VALUES ('ab', 'short', -1)",
                "INSERT INTO " + table + " JSON '{\"code\": \"ab\"}'",
                "UPDATE " + table + " SET title = 'much too long' WHERE code = 'ab  '",
                "UPDATE " + table + " SET title = NULL WHERE code = 'ab  ' IF EXISTS",
                "DELETE title FROM " + table + " WHERE code = 'ab  '",
                "DELETE FROM " + table + " WHERE code = 'ab  '",
                "BEGIN BATCH UPDATE nobodys SET title = 'x' WHERE id = 9; UPDATE " + table
                        + " SET title = 'much too long' WHERE code = 'ab  '; APPLY BATCH");
    }

    private static void assertFirst(String table) {
        Row row = SESSION.execute("SELECT code, title, stars FROM installations_it." + table)
                .one();
        assertThat(List.of(row.getString(0), row.getString(1), row.getInt(2))).isEqualTo(List.of("ab  ", "first", 3));
        assertThat(SESSION.execute("SELECT id FROM installations_it.nobodys WHERE id = 9")
                        .all())
                .isEmpty();
    }

    /** It is numbered by nobody, and its columns have rules. */
    @ParameterizedTest
    @ValueSource(strings = {"globalKeyspace=installation_two", ""})
    void shouldNotBreakTheRulesOfAnothersTable(String option) throws SQLException {
        String table = rated(option.isEmpty() ? "rated_of_one" : "rated_of_two");
        try (Connection connection = open(option);
                Statement statement = connection.createStatement()) {
            for (String write : writesOf(table)) {
                assertKept(table, () -> statement.execute(write));
                statement.addBatch(write);
                assertKept(table, statement::executeBatch);
                assertKept(table, () -> {
                    try (PreparedStatement prepared = connection.prepareStatement(write)) {
                        prepared.execute();
                    }
                });
            }
            String computed = "UPDATE " + table + " SET stars = stars - 9 WHERE code = 'ab  '";
            assertKept(table, () -> statement.execute(computed));
            try (PreparedStatement prepared =
                    connection.prepareStatement("UPDATE " + table + " SET stars = ? WHERE code = ?")) {
                prepared.setInt(1, -1);
                prepared.setString(2, "ab  ");
                assertKept(table, prepared::executeUpdate);
                prepared.addBatch();
                assertKept(table, prepared::executeBatch);
                connection.setAutoCommit(false);
                assertKept(table, prepared::executeUpdate);
                connection.rollback();
                connection.setAutoCommit(true);
            }
            try (ResultSet rows = statement.executeQuery("SELECT title FROM " + table)) {
                assertThat(rows.next()).isTrue();
            }
        }
        assertFirst(table);
    }

    @Test
    void shouldNotBreakThemThroughASessionEither() throws SQLException {
        // CQL that knows all of the key.
        String table = rated("rated_by_session", "exact", "CHAR(4) COLLATE Latin1_General_BIN2");
        try (Sequences sequences = Sequences.open(SESSION, SECOND)) {
            IdentitySession second = IdentitySession.wrap(SESSION, sequences);
            for (String named : writesOf("installations_it." + table)) {
                String write = named.replace("nobodys", "installations_it.nobodys");
                assertKept(table, () -> second.execute(write));
                assertKept(table, () -> second.execute(SESSION.prepare(write).bind()));
                assertKept(table, () -> second.prepare(write));
            }
            var update = SESSION.prepare("UPDATE installations_it." + table + " SET stars = ? WHERE code = ?")
                    .bind(-1, "ab  ");
            assertKept(table, () -> second.execute(update));
            assertKept(table, () -> second.execute(BatchStatement.newInstance(BatchType.LOGGED, update)));
        }
        assertFirst(table);
    }

    @Test
    void shouldNotDeclareAnythingOfAnothersTable() throws SQLException {
        String table = rated("rated_alone");
        IdentityColumn column = new IdentityColumn("installations_it", table, "stars", "installations_it." + table);
        try (Sequences second = Sequences.open(SESSION, SECOND);
                Connection connection = open("globalKeyspace=installation_two");
                Statement statement = connection.createStatement()) {
            second.create(SequenceSpec.of("installations_it." + table));
            for (ThrowingCallable declaration : List.<ThrowingCallable>of(
                    () -> second.registerIdentity(column),
                    () -> statement.execute("ALTER TABLE " + table + " ADD DEFAULT 'none' FOR title"),
                    () -> statement.execute("ALTER TABLE " + table + " ADD seen BIT NOT NULL DEFAULT 0"),
                    () -> InternalAccess.tables(second)
                            .declareWrites(
                                    new TableWrites("installations_it", table, "", null, false),
                                    Duration.ZERO,
                                    () -> {}))) {
                assertThatThrownBy(declaration)
                        .hasMessageContaining(table
                                + " has its contract in the installation of keyspace installation_one, and this is that of"
                                + " installation_two");
            }
            assertThat(SESSION.execute(
                                    "SELECT * FROM installation_two.contracts WHERE keyspace_name = ? AND table_name = ?",
                                    "installations_it",
                                    table)
                            .all())
                    .isEmpty();
        }
    }

    /** A definition is of one table, and not of another one that got its name. */
    @Test
    void shouldWriteATableThatTookTheNameOfAnothers() throws SQLException {
        // How rows are written is of the name.
        String table = rated("rated_before", "plain");
        SESSION.execute("DROP TABLE installations_it." + table);
        SESSION.execute("CREATE TABLE installations_it." + table + " (code text PRIMARY KEY, title text)");
        try (Connection second = open("globalKeyspace=installation_two");
                Statement statement = second.createStatement()) {
            assertKept(
                    table,
                    () -> statement.execute("INSERT INTO " + table + " (code, title) VALUES ('ab', 'no stars')"));
        }
        try (Connection first = open("globalKeyspace=installation_one");
                Statement statement = first.createStatement()) {
            // Defaults are of the name.
            statement.execute("ALTER TABLE " + table + " DROP CONSTRAINT DF_" + table + "_stars");
        }
        // What was found is remembered for a minute, by each session.
        try (Connection connection = open("globalKeyspace=installation_two&fanOut=warn");
                Statement statement = connection.createStatement()) {
            statement.execute("INSERT INTO " + table + " (code, title) VALUES ('ab', 'long enough')");
            assertThat(statement.executeUpdate("UPDATE " + table + " SET title = 'longer still' WHERE code = 'ab'"))
                    .isEqualTo(1);
        }
    }

    @Test
    void shouldNotNumberAnothersTableByADefault() throws SQLException {
        try (Connection second = open("globalKeyspace=installation_two");
                Statement statement = second.createStatement()) {
            statement.execute("CREATE SEQUENCE album_seq AS INT START WITH 1");
            assertThatThrownBy(() -> statement.execute("ALTER TABLE album ADD DEFAULT NEXT VALUE FOR album_seq FOR id"))
                    .hasMessageContaining("is numbered by the installation of keyspace installation_one");
        }
    }

    /** As one that was not brought up to date, or lost a table. */
    @Test
    void shouldWriteTablesOfNobodyBesideAnInstallationThatCannotBeRead() throws SQLException {
        createPart("installation_broken");
        try (Connection connection = open("globalKeyspace=installation_two");
                Statement statement = connection.createStatement();
                Sequences second = Sequences.open(SESSION, SECOND)) {
            assertThat(statement.executeUpdate("INSERT INTO nobodys (id, title) VALUES (2, 'plain')"))
                    .isEqualTo(1);
            assertRefused(() -> statement.execute("INSERT INTO album (id, title) VALUES (1, 'overwritten')"));
            second.create(SequenceSpec.of("installations_it.nobodys"));
            assertThatThrownBy(() -> second.registerIdentity(
                            new IdentityColumn("installations_it", "nobodys", "id", "installations_it.nobodys")))
                    .as("whoever registers must know")
                    .hasMessageContaining("contracts");
        } finally {
            drop("installation_broken");
        }
    }

    @Test
    void shouldNotRegisterAnothersTable() {
        try (Sequences second = Sequences.open(SESSION, SECOND)) {
            second.create(SequenceSpec.of("installations_it.album"));
            IdentityColumn column = new IdentityColumn("installations_it", "album", "id", "installations_it.album");

            assertThatThrownBy(() -> second.registerIdentity(column))
                    .isInstanceOf(SequenceException.Conflict.class)
                    .hasMessageContaining("is numbered by the installation of keyspace installation_one");
            assertThat(SESSION.execute("SELECT * FROM installation_two.contracts"
                                    + " WHERE keyspace_name = 'installations_it' AND table_name = 'album'")
                            .all())
                    .isEmpty();
        }
    }

    /** It ended before it had looked at the others. */
    @Test
    void shouldSettleTheClaimOfAProcessThatEnded() throws SQLException {
        SESSION.execute("CREATE TABLE installations_it.claimed (id int PRIMARY KEY, title text)");
        IdentityColumn column = new IdentityColumn("installations_it", "claimed", "id", "installations_it.claimed");
        try (Sequences first = Sequences.open(SESSION, FIRST);
                Sequences second = Sequences.open(SESSION, SECOND);
                Connection connection = open("globalKeyspace=installation_one");
                Statement statement = connection.createStatement()) {
            first.create(SequenceSpec.of("installations_it.claimed"));
            second.create(SequenceSpec.of("installations_it.claimed"));
            first.registerIdentity(column);
            SESSION.execute("UPDATE installation_one.contracts SET claimed = true"
                    + " WHERE keyspace_name = 'installations_it' AND table_name = 'claimed'");

            assertThatThrownBy(() -> statement.execute("INSERT INTO claimed (title) VALUES ('draws nothing')"))
                    .isInstanceOf(SQLException.class);
            assertThatThrownBy(() -> second.registerIdentity(column))
                    .isInstanceOf(SequenceException.Conflict.class)
                    .hasMessageContaining("is being registered with the installation of keyspace installation_one")
                    .hasMessageContaining("register the table once more with globalKeyspace=installation_one");
            first.registerIdentity(column);
            // This session has looked a moment ago, and looks at most once a second.
            await().atMost(Duration.ofMinutes(1))
                    .ignoreExceptionsInstanceOf(SQLException.class)
                    .untilAsserted(
                            () -> assertThat(statement.executeUpdate("INSERT INTO claimed (title) VALUES ('numbered')"))
                                    .isEqualTo(1));
            assertThatThrownBy(() -> second.registerIdentity(column))
                    .hasMessageContaining("is numbered by the installation of keyspace installation_one");
        }
    }

    /** Each looks before it writes, and finds nothing of the other. */
    @Test
    void shouldNotBothRegisterATableAtTheSameMoment() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try (Sequences first = Sequences.open(SESSION, FIRST);
                Sequences second = Sequences.open(SESSION, SECOND)) {
            for (int table = 0; table < 20; table++) {
                String name = "raced" + table;
                first.create(SequenceSpec.of("installations_it." + name));
                second.create(SequenceSpec.of("installations_it." + name));
                CountDownLatch begin = new CountDownLatch(1);
                List<Future<Boolean>> registered = Stream.of(first, second)
                        .map(each -> threads.submit(() -> {
                            begin.await();
                            return registers(each, name);
                        }))
                        .toList();
                begin.countDown();
                boolean one = registered.get(0).get(1, TimeUnit.MINUTES);
                boolean other = registered.get(1).get(1, TimeUnit.MINUTES);
                assertThat(one && other).as(name).isFalse();
                // Whoever comes next finds what is true.
                boolean again = registers(first, name);
                assertThat(again).as(name).isEqualTo(!other);
                assertThat(registers(second, name)).as(name).isEqualTo(other);
            }
        } finally {
            threads.shutdownNow();
        }
    }

    private static boolean registers(Sequences installation, String table) {
        try {
            InternalAccess.tables(installation)
                    .registerIdentityAhead(
                            new IdentityColumn("installations_it", table, "id", "installations_it." + table));
            return true;
        } catch (SequenceException.Conflict e) {
            assertThat(e).hasMessageContaining("both would issue the same ids");
            return false;
        }
    }
}
