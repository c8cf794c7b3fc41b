package dev.cassidy.table;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.servererrors.UnauthorizedException;
import dev.cassidy.async.LookUps;
import dev.cassidy.async.Stages;
import dev.cassidy.async.StandingWrites;
import dev.cassidy.cluster.Grants;
import dev.cassidy.cluster.SaidOnce;
import dev.cassidy.definition.TableDefinition;
import dev.cassidy.lwt.ConditionalStatements;
import dev.cassidy.sequence.IdentityColumn;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.store.ChangeLog;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The contracts of tables as one instance knows them, and as its datacenter has copied them. All are read once from the global
 * keyspace, which lacks none; after that, those of which a change was announced. So a table that is not among them costs no
 * read. While the global level does not answer, this datacenter's copy stands in, and this class says that some may be missing.
 *
 * <p>Safe for use by many threads; nothing blocks.
 */
public final class Contracts {

    private static final Logger LOG = LoggerFactory.getLogger(Contracts.class);

    private static final int MAX_UNDEFINED = 10_000;

    private static final String SELECT_TABLE =
            "SELECT table_name FROM system_schema.tables WHERE keyspace_name = ? AND table_name = ?";

    private static final String SELECT_TYPE = "SELECT type FROM system_schema.columns WHERE keyspace_name = ? AND"
            + " table_name = ? AND column_name = ?";

    /** Of CQL. SQL Server's identities may also be tinyint and decimal. */
    private static final List<String> IDENTITY_TYPES =
            List.of("bigint", "int", "smallint", "tinyint", "varint", "decimal");

    private final ConditionalStatements global;
    private final ConditionalStatements local;
    private final String globalKeyspace;
    private final String localKeyspace;
    private final Predicate<String> ownKeyspaces;
    private final ContractChanges contractChanges;
    private final Supplier<Set<UUID>> nodes;
    private final OtherInstallations others;
    private final ConcurrentMap<TableName, TableContract> known = new ConcurrentHashMap<>();
    private final AtomicLong generation = new AtomicLong();
    private final LookUps<TableName> lookUps;
    private final LookUps<String> grants;

    /** Ids of tables that no contract is of, by what was read once they existed. A contract comes before its table. */
    private final Set<UUID> undefined = ConcurrentHashMap.newKeySet();

    private final AtomicReference<@Nullable CompletableFuture<Void>> loading = new AtomicReference<>();

    /** Why contracts may be missing; null once the global level has answered. */
    private final AtomicReference<@Nullable Throwable> incomplete =
            new AtomicReference<>(new IllegalStateException("not read yet"));

    /** Completes when the global level has answered for the first time. */
    private final CompletableFuture<Void> completed = new CompletableFuture<>();

    private volatile boolean wanted;

    /** Whether the global level or this datacenter's copy has answered. */
    private volatile boolean answered;

    /** Whether a contract says how rows are written, or that another installation writes them. */
    private volatile boolean anyWrites;

    /** Whether T-SQL has defined a table. */
    private volatile boolean anyDefinition;

    /** Whether values of a table are reserved, because they must be unique. */
    private volatile boolean anyUnique;

    /** Whether a column has a twin. */
    private volatile boolean anyTwins;

    private volatile boolean anyCounted;

    /**
     * @param ownKeyspaces those that Cassidy has in the cluster now, in any installation
     * @param nodes the host ids of the cluster's nodes; what is said once of a cluster is not said again
     * @param standing tells when no node can forget a contract any more
     */
    public Contracts(
            ConditionalStatements global,
            ConditionalStatements local,
            String globalKeyspace,
            String localKeyspace,
            Predicate<String> ownKeyspaces,
            ChangeLog changes,
            Supplier<Set<UUID>> nodes,
            StandingWrites standing,
            LongSupplier nanoTime) {
        this.global = global;
        this.local = local;
        this.globalKeyspace = globalKeyspace;
        this.localKeyspace = localKeyspace;
        this.ownKeyspaces = ownKeyspaces;
        this.contractChanges = new ContractChanges(global, local, globalKeyspace, localKeyspace, changes, standing);
        this.nodes = nodes;
        this.others = new OtherInstallations(global, globalKeyspace, nodes, nanoTime);
        this.lookUps = new LookUps<>(nanoTime);
        this.grants = new LookUps<>(nanoTime);
    }

