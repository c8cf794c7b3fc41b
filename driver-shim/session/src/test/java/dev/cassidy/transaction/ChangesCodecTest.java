package dev.cassidy.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.cassidy.table.TableWrites;
import dev.cassidy.transaction.RowChange.Kind;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ChangesCodecTest {

    private static final TableWrites TABLE = new TableWrites("ks", "Straße", "dc1", new UUID(1, 2), false);

    private static ByteBuffer bytes(int... values) {
        ByteBuffer bytes = ByteBuffer.allocate(values.length);
        for (int value : values) {
            bytes.put((byte) value);
        }
        return bytes.flip();
    }

    private static RowChange row(Kind kind, TableWrites table) {
        Map<String, ByteBuffer> key = new LinkedHashMap<>();
        key.put("z", bytes(1));
        key.put("a", bytes());
        boolean none = kind == Kind.DELETE || kind == Kind.CHECK;
        Map<String, ByteBuffer> values = new LinkedHashMap<>();
        if (!none) {
            values.put("Name", bytes(0, 255));
            values.put("gone", null);
        }
        return new RowChange(table, key, 1, Map.of(), kind, values);
    }

    @Test
    void shouldReadWhatItWrites() {
        List<RowChange> changes = Stream.concat(
                        Stream.of(Kind.values()).map(kind -> row(kind, TABLE)),
                        Stream.of(
                                row(Kind.UPDATE, new TableWrites("ks", "t", "", null, false)),
                                row(Kind.UPDATE, TABLE).withTableId(new UUID(3, 4))))
                .toList();

        ByteBuffer encoded = ChangesCodec.encode(changes);
        List<RowChange> decoded = ChangesCodec.decode(encoded);

        assertThat(decoded).isEqualTo(changes);
        assertThat(decoded.get(0).key().keySet()).containsExactly("z", "a");
        assertThat(encoded.position()).isZero();
    }

    /** What was expected is of no use to those who roll forward. */
    @Test
    void shouldLeaveOutWhatWasExpected() {
        RowChange row = new RowChange(TABLE, Map.of("k", bytes(1)), 1, Map.of("v", bytes(1)), Kind.DELETE, Map.of());

        assertThat(ChangesCodec.decode(ChangesCodec.encode(List.of(row))).get(0).expected())
                .isEmpty();
    }

    /** The form is in clusters: later releases have to read it. */
    @Test
    void shouldHaveThisForm() {
        RowChange row = new RowChange(
                new TableWrites("k", "t", "d", null, false),
                Map.of("i", bytes(7)),
                1,
                Map.of(),
                Kind.UPDATE,
                Collections.singletonMap("v", null));

        ByteBuffer encoded = ChangesCodec.encode(List.of(row));

        assertThat(HexFormat.of().formatHex(encoded.array()))
                .isEqualTo(
                        "01" + "00000001" + "000000016b" + "0000000174" + "0000000164" + "00" + "00" + "02" + "00000001"
                                + "00000001" + "0000000169" + "0000000107" + "00000001" + "0000000176" + "ffffffff");
    }

    @Test
    void shouldRefuseALaterVersionAndBrokenBytes() {
        byte[] encoded = ChangesCodec.encode(List.of(row(Kind.UPDATE, TABLE))).array();

        assertThatIllegalArgumentException()
                .isThrownBy(() -> ChangesCodec.decode(bytes(2, 0, 0, 0, 0)))
                .withMessageContaining("is of version 2, and this release of Cassidy reads version 1");
        for (int length = 0; length < encoded.length; length++) {
            ByteBuffer cut = ByteBuffer.wrap(Arrays.copyOf(encoded, length));
            assertThatIllegalArgumentException()
                    .as("length " + length)
                    .isThrownBy(() -> ChangesCodec.decode(cut))
                    .withMessageContaining("broken");
        }
    }

    @Test
    void shouldRefuseMoreThanALimit() {
        RowChange large = new RowChange(
                TABLE, Map.of("k", bytes(1)), 1, Map.of(), Kind.UPDATE, Map.of("v", ByteBuffer.allocate(4 << 20)));

        assertThatExceptionOfType(TransactionFailedException.class)
                .isThrownBy(() -> ChangesCodec.encode(List.of(large)))
                .withMessage("the rows of a transaction must have at most 4194304 bytes in all, and these 1 rows have"
                        + " more: nothing was written. Commit more often");
    }
}
