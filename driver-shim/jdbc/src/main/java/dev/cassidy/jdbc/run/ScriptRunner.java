package dev.cassidy.jdbc.run;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import dev.cassidy.cql.GeneratedKeys;
import dev.cassidy.definition.Reservations;
import dev.cassidy.jdbc.assist.SessionLanguage;
import dev.cassidy.jdbc.error.SameError;
import dev.cassidy.jdbc.error.SqlErrors;
import dev.cassidy.jdbc.error.SqlStates;
import dev.cassidy.jdbc.error.Unserved;
import dev.cassidy.jdbc.error.Warnings;
import dev.cassidy.jdbc.plan.Plan;
import dev.cassidy.jdbc.plan.StatementPlan;
import dev.cassidy.jdbc.session.ReadPath;
import dev.cassidy.jdbc.session.SharedSession;
import dev.cassidy.jdbc.session.Tables;
import dev.cassidy.jdbc.session.UnreadDeclarations;
import dev.cassidy.jdbc.value.Column;
import dev.cassidy.jdbc.value.ConversionException;
import dev.cassidy.jdbc.value.DateOrder;
import dev.cassidy.jdbc.value.Parameter;
import dev.cassidy.jdbc.value.Temporals;
import dev.cassidy.jdbc.value.ToCql;
import dev.cassidy.lwt.ConditionalStatements;
import dev.cassidy.table.AddedColumns;
import dev.cassidy.tsql.TsqlScript;
import dev.cassidy.tsql.TsqlStep;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Runs the steps of scripts, in order, for the executions of one statement. */
public final class ScriptRunner {

    /** What is to be dropped was perhaps dropped before, by a try that ended before its answer came. */
    private static final Set<String> GONE = Set.of(SqlStates.NO_COLUMN, SqlStates.NO_TABLE);

    /** As SQL Server names what SET SHOWPLAN_TEXT shows. */
    private static final Column STATEMENT_TEXT = Column.of("StmtText", DataTypes.TEXT);

    private final ConnectionState connection;
    private final SharedSession session;
    private final Tables tables;
    private final Consumer<SQLWarning> warnings;
    private final Cancellation cancellation;
    private final StatementSender sender;
    private final Binder binder;
    private final KeyRequest keyRequest;

    // Made when they are needed: most runs need one of them.
    private @Nullable CqlSteps cqlSteps;
    private @Nullable AssistedReads assisted;
    private @Nullable AssistedWrites assistedWrites;
    private @Nullable CountedWrites countedWrites;
    private @Nullable Inserts inserts;
    private @Nullable Definitions definitions;

    /**
     * A runner for the executions of one statement.
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
        this.tables = session.tables();
        this.warnings = warnings;
        this.cancellation = cancellation;
        this.keyRequest = keyRequest;
        this.binder = new Binder(session, connection::dateOrder, pageSize, timeout, warnings, cancellation);
        this.sender = new StatementSender(connection, session, tables, binder, warnings, cancellation);
    }

    /** Returns whether the runner was made for these; it keeps nothing of one run for the next. */
    public boolean isFor(SharedSession other, int pageSize, @Nullable Duration timeout, KeyRequest request) {
        return session == other
                && binder.pageSize() == pageSize
                && Objects.equals(binder.timeout(), timeout)
                && keyRequest.equals(request);
    }

    private CqlSteps cqlSteps() {
        CqlSteps known = cqlSteps;
        if (known == null) {
            known = new CqlSteps(connection, session, tables, binder, keyRequest, sender, cancellation);
            cqlSteps = known;
        }
        return known;
    }

    private AssistedReads assistedReads() {
        AssistedReads known = assisted;
        if (known == null) {
            known = new AssistedReads(connection, session, tables, cqlSteps(), binder, cancellation);
            assisted = known;
        }
        return known;
    }

    private AssistedWrites assistedWrites() {
        AssistedWrites known = assistedWrites;
        if (known == null) {
            known = new AssistedWrites(
                    connection, session, tables, cqlSteps(), inserts(), binder, sender, cancellation, System::nanoTime);
            assistedWrites = known;
        }
        return known;
    }

