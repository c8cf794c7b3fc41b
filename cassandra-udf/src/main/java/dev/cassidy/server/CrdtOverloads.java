package dev.cassidy.server;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.cassandra.cql3.AssignmentTestable;
import org.apache.cassandra.cql3.AssignmentTestable.TestResult;
import org.apache.cassandra.cql3.functions.Function;
import org.apache.cassandra.cql3.functions.FunctionFactory;
import org.apache.cassandra.cql3.functions.FunctionName;
import org.apache.cassandra.cql3.functions.FunctionResolver;
import org.apache.cassandra.cql3.functions.NativeFunction;
import org.apache.cassandra.db.marshal.AbstractType;
import org.apache.cassandra.exceptions.InvalidRequestException;
import org.apache.cassandra.schema.Schema;
import org.jspecify.annotations.Nullable;

/**
 * All overloads of one native function. Of those that a call fits, the one with the most arguments of exactly its type is
 * taken: Cassandra itself would call it ambiguous if all need a conversion (an {@code ascii} for {@code text}, a literal
 * {@code null}).
 *
 * <p>A keyspace may have the script's functions, too, and Cassandra would call a conversion to one of each ambiguous. So
 * calls that need one are left to the keyspace's own.
 */
final class CrdtOverloads extends FunctionFactory {

    private final List<NativeFunction> overloads;

    CrdtOverloads(String name, List<NativeFunction> overloads) {
        super(name);
        this.overloads = List.copyOf(overloads);
    }

    List<NativeFunction> overloads() {
        return overloads;
    }

    /** Whether the call names {@code system} is not known here: in such a keyspace it must give the exact types. */
    @Override
    public @Nullable NativeFunction getOrCreateFunction(
            List<? extends AssignmentTestable> arguments,
            @Nullable AbstractType<?> receiver,
            String keyspace,
            String table) {
        List<NativeFunction> fitting = new ArrayList<>();
        int most = -1;
        for (NativeFunction overload : overloads) {
            int exact = exactArguments(overload, arguments, keyspace, table);
            if (exact == arguments.size()) {
                return overload;
            }
            if (exact > most) {
                fitting.clear();
                most = exact;
            }
            if (exact >= 0 && exact == most) {
                fitting.add(overload);
            }
        }
        if (!Schema.instance
                .getUserFunctions(new FunctionName(keyspace, name.name))
                .isEmpty()) {
            return null;
        }
        if (fitting.size() == 1) {
            return fitting.get(0);
        }
        throw new InvalidRequestException(
                fitting.isEmpty()
                        ? "Invalid call to function " + name + ", none of its type signatures match (known type"
                                + " signatures: " + signatures(overloads) + ")"
                        : "Ambiguous call to function " + name + " (can be matched by following signatures: "
                                + signatures(fitting) + "): use type casts to disambiguate");
    }

    /** How many arguments have exactly the overload's type; -1 if one does not fit. */
    private static int exactArguments(
            Function overload, List<? extends AssignmentTestable> arguments, String keyspace, String table) {
        if (arguments.size() != overload.argTypes().size()) {
            return -1;
        }
        int exact = 0;
        for (int i = 0; i < arguments.size(); i++) {
            AssignmentTestable argument = arguments.get(i);
            // Cassandra hands over null for a bind marker.
            TestResult match = argument == null
                    ? TestResult.WEAKLY_ASSIGNABLE
                    : argument.testAssignment(keyspace, FunctionResolver.makeArgSpec(keyspace, table, overload, i));
            if (!match.isAssignable()) {
                return -1;
            }
            exact += match.isExactMatch() ? 1 : 0;
        }
        return exact;
    }

    private static String signatures(Collection<NativeFunction> functions) {
        return functions.stream().map(Function::toString).collect(Collectors.joining(", "));
    }

    @Override
    protected NativeFunction doGetOrCreateFunction(List<AbstractType<?>> types, @Nullable AbstractType<?> receiver) {
        throw new UnsupportedOperationException("the overloads are chosen by the arguments: " + name);
    }
}
