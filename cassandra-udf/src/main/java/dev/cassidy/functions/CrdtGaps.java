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
@CqlAggregate(name = "crdt_gaps")
public final class CrdtGaps {

    private CrdtGaps() {}

    /**
     * Adds a row.
     *
     * @param state empty at first; then the actor, its last row's version, the last version of which it is known that it
     *     and all before it in its epoch are there or listed, and how many gaps there are; then the first 100 gaps. A
     *     tuple would do better, but a body for Cassandra 4.1 can make no list
     */
    public static List<String> add(
            List<String> state, @Nullable String actor, @Nullable Long version, @Nullable Long upto) {
        if (actor == null || version == null) {
            return state;
        }
        if (version < 0) {
            throw new IllegalArgumentException("crdt_gaps: a version must be >= 0: version=" + version + " actor="
                    + actor + "; something else than a counter has written this row");
        }
        if (state.isEmpty()) {
            state.add(actor);
            state.add("-1");
            state.add("0");
            state.add("0");
        }
        long done = Long.parseLong(state.get(2));
        if (!actor.equals(state.get(0)) || version <= Long.parseLong(state.get(1))) {
            state.set(0, actor);
            done = 0;
        }
        state.set(1, Long.toString(version));
        long seq = version & 0xFFFFFFFFL;
        if (seq == 0) {
            done = upto == null ? done : Math.max(done, upto);
        } else if (seq != 0xFFFFFFFFL && version > done) {
            long next = version >>> 32 == done >>> 32 ? done + 1 : version - seq + 1;
            if (version > next) {
                int gaps = Integer.parseInt(state.get(3)) + 1;
                state.set(3, Integer.toString(gaps));
                if (gaps <= 100) {
                    state.add(actor + ":" + next + ".." + (version - 1));
                }
            }
            done = version;
        }
        state.set(2, Long.toString(done));
        return state;
    }

    public static List<String> result(List<String> state) {
        if (state.isEmpty()) {
            return state;
        }
        int more = Integer.parseInt(state.get(3)) - 100;
        for (int i = 0; i < 4; i++) {
            state.remove(0);
        }
        if (more > 0) {
            state.add("and " + more + " more");
        }
        return state;
    }
}
