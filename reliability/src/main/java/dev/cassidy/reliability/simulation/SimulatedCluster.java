package dev.cassidy.reliability.simulation;

import dev.cassidy.sequence.Claim;
import dev.cassidy.sequence.Grant;
import dev.cassidy.sequence.Reserve;
import dev.cassidy.sequence.Span;
import dev.cassidy.sequence.Stripe;
import dev.cassidy.sequence.Tails;
import dev.cassidy.sequence.Usage;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The rows of one sequence, as the tables hold them: what any statement may write, also a wrong one. */
final class SimulatedCluster {

    final String name;
    final long max;
    int incarnation = 1;
    long next;
    boolean ready = true;
    boolean gone;
    private final Map<GrantKey, Grant> grants = new HashMap<>();

    SimulatedCluster(String name, long max) {
        this.name = name;
        this.max = max;
    }

    /** As the registry does it: the incarnation moves with the position, in one compare-and-set. */
    void raise(long ordinal) {
        incarnation++;
        next = ordinal;
    }

    record GrantKey(String datacenter, int stripe, int incarnation, int number) {}

    Map<GrantKey, Grant> grants() {
        return grants;
    }

    @Nullable
    Grant grant(String datacenter, int stripe, int incarnation, int number) {
        return grants.get(new GrantKey(datacenter, stripe, incarnation, number));
    }

    void put(String datacenter, int stripe, Grant grant) {
        grants.put(new GrantKey(datacenter, stripe, grant.incarnation(), grant.number()), grant);
    }

    int highestGrant(String datacenter, int stripe, int incarnation) {
        int number = 0;
        for (GrantKey key : grants.keySet()) {
            if (key.incarnation() == incarnation
                    && key.stripe() == stripe
                    && key.datacenter().equals(datacenter)) {
                number = Math.max(number, key.number());
            }
        }
        return number;
    }

    /** Returns what a backup would hold of the global row. */
    SimulatedCluster copy() {
        SimulatedCluster copy = new SimulatedCluster(name, max);
        copy.restore(this);
        return copy;
    }

    void restore(SimulatedCluster backup) {
        incarnation = backup.incarnation;
        next = backup.next;
        grants.clear();
        grants.putAll(backup.grants);
    }

    /** One datacenter's rows. */
    static final class Datacenter {
        final String name;
        boolean cutOff;
        /** A stripe that was never joined, or was deleted, is not in it. */
        final Map<Stripe, Partition> partitions = new HashMap<>();

        Datacenter(String name) {
            this.name = name;
        }

        /** Returns the row of a stripe that was joined. */
        Partition row(Stripe stripe) {
            return Objects.requireNonNull(partitions.get(stripe));
        }
    }

    record ClaimKey(int incarnation, long lo) {
        static ClaimKey of(Claim claim) {
            return new ClaimKey(claim.incarnation(), claim.span().lo());
        }
    }

    /** A stripe's reserve: the static columns, and a row for each claim. */
    static final class Partition {
        private static final long NONE = -1;

        int incarnation;
        long next;
        long hi;
        long nlo = NONE;
        long nhi = NONE;
        int grantNumber;
        Tails tails = Tails.NONE;
        Usage usage = Usage.NONE;
        final Map<ClaimKey, Claim> claims = new HashMap<>();

        Partition(int incarnation, int grantNumber) {
            reset(incarnation, grantNumber);
        }

        void reset(int newIncarnation, int newGrantNumber) {
            incarnation = newIncarnation;
            next = 0;
            hi = 0;
            nlo = NONE;
            nhi = NONE;
            grantNumber = newGrantNumber;
            tails = Tails.NONE;
            usage = Usage.NONE;
        }

        boolean hasUpcoming() {
            return nlo != NONE;
        }

        void absorb(Grant grant) {
            nlo = grant.span().lo();
            nhi = grant.span().hi();
            grantNumber = grant.number();
        }

        void rollOver(long newHi) {
            hi = newHi;
            nlo = NONE;
            nhi = NONE;
        }

        boolean holds(Claim claim) {
            Claim found = claims.get(ClaimKey.of(claim));
            return found != null && found.token().equals(claim.token());
        }

        void put(Claim claim) {
            claims.put(ClaimKey.of(claim), claim);
        }

        void remove(Claim claim) {
            claims.remove(ClaimKey.of(claim));
        }

        /** Whether a statement has written what is no reserve. */
        boolean isSpoiled() {
            return next > hi || nlo > nhi;
        }

        /** @throws IllegalArgumentException if it is spoiled */
        Reserve reserve() {
            return new Reserve(
                    incarnation,
                    new Span(next, hi),
                    hasUpcoming() ? new Span(nlo, nhi) : null,
                    grantNumber,
                    tails,
                    usage);
        }

        Partition copy() {
            Partition copy = new Partition(incarnation, grantNumber);
            copy.next = next;
            copy.hi = hi;
            copy.nlo = nlo;
            copy.nhi = nhi;
            copy.tails = tails;
            copy.usage = usage;
            copy.claims.putAll(claims);
            return copy;
        }
    }
}
