package dev.cassidy.table;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.cql.Row;
import dev.cassidy.async.Stages;
import dev.cassidy.async.StandingWrites;
import dev.cassidy.lwt.CasOutcome;
import dev.cassidy.lwt.ConditionalStatements;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.store.ChangeLog;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Changes contracts where they are stored. Each change raises the contract's revision by one, and is conditional on the revision
 * before. So a change whose outcome is unknown can be sent again, and of two copies the one with the higher revision is the later.
 * No contract is ever removed.
 *
 * <p>Safe for use by many threads; nothing blocks.
 */
final class ContractChanges {

    private static final Logger LOG = LoggerFactory.getLogger(ContractChanges.class);

    /** Of changes that others were in the way of. */
    private static final int MAX_TRIES = 20;

    /** Of changes that nodes forget; each takes another kill within the time of one. */
    private static final int MAX_REPEATS = 3;

    /** Every running process looks at everything within less time. */
    private static final Duration LONGEST_UNNOTICED = Duration.ofHours(12);

    /** How far the clocks of the cluster's nodes may differ. */
    private static final Duration OVERLAP = Duration.ofMinutes(1);

    private final ConditionalStatements global;
    private final ConditionalStatements local;
    private final String globalKeyspace;
    private final String localKeyspace;
    private final ChangeLog changes;
    private final StandingWrites standing;

    ContractChanges(
            ConditionalStatements global,
            ConditionalStatements local,
            String globalKeyspace,
            String localKeyspace,
            ChangeLog changes,
            StandingWrites standing) {
        this.global = global;
        this.local = local;
        this.globalKeyspace = globalKeyspace;
        this.localKeyspace = localKeyspace;
        this.changes = changes;
        this.standing = standing;
    }

    /** Decides what a contract becomes. */
    interface Step {

        /** Returns the next revision; empty if the contract stays. May throw a {@link SequenceException.Conflict}. */
        Optional<TableContract> next(TableContract found);
    }

    /** Whether the other processes must hear of a change in time, or learn of it within hours at the latest. */
    enum Telling {
        MUST,
        HINT,
        /** As {@link #HINT}, but not of a claim that replaced no identity: it is told when it is complete. */
        UNLESS_CLAIMED
    }

    /**
     * How a change ended.
     *
     * @param contract as it is now
     * @param fresh whether to announce it in any case: it was changed here, or it is not known which process changed it
     * @param claims whether it has a claim, which replaced no identity here
     * @param written when it was changed last; null if it is fresh, or there is none
     * @param now the time of the node that said so
     */
    private record Settled(
            TableContract contract,
            boolean fresh,
            boolean claims,
            @Nullable Instant written,
            @Nullable Instant now) {

        static Settled changed(TableContract before, TableContract after) {
            return new Settled(after, true, after.claim() != null && before.identity() == null, null, null);
        }

        static Settled unchanged(TableContract contract, Row row) {
            return new Settled(
                    contract,
                    false,
                    contract.claim() != null,
                    Instant.ofEpochMilli(TimeUnit.MICROSECONDS.toMillis(row.getLong("written"))),
                    Instant.ofEpochMilli(row.getLong("now_ms")));
        }
    }

    /**
     * Changes a contract in the global keyspace first, so that no two datacenters can disagree; then in this datacenter's.
     *
     * @param known the contract as this process knows it; null if it knows none. If it is right, no read is needed
     * @return the contract afterwards
     */
    CompletionStage<TableContract> change(TableName name, Telling telling, Step step, @Nullable TableContract known) {
        return settle(ChangeLog.Level.GLOBAL, name, step, known).thenCompose(settled -> {
            if (telling == Telling.UNLESS_CLAIMED && settled.claims) {
                return CompletableFuture.completedFuture(settled.contract);
            }
            return announce(ChangeLog.Level.GLOBAL, name, settled, telling)
                    .thenCompose(told -> copy(settled.contract, telling))
                    .thenApply(copied -> settled.contract);
        });
    }

    /**
     * Waits until no node can forget a contract that was read or written just now, and writes it again if it is gone. A copy
     * that is gone is made again by the processes that look for contracts that their datacenter lacks.
     *
     * @return whether it is there for good; false if another has changed what it followed, so that it cannot be repeated
     */
    CompletionStage<Boolean> keep(TableContract contract) {
        return contract.revision() == 0 ? CompletableFuture.completedFuture(true) : keep(contract, MAX_REPEATS);
    }

    private CompletionStage<Boolean> keep(TableContract contract, int tries) {
        TableName name = new TableName(contract.keyspace(), contract.table());
        return standing.stands(
                        name,
                        contract,
                        () -> agreed(name),
                        () -> inOrder(name),
                        now -> now.equals(contract) || now.revision() > contract.revision())
                .thenCompose(kept -> kept || tries == 0
                        ? CompletableFuture.completedFuture(kept)
                        : inOrder(name).thenCompose(now -> repeat(name, now, contract, tries)));
    }

    /** The condition names the revision that it followed: what others have declared since is never overwritten. */
    private CompletionStage<Boolean> repeat(TableName name, TableContract now, TableContract contract, int tries) {
        if (now.equals(contract)) {
            return keep(contract, tries - 1);
        }
        if (now.revision() != contract.revision() - 1) {
            return CompletableFuture.completedFuture(now.revision() > contract.revision());
        }
        return global.execute(ContractRow.replace(globalKeyspace + ".contracts", now, contract))
                .thenCompose(outcome -> announce(ChangeLog.Level.GLOBAL, name, Telling.HINT))
                .thenCompose(told -> keep(contract, tries - 1));
    }

    private CompletionStage<TableContract> agreed(TableName name) {
        return global.peek(ConsistencyLevel.QUORUM, query(), name.keyspace(), name.table())
                .thenApply(found -> contract(name, found));
    }

