package dev.cassidy.jdbc.run;

import dev.cassidy.definition.RowMark;
import dev.cassidy.jdbc.error.SqlServerErrors;
import dev.cassidy.jdbc.overlay.Overlay;
import dev.cassidy.jdbc.overlay.PendingRow;
import dev.cassidy.jdbc.overlay.RowImage;
import dev.cassidy.jdbc.session.SharedSession;
import dev.cassidy.table.TableWrites;
import dev.cassidy.transaction.LockMark;
import dev.cassidy.transaction.RowClaim;
import dev.cassidy.transaction.RowHold;
import java.nio.ByteBuffer;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Reads rows that a transaction means to hold alone until it ends, and tells others so: UPDLOCK. */
final class ClaimedRows {

    /** How long one waits in all, for one after the other. */
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(30);

    private static final long SHORTEST_PAUSE_MILLIS = 4;
    private static final long LONGEST_PAUSE_MILLIS = 50;

    /** More rows are not claimed, which takes a conditional write of each: of two transactions, the second learns of the first at its commit. */
    private static final int MAX_CLAIMS = 16;

    /** How often a query with a limit is run again because it has found rows that are not there any more. */
    private static final int MAX_STALE = 3;

    private final SharedSession session;
    private final ExactRows rows;
    private final Transaction transaction;
    private final Cancellation cancellation;
    private final @Nullable Duration timeout;
    private final Locks locks;
    private final LongSupplier nanoTime;

    /** @param timeout the statement's; null if it has none */
    ClaimedRows(
            SharedSession session,
            ExactRows rows,
            Transaction transaction,
            Cancellation cancellation,
            @Nullable Duration timeout,
            LongSupplier nanoTime) {
        this.session = session;
        this.rows = rows;
        this.transaction = transaction;
        this.cancellation = cancellation;
        this.timeout = timeout;
        this.locks = new Locks(session, cancellation);
        this.nanoTime = nanoTime;
    }

    /**
     * A row as the server has it.
     *
     * @param mark null if it was not asked for
     */
    record Read(RowImage row, @Nullable ByteBuffer mark) {}

    /** A query. */
    interface Source {

        /** Runs it as the connection says, which may be by nodes that do not know the last commit. */
        List<Read> read() throws SQLException;

        /** Returns whether it finds a row. */
        boolean finds(RowImage row) throws SQLException;

        /** Returns whether it asks for so many rows and no more. */
        boolean isLimited();
    }

    /**
     * Returns what a query finds, after this transaction has claimed the rows.
     *
     * @throws SQLException if others hold a row for too long, or if this transaction does not hold any more what it held before
     */
    List<Read> of(Overlay.Table table, Source source) throws SQLException {
        long begun = nanoTime.getAsLong();
        ClaimPatience patience = new ClaimPatience();
        for (int tries = 0; ; tries++) {
            List<Read> read = source.read();
            if (read.size() > MAX_CLAIMS) {
                Read held = locked(read);
                if (held == null) {
                    return read.stream().map(each -> asHeld(table, each)).toList();
                }
                free(table, held);
            } else {
                List<Read> found = decided(table, source, read);
                Read held = locked(found);
                boolean isStale = found.size() < read.size() && source.isLimited() && tries < MAX_STALE;
                if (held != null) {
                    free(table, held);
                } else if (!isStale && mayClaim(ofOthers(table, found), patience)) {
                    List<Read> claimed = claimed(table, found, begun);
                    if (claimed != null) {
                        return claimed;
                    }
                }
            }
            requireTime(table.writes(), begun);
            long most = Math.min(LONGEST_PAUSE_MILLIS, SHORTEST_PAUSE_MILLIS << Math.min(tries, 10));
            cancellation.pause(ThreadLocalRandom.current().nextLong(most) + 1, Cancellation.READ_ALONE);
        }
    }

