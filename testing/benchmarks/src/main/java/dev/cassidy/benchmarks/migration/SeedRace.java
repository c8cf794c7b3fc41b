package dev.cassidy.benchmarks.migration;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import dev.cassidy.benchmarks.report.Case;
import dev.cassidy.benchmarks.report.Median;
import dev.cassidy.benchmarks.report.Report;
import dev.cassidy.cluster.Installation;
import dev.cassidy.embedded.EmbeddedCassandra;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.cassandra.CassidySchema;
import dev.cassidy.sequence.cassandra.Replication;
import dev.cassidy.sequence.cassandra.Sequences;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Random;

/**
 * {@code plan} and {@code seed} of many tables, as the command does it and one at a time. Each turn is a JVM of its own, with a
 * database of H2 in a file, and Cassidy's keyspaces new.
 */
final class SeedRace {

    static final String CASE = "seed-1000-tables-vs-one-at-a-time";
    static final String LIMIT = "seed-1000-tables";

    private static final double MAX_SECONDS = 30;
    private static final double NANOS_A_SECOND = 1e9;
    private static final int DEFAULT_PARALLELISM = 16;

    private record Turn(double seconds, double clientCpu, double nodeCpu) {
        double cpu() {
            return clientCpu + nodeCpu;
        }
    }

    private final EmbeddedCassandra node;
    private final int rounds;
    private final int tables;
    private final PrintStream out;

    /** @param rounds if more than one, a turn of ours comes before them, and is not counted */
    SeedRace(EmbeddedCassandra node, int rounds, int tables, PrintStream out) {
        this.node = node;
        this.rounds = rounds;
        this.tables = tables;
        this.out = out;
    }

    void run(Report report) throws IOException {
        report.condition(
                "seed",
                rounds + " rounds, in each of which both have a turn with " + tables
                        + " identity tables of H2 with 3 rows each, in changing order. Each turn is a new JVM (heap 256m) that runs plan"
                        + " --plan and then seed --plan --offline; the time is that of the JVM, with its start. Both use"
                        + " the command's own code: --parallelism " + DEFAULT_PARALLELISM + ", its default, and 1."
                        + " CPU seconds are those of the JVM and of the node");
        Path folder = Files.createTempDirectory("seed-race");
        try (CqlSession session = CqlSession.builder()
                .addContactPoint(node.contactPoint())
                .withLocalDatacenter(node.localDatacenter())
                .withConfigLoader(DriverConfigLoader.programmaticBuilder()
                        .withDuration(DefaultDriverOption.REQUEST_TIMEOUT, Duration.ofSeconds(60))
                        .build())
                .build()) {
            String source = fill(folder);
            List<Turn> together = new ArrayList<>();
            List<Turn> alone = new ArrayList<>();
            List<Boolean> order = new ArrayList<>(List.of(true, false));
            Random random = new Random(1);
            if (rounds > 1) {
                turn(session, folder, source, DEFAULT_PARALLELISM);
            }
            for (int round = 1; round <= rounds; round++) {
                Collections.shuffle(order, random);
                for (boolean ours : order) {
                    Turn turn = turn(session, folder, source, ours ? DEFAULT_PARALLELISM : 1);
                    (ours ? together : alone).add(turn);
                    out.printf(
                            Locale.ROOT,
                            "round %d/%d  %-20s %6.1f s  CPU %6.1f s client, %6.1f s node%n",
                            round,
                            rounds,
                            ours ? "seed" : "one at a time",
                            turn.seconds(),
                            turn.clientCpu(),
                            turn.nodeCpu());
                }
            }
            double seconds = Median.of(together.stream().map(Turn::seconds).toList());
            double cpu = Median.of(together.stream().map(Turn::cpu).toList());
            report.add(Case.lessIsBetter(
                            CASE,
                            "plan and seed of " + tables + " tables vs the same one at a time; RF 1",
                            seconds,
                            Median.of(alone.stream().map(Turn::seconds).toList()),
                            "s")
                    .with("CPU s", cpu)
                    .with(
                            "rival's CPU s",
                            Median.of(alone.stream().map(Turn::cpu).toList())));
            report.add(Case.atMost(LIMIT, "plan and seed of " + tables + " tables; RF 1", seconds, MAX_SECONDS, "s")
                    .with("CPU s", cpu));
        } finally {
            Programs.delete(folder);
        }
    }

    private String fill(Path folder) {
        String url = "jdbc:h2:file:" + folder.resolve("source");
        try (Connection connection = DriverManager.getConnection(url, "sa", "");
                Statement statement = connection.createStatement()) {
            for (int i = 1; i <= tables; i++) {
                statement.execute("CREATE TABLE t" + i
                        + " (id INT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, name VARCHAR(50))");
                statement.execute("INSERT INTO t" + i + " (name) VALUES ('a'), ('b'), ('c')");
            }
        } catch (SQLException e) {
            throw new IllegalStateException("cannot fill the source", e);
        }
        return url;
    }

    private Turn turn(CqlSession session, Path folder, String source, int parallelism) throws IOException {
        Replication replication = Replication.parse(node.localDatacenter() + ":1");
        SequencesConfig config = SequencesConfig.defaults().withGlobalKeyspace("seed_race_cassidy");
        CassidySchema.install(session, replication, config);
        long begun = System.nanoTime();
        long before = nodeNanos();
        String said = Programs.run(
                SeedClient.class.getName(),
                folder.resolve("plan").toString(),
                Integer.toString(parallelism),
                "--source-url",
                source,
                "--source-user",
                "sa",
                "--contact-points",
                node.host() + ":" + node.port(),
                "--local-dc",
                node.localDatacenter(),
                "--global-keyspace",
                config.globalKeyspace());
        double seconds = (System.nanoTime() - begun) / NANOS_A_SECOND;
        double nodeCpu = (nodeNanos() - before) / NANOS_A_SECOND;
        long clientNanos = said.lines()
                .filter(line -> line.startsWith("cpu "))
                .mapToLong(line -> Long.parseLong(line.substring("cpu ".length())))
                .findFirst()
                .orElseThrow();
        try (Sequences sequences = Sequences.open(session, config)) {
            long ready = sequences.admin().list().stream()
                    .filter(state -> state.ready() && state.next().orElse(0) == 4)
                    .count();
            if (ready != tables) {
                throw new IllegalStateException("continue at 4: " + ready + " of " + tables + " sequences");
            }
        }
        for (String keyspace : Installation.keyspaces(session, config)) {
            session.execute("DROP KEYSPACE " + keyspace);
        }
        Files.delete(folder.resolve("plan"));
        return new Turn(seconds, clientNanos / NANOS_A_SECOND, nodeCpu);
    }

    private long nodeNanos() {
        return ProcessHandle.of(node.pid())
                .flatMap(process -> process.info().totalCpuDuration())
                .orElse(Duration.ZERO)
                .toNanos();
    }
}
