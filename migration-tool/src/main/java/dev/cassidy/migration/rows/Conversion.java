package dev.cassidy.migration.rows;

import com.datastax.oss.driver.api.core.ProtocolVersion;
import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import com.datastax.oss.driver.api.core.type.codec.TypeCodec;
import com.datastax.oss.driver.api.core.type.codec.registry.CodecRegistry;
import dev.cassidy.definition.Twin;
import dev.cassidy.migration.schema.TsqlType.Kind;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.nio.ByteBuffer;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.EnumSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Turns the values of one column of the source into what Cassandra stores. The same value always gives the same bytes, so that
 * rows can be compared by them. A value that would change is told to {@link Losses}, and one that the type cannot hold refuses
 * the row. Safe for use by many threads.
 */
final class Conversion {

    private static final int MILLISECOND_DIGITS = 3;

    private static final Map<DataType, BigInteger> BOUNDS = Map.of(
            DataTypes.TINYINT, BigInteger.valueOf(Byte.MAX_VALUE),
            DataTypes.SMALLINT, BigInteger.valueOf(Short.MAX_VALUE),
            DataTypes.INT, BigInteger.valueOf(Integer.MAX_VALUE),
            DataTypes.BIGINT, BigInteger.valueOf(Long.MAX_VALUE));

    private static final Set<Kind> NUMBERS = EnumSet.of(Kind.INTEGER, Kind.BIT, Kind.DECIMAL, Kind.REAL, Kind.DOUBLE);
    private static final Set<Kind> MOMENTS = EnumSet.of(Kind.LOCAL_DATE_TIME, Kind.OFFSET_DATE_TIME, Kind.DATE);

    private static final Map<DataType, Set<Kind>> TAKES = Map.ofEntries(
            Map.entry(DataTypes.TINYINT, NUMBERS),
            Map.entry(DataTypes.SMALLINT, NUMBERS),
            Map.entry(DataTypes.INT, NUMBERS),
            Map.entry(DataTypes.BIGINT, NUMBERS),
            Map.entry(DataTypes.VARINT, NUMBERS),
            Map.entry(DataTypes.DECIMAL, NUMBERS),
            Map.entry(DataTypes.DOUBLE, NUMBERS),
            Map.entry(DataTypes.FLOAT, NUMBERS),
            Map.entry(DataTypes.BOOLEAN, EnumSet.of(Kind.BIT)),
            Map.entry(DataTypes.TEXT, EnumSet.of(Kind.TEXT, Kind.UUID, Kind.INTEGER)),
            Map.entry(DataTypes.ASCII, EnumSet.of(Kind.TEXT)),
            Map.entry(DataTypes.BLOB, EnumSet.of(Kind.BINARY)),
            Map.entry(DataTypes.TIMESTAMP, MOMENTS),
            Map.entry(DataTypes.DATE, MOMENTS),
            Map.entry(DataTypes.TIME, EnumSet.of(Kind.TIME)),
            Map.entry(DataTypes.UUID, EnumSet.of(Kind.UUID)));

    /** Reads a value that may be null. */
    private interface Reader {
        @Nullable
        Object read(ResultSet rows, int index, Losses losses) throws SQLException;
    }

    private final MovedColumn column;
    private final Reader reader;
    private final TypeCodec<Object> codec;

    /** @param zone in which dates and times without one are */
    Conversion(MovedColumn column, Optional<ZoneId> zone) {
        this.column = column;
        Twin twin = column.twin();
        this.reader = twin == null
                ? reader(zone.orElse(ZoneOffset.UTC))
                : (rows, index, losses) -> {
                    String value = rows.getString(index);
                    return value == null ? null : twin.fold(value);
                };
        this.codec = CodecRegistry.DEFAULT.codecFor(column.type());
    }

    /** Returns whether a column of Cassandra can take values of this kind. */
    static boolean serves(Kind kind, DataType type) {
        return TAKES.getOrDefault(type, Set.of()).contains(kind);
    }

