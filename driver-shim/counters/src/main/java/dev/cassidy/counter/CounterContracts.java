package dev.cassidy.counter;

import com.datastax.oss.driver.api.core.AllNodesFailedException;
import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.servererrors.QueryExecutionException;
import com.datastax.oss.driver.api.core.servererrors.QueryValidationException;
import com.datastax.oss.driver.api.core.uuid.Uuids;
import dev.cassidy.cluster.BlockingCalls;
import dev.cassidy.cluster.JvmTimer;
import dev.cassidy.cluster.LocalCluster;
import dev.cassidy.cluster.SchemaAgreement;
import dev.cassidy.counter.cassandra.AdoptionCheck;
import dev.cassidy.counter.cassandra.UnfitTable;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.cassandra.InternalAccess;
import dev.cassidy.sequence.cassandra.Sequences;
import dev.cassidy.table.CounterTable;
import dev.cassidy.table.CounterTables;
import dev.cassidy.table.DeclaredCounters;
import dev.cassidy.table.TableContract;
import dev.cassidy.table.TableRegistry;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What kind of counters a table holds, and of which installation, as its contract says. Rows do not tell: a table of one kind
 * that is opened as another shows other values, and a fold makes them final. Blocks.
 *
 * <p>A contract is of one table by its id, so after DROP and CREATE nothing of it is of effect.
 */
final class CounterContracts {

    private static final Logger LOG = LoggerFactory.getLogger(CounterContracts.class);

    /** A schema change waits for the nodes to agree, and TRUNCATE for all of them; that outlasts the driver's 2 s. */
    private static final Duration SCHEMA_TIMEOUT = Duration.ofMinutes(1);

    /** So long may a write take from when its process has asked for the generation until no replica does it any more. */
    private static final Duration ON_ITS_WAY = Duration.ofSeconds(5);

    /** Between two looks whether another process has created the table. */
    private static final Duration PAUSE = Duration.ofMillis(200);

    /** How often a table is looked at that another process has created a moment ago. */
    private static final int MAX_LOOKS = 50;

    /** Others may create and drop the table at the same time. */
    private static final int MAX_TRIES = 5;

    private final LocalCluster cluster;
    private final CountersConfig config;
    private final TableName name;
    private final CounterTables tables;
    private final AdoptionCheck check;
    private final BlockingCalls calls;

    CounterContracts(LocalCluster cluster, CountersConfig config) {
        this.cluster = cluster;
        this.config = config;
        this.name = TableName.of(config.table());
        this.tables = CounterTables.of(cluster, config.globalKeyspace(), config.requestTimeout());
        this.check = new AdoptionCheck(cluster.session(), name.keyspace(), name.table(), config.requestTimeout());
        this.calls = new BlockingCalls(config.sequences());
    }

    /**
     * Returns the id of the table, if its contract says that it holds counters of the kind of the settings. Nothing is written.
     *
     * @throws CounterException.Unfit if the contract names another kind, or there is none, or no table
     * @throws SequenceException.Conflict if another installation counts in the table
     */
    UUID require() {
        UUID id = check.id().orElse(null);
        if (id == null) {
            // Says that it is missing.
            Kinds.check(name, cluster, config);
            throw meanwhile();
        }
        if (declared(id).orElseThrow(this::undeclared).pending()) {
            throw incomplete();
        }
        return id;
    }

    /** @throws CounterException.Unfit if the table is declared as one of another kind */
    private Optional<DeclaredCounters> declared(UUID id) {
        Optional<DeclaredCounters> declared = calls.get(tables.find(keyspace(), table(), id));
        declared.map(DeclaredCounters::table)
                .filter(counters -> !counters.kind().equals(kind()))
                .ifPresent(other -> {
                    throw new CounterException.Unfit(
                            "table " + name.asCql() + " holds counters of the kind " + other.kind() + ", and is to be"
                                    + " opened as one of " + kind()
                                    + ", which would show other values, and change them. Give"
                                    + " withKind(CounterKind." + other.kind() + "), or another table",
                            null);
                });
        return declared;
    }

    private CounterException.Unfit undeclared() {
        return new CounterException.Unfit(
                "table " + name.asCql()
                        + " was not made by Counters.create, so it is not known of which kind"
                        + " its counters are: what one kind adds up, another overwrites. If they are of the kind "
                        + kind()
                        + ", declare it once by Counters.adopt(session, config), or by: " + adopting(),
                null);
    }

    /** For this installation: adopted for another one, each would settle the other's increments away. */
    private String adopting() {
        String installation = config.sequences().globalKeyspace();
        return "cassidy counters adopt --table " + name.asCql() + " --kind " + kind()
                + (installation.equals(SequencesConfig.defaults().globalKeyspace())
                        ? ""
                        : " --global-keyspace " + installation);
    }

    private CounterException.Unfit incomplete() {
        return new CounterException.Unfit(
                "table " + name.asCql() + " is not declared completely as one of counters of the kind " + kind()
                        + ": a process is at it, or has ended before it was done. Complete it by Counters.create(session,"
                        + " config), or by: " + adopting(),
                null);
    }

