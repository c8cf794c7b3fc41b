package dev.cassidy.benchmarks.driver;

import dev.cassidy.benchmarks.Benchmark;
import dev.cassidy.benchmarks.report.Case;
import dev.cassidy.benchmarks.report.Machine;
import dev.cassidy.benchmarks.report.Report;
import dev.cassidy.embedded.EmbeddedCassandra;
import dev.cassidy.embedded.EmbeddedCluster;
import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/** Every promise of the driver is a case here, under a fixed name. */
public final class DriverBenchmark implements Benchmark {

    private static final String SERVER_OPTION = "-XX:TieredStopAtLevel=4";
    private static final int THREE = 3;

    /** Nodes of each of two datacenters: three of four are a majority of all, so it has some of both. */
    private static final int PER_DATACENTER = 2;

    private static final Duration APART = Duration.ofMillis(40);
    private static final double MAX_NANOS_OF_RULES = 100;

    /** The most that rewriting may cost, as a share of the bare driver's insert. */
    private static final double MAX_SHARE_OF_REWRITING = 0.03;

    private static final List<Integer> REPLICAS = List.of(1, THREE);

    /** What of it runs. The parts with fewer contestants have more rounds, and take less than five minutes in their short form. */
    public enum Part {
        ALL("driver"),
        /** Single rows, beside the bare java-driver. */
        ROWS("driver-rows"),
        /** Single rows on three nodes, beside the bare java-driver. */
        ROWS_ON_THREE_NODES("driver-rows-3-nodes"),
        /** Batches on one node, beside the bare java-driver. */
        BATCHES("driver-batches"),
        /** Batches on three nodes, beside the bare java-driver. */
        BATCHES_ON_THREE_NODES("driver-batches-3-nodes"),
        /** Writes of exact tables on one node and on three, beside plain ones and beside CQL by hand. */
        EXACT("driver-exact"),
        /** Statements that are evaluated in the client, on one node and on three, beside reads by hand. */
        ASSIST("driver-assist"),
        /** The cost of the rules of columns, in the process. */
        RULES("driver-rules"),
        /** Transactions on exact tables, on one node and on three, beside logged batches by hand and beside ScalarDB. */
        TRANSACTIONS("driver-transactions"),
        /** The same with one thread on two datacenters that are 40 ms apart, where a table's home decides, or all do. */
        TRANSACTIONS_APART("driver-transactions-2-datacenters");

        private final String benchmark;

        Part(String benchmark) {
            this.benchmark = benchmark;
        }

        /** Returns the name of the benchmark that runs it. */
        public String benchmark() {
            return benchmark;
        }
    }

    private final Part part;
    private final boolean shortForm;
    private final PrintStream out;

    public DriverBenchmark(Part part, boolean shortForm, PrintStream out) {
        this.part = part;
        this.shortForm = shortForm;
        this.out = out;
    }

    @Override
    public String title() {
        return "The JDBC driver beside the bare java-driver and ING's wrapper";
    }

    @Override
    public List<String> required() {
        List<String> required = new ArrayList<>();
        List<String> rows = List.of(
                "jdbc-insert-1-thread-vs-bare-sync",
                "jdbc-insert-8-threads-vs-bare-sync",
                "jdbc-insert-extra-cpu",
                "jdbc-insert-extra-cpu-of-callers",
                "jdbc-insert-extra-allocation");
        List<String> batches = List.of("jdbc-batch100-vs-bare-async", "jdbc-batch100-warnings");
        if (part == Part.ALL || part == Part.ROWS) {
            required.addAll(rows);
        }
        if (part == Part.ALL || part == Part.BATCHES) {
            required.addAll(batches);
        }
        for (int replicas : REPLICAS) {
            if (part == Part.ALL || part == Part.ROWS_ON_THREE_NODES) {
                rows.forEach(name -> required.add(Cluster.caseName(name, THREE, replicas)));
            }
            if (part == Part.ALL || part == Part.BATCHES_ON_THREE_NODES) {
                batches.forEach(name -> required.add(Cluster.caseName(name, THREE, replicas)));
            }
        }
        if (part == Part.ALL || part == Part.EXACT) {
            required.addAll(ExactRace.caseNames());
            ExactRace.caseNames().forEach(name -> required.add(Cluster.caseName(name, THREE, THREE)));
        }
        if (part == Part.ASSIST) {
            required.addAll(AssistRace.caseNames());
            AssistRace.caseNames().forEach(name -> required.add(Cluster.caseName(name, THREE, THREE)));
        }
        if (part == Part.TRANSACTIONS) {
            required.addAll(TransactionRace.caseNames());
            TransactionRace.caseNames().forEach(name -> required.add(Cluster.caseName(name, THREE, THREE)));
        }
        if (part == Part.TRANSACTIONS_APART) {
            TransactionRace.caseNamesApart().forEach(name -> required.add(Cluster.apart(name)));
        }
        if (part == Part.ALL || part == Part.RULES) {
            required.addAll(List.of("rules-table-of-cql", "rules-length-and-not-null", "rules-decimal"));
        }
        if (part == Part.ALL) {
            required.addAll(List.of(
                    "jdbc-batch100-vs-ing-row-by-row",
                    "jdbc-batch100-vs-ing-batch100",
                    "jdbc-insert-1-thread-vs-ing",
                    "jdbc-insert-8-threads-vs-ing",
                    "rewrite-cql-text",
                    "rewrite-tsql-text",
                    "closure-megabytes"));
        }
        return required;
    }

