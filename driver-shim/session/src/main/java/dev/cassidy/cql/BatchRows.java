package dev.cassidy.cql;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.BatchStatement;
import com.datastax.oss.driver.api.core.cql.BatchableStatement;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.metadata.schema.ColumnMetadata;
import com.datastax.oss.driver.api.core.metadata.schema.TableMetadata;
import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import com.datastax.oss.driver.api.core.type.codec.CodecNotFoundException;
import com.datastax.oss.driver.api.core.type.codec.TypeCodec;
import com.datastax.oss.driver.api.core.type.codec.registry.CodecRegistry;
import dev.cassidy.insert.CqlInsert;
import dev.cassidy.insert.RowConditions;
import dev.cassidy.table.TableWrites;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Refuses a batch that inserts a row of an exact table and writes it a second time. All of a batch has one time, and of two values of one
 * time the larger one wins, not the later one: the row would be a mixture of both. Never blocks.
 */
final class BatchRows {

    static final String ONE_TIME =
            "all of a batch has one time, and of two values of one time the larger wins, not the later";

    private final CqlSession session;

    BatchRows(CqlSession session) {
        this.session = session;
    }

    /**
     * A row that a statement writes.
     *
     * @param key null if only the server knows it
     */
    private record Written(
            TableWrites table, boolean insert, @Nullable List<Object> key) {

        boolean isOfTable(Written other) {
            return table.name().equals(other.table.name());
        }

        boolean mayBe(Written other) {
            return key == null || other.key == null || key.equals(other.key);
        }
    }

    /**
     * Looks at the statements of a batch as they are sent.
     *
     * @param sendings how each of them is
     * @throws WriteModeException if one row may be inserted and written
     */
    void requireRowsOnce(BatchStatement batch, List<Sending> sendings) {
        List<Written> before = new ArrayList<>();
        int index = 0;
        for (BatchableStatement<?> child : batch) {
            // Each row that is inserted plainly has an id of its own.
            if (sendings.get(index++) instanceof Sending.InOrder exact) {
                Written written = written(child, exact.writes());
                for (Written other : before) {
                    if ((written.insert || other.insert) && written.isOfTable(other) && written.mayBe(other)) {
                        throw refused(written, other);
                    }
                }
                before.add(written);
            }
        }
    }

    private static WriteModeException refused(Written one, Written other) {
        boolean known = one.key != null && other.key != null;
        return new WriteModeException(
                "a batch " + (known ? "inserts" : "may insert") + " a row of table " + one.table.name()
                        + ", which is written exactly, and "
                        + (one.insert && other.insert
                                ? "inserts it again: leave out one INSERT"
                                : "changes it: put the values into the INSERT, or send the other statement after the batch")
                        + (known ? "" : "; or give the columns of both keys as parameters")
                        + ", for " + ONE_TIME + ". Nothing was sent",
                false);
    }

    private Written written(BatchableStatement<?> statement, TableWrites writes) {
        String cql = ParsedStatement.text(statement);
        CqlInsert insert = CqlInsert.recognise(cql).orElse(null);
        TableMetadata table = session.getMetadata()
                .getKeyspace(CqlIdentifier.fromInternal(writes.keyspace()))
                .flatMap(found -> found.getTable(CqlIdentifier.fromInternal(writes.table())))
                .orElse(null);
        if (table == null) {
            return new Written(writes, insert != null, null);
        }
        Optional<RowConditions> conditions = insert == null ? RowConditions.of(cql) : Optional.empty();
        List<Object> key = new ArrayList<>();
        for (ColumnMetadata column : table.getPrimaryKey()) {
            String name = column.getName().asInternal();
            CqlInsert.Value value = insert == null
                    ? conditions.map(found -> compared(found, name)).orElse(null)
                    : insert.value(name).orElse(null);
            ByteBuffer bytes = value == null ? null : bytes(statement, value, column);
            if (bytes == null) {
                return new Written(writes, insert != null, null);
            }
            key.add(named(bytes, column, table));
        }
        return new Written(writes, insert != null, key);
    }

    private static CqlInsert.@Nullable Value compared(RowConditions conditions, String column) {
        return conditions.where().stream()
                .filter(each -> each.column().equals(column) && each.operator() == RowConditions.Operator.EQUAL)
                .map(each -> each.values().get(0))
                .findFirst()
                .orElse(null);
    }

    /** Cassandra compares bytes of the partition key, and numbers of the other columns: there 1.5 and 1.50 are one row. */
    private Object named(ByteBuffer bytes, ColumnMetadata column, TableMetadata table) {
        if (!column.getType().equals(DataTypes.DECIMAL)
                || table.getPartitionKey().contains(column)) {
            return bytes;
        }
        BigDecimal number = codecs().codecFor(DataTypes.DECIMAL, BigDecimal.class)
                .decode(bytes, session.getContext().getProtocolVersion());
        return number == null ? bytes : number.stripTrailingZeros();
    }

    private @Nullable ByteBuffer bytes(BatchableStatement<?> statement, CqlInsert.Value value, ColumnMetadata column) {
        try {
            if (value instanceof CqlInsert.Value.Marker marker) {
                if (statement instanceof BoundStatement bound) {
                    return bound.isSet(marker.index()) ? bound.getBytesUnsafe(marker.index()) : null;
                }
                Object given = given((SimpleStatement) statement, marker, column);
                return given == null ? null : encoded(codecs().codecFor(column.getType(), given), given);
            }
            String literal = value instanceof CqlInsert.Value.IntegerLiteral number
                    ? number.value().toString()
                    : value instanceof CqlInsert.Value.Term term ? term.text() : null;
            return literal == null ? null : parsed(literal, column.getType());
        } catch (IllegalArgumentException | CodecNotFoundException e) {
            // A function of the server, or what it refuses.
            return null;
        }
    }

    private @Nullable ByteBuffer parsed(String literal, DataType type) {
        TypeCodec<Object> codec = codecs().codecFor(type);
        return encoded(codec, codec.parse(literal));
    }

    private @Nullable ByteBuffer encoded(TypeCodec<Object> codec, @Nullable Object value) {
        return codec.encode(value, session.getContext().getProtocolVersion());
    }

    /** Cassandra names a {@code ?} after its column. */
    private static @Nullable Object given(
            SimpleStatement statement, CqlInsert.Value.Marker marker, ColumnMetadata column) {
        List<Object> positional = statement.getPositionalValues();
        if (!positional.isEmpty()) {
            return marker.index() < positional.size() ? positional.get(marker.index()) : null;
        }
        String name = marker.name();
        return statement.getNamedValues().get(name == null ? column.getName() : CqlIdentifier.fromInternal(name));
    }

    private CodecRegistry codecs() {
        return session.getContext().getCodecRegistry();
    }
}
