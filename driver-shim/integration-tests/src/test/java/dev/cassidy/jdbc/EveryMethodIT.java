package dev.cassidy.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Array;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ParameterMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Calendar;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Calls every method of JDBC's interfaces. It must work, or throw a SQLException that says why not. */
class EveryMethodIT {

    /** Methods that may be called on a closed object. */
    private static final Set<String> ANSWER_WHEN_CLOSED = Set.of(
            "close",
            "isClosed",
            "isValid",
            "abort",
            "unwrap",
            "isWrapperFor",
            "beginRequest",
            "endRequest",
            "enquoteIdentifier",
            "enquoteLiteral",
            "enquoteNCharLiteral",
            "isSimpleIdentifier");

    private interface Source {
        Object open() throws SQLException;
    }

    private static TestCluster cluster;
    private static Connection connection;

    @BeforeAll
    static void prepare() throws SQLException {
        cluster = TestCluster.fresh("every_method_it");
        cluster.cql("CREATE TABLE $.t (id int PRIMARY KEY, v text)", "INSERT INTO $.t (id, v) VALUES (1, 'one')");
        // Keeps open the session that all connections share.
        connection = cluster.connect();
    }

    @AfterAll
    static void close() throws SQLException {
        connection.close();
    }

    private static ResultSet rows() throws SQLException {
        ResultSet rows = connection.createStatement().executeQuery("SELECT v FROM t");
        rows.next();
        return rows;
    }

    private static PreparedStatement prepared() throws SQLException {
        return connection.prepareStatement("SELECT v FROM t WHERE id = ?");
    }

    private static DataSource dataSource() {
        CassidyDataSource source = new CassidyDataSource();
        source.setUrl(cluster.url());
        return source;
    }

    static Stream<Arguments> objects() {
        return Stream.of(
                Arguments.of(Connection.class, (Source) () -> cluster.connect()),
                Arguments.of(Statement.class, (Source) () -> connection.createStatement()),
                Arguments.of(PreparedStatement.class, (Source) EveryMethodIT::prepared),
                Arguments.of(ResultSet.class, (Source) EveryMethodIT::rows),
                Arguments.of(ResultSetMetaData.class, (Source) () -> rows().getMetaData()),
                Arguments.of(ParameterMetaData.class, (Source) () -> prepared().getParameterMetaData()),
                Arguments.of(DatabaseMetaData.class, (Source) () -> connection.getMetaData()),
                Arguments.of(DataSource.class, (Source) EveryMethodIT::dataSource),
                Arguments.of(java.sql.Array.class, (Source) () -> connection.createArrayOf("int", new Object[] {1})),
                Arguments.of(java.sql.Struct.class, (Source) () -> connection.createStruct("s", new Object[] {1})));
    }

    static Stream<Arguments> closeable() {
        return objects()
                .filter(each -> each.get()[0] == Connection.class
                        || each.get()[0] == Statement.class
                        || each.get()[0] == PreparedStatement.class
                        || each.get()[0] == ResultSet.class);
    }

    private static List<Method> methods(Class<?> type) {
        return Stream.of(type.getMethods())
                .filter(method -> !java.lang.reflect.Modifier.isStatic(method.getModifiers()))
                .sorted(Comparator.comparing(Method::toString))
                .toList();
    }

    @ParameterizedTest
    @MethodSource("objects")
    void shouldServeOrRefuseByName(Class<?> type, Source source) throws SQLException {
        List<String> wrong = new ArrayList<>();
        for (boolean nulls : new boolean[] {false, true}) {
            for (Method method : methods(type)) {
                if (nulls && !takesNulls(type, method)) {
                    continue;
                }
                Object object = source.open();
                Throwable thrown = call(object, method, nulls);
                if (thrown != null && !isExplained(thrown, method)) {
                    wrong.add(signature(method) + (nulls ? " with nulls: " : ": ") + thrown);
                }
                if (object instanceof AutoCloseable open) {
                    closeQuietly(open);
                }
            }
        }
        assertThat(wrong).isEmpty();
    }

