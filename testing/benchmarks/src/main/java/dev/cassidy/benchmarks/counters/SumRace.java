package dev.cassidy.benchmarks.counters;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.cql.BatchStatement;
import com.datastax.oss.driver.api.core.cql.BatchStatementBuilder;
import com.datastax.oss.driver.api.core.cql.BatchType;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.Row;
import dev.cassidy.benchmarks.counters.Workload.Sums;
import dev.cassidy.benchmarks.report.Case;
import dev.cassidy.benchmarks.report.Median;
import dev.cassidy.benchmarks.report.Report;
import dev.cassidy.counter.Counters;
import dev.cassidy.counter.CrdtFunctions;
import dev.cassidy.counter.IncrementType;
import dev.cassidy.embedded.EmbeddedCassandra;
import java.io.PrintStream;
import java.math.BigInteger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.function.ToDoubleFunction;

/**
 * Sums of one partition of increments that are not folded, by one client that asks again and again. Every sum is checked.
 * A contestant whom the server refuses an answer has none, and its case says why.
 */
final class SumRace implements AutoCloseable {

    private static final String KEYSPACE = "sums";
    private static final String TABLE = KEYSPACE + ".unfolded";
    private static final int ACTORS = 100;
    private static final int ROWS_A_BATCH = 200;
    private static final int BATCHES_IN_FLIGHT = 16;

    /** The driver's default, with which an application fetches rows. */
    private static final int FETCHED_PAGE = 5_000;

    /** {@code Counter.value()} begins with this page, and takes a larger one if the rows do not fit. */
    private static final int FIRST_PAGE = 20_000;

    private enum Contestant {
        NATIVE("the jar's crdt_sum", "system.crdt_sum(increment)"),
        SCRIPT("the script's crdt_sum", KEYSPACE + ".crdt_sum(increment)"),
        CAST("SUM(CAST(increment AS varint))", "SUM(CAST(increment AS varint))"),
        WITHOUT_JAR(
                "what Counter.value() asks of nodes without the jar, SUM(CAST(increment AS varint)), COUNT(*)",
                "SUM(CAST(increment AS varint)), COUNT(*)"),
        BUILT_IN("SUM(increment)", "SUM(increment)"),
        FETCH("the rows fetched, and added in the client", "increment");

        private final String title;
        private final String selection;

        Contestant(String title, String selection) {
            this.title = title;
            this.selection = selection;
        }
    }

    /** A case for each size of partition. */
    private enum Comparison {
        NATIVE_BUILT_IN("native-vs-built-in", Contestant.NATIVE, Contestant.BUILT_IN),
        SCRIPT_BUILT_IN("script-vs-built-in", Contestant.SCRIPT, Contestant.BUILT_IN),
        CAST_BUILT_IN("cast-vs-built-in", Contestant.CAST, Contestant.BUILT_IN),
        NATIVE_FETCH("native-vs-fetching", Contestant.NATIVE, Contestant.FETCH),
        WITHOUT_JAR_FETCH("without-jar-vs-fetching", Contestant.WITHOUT_JAR, Contestant.FETCH);

        private final String name;
        private final Contestant ours;
        private final Contestant rival;

        Comparison(String name, Contestant ours, Contestant rival) {
            this.name = name;
            this.ours = ours;
            this.rival = rival;
        }

        String caseName(Sums sums) {
            return "sum-" + sums.name() + '-' + name;
        }

        /** The size to which the goals apply is in the middle: a request's own cost does not hide the sum's there. */
        Case withGoal(Case measured, Sums sums) {
            if (!sums.name().equals("100k")) {
                return measured;
            }
            return switch (this) {
                case NATIVE_BUILT_IN -> measured.withGoal(0.95);
                case WITHOUT_JAR_FETCH -> measured.withGoal(1.0);
                case SCRIPT_BUILT_IN, CAST_BUILT_IN, NATIVE_FETCH -> measured;
            };
        }
    }

    /** The results of a contestant in one turn. CPU time is the node's and the client's. */
    private record Turn(double sumsASecond, double cpuMicrosARow) {}

