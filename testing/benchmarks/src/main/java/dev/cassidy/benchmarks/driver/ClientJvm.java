package dev.cassidy.benchmarks.driver;

import dev.cassidy.embedded.EmbeddedCassandra;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A client of a race, which lives through all rounds, and works by {@link Turns}. */
final class ClientJvm implements AutoCloseable {

    private final Cluster cluster;
    private final String name;
    private final Process process;
    private final PrintWriter orders;
    private final BufferedReader answers;

    /**
     * @param main takes {@code NAME HOST PORT DATACENTER KEYSPACE}
     * @param jvm options, after those of the heap
     */
    ClientJvm(Cluster cluster, Class<?> main, String name, String keyspace, String classPath, List<String> jvm)
            throws IOException {
        this.cluster = cluster;
        this.name = name;
        EmbeddedCassandra node = cluster.contact();
        List<String> command = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xms256m", "-Xmx256m"));
        command.addAll(jvm);
        command.addAll(List.of(
                "-classpath",
                classPath,
                main.getName(),
                name,
                node.host(),
                Integer.toString(node.port()),
                node.localDatacenter(),
                keyspace));
        this.process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        this.orders = new PrintWriter(process.outputWriter(StandardCharsets.UTF_8), true);
        this.answers = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    /** @param work one that its main class knows */
    Turn turn(String work, Duration time, int threads) throws IOException {
        double nodesBefore = cluster.cpuMicros();
        orders.println(time.toMillis() + " " + threads + ' ' + work);
        for (String line = answers.readLine(); line != null; line = answers.readLine()) {
            if (line.startsWith("turn ")) {
                double[] figures = Arrays.stream(line.substring(5).split(" ", -1))
                        .mapToDouble(Double::parseDouble)
                        .toArray();
                double rows = figures[0];
                return new Turn(
                        figures[1],
                        figures[2] / rows / 1e3,
                        figures[3] / rows,
                        figures[4] / rows / 1e3,
                        (cluster.cpuMicros() - nodesBefore) / rows);
            }
        }
        throw new IllegalStateException(name + " ended in the middle of a turn; see standard error");
    }

    @Override
    public void close() throws IOException {
        orders.close();
        try {
            if (!process.waitFor(20, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