    private CountedWrites countedWrites() {
        CountedWrites known = countedWrites;
        if (known == null) {
            known = new CountedWrites(
                    connection,
                    session,
                    tables,
                    cqlSteps(),
                    assistedReads(),
                    assistedWrites(),
                    binder,
                    sender,
                    cancellation);
            countedWrites = known;
        }
        return known;
    }

    private Inserts inserts() {
        Inserts known = inserts;
        if (known == null) {
            known = new Inserts(
                    connection, session, tables, binder, keyRequest, warnings, sender, InstantSource.system());
            inserts = known;
        }
        return known;
    }

    private Definitions definitions() {
        Definitions known = definitions;
        if (known == null) {
            known = new Definitions(connection, session, tables, binder, warnings, cancellation, sender);
            definitions = known;
        }
        return known;
    }

    /** Returns whether the step may return rows; yes if only the run decides. */
    public static boolean mayGiveRows(TsqlStep step, SharedSession session) {
        if (step.outcome() == TsqlStep.Outcome.ROWS) {
            return true;
        }
        if (step instanceof TsqlStep.Cql cql) {
            return cql.keyword().equals("BEGIN") || CqlPlanner.isConditional(cql, session);
        }
        if (step instanceof TsqlStep.Later later) {
            return later.read().isEmpty() || later.read().stream().anyMatch(each -> mayGiveRows(each, session));
        }
        return step instanceof TsqlStep.Insert insert
                && insert.rows().get(0).insert().isConditional();
    }

    /**
     * The results of a script.
     *
     * @param keys those of the last insert, as in SQL Server's driver: one for each of its rows, none if it has none
     */
    public record Ran(List<StepResult> results, List<GeneratedKeys.Key> keys) {}

    /**
     * Runs the steps in order, and stops at the first that fails.
     *
     * @param parameters by the script's {@code ?}; null for one that was never set
     */
    public Ran run(TsqlScript script, List<@Nullable Parameter> parameters) throws SQLException {
        Run run = new Run(script, parameters);
        for (TsqlStep step : script.steps()) {
            cancellation.requireGoingOn();
            try {
                run.next(step);
            } catch (SQLException | RuntimeException e) {
                throw run.withWhatStays(told(step, e));
            }
        }
        return new Ran(run.results, run.keys);
    }

    private SQLException told(TsqlStep step, Exception failure) {
        Exception found = failure instanceof UnreadDeclarations unread ? unread.error() : failure;
        SQLException error = SyntaxErrors.told(SqlErrors.of(found, session.commandLines()), step, session);
        if (Unserved.isRefusal(error)) {
            connection.figures().count(Plan.Kind.REFUSED);
        }
        return error;
    }

    /** One run of a script. A step returns its result, or nothing if it shows none. */
    private final class Run implements TsqlStep.Visitor<Optional<StepResult>, SQLException> {

        private final List<StepResult> results;

        /** Those of the statement that is read again while it runs; otherwise those of the script. */
        private List<@Nullable Parameter> parameters;

        /** The rows that inserts wrote INTO table variables, by the indexes of their steps. */
        private @Nullable Map<Integer, StepResult> outputs;

        /** The sequences that the script has restarted. */
        private @Nullable Set<String> raised;

        /** Takes back what was declared for the next statement, should the server refuse that one. */
        private @Nullable Runnable takingBack;

        private List<GeneratedKeys.Key> keys = List.of();
        private boolean countsHidden;
        private int index;

        /** How many of the next steps do not run, because the condition of their IF does not hold. */
        private int skipped;

        /** How many steps have written, or changed tables. */
        private int changed;

        /** Null if the script has none. */
        private final @Nullable VariableValues variables;

        /** How many rows the assignment had that has run last. */
        private long assigned;

        Run(TsqlScript script, List<@Nullable Parameter> parameters) {
            this.variables = script.variables().isEmpty()
                    ? null
                    : new VariableValues(
                            script,
                            parameters,
                            lastOnes(),
                            (value, type, name) -> assistedReads().cast(value, type, name),
                            warnings);
            this.parameters = variables == null ? parameters : variables.parameters();
            this.results = new ArrayList<>(script.steps().size());
        }

