package dev.cassidy.jdbc.run;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import dev.cassidy.insert.ConditionalWrite;
import dev.cassidy.insert.CqlInsert;
import dev.cassidy.insert.CqlWrite;
import dev.cassidy.jdbc.error.SqlServerErrors;
import dev.cassidy.jdbc.error.SqlStates;
import dev.cassidy.jdbc.error.Unserved;
import dev.cassidy.jdbc.session.SharedSession;
import dev.cassidy.jdbc.session.Tables;
import dev.cassidy.jdbc.value.Column;
import dev.cassidy.jdbc.value.ConversionException;
import dev.cassidy.jdbc.value.Parameter;
import dev.cassidy.jdbc.value.ToCql;
import dev.cassidy.tsql.TsqlStep;
import java.math.BigDecimal;
import java.sql.SQLException;
import java.sql.SQLTransientException;
import java.time.Duration;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs UPDATE and DELETE of tables that are written under conditions. A column that is computed from its own value is read
 * first, at the serial level, and written only if it still has that value; else the answer says which value it has now, and the
 * next try begins with that. If the outcome of a try is unknown, the statement fails and says so: sent again, it could count
 * twice.
 */
final class ConditionalWrites {

    private static final Set<DataType> NUMBERS = Set.of(
            DataTypes.TINYINT,
            DataTypes.SMALLINT,
            DataTypes.INT,
            DataTypes.BIGINT,
            DataTypes.VARINT,
            DataTypes.DECIMAL);

    /** If the statement has no time-out of its own. */
    private static final Duration LONGEST = Duration.ofMinutes(1);

    private static final long FIRST_WAIT_MILLIS = 4;
    private static final long LONGEST_WAIT_MILLIS = 500;

    private final SharedSession session;
    private final Tables tables;
    private final Binder binder;
    private final StatementSender sender;
    private final Cancellation cancellation;
    private final LongSupplier nanoTime;

    ConditionalWrites(
            SharedSession session,
            Tables tables,
            Binder binder,
            StatementSender sender,
            Cancellation cancellation,
            LongSupplier nanoTime) {
        this.session = session;
        this.tables = tables;
        this.binder = binder;
        this.sender = sender;
        this.cancellation = cancellation;
        this.nanoTime = nanoTime;
    }

    /** Returns the conditional form of a write; empty if it has a condition of its own, or is none. */
    static Optional<ConditionalWrite> of(TsqlStep.Cql step, CqlWrite write, Tables tables) {
        return of(step, write, tables, Set.of());
    }

    private static Optional<ConditionalWrite> of(TsqlStep.Cql step, CqlWrite write, Tables tables, Set<Integer> nulls) {
        CqlInsert.Table table = new CqlInsert.Table(write.keyspace().orElse(null), write.table());
        Set<String> numbers = new HashSet<>();
        tables.types(table).forEach((column, type) -> {
            if (NUMBERS.contains(type)) {
                numbers.add(column);
            }
        });
        return ConditionalWrite.of(step.text(), new HashSet<>(tables.key(table)), numbers, nulls);
    }

    /** Returns how many rows were written: 1 or 0. */
    StepResult run(ConditionalWrite write, TsqlStep.Cql step, List<@Nullable Parameter> parameters)
            throws SQLException {
        Set<Integer> nulls = new HashSet<>();
        for (List<ConditionalWrite.Operand> values : write.compared()) {
            boolean findsNothing = true;
            for (ConditionalWrite.Operand value : values) {
                boolean isNull = isNull(value, step, parameters);
                findsNothing &= isNull;
                if (isNull && value.marker() >= 0) {
                    nulls.add(value.marker());
                }
            }
            if (findsNothing) {
                // A comparison with NULL is never true in SQL.
                return StepResult.written(0);
            }
        }
        ConditionalWrite sent = nulls.isEmpty()
                ? write
                : of(
                                step,
                                session.statements()
                                        .write(step.text(), step.parameters())
                                        .orElseThrow(),
                                tables,
                                nulls)
                        .orElseThrow();
        if (sent.changes().isEmpty()) {
            return StepResult.written(
                    once(sent, step, parameters, List.of(), List.of()).wasApplied() ? 1 : 0);
        }
        return StepResult.written(change(sent, step, parameters));
    }

