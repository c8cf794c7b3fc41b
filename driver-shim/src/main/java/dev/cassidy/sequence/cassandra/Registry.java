package dev.cassidy.sequence.cassandra;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.cql.Row;
import dev.cassidy.lwt.CasOutcome;
import dev.cassidy.lwt.ConditionalStatements;
import dev.cassidy.lwt.ConditionalStatements.Cas;
import dev.cassidy.sequence.IdRange;
import dev.cassidy.sequence.IdentityType;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.SequenceSpec;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * Which sequences there are: created once in the global keyspace, copied into each datacenter that joins, moved only
 * upwards. Every change is a compare-and-set on what was read, so any number may run at once, and each may be run again.
 */
final class Registry {

    /** Stripes and other orders are not built yet; their columns hold what every sequence has until then. */
    private static final int ONE_STRIPE = 1;

    private static final String ORDER = "PROCESS";
    private static final String SPEC = "type, start, increment, minimum, maximum";

    private final ConditionalStatements global;
    private final ConditionalStatements local;
    private final String globalKeyspace;
    private final String localKeyspace;
    private final String datacenter;
    private final Duration timeout;
    private final Function<Duration, CompletionStage<Void>> pause;
    private final LongSupplier nanoTime;

    Registry(
            ConditionalStatements global,
            ConditionalStatements local,
            String globalKeyspace,
            String localKeyspace,
            String datacenter,
            Duration timeout,
            Function<Duration, CompletionStage<Void>> pause,
            LongSupplier nanoTime) {
        this.global = global;
        this.local = local;
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
     * @param floor no ordinal below it is, or will be, issued
     */
    record Entry(SequenceSpec spec, int incarnation, boolean ready, long next, long floor) {

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
                        "SELECT DISTINCT inc, ready, next, floor, " + SPEC + " FROM " + globalKeyspace
                                + ".seq WHERE seq = ?",
                        name)
                .thenApply(rows -> rows.stream()
                        .filter(row -> !row.isNull("inc"))
                        .findFirst()
                        .map(row -> entry(name, row, row.getLong("next"))));
    }

    /** As this datacenter's copy has it: without the global level's next. */
    CompletionStage<Optional<Entry>> findCopy(String name) {
        return local.read(
                        "SELECT inc, ready, floor, " + SPEC + " FROM " + localKeyspace + ".sequence WHERE seq = ?",
                        name)
                .thenApply(rows -> rows.stream().findFirst().map(row -> entry(name, row, row.getLong("floor"))));
    }

