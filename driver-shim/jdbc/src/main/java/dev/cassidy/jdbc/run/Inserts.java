package dev.cassidy.jdbc.run;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.BatchableStatement;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.cql.Statement;
import com.datastax.oss.driver.api.core.type.codec.registry.CodecRegistry;
import dev.cassidy.cql.GeneratedKeys;
import dev.cassidy.cql.IdentitySession;
import dev.cassidy.definition.RowMark;
import dev.cassidy.definition.TableDefinition;
import dev.cassidy.definition.Twin;
import dev.cassidy.insert.CqlInsert;
import dev.cassidy.insert.CurrentTimes;
import dev.cassidy.insert.Identifiers;
import dev.cassidy.insert.Identity;
import dev.cassidy.jdbc.error.SameError;
import dev.cassidy.jdbc.error.SqlErrors;
import dev.cassidy.jdbc.error.SqlServerErrors;
import dev.cassidy.jdbc.error.SqlStates;
import dev.cassidy.jdbc.error.Unserved;
import dev.cassidy.jdbc.overlay.Overlay;
import dev.cassidy.jdbc.overlay.RowImage;
import dev.cassidy.jdbc.plan.Plan;
import dev.cassidy.jdbc.session.SharedSession;
import dev.cassidy.jdbc.session.Tables;
import dev.cassidy.jdbc.value.Column;
import dev.cassidy.jdbc.value.Parameter;
import dev.cassidy.remedy.Remedy;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.cassandra.InternalAccess;
import dev.cassidy.sequence.cassandra.SequenceState;
import dev.cassidy.table.ColumnDefault;
import dev.cassidy.table.TableWrites;
import dev.cassidy.tsql.TsqlStep;
import java.nio.ByteBuffer;
import java.sql.SQLException;
import java.sql.SQLSyntaxErrorException;
import java.sql.SQLWarning;
import java.sql.Timestamp;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Runs INSERT: its generated keys, the check of what it must not overwrite, and the rows of OUTPUT. */
final class Inserts {

    /** What NEWID() has become. */
    private static final String NEW_ID = "uuid()";

    private final ConnectionState connection;
    private final SharedSession session;
    private final Tables tables;
    private final Binder binder;
    private final KeyRequest keyRequest;
    private final StatementSender sender;
    private final ExactRows exactRows;
    private final Locks locks;
    private final Draws draws;
    private final InstantSource clock;

    Inserts(
            ConnectionState connection,
            SharedSession session,
            Tables tables,
            Binder binder,
            KeyRequest keyRequest,
            Consumer<SQLWarning> warnings,
            StatementSender sender,
            InstantSource clock) {
        this.connection = connection;
        this.session = session;
        this.tables = tables;
        this.binder = binder;
        this.keyRequest = keyRequest;
        this.sender = sender;
        this.clock = clock;
        this.exactRows = new ExactRows(session, tables, binder, binder.cancellation());
        this.locks = new Locks(session, binder.cancellation());
        this.draws = new Draws(session, tables, warnings);
    }

    StepResult run(TsqlStep.Insert given, List<@Nullable Parameter> bound) throws SQLException {
        Frozen frozen = frozen(given, bound);
        TsqlStep.Insert step = frozen.step();
        List<@Nullable Parameter> parameters = frozen.parameters();
        CqlInsert first = step.rows().get(0).insert();
        CountIds.refuse(tables, new CqlInsert.Table(first.keyspace().orElse(null), first.table()), first.columns());
        CqlSession target = target(step, first);
        // Looked up where it matters only.
        Identity key = step.draws().isEmpty() && step.output().isEmpty()
                ? null
                : generatedKey(target, first).orElse(null);
        OutputClause output = step.output().isEmpty() ? null : output(step, first, key);
        List<@Nullable Parameter> all = draws.drawn(step, key, parameters);
        StepResult result = remember(draws.withKeys(step, write(target, step, all), all));
        if (output == null) {
            return result;
        }
        Cursor rows = output.rows(result.keys(), all);
        return step.outputKept() ? result.withRows(rows) : result.asQuery(rows, step.selection());
    }

