package dev.cassidy.table;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.servererrors.QueryValidationException;
import dev.cassidy.async.Stages;
import dev.cassidy.cluster.LocalCluster;
import dev.cassidy.lwt.ConditionalStatements;
import dev.cassidy.sequence.SequenceException;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * What is declared of tables of counters, for a process that opens one. It reads what the one table needs, and nothing else.
 *
 * <p>Safe for use by many threads; nothing blocks.
 */
public final class CounterTables {

    private final ConditionalStatements global;
    private final ConditionalStatements local;
    private final String globalKeyspace;
    private final String localKeyspace;
    private final OtherInstallations others;

    private CounterTables(
            ConditionalStatements global,
            ConditionalStatements local,
            String globalKeyspace,
            String localKeyspace,
            OtherInstallations others) {
        this.global = global;
        this.local = local;
        this.globalKeyspace = globalKeyspace;
        this.localKeyspace = localKeyspace;
        this.others = others;
    }

    /** Those of an installation. */
    public static CounterTables of(LocalCluster cluster, String globalKeyspace, Duration timeout) {
        return new CounterTables(
                ConditionalStatements.acrossDatacenters(cluster.session(), timeout),
                ConditionalStatements.withinDatacenter(cluster.session(), timeout),
                globalKeyspace,
                cluster.keyspace(),
                OtherInstallations.of(cluster.session(), globalKeyspace, timeout, System::nanoTime));
    }

    /**
     * Looks up what is declared of the table of counters that has an id; empty if nothing is. While the global keyspace does not
     * answer, this datacenter's copy does, if it is complete: then it does not change.
     *
     * @return a stage that fails with a {@link SequenceException.Conflict} if another installation counts in the table, or is about
     *     to while nothing is declared here
     */
    public CompletionStage<Optional<DeclaredCounters>> find(String keyspace, String table, UUID id) {
        TableName name = new TableName(keyspace, table);
        return declared(name, id).thenCompose(found -> others.counting(name, id).thenApply(other -> {
            other.filter(foreign -> foreign.counts() || found.isEmpty()).ifPresent(foreign -> {
                throw ofAnother(name, foreign, globalKeyspace);
            });
            return found;
        }));
    }

    private CompletionStage<Optional<DeclaredCounters>> declared(TableName name, UUID id) {
        return ContractRow.counters(global, ConsistencyLevel.QUORUM, globalKeyspace, name, id)
                .exceptionallyCompose(failure -> Stages.cause(failure) instanceof QueryValidationException
                        ? CompletableFuture.failedFuture(failure)
                        : ContractRow.counters(local, ConsistencyLevel.LOCAL_QUORUM, localKeyspace, name, id)
                                // It may be declared, and not copied; a copied claim may be complete since.
                                .thenCompose(copied ->
                                        copied.filter(each -> !each.pending()).isPresent()
                                                ? CompletableFuture.completedFuture(copied)
                                                : CompletableFuture.failedFuture(failure)));
    }

    /** Returns the refusal of a table in which another installation counts, or is about to. */
    static SequenceException.Conflict ofAnother(TableName name, ForeignCounters other, String own) {
        String table = name.asCql();
        if (other.counts()) {
            return new SequenceException.Conflict("table " + table
                    + " is a table of counters of the installation of keyspace " + other.installation()
                    + ", and this is that of " + own
                    + ": each would settle increments of the other away. Give globalKeyspace=" + other.installation());
        }
        return new SequenceException.Conflict("table " + table
                + " is being declared as one of counters by the installation of keyspace " + other.installation()
                + ", and this is that of " + own
                + ": only one counts in it. Call again. If that does not help, a process"
                + " of the other one has ended before it was done: complete it by cassidy counters adopt --table "
                + table + " --kind " + other.declared().table().kind() + " --global-keyspace " + other.installation()
                + ", and count with globalKeyspace=" + other.installation());
    }
}
