package dev.cassidy.sequence;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The settings with which sequences are opened. An invalid value is refused, never corrected.
 *
 * @param globalKeyspace Cassidy's global keyspace, used at SERIAL only; default {@code cassidy}
 * @param datacenterKeyspace this datacenter's keyspace, used at LOCAL_SERIAL only. The default is the global keyspace's
 *     name, {@code _} and the datacenter's name in lower case, with {@code _} in place of other characters
 * @param requestTimeout the longest time that one statement may take; default 5 s
 * @param claimTimeout the longest time that a caller waits for an id; default 15 s. With {@link Durability#WAIT}, longer by
 *     what a grant has to stand: the nodes' longest sync period and a second
 * @param isolation how long a datacenter must be able to issue ids while it is cut off from the others, at the rate of
 *     its busiest hour in seven days; default 24 h
 * @param watchInterval how often a process reads whether sequences or registrations have changed; default 5 s
 * @param durability what happens if nodes acknowledge writes before they are on disk; default
 *     {@link Durability#WARN}
 * @param serverChecks whether the nodes' settings on which uniqueness depends are checked; default
 *     {@link ServerChecks#CHECK}
 */
public record SequencesConfig(
        String globalKeyspace,
        Optional<String> datacenterKeyspace,
        Duration requestTimeout,
        Duration claimTimeout,
        Duration isolation,
        Duration watchInterval,
        Durability durability,
        ServerChecks serverChecks) {

    public SequencesConfig {
        Objects.requireNonNull(globalKeyspace, "globalKeyspace");
        Objects.requireNonNull(datacenterKeyspace, "datacenterKeyspace");
        Objects.requireNonNull(durability, "durability");
        Objects.requireNonNull(serverChecks, "serverChecks");
        requirePositive(requestTimeout, "requestTimeout");
        requirePositive(claimTimeout, "claimTimeout");
        requirePositive(isolation, "isolation");
        requirePositive(watchInterval, "watchInterval");
        requireKeyspace(globalKeyspace, "globalKeyspace");
        datacenterKeyspace.ifPresent(name -> requireKeyspace(name, "datacenterKeyspace"));
    }

    public static SequencesConfig defaults() {
        return new SequencesConfig(
                "cassidy",
                Optional.empty(),
                Duration.ofSeconds(5),
                Duration.ofSeconds(15),
                Duration.ofHours(24),
                Duration.ofSeconds(5),
                Durability.WARN,
                ServerChecks.CHECK);
    }

    /** The same with one value changed. */
    private SequencesConfig with(Consumer<Draft> change) {
        Draft draft = new Draft(this);
        change.accept(draft);
        return new SequencesConfig(
                draft.globalKeyspace,
                draft.datacenterKeyspace,
                draft.requestTimeout,
                draft.claimTimeout,
                draft.isolation,
                draft.watchInterval,
                draft.durability,
                draft.serverChecks);
    }

    private static final class Draft {
        String globalKeyspace;
        Optional<String> datacenterKeyspace;
        Duration requestTimeout;
        Duration claimTimeout;
        Duration isolation;
        Duration watchInterval;
        Durability durability;
        ServerChecks serverChecks;

        Draft(SequencesConfig of) {
            globalKeyspace = of.globalKeyspace;
            datacenterKeyspace = of.datacenterKeyspace;
            requestTimeout = of.requestTimeout;
            claimTimeout = of.claimTimeout;
            isolation = of.isolation;
            watchInterval = of.watchInterval;
            durability = of.durability;
            serverChecks = of.serverChecks;
        }
    }

    public SequencesConfig withGlobalKeyspace(String name) {
        return with(draft -> draft.globalKeyspace = name);
    }

    public SequencesConfig withDatacenterKeyspace(String name) {
        return with(draft -> draft.datacenterKeyspace = Optional.of(name));
    }

    public SequencesConfig withRequestTimeout(Duration timeout) {
        return with(draft -> draft.requestTimeout = timeout);
    }

    public SequencesConfig withClaimTimeout(Duration timeout) {
        return with(draft -> draft.claimTimeout = timeout);
    }

    public SequencesConfig withIsolation(Duration time) {
        return with(draft -> draft.isolation = time);
    }

    public SequencesConfig withWatchInterval(Duration interval) {
        return with(draft -> draft.watchInterval = interval);
    }

    public SequencesConfig withDurability(Durability chosen) {
        return with(draft -> draft.durability = chosen);
    }

    public SequencesConfig withServerChecks(ServerChecks chosen) {
        return with(draft -> draft.serverChecks = chosen);
    }

    private static void requirePositive(Duration value, String name) {
        Objects.requireNonNull(value, name);
        if (value.isZero() || value.isNegative()) {
            throw new IllegalArgumentException("must be > 0: " + name + "=" + value);
        }
    }

    private static void requireKeyspace(String name, String option) {
        if (!name.matches("[a-z][a-z0-9_]{0,47}")) {
            throw new IllegalArgumentException(
                    "must be a lower-case keyspace name of at most 48 letters, digits or '_': " + option + "='" + name
                            + "'");
        }
    }
}
