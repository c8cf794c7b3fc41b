package dev.cassidy.table;

import dev.cassidy.async.Timer;
import dev.cassidy.cluster.BlockingCalls;
import dev.cassidy.cluster.Datacenters;
import dev.cassidy.definition.ColumnDefinition;
import dev.cassidy.definition.ConstraintDefinition;
import dev.cassidy.definition.RowMark;
import dev.cassidy.definition.TableDefinition;
import dev.cassidy.sequence.IdentityColumn;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.SequencesConfig;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What is declared of the application's tables: their columns, identity columns, defaults, and how rows are written. Names are
 * internal ones (case-exact, unquoted). Others learn of a registration within a {@linkplain SequencesConfig#watchInterval
 * watch interval}.
 *
 * <p>Safe for use by many threads. What returns a stage, and what begins with {@code cached}, does not block; everything else
 * blocks, unless it says that it does no I/O, and refuses to wait on one of the driver's threads.
 */
public final class TableRegistry {

    private final Contracts contracts;
    private final SequencesConfig config;
    private final Function<String, CompletionStage<Void>> join;
    private final Supplier<CompletionStage<Void>> begun;
    private final Notice notice;
    private final Datacenters datacenters;
    private final String datacenter;
    private final BlockingCalls calls;

    /**
     * @param datacenter this one
     * @param join makes this datacenter take part in the sequence of a name
     * @param begun a stage that ends when this instance notices every change that is made from then on. In this order the
     *     first lookup finds what was registered before
     */
    public TableRegistry(
            Contracts contracts,
            SequencesConfig config,
            Datacenters datacenters,
            String datacenter,
            Function<String, CompletionStage<Void>> join,
            Supplier<CompletionStage<Void>> begun,
            Timer timer,
            BlockingCalls calls) {
        this.contracts = contracts;
        this.config = config;
        this.join = join;
        this.begun = begun;
        this.datacenters = datacenters;
        this.datacenter = datacenter;
        this.notice = new Notice(datacenters, contracts::isCopied, config.watchInterval(), timer, calls);
        this.calls = calls;
    }

    /**
     * Refuses a table of which nothing is ever declared.
     *
     * @throws IllegalArgumentException if the table is one of Cassidy's own
     */
    public void refuseOwn(String keyspace, String table) {
        contracts.refuseOwn(keyspace, table);
    }

    /** Returns the datacenter of this instance. */
    public String datacenter() {
        return datacenter;
    }

    // ---- identity columns

    /**
     * Records which column of a table takes a sequence's ids; a no-op if it is recorded.
     *
     * @throws SequenceException.Conflict if the table has another column or sequence recorded, or another installation a contract
     *     of it
     * @throws SequenceException.NotFound if there is no such sequence
     * @throws IllegalArgumentException if the table is one of Cassidy's own, or there is no such column
     */
    public void registerIdentity(IdentityColumn column) {
        register(column, false);
    }

    /** As {@link #registerIdentity}, also of a table that is to be created later, as a migration does. */
    public void registerIdentityAhead(IdentityColumn column) {
        register(column, true);
    }

    private void register(IdentityColumn column, boolean ahead) {
        // Also before this datacenter takes part in the sequence.
        contracts.refuseOwn(column.keyspace(), column.table());
        calls.get(join.apply(column.sequence()));
        calls.get(contracts.register(column, ahead));
    }

    /**
     * Looks up the identity column of a table. The first call reads all registered columns, in the global keyspace; if that
     * does not answer within the request time-out, it reads this datacenter's copy. Later calls need no read.
     */
    public CompletionStage<Optional<IdentityColumn>> identityAsync(String keyspace, String table) {
        Optional<IdentityColumn> known = cachedIdentity(keyspace, table);
        return known.isPresent()
                ? CompletableFuture.completedFuture(known)
                : begun.get()
                        .thenCompose(begin -> contracts.find(new TableName(keyspace, table)))
                        // What has not answered is told by identitiesIncomplete.
                        .handle((found, failure) -> cachedIdentity(keyspace, table));
    }

