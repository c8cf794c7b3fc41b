package dev.cassidy.jdbc.run;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.metadata.schema.ColumnMetadata;
import com.datastax.oss.driver.api.core.metadata.schema.TableMetadata;
import com.datastax.oss.driver.api.core.type.DataType;
import dev.cassidy.collation.Collation;
import dev.cassidy.definition.ColumnDefinition;
import dev.cassidy.definition.ConstraintDefinition;
import dev.cassidy.definition.SqlType;
import dev.cassidy.definition.TableDefinition;
import dev.cassidy.definition.Twin;
import dev.cassidy.insert.CheckExpression;
import dev.cassidy.insert.CqlInsert;
import dev.cassidy.insert.Identifiers;
import dev.cassidy.insert.UnsupportedSqlException;
import dev.cassidy.jdbc.error.SqlErrors;
import dev.cassidy.jdbc.error.SqlStates;
import dev.cassidy.jdbc.error.Unserved;
import dev.cassidy.table.ColumnDefault;
import dev.cassidy.tsql.ColumnTypes;
import dev.cassidy.tsql.DeclaredDefault;
import dev.cassidy.tsql.DefaultTerm;
import dev.cassidy.tsql.TsqlScript;
import dev.cassidy.tsql.TsqlStep;
import java.sql.SQLException;
import java.sql.SQLSyntaxErrorException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

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
     * Returns what stands in the primary key of an exact table in place of a column; empty if the column itself does: it is no CHAR,
     * VARCHAR, NCHAR or NVARCHAR with a length, or its collation is binary and compares as Cassandra does.
     *
     * @throws SQLException naming the collation, if what it takes for equal is not known
     */
    public static Optional<Twin> twin(ColumnDefinition column) throws SQLException {
        if (!isString(column.type())) {
            return Optional.empty();
        }
        try {
            Collation collation =
                    Collation.of(column.collation().isEmpty() ? Collation.DEFAULT_NAME : column.collation());
            return collation.isBinary()
                    ? Optional.empty()
                    : Optional.of(new Twin(collation.name(), collation.version()));
        } catch (IllegalArgumentException e) {
            throw Unserved.feature("PRIMARY KEY of column " + column.label() + " " + e.getMessage());
        }
    }

    private static boolean isString(@Nullable SqlType type) {
        return type != null
                && switch (type.name()) {
                    case CHAR, NCHAR, VARCHAR, NVARCHAR -> type.length() != SqlType.MAX;
                    default -> false;
                };
    }

    /**
     * Returns the columns of a table that was created by other means, from a list as CREATE TABLE in T-SQL writes it. Behind a
     * name, all may be left out; then what is known of the column stays. Columns of the key are NOT NULL.
     *
     * @param columns all columns of the table in their order, such as {@code id int, name nvarchar(50) NOT NULL, "At"}
     * @param known what was said of columns before, as far as it fits the table
     * @throws SQLException if these are not the table's columns, each once, or if a type is not one that CREATE TABLE makes the
     *     column's type of
     */
    public static List<ColumnDefinition> columns(TableMetadata table, String columns, List<ColumnDefinition> known)
            throws SQLException {
        List<ColumnList.Written> written = read(columns);
        List<String> given = written.stream().map(ColumnList.Written::name).toList();
        List<String> existing = table.getColumns().keySet().stream()
                .map(CqlIdentifier::asInternal)
                .filter(name -> !TableDefinition.isHidden(name))
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
        List<String> key = key(table);
        List<ColumnDefinition> defined = new ArrayList<>();
        for (ColumnList.Written each : written) {
            ColumnDefinition before = known.stream()
                    .filter(column -> column.name().equals(each.name()))
                    .findFirst()
                    .orElseGet(() -> ColumnDefinition.named(each.name()));
            ColumnDefinition said = each.over(before);
            if (said.type() != null) {
                requireType(table, each, said.type());
            }
            requireCollation(before, said);
            // What a twin compares does not change by what is left out.
            ColumnDefinition after = before.twin() == null || !said.collation().isEmpty()
                    ? said
                    : new ColumnDefinition(
                            said.name(),
                            said.label(),
                            said.type(),
                            said.required(),
                            before.collation(),
                            said.twin(),
                            said.counted());
            requireStrings(before, after);
            defined.add(key.contains(each.name()) ? required(after) : after);
        }
        return defined;
    }

    private static List<ColumnList.Written> read(String columns) throws SQLException {
        try {
            return new ColumnList(columns).read();
        } catch (UnsupportedSqlException e) {
            throw SqlErrors.of(e);
        }
    }

    /** Returns a column as a list of columns and ALTER COLUMN take it. */
    public static String written(ColumnDefinition column) {
        return name(column)
                + (column.type() == null ? "" : " " + column.type())
                + (column.collation().isEmpty() ? "" : " COLLATE " + column.collation())
                + (column.required() ? " NOT NULL" : "")
                + (column.counted() ? " COUNTED" : "");
    }

    private static String name(ColumnDefinition column) {
        String label = column.label();
        if (label.matches("[A-Za-z][A-Za-z0-9_]*")
                && label.toLowerCase(Locale.ROOT).equals(column.name())) {
            return label;
        }
        return columnName(label).equals(column.name())
                ? "[" + label.replace("]", "]]") + "]"
                : '"' + column.name().replace("\"", "\"\"") + '"';
    }

    /** Returns a UNIQUE or CHECK as ADD in ALTER TABLE takes it, however it was written. */
    public static String written(ConstraintDefinition constraint) {
        return (constraint.name().isEmpty()
                        ? ""
                        : "CONSTRAINT [" + constraint.name().replace("]", "]]") + "] ")
                + (constraint.kind().isUnique()
                        ? constraint.columns().stream()
                                .map(Identifiers::toCql)
                                .collect(Collectors.joining(", ", "UNIQUE (", ")"))
                        : constraint.text());
    }

    /**
     * Returns columns as ALTER COLUMN changes them, from a list as CREATE TABLE in T-SQL writes it. Rows that are there may break
     * what is declared then.
     *
     * @param columns such as {@code name nvarchar(20) NOT NULL}; as in T-SQL, a column with a type and without NOT NULL takes NULL
     * @param known what is declared of the table
     * @throws SQLException naming the column and the rule, if nothing is declared of one, or if more than a declaration would have
     *     to change
     */
    public static List<ColumnDefinition> altered(TableMetadata table, String columns, TableDefinition known)
            throws SQLException {
        List<String> key = key(table);
        List<ColumnDefinition> altered = new ArrayList<>();
        for (ColumnList.Written each : read(columns)) {
            ColumnDefinition before = known.column(each.name())
                    .filter(column -> table.getColumn(CqlIdentifier.fromInternal(column.name()))
                            .isPresent())
                    .filter(column ->
                            altered.stream().noneMatch(other -> other.name().equals(column.name())))
                    .orElseThrow(() -> new SQLSyntaxErrorException(
                            "must be declared columns of the table, each once: column='" + each.name() + "'",
                            SqlStates.NO_COLUMN));
            ColumnDefinition given = each.over(before);
            if (given.type() != null) {
                requireType(table, each, given.type());
            }
            boolean inKey = key.contains(each.name());
            ColumnDefinition after = new ColumnDefinition(
                    before.name(),
                    before.label(),
                    given.type(),
                    given.required() || inKey || before.counted(),
                    given.collation().isEmpty() ? before.collation() : given.collation(),
                    before.twin(),
                    before.counted());
            requireCollation(before, given);
            requireStrings(before, after);
            if (ColumnChange.of(before, after, inKey) == ColumnChange.NEVER) {
                throw Unserved.feature("column '" + before.label() + "' cannot become " + after.type() + " from "
                        + before.type()
                        + ": it is part of the key, of which Cassandra would have to store other values."
                        + " Add a column, and move the values");
            }
            altered.add(after);
        }
        return altered;
    }

    private static void requireStrings(ColumnDefinition before, ColumnDefinition after) throws SQLException {
        Twin twin = after.twin();
        if (twin != null && !twin.isOfKey() && after.equality().isEmpty()) {
            throw Unserved.feature("column '" + before.label() + "' cannot become " + after.type() + " from "
                    + before.type() + ": it has had an index, by which rows are compared by " + twin.collation()
                    + ". Add a column, and move the values");
        }
    }

    private static void requireCollation(ColumnDefinition before, ColumnDefinition given) throws SQLException {
        Twin twin = before.twin();
        if (twin != null && !given.collation().isEmpty() && !given.collation().equalsIgnoreCase(twin.collation())) {
            throw Unserved.feature("column '" + before.label() + "' cannot get the collation " + given.collation()
                    + (twin.isOfKey()
                            ? ": it is part of the key, which is compared by "
                            : ": it has had an index, by which rows are compared by ")
                    + twin.collation()
                    + ". Create a table with the other collation, and copy the rows");
        }
    }

    /**
     * Reads a UNIQUE or CHECK as ADD in ALTER TABLE takes it, with or without a name.
     *
     * @param known what is declared of the table
     * @throws SQLException if it is anything else, of other columns than the table's, or a CHECK that cannot be decided
     */
    public static ConstraintDefinition constraint(TableMetadata table, String constraint, TableDefinition known)
            throws SQLException {
        List<TsqlStep> steps;
        try {
            steps = TsqlScript.parse("ALTER TABLE t ADD " + constraint).steps();
        } catch (UnsupportedSqlException e) {
            throw SqlErrors.of(e);
        }
        List<TsqlStep> kept = steps.stream()
                .filter(step -> !(step instanceof TsqlStep.LeftOut))
                .toList();
        if (kept.size() != 1
                || !(kept.get(0) instanceof TsqlStep.AddColumns added)
                || !added.columns().isEmpty()
                || added.constraints().size() != 1
                || added.constraints().get(0).kind() == ConstraintDefinition.Kind.FOREIGN_KEY) {
            throw new SQLSyntaxErrorException(
                    "must be UNIQUE (column, ...) or CHECK (condition), with or without CONSTRAINT name before it: '"
                            + constraint + "'",
                    SqlStates.SYNTAX_OR_RULE);
        }
        ConstraintDefinition read = added.constraints().get(0);
        for (String column : read.columns()) {
            if (table.getColumn(CqlIdentifier.fromInternal(column)).isEmpty()) {
                throw new SQLSyntaxErrorException(
                        "the table has no column '" + column + "': '" + constraint + "'", SqlStates.NO_COLUMN);
            }
        }
        if (read.kind() == ConstraintDefinition.Kind.CHECK
                && check(table, read, known).isEmpty()) {
            throw new SQLSyntaxErrorException(
                    "must be a condition that can be decided, of columns whose types are declared: '" + constraint
                            + "'",
                    SqlStates.SYNTAX_OR_RULE);
        }
        return read;
    }

    /** Returns the condition of a CHECK; empty if it cannot be decided, or is of a column that the table does not have. */
    public static Optional<CheckExpression> check(
            TableMetadata table, ConstraintDefinition check, TableDefinition known) {
        return CheckExpression.parse(check.text(), known.columns()).filter(read -> read.columns().stream()
                .allMatch(name ->
                        table.getColumn(CqlIdentifier.fromInternal(name)).isPresent()));
    }

    /**
     * Returns the columns of a table that was created by other means, by what was said of the table that had its name, or of the
     * table itself before it was changed; none if that leaves their order open. Columns of the key are NOT NULL.
     */
    public static List<ColumnDefinition> columns(TableMetadata table, TableDefinition known) {
        List<String> existing = table.getColumns().keySet().stream()
                .map(CqlIdentifier::asInternal)
                .toList();
        List<String> key = key(table);
        List<ColumnDefinition> fitting = fitting(table, known);
        return known.inserted(existing, key, null).stream()
                .map(name -> fitting.stream()
                        .filter(column -> column.name().equals(name))
                        .findFirst()
                        .orElseGet(() -> ColumnDefinition.named(name)))
                .map(column -> key.contains(column.name()) ? required(column) : column)
                .toList();
    }

    /** Returns what was said of the columns that a table has, without types that are not made of the columns' types. */
    public static List<ColumnDefinition> fitting(TableMetadata table, TableDefinition known) {
        return known.columns().stream()
                .filter(column -> table.getColumn(CqlIdentifier.fromInternal(column.name()))
                        .isPresent())
                .map(column -> column.withTwin(twin(table, known, column)))
                .map(column -> fits(table, column)
                        ? column
                        : new ColumnDefinition(
                                column.name(),
                                column.label(),
                                null,
                                column.required(),
                                "",
                                column.twin(),
                                column.counted()))
                .toList();
    }

    /** The table may be another one than that of which something was said: its rows may lack a twin beside a column. */
    private static @Nullable Twin twin(TableMetadata table, TableDefinition known, ColumnDefinition column) {
        CqlIdentifier name = CqlIdentifier.fromInternal(Twin.nameOf(column.name()));
        ColumnMetadata stored = table.getColumn(name).orElse(null);
        Twin twin = column.twin();
        if (twin == null || stored == null) {
            return null;
        }
        if (table.getPrimaryKey().contains(stored)) {
            return twin.in(Twin.Place.KEY);
        }
        boolean same = !twin.isOfKey() && table.getId().filter(known::isOf).isPresent();
        return same ? twin : twin.in(Twin.Place.BUILDING);
    }

    /** Returns whether CREATE TABLE makes the type that a table's column has of the one that is said of it, if any is. */
    public static boolean fits(TableMetadata table, ColumnDefinition column) {
        SqlType type = column.type();
        return type == null || cqlType(table, column.name()).equals(ColumnTypes.cql(type.toString()));
    }

    private static String cqlType(TableMetadata table, String column) {
        return table.getColumn(CqlIdentifier.fromInternal(column))
                .orElseThrow()
                .getType()
                .asCql(false, false);
    }

    private static void requireType(TableMetadata table, ColumnList.Written written, SqlType type) throws SQLException {
        String stored = cqlType(table, written.name());
        String made = columnType(type.toString());
        if (!stored.equals(made)) {
            throw new SQLSyntaxErrorException(
                    "column '" + written.name() + "' is " + stored + " in Cassandra, and CREATE TABLE makes " + made
                            + " of " + type + ": give a type that becomes " + stored + ", or the name alone",
                    SqlStates.SYNTAX_OR_RULE);
        }
    }

    private static List<String> key(TableMetadata table) {
        return table.getPrimaryKey().stream()
                .map(column -> Twin.original(column.getName().asInternal()))
                .toList();
    }

    private static ColumnDefinition required(ColumnDefinition column) {
        return new ColumnDefinition(
                column.name(),
                column.label(),
                column.type(),
                true,
                column.collation(),
                column.twin(),
                column.counted());
    }
}
