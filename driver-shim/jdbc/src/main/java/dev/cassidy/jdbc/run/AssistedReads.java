package dev.cassidy.jdbc.run;

import com.datastax.oss.driver.api.core.servererrors.InvalidQueryException;
import com.datastax.oss.driver.api.core.servererrors.SyntaxError;
import dev.cassidy.definition.SqlType;
import dev.cassidy.insert.UnsupportedSqlException;
import dev.cassidy.jdbc.assist.Assistant;
import dev.cassidy.jdbc.assist.Assistants;
import dev.cassidy.jdbc.assist.AssistedSelect;
import dev.cassidy.jdbc.assist.Evaluated;
import dev.cassidy.jdbc.assist.ResultColumn;
import dev.cassidy.jdbc.assist.TypedValue;
import dev.cassidy.jdbc.error.SameError;
import dev.cassidy.jdbc.error.SqlErrors;
import dev.cassidy.jdbc.error.Unserved;
import dev.cassidy.jdbc.plan.Plan;
import dev.cassidy.jdbc.session.AssistedTables;
import dev.cassidy.jdbc.session.SharedSession;
import dev.cassidy.jdbc.session.Tables;
import dev.cassidy.jdbc.value.Column;
import dev.cassidy.jdbc.value.ConversionException;
import dev.cassidy.jdbc.value.DeclaredType;
import dev.cassidy.jdbc.value.EvaluatedValues;
import dev.cassidy.jdbc.value.Parameter;
import dev.cassidy.tsql.TsqlStep;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Serves SELECTs that have no form in CQL: the rows that they need are read as any SELECT reads them, and the assistant evaluates the
 * statement over these. What Cassandra serves as it is never comes here. If the assistant does not serve a statement either, the error
 * is the one from before, with the assistant's reason.
 */
final class AssistedReads {

    private final ConnectionState connection;
    private final SharedSession session;
    private final Tables tables;
    private final CqlSteps cqlSteps;
    private final Binder binder;
    private final AssistedBounds bounds;

    AssistedReads(
            ConnectionState connection,
            SharedSession session,
            Tables tables,
            CqlSteps cqlSteps,
            Binder binder,
            Cancellation cancellation) {
        this.connection = connection;
        this.session = session;
        this.tables = tables;
        this.cqlSteps = cqlSteps;
        this.binder = binder;
        this.bounds = new AssistedBounds(connection, session, tables, cqlSteps, binder, cancellation);
    }

    /** Returns whether this connection has statements evaluated. */
    boolean isServed() {
        return connection.settings().assists() && Assistants.find().isPresent();
    }

    /** Runs a SELECT that the driver's parser refuses. */
    StepResult run(TsqlStep.Assisted step, List<@Nullable Parameter> parameters) throws SQLException {
        return evaluated(step.written(), parameters, SqlErrors.of(step.refusal()));
    }

    /** Returns whether the condition of an IF holds. */
    boolean holds(TsqlStep.IfHolds step, List<@Nullable Parameter> parameters) throws SQLException {
        Cursor rows = Objects.requireNonNull(evaluated(step.written(), parameters, SqlErrors.of(step.refusal()))
                .rows());
        return rows.next() && Integer.valueOf(1).equals(rows.value(0));
    }

    /**
     * Returns a value as CAST gives it.
     *
     * @param name of the variable that gets it
     */
    @Nullable
    Object cast(Object value, SqlType type, String name) throws SQLException {
        SQLException refusal = Unserved.feature("A value of " + value.getClass().getSimpleName() + " for " + name
                + " is not served here: give it as " + type);
        if (!isServed()) {
            throw refusal;
        }
        Cursor rows = Objects.requireNonNull(evaluated(
                        new TsqlStep.Written("SELECT CAST(? AS " + type + ")", List.of(0)),
                        List.of(new Parameter(value, null)),
                        refusal)
                .rows());
        return rows.next() ? rows.value(0) : null;
    }