        private Set<String> raised() {
            Set<String> known = raised;
            if (known == null) {
                known = new HashSet<>();
                raised = known;
            }
            return known;
        }

        void next(TsqlStep step) throws SQLException {
            if (skipped > 0) {
                skipped--;
                index++;
                return;
            }
            show(step);
            index++;
        }

        /** What an error says of its statement, such as that nothing was written, is not true of those before it. */
        SQLException withWhatStays(SQLException error) {
            // Of a cancelled script it is said already.
            return changed == 0 || SqlStates.CANCELLED.equals(error.getSQLState())
                    ? error
                    : SameError.andAlso(
                            error,
                            "Of the script, "
                                    + (changed == 1 ? "one statement" : changed + " statements")
                                    + " before it ran: what was changed "
                                    + (connection.transaction() == null ? "stays" : "waits for commit or rollback"));
        }

        private void show(TsqlStep step) throws SQLException {
            long count = 0;
            Optional<StepResult> shown;
            try {
                if (variables != null) {
                    variables.before(step);
                }
                shown = step.accept(this);
                if (!(step instanceof TsqlStep.Later)) {
                    connection.figures().count(kind(step, shown));
                    changed += StepPlanner.changes(step) ? 1 : 0;
                }
                count = step instanceof TsqlStep.Later ? connection.rowCount() : rowCount(step, shown);
            } finally {
                // After an error it is 0, as in SQL Server.
                connection.rowCount(count);
            }
            if (shown.isPresent()) {
                StepResult result = shown.get();
                results.add(countsHidden && !result.isQuery() ? result.withCountHidden() : result);
            }
        }

        private static Plan.Kind kind(TsqlStep step, Optional<StepResult> shown) {
            return shown.filter(StepResult::inClient).isPresent() ? Plan.Kind.ASSISTED : StepPlanner.kind(step);
        }

        /** Returns what {@code @@ROWCOUNT} is after a step; a setting makes it 0, as in SQL Server. */
        private long rowCount(TsqlStep step, Optional<StepResult> shown) {
            if (step instanceof TsqlStep.AssignValue || step instanceof TsqlStep.AssignRows) {
                return assigned;
            }
            if (step instanceof TsqlStep.Insert insert) {
                return shown.filter(result -> result.count() == 0).isPresent()
                        ? 0
                        : insert.rows().size();
            }
            if (step instanceof TsqlStep.AssistedWrite write && write.output()) {
                return shown.map(StepResult::rows)
                        .filter(Cursor.Listed.class::isInstance)
                        .map(rows -> ((Cursor.Listed) rows).size())
                        .orElse(0);
            }
            boolean oneRow = step instanceof TsqlStep.SelectIdentity
                    || step instanceof TsqlStep.SelectValues
                    || step instanceof TsqlStep.NextValue
                    || step instanceof TsqlStep.SelectRowCount;
            return oneRow ? 1 : shown.map(StepResult::count).orElse(0L);
        }

        @Override
        public Optional<StepResult> cql(TsqlStep.Cql step) throws SQLException {
            boolean drops = step.keyword().equals("DROP") || step.keyword().equals("ALTER");
            if (drops) {
                definitions().requireNoConstraint(step.text());
                definitions().requireExactStill(step);
                definitions().completeBeforeDrop(step.text());
            }
            Optional<TsqlStep.CreateTable> table =
                    step.keyword().equals("CREATE") ? definitions().exactTable(step) : Optional.empty();
            if (table.isPresent()) {
                return Optional.of(definitions().createTable(table.get()));
            }
            List<Reservations> reserved = drops ? definitions().reservations().of(step.text()) : List.of();
            Runnable onRefusal = takingBack;
            takingBack = null;
            StepResult result;
            try {
                result = step.written() == null
                        ? cqlSteps().run(step, parameters)
                        : step.reads()
                                ? assistedReads().run(step, step.written(), parameters)
                                : assistedWrites().run(step, step.written(), parameters);
            } catch (SQLException e) {
                if (onRefusal != null
                        && e.getCause() != null
                        && ConditionalStatements.certainlyNotExecuted(e.getCause())) {
                    onRefusal.run();
                }
                if (drops && GONE.contains(String.valueOf(e.getSQLState()))) {
                    definitions().forgetDroppedBefore(step.text());
                }
                throw e;
            }
            if (step.keyword().equals("TRUNCATE")
                    && definitions().reservations().truncateOf(step.text())) {
                result = cqlSteps().run(step, parameters);
            }
            if (drops) {
                definitions().forgetDropped(step.text());
                definitions().reservations().dropOf(step.text(), reserved);
            }
            return Optional.of(result);
        }

