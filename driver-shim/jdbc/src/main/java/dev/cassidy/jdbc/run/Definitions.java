package dev.cassidy.jdbc.run;

import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.uuid.Uuids;
import dev.cassidy.cql.ColumnRule;
import dev.cassidy.cql.IdentitySession;
import dev.cassidy.definition.ColumnDefinition;
import dev.cassidy.definition.ConstraintDefinition;
import dev.cassidy.definition.CountMark;
import dev.cassidy.definition.Reservations;
import dev.cassidy.definition.RowMark;
import dev.cassidy.definition.SqlType;
import dev.cassidy.definition.TableDefinition;
import dev.cassidy.definition.Twin;
import dev.cassidy.definition.UniqueKey;
import dev.cassidy.insert.CheckExpression;
import dev.cassidy.insert.CqlInsert;
import dev.cassidy.insert.Identifiers;
import dev.cassidy.insert.Identity;
import dev.cassidy.insert.TableName;
import dev.cassidy.insert.Tokens;
import dev.cassidy.jdbc.error.SqlErrors;
import dev.cassidy.jdbc.error.SqlServerErrors;
import dev.cassidy.jdbc.error.Unserved;
import dev.cassidy.jdbc.error.Warnings;
import dev.cassidy.jdbc.session.SharedSession;
import dev.cassidy.jdbc.session.Tables;
import dev.cassidy.jdbc.value.Column;
import dev.cassidy.lwt.ConditionalStatements;
import dev.cassidy.remedy.Remedy;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.cassandra.InternalAccess;
import dev.cassidy.table.AddedColumns;
import dev.cassidy.table.ColumnDefault;
import dev.cassidy.table.Declared;
import dev.cassidy.table.TableDeclaration;
import dev.cassidy.table.TableWrites;
import dev.cassidy.tsql.DeclaredDefault;
import dev.cassidy.tsql.DeclaredIdentity;
import dev.cassidy.tsql.Dropped;
import dev.cassidy.tsql.SchemaObject;
import dev.cassidy.tsql.TsqlStep;
import dev.cassidy.tsql.WritesClause;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Runs statements that define sequences and tables with identities, and those that inspect them. */
final class Definitions {

    private final ConnectionState connection;
    private final SharedSession session;
    private final Tables tables;
    private final Binder binder;
    private final Consumer<SQLWarning> warnings;
    private final Cancellation cancellation;
    private final StatementSender sender;

    Definitions(
            ConnectionState connection,
            SharedSession session,
            Tables tables,
            Binder binder,
            Consumer<SQLWarning> warnings,
            Cancellation cancellation,
            StatementSender sender) {
        this.connection = connection;
        this.session = session;
        this.tables = tables;
        this.binder = binder;
        this.warnings = warnings;
        this.cancellation = cancellation;
        this.sender = sender;
    }

    private CountedDefinitions counted() {
        return new CountedDefinitions(tables);
    }

    // ---- indexes

    StepResult createIndex(TsqlStep.CreateIndex step) throws SQLException {
        counted().refuseIndex(step);
        if (connection.transaction() != null) {
            sender.requireOutsideTransactions("CREATE");
        }
        if (step.unique() != null && addUnique(step, step.unique())) {
            return StepResult.written(0);
        }
        return indexes().create(step);
    }

    StepResult dropIndex(TsqlStep.DropIndex step) throws SQLException {
        if (connection.transaction() != null) {
            sender.requireOutsideTransactions("DROP");
        }
        List<UniqueKey> unique = reservations().uniqueKeys(step.table()).stream()
                .filter(each -> each.isIndex() && each.name().equalsIgnoreCase(step.name()))
                .toList();
        if (unique.isEmpty()) {
            return indexes().drop(step);
        }
        dropConstraints(new TsqlStep.DropConstraints(step.table(), List.of(step.name()), false, step.name()));
        return StepResult.written(0);
    }

    /** Throws the error with which the index would be refused. */
    void verify(TsqlStep.CreateIndex step) throws SQLException {
        counted().refuseIndex(step);
        indexes().verify(step);
    }

    private Indexes indexes() {
        TwinsBeside twins = new TwinsBeside(session, tables, binder, cancellation, rights());
        return new Indexes(session, binder, warnings, cancellation, sender, twins, System::nanoTime);
    }

    // ---- what is the user's right

    private UserRights rights() {
        return new UserRights(session, cancellation, binder.timeout());
    }

    private String keyspace(CqlInsert.Table named) throws SQLException {
        return SequenceStatements.keyspace(session.plain(), named.keyspace());
    }

    // ---- sequences

    private SequenceStatements sequences() throws SQLException {
        return new SequenceStatements(session.identity(), warnings);
    }

    StepResult nextValue(TsqlStep.NextValue step) throws SQLException {
        cancellation.writes();
        return StepResult.query(sequences().next(step));
    }

    /** Returns the column of {@code SELECT NEXT VALUE FOR}; draws nothing. */
    Column column(TsqlStep.NextValue step) throws SQLException {
        return Column.of(step.label(), sequences().type(step.sequence()));
    }

    /** Returns the statements that change a sequence, at once and in a transaction too. */
    private SequenceStatements changes() throws SQLException {
        cancellation.writes();
        SequenceStatements statements = sequences();
        if (connection.transaction() != null) {
            sender.warnAtOnce("A change of a sequence");
        }
        return statements;
    }

