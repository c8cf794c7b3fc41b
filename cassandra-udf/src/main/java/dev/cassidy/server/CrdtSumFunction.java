package dev.cassidy.server;

import dev.cassidy.functions.CrdtSum;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import org.apache.cassandra.cql3.functions.Arguments;
import org.apache.cassandra.cql3.functions.NativeAggregateFunction;
import org.apache.cassandra.cql3.functions.NativeFunction;
import org.apache.cassandra.db.marshal.AbstractType;
import org.apache.cassandra.db.marshal.Int32Type;
import org.apache.cassandra.db.marshal.IntegerType;
import org.apache.cassandra.db.marshal.LongType;
import org.apache.cassandra.transport.ProtocolVersion;

/** {@link CrdtSum} as a native aggregate of Cassandra, for one type of column. */
final class CrdtSumFunction extends NativeAggregateFunction {

    /** One argument of a row, added to the state. */
    @FunctionalInterface
    private interface Step {
        BigInteger add(BigInteger state, Arguments arguments);
    }

    private final Step step;

    private CrdtSumFunction(AbstractType<?> argument, Step step) {
        super("crdt_sum", IntegerType.instance, argument);
        this.step = step;
    }

    static NativeFunction[] overloads() {
        // Cassandra hands numbers over in a holder that it reuses for the next row: they are taken out at once.
        return new NativeFunction[] {
            new CrdtSumFunction(
                    Int32Type.instance,
                    (state, row) -> CrdtSum.add(state, row.containsNulls() ? null : (Integer) row.getAsInt(0))),
            new CrdtSumFunction(
                    LongType.instance,
                    (state, row) -> CrdtSum.add(state, row.containsNulls() ? null : (Long) row.getAsLong(0))),
            new CrdtSumFunction(IntegerType.instance, (state, row) -> CrdtSum.add(state, row.<BigInteger>get(0)))
        };
    }

    @Override
    public Aggregate newAggregate() {
        return new Sum();
    }

    private final class Sum implements Aggregate {
        private BigInteger state = BigInteger.ZERO;

        @Override
        public void addInput(Arguments row) {
            state = step.add(state, row);
        }

        @Override
        public ByteBuffer compute(ProtocolVersion version) {
            return IntegerType.instance.decompose(state);
        }

        @Override
        public void reset() {
            state = BigInteger.ZERO;
        }
    }
}
