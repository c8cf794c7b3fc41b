package dev.cassidy.server;

import java.nio.ByteBuffer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.cassandra.cql3.functions.Arguments;
import org.apache.cassandra.cql3.functions.NativeAggregateFunction;
import org.apache.cassandra.db.marshal.AbstractType;
import org.apache.cassandra.exceptions.FunctionExecutionException;
import org.apache.cassandra.transport.ProtocolVersion;
import org.jspecify.annotations.Nullable;

/** One overload of an aggregate of {@code dev.cassidy.functions}, as a native aggregate of Cassandra. */
final class CrdtAggregate<S, R> extends NativeAggregateFunction {

    /** Adds a row's arguments to the state. */
    @FunctionalInterface
    interface Step<S> {
        S add(S state, Arguments row);
    }

    private final AbstractType<R> result;
    private final Supplier<S> nothing;
    private final Step<S> step;
    private final Function<S, @Nullable R> finish;

    CrdtAggregate(
            String name,
            AbstractType<R> result,
            Supplier<S> nothing,
            Step<S> step,
            Function<S, @Nullable R> finish,
            Argument<?>... arguments) {
        super(name, result, types(arguments));
        this.result = result;
        this.nothing = nothing;
        this.step = step;
        this.finish = finish;
    }

    private static AbstractType<?>[] types(Argument<?>[] arguments) {
        AbstractType<?>[] types = new AbstractType<?>[arguments.length];
        for (int i = 0; i < arguments.length; i++) {
            types[i] = arguments[i].type();
        }
        return types;
    }

    @Override
    public Aggregate newAggregate() {
        return new Group();
    }

    private final class Group implements Aggregate {
        private S state = nothing.get();

        @Override
        public void addInput(Arguments row) {
            try {
                state = step.add(state, row);
            } catch (IllegalArgumentException | ArithmeticException e) {
                // As a user-defined function fails. Cassandra would take anything else for a failure of the server.
                throw FunctionExecutionException.create(CrdtAggregate.this, e);
            }
        }

        @Override
        public @Nullable ByteBuffer compute(ProtocolVersion version) {
            R value = finish.apply(state);
            return value == null ? null : result.decompose(value);
        }

        @Override
        public void reset() {
            state = nothing.get();
        }
    }
}
