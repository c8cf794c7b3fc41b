package dev.cassidy.count;

import com.datastax.oss.driver.api.core.CqlSession;
import dev.cassidy.sequence.SequencesConfig;

/**
 * Makes and opens tables in which columns of rows count; found by {@link RowCountings}. Methods block, and fail with {@link
 * CountException}.
 */
public interface RowCounting {

    /**
     * Creates a table of counters; a no-op if there is one.
     *
     * @param table internal name, as that of the keyspace, which must exist
     */
    void create(CqlSession session, SequencesConfig config, String keyspace, String table);

    /**
     * Opens the counters of a table. The session still belongs to the caller, who closes it after them.
     *
     * @param table internal name, as that of the keyspace
     */
    RowCounters open(CqlSession session, SequencesConfig config, String keyspace, String table);
}
