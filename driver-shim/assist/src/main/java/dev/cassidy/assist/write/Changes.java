package dev.cassidy.assist.write;

import dev.cassidy.assist.tree.SqlNames;
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
import net.sf.jsqlparser.statement.select.PlainSelect;
import net.sf.jsqlparser.statement.select.SelectItem;
import net.sf.jsqlparser.statement.select.Values;
import net.sf.jsqlparser.statement.update.Update;
import net.sf.jsqlparser.statement.update.UpdateSet;
import org.jspecify.annotations.Nullable;

/** Reads UPDATE, DELETE and INSERT as SELECTs of what they write. Parameters keep their places: the parts stand in the same order. */
public final class Changes {

    private final TableModels models;

    private Changes(TableModels models) {
        this.models = models;
    }

    /**
     * Returns a statement as a SELECT. Its tree is not changed.
     *
     * @throws NotAssistedException naming what is not known
     */
    public static Change of(Statement statement, TableModels models) {
        Changes changes = new Changes(models);
        if (statement instanceof Update update) {
            return changes.update(update);
        }
        if (statement instanceof Delete delete) {
            return changes.delete(delete);
        }
        if (statement instanceof Insert insert) {
            return changes.insert(insert);
        }
        throw new NotAssistedException("The statement is no UPDATE, DELETE or INSERT");
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
            throw new NotAssistedException(
                    "INSERT ... SELECT has a clause that the driver does not know, such as OUTPUT or WITH");
        }
        List<String> assigned = new ArrayList<>();
        if (insert.getColumns() != null) {
            insert.getColumns().forEach(column -> assigned.add(SqlNames.plain(column.getColumnName())));
        }
        return new Change(model(insert.getTable()), Kind.INSERT, List.of(), List.of(), assigned, insert.getSelect());
    }

    // ---- UPDATE

    private Change update(Update update) {
        boolean plain = update.getOutputClause() == null
                && update.getReturningClause() == null
                && (update.getWithItemsList() == null
                        || update.getWithItemsList().isEmpty())
                && update.getLimit() == null
                && update.getOrderByElements() == null
                && update.getPreferringClause() == null
                && (update.getStartJoins() == null || update.getStartJoins().isEmpty());
        if (!plain) {
            throw new NotAssistedException("UPDATE has a clause that the driver does not know, such as OUTPUT or WITH");
        }
        Target target = target(update.getTable(), update.getFromItem(), update.getJoins());
        List<String> assigned = new ArrayList<>();
        List<Expression> values = new ArrayList<>();
        for (UpdateSet set : update.getUpdateSets()) {
            if (set.getColumns().size() != 1 || set.getValues().size() != 1) {
                throw new NotAssistedException(
                        "SET of several columns at once is not known. Write SET a = ..., b = ...");
            }
            ColumnModel column = target.assigned(set.getColumn(0));
            if (assigned.contains(column.name())) {
                throw EvaluationException.rule(
                        264,
                        "The column name '" + column.name()
                                + "' is specified more than once in the SET clause: give it one value");
            }
            refuseDefault(set.getValue(0), column);
            assigned.add(column.name());
            values.add(converted(set.getValue(0), column));
        }
        return change(Kind.UPDATE, target, update.toString(), assigned, values, update.getWhere());
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
        return switch (column.type().name()) {
            case TINYINT, SMALLINT, INT, BIGINT, DECIMAL, NUMERIC, MONEY, SMALLMONEY, REAL, FLOAT, BIT ->
                asItIs ? value : new CastExpression("CAST", value, column.type().toString());
            default -> value;
        };
    }

    // ---- DELETE

    private Change delete(Delete delete) {
        boolean plain = delete.getOutputClause() == null
                && delete.getReturningClause() == null
                && (delete.getWithItemsList() == null
                        || delete.getWithItemsList().isEmpty())
                && delete.getLimit() == null
                && delete.getOrderByElements() == null
                && delete.getPreferringClause() == null
                && (delete.getUsingList() == null || delete.getUsingList().isEmpty());
        if (!plain) {
            throw new NotAssistedException("DELETE has a clause that the driver does not know, such as OUTPUT or WITH");
        }
        List<Table> named = delete.getTables() == null ? List.of() : delete.getTables();
        if (named.size() > 1) {
            throw new NotAssistedException("DELETE of several tables is not known. Write a statement for each");
        }
        Target target = named.isEmpty()
                ? target(delete.getTable(), null, delete.getJoins())
                : target(named.get(0), delete.getTable(), delete.getJoins());
        return change(Kind.DELETE, target, delete.toString(), List.of(), List.of(), delete.getWhere());
    }

    // ---- both

    /** @param name by which the statement names the table's columns */
    private record Target(
            TableModel model,
            String name,
            FromItem from,
            @Nullable List<Join> joins) {

        Column column(String column) {
            return new Column(new Table(name), column);
        }

        ColumnModel assigned(Column column) {
            ColumnModel found = model.column(SqlNames.plain(column.getColumnName()))
                    .orElseThrow(() -> new EvaluationException(
                            207,
                            "42S22",
                            "Invalid column name '" + SqlNames.plain(column.getColumnName()) + "': the table "
                                    + model.qualified() + " has no such column"));
            Table qualifier = column.getTable();
            boolean other = qualifier != null
                    && qualifier.getName() != null
                    && !SqlNames.plain(qualifier.getName()).equals(SqlNames.plain(name))
                    && !SqlNames.plain(qualifier.getName()).equals(model.name().toLowerCase(Locale.ROOT));
            if (other) {
                throw new NotAssistedException(
                        "SET names the table " + qualifier.getName() + ", and the statement updates " + name);
            }
            if (found.place() != ColumnModel.Place.REGULAR) {
                throw new NotAssistedException(
                        "SET of " + found.name() + ", which is in the primary key of " + model.qualified()
                                + ", is not served. Insert the row with its new key, and delete the old one");
            }
            return found;
        }
    }

    /** @param from what FROM names first; null without FROM */
    private Target target(Table written, @Nullable FromItem from, @Nullable List<Join> joins) {
        if (from == null) {
            return new Target(model(written), name(written), written, joins);
        }
        List<FromItem> items = new ArrayList<>(List.of(from));
        if (joins != null) {
            joins.forEach(join -> items.add(join.getFromItem()));
        }
        Table source = source(written, items);
        if (source != null) {
            return new Target(model(source), name(source), from, joins);
        }
        // It stands beside what FROM names.
        Join beside = new Join();
        beside.setSimple(true);
        beside.setFromItem(from);
        List<Join> all = new ArrayList<>(List.of(beside));
        if (joins != null) {
            all.addAll(joins);
        }
        return new Target(model(written), name(written), written, all);
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

    private static Change change(
            Kind kind,
            Target target,
            String text,
            List<String> assigned,
            List<Expression> values,
            @Nullable Expression where) {
        TableModel model = target.model();
        List<String> key = new ArrayList<>(model.partitionKey());
        key.addAll(model.clustering());
        // A column too many is compared, and changes nothing.
        Set<String> names = SqlNames.words(text);
        List<String> compared = model.columns().stream()
                .filter(column -> column.place() == ColumnModel.Place.REGULAR)
                .map(ColumnModel::name)
                .filter(name -> names.contains(name.toLowerCase(Locale.ROOT)))
                .toList();
        PlainSelect select = new PlainSelect();
        List<SelectItem<?>> items = new ArrayList<>();
        key.forEach(each -> items.add(new SelectItem<>(target.column(each))));
        compared.forEach(each -> items.add(new SelectItem<>(target.column(each))));
        values.forEach(each -> items.add(new SelectItem<>(each)));
        select.setSelectItems(items);
        select.setFromItem(target.from());
        select.setJoins(target.joins());
        select.setWhere(where);
        return new Change(model, kind, key, compared, assigned, select);
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