    StepResult createSequence(TsqlStep.CreateSequence step) throws SQLException {
        UserRights.Proof proof = rights().toCreateSequence(
                        keyspace(step.sequence()), step.sequence().name());
        changes().create(step, proof);
        return StepResult.written(0);
    }

    /** @param raised the sequences that the script has restarted, to which this one is added */
    StepResult restartSequence(TsqlStep.RestartSequence step, Set<String> raised) throws SQLException {
        String keyspace = keyspace(step.sequence());
        String name = step.sequence().name();
        UserRights.Proof proof =
                rights().toRestartSequence(keyspace, name, sequences().identities(keyspace + "." + name));
        changes().restart(step, raised, proof);
        return StepResult.written(0);
    }

    StepResult dropSequence(TsqlStep.DropSequence step) throws SQLException {
        UserRights.Proof proof = rights().toDropSequence(
                        keyspace(step.sequence()), step.sequence().name());
        changes().drop(step, new StoredTables(session), proof);
        return StepResult.written(0);
    }

    /** @param raised as in {@link #restartSequence} */
    StepResult checkIdentity(TsqlStep.CheckIdentity step, Set<String> raised) throws SQLException {
        Optional<Identity> identity = identity(step.table());
        UserRights.@Nullable Proof proof = step.reseed() == null || identity.isEmpty()
                ? null
                : rights().toReseed(
                                keyspace(step.table()),
                                step.table().name(),
                                identity.get().sequence());
        changes().checkIdentity(step, identity, tables.qualified(step.table()), raised, proof);
        return StepResult.written(0);
    }

    // ---- tables

    StepResult createTable(TsqlStep.CreateTable given) throws SQLException {
        boolean isInstalled = session.writing() instanceof IdentitySession;
        WritesClause said =
                Objects.requireNonNullElse(given.writes(), connection.settings().writes());
        boolean isSaid = given.writes() != null || connection.settings().saysWrites();
        Optional<String> whyNot = whyNotExact(new Tokens(given.cql()));
        if (given.writes() != null && said.exact() && whyNot.isPresent()) {
            throw Unserved.feature("The writes to table " + tables.qualified(given.table()) + " cannot be exact: "
                    + whyNot.get() + ". Make it WITH (plain)");
        }
        // What nobody has asked for is not missed without Cassidy.
        boolean wantsExact = said.exact() && whyNot.isEmpty() && (isInstalled || isSaid);
        boolean counts = given.columns().stream().anyMatch(ColumnDefinition::counted);
        if (counts) {
            counted().requireTable(given, wantsExact);
        }
        TsqlStep.CreateTable marked = wantsExact ? marked(given.with(twins(given))) : given;
        TsqlStep.CreateTable step = counts ? marked.with(CountMark.DEFINITION) : marked;
        session.preparer().refuseChanges(session.plain(), step.cql());
        if (connection.transaction() != null) {
            sender.requireOutsideTransactions("CREATE");
        }
        boolean needsCassidy = step.identity() != null || !step.defaults().isEmpty() || wantsExact;
        if (!needsCassidy && !isInstalled) {
            warnings.accept(Warnings.general("Cassidy is not installed on this cluster, so the order of the columns of "
                    + tables.qualified(step.table()) + ", their lengths, NOT NULL and CHECK are not kept, and its"
                    + " writes are Cassandra's own: an INSERT overwrites, and an UPDATE makes a missing row"));
            warnOfCollations(given);
            return sendCreate(step.cql());
        }
        // Before anything is declared: the sequence would issue the ids of its existing rows.
        Optional<UUID> existing = tableId(step.table());
        if (existing.isPresent()) {
            complete(step.table(), existing.get());
            if (step.ifNotExists()) {
                return StepResult.written(0);
            }
            throw SqlServerErrors.exists(
                    "There is already an object named '" + tables.qualified(step.table()) + "' in the database");
        }
        List<ColumnDefault> defaults = defaults().of(step.table(), step.defaults());
        UUID id = Uuids.timeBased();
        TableWrites writes = wantsExact ? exact(step.table(), said, id) : null;
        if (writes == null) {
            reservations().leaveOut(given);
        }
        // Also before: a statement that the server's parser refuses leaves nothing behind.
        session.plain().prepare(step.cql());
        UserRights.Proof proof =
                rights().toCreateTable(keyspace(step.table()), step.table().name());
        cancellation.writes();
        if (counts) {
            session.counts().create(keyspace(step.table()), step.table().name());
        }
        DeclaredIdentity identity = step.identity();
        List<ConstraintDefinition> constraints = writes == null
                ? step.constraints()
                : reservations().reserving(step.constraints(), ReservationTables.keyOf(given), step.columns(), writes);
        TableDeclaration wanted = new TableDeclaration(
                keyspace(step.table()),
                step.table().name(),
                new TableDefinition(id, step.columns(), constraints, step.small()),
                identity == null ? null : sequences().createIdentity(step, identity, rights(), proof),
                defaults,
                writes);
        warnOfChecks(step.constraints(), step.columns(), true);
        if (writes == null) {
            warnOfCollations(given);
        }
        Declared declared;
        try {
            declared = contracts().declare(proof, wanted);
        } catch (SequenceException.Conflict e) {
            // After any other failure it may be declared all the same.
            reservations().drop(writes, constraints);
            throw e;
        }
        session.schemaChanged();
        boolean refused = false;
        try {
            return sendCreate(step.cql(declared.id()));
        } catch (SQLException e) {
            refused = isRefused(e);
            if (identity != null) {
                // Not undone: the table may come into being all the same, and its ids must stay taken.
                warnings.accept(Warnings.general("The identity of " + tables.qualified(step.table()) + ", column "
                        + identity.column() + ", is registered all the same; run the corrected statement, and it"
                        + " continues from there"));
            }
            throw e;
        } finally {
            settle(step.table(), wanted, declared, proof, refused);
        }
    }