    /** An insert whose values are the same each time that it is sent, as far as the driver can give them. */
    private record Frozen(TsqlStep.Insert step, List<@Nullable Parameter> parameters) {}

    /**
     * Returns an insert into an exact table with values in place of GETDATE() and NEWID(), which are added to the parameters: if
     * it is sent twice, both must write the same.
     */
    private Frozen frozen(TsqlStep.Insert step, List<@Nullable Parameter> bound) throws SQLException {
        CqlInsert first = step.rows().get(0).insert();
        if (first.isJson()
                || TableMode.of(session, tables, first.keyspace(), first.table())
                        .isEmpty()
                || step.rows().stream().noneMatch(row -> row.insert().callsFunctions())) {
            return new Frozen(step, bound);
        }
        Instant now = clock.instant();
        Map<String, Supplier<Object>> values = new HashMap<>(CurrentDays.values(now));
        values.put(CurrentTimes.NOW, () -> Timestamp.from(now));
        values.put(NEW_ID, UUID::randomUUID);
        List<CqlInsert.Marked> marked = step.rows().stream()
                .map(row -> row.insert().marked(values.keySet()))
                .toList();
        int added = marked.stream().mapToInt(row -> row.markers().size()).sum();
        List<@Nullable Parameter> parameters = new ArrayList<>(bound);
        List<TsqlStep.Row> rows = new ArrayList<>();
        for (int i = 0; i < marked.size(); i++) {
            CqlInsert.Marked row = marked.get(i);
            List<Integer> indexes = new ArrayList<>();
            for (int index : step.rows().get(i).parameters()) {
                // What is drawn stays behind all others.
                indexes.add(index < bound.size() ? index : index + added);
            }
            for (int j = 0; j < row.markers().size(); j++) {
                indexes.add(row.markers().get(j), parameters.size());
                parameters.add(new Parameter(
                        Objects.requireNonNull(values.get(row.terms().get(j))).get(), null));
            }
            rows.add(new TsqlStep.Row(row.insert(), indexes, step.rows().get(i).defaulted()));
        }
        return new Frozen(step.withRows(rows), parameters);
    }

    private OutputClause output(TsqlStep.Insert step, CqlInsert first, @Nullable Identity key) throws SQLException {
        List<ColumnDefault> defaults = DefaultConstraints.registered(
                session, new CqlInsert.Table(first.keyspace().orElse(null), first.table()));
        return new OutputClause(
                step,
                tables,
                binder.dateOrder(),
                key == null
                        ? defaults
                        : defaults.stream()
                                .filter(each -> !each.column().equals(key.column()))
                                .toList());
    }

    /** From now on SCOPE_IDENTITY() is the last of these keys, if that is an identity. */
    StepResult remember(StepResult result) {
        List<GeneratedKeys.Key> keys = result.keys();
        connection.lastKey(keys.isEmpty() ? null : keys.get(keys.size() - 1));
        return result;
    }

    private StepResult write(CqlSession target, TsqlStep.Insert step, List<@Nullable Parameter> parameters)
            throws SQLException {
        Transaction transaction = connection.transaction();
        boolean guarded = isGuarded(target, step, parameters);
        TableWrites unique = unique(step);
        if (transaction == null && unique != null) {
            return inItsOwnTransaction(guarded, unique, target, step, parameters);
        }
        if (guarded) {
            TableWrites writes = exact(step).orElse(null);
            return transaction == null || writes == null
                    ? insertOnce(target, step, parameters)
                    : keepOnce(transaction, writes, target, step, parameters);
        }
        if (transaction != null) {
            return keep(transaction, true, target, step, parameters);
        }
        boolean conditional = step.rows().get(0).insert().isConditional();
        if (step.rows().size() == 1) {
            Statement<?> statement =
                    binder.bind(target, text(target, step.rows().get(0), parameters), parameters);
            TableWrites writes = conditional ? exact(step).orElse(null) : null;
            if (writes != null) {
                return insertOnce(
                        sender.hold(target, List.of((BatchableStatement<?>) statement))
                                .get(0),
                        writes);
            }
            return conditional
                    ? sender.executeOnce(target, statement, "INSERT")
                    : sender.execute(target, statement, "INSERT");
        }
        if (conditional) {
            throw Unserved.feature("IF NOT EXISTS with several rows of VALUES is not served: Cassandra decides on one"
                    + " partition at a time; insert the rows one by one");
        }
        // As in SQL Server, all rows are written, or none; and of two rows with one key the later must win.
        Transaction rows = new Transaction();
        StepResult kept = keep(rows, false, target, step, parameters);
        Statement<?> statement = rows.statement(target.getContext().getTimestampGenerator());
        sender.execute(session.plain(), Transaction.inTime(session.plain(), statement, binder.timeout()), "INSERT");
        return kept;
    }