    private void requireTime(TableWrites table, long begun) throws SQLException {
        long waited = nanoTime.getAsLong() - begun;
        if (timeout != null && waited > timeout.toNanos()) {
            throw SqlServerErrors.timeout("Nothing was written: other transactions hold a row of table " + table.name()
                    + " for " + timeout.toMillis() + " ms, the statement's timeout. Run it again");
        }
        if (waited > LONGEST_WAIT.toNanos()) {
            throw ExactRows.held(table);
        }
    }

    // ---- what is there

    /** Others hold many rows by their marks alone; what this transaction holds already, it holds by the mark that it knows. */
    private Read asHeld(Overlay.Table table, Read read) {
        ByteBuffer held = held(table, read.row());
        return held == null ? read : new Read(read.row(), held);
    }

    private @Nullable ByteBuffer held(Overlay.Table table, RowImage row) {
        return transaction
                .overlay()
                .find(table.writes(), table.keyOf(row))
                .map(PendingRow::held)
                .orElse(null);
    }

    private RowHold hold(Overlay.Table table, RowImage row, @Nullable ByteBuffer mark) {
        return RowHold.of(mark, held(table, row), transaction.ownClaims());
    }

    /**
     * Reads each row again on the majority that decides. A claim of what other nodes say would be refused again and again while they say it,
     * and would give a mark to what a failed insert has left on one of them.
     */
    private List<Read> decided(Overlay.Table table, Source source, List<Read> read) throws SQLException {
        List<Read> decided = new ArrayList<>();
        for (Read each : read) {
            RowImage there = rows.image(table.writes(), each.row().values(table.key()));
            ByteBuffer mark = there == null ? null : (ByteBuffer) there.value(RowMark.COLUMN);
            requireStillHeld(table, each.row(), mark);
            if (there == null) {
                continue;
            }
            Map<String, Object> values = new HashMap<>(there.values());
            values.keySet().retainAll(table.types().keySet());
            values.remove(RowMark.COLUMN);
            RowImage now = new RowImage(values);
            if (now.equals(each.row()) || source.finds(now)) {
                decided.add(new Read(now, mark));
            }
        }
        return decided;
    }

    /** Whoever has lost a row must not take it back from the one that has it now: its own commit is refused in any case. */
    private void requireStillHeld(Overlay.Table table, RowImage row, @Nullable ByteBuffer mark) throws SQLException {
        if (hold(table, row, mark) == RowHold.LOST) {
            throw lost(table.writes());
        }
    }

    private SQLException lost(TableWrites table) throws SQLException {
        transaction.clear();
        return SqlServerErrors.deadlock(
                "The transaction was rolled back, and nothing was written: another transaction has locked a row of table "
                        + table.name() + " since it was read. Run it again");
    }

    private static @Nullable Read locked(List<Read> read) {
        return read.stream()
                .filter(each -> Locks.isLock(each.mark()))
                .findFirst()
                .orElse(null);
    }

    /** Who waits here for a transaction that commits does not have to begin again at its own commit. */
    private void free(Overlay.Table table, Read held) throws SQLException {
        locks.free(table, held.row().values(table.key()), Objects.requireNonNull(held.mark()));
    }

    // ---- claims

    /**
     * Returns whether rows may be claimed now.
     *
     * @param others the claims of other transactions that they have
     */
    private boolean mayClaim(List<ByteBuffer> others, ClaimPatience patience) throws SQLException {
        if (patience.isLeftAlone(others, nanoTime.getAsLong(), transaction.hasClaims(), transaction.claimant())) {
            return false;
        }
        if (!others.isEmpty()) {
            requireOwnStillHeld();
        }
        return true;
    }

