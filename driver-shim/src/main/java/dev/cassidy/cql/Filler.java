package dev.cassidy.cql;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.BatchStatement;
import com.datastax.oss.driver.api.core.cql.BatchableStatement;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.ColumnDefinition;
import com.datastax.oss.driver.api.core.cql.ColumnDefinitions;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.cql.Statement;
import dev.cassidy.cql.IdentityInsertException.Reason;
import dev.cassidy.insert.CqlChange;
import dev.cassidy.insert.CqlInsert;
import dev.cassidy.insert.CqlWrite;
import dev.cassidy.insert.Identity;
import dev.cassidy.insert.RecentTexts;
import dev.cassidy.insert.Rewrite;
import dev.cassidy.sequence.IdentityType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.PrimitiveIterator;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongFunction;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/** Gives statements the ids that they lack before they are sent. Never blocks. */
final class Filler {

    private final SequencesCatalog catalog;
    private final IdentitySource ids;
    private final Registration registration;
    private final TableShapes tables;
    private final OwnKeyspaces own;
    private final RecentTexts<Reading> recent = new RecentTexts<>(Reading::of);
    private final ExplicitIds explicitIds;

    /** Null where rows are to be {@link FreshRows#PLAIN}. */
    private final @Nullable RowClearing rows;

    /**
     * What a text was read as.
     *
     * @param batched the tables that the inserts of a BEGIN BATCH write to
     */
    private record Reading(Optional<CqlInsert> insert, List<CqlInsert.Table> batched, List<CqlChange> changes) {

        static Reading of(String cql) {
            Optional<CqlInsert> insert = CqlInsert.recognise(cql);
            return new Reading(
                    insert, insert.isPresent() ? List.of() : CqlInsert.tablesOfBatch(cql), CqlChange.of(cql));
        }
    }

    Filler(CqlSession session, SequencesCatalog catalog, IdentitySource ids, FreshRows freshRows) {
        this.catalog = catalog;
        this.ids = ids;
        this.own = OwnKeyspaces.of(session, catalog.sequences().config());
        this.tables = new TableShapes(session);
        this.registration = new Registration(tables, catalog);
        this.explicitIds = new ExplicitIds(session.getContext());
        freshRows.requireServable(session);
        this.rows = freshRows == FreshRows.CLEAN ? new RowClearing(session, tables) : null;
    }

