package dev.cassidy.transaction.cassandra;

import com.datastax.oss.driver.api.core.CqlSession;
import dev.cassidy.cluster.JvmTimer;
import dev.cassidy.table.TableWrites;
import dev.cassidy.transaction.CommitResult;
import dev.cassidy.transaction.Committer;
import dev.cassidy.transaction.LockResolver;
import dev.cassidy.transaction.RowChange;
import dev.cassidy.transaction.TransactionFigures;
import dev.cassidy.transaction.TransactionRecord;
import dev.cassidy.transaction.TransactionRecord.State;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * Commits transactions over exact tables of a cluster, and shows and ends those that others left behind. Safe for use by many threads;
 * nothing blocks, and nothing has to be closed.
 */
public final class Transactions {

    private final CassandraRecordStore records;
    private final LockResolver resolver;
    private final Committer committer;

    /**
     * @param plain a session that sends statements as they are; its role needs SELECT and MODIFY on the tables and on the records
     * @param ordering the level and the node of each statement
     * @param recordKeyspace gives the keyspace of the records, by its internal name. Only {@link TableWrites#home} of what it is given
     *     counts: the datacenter's keyspace for a home, the global one if that is empty
     * @param holder who makes these transactions, for operators
     */
    public Transactions(
            CqlSession plain, Ordering ordering, Function<TableWrites, String> recordKeyspace, String holder) {
        this(plain, ordering, plain, ordering, recordKeyspace, holder);
    }

    /**
     * As the other, with a session of another role for the records: then the role of {@code plain} needs no right on Cassidy's tables.
     *
     * @param ofRecords the ordering of statements of the session {@code recording}, whose nodes are other objects
     */
    public Transactions(
            CqlSession plain,
            Ordering ordering,
            CqlSession recording,
            Ordering ofRecords,
            Function<TableWrites, String> recordKeyspace,
            String holder) {
        this(plain, ordering, recording, ofRecords, recordKeyspace, holder, new TransactionFigures());
    }

    /** As the other, and {@code figures} counts how commits end and which locks are met. */
    public Transactions(
            CqlSession plain,
            Ordering ordering,
            CqlSession recording,
            Ordering ofRecords,
            Function<TableWrites, String> recordKeyspace,
            String holder,
            TransactionFigures figures) {
        JvmTimer timer = new JvmTimer();
        SecureRandom random = new SecureRandom();
        CassandraRowStore rows = new CassandraRowStore(plain, new Statements(plain, ordering, timer, random));
        this.records = new CassandraRecordStore(new Statements(recording, ofRecords, timer, random), recordKeyspace);
        this.resolver = new LockResolver(records, rows, timer, random, figures);
        this.committer =
                new Committer(records, rows, resolver, UUID::randomUUID, InstantSource.system(), holder, figures);
    }

    /** As {@link Committer#commit}. */
    public CompletionStage<CommitResult> commit(List<RowChange> changes) {
        return committer.commit(changes);
    }

    /** Returns what ends transactions whose locks are met. */
    public LockResolver resolver() {
        return resolver;
    }

    /**
     * Lists the records of transactions, in no order: of those that are under way, and of those that were left behind.
     *
     * @param home the datacenter that decides; empty if all do
     */
    public CompletionStage<List<TransactionSummary>> list(String home) {
        return records.list(home);
    }

    /** Returns the record of a transaction; empty if there is none, which is so after it has ended. */
    public CompletionStage<Optional<TransactionRecord>> status(String home, UUID id) {
        return records.read(home, id);
    }

    /** As {@link LockResolver#resolve}. */
    public CompletionStage<Optional<State>> resolve(String home, UUID id) {
        return resolver.resolve(home, id);
    }
}
