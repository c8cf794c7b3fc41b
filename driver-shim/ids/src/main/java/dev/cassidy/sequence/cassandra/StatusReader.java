package dev.cassidy.sequence.cassandra;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.servererrors.QueryValidationException;
import dev.cassidy.async.Stages;
import dev.cassidy.cluster.Datacenters;
import dev.cassidy.cluster.Schema;
import dev.cassidy.lwt.ConditionalStatements;
import dev.cassidy.sequence.IdRange;
import dev.cassidy.sequence.Order;
import dev.cassidy.sequence.Projection;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.protocol.Isolation;
import dev.cassidy.sequence.store.Reserve;
import dev.cassidy.sequence.store.SequenceEntry;
import dev.cassidy.sequence.store.Usage;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Reads how much is left. Plain reads only: they block nobody's claims, and they work while a datacenter is cut off. Other
 * datacenters' keyspaces are read through coordinators of this one.
 */
final class StatusReader {

    private static final int SEQUENCES_AT_A_TIME = 16;

    private final ConditionalStatements global;
    private final String globalKeyspace;
    private final String localKeyspace;
    private final String localDatacenter;
    private final Datacenters datacenters;
    private final Duration isolation;
    private final InstantSource clock;

    StatusReader(
            ConditionalStatements global,
            String globalKeyspace,
            String localKeyspace,
            String localDatacenter,
            Datacenters datacenters,
            Duration isolation,
            InstantSource clock) {
        this.global = global;
        this.globalKeyspace = globalKeyspace;
        this.localKeyspace = localKeyspace;
        this.localDatacenter = localDatacenter;
        this.datacenters = datacenters;
        this.isolation = isolation;
        this.clock = clock;
    }

    /** Reads every sequence, by name. */
    CompletionStage<List<SequenceStatus>> all() {
        Round round = new Round();
        return round.quorumOrOne("SELECT DISTINCT seq FROM " + globalKeyspace + ".seq")
                .thenCompose(rows -> round.readAll(rows.stream()
                        .map(row -> Objects.requireNonNull(row.getString("seq")))
                        .sorted()
                        .toList()));
    }

    /** Reads one sequence; empty if there is none of that name. */
    CompletionStage<Optional<SequenceStatus>> one(String name) {
        return new Round().read(name);
    }

    /** Reads a datacenter's reserves, by stripe. */
    CompletionStage<Map<Integer, Reserve>> reserves(String keyspace, SequenceSpec spec, ConsistencyLevel consistency) {
        return global.peek(
                        consistency,
                        "SELECT DISTINCT seq, stripe, " + CassandraRangeStore.RESERVE + " FROM " + keyspace
                                + ".reserve WHERE seq = ? AND stripe IN ?",
                        spec.name(),
                        stripes(spec))
                .thenApply(rows -> rows.stream()
                        .filter(row -> !row.isNull("inc"))
                        .collect(Collectors.toMap(row -> row.getInt("stripe"), CassandraRangeStore::reserveOf)));
    }

    /** Reads this datacenter's reserves, by stripe. */
    CompletionStage<Map<Integer, Reserve>> ownReserves(SequenceSpec spec) {
        return reserves(localKeyspace, spec, ConsistencyLevel.LOCAL_ONE);
    }

    private static List<Integer> stripes(SequenceSpec spec) {
        return IntStream.range(0, spec.stripes()).boxed().toList();
    }

    Usage usageNow(Reserve reserve) {
        return reserve.usage().plus(0, clock.instant().getEpochSecond() / 3_600);
    }

    /** A grant to a stripe of a datacenter, with its date by the store's clock. */
    private record Given(int incarnation, String datacenter, int stripe, int number, long count, Instant at) {}

    private record Place(String datacenter, int stripe) {}

    /** What one look has learned about the cluster, so that no time-out is waited for twice. */
    private final class Round {

        private final ConcurrentMap<String, String> silent = new ConcurrentHashMap<>();
        private final CompletionStage<Map<String, String>> keyspaces = keyspaces();
        private volatile boolean alone;

