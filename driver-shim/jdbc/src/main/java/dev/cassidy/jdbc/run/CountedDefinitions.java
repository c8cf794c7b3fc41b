package dev.cassidy.jdbc.run;

import dev.cassidy.count.RowCounting;
import dev.cassidy.definition.ColumnDefinition;
import dev.cassidy.definition.ConstraintDefinition;
import dev.cassidy.definition.CountMark;
import dev.cassidy.definition.SqlType;
import dev.cassidy.insert.CheckExpression;
import dev.cassidy.insert.CqlInsert;
import dev.cassidy.jdbc.error.Unserved;
import dev.cassidy.jdbc.session.CountedTables;
import dev.cassidy.jdbc.session.Tables;
import dev.cassidy.remedy.CommandLines;
import dev.cassidy.remedy.Remedy;
import dev.cassidy.tsql.DeclaredDefault;
import dev.cassidy.tsql.TsqlStep;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Which columns can count, and what a definition may not do with one that does. */
final class CountedDefinitions {

    private final Tables tables;

    CountedDefinitions(Tables tables) {
        this.tables = tables;
    }

    /**
     * Requires that the columns of a new table that are COUNTED can be.
     *
     * @param exact whether its writes are exact
     */
    void requireTable(TsqlStep.CreateTable step, boolean exact) throws SQLException {
        String table = tables.qualified(step.table());
        RowCounting unused = CountedTables.require("COUNTED of table " + table);
        if (!exact) {
            throw Unserved.feature("COUNTED of table " + table
                    + ", whose writes are plain, is not served: an INSERT would begin to count anew in a row that is there. Make"
                    + " its writes exact, by leaving out WITH (plain) or writes=plain, on a cluster with Cassidy");
        }
        Set<String> key = ReservationTables.keyOf(step);
        for (ColumnDefinition column : step.columns()) {
            if (column.name().equals(CountMark.COLUMN)) {
                throw Unserved.feature("A column " + CountMark.COLUMN + " in CREATE TABLE is not served: rows of "
                        + table + " have one of that name, by which they count. Give it another name");
            }
            if (column.counted()) {
                requireColumn(column, key, step, table);
            }
        }
    }

    private static void requireColumn(ColumnDefinition column, Set<String> key, TsqlStep.CreateTable step, String table)
            throws SQLException {
        SqlType type = column.type();
        if (type == null || !(type.name() == SqlType.Name.INT || type.name() == SqlType.Name.BIGINT)) {
            throw refused(column.label(), table, "its type is " + type + ". Make it INT or BIGINT");
        }
        if (key.contains(column.name())) {
            throw refused(column.label(), table, "it is part of the primary key, which is the place of a row");
        }
        if (step.identity() != null && step.identity().column().equals(column.name())) {
            throw refused(column.label(), table, "it is the IDENTITY, whose values are issued and stay");
        }
        if (step.indexed().contains(column.name())) {
            throw refused(column.label(), table, "it has an index, which would find rows by what they began with");
        }
        for (DeclaredDefault each : step.defaults()) {
            if (each.column().equals(column.name()) && each.value().source() != DeclaredDefault.Value.Source.CONSTANT) {
                throw refused(
                        column.label(),
                        table,
                        "its DEFAULT is " + each.value().expression() + ". Give it a number, with which rows begin");
            }
        }
        for (ConstraintDefinition each : step.constraints()) {
            if (isOf(each, column.name(), step.columns())) {
                throw refused(
                        column.label(),
                        table,
                        "a constraint is of it, which nobody can keep while others add: " + each.text());
            }
        }
    }

    private static boolean isOf(ConstraintDefinition constraint, String column, List<ColumnDefinition> columns) {
        Set<String> named = new HashSet<>(constraint.columns());
        if (constraint.kind() == ConstraintDefinition.Kind.CHECK) {
            named.addAll(CheckExpression.parse(constraint.text(), columns)
                    .map(CheckExpression::columns)
                    .orElse(Set.of()));
        }
        return named.contains(column);
    }

    private static SQLException refused(String column, String table, String why) {
        return Unserved.feature("COUNTED of column " + column + " of table " + table + " is not served: " + why);
    }

    /** Refuses an index on a column that counts: it would find rows by what they began with. */
    void refuseIndex(TsqlStep.CreateIndex step) throws SQLException {
        Set<String> counted = tables.countedColumns(step.table());
        Set<String> named = new HashSet<>(Set.of(step.column()));
        if (step.unique() != null) {
            named.addAll(step.unique().columns());
        }
        for (String column : named) {
            if (counted.contains(column)) {
                throw Unserved.feature(
                        "CREATE INDEX on column " + column + " of table " + tables.qualified(step.table())
                                + " is not served: the column counts, and Cassandra has what its rows began with. Read the rows, and"
                                + " compare there");
            }
        }
    }

    /** Refuses what is added to a table and is of a column that counts, and further columns that count. */
    void refuseAdded(TsqlStep.AddColumns step, String keyspace, CommandLines lines) throws SQLException {
        String table = tables.qualified(step.table());
        for (ColumnDefinition column : step.columns()) {
            if (column.counted()) {
                throw Unserved.feature("ALTER TABLE ... ADD " + column.label() + " ... COUNTED of table " + table
                        + " is not served: rows that are there have no id by which they count. Add it as INT NOT NULL DEFAULT"
                        + " 0, and then have it count. "
                        + lines.tell(
                                new Remedy.CountColumn(keyspace, step.table().name(), column.name())));
            }
        }
        Set<String> counted = tables.countedColumns(step.table());
        if (counted.isEmpty()) {
            return;
        }
        List<ColumnDefinition> columns =
                counted.stream().map(ColumnDefinition::named).toList();
        for (ConstraintDefinition each : step.constraints()) {
            for (ColumnDefinition column : columns) {
                if (each.columns().contains(column.name())
                        || (each.kind() == ConstraintDefinition.Kind.CHECK
                                && CountedSelect.ofConditions("WHERE " + each.text(), counted) != null)) {
                    throw refused(
                            column.label(),
                            table,
                            "a constraint would be of it, which nobody can keep while others add: " + each.text());
                }
            }
        }
    }

    /** Refuses a change of a column that counts. */
    void refuseAlter(CqlInsert.Table table, String column, String what) throws SQLException {
        if (column.equals(CountMark.COLUMN) && !tables.countedColumns(table).isEmpty()) {
            throw Unserved.feature(what + " " + column + " of table " + tables.qualified(table)
                    + " is not served: by it the rows count");
        }
        if (tables.countedColumns(table).contains(column)) {
            throw Unserved.feature(what + " " + column + " of table " + tables.qualified(table)
                    + " is not served: the column counts. Create a table as it is to be, and copy the rows");
        }
    }
}
