package dev.cassidy.snowflake.protocol;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import net.bytebuddy.asm.Advice;

/** Bugs that are woven into the sequencer's own classes. Each one changes the end of a method, or replaces its body. */
public final class SnowflakeMutations {

    private SnowflakeMutations() {}

    /** {@code NodeAssigner.isOverdue}: a grant of another process is skipped while that process absorbs it. */
    public static final class NobodyIsWaitedFor {
        @Advice.OnMethodExit
        static void exit(@Advice.Return(readOnly = false) boolean overdue) {
            overdue = true;
        }
    }

    /** {@code NodeAssigner$Acquisition.skip}: a grant whose grantee died blocks all processes. */
    public static final class NothingSkipped {
        @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
        static boolean enter() {
            return true;
        }

        @Advice.OnMethodExit
        static void exit(@Advice.Return(readOnly = false) CompletionStage<?> skipped) {
            skipped = new CompletableFuture<>();
        }
    }

    /** {@code Renewer.acknowledged}: ids are issued up to a limit that may still be forgotten. */
    public static final class LimitsUsedAtOnce {
        @Advice.OnMethodExit
        static void exit(@Advice.Argument(0) Lease current, @Advice.Argument(1) long tsHigh) {
            current.proved(tsHigh);
        }
    }

    /** {@code LeaseKeeper.lookWhetherDestroyed}: no process looks. */
    public static final class NobodyLooks {
        @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
        static boolean enter() {
            return true;
        }
    }

    /** {@code LeaseKeeper.noticeDestroyed}: a process that has learned of it continues. */
    public static final class NobodyHeeds {
        @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
        static boolean enter() {
            return true;
        }
    }
}
