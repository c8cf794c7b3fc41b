package dev.cassidy.sequence.protocol;

import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.store.Claim;
import dev.cassidy.sequence.store.SequenceCatalog;
import dev.cassidy.sequence.store.SequenceEntry;
import dev.cassidy.sequence.store.Span;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import net.bytebuddy.asm.Advice;

/**
 * Bugs to be woven into the allocator's and the registry's own classes, each at the end or in the place of one of its methods. In this
 * package since they see what the method sees.
 */
public final class Mutations {

    private Mutations() {}

    /** {@code Blocks.publish}: the block stays the next one, and is published again. */
    public static final class PublishedAgain {
        @Advice.OnMethodExit
        static void exit(
                @Advice.Argument(0) Block block,
                @Advice.FieldValue("spec") SequenceSpec spec,
                @Advice.FieldValue(value = "next", readOnly = false) Block next) {
            next = new Block(spec, block.claim, Long.MAX_VALUE);
        }
    }

    /** {@code Blocks.endBlocks}: what was unused goes on being served, although it is given back. */
    public static final class ServedOn {
        @Advice.OnMethodEnter
        static Block enter(@Advice.FieldValue("spec") SequenceSpec spec, @Advice.FieldValue("current") Block current) {
            Span span = current.claim.span();
            Span unused = new Span(span.lo() + current.drawn(), span.hi());
            Claim claim = new Claim(current.claim.incarnation(), unused, current.claim.token());
            return unused.isEmpty() ? current : new Block(spec, claim, Long.MAX_VALUE);
        }

        @Advice.OnMethodExit
        static void exit(
                @Advice.Enter Block unused, @Advice.FieldValue(value = "current", readOnly = false) Block current) {
            current = unused.isExhausted() ? current : unused;
        }
    }

    /** {@code Chunk.revoke}: what a thread has drawn ahead is issued, whatever became of the block. */
    public static final class NeverRevoked {
        @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
        static boolean enter() {
            return true;
        }
    }

    /** {@code Block.hasChunks}: a claim is forgotten while threads still have ids of it. */
    public static final class NothingTaken {
        @Advice.OnMethodExit
        static void exit(@Advice.Return(readOnly = false) boolean taken) {
            taken = false;
        }
    }

    /** {@code Blocks.giveBack}: nothing is given back. */
    public static final class NothingReturned {
        @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
        static boolean enter() {
            return true;
        }

        @Advice.OnMethodExit
        static void exit(@Advice.Return(readOnly = false) CompletionStage<Void> returned) {
            returned = CompletableFuture.completedFuture(null);
        }
    }

    /** {@code Blocks.giveBackIdle}: what is idle is kept. */
    public static final class IdleKept {
        @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
        static boolean enter() {
            return true;
        }
    }

    /** {@code Tails.choose}: a tail may lie before what was issued. */
    public static final class TailsOutOfOrder {
        @Advice.OnMethodEnter
        static void enter(@Advice.Argument(value = 1, readOnly = false) long above) {
            above = 0;
        }
    }

    /** {@code Span.first}: a claim or a grant may reach beyond its range. */
    public static final class Unclipped {
        @Advice.OnMethodExit
        static void exit(
                @Advice.This Span span, @Advice.Argument(0) long most, @Advice.Return(readOnly = false) Span first) {
            first = new Span(span.lo(), span.lo() + most);
        }
    }

    /** {@code RangeClaimer.Attempt.expired}: whoever is not first gives up. */
    public static final class NeverTriedAgain {
        @Advice.OnMethodExit
        static void exit(@Advice.Return(readOnly = false) boolean expired) {
            expired = true;
        }
    }

    /** {@code Blocks.mayTryAgain}: the waiter gives up with the claim. */
    public static final class NoTimeLeft {
        @Advice.OnMethodExit
        static void exit(@Advice.Return(readOnly = false) boolean again) {
            again = false;
        }
    }