    @Override
    public void run(Report report) throws IOException {
        report.condition("form", shortForm ? "short (-Dshort)" : "full");
        report.condition("machine", Machine.description());
        if (part == Part.ALL) {
            closure(report);
        }
        if (part == Part.TRANSACTIONS_APART) {
            onTwoDatacenters(report);
            return;
        }
        if (part != Part.ROWS_ON_THREE_NODES && part != Part.BATCHES_ON_THREE_NODES) {
            onOneNode(report);
        }
        if (part != Part.ROWS && part != Part.BATCHES && part != Part.RULES) {
            onThreeNodes(report);
        }
    }

    private static void closure(Report report) throws IOException {
        String closure = System.getProperty("driver-shim.closure", "");
        if (closure.isEmpty()) {
            return;
        }
        double bytes = Arrays.stream(Files.readString(Path.of(closure)).trim().split(File.pathSeparator, -1))
                .mapToLong(entry -> size(Path.of(entry)))
                .sum();
        report.add(Case.atMost(
                "closure-megabytes", "what driver-shim brings along, vs the limit", bytes / (1 << 20), 15, "MiB"));
    }

    /** A module of the same build may still be a folder of classes. */
    private static long size(Path entry) {
        try (Stream<Path> files = Files.walk(entry)) {
            return files.filter(Files::isRegularFile)
                    .mapToLong(file -> file.toFile().length())
                    .sum();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** @param insertMicros CPU time of the bare driver's insert, by this machine in this run */
    private void rewriting(Report report, double insertMicros) {
        report.condition(
                "rewriting",
                "JMH, average time of a call on one thread, on a plain text of 5 columns; the limit is "
                        + MAX_SHARE_OF_REWRITING + " of the client's CPU for the bare driver's insert at 8 threads");
        double limit = MAX_SHARE_OF_REWRITING * insertMicros * 1_000;
        report.add(Case.atMost(
                "rewrite-cql-text",
                "recognise a CQL insert and give it its id, vs the limit",
                nanos(Rewriting.class, "cqlText"),
                limit,
                "ns"));
        report.add(Case.atMost(
                "rewrite-tsql-text",
                "recognise and normalise a T-SQL insert, vs the limit",
                nanos(Rewriting.class, "tsqlText"),
                limit,
                "ns"));
    }

    private void rules(Report report, EmbeddedCassandra node) {
        report.condition(
                "rules",
                "JMH, average time in which one thread fills a bound INSERT of three columns, before it is sent: beside an"
                        + " installation that has no tables, which looks at nothing");
        InetSocketAddress contact = node.contactPoint();
        try {
            Rules.install(contact, node.localDatacenter());
        } catch (SQLException e) {
            throw new IllegalStateException("the tables of the rules cannot be made", e);
        }
        String[] options = {
            "-D" + Rules.ADDRESS + '=' + contact.getHostString(),
            "-D" + Rules.PORT + '=' + contact.getPort(),
            "-D" + Rules.DATACENTER + '=' + node.localDatacenter()
        };
        double nothing = nanos(Rules.class, "noTableIsDefined", options);
        List<String> names = List.of("rules-table-of-cql", "rules-length-and-not-null", "rules-decimal");
        List<String> methods = List.of("tableOfCql", "lengthAndNotNull", "decimalToo");
        List<String> texts = List.of(
                "a table of CQL beside tables with rules",
                "NOT NULL and the length of a text",
                "NOT NULL, the length of a text, and a decimal");
        for (int i = 0; i < names.size(); i++) {
            double nanos = nanos(Rules.class, methods.get(i), options);
            report.add(Case.atMost(
                            names.get(i),
                            texts.get(i) + ": what is added to a statement that nothing looks at, vs the limit",
                            Math.max(0, nanos - nothing),
                            MAX_NANOS_OF_RULES,
                            "ns")
                    .with("whole, ns", nanos)
                    .with("without, ns", nothing));
        }
    }

    private double nanos(Class<?> of, String benchmark, String... jvm) {
        TimeValue iteration = TimeValue.milliseconds(shortForm ? 400 : 1_000);
        try {
            RunResult result = new Runner(new OptionsBuilder()
                            .include(of.getName() + '.' + benchmark + '$')
                            .jvmArgsAppend(jvm)
                            .forks(3)
                            .warmupIterations(5)
                            .warmupTime(iteration)
                            .measurementIterations(5)
                            .measurementTime(iteration)
                            .shouldFailOnError(true)
                            .verbosity(VerboseMode.SILENT)
                            .build())
                    .runSingle();
            return result.getPrimaryResult().getStatistics().getPercentile(50);
        } catch (RunnerException e) {
            throw new IllegalStateException(benchmark + " did not run", e);
        }
    }

    private void onOneNode(Report report) throws IOException {
        report.condition(
                "node", "one embedded Cassandra, RF 1, heap 1g, " + SERVER_OPTION + ", commitlog_sync periodic");
        try (EmbeddedCassandra node = EmbeddedCassandra.builder()
                .heap("1g")
                .jvmOption(SERVER_OPTION)
                .yaml("commitlog_sync", "periodic")
                .yaml("commitlog_sync_period", "10000ms")
                // A machine that stands still for two seconds would otherwise end the race.
                .yaml("write_request_timeout", "20000ms")
                .yaml("read_request_timeout", "20000ms")
                .yaml("cas_contention_timeout", "20000ms")
                .start()) {
            if (part == Part.ALL || part == Part.RULES) {
                rules(report, node);
            }
            if (part == Part.RULES) {
                return;
            }
            if (part == Part.ALL || part == Part.EXACT) {
                race(report, new Cluster(List.of(node), 1));
            }
            if (part == Part.EXACT) {
                return;
            }
            if (part == Part.TRANSACTIONS) {
                transactions(report, new Cluster(List.of(node), 1));
                return;
            }
            if (part == Part.ASSIST) {
                assisted(report, new Cluster(List.of(node), 1));
                return;
            }
            Set<InsertRace.Contestant> contestants =
                    switch (part) {
                        case ALL -> InsertRace.available();
                        case ROWS -> InsertRace.Contestant.ROWS;
                        default -> InsertRace.Contestant.BATCHES;
                    };
            double insertMicros = race(report, new Cluster(List.of(node), 1), contestants);
            if (part == Part.ALL) {
                rewriting(report, insertMicros);
            }
        }
    }

    private void onThreeNodes(Report report) throws IOException {
        report.condition(
                "nodes",
                "three embedded Cassandras, heap 512m each, " + SERVER_OPTION
                        + ", commitlog_sync periodic, 32 concurrent reads and writes");
        try (EmbeddedCluster cluster = cluster().datacenter("dc1", THREE).start()) {
            if (part == Part.ALL || part == Part.EXACT) {
                race(report, new Cluster(cluster.nodes(), THREE));
            }
            if (part == Part.EXACT) {
                return;
            }
            if (part == Part.TRANSACTIONS) {
                transactions(report, new Cluster(cluster.nodes(), THREE));
                return;
            }
            if (part == Part.ASSIST) {
                assisted(report, new Cluster(cluster.nodes(), THREE));
                return;
            }
            Set<InsertRace.Contestant> contestants =
                    switch (part) {
                        case ALL -> InsertRace.Contestant.ROWS_AND_BATCHES;
                        case ROWS_ON_THREE_NODES -> InsertRace.Contestant.ROWS;
                        default -> InsertRace.Contestant.BATCHES;
                    };
            for (int replicas : REPLICAS) {
                race(report, new Cluster(cluster.nodes(), replicas), contestants);
            }
        }
    }

    private void onTwoDatacenters(Report report) throws IOException {
        report.condition(
                "datacenters",
                "two of " + PER_DATACENTER + " embedded Cassandras each, " + APART.toMillis()
                        + " ms from one to the other and back, heap 512m each, " + SERVER_OPTION
                        + ", commitlog_sync periodic. Clients are in the first one, which is the home of the tables; clients of"
                        + " the second one are not measured: a client reaches all nodes at once here");
        try (EmbeddedCluster cluster = cluster()
                .datacenter("dc1", PER_DATACENTER)
                .datacenter("dc2", PER_DATACENTER)
                .roundTripBetweenDatacenters(APART)
                .start()) {
            transactions(report, new Cluster(cluster.nodes(), PER_DATACENTER));
        }
    }

    /** Returns a builder of clusters, without its nodes. */
    private static EmbeddedCluster.Builder cluster() {
        return EmbeddedCluster.builder()
                .heap("512m")
                .jvmOption(SERVER_OPTION)
                .yaml("commitlog_sync", "periodic")
                .yaml("commitlog_sync_period", "10000ms")
                .yaml("write_request_timeout", "20000ms")
                .yaml("read_request_timeout", "20000ms")
                .yaml("cas_contention_timeout", "20000ms")
                // A cluster for tests has less.
                .yaml("concurrent_reads", "32")
                .yaml("concurrent_writes", "32")
                .yaml("memtable_heap_space", "128MiB")
                .yaml("memtable_offheap_space", "128MiB")
                .yaml("commitlog_segment_size", "32MiB")
                .yaml("commitlog_total_space", "512MiB");
    }

    private void race(Report report, Cluster cluster) throws IOException {
        Pace pace = shortForm ? pace(11, 3, 150, 400) : pace(41, 10, 200, 600);
        try (ExactRace race = new ExactRace(cluster, List.of(), pace, out)) {
            race.run(report);
        }
    }

    private void assisted(Report report, Cluster cluster) throws IOException {
        try (AssistRace race =
                new AssistRace(cluster, shortForm ? pace(15, 10, 150, 500) : pace(41, 20, 200, 800), out)) {
            race.run(report);
        }
    }

    private void transactions(Report report, Cluster cluster) throws IOException {
        // A transaction over two datacenters takes half a second.
        Pace pace = cluster.isApart()
                ? shortForm ? pace(5, 3, 200, 3_000) : pace(15, 10, 200, 5_000)
                : shortForm ? pace(11, 3, 200, 600) : pace(41, 10, 300, 1_000);
        try (TransactionRace race = new TransactionRace(cluster, List.of(), pace, out)) {
            race.run(report);
        }
    }

    /** Returns the client's CPU time of the bare driver's insert at 8 threads, in microseconds; 0 if that did not race. */
    private double race(Report report, Cluster cluster, Set<InsertRace.Contestant> contestants) throws IOException {
        // Many short rounds: other load of the machine and the nodes changes within seconds.
        Pace pace =
                switch (part) {
                    case ALL -> shortForm ? pace(15, 15, 300, 700) : pace(41, 30, 500, 1_500);
                    case ROWS_ON_THREE_NODES -> shortForm ? pace(25, 20, 200, 600) : pace(75, 45, 300, 900);
                    case ROWS -> shortForm ? pace(45, 15, 200, 600) : pace(135, 30, 200, 600);
                    case BATCHES, ASSIST, EXACT, RULES, TRANSACTIONS, TRANSACTIONS_APART ->
                        shortForm ? pace(25, 30, 200, 600) : pace(45, 60, 500, 1_500);
                    case BATCHES_ON_THREE_NODES -> shortForm ? pace(15, 20, 200, 600) : pace(45, 60, 500, 1_500);
                };
        try (InsertRace race = new InsertRace(cluster, contestants, List.of(), pace, out)) {
            race.run(report);
            return race.bareInsertMicros();
        }
    }

    private static Pace pace(int rounds, int compilingSeconds, int warmUpMillis, int measuredMillis) {
        return new Pace(
                rounds,
                Duration.ofSeconds(compilingSeconds),
                Duration.ofMillis(warmUpMillis),
                Duration.ofMillis(measuredMillis));
    }
}
