package dev.cassidy.jdbc.run;

import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import dev.cassidy.definition.CountMark;
import dev.cassidy.definition.RowMark;
import dev.cassidy.insert.CqlInsert;
import dev.cassidy.insert.Identifiers;
import dev.cassidy.insert.UnsupportedSqlException;
import dev.cassidy.jdbc.error.SqlErrors;
import dev.cassidy.jdbc.error.SqlServerErrors;
import dev.cassidy.jdbc.error.Unserved;
import dev.cassidy.jdbc.plan.Plan;
import dev.cassidy.jdbc.session.SharedSession;
import dev.cassidy.jdbc.session.Tables;
import dev.cassidy.jdbc.session.UnreadDeclarations;
import dev.cassidy.jdbc.value.Column;
import dev.cassidy.jdbc.value.ConversionException;
import dev.cassidy.jdbc.value.Parameter;
import dev.cassidy.jdbc.value.ToCql;
import dev.cassidy.table.TableWrites;
import dev.cassidy.tsql.TsqlScript;
import dev.cassidy.tsql.TsqlStep;
import java.math.BigInteger;
import java.sql.SQLDataException;
import java.sql.SQLException;
import java.sql.SQLTransactionRollbackException;
import java.time.InstantSource;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Serves UPDATEs that add to columns that count. The rows are read, each for the id by which it counts: so a row that is not there is not
 * counted for, and one that is deleted and inserted again begins again. What else the statement sets is written under the condition that
 * the rows have their ids still, in one transaction with what is counted.
 */
final class CountedWrites {

    /** How often a statement is tried whose rows others change. */
    private static final int TRIES = 5;

    private static final long PAUSE_MILLIS = 5;

    private final ConnectionState connection;
    private final SharedSession session;
    private final Tables tables;
    private final CqlSteps cqlSteps;
    private final AssistedReads assistedReads;
    private final AssistedWrites assistedWrites;
    private final Binder binder;
    private final StatementSender sender;
    private final Cancellation cancellation;

    CountedWrites(
            ConnectionState connection,
            SharedSession session,
            Tables tables,
            CqlSteps cqlSteps,
            AssistedReads assistedReads,
            AssistedWrites assistedWrites,
            Binder binder,
            StatementSender sender,
            Cancellation cancellation) {
        this.connection = connection;
        this.session = session;
        this.tables = tables;
        this.cqlSteps = cqlSteps;
        this.assistedReads = assistedReads;
        this.assistedWrites = assistedWrites;
        this.binder = binder;
        this.sender = sender;
        this.cancellation = cancellation;
    }

    /** How much is added to a column. */
    private record Delta(String column, long delta) {}

    StepResult run(TsqlStep.Count step, List<@Nullable Parameter> parameters) throws SQLException {
        refuse(step);
        List<Delta> deltas = deltas(step, parameters);
        // Before anything is written.
        var unused = session.counts().of(keyspace(step), step.table().name());
        Transaction open = connection.transaction();
        if (open != null) {
            return in(open, step, parameters, deltas);
        }
        if (step.others() == null) {
            Set<UUID> rows = Set.copyOf(rows(step, parameters));
            Counts.Failure failure =
                    Counts.send(session, additions(step, rows, deltas), binder.timeout(), cancellation);
            if (failure != null) {
                throw failure.ofStatement();
            }
            connection.countImmediateWrite();
            return StepResult.written(rows.size());
        }
        for (int tries = 1; ; tries++) {
            try {
                return alone(step, parameters, deltas);
            } catch (SQLTransactionRollbackException e) {
                // Nothing was written, and nothing was counted.
                if (tries == TRIES) {
                    throw e;
                }
                cancellation.pauseUnsent(ThreadLocalRandom.current().nextLong(PAUSE_MILLIS << tries) + 1);
            }
        }
    }

    private StepResult alone(TsqlStep.Count step, List<@Nullable Parameter> parameters, List<Delta> deltas)
            throws SQLException {
        Transaction own = new Transaction();
        StepResult result = connection.within(own, () -> in(own, step, parameters, deltas));
        if (!own.isEmpty()) {
            own.judgeAgain(session, binder.timeout(), cancellation);
            cancellation.writes();
            sender.warn(own.commit(session, binder, cancellation));
            connection.countImmediateWrite();
        }
        return result;
    }