        @Override
        public Optional<StepResult> assisted(TsqlStep.Assisted step) throws SQLException {
            return Optional.of(assistedReads().run(step, parameters));
        }

        @Override
        public Optional<StepResult> assistedWrite(TsqlStep.AssistedWrite step) throws SQLException {
            StepResult result = assistedWrites().run(step, parameters);
            keys = result.keys();
            return Optional.of(result);
        }

        @Override
        public Optional<StepResult> count(TsqlStep.Count step) throws SQLException {
            return Optional.of(countedWrites().run(step, parameters));
        }

        @Override
        public Optional<StepResult> insert(TsqlStep.Insert step) throws SQLException {
            StepResult result = inserts().run(step, parameters);
            keys = result.keys();
            if (!step.outputKept()) {
                return Optional.of(result);
            }
            if (outputs == null) {
                outputs = new HashMap<>();
            }
            outputs.put(index, StepResult.query(Objects.requireNonNull(result.rows()), step.selection()));
            return Optional.of(StepResult.inserted(result.count(), result.keys()));
        }

        /** Only now the tables are those that the definitions before it have made. Its steps show what they show. */
        @Override
        public Optional<StepResult> later(TsqlStep.Later step) throws SQLException {
            TsqlScript read =
                    CurrentDays.of(ScriptParser.parseToRun(step.text(), connection), tables, InstantSource.system());
            List<@Nullable Parameter> ofScript = parameters;
            int first = step.firstParameter();
            parameters = ofScript.subList(first, first + read.parameterCount());
            try {
                for (TsqlStep each : read.steps()) {
                    show(each);
                }
            } finally {
                parameters = ofScript;
            }
            return Optional.empty();
        }

        @Override
        public Optional<StepResult> selectOutput(TsqlStep.SelectOutput step) {
            return Optional.of(
                    Objects.requireNonNull(Objects.requireNonNull(outputs).get(step.insert())));
        }

        @Override
        public Optional<StepResult> selectIdentity(TsqlStep.SelectIdentity step) throws SQLException {
            return Optional.of(StepResult.query(scopeIdentity(step)));
        }

        @Override
        public Optional<StepResult> nextValue(TsqlStep.NextValue step) throws SQLException {
            return Optional.of(definitions().nextValue(step));
        }

        @Override
        public Optional<StepResult> selectRowCount(TsqlStep.SelectRowCount step) throws SQLException {
            long count = connection.rowCount();
            if (count < 0) {
                throw Unserved.feature("@@ROWCOUNT after a SELECT is not served: its rows are fetched as they are read;"
                        + " count them while you read them, or run SELECT COUNT(*)");
            }
            return Optional.of(
                    StepResult.query(new Cursor.Keys(column(step), List.of(List.of(Math.toIntExact(count))))));
        }

        @Override
        public Optional<StepResult> selectValues(TsqlStep.SelectValues step) throws SQLException {
            return Optional.of(StepResult.query(variables().select(step)));
        }

        @Override
        public Optional<StepResult> assignValue(TsqlStep.AssignValue step) throws SQLException {
            variables().assign(step);
            assigned = 1;
            return Optional.empty();
        }

        @Override
        public Optional<StepResult> assignRows(TsqlStep.AssignRows step) throws SQLException {
            StepResult found = step.query().accept(this).orElseThrow();
            assigned = variables().assign(step, VariableValues.rows(found));
            return Optional.empty();
        }

        private VariableValues variables() {
            return Objects.requireNonNull(variables, "the script has no variables");
        }

        @Override
        public Optional<StepResult> schemaView(TsqlStep.SchemaView step) throws SQLException {
            return Optional.of(StepResult.query(new SchemaViews(session).rows(step.query(), parameters)));
        }

