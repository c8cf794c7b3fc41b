package dev.cassidy.sequence.cassandra;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.cql.Row;
import dev.cassidy.async.Stages;
import dev.cassidy.cluster.Datacenters;
import dev.cassidy.lwt.CasOutcome;
import dev.cassidy.lwt.ConditionalStatements;
import dev.cassidy.lwt.ConditionalStatements.Cas;
import dev.cassidy.sequence.protocol.SequenceRegistry;
import dev.cassidy.sequence.store.Claim;
import dev.cassidy.sequence.store.ClaimOutcome;
import dev.cassidy.sequence.store.Grant;
import dev.cassidy.sequence.store.GrantStanding;
import dev.cassidy.sequence.store.Ledger;
import dev.cassidy.sequence.store.Numbering;
import dev.cassidy.sequence.store.RangeStore;
import dev.cassidy.sequence.store.Reserve;
import dev.cassidy.sequence.store.SequenceEntry;
import dev.cassidy.sequence.store.Span;
import dev.cassidy.sequence.store.Standing;
import dev.cassidy.sequence.store.Stripe;
import dev.cassidy.sequence.store.Tails;
import dev.cassidy.sequence.store.Usage;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The protocol's steps in CQL. Every condition names the incarnation, so that a reseed makes older steps fail. */
final class CassandraRangeStore implements RangeStore {

    /**
     * The value of {@code nlo} and {@code nhi} while there is no upcoming range. Never null: a null is a tombstone. If
     * that is purged before a replica has seen it, the range that it hid comes back and is issued again.
     */
    private static final long NONE = -1;

    static final String RESERVE = "inc, next, hi, nlo, nhi, grant_no, free, usage, start, increment";

    private static final String SET_RESERVE = "inc = ?, next = ?, hi = ?, nlo = ?, nhi = ?, grant_no = ?, free = ?,"
            + " usage = ?, start = ?, increment = ?";

    /** The holder in the rows of claims that were lost with their reserve. */
    static final String UNKNOWN_HOLDER = "unknown";

    private final ConditionalStatements global;
    private final ConditionalStatements local;
    private final String globalKeyspace;
    private final String localKeyspace;
    private final String datacenter;
    private final Datacenters datacenters;
    private final Supplier<String> holder;
    private final InstantSource clock;
    private final LongAdder conditionalWrites = new LongAdder();

    CassandraRangeStore(
            ConditionalStatements global,
            ConditionalStatements local,
            String globalKeyspace,
            String localKeyspace,
            String datacenter,
            Datacenters datacenters,
            Supplier<String> holder,
            InstantSource clock) {
        this.global = global;
        this.local = local;
        this.globalKeyspace = globalKeyspace;
        this.localKeyspace = localKeyspace;
        this.datacenter = datacenter;
        this.datacenters = datacenters;
        this.holder = holder;
        this.clock = clock;
    }

    @Override
    public String holder() {
        return holder.get();
    }

    /** Returns how many conditional writes were sent. */
    long conditionalWrites() {
        return conditionalWrites.sum();
    }

    @Override
    public CompletionStage<Optional<Reserve>> reserve(Stripe stripe) {
        return explained(local.read(reserveQuery(), stripe.sequence(), stripe.number()))
                .thenApply(CassandraRangeStore::reserveOf);
    }

    @Override
    public CompletionStage<Optional<Reserve>> glance(Stripe stripe) {
        return explained(local.peek(ConsistencyLevel.LOCAL_QUORUM, reserveQuery(), stripe.sequence(), stripe.number()))
                .thenApply(CassandraRangeStore::reserveOf);
    }

    private String reserveQuery() {
        return "SELECT DISTINCT " + RESERVE + " FROM " + localKeyspace + ".reserve WHERE seq = ? AND stripe = ?";
    }

    private static Optional<Reserve> reserveOf(List<Row> rows) {
        return rows.stream().filter(row -> !row.isNull("inc")).findFirst().map(CassandraRangeStore::reserveOf);
    }

    static Reserve reserveOf(Row row) {
        long upcomingLo = row.getLong("nlo");
        Span upcoming = upcomingLo == NONE ? null : new Span(upcomingLo, row.getLong("nhi"));
        return new Reserve(
                row.getInt("inc"),
                new Span(row.getLong("next"), row.getLong("hi")),
                upcoming,
                row.getInt("grant_no"),
                tailsOf(Objects.requireNonNull(row.getList("free", Long.class))),
                Usage.of(Objects.requireNonNull(row.getList("usage", Long.class))),
                new Numbering(row.getLong("start"), row.getLong("increment")));
    }

