package dev.cassidy.assist.write;

import dev.cassidy.assist.tree.MergeText;
import dev.cassidy.assist.tree.SqlNames;
import dev.cassidy.assist.tree.StatementTrees;
import dev.cassidy.assist.tree.WriteText;
import dev.cassidy.jdbc.assist.AssistedChange.Kind;
import dev.cassidy.jdbc.assist.ColumnModel;
import dev.cassidy.jdbc.assist.EvaluationException;
import dev.cassidy.jdbc.assist.NotAssistedException;
import dev.cassidy.jdbc.assist.TableModel;
import dev.cassidy.jdbc.assist.TableModels;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import net.sf.jsqlparser.expression.Alias;
import net.sf.jsqlparser.expression.CastExpression;
import net.sf.jsqlparser.expression.Expression;
import net.sf.jsqlparser.expression.JdbcParameter;
import net.sf.jsqlparser.expression.LongValue;
import net.sf.jsqlparser.expression.NullValue;
import net.sf.jsqlparser.expression.StringValue;
import net.sf.jsqlparser.schema.Column;
import net.sf.jsqlparser.schema.Table;
import net.sf.jsqlparser.statement.Statement;
import net.sf.jsqlparser.statement.delete.Delete;
import net.sf.jsqlparser.statement.insert.Insert;
import net.sf.jsqlparser.statement.select.FromItem;
import net.sf.jsqlparser.statement.select.Join;
import net.sf.jsqlparser.statement.select.ParenthesedSelect;
import net.sf.jsqlparser.statement.select.PlainSelect;
import net.sf.jsqlparser.statement.select.Select;
import net.sf.jsqlparser.statement.select.SelectItem;
import net.sf.jsqlparser.statement.select.Values;
import net.sf.jsqlparser.statement.select.WithItem;
import net.sf.jsqlparser.statement.update.Update;
import net.sf.jsqlparser.statement.update.UpdateSet;
import org.jspecify.annotations.Nullable;

/** Reads UPDATE, DELETE, MERGE and INSERT as SELECTs of what they write. */
public final class Changes {

    private final TableModels models;

    private final StatementTrees trees;
    private final WriteText text;
    private final @Nullable Long top;

    private Changes(WriteText text, TableModels models, StatementTrees trees, @Nullable Long top) {
        this.text = text;
        this.models = models;
        this.trees = trees;
        this.top = top;
    }

    /**
     * Returns a statement as a SELECT. Its tree is not changed.
     *
     * @param trees reads what is written for it
     * @param parameters those of the statement
     * @throws NotAssistedException naming what is not known
     */
    public static Change of(
            WriteText text, TableModels models, StatementTrees trees, List<@Nullable Object> parameters) {
        Changes changes = new Changes(text, models, trees, top(text.top(), parameters));
        if (text instanceof MergeText merge) {
            return changes.merge(merge, parameters);
        }
        WriteText.Tree written = (WriteText.Tree) text;
        Statement statement = written.tree();
        Change change;
        if (statement instanceof Update update) {
            change = changes.update(update, written.deletes() ? Kind.DELETE : Kind.UPDATE);
        } else if (statement instanceof Delete delete) {
            change = changes.delete(delete);
        } else if (statement instanceof Insert insert) {
            change = changes.insert(insert);
        } else {
            throw new NotAssistedException("The statement is no UPDATE, DELETE, MERGE or INSERT");
        }
        return new Change(
                change.target(),
                change.kind(),
                change.key(),
                change.compared(),
                change.assigned(),
                List.of(),
                change.ofRows(),
                change.tested(),
                change.output(),
                change.top(),
                written.parameters(),
                change.select());
    }

