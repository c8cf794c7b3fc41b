package dev.cassidy.assist.read;

import dev.cassidy.assist.plan.Access;
import dev.cassidy.assist.plan.ReadPlan;
import dev.cassidy.assist.plan.Source;
import dev.cassidy.assist.plan.TableRead;
import dev.cassidy.assist.plan.Term;
import dev.cassidy.jdbc.assist.BoundExceededException;
import dev.cassidy.jdbc.assist.Budget;
import dev.cassidy.jdbc.assist.ColumnModel;
import dev.cassidy.jdbc.assist.RowSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Reads what a plan names, side by side as far as one read does not need the rows of another. */
public final class Reader {

    private final ReadPlan plan;
    private final List<@Nullable Object> parameters;
    private final RowSource source;
    private final Budget budget;
    private final Map<Integer, List<List<@Nullable Object>>> rows = new LinkedHashMap<>();

    private Reader(ReadPlan plan, List<@Nullable Object> parameters, RowSource source, Budget budget) {
        this.plan = plan;
        this.parameters = parameters;
        this.source = source;
        this.budget = budget;
    }

    /**
     * Reads the rows of a plan.
     *
     * @param parameters of the types for which it was planned
     * @return the rows of each read, by its place; each row has the values of {@link TableRead#columns}, and no two have one key. It fails
     *     with {@link BoundExceededException} if they are more than the budget
     */
    public static CompletionStage<List<List<List<@Nullable Object>>>> read(
            ReadPlan plan, List<@Nullable Object> parameters, RowSource source, Budget budget) {
        Reader reader = new Reader(plan, parameters, source, budget);
        return reader.next().thenApply(done -> {
            List<List<List<@Nullable Object>>> all = new ArrayList<>();
            for (int i = 0; i < plan.reads().size(); i++) {
                all.add(Objects.requireNonNull(reader.rows.get(i)));
            }
            return all;
        });
    }

