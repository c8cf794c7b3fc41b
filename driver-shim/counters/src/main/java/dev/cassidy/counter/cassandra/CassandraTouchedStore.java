package dev.cassidy.counter.cassandra;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import dev.cassidy.counter.store.TouchedStore;
import dev.cassidy.lwt.ConditionalStatements;
import dev.cassidy.lwt.ConditionalStatements.Cas;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Touched counters in CQL: a partition for each epoch of a slot. */
public final class CassandraTouchedStore implements TouchedStore {

    /** In one batch, whose size the server limits. */
    private static final int AT_ONCE = 50;

    private static final int READ_AT_ONCE = 500;

    private final ConditionalStatements local;
    private final String table;
    private final String counters;

    /** @param counters the full name of the table whose counters they are */
    public CassandraTouchedStore(ConditionalStatements local, String keyspace, String counters) {
        this.local = local;
        this.table = keyspace + ".counter_touched";
        this.counters = counters;
    }

    @Override
    public CompletionStage<Void> note(int slot, int epoch, Collection<String> names) {
        List<String> all = new ArrayList<>(names);
        CompletionStage<Void> done = CompletableFuture.completedFuture(null);
        for (int from = 0; from < all.size(); from += AT_ONCE) {
            Cas[] some = all.subList(from, Math.min(all.size(), from + AT_ONCE)).stream()
                    .map(name -> new Cas(
                            "INSERT INTO " + table + " (counters, slot, epoch, name) VALUES (?, ?, ?, ?)",
                            counters,
                            slot,
                            epoch,
                            name))
                    .toArray(Cas[]::new);
            done = done.thenCompose(before -> local.note(ConsistencyLevel.LOCAL_QUORUM, some));
        }
        return done;
    }

    @Override
    public CompletionStage<List<String>> next(int slot, int epoch, String after) {
        return local.peek(
                        ConsistencyLevel.LOCAL_QUORUM,
                        "SELECT name FROM " + table
                                + " WHERE counters = ? AND slot = ? AND epoch = ? AND name > ? LIMIT " + READ_AT_ONCE,
                        counters,
                        slot,
                        epoch,
                        after)
                .thenApply(rows -> rows.stream()
                        .map(row -> String.valueOf(row.getString("name")))
                        .toList());
    }

    @Override
    public CompletionStage<Void> forget(int slot, int epoch, String after, String upto) {
        return local.note(
                ConsistencyLevel.LOCAL_QUORUM,
                new Cas(
                        "DELETE FROM " + table
                                + " WHERE counters = ? AND slot = ? AND epoch = ? AND name > ? AND name <= ?",
                        counters,
                        slot,
                        epoch,
                        after,
                        upto));
    }

    @Override
    public CompletionStage<Void> forget(int slot, int epoch) {
        return local.note(
                ConsistencyLevel.LOCAL_QUORUM,
                new Cas(
                        "DELETE FROM " + table + " WHERE counters = ? AND slot = ? AND epoch = ?",
                        counters,
                        slot,
                        epoch));
    }
}
