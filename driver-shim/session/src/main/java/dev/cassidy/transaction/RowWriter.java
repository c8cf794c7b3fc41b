package dev.cassidy.transaction;

import dev.cassidy.async.Stages;
import dev.cassidy.transaction.RowChange.Kind;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Writes the rows of a transaction whose record says COMMITTED, in two rounds. First the values: a row's lock goes only when a majority has its
 * values and all rows of drawn ids, which have no lock. So what is missing has a lock that shows it, and whoever meets that writes it. And
 * a reader that asks for some columns makes the replicas agree on these alone: a free mark that came with the values could spread
 * without them.
 */
final class RowWriter {

    private static final int AT_ONCE = 64;

    private final RowStore rows;

    RowWriter(RowStore rows) {
        this.rows = rows;
    }

    /**
     * Writes what can be written now: a lock stays only where its own values or a row of a drawn id are not known to be written.
     *
     * @param micros each row, with the write timestamp of its lock; of no matter for a fresh row
     * @return the rows that are not known to be written, each with why; empty if all are
     */
    CompletionStage<Map<RowChange, Throwable>> write(Map<RowChange, Long> micros) {
        Map<RowChange, Throwable> open = new ConcurrentHashMap<>();
        List<RowChange> all = List.copyOf(micros.keySet());
        List<RowChange> locked =
                all.stream().filter(row -> row.kind() != Kind.FRESH).toList();
        return each(
                        all.stream().filter(row -> !endsByItself(row)).toList(),
                        row -> rows.write(row, micros.getOrDefault(row, 0L)),
                        open)
                .thenCompose(written -> {
                    open.entrySet().stream()
                            .filter(each -> each.getKey().kind() == Kind.FRESH)
                            .findFirst()
                            .ifPresent(fresh -> locked.forEach(row -> open.putIfAbsent(row, fresh.getValue())));
                    return each(
                            locked.stream()
                                    .filter(row -> !open.containsKey(row))
                                    .toList(),
                            row -> row.kind() == Kind.DELETE
                                    ? rows.write(row, micros.getOrDefault(row, 0L))
                                    : rows.free(row, micros.getOrDefault(row, 0L)),
                            open);
                })
                .thenApply(written -> open);
    }

    /** As {@link #all}, and the stage does not fail: what fails is put into {@code failed}. */
    static CompletionStage<Void> each(
            List<RowChange> all, Function<RowChange, CompletionStage<?>> what, Map<RowChange, Throwable> failed) {
        return all(all, row -> attempt(() -> what.apply(row)).handle((done, failure) -> {
            if (failure != null) {
                failed.put(row, Stages.cause(failure));
            }
            return null;
        }));
    }

    /** Whether nothing is written but the end of the lock. */
    private static boolean endsByItself(RowChange row) {
        return row.kind() == Kind.DELETE || row.kind() == Kind.CHECK;
    }

    /**
     * Does the same for all rows, for some at the same time: a connection takes no more than about a thousand requests. The stage ends when all
     * have ended, and fails if one of them did.
     */
    static <T> CompletionStage<Void> all(List<T> all, Function<T, CompletionStage<?>> what) {
        if (all.size() <= AT_ONCE) {
            return CompletableFuture.allOf(all.stream()
                    .map(one -> attempt(() -> what.apply(one)).toCompletableFuture())
                    .toArray(CompletableFuture<?>[]::new));
        }
        return all(all.subList(0, AT_ONCE), what)
                .handle((done, failure) -> all(all.subList(AT_ONCE, all.size()), what)
                        .thenCompose(rest -> failure == null
                                ? CompletableFuture.<Void>completedFuture(null)
                                : CompletableFuture.<Void>failedFuture(failure)))
                .thenCompose(stage -> stage);
    }

    /** Returns the rows that can be locked, those of each partition together, in their order. */
    static List<List<RowChange>> partitions(List<RowChange> rows) {
        Map<List<Object>, List<RowChange>> partitions = new LinkedHashMap<>();
        for (RowChange row : rows) {
            if (row.kind() != Kind.FRESH) {
                List<Object> partition = new ArrayList<>(
                        List.of(row.table().keyspace(), row.table().table()));
                row.key().values().stream().limit(row.partitionColumns()).forEach(partition::add);
                partitions
                        .computeIfAbsent(partition, first -> new ArrayList<>())
                        .add(row);
            }
        }
        return List.copyOf(partitions.values());
    }

    private static CompletionStage<?> attempt(Supplier<CompletionStage<?>> what) {
        try {
            return what.get();
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }
}