    // ---- UNIQUE

    ReservationTables reservations() {
        return new ReservationTables(connection, session, tables, binder, warnings, sender);
    }

    /** Makes a UNIQUE of a table that is there; returns false if it is one whose index is made without it. */
    private boolean addUnique(TsqlStep.CreateIndex step, TsqlStep.CreateIndex.Unique index) throws SQLException {
        String keyspace = keyspace(step.table());
        String name = step.table().name();
        Optional<UUID> id = tableId(step.table());
        if (id.isEmpty()) {
            throw SqlServerErrors.missingTable("CREATE", tables.qualified(step.table()));
        }
        Set<String> existing = new StoredTables(session).columns(keyspace, name);
        for (String column : index.columns()) {
            if (!existing.contains(column)) {
                throw SqlServerErrors.missingColumnOfIndex(column, tables.qualified(step.table()));
            }
        }
        if (Set.copyOf(tables.namedKey(step.table())).equals(Set.copyOf(index.columns()))) {
            warnings.accept(Warnings.general("Index " + index.label() + " was not made, because "
                    + tables.qualified(step.table()) + " has a row for each of its values already: they are its key"));
            return true;
        }
        ConstraintDefinition unique = UniqueDeclarations.index(index);
        TableWrites writes =
                TableMode.of(session, tables, Optional.of(keyspace), name).orElse(null);
        TableDefinition known =
                new StoredTables(session).definition(keyspace, name).orElse(null);
        if (writes == null || known == null) {
            reservations().leaveOut(unique, tables.qualified(step.table()));
            return false;
        }
        if (known.constraints().stream().anyMatch(each -> each.name().equalsIgnoreCase(index.label()))) {
            if (step.ifNotExists()) {
                return true;
            }
            throw SqlServerErrors.indexExists(index.label(), tables.qualified(step.table()));
        }
        TsqlStep.AddColumns adding =
                new TsqlStep.AddColumns(step.table(), List.of(), List.of(unique), List.of(), false);
        var unused = addColumns(adding);
        return true;
    }

    private TsqlStep.CreateTable marked(TsqlStep.CreateTable step) throws SQLException {
        if (step.columns().stream().anyMatch(column -> column.name().equals(RowMark.COLUMN))) {
            throw Unserved.feature("A column " + RowMark.COLUMN + " in CREATE TABLE is not served: rows of "
                    + tables.qualified(step.table())
                    + " have one of that name, by which their writes are exact. Give it another name");
        }
        return step.with(RowMark.DEFINITION);
    }

    /** Returns the twins of the columns of a new table's key, and of those with indexes, that are compared by a collation. */
    private Map<String, Twin> twins(TsqlStep.CreateTable step) throws SQLException {
        Set<String> key = ReservationTables.keyOf(step);
        Map<String, Twin> twins = new LinkedHashMap<>();
        for (ColumnDefinition column : step.columns()) {
            refuseTwin(column, "CREATE TABLE");
            if (key.contains(column.name())) {
                TableDeclarations.twin(column).ifPresent(twin -> twins.put(column.name(), twin));
            } else if (step.indexed().contains(column.name())) {
                // Nobody writes the table before its contract says so.
                TwinsBeside.of(column, Twin.Place.BESIDE).ifPresent(twin -> twins.put(column.name(), twin));
            }
        }
        return twins;
    }

    private static void refuseTwin(ColumnDefinition column, String statement) throws SQLException {
        if (Twin.isOne(column.name())) {
            throw Unserved.feature(
                    "A column " + column.label() + " in " + statement + " is not served: names like it are"
                            + " those of columns by which others are compared. Give it another name");
        }
    }

    /** Returns how a new table whose writes are exact is written. */
    private TableWrites exact(CqlInsert.Table table, WritesClause said, UUID id) throws SQLException {
        String keyspace = keyspace(table);
        if (said.home().filter(String::isEmpty).isPresent()) {
            return new TableWrites(keyspace, table.name(), "", id, false);
        }
        try {
            return InternalAccess.tables(session.identity().sequences())
                    .exactOf(keyspace, table.name(), said.home(), id);
        } catch (IllegalArgumentException e) {
            throw Unserved.feature("CREATE TABLE " + tables.qualified(table) + " " + e.getMessage());
        }
    }

    /**
     * Returns CREATE TABLE in words that CQL has, too, as the step that makes its rows' writes exact; empty for other statements,
     * and for a table of which they cannot be.
     */
    Optional<TsqlStep.CreateTable> exactTable(TsqlStep.Cql step) {
        Tokens tokens = new Tokens(step.text());
        if (!connection.settings().writes().exact() || !tokens.isWord(0, "create") || !tokens.isWord(1, "table")) {
            return Optional.empty();
        }
        boolean ifNotExists = tokens.isWord(2, "if");
        TableName name = TableName.read(tokens, ifNotExists ? 5 : 2);
        boolean hasColumns = name.first() >= 0 && tokens.isSymbol(name.end(), '(');
        if (!hasColumns || whyNotExact(tokens).isPresent()) {
            return Optional.empty();
        }
        return Optional.of(new TsqlStep.CreateTable(
                step.text(),
                TableName.internal(tokens, name.first()),
                null,
                ifNotExists,
                List.of(),
                List.of(),
                List.of(),
                null,
                false,
                List.of()));
    }

