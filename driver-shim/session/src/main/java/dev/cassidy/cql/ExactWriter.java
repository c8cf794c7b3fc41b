package dev.cassidy.cql;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.BatchableStatement;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.ColumnDefinitions;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.cql.Statement;
import dev.cassidy.async.Stages;
import dev.cassidy.insert.ConditionalWrite;
import dev.cassidy.insert.CqlInsert;
import dev.cassidy.insert.CqlWrite;
import dev.cassidy.insert.Identity;
import dev.cassidy.insert.PositionalMarkers;
import dev.cassidy.insert.RecentStatements;
import dev.cassidy.insert.UnsupportedSqlException;
import dev.cassidy.lwt.SentOnce;
import dev.cassidy.table.ColumnDefault;
import dev.cassidy.table.TableWrites;
import dev.cassidy.transaction.cassandra.DecidedRows;
import dev.cassidy.transaction.cassandra.ExactRowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Runs single writes to exact tables under the conditions that they lack, as {@link ExactConditions#ADDED} says. Never blocks.
 */
final class ExactWriter {

    private static final CompletionStage<Optional<Plan>> AS_OTHERS =
            CompletableFuture.completedFuture(Optional.empty());

    private final CqlSession session;
    private final TableCatalog catalog;
    private final StatementKeyspace keyspaces;
    private final TableModes modes;
    private final Filler filler;
    private final UniqueGuard uniques;
    private final PreparedTexts prepared;
    private final Function<Statement<?>, CompletionStage<IdentitySession.Filled>> fill;
    private final DecidedRows rows;
    private final RecentStatements<Optional<CqlWrite>> writes = new RecentStatements<>(CqlWrite::recognise);

    /** @param fill gives a statement what it lacks, keeps the rules of its columns, and orders it */
    ExactWriter(
            CqlSession session,
            TableCatalog catalog,
            StatementKeyspace keyspaces,
            TableModes modes,
            Filler filler,
            UniqueGuard uniques,
            Preparing preparing,
            Function<Statement<?>, CompletionStage<IdentitySession.Filled>> fill,
            DecidedRows rows) {
        this.session = session;
        this.catalog = catalog;
        this.keyspaces = keyspaces;
        this.modes = modes;
        this.filler = filler;
        this.uniques = uniques;
        this.prepared = new PreparedTexts(preparing);
        this.fill = fill;
        this.rows = rows;
    }

    /**
     * How a write is run.
     *
     * @param user the statement as its user gave it
     * @param key the columns of the primary key
     * @param write the statement under its condition
     * @param row the query of its row; null for an insert
     * @param healing whether a part of the row is written, which a replica may have that others lack
     */
    record Plan(
            Statement<?> user,
            TableWrites table,
            List<String> key,
            Statement<?> write,
            @Nullable Statement<?> row,
            boolean healing) {}

    /** The result of a write, and what {@link GeneratedKeys} gives of it. */
    record Answer(AsyncResultSet result, GeneratedKeys keys) {}

    // ---- what is sent

    /** Runs a statement; empty if it is no single write to an exact table, or if it inserts a row that needs no condition. */
    CompletionStage<Optional<Answer>> execute(Statement<?> statement) {
        CompletionStage<Optional<Plan>> plan;
        try {
            plan = plan(statement);
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
        return plan.thenCompose(found -> {
            if (found.isEmpty()) {
                return CompletableFuture.completedFuture(Optional.empty());
            }
            uniques.requireKept(statement);
            return run(found.get()).thenApply(Optional::of);
        });
    }

    private CompletionStage<Optional<Plan>> plan(Statement<?> statement) {
        if (!(statement instanceof BatchableStatement<?> single)) {
            return AS_OTHERS;
        }
        String cql = ParsedStatement.text(single);
        // A text without values contains them, and is rarely used twice.
        CqlWrite write = (single instanceof BoundStatement ? writes.of(cql) : CqlWrite.recognise(cql)).orElse(null);
        String keyspace =
                write == null ? null : write.keyspace().orElseGet(() -> keyspaces.of(single, statement.getKeyspace()));
        // Without a keyspace the server refuses the statement.
        return write == null || keyspace == null
                ? AS_OTHERS
                : modes.exactNow(keyspace, write.table())
                        .thenCompose(exact -> exact.isEmpty()
                                ? AS_OTHERS
                                : catalog.shapes()
                                        .find(keyspace, write.table())
                                        .thenCompose(shape -> shape.isEmpty()
                                                ? AS_OTHERS
                                                : plan(single, write, exact.get(), shape.get())));
    }

    private CompletionStage<Optional<Plan>> plan(
            BatchableStatement<?> statement, CqlWrite write, TableWrites table, TableShape shape) {
        CqlInsert insert = CqlInsert.recognise(ParsedStatement.text(statement)).orElse(null);
        if (insert == null) {
            return change(statement, write, table, shape.primaryKey()).thenApply(Optional::of);
        }
        // What is left is refused as ever.
        return insert.isJson() ? AS_OTHERS : insert(statement, write, insert, table, shape);
    }

    // ---- UPDATE and DELETE

    private CompletionStage<Plan> change(
            BatchableStatement<?> statement, CqlWrite write, TableWrites table, List<String> key) {
        boolean healing = !CqlWrite.deletesRows(ParsedStatement.text(statement));
        String cql = write.textIn(table.keyspace());
        if (statement instanceof SimpleStatement simple) {
            ConditionalWrite conditional = conditional(cql, table, key);
            return CompletableFuture.completedFuture(new Plan(
                    statement,
                    table,
                    key,
                    simple.setQuery(conditional.text()),
                    ofRow(simple, conditional).setIdempotent(true).setPagingState((ByteBuffer) null),
                    healing));
        }
        BoundStatement bound = (BoundStatement) statement;
        PositionalMarkers positional = PositionalMarkers.of(cql);
        ConditionalWrite conditional = conditional(positional.text(), table, key);
        return prepared.of(conditional.text())
                .thenCombine(
                        prepared.of(conditional.row()),
                        (ofWrite, ofRow) -> new Plan(
                                statement,
                                table,
                                key,
                                FilledPreparedStatement.rebound(
                                        ofWrite, values(bound, positional, conditional.markers()), bound),
                                FilledPreparedStatement.rebound(
                                                ofRow, values(bound, positional, conditional.rowMarkers()), bound)
                                        .setIdempotent(true)
                                        .setPagingState((ByteBuffer) null),
                                healing));
    }

    private static ConditionalWrite conditional(String cql, TableWrites table, List<String> key) {
        try {
            return ConditionalWrite.ofRow(cql, new LinkedHashSet<>(key)).orElseThrow();
        } catch (UnsupportedSqlException e) {
            throw new WriteModeException(
                    "table " + table.name() + " is written exactly, each row under its condition: " + e.getMessage()
                            + ". Nothing was sent",
                    false);
        }
    }

    /** Values that have names serve both statements. */
    private static SimpleStatement ofRow(SimpleStatement simple, ConditionalWrite conditional) {
        List<Object> given = simple.getPositionalValues();
        List<Object> values = new ArrayList<>();
        for (ConditionalWrite.Source source : conditional.rowMarkers()) {
            int marker = marker(source);
            // Of too few values, the server refuses the statement.
            if (marker < given.size()) {
                values.add(given.get(marker));
            }
        }
        SimpleStatement query = simple.setQuery(conditional.row());
        return simple.getNamedValues().isEmpty() ? query.setPositionalValues(values) : query;
    }

    /** Of two markers of one name, the server may have made one variable. */
    private static ByteBuffer[] values(
            BoundStatement bound, PositionalMarkers positional, List<ConditionalWrite.Source> sources) {
        ColumnDefinitions variables = bound.getPreparedStatement().getVariableDefinitions();
        List<ByteBuffer> given = bound.getValues();
        ByteBuffer[] values = new ByteBuffer[sources.size()];
        for (int i = 0; i < values.length; i++) {
            int marker = marker(sources.get(i));
            String name = positional.names().get(marker);
            values[i] = given.get(
                    name == null || variables.size() == positional.names().size()
                            ? marker
                            : variables.firstIndexOf(CqlIdentifier.fromInternal(name)));
        }
        return values;
    }

    private static int marker(ConditionalWrite.Source source) {
        return ((ConditionalWrite.Source.Given) source).marker();
    }

    // ---- INSERT

    private CompletionStage<Optional<Plan>> insert(
            BatchableStatement<?> statement, CqlWrite write, CqlInsert insert, TableWrites table, TableShape shape) {
        if (insert.isConditional()) {
            return CompletableFuture.completedFuture(
                    Optional.of(new Plan(statement, table, shape.primaryKey(), statement, null, false)));
        }
        return catalog.drawn(table.keyspace(), table.table())
                .thenCompose(drawn -> isFresh(statement, write, insert, table, drawn)
                        .thenCompose(fresh -> fresh
                                ? AS_OTHERS
                                : catalog.defaults(table.keyspace(), table.table())
                                        .thenCompose(defaults ->
                                                ifNotExists(statement, whole(insert, table, shape, drawn, defaults)))
                                        .thenApply(once -> Optional.of(
                                                new Plan(statement, table, shape.primaryKey(), once, null, false)))));
    }

    /** Returns whether the row's id is drawn for it, so that nothing can be there. */
    private CompletionStage<Boolean> isFresh(
            BatchableStatement<?> statement,
            CqlWrite write,
            CqlInsert insert,
            TableWrites table,
            List<Identity> drawn) {
        if (drawn.isEmpty()
                || drawn.get(0).byDefault()
                || insert.callsFunctions()
                || write.isTimestamped()
                || !filler.isDrawn(statement, insert, drawn.get(0))) {
            return CompletableFuture.completedFuture(false);
        }
        return modes.insertsFresh(table.keyspace(), table.table(), drawn.get(0).column());
    }

    private static CqlInsert whole(
            CqlInsert insert, TableWrites table, TableShape shape, List<Identity> drawn, List<ColumnDefault> defaults) {
        Set<String> filled = new HashSet<>();
        drawn.forEach(each -> filled.add(each.column()));
        // The row's mark is among them.
        defaults.forEach(each -> filled.add(each.column()));
        return CqlInsert.recognise(insert.textIn(table.keyspace()))
                .orElseThrow()
                .withNulls(shape.rowColumns(), filled)
                .ifNotExists();
    }

    /** The markers are the user's. */
    private CompletionStage<BatchableStatement<?>> ifNotExists(BatchableStatement<?> statement, CqlInsert insert) {
        if (statement instanceof SimpleStatement simple) {
            return CompletableFuture.completedFuture(simple.setQuery(insert.text()));
        }
        BoundStatement bound = (BoundStatement) statement;
        ByteBuffer[] values = new ByteBuffer[bound.size()];
        for (int i = 0; i < values.length; i++) {
            values[i] = bound.isSet(i) ? bound.getBytesUnsafe(i) : null;
        }
        return prepared.of(insert.text()).thenApply(once -> FilledPreparedStatement.rebound(once, values, bound));
    }

    // ---- how it is sent

    private CompletionStage<Answer> run(Plan plan) {
        // What is refused is refused before anything is read.
        return fill.apply(plan.write())
                .thenCompose(filled -> run(plan, Proxies.like(plan.user(), filled.statement()))
                        .thenApply(
                                result -> new Answer(result, result.wasApplied() ? filled.keys() : GeneratedKeys.NONE)))
                .exceptionallyCompose(failure -> CompletableFuture.failedFuture(
                        Stages.cause(failure) instanceof ExactRowException found
                                ? ExactWriteException.of(found)
                                : failure));
    }

    private CompletionStage<AsyncResultSet> run(Plan plan, Statement<?> write) {
        if (plan.row() == null) {
            return once(plan, write, null, DecidedRows.MAX_LOCKS).thenApply(Sent::result);
        }
        return fill.apply(plan.row()).thenCompose(filled -> {
            DecidedRows.Named row = new DecidedRows.Named(plan.table(), plan.key(), filled.statement());
            return plan.healing()
                    ? rows.healed(row)
                            .thenCompose(found -> found.row() == null
                                    ? CompletableFuture.completedFuture(
                                            ConditionalResults.missing(plan.table(), found.info()))
                                    : change(plan, write, row))
                    : change(plan, write, row);
        });
    }

    /** Another datacenter may just have inserted the row, and then it is here now. */
    private CompletionStage<AsyncResultSet> change(Plan plan, Statement<?> write, DecidedRows.Named row) {
        return once(plan, write, row, DecidedRows.MAX_LOCKS)
                .thenCompose(sent -> sent.result().wasApplied() || !DecidedRows.isMissing(plan.table(), sent.now())
                        ? CompletableFuture.completedFuture(sent)
                        : rows.isElsewhere(row)
                                .thenCompose(there -> there
                                        ? once(plan, write, row, DecidedRows.MAX_LOCKS)
                                        : CompletableFuture.completedFuture(sent)))
                .thenApply(Sent::result);
    }

    /** @param now the row that did not meet the condition; null if it was applied */
    private record Sent(AsyncResultSet result, @Nullable Row now) {}

    /** Sends the statement; if a transaction holds the row, again once it does not. */
    private CompletionStage<Sent> once(Plan plan, Statement<?> write, DecidedRows.@Nullable Named row, int tries) {
        if (tries == 0) {
            return CompletableFuture.failedFuture(DecidedRows.held(plan.table()));
        }
        // It may have waited: for its row, and for who holds that.
        uniques.requireKept(plan.user());
        uniques.requireFilled(plan.table(), write);
        return SentOnce.execute(session, write).thenCompose(answer -> {
            // Before the row is taken.
            if (answer.wasApplied()) {
                return CompletableFuture.completedFuture(new Sent(answer, null));
            }
            Row now = Objects.requireNonNull(answer.one());
            return (row == null ? rows.isFreed(plan.table(), plan.key(), now) : rows.isFreed(row, now))
                    .thenCompose(freed -> freed
                            ? once(plan, write, row, tries - 1)
                            : CompletableFuture.completedFuture(
                                    new Sent(ConditionalResults.refused(answer, now), now)));
        });
    }
}
