package dev.cassidy.jdbc.run;

import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import com.datastax.oss.driver.api.core.type.codec.registry.CodecRegistry;
import dev.cassidy.insert.CqlInsert;
import dev.cassidy.insert.CqlLiteral;
import dev.cassidy.jdbc.error.SqlStates;
import dev.cassidy.jdbc.value.ConversionException;
import dev.cassidy.jdbc.value.Temporals;
import dev.cassidy.jdbc.value.ToCql;
import dev.cassidy.table.ColumnDefault;
import dev.cassidy.tsql.DeclaredDefault;
import java.math.BigDecimal;
import java.sql.SQLException;
import java.sql.SQLSyntaxErrorException;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Converts a default as T-SQL declares it to a {@link ColumnDefault}, which can be registered, and refuses what its column cannot
 * take. It evaluates nothing: GETDATE() stays {@link ColumnDefault.Kind#NOW}.
 */
public final class DefaultConverter {

    /** The types of CQL that T-SQL's types are mapped to, and those of both languages. */
    private static final Map<String, DataType> TYPES = Map.ofEntries(
            Map.entry("ascii", DataTypes.ASCII),
            Map.entry("bigint", DataTypes.BIGINT),
            Map.entry("blob", DataTypes.BLOB),
            Map.entry("boolean", DataTypes.BOOLEAN),
            Map.entry("date", DataTypes.DATE),
            Map.entry("decimal", DataTypes.DECIMAL),
            Map.entry("double", DataTypes.DOUBLE),
            Map.entry("float", DataTypes.FLOAT),
            Map.entry("inet", DataTypes.INET),
            Map.entry("int", DataTypes.INT),
            Map.entry("smallint", DataTypes.SMALLINT),
            Map.entry("text", DataTypes.TEXT),
            Map.entry("time", DataTypes.TIME),
            Map.entry("timestamp", DataTypes.TIMESTAMP),
            Map.entry("timeuuid", DataTypes.TIMEUUID),
            Map.entry("tinyint", DataTypes.TINYINT),
            Map.entry("uuid", DataTypes.UUID),
            Map.entry("varchar", DataTypes.TEXT),
            Map.entry("varint", DataTypes.VARINT));

    private DefaultConverter() {}

    /** Returns the type that CQL names like this; empty for one that can have no default. */
    static Optional<DataType> type(String cql) {
        return Optional.ofNullable(TYPES.get(cql));
    }

    /** Returns the name of a constraint that was given none. */
    static String name(String table, DeclaredDefault given) {
        @Nullable String name = given.name();
        return name == null ? "DF_" + table + "_" + given.column() : name;
    }

    /**
     * Returns what is registered for a column.
     *
     * @param table with its keyspace
     * @param sequence the name of the sequence of NEXT VALUE FOR; ignored for other defaults
     * @throws SQLException naming the default, the column and the rule, if the column's type cannot take it
     */
    public static ColumnDefault of(CqlInsert.Table table, DeclaredDefault given, DataType type, String sequence)
            throws SQLException {
        DeclaredDefault.Value value = given.value();
        return new ColumnDefault(
                Objects.requireNonNull(table.keyspace()),
                table.name(),
                given.column(),
                name(table.name(), given),
                switch (value.source()) {
                    case CONSTANT -> ColumnDefault.Kind.CONSTANT;
                    case NOW -> ColumnDefault.Kind.NOW;
                    case NEW_ID -> ColumnDefault.Kind.NEW_ID;
                    case NEXT_VALUE -> ColumnDefault.Kind.NEXT_VALUE;
                },
                switch (value.source()) {
                    case CONSTANT -> constant(given, type);
                    case NOW ->
                        oneOf(
                                given,
                                type,
                                "datetime, date or time",
                                DataTypes.TIMESTAMP,
                                DataTypes.DATE,
                                DataTypes.TIME);
                    case NEW_ID -> oneOf(given, type, "uniqueidentifier or text", DataTypes.UUID, DataTypes.TEXT);
                    case NEXT_VALUE -> {
                        oneOf(
                                given,
                                type,
                                "bigint, int or smallint",
                                DataTypes.BIGINT,
                                DataTypes.INT,
                                DataTypes.SMALLINT);
                        yield sequence;
                    }
                },
                value.expression());
    }

    private static String constant(DeclaredDefault given, DataType type) throws SQLException {
        if (!TYPES.containsValue(type)) {
            throw refused(given, type, "a type of one value");
        }
        Object constant = Objects.requireNonNull(given.value().constant());
        try {
            // As the literal of an INSERT: in a datetime it is a number of days.
            Object value = new ToCql(Temporals.zone(null), ignored -> {})
                    .convert(
                            constant instanceof BigDecimal number && type.equals(DataTypes.TIMESTAMP)
                                    ? new CqlLiteral.Numeral(number.toPlainString())
                                    : constant,
                            type);
            return CodecRegistry.DEFAULT.codecFor(type).format(value);
        } catch (ConversionException e) {
            throw e.in("DEFAULT " + given.value().expression() + " of column " + given.column());
        }
    }

    private static String oneOf(DeclaredDefault given, DataType type, String rule, DataType... types)
            throws SQLException {
        for (DataType each : types) {
            if (each.equals(type)) {
                return each.asCql(false, false);
            }
        }
        throw refused(given, type, rule);
    }

    private static SQLException refused(DeclaredDefault given, DataType type, String rule) {
        return new SQLSyntaxErrorException(
                "DEFAULT " + given.value().expression() + " needs a column of type " + rule + ": column "
                        + given.column() + " is " + type.asCql(false, false)
                        + ". Give it another type, or leave the default out and give the value in every INSERT",
                SqlStates.SYNTAX_OR_RULE);
    }
}
