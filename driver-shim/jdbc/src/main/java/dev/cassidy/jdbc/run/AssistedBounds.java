package dev.cassidy.jdbc.run;

import dev.cassidy.insert.CqlInsert;
import dev.cassidy.insert.Identifiers;
import dev.cassidy.jdbc.assist.AssistedSelect;
import dev.cassidy.jdbc.assist.AssistedSelect.PlannedRead;
import dev.cassidy.jdbc.assist.BoundExceededException;
import dev.cassidy.jdbc.assist.Budget;
import dev.cassidy.jdbc.assist.Evaluated;
import dev.cassidy.jdbc.assist.TableModel;
import dev.cassidy.jdbc.error.Unserved;
import dev.cassidy.jdbc.session.SharedSession;
import dev.cassidy.jdbc.session.Tables;
import dev.cassidy.remedy.Remedy;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Reads what statements need that are evaluated in the client, each up to its bounds, and says of one that needs more what helps. */
final class AssistedBounds {

    /** How many rows of a table are read to find those that a statement needs, unless the table is declared small. */
    static final int MAX_SCANNED = 1_000;

    /** How many requests one statement may send. */
    private static final int MAX_REQUESTS = 2_000;

    private final ConnectionState connection;
    private final SharedSession session;
    private final Tables tables;
    private final CqlSteps cqlSteps;
    private final Binder binder;

    AssistedBounds(ConnectionState connection, SharedSession session, Tables tables, CqlSteps cqlSteps, Binder binder) {
        this.connection = connection;
        this.session = session;
        this.tables = tables;
        this.cqlSteps = cqlSteps;
        this.binder = binder;
    }

    /** Plans a statement. */
    @FunctionalInterface
    interface Planning<P> {
        P plan() throws SQLException;
    }

    /** A statement's plan, and the rows that its SELECT gives. */
    record Planned<P>(P plan, Evaluated rows) {}

    /**
     * Plans a statement, and evaluates its SELECT over the rows that this reads, on this thread.
     *
     * @param select returns what the plan reads
     * @param refusal what is said of the statement if it is not served here; null if it was served here before
     */
    <P> Planned<P> evaluate(Planning<P> planning, Function<P, AssistedSelect> select, @Nullable SQLException refusal)
            throws SQLException {
        @Nullable P plan = null;
        boolean readAgain = false;
        while (true) {
            try {
                plan = planning.plan();
                Evaluated rows = select.apply(plan)
                        .run(new AssistedRows(cqlSteps), budget())
                        .toCompletableFuture()
                        .join();
                return new Planned<>(plan, rows);
            } catch (RuntimeException e) {
                Throwable cause = e instanceof CompletionException ? e.getCause() : e;
                if (!(cause instanceof BoundExceededException bound) || plan == null) {
                    throw AssistedReads.told(cause, refusal);
                }
                if (readAgain || !bound.isOfScan()) {
                    throw exceeded(bound, select.apply(plan).reads());
                }
                // It may have been declared small a moment ago.
                tables.readAgain(new CqlInsert.Table(
                        bound.table().keyspace(), bound.table().name()));
                if (!tables.isSmall(bound.table())) {
                    throw exceeded(bound, select.apply(plan).reads());
                }
                readAgain = true;
            }
        }
    }

    private Budget budget() {
        int rows = connection.settings().assistRows();
        Duration timeout = binder.timeout();
        return timeout == null ? new Budget(rows, MAX_REQUESTS) : new Budget(rows, MAX_REQUESTS, timeout);
    }

    // ---- what helps

    private SQLException exceeded(BoundExceededException bound, List<PlannedRead> reads) {
        TableModel table = bound.table();
        List<String> unindexed = reads.stream()
                .filter(read -> read.reach() == AssistedSelect.Reach.SCAN
                        && read.table().equals(table))
                .flatMap(read -> read.unindexed().stream())
                .distinct()
                .toList();
        if (bound.isOfScan()) {
            return Unserved.feature("The statement gives no key and no column with an index of table "
                    + table.qualified() + ", which has more than " + bound.bound()
                    + " rows: so many are read of a table that is not declared small, and no more. "
                    + (unindexed.isEmpty() ? "Find its rows by its key" : index(table, unindexed))
                    + "; or declare it small, if it will never have more than "
                    + connection.settings().assistRows()
                    + " rows, which is assistRows. "
                    + session.commandLines().tell(new Remedy.DeclareSmall(table.keyspace(), table.name())));
        }
        return Unserved.feature("The statement needs " + bound.getMessage() + ". "
                + (unindexed.isEmpty()
                        ? "Find its rows by a key or by a column with an index (CREATE INDEX)"
                        : index(table, unindexed))
                + ", or raise assistRows");
    }

    /** Returns the statement that has the rows of a table found by a column. */
    private static String index(TableModel table, List<String> columns) {
        String first = columns.get(0);
        String others = columns.stream().skip(1).map(Identifiers::toCql).collect(Collectors.joining(" or "));
        return "Make an index by which its rows are found: CREATE INDEX "
                + Identifiers.toCql(table.name() + "_" + first) + " ON " + Identifiers.toCql(table.keyspace()) + "."
                + Identifiers.toCql(table.name()) + " (" + Identifiers.toCql(first) + ")"
                + (others.isEmpty() ? "" : ", or one of " + others);
    }
}
