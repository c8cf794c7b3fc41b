package dev.cassidy.counter.rows;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import dev.cassidy.count.RowCounters;
import dev.cassidy.count.RowCounters.Addition;
import dev.cassidy.count.RowCounting;
import dev.cassidy.definition.RowMark;
import dev.cassidy.jdbc.TestCluster;
import dev.cassidy.sequence.SequencesConfig;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Rows of transactions that several processes sum up while others are added: each counts once, at every moment. */
class AddedRowsIT {

    private static final String KEYSPACE = "added_rows_it";
    private static final String TABLE = "cassidy_counts_page";
    private static final int THREADS = 6;
    private static final int ROWS = Integer.getInteger("added.rows", 200);

    private static CqlSession session;
    private static RowCounters one;
    private static RowCounters other;
    private static PreparedStatement insert;

    private final Queue<Addition> all = new ConcurrentLinkedQueue<>();
    private final AtomicInteger begun = new AtomicInteger();
    private final AtomicInteger ended = new AtomicInteger();

    @BeforeAll
    static void create() {
        TestCluster.fresh(KEYSPACE);
        TestCluster.install("cassidy");
        session = TestCluster.session();
        RowCounting counting = new FoldedRowCounting();
        SequencesConfig config = SequencesConfig.defaults();
        counting.create(session, config, KEYSPACE, TABLE);
        one = counting.open(session, config, KEYSPACE, TABLE);
        other = counting.open(session, config, KEYSPACE, TABLE);
        insert = session.prepare("INSERT INTO " + KEYSPACE + "." + TABLE
                + " (type, actor, version, increment) VALUES (?, ?, ?, 1) USING TIMESTAMP " + RowMark.FRESH_MICROS);
    }

    @AfterAll
    static void close() {
        one.close();
        other.close();
    }

    private static void write(Addition row) {
        session.execute(insert.bind(row.counter(), row.actor(), row.version()));
    }

    private static int value(RowCounters counters) {
        return counters.valueAsync("c").toCompletableFuture().join().intValueExact();
    }

    private Void add(int thread) {
        RowCounters counters = thread % 2 == 0 ? one : other;
        for (int i = 0; i < ROWS; i++) {
            Addition row = counters.addition("c", "dc1");
            if (i % 20 == 7) {
                counters.dropped(row);
                continue;
            }
            all.add(row);
            begun.incrementAndGet();
            write(row);
            ended.incrementAndGet();
            if (thread >= THREADS - 2 || i % 50 == 0) {
                // As of processes that end: others sum up what they leave.
                counters.inDoubt(row);
            } else {
                counters.written(row);
            }
            if (i % 10 == 0) {
                int least = ended.get();
                assertThat(value(counters)).isBetween(least, begun.get() + THREADS);
                write(row);
            }
        }
        return null;
    }

    private static long rows(String counter) {
        return session.execute("SELECT COUNT(*) FROM " + KEYSPACE + "." + TABLE + " WHERE type = ?", counter)
                .one()
                .getLong(0);
    }

    /** Nodes of two datacenters must not decide about one partition, each within itself. */
    @Test
    void shouldLeaveRowsToTheHomeOfTheTable() {
        for (int i = 0; i < 100; i++) {
            Addition row = one.addition("elsewhere", "dc9");
            write(row);
            one.written(row);
        }
        await().during(Duration.ofMillis(500))
                .untilAsserted(() -> assertThat(rows("elsewhere")).isEqualTo(100));
    }

    @Test
    void shouldBeginAnotherActorInACopyOfTheProcess() {
        AddedRows copied = AddedRows.of(session, KEYSPACE + "." + TABLE, Duration.ofMinutes(1));
        Addition before = copied.next("copied", "dc1");

        copied.forget();

        Addition after = copied.next("copied", "dc1");
        assertThat(after.actor()).isNotEqualTo(before.actor());
        assertThat(after.version()).isEqualTo(1);
    }

    /** The commit is over: what fails afterwards must not end it. */
    @Test
    void shouldNotFailWhereRowsCannotBeSummedUp() {
        String[] host = TestCluster.hosts().split(":", -1);
        CqlSession closed = CqlSession.builder()
                .addContactPoint(new InetSocketAddress(host[0], Integer.parseInt(host[1])))
                .withLocalDatacenter("dc1")
                .build();
        closed.close();
        AddedRows rows = AddedRows.of(closed, KEYSPACE + "." + TABLE, Duration.ofSeconds(1));
        for (int i = 0; i < 100; i++) {
            rows.ended(rows.next("closed", "dc1"), true);
        }
    }

    @Test
    void shouldCountEachRowOnceWhileSeveralSumThemUp() throws Exception {
        ExecutorService executor = Executors.newFixedThreadPool(THREADS);
        try {
            List<Future<Void>> adding = new ArrayList<>();
            for (int thread = 0; thread < THREADS; thread++) {
                int number = thread;
                adding.add(executor.submit(() -> add(number)));
            }
            for (Future<Void> each : adding) {
                each.get();
            }
        } finally {
            executor.shutdownNow();
        }

        assertThat(value(one)).isEqualTo(all.size());
        all.forEach(AddedRowsIT::write);
        await().during(Duration.ofMillis(500))
                .untilAsserted(() -> assertThat(value(other)).isEqualTo(all.size()));
        assertThat(rows("c")).as("rows that are left of " + all.size()).isLessThan(all.size() * 2 / 3);
    }
}