    /** Tails are stored as lo, hi, lo, hi ... */
    static Tails tailsOf(List<Long> bounds) {
        List<Span> spans = new ArrayList<>();
        for (int i = 0; i + 1 < bounds.size(); i += 2) {
            spans.add(new Span(bounds.get(i), bounds.get(i + 1)));
        }
        return new Tails(spans);
    }

    private static List<Long> bounds(Tails tails) {
        return tails.spans().stream()
                .flatMap(span -> Stream.of(span.lo(), span.hi()))
                .toList();
    }

    @Override
    public CompletionStage<ClaimOutcome> claim(Stripe stripe, Reserve seen, Claim wanted, List<Claim> spent) {
        Reserve after = seen.without(wanted.span(), clock.instant().getEpochSecond() / 3_600);
        List<Cas> batch = new ArrayList<>();
        batch.add(change(stripe, seen, after));
        batch.add(new Cas(
                "INSERT INTO " + localKeyspace + ".reserve (seq, stripe, i, kind, lo, end, claim, holder, at)"
                        + " VALUES (?, ?, ?, 'c', ?, ?, ?, ?, ?) IF NOT EXISTS",
                stripe.sequence(),
                stripe.number(),
                wanted.incarnation(),
                wanted.span().lo(),
                wanted.span().hi(),
                wanted.token(),
                holder.get(),
                clock.instant()));
        spent.forEach(claim -> batch.add(removal(stripe, claim)));
        return step(batch, outcome -> claimOutcome(outcome, after, wanted, spent));
    }

    /**
     * The reserve is one value, compared as a whole and written as a whole. A replica that was killed may have
     * forgotten some writes and then receive only the last one. If that one wrote a part of the reserve, the other
     * parts would be older, and ordinals that were claimed or given back in between would be claimed again.
     */
    private Cas change(Stripe stripe, Reserve seen, Reserve after) {
        List<Object> values = new ArrayList<>(columns(after));
        values.add(stripe.sequence());
        values.add(stripe.number());
        values.addAll(columns(seen));
        return new Cas(
                "UPDATE " + localKeyspace + ".reserve SET " + SET_RESERVE + " WHERE seq = ? AND stripe = ?"
                        + " IF inc = ? AND next = ? AND hi = ? AND nlo = ? AND nhi = ? AND grant_no = ? AND free = ?"
                        + " AND usage = ? AND start = ? AND increment = ?",
                values);
    }

    private static List<Object> columns(Reserve reserve) {
        Span upcoming = reserve.upcoming();
        return List.of(
                reserve.incarnation(),
                reserve.current().lo(),
                reserve.current().hi(),
                upcoming == null ? NONE : upcoming.lo(),
                upcoming == null ? NONE : upcoming.hi(),
                reserve.grantNumber(),
                bounds(reserve.tails()),
                reserve.usage().toList(),
                reserve.numbering().start(),
                reserve.numbering().increment());
    }

    private CompletionStage<ClaimOutcome> step(List<Cas> batch, Function<CasOutcome, ClaimOutcome> judge) {
        conditionalWrites.increment();
        return explained(local.execute(batch.toArray(Cas[]::new))).thenApply(judge);
    }

    /**
     * @param after what an applied step left behind, if that is known
     * @param wanted the claim whose row was to be inserted
     * @param removed claims whose rows were to be removed
     */
    private static ClaimOutcome claimOutcome(
            CasOutcome outcome, @Nullable Reserve after, @Nullable Claim wanted, List<Claim> removed) {
        if (outcome instanceof CasOutcome.Applied) {
            return new ClaimOutcome.Claimed(after);
        }
        if (outcome instanceof CasOutcome.Refused refused) {
            List<Row> found = refused.found();
            if (wanted != null && isThere(wanted, found)) {
                return new ClaimOutcome.Unknown(new IllegalStateException(
                        "the claim was refused although its row is there: it was executed twice"));
            }
            return new ClaimOutcome.Lost(
                    found.stream()
                            .filter(row -> row.getColumnDefinitions().contains("grant_no") && !row.isNull("inc"))
                            .findFirst()
                            .map(CassandraRangeStore::reserveOf)
                            .orElse(null),
                    removed.stream().filter(claim -> !isThere(claim, found)).toList());
        }
        return outcome(outcome);
    }

