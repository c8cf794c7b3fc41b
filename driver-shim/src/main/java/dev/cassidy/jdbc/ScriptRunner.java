package dev.cassidy.jdbc;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.BatchableStatement;
import com.datastax.oss.driver.api.core.cql.ColumnDefinitions;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.cql.Statement;
import com.datastax.oss.driver.api.core.type.DataTypes;
import dev.cassidy.cql.DriverThreads;
import dev.cassidy.cql.GeneratedKeys;
import dev.cassidy.cql.IdentitySession;
import dev.cassidy.insert.CqlInsert;
import dev.cassidy.insert.CqlWrite;
import dev.cassidy.insert.Identity;
import dev.cassidy.insert.TsqlScript;
import dev.cassidy.insert.TsqlStep;
import dev.cassidy.insert.VersionedWrite;
import java.sql.SQLException;
import java.sql.SQLSyntaxErrorException;
import java.sql.SQLWarning;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Runs the steps of one script, in order, for one statement. */
final class ScriptRunner {

    private static final Set<String> READS = Set.of("SELECT", "LIST", "DESCRIBE", "DESC");
    private static final Set<String> NO_INSERTS =
            Set.of("UPDATE", "DELETE", "TRUNCATE", "CREATE", "ALTER", "DROP", "GRANT", "REVOKE");
    private static final Set<String> SCHEMA_CHANGES = Set.of("CREATE", "ALTER", "DROP");
    private static final Set<String> ROW_WRITES = Set.of("INSERT", "UPDATE", "DELETE");
    private static final GeneratedKeys NO_KEYS = new GeneratedKeys(List.of());

    private static final String COMPATIBILITY_LEVEL_QUERY =
            "SELECT compatibility_level FROM sys.databases WHERE name = db_name()";
    private static final List<Column> COMPATIBILITY_LEVEL = List.of(Column.of("compatibility_level", DataTypes.INT));

    private final CassidyConnection connection;
    private final SharedSession session;
    private final Tables tables;
    private final Binder binder;
    private final KeyRequest keyRequest;
    private final Consumer<SQLWarning> warnings;
    private final Cancellation cancellation;

    /** @param timeout null for the connection's requestTimeout */
    ScriptRunner(
            CassidyConnection connection,
            int pageSize,
            @Nullable Duration timeout,
            KeyRequest keyRequest,
            Consumer<SQLWarning> warnings,
            Cancellation cancellation)
            throws SQLException {
        this.connection = connection;
        this.session = connection.session();
        this.tables = new Tables(session.plain());
        this.binder = new Binder(session, pageSize, timeout, warnings);
        this.keyRequest = keyRequest;
        this.warnings = warnings;
        this.cancellation = cancellation;
    }

    /** Returns whether the step gives rows, for all that can be told before it runs. */
    static boolean mayGiveRows(TsqlStep step, SharedSession session) {
        if (step instanceof TsqlStep.Cql cql) {
            return READS.contains(cql.keyword()) || cql.keyword().equals("BEGIN") || isConditional(cql, session);
        }
        if (step instanceof TsqlStep.Insert insert) {
            return givesRowsAlone(insert) || insert.rows().get(0).insert().isConditional();
        }
        return givesRowsAlone(step);
    }

    /** Returns whether the step gives rows and no count. */
    static boolean givesRowsAlone(TsqlStep step) {
        return step instanceof TsqlStep.SelectIdentity
                || step instanceof TsqlStep.NextValue
                || step instanceof TsqlStep.SelectOutput
                || (step instanceof TsqlStep.Cql cql && READS.contains(cql.keyword()))
                || (step instanceof TsqlStep.Insert insert && !insert.output().isEmpty() && !insert.outputKept());
    }

    /** Returns whether the step gives a count, be it hidden. */
    static boolean givesCount(TsqlStep step) {
        return !givesRowsAlone(step)
                && !(step instanceof TsqlStep.SetNoCount)
                && !(step instanceof TsqlStep.SetIdentityInsert)
                && !(step instanceof TsqlStep.Unkept)
                && !(step instanceof TsqlStep.Ignored);
    }

    private static boolean isConditional(TsqlStep.Cql step, SharedSession session) {
        return session.write(step.text(), step.parameters())
                .filter(CqlWrite::isConditional)
                .isPresent();
    }

