package dev.cassidy.assist.plan;

import dev.cassidy.assist.plan.Occurrence.ColumnRef;
import dev.cassidy.assist.tree.SqlNames;
import dev.cassidy.jdbc.assist.ColumnModel;
import dev.cassidy.jdbc.assist.TableModel;
import dev.cassidy.jdbc.assist.TableModels;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import net.sf.jsqlparser.statement.select.Select;
import org.jspecify.annotations.Nullable;

/**
 * Finds which rows a SELECT needs, and by what they can be read: by keys that are written, given as parameters, or found in the rows
 * of other tables; by an index; or else all of a table. What is read may be more than is needed. It is never less.
 */
public final class Planner {

    private final List<Occurrence> pending;
    private final IdentityHashMap<Occurrence, Integer> planned = new IdentityHashMap<>();
    private final List<TableRead> reads = new ArrayList<>();
    private final Set<String> names;
    private final boolean all;

    private Planner(List<Occurrence> occurrences, Set<String> names, boolean all) {
        this.pending = new ArrayList<>(occurrences);
        this.names = names;
        this.all = all;
    }

    /**
     * Plans a statement for these parameters: which of them are NULL decides what is read, and so do values of another type than their column.
     *
     * @param statement not changed, and needed as long as the plan
     * @param parameters as {@link Family} knows them; rows are not found by others
     * @throws NotPlannedException naming what is not known
     */
    public static ReadPlan plan(Select statement, TableModels models, List<@Nullable Object> parameters) {
        Blocks blocks = new Blocks(models, parameters);
        List<Occurrence> occurrences = blocks.of(statement);
        Planner planner = new Planner(occurrences, SqlNames.words(statement.toString()), blocks.isAllShown());
        planner.order();
        return new ReadPlan(statement, planner.reads);
    }

    private void order() {
        while (!pending.isEmpty()) {
            Occurrence next = pending.get(0);
            Access best = access(next);
            for (Occurrence each : pending) {
                Access access = access(each);
                if (rank(access, each) < rank(best, next)) {
                    next = each;
                    best = access;
                }
            }
            planned.put(next, reads.size());
            reads.add(new TableRead(reads.size(), next.node, next.table, columns(next.table), best));
            pending.remove(next);
        }
    }

    private List<ColumnModel> columns(TableModel table) {
        return table.columns().stream()
                .filter(ColumnModel::readable)
                .filter(column -> all
                        || column.place() != ColumnModel.Place.REGULAR
                        || names.contains(SqlNames.plain(column.name())))
                .toList();
    }

    /** Returns what is better than what; the cheapest first, and what is known before what has to be read first. */
    private int rank(Access access, Occurrence occurrence) {
        if (access instanceof Access.Keyed keyed) {
            int reach =
                    switch (keyed.reach()) {
                        case KEY -> 0;
                        case PARTITION -> 2;
                        case INDEX -> 4;
                    };
            return keyed.isConstant() ? reach : reach + 1;
        }
        // By its rows, those of others may be found; the more the better.
        int found = (int) pending.stream()
                .filter(other -> other != occurrence && isFoundAfter(other, occurrence))
                .count();
        return (occurrence.table.small() ? 1_000 : 2_000) - Math.min(found, 900);
    }

    private boolean isFoundAfter(Occurrence other, Occurrence first) {
        planned.put(first, -1);
        try {
            return access(other) instanceof Access.Keyed;
        } finally {
            planned.remove(first);
        }
    }

    /** Returns the best way to read a table after those that are planned. */
    private Access access(Occurrence occurrence) {
        TableModel table = occurrence.table;
        List<Access.Part> parts = new ArrayList<>();
        for (String name : table.partitionKey()) {
            Optional<Source> source = source(occurrence, column(table, name));
            if (source.isEmpty()) {
                return byIndex(occurrence);
            }
            parts.add(new Access.Part(column(table, name), source.get()));
        }
        for (String name : table.clustering()) {
            Optional<Source> source = source(occurrence, column(table, name));
            if (source.isEmpty()) {
                return new Access.Keyed(Access.Reach.PARTITION, parts);
            }
            parts.add(new Access.Part(column(table, name), source.get()));
        }
        return new Access.Keyed(Access.Reach.KEY, parts);
    }

    private Access byIndex(Occurrence occurrence) {
        @Nullable Access found = null;
        for (ColumnModel column : occurrence.table.columns()) {
            Source source = column.indexed() ? source(occurrence, column).orElse(null) : null;
            if (source instanceof Source.Terms) {
                return new Access.Keyed(Access.Reach.INDEX, List.of(new Access.Part(column, source)));
            }
            if (source != null && found == null) {
                found = new Access.Keyed(Access.Reach.INDEX, List.of(new Access.Part(column, source)));
            }
        }
        return found == null ? new Access.Scan(unindexed(occurrence)) : found;
    }

    /** Returns the columns that are compared with what is given; those that are compared with rows of others alone, if there is none. */
    private static List<ColumnModel> unindexed(Occurrence occurrence) {
        List<ColumnModel> compared = occurrence.table.columns().stream()
                .filter(column -> !column.indexed()
                        && !occurrence.valuesOf(column).isEmpty()
                        // The key has the form of an equal string in its place, on which nobody makes an index.
                        && (column.place() == ColumnModel.Place.REGULAR || column.collation() == null))
                .toList();
        List<ColumnModel> given = compared.stream()
                .filter(column -> occurrence.valuesOf(column).stream().anyMatch(Occurrence.Given.class::isInstance))
                .toList();
        return given.isEmpty() ? compared : given;
    }

    private static ColumnModel column(TableModel table, String name) {
        return table.columns().stream()
                .filter(column -> column.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    /** Returns where the values of a column come from: what is written or given before what has to be read. */
    private Optional<Source> source(Occurrence occurrence, ColumnModel column) {
        Source other = null;
        for (Occurrence.Values values : occurrence.valuesOf(column)) {
            if (values instanceof Occurrence.Given given) {
                return Optional.of(new Source.Terms(given.terms()));
            }
            ColumnRef ref = (ColumnRef) values;
            Integer read = planned.get(ref.occurrence());
            if (read != null && other == null) {
                other = new Source.OtherColumn(read, ref.column());
            }
        }
        return Optional.ofNullable(other);
    }
}
