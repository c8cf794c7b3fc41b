package dev.cassidy.cql;

import dev.cassidy.insert.CheckExpression;
import dev.cassidy.insert.CqlInsert;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What a statement gives the columns that checks ask for; nothing if there are no checks. For one thread. */
record GivenRow(@Nullable Map<String, Object> values, Set<String> unknown, Map<String, List<Object>> keys) {

    /** In place of a value that only the server knows. */
    static final Object UNKNOWN = new Object();

    private static final GivenRow NOT_WANTED = new GivenRow(null, Set.of(), Map.of());

    static GivenRow of(RulePlan plan) {
        return plan.checks().isEmpty()
                ? NOT_WANTED
                : new GivenRow(new HashMap<>(plan.constants()), new HashSet<>(), new HashMap<>());
    }

    boolean isWanted() {
        return values != null;
    }

    void set(RulePlan.Given of, @Nullable Object value) {
        if (values == null) {
            return;
        }
        if (value == UNKNOWN) {
            unknown.add(of.assignment().column());
        } else if (value != null) {
            values.put(of.assignment().column(), value);
        }
    }

    /** @param value null if only the server knows it; of IN there are several, and a row for each */
    private void key(RulePlan.Compared of, @Nullable Object value) {
        String column = of.comparison().column();
        if (values == null) {
            return;
        }
        if (value == null) {
            unknown.add(column);
        } else {
            keys.computeIfAbsent(column, first -> new ArrayList<>()).add(value);
        }
    }

    /** Returns the values by which a check is broken; null if it is not. */
    private @Nullable Map<String, Object> breaking(
            CheckExpression check, Map<String, Object> row, List<String> keyColumns) {
        if (keyColumns.isEmpty()) {
            return check.isBrokenBy(row) ? row : null;
        }
        for (Object value : keys.getOrDefault(keyColumns.get(0), List.of())) {
            Map<String, Object> with = new HashMap<>(row);
            with.put(keyColumns.get(0), value);
            Map<String, Object> broken = breaking(check, with, keyColumns.subList(1, keyColumns.size()));
            if (broken != null) {
                return broken;
            }
        }
        return null;
    }

    void check(RulePlan plan) {
        if (values == null) {
            return;
        }
        for (RulePlan.Check each : plan.checks()) {
            Set<String> columns = each.expression().columns();
            if (columns.stream().noneMatch(unknown::contains)) {
                Map<String, Object> broken = breaking(
                        each.expression(),
                        values,
                        columns.stream().filter(keys::containsKey).toList());
                if (broken != null) {
                    throw each.refusal(plan.verb(), broken);
                }
            }
        }
    }

    /** @param given what a column of the key is compared with; null if only the server knows it */
    void keys(RulePlan.Compared of, @Nullable Object given, RulePlan plan) {
        Collection<?> all = of.comparison().list() && given instanceof Collection<?> several
                ? several
                : Collections.singletonList(given);
        for (Object each : all) {
            Object form = each == null ? null : of.rule().compared(each);
            if (form != null && plan.creates()) {
                of.rule().requireKey(form);
            }
            key(of, form);
        }
    }

    /** As {@link #keys(RulePlan.Compared, Object, RulePlan)}, of a value that the statement writes out. */
    void literalKeys(RulePlan.Compared of, RulePlan plan) {
        CqlInsert.Value value = of.comparison().value();
        Object time = plan.creates() ? LiteralTimes.of(value, of.rule()) : null;
        if (time != null) {
            of.rule().requireKey(time);
        }
        keys(of, LiteralValues.of(value), plan);
    }

    /** Takes a value that the statement writes out. Returns what is stored in its place; null if it is stored as it is. */
    @Nullable
    String literal(RulePlan.Given each, RulePlan plan) {
        plan.refuseComputed(each);
        CqlInsert.Value value = each.assignment().value();
        if (value instanceof CqlInsert.Value.Null) {
            plan.requireGiven(each, true);
            set(each, each.numbered() ? UNKNOWN : null);
            return null;
        }
        Object given = LiteralValues.of(value);
        if (given == null) {
            set(each, UNKNOWN);
            return null;
        }
        String stored = LiteralValues.stored(value, each.rule());
        set(each, each.rule().stored(given));
        return stored;
    }
}
