package dev.cassidy.jdbc.session;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import dev.cassidy.cluster.Installations;
import dev.cassidy.cql.ExplicitIds;
import dev.cassidy.cql.IdentitySession;
import dev.cassidy.jdbc.error.SqlErrors;
import dev.cassidy.jdbc.error.SqlStates;
import dev.cassidy.remedy.CommandLines;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.cassandra.InternalAccess;
import dev.cassidy.sequence.cassandra.Sequences;
import dev.cassidy.transaction.TransactionFigures;
import dev.cassidy.transaction.cassandra.Transactions;
import java.sql.SQLException;
import java.sql.SQLSyntaxErrorException;
import java.sql.SQLTransientException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The IdentitySession around a session of the driver, opened when it is first needed and Cassidy's keyspaces exist. Safe
 * for use by many threads.
 */
final class LazyIdentitySession implements AutoCloseable {

    /** Long enough to cost nothing; installing Cassidy, registering a table and issuing an id takes longer. */
    private static final Duration ABSENCE_REMEMBERED = Duration.ofSeconds(1);

    private final CqlSession plain;

    /** Of {@code sequencesUser}, for Cassidy's own statements; null if they go through {@link #plain}. */
    private final @Nullable CqlSession ofSequences;

    private final SequencesConfig config;

    /** Whether the installation was named: then a cluster without it is an error, and not one without Cassidy. */
    private final boolean named;

    private final CommandLines lines;
    private final LongSupplier nanoTime;
    private final OpenSequences openSequences;
    private final TransactionFigures figures;
    private volatile @Nullable IdentitySession identity;
    private volatile @Nullable Transactions transactions;
    private volatile @Nullable Long absentAt;
    private boolean closed;

    /** The caller that opens the sequences does so for all who want them: they share its failure too. */
    private final AtomicReference<@Nullable CompletableFuture<IdentitySession>> opening = new AtomicReference<>();

    /**
     * @param plain closed with this one, and so is {@code ofSequences}
     * @param figures counts transactions
     */
    LazyIdentitySession(
            CqlSession plain,
            @Nullable CqlSession ofSequences,
            ConnectionSettings settings,
            CommandLines lines,
            LongSupplier nanoTime,
            OpenSequences openSequences,
            TransactionFigures figures) {
        this.plain = plain;
        this.ofSequences = ofSequences;
        this.config = settings.sequences();
        this.named = settings.isGiven(ConnectionOption.GLOBAL_KEYSPACE);
        this.lines = lines;
        // Here, and not at the first insert.
        this.nanoTime = nanoTime;
        this.openSequences = openSequences;
        this.figures = figures;
    }

    /**
     * Refuses an installation that was named and is not there. Usually the driver has read that it is, and nobody is asked.
     * Where nobody answers, nothing is refused here: {@link #writing} asks again.
     *
     * @param most how long to wait for an answer
     */
    void requireInstalled(Duration most) throws SQLException {
        if (named && !Installations.isKnown(plain, config.globalKeyspace())) {
            throwIfPresent(refusal()
                    .toCompletableFuture()
                    .completeOnTimeout(Optional.empty(), most.toNanos(), TimeUnit.NANOSECONDS)
                    .exceptionally(failure -> Optional.empty())
                    .join());
        }
    }

    private CompletionStage<Optional<SequenceException>> refusal() {
        return Installations.refusal(
                plain, config.globalKeyspace(), NodeCounts.of(plain).datacenter(), config.requestTimeout());
    }

    private void throwIfPresent(Optional<SequenceException> refusal) throws SQLException {
        if (refusal.isPresent()) {
            throw SqlErrors.of(refusal.get(), lines);
        }
    }

    /**
     * Returns the session for statements that may insert: it fills identities and keeps explicit ids from overwriting
     * issued ones. It is the driver's own session only on a cluster without Cassidy, where no table can be registered.
     *
     * @throws SQLException also if an installation was named that is not there
     */
    CqlSession writing() throws SQLException {
        IdentitySession known = identity;
        if (known != null) {
            return known;
        }
        Long noticed = absentAt;
        if (noticed != null && nanoTime.getAsLong() - noticed < ABSENCE_REMEMBERED.toNanos()) {
            return plain;
        }
        try {
            // The cluster is asked, because the driver's view of the schema lags, and may be switched off.
            if (isCassidyAbsent()) {
                if (!named) {
                    absentAt = nanoTime.getAsLong();
                    return plain;
                }
                throwIfPresent(refusal().toCompletableFuture().join());
            }
            return identity();
        } catch (RuntimeException e) {
            throw withoutIdentities(SqlErrors.of(e, lines));
        }
    }