    /** Returns why rows of a table cannot be written exactly, as its CREATE or ALTER TABLE says; empty if they can. */
    private static Optional<String> whyNotExact(Tokens tokens) {
        for (int token = 1; !tokens.isEnd(token); token++) {
            // Otherwise it is the name of a column, or of the table.
            boolean behindName = !tokens.isSymbol(token - 1, '(')
                    && !tokens.isSymbol(token - 1, ',')
                    && !tokens.isSymbol(token - 1, '.')
                    && !tokens.isAnyWord(token - 1, "table", "exists");
            if (behindName && tokens.isWord(token, "counter")) {
                return Optional.of("it has counters, which no condition may change");
            }
            if (behindName && tokens.isWord(token, "static")) {
                return Optional.of("it has static columns, which are no row's");
            }
            if (tokens.isWord(token, "default_time_to_live")
                    && tokens.isSymbol(token + 1, '=')
                    && !tokens.text(token + 2).equals("0")) {
                return Optional.of(
                        "its rows expire (default_time_to_live), and their marks before what is written later");
            }
        }
        return Optional.empty();
    }

    /** Refuses an ALTER TABLE that takes from a table what exact writes need. */
    void requireExactStill(TsqlStep.Cql step) throws SQLException {
        Tokens tokens = new Tokens(step.text());
        if (!tokens.isWord(0, "alter") || !tokens.isWord(1, "table")) {
            return;
        }
        String why = whyNotExact(tokens).orElse(null);
        TableName name = TableName.read(tokens, tokens.isWord(2, "if") ? 4 : 2);
        if (why == null || name.first() < 0) {
            return;
        }
        CqlInsert.Table table = TableName.internal(tokens, name.first());
        if (tables.isColumn(table, RowMark.COLUMN)) {
            throw Unserved.feature("This ALTER TABLE is not served, because the writes to table "
                    + tables.qualified(table) + " are exact, and then " + why
                    + ". Keep such values in a table that is made WITH (plain)");
        }
    }

    /**
     * Warns of what is not checked, or not always.
     *
     * @param told whether the script warns of those that cannot be decided
     */
    private void warnOfChecks(List<ConstraintDefinition> constraints, List<ColumnDefinition> columns, boolean told) {
        for (ConstraintDefinition each : constraints) {
            if (each.kind() != ConstraintDefinition.Kind.CHECK) {
                continue;
            }
            CheckExpression check = CheckExpression.parse(each.text(), columns).orElse(null);
            if (check == null) {
                if (!told) {
                    warnings.accept(
                            Warnings.general("The driver cannot decide it, and it was left out: " + each.text()));
                }
            } else if (check.columns().size() > 1) {
                warnings.accept(Warnings.general(
                        "Statements that do not give values to all of its columns are not checked: " + each.text()));
            }
        }
    }

    /** Of a plain table, Cassandra compares the key; the script warns of other columns. */
    private void warnOfCollations(TsqlStep.CreateTable step) {
        Set<String> key = ReservationTables.keyOf(step);
        for (ColumnDefinition column : step.columns()) {
            if (key.contains(column.name()) && !column.collation().isEmpty()) {
                warnings.accept(Warnings.general("Cassandra does not keep it, and it was left out: COLLATE "
                        + column.collation() + " of " + column.name()));
            }
        }
    }

    private StepResult sendCreate(String cql) throws SQLException {
        // Sent twice, it would be refused because of what the first one has created.
        SimpleStatement create = SimpleStatement.newInstance(cql).setIdempotent(false);
        return sender.execute(session.plain(), create.setTimeout(binder.timeout()), "CREATE");
    }

    /** Returns whether a statement certainly was not executed. */
    private static boolean isRefused(SQLException e) {
        for (Throwable each = e; each != null; each = each.getCause()) {
            if (each instanceof DriverException) {
                return ConditionalStatements.certainlyNotExecuted(each);
            }
        }
        return false;
    }

    /**
     * Completes a declaration, or takes it back if another process's table of the name came into being. A failure is a warning:
     * what the server said of the statement is the answer to it.
     *
     * @param refused whether the table certainly was not created by this
     */
    private void settle(
            CqlInsert.Table table,
            TableDeclaration wanted,
            Declared declared,
            UserRights.Proof proof,
            boolean refused) {
        try {
            Optional<UUID> actual = tableId(table);
            boolean exists = actual.filter(declared.id()::equals).isPresent();
            if (exists) {
                contracts().created(proof, wanted, declared.id());
            } else if (actual.isPresent()) {
                declared.before()
                        .filter(before -> before.definition().isOf(actual.get()))
                        .ifPresent(before -> contracts().restore(proof, declared.id(), before));
            }
            List<Reservations> own = ReservationTables.of(wanted.definition().constraints());
            if (!own.isEmpty() && areUnused(wanted, declared, proof, refused, exists)) {
                reservations().drop(wanted.keyspace(), own);
            }
        } catch (SQLException | RuntimeException e) {
            warnings.accept(Warnings.general("Whether the contract of table " + tables.qualified(table)
                    + " is that of the table that exists is not known: cassidy tables check tells it. "
                    + SqlErrors.brief(e)));
        }
    }

