package dev.cassidy.cql;

import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.type.codec.TypeCodec;
import dev.cassidy.insert.CqlInsert;
import java.nio.ByteBuffer;
import java.util.Objects;

/** Applies the rules of columns to a bound statement. */
final class BoundRules {

    private BoundRules() {}

    /** Returns the statement with the values that are stored, and compared; throws {@link ColumnValueException} if one is refused. */
    static BoundStatement apply(BoundStatement statement, RulePlan plan) {
        if (plan.asksForNothing()) {
            return statement;
        }
        plan.requireComplete();
        GivenRow row = GivenRow.of(plan);
        BoundStatement then = compared(statement, plan);
        for (RulePlan.Given each : plan.given()) {
            CqlInsert.Value value = each.assignment().value();
            if (!(value instanceof CqlInsert.Value.Marker marker)) {
                row.literal(each, plan);
                continue;
            }
            int index = marker.index();
            if (!statement.isSet(index)) {
                // An UPDATE leaves the column as it is.
                plan.requireGiven(each, plan.insert());
                row.set(each, plan.insert() ? null : GivenRow.UNKNOWN);
                continue;
            }
            ByteBuffer bytes = statement.getBytesUnsafe(index);
            if (bytes == null) {
                plan.requireGiven(each, true);
                row.set(each, each.numbered() ? GivenRow.UNKNOWN : null);
            } else if (row.isWanted()
                    || (each.rule().restricts() && !each.rule().takesEncoded(bytes))) {
                TypeCodec<Object> codec = statement.codecRegistry().codecFor(statement.getType(index));
                Object given = Objects.requireNonNull(statement.get(index, codec));
                Object stored = each.rule().stored(given);
                row.set(each, stored);
                then = stored.equals(given) ? then : then.set(index, stored, codec);
            }
        }
        for (RulePlan.Compared each : plan.keys()) {
            if (!(each.comparison().value() instanceof CqlInsert.Value.Marker marker)) {
                row.literalKeys(each, plan);
                continue;
            }
            int index = marker.index();
            ByteBuffer bytes = statement.isSet(index) ? statement.getBytesUnsafe(index) : null;
            if (bytes == null) {
                // The server refuses the statement.
                row.keys(each, null, plan);
            } else if (row.isWanted()
                    || each.comparison().list()
                    || !each.rule().takesEncoded(bytes)) {
                row.keys(
                        each, statement.get(index, statement.codecRegistry().codecFor(statement.getType(index))), plan);
            }
        }
        row.check(plan);
        return then;
    }

    private static BoundStatement compared(BoundStatement statement, RulePlan plan) {
        BoundStatement then = statement;
        for (RulePlan.Compared each : plan.compared()) {
            if (!(each.comparison().value() instanceof CqlInsert.Value.Marker marker)) {
                continue;
            }
            int index = marker.index();
            ByteBuffer bytes = statement.getBytesUnsafe(index);
            if (!statement.isSet(index)
                    || bytes == null
                    || (!each.comparison().list() && each.rule().takesEncoded(bytes))) {
                continue;
            }
            TypeCodec<Object> codec = statement.codecRegistry().codecFor(statement.getType(index));
            Object given = Objects.requireNonNull(statement.get(index, codec));
            Object form = each.form(given);
            then = form.equals(given) ? then : then.set(index, form, codec);
        }
        return then;
    }
}
