package dev.cassidy.transaction;

import dev.cassidy.definition.CountMark;
import dev.cassidy.definition.RowMark;
import dev.cassidy.table.TableWrites;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.Comparator;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What a transaction does to one row of an exact table. Names of columns are internal ones (case-exact, unquoted), and bytes are in
 * the columns' native encoding of CQL. Immutable: maps are copied, and nobody may change the bytes that are given.
 *
 * @param table the table, as its contract has it
 * @param key every column of the primary key, in its order; none is null
 * @param partitionColumns how many columns of the key, from the first, are the partition key
 * @param expected what the transaction has read of the row and relies on: the commit is refused if a column has another value. Null
 *     expects null. Empty for {@link Kind#FRESH} and {@link Kind#INSERT}. The mark ({@link RowMark#COLUMN}), a free one, may be among them:
 *     then no other transaction may have held the row since it was read
 * @param kind what happens to the row
 * @param values the columns that are written; null empties one. Without columns of the key, and without the mark
 * @param tableId which table of the name it is: one that is made anew under the name has another. Null if that is not known
 */
public record RowChange(
        TableWrites table,
        Map<String, ByteBuffer> key,
        int partitionColumns,
        Map<String, @Nullable ByteBuffer> expected,
        Kind kind,
        Map<String, @Nullable ByteBuffer> values,
        @Nullable UUID tableId) {

    /** By table, and within it by the bytes of the key, unsigned: the one order in which all transactions lock rows. */
    public static final Comparator<RowChange> GLOBAL_ORDER = Comparator.comparing(
                    (RowChange row) -> row.table().keyspace())
            .thenComparing(row -> row.table().table())
            .thenComparing(RowChange::key, RowChange::compareKeys);

    /** What happens to a row. */
    public enum Kind {
        /** A row of an id that was drawn for it: nobody else can know it, so that it needs no lock and no condition. */
        FRESH,
        /** A row of a key that the user gave. No row may have it. */
        INSERT,
        /** Some columns of a row that exists. */
        UPDATE,
        /** A row that exists is deleted. */
        DELETE,
        /** A row that exists gets new values in all columns; those that are not given become null. */
        REPLACE,
        /** Nothing is written, but the row must exist, as it was expected, when the transaction commits. */
        CHECK;

        /** Returns whether the row must be there before. */
        public boolean needsRow() {
            return this != FRESH && this != INSERT;
        }

        /** Returns whether all columns are written, and null in those that are not given. */
        public boolean writesAllColumns() {
            return this == FRESH || this == INSERT || this == REPLACE;
        }
    }

    /** As the other, of a table whose id is not known. */
    public RowChange(
            TableWrites table,
            Map<String, ByteBuffer> key,
            int partitionColumns,
            Map<String, @Nullable ByteBuffer> expected,
            Kind kind,
            Map<String, @Nullable ByteBuffer> values) {
        this(table, key, partitionColumns, expected, kind, values, null);
    }

    /** @throws IllegalArgumentException if the parts contradict each other */
    public RowChange {
        Objects.requireNonNull(table, "table");
        Objects.requireNonNull(kind, "kind");
        key = copy(key);
        expected = copy(expected);
        values = copy(values);
        if (key.isEmpty() || key.containsValue(null)) {
            throw new IllegalArgumentException("must have a value for each column of the key: table " + table.name());
        }
        if (partitionColumns < 1 || partitionColumns > key.size()) {
            throw new IllegalArgumentException("must be from 1 to " + key.size() + ": partitionColumns="
                    + partitionColumns + " of table " + table.name());
        }
        for (String column : values.keySet()) {
            if (key.containsKey(column) || column.equals(RowMark.COLUMN)) {
                throw new IllegalArgumentException("must not be written, as a column of the key or the mark: " + column
                        + " of table " + table.name());
            }
        }
        if (expected.containsKey(RowMark.COLUMN) && !LockMark.isFree(expected.get(RowMark.COLUMN))) {
            throw new IllegalArgumentException(
                    "must expect a free mark: " + RowMark.COLUMN + " of table " + table.name());
        }
        if (!kind.needsRow() && !expected.isEmpty()) {
            throw new IllegalArgumentException(
                    "must expect nothing of a row that is new: " + expected.keySet() + " of table " + table.name());
        }
        boolean none = kind == Kind.DELETE || kind == Kind.CHECK;
        if (none != values.isEmpty() && (none || kind == Kind.UPDATE)) {
            throw new IllegalArgumentException(
                    "must write " + (none ? "no columns" : "a column") + ": " + kind + " of table " + table.name());
        }
    }

    private static <V extends @Nullable ByteBuffer> Map<String, V> copy(Map<String, V> map) {
        return Collections.unmodifiableMap(new LinkedHashMap<>(map));
    }

    /**
     * Returns what a transaction adds to a counter of a column: a row of its own of the counter, which is written as a row of a drawn id
     * is. So any process that ends the transaction may write it, and it counts once.
     *
     * @param counted the table whose column counts
     * @param actor under which nobody else writes this version
     */
    public static RowChange addition(TableWrites counted, String counter, String actor, long version, long delta) {
        Map<String, ByteBuffer> key = new LinkedHashMap<>();
        key.put("type", ByteBuffer.wrap(counter.getBytes(StandardCharsets.UTF_8)));
        key.put("actor", ByteBuffer.wrap(actor.getBytes(StandardCharsets.UTF_8)));
        key.put("version", number(version));
        return new RowChange(
                new TableWrites(counted.keyspace(), CountMark.tableOf(counted.table()), counted.home(), null, false),
                key,
                1,
                Map.of(),
                Kind.FRESH,
                Map.of("increment", number(delta)));
    }

    private static ByteBuffer number(long value) {
        return ByteBuffer.allocate(Long.BYTES).putLong(0, value);
    }

    /** Returns whether it is one of {@link #addition}: it has no mark, and the order of its table's writes is of no matter. */
    public boolean isAddition() {
        return kind == Kind.FRESH && CountMark.isTable(table.table());
    }

    /** Returns the same change, of the table of this id. */
    public RowChange withTableId(UUID id) {
        return new RowChange(table, key, partitionColumns, expected, kind, values, id);
    }

    /** Returns whether both are of one row. */
    public boolean isOfSameRow(RowChange other) {
        return isOfSameTable(other) && key.equals(other.key);
    }

    /** Returns whether both are of rows of one partition. */
    public boolean isOfSamePartition(RowChange other) {
        if (!isOfSameTable(other) || partitionColumns != other.partitionColumns) {
            return false;
        }
        return key.entrySet().stream().limit(partitionColumns).allMatch(column -> column.getValue()
                .equals(other.key.get(column.getKey())));
    }

    private boolean isOfSameTable(RowChange other) {
        return table.keyspace().equals(other.table.keyspace()) && table.table().equals(other.table.table());
    }

    /** Returns the table and the key, the latter in hexadecimal, for messages. */
    public String name() {
        StringBuilder name = new StringBuilder(table.name()).append(' ');
        key.forEach((column, bytes) -> {
            name.append(column).append("=0x");
            ByteBuffer left = bytes.duplicate();
            while (left.hasRemaining()) {
                name.append(String.format("%02x", left.get()));
            }
            name.append(' ');
        });
        return name.substring(0, name.length() - 1);
    }

    private static int compareKeys(Map<String, ByteBuffer> one, Map<String, ByteBuffer> other) {
        Iterator<ByteBuffer> others = other.values().iterator();
        for (ByteBuffer bytes : one.values()) {
            if (!others.hasNext()) {
                return 1;
            }
            int compared = compareUnsigned(bytes.duplicate(), others.next().duplicate());
            if (compared != 0) {
                return compared;
            }
        }
        return others.hasNext() ? -1 : 0;
    }

    private static int compareUnsigned(ByteBuffer one, ByteBuffer other) {
        while (one.hasRemaining() && other.hasRemaining()) {
            int compared = Integer.compare(Byte.toUnsignedInt(one.get()), Byte.toUnsignedInt(other.get()));
            if (compared != 0) {
                return compared;
            }
        }
        return Integer.compare(one.remaining(), other.remaining());
    }
}