    /**
     * The JDK documents that its own quoting of names fails on null. Metadata methods require a table where they take
     * no pattern.
     */
    private static boolean takesNulls(Class<?> type, Method method) {
        return type != DatabaseMetaData.class
                && !method.getName().matches("enquote.*|isSimpleIdentifier")
                && !Stream.of(method.getParameterTypes()).allMatch(Class::isPrimitive);
    }

    private static void closeQuietly(AutoCloseable open) throws SQLException {
        try {
            open.close();
        } catch (SQLException e) {
            throw e;
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    /** Refusing a feature must name the method; a failure because of the arguments must have a state and a message. */
    private static boolean isExplained(Throwable thrown, Method method) {
        if (!(thrown instanceof SQLException e) || e.getMessage() == null || "0A000".equals(e.getSQLState())) {
            return false;
        }
        if (e instanceof SQLFeatureNotSupportedException) {
            return "HYC00".equals(e.getSQLState())
                    && (e.getMessage().contains(method.getName())
                            // A value that is not supported, of a method that is supported.
                            || e.getMessage().contains("="));
        }
        return e.getSQLState() != null;
    }

    @ParameterizedTest
    @MethodSource("closeable")
    void shouldThrowAfterClose(Class<?> type, Source source) throws Exception {
        AutoCloseable object = (AutoCloseable) source.open();
        object.close();
        List<String> answered = new ArrayList<>();
        for (Method method : methods(type)) {
            if (ANSWER_WHEN_CLOSED.contains(method.getName())) {
                continue;
            }
            Throwable thrown = call(object, method, false);
            if (!(thrown instanceof SQLException)) {
                answered.add(signature(method) + ": " + thrown);
            }
        }
        assertThat(answered).isEmpty();
    }

    private static Throwable call(Object object, Method method, boolean nulls) {
        Object[] arguments = new Object[method.getParameterCount()];
        for (int i = 0; i < arguments.length; i++) {
            Class<?> type = method.getParameterTypes()[i];
            arguments[i] = nulls && !type.isPrimitive() ? null : sample(type, method);
        }
        try {
            Object result = method.invoke(object, arguments);
            if (object instanceof DataSource && result instanceof Connection opened) {
                opened.close();
            }
            return null;
        } catch (InvocationTargetException e) {
            return e.getCause();
        } catch (IllegalAccessException | SQLException e) {
            return e;
        }
    }

    private static Object sample(Class<?> type, Method method) {
        if (type == boolean.class) {
            return true;
        }
        if (type == String.class) {
            boolean sql = method.getName().matches("execute.*|prepare.*|addBatch|nativeSQL");
            return sql ? "SELECT v FROM t" : "v";
        }
        if (type == Class.class) {
            return String.class;
        }
        if (type == Object.class) {
            return "1";
        }
        Map<Class<?>, Object> samples = Map.of(
                byte.class,
                (byte) 1,
                short.class,
                (short) 1,
                int.class,
                1,
                long.class,
                1L,
                float.class,
                1f,
                double.class,
                1.0,
                BigDecimal.class,
                BigDecimal.ONE,
                Calendar.class,
                Calendar.getInstance(),
                Properties.class,
                new Properties(),
                Executor.class,
                (Executor) Runnable::run);
        if (samples.containsKey(type)) {
            return samples.get(type);
        }
        if (type == Map.class) {
            return Map.of("t", String.class);
        }
        if (type.isArray()) {
            Object array = Array.newInstance(type.getComponentType(), 1);
            Array.set(array, 0, sample(type.getComponentType(), method));
            return array;
        }
        return null;
    }

    private static String signature(Method method) {
        return method.getDeclaringClass().getSimpleName() + "." + method.getName()
                + java.util.Arrays.toString(method.getParameterTypes());
    }
}