    // ---- what is known

    /** Returns a table's contract if it is known without a read; null if it has none, or is not known. */
    @Nullable
    TableContract cached(TableName name) {
        return known.get(name);
    }

    /** Returns whether they were read, so that a table that is not known has none; from now on they are wanted. */
    boolean isKnown() {
        if (!wanted) {
            wanted = true;
        }
        return answered;
    }

    /** Returns whether no contract says how rows are written; false also if that is not known without a read. */
    boolean areAllPlain() {
        return isKnown() && !anyWrites;
    }

    /** Returns whether no T-SQL has defined a table; false also if that is not known without a read. */
    boolean areNoneDefined() {
        return isKnown() && !anyDefinition;
    }

    /** Returns whether no table has values that are reserved; false also if that is not known without a read. */
    boolean areNoneUnique() {
        return isKnown() && !anyUnique;
    }

    /** Returns whether no column has a twin; false also if that is not known without a read. */
    boolean areNoneTwinned() {
        return isKnown() && !anyTwins;
    }

    /** Returns whether no column counts; false also if that is not known without a read. */
    boolean areNoneCounted() {
        return isKnown() && !anyCounted;
    }

    /** Returns a number that grows with each change of what inserts do; to be read before what may have changed. */
    long generation() {
        return generation.get();
    }

    /** Returns why a table that is not known may have a contract all the same; empty if all are known. */
    Optional<Throwable> incomplete() {
        return Optional.ofNullable(incomplete.get());
    }

    /** Completes once all contracts are known; it never fails. */
    public CompletionStage<Void> completed() {
        return completed.copy();
    }

    /** Looks a table's contract up, after the first read of all; the stage fails if nothing has answered yet. */
    CompletionStage<Optional<TableContract>> find(TableName name) {
        if (!isKnown()) {
            return load().thenApply(read -> Optional.ofNullable(known.get(name)));
        }
        Throwable cause = incomplete.get();
        if (cause == null || Grants.refusal(cause) == null) {
            return CompletableFuture.completedFuture(Optional.ofNullable(known.get(name)));
        }
        // The right to read them may have been granted a moment ago.
        return grants.lookUp(globalKeyspace, this::loadAgain).thenApply(read -> Optional.ofNullable(known.get(name)));
    }

    /**
     * Looks up what is declared of the table that has an id. If what is known is of another table, reads once more: a table may
     * have been made a moment ago. Of a table that was not made by T-SQL, that is one read.
     */
    CompletionStage<Optional<TableDefinition>> definition(TableName name, UUID id) {
        // Then all contracts are read from here on: a table that exists by now has none beyond these.
        boolean readNow = loading.get() == null && !answered;
        return find(name).thenCompose(found -> {
            Optional<TableDefinition> known = found.flatMap(contract -> contract.definitionOf(id));
            if (known.isPresent() || undefined.contains(id)) {
                return CompletableFuture.completedFuture(known);
            }
            return readNow && incomplete.get() == null
                    ? CompletableFuture.completedFuture(definitionNow(name, id, true))
                    : lookUp(name).handle((done, failure) -> definitionNow(name, id, failure == null));
        });
    }

    private Optional<TableDefinition> definitionNow(TableName name, UUID id, boolean answered) {
        TableContract contract = known.get(name);
        Optional<TableDefinition> now = contract == null ? Optional.empty() : contract.definitionOf(id);
        if (now.isEmpty() && answered) {
            if (undefined.size() >= MAX_UNDEFINED) {
                undefined.clear();
            }
            undefined.add(id);
        }
        return now;
    }

    private void remember(List<Row> found) {
        found.forEach(row -> remember(ContractRow.read(row)));
    }

