package dev.cassidy.jdbc.run;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.servererrors.InvalidQueryException;
import dev.cassidy.collation.Collation;
import dev.cassidy.insert.CqlSelect;
import dev.cassidy.insert.IndexedIn;
import dev.cassidy.insert.ParameterizedStatement;
import dev.cassidy.jdbc.error.SqlErrors;
import dev.cassidy.jdbc.error.Warnings;
import dev.cassidy.jdbc.session.ReadPath;
import dev.cassidy.jdbc.session.SharedSession;
import dev.cassidy.jdbc.value.Parameter;
import dev.cassidy.tsql.TsqlStep;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Reads by the plan that a statement and the schema allow, and says what that costs. A statement that the server
 * takes as it is, is sent as it is. What was learnt of a statement is kept with it.
 */
final class Reads {

    private final ConnectionState connection;
    private final SharedSession session;
    private final Binder binder;
    private final StatementSender sender;
    private final MarkedReads markedReads;

    Reads(ConnectionState connection, SharedSession session, Binder binder, StatementSender sender) {
        this.connection = connection;
        this.session = session;
        this.binder = binder;
        this.sender = sender;
        this.markedReads = new MarkedReads(session, binder);
    }

    /**
     * A statement with its literals as further parameters, so that what is learnt of it holds for all statements that differ in
     * values.
     */
    private record Read(TsqlStep.Cql step, List<@Nullable Parameter> parameters) {}

    private Read withoutValues(TsqlStep.Cql step, List<@Nullable Parameter> parameters) {
        ParameterizedStatement marked = binder.parameterized(Binder.Unbound.of(step));
        if (!marked.isMarked() || marked.tried()) {
            return new Read(step, parameters);
        }
        List<@Nullable Parameter> all = new ArrayList<>(parameters);
        List<Integer> indexes = new ArrayList<>(marked.terms().size());
        for (ParameterizedStatement.Term term : marked.terms()) {
            if (term.literal() == null) {
                indexes.add(step.parameters().get(term.marker()));
            } else {
                indexes.add(all.size());
                all.add(new Parameter(term.literal(), null));
            }
        }
        return new Read(step.withText(marked.text(), indexes), all);
    }

    ReadPath path(TsqlStep.Cql step) {
        TsqlStep.Cql read = withoutValues(step, List.of()).step();
        return session.statements().readPath(read.text(), read.parameters());
    }

    /** Runs a SELECT; of a table whose writes are exact, it shows rows as the last commit left them. */
    StepResult run(CqlSession target, TsqlStep.Cql step, List<@Nullable Parameter> parameters) throws SQLException {
        return markedReads.run(step, parameters, each -> read(target, each, parameters));
    }

    /** Runs reads of whole keys at the same time, each once. */
    StepResult rows(List<TsqlStep.Cql> steps, long maxRows, List<@Nullable Parameter> parameters) throws SQLException {
        return markedReads.rows(steps, maxRows, parameters, (each, most) -> sender.indexedReads()
                .run(session.plain(), each.stream().map(Binder.Unbound::of).toList(), most, parameters));
    }

    private StepResult read(CqlSession target, TsqlStep.Cql given, List<@Nullable Parameter> givenParameters)
            throws SQLException {
        Read read = withoutValues(given, givenParameters);
        ReadPath path =
                session.statements().readPath(read.step().text(), read.step().parameters());
        connection.fanOut().apply(path, binder.warnings());
        if (path.filters()) {
            return filter(target, read.step(), path, read.parameters());
        }
        if (path.isByValue()) {
            IndexedIn in = IndexedIn.of(given.text()).orElse(null);
            if (in != null) {
                return sender.indexedReads().run(target, given, in, givenParameters);
            }
        }
        try {
            return send(target, read.step(), read.parameters());
        } catch (SQLException | InvalidQueryException e) {
            return otherwise(target, given, givenParameters, read, path, e);
        }
    }

    private StepResult send(CqlSession target, TsqlStep.Cql step, List<@Nullable Parameter> parameters)
            throws SQLException {
        return sender.execute(target, binder.bind(target, Binder.Unbound.of(step), parameters), step.keyword());
    }

    /** Reads by another plan what the server refused; throws {@code refusal}, in our words if we have them. */
    private StepResult otherwise(
            CqlSession target,
            TsqlStep.Cql given,
            List<@Nullable Parameter> givenParameters,
            Read read,
            ReadPath path,
            Exception refusal)
            throws SQLException {
        if (!IndexedReads.isRefusal(refusal)) {
            throw SqlErrors.of(refusal);
        }
        if (path.mayFilter()) {
            try {
                StepResult result = filter(target, read.step(), path, read.parameters());
                path.setFilters();
                return result;
            } catch (SQLException | InvalidQueryException again) {
                if (!IndexedReads.isRefusal(again) || isByGuardrail(again)) {
                    throw SqlErrors.of(again);
                }
            }
        }
        IndexedIn in = IndexedReads.of(given, refusal).orElse(null);
        if (in != null) {
            try {
                StepResult result = sender.indexedReads().run(target, given, in, givenParameters);
                path.setByValue();
                return result;
            } catch (SQLException | InvalidQueryException again) {
                // The IN was not why, or not alone: what the server said of the statement itself counts.
                if (!IndexedReads.isRefusal(again)) {
                    throw SqlErrors.of(again);
                }
            }
        }
        throw refused(path, refusal);
    }