    private static Entry entry(String name, Row row, long next) {
        SequenceSpec spec = new SequenceSpec(
                name,
                IdentityType.valueOf(Objects.requireNonNull(row.getString("type"))),
                row.getLong("start"),
                row.getLong("increment"),
                row.getLong("minimum"),
                row.getLong("maximum"));
        return new Entry(spec, row.getInt("inc"), row.getBoolean("ready"), next, row.getLong("floor"));
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
                                ? join(new Entry(spec, 1, ready, 0, 0))
                                : again.get());
            });
        }));
    }

    private Cas insert(SequenceSpec spec, boolean ready) {
        return new Cas(
                "UPDATE " + globalKeyspace + ".seq SET inc = 1, ready = ?, next = 0, max = ?, floor = 0, type = ?,"
                        + " start = ?, increment = ?, minimum = ?, maximum = ?, ordering = ?, stripes = ?"
                        + " WHERE seq = ? IF inc = null",
                ready,
                spec.count(),
                spec.type().name(),
                spec.start(),
                spec.increment(),
                spec.minimum(),
                spec.maximum(),
                ORDER,
                ONE_STRIPE,
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
        String name = entry.spec().name();
        return highestGrant(entry)
                .thenCompose(grant -> local.execute(new Cas(
                        "UPDATE " + localKeyspace + ".reserve SET inc = ?, next = 0, hi = 0, grant_no = ?"
                                + " WHERE seq = ? AND stripe = 0 IF inc = null",
                        entry.incarnation(),
                        grant,
                        name)))
                .thenCompose(outcome -> applied(outcome)
                        ? CompletableFuture.completedFuture(outcome)
                        : local.execute(new Cas(
                                "UPDATE " + localKeyspace + ".reserve SET inc = ?, next = 0, hi = 0, nlo = null,"
                                        + " nhi = null, grant_no = 0 WHERE seq = ? AND stripe = 0 IF inc < ?",
                                entry.incarnation(),
                                name,
                                entry.incarnation())))
                .thenCompose(adopted -> copy(entry))
                .thenApply(copied -> entry);
    }

    private CompletionStage<Integer> highestGrant(Entry entry) {
        return global.read(
                        "SELECT grant_no FROM " + globalKeyspace + ".seq WHERE seq = ? AND i = ? AND dc = ?"
                                + " AND stripe = 0 ORDER BY i DESC, dc DESC, stripe DESC, grant_no DESC LIMIT 1",
                        entry.spec().name(),
                        entry.incarnation(),
                        datacenter)
                .thenApply(rows -> rows.isEmpty() ? 0 : rows.get(0).getInt("grant_no"));
    }

    private CompletionStage<Void> copy(Entry entry) {
        SequenceSpec spec = entry.spec();
        return withRetries(again -> findCopy(spec.name()).thenCompose(found -> {
            if (found.isEmpty()) {
                return local.execute(new Cas(
                                "INSERT INTO " + localKeyspace + ".sequence (seq, inc, ready, floor, " + SPEC
                                        + ", ordering, stripes) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) IF NOT EXISTS",
                                spec.name(),
                                entry.incarnation(),
                                entry.ready(),
                                entry.floor(),
                                spec.type().name(),
                                spec.start(),
                                spec.increment(),
                                spec.minimum(),
                                spec.maximum(),
                                ORDER,
                                ONE_STRIPE))
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

    /** Raises the sequence so that nothing before {@code next} will be granted any more, and makes it ready. */
    CompletionStage<Entry> seed(String name, long next) {
        return withRetries(again -> require(name).thenCompose(seen -> {
            long target = ordinalWithin(seen.spec(), seen.spec().ordinalOf(next), next);
            if (!seen.ready()) {
                long floor = Math.max(seen.next(), target);
                return change(
                        again,
                        new Entry(seen.spec(), seen.incarnation(), true, floor, floor),
                        new Cas(
                                "UPDATE " + globalKeyspace + ".seq SET ready = true, next = ?, floor = ? WHERE seq = ?"
                                        + " IF inc = ? AND next = ? AND ready = false",
                                floor,
                                floor,
                                name,
                                seen.incarnation(),
                                seen.next()));
            }
            if (target <= seen.next()) {
                return join(seen);
            }
            return seen.untouched() ? raiseUntouched(again, seen, target) : raiseLive(again, seen, target);
        }));
    }

    private CompletionStage<Entry> raiseUntouched(Retry<Entry> again, Entry seen, long target) {
        return change(
                again,
                new Entry(seen.spec(), seen.incarnation(), true, target, target),
                new Cas(
                        "UPDATE " + globalKeyspace + ".seq SET next = ?, floor = ? WHERE seq = ?"
                                + " IF inc = ? AND next = ? AND floor = ? AND ready = true",
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
                new Entry(seen.spec(), seen.incarnation() + 1, true, target, seen.floor()),
                new Cas(
                        "UPDATE " + globalKeyspace + ".seq SET inc = ?, next = ? WHERE seq = ?"
                                + " IF inc = ? AND next = ? AND ready = true",
                        seen.incarnation() + 1,
                        target,
                        seen.spec().name(),
                        seen.incarnation(),
                        seen.next()));
    }

    /**
     * Recalls every id up to {@code id} and beyond what was granted; the floor is left to {@link #raiseFloor}, once
     * nobody holds an older one.
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
            if (target <= seen.floor()) {
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

    /** @param entry as {@link #recallPast} returned it, with every older claim acknowledged */
    CompletionStage<Entry> raiseFloor(Entry entry) {
        Entry raised = new Entry(entry.spec(), entry.incarnation(), true, entry.next(), entry.next());
        return withRetries(again -> require(entry.spec().name()).thenCompose(seen -> {
            if (seen.floor() >= entry.next()) {
                return join(seen);
            }
            return change(
                    again,
                    raised,
                    new Cas(
                            "UPDATE " + globalKeyspace + ".seq SET floor = ? WHERE seq = ? IF inc = ? AND floor = ?",
                            entry.next(),
                            entry.spec().name(),
                            seen.incarnation(),
                            seen.floor()));
        }));
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
        return local.read(
                        "SELECT i, kind, lo, end, holder, at FROM " + localKeyspace
                                + ".reserve WHERE seq = ? AND stripe = 0 AND i < ?",
                        spec.name(),
                        entry.incarnation())
                .thenApply(rows -> rows.stream()
                        .filter(row -> "c".equals(row.getString("kind")))
                        .map(row -> new Holder(
                                Objects.requireNonNull(row.getString("holder")),
                                row.getInt("i"),
                                new IdRange(
                                        spec.idAt(row.getLong("lo")),
                                        spec.increment(),
                                        row.getLong("end") - row.getLong("lo")),
                                Objects.requireNonNull(row.get("at", Instant.class))))
                        .toList());
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
        return Math.max(0, ordinal.longValueExact());
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