    /**
     * Looks up the identity column of a table that seems to have none, in case it was registered a moment ago. Reads at most
     * once a second for each table.
     */
    public CompletionStage<Optional<IdentityColumn>> identityNowAsync(String keyspace, String table) {
        return contracts.identityAnew(new TableName(keyspace, table));
    }

    /**
     * Reads what is declared of a table, in case it was declared a moment ago: at most once a second for each table. The stage
     * never fails.
     */
    public CompletionStage<Void> readAnewAsync(String keyspace, String table) {
        return contracts.anew(new TableName(keyspace, table));
    }

    /** Returns the identity column of a table if it is known already; does no I/O. */
    public Optional<IdentityColumn> cachedIdentity(String keyspace, String table) {
        return cached(keyspace, table).map(TableContract::identity);
    }

    private Optional<TableContract> cached(String keyspace, String table) {
        return Optional.ofNullable(contracts.cached(new TableName(keyspace, table)));
    }

    /**
     * Returns why a table may be registered although its identity column is not known: the global keyspace has not answered
     * since this instance was opened. Empty once it has; does no I/O.
     */
    public Optional<Throwable> identitiesIncomplete() {
        return contracts.incomplete();
    }

    /** Returns every identity column that is recorded in this datacenter. */
    public List<IdentityColumn> identities() {
        return calls.get(contracts.copies()).stream()
                .map(TableContract::identity)
                .filter(Objects::nonNull)
                .toList();
    }

    // ---- what T-SQL says of tables

    /**
     * Declares a table that is about to be created by CREATE TABLE ... WITH ID. Nothing is of effect before a table of this id
     * exists. What was declared of a table that had the name before ends; its sequence continues.
     *
     * @throws SequenceException.Conflict if another identity is registered for the table, or if it draws ids and another
     *     installation has a contract of it
     * @throws SequenceException.NotFound if a sequence does not exist
     * @throws IllegalArgumentException if the table is one of Cassidy's own
     */
    public Declared declare(TableDeclaration wanted) {
        contracts.refuseOwn(wanted.keyspace(), wanted.table());
        IdentityColumn identity = wanted.identity();
        if (identity != null) {
            calls.get(join.apply(identity.sequence()));
        }
        if (identity == null && wanted.defaults().stream().anyMatch(TableRegistry::draws)) {
            requireOwn(wanted.keyspace(), wanted.table());
        }
        wanted.defaults().forEach(this::joinSequence);
        return calls.get(contracts.declare(wanted));
    }

    /** Records that a table that was declared exists now. */
    public void created(String keyspace, String table, UUID id) {
        change(keyspace, table, contract -> contract.created(id));
    }

    /**
     * Takes back that a table is about to be created under an id that its own declaration brought, because the server has certainly refused
     * it.
     *
     * @return whether no table of the id is declared now, so that nothing that was made for it is needed
     */
    public boolean withdraw(String keyspace, String table, UUID refused) {
        TableDefinition now =
                change(keyspace, table, contract -> contract.withdrawn(refused)).definition();
        return now == null || !now.isOf(refused);
    }

    /**
     * Declares a table anew that exists, and was created under the id of another declaration, if that was withdrawn meanwhile.
     *
     * @return whether it was: what the other one made for the table is not there
     */
    public boolean resume(String keyspace, String table, TableDefinition created) {
        return created.equals(
                change(keyspace, table, contract -> contract.resumed(created)).definition());
    }

    /**
     * Takes a declaration back, because a table of the name was created under another id at the same time: what was declared of
     * that one is of effect again.
     *
     * @param lost the id that no table has
     */
    public void restore(UUID lost, TableDeclaration before) {
        calls.get(contracts.restore(new TableName(before.keyspace(), before.table()), lost, before));
    }

    /**
     * Declares what the table's source says of a table that exists, however it was made. What is known of a column of which the
     * source says nothing stays.
     *
     * @throws SequenceException.Conflict if another installation has a contract of the table
     * @throws IllegalArgumentException if the table is one of Cassidy's own
     */
    public void adopt(String keyspace, String table, TableDefinition definition) {
        requireOwn(keyspace, table);
        change(keyspace, table, contract -> contract.adopted(definition));
    }