    /** Returns whether no table is, or will be, that has the reservations which a declaration brought. */
    private boolean areUnused(
            TableDeclaration wanted, Declared declared, UserRights.Proof proof, boolean refused, boolean exists) {
        if (!declared.id().equals(wanted.definition().id())) {
            // Another process was about to create it, and its declaration holds, unless its own statement was refused.
            return exists ? !contracts().resume(proof, wanted, declared.id()) : refused;
        }
        // Another process may have taken the declaration over, and create the table now: it must learn of it first.
        return refused && !exists && contracts().withdraw(proof, wanted);
    }

    /**
     * Records, before a table is dropped, that it existed, if its CREATE TABLE ended before it had recorded that: nobody may create
     * another one under its id.
     */
    void completeBeforeDrop(String cql) throws SQLException {
        Dropped dropped = Dropped.of(cql).orElse(null);
        if (dropped != null && dropped.columns().isEmpty() && session.writing() instanceof IdentitySession) {
            Optional<UUID> id = tableId(dropped.table());
            if (id.isPresent()) {
                complete(dropped.table(), id.get());
            }
        }
    }

    /** Records that a table exists whose CREATE TABLE ended before it had recorded that. */
    private void complete(CqlInsert.Table table, UUID id) {
        try {
            contracts().completed(keyspace(table), table.name(), id);
        } catch (SQLException | RuntimeException e) {
            // Nothing depends on it, and the server's answer to the statement is known.
        }
    }

    private ProvenChanges contracts() {
        return new ProvenChanges(session.identity());
    }

    private Optional<UUID> tableId(CqlInsert.Table table) throws SQLException {
        return new StoredTables(session).id(keyspace(table), table.name());
    }

    /**
     * Declares what an ALTER TABLE is about to add.
     *
     * @return what to {@link #takeBack} if the server refuses the statement; empty if nothing was declared
     */
    Optional<AddedColumns> addColumns(TsqlStep.AddColumns step) throws SQLException {
        counted().refuseAdded(step, keyspace(step.table()), session.commandLines());
        for (ColumnDefinition column : step.columns()) {
            refuseTwin(column, "ALTER TABLE ADD");
        }
        String keyspace = keyspace(step.table());
        String name = step.table().name();
        Optional<UUID> id = tableId(step.table());
        Optional<TableDefinition> known = new StoredTables(session).definition(keyspace, name);
        List<ColumnDefinition> all = new ArrayList<>(step.columns());
        known.ifPresent(definition -> all.addAll(definition.columns()));
        if (id.isPresent()
                && session.writing() instanceof IdentitySession
                && new StoredTables(session).wereDropped(keyspace, name, step.columns())) {
            // Cassandra hides what is earlier than the column's end, and new rows would lose its values.
            beginChange();
            contracts().insertConditionally(rights().toAlterTable(keyspace, name), keyspace, name);
        }
        if (known.isEmpty()) {
            warnOfNoDefinition(step);
            if (step.defaults().isEmpty()) {
                return Optional.empty();
            }
        } else {
            warnOfChecks(step.constraints(), all, false);
        }
        Set<String> existing = new StoredTables(session).columns(keyspace, name);
        if (id.isEmpty() || step.columns().stream().anyMatch(column -> existing.contains(column.name()))) {
            // The server refuses the statement; what is known of the column must stay.
            return Optional.empty();
        }
        defaults().requireFreeNames(step.table(), step.defaults(), step.constraints());
        List<ColumnDefault> ofColumns = defaults().of(step.table(), step.defaults());
        UserRights.Proof proof = rights().toAlterTable(keyspace, name);
        if (known.isPresent()) {
            requireRowsToKeep(keyspace, name, step, known.get().constraints(), all);
        }
        beginChange();
        List<ConstraintDefinition> constraints = known.isPresent()
                ? reservations()
                        .reserving(step.table(), step.constraints(), known.get().constraints(), all)
                : step.constraints();
        AddedColumns added =
                contracts().addColumns(proof, keyspace, name, id.get(), step.columns(), constraints, ofColumns);
        session.schemaChanged();
        if (known.isPresent() && constraints.stream().anyMatch(each -> each.reserved() != null)) {
            requireStillWithoutRows(keyspace, name, step, added, constraints);
        }
        return Optional.of(added);
    }

    /** Rows that came before the declaration have no reservations. */
    private void requireStillWithoutRows(
            String keyspace,
            String name,
            TsqlStep.AddColumns step,
            AddedColumns added,
            List<ConstraintDefinition> constraints)
            throws SQLException {
        if (new StoredTables(session).hasRows(keyspace, name, binder.timeout())) {
            contracts().takeBack(added);
            reservations().drop(keyspace, ReservationTables.of(constraints));
            throw Unserved.feature(
                    "UNIQUE was not added to table " + tables.qualified(step.table())
                            + ", because rows were inserted meanwhile. Run it again: a command adds it to a table that has rows");
        }
    }

    /**
     * Takes back what {@link #addColumns} has declared, because the server has refused the statement. If the table has one of the
     * columns now, another process was faster, and what is declared of it stays.
     */
    void takeBack(TsqlStep.AddColumns step, AddedColumns added) {
        try {
            Set<String> existing = new StoredTables(session)
                    .columns(keyspace(step.table()), step.table().name());
            if (step.columns().stream().noneMatch(column -> existing.contains(column.name()))) {
                contracts().takeBack(added);
                session.schemaChanged();
            }
        } catch (SQLException | RuntimeException e) {
            warnings.accept(
                    Warnings.general("What the statement has declared of table " + tables.qualified(step.table())
                            + " could not be taken back: cassidy tables check tells whether it is still declared. "
                            + SqlErrors.brief(e)));
        }
    }

