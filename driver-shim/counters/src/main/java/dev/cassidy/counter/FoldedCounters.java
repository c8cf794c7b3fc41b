package dev.cassidy.counter;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import dev.cassidy.counter.cassandra.CarriedTotals;
import dev.cassidy.counter.cassandra.CassandraCounterTable;
import dev.cassidy.counter.cassandra.CassandraSettlementStore;
import dev.cassidy.counter.cassandra.CassandraSlotStore;
import dev.cassidy.counter.cassandra.CassandraTouchedStore;
import dev.cassidy.counter.cassandra.CountedTable;
import dev.cassidy.counter.cassandra.IncrementColumn;
import dev.cassidy.counter.cassandra.Totals;
import dev.cassidy.counter.protocol.CounterContext;
import dev.cassidy.counter.protocol.CounterFailure;
import dev.cassidy.counter.protocol.CounterProtocol;
import dev.cassidy.counter.store.Actor;
import dev.cassidy.counter.store.CounterTable;
import dev.cassidy.counter.store.Versions;
import dev.cassidy.lwt.ConditionalStatements;
import java.math.BigInteger;
import java.time.Duration;
import java.util.concurrent.CompletionStage;

/** Counters of the kind {@link CounterKind#FOLDED}. */
final class FoldedCounters implements OpenCounters {

    /** More rows than this are worth a fold. */
    private static final long MANY_ROWS = 5_000;

    private static final Duration CLEANING = Duration.ofMinutes(10);

    /** It refuses nothing. */
    private static final CounterBase.Refusals REFUSALS = new CounterBase.Refusals(CounterKind.FOLDED, "", "");

    private final CountersConfig config;
    private final String datacenter;
    private final String table;
    private final CountedTable counted;

    /** The first part of the names of this datacenter's actors in this table. */
    private final String home;

    private final IncrementColumn column;
    private final Totals totals;
    private final CarriedTotals carried;
    private final CounterProtocol protocol;

    FoldedCounters(KindContext context, IncrementColumn column) {
        this.config = context.config();
        this.datacenter = context.cluster().datacenter();
        this.column = column;
        String keyspace = context.cluster().keyspace();
        this.table = context.table();
        this.counted = context.counted();
        this.home = counted.home(datacenter);
        Duration timeout = config.requestTimeout();
        this.totals = new Totals(context.cluster().session(), table, timeout);
        this.carried = new CarriedTotals(context.cluster().session(), table, column, timeout);
        ConditionalStatements local = context.local();
        this.protocol = new CounterProtocol(
                new CassandraSlotStore(local, keyspace, counted.key(), context.identity()::holder, context.clock()),
                new CassandraSettlementStore(local, keyspace, counted.key()),
                new CassandraCounterTable(
                        context.cluster().session(), table, counted, column, timeout, context.timer()),
                new CassandraTouchedStore(local, keyspace, counted.key()),
                new CounterContext(
                        home,
                        config.incrementTimeout(),
                        config.maxSlots(),
                        config.foldAfter(),
                        context.timer(),
                        context.nanoTime(),
                        context.checked(),
                        context.random(),
                        context.identity()::token),
                column.limit());
        protocol.startJanitor();
    }

    @Override
    public Counter counter(String type) {
        return new FoldedCounter(type);
    }

    @Override
    public boolean clean() {
        return Calls.await("cleaning up", Calls.failing(protocol.clean(), FoldedCounters::uncleaned), CLEANING);
    }

    private static Throwable uncleaned(Throwable cause) {
        return cause instanceof CounterException
                ? cause
                : new CounterException.Unavailable(
                        "not all slots of dead processes could be freed and settled; call again: " + cause.getMessage(),
                        cause);
    }

    @Override
    public CountersFigures figures() {
        return CountersFigures.of(protocol.figures());
    }

    @Override
    public void observe() {
        protocol.observe();
    }

    @Override
    public CompletionStage<BigInteger> carryOver(String type, BigInteger total) {
        requireFits("total", total);
        return Calls.failing(carried.carry(type, total), cause -> Calls.explained(type, cause));
    }

    private void requireFits(String what, BigInteger value) {
        if (!column.holds(value)) {
            throw new CounterException.Overflow("does not fit the column 'increment' of " + config.table() + ", "
                    + column.cql() + ": " + what + "=" + value);
        }
    }

    @Override
    public CompletionStage<Void> close() {
        return protocol.close();
    }

