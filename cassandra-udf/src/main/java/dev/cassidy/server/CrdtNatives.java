package dev.cassidy.server;

import static dev.cassidy.server.Argument.BIGINT;
import static dev.cassidy.server.Argument.BOOLEAN;
import static dev.cassidy.server.Argument.COUNTER;
import static dev.cassidy.server.Argument.DECIMAL;
import static dev.cassidy.server.Argument.DOUBLE;
import static dev.cassidy.server.Argument.FLOAT;
import static dev.cassidy.server.Argument.INT;
import static dev.cassidy.server.Argument.SMALLINT;
import static dev.cassidy.server.Argument.TEXT;
import static dev.cassidy.server.Argument.TIMESTAMP;
import static dev.cassidy.server.Argument.TINYINT;
import static dev.cassidy.server.Argument.UUID;
import static dev.cassidy.server.Argument.VARINT;

import dev.cassidy.functions.CrdtExact;
import dev.cassidy.functions.CrdtFlag;
import dev.cassidy.functions.CrdtGaps;
import dev.cassidy.functions.CrdtGcounter;
import dev.cassidy.functions.CrdtLatestSum;
import dev.cassidy.functions.CrdtLww;
import dev.cassidy.functions.CrdtOrsetElements;
import dev.cassidy.functions.CrdtOrsetSize;
import dev.cassidy.functions.CrdtPackVersion;
import dev.cassidy.functions.CrdtPn;
import dev.cassidy.functions.CrdtSum;
import dev.cassidy.functions.CrdtSumLong;
import dev.cassidy.functions.CrdtSumOfDoubles;
import dev.cassidy.functions.Tuple;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.cassandra.cql3.functions.Arguments;
import org.apache.cassandra.cql3.functions.FunctionFactory;
import org.apache.cassandra.cql3.functions.NativeFunction;
import org.apache.cassandra.cql3.functions.NativeFunctions;
import org.apache.cassandra.cql3.functions.NativeScalarFunction;
import org.apache.cassandra.db.marshal.AbstractType;
import org.apache.cassandra.db.marshal.BooleanType;
import org.apache.cassandra.db.marshal.Int32Type;
import org.apache.cassandra.db.marshal.IntegerType;
import org.apache.cassandra.db.marshal.ListType;
import org.apache.cassandra.db.marshal.LongType;
import org.apache.cassandra.db.marshal.UTF8Type;
import org.apache.cassandra.exceptions.ConfigurationException;

/** The functions of {@code dev.cassidy.functions} as native functions of Cassandra, with the script's signatures. */
final class CrdtNatives {

    private static final List<Argument<? extends Number>> WHOLE_NUMBERS =
            List.of(TINYINT, SMALLINT, INT, BIGINT, COUNTER, VARINT);
    private static final List<Argument<? extends Number>> INCREMENTS = List.of(INT, BIGINT, VARINT);

    private CrdtNatives() {}

    /**
     * Makes Cassandra know all functions, or none of them.
     *
     * @throws ConfigurationException if another jar has registered one of the same name and arguments
     */
    static void register(NativeFunctions known) {
        Map<String, List<NativeFunction>> all =
                all().stream().collect(Collectors.groupingBy(function -> function.name().name));
        for (List<NativeFunction> overloads : all.values()) {
            for (NativeFunction function : overloads) {
                for (NativeFunction other : known.getFunctions(function.name())) {
                    if (other.argTypes().equals(function.argTypes())) {
                        throw conflict(function, other);
                    }
                }
                for (FunctionFactory other : known.getFactories(function.name())) {
                    throw conflict(function, other);
                }
            }
        }
        all.forEach((name, overloads) -> known.add(new CrdtOverloads(name, overloads)));
    }

    private static ConfigurationException conflict(NativeFunction function, Object other) {
        return new ConfigurationException("Cassidy's native functions are not installed: " + function
                + " exists already, registered by " + other.getClass().getName() + "; remove one of the two jars");
    }

    static List<NativeFunction> all() {
        List<NativeFunction> all = new ArrayList<>();
        all.add(new PackVersion());
        WHOLE_NUMBERS.forEach(value -> all.add(sum(value)));
        all.add(new CrdtAggregate<>(
                "crdt_sum",
                DECIMAL.type(),
                () -> BigDecimal.ZERO,
                (state, row) -> CrdtSum.add(state, DECIMAL.of(row, 0)),
                Function.identity(),
                DECIMAL));
        List.of(FLOAT, DOUBLE).forEach(value -> all.add(sumOfDoubles(value)));
        List.of(TINYINT, SMALLINT, INT, BIGINT).forEach(value -> all.add(sumLong(value)));
        INCREMENTS.forEach(increment -> {
            all.add(exact(increment));
            all.add(latestSum(INT, increment));
            all.add(latestSum(BIGINT, increment));
            all.add(gcounter(TEXT, increment));
            all.add(gcounter(UUID, increment));
            all.add(pn(increment));
        });
        all.add(lww(TEXT));
        all.add(lww(INT));
        all.add(lww(BIGINT));
        all.add(lww(VARINT));
        all.add(lww(DECIMAL));
        all.add(lww(DOUBLE));
        all.add(lww(BOOLEAN));
        all.add(lww(TIMESTAMP));
        all.add(lww(UUID));
        all.add(new CrdtAggregate<List<String>, List<String>>(
                "crdt_gaps",
                ListType.getInstance(UTF8Type.instance, false),
                ArrayList::new,
                (state, row) -> CrdtGaps.add(state, TEXT.of(row, 0), BIGINT.of(row, 1), BIGINT.of(row, 2)),
                CrdtGaps::result,
                TEXT,
                BIGINT,
                BIGINT));
        List.of(TEXT, UUID).forEach(tag -> {
            all.add(orsetSize(tag));
            all.add(orsetElements(tag));
            all.add(flag(tag));
        });
        return all;
    }