    /**
     * Creates the table, unless it is there. The contract comes first, and names the id of the table to come. No id is used twice,
     * also if a process ended after it had created a table and before it had recorded that: a node that was down while a table is
     * dropped and created again under its id keeps the rows of the one that was dropped.
     */
    void create(IncrementType type) {
        try (Sequences sequences = Sequences.open(cluster.session(), config.sequences())) {
            TableRegistry registry = InternalAccess.tables(sequences);
            Set<UUID> begun = new HashSet<>();
            for (int tries = 0; tries < MAX_TRIES; tries++) {
                TableContract seen = seen(registry);
                Optional<UUID> found = existing();
                if (found.isPresent()) {
                    // What created it may have ended before it was done, or in another datacenter.
                    if (declared(found.get()).orElseThrow(this::undeclared).pending()) {
                        beginGenerationUnlessSeen(found.get());
                    }
                    declare(registry, seen.revision(), found.get());
                    return;
                }
                if (isCreatedByAnother(registry, seen, begun)) {
                    continue;
                }
                Kinds.requireNothingLeft(name, cluster, config);
                UUID id = Uuids.timeBased();
                if (!registry.beginCounters(keyspace(), table(), seen.revision(), id, kind())) {
                    continue;
                }
                begun.add(id);
                createAs(registry, id, type);
                if (check.id().filter(id::equals).isPresent()) {
                    beginGenerationOfNew(id);
                    declare(registry, seen.revision(), id);
                    return;
                }
                UUID before = idOf(seen);
                if (before != null && check.id().filter(before::equals).isPresent()) {
                    // It was there: the node that was asked had not heard of it, or its process has only stood still.
                    beginGeneration(before);
                    declare(registry, seen.revision() + 1, before);
                    return;
                }
            }
        }
        throw meanwhile();
    }

    /**
     * Returns the contract before a look for the table. A process that stands still after that look must not replace what others
     * declare meanwhile, of the table that they have created since.
     */
    private TableContract seen(TableRegistry registry) {
        return registry.contract(keyspace(), table());
    }

    /** Waits while another process is about to create the table; not if it must have ended, or have failed. */
    private boolean isCreatedByAnother(TableRegistry registry, TableContract seen, Set<UUID> own) {
        CounterTable begun = seen.counters();
        // An adopted table may have an id without a time.
        if (!seen.pending()
                || begun == null
                || own.contains(begun.id())
                || begun.id().version() != 1) {
            return false;
        }
        long age = Uuids.unixTimestamp(Uuids.timeBased()) - Uuids.unixTimestamp(begun.id());
        Duration left = SCHEMA_TIMEOUT.minusMillis(Math.max(0, age));
        for (; !left.isNegative(); left = left.minus(PAUSE)) {
            pause();
            if (check.id().isPresent() || seen(registry).revision() != seen.revision()) {
                return true;
            }
        }
        return false;
    }

    private static void pause() {
        try (JvmTimer timer = new JvmTimer()) {
            timer.after(PAUSE).toCompletableFuture().join();
        }
    }

    /** Sends CREATE TABLE. If it is refused, nobody has to wait for a table that never comes. */
    private void createAs(TableRegistry registry, UUID id, IncrementType type) {
        try {
            for (String ddl : Kinds.ddl(name, config.kind(), type, Optional.of(id))) {
                execute(cluster.session(), ddl);
            }
        } catch (QueryValidationException refused) {
            try {
                if (check.id().isEmpty()) {
                    registry.withdrawCounters(keyspace(), table(), id);
                }
            } catch (RuntimeException e) {
                refused.addSuppressed(e);
            }
            throw refused;
        }
    }

    private @Nullable UUID idOf(TableContract contract) {
        CounterTable counters = contract.counters();
        return counters != null && counters.kind().equals(kind()) ? counters.id() : null;
    }

    /** Its process may have begun one already, and count. */
    private void beginGenerationUnlessSeen(UUID id) {
        if (TableGeneration.form(config.kind()).isPresent()) {
            untilAllKnowTheTable();
            for (int looks = 1; ; looks++) {
                try {
                    generation(id).beginUnlessSeen();
                    return;
                } catch (DriverException e) {
                    // A node shows a table's id a moment before it can read the table.
                    if (looks == MAX_LOOKS) {
                        throw e;
                    }
                    pause();
                }
            }
        }
    }

    /** Without a look whether there is one, which would need all nodes: two do no harm. */
    private void beginGenerationOfNew(UUID id) {
        if (TableGeneration.form(config.kind()).isPresent()) {
            untilAllKnowTheTable();
            for (int looks = 1; ; looks++) {
                try {
                    var unused = generation(id).begin();
                    return;
                } catch (UnfitTable e) {
                    // A node tells that it has the schema a moment before it can write to the table.
                    if (looks == MAX_LOOKS || !String.valueOf(e.getMessage()).contains("does not exist")) {
                        throw e;
                    }
                    pause();
                }
            }
        }
    }

    private void untilAllKnowTheTable() {
        if (!SchemaAgreement.isReached(cluster.session())) {
            LOG.debug("not all nodes know table {} yet; those that do not refuse its first row", name.asCql());
        }
    }