    /** Returns whether the values are moments that need a zone to be known. */
    static boolean needsZone(Kind kind, DataType type) {
        return type.equals(DataTypes.TIMESTAMP) && (kind == Kind.LOCAL_DATE_TIME || kind == Kind.DATE);
    }

    /**
     * Returns whether some value of the column may change, by its type.
     *
     * @param zone in which dates and times without one are
     */
    static boolean mayLose(MovedColumn column, Optional<ZoneId> zone) {
        DataType type = column.type();
        boolean skips =
                !zone.map(given -> given.getRules().isFixedOffset()).orElse(true) && type.equals(DataTypes.TIMESTAMP);
        int scale = column.from().scale();
        return switch (column.tsql().kind()) {
            case LOCAL_DATE_TIME -> !type.equals(DataTypes.TIMESTAMP) || scale > MILLISECOND_DIGITS || skips;
            case OFFSET_DATE_TIME -> true;
            case DATE -> skips;
            case DECIMAL -> !type.equals(DataTypes.DECIMAL) && (scale > 0 || BOUNDS.get(type) == null);
            case DOUBLE -> !type.equals(DataTypes.DOUBLE);
            case REAL -> !type.equals(DataTypes.DOUBLE) && !type.equals(DataTypes.FLOAT);
            case INTEGER -> type.equals(DataTypes.FLOAT) || type.equals(DataTypes.DOUBLE);
            default -> false;
        };
    }

    MovedColumn column() {
        return column;
    }

    /** Returns the value as Cassandra's Java type; null for NULL. */
    @Nullable
    Object value(ResultSet rows, int index, Losses losses) throws SQLException {
        try {
            return reader.read(rows, index, losses);
        } catch (ArithmeticException | DateTimeException | IllegalArgumentException e) {
            throw new RowRefused(
                    column.qualifiedName() + " has a value that "
                            + column.type().asCql(false, false) + " cannot hold: " + e.getMessage()
                            + "; correct the value",
                    e);
        }
    }

    /** Returns the value as Cassandra stores it; null for NULL. */
    @Nullable
    ByteBuffer bytes(ResultSet rows, int index, Losses losses) throws SQLException {
        Object value = value(rows, index, losses);
        try {
            return value == null ? null : codec.encode(value, ProtocolVersion.DEFAULT);
        } catch (ArithmeticException | DateTimeException | IllegalArgumentException e) {
            throw tooLarge(value);
        }
    }

    /** Returns stored bytes as CQL writes the value. */
    String shown(@Nullable ByteBuffer bytes) {
        return codec.format(decoded(bytes));
    }

    /** Returns stored bytes as Cassandra's Java type. */
    @Nullable
    Object decoded(@Nullable ByteBuffer bytes) {
        return bytes == null ? null : codec.decode(bytes.duplicate(), ProtocolVersion.DEFAULT);
    }

    /**
     * Returns the bytes of all values that say the same in the source: a number with more or fewer zeros after the point, and
     * a text of fixed length with more or fewer blanks at its end.
     */
    @Nullable
    ByteBuffer canonical(@Nullable ByteBuffer bytes) {
        Object value = decoded(bytes);
        if (value instanceof BigDecimal number) {
            return codec.encode(number.stripTrailingZeros(), ProtocolVersion.DEFAULT);
        }
        if (value instanceof String text && isOfFixedLength()) {
            return codec.encode(text.replaceFirst(" +$", ""), ProtocolVersion.DEFAULT);
        }
        return bytes;
    }

