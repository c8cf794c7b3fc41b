package dev.cassidy.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class ExitHookTest {

    private static final Duration NEVER = Duration.ofMinutes(10);

    private final ExitHook hook = new ExitHook(System::nanoTime);

    /** Returns a thread that waits for the holds. */
    private Thread waiting(Duration begin) {
        Thread waiting = new Thread(() -> hook.awaitHolds(begin, NEVER));
        waiting.setDaemon(true);
        waiting.start();
        await().until(() -> waiting.getState() == Thread.State.TIMED_WAITING);
        return waiting;
    }

    @Test
    void shouldWaitForAHolderThatEnds() {
        ExitHook.Hold hold = hook.hold();
        hold.ending();
        Thread waiting = waiting(Duration.ZERO);

        hold.close();

        await().until(() -> !waiting.isAlive());
    }

    @Test
    void shouldWaitForTheNextHolderToBegin() {
        ExitHook.Hold first = hook.hold();
        ExitHook.Hold second = hook.hold();
        first.ending();
        Thread waiting = waiting(NEVER);

        first.close();
        second.ending();
        assertThat(waiting.isAlive()).isTrue();
        second.close();

        await().until(() -> !waiting.isAlive());
    }

    @Test
    void shouldNotWaitForAHolderThatNothingEnds() {
        ExitHook.Hold never = hook.hold();

        hook.awaitHolds(Duration.ZERO, NEVER);

        never.close();
    }
}
