package dev.cassidy.sequence.cassandra;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.cql.Row;
import dev.cassidy.async.Stages;
import dev.cassidy.cluster.Datacenters;
import dev.cassidy.cluster.Schema;
import dev.cassidy.lwt.ConditionalStatements;
import dev.cassidy.lwt.ConditionalStatements.Cas;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.store.Claim;
import dev.cassidy.sequence.store.ClaimOutcome;
import dev.cassidy.sequence.store.GrantHistory;
import dev.cassidy.sequence.store.HeldClaim;
import dev.cassidy.sequence.store.Holdings;
import dev.cassidy.sequence.store.Incarnations;
import dev.cassidy.sequence.store.Numbering;
import dev.cassidy.sequence.store.Participation;
import dev.cassidy.sequence.store.Reserve;
import dev.cassidy.sequence.store.SequenceCatalog;
import dev.cassidy.sequence.store.SequenceEntry;
import dev.cassidy.sequence.store.SequenceGlimpse;
import dev.cassidy.sequence.store.SequenceOutlook;
import dev.cassidy.sequence.store.Span;
import dev.cassidy.sequence.store.Stripe;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The registry's steps in CQL: tables {@code seq}, {@code sequence}, and the claims of {@code reserve}. */
final class CassandraSequenceCatalog implements SequenceCatalog {

    /**
     * An acknowledgement is a grant with this number and without a range, to the first stripe. Grants count from 1, so
     * no look for a grant finds it.
     */
    private static final int ACKNOWLEDGEMENT = 0;

    /** Taken ids are a grant with this number, to no datacenter; its bounds are ids, the upper one inclusive. */
    private static final int TAKEN = -1;

    private static final String CLAIMS = "SELECT i, kind, lo, end, claim, holder, at, writetime(claim) AS written,"
            + " toUnixTimestamp(now()) AS now_ms FROM ";

    private static final String NO_DATACENTER = "-";

    private static final String GLIMPSE = "inc, start, increment, floor";

    private final ConditionalStatements global;
    private final ConditionalStatements local;
    private final String seq;
    private final String copies;
    private final String reserve;
    private final String globalKeyspace;
    private final String localKeyspace;
    private final String datacenter;
    private final Datacenters datacenters;

    CassandraSequenceCatalog(
            ConditionalStatements global,
            ConditionalStatements local,
            String globalKeyspace,
            String localKeyspace,
            String datacenter,
            Datacenters datacenters) {
        this.global = global;
        this.local = local;
        this.seq = globalKeyspace + ".seq";
        this.copies = localKeyspace + ".sequence";
        this.reserve = localKeyspace + ".reserve";
        this.globalKeyspace = globalKeyspace;
        this.localKeyspace = localKeyspace;
        this.datacenter = datacenter;
        this.datacenters = datacenters;
    }

    @Override
    public String datacenter() {
        return datacenter;
    }

    @Override
    public CompletionStage<Optional<SequenceEntry>> find(String name) {
        return GlobalRow.read(global, globalKeyspace, name);
    }

    @Override
    public CompletionStage<Optional<SequenceEntry>> findAgreed(String name) {
        return GlobalRow.readAndRepair(global, globalKeyspace, name);
    }

    @Override
    public CompletionStage<ClaimOutcome> insert(SequenceEntry entry) {
        return step(global, GlobalRow.insertion(globalKeyspace, entry));
    }

    @Override
    public CompletionStage<ClaimOutcome> replace(SequenceEntry seen, SequenceEntry after) {
        return step(global, GlobalRow.replacement(globalKeyspace, seen, after));
    }

    @Override
    public CompletionStage<ClaimOutcome> replace(SequenceEntry seen, SequenceEntry after, GrantHistory.Taken taken) {
        return step(
                global,
                GlobalRow.replacement(globalKeyspace, seen, after),
                new Cas(
                        "INSERT INTO " + seq + " (seq, i, dc, stripe, grant_no, lo, hi)"
                                + " VALUES (?, ?, ?, 0, ?, ?, ?) IF NOT EXISTS",
                        after.name(),
                        after.incarnation(),
                        NO_DATACENTER,
                        TAKEN,
                        taken.lowest(),
                        taken.highest()));
    }

