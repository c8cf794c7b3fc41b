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
 * Bugs that are woven into the classes of the allocator and the registry, each at the end of a method or in its place.
 * They are in this package so that they can access what the methods access.
 */
public final class Mutations {

    private Mutations() {}

    /** {@code NextBlock.publish}: the block stays the next one, and is published again. */
    public static final class PublishedAgain {
        @Advice.OnMethodExit
        static void exit(
                @Advice.Argument(0) Block block,
                @Advice.FieldValue("spec") SequenceSpec spec,
                @Advice.FieldValue(value = "next", readOnly = false) Block next) {
            next = new Block(spec, block.claim, Long.MAX_VALUE);
        }
    }

    /** {@code CurrentBlock.end}: unused ids are still served, although they are given back. */
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

    /** {@code Chunk.revoke}: ids that a thread has drawn ahead are issued, whatever happened to the block. */
    public static final class NeverRevoked {
        @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
        static boolean enter() {
            return true;
        }
    }

    /** {@code Block.hasChunks}: a claim is forgotten while threads still hold ids of it. */
    public static final class NothingTaken {
        @Advice.OnMethodExit
        static void exit(@Advice.Return(readOnly = false) boolean taken) {
            taken = false;
        }
    }

    /** {@code Returns.giveBack}: nothing is given back. */
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

    /** {@code Blocks.giveBackIdle}: idle ids are kept. */
    public static final class IdleKept {
        @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
        static boolean enter() {
            return true;
        }
    }

    /** {@code Tails.choose}: a tail may lie before issued ids. */
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

    /** {@code RangeClaimer.Attempt.expired}: a claimer gives up if it is not first. */
    public static final class NeverTriedAgain {
        @Advice.OnMethodExit
        static void exit(@Advice.Return(readOnly = false) boolean expired) {
            expired = true;
        }
    }

    /** {@code Blocks.mayTryAgain}: the waiter gives up together with the claim. */
    public static final class NoTimeLeft {
        @Advice.OnMethodExit
        static void exit(@Advice.Return(readOnly = false) boolean again) {
            again = false;
        }
    }

    /** {@code NextBlock.accept}: forgets its claims, and which of their ids it issued. */
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

    /** {@code RaiseProgress.datacentersBehind}: a raise counts as complete at once. */
    public static final class NobodyBehind {
        @Advice.OnMethodExit
        static void exit(@Advice.Return(readOnly = false) CompletionStage<List<String>> behind) {
            behind = CompletableFuture.completedFuture(List.of());
        }
    }

    /**
     * {@code RaiseProgress.datacentersBehind}: a raise does not wait for processes that hold ids of a dropped sequence.
     */
    public static final class NobodyBehindADrop {
        @Advice.OnMethodExit
        static void exit(
                @Advice.Argument(0) SequenceEntry entry,
                @Advice.Return(readOnly = false) CompletionStage<List<String>> behind) {
            behind = entry.dropped() ? CompletableFuture.completedFuture(List.of()) : behind;
        }
    }

    /** {@code SequenceRegistry.requirePast}: a dropped sequence may begin again where it was. */
    public static final class AnywhereWillDo {
        @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
        static boolean enter() {
            return true;
        }
    }

    /** {@code Incarnations.sameGeneration}: a sequence that was created again counts as the same sequence. */
    public static final class OneGeneration {
        @Advice.OnMethodExit
        static void exit(@Advice.Return(readOnly = false) boolean same) {
            same = true;
        }
    }

    /** {@code SequenceEntry.untouched}: a seed ignores what was granted. */
    public static final class AlwaysUntouched {
        @Advice.OnMethodExit
        static void exit(@Advice.Return(readOnly = false) boolean untouched) {
            untouched = true;
        }
    }

    /** {@code Leftovers.removeBefore}: leftover rows stay. */
    public static final class NothingRemoved {
        @Advice.OnMethodEnter
        static void enter(@Advice.Argument(value = 0, readOnly = false) int incarnation) {
            incarnation = 0;
        }
    }

    /** {@code Raises.recallPast}, {@code seed} and {@code restart}: one id less than requested. */
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
