package dev.cassidy.jdbc.run;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.BatchableStatement;
import com.datastax.oss.driver.api.core.cql.BoundStatementBuilder;
import com.datastax.oss.driver.api.core.cql.ColumnDefinition;
import com.datastax.oss.driver.api.core.cql.ColumnDefinitions;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.cql.Statement;
import com.datastax.oss.driver.api.core.servererrors.InvalidQueryException;
import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import com.datastax.oss.driver.api.core.type.codec.CodecNotFoundException;
import com.datastax.oss.driver.api.core.type.codec.TypeCodec;
import dev.cassidy.cql.ColumnRule;
import dev.cassidy.definition.Twin;
import dev.cassidy.insert.CqlInsert;
import dev.cassidy.insert.CqlLiteral;
import dev.cassidy.insert.ParameterizedStatement;
import dev.cassidy.jdbc.error.SqlErrors;
import dev.cassidy.jdbc.error.SqlServerErrors;
import dev.cassidy.jdbc.error.SqlStates;
import dev.cassidy.jdbc.session.Preparing;
import dev.cassidy.jdbc.session.SharedSession;
import dev.cassidy.jdbc.session.StatementPreparer;
import dev.cassidy.jdbc.value.Column;
import dev.cassidy.jdbc.value.ConversionException;
import dev.cassidy.jdbc.value.DateOrder;
import dev.cassidy.jdbc.value.Parameter;
import dev.cassidy.jdbc.value.ToCql;
import dev.cassidy.jdbc.value.Uuids;
import dev.cassidy.tsql.TsqlStep;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Makes the driver's statements from CQL and JDBC parameters.
 *
 * @param dateOrders how texts that are dates are read now; a script may change it
 * @param timeout null for the connection's requestTimeout
 */