    private StepResult in(
            Transaction open, TsqlStep.Count step, List<@Nullable Parameter> parameters, List<Delta> deltas)
            throws SQLException {
        TsqlStep.Written others = step.others();
        if (others == null) {
            Set<UUID> rows = Set.copyOf(rows(step, parameters));
            open.counts().add(additions(step, rows, deltas));
            return StepResult.written(rows.size());
        }
        // Rows without ids get them: what the transaction has read would stay as it is.
        if (rows(step, parameters).isEmpty()) {
            return StepResult.written(0);
        }
        // The transaction has their ids as they are: what is set and what is counted is of the same rows.
        Set<UUID> rows = Set.copyOf(connection.remembering(() -> rows(step, parameters)));
        if (rows.isEmpty()) {
            return StepResult.written(0);
        }
        List<Counts.Added> additions = additions(step, rows, deltas);
        open.counts().requireRoom(additions);
        Transaction.Mark before = open.mark();
        StepResult written = write(others, parameters);
        if (written.count() != rows.size()) {
            open.rollbackTo(before);
            throw SqlServerErrors.deadlock(
                    "Nothing was written: others have changed the rows of the statement while it ran. Run it"
                            + " again");
        }
        open.counts().add(additions);
        return written;
    }

    private StepResult write(TsqlStep.Written others, List<@Nullable Parameter> parameters) throws SQLException {
        TsqlStep step = read(others);
        List<@Nullable Parameter> own = own(others, parameters);
        if (step instanceof TsqlStep.AssistedWrite assisted) {
            return assistedWrites.run(assisted, own);
        }
        TsqlStep.Cql cql = (TsqlStep.Cql) step;
        return cql.written() == null ? cqlSteps.run(cql, own) : assistedWrites.run(cql, cql.written(), own);
    }

    private String keyspace(TsqlStep.Count step) throws SQLException {
        return SequenceStatements.keyspace(session.plain(), step.table().keyspace());
    }

    private List<Counts.Added> additions(TsqlStep.Count step, Set<UUID> rows, List<Delta> deltas) throws SQLException {
        String keyspace = keyspace(step);
        List<Counts.Added> additions = new ArrayList<>();
        for (UUID row : rows) {
            for (Delta each : deltas) {
                additions.add(new Counts.Added(
                        new Counts.Counter(keyspace, step.table().name(), row, each.column()), each.delta()));
            }
        }
        return additions;
    }

    /** Which rows are counted for must not depend on what they have counted: that changes at any time. */
    private void refuse(TsqlStep.Count step) throws SQLException {
        String compared = CountedSelect.ofConditions(step.keys().text(), tables.countedColumns(step.table()));
        if (compared != null) {
            throw CountedReads.refusedWrite(compared, tables.qualified(step.table()));
        }
    }

    // ---- how much

    private List<Delta> deltas(TsqlStep.Count step, List<@Nullable Parameter> parameters) throws SQLException {
        List<Delta> deltas = new ArrayList<>();
        for (TsqlStep.Count.Increment each : step.increments()) {
            BigInteger given = each.parameter() < 0 ? each.literal() : parameter(each, parameters);
            BigInteger delta = each.negative() ? given.negate() : given;
            boolean fits = DataTypes.INT.equals(type(step.table(), each.column()))
                    ? delta.bitLength() < Integer.SIZE
                    : delta.bitLength() < Long.SIZE;
            if (!fits) {
                throw SqlServerErrors.overflow(
                        new SQLDataException("Arithmetic overflow: " + delta + ", which is added to column "
                                + each.column() + ", does not fit its type; nothing was counted"));
            }
            deltas.add(new Delta(each.column(), delta.longValueExact()));
        }
        return deltas;
    }

    private @Nullable DataType type(CqlInsert.Table table, String column) {
        return tables.types(table).get(column);
    }

