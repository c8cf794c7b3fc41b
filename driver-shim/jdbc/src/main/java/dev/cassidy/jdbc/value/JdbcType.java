package dev.cassidy.jdbc.value;

import com.datastax.oss.driver.api.core.data.CqlDuration;
import com.datastax.oss.driver.api.core.data.CqlVector;
import com.datastax.oss.driver.api.core.type.ContainerType;
import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.MapType;
import com.datastax.oss.driver.api.core.type.TupleType;
import com.datastax.oss.driver.api.core.type.UserDefinedType;
import com.datastax.oss.driver.api.core.type.VectorType;
import com.datastax.oss.protocol.internal.ProtocolConstants;
import dev.cassidy.definition.SqlType;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.InetAddress;
import java.sql.Date;
import java.sql.Struct;
import java.sql.Time;
import java.sql.Timestamp;
import java.sql.Types;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * How JDBC's metadata shows a CQL type.
 *
 * @param sqlType of {@link Types}
 * @param name as CQL writes it
 * @param javaClass what getObject gives
 * @param precision digits, or characters of the longest value; the largest int for a text, and 0 for a number, that has
 *     no limit
 * @param displaySize characters that show every value; as {@code precision} if there is no limit
 */
public record JdbcType(int sqlType, String name, Class<?> javaClass, int precision, int displaySize, boolean signed) {

    /** The types that getTypeInfo lists, by their CQL names. */
    public static final List<JdbcType> BUILT_IN = List.of(
            of("ascii", ProtocolConstants.DataType.ASCII),
            of("bigint", ProtocolConstants.DataType.BIGINT),
            of("blob", ProtocolConstants.DataType.BLOB),
            of("boolean", ProtocolConstants.DataType.BOOLEAN),
            of("counter", ProtocolConstants.DataType.COUNTER),
            of("date", ProtocolConstants.DataType.DATE),
            of("decimal", ProtocolConstants.DataType.DECIMAL),
            of("double", ProtocolConstants.DataType.DOUBLE),
            of("duration", ProtocolConstants.DataType.DURATION),
            of("float", ProtocolConstants.DataType.FLOAT),
            of("inet", ProtocolConstants.DataType.INET),
            of("int", ProtocolConstants.DataType.INT),
            of("smallint", ProtocolConstants.DataType.SMALLINT),
            of("text", ProtocolConstants.DataType.VARCHAR),
            of("time", ProtocolConstants.DataType.TIME),
            of("timestamp", ProtocolConstants.DataType.TIMESTAMP),
            of("timeuuid", ProtocolConstants.DataType.TIMEUUID),
            of("tinyint", ProtocolConstants.DataType.TINYINT),
            of("uuid", ProtocolConstants.DataType.UUID),
            of("varint", ProtocolConstants.DataType.VARINT));

    public static JdbcType of(DataType type) {
        return type instanceof VectorType
                ? new JdbcType(Types.OTHER, name(type), CqlVector.class, 0, 0, false)
                : of(name(type), type.getProtocolCode());
    }

    /** As CQL writes it; the driver has the name of the server's class for a vector. */
    static String name(DataType type) {
        return type instanceof VectorType vector
                ? "vector<" + name(vector.getElementType()) + ", " + vector.getDimensions() + ">"
                : type.asCql(false, true);
    }

    /** Returns whether its values have parts. */
    static boolean isComposed(DataType type) {
        return type instanceof ContainerType
                || type instanceof MapType
                || type instanceof TupleType
                || type instanceof UserDefinedType;
    }

