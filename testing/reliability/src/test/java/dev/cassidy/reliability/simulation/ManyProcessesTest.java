package dev.cassidy.reliability.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cassidy.reliability.simulation.SimulatedCluster.Datacenter;
import dev.cassidy.reliability.simulation.SimulatedCluster.Partition;
import dev.cassidy.sequence.IdentityType;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.protocol.Acknowledgements;
import dev.cassidy.sequence.protocol.AllocatorContext;
import dev.cassidy.sequence.protocol.HeldClaims;
import dev.cassidy.sequence.protocol.Raises;
import dev.cassidy.sequence.protocol.SequenceRegistry;
import dev.cassidy.sequence.protocol.Watcher;
import dev.cassidy.sequence.store.ChangeLog;
import dev.cassidy.sequence.store.Grant;
import dev.cassidy.sequence.store.RangeStore;
import dev.cassidy.sequence.store.SequenceCatalog;
import dev.cassidy.sequence.store.SequenceEntry;
import dev.cassidy.sequence.store.SequenceGlimpse;
import dev.cassidy.sequence.store.Span;
import dev.cassidy.sequence.store.Stripe;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The load of a datacenter full of processes on its cluster, when idle and after a raise. All statements are counted.
 */
class ManyProcessesTest {

    private static final Logger LOG = LoggerFactory.getLogger(ManyProcessesTest.class);
    private static final Duration WATCH_INTERVAL = Duration.ofSeconds(5);
    private static final Duration SPREAD = Duration.ofMinutes(1);
    private static final Duration CLAIM_TIMEOUT = Duration.ofSeconds(15);

    /** Steps that are plain reads and writes; all others are ordered by Paxos. */
    private static final Set<String> PLAIN = Set.of("mark", "since", "announce", "outlook", "glimpses", "copyGlimpses");

    private final VirtualTime time = new VirtualTime();
    private final SplittableRandom random = new SplittableRandom(1);
    private final SimulatedLink.Weather fair = new SimulatedLink.Weather(SimulatedLink.Faults.NONE, Set.of());

    /** All sequences share the log of changes; each sequence has its own rows. */
    private final SimulatedCluster shared = new SimulatedCluster();

    private final Datacenter here = new Datacenter("dc1");
    private final Map<String, Rows> sequences = new TreeMap<>();
    private final Map<String, Long> asked = new TreeMap<>();

    private record Rows(SimulatedCluster cluster, Datacenter datacenter) {}

    @ParameterizedTest
    @CsvSource({"10000, 10", "100, 1000"})
    void shouldSendFewStatementsWhateverIsOpen(int population, int open) {
        IntStream.range(0, open).forEach(number -> create("sequence" + number));
        List<Process> processes =
                IntStream.range(0, population).mapToObj(Process::new).toList();
        processes.forEach(Process::begin);
        pass(Duration.ofSeconds(30));
        processes.forEach(process -> process.looks = 0);
        asked.clear();

        Duration idle = Duration.ofMinutes(1);
        pass(idle);

        long looks = processes.stream().mapToLong(process -> process.looks).sum();
        assertThat(asked).as("while all processes are idle").containsOnlyKeys("mark");
        assertThat((double) asked.get("mark") / population / idle.toSeconds())
                .as("reads a second, and process")
                .isLessThan(0.5);
        assertThat(asked.get("mark")).isBetween(2 * looks - 2L * population, 2 * looks + 2L * population);

        asked.clear();
        Process operator = new Process(population);
        CompletableFuture<SequenceEntry> raised =
                operator.raises.recallPast("sequence3", 500).toCompletableFuture();
        pass(Duration.ofSeconds(1));
        operator.raises.settle(raised.join(), Duration.ofMinutes(1), Duration.ofSeconds(1));
        pass(SPREAD.multipliedBy(2));

        assertThat(processes).allMatch(process -> process.noticed.equals(Set.of("sequence3")));
        assertThat(operator.raises.datacentersBehind(raised.join()).toCompletableFuture())
                .satisfies(this::awaitNoneBehind);
        long ordered = asked.entrySet().stream()
                .filter(each -> !PLAIN.contains(each.getKey()))
                .mapToLong(Map.Entry::getValue)
                .sum();
        LOG.info("{} processes with {} sequences: a raise makes {}", population, open, asked);
        assertThat(asked.get("outlook")).as("plain looks").isLessThan(4L * population);
        assertThat(ordered).as("statements in order").isLessThan(Math.max(200, population / 20));

        asked.clear();
        Process late = new Process(population + 1);
        late.acknowledgements.lookAtAll(SPREAD);
        late.looks = Integer.MIN_VALUE;
        pass(SPREAD.multipliedBy(2));
        assertThat(asked.keySet())
                .as("of one that comes when all is settled")
                .isSubsetOf("mark", "glimpses", "copyGlimpses");
    }

    private void awaitNoneBehind(CompletableFuture<List<String>> behind) {
        pass(Duration.ofSeconds(1));
        assertThat(behind.join()).isEmpty();
    }

