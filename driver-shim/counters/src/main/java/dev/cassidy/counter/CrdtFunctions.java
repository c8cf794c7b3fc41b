package dev.cassidy.counter;

import static java.util.stream.Collectors.toMap;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.ResultSet;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.api.core.servererrors.InvalidQueryException;
import com.datastax.oss.driver.api.core.servererrors.UnauthorizedException;
import dev.cassidy.counter.CrdtFunctionsFinding.Severity;
import dev.cassidy.counter.CrdtFunctionsPack.Part;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Installs the server's CRDT aggregates ({@code crdt_sum} and others) as user-defined functions, says what is installed,
 * and removes it.
 *
 * <p>They are looked up in the keyspace of the table that a query reads, so each keyspace with counters needs them,
 * unless the nodes run the jar of native functions ({@link #nativeFunctions}).
 *
 * <p>Every method blocks. A keyspace is named as CQL writes it: in double quotes if it is case-sensitive. Installing or
 * removing from several processes at once is as unwise as any concurrent schema change.
 */
public final class CrdtFunctions {

    private static final Logger LOG = LoggerFactory.getLogger(CrdtFunctions.class);

    /**
     * A node makes one schema change at a time, in tens of milliseconds or, if it is busy, in seconds; of those that were
     * sent together the last waits for all. A node that is gone is noticed sooner.
     */
    private static final Duration STATEMENT_TIMEOUT = Duration.ofMinutes(5);

    /**
     * The driver reads the schema a second after a change, once for all changes of that second: one by one, an installation
     * would take minutes. A node has 128 threads for requests, of which each change holds one.
     */
    private static final int AT_ONCE = 64;

    private CrdtFunctions() {}

    /**
     * Makes a keyspace have the functions and aggregates of this build: creates what is missing, replaces what differs,
     * and removes what an older build created and this one does not. What of that something else uses stays, and a WARN
     * names it. May be called at every start: where everything is in place it reads twice and changes nothing. The first
     * time makes about a hundred schema changes, which take some seconds.
     *
     * @throws CrdtFunctionsException if the keyspace does not exist, the server does not allow user-defined functions,
     *     or the session's role may not create them there; what was created by then stays
     */
    public static void install(CqlSession session, String keyspace) {
        install(session, keyspace, CrdtFunctionsPack.current());
    }

    /**
     * As {@link #install(CqlSession, String)}, for some of the aggregates, which takes less time. Others that the keyspace
     * has stay as they are.
     *
     * @param aggregates such as {@code crdt_sum}
     * @throws IllegalArgumentException if there is no aggregate of that name
     */
    public static void install(CqlSession session, String keyspace, Collection<String> aggregates) {
        install(session, keyspace, CrdtFunctionsPack.current().of(aggregates));
    }

    static void install(CqlSession session, String keyspace, CrdtFunctionsPack pack) {
        Place place = new Place(session, keyspace);
        CrdtFunctionsCheck.of(session, place.node).stream()
                .filter(finding -> finding.severity() == Severity.DANGEROUS)
                .forEach(finding -> LOG.warn("{}", finding));
        Map<String, Part> there = place.read();

        remove(part -> pack.retired().contains(part.signature()), there, place)
                .kept()
                .forEach((signature, reason) -> LOG.warn(
                        "no longer needed, but still used by something else: function={}.{}; {}",
                        place.name(),
                        signature,
                        reason));
        List<Part> functions = pack.functions().stream().filter(not(in(there))).toList();
        // An aggregate goes on with the functions that it was created with, even if they are replaced.
        Set<String> replaced =
                new HashSet<>(functions.stream().map(Part::signature).toList());
        List<Part> aggregates = pack.aggregates().stream()
                .filter(not(in(there))
                        .or(aggregate -> aggregate.calls().stream().anyMatch(replaced::contains)))
                .toList();
        // An aggregate needs its functions; within a kind the order is free.
        place.run(functions, part -> part.createIn(place.keyspace), CrdtFunctions::fail);
        place.run(aggregates, part -> part.createIn(place.keyspace), CrdtFunctions::fail);
        if (!aggregates.isEmpty() && !session.checkSchemaAgreement()) {
            LOG.warn(
                    "installed, but some node has not heard of it yet and does not know the functions until it has:"
                            + " keyspace={}; see nodetool describecluster",
                    place.name());
        }
    }

    /**
     * Says what a keyspace has of the functions, and whether it is what this build would install.
     *
     * @throws CrdtFunctionsException if the keyspace does not exist
     */
    public static CrdtFunctionsInstalled installed(CqlSession session, String keyspace) {
        CrdtFunctionsPack pack = CrdtFunctionsPack.current();
        Place place = new Place(session, keyspace);
        Map<String, Part> there = place.read();
        return new CrdtFunctionsInstalled(
                place.name(),
                CrdtFunctionsPack.version(there),
                signatures(pack, in(there)),
                signatures(
                        pack,
                        part -> there.containsKey(part.signature())
                                && !in(there).test(part)),
                signatures(pack, part -> !there.containsKey(part.signature())),
                there.keySet().stream().filter(pack.retired()::contains).toList());
    }

    private static List<String> signatures(CrdtFunctionsPack pack, Predicate<Part> which) {
        return pack.parts().values().stream().filter(which).map(Part::signature).toList();
    }

    /**
     * Removes from a keyspace what this build or an older one installed there. What something else uses, such as an
     * aggregate of the user's own with one of these functions, stays and is named. Statements that use what was removed
     * fail from then on.
     *
     * @throws CrdtFunctionsException if the keyspace does not exist, or the session's role may not remove functions there
     */
    public static CrdtFunctionsRemoved uninstall(CqlSession session, String keyspace) {
        CrdtFunctionsPack pack = CrdtFunctionsPack.current();
        Place place = new Place(session, keyspace);
        return remove(
                part -> pack.parts().containsKey(part.signature())
                        || pack.retired().contains(part.signature()),
                place.read(),
                place);
    }

    private static CrdtFunctionsRemoved remove(Predicate<Part> which, Map<String, Part> there, Place place) {
        List<Part> ours = there.values().stream().filter(which).toList();
        Map<String, String> kept = new LinkedHashMap<>();
        // An aggregate of ours would hold its functions.
        for (boolean aggregates : new boolean[] {true, false}) {
            place.run(
                    ours.stream()
                            .filter(part -> part.isAggregate() == aggregates)
                            .toList(),
                    part -> part.dropIn(place.keyspace),
                    (part, refused, at) -> {
                        if (!String.valueOf(refused.getMessage()).contains("still referenced")) {
                            throw at.explained(refused);
                        }
                        kept.put(part.signature(), String.valueOf(refused.getMessage()));
                    });
        }
        return new CrdtFunctionsRemoved(
                ours.stream()
                        .map(Part::signature)
                        .filter(signature -> !kept.containsKey(signature))
                        .toList(),
                kept);
    }

    /**
     * Says which settings of which nodes make the script's functions impossible, dangerous or slow; the worst first. None
     * of them concerns the jar's functions, except {@code read_request_timeout}. Asks every node that the session is
     * connected to. The session's role needs {@code SELECT ON system_views.settings}; without it, and for other nodes,
     * there is a finding that says so.
     */
    public static List<CrdtFunctionsFinding> check(CqlSession session) {
        return CrdtFunctionsCheck.of(session);
    }

    /**
     * Asks every node of the cluster whether it has the jar of native functions. A query with such a function works on
     * nodes that have it; use the functions when all have.
     */
    public static List<CrdtFunctionsOnNode> nativeFunctions(CqlSession session) {
        return CrdtFunctionsCheck.nativeFunctions(session);
    }

    /**
     * Returns the statements that let a role call some of the script's aggregates. Cassandra checks an aggregate and each
     * function that it is made of. The role also needs {@code SELECT} on the tables. The jar's functions need no
     * permission of their own.
     *
     * @param role as CQL writes it
     * @param aggregates such as {@code crdt_sum}; none means all of them
     * @throws IllegalArgumentException if the script has no aggregate of that name
     */
    public static List<String> readerGrants(String keyspace, String role, String... aggregates) {
        CrdtFunctionsPack all = CrdtFunctionsPack.current();
        CrdtFunctionsPack pack = aggregates.length == 0 ? all : all.of(List.of(aggregates));
        CqlIdentifier name = CqlIdentifier.fromCql(keyspace);
        return pack.parts().values().stream()
                .map(part -> "GRANT EXECUTE ON FUNCTION " + part.signatureIn(name) + " TO " + role)
                .toList();
    }

    /**
     * Returns the statements that let a role install, replace and remove the script's functions.
     *
     * @param role as CQL writes it
     */
    public static List<String> installerGrants(String keyspace, String role) {
        String name = CqlIdentifier.fromCql(keyspace).asCql(true);
        return Stream.of("CREATE", "ALTER", "DROP", "EXECUTE")
                .map(permission -> "GRANT " + permission + " ON ALL FUNCTIONS IN KEYSPACE " + name + " TO " + role)
                .toList();
    }

    private static void fail(Part part, DriverException refused, Place place) {
        throw place.explained(refused);
    }

    private static Predicate<Part> in(Map<String, Part> there) {
        return part -> part.equals(there.get(part.signature()));
    }

    private static <T> Predicate<T> not(Predicate<T> predicate) {
        return predicate.negate();
    }

    /** What happens with a statement that Cassandra refused. */
    @FunctionalInterface
    private interface Refusal {
        void handle(Part part, DriverException refused, Place place);
    }

    /** A keyspace, and the one node that changes it. */
    private static final class Place {
        private final CqlSession session;
        private final CqlIdentifier keyspace;
        // One node orders concurrent changes by itself, and knows a function before the others have heard of it.
        private final Node node;

        Place(CqlSession session, String keyspace) {
            this.session = session;
            this.keyspace = CqlIdentifier.fromCql(keyspace);
            ResultSet found = session.execute(SimpleStatement.newInstance(
                    "SELECT keyspace_name FROM system_schema.keyspaces WHERE keyspace_name = ?",
                    this.keyspace.asInternal()));
            Node coordinator = found.getExecutionInfo().getCoordinator();
            if (found.one() == null || coordinator == null) {
                throw new CrdtFunctionsException("keyspace does not exist, create it first: keyspace=" + name());
            }
            this.node = coordinator;
        }

        String name() {
            return keyspace.asCql(true);
        }

        /** Every function and aggregate of the keyspace, by signature. */
        Map<String, Part> read() {
            return Stream.concat(
                            read("functions", CrdtFunctionsPack::function),
                            read("aggregates", CrdtFunctionsPack::aggregate))
                    .collect(toMap(Part::signature, part -> part, (first, second) -> first, LinkedHashMap::new));
        }

        private Stream<Part> read(String table, Function<Row, Part> part) {
            ResultSet rows = session.execute(SimpleStatement.newInstance(
                            "SELECT * FROM system_schema." + table + " WHERE keyspace_name = ?", keyspace.asInternal())
                    .setNode(node));
            return StreamSupport.stream(rows.spliterator(), false).map(part);
        }

        void run(List<Part> parts, Function<Part, String> cql, Refusal refusal) {
            for (int from = 0; from < parts.size(); from += AT_ONCE) {
                List<Part> some = parts.subList(from, Math.min(parts.size(), from + AT_ONCE));
                List<CompletableFuture<AsyncResultSet>> sent =
                        some.stream().map(part -> send(cql.apply(part))).toList();
                for (int i = 0; i < some.size(); i++) {
                    await(some.get(i), sent.get(i), refusal);
                }
            }
        }

        private CompletableFuture<AsyncResultSet> send(String cql) {
            return session.executeAsync(SimpleStatement.newInstance(cql)
                            .setNode(node)
                            .setTimeout(STATEMENT_TIMEOUT)
                            .setIdempotent(true))
                    .toCompletableFuture();
        }

        private void await(Part part, CompletableFuture<AsyncResultSet> sent, Refusal refusal) {
            try {
                sent.join();
            } catch (CompletionException e) {
                if (e.getCause() instanceof DriverException refused) {
                    refusal.handle(part, refused, this);
                } else {
                    throw e;
                }
            }
        }

        RuntimeException explained(DriverException refused) {
            if (refused instanceof UnauthorizedException) {
                return new CrdtFunctionsException(
                        "the session's role may not change functions: keyspace=" + name()
                                + "; GRANT CREATE, ALTER, DROP, EXECUTE ON ALL FUNCTIONS IN KEYSPACE " + name()
                                + " TO it: " + refused.getMessage(),
                        refused);
            }
            if (refused instanceof InvalidQueryException && saysThatFunctionsAreDisabled(refused)) {
                return new CrdtFunctionsException(
                        "user-defined functions are disabled: node=" + node.getEndPoint()
                                + "; set user_defined_functions_enabled: true (before Cassandra 4.1"
                                + " enable_user_defined_functions) in every node's cassandra.yaml and restart it,"
                                + " or use the jar of native functions",
                        refused);
            }
            return new CrdtFunctionsException(
                    "functions not changed: keyspace=" + name() + " node=" + node.getEndPoint() + "; "
                            + refused.getMessage(),
                    refused);
        }

        private static boolean saysThatFunctionsAreDisabled(DriverException refused) {
            return String.valueOf(refused.getMessage()).contains("User-defined functions are disabled");
        }
    }
}
