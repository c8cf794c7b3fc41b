package dev.cassidy.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.CqlSession;
import dev.cassidy.AuthorisedNode;
import dev.cassidy.cql.IdentitySession;
import dev.cassidy.jdbc.session.ConnectionSettings;
import dev.cassidy.jdbc.session.SharedSession;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.cassandra.CassidySchema;
import dev.cassidy.sequence.cassandra.Replication;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** No globalKeyspace is given, and nothing is installed under the default's name: as on a cluster before init was run. */
class WithoutCassidyIT {

    private static final CqlSession ADMINISTRATOR = AuthorisedNode.ADMINISTRATOR;
    private static final String URL = AuthorisedNode.url("without_cassidy_it", "user=cassandra", "password=cassandra");

    @BeforeAll
    static void prepare() {
        ADMINISTRATOR.execute("CREATE KEYSPACE without_cassidy_it WITH replication ="
                + " {'class': 'SimpleStrategy', 'replication_factor': 1}");
        ADMINISTRATOR.execute("CREATE TABLE without_cassidy_it.t (id int PRIMARY KEY, v text)");
        ADMINISTRATOR.execute("CREATE TABLE without_cassidy_it.words (word text PRIMARY KEY, n int)");
    }

    @AfterAll
    static void drop() {
        AuthorisedNode.dropKeyspaces();
    }

    @AfterEach
    void uninstall() {
        ADMINISTRATOR.execute("DROP KEYSPACE IF EXISTS cassidy");
        ADMINISTRATOR.execute("DROP KEYSPACE IF EXISTS cassidy_dc1");
    }

    @Test
    void shouldServePlainTablesWithoutCassidysKeyspaces() throws SQLException {
        try (Connection connection = DriverManager.getConnection(URL);
                PreparedStatement insert = connection.prepareStatement("INSERT INTO words (word, n) VALUES (?, ?)");
                Statement select = connection.createStatement()) {
            insert.setString(1, "plain");
            insert.setInt(2, 1);
            assertThat(insert.executeUpdate()).isEqualTo(1);
            insert.setString(1, "batch");
            insert.addBatch();
            assertThat(insert.executeBatch()).containsExactly(1);
            try (ResultSet rows = select.executeQuery("SELECT n FROM words WHERE word = 'plain'")) {
                assertThat(rows.next()).isTrue();
            }
            select.executeUpdate("INSERT INTO t (id, v) VALUES (1, 'explicit id, plain table')");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldSayHowToCreateCassidysKeyspacesWhenAnIdentityInsertNeedsThem(boolean keysRequested) throws SQLException {
        try (Connection connection = DriverManager.getConnection(URL);
                PreparedStatement insert = keysRequested
                        ? connection.prepareStatement("INSERT INTO t (id, v) VALUES (1, ?)", 1)
                        : connection.prepareStatement("INSERT INTO t (v) VALUES (?)")) {
            insert.setString(1, "x");
            assertThatThrownBy(insert::executeUpdate)
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("globalKeyspace=cassidy names no installation")
                    .hasMessageContaining("Run: cassidy init --replication ")
                    .hasFieldOrPropertyWithValue("SQLState", "3F000");
        }
    }

    @Test
    void shouldUnwrapByTypeAndFailOnlyWithSqlExceptions() throws SQLException {
        try (Connection connection = DriverManager.getConnection(URL)) {
            assertThat(connection.isWrapperFor(CassidyConnection.class)).isTrue();
            assertThat(connection.isWrapperFor(CqlSession.class)).isTrue();
            assertThat(connection.isWrapperFor(IdentitySession.class)).isTrue();
            assertThat(connection.isWrapperFor(String.class)).isFalse();
            assertThat((Object) connection.unwrap(Connection.class)).isSameAs(connection);
            assertThat(connection.unwrap(CqlSession.class).getKeyspace()).isPresent();
            assertThatThrownBy(() -> connection.unwrap(IdentitySession.class))
                    .isInstanceOf(SQLException.class)
                    .hasFieldOrPropertyWithValue("SQLState", "3F000");
            assertThatThrownBy(() -> connection.unwrap(String.class))
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("is no wrapper for java.lang.String");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldNoticeAfterASecondThatCassidyWasInstalled(boolean metadata) throws SQLException {
        AtomicLong nanos = new AtomicLong();
        ConnectionSettings settings = ConnectionSettings.parse(URL, new Properties());
        try (SharedSession session = SharedSession.open(settings, nanos::get)) {
            session.plain().setSchemaMetadataEnabled(metadata);
            assertThat(session.writing()).isSameAs(session.plain());
            CassidySchema.install(ADMINISTRATOR, Replication.parse("dc1:1"), SequencesConfig.defaults());

            nanos.addAndGet(Duration.ofMillis(999).toNanos());
            assertThat(session.writing()).isSameAs(session.plain());
            nanos.addAndGet(Duration.ofMillis(1).toNanos());
            assertThat(session.writing()).isInstanceOf(IdentitySession.class);
        }
    }
}
