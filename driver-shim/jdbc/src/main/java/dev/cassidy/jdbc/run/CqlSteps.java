package dev.cassidy.jdbc.run;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.Statement;
import com.datastax.oss.driver.api.core.servererrors.InvalidQueryException;
import dev.cassidy.cql.IdentitySession;
import dev.cassidy.definition.Twin;
import dev.cassidy.insert.ConditionalWrite;
import dev.cassidy.insert.CqlInsert;
import dev.cassidy.insert.CqlSelect;
import dev.cassidy.insert.IndexedIn;
import dev.cassidy.insert.NullComparison;
import dev.cassidy.insert.NullElements;
import dev.cassidy.insert.TwinNames;
import dev.cassidy.insert.UnsupportedSqlException;
import dev.cassidy.jdbc.error.Unserved;
import dev.cassidy.jdbc.overlay.Overlay;
import dev.cassidy.jdbc.plan.Plan;
import dev.cassidy.jdbc.session.ReadPath;
import dev.cassidy.jdbc.session.SharedSession;
import dev.cassidy.jdbc.session.Tables;
import dev.cassidy.jdbc.value.Column;
import dev.cassidy.jdbc.value.Parameter;
import dev.cassidy.table.TableWrites;
import dev.cassidy.tsql.Guard;
import dev.cassidy.tsql.TsqlStep;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Runs the steps that are CQL, as it is or as tables whose writes are exact need it. */
final class CqlSteps {

    /** So that a statement without any NULL costs no second check. */
    private static final Pattern NULL = Pattern.compile("\\bnull\\b", Pattern.CASE_INSENSITIVE);

    /** How often a row is looked for by its value that others change. */
    private static final int LOOK_UPS = 5;

    private static final Plan NOTHING =
            new Plan.Direct("its condition is never true, and nothing is sent", List.of(), List.of());

    private final ConnectionState connection;
    private final SharedSession session;
    private final Tables tables;
    private final Binder binder;
    private final KeyRequest keyRequest;
    private final StatementSender sender;
    private final Cancellation cancellation;
    private final Reads reads;
    private final CqlPlanner planner;

    CqlSteps(
            ConnectionState connection,
            SharedSession session,
            Tables tables,
            Binder binder,
            KeyRequest keyRequest,
            StatementSender sender,
            Cancellation cancellation) {
        this.connection = connection;
        this.cancellation = cancellation;
        this.session = session;
        this.tables = tables;
        this.binder = binder;
        this.keyRequest = keyRequest;
        this.sender = sender;
        this.reads = new Reads(connection, session, binder, sender);
        this.planner = new CqlPlanner(session);
    }

    /**
     * Returns a statement as it names its rows in Cassandra, and writes them: the columns by whose twins rows are found by these, and each
     * that is set with the one beside it.
     */
    private TsqlStep.Cql twinned(TsqlStep.Cql step) throws SQLException {
        boolean named = step.keyword().equals("SELECT")
                || step.keyword().equals("UPDATE")
                || step.keyword().equals("DELETE");
        if (named) {
            countedReads().refuse(step);
        }
        if (!named || tables.areNoneTwinned()) {
            return step;
        }
        planner.refuseKeys(step);
        return byTwins(step);
    }

    private TsqlStep.Cql byTwins(TsqlStep.Cql step) {
        Guard.Rows rows = step.rows().orElse(null);
        if (rows == null) {
            TwinNames.Named named =
                    session.statements().twinned(step.text(), step.parameters(), step.comparedByBytes());
            List<Integer> markers = named.markers();
            if (markers != null) {
                return step.withText(
                        named.text(),
                        markers.stream().map(step.parameters()::get).toList());
            }
            return named.text().equals(step.text()) ? step : step.withText(named.text());
        }
        List<Guard.Read> reads = new ArrayList<>();
        for (Guard.Read each : rows.reads()) {
            String text = session.statements()
                    .twinned(each.cql(), each.parameters(), step.comparedByBytes())
                    .text();
            reads.add(new Guard.Read(text, each.parameters()));
        }
        return step.withText(reads.get(0).cql())
                .withGuards(step.guards().stream()
                        .map(guard -> guard == rows ? new Guard.Rows(reads, rows.limit()) : guard)
                        .toList());
    }

