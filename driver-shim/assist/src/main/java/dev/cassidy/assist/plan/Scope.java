package dev.cassidy.assist.plan;

import dev.cassidy.assist.plan.Occurrence.ColumnRef;
import dev.cassidy.assist.tree.SqlNames;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import net.sf.jsqlparser.schema.Column;
import org.jspecify.annotations.Nullable;

/** What names mean within one SELECT: its tables, then those of the SELECT around it. */
final class Scope {

    private final @Nullable Scope outer;
    private final Map<String, Derived> expressions = new LinkedHashMap<>();
    private final List<Named> tables = new ArrayList<>();

    Scope(@Nullable Scope outer) {
        this.outer = outer;
    }

    /**
     * What a SELECT gives to the one around it.
     *
     * @param columns by their names in small letters; without a value if it is computed
     * @param opaque whether it may have further columns
     * @param pushable the tables whose rows may be left out by what is demanded of the columns; none if that would change other rows
     */
    record Derived(Map<String, Optional<ColumnRef>> columns, boolean opaque, List<Occurrence> pushable) {}

    private record Named(String name, Derived columns) {}

    /** Returns what stands around the tables of this SELECT: what a SELECT within FROM may name. */
    Scope withoutTables() {
        Scope around = new Scope(outer);
        around.expressions.putAll(expressions);
        return around;
    }

    void addExpression(String name, Derived derived) {
        expressions.put(SqlNames.plain(name), derived);
    }

    void addTable(String name, Derived columns) {
        tables.add(new Named(SqlNames.plain(name), columns));
    }

    /** Returns a common table expression. */
    Optional<Derived> expression(String name) {
        Derived found = expressions.get(SqlNames.plain(name));
        if (found != null) {
            return Optional.of(found);
        }
        return outer == null ? Optional.empty() : outer.expression(name);
    }

    /** Returns the tables of this SELECT alone. */
    List<Derived> own() {
        return tables.stream().map(Named::columns).toList();
    }

    /** Returns the columns of one of the tables of this SELECT. */
    Optional<Derived> table(String name) {
        String wanted = SqlNames.plain(name);
        return tables.stream()
                .filter(table -> table.name().equals(wanted))
                .map(Named::columns)
                .findFirst();
    }

    /** Returns what a name means; empty if it is computed, unknown, or may mean several columns. */
    Optional<ColumnRef> resolve(Column written) {
        String name = SqlNames.plain(written.getColumnName());
        String qualifier = written.getTable() == null || written.getTable().getName() == null
                ? null
                : SqlNames.plain(written.getTable().getName());
        for (Scope scope = this; scope != null; scope = scope.outer) {
            List<Named> named = scope.tables.stream()
                    .filter(table -> qualifier == null || table.name().equals(qualifier))
                    .toList();
            List<Named> having = named.stream()
                    .filter(table -> table.columns().columns().containsKey(name)
                            || table.columns().opaque())
                    .toList();
            if (having.size() == 1) {
                return having.get(0).columns().columns().getOrDefault(name, Optional.empty());
            }
            if (having.size() > 1 || (qualifier != null && !named.isEmpty())) {
                return Optional.empty();
            }
        }
        return Optional.empty();
    }
}