    /**
     * Declares what an operator says of a table that exists, in place of all that was declared of its columns and constraints.
     * Its identity and its defaults stay, and its write mode, too, unless that is exact and the table lacks the mark: it was dropped
     * and created by CQL, and no row of it could be written.
     *
     * @param marked whether the table has the column of the mark
     * @param seen the contract on which the operator has decided
     * @throws SequenceException.Conflict if the contract was changed since, or another installation has one of the table
     * @throws IllegalArgumentException if the table is one of Cassidy's own
     */
    public void adopt(TableContract seen, TableDefinition definition, boolean marked) {
        requireOwn(seen.keyspace(), seen.table());
        lasting(contracts.change(
                new TableName(seen.keyspace(), seen.table()),
                ContractChanges.Telling.HINT,
                contract -> contract.adopted(definition, marked, seen.revision())));
    }

    /**
     * Declares that a table is small, so that a statement may read all of its rows to find some, or that it is not; a no-op if that is
     * declared. Processes know it within a watch interval.
     *
     * @param id that of the table, which exists
     * @return whether anything was changed
     * @throws SequenceException.Conflict if the table has counters, or another installation has a contract of it
     * @throws IllegalArgumentException if the table is one of Cassidy's own
     */
    public boolean declareSmall(String keyspace, String table, UUID id, boolean small) {
        requireOwn(keyspace, table);
        TableName name = new TableName(keyspace, table);
        int before = calls.get(contracts.now(name)).revision();
        return lasting(contracts.change(name, ContractChanges.Telling.MUST, contract -> contract.sized(id, small)))
                        .revision()
                != before;
    }

    /** Returns whether the table that has an id is known as one that is declared small; does no I/O. */
    public boolean isSmall(String keyspace, String table, UUID id) {
        return cached(keyspace, table).filter(contract -> contract.isSmall(id)).isPresent();
    }

    /**
     * Declares columns that are about to be added, with their defaults, and constraints; of a table that T-SQL has not defined,
     * the defaults alone. A default of a column that the table does not have yet gives nothing.
     *
     * @param id that of the table
     * @return what {@link #takeBack} needs if the server refuses the columns
     * @throws SequenceException.Conflict if another installation has a contract of the table
     */
    public AddedColumns addColumns(
            String keyspace,
            String table,
            UUID id,
            List<ColumnDefinition> columns,
            List<ConstraintDefinition> constraints,
            List<ColumnDefault> defaults) {
        requireOwn(keyspace, table);
        defaults.forEach(this::joinSequence);
        AtomicReference<TableContract> before = new AtomicReference<>(TableContract.none(keyspace, table));
        TableContract after = change(keyspace, table, contract -> {
            before.set(contract);
            return contract.withColumns(id, columns, constraints, defaults);
        });
        return new AddedColumns(Objects.requireNonNull(before.get()), after);
    }

    /**
     * Takes back what {@link #addColumns} has declared, of columns that the table does not have; a no-op if the contract was
     * changed since. So a process that is about to add the same columns keeps what it has declared.
     */
    public void takeBack(AddedColumns added) {
        if (added.changedSomething()) {
            TableContract after = added.after();
            change(after.keyspace(), after.table(), contract -> contract.takenBack(added.before(), after));
        }
    }

    /**
     * Changes what is declared of a column.
     *
     * @param id that of the table
     * @param from as it is known
     * @throws SequenceException.Conflict if another process has changed the column since
     */
    public void alterColumn(String keyspace, String table, UUID id, ColumnDefinition from, ColumnDefinition to) {
        change(keyspace, table, contract -> contract.altered(id, from, to));
    }

    /**
     * Declares of a table what rows that are there may break. {@linkplain #awaitNoticed Afterwards} no process writes a row that
     * breaks it; then the rows can be read, and the declaration {@linkplain #loosen taken back} if one does.
     *
     * @param seen the contract on which it was decided
     * @return the contract now, of a revision that nobody else has made
     * @throws SequenceException.Conflict if something else was declared since; nothing was changed
     * @throws SequenceException.Unavailable if it is not known whether it is declared, or if processes could not be told
     */
    public TableContract tighten(TableContract seen, TableDefinition definition) {
        return lasting(contracts.change(
                new TableName(seen.keyspace(), seen.table()),
                ContractChanges.Telling.MUST,
                contract -> contract.tightened(definition, seen.revision())));
    }