    /**
     * What a script gave.
     *
     * @param keys those of the last insert, as SQL Server's driver gives them: of its every row, and none if it has none
     */
    record Ran(List<StepResult> results, List<GeneratedKeys.Key> keys) {}

    /** @param parameters by the script's {@code ?}; null for one that was never set */
    Ran run(TsqlScript script, List<@Nullable Parameter> parameters) throws SQLException {
        List<StepResult> results = new ArrayList<>();
        List<GeneratedKeys.Key> keys = List.of();
        Map<Integer, Cursor> outputs = new HashMap<>();
        boolean countsHidden = false;
        for (int i = 0; i < script.steps().size(); i++) {
            TsqlStep step = script.steps().get(i);
            cancellation.requireGoingOn();
            if (step instanceof TsqlStep.SetNoCount noCount) {
                countsHidden = noCount.on();
            } else if (step instanceof TsqlStep.Ignored ignored) {
                warnings.accept(Warnings.general("Has no bearing on Cassandra and was left out: " + ignored.text()));
            } else if (step instanceof TsqlStep.Unkept unkept) {
                warnings.accept(Warnings.general("Cassandra does not keep it, and it was left out: " + unkept.what()));
            } else if (step instanceof TsqlStep.SetIdentityInsert set) {
                identityInsert(set);
            } else if (step instanceof TsqlStep.SelectOutput select) {
                results.add(StepResult.query(Objects.requireNonNull(outputs.get(select.insert()))));
            } else {
                StepResult result = run(step, parameters);
                if (step instanceof TsqlStep.Insert insert && insert.outputKept()) {
                    outputs.put(i, Objects.requireNonNull(result.rows()));
                    result = StepResult.inserted(result.count(), result.keys());
                }
                results.add(countsHidden && !result.isQuery() ? result.withCountHidden() : result);
                if (step instanceof TsqlStep.Insert) {
                    keys = result.keys();
                }
            }
        }
        return new Ran(results, keys);
    }

    private StepResult run(TsqlStep step, List<@Nullable Parameter> parameters) throws SQLException {
        try {
            if (step instanceof TsqlStep.Cql cql) {
                return run(cql, parameters);
            }
            if (step instanceof TsqlStep.Insert insert) {
                return run(insert, parameters);
            }
            if (step instanceof TsqlStep.SelectIdentity select) {
                return StepResult.query(connection.lastIdentity(select));
            }
            if (step instanceof TsqlStep.Use use) {
                connection.use(CqlIdentifier.fromInternal(use.keyspace()));
                return StepResult.written(0);
            }
            if (step instanceof TsqlStep.CreateTable create) {
                return createTable(create);
            }
            return sequences(step);
        } catch (RuntimeException e) {
            throw SqlErrors.of(e);
        }
    }

    // ---- sequences

    private StepResult sequences(TsqlStep step) throws SQLException {
        cancellation.writes();
        SequenceStatements statements = new SequenceStatements(session.identity(), warnings);
        if (step instanceof TsqlStep.NextValue next) {
            return StepResult.query(statements.next(next));
        }
        if (connection.transaction() != null) {
            warnAtOnce("A change of a sequence");
        }
        if (step instanceof TsqlStep.CreateSequence create) {
            statements.create(create);
        } else if (step instanceof TsqlStep.RestartSequence restart) {
            statements.restart(restart);
        } else if (step instanceof TsqlStep.DropSequence drop) {
            statements.drop(drop);
        } else if (step instanceof TsqlStep.CheckIdentity check) {
            statements.checkIdentity(check, identity(check.table()), tables.qualified(check.table()));
        } else {
            throw Unserved.feature(step.getClass().getSimpleName() + " is not served by Cassidy's JDBC driver");
        }
        return StepResult.written(0);
    }

    // ---- tables