    /** {@code Blocks.accept}: forgets what it claimed, and what it issued of that. */
    public static final class ClaimsNotRemembered {
        @Advice.OnMethodEnter
        static void enter(
                @Advice.FieldValue(value = "claimedUpTo", readOnly = false) long claimedUpTo,
                @Advice.FieldValue(value = "servedUpTo", readOnly = false) long servedUpTo) {
            claimedUpTo = 0;
            servedUpTo = 0;
        }
    }

    /** {@code Reserve.highest}: does not know how far it was granted. */
    public static final class GrantsNotRemembered {
        @Advice.OnMethodExit
        static void exit(@Advice.Return(readOnly = false) long highest) {
            highest = 0;
        }
    }

    /** {@code Reserve.canAbsorb}: a grant is absorbed whatever was absorbed last. */
    public static final class AnyGrantWillDo {
        @Advice.OnMethodExit
        static void exit(@Advice.Return(readOnly = false) boolean can) {
            can = true;
        }
    }

    /** {@code Refiller.requireKnown}: does not look for its last grant. */
    public static final class GrantNotLookedFor {
        @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
        static boolean enter() {
            return true;
        }

        @Advice.OnMethodExit
        static void exit(@Advice.Return(readOnly = false) CompletionStage<Void> known) {
            known = CompletableFuture.completedFuture(null);
        }
    }

    /** {@code RaiseProgress.datacentersBehind}: a raise is complete as soon as it is asked about. */
    public static final class NobodyBehind {
        @Advice.OnMethodExit
        static void exit(@Advice.Return(readOnly = false) CompletionStage<List<String>> behind) {
            behind = CompletableFuture.completedFuture(List.of());
        }
    }

    /** {@code RaiseProgress.datacentersBehind}: nobody has to let go of a sequence that was dropped. */
    public static final class NobodyBehindADrop {
        @Advice.OnMethodExit
        static void exit(
                @Advice.Argument(0) SequenceEntry entry,
                @Advice.Return(readOnly = false) CompletionStage<List<String>> behind) {
            behind = entry.dropped() ? CompletableFuture.completedFuture(List.of()) : behind;
        }
    }

    /** {@code SequenceRegistry.requirePast}: a sequence that was dropped may begin again where it was. */
    public static final class AnywhereWillDo {
        @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
        static boolean enter() {
            return true;
        }
    }

    /** {@code Incarnations.sameGeneration}: what was created again counts as the same sequence. */
    public static final class OneGeneration {
        @Advice.OnMethodExit
        static void exit(@Advice.Return(readOnly = false) boolean same) {
            same = true;
        }
    }

    /** {@code SequenceEntry.untouched}: a seed takes no notice of what was granted. */
    public static final class AlwaysUntouched {
        @Advice.OnMethodExit
        static void exit(@Advice.Return(readOnly = false) boolean untouched) {
            untouched = true;
        }
    }

    /** {@code Leftovers.removeBefore}: what was left behind stays. */
    public static final class NothingRemoved {
        @Advice.OnMethodEnter
        static void enter(@Advice.Argument(value = 0, readOnly = false) int incarnation) {
            incarnation = 0;
        }
    }

    /** {@code Raises.recallPast}, {@code seed} and {@code restart}: one id less than was asked for. */
    public static final class OneIdLess {
        @Advice.OnMethodEnter
        static void enter(@Advice.Argument(value = 1, readOnly = false) long id) {
            id--;
        }
    }

    /** {@code Raises.write}: acknowledges for its own datacenter, whichever was named. */
    public static final class ForItself {
        @Advice.OnMethodEnter
        static void enter(
                @Advice.FieldValue("catalog") SequenceCatalog catalog,
                @Advice.Argument(value = 1, readOnly = false) String datacenter) {
            datacenter = catalog.datacenter();
        }
    }

    /** {@code Leftovers.add} and {@code Leftovers.abandoned}: a claim that is given up is forgotten. */
    public static final class NotRemembered {
        @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
        static boolean enter() {
            return true;
        }
    }
}
