package dev.cassidy.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** The server's warnings reach the caller, and not the log, which would show the statement. */
class ServerWarningsIT {

    private static final Logger ROOT = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);

    /** Of some 5 KiB each: a batch of them exceeds Cassandra's batch_size_warn_threshold. */
    private static final String SECRET = "c4nary".repeat(900);

    private static TestCluster cluster;

    private final ListAppender<ILoggingEvent> log = new ListAppender<>();

    @BeforeAll
    static void prepare() {
        cluster = TestCluster.fresh("server_warnings_it");
        cluster.cql("CREATE TABLE $.t (id int PRIMARY KEY, v text)");
    }

    @BeforeEach
    void listen() {
        log.start();
        ROOT.addAppender(log);
    }

    @AfterEach
    void stop() {
        ROOT.detachAppender(log);
    }

    private void assertWarned(@Nullable SQLWarning warning) {
        assertThat((Throwable) warning).hasMessageContaining("exceeding specified threshold");
        assertThat(List.copyOf(log.list))
                .extracting(ILoggingEvent::getFormattedMessage)
                .noneMatch(text -> text.contains("exceeding specified threshold") || text.contains("c4nary"));
    }

    @Test
    void shouldGiveTheWarningsOfACommitToTheConnection() throws Exception {
        try (Connection connection = cluster.connect();
                PreparedStatement insert = connection.prepareStatement("INSERT INTO t (id, v) VALUES (?, ?)")) {
            connection.setAutoCommit(false);
            for (int id = 1; id <= 2; id++) {
                insert.setInt(1, id);
                insert.setString(2, SECRET);
                insert.executeUpdate();
            }
            assertThat((Throwable) connection.getWarnings()).isNull();
            connection.commit();

            assertWarned(connection.getWarnings());
        }
    }

    @Test
    void shouldGiveTheWarningsOfAStatementToIt() throws Exception {
        try (Connection connection = cluster.connect();
                Statement statement = connection.createStatement()) {
            String batch = "BEGIN BATCH INSERT INTO t (id, v) VALUES (1, '" + SECRET
                    + "'); INSERT INTO t (id, v) VALUES (2, '" + SECRET + "'); APPLY BATCH";
            statement.execute(batch);

            assertWarned(statement.getWarnings());
            statement.addBatch(batch);
            statement.executeBatch();
            assertWarned(statement.getWarnings());
        }
    }
}
