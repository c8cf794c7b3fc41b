package dev.cassidy.jdbc.session;

import dev.cassidy.cql.IdentitySession;
import dev.cassidy.sequence.cassandra.InternalAccess;
import dev.cassidy.toggle.Assistance;
import java.sql.SQLException;
import java.util.Optional;
import java.util.function.Supplier;

/** What an operator has turned off of the statements that are evaluated in the client. Safe for use by many threads. */
public final class AssistanceOff {

    private final LazyIdentitySession session;

    AssistanceOff(LazyIdentitySession session) {
        this.session = session;
    }

    /**
     * Returns what turns a statement off; empty if it is on, and where Cassidy's keyspaces cannot be used. The first call of a session
     * reads it; later ones know it within a watch interval.
     *
     * @param hash of the statement
     */
    public Optional<Assistance.Off> of(Supplier<String> hash) {
        try {
            if (!(session.writing() instanceof IdentitySession identities)) {
                return Optional.empty();
            }
            Assistance assistance = InternalAccess.assistance(identities.sequences());
            assistance.knownAsync().toCompletableFuture().join();
            return assistance.cachedAny() ? assistance.cached(hash.get()) : Optional.empty();
        } catch (SQLException e) {
            // What needs these keyspaces says so itself.
            return Optional.empty();
        }
    }
}
