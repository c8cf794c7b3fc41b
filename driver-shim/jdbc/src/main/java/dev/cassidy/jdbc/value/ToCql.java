package dev.cassidy.jdbc.value;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.data.CqlDuration;
import com.datastax.oss.driver.api.core.data.CqlVector;
import com.datastax.oss.driver.api.core.data.SettableByIndex;
import com.datastax.oss.driver.api.core.data.TupleValue;
import com.datastax.oss.driver.api.core.data.UdtValue;
import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.ListType;
import com.datastax.oss.driver.api.core.type.MapType;
import com.datastax.oss.driver.api.core.type.SetType;
import com.datastax.oss.driver.api.core.type.TupleType;
import com.datastax.oss.driver.api.core.type.UserDefinedType;
import com.datastax.oss.driver.api.core.type.VectorType;
import com.datastax.oss.protocol.internal.ProtocolConstants;
import dev.cassidy.insert.CqlLiteral;
import dev.cassidy.jdbc.error.SqlServerErrors;
import dev.cassidy.jdbc.error.SqlStates;
import java.io.IOException;
import java.io.InputStream;
import java.io.Reader;
import java.io.StringWriter;
import java.lang.reflect.Array;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.sql.Blob;
import java.sql.Clob;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Struct;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.Period;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A parameter's value as the driver's codec for the CQL type expects it. Never null: a null needs no conversion. */
public final class ToCql {

    /** A name with letters would be sent to the resolver. */
    private static final Pattern ADDRESS = Pattern.compile("[0-9.]+|[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*");

    private final @Nullable ZoneId zone;
    private final DateOrder order;
    private final Consumer<SQLWarning> warnings;

    /** For values that are no texts of dates. */
    public ToCql(ZoneId zone, Consumer<SQLWarning> warnings) {
        this(zone, DateOrder.NONE, warnings);
    }

    /**
     * Converts values.
     *
     * @param zone of dates and times that have none; null for that of the JVM, which is not free to ask for
     * @param order of the parts of dates in texts
     */
    public ToCql(@Nullable ZoneId zone, DateOrder order, Consumer<SQLWarning> warnings) {
        this.zone = zone;
        this.order = order;
        this.warnings = warnings;
    }

    /**
     * Converts a value.
     *
     * @param value a Java value, or a {@link CqlLiteral}
     */
    public Object convert(Object value, DataType type) throws ConversionException {
        if (value instanceof CqlLiteral literal) {
            Object plain = LiteralValues.of(literal, type);
            if (plain == null) {
                throw ConversionException.text("NULL", JdbcType.name(type), "a literal of that type");
            }
            return convert(plain, type);
        }
        if (value instanceof CharSequence text && JdbcType.isComposed(type)) {
            return literal(text.toString(), type);
        }
        return switch (type.getProtocolCode()) {
            case ProtocolConstants.DataType.TINYINT ->
                (byte) Numbers.integer(
                        value, Byte.MIN_VALUE, Byte.MAX_VALUE, "tinyint", SqlServerErrors.SMALL_OVERFLOW);
            case ProtocolConstants.DataType.SMALLINT ->
                (short) Numbers.integer(
                        value, Short.MIN_VALUE, Short.MAX_VALUE, "smallint", SqlServerErrors.SMALL_OVERFLOW);
            case ProtocolConstants.DataType.INT ->
                (int) Numbers.integer(value, Integer.MIN_VALUE, Integer.MAX_VALUE, "int", SqlServerErrors.OVERFLOW);
            case ProtocolConstants.DataType.BIGINT ->
                Numbers.integer(value, Long.MIN_VALUE, Long.MAX_VALUE, "bigint", SqlServerErrors.OVERFLOW);
            case ProtocolConstants.DataType.COUNTER ->
                Numbers.integer(value, Long.MIN_VALUE, Long.MAX_VALUE, "counter");
            case ProtocolConstants.DataType.VARINT -> Numbers.bigInteger(value, "varint");
            case ProtocolConstants.DataType.DECIMAL -> Numbers.storedDecimal(value);
            case ProtocolConstants.DataType.DOUBLE -> Numbers.doubleValue(value, "double");
            case ProtocolConstants.DataType.FLOAT -> Numbers.floatValue(value, "float");
            case ProtocolConstants.DataType.BOOLEAN -> Numbers.bool(value);
            case ProtocolConstants.DataType.VARCHAR -> text(value, "text");
            case ProtocolConstants.DataType.ASCII -> ascii(value);
            case ProtocolConstants.DataType.BLOB -> blob(value);
            case ProtocolConstants.DataType.UUID -> uuid(value, "uuid");
            case ProtocolConstants.DataType.TIMEUUID -> timeUuid(value);
            case ProtocolConstants.DataType.TIMESTAMP -> timestamp(value);
            case ProtocolConstants.DataType.DATE -> date(value);
            case ProtocolConstants.DataType.TIME -> time(value);
            case ProtocolConstants.DataType.INET -> inet(value);
            case ProtocolConstants.DataType.DURATION -> duration(value);
            case ProtocolConstants.DataType.LIST ->
                elements(value, ((ListType) type).getElementType(), new ArrayList<>(), "list");
            case ProtocolConstants.DataType.SET ->
                elements(value, ((SetType) type).getElementType(), new LinkedHashSet<>(), "set");
            case ProtocolConstants.DataType.MAP -> map(value, (MapType) type);
            case ProtocolConstants.DataType.TUPLE -> tuple(value, (TupleType) type);
            case ProtocolConstants.DataType.UDT -> udt(value, (UserDefinedType) type);
            // A custom type: the driver's own value, which its codec checks.
            default -> type instanceof VectorType vector ? vector(value, vector) : value;
        };
    }