    /** Runs a SELECT as it is, or evaluates it if the server or the driver refuses that. */
    StepResult run(TsqlStep.Cql step, TsqlStep.Written written, List<@Nullable Parameter> parameters)
            throws SQLException {
        if (!isServed()) {
            return cqlSteps.run(step, parameters);
        }
        AtomicBoolean assisted = session.statements().assisted(written);
        SQLException refusal = null;
        if (!assisted.get()) {
            try {
                return cqlSteps.run(step, parameters);
            } catch (SQLException | RuntimeException e) {
                refusal = SyntaxErrors.told(SqlErrors.of(e, session.commandLines()), step, session);
                if (!Unserved.isOfCql(refusal)) {
                    throw e;
                }
            }
        }
        if (refusal != null) {
            requireRead(written, refusal);
        }
        StepResult result = evaluated(written, parameters, refusal);
        if (isAlways(refusal, connection)) {
            assisted.set(true);
        }
        return result;
    }

    /** What cannot be read as T-SQL may be meant as CQL, of which the refusal says what is wrong. */
    private static void requireRead(TsqlStep.Written written, SQLException refusal) throws SQLException {
        Assistant assistant = Assistants.find().orElseThrow(() -> refusal);
        if (!assistant.reads(written.text())) {
            throw assistant
                    .unread(written.text())
                    .map(why -> SameError.andAlso(
                            refusal,
                            "Nor does the driver evaluate it in the client: it cannot be read as T-SQL " + why))
                    .orElse(refusal);
        }
    }

    /** Returns whether a statement is always refused: what the driver refuses, it may serve with other parameters, or in no transaction. */
    static boolean isAlways(@Nullable SQLException refusal, ConnectionState connection) {
        Throwable cause = refusal == null ? null : refusal.getCause();
        boolean byServer = cause instanceof InvalidQueryException || cause instanceof SyntaxError;
        return byServer && connection.transaction() == null;
    }

    /** @param refusal what is said of the statement if it is not served here; null if it was served here before */
    private StepResult evaluated(
            TsqlStep.Written written, List<@Nullable Parameter> parameters, @Nullable SQLException refusal)
            throws SQLException {
        Assistant assistant = Assistants.find().orElseThrow();
        AssistedBounds.Planned<AssistedSelect> done = bounds.evaluate(
                written,
                () -> {
                    List<@Nullable Object> values = values(written, parameters, binder.warnings());
                    return assistant.plan(written.text(), new AssistedTables(tables), values, connection.language());
                },
                select -> select,
                refusal);
        return result(done.rows());
    }

    /** Returns the values of a statement's parameters, all of which must be set. */
    static List<@Nullable Object> values(
            TsqlStep.Written written, List<@Nullable Parameter> parameters, Consumer<SQLWarning> warnings)
            throws SQLException {
        List<@Nullable Object> values = new ArrayList<>();
        for (int index : written.parameters()) {
            Parameter parameter = Guards.set(index, parameters);
            try {
                Object value = EvaluatedValues.ofParameter(parameter, warnings);
                Parameter.Declared variable = parameter.variable();
                values.add(variable == null ? value : new TypedValue(variable.type(), value));
            } catch (ConversionException e) {
                throw e.in(parameter.label(index));
            }
        }
        return values;
    }

    private static List<Column> columns(List<ResultColumn> evaluated) {
        List<Column> columns = new ArrayList<>();
        for (ResultColumn each : evaluated) {
            columns.add(Column.evaluated(
                    each.label(), EvaluatedValues.cqlType(each.type()), new DeclaredType(each.type())));
        }
        return columns;
    }

    private static StepResult result(Evaluated evaluated) {
        List<Column> columns = columns(evaluated.columns());
        List<List<@Nullable Object>> rows = new ArrayList<>();
        for (@Nullable Object[] row : evaluated.rows()) {
            List<@Nullable Object> values = new ArrayList<>(row.length);
            for (@Nullable Object value : row) {
                values.add(EvaluatedValues.toCql(value));
            }
            rows.add(values);
        }
        return StepResult.query(new Cursor.Listed(columns, rows)).asEvaluated();
    }

