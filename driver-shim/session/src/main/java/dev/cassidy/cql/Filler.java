package dev.cassidy.cql;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.BatchStatement;
import com.datastax.oss.driver.api.core.cql.BatchableStatement;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.cql.Statement;
import dev.cassidy.async.Stages;
import dev.cassidy.cql.IdentityInsertException.Reason;
import dev.cassidy.insert.CqlChange;
import dev.cassidy.insert.CqlInsert;
import dev.cassidy.insert.Identity;
import dev.cassidy.insert.Rewrite;
import dev.cassidy.sequence.IdentityType;
import dev.cassidy.table.ColumnDefault;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.PrimitiveIterator;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongFunction;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * Draws the ids that statements lack, and puts them into the statements before they are sent. Never blocks, except for
 * {@link #refuse}.
 */
final class Filler {

    private static final int MAX_PREPARED_AGAIN = 1_000;
    private static final ByteBuffer[] NO_VALUES = {};
    private static final CompletionStage<Void> ALLOWED = CompletableFuture.completedFuture(null);

    private final StatementKeyspace keyspaces;
    private final IdentityLookup lookup;
    private final IdentitySource ids;
    private final Registration registration;
    private final GivenIds givenIds;
    private final DefaultEvaluator defaults;
    private final Preparing preparing;
    private final TableModes modes;
    private final BatchRows rows;
    private final Map<Text, CompletableFuture<PreparedStatement>> preparedAgain = new ConcurrentHashMap<>();

    Filler(
            CqlSession session,
            TableShapes tables,
            StatementKeyspace keyspaces,
            IdentityLookup lookup,
            IdentitySource ids,
            Registration registration,
            DefaultEvaluator defaults,
            Preparing preparing,
            TableModes modes) {
        this.keyspaces = keyspaces;
        this.lookup = lookup;
        this.ids = ids;
        this.registration = registration;
        this.givenIds = new GivenIds(session.getContext());
        this.defaults = defaults;
        this.preparing = preparing;
        this.modes = modes;
        this.rows = new BatchRows(session);
    }

    /** Gives a statement, or each statement of a batch, its id. Every failure is a failure of the stage. */
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
        if (statement instanceof BoundStatement bound
                && bound.getPreparedStatement() instanceof FilledPreparedStatement prepared
                && lacksOnlyItsId(prepared)) {
            return fillId(bound, prepared, prepared.insert().identity().orElseThrow());
        }
        if (statement instanceof BatchableStatement<?> single) {
            return Stages.thenCompose(
                    inspect(single, statement.getKeyspace(), defaults.moment(), TableModes.Batched.NOT), this::fillOne);
        }
        return CompletableFuture.completedFuture(new IdentitySession.Filled(statement, GeneratedKeys.NONE));
    }

    /** Returns whether nothing but the id is missing, as far as is known without a read; the usual case. */
    private boolean lacksOnlyItsId(FilledPreparedStatement prepared) {
        return prepared.insert().identity().isPresent()
                && !prepared.insert().guarded()
                && prepared.generated().isEmpty()
                && prepared.isOf(defaults.generation())
                && (modes.areNone() || isKnownToGo(prepared));
    }

    /** Returns whether it is known without a look at its table that an insert whose id is drawn may be sent. */
    private boolean isKnownToGo(FilledPreparedStatement prepared) {
        Sending sending = prepared.insert().sending();
        return sending != null
                && modes.areKnown()
                && sending.goesWith(prepared.insert().identity().orElseThrow().column());
    }

    /** Does what {@link #inspect} and {@link #fillOne} do, with fewer objects on the way. */
    private CompletionStage<IdentitySession.Filled> fillId(
            BoundStatement statement, FilledPreparedStatement prepared, Identity identity) {
        CompletableFuture<Long> drawn = ids.drawOne(identity.sequence()).toCompletableFuture();
        return drawn.isDone() && !drawn.isCompletedExceptionally()
                ? CompletableFuture.completedFuture(filled(statement, prepared, identity, drawn.join()))
                : drawn.thenApply(id -> filled(statement, prepared, identity, id));
    }

    private static IdentitySession.Filled filled(
            BoundStatement statement, FilledPreparedStatement prepared, Identity identity, long id) {
        IdentityType type = prepared.type();
        BoundStatement filled = prepared.fill(statement, NO_VALUES, IdentitySource.requireFit(id, type, identity));
        Sending sending = prepared.insert().sending();
        return new Filling.Complete(
                        sending == null ? filled : sending.known(filled), Filling.key(identity, type, id, true))
                .filled();
    }

    private CompletionStage<IdentitySession.Filled> fillOne(Filling filling) {
        if (filling instanceof Filling.Wanting wanting) {
            return id(wanting).thenApply(id -> wanting.complete(id).filled());
        }
        return CompletableFuture.completedFuture(((Filling.Complete) filling).filled());
    }

    private CompletionStage<Long> id(Filling.Wanting wanting) {
        Long drawn = wanting.drawn();
        return drawn == null ? ids.drawOne(wanting.identity().sequence()) : CompletableFuture.completedFuture(drawn);
    }

    /**
     * Gives ids to statements that wait for a batch. Every failure is a failure of the stage.
     */
    CompletionStage<List<IdentitySession.Held>> hold(List<? extends BatchableStatement<?>> statements) {
        DefaultEvaluator.Moment moment = defaults.moment();
        CompletionStage<List<IdentitySession.Held>> all = CompletableFuture.completedFuture(new ArrayList<>());
        for (BatchableStatement<?> statement : statements) {
            // One after the other, so that the ids are in the order of the rows.
            all = all.thenCompose(before -> inspect(statement, statement.getKeyspace(), moment, TableModes.Batched.NOT)
                    .thenCompose(this::hold)
                    .thenApply(held -> {
                        before.add(held);
                        return before;
                    }));
        }
        return all;
    }

    private CompletionStage<IdentitySession.Held> hold(Filling filling) {
        return filling instanceof Filling.Wanting wanting
                ? id(wanting).thenApply(id -> wanting.complete(id).held())
                : CompletableFuture.completedFuture(((Filling.Complete) filling).held());
    }

    private CompletionStage<IdentitySession.Filled> fillBatch(BatchStatement batch) {
        List<CompletableFuture<Filling>> inspected = new ArrayList<>(batch.size());
        DefaultEvaluator.Moment moment = defaults.moment();
        boolean plain = modes.areNone();
        TableModes.Batched batched = plain ? TableModes.Batched.NOT : batched(batch);
        List<CompletableFuture<Sending>> sendings = new ArrayList<>();
        for (BatchableStatement<?> child : batch) {
            if (!plain) {
                sendings.add(requireAllowed(child, keyspaces.of(child, batch.getKeyspace()), batched)
                        .toCompletableFuture());
            }
            inspected.add(inspect(child, batch.getKeyspace(), moment, batched).toCompletableFuture());
        }
        return CompletableFuture.allOf(inspected.toArray(CompletableFuture<?>[]::new))
                .thenCompose(all -> fillAll(
                        batch, inspected.stream().map(CompletableFuture::join).toList()))
                .thenApply(filled -> plain
                        ? filled
                        : sent(
                                filled,
                                sendings.stream().map(CompletableFuture::join).toList()));
    }

    private CompletionStage<IdentitySession.Filled> fillAll(BatchStatement batch, List<Filling> fillings) {
        Map<String, Integer> wanted = new HashMap<>();
        for (Filling filling : fillings) {
            if (filling instanceof Filling.Wanting wanting && wanting.drawn() == null) {
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
        return CompletableFuture.allOf(draws).thenApply(all -> assemble(batch, fillings, drawn));
    }

    private static IdentitySession.Filled assemble(
            BatchStatement batch, List<Filling> fillings, Map<String, PrimitiveIterator.OfLong> drawn) {
        List<BatchableStatement<?>> children = new ArrayList<>(fillings.size());
        List<GeneratedKeys.Key> keys = new ArrayList<>();
        for (Filling filling : fillings) {
            Filling.Complete complete = filling instanceof Filling.Wanting wanting
                    ? wanting.complete(id(wanting, drawn))
                    : (Filling.Complete) filling;
            children.add(complete.statement());
            if (complete.key() != null) {
                keys.add(complete.key());
            }
        }
        boolean same = true;
        int index = 0;
        for (BatchableStatement<?> child : batch) {
            same &= child == children.get(index++);
        }
        // The batch is cleared and not replaced, so that it keeps its settings.
        return new IdentitySession.Filled(same ? batch : batch.clear().addAll(children), new GeneratedKeys(keys));
    }

    /** Returns a batch as its writes to exact tables are to be sent: a batch has one time and one level. */
    private IdentitySession.Filled sent(IdentitySession.Filled filled, List<Sending> sendings) {
        long fresh = sendings.stream().filter(Sending.IfFresh.class::isInstance).count();
        if (fresh > 0 && fresh < sendings.size()) {
            throw new WriteModeException(
                    "a batch with new rows of an exact table has nothing but such rows, for all of it has one time:"
                            + " send its other writes by themselves. Nothing was sent",
                    false);
        }
        BatchStatement batch = (BatchStatement) filled.statement();
        rows.requireRowsOnce(batch, sendings);
        for (Sending sending : sendings) {
            batch = sending.ofBatch(batch);
        }
        return new IdentitySession.Filled(batch, filled.keys());
    }

    private static long id(Filling.Wanting wanting, Map<String, PrimitiveIterator.OfLong> drawn) {
        Long known = wanting.drawn();
        return known != null
                ? known
                : Objects.requireNonNull(drawn.get(wanting.identity().sequence()))
                        .nextLong();
    }

    private TableModes.Batched batched(BatchStatement batch) {
        boolean conditional = false;
        Set<CqlInsert.Table> inserted = new HashSet<>();
        for (BatchableStatement<?> child : batch) {
            if (TableModes.isConditional(ParsedStatement.text(child))) {
                conditional = true;
                continue;
            }
            for (CqlChange each : changes(child)) {
                if (each.verb().equals(CqlChange.INSERT)) {
                    inserted.add(new CqlInsert.Table(
                            each.keyspace() == null ? keyspaces.of(child, batch.getKeyspace()) : each.keyspace(),
                            Objects.requireNonNull(each.name())));
                }
            }
        }
        return new TableModes.Batched(conditional, inserted);
    }

    /** A simple statement rarely comes twice. */
    private List<CqlChange> changes(BatchableStatement<?> statement) {
        String cql = ParsedStatement.text(statement);
        return statement instanceof BoundStatement ? lookup.read(cql).changes() : CqlChange.of(cql);
    }

    private CompletionStage<Filling> inspect(
            BatchableStatement<?> statement,
            @Nullable CqlIdentifier given,
            DefaultEvaluator.Moment moment,
            TableModes.Batched batched) {
        String keyspace = keyspaces.of(statement, given);
        // The usual case costs nothing.
        return modes.areNone()
                ? inspectAllowed(statement, keyspace, moment)
                : requireAllowed(statement, keyspace, batched)
                        .thenCompose(sending -> inspectAllowed(statement, keyspace, moment)
                                .thenApply(filling -> filling.sent(sending)));
    }

    private CompletionStage<Sending> requireAllowed(
            BatchableStatement<?> statement, @Nullable String keyspace, TableModes.Batched batched) {
        List<CqlChange> changes = changes(statement);
        // Of another installation's table, its name helps more than what this one does not know of the table.
        return modes.requireAllowed(ParsedStatement.text(statement), changes, keyspace, batched)
                .exceptionallyCompose(refused -> Stages.cause(refused) instanceof WriteModeException
                        ? orOthers(refused, changes, keyspace)
                        : CompletableFuture.failedStage(refused));
    }

    private CompletionStage<Sending> orOthers(Throwable refused, List<CqlChange> changes, @Nullable String keyspace) {
        return registration
                .requireOwn(changes, keyspace)
                .handle((own, other) -> other != null && Stages.cause(other) instanceof IdentityInsertException
                        ? CompletableFuture.<Sending>failedStage(other)
                        : CompletableFuture.<Sending>failedStage(refused))
                .thenCompose(failed -> failed);
    }

    /** @param keyspace of a table that the statement names without one */
    private CompletionStage<Filling> inspectAllowed(
            BatchableStatement<?> statement, @Nullable String keyspace, DefaultEvaluator.Moment moment) {
        if (statement instanceof SimpleStatement simple) {
            return inspectSimple(simple, keyspace, moment);
        }
        return statement instanceof BoundStatement bound ? inspectBound(bound, keyspace, moment) : untouched(statement);
    }

    /**
     * Checks what an insert gives the columns of a key that draw from a sequence, besides the generated key, which is checked
     * where it is filled.
     *
     * @param insert as its user wrote it: what is filled in afterwards is drawn
     */
    private CompletionStage<Void> requireOthersAllowed(
            BatchableStatement<?> statement, Optional<CqlInsert> insert, @Nullable String keyspace) {
        return insert.isEmpty()
                ? ALLOWED
                : Stages.thenCompose(
                        lookup.others(insert.get(), keyspace),
                        others -> requireAllowed(statement, insert.get(), others));
    }

    private CompletionStage<Void> requireAllowed(
            BatchableStatement<?> statement, CqlInsert insert, List<Identity> others) {
        CompletionStage<Void> all = ALLOWED;
        for (Identity other : others) {
            Optional<Long> id = given(statement, insert.value(other.column()).orElse(null), other);
            if (id.isPresent()) {
                all = all.thenCompose(before -> ids.requireAllowed(id.get(), other));
            }
        }
        return all;
    }

    /** Returns whether an insert leaves a column out that draws its value, or gives it null or no value. */
    boolean isDrawn(BatchableStatement<?> statement, CqlInsert insert, Identity column) {
        return given(statement, insert.value(column.column()).orElse(null), column)
                .isEmpty();
    }

    private Optional<Long> given(BatchableStatement<?> statement, CqlInsert.@Nullable Value value, Identity column) {
        if (value instanceof CqlInsert.Value.Marker marker && statement instanceof BoundStatement bound) {
            int index = marker.index();
            return bound.isSet(index) && !bound.isNull(index)
                    ? Optional.of(GivenIds.decode(bound, index, Registration.type(column, bound.getType(index))))
                    : Optional.empty();
        }
        return statement instanceof SimpleStatement simple && value != null
                ? givenIds.of(simple, value, column)
                : GivenIds.ofLiteral(value, column);
    }

    private static CompletionStage<Filling> untouched(BatchableStatement<?> statement) {
        return CompletableFuture.completedFuture(new Filling.Complete(statement, null));
    }

    // ---- simple statements

    private CompletionStage<Filling> inspectSimple(
            SimpleStatement statement, @Nullable String keyspace, DefaultEvaluator.Moment moment) {
        String cql = statement.getQuery();
        boolean valued = !statement.getPositionalValues().isEmpty()
                || !statement.getNamedValues().isEmpty();
        // A statement that contains its values rarely comes twice.
        ParsedStatement text = valued ? lookup.read(cql) : ParsedStatement.of(cql);
        return Stages.thenCompose(
                        requireOthersAllowed(statement, text.insert(), text.keyspace(keyspace)),
                        allowed -> defaults.of(text.insert(), text.keyspace(keyspace)))
                .thenCompose(found -> {
                    if (found.isEmpty()) {
                        return inspectSimple(statement, keyspace, text);
                    }
                    List<ColumnDefault> generated = DefaultEvaluator.generated(found);
                    CqlInsert insert = text.insert().orElseThrow();
                    return defaults.values(insert, found, given(statement), moment)
                            .thenCompose(values -> {
                                CqlInsert filled = defaults.withLiterals(insert, found, values);
                                return inspectSimple(
                                                statement.setQuery(filled.text()),
                                                keyspace,
                                                ParsedStatement.of(filled.text()))
                                        .thenApply(filling -> sharing(filling, generated, values));
                            });
                });
    }

    /** All columns of a row that draw from one sequence get one value, as in SQL Server. */
    private static Filling sharing(Filling filling, List<ColumnDefault> generated, List<@Nullable Object> values) {
        if (!(filling instanceof Filling.Wanting wanting)) {
            return filling;
        }
        Long drawn =
                DefaultEvaluator.drawn(generated, values, wanting.identity().sequence());
        return drawn == null ? filling : wanting.with(drawn);
    }

    private CompletionStage<Filling> inspectSimple(
            SimpleStatement statement, @Nullable String keyspace, ParsedStatement text) {
        return lookup.find(text, keyspace)
                .thenCompose(identity -> identity.isPresent()
                        ? fillSimple(statement, text.insert().orElseThrow(), identity.get())
                        : untouched(statement));
    }

    private CompletionStage<Filling> fillSimple(SimpleStatement statement, CqlInsert insert, Identity identity) {
        Registration.refuseJson(insert, identity);
        return registration.type(identity).thenCompose(type -> fillSimple(statement, insert, identity, type));
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
        if (given instanceof CqlInsert.Value.Marker marker && givenIds.isNull(statement, marker, identity)) {
            SimpleStatement without = givenIds.without(statement, marker, insert, identity);
            return wanting(identity, type, id -> without.setQuery(rewrite.withLiteral(id)));
        }
        return givenIds.of(statement, given, identity)
                .map(id -> explicit(statement, identity, type, id))
                // A marker without a value: the server refuses the statement.
                .orElseGet(() -> untouched(statement));
    }

    private static CompletionStage<Filling> wanting(
            Identity identity, IdentityType type, LongFunction<BatchableStatement<?>> with) {
        return CompletableFuture.completedFuture(new Filling.Wanting(identity, type, with));
    }

    private CompletionStage<Filling> explicit(
            BatchableStatement<?> statement, Identity identity, IdentityType type, long id) {
        IdentitySource.requireFit(id, type, identity);
        return ids.requireAllowed(id, identity)
                .thenApply(ok -> new Filling.Complete(statement, Filling.key(identity, type, id, false)));
    }

    /** Cassandra names a {@code ?} after its column, so that its value may be given by name too. */
    private static DefaultEvaluator.Given given(SimpleStatement statement) {
        return (marker, column) -> {
            List<Object> positional = statement.getPositionalValues();
            if (statement.getNamedValues().isEmpty()) {
                return marker.index() < positional.size() ? positional.get(marker.index()) : null;
            }
            String name = marker.name() == null ? column : marker.name();
            return statement.getNamedValues().get(CqlIdentifier.fromInternal(name));
        };
    }

    // ---- bound statements

    private static DefaultEvaluator.Given given(BoundStatement statement) {
        return (marker, column) -> {
            String name = marker.name();
            // Of two markers of one name, the server may have made one variable.
            int index = name == null ? marker.index() : statement.firstIndexOf(CqlIdentifier.fromInternal(name));
            return statement.isSet(index) && !statement.isNull(index) ? statement.getObject(index) : null;
        };
    }

    private CompletionStage<Filling> inspectBound(
            BoundStatement statement, @Nullable String keyspace, DefaultEvaluator.Moment moment) {
        if (statement.getPreparedStatement() instanceof FilledPreparedStatement prepared) {
            return prepared.isOf(defaults.generation()) && !prepared.insert().guarded()
                    ? inspectFilled(statement, prepared, moment)
                    : inspectGuarded(statement, prepared, moment);
        }
        ParsedStatement text = read(statement, keyspace);
        if (text.insert().isEmpty()) {
            return inspectBound(statement, keyspace, text);
        }
        String in = text.keyspace(keyspace);
        return Stages.thenCompose(
                        requireOthersAllowed(statement, text.insert(), in), allowed -> defaults.of(text.insert(), in))
                .thenCompose(found -> found.isEmpty()
                        ? inspectBound(statement, keyspace, text)
                        : inspectAgain(statement, text.insert().get(), in, moment));
    }

    private ParsedStatement read(BoundStatement statement, @Nullable String keyspace) {
        ParsedStatement text = lookup.read(statement.getPreparedStatement().getQuery());
        if (keyspace == null) {
            OwnKeyspaces.refuseUnknown(text.changes());
        }
        return text;
    }

    private CompletionStage<Filling> inspectBound(
            BoundStatement statement, @Nullable String keyspace, ParsedStatement text) {
        return lookup.findPrepared(text, keyspace)
                .thenCompose(identity -> identity.isPresent()
                        ? fillBound(statement, text.insert().orElseThrow(), identity.get())
                        : untouched(statement));
    }

    private CompletionStage<Filling> inspectGuarded(
            BoundStatement statement, FilledPreparedStatement prepared, DefaultEvaluator.Moment moment) {
        return Stages.thenCompose(
                requireOthersAllowed(
                        statement,
                        lookup.read(prepared.getQuery()).insert(),
                        prepared.insert().keyspace()),
                allowed -> prepared.isOf(defaults.generation())
                        ? inspectFilled(statement, prepared, moment)
                        : inspectOlder(statement, prepared, moment));
    }

    private CompletionStage<Filling> inspectFilled(
            BoundStatement statement, FilledPreparedStatement prepared, DefaultEvaluator.Moment moment) {
        List<ColumnDefault> generated = prepared.generated();
        return generated.isEmpty()
                ? inspectFilled(statement, prepared, NO_VALUES)
                : defaults.values(
                                lookup.read(prepared.getQuery()).insert().orElseThrow(),
                                prepared.insert().defaults(),
                                given(statement),
                                moment)
                        .thenCompose(values -> {
                            @Nullable ByteBuffer[] encoded = new ByteBuffer[values.size()];
                            for (int i = 0; i < encoded.length; i++) {
                                encoded[i] = defaults.encoded(
                                        generated.get(i), values.get(i), prepared.generatedType(i), statement);
                            }
                            return inspectFilled(statement, prepared, encoded)
                                    .thenApply(filling -> sharing(filling, generated, values));
                        });
    }

    private CompletionStage<Filling> inspectFilled(
            BoundStatement statement, FilledPreparedStatement prepared, @Nullable ByteBuffer[] values) {
        Identity identity = prepared.insert().identity().orElse(null);
        if (identity != null) {
            return wanting(identity, prepared.type(), id -> prepared.fill(statement, values, id));
        }
        // It has all its defaults; an identity that it names is checked as in any statement.
        BoundStatement filled = prepared.fill(statement, values, 0);
        return inspectBound(
                filled,
                prepared.insert().keyspace(),
                lookup.read(filled.getPreparedStatement().getQuery()));
    }

    /** The defaults of some table have changed since the statement was prepared, or since it was last sent. */
    private CompletionStage<Filling> inspectOlder(
            BoundStatement statement, FilledPreparedStatement prepared, DefaultEvaluator.Moment moment) {
        long generation = defaults.generation();
        CqlInsert insert = lookup.read(prepared.getQuery()).insert().orElseThrow();
        String keyspace = prepared.insert().keyspace();
        return defaults.of(Optional.of(insert), keyspace)
                .thenCompose(found -> isStillRight(prepared.insert(), insert, found))
                .thenCompose(right -> {
                    if (right) {
                        prepared.isStillOf(generation);
                        return inspectFilled(statement, prepared, moment);
                    }
                    return inspectAgain(statement, insert, keyspace, moment);
                });
    }

    private CompletionStage<Boolean> isStillRight(
            RewrittenInsert prepared, CqlInsert insert, List<ColumnDefault> found) {
        return lookup.others(insert, prepared.keyspace())
                .thenCombine(
                        lookup.key(insert, prepared.keyspace()),
                        (others, key) -> found.equals(prepared.defaults())
                                && others.isEmpty() != prepared.guarded()
                                && (prepared.identity().isEmpty()
                                        || prepared.identity().equals(key)));
    }

    /** Prepares the statement again, with the defaults that the table has now. */
    private CompletionStage<Filling> inspectAgain(
            BoundStatement statement, CqlInsert insert, @Nullable String keyspace, DefaultEvaluator.Moment moment) {
        String text = keyspace == null ? insert.text() : insert.textIn(keyspace);
        return preparedAgain(new Text(text, defaults.generation())).thenCompose(prepared -> {
            BoundStatement rebound = FilledPreparedStatement.rebound(prepared, statement);
            return prepared instanceof FilledPreparedStatement filled
                    ? inspectFilled(rebound, filled, moment)
                    : inspectBound(rebound, keyspace, lookup.read(prepared.getQuery()));
        });
    }

    /** A statement under one generation of defaults. */
    private record Text(String cql, long generation) {}

    private CompletionStage<PreparedStatement> preparedAgain(Text text) {
        CompletableFuture<PreparedStatement> known = preparedAgain.get(text);
        if (known != null) {
            return known;
        }
        if (preparedAgain.size() >= MAX_PREPARED_AGAIN) {
            preparedAgain.clear();
        }
        CompletableFuture<PreparedStatement> now = preparing.prepare(text.cql).toCompletableFuture();
        preparedAgain.put(text, now);
        return now.whenComplete((done, failure) -> {
            if (failure != null) {
                preparedAgain.remove(text, now);
            }
        });
    }

    private CompletionStage<Filling> fillBound(BoundStatement statement, CqlInsert insert, Identity identity) {
        Registration.refuseJson(insert, identity);
        CqlInsert.Value given = insert.value(identity.column()).orElse(null);
        if (given instanceof CqlInsert.Value.Marker marker) {
            IdentityType type = Registration.type(identity, statement.getType(marker.index()));
            if (!statement.isSet(marker.index()) || statement.isNull(marker.index())) {
                return wanting(
                        identity, type, id -> statement.setBytesUnsafe(marker.index(), GivenIds.encode(id, type)));
            }
            return explicit(statement, identity, type, GivenIds.decode(statement, marker.index(), type));
        }
        if (given instanceof CqlInsert.Value.IntegerLiteral || given instanceof CqlInsert.Value.Term) {
            return registration.type(identity).thenCompose(type -> GivenIds.ofLiteral(given, identity)
                    .map(id -> explicit(statement, identity, type, id))
                    .orElseGet(() -> untouched(statement)));
        }
        if (given instanceof CqlInsert.Value.Null) {
            return CompletableFuture.failedFuture(Registration.preparedBefore(insert, identity));
        }
        return registration.wantsId(insert, identity).thenCompose(wants -> {
            if (wants) {
                // The server reports a missing value of a key column only; another column would silently stay null.
                throw Registration.preparedBefore(insert, identity);
            }
            return untouched(statement);
        });
    }

    // ---- results that cannot carry keys

    /**
     * Refuses a change of Cassidy's own keyspaces; to recognise one, it may wait for the cluster. Also refuses an
     * identity insert, as far as its table is known without any I/O: the result type has no place for its keys.
     */
    void refuse(Statement<?> statement, String resultType) {
        if (statement instanceof BatchStatement batch) {
            TableModes.Batched batched = modes.areNone() ? TableModes.Batched.NOT : batched(batch);
            batch.forEach(child -> refuse(child, batch.getKeyspace(), batched, resultType));
        } else if (statement instanceof BatchableStatement<?> single) {
            refuse(single, statement.getKeyspace(), TableModes.Batched.NOT, resultType);
        }
    }

    private void refuse(
            BatchableStatement<?> statement,
            @Nullable CqlIdentifier given,
            TableModes.Batched batched,
            String resultType) {
        String keyspace = keyspaces.of(statement, given);
        if (!modes.areNone()) {
            FillingSession.await(requireAllowed(statement, keyspace, batched));
        }
        ParsedStatement text = statement instanceof BoundStatement bound
                ? read(bound, keyspace)
                : ParsedStatement.of(ParsedStatement.text(statement));
        refuseDefaults(text.insert(), text.keyspace(keyspace), resultType);
        Optional<Identity> identity = FillingSession.await(lookup.findCached(text, keyspace));
        if (identity.isPresent()) {
            throw new IdentityInsertException(
                    Reason.RESULT_TYPE,
                    "an insert into " + identity.get().keyspace() + '.'
                            + identity.get().table()
                            + ", which has an identity column, cannot be executed for a " + resultType
                            + "; use execute or executeAsync");
        }
    }

    private void refuseDefaults(Optional<CqlInsert> insert, @Nullable String keyspace, String resultType) {
        List<ColumnDefault> found = FillingSession.await(defaults.of(insert, keyspace));
        if (!found.isEmpty()) {
            throw new IdentityInsertException(
                    Reason.RESULT_TYPE,
                    "an insert into " + DefaultEvaluator.table(found.get(0)) + " that leaves out "
                            + found.get(0).column() + ", which has a default, cannot be executed for a " + resultType
                            + "; use execute or executeAsync");
        }
    }
}
