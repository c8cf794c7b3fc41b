package dev.cassidy.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.uuid.Uuids;
import dev.cassidy.SharedNode;
import dev.cassidy.async.StandingWrites;
import dev.cassidy.cluster.BlockingCalls;
import dev.cassidy.embedded.EmbeddedCassandra;
import dev.cassidy.lwt.ConditionalStatements;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.cassandra.CassidySchema;
import dev.cassidy.sequence.cassandra.InternalAccess;
import dev.cassidy.sequence.cassandra.Replication;
import dev.cassidy.sequence.cassandra.Sequences;
import dev.cassidy.sequence.store.ChangeLog;
import java.io.BufferedReader;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Contracts that several instances change at once, on a real node; what must be stored is counted beside it. {@code
 * -Dcassidy.contracts=200} is the long form, in which each is a process.
 */
class ContractsIT {

    private static final SequencesConfig CONFIG = ContractsProgram.CONFIG;
    private static final int INSTANCES = 4;
    private static final int TABLES = Integer.getInteger("cassidy.contracts", 20);

    /** In the long form, those that change them are processes of their own. */
    private static final boolean PROCESSES = Integer.getInteger("cassidy.contracts") != null;

    @Test
    void shouldLoseAndMixNoneOfTheChangesThatInstancesMakeAtOnce() throws Exception {
        EmbeddedCassandra node = SharedNode.get();
        List<Sequences> instances = new ArrayList<>();
        ExecutorService threads = Executors.newFixedThreadPool(INSTANCES);
        try (CqlSession session = CqlSession.builder()
                .addContactPoint(node.contactPoint())
                .withLocalDatacenter(node.localDatacenter())
                .build()) {
            CassidySchema.install(session, Replication.parse(node.localDatacenter() + ":1"), CONFIG);
            for (int i = 0; i < INSTANCES; i++) {
                instances.add(Sequences.open(session, CONFIG));
            }
            instances.get(0).create(SequenceSpec.of("shared"));
            List<Future<?>> running = new ArrayList<>();
            for (int i = 0; i < INSTANCES; i++) {
                int instance = i;
                running.add(threads.submit(() -> {
                    if (PROCESSES) {
                        runProcess(node, instance);
                    } else {
                        ContractsProgram.change(instances.get(instance), instance, TABLES);
                    }
                    return null;
                }));
            }
            for (Future<?> each : running) {
                each.get(5, TimeUnit.MINUTES);
            }

            Map<String, Set<String>> wanted = new TreeMap<>();
            for (int table = 0; table < TABLES; table++) {
                Set<String> all = new HashSet<>(Set.of("identity id"));
                for (int instance = 0; instance < INSTANCES; instance++) {
                    all.add("default of kept" + instance);
                }
                wanted.put("t" + table, all);
            }
            for (Sequences instance : instances) {
                TableRegistry tables = InternalAccess.tables(instance);
                await().atMost(Duration.ofMinutes(1)).untilAsserted(() -> assertThat(known(tables, wanted.keySet()))
                        .isEqualTo(wanted));
            }
            assertThat(rows(session, "contracts_it_" + node.localDatacenter()))
                    .as("the datacenter's copies")
                    .isEqualTo(rows(session, "contracts_it"));
            // Each change that took effect raised the revision by one: an identity's claim and its completion, and per
            // instance two defaults and a drop.
            assertThat(session.execute("SELECT revision FROM contracts_it.contracts")
                            .all())
                    .hasSize(TABLES)
                    .allMatch(row -> row.getInt("revision") == 2 + 3 * INSTANCES);
        } finally {
            threads.shutdownNow();
            instances.forEach(Sequences::close);
        }
    }

