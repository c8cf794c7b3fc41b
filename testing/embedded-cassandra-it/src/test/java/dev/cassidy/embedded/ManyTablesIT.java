package dev.cassidy.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Writes to all of many tables. A heap of 192 MB holds 150 tables if none takes a megabyte; {@code -Dtables=N} creates
 * N tables in the default heap.
 */
class ManyTablesIT {
    private static final int TABLES = Integer.getInteger("tables", 0);

    /**
     * The server creates one table after another, however many requests it has; more of them would time out while they
     * wait.
     */
    private static final int AT_ONCE = 20;

    @Test
    void shouldHoldManyTables() {
        EmbeddedCassandra.Builder builder = EmbeddedCassandra.builder()
                .requestTimeout(Duration.ofMinutes(1))
                .startsOnce();
        if (TABLES == 0) {
            builder.heap("192m");
        }
        try (EmbeddedCassandra node = builder.start();
                CqlSession session = Cql.connect(node)) {
            session.execute("CREATE KEYSPACE many WITH replication = {'class': 'NetworkTopologyStrategy', 'dc1': 1}");
            int tables = TABLES == 0 ? 150 : TABLES;
            for (int from = 0; from < tables; from += AT_ONCE) {
                List<CompletionStage<AsyncResultSet>> made = IntStream.range(from, Math.min(tables, from + AT_ONCE))
                        .mapToObj(i -> session.executeAsync(
                                "CREATE TABLE many.t" + i + " (id int PRIMARY KEY, name text, at timestamp)"))
                        .toList();
                made.forEach(each -> each.toCompletableFuture().join());
            }
            for (int i = 0; i < tables; i++) {
                session.execute("INSERT INTO many.t" + i + " (id, name) VALUES (1, 'one') IF NOT EXISTS");
            }
            for (int i = 0; i < tables; i++) {
                assertThat(session.execute("SELECT name FROM many.t" + i + " WHERE id = 1")
                                .one()
                                .getString(0))
                        .isEqualTo("one");
            }
            assertThat(node.death()).isNotDone();
        }
    }
}
