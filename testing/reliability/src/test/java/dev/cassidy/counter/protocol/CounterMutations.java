package dev.cassidy.counter.protocol;

import dev.cassidy.counter.store.ActorRows.EpochSum;
import dev.cassidy.counter.store.CounterRow;
import dev.cassidy.counter.store.Fold;
import dev.cassidy.counter.store.SlotLease;
import dev.cassidy.counter.store.Versions;
import java.math.BigInteger;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import net.bytebuddy.asm.Advice;

/** Bugs that are woven into the classes of counters. In this package, so that they can access what the methods access. */
public final class CounterMutations {

    private CounterMutations() {}

    /** {@code Fence.confirm}: nobody looks whether the slot is still held. */
    public static final class NeverLooked {
        @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
        static boolean enter() {
            return true;
        }

        @Advice.OnMethodExit
        static void exit(@Advice.Return(readOnly = false) CompletionStage<Boolean> held) {
            held = CompletableFuture.completedFuture(true);
        }
    }

    /** {@code Settler.end}: the epoch of a running holder is taken for ended. */
    public static final class HeldTakenForEnded {
        @Advice.OnMethodExit
        static void exit(@Advice.Argument(0) SlotLease lease, @Advice.Return(readOnly = false) int end) {
            end = lease.epoch() + 1;
        }
    }

    /** {@code Group.mayBeWritten}: a row that may be written later gives its number to another. */
    public static final class NeverWritten {
        @Advice.OnMethodExit
        static void exit(@Advice.Return(readOnly = false) boolean maybe) {
            maybe = false;
        }
    }

    /** {@code EpochSum.fold}: an increment is deleted that is not in the sum. */
    public static final class OneTooFar {
        @Advice.OnMethodExit
        static void exit(@Advice.Return(readOnly = false) Optional<Fold> fold) {
            fold = fold.isEmpty()
                    ? fold
                    : Optional.of(new Fold(
                            fold.get().epoch(), fold.get().sum(), fold.get().upto() + 1));
        }
    }

    /** {@code ActorRows.sum}: what follows a gap is counted too. */
    public static final class GapsIgnored {
        @Advice.OnMethodExit
        static void exit(
                @Advice.Argument(0) int epoch,
                @Advice.Argument(1) List<CounterRow> rows,
                @Advice.Return(readOnly = false) EpochSum sum) {
            BigInteger all = BigInteger.ZERO;
            long last = 0;
            for (CounterRow row : rows) {
                boolean counts = Versions.isIncrement(row.version()) && Versions.number(row.version()) > sum.folded();
                boolean isBase = row.version() == Versions.base(epoch);
                if (row.increment() != null && (counts || isBase)) {
                    all = all.add(row.increment());
                    last = Math.max(last, isBase ? sum.folded() : Versions.number(row.version()));
                }
            }
            sum = new EpochSum(epoch, sum.folded(), all, last, 0);
        }
    }

    /** {@code Verdicts.spread}: a row that one replica has is taken for one that a majority has. */
    public static final class VisibleTakenForStored {
        @Advice.OnMethodExit
        static void exit(@Advice.Return(readOnly = false) Optional<CompletionStage<Void>> spread) {
            spread = spread.isEmpty() ? spread : Optional.of(CompletableFuture.completedFuture(null));
        }
    }

    /** {@code SlotKeeper.nextEpoch}: a new lease has the former one's epoch. */
    public static final class SameEpoch {
        @Advice.OnMethodExit
        static void exit(@Advice.Argument(0) SlotLease seen, @Advice.Return(readOnly = false) int epoch) {
            epoch = Math.max(1, seen.epoch());
        }
    }

    /** {@code SlotKeeper.nextEpoch}: the clock alone decides where epochs begin. */
    public static final class EpochByTheClockAlone {
        @Advice.OnMethodExit
        static void exit(
                @Advice.Argument(0) SlotLease seen,
                @Advice.Argument(1) Instant now,
                @Advice.Return(readOnly = false) int epoch) {
            epoch = (int) Math.max(seen.epoch() + 1L, Math.min(now.getEpochSecond() - 1_735_689_600, 1L << 30));
        }
    }

    /** {@code CheckedClock.now}: no node is asked. */
    public static final class ClockNotChecked {
        @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
        static boolean enter() {
            return true;
        }

        @Advice.OnMethodExit
        static void exit(
                @Advice.FieldValue("clock") InstantSource clock,
                @Advice.Return(readOnly = false) CompletionStage<CheckedClock.Now> told) {
            told = CompletableFuture.completedFuture(new CheckedClock.Now(clock.instant(), clock.instant()));
        }
    }

    /** {@code SlotKeeper.mistrusted}: a process whose clock was set goes on with its slot. */
    public static final class SetClockIgnored {
        @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
        static boolean enter() {
            return true;
        }
    }

    /** {@code HeldSlot.end}: a slot is given back while rows are unconfirmed. */
    public static final class NothingAwaited {
        @Advice.OnMethodExit
        static void exit(@Advice.FieldValue("drained") CompletableFuture<Void> drained) {
            drained.complete(null);
        }
    }
}
