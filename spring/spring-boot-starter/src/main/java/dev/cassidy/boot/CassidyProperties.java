package dev.cassidy.boot;

import dev.cassidy.cql.ExplicitIds;
import dev.cassidy.sequence.Durability;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.ServerChecks;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * How Cassidy is used for the application's {@code CqlSession}. The options of JDBC are in its URL instead.
 *
 * @param enabled whether the application's CqlSessions fill identity columns
 * @param observed whether the statements of the application's CqlSessions are observed, as Spring Data Cassandra does it, so that
 *     they have spans and timers
 * @param globalKeyspace Cassidy's global keyspace
 * @param datacenterKeyspace the keyspace of the local datacenter. The default is made of the global one and the datacenter's name
 * @param requestTimeout the longest time that one statement of Cassidy may take
 * @param claimTimeout the longest time that a caller waits for an id
 * @param explicitIds which ids an INSERT may name itself. The default is pass if Spring Data Cassandra is on the class path, since its
 *     save of a loaded entity is an INSERT, and issued otherwise
 * @param durability what happens if nodes acknowledge writes before they are on disk, and may forget claims when they are killed
 * @param serverChecks whether the nodes' settings on which uniqueness depends are checked
 */
@ConfigurationProperties("cassidy")
public record CassidyProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("false") boolean observed,
        @DefaultValue("cassidy") String globalKeyspace,
        @Nullable String datacenterKeyspace,
        @DefaultValue("5s") Duration requestTimeout,
        @DefaultValue("15s") Duration claimTimeout,
        @Nullable ExplicitIds explicitIds,
        @DefaultValue("warn") Durability durability,
        @DefaultValue("check") ServerChecks serverChecks) {

    /** Refuses at the start of the application what {@link SequencesConfig} refuses. */
    public CassidyProperties {
        config(globalKeyspace, datacenterKeyspace, requestTimeout, claimTimeout, durability, serverChecks);
    }

    /** Returns the ids that are accepted. */
    ExplicitIds acceptedIds(boolean springData) {
        if (explicitIds != null) {
            return explicitIds;
        }
        return springData ? ExplicitIds.PASS : ExplicitIds.ISSUED;
    }

    /** Returns how the sequences are opened; what has no property has its default. */
    SequencesConfig sequences() {
        return config(globalKeyspace, datacenterKeyspace, requestTimeout, claimTimeout, durability, serverChecks);
    }

    private static SequencesConfig config(
            String globalKeyspace,
            @Nullable String datacenterKeyspace,
            Duration requestTimeout,
            Duration claimTimeout,
            Durability durability,
            ServerChecks serverChecks) {
        SequencesConfig config = SequencesConfig.defaults()
                .withGlobalKeyspace(globalKeyspace)
                .withRequestTimeout(requestTimeout)
                .withClaimTimeout(claimTimeout)
                .withDurability(durability)
                .withServerChecks(serverChecks);
        return datacenterKeyspace == null ? config : config.withDatacenterKeyspace(datacenterKeyspace);
    }
}