    // ---- without running

    /** Returns how a statement is served; throws the error with which it is refused. Parameters count as NULL. */
    Plan plan(TsqlStep.Written written, UnsupportedSqlException refusal) throws SQLException {
        return plan(written, SqlErrors.of(refusal));
    }

    /** As {@link #plan(TsqlStep.Written, UnsupportedSqlException)}. */
    Plan plan(TsqlStep.Written written, SQLException refusal) throws SQLException {
        Assistant assistant = Assistants.find().orElseThrow(() -> refusal);
        requireRead(written, refusal);
        try {
            Plan.Assisted plan = AssistedPlans.ofSelect(
                    assistant,
                    written.text(),
                    written.parameters().size(),
                    new AssistedTables(tables),
                    connection.language());
            bounds.requireOn(written, keyspaces(plan));
            return plan;
        } catch (RuntimeException e) {
            throw AssistedErrors.told(e, refusal);
        }
    }

    static List<String> keyspaces(Plan.Assisted plan) {
        return plan.reads().stream().map(Plan.Assisted.Read::keyspace).toList();
    }

    /** Returns the columns of a result; none if only the run decides. */
    List<Column> resultColumns(TsqlStep.Cql step) throws SQLException {
        Optional<List<Column>> direct = unlessAssisted(step, () -> cqlSteps.resultColumns(step));
        return direct.isPresent() ? direct.get() : evaluatedColumns(Objects.requireNonNull(step.written()), null);
    }

    /** Returns the columns of a SELECT that the driver's parser refuses; none if the types of its parameters decide. */
    List<Column> resultColumns(TsqlStep.Assisted step) throws SQLException {
        return evaluatedColumns(step.written(), SqlErrors.of(step.refusal()));
    }

    private List<Column> evaluatedColumns(TsqlStep.Written written, @Nullable SQLException refusal)
            throws SQLException {
        try {
            return columns(Assistants.find()
                    .orElseThrow()
                    .plan(
                            written.text(),
                            new AssistedTables(tables),
                            AssistedPlans.unknown(written.parameters().size()),
                            connection.language())
                    .columns());
        } catch (RuntimeException e) {
            throw AssistedErrors.told(e, refusal);
        }
    }

    /** Puts the statement's parameters into their places in the script, as far as Cassandra knows them. */
    void describe(TsqlStep.Cql step, List<Column> columns) throws SQLException {
        var unused = unlessAssisted(step, () -> {
            cqlSteps.describe(step, columns);
            return columns;
        });
    }

    private interface Description {
        List<Column> get() throws SQLException;
    }

    private Optional<List<Column>> unlessAssisted(TsqlStep.Cql step, Description description) throws SQLException {
        TsqlStep.Written written = step.written();
        if (written == null || !isServed()) {
            return Optional.of(description.get());
        }
        if (session.statements().assisted(written).get()) {
            return Optional.empty();
        }
        try {
            return Optional.of(description.get());
        } catch (SQLException | RuntimeException e) {
            SQLException refusal = SqlErrors.of(e, session.commandLines());
            if (!Unserved.isOfCql(refusal)) {
                throw e;
            }
            // It has a plan, or is refused as it would be.
            requireRead(written, refusal);
            Assistant assistant = Assistants.find().orElseThrow(() -> refusal);
            try {
                // Which of its parts are served, the types of the parameters decide, which are not known.
                var unused = assistant.plan(
                        written.text(),
                        new AssistedTables(tables),
                        AssistedPlans.unknown(written.parameters().size()),
                        connection.language());
            } catch (RuntimeException planning) {
                throw AssistedErrors.told(planning, refusal);
            }
            return Optional.empty();
        }
    }
}
