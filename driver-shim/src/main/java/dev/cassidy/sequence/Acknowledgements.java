package dev.cassidy.sequence;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/**
 * Does this datacenter's part in raises that happened elsewhere: brings its reserves and its copies up to date, and
 * acknowledges. Every process does, so that any one that runs will do.
 *
 * <p>Safe for use by many threads; nothing blocks.
 */
public final class Acknowledgements {

    private final SequenceCatalog catalog;
    private final SequenceRegistry registry;
    /** What needs no further look; only to save reads. */
    private final ConcurrentMap<String, SequenceGlimpse> settled = new ConcurrentHashMap<>();

    private final Set<String> underWay = ConcurrentHashMap.newKeySet();

    public Acknowledgements(SequenceCatalog catalog, SequenceRegistry registry) {
        this.catalog = catalog;
        this.registry = registry;
    }

    /** Looks at one sequence, of which this incarnation was seen. Once its claims are gone, the datacenter acknowledges. */
    public CompletionStage<Void> noticed(String name, int incarnation) {
        SequenceGlimpse known = settled.get(name);
        boolean old = known != null && known.incarnation() >= incarnation;
        return old || !SequenceRegistry.isRaised(incarnation) ? done() : settle(name);
    }

    /** Looks at every sequence, also at those that no process here has opened. */
    public CompletionStage<Void> lookAtAll() {
        return catalog.glimpses()
                .thenCombine(catalog.copyGlimpses(), this::unsettled)
                .thenCompose(names -> {
                    // One after another: nobody waits for it.
                    CompletionStage<Void> all = done();
                    for (String name : names) {
                        all = all.thenCompose(before -> settle(name));
                    }
                    return all;
                });
    }

    private List<String> unsettled(List<SequenceGlimpse> everywhere, List<SequenceGlimpse> here) {
        Map<String, SequenceGlimpse> copies = new HashMap<>();
        here.forEach(copy -> copies.put(copy.name(), copy));
        return everywhere.stream()
                .filter(seen -> !seen.equals(settled.get(seen.name())))
                .filter(seen ->
                        SequenceRegistry.isRaised(seen.incarnation()) || isBehind(copies.get(seen.name()), seen))
                .map(SequenceGlimpse::name)
                .toList();
    }

    private static boolean isBehind(@Nullable SequenceGlimpse copy, SequenceGlimpse seen) {
        return copy != null && (copy.incarnation() < seen.incarnation() || copy.floor() < seen.floor());
    }

    private CompletionStage<Void> settle(String name) {
        if (!underWay.add(name)) {
            return done();
        }
        return registry.find(name)
                .thenCompose(found -> found.isEmpty()
                        ? done()
                        : registry.acknowledge(found.get()).thenAccept(held -> {
                            if (held.isEmpty()) {
                                settled.put(
                                        name,
                                        new SequenceGlimpse(
                                                name,
                                                found.get().incarnation(),
                                                found.get().floor()));
                            }
                        }))
                .whenComplete((done, failure) -> underWay.remove(name));
    }

    private static CompletionStage<Void> done() {
        return CompletableFuture.completedFuture(null);
    }
}
