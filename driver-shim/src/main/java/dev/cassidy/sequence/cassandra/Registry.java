package dev.cassidy.sequence.cassandra;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.cql.Row;
import dev.cassidy.lwt.CasOutcome;
import dev.cassidy.lwt.ConditionalStatements;
import dev.cassidy.lwt.ConditionalStatements.Cas;
import dev.cassidy.sequence.Claim;
import dev.cassidy.sequence.ClaimOutcome;
import dev.cassidy.sequence.IdRange;
import dev.cassidy.sequence.IdentityType;
import dev.cassidy.sequence.Order;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.SizeBounds;
import dev.cassidy.sequence.Span;
import dev.cassidy.sequence.Stripe;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;

/**
 * Which sequences there are: created once in the global keyspace, copied into each datacenter that joins, moved only
 * upwards. Every change is a compare-and-set on what was read, so any number may run at once, and each may be run again.
 */
final class Registry {

    private static final String SPEC =
            "type, start, increment, minimum, maximum, ordering, stripes, block_min, block_max,"
                    + " reserve_min, reserve_max";

    private final ConditionalStatements global;
    private final ConditionalStatements local;
    private final CassandraRangeStore store;
    private final String globalKeyspace;
    private final String localKeyspace;
    private final String datacenter;
    private final Duration timeout;
    private final Function<Duration, CompletionStage<Void>> pause;
    private final LongSupplier nanoTime;

    Registry(
            ConditionalStatements global,
            ConditionalStatements local,
            CassandraRangeStore store,
            String globalKeyspace,
            String localKeyspace,
            String datacenter,
            Duration timeout,
            Function<Duration, CompletionStage<Void>> pause,
            LongSupplier nanoTime) {
        this.global = global;
        this.local = local;
        this.store = store;
        this.globalKeyspace = globalKeyspace;
        this.localKeyspace = localKeyspace;
        this.datacenter = datacenter;
        this.timeout = timeout;
        this.pause = pause;
        this.nanoTime = nanoTime;
    }

    /**
     * One sequence as it is stored.
     *
     * @param next the first ordinal that no datacenter has been granted
     * @param origin where the incarnation began: no ordinal below it has been granted in it
     * @param floor no ordinal below it will be issued any more; at most the origin
     */
    record Entry(SequenceSpec spec, int incarnation, boolean ready, long next, long origin, long floor) {

        SequenceState state() {
            return new SequenceState(
                    spec,
                    incarnation,
                    ready,
                    spec.idAt(floor),
                    next < spec.count() ? OptionalLong.of(spec.idAt(next)) : OptionalLong.empty());
        }

        /** Nothing has been granted since the floor was set, so nobody holds ids that a raise would have to recall. */
        boolean untouched() {
            return next == floor;
        }
    }

    CompletionStage<Optional<Entry>> find(String name) {
        return global.read(
                        "SELECT DISTINCT inc, ready, next, origin, floor, " + SPEC + " FROM " + globalKeyspace
                                + ".seq WHERE seq = ?",
                        name)
                .thenApply(rows -> rows.stream()
                        .filter(row -> !row.isNull("inc"))
                        .findFirst()
                        .map(row -> entry(name, row, row.getLong("next"), row.getLong("origin"))));
    }

    /** As this datacenter's copy has it: without the global level's next and origin. */
    CompletionStage<Optional<Entry>> findCopy(String name) {
        return local.read(
                        "SELECT inc, ready, floor, " + SPEC + " FROM " + localKeyspace + ".sequence WHERE seq = ?",
                        name)
                .thenApply(rows -> rows.stream()
                        .findFirst()
                        .map(row -> entry(name, row, row.getLong("floor"), row.getLong("floor"))));
    }

    private static Entry entry(String name, Row row, long next, long origin) {
        SequenceSpec spec = new SequenceSpec(
                name,
                IdentityType.valueOf(Objects.requireNonNull(row.getString("type"))),
                row.getLong("start"),
                row.getLong("increment"),
                row.getLong("minimum"),
                row.getLong("maximum"),
                Order.valueOf(Objects.requireNonNull(row.getString("ordering"))),
                row.getInt("stripes"),
                new SizeBounds(row.getLong("block_min"), row.getLong("block_max")),
                new SizeBounds(row.getLong("reserve_min"), row.getLong("reserve_max")));
        return new Entry(spec, row.getInt("inc"), row.getBoolean("ready"), next, origin, row.getLong("floor"));
    }