    private long change(ConditionalWrite write, TsqlStep.Cql step, List<@Nullable Parameter> parameters)
            throws SQLException {
        Duration given = binder.timeout();
        long deadline = nanoTime.getAsLong() + (given == null ? LONGEST : given).toNanos();
        Row row = read(write, step, parameters);
        long wait = FIRST_WAIT_MILLIS;
        while (row != null) {
            List<@Nullable BigDecimal> old = values(write, row);
            if (!holds(write, step, parameters, old)) {
                return 0;
            }
            // With another condition the statement decides: no missing row fulfils it, as one does IF n = null alone.
            if (old.stream().allMatch(Objects::isNull) && !write.hasConditionsOfOthers()) {
                // NULL + 1 is NULL: there is nothing to write, if the statement does nothing else.
                if (write.changesAlone()) {
                    return 1;
                }
                throw Unserved.feature("UPDATE of other columns together with "
                        + write.changes().get(0).column()
                        + ", which is null in this row, is not served: set it to a number first, or write the others"
                        + " alone");
            }
            List<@Nullable BigDecimal> changed = changed(write, step, parameters, old);
            AsyncResultSet answer = once(write, step, parameters, old, changed);
            if (answer.wasApplied()) {
                return 1;
            }
            Row now = answer.one();
            if (now == null
                    || !now.getColumnDefinitions()
                            .contains(write.changes().get(0).column())) {
                // Only [applied]: the row is gone.
                return 0;
            }
            if (values(write, now).equals(old)) {
                // What has failed is a condition of another column.
                return 0;
            }
            if (nanoTime.getAsLong() >= deadline) {
                throw new SQLTransientException(
                        "Nothing was written: others changed the row before each try. Run it again, or have fewer"
                                + " writers of one row",
                        SqlStates.CONFLICT);
            }
            pause(wait);
            wait = Math.min(LONGEST_WAIT_MILLIS, 2 * wait);
            row = now;
        }
        return 0;
    }

    /** At a random time, so that those that collided do not collide again. */
    private void pause(long maxMillis) throws SQLException {
        long millis = ThreadLocalRandom.current().nextLong(maxMillis + 1);
        cancellation.await(
                CompletableFuture.runAsync(() -> {}, CompletableFuture.delayedExecutor(millis, TimeUnit.MILLISECONDS)),
                Cancellation.NOTHING_SENT);
    }

    private @Nullable Row read(ConditionalWrite write, TsqlStep.Cql step, List<@Nullable Parameter> parameters)
            throws SQLException {
        List<Integer> markers = write.readMarkers().stream()
                .map(marker -> step.parameters().get(marker))
                .toList();
        AsyncResultSet rows = cancellation.await(
                session.plain()
                        .executeAsync(binder.bind(
                                        session.plain(), new Binder.Unbound(write.read(), markers, false), parameters)
                                .setConsistencyLevel(serial())),
                Cancellation.READ_ALONE);
        Row first = rows.one();
        if (first != null && (rows.one() != null || rows.hasMorePages())) {
            throw Unserved.feature("UPDATE of several rows is not served here: name one row by its whole primary key");
        }
        return first;
    }

    private ConsistencyLevel serial() {
        return DefaultConsistencyLevel.valueOf(session.serialConsistency());
    }

    private AsyncResultSet once(
            ConditionalWrite write,
            TsqlStep.Cql step,
            List<@Nullable Parameter> parameters,
            List<@Nullable BigDecimal> old,
            List<@Nullable BigDecimal> changed)
            throws SQLException {
        List<@Nullable Parameter> all = new ArrayList<>(parameters);
        List<Integer> markers = new ArrayList<>();
        for (ConditionalWrite.Source source : write.markers()) {
            if (source instanceof ConditionalWrite.Source.Given given) {
                markers.add(step.parameters().get(given.marker()));
                continue;
            }
            BigDecimal value = source instanceof ConditionalWrite.Source.New fresh
                    ? changed.get(fresh.change())
                    : old.get(((ConditionalWrite.Source.Old) source).change());
            markers.add(all.size());
            all.add(new Parameter(value, null));
        }
        return sender.once(
                binder.bind(session.plain(), new Binder.Unbound(write.text(), markers, false), all), step.keyword());
    }

    private static List<@Nullable BigDecimal> values(ConditionalWrite write, Row row) {
        List<@Nullable BigDecimal> values = new ArrayList<>();
        for (ConditionalWrite.Change change : write.changes()) {
            Object value = row.getObject(CqlIdentifier.fromInternal(change.column()));
            values.add(value == null ? null : new BigDecimal(value.toString()));
        }
        return values;
    }

    private List<@Nullable BigDecimal> changed(
            ConditionalWrite write,
            TsqlStep.Cql step,
            List<@Nullable Parameter> parameters,
            List<@Nullable BigDecimal> old)
            throws SQLException {
        CqlInsert.Table table = session.statements()
                .write(step.text(), step.parameters())
                .map(found -> new CqlInsert.Table(found.keyspace().orElse(null), found.table()))
                .orElseThrow();
        Map<String, DataType> types = tables.types(table);
        List<@Nullable BigDecimal> changed = new ArrayList<>();
        for (int i = 0; i < old.size(); i++) {
            ConditionalWrite.Change change = write.changes().get(i);
            BigDecimal before = old.get(i);
            BigDecimal by = number(change.value(), step, parameters);
            if (before == null || by == null) {
                changed.add(null);
                continue;
            }
            BigDecimal result = change.minus() ? before.subtract(by) : before.add(by);
            DataType type = types.get(change.column());
            if (type != null && !type.equals(DataTypes.DECIMAL)) {
                requireFit(change, result, type);
            }
            changed.add(result);
        }
        return changed;
    }

