package dev.cassidy.jdbc.value;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.data.CqlDuration;
import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import com.datastax.oss.driver.api.core.type.ListType;
import com.datastax.oss.driver.api.core.type.MapType;
import com.datastax.oss.driver.api.core.type.SetType;
import com.datastax.oss.driver.api.core.type.TupleType;
import com.datastax.oss.driver.api.core.type.UserDefinedType;
import com.datastax.oss.driver.api.core.type.VectorType;
import com.datastax.oss.protocol.internal.ProtocolConstants;
import dev.cassidy.insert.CqlLiteral;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Literals as the Java values that a caller of JDBC would set instead of them. A literal that is no value of its
 * column's type, neither in CQL nor in SQL Server, is refused: a number is no text, and {@code 0x01} no number.
 */
final class LiteralValues {

    /** SQL Server's errors: types that do not go together, and a number beyond a datetime. */
    private static final int OPERAND_TYPE_CLASH = 206;

    private static final int OVERFLOW = 8115;

    /** A number in a datetime is a number of days since then. */
    private static final LocalDate DAY_ZERO = LocalDate.of(1900, 1, 1);

    private static final LocalDate FIRST_DATETIME = LocalDate.of(1753, 1, 1);
    private static final LocalDate LAST_DATETIME = LocalDate.of(9999, 12, 31);

    private LiteralValues() {}

    /** Returns what {@link ToCql} converts to the type; null for NULL. */
    static @Nullable Object of(CqlLiteral literal, DataType type) throws ConversionException {
        if (literal instanceof CqlLiteral.Null) {
            return null;
        }
        if (literal instanceof CqlLiteral.Text text) {
            return text.content();
        }
        if (literal instanceof CqlLiteral.Numeral number) {
            return number(number.digits(), type);
        }
        if (literal instanceof CqlLiteral.Blob blob && is(type, ProtocolConstants.DataType.BLOB)) {
            // As in SQL Server: 0xABC is 0x0ABC.
            return HexFormat.of().parseHex(blob.digits().length() % 2 == 0 ? blob.digits() : "0" + blob.digits());
        }
        if (literal instanceof CqlLiteral.Uuid uuid
                && (is(type, ProtocolConstants.DataType.UUID) || is(type, ProtocolConstants.DataType.TIMEUUID))) {
            return UUID.fromString(uuid.text());
        }
        if (literal instanceof CqlLiteral.Truth truth && is(type, ProtocolConstants.DataType.BOOLEAN)) {
            return truth.value();
        }
        if (literal instanceof CqlLiteral.Duration duration && is(type, ProtocolConstants.DataType.DURATION)) {
            return duration(duration.text());
        }
        Object composed = composed(literal, type);
        if (composed == null) {
            throw ConversionException.text(shown(literal), JdbcType.name(type), "a literal of that type");
        }
        return composed;
    }

    private static boolean is(DataType type, int code) {
        return type.getProtocolCode() == code;
    }

    private static CqlDuration duration(String text) throws ConversionException {
        try {
            return CqlDuration.from(text);
        } catch (IllegalArgumentException e) {
            throw ConversionException.text(text, "duration", "such as 1mo2d3h; its parts all of one sign");
        }
    }

    // ---- numbers

    private static Object number(String digits, DataType type) throws ConversionException {
        switch (type.getProtocolCode()) {
            case ProtocolConstants.DataType.TINYINT,
                    ProtocolConstants.DataType.SMALLINT,
                    ProtocolConstants.DataType.INT,
                    ProtocolConstants.DataType.BIGINT,
                    ProtocolConstants.DataType.COUNTER,
                    ProtocolConstants.DataType.VARINT,
                    ProtocolConstants.DataType.DECIMAL,
                    ProtocolConstants.DataType.BOOLEAN -> {
                return decimal(digits, type);
            }
            case ProtocolConstants.DataType.DOUBLE, ProtocolConstants.DataType.FLOAT -> {
                return switch (digits) {
                    case "NaN" -> Double.NaN;
                    case "Infinity" -> Double.POSITIVE_INFINITY;
                    case "-Infinity" -> Double.NEGATIVE_INFINITY;
                    default -> decimal(digits, type);
                };
            }
            case ProtocolConstants.DataType.TIMESTAMP -> {
                return daysSince1900(digits);
            }
            case ProtocolConstants.DataType.DATE, ProtocolConstants.DataType.TIME -> {
                String name = JdbcType.name(type);
                throw ConversionException.datetime(
                        digits,
                        name,
                        "Operand type clash: int is incompatible with " + name
                                + "; write it as a string in quotes, such as "
                                + (is(type, ProtocolConstants.DataType.DATE) ? "'2024-01-31'" : "'12:34:56'"),
                        OPERAND_TYPE_CLASH);
            }
            case ProtocolConstants.DataType.VARCHAR, ProtocolConstants.DataType.ASCII ->
                throw ConversionException.text(digits, JdbcType.name(type), "write it in quotes");
            default -> throw ConversionException.text(digits, JdbcType.name(type), "a number is no value of it");
        }
    }

