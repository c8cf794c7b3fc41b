package dev.cassidy.toggle;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.cql.Row;
import dev.cassidy.async.Stages;
import dev.cassidy.cluster.BlockingCalls;
import dev.cassidy.lwt.CasOutcome;
import dev.cassidy.lwt.ConditionalStatements;
import dev.cassidy.lwt.ConditionalStatements.Cas;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.store.ChangeLog;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which statements that have no form in CQL are not evaluated in the client, because an operator has turned that off: single ones, or all
 * of the installation. It is on until something else is known: where the global keyspace cannot be read, this datacenter's replicas of it
 * are asked, and then what was known before stays.
 *
 * <p>Safe for use by many threads. Methods with {@code Async} in their names, and those that begin with {@code cached}, do not block.
 */
public final class Assistance {

    /** By what all statements are named. */
    public static final String ALL = "*";

    private static final Logger LOG = LoggerFactory.getLogger(Assistance.class);

    private static final ChangeLog.Change CHANGE = new ChangeLog.Change(ChangeLog.Kind.ASSISTANCE, "assistance");

    private static final int MAX_TRIES = 3;

    private final ConditionalStatements global;
    private final String table;
    private final ChangeLog changes;
    private final Supplier<CompletionStage<Void>> begun;
    private final BlockingCalls calls;
    private volatile Map<String, Off> off = Map.of();

    /** Whether somebody asks; until then nothing is read. */
    private volatile boolean wanted;

    private volatile boolean known;

    /**
     * Something that is turned off.
     *
     * @param statement the hash of the statement, or {@link #ALL}
     * @param note what the operator said of it; may be empty
     */
    public record Off(String statement, String note) {
        public Off {
            Objects.requireNonNull(statement, "statement");
            Objects.requireNonNull(note, "note");
        }
    }

    /** @param begun a stage that ends when this instance notices every change that is made from then on */
    public Assistance(
            ConditionalStatements global,
            String globalKeyspace,
            ChangeLog changes,
            Supplier<CompletionStage<Void>> begun,
            BlockingCalls calls) {
        this.global = global;
        this.table = globalKeyspace + ".switches";
        this.changes = changes;
        this.begun = begun;
        this.calls = calls;
    }

    // ---- what is known

    /** Reads what is turned off, if this instance has not yet. The stage never fails. */
    public CompletionStage<Void> knownAsync() {
        if (wanted) {
            return done();
        }
        return begun.get().thenCompose(begin -> {
            wanted = true;
            return loadAnew();
        });
    }

    /** Returns whether anything is turned off, as far as that is known. */
    public boolean cachedAny() {
        return !off.isEmpty();
    }

    /**
     * Returns what turns a statement off, as far as that is known; empty if it is on.
     *
     * @param statement its hash
     */
    public Optional<Off> cached(String statement) {
        Map<String, Off> now = off;
        return Optional.ofNullable(now.get(ALL)).or(() -> Optional.ofNullable(now.get(statement)));
    }

    /** Reads it once more if somebody asks for it, and no replica has answered the last time. The stage never fails. */
    public CompletionStage<Void> loadAgain() {
        return known ? done() : loadAnew();
    }

    /** Reads it once more, if somebody asks for it. The stage never fails. */
    public CompletionStage<Void> loadAnew() {
        if (!wanted) {
            return done();
        }
        return read().handle((found, failure) -> {
            known = failure == null;
            if (failure == null) {
                Map<String, Off> all = new HashMap<>();
                found.forEach(each -> all.put(each.statement(), each));
                off = Map.copyOf(all);
            } else {
                LOG.debug("what is turned off cannot be read now", Stages.cause(failure));
            }
            return null;
        });
    }

    private CompletionStage<List<Off>> read() {
        return read(ConsistencyLevel.QUORUM)
                .handle((found, failure) -> failure == null
                        ? CompletableFuture.completedFuture(found)
                        : read(ConsistencyLevel.LOCAL_QUORUM))
                .thenCompose(found -> found);
    }

    private CompletionStage<List<Off>> read(ConsistencyLevel level) {
        return global.peek(level, "SELECT name, turned_off, note FROM " + table + " WHERE scope = 'assistance'")
                .thenApply(rows -> rows.stream()
                        .filter(row -> row.getBoolean("turned_off"))
                        .map(Assistance::off)
                        .sorted(Comparator.comparing(Off::statement))
                        .toList());
    }

    private static Off off(Row row) {
        return new Off(
                Objects.requireNonNull(row.getString("name")), Objects.requireNonNullElse(row.getString("note"), ""));
    }

    // ---- for operators

    /**
     * Returns what is turned off now.
     *
     * @throws SequenceException.Unavailable if a majority of the global keyspace's replicas does not answer
     */
    public List<Off> list() {
        return calls.get(read(ConsistencyLevel.QUORUM));
    }

    /**
     * Turns a statement off, or all; every process knows it within a watch interval. A no-op if it is off.
     *
     * @return whether it was on
     * @throws SequenceException.Unavailable if it is not known whether it is off, or if processes could not be told: do it again
     */
    public boolean turnOff(Off what) {
        return turn(
                what.statement(),
                new Cas(
                        "UPDATE " + table + " SET turned_off = true, note = ? WHERE scope = 'assistance' AND name = ?"
                                + " IF turned_off != true",
                        what.note(),
                        what.statement()));
    }

    /** Turns it on again, as {@link #turnOff}. One statement stays off as long as all are. */
    public boolean turnOn(String statement) {
        return turn(
                statement,
                new Cas(
                        "UPDATE " + table + " SET turned_off = false WHERE scope = 'assistance' AND name = ?"
                                + " IF turned_off = true",
                        statement));
    }

    private boolean turn(String statement, Cas change) {
        boolean changed = calls.get(turnAsync(statement, change, MAX_TRIES));
        // Also if it was so before: the process that did it may have ended before it told the others.
        calls.get(changes.announce(ChangeLog.Level.GLOBAL, CHANGE));
        return changed;
    }

    /** A try whose outcome is not known may be repeated: it says the same. */
    private CompletionStage<Boolean> turnAsync(String statement, Cas change, int tries) {
        return global.execute(change).thenCompose(outcome -> {
            if (!(outcome instanceof CasOutcome.Unknown unknown)) {
                return CompletableFuture.completedFuture(outcome instanceof CasOutcome.Applied);
            }
            return tries > 1
                    ? turnAsync(statement, change, tries - 1).thenApply(changed -> true)
                    : CompletableFuture.failedFuture(new SequenceException.Unavailable(
                            "whether the switch of " + statement
                                    + " was changed is not known; do it again, it does no harm",
                            unknown.cause()));
        });
    }

    private static CompletionStage<Void> done() {
        return CompletableFuture.completedFuture(null);
    }
}