    /** Returns how long {@link #awaitNoticed} waits, for callers that wait in their own way. */
    public Duration noticeTime() {
        return notice.time();
    }

    /**
     * Waits three {@linkplain SequencesConfig#watchInterval watch intervals}, in which every process learns of what was declared
     * before, unless it is cut off from the others.
     */
    public void awaitNoticed() {
        notice.await(Duration.ZERO);
    }

    /**
     * Takes {@link #tighten} back.
     *
     * @param tightened what it returned
     * @param before the definition until then
     * @throws SequenceException.Conflict if the contract was changed since, by whatever; nothing was changed
     */
    public void loosen(TableContract tightened, TableDefinition before) {
        lasting(contracts.change(
                new TableName(tightened.keyspace(), tightened.table()),
                ContractChanges.Telling.MUST,
                contract -> contract.loosened(before, tightened.revision())));
    }

    /**
     * Declares that every row of a table has its reservation of a UNIQUE, so that the reservations may be relied on.
     *
     * @param reservations the table that has them
     * @throws SequenceException.Conflict if the UNIQUE was dropped meanwhile
     */
    public void completeUnique(String keyspace, String table, String reservations) {
        lasting(contracts.change(
                new TableName(keyspace, table),
                ContractChanges.Telling.MUST,
                contract -> contract.completed(reservations)));
    }

    /**
     * Declares that every row of a table has the twin beside a column, so that rows may be found by it.
     *
     * @param id that of the table
     * @throws SequenceException.Conflict if the column was dropped meanwhile, or the table made again
     */
    public void completeTwin(String keyspace, String table, UUID id, String column) {
        lasting(contracts.change(
                new TableName(keyspace, table),
                ContractChanges.Telling.MUST,
                contract -> contract.completedTwin(id, column)));
    }

    /**
     * Takes back a UNIQUE that rows break, whatever else was declared of the table meanwhile; a no-op if it is gone.
     *
     * @param reservations the table that has those of its values. It may be dropped when {@linkplain #awaitNoticed every process knows}
     */
    public void takeBackUnique(String keyspace, String table, String reservations) {
        lasting(contracts.change(
                new TableName(keyspace, table),
                ContractChanges.Telling.MUST,
                contract -> contract.withoutReserved(reservations)));
    }

    /** Forgets columns that were dropped, and their defaults; a no-op if nothing is known of them. */
    public void dropColumns(String keyspace, String table, List<String> columns) {
        change(keyspace, table, contract -> contract.withoutColumns(columns));
    }

    /** Drops constraints and defaults by their names, whose case does not matter, all at once; a no-op if there are none. */
    public void dropConstraints(String keyspace, String table, List<String> names) {
        change(keyspace, table, contract -> contract.withoutConstraints(names));
    }

    /**
     * Tells other processes of the last change of a table's contract, and copies it, if the process that made it may have ended
     * before. Changes nothing.
     */
    public void tell(String keyspace, String table) {
        change(keyspace, table, contract -> Optional.empty());
    }

    /** Waits also until no node can forget the change: for commands, whose next step relies on it. */
    private TableContract lasting(CompletionStage<TableContract> change) {
        return calls.get(change.thenCompose(contracts::lasting), contracts.longestKeeping());
    }

    private TableContract change(String keyspace, String table, ContractChanges.Step step) {
        return calls.get(contracts.change(new TableName(keyspace, table), ContractChanges.Telling.HINT, step));
    }

    /**
     * Looks up what T-SQL has said of the table that has an id; empty if that was none. The first call reads all contracts, as
     * {@link #identityAsync} does; of a table that T-SQL has not made, the first one reads its contract.
     */
    public CompletionStage<Optional<TableDefinition>> definitionAsync(String keyspace, String table, UUID id) {
        return begun.get().thenCompose(begin -> contracts.definition(new TableName(keyspace, table), id));
    }