    /**
     * Returns how a table is written that has values which must be unique; null if it has none.
     *
     * @throws SQLException if the insert has a condition of its own, which says nothing of other rows
     */
    private @Nullable TableWrites unique(TsqlStep.Insert step) throws SQLException {
        if (tables.areNoneUnique()) {
            return null;
        }
        TableWrites writes = exact(step).orElse(null);
        CqlInsert first = step.rows().get(0).insert();
        if (writes == null
                || tables.uniqueKeys(new CqlInsert.Table(writes.keyspace(), writes.table()))
                        .isEmpty()) {
            return null;
        }
        if (first.isConditional()) {
            throw Unserved.feature(
                    "INSERT ... IF NOT EXISTS into table " + writes.name()
                            + ", which has UNIQUE values, is not served. Leave the condition out: a row that exists is error 2627");
        }
        return writes;
    }

    /** Its reservations and its rows are written together, or none is. */
    private StepResult inItsOwnTransaction(
            boolean guarded,
            TableWrites writes,
            CqlSession target,
            TsqlStep.Insert step,
            List<@Nullable Parameter> parameters)
            throws SQLException {
        Transaction own = new Transaction();
        StepResult kept =
                guarded ? keepOnce(own, writes, target, step, parameters) : keep(own, true, target, step, parameters);
        sender.warn(own.commit(session, binder, binder.cancellation()));
        connection.countImmediateWrite();
        return kept;
    }

    /** Returns whether existing rows must stay; refuses what identityInsert does not allow. */
    private boolean isGuarded(CqlSession target, TsqlStep.Insert step, List<@Nullable Parameter> parameters)
            throws SQLException {
        CqlInsert first = step.rows().get(0).insert();
        // Read even if the insert has a condition: nothing may be written while the mode changes.
        boolean exact =
                TableMode.of(session, tables, first.keyspace(), first.table()).isPresent();
        boolean guarded = exact && !first.isConditional() && !drawsItsRows(target, step, parameters);
        if (!(target instanceof IdentitySession identities)) {
            return guarded;
        }
        IdentityInsert rules = connection.identityInsert();
        if (rules.isLenient() && !hasDefaults(identities, first)) {
            return guarded;
        }
        for (Identity column : drawn(identities, first)) {
            if (rules.isLenient() && !column.byDefault()) {
                continue;
            }
            for (TsqlStep.Row row : step.rows()) {
                // What the row draws of the key's own sequence has no value yet.
                if (!column.byDefault() || step.draw(row, column.column()) < 0) {
                    rules.check(row, column, parameters);
                }
                guarded |= !first.isConditional()
                        && IdentityInsert.given(row, column, parameters)
                                .filter(id -> !rules.isLenient() || mayBeIssued(identities, column, id))
                                .isPresent();
            }
        }
        return guarded;
    }

    /** Returns whether each row's id is drawn for it, so that nothing can be there. */
    private boolean drawsItsRows(CqlSession target, TsqlStep.Insert step, List<@Nullable Parameter> parameters)
            throws SQLException {
        CqlInsert first = step.rows().get(0).insert();
        Identity key = generatedKey(target, first).orElse(null);
        if (key == null || key.byDefault() || first.isJson() || !(target instanceof IdentitySession identities)) {
            return false;
        }
        for (TsqlStep.Row row : step.rows()) {
            boolean drawn = isGenerated(key.column(), row, parameters) && step.draw(row, key.column()) < 0;
            if (!drawn || row.insert().callsFunctions()) {
                return false;
            }
        }
        return identities
                .insertsFreshAsync(
                        SequenceStatements.keyspace(
                                session.plain(), first.keyspace().orElse(null)),
                        first.table(),
                        key.column())
                .toCompletableFuture()
                .join();
    }