        @Override
        public Optional<StepResult> tableColumns(TsqlStep.TableColumns step) throws SQLException {
            return Optional.of(StepResult.query(new TableProcedures(session).columns(step)));
        }

        @Override
        public Optional<StepResult> tableHelp(TsqlStep.TableHelp step) throws SQLException {
            return Optional.of(StepResult.query(new TableProcedures(session).help(step)));
        }

        @Override
        public Optional<StepResult> setIdentityInsert(TsqlStep.SetIdentityInsert step) throws SQLException {
            definitions().setIdentityInsert(step);
            return Optional.empty();
        }

        @Override
        public Optional<StepResult> checkIdentity(TsqlStep.CheckIdentity step) throws SQLException {
            return Optional.of(definitions().checkIdentity(step, raised()));
        }

        @Override
        public Optional<StepResult> createSequence(TsqlStep.CreateSequence step) throws SQLException {
            return Optional.of(definitions().createSequence(step));
        }

        @Override
        public Optional<StepResult> restartSequence(TsqlStep.RestartSequence step) throws SQLException {
            return Optional.of(definitions().restartSequence(step, raised()));
        }

        @Override
        public Optional<StepResult> dropSequence(TsqlStep.DropSequence step) throws SQLException {
            return Optional.of(definitions().dropSequence(step));
        }

        @Override
        public Optional<StepResult> createTable(TsqlStep.CreateTable step) throws SQLException {
            return Optional.of(definitions().createTable(step));
        }

        @Override
        public Optional<StepResult> addColumns(TsqlStep.AddColumns step) throws SQLException {
            Optional<AddedColumns> declared = definitions().addColumns(step);
            // Without columns no statement follows that the server could refuse.
            takingBack = declared.isEmpty() || step.columns().isEmpty()
                    ? null
                    : () -> definitions().takeBack(step, declared.get());
            return Optional.empty();
        }

        @Override
        public Optional<StepResult> alterColumn(TsqlStep.AlterColumn step) throws SQLException {
            definitions().alterColumn(step);
            return Optional.empty();
        }

        @Override
        public Optional<StepResult> addDefaults(TsqlStep.AddDefaults step) throws SQLException {
            definitions().addDefaults(step);
            return Optional.empty();
        }

        @Override
        public Optional<StepResult> dropConstraints(TsqlStep.DropConstraints step) throws SQLException {
            definitions().dropConstraints(step);
            return Optional.empty();
        }

        @Override
        public Optional<StepResult> switchConstraints(TsqlStep.SwitchConstraints step) throws SQLException {
            definitions().switchConstraints(step);
            return Optional.empty();
        }

        @Override
        public Optional<StepResult> leftOut(TsqlStep.LeftOut step) {
            warnings.accept(Warnings.general("Cassandra does not keep it, and it was left out: " + step.what()));
            return Optional.empty();
        }

        @Override
        public Optional<StepResult> ifHolds(TsqlStep.IfHolds step) throws SQLException {
            if (!assistedReads().holds(step, parameters)) {
                skipped = step.steps();
            }
            return Optional.empty();
        }

        @Override
        public Optional<StepResult> otherwise(TsqlStep.Otherwise step) {
            skipped = step.steps();
            return Optional.empty();
        }

        @Override
        public Optional<StepResult> ifExists(TsqlStep.IfExists step) throws SQLException {
            skipped = definitions().exists(step.object()) == step.exists() ? 0 : step.steps();
            return Optional.empty();
        }

        @Override
        public Optional<StepResult> createIndex(TsqlStep.CreateIndex step) throws SQLException {
            return Optional.of(definitions().createIndex(step));
        }

        @Override
        public Optional<StepResult> dropIndex(TsqlStep.DropIndex step) throws SQLException {
            return Optional.of(definitions().dropIndex(step));
        }

        @Override
        public Optional<StepResult> setNoCount(TsqlStep.SetNoCount step) {
            countsHidden = step.on();
            return Optional.empty();
        }

        @Override
        public Optional<StepResult> setIsolation(TsqlStep.SetIsolation step) {
            connection.isolation(step.level());
            return Optional.empty();
        }

