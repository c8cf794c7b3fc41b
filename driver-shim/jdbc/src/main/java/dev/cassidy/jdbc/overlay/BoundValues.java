package dev.cassidy.jdbc.overlay;

import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.cql.Statement;
import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.codec.CodecNotFoundException;
import com.datastax.oss.driver.api.core.type.codec.TypeCodec;
import com.datastax.oss.driver.api.core.type.codec.registry.CodecRegistry;
import dev.cassidy.insert.CqlInsert;
import dev.cassidy.insert.UnsupportedSqlException;
import org.jspecify.annotations.Nullable;

/**
 * The values of one statement: of its markers, and of the literals that it still has.
 *
 * @param text the statement as it is sent
 * @param bound null if it has no markers
 */
record BoundValues(String text, @Nullable BoundStatement bound, CodecRegistry codecs) {

    static BoundValues of(Statement<?> statement, CodecRegistry codecs) {
        if (statement instanceof BoundStatement bound) {
            return new BoundValues(bound.getPreparedStatement().getQuery(), bound, codecs);
        }
        return new BoundValues(((SimpleStatement) statement).getQuery(), null, codecs);
    }

    /**
     * Returns a value; null if it is NULL, or not set.
     *
     * @param type that of its column, for literals
     * @throws UnsupportedSqlException if only the server can tell the value
     */
    @Nullable
    Object of(CqlInsert.Value value, @Nullable DataType type) {
        if (value instanceof CqlInsert.Value.Marker marker) {
            if (bound == null) {
                throw new IllegalStateException("a marker without a value: " + text);
            }
            int index = marker.index();
            return bound.isSet(index) && !bound.isNull(index) ? bound.getObject(index) : null;
        }
        if (value instanceof CqlInsert.Value.IntegerLiteral literal) {
            return parsed(literal.value().toString(), type);
        }
        return value instanceof CqlInsert.Value.Term term ? parsed(term.text(), type) : null;
    }

    private @Nullable Object parsed(String literal, @Nullable DataType type) {
        if (type == null) {
            throw unknown(literal);
        }
        try {
            TypeCodec<Object> codec = codecs.codecFor(type);
            return codec.parse(literal);
        } catch (IllegalArgumentException | CodecNotFoundException e) {
            throw unknown(literal);
        }
    }

    private static UnsupportedSqlException unknown(String term) {
        return new UnsupportedSqlException(
                "'" + term + "' in a transaction that writes its table exactly",
                "only the server knows its value: give it as a parameter");
    }
}
