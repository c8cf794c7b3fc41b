package dev.cassidy.reliability.simulation;

import dev.cassidy.reliability.checker.IssueHistory;
import dev.cassidy.reliability.simulation.AllocatorSimulation.Result;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.store.SequenceEntry;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * One schedule of a sequence that is interleaved: its streams run in one cluster, each as {@link AllocatorSimulation}
 * runs a sequence. At the same time, other processes take the sequence for a plain one, or for one with another number
 * of streams. Only those that agree are created; together they issue no id twice.
 */
public final class StreamsSimulation {

    private static final int MAX_STREAMS = 3;

    private final SplittableRandom random;
    private final Defect defect;
    private final VirtualTime time = new VirtualTime();
    private final Scenario scenario;
    private final SequenceSpec base;
    private final IssueHistory together;
    /** The first entry of each name that was created. */
    private final Map<String, SequenceEntry> names = new HashMap<>();

    private final List<Part> parts = new ArrayList<>();

    /** A sequence that some processes take for granted. */
    private record Part(SequenceSpec spec, AllocatorSimulation simulation) {}

    /** Of the real protocol. */
    public StreamsSimulation(long seed) {
        this(seed, Defect.NONE);
    }

    StreamsSimulation(long seed, Defect defect) {
        this.random = new SplittableRandom(seed);
        this.defect = defect;
        this.scenario = Scenario.draw(random);
        this.base = small(scenario.spec());
        this.together = new IssueHistory(base.start(), base.increment(), base.idAt(base.count() - 1));
        int streams = random.nextInt(2, MAX_STREAMS + 1);
        for (int stream = 1; stream <= streams; stream++) {
            add(base.interleave(stream, streams));
        }
        add(random.nextBoolean() ? base : base.interleave(1, streams + 1));
    }

    /** Each id is recorded by itself, so there are not very many. */
    private static SequenceSpec small(SequenceSpec spec) {
        long smallest = Math.min(64, spec.block().smallest());
        return spec.withStripes(1)
                .withBlock(smallest, Math.min(512, spec.block().largest()))
                .withReserve(
                        Math.min(4_096, spec.reserve().smallest()),
                        spec.reserve().largest());
    }

    private void add(SequenceSpec spec) {
        AllocatorSimulation simulation =
                new AllocatorSimulation(random, time, scenario.of(spec), defect, new SimulatedCluster(names));
        simulation.promises().tell((line, from, step, count) -> {
            for (long i = 0; i < count; i++) {
                together.issued(spec.name() + " " + line, from + i * step);
            }
        });
        parts.add(new Part(spec, simulation));
    }

    public Result run() {
        parts.forEach(part -> part.simulation().begin());
        for (int step = 0; step < scenario.steps() * parts.size() && time.step(); step++) {}
        parts.forEach(part -> part.simulation().calm());
        List<String> violations = new ArrayList<>();
        List<Part> created = parts.stream().filter(this::isCreated).toList();
        if (created.stream().map(part -> part.spec().streams()).distinct().count() > 1) {
            violations.add("created, and do not agree: "
                    + created.stream().map(part -> part.spec().name()).toList());
        }
        created.forEach(part -> part.simulation().settle());
        violations.addAll(together.violations());
        long faults = 0;
        Map<Occurrence, Long> occurrences = new EnumMap<>(Occurrence.class);
        for (Part part : parts) {
            Result result = part.simulation().result();
            result.violations().forEach(each -> violations.add(part.spec().name() + ": " + each));
            faults += result.faults();
            result.occurrences().forEach((each, count) -> occurrences.merge(each, count, Long::sum));
        }
        return new Result(violations, together.distinct(), faults, occurrences);
    }

    /** Whether there is such a sequence; an entry that only stands for streams is none. */
    private boolean isCreated(Part part) {
        SequenceEntry first = names.get(part.spec().name());
        return first != null && first.streams() == 0;
    }
}
