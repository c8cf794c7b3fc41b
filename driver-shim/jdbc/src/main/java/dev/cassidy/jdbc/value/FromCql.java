package dev.cassidy.jdbc.value;

import com.datastax.oss.driver.api.core.data.CqlDuration;
import com.datastax.oss.driver.api.core.data.CqlVector;
import com.datastax.oss.driver.api.core.data.GettableByIndex;
import com.datastax.oss.driver.api.core.data.TupleValue;
import com.datastax.oss.driver.api.core.data.UdtValue;
import com.datastax.oss.driver.api.core.type.ContainerType;
import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.codec.registry.CodecRegistry;
import dev.cassidy.definition.SqlType;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.sql.Array;
import java.sql.Blob;
import java.sql.Clob;
import java.sql.DataTruncation;
import java.sql.Date;
import java.sql.NClob;
import java.sql.Struct;
import java.sql.Time;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.Period;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.Calendar;
import java.util.Collection;
import java.util.GregorianCalendar;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A column's value, as the driver's codec gave it, in the Java type that the caller asks for. */
@SuppressWarnings("JavaUtilDate") // JDBC uses java.util.Date.
public final class FromCql {

    @FunctionalInterface
    private interface Conversion {
        Object convert(Object value, ZoneId zone) throws ConversionException;
    }

    /** Their conversions have no use for a zone. */
    private static final Set<Class<?>> ZONELESS = Set.of(
            String.class,
            Byte.class,
            Short.class,
            Integer.class,
            Long.class,
            Float.class,
            Double.class,
            BigDecimal.class,
            BigInteger.class,
            Boolean.class,
            byte[].class);

    private static final Map<Class<?>, Conversion> CONVERSIONS = Map.ofEntries(
            Map.entry(
                    Object.class,
                    (value, zone) -> value instanceof LocalTime
                            ? Temporals.time(value, ZoneId.systemDefault())
                            : natural(value)),
            Map.entry(
                    Byte.class, (value, zone) -> (byte) Numbers.integer(value, Byte.MIN_VALUE, Byte.MAX_VALUE, "byte")),
            Map.entry(Short.class, (value, zone) ->
                    (short) Numbers.integer(value, Short.MIN_VALUE, Short.MAX_VALUE, "short")),
            Map.entry(Integer.class, (value, zone) ->
                    (int) Numbers.integer(value, Integer.MIN_VALUE, Integer.MAX_VALUE, "int")),
            Map.entry(Long.class, (value, zone) -> Numbers.integer(value, Long.MIN_VALUE, Long.MAX_VALUE, "long")),
            Map.entry(Float.class, (value, zone) -> Numbers.floatValue(value, "float")),
            Map.entry(Double.class, (value, zone) -> Numbers.doubleValue(value, "double")),
            Map.entry(BigDecimal.class, (value, zone) -> Numbers.decimal(value, "BigDecimal")),
            Map.entry(BigInteger.class, (value, zone) -> Numbers.bigInteger(value, "BigInteger")),
            Map.entry(Boolean.class, (value, zone) -> Numbers.isTrue(value)),
            Map.entry(byte[].class, (value, zone) -> bytes(value)),
            Map.entry(Blob.class, (value, zone) -> new BlobValue(bytes(value))),
            Map.entry(float[].class, (value, zone) -> floats(value)),
            Map.entry(Timestamp.class, (value, zone) -> Temporals.timestamp(Temporals.datedForReads(value), zone)),
            Map.entry(Date.class, (value, zone) -> Temporals.date(dayInText(value, zone), zone)),
            Map.entry(Time.class, (value, zone) -> Temporals.time(timeInText(value), zone)),
            Map.entry(
                    java.util.Date.class,
                    (value, zone) ->
                            new java.util.Date(Temporals.timestamp(value, zone).getTime())),
            Map.entry(Instant.class, (value, zone) -> Temporals.instant(value, zone, "Instant")),
            Map.entry(
                    LocalDateTime.class,
                    (value, zone) -> Temporals.localDateTime(Temporals.datedForReads(value), zone, "LocalDateTime")),
            Map.entry(LocalDate.class, (value, zone) -> localDate(value, zone)),
            Map.entry(LocalTime.class, (value, zone) -> localTime(value, zone)),
            Map.entry(OffsetDateTime.class, (value, zone) -> offsetDateTime(value, zone)),
            Map.entry(OffsetTime.class, (value, zone) -> offsetTime(value, zone)),
            Map.entry(ZonedDateTime.class, (value, zone) -> Temporals.instant(value, zone, "ZonedDateTime")
                    .atZone(zone)),
            Map.entry(
                    Calendar.class,
                    (value, zone) -> GregorianCalendar.from(
                            Temporals.instant(value, zone, "Calendar").atZone(zone))),
            Map.entry(UUID.class, (value, zone) -> ToCql.uuid(value, "UUID")),
            Map.entry(InetAddress.class, (value, zone) -> ToCql.inet(value)),
            Map.entry(Duration.class, (value, zone) -> duration(value)),
            Map.entry(Period.class, (value, zone) -> period(value)));

