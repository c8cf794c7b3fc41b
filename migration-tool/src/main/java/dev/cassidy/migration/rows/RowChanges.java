package dev.cassidy.migration.rows;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Brings rows of Cassandra to what the source has now, with a timestamp that is later than the copy's and still older than what
 * an application writes: neither a write nor a delete takes anything away from an application. A row that is gone in the source may
 * have had the key that another row has now, so each write is later than all deletes: in whatever order they come, the row that is there
 * stays. One thread.
 */
final class RowChanges implements AutoCloseable {

    private final ScheduledExecutorService timer =
            Executors.newSingleThreadScheduledExecutor(RangeRunner.daemon("changes-timer"));
    private final RowTable table;
    private final RowWriter writer;
    private final PreparedStatement insert;
    private final PreparedStatement delete;
    private final RowWriter.Group group = new RowWriter.Group();
    private long written;
    private long deleted;

    /**
     * @param journal records the timestamps
     * @param wanted the timestamp to begin with, in microseconds since 1970, if it is later than all before
     */
    RowChanges(
            CqlSession session,
            RowTable table,
            CopySettings settings,
            Journal journal,
            long wanted,
            LongSupplier nanoClock)
            throws IOException {
        long deleting = journal.stamp(wanted);
        long writing = journal.stamp(deleting + 1);
        this.table = table;
        this.writer = new RowWriter(session, settings.underWay(), settings.retryFor(), timer, nanoClock);
        this.insert = RowStatements.prepareInsert(session, table, writing);
        this.delete = RowStatements.prepareDelete(session, table, deleting);
    }

    /** Writes a row, with its NULLs. */
    void write(@Nullable ByteBuffer[] values) throws InterruptedException {
        writer.write(RowStatements.bindAll(insert, values, values.length), group);
        written++;
    }

    /** Deletes a row, of whose values only the key counts. */
    void delete(@Nullable ByteBuffer[] values) throws InterruptedException {
        writer.write(RowStatements.bindAll(delete, values, table.keys()), group);
        deleted++;
    }

    /** Waits until everything is acknowledged. */
    void await() throws InterruptedException {
        group.await();
    }

    long written() {
        return written;
    }

    long deleted() {
        return deleted;
    }

    @Override
    public void close() {
        writer.stop();
        timer.shutdown();
    }
}
