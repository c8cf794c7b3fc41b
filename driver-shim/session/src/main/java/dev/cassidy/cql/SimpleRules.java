package dev.cassidy.cql;

import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import com.datastax.oss.driver.api.core.type.codec.CodecNotFoundException;
import com.datastax.oss.driver.api.core.type.codec.registry.CodecRegistry;
import dev.cassidy.insert.CqlInsert;
import java.util.Collection;
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
        SimpleValues values = new SimpleValues(statement);
        requireClasses(values, plan);
        if (plan.asksForNothing()) {
            return statement;
        }
        plan.requireComplete();
        StringBuilder cql = new StringBuilder(statement.getQuery());
        GivenRow row = GivenRow.of(plan);
        // From the end on, so that the places before it stay.
        RulePlanner.replaceCompared(cql, plan.compared());
        for (RulePlan.Compared each : plan.compared()) {
            if (each.comparison().value() instanceof CqlInsert.Value.Marker marker) {
                value(each, marker, values);
            }
        }
        for (int i = plan.given().size() - 1; i >= 0; i--) {
            RulePlan.Given each = plan.given().get(i);
            if (each.assignment().value() instanceof CqlInsert.Value.Marker marker) {
                value(each, plan, marker, values, row);
            } else {
                String literal = row.literal(each, plan);
                if (literal != null) {
                    cql.replace(each.assignment().start(), each.assignment().end(), literal);
                }
            }
        }
        for (RulePlan.Compared each : plan.keys()) {
            if (each.comparison().value() instanceof CqlInsert.Value.Marker marker) {
                row.keys(
                        each,
                        values.given(marker, each.rule(), each.comparison().list()),
                        plan);
            } else {
                row.literalKeys(each, plan);
            }
        }
        row.check(plan);
        values.requireOneForm(plan);
        return values.into(cql.toString());
    }

    /**
     * The driver encodes a value of a simple statement by its class, and Cassandra takes every text as a decimal: what then stands
     * in the column cannot be read, and no rule has seen it.
     */
    private void requireClasses(SimpleValues values, RulePlan plan) {
        for (RulePlan.Parameter each : plan.parameters()) {
            Object value = values.given(each.marker(), each.rule(), each.list());
            if (!each.list()) {
                requireClass(each, value);
            } else if (value instanceof Collection<?> several) {
                several.forEach(one -> requireClass(each, one));
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

    private static void value(
            RulePlan.Given each, RulePlan plan, CqlInsert.Value.Marker marker, SimpleValues values, GivenRow row) {
        if (!values.has(marker, each.rule(), false)) {
            // The server refuses the statement.
            row.set(each, GivenRow.UNKNOWN);
            return;
        }
        Object value = values.given(marker, each.rule(), false);
        if (value == null) {
            plan.requireGiven(each, true);
            row.set(each, each.numbered() ? GivenRow.UNKNOWN : null);
            return;
        }
        Object stored = each.rule().stored(value);
        row.set(each, stored);
        values.send(marker, each.rule(), false, stored);
    }

    private static void value(RulePlan.Compared each, CqlInsert.Value.Marker marker, SimpleValues values) {
        boolean list = each.comparison().list();
        Object value = values.given(marker, each.rule(), list);
        if (value != null) {
            values.send(marker, each.rule(), list, each.form(value));
        }
    }
}