    /** A refusal returns the rows that its conditions looked at, as far as they exist. */
    private static boolean isThere(Claim claim, List<Row> found) {
        return found.stream()
                .anyMatch(row -> row.getColumnDefinitions().contains("claim")
                        && claim.token().equals(row.getUuid("claim"))
                        && row.getInt("i") == claim.incarnation()
                        && row.getLong("lo") == claim.span().lo());
    }

    /** By its token: another process may have claimed the same span since, as a tail. */
    private Cas removal(Stripe stripe, Claim claim) {
        return new Cas(
                "DELETE FROM " + localKeyspace
                        + ".reserve WHERE seq = ? AND stripe = ? AND i = ? AND kind = 'c' AND lo = ? IF claim = ?",
                stripe.sequence(),
                stripe.number(),
                claim.incarnation(),
                claim.span().lo(),
                claim.token());
    }

    @Override
    public CompletionStage<ClaimOutcome> claimTail(Stripe stripe, Reserve seen, Claim wanted, List<Claim> spent) {
        Reserve after = seen.with(seen.tails().minus(wanted.span()));
        List<Cas> batch = new ArrayList<>();
        batch.add(change(stripe, seen, after));
        // Whatever row is there: a tail has no holder, so the row was deleted and came back, and it must not keep the
        // tail from being claimed. The condition holds for every row but our own, so that a refusal tells whether ours
        // is there.
        batch.add(new Cas(
                "UPDATE " + localKeyspace + ".reserve SET end = ?, claim = ?, holder = ?, at = ?"
                        + " WHERE seq = ? AND stripe = ? AND i = ? AND kind = 'c' AND lo = ? IF claim != ?",
                wanted.span().hi(),
                wanted.token(),
                holder.get(),
                clock.instant(),
                stripe.sequence(),
                stripe.number(),
                wanted.incarnation(),
                wanted.span().lo(),
                wanted.token()));
        spent.forEach(claim -> batch.add(removal(stripe, claim)));
        return step(batch, outcome -> claimOutcome(outcome, after, wanted, spent));
    }

    @Override
    public CompletionStage<ClaimOutcome> giveBack(
            Stripe stripe, Reserve seen, List<Claim> ended, Tails after, List<Claim> spent) {
        List<Cas> batch = new ArrayList<>();
        List<Claim> removed = Stream.concat(ended.stream(), spent.stream()).toList();
        batch.add(change(stripe, seen, seen.with(after)));
        removed.forEach(claim -> batch.add(removal(stripe, claim)));
        return step(batch, outcome -> claimOutcome(outcome, null, null, removed));
    }

    @Override
    public CompletionStage<Optional<Claim>> claimAt(Stripe stripe, int incarnation, long lo) {
        return explained(local.read(
                        "SELECT end, claim FROM " + localKeyspace
                                + ".reserve WHERE seq = ? AND stripe = ? AND i = ? AND kind = 'c' AND lo = ?",
                        stripe.sequence(),
                        stripe.number(),
                        incarnation,
                        lo))
                .thenApply(rows -> rows.stream()
                        .findFirst()
                        .map(row -> new Claim(incarnation, new Span(lo, row.getLong("end")), row.getUuid("claim"))));
    }

    @Override
    public CompletionStage<Standing> standing(Stripe stripe, Claim claim, int most, boolean repair) {
        String cql = "SELECT " + RESERVE + ", lo, end, claim, WRITETIME(claim) AS written FROM " + localKeyspace
                + ".reserve WHERE seq = ? AND stripe = ? AND i = ? AND kind = 'c' AND lo < ? LIMIT ?";
        Object[] values = {
            stripe.sequence(),
            stripe.number(),
            claim.incarnation(),
            claim.span().hi(),
            most
        };
        return explained(
                        // A plain read repairs the replicas that it asks; a linearizable read does so only with Paxos
                        // v1.
                        repair ? local.peek(ConsistencyLevel.LOCAL_QUORUM, cql, values) : local.read(cql, values))
                .thenApply(rows -> new Standing(
                        rows.stream()
                                .filter(row -> !row.isNull("inc"))
                                .findFirst()
                                .map(CassandraRangeStore::reserveOf)
                                .orElse(null),
                        rows.stream()
                                .map(row -> new Standing.Written(
                                        new Claim(
                                                claim.incarnation(),
                                                new Span(row.getLong("lo"), row.getLong("end")),
                                                Objects.requireNonNull(row.getUuid("claim"))),
                                        row.getLong("written")))
                                .toList(),
                        rows.size() < most));
    }