    CompletionStage<List<String>> names() {
        return global.peek(ConsistencyLevel.QUORUM, "SELECT DISTINCT seq FROM " + globalKeyspace + ".seq")
                .thenApply(rows -> rows.stream()
                        .map(row -> Objects.requireNonNull(row.getString("seq")))
                        .sorted()
                        .toList());
    }

    /** Creates the sequence if there is none, and joins this datacenter to it. */
    CompletionStage<Entry> create(SequenceSpec spec, boolean ready) {
        return withRetries(again -> find(spec.name()).thenCompose(found -> {
            if (found.isPresent()) {
                requireSame(spec, ready, found.get());
                return join(found.get());
            }
            return findCopy(spec.name()).thenCompose(copy -> {
                if (copy.isPresent()) {
                    throw new SequenceException.Conflict("sequence " + spec.name() + " is known in datacenter "
                            + datacenter + " but its global row is gone. It would start again at " + spec.start()
                            + ": restore the keyspace " + globalKeyspace + " instead");
                }
                return global.execute(insert(spec, ready))
                        .thenCompose(outcome -> outcome instanceof CasOutcome.Applied
                                ? join(new Entry(spec, 1, ready, 0, 0, 0))
                                : again.get());
            });
        }));
    }

    private Cas insert(SequenceSpec spec, boolean ready) {
        return new Cas(
                "UPDATE " + globalKeyspace
                        + ".seq SET inc = 1, ready = ?, next = 0, max = ?, origin = 0, floor = 0, type = ?,"
                        + " start = ?, increment = ?, minimum = ?, maximum = ?, ordering = ?, stripes = ?,"
                        + " block_min = ?, block_max = ?, reserve_min = ?, reserve_max = ?"
                        + " WHERE seq = ? IF inc = null",
                ready,
                spec.count(),
                spec.type().name(),
                spec.start(),
                spec.increment(),
                spec.minimum(),
                spec.maximum(),
                spec.order().name(),
                spec.stripes(),
                spec.block().smallest(),
                spec.block().largest(),
                spec.reserve().smallest(),
                spec.reserve().largest(),
                spec.name());
    }

    private static void requireSame(SequenceSpec wanted, boolean ready, Entry found) {
        SequenceSpec spec = found.spec();
        if (ready && !found.ready()) {
            throw new SequenceException.Conflict(
                    "sequence " + spec.name() + " exists and awaits its seed; seed it instead of creating it");
        }
        // A registration states where to begin if nobody has begun; a creation states everything.
        boolean same =
                ready ? spec.equals(wanted) : spec.type() == wanted.type() && spec.increment() == wanted.increment();
        if (!same) {
            throw new SequenceException.Conflict("sequence " + spec.name()
                    + " exists with another specification: stored " + spec + ", asked " + wanted);
        }
    }

    /**
     * Gives this datacenter its reserve and its copy of the sequence, or brings them up to date. A new reserve begins
     * above every grant that this datacenter ever got; at grant 0 it would absorb, and issue, all of them again.
     */
    CompletionStage<Entry> join(Entry entry) {
        CompletionStage<Void> reserves = done();
        for (Stripe stripe : stripes(entry.spec())) {
            reserves = reserves.thenCompose(before -> join(stripe, entry.incarnation()));
        }
        // The reserves first: whoever finds the copy counts on them.
        return reserves.thenCompose(joined -> copy(entry)).thenApply(copied -> entry);
    }

    private CompletionStage<Void> join(Stripe stripe, int incarnation) {
        return withRetries(again -> store.reserve(stripe).thenCompose(found -> {
            if (found.isPresent() && found.get().incarnation() >= incarnation) {
                return done();
            }
            // Whatever the outcome, only the next look tells whether the reserve is there: unknown is not done.
            return store.highestGrant(stripe, incarnation)
                    .thenCompose(grant -> found.isPresent()
                            ? store.adopt(stripe, found.get(), incarnation, grant)
                            : store.establish(stripe, incarnation, grant))
                    .thenCompose(outcome -> outcome instanceof ClaimOutcome.Claimed ? done() : again.get());
        }));
    }