    private FromCql() {}

    /**
     * Converts a value, or refuses to.
     *
     * @param value not null
     * @param type of the column
     * @param declared as which T-SQL has declared the column; null if it has not, or if the value does not {@linkplain
     *     #mayDependOnDeclaration depend} on it
     * @param resultSets makes the result sets of arrays
     */
    public static <T> T convert(
            Object value,
            DataType type,
            @Nullable SqlType declared,
            Class<T> target,
            ZoneId zone,
            ResultSets resultSets)
            throws ConversionException {
        if (target == String.class) {
            return target.cast(text(value, type, declared));
        }
        if (target == Clob.class || target == NClob.class) {
            return target.cast(new ClobValue(text(value, type, declared)));
        }
        if (value instanceof UUID uuid && declared != null) {
            if (target == Object.class) {
                return target.cast(Uuids.text(uuid));
            }
            if (target == byte[].class) {
                return target.cast(Uuids.bytes(uuid));
            }
        }
        if (target == Array.class) {
            return target.cast(array(value, type, resultSets));
        }
        if (target == Struct.class) {
            return target.cast(struct(value, type));
        }
        if (target == Map.class && value instanceof UdtValue udt) {
            return target.cast(fields(udt));
        }
        Conversion conversion = CONVERSIONS.get(target);
        if (conversion != null) {
            return target.cast(conversion.convert(value, zone));
        }
        if (target.isInstance(value)) {
            return target.cast(value);
        }
        throw ConversionException.type(value, target.getName());
    }

    /**
     * Returns the warning that a read cut digits off; null if it did not.
     *
     * @param index of the column, from 1
     */
    public static @Nullable DataTruncation truncation(Object value, Object read, int index) {
        return value instanceof LocalTime time && read instanceof Time && Temporals.isCut(time)
                ? new TimeTruncation(index, time)
                : null;
    }

    /**
     * The result of getObject without a type: what a SQL Server application expects of a similar column. Also for parts
     * of a value, of which no warning could tell.
     */
    static Object natural(Object value) throws ConversionException {
        if (value instanceof Byte small) {
            return small.shortValue();
        }
        if (value instanceof Instant || value instanceof LocalDateTime) {
            return Temporals.timestamp(value, ZoneId.systemDefault());
        }
        if (value instanceof LocalDate) {
            return Temporals.date(value, ZoneId.systemDefault());
        }
        if (value instanceof LocalTime time) {
            if (Temporals.isCut(time)) {
                throw ConversionException.datetimeLoss(
                        value, "java.sql.Time", "it holds milliseconds; read the column's own value by its Java type");
            }
            return Temporals.time(value, ZoneId.systemDefault());
        }
        if (value instanceof ByteBuffer) {
            return bytes(value);
        }
        if (value instanceof UdtValue udt) {
            return struct(udt, udt.getType());
        }
        if (value instanceof TupleValue tuple) {
            return struct(tuple, tuple.getType());
        }
        return value;
    }

    private static Struct struct(Object value, DataType type) throws ConversionException {
        return new StructValue(
                JdbcType.name(type),
                parts(value, "Struct"),
                CodecRegistry.DEFAULT.<Object>codecFor(type).format(value));
    }

    private static String text(Object value, DataType type, @Nullable SqlType declared) throws ConversionException {
        if (JdbcType.isComposed(type)) {
            // Java's own text of the elements would say little of a blob, and nothing of a tuple.
            return CodecRegistry.DEFAULT.<Object>codecFor(type).format(value);
        }
        if (value instanceof BigDecimal decimal) {
            // Others may have written 1E+999999999, whose digits fill the memory.
            return Numbers.isShort(decimal) ? decimal.toPlainString() : decimal.toString();
        }
        if (value instanceof Boolean flag) {
            // For a BIT, as SQL Server's driver returns it.
            return flag ? "1" : "0";
        }
        if (value instanceof Instant instant) {
            return Temporals.shown(instant, declared, ZoneId.systemDefault());
        }
        if (value instanceof LocalDateTime time) {
            return Temporals.shown(time, declared);
        }
        if (value instanceof LocalTime time) {
            return Temporals.shown(time, declared);
        }
        if (value instanceof UUID uuid) {
            return declared == null ? uuid.toString() : Uuids.text(uuid);
        }
        if (value instanceof InetAddress address) {
            return address.getHostAddress();
        }
        if (value instanceof ByteBuffer) {
            return HexFormat.of().withUpperCase().formatHex(bytes(value));
        }
        return value.toString();
    }

    private static Array array(Object value, DataType type, ResultSets resultSets) throws ConversionException {
        if (!(type instanceof ContainerType container)) {
            throw ConversionException.type(value, "Array");
        }
        Collection<?> elements =
                value instanceof CqlVector<?> vector ? vector.stream().toList() : (Collection<?>) value;
        List<@Nullable Object> natural = new ArrayList<>();
        for (Object element : elements) {
            natural.add(natural(element));
        }
        JdbcType element = JdbcType.of(container.getElementType());
        return new ArrayValue(element.name(), element.sqlType(), natural, resultSets);
    }