    private static BigDecimal decimal(String digits, DataType type) throws ConversionException {
        return Numbers.decimal(digits, JdbcType.name(type));
    }

    private static LocalDateTime daysSince1900(String digits) throws ConversionException {
        BigDecimal days = decimal(digits, DataTypes.TIMESTAMP);
        String rule =
                "as in SQL Server a number is the number of days since 1900-01-01, for the years 1753 to 9999; write a"
                        + " date as a string, and give the milliseconds since 1970 as a java.sql.Timestamp";
        if (days.compareTo(BigDecimal.valueOf(FIRST_DATETIME.toEpochDay() - DAY_ZERO.toEpochDay())) < 0
                || days.compareTo(BigDecimal.valueOf(LAST_DATETIME.toEpochDay() - DAY_ZERO.toEpochDay())) > 0) {
            throw ConversionException.outOfRange(digits, "timestamp", rule, OVERFLOW);
        }
        if (days.stripTrailingZeros().scale() > 0) {
            throw ConversionException.datetime(digits, "timestamp", rule);
        }
        return DAY_ZERO.plusDays(days.setScale(0, RoundingMode.UNNECESSARY).longValueExact())
                .atStartOfDay();
    }

    // ---- collections, tuples, user-defined types

    private static @Nullable Object composed(CqlLiteral literal, DataType type) throws ConversionException {
        if (literal instanceof CqlLiteral.Listed listed) {
            DataType element = type instanceof ListType list
                    ? list.getElementType()
                    : type instanceof VectorType vector ? vector.getElementType() : null;
            return element == null ? null : all(listed.elements(), element);
        }
        if (literal instanceof CqlLiteral.Tuple tuple && type instanceof TupleType parts) {
            return tuple(tuple, parts);
        }
        if (literal instanceof CqlLiteral.SetOf set) {
            if (type instanceof SetType of) {
                return new LinkedHashSet<>(all(set.elements(), of.getElementType()));
            }
            boolean empty = set.elements().isEmpty();
            return empty && (type instanceof MapType || type instanceof UserDefinedType) ? Map.of() : null;
        }
        if (literal instanceof CqlLiteral.MapOf map && type instanceof MapType of) {
            List<@Nullable Object> keys = all(map.keys(), of.getKeyType());
            List<@Nullable Object> values = all(map.values(), of.getValueType());
            Map<@Nullable Object, @Nullable Object> pairs = new LinkedHashMap<>();
            for (int i = 0; i < keys.size(); i++) {
                pairs.put(keys.get(i), values.get(i));
            }
            return pairs;
        }
        return literal instanceof CqlLiteral.Fields fields && type instanceof UserDefinedType of
                ? fields(fields, of)
                : null;
    }

    private static List<@Nullable Object> all(List<CqlLiteral> literals, DataType type) throws ConversionException {
        List<@Nullable Object> values = new ArrayList<>(literals.size());
        for (CqlLiteral literal : literals) {
            values.add(of(literal, type));
        }
        return values;
    }

    private static List<@Nullable Object> tuple(CqlLiteral.Tuple tuple, TupleType type) throws ConversionException {
        List<DataType> types = type.getComponentTypes();
        if (tuple.parts().size() > types.size()) {
            throw ConversionException.data("must have " + types.size() + " parts, as " + JdbcType.name(type) + " has: "
                    + tuple.parts().size() + " parts");
        }
        List<@Nullable Object> values = new ArrayList<>(types.size());
        for (int i = 0; i < types.size(); i++) {
            // As in CQL, those at the end may be missing.
            values.add(i < tuple.parts().size() ? of(tuple.parts().get(i), types.get(i)) : null);
        }
        return values;
    }

    private static Map<String, @Nullable Object> fields(CqlLiteral.Fields fields, UserDefinedType type)
            throws ConversionException {
        Map<String, @Nullable Object> values = new LinkedHashMap<>();
        for (int i = 0; i < fields.names().size(); i++) {
            int field =
                    type.firstIndexOf(CqlIdentifier.fromInternal(fields.names().get(i)));
            if (field < 0) {
                throw ConversionException.data("has no field '" + fields.names().get(i) + "': " + type.describe(false));
            }
            values.put(
                    fields.names().get(i),
                    of(fields.values().get(i), type.getFieldTypes().get(field)));
        }
        return values;
    }

    private static String shown(CqlLiteral literal) {
        if (literal instanceof CqlLiteral.Blob blob) {
            return "0x" + blob.digits();
        }
        if (literal instanceof CqlLiteral.Uuid uuid) {
            return uuid.text();
        }
        if (literal instanceof CqlLiteral.Truth truth) {
            return String.valueOf(truth.value());
        }
        if (literal instanceof CqlLiteral.Duration duration) {
            return duration.text();
        }
        return literal instanceof CqlLiteral.Listed
                ? "a list in [ ]"
                : literal instanceof CqlLiteral.Tuple ? "a tuple in ( )" : "a literal in { }";
    }
}
