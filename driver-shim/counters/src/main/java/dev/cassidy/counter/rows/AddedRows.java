package dev.cassidy.counter.rows;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.Row;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.cassidy.cluster.LocalCluster;
import dev.cassidy.count.RowCounters.Addition;
import dev.cassidy.lwt.CasOutcome;
import dev.cassidy.lwt.ConditionalStatements;
import dev.cassidy.lwt.ConditionalStatements.Cas;
import java.math.BigInteger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The rows that transactions add to the counters of a table. They stand in the partition of their counter, so that every sum has them, under
 * actors that no slot has: one for each process and counter, whose rows have the versions 1, 2, 3 ... Their write timestamp
 * is the constant one of new rows, so that any process that ends a transaction may write its row again.
 *
 * <p>They are summed up into one row, where the home of the table is, by a conditional batch on the partition: each row is deleted on condition that it is
 * there, so that it moves once, even if others do the same, and a row that comes later is left. A deletion is later than every writing of
 * its row. The rows that this process has moved are deleted as a range as well, which covers the deletions before: otherwise each
 * transaction would leave a tombstone.
 *
 * <p>Safe for use by many threads; nothing blocks.
 */
final class AddedRows {

    private static final Logger LOG = LoggerFactory.getLogger(AddedRows.class);

    private static final String PREFIX = "transactions~";

    /** Sorts after all actors of rows, whose names end with an id in hexadecimal. */
    private static final String TOTAL = "total";

    /** So many rows of this process are worth a fold. */
    private static final int FOLD_AFTER = 32;

    /** So many rows of others are: as of processes that have ended. */
    private static final int MANY_OF_OTHERS = 256;

    private static final int MOST_IN_FOLD = 100;
    private static final int MOST_READ = 1_000;
    private static final int MOST_KNOWN = 10_000;

    /** After so many folds in vain, the rows of an actor are left to those who sum up the rows of others. */
    private static final int MOST_MISSED = 3;

    private final ConditionalStatements local;
    private final ConditionalStatements everywhere;
    private final String datacenter;
    private final String selectActor;
    private final String selectAll;
    private final String selectTotal;
    private final String delete;
    private final String deleteRange;
    private final String insertTotal;
    private final String updateTotal;

    @GuardedBy("this")
    private final Map<Name, Places> known = new LinkedHashMap<>(16, 0.75f, true);

    /** @param home the datacenter whose nodes sum up; empty if those of all do */
    private record Name(String counter, String home) {}

    /** A row that was read. */
    private record Added(String actor, long version, BigInteger increment) {}

    /** The rows of this process under one actor. */
    private static final class Places {

        private final String actor;
        private final TreeSet<Long> open = new TreeSet<>();

        /** Those that were never written. */
        private final TreeSet<Long> dropped = new TreeSet<>();

        private long next = 1;

        /** Up to here, each row was moved by this process, or never written. */
        private long folded;

        private long tried;
        private int missed;
        private boolean folding;

        Places(String actor) {
            this.actor = actor;
        }

        /** Returns the last version up to which all have ended. */
        long ended() {
            return open.isEmpty() ? next - 1 : open.first() - 1;
        }
    }

    private AddedRows(ConditionalStatements local, ConditionalStatements everywhere, String datacenter, String table) {
        this.local = local;
        this.everywhere = everywhere;
        this.datacenter = datacenter;
        String rows = "SELECT actor, version, increment FROM " + table + " WHERE type = ? AND ";
        this.selectActor = rows + "actor = ? AND version > ? AND version <= ? LIMIT " + MOST_IN_FOLD;
        this.selectAll = rows + "actor > ? AND actor < ? LIMIT " + MOST_READ;
        this.selectTotal = "SELECT increment FROM " + table + " WHERE type = ? AND actor = ? AND version = 0";
        String row = " WHERE type = ? AND actor = ? AND version = ";
        this.delete = "DELETE FROM " + table + row + "? IF EXISTS";
        this.deleteRange = "DELETE FROM " + table + " WHERE type = ? AND actor = ? AND version > 0 AND version <= ?";
        this.insertTotal =
                "INSERT INTO " + table + " (increment, type, actor, version) VALUES (?, ?, ?, 0) IF NOT EXISTS";
        this.updateTotal = "UPDATE " + table + " SET increment = ?" + row + "0 IF increment = ?";
    }