    private BigInteger parameter(TsqlStep.Count.Increment each, List<@Nullable Parameter> parameters)
            throws SQLException {
        Object value = Guards.set(each.parameter(), parameters).value();
        if (value == null) {
            throw SqlServerErrors.constraint(
                    SqlServerErrors.NULL_VALUE,
                    "Cannot insert the value NULL into column '" + each.column() + "', to which parameter "
                            + (each.parameter() + 1)
                            + " is added: the column does not allow nulls; nothing was counted");
        }
        try {
            return (BigInteger) new ToCql(ZoneId.systemDefault(), binder.warnings()).convert(value, DataTypes.VARINT);
        } catch (ConversionException e) {
            throw e.in("parameter " + (each.parameter() + 1));
        }
    }

    // ---- which rows

    private TsqlStep read(TsqlStep.Written written) throws SQLException {
        try {
            List<TsqlStep> steps = CurrentDays.of(
                            TsqlScript.parse(written.text(), tables), tables, InstantSource.system())
                    .steps();
            if (steps.size() == 1) {
                return steps.get(0);
            }
        } catch (UnsupportedSqlException e) {
            throw SqlErrors.of(e);
        } catch (UnreadDeclarations e) {
            throw e.error();
        }
        throw Unserved.feature("This UPDATE of a column that counts is not served: name the rows by their key");
    }

    private static List<@Nullable Parameter> own(TsqlStep.Written written, List<@Nullable Parameter> parameters) {
        List<@Nullable Parameter> own = new ArrayList<>();
        written.parameters().forEach(index -> own.add(parameters.get(index)));
        return own;
    }

    /** Returns the ids of the rows that the statement is of. */
    private List<UUID> rows(TsqlStep.Count step, List<@Nullable Parameter> parameters) throws SQLException {
        TsqlStep.Written marks = step.marks();
        if (marks != null && read(marks) instanceof TsqlStep.Cql direct) {
            try {
                List<UUID> found = new ArrayList<>();
                if (addMarks(step, cqlSteps.run(direct, own(marks, parameters)), found)) {
                    return found;
                }
            } catch (SQLException | RuntimeException e) {
                SQLException refusal = SqlErrors.of(e, session.commandLines());
                if (!Unserved.isOfCql(refusal) || !assistedReads.isServed()) {
                    throw refusal;
                }
            }
        }
        return byKeys(step, parameters);
    }

    /** Returns false at a row without an id. */
    private boolean addMarks(TsqlStep.Count step, StepResult result, List<UUID> marks) throws SQLException {
        Cursor rows = Objects.requireNonNull(result.rows());
        int most = connection.settings().assistRows();
        while (rows.next()) {
            UUID mark = (UUID) rows.value(0);
            if (mark == null) {
                return false;
            }
            if (marks.size() == most) {
                throw Unserved.feature("An UPDATE of a column that counts is of more than " + most + " rows of table "
                        + tables.qualified(step.table()) + " (assistRows), and nothing was counted. Name fewer rows");
            }
            marks.add(mark);
        }
        return true;
    }

    /** The rows are found as the assistant finds them, and each is read by its key. */
    private List<UUID> byKeys(TsqlStep.Count step, List<@Nullable Parameter> parameters) throws SQLException {
        TsqlStep keys = read(step.keys());
        List<@Nullable Parameter> own = own(step.keys(), parameters);
        StepResult found = keys instanceof TsqlStep.Assisted assisted
                ? assistedReads.run(assisted, own)
                : assistedReads.run((TsqlStep.Cql) keys, Objects.requireNonNull(((TsqlStep.Cql) keys).written()), own);
        int key = tables.namedKey(step.table()).size();
        Cursor rows = Objects.requireNonNull(found.rows());
        List<UUID> marks = new ArrayList<>();
        while (rows.next()) {
            cancellation.requireGoingOn();
            List<@Nullable Parameter> values = new ArrayList<>();
            for (int i = 0; i < key; i++) {
                values.add(new Parameter(rows.value(i), null));
            }
            addMark(step, values, marks);
        }
        return marks;
    }

