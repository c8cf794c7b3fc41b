package dev.cassidy.jdbc.run;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.metadata.schema.ColumnMetadata;
import com.datastax.oss.driver.api.core.metadata.schema.TableMetadata;
import com.datastax.oss.driver.api.core.type.DataType;
import dev.cassidy.definition.ColumnDefinition;
import dev.cassidy.definition.TableDefinition;
import dev.cassidy.insert.CqlInsert;
import dev.cassidy.insert.Identifiers;
import dev.cassidy.insert.Kind;
import dev.cassidy.insert.Tokens;
import dev.cassidy.insert.UnsupportedSqlException;
import dev.cassidy.jdbc.error.SqlErrors;
import dev.cassidy.jdbc.error.SqlStates;
import dev.cassidy.table.ColumnDefault;
import dev.cassidy.tsql.ColumnTypes;
import dev.cassidy.tsql.DeclaredDefault;
import dev.cassidy.tsql.DefaultTerm;
import java.sql.SQLException;
import java.sql.SQLSyntaxErrorException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;

/**
 * What CREATE TABLE in T-SQL says of a table, for a table that was created by other means. Safe for use by many threads; nothing
 * is read or written.
 */
public final class TableDeclarations {

    private TableDeclarations() {}

    /**
     * Returns the type that CREATE TABLE gives a column in Cassandra.
     *
     * @param type as T-SQL writes it, such as {@code nvarchar(50)} or {@code decimal(10,2)}
     * @return as CQL writes it
     * @throws SQLException naming the type and a workaround, if Cassandra has none for it
     */
    public static String columnType(String type) throws SQLException {
        try {
            return ColumnTypes.cql(type);
        } catch (UnsupportedSqlException e) {
            throw SqlErrors.of(e);
        }
    }

    /** Returns the internal name of the column that T-SQL calls {@code [name]}. */
    public static String columnName(String name) {
        return Identifiers.toInternal(Identifiers.bracketedToCql(name));
    }

    /** Returns the internal name of the table that T-SQL calls {@code [name]}. */
    public static String tableName(String name) {
        return Identifiers.toInternal(Identifiers.bracketedTableToCql(name));
    }

    /**
     * Returns a column's default, for {@code TableRegistry.registerDefault}.
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
        return columnDefault(keyspace, name, column, found.getType(), expression);
    }

    /**
     * Returns a column's default as {@link #columnDefault(TableMetadata, String, String)}, for a table that may not exist yet.
     *
     * @param keyspace internal name, as the other names
     * @throws SQLException naming the expression and the rule, if it can be no default, or none of this column
     */
    public static ColumnDefault columnDefault(
            String keyspace, String table, String column, DataType type, String expression) throws SQLException {
        DeclaredDefault.Value value;
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
        return DefaultConverter.of(
                new CqlInsert.Table(keyspace, table),
                new DeclaredDefault(column, null, null, value, false),
                type,
                sequence == null
                        ? ""
                        : (sequence.keyspace() == null ? keyspace : sequence.keyspace()) + "." + sequence.name());
    }

    /**
     * Returns a definition of a table that was created by other means, in which the order of its columns alone is said.
     *
     * @param columns all columns in that order, as CQL writes them, with commas between
     * @throws SQLException if these are not the table's columns, each once
     */
    public static TableDefinition columnOrder(TableMetadata table, String columns) throws SQLException {
        List<String> given = names(columns);
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
        return new TableDefinition(
                table.getId().orElseThrow(),
                given.stream().map(ColumnDefinition::named).toList(),
                List.of());
    }

    private static List<String> names(String columns) throws SQLException {
        Tokens tokens;
        try {
            tokens = new Tokens(columns);
        } catch (UnsupportedSqlException e) {
            throw SqlErrors.of(e);
        }
        List<String> names = new ArrayList<>();
        for (int token = 0; ; token += 2) {
            boolean name = tokens.kind(token) == Kind.WORD || tokens.kind(token) == Kind.QUOTED;
            if (!name || !(tokens.isEnd(token + 1) || tokens.isSymbol(token + 1, ','))) {
                throw new SQLSyntaxErrorException(
                        "must be names with commas between, in double quotes where case matters: columns='" + columns
                                + "'",
                        SqlStates.SYNTAX_OR_RULE);
            }
            names.add(Identifiers.toInternal(tokens.cqlName(token)));
            if (tokens.isEnd(token + 1)) {
                return names;
            }
        }
    }
}
