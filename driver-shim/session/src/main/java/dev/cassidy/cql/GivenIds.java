package dev.cassidy.cql;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.context.DriverContext;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.type.codec.TypeCodec;
import dev.cassidy.cql.IdentityInsertException.Reason;
import dev.cassidy.insert.CqlInsert;
import dev.cassidy.insert.CqlInsert.Value;
import dev.cassidy.insert.Identity;
import dev.cassidy.sequence.IdentityType;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads the ids that statements give themselves. */
final class GivenIds {

    private static final BigInteger LOWEST = BigInteger.valueOf(Long.MIN_VALUE);
    private static final BigInteger HIGHEST = BigInteger.valueOf(Long.MAX_VALUE);

    private final DriverContext context;

    GivenIds(DriverContext context) {
        this.context = context;
    }

    /** Returns whether the statement has a value for the marker, and it is null. */
    boolean isNull(SimpleStatement statement, Value.Marker marker, Identity identity) {
        if (!statement.getPositionalValues().isEmpty()) {
            return marker.index() < statement.getPositionalValues().size()
                    && statement.getPositionalValues().get(marker.index()) == null;
        }
        CqlIdentifier name = name(marker, identity);
        return statement.getNamedValues().containsKey(name)
                && statement.getNamedValues().get(name) == null;
    }

    /** Returns the statement without the marker's value, for one without the marker. */
    SimpleStatement without(SimpleStatement statement, Value.Marker marker, CqlInsert insert, Identity identity) {
        if (!statement.getPositionalValues().isEmpty()) {
            List<Object> values = new ArrayList<>(statement.getPositionalValues());
            values.remove(marker.index());
            return statement.setPositionalValues(values);
        }
        if (marker.name() != null && insert.repeats(marker.name())) {
            return statement;
        }
        Map<CqlIdentifier, Object> values = new LinkedHashMap<>(statement.getNamedValues());
        values.remove(name(marker, identity));
        return statement.setNamedValuesWithIds(values);
    }

    /**
     * Returns the id that the statement gives; empty if it has no value for the marker.
     *
     * @throws IdentityInsertException if only the server could tell the id, or if it is no 64-bit number
     */
    Optional<Long> of(SimpleStatement statement, Value given, Identity identity) {
        return given instanceof Value.Marker marker
                ? value(statement, marker, identity).map(value -> toLong(value, identity))
                : ofLiteral(given, identity);
    }

    /**
     * Returns the id that the statement gives; empty for a marker, null and no value at all.
     *
     * @throws IdentityInsertException if only the server could tell the id, or if it is no 64-bit number
     */
    static Optional<Long> ofLiteral(@Nullable Value given, Identity identity) {
        refuseExpression(given, identity);
        return given instanceof Value.IntegerLiteral literal
                ? Optional.of(toLong(literal.value(), identity))
                : Optional.empty();
    }

    /** @throws IdentityInsertException if only the server could tell the id */
    static void refuseExpression(@Nullable Value given, Identity identity) {
        if (given instanceof Value.Term term) {
            throw expression(term.text(), identity);
        }
    }

    private static Optional<Object> value(SimpleStatement statement, Value.Marker marker, Identity identity) {
        List<Object> positional = statement.getPositionalValues();
        if (!positional.isEmpty()) {
            return marker.index() < positional.size()
                    ? Optional.ofNullable(positional.get(marker.index()))
                    : Optional.empty();
        }
        return Optional.ofNullable(statement.getNamedValues().get(name(marker, identity)));
    }

    /** Cassandra gives {@code ?} the name of its column. */
    private static CqlIdentifier name(Value.Marker marker, Identity identity) {
        return CqlIdentifier.fromInternal(marker.name() == null ? identity.column() : marker.name());
    }

    private long toLong(Object value, Identity identity) {
        if (value instanceof Long || value instanceof Integer || value instanceof Short || value instanceof Byte) {
            return ((Number) value).longValue();
        }
        if (value instanceof BigInteger integer) {
            return toLong(integer, identity);
        }
        ByteBuffer encoded = encode(value);
        if (encoded == null) {
            throw expression(String.valueOf(value), identity);
        }
        return switch (encoded.remaining()) {
            case Short.BYTES -> encoded.getShort(encoded.position());
            case Integer.BYTES -> encoded.getInt(encoded.position());
            case Long.BYTES -> encoded.getLong(encoded.position());
            default -> throw expression(String.valueOf(value), identity);
        };
    }

    private @Nullable ByteBuffer encode(Object value) {
        TypeCodec<Object> codec = context.getCodecRegistry().codecFor(value);
        return codec.encode(value, context.getProtocolVersion());
    }

    private static long toLong(BigInteger value, Identity identity) {
        if (value.compareTo(LOWEST) < 0 || value.compareTo(HIGHEST) > 0) {
            throw new IdentityInsertException(
                    Reason.DOES_NOT_FIT,
                    "id " + value + " does not fit column " + IdentitySource.column(identity) + " of sequence "
                            + identity.sequence());
        }
        return value.longValue();
    }

    private static IdentityInsertException expression(String text, Identity identity) {
        return new IdentityInsertException(
                Reason.ID_EXPRESSION,
                "the id '" + text + "' for column " + IdentitySource.column(identity) + " of sequence "
                        + identity.sequence()
                        + " cannot be checked before it is sent: leave the column out, or give an integer");
    }

    static ByteBuffer encode(long id, IdentityType type) {
        return switch (type) {
            case SMALLINT -> ByteBuffer.allocate(Short.BYTES).putShort(0, (short) id);
            case INT -> ByteBuffer.allocate(Integer.BYTES).putInt(0, (int) id);
            case BIGINT -> ByteBuffer.allocate(Long.BYTES).putLong(0, id);
        };
    }

    static long decode(BoundStatement statement, int index, IdentityType type) {
        return switch (type) {
            case SMALLINT -> statement.getShort(index);
            case INT -> statement.getInt(index);
            case BIGINT -> statement.getLong(index);
        };
    }
}
