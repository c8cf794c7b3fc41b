package dev.cassidy.service;

import static org.awaitility.Awaitility.await;

import dev.cassidy.embedded.EmbeddedCassandra;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A service in a JVM of its own, started from its fat jar. */
final class BootService implements AutoCloseable {

    private static final Duration LONGEST_START = Duration.ofMinutes(5);
    private static final Pattern STARTED = Pattern.compile("Tomcat started on port (\\d+)");

    private final Process process;
    private final Path log;
    private final HttpClient http = HttpClient.newHttpClient();
    private int port;

    private BootService(Process process, Path log) {
        this.process = process;
        this.log = log;
    }

    /** @param keyspace for both kinds of sessions */
    static BootService start(Path jar, EmbeddedCassandra node, String keyspace, Path log) throws IOException {
        String address = node.host() + ":" + node.port();
        Process process = new ProcessBuilder(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx256m",
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-jar",
                        jar.toString(),
                        "--server.address=127.0.0.1",
                        "--server.port=0",
                        "--spring.datasource.url=jdbc:cassidy://" + address + "/" + keyspace + "?localDatacenter="
                                + node.localDatacenter(),
                        "--spring.cassandra.contact-points=" + address,
                        "--spring.cassandra.local-datacenter=" + node.localDatacenter(),
                        "--spring.cassandra.keyspace-name=" + keyspace,
                        "--spring.cassandra.request.timeout=10s",
                        "--cassidy.observed=true",
                        "--management.endpoints.web.exposure.include=health,metrics",
                        "--management.endpoint.health.show-details=always",
                        "--management.tracing.sampling.probability=1.0"))
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        BootService service = new BootService(process, log);
        try {
            await().atMost(LONGEST_START).until(() -> service.isStarted() || !process.isAlive());
            if (!process.isAlive()) {
                throw new IllegalStateException(
                        "the service ended with " + process.exitValue() + ":\n" + service.log());
            }
        } catch (RuntimeException e) {
            process.destroyForcibly();
            throw e;
        }
        return service;
    }

    private boolean isStarted() throws IOException {
        Matcher started = STARTED.matcher(log());
        if (!started.find()) {
            return false;
        }
        port = Integer.parseInt(started.group(1));
        return log().contains("Started ProofService");
    }

    String log() throws IOException {
        return Files.readString(log);
    }

    String get(String path) throws IOException, InterruptedException {
        return send(request(path).GET().build());
    }

    String post(String path, String json) throws IOException, InterruptedException {
        return send(request(path)
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(json))
                .build());
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path));
    }

    private String send(HttpRequest request) throws IOException, InterruptedException {
        HttpResponse<String> answer = http.send(request, BodyHandlers.ofString());
        if (answer.statusCode() != 200) {
            throw new IllegalStateException(
                    request.uri() + " answered " + answer.statusCode() + ": " + answer.body() + "\n" + log());
        }
        return answer.body();
    }

    /** Ends it as a platform does. */
    @Override
    public void close() throws InterruptedException {
        process.destroy();
        if (!process.waitFor(1, TimeUnit.MINUTES)) {
            process.destroyForcibly();
        }
    }
}
