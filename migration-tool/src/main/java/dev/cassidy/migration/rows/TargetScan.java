package dev.cassidy.migration.rows;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Reads all rows of a table of Cassandra, in pieces of the ring at the same time. */
final class TargetScan {

    private static final int PAGE = 2_000;
    private static final long PAUSE_MILLIS = 200;

    /** When a row was written, as far as its cells tell. */
    enum Age {
        /** No cell is younger than the copy. */
        COPIED,
        /** An application has written a cell since. */
        YOUNGER,
        /** It has a key alone: Cassandra tells the time of no key, and of no NULL. */
        UNKNOWN
    }

    /** Takes a row of Cassandra: its values in the order of the table's columns. */
    interface Visitor {
        void row(@Nullable ByteBuffer[] values, Age age);
    }

    private final CqlSession session;
    private final int readers;
    private final Duration retryFor;
    private final LongSupplier nanoClock;

    TargetScan(CqlSession session, int readers, Duration retryFor, LongSupplier nanoClock) {
        this.session = session;
        this.readers = readers;
        this.retryFor = retryFor;
        this.nanoClock = nanoClock;
    }

    /**
     * Reads the table. Each piece has a visitor of its own, which a piece that failed and is read again replaces by a new one.
     *
     * @param copied the latest timestamp of the copy, in microseconds since 1970
     * @return the visitors of all pieces
     */
    <V extends Visitor> List<V> read(RowTable table, long copied, Supplier<V> visitor) throws InterruptedException {
        RingPieces ring = new RingPieces(session, readers);
        PreparedStatement select = session.prepare(SimpleStatement.newInstance(select(table, ring))
                .setConsistencyLevel(ConsistencyLevel.LOCAL_QUORUM)
                .setPageSize(PAGE)
                .setIdempotent(true));
        try {
            return ring.read(piece -> piece(table, piece.bind(select), copied, visitor));
        } catch (ExecutionException e) {
            if (e.getCause() instanceof DriverException failed) {
                throw failed;
            }
            throw new IllegalStateException("cannot read " + table.target(), e.getCause());
        }
    }

    private static String select(RowTable table, RingPieces ring) {
        String columns =
                table.columns().stream().map(column -> column.to().asCql(true)).collect(Collectors.joining(", "));
        String times = table.columns().stream()
                .filter(column -> !column.key())
                .map(column -> ", WRITETIME(" + column.to().asCql(true) + ")")
                .collect(Collectors.joining());
        return "SELECT " + columns + times + " FROM " + table.target() + ring.where(table.metadata());
    }

    private <V extends Visitor> V piece(RowTable table, BoundStatement select, long copied, Supplier<V> visitors)
            throws InterruptedException {
        long begun = nanoClock.getAsLong();
        while (true) {
            V visitor = visitors.get();
            try {
                int count = table.columns().size();
                int times = count - table.keys();
                for (Row row : session.execute(select)) {
                    @Nullable ByteBuffer[] values = new ByteBuffer[count];
                    for (int i = 0; i < count; i++) {
                        values[i] = row.getBytesUnsafe(i);
                    }
                    Age age = Age.UNKNOWN;
                    for (int i = count; i < count + times && age != Age.YOUNGER; i++) {
                        if (!row.isNull(i)) {
                            age = row.getLong(i) > copied ? Age.YOUNGER : Age.COPIED;
                        }
                    }
                    visitor.row(values, age);
                }
                return visitor;
            } catch (DriverException e) {
                if (!RowWriter.mayHelpToRepeat(e) || nanoClock.getAsLong() - begun > retryFor.toNanos()) {
                    throw e;
                }
                Thread.sleep(PAUSE_MILLIS);
            }
        }
    }
}
