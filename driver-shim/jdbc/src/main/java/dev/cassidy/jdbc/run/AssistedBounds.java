package dev.cassidy.jdbc.run;

import dev.cassidy.insert.CqlInsert;
import dev.cassidy.insert.Identifiers;
import dev.cassidy.jdbc.assist.AssistedSelect;
import dev.cassidy.jdbc.assist.AssistedSelect.PlannedRead;
import dev.cassidy.jdbc.assist.Bound;
import dev.cassidy.jdbc.assist.BoundExceededException;
import dev.cassidy.jdbc.assist.Budget;
import dev.cassidy.jdbc.assist.Evaluated;
import dev.cassidy.jdbc.assist.NotAssistedException;
import dev.cassidy.jdbc.assist.TableModel;
import dev.cassidy.jdbc.error.Lines;
import dev.cassidy.jdbc.error.SqlServerErrors;
import dev.cassidy.jdbc.error.Unserved;
import dev.cassidy.jdbc.session.NearBounds;
import dev.cassidy.jdbc.session.SharedSession;
import dev.cassidy.jdbc.session.Tables;
import dev.cassidy.jdbc.session.UnreadDeclarations;
import dev.cassidy.remedy.Remedy;
import dev.cassidy.toggle.Assistance;
import dev.cassidy.tsql.TsqlStep;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
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

    /** How often the rows of a statement are read that finds two states of one of them. */
    private static final int MAX_TRIES = 5;

    /** Parts of a bound, in percent, of which a warning tells. */
    private static final int HALF = 50;

    private static final int MUCH = 80;

    private static final String OTHERWISE = "Find its rows by a key or by a column with an index (CREATE INDEX)";

    private final ConnectionState connection;
    private final SharedSession session;
    private final Tables tables;
    private final CqlSteps cqlSteps;
    private final Binder binder;
    private final Cancellation cancellation;

    AssistedBounds(
            ConnectionState connection,
            SharedSession session,
            Tables tables,
            CqlSteps cqlSteps,
            Binder binder,
            Cancellation cancellation) {
        this.connection = connection;
        this.session = session;
        this.tables = tables;
        this.cqlSteps = cqlSteps;
        this.binder = binder;
        this.cancellation = cancellation;
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
     * @param written the statement
     * @param select returns what the plan reads
     * @param refusal what is said of the statement if it is not served here; null if it was served here before
     */
    <P> Planned<P> evaluate(
            TsqlStep.Written written,
            Planning<P> planning,
            Function<P, AssistedSelect> select,
            @Nullable SQLException refusal)
            throws SQLException {
        @Nullable P plan = null;
        boolean readAgain = false;
        int tries = 1;
        while (true) {
            CompletableFuture<Void> stop = new CompletableFuture<>();
            try {
                plan = planning.plan();
                requireOn(
                        written,
                        select.apply(plan).reads().stream()
                                .map(read -> read.table().keyspace())
                                .toList());
                Budget budget = budget();
                cancellation.requireGoingOn();
                cancellation.stopping(stop);
                Evaluated rows = select.apply(plan)
                        .run(new AssistedRows(cqlSteps, readTwice(select.apply(plan))), budget, stop)
                        .toCompletableFuture()
                        .join();
                tell(written, budget.mostUsed(), select.apply(plan).reads());
                return new Planned<>(plan, rows);
            } catch (RuntimeException e) {
                Throwable cause = e instanceof CompletionException ? e.getCause() : e;
                if (cause instanceof CancellationException) {
                    cancellation.requireGoingOn();
                }
                if (cause instanceof AssistedRows.TwoStates) {
                    if (tries++ == MAX_TRIES) {
                        throw SqlServerErrors.deadlock(
                                "A row that the statement reads in two places was changed by others"
                                        + " between the two, " + MAX_TRIES + " times. Run it again");
                    }
                    continue;
                }
                if (!(cause instanceof BoundExceededException bound) || plan == null) {
                    throw AssistedErrors.told(cause, refusal);
                }
                if (readAgain || bound.bound() != Bound.SCAN || !isSmallNow(bound.table())) {
                    throw exceeded(written, bound, select.apply(plan).reads());
                }
                readAgain = true;
            } finally {
                cancellation.stopping(null);
            }
        }
    }

    /**
     * Returns the tables that a statement reads in several places. Without those whose columns count: they show what was counted by then, which is
     * more from one read to the next.
     */
    private Set<String> readTwice(AssistedSelect select) {
        Set<String> once = new HashSet<>();
        Set<String> twice = new HashSet<>();
        for (PlannedRead read : select.reads()) {
            TableModel table = read.table();
            if (!once.add(table.qualified())
                    && tables.countedColumns(new CqlInsert.Table(table.keyspace(), table.name()))
                            .isEmpty()) {
                twice.add(table.qualified());
            }
        }
        return twice;
    }

    /** It may have been declared so a moment ago. */
    private boolean isSmallNow(TableModel table) {
        try {
            tables.readAgain(new CqlInsert.Table(table.keyspace(), table.name()));
            return tables.isSmall(table);
        } catch (UnreadDeclarations e) {
            return false;
        }
    }

    /**
     * Refuses what is turned off.
     *
     * @param keyspaces of the tables that it reads
     * @throws NotAssistedException if an operator has turned the statement off, or all
     */
    void requireOn(TsqlStep.Written written, List<String> keyspaces) {
        session.assistanceOff().of(keyspaces, () -> hash(written)).ifPresent(off -> {
            boolean all = off.statement().equals(Assistance.ALL);
            throw new NotAssistedException("an operator has turned that off for "
                    + (all ? "all statements" : "statement " + off.statement())
                    + (off.note().isEmpty() ? "" : " (" + off.note() + ")") + ". "
                    + session.commandLines().tell(new Remedy.AssistOn(all ? "" : off.statement())));
        });
    }

    private static String hash(TsqlStep.Written written) {
        return StatementText.of(written.text()).hash();
    }

    private Budget budget() {
        int rows = connection.settings().assistRows();
        Duration timeout = binder.timeout();
        return timeout == null ? new Budget(rows, MAX_REQUESTS) : new Budget(rows, MAX_REQUESTS, timeout);
    }

    // ---- what is said

    /** Warns before a statement is refused. */
    private void tell(TsqlStep.Written written, Budget.Use use, List<PlannedRead> reads) {
        int percent = use.isOver(MUCH) ? MUCH : use.isOver(HALF) ? HALF : 0;
        if (percent == 0) {
            return;
        }
        connection.figures().countNearBound(percent);
        StatementText statement = StatementText.of(written.text());
        NearBounds near = session.nearBounds();
        if (near.isDue(statement.hash(), percent)) {
            near.warn("Statement " + statement.hash() + ", which is evaluated in the client, has used " + shown(use)
                    + ", "
                    + use.percent() + " % of them; beyond that it is refused: " + Lines.escaped(statement.shown())
                    + ". "
                    + helps(use, reads));
        }
    }

    private static String shown(Budget.Use use) {
        return switch (use.bound()) {
            case ROWS -> use.taken() + " of " + use.most() + " rows, which is assistRows";
            case REQUESTS -> use.taken() + " of " + use.most() + " requests";
            case BYTES -> use.taken() + " of " + use.most() + " bytes of values";
            case SCAN ->
                use.taken() + " of " + use.most() + " rows of table "
                        + Objects.requireNonNull(use.table()).qualified() + ", which is not declared small";
        };
    }

    private String helps(Budget.Use use, List<PlannedRead> reads) {
        TableModel table = use.table();
        if (table != null) {
            return scanHelps(table, reads);
        }
        // Of several tables, the one is named of which an index helps.
        return reads.stream()
                .filter(read -> !read.unindexed().isEmpty())
                .findFirst()
                .map(read -> helps(use.bound(), read.table(), reads))
                .orElse(OTHERWISE);
    }

    private SQLException exceeded(TsqlStep.Written written, BoundExceededException exceeded, List<PlannedRead> reads) {
        TableModel table = exceeded.table();
        if (exceeded.bound() == Bound.SCAN) {
            return Unserved.feature("Statement " + hash(written) + " gives no key and no column with an index of table "
                    + table.qualified() + ", which has more than " + exceeded.most()
                    + " rows: so many are read of a table that is not declared small, and no more. "
                    + scanHelps(table, reads));
        }
        return Unserved.feature("Statement " + hash(written) + " needs " + exceeded.getMessage() + ". "
                + helps(exceeded.bound(), table, reads));
    }

    private String scanHelps(TableModel table, List<PlannedRead> reads) {
        List<String> unindexed = unindexed(table, reads);
        return (unindexed.isEmpty() ? "Find its rows by its key" : index(table, unindexed))
                + "; or declare it small, if it will never have more than "
                + connection.settings().assistRows() + " rows, which is assistRows. "
                + session.commandLines().tell(new Remedy.DeclareSmall(table.keyspace(), table.name()));
    }

    private static String helps(Bound bound, TableModel table, List<PlannedRead> reads) {
        List<String> unindexed = unindexed(table, reads);
        return (unindexed.isEmpty() ? OTHERWISE : index(table, unindexed))
                + switch (bound) {
                    case ROWS, SCAN -> ", or raise assistRows";
                    case REQUESTS -> ", or send it in parts";
                    case BYTES -> ", and name the columns that you need";
                };
    }

    private static List<String> unindexed(TableModel table, List<PlannedRead> reads) {
        return reads.stream()
                .filter(read -> read.table().equals(table))
                .flatMap(read -> read.unindexed().stream())
                .distinct()
                .toList();
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
