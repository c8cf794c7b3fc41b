package dev.cassidy.sequence.cassandra;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.servererrors.QueryValidationException;
import com.datastax.oss.driver.api.core.servererrors.UnauthorizedException;
import dev.cassidy.cluster.Grants;
import dev.cassidy.sequence.SequenceException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Whether the session's role may do what issuing ids will need. A missing right on the global keyspace would otherwise show
 * only when the reserve is used up, days after the application was deployed.
 *
 * <p>The server is asked by statements that name no row: it checks the right, and does nothing. Only a refusal counts; any
 * other failure says nothing about rights. Nothing is asked if the session does not log in.
 *
 * <p>Safe for use by many threads; nothing blocks.
 */
final class Rights {

    private final CqlSession session;
    private final Duration timeout;
    private final List<String> claims;
    private final List<String> leases;
    private volatile @Nullable CompletionStage<Void> mayClaim;
    private volatile @Nullable CompletionStage<Void> mayLease;

    Rights(CqlSession session, String globalKeyspace, String localKeyspace, Duration timeout) {
        this.session = session;
        this.timeout = timeout;
        this.claims = List.of(
                globalKeyspace + ".seq WHERE seq IN ()", localKeyspace + ".reserve WHERE seq IN () AND stripe = 0");
        this.leases = List.of(
                globalKeyspace + ".snowflake WHERE seq IN ()",
                localKeyspace + ".snowflake WHERE seq IN ()",
                localKeyspace + ".snowflake_node WHERE seq IN () AND n = 0");
    }

    /** Fails with {@link SequenceException.Forbidden} if the role may not refill a reserve and claim from it. */
    CompletionStage<Void> toClaim() {
        @Nullable CompletionStage<Void> known = mayClaim;
        if (known == null || known.toCompletableFuture().isCompletedExceptionally()) {
            known = tryAll(claims);
            mayClaim = known;
        }
        return known;
    }

    /** Fails with {@link SequenceException.Forbidden} if the role may not lease node numbers. */
    CompletionStage<Void> toLease() {
        @Nullable CompletionStage<Void> known = mayLease;
        if (known == null || known.toCompletableFuture().isCompletedExceptionally()) {
            known = tryAll(leases);
            mayLease = known;
        }
        return known;
    }

    private CompletionStage<Void> tryAll(List<String> nothing) {
        if (session.getContext().getAuthProvider().isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        return CompletableFuture.allOf(nothing.stream()
                .flatMap(none -> List.of("SELECT * FROM " + none, "DELETE FROM " + none).stream())
                .map(this::attempt)
                .toArray(CompletableFuture<?>[]::new));
    }

    private CompletableFuture<Void> attempt(String cql) {
        return session.executeAsync(SimpleStatement.newInstance(cql)
                        .setConsistencyLevel(ConsistencyLevel.LOCAL_ONE)
                        .setTimeout(timeout)
                        .setIdempotent(true))
                .handle((done, thrown) -> {
                    @Nullable UnauthorizedException refused = thrown == null ? null : Grants.refusal(thrown);
                    if (refused != null) {
                        throw Grants.forbidden(refused);
                    }
                    return (Void) null;
                })
                .toCompletableFuture();
    }

    /** Returns what no retry can correct as an error that says what to do, and everything else as it is. */
    static Throwable explained(Throwable cause) {
        if (cause instanceof UnauthorizedException refused) {
            return Grants.isMissing(refused) ? Grants.forbidden(refused) : refused;
        }
        return cause instanceof QueryValidationException
                ? new SequenceException.SchemaMissing(
                        "Cassidy's tables do not take this statement: " + cause.getMessage() + ". Run cassidy init",
                        cause)
                : cause;
    }
}
