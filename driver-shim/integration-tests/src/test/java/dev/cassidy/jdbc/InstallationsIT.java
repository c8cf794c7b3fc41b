package dev.cassidy.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import dev.cassidy.SharedNode;
import dev.cassidy.cql.IdentityInsertException;
import dev.cassidy.cql.IdentitySession;
import dev.cassidy.embedded.EmbeddedCassandra;
import dev.cassidy.sequence.IdentityColumn;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.cassandra.CassidySchema;
import dev.cassidy.sequence.cassandra.Replication;
import dev.cassidy.sequence.cassandra.Sequences;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Two installations on one cluster, a name that is none of them, and a table that the first one numbers. */
class InstallationsIT {

    private static final SequencesConfig FIRST = SequencesConfig.defaults().withGlobalKeyspace("installation_one");
    private static final SequencesConfig SECOND = SequencesConfig.defaults().withGlobalKeyspace("installation_two");

    private static final EmbeddedCassandra NODE = SharedNode.get();
    private static CqlSession session;

    @BeforeAll
    static void install() throws SQLException {
        session = CqlSession.builder()
                .addContactPoint(NODE.contactPoint())
                .withLocalDatacenter(NODE.localDatacenter())
                .build();
        Replication replication = Replication.parse(NODE.localDatacenter() + ":1");
        CassidySchema.install(session, replication, FIRST);
        CassidySchema.install(session, replication, SECOND);
        session.execute("CREATE KEYSPACE installations_it WITH replication = {'class': 'NetworkTopologyStrategy', '"
                + NODE.localDatacenter() + "': 1}");
        try (Connection connection = open("installation_one");
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE album (id INT IDENTITY PRIMARY KEY, title VARCHAR(50))");
            statement.execute("INSERT INTO album (title) VALUES ('first')");
        }
        session.execute("CREATE TABLE installations_it.nobodys (id int PRIMARY KEY, title text)");
    }

    @AfterAll
    static void close() {
        session.close();
    }

    private static Connection open(String globalKeyspace) throws SQLException {
        return DriverManager.getConnection("jdbc:cassidy://" + NODE.host() + ":" + NODE.port()
                + "/installations_it?localDatacenter=" + NODE.localDatacenter() + "&globalKeyspace=" + globalKeyspace);
    }

    private static void assertRefused(ThrowingCallable insert) {
        assertThatThrownBy(insert)
                .isInstanceOf(SQLException.class)
                .hasMessageContaining(
                        "installations_it.album, which the installation of keyspace installation_one numbers")
                .hasMessageContaining("globalKeyspace=installation_one")
                .hasFieldOrPropertyWithValue("SQLState", "42000");
    }

    @ParameterizedTest
    @ValueSource(strings = {"installation_two", "installation_none"})
    void shouldNotWriteTheIdentityOfAnothersTable(String globalKeyspace) throws SQLException {
        try (Connection connection = open(globalKeyspace);
                Statement statement = connection.createStatement();
                PreparedStatement prepared =
                        connection.prepareStatement("INSERT INTO album (id, title) VALUES (?, ?)");
                PreparedStatement batch =
                        connection.prepareStatement("INSERT INTO album (id, title) VALUES (?, 'x')")) {
            assertRefused(() -> statement.execute("INSERT INTO album (id, title) VALUES (1, 'overwritten')"));
            assertRefused(() -> statement.execute("INSERT INTO album (title) VALUES ('numbered by another')"));
            prepared.setInt(1, 1);
            prepared.setString(2, "overwritten");
            assertRefused(prepared::executeUpdate);
            batch.setInt(1, 1);
            batch.addBatch();
            assertThatThrownBy(batch::executeBatch).hasMessageContaining("installation_one numbers");
            assertThat(statement.executeUpdate("INSERT INTO nobodys (id, title) VALUES (1, 'plain')"))
                    .isEqualTo(1);
        }
        assertThat(session.execute("SELECT title FROM installations_it.album").all())
                .singleElement()
                .satisfies(row -> assertThat(row.getString(0)).isEqualTo("first"));
    }