        @Override
        public Optional<StepResult> setDateOrder(TsqlStep.SetDateOrder step) {
            connection.dateOrder(DateOrder.valueOf(step.order().toUpperCase(Locale.ROOT)));
            return Optional.empty();
        }

        @Override
        public Optional<StepResult> setLanguage(TsqlStep.SetLanguage step) {
            connection.dateOrder(DateOrder.valueOf(step.order().toUpperCase(Locale.ROOT)));
            SessionLanguage.Names names =
                    switch (step.name()) {
                        case "us_english", "english" -> SessionLanguage.Names.US_ENGLISH;
                        case "british", "british english" -> SessionLanguage.Names.BRITISH;
                        default -> SessionLanguage.Names.OTHER;
                    };
            connection.language(connection.language().withNames(names).withFirstDay(step.firstDay()));
            return Optional.empty();
        }

        @Override
        public Optional<StepResult> setFirstDay(TsqlStep.SetFirstDay step) {
            connection.language(connection.language().withFirstDay(step.day()));
            return Optional.empty();
        }

        @Override
        public Optional<StepResult> showPlans(TsqlStep.ShowPlans step) {
            connection.showPlans(step.on());
            return Optional.empty();
        }

        @Override
        public Optional<StepResult> planOf(TsqlStep.PlanOf step) throws SQLException {
            return Optional.of(StepResult.query(new Cursor.Listed(
                    List.of(STATEMENT_TEXT),
                    plan(step.sql()).lines().stream()
                            .map(List::<@Nullable Object>of)
                            .toList())));
        }

        @Override
        public Optional<StepResult> print(TsqlStep.Print step) {
            warnings.accept(Warnings.general(step.text()));
            return Optional.empty();
        }

        @Override
        public Optional<StepResult> use(TsqlStep.Use step) throws SQLException {
            connection.use(CqlIdentifier.fromInternal(step.keyspace()));
            return Optional.of(StepResult.written(0));
        }

        @Override
        public Optional<StepResult> ignored(TsqlStep.Ignored step) {
            warnings.accept(Warnings.general("Has no effect in Cassandra and was left out: " + step.text()));
            return Optional.empty();
        }
    }

    private static Column column(TsqlStep.SelectRowCount step) {
        return Column.of(step.label(), DataTypes.INT);
    }

    /**
     * Returns the one row of SELECT SCOPE_IDENTITY(); it contains null before the first identity insert, and after a key that
     * DEFAULT NEXT VALUE FOR or NEXT VALUE FOR gave: as in SQL Server, that is no identity.
     */
    private Cursor scopeIdentity(TsqlStep.SelectIdentity select) throws SQLException {
        DataType type =
                switch (select.type()) {
                    case NUMERIC -> DataTypes.DECIMAL;
                    case BIGINT -> DataTypes.BIGINT;
                    case INT -> DataTypes.INT;
                    case SMALLINT -> DataTypes.SMALLINT;
                };
        List<@Nullable Object> row = new ArrayList<>();
        Long id = lastIdentity();
        try {
            row.add(id == null ? null : new ToCql(Temporals.zone(null), ignored -> {}).convert(id, type));
        } catch (ConversionException e) {
            throw e.in("the last identity");
        }
        return new Cursor.Keys(Column.of(select.label(), type), List.of(row));
    }

    private @Nullable Long lastIdentity() throws SQLException {
        GeneratedKeys.Key key = connection.lastKey();
        return key != null && isIdentity(key) ? (Long) key.id() : null;
    }

    private VariableValues.Known lastOnes() {
        return new VariableValues.Known() {
            @Override
            public long rowCount() {
                return connection.rowCount();
            }

            @Override
            public @Nullable Long lastIdentity() throws SQLException {
                return ScriptRunner.this.lastIdentity();
            }
        };
    }

    private boolean isIdentity(GeneratedKeys.Key key) throws SQLException {
        return session.identityColumn(key.keyspace(), key.table())
                .filter(key.column()::equals)
                .isPresent();
    }

    // ---- entries of a batch

