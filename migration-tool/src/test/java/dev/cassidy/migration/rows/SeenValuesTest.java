package dev.cassidy.migration.rows;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.migration.error.MigrationException;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class SeenValuesTest {

    private static SeenValues room(long values) {
        return new SeenValues(values * SeenValues.BYTES_A_VALUE, "UNIQUE (a)");
    }

    @Test
    void shouldKnowWhatItHasSeen() {
        SeenValues seen = room(50_000);
        Set<RowSum.Hash> known = new HashSet<>();
        Random random = new Random(7);
        for (int i = 0; i < 30_000; i++) {
            // Half of them come again, and halves of a hash are often the same.
            RowSum.Hash hash = new RowSum.Hash(random.nextInt(100), random.nextInt(200));
            assertThat(seen.add(hash)).isEqualTo(known.add(hash));
        }
        for (int i = 0; i < 5_000; i++) {
            RowSum.Hash hash = new RowSum.Hash(random.nextLong(), random.nextLong());
            assertThat(seen.add(hash)).isEqualTo(known.add(hash));
            assertThat(seen.add(hash)).isFalse();
        }
    }

    @Test
    void shouldTellAHashOfZerosFromNone() {
        SeenValues seen = room(10);
        for (RowSum.Hash hash : List.of(new RowSum.Hash(0, 0), new RowSum.Hash(1, 0), new RowSum.Hash(0, 2))) {
            assertThat(seen.add(hash)).isTrue();
            assertThat(seen.add(hash)).isFalse();
        }
    }

    @Test
    void shouldRefuseWhatItHasNoRoomFor() {
        SeenValues seen = room(3);
        for (int i = 1; i <= 3; i++) {
            seen.add(new RowSum.Hash(i, i));
        }
        seen.add(new RowSum.Hash(3, 3));

        assertThatThrownBy(() -> seen.add(new RowSum.Hash(4, 4)))
                .isInstanceOfSatisfying(
                        MigrationException.class, e -> assertThat(e.exitCode()).isEqualTo(ExitCode.REFUSED))
                .hasMessageContaining("UNIQUE (a)")
                .hasMessageContaining("40 bytes")
                .hasMessageContaining("room for 3");
    }
}