    private StepResult createTable(TsqlStep.CreateTable step) throws SQLException {
        if (connection.transaction() != null) {
            requireOutsideTransactions("CREATE");
        }
        TsqlStep.IdentityColumn identity = step.identity();
        if (identity != null) {
            if (exists(step.table())) {
                if (step.ifNotExists()) {
                    return StepResult.written(0);
                }
                // Before anything is registered: the sequence would issue the ids that its rows have.
                throw SqlServerErrors.exists(
                        "There is already an object named '" + tables.qualified(step.table()) + "' in the database");
            }
            // Also before: what the server's parser refuses leaves nothing behind.
            session.plain().prepare(step.cql());
            cancellation.writes();
            new SequenceStatements(session.identity(), warnings).createIdentity(step, identity);
        }
        SimpleStatement create = SimpleStatement.newInstance(step.cql()).setExecutionProfileName(session.profile());
        try {
            return execute(session.plain(), create.setTimeout(binder.timeout()), "CREATE");
        } catch (SQLException e) {
            if (identity != null) {
                // Not taken back: another process may have created the table by it, and its ids must stay taken.
                warnings.accept(Warnings.general("The identity of " + tables.qualified(step.table()) + ", column "
                        + identity.column() + ", is registered all the same; run the statement again, corrected, and it"
                        + " goes on from there"));
            }
            throw e;
        }
    }

    /** Asked of the cluster: the driver's view of the schema lags. */
    private boolean exists(CqlInsert.Table table) throws SQLException {
        String keyspace = SequenceStatements.keyspace(session.plain(), table.keyspace());
        return session.plain()
                        .execute(SimpleStatement.newInstance(
                                "SELECT table_name FROM system_schema.tables WHERE keyspace_name = ? AND table_name = ?",
                                keyspace,
                                table.name()))
                        .one()
                != null;
    }

    private Optional<Identity> identity(CqlInsert.Table table) {
        return session.identity()
                .catalog()
                .find(table.keyspace(), table.name())
                .toCompletableFuture()
                .join();
    }

    private void identityInsert(TsqlStep.SetIdentityInsert step) throws SQLException {
        if (!connection.identityInsert().isLenient()) {
            try {
                connection.identityInsert().set(step, identity(step.table()), tables.qualified(step.table()));
            } catch (RuntimeException e) {
                throw SqlErrors.of(e);
            }
        }
    }

    private void warnAtOnce(String what) {
        warnings.accept(Warnings.general(what + " takes effect at once; a rollback will not undo it"));
    }

    // ---- CQL as it is

    private StepResult run(TsqlStep.Cql step, List<@Nullable Parameter> parameters) throws SQLException {
        String keyword = step.keyword();
        if (keyword.equals("INSERT") && keyRequest.requested()) {
            throw Unserved.feature(
                    "INSERT JSON gives no generated keys; name the columns: INSERT INTO t (...) VALUES (...)");
        }
        VersionedWrite versioned = versioned(step).orElse(null);
        if (versioned != null) {
            return write(versioned, step, parameters);
        }
        Binder.Text text = Binder.Text.of(step);
        CqlSession target = target(step);
        if (READS.contains(keyword)) {
            return asksForCompatibilityLevel(step)
                    ? StepResult.query(new Cursor.Listed(COMPATIBILITY_LEVEL, List.of()))
                    : execute(target, binder.bind(target, text, parameters), keyword);
        }
        Transaction transaction = connection.transaction();
        if (transaction != null) {
            if (ROW_WRITES.contains(keyword)) {
                IdentitySession.Filled filled = forCommit(target, text, parameters);
                transaction.add(filled);
                return StepResult.inserted(1, filled.keys().keys());
            }
            requireOutsideTransactions(keyword);
        }
        return execute(target, binder.bind(target, text, parameters), keyword);
    }

    /** Hibernate's dialect of SQL Server asks so, and goes by DatabaseMetaData where there is no answer. */
    private static boolean asksForCompatibilityLevel(TsqlStep.Cql step) {
        return step.text().strip().equalsIgnoreCase(COMPATIBILITY_LEVEL_QUERY);
    }

    // ---- versioned tables