    /**
     * Returns the one write that the script consists of; empty if it needs more than that, or if its order among
     * others would be lost. A plain write gets its timestamp here, in the order of the batch.
     */
    Optional<EntryWrite> request(TsqlScript script, List<@Nullable Parameter> parameters) throws SQLException {
        if (script.steps().size() != 1 || !script.variables().isEmpty() || connection.transaction() != null) {
            return Optional.empty();
        }
        TsqlStep step = script.steps().get(0);
        if (mayGiveRows(step, session)) {
            return Optional.empty();
        }
        Optional<EntryWrite> request = Optional.empty();
        if (step instanceof TsqlStep.Insert insert) {
            request = inserts().request(insert, parameters);
        } else if (step instanceof TsqlStep.Cql cql) {
            request = request(cql, parameters);
        }
        if (request.filter(StatementSender.Request.class::isInstance).isPresent()) {
            connection.figures().count(Plan.Kind.DIRECT);
        }
        return request;
    }

    private Optional<EntryWrite> request(TsqlStep.Cql step, List<@Nullable Parameter> parameters) throws SQLException {
        if (step.written() == null || !connection.settings().assists()) {
            return cqlSteps().request(step, parameters);
        }
        if (session.statements().assisted(step.written()).get()) {
            return Optional.empty();
        }
        try {
            return cqlSteps().request(step, parameters);
        } catch (SQLException | RuntimeException e) {
            if (!Unserved.isRefusal(SqlErrors.of(e, session.commandLines()))) {
                throw e;
            }
            // It runs by itself, where it may be served in the client.
            return Optional.empty();
        }
    }

    /** Returns what sends the requests. */
    StatementSender sender() {
        return sender;
    }

    void remember(StatementSender.Request request, StepResult result) {
        connection.rowCount(result.count());
        if (request.insert()) {
            inserts().remember(result);
        }
    }

    /** To be called in the order of the entries: the connection knows the last count, and the last key. */
    void remember(RowEntry entry, StepResult result) {
        connection.figures().count(StepPlanner.kind(entry.step()));
        connection.rowCount(result.count());
        if (entry.step() instanceof TsqlStep.Insert) {
            inserts().remember(result);
        }
    }

    /** Returns the error of an entry, as the statement alone would have it. */
    SQLException failed(RowEntry entry, Exception failure) {
        connection.rowCount(0);
        return told(entry.step(), failure);
    }

    // ---- plans

    /** As {@link #plan(String)}, of a statement that was read; what this connection says of costs is left out. */
    public List<Plan> plans(TsqlScript script) throws SQLException {
        return plans(script, false);
    }

    private List<Plan> plans(TsqlScript script, boolean judgesCosts) throws SQLException {
        return planner(judgesCosts).plans(script);
    }

    private StepPlanner planner(boolean judgesCosts) {
        return new StepPlanner(
                session,
                cqlSteps(),
                assistedReads(),
                assistedWrites(),
                countedWrites(),
                inserts(),
                definitions(),
                judgesCosts);
    }

    /**
     * Returns how a statement is served. Prepares what it would send, and runs nothing.
     *
     * @throws SQLException for what says nothing of the statement, such as a lost connection
     */
    public StatementPlan plan(String sql) throws SQLException {
        try {
            return new StatementPlan(
                    sql,
                    plans(
                            CurrentDays.of(ScriptParser.parseToRun(sql, connection), tables, InstantSource.system()),
                            true));
        } catch (SQLException e) {
            if (StepPlanner.isOfTheCluster(e)) {
                throw e;
            }
            return new StatementPlan(sql, List.of(StepPlanner.refused(SyntaxErrors.whole(e, sql, session))));
        }
    }

    /** Returns the plans by which the script's queries read; of what is evaluated in the client, those of its reads. */
    public List<ReadPath> readPaths(TsqlScript script) throws SQLException {
        List<ReadPath> paths = new ArrayList<>();
        StepPlanner planner = planner(false);
        for (TsqlStep step : script.asRead()) {
            boolean isOfRows = step instanceof TsqlStep.Cql cql && !cql.defines();
            if (isOfRows || step instanceof TsqlStep.Assisted || step instanceof TsqlStep.AssistedWrite) {
                if (planner.plan(step) instanceof Plan.Assisted assisted) {
                    assisted.reads()
                            .forEach(read ->
                                    cqlSteps().path(AssistedRows.step(read)).ifPresent(paths::add));
                } else if (step instanceof TsqlStep.Cql cql) {
                    cqlSteps().path(cql).ifPresent(paths::add);
                }
            }
        }
        return paths;
    }

