package dev.cassidy.migration;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.metadata.schema.ColumnMetadata;
import com.datastax.oss.driver.api.core.metadata.schema.TableMetadata;
import com.datastax.oss.driver.api.core.type.DataTypes;
import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.migration.error.MigrationException;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** A table of Cassandra's native counters. */
final class NativeCounters {

    private static final Duration TIMEOUT = Duration.ofMinutes(1);
    private static final int PAGE = 1_000;

    private final CqlSession session;
    private final TableMetadata table;
    private final ColumnMetadata column;

    private NativeCounters(CqlSession session, TableMetadata table, ColumnMetadata column) {
        this.session = session;
        this.table = table;
        this.column = column;
    }

    /** Receives a counter's name and its value. */
    interface Visitor {
        void visit(String name, long value);
    }

    /**
     * Finds a table.
     *
     * @param from {@code keyspace.table}, as CQL writes it
     * @param column the counter column; null for the only one
     */
    static NativeCounters of(CqlSession session, String from, @Nullable String column) {
        int dot = from.indexOf('.');
        if (dot < 1 || dot == from.length() - 1) {
            throw new MigrationException(ExitCode.USAGE, "must be keyspace.table: --from '" + from + "'");
        }
        TableMetadata table = session.getMetadata()
                .getKeyspace(CqlIdentifier.fromCql(from.substring(0, dot)))
                .flatMap(keyspace -> keyspace.getTable(CqlIdentifier.fromCql(from.substring(dot + 1))))
                .orElseThrow(() -> new MigrationException(ExitCode.USAGE, "there is no table " + from + ": --from"));
        List<ColumnMetadata> counters = table.getColumns().values().stream()
                .filter(each -> each.getType().equals(DataTypes.COUNTER))
                .toList();
        String names = counters.stream().map(each -> each.getName().asCql(true)).collect(Collectors.joining(", "));
        if (counters.isEmpty()) {
            throw new MigrationException(
                    ExitCode.USAGE, "table " + from + " has no column of type counter: --from names another table");
        }
        if (column == null && counters.size() > 1) {
            throw new MigrationException(
                    ExitCode.USAGE,
                    "table " + from + " has several counter columns, " + names
                            + ": choose one by --column, and move each to a table of its own");
        }
        ColumnMetadata chosen = counters.stream()
                .filter(each -> column == null || each.getName().equals(CqlIdentifier.fromCql(column)))
                .findFirst()
                .orElseThrow(() -> new MigrationException(
                        ExitCode.USAGE,
                        "table " + from + " has no counter column " + column + "; it has " + names + ": --column"));
        if (chosen.isStatic()) {
            throw new MigrationException(
                    ExitCode.REFUSED,
                    "column " + chosen.getName().asCql(true) + " of table " + from
                            + " is static: a partition's rows would repeat it. Copy it into a table of its own first");
        }
        return new NativeCounters(session, table, chosen);
    }

    String name() {
        return table.getKeyspace().asCql(true) + "." + table.getName().asCql(true) + "."
                + column.getName().asCql(true);
    }

    /** Reads every counter that has a value, in the order of their tokens, at LOCAL_QUORUM. */
    void each(Visitor visitor) {
        String keys = table.getPrimaryKey().stream()
                .map(key -> key.getName().asCql(true))
                .collect(Collectors.joining(", "));
        PreparedStatement select = session.prepare("SELECT " + keys + ", "
                + column.getName().asCql(true) + " FROM " + table.getKeyspace().asCql(true) + "."
                + table.getName().asCql(true));
        int parts = table.getPrimaryKey().size();
        for (Row row : session.execute(select.bind()
                .setConsistencyLevel(ConsistencyLevel.LOCAL_QUORUM)
                .setIdempotent(true)
                .setTimeout(TIMEOUT)
                .setPageSize(PAGE))) {
            MigrationException.throwIfInterrupted();
            if (!row.isNull(parts)) {
                visitor.visit(nameOf(row, parts), row.getLong(parts));
            }
        }
    }

    /** No two keys have one name: in several parts, what joins them is escaped. */
    private static String nameOf(Row row, int parts) {
        if (parts == 1) {
            return text(row, 0);
        }
        return IntStream.range(0, parts)
                .mapToObj(part -> text(row, part).replace("%", "%25").replace("/", "%2F"))
                .collect(Collectors.joining("/"));
    }

    private static String text(Row row, int part) {
        Object value = row.getObject(part);
        if (value instanceof String text) {
            return text;
        }
        String literal = row.codecRegistry().codecFor(row.getType(part)).format(value);
        return literal.startsWith("'") ? literal.substring(1, literal.length() - 1) : literal;
    }
}