    /**
     * @param session as it is, without checks of those that wrap it
     * @param table as CQL writes it
     */
    static AddedRows of(CqlSession session, String table, Duration timeout) {
        return new AddedRows(
                ConditionalStatements.withinDatacenter(session, timeout),
                ConditionalStatements.acrossDatacenters(session, timeout),
                LocalCluster.localDatacenter(session),
                table);
    }

    private static String prefix(String home) {
        return PREFIX + home + "~";
    }

    /**
     * Returns whether this process sums up. A partition has one order alone: if nodes of two datacenters decided within themselves about one, the
     * commit of one could erase what the other has accepted ({@code paxos_variant: v1}).
     */
    private boolean sumsUp(String home) {
        return home.isEmpty() || home.equals(datacenter);
    }

    synchronized Addition next(String counter, String home) {
        Name name = new Name(counter, home);
        Places places = known.get(name);
        if (places == null) {
            places = new Places(prefix(home) + UUID.randomUUID());
            known.put(name, places);
            if (known.size() > MOST_KNOWN) {
                // Its rows are left to those who sum up the rows of others.
                Name eldest = known.keySet().iterator().next();
                known.remove(eldest);
            }
        }
        long version = places.next++;
        if (sumsUp(home)) {
            places.open.add(version);
        }
        return new Addition(counter, home, places.actor, version);
    }

    /** A range must not cover what comes later: this process begins with another actor. */
    void inDoubt(Addition addition) {
        leave(new Name(addition.counter(), addition.home()), addition.actor());
    }

    /** In a copy of the process: the rows that come belong to the process that was copied, if they have its actors. */
    synchronized void forget() {
        known.clear();
    }

    private synchronized void leave(Name name, String actor) {
        Places places = known.get(name);
        if (places != null && places.actor.equals(actor)) {
            known.remove(name);
        }
    }

    void ended(Addition addition, boolean written) {
        if (!sumsUp(addition.home())) {
            return;
        }
        Name name = new Name(addition.counter(), addition.home());
        Places own;
        long upto;
        boolean first = addition.version() == 1;
        synchronized (this) {
            Places places = known.get(name);
            if (places == null || !places.actor.equals(addition.actor())) {
                return;
            }
            places.open.remove(addition.version());
            if (!written) {
                places.dropped.add(addition.version());
            }
            upto = places.ended();
            boolean many = upto - Math.max(places.folded, places.tried) >= FOLD_AFTER;
            if (places.folding || !(many || first)) {
                return;
            }
            places.folding = true;
            places.tried = many ? upto : places.tried;
            own = places;
        }
        var unused = folding(name, own, first, upto).whenComplete((result, failure) -> {
            if (failure != null) {
                LOG.debug("rows of counter {} are summed up later", name.counter(), failure);
            }
            synchronized (this) {
                own.folding = false;
            }
        });
    }

    /** Throws nothing: the commit that has ended must not fail by this. */
    private CompletionStage<?> folding(Name name, Places own, boolean first, long upto) {
        try {
            return first ? foldOthers(name, own) : foldOwn(name, own, upto);
        } catch (RuntimeException e) {
            // As from a session that is closed.
            return CompletableFuture.failedFuture(e);
        }
    }

    private ConditionalStatements deciding(Name name) {
        return name.home().isEmpty() ? everywhere : local;
    }