    /** What is known of a contestant on one partition. */
    private static final class Standing {
        private final List<Turn> turns = new ArrayList<>();
        private long lastNanos;
        private String refusal = "";

        /** None if the server never answered. */
        double median(ToDoubleFunction<Turn> figure) {
            return turns.isEmpty()
                    ? 0
                    : Median.of(turns.stream().map(figure::applyAsDouble).toList());
        }
    }

    private final EmbeddedCassandra node;
    private final Workload workload;
    private final PrintStream out;
    private final CqlSession session;
    private final Map<Contestant, PreparedStatement> prepared = new EnumMap<>(Contestant.class);
    private final Random random = new Random(1);

    SumRace(EmbeddedCassandra node, Workload workload, PrintStream out) {
        this.node = node;
        this.workload = workload;
        this.out = out;
        this.session = Nodes.connect(List.of(node));
    }

    static List<String> cases(Workload workload) {
        List<String> names = new ArrayList<>();
        for (Sums sums : workload.sums()) {
            for (Comparison comparison : Comparison.values()) {
                names.add(comparison.caseName(sums));
            }
        }
        return names;
    }

    void run(Report report) {
        session.execute("CREATE KEYSPACE " + KEYSPACE + " WITH replication = {'class': 'NetworkTopologyStrategy', '"
                + node.localDatacenter() + "': 1}");
        session.execute(Counters.ddl(TABLE, IncrementType.BIGINT));
        CrdtFunctions.install(session, KEYSPACE, List.of("crdt_sum"));
        report.condition(
                "sums",
                "one client, one sum at a time. The rows, of " + ACTORS
                        + " actors in one partition, are not folded, and"
                        + " are flushed to disk. A sum on the server reads them in one page, as Counter.value() does;"
                        + " rows are fetched in pages of " + FETCHED_PAGE
                        + ". A contestant whose sum takes longer than the time to warm up has none");
        for (Sums sums : workload.sums()) {
            load(sums);
        }
        node.flush();
        for (Sums sums : workload.sums()) {
            report.condition("sums of " + sums.name(), sums.rows() + " rows; " + sums.pace());
            race(sums, report);
        }
    }

    private void load(Sums sums) {
        PreparedStatement insert =
                session.prepare("INSERT INTO " + TABLE + " (type, actor, version, increment) VALUES (?, ?, ?, ?)");
        Pipeline batches = new Pipeline(BATCHES_IN_FLIGHT);
        for (int row = 0; row < sums.rows(); ) {
            BatchStatementBuilder batch = BatchStatement.builder(BatchType.UNLOGGED);
            for (int end = Math.min(sums.rows(), row + ROWS_A_BATCH); row < end; row++) {
                batch.addStatement(insert.bind(sums.name(), "dc1/" + row % ACTORS, row / ACTORS + 1L, row + 1L));
            }
            BatchStatement full = batch.setIdempotence(true).build();
            batches.start(() -> session.executeAsync(full));
        }
        batches.drainWithoutFailure("the rows to sum");
        out.println("inserted: " + sums.rows() + " rows to sum");
    }

    private void race(Sums sums, Report report) {
        Map<Contestant, Standing> standings = new EnumMap<>(Contestant.class);
        List<Contestant> order = new ArrayList<>(List.of(Contestant.values()));
        for (int round = 0; round <= sums.pace().rounds(); round++) {
            Collections.shuffle(order, random);
            for (Contestant contestant : order) {
                Standing standing = standings.computeIfAbsent(contestant, first -> new Standing());
                String said = oneTurn(contestant, sums, standing, round > 0);
                out.printf(
                        Locale.ROOT,
                        "round %d/%d  %,d rows  %-92s %s%n",
                        round,
                        sums.pace().rounds(),
                        sums.rows(),
                        contestant.title,
                        said);
            }
        }
        for (Comparison comparison : Comparison.values()) {
            report.add(comparison.withGoal(
                    compare(
                            comparison,
                            sums,
                            Objects.requireNonNull(standings.get(comparison.ours)),
                            Objects.requireNonNull(standings.get(comparison.rival))),
                    sums));
        }
    }

