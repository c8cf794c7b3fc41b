package dev.cassidy.reliability.simulation;

import dev.cassidy.async.Waiting;
import dev.cassidy.reliability.simulation.GrantedNodeStore.GlobalRow;
import dev.cassidy.reliability.simulation.GrantedNodeStore.Local;
import dev.cassidy.reliability.simulation.SimulatedCluster.Datacenter;
import dev.cassidy.reliability.simulation.SimulatedLink.Faults;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.protocol.FreshClaims;
import dev.cassidy.sequence.protocol.Safety;
import dev.cassidy.snowflake.SnowflakeSpec;
import dev.cassidy.snowflake.protocol.LeasedSequencer;
import dev.cassidy.snowflake.protocol.SnowflakeContext;
import dev.cassidy.snowflake.store.NodeGrant;
import dev.cassidy.snowflake.store.NodeShare;
import dev.cassidy.snowflake.store.NodeStore;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;

/**
 * One schedule in which two datacenters are granted the node numbers of a time-ordered sequence by replicas that forget what
 * they acknowledged within their last sync period, when they are killed. No number may become that of both. {@link
 * ForgetfulNodes} says when nodes are killed.
 */
public final class NodeGrantSimulation {

    private static final Duration END = Duration.ofMinutes(20);
    private static final int NODES = 3;
    private static final Instant EPOCH = Instant.parse("2025-01-01T00:00:00Z");
    private static final Instant BEGIN = EPOCH.plus(Duration.ofDays(30));
    private static final SnowflakeSpec SPEC = new SnowflakeSpec("granted", EPOCH, 128);

    private final SplittableRandom random;
    private final VirtualTime time = new VirtualTime();
    private final Replicas<GlobalRow> global;
    private final List<Local> datacenters = List.of(new Local("dc1"), new Local("dc2"));
    private final SimulatedLink.Weather weather;
    private final FreshClaims freshClaims;
    private final UnaryOperator<NodeStore> around;
    private long attached;

    /**
     * The outcome of a schedule.
     *
     * @param violations the numbers that more than one datacenter has; empty if there are none
     * @param numbers how many numbers datacenters have
     * @param attached how often a process got one
     * @param kills how many kills there were
     * @param forgotten how often a replica has forgotten anything
     */
    public record Result(List<String> violations, long numbers, long attached, long kills, long forgotten) {}

    /** Of {@code durability=wait}. */
    public NodeGrantSimulation(long seed) {
        this(seed, FreshClaims.WAIT, UnaryOperator.identity(), true);
    }

    /**
     * @param around wraps the store of each process
     * @param whole whether statements write the whole global row
     */
    NodeGrantSimulation(long seed, FreshClaims freshClaims, UnaryOperator<NodeStore> around, boolean whole) {
        this.random = new SplittableRandom(seed);
        this.freshClaims = freshClaims;
        this.around = around;
        this.weather = new SimulatedLink.Weather(
                new Faults(random.nextDouble(0.02), random.nextDouble(0.1), random.nextDouble(), 0), Set.of());
        this.global = new Replicas<>(
                NODES, GrantedNodeStore.GLOBAL, new GlobalRow(null), random, random.nextDouble(0.1), whole);
    }

    public Result run() {
        ForgetfulNodes kills = new ForgetfulNodes(List.of(global), NODES, time, random);
        kills.begin();
        datacenters.forEach(this::attachOneAfterAnother);
        while (time.nanoTime() < END.toNanos() && time.step()) {
            // Events make further events.
        }
        return new Result(violations(), numbers(), attached, kills.kills(), kills.forgotten());
    }

    private List<String> violations() {
        Map<Integer, String> owners = new HashMap<>();
        List<String> twice = new ArrayList<>();
        for (Local each : datacenters) {
            for (NodeGrant grant : grants(each)) {
                for (int number = grant.lo(); number < grant.hi(); number++) {
                    String before = owners.put(number, each.datacenter + " by grant " + grant);
                    if (before != null) {
                        twice.add("number " + number + " is of " + before + " and of " + owners.get(number));
                    }
                }
            }
        }
        return twice;
    }

    private static List<NodeGrant> grants(Local datacenter) {
        NodeShare share = datacenter.share;
        return share == null ? List.of() : share.grants();
    }

    private long numbers() {
        return datacenters.stream()
                .flatMap(each -> grants(each).stream())
                .mapToLong(grant -> grant.hi() - grant.lo())
                .sum();
    }

    /** Each process dies with its number, so that further ones are needed. */
    private void attachOneAfterAnother(Local datacenter) {
        AtomicBoolean alive = new AtomicBoolean(true);
        SimulatedLink link =
                new SimulatedLink(new Datacenter(datacenter.datacenter), time, random, weather, alive::get);
        LeasedSequencer sequencer =
                new LeasedSequencer(SPEC, around.apply(new GrantedNodeStore(global, datacenter, link)), context(alive));
        sequencer.attachAsync().whenComplete((done, failure) -> {
            attached += failure == null ? 1 : 0;
            alive.set(false);
            time.schedule(() -> attachOneAfterAnother(datacenter), Duration.ofMillis(random.nextLong(10, 10_000)));
        });
    }

    private SnowflakeContext context(AtomicBoolean alive) {
        return new SnowflakeContext(
                Duration.ofSeconds(5),
                (task, delay) -> time.schedule(
                        () -> {
                            if (alive.get()) {
                                task.run();
                            }
                        },
                        delay),
                () -> BEGIN.plusNanos(time.nanoTime()),
                time::nanoTime,
                random,
                () -> new UUID(random.nextLong(), random.nextLong()),
                new Safety() {
                    @Override
                    public Duration standing() {
                        return ForgetfulNodes.STANDING;
                    }

                    @Override
                    public FreshClaims freshClaims() {
                        return freshClaims;
                    }

                    @Override
                    public Optional<SequenceException> refusal() {
                        return Optional.empty();
                    }
                },
                Waiting.ANYWHERE);
    }
}