    private static @Nullable Long top(WriteText.@Nullable Top top, List<@Nullable Object> parameters) {
        if (top == null || top.parameter() < 0) {
            return top == null ? null : top.number();
        }
        Object given = parameters.get(top.parameter());
        boolean whole = given instanceof Long || given instanceof Integer || given instanceof Short;
        if (!whole || ((Number) given).longValue() < 0) {
            throw EvaluationException.rule(
                    1060, "The number of rows provided for a TOP or FETCH clause must be a number of rows");
        }
        return ((Number) given).longValue();
    }

    // ---- MERGE

    private Change merge(MergeText merge, List<@Nullable Object> parameters) {
        boolean named = merge.target().to() == merge.target().from() + 1;
        String written = merge.tokens().text(merge.target().from());
        if (named && merge.expressions().contains(SqlNames.plain(written))) {
            throw expressionWritten(written);
        }
        String target = merge.tokens()
                .text
                .substring(
                        merge.tokens().start(merge.target().from()),
                        merge.tokens().end(merge.target().to() - 1));
        TableModel model = trees.select("SELECT 1 FROM " + target)
                .map(select -> ((PlainSelect) select).getFromItem())
                .filter(Table.class::isInstance)
                .map(table -> model((Table) table))
                .orElseThrow(() -> new NotAssistedException("MERGE writes " + target + ", which is no table"));
        Merges.Selected selected = Merges.of(merge, model, parameters);
        Select select = trees.select(selected.text())
                .orElseThrow(
                        () -> new NotAssistedException(
                                "A value or condition of the MERGE cannot be read, or it is too long. Write an UPDATE and an INSERT"));
        return new Change(
                model,
                Kind.MERGE,
                selected.key(),
                selected.compared(),
                selected.assigned(),
                selected.inserted(),
                List.of(),
                List.of(),
                selected.outputs().items(),
                top,
                selected.parameters(),
                select);
    }

    private static NotAssistedException expressionWritten(String name) {
        return new NotAssistedException("The statement writes the common table expression " + name
                + ", which is served where UPDATE or DELETE names it alone or first in FROM. Name the table");
    }

    // ---- INSERT

    private Change insert(Insert insert) {
        boolean plain = insert.getSelect() != null
                && !(insert.getSelect() instanceof Values)
                && insert.getOutputClause() == null
                && insert.getReturningClause() == null
                && insert.getWithItemsList() == null
                && insert.getConflictAction() == null
                && insert.getDuplicateUpdateSets() == null
                && insert.getSetUpdateSets() == null;
        if (!plain) {
            throw new NotAssistedException("INSERT ... SELECT has a clause that the driver does not know");
        }
        List<String> assigned = new ArrayList<>();
        if (insert.getColumns() != null) {
            insert.getColumns().forEach(column -> assigned.add(SqlNames.plain(column.getColumnName())));
        }
        TableModel model = model(insert.getTable());
        Outputs outputs = Outputs.of(text.output(), Kind.INSERT, model, "", model.columns());
        return new Change(
                model,
                Kind.INSERT,
                List.of(),
                List.of(),
                assigned,
                List.of(),
                List.of(),
                List.of(),
                outputs.items(),
                top,
                List.of(),
                insert.getSelect());
    }

    // ---- UPDATE

    /** @param kind DELETE if its SET stands for nothing */
    private Change update(Update update, Kind kind) {
        boolean plain = update.getOutputClause() == null
                && update.getReturningClause() == null
                && update.getLimit() == null
                && update.getOrderByElements() == null
                && update.getPreferringClause() == null
                && (update.getStartJoins() == null || update.getStartJoins().isEmpty());
        if (!plain) {
            throw new NotAssistedException(kind + " has a clause that the driver does not know");
        }
        Target target = target(update.getTable(), update.getFromItem(), update.getJoins(), update.getWithItemsList());
        if (kind == Kind.DELETE) {
            return change(kind, target, List.of(), List.of(), update.getWhere());
        }
        List<String> assigned = new ArrayList<>();
        List<Expression> values = new ArrayList<>();
        for (UpdateSet set : update.getUpdateSets()) {
            if (set.getColumns().size() != 1 || set.getValues().size() != 1) {
                throw new NotAssistedException(
                        "SET of several columns at once is not known. Write SET a = ..., b = ...");
            }
            ColumnModel column = target.assigned(set.getColumn(0));
            if (assigned.contains(column.name())) {
                throw Assignments.twice(column);
            }
            refuseDefault(set.getValue(0), column);
            assigned.add(column.name());
            values.add(converted(set.getValue(0), column));
        }
        return change(kind, target, assigned, values, update.getWhere());
    }

