package dev.cassidy.benchmarks.driver;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/** The rows that one thread has inserted, and that it alone writes: no two statements of a race contend for a row. */
final class OwnRows {

    private static final int FEWEST = 100;

    /** How rows are inserted. */
    interface Insert {

        /** Inserts rows, each with {@link #QUANTITY}, and returns their ids. */
        Collection<Integer> rows(int count) throws Exception;
    }

    /** More than a race subtracts. */
    static final int QUANTITY = 1_000_000_000;

    private final Insert insert;
    private final boolean usedUp;
    private final Deque<Integer> ids = new ArrayDeque<>();
    private int used;
    private int mostUsed;

    /** @param usedUp whether a row can be written once */
    OwnRows(Insert insert, boolean usedUp) {
        this.insert = insert;
        this.usedUp = usedUp;
    }

    /** Has twice as many as any turn has used up so far. */
    void prepare() throws Exception {
        mostUsed = Math.max(mostUsed, used);
        used = 0;
        int missing = Math.max(FEWEST, 2 * mostUsed) - ids.size();
        if (missing > 0) {
            ids.addAll(insert.rows(missing));
        }
    }

    /** Returns the id of the next row; null if they are used up. */
    @Nullable
    Integer next() {
        Integer id = ids.poll();
        if (id != null && usedUp) {
            used++;
        } else if (id != null) {
            ids.add(id);
        }
        return id;
    }
}