    private void warnOfNoDefinition(TsqlStep.AddColumns step) {
        List<String> leftOut = new ArrayList<>();
        step.constraints().stream()
                .filter(each -> each.kind() == ConstraintDefinition.Kind.CHECK)
                .forEach(each -> leftOut.add(each.text()));
        step.columns().stream()
                .filter(ColumnDefinition::required)
                .forEach(each -> leftOut.add("NOT NULL of " + each.label()));
        step.columns().stream()
                .filter(each -> new ColumnRule("", each).restricts())
                .forEach(each -> leftOut.add(each.type() + " of " + each.label() + ", other than Cassandra's type"));
        leftOut.forEach(each -> warnings.accept(Warnings.general("Nothing is known of a definition of table "
                + tables.qualified(step.table()) + " by T-SQL, so this was left out: " + each)));
    }

    /**
     * Refuses what rows that are there may break. A table without rows is the usual case: a script creates it and adds its
     * constraints.
     *
     * @param declared constraints that the table has already
     * @param all the columns of the table, with those that are added
     */
    private void requireRowsToKeep(
            String keyspace,
            String name,
            TsqlStep.AddColumns step,
            List<ConstraintDefinition> declared,
            List<ColumnDefinition> all)
            throws SQLException {
        List<ColumnDefinition> empty = step.columns().stream()
                .filter(column -> column.required()
                        && step.defaults().stream()
                                .noneMatch(each -> each.column().equals(column.name())))
                .toList();
        List<ConstraintDefinition> breakable = step.constraints().stream()
                .filter(each -> switch (each.kind()) {
                    case UNIQUE, UNIQUE_INDEX, UNIQUE_INDEX_NOT_NULL -> true;
                    case CHECK -> !step.unlooked() && !declared.contains(each) && mayBeBroken(each, step, all);
                    case FOREIGN_KEY -> false;
                })
                .toList();
        if ((empty.isEmpty() && breakable.isEmpty())
                || !new StoredTables(session).hasRows(keyspace, name, binder.timeout())) {
            return;
        }
        String table = tables.qualified(step.table());
        if (!empty.isEmpty()) {
            ColumnDefinition first = empty.get(0);
            ColumnDefinition required =
                    new ColumnDefinition(first.name(), first.label(), first.type(), true, first.collation());
            throw SqlServerErrors.rule(
                    SqlServerErrors.NEEDS_A_VALUE,
                    "Column '" + first.label() + "' cannot be added to non-empty table '" + table
                            + "', because it is NOT NULL and has no DEFAULT. Add it with NULL, give every row a value, and"
                            + " declare it NOT NULL then. "
                            + session.commandLines()
                                    .tell(new Remedy.AlterTable(
                                            keyspace, name, TableDeclarations.written(required), "")));
        }
        ConstraintDefinition first = breakable.get(0);
        boolean reserves = first.kind().isUnique()
                && TableMode.of(session, tables, Optional.of(keyspace), name).isPresent();
        String constraint = reserves ? UniqueDeclarations.written(first) : TableDeclarations.written(first);
        throw Unserved.feature("ADD " + constraint + " is not served by a statement, because table " + table
                + " has rows, which may break it. A command reads them, and declares it if none does. "
                + (step.columns().isEmpty() ? "" : "Add the columns without it. ")
                + (first.kind() == ConstraintDefinition.Kind.CHECK
                        ? "ALTER TABLE ... WITH NOCHECK ADD declares it for later rows alone. "
                        : "")
                + session.commandLines()
                        .tell(
                                reserves
                                        ? new Remedy.AddUnique(keyspace, name, constraint)
                                        : new Remedy.AlterTable(keyspace, name, "", constraint)));
    }

    /** Returns whether the driver keeps a CHECK, and rows that are there may break it: columns that are added are NULL in them. */
    private static boolean mayBeBroken(
            ConstraintDefinition check, TsqlStep.AddColumns step, List<ColumnDefinition> all) {
        Set<String> added = step.columns().stream().map(ColumnDefinition::name).collect(Collectors.toSet());
        return CheckExpression.parse(check.text(), all)
                .filter(decided -> !added.containsAll(decided.columns()) || decided.isBrokenBy(Map.of()))
                .isPresent();
    }

