package dev.cassidy.functions;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The versions that are missing below an actor's largest one, in each epoch, as {@code actor:from..to}. The first 100 gaps
 * are listed, then {@code and N more}. In an epoch the versions begin at seq 1, see {@link CrdtExact}; those that a base
 * contains are not missing, and bases and bookends are not versions. Rows without an actor or a version are skipped.
 *
 * <p>Rows of an actor ascend by version. An actor whose versions begin again is taken for one of another type.
 */
@CqlAggregate(
        name = "crdt_gaps",
        tuple = {"list<text>", "bigint", "text", "bigint", "bigint"})
public final class CrdtGaps {

    private CrdtGaps() {}

    /**
     * Adds a row.
     *
     * @param state the gaps, how many more there are; the actor, its last row's version, and the last version of which it
     *     is known that it and all before it in its epoch are there or listed
     */
    public static Tuple add(Tuple state, @Nullable String actor, @Nullable Long version, @Nullable Long upto) {
        if (actor == null || version == null) {
            return state;
        }
        if (version < 0) {
            throw new IllegalArgumentException("crdt_gaps: a version must be >= 0: version=" + version + " actor="
                    + actor + "; something else than a counter has written this row");
        }
        long done = state.getLong(4);
        if (!actor.equals(state.getString(2)) || version <= state.getLong(3)) {
            state.setString(2, actor);
            done = 0;
        }
        state.setLong(3, version);
        long seq = version & 0xFFFFFFFFL;
        if (seq == 0) {
            done = upto == null ? done : Math.max(done, upto);
        } else if (seq != 0xFFFFFFFFL && version > done) {
            long next = version >>> 32 == done >>> 32 ? done + 1 : version - seq + 1;
            if (version > next) {
                List<String> gaps = state.getList(0, String.class);
                if (gaps.size() < 100) {
                    gaps.add(actor + ":" + next + ".." + (version - 1));
                    state.setList(0, gaps);
                } else {
                    state.setLong(1, state.getLong(1) + 1);
                }
            }
            done = version;
        }
        state.setLong(4, done);
        return state;
    }

    public static List<String> result(Tuple state) {
        List<String> gaps = state.getList(0, String.class);
        if (state.getLong(1) > 0) {
            gaps.add("and " + state.getLong(1) + " more");
        }
        return gaps;
    }
}
