package dev.cassidy.sequence.cassandra;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.cql.Row;
import dev.cassidy.lwt.ConditionalStatements;
import dev.cassidy.lwt.ConditionalStatements.Cas;
import dev.cassidy.sequence.IdentityType;
import dev.cassidy.sequence.Order;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.SizeBounds;
import dev.cassidy.sequence.store.SequenceEntry;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * The shared columns of a sequence's partition in table {@code seq}. They are one value: what changes any of them writes all, and
 * who repairs them reads all.
 */
final class GlobalRow {

    static final String SPEC = "type, start, increment, minimum, maximum, ordering, stripes, block_min, block_max,"
            + " reserve_min, reserve_max";

    /** All of them. */
    static final String COLUMNS = "inc, ready, dropped, streams, next, max, origin, floor, " + SPEC;

    static final String SET_SPEC = "type = ?, start = ?, increment = ?, minimum = ?, maximum = ?, ordering = ?,"
            + " stripes = ?, block_min = ?, block_max = ?, reserve_min = ?, reserve_max = ?";

    private static final String SET =
            " SET inc = ?, ready = ?, dropped = ?, streams = ?, next = ?, max = ?, origin = ?, floor = ?, " + SET_SPEC
                    + " WHERE seq = ?";

    private GlobalRow() {}

    /** Reads it in the order of the conditional writes. */
    static CompletionStage<Optional<SequenceEntry>> read(
            ConditionalStatements global, String globalKeyspace, String name) {
        return global.read(query(globalKeyspace), name).thenApply(rows -> entry(name, rows));
    }

    /** Reads it at a majority, and makes the replicas that are asked agree. */
    static CompletionStage<Optional<SequenceEntry>> readAndRepair(
            ConditionalStatements global, String globalKeyspace, String name) {
        return global.peek(ConsistencyLevel.QUORUM, query(globalKeyspace), name).thenApply(rows -> entry(name, rows));
    }

    private static String query(String globalKeyspace) {
        return "SELECT DISTINCT " + COLUMNS + " FROM " + globalKeyspace + ".seq WHERE seq = ?";
    }

    private static Optional<SequenceEntry> entry(String name, List<Row> rows) {
        return rows.stream()
                .filter(row -> !row.isNull("inc"))
                .findFirst()
                .map(row -> entry(name, row, row.getInt("streams"), row.getLong("next"), row.getLong("origin")));
    }

    static SequenceEntry entry(String name, Row row, int streams, long next, long origin) {
        SequenceSpec spec = new SequenceSpec(
                name,
                IdentityType.valueOf(Objects.requireNonNull(row.getString("type"))),
                row.getLong("start"),
                row.getLong("increment"),
                row.getLong("minimum"),
                row.getLong("maximum"),
                Order.valueOf(Objects.requireNonNull(row.getString("ordering"))),
                row.getInt("stripes"),
                new SizeBounds(row.getLong("block_min"), row.getLong("block_max")),
                new SizeBounds(row.getLong("reserve_min"), row.getLong("reserve_max")));
        return new SequenceEntry(
                spec,
                row.getInt("inc"),
                row.getBoolean("ready"),
                row.getBoolean("dropped"),
                streams,
                next,
                origin,
                row.getLong("floor"));
    }

    static List<Object> specValues(SequenceSpec spec) {
        return List.of(
                spec.type().name(),
                spec.start(),
                spec.increment(),
                spec.minimum(),
                spec.maximum(),
                spec.order().name(),
                spec.stripes(),
                spec.block().smallest(),
                spec.block().largest(),
                spec.reserve().smallest(),
                spec.reserve().largest());
    }

    /** Makes a statement of values, and of lists of them. */
    static Cas cas(String cql, Object... parts) {
        List<Object> values = new ArrayList<>();
        for (Object part : parts) {
            if (part instanceof List<?> several) {
                values.addAll(several);
            } else {
                values.add(part);
            }
        }
        return new Cas(cql, values);
    }

    private static List<Object> values(SequenceEntry entry) {
        List<Object> all = new ArrayList<>(List.of(
                entry.incarnation(),
                entry.ready(),
                entry.dropped(),
                entry.streams(),
                entry.next(),
                entry.spec().count(),
                entry.origin(),
                entry.floor()));
        all.addAll(specValues(entry.spec()));
        all.add(entry.name());
        return all;
    }

    /** Makes it {@code entry}, if there is none. */
    static Cas insertion(String globalKeyspace, SequenceEntry entry) {
        return cas("UPDATE " + globalKeyspace + ".seq" + SET + " IF inc = null", values(entry));
    }

    /** Makes it {@code after}, if it is still as {@code seen}. */
    static Cas replacement(String globalKeyspace, SequenceEntry seen, SequenceEntry after) {
        return cas(
                "UPDATE " + globalKeyspace + ".seq" + SET + " IF inc = ? AND next = ? AND origin = ? AND floor = ?"
                        // What its ordinals mean, too: nodes may have forgotten this creation, and have another one.
                        + " AND ready = ? AND dropped = ? AND start = ? AND increment = ?",
                values(after),
                seen.incarnation(),
                seen.next(),
                seen.origin(),
                seen.floor(),
                seen.ready(),
                seen.dropped(),
                seen.spec().start(),
                seen.spec().increment());
    }
}