    private static List<Stripe> stripes(SequenceSpec spec) {
        return IntStream.range(0, spec.stripes())
                .mapToObj(number -> new Stripe(spec.name(), number))
                .toList();
    }

    private CompletionStage<Void> copy(Entry entry) {
        SequenceSpec spec = entry.spec();
        return withRetries(again -> findCopy(spec.name()).thenCompose(found -> {
            if (found.isEmpty()) {
                return local.execute(new Cas(
                                "INSERT INTO " + localKeyspace + ".sequence (seq, inc, ready, floor, " + SPEC
                                        + ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) IF NOT EXISTS",
                                spec.name(),
                                entry.incarnation(),
                                entry.ready(),
                                entry.floor(),
                                spec.type().name(),
                                spec.start(),
                                spec.increment(),
                                spec.minimum(),
                                spec.maximum(),
                                spec.order().name(),
                                spec.stripes(),
                                spec.block().smallest(),
                                spec.block().largest(),
                                spec.reserve().smallest(),
                                spec.reserve().largest()))
                        .thenCompose(outcome -> applied(outcome) ? done() : again.get());
            }
            Entry seen = found.get();
            // A copy never goes back: a slow writer may carry what another has overtaken.
            boolean newer = entry.incarnation() > seen.incarnation()
                    || (entry.ready() && !seen.ready())
                    || entry.floor() > seen.floor();
            if (!newer) {
                return done();
            }
            return local.execute(new Cas(
                            "UPDATE " + localKeyspace + ".sequence SET inc = ?, ready = ?, floor = ? WHERE seq = ?"
                                    + " IF inc = ? AND ready = ? AND floor = ?",
                            Math.max(entry.incarnation(), seen.incarnation()),
                            entry.ready() || seen.ready(),
                            Math.max(entry.floor(), seen.floor()),
                            spec.name(),
                            seen.incarnation(),
                            seen.ready(),
                            seen.floor()))
                    .thenCompose(outcome -> applied(outcome) ? done() : again.get());
        }));
    }

    /** Raises the sequence so that nothing before {@code next} will be issued any more, and makes it ready. */
    CompletionStage<Entry> seed(String name, long next) {
        return withRetries(again -> require(name).thenCompose(seen -> {
            long target = ordinalWithin(seen.spec(), seen.spec().ordinalOf(next), next);
            if (!seen.ready()) {
                long floor = Math.max(seen.next(), target);
                return change(
                        again,
                        new Entry(seen.spec(), seen.incarnation(), true, floor, floor, floor),
                        new Cas(
                                "UPDATE " + globalKeyspace + ".seq SET ready = true, next = ?, origin = ?, floor = ?"
                                        + " WHERE seq = ? IF inc = ? AND next = ? AND ready = false",
                                floor,
                                floor,
                                floor,
                                name,
                                seen.incarnation(),
                                seen.next()));
            }
            // Judged by where the incarnation began, not by next: what lies between was granted, and may be issued yet.
            if (target <= seen.origin()) {
                return join(seen);
            }
            return seen.untouched()
                    ? raiseUntouched(again, seen, target)
                    : raiseLive(again, seen, Math.max(seen.next(), target));
        }));
    }

    private CompletionStage<Entry> raiseUntouched(Retry<Entry> again, Entry seen, long target) {
        return change(
                again,
                new Entry(seen.spec(), seen.incarnation(), true, target, target, target),
                new Cas(
                        "UPDATE " + globalKeyspace + ".seq SET next = ?, origin = ?, floor = ? WHERE seq = ?"
                                + " IF inc = ? AND next = ? AND floor = ? AND ready = true",
                        target,
                        target,
                        target,
                        seen.spec().name(),
                        seen.incarnation(),
                        seen.next(),
                        seen.floor()));
    }

    /** The incarnation moves, so that every process drops the ids that it holds from before. */
    private CompletionStage<Entry> raiseLive(Retry<Entry> again, Entry seen, long target) {
        return change(
                again,
                new Entry(seen.spec(), seen.incarnation() + 1, true, target, target, seen.floor()),
                new Cas(
                        "UPDATE " + globalKeyspace + ".seq SET inc = ?, next = ?, origin = ? WHERE seq = ?"
                                + " IF inc = ? AND next = ? AND ready = true",
                        seen.incarnation() + 1,
                        target,
                        target,
                        seen.spec().name(),
                        seen.incarnation(),
                        seen.next()));
    }

    /**
     * Sees to it that no id up to {@code id} is granted in the sequence's incarnation: its origin then lies past it. The
     * floor is left to {@link #raiseFloor}, once nobody holds an older one.
     */
    CompletionStage<Entry> recallPast(String name, long id) {
        return withRetries(again -> require(name).thenCompose(seen -> {
            SequenceSpec spec = seen.spec();
            BigInteger at = spec.ordinalOf(id);
            boolean issuable = at.signum() >= 0 && at.bitLength() < Long.SIZE && spec.idAt(at.longValueExact()) == id;
            long target = ordinalWithin(spec, issuable ? at.add(BigInteger.ONE) : at, id);
            if (!seen.ready()) {
                throw new SequenceException.NotReady(
                        "sequence " + name + " awaits its seed: seed it past " + id + " instead of advancing it");
            }
            if (target <= seen.origin()) {
                // It was recalled before: once more would only burn what has been granted since.
                return join(seen);
            }
            return othersWithGrants(name).thenCompose(others -> {
                if (!others.isEmpty()) {
                    throw new SequenceException.Conflict("sequence " + name + " cannot be advanced past " + id
                            + " from datacenter " + datacenter + " alone: datacenters " + others
                            + " hold ids of it too");
                }
                return raiseLive(again, seen, Math.max(seen.next(), target));
            });
        }));
    }

    /**
     * Makes the origin the floor.
     *
     * @param entry as {@link #recallPast} returned it, with every older claim acknowledged
     */
    CompletionStage<Entry> raiseFloor(Entry entry) {
        return withRetries(again -> require(entry.spec().name()).thenCompose(seen -> {
            if (seen.floor() >= entry.origin()) {
                return join(seen);
            }
            return change(
                    again,
                    new Entry(seen.spec(), seen.incarnation(), true, seen.next(), seen.origin(), entry.origin()),
                    new Cas(
                            "UPDATE " + globalKeyspace + ".seq SET floor = ? WHERE seq = ? IF inc = ? AND floor = ?",
                            entry.origin(),
                            entry.spec().name(),
                            seen.incarnation(),
                            seen.floor()));
        }));
    }

    /** Acknowledges for a process that is gone: removes its claims of older incarnations. */
    CompletionStage<Void> release(Entry entry, String process) {
        return holderRows(entry).thenCompose(rows -> {
            CompletionStage<Void> all = done();
            for (Row row : rows) {
                if (process.equals(row.getString("holder"))) {
                    Claim claim = new Claim(
                            row.getInt("i"),
                            new Span(row.getLong("lo"), row.getLong("end")),
                            Objects.requireNonNull(row.getUuid("claim")));
                    all = all.thenCompose(before ->
                                    store.forget(new Stripe(entry.spec().name(), row.getInt("stripe")), claim))
                            .thenAccept(outcome -> {
                                if (outcome instanceof ClaimOutcome.Unknown unknown) {
                                    throw new SequenceException.Unavailable(
                                            "whether " + process + " was released is not known; run it again, it does"
                                                    + " no harm twice",
                                            unknown.cause());
                                }
                            });
                }
            }
            return all;
        });
    }

    private CompletionStage<Entry> change(Retry<Entry> again, Entry after, Cas cas) {
        // Refused or unknown: read again. What is there then tells whether anything is left to do.
        return global.execute(cas).thenCompose(outcome -> applied(outcome) ? join(after) : again.get());
    }

    private CompletionStage<List<String>> othersWithGrants(String name) {
        return global.read("SELECT dc FROM " + globalKeyspace + ".seq WHERE seq = ?", name)
                .thenApply(rows -> rows.stream()
                        .filter(row -> !row.isNull("dc"))
                        .map(row -> Objects.requireNonNull(row.getString("dc")))
                        .filter(dc -> !dc.equals(datacenter))
                        .distinct()
                        .sorted()
                        .toList());
    }

    CompletionStage<List<Holder>> holdersBefore(Entry entry) {
        SequenceSpec spec = entry.spec();
        return holderRows(entry).thenApply(rows -> rows.stream()
                .map(row -> new Holder(
                        Objects.requireNonNull(row.getString("holder")),
                        row.getInt("i"),
                        new IdRange(
                                spec.idAt(row.getLong("lo")), spec.increment(), row.getLong("end") - row.getLong("lo")),
                        Objects.requireNonNull(row.get("at", Instant.class))))
                .toList());
    }

    private CompletionStage<List<Row>> holderRows(Entry entry) {
        CompletionStage<List<Row>> all = CompletableFuture.completedFuture(new ArrayList<>());
        for (Stripe stripe : stripes(entry.spec())) {
            all = all.thenCompose(found -> local.read(
                            "SELECT stripe, i, kind, lo, end, claim, holder, at FROM " + localKeyspace
                                    + ".reserve WHERE seq = ? AND stripe = ? AND i < ?",
                            stripe.sequence(),
                            stripe.number(),
                            entry.incarnation())
                    .thenApply(rows -> {
                        rows.stream()
                                .filter(row -> "c".equals(row.getString("kind")))
                                .forEach(found::add);
                        return found;
                    }));
        }
        return all;
    }

    /** Returns the newest incarnation that can be seen from here; the global keyspace may be out of reach. */
    CompletionStage<Integer> newestIncarnation(String name) {
        CompletionStage<Integer> here = local.peek(
                        ConsistencyLevel.LOCAL_QUORUM,
                        "SELECT inc FROM " + localKeyspace + ".sequence WHERE seq = ?",
                        name)
                .thenApply(Registry::incarnation);
        CompletionStage<Integer> everywhere = global.peek(
                        ConsistencyLevel.ONE, "SELECT DISTINCT inc FROM " + globalKeyspace + ".seq WHERE seq = ?", name)
                .thenApply(Registry::incarnation)
                .exceptionally(cutOff -> 0);
        return here.thenCombine(everywhere, Math::max);
    }

    private static int incarnation(List<Row> rows) {
        return rows.stream().mapToInt(row -> row.getInt("inc")).max().orElse(0);
    }

    CompletionStage<Entry> require(String name) {
        return find(name).thenApply(found -> found.orElseThrow(() -> notFound(name)));
    }

    SequenceException notFound(String name) {
        return new SequenceException.NotFound("there is no sequence " + name + " in keyspace " + globalKeyspace
                + "; nothing creates one by itself. Register it: java -jar migration-tool/target/migration-tool.jar"
                + " register --table KEYSPACE.TABLE --column COLUMN --start N");
    }

    private static long ordinalWithin(SequenceSpec spec, BigInteger ordinal, long id) {
        if (ordinal.compareTo(BigInteger.valueOf(spec.count())) >= 0) {
            throw new SequenceException.Exhausted("sequence " + spec.name() + " has no id left at or past " + id
                    + ": it ends at " + spec.idAt(spec.count() - 1) + " (" + spec.type() + ")");
        }
        return ordinal.max(BigInteger.ZERO).longValueExact();
    }

    private static boolean applied(CasOutcome outcome) {
        return outcome instanceof CasOutcome.Applied;
    }

    private static CompletionStage<Void> done() {
        return CompletableFuture.completedFuture(null);
    }

    /** Reads and tries again, after a pause, until the time is up. */
    private interface Retry<T> {
        CompletionStage<T> get();
    }

    private <T> CompletionStage<T> withRetries(Function<Retry<T>, CompletionStage<T>> body) {
        long deadline = nanoTime.getAsLong() + timeout.toNanos();
        return attempt(body, deadline);
    }

    private <T> CompletionStage<T> attempt(Function<Retry<T>, CompletionStage<T>> body, long deadline) {
        return body.apply(() -> nanoTime.getAsLong() - deadline >= 0
                ? CompletableFuture.failedFuture(new SequenceException.Unavailable(
                        "the change did not settle within " + timeout + "; run it again, it does no harm twice"))
                : pause.apply(Duration.ofMillis(50)).thenCompose(waited -> attempt(body, deadline)));
    }
}
