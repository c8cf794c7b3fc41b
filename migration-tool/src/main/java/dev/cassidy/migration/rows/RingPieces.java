package dev.cassidy.migration.rows;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.metadata.TokenMap;
import com.datastax.oss.driver.api.core.metadata.schema.TableMetadata;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;

/** The ring in pieces that are read at the same time. Together they are all of it. */
final class RingPieces {

    private static final int PIECES_A_READER = 8;

    private final int readers;

    /** Whether tokens are numbers that can be divided; otherwise all of the ring is one piece. */
    private final boolean divided;

    RingPieces(CqlSession session, int readers) {
        this.readers = readers;
        this.divided = session.getMetadata()
                .getTokenMap()
                .map(TokenMap::getPartitionerName)
                .filter(name -> name.endsWith("Murmur3Partitioner"))
                .isPresent();
    }

    /** A piece, for statements that end in {@link RingPieces#where}. */
    record Piece(List<Long> bounds) {

        BoundStatement bind(PreparedStatement select) {
            return select.bind(bounds.toArray());
        }
    }

    /** What is done with a piece. */
    interface Work<V> {
        V of(Piece piece) throws InterruptedException;
    }

    /** Returns the condition on the rows of a piece; empty if there is but one. */
    String where(TableMetadata table) {
        String token = "token("
                + table.getPartitionKey().stream()
                        .map(key -> key.getName().asCql(true))
                        .collect(Collectors.joining(", "))
                + ")";
        return divided ? " WHERE " + token + " >= ? AND " + token + " <= ?" : "";
    }

    /**
     * Does the work for all pieces.
     *
     * @throws ExecutionException with the first failure of a piece; the others are interrupted
     */
    <V> List<V> read(Work<V> work) throws InterruptedException, ExecutionException {
        List<Piece> pieces = divided ? pieces(readers * PIECES_A_READER) : List.of(new Piece(List.of()));
        ExecutorService pool = Executors.newFixedThreadPool(Math.min(readers, pieces.size()), task -> {
            Thread thread = new Thread(task, "scan");
            thread.setDaemon(true);
            return thread;
        });
        try {
            List<Future<V>> reading = new ArrayList<>();
            for (Piece piece : pieces) {
                reading.add(pool.submit(() -> work.of(piece)));
            }
            List<V> read = new ArrayList<>();
            for (Future<V> each : reading) {
                read.add(each.get());
            }
            return read;
        } finally {
            pool.shutdownNow();
        }
    }

    private static List<Piece> pieces(int count) {
        List<Piece> pieces = new ArrayList<>();
        BigInteger least = BigInteger.valueOf(Long.MIN_VALUE);
        BigInteger width = BigInteger.ONE.shiftLeft(Long.SIZE).divide(BigInteger.valueOf(count));
        for (int i = 0; i < count; i++) {
            long from = least.add(width.multiply(BigInteger.valueOf(i))).longValueExact();
            long last = i == count - 1
                    ? Long.MAX_VALUE
                    : least.add(width.multiply(BigInteger.valueOf(i + 1L)))
                            .subtract(BigInteger.ONE)
                            .longValueExact();
            pieces.add(new Piece(List.of(from, last)));
        }
        return pieces;
    }
}