        CompletionStage<List<SequenceStatus>> readAll(List<String> names) {
            CompletionStage<List<SequenceStatus>> all = CompletableFuture.completedFuture(new ArrayList<>());
            for (int from = 0; from < names.size(); from += SEQUENCES_AT_A_TIME) {
                List<String> some = names.subList(from, Math.min(names.size(), from + SEQUENCES_AT_A_TIME));
                all = all.thenCompose(
                        before -> together(some.stream().map(this::read).toList())
                                .thenApply(found -> {
                                    found.forEach(status -> status.ifPresent(before::add));
                                    return before;
                                }));
            }
            return all;
        }

        /** A majority of all datacenters if it answers; otherwise any replica that does. */
        CompletionStage<List<Row>> quorumOrOne(String cql, Object... values) {
            if (alone) {
                return global.peek(ConsistencyLevel.ONE, cql, values);
            }
            return global.peek(ConsistencyLevel.QUORUM, cql, values)
                    .handle((rows, failure) -> {
                        if (failure == null) {
                            return CompletableFuture.completedFuture(rows);
                        }
                        alone = true;
                        return global.peek(ConsistencyLevel.ONE, cql, values);
                    })
                    .thenCompose(rows -> rows);
        }

        /** Reads the keyspace of each datacenter. */
        private CompletionStage<Map<String, String>> keyspaces() {
            return datacenters.others().thenApply(others -> {
                Map<String, String> all = new TreeMap<>(others);
                all.put(localDatacenter, localKeyspace);
                return all;
            });
        }

        CompletionStage<Optional<SequenceStatus>> read(String name) {
            CompletionStage<List<Row>> rows = quorumOrOne(
                    "SELECT inc, ready, dropped, streams, next, origin, floor, " + GlobalRow.SPEC
                            + ", i, dc, stripe, grant_no, lo, hi, WRITETIME(lo) AS granted_at FROM " + globalKeyspace
                            + ".seq WHERE seq = ?",
                    name);
            return rows.thenCombine(keyspaces, (found, known) -> found.stream()
                            .filter(row -> !row.isNull("inc"))
                            .findFirst()
                            .map(row -> GlobalRow.entry(
                                    name, row, row.getInt("streams"), row.getLong("next"), row.getLong("origin")))
                            // A dropped sequence, and an entry that stands for its streams, issue nothing; ids that
                            // come from clocks are not used up.
                            .filter(entry -> !entry.dropped() && entry.streams() == 0)
                            .filter(entry -> entry.spec().order() != Order.TIME)
                            .map(entry -> read(entry, grants(found), known).thenApply(Optional::of))
                            .orElse(CompletableFuture.completedFuture(Optional.empty())))
                    .thenCompose(status -> status);
        }

        private CompletionStage<SequenceStatus> read(
                SequenceEntry entry, List<Given> grants, Map<String, String> known) {
            Map<String, String> keyspaces = new TreeMap<>(known);
            grants.forEach(grant ->
                    keyspaces.putIfAbsent(grant.datacenter(), Schema.nameOf(globalKeyspace, grant.datacenter())));
            Map<Place, Long> unclaimed = new ConcurrentHashMap<>();
            return together(keyspaces.entrySet().stream()
                            .map(each -> datacenter(entry, each.getKey(), each.getValue(), grants, unclaimed))
                            .toList())
                    .thenApply(found -> status(
                            entry,
                            projection(entry, grants, unclaimed),
                            found.stream().flatMap(Optional::stream).toList()));
        }

        private Projection projection(SequenceEntry entry, List<Given> grants, Map<Place, Long> unclaimed) {
            Map<Place, List<Projection.Dated>> dated = new HashMap<>();
            grants.forEach(grant -> dated.computeIfAbsent(
                            new Place(grant.datacenter(), grant.stripe()), first -> new ArrayList<>())
                    .add(new Projection.Dated(grant.at(), grant.count())));
            List<Projection.Stream> streams = dated.entrySet().stream()
                    .map(each -> new Projection.Stream(each.getValue(), unclaimed.getOrDefault(each.getKey(), 0L)))
                    .toList();
            return Projection.of(streams, entry.spec().count() - entry.next(), clock.instant());
        }

