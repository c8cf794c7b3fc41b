package dev.cassidy.reliability.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import dev.cassidy.reliability.checker.IssueHistory;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.cassandra.MovedClock;
import dev.cassidy.sequence.cassandra.OpenSnowflakes;
import dev.cassidy.snowflake.SnowflakeSequencer;
import dev.cassidy.snowflake.SnowflakeSpec;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Every conditional statement of time-ordered sequences, with every failure and every outcome in the store. */
class NodeStatementFaultsIT {

    private static final Logger LOG = LoggerFactory.getLogger(NodeStatementFaultsIT.class);
    private static final String KEYSPACE = "node_faults_it";
    private static final Instant EPOCH = Instant.parse("2025-01-01T00:00:00Z");
    private static final EnumSet<Step> DESTRUCTION = EnumSet.of(Step.NODES_DESTROY, Step.NODES_DESTROY_HERE);

    /** Steps during which the store contains a grant that its grantee has not absorbed. */
    private static final EnumSet<Step> ABSORPTION = EnumSet.of(Step.NODES_GRANT, Step.NODE_PREPARE, Step.NODES_ABSORB);

    private static final Duration PATIENCE = Duration.ofSeconds(10);

    /** After this time, a number that was not renewed must not issue ids. */
    private static final Duration LIMIT = Duration.ofSeconds(11);

    private static final String FAULTY = "faulty";

    /** The lower bits of an id are its node number and its counter. */
    private static final int MILLI_SHIFT = 23;

    private static final Matrix MATRIX = new Matrix();

    private static TwoProcesses processes;
    private static FaultyNode node;
    private static ScheduledExecutorService timer;
    private static int cells;

    private final IssueHistory history = new IssueHistory(0, 1, Long.MAX_VALUE);
    private final List<String> violations = Collections.synchronizedList(new ArrayList<>());
    private final Set<String> refusals = new ConcurrentSkipListSet<>();

    @BeforeAll
    static void open() throws IOException {
        processes = new TwoProcesses(KEYSPACE);
        node = processes.node;
        timer = Executors.newSingleThreadScheduledExecutor();
    }

    @AfterAll
    static void close() throws IOException {
        processes.close();
        timer.shutdownNow();
        LOG.info("{} cells{}", cells, MATRIX);
    }

    static List<Cell> cells() {
        return Cell.of(EnumSet.range(Step.NODES_CREATE, Step.NODES_DESTROY_HERE));
    }

    @ParameterizedTest
    @MethodSource("cells")
    void shouldIssueIdsOnlyOfAProvenNumber(Cell cell) {
        assertThat(violationsOf(cell)).isEmpty();
    }

    /** Cells for a client that guesses the outcome. They prove that the cells above would detect such an error. */
    static List<Cell> guesses() {
        return List.of(
                new Cell(Step.NODE_TAKE, Failure.TOLD_APPLIED, Outcome.NOT_APPLIED),
                new Cell(Step.NODE_TAKE, Failure.TOLD_APPLIED, Outcome.OVERTAKEN),
                new Cell(Step.NODE_RENEW, Failure.TOLD_APPLIED, Outcome.NOT_APPLIED),
                new Cell(Step.NODES_DESTROY, Failure.TOLD_APPLIED, Outcome.NOT_APPLIED));
    }

    @ParameterizedTest
    @MethodSource("guesses")
    void shouldDetectAClientThatGuesses(Cell cell) {
        assertThat(violationsOf(cell)).isNotEmpty();
    }

    private List<String> violationsOf(Cell cell) {
        SnowflakeSpec spec = new SnowflakeSpec("cell" + cells++, EPOCH, 128);
        try {
            if (DESTRUCTION.contains(cell.step())) {
                destroy(cell, spec);
            } else if (cell.step() == Step.NODE_RENEW) {
                renew(cell, spec);
            } else {
                attach(cell, spec);
            }
        } catch (SequenceException refused) {
            violations.add("it did not go on: " + refused);
        }
        assertThat(node.broken()).isEmpty();
        assertThat(node.injected()).as("the fault was injected").isTrue();
        violations.addAll(node.repeated());
        violations.addAll(history.violations());
        MATRIX.add(cell, violations.isEmpty(), node.landing(), refusals);
        return violations;
    }

    private void attach(Cell cell, SnowflakeSpec spec) {
        boolean atOnce = cell.step() != Step.NODE_RELEASE;
        if (cell.step() == Step.NODES_SKIP) {
            joinLate(spec);
        }
        if (atOnce) {
            boolean waits = ABSORPTION.contains(cell.step());
            node.arm(cell, spec.name(), () -> {
                if (waits) {
                    impatientRivalIssues(spec);
                } else {
                    rivalIssues(spec);
                }
            });
        }
        SnowflakeSequencer faulty =
                eventually(() -> OpenSnowflakes.of(processes.faulty).sequencer(spec));
        issue(FAULTY, faulty, spec);
        if (!atOnce) {
            node.arm(cell, spec.name(), () -> rivalIssues(spec));
        }
        faulty.detach();
        node.land();
        for (int number = 0; number < 4; number++) {
            // Whichever number the rival gets: the released one or another.
            rivalIssues(spec);
        }
        eventually(() -> {
            faulty.attach();
            return faulty;
        });
        issue(FAULTY, faulty, spec);
        faulty.close();
    }

