package dev.cassidy.jdbc;

import java.sql.SQLFeatureNotSupportedException;

/** What JDBC offers and Cassidy does not, refused by name. */
final class Unserved {

    /**
     * Optional feature not implemented. Never 0A000, which says the same: HikariCP evicts the connection on that one.
     */
    static final String SQL_STATE = "HYC00";

    private Unserved() {}

    static SQLFeatureNotSupportedException method(String signature) {
        return feature(signature + " is not served by Cassidy's JDBC driver");
    }

    static SQLFeatureNotSupportedException feature(String message) {
        return new SQLFeatureNotSupportedException(message, SQL_STATE);
    }
}