    StepResult run(TsqlStep.Cql given, List<@Nullable Parameter> parameters) throws SQLException {
        TsqlStep.Cql step = twinned(given);
        if (step.calculation() == null) {
            StepResult served = counted(step, parameters);
            return served.rows() == null || step.selection() == null ? served : shown(served.rows(), step.selection());
        }
        CalculatedColumns calculated = CalculatedColumns.of(step.calculation(), tables, binder);
        StepResult served = counted(step, parameters);
        return served.rows() == null ? served : shown(calculated.rows(served.rows()), step.selection());
    }

    private CountedReads countedReads() {
        return new CountedReads(session, tables, cancellation);
    }

    /** Sends a statement, and shows columns that count as what they have counted. */
    private StepResult counted(TsqlStep.Cql step, List<@Nullable Parameter> parameters) throws SQLException {
        CountedReads counts = countedReads();
        CountedReads.Reading reading = counts.of(step).orElse(null);
        if (reading == null) {
            return send(step, parameters);
        }
        StepResult served = send(reading.step(), parameters);
        return served.rows() == null
                ? served
                : served.withRows(counts.shown(reading, served.rows(), connection.transaction()));
    }

    private StepResult shown(Cursor rows, TsqlStep.@Nullable Selection selection) {
        return StepResult.query(selection == null ? rows : DeclaredScales.of(rows, selection, tables), selection);
    }

    private StepResult send(TsqlStep.Cql given, List<@Nullable Parameter> parameters) throws SQLException {
        planner.refuseIdentity(given);
        if (!given.guards().isEmpty()
                && !new Guards(tables, binder.dateOrder(), binder.warnings()).findRows(given, parameters)) {
            return withoutRows(given);
        }
        Guard.Rows rows = given.rows().orElse(null);
        if (rows != null) {
            return rows(rows, given, parameters);
        }
        TsqlStep.Cql step = given;
        if (mayHaveNull(given, parameters)) {
            NullElements left = withoutNulls(given, parameters);
            if (comparesWithNull(given, parameters) || (left != null && left.never())) {
                return given.reads()
                        ? StepResult.query(
                                columnsWithoutRows(reads.verified(lookups().described(given))))
                        : StepResult.written(0);
            }
            step = left == null ? given : given.withText(left.text(), markers(given, left));
        }
        Transaction transaction = connection.transaction();
        Overlay overlay = transaction == null ? null : transaction.overlay();
        UniqueLookups.Named named = lookups().named(step, parameters, overlay);
        StepResult result = sendNamed(named.step(), named.parameters());
        for (int tries = 1; tries < LOOK_UPS && named.row() != null && foundNothing(step, result); tries++) {
            // Others may have changed the row since it was found by its value, or given the value to another one.
            UniqueLookups.Named again = lookups().named(step, parameters, overlay);
            if (named.row().equals(again.row())) {
                break;
            }
            named = again;
            result = sendNamed(named.step(), named.parameters());
        }
        return result;
    }

    private static boolean foundNothing(TsqlStep.Cql step, StepResult result) {
        return step.writesRows() && !result.isQuery() && result.count() == 0;
    }

    private UniqueLookups lookups() {
        return new UniqueLookups(session, tables, binder, exactRows());
    }