    private static <N extends Number> NativeFunction sum(Argument<N> value) {
        return new CrdtAggregate<>(
                "crdt_sum",
                IntegerType.instance,
                () -> BigInteger.ZERO,
                (state, row) -> CrdtSum.add(state, value.of(row, 0)),
                Function.identity(),
                value);
    }

    private static <N extends Number> NativeFunction sumOfDoubles(Argument<N> value) {
        return new CrdtAggregate<>(
                "crdt_sum",
                DOUBLE.type(),
                Tuple::new,
                (state, row) -> CrdtSumOfDoubles.add(state, value.of(row, 0)),
                CrdtSumOfDoubles::result,
                value);
    }

    private static <N extends Number> NativeFunction sumLong(Argument<N> value) {
        return new CrdtAggregate<>(
                "crdt_sum_long",
                LongType.instance,
                () -> 0L,
                (state, row) -> CrdtSumLong.add(state, value.of(row, 0)),
                Function.identity(),
                value);
    }

    private static <N extends Number> NativeFunction exact(Argument<N> increment) {
        return new CrdtAggregate<>(
                "crdt_exact",
                IntegerType.instance,
                Tuple::new,
                (state, row) -> CrdtExact.add(
                        state,
                        TEXT.of(row, 0),
                        TEXT.of(row, 1),
                        BIGINT.of(row, 2),
                        BIGINT.of(row, 3),
                        increment.of(row, 4)),
                CrdtExact::result,
                TEXT,
                TEXT,
                BIGINT,
                BIGINT,
                increment);
    }

    private static <V extends Number, N extends Number> NativeFunction latestSum(
            Argument<V> version, Argument<N> increment) {
        return new CrdtAggregate<>(
                "crdt_latest_sum",
                IntegerType.instance,
                Tuple::new,
                (state, row) -> CrdtLatestSum.add(
                        state, TEXT.of(row, 0), TEXT.of(row, 1), version.of(row, 2), increment.of(row, 3)),
                CrdtLatestSum::result,
                TEXT,
                TEXT,
                version,
                increment);
    }

    private static <I, N extends Number> NativeFunction gcounter(Argument<I> id, Argument<N> value) {
        return new CrdtAggregate<>(
                "crdt_gcounter",
                IntegerType.instance,
                Tuple::new,
                (state, row) ->
                        CrdtGcounter.add(state, TEXT.of(row, 0), id.of(row, 1), BIGINT.of(row, 2), value.of(row, 3)),
                CrdtGcounter::result,
                TEXT,
                id,
                BIGINT,
                value);
    }

    private static <N extends Number> NativeFunction pn(Argument<N> increment) {
        return new CrdtAggregate<>(
                "crdt_pn",
                IntegerType.instance,
                () -> BigInteger.ZERO,
                (state, row) -> CrdtPn.add(state, increment.of(row, 0), increment.of(row, 1)),
                Function.identity(),
                increment,
                increment);
    }

    private static <T extends Comparable<T>> NativeFunction lww(Argument<T> value) {
        AbstractType<T> type = value.type();
        return new CrdtAggregate<Map<Long, T>, T>(
                "crdt_lww",
                type,
                HashMap::new,
                (state, row) -> CrdtLww.add(state, value.of(row, 0), BIGINT.of(row, 1)),
                CrdtLww::value,
                value,
                BIGINT);
    }

    private static <T> NativeFunction orsetSize(Argument<T> tag) {
        return new CrdtAggregate<>(
                "crdt_orset_size",
                LongType.instance,
                Tuple::new,
                (state, row) -> CrdtOrsetSize.add(state, TEXT.of(row, 0), tag.of(row, 1), BOOLEAN.of(row, 2)),
                CrdtOrsetSize::result,
                TEXT,
                tag,
                BOOLEAN);
    }

    private static <T> NativeFunction orsetElements(Argument<T> tag) {
        return new CrdtAggregate<List<String>, List<String>>(
                "crdt_orset_elements",
                ListType.getInstance(UTF8Type.instance, false),
                ArrayList::new,
                (state, row) -> CrdtOrsetElements.add(state, TEXT.of(row, 0), tag.of(row, 1), BOOLEAN.of(row, 2)),
                CrdtOrsetElements::result,
                TEXT,
                tag,
                BOOLEAN);
    }

    private static <T> NativeFunction flag(Argument<T> tag) {
        return new CrdtAggregate<Map<String, Boolean>, Boolean>(
                "crdt_flag",
                BooleanType.instance,
                HashMap::new,
                (state, row) -> CrdtFlag.add(state, tag.of(row, 0), BOOLEAN.of(row, 1)),
                CrdtFlag::value,
                tag,
                BOOLEAN);
    }

    private static final class PackVersion extends NativeScalarFunction {
        private PackVersion() {
            super("crdt_pack_version", Int32Type.instance);
        }

        @Override
        public ByteBuffer execute(Arguments none) {
            return Int32Type.instance.decompose(CrdtPackVersion.version());
        }
    }
}
