package dev.cassidy.cql;

import com.datastax.oss.driver.api.core.cql.PrepareRequest;
import dev.cassidy.insert.CqlInsert;
import dev.cassidy.insert.Identity;
import dev.cassidy.insert.Rewrite;
import dev.cassidy.table.ColumnDefault;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Recognises a prepared insert that lacks its id or its defaults, and adds them to it. Never blocks. */
final class InsertPreparer {

    private final StatementKeyspace keyspaces;
    private final IdentityLookup lookup;
    private final Registration registration;
    private final DefaultEvaluator defaults;
    private final TableModes modes;

    InsertPreparer(
            StatementKeyspace keyspaces,
            IdentityLookup lookup,
            Registration registration,
            DefaultEvaluator defaults,
            TableModes modes) {
        this.keyspaces = keyspaces;
        this.lookup = lookup;
        this.registration = registration;
        this.defaults = defaults;
        this.modes = modes;
    }

    /** Rewrites an insert that lacks its id or a default; empty if the statement can be prepared as it is. */
    CompletionStage<Optional<RewrittenInsert>> rewrite(PrepareRequest request) {
        ParsedStatement text = lookup.read(request.getQuery());
        String keyspace = keyspaces.ofText(request.getKeyspace());
        String in = text.keyspace(keyspace);
        long generation = defaults.generation();
        return defaults.of(text.insert(), in).thenCompose(found -> {
            ParsedStatement filled = found.isEmpty()
                    ? text
                    : lookup.read(DefaultEvaluator.withMarkers(text.insert().orElseThrow(), found)
                            .text());
            return lookup.find(filled, keyspace).thenCompose(identity -> isGuarded(text, in)
                    .thenCompose(guarded -> rewrite(request, generation, found, filled, identity, guarded)));
        });
    }

    private CompletionStage<Boolean> isGuarded(ParsedStatement text, @Nullable String in) {
        return text.insert().isEmpty()
                ? CompletableFuture.completedFuture(false)
                : lookup.others(text.insert().get(), in).thenApply(others -> !others.isEmpty());
    }

    private CompletionStage<Optional<RewrittenInsert>> rewrite(
            PrepareRequest request,
            long generation,
            List<ColumnDefault> found,
            ParsedStatement filled,
            Optional<Identity> identity,
            boolean guarded) {
        if (identity.isEmpty() && found.isEmpty()) {
            return CompletableFuture.completedFuture(Optional.empty());
        }
        String keyspace =
                identity.map(Identity::keyspace).orElseGet(() -> found.get(0).keyspace());
        // With its keyspace in it: when the server prepares it, USE may have changed the session's, and the driver may
        // have
        // the same text prepared in another one.
        CqlInsert insert = CqlInsert.recognise(filled.insert().orElseThrow().textIn(keyspace))
                .orElseThrow();
        // They were added behind the markers that VALUES had.
        int first = insert.markersInValues() - DefaultEvaluator.generated(found).size();
        CompletionStage<Boolean> wanted =
                identity.isEmpty() ? CompletableFuture.completedFuture(false) : wantsMarker(insert, identity.get());
        return wanted.thenCompose(wants -> {
            if (wants) {
                Rewrite rewrite = insert.rewrite(identity.orElseThrow().column());
                int shift = rewrite.markerIndex() <= first ? 1 : 0;
                return modes.ofDrawn(identity.orElseThrow(), insert)
                        .thenApply(sending -> Optional.of(new RewrittenInsert(
                                request,
                                rewrite.withMarker(),
                                generation,
                                keyspace,
                                found,
                                identity,
                                guarded,
                                rewrite.markerIndex(),
                                found.isEmpty() ? 0 : first + shift,
                                sending)));
            }
            return CompletableFuture.completedFuture(
                    found.isEmpty()
                            ? Optional.empty()
                            : Optional.of(new RewrittenInsert(
                                    request,
                                    insert.text(),
                                    generation,
                                    keyspace,
                                    found,
                                    Optional.empty(),
                                    guarded,
                                    -1,
                                    first,
                                    null)));
        });
    }

    private CompletionStage<Boolean> wantsMarker(CqlInsert insert, Identity identity) {
        Registration.refuseJson(insert, identity);
        CqlInsert.Value given = insert.value(identity.column()).orElse(null);
        GivenIds.refuseExpression(given, identity);
        return given == null
                ? registration.wantsId(insert, identity)
                : CompletableFuture.completedFuture(given instanceof CqlInsert.Value.Null);
    }
}