    /** The table's default is known to the statement by the key alone. */
    private static void refuseDefault(Expression value, ColumnModel column) {
        boolean isDefault = value instanceof Column named
                && named.getTable() == null
                && named.getColumnName().equalsIgnoreCase("DEFAULT");
        if (isDefault) {
            throw new NotAssistedException("SET " + column.name()
                    + " = DEFAULT is served where WHERE gives the key. Write the value in place of DEFAULT");
        }
    }

    /**
     * A number is truncated and rounded as CAST does it, and one that is too large has its error. Of strings CAST would cut what an
     * assignment refuses; they, parameters and literals are converted where they are written.
     */
    private static Expression converted(Expression value, ColumnModel column) {
        boolean asItIs = value instanceof JdbcParameter
                || value instanceof NullValue
                || value instanceof StringValue
                || value instanceof LongValue;
        return !asItIs && Assignments.isConverted(column)
                ? new CastExpression("CAST", value, column.type().toString())
                : value;
    }

    // ---- DELETE

    private Change delete(Delete delete) {
        boolean plain = delete.getOutputClause() == null
                && delete.getReturningClause() == null
                && delete.getLimit() == null
                && delete.getOrderByElements() == null
                && delete.getPreferringClause() == null
                && (delete.getUsingList() == null || delete.getUsingList().isEmpty());
        if (!plain) {
            throw new NotAssistedException("DELETE has a clause that the driver does not know");
        }
        List<Table> named = delete.getTables() == null ? List.of() : delete.getTables();
        if (named.size() > 1) {
            throw new NotAssistedException("DELETE of several tables is not known. Write a statement for each");
        }
        Target target = named.isEmpty()
                ? target(delete.getTable(), null, delete.getJoins(), delete.getWithItemsList())
                : target(named.get(0), delete.getTable(), delete.getJoins(), delete.getWithItemsList());
        return change(Kind.DELETE, target, List.of(), List.of(), delete.getWhere());
    }

    // ---- both

    /**
     * The table that is written, and what the SELECT reads.
     *
     * @param name by which the statement names the table's columns
     * @param rows the subquery that gives its rows; null if the statement names the table itself
     * @param with common table expressions that the statement reads, too
     */
    private record Target(
            TableModel model,
            String name,
            FromItem from,
            @Nullable List<Join> joins,
            @Nullable WrittenRows rows,
            List<WithItem<?>> with) {

        Column column(String column) {
            return new Column(new Table(name), rows == null ? column : rows.alias(column));
        }

        ColumnModel assigned(Column column) {
            String written = SqlNames.plain(column.getColumnName());
            ColumnModel found = Outputs.column(model, rows == null ? written : rows.column(written));
            Table qualifier = column.getTable();
            boolean other = qualifier != null
                    && qualifier.getName() != null
                    && !SqlNames.plain(qualifier.getName()).equals(SqlNames.plain(name))
                    && !SqlNames.plain(qualifier.getName()).equals(model.name().toLowerCase(Locale.ROOT));
            if (other) {
                throw new NotAssistedException(
                        "SET names the table " + qualifier.getName() + ", and the statement updates " + name);
            }
            Assignments.requireAssignable(model, found);
            return found;
        }
    }

