package dev.cassidy.functions;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Whether an enable-wins flag is set: whether there is a tag of which no row is removed. Who sets the flag writes a tag of
 * its own; who clears it marks the tags that it sees as removed. So a flag that is set and cleared at the same time is
 * set. Rows without a tag are skipped; a {@code removed} of null is false, and the flag of nothing is not set.
 *
 * <p>The order of the rows does not matter, so all tags are remembered.
 */
@CqlAggregate(name = "crdt_flag")
public final class CrdtFlag {

    private CrdtFlag() {}

    /**
     * Adds a row.
     *
     * @param tags whether each is removed
     */
    public static <@OneOf({"text", "uuid"}) T> Map<String, Boolean> add(
            Map<String, Boolean> tags, @Nullable T tag, @Nullable Boolean removed) {
        if (tag == null) {
            return tags;
        }
        String name = tag.toString();
        if (removed != null && removed) {
            tags.put(name, true);
        } else if (!tags.containsKey(name)) {
            tags.put(name, false);
        }
        return tags;
    }

    public static Boolean value(Map<String, Boolean> tags) {
        return tags.containsValue(false);
    }
}