    /** Returns the conditional form of a write to a versioned table; empty for all else. */
    private Optional<VersionedWrite> versioned(TsqlStep.Cql step) throws SQLException {
        VersionedTables versioned = connection.versioned();
        if (versioned.isEmpty()) {
            return Optional.empty();
        }
        if (step.keyword().equals("BEGIN")) {
            for (CqlInsert.Table table : VersionedWrite.tablesOfBatch(step.text())) {
                if (isVersioned(Optional.ofNullable(table.keyspace()), table.name())) {
                    throw Unserved.feature("BEGIN BATCH with versioned table " + tables.qualified(table)
                            + " is not served: run its writes one by one, each is conditional");
                }
            }
        }
        if (!ROW_WRITES.contains(step.keyword())) {
            return Optional.empty();
        }
        CqlWrite write = session.write(step.text(), step.parameters()).orElse(null);
        if (write == null || write.isConditional()) {
            return Optional.empty();
        }
        Optional<String> column = tables.version(versioned, write.keyspace(), write.table());
        if (column.isPresent() && step.keyword().equals("INSERT")) {
            throw Unserved.feature("INSERT JSON into versioned table " + write.table()
                    + " is not served: name the columns: INSERT INTO t (...) VALUES (...)");
        }
        return column.flatMap(version -> VersionedWrite.of(step.text(), version));
    }

    private boolean isVersioned(Optional<String> keyspace, String table) {
        return tables.version(connection.versioned(), keyspace, table).isPresent();
    }

    /** At once, in a transaction too: its count is asked for now, and decides what the caller does next. */
    private StepResult write(VersionedWrite write, TsqlStep.Cql step, List<@Nullable Parameter> parameters)
            throws SQLException {
        VersionedTables.Conditional conditional = VersionedTables.bind(step, write, parameters);
        if (conditional.impossible()) {
            return StepResult.written(0);
        }
        CqlSession target = target(step);
        // The same again after a lost answer would not be applied, and so be counted as 0.
        Statement<?> statement = binder.bind(target, conditional.text(), conditional.parameters())
                .setIdempotent(false);
        if (connection.transaction() != null) {
            warnAtOnce(step.keyword() + " of a versioned table");
        }
        return StepResult.written(execute(target, statement, step.keyword()).count());
    }

    private CqlSession target(TsqlStep.Cql step) throws SQLException {
        return NO_INSERTS.contains(step.keyword()) || READS.contains(step.keyword())
                ? session.plain()
                : session.writing();
    }

    private void requireOutsideTransactions(String keyword) throws SQLException {
        if (keyword.equals("TRUNCATE") || keyword.equals("BEGIN")) {
            throw Unserved.feature(keyword + " cannot wait for a commit, and a rollback could not undo it: run it with"
                    + " setAutoCommit(true), or connect with transactions=immediate");
        }
        warnAtOnce(keyword);
    }

    private StepResult execute(CqlSession target, Statement<?> statement, String keyword) throws SQLException {
        // Before anything is sent: afterwards nobody would be told what became of it.
        DriverThreads.refuseToWait();
        boolean reads = READS.contains(keyword);
        IdentitySession.Filled filled = filled(target, statement);
        cancellation.requireGoingOn();
        if (!reads) {
            cancellation.writes();
            connection.wroteAtOnce();
        }
        AsyncResultSet result;
        try {
            result = cancellation.await(
                    session.plain().executeAsync(filled.statement()),
                    reads ? Cancellation.READ_ALONE : Cancellation.OUTCOME_UNKNOWN);
        } catch (SQLException e) {
            throw SqlServerErrors.ofVerb(keyword, e);
        } finally {
            // Also where it failed: its outcome may be unknown.
            if (SCHEMA_CHANGES.contains(keyword)) {
                session.schemaChanged();
            }
        }
        for (String text : result.getExecutionInfo().getWarnings()) {
            warnings.accept(Warnings.general(text));
        }
        List<GeneratedKeys.Key> keys = result.wasApplied() ? filled.keys().keys() : List.of();
        ColumnDefinitions columns = result.getColumnDefinitions();
        if (columns.contains("[applied]")) {
            if (!result.wasApplied()) {
                connection.wroteNothing();
            }
            return StepResult.inserted(result.wasApplied() ? 1 : 0, keys).withRows(cursor(result));
        }
        if (columns.size() > 0) {
            return StepResult.query(cursor(result));
        }
        // A change of the schema counts no rows.
        return StepResult.inserted(ROW_WRITES.contains(keyword) || keyword.equals("BEGIN") ? 1 : 0, keys);
    }

    private Cursor cursor(AsyncResultSet result) {
        return new Cursor.Server(result, cancellation, warnings);
    }

