package dev.cassidy.server;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Date;
import java.util.UUID;
import org.apache.cassandra.cql3.functions.Arguments;
import org.apache.cassandra.db.marshal.AbstractType;
import org.apache.cassandra.db.marshal.BooleanType;
import org.apache.cassandra.db.marshal.ByteType;
import org.apache.cassandra.db.marshal.CounterColumnType;
import org.apache.cassandra.db.marshal.DecimalType;
import org.apache.cassandra.db.marshal.DoubleType;
import org.apache.cassandra.db.marshal.FloatType;
import org.apache.cassandra.db.marshal.Int32Type;
import org.apache.cassandra.db.marshal.IntegerType;
import org.apache.cassandra.db.marshal.LongType;
import org.apache.cassandra.db.marshal.ShortType;
import org.apache.cassandra.db.marshal.TimestampType;
import org.apache.cassandra.db.marshal.UTF8Type;
import org.apache.cassandra.db.marshal.UUIDType;
import org.jspecify.annotations.Nullable;

/** A CQL type of arguments, and how such an argument is read as the Java value that function bodies take. */
final class Argument<T> {

    // Cassandra hands fixed-size numbers over in a holder that it reuses for the next row: they are taken out at once.
    static final Argument<Byte> TINYINT = new Argument<>(ByteType.instance, Arguments::getAsByte);
    static final Argument<Short> SMALLINT = new Argument<>(ShortType.instance, Arguments::getAsShort);
    static final Argument<Integer> INT = new Argument<>(Int32Type.instance, Arguments::getAsInt);
    static final Argument<Long> BIGINT = new Argument<>(LongType.instance, Arguments::getAsLong);
    static final Argument<Long> COUNTER = new Argument<>(CounterColumnType.instance, Arguments::getAsLong);
    static final Argument<Float> FLOAT = new Argument<>(FloatType.instance, Arguments::getAsFloat);
    static final Argument<Double> DOUBLE = new Argument<>(DoubleType.instance, Arguments::getAsDouble);

    @SuppressWarnings("JavaUtilDate") // What Cassandra hands to user-defined functions.
    static final Argument<Date> TIMESTAMP =
            new Argument<>(TimestampType.instance, (row, i) -> new Date(row.getAsLong(i)));

    static final Argument<BigInteger> VARINT = new Argument<>(IntegerType.instance, Arguments::get);
    static final Argument<BigDecimal> DECIMAL = new Argument<>(DecimalType.instance, Arguments::get);
    static final Argument<String> TEXT = new Argument<>(UTF8Type.instance, Arguments::get);
    static final Argument<Boolean> BOOLEAN = new Argument<>(BooleanType.instance, Arguments::get);
    static final Argument<UUID> UUID = new Argument<>(UUIDType.instance, Arguments::get);

    @FunctionalInterface
    private interface Reader<T> {
        T read(Arguments row, int i);
    }

    private final AbstractType<T> type;
    private final Reader<T> reader;

    private Argument(AbstractType<T> type, Reader<T> reader) {
        this.type = type;
        this.reader = reader;
    }

    AbstractType<T> type() {
        return type;
    }

    @Nullable
    T of(Arguments row, int i) {
        return row.get(i) == null ? null : reader.read(row, i);
    }
}
