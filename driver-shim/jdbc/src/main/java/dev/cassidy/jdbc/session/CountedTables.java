package dev.cassidy.jdbc.session;

import com.datastax.oss.driver.api.core.CqlSession;
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

/** The counters of tables whose columns count, opened when they are first needed. Safe for use by many threads. */
public final class CountedTables implements AutoCloseable {

    private final CqlSession session;
    private final SequencesConfig config;
    private final Map<Name, RowCounters> opened = new HashMap<>();
    private boolean closed;

    private record Name(String keyspace, String table) {}

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
        synchronized (opened) {
            RowCounters known = opened.get(name);
            if (known != null) {
                return known;
            }
        }
        RowCounting counting = require("A table with columns that count, " + keyspace + "." + table + ",");
        RowCounters mine;
        try {
            // Outside of the lock: it waits for the cluster.
            mine = counting.open(session, config, keyspace, CountMark.tableOf(table));
        } catch (RuntimeException e) {
            throw SqlErrors.of(e);
        }
        RowCounters others;
        synchronized (opened) {
            others = closed ? mine : opened.putIfAbsent(name, mine);
        }
        if (others == null) {
            return mine;
        }
        mine.close();
        if (others == mine) {
            throw new IllegalStateException("The session is closed");
        }
        return others;
    }

    @Override
    public void close() {
        List<RowCounters> all;
        synchronized (opened) {
            closed = true;
            all = new ArrayList<>(opened.values());
            opened.clear();
        }
        all.forEach(RowCounters::close);
    }
}
