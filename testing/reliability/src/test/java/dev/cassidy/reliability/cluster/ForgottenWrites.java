package dev.cassidy.reliability.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.Row;
import dev.cassidy.embedded.EmbeddedCassandra;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Measures which acknowledged writes a killed node (SIGKILL) forgets, by the form of its commit log and by when the log
 * is synced. Not part of a build: {@code -Dit.test=ForgottenWrites} runs it, {@code -Dcommitlog.kills=N} sets how often
 * each node is killed. It prints its results. The forms that sync before the answer must forget nothing.
 */
@Timeout(value = 6, unit = TimeUnit.HOURS)
class ForgottenWrites {

    private static final int KILLS = Integer.getInteger("commitlog.kills", 5);
    private static final int AT_LEAST = 100;

    @TempDir
    private static Path keys;

    /** The way in which the commit log is written. */
    private enum Log {
        MAPPED(Map.of("commitlog_disk_access_mode", "mmap")),
        DIRECT(Map.of("commitlog_disk_access_mode", "direct")),
        COMPRESSED(Map.of("commitlog_compression", "[{class_name: LZ4Compressor}]")),
        ENCRYPTED(Map.of());

        private final Map<String, String> yaml;

        Log(Map<String, String> yaml) {
            this.yaml = yaml;
        }

        Map<String, String> yaml() {
            return this == ENCRYPTED ? Map.of("transparent_data_encryption_options", encryption()) : yaml;
        }
    }

    /** The time at which the commit log is synced. */
    private enum Sync {
        EVERY_10_S(Map.of("commitlog_sync", "periodic", "commitlog_sync_period", "10s"), Duration.ofSeconds(10)),
        EVERY_60_S(Map.of("commitlog_sync", "periodic", "commitlog_sync_period", "60s"), Duration.ofSeconds(60)),
        GROUP(Map.of("commitlog_sync", "group", "commitlog_sync_group_window", "10ms"), Duration.ofSeconds(3)),
        BATCH(Map.of("commitlog_sync", "batch"), Duration.ofSeconds(3));

        private final Map<String, String> yaml;
        private final Duration longestLife;

        Sync(Map<String, String> yaml, Duration longestLife) {
            this.yaml = yaml;
            this.longestLife = longestLife;
        }

        boolean beforeTheAnswer() {
            return this == GROUP || this == BATCH;
        }
    }

    static Stream<Arguments> everyLogAndSync() {
        return Stream.of(Log.values()).flatMap(log -> Stream.of(Sync.values()).map(sync -> Arguments.of(log, sync)));
    }

    /** An acknowledged row, and the time of the acknowledgement. */
    private record Written(long id, long at) {}

    /**
     * The writes of one kind that one kill has lost.
     *
     * @param millisBack the time from the acknowledgement of the first lost write to the last acknowledgement; 0 if
     *     none was lost
     */
    private record Loss(int acknowledged, int lost, long millisBack) {}

    @ParameterizedTest
    @MethodSource("everyLogAndSync")
    void shouldForgetNoWriteThatWasSyncedBeforeTheAnswer(Log log, Sync sync) throws Exception {
        List<Loss> plain = new ArrayList<>();
        List<Loss> conditional = new ArrayList<>();
        EmbeddedCassandra.Builder builder = EmbeddedCassandra.builder();
        builder.requestTimeout(Clients.PATIENT_NODE);
        log.yaml().forEach(builder::yaml);
        sync.yaml.forEach(builder::yaml);
        try (EmbeddedCassandra node = builder.start()) {
            try (CqlSession session = Clients.connect(node)) {
                session.execute(
                        "CREATE KEYSPACE kills WITH replication = {'class': 'NetworkTopologyStrategy', 'dc1': 1}");
                for (String table : List.of("plain", "conditional")) {
                    session.execute("CREATE TABLE kills." + table + " (life int, id bigint, PRIMARY KEY (life, id))");
                }
            }
            // A clean restart writes everything to disk, so that a kill then loses only rows, not the tables.
            node.restart();
            Random random = new Random();
            for (int life = 0; life < KILLS; life++) {
                long lifetime = random.nextLong(sync.longestLife.toNanos());
                measure(node, life, lifetime, plain, conditional);
            }
        }
        System.out.printf("| %s | %s | %s | %s |%n", log, sync, summary(plain), summary(conditional));
        if (sync.beforeTheAnswer()) {
            assertThat(plain).extracting(Loss::lost).containsOnly(0);
            assertThat(conditional).extracting(Loss::lost).containsOnly(0);
        }
    }

