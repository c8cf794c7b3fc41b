package dev.cassidy.assist.write;

import dev.cassidy.assist.tree.SqlNames;
import dev.cassidy.jdbc.assist.ColumnModel;
import dev.cassidy.jdbc.assist.NotAssistedException;
import dev.cassidy.jdbc.assist.TableModel;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import net.sf.jsqlparser.expression.Alias;
import net.sf.jsqlparser.expression.Expression;
import net.sf.jsqlparser.schema.Column;
import net.sf.jsqlparser.schema.Table;
import net.sf.jsqlparser.statement.select.AllColumns;
import net.sf.jsqlparser.statement.select.PlainSelect;
import net.sf.jsqlparser.statement.select.SelectItem;

/**
 * A SELECT of rows of one table through which a statement writes the table, as {@code WITH x AS (SELECT TOP (1) * FROM queue ORDER BY id)
 * DELETE FROM x}.
 *
 * @param select shows also all columns that the statement may need, under names of our own
 * @param aliases these names, by the names of the columns
 * @param shown the columns of the table that it shows itself, by their names there; both in small letters
 */
record WrittenRows(PlainSelect select, Map<String, String> aliases, Map<String, String> shown) {

    /**
     * Returns a SELECT as one through which its table is written. Its tree is not changed.
     *
     * @throws NotAssistedException if its rows are not those of the table
     */
    static WrittenRows of(PlainSelect inner, TableModel model) {
        PlainSelect copy = new PlainSelect();
        copy.setSelectItems(inner.getSelectItems());
        copy.setFromItem(inner.getFromItem());
        copy.setWhere(inner.getWhere());
        copy.setTop(inner.getTop());
        copy.setOrderByElements(inner.getOrderByElements());
        copy.setOffset(inner.getOffset());
        copy.setFetch(inner.getFetch());
        if (!copy.toString().equals(inner.toString())) {
            throw new NotAssistedException(
                    "A write through " + inner
                            + " is served where that shows rows of one table as they are: without joins, DISTINCT and GROUP BY");
        }
        List<SelectItem<?>> items = new ArrayList<>(inner.getSelectItems());
        Map<String, String> aliases = new LinkedHashMap<>();
        Table from = (Table) inner.getFromItem();
        String name = from.getAlias() == null ? from.getName() : from.getAlias().getName();
        for (ColumnModel column : model.columns()) {
            if (column.readable()) {
                String alias = "cassidy_" + aliases.size();
                aliases.put(column.name(), alias);
                SelectItem<Expression> item = new SelectItem<>(new Column(new Table(name), column.name()));
                item.setAlias(new Alias(alias, true));
                items.add(item);
            }
        }
        copy.setSelectItems(items);
        return new WrittenRows(copy, aliases, shown(inner, model));
    }

    private static Map<String, String> shown(PlainSelect inner, TableModel model) {
        Map<String, String> shown = new LinkedHashMap<>();
        for (SelectItem<?> item : inner.getSelectItems()) {
            Expression expression = item.getExpression();
            if (expression instanceof AllColumns) {
                model.columns().forEach(column -> {
                    String name = column.name().toLowerCase(Locale.ROOT);
                    shown.putIfAbsent(name, name);
                });
            } else if (expression instanceof Column column) {
                String name = SqlNames.plain(column.getColumnName());
                shown.putIfAbsent(
                        item.getAlias() == null
                                ? name
                                : SqlNames.plain(item.getAlias().getName()),
                        name);
            }
        }
        return shown;
    }

    /** Returns the name under which the SELECT shows a column for us. */
    String alias(String column) {
        String alias = aliases.get(column);
        if (alias == null) {
            throw new NotAssistedException(
                    "Column " + column + " has no type in T-SQL. Name the table in the statement");
        }
        return alias;
    }

    /** Returns the column of the table that a name of the SELECT is. */
    String column(String written) {
        String column = shown.get(written);
        if (column == null) {
            throw new NotAssistedException(
                    "SET " + written + " is not served: the SELECT shows no column of that name");
        }
        return column;
    }

    /** Returns whether it shows a column of the table. */
    boolean shows(ColumnModel column) {
        return shown.containsValue(column.name().toLowerCase(Locale.ROOT));
    }

    /** OUTPUT names columns as the SELECT does, and shows them by the table. */
    void requireOwnNames() {
        shown.forEach((name, column) -> {
            if (!name.equals(column)) {
                throw new NotAssistedException(
                        "OUTPUT is not served where the SELECT calls the column " + column + " " + name);
            }
        });
    }
}
