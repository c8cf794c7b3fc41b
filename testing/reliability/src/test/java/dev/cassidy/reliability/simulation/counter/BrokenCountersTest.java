package dev.cassidy.reliability.simulation.counter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cassidy.counter.protocol.CheckedClock;
import dev.cassidy.counter.protocol.CounterContext;
import dev.cassidy.counter.protocol.CounterProtocol;
import dev.cassidy.counter.protocol.Unsettled;
import dev.cassidy.counter.store.CounterTable;
import dev.cassidy.counter.store.CounterTable.TooManyRows;
import dev.cassidy.counter.store.NodeClocks.NodeTime;
import dev.cassidy.counter.store.Settled;
import dev.cassidy.counter.store.SettlementStore;
import dev.cassidy.counter.store.SlotStore;
import dev.cassidy.reliability.simulation.VirtualTime;
import dev.cassidy.reliability.simulation.counter.SimulatedStores.Generation;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A counter that cannot be settled after its process died is nobody's trouble but its own. */
class BrokenCountersTest {

    private static final List<String> COUNTERS =
            IntStream.range(0, 30).mapToObj(i -> "c" + (10 + i)).toList();

    private final VirtualTime time = new VirtualTime();
    private final SplittableRandom random = new SplittableRandom(1);
    private final Datacenter datacenter = new Datacenter(time, random, new Weather(0, 0, 0, 0));

    /** What the reading of a counter's settlement, or of its rows, fails with. */
    private final Map<String, Supplier<RuntimeException>> broken = new HashMap<>();

    private final List<String> settlementsRead = new ArrayList<>();
    private boolean dead;

    /** Whether a counter's rows fit no page until they are folded. */
    private boolean tooManyRows;

    private int folded;

    /** Whether slots cannot be read in the order of their steps. */
    private boolean nothingAnswers;

    private final Set<String> unfolded = new HashSet<>();

    private CounterProtocol process(boolean dies) {
        SimulatedStores stores = new SimulatedStores(
                datacenter,
                new Link(datacenter, (task, delay) -> later(dies, task, delay), () -> false),
                null,
                0,
                Generation.only());
        return new CounterProtocol(
                breaking(SlotStore.class, stores.new Slots()),
                breaking(SettlementStore.class, stores.new Settlements()),
                breaking(CounterTable.class, stores.new Table()),
                stores.new Touched(),
                new CounterContext(
                        "dc1",
                        Duration.ofSeconds(10),
                        4,
                        256,
                        (task, delay) -> later(dies, task, delay),
                        time::nanoTime,
                        clock(),
                        random,
                        () -> new UUID(random.nextLong(), random.nextLong())),
                Long.MAX_VALUE);
    }

    private void later(boolean dies, Runnable task, Duration delay) {
        time.schedule(
                () -> {
                    if (!dies || !dead) {
                        task.run();
                    }
                },
                delay);
    }

    private CheckedClock clock() {
        return new CheckedClock(
                this::now,
                time::nanoTime,
                () -> List.of(CompletableFuture.completedFuture(new NodeTime("node", now()))));
    }

    private Instant now() {
        return Instant.EPOCH.plusNanos(time.nanoTime());
    }

    private <T> T breaking(Class<T> type, T store) {
        return type.cast(
                Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    if (type == SlotStore.class && method.getName().equals("read") && nothingAnswers) {
                        return CompletableFuture.failedFuture(new IllegalStateException("no answer"));
                    }
                    if (type != SlotStore.class && method.getName().equals("read")) {
                        String counter = (String) arguments[0];
                        if (type == SettlementStore.class) {
                            settlementsRead.add(counter);
                        }
                        Supplier<RuntimeException> failure = broken.get(counter);
                        if (failure != null) {
                            return CompletableFuture.failedFuture(failure.get());
                        }
                    }
                    if (tooManyRows && type == CounterTable.class) {
                        if (method.getName().equals("read") && !unfolded.add((String) arguments[0])) {
                            return method.invoke(store, arguments);
                        }
                        if (method.getName().equals("read")) {
                            return CompletableFuture.failedFuture(new TooManyRows("too many"));
                        }
                        folded += method.getName().equals("fold") ? 1 : 0;
                    }
                    try {
                        return method.invoke(store, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                }));
    }