    @Override
    public CompletionStage<GrantHistory> history(String name) {
        return global.read("SELECT i, dc, stripe, grant_no, lo, hi FROM " + seq + " WHERE seq = ?", name)
                .thenApply(rows -> {
                    List<GrantHistory.Granted> grants = new ArrayList<>();
                    List<GrantHistory.Taken> taken = new ArrayList<>();
                    for (Row row : rows) {
                        if (row.isNull("dc")) {
                            continue;
                        }
                        int number = row.getInt("grant_no");
                        if (number == TAKEN) {
                            taken.add(new GrantHistory.Taken(row.getLong("lo"), row.getLong("hi")));
                        } else if (number > ACKNOWLEDGEMENT) {
                            grants.add(new GrantHistory.Granted(
                                    row.getInt("i"),
                                    Objects.requireNonNull(row.getString("dc")),
                                    row.getInt("stripe"),
                                    number,
                                    new Span(row.getLong("lo"), row.getLong("hi"))));
                        }
                    }
                    return new GrantHistory(grants, taken);
                });
    }

    @Override
    public CompletionStage<List<Holdings>> holdings(SequenceEntry entry) {
        return participations(entry.name())
                .thenCompose(parts -> datacenters.others().thenCompose(others -> withNodes()
                        .thenCompose(withNodes -> {
                            Map<String, String> keyspaces = new TreeMap<>(others);
                            Set<String> existing = new HashSet<>(others.keySet());
                            existing.addAll(withNodes);
                            Stream.concat(existing.stream(), parts.stream().map(Participation::datacenter))
                                    .forEach(name -> keyspaces.putIfAbsent(name, Schema.nameOf(globalKeyspace, name)));
                            keyspaces.put(datacenter, localKeyspace);
                            Set<String> granted = parts.stream()
                                    .filter(Participation::granted)
                                    .map(Participation::datacenter)
                                    .collect(Collectors.toSet());
                            granted.retainAll(existing);
                            return holdings(entry, keyspaces, granted);
                        })));
    }

    /**
     * @param keyspaces by datacenter
     * @param required the datacenters that must have one, because they exist and were granted ids
     */
    private CompletionStage<List<Holdings>> holdings(
            SequenceEntry entry, Map<String, String> keyspaces, Set<String> required) {
        CompletionStage<List<Holdings>> all = CompletableFuture.completedFuture(new ArrayList<>());
        for (Map.Entry<String, String> each : keyspaces.entrySet()) {
            all = all.thenCompose(
                    before -> holdings(entry, each.getKey(), each.getValue(), required.contains(each.getKey()))
                            .thenApply(found -> {
                                found.ifPresent(before::add);
                                return before;
                            }));
        }
        return all;
    }

    /** Reads the names of the datacenters that have other nodes than the one that answers. */
    private CompletionStage<Set<String>> withNodes() {
        return global.peek(ConsistencyLevel.ONE, "SELECT data_center FROM system.peers")
                .thenApply(peers -> peers.stream()
                        .map(row -> row.getString("data_center"))
                        .filter(Objects::nonNull)
                        .collect(Collectors.toSet()));
    }

    /** @param required whether it must have a keyspace, because it exists and was granted ids */
    private CompletionStage<Optional<Holdings>> holdings(
            SequenceEntry entry, String name, String keyspace, boolean required) {
        return global.peek(
                        ConsistencyLevel.ONE,
                        "SELECT table_name FROM system_schema.tables WHERE keyspace_name = ? AND table_name = 'reserve'",
                        keyspace)
                .thenCompose(tables -> {
                    if (!tables.isEmpty()) {
                        return holdings(entry, name, keyspace).thenApply(Optional::of);
                    }
                    if (required) {
                        throw new SequenceException.Unavailable("what datacenter " + name + " holds of sequence "
                                + entry.name() + " cannot be read: it was granted ids, and there is no keyspace "
                                + keyspace
                                + ". Only keyspaces with such a name are read from another datacenter. If the"
                                + " datacenter is lost for good, remove its nodes from the cluster and from the"
                                + " replication of keyspace " + globalKeyspace);
                    }
                    return CompletableFuture.completedFuture(Optional.<Holdings>empty());
                });
    }

