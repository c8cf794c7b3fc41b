package dev.cassidy.jdbc.run;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.metadata.schema.TableMetadata;
import dev.cassidy.collation.Collation;
import dev.cassidy.definition.ColumnDefinition;
import dev.cassidy.definition.ConstraintDefinition;
import dev.cassidy.definition.Reservations;
import dev.cassidy.definition.RowMark;
import dev.cassidy.definition.TableDefinition;
import dev.cassidy.insert.Identifiers;
import dev.cassidy.insert.Tokens;
import dev.cassidy.insert.UnsupportedSqlException;
import dev.cassidy.jdbc.error.SqlErrors;
import dev.cassidy.jdbc.error.SqlStates;
import dev.cassidy.jdbc.error.Unserved;
import dev.cassidy.tsql.TsqlScript;
import dev.cassidy.tsql.TsqlStep;
import java.sql.SQLException;
import java.sql.SQLSyntaxErrorException;
import java.util.List;
import java.util.UUID;
import java.util.stream.Collectors;

/** UNIQUE constraints and unique indexes as T-SQL writes them, and the tables in which their values are reserved, for commands. */
public final class UniqueDeclarations {

    private UniqueDeclarations() {}

    /**
     * Reads a UNIQUE as ADD in ALTER TABLE takes it, with or without a name; or an index as CREATE takes it, but without its table:
     * {@code UNIQUE INDEX name (a, b) WHERE a IS NOT NULL AND b IS NOT NULL}.
     *
     * @param known what is declared of the table
     * @throws SQLException if it is anything else, or of other columns than the table's
     */
    public static ConstraintDefinition unique(TableMetadata table, String text, TableDefinition known)
            throws SQLException {
        Tokens tokens = new Tokens(text);
        ConstraintDefinition read = tokens.isWord(0, "unique") && tokens.isWord(1, "index") && tokens.isSymbol(3, '(')
                ? index(text.substring(0, tokens.end(2)) + " ON t " + text.substring(tokens.end(2)), text)
                : TableDeclarations.constraint(table, text, known);
        if (!read.kind().isUnique()) {
            throw notUnique(text);
        }
        for (String column : read.columns()) {
            if (table.getColumn(CqlIdentifier.fromInternal(column)).isEmpty()) {
                throw new SQLSyntaxErrorException(
                        "the table has no column '" + column + "': '" + text + "'", SqlStates.NO_COLUMN);
            }
        }
        return read;
    }

    private static ConstraintDefinition index(String withTable, String text) throws SQLException {
        List<TsqlStep> steps;
        try {
            steps = TsqlScript.parse("CREATE " + withTable).steps();
        } catch (UnsupportedSqlException e) {
            throw SqlErrors.of(e);
        }
        List<TsqlStep> kept = steps.stream()
                .filter(step -> !(step instanceof TsqlStep.LeftOut))
                .toList();
        if (kept.size() == 1 && kept.get(0) instanceof TsqlStep.CreateIndex created && created.unique() != null) {
            return index(created.unique());
        }
        throw notUnique(text);
    }

    private static SQLException notUnique(String text) {
        return new SQLSyntaxErrorException(
                "must be UNIQUE (column, ...), with or without CONSTRAINT name before it, or UNIQUE INDEX name (column,"
                        + " ...): '" + text + "'",
                SqlStates.SYNTAX_OR_RULE);
    }

    /** Returns what a unique index asks of rows. */
    static ConstraintDefinition index(TsqlStep.CreateIndex.Unique index) {
        return new ConstraintDefinition(
                index.nullsApart()
                        ? ConstraintDefinition.Kind.UNIQUE_INDEX_NOT_NULL
                        : ConstraintDefinition.Kind.UNIQUE_INDEX,
                index.label(),
                index.columns(),
                index.columns().stream()
                        .map(Identifiers::toCql)
                        .collect(Collectors.joining(
                                ", ", "INDEX " + Identifiers.toCql(index.label()) + " UNIQUE (", ")")));
    }

    /** Returns a unique constraint or index as {@link #unique} reads it. */
    public static String written(ConstraintDefinition unique) {
        if (!unique.kind().isUniqueIndex()) {
            return TableDeclarations.written(unique);
        }
        List<String> columns = unique.columns().stream().map(Identifiers::toCql).toList();
        return "UNIQUE INDEX [" + unique.name().replace("]", "]]") + "] (" + String.join(", ", columns) + ")"
                + (unique.kind() == ConstraintDefinition.Kind.UNIQUE_INDEX_NOT_NULL
                        ? columns.stream()
                                .map(column -> column + " IS NOT NULL")
                                .collect(Collectors.joining(" AND ", " WHERE ", ""))
                        : "");
    }

    /**
     * Requires that it is known which texts are one value.
     *
     * @param columns what is declared of the table's columns
     * @throws SQLException naming the column and its collation, if that is not known
     */
    public static void requireCollations(ConstraintDefinition unique, List<ColumnDefinition> columns)
            throws SQLException {
        for (ColumnDefinition column : columns) {
            if (unique.columns().contains(column.name()) && !column.collation().isEmpty()) {
                try {
                    var unused = Collation.of(column.collation());
                } catch (IllegalArgumentException e) {
                    throw Unserved.feature("UNIQUE of column " + column.label() + " " + e.getMessage());
                }
            }
        }
    }

    /**
     * Returns a place for the values of a new constraint. Its name is no other table's: what is left of one that was dropped must not be
     * found again.
     *
     * @param columns what is declared of the table's columns
     * @param complete whether there are no rows yet
     */
    public static Reservations reservations(
            ConstraintDefinition unique, List<ColumnDefinition> columns, boolean complete) {
        return new Reservations(
                Reservations.PREFIX
                        + UUID.randomUUID().toString().replace("-", "").substring(0, 16),
                Collation.NEWEST_VERSION,
                unique.columns().stream()
                        .map(name -> columns.stream()
                                .filter(column -> column.name().equals(name))
                                .map(ColumnDefinition::collation)
                                .findFirst()
                                .orElse(""))
                        .toList(),
                complete);
    }

    /**
     * Returns the statement that creates a table of reservations, unless it is there.
     *
     * @param table internal name of the one whose values they are, as that of the keyspace
     */
    public static String createTable(
            String keyspace, String table, ConstraintDefinition unique, Reservations reservations) {
        String comment = "values of " + unique.text() + " of table " + table + ", by Cassidy";
        return "CREATE TABLE IF NOT EXISTS " + Identifiers.toCql(keyspace) + "."
                + Identifiers.toCql(reservations.table()) + " ("
                + Reservations.VALUE + " blob PRIMARY KEY, " + Reservations.ROW + " blob, " + RowMark.DEFINITION
                + ") WITH comment = '" + comment.replace("'", "''") + "'";
    }
}
