package dev.cassidy.counter.cassandra;

import com.datastax.oss.driver.api.core.cql.Row;
import dev.cassidy.lwt.CasOutcome;
import dev.cassidy.lwt.ConditionalStatements;
import dev.cassidy.lwt.ConditionalStatements.Cas;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletionStage;

/**
 * Numbers that change by conditional statements. A counter is a partition.
 *
 * <p>The last changes are kept in a ring of rows: row {@code revision % RING} names the revision and the operation that made
 * it. A ring has no tombstones, and its size does not depend on how many processes there are.
 */
public final class CassandraRevisedTable implements RevisedTable {

    private final ConditionalStatements local;
    private final boolean locked;
    private final String select;
    private final String selectChange;
    private final String update;
    private final String insertChange;

    /**
     * @param table its full name, as CQL writes it
     * @param locked whether it has a lock
     */
    public CassandraRevisedTable(ConditionalStatements local, String table, boolean locked) {
        this.local = local;
        this.locked = locked;
        this.select = "SELECT DISTINCT type, value, revision" + (locked ? ", fence, holder" : "") + " FROM " + table
                + " WHERE type = ?";
        this.selectChange = "SELECT made, op FROM " + table + " WHERE type = ? AND slot = ?";
        this.update = "UPDATE " + table + " SET ";
        this.insertChange = "UPDATE " + table + " SET made = ?, op = ? WHERE type = ? AND slot = ?";
    }

    @Override
    public CompletionStage<Revised> read(String counter) {
        return local.read(select, counter).thenApply(this::revised);
    }

    private Revised revised(List<Row> rows) {
        if (rows.isEmpty()) {
            return Revised.NOTHING;
        }
        // A number that is null reads as 0.
        Row row = rows.get(0);
        return new Revised(
                row.getLong("value"),
                row.getLong("revision"),
                locked ? row.getLong("fence") : 0,
                locked ? row.getUuid("holder") : null);
    }

    @Override
    public CompletionStage<CasOutcome> change(String counter, Revised seen, long value, UUID op) {
        long revision = seen.revision() + 1;
        // In one step: a reader that sees the revision must be able to see which operation made it.
        return local.execute(
                changeIf(counter, seen, value, revision), new Cas(insertChange, revision, op, counter, slot(revision)));
    }

    private Cas changeIf(String counter, Revised seen, long value, long revision) {
        List<Object> values = new ArrayList<>(List.of(value, revision, counter));
        String cql =
                update + "value = ?, revision = ? WHERE type = ? IF " + isStill("revision", seen.revision(), values)
                        + isSameValue(seen, values)
                        + (locked ? " AND " + isStill("fence", seen.fence(), values) : "");
        return new Cas(cql, values);
    }

    /** In a table that was emptied, revisions come again. */
    private static String isSameValue(Revised seen, List<Object> values) {
        if (seen.revision() == 0) {
            return "";
        }
        values.add(seen.value());
        return " AND value = ?";
    }

    @Override
    public CompletionStage<Evidence> evidence(String counter, long revision, UUID op) {
        return local.read(selectChange, counter, slot(revision))
                .thenApply(rows -> rows.isEmpty() ? Evidence.LOST : evidence(rows.get(0), revision, op));
    }

    private static Evidence evidence(Row row, long revision, UUID op) {
        if (row.getLong("made") != revision) {
            return Evidence.LOST;
        }
        return op.equals(row.getUuid("op")) ? Evidence.MADE : Evidence.NOT_MADE;
    }

    private static int slot(long revision) {
        return (int) (revision % RING);
    }

    @Override
    public CompletionStage<CasOutcome> lock(String counter, Revised seen, UUID holder) {
        List<Object> values = new ArrayList<>(List.of(seen.fence() + 1, holder, counter));
        String cql = update + "fence = ?, holder = ? WHERE type = ? IF " + isStill("fence", seen.fence(), values)
                + " AND " + isStill("revision", seen.revision(), values);
        return local.execute(new Cas(cql, values));
    }

    /** A column that was never written is null. */
    private static String isStill(String column, long seen, List<Object> values) {
        if (seen == 0) {
            return column + " = null";
        }
        values.add(seen);
        return column + " = ?";
    }

    @Override
    public CompletionStage<CasOutcome> unlock(String counter, long fence) {
        return local.execute(new Cas(update + "holder = null WHERE type = ? IF fence = ?", counter, fence));
    }
}