    private static void requireFit(ConditionalWrite.Change change, BigDecimal result, DataType type)
            throws SQLException {
        try {
            Object fits = new ToCql(ZoneId.systemDefault(), ignored -> {}).convert(result, type);
            if (new BigDecimal(fits.toString()).compareTo(result) != 0) {
                throw ConversionException.type(result, type.asCql(false, false)).in("SET " + change.column());
            }
        } catch (ConversionException e) {
            throw SqlServerErrors.overflow(e.in("SET " + change.column()));
        }
    }

    private static boolean isNull(
            ConditionalWrite.Operand operand, TsqlStep.Cql step, List<@Nullable Parameter> parameters)
            throws SQLException {
        return operand.marker() < 0
                ? operand.literal() == null
                : given(operand, step, parameters).value() == null;
    }

    private static Parameter given(
            ConditionalWrite.Operand operand, TsqlStep.Cql step, List<@Nullable Parameter> parameters)
            throws SQLException {
        int index = step.parameters().get(operand.marker());
        Parameter parameter = parameters.get(index);
        if (parameter == null) {
            throw new SQLException(
                    "Parameter " + (index + 1) + " was never set; set it, to null if that is intended",
                    SqlStates.WRONG_PARAMETERS);
        }
        return parameter;
    }

    private static @Nullable BigDecimal number(
            ConditionalWrite.Operand operand, TsqlStep.Cql step, List<@Nullable Parameter> parameters)
            throws SQLException {
        String literal = operand.literal();
        Object value = operand.marker() < 0
                ? literal
                : given(operand, step, parameters).value();
        if (value == null) {
            return null;
        }
        try {
            return (BigDecimal) new ToCql(ZoneId.systemDefault(), ignored -> {}).convert(value, DataTypes.DECIMAL);
        } catch (ConversionException e) {
            throw e.in(
                    operand.marker() < 0
                            ? "the literal " + literal
                            : "parameter " + (step.parameters().get(operand.marker()) + 1));
        }
    }

    private static boolean holds(
            ConditionalWrite write,
            TsqlStep.Cql step,
            List<@Nullable Parameter> parameters,
            List<@Nullable BigDecimal> old)
            throws SQLException {
        for (ConditionalWrite.Check check : write.checks()) {
            BigDecimal value = old.get(check.change());
            if (check.operator().equals(ConditionalWrite.Check.IS_NOT_NULL)) {
                if (value == null) {
                    return false;
                }
                continue;
            }
            BigDecimal with = number(check.value(), step, parameters);
            if (value == null || with == null || !holds(check.operator(), value.compareTo(with))) {
                return false;
            }
        }
        return true;
    }

    private static boolean holds(String operator, int comparison) {
        return switch (operator) {
            case "=" -> comparison == 0;
            case "!=" -> comparison != 0;
            case "<" -> comparison < 0;
            case "<=" -> comparison <= 0;
            case ">" -> comparison > 0;
            default -> comparison >= 0;
        };
    }

    /** Puts the statement's parameters into their places in the script. */
    void describe(ConditionalWrite write, TsqlStep.Cql step, List<Column> columns) throws SQLException {
        List<Integer> markers = new ArrayList<>();
        for (ConditionalWrite.Source source : write.markers()) {
            markers.add(
                    source instanceof ConditionalWrite.Source.Given given
                            ? step.parameters().get(given.marker())
                            : Binder.AT_COMMIT);
        }
        binder.describe(session.plain(), new Binder.Unbound(write.text(), markers, false), columns);
        CqlWrite recognised =
                session.statements().write(step.text(), step.parameters()).orElseThrow();
        Map<String, DataType> types =
                tables.types(new CqlInsert.Table(recognised.keyspace().orElse(null), recognised.table()));
        for (ConditionalWrite.Change change : write.changes()) {
            describe(change.value(), change.column(), types, step, columns);
        }
        for (ConditionalWrite.Check check : write.checks()) {
            describe(check.value(), write.changes().get(check.change()).column(), types, step, columns);
        }
    }

    private static void describe(
            ConditionalWrite.Operand operand,
            String column,
            Map<String, DataType> types,
            TsqlStep.Cql step,
            List<Column> columns) {
        DataType type = types.get(column);
        if (operand.marker() >= 0 && type != null) {
            columns.set(step.parameters().get(operand.marker()), Column.of(column, type));
        }
    }
}
