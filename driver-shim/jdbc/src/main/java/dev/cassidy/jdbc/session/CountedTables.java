package dev.cassidy.jdbc.session;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.metadata.schema.TableMetadata;
import dev.cassidy.count.RowCounters;
import dev.cassidy.count.RowCounting;
import dev.cassidy.count.RowCountings;
import dev.cassidy.definition.CountMark;
import dev.cassidy.jdbc.error.SqlErrors;
import dev.cassidy.jdbc.error.Unserved;
import dev.cassidy.sequence.SequencesConfig;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The counters of tables whose columns count, opened when they are first needed. Safe for use by many threads. */
public final class CountedTables implements AutoCloseable {

    private final CqlSession session;
    private final SequencesConfig config;
    private final Map<Name, Opened> opened = new HashMap<>();
    private boolean closed;

    private record Name(String keyspace, String table) {}

    /** @param id of the table of counters as the driver saw it; null if it did not */
    private record Opened(RowCounters counters, @Nullable UUID id) {

        /** Returns whether another table of counters has the name by now. */
        boolean isOfAnother(@Nullable UUID now) {
            return id != null && now != null && !id.equals(now);
        }
    }

    /** @param session has the rights to Cassidy's tables */
    CountedTables(CqlSession session, SequencesConfig config) {
        this.session = session;
        this.config = config;
    }

    /**
     * Requires that there is what counts.
     *
     * @param what needs it
     */
    public static RowCounting require(String what) throws SQLException {
        return RowCountings.find()
                .orElseThrow(
                        () -> Unserved.feature(
                                what + " is not served without the artifact " + RowCountings.ARTIFACT
                                        + ", which counts: add it to the class path, or take dev.cassidy:cassidy-driver-shim, which brings it"));
    }

    /**
     * Makes the counters of a table, which need not exist; does nothing if they are there. Blocks.
     *
     * @param table internal name, as that of the keyspace
     */
    public void create(String keyspace, String table) throws SQLException {
        RowCounting counting = require("COUNTED");
        try {
            counting.create(session, config, keyspace, CountMark.tableOf(table));
        } catch (RuntimeException e) {
            throw SqlErrors.of(e);
        }
    }

    /**
     * Returns the counters of a table. The first call blocks.
     *
     * @param table internal name, as that of the keyspace
     */
    public RowCounters of(String keyspace, String table) throws SQLException {
        Name name = new Name(keyspace, table);
        UUID now = id(keyspace, CountMark.tableOf(table));
        synchronized (opened) {
            Opened known = opened.get(name);
            if (known != null && !known.isOfAnother(now)) {
                return known.counters();
            }
        }
        RowCounting counting = require("A table with columns that count, " + keyspace + "." + table + ",");
        Opened mine;
        try {
            // Outside of the lock: it waits for the cluster.
            mine = new Opened(counting.open(session, config, keyspace, CountMark.tableOf(table)), now);
        } catch (RuntimeException e) {
            throw SqlErrors.of(e);
        }
        Opened unused;
        RowCounters used;
        synchronized (opened) {
            Opened known = opened.get(name);
            boolean keeps = closed || (known != null && !known.isOfAnother(now));
            unused = keeps ? mine : known;
            used = keeps && known != null ? known.counters() : mine.counters();
            if (!keeps) {
                opened.put(name, mine);
            }
        }
        if (unused != null) {
            // Those of a table that is gone wait in vain for what is under way.
            RowCounters gone = unused.counters();
            CompletableFuture<Void> closing = CompletableFuture.runAsync(gone::close);
            if (gone == used) {
                closing.join();
                throw new IllegalStateException("The session is closed");
            }
        }
        return used;
    }

    private @Nullable UUID id(String keyspace, String table) {
        return session.getMetadata()
                .getKeyspace(CqlIdentifier.fromInternal(keyspace))
                .flatMap(found -> found.getTable(CqlIdentifier.fromInternal(table)))
                .flatMap(TableMetadata::getId)
                .orElse(null);
    }

    @Override
    public void close() {
        List<Opened> all;
        synchronized (opened) {
            closed = true;
            all = new ArrayList<>(opened.values());
            opened.clear();
        }
        // Each waits for what is under way, and none for another one.
        CompletableFuture.allOf(all.stream()
                        .map(each -> CompletableFuture.runAsync(each.counters()::close))
                        .toArray(CompletableFuture[]::new))
                .join();
    }
}