    @Test
    void shouldNotWriteItThroughASessionEither() {
        try (Sequences sequences = Sequences.open(session, SECOND)) {
            IdentitySession second = IdentitySession.wrap(session, sequences);
            for (String insert : List.of(
                    "INSERT INTO installations_it.album (id, title) VALUES (1, 'overwritten')",
                    "INSERT INTO installations_it.album (title) VALUES ('numbered by another')",
                    "INSERT INTO installations_it.album JSON '{\"id\": 1}'",
                    "BEGIN BATCH INSERT INTO installations_it.album (id) VALUES (1); APPLY BATCH")) {
                assertThatThrownBy(() -> second.execute(SimpleStatement.newInstance(insert)))
                        .as(insert)
                        .isInstanceOfSatisfying(IdentityInsertException.class, e -> assertThat(e.reason())
                                .isEqualTo(IdentityInsertException.Reason.OTHER_INSTALLATION));
            }
            assertThatThrownBy(() -> second.prepare("INSERT INTO installations_it.album (id, title) VALUES (?, ?)"))
                    .isInstanceOf(IdentityInsertException.class);
            var bound = session.prepare("INSERT INTO installations_it.album (id, title) VALUES (?, ?)")
                    .bind(1, "overwritten");
            assertThatThrownBy(() -> second.execute(bound)).isInstanceOf(IdentityInsertException.class);
        }
    }

    /** As one that was not brought up to date, or lost a table. */
    @Test
    void shouldWriteTablesOfNobodyBesideAnInstallationThatCannotBeRead() throws SQLException {
        session.execute("CREATE KEYSPACE installation_broken WITH replication = {'class': 'NetworkTopologyStrategy', '"
                + NODE.localDatacenter() + "': 1}");
        session.execute(
                "CREATE TABLE installation_broken.seq (seq text PRIMARY KEY) WITH comment = 'cassidy schema 1'");
        try (Connection connection = open("installation_two");
                Statement statement = connection.createStatement();
                Sequences second = Sequences.open(session, SECOND)) {
            assertThat(statement.executeUpdate("INSERT INTO nobodys (id, title) VALUES (2, 'plain')"))
                    .isEqualTo(1);
            assertRefused(() -> statement.execute("INSERT INTO album (id, title) VALUES (1, 'overwritten')"));
            second.create(SequenceSpec.of("installations_it.nobodys"));
            assertThatThrownBy(() -> second.registerIdentity(
                            new IdentityColumn("installations_it", "nobodys", "id", "installations_it.nobodys")))
                    .as("whoever registers must know")
                    .hasMessageContaining("contracts");
        } finally {
            session.execute("DROP KEYSPACE installation_broken");
        }
    }

    @Test
    void shouldNotRegisterAnothersTable() {
        try (Sequences second = Sequences.open(session, SECOND)) {
            second.create(SequenceSpec.of("installations_it.album"));
            IdentityColumn column = new IdentityColumn("installations_it", "album", "id", "installations_it.album");

            assertThatThrownBy(() -> second.registerIdentity(column))
                    .isInstanceOf(SequenceException.Conflict.class)
                    .hasMessageContaining("is numbered by the installation of keyspace installation_one");
            assertThat(session.execute("SELECT * FROM installation_two.contracts")
                            .all())
                    .isEmpty();
        }
    }

    /** Each looks before it writes, and finds nothing of the other. */
    @Test
    void shouldNotBothRegisterATableAtTheSameMoment() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try (Sequences first = Sequences.open(session, FIRST);
                Sequences second = Sequences.open(session, SECOND)) {
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
            installation.registerIdentity(
                    new IdentityColumn("installations_it", table, "id", "installations_it." + table));
            return true;
        } catch (SequenceException.Conflict e) {
            assertThat(e).hasMessageContaining("both would issue the same ids");
            return false;
        }
    }
}