    /** Of two that wait for each other, the one that has lost its row must not take that of the other, too: neither would commit. */
    private void requireOwnStillHeld() throws SQLException {
        List<RowClaim> own = transaction.ownClaims();
        for (Overlay.Keyed each : transaction.overlay().keyed()) {
            ByteBuffer held = each.row().held();
            if (held != null && own.stream().anyMatch(claim -> claim.mark().equals(held))) {
                RowImage there = rows.image(each.row().writes(), each.key());
                ByteBuffer mark = there == null ? null : (ByteBuffer) there.value(RowMark.COLUMN);
                if (RowHold.of(mark, held, own) == RowHold.LOST) {
                    throw lost(each.row().writes());
                }
            }
        }
    }

    private List<ByteBuffer> ofOthers(Overlay.Table table, List<Read> read) {
        List<ByteBuffer> claims = new ArrayList<>();
        for (Read each : read) {
            if (hold(table, each.row(), each.mark()) == RowHold.CLAIMED) {
                claims.add(Objects.requireNonNull(each.mark()));
            }
        }
        return claims;
    }

    /** Returns the same rows with their claims; null if they have to be read again. */
    private @Nullable List<Read> claimed(Overlay.Table table, List<Read> read, long begun) throws SQLException {
        Map<Read, Map<String, ByteBuffer>> keys = new HashMap<>();
        read.forEach(each -> keys.put(each, locks.encoded(table, each.row().values(table.key()))));
        // In one order: two statements that find the same rows do not wait for each other.
        List<Read> ordered = new ArrayList<>(read);
        ordered.sort(Comparator.comparing(each -> Objects.requireNonNull(keys.get(each)), ClaimedRows::compare));
        Map<Read, Read> claimed = new HashMap<>();
        for (Read each : ordered) {
            ByteBuffer mark = each.mark();
            if (mark == null || hold(table, each.row(), mark) == RowHold.OWN) {
                claimed.put(each, each);
                continue;
            }
            ByteBuffer claim = LockMark.claim(transaction.claimId());
            RowClaim sent = session.transactions()
                    .claims()
                    .claim(table.writes(), Objects.requireNonNull(keys.get(each)), table.partition(), mark, claim);
            // Before its outcome is known: nobody else takes it back if this statement is cancelled.
            transaction.claims(session, sent);
            Optional<Boolean> outcome = cancellation.await(inTime(sent), Cancellation.READ_ALONE);
            requireAnswer(table.writes(), outcome, begun);
            if (!outcome.orElse(false)) {
                if (outcome.isPresent()) {
                    transaction.forget(sent);
                }
                return null;
            }
            if (held(table, each.row()) != null) {
                transaction.overlay().hold(table.writes(), table.keyOf(each.row()), claim);
            }
            claimed.put(each, new Read(each.row(), claim));
        }
        return read.stream()
                .map(each -> Objects.requireNonNull(claimed.get(each)))
                .toList();
    }

    /** A claim has the session's limit, and the statement may have less. A copy: what takes the claim back waits for the original. */
    private CompletableFuture<Optional<Boolean>> inTime(RowClaim sent) {
        CompletableFuture<Optional<Boolean>> copy =
                sent.outcome().toCompletableFuture().copy();
        return timeout == null
                ? copy
                : copy.completeOnTimeout(Optional.empty(), timeout.toMillis(), TimeUnit.MILLISECONDS);
    }

    private void requireAnswer(TableWrites table, Optional<Boolean> outcome, long begun) throws SQLException {
        if (timeout != null && outcome.isEmpty() && nanoTime.getAsLong() - begun >= timeout.toNanos()) {
            throw SqlServerErrors.timeout(
                    "Nothing was written: it is not known whether this transaction holds a row of table "
                            + table.name() + ", because nodes have not answered within " + timeout.toMillis()
                            + " ms, the statement's timeout. Run it again");
        }
    }

    private static int compare(Map<String, ByteBuffer> one, Map<String, ByteBuffer> other) {
        Iterator<ByteBuffer> others = other.values().iterator();
        for (ByteBuffer bytes : one.values()) {
            int compared = bytes.compareTo(others.next());
            if (compared != 0) {
                return compared;
            }
        }
        return 0;
    }
}