    private boolean hasDefaults(IdentitySession identities, CqlInsert insert) throws SQLException {
        return !InternalAccess.tables(identities.sequences())
                .cachedDefaults(
                        SequenceStatements.keyspace(
                                session.plain(), insert.keyspace().orElse(null)),
                        insert.table())
                .isEmpty();
    }

    /**
     * Returns whether an id that would be accepted, because it lies before those that the sequence issues now, may be that of a
     * row for which it was issued earlier.
     */
    private static boolean mayBeIssued(IdentitySession identities, Identity column, Object id) {
        SequenceState state = InternalAccess.localStateAsync(identities.sequences(), column.sequence())
                .toCompletableFuture()
                .join();
        return state.mayHaveIssuedBeforeFloor()
                && !(id instanceof Number number && !state.isBeforeFloor(number.longValue()));
    }

    /** Inserts each row by IF NOT EXISTS, and fails as SQL Server does if one exists. */
    private StepResult insertOnce(CqlSession target, TsqlStep.Insert step, List<@Nullable Parameter> parameters)
            throws SQLException {
        CqlInsert first = step.rows().get(0).insert();
        boolean exact =
                TableMode.of(session, tables, first.keyspace(), first.table()).isPresent();
        if (step.rows().size() > 1 && !exact) {
            throw Unserved.feature("Several rows of VALUES that must not be there yet are not served: Cassandra decides"
                    + " on one partition at a time; insert the rows one by one");
        }
        if (connection.transaction() != null) {
            sender.warnAtOnce("INSERT of a row that must not be there yet");
        }
        List<TsqlStep.Row> rows = new ArrayList<>();
        List<BatchableStatement<?>> statements = new ArrayList<>();
        for (TsqlStep.Row given : step.rows()) {
            TsqlStep.Row row = once(target, given, exact);
            rows.add(row);
            Binder.Unbound text = exact ? Binder.Unbound.of(row, false) : text(target, row, parameters);
            statements.add(binder.bind(target, text, parameters));
        }
        List<IdentitySession.Held> held = sender.hold(target, statements);
        List<GeneratedKeys.Key> keys = new ArrayList<>();
        for (int i = 0; i < rows.size(); i++) {
            try {
                StepResult result = insertOnce(held.get(i), exact ? exact(step).orElse(null) : null);
                if (result.count() == 0) {
                    throw duplicate(rows.get(i), parameters);
                }
                keys.addAll(result.keys());
            } catch (SQLException | RuntimeException e) {
                SQLException failure = SqlErrors.of(e);
                throw i == 0
                        ? failure
                        : SameError.andAlso(
                                failure,
                                "The rows of VALUES before it, " + i + " of "
                                        + step.rows().size() + ", were written: each is written by itself");
            }
        }
        return StepResult.inserted(step.rows().size(), keys);
    }

    /** Sends a row; if a transaction holds its key, again once it does not. */
    private StepResult insertOnce(IdentitySession.Held row, @Nullable TableWrites writes) throws SQLException {
        for (int tries = 0; tries < Locks.MAX_TRIES; tries++) {
            if (writes != null) {
                requireKept(row, writes);
            }
            StepResult result = sender.executeOnce(row, "INSERT");
            Cursor there = result.count() == 0 ? result.rows() : null;
            ByteBuffer mark = writes == null || there == null ? null : mark(there);
            if (writes == null || mark == null || !Locks.isLock(mark)) {
                return result;
            }
            Overlay.Table table = exactRows.table(writes);
            locks.free(
                    table,
                    table.keyOf(Overlay.inserted(
                            row.statement(), table, session.plain().getContext().getCodecRegistry())),
                    mark);
        }
        throw ExactRows.held(Objects.requireNonNull(writes));
    }

