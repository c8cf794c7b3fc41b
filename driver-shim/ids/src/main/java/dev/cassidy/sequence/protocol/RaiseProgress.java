package dev.cassidy.sequence.protocol;

import dev.cassidy.sequence.store.Incarnations;
import dev.cassidy.sequence.store.Participation;
import dev.cassidy.sequence.store.SequenceCatalog;
import dev.cassidy.sequence.store.SequenceEntry;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;

/**
 * Reads how far a raise is: a datacenter owes an acknowledgement if it was granted ids of an older incarnation of the same
 * generation, and has not acknowledged the entry's incarnation or a later one. The raise is complete when no datacenter owes
 * one.
 *
 * <p>Safe for use by many threads; nothing blocks.
 */
final class RaiseProgress {

    private final SequenceCatalog catalog;

    RaiseProgress(SequenceCatalog catalog) {
        this.catalog = catalog;
    }

    /** Reads which datacenters were granted ids before an entry's incarnation, and have not acknowledged it. */
    CompletionStage<List<String>> datacentersBehind(SequenceEntry entry) {
        return catalog.participations(entry.name()).thenApply(all -> List.copyOf(owing(all, entry.incarnation())));
    }

    /** Reads which datacenters were ever granted ids of the sequence. */
    CompletionStage<Set<String>> datacenters(SequenceEntry entry) {
        return catalog.participations(entry.name()).thenApply(all -> all.stream()
                .filter(Participation::granted)
                .map(Participation::datacenter)
                .collect(Collectors.toCollection(TreeSet::new)));
    }

    /** Reads whether this datacenter is one of {@link #datacentersBehind}. */
    CompletionStage<Boolean> isOwedHere(SequenceEntry entry) {
        return catalog.participations(entry.name())
                .thenApply(all -> owing(all, entry.incarnation()).contains(catalog.datacenter()));
    }

    private static Set<String> owing(List<Participation> all, int incarnation) {
        Set<String> done = all.stream()
                .filter(each -> each.acknowledged() && each.incarnation() >= incarnation)
                .map(Participation::datacenter)
                .collect(Collectors.toSet());
        return all.stream()
                .filter(each -> each.granted() && each.incarnation() < incarnation)
                .filter(each -> Incarnations.sameGeneration(each.incarnation(), incarnation))
                .map(Participation::datacenter)
                .filter(datacenter -> !done.contains(datacenter))
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