    private Reader reader(ZoneId zone) {
        DataType type = column.type();
        Kind kind = column.tsql().kind();
        if (BOUNDS.containsKey(type) || type.equals(DataTypes.VARINT)) {
            return kind == Kind.INTEGER && !type.equals(DataTypes.VARINT) ? this::whole : this::cutOff;
        }
        if (type.equals(DataTypes.DECIMAL)) {
            return (rows, index, losses) -> rows.getBigDecimal(index);
        }
        if (type.equals(DataTypes.DOUBLE) || type.equals(DataTypes.FLOAT)) {
            return kind == Kind.REAL || (kind == Kind.DOUBLE && type.equals(DataTypes.DOUBLE))
                    ? this::floating
                    : this::rounded;
        }
        if (type.equals(DataTypes.BOOLEAN)) {
            return (rows, index, losses) -> {
                boolean value = rows.getBoolean(index);
                return rows.wasNull() ? null : value;
            };
        }
        if (type.equals(DataTypes.BLOB)) {
            return (rows, index, losses) -> {
                byte[] value = rows.getBytes(index);
                return value == null ? null : ByteBuffer.wrap(value);
            };
        }
        if (type.equals(DataTypes.UUID)) {
            return this::uuid;
        }
        if (type.equals(DataTypes.TIME)) {
            return (rows, index, losses) -> rows.getObject(index, LocalTime.class);
        }
        if (type.equals(DataTypes.DATE)) {
            return switch (kind) {
                case DATE ->
                    (rows, index, losses) -> {
                        LocalDate value = rows.getObject(index, LocalDate.class);
                        return value == null ? null : fitting(value, value);
                    };
                case OFFSET_DATE_TIME ->
                    (rows, index, losses) -> {
                        OffsetDateTime value = rows.getObject(index, OffsetDateTime.class);
                        return value == null ? null : day(value.toLocalDateTime(), losses);
                    };
                default ->
                    (rows, index, losses) -> {
                        LocalDateTime value = rows.getObject(index, LocalDateTime.class);
                        return value == null ? null : day(value, losses);
                    };
            };
        }
        if (type.equals(DataTypes.TIMESTAMP)) {
            return moment(kind, zone);
        }
        return type.equals(DataTypes.TEXT) && isOfFixedLength() ? this::filled : this::text;
    }

    private Reader moment(Kind kind, ZoneId zone) {
        return switch (kind) {
            case DATE ->
                (rows, index, losses) -> {
                    LocalDate value = rows.getObject(index, LocalDate.class);
                    return value == null ? null : instant(value.atStartOfDay(), zone, losses);
                };
            case OFFSET_DATE_TIME ->
                (rows, index, losses) -> {
                    OffsetDateTime value = rows.getObject(index, OffsetDateTime.class);
                    if (value == null) {
                        return null;
                    }
                    Instant instant = milliseconds(value.toInstant(), value, losses);
                    if (!value.getOffset().equals(ZoneOffset.UTC)) {
                        losses.changed(column, Losses.Kind.OFFSET, value, instant);
                    }
                    return instant;
                };
            default ->
                (rows, index, losses) -> {
                    LocalDateTime value = rows.getObject(index, LocalDateTime.class);
                    return value == null ? null : instant(value, zone, losses);
                };
        };
    }

    private Instant instant(LocalDateTime value, ZoneId zone, Losses losses) {
        Instant exact = value.atZone(zone).toInstant();
        if (!LocalDateTime.ofInstant(exact, zone).equals(value)) {
            losses.changed(column, Losses.Kind.SKIPPED_HOUR, value, exact);
        }
        return milliseconds(exact, value, losses);
    }

    private Instant milliseconds(Instant exact, Object value, Losses losses) {
        Instant becomes = exact.truncatedTo(ChronoUnit.MILLIS);
        if (becomes.equals(exact)) {
            return exact;
        }
        losses.changed(column, Losses.Kind.FRACTION_OF_SECOND, value, becomes);
        return becomes;
    }

    /** Cassandra's date has 32 bits for the days, and the driver cuts off further ones: PostgreSQL's infinity has them. */
    private LocalDate fitting(LocalDate day, Object value) {
        if (day.toEpochDay() != (int) day.toEpochDay()) {
            throw tooLarge(value);
        }
        return day;
    }

    private LocalDate day(LocalDateTime value, Losses losses) {
        if (!value.toLocalTime().equals(LocalTime.MIDNIGHT)) {
            losses.changed(column, Losses.Kind.TIME_OF_DAY, value, value.toLocalDate());
        }
        return fitting(value.toLocalDate(), value);
    }

