package dev.cassidy.jdbc.run;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.cql.Statement;
import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import dev.cassidy.cql.GeneratedKeys;
import dev.cassidy.cql.IdentitySession;
import dev.cassidy.insert.CqlInsert;
import dev.cassidy.insert.CqlWrite;
import dev.cassidy.insert.Identity;
import dev.cassidy.insert.TsqlScript;
import dev.cassidy.insert.TsqlStep;
import dev.cassidy.insert.VersionedWrite;
import dev.cassidy.jdbc.error.SqlErrors;
import dev.cassidy.jdbc.error.SqlServerErrors;
import dev.cassidy.jdbc.error.Unserved;
import dev.cassidy.jdbc.error.Warnings;
import dev.cassidy.jdbc.session.SharedSession;
import dev.cassidy.jdbc.session.Tables;
import dev.cassidy.jdbc.session.VersionedTables;
import dev.cassidy.jdbc.value.Column;
import dev.cassidy.jdbc.value.ConversionException;
import dev.cassidy.jdbc.value.Parameter;
import dev.cassidy.jdbc.value.Temporals;
import dev.cassidy.jdbc.value.ToCql;
import java.sql.SQLException;
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
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Runs the steps of one script, in order, for one statement. */
public final class ScriptRunner {

    private static final Set<String> NO_INSERTS =
            Set.of("UPDATE", "DELETE", "TRUNCATE", "CREATE", "ALTER", "DROP", "GRANT", "REVOKE");

    private static final String COMPATIBILITY_LEVEL_QUERY =
            "SELECT compatibility_level FROM sys.databases WHERE name = db_name()";
    private static final List<Column> COMPATIBILITY_LEVEL = List.of(Column.of("compatibility_level", DataTypes.INT));

    private final ConnectionState connection;
    private final SharedSession session;
    private final Tables tables;
    private final Binder binder;
    private final KeyRequest keyRequest;
    private final Consumer<SQLWarning> warnings;
    private final Cancellation cancellation;
    private final StatementSender sending;
    private final Inserts inserts;

    /**
     * A runner for one execution of one statement.
     *
     * @param timeout null for the connection's requestTimeout
     */
    public ScriptRunner(
            ConnectionState connection,
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
        this.sending = new StatementSender(connection, session, tables, binder, warnings, cancellation);
        this.inserts = new Inserts(connection, session, tables, binder, keyRequest, warnings, sending);
    }

    /** Returns whether the step gives rows, for all that can be told before it runs. */
    public static boolean mayGiveRows(TsqlStep step, SharedSession session) {
        if (step instanceof TsqlStep.Cql cql) {
            return StatementSender.reads(cql.keyword()) || cql.keyword().equals("BEGIN") || isConditional(cql, session);
        }
        if (step instanceof TsqlStep.Insert insert) {
            return givesRowsAlone(insert) || insert.rows().get(0).insert().isConditional();
        }
        return givesRowsAlone(step);
    }

    /** Returns whether the step gives rows and no count. */
    public static boolean givesRowsAlone(TsqlStep step) {
        return step instanceof TsqlStep.SelectIdentity
                || step instanceof TsqlStep.NextValue
                || step instanceof TsqlStep.SelectOutput
                || (step instanceof TsqlStep.Cql cql && StatementSender.reads(cql.keyword()))
                || (step instanceof TsqlStep.Insert insert && !insert.output().isEmpty() && !insert.outputKept());
    }

    /** Returns whether the step gives a count, be it hidden. */
    public static boolean givesCount(TsqlStep step) {
        return !givesRowsAlone(step)
                && !(step instanceof TsqlStep.SetNoCount)
                && !(step instanceof TsqlStep.SetIdentityInsert)
                && !(step instanceof TsqlStep.Unkept)
                && !(step instanceof TsqlStep.Ignored);
    }

    private static boolean isConditional(TsqlStep.Cql step, SharedSession session) {
        if (step.keyword().equals("BEGIN")) {
            return CqlWrite.isConditionalBatch(step.text());
        }
        return session.write(step.text(), step.parameters())
                .filter(CqlWrite::isConditional)
                .isPresent();
    }

    /**
     * What a script gave.
     *
     * @param keys those of the last insert, as SQL Server's driver gives them: of its every row, and none if it has none
     */
    public record Ran(List<StepResult> results, List<GeneratedKeys.Key> keys) {}