    /** A row may be sent long after it was filled: those of the same statement before it are sent first. */
    private void requireKept(IdentitySession.Held row, TableWrites writes) throws SQLException {
        String cql = row.statement() instanceof BoundStatement bound
                ? bound.getPreparedStatement().getQuery()
                : ((SimpleStatement) row.statement()).getQuery();
        KeptDeclarations.require(tables, new CqlInsert.Table(writes.keyspace(), writes.table()), cql);
    }

    private static @Nullable ByteBuffer mark(Cursor row) throws SQLException {
        List<Column> columns = row.columns();
        for (int i = 0; i < columns.size(); i++) {
            if (columns.get(i).label().equals(RowMark.COLUMN)) {
                return row.next() ? (ByteBuffer) row.value(i) : null;
            }
        }
        return null;
    }

    /** Returns a row under IF NOT EXISTS. */
    private TsqlStep.Row once(CqlSession target, TsqlStep.Row given, boolean exact) throws SQLException {
        CqlInsert whole = exact ? withEveryColumn(target, given.insert()) : given.insert();
        return new TsqlStep.Row(whole.ifNotExists(), given.parameters(), given.defaulted());
    }

    private Optional<TableWrites> exact(TsqlStep.Insert step) throws SQLException {
        CqlInsert first = step.rows().get(0).insert();
        return TableMode.of(session, tables, first.keyspace(), first.table());
    }

    /** Keeps rows with keys of the user's for the commit; fails as SQL Server does if one exists. */
    private StepResult keepOnce(
            Transaction transaction,
            TableWrites writes,
            CqlSession target,
            TsqlStep.Insert step,
            List<@Nullable Parameter> parameters)
            throws SQLException {
        transaction.judges(new CqlInsert.Table(writes.keyspace(), writes.table()), session);
        List<TsqlStep.Row> rows = new ArrayList<>();
        List<BatchableStatement<?>> statements = new ArrayList<>();
        for (TsqlStep.Row given : step.rows()) {
            TsqlStep.Row row = once(target, given, true);
            rows.add(row);
            statements.add(binder.bind(target, Binder.Unbound.of(row, false), parameters));
        }
        Overlay overlay = transaction.overlay();
        Overlay.Table table = overlay.table(writes, exactRows::table);
        CodecRegistry codecs = session.plain().getContext().getCodecRegistry();
        List<GeneratedKeys.Key> keys = new ArrayList<>();
        int before = overlay.mark();
        try {
            List<IdentitySession.Held> held = sender.hold(target, statements);
            for (int i = 0; i < rows.size(); i++) {
                RowImage row = Overlay.inserted(held.get(i).statement(), table, codecs);
                List<Object> key = table.keyOf(row);
                RowImage there = overlay.find(writes, key).isPresent() ? null : exactRows.image(writes, key);
                if (!overlay.insert(table, row, there)) {
                    throw duplicate(rows.get(i), parameters);
                }
                keys.addAll(held.get(i).keys().keys());
            }
            new Uniques(exactRows).check(overlay, before);
        } catch (SQLException | RuntimeException e) {
            overlay.rollbackTo(before);
            throw e;
        } finally {
            transaction.statementEnded();
        }
        return StepResult.inserted(rows.size(), keys);
    }

    private CqlInsert withEveryColumn(CqlSession target, CqlInsert insert) throws SQLException {
        CqlInsert.Table table = new CqlInsert.Table(insert.keyspace().orElse(null), insert.table());
        Set<String> filled = new HashSet<>(Set.of(RowMark.COLUMN));
        filled.addAll(tables.key(insert));
        DefaultConstraints.registered(session, table).forEach(each -> filled.add(each.column()));
        generatedKey(target, insert).ifPresent(key -> filled.add(key.column()));
        filled.addAll(tables.statics(table));
        Set<String> columns = tables.types(table).keySet();
        columns.stream().filter(TableDefinition::isHidden).forEach(filled::add);
        return insert.withNulls(columns, filled);
    }