    /** Changes what is declared of a column, where the rows that are there stay as they are. */
    void alterColumn(TsqlStep.AlterColumn step) throws SQLException {
        counted().refuseAlter(step.table(), step.column().name(), "ALTER COLUMN");
        String keyspace = keyspace(step.table());
        String name = step.table().name();
        ColumnDefinition to = step.column();
        Optional<TableDefinition> definition = new StoredTables(session).definition(keyspace, name);
        ColumnDefinition from =
                definition.flatMap(table -> table.column(to.name())).orElse(null);
        SqlType before = from == null ? null : from.type();
        if (definition.isEmpty() || from == null || before == null || to.type() == null) {
            throw Unserved.feature(
                    "ALTER COLUMN of column " + to.label() + " of table " + tables.qualified(step.table())
                            + ", of which nothing is declared by T-SQL, is not served: Cassandra cannot change a type. Add a column,"
                            + " and move the values");
        }
        boolean inKey = tables.namedKey(step.table()).contains(to.name());
        ColumnDefinition then = new ColumnDefinition(
                from.name(),
                from.label(),
                to.type(),
                to.required() || inKey,
                to.collation().isEmpty() ? from.collation() : to.collation(),
                from.twin());
        if (from.twin() != null
                && !to.collation().isEmpty()
                && !to.collation().equalsIgnoreCase(from.twin().collation())) {
            throw Unserved.feature("ALTER COLUMN " + to.label() + " to COLLATE " + to.collation() + " of table "
                    + tables.qualified(step.table())
                    + " is not served: "
                    + (from.twin().isOfKey()
                            ? "the column is in the primary key, which is compared by "
                            : "the column has had an index, by which rows are compared by ")
                    + from.twin().collation() + ". Create a table with the other collation, and copy the rows");
        }
        if (from.twin() != null && !from.twin().isOfKey() && then.equality().isEmpty()) {
            throw Unserved.feature("ALTER COLUMN " + to.label() + " from " + before + " to " + to.type() + " of table "
                    + tables.qualified(step.table())
                    + " is not served: the column has had an index, by which rows are compared by "
                    + from.twin().collation()
                    + ", and a column of the new type is not. Add a column, and move the values");
        }
        ColumnChange change = ColumnChange.of(from, then, inKey);
        if (change == ColumnChange.NEVER) {
            throw Unserved.feature("ALTER COLUMN " + to.label() + " from " + before + " to " + to.type()
                    + " is not served: rows that are there may not fit, and Cassandra cannot change a type. Add a column,"
                    + " and move the values");
        }
        if (change == ColumnChange.BY_ROWS) {
            throw Unserved.feature(
                    "ALTER COLUMN " + to.label() + " from " + before + (from.required() ? " NOT NULL" : "")
                            + " to " + to.type() + (then.required() ? " NOT NULL" : "")
                            + " is not served by a statement: rows that are there may break it. A command reads them, and declares"
                            + " it if none does. "
                            + session.commandLines()
                                    .tell(new Remedy.AlterTable(keyspace, name, TableDeclarations.written(then), "")));
        }
        UserRights.Proof proof = rights().toAlterTable(keyspace, name);
        beginChange();
        contracts().alterColumn(proof, keyspace, name, definition.get().id(), from, then);
        session.schemaChanged();
    }

    // ---- defaults

    private DefaultConstraints defaults() {
        return new DefaultConstraints(session, tables, rights(), warnings);
    }

    /** Throws the error with which a default of the table would be refused. */
    void verify(TsqlStep.CreateTable step) throws SQLException {
        for (DeclaredDefault each : step.defaults()) {
            String type = each.type();
            DataType known = type == null ? null : DefaultConverter.type(type).orElse(null);
            if (known != null) {
                DefaultConverter.of(new CqlInsert.Table("", step.table().name()), each, known, "");
            }
        }
    }

    void addDefaults(TsqlStep.AddDefaults step) throws SQLException {
        UserRights.Proof proof =
                rights().toAlterTable(keyspace(step.table()), step.table().name());
        beginChange();
        defaults().add(step, identity(step.table()).map(Identity::column), proof);
    }

    void dropConstraints(TsqlStep.DropConstraints step) throws SQLException {
        beginChange();
        List<Reservations> unused = reservations().uniqueKeys(step.table()).stream()
                .filter(each -> step.names().stream().anyMatch(each.name()::equalsIgnoreCase))
                .map(UniqueKey::reservations)
                .toList();
        List<String> others = defaults().drop(step);
        reservations().drop(keyspace(step.table()), unused);
        if (!others.isEmpty() && !step.ifExists()) {
            warnings.accept(Warnings.general("Cassandra does not keep it, and it was left out: "
                    + (others.equals(step.names()) ? step.text() : "CONSTRAINT " + String.join(", ", others))));
        }
    }

    /** A CHECK that is kept goes on to be: a statement that stops it is refused, one that asks for it is fulfilled. */
    void switchConstraints(TsqlStep.SwitchConstraints step) throws SQLException {
        List<ConstraintDefinition> meant = new ArrayList<>();
        List<ConstraintDefinition> kept = new ArrayList<>();
        new StoredTables(session)
                .definition(keyspace(step.table()), step.table().name())
                .ifPresent(definition -> {
                    definition.constraints().stream().filter(step::isOf).forEach(meant::add);
                    meant.stream()
                            .filter(each -> each.kind() == ConstraintDefinition.Kind.CHECK
                                    && CheckExpression.parse(each.text(), definition.columns())
                                            .isPresent())
                            .forEach(kept::add);
                });
        if (!step.on() && !kept.isEmpty()) {
            ConstraintDefinition first = kept.get(0);
            throw Unserved.feature("NOCHECK CONSTRAINT is not served, because the driver goes on to keep "
                    + (first.name().isEmpty()
                            ? "a constraint without a name: " + first.text()
                                    + ". Give it a name when the table is created"
                            : first.name() + ": " + first.text() + ". Drop it, and add it again later: ALTER TABLE "
                                    + tables.qualified(step.table()) + " DROP CONSTRAINT " + first.name()));
        }
        if (kept.isEmpty() || kept.size() < Math.max(meant.size(), step.names().size())) {
            warnings.accept(Warnings.general("Cassandra does not keep it, and it was left out: " + step.text()));
        }
    }