    @Override
    public void abandon() {
        protocol.abandon();
    }

    @Override
    public CompletionStage<Void> suspend() {
        return protocol.suspend();
    }

    @Override
    public void resume() {
        protocol.disownAndResume();
    }

    private final class FoldedCounter extends CounterBase {

        FoldedCounter(String type) {
            super(type, config, REFUSALS);
        }

        @Override
        CompletionStage<Void> send(long delta) {
            return incrementAsync(delta).thenAccept(receipt -> {});
        }

        @Override
        public CompletionStage<Receipt> incrementAsync(long delta) {
            requireAllowed(delta);
            requireFits("delta", BigInteger.valueOf(delta));
            return explained(protocol.increment(type(), delta)
                    .thenApply(written -> receipt(type(), written.actor(), written.version())));
        }

        @Override
        CompletionStage<BigInteger> valueAt(ConsistencyLevel level) {
            return totals.of(type(), level).thenApply(total -> {
                if (total.rows() > MANY_ROWS) {
                    protocol.foldLater(type());
                }
                return total.sum();
            });
        }

        @Override
        public CompletionStage<ReceiptStatus> statusAsync(Receipt receipt) {
            if (!receipt.type().equals(type())) {
                throw new IllegalArgumentException("is a receipt of another counter than '" + type() + "': " + receipt);
            }
            requireOfThisTable(receipt);
            Actor actor = Actor.of(receipt.actor()).orElseThrow();
            requireOfThisDatacenter(receipt, actor);
            return explained(counted.require()
                    .thenCompose(same -> protocol.verdict(type(), actor.slot(), receipt.version()))
                    .thenApply(verdict -> switch (verdict) {
                        case COUNTED -> ReceiptStatus.COUNTED;
                        case NOT_COUNTED -> ReceiptStatus.NOT_COUNTED;
                        case OPEN -> ReceiptStatus.OPEN;
                        case UNKNOWN, FORGOTTEN -> ReceiptStatus.UNKNOWN;
                    }));
        }

        private void requireOfThisTable(Receipt receipt) {
            if (!receipt.table().equals(table)) {
                throw new IllegalArgumentException("is a receipt of another table than " + table + ": " + receipt);
            }
            if (!receipt.tableId().equals(counted.id())) {
                throw new IllegalArgumentException("is a receipt of another table than " + table + " with the id "
                        + counted.id() + ": " + receipt
                        + ". A table that is dropped and created again is another one");
            }
        }

        private void requireOfThisDatacenter(Receipt receipt, Actor actor) {
            if (!actor.datacenter().equals(home)) {
                String written = counted.datacenter(actor.datacenter())
                        .orElseThrow(() -> new IllegalArgumentException(
                                "must name an actor of the table, datacenter~table/slot: " + receipt));
                throw new CounterException.Refused("only a process of datacenter " + written
                        + " can tell what became of an increment that was written there; this one is in " + datacenter
                        + ": " + receipt);
            }
        }

        @Override
        public CompletionStage<FoldResult> foldAsync() {
            return explained(protocol.fold(type()).thenApply(done -> new FoldResult(done.rows(), done.left())));
        }

        @Override
        <T> CompletionStage<T> explained(CompletionStage<T> stage) {
            return Calls.failing(stage, cause -> {
                if (cause instanceof CounterFailure failure) {
                    return told(type(), failure);
                }
                return cause instanceof CounterTable.TooManyRows
                        ? new CounterException.Unavailable(String.valueOf(cause.getMessage()), cause)
                        : Calls.explained(type(), cause);
            });
        }
    }

    private Receipt receipt(String type, String actor, long version) {
        return new Receipt(table, counted.id(), type, actor, Versions.epoch(version), Versions.number(version));
    }

    private CounterException told(String type, CounterFailure failure) {
        String message = String.valueOf(failure.getMessage());
        if (failure instanceof CounterFailure.OutcomeUnknown unknown) {
            return new CounterException.OutcomeUnknown(
                    message, receipt(type, unknown.actor(), unknown.version()), unknown.getCause());
        }
        if (failure instanceof CounterFailure.NotSent) {
            return new CounterException.NotSent(message, failure.getCause());
        }
        if (failure instanceof CounterFailure.NoSlot) {
            return new CounterException.NoSlot(message);
        }
        return failure instanceof CounterFailure.Foreign
                ? new CounterException.ForeignWrite(message)
                : new CounterException.Overflow(message);
    }
}
