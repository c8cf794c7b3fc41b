package dev.cassidy.assist.eval;

import dev.cassidy.collation.Collation;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Locale;
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

    private static final List<Class<?>> FUNCTIONS =
            List.of(TextFunctions.class, NumberFunctions.class, ConversionFunctions.class, DateFunctions.class);

    private static final String EVALUATOR = "EVALUATOR";

    private final String url = "jdbc:h2:mem:" + UUID.randomUUID();
    private final String password = UUID.randomUUID().toString();
    private final Connection owner;
    private volatile boolean closed;

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
        if (closed) {
            throw new IllegalStateException("must be open");
        }
        return connect(url, EVALUATOR, password);
    }

    @Override
    public void close() throws SQLException {
        closed = true;
        owner.close();
    }
}