    // ---- metadata

    /** Returns what the columns of {@link #resultColumns} are, as far as the statement tells; null otherwise. */
    public static TsqlStep.@Nullable Selection selection(TsqlScript script) {
        for (TsqlStep step : script.steps()) {
            if (step.outcome() == TsqlStep.Outcome.ROWS) {
                TsqlStep described = step instanceof TsqlStep.SelectOutput output
                        ? script.steps().get(output.insert())
                        : step;
                return described instanceof TsqlStep.Cql cql
                        ? cql.selection()
                        : described instanceof TsqlStep.Insert insert ? insert.selection() : null;
            }
        }
        return null;
    }

    /**
     * Returns what the first step that reads will return; empty if there is none, or if only the run decides. Prepares it, and
     * runs nothing.
     */
    public List<Column> resultColumns(TsqlScript script) throws SQLException {
        try {
            for (TsqlStep step : script.steps()) {
                if (step instanceof TsqlStep.Later && step.outcome() == TsqlStep.Outcome.ROWS) {
                    // Of the tables as they will be.
                    return List.of();
                }
                if (step instanceof TsqlStep.Cql cql && cql.keyword().equals("SELECT")) {
                    return assistedReads().resultColumns(cql);
                }
                if (step instanceof TsqlStep.Assisted select) {
                    return assistedReads().resultColumns(select);
                }
                if (step instanceof TsqlStep.AssistedWrite write && write.output()) {
                    // What OUTPUT shows is read with the rows.
                    return List.of();
                }
                if (step instanceof TsqlStep.SchemaView view) {
                    return new SchemaViews(session).columns(view.query());
                }
                if (step instanceof TsqlStep.TableColumns) {
                    return TableProcedures.columnsOfColumns();
                }
                if (step instanceof TsqlStep.TableHelp help) {
                    return TableProcedures.columnsOfHelp(help.part());
                }
                if (step instanceof TsqlStep.SelectIdentity select) {
                    return scopeIdentity(select).columns();
                }
                if (step instanceof TsqlStep.NextValue next) {
                    return List.of(definitions().column(next));
                }
                if (step instanceof TsqlStep.SelectRowCount count) {
                    return List.of(column(count));
                }
                if (step instanceof TsqlStep.SelectValues values) {
                    return VariableValues.columns(values);
                }
                if (step instanceof TsqlStep.PlanOf) {
                    return List.of(STATEMENT_TEXT);
                }
                if (step instanceof TsqlStep.Insert insert && !insert.output().isEmpty()) {
                    return new OutputClause(insert, tables, connection.dateOrder(), List.of()).columns();
                }
            }
            return List.of();
        } catch (RuntimeException e) {
            throw SqlErrors.of(e, session.commandLines());
        }
    }

    private void describe(TsqlStep.Cql step, List<Column> columns) throws SQLException {
        if (step.written() == null || step.reads()) {
            assistedReads().describe(step, columns);
        } else {
            assistedWrites().describe(step, step.written(), columns);
        }
    }

    /** Returns the parameters of the script, in its own order. Prepares statements that have any, and runs nothing. */
    public List<Column> parameterColumns(TsqlScript script) throws SQLException {
        List<Column> columns = new ArrayList<>(
                Collections.nCopies(script.allParameters() + script.maxDraws(), Column.of("", DataTypes.TEXT)));
        try {
            for (TsqlStep each : script.steps()) {
                TsqlStep step = each instanceof TsqlStep.AssignRows rows ? rows.query() : each;
                if (step instanceof TsqlStep.Cql cql) {
                    describe(cql, columns);
                } else if (step instanceof TsqlStep.Insert insert) {
                    inserts().describe(insert, columns);
                } else if (step instanceof TsqlStep.Count count) {
                    countedWrites().describe(count, columns);
                }
            }
            return columns.subList(0, script.parameterCount());
        } catch (RuntimeException e) {
            throw SqlErrors.of(e, session.commandLines());
        }
    }
}
