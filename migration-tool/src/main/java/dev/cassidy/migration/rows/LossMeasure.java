package dev.cassidy.migration.rows;

import dev.cassidy.migration.schema.TextComparison;
import dev.cassidy.migration.schema.TsqlType;
import dev.cassidy.migration.source.Source;
import dev.cassidy.migration.source.SourceTable;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongConsumer;
import java.util.stream.Collectors;

/** Counts the values of a table that Cassandra cannot keep as they are, by the conversion that copies them. */
public final class LossMeasure {

    private static final int ROWS_A_STEP = 10_000;

    /**
     * Values of one column that would change.
     *
     * @param meaning what they would lose
     * @param values how many there are
     * @param example one of them, and what it becomes; empty if there is none
     */
    public record Loss(MovedColumn column, String meaning, long values, String example) {}

    private LossMeasure() {}

    /** Returns whether some value of the column may change, by its type. */
    public static boolean mayLose(MovedColumn column, Optional<ZoneId> zone) {
        return Conversion.mayLose(column, zone);
    }

    /**
     * Returns whether strings of the column that the source takes for equal may be different ones in Cassandra: not those of a key that is
     * compared as in the source.
     *
     * @param columns all of its table
     */
    public static boolean mayLoseCase(MovedColumn column, List<MovedColumn> columns) {
        return column.tsql().kind() == TsqlType.Kind.TEXT
                && column.twin() == null
                && TsqlType.ignoresCase(column.from())
                && columns.stream()
                        .noneMatch(each -> each.from().equals(column.from())
                                && each.twin() != null
                                && !TextComparison.isFiner(each.from(), each.twin()));
    }

    /** Returns whether the values are moments that need a zone to be known. */
    public static boolean needsZone(MovedColumn column) {
        return Conversion.needsZone(column.tsql().kind(), column.type());
    }

    /**
     * Reads the columns of which some value may change. A column without such a value has an entry too.
     *
     * @param step receives how many more rows were read
     */
    public static List<Loss> count(
            Source source, SourceTable table, List<MovedColumn> columns, Optional<ZoneId> zone, LongConsumer step) {
        List<Loss> losses = new ArrayList<>();
        List<MovedColumn> read =
                columns.stream().filter(column -> mayLose(column, zone)).toList();
        try (Connection connection = source.connect()) {
            connection.setAutoCommit(false);
            if (!read.isEmpty()) {
                losses.addAll(scan(source, connection, table, read, zone, step));
            }
            for (MovedColumn column : columns) {
                if (mayLoseCase(column, columns)) {
                    losses.add(spellings(source, connection, table, column));
                }
            }
            connection.rollback();
        } catch (SQLException e) {
            throw RangeRunner.sourceFailure(table.qualifiedName(), e);
        }
        return losses;
    }

    private static List<Loss> scan(
            Source source,
            Connection connection,
            SourceTable table,
            List<MovedColumn> columns,
            Optional<ZoneId> zone,
            LongConsumer step)
            throws SQLException {
        List<Conversion> conversions =
                columns.stream().map(column -> new Conversion(column, zone)).toList();
        Map<MovedColumn, Map<Losses.Kind, Long>> counts = new LinkedHashMap<>();
        Map<MovedColumn, String> examples = new LinkedHashMap<>();
        Losses counter = (column, kind, was, becomes) -> {
            counts.computeIfAbsent(column, none -> new EnumMap<>(Losses.Kind.class))
                    .merge(kind, 1L, Long::sum);
            examples.putIfAbsent(column, was + " becomes " + becomes);
        };
        String sql = "SELECT "
                + columns.stream()
                        .map(column -> source.quote(column.from().name()))
                        .collect(Collectors.joining(", "))
                + " FROM " + source.quoted(table.schema(), table.name());
        long rows = 0;
        try (Statement statement = RangeRunner.statement(source, connection);
                ResultSet found = statement.executeQuery(sql)) {
            while (found.next()) {
                for (int i = 0; i < conversions.size(); i++) {
                    conversions.get(i).value(found, i + 1, counter);
                }
                rows++;
                if (rows % ROWS_A_STEP == 0) {
                    step.accept(ROWS_A_STEP);
                }
            }
        }
        step.accept(rows % ROWS_A_STEP);
        List<Loss> losses = new ArrayList<>();
        for (MovedColumn column : columns) {
            Map<Losses.Kind, Long> found = counts.getOrDefault(column, Map.of());
            if (found.isEmpty()) {
                losses.add(new Loss(
                        column,
                        column.tsql().text() + " becomes " + column.type().asCql(false, false),
                        0,
                        ""));
            }
            found.forEach((kind, values) ->
                    losses.add(new Loss(column, kind.meaning(), values, examples.getOrDefault(column, ""))));
        }
        return losses;
    }

    /** Counts the spellings that the source takes for another one, and Cassandra does not. */
    private static Loss spellings(Source source, Connection connection, SourceTable table, MovedColumn column)
            throws SQLException {
        String name = source.quote(column.from().name());
        String exact = source.engine().startsWith("PostgreSQL")
                ? "CAST(" + name + " AS text)"
                : source.engine().startsWith("SQL Server")
                        ? "CAST(" + name + " AS varbinary(8000))"
                        : source.engine().startsWith("H2")
                                ? "CAST(" + name + " AS varbinary)"
                                : "CAST(" + name + " AS BINARY)";
        String sql = "SELECT COUNT(DISTINCT " + exact + ") - COUNT(DISTINCT " + name + ") FROM "
                + source.quoted(table.schema(), table.name());
        try (Statement statement = connection.createStatement();
                ResultSet found = statement.executeQuery(sql)) {
            found.next();
            return new Loss(
                    column,
                    "strings that differ in case or accents alone are equal in the source, and different in Cassandra",
                    found.getLong(1),
                    "");
        }
    }

    /** Counts the keys that several rows have, and would be one row in Cassandra. */
    public static long duplicates(Source source, SourceTable table, List<String> key) {
        String columns = key.stream().map(source::quote).collect(Collectors.joining(", "));
        return number(
                source,
                "SELECT COUNT(*) FROM (SELECT COUNT(*) AS n FROM " + source.quoted(table.schema(), table.name())
                        + " GROUP BY " + columns + " HAVING COUNT(*) > 1) AS d");
    }

    /** Counts the rows whose key would have a null. */
    public static long nulls(Source source, SourceTable table, List<String> nullable) {
        return number(
                source,
                "SELECT COUNT(*) FROM " + source.quoted(table.schema(), table.name()) + " WHERE "
                        + nullable.stream()
                                .map(name -> source.quote(name) + " IS NULL")
                                .collect(Collectors.joining(" OR ")));
    }

    private static long number(Source source, String sql) {
        try (Statement statement = source.connection().createStatement();
                ResultSet found = statement.executeQuery(sql)) {
            found.next();
            return found.getLong(1);
        } catch (SQLException e) {
            throw RangeRunner.sourceFailure(sql, e);
        }
    }
}