    /** A replica that lags behind, or this datacenter's copy, may return it. */
    @Test
    void shouldKeepALaterRevisionWhenItReadsAnEarlierOne() {
        EmbeddedCassandra node = SharedNode.get();
        SequencesConfig config = CONFIG.withGlobalKeyspace("contracts_lag_it");
        try (CqlSession session = CqlSession.builder()
                .addContactPoint(node.contactPoint())
                .withLocalDatacenter(node.localDatacenter())
                .build()) {
            CassidySchema.install(session, Replication.parse(node.localDatacenter() + ":1"), config);
            Contracts contracts = contracts(session, node, "contracts_lag_it", new Silent());
            TableName name = new TableName("shop", "album");
            for (String column : List.of("a", "b")) {
                contracts
                        .change(
                                name,
                                ContractChanges.Telling.HINT,
                                found -> found.withDefault(ContractsProgram.constant("album", column)))
                        .toCompletableFuture()
                        .join();
            }
            TableContract later = contracts.cached(name);
            assertThat(later).isNotNull();
            session.execute("UPDATE contracts_lag_it.contracts SET revision = 1, defaults = [] WHERE keyspace_name ="
                    + " 'shop' AND table_name = 'album' IF revision = 2");

            contracts.changed("shop.album").toCompletableFuture().join();
            contracts.find(name).toCompletableFuture().join();
            contracts.loadAnew().toCompletableFuture().join();

            assertThat(contracts.cached(name)).isEqualTo(later);
            ContractChanges changes = new ContractChanges(
                    ConditionalStatements.acrossDatacenters(session, Duration.ofMinutes(1)),
                    ConditionalStatements.withinDatacenter(session, Duration.ofMinutes(1)),
                    "contracts_lag_it",
                    "contracts_lag_it_" + node.localDatacenter(),
                    new Silent(),
                    new StandingWrites(() -> Duration.ZERO, (task, delay) -> {}, System::nanoTime));
            TableContract earlier = TableContract.none("shop", "album")
                    .withDefault(ContractsProgram.constant("album", "z"))
                    .orElseThrow();
            changes.copy(earlier, ContractChanges.Telling.HINT)
                    .toCompletableFuture()
                    .join();
            assertThat(contracts.copies().toCompletableFuture().join())
                    .as("the datacenter's copy")
                    .containsExactly(later);
        }
    }

    /** As a process leaves it that ends between the two writes of an announcement: nobody reads the entry then. */
    @Test
    void shouldAnnounceAgainWhatIsEnteredAndNotMarked() {
        EmbeddedCassandra node = SharedNode.get();
        SequencesConfig config = CONFIG.withGlobalKeyspace("contracts_mark_it");
        try (CqlSession session = CqlSession.builder()
                .addContactPoint(node.contactPoint())
                .withLocalDatacenter(node.localDatacenter())
                .build()) {
            CassidySchema.install(session, Replication.parse(node.localDatacenter() + ":1"), config);
            Silent log = new Silent();
            Contracts contracts = contracts(session, node, "contracts_mark_it", log);
            ContractChanges.Step step = found -> found.withDefault(ContractsProgram.constant("album", "a"));
            TableName name = new TableName("shop", "album");
            contracts
                    .change(name, ContractChanges.Telling.HINT, step)
                    .toCompletableFuture()
                    .join();
            UUID id = Uuids.timeBased();
            log.entries = List.of(new ChangeLog.Entry(id, Instant.EPOCH, name.change()));
            log.announced.clear();

            contracts
                    .change(name, ContractChanges.Telling.HINT, step)
                    .toCompletableFuture()
                    .join();
            log.mark = id;
            contracts
                    .change(name, ContractChanges.Telling.HINT, step)
                    .toCompletableFuture()
                    .join();

            assertThat(log.announced).containsExactly(ChangeLog.Level.GLOBAL, ChangeLog.Level.DATACENTER);
        }
    }