    private static void measure(
            EmbeddedCassandra node, int life, long lifetime, List<Loss> plain, List<Loss> conditional)
            throws Exception {
        Queue<Written> insertedPlainly = new ConcurrentLinkedQueue<>();
        Queue<Written> insertedOnCondition = new ConcurrentLinkedQueue<>();
        try (CqlSession session = Clients.connect(node)) {
            CompletableFuture<Void> one =
                    write(session, "INSERT INTO kills.plain (life, id) VALUES (?, ?)", life, insertedPlainly);
            CompletableFuture<Void> two = write(
                    session,
                    "INSERT INTO kills.conditional (life, id) VALUES (?, ?) IF NOT EXISTS",
                    life,
                    insertedOnCondition);
            long start = System.nanoTime();
            while (System.nanoTime() - start < lifetime
                    || insertedPlainly.size() < AT_LEAST
                    || insertedOnCondition.size() < AT_LEAST) {
                assertThat(CompletableFuture.anyOf(one, two)).isNotDone();
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
            }
            node.kill();
            CompletableFuture.allOf(one, two).get(10, TimeUnit.MINUTES);
        }
        node.restart();
        try (CqlSession session = Clients.connect(node)) {
            plain.add(loss(session, "plain", life, insertedPlainly));
            conditional.add(loss(session, "conditional", life, insertedOnCondition));
        }
    }

    /** Writes one row after another, each after the acknowledgement of the previous one, until the node is gone. */
    private static CompletableFuture<Void> write(
            CqlSession session, String cql, int life, Queue<Written> acknowledged) {
        PreparedStatement insert = session.prepare(cql);
        return CompletableFuture.runAsync(() -> {
            try {
                for (long id = 0; ; id++) {
                    session.execute(insert.bind(life, id));
                    acknowledged.add(new Written(id, System.nanoTime()));
                }
            } catch (DriverException e) {
                // The node was killed.
            }
        });
    }

    private static Loss loss(CqlSession session, String table, int life, Queue<Written> acknowledged) {
        Set<Long> found = new HashSet<>();
        for (Row row : session.execute("SELECT id FROM kills." + table + " WHERE life = " + life)) {
            found.add(row.getLong("id"));
        }
        List<Written> lost =
                acknowledged.stream().filter(row -> !found.contains(row.id())).toList();
        long last = acknowledged.stream().mapToLong(Written::at).max().orElseThrow();
        long first = lost.stream().mapToLong(Written::at).min().orElse(last);
        return new Loss(acknowledged.size(), lost.size(), TimeUnit.NANOSECONDS.toMillis(last - first));
    }

    private static String summary(List<Loss> losses) {
        return losses.stream()
                .map(loss -> loss.lost() + " of " + loss.acknowledged() + " (" + loss.millisBack() + " ms)")
                .toList()
                .toString();
    }

    private static String encryption() {
        Path store = keys.resolve("keys.jceks");
        try {
            if (!store.toFile().exists()) {
                Process keytool = new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "keytool")
                                        .toString(),
                                "-genseckey",
                                "-keyalg",
                                "AES",
                                "-keysize",
                                "128",
                                "-storetype",
                                "JCEKS",
                                "-keystore",
                                store.toString(),
                                "-storepass",
                                "secret-1",
                                "-keypass",
                                "secret-1",
                                "-alias",
                                "log")
                        .inheritIO()
                        .start();
                assertThat(keytool.waitFor()).isZero();
            }
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
        return "{enabled: true, chunk_length_kb: 64, cipher: AES/CBC/PKCS5Padding, key_alias: log, key_provider:"
                + " [{class_name: org.apache.cassandra.security.JKSKeyProvider, parameters: [{keystore: '" + store
                + "', keystore_password: secret-1, store_type: JCEKS, key_password: secret-1}]}]}";
    }
}