    /** Gives a statement, or each statement of a batch, its id; every failure is the stage's. */
    CompletionStage<IdentitySession.Filled> fill(Statement<?> statement) {
        try {
            return fillAny(statement);
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private CompletionStage<IdentitySession.Filled> fillAny(Statement<?> statement) {
        if (statement instanceof BatchStatement batch) {
            return fillBatch(batch);
        }
        if (statement instanceof BatchableStatement<?> single) {
            return inspect(single, statement.getKeyspace()).thenCompose(this::fillOne);
        }
        return CompletableFuture.completedFuture(new IdentitySession.Filled(statement, GeneratedKeys.NONE));
    }

    private CompletionStage<IdentitySession.Filled> fillOne(Filling filling) {
        if (filling instanceof Filling.Wanting wanting) {
            return ids.drawOne(wanting.identity().sequence())
                    .thenCompose(id -> cleared(wanting.complete(id), wanting.identity()));
        }
        return CompletableFuture.completedFuture(((Filling.Complete) filling).filled());
    }

    private CompletionStage<IdentitySession.Filled> cleared(Filling.Complete complete, Identity identity) {
        return rows == null
                ? CompletableFuture.completedFuture(complete.filled())
                : rows.together(complete.statement(), identity)
                        .thenApply(statement -> new IdentitySession.Filled(statement, complete.keys()));
    }

    /** Gives a statement its id, and what clears its row in the batch that it waits for; every failure is the stage's. */
    CompletionStage<IdentitySession.Held> hold(BatchableStatement<?> statement) {
        try {
            return inspect(statement, statement.getKeyspace()).thenCompose(this::hold);
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private CompletionStage<IdentitySession.Held> hold(Filling filling) {
        if (filling instanceof Filling.Wanting wanting) {
            return ids.drawOne(wanting.identity().sequence()).thenCompose(id -> {
                Filling.Complete complete = wanting.complete(id);
                return rows == null
                        ? CompletableFuture.completedFuture(complete.held(Optional.empty()))
                        : rows.apart(complete.statement(), wanting.identity(), Statement.NO_DEFAULT_TIMESTAMP)
                                .thenApply(complete::held);
            });
        }
        return CompletableFuture.completedFuture(((Filling.Complete) filling).held(Optional.empty()));
    }

    private CompletionStage<IdentitySession.Filled> fillBatch(BatchStatement batch) {
        List<CompletableFuture<Filling>> inspected = new ArrayList<>(batch.size());
        for (BatchableStatement<?> child : batch) {
            inspected.add(inspect(child, batch.getKeyspace()).toCompletableFuture());
        }
        return CompletableFuture.allOf(inspected.toArray(CompletableFuture<?>[]::new))
                .thenCompose(all -> fillAll(
                        batch, inspected.stream().map(CompletableFuture::join).toList()));
    }

    private CompletionStage<IdentitySession.Filled> fillAll(BatchStatement batch, List<Filling> fillings) {
        Map<String, Integer> wanted = new HashMap<>();
        for (Filling filling : fillings) {
            if (filling instanceof Filling.Wanting wanting) {
                wanted.merge(wanting.identity().sequence(), 1, Integer::sum);
            }
        }
        Map<String, PrimitiveIterator.OfLong> drawn = new ConcurrentHashMap<>();
        CompletableFuture<?>[] draws = wanted.entrySet().stream()
                .map(entry -> ids.draw(entry.getKey(), entry.getValue())
                        .thenAccept(got ->
                                drawn.put(entry.getKey(), LongStream.of(got).iterator()))
                        .toCompletableFuture())
                .toArray(CompletableFuture<?>[]::new);
        return CompletableFuture.allOf(draws).thenCompose(all -> cleared(assemble(batch, fillings, drawn), fillings));
    }

    private static IdentitySession.Filled assemble(
            BatchStatement batch, List<Filling> fillings, Map<String, PrimitiveIterator.OfLong> drawn) {
        List<BatchableStatement<?>> children = new ArrayList<>(fillings.size());
        List<GeneratedKeys.Key> keys = new ArrayList<>();
        for (Filling filling : fillings) {
            Filling.Complete complete = filling instanceof Filling.Wanting wanting
                    ? wanting.complete(
                            Objects.requireNonNull(drawn.get(wanting.identity().sequence()))
                                    .nextLong())
                    : (Filling.Complete) filling;
            children.add(complete.statement());
            if (complete.key() != null) {
                keys.add(complete.key());
            }
        }
        // Cleared, not replaced: the settings stay.
        return new IdentitySession.Filled(
                drawn.isEmpty() ? batch : batch.clear().addAll(children), new GeneratedKeys(keys));
    }

    /** Adds the deletions to a batch that has its ids. */
    private CompletionStage<IdentitySession.Filled> cleared(IdentitySession.Filled filled, List<Filling> fillings) {
        BatchStatement batch = (BatchStatement) filled.statement();
        if (rows == null
                || fillings.stream().noneMatch(filling -> filling instanceof Filling.Wanting)
                || isConditional(batch)) {
            return CompletableFuture.completedFuture(filled);
        }
        long now = rows.now(batch);
        List<CompletableFuture<Optional<BatchableStatement<?>>>> deletions = new ArrayList<>();
        Iterator<Filling> before = fillings.iterator();
        for (BatchableStatement<?> child : batch) {
            if (before.next() instanceof Filling.Wanting wanting) {
                deletions.add(rows.apart(child, wanting.identity(), now).toCompletableFuture());
            }
        }
        return CompletableFuture.allOf(deletions.toArray(CompletableFuture<?>[]::new))
                .thenApply(all -> new IdentitySession.Filled(
                        batch.setQueryTimestamp(now)
                                .addAll(deletions.stream()
                                        .map(CompletableFuture::join)
                                        .flatMap(Optional::stream)
                                        .toList()),
                        filled.keys()));
    }

    /** One IF makes a batch conditional. Then its inserts have the time of the Paxos round, which a deletion could be later than. */
    private static boolean isConditional(BatchStatement batch) {
        for (BatchableStatement<?> child : batch) {
            String cql = child instanceof BoundStatement bound
                    ? bound.getPreparedStatement().getQuery()
                    : ((SimpleStatement) child).getQuery();
            if (CqlWrite.recognise(cql).map(CqlWrite::isConditional).orElse(true)) {
                return true;
            }
        }
        return false;
    }

    private CompletionStage<Filling> inspect(BatchableStatement<?> statement, @Nullable CqlIdentifier keyspace) {
        if (statement instanceof SimpleStatement simple) {
            return inspectSimple(simple, keyspace);
        }
        return statement instanceof BoundStatement bound ? inspectBound(bound) : untouched(statement);
    }

    private static CompletionStage<Filling> untouched(BatchableStatement<?> statement) {
        return CompletableFuture.completedFuture(new Filling.Complete(statement, null));
    }

    // ---- simple statements

    private CompletionStage<Filling> inspectSimple(SimpleStatement statement, @Nullable CqlIdentifier keyspace) {
        String cql = statement.getQuery();
        boolean valued = !statement.getPositionalValues().isEmpty()
                || !statement.getNamedValues().isEmpty();
        // A text with its values within hardly ever comes twice.
        Reading reading = valued ? recent.of(cql) : Reading.of(cql);
        return own.refuse(reading.changes(), keyspace)
                .thenCompose(allowed -> inspectSimple(statement, reading, keyspace));
    }

    private CompletionStage<Filling> inspectSimple(
            SimpleStatement statement, Reading reading, @Nullable CqlIdentifier keyspace) {
        if (reading.insert().isEmpty()) {
            return registration
                    .refuseBatchText(qualified(reading.batched(), keyspace), catalog)
                    .thenApply(ok -> complete(statement));
        }
        CqlInsert insert = reading.insert().get();
        String named = insert.keyspace().orElse(keyspace == null ? null : keyspace.asInternal());
        return catalog.find(named, insert.table()).thenCompose(identity -> {
            if (identity.isEmpty()) {
                return registration
                        .requireRegistered(insert, catalog.keyspaceOr(named))
                        .thenCompose(
                                now -> now.isEmpty() ? untouched(statement) : fillSimple(statement, insert, now.get()));
            }
            return fillSimple(statement, insert, identity.get());
        });
    }

    private CompletionStage<Filling> fillSimple(SimpleStatement statement, CqlInsert insert, Identity identity) {
        Registration.refuseJson(insert, identity);
        return registration.type(identity).thenCompose(type -> fillSimple(statement, insert, identity, type));
    }

    private static Filling complete(BatchableStatement<?> statement) {
        return new Filling.Complete(statement, null);
    }

    private CompletionStage<Filling> fillSimple(
            SimpleStatement statement, CqlInsert insert, Identity identity, IdentityType type) {
        Rewrite rewrite = insert.rewrite(identity.column());
        CqlInsert.Value given = insert.value(identity.column()).orElse(null);
        if (given == null) {
            return registration
                    .wantsId(insert, identity)
                    .thenCompose(wants -> wants
                            ? wanting(identity, type, id -> statement.setQuery(rewrite.withLiteral(id)))
                            : untouched(statement));
        }
        if (given instanceof CqlInsert.Value.Null) {
            return wanting(identity, type, id -> statement.setQuery(rewrite.withLiteral(id)));
        }
        if (given instanceof CqlInsert.Value.Marker marker && explicitIds.isNull(statement, marker, identity)) {
            SimpleStatement without = explicitIds.without(statement, marker, insert, identity);
            return wanting(identity, type, id -> without.setQuery(rewrite.withLiteral(id)));
        }
        return explicitIds
                .of(statement, given, identity)
                .map(id -> explicit(statement, identity, type, id))
                // The server refuses what has no value for a marker.
                .orElseGet(() -> untouched(statement));
    }

    private static CompletionStage<Filling> wanting(
            Identity identity, IdentityType type, LongFunction<BatchableStatement<?>> with) {
        return CompletableFuture.completedFuture(new Filling.Wanting(identity, type, with));
    }

    private CompletionStage<Filling> explicit(
            BatchableStatement<?> statement, Identity identity, IdentityType type, long id) {
        IdentitySource.requireFit(id, type, identity);
        return ids.requireBehindFloor(id, identity)
                .thenApply(ok -> new Filling.Complete(statement, Filling.key(identity, type, id, false)));
    }

    // ---- bound statements

    private CompletionStage<Filling> inspectBound(BoundStatement statement) {
        if (statement.getPreparedStatement() instanceof IdentityPreparedStatement prepared) {
            return wanting(prepared.identity(), prepared.type(), id -> prepared.bindIdentity(statement, id));
        }
        Reading reading = recent.of(statement.getPreparedStatement().getQuery());
        // Looked at when it was prepared, unless that was done by another session.
        return own.refuseBound(reading.changes(), statement).thenCompose(allowed -> inspectBound(statement, reading));
    }

    private CompletionStage<Filling> inspectBound(BoundStatement statement, Reading reading) {
        Optional<CqlInsert> insert = reading.insert();
        if (insert.isEmpty()) {
            // Looked at when it was prepared; a table may have been registered since.
            return registration
                    .refuseBatchText(qualified(reading.batched(), statement), catalog)
                    .thenApply(ok -> complete(statement));
        }
        String keyspace = keyspace(statement, insert.get());
        return catalog.find(keyspace, insert.get().table())
                .thenCompose(identity -> identity.map(found -> fillBound(statement, insert.get(), found))
                        .orElseGet(() -> registration
                                .requireKnown(insert.get(), catalog.keyspaceOr(keyspace))
                                .thenCompose(known -> untouched(statement))));
    }

    private static @Nullable String keyspace(BoundStatement statement, CqlInsert insert) {
        ColumnDefinitions variables = statement.getPreparedStatement().getVariableDefinitions();
        return insert.keyspace()
                .orElse(
                        variables.size() == 0
                                ? null
                                : variables.get(0).getKeyspace().asInternal());
    }

    private static List<CqlInsert.Table> qualified(List<CqlInsert.Table> batched, @Nullable CqlIdentifier keyspace) {
        String unqualified = keyspace == null ? null : keyspace.asInternal();
        return batched.stream()
                .map(table -> table.keyspace() == null ? new CqlInsert.Table(unqualified, table.name()) : table)
                .toList();
    }

    private static List<CqlInsert.Table> qualified(List<CqlInsert.Table> batched, BoundStatement statement) {
        PreparedStatement prepared = statement.getPreparedStatement();
        return batched.stream()
                .map(table -> table.keyspace() == null ? qualified(table, prepared.getVariableDefinitions()) : table)
                .toList();
    }

    /** The variables of the table know its keyspace as of the preparing; the session's own may have changed since. */
    private static CqlInsert.Table qualified(CqlInsert.Table table, ColumnDefinitions variables) {
        for (ColumnDefinition variable : variables) {
            if (variable.getTable().asInternal().equals(table.name())) {
                return new CqlInsert.Table(variable.getKeyspace().asInternal(), table.name());
            }
        }
        return table;
    }

    private CompletionStage<Filling> fillBound(BoundStatement statement, CqlInsert insert, Identity identity) {
        Registration.refuseJson(insert, identity);
        CqlInsert.Value given = insert.value(identity.column()).orElse(null);
        if (given instanceof CqlInsert.Value.Marker marker) {
            IdentityType type = Registration.type(identity, statement.getType(marker.index()));
            if (!statement.isSet(marker.index()) || statement.isNull(marker.index())) {
                return wanting(
                        identity, type, id -> statement.setBytesUnsafe(marker.index(), ExplicitIds.encode(id, type)));
            }
            return explicit(statement, identity, type, ExplicitIds.decode(statement, marker.index(), type));
        }
        if (given instanceof CqlInsert.Value.IntegerLiteral || given instanceof CqlInsert.Value.Term) {
            return registration.type(identity).thenCompose(type -> ExplicitIds.ofLiteral(given, identity)
                    .map(id -> explicit(statement, identity, type, id))
                    .orElseGet(() -> untouched(statement)));
        }
        if (given instanceof CqlInsert.Value.Null) {
            return CompletableFuture.failedFuture(Registration.preparedBefore(insert, identity));
        }
        return registration.wantsId(insert, identity).thenCompose(wants -> {
            if (wants) {
                // Only of a key column would the server miss it; another one would stay null without a word.
                throw Registration.preparedBefore(insert, identity);
            }
            return untouched(statement);
        });
    }

    // ---- preparing

    /**
     * Returns the identity that the prepared text has to be given a marker for; empty if the text can be prepared as it
     * is.
     */
    CompletionStage<Optional<Identity>> toPrepare(String cql, @Nullable CqlIdentifier keyspace) {
        Reading reading = recent.of(cql);
        return own.refuse(reading.changes(), keyspace).thenCompose(allowed -> toPrepare(reading, keyspace));
    }

    private CompletionStage<Optional<Identity>> toPrepare(Reading reading, @Nullable CqlIdentifier keyspace) {
        if (reading.insert().isEmpty()) {
            return registration
                    .refuseBatchText(qualified(reading.batched(), keyspace), catalog)
                    .thenApply(ok -> Optional.empty());
        }
        CqlInsert insert = reading.insert().get();
        String named = insert.keyspace().orElse(keyspace == null ? null : keyspace.asInternal());
        return catalog.find(named, insert.table()).thenCompose(identity -> {
            if (identity.isEmpty()) {
                return registration
                        .requireRegistered(insert, catalog.keyspaceOr(named))
                        .thenCompose(now -> now.isEmpty()
                                ? CompletableFuture.completedFuture(Optional.<Identity>empty())
                                : toPrepare(insert, now.get()));
            }
            return toPrepare(insert, identity.get());
        });
    }

    private CompletionStage<Optional<Identity>> toPrepare(CqlInsert insert, Identity identity) {
        Registration.refuseJson(insert, identity);
        CqlInsert.Value given = insert.value(identity.column()).orElse(null);
        Optional<Long> literal = ExplicitIds.ofLiteral(given, identity);
        if (literal.isPresent() && insert.keyspace().isEmpty() && insert.markerCount() == 0) {
            // Here, where the keyspace is known: without variables the bound statement does not tell it.
            return registration
                    .type(identity)
                    .thenCompose(type -> {
                        IdentitySource.requireFit(literal.get(), type, identity);
                        return ids.requireBehindFloor(literal.get(), identity);
                    })
                    .thenApply(allowed -> Optional.empty());
        }
        if (given == null) {
            return registration
                    .wantsId(insert, identity)
                    .thenApply(wants -> wants ? Optional.of(identity) : Optional.empty());
        }
        return CompletableFuture.completedFuture(
                given instanceof CqlInsert.Value.Null ? Optional.of(identity) : Optional.empty());
    }

    Rewrite rewrite(String cql, Identity identity) {
        return recent.of(cql).insert().orElseThrow().rewrite(identity.column());
    }

    // ---- results that cannot carry keys

    /**
     * Refuses a change of Cassidy's own keyspaces, and, as far as that is known without any I/O, an identity insert whose result
     * type has no place for its keys.
     */
    void refuse(Statement<?> statement, String resultType) {
        refuse(statement, statement.getKeyspace(), resultType);
    }

    private void refuse(Statement<?> statement, @Nullable CqlIdentifier keyspace, String resultType) {
        if (statement instanceof BatchStatement batch) {
            batch.forEach(child -> refuse(child, keyspace, resultType));
            return;
        }
        Optional<Identity> identity = Optional.empty();
        List<CqlInsert.Table> batched = List.of();
        if (statement instanceof SimpleStatement simple) {
            Reading reading = Reading.of(simple.getQuery());
            FillingSession.await(own.refuse(reading.changes(), keyspace));
            batched = qualified(reading.batched(), keyspace);
            identity = reading.insert()
                    .flatMap(insert -> catalog.cached(
                            insert.keyspace().orElse(keyspace == null ? null : keyspace.asInternal()), insert.table()));
        } else if (statement instanceof BoundStatement bound) {
            Reading reading = recent.of(bound.getPreparedStatement().getQuery());
            FillingSession.await(own.refuseBound(reading.changes(), bound));
            batched = qualified(reading.batched(), bound);
            identity = reading.insert().flatMap(insert -> catalog.cached(keyspace(bound, insert), insert.table()));
        }
        batched.forEach(
                table -> catalog.cached(table.keyspace(), table.name()).ifPresent(Registration::refuseBatchText));
        if (identity.isPresent()) {
            throw new IdentityInsertException(
                    Reason.RESULT_TYPE,
                    "an insert into " + identity.get().keyspace() + '.'
                            + identity.get().table()
                            + ", which has an identity column, cannot be executed for a " + resultType
                            + "; use execute or executeAsync");
        }
    }
}