    /** A plain write by a clock that is ahead would hide every exact one. */
    @Test
    void shouldOpenATableForExactWritesAfterItsWaitAndOnlyIfProcessesWereTold() {
        EmbeddedCassandra node = SharedNode.get();
        SequencesConfig config = CONFIG.withGlobalKeyspace("contracts_wait_it");
        try (CqlSession session = CqlSession.builder()
                .addContactPoint(node.contactPoint())
                .withLocalDatacenter(node.localDatacenter())
                .build()) {
            CassidySchema.install(session, Replication.parse(node.localDatacenter() + ":1"), config);
            Silent log = new Silent();
            Contracts contracts = contracts(session, node, "contracts_wait_it", log);
            TableName name = new TableName("shop", "album");
            List<Duration> waits = new ArrayList<>();
            List<Boolean> changing = new ArrayList<>();
            AtomicReference<Runnable> meanwhile = new AtomicReference<>(() -> {});
            CompletionStage<Void> done = CompletableFuture.completedFuture(null);
            TableRegistry tables = new TableRegistry(
                    contracts,
                    config,
                    () -> CompletableFuture.completedFuture(Map.of()),
                    "datacenter1",
                    sequence -> done,
                    () -> done,
                    (task, delay) -> {
                        waits.add(delay);
                        changing.add(contracts.cached(name).writes().changing());
                        meanwhile.get().run();
                        task.run();
                    },
                    new BlockingCalls(config));
            TableWrites exact = new TableWrites("shop", "album", "", null, false);

            log.failure = new IllegalStateException("nobody is told");
            assertThatThrownBy(() -> tables.declareWrites(exact, Duration.ofSeconds(7), () -> {}))
                    .isInstanceOf(SequenceException.Unavailable.class)
                    .hasMessageContaining("could not be told");
            assertThat(waits).isEmpty();
            log.failing = Set.of(ChangeLog.Level.DATACENTER);
            assertThatThrownBy(() -> tables.declareWrites(exact, Duration.ofSeconds(7), () -> {}))
                    .as("processes of this datacenter")
                    .hasMessageContaining("could not be told");
            assertThat(waits).isEmpty();
            log.failure = null;
            // Nobody is told that the change is complete: processes would go on to refuse writes for hours.
            meanwhile.set(() -> log.failure = new IllegalStateException("nobody is told"));
            assertThatThrownBy(() -> tables.declareWrites(exact, Duration.ofSeconds(7), () -> {}))
                    .hasMessageContaining("could not be told");

            assertThat(waits)
                    .containsExactly(config.watchInterval().multipliedBy(3).plusSeconds(7));
            assertThat(changing).containsExactly(true);
            log.failure = null;
            log.announced.clear();
            tables.declareWrites(exact, Duration.ofSeconds(7), () -> {});
            assertThat(log.announced).containsExactly(ChangeLog.Level.GLOBAL, ChangeLog.Level.DATACENTER);
            assertThat(waits).as("nothing is left to wait for").hasSize(1);
            assertThat(contracts.now(name).toCompletableFuture().join().writes())
                    .isEqualTo(exact);

            log.failure = new IllegalStateException("nobody is told");
            TableContract seen = contracts.now(name).toCompletableFuture().join();
            assertThatThrownBy(() -> tables.beginMove(seen, "elsewhere")).hasMessageContaining("could not be told");
        }
    }

    /** A node that was killed may have forgotten it. */
    @Test
    void shouldDeclareAgainWhatIsGoneAndReportWhatAnotherHasReplaced() {
        EmbeddedCassandra node = SharedNode.get();
        SequencesConfig config = CONFIG.withGlobalKeyspace("contracts_gone_it");
        Queue<Runnable> waiting = new ConcurrentLinkedQueue<>();
        StandingWrites standing =
                new StandingWrites(() -> Duration.ofHours(1), (task, delay) -> waiting.add(task), System::nanoTime);
        try (CqlSession session = CqlSession.builder()
                .addContactPoint(node.contactPoint())
                .withLocalDatacenter(node.localDatacenter())
                .build()) {
            CassidySchema.install(session, Replication.parse(node.localDatacenter() + ":1"), config);
            Contracts contracts = contracts(session, node, "contracts_gone_it", new Silent(), standing);
            Contracts another = contracts(session, node, "contracts_gone_it", new Silent());

            CompletableFuture<TableContract> kept = declaring(contracts, "kept", "a");
            await().until(() -> waiting.size() == 2);
            session.execute(
                    "DELETE FROM contracts_gone_it.contracts WHERE keyspace_name = 'shop' AND table_name = 'kept'");
            letPass(waiting, kept);
            assertThat(another.now(new TableName("shop", "kept"))
                            .toCompletableFuture()
                            .join())
                    .isEqualTo(kept.join());

            CompletableFuture<TableContract> replaced = declaring(contracts, "replaced", "a");
            await().until(() -> waiting.size() == 2);
            session.execute(
                    "DELETE FROM contracts_gone_it.contracts WHERE keyspace_name = 'shop' AND table_name = 'replaced'");
            another.change(
                            new TableName("shop", "replaced"),
                            ContractChanges.Telling.HINT,
                            found -> found.withDefault(ContractsProgram.constant("replaced", "b")))
                    .toCompletableFuture()
                    .join();
            letPass(waiting, replaced);
            assertThat(replaced)
                    .failsWithin(Duration.ZERO)
                    .withThrowableThat()
                    .havingRootCause()
                    .isInstanceOf(SequenceException.Conflict.class)
                    .withMessageContaining("shop.replaced");
        }
    }