    private SQLException refused(ReadPath path, Exception refusal) {
        return connection.fanOut().refusal(path, refusal).orElseGet(() -> SqlErrors.of(refusal));
    }

    private static boolean isByGuardrail(Exception e) {
        Throwable cause = e instanceof SQLException && e.getCause() != null ? e.getCause() : e;
        return SqlErrors.isByGuardrail(String.valueOf(cause.getMessage()));
    }

    // ---- within a partition

    private StepResult filter(CqlSession target, TsqlStep.Cql step, ReadPath path, List<@Nullable Parameter> parameters)
            throws SQLException {
        TsqlStep.Cql filtering = step.withText(path.filtering());
        Optional<CompletableFuture<AsyncResultSet>> counting =
                path.countsNow() ? Optional.of(count(target, step, path, parameters)) : Optional.empty();
        StepResult result;
        try {
            result = send(target, filtering, parameters);
        } catch (SQLException | RuntimeException e) {
            counting.ifPresent(asked -> asked.cancel(true));
            throw e;
        }
        if (counting.isPresent() && hasManyRows(counting.get())) {
            path.setLarge();
        }
        if (path.isLarge()) {
            binder.warnings()
                    .accept(Warnings.general("Cassandra reads through the rows of a partition of " + path.shownTable()
                            + " for the further conditions of the statement, and there are partitions of "
                            + ReadPath.MANY_ROWS + " rows or more: keep a table whose key begins with ("
                            + String.join(", ", path.columns()) + ")"));
        }
        return result;
    }

    private CompletableFuture<AsyncResultSet> count(
            CqlSession target, TsqlStep.Cql step, ReadPath path, List<@Nullable Parameter> parameters)
            throws SQLException {
        ReadPath.Probe probe = path.probe();
        List<Integer> markers =
                probe.markers().stream().map(step.parameters()::get).toList();
        return session.plain()
                .executeAsync(binder.bind(target, new Binder.Unbound(probe.cql(), markers, false), parameters)
                        .setPageSize(ReadPath.MANY_ROWS))
                .toCompletableFuture();
    }

    private boolean hasManyRows(CompletableFuture<AsyncResultSet> counting) {
        try {
            return sender.await(counting).remaining() >= ReadPath.MANY_ROWS;
        } catch (SQLException e) {
            // The statement itself was served; this only decides about a warning.
            return false;
        }
    }

    /** Returns by which collations the driver compares strings that a statement compares, by their columns. */
    Map<String, Collation> collations(TsqlStep.Cql step) {
        return markedReads.collations(step);
    }

    // ---- without running

    /** Returns a statement as the server gets it, without what the driver compares by collations. */
    TsqlStep.Cql served(TsqlStep.Cql step) {
        return markedReads.served(step);
    }

    /**
     * Returns the statement that is sent; throws the error with which the statement would be refused. Prepares it, and runs
     * nothing.
     */
    Binder.Unbound prepared(TsqlStep.Cql step) throws SQLException {
        try {
            return verified(Binder.Unbound.of(step));
        } catch (InvalidQueryException refusal) {
            ReadPath path = path(step);
            if (path.mayFilter()) {
                try {
                    TsqlStep.Cql read = withoutValues(step, List.of()).step();
                    binder.prepare(session.plain(), Binder.Unbound.of(read.withText(path.filtering())));
                    path.setFilters();
                    return Binder.Unbound.of(step.withText(filtering(step)));
                } catch (InvalidQueryException again) {
                    if (isByGuardrail(again)) {
                        throw again;
                    }
                }
            }
            IndexedIn in = IndexedReads.of(step, refusal).orElseThrow(() -> refusal);
            try {
                return verified(IndexedReads.text(step, in));
            } catch (InvalidQueryException again) {
                throw refusal;
            }
        }
    }

    private static String filtering(TsqlStep.Cql step) {
        return CqlSelect.of(step.text()).orElseThrow().filtering();
    }

    private Binder.Unbound verified(Binder.Unbound text) throws SQLException {
        binder.verify(session.plain(), text);
        return text;
    }

    /** As {@link #prepared}, with the error in our words. */
    Binder.Unbound verified(TsqlStep.Cql step) throws SQLException {
        try {
            return prepared(step);
        } catch (InvalidQueryException e) {
            throw refused(path(step), e);
        }
    }
}