    /** As {@link #run}, of a statement that names its rows by their keys, as far as it names them. */
    private StepResult sendNamed(TsqlStep.Cql step, List<@Nullable Parameter> parameters) throws SQLException {
        String keyword = step.keyword();
        if (keyword.equals("INSERT") && keyRequest.requested()) {
            throw Unserved.feature(
                    "INSERT JSON gives no generated keys; name the columns: INSERT INTO t (...) VALUES (...)");
        }
        CqlPlan plan = planner.plan(step);
        if (plan instanceof CqlPlan.Query) {
            return keyword.equals("SELECT")
                    ? select(step, parameters)
                    : sender.execute(
                            session.plain(),
                            binder.bind(session.plain(), Binder.Unbound.of(step), parameters),
                            keyword);
        }
        if (plan instanceof CqlPlan.Exact exact) {
            return exact(exact, step, parameters);
        }
        try {
            return write((CqlPlan.AsItIs) plan, step, parameters);
        } catch (SQLException e) {
            throw planner.withCondition(step, e);
        } catch (InvalidQueryException e) {
            throw planner.withCondition(step, e);
        }
    }

    /** Sends a write with IF at once, in a transaction too; it must be one whose outcome does not matter to that. */
    StepResult sendAtOnce(TsqlStep.Cql given, List<@Nullable Parameter> parameters) throws SQLException {
        TsqlStep.Cql step = twinned(given);
        CqlSession target = session.writing();
        return sender.executeOnce(target, binder.bind(target, Binder.Unbound.of(step), parameters), step.keyword());
    }

    private StepResult exact(CqlPlan.Exact plan, TsqlStep.Cql step, List<@Nullable Parameter> parameters)
            throws SQLException {
        Transaction transaction = connection.transaction();
        if (transaction == null && !planner.movesUniqueValues(plan)) {
            return exactWrites().run(plan, step, parameters, null);
        }
        // The reservations of its values are written with its rows.
        Transaction within = transaction == null ? new Transaction() : transaction;
        PendingWrites pending = new PendingWrites(binder, sender, exactRows(), within, connection.isolation());
        StepResult written = exactWrites().run(plan, step, parameters, pending);
        if (transaction == null) {
            sender.warn(within.commit(session, binder, cancellation));
            connection.countImmediateWrite();
        }
        return written;
    }

    private StepResult select(TsqlStep.Cql step, List<@Nullable Parameter> parameters) throws SQLException {
        PendingTable pending = pending(step);
        return pending == null
                ? reads.run(session.plain(), step, parameters)
                : pendingReads().run(step, pending.writes(), pending.keeps(), parameters);
    }

    /**
     * A table as an open transaction reads it.
     *
     * @param keeps what the rows that are read must be at the commit
     */
    private record PendingTable(TableWrites writes, PendingReads.Keeps keeps) {}

    /** Returns the table of a SELECT that cannot be sent as it is; null if it can. Refuses locks that nobody keeps. */
    private @Nullable PendingTable pending(TsqlStep.Cql step) throws SQLException {
        Guard.Locks locks = locks(step);
        Transaction transaction = connection.transaction();
        int isolation = connection.isolation();
        boolean remembers = locks != null || isolation >= Connection.TRANSACTION_REPEATABLE_READ;
        if (locks == null
                && (transaction == null || (!remembers && transaction.overlay().isEmpty()))) {
            return null;
        }
        TableWrites writes = exact(step);
        if (locks != null) {
            requireKept(writes);
        }
        if (writes == null && transaction != null) {
            refuseView(step, transaction);
        }
        if (writes == null || transaction == null) {
            return null;
        }
        boolean ranges = isolation == Connection.TRANSACTION_SERIALIZABLE || (locks != null && locks.ranges());
        if (ranges && reads.path(step).kind() != ReadPath.Kind.KEY) {
            throw Unserved.feature("A SELECT that does not name its rows of table " + writes.name()
                    + " by their keys is not served at SERIALIZABLE, nor with HOLDLOCK: nobody keeps others from inserting"
                    + " further rows that it would find. Name the keys, or read at REPEATABLE READ");
        }
        if (!tables.areNoneTwinned()) {
            transaction.requireTwinsStill(session);
        }
        if (remembers) {
            transaction.judges(new CqlInsert.Table(writes.keyspace(), writes.table()), session);
        }
        PendingReads.Keeps keeps = locks != null && locks.exclusive()
                ? PendingReads.Keeps.ALONE
                : remembers ? PendingReads.Keeps.SAME : PendingReads.Keeps.NOTHING;
        return remembers || transaction.overlay().has(writes) ? new PendingTable(writes, keeps) : null;
    }

