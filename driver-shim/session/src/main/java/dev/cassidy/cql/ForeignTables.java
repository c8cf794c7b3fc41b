package dev.cassidy.cql;

import com.datastax.oss.driver.api.core.CqlSession;
import dev.cassidy.cql.IdentityInsertException.Reason;
import dev.cassidy.insert.CqlChange;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.table.ForeignContract;
import dev.cassidy.table.OtherInstallations;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Refuses writes to tables that another installation of Cassidy has a contract of: an id of this session's choice could overwrite
 * a row, and this session does not know the rules of the columns. Safe for use by many threads; nothing blocks.
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
     * Refuses what a statement writes to another installation's tables. What such a table is only numbered by, UPDATE and DELETE
     * do not touch.
     *
     * @param unqualified the keyspace of a table that is named without one; null if there is none
     * @return a stage that fails with an {@link IdentityInsertException}
     */
    public CompletionStage<Void> refuse(String cql, @Nullable String unqualified) {
        return refuse(CqlChange.of(cql), unqualified);
    }

    /** As {@link #refuse(String, String)}, of what a statement changes. */
    CompletionStage<Void> refuse(List<CqlChange> changes, @Nullable String unqualified) {
        CompletionStage<Void> allowed = OWN;
        for (CqlChange each : changes) {
            String keyspace = each.keyspace() == null ? unqualified : each.keyspace();
            // Without a keyspace the server refuses the statement.
            if (keyspace != null && each.writesRows()) {
                CompletionStage<Void> next = refuse(each.verb(), keyspace, Objects.requireNonNull(each.name()));
                allowed = allowed == OWN ? next : allowed.thenCompose(before -> next);
            }
        }
        return allowed;
    }

    /**
     * Refuses an insert into a table of which this session's installation has no identity.
     *
     * @return a stage that fails with an {@link IdentityInsertException}
     */
    CompletionStage<Void> refuseInsert(String keyspace, String table) {
        return refuse(CqlChange.INSERT, keyspace, table);
    }

    /**
     * Refuses a write of a table of which another installation keeps the rules.
     *
     * @param verb of the statement, in capitals
     * @param keyspace internal name
     * @param table internal name
     * @return a stage that fails with an {@link IdentityInsertException}
     */
    public CompletionStage<Void> refuse(String verb, String keyspace, String table) {
        CompletionStage<Optional<ForeignContract>> contract = others.contractOf(keyspace, table);
        if (contract instanceof CompletableFuture<Optional<ForeignContract>> known
                && known.isDone()
                && !known.isCompletedExceptionally()
                && known.join().isEmpty()) {
            // The usual case, without a stage of its own.
            return OWN;
        }
        return contract.thenAccept(found -> found.ifPresent(other -> {
            if (other.numbers() && verb.equals(CqlChange.INSERT)) {
                throw refusal(
                        "the insert is into " + keyspace + "." + table + ", which the installation of keyspace "
                                + other.installation() + " numbers",
                        "its ids could overwrite rows",
                        other);
            }
            if (other.rules()) {
                throw refusal(
                        "the " + verb + " is of " + keyspace + "." + table
                                + ", whose contract the installation of keyspace " + other.installation() + " keeps",
                        "it would not keep the rules of the columns",
                        other);
            }
        }));
    }

    private IdentityInsertException refusal(String what, String danger, ForeignContract other) {
        return new IdentityInsertException(
                Reason.OTHER_INSTALLATION,
                what + ", and this session's is that of " + own + ": " + danger + ". Give globalKeyspace="
                        + other.installation());
    }
}