    /** Returns what to print. */
    private String oneTurn(Contestant contestant, Sums sums, Standing standing, boolean counted) {
        try {
            // The round that is not counted warms up too.
            if (counted && standing.lastNanos < sums.pace().warmUp().toNanos()) {
                turn(contestant, sums, sums.pace().warmUp(), standing);
            }
            Turn turn = turn(contestant, sums, sums.pace().measured(), standing);
            if (counted) {
                standing.turns.add(turn);
            }
            return String.format(
                    Locale.ROOT, "%,12.2f sums/s  %8.3f CPU-us/row", turn.sumsASecond(), turn.cpuMicrosARow());
        } catch (DriverException e) {
            standing.refusal = String.valueOf(e.getMessage()).replaceAll("[\\s|]+", " ");
            return "refused: " + standing.refusal;
        }
    }

    private Turn turn(Contestant contestant, Sums sums, Duration time, Standing standing) {
        BigInteger expected = BigInteger.valueOf(sums.rows())
                .multiply(BigInteger.valueOf(sums.rows() + 1L))
                .shiftRight(1);
        long done = 0;
        long cpu = Nodes.cpuNanos(List.of(node));
        long start = System.nanoTime();
        long elapsed = 0;
        while (elapsed < time.toNanos()) {
            BigInteger sum = sum(contestant, sums);
            if (!sum.equals(expected)) {
                throw new IllegalStateException(contestant.title + " is wrong: " + sum + ", not " + expected);
            }
            long now = System.nanoTime() - start;
            standing.lastNanos = now - elapsed;
            elapsed = now;
            done++;
        }
        return new Turn(
                done / (elapsed / 1e9), (Nodes.cpuNanos(List.of(node)) - cpu) / 1e3 / ((double) done * sums.rows()));
    }

    private BigInteger sum(Contestant contestant, Sums sums) {
        // A function that the node does not know is refused when it is prepared.
        BoundStatement bound = prepared.computeIfAbsent(
                        contestant,
                        first -> session.prepare(
                                "SELECT " + contestant.selection + " FROM " + TABLE + " WHERE type = ?"))
                .bind(sums.name())
                .setIdempotent(true);
        if (contestant == Contestant.FETCH) {
            long sum = 0;
            for (Row row : session.execute(bound.setPageSize(FETCHED_PAGE))) {
                sum = Math.addExact(sum, row.getLong(0));
            }
            return BigInteger.valueOf(sum);
        }
        Row row = Objects.requireNonNull(session.execute(bound.setPageSize(Math.max(FIRST_PAGE, 2 * sums.rows())))
                .one());
        return new BigInteger(String.valueOf(row.getObject(0)));
    }

    private static Case compare(Comparison comparison, Sums sums, Standing ours, Standing rival) {
        double speed = ours.median(Turn::sumsASecond);
        double rivalsSpeed = rival.median(Turn::sumsASecond);
        String contestants = comparison.ours.title + " vs " + comparison.rival.title + refusal("the first", ours)
                + refusal("the second", rival);
        // Nothing is no better than nothing.
        double ratio = speed == 0 ? 0 : rivalsSpeed == 0 ? Double.MAX_VALUE : speed / rivalsSpeed;
        return new Case(comparison.caseName(sums), contestants, speed, rivalsSpeed, "sums/s", ratio, null, Map.of())
                .with("rows", sums.rows())
                .with("CPU-us/row", ours.median(Turn::cpuMicrosARow))
                .with("rival's CPU-us/row", rival.median(Turn::cpuMicrosARow));
    }

    private static String refusal(String who, Standing standing) {
        return standing.refusal.isEmpty()
                ? ""
                : "; " + who + " was refused by the server" + (standing.turns.isEmpty() ? "" : " in some turns") + ": "
                        + standing.refusal;
    }

    @Override
    public void close() {
        session.close();
    }
}
