package dev.cassidy.counter.cassandra;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.cql.Row;
import dev.cassidy.counter.store.BrokenOff;
import dev.cassidy.counter.store.SlotLease;
import dev.cassidy.counter.store.SlotStore;
import dev.cassidy.counter.store.StepOutcome;
import dev.cassidy.lwt.ConditionalStatements;
import dev.cassidy.lwt.ConditionalStatements.Cas;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/** Slots in CQL: a partition for each, so that neither beats nor looks of different processes meet. */
public final class CassandraSlotStore implements SlotStore {

    private static final String LEASE = "SELECT DISTINCT slot, epoch, lease, beat, free, holder FROM ";

    private final ConditionalStatements local;
    private final String table;
    private final String counters;
    private final Supplier<String> holder;
    private final InstantSource clock;

    /**
     * @param counters the full name of the table whose slots they are
     * @param holder the name under which this process holds slots
     */
    public CassandraSlotStore(
            ConditionalStatements local,
            String keyspace,
            String counters,
            Supplier<String> holder,
            InstantSource clock) {
        this.local = local;
        this.table = keyspace + ".counter_slot";
        this.counters = counters;
        this.holder = holder;
        this.clock = clock;
    }

    @Override
    public CompletionStage<List<SlotLease>> glance(int from, int to) {
        List<Integer> slots = IntStream.range(from, to).boxed().toList();
        return local.peek(
                        ConsistencyLevel.LOCAL_ONE,
                        LEASE + table + " WHERE counters = ? AND slot IN ?",
                        counters,
                        slots)
                .thenApply(rows ->
                        rows.stream().flatMap(row -> lease(row).stream()).toList());
    }

    @Override
    public CompletionStage<Optional<SlotLease>> read(int slot) {
        return first(local.read(LEASE + table + " WHERE counters = ? AND slot = ?", counters, slot));
    }

    @Override
    public CompletionStage<Optional<SlotLease>> look(int slot) {
        return first(local.peek(
                ConsistencyLevel.LOCAL_QUORUM, LEASE + table + " WHERE counters = ? AND slot = ?", counters, slot));
    }

    private static CompletionStage<Optional<SlotLease>> first(CompletionStage<List<Row>> rows) {
        return rows.thenApply(found -> found.isEmpty() ? Optional.empty() : lease(found.get(0)));
    }

    private static Optional<SlotLease> lease(Row row) {
        UUID token = row.getUuid("lease");
        return token == null || row.isNull("epoch")
                ? Optional.empty()
                : Optional.of(new SlotLease(
                        row.getInt("slot"), row.getInt("epoch"), token, row.getLong("beat"), row.getBoolean("free")));
    }

    @Override
    public CompletionStage<List<BrokenOff>> brokenOff(int slot, int epoch) {
        return local.read(
                        "SELECT ended, swept FROM " + table + " WHERE counters = ? AND slot = ? AND ended >= ?",
                        counters,
                        slot,
                        epoch)
                .thenApply(rows -> rows.stream()
                        .map(row -> new BrokenOff(row.getInt("ended"), row.getBoolean("swept")))
                        .toList());
    }

    @Override
    public CompletionStage<StepOutcome> create(SlotLease wanted) {
        // Of a partition without rows, a condition on a static column is judged against null.
        return Steps.execute(
                local,
                new Cas(
                        "UPDATE " + table + " SET epoch = ?, lease = ?, beat = ?, free = false, holder = ?, at = ?"
                                + " WHERE counters = ? AND slot = ? IF epoch = null",
                        wanted.epoch(),
                        wanted.token(),
                        wanted.beat(),
                        holder.get(),
                        clock.instant(),
                        counters,
                        wanted.slot()));
    }

    @Override
    public CompletionStage<StepOutcome> take(SlotLease seen, SlotLease wanted) {
        Cas lease = new Cas(
                "UPDATE " + table + " SET epoch = ?, lease = ?, beat = ?, free = false, holder = ?, at = ?"
                        + " WHERE counters = ? AND slot = ? IF epoch = ? AND lease = ? AND beat = ? AND free = ?",
                wanted.epoch(),
                wanted.token(),
                wanted.beat(),
                holder.get(),
                clock.instant(),
                counters,
                seen.slot(),
                seen.epoch(),
                seen.token(),
                seen.beat(),
                seen.free());
        if (seen.free()) {
            return Steps.execute(local, lease);
        }
        // In one step: whoever sees the new lease must be able to see how the old one ended.
        return Steps.execute(
                local,
                lease,
                new Cas(
                        "UPDATE " + table + " SET swept = false WHERE counters = ? AND slot = ? AND ended = ?",
                        counters,
                        seen.slot(),
                        seen.epoch()));
    }

    @Override
    public CompletionStage<StepOutcome> renew(SlotLease held, long beat) {
        return Steps.execute(
                local,
                new Cas(
                        "UPDATE " + table + " SET beat = ?, at = ? WHERE counters = ? AND slot = ?"
                                + " IF epoch = ? AND lease = ? AND free = false",
                        beat,
                        clock.instant(),
                        counters,
                        held.slot(),
                        held.epoch(),
                        held.token()));
    }

    @Override
    public CompletionStage<StepOutcome> release(SlotLease held) {
        return Steps.execute(
                local,
                new Cas(
                        "UPDATE " + table + " SET free = true, at = ? WHERE counters = ? AND slot = ?"
                                + " IF epoch = ? AND lease = ? AND free = false",
                        clock.instant(),
                        counters,
                        held.slot(),
                        held.epoch(),
                        held.token()));
    }

    @Override
    public CompletionStage<StepOutcome> swept(int slot, int epoch) {
        return Steps.execute(
                local,
                new Cas(
                        "UPDATE " + table + " SET swept = true WHERE counters = ? AND slot = ? AND ended = ?"
                                + " IF swept = false",
                        counters,
                        slot,
                        epoch));
    }

    @Override
    public CompletionStage<Optional<String>> holder(int slot) {
        return local.peek(
                        ConsistencyLevel.LOCAL_ONE, LEASE + table + " WHERE counters = ? AND slot = ?", counters, slot)
                .thenApply(rows -> rows.stream()
                        .findFirst()
                        .map(row -> Objects.requireNonNullElse(row.getString("holder"), "unknown")));
    }
}
