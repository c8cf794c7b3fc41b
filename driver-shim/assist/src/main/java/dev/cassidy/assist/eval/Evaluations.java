package dev.cassidy.assist.eval;

import dev.cassidy.jdbc.assist.Evaluated;
import dev.cassidy.jdbc.assist.SessionLanguage;
import java.sql.SQLException;
import java.time.ZoneId;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import net.sf.jsqlparser.schema.Table;
import org.jspecify.annotations.Nullable;

/** The statements of one database, of which some stay prepared. Safe for use by many threads. */
final class Evaluations implements AutoCloseable {

    /** How many statements stay prepared, each with a connection. */
    private static final int MOST_KEPT = 64;

    private final Database database;

    /** The one first that nobody has used for longest. */
    private final Map<PreparedEvaluation.Key, Deque<PreparedEvaluation>> idle = new LinkedHashMap<>();

    private int kept;
    private boolean closed;

    /** @param database which is closed with this */
    Evaluations(Database database) {
        this.database = database;
    }

    /** @param stop ends it, if it is cancelled */
    Evaluated run(
            Dialect.Written written,
            IdentityHashMap<Table, FedTable> tables,
            SessionLanguage language,
            ZoneId zone,
            Limits limits,
            CompletableFuture<?> stop)
            throws SQLException {
        List<PreparedEvaluation.Fed> fed = PreparedEvaluation.Fed.of(written, tables);
        PreparedEvaluation.Key key = new PreparedEvaluation.Key(
                written.sql(),
                fed.stream().map(PreparedEvaluation.Fed::made).toList(),
                fed.stream().map(PreparedEvaluation.Fed::fill).toList(),
                language,
                zone);
        PreparedEvaluation evaluation = idle(key);
        if (evaluation == null) {
            evaluation = PreparedEvaluation.make(database.connect(), key);
        }
        boolean clean = false;
        try {
            Evaluated result = evaluation.evaluate(written, fed, zone, limits, stop);
            // What ends a statement may be left in its connection.
            clean = !stop.isCancelled();
            return result;
        } finally {
            if (clean && key.isKept() && Running.current().characters() <= PreparedEvaluation.MOST_CHARACTERS) {
                keep(evaluation);
            } else {
                evaluation.close();
            }
        }
    }

    /** Returns a statement that is prepared, and takes it away from others; null if there is none. */
    private synchronized @Nullable PreparedEvaluation idle(PreparedEvaluation.Key key) {
        Deque<PreparedEvaluation> same = idle.get(key);
        if (same == null) {
            return null;
        }
        kept--;
        PreparedEvaluation last = same.removeLast();
        if (same.isEmpty()) {
            idle.remove(key);
        }
        return last;
    }

    /** Keeps a statement for others, in place of the one that nobody has used for longest. */
    private void keep(PreparedEvaluation evaluation) throws SQLException {
        PreparedEvaluation ended = kept(evaluation);
        if (ended != null) {
            ended.close();
        }
    }

    /** Returns which one ends; null if none does. */
    private synchronized @Nullable PreparedEvaluation kept(PreparedEvaluation evaluation) {
        if (closed) {
            return evaluation;
        }
        // To the end of the order, also if others of it are there.
        Deque<PreparedEvaluation> same = idle.remove(evaluation.key());
        if (same == null) {
            same = new ArrayDeque<>();
        }
        same.addLast(evaluation);
        idle.put(evaluation.key(), same);
        kept++;
        return kept > MOST_KEPT ? idle(idle.keySet().iterator().next()) : null;
    }

    @Override
    public void close() throws SQLException {
        for (PreparedEvaluation each : end()) {
            each.close();
        }
        database.close();
    }

    private synchronized List<PreparedEvaluation> end() {
        closed = true;
        List<PreparedEvaluation> all =
                idle.values().stream().flatMap(Deque::stream).toList();
        idle.clear();
        kept = 0;
        return all;
    }
}
