package dev.cassidy.sequence;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/**
 * How sequences are opened. Values are checked, never corrected.
 *
 * @param globalKeyspace Cassidy's global keyspace, touched at SERIAL only; default {@code cassidy}
 * @param datacenterKeyspace this datacenter's keyspace, touched at LOCAL_SERIAL only; by default the global one's name,
 *     {@code _} and the datacenter's name in lower case, with {@code _} for every other character
 * @param requestTimeout how long one statement may take; default 5 s
 * @param claimTimeout how long a caller may wait for an id; default 15 s
 * @param prefetchThreshold the used fraction of a block at which the next one is claimed; default 0.5
 * @param isolation how long a datacenter shall be able to issue ids while it is cut off from the others, at the rate of
 *     its busiest hour in seven days; default 24 h
 * @param reserveThreshold the fraction of a datacenter's reserve at which its next range is asked for; default 0.5, so
 *     that up to twice the isolation is reserved
 * @param watchInterval how often a live allocator looks whether its sequence was reseeded; default 5 s
 * @param alarms when an alarm is raised about a sequence that this process uses; default 50, 70, 85 and 95 % used, or
 *     fewer than 180 days left
 */
public record SequencesConfig(
        String globalKeyspace,
        Optional<String> datacenterKeyspace,
        Duration requestTimeout,
        Duration claimTimeout,
        double prefetchThreshold,
        Duration isolation,
        double reserveThreshold,
        Duration watchInterval,
        AlarmThresholds alarms) {

    public SequencesConfig {
        Objects.requireNonNull(globalKeyspace, "globalKeyspace");
        Objects.requireNonNull(datacenterKeyspace, "datacenterKeyspace");
        Objects.requireNonNull(alarms, "alarms");
        requirePositive(requestTimeout, "requestTimeout");
        requirePositive(claimTimeout, "claimTimeout");
        requirePositive(isolation, "isolation");
        requirePositive(watchInterval, "watchInterval");
        requireFraction(prefetchThreshold, "prefetchThreshold");
        requireFraction(reserveThreshold, "reserveThreshold");
        requireKeyspace(globalKeyspace, "globalKeyspace");
        datacenterKeyspace.ifPresent(name -> requireKeyspace(name, "datacenterKeyspace"));
    }

    public static SequencesConfig defaults() {
        return new SequencesConfig(
                "cassidy",
                Optional.empty(),
                Duration.ofSeconds(5),
                Duration.ofSeconds(15),
                0.5,
                Duration.ofHours(24),
                0.5,
                Duration.ofSeconds(5),
                AlarmThresholds.defaults());
    }

    public SequencesConfig withGlobalKeyspace(String name) {
        return new SequencesConfig(
                name,
                datacenterKeyspace,
                requestTimeout,
                claimTimeout,
                prefetchThreshold,
                isolation,
                reserveThreshold,
                watchInterval,
                alarms);
    }

    public SequencesConfig withDatacenterKeyspace(String name) {
        return new SequencesConfig(
                globalKeyspace,
                Optional.of(name),
                requestTimeout,
                claimTimeout,
                prefetchThreshold,
                isolation,
                reserveThreshold,
                watchInterval,
                alarms);
    }

    public SequencesConfig withRequestTimeout(Duration timeout) {
        return new SequencesConfig(
                globalKeyspace,
                datacenterKeyspace,
                timeout,
                claimTimeout,
                prefetchThreshold,
                isolation,
                reserveThreshold,
                watchInterval,
                alarms);
    }

    public SequencesConfig withClaimTimeout(Duration timeout) {
        return new SequencesConfig(
                globalKeyspace,
                datacenterKeyspace,
                requestTimeout,
                timeout,
                prefetchThreshold,
                isolation,
                reserveThreshold,
                watchInterval,
                alarms);
    }

    public SequencesConfig withPrefetchThreshold(double fraction) {
        return new SequencesConfig(
                globalKeyspace,
                datacenterKeyspace,
                requestTimeout,
                claimTimeout,
                fraction,
                isolation,
                reserveThreshold,
                watchInterval,
                alarms);
    }

    public SequencesConfig withIsolation(Duration time) {
        return new SequencesConfig(
                globalKeyspace,
                datacenterKeyspace,
                requestTimeout,
                claimTimeout,
                prefetchThreshold,
                time,
                reserveThreshold,
                watchInterval,
                alarms);
    }

    public SequencesConfig withReserveThreshold(double fraction) {
        return new SequencesConfig(
                globalKeyspace,
                datacenterKeyspace,
                requestTimeout,
                claimTimeout,
                prefetchThreshold,
                isolation,
                fraction,
                watchInterval,
                alarms);
    }

    public SequencesConfig withWatchInterval(Duration interval) {
        return new SequencesConfig(
                globalKeyspace,
                datacenterKeyspace,
                requestTimeout,
                claimTimeout,
                prefetchThreshold,
                isolation,
                reserveThreshold,
                interval,
                alarms);
    }

    public SequencesConfig withAlarms(AlarmThresholds thresholds) {
        return new SequencesConfig(
                globalKeyspace,
                datacenterKeyspace,
                requestTimeout,
                claimTimeout,
                prefetchThreshold,
                isolation,
                reserveThreshold,
                watchInterval,
                thresholds);
    }

    private static void requireFraction(double value, String name) {
        if (!(value > 0 && value <= 1)) {
            throw new IllegalArgumentException("must be > 0 and <= 1: " + name + "=" + value);
        }
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