    /** Returns what is sent through the plain session: the statement with the ids that it lacked. */
    private IdentitySession.Filled filled(CqlSession target, Statement<?> statement) throws SQLException {
        return target instanceof IdentitySession identities
                ? cancellation.awaitUnsent(identities.fillAsync(statement), binder.timeout())
                : new IdentitySession.Filled(statement, NO_KEYS);
    }

    // ---- inserts

    private StepResult run(TsqlStep.Insert step, List<@Nullable Parameter> parameters) throws SQLException {
        CqlSession target = target(step.rows().get(0).insert());
        if (step.output().isEmpty()) {
            return remember(write(target, step, withDraws(target, step, parameters)));
        }
        OutputClause output = new OutputClause(step, tables);
        List<@Nullable Parameter> all = withDraws(target, step, parameters);
        StepResult result = remember(write(target, step, all));
        Cursor rows = output.rows(result.keys(), all);
        return step.outputKept() ? result.withRows(rows) : result.asQuery(rows);
    }

    /** Returns the parameters and, behind them, what NEXT VALUE FOR gives. */
    private List<@Nullable Parameter> withDraws(
            CqlSession target, TsqlStep.Insert step, List<@Nullable Parameter> parameters) throws SQLException {
        if (step.draws().isEmpty()) {
            return parameters;
        }
        IdentitySession identities = session.identity();
        SequenceStatements statements = new SequenceStatements(identities, warnings);
        Identity identity = target instanceof IdentitySession
                ? identity(identities, step.rows().get(0).insert()).orElse(null)
                : null;
        List<@Nullable Parameter> all = new ArrayList<>(parameters);
        for (CqlInsert.Table sequence : step.draws()) {
            // The table's own: it is drawn where every identity is. Drawn here it would be an explicit id.
            boolean own = identity != null
                    && identity.sequence().equals(statements.name(sequence))
                    && step.rows().stream().anyMatch(row -> takes(row, identity.column(), all.size()));
            if (own && step.rows().stream().anyMatch(row -> Collections.frequency(row.parameters(), all.size()) > 1)) {
                throw Unserved.feature(
                        "NEXT VALUE FOR the table's own sequence in another column too is not served: the"
                                + " identity is drawn when the row is sent; draw it first, by SELECT NEXT VALUE FOR, from a"
                                + " sequence of its own");
            }
            all.add(new Parameter(own ? null : statements.next(sequence), null));
        }
        return all;
    }

    private static boolean takes(TsqlStep.Row row, String column, int parameter) {
        return row.insert().value(column).orElse(null) instanceof CqlInsert.Value.Marker marker
                && row.parameters().get(marker.index()) == parameter;
    }

    private StepResult remember(StepResult result) {
        List<GeneratedKeys.Key> keys = result.keys();
        connection.rememberIdentity(
                keys.isEmpty() ? null : keys.get(keys.size() - 1).id());
        return result;
    }

    private StepResult write(CqlSession target, TsqlStep.Insert step, List<@Nullable Parameter> parameters)
            throws SQLException {
        if (isGuarded(target, step, parameters)) {
            return insertOnce(target, step, parameters);
        }
        Transaction transaction = connection.transaction();
        if (transaction != null) {
            return keep(transaction, target, step, parameters);
        }
        if (step.rows().size() == 1) {
            return execute(
                    target, binder.bind(target, text(target, step.rows().get(0), parameters), parameters), "INSERT");
        }
        if (step.rows().get(0).insert().isConditional()) {
            throw Unserved.feature("IF NOT EXISTS with several rows of VALUES is not served: Cassandra decides on one"
                    + " partition at a time; insert the rows one by one");
        }
        // As in SQL Server, all rows come to be, or none; and of two rows with one key the later must win.
        Transaction rows = new Transaction();
        StepResult kept = keep(rows, target, step, parameters);
        Statement<?> statement = rows.statement(target.getContext().getTimestampGenerator());
        execute(session.plain(), statement.setTimeout(binder.timeout()), "INSERT");
        return kept;
    }

