package dev.cassidy.jdbc;

import dev.cassidy.jdbc.error.Redaction;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ParameterMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
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
            ParameterMetaData.class);

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
        Redaction used = redactionOf(method, arguments);
        Object result;
        try {
            result = method.invoke(target, given);
        } catch (InvocationTargetException e) {
            // Before what the batch held is forgotten.
            Throwable thrown = e.getCause() instanceof SQLException sql ? redacted(used, sql) : e.getCause();
            forget(method);
            throw thrown;
        }
        forget(method);
        if (result instanceof SQLWarning warning) {
            synchronized (used) {
                return used.warning(warning);
            }
        }
        return wrapped(method, result, used);
    }

    private static SQLException redacted(Redaction redaction, SQLException e) {
        synchronized (redaction) {
            return redaction.error(e);
        }
    }

    private @Nullable Object ofObject(Method method, @Nullable Object[] arguments) throws Throwable {
        if (method.getName().equals("equals")) {
            Object other = arguments[0];
            return other != null
                    && Proxy.isProxyClass(other.getClass())
                    && Proxy.getInvocationHandler(other) instanceof Redacting redacting
                    && redacting.target == target;
        }
        return method.invoke(target, arguments);
    }

    /** Returns what knows the values of this call. */
    private Redaction redactionOf(Method method, @Nullable Object[] arguments) {
        if (arguments.length == 0) {
            if (target instanceof PreparedStatement && method.getName().equals("addBatch")) {
                synchronized (redaction) {
                    redaction.addParametersToBatch();
                }
            }
            return redaction;
        }
        if (target instanceof Connection) {
            // A connection lives long, and its statements know what they hold.
            Redaction ofCall = new Redaction();
            for (Object argument : arguments) {
                if (argument instanceof String text && method.getName().startsWith("prepare")) {
                    ofCall.addText(text);
                } else {
                    ofCall.addValue(argument);
                }
            }
            return ofCall;
        }
        if (target instanceof Statement) {
            synchronized (redaction) {
                addToStatement(method.getName(), arguments);
            }
        }
        return redaction;
    }

    private void addToStatement(String method, @Nullable Object[] arguments) {
        if (method.equals("addBatch")) {
            redaction.addBatch((String) arguments[0]);
        } else if (method.startsWith("execute")) {
            redaction.clearTexts();
            redaction.addText((String) arguments[0]);
        } else if (method.startsWith("set") && arguments.length > 1) {
            redaction.setParameter(arguments[0], arguments[1]);
        }
    }

    private void forget(Method method) {
        if (target instanceof Statement && method.getName().matches("clearBatch|executeBatch|executeLargeBatch")) {
            synchronized (redaction) {
                redaction.clearBatch();
            }
        }
    }

    private @Nullable Object wrapped(Method method, @Nullable Object result, Redaction used) {
        if (result == null
                || !TYPES.contains(method.getReturnType())
                || method.getName().equals("unwrap")) {
            return result;
        }
        for (Redacting each = this; each != null; each = each.parent) {
            if (each.target == result) {
                return each.proxy;
            }
        }
        for (Class<?> type : TYPES) {
            if (type.isInstance(result)) {
                return new Redacting(result, type, this, used).proxy;
            }
        }
        return result;
    }
}
