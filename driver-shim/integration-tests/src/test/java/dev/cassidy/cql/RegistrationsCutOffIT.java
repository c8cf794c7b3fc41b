package dev.cassidy.cql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import com.datastax.oss.driver.api.core.cql.BatchStatement;
import com.datastax.oss.driver.api.core.cql.BatchType;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import dev.cassidy.cql.IdentityInsertException.Reason;
import dev.cassidy.cql.SeenRequests.Seen;
import dev.cassidy.embedded.EmbeddedCassandra;
import dev.cassidy.embedded.EmbeddedCluster;
import dev.cassidy.sequence.IdentityColumn;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.cassandra.CassidySchema;
import dev.cassidy.sequence.cassandra.InternalAccess;
import dev.cassidy.sequence.cassandra.Replication;
import dev.cassidy.sequence.cassandra.Sequences;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Writes to a table that may be registered where this datacenter cannot see the registration. */
class RegistrationsCutOffIT {

    private static final SequencesConfig CONFIG = SequencesConfig.defaults()
            .withRequestTimeout(Duration.ofSeconds(3))
            .withClaimTimeout(Duration.ofSeconds(30))
            .withWatchInterval(Duration.ofMillis(200));
    private static final List<String> EXPLICIT = List.of(
            "INSERT INTO elsewhere (id, v) VALUES (-7, 'overwritten')",
            "INSERT INTO elsewhere JSON '{\"id\": -7, \"v\": \"overwritten\"}'",
            "BEGIN BATCH INSERT INTO elsewhere (id, v) VALUES (-7, 'overwritten'); APPLY BATCH");

    private static EmbeddedCluster cluster;
    private static CqlSession setup;

    private final SeenRequests seen = new SeenRequests();

    @BeforeAll
    static void start() {
        cluster = EmbeddedCluster.builder()
                .datacenter("dc1", 1)
                .datacenter("dc2", 1)
                .datacenter("dc3", 1)
                .startsOnce()
                .start();
        setup = connect("dc1", null, new SeenRequests());
        CassidySchema.install(setup, Replication.parse("dc1:1,dc2:1"), CONFIG);
        setup.execute("CREATE KEYSPACE shop WITH replication = {'class': 'NetworkTopologyStrategy', 'dc1': 1}");
        for (String table : List.of("registered", "elsewhere", "later", "plain")) {
            setup.execute("CREATE TABLE shop." + table + " (id int PRIMARY KEY, v text)");
        }
        setup.execute("CREATE TABLE shop.notes (name text PRIMARY KEY, v text)");
        awaitBothDatacenters();
        register("dc1", "registered");
        // No process runs in dc1 that could copy this registration.
        register("dc2", "elsewhere");
    }

    private static void register(String datacenter, String table) {
        try (CqlSession session = connect(datacenter, null, new SeenRequests());
                Sequences sequences = Sequences.open(session, CONFIG)) {
            sequences.create(SequenceSpec.of(table));
            sequences.registerIdentity(new IdentityColumn("shop", table, "id", table));
            // Without a first claim, the datacenter would have no reserve to continue with.
            sequences.allocator(table).nextLong();
        }
    }

    @AfterAll
    static void stop() {
        setup.close();
        cluster.close();
    }

    private static CqlSession connect(String datacenter, String keyspace, SeenRequests seen) {
        EmbeddedCassandra node = cluster.node(datacenter, 0);
        return CqlSession.builder()
                .addContactPoint(node.contactPoint())
                .withLocalDatacenter(datacenter)
                .withKeyspace(keyspace)
                .addRequestTracker(seen)
                .withConfigLoader(DriverConfigLoader.programmaticBuilder()
                        .withDuration(DefaultDriverOption.REQUEST_TIMEOUT, Duration.ofMinutes(1))
                        .build())
                .build();
    }

    private static void awaitBothDatacenters() {
        SimpleStatement ofBoth = SimpleStatement.newInstance("SELECT inc FROM cassidy.seq WHERE seq = 'awaited'")
                .setConsistencyLevel(ConsistencyLevel.SERIAL);
        await().atMost(Duration.ofMinutes(2))
                .ignoreExceptionsInstanceOf(DriverException.class)
                .untilAsserted(() -> setup.execute(ofBoth));
    }