    /** Returns whether rows that are there already must stay; refuses what identityInsert does not allow. */
    private boolean isGuarded(CqlSession target, TsqlStep.Insert step, List<@Nullable Parameter> parameters)
            throws SQLException {
        CqlInsert first = step.rows().get(0).insert();
        boolean versioned = !connection.versioned().isEmpty()
                && !first.isConditional()
                && isVersioned(first.keyspace(), first.table());
        IdentityInsert rules = connection.identityInsert();
        if (rules.isLenient() || !(target instanceof IdentitySession identities)) {
            return versioned;
        }
        Identity identity = identity(identities, first).orElse(null);
        if (identity == null) {
            return versioned;
        }
        boolean guarded = versioned;
        for (TsqlStep.Row row : step.rows()) {
            rules.check(row, identity, parameters);
            guarded |= rules.isGuarded(row, identity, parameters);
        }
        return guarded;
    }

    /** Inserts a row by IF NOT EXISTS, and fails as SQL Server does if it was there. */
    private StepResult insertOnce(CqlSession target, TsqlStep.Insert step, List<@Nullable Parameter> parameters)
            throws SQLException {
        if (step.rows().size() > 1) {
            throw Unserved.feature("Several rows of VALUES that must not be there yet are not served: Cassandra decides"
                    + " on one partition at a time; insert the rows one by one");
        }
        TsqlStep.Row given = step.rows().get(0);
        TsqlStep.Row row = new TsqlStep.Row(given.insert().ifNotExists(), given.parameters(), given.defaulted());
        // The same again after a lost answer would find the row, and call it a duplicate of itself.
        Statement<?> statement =
                binder.bind(target, text(target, row, parameters), parameters).setIdempotent(false);
        if (connection.transaction() != null) {
            warnAtOnce("INSERT of a row that must not be there yet");
        }
        StepResult result = execute(target, statement, "INSERT");
        if (result.count() == 0) {
            throw SqlServerErrors.duplicate(tables.qualified(row.insert()), shownKey(row, parameters));
        }
        return StepResult.inserted(1, result.keys());
    }

