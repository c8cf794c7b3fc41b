package dev.cassidy.assist.eval;

import dev.cassidy.jdbc.assist.EvaluationException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import net.sf.jsqlparser.schema.Column;
import net.sf.jsqlparser.schema.Table;
import org.jspecify.annotations.Nullable;

/** The names that may stand in a part of a statement: what its FROM brings, and what the statements around it bring. */
final class Scope {

    /**
     * A column of a source.
     *
     * @param name as its table or its subquery names it
     * @param value how H2 reads it; null if it was not read
     */
    record Field(String name, @Nullable Typed value) {}

    /**
     * One of the tables or subqueries of FROM.
     *
     * @param names by which it may be named before a point: its alias, or its name
     * @param fields in order
     */
    record Source(List<String> names, List<Field> fields) {

        boolean isNamed(String qualifier) {
            return names.stream().anyMatch(name -> name.equalsIgnoreCase(qualifier));
        }
    }

    /**
     * A common table expression.
     *
     * @param names of its columns
     * @param written the SELECT, whose columns are C0, C1 and so on
     */
    record Common(List<String> names, Part written) {}

    private final @Nullable Scope outer;
    private final List<Source> sources = new ArrayList<>();

    /** A column of each source, whatever it is. */
    private final List<String> counted = new ArrayList<>();

    private final Map<String, Common> commons = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);

    Scope(@Nullable Scope outer) {
        this.outer = outer;
    }

    void add(Source source) {
        for (String name : source.names()) {
            if (sources.stream().anyMatch(each -> each.isNamed(name))) {
                throw EvaluationException.rule(
                        1011, "The correlation name '" + name + "' is specified multiple times in a FROM clause");
            }
        }
        sources.add(source);
    }

    /** Says which column of a source H2 has in any case. */
    void count(String column) {
        counted.add(column);
    }

    /** Returns a column that H2 has in any case; empty if there is no source. */
    String counted() {
        return counted.isEmpty() ? "" : counted.get(0);
    }

    /** Returns such a column of one of the sources. */
    String counted(int source) {
        return counted.get(source);
    }

    void define(String name, Common common) {
        if (commons.putIfAbsent(name, common) != null) {
            throw EvaluationException.rule(239, "Duplicate common table expression name '" + name + "' was specified");
        }
    }

    @Nullable
    Common common(String name) {
        Common own = commons.get(name);
        return own != null || outer == null ? own : outer.common(name);
    }

    /** Returns the scope of a subquery in this FROM. */
    Scope beside() {
        Scope beside = new Scope(outer);
        beside.commons.putAll(commons);
        return beside;
    }

    List<Source> sources() {
        return sources;
    }

    /** Returns whether a column is one of this FROM, and not of a statement around it. */
    boolean isOwn(Column column) {
        Table table = column.getTable();
        String qualifier = table == null || table.getName() == null ? null : Names.bare(table.getName());
        String name = Names.bare(column.getColumnName());
        return sources.stream()
                .filter(source -> qualifier == null || source.isNamed(qualifier))
                .anyMatch(source ->
                        source.fields().stream().anyMatch(field -> field.name().equalsIgnoreCase(name)));
    }

    /** Returns a column as H2 reads it. */
    Typed column(Column column) {
        String name = Names.bare(column.getColumnName());
        Table table = column.getTable();
        String qualifier = table == null || table.getName() == null ? null : Names.bare(table.getName());
        for (Scope scope = this; scope != null; scope = scope.outer) {
            Typed found = scope.own(qualifier, name);
            if (found != null) {
                return found;
            }
        }
        String full = qualifier == null ? name : qualifier + "." + name;
        throw new EvaluationException(207, "42S22", "Invalid column name '" + full + "'");
    }

    private @Nullable Typed own(@Nullable String qualifier, String name) {
        Field found = null;
        for (Source source : sources) {
            if (qualifier != null && !source.isNamed(qualifier)) {
                continue;
            }
            for (Field field : source.fields()) {
                if (field.name().toLowerCase(Locale.ROOT).equals(name.toLowerCase(Locale.ROOT))) {
                    if (found != null) {
                        throw EvaluationException.rule(209, "Ambiguous column name '" + name + "'");
                    }
                    found = field;
                }
            }
        }
        return found == null ? null : Typed.read(found.name(), found.value());
    }
}
