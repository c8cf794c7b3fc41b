package dev.cassidy.functions;

import org.jspecify.annotations.Nullable;

/**
 * The number of elements of an observed-remove set: those with at least one tag of which no row is removed. Rows without
 * an element or a tag are skipped; a {@code removed} of null is false.
 *
 * <p>The rows of an element must be side by side, and among them those of a tag. They are where the set is the partition
 * key and the element and the tag are the first clustering columns; then the elements come in the order of text. Any other
 * order is refused, because an element that came back would be counted twice.
 */
@CqlAggregate(
        name = "crdt_orset_size",
        tuple = {"bigint", "text", "text", "boolean", "boolean", "int"})
public final class CrdtOrsetSize {

    private CrdtOrsetSize() {}

    /**
     * Adds a row.
     *
     * @param state how many of the former elements are in the set; the element, its tag, whether that tag is removed;
     *     whether one of the element's former tags is not; 1 if the elements ascend, -1 if they descend, 0 while there is
     *     one
     */
    public static <@OneOf({"text", "uuid"}) T> Tuple add(
            Tuple state, @Nullable String elem, @Nullable T tag, @Nullable Boolean removed) {
        if (elem == null || tag == null) {
            return state;
        }
        String name = tag.toString();
        String former = state.getString(1);
        boolean sameElement = elem.equals(former);
        if (!sameElement || !name.equals(state.getString(2))) {
            if (former != null && !state.getBool(3)) {
                state.setBool(4, true);
            }
            state.setString(2, name);
            state.setBool(3, false);
        }
        if (!sameElement) {
            if (former != null) {
                int same = 0;
                while (same < former.length() && same < elem.length() && former.charAt(same) == elem.charAt(same)) {
                    same++;
                }
                // Cassandra sorts text by code points; String.compareTo does not.
                int direction = same == former.length()
                                || (same < elem.length() && former.codePointAt(same) < elem.codePointAt(same))
                        ? 1
                        : -1;
                if (state.getInt(5) == -direction) {
                    throw new IllegalArgumentException("crdt_orset_size: the rows of an element must be side by side,"
                            + " with the elements in the order of text: elem=" + elem + " after elem=" + former
                            + "; read one set of a table with PRIMARY KEY(set, elem, tag, ...), or GROUP BY set");
                }
                state.setInt(5, direction);
                if (state.getBool(4)) {
                    state.setLong(0, state.getLong(0) + 1);
                }
            }
            state.setString(1, elem);
            state.setBool(4, false);
        }
        if (removed != null && removed) {
            state.setBool(3, true);
        }
        return state;
    }

    public static Long result(Tuple state) {
        boolean live = state.getBool(4) || (state.getString(1) != null && !state.getBool(3));
        return state.getLong(0) + (live ? 1 : 0);
    }
}
