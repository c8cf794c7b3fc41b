package dev.cassidy.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.cassidy.table.TableWrites;
import dev.cassidy.transaction.RowChange.Kind;
import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class RowChangeTest {

    private static final TableWrites TABLE = new TableWrites("ks", "t", "dc1", null, false);

    private static ByteBuffer bytes(int value) {
        return ByteBuffer.wrap(new byte[] {(byte) value});
    }

    private static RowChange at(TableWrites table, int partition, int clustering) {
        Map<String, ByteBuffer> key = new LinkedHashMap<>();
        key.put("p", bytes(partition));
        key.put("c", bytes(clustering));
        return new RowChange(table, key, 1, Map.of(), Kind.CHECK, Map.of());
    }

    private static void assertRefused(
            Map<String, ByteBuffer> key,
            int partitionColumns,
            Map<String, ByteBuffer> expected,
            Kind kind,
            Map<String, ByteBuffer> values,
            String message) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new RowChange(TABLE, key, partitionColumns, expected, kind, values))
                .withMessage(message);
    }

    @Test
    void shouldOrderByTableAndByTheBytesOfTheKeyUnsigned() {
        TableWrites later = new TableWrites("ks", "u", "dc1", null, false);
        List<RowChange> ordered = List.of(at(TABLE, 1, 2), at(TABLE, 1, 200), at(TABLE, 200, 0), at(later, 0, 0));

        assertThat(Stream.of(3, 1, 0, 2).map(ordered::get).sorted(RowChange.GLOBAL_ORDER))
                .isEqualTo(ordered);
    }

    @Test
    void shouldKnowRowsAndPartitions() {
        assertThat(at(TABLE, 1, 2).isOfSamePartition(at(TABLE, 1, 3))).isTrue();
        assertThat(at(TABLE, 1, 2).isOfSamePartition(at(TABLE, 2, 2))).isFalse();
        assertThat(at(TABLE, 1, 2).isOfSameRow(at(TABLE, 1, 3))).isFalse();
        assertThat(at(TABLE, 1, 2).isOfSameRow(at(TABLE, 1, 2))).isTrue();
        assertThat(at(TABLE, 1, 255).name()).isEqualTo("ks.t p=0x01 c=0xff");
    }

    @Test
    void shouldRefuseContradictions() {
        Map<String, ByteBuffer> key = Map.of("k", bytes(1));
        Map<String, ByteBuffer> value = Map.of("v", bytes(1));
        assertRefused(
                Map.of(),
                1,
                Map.of(),
                Kind.CHECK,
                Map.of(),
                "must have a value for each column of the key: table ks.t");
        assertRefused(
                Collections.singletonMap("k", null),
                1,
                Map.of(),
                Kind.CHECK,
                Map.of(),
                "must have a value for each column of the key: table ks.t");
        assertRefused(key, 2, Map.of(), Kind.CHECK, Map.of(), "must be from 1 to 1: partitionColumns=2 of table ks.t");
        assertRefused(
                key,
                1,
                Map.of(),
                Kind.UPDATE,
                key,
                "must not be written, as a column of the key or the mark: k of table ks.t");
        assertRefused(
                key,
                1,
                Map.of(),
                Kind.UPDATE,
                Map.of("cassidy_tx", bytes(1)),
                "must not be written, as a column of the key or the mark: cassidy_tx of table ks.t");
        assertRefused(key, 1, value, Kind.INSERT, value, "must expect nothing of a row that is new: [v] of table ks.t");
        assertRefused(key, 1, Map.of(), Kind.UPDATE, Map.of(), "must write a column: UPDATE of table ks.t");
        assertRefused(key, 1, Map.of(), Kind.DELETE, value, "must write no columns: DELETE of table ks.t");
        assertRefused(
                key,
                1,
                Map.of("cassidy_tx", new LockMark(new UUID(1, 2), false).toBytes()),
                Kind.CHECK,
                Map.of(),
                "must expect a free mark: cassidy_tx of table ks.t");
    }

    @Test
    void shouldCopyWhatItIsGiven() {
        Map<String, ByteBuffer> values = new LinkedHashMap<>(Map.of("v", bytes(1)));
        RowChange row = new RowChange(TABLE, Map.of("k", bytes(1)), 1, Map.of(), Kind.UPDATE, values);

        values.clear();

        assertThat(row.values()).containsOnlyKeys("v");
    }
}