    /** A column of which a named constraint speaks stays until that is dropped, as in SQL Server. */
    void requireNoConstraint(String cql) throws SQLException {
        Dropped dropped = Dropped.of(cql).orElse(null);
        if (dropped == null || dropped.columns().isEmpty()) {
            return;
        }
        if (dropped.columns().contains(RowMark.COLUMN)) {
            throw Unserved.feature("DROP COLUMN " + RowMark.COLUMN + " of table " + tables.qualified(dropped.table())
                    + " is not served: it is the mark of each row, by which the table's writes are exact. Copy the rows to"
                    + " a table that is made WITH (plain)");
        }
        Set<String> twinned = tables.twinned(dropped.table());
        for (String column : dropped.columns()) {
            if (twinned.contains(Twin.original(column))) {
                throw Unserved.feature(
                        "DROP COLUMN " + Twin.original(column) + " of table "
                                + tables.qualified(dropped.table())
                                + " is not served: it is part of the primary key. Create a table without it, and copy the rows");
            }
        }
        TableDefinition known = new StoredTables(session)
                .definition(keyspace(dropped.table()), dropped.table().name())
                .orElse(null);
        if (known == null) {
            return;
        }
        for (String column : dropped.columns()) {
            counted().refuseAlter(dropped.table(), column, "DROP COLUMN");
            requireNoTwin(dropped.table(), known, column);
        }
        for (ConstraintDefinition each : known.constraints()) {
            Set<String> columns = each.kind() == ConstraintDefinition.Kind.CHECK
                    ? CheckExpression.parse(each.text(), known.columns())
                            .map(CheckExpression::columns)
                            .orElse(Set.of())
                    : Set.copyOf(each.columns());
            for (String column : dropped.columns()) {
                if (!each.name().isEmpty() && columns.contains(column)) {
                    throw SqlServerErrors.rule(
                            SqlServerErrors.DEPENDENT,
                            "The object '" + each.name() + "' is dependent on column '" + column
                                    + "'. Drop it first: ALTER TABLE " + tables.qualified(dropped.table())
                                    + " DROP CONSTRAINT " + each.name());
                }
            }
        }
    }

    /** A twin beside a column goes with it, and stays as long as there is an index on it. */
    private void requireNoTwin(CqlInsert.Table table, TableDefinition known, String column) throws SQLException {
        Set<String> beside = known.twinsBeside().keySet();
        if (Twin.isOne(column) && beside.contains(Twin.original(column))) {
            throw Unserved.feature("DROP COLUMN " + column + " of table " + tables.qualified(table)
                    + " is not served: writers keep it beside column " + Twin.original(column)
                    + ", and it goes with that");
        }
        if (beside.contains(column)) {
            String index = indexes().on(table, Twin.nameOf(column)).orElse(null);
            if (index != null) {
                throw SqlServerErrors.rule(
                        SqlServerErrors.DEPENDENT,
                        "The index '" + index + "' is dependent on column '" + column + "'. Drop it first: DROP INDEX "
                                + index + " ON " + tables.qualified(table));
            }
        }
    }

    /** What nobody keeps any more goes with the column that it stood beside. */
    private void dropTwins(Dropped dropped) throws SQLException {
        String keyspace = keyspace(dropped.table());
        Set<String> existing =
                new StoredTables(session).columns(keyspace, dropped.table().name());
        for (String column : dropped.columns()) {
            String twin = Twin.nameOf(column);
            if (existing.contains(twin)
                    && !existing.contains(column)
                    && !tables.twinned(dropped.table()).contains(column)) {
                String cql = "ALTER TABLE " + Identifiers.toCql(keyspace) + "."
                        + Identifiers.toCql(dropped.table().name()) + " DROP IF EXISTS " + Identifiers.toCql(twin);
                session.plain().execute(SimpleStatement.newInstance(cql).setTimeout(binder.timeout()));
            }
        }
    }

    /** A table or column that is made again must not have the defaults of the one that was dropped. */
    void forgetDropped(String cql) throws SQLException {
        Dropped dropped = Dropped.of(cql).orElse(null);
        if (dropped != null) {
            defaults().forget(dropped);
            dropTwins(dropped);
        }
    }

    /** As {@link #forgetDropped}, of what was not there; others may not know of it. */
    void forgetDroppedBefore(String cql) throws SQLException {
        Dropped dropped = Dropped.of(cql).orElse(null);
        if (dropped != null) {
            defaults().forget(dropped);
            defaults().tell(dropped.table());
        }
    }

    private void beginChange() {
        cancellation.writes();
        if (connection.transaction() != null) {
            sender.warnAtOnce("ALTER");
        }
    }

    /** Returns whether the schema has the object now. */
    boolean exists(SchemaObject object) throws SQLException {
        return new SchemaObjects(session).exists(object);
    }

    private Optional<Identity> identity(CqlInsert.Table table) throws SQLException {
        IdentitySession identities = session.identity();
        Optional<Identity> known = identities
                .catalog()
                .find(table.keyspace(), table.name())
                .toCompletableFuture()
                .join();
        if (known.isPresent()) {
            return known;
        }
        // It may have been registered a moment ago.
        InternalAccess.tables(identities.sequences())
                .readAnewAsync(keyspace(table), table.name())
                .toCompletableFuture()
                .join();
        return identities
                .catalog()
                .find(table.keyspace(), table.name())
                .toCompletableFuture()
                .join();
    }

    void setIdentityInsert(TsqlStep.SetIdentityInsert step) throws SQLException {
        if (!connection.identityInsert().isLenient()) {
            connection.identityInsert().set(step, identity(step.table()), tables.qualified(step.table()));
        }
    }
}