        private SequenceStatus status(SequenceEntry entry, Projection projection, List<DatacenterStatus> datacenters) {
            SequenceSpec spec = entry.spec();
            long space = spec.count();
            return new SequenceStatus(
                    spec,
                    entry.incarnation(),
                    entry.ready(),
                    entry.next() < space ? OptionalLong.of(spec.idAt(entry.next())) : OptionalLong.empty(),
                    spec.idAt(space - 1),
                    space,
                    entry.next(),
                    entry.origin(),
                    projection,
                    Isolation.of(isolation, space - entry.next(), space),
                    clock.instant(),
                    alone ? "no majority answered; read from one replica, which may be out of date" : "",
                    datacenters);
        }

        private CompletionStage<Optional<DatacenterStatus>> datacenter(
                SequenceEntry entry, String name, String keyspace, List<Given> grants, Map<Place, Long> unclaimed) {
            List<Given> own = grants.stream()
                    .filter(grant -> grant.datacenter().equals(name) && grant.incarnation() == entry.incarnation())
                    .toList();
            long granted = own.stream().mapToLong(Given::count).sum();
            String known = silent.get(name);
            if (known != null) {
                return CompletableFuture.completedFuture(
                        Optional.of(new DatacenterStatus(name, granted, Optional.empty(), known)));
            }
            return reserves(keyspace, entry.spec(), ConsistencyLevel.QUORUM)
                    .thenCombine(blocks(keyspace, entry.spec()), (reserves, blocks) -> {
                        if (reserves.isEmpty()) {
                            return granted == 0
                                    ? Optional.<DatacenterStatus>empty()
                                    : Optional.of(new DatacenterStatus(
                                            name,
                                            granted,
                                            Optional.empty(),
                                            "it has no reserve, although it was granted ids"));
                        }
                        reserves.forEach((stripe, reserve) ->
                                unclaimed.put(new Place(name, stripe), unclaimed(entry, stripe, reserve, own)));
                        DatacenterStatus.InHand inHand = inHand(entry, granted, reserves, own, blocks);
                        return Optional.of(new DatacenterStatus(name, granted, Optional.of(inHand), note(inHand)));
                    })
                    .exceptionally(failure -> {
                        String reason = silence(keyspace, Stages.cause(failure));
                        silent.put(name, reason);
                        return Optional.of(new DatacenterStatus(name, granted, Optional.empty(), reason));
                    });
        }

        private static String note(DatacenterStatus.InHand inHand) {
            List<String> notes = new ArrayList<>();
            if (inHand.notAbsorbed() > 0) {
                notes.add(inHand.notAbsorbed() + " ids are granted, not absorbed");
            }
            if (inHand.blocks().isEmpty()) {
                notes.add("the blocks that its processes hold could not be counted");
            }
            return String.join("; ", notes);
        }

        private DatacenterStatus.InHand inHand(
                SequenceEntry entry,
                long granted,
                Map<Integer, Reserve> reserves,
                List<Given> grants,
                Optional<DatacenterStatus.LiveBlocks> blocks) {
            long reserved = reserves.entrySet().stream()
                    .mapToLong(each -> unclaimed(entry, each.getKey(), each.getValue(), grants))
                    .sum();
            long notAbsorbed = reserves.entrySet().stream()
                    .filter(each -> each.getValue().incarnation() == entry.incarnation())
                    .mapToLong(each -> underWay(each.getKey(), each.getValue(), grants))
                    .sum();
            long tails = sum(
                    reserves,
                    reserve -> reserve.incarnation() == entry.incarnation()
                            ? reserve.tails().size()
                            : 0);
            long busiest = sum(reserves, reserve -> usageNow(reserve).peakHourly());
            return new DatacenterStatus.InHand(
                    reserved,
                    notAbsorbed,
                    tails,
                    Math.max(0, granted - reserved - tails),
                    sum(reserves, reserve -> usageNow(reserve).claimed()),
                    busiest,
                    lasting(reserved, busiest),
                    blocks);
        }
    }

