package dev.cassidy.jdbc;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import dev.cassidy.insert.CqlInsert;
import dev.cassidy.insert.TsqlStep;
import dev.cassidy.insert.VersionedWrite;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.sql.SQLDataException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The tables whose rows have a version, as the option {@code versioned} declares them. Every write to them is conditional, also
 * what does not look at the version: of a conditional write and another one to the same row, by whose clock the other one is
 * stamped would decide which is kept.
 *
 * @param columns the version column of each, all internal names; a table without a keyspace, given with a URL that has none
 *     either, is that of every keyspace
 */
record VersionedTables(Map<CqlInsert.Table, String> columns) {

    private static final String NAME = "(\"[^\",:.]+\"|[A-Za-z][A-Za-z0-9_]*)";
    private static final Pattern ENTRY = Pattern.compile("(?:" + NAME + "\\.)?" + NAME + ":" + NAME);

    VersionedTables {
        columns = Map.copyOf(columns);
    }

    /**
     * Reads the option's value.
     *
     * @param keyspace of tables that are given without
     * @throws IllegalArgumentException saying the rule
     */
    static VersionedTables parse(String option, Optional<CqlIdentifier> keyspace) {
        Map<CqlInsert.Table, String> columns = new HashMap<>();
        for (String entry : option.split(",", -1)) {
            Matcher matcher = ENTRY.matcher(entry.strip());
            if (!matcher.matches()) {
                throw new IllegalArgumentException("must be table:column,table:column..., such as orders:version or"
                        + " shop.orders:version, with a name in double quotes where its case matters");
            }
            String named = matcher.group(1) == null
                    ? keyspace.map(CqlIdentifier::asInternal).orElse(null)
                    : internal(matcher.group(1));
            columns.put(new CqlInsert.Table(named, internal(matcher.group(2))), internal(matcher.group(3)));
        }
        return new VersionedTables(columns);
    }

    private static String internal(String cql) {
        return CqlIdentifier.fromCql(cql).asInternal();
    }

    boolean isEmpty() {
        return columns.isEmpty();
    }

    /** @param keyspace empty where neither the statement nor the session has one */
    Optional<String> column(Optional<CqlIdentifier> keyspace, String table) {
        @Nullable
        String column = columns.get(
                new CqlInsert.Table(keyspace.map(CqlIdentifier::asInternal).orElse(null), table));
        return Optional.ofNullable(column == null ? columns.get(new CqlInsert.Table(null, table)) : column);
    }

    /**
     * A conditional statement and its parameters.
     *
     * @param parameters those of the script, and behind them the versions that were computed
     * @param impossible whether no row can have the version that it wants
     */
    record Conditional(Binder.Text text, List<@Nullable Parameter> parameters, boolean impossible) {}

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
        return new Conditional(new Binder.Text(write.text(), markers, false), all, false);
    }

    /** Returns the statement with the script's parameters alone. */
    static Binder.Text describe(TsqlStep.Cql step, VersionedWrite write) {
        return new Binder.Text(
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