    private static void assertRefused(ThrowingCallable insert) {
        assertThatThrownBy(insert)
                .isInstanceOfSatisfying(IdentityInsertException.class, e -> assertThat(e.reason())
                        .isEqualTo(Reason.REGISTRATION_UNKNOWN))
                .hasMessageContaining("whether shop.elsewhere has an identity column is not known")
                .hasMessageContaining("global keyspace has not answered");
    }

    @Test
    void shouldRefuseOnlyExplicitKeysWhileARegistrationMayBeMissing() throws SQLException {
        // The process of another test may have copied it.
        setup.execute("DELETE FROM cassidy_dc1.contracts WHERE keyspace_name = 'shop' AND table_name = 'elsewhere'");
        cluster.node("dc2", 0).pause();
        try {
            byJdbc();
            bySession();
        } finally {
            cluster.node("dc2", 0).resume();
        }
        awaitBothDatacenters();
        assertThat(setup.execute("SELECT * FROM shop.elsewhere WHERE id = -7").all())
                .isEmpty();
    }

    private static void bySession() {
        try (IdentitySession session = IdentitySession.wrap(connect("dc1", "shop", new SeenRequests()), CONFIG)) {
            session.execute("INSERT INTO registered (v) VALUES ('goes on')");
            session.execute("INSERT INTO notes (name, v) VALUES ('goes', 'on')");
            for (String insert : EXPLICIT) {
                assertRefused(() -> session.execute(insert));
            }
            assertRefused(() -> session.execute("INSERT INTO elsewhere (v) VALUES ('leaves it out')"));
            assertRefused(() -> session.execute(BatchStatement.newInstance(BatchType.LOGGED)
                    .add(SimpleStatement.newInstance("INSERT INTO elsewhere (id, v) VALUES (?, ?)", -7, "x"))));
            assertRefused(() -> session.prepare("INSERT INTO elsewhere (id, v) VALUES (?, ?)"));
            PreparedStatement elsewhere = setup.prepare("INSERT INTO shop.elsewhere (id, v) VALUES (?, ?)");
            assertRefused(() -> session.execute(elsewhere.bind(-7, "prepared past this session")));
            PreparedStatement json = setup.prepare("INSERT INTO shop.elsewhere JSON ?");
            assertRefused(() -> session.execute(json.bind("{\"id\": -7, \"v\": \"x\"}")));
            session.execute("UPDATE plain SET v = 'goes on' WHERE id = 7");

            cluster.node("dc2", 0).resume();
            // The next round reads the registrations.
            awaitId(session);
            cluster.node("dc2", 0).pause();
            session.execute("INSERT INTO plain (id, v) VALUES (7, 'is known to have none')");
        }
    }

    private static void awaitId(IdentitySession session) {
        await().atMost(Duration.ofMinutes(2))
                .ignoreExceptions()
                .untilAsserted(() -> session.execute("INSERT INTO elsewhere (v) VALUES ('known now')"));
    }