    private CompletionStage<Holdings> holdings(SequenceEntry entry, String name, String keyspace) {
        Map<Stripe, Reserve> reserves = new HashMap<>();
        List<HeldClaim> claims = new ArrayList<>();
        CompletionStage<Void> read = CompletableFuture.completedFuture(null);
        for (Stripe stripe : Stripe.of(entry.spec())) {
            read = read.thenCompose(before -> global.peek(
                            ConsistencyLevel.QUORUM,
                            "SELECT DISTINCT " + CassandraRangeStore.RESERVE + " FROM " + keyspace
                                    + ".reserve WHERE seq = ? AND stripe = ?",
                            stripe.sequence(),
                            stripe.number()))
                    .thenCompose(rows -> {
                        rows.stream()
                                .filter(row -> !row.isNull("inc"))
                                .forEach(row -> reserves.put(stripe, CassandraRangeStore.reserveOf(row)));
                        return global.peek(
                                ConsistencyLevel.QUORUM,
                                CLAIMS + keyspace + ".reserve WHERE seq = ? AND stripe = ? AND i >= ?",
                                stripe.sequence(),
                                stripe.number(),
                                Incarnations.first(Incarnations.generation(entry.incarnation())));
                    })
                    .thenAccept(rows -> rows.stream()
                            .filter(CassandraSequenceCatalog::isHeld)
                            .forEach(row -> claims.add(heldClaim(stripe, row))));
        }
        return read.thenCompose(done -> global.peek(
                        ConsistencyLevel.QUORUM,
                        "SELECT " + GLIMPSE + " FROM " + keyspace + ".sequence WHERE seq = ?",
                        entry.name()))
                .thenApply(rows -> new Holdings(name, first(entry.name(), rows), reserves, claims))
                .exceptionallyCompose(failure -> {
                    Throwable cause = Stages.cause(failure);
                    return CompletableFuture.failedFuture(new SequenceException.Unavailable(
                            "what datacenter " + name + " holds of sequence " + entry.name()
                                    + " cannot be read from keyspace " + keyspace + ": " + cause.getMessage()
                                    + ". Bring a majority of its replicas up; if the datacenter is lost for good, remove"
                                    + " its nodes and drop the keyspace",
                            cause));
                });
    }

    @Override
    public CompletionStage<List<Participation>> participations(String name) {
        return global.read(
                        "SELECT i, dc, min(grant_no) AS lowest, max(grant_no) AS highest FROM " + seq
                                + " WHERE seq = ? GROUP BY i, dc",
                        name)
                .thenApply(rows -> rows.stream()
                        .filter(row -> !row.isNull("dc") && row.getInt("highest") > TAKEN)
                        .map(row -> new Participation(
                                row.getInt("i"),
                                Objects.requireNonNull(row.getString("dc")),
                                row.getInt("highest") > ACKNOWLEDGEMENT,
                                row.getInt("lowest") == ACKNOWLEDGEMENT))
                        .toList());
    }

    @Override
    public CompletionStage<ClaimOutcome> acknowledge(String name, int incarnation, String acknowledging) {
        return step(
                global,
                new Cas(
                        "INSERT INTO " + seq + " (seq, i, dc, stripe, grant_no, lo, hi)"
                                + " VALUES (?, ?, ?, 0, ?, 0, 0) IF NOT EXISTS",
                        name,
                        incarnation,
                        acknowledging,
                        ACKNOWLEDGEMENT));
    }

    @Override
    public CompletionStage<List<SequenceGlimpse>> glimpses() {
        return global.peek(ConsistencyLevel.QUORUM, "SELECT DISTINCT seq, " + GLIMPSE + " FROM " + seq)
                .thenApply(rows -> rows.stream()
                        .map(row -> glimpse(Objects.requireNonNull(row.getString("seq")), row))
                        .toList());
    }

    @Override
    public CompletionStage<List<SequenceGlimpse>> copyGlimpses() {
        return local.peek(ConsistencyLevel.LOCAL_QUORUM, "SELECT seq, " + GLIMPSE + ", acknowledged FROM " + copies)
                .thenApply(rows -> rows.stream()
                        .map(row -> glimpse(Objects.requireNonNull(row.getString("seq")), row))
                        .toList());
    }

    private static SequenceGlimpse glimpse(String name, Row row) {
        boolean told = row.getColumnDefinitions().contains("acknowledged");
        return new SequenceGlimpse(
                name,
                row.getInt("inc"),
                new Numbering(row.getLong("start"), row.getLong("increment")),
                row.getLong("floor"),
                told ? row.getInt("acknowledged") : 0);
    }

    @Override
    public CompletionStage<Optional<SequenceOutlook>> outlook(String name) {
        CompletionStage<Optional<SequenceGlimpse>> here = local.peek(
                        ConsistencyLevel.LOCAL_QUORUM,
                        "SELECT " + GLIMPSE + ", acknowledged FROM " + copies + " WHERE seq = ?",
                        name)
                .thenApply(rows -> first(name, rows));
        CompletionStage<Optional<SequenceGlimpse>> everywhere = global.peek(
                        ConsistencyLevel.ONE, "SELECT DISTINCT " + GLIMPSE + " FROM " + seq + " WHERE seq = ?", name)
                .thenApply(rows -> first(name, rows))
                .exceptionally(cutOff -> Optional.empty());
        return here.thenCombine(everywhere, SequenceOutlook::of);
    }

