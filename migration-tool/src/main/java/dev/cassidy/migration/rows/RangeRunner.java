package dev.cassidy.migration.rows;

import com.datastax.oss.driver.api.core.DriverException;
import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.migration.error.MigrationException;
import dev.cassidy.migration.source.Source;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Does some work for each range of some tables, by several threads with a connection each. A range is done when its work is,
 * and the state file says so; after any other end its work is done again. Work that fails for a row leaves the other ranges
 * alone; a failure of the source, of Cassandra or of a file ends the run.
 */
final class RangeRunner {

    static final int FETCH_SIZE = 2_000;

    /** What is done for a range. Called by many threads. */
    interface Work {

        /**
         * Does it.
         *
         * @param select the query that reads the range's rows, in the order of the table's columns
         * @param stopped is true from when the run ends; what is returned then is dropped
         */
        RowSum.Totals run(Connection connection, RowTable table, int range, String select, BooleanSupplier stopped)
                throws SQLException, IOException, InterruptedException;
    }

    private record Task(RowTable table, int range) {}

    private final Source source;
    private final Journal journal;
    private final CopySettings settings;
    private final RangeProgress progress;
    private final LongSupplier nanoClock;

    private final AtomicReference<@Nullable String> stopped = new AtomicReference<>();
    private final Map<Task, String> failures = new ConcurrentHashMap<>();
    private final AtomicLong rows = new AtomicLong();

    RangeRunner(Source source, Journal journal, CopySettings settings, RangeProgress progress, LongSupplier nanoClock) {
        this.source = source;
        this.journal = journal;
        this.settings = settings;
        this.progress = progress;
        this.nanoClock = nanoClock;
    }

    /**
     * Divides the tables into ranges that are not divided yet. Writes to the state file alone.
     *
     * @param feed of the tables' changes; empty if they are not followed
     * @param now when tables begin that are not begun yet
     * @throws MigrationException {@link ExitCode#REFUSED} if a table's columns are others than when its copy began
     */
    void plan(List<RowTable> tables, Optional<ChangeFeed> feed, Instant now) throws IOException {
        for (RowTable table : tables) {
            journal.requireSame(table);
            if (!journal.isBegun(table.name())) {
                // Before the ids: what changes while they are read is a change after the copy.
                OptionalLong changes =
                        feed.isEmpty() ? OptionalLong.empty() : feed.get().begin(source.connection(), table);
                journal.begin(
                        table.copied(),
                        table.target() + ": " + table.shape(),
                        ranges(table),
                        now,
                        changes,
                        table.targetId());
            }
        }
    }

    private IdRanges ranges(RowTable table) {
        String split = table.quotedSplit().orElse(null);
        if (split == null) {
            return new IdRanges(List.of());
        }
        String sql = "SELECT MIN(" + split + "), MAX(" + split + ") FROM " + table.quotedTable();
        try (Statement statement = source.connection().createStatement();
                ResultSet found = statement.executeQuery(sql)) {
            found.next();
            return IdRanges.of(whole(found.getBigDecimal(1)), whole(found.getBigDecimal(2)), settings.rangeSize());
        } catch (SQLException e) {
            throw sourceFailure(sql, e);
        }
    }

    private static @Nullable BigInteger whole(@Nullable BigDecimal value) {
        return value == null ? null : value.toBigIntegerExact();
    }

    static MigrationException sourceFailure(String sql, SQLException e) {
        return new MigrationException(
                ExitCode.SOURCE,
                "cannot read the source (" + sql + "): " + e.getMessage() + " (SQLState " + e.getSQLState() + ")",
                e);
    }

    /** Does what the state file does not have. The tables are planned. */
    CopyResult run(List<RowTable> tables, Work work) throws InterruptedException {
        long begun = nanoClock.getAsLong();
        Queue<Task> tasks = new ConcurrentLinkedQueue<>();
        for (RowTable table : tables) {
            Map<Integer, RowSum.Totals> done = journal.done(table.name());
            int ranges = journal.ranges(table.name()).orElseThrow().count();
            progress.ranges(ranges, done.size());
            for (int range = 0; range < ranges; range++) {
                if (!done.containsKey(range)) {
                    tasks.add(new Task(table, range));
                }
            }
        }
        ExecutorService readers = Executors.newFixedThreadPool(settings.parallelism(), daemon("range-reader"));
        try {
            List<Future<?>> running = new ArrayList<>();
            for (int i = 0; i < Math.min(settings.parallelism(), tasks.size()); i++) {
                running.add(readers.submit(() -> {
                    readAll(tasks, work);
                    return null;
                }));
            }
            for (Future<?> each : running) {
                each.get();
            }
        } catch (ExecutionException e) {
            throw new IllegalStateException("a reader ended without an answer", e.getCause());
        } finally {
            // Of an interrupted command, whose readers may still be at work.
            stopped.compareAndSet(null, tasks.isEmpty() ? null : "interrupted");
            readers.shutdownNow();
        }
        return new CopyResult(
                tables.stream().map(this::result).toList(), rows.get(), nanoClock.getAsLong() - begun, stopped.get());
    }

