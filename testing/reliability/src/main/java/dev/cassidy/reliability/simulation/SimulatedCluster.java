package dev.cassidy.reliability.simulation;

import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.store.ChangeLog;
import dev.cassidy.sequence.store.Claim;
import dev.cassidy.sequence.store.Grant;
import dev.cassidy.sequence.store.GrantHistory;
import dev.cassidy.sequence.store.Numbering;
import dev.cassidy.sequence.store.Participation;
import dev.cassidy.sequence.store.Reserve;
import dev.cassidy.sequence.store.SequenceEntry;
import dev.cassidy.sequence.store.SequenceGlimpse;
import dev.cassidy.sequence.store.Span;
import dev.cassidy.sequence.store.Stripe;
import dev.cassidy.sequence.store.Tails;
import dev.cassidy.sequence.store.Usage;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The rows of one sequence, as the tables hold them: what any statement may write, also a wrong one. */
final class SimulatedCluster {

    private @Nullable SequenceEntry entry;
    /** The content of the entry's specification; kept, because it is needed for each grant. */
    private long max;
    /** By the first incarnation that they apply to; also those of generations that were dropped. */
    private final NavigableMap<Integer, SequenceSpec> specs = new TreeMap<>();
    /** Whether the row cannot be seen, though its grants can. */
    boolean gone;

    /** The first entry of each name that there is in these tables, also of other sequences. */
    private final Map<String, SequenceEntry> names;

    private final Map<GrantKey, Grant> grants = new HashMap<>();
    private final Set<Acknowledgement> acknowledgements = new LinkedHashSet<>();
    /** Ids past the end of a repaired sequence. */
    final List<GrantHistory.Taken> taken = new ArrayList<>();
    /** Those that are not lost for good. */
    List<Datacenter> datacenters = List.of();
    /** What replicas that missed writes may still return. */
    private final List<List<SequenceGlimpse>> glimpses = new ArrayList<>(List.of(List.of()));

    final Changes changes = new Changes();

    SimulatedCluster() {
        this(new HashMap<>());
    }

    /** @param names shared with the clusters that hold the other sequences of the same tables */
    SimulatedCluster(Map<String, SequenceEntry> names) {
        this.names = names;
    }

    /** The acknowledgement of a datacenter that holds nothing older than an incarnation. */
    record Acknowledgement(String datacenter, int incarnation) {}

    Optional<SequenceEntry> find(String name) {
        return Optional.ofNullable(gone ? null : entry)
                .filter(found -> found.name().equals(name))
                .or(() -> Optional.ofNullable(names.get(name)).filter(other -> !isHeld(other)));
    }

    private boolean isHeld(SequenceEntry other) {
        return entry != null && entry.name().equals(other.name());
    }

    /** Adds an entry of a name that has none. */
    void insert(SequenceEntry first) {
        names.put(first.name(), first);
        // An entry that stands for streams issues nothing, and never changes.
        if (first.streams() == 0) {
            write(first);
        }
    }

    /** Returns the row, whether it can be seen or not. */
    @Nullable
    SequenceEntry entry() {
        return entry;
    }

    long max() {
        return max;
    }

    /** Returns the specification of an incarnation's ordinals. */
    SequenceSpec spec(int incarnation) {
        return specs.floorEntry(incarnation).getValue();
    }

    void write(SequenceEntry written) {
        entry = written;
        max = written.spec().count();
        specs.putIfAbsent(written.incarnation(), written.spec());
        glimpses.add(List.of(SequenceGlimpse.of(written)));
    }

    void moveNext(long next) {
        SequenceEntry seen = Objects.requireNonNull(entry);
        entry = new SequenceEntry(
                seen.spec(),
                seen.incarnation(),
                seen.ready(),
                seen.dropped(),
                seen.streams(),
                next,
                seen.origin(),
                seen.floor());
    }

    List<List<SequenceGlimpse>> glimpses() {
        return gone ? List.of(List.of()) : glimpses;
    }

    boolean acknowledge(Acknowledgement made) {
        return acknowledgements.add(made);
    }

    Set<Acknowledgement> acknowledgements() {
        return acknowledgements;
    }

    /**
     * Whether every datacenter that was granted ids of an older incarnation has acknowledged the entry's. Of an older
     * generation none is left: 2^20 incarnations are one, as decision 7 says.
     */
    boolean isAcknowledged(SequenceEntry by) {
        return grants.keySet().stream()
                .filter(key ->
                        key.incarnation() < by.incarnation() && key.incarnation() >> 20 == by.incarnation() >> 20)
                .allMatch(key -> acknowledgements.stream()
                        .anyMatch(made ->
                                made.datacenter().equals(key.datacenter()) && made.incarnation() >= by.incarnation()));
    }

    /** Whether a datacenter was granted ids of an older incarnation of the entry's generation. */
    boolean held(Datacenter datacenter, SequenceEntry entry) {
        return grants.keySet().stream()
                .anyMatch(key -> key.datacenter().equals(datacenter.name)
                        && key.incarnation() < entry.incarnation()
                        && key.incarnation() >> 20 == entry.incarnation() >> 20);
    }

