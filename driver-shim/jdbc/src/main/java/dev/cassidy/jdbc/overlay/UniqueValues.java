package dev.cassidy.jdbc.overlay;

import com.datastax.oss.driver.api.core.ProtocolVersion;
import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.codec.TypeCodec;
import com.datastax.oss.driver.api.core.type.codec.registry.CodecRegistry;
import dev.cassidy.definition.UniqueKey;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The values of a table's rows that its UNIQUE constraints are of, as they are reserved: each with its length before it, and -1
 * for NULL, which is a value there. Immutable.
 */
public final class UniqueValues {

    private final List<UniqueKey> keys;
    private final List<String> rowKey;
    private final Map<String, DataType> types;
    private final CodecRegistry codecs;
    private final ProtocolVersion protocol;

    /**
     * @param rowKey the columns of the primary key, internal names
     * @param types by column
     */
    public UniqueValues(
            List<UniqueKey> keys,
            List<String> rowKey,
            Map<String, DataType> types,
            CodecRegistry codecs,
            ProtocolVersion protocol) {
        this.keys = List.copyOf(keys);
        this.rowKey = List.copyOf(rowKey);
        this.types = Map.copyOf(types);
        this.codecs = codecs;
        this.protocol = protocol;
    }

    public boolean isEmpty() {
        return keys.isEmpty();
    }

    public List<UniqueKey> keys() {
        return keys;
    }

    /** Returns all columns on whose values a UNIQUE depends. */
    public Set<String> columns() {
        Set<String> columns = new HashSet<>();
        keys.forEach(key -> columns.addAll(key.columns()));
        return columns;
    }

    /** Returns the values of a row that no other row may have. */
    public List<UniqueValue> of(RowImage row) {
        List<UniqueValue> values = new ArrayList<>(keys.size());
        for (UniqueKey key : keys) {
            List<@Nullable Object> ofRow = new ArrayList<>();
            key.columns().forEach(column -> ofRow.add(row.value(column)));
            if (!key.nullsApart() || !ofRow.contains(null)) {
                values.add(of(key, ofRow));
            }
        }
        return values;
    }

    /**
     * Returns one value.
     *
     * @param values of the key's columns, as the driver's codecs give them
     */
    public UniqueValue of(UniqueKey key, List<? extends @Nullable Object> values) {
        List<@Nullable ByteBuffer> parts = new ArrayList<>();
        for (int i = 0; i < values.size(); i++) {
            parts.add(compared(key, i, values.get(i)));
        }
        return new UniqueValue(key, joined(parts));
    }

    private @Nullable ByteBuffer compared(UniqueKey key, int index, @Nullable Object value) {
        Object same = value;
        if (value instanceof BigDecimal number) {
            same = number.signum() == 0 ? BigDecimal.ZERO : number.stripTrailingZeros();
        } else if (value instanceof Double number) {
            // -0.0 is equal to 0.0.
            same = number + 0.0d;
        } else if (value instanceof Float number) {
            same = number + 0.0f;
        } else if (value instanceof String text) {
            same = key.collation(index).fold(text);
        }
        return same == null ? null : encoded(key.columns().get(index), same);
    }

    private ByteBuffer encoded(String column, Object value) {
        TypeCodec<Object> codec = codecs.codecFor(Objects.requireNonNull(types.get(column)));
        return Objects.requireNonNull(codec.encode(value, protocol));
    }

    /** Returns the primary key of a row, as a reservation has it. */
    public ByteBuffer rowKey(List<Object> key) {
        List<ByteBuffer> parts = new ArrayList<>();
        for (int i = 0; i < rowKey.size(); i++) {
            parts.add(encoded(rowKey.get(i), key.get(i)));
        }
        return joined(parts);
    }

    /** Returns the primary key of the row that has a value, as the driver's codecs give it. */
    public List<Object> rowOf(ByteBuffer reserved) {
        ByteBuffer left = reserved.duplicate();
        List<Object> key = new ArrayList<>();
        for (String column : rowKey) {
            int length = left.getInt();
            ByteBuffer part = left.slice(left.position(), length);
            left.position(left.position() + length);
            TypeCodec<Object> codec = codecs.codecFor(Objects.requireNonNull(types.get(column)));
            key.add(Objects.requireNonNull(codec.decode(part, protocol)));
        }
        return key;
    }

    private static ByteBuffer joined(List<? extends @Nullable ByteBuffer> parts) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            for (ByteBuffer part : parts) {
                out.writeInt(part == null ? -1 : part.remaining());
                if (part != null) {
                    byte[] copy = new byte[part.remaining()];
                    part.duplicate().get(copy);
                    out.write(copy);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return ByteBuffer.wrap(bytes.toByteArray()).asReadOnlyBuffer();
    }
}
