package dev.cassidy.migration.rows;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.migration.error.MigrationException;
import dev.cassidy.migration.source.Source;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Copies rows, range by range. Every row has the copy's timestamp, which is older than whatever an application writes, and
 * leaves NULL unset: so a row that is copied twice is one row, and never overwrites anything that was written since. A range
 * counts as copied when all its writes are acknowledged and the state file says so; after any other end it is copied again.
 */
public final class Copier {

    private final Source source;
    private final CqlSession session;
    private final Journal journal;
    private final CopySettings settings;
    private final LongSupplier nanoClock;
    private final RangeRunner runner;

    /** @param journal begun, with the timestamp of the copy */
    public Copier(
            Source source,
            CqlSession session,
            Journal journal,
            CopySettings settings,
            RangeProgress progress,
            LongSupplier nanoClock) {
        this.source = source;
        this.session = session;
        this.journal = journal;
        this.settings = settings;
        this.nanoClock = nanoClock;
        this.runner = new RangeRunner(source, journal, settings, progress, nanoClock);
    }

    /**
     * Divides the tables into ranges that are not divided yet. Writes to the state file alone.
     *
     * @param feed of the tables' changes; empty if they are not followed
     * @param now when tables begin that are not begun yet
     * @throws MigrationException {@link ExitCode#REFUSED} if a table's columns are others than when its copy began
     */
    public void plan(List<RowTable> tables, Optional<ChangeFeed> feed, Instant now) throws IOException {
        runner.plan(tables, feed, now);
    }

    /** Returns the conditions of a planned table's ranges, in SQL; one that is empty for a table that is read in one go. */
    public List<String> conditions(RowTable table) {
        IdRanges ranges = journal.ranges(table.name()).orElseThrow();
        return IntStream.range(0, ranges.count())
                .mapToObj(range -> RangeRunner.condition(table, ranges, range))
                .toList();
    }

    /** Copies what the state file does not have. The tables are planned. */
    public CopyResult copy(List<RowTable> tables) throws InterruptedException {
        ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(RangeRunner.daemon("copy-timer"));
        RowWriter writer = new RowWriter(session, settings.underWay(), settings.retryFor(), timer, nanoClock);
        long timestamp = journal.header().orElseThrow().timestamp();
        Map<RowTable, PreparedStatement> inserts = new HashMap<>();
        for (RowTable table : tables) {
            inserts.put(table, RowStatements.prepareInsert(session, table, timestamp));
        }
        Pace pace = new Pace(settings.rowsASecond(), nanoClock);
        try {
            return runner.run(
                    tables,
                    (connection, table, range, select, stopped) -> copy(
                            connection,
                            table,
                            select,
                            stopped,
                            Objects.requireNonNull(inserts.get(table)),
                            writer,
                            pace));
        } finally {
            writer.stop();
            timer.shutdown();
        }
    }

    private RowSum.Totals copy(
            Connection connection,
            RowTable table,
            String select,
            BooleanSupplier stopped,
            PreparedStatement insert,
            RowWriter writer,
            Pace pace)
            throws SQLException, InterruptedException {
        RowWriter.Group group = new RowWriter.Group();
        RowSum sum = new RowSum();
        Losses losses = settings.losses();
        try (Statement statement = RangeRunner.statement(source, connection);
                ResultSet found = statement.executeQuery(select)) {
            while (found.next() && !stopped.getAsBoolean() && !group.failed()) {
                pace.one();
                @Nullable ByteBuffer[] values = table.read(found, losses);
                sum.add(values);
                writer.write(RowStatements.bindKnown(insert, values), group);
            }
        } finally {
            // Also of a range that failed: nothing of it is under way when the next one begins.
            group.await();
        }
        return sum.totals();
    }

    /** Keeps the readers from reading more rows in a second than they may. */
    private static final class Pace {

        private static final long NANOS_A_SECOND = 1_000_000_000;
        private static final long NANOS_A_MILLISECOND = 1_000_000;

        private final long nanosARow;
        private final LongSupplier nanoClock;
        private long next;

        Pace(long rowsASecond, LongSupplier nanoClock) {
            this.nanosARow = rowsASecond == 0 ? 0 : NANOS_A_SECOND / rowsASecond;
            this.nanoClock = nanoClock;
            this.next = nanoClock.getAsLong();
        }

        void one() throws InterruptedException {
            if (nanosARow == 0) {
                return;
            }
            long wait;
            synchronized (this) {
                long now = nanoClock.getAsLong();
                // A pause is not made up for later.
                next = Math.max(next, now) + nanosARow;
                wait = next - now;
            }
            if (wait > NANOS_A_MILLISECOND) {
                Thread.sleep(wait / NANOS_A_MILLISECOND);
            }
        }
    }
}
