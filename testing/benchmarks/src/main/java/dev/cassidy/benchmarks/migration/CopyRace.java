package dev.cassidy.benchmarks.migration;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.cassidy.benchmarks.report.Case;
import dev.cassidy.benchmarks.report.Median;
import dev.cassidy.benchmarks.report.Report;
import dev.cassidy.embedded.EmbeddedCassandra;
import dev.cassidy.migration.MigrationTool;
import java.io.IOException;
import java.io.PrintStream;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Random;

/**
 * {@code copy} from a database of H2 in a file, in a JVM that has the database too, beside the java-driver's concurrent inserts
 * of the same rows, made up in memory. Each turn is a JVM of its own and an empty table.
 */
final class CopyRace {

    static final String CASE = "copy-from-h2-vs-bare-async";

    private static final int BATCH = 1_000;
    private static final double NANOS_A_SECOND = 1e9;

    private final EmbeddedCassandra node;
    private final int rounds;
    private final int rows;
    private final PrintStream out;

    CopyRace(EmbeddedCassandra node, int rounds, int rows, PrintStream out) {
        this.node = node;
        this.rounds = rounds;
        this.rows = rows;
        this.out = out;
    }

    static String name(int row) {
        return "Product " + row;
    }

    static BigDecimal price(int row) {
        return BigDecimal.valueOf(row, 2);
    }

    void run(Report report) throws IOException {
        report.condition(
                "copy",
                rounds + " rounds, in each of which both have a turn with " + rows
                        + " rows, in changing order. Each turn is a new JVM (heap 256m) and an empty table with one replica;"
                        + " the time is from the first statement to the last answer, without the start of the JVM."
                        + " LOCAL_QUORUM, " + BareInsertClient.UNDER_WAY
                        + " writes under way. copy reads with 4 connections,"
                        + " computes checksums and keeps its state file on the disk; its comparison afterwards is not counted");
        Path folder = Files.createTempDirectory("copy-race");
        try (CqlSession session = CqlSession.builder()
                .addContactPoint(node.contactPoint())
                .withLocalDatacenter(node.localDatacenter())
                .withConfigLoader(DriverConfigLoader.programmaticBuilder()
                        .withDuration(DefaultDriverOption.REQUEST_TIMEOUT, Duration.ofSeconds(60))
                        .build())
                .build()) {
            session.execute("CREATE KEYSPACE IF NOT EXISTS copy_race WITH replication = {'class':"
                    + " 'NetworkTopologyStrategy', '" + node.localDatacenter() + "': 1}");
            session.execute("CREATE TABLE IF NOT EXISTS copy_race.product (id int PRIMARY KEY, name text, quantity int,"
                    + " price decimal)");
            String source = fill(folder);
            List<Double> copied = new ArrayList<>();
            List<Double> inserted = new ArrayList<>();
            List<Boolean> order = new ArrayList<>(List.of(true, false));
            Random random = new Random(1);
            // The first round warms the node up, and is not counted.
            for (int round = 0; round <= rounds; round++) {
                Collections.shuffle(order, random);
                for (boolean ours : order) {
                    session.execute("TRUNCATE copy_race.product");
                    double rate = ours ? copy(folder, source, round) : insert();
                    if (round > 0) {
                        (ours ? copied : inserted).add(rate);
                    }
                    out.printf(
                            Locale.ROOT,
                            "round %d/%d  %-20s %9.0f rows/s%n",
                            round,
                            rounds,
                            ours ? "copy" : "bare",
                            rate);
                }
            }
            report.add(Case.moreIsBetter(
                            CASE,
                            "copy from H2 vs the java-driver's concurrent inserts; RF 1",
                            Median.of(copied),
                            Median.of(inserted),
                            "rows/s")
                    .withGoal(0.5));
        } finally {
            Programs.delete(folder);
        }
    }

    private String fill(Path folder) {
        String url = "jdbc:h2:file:" + folder.resolve("source") + ";MODE=MSSQLServer;CASE_INSENSITIVE_IDENTIFIERS=TRUE";
        try (Connection connection = DriverManager.getConnection(url, "sa", "");
                Statement statement = connection.createStatement()) {
            statement.execute("RUNSCRIPT FROM 'classpath:dev/cassidy/migration/h2-sqlserver-catalog.sql'");
            statement.execute(
                    "CREATE TABLE [dbo].[Product] ([Id] INT NOT NULL PRIMARY KEY, [Name] NVARCHAR(50), [Quantity]"
                            + " INT, [Price] DECIMAL(10,2))");
            try (PreparedStatement insert =
                    connection.prepareStatement("INSERT INTO [dbo].[Product] VALUES (?, ?, ?, ?)")) {
                for (int i = 1; i <= rows; i++) {
                    insert.setInt(1, i);
                    insert.setString(2, name(i));
                    insert.setInt(3, i);
                    insert.setBigDecimal(4, price(i));
                    insert.addBatch();
                    if (i % BATCH == 0 || i == rows) {
                        insert.executeBatch();
                    }
                }
            }
        } catch (SQLException e) {
            throw new IllegalStateException("cannot fill the source", e);
        }
        return url;
    }

    private double copy(Path folder, String source, int round) throws IOException {
        String said = Programs.run(
                MigrationTool.class.getName(),
                "migrate",
                "copy",
                "--source-url",
                source,
                "--source-user",
                "sa",
                "--contact-points",
                node.host() + ":" + node.port(),
                "--local-dc",
                node.localDatacenter(),
                "--keyspace",
                "copy_race",
                "--state",
                folder.resolve("state" + round).toString(),
                "--output",
                "json");
        return new ObjectMapper().readTree(said).get("rowsPerSecond").asDouble();
    }

    private double insert() throws IOException {
        String said = Programs.run(
                BareInsertClient.class.getName(),
                node.host(),
                Integer.toString(node.port()),
                node.localDatacenter(),
                Integer.toString(rows));
        long nanos = said.lines()
                .filter(line -> line.startsWith("nanos "))
                .mapToLong(line -> Long.parseLong(line.substring("nanos ".length())))
                .findFirst()
                .orElseThrow();
        return rows / (nanos / NANOS_A_SECOND);
    }
}
