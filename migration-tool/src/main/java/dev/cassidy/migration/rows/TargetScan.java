package dev.cassidy.migration.rows;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.metadata.TokenMap;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Reads all rows of a table of Cassandra, in pieces of the ring at the same time. */
final class TargetScan {

    private static final int PIECES_A_READER = 8;
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
        boolean murmur = session.getMetadata()
                .getTokenMap()
                .map(TokenMap::getPartitionerName)
                .filter(name -> name.endsWith("Murmur3Partitioner"))
                .isPresent();
        PreparedStatement select = session.prepare(SimpleStatement.newInstance(select(table, murmur))
                .setConsistencyLevel(ConsistencyLevel.LOCAL_QUORUM)
                .setPageSize(PAGE)
                .setIdempotent(true));
        List<long[]> pieces = murmur ? pieces(readers * PIECES_A_READER) : List.of(new long[0]);
        ExecutorService pool = Executors.newFixedThreadPool(Math.min(readers, pieces.size()), task -> {
            Thread thread = new Thread(task, "scan");
            thread.setDaemon(true);
            return thread;
        });
        try {
            List<Future<V>> reading = new ArrayList<>();
            for (long[] piece : pieces) {
                reading.add(pool.submit(() -> piece(table, select, piece, copied, visitor)));
            }
            List<V> read = new ArrayList<>();
            for (Future<V> each : reading) {
                read.add(each.get());
            }
            return read;
        } catch (ExecutionException e) {
            if (e.getCause() instanceof DriverException failed) {
                throw failed;
            }
            throw new IllegalStateException("cannot read " + table.target(), e.getCause());
        } finally {
            pool.shutdownNow();
        }
    }

    static List<long[]> pieces(int count) {
        List<long[]> pieces = new ArrayList<>();
        BigInteger least = BigInteger.valueOf(Long.MIN_VALUE);
        BigInteger width = BigInteger.ONE.shiftLeft(Long.SIZE).divide(BigInteger.valueOf(count));
        for (int i = 0; i < count; i++) {
            long from = least.add(width.multiply(BigInteger.valueOf(i))).longValueExact();
            long next = i == count - 1
                    ? Long.MAX_VALUE
                    : least.add(width.multiply(BigInteger.valueOf(i + 1L)))
                            .subtract(BigInteger.ONE)
                            .longValueExact();
            pieces.add(new long[] {from, next});
        }
        return pieces;
    }

    private static String select(RowTable table, boolean pieces) {
        String columns =
                table.columns().stream().map(column -> column.to().asCql(true)).collect(Collectors.joining(", "));
        String times = table.columns().stream()
                .filter(column -> !column.key())
                .map(column -> ", WRITETIME(" + column.to().asCql(true) + ")")
                .collect(Collectors.joining());
        String token = "token("
                + table.metadata().getPartitionKey().stream()
                        .map(key -> key.getName().asCql(true))
                        .collect(Collectors.joining(", "))
                + ")";
        return "SELECT " + columns + times + " FROM " + table.target()
                + (pieces ? " WHERE " + token + " >= ? AND " + token + " <= ?" : "");
    }

    private <V extends Visitor> V piece(
            RowTable table, PreparedStatement select, long[] piece, long copied, Supplier<V> visitors)
            throws InterruptedException {
        long begun = nanoClock.getAsLong();
        while (true) {
            V visitor = visitors.get();
            try {
                int count = table.columns().size();
                int times = count - table.keys();
                for (Row row : session.execute(piece.length == 0 ? select.bind() : select.bind(piece[0], piece[1]))) {
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