    private synchronized void remember(TableContract found) {
        TableName name = new TableName(found.keyspace(), found.table());
        TableContract before = known.getOrDefault(name, TableContract.none(name.keyspace(), name.table()));
        if (before.revision() >= found.revision()) {
            return;
        }
        known.put(name, found);
        if (found.writes() != null || found.elsewhere(globalKeyspace).isPresent()) {
            anyWrites = true;
        }
        if (found.definition() != null) {
            anyDefinition = true;
            anyUnique |= !found.definition().uniqueKeys().isEmpty();
            anyTwins |= !found.definition().twins().isEmpty();
            anyCounted |= !found.definition().counted().isEmpty();
        }
        if (!before.defaults().equals(found.defaults())
                || !Objects.equals(before.identity(), found.identity())
                || !Objects.equals(before.writes(), found.writes())
                || !Objects.equals(before.move(), found.move())
                || !Objects.equals(before.definition(), found.definition())) {
            generation.incrementAndGet();
        }
    }

    // ---- reads

    /** Reads all of them; callers at the same time share one read. The stage fails if nothing has answered yet. */
    private CompletionStage<Void> load() {
        wanted = true;
        CompletableFuture<Void> mine = new CompletableFuture<>();
        CompletableFuture<Void> others = loading.compareAndExchange(null, mine);
        if (others != null) {
            return others;
        }
        read().whenComplete((done, failure) -> {
            loading.set(null);
            if (failure == null) {
                mine.complete(null);
            } else {
                mine.completeExceptionally(Stages.cause(failure));
            }
        });
        return mine;
    }

    private CompletionStage<Void> read() {
        return global.peek(ConsistencyLevel.QUORUM, select(globalKeyspace))
                .handle((found, failure) -> {
                    if (failure == null) {
                        remember(found);
                        answered = true;
                        incomplete.set(null);
                        completed.complete(null);
                        return CompletableFuture.<Void>completedFuture(null);
                    }
                    // A complete set stays complete: later changes are announced.
                    Throwable cause = Stages.cause(failure);
                    incomplete.updateAndGet(before -> before == null ? null : cause);
                    return readCopy(cause);
                })
                .thenCompose(done -> done);
    }

    private CompletionStage<Void> readCopy(Throwable failure) {
        return local.peek(ConsistencyLevel.LOCAL_QUORUM, select(localKeyspace)).handle((copied, alsoHere) -> {
            if (alsoHere == null) {
                remember(copied);
                answered = true;
            } else if (!answered) {
                throw new SequenceException.Unavailable(
                        "what is declared of tables is not known yet, and a row could be stored without its defaults, or a"
                                + " plain write be lost: neither keyspace " + globalKeyspace + " nor " + localKeyspace
                                + " answers; try again",
                        failure);
            }
            return null;
        });
    }

    private static String select(String keyspace) {
        return "SELECT " + ContractRow.COLUMNS + " FROM " + keyspace + ".contracts";
    }

    /** Reads all of them once more, if they are wanted and the global level has not answered yet. The stage never fails. */
    public CompletionStage<Void> loadAgain() {
        return incomplete.get() == null ? done() : loadAnew();
    }

    /** Reads all of them once more, if they are wanted. The stage never fails. */
    public CompletionStage<Void> loadAnew() {
        return wanted
                ? load().exceptionally(failure -> {
                    LOG.debug("the contracts of tables cannot be read now", failure);
                    return null;
                })
                : done();
    }

    /**
     * Reads the contract of a table whose change was announced.
     *
     * @param table as it was announced
     * @return a stage that fails if the global level did not answer; then this datacenter's copy was read, which may be older
     */
    public CompletionStage<Void> changed(String table) {
        return lookUp(TableName.announced(table));
    }

    private CompletionStage<Void> lookUp(TableName name) {
        return global.peek(
                        ConsistencyLevel.QUORUM,
                        select(globalKeyspace) + ContractRow.WHERE,
                        name.keyspace(),
                        name.table())
                .handle((found, failure) -> failure == null
                        ? CompletableFuture.completedFuture(found).thenAccept(this::remember)
                        : local.peek(
                                        ConsistencyLevel.LOCAL_QUORUM,
                                        select(localKeyspace) + ContractRow.WHERE,
                                        name.keyspace(),
                                        name.table())
                                .thenAccept(this::remember)
                                .thenCompose(read -> CompletableFuture.<Void>failedFuture(failure)))
                .thenCompose(done -> done);
    }