    /** A row that was written without Cassidy, or before its table counted, has no id, and gets one: one of those who try is first. */
    private void addMark(TsqlStep.Count step, List<@Nullable Parameter> key, List<UUID> marks) throws SQLException {
        String table = Identifiers.toCql(keyspace(step)) + "."
                + Identifiers.toCql(step.table().name());
        String where = " WHERE "
                + tables.namedKey(step.table()).stream()
                        .map(each -> Identifiers.toCql(each) + " = ?")
                        .collect(Collectors.joining(" AND "));
        TsqlStep.Cql select = cql("SELECT " + CountMark.COLUMN + " FROM " + table + where, "SELECT", key.size());
        TsqlStep.Cql give = cql(
                "UPDATE " + table + " SET " + CountMark.COLUMN + " = ?" + where + " IF " + CountMark.COLUMN
                        + " = null AND " + RowMark.IS_FREE,
                "UPDATE",
                key.size() + 1);
        for (int tries = 0; tries < TRIES; tries++) {
            if (tries > 0) {
                cancellation.pauseUnsent(ThreadLocalRandom.current().nextLong(PAUSE_MILLIS << tries) + 1);
            }
            if (addMarks(step, cqlSteps.run(select, key), marks)) {
                return;
            }
            List<@Nullable Parameter> values = new ArrayList<>();
            values.add(new Parameter(UUID.randomUUID(), null));
            values.addAll(key);
            requireMarked(step, cqlSteps.sendAtOnce(give, values));
        }
        throw SqlServerErrors.deadlock("Nothing was counted: others have changed a row of table " + table
                + " each time, " + TRIES + " times. Run it again");
    }

    /**
     * Requires that a row can be written at all.
     *
     * @param given shows the row if it has not got an id
     */
    private void requireMarked(TsqlStep.Count step, StepResult given) throws SQLException {
        Cursor row = given.rows();
        List<Column> columns = row == null ? List.of() : row.columns();
        for (int i = 0; i < columns.size(); i++) {
            if (columns.get(i).label().equals(RowMark.COLUMN)
                    && Objects.requireNonNull(row).next()
                    && row.value(i) == null) {
                TableWrites writes = TableMode.of(
                                session,
                                tables,
                                Optional.ofNullable(step.table().keyspace()),
                                step.table().name())
                        .orElse(null);
                if (writes != null) {
                    throw ExactRows.unmarked(writes);
                }
            }
        }
    }

    private static TsqlStep.Cql cql(String text, String keyword, int parameters) {
        return new TsqlStep.Cql(
                text, keyword, IntStream.range(0, parameters).boxed().toList());
    }

    // ---- without running

    /** Returns how a statement is served; throws the error with which it is refused. */
    Plan plan(TsqlStep.Count step) throws SQLException {
        refuse(step);
        List<String> cql = new ArrayList<>();
        TsqlStep.Written marks = step.marks();
        TsqlStep read = marks == null ? null : read(marks);
        if (read instanceof TsqlStep.Cql direct) {
            Plan plan = cqlSteps.plan(direct);
            cql.addAll(plan instanceof Plan.Direct known ? known.cql() : direct.statements());
        }
        String columns = String.join(", ", step.columns());
        return new Plan.Direct(
                "the ids of its rows are read, and what is added to " + columns + " is counted by them"
                        + (step.others() == null ? "" : ", in one transaction with the other columns"),
                cql,
                List.of());
    }

    /** Puts the statement's parameters into their places in the script, as far as they are known. */
    void describe(TsqlStep.Count step, List<Column> columns) throws SQLException {
        for (TsqlStep.Count.Increment each : step.increments()) {
            DataType type = type(step.table(), each.column());
            if (each.parameter() >= 0 && type != null) {
                columns.set(each.parameter(), Column.of(each.column(), type));
            }
        }
        describe(step.marks(), columns);
        describe(step.others(), columns);
    }

    private void describe(TsqlStep.@Nullable Written part, List<Column> columns) throws SQLException {
        if (part == null || part.parameters().isEmpty() || !(read(part) instanceof TsqlStep.Cql cql)) {
            return;
        }
        List<Column> own =
                new ArrayList<>(Collections.nCopies(part.parameters().size(), Column.of("", DataTypes.TEXT)));
        cqlSteps.describe(cql, own);
        for (int i = 0; i < own.size(); i++) {
            columns.set(part.parameters().get(i), own.get(i));
        }
    }
}
