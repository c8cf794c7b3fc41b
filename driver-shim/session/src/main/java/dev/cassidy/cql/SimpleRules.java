package dev.cassidy.cql;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import com.datastax.oss.driver.api.core.type.codec.CodecNotFoundException;
import com.datastax.oss.driver.api.core.type.codec.registry.CodecRegistry;
import dev.cassidy.insert.CqlInsert;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Applies the rules of columns to a simple statement, its literals included. Safe for use by many threads. */
final class SimpleRules {

    private final CodecRegistry codecs;

    /** @param codecs those of the session: the driver encodes a value by its class */
    SimpleRules(CodecRegistry codecs) {
        this.codecs = codecs;
    }

    /** Returns the statement with the values that are stored, and compared; throws {@link ColumnValueException} if one is refused. */
    SimpleStatement apply(SimpleStatement statement, RulePlan plan) {
        requireClasses(statement, plan);
        if (plan.asksForNothing()) {
            return statement;
        }
        plan.requireComplete();
        List<Object> positional = new ArrayList<>(statement.getPositionalValues());
        Map<CqlIdentifier, Object> named = new HashMap<>(statement.getNamedValues());
        StringBuilder cql = new StringBuilder(statement.getQuery());
        GivenRow row = GivenRow.of(plan);
        // From the end on, so that the places before it stay.
        RulePlanner.replaceCompared(cql, plan.compared());
        for (RulePlan.Compared each : plan.compared()) {
            if (each.comparison().value() instanceof CqlInsert.Value.Marker marker) {
                value(each, marker, positional, named);
            }
        }
        for (int i = plan.given().size() - 1; i >= 0; i--) {
            RulePlan.Given each = plan.given().get(i);
            if (each.assignment().value() instanceof CqlInsert.Value.Marker marker) {
                value(each, plan, marker, positional, named, row);
            } else {
                String literal = row.literal(each, plan);
                if (literal != null) {
                    cql.replace(each.assignment().start(), each.assignment().end(), literal);
                }
            }
        }
        for (RulePlan.Compared each : plan.keys()) {
            row.keys(
                    each,
                    each.comparison().value() instanceof CqlInsert.Value.Marker marker
                            ? given(marker, positional, named)
                            : LiteralValues.of(each.comparison().value()),
                    plan);
        }
        row.check(plan);
        SimpleStatement then = statement;
        if (!positional.equals(statement.getPositionalValues())) {
            then = then.setPositionalValues(positional);
        }
        if (!named.equals(statement.getNamedValues())) {
            then = then.setNamedValuesWithIds(named);
        }
        return cql.toString().equals(statement.getQuery()) ? then : then.setQuery(cql.toString());
    }

    /**
     * The driver encodes a value of a simple statement by its class, and Cassandra takes every text as a decimal: what then stands
     * in the column cannot be read, and no rule has seen it.
     */
    private void requireClasses(SimpleStatement statement, RulePlan plan) {
        for (RulePlan.Parameter each : plan.parameters()) {
            Object value = given(each.marker(), statement.getPositionalValues(), statement.getNamedValues());
            if (!each.list()) {
                requireClass(each, value);
            } else if (value instanceof Collection<?> values) {
                values.forEach(one -> requireClass(each, one));
            }
        }
    }

    private void requireClass(RulePlan.Parameter of, @Nullable Object value) {
        if (value == null) {
            return;
        }
        DataType encoded;
        try {
            encoded = codecs.codecFor(value).getCqlType();
        } catch (CodecNotFoundException e) {
            // The driver refuses it too.
            return;
        }
        if (!isSameEncoding(encoded, of.type())) {
            throw of.rule().refuseClass(value, of.type().asCql(false, true), encoded.asCql(false, true));
        }
    }

    private static boolean isSameEncoding(DataType value, DataType column) {
        return value.equals(column)
                || (value.equals(DataTypes.TEXT) && column.equals(DataTypes.ASCII))
                || (value.equals(DataTypes.UUID) && column.equals(DataTypes.TIMEUUID))
                || (value.equals(DataTypes.BIGINT) && column.equals(DataTypes.COUNTER));
    }

    /** Returns what a statement gives a marker; null if it gives nothing or NULL. */
    private static @Nullable Object given(
            CqlInsert.Value.Marker marker, List<Object> positional, Map<CqlIdentifier, Object> named) {
        CqlIdentifier name = marker.name() == null ? null : CqlIdentifier.fromInternal(marker.name());
        return name != null && named.containsKey(name)
                ? named.get(name)
                : marker.index() < positional.size() ? positional.get(marker.index()) : null;
    }

    private static void value(
            RulePlan.Given each,
            RulePlan plan,
            CqlInsert.Value.Marker marker,
            List<Object> positional,
            Map<CqlIdentifier, Object> named,
            GivenRow row) {
        CqlIdentifier name = marker.name() == null ? null : CqlIdentifier.fromInternal(marker.name());
        boolean isNamed = name != null && named.containsKey(name);
        if (!isNamed && marker.index() >= positional.size()) {
            // The server refuses the statement.
            row.set(each, GivenRow.UNKNOWN);
            return;
        }
        Object value = isNamed ? named.get(name) : positional.get(marker.index());
        if (value == null) {
            plan.requireGiven(each, true);
            row.set(each, each.numbered() ? GivenRow.UNKNOWN : null);
            return;
        }
        Object stored = each.rule().stored(value);
        row.set(each, stored);
        if (isNamed) {
            named.put(name, stored);
        } else {
            positional.set(marker.index(), stored);
        }
    }

    private static void value(
            RulePlan.Compared each,
            CqlInsert.Value.Marker marker,
            List<Object> positional,
            Map<CqlIdentifier, Object> named) {
        CqlIdentifier name = marker.name() == null ? null : CqlIdentifier.fromInternal(marker.name());
        if (name != null && named.get(name) != null) {
            named.put(name, each.form(named.get(name)));
        } else if (marker.index() < positional.size() && positional.get(marker.index()) != null) {
            positional.set(marker.index(), each.form(positional.get(marker.index())));
        }
    }
}
