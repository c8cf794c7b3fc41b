package dev.cassidy.snowflake.protocol;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import net.bytebuddy.asm.Advice;

/** Bugs to be woven into the sequencer's own classes, each at the end or in the place of one of its methods. */
public final class SnowflakeMutations {

    private SnowflakeMutations() {}

    /** {@code NodeAssigner.isOverdue}: another's grant is skipped while its grantee is at it. */
    public static final class NobodyIsWaitedFor {
        @Advice.OnMethodExit
        static void exit(@Advice.Return(readOnly = false) boolean overdue) {
            overdue = true;
        }
    }

    /** {@code NodeAssigner$Acquisition.skip}: a grant whose grantee died holds up everybody. */
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

    /** {@code LeasedSequencer.lookWhetherDestroyed}: nobody looks. */
    public static final class NobodyLooks {
        @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
        static boolean enter() {
            return true;
        }
    }

    /** {@code LeasedSequencer.noticeDestroyed}: who was told goes on. */
    public static final class NobodyHeeds {
        @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
        static boolean enter() {
            return true;
        }
    }
}