    /**
     * As {@link #definitionAsync}, but of a table that is not among the contracts, none is read: one that another process has
     * made a moment ago may seem to have no definition.
     */
    public CompletionStage<Optional<TableDefinition>> knownDefinitionAsync(String keyspace, String table, UUID id) {
        return begun.get()
                .thenCompose(begin -> contracts.find(new TableName(keyspace, table)))
                .thenApply(found -> found.flatMap(contract -> contract.definitionOf(id)));
    }

    /** Returns whether anything is known to be declared of a table; does no I/O. */
    public boolean isDeclared(String keyspace, String table) {
        return cached(keyspace, table).isPresent();
    }

    /** Returns whether a table is known as one of which it is not recorded that it was created; does no I/O. */
    public boolean isPending(String keyspace, String table) {
        return cached(keyspace, table).filter(TableContract::pending).isPresent();
    }

    /** Returns whether T-SQL has defined no table; false also if that is not known without a read. Does no I/O. */
    public boolean areNoneDefined() {
        return contracts.areNoneDefined();
    }

    /** Returns whether no table has values that are reserved; false also if that is not known without a read. Does no I/O. */
    public boolean areNoneUnique() {
        return contracts.areNoneUnique();
    }

    /** Returns whether no column has a twin; false also if that is not known without a read. Does no I/O. */
    public boolean areNoneTwinned() {
        return contracts.areNoneTwinned();
    }

    /** Returns whether no column counts; false also if that is not known without a read. Does no I/O. */
    public boolean areNoneCounted() {
        return contracts.areNoneCounted();
    }

    /** Returns what T-SQL has said last of a table of this name, if it is known already; does no I/O. */
    public Optional<TableDefinition> cachedDefinition(String keyspace, String table) {
        return cached(keyspace, table).map(TableContract::definition);
    }

    // ---- tables of counters

    /**
     * Declares a table of counters that is about to be created while there is none of the name. Nothing is of effect before a table
     * of this id exists. Then call {@link #declareCounters}.
     *
     * @param seen the revision of the contract before the caller has looked for a table of the name
     * @param id under which to create it: no other table has or had it
     * @param kind the name of the kind of counters
     * @return false if the contract was changed since it was seen, so that nothing was changed: look for the table once more
     * @throws SequenceException.Conflict if something else is declared of the table; both kinds are named
     * @throws IllegalArgumentException if the table is one of Cassidy's own
     */
    public boolean beginCounters(String keyspace, String table, int seen, UUID id, String kind) {
        CounterTable wanted = new CounterTable(id, kind);
        return calls.get(contracts.beginCounters(new TableName(keyspace, table), wanted, seen))
                .isBeginning(wanted);
    }

    /** Takes back {@link #beginCounters}, because the table was not created and never will be. */
    public void withdrawCounters(String keyspace, String table, UUID id) {
        var unused = calls.get(contracts.withdrawCounters(new TableName(keyspace, table), id));
    }

    /**
     * Declares a table of counters that exists, and of which kind they are; a no-op if it is declared.
     *
     * @param seen the revision of the contract before the caller has looked for a table of the name
     * @param id of the table
     * @param kind the name of the kind of counters
     * @return false if another table of the name was declared since the contract was seen, so that nothing was changed
     * @throws SequenceException.Conflict if the table is of another kind, of counters or not, and both are named; or if another
     *     installation counts in it
     */
    public boolean declareCounters(String keyspace, String table, int seen, UUID id, String kind) {
        CounterTable existing = new CounterTable(id, kind);
        return existing.equals(calls.get(contracts.declareCounters(new TableName(keyspace, table), existing, seen))
                .counters());
    }

    // ---- defaults of columns

    /**
     * Records what inserts give a column that they do not name; a no-op if it is recorded.
     *
     * @throws SequenceException.Conflict if the column has another default, or another installation a contract of the table
     * @throws IllegalArgumentException if the table is one of Cassidy's own
     */
    public void registerDefault(ColumnDefault columnDefault) {
        requireOwn(columnDefault.keyspace(), columnDefault.table());
        joinSequence(columnDefault);
        change(columnDefault.keyspace(), columnDefault.table(), contract -> contract.withDefault(columnDefault));
    }