    /** Reads a table's contract at a majority of the global keyspace's replicas; the stage fails if they do not answer. */
    CompletionStage<TableContract> now(TableName name) {
        return lookUp(name)
                .thenApply(read -> known.getOrDefault(name, TableContract.none(name.keyspace(), name.table())));
    }

    /** Looks up a table that seems to have no identity, whatever was read before: at most once a second for each table. */
    CompletionStage<Optional<IdentityColumn>> identityAnew(TableName name) {
        Optional<IdentityColumn> now = identity(name);
        return now.isPresent()
                ? CompletableFuture.completedFuture(now)
                : anew(name).thenApply(read -> identity(name));
    }

    /** Reads a table's contract, whatever was read before: at most once a second for each table. The stage never fails. */
    CompletionStage<Void> anew(TableName name) {
        return lookUps.lookUp(name, () -> lookUp(name));
    }

    private Optional<IdentityColumn> identity(TableName name) {
        return Optional.ofNullable(known.get(name)).map(TableContract::identity);
    }

    /** Reads all of them at a majority of the global keyspace's replicas, in the order of their names. */
    CompletionStage<List<TableContract>> everywhere() {
        return all(global, ConsistencyLevel.QUORUM, globalKeyspace);
    }

    /** Reads this datacenter's copies. */
    CompletionStage<List<TableContract>> copies() {
        return all(local, ConsistencyLevel.LOCAL_QUORUM, localKeyspace);
    }

    private static CompletionStage<List<TableContract>> all(
            ConditionalStatements level, ConsistencyLevel consistency, String keyspace) {
        return level.peek(consistency, select(keyspace)).thenApply(rows -> rows.stream()
                .map(ContractRow::read)
                .sorted(Comparator.comparing(TableContract::keyspace).thenComparing(TableContract::table))
                .toList());
    }

    /** Returns whether a datacenter's copy has a contract, or a later revision of it; false also if it cannot be read. */
    CompletionStage<Boolean> isCopied(String keyspace, TableContract contract) {
        return global.peek(
                        ConsistencyLevel.QUORUM,
                        select(keyspace) + ContractRow.WHERE,
                        contract.keyspace(),
                        contract.table())
                .thenApply(found ->
                        !found.isEmpty() && ContractRow.read(found.get(0)).revision() >= contract.revision())
                .exceptionally(failure -> {
                    LOG.debug("the contracts of keyspace {} cannot be read now", keyspace, failure);
                    return false;
                });
    }

    // ---- changes

    /**
     * Refuses a contract of one of Cassidy's own tables: what fills in or conditions the writes of others must not reach the
     * tables on which unique ids depend.
     *
     * @throws IllegalArgumentException if the table is one of Cassidy's own
     */
    public void refuseOwn(String keyspace, String table) {
        if (ownKeyspaces.test(keyspace)) {
            throw new IllegalArgumentException(
                    "must not be one of Cassidy's own tables, which have no identity column, no"
                            + " default and no write mode: table=" + keyspace + "." + table);
        }
    }

    /**
     * Registers a table's identity column; the stage fails if another installation has a contract of the table, and with an {@link
     * IllegalArgumentException} if the column is of no type of an identity.
     *
     * @param ahead whether the table need not be there yet
     * @throws IllegalArgumentException if the table is one of Cassidy's own
     */
    public CompletionStage<Void> register(IdentityColumn column, boolean ahead) {
        refuseOwn(column.keyspace(), column.table());
        TableName name = new TableName(column.keyspace(), column.table());
        return requireType(column, ahead)
                .thenCompose(fits -> claim(name).make(contract -> contract.claiming(column)))
                .thenAccept(done -> {});
    }

    /** At ONE: each node has the whole schema. */
    private CompletionStage<Void> requireType(IdentityColumn column, boolean ahead) {
        return global.peek(ConsistencyLevel.ONE, SELECT_TYPE, column.keyspace(), column.table(), column.column())
                .thenCompose(found -> {
                    if (found.isEmpty()) {
                        return ahead ? done() : refuseMissing(column);
                    }
                    String type = String.valueOf(found.get(0).getString("type"));
                    if (!IDENTITY_TYPES.contains(type)) {
                        throw new IllegalArgumentException("must be one of " + String.join(", ", IDENTITY_TYPES)
                                + " to take the ids of sequence " + column.sequence() + ": type=" + type + " of column "
                                + column.column() + " of table " + column.keyspace() + "." + column.table()
                                + "; name another column, or give the table one");
                    }
                    return done();
                });
    }