    /** The server does not know the transaction's rows, and the driver not the view's. */
    private void refuseView(TsqlStep.Cql step, Transaction transaction) throws SQLException {
        CqlInsert.Table named = CqlSelect.of(step.text()).map(CqlSelect::table).orElse(null);
        if (named == null) {
            return;
        }
        String keyspace = SequenceStatements.keyspace(session.plain(), named.keyspace());
        Optional<String> base = session.plain()
                .getMetadata()
                .getKeyspace(CqlIdentifier.fromInternal(keyspace))
                .flatMap(found -> found.getView(CqlIdentifier.fromInternal(named.name())))
                .map(view -> view.getBaseTable().asInternal());
        if (base.isPresent() && transaction.overlay().has(keyspace, base.get())) {
            throw Unserved.feature("A SELECT of view " + named.name()
                    + " is not served in a transaction that has written to its" + " table " + base.get()
                    + ": the view does not have those rows yet. Commit first, or read the table");
        }
    }

    private static Guard.@Nullable Locks locks(TsqlStep.Cql step) {
        for (Guard guard : step.guards()) {
            if (guard instanceof Guard.Locks locks) {
                return locks;
            }
        }
        return null;
    }

    private @Nullable TableWrites exact(TsqlStep.Cql step) throws SQLException {
        CqlInsert.Table table = CqlSelect.of(step.text()).map(CqlSelect::table).orElse(null);
        return table == null
                ? null
                : TableMode.of(session, tables, Optional.ofNullable(table.keyspace()), table.name())
                        .orElse(null);
    }

    /** @param writes of the table whose rows are to be locked; null if that is not exact */
    private void requireKept(@Nullable TableWrites writes) throws SQLException {
        if (writes == null || (!connection.autoCommit() && connection.transaction() == null)) {
            throw Unserved.feature(
                    "UPDLOCK, XLOCK, HOLDLOCK and the like are served in transactions over tables whose writes are"
                            + " exact. Cassandra locks no rows, so two connections would both go on. Instead of a lock, make the write"
                            + " conditional: UPDATE ... WHERE <key> = ? IF <column> = <the value that was read>; its update count is 0"
                            + " if another connection came first. Draw numbers with NEXT VALUE FOR a sequence");
        }
    }

    private PendingReads pendingReads() {
        return new PendingReads(session, binder, reads, exactRows(), Objects.requireNonNull(connection.transaction()));
    }

    private ExactRows exactRows() {
        return new ExactRows(session, tables, binder, cancellation);
    }

    private StepResult rows(Guard.Rows rows, TsqlStep.Cql step, List<@Nullable Parameter> parameters)
            throws SQLException {
        List<TsqlStep.Cql> each = new ArrayList<>();
        for (Guard.Read read : rows.reads()) {
            TsqlStep.Cql one = step.withText(read.cql(), read.parameters());
            if (!mayHaveNull(one, parameters) || !comparesWithNull(one, parameters)) {
                each.add(one);
            }
        }
        if (each.isEmpty()) {
            return withoutRows(step);
        }
        PendingTable pending = pending(step);
        if (pending != null) {
            return pendingReads()
                    .run(each, pending.writes(), pending.keeps(), limit(rows.limit(), parameters), parameters);
        }
        return reads.rows(each, limit(rows.limit(), parameters), parameters);
    }

    private static long limit(Guard.@Nullable Operand limit, List<@Nullable Parameter> parameters) throws SQLException {
        if (limit == null) {
            return Long.MAX_VALUE;
        }
        return limit.literal() == null
                ? IndexedReads.limit(parameters.get(limit.parameter()))
                : Long.parseLong(limit.literal());
    }

