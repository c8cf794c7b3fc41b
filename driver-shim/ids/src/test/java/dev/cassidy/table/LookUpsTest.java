package dev.cassidy.table;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class LookUpsTest {

    private final AtomicLong time = new AtomicLong(-5);
    private final LookUps<String> lookUps = new LookUps<>(time::get);

    @Test
    void shouldLookANameUpOnceASecond() {
        assertThat(lookUps.begin("a")).isTrue();
        assertThat(lookUps.begin("a")).isFalse();
        assertThat(lookUps.begin("b")).isTrue();
        time.addAndGet(LookUps.PAUSE.toNanos() - 1);
        assertThat(lookUps.begin("a")).isFalse();
        time.addAndGet(1);
        assertThat(lookUps.begin("a")).isTrue();
        assertThat(lookUps.begin("a")).isFalse();
    }

    /** An injection, or a generator of statements, could make up any number of names. */
    @Test
    void shouldRememberALimitedNumberOfNames() {
        for (int i = 0; i < 3 * LookUps.MAX_NAMES; i++) {
            assertThat(lookUps.begin("name " + i)).isTrue();
            assertThat(lookUps.size()).isLessThanOrEqualTo(LookUps.MAX_NAMES);
        }
    }
}
