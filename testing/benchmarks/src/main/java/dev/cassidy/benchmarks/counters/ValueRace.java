package dev.cassidy.benchmarks.counters;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import dev.cassidy.benchmarks.counters.Workload.History;
import dev.cassidy.benchmarks.report.Case;
import dev.cassidy.benchmarks.report.Median;
import dev.cassidy.benchmarks.report.Report;
import dev.cassidy.counter.Counter;
import dev.cassidy.counter.CounterException;
import dev.cassidy.counter.Counters;
import dev.cassidy.counter.CountersConfig;
import dev.cassidy.embedded.EmbeddedCassandra;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What {@code value()} costs after many increments, which are folded and flushed. One client asks again and again, and
 * checks each answer.
 */
final class ValueRace implements AutoCloseable {

    private static final String KEYSPACE = "histories";
    private static final String CASSIDY = "histories_cassidy";
    private static final String TABLE = KEYSPACE + ".folded";

    /** Increments that are in flight together share a row: more of them would make a history of few rows. */
    private static final int IN_FLIGHT = 64;

    /** A counter with its history. */
    private static final class Subject {
        private final History history;
        private final Counter counter;
        private final List<Double> valuesASecond = new ArrayList<>();
        private long value;
        private long rowsWritten;
        private long rowsLeft;

        Subject(History history, Counter counter) {
            this.history = history;
            this.counter = counter;
        }
    }

    private final EmbeddedCassandra node;
    private final Workload workload;
    private final PrintStream out;
    private final CqlSession session;
    private final Random random = new Random(1);
    private long unanswered;

    ValueRace(EmbeddedCassandra node, Workload workload, PrintStream out) {
        this.node = node;
        this.workload = workload;
        this.out = out;
        this.session = Nodes.connect(List.of(node));
    }

    static List<String> cases(Workload workload) {
        History first = workload.histories().get(0);
        return workload.histories().stream()
                .skip(1)
                .map(history -> caseName(history, first))
                .toList();
    }

    private static String caseName(History history, History first) {
        return "value-after-" + history.name() + "-vs-after-" + first.name();
    }

    void run(Report report) {
        Nodes.createKeyspaces(session, List.of(node), KEYSPACE, CASSIDY);
        CountersConfig config = CountersConfig.of(TABLE)
                .withGlobalKeyspace(CASSIDY)
                .withRequestTimeout(Nodes.TIMEOUT)
                .withIncrementTimeout(Nodes.TIMEOUT.multipliedBy(2));
        Counters.create(session, config);
        report.condition(
                "values",
                "one client, one Counter.value() at a time, of counters whose increments were made with " + IN_FLIGHT
                        + " in flight, folded, and flushed to disk. " + workload.reading());
        try (Counters counters = Counters.open(session, config)) {
            List<Subject> subjects = workload.histories().stream()
                    .map(history -> new Subject(history, counters.counter(history.name())))
                    .toList();
            for (Subject subject : subjects) {
                increment(subject);
            }
            node.flush();
            race(subjects);
            compare(subjects, report);
        }
    }

    private void increment(Subject subject) {
        Set<Long> versions = ConcurrentHashMap.newKeySet();
        Pipeline increments = new Pipeline(IN_FLIGHT);
        for (int i = 0; i < subject.history.increments(); i++) {
            increments.start(
                    () -> subject.counter.incrementAsync(1).thenAccept(receipt -> versions.add(receipt.version())));
        }
        increments.drainWithoutFailure("the history of " + subject.history.name());
        subject.counter.fold();
        subject.value = subject.counter.value();
        if (subject.value != subject.history.increments()) {
            throw new IllegalStateException(
                    "must count each increment once: " + subject.history + ", and the value is " + subject.value);
        }
        subject.rowsWritten = versions.size();
        subject.rowsLeft = Objects.requireNonNull(session.execute(SimpleStatement.newInstance(
                                "SELECT COUNT(*) FROM " + TABLE + " WHERE type = ?", subject.history.name()))
                        .one())
                .getLong(0);
        out.printf(
                Locale.ROOT,
                "counted: %,d increments, in %,d rows, folded to %,d%n",
                subject.value,
                subject.rowsWritten,
                subject.rowsLeft);
    }

    private void race(List<Subject> subjects) {
        List<Subject> order = new ArrayList<>(subjects);
        for (int round = 0; round <= workload.reading().rounds(); round++) {
            Collections.shuffle(order, random);
            for (Subject subject : order) {
                valuesASecond(subject, workload.reading().warmUp());
                double speed = valuesASecond(subject, workload.reading().measured());
                if (round > 0) {
                    subject.valuesASecond.add(speed);
                }
                out.printf(
                        Locale.ROOT,
                        "round %d/%d  value() after %,12d increments  %,10.0f values/s%n",
                        round,
                        workload.reading().rounds(),
                        subject.history.increments(),
                        speed);
            }
        }
    }

    private double valuesASecond(Subject subject, Duration time) {
        long done = 0;
        long start = System.nanoTime();
        long elapsed = 0;
        while (elapsed < time.toNanos()) {
            try {
                long value = subject.counter.value();
                if (value != subject.value) {
                    throw new IllegalStateException(
                            "must be " + subject.value + ": value()=" + value + " of " + subject.history);
                }
                done++;
            } catch (CounterException.Unavailable e) {
                // A machine that stands still for the server's time-out must not end the race.
                unanswered++;
            }
            elapsed = System.nanoTime() - start;
        }
        return done / (elapsed / 1e9);
    }

    private void compare(List<Subject> subjects, Report report) {
        Subject first = subjects.get(0);
        for (Subject subject : subjects.subList(1, subjects.size())) {
            Case measured = Case.moreIsBetter(
                            caseName(subject.history, first.history),
                            String.format(
                                    Locale.ROOT,
                                    "Counter.value() after %,d increments vs after %,d",
                                    subject.history.increments(),
                                    first.history.increments()),
                            Median.of(subject.valuesASecond),
                            Median.of(first.valuesASecond),
                            "values/s")
                    .with("rows written", (double) subject.rowsWritten)
                    .with("rows left by folds", (double) subject.rowsLeft)
                    .with("rival's rows left", (double) first.rowsLeft)
                    .with("unanswered, in all", (double) unanswered);
            report.add(subject.history.name().equals("1m") ? measured.withGoal(0.8) : measured);
        }
    }

    @Override
    public void close() {
        session.close();
    }
}
