package dev.cassidy.assist.plan;

import dev.cassidy.assist.plan.Occurrence.ColumnRef;
import dev.cassidy.assist.plan.Scope.Derived;
import dev.cassidy.assist.tree.SqlNames;
import dev.cassidy.jdbc.assist.ColumnModel;
import dev.cassidy.jdbc.assist.TableModel;
import dev.cassidy.jdbc.assist.TableModels;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import net.sf.jsqlparser.expression.Expression;
import net.sf.jsqlparser.expression.operators.relational.EqualsTo;
import net.sf.jsqlparser.schema.Column;
import net.sf.jsqlparser.schema.Table;
import net.sf.jsqlparser.statement.select.AllColumns;
import net.sf.jsqlparser.statement.select.AllTableColumns;
import net.sf.jsqlparser.statement.select.FromItem;
import net.sf.jsqlparser.statement.select.Join;
import net.sf.jsqlparser.statement.select.ParenthesedFromItem;
import net.sf.jsqlparser.statement.select.ParenthesedSelect;
import net.sf.jsqlparser.statement.select.PlainSelect;
import net.sf.jsqlparser.statement.select.Select;
import net.sf.jsqlparser.statement.select.SelectItem;
import net.sf.jsqlparser.statement.select.SetOperationList;
import net.sf.jsqlparser.statement.select.Values;
import net.sf.jsqlparser.statement.select.WithItem;
import org.jspecify.annotations.Nullable;

/**
 * Finds the tables that a statement names, and to what their columns are equal in all rows that it needs.
 *
 * <p>A row may be left out of what is read if no result contains it, and no result changes without it. That is so of a row that fails
 * a condition of WHERE, or of ON of an inner join, whatever joins stand beside it: a row of the other side that loses its only match
 * has NULL in its place, and fails the same condition. ON of an outer join is no condition on the rows of the side that it keeps.
 */
final class Blocks implements Selects {

    private final TableModels models;
    private final List<@Nullable Object> parameters;
    private final List<Occurrence> occurrences = new ArrayList<>();
    private final IdentityHashMap<Select, Derived> done = new IdentityHashMap<>();
    private final IdentityHashMap<Select, Scope> scopes = new IdentityHashMap<>();
    private boolean all;

    /** @param parameters their values, by which rows may be found; those of other types find none */
    Blocks(TableModels models, List<@Nullable Object> parameters) {
        this.models = models;
        this.parameters = parameters;
    }

    /** Returns the places where a statement names tables, in its order. */
    List<Occurrence> of(Select statement) {
        select(statement, null);
        return List.copyOf(occurrences);
    }

    @Override
    public void showsAll() {
        all = true;
    }

    /** Returns whether the statement shows all columns of some table. */
    boolean isAllShown() {
        return all;
    }

    @Override
    public Derived select(Select select, @Nullable Scope outer) {
        Derived known = done.get(select);
        if (known != null) {
            return known;
        }
        Scope scope = new Scope(outer);
        if (select.getWithItemsList() != null) {
            for (WithItem<?> each : select.getWithItemsList()) {
                expression(each, scope);
            }
        }
        Derived derived;
        if (select instanceof PlainSelect plain) {
            derived = block(plain, scope);
        } else if (select instanceof ParenthesedSelect inner) {
            derived = select(inner.getSelect(), scope);
            new Nested(this, scope).in(inner.getOrderByElements());
        } else if (select instanceof SetOperationList list) {
            derived = union(list, scope);
        } else if (select instanceof Values) {
            derived = new Derived(Map.of(), true, List.of());
        } else {
            throw new NotPlannedException(select + " is no SELECT that the driver knows");
        }
        done.put(select, derived);
        return derived;
    }

    @Override
    public Scope scopeOf(PlainSelect block) {
        return Objects.requireNonNull(scopes.get(block));
    }

    private void expression(WithItem<?> item, Scope scope) {
        if (!(item.getParenthesedStatement() instanceof ParenthesedSelect body)) {
            throw new NotPlannedException("WITH " + item.getAliasName() + " is no SELECT");
        }
        String name = item.getUnquotedAliasName();
        if (item.isRecursive() || NamesTable.within(body, name)) {
            throw new NotPlannedException(
                    "WITH " + name + " reads itself: how many rows it needs is not known before they"
                            + " are read. Run a statement for each level");
        }
        Derived found = select(body, scope);
        boolean renamed =
                item.getWithItemList() != null && !item.getWithItemList().isEmpty();
        scope.addExpression(name, renamed ? opaque() : found);
    }

    private static Derived opaque() {
        return new Derived(Map.of(), true, List.of());
    }

    private Derived union(SetOperationList list, Scope scope) {
        for (Select each : list.getSelects()) {
            select(each, scope);
        }
        // Its columns are those of several tables.
        return opaque();
    }

    // ---- one SELECT

    private Derived block(PlainSelect block, Scope scope) {
        requireKnown(block);
        scopes.put(block, scope);
        List<Occurrence> own = new ArrayList<>();
        if (block.getFromItem() != null) {
            own.addAll(joined(block.getFromItem(), block.getJoins(), scope));
        }
        Conditions conditions = new Conditions(this, scope, parameters);
        conditions.restrict(block.getWhere(), own);
        new Nested(this, scope).in(block);
        return derived(block, scope, own);
    }