    /**
     * Runs the steps in order, and stops at the first that fails.
     *
     * @param parameters by the script's {@code ?}; null for one that was never set
     */
    public Ran run(TsqlScript script, List<@Nullable Parameter> parameters) throws SQLException {
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
                return inserts.run(insert, parameters);
            }
            if (step instanceof TsqlStep.SelectIdentity select) {
                return StepResult.query(scopeIdentity(select));
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

    /** Returns the one row of SELECT SCOPE_IDENTITY(); null in it before the first identity insert. */
    private Cursor scopeIdentity(TsqlStep.SelectIdentity select) throws SQLException {
        DataType type =
                switch (select.type()) {
                    case NUMERIC ->
                        connection.settings().scopeIdentityIsDecimal() ? DataTypes.DECIMAL : DataTypes.BIGINT;
                    case BIGINT -> DataTypes.BIGINT;
                    case INT -> DataTypes.INT;
                    case SMALLINT -> DataTypes.SMALLINT;
                };
        List<@Nullable Object> row = new ArrayList<>();
        Long id = connection.lastIdentity();
        try {
            row.add(id == null ? null : new ToCql(Temporals.zone(null), ignored -> {}).convert(id, type));
        } catch (ConversionException e) {
            throw e.in("the last identity");
        }
        return new Cursor.Keys(Column.of(select.label(), type), List.of(row));
    }

    private StepResult sequences(TsqlStep step) throws SQLException {
        cancellation.writes();
        SequenceStatements statements = new SequenceStatements(session.identity(), warnings);
        if (step instanceof TsqlStep.NextValue next) {
            return StepResult.query(statements.next(next));
        }
        if (connection.transaction() != null) {
            sending.warnAtOnce("A change of a sequence");
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
        session.refuseChanges(session.plain(), step.cql());
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
            return sending.execute(session.plain(), create.setTimeout(binder.timeout()), "CREATE");
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
        if (StatementSender.reads(keyword)) {
            return asksForCompatibilityLevel(step)
                    ? StepResult.query(new Cursor.Listed(COMPATIBILITY_LEVEL, List.of()))
                    : sending.execute(target, binder.bind(target, text, parameters), keyword);
        }
        Transaction transaction = connection.transaction();
        if (transaction != null) {
            if (StatementSender.writesRows(keyword)) {
                IdentitySession.Held held = sending.forCommit(target, text, parameters);
                transaction.add(held);
                return StepResult.inserted(1, held.keys().keys());
            }
            requireOutsideTransactions(keyword);
        }
        Statement<?> statement = binder.bind(target, text, parameters);
        return isConditional(step, session)
                ? sending.executeOnce(target, statement, keyword)
                : sending.execute(target, statement, keyword);
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
        if (!StatementSender.writesRows(step.keyword())) {
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
        VersionedStatements.Conditional conditional = VersionedStatements.bind(step, write, parameters);
        if (conditional.impossible()) {
            return StepResult.written(0);
        }
        CqlSession target = target(step);
        Statement<?> statement = binder.bind(target, conditional.text(), conditional.parameters());
        if (connection.transaction() != null) {
            sending.warnAtOnce(step.keyword() + " of a versioned table");
        }
        return StepResult.written(
                sending.executeOnce(target, statement, step.keyword()).count());
    }

    private CqlSession target(TsqlStep.Cql step) throws SQLException {
        return NO_INSERTS.contains(step.keyword()) || StatementSender.reads(step.keyword())
                ? session.plain()
                : session.writing();
    }

    private void requireOutsideTransactions(String keyword) throws SQLException {
        if (keyword.equals("TRUNCATE") || keyword.equals("BEGIN")) {
            throw Unserved.feature(keyword + " cannot wait for a commit, and a rollback could not undo it: run it with"
                    + " setAutoCommit(true), or connect with transactions=immediate");
        }
        sending.warnAtOnce(keyword);
    }

    // ---- entries of a batch

    /**
     * Returns the one request that the script amounts to; empty if it is more than that, or if its order among others
     * would be lost. A plain write is stamped here, in the order of the batch.
     */
    Optional<StatementSender.Request> request(TsqlScript script, List<@Nullable Parameter> parameters)
            throws SQLException {
        if (script.steps().size() != 1 || connection.transaction() != null) {
            return Optional.empty();
        }
        TsqlStep step = script.steps().get(0);
        if (mayGiveRows(step, session)) {
            return Optional.empty();
        }
        if (step instanceof TsqlStep.Insert insert) {
            return inserts.request(insert, parameters);
        }
        if (step instanceof TsqlStep.Cql cql
                && StatementSender.writesRows(cql.keyword())
                && versioned(cql).isEmpty()) {
            CqlSession target = target(cql);
            return Optional.of(new StatementSender.Request(
                    target, sending.stamped(target, Binder.Text.of(cql), parameters), false));
        }
        return Optional.empty();
    }

    /** Returns what sends the requests. */
    StatementSender sending() {
        return sending;
    }

    void remember(StatementSender.Request request, StepResult result) {
        if (request.insert()) {
            inserts.remember(result);
        }
    }

    // ---- the check before the cutover

    /** Prepares all that the script would send; throws what it would be refused with before anything is sent. */
    public void verify(TsqlScript script) throws SQLException {
        try {
            for (TsqlStep step : script.steps()) {
                if (step instanceof TsqlStep.Cql cql) {
                    // A change of the schema means nothing until it is made.
                    if (cql.keyword().equals("SELECT") || StatementSender.writesRows(cql.keyword())) {
                        session.prepare(target(cql), cql.text());
                    }
                } else if (step instanceof TsqlStep.Insert insert) {
                    inserts.verify(insert);
                }
            }
        } catch (RuntimeException e) {
            throw SqlErrors.of(e);
        }
    }

    // ---- metadata

    /** Returns what the first step that reads will give; empty if none does. Prepares it, and runs nothing. */
    public List<Column> resultColumns(TsqlScript script) throws SQLException {
        try {
            for (TsqlStep step : script.steps()) {
                if (step instanceof TsqlStep.Cql cql && cql.keyword().equals("SELECT")) {
                    return Column.of(
                            session.prepare(session.plain(), cql.text()).getResultSetDefinitions());
                }
                if (step instanceof TsqlStep.SelectIdentity select) {
                    return scopeIdentity(select).columns();
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
    public List<Column> parameterColumns(TsqlScript script) throws SQLException {
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
                            .map(versioned -> VersionedStatements.describe(cql, versioned))
                            .orElseGet(() -> Binder.Text.of(cql));
                    binder.describe(target(cql), text, columns);
                } else if (step instanceof TsqlStep.Insert insert) {
                    inserts.describe(insert, columns);
                }
            }
            return columns.subList(0, script.parameterCount());
        } catch (RuntimeException e) {
            throw SqlErrors.of(e);
        }
    }
}