    private static void byJdbc() throws SQLException {
        EmbeddedCassandra node = cluster.node("dc1", 0);
        String url = "jdbc:cassidy://" + node.host() + ":" + node.port()
                + "/shop?localDatacenter=dc1&requestTimeout=3s&connectTimeout=1m";
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            assertThat(statement.executeUpdate("INSERT INTO registered (v) VALUES ('goes on')"))
                    .isEqualTo(1);
            List<String> refused = new ArrayList<>(EXPLICIT);
            refused.add("INSERT INTO elsewhere (v) VALUES ('leaves it out')");
            for (String insert : refused) {
                assertThatThrownBy(() -> statement.execute(insert))
                        .isInstanceOf(SQLTransientConnectionException.class)
                        .hasMessageContaining("whether shop.elsewhere has an identity column is not known")
                        .satisfies(e ->
                                assertThat(((SQLException) e).getSQLState()).startsWith("08"));
            }
        }
    }

    @Test
    void shouldReadNothingForATableThatWasNotRegisteredAtTheLastLook() {
        CqlSession plain = connect("dc1", "shop", seen);
        try (IdentitySession session = IdentitySession.wrap(plain, CONFIG.withWatchInterval(Duration.ofDays(1)))) {
            session.execute("INSERT INTO notes (name, v) VALUES ('first', 'looks')");
            // More than one if a change of another test is still announced.
            assertThat(seen.upToNow(plain).stream().filter(RegistrationsCutOffIT::isLookAtRegistry))
                    .isNotEmpty();
            seen.clear();

            for (int i = 0; i < 20; i++) {
                session.execute("INSERT INTO notes (name, v) VALUES ('n" + i + "', 'v')");
                session.execute("INSERT INTO plain (id, v) VALUES (" + i + ", 'v')");
            }

            // Opening still reads a few rows during the first insert. A read for each insert would make at least 20.
            assertThat(seen.upToNow(plain)).filteredOn(Seen::isRead).hasSizeLessThan(10);
        }
    }

    private static boolean isLookAtRegistry(Seen request) {
        return request.isOf("cassidy") && request.cql().contains("contracts");
    }

    @Test
    void shouldNoticeARegistrationOfTheOtherDatacenterThroughTheWatchedRow() {
        CqlSession plain = connect("dc1", "shop", seen);
        try (IdentitySession session = IdentitySession.wrap(plain, CONFIG)) {
            session.execute("INSERT INTO later (id, v) VALUES (-5, 'not registered yet')");
            seen.clear();

            register("dc2", "later");

            await().atMost(Duration.ofMinutes(2)).until(() -> session.catalog()
                    .find("shop", "later")
                    .toCompletableFuture()
                    .join()
                    .isPresent());
            assertThat(seen.upToNow(plain).stream().filter(RegistrationsCutOffIT::isLookAtRegistry))
                    .as("by its name")
                    .anyMatch(request -> request.cql().contains("table_name = ?"));
            assertThat(session.execute("INSERT INTO later (v) VALUES ('gets one')")
                            .wasApplied())
                    .isTrue();
        }
    }

    // ---- a second installation, in three datacenters

    private static final SequencesConfig ONE = CONFIG.withGlobalKeyspace("one");

    private static final int RACES = Integer.getInteger("installations.races", 2);

    /** The other tests have one installation: what they count would be other reads. */
    @Test
    void shouldLeaveATableToOneInstallationWhicheverDatacenterAsks() throws Exception {
        CassidySchema.install(setup, Replication.parse("dc1:1,dc2:1,dc3:1"), ONE);
        createFar();
        setup.execute("CREATE TABLE shop.ones (id int PRIMARY KEY, v text)");
        setup.execute("CREATE TABLE shop.fars (id int PRIMARY KEY, v text)");
        try {
            race();
            register("dc3", ONE, "ones");
            cutOff();
        } finally {
            for (String keyspace : List.of("one", "one_dc1", "one_dc2", "one_dc3", "far")) {
                setup.execute("DROP KEYSPACE " + keyspace);
            }
        }
    }

    /** Creates as much of an installation as tells that it numbers {@code fars}, with no replica in dc1. */
    private static void createFar() {
        setup.execute(
                "CREATE KEYSPACE far WITH replication = {'class': 'NetworkTopologyStrategy', 'dc2': 1, 'dc3': 1}");
        setup.execute("CREATE TABLE far.seq (seq text PRIMARY KEY) WITH comment = 'cassidy schema 1'");
        setup.execute(
                "CREATE TABLE far.contracts (keyspace_name text, table_name text, column_name text, claimed boolean,"
                        + " defaults frozen<list<frozen<map<text,text>>>>, mode text, table_id text, counters text,"
                        + " PRIMARY KEY ((keyspace_name, table_name)))");
        setup.execute(SimpleStatement.newInstance(
                        "INSERT INTO far.contracts (keyspace_name, table_name, column_name, mode, table_id, counters)"
                                + " VALUES ('shop', 'fars', 'id', '', '', '')")
                .setConsistencyLevel(ConsistencyLevel.ALL));
    }

    private static void register(String datacenter, SequencesConfig installation, String table) {
        try (CqlSession session = connect(datacenter, null, new SeenRequests());
                Sequences sequences = Sequences.open(session, installation)) {
            sequences.create(SequenceSpec.of(table));
            sequences.registerIdentity(new IdentityColumn("shop", table, "id", table));
        }
    }

    /** Three processes of two installations register one table at the same moment, each in a datacenter of its own. */
    private static void race() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(3);
        try (CqlSession in1 = connect("dc1", null, new SeenRequests());
                CqlSession in2 = connect("dc2", null, new SeenRequests());
                CqlSession in3 = connect("dc3", null, new SeenRequests());
                Sequences first = Sequences.open(in1, ONE);
                Sequences second = Sequences.open(in2, CONFIG);
                Sequences third = Sequences.open(in3, ONE)) {
            for (int race = 0; race < RACES; race++) {
                String table = "raced" + race;
                first.create(SequenceSpec.of(table));
                second.create(SequenceSpec.of(table));
                CountDownLatch begin = new CountDownLatch(1);
                List<Future<Boolean>> registered = Stream.of(first, second, third)
                        .map(each -> threads.submit(() -> {
                            begin.await();
                            return isTold(each, table);
                        }))
                        .toList();
                begin.countDown();
                boolean byOne = registered.get(0).get(2, TimeUnit.MINUTES)
                        | registered.get(2).get(2, TimeUnit.MINUTES);
                boolean byTwo = registered.get(1).get(2, TimeUnit.MINUTES);

                assertThat(byOne && byTwo).as(table).isFalse();
                // Whoever comes next finds what is true, in whichever datacenter.
                boolean two = registers(second, table);
                assertThat(registers(third, table)).as(table).isEqualTo(!two);
                assertThat(registers(first, table)).as(table).isEqualTo(!two);
                assertThat(two && byOne).as(table).isFalse();
            }
        } finally {
            threads.shutdownNow();
        }
    }

    /** Returns whether a process is told that it has registered the table; perhaps it is not known whether it has. */
    private static boolean isTold(Sequences installation, String table) {
        try {
            return registers(installation, table);
        } catch (SequenceException.Unavailable e) {
            // So also if another process of this installation has taken back what both claimed.
            return false;
        }
    }

    private static boolean registers(Sequences installation, String table) {
        try {
            InternalAccess.tables(installation).registerIdentityAhead(new IdentityColumn("shop", table, "id", table));
            return true;
        } catch (SequenceException.Conflict e) {
            assertThat(e).hasMessageContaining("both would issue the same ids");
            return false;
        }
    }

    /** In dc1, one of three replicas knows of {@code ones}; of {@code fars} none does. */
    private static void cutOff() {
        try (IdentitySession session = IdentitySession.wrap(connect("dc1", "shop", new SeenRequests()), CONFIG);
                IdentitySession asked = IdentitySession.wrap(connect("dc1", "shop", new SeenRequests()), CONFIG)) {
            assertThatThrownBy(() -> asked.execute("INSERT INTO fars (id, v) VALUES (1, 'overwritten')"))
                    .hasMessageContaining("which the installation of keyspace far numbers");
            session.execute("INSERT INTO notes (name, v) VALUES ('what is declared here', 'is known from here on')");
            for (String datacenter : List.of("dc2", "dc3")) {
                cluster.node(datacenter, 0).pause();
            }
            assertThatThrownBy(() -> session.execute("INSERT INTO ones (id, v) VALUES (1, 'overwritten')"))
                    .isInstanceOfSatisfying(IdentityInsertException.class, e -> assertThat(e.reason())
                            .isEqualTo(Reason.OTHER_INSTALLATION))
                    .hasMessageContaining("which the installation of keyspace one numbers");
            assertThatThrownBy(() ->
                            session.sequences().registerIdentity(new IdentityColumn("shop", "fars", "id", "fars")))
                    .as("whoever registers must know")
                    .isInstanceOf(SequenceException.Unavailable.class);
            session.execute("INSERT INTO fars (id, v) VALUES (1, 'with a warning')");
        } finally {
            for (String datacenter : List.of("dc2", "dc3")) {
                cluster.node(datacenter, 0).resume();
            }
        }
        assertThat(setup.execute("SELECT * FROM shop.ones").all()).isEmpty();
        assertThat(setup.execute("SELECT * FROM shop.fars").all()).hasSize(1);
        awaitBothDatacenters();
    }
}
