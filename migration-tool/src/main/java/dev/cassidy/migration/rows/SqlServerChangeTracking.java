package dev.cassidy.migration.rows;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** SQL Server's Change Tracking, from SQL Server 2008 on. The login needs VIEW CHANGE TRACKING on each table. */
final class SqlServerChangeTracking implements ChangeFeed {

    @Override
    public OptionalLong version(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet found = statement.executeQuery("SELECT CHANGE_TRACKING_CURRENT_VERSION()")) {
            return number(found);
        }
    }

    @Override
    public OptionalLong oldest(Connection connection, RowTable table) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement("SELECT CHANGE_TRACKING_MIN_VALID_VERSION(OBJECT_ID(?))")) {
            statement.setString(1, table.quotedTable());
            try (ResultSet found = statement.executeQuery()) {
                return number(found);
            }
        }
    }

    private static OptionalLong number(ResultSet found) throws SQLException {
        found.next();
        long version = found.getLong(1);
        return found.wasNull() ? OptionalLong.empty() : OptionalLong.of(version);
    }

    @Override
    public String changed(RowTable table, long after) {
        List<String> read = new ArrayList<>();
        table.columns()
                .forEach(column -> read.add("t." + table.quote(column.from().name())));
        ChangeFeed.key(table).forEach(name -> read.add("c." + table.quote(name)));
        String same = ChangeFeed.key(table).stream()
                .map(table::quote)
                .map(name -> "t." + name + " = c." + name)
                .collect(Collectors.joining(" AND "));
        // A subquery, as which their number is asked for, takes no two columns of one name.
        String columns = IntStream.range(0, read.size())
                .mapToObj(i -> read.get(i) + " AS c" + i)
                .collect(Collectors.joining(", "));
        // Of a row that was deleted after the version that is read now, too, t is NULL: it is gone.
        return "SELECT " + columns + " FROM CHANGETABLE(CHANGES " + table.quotedTable() + ", " + after
                + ") AS c LEFT OUTER JOIN " + table.quotedTable() + " AS t ON " + same;
    }
}