    private StepResult write(CqlPlan.AsItIs plan, TsqlStep.Cql step, List<@Nullable Parameter> parameters)
            throws SQLException {
        CqlSession target = plan.target();
        Binder.Unbound text = Binder.Unbound.of(step);
        String keyword = step.keyword();
        Transaction transaction = connection.transaction();
        if (transaction != null) {
            if (step.writesRows()) {
                IdentitySession.Held held = sender.forCommit(target, text, parameters);
                transaction.add(held);
                return StepResult.inserted(1, held.keys().keys());
            }
            sender.requireOutsideTransactions(keyword);
        }
        Statement<?> statement = binder.bind(target, text, parameters);
        return plan.conditional()
                ? sender.executeOnce(target, statement, keyword)
                : sender.execute(target, statement, keyword);
    }

    /** The result of a statement that finds no row; nothing is sent, except that a SELECT is prepared for its columns. */
    private StepResult withoutRows(TsqlStep.Cql step) throws SQLException {
        return step.reads() ? StepResult.query(columnsWithoutRows(Binder.Unbound.of(step))) : StepResult.written(0);
    }

    private Cursor columnsWithoutRows(Binder.Unbound text) throws SQLException {
        return new Cursor.Listed(Column.of(binder.prepare(session.plain(), text).getResultSetDefinitions()), List.of());
    }

    /** Returns whether a parameter is NULL, or the statement's text may say it. */
    private static boolean mayHaveNull(TsqlStep.Cql step, List<@Nullable Parameter> parameters) {
        boolean given = false;
        for (Parameter parameter : parameters) {
            given |= isNull(parameter);
        }
        return given || NULL.matcher(step.text()).find();
    }

    private static boolean isNull(@Nullable Parameter parameter) {
        return parameter != null && parameter.value() == null;
    }

    private static boolean isNull(TsqlStep.Cql step, int marker, List<@Nullable Parameter> parameters) {
        return isNull(parameters.get(step.parameters().get(marker)));
    }

    /** Returns whether WHERE compares a column with NULL: then it is never true. */
    private static boolean comparesWithNull(TsqlStep.Cql step, List<@Nullable Parameter> parameters) {
        NullComparison compared = NullComparison.of(step.text());
        return compared.literal() || compared.markers().stream().anyMatch(marker -> isNull(step, marker, parameters));
    }

    /** Returns what is left of a statement without the NULLs in its lists of IN; null if there are none. */
    private static @Nullable NullElements withoutNulls(TsqlStep.Cql step, List<@Nullable Parameter> parameters) {
        return NullElements.of(step.text(), marker -> isNull(step, marker, parameters))
                .orElse(null);
    }

    private static List<Integer> markers(TsqlStep.Cql step, NullElements left) {
        return left.markers().stream().map(step.parameters()::get).toList();
    }

    private ConditionalWrites exactWrites() {
        return new ConditionalWrites(session, tables, binder, sender, cancellation, exactRows(), System::nanoTime);
    }

    /** Returns the one write that the statement consists of; empty if it needs more than that. */
    Optional<EntryWrite> request(TsqlStep.Cql given, List<@Nullable Parameter> parameters) throws SQLException {
        TsqlStep.Cql step = twinned(given);
        if (!step.writesRows() || !step.guards().isEmpty()) {
            return Optional.empty();
        }
        if (mayHaveNull(step, parameters)
                && (comparesWithNull(step, parameters) || withoutNulls(step, parameters) != null)) {
            return Optional.empty();
        }
        planner.refuseIdentity(step);
        if (lookups().namesByValue(step)) {
            return Optional.empty();
        }
        CqlPlan plan = planner.plan(step);
        if (plan instanceof CqlPlan.Exact exact && planner.movesUniqueValues(exact)) {
            return Optional.empty();
        }
        if (plan instanceof CqlPlan.Exact exact && exact.write().keys().isEmpty()) {
            return Optional.of(new RowEntry(step, () -> exactWrites().entry(exact, step, parameters)));
        }
        return plan instanceof CqlPlan.AsItIs same
                ? Optional.of(new StatementSender.Request(
                        same.target(), sender.stamped(same.target(), Binder.Unbound.of(step), parameters), false))
                : Optional.empty();
    }