    private String shownKey(TsqlStep.Row row, List<@Nullable Parameter> parameters) {
        List<String> shown = new ArrayList<>();
        for (String column : tables.namedKey(row.insert())) {
            CqlInsert.Value value = row.insert().value(column).orElse(null);
            if (value instanceof CqlInsert.Value.Marker marker) {
                Parameter parameter = parameters.get(row.parameters().get(marker.index()));
                shown.add(column + "=" + (parameter == null ? null : parameter.value()));
            } else if (value instanceof CqlInsert.Value.IntegerLiteral literal) {
                shown.add(column + "=" + literal.value());
            } else {
                shown.add(column + "=" + (value instanceof CqlInsert.Value.Term term ? term.text() : "?"));
            }
        }
        return String.join(", ", shown);
    }

    /** Returns the session for a row of an insert; refuses, before sending, an insert whose keys it could not return. */
    private CqlSession target(TsqlStep.Insert step, CqlInsert insert) throws SQLException {
        if (keyRequest.requested()) {
            IdentitySession identities = session.identity();
            Optional<String> key = generatedKey(identities, insert).map(Identity::column);
            if (key.isEmpty()) {
                key = draws.key(step);
            }
            if (key.isEmpty()) {
                key = generatedKeyNow(identities, insert).map(Identity::column);
            }
            if (key.isEmpty()) {
                throw notRegistered(identities, insert);
            }
            if (!keyRequest.columns().isEmpty()) {
                keyRequest.check(key.get(), insert.table(), tables.columns(insert));
            }
            return identities;
        }
        CqlSession target = session.writing();
        if (!(target instanceof IdentitySession)) {
            refuseForeign(session, insert.text());
            if (tables.leavesKeyOut(insert)) {
                // Throws an error that says how to create Cassidy's keyspaces.
                return session.identity();
            }
        }
        return target;
    }

    /** Refuses what is not sent by the IdentitySession and writes to a table of which another installation has a contract. */
    static void refuseForeign(SharedSession session, String cql) {
        session.foreign()
                .refuse(
                        cql,
                        session.plain()
                                .getKeyspace()
                                .map(CqlIdentifier::asInternal)
                                .orElse(null))
                .toCompletableFuture()
                .join();
    }

    private static List<Identity> drawn(IdentitySession identities, CqlInsert insert) {
        return identities
                .catalog()
                .drawn(insert.keyspace().orElse(null), insert.table())
                .toCompletableFuture()
                .join();
    }

    /** Returns the table's generated key; empty also on a cluster without Cassidy. */
    private static Optional<Identity> generatedKey(CqlSession target, CqlInsert insert) {
        return target instanceof IdentitySession identities
                ? drawn(identities, insert).stream().findFirst()
                : Optional.empty();
    }

    /** The table may have been registered a moment ago. */
    private Optional<Identity> generatedKeyNow(IdentitySession identities, CqlInsert insert) throws SQLException {
        InternalAccess.tables(identities.sequences())
                .identityNowAsync(
                        SequenceStatements.keyspace(
                                session.plain(), insert.keyspace().orElse(null)),
                        insert.table())
                .toCompletableFuture()
                .join();
        return generatedKey(identities, insert);
    }

    private Binder.Unbound text(CqlSession target, TsqlStep.Row row, List<@Nullable Parameter> parameters) {
        CqlInsert insert = row.insert();
        // Asked only where it matters.
        boolean newRow = hasNull(row, parameters)
                && generatedKey(target, insert)
                        .map(Identity::column)
                        .filter(column -> isGenerated(column, row, parameters) && tables.isNewWithANew(column, insert))
                        .isPresent();
        return Binder.Unbound.of(row, newRow);
    }

    private static boolean hasNull(TsqlStep.Row row, List<@Nullable Parameter> parameters) {
        for (int index : row.parameters()) {
            if (isNull(parameters.get(index))) {
                return true;
            }
        }
        return false;
    }

    private static boolean isGenerated(String column, TsqlStep.Row row, List<@Nullable Parameter> parameters) {
        CqlInsert.Value value = row.insert().value(column).orElse(new CqlInsert.Value.Null());
        return value instanceof CqlInsert.Value.Null
                || (value instanceof CqlInsert.Value.Marker marker
                        && isNull(parameters.get(row.parameters().get(marker.index()))));
    }

    private static boolean isNull(@Nullable Parameter parameter) {
        return parameter != null && parameter.value() == null;
    }