    private static Optional<SequenceGlimpse> first(String name, List<Row> rows) {
        return rows.stream().filter(row -> !row.isNull("inc")).findFirst().map(row -> glimpse(name, row));
    }

    @Override
    public CompletionStage<Void> noteAcknowledged(String name, int incarnation) {
        return local.execute(new Cas(
                        "UPDATE " + copies + " SET acknowledged = ? WHERE seq = ? IF inc = ?",
                        incarnation,
                        name,
                        incarnation))
                .thenAccept(outcome -> {});
    }

    @Override
    public CompletionStage<Optional<SequenceEntry>> findCopy(String name) {
        return local.read(
                        "SELECT inc, ready, dropped, floor, " + GlobalRow.SPEC + " FROM " + copies + " WHERE seq = ?",
                        name)
                .thenApply(rows -> rows.stream()
                        .findFirst()
                        .map(row -> GlobalRow.entry(name, row, 0, row.getLong("floor"), row.getLong("floor"))));
    }

    @Override
    public CompletionStage<ClaimOutcome> insertCopy(SequenceEntry entry) {
        return step(
                local,
                GlobalRow.cas(
                        "INSERT INTO " + copies + " (seq, inc, ready, dropped, floor, " + GlobalRow.SPEC
                                + ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) IF NOT EXISTS",
                        entry.name(),
                        entry.incarnation(),
                        entry.ready(),
                        entry.dropped(),
                        entry.floor(),
                        GlobalRow.specValues(entry.spec())));
    }

    @Override
    public CompletionStage<ClaimOutcome> replaceCopy(SequenceEntry seen, SequenceEntry after) {
        return step(
                local,
                GlobalRow.cas(
                        "UPDATE " + copies + " SET inc = ?, ready = ?, dropped = ?, floor = ?, " + GlobalRow.SET_SPEC
                                + " WHERE seq = ? IF inc = ? AND ready = ? AND dropped = ? AND floor = ? AND start = ? AND increment = ?",
                        after.incarnation(),
                        after.ready(),
                        after.dropped(),
                        after.floor(),
                        GlobalRow.specValues(after.spec()),
                        after.name(),
                        seen.incarnation(),
                        seen.ready(),
                        seen.dropped(),
                        seen.floor(),
                        seen.spec().start(),
                        seen.spec().increment()));
    }

    @Override
    public CompletionStage<List<HeldClaim>> claims(Stripe stripe, int from, int before) {
        // Both times are the servers': the claiming process's own clock may be wrong.
        return local.read(
                        CLAIMS + reserve + " WHERE seq = ? AND stripe = ? AND i >= ? AND i < ?",
                        stripe.sequence(),
                        stripe.number(),
                        from,
                        before)
                .thenApply(rows -> rows.stream()
                        .filter(CassandraSequenceCatalog::isHeld)
                        .map(row -> heldClaim(stripe, row))
                        .toList());
    }

    /** Whether it is the row of a claim, or of lost ones. */
    static boolean isHeld(Row row) {
        return "c".equals(row.getString("kind")) || isLost(row);
    }

    private static boolean isLost(Row row) {
        return "u".equals(row.getString("kind"));
    }

    private static HeldClaim heldClaim(Stripe stripe, Row row) {
        Claim claim = new Claim(
                row.getInt("i"),
                new Span(row.getLong("lo"), row.getLong("end")),
                Objects.requireNonNull(row.getUuid("claim")));
        return new HeldClaim(
                stripe,
                claim,
                Objects.requireNonNull(row.getString("holder")),
                Objects.requireNonNull(row.get("at", Instant.class)),
                Duration.ofMillis(row.getLong("now_ms") - TimeUnit.MICROSECONDS.toMillis(row.getLong("written"))),
                isLost(row));
    }

    @Override
    public CompletionStage<Duration> forgottenFor() {
        return local.peek(
                        ConsistencyLevel.LOCAL_ONE,
                        "SELECT gc_grace_seconds FROM system_schema.tables WHERE keyspace_name = ?"
                                + " AND table_name = 'reserve'",
                        localKeyspace)
                .thenApply(rows -> rows.stream()
                        .findFirst()
                        .map(row -> Duration.ofSeconds(row.getInt("gc_grace_seconds")))
                        .orElse(Duration.ZERO));
    }

    private static CompletionStage<ClaimOutcome> step(ConditionalStatements level, Cas... statements) {
        return CassandraRangeStore.explained(level.execute(statements)).thenApply(CassandraRangeStore::outcome);
    }
}