    private static List<@Nullable Object> parts(Object value, String target) throws ConversionException {
        int size;
        if (value instanceof TupleValue tuple) {
            size = tuple.getType().getComponentTypes().size();
        } else if (value instanceof UdtValue udt) {
            size = udt.getType().getFieldTypes().size();
        } else {
            throw ConversionException.type(value, target);
        }
        GettableByIndex gettable = (GettableByIndex) value;
        List<@Nullable Object> parts = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            Object part = gettable.isNull(i) ? null : gettable.getObject(i);
            parts.add(part == null ? null : natural(part));
        }
        return parts;
    }

    private static Map<String, @Nullable Object> fields(UdtValue udt) throws ConversionException {
        List<@Nullable Object> parts = parts(udt, "Map");
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        for (int i = 0; i < parts.size(); i++) {
            fields.put(udt.getType().getFieldNames().get(i).asInternal(), parts.get(i));
        }
        return fields;
    }

    private static float[] floats(Object value) throws ConversionException {
        if (!(value instanceof CqlVector<?> vector)) {
            throw ConversionException.type(value, "float[]");
        }
        // As a list: get(int) returns a Number in one driver and an Object in the other, and so is a different method
        // there.
        List<?> items = vector.stream().toList();
        float[] floats = new float[items.size()];
        for (int i = 0; i < floats.length; i++) {
            floats[i] = Numbers.floatValue(items.get(i), "float");
        }
        return floats;
    }

    /** Returns whether it matters to a conversion as which T-SQL has declared the column: to ask for it is not free. */
    public static boolean mayDependOnDeclaration(Object value, Class<?> target) {
        if (value instanceof UUID) {
            return target == Object.class || target == byte[].class || isText(target);
        }
        return (value instanceof Instant || value instanceof LocalDateTime || value instanceof LocalTime)
                && isText(target);
    }

    private static boolean isText(Class<?> target) {
        return target == String.class || target == Clob.class || target == NClob.class;
    }

    /** Returns whether a zone may matter to a conversion: to ask for the JVM's is not free. */
    public static boolean mayDependOnZone(Class<?> target) {
        return !ZONELESS.contains(target);
    }

    /** An instant in UTC; a date has its midnight, and so its offset, in {@code zone}. */
    private static OffsetDateTime offsetDateTime(Object value, ZoneId zone) throws ConversionException {
        ZoneId shown = value instanceof Instant ? ZoneOffset.UTC : zone;
        return Temporals.instant(value, zone, "OffsetDateTime").atZone(shown).toOffsetDateTime();
    }

    private static OffsetTime offsetTime(Object value, ZoneId zone) throws ConversionException {
        if (value instanceof Instant) {
            return offsetDateTime(value, zone).toOffsetTime();
        }
        throw ConversionException.type(value, "OffsetTime");
    }

    /** Unlike a write, a read may ask for a part: the column keeps the whole. */
    private static LocalDate localDate(Object value, ZoneId zone) throws ConversionException {
        Object day = dayInText(value, zone);
        return day instanceof Instant instant
                ? LocalDate.ofInstant(instant, zone)
                : Temporals.localDate(day, zone, "LocalDate");
    }

    private static LocalTime localTime(Object value, ZoneId zone) throws ConversionException {
        Object time = timeInText(value);
        return time instanceof Instant instant
                ? LocalTime.ofInstant(instant, zone)
                : Temporals.localTime(time, zone, "LocalTime");
    }

    private static Object dayInText(Object value, ZoneId zone) throws ConversionException {
        return Temporals.day(Temporals.momentInText(value, "date"), zone);
    }

    /** Of a moment in a text, and of a time that clocks skip, the time of day. */
    private static Object timeInText(Object value) throws ConversionException {
        Object read = Temporals.momentInText(value, "time");
        return read instanceof LocalDateTime moment ? moment.toLocalTime() : read;
    }

    private static byte[] bytes(Object value) throws ConversionException {
        if (value instanceof ByteBuffer buffer) {
            byte[] bytes = new byte[buffer.remaining()];
            buffer.duplicate().get(bytes);
            return bytes;
        }
        throw ConversionException.type(value, "byte[]");
    }

    private static Duration duration(Object value) throws ConversionException {
        if (value instanceof CqlDuration duration && duration.getMonths() == 0 && duration.getDays() == 0) {
            return Duration.ofNanos(duration.getNanoseconds());
        }
        throw ConversionException.type(value, "Duration, which has no days or months");
    }

    private static Period period(Object value) throws ConversionException {
        if (value instanceof CqlDuration duration && duration.getNanoseconds() == 0) {
            return Period.of(0, duration.getMonths(), duration.getDays());
        }
        throw ConversionException.type(value, "Period, which has no time of day");
    }
}
