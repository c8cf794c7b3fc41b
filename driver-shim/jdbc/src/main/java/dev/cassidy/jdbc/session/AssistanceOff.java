package dev.cassidy.jdbc.session;

import dev.cassidy.cql.IdentitySession;
import dev.cassidy.sequence.cassandra.InternalAccess;
import dev.cassidy.toggle.Assistance;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What an operator has turned off of the statements that are evaluated in the client. Safe for use by many threads. */
public final class AssistanceOff {

    /** Each attempt opens the sequences, and may take a time-out. */
    private static final Duration FAILURE_REMEMBERED = Duration.ofMinutes(1);

    private final LazyIdentitySession session;
    private final LongSupplier nanoTime;
    private volatile @Nullable Long failedAt;

    AssistanceOff(LazyIdentitySession session, LongSupplier nanoTime) {
        this.session = session;
        this.nanoTime = nanoTime;
    }

    /**
     * Returns what turns a statement off; empty if it is on, and where Cassidy's keyspaces cannot be used. The first call of a session
     * reads it; later ones know it within a watch interval.
     *
     * @param keyspaces those that the statement reads; where they are all Cassandra's own, nobody has turned it off
     * @param hash of the statement
     */
    public Optional<Assistance.Off> of(Collection<String> keyspaces, Supplier<String> hash) {
        // Reading these must not open the sequences.
        boolean ofServer = !keyspaces.isEmpty() && keyspaces.stream().allMatch(ContractDeclarations::isOfServer);
        Long failed = failedAt;
        if (ofServer || (failed != null && nanoTime.getAsLong() - failed < FAILURE_REMEMBERED.toNanos())) {
            return Optional.empty();
        }
        try {
            if (!(session.writing() instanceof IdentitySession identities)) {
                return Optional.empty();
            }
            Assistance assistance = InternalAccess.assistance(identities.sequences());
            assistance.knownAsync().toCompletableFuture().join();
            return assistance.cachedAny() ? assistance.cached(hash.get()) : Optional.empty();
        } catch (SQLException e) {
            // What needs Cassidy's keyspaces says so itself.
            failedAt = nanoTime.getAsLong();
            return Optional.empty();
        }
    }
}
