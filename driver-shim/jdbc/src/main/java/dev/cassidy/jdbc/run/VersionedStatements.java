package dev.cassidy.jdbc.run;

import dev.cassidy.insert.VersionedWrite;
import dev.cassidy.jdbc.error.SqlStates;
import dev.cassidy.jdbc.value.Parameter;
import dev.cassidy.tsql.TsqlStep;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.sql.SQLDataException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Makes the conditional statements of writes to versioned tables. */
final class VersionedStatements {

    private VersionedStatements() {}

    /**
     * A conditional statement and its parameters.
     *
     * @param parameters those of the script, followed by the versions that were computed
     * @param impossible whether no row can have the required version
     */
    record Conditional(Binder.Unbound text, List<@Nullable Parameter> parameters, boolean impossible) {}

    static Conditional bind(TsqlStep.Cql step, VersionedWrite write, List<@Nullable Parameter> parameters)
            throws SQLException {
        List<@Nullable Parameter> all = new ArrayList<>(parameters);
        Parameter expected = write.expected()
                .map(marker -> parameters.get(step.parameters().get(marker)))
                .orElse(null);
        if (write.expectsNull() || (expected != null && expected.value() == null)) {
            return new Conditional(describe(step, write), all, true);
        }
        List<Integer> markers = new ArrayList<>();
        for (VersionedWrite.Source source : write.markers()) {
            int index = step.parameters().get(source.marker());
            Parameter parameter = parameters.get(index);
            if (source.plus() != 0 && parameter != null) {
                index = all.size();
                all.add(new Parameter(sum(parameter, source.plus()), parameter.zone()));
            }
            markers.add(index);
        }
        return new Conditional(new Binder.Unbound(write.text(), markers, false), all, false);
    }

    /** Returns the statement with the script's parameters alone. */
    static Binder.Unbound describe(TsqlStep.Cql step, VersionedWrite write) {
        return new Binder.Unbound(
                write.text(),
                write.markers().stream()
                        .map(source -> step.parameters().get(source.marker()))
                        .toList(),
                false);
    }

    private static BigInteger sum(Parameter version, long plus) throws SQLException {
        Object value = version.value();
        BigInteger number = null;
        if (value instanceof BigInteger integer) {
            number = integer;
        } else if (value instanceof BigDecimal decimal
                && decimal.stripTrailingZeros().scale() <= 0) {
            number = decimal.toBigInteger();
        } else if (value instanceof Long
                || value instanceof Integer
                || value instanceof Short
                || value instanceof Byte) {
            number = BigInteger.valueOf(((Number) value).longValue());
        }
        if (number == null) {
            throw new SQLDataException(
                    "must be a whole number, for " + plus + " is added to it: version=" + value,
                    SqlStates.TYPE_MISMATCH);
        }
        return number.add(BigInteger.valueOf(plus));
    }
}
