package dev.cassidy.jdbc.run;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import dev.cassidy.cql.IdentitySession;
import dev.cassidy.definition.RowMark;
import dev.cassidy.insert.ConditionalWrite;
import dev.cassidy.insert.CqlInsert;
import dev.cassidy.insert.CqlWrite;
import dev.cassidy.jdbc.error.SameError;
import dev.cassidy.jdbc.error.SqlErrors;
import dev.cassidy.jdbc.error.SqlServerErrors;
import dev.cassidy.jdbc.error.SqlStates;
import dev.cassidy.jdbc.error.Unserved;
import dev.cassidy.jdbc.session.SharedSession;
import dev.cassidy.jdbc.session.Tables;
import dev.cassidy.jdbc.value.Column;
import dev.cassidy.jdbc.value.ConversionException;
import dev.cassidy.jdbc.value.Parameter;
import dev.cassidy.jdbc.value.ToCql;
import dev.cassidy.table.TableWrites;
import dev.cassidy.tsql.TsqlStep;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.sql.SQLTransientException;
import java.time.Duration;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Runs UPDATE and DELETE of tables whose writes are exact. A column that is computed from its own value is read first, and written
 * only if it still has that value; else the answer says which value it has now, and the next try begins with that. If the outcome
 * of a try is unknown, the statement fails and says so: sent again, it could count twice.
 */
final class ConditionalWrites {

    private static final Set<DataType> NUMBERS = Set.of(
            DataTypes.TINYINT,
            DataTypes.SMALLINT,
            DataTypes.INT,
            DataTypes.BIGINT,
            DataTypes.VARINT,
            DataTypes.DECIMAL);

    private static final Pattern DELETE_OF_ROWS = Pattern.compile("\\s*delete\\s+from\\b", Pattern.CASE_INSENSITIVE);

    /** If the statement has no time-out of its own. */
    private static final Duration LONGEST = Duration.ofMinutes(1);

    private static final long FIRST_WAIT_MILLIS = 4;
    private static final long LONGEST_WAIT_MILLIS = 500;

    private final SharedSession session;
    private final Tables tables;
    private final Binder binder;
    private final StatementSender sender;
    private final Cancellation cancellation;
    private final Predicate<CqlInsert.Table> isWaiting;
    private final LongSupplier nanoTime;

    /** @param isWaiting whether inserts into a table wait for a commit */
    ConditionalWrites(
            SharedSession session,
            Tables tables,
            Binder binder,
            StatementSender sender,
            Cancellation cancellation,
            Predicate<CqlInsert.Table> isWaiting,
            LongSupplier nanoTime) {
        this.session = session;
        this.tables = tables;
        this.binder = binder;
        this.sender = sender;
        this.cancellation = cancellation;
        this.isWaiting = isWaiting;
        this.nanoTime = nanoTime;
    }

    /** Returns the conditional form of a write; empty if it has a condition of its own, or is none. */
    static Optional<ConditionalWrite> of(TsqlStep.Cql step, CqlWrite write, Tables tables) {
        return of(step, write, tables, Set.of());
    }

    private static Optional<ConditionalWrite> of(TsqlStep.Cql step, CqlWrite write, Tables tables, Set<Integer> nulls) {
        CqlInsert.Table table = table(write);
        Set<String> numbers = new HashSet<>();
        tables.types(table).forEach((column, type) -> {
            if (NUMBERS.contains(type)) {
                numbers.add(column);
            }
        });
        return ConditionalWrite.of(step.text(), new LinkedHashSet<>(tables.key(table)), numbers, nulls);
    }

    /** Returns whether a part of a row is written, which a replica may have that others lack. */
    static boolean writesColumns(ConditionalWrite write) {
        return !DELETE_OF_ROWS.matcher(write.text()).lookingAt();
    }

    private static CqlInsert.Table table(CqlWrite write) {
        return new CqlInsert.Table(write.keyspace().orElse(null), write.table());
    }

    /**
     * One statement and its values.
     *
     * @param parameters those of the script, and behind them the key of the row, if the statement is of several rows
     * @param key where that begins
     */
    private record Statement(
            ConditionalWrite write,
            TableWrites writes,
            TsqlStep.Cql step,
            CqlInsert.Table table,
            List<@Nullable Parameter> parameters,
            int key) {

        /** Returns the same of one row. */
        Statement of(List<@Nullable Parameter> keys) {
            List<@Nullable Parameter> all = new ArrayList<>(parameters);
            all.addAll(keys);
            return new Statement(write, writes, step, table, all, parameters.size());
        }

        int parameter(ConditionalWrite.Source source) {
            return source instanceof ConditionalWrite.Source.Key column
                    ? key + column.column()
                    : step.parameters().get(((ConditionalWrite.Source.Given) source).marker());
        }
    }