    private String shownKey(TsqlStep.Row row, List<@Nullable Parameter> parameters) {
        List<String> shown = new ArrayList<>();
        for (String column : tables.key(row.insert())) {
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

    /** Returns the session for an insert; refuses what it could not give the keys of, before anything is sent. */
    private CqlSession target(CqlInsert insert) throws SQLException {
        if (keyRequest.requested()) {
            IdentitySession identities = session.identity();
            Identity identity = identity(identities, insert).orElseThrow(() -> notRegistered(insert));
            if (!keyRequest.columns().isEmpty()) {
                keyRequest.check(identity.column(), insert.table(), tables.columns(insert));
            }
            return identities;
        }
        CqlSession target = session.writing();
        if (!(target instanceof IdentitySession) && tables.leavesKeyOut(insert)) {
            // Throws, saying how Cassidy's keyspaces come to be.
            return session.identity();
        }
        return target;
    }

    private static Optional<Identity> identity(IdentitySession identities, CqlInsert insert) {
        return identities
                .catalog()
                .find(insert.keyspace().orElse(null), insert.table())
                .toCompletableFuture()
                .join();
    }

    private Binder.Text text(CqlSession target, TsqlStep.Row row, List<@Nullable Parameter> parameters) {
        CqlInsert insert = row.insert();
        // Asked only where it matters.
        boolean newRow = hasNull(row, parameters)
                && target instanceof IdentitySession identities
                && identity(identities, insert)
                        .map(Identity::column)
                        .filter(column -> isGenerated(column, row, parameters) && tables.isNewWithANew(column, insert))
                        .isPresent();
        return Binder.Text.of(row, newRow);
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

    private SQLException notRegistered(CqlInsert insert) {
        String table = tables.qualified(insert);
        return new SQLSyntaxErrorException(
                "Generated keys were asked of table " + table + ", which has no registered identity column; nothing was"
                        + " inserted. Register it: java -jar migration-tool/target/migration-tool.jar register --table "
                        + table + " --column " + tables.soleKey(insert).orElse("<identity column>")
                        + " --start <n>; or execute without asking for keys",
                SqlStates.SYNTAX_OR_RULE);
    }

    // ---- transactions

    private StepResult keep(
            Transaction transaction, CqlSession target, TsqlStep.Insert step, List<@Nullable Parameter> parameters)
            throws SQLException {
        List<IdentitySession.Filled> rows = new ArrayList<>();
        List<GeneratedKeys.Key> keys = new ArrayList<>();
        for (TsqlStep.Row row : step.rows()) {
            IdentitySession.Filled filled = forCommit(target, text(target, row, parameters), parameters);
            rows.add(filled);
            keys.addAll(filled.keys().keys());
        }
        // After the last one was made: a statement that fails half way leaves nothing behind.
        rows.forEach(transaction::add);
        return StepResult.inserted(rows.size(), keys);
    }

    /** Returns a write that waits for the commit; its identity is drawn now. */
    private IdentitySession.Filled forCommit(CqlSession target, Binder.Text text, List<@Nullable Parameter> parameters)
            throws SQLException {
        CqlWrite write = session.write(text.cql(), text.markers())
                .orElseThrow(() -> Unserved.feature("Not recognised as one CQL write, so it cannot wait for a commit;"
                        + " run it with setAutoCommit(true): " + text.cql()));
        requireBatchable(write);
        Binder.Text sent = text;
        if (!text.markers().isEmpty() && !write.isTimestamped()) {
            List<Integer> markers = new ArrayList<>(text.markers());
            markers.add(write.timestampMarkerIndex(), Binder.AT_COMMIT);
            sent = new Binder.Text(write.withTimestampMarker(), markers, text.newRow());
        }
        BatchableStatement<?> statement = binder.bind(target, sent, parameters);
        return filled(target, statement);
    }

    private void requireBatchable(CqlWrite write) throws SQLException {
        if (write.isConditional()) {
            throw Unserved.feature("A conditional write cannot wait for a commit, its answer is needed now: run it with"
                    + " setAutoCommit(true), or connect with transactions=immediate");
        }
        if (tables.hasCounters(write)) {
            throw Unserved.feature("A counter's update cannot be in one batch with other writes: run it with"
                    + " setAutoCommit(true), or connect with transactions=immediate");
        }
    }

    // ---- entries of a batch

    /** A request that a batch may send while earlier ones are under way. */
    record Request(CqlSession target, Statement<?> statement, boolean insert) {}

    /**
     * Returns the one request that the script amounts to; empty if it is more than that, or if its order among others
     * would be lost. A plain write is stamped here, in the order of the batch: of two to one row the later must win,
     * whichever is sent first once its identity is known.
     */
    Optional<Request> request(TsqlScript script, List<@Nullable Parameter> parameters) throws SQLException {
        if (script.steps().size() != 1 || connection.transaction() != null) {
            return Optional.empty();
        }
        TsqlStep step = script.steps().get(0);
        if (mayGiveRows(step, session)) {
            return Optional.empty();
        }
        if (step instanceof TsqlStep.Insert insert
                && insert.rows().size() == 1
                && insert.draws().isEmpty()) {
            TsqlStep.Row row = insert.rows().get(0);
            CqlSession target = target(row.insert());
            if (isGuarded(target, insert, parameters)) {
                return Optional.empty();
            }
            return Optional.of(new Request(target, stamped(target, text(target, row, parameters), parameters), true));
        }
        if (step instanceof TsqlStep.Cql cql
                && ROW_WRITES.contains(cql.keyword())
                && versioned(cql).isEmpty()) {
            CqlSession target = target(cql);
            return Optional.of(new Request(target, stamped(target, Binder.Text.of(cql), parameters), false));
        }
        return Optional.empty();
    }

    private Statement<?> stamped(CqlSession target, Binder.Text text, List<@Nullable Parameter> parameters)
            throws SQLException {
        return binder.bind(target, text, parameters)
                .setQueryTimestamp(target.getContext().getTimestampGenerator().next());
    }

    /**
     * Returns the request with the id that it lacks, drawn after that of the one before, whatever became of that: so ids
     * are in the order of the rows also while a sequence is being opened or a block claimed. Waits for nothing.
     */
    CompletionStage<IdentitySession.Filled> fill(Request request, CompletionStage<?> before) {
        if (!(request.target() instanceof IdentitySession identities)) {
            return CompletableFuture.completedFuture(new IdentitySession.Filled(request.statement(), NO_KEYS));
        }
        CompletionStage<IdentitySession.Filled> filled = before.handle(
                        (last, failure) -> identities.fillAsync(request.statement()))
                .thenCompose(stage -> stage);
        Duration timeout = binder.timeout();
        return timeout == null ? filled : Cancellation.inTime(filled, timeout);
    }

    /**
     * Sends what was filled, unless it is cancelled first. A failure completes the future with whatever the driver or the
     * IdentitySession gave; to cancel it cancels the request.
     */
    CompletableFuture<StepResult> send(CompletionStage<IdentitySession.Filled> filling) {
        connection.wroteAtOnce();
        CompletableFuture<StepResult> result = new CompletableFuture<>();
        var unused = filling.thenCompose(filled -> {
                    CompletableFuture<AsyncResultSet> answer = result.isDone()
                            ? CompletableFuture.failedFuture(new CancellationException())
                            : session.plain().executeAsync(filled.statement()).toCompletableFuture();
                    var unusedStage = result.whenComplete((done, failure) -> answer.cancel(true));
                    return answer.thenApply(
                            ignored -> StepResult.inserted(1, filled.keys().keys()));
                })
                .whenComplete((done, failure) -> {
                    if (failure == null) {
                        result.complete(done);
                    } else {
                        result.completeExceptionally(failure);
                    }
                });
        return result;
    }

    void remember(Request request, StepResult result) {
        if (request.insert()) {
            remember(result);
        }
    }

    // ---- the check before the cutover

    /** Prepares all that the script would send; throws what it would be refused with before anything is sent. */
    void verify(TsqlScript script) throws SQLException {
        try {
            for (TsqlStep step : script.steps()) {
                if (step instanceof TsqlStep.Cql cql) {
                    // A change of the schema means nothing until it is made.
                    if (cql.keyword().equals("SELECT") || ROW_WRITES.contains(cql.keyword())) {
                        session.prepare(target(cql), cql.text());
                    }
                } else if (step instanceof TsqlStep.Insert insert) {
                    for (TsqlStep.Row row : insert.rows()) {
                        session.prepare(target(row.insert()), row.insert().text());
                    }
                }
            }
        } catch (RuntimeException e) {
            throw SqlErrors.of(e);
        }
    }

    // ---- metadata

    /** Returns what the first step that reads will give; empty if none does. Prepares it, and runs nothing. */
    List<Column> resultColumns(TsqlScript script) throws SQLException {
        try {
            for (TsqlStep step : script.steps()) {
                if (step instanceof TsqlStep.Cql cql && cql.keyword().equals("SELECT")) {
                    return Column.of(
                            session.prepare(session.plain(), cql.text()).getResultSetDefinitions());
                }
                if (step instanceof TsqlStep.SelectIdentity select) {
                    return connection.lastIdentity(select).columns();
                }
                if (step instanceof TsqlStep.NextValue next) {
                    SequenceStatements statements = new SequenceStatements(session.identity(), warnings);
                    return List.of(Column.of(next.label(), statements.type(next.sequence())));
                }
                if (step instanceof TsqlStep.Insert insert && !insert.output().isEmpty()) {
                    return new OutputClause(insert, tables).columns();
                }
            }
            return List.of();
        } catch (RuntimeException e) {
            throw SqlErrors.of(e);
        }
    }

    /** Returns the parameters of the script, in its own order. Prepares what has any, and runs nothing. */
    List<Column> parameterColumns(TsqlScript script) throws SQLException {
        int draws = script.steps().stream()
                .mapToInt(step ->
                        step instanceof TsqlStep.Insert insert ? insert.draws().size() : 0)
                .max()
                .orElse(0);
        List<Column> columns =
                new ArrayList<>(Collections.nCopies(script.parameterCount() + draws, Column.of("", DataTypes.TEXT)));
        try {
            for (TsqlStep step : script.steps()) {
                if (step instanceof TsqlStep.Cql cql) {
                    Binder.Text text = versioned(cql)
                            .map(versioned -> VersionedTables.describe(cql, versioned))
                            .orElseGet(() -> Binder.Text.of(cql));
                    binder.describe(target(cql), text, columns);
                } else if (step instanceof TsqlStep.Insert insert) {
                    for (TsqlStep.Row row : insert.rows()) {
                        binder.describe(target(row.insert()), Binder.Text.of(row, false), columns);
                    }
                }
            }
            return columns.subList(0, script.parameterCount());
        } catch (RuntimeException e) {
            throw SqlErrors.of(e);
        }
    }
}
