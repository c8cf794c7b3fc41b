package dev.cassidy.jdbc.run;

import com.datastax.oss.driver.api.core.type.codec.TypeCodec;
import dev.cassidy.jdbc.error.SqlErrors;
import dev.cassidy.jdbc.overlay.Overlay;
import dev.cassidy.jdbc.session.SharedSession;
import dev.cassidy.transaction.LockMark;
import dev.cassidy.transaction.LockResolver;
import dev.cassidy.transaction.cassandra.DecidedRows;
import java.nio.ByteBuffer;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What a statement does about rows that transactions hold. */
final class Locks {

    static final int MAX_TRIES = DecidedRows.MAX_LOCKS;

    private final SharedSession session;
    private final Cancellation cancellation;

    Locks(SharedSession session, Cancellation cancellation) {
        this.session = session;
        this.cancellation = cancellation;
    }

    static boolean isLock(@Nullable ByteBuffer mark) {
        return mark != null && LockMark.isLock(mark);
    }

    /** Returns whether a mark is that of a row that a transaction inserts: it is none before the commit. */
    static boolean isPlaceholder(@Nullable ByteBuffer mark) {
        return mark != null && LockMark.isPlaceholder(mark);
    }

    /**
     * Ends the transaction that holds a row which is read, if it is committed.
     *
     * @param key of the row, as the driver's codecs give it
     * @return whether the row has to be read again; if not, the values that it has count
     */
    boolean isEnded(Overlay.Table table, List<Object> key, ByteBuffer mark) throws SQLException {
        return cancellation.await(
                        session.transactions()
                                .resolver()
                                .met(table.writes(), encoded(table, key), mark, false)
                                .toCompletableFuture(),
                        Cancellation.READ_ALONE)
                == LockResolver.Met.FREED;
    }

    /** Waits until a row can be written that a transaction holds; one that does not end is aborted. */
    void free(Overlay.Table table, List<Object> key, ByteBuffer mark) throws SQLException {
        try {
            cancellation.await(
                    session.transactions()
                            .resolver()
                            .free(table.writes(), encoded(table, key), mark)
                            .toCompletableFuture(),
                    Cancellation.NOTHING_SENT);
        } catch (RuntimeException e) {
            throw SqlErrors.of(e);
        }
    }

    Map<String, ByteBuffer> encoded(Overlay.Table table, List<Object> key) {
        Map<String, ByteBuffer> encoded = new LinkedHashMap<>();
        for (int i = 0; i < key.size(); i++) {
            String column = table.key().get(i);
            TypeCodec<Object> codec = session.plain()
                    .getContext()
                    .getCodecRegistry()
                    .codecFor(Objects.requireNonNull(table.types().get(column)));
            encoded.put(
                    column,
                    Objects.requireNonNull(codec.encode(
                            key.get(i), session.plain().getContext().getProtocolVersion())));
        }
        return encoded;
    }
}