    /** A slip in a name would otherwise show only in an insert into the table that was meant. */
    private CompletionStage<Void> refuseMissing(IdentityColumn column) {
        return global.peek(ConsistencyLevel.ONE, SELECT_TABLE, column.keyspace(), column.table())
                .thenAccept(found -> {
                    String table = column.keyspace() + "." + column.table();
                    throw new IllegalArgumentException(
                            "must name a column that exists, to take the ids of sequence " + column.sequence() + ": "
                                    + (found.isEmpty()
                                            ? "there is no table " + table
                                            : "table " + table + " has no column " + column.column())
                                    + "; correct the name, or create it first");
                });
    }

    /** Looks up what another installation has declared of a table, and not only claims; the stage fails if it cannot be read. */
    CompletionStage<Optional<ForeignContract>> ofAnother(TableName name) {
        return others.find()
                .thenCompose(found -> others.contractNow(name, found))
                .thenApply(found -> found.filter(ForeignContract::binds));
    }

    /** Reads which tables other installations number or give away; the stage fails if it cannot be read. */
    CompletionStage<List<ForeignTable>> ofOthers() {
        return others.allNow();
    }

    private IdentityClaim claim(TableName name) {
        Set<String> installations = ConcurrentHashMap.newKeySet();
        return new IdentityClaim(name, globalKeyspace, new IdentityClaim.Store() {
            @Override
            public CompletionStage<Optional<ForeignContract>> ofAnother() {
                return others.find().thenCompose(now -> {
                    // One may have been installed meanwhile, or the node that was asked may not have heard of it.
                    installations.addAll(now);
                    return others.contractNow(name, List.copyOf(installations));
                });
            }

            @Override
            public CompletionStage<TableContract> change(ContractChanges.Telling telling, ContractChanges.Step step) {
                return Contracts.this.change(name, telling, step);
            }
        });
    }

    /** The stage fails if another of these installations has declared anything of the table; a claim alone is of no effect. */
    private CompletionStage<Void> requireOwn(TableName name, List<String> installations) {
        return others.contractNow(name, installations)
                .thenAccept(contract -> contract.filter(ForeignContract::binds).ifPresent(other -> {
                    throw other.refusal(name, globalKeyspace);
                }));
    }

    /**
     * Declares a table that is about to be created; the stage fails if it has an identity and another installation a contract of it.
     *
     * @return the id under which to create it, and what was declared of the name before
     * @throws IllegalArgumentException if the table is one of Cassidy's own
     */
    CompletionStage<Declared> declare(TableDeclaration wanted) {
        TableName name = new TableName(wanted.keyspace(), wanted.table());
        refuseOwn(name.keyspace(), name.table());
        AtomicReference<@Nullable TableContract> before = new AtomicReference<>();
        ContractChanges.Step change = found -> {
            Optional<TableContract> next = found.declared(wanted);
            // Not if this is what was written just now, by a try whose answer was lost.
            if (next.isPresent()) {
                before.set(found);
            }
            return next;
        };
        CompletionStage<TableContract> declared = wanted.identity() == null
                ? change(name, ContractChanges.Telling.HINT, change).thenCompose(contract -> settled(name, contract))
                : claim(name).make(change);
        return declared.thenApply(contract -> {
            TableContract replaced = before.get();
            return new Declared(
                    Objects.requireNonNull(contract.definition()).id(),
                    replaced == null ? Optional.empty() : replaced.declaration());
        });
    }

    /** A declaration without an identity keeps the claim of one that is registered at the same time. */
    private CompletionStage<TableContract> settled(TableName name, TableContract contract) {
        return contract.claim() == null
                ? CompletableFuture.completedFuture(contract)
                : claim(name).complete(contract).thenApply(complete -> contract);
    }

