package dev.cassidy.reliability.simulation.counter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cassidy.counter.protocol.CheckedClock;
import dev.cassidy.counter.protocol.CounterContext;
import dev.cassidy.counter.protocol.CounterProtocol;
import dev.cassidy.counter.store.CounterTable;
import dev.cassidy.counter.store.NodeClocks;
import dev.cassidy.counter.store.NodeClocks.NodeTime;
import dev.cassidy.counter.store.SettlementStore;
import dev.cassidy.counter.store.SlotStore;
import dev.cassidy.counter.store.TouchedStore;
import dev.cassidy.reliability.simulation.VirtualTime;
import dev.cassidy.reliability.simulation.counter.SimulatedStores.Generation;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What processes send that increment nothing: at most 0.5 reads a second, as processes with sequences do. */
class IdleCountersTest {

    private static final int PROCESSES = 50;
    private static final Duration HOUR = Duration.ofHours(1);

    private final VirtualTime time = new VirtualTime();
    private final SplittableRandom random = new SplittableRandom(1);
    private final Map<String, Integer> statements = new TreeMap<>();
    private final Datacenter datacenter = new Datacenter(time, random, new Weather(0, 0, 0, 0));

    private CounterProtocol process() {
        Link link = new Link(datacenter, time::schedule, () -> false);
        SimulatedStores stores = new SimulatedStores(datacenter, link, null, 0, Generation.only());
        CounterProtocol protocol = new CounterProtocol(
                counted(SlotStore.class, stores.new Slots()),
                counted(SettlementStore.class, stores.new Settlements()),
                counted(CounterTable.class, stores.new Table()),
                counted(TouchedStore.class, stores.new Touched()),
                new CounterContext(
                        "dc1",
                        Duration.ofSeconds(10),
                        256,
                        256,
                        time,
                        time::nanoTime,
                        clock(),
                        random,
                        () -> new UUID(random.nextLong(), random.nextLong())),
                Long.MAX_VALUE);
        protocol.startJanitor();
        return protocol;
    }

    private CheckedClock clock() {
        return new CheckedClock(
                this::now,
                time::nanoTime,
                counted(
                        NodeClocks.class,
                        () -> List.of(CompletableFuture.completedFuture(new NodeTime("node", now())))));
    }

    private Instant now() {
        return Instant.EPOCH.plusNanos(time.nanoTime());
    }

    private <T> T counted(Class<T> type, T store) {
        return type.cast(
                Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    if (!method.getName().equals("fits")) {
                        statements.merge(method.getName(), 1, Integer::sum);
                    }
                    try {
                        return method.invoke(store, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                }));
    }

    private void pass(Duration duration) {
        long end = time.nanoTime() + duration.toNanos();
        boolean[] over = {false};
        time.schedule(() -> over[0] = true, duration);
        while (!over[0]) {
            assertThat(time.step()).isTrue();
        }
        assertThat(time.nanoTime()).isEqualTo(end);
    }

    private int sent() {
        return statements.values().stream().mapToInt(Integer::intValue).sum();
    }

    @Test
    void shouldSendNextToNothingWhenNothingWasEverIncremented() {
        for (int i = 0; i < PROCESSES; i++) {
            process();
        }

        pass(HOUR);

        // Each looks at the janitors' turn every five minutes or so, and one of them has a turn now and then.
        assertThat(statements.get("read")).isBetween(PROCESSES * 5, PROCESSES * 20);
        assertThat(sent()).as("%s", statements).isLessThan(PROCESSES * 25);
    }

    @Test
    void shouldGiveItsSlotBackAndGoQuietWhenNothingIsIncrementedAnyMore() {
        List<CounterProtocol> processes = new ArrayList<>();
        for (int i = 0; i < PROCESSES; i++) {
            processes.add(process());
        }
        processes.forEach(process -> process.increment("c", 1));
        pass(Duration.ofMinutes(20));
        statements.clear();

        pass(HOUR);

        assertThat(statements).doesNotContainKeys("renew", "ask");
        double perSecond = (double) sent() / PROCESSES / HOUR.toSeconds();
        assertThat(perSecond).as("%s", statements).isLessThan(0.02);
    }

    @Test
    void shouldMoveABeatInTenSecondsWhileItHoldsASlot() {
        CounterProtocol process = process();
        process.increment("c", 1);
        pass(Duration.ofSeconds(30));
        statements.clear();

        // Too short for it to count as idle.
        pass(Duration.ofMinutes(4));

        assertThat(statements.get("renew")).isBetween(20, 26);
        assertThat(statements.get("ask")).as("the nodes' clocks").isBetween(20, 26);
        assertThat(sent()).as("%s", statements).isLessThan(80);
    }
}
