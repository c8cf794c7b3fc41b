package dev.cassidy.counter;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.uuid.Uuids;
import dev.cassidy.cluster.LocalCluster;
import dev.cassidy.counter.cassandra.AdoptionCheck;
import dev.cassidy.counter.cassandra.CountedTable;
import dev.cassidy.counter.cassandra.UnfitTable;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The generation of a table of counters: found, or begun. Blocks. */
final class TableGeneration {

    private static final Logger LOG = LoggerFactory.getLogger(TableGeneration.class);

    private final TableName name;
    private final CountersConfig config;
    private final CountedTable table;
    private final AdoptionCheck rows;

    private TableGeneration(TableName name, CountersConfig config, CountedTable table, AdoptionCheck rows) {
        this.name = name;
        this.config = config;
        this.table = table;
        this.rows = rows;
    }

    /** @throws java.util.NoSuchElementException if tables of the kind have no generations */
    static TableGeneration of(TableName name, LocalCluster cluster, CountersConfig config, UUID id) {
        CountedTable table = new CountedTable(
                cluster.session(),
                name.keyspace(),
                name.table(),
                id,
                form(config.kind()).orElseThrow(),
                config.requestTimeout());
        AdoptionCheck rows =
                new AdoptionCheck(cluster.session(), name.keyspace(), name.table(), config.requestTimeout());
        return new TableGeneration(name, config, table, rows);
    }

    /** Returns how the rows of a kind of counters look; empty if nothing of them is kept elsewhere, not even in memory. */
    static Optional<CountedTable.Form> form(CounterKind kind) {
        return switch (kind) {
            case FOLDED -> Optional.of(CountedTable.Form.FOLDED);
            case CUMULATIVE -> Optional.of(CountedTable.Form.CUMULATIVE);
            case VERSIONED -> Optional.of(CountedTable.Form.VERSIONED);
            case LINEARIZABLE, SERIALIZABLE, NATIVE, BUCKETED -> Optional.empty();
        };
    }

    CountedTable table() {
        return table;
    }

    /**
     * Returns the generation. Begins one if the table has no row at any replica: nothing that counts is lost then.
     *
     * @throws UnfitTable if there is none
     */
    UUID found() {
        try {
            return await(table.generation());
        } catch (UnfitTable none) {
            if (!rows.isEmpty(ConsistencyLevel.ALL)) {
                throw none;
            }
            LOG.warn(
                    "table {} is empty, though it is declared as one of counters: it was emptied by TRUNCATE, or all"
                            + " replicas have lost their rows. Its counters begin at 0",
                    name.asCql());
            return begin();
        }
    }

    /** Begins a generation unless there is one. What stands in the table counts. */
    void beginUnlessThereIsOne() {
        try {
            var unused = await(table.generation());
        } catch (UnfitTable none) {
            var unused = begin();
        }
    }

    /** Begins a generation unless a majority of the datacenter shows one. Nobody counts in the table yet, but may have begun to. */
    void beginUnlessSeen() {
        var unused = await(table.beginUnlessSeen(Uuids.timeBased()));
    }

    UUID begin() {
        return await(table.begin(Uuids.timeBased()));
    }

    private <T> T await(CompletionStage<T> stage) {
        return Calls.await(
                "asking for the generation of table " + name.asCql(),
                stage,
                config.requestTimeout().multipliedBy(4));
    }
}