    private <T> T await(CompletionStage<T> stage) {
        CompletableFuture<T> future = stage.toCompletableFuture();
        while (!future.isDone()) {
            assertThat(time.step()).isTrue();
        }
        return future.join();
    }

    private void leaveIncrements() {
        CounterProtocol died = process(true);
        COUNTERS.forEach(counter -> await(died.increment(counter, 5)));
        boolean[] noted = {false};
        time.schedule(() -> noted[0] = true, Duration.ofSeconds(6));
        while (!noted[0]) {
            time.step();
        }
        dead = true;
    }

    private Settled settled(String counter) {
        return datacenter.settlement(0, 0, counter, slot()).read().settled();
    }

    private int slot() {
        return IntStream.range(0, 4)
                .filter(slot -> !datacenter.slot(0, 0, slot).read().brokenOff().isEmpty())
                .findFirst()
                .orElse(0);
    }

    @Test
    void shouldSettleTheOthers() {
        leaveIncrements();
        broken.put("c12", () -> new IllegalStateException("key is too long"));
        broken.put("c39", () -> new TooManyRows("too many rows. Call fold()"));
        CounterProtocol janitor = process(false);

        assertThat(await(janitor.clean())).isTrue();

        assertThat(COUNTERS)
                .filteredOn(counter -> !broken.containsKey(counter))
                .allSatisfy(counter -> assertThat(settled(counter).sum()).isEqualTo(BigInteger.valueOf(5)));
        assertThat(janitor.figures().unsettled())
                .containsExactly(
                        new Unsettled("c12", "dc1/" + slot(), "key is too long"),
                        new Unsettled("c39", "dc1/" + slot(), "too many rows. Call fold()"));
        assertThat(datacenter.touched.values()).containsExactly(new TreeSet<>(List.of("c12", "c39")));
        settlementsRead.clear();

        assertThat(await(janitor.clean())).isTrue();
        assertThat(settlementsRead).as("what is settled is not read again").containsOnly("c12", "c39");

        broken.clear();
        assertThat(await(janitor.clean())).isTrue();
        assertThat(settled("c12").sum()).isEqualTo(BigInteger.valueOf(5));
        assertThat(settled("c39").sum()).isEqualTo(BigInteger.valueOf(5));
        assertThat(janitor.figures().unsettled()).isEmpty();
        assertThat(datacenter.touched).isEmpty();
    }

    /** More than a read of one moment returns: they are folded first. */
    @Test
    void shouldSettleACounterWithManyRows() {
        leaveIncrements();
        tooManyRows = true;
        CounterProtocol janitor = process(false);

        assertThat(await(janitor.clean())).isTrue();

        assertThat(folded).as("folded before they are read again").isPositive();
        assertThat(COUNTERS)
                .allSatisfy(counter -> assertThat(settled(counter).sum()).isEqualTo(BigInteger.valueOf(5)));
        assertThat(janitor.figures().unsettled()).isEmpty();
    }

    @Test
    void shouldTryEachCounterWhileTheNodesAnswer() {
        leaveIncrements();
        COUNTERS.subList(0, 29).forEach(counter -> broken.put(counter, () -> new IllegalStateException("unreadable")));
        CounterProtocol janitor = process(false);

        assertThat(await(janitor.clean())).isTrue();

        assertThat(settled("c39").sum()).as("the last of them").isEqualTo(BigInteger.valueOf(5));
        assertThat(janitor.figures().unsettled()).hasSize(29);
    }

    /** If the slot gets no answer either, it is the nodes: the rest waits for the next turn. */
    @Test
    void shouldStopIfNothingAnswers() {
        leaveIncrements();
        COUNTERS.forEach(counter -> broken.put(counter, () -> {
            nothingAnswers = true;
            return new IllegalStateException("no answer");
        }));
        CounterProtocol janitor = process(false);

        CompletableFuture<Boolean> cleaned = janitor.clean().toCompletableFuture();
        while (!cleaned.isDone()) {
            time.step();
        }

        assertThat(cleaned).isCompletedExceptionally();
        assertThat(settlementsRead).hasSize(10);
        nothingAnswers = false;
        broken.clear();
        assertThat(await(janitor.clean())).isTrue();
        assertThat(COUNTERS)
                .allSatisfy(counter -> assertThat(settled(counter).sum()).isEqualTo(BigInteger.valueOf(5)));
        assertThat(janitor.figures().unsettled()).isEmpty();
    }
}
