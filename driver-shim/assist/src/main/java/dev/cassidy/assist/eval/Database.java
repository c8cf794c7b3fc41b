package dev.cassidy.assist.eval;

import dev.cassidy.collation.Collation;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import org.h2.engine.SessionLocal;
import org.h2.jdbc.JdbcConnection;
import org.jspecify.annotations.Nullable;

/**
 * A database of H2 in memory, for one collation. Statements run as a user who may do nothing but read, and make temporary tables that
 * no other connection sees. Its name and passwords are random, so that nobody else in the process opens it.
 */
final class Database implements AutoCloseable {

    /** No result of a statement is kept for the next one. */
    private static final String SETTINGS = ";DB_CLOSE_ON_EXIT=FALSE;QUERY_CACHE_SIZE=0;OPTIMIZE_REUSE_RESULTS=0";

    /** How many statements stay prepared, each with a connection. */
    private static final int MOST_KEPT = 64;

    private static final List<Class<?>> FUNCTIONS =
            List.of(TextFunctions.class, NumberFunctions.class, ConversionFunctions.class, DateFunctions.class);

    private static final String EVALUATOR = "EVALUATOR";

    private final String url = "jdbc:h2:mem:" + UUID.randomUUID();
    private final String password = UUID.randomUUID().toString();
    private final Connection owner;
    private final Map<PreparedEvaluation.Key, Deque<PreparedEvaluation>> idle = new LinkedHashMap<>();
    private int kept;
    private boolean closed;

    private Database(@Nullable Collation collation) throws SQLException {
        owner = connect(url + SETTINGS, "OWNER", UUID.randomUUID().toString());
        try (Statement statement = owner.createStatement()) {
            // Before there is a table: what is sorted already would not be sorted again.
            ((SessionLocal) ((JdbcConnection) owner).getSession())
                    .getDatabase()
                    .setCompareMode(new CollationMode(collation));
            statement.execute("CREATE USER " + EVALUATOR + " PASSWORD '" + password + "'");
            for (Class<?> each : FUNCTIONS) {
                for (String name : functions(each)) {
                    // Of those that cannot fail H2 keeps the result of a subquery that is the same for each row; of
                    // others
                    // it would calculate what no row needs.
                    String kept = each == TextFunctions.class ? " DETERMINISTIC" : "";
                    statement.execute("CREATE ALIAS F_" + name.toUpperCase(Locale.ROOT) + kept + " FOR '"
                            + each.getName() + "." + name + "'");
                }
            }
        } catch (SQLException | RuntimeException e) {
            owner.close();
            throw e;
        }
    }

    static Database open(@Nullable Collation collation) {
        try {
            return new Database(collation);
        } catch (SQLException e) {
            throw new IllegalStateException("H2 does not open its database in memory", e);
        }
    }

    private static Set<String> functions(Class<?> type) {
        Set<String> names = new TreeSet<>();
        for (Method each : type.getDeclaredMethods()) {
            if (Modifier.isPublic(each.getModifiers()) && Modifier.isStatic(each.getModifiers())) {
                names.add(each.getName());
            }
        }
        return names;
    }

    private static Connection connect(String url, String user, String secret) throws SQLException {
        return new JdbcConnection(url, new Properties(), user, secret, false);
    }

    /** Returns a new connection. */
    Connection connect() throws SQLException {
        requireOpen();
        return connect(url, EVALUATOR, password);
    }

    private synchronized void requireOpen() {
        if (closed) {
            throw new IllegalStateException("must be open");
        }
    }

    /** Returns a statement that is prepared, and takes it away from others; null if there is none. */
    synchronized @Nullable PreparedEvaluation idle(PreparedEvaluation.Key key) {
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
    void keep(PreparedEvaluation evaluation) throws SQLException {
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
        owner.close();
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