    private void joinSequence(ColumnDefault columnDefault) {
        if (draws(columnDefault)) {
            calls.get(join.apply(columnDefault.value()));
        }
    }

    private static boolean draws(ColumnDefault columnDefault) {
        return columnDefault.kind() == ColumnDefault.Kind.NEXT_VALUE;
    }

    /** Refuses a table of which something is declared elsewhere, or nothing ever is. */
    private void requireOwn(String keyspace, String table) {
        contracts.refuseOwn(keyspace, table);
        calls.get(contracts.requireOwn(new TableName(keyspace, table)));
    }

    /** Drops the default of a column; a no-op if it has none. */
    public void dropDefault(String keyspace, String table, String column) {
        change(keyspace, table, contract -> contract.withoutDefault(column));
    }

    /**
     * Looks up the defaults of a table's columns, in the order of their names. The first call reads those of all tables, as
     * {@link #identityAsync} does; the stage fails if neither the global keyspace nor this datacenter's copy answers.
     */
    public CompletionStage<List<ColumnDefault>> defaultsAsync(String keyspace, String table) {
        return contracts.isKnown()
                ? CompletableFuture.completedFuture(cachedDefaults(keyspace, table))
                : begun.get()
                        .thenCompose(begin -> contracts.find(new TableName(keyspace, table)))
                        .thenApply(found -> found.map(TableContract::defaults).orElse(List.of()));
    }

    /**
     * Looks up what inserts add to a row: as {@link #defaultsAsync}, twins of columns, and {@link RowMark} where rows have it.
     */
    public CompletionStage<List<ColumnDefault>> addedAsync(String keyspace, String table) {
        return contracts.isKnown()
                ? CompletableFuture.completedFuture(added(cached(keyspace, table)))
                : begun.get()
                        .thenCompose(begin -> contracts.find(new TableName(keyspace, table)))
                        .thenApply(TableRegistry::added);
    }

    private static List<ColumnDefault> added(Optional<TableContract> found) {
        return found.map(TableContract::added).orElse(List.of());
    }

    /** Returns the defaults of a table's columns as far as they are known already; does no I/O. */
    public List<ColumnDefault> cachedDefaults(String keyspace, String table) {
        return cached(keyspace, table).map(TableContract::defaults).orElse(List.of());
    }

    /** Returns a number that grows whenever this instance learns of a change of what inserts do; does no I/O. */
    public long generation() {
        return contracts.generation();
    }

    // ---- how rows are written

    /**
     * Declares that a table is written exactly from now on; a no-op if that is declared. While it waits, and after a failure until
     * it is called again, processes refuse to write to the table.
     *
     * <p>First it waits, for three minutes at most, until each other datacenter has copied the declaration; a process there
     * that writes does it within a minute, and so does this method when it is called there. Then it waits three
     * {@linkplain SequencesConfig#watchInterval watch intervals}, in which every process learns of it that reads its
     * datacenter's keyspace, and for as long as clocks may be ahead: a write with a later timestamp would hide every exact one
     * until then. A process that reads nothing of Cassidy's keyspaces during all that time, and writes to the table
     * nevertheless, goes on plainly.
     *
     * @param skew by how much the clock of a client that has written to the table may be ahead of the servers' clocks
     * @param whileClosed what has to be done while nothing writes to the table: its rows get their mark. If it fails, the table
     *     stays closed. It runs again when a declaration is repeated that was not completed
     * @throws SequenceException.Unavailable naming a datacenter that has not copied it, or if processes could not be told; the
     *     table stays closed until the method was called again
     * @throws SequenceException.Conflict if another datacenter decides the order of its writes; if another installation has a
     *     contract of it
     * @throws IllegalArgumentException if the table is one of Cassidy's own
     */
    public void declareWrites(TableWrites writes, Duration skew, Runnable whileClosed) {
        requireOwn(writes.keyspace(), writes.table());
        TableName name = new TableName(writes.keyspace(), writes.table());
        // The change waits for processes to learn of it, and they look at the table itself only every few hours.
        TableContract begun =
                lasting(contracts.change(name, ContractChanges.Telling.MUST, contract -> contract.beginning(writes)));
        TableWrites changing = begun.writes();
        if (changing != null && changing.changing()) {
            notice.awaitEverywhere(begun, "be written exactly", skew);
            whileClosed.run();
            TableContract completed = lasting(
                    contracts.change(name, ContractChanges.Telling.MUST, contract -> contract.completed(changing)));
            if (!changing.changing(false).equals(completed.writes())) {
                throw new SequenceException.Conflict("the contract of table " + name
                        + " was changed meanwhile, and its writes" + " are not exact: run the command again");
            }
        }
    }

