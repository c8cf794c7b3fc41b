package dev.cassidy.flyway;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.cql.Row;
import dev.cassidy.async.Stages;
import dev.cassidy.lwt.CasOutcome;
import dev.cassidy.lwt.ConditionalStatements;
import dev.cassidy.lwt.ConditionalStatements.Cas;
import java.lang.management.ManagementFactory;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.logging.Log;
import org.flywaydb.core.api.logging.LogFactory;
import org.flywaydb.core.internal.strategy.RetryStrategy;
import org.jspecify.annotations.Nullable;

/**
 * The right to migrate a keyspace, which one process has at a time: a row that exists while somebody has it.
 *
 * <p>No time-out takes it away. Cassandra would still execute the next statement of a holder that was only slow, and two processes
 * would migrate at once. So a holder that dies leaves its row, and an operator who knows that it is gone deletes it: every error
 * names the holder and that statement. If he was wrong, the holder finds its row gone before it writes the history.
 */
final class MigrationLock {

    private static final Log LOG = LogFactory.getLog(MigrationLock.class);

    private static final int ATTEMPTS_TO_RELEASE = 5;

    /** The lock as somebody has it. */
    private record Held(UUID claim, String by) {}

    private final ConditionalStatements statements;
    private final String table;
    private final String history;

    /** The claim by which this process has the lock; null if it does not. */
    private @Nullable UUID claim;

    /** @param history the name of the history table, which the lock is of */
    MigrationLock(CqlSession session, String keyspace, String history) {
        this.statements = ConditionalStatements.acrossDatacenters(
                session,
                session.getContext().getConfig().getDefaultProfile().getDuration(DefaultDriverOption.REQUEST_TIMEOUT));
        this.table = CqlIdentifier.fromInternal(keyspace).asCql(true) + "."
                + CqlIdentifier.fromInternal(tableName(history)).asCql(true);
        this.history = history;
    }

    static String tableName(String history) {
        return history + "_lock";
    }

    /** In T-SQL: processes that create it at once create the same table. */
    String definition() {
        return "CREATE TABLE IF NOT EXISTS " + table + " (history NVARCHAR(128) NOT NULL PRIMARY KEY,"
                + " claim UNIQUEIDENTIFIER NOT NULL, holder NVARCHAR(MAX) NOT NULL, since DATETIME2 NOT NULL)"
                // Each of its writes has a condition of its own.
                + " WITH (plain)";
    }

    /**
     * Waits until this process has the lock, as often as {@code flyway.lockRetryCount} says, once a second.
     *
     * @throws FlywayException naming the holder and what to do, if another process keeps it
     */
    void take() {
        Taking taking = new Taking(UUID.randomUUID());
        try {
            new RetryStrategy()
                    .doWithRetries(
                            taking::isDone,
                            "Interrupted while it waited for the lock of " + history,
                            "No process may migrate while another one does");
            claim = taking.claim;
        } catch (FlywayException | SQLException e) {
            if (taking.doubtful) {
                release(taking.claim);
            }
            Held other = taking.other;
            throw other == null
                    ? new FlywayException(
                            "Unable to take the lock of " + history + " in " + table + ": " + e.getMessage(), e)
                    : new FlywayException(e.getMessage() + ": " + describe(other), e);
        }
    }

    /** What one process knows while it tries to take the lock. */
    private final class Taking {
        private final UUID claim;
        private boolean doubtful;
        private @Nullable Held other;

        Taking(UUID claim) {
            this.claim = claim;
        }

        boolean isDone() {
            CasOutcome outcome = await(statements.execute(new Cas(
                    "INSERT INTO " + table + " (history, claim, holder, since) VALUES (?, ?, ?, toTimestamp(now()))"
                            + " IF NOT EXISTS",
                    history,
                    claim,
                    // The process's id and its host.
                    ManagementFactory.getRuntimeMXBean().getName())));
            if (outcome instanceof CasOutcome.Refused refused) {
                Row row = refused.found().get(0);
                Held found = held(row);
                // It is this process's own if the answer to an attempt before was lost.
                other = found.claim().equals(claim) ? null : found;
                return other == null;
            }
            doubtful |= outcome instanceof CasOutcome.Unknown;
            return outcome instanceof CasOutcome.Applied;
        }
    }

    private static Held held(Row row) {
        return new Held(
                row.get("claim", UUID.class),
                "process " + row.getString("holder") + " since " + row.getInstant("since"));
    }

    private String describe(Held held) {
        return held.by() + " has the lock of " + history + ". If it is at work, wait, or raise flyway.lockRetryCount."
                + " If it is certainly gone, look at what its last migration has done, because that one begins again,"
                + " and delete the lock: " + deletion(held.claim());
    }

    private String deletion(UUID held) {
        return "DELETE FROM " + table + " WHERE history = '" + history.replace("'", "''") + "' IF claim = " + held;
    }

    /** @throws FlywayException if this process does not have the lock any more, because somebody has deleted it */
    void requireHeld() {
        List<Row> rows = await(statements.read("SELECT claim FROM " + table + " WHERE history = ?", history));
        UUID found = rows.isEmpty() ? null : rows.get(0).getUuid("claim");
        if (claim == null || !claim.equals(found)) {
            claim = null;
            throw new FlywayException("Somebody has deleted this process's lock in " + table
                    + " while it migrated, so another process may have applied the same migration. Nothing more is done,"
                    + " and the history lacks it: look at what was done");
        }
    }

    /** Gives the lock back. Never throws: what was done under it is done. */
    void release() {
        UUID held = claim;
        claim = null;
        if (held != null && !release(held)) {
            LOG.error("Whether the lock of " + history + " was given back is not known. If others find it taken: "
                    + deletion(held));
        }
    }

    /** Keeps the lock, although this process does nothing more under it. */
    void keep() {
        UUID held = claim;
        claim = null;
        if (held != null) {
            LOG.error("The lock of " + history + " stays, because the history may lack the last migration, and another"
                    + " process would apply it again. If flyway info does not show it, undo what it did. Then delete the"
                    + " lock: " + deletion(held));
        }
    }

    /** Returns whether the claim certainly is not in force any more. */
    private boolean release(UUID given) {
        try {
            for (int attempt = 0; attempt < ATTEMPTS_TO_RELEASE; attempt++) {
                CasOutcome outcome = await(statements.execute(
                        new Cas("DELETE FROM " + table + " WHERE history = ? IF claim = ?", history, given)));
                if (!(outcome instanceof CasOutcome.Unknown)) {
                    return true;
                }
            }
        } catch (FlywayException e) {
            LOG.debug("Unable to give a lock back: " + e.getMessage());
        }
        return false;
    }

    private static <T> T await(CompletionStage<T> asked) {
        try {
            return asked.toCompletableFuture().join();
        } catch (CompletionException e) {
            Throwable cause = Stages.cause(e);
            throw new FlywayException(cause.getMessage(), cause);
        }
    }
}