    private SQLException notRegistered(IdentitySession identities, CqlInsert insert) throws SQLException {
        String table = tables.qualified(insert);
        Throwable unread = InternalAccess.tables(identities.sequences())
                .identitiesIncomplete()
                .orElse(null);
        if (unread != null) {
            // For want of a right, for example; to register it would not help.
            return SqlErrors.of(new SequenceException.Unavailable(
                    "Generated keys were requested of table " + table
                            + ", and whether it has an identity column is not known, since Cassidy's global keyspace has"
                            + " not answered since this client began; nothing was inserted: " + unread.getMessage(),
                    unread));
        }
        String keyspace =
                SequenceStatements.keyspace(session.plain(), insert.keyspace().orElse(null));
        return new SQLSyntaxErrorException(
                "Generated keys were requested of table " + table + ", which has no registered identity column, and no"
                        + " key with DEFAULT NEXT VALUE FOR; nothing"
                        + " was inserted. Execute without requesting keys, or register its identity column. "
                        + tables.soleKey(insert)
                                .map(key -> session.commandLines()
                                        .tell(new Remedy.RegisterIdentity(
                                                keyspace, insert.table(), Twin.original(key))))
                                .orElse("That is done by cassidy ids register"),
                SqlStates.SYNTAX_OR_RULE);
    }

    /** @param overlaid whether rows of exact tables are kept as such, so that later statements see them */
    private StepResult keep(
            Transaction transaction,
            boolean overlaid,
            CqlSession target,
            TsqlStep.Insert step,
            List<@Nullable Parameter> parameters)
            throws SQLException {
        if (overlaid) {
            CqlInsert first = step.rows().get(0).insert();
            transaction.judges(new CqlInsert.Table(first.keyspace().orElse(null), first.table()), session);
        }
        List<Binder.Unbound> texts = new ArrayList<>();
        for (TsqlStep.Row row : step.rows()) {
            texts.add(text(target, row, parameters));
        }
        List<IdentitySession.Held> rows = sender.forCommit(target, texts, parameters);
        List<GeneratedKeys.Key> keys =
                rows.stream().flatMap(held -> held.keys().keys().stream()).toList();
        // Only when all were made: a statement that fails half way leaves nothing behind.
        int before = transaction.overlay().mark();
        try {
            for (IdentitySession.Held row : rows) {
                if (Transaction.isFresh(row.statement()) && overlaid) {
                    keepFresh(transaction, step, row.statement());
                } else {
                    transaction.add(row);
                }
            }
            new Uniques(exactRows).check(transaction.overlay(), before);
        } catch (SQLException | RuntimeException e) {
            transaction.overlay().rollbackTo(before);
            throw e;
        } finally {
            transaction.statementEnded();
        }
        return StepResult.inserted(rows.size(), keys);
    }

    private void keepFresh(Transaction transaction, TsqlStep.Insert step, BatchableStatement<?> insert)
            throws SQLException {
        Overlay.Table table = transaction.overlay().table(exact(step).orElseThrow(), exactRows::table);
        transaction
                .overlay()
                .insertFresh(
                        table,
                        Overlay.inserted(
                                insert, table, session.plain().getContext().getCodecRegistry()),
                        insert);
    }

    /** Returns the one write that the insert consists of; empty if it needs more than that. */
    Optional<EntryWrite> request(TsqlStep.Insert given, List<@Nullable Parameter> bound) throws SQLException {
        if (given.rows().size() > 1 || !given.draws().isEmpty()) {
            return Optional.empty();
        }
        Frozen frozen = frozen(given, bound);
        TsqlStep.Insert insert = frozen.step();
        List<@Nullable Parameter> parameters = frozen.parameters();
        TsqlStep.Row row = insert.rows().get(0);
        CqlSession target = target(insert, row.insert());
        boolean guarded = isGuarded(target, insert, parameters);
        if (unique(insert) != null) {
            // Its reservations go with it.
            return Optional.empty();
        }
        if (guarded) {
            return exact(insert).map(writes -> new RowEntry(given, () -> entry(target, writes, row, parameters)));
        }
        return Optional.of(new StatementSender.Request(
                target, sender.stamped(target, text(target, row, parameters), parameters), true));
    }