    /**
     * Declares again what was declared before a CREATE TABLE whose table did not come into being; the stage fails as that of {@link
     * #register} if it had an identity.
     */
    CompletionStage<TableContract> restore(TableName name, UUID lost, TableDeclaration before) {
        ContractChanges.Step step = contract -> contract.restored(lost, before);
        return before.identity() == null
                ? change(name, ContractChanges.Telling.HINT, step)
                : claim(name).make(step);
    }

    /**
     * Declares a table of counters that is about to be created. No other installation knows the id that it will have.
     *
     * @throws IllegalArgumentException if the table is one of Cassidy's own
     */
    CompletionStage<TableContract> beginCounters(TableName name, CounterTable wanted, int seen) {
        refuseOwn(name.keyspace(), name.table());
        return others.find()
                .thenCompose(found -> requireOwn(name, found))
                .thenCompose(free -> change(
                        name, ContractChanges.Telling.HINT, contract -> contract.beginningCounters(wanted, seen)));
    }

    /**
     * Declares a table of counters that exists; the stage fails if another installation has declared anything else of the table,
     * or counts in it. It is claimed first, and complete after a look at the others. So of two installations at the same moment,
     * one at least sees the claim of the other and takes its own back, and a process that ends in between leaves a claim alone: in
     * such a table nobody counts, and a complete declaration of another installation is of effect.
     *
     * @throws IllegalArgumentException if the table is one of Cassidy's own
     */
    CompletionStage<TableContract> declareCounters(TableName name, CounterTable wanted, int seen) {
        refuseOwn(name.keyspace(), name.table());
        return others.find().thenCompose(found -> requireOwn(name, found)
                .thenCompose(free ->
                        change(name, ContractChanges.Telling.HINT, contract -> contract.claimingCounters(wanted, seen)))
                .thenCompose(claimed -> !wanted.equals(claimed.counters())
                        ? CompletableFuture.completedFuture(claimed)
                        : othersOfNow(found)
                                .thenCompose(all -> others.countingNow(name, wanted.id(), all))
                                .thenCompose(other -> settled(name, claimed, other))));
    }

    /** One may have been installed meanwhile, or the node that was asked may not have heard of it. */
    private CompletionStage<List<String>> othersOfNow(List<String> before) {
        return others.find()
                .thenApply(now ->
                        Stream.concat(before.stream(), now.stream()).distinct().toList());
    }

    /** Takes back what was begun under an id, whose table was not created; changes nothing if the contract is another one. */
    CompletionStage<TableContract> withdrawCounters(TableName name, UUID id) {
        return change(name, ContractChanges.Telling.HINT, contract -> contract.withoutBegun(id));
    }

    private CompletionStage<TableContract> settled(
            TableName name, TableContract claimed, Optional<ForeignCounters> other) {
        if (other.filter(foreign -> foreign.counts() || claimed.pending()).isEmpty()) {
            return !claimed.pending()
                    ? CompletableFuture.completedFuture(claimed)
                    : change(name, ContractChanges.Telling.HINT, contract -> contract.completingCounters(claimed));
        }
        // Also what another process has claimed: if two claims of dead processes stayed, each installation would refuse
        // for ever.
        return change(name, ContractChanges.Telling.HINT, contract -> contract.withoutCounters(claimed))
                .thenCompose(taken -> CompletableFuture.failedFuture(
                        CounterTables.ofAnother(name, other.orElseThrow(), globalKeyspace)));
    }

    /** Returns a stage that fails if another installation has declared anything of the table. */
    CompletionStage<Void> requireOwn(TableName name) {
        // What is known may be older than a move of the table, whose refusal says more than the other's contract.
        return now(name).thenCompose(contract -> {
            requireHere(contract);
            return others.find().thenCompose(found -> requireOwn(name, found));
        });
    }

    /**
     * Changes a contract, in the global keyspace first.
     *
     * @return the contract afterwards; the stage fails if the table was moved to another installation
     * @throws IllegalArgumentException if the table is one of Cassidy's own
     */
    CompletionStage<TableContract> change(TableName name, ContractChanges.Telling telling, ContractChanges.Step step) {
        return changeAny(name, telling, found -> {
            requireHere(found);
            return step.next(found);
        });
    }

