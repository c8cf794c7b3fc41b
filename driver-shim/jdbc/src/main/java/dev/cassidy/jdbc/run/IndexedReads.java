package dev.cassidy.jdbc.run;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.Statement;
import com.datastax.oss.driver.api.core.servererrors.InvalidQueryException;
import com.datastax.oss.driver.api.core.type.DataTypes;
import dev.cassidy.cluster.DriverThreads;
import dev.cassidy.insert.IndexedIn;
import dev.cassidy.jdbc.error.SqlStates;
import dev.cassidy.jdbc.error.Warnings;
import dev.cassidy.jdbc.session.SharedSession;
import dev.cassidy.jdbc.value.Parameter;
import dev.cassidy.tsql.TsqlStep;
import java.math.BigDecimal;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Serves IN on a column with an index by a read for each value, all at the same time; tried only after the server has
 * refused the statement, so that no other statement pays for it. Serves whole keys that OR joins by a read for each row.
 */
final class IndexedReads {

    private final SharedSession session;
    private final Binder binder;
    private final Cancellation cancellation;
    private final Consumer<SQLWarning> warnings;

    IndexedReads(SharedSession session, Binder binder, Cancellation cancellation, Consumer<SQLWarning> warnings) {
        this.session = session;
        this.binder = binder;
        this.cancellation = cancellation;
        this.warnings = warnings;
    }

    /** Returns how to serve a statement that the server refused; empty if it cannot be served in this way. */
    static Optional<IndexedIn> of(TsqlStep.Cql step, Exception refusal) {
        Throwable cause = refusal instanceof SQLException ? refusal.getCause() : refusal;
        return step.keyword().equals("SELECT")
                        && cause instanceof InvalidQueryException
                        && IndexedIn.mayBeWhy(String.valueOf(cause.getMessage()))
                ? IndexedIn.of(step.text())
                : Optional.empty();
    }

    /** Returns whether the server refused a statement, and did not fail to run it. */
    static boolean isRefusal(Exception e) {
        return e instanceof InvalidQueryException || e.getCause() instanceof InvalidQueryException;
    }

    /** Returns the statement of the first read. */
    static Binder.Unbound text(TsqlStep.Cql step, IndexedIn in) {
        return text(step, in, 0);
    }

    private static Binder.Unbound text(TsqlStep.Cql step, IndexedIn in, int value) {
        List<Integer> markers = new ArrayList<>();
        for (int i = 0; i < in.markers().size(); i++) {
            int marker = i == in.valueMarker()
                    ? in.values().get(value)
                    : in.markers().get(i);
            markers.add(step.parameters().get(marker));
        }
        return new Binder.Unbound(in.reads().get(in.values().isEmpty() ? value : 0), markers, false);
    }

    /** @param in without NULLs: they equal nothing */
    StepResult run(CqlSession target, TsqlStep.Cql step, IndexedIn in, List<@Nullable Parameter> parameters)
            throws SQLException {
        List<Binder.Unbound> texts = new ArrayList<>();
        int reads = in.values().isEmpty() ? in.reads().size() : in.values().size();
        for (int i = 0; i < reads; i++) {
            texts.add(text(step, in, i));
        }
        return run(target, texts, limit(step, in, parameters), parameters);
    }

    /** Runs statements of one form at the same time, each once. */
    StepResult run(CqlSession target, List<Binder.Unbound> texts, long maxRows, List<@Nullable Parameter> parameters)
            throws SQLException {
        DriverThreads.refuseToWait();
        List<Statement<?>> statements = new ArrayList<>();
        Set<Object> seen = new HashSet<>();
        for (Binder.Unbound text : texts) {
            Statement<?> statement = binder.bind(target, text, parameters);
            if (!(statement instanceof BoundStatement bound) || seen.add(values(bound))) {
                statements.add(statement);
            }
        }
        return StepResult.query(new Cursor.Chained(cursors(statements), maxRows));
    }

    private List<Cursor> cursors(List<Statement<?>> statements) throws SQLException {
        cancellation.requireGoingOn();
        List<CompletableFuture<AsyncResultSet>> asked = new ArrayList<>();
        for (Statement<?> statement : statements) {
            asked.add(session.plain().executeAsync(statement).toCompletableFuture());
        }
        List<Cursor> cursors = new ArrayList<>();
        try {
            for (CompletableFuture<AsyncResultSet> answer : asked) {
                AsyncResultSet result = cancellation.await(answer, Cancellation.READ_ALONE);
                result.getExecutionInfo().getWarnings().forEach(text -> warnings.accept(Warnings.general(text)));
                cursors.add(new Cursor.Server(result, cancellation, warnings));
            }
        } finally {
            asked.forEach(answer -> answer.cancel(true));
        }
        return cursors;
    }

    /**
     * The reads differ in one value alone, so those with the same values are the same read. Two values that are equal for
     * the server are equal here: 1.0 and 1.00 as decimals.
     */
    private static List<Object> values(BoundStatement bound) {
        List<Object> values = new ArrayList<>();
        for (int marker = 0; marker < bound.size(); marker++) {
            BigDecimal decimal = bound.getType(marker).equals(DataTypes.DECIMAL) ? bound.getBigDecimal(marker) : null;
            Object bytes = bound.getBytesUnsafe(marker);
            values.add(decimal != null ? decimal.stripTrailingZeros() : bytes == null ? "" : bytes);
        }
        return values;
    }

    private static long limit(TsqlStep.Cql step, IndexedIn in, List<@Nullable Parameter> parameters)
            throws SQLException {
        if (in.limit().isEmpty()) {
            return Long.MAX_VALUE;
        }
        if (in.limitMarker() < 0) {
            return Long.parseLong(in.limit());
        }
        return limit(parameters.get(step.parameters().get(in.limitMarker())));
    }

    /** Returns the number of rows that a parameter allows. */
    static long limit(@Nullable Parameter given) throws SQLException {
        if (given != null && given.value() instanceof Number number) {
            return number.longValue();
        }
        throw new SQLException(
                "must be a number: the limit " + (given == null ? null : given.value()), SqlStates.TYPE_MISMATCH);
    }
}
