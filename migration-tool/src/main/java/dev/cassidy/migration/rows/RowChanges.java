package dev.cassidy.migration.rows;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import java.nio.ByteBuffer;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Brings rows of Cassandra to what the source has now, with a timestamp that is later than the copy's and still older than what
 * an application writes: neither a write nor a delete takes anything away from an application. One thread.
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

    /** @param timestamp that {@link Journal#stamp} gave */
    RowChanges(CqlSession session, RowTable table, CopySettings settings, long timestamp, LongSupplier nanoClock) {
        this.table = table;
        this.writer = new RowWriter(session, settings.underWay(), settings.retryFor(), timer, nanoClock);
        this.insert = RowStatements.prepareInsert(session, table, timestamp);
        this.delete = RowStatements.prepareDelete(session, table, timestamp);
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