    private static CompletableFuture<TableContract> declaring(Contracts contracts, String table, String column) {
        return contracts
                .change(
                        new TableName("shop", table),
                        ContractChanges.Telling.HINT,
                        found -> found.withDefault(ContractsProgram.constant(table, column)))
                .thenCompose(contracts::lasting)
                .toCompletableFuture();
    }

    private static void letPass(Queue<Runnable> waiting, CompletableFuture<?> stage) {
        await().atMost(Duration.ofMinutes(1)).until(() -> {
            for (Runnable task = waiting.poll(); task != null; task = waiting.poll()) {
                task.run();
            }
            return stage.isDone();
        });
        // What looks in the background ends too.
        await().atMost(Duration.ofMinutes(1)).until(() -> {
            for (Runnable task = waiting.poll(); task != null; task = waiting.poll()) {
                task.run();
            }
            return waiting.isEmpty();
        });
    }

    private static Contracts contracts(CqlSession session, EmbeddedCassandra node, String keyspace, ChangeLog log) {
        return contracts(
                session,
                node,
                keyspace,
                log,
                new StandingWrites(() -> Duration.ZERO, (task, delay) -> {}, System::nanoTime));
    }

    private static Contracts contracts(
            CqlSession session, EmbeddedCassandra node, String keyspace, ChangeLog log, StandingWrites standing) {
        Duration timeout = Duration.ofMinutes(1);
        return new Contracts(
                ConditionalStatements.acrossDatacenters(session, timeout),
                ConditionalStatements.withinDatacenter(session, timeout),
                keyspace,
                keyspace + "_" + node.localDatacenter(),
                any -> false,
                log,
                () -> session.getMetadata().getNodes().keySet(),
                standing,
                System::nanoTime);
    }

    /** A log that nobody reads. */
    private static final class Silent implements ChangeLog {

        private final List<Level> announced = new ArrayList<>();
        private List<Entry> entries = List.of();
        private @Nullable UUID mark;
        private @Nullable Throwable failure;
        private Set<Level> failing = Set.of(Level.values());

        @Override
        public CompletionStage<@Nullable UUID> mark(Level level) {
            return CompletableFuture.completedFuture(mark);
        }

        @Override
        public CompletionStage<List<Entry>> since(Level level, Instant time) {
            return CompletableFuture.completedFuture(entries);
        }

        @Override
        public CompletionStage<Void> announce(Level level, Change change) {
            announced.add(level);
            if (failure != null && failing.contains(level)) {
                return CompletableFuture.failedFuture(failure);
            }
            return CompletableFuture.completedFuture(null);
        }
    }

    private static void runProcess(EmbeddedCassandra node, int number) throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("java.class.path"),
                        ContractsProgram.class.getName(),
                        node.host(),
                        String.valueOf(node.port()),
                        node.localDatacenter(),
                        String.valueOf(number),
                        String.valueOf(TABLES))
                .redirectErrorStream(true)
                .start();
        try (BufferedReader output = process.inputReader()) {
            String said = output.lines().collect(Collectors.joining("\n"));
            assertThat(process.waitFor()).as(said).isZero();
        } finally {
            process.destroyForcibly();
        }
    }

    private static Map<String, Set<String>> known(TableRegistry tables, Set<String> names) {
        Map<String, Set<String>> known = new TreeMap<>();
        for (String name : names) {
            Set<String> all = new HashSet<>();
            tables.cachedIdentity("shop", name).ifPresent(column -> all.add("identity " + column.column()));
            tables.cachedDefaults("shop", name).forEach(each -> all.add("default of " + each.column()));
            known.put(name, all);
        }
        return known;
    }

    private static Map<String, String> rows(CqlSession session, String keyspace) {
        Map<String, String> rows = new TreeMap<>();
        session.execute("SELECT * FROM " + keyspace + ".contracts")
                .forEach(row -> rows.put(String.valueOf(row.getString("table_name")), row.getFormattedContents()));
        return rows;
    }
}