record Binder(
        SharedSession session,
        Supplier<DateOrder> dateOrders,
        int pageSize,
        @Nullable Duration timeout,
        Consumer<SQLWarning> warnings,
        Cancellation cancellation) {

    private static final Pattern LIKE = Pattern.compile("\\bLIKE\\b", Pattern.CASE_INSENSITIVE);

    /** In place of a parameter's index: a marker that gets its value at the commit. */
    static final int AT_COMMIT = -1;

    /** What messages call a value that is a literal of the statement. */
    private static final String LITERAL = "the literal";

    /**
     * One CQL statement, of a step or of one row of a step.
     *
     * @param insert the statement as an insert, if a row of an INSERT provides it; null for any other statement
     * @param markers for each {@code ?} of the statement the index of its parameter, from 0, or {@link #AT_COMMIT}
     * @param newRow whether the row gets a new identity as part of its key. Then a null is left out: there is nothing
     *     yet that it could delete, and it would only write a tombstone. In other rows it deletes the stored value, as
     *     NULL does
     */
    record Unbound(String cql, @Nullable CqlInsert insert, List<Integer> markers, boolean newRow) {

        Unbound(String cql, List<Integer> markers, boolean newRow) {
            this(cql, null, markers, newRow);
        }

        static Unbound of(TsqlStep.Cql step) {
            return new Unbound(step.text(), step.parameters(), false);
        }

        static Unbound of(TsqlStep.Row row, boolean newRow) {
            return new Unbound(row.insert().text(), row.insert(), row.parameters(), newRow);
        }
    }

    DateOrder dateOrder() {
        return dateOrders.get();
    }

    BatchableStatement<?> bind(CqlSession target, Unbound text, List<@Nullable Parameter> parameters)
            throws SQLException {
        return bind(target, text, parameterized(text), parameters, Statement.NO_DEFAULT_TIMESTAMP);
    }

    /**
     * As {@link #bind(CqlSession, Unbound, List)}, with a write timestamp.
     *
     * @param microseconds since 1970
     */
    BatchableStatement<?> bind(CqlSession target, Unbound text, List<@Nullable Parameter> parameters, long microseconds)
            throws SQLException {
        return bind(target, text, parameterized(text), parameters, microseconds);
    }

    /** As {@link #bind(CqlSession, Unbound, List)}, of a statement that was read before. */
    BatchableStatement<?> bind(
            CqlSession target, Unbound text, ParameterizedStatement marked, List<@Nullable Parameter> parameters)
            throws SQLException {
        return bind(target, text, marked, parameters, Statement.NO_DEFAULT_TIMESTAMP);
    }

    private BatchableStatement<?> bind(
            CqlSession target,
            Unbound text,
            ParameterizedStatement marked,
            List<@Nullable Parameter> parameters,
            long microseconds)
            throws SQLException {
        if (marked.terms().isEmpty()) {
            session.preparer().refuseChanges(target, text.cql());
            requireWellFormed(text.cql());
            return SimpleStatement.newInstance(text.cql())
                    .setPageSize(pageSize)
                    .setTimeout(timeout)
                    .setQueryTimestamp(microseconds);
        }
        StatementPreparer.Prepared prepared = prepare(target, text, marked);
        PreparedStatement statement = prepared.statement();
        ColumnDefinitions definitions = statement.getVariableDefinitions();
        BoundStatementBuilder bound = statement.boundStatementBuilder();
        ToCql inDefaultZone = new ToCql(null, dateOrder(), warnings);
        // Without the literals, in which the word LIKE says nothing.
        String cql = statement.getQuery();
        for (int i = 0; i < prepared.terms().size(); i++) {
            ParameterizedStatement.Term term = prepared.terms().get(i);
            if (term.literal() != null) {
                bound = bind(bound, i, term.literal(), inDefaultZone, LITERAL, definitions.get(i), cql);
                continue;
            }
            int index = text.markers().get(term.marker());
            if (index != AT_COMMIT) {
                Parameter parameter = parameters.get(index);
                if (parameter == null) {
                    throw new SQLException(
                            "Parameter " + (index + 1) + " was never set; set it, to null if that is intended",
                            SqlStates.WRONG_PARAMETERS);
                }
                Object value = parameter.value();
                if (value == null) {
                    bound = text.newRow() ? bound.unset(i) : bound.setToNull(i);
                } else {
                    ToCql conversion = parameter.given() == null
                            ? inDefaultZone
                            : new ToCql(parameter.given(), dateOrder(), warnings);
                    bound = bind(
                            bound,
                            i,
                            value,
                            conversion,
                            value instanceof CqlLiteral ? LITERAL : parameter.label(index),
                            definitions.get(i),
                            cql);
                }
            }
        }
        return bound.setPageSize(pageSize)
                .setTimeout(timeout)
                .setQueryTimestamp(microseconds)
                .build();
    }

    /** Returns the statement with a marker for each of its literals. */
    ParameterizedStatement parameterized(Unbound text) {
        return session.statements().parameterized(text.cql(), text.markers());
    }

    /** Returns whether what is sent has markers: for parameters, or for literals. */
    boolean isPrepared(Unbound text) {
        return !parameterized(text).terms().isEmpty();
    }

    /** Prepares what would be sent. */
    PreparedStatement prepare(CqlSession target, Unbound text) throws SQLException {
        return prepare(target, text, parameterized(text)).statement();
    }

    /** Prepares what would be sent, and throws the error with which a literal would be refused. */
    void verify(CqlSession target, Unbound text) throws SQLException {
        StatementPreparer.Prepared prepared = prepare(target, text, parameterized(text));
        BoundStatementBuilder bound = prepared.statement().boundStatementBuilder();
        ToCql conversion = new ToCql(null, dateOrder(), warnings);
        for (int i = 0; i < prepared.terms().size(); i++) {
            CqlLiteral literal = prepared.terms().get(i).literal();
            if (literal != null) {
                ColumnDefinition definition =
                        prepared.statement().getVariableDefinitions().get(i);
                bound = bind(
                        bound,
                        i,
                        literal,
                        conversion,
                        LITERAL,
                        definition,
                        prepared.statement().getQuery());
            }
        }
    }

    /**
     * Returns a string that a column is compared with, as it would be bound.
     *
     * @param type of the column, which has strings
     */
    String string(Parameter parameter, DataType type, String where) throws SQLException {
        try {
            return new ToCql(parameter.given(), dateOrder(), warnings)
                    .convert(Objects.requireNonNull(parameter.value()), type)
                    .toString();
        } catch (ConversionException e) {
            throw e.in(where);
        }
    }

    private StatementPreparer.Prepared prepare(CqlSession target, Unbound text, ParameterizedStatement marked)
            throws SQLException {
        CqlInsert insert = text.insert();
        Preparing preparing = stage -> cancellation.awaitPrepared(stage, timeout);
        try {
            return insert == null || marked.isMarked()
                    ? session.preparer().prepare(target, marked, preparing)
                    : new StatementPreparer.Prepared(
                            session.preparer().prepare(target, insert, preparing), marked.terms());
        } catch (InvalidQueryException e) {
            SQLException missing =
                    CqlInsert.recognise(text.cql()).isPresent() ? SqlServerErrors.missingKey(SqlErrors.of(e)) : null;
            if (missing != null) {
                throw missing;
            }
            throw e;
        }
    }

    private static void requireWellFormed(String cql) throws SQLException {
        try {
            ToCql.requireWellFormed(cql, "text");
        } catch (ConversionException e) {
            throw e.in("the statement");
        }
    }

    private BoundStatementBuilder bind(
            BoundStatementBuilder bound,
            int marker,
            Object value,
            ToCql conversion,
            String label,
            ColumnDefinition definition,
            String cql)
            throws SQLException {
        DataType type = definition.getType();
        try {
            TypeCodec<Object> codec =
                    session.plain().getContext().getCodecRegistry().codecFor(type);
            Object given = isUniqueIdentifier(value, definition) ? Uuids.ofBytes(value) : value;
            Object converted = conversion.convert(given, type);
            Object compared = Twin.isOne(column(definition))
                    ? folded(converted, definition)
                    : compared(converted, definition, cql);
            return bound.set(marker, compared, codec);
        } catch (ConversionException e) {
            throw e.in(where(label, definition));
        } catch (ClassCastException | IllegalArgumentException | CodecNotFoundException e) {
            throw ConversionException.type(value, type.asCql(false, true)).in(where(label, definition));
        }
    }

    /**
     * Returns a value in the form in which its column has it: filled up, or with the column's scale. A key or a condition that is
     * written otherwise would find nothing. What a column is given has the same form; its rules are kept elsewhere. In a statement
     * with LIKE it may be a pattern, which stays as it is.
     */
    private Object compared(Object value, ColumnDefinition definition, String cql) {
        if (value instanceof List<?> values) {
            return definition.getName().asInternal().startsWith("in(")
                    ? values.stream()
                            .map(each -> compared(each, definition, cql))
                            .toList()
                    : value;
        }
        if (!(value instanceof String || value instanceof BigDecimal || value instanceof ByteBuffer)) {
            return value;
        }
        return declared(definition)
                .map(declared -> new ColumnRule(definition.getTable().asInternal(), declared).compared(value))
                .filter(then -> then.equals(value) || !LIKE.matcher(cql).find())
                .orElse(value);
    }

    /** Returns a value, or a list of them, as a twin has it. */
    private Object folded(Object value, ColumnDefinition definition) {
        CqlInsert.Table table = new CqlInsert.Table(
                definition.getKeyspace().asInternal(), definition.getTable().asInternal());
        Twin twin = session.tables().twin(table, Twin.original(column(definition)));
        if (value instanceof List<?> values) {
            return values.stream()
                    .map(each -> each instanceof String text ? twin.fold(text) : each)
                    .distinct()
                    .toList();
        }
        return value instanceof String text ? twin.fold(text) : value;
    }

    /** Whether bytes are those of a uniqueidentifier, which T-SQL has declared: the order of a uuid's is nobody's to say. */
    private boolean isUniqueIdentifier(Object value, ColumnDefinition definition) {
        return value instanceof byte[]
                && definition.getType().equals(DataTypes.UUID)
                && declared(definition).isPresent();
    }

    private Optional<dev.cassidy.definition.ColumnDefinition> declared(ColumnDefinition definition) {
        String column = column(definition);
        return session.tables()
                .declaredTable(new CqlInsert.Table(
                        definition.getKeyspace().asInternal(),
                        definition.getTable().asInternal()))
                .flatMap(declared -> declared.column(column));
    }

    private static String where(String label, ColumnDefinition definition) {
        return label.equals(LITERAL)
                ? LITERAL + " for column " + Twin.original(column(definition))
                : label + " (" + shown(Column.of(definition)) + ")";
    }

    /** A parameter is of the column that its statement names. */
    private static Column shown(Column column) {
        return new Column(Twin.shown(column.label()), column.type(), column.keyspace(), column.table());
    }

    /** The server calls the marker of an IN {@code in(column)}. */
    private static String column(ColumnDefinition definition) {
        String name = definition.getName().asInternal();
        return name.startsWith("in(") && name.endsWith(")") ? name.substring(3, name.length() - 1) : name;
    }

    /** Records the parameters of one statement, by their indexes. */
    void describe(CqlSession target, Unbound text, List<Column> parameters) throws SQLException {
        if (!text.markers().isEmpty()) {
            StatementPreparer.Prepared prepared = prepare(target, text, parameterized(text));
            List<Column> definitions = Column.of(prepared.statement().getVariableDefinitions());
            for (int i = 0; i < prepared.terms().size(); i++) {
                int marker = prepared.terms().get(i).marker();
                if (marker >= 0 && text.markers().get(marker) != AT_COMMIT) {
                    parameters.set(text.markers().get(marker), shown(definitions.get(i)));
                }
            }
        }
    }
}