    static ThreadFactory daemon(String name) {
        return task -> {
            Thread thread = new Thread(task, name);
            thread.setDaemon(true);
            return thread;
        };
    }

    private void readAll(Queue<Task> tasks, Work work) throws InterruptedException {
        Connection connection = null;
        try {
            Task task = tasks.poll();
            while (task != null && stopped.get() == null) {
                if (connection == null) {
                    connection = connect();
                }
                runOne(connection, task, work);
                task = stopped.get() == null ? tasks.poll() : null;
            }
        } catch (MigrationException e) {
            stop(String.valueOf(e.getMessage()));
        } finally {
            close(connection);
        }
    }

    private Connection connect() {
        Connection connection = source.connect();
        try {
            connection.setAutoCommit(false);
        } catch (SQLException e) {
            close(connection);
            throw sourceFailure("setAutoCommit", e);
        }
        return connection;
    }

    private static void close(@Nullable Connection connection) {
        if (connection == null) {
            return;
        }
        try {
            connection.rollback();
            connection.close();
        } catch (SQLException e) {
            // Nothing was written there, and everything that was read is decided.
            return;
        }
    }

    private void runOne(Connection connection, Task task, Work work) throws InterruptedException {
        RowTable table = task.table();
        try {
            String select = select(table, journal.ranges(table.name()).orElseThrow(), task.range());
            RowSum.Totals totals = work.run(connection, table, task.range(), select, () -> stopped.get() != null);
            connection.rollback();
            if (stopped.get() == null) {
                journal.done(table.name(), task.range(), totals);
                rows.addAndGet(totals.rows());
                progress.done(table.name(), totals.rows());
            }
        } catch (RowRefused e) {
            failures.put(task, String.valueOf(e.getMessage()));
            rollBack(connection);
        } catch (SQLException e) {
            stop("the source failed while " + table.name() + " was read: " + e.getMessage() + " (SQLState "
                    + e.getSQLState() + ")");
        } catch (IOException e) {
            stop(e.getMessage() + ". The range that was under way is not lost: it is done again. Free space, then run"
                    + " the same command again");
        } catch (DriverException e) {
            if (RowWriter.mayHelpToRepeat(e)) {
                stop("Cassandra did not take a row of " + table.name() + " within "
                        + settings.retryFor().toSeconds() + " s: " + e.getMessage());
            } else {
                failures.put(task, "Cassandra refused a row: " + e.getMessage());
                rollBack(connection);
            }
        }
    }

    private void rollBack(Connection connection) {
        try {
            connection.rollback();
        } catch (SQLException e) {
            stop("the source failed: " + e.getMessage());
        }
    }

    private void stop(String why) {
        stopped.compareAndSet(null, why);
    }

    /** Returns a statement that reads row by row, as far as the engine's driver has that. */
    static Statement statement(Source source, Connection connection) throws SQLException {
        Statement statement = connection.createStatement(ResultSet.TYPE_FORWARD_ONLY, ResultSet.CONCUR_READ_ONLY);
        statement.setFetchSize(source.engine().startsWith("MySQL") ? Integer.MIN_VALUE : FETCH_SIZE);
        return statement;
    }

    static String select(RowTable table, IdRanges ranges, int range) {
        String condition = condition(table, ranges, range);
        return table.select() + (condition.isEmpty() ? "" : " WHERE " + condition);
    }

    static String condition(RowTable table, IdRanges ranges, int range) {
        return table.quotedSplit()
                .map(column -> ranges.condition(range, column))
                .orElse("");
    }

    private CopyResult.Table result(RowTable table) {
        Map<Integer, RowSum.Totals> done = journal.done(table.name());
        IdRanges ranges = journal.ranges(table.name()).orElseThrow();
        Map<String, String> failed = new LinkedHashMap<>();
        failures.forEach((task, why) -> {
            if (task.table().equals(table)) {
                String condition = condition(table, ranges, task.range());
                failed.put(condition.isEmpty() ? "all rows" : condition, why);
            }
        });
        return new CopyResult.Table(
                table.name(),
                table.target(),
                done.values().stream().mapToLong(RowSum.Totals::rows).sum(),
                ranges.count(),
                done.size(),
                failed);
    }
}
