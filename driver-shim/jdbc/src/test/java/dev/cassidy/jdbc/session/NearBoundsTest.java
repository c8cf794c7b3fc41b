package dev.cassidy.jdbc.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class NearBoundsTest {

    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5);
    private final NearBounds near = new NearBounds(nanos::get);

    @Test
    void shouldWarnOnceAnHourOfEachStatementAndPart() {
        assertThat(near.isDue("one", 50)).isTrue();
        assertThat(near.isDue("one", 50)).isFalse();
        assertThat(near.isDue("one", 80)).isTrue();
        assertThat(near.isDue("other", 50)).isTrue();

        nanos.addAndGet(Duration.ofMinutes(59).toNanos());
        assertThat(near.isDue("one", 50)).isFalse();
        nanos.addAndGet(Duration.ofMinutes(1).toNanos());
        assertThat(near.isDue("one", 50)).isTrue();
        nanos.addAndGet(Duration.ofMinutes(59).toNanos());
        assertThat(near.isDue("one", 50)).as("an hour after the last warning").isFalse();
    }

    @Test
    void shouldRememberAsManyStatementsAsFitInMemory() {
        for (int i = 0; i <= 1_000; i++) {
            assertThat(near.isDue("statement " + i, 50)).isTrue();
        }
        assertThat(near.isDue("statement 1", 50)).as("one that is remembered").isFalse();
        assertThat(near.isDue("statement 0", 50))
                .as("the one that was said first")
                .isTrue();
    }
}