    private ZoneId zone() {
        return zone == null ? ZoneId.systemDefault() : zone;
    }

    /** As CQL writes it, and as getString returns it: {@code ['a', 'b']}. */
    private Object literal(String text, DataType type) throws ConversionException {
        CqlLiteral literal = CqlLiteral.read(text);
        if (literal == null || literal instanceof CqlLiteral.Text) {
            throw ConversionException.text(
                    text,
                    JdbcType.name(type),
                    "one literal of it as CQL writes it, such as " + example(type) + "; or give a "
                            + JdbcType.of(type).javaClass().getName());
        }
        return convert(literal, type);
    }

    private static String example(DataType type) {
        return switch (type.getProtocolCode()) {
            case ProtocolConstants.DataType.SET -> "{'a', 'b'}";
            case ProtocolConstants.DataType.MAP -> "{'a': 1}";
            case ProtocolConstants.DataType.TUPLE -> "(1, 'a')";
            case ProtocolConstants.DataType.UDT -> "{field: 1}";
            default -> "['a', 'b']";
        };
    }

    private Instant timestamp(Object value) throws ConversionException {
        Instant instant = value instanceof CharSequence text
                ? Temporals.instant(text.toString(), zone(), order, "timestamp")
                : Temporals.instant(Temporals.dated(value, zone(), "timestamp"), zone(), "timestamp");
        try {
            Instant stored = Instant.ofEpochMilli(instant.toEpochMilli());
            if (!stored.equals(instant)) {
                warnings.accept(new SQLWarning(
                        "timestamp holds milliseconds; cut off: " + instant + " was stored as " + stored,
                        SqlStates.FRACTION_CUT));
            }
            return stored;
        } catch (ArithmeticException e) {
            throw ConversionException.outOfRange(value, "timestamp", "64-bit milliseconds since 1970");
        }
    }

    /** As in SQL Server, of a moment the time of day is stored. */
    private LocalTime time(Object value) throws ConversionException {
        if (!Temporals.isMoment(value)) {
            return Temporals.localTime(value, zone(), "time");
        }
        LocalDateTime moment = Temporals.localDateTime(value, zone(), "time");
        if (!Temporals.isDayOfTimes(moment.toLocalDate())) {
            warnings.accept(new SQLWarning(
                    "time holds no date; cut off: " + value + " was stored as " + moment.toLocalTime(),
                    SqlStates.FRACTION_CUT));
        }
        return moment.toLocalTime();
    }

    /** The driver would cut the days to 32 bits. */
    private LocalDate date(Object value) throws ConversionException {
        // As in SQL Server, of a moment the day is stored.
        LocalDate date = value instanceof CharSequence text
                ? Temporals.localDate(text.toString(), order, "date")
                : Temporals.localDate(Temporals.day(value, zone()), zone(), "date");
        if (Temporals.isMoment(value)
                && !Temporals.localDateTime(value, zone(), "date").equals(date.atStartOfDay())) {
            warnings.accept(new SQLWarning(
                    "date holds no time of day; cut off: " + value + " was stored as " + date, SqlStates.FRACTION_CUT));
        }
        if (date.toEpochDay() != (int) date.toEpochDay()) {
            throw ConversionException.outOfRange(value, "date", "-5877641-06-23 to 5881580-07-11");
        }
        return date;
    }