    /** Returns each datacenter's part in each incarnation. */
    List<Participation> participations() {
        Map<Acknowledgement, Boolean> granted = new LinkedHashMap<>();
        acknowledgements.forEach(made -> granted.put(made, false));
        grants.keySet().forEach(key -> granted.put(new Acknowledgement(key.datacenter(), key.incarnation()), true));
        return granted.entrySet().stream()
                .map(each -> new Participation(
                        each.getKey().incarnation(),
                        each.getKey().datacenter(),
                        each.getValue(),
                        acknowledgements.contains(each.getKey())))
                .toList();
    }

    /** A level's log of changes. */
    static final class Changes {
        /** The earlier marks, oldest first: replicas that missed writes may still return an older one. */
        final List<Optional<UUID>> marks = new ArrayList<>(List.of(Optional.empty()));

        final List<ChangeLog.Entry> log = new ArrayList<>();

        void add(ChangeLog.Entry entry) {
            marks.add(Optional.of(entry.id()));
            log.add(entry);
        }
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

    /** Returns what a backup of the global row would contain. */
    SimulatedCluster copy() {
        SimulatedCluster copy = new SimulatedCluster();
        copy.restore(this);
        return copy;
    }

    void restore(SimulatedCluster backup) {
        entry = backup.entry;
        max = backup.max;
        grants.clear();
        grants.putAll(backup.grants);
        acknowledgements.clear();
        acknowledgements.addAll(backup.acknowledgements);
    }

    /** One datacenter's rows. */
    static final class Datacenter {
        private static final int MAX_GLANCES = 5;

        final String name;
        /** Whether it cannot reach the other datacenters. */
        boolean cutOff;
        /** Whether its own replicas do not answer; what was sent to them may still be executed. */
        boolean silent;

        private final Map<Stripe, Deque<Optional<Reserve>>> glances = new HashMap<>();
        /** A stripe that was never joined, or was deleted, is not in it. */
        final Map<Stripe, Partition> partitions = new HashMap<>();

        private @Nullable SequenceEntry copy;
        private int acknowledged;
        private final List<List<SequenceGlimpse>> glimpses = new ArrayList<>(List.of(List.of()));
        final Changes changes = new Changes();

        Datacenter(String name) {
            this.name = name;
        }

        @Nullable
        SequenceEntry copy() {
            return copy;
        }

        /** A copy does not know the next and the origin. */
        void copy(SequenceEntry of) {
            copy = new SequenceEntry(
                    of.spec(), of.incarnation(), of.ready(), of.dropped(), 0, of.floor(), of.floor(), of.floor());
            glimpses.add(List.of(SequenceGlimpse.of(of, acknowledged)));
        }

        /** Notes it if the copy is of that incarnation. */
        boolean noteAcknowledged(int incarnation) {
            SequenceEntry now = copy;
            if (now == null || now.incarnation() != incarnation) {
                return false;
            }
            acknowledged = incarnation;
            copy(now);
            return true;
        }

        List<List<SequenceGlimpse>> glimpses() {
            return glimpses;
        }

        /** Returns the row of a stripe that was joined. */
        Partition row(Stripe stripe) {
            return Objects.requireNonNull(partitions.get(stripe));
        }

        /** Returns what unordered reads may see of a reserve, oldest first. */
        List<Optional<Reserve>> glanced(Stripe stripe, Optional<Reserve> now) {
            Deque<Optional<Reserve>> seen = glances.computeIfAbsent(stripe, none -> new ArrayDeque<>());
            seen.addLast(now);
            if (seen.size() > MAX_GLANCES) {
                seen.removeFirst();
            }
            return List.copyOf(seen);
        }
    }

    record ClaimKey(int incarnation, long lo) {
        static ClaimKey of(Claim claim) {
            return new ClaimKey(claim.incarnation(), claim.span().lo());
        }
    }

    /** A claim's row. */
    record Held(Claim claim, String holder, long at) {}

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
        Numbering numbering = Numbering.NONE;
        final Map<ClaimKey, Held> claims = new HashMap<>();
        /** Rows for claims whose rows were lost, under keys of their own. */
        final Map<ClaimKey, Held> lost = new HashMap<>();

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
            numbering = Numbering.NONE;
        }

        boolean hasUpcoming() {
            return nlo != NONE;
        }

        void become(Reserve reserve) {
            Span upcoming = reserve.upcoming();
            incarnation = reserve.incarnation();
            next = reserve.current().lo();
            hi = reserve.current().hi();
            nlo = upcoming == null ? NONE : upcoming.lo();
            nhi = upcoming == null ? NONE : upcoming.hi();
            grantNumber = reserve.grantNumber();
            tails = reserve.tails();
            usage = reserve.usage();
            numbering = reserve.numbering();
        }

        boolean holds(Claim claim) {
            Held found = claims.get(ClaimKey.of(claim));
            return found != null && found.claim().token().equals(claim.token());
        }

        void put(Claim claim, String holder, long at) {
            claims.put(ClaimKey.of(claim), new Held(claim, holder, at));
        }

        void remove(Claim claim) {
            claims.remove(ClaimKey.of(claim));
        }

        /** Whether a statement has written something that is no reserve. */
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
                    usage,
                    numbering);
        }

        Partition copy() {
            Partition copy = new Partition(incarnation, grantNumber);
            copy.next = next;
            copy.hi = hi;
            copy.nlo = nlo;
            copy.nhi = nhi;
            copy.tails = tails;
            copy.usage = usage;
            copy.numbering = numbering;
            copy.claims.putAll(claims);
            copy.lost.putAll(lost);
            return copy;
        }
    }
}