    /**
     * @param from what FROM names first; null without FROM
     * @param with common table expressions, of which the one that is written gives its rows
     */
    private Target target(
            Table written, @Nullable FromItem from, @Nullable List<Join> joins, @Nullable List<WithItem<?>> with) {
        List<WithItem<?>> others = with == null ? new ArrayList<>() : new ArrayList<>(with);
        FromItem first = from == null ? written : from;
        if (SqlNames.qualifier(written) == null) {
            String name = SqlNames.plain(written.getName());
            String named = first instanceof Table table ? SqlNames.plain(table.getName()) : "";
            String shown = first.getAlias() == null
                    ? named
                    : SqlNames.plain(first.getAlias().getName());
            for (WithItem<?> each : others) {
                boolean isIt = SqlNames.plain(each.getUnquotedAliasName()).equals(named)
                        && (name.equals(named) || name.equals(shown));
                if (isIt) {
                    others.remove(each);
                    return rows(each.getParenthesedStatement(), each.getWithItemList() != null, shown, joins, others);
                }
            }
            if (first instanceof ParenthesedSelect subquery && name.equals(shown)) {
                return rows(
                        subquery,
                        subquery.getAlias().getAliasColumns() != null
                                && !subquery.getAlias().getAliasColumns().isEmpty(),
                        shown,
                        joins,
                        others);
            }
        }
        if (from == null) {
            return new Target(model(written), name(written), written, joins, null, others);
        }
        List<FromItem> items = new ArrayList<>(List.of(from));
        if (joins != null) {
            joins.forEach(join -> items.add(join.getFromItem()));
        }
        Table source = source(written, items);
        Table real = source == null ? written : source;
        boolean isExpression = SqlNames.qualifier(real) == null
                && others.stream().anyMatch(each -> SqlNames.plain(each.getUnquotedAliasName())
                        .equals(SqlNames.plain(real.getName())));
        if (isExpression) {
            throw expressionWritten(real.getName());
        }
        if (source != null) {
            return new Target(model(source), name(source), from, joins, null, others);
        }
        // It stands beside what FROM names.
        Join beside = new Join();
        beside.setSimple(true);
        beside.setFromItem(from);
        List<Join> all = new ArrayList<>(List.of(beside));
        if (joins != null) {
            all.addAll(joins);
        }
        return new Target(model(written), name(written), written, all, null, others);
    }

    /** Returns what writes the rows that a subquery gives. */
    private Target rows(
            Statement body, boolean renamed, String name, @Nullable List<Join> joins, List<WithItem<?>> with) {
        boolean ofOne = !renamed
                && body instanceof ParenthesedSelect subquery
                && subquery.getSelect() instanceof PlainSelect inner
                && inner.getFromItem() instanceof Table;
        if (!ofOne) {
            throw new NotAssistedException("A statement that writes " + name
                    + " is served where that is a SELECT of rows of one table. Name the table");
        }
        PlainSelect inner = (PlainSelect) ((ParenthesedSelect) body).getSelect();
        TableModel model = model((Table) inner.getFromItem());
        WrittenRows rows = WrittenRows.of(inner, model);
        ParenthesedSelect from = new ParenthesedSelect();
        from.setSelect(rows.select());
        from.setAlias(new Alias(name, true));
        return new Target(model, name, from, joins, rows, with);
    }

    /**
     * Returns the table of FROM that is written: the one that has the name as its alias, or else the only place where the table stands.
     * Null if it stands nowhere.
     */
    private @Nullable Table source(Table written, List<FromItem> items) {
        List<Table> tables = items.stream()
                .filter(Table.class::isInstance)
                .map(Table.class::cast)
                .toList();
        if (SqlNames.qualifier(written) == null) {
            for (Table each : tables) {
                if (each.getAlias() != null && SqlNames.plain(name(each)).equals(SqlNames.plain(written.getName()))) {
                    return each;
                }
            }
        }
        TableModel model = find(written).orElse(null);
        List<Table> places = model == null
                ? List.of()
                : tables.stream()
                        .filter(each -> find(each)
                                .filter(found -> found.qualified().equals(model.qualified()))
                                .isPresent())
                        .toList();
        List<Table> named =
                places.stream().filter(each -> each.getAlias() == null).toList();
        List<Table> found = named.isEmpty() ? places : named;
        if (found.size() > 1) {
            throw new NotAssistedException(
                    "The table " + written.getName()
                            + " stands several times in FROM, and it is not known which is written. Write the alias of one behind UPDATE or DELETE");
        }
        return found.isEmpty() ? null : found.get(0);
    }