    private String text(Object value, String type) throws ConversionException {
        if (value instanceof CharSequence || value instanceof Character) {
            return wellFormed(value.toString(), type);
        }
        if (value instanceof Boolean flag) {
            // SQL Server's BIT.
            return flag ? "1" : "0";
        }
        if (value instanceof UUID uuid) {
            return Uuids.text(uuid);
        }
        if (Temporals.isTemporal(value)) {
            return Temporals.text(value, zone());
        }
        if (value instanceof Number) {
            return Numbers.decimal(value, type).toPlainString();
        }
        if (value instanceof Enum<?> constant) {
            return constant.name();
        }
        try {
            if (value instanceof Reader reader) {
                StringWriter text = new StringWriter();
                reader.transferTo(text);
                return wellFormed(text.toString(), type);
            }
            if (value instanceof Clob clob) {
                return wellFormed(clob.getSubString(1, Math.toIntExact(clob.length())), type);
            }
        } catch (IOException | SQLException e) {
            throw ConversionException.data("could not be read: " + e);
        }
        throw ConversionException.type(value, type);
    }

    private static String wellFormed(String text, String type) throws ConversionException {
        requireWellFormed(text, type);
        return text;
    }

    /** Refuses half a character: the driver would write a question mark in its place. */
    public static void requireWellFormed(String text, String type) throws ConversionException {
        for (int i = 0; i < text.length(); i++) {
            if (Character.isSurrogate(text.charAt(i))) {
                if (!Character.isHighSurrogate(text.charAt(i))
                        || i + 1 == text.length()
                        || !Character.isLowSurrogate(text.charAt(i + 1))) {
                    throw ConversionException.data("is not " + type + " (UTF-8 holds no unpaired surrogate): U+"
                            + Integer.toHexString(text.charAt(i)).toUpperCase(Locale.ROOT) + " at " + (i + 1));
                }
                i++;
            }
        }
    }

    private String ascii(Object value) throws ConversionException {
        String text = text(value, "ascii");
        if (text.chars().anyMatch(character -> character > 127)) {
            throw ConversionException.text(value, "ascii", "characters up to 127");
        }
        return text;
    }

    private static ByteBuffer blob(Object value) throws ConversionException {
        if (value instanceof byte[] bytes) {
            return ByteBuffer.wrap(bytes.clone());
        }
        if (value instanceof ByteBuffer buffer) {
            return buffer.duplicate();
        }
        try {
            if (value instanceof InputStream stream) {
                return ByteBuffer.wrap(stream.readAllBytes());
            }
            if (value instanceof Blob blob) {
                return ByteBuffer.wrap(blob.getBytes(1, Math.toIntExact(blob.length())));
            }
        } catch (IOException | SQLException e) {
            throw ConversionException.data("could not be read: " + e);
        }
        throw ConversionException.type(value, "blob");
    }

    static UUID uuid(Object value, String type) throws ConversionException {
        if (value instanceof UUID uuid) {
            return uuid;
        }
        if (value instanceof CharSequence text) {
            String stripped = text.toString().strip();
            // As SQL Server also takes it.
            if (stripped.length() == 38 && stripped.startsWith("{") && stripped.endsWith("}")) {
                stripped = stripped.substring(1, 37);
            }
            // UUID.fromString also takes '1-1-1-1-1'.
            if (stripped.length() == 36) {
                try {
                    return UUID.fromString(stripped);
                } catch (IllegalArgumentException e) {
                    throw ConversionException.text(value, type, "such as 123e4567-e89b-12d3-a456-426614174000");
                }
            }
            throw ConversionException.text(value, type, "such as 123e4567-e89b-12d3-a456-426614174000");
        }
        throw ConversionException.type(value, type);
    }

    private static UUID timeUuid(Object value) throws ConversionException {
        UUID uuid = uuid(value, "timeuuid");
        if (uuid.version() != 1) {
            throw ConversionException.text(value, "timeuuid", "a version 1 UUID, not version " + uuid.version());
        }
        return uuid;
    }

    static InetAddress inet(Object value) throws ConversionException {
        if (value instanceof InetAddress address) {
            return address;
        }
        if (value instanceof CharSequence text) {
            try {
                if (ADDRESS.matcher(text).matches()) {
                    return InetAddress.getByName(text.toString());
                }
            } catch (UnknownHostException e) {
                throw ConversionException.text(value, "inet", "a numeric IPv4 or IPv6 address");
            }
            throw ConversionException.text(value, "inet", "a numeric IPv4 or IPv6 address");
        }
        throw ConversionException.type(value, "inet");
    }

    @SuppressWarnings("JavaPeriodGetDays") // Months and days are apart in CQL too.
    private static CqlDuration duration(Object value) throws ConversionException {
        if (value instanceof CqlDuration duration) {
            return duration;
        }
        try {
            if (value instanceof Duration duration) {
                return CqlDuration.newInstance(0, 0, duration.toNanos());
            }
            if (value instanceof Period period) {
                return CqlDuration.newInstance(Math.toIntExact(period.toTotalMonths()), period.getDays(), 0);
            }
            if (value instanceof CharSequence text) {
                return CqlDuration.from(text.toString().strip());
            }
        } catch (IllegalArgumentException | ArithmeticException e) {
            throw ConversionException.text(value, "duration", "such as 1mo2d3h; its parts all of one sign");
        }
        throw ConversionException.type(value, "duration");
    }

