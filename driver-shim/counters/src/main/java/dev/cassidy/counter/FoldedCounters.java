package dev.cassidy.counter;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlSession;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.cassidy.async.Stages;
import dev.cassidy.counter.cassandra.CarriedTotals;
import dev.cassidy.counter.cassandra.CassandraCounterTable;
import dev.cassidy.counter.cassandra.CassandraSettlementStore;
import dev.cassidy.counter.cassandra.CassandraSlotStore;
import dev.cassidy.counter.cassandra.CassandraTouchedStore;
import dev.cassidy.counter.cassandra.CountedGeneration;
import dev.cassidy.counter.cassandra.CountedTable;
import dev.cassidy.counter.cassandra.IncrementColumn;
import dev.cassidy.counter.cassandra.Totals;
import dev.cassidy.counter.protocol.CounterContext;
import dev.cassidy.counter.protocol.CounterFailure;
import dev.cassidy.counter.protocol.CounterProtocol;
import dev.cassidy.counter.store.Actor;
import dev.cassidy.counter.store.CounterTable;
import dev.cassidy.counter.store.Versions;
import java.math.BigInteger;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Counters of the kind {@link CounterKind#FOLDED}. */
final class FoldedCounters implements OpenCounters {

    private static final Logger LOG = LoggerFactory.getLogger(FoldedCounters.class);

    /** More rows than this are worth a fold. */
    private static final long MANY_ROWS = 5_000;

    private static final Duration CLEANING = Duration.ofMinutes(10);

    /** It refuses nothing. */
    private static final CounterBase.Refusals REFUSALS = new CounterBase.Refusals(CounterKind.FOLDED, "", "");

    private final KindContext context;
    private final CountersConfig config;
    private final String datacenter;
    private final String table;
    private final CountedTable counted;
    private final IncrementColumn column;
    private final Totals totals;
    private final CarriedTotals carried;
    private volatile Counting now;

    /** Counting of generations that have ended; what was under way then ends there. */
    private final List<Counting> former = new CopyOnWriteArrayList<>();

    @GuardedBy("this")
    private boolean closed;

    /** How this process counts in one generation of the table. */
    private record Counting(CountedGeneration generation, CounterProtocol protocol) {}

    FoldedCounters(KindContext context, IncrementColumn column, CountedTable counted, UUID generation) {
        this.context = context;
        this.config = context.config();
        this.datacenter = context.cluster().datacenter();
        this.column = column;
        this.table = context.table();
        this.counted = counted;
        CqlSession session = context.cluster().session();
        this.totals = new Totals(session, table, config.requestTimeout());
        this.carried = new CarriedTotals(session, table, column, config.requestTimeout());
        CountedGeneration first = new CountedGeneration(counted, generation, this::ended);
        this.now = new Counting(
                first,
                new CounterProtocol(
                        slots(first), settlements(first), rows(first), touched(first), of(first), column.limit()));
        now.protocol().startJanitor();
    }

    private CassandraSlotStore slots(CountedGeneration generation) {
        return new CassandraSlotStore(
                context.local(),
                context.cluster().keyspace(),
                generation.key(),
                context.identity()::holder,
                context.clock());
    }

    private CassandraSettlementStore settlements(CountedGeneration generation) {
        return new CassandraSettlementStore(context.local(), context.cluster().keyspace(), generation.key());
    }

    private CassandraCounterTable rows(CountedGeneration generation) {
        return new CassandraCounterTable(
                context.cluster().session(), table, generation, column, config.requestTimeout(), context.timer());
    }

    private CassandraTouchedStore touched(CountedGeneration generation) {
        return new CassandraTouchedStore(context.local(), context.cluster().keyspace(), generation.key());
    }

    private CounterContext of(CountedGeneration generation) {
        return new CounterContext(
                generation.home(datacenter),
                config.incrementTimeout(),
                config.maxSlots(),
                config.foldAfter(),
                context.timer(),
                context.nanoTime(),
                context.checked(),
                context.random(),
                context.identity()::token);
    }

    /** The table was emptied. What comes from now on is counted in the generation that began then. */
    private synchronized void ended(UUID ended, UUID begun) {
        Counting before = now;
        if (closed || !before.generation().uuid().equals(ended)) {
            return;
        }
        CountedGeneration next = new CountedGeneration(counted, begun, this::ended);
        former.add(before);
        before.protocol().stopJanitor();
        now = new Counting(
                next, before.protocol().next(slots(next), settlements(next), rows(next), touched(next), of(next)));
        now.protocol().startJanitor();
        LOG.info("table {} was emptied: its counters are counted from 0", table);
    }

    private CounterProtocol protocol() {
        return now.protocol();
    }

    @Override
    public Counter counter(String type) {
        return new FoldedCounter(type);
    }

    @Override
    public boolean clean() {
        return Calls.await(
                "cleaning up",
                Calls.failing(inGeneration(in -> in.protocol().clean()), FoldedCounters::uncleaned),
                CLEANING);
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
        return CountersFigures.of(protocol().figures());
    }

    @Override
    public void observe() {
        protocol().observe();
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

    private Stream<CounterProtocol> all() {
        return Stream.concat(former.stream(), Stream.of(now)).map(Counting::protocol);
    }

    private CompletionStage<Void> all(Function<CounterProtocol, CompletionStage<Void>> work) {
        return CompletableFuture.allOf(
                all().map(work).map(CompletionStage::toCompletableFuture).toArray(CompletableFuture<?>[]::new));
    }

    @Override
    public CompletionStage<Void> close() {
        synchronized (this) {
            closed = true;
        }
        return all(CounterProtocol::close);
    }

    @Override
    public void abandon() {
        all().forEach(CounterProtocol::abandon);
    }

    @Override
    public CompletionStage<Void> suspend() {
        return all(CounterProtocol::suspend);
    }

    @Override
    public void resume() {
        all().forEach(CounterProtocol::disownAndResume);
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
            return written(now, delta);
        }

        private CompletionStage<Receipt> written(Counting in, long delta) {
            UUID generation = in.generation().uuid();
            return explained(
                    in.protocol()
                            .increment(type(), delta)
                            .thenApply(written -> receipt(generation, type(), written.actor(), written.version())),
                    generation);
        }

        @Override
        CompletionStage<BigInteger> valueAt(ConsistencyLevel level) {
            return totals.of(type(), level).thenApply(total -> {
                if (total.rows() > MANY_ROWS) {
                    protocol().foldLater(type());
                }
                return total.sum();
            });
        }

        @Override
        public CompletionStage<ReceiptStatus> statusAsync(Receipt receipt) {
            if (!receipt.type().equals(type())) {
                throw new IllegalArgumentException("is a receipt of another counter than '" + type() + "': " + receipt);
            }
            if (!receipt.table().equals(table)) {
                throw new IllegalArgumentException("is a receipt of another table than " + table + ": " + receipt);
            }
            requireOfThisDatacenter(receipt, now.generation());
            return explained(inGeneration(in -> in.generation().require().thenCompose(same -> status(receipt, in))));
        }

        private CompletionStage<ReceiptStatus> status(Receipt receipt, Counting in) {
            if (!receipt.generation().equals(in.generation().uuid())) {
                return CompletableFuture.completedFuture(ReceiptStatus.UNKNOWN);
            }
            Actor actor = requireOfThisDatacenter(receipt, in.generation());
            return in.protocol()
                    .verdict(type(), actor.slot(), receipt.version())
                    .thenApply(verdict -> switch (verdict) {
                        case COUNTED -> ReceiptStatus.COUNTED;
                        case NOT_COUNTED -> ReceiptStatus.NOT_COUNTED;
                        case OPEN -> ReceiptStatus.OPEN;
                        case UNKNOWN, FORGOTTEN -> ReceiptStatus.UNKNOWN;
                    });
        }

        private Actor requireOfThisDatacenter(Receipt receipt, CountedGeneration generation) {
            Actor actor = Actor.of(receipt.actor()).orElseThrow();
            if (receipt.generation().equals(generation.uuid()) && !actor.home().equals(generation.home(datacenter))) {
                String written = generation
                        .datacenter(actor.home())
                        .orElseThrow(() -> new IllegalArgumentException(
                                "must name an actor of the generation, datacenter~generation/slot: " + receipt));
                throw new CounterException.Refused("only a process of datacenter " + written
                        + " can tell what became of an increment that was written there; this one is in " + datacenter
                        + ": " + receipt);
            }
            return actor;
        }

        @Override
        public CompletionStage<FoldResult> foldAsync() {
            return explained(inGeneration(in -> in.protocol().fold(type()))
                    .thenApply(done -> new FoldResult(done.rows(), done.left())));
        }

        @Override
        <T> CompletionStage<T> explained(CompletionStage<T> stage) {
            return explained(stage, now.generation().uuid());
        }

        private <T> CompletionStage<T> explained(CompletionStage<T> stage, UUID generation) {
            return Calls.failing(stage, cause -> {
                if (cause instanceof CounterFailure failure) {
                    return told(generation, type(), failure);
                }
                return cause instanceof CounterTable.TooManyRows
                        ? new CounterException.Unavailable(String.valueOf(cause.getMessage()), cause)
                        : Calls.explained(type(), cause);
            });
        }
    }

    /** Does it once more if it learns that the table was emptied. */
    private <T> CompletionStage<T> inGeneration(Function<Counting, CompletionStage<T>> work) {
        Counting in = now;
        return work.apply(in)
                .exceptionallyCompose(
                        failure -> Stages.cause(failure) instanceof CounterTable.Emptied && !now.equals(in)
                                ? work.apply(now)
                                : CompletableFuture.failedFuture(failure));
    }

    private Receipt receipt(UUID generation, String type, String actor, long version) {
        return new Receipt(table, generation, type, actor, Versions.epoch(version), Versions.number(version));
    }

    private CounterException told(UUID generation, String type, CounterFailure failure) {
        String message = String.valueOf(failure.getMessage());
        if (failure instanceof CounterFailure.OutcomeUnknown unknown) {
            return new CounterException.OutcomeUnknown(
                    message, receipt(generation, type, unknown.actor(), unknown.version()), unknown.getCause());
        }
        if (failure instanceof CounterFailure.NotSent) {
            return new CounterException.NotSent(message, failure.getCause());
        }
        if (failure instanceof CounterFailure.NoSlot) {
            return new CounterException.NoSlot(message);
        }
        if (failure instanceof CounterFailure.WrongClock) {
            return new CounterException.Refused(message);
        }
        return failure instanceof CounterFailure.Foreign
                ? new CounterException.ForeignWrite(message)
                : new CounterException.Overflow(message);
    }
}
