package dev.cassidy.cql;

import com.datastax.oss.driver.api.core.cql.PrepareRequest;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import dev.cassidy.insert.CqlInsert;
import dev.cassidy.insert.Identity;
import dev.cassidy.insert.Rewrite;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Recognises a prepared insert that lacks its id, and adds a marker for the id to it. Never blocks. */
final class InsertPreparer {

    private final IdentityLookup lookup;
    private final IdentitySource ids;
    private final Registration registration;

    InsertPreparer(IdentityLookup lookup, IdentitySource ids, Registration registration) {
        this.lookup = lookup;
        this.ids = ids;
        this.registration = registration;
    }

    /** An insert that is prepared with a marker for its id, which its user does not see. */
    record Rewritten(PrepareRequest original, Identity identity, Rewrite rewrite) {

        /** Returns the request to send. */
        PrepareRequest request() {
            return new RewrittenPrepareRequest(original, rewrite.withMarker());
        }

        /**
         * Returns the prepared statement for the user.
         *
         * @param sent the answer to {@link #request}
         */
        PreparedStatement visible(PreparedStatement sent) {
            return new IdentityPreparedStatement(sent, original.getQuery(), identity, rewrite.markerIndex());
        }
    }

    /** Rewrites an insert that lacks its id; empty if the text can be prepared as it is. */
    CompletionStage<Optional<Rewritten>> rewrite(PrepareRequest request) {
        StatementText text = lookup.read(request.getQuery());
        return lookup.find(text, request.getKeyspace()).thenCompose(identity -> {
            if (identity.isEmpty()) {
                return CompletableFuture.completedFuture(Optional.empty());
            }
            CqlInsert insert = text.insert().orElseThrow();
            return wantsMarker(insert, identity.get())
                    .thenApply(wants -> wants
                            ? Optional.of(new Rewritten(
                                    request,
                                    identity.get(),
                                    insert.rewrite(identity.get().column())))
                            : Optional.empty());
        });
    }

    private CompletionStage<Boolean> wantsMarker(CqlInsert insert, Identity identity) {
        Registration.refuseJson(insert, identity);
        CqlInsert.Value given = insert.value(identity.column()).orElse(null);
        Optional<Long> literal = ExplicitIds.ofLiteral(given, identity);
        if (literal.isPresent() && insert.keyspace().isEmpty() && insert.markerCount() == 0) {
            // Checked here, where the keyspace is known: a bound statement without variables does not show it.
            return registration
                    .type(identity)
                    .thenCompose(type -> {
                        IdentitySource.requireFit(literal.get(), type, identity);
                        return ids.requireBehindFloor(literal.get(), identity);
                    })
                    .thenApply(allowed -> false);
        }
        return given == null
                ? registration.wantsId(insert, identity)
                : CompletableFuture.completedFuture(given instanceof CqlInsert.Value.Null);
    }
}