    /** What was granted and not claimed: in the reserve, or on its way to it. */
    private static long unclaimed(SequenceEntry entry, int stripe, Reserve reserve, List<Given> grants) {
        if (reserve.incarnation() != entry.incarnation()) {
            return 0;
        }
        return reserve.remaining() + underWay(stripe, reserve, grants);
    }

    private static long underWay(int stripe, Reserve reserve, List<Given> grants) {
        return grants.stream()
                .filter(grant -> grant.stripe() == stripe && grant.number() > reserve.grantNumber())
                .mapToLong(Given::count)
                .sum();
    }

    static Optional<Duration> lasting(long ids, long hourly) {
        return hourly == 0 ? Optional.empty() : Optional.of(Duration.ofSeconds((long) (3_600.0 * ids / hourly)));
    }

    private static long sum(Map<Integer, Reserve> reserves, ToLongFunction<Reserve> each) {
        return reserves.values().stream().mapToLong(each).sum();
    }

    private static List<Given> grants(List<Row> rows) {
        return rows.stream()
                .filter(row -> !row.isNull("grant_no") && row.getInt("grant_no") > 0 && !row.isNull("lo"))
                .map(row -> new Given(
                        row.getInt("i"),
                        Objects.requireNonNull(row.getString("dc")),
                        row.getInt("stripe"),
                        row.getInt("grant_no"),
                        row.getLong("hi") - row.getLong("lo"),
                        Instant.EPOCH.plusNanos(Math.multiplyExact(row.getLong("granted_at"), 1_000L))))
                .toList();
    }

    /** Empty if it is not known: a partition with very many claims of the last days cannot be read. */
    private CompletionStage<Optional<DatacenterStatus.LiveBlocks>> blocks(String keyspace, SequenceSpec spec) {
        return global.peek(
                        ConsistencyLevel.QUORUM,
                        "SELECT i, kind, lo, end, holder, at FROM " + keyspace
                                + ".reserve WHERE seq = ? AND stripe IN ?",
                        spec.name(),
                        stripes(spec))
                .thenApply(rows -> rows.stream()
                        .filter(CassandraSequenceCatalog::isHeld)
                        .map(row -> holder(spec, row))
                        .toList())
                .thenApply(holders -> Optional.of(new DatacenterStatus.LiveBlocks(
                        holders.size(),
                        holders.stream()
                                .mapToLong(holder -> holder.ids().count())
                                .sum(),
                        holders.stream().min(Comparator.comparing(Holder::since)))))
                .exceptionally(failure -> Optional.empty());
    }

    private static Holder holder(SequenceSpec spec, Row row) {
        long lo = row.getLong("lo");
        return new Holder(
                Objects.requireNonNull(row.getString("holder")),
                row.getInt("i"),
                new IdRange(spec.idAt(lo), spec.increment(), row.getLong("end") - lo),
                Objects.requireNonNull(row.get("at", Instant.class)));
    }

    private static String silence(String keyspace, Throwable cause) {
        return cause instanceof QueryValidationException
                ? "its keyspace is not readable as " + keyspace + ": " + cause.getMessage()
                : "no answer from it: " + cause.getMessage();
    }

    private static <T> CompletionStage<List<T>> together(List<CompletionStage<T>> stages) {
        CompletionStage<List<T>> all = CompletableFuture.completedFuture(new ArrayList<>());
        for (CompletionStage<T> stage : stages) {
            all = all.thenCombine(stage, (list, value) -> {
                list.add(value);
                return list;
            });
        }
        return all;
    }
}
