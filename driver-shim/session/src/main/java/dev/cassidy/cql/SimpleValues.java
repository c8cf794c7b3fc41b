package dev.cassidy.cql;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import dev.cassidy.insert.CqlInsert;
import dev.cassidy.insert.Scanner;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The values of a simple statement, by position or by name, and what is sent in their place. Cassandra names a {@code ?} after its
 * column, so that its value may be given by name too. One name may stand for several places. For one thread.
 */
final class SimpleValues {

    private final SimpleStatement statement;

    /** Those that are sent; the statement's own ones until another form is. */
    private List<Object> positional;

    private Map<CqlIdentifier, Object> named;

    /** The first place of each name that was asked for, and what is sent for it. */
    private final Map<CqlIdentifier, Form> forms = new HashMap<>();

    private record Form(Object value, ColumnRule rule) {}

    SimpleValues(SimpleStatement statement) {
        this.statement = statement;
        this.positional = statement.getPositionalValues();
        this.named = statement.getNamedValues();
    }

    /** Returns whether the statement gives the marker a value, or NULL. */
    boolean has(CqlInsert.Value.Marker marker, ColumnRule of, boolean list) {
        return named.isEmpty() ? marker.index() < positional.size() : named.containsKey(name(marker, of, list));
    }

    /** Returns what the statement gives a marker; null if it gives nothing or NULL. */
    @Nullable
    Object given(CqlInsert.Value.Marker marker, ColumnRule of, boolean list) {
        return named.isEmpty()
                ? marker.index() < positional.size() ? positional.get(marker.index()) : null
                : statement.getNamedValues().get(name(marker, of, list));
    }

    /**
     * Sends a form in place of the value of a marker that has one.
     *
     * @throws IllegalArgumentException if the name also stands for a place that takes the value in another form
     */
    void send(CqlInsert.Value.Marker marker, ColumnRule of, boolean list, Object form) {
        if (named.isEmpty()) {
            if (!form.equals(positional.get(marker.index()))) {
                positional = new ArrayList<>(positional);
                positional.set(marker.index(), form);
            }
            return;
        }
        CqlIdentifier name = name(marker, of, list);
        Form first = forms.putIfAbsent(name, new Form(form, of));
        if (first != null && !first.value.equals(form)) {
            throw shared(name, first.rule, of);
        }
        if (!form.equals(named.get(name))) {
            named = new HashMap<>(named);
            named.put(name, form);
        }
    }

    /** Requires that every place of a name whose value is sent in another form takes that form. */
    void requireOneForm(RulePlan plan) {
        for (Map.Entry<CqlIdentifier, Form> each : forms.entrySet()) {
            Form form = each.getValue();
            if (form.value.equals(statement.getNamedValues().get(each.getKey()))) {
                continue;
            }
            // A place that no rule asks for stores the value as it is.
            for (RulePlan.Parameter parameter : plan.parameters()) {
                if (name(parameter.marker(), parameter.rule(), parameter.list()).equals(each.getKey())
                        && !isSent(parameter, plan)) {
                    throw shared(each.getKey(), form.rule, parameter.rule());
                }
            }
            requireNowhereElse(each.getKey(), form.rule, plan);
        }
    }

    /** Within a function, in USING or in LIMIT, the value must stay as it is. */
    private void requireNowhereElse(CqlIdentifier name, ColumnRule of, RulePlan plan) {
        long sent = Stream.concat(
                        plan.given().stream().map(each -> each.assignment().value()),
                        plan.compared().stream().map(each -> each.comparison().value()))
                .filter(value -> value instanceof CqlInsert.Value.Marker marker
                        && name.asInternal().equals(marker.name()))
                .count();
        if (Scanner.markers(statement.getQuery(), name.asInternal()) > sent) {
            throw shared(name, of, "another place of the statement");
        }
    }

    private static boolean isSent(RulePlan.Parameter parameter, RulePlan plan) {
        int index = parameter.marker().index();
        return plan.given().stream()
                        .anyMatch(each -> isAt(index, each.assignment().value()))
                || plan.compared().stream()
                        .anyMatch(each -> isAt(index, each.comparison().value()));
    }

    private static boolean isAt(int index, CqlInsert.Value value) {
        return value instanceof CqlInsert.Value.Marker marker && marker.index() == index;
    }

    private static IllegalArgumentException shared(CqlIdentifier name, ColumnRule one, ColumnRule other) {
        return shared(
                name,
                one,
                one.column().equals(other.column())
                        ? "a comparison with it"
                        : "column '" + other.column().label() + "', which is "
                                + other.column().type());
    }

    private static IllegalArgumentException shared(CqlIdentifier name, ColumnRule one, String other) {
        return new IllegalArgumentException("the value of the marker '" + name.asInternal() + "' is for column '"
                + one.column().label() + "' of table '" + one.table() + "', which is "
                + one.column().type()
                + ", and also for " + other
                + ", and they do not take it in one form: use two markers of different names");
    }

    /** Returns the statement with what is sent. */
    SimpleStatement into(String cql) {
        SimpleStatement then = statement;
        if (!positional.equals(statement.getPositionalValues())) {
            then = then.setPositionalValues(positional);
        }
        if (!named.equals(statement.getNamedValues())) {
            then = then.setNamedValuesWithIds(named);
        }
        return cql.equals(statement.getQuery()) ? then : then.setQuery(cql);
    }

    private static CqlIdentifier name(CqlInsert.Value.Marker marker, ColumnRule of, boolean list) {
        String column = of.column().name();
        return CqlIdentifier.fromInternal(marker.name() != null ? marker.name() : list ? "in(" + column + ")" : column);
    }
}
