package dev.cassidy.migration.target;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.Statement;
import dev.cassidy.async.Stages;
import dev.cassidy.cluster.Datacenters;
import dev.cassidy.cluster.Schema;
import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.migration.error.MigrationException;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.cassandra.Sequences;
import dev.cassidy.table.TableWrites;
import dev.cassidy.transaction.CommitResult;
import dev.cassidy.transaction.LockResolver;
import dev.cassidy.transaction.RowChange;
import dev.cassidy.transaction.TransactionFailedException;
import dev.cassidy.transaction.TransactionRecord;
import dev.cassidy.transaction.TransactionRecord.State;
import dev.cassidy.transaction.cassandra.HomeNodes;
import dev.cassidy.transaction.cassandra.Ordering;
import dev.cassidy.transaction.cassandra.TransactionSummary;
import dev.cassidy.transaction.cassandra.Transactions;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;

/**
 * The records of transactions of an installation: those of its datacenters, and those of tables whose writes all datacenters order.
 * It commits transactions of the command's own, too, until it is closed. All methods block. Safe for use by many threads.
 */
public final class OpenTransactions implements AutoCloseable {

    /** The home of tables whose writes all datacenters order. */
    public static final String EVERYWHERE = "";

    private final String datacenter;
    private final Ordering ordering;

    /** The keyspace of the records of each home, by its name. */
    private final Map<String, String> keyspaces;

    private final Transactions transactions;

    private OpenTransactions(
            String datacenter, Ordering ordering, Map<String, String> keyspaces, Transactions transactions) {
        this.datacenter = datacenter;
        this.ordering = ordering;
        this.keyspaces = keyspaces;
        this.transactions = transactions;
    }

    /** @param recording the session for Cassidy's keyspaces */
    static OpenTransactions of(CqlSession session, CqlSession recording, Sequences sequences) {
        SequencesConfig config = sequences.config();
        String datacenter = sequences.localDatacenter();
        Map<String, String> keyspaces = new TreeMap<>();
        await(Datacenters.of(recording, config.globalKeyspace(), datacenter, config.requestTimeout())
                        .others())
                .forEach((other, keyspace) -> {
                    // One that joins has none yet, and so no records.
                    if (recording
                            .getMetadata()
                            .getKeyspace(CqlIdentifier.fromInternal(keyspace))
                            .isPresent()) {
                        keyspaces.put(other, keyspace);
                    }
                });
        keyspaces.put(
                datacenter,
                config.datacenterKeyspace()
                        .orElseGet(() -> Schema.datacenterKeyspace(config.globalKeyspace(), datacenter)));
        keyspaces.put(EVERYWHERE, config.globalKeyspace());
        Ordering ordering = ordering(session, datacenter);
        return new OpenTransactions(
                datacenter,
                ordering,
                keyspaces,
                new Transactions(
                        session,
                        ordering,
                        recording,
                        ofRecords(recording, datacenter),
                        table -> Objects.requireNonNull(keyspaces.get(table.home()), table.home()),
                        sequences.holder()));
    }

    private static Ordering ordering(CqlSession session, String datacenter) {
        return new HomeNodes(session, datacenter, message -> new MigrationException(ExitCode.REFUSED, message));
    }

    /**
     * The records of another datacenter have replicas there alone. So those that must agree are the same at SERIAL as at LOCAL_SERIAL
     * there, and a node of this datacenter may ask them.
     */
    private static Ordering ofRecords(CqlSession recording, String datacenter) {
        Ordering here = ordering(recording, datacenter);
        return (statement, table) ->
                table.home().equals(datacenter) ? here.ordered(statement, table) : everywhere(statement);
    }

    private static Statement<?> everywhere(Statement<?> statement) {
        return statement
                .setSerialConsistencyLevel(ConsistencyLevel.SERIAL)
                .setConsistencyLevel(ConsistencyLevel.QUORUM);
    }

    /** Returns the homes whose transactions are known: this datacenter first, then those of {@link #EVERYWHERE}, then the others. */
    public List<String> homes() {
        List<String> homes = new ArrayList<>(List.of(datacenter, EVERYWHERE));
        keyspaces.keySet().stream().filter(home -> !homes.contains(home)).forEach(homes::add);
        return homes;
    }

    /** Returns whether transactions of a home are decided by nodes that this session reaches. */
    public boolean isDecidedHere(String home) {
        return home.equals(EVERYWHERE) || home.equals(datacenter);
    }

    /** Returns the records of a home, in no order, as a majority has them. */
    public List<TransactionSummary> list(String home) {
        return await(transactions.list(home));
    }

    /** Returns a record, as the conditional statements have left it; empty if there is none. */
    public Optional<TransactionRecord> find(String home, UUID id) {
        return await(transactions.status(home, id));
    }

    /**
     * Aborts a pending transaction, writes the rows of a committed one and releases those of an aborted one.
     *
     * @return how it ended; empty if there is no record, or if it is not known
     */
    public Optional<State> resolve(String home, UUID id) {
        return await(transactions.resolve(home, id));
    }

    /**
     * Removes the record of an aborted transaction whose process has ended.
     *
     * @return whether it is known to be removed
     */
    public boolean forget(String home, UUID id) {
        return await(transactions.resolver().forget(home, id));
    }

    // ---- rows of exact tables

    /** Returns a statement at the levels, and for a node, of those who decide the writes of a table. */
    public Statement<?> ordered(Statement<?> statement, TableWrites table) {
        return ordering.ordered(statement, table);
    }

    /**
     * Makes all changes, or none.
     *
     * @throws TransactionFailedException if nothing was written, because of an error
     */
    public CommitResult commit(List<RowChange> changes) {
        return await(transactions.commit(changes));
    }

    /**
     * Ends the transaction that holds a row which is read, if it is over.
     *
     * @return whether the row has to be read again; if not, the values that it has count
     */
    public boolean isEnded(TableWrites table, Map<String, ByteBuffer> key, ByteBuffer mark) {
        return await(transactions.resolver().met(table, key, mark, false)) == LockResolver.Met.FREED;
    }

    @Override
    public void close() {
        transactions.close();
    }

    private static <T> T await(CompletionStage<T> stage) {
        try {
            return stage.toCompletableFuture().get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new MigrationException(
                    ExitCode.INTERRUPTED, "interrupted; every step can be repeated, so run it again", e);
        } catch (ExecutionException e) {
            Throwable cause = Stages.cause(e);
            if (cause instanceof RuntimeException failure) {
                throw failure;
            }
            throw new IllegalStateException(cause);
        }
    }
}