    /**
     * Looks up how a table is written; empty if that is plainly. The stage fails if neither the global keyspace nor
     * this datacenter's copy has answered yet, and with a {@link SequenceException.Conflict} if another installation writes the
     * table, or is about to.
     */
    public CompletionStage<Optional<TableWrites>> writesAsync(String keyspace, String table) {
        return begun.get()
                .thenCompose(begin -> contracts.find(new TableName(keyspace, table)))
                .thenApply(found -> {
                    found.ifPresent(contracts::requireHere);
                    return found.map(TableContract::writes);
                });
    }

    /** Returns whether what is declared of every table is known without a read; does no I/O. */
    public boolean isKnown() {
        return contracts.isKnown();
    }

    /**
     * Returns whether every table is written, and that plainly; false also if that is not known without a read. Does no I/O.
     */
    public boolean areAllPlain() {
        return contracts.areAllPlain();
    }

    /**
     * Returns how a table is written that is made exact.
     *
     * @param home the datacenter that is named for it; empty if none is
     * @param fresh the table, if it is made exact when it is created; null if it has rows already
     * @throws IllegalArgumentException if the installation has no such datacenter, or has several and none is named
     * @throws SequenceException.Unavailable if that cannot be read
     */
    public TableWrites exactOf(String keyspace, String table, Optional<String> home, @Nullable UUID fresh) {
        Set<String> all = new TreeSet<>(calls.get(datacenters.others()).keySet());
        all.add(datacenter);
        if (home.isPresent() && !all.contains(home.get())) {
            throw new IllegalArgumentException(
                    "must be a datacenter of this installation: home='" + home.get() + "' datacenters=" + all);
        }
        if (home.isEmpty() && all.size() > 1) {
            throw new IllegalArgumentException(
                    "must say which nodes decide the order of the table's writes, because there are several datacenters, "
                            + all + ": WITH (home = '" + datacenter
                            + "') those of one, which is fast there; WITH (serial)"
                            + " those of all, which takes their round trips; or WITH (plain), where the later time wins. For"
                            + " statements that you cannot change, a connection says it: writes=exact:" + datacenter
                            + ", writes=serial or writes=plain");
        }
        return new TableWrites(keyspace, table, home.orElse(datacenter), fresh, false);
    }

    /**
     * Has every row of an exact table inserted under a condition from now on, and waits until every process knows. A no-op if
     * none may be written plainly.
     *
     * @throws SequenceException.Unavailable if processes could not be told
     */
    public void insertConditionally(String keyspace, String table) {
        TableName name = new TableName(keyspace, table);
        TableWrites before = calls.get(contracts.now(name)).writes();
        if (before != null && before.fresh() != null) {
            lasting(contracts.change(name, ContractChanges.Telling.MUST, TableContract::withoutFresh));
            awaitNoticed();
        }
    }

    // ---- contracts as a whole

    /**
     * Returns what is declared of every table, as all datacenters know it, in the order of names. A table that was dropped since
     * is still among them.
     *
     * @throws SequenceException.Unavailable if a majority of the global keyspace's replicas does not answer
     */
    public List<TableContract> contracts() {
        return calls.get(contracts.everywhere());
    }

    /**
     * Returns what is declared of a table, as all datacenters know it; of revision 0 if nothing is.
     *
     * @throws SequenceException.Unavailable if a majority of the global keyspace's replicas does not answer
     * @throws IllegalArgumentException if the table is one of Cassidy's own
     */
    public TableContract contract(String keyspace, String table) {
        contracts.refuseOwn(keyspace, table);
        return calls.get(contracts.now(new TableName(keyspace, table)));
    }