    private <C extends Collection<Object>> C elements(Object value, DataType element, C target, String type)
            throws ConversionException {
        for (Object item : items(value, type)) {
            if (!target.add(element(item, element, type))) {
                throw ConversionException.data("holds " + item + " twice, which a CQL set cannot");
            }
        }
        return target;
    }

    private static Collection<?> items(Object value, String type) throws ConversionException {
        if (value instanceof Collection<?> collection) {
            return collection;
        }
        // Bytes are a blob, not a list of numbers.
        if (value.getClass().isArray() && !(value instanceof byte[])) {
            List<@Nullable Object> items = new ArrayList<>();
            for (int i = 0; i < Array.getLength(value); i++) {
                items.add(Array.get(value, i));
            }
            return items;
        }
        throw ConversionException.type(value, type);
    }

    private Object tuple(Object value, TupleType type) throws ConversionException {
        if (value instanceof TupleValue) {
            return value;
        }
        return filled(type.newValue(), parts(value, "tuple"), type.getComponentTypes(), "tuple");
    }

    private Object udt(Object value, UserDefinedType type) throws ConversionException {
        if (value instanceof UdtValue) {
            return value;
        }
        List<@Nullable Object> parts;
        if (value instanceof Map<?, ?> map) {
            parts = new ArrayList<>();
            for (CqlIdentifier field : type.getFieldNames()) {
                parts.add(map.get(field.asInternal()));
            }
            for (Object name : map.keySet()) {
                if (type.firstIndexOf(CqlIdentifier.fromInternal(String.valueOf(name))) < 0) {
                    throw ConversionException.data("has no field '" + name + "': " + type.describe(false));
                }
            }
        } else {
            parts = parts(value, "user-defined type");
        }
        return filled(type.newValue(), parts, type.getFieldTypes(), type.asCql(false, true));
    }

    private static List<@Nullable Object> parts(Object value, String type) throws ConversionException {
        try {
            return value instanceof Struct struct
                    ? Arrays.asList(struct.getAttributes())
                    : new ArrayList<>(items(value, type));
        } catch (SQLException e) {
            throw ConversionException.data("could not be read: " + e);
        }
    }

    private <S extends SettableByIndex<S>> S filled(
            S target, List<? extends @Nullable Object> parts, List<DataType> types, String type)
            throws ConversionException {
        if (parts.size() != types.size()) {
            throw ConversionException.data(
                    "must have " + types.size() + " parts, as " + type + " has: " + parts.size() + " parts");
        }
        S filled = target;
        for (int i = 0; i < parts.size(); i++) {
            Object part = parts.get(i);
            filled = part == null
                    ? filled.setToNull(i)
                    : filled.set(
                            i,
                            convert(part, types.get(i)),
                            filled.codecRegistry().<Object>codecFor(types.get(i)));
        }
        return filled;
    }

    // The driver's older releases support vectors of numbers only; its newer ones support any element.
    @SuppressWarnings("unchecked")
    private Object vector(Object value, VectorType type) throws ConversionException {
        Collection<?> items =
                value instanceof CqlVector<?> vector ? vector.stream().toList() : items(value, "vector");
        if (items.size() != type.getDimensions()) {
            throw ConversionException.data("must have " + type.getDimensions() + " elements, as " + JdbcType.name(type)
                    + " has: " + items.size() + " elements");
        }
        List<Object> converted = new ArrayList<>();
        for (Object item : items) {
            converted.add(element(item, type.getElementType(), "vector"));
        }
        return CqlVector.newInstance((List<Number>) (List<?>) converted);
    }

    private Map<Object, Object> map(Object value, MapType type) throws ConversionException {
        if (!(value instanceof Map<?, ?> map)) {
            throw ConversionException.type(value, "map");
        }
        Map<Object, Object> target = new LinkedHashMap<>();
        for (Map.Entry<?, ?> entry : map.entrySet()) {
            Object other = target.put(
                    element(entry.getKey(), type.getKeyType(), "map"),
                    element(entry.getValue(), type.getValueType(), "map"));
            if (other != null) {
                throw ConversionException.data("has key " + entry.getKey() + " twice, which a CQL map cannot");
            }
        }
        return target;
    }

    private Object element(@Nullable Object item, DataType type, String collection) throws ConversionException {
        if (item == null) {
            throw ConversionException.data("holds a null, which a CQL " + collection + " cannot");
        }
        return convert(item, type);
    }
}
