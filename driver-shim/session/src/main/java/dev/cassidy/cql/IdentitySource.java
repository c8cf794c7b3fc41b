package dev.cassidy.cql;

import dev.cassidy.async.Stages;
import dev.cassidy.cql.IdentityInsertException.Reason;
import dev.cassidy.insert.Identity;
import dev.cassidy.sequence.IdAllocator;
import dev.cassidy.sequence.IdRange;
import dev.cassidy.sequence.IdentityType;
import dev.cassidy.sequence.Order;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.cassandra.InternalAccess;
import dev.cassidy.sequence.cassandra.SequenceState;
import dev.cassidy.sequence.cassandra.Sequences;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Draws ids for identity columns and checks those that a statement gives itself. Never blocks. */
final class IdentitySource {

    private static final String WAY_OUT =
            "For a new row leave the column out; for a row that exists use UPDATE (@Update, template.update, @Version)";

    private static final CompletionStage<Void> ALLOWED = CompletableFuture.completedStage(null);

    private final Sequences sequences;
    private final ExplicitIds explicitIds;

    IdentitySource(Sequences sequences, ExplicitIds explicitIds) {
        this.sequences = sequences;
        this.explicitIds = explicitIds;
    }

    /** Draws the next id: that of a lone statement, which is the common case. */
    CompletionStage<Long> drawOne(String sequence) {
        return Stages.thenCompose(sequences.allocatorAsync(sequence), IdAllocator::nextLongAsync);
    }

    /** Draws ids in the order in which the sequence issues them. */
    CompletionStage<long[]> draw(String sequence, int count) {
        return sequences.allocatorAsync(sequence).thenCompose(allocator -> fill(allocator, new long[count], 0));
    }

    private static CompletionStage<long[]> fill(IdAllocator allocator, long[] ids, int from) {
        int position = from;
        while (position < ids.length) {
            CompletableFuture<IdRange> range =
                    allocator.nextRangeAsync(ids.length - position).toCompletableFuture();
            int reached = position;
            if (!range.isDone() || range.isCompletedExceptionally()) {
                return range.thenCompose(late -> fill(allocator, ids, copy(late, ids, reached)));
            }
            // A loop, since a stage within a stage for each of many small ranges would exhaust the stack.
            position = copy(range.join(), ids, reached);
        }
        return CompletableFuture.completedFuture(ids);
    }

    private static int copy(IdRange range, long[] ids, int position) {
        for (int i = 0; i < range.count(); i++) {
            ids[position + i] = range.get(i);
        }
        return position + Math.toIntExact(range.count());
    }

    static long requireFit(long id, IdentityType type, Identity identity) {
        if (id < type.lowest() || id > type.highest()) {
            throw new IdentityInsertException(
                    Reason.DOES_NOT_FIT,
                    "id " + id + " of sequence " + identity.sequence() + " does not fit column " + column(identity)
                            + " of type " + type + " (" + type.lowest() + " to " + type.highest()
                            + "); Cassandra cannot widen a column: move the rows to a table with a wider one");
        }
        return id;
    }

    /**
     * Refuses an explicit id that the sequence may issue, or has issued, to another row, as far as {@link ExplicitIds} says. A
     * key with DEFAULT NEXT VALUE FOR also takes what SELECT NEXT VALUE FOR has shown, which is how T-SQL gives such a key.
     */
    CompletionStage<Void> requireAllowed(long id, Identity identity) {
        if (explicitIds == ExplicitIds.PASS
                || (explicitIds == ExplicitIds.ISSUED && sequences.hasIssued(identity.sequence(), id))
                || (identity.byDefault() && InternalAccess.hasShown(sequences, identity.sequence(), id))) {
            return ALLOWED;
        }
        return InternalAccess.localStateAsync(sequences, identity.sequence()).thenAccept(state -> {
            // A sequence that awaits its seed has issued nothing: what is inserted now is a backfill.
            if (state.ready() && !state.isBeforeFloor(id)) {
                throw new IdentityInsertException(Reason.EXPLICIT_ID, refusal(id, identity, state));
            }
        });
    }

    private static String refusal(long id, Identity identity, SequenceState state) {
        SequenceSpec spec = state.spec();
        String where = "id " + id + " for column " + column(identity) + " lies ";
        if (spec.increment() > 0 ? id > spec.maximum() : id < spec.minimum()) {
            return where + "past the bound of sequence " + identity.sequence() + ", "
                    + (spec.increment() > 0 ? spec.maximum() : spec.minimum())
                    + ", where a sequence that takes its place would issue ids. " + WAY_OUT;
        }
        return where + "where sequence " + identity.sequence() + " issues ids, from " + state.floor()
                + (spec.increment() > 0 ? " upwards" : " downwards")
                + ": Cassandra would overwrite the row that has or gets this id. " + WAY_OUT
                + (identity.byDefault()
                        ? ", or give an id that SELECT NEXT VALUE FOR " + identity.sequence()
                                + " has drawn in this process"
                        : "")
                + (spec.order() == Order.TIME
                        ? ""
                        : ", or call sequences.admin().advancePast(\"" + identity.sequence() + "\", " + id + ") first");
    }

    static String column(Identity identity) {
        return identity.keyspace() + '.' + identity.table() + '.' + identity.column();
    }
}