    /** Returns how many rows were written. */
    StepResult run(CqlPlan.Exact plan, TsqlStep.Cql step, List<@Nullable Parameter> parameters) throws SQLException {
        Set<Integer> nulls = new HashSet<>();
        for (List<ConditionalWrite.Operand> values : plan.write().compared()) {
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
        CqlWrite recognised =
                session.statements().write(step.text(), step.parameters()).orElseThrow();
        ConditionalWrite sent = nulls.isEmpty()
                ? plan.write()
                : of(step, recognised, tables, nulls).orElseThrow();
        // A row that is missing must not hide what is wrong with the statement.
        List<Integer> unbound = Collections.nCopies(sent.markers().size(), 0);
        binder.prepare(session.plain(), new Binder.Unbound(sent.text(), unbound, false));
        Statement statement = new Statement(sent, plan.writes(), step, table(recognised), parameters, -1);
        return StepResult.written(sent.keys().isEmpty() ? one(statement) : several(statement));
    }

    /** Each row by itself: a condition is of one partition. */
    private long several(Statement statement) throws SQLException {
        long count = 0;
        for (List<@Nullable Parameter> key : keys(statement)) {
            try {
                count += one(statement.of(key));
            } catch (SQLException | RuntimeException e) {
                SQLException failure = SqlErrors.of(e);
                throw count == 0
                        ? failure
                        : SameError.andAlso(
                                failure, count + (count == 1 ? " row was" : " rows were") + " written before");
            }
        }
        return count;
    }

    private List<List<@Nullable Parameter>> keys(Statement statement) throws SQLException {
        if (isWaiting.test(statement.table())) {
            throw Unserved.feature(statement.step().keyword() + " of several rows of table "
                    + tables.qualified(statement.table())
                    + " is not served in a transaction that has inserted into it: its rows are sent at the commit, and would be"
                    + " left out. Commit them first, or name each row by its key");
        }
        boolean elsewhere = hasOtherDatacenters(statement);
        AsyncResultSet page;
        try {
            page = rows(
                    statement,
                    statement.write().keys(),
                    statement.write().keyMarkers(),
                    elsewhere ? DefaultConsistencyLevel.EACH_QUORUM : null);
        } catch (SQLException e) {
            throw elsewhere ? inDoubt(statement, e) : e;
        }
        List<List<@Nullable Parameter>> keys = new ArrayList<>();
        while (true) {
            for (Row row : page.currentPage()) {
                List<@Nullable Parameter> key = new ArrayList<>();
                for (int i = 0; i < row.size(); i++) {
                    Object value = row.getObject(i);
                    key.add(new Parameter(value instanceof ByteBuffer bytes ? array(bytes) : value, null));
                }
                keys.add(key);
            }
            if (!page.hasMorePages()) {
                return keys;
            }
            page = cancellation.await(page.fetchNextPage().toCompletableFuture(), Cancellation.READ_ALONE);
        }
    }

    private static byte[] array(ByteBuffer bytes) {
        byte[] array = new byte[bytes.remaining()];
        bytes.duplicate().get(array);
        return array;
    }

    private int one(Statement statement) throws SQLException {
        if (!statement.write().changes().isEmpty()) {
            return change(statement);
        }
        if (writesColumns(statement.write()) && healed(statement) == null) {
            return missing(statement);
        }
        AsyncResultSet answer = once(statement, List.of(), List.of());
        if (answer.wasApplied()) {
            return 1;
        }
        if (!isMissing(statement, answer.one())) {
            return 0;
        }
        if (isElsewhere(statement) && once(statement, List.of(), List.of()).wasApplied()) {
            return 1;
        }
        return missing(statement);
    }

    private int change(Statement statement) throws SQLException {
        ConditionalWrite write = statement.write();
        Duration given = binder.timeout();
        long deadline = nanoTime.getAsLong() + (given == null ? LONGEST : given).toNanos();
        Row row = healed(statement);
        if (row == null) {
            return missing(statement);
        }
        long wait = FIRST_WAIT_MILLIS;
        while (row != null) {
            List<@Nullable BigDecimal> old = values(write, row);
            if (!holds(statement, old)) {
                return 0;
            }
            List<@Nullable BigDecimal> changed = changed(statement, old);
            AsyncResultSet answer = once(statement, old, changed);
            if (answer.wasApplied()) {
                return 1;
            }
            Row now = answer.one();
            if (isMissing(statement, now)
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

    /**
     * Returns whether a condition did not hold because there is no row.
     *
     * @param now what the server says of the row
     * @throws SQLException if there is one without its mark: another client has written it, and no exact write ever finds it
     */
    private boolean isMissing(Statement statement, @Nullable Row now) throws SQLException {
        if (now == null) {
            return true;
        }
        if (!now.getColumnDefinitions().contains(RowMark.COLUMN)) {
            return true;
        }
        if (now.isNull(RowMark.COLUMN)) {
            throw unmarked(statement, null);
        }
        return false;
    }

    private SQLException unmarked(Statement statement, @Nullable SQLException cause) {
        return new SQLException(
                "Nothing was written: a row of table " + tables.qualified(statement.table())
                        + " lacks its mark, the column " + RowMark.COLUMN
                        + ". A client has written it that does not know"
                        + " that the table's writes are exact; or its insert has failed, and not every replica answers. Delete"
                        + " it by CQL, or give it the mark: UPDATE ... SET " + RowMark.COLUMN + " = " + RowMark.FREE
                        + " WHERE <its key> IF EXISTS, at the serial level of the table",
                SqlStates.GENERAL,
                cause);
    }

    /**
     * Reads a row at the level of the majority that decides. What a failed insert has left on some replicas is on a majority
     * afterwards: otherwise a condition could hold by one replica, and the row lack the insert's columns on all others. So
     * nothing may be written if it is not found: a condition might find what this majority does not have.
     */
    private @Nullable Row healed(Statement statement) throws SQLException {
        Row row = row(statement);
        if (row == null && isElsewhere(statement)) {
            row = row(statement);
        }
        if (row != null && row.isNull(RowMark.COLUMN)) {
            // A query of some columns has repaired these alone: the row is not whole on this majority, but perhaps on a
            // replica.
            try {
                row = rows(statement, statement.write().row(), statement.write().rowMarkers(), ConsistencyLevel.ALL)
                        .one();
            } catch (SQLException e) {
                throw unmarked(statement, e);
            }
            if (row != null && row.isNull(RowMark.COLUMN)) {
                throw unmarked(statement, null);
            }
        }
        return row;
    }

    private @Nullable Row row(Statement statement) throws SQLException {
        return rows(statement, statement.write().row(), statement.write().rowMarkers(), null)
                .one();
    }

    /**
     * Returns whether a row that is missing where its writes are decided is there now: another datacenter may have inserted it a
     * moment ago.
     *
     * @throws SQLTimeoutException if the other datacenters do not answer, so that it is not known whether there is a row
     */
    private boolean isElsewhere(Statement statement) throws SQLException {
        if (!hasOtherDatacenters(statement)) {
            return false;
        }
        try {
            return rows(
                                    statement,
                                    statement.write().row(),
                                    statement.write().rowMarkers(),
                                    DefaultConsistencyLevel.EACH_QUORUM)
                            .one()
                    != null;
        } catch (SQLException e) {
            throw inDoubt(statement, e);
        } catch (RuntimeException e) {
            throw inDoubt(statement, SqlErrors.of(e));
        }
    }

    /** Returns whether other datacenters may have rows that the one that decides does not have yet. */
    private boolean hasOtherDatacenters(Statement statement) throws SQLException {
        return !statement.writes().isEverywhere() && datacenters(statement.table()) > 1;
    }

    /**
     * Returns the count of a row that is not there.
     *
     * @throws SQLException if it may be one that this transaction has inserted: it is there once that commits
     */
    private int missing(Statement statement) throws SQLException {
        if (isWaiting.test(statement.table())) {
            throw Unserved.feature("Nothing was written: no such row of table " + tables.qualified(statement.table())
                    + " was found, and rows of it that this transaction has inserted are sent at its commit. Commit them first,"
                    + " or insert them with their last values");
        }
        return 0;
    }

    private SQLException inDoubt(Statement statement, SQLException cause) {
        SQLException doubt = new SQLTimeoutException(
                "Nothing was written: whether a row of table " + tables.qualified(statement.table())
                        + " that is not in its home datacenter was just inserted in another one is not known, because not"
                        + " every datacenter answers. Run it again",
                SqlStates.TIMEOUT,
                cause);
        return doubt;
    }

    private long datacenters(CqlInsert.Table table) throws SQLException {
        String keyspace = SequenceStatements.keyspace(session.plain(), table.keyspace());
        return session.plain()
                .getMetadata()
                .getKeyspace(CqlIdentifier.fromInternal(keyspace))
                .map(found -> found.getReplication().keySet().stream()
                        .filter(name -> !name.equals("class"))
                        .count())
                .orElse(1L);
    }

    /** At a random time, so that those that collided do not collide again. */
    private void pause(long maxMillis) throws SQLException {
        long millis = ThreadLocalRandom.current().nextLong(maxMillis + 1);
        cancellation.await(
                CompletableFuture.runAsync(() -> {}, CompletableFuture.delayedExecutor(millis, TimeUnit.MILLISECONDS)),
                Cancellation.NOTHING_SENT);
    }

    /** @param level null for that at which the table's writes are decided */
    private AsyncResultSet rows(
            Statement statement, String query, List<ConditionalWrite.Source> sources, @Nullable ConsistencyLevel level)
            throws SQLException {
        List<Integer> markers = sources.stream().map(statement::parameter).toList();
        com.datastax.oss.driver.api.core.cql.Statement<?> bound = inOrder(
                statement,
                binder.bind(session.plain(), new Binder.Unbound(query, markers, false), statement.parameters()));
        return cancellation.await(
                session.plain()
                        .executeAsync(level == null ? bound : bound.setConsistencyLevel(level))
                        .toCompletableFuture(),
                Cancellation.READ_ALONE);
    }

    private com.datastax.oss.driver.api.core.cql.Statement<?> inOrder(
            Statement statement, com.datastax.oss.driver.api.core.cql.Statement<?> bound) throws SQLException {
        return session.writing() instanceof IdentitySession identities
                ? identities
                        .inOrderAsync(
                                bound,
                                SequenceStatements.keyspace(
                                        session.plain(), statement.table().keyspace()),
                                statement.table().name())
                        .toCompletableFuture()
                        .join()
                : bound;
    }

    private AsyncResultSet once(Statement statement, List<@Nullable BigDecimal> old, List<@Nullable BigDecimal> changed)
            throws SQLException {
        ConditionalWrite write = statement.write();
        List<@Nullable Parameter> all = new ArrayList<>(statement.parameters());
        List<Integer> markers = new ArrayList<>();
        for (ConditionalWrite.Source source : write.markers()) {
            BigDecimal value;
            if (source instanceof ConditionalWrite.Source.New fresh) {
                value = changed.get(fresh.change());
            } else if (source instanceof ConditionalWrite.Source.Old before) {
                value = old.get(before.change());
            } else {
                markers.add(statement.parameter(source));
                continue;
            }
            markers.add(all.size());
            all.add(new Parameter(value, null));
        }
        return sender.once(
                binder.bind(session.plain(), new Binder.Unbound(write.text(), markers, false), all),
                statement.step().keyword());
    }

    private static List<@Nullable BigDecimal> values(ConditionalWrite write, Row row) {
        List<@Nullable BigDecimal> values = new ArrayList<>();
        for (ConditionalWrite.Change change : write.changes()) {
            Object value = row.getObject(CqlIdentifier.fromInternal(change.column()));
            values.add(value == null ? null : new BigDecimal(value.toString()));
        }
        return values;
    }

    private List<@Nullable BigDecimal> changed(Statement statement, List<@Nullable BigDecimal> old)
            throws SQLException {
        ConditionalWrite write = statement.write();
        Map<String, DataType> types = tables.types(statement.table());
        List<@Nullable BigDecimal> changed = new ArrayList<>();
        for (int i = 0; i < old.size(); i++) {
            ConditionalWrite.Change change = write.changes().get(i);
            BigDecimal before = old.get(i);
            BigDecimal by = number(change.value(), statement.step(), statement.parameters());
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

    private static boolean holds(Statement statement, List<@Nullable BigDecimal> old) throws SQLException {
        for (ConditionalWrite.Check check : statement.write().checks()) {
            BigDecimal value = old.get(check.change());
            if (check.operator().equals(ConditionalWrite.Check.IS_NOT_NULL)) {
                if (value == null) {
                    return false;
                }
                continue;
            }
            BigDecimal with = number(check.value(), statement.step(), statement.parameters());
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
            // What is read first has no parameter of the script.
            markers.add(
                    source instanceof ConditionalWrite.Source.Given given
                            ? step.parameters().get(given.marker())
                            : Binder.AT_COMMIT);
        }
        binder.describe(session.plain(), new Binder.Unbound(write.text(), markers, false), columns);
        if (!write.keys().isEmpty()) {
            List<Integer> ofKeys = write.keyMarkers().stream()
                    .map(source -> step.parameters().get(((ConditionalWrite.Source.Given) source).marker()))
                    .toList();
            binder.describe(session.plain(), new Binder.Unbound(write.keys(), ofKeys, false), columns);
        }
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