    private Optional<TableModel> find(Table table) {
        return models.find(SqlNames.qualifier(table), SqlNames.plain(table.getName()));
    }

    private Change change(
            Kind kind, Target target, List<String> assigned, List<Expression> values, @Nullable Expression where) {
        TableModel model = target.model();
        List<String> key = new ArrayList<>(model.partitionKey());
        key.addAll(model.clustering());
        WrittenRows rows = target.rows();
        if (rows != null && !text.output().isEmpty()) {
            rows.requireOwnNames();
        }
        Outputs outputs = Outputs.of(
                text.output(),
                kind,
                model,
                target.name(),
                rows == null
                        ? model.columns()
                        : model.columns().stream().filter(rows::shows).toList());
        List<String> compared = Assignments.compared(model, text.written(), outputs);
        PlainSelect select = new PlainSelect();
        List<SelectItem<?>> items = new ArrayList<>();
        key.forEach(each -> items.add(new SelectItem<>(target.column(each))));
        compared.forEach(each -> items.add(new SelectItem<>(target.column(each))));
        values.forEach(each -> items.add(new SelectItem<>(each)));
        items.addAll(shown(outputs.evaluated()));
        select.setSelectItems(items);
        select.setFromItem(target.from());
        select.setJoins(target.joins());
        select.setWhere(where);
        if (!target.with().isEmpty()) {
            select.setWithItemsList(target.with());
        }
        List<String> ofRows = new ArrayList<>();
        for (int i = 0; i < assigned.size(); i++) {
            if (Given.readsRows(values.get(i))) {
                ofRows.add(assigned.get(i));
            }
        }
        return new Change(
                model,
                kind,
                key,
                compared,
                assigned,
                List.of(),
                ofRows,
                tested(target, where),
                outputs.items(),
                top,
                List.of(),
                select);
    }

    /** Returns the columns besides the key that are named outside of SET. One too many is refused where it need not be. */
    private static List<String> tested(Target target, @Nullable Expression where) {
        StringBuilder text = new StringBuilder();
        text.append(where == null ? "" : where).append(' ');
        text.append(target.joins() == null ? "" : target.joins()).append(' ');
        text.append(target.with()).append(' ');
        text.append(target.rows() == null ? "" : target.from());
        Set<String> names = SqlNames.words(text.toString());
        return target.model().columns().stream()
                .filter(column -> column.place() == ColumnModel.Place.REGULAR)
                .map(ColumnModel::name)
                .filter(name -> names.contains(name.toLowerCase(Locale.ROOT)))
                .toList();
    }

    private List<SelectItem<?>> shown(List<String> evaluated) {
        if (evaluated.isEmpty()) {
            return List.of();
        }
        return trees.select("SELECT " + String.join(", ", evaluated))
                .filter(PlainSelect.class::isInstance)
                .map(select -> ((PlainSelect) select).getSelectItems())
                .orElseThrow(() -> new NotAssistedException("What OUTPUT shows cannot be read"));
    }

    private TableModel model(Table table) {
        return find(table)
                .orElseThrow(
                        () -> new NotAssistedException("table " + table.getFullyQualifiedName() + " does not exist"));
    }

    private static String name(Table table) {
        return table.getAlias() == null ? table.getName() : table.getAlias().getName();
    }
}