    private CompletionStage<TableContract> inOrder(TableName name) {
        return global.read(query(), name.keyspace(), name.table()).thenApply(found -> contract(name, found));
    }

    private String query() {
        return "SELECT " + ContractRow.COLUMNS + " FROM " + globalKeyspace + ".contracts" + ContractRow.WHERE;
    }

    private static TableContract contract(TableName name, List<Row> found) {
        return found.isEmpty() ? TableContract.none(name.keyspace(), name.table()) : ContractRow.read(found.get(0));
    }

    /** Returns how long {@link #keep} takes at most in addition to its requests. */
    Duration longestKeeping() {
        return standing.period().multipliedBy(MAX_REPEATS + 1L);
    }

    /** Brings this datacenter's copy up to a contract's revision. */
    CompletionStage<Void> copy(TableContract contract, Telling telling) {
        if (contract.revision() == 0) {
            return done();
        }
        TableName name = new TableName(contract.keyspace(), contract.table());
        return settle(
                        ChangeLog.Level.DATACENTER,
                        name,
                        found -> found.revision() >= contract.revision() ? Optional.empty() : Optional.of(contract),
                        null)
                .thenCompose(settled -> announce(ChangeLog.Level.DATACENTER, name, settled, telling));
    }

    private CompletionStage<Settled> settle(
            ChangeLog.Level level, TableName name, Step step, @Nullable TableContract known) {
        TableContract before = known == null ? TableContract.none(name.keyspace(), name.table()) : known;
        TableContract after;
        try {
            after = step.next(before).orElse(null);
        } catch (SequenceException.Conflict e) {
            // By what is stored, and not by what was known.
            after = null;
        }
        return after == null
                ? settleRead(level, name, step, false, MAX_TRIES)
                : write(level, name, step, before, after, false, MAX_TRIES);
    }

    /** @param unknown whether this call may have changed it already */
    private CompletionStage<Settled> settleRead(
            ChangeLog.Level level, TableName name, Step step, boolean unknown, int tries) {
        return statements(level)
                .read(
                        "SELECT " + ContractRow.COLUMNS
                                + ", WRITETIME(revision) AS written, toUnixTimestamp(now()) AS now_ms FROM "
                                + keyspace(level) + ".contracts" + ContractRow.WHERE,
                        name.keyspace(),
                        name.table())
                .thenCompose(found -> {
                    TableContract before = contract(name, found);
                    TableContract after = step.next(before).orElse(null);
                    if (after == null) {
                        return CompletableFuture.completedFuture(
                                unknown || found.isEmpty()
                                        ? new Settled(before, unknown, false, null, null)
                                        : Settled.unchanged(before, found.get(0)));
                    }
                    if (tries == 0) {
                        return CompletableFuture.failedFuture(
                                new SequenceException.Unavailable("whether the contract of " + before.name()
                                        + " was changed is not known; run it again, it does no harm twice"));
                    }
                    return write(level, name, step, before, after, unknown, tries - 1);
                });
    }

    private CompletionStage<Settled> write(
            ChangeLog.Level level,
            TableName name,
            Step step,
            TableContract before,
            TableContract after,
            boolean unknown,
            int tries) {
        return statements(level)
                .execute(ContractRow.replace(keyspace(level) + ".contracts", before, after))
                .thenCompose(outcome -> outcome instanceof CasOutcome.Applied
                        ? CompletableFuture.completedFuture(Settled.changed(before, after))
                        : settleRead(level, name, step, unknown || outcome instanceof CasOutcome.Unknown, tries));
    }

    private ConditionalStatements statements(ChangeLog.Level level) {
        return level == ChangeLog.Level.GLOBAL ? global : local;
    }

    private String keyspace(ChangeLog.Level level) {
        return level == ChangeLog.Level.GLOBAL ? globalKeyspace : localKeyspace;
    }

    // ---- announcements

    private CompletionStage<Void> announce(ChangeLog.Level level, TableName name, Settled settled, Telling telling) {
        if (settled.fresh || telling == Telling.MUST) {
            return announce(level, name, telling);
        }
        return settled.written == null || settled.now == null
                ? done()
                : isUnannounced(level, name, settled.written, settled.now)
                        .thenCompose(unannounced -> unannounced ? announce(level, name, telling) : done());
    }

    /** Whether the process that changed it not long ago has not announced it: it may have crashed in between. */
    private CompletionStage<Boolean> isUnannounced(
            ChangeLog.Level level, TableName name, Instant written, Instant now) {
        // Processes that did not learn of it look at everything within this time.
        if (written.isBefore(now.minus(LONGEST_UNNOTICED))) {
            return CompletableFuture.completedFuture(false);
        }
        // An entry before which the mark was not moved is read by nobody.
        return changes.since(level, written.minus(OVERLAP))
                .thenCombine(changes.mark(level), (entries, mark) -> entries.stream()
                        .noneMatch(entry -> entry.change().equals(name.change())
                                && mark != null
                                && entry.id().timestamp() <= mark.timestamp()))
                .exceptionally(failure -> false);
    }

    private CompletionStage<Void> announce(ChangeLog.Level level, TableName name, Telling telling) {
        return changes.announce(level, name.change()).exceptionally(failure -> {
            if (telling == Telling.MUST) {
                throw new SequenceException.Unavailable(
                        "the change of " + name.change().name()
                                + " is stored, and processes could not be told of it: run it again, which tells them",
                        Stages.cause(failure));
            }
            LOG.debug("a change of {} could not be announced to level {}", name, level, failure);
            return null;
        });
    }

    private static CompletionStage<Void> done() {
        return CompletableFuture.completedFuture(null);
    }
}
