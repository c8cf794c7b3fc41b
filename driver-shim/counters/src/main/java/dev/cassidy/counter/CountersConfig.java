package dev.cassidy.counter;

import dev.cassidy.sequence.Durability;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.ServerChecks;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The settings with which counters are opened. An invalid value is refused, never corrected.
 *
 * @param table the table of the counters, {@code keyspace.table}, as CQL writes it
 * @param globalKeyspace Cassidy's global keyspace; default {@code cassidy}
 * @param datacenterKeyspace Cassidy's keyspace of this datacenter; the default is derived as for sequences
 * @param requestTimeout the longest time that one statement may take; default 5 s
 * @param incrementTimeout the longest time that a caller waits for an increment, at most a day; default 10 s
 * @param maxSlots the largest number of processes that increment at the same time in one datacenter, from 1 to 4,096;
 *     default 256. Each slot that was used makes a row or two for each counter
 * @param foldAfter after how many rows of one counter this process folds them; default 256
 * @param growOnly whether negative increments are refused; default no
 * @param kind how the counters keep their values; default {@link CounterKind#FOLDED}
 * @param actor the name under which this process writes, for the kinds {@link CounterKind#CUMULATIVE}, {@link
 *     CounterKind#VERSIONED} and {@link CounterKind#BUCKETED}, which need one; the others refuse it. Only one process of a datacenter may use a name at a
 *     time, otherwise increments are lost
 * @param approximate whether {@link CounterKind#BUCKETED} may be opened, which loses increments by design; default no
 * @param serverChecks whether the nodes' settings on which the slots depend are checked; default {@link ServerChecks#CHECK}
 */
public record CountersConfig(
        String table,
        String globalKeyspace,
        Optional<String> datacenterKeyspace,
        Duration requestTimeout,
        Duration incrementTimeout,
        int maxSlots,
        int foldAfter,
        boolean growOnly,
        CounterKind kind,
        Optional<String> actor,
        boolean approximate,
        ServerChecks serverChecks) {

    private static final int MAX_SLOTS = 4_096;

    /** Far beyond what anybody waits; what is added to the monotonic clock must not overflow. */
    private static final Duration MAX_INCREMENT_TIMEOUT = Duration.ofDays(1);

    public CountersConfig {
        Objects.requireNonNull(table, "table");
        Objects.requireNonNull(kind, "kind");
        if (actor.filter(String::isEmpty).isPresent()) {
            throw new IllegalArgumentException("must not be empty: actor");
        }
        Objects.requireNonNull(serverChecks, "serverChecks");
        requirePositive(incrementTimeout, "incrementTimeout");
        if (incrementTimeout.compareTo(MAX_INCREMENT_TIMEOUT) > 0) {
            throw new IllegalArgumentException("must be at most " + MAX_INCREMENT_TIMEOUT + ": incrementTimeout="
                    + incrementTimeout + "; ask for the status of the receipt instead of waiting for longer");
        }
        if (maxSlots < 1 || maxSlots > MAX_SLOTS) {
            throw new IllegalArgumentException("must be from 1 to " + MAX_SLOTS + ": maxSlots=" + maxSlots);
        }
        if (foldAfter < 1) {
            throw new IllegalArgumentException("must be > 0: foldAfter=" + foldAfter);
        }
        // It checks the others.
        var unused = sequences(globalKeyspace, datacenterKeyspace, requestTimeout, serverChecks);
    }

    /** Returns the defaults, for a table {@code keyspace.table}. */
    public static CountersConfig of(String table) {
        return new CountersConfig(
                table,
                "cassidy",
                Optional.empty(),
                Duration.ofSeconds(5),
                Duration.ofSeconds(10),
                256,
                256,
                false,
                CounterKind.FOLDED,
                Optional.empty(),
                false,
                ServerChecks.CHECK);
    }

    SequencesConfig sequences() {
        return sequences(globalKeyspace, datacenterKeyspace, requestTimeout, serverChecks);
    }

    private static SequencesConfig sequences(
            String globalKeyspace,
            Optional<String> datacenterKeyspace,
            Duration requestTimeout,
            ServerChecks serverChecks) {
        SequencesConfig config = SequencesConfig.defaults()
                .withGlobalKeyspace(globalKeyspace)
                .withRequestTimeout(requestTimeout)
                .withServerChecks(serverChecks)
                // What its warning is about are ids.
                .withDurability(Durability.IGNORE);
        return datacenterKeyspace.map(config::withDatacenterKeyspace).orElse(config);
    }

    /** The same with one value changed. */
    private CountersConfig with(Consumer<Draft> change) {
        Draft draft = new Draft(this);
        change.accept(draft);
        return new CountersConfig(
                table,
                draft.globalKeyspace,
                draft.datacenterKeyspace,
                draft.requestTimeout,
                draft.incrementTimeout,
                draft.maxSlots,
                draft.foldAfter,
                draft.growOnly,
                draft.kind,
                draft.actor,
                draft.approximate,
                draft.serverChecks);
    }

    private static final class Draft {
        String globalKeyspace;
        Optional<String> datacenterKeyspace;
        Duration requestTimeout;
        Duration incrementTimeout;
        int maxSlots;
        int foldAfter;
        boolean growOnly;
        CounterKind kind;
        Optional<String> actor;
        boolean approximate;
        ServerChecks serverChecks;

        Draft(CountersConfig of) {
            globalKeyspace = of.globalKeyspace;
            datacenterKeyspace = of.datacenterKeyspace;
            requestTimeout = of.requestTimeout;
            incrementTimeout = of.incrementTimeout;
            maxSlots = of.maxSlots;
            foldAfter = of.foldAfter;
            growOnly = of.growOnly;
            kind = of.kind;
            actor = of.actor;
            approximate = of.approximate;
            serverChecks = of.serverChecks;
        }
    }

    public CountersConfig withGlobalKeyspace(String name) {
        return with(draft -> draft.globalKeyspace = name);
    }

    public CountersConfig withDatacenterKeyspace(String name) {
        return with(draft -> draft.datacenterKeyspace = Optional.of(name));
    }

    public CountersConfig withRequestTimeout(Duration timeout) {
        return with(draft -> draft.requestTimeout = timeout);
    }

    public CountersConfig withIncrementTimeout(Duration timeout) {
        return with(draft -> draft.incrementTimeout = timeout);
    }

    public CountersConfig withMaxSlots(int slots) {
        return with(draft -> draft.maxSlots = slots);
    }

    public CountersConfig withFoldAfter(int rows) {
        return with(draft -> draft.foldAfter = rows);
    }

    public CountersConfig withGrowOnly(boolean only) {
        return with(draft -> draft.growOnly = only);
    }

    public CountersConfig withKind(CounterKind chosen) {
        return with(draft -> draft.kind = chosen);
    }

    public CountersConfig withActor(String name) {
        return with(draft -> draft.actor = Optional.of(name));
    }

    public CountersConfig withApproximate(boolean allowed) {
        return with(draft -> draft.approximate = allowed);
    }

    public CountersConfig withServerChecks(ServerChecks chosen) {
        return with(draft -> draft.serverChecks = chosen);
    }

    private static void requirePositive(Duration value, String name) {
        Objects.requireNonNull(value, name);
        if (value.isZero() || value.isNegative()) {
            throw new IllegalArgumentException("must be > 0: " + name + "=" + value);
        }
    }
}
