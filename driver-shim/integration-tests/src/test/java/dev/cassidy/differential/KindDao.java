package dev.cassidy.differential;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;

/** A table with a column of each common type. */
final class KindDao extends Dao {

    static final String TABLE = "CREATE TABLE kind (id INT IDENTITY PRIMARY KEY, i INT, l BIGINT, s SMALLINT, b BIT, d"
            + " DECIMAL(10,2), f FLOAT, r REAL, t NVARCHAR(5), born DATE, clock TIME, moment DATETIME2(3), u"
            + " UNIQUEIDENTIFIER, raw VARBINARY(100))";

    KindDao(Connection connection) {
        super(connection);
    }

    @FunctionalInterface
    interface Setter {
        void set(PreparedStatement statement, int index) throws SQLException;
    }

    @FunctionalInterface
    interface Getter {
        Object get(ResultSet row, int index) throws SQLException;
    }

    /** Writes one column of a new row, and reads it back. */
    Object writeAndRead(String column, Setter setter, Getter getter) throws SQLException {
        int id;
        try (PreparedStatement insert =
                connection.prepareStatement("INSERT INTO kind (" + column + ") VALUES (?)", new String[] {"id"})) {
            setter.set(insert, 1);
            insert.executeUpdate();
            try (ResultSet keys = insert.getGeneratedKeys()) {
                keys.next();
                id = keys.getInt(1);
            }
        }
        try (PreparedStatement select = connection.prepareStatement("SELECT " + column + " FROM kind WHERE id = ?")) {
            select.setInt(1, id);
            try (ResultSet row = select.executeQuery()) {
                row.next();
                Object value = getter.get(row, 1);
                return List.of(value == null ? new Observations.Shown("null") : value, row.wasNull());
            }
        }
    }
}
