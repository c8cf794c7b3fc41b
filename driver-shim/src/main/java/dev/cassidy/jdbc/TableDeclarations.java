package dev.cassidy.jdbc;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.metadata.schema.ColumnMetadata;
import com.datastax.oss.driver.api.core.metadata.schema.TableMetadata;
import dev.cassidy.insert.CqlInsert;
import dev.cassidy.insert.UnsupportedSqlException;
import dev.cassidy.jdbc.error.SqlErrors;
import dev.cassidy.jdbc.error.SqlStates;
import dev.cassidy.jdbc.run.DefaultValues;
import dev.cassidy.sequence.cassandra.ColumnDefault;
import dev.cassidy.tsql.ColumnOrder;
import dev.cassidy.tsql.DefaultTerm;
import dev.cassidy.tsql.TsqlStep;
import java.sql.SQLException;
import java.sql.SQLSyntaxErrorException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;

/**
 * What CREATE TABLE in T-SQL says of a table, for a table that was created by other means. Safe for use by many threads; nothing
 * is read or written.
 */
public final class TableDeclarations {

    private TableDeclarations() {}

    /**
     * Returns a column's default, for {@code Sequences.registerDefault}.
     *
     * @param column its internal name
     * @param expression what stands behind DEFAULT in T-SQL, such as {@code (0)} or {@code GETDATE()}. A sequence that is named
     *     without a keyspace is the table's keyspace's
     * @throws SQLException naming the expression and the rule, if it can be no default, or none of this column
     */
    public static ColumnDefault columnDefault(TableMetadata table, String column, String expression)
            throws SQLException {
        String keyspace = table.getKeyspace().asInternal();
        String name = table.getName().asInternal();
        ColumnMetadata found = table.getColumn(CqlIdentifier.fromInternal(column))
                .orElseThrow(() -> new SQLSyntaxErrorException(
                        "Table " + keyspace + "." + name + " has no column '" + column + "'", SqlStates.NO_COLUMN));
        TsqlStep.DefaultValue value;
        try {
            value = DefaultTerm.read(expression);
        } catch (UnsupportedSqlException e) {
            throw SqlErrors.of(e);
        }
        if (value == null) {
            throw new SQLSyntaxErrorException(
                    "DEFAULT NULL of column " + column + " is what a column without a default gets: leave it out",
                    SqlStates.SYNTAX_OR_RULE);
        }
        CqlInsert.Table sequence = value.sequence();
        return DefaultValues.of(
                new CqlInsert.Table(keyspace, name),
                new TsqlStep.ColumnDefault(column, null, null, value, false),
                found.getType(),
                sequence == null
                        ? ""
                        : (sequence.keyspace() == null ? keyspace : sequence.keyspace()) + "." + sequence.name());
    }

    /**
     * Returns the CQL that keeps the order of a table's columns, for an INSERT that names none.
     *
     * @param columns all columns in that order, as CQL writes them, with commas between
     * @param identity the internal name of the column that such an INSERT leaves out; empty if there is none
     * @throws SQLException if these are not the table's columns, each once
     */
    public static String columnOrder(TableMetadata table, String columns, Optional<String> identity)
            throws SQLException {
        ColumnOrder read = ColumnOrder.read("[columns: " + columns + "]")
                .orElseThrow(() -> new SQLSyntaxErrorException(
                        "must be names with commas between, in double quotes where case matters: columns='" + columns
                                + "'",
                        SqlStates.SYNTAX_OR_RULE));
        List<String> given = read.columns();
        List<String> existing = table.getColumns().keySet().stream()
                .map(CqlIdentifier::asInternal)
                .toList();
        List<String> missing = new ArrayList<>(existing);
        missing.removeAll(given);
        List<String> unknown = new ArrayList<>(given);
        unknown.removeAll(existing);
        if (!missing.isEmpty() || !unknown.isEmpty() || new HashSet<>(given).size() != given.size()) {
            throw new SQLSyntaxErrorException(
                    "must be each column of the table once: columns='" + columns + "' missing=" + missing + " unknown="
                            + unknown,
                    SqlStates.NO_COLUMN);
        }
        Object comment = table.getOptions().get(CqlIdentifier.fromInternal("comment"));
        String others = comment == null ? "" : comment.toString().replaceAll("\\s*\\[columns: .*\\]", "");
        String order = new ColumnOrder(given, identity.orElse(read.identity())).comment();
        return "ALTER TABLE " + table.getKeyspace().asCql(true) + "."
                + table.getName().asCql(true) + " WITH comment = '"
                + (others.isBlank() ? order : others + " " + order).replace("'", "''") + "'";
    }
}
