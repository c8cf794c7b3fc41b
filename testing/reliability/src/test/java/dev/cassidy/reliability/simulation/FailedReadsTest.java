package dev.cassidy.reliability.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class FailedReadsTest {

    private static final Duration LONG = Duration.ofNanos(10);

    private final FailedReads reads = new FailedReads();

    @Test
    void shouldLastFromTheFirstFailureToTheLast() {
        reads.failed(100);
        reads.failed(109);
        assertThat(reads.lastedAfter(0, LONG)).isFalse();

        reads.failed(110);
        assertThat(reads.lastedAfter(0, LONG)).isTrue();
    }

    @Test
    void shouldBeginAnewAfterASuccess() {
        reads.failed(100);
        reads.succeeded();
        reads.failed(115);
        assertThat(reads.lastedAfter(0, LONG)).isFalse();

        reads.failed(125);
        reads.succeeded();
        reads.failed(200);
        assertThat(reads.lastedAfter(0, LONG)).isTrue();
    }

    @Test
    void shouldIgnoreEarlierFailures() {
        reads.failed(100);
        int before = reads.count();
        reads.failed(110);
        assertThat(reads.lastedAfter(before, LONG)).isFalse();

        reads.failed(120);
        assertThat(reads.lastedAfter(before, LONG)).isTrue();
    }
}
