package dev.cassidy.jdbc;

import dev.cassidy.jdbc.error.Redaction;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Array;
import java.sql.Blob;
import java.sql.Clob;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.NClob;
import java.sql.ParameterMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.SQLXML;
import java.sql.Statement;
import java.sql.Struct;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A JDBC object, all of whose errors and warnings are without values. It stands between the application and the object, so
 * that no message can pass beside it. As safe for use by many threads as the object.
 */
final class Redacting implements InvocationHandler {

    /** From the most special one. */
    private static final List<Class<?>> TYPES = List.of(
            Connection.class,
            PreparedStatement.class,
            Statement.class,
            ResultSet.class,
            DatabaseMetaData.class,
            ResultSetMetaData.class,
            ParameterMetaData.class,
            Array.class,
            Struct.class,
            Blob.class,
            NClob.class,
            Clob.class,
            SQLXML.class);

    private final Object target;
    private final @Nullable Redacting parent;
    private final Redaction redaction;
    private final Object proxy;

    private Redacting(Object target, Class<?> type, @Nullable Redacting parent, Redaction redaction) {
        this.target = target;
        this.parent = parent;
        this.redaction = redaction;
        this.proxy = Proxy.newProxyInstance(Redacting.class.getClassLoader(), new Class<?>[] {type}, this);
    }

    static Connection wrap(Connection connection) {
        return (Connection) new Redacting(connection, Connection.class, null, new Redaction()).proxy;
    }

    @Override
    public @Nullable Object invoke(Object ignored, Method method, @Nullable Object @Nullable [] given)
            throws Throwable {
        @Nullable Object[] arguments = given == null ? new Object[0] : given;
        if (method.getDeclaringClass() == Object.class) {
            return ofObject(method, arguments);
        }
        if (method.getName().equals("unwrap") && arguments[0] instanceof Class<?> type && type.isInstance(proxy)) {
            return proxy;
        }
        Redaction used = redactionOf(method.getName(), arguments);
        Object result;
        try {
            result = method.invoke(target, given);
        } catch (InvocationTargetException e) {
            // Before what the batch held is forgotten.
            Throwable thrown = redacted(used, e.getTargetException());
            forget(method.getName(), true);
            throw thrown;
        }
        forget(method.getName(), false);
        if (result instanceof SQLWarning warning) {
            synchronized (used) {
                return used.warning(warning);
            }
        }
        return wrapped(method, arguments, result, used);
    }

    private static Throwable redacted(Redaction redaction, Throwable thrown) {
        synchronized (redaction) {
            if (thrown instanceof SQLException sql) {
                return redaction.error(sql);
            }
            if (thrown instanceof RuntimeException unchecked) {
                return redaction.unchecked(unchecked);
            }
            return thrown instanceof Error error ? redaction.fatal(error) : thrown;
        }
    }

    private @Nullable Object ofObject(Method method, @Nullable Object[] arguments) throws Throwable {
        if (method.getName().equals("equals")) {
            Object other = arguments[0];
            return other != null
                    && Proxy.isProxyClass(other.getClass())
                    && Proxy.getInvocationHandler(other) instanceof Redacting redacting
                    && redacting.target.equals(target);
        }
        return method.invoke(target, arguments);
    }

    /** Returns what knows the values of this call. */
    private Redaction redactionOf(String method, @Nullable Object[] arguments) {
        if (target instanceof Connection) {
            return ofConnection(method, arguments);
        }
        if (target instanceof Statement) {
            synchronized (redaction) {
                addToStatement(method, arguments);
            }
        }
        return redaction;
    }

    /** A connection lives long, and its statements know what they hold. It knows what waits for its commit. */
    private Redaction ofConnection(String method, @Nullable Object[] arguments) {
        if (arguments.length == 0 || method.equals("setAutoCommit")) {
            return redaction;
        }
        Redaction ofCall = new Redaction();
        for (Object argument : arguments) {
            if (!method.startsWith("prepare")) {
                ofCall.addValue(argument);
            } else if (argument instanceof String text) {
                ofCall.addText(text);
            }
        }
        return ofCall;
    }

    private void addToStatement(String method, @Nullable Object[] arguments) {
        boolean prepared = target instanceof PreparedStatement;
        if (method.equals("addBatch")) {
            if (arguments.length == 0) {
                redaction.addParametersToBatch();
            } else {
                redaction.addBatch((String) arguments[0]);
            }
        } else if (method.startsWith("execute")) {
            if (arguments.length > 0) {
                if (!prepared) {
                    redaction.clearTexts();
                }
                redaction.addText((String) arguments[0]);
            }
            redaction.runParameters();
            keepForCommit();
        } else if (method.startsWith("set") && arguments.length > 1) {
            redaction.setParameter(arguments[0], method.equals("setNull") ? null : arguments[1]);
        }
    }

    private void keepForCommit() {
        for (Redacting each = parent; each != null; each = each.parent) {
            if (each.target instanceof Connection connection && isInTransaction(connection)) {
                synchronized (each.redaction) {
                    each.redaction.addTransaction(redaction);
                }
            }
        }
    }

    private static boolean isInTransaction(Connection connection) {
        try {
            return !connection.getAutoCommit();
        } catch (SQLException closed) {
            return false;
        }
    }

    private void forget(String method, boolean failed) {
        if (target instanceof Statement && method.matches("clearBatch|executeBatch|executeLargeBatch")) {
            synchronized (redaction) {
                redaction.endBatch();
            }
        }
        if (target instanceof Connection && !failed && method.matches("commit|rollback|setAutoCommit")) {
            synchronized (redaction) {
                redaction.endTransaction();
            }
        }
    }

    private @Nullable Object wrapped(
            Method method, @Nullable Object[] arguments, @Nullable Object result, Redaction used) {
        if (result == null || method.getName().equals("unwrap")) {
            return result;
        }
        for (Redacting each = this; each != null; each = each.parent) {
            if (each.target == result) {
                return each.proxy;
            }
        }
        Class<?> wanted = method.getReturnType();
        if (arguments.length > 0 && arguments[arguments.length - 1] instanceof Class<?> asked) {
            wanted = asked;
        }
        for (Class<?> type : TYPES) {
            if (type.isInstance(result) && wanted.isAssignableFrom(type)) {
                // What a statement holds, it holds alone.
                Redaction its = result instanceof Statement && arguments.length == 0 ? new Redaction() : used;
                return new Redacting(result, type, this, its).proxy;
            }
        }
        return result;
    }
}