    private CounterException.Unavailable meanwhile() {
        return new CounterException.Unavailable(
                "table " + name.asCql() + " was created or dropped by others at the same time; call again", null);
    }

    /** Another node may have created it, of which this one has not heard. */
    private Optional<UUID> existing() {
        Optional<UUID> found = check.id();
        if (found.isPresent()) {
            return found;
        }
        requireAgreement();
        return check.id();
    }

    private void requireAgreement() {
        if (!SchemaAgreement.isReached(cluster.session())) {
            throw new CounterException.Unavailable(
                    "the nodes do not agree on the schema, so it is not known whether there is a table " + name.asCql()
                            + ", or which; call again",
                    null);
        }
    }

    /**
     * Declares a table that was made by other means, or whose contract is lost, unless it is declared. If no row of it names a
     * generation, one begins, and what stands in the table counts.
     *
     * @throws CounterException.Unfit if it is declared as one of another kind, or its columns, options or rows do not fit
     */
    void adopt() {
        try (Sequences sequences = Sequences.open(cluster.session(), config.sequences())) {
            TableRegistry registry = InternalAccess.tables(sequences);
            TableContract seen = seen(registry);
            // A node that has not heard of DROP and CREATE would name a table that is gone.
            requireAgreement();
            UUID id = check.id().orElse(null);
            if (id == null
                    || declared(id).filter(declared -> !declared.pending()).isEmpty()) {
                // Says what is missing.
                Kinds.check(name, cluster, config);
                check.check(kind());
            }
            if (id == null || check.id().filter(id::equals).isEmpty()) {
                throw meanwhile();
            }
            beginGeneration(id);
            declare(registry, seen.revision(), id);
        }
    }

    private void beginGeneration(UUID id) {
        if (TableGeneration.form(config.kind()).isPresent()) {
            generation(id).beginUnlessThereIsOne();
        }
    }

    private TableGeneration generation(UUID id) {
        return TableGeneration.of(name, cluster, config, id);
    }

    /**
     * Empties the table, in two steps. What was on its way at the first TRUNCATE, or was noted as a hint for a node that was slow, is
     * deleted by the second. Where processes ask for the generation before they write what they know, the first one deletes its row,
     * and another generation begins after the second. Elsewhere Cassandra may compute a number from one that it has read before
     * TRUNCATE, so that there must be none in between. If this ends halfway, it is done once more from the beginning.
     */
    void truncate() {
        UUID id = require();
        List<TableName> tables = Kinds.tables(name, config.kind());
        for (TableName table : tables) {
            // Who may not read learns of that before anything is emptied.
            var unused = rows(table).isEmpty(ConsistencyLevel.LOCAL_ONE);
        }
        tables.forEach(this::truncate);
        untilNothingIsOnItsWay();
        boolean generations = TableGeneration.form(config.kind()).isPresent();
        if (!generations) {
            requireEmpty(tables.get(tables.size() - 1));
        }
        tables.forEach(this::truncate);
        if (generations) {
            var unused = generation(id).begin();
        }
        if (check.id().filter(id::equals).isEmpty()) {
            throw meanwhile();
        }
    }

    private AdoptionCheck rows(TableName table) {
        return new AdoptionCheck(cluster.session(), table.keyspace(), table.table(), config.requestTimeout());
    }

    private void requireEmpty(TableName table) {
        if (!rows(table).isEmpty(ConsistencyLevel.ALL)) {
            throw new CounterException.Unavailable(
                    "table " + table.asCql() + " has rows again, though it was emptied " + ON_ITS_WAY
                            + " ago: a process counts in it, or has collected, perhaps from a number that was read before."
                            + " Call again, while no process counts in it",
                    null);
        }
    }

    private void truncate(TableName table) {
        try {
            execute(cluster.session(), "TRUNCATE TABLE " + table.asCql());
        } catch (QueryExecutionException | AllNodesFailedException e) {
            throw new CounterException.Unavailable(
                    "table " + table.asCql() + " is not emptied, or not on each node: TRUNCATE needs all nodes of the"
                            + " cluster, and one is down or did not answer in time: " + e.getMessage()
                            + ". Start it, or remove it from the cluster, and call again",
                    e);
        }
    }

    private static void untilNothingIsOnItsWay() {
        try (JvmTimer timer = new JvmTimer()) {
            timer.after(ON_ITS_WAY).toCompletableFuture().join();
        }
    }

    /** @param seen the revision of the contract before the look for the table */
    private void declare(TableRegistry registry, int seen, UUID id) {
        if (!registry.declareCounters(keyspace(), table(), seen, id, kind())) {
            throw meanwhile();
        }
    }

    private String kind() {
        return config.kind().name();
    }

    private String keyspace() {
        return name.keyspace().asInternal();
    }

    private String table() {
        return name.table().asInternal();
    }

    private static void execute(CqlSession session, String ddl) {
        session.execute(SimpleStatement.newInstance(ddl).setTimeout(SCHEMA_TIMEOUT));
    }
}