    private @Nullable Object whole(ResultSet rows, int index, Losses losses) throws SQLException {
        long value = rows.getLong(index);
        if (rows.wasNull()) {
            return null;
        }
        DataType type = column.type();
        if (type.equals(DataTypes.INT) && value == (int) value) {
            return (int) value;
        }
        if (type.equals(DataTypes.SMALLINT) && value == (short) value) {
            return (short) value;
        }
        if (type.equals(DataTypes.TINYINT) && value == (byte) value) {
            return (byte) value;
        }
        if (type.equals(DataTypes.BIGINT)) {
            return value;
        }
        throw tooLarge(value);
    }

    private @Nullable Object cutOff(ResultSet rows, int index, Losses losses) throws SQLException {
        BigDecimal value = rows.getBigDecimal(index);
        if (value == null) {
            return null;
        }
        BigInteger whole = value.setScale(0, RoundingMode.DOWN).toBigInteger();
        if (value.compareTo(new BigDecimal(whole)) != 0) {
            losses.changed(column, Losses.Kind.SCALE, value, whole);
        }
        BigInteger bound = BOUNDS.get(column.type());
        if (bound == null) {
            return whole;
        }
        if (whole.compareTo(bound) > 0 || whole.compareTo(bound.negate().subtract(BigInteger.ONE)) < 0) {
            throw tooLarge(value);
        }
        if (column.type().equals(DataTypes.BIGINT)) {
            return whole.longValueExact();
        }
        if (column.type().equals(DataTypes.INT)) {
            return whole.intValueExact();
        }
        return column.type().equals(DataTypes.SMALLINT) ? (Object) whole.shortValueExact() : whole.byteValueExact();
    }

    private RowRefused tooLarge(@Nullable Object value) {
        return new RowRefused(column.qualifiedName() + " has a value that "
                + column.type().asCql(false, false)
                + " cannot hold: " + value + "; give column " + column.to().asCql(true)
                + " a wider type in a new table, or correct the value");
    }

    private @Nullable Object floating(ResultSet rows, int index, Losses losses) throws SQLException {
        if (column.type().equals(DataTypes.FLOAT)) {
            float value = rows.getFloat(index);
            return rows.wasNull() ? null : value;
        }
        double value = rows.getDouble(index);
        return rows.wasNull() ? null : value;
    }

    private @Nullable Object rounded(ResultSet rows, int index, Losses losses) throws SQLException {
        BigDecimal value = rows.getBigDecimal(index);
        if (value == null) {
            return null;
        }
        boolean single = column.type().equals(DataTypes.FLOAT);
        double becomes = single ? value.floatValue() : value.doubleValue();
        if (!Double.isFinite(becomes)) {
            throw tooLarge(value);
        }
        String shortest = single ? Float.toString((float) becomes) : Double.toString(becomes);
        if (new BigDecimal(shortest).compareTo(value) != 0) {
            losses.changed(column, Losses.Kind.PRECISION, value, becomes);
        }
        return single ? (Object) (float) becomes : becomes;
    }

    private @Nullable Object uuid(ResultSet rows, int index, Losses losses) throws SQLException {
        String value = rows.getString(index);
        return value == null ? null : java.util.UUID.fromString(value);
    }

    /** MySQL gives a CHAR without the blanks at its end, which the JDBC driver binds and stores. */
    private @Nullable Object filled(ResultSet rows, int index, Losses losses) throws SQLException {
        Object value = text(rows, index, losses);
        int missing = value instanceof String text ? column.from().length() - text.length() : 0;
        return missing > 0 ? value + " ".repeat(missing) : value;
    }

    private boolean isOfFixedLength() {
        return column.tsql().text().matches("n?char(\\(.*)?");
    }

    private @Nullable Object text(ResultSet rows, int index, Losses losses) throws SQLException {
        String value = rows.getString(index);
        if (value != null
                && column.type().equals(DataTypes.ASCII)
                && !value.chars().allMatch(c -> c < 128)) {
            throw new RowRefused(column.qualifiedName() + " has a text that ascii cannot hold: '" + value + "'");
        }
        return value;
    }
}