    @Override
    public CompletionStage<ClaimOutcome> forget(Stripe stripe, Claim claim) {
        return step(local, removal(stripe, claim));
    }

    @Override
    public CompletionStage<ClaimOutcome> forgetLost(Stripe stripe, Claim lost) {
        return step(
                local,
                new Cas(
                        "DELETE FROM " + localKeyspace
                                + ".reserve WHERE seq = ? AND stripe = ? AND i = ? AND kind = 'u' AND lo = ? IF claim = ?",
                        stripe.sequence(),
                        stripe.number(),
                        lost.incarnation(),
                        lost.span().lo(),
                        lost.token()));
    }

    @Override
    public CompletionStage<ClaimOutcome> absorb(Stripe stripe, Reserve seen, Grant grant, Numbering numbering) {
        if (!seen.canAbsorb(grant)) {
            return CompletableFuture.completedFuture(new ClaimOutcome.Lost());
        }
        return step(
                List.of(change(stripe, seen, seen.with(grant, numbering))),
                outcome -> claimOutcome(outcome, null, null, List.of()));
    }

    @Override
    public CompletionStage<ClaimOutcome> withdraw(Stripe stripe, Reserve seen, Span absorbed) {
        return step(
                List.of(change(stripe, seen, seen.without(absorbed))),
                outcome -> claimOutcome(outcome, null, null, List.of()));
    }

    @Override
    public CompletionStage<ClaimOutcome> adopt(Stripe stripe, Reserve seen, int incarnation, int grantNumber) {
        List<Object> values = new ArrayList<>(columns(Reserve.empty(incarnation, grantNumber)));
        values.add(stripe.sequence());
        values.add(stripe.number());
        values.add(seen.incarnation());
        return step(
                local,
                // Whatever else the reserve has become meanwhile: all of it is dropped.
                new Cas(
                        "UPDATE " + localKeyspace + ".reserve SET " + SET_RESERVE
                                + " WHERE seq = ? AND stripe = ? IF inc = ?",
                        values));
    }

    @Override
    public CompletionStage<ClaimOutcome> establish(Stripe stripe, int incarnation, int grantNumber, List<Claim> lost) {
        List<Cas> batch = new ArrayList<>();
        List<Object> values = new ArrayList<>(columns(Reserve.empty(incarnation, grantNumber)));
        values.add(stripe.sequence());
        values.add(stripe.number());
        batch.add(new Cas(
                "UPDATE " + localKeyspace + ".reserve SET " + SET_RESERVE
                        + " WHERE seq = ? AND stripe = ? IF inc = null",
                values));
        // A permanent first row. A read of the static columns also reads the partition's first row. Without this one,
        // it would pass the tombstones of every newer claim, and fail once there are 100,000 of them.
        batch.add(new Cas(
                "INSERT INTO " + localKeyspace + ".reserve (seq, stripe, i, kind, lo, end)"
                        + " VALUES (?, ?, 2147483647, 'a', 0, 0)",
                stripe.sequence(),
                stripe.number()));
        lost.forEach(claim -> batch.add(new Cas(
                "INSERT INTO " + localKeyspace + ".reserve (seq, stripe, i, kind, lo, end, claim, holder, at)"
                        + " VALUES (?, ?, ?, 'u', ?, ?, ?, ?, ?)",
                stripe.sequence(),
                stripe.number(),
                claim.incarnation(),
                claim.span().lo(),
                claim.span().hi(),
                claim.token(),
                UNKNOWN_HOLDER,
                clock.instant())));
        return step(local, batch.toArray(Cas[]::new));
    }

    @Override
    public CompletionStage<Integer> highestGrant(Stripe stripe, int incarnation) {
        return explained(global.read(
                        "SELECT grant_no FROM " + globalKeyspace + ".seq WHERE seq = ? AND i = ? AND dc = ?"
                                + " AND stripe = ? ORDER BY i DESC, dc DESC, stripe DESC, grant_no DESC LIMIT 1",
                        stripe.sequence(),
                        incarnation,
                        datacenter,
                        stripe.number()))
                .thenApply(rows -> rows.isEmpty() ? 0 : rows.get(0).getInt("grant_no"));
    }

    @Override
    public CompletionStage<Optional<Ledger>> ledger(String sequence) {
        return explained(GlobalRow.read(global, globalKeyspace, sequence))
                .thenCombine(
                        explained(datacenters.count()),
                        (found, count) -> found.map(entry -> {
                            if (entry.dropped()) {
                                throw SequenceRegistry.dropped(sequence);
                            }
                            return new Ledger(entry, count);
                        }));
    }