    private static void requireKnown(PlainSelect block) {
        if (block.getIntoTables() != null && !block.getIntoTables().isEmpty()) {
            throw new NotPlannedException(
                    "SELECT INTO makes a table: create it first, and insert into it what a SELECT returns");
        }
        boolean foreign = block.getLateralViews() != null
                || block.getOracleHierarchical() != null
                || block.getQualify() != null
                || block.getKsqlWindow() != null
                || block.getForXmlPath() != null
                || block.getWindowDefinitions() != null
                || block.getForClause() != null;
        if (foreign) {
            throw new NotPlannedException(block + " has a clause that the driver does not know");
        }
    }

    /** Reads tables that are joined, and returns those whose rows a condition on all of them restricts. */
    private List<Occurrence> joined(FromItem first, @Nullable List<Join> joins, Scope scope) {
        List<Occurrence> left = new ArrayList<>(item(first, scope));
        if (joins == null) {
            return left;
        }
        for (Join join : joins) {
            requireKnown(join);
            List<Occurrence> right = item(join.getFromItem(), scope);
            List<Occurrence> restricted = new ArrayList<>();
            if (!join.isFull() && !join.isLeft()) {
                restricted.addAll(left);
            }
            if (!join.isFull() && !join.isRight()) {
                restricted.addAll(right);
            }
            for (Expression on : join.getOnExpressions()) {
                new Conditions(this, scope, parameters).restrict(on, restricted);
                new Nested(this, scope).in(on);
            }
            left.addAll(right);
        }
        return left;
    }

    private static void requireKnown(Join join) {
        boolean foreign = join.isApply()
                || join.isNatural()
                || join.isSemi()
                || join.isGlobal()
                || join.isStraight()
                || join.isWindowJoin()
                || (join.getUsingColumns() != null && !join.getUsingColumns().isEmpty());
        if (foreign) {
            throw new NotPlannedException(
                    join.toString().trim() + " is no join that the driver knows: write JOIN ... ON, or a subquery");
        }
    }

    private List<Occurrence> item(FromItem item, Scope scope) {
        if (item.getPivot() != null || item.getUnPivot() != null) {
            throw new NotPlannedException(
                    "PIVOT is not evaluated: write SUM(CASE WHEN ... THEN ... END) for each column");
        }
        if (item instanceof Table table) {
            return table(table, scope);
        }
        if (item instanceof ParenthesedFromItem inner) {
            if (inner.getAlias() != null) {
                throw new NotPlannedException(inner + ": joined tables in brackets have no name of their own in T-SQL");
            }
            return joined(inner.getFromItem(), inner.getJoins(), scope);
        }
        if (item.getClass() == ParenthesedSelect.class && item.getAlias() != null) {
            // Within it, the tables beside it are not known.
            Derived found = select((ParenthesedSelect) item, scope.withoutTables());
            boolean renamed = item.getAlias().getAliasColumns() != null
                    && !item.getAlias().getAliasColumns().isEmpty();
            Derived shown = renamed ? opaque() : found;
            scope.addTable(item.getAlias().getName(), shown);
            return shown.pushable();
        }
        throw new NotPlannedException(item + " is no table, and no SELECT with a name");
    }

    private List<Occurrence> table(Table node, Scope scope) {
        String alias =
                node.getAlias() == null ? node.getName() : node.getAlias().getName();
        if (node.getSchemaName() == null) {
            Optional<Derived> expression = scope.expression(node.getName());
            if (expression.isPresent()) {
                // Other places may read it, and demand something else: its rows are not restricted by this one.
                scope.addTable(alias, expression.get());
                return List.of();
            }
        }
        TableModel model = models.find(SqlNames.qualifier(node), SqlNames.plain(node.getName()))
                .orElseThrow(
                        () -> new NotPlannedException("table " + node.getFullyQualifiedName() + " does not exist"));
        Occurrence occurrence = new Occurrence(node, model);
        occurrences.add(occurrence);
        Map<String, Optional<ColumnRef>> columns = new LinkedHashMap<>();
        for (ColumnModel column : model.columns()) {
            columns.put(SqlNames.plain(column.name()), Optional.of(new ColumnRef(occurrence, column)));
        }
        scope.addTable(alias, new Derived(columns, false, List.of(occurrence)));
        return List.of(occurrence);
    }

    /** Returns what a SELECT gives to the one around it. */
    private static Derived derived(PlainSelect block, Scope scope, List<Occurrence> own) {
        Map<String, Optional<ColumnRef>> columns = new LinkedHashMap<>();
        boolean opaque = false;
        for (SelectItem<?> item : block.getSelectItems()) {
            Expression shown = item.getExpression();
            if (shown instanceof AllTableColumns all) {
                Optional<Derived> table = scope.table(all.getTable().getName());
                opaque |= table.isEmpty() || table.get().opaque();
                table.ifPresent(found -> found.columns().forEach(columns::putIfAbsent));
            } else if (shown instanceof AllColumns) {
                for (Derived each : scope.own()) {
                    opaque |= each.opaque();
                    each.columns().forEach(columns::putIfAbsent);
                }
            } else if (item.getAlias() != null) {
                columns.putIfAbsent(SqlNames.plain(item.getAlias().getName()), column(shown, scope));
            } else if (shown instanceof Column column) {
                columns.putIfAbsent(SqlNames.plain(column.getColumnName()), scope.resolve(column));
            } else if (shown instanceof EqualsTo named && named.getLeftExpression() instanceof Column name) {
                // T-SQL's "name = value".
                columns.putIfAbsent(SqlNames.plain(name.getColumnName()), column(named.getRightExpression(), scope));
            }
        }
        return new Derived(columns, opaque, Plainness.isOfRows(block) ? own : List.of());
    }

    private static Optional<ColumnRef> column(Expression shown, Scope scope) {
        return shown instanceof Column column ? scope.resolve(column) : Optional.empty();
    }
}
