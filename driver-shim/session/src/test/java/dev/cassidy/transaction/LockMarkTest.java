package dev.cassidy.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LockMarkTest {

    private static final UUID ID = new UUID(0x0102030405060708L, 0x090a0b0c0d0e0f10L);

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldReadWhatItWrites(boolean placeholder) {
        LockMark lock = new LockMark(ID, placeholder);

        ByteBuffer bytes = lock.toBytes();

        assertThat(bytes.remaining()).isEqualTo(18);
        assertThat(LockMark.isLock(bytes)).isTrue();
        assertThat(LockMark.isFree(bytes)).isFalse();
        assertThat(LockMark.isPlaceholder(bytes)).isEqualTo(placeholder);
        assertThat(LockMark.of(bytes)).isEqualTo(lock);
        assertThat(bytes.position()).isZero();
    }

    /** The form is in clusters: it may not change. */
    @Test
    void shouldHaveThisForm() {
        byte[] expected = {1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 1};

        assertThat(new LockMark(ID, true).toBytes().array()).isEqualTo(expected);
    }

    @Test
    void shouldReadFromAnyPosition() {
        ByteBuffer within = ByteBuffer.allocate(20).put((byte) 9).put((byte) 9).put(new LockMark(ID, true).toBytes());
        within.flip().position(2);

        assertThat(LockMark.of(within.slice())).isEqualTo(new LockMark(ID, true));
        assertThat(LockMark.of(within)).isEqualTo(new LockMark(ID, true));
        assertThat(within.position()).isEqualTo(2);
    }

    /** Of two cells of one write timestamp the larger value wins. */
    @Test
    void shouldSortBelowEveryFreeMark() {
        byte[] largest = new LockMark(new UUID(-1, -1), true).toBytes().array();

        assertThat(Arrays.compareUnsigned(largest, new byte[] {(byte) 0xff})).isNegative();
    }

    /** Whoever has read one knows by it later whether the row was held meanwhile. */
    @Test
    void shouldHaveManyFreeMarks() {
        ByteBuffer free = LockMark.free(ID);
        ByteBuffer ofLock = LockMark.free(7L);
        ByteBuffer claim = LockMark.claim(ID);

        assertThat(List.of(free, ofLock, claim)).allMatch(LockMark::isFree).noneMatch(LockMark::isLock);
        assertThat(List.of(free, ofLock)).noneMatch(LockMark::isClaim);
        assertThat(LockMark.isClaim(claim)).isTrue();
        assertThat(LockMark.claimant(claim)).isEqualTo(ID.getMostSignificantBits());
        assertThat(LockMark.isClaim(new LockMark(ID, false).toBytes())).isFalse();
        assertThat(LockMark.isClaim(null)).isFalse();
        assertThat(LockMark.free(8L)).isNotEqualTo(ofLock).isEqualTo(LockMark.free(8L));
        assertThat(LockMark.free(new UUID(1, 2))).isNotEqualTo(free);
        assertThat(LockMark.claim(new UUID(1, 2))).isNotEqualTo(claim);
    }

    @Test
    void shouldTellFreeMarksFromOthers() {
        assertThat(LockMark.isFree(ByteBuffer.wrap(new byte[] {(byte) 0xff}))).isTrue();
        assertThat(LockMark.isFree(ByteBuffer.wrap(new byte[] {(byte) 0xff, 7})))
                .isTrue();
        assertThat(LockMark.isFree(null)).isFalse();
        assertThat(LockMark.isFree(ByteBuffer.allocate(0))).isFalse();
        assertThat(LockMark.isLock(null)).isFalse();
        assertThat(LockMark.isLock(ByteBuffer.allocate(0))).isFalse();
        assertThat(LockMark.isLock(ByteBuffer.wrap(new byte[] {1}))).isFalse();
        assertThat(LockMark.isPlaceholder(null)).isFalse();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LockMark.of(ByteBuffer.wrap(new byte[] {(byte) 0xff})))
                .withMessage("must be a lock, of 18 bytes after 0x01: 1 bytes");
    }
}
