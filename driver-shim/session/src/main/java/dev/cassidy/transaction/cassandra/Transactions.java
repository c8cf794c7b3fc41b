package dev.cassidy.transaction.cassandra;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.Statement;
import dev.cassidy.cluster.JvmTimer;
import dev.cassidy.cluster.Schema;
import dev.cassidy.table.TableWrites;
import dev.cassidy.transaction.CommitResult;
import dev.cassidy.transaction.Committer;
import dev.cassidy.transaction.Deadline;
import dev.cassidy.transaction.LockResolver;
import dev.cassidy.transaction.RowChange;
import dev.cassidy.transaction.RowClaims;
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
 * Commits transactions over exact tables of a cluster, and shows and ends those that others left behind. From the first commit on, until
 * it is closed, it looks for these about once a minute. Safe for use by many threads; nothing blocks.
 */
public final class Transactions implements AutoCloseable {

    private final CassandraRecordStore records;
    private final CassandraRowStore rows;
    private final LockResolver resolver;
    private final Committer committer;
    private final RowClaims claims;
    private final Sweeper sweeper;

    /** Of the sweeper alone: commits that are under way at the end have their own, and go on. */
    private final JvmTimer sweeping = new JvmTimer();

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
        Statements exact = new Statements(plain, exactly(ordering), timer, random);
        Statements own = new Statements(recording, inAnyCase(ofRecords), timer, random);
        this.rows = new CassandraRowStore(plain, exact, recording.equals(plain) ? exact : own, UUID::randomUUID);
        this.records = new CassandraRecordStore(own, recordKeyspace);
        this.resolver = new LockResolver(records, rows, timer, random, figures);
        this.claims = new RowClaims(rows::mark, resolver, UUID::randomUUID);
        this.committer =
                new Committer(records, rows, resolver, UUID::randomUUID, InstantSource.system(), holder, figures);
        this.sweeper = new Sweeper(
                records,
                resolver,
                sweeping,
                random,
                InstantSource.system(),
                () -> plain.isClosed() || recording.isClosed());
    }

    /**
     * Where the records are.
     *
     * @param globalKeyspace by its internal name
     * @param datacenterKeyspace of {@code datacenter}, if it was named
     * @param datacenter that of the sessions
     */
    public record Records(String globalKeyspace, Optional<String> datacenterKeyspace, String datacenter) {

        private String keyspace(TableWrites table) {
            return table.isEverywhere()
                    ? globalKeyspace
                    : datacenterKeyspace
                            .filter(named -> table.home().equals(datacenter))
                            .orElseGet(() -> Schema.datacenterKeyspace(globalKeyspace, table.home()));
        }
    }

    /**
     * Orders statements by the contract of their table, and never by the settings of a session: also those of the records.
     *
     * @param plain sends statements as they are
     * @param recording that of the records, of another role perhaps
     * @param refusal makes the error for a statement that no node can take, of its message
     */
    public static Transactions of(
            CqlSession plain,
            CqlSession recording,
            Records where,
            Function<String, RuntimeException> refusal,
            String holder,
            TransactionFigures figures) {
        return new Transactions(
                plain,
                new HomeNodes(plain, where.datacenter(), refusal),
                recording,
                new HomeNodes(recording, where.datacenter(), refusal),
                where::keyspace,
                holder,
                figures);
    }

    /** At another level than others write at, a condition would not see their writes. */
    private static Ordering exactly(Ordering ordering) {
        return (statement, table) -> {
            Statement<?> ordered = ordering.ordered(statement, table);
            if (ordered.getSerialConsistencyLevel() == null) {
                throw new IllegalStateException("table " + table.name()
                        + " is not known to be written exactly any more, and nothing was sent to it");
            }
            return ordered;
        };
    }

    /** Records are not in the contracts of tables. All replicas of a home's records are there, so that SERIAL asks the same nodes. */
    private static Ordering inAnyCase(Ordering ordering) {
        return (statement, table) -> {
            Statement<?> ordered = ordering.ordered(statement, table);
            return ordered.getSerialConsistencyLevel() == null
                    ? ordered.setSerialConsistencyLevel(ConsistencyLevel.SERIAL)
                            .setConsistencyLevel(ConsistencyLevel.QUORUM)
                    : ordered;
        };
    }

    /** As {@link Committer#commit(List)}. */
    public CompletionStage<CommitResult> commit(List<RowChange> changes) {
        return commit(changes, Deadline.NONE);
    }

    /** As {@link Committer#commit(List, Deadline)}. */
    public CompletionStage<CommitResult> commit(List<RowChange> changes, Deadline deadline) {
        if (changes.isEmpty()) {
            return committer.commit(changes, deadline);
        }
        String home = changes.get(0).table().home();
        sweeper.begin(home);
        return committer.commit(changes, deadline).whenComplete((result, failure) -> {
            if (result != null) {
                sweeper.completeLater(home, result);
            }
        });
    }

    /** Returns what sets claims on rows, and takes them back. */
    public RowClaims claims() {
        return claims;
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

    /** Looks for nothing any more. Commits that are under way go on, and so may others; the sessions stay open. */
    @Override
    public void close() {
        sweeping.close();
    }
}