    private static JdbcType of(String name, int code) {
        return switch (code) {
            case ProtocolConstants.DataType.TINYINT -> new JdbcType(Types.TINYINT, name, Short.class, 3, 4, true);
            case ProtocolConstants.DataType.SMALLINT -> new JdbcType(Types.SMALLINT, name, Short.class, 5, 6, true);
            case ProtocolConstants.DataType.INT -> new JdbcType(Types.INTEGER, name, Integer.class, 10, 11, true);
            case ProtocolConstants.DataType.BIGINT, ProtocolConstants.DataType.COUNTER ->
                new JdbcType(Types.BIGINT, name, Long.class, 19, 20, true);
            case ProtocolConstants.DataType.VARINT -> new JdbcType(Types.NUMERIC, name, BigInteger.class, 0, 0, true);
            case ProtocolConstants.DataType.DECIMAL -> new JdbcType(Types.DECIMAL, name, BigDecimal.class, 0, 0, true);
            case ProtocolConstants.DataType.DOUBLE -> new JdbcType(Types.DOUBLE, name, Double.class, 15, 24, true);
            case ProtocolConstants.DataType.FLOAT -> new JdbcType(Types.REAL, name, Float.class, 7, 15, true);
            case ProtocolConstants.DataType.BOOLEAN -> new JdbcType(Types.BOOLEAN, name, Boolean.class, 1, 1, false);
            case ProtocolConstants.DataType.VARCHAR, ProtocolConstants.DataType.ASCII ->
                new JdbcType(Types.VARCHAR, name, String.class, Integer.MAX_VALUE, Integer.MAX_VALUE, false);
            case ProtocolConstants.DataType.BLOB ->
                new JdbcType(Types.VARBINARY, name, byte[].class, Integer.MAX_VALUE, Integer.MAX_VALUE, false);
            case ProtocolConstants.DataType.UUID, ProtocolConstants.DataType.TIMEUUID ->
                new JdbcType(Types.OTHER, name, UUID.class, 36, 36, false);
            case ProtocolConstants.DataType.TIMESTAMP ->
                new JdbcType(Types.TIMESTAMP, name, Timestamp.class, 23, 23, false);
            case ProtocolConstants.DataType.DATE -> new JdbcType(Types.DATE, name, Date.class, 10, 10, false);
            case ProtocolConstants.DataType.TIME -> new JdbcType(Types.TIME, name, Time.class, 18, 18, false);
            case ProtocolConstants.DataType.INET -> new JdbcType(Types.OTHER, name, InetAddress.class, 45, 45, false);
            case ProtocolConstants.DataType.DURATION -> new JdbcType(Types.OTHER, name, CqlDuration.class, 0, 0, true);
            case ProtocolConstants.DataType.LIST -> new JdbcType(Types.JAVA_OBJECT, name, List.class, 0, 0, false);
            case ProtocolConstants.DataType.SET -> new JdbcType(Types.JAVA_OBJECT, name, Set.class, 0, 0, false);
            case ProtocolConstants.DataType.MAP -> new JdbcType(Types.JAVA_OBJECT, name, Map.class, 0, 0, false);
            case ProtocolConstants.DataType.TUPLE -> new JdbcType(Types.STRUCT, name, Struct.class, 0, 0, false);
            case ProtocolConstants.DataType.UDT -> new JdbcType(Types.STRUCT, name, Struct.class, 0, 0, false);
            default -> new JdbcType(Types.OTHER, name, Object.class, 0, 0, false);
        };
    }

    /**
     * Returns the type that getters return of a column. It is this one, whatever was declared, but for a uniqueidentifier: SQL
     * Server's driver reads it as a String.
     *
     * @param declared as which T-SQL has declared the column; null if it has not
     */
    public JdbcType read(@Nullable DeclaredType declared) {
        return declared != null && declared.type().name() == SqlType.Name.UNIQUEIDENTIFIER
                ? new JdbcType(Types.CHAR, name, String.class, precision, displaySize, signed)
                : this;
    }

    /** Returns what metadata calls the size of a column; null if the type itself sets none. */
    @Nullable
    public Integer columnSize() {
        return precision == 0 ? null : Integer.valueOf(precision);
    }

    /** Returns 0 for whole numbers; null if there are no digits after the point, or any number of them. */
    @Nullable
    public Integer decimalDigits() {
        return switch (sqlType) {
            case Types.TINYINT, Types.SMALLINT, Types.INTEGER, Types.BIGINT, Types.NUMERIC -> 0;
            default -> null;
        };
    }

    /** Returns how many digits a value has after the point: of its seconds for a time; 0 if that is not fixed. */
    public int scale() {
        return switch (sqlType) {
            case Types.TIMESTAMP -> 3;
            case Types.TIME -> 9;
            default -> 0;
        };
    }

    /** Returns the name of the type of SQL Server whose columns become columns of this type. */
    public String sqlServerName() {
        return switch (sqlType) {
            case Types.BOOLEAN -> "bit";
            case Types.DECIMAL -> "numeric";
            case Types.DOUBLE -> "float";
            case Types.REAL -> "real";
            case Types.VARCHAR -> "nvarchar";
            case Types.VARBINARY -> "varbinary";
            case Types.TIMESTAMP -> "datetime2";
            default -> javaClass == UUID.class ? "uniqueidentifier" : name;
        };
    }

    public boolean isText() {
        return sqlType == Types.VARCHAR;
    }

    /** Returns whether its literals are in quotes. */
    public boolean isQuoted() {
        return switch (sqlType) {
            case Types.VARCHAR, Types.TIMESTAMP, Types.DATE, Types.TIME -> true;
            default -> javaClass == InetAddress.class;
        };
    }

    public boolean isNumber() {
        return signed && Number.class.isAssignableFrom(javaClass);
    }
}