    /** Throws the error with which this connection refuses a query that asks too many nodes. */
    void refuseCosts(TsqlStep.Cql step) throws SQLException {
        Optional<ReadPath> path = path(step);
        if (path.isPresent()) {
            connection.fanOut().apply(path.get(), ignored -> {});
        }
    }

    /** Returns how the statement is served, which is prepared; throws the error with which it would be refused. */
    Plan plan(TsqlStep.Cql named) throws SQLException {
        if (isWriteOfNothing(named)) {
            return NOTHING;
        }
        TsqlStep.Cql given = twinned(named);
        planner.refuseIdentity(given);
        TsqlStep.Cql step = given;
        if (NULL.matcher(given.text()).find()) {
            NullElements left = NullElements.of(given.text(), marker -> false).orElse(null);
            if (NullComparison.of(given.text()).literal() || (left != null && left.never())) {
                if (given.reads()) {
                    // Its columns are known all the same.
                    var unused = reads.verified(given);
                }
                return NOTHING;
            }
            step = left == null ? given : given.withText(left.text(), markers(given, left));
        }
        step = lookups().described(step);
        CqlPlan plan = planner.plan(step);
        if (plan instanceof CqlPlan.Query) {
            return planOfQuery(step);
        }
        if (plan instanceof CqlPlan.Exact exact) {
            return planOfExact(step, exact);
        }
        CqlPlan.AsItIs same = (CqlPlan.AsItIs) plan;
        String way = same.conditional() ? "written under its own condition, at the serial level" : "written as it is";
        if (!step.writesRows()) {
            // A batch is prepared by nobody.
            return direct(way, List.of(step.text()));
        }
        return planOfWrite(step, same.target(), step.text(), way);
    }

    /** @param cql what is sent, which is shown with the columns that the statement names */
    private static Plan direct(String way, List<String> cql) {
        return new Plan.Direct(Twin.shown(way), cql.stream().map(Twin::shown).toList(), List.of());
    }

    private static String way(CqlPlan.Exact plan) {
        if (!plan.write().keys().isEmpty()) {
            return "the keys of its rows are read, and each row is written under conditions, at the serial level";
        }
        return "written under conditions, at the serial level"
                + (ConditionalWrites.isReadFirst(plan.write()) ? ", after a read" : "");
    }

    private Plan planOfExact(TsqlStep.Cql step, CqlPlan.Exact exact) throws SQLException {
        ConditionalWrite write = exact.write();
        Plan plan = planOfWrite(step, session.writing(), write.text(), way(exact));
        if (write.keys().isEmpty()) {
            return plan;
        }
        try {
            List<Integer> unbound = Collections.nCopies(write.keyMarkers().size(), 0);
            binder.prepare(session.plain(), new Binder.Unbound(write.keys(), unbound, false));
        } catch (InvalidQueryException e) {
            throw planner.withCondition(step, e);
        }
        return direct(way(exact), List.of(write.keys(), write.text()));
    }

    private Plan planOfWrite(TsqlStep.Cql step, CqlSession target, String text, String way) throws SQLException {
        try {
            binder.verify(target, new Binder.Unbound(text, step.parameters(), false));
        } catch (InvalidQueryException e) {
            throw planner.withCondition(step, e);
        }
        return direct(way, List.of(text));
    }

