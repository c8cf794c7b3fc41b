package dev.cassidy.jdbc.run;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.BatchableStatement;
import com.datastax.oss.driver.api.core.cql.BoundStatementBuilder;
import com.datastax.oss.driver.api.core.cql.ColumnDefinition;
import com.datastax.oss.driver.api.core.cql.ColumnDefinitions;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.codec.CodecNotFoundException;
import com.datastax.oss.driver.api.core.type.codec.TypeCodec;
import dev.cassidy.insert.CqlInsert;
import dev.cassidy.jdbc.error.SqlStates;
import dev.cassidy.jdbc.session.SharedSession;
import dev.cassidy.jdbc.value.Column;
import dev.cassidy.jdbc.value.ConversionException;
import dev.cassidy.jdbc.value.DateOrder;
import dev.cassidy.jdbc.value.Parameter;
import dev.cassidy.jdbc.value.ToCql;
import dev.cassidy.tsql.TsqlStep;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.time.Duration;
import java.time.ZoneId;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Makes the driver's statements from CQL texts and JDBC parameters.
 *
 * @param timeout null for the connection's requestTimeout
 */
record Binder(
        SharedSession session,
        DateOrder dateOrder,
        int pageSize,
        @Nullable Duration timeout,
        Consumer<SQLWarning> warnings) {

    /** In place of a parameter's index: a marker that gets its value at the commit. */
    static final int AT_COMMIT = -1;

    /**
     * One CQL statement, of a step or of one row of a step.
     *
     * @param insert what the text is recognised as, if a row of an INSERT provides it; null for any other statement
     * @param markers for each {@code ?} of the text the index of its parameter, from 0, or {@link #AT_COMMIT}
     * @param newRow whether the row gets a new identity as part of its key. Then a null is left out: there is nothing
     *     yet that it could delete, and it would only write a tombstone. In other rows it deletes the stored value, as
     *     NULL does
     */
    record Text(String cql, @Nullable CqlInsert insert, List<Integer> markers, boolean newRow) {

        Text(String cql, List<Integer> markers, boolean newRow) {
            this(cql, null, markers, newRow);
        }

        static Text of(TsqlStep.Cql step) {
            return new Text(step.text(), step.parameters(), false);
        }

        static Text of(TsqlStep.Row row, boolean newRow) {
            return new Text(row.insert().text(), row.insert(), row.parameters(), newRow);
        }
    }

    BatchableStatement<?> bind(CqlSession target, Text text, List<@Nullable Parameter> parameters) throws SQLException {
        if (text.markers().isEmpty()) {
            session.refuseChanges(target, text.cql());
            // Not prepared: every literal text would take a place in the server's cache for good.
            return SimpleStatement.newInstance(text.cql())
                    .setExecutionProfileName(session.profile())
                    .setPageSize(pageSize)
                    .setTimeout(timeout);
        }
        PreparedStatement prepared = prepare(target, text);
        ColumnDefinitions definitions = prepared.getVariableDefinitions();
        BoundStatementBuilder bound = prepared.boundStatementBuilder();
        ToCql inDefaultZone = new ToCql(ZoneId.systemDefault(), dateOrder, warnings);
        for (int i = 0; i < text.markers().size(); i++) {
            int index = text.markers().get(i);
            if (index != AT_COMMIT) {
                Parameter parameter = parameters.get(index);
                if (parameter == null) {
                    throw new SQLException(
                            "Parameter " + (index + 1) + " was never set; set it, to null if that is intended",
                            SqlStates.WRONG_PARAMETERS);
                }
                ToCql conversion =
                        parameter.given() == null ? inDefaultZone : new ToCql(parameter.given(), dateOrder, warnings);
                bound = bind(bound, i, parameter, conversion, text.newRow(), index, definitions.get(i));
            }
        }
        return bound.setExecutionProfileName(session.profile())
                .setPageSize(pageSize)
                .setTimeout(timeout)
                .build();
    }

    private PreparedStatement prepare(CqlSession target, Text text) {
        CqlInsert insert = text.insert();
        return insert == null ? session.prepare(target, text.cql()) : session.prepare(target, insert);
    }

    private BoundStatementBuilder bind(
            BoundStatementBuilder bound,
            int marker,
            Parameter parameter,
            ToCql conversion,
            boolean newRow,
            int index,
            ColumnDefinition definition)
            throws SQLException {
        Object value = parameter.value();
        if (value == null) {
            return newRow ? bound.unset(marker) : bound.setToNull(marker);
        }
        DataType type = definition.getType();
        try {
            TypeCodec<Object> codec =
                    session.plain().getContext().getCodecRegistry().codecFor(type);
            return bound.set(marker, conversion.convert(value, type), codec);
        } catch (ConversionException e) {
            throw e.in(where(index, definition));
        } catch (ClassCastException | IllegalArgumentException | CodecNotFoundException e) {
            throw ConversionException.type(value, type.asCql(false, true)).in(where(index, definition));
        }
    }

    private static String where(int index, ColumnDefinition definition) {
        return "parameter " + (index + 1) + " (" + Column.of(definition) + ")";
    }

    /** Records the parameters of one text, by their indexes. */
    void describe(CqlSession target, Text text, List<Column> parameters) {
        if (!text.markers().isEmpty()) {
            List<Column> definitions = Column.of(prepare(target, text).getVariableDefinitions());
            for (int i = 0; i < text.markers().size(); i++) {
                if (text.markers().get(i) != AT_COMMIT) {
                    parameters.set(text.markers().get(i), definitions.get(i));
                }
            }
        }
    }
}