    private boolean isCassidyAbsent() {
        return plain.execute(SimpleStatement.newInstance(
                                        "SELECT keyspace_name FROM system_schema.keyspaces WHERE keyspace_name = ?",
                                        config.globalKeyspace())
                                .setConsistencyLevel(ConsistencyLevel.ONE))
                        .one()
                == null;
    }

    private SQLException withoutIdentities(SQLException cause) {
        if (!SqlStates.NO_KEYSPACE.equals(cause.getSQLState())) {
            return cause;
        }
        return new SQLSyntaxErrorException(
                "Nothing was written: keyspace " + config.globalKeyspace()
                        + " exists, so tables may have identities, or be"
                        + " written exactly, but this cannot be checked. An explicit id might overwrite an"
                        + " issued one, and a plain write might be lost. "
                        + cause.getMessage() + ". Restore Cassidy's keyspaces if anything of them was lost",
                cause.getSQLState(),
                cause);
    }

    /**
     * Returns the session that fills identities.
     *
     * @throws SequenceException.SchemaMissing if Cassidy's keyspaces do not exist; it says how to create them
     */
    IdentitySession identity() {
        IdentitySession known = identity;
        if (known != null) {
            return known;
        }
        CompletableFuture<IdentitySession> mine = new CompletableFuture<>();
        CompletableFuture<IdentitySession> others = opening.compareAndExchange(null, mine);
        if (others != null) {
            return others.join();
        }
        try {
            IdentitySession opened = openIdentity();
            mine.complete(opened);
            return opened;
        } catch (Throwable e) {
            mine.completeExceptionally(e);
            throw e;
        } finally {
            opening.set(null);
        }
    }

    /** Returns what commits transactions over exact tables, once there is an installation. */
    Transactions transactions() {
        Transactions known = transactions;
        return known == null ? openTransactions() : known;
    }

    private Transactions openTransactions() {
        // Outside of the lock: it may wait for the cluster.
        IdentitySession identities = identity();
        synchronized (this) {
            Transactions known = transactions;
            if (known == null) {
                known = openTransactions(identities);
                transactions = known;
                if (closed) {
                    known.close();
                }
            }
            return known;
        }
    }

    private Transactions openTransactions(IdentitySession identities) {
        return Transactions.of(
                plain,
                ofSequences == null ? plain : ofSequences,
                new Transactions.Records(
                        config.globalKeyspace(),
                        config.datacenterKeyspace(),
                        InternalAccess.tables(identities.sequences()).datacenter()),
                message -> new CompletionException(new SQLTransientException(message, SqlStates.CONFLICT)),
                identities.sequences().holder(),
                figures);
    }

    /** Returns a number that grows with each change of what inserts do, once the session is open; asks nobody. */
    long generation() {
        IdentitySession known = identity;
        return known == null ? 0 : InternalAccess.tables(known.sequences()).generation();
    }

    private IdentitySession openIdentity() {
        IdentitySession known = identity;
        if (known != null) {
            return known;
        }
        IdentitySession opened = (ofSequences == null
                        ? IdentitySession.wrap(plain, config)
                        : IdentitySession.wrap(plain, Sequences.open(ofSequences, config)))
                .withExplicitIds(ExplicitIds.REFUSE);
        synchronized (this) {
            if (!closed) {
                identity = opened;
                openSequences.opened(opened.sequences());
                return opened;
            }
        }
        close(opened);
        throw new IllegalStateException("The session is closed");
    }

    @Override
    public void close() {
        IdentitySession known;
        synchronized (this) {
            closed = true;
            known = identity;
            if (transactions != null) {
                transactions.close();
            }
        }
        if (known != null) {
            try {
                openSequences.closing(known.sequences());
            } finally {
                close(known);
            }
            return;
        }
        try {
            if (ofSequences != null) {
                ofSequences.close();
            }
        } finally {
            plain.close();
        }
    }

    /** The sequences close first, because they return unused ids through their session. */
    private void close(IdentitySession opened) {
        try {
            if (ofSequences != null) {
                try {
                    opened.sequences().close();
                } finally {
                    ofSequences.close();
                }
            }
        } finally {
            opened.close();
        }
    }
}