    private Plan planOfQuery(TsqlStep.Cql given) throws SQLException {
        if (locks(given) != null) {
            requireKept(exact(given));
        }
        TsqlStep.Cql step = reads.served(given);
        String compared = step.equals(given) ? "" : "; the driver compares strings by their collation";
        if (!step.keyword().equals("SELECT")) {
            return direct("read as it is", List.of(step.text()));
        }
        Binder.Unbound sent = reads.verified(step);
        if (step.calculation() != null) {
            resultColumns(step);
        }
        if (step.rows().isPresent()) {
            return direct("each row is read by its key", step.statements());
        }
        ReadPath path = reads.path(step);
        String way =
                switch (path.kind()) {
                    case KEY -> "read by the key of " + path.shownTable();
                    case PARTITION -> "read within a partition of " + path.shownTable();
                    case INDEX, SCAN, REFUSED -> connection.fanOut().describe(path);
                    case UNKNOWN -> "read as it is";
                };
        IndexedIn in = IndexedIn.of(step.text())
                .filter(each -> each.reads().get(0).equals(sent.cql()))
                .orElse(null);
        String apart = path.isByValue() || in != null ? "; once for each value of IN" : "";
        String calculated = step.calculation() == null ? "" : "; the driver calculates columns of the result";
        List<String> all = in == null
                ? List.of(sent.cql())
                : in.reads().stream().distinct().toList();
        return direct(way + apart + compared + calculated, all);
    }

    /** A write whose WHERE is never true is never sent, and without its conditions it may be no CQL. */
    private static boolean isWriteOfNothing(TsqlStep.Cql step) {
        return step.writesRows() && step.guards().stream().anyMatch(Guard.NoRows.class::isInstance);
    }

    /** Puts the statement's parameters into their places in the script. */
    void describe(TsqlStep.Cql given, List<Column> columns) throws SQLException {
        if (isWriteOfNothing(given)) {
            return;
        }
        TsqlStep.Cql step = lookups().described(twinned(given));
        new Guards(tables, binder.dateOrder(), binder.warnings()).describe(step, columns);
        if (step.keyword().equals("SELECT")) {
            describeRead(step, columns);
            return;
        }
        CqlPlan plan = planner.plan(step);
        try {
            if (plan instanceof CqlPlan.Exact exact) {
                exactWrites().describe(exact.write(), step, columns);
            } else {
                CqlSession target = plan instanceof CqlPlan.AsItIs same ? same.target() : session.plain();
                binder.describe(target, Binder.Unbound.of(step), columns);
            }
        } catch (InvalidQueryException e) {
            throw planner.withCondition(step, e);
        }
    }

    private void describeRead(TsqlStep.Cql step, List<Column> columns) throws SQLException {
        Guard.Rows rows = step.rows().orElse(null);
        if (rows != null) {
            for (Guard.Read read : rows.reads()) {
                TsqlStep.Cql one = step.withText(read.cql(), read.parameters());
                binder.describe(session.plain(), Binder.Unbound.of(one), columns);
            }
            return;
        }
        if (step.parameters().isEmpty()) {
            return;
        }
        Binder.Unbound text = reads.verified(step);
        binder.describe(session.plain(), text, columns);
        // Of an IN that is read in parts, the values have the type of the first.
        IndexedIn in = text.markers().size() < step.parameters().size()
                ? IndexedIn.of(step.text()).orElseThrow()
                : null;
        if (in != null) {
            in.values()
                    .forEach(value -> columns.set(
                            step.parameters().get(value),
                            columns.get(step.parameters().get(in.values().get(0)))));
        }
    }

    /** Returns the columns of a SELECT's result. Prepares it, and runs nothing. */
    List<Column> resultColumns(TsqlStep.Cql given) throws SQLException {
        TsqlStep.Cql step = lookups().described(twinned(given));
        List<Column> served =
                Column.of(binder.prepare(session.plain(), reads.verified(step)).getResultSetDefinitions());
        return step.calculation() == null
                ? served
                : CalculatedColumns.of(step.calculation(), tables, binder).columns(served);
    }

    /** Returns the plan by which a SELECT reads; empty for everything else. */
    Optional<ReadPath> path(TsqlStep.Cql step) {
        // One that finds no row, whatever the table contains, is never sent.
        boolean sent = step.guards().stream().noneMatch(Guard.NoRows.class::isInstance);
        if (!sent || !step.keyword().equals("SELECT")) {
            return Optional.empty();
        }
        try {
            return Optional.of(reads.path(lookups().described(tables.areNoneTwinned() ? step : byTwins(step))));
        } catch (UnsupportedSqlException refused) {
            return Optional.empty();
        }
    }
}
