package dev.cassidy.cql;

import com.datastax.oss.driver.api.core.CqlSession;
import dev.cassidy.cql.IdentityInsertException.Reason;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.table.OtherInstallations;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.LongSupplier;

/**
 * Refuses inserts into tables that another installation of Cassidy numbers: an id of this session's choice could overwrite one
 * of its rows. Safe for use by many threads; nothing blocks.
 */
public final class ForeignTables {

    private static final CompletionStage<Void> OWN = CompletableFuture.completedFuture(null);

    private final OtherInstallations others;
    private final String own;

    private ForeignTables(OtherInstallations others, String own) {
        this.others = others;
        this.own = own;
    }

    /**
     * Those of a session's cluster.
     *
     * @param config of the session's installation, whether that exists or not
     */
    public static ForeignTables of(CqlSession session, SequencesConfig config, LongSupplier nanoTime) {
        return new ForeignTables(
                OtherInstallations.of(session, config.globalKeyspace(), config.requestTimeout(), nanoTime),
                config.globalKeyspace());
    }

    /**
     * Refuses an insert into a table of which this session's installation has no identity.
     *
     * @return a stage that fails with an {@link IdentityInsertException} if another installation numbers it
     */
    public CompletionStage<Void> refuse(String keyspace, String table) {
        CompletionStage<Optional<String>> owner = others.ownerOf(keyspace, table);
        if (owner instanceof CompletableFuture<Optional<String>> known
                && known.isDone()
                && !known.isCompletedExceptionally()
                && known.join().isEmpty()) {
            // The usual case, without a stage of its own.
            return OWN;
        }
        return owner.thenAccept(found -> found.ifPresent(other -> {
            throw new IdentityInsertException(
                    Reason.OTHER_INSTALLATION,
                    "the insert is into " + keyspace + "." + table + ", which the installation of keyspace " + other
                            + " numbers, and this session's is that of " + own
                            + ": its ids could overwrite rows. Give globalKeyspace=" + other);
        }));
    }
}
