package dev.cassidy.counter;

import com.datastax.oss.driver.api.core.servererrors.QueryValidationException;
import dev.cassidy.async.Jitter;
import dev.cassidy.async.Stages;
import dev.cassidy.counter.cassandra.ActorTable;
import dev.cassidy.counter.cassandra.ActorTable.Total;
import dev.cassidy.counter.store.CounterTable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Writes the totals of one actor of one counter, each with the next version, which is its write timestamp too.
 *
 * <p><b>Why no total is lost.</b> A total whose outcome is unknown may reach the replicas at any later time, so nothing is
 * written after it until it was written again, as it is, to a majority. So a process leaves at most one total that nobody
 * may have seen. Its version is one more than the last that a majority has.
 *
 * <p>A process that begins with a counter reads the actor's last total at LOCAL_QUORUM and writes it to a majority again,
 * so that every later reader sees its version or a later one. Then it writes the same total with that version plus two:
 * what the former process may have left has a smaller version, and loses wherever it arrives. A process that dies after
 * its read leaves the same total with the same version as the next one that read it. Only when that is written does the
 * first increment follow.
 *
 * <p>If the table was emptied, the process begins with the counter again.
 *
 * <p>All this demands that one process at a time uses the actor.
 */
final class ActorWriter implements Lane.Writer {

    /** So that a version can be added to; far beyond what anybody writes. */
    private static final long LAST_VERSION = Long.MAX_VALUE / 2;

    private final ActorTable table;
    private final String counter;
    private final String actor;
    private final KindContext context;
    private final Consumer<Total> written;

    /** What a majority has; null before this process began with the counter. */
    private @Nullable Total last;

    /** What was sent and may be written, or not; null if there is nothing. Nothing else is written before it. */
    private @Nullable Total open;

    /** @param written receives each total that is written */
    ActorWriter(ActorTable table, String counter, String actor, KindContext context, Consumer<Total> written) {
        this.table = table;
        this.counter = counter;
        this.actor = actor;
        this.context = context;
        this.written = written;
    }

    @Override
    public CompletionStage<Void> write(IncrementGroup group) {
        return next(group, new Jitter(context.timer(), context.random()));
    }

    private CompletionStage<Void> next(IncrementGroup group, Jitter jitter) {
        if (group.isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        Total before = open;
        if (before != null) {
            return again(before, group, jitter, () -> next(group, jitter));
        }
        Total base = last;
        return base == null ? begin(group, jitter) : add(base, group, jitter);
    }

    private interface Step {
        CompletionStage<Void> go();
    }

    /** Writes what is open until a majority has it, and then takes the step; or nobody waits any more. */
    private CompletionStage<Void> again(Total total, IncrementGroup group, Jitter jitter, Step then) {
        if (group.isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        return table.require()
                .thenCompose(same -> table.write(counter, actor, total))
                .handle((done, failure) -> {
                    if (failure != null) {
                        return failed(Stages.cause(failure), group, jitter, () -> again(total, group, jitter, then));
                    }
                    last = total;
                    open = null;
                    return then.go();
                })
                .thenCompose(stage -> stage);
    }

    private CompletionStage<Void> begin(IncrementGroup group, Jitter jitter) {
        return table.read(counter, actor)
                .thenCompose(read -> read.version() == 0
                        ? CompletableFuture.completedFuture(read)
                        : table.require()
                                .thenCompose(same -> table.write(counter, actor, read))
                                .thenApply(done -> read))
                .handle((read, failure) -> {
                    if (failure != null) {
                        return failed(Stages.cause(failure), group, jitter, () -> begin(group, jitter));
                    }
                    if (read.version() > LAST_VERSION) {
                        group.giveUp(
                                "actor '" + actor + "' has a total that Cassidy did not write: its version "
                                        + read.version() + " leaves no room for others. Remove the row, or use another"
                                        + " actor",
                                null);
                        return CompletableFuture.<Void>completedFuture(null);
                    }
                    open = new Total(read.sum(), read.version() + 2);
                    return next(group, jitter);
                })
                .thenCompose(stage -> stage);
    }

    private CompletionStage<Void> add(Total base, IncrementGroup group, Jitter jitter) {
        // Before the group is sent: those who give up now are told that they do not count.
        return table.require()
                .handle((same, failure) -> failure == null
                        ? send(base, group, jitter)
                        : failed(Stages.cause(failure), group, jitter, () -> next(group, jitter)))
                .thenCompose(stage -> stage);
    }

    private CompletionStage<Void> send(Total base, IncrementGroup group, Jitter jitter) {
        Total total = new Total(group.send(base.sum()), base.version() + 1);
        if (group.isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        open = total;
        return table.write(counter, actor, total)
                .handle((done, failure) ->
                        failure == null ? counts(total, group) : unwritten(total, Stages.cause(failure), group, jitter))
                .thenCompose(stage -> stage);
    }

    /** What was added up before is gone with the table's rows, and so is what was sent with an unknown outcome. */
    private CompletionStage<Void> beginAgain(IncrementGroup group, Jitter jitter) {
        last = null;
        open = null;
        group.doesNotCount();
        return next(group, jitter);
    }

    private CompletionStage<Void> counts(Total total, IncrementGroup group) {
        last = total;
        open = null;
        group.counts();
        written.accept(total);
        return CompletableFuture.completedFuture(null);
    }

    private CompletionStage<Void> unwritten(Total total, Throwable cause, IncrementGroup group, Jitter jitter) {
        if (cause instanceof CounterTable.NotExecuted || cause instanceof CounterTable.Rejected) {
            open = null;
            group.doesNotCount();
            return failed(cause, group, jitter, () -> next(group, jitter));
        }
        return failed(cause, group, jitter, () -> again(total, group, jitter, () -> counts(total, group)));
    }

    private CompletionStage<Void> failed(Throwable cause, IncrementGroup group, Jitter jitter, Step then) {
        if (cause instanceof CounterTable.Emptied) {
            return beginAgain(group, jitter);
        }
        String why = "the total of actor '" + actor + "' is not written: " + cause.getMessage();
        if (cause instanceof CounterTable.Rejected || cause instanceof QueryValidationException) {
            group.giveUp(why, cause);
            return CompletableFuture.completedFuture(null);
        }
        group.because(why, cause);
        return jitter.pause().thenCompose(over -> then.go());
    }
}