    /** @throws SequenceException.Conflict if the table is another installation's, or is being moved there */
    void requireHere(TableContract contract) {
        contract.elsewhere(globalKeyspace).ifPresent(refusal -> {
            throw refusal;
        });
    }

    /** As {@link #change}, also of a table that is given to another installation; for what gives it. Others must learn of it. */
    CompletionStage<TableContract> move(TableName name, ContractChanges.Step step) {
        return changeAny(name, ContractChanges.Telling.MUST, step);
    }

    private CompletionStage<TableContract> changeAny(
            TableName name, ContractChanges.Telling telling, ContractChanges.Step step) {
        refuseOwn(name.keyspace(), name.table());
        return contractChanges.change(name, telling, step, known.get(name)).thenApply(contract -> {
            if (contract.revision() > 0) {
                remember(contract);
                keep(contract);
            }
            return contract;
        });
    }

    /** In the background: a statement that creates or alters a table does not wait for it. */
    private void keep(TableContract contract) {
        CompletionStage<Void> unused = contractChanges
                .keep(contract)
                .thenAccept(kept -> {
                    if (!kept) {
                        LOG.warn("{}", forgotten(contract).getMessage());
                    }
                })
                .exceptionally(failure -> {
                    LOG.warn(
                            "whether the last change of the contract of table {} is still there after nodes were killed is"
                                    + " not known: {}. Look with cassidy tables check, and declare it again if it is gone",
                            contract.name(),
                            Stages.cause(failure).getMessage());
                    return null;
                });
    }

    /**
     * Waits until no node can forget a contract, and writes it again if it is gone.
     *
     * @return a stage that fails with {@link SequenceException.Conflict} if another has changed what it followed meanwhile
     */
    CompletionStage<TableContract> lasting(TableContract contract) {
        return contractChanges.keep(contract).thenApply(kept -> {
            if (!kept) {
                throw forgotten(contract);
            }
            return contract;
        });
    }

    private static SequenceException.Conflict forgotten(TableContract contract) {
        return new SequenceException.Conflict("revision " + contract.revision() + " of the contract of table "
                + contract.name()
                + " was acknowledged, nodes that were killed have forgotten it, and another process has"
                + " declared something else since. Look with cassidy tables check, and declare it again");
    }

    /** Returns how long {@link #lasting} takes at most in addition to its requests. */
    Duration longestKeeping() {
        return contractChanges.longestKeeping();
    }

    // ---- copies

    /** Copies what this datacenter lacks; for when the others are unreachable. Never fails. */
    public CompletionStage<Void> copyFromGlobal() {
        return incomplete.get() == null ? copyMissing() : done();
    }

    /** Reads everything once more, if it is wanted, and copies what this datacenter lacks. The stage never fails. */
    public CompletionStage<Void> loadAndCopy() {
        return loadAnew().thenCompose(read -> copyFromGlobal());
    }

    private CompletionStage<Void> copyMissing() {
        return copies().thenCompose(here -> {
                    Map<TableName, Integer> revisions = new HashMap<>();
                    here.forEach(each -> revisions.put(new TableName(each.keyspace(), each.table()), each.revision()));
                    CompletionStage<Void> all = done();
                    for (Map.Entry<TableName, TableContract> each : known.entrySet()) {
                        if (revisions.getOrDefault(each.getKey(), 0)
                                < each.getValue().revision()) {
                            all = all.thenCompose(
                                    before -> contractChanges.copy(each.getValue(), ContractChanges.Telling.HINT));
                        }
                    }
                    return all;
                })
                .exceptionally(failure -> {
                    Throwable cause = Stages.cause(failure);
                    if (cause instanceof UnauthorizedException refused
                            && Grants.isMissing(refused)
                            && SaidOnce.INSTANCE.first(nodes.get(), "copy of contracts to " + localKeyspace)) {
                        LOG.warn(
                                "The contracts of tables cannot be copied to keyspace {}, and are not known while this"
                                        + " datacenter is cut off from the others: {}",
                                localKeyspace,
                                Grants.message(refused));
                    } else {
                        LOG.debug("contracts of tables could not be copied now", cause);
                    }
                    return null;
                });
    }

    private static CompletionStage<Void> done() {
        return CompletableFuture.completedFuture(null);
    }
}
