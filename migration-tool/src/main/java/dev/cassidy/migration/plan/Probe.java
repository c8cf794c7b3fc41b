package dev.cassidy.migration.plan;

import com.datastax.oss.driver.api.core.DriverException;
import dev.cassidy.migration.error.Finding;
import dev.cassidy.migration.target.Target;
import dev.cassidy.migration.target.TargetTable;
import dev.cassidy.sequence.SequenceException;
import java.math.BigInteger;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * An id that was drawn as an application draws one, and what it tells. The id is used up: nobody gets it again, and no row
 * will have it.
 *
 * @param id null if none could be drawn
 * @param finding a risk if an application would fail, or would get an id that the source used
 */
public record Probe(@Nullable Long id, Finding finding) {

    /**
     * Draws an id for each table, in this datacenter.
     *
     * @param tables each with a next id
     * @param parallelism how many are drawn at once, at least 1
     */
    public static Map<PlannedTable, Probe> draw(Target target, List<PlannedTable> tables, int parallelism) {
        Map<PlannedTable, Probe> drawn = new ConcurrentHashMap<>();
        new Steps(parallelism).forEach(tables, table -> drawn.put(table, draw(target, table)));
        return drawn;
    }

    private static Probe draw(Target target, PlannedTable table) {
        TargetTable to = Objects.requireNonNull(table.target());
        long next = Objects.requireNonNull(table.next());
        long id;
        try {
            id = target.sequences().allocator(to.sequence()).nextLong();
        } catch (SequenceException | DriverException e) {
            return new Probe(
                    null,
                    Finding.risk("no id of " + to.sequence() + " could be drawn in datacenter "
                            + target.sequences().localDatacenter() + ": " + e.getMessage()));
        }
        return table.reading().column().beyond(BigInteger.valueOf(next), BigInteger.valueOf(id))
                ? new Probe(
                        id,
                        Finding.risk("sequence " + to.sequence() + " issued " + id + ", and the source used ids up to "
                                + (next - table.reading().column().increment().longValueExact())
                                + ": stop what inserts into Cassandra, run cassidy migrate seed, and search for"
                                + " ids that stand for two"
                                + " rows"))
                : new Probe(id, Finding.info("sequence " + to.sequence() + " issued " + id + ", which is used up now"));
    }
}