    private CompletionStage<?> foldOwn(Name name, Places own, long upto) {
        long from;
        synchronized (this) {
            from = own.folded;
        }
        return deciding(name)
                .read(selectActor, name.counter(), own.actor, from, upto)
                .thenCompose(rows -> {
                    List<Added> found = rows.stream().map(AddedRows::added).toList();
                    long end = end(own, from, upto, found);
                    if (end == from) {
                        // Others have moved some, or the rows come from another datacenter and are late.
                        if (isGivenUp(own)) {
                            leave(name, own.actor);
                        }
                        return CompletableFuture.completedFuture(false);
                    }
                    List<Added> moving =
                            found.stream().filter(row -> row.version() <= end).toList();
                    return fold(name, moving, new Cas(deleteRange, name.counter(), own.actor, end))
                            .thenApply(moved -> {
                                if (moved || moving.isEmpty()) {
                                    folded(own, end);
                                }
                                return moved;
                            });
                })
                .thenCompose(done -> foldOthers(name, own));
    }

    /** Returns the last version up to which each row was found, or never written: a range may not cover what was not moved. */
    private synchronized long end(Places own, long from, long upto, List<Added> found) {
        Set<Long> moved = found.stream().map(Added::version).collect(Collectors.toSet());
        long end = from;
        while (end < upto && (moved.contains(end + 1) || own.dropped.contains(end + 1))) {
            end++;
        }
        return end;
    }

    private synchronized boolean isGivenUp(Places own) {
        own.missed++;
        return own.missed >= MOST_MISSED;
    }

    private synchronized void folded(Places own, long end) {
        own.folded = end;
        own.missed = 0;
        own.dropped.headSet(end, true).clear();
    }

    /** Those of processes that have ended, mostly. Of those that have not, each row moves once all the same. */
    private CompletionStage<?> foldOthers(Name name, Places own) {
        String prefix = prefix(name.home());
        return deciding(name)
                .read(selectAll, name.counter(), prefix, prefix + TOTAL)
                .thenCompose(rows -> {
                    List<Added> others = rows.stream()
                            .map(AddedRows::added)
                            .filter(row -> !row.actor().equals(own.actor) && isOf(row.actor(), prefix))
                            .toList();
                    return others.size() < MANY_OF_OTHERS
                            ? CompletableFuture.completedFuture(false)
                            : fold(name, others.subList(0, MOST_IN_FOLD), null);
                });
    }

    /** The name of a home may begin with that of another one. */
    private static boolean isOf(String actor, String prefix) {
        try {
            return UUID.fromString(actor.substring(prefix.length())).toString().length()
                    == actor.length() - prefix.length();
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    private static Added added(Row row) {
        return new Added(
                String.valueOf(row.getString("actor")),
                row.getLong("version"),
                BigInteger.valueOf(row.getLong("increment")));
    }

    /** @return whether the rows have moved into the total; if not, or if that is not known, they are there, or the next fold finds out */
    private CompletionStage<Boolean> fold(Name name, List<Added> rows, @Nullable Cas range) {
        if (rows.isEmpty()) {
            return CompletableFuture.completedFuture(false);
        }
        String total = prefix(name.home()) + TOTAL;
        ConditionalStatements deciding = deciding(name);
        return deciding.read(selectTotal, name.counter(), total).thenCompose(found -> {
            @Nullable
            BigInteger before =
                    found.isEmpty() ? null : BigInteger.valueOf(found.get(0).getLong("increment"));
            BigInteger sum = rows.stream().map(Added::increment).reduce(BigInteger.ZERO, BigInteger::add);
            BigInteger after = before == null ? sum : before.add(sum);
            if (after.bitLength() >= Long.SIZE) {
                LOG.debug("the rows of counter {} do not fit into one", name.counter());
                return CompletableFuture.completedFuture(false);
            }
            List<Cas> batch = new ArrayList<>();
            batch.add(
                    before == null
                            ? new Cas(insertTotal, after.longValueExact(), name.counter(), total)
                            : new Cas(
                                    updateTotal,
                                    after.longValueExact(),
                                    name.counter(),
                                    total,
                                    before.longValueExact()));
            rows.forEach(row -> batch.add(new Cas(delete, name.counter(), row.actor(), row.version())));
            if (range != null) {
                batch.add(range);
            }
            return deciding.execute(batch.toArray(Cas[]::new))
                    .thenApply(outcome -> outcome instanceof CasOutcome.Applied);
        });
    }
}
