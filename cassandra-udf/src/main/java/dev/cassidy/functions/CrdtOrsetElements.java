package dev.cassidy.functions;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The elements of an observed-remove set, in the order of the rows: those that {@link CrdtOrsetSize} counts. Rows without
 * an element or a tag are skipped; a {@code removed} of null is false.
 *
 * <p>The rows must be in the order that {@link CrdtOrsetSize} demands.
 */
@CqlAggregate(name = "crdt_orset_elements")
public final class CrdtOrsetElements {

    private CrdtOrsetElements() {}

    /**
     * Adds a row.
     *
     * @param state empty at first; then the last element, its tag, "removed" if that tag is, "live" if one of the
     *     element's former tags is not, and whether the elements ascend; then the former elements that are in the set. A
     *     tuple would do better, but a body for Cassandra 4.1 can make no list
     */
    public static <@OneOf({"text", "uuid"}) T> List<String> add(
            List<String> state, @Nullable String elem, @Nullable T tag, @Nullable Boolean removed) {
        if (elem == null || tag == null) {
            return state;
        }
        String name = tag.toString();
        if (state.isEmpty()) {
            state.add(elem);
            state.add(name);
            state.add("");
            state.add("");
            state.add("");
        }
        String former = state.get(0);
        boolean sameElement = elem.equals(former);
        if (!sameElement || !name.equals(state.get(1))) {
            if (state.get(2).isEmpty()) {
                state.set(3, "live");
            }
            state.set(1, name);
            state.set(2, "");
        }
        if (!sameElement) {
            int same = 0;
            while (same < former.length() && same < elem.length() && former.charAt(same) == elem.charAt(same)) {
                same++;
            }
            // Cassandra sorts text by code points; String.compareTo does not.
            String direction = same == former.length()
                            || (same < elem.length() && former.codePointAt(same) < elem.codePointAt(same))
                    ? "ascending"
                    : "descending";
            if (!state.get(4).isEmpty() && !state.get(4).equals(direction)) {
                throw new IllegalArgumentException("crdt_orset_elements: the rows of an element must be side by side,"
                        + " with the elements in the order of text: elem=" + elem + " after elem=" + former
                        + "; read one set of a table with PRIMARY KEY(set, elem, tag, ...), or GROUP BY set");
            }
            state.set(4, direction);
            if (!state.get(3).isEmpty()) {
                state.add(former);
            }
            state.set(0, elem);
            state.set(3, "");
        }
        if (removed != null && removed) {
            state.set(2, "removed");
        }
        return state;
    }

    public static List<String> result(List<String> state) {
        if (state.isEmpty()) {
            return state;
        }
        boolean live = state.get(2).isEmpty() || !state.get(3).isEmpty();
        if (live) {
            state.add(state.get(0));
        }
        for (int i = 0; i < 5; i++) {
            state.remove(0);
        }
        return state;
    }
}