    private void renew(Cell cell, SnowflakeSpec spec) {
        MovedClock clock = new MovedClock();
        SnowflakeSequencer faulty =
                clock.sequencer(processes.through, KEYSPACE, spec, TwoProcesses.REQUEST_TIMEOUT, PATIENCE, timer);
        faulty.attach();
        issue(FAULTY, faulty, spec);
        node.arm(cell, spec.name(), () -> rivalIssues(spec));
        clock.advance(LIMIT);
        eventually(() -> {
            faulty.attach();
            issueOne(FAULTY, faulty);
            return faulty;
        });
        issue(FAULTY, faulty, spec);
        clock.advance(LIMIT);
        node.land();
        rivalIssues(spec);
        eventually(() -> {
            faulty.attach();
            issueOne(FAULTY, faulty);
            return faulty;
        });
        faulty.close();
    }

    private void destroy(Cell cell, SnowflakeSpec spec) {
        SnowflakeSequencer faulty = OpenSnowflakes.of(processes.faulty).sequencer(spec);
        issue(FAULTY, faulty, spec);
        node.arm(cell, spec.name(), () -> rivalIssues(spec));
        eventually(() -> {
            OpenSnowflakes.of(processes.faulty).destroy(spec.name());
            return spec;
        });
        node.land();

        if (!isDestroyed(KEYSPACE, ConsistencyLevel.SERIAL, spec)
                || !isDestroyed(KEYSPACE + "_dc1", ConsistencyLevel.LOCAL_SERIAL, spec)) {
            violations.add("it was to be destroyed, and is not");
        }
        assertThatThrownBy(faulty::nextLong).isInstanceOf(SequenceException.Destroyed.class);
    }

    private static boolean isDestroyed(String keyspace, ConsistencyLevel serial, SnowflakeSpec spec) {
        return row("SELECT DISTINCT destroyed FROM " + keyspace + ".snowflake WHERE seq = ?", serial, spec.name())
                .getBoolean("destroyed");
    }

    private static Row row(String cql, ConsistencyLevel serial, Object... values) {
        return Objects.requireNonNull(processes
                .direct
                .execute(SimpleStatement.newInstance(cql, values).setConsistencyLevel(serial))
                .one());
    }

    /** Attaches, issues and detaches, unless the sequence is destroyed. */
    private void rivalIssues(SnowflakeSpec spec) {
        try {
            SnowflakeSequencer rival = OpenSnowflakes.of(processes.rival).sequencer(spec);
            rival.attach();
            issue("rival", rival, spec);
            rival.detach();
        } catch (SequenceException.Destroyed destroyed) {
            refusals.add("Destroyed");
        }
    }

    /**
     * Like {@link #rivalIssues}, in a process that does not wait until the grants of others are absorbed, because its
     * clock is moved.
     */
    private void impatientRivalIssues(SnowflakeSpec spec) {
        MovedClock clock = new MovedClock();
        SnowflakeSequencer rival =
                clock.sequencer(processes.direct, KEYSPACE, spec, Duration.ofSeconds(5), Duration.ofHours(1), timer);
        CompletableFuture<Void> attached = rival.attachAsync().toCompletableFuture();
        while (!attached.isDone()) {
            clock.advance(Duration.ofSeconds(1));
            LockSupport.parkNanos(10_000_000);
        }
        attached.join();
        issue("impatient rival", rival, spec);
        rival.close();
    }

    /** Creates the copy as a process would that had looked before the datacenter got its first two grants. */
    private static void joinLate(SnowflakeSpec spec) {
        CqlSession session = processes.direct;
        session.execute(
                "UPDATE " + KEYSPACE + ".snowflake SET epoch_ms = ?, nodes = ?, next = 8, destroyed = false"
                        + " WHERE seq = ? IF epoch_ms = null",
                EPOCH.toEpochMilli(),
                spec.nodes(),
                spec.name());
        for (int grant = 1; grant <= 2; grant++) {
            session.execute(
                    "INSERT INTO " + KEYSPACE + ".snowflake (seq, dc, grant_no, lo, hi, grantee)"
                            + " VALUES (?, 'dc1', ?, ?, ?, uuid()) IF NOT EXISTS",
                    spec.name(),
                    grant,
                    grant * 4 - 4,
                    grant * 4);
        }
        session.execute(
                "UPDATE " + KEYSPACE + "_dc1.snowflake SET epoch_ms = ?, nodes = ?, destroyed = false, grant_no = 0"
                        + " WHERE seq = ? IF epoch_ms = null",
                EPOCH.toEpochMilli(),
                spec.nodes(),
                spec.name());
    }

    /**
     * Records some ids, and checks that the store has promised them to this process, by a token that the process sent.
     */
    private void issue(String client, SnowflakeSequencer sequencer, SnowflakeSpec spec) {
        long id = 0;
        for (int i = 0; i < 3; i++) {
            id = issueOne(client, sequencer);
        }
        int number = sequencer.node().orElseThrow();
        Row row = row(
                "SELECT lease, ts_high FROM " + KEYSPACE + "_dc1.snowflake_node WHERE seq = ? AND n = ?",
                ConsistencyLevel.LOCAL_SERIAL,
                spec.name(),
                number);
        boolean own = node.hasSent(Objects.requireNonNull(row.getUuid("lease"))) == client.equals(FAULTY);
        if (!own || id >> MILLI_SHIFT > row.getLong("ts_high")) {
            violations.add(client + " has issued " + id + " of number " + number + ", which was not promised to it: "
                    + row.getFormattedContents());
        }
    }

    private long issueOne(String client, SnowflakeSequencer sequencer) {
        long id = sequencer.nextLong();
        // The rival issues ids on a thread of the faulty node.
        synchronized (history) {
            history.issued(client, id);
        }
        return id;
    }

    private <T> T eventually(Supplier<T> operation) {
        for (int refused = 0; ; refused++) {
            try {
                return operation.get();
            } catch (SequenceException.Unavailable | SequenceException.Detached refusal) {
                refusals.add(refusal.getClass().getSimpleName());
                if (refused == 5) {
                    throw refusal;
                }
            }
        }
    }
}
