package dev.cassidy.differential;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

/** Base class of the shop's DAOs, in the style of code from before frameworks. */
class Dao {

    final Connection connection;

    Dao(Connection connection) {
        this.connection = connection;
    }

    final int update(String sql, Object... parameters) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            set(statement, parameters);
            return statement.executeUpdate();
        }
    }

    final List<List<Object>> select(String sql, Object... parameters) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            set(statement, parameters);
            try (ResultSet rows = statement.executeQuery()) {
                return Observations.rows(rows);
            }
        }
    }

    /** Returns the keys, requested by the flag. */
    final List<List<Object>> insert(String sql, Object... parameters) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql, Statement.RETURN_GENERATED_KEYS)) {
            set(statement, parameters);
            statement.executeUpdate();
            return keys(statement);
        }
    }

    static List<List<Object>> keys(Statement statement) throws SQLException {
        try (ResultSet keys = statement.getGeneratedKeys()) {
            return Observations.rows(keys);
        }
    }

    static void set(PreparedStatement statement, Object... parameters) throws SQLException {
        for (int i = 0; i < parameters.length; i++) {
            statement.setObject(i + 1, parameters[i]);
        }
    }
}