    private void create(String name) {
        SequenceSpec spec =
                new SequenceSpec(name, IdentityType.INT, 1, 1, 1, Integer.MAX_VALUE).withReserve(1_000, 1_000);
        Rows rows = new Rows(new SimulatedCluster(), new Datacenter("dc1"));
        SequenceEntry entry = SequenceEntry.fresh(spec, 1, true);
        rows.cluster.write(entry);
        rows.cluster.moveNext(1_000);
        rows.cluster.put("dc1", 0, new Grant(1, 1, new Span(0, 1_000)));
        rows.datacenter.partitions.put(new Stripe(name, 0), new Partition(1, 1));
        rows.datacenter.copy(entry);
        sequences.put(name, rows);
    }

    private void pass(Duration duration) {
        boolean[] over = new boolean[1];
        time.schedule(() -> over[0] = true, duration);
        while (!over[0] && time.step()) {}
    }

    private static String sequence(Object argument) {
        return argument instanceof Stripe stripe
                ? stripe.sequence()
                : argument instanceof SequenceEntry entry ? entry.name() : (String) argument;
    }

    /** A process as {@code Sequences} sets it up, and as {@code Rounds} lets it look. */
    private final class Process implements Watcher.Listener {

        private final SimulatedLink link = new SimulatedLink(here, time, random, fair, () -> true);
        private final String name;
        private final SequenceCatalog catalog = proxy(SequenceCatalog.class, this::catalog);
        private final Raises raises;
        private final Acknowledgements acknowledgements;
        private final Watcher watcher;
        private final Set<String> noticed = new HashSet<>();
        private int looks;

        Process(int number) {
            name = number + "@test";
            AllocatorContext context = new AllocatorContext(
                    CLAIM_TIMEOUT,
                    0.5,
                    Duration.ofHours(24),
                    0.5,
                    time,
                    time::nanoTime,
                    random,
                    () -> new UUID(random.nextLong(), random.nextLong()));
            ChangeLog changes = counted(
                    ChangeLog.class,
                    new SimulatedChangeLog(shared, here, link, () -> new UUID(random.nextLong(), random.nextLong())));
            RangeStore store = proxy(RangeStore.class, this::store);
            SequenceRegistry registry = new SequenceRegistry(catalog, store, changes, context);
            raises = new Raises(catalog, changes, registry, new HeldClaims(catalog, store, context), context);
            acknowledgements = new Acknowledgements(catalog, registry, raises, context, WATCH_INTERVAL);
            watcher = new Watcher(changes, this, () -> Instant.EPOCH.plusNanos(time.nanoTime()));
        }

        void begin() {
            watcher.begin();
            later(this::look, Duration.ofNanos(random.nextLong(WATCH_INTERVAL.toNanos())));
        }

        private void later(Runnable task, Duration delay) {
            time.schedule(task, delay);
        }

        private void look() {
            looks++;
            watcher.look();
            long nanos = WATCH_INTERVAL.toNanos();
            later(this::look, Duration.ofNanos(nanos - random.nextLong(nanos / 4)));
        }

        @Override
        public void changed(ChangeLog.Change change) {
            noticed.add(change.name());
            catalog.outlook(change.name()).thenAccept(seen -> acknowledgements.noticed(change.name(), WATCH_INTERVAL));
        }

        @Override
        public void changedSomewhere() {
            throw new AssertionError("the log says what has changed");
        }

        private Object catalog(String sequence) {
            Rows rows = sequences.get(sequence);
            return new SimulatedCatalog(rows.cluster, rows.datacenter, rows.datacenter.partitions, link);
        }

        private Object store(String sequence) {
            Rows rows = sequences.get(sequence);
            return new SimulatedStore(
                    rows.cluster, rows.datacenter, rows.datacenter.partitions, 1, name, link, () -> 500_000);
        }

        /** Returns a proxy that uses the rows of the sequence that a step names. */
        private <T> T proxy(Class<T> type, Function<String, Object> of) {
            return type.cast(
                    Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, all) -> {
                        if (method.getName().equals("datacenter")) {
                            return "dc1";
                        }
                        if (method.getName().equals("holder")) {
                            return name;
                        }
                        asked.merge(method.getName(), 1L, Long::sum);
                        return all == null ? everything(method) : method.invoke(of.apply(sequence(all[0])), all);
                    }));
        }

        private <T> T counted(Class<T> type, T real) {
            return type.cast(
                    Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, all) -> {
                        asked.merge(method.getName(), 1L, Long::sum);
                        return method.invoke(real, all);
                    }));
        }

        private Object everything(Method method) {
            List<SequenceGlimpse> all = new ArrayList<>();
            for (Rows rows : sequences.values()) {
                List<List<SequenceGlimpse>> versions =
                        method.getName().equals("glimpses") ? rows.cluster.glimpses() : rows.datacenter.glimpses();
                all.addAll(versions.get(versions.size() - 1));
            }
            return CompletableFuture.completedFuture(all);
        }
    }
}
