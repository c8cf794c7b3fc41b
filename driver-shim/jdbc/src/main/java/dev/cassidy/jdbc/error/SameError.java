package dev.cassidy.jdbc.error;

import java.lang.reflect.InvocationTargetException;
import java.sql.SQLClientInfoException;
import java.sql.SQLException;

/** An error of the same class of JDBC, with the same SQLState and number, and another message. */
public final class SameError {

    private SameError() {}

    /** Returns it without cause, and with a stack trace of its own. */
    static SQLException with(SQLException e, String message) {
        if (e instanceof SQLClientInfoException info) {
            return new SQLClientInfoException(message, e.getSQLState(), e.getErrorCode(), info.getFailedProperties());
        }
        for (Class<?> type = e.getClass(); type != SQLException.class; type = type.getSuperclass()) {
            if (type.getName().startsWith("java.sql.")) {
                try {
                    return (SQLException) type.getConstructor(String.class, String.class, int.class)
                            .newInstance(message, e.getSQLState(), e.getErrorCode());
                } catch (NoSuchMethodException | InstantiationException | IllegalAccessException missing) {
                    // Its superclass has one.
                } catch (InvocationTargetException failed) {
                    throw new IllegalStateException(failed);
                }
            }
        }
        return new SQLException(message, e.getSQLState(), e.getErrorCode());
    }

    /** Returns the error with a further sentence; it says the same otherwise. */
    public static SQLException andAlso(SQLException e, String sentence) {
        String message = String.valueOf(e.getMessage());
        return said(e, message + (message.endsWith(".") ? " " : ". ") + sentence);
    }

    /** Returns the error with a sentence before what it says; it says the same otherwise. */
    public static SQLException after(String sentence, SQLException e) {
        return said(e, sentence + " " + e.getMessage());
    }

    private static SQLException said(SQLException e, String message) {
        SQLException same = with(e, message);
        same.setStackTrace(e.getStackTrace());
        if (e.getCause() != null) {
            same.initCause(e.getCause());
        }
        if (e.getNextException() != null) {
            same.setNextException(e.getNextException());
        }
        return same;
    }
}