    @Override
    public CompletionStage<Optional<Grant>> grantAt(Stripe stripe, int incarnation, int number) {
        return explained(global.read(
                        "SELECT lo, hi FROM " + globalKeyspace
                                + ".seq WHERE seq = ? AND i = ? AND dc = ? AND stripe = ? AND grant_no = ?",
                        stripe.sequence(),
                        incarnation,
                        datacenter,
                        stripe.number(),
                        number))
                .thenApply(rows -> rows.stream()
                        .filter(row -> !row.isNull("lo"))
                        .findFirst()
                        .map(row -> new Grant(incarnation, number, new Span(row.getLong("lo"), row.getLong("hi")))));
    }

    @Override
    public CompletionStage<GrantStanding> standing(Stripe stripe, Grant grant, boolean repair) {
        // All shared columns: a read repairs what it asks for, and the row is one value.
        String cql = "SELECT " + GlobalRow.COLUMNS + ", dc, stripe, grant_no, lo, hi FROM " + globalKeyspace
                + ".seq WHERE seq = ? AND i = ?";
        Object[] values = {stripe.sequence(), grant.incarnation()};
        return explained(repair ? global.peek(ConsistencyLevel.QUORUM, cql, values) : global.read(cql, values))
                .thenApply(rows -> standing(stripe, grant, rows));
    }

    private GrantStanding standing(Stripe stripe, Grant grant, List<Row> rows) {
        Span own = null;
        List<Span> others = new ArrayList<>();
        for (Row row : rows) {
            // What is no grant of a range has no number from 1 on.
            if (row.isNull("dc") || row.getInt("grant_no") < 1) {
                continue;
            }
            Span span = new Span(row.getLong("lo"), row.getLong("hi"));
            if (datacenter.equals(row.getString("dc"))
                    && row.getInt("stripe") == stripe.number()
                    && row.getInt("grant_no") == grant.number()) {
                own = span;
            } else {
                others.add(span);
            }
        }
        // Without a row of the incarnation, the shared columns are not in the answer either: then the grant is gone.
        return rows.isEmpty()
                ? new GrantStanding(0, Numbering.NONE, 0, null, List.of())
                : new GrantStanding(
                        rows.get(0).getInt("inc"),
                        new Numbering(rows.get(0).getLong("start"), rows.get(0).getLong("increment")),
                        rows.get(0).getLong("next"),
                        own,
                        others);
    }

    @Override
    public CompletionStage<ClaimOutcome> grant(Stripe stripe, Ledger seen, Grant wanted, UUID token) {
        SequenceEntry entry = seen.entry();
        return step(
                global,
                // All shared columns, for the reason that change() gives.
                GlobalRow.replacement(
                        globalKeyspace, entry, entry.grantedTo(wanted.span().hi())),
                new Cas(
                        "INSERT INTO " + globalKeyspace + ".seq (seq, i, dc, stripe, grant_no, lo, hi, grantee)"
                                + " VALUES (?, ?, ?, ?, ?, ?, ?, ?) IF NOT EXISTS",
                        stripe.sequence(),
                        wanted.incarnation(),
                        datacenter,
                        stripe.number(),
                        wanted.number(),
                        wanted.span().lo(),
                        wanted.span().hi(),
                        token));
    }

    private CompletionStage<ClaimOutcome> step(ConditionalStatements level, Cas... statements) {
        conditionalWrites.increment();
        return explained(level.execute(statements)).thenApply(CassandraRangeStore::outcome);
    }

    static ClaimOutcome outcome(CasOutcome outcome) {
        if (outcome instanceof CasOutcome.Applied) {
            return new ClaimOutcome.Claimed();
        }
        if (outcome instanceof CasOutcome.Unknown unknown) {
            return new ClaimOutcome.Unknown(unknown.cause());
        }
        return new ClaimOutcome.Lost();
    }

    /** An error that no retry can correct is thrown at once. */
    static <T> CompletionStage<T> explained(CompletionStage<T> stage) {
        return stage.handle((value, thrown) -> {
                    if (thrown == null) {
                        return CompletableFuture.completedFuture(value);
                    }
                    return CompletableFuture.<T>failedFuture(Rights.explained(Stages.cause(thrown)));
                })
                .thenCompose(result -> result);
    }
}