    /** Returns what an entry of a batch does that inserts one row by IF NOT EXISTS. */
    private RowEntry.Bound entry(
            CqlSession target, TableWrites writes, TsqlStep.Row given, List<@Nullable Parameter> parameters)
            throws SQLException {
        TsqlStep.Row row = once(target, given, true);
        IdentitySession.Held held = sender.hold(
                        target, List.of(binder.bind(target, Binder.Unbound.of(row, false), parameters)))
                .get(0);
        return new RowEntry.Bound(
                RowEntry.Partition.of(writes, held.statement().getRoutingKey()),
                () -> send(held, writes, row, parameters));
    }

    private RowWrite send(
            IdentitySession.Held held, TableWrites writes, TsqlStep.Row row, List<@Nullable Parameter> parameters)
            throws SQLException {
        requireKept(held, writes);
        CompletableFuture<AsyncResultSet> sent = sender.sendOnce(held.statement());
        return new RowWrite.UnderWay(sent, () -> {
            AsyncResultSet answer = sender.answerOf(sent, "INSERT");
            boolean applied = answer.wasApplied()
                    // A transaction that has not ended holds the key: it is waited for, as by a single statement.
                    || (ExactRows.isHeld(answer.one())
                            && insertOnce(held, writes).count() == 1);
            if (!applied) {
                throw duplicate(row, parameters);
            }
            return new RowWrite.Ended(StepResult.inserted(1, held.keys().keys()));
        });
    }

    private SQLException duplicate(TsqlStep.Row row, List<@Nullable Parameter> parameters) throws SQLException {
        return SqlServerErrors.duplicate(tables.qualified(row.insert()), shownKey(row, parameters));
    }

    /** Returns how the insert is served, which is prepared; throws the error with which it would be refused. */
    Plan plan(TsqlStep.Insert step) throws SQLException {
        Set<String> cql = new LinkedHashSet<>();
        for (TsqlStep.Row row : step.rows()) {
            binder.verify(target(step, row.insert()), Binder.Unbound.of(row, false));
            cql.add(row.insert().text());
        }
        CqlInsert first = step.rows().get(0).insert();
        if (!step.output().isEmpty()) {
            // It refuses what it cannot give.
            var unused =
                    output(step, first, generatedKey(target(step, first), first).orElse(null));
        }
        boolean conditional = first.isConditional()
                || TableMode.of(session, tables, first.keyspace(), first.table())
                        .isPresent();
        int rows = step.rows().size();
        return new Plan.Direct(
                (rows == 1 ? "one row is written" : rows + " rows are written together")
                        + (conditional ? " if it does not exist, at the serial level" : ""),
                List.copyOf(cql),
                filled(step, first));
    }

    private List<String> filled(TsqlStep.Insert step, CqlInsert first) throws SQLException {
        List<String> filled = new ArrayList<>();
        step.draws().forEach(sequence -> filled.add("NEXT VALUE FOR " + sequence.name() + " is drawn"));
        if (!(session.writing() instanceof IdentitySession identities) || first.isJson()) {
            return filled;
        }
        Set<String> keys = new HashSet<>();
        for (Identity key : drawn(identities, first)) {
            keys.add(key.column());
            if (first.value(key.column()).isEmpty()) {
                filled.add(Identifiers.toCql(key.column()) + " = the next id of sequence " + key.sequence());
            }
        }
        CqlInsert.Table table = new CqlInsert.Table(first.keyspace().orElse(null), first.table());
        for (ColumnDefault each : DefaultConstraints.registered(session, table)) {
            if (first.value(each.column()).isEmpty() && !keys.contains(each.column())) {
                filled.add(Identifiers.toCql(each.column()) + " = DEFAULT " + each.expression());
            }
        }
        return filled;
    }

    /** Puts the insert's parameters into their places in the script. */
    void describe(TsqlStep.Insert step, List<Column> columns) throws SQLException {
        for (TsqlStep.Row row : step.rows()) {
            binder.describe(target(step, row.insert()), Binder.Unbound.of(row, false), columns);
        }
    }
}
