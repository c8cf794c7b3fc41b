package dev.cassidy.counter.cassandra;

import com.datastax.oss.driver.api.core.cql.Row;
import dev.cassidy.counter.store.Settled;
import dev.cassidy.counter.store.SettlementStore;
import dev.cassidy.counter.store.StepOutcome;
import dev.cassidy.lwt.ConditionalStatements;
import dev.cassidy.lwt.ConditionalStatements.Cas;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;

/** Settlements in CQL: a partition for each counter and slot. */
public final class CassandraSettlementStore implements SettlementStore {

    private final ConditionalStatements local;
    private final String table;
    private final String counters;

    /** @param counters the full name of the table whose counters they are */
    public CassandraSettlementStore(ConditionalStatements local, String keyspace, String counters) {
        this.local = local;
        this.table = keyspace + ".counter_settled";
        this.counters = counters;
    }

    @Override
    public CompletionStage<Settled> read(String counter, int slot) {
        return local.read(
                        "SELECT DISTINCT epoch, sum FROM " + table + " WHERE counters = ? AND slot = ? AND name = ?",
                        counters,
                        slot,
                        counter)
                .thenApply(CassandraSettlementStore::settled);
    }

    private static Settled settled(List<Row> rows) {
        BigInteger sum = rows.isEmpty() ? null : rows.get(0).getBigInteger("sum");
        return sum == null ? Settled.NOTHING : new Settled(rows.get(0).getInt("epoch"), sum);
    }

    @Override
    public CompletionStage<StepOutcome> advance(
            String counter, int slot, Settled seen, Settled wanted, Map<Integer, Long> counted) {
        List<Cas> step = new ArrayList<>();
        step.add(
                seen.epoch() == 0
                        ? new Cas(
                                "UPDATE " + table
                                        + " SET epoch = ?, sum = ? WHERE counters = ? AND slot = ? AND name = ?"
                                        + " IF epoch = null",
                                wanted.epoch(),
                                wanted.sum(),
                                counters,
                                slot,
                                counter)
                        : new Cas(
                                "UPDATE " + table
                                        + " SET epoch = ?, sum = ? WHERE counters = ? AND slot = ? AND name = ?"
                                        + " IF epoch = ?",
                                wanted.epoch(),
                                wanted.sum(),
                                counters,
                                slot,
                                counter,
                                seen.epoch()));
        counted.forEach((epoch, number) -> step.add(new Cas(
                "UPDATE " + table + " SET counted = ? WHERE counters = ? AND slot = ? AND name = ? AND ended = ?",
                number,
                counters,
                slot,
                counter,
                epoch)));
        return Steps.execute(local, step.toArray(Cas[]::new));
    }

    @Override
    public CompletionStage<OptionalLong> counted(String counter, int slot, int epoch) {
        return local.read(
                        "SELECT counted FROM " + table + " WHERE counters = ? AND slot = ? AND name = ? AND ended = ?",
                        counters,
                        slot,
                        counter,
                        epoch)
                .thenApply(rows -> rows.isEmpty() || rows.get(0).isNull("counted")
                        ? OptionalLong.empty()
                        : OptionalLong.of(rows.get(0).getLong("counted")));
    }
}