    private CompletionStage<@Nullable Void> next() {
        List<TableRead> ready = plan.reads().stream()
                .filter(read -> !rows.containsKey(read.id()) && isReady(read))
                .toList();
        if (ready.isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        List<CompletableFuture<List<List<@Nullable Object>>>> sent = new ArrayList<>();
        try {
            for (TableRead each : ready) {
                sent.add(send(each).toCompletableFuture());
            }
        } catch (BoundExceededException e) {
            return CompletableFuture.failedFuture(e);
        }
        return CompletableFuture.allOf(sent.toArray(CompletableFuture<?>[]::new))
                .thenCompose(done -> {
                    for (int i = 0; i < ready.size(); i++) {
                        rows.put(
                                ready.get(i).id(),
                                once(ready.get(i), sent.get(i).join()));
                    }
                    return next();
                });
    }

    private boolean isReady(TableRead read) {
        return !(read.access() instanceof Access.Keyed keyed)
                || keyed.parts().stream()
                        .allMatch(part ->
                                !(part.source() instanceof Source.OtherColumn other) || rows.containsKey(other.read()));
    }

    private CompletionStage<List<List<@Nullable Object>>> send(TableRead read) {
        if (read.access() instanceof Access.Keyed keyed) {
            List<List<Object>> values = values(read, keyed);
            List<ColumnModel> by =
                    keyed.parts().stream().map(Access.Part::column).toList();
            return values.isEmpty()
                    ? CompletableFuture.completedFuture(List.of())
                    : source.read(read.table(), read.columns(), by, values, budget);
        }
        return source.read(read.table(), read.columns(), List.of(), List.of(), budget);
    }

    /** Returns the rows without those that came twice. */
    private static List<List<@Nullable Object>> once(TableRead read, List<List<@Nullable Object>> found) {
        List<Integer> key = new ArrayList<>();
        for (int i = 0; i < read.columns().size(); i++) {
            if (read.columns().get(i).place() != ColumnModel.Place.REGULAR) {
                key.add(i);
            }
        }
        Map<List<Object>, List<@Nullable Object>> rows = new LinkedHashMap<>();
        for (List<@Nullable Object> row : found) {
            List<Object> of = new ArrayList<>();
            for (int i : key) {
                of.add(Keys.form(read.columns().get(i), Objects.requireNonNull(row.get(i))));
            }
            rows.putIfAbsent(of, row);
        }
        return List.copyOf(rows.values());
    }

    // ---- values

    /** Columns whose values come from one place, with all combinations that it gives, by what makes them differ. */
    private record Group(List<Integer> parts, Map<List<Object>, List<Object>> values) {}

    private List<List<Object>> values(TableRead read, Access.Keyed keyed) {
        List<Group> groups = groups(keyed);
        long combinations = 1;
        for (Group each : groups) {
            combinations = Math.multiplyExact(combinations, each.values().size());
            if (combinations == 0) {
                return List.of();
            }
            if (combinations > Integer.MAX_VALUE) {
                break;
            }
        }
        // Before they are made.
        budget.requests(read.table(), (int) Math.min(combinations, Integer.MAX_VALUE));
        List<List<Object>> all = new ArrayList<>();
        combine(groups, 0, new Object[keyed.parts().size()], all);
        return all;
    }

    private static void combine(List<Group> groups, int from, Object[] values, List<List<Object>> all) {
        if (from == groups.size()) {
            all.add(List.of(values));
            return;
        }
        Group group = groups.get(from);
        for (List<Object> each : group.values().values()) {
            for (int i = 0; i < each.size(); i++) {
                values[group.parts().get(i)] = each.get(i);
            }
            combine(groups, from + 1, values, all);
        }
    }

    private List<Group> groups(Access.Keyed keyed) {
        List<Group> groups = new ArrayList<>();
        Map<Integer, List<Integer>> ofReads = new LinkedHashMap<>();
        for (int i = 0; i < keyed.parts().size(); i++) {
            Access.Part part = keyed.parts().get(i);
            if (part.source() instanceof Source.OtherColumn other) {
                ofReads.computeIfAbsent(other.read(), ignored -> new ArrayList<>())
                        .add(i);
            } else {
                groups.add(new Group(List.of(i), terms(part.column(), (Source.Terms) part.source())));
            }
        }
        ofReads.forEach((read, parts) -> groups.add(new Group(parts, tuples(keyed, read, parts))));
        return groups;
    }

    private Map<List<Object>, List<Object>> terms(ColumnModel column, Source.Terms terms) {
        Map<List<Object>, List<Object>> values = new LinkedHashMap<>();
        for (Term each : terms.terms()) {
            Object given = each instanceof Term.Literal literal
                    ? literal.value()
                    : parameters.get(((Term.Parameter) each).index());
            Keys.of(column, given)
                    .ifPresent(value -> values.putIfAbsent(List.of(Keys.form(column, value)), List.of(value)));
        }
        return values;
    }

    /** The values of one row belong together: the statement demands all of them at once. */
    private Map<List<Object>, List<Object>> tuples(Access.Keyed keyed, int read, List<Integer> parts) {
        TableRead other = plan.reads().get(read);
        Map<List<Object>, List<Object>> values = new LinkedHashMap<>();
        for (List<@Nullable Object> row : Objects.requireNonNull(rows.get(read))) {
            List<Object> tuple = new ArrayList<>();
            List<Object> forms = new ArrayList<>();
            for (int each : parts) {
                Access.Part part = keyed.parts().get(each);
                Optional<Object> value = Keys.of(
                        part.column(), row.get(other.columns().indexOf(((Source.OtherColumn) part.source()).column())));
                value.ifPresent(found -> {
                    tuple.add(found);
                    forms.add(Keys.form(part.column(), found));
                });
            }
            if (tuple.size() == parts.size()) {
                values.putIfAbsent(forms, tuple);
            }
        }
        return values;
    }
}