    /**
     * Returns what another installation has declared of a table; empty if none has.
     *
     * @throws SequenceException.Unavailable if that cannot be read
     */
    public Optional<ForeignContract> ofAnother(String keyspace, String table) {
        return calls.get(contracts.ofAnother(new TableName(keyspace, table)));
    }

    /**
     * Returns which tables other installations number or are giving away.
     *
     * @throws SequenceException.Unavailable if that cannot be read
     * @throws SequenceException.Forbidden if the role lacks a right to read it
     */
    public List<ForeignTable> ofOthers() {
        return calls.get(contracts.ofOthers());
    }

    // ---- moves to another installation

    /**
     * Begins to give a table to another installation: from here on this one refuses every write to the table. Waits until each
     * process that reads its datacenter's keyspace knows, as {@link #declareWrites} does, since the other installation may
     * change how the rows are written.
     *
     * @param seen the contract on which an operator has decided
     * @param to the global keyspace of the other installation
     * @return the contract as it is being moved, or was moved
     * @throws SequenceException.Conflict if the contract was changed since, or the table is being moved elsewhere
     * @throws SequenceException.Unavailable naming a datacenter that has not copied it, or if processes could not be told; the
     *     table stays closed until the move is complete
     * @throws IllegalArgumentException if the table is one of Cassidy's own
     */
    public TableContract beginMove(TableContract seen, String to) {
        TableContract begun = lasting(contracts.move(
                name(seen), contract -> contract.movingTo(to, config.globalKeyspace(), seen.revision())));
        if (!Objects.requireNonNull(begun.move()).complete()) {
            notice.awaitEverywhere(begun, "be moved to the installation of keyspace " + to, Duration.ZERO);
        }
        return begun;
    }

    private static TableName name(TableContract contract) {
        return new TableName(contract.keyspace(), contract.table());
    }

    /**
     * Takes over what another installation has declared of a table; a no-op if this was done for this move. The caller has
     * ended the other one's sequences and begun this one's past them, has then read {@code here}, and after that
     * {@code from}.
     *
     * @param here the contract of this installation
     * @param from that of the other one, which is being moved here
     * @throws SequenceException.Conflict if the two contradict each other, or {@code here} was changed since
     * @throws IllegalArgumentException if the table is one of Cassidy's own
     */
    public void takeOver(TableContract here, TableContract from) {
        lasting(contracts.move(name(here), contract -> contract.takenOver(from, here.revision())));
    }

    /**
     * Throws what {@link #beginMove} and {@link #takeOver} would throw, and changes nothing.
     *
     * @param here the contract of this installation
     * @param from that of the other one, whose global keyspace is {@code giver}
     * @return what this installation's contract would be
     */
    public TableContract verifyMove(TableContract here, TableContract from, String giver) {
        TableContract begun =
                from.movingTo(config.globalKeyspace(), giver, from.revision()).orElse(from);
        return here.takenOver(begun, here.revision()).orElse(here);
    }

    /**
     * Completes a move: nothing is declared of the table here any more. A no-op if it is complete.
     *
     * @param begun the contract as it is being moved
     * @throws SequenceException.Conflict if another move was begun since
     */
    public void endMove(TableContract begun) {
        Move move = Objects.requireNonNull(begun.move());
        lasting(contracts.move(name(begun), contract -> contract.moved(move)));
    }

    // ---- sequences

    /**
     * Returns every column that takes or took its values from a sequence, as all datacenters know it: the identity columns, and
     * the columns with DEFAULT NEXT VALUE FOR it, also if that default was dropped, because the rows keep their ids. A table or
     * a column that was dropped since is still returned.
     *
     * @throws SequenceException.Unavailable if a majority of the global keyspace's replicas does not answer
     */
    public List<IdentityColumn> columnsOf(String sequence) {
        return calls.get(contracts.everywhere()).stream()
                .flatMap(contract -> contract.columns().stream())
                .filter(column -> column.sequence().equals(sequence))
                .distinct()
                .toList();
    }
}
