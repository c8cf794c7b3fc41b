package dev.cassidy.sequence.cassandra;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.cql.Row;
import dev.cassidy.async.Stages;
import dev.cassidy.lwt.CasOutcome;
import dev.cassidy.lwt.ConditionalStatements;
import dev.cassidy.lwt.ConditionalStatements.Cas;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.protocol.Safety;
import dev.cassidy.sequence.store.ClaimOutcome;
import dev.cassidy.sequence.store.GrantStanding;
import dev.cassidy.sequence.store.Numbering;
import dev.cassidy.sequence.store.Span;
import dev.cassidy.snowflake.SnowflakeSpec;
import dev.cassidy.snowflake.store.GrantedTo;
import dev.cassidy.snowflake.store.NodeGrant;
import dev.cassidy.snowflake.store.NodeLedger;
import dev.cassidy.snowflake.store.NodeRow;
import dev.cassidy.snowflake.store.NodeShare;
import dev.cassidy.snowflake.store.NodeStore;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * The protocol's steps in CQL. A sequence is one partition in the global keyspace and one in each datacenter's; a node
 * number is a partition of its own, so that renewals do not contend. Whatever changes a number's row writes the whole of it:
 * a replica that forgets a part of what it had must not be left with halves of two leases.
 */
final class CassandraNodeStore implements NodeStore {

    private static final UUID NOBODY = new UUID(0, 0);

    private final ConditionalStatements global;
    private final ConditionalStatements local;
    private final String ledgers;
    private final String shares;
    private final String nodes;
    private final String datacenter;
    private final Supplier<String> holder;
    private final InstantSource clock;
    private final Safety safety;

    CassandraNodeStore(
            ConditionalStatements global,
            ConditionalStatements local,
            String globalKeyspace,
            String localKeyspace,
            String datacenter,
            Supplier<String> holder,
            InstantSource clock,
            Safety safety) {
        this.global = global;
        this.local = local;
        this.ledgers = globalKeyspace + ".snowflake";
        this.shares = localKeyspace + ".snowflake";
        this.nodes = localKeyspace + ".snowflake_node";
        this.datacenter = datacenter;
        this.holder = holder;
        this.clock = clock;
        this.safety = safety;
    }

    @Override
    public CompletionStage<Optional<NodeLedger>> ledger(String sequence) {
        return explained(global.read(
                        "SELECT DISTINCT epoch_ms, nodes, next, destroyed FROM " + ledgers + " WHERE seq = ?",
                        sequence))
                .thenApply(rows -> rows.stream()
                        .filter(row -> !row.isNull("epoch_ms"))
                        .findFirst()
                        .map(row -> new NodeLedger(
                                specOf(sequence, row), row.getBoolean("destroyed"), row.getInt("next"))));
    }

    private static SnowflakeSpec specOf(String sequence, Row row) {
        return new SnowflakeSpec(sequence, Instant.ofEpochMilli(row.getLong("epoch_ms")), row.getInt("nodes"));
    }

    @Override
    public CompletionStage<ClaimOutcome> create(SnowflakeSpec spec) {
        return step(
                global,
                new Cas(
                        "UPDATE " + ledgers + " SET epoch_ms = ?, nodes = ?, next = 0, destroyed = false WHERE seq = ?"
                                + " IF epoch_ms = null",
                        spec.epoch().toEpochMilli(),
                        spec.nodes(),
                        spec.name()));
    }

    @Override
    public CompletionStage<ClaimOutcome> destroy(NodeLedger seen) {
        return step(global, change(seen, true, seen.next()));
    }

    /**
     * All shared columns, so that no replica that has forgotten some of the changes has a mixture. A creation that comes back
     * must not set {@code next} back.
     */
    private Cas change(NodeLedger seen, boolean destroyed, int next) {
        return new Cas(
                "UPDATE " + ledgers + " SET epoch_ms = ?, nodes = ?, destroyed = ?, next = ? WHERE seq = ?"
                        + " IF next = ? AND destroyed = false",
                seen.spec().epoch().toEpochMilli(),
                seen.spec().nodes(),
                destroyed,
                next,
                seen.spec().name(),
                seen.next());
    }

    @Override
    public CompletionStage<Integer> highestGrant(String sequence) {
        return explained(global.read(
                        "SELECT grant_no FROM " + ledgers
                                + " WHERE seq = ? AND dc = ? ORDER BY dc DESC, grant_no DESC LIMIT 1",
                        sequence,
                        datacenter))
                .thenApply(rows -> rows.isEmpty() ? 0 : rows.get(0).getInt("grant_no"));
    }

    @Override
    public CompletionStage<Optional<GrantedTo>> grantAt(String sequence, int number) {
        return explained(global.read(
                        "SELECT lo, hi, grantee FROM " + ledgers + " WHERE seq = ? AND dc = ? AND grant_no = ?",
                        sequence,
                        datacenter,
                        number))
                .thenApply(rows -> rows.stream()
                        .filter(row -> !row.isNull("lo"))
                        .findFirst()
                        .map(row -> new GrantedTo(
                                new NodeGrant(number, row.getInt("lo"), row.getInt("hi")),
                                Objects.requireNonNullElse(row.getUuid("grantee"), NOBODY))));
    }

    @Override
    public CompletionStage<GrantStanding> standing(String sequence, NodeGrant grant, boolean repair) {
        String cql = "SELECT epoch_ms, nodes, destroyed, next, dc, grant_no, lo, hi FROM " + ledgers + " WHERE seq = ?";
        return explained(repair ? global.peek(ConsistencyLevel.QUORUM, cql, sequence) : global.read(cql, sequence))
                .thenApply(rows -> {
                    Span own = null;
                    List<Span> others = new ArrayList<>();
                    for (Row row : rows) {
                        if (row.isNull("dc")) {
                            continue;
                        }
                        Span span = new Span(row.getInt("lo"), row.getInt("hi"));
                        if (datacenter.equals(row.getString("dc")) && row.getInt("grant_no") == grant.number()) {
                            own = span;
                        } else {
                            others.add(span);
                        }
                    }
                    return new GrantStanding(
                            0, Numbering.NONE, rows.isEmpty() ? 0 : rows.get(0).getInt("next"), own, others);
                });
    }

    @Override
    public CompletionStage<ClaimOutcome> grant(NodeLedger seen, NodeGrant wanted, UUID grantee) {
        String sequence = seen.spec().name();
        return step(
                global,
                change(seen, false, wanted.hi()),
                new Cas(
                        "INSERT INTO " + ledgers + " (seq, dc, grant_no, lo, hi, grantee) VALUES (?, ?, ?, ?, ?, ?)"
                                + " IF NOT EXISTS",
                        sequence,
                        datacenter,
                        wanted.number(),
                        wanted.lo(),
                        wanted.hi(),
                        grantee));
    }

    @Override
    public CompletionStage<Optional<NodeShare>> share(String sequence) {
        return explained(local.read(
                        "SELECT epoch_ms, nodes, destroyed, grant_no, k, lo, hi FROM " + shares + " WHERE seq = ?",
                        sequence))
                .thenApply(rows -> rows.isEmpty() || rows.get(0).isNull("epoch_ms")
                        ? Optional.empty()
                        : Optional.of(shareOf(sequence, rows)));
    }

    private static NodeShare shareOf(String sequence, List<Row> rows) {
        Row first = rows.get(0);
        return new NodeShare(
                specOf(sequence, first),
                first.getBoolean("destroyed"),
                first.getInt("grant_no"),
                rows.stream()
                        .filter(row -> !row.isNull("k"))
                        .map(row -> new NodeGrant(row.getInt("k"), row.getInt("lo"), row.getInt("hi")))
                        .toList());
    }

    @Override
    public CompletionStage<ClaimOutcome> join(SnowflakeSpec spec, int grantNumber) {
        return step(
                local,
                new Cas(
                        "UPDATE " + shares + " SET epoch_ms = ?, nodes = ?, destroyed = false, grant_no = ?"
                                + " WHERE seq = ? IF epoch_ms = null",
                        spec.epoch().toEpochMilli(),
                        spec.nodes(),
                        grantNumber,
                        spec.name()));
    }

    @Override
    public CompletionStage<ClaimOutcome> destroyHere(String sequence) {
        return step(
                local,
                new Cas("UPDATE " + shares + " SET destroyed = true WHERE seq = ? IF destroyed = false", sequence));
    }

    @Override
    public CompletionStage<Boolean> seemsDestroyed(String sequence) {
        CompletionStage<Boolean> here =
                destroyedIn(local.peek(ConsistencyLevel.LOCAL_QUORUM, destroyedQuery(shares), sequence));
        // One replica of the global keyspace, preferably in this datacenter, so that an isolated datacenter can go on.
        CompletionStage<Boolean> everywhere = destroyedIn(
                        global.peek(ConsistencyLevel.ONE, destroyedQuery(ledgers), sequence))
                .exceptionally(cutOff -> false);
        return here.thenCombine(everywhere, Boolean::logicalOr);
    }

    private static String destroyedQuery(String table) {
        return "SELECT DISTINCT destroyed FROM " + table + " WHERE seq = ?";
    }

    private static CompletionStage<Boolean> destroyedIn(CompletionStage<List<Row>> rows) {
        return rows.thenApply(found -> found.stream().anyMatch(row -> row.getBoolean("destroyed")));
    }

    @Override
    public CompletionStage<ClaimOutcome> prepare(String sequence, int number) {
        NodeRow fresh = NodeRow.fresh(number);
        return step(
                local,
                new Cas(
                        "INSERT INTO " + nodes + " (seq, n, epoch, ts_high, lease, free, holder, at)"
                                + " VALUES (?, ?, ?, ?, ?, ?, ?, ?) IF NOT EXISTS",
                        sequence,
                        number,
                        fresh.epoch(),
                        fresh.tsHigh(),
                        fresh.token(),
                        fresh.free(),
                        holder.get(),
                        clock.instant()));
    }

    @Override
    public CompletionStage<ClaimOutcome> absorb(String sequence, NodeGrant grant) {
        return step(
                local,
                new Cas(
                        "UPDATE " + shares + " SET grant_no = ? WHERE seq = ? IF grant_no = ?",
                        grant.number(),
                        sequence,
                        grant.number() - 1),
                new Cas(
                        "INSERT INTO " + shares + " (seq, k, lo, hi) VALUES (?, ?, ?, ?) IF NOT EXISTS",
                        sequence,
                        grant.number(),
                        grant.lo(),
                        grant.hi()));
    }

    @Override
    public CompletionStage<ClaimOutcome> skip(String sequence, int from, int to) {
        return step(
                local,
                new Cas("UPDATE " + shares + " SET grant_no = ? WHERE seq = ? IF grant_no = ?", to, sequence, from));
    }

    @Override
    public CompletionStage<Optional<NodeRow>> glance(String sequence, int number) {
        return nodeOf(number, local.peek(ConsistencyLevel.LOCAL_QUORUM, nodeQuery(), sequence, number));
    }

    @Override
    public CompletionStage<Optional<NodeRow>> node(String sequence, int number) {
        return nodeOf(number, local.read(nodeQuery(), sequence, number));
    }

    /** A plain read at LOCAL_QUORUM repairs what it reads before it answers. */
    @Override
    public CompletionStage<Optional<NodeRow>> agreed(String sequence, int number) {
        return glance(sequence, number);
    }

    private String nodeQuery() {
        return "SELECT epoch, ts_high, lease, free FROM " + nodes + " WHERE seq = ? AND n = ?";
    }

    private static CompletionStage<Optional<NodeRow>> nodeOf(int number, CompletionStage<List<Row>> rows) {
        return explained(rows).thenApply(found -> found.stream()
                .filter(row -> !row.isNull("epoch") && !row.isNull("ts_high") && !row.isNull("lease"))
                .findFirst()
                .map(row -> new NodeRow(
                        number,
                        row.getLong("epoch"),
                        row.getLong("ts_high"),
                        Objects.requireNonNull(row.getUuid("lease")),
                        row.getBoolean("free"))));
    }

    @Override
    public CompletionStage<ClaimOutcome> take(String sequence, NodeRow seen, NodeRow wanted) {
        return step(
                local,
                new Cas(
                        "UPDATE " + nodes + " SET epoch = ?, ts_high = ?, lease = ?, free = false, holder = ?, at = ?"
                                + " WHERE seq = ? AND n = ? IF epoch = ? AND ts_high = ?",
                        wanted.epoch(),
                        wanted.tsHigh(),
                        wanted.token(),
                        holder.get(),
                        clock.instant(),
                        sequence,
                        seen.number(),
                        seen.epoch(),
                        seen.tsHigh()));
    }

    @Override
    public CompletionStage<ClaimOutcome> renew(String sequence, NodeRow lease, long tsHigh) {
        return step(
                local,
                new Cas(
                        "UPDATE " + nodes
                                + " SET epoch = ?, ts_high = ?, lease = ?, free = false WHERE seq = ? AND n = ?"
                                + " IF epoch = ? AND lease = ? AND free = false AND ts_high < ?",
                        lease.epoch(),
                        tsHigh,
                        lease.token(),
                        sequence,
                        lease.number(),
                        lease.epoch(),
                        lease.token(),
                        tsHigh));
    }

    @Override
    public CompletionStage<ClaimOutcome> release(String sequence, NodeRow lease, long last) {
        return step(
                local,
                new Cas(
                        "UPDATE " + nodes
                                + " SET epoch = ?, ts_high = ?, lease = ?, free = true WHERE seq = ? AND n = ?"
                                + " IF epoch = ? AND lease = ? AND free = false",
                        lease.epoch(),
                        last,
                        lease.token(),
                        sequence,
                        lease.number(),
                        lease.epoch(),
                        lease.token()));
    }

    private CompletionStage<ClaimOutcome> step(ConditionalStatements level, Cas... statements) {
        Optional<SequenceException> refusal = safety.refusal();
        if (refusal.isPresent()) {
            return CompletableFuture.failedFuture(refusal.get());
        }
        return explained(level.execute(statements)).thenApply(CassandraNodeStore::outcome);
    }

    private static ClaimOutcome outcome(CasOutcome outcome) {
        if (outcome instanceof CasOutcome.Applied) {
            return new ClaimOutcome.Claimed();
        }
        return outcome instanceof CasOutcome.Unknown unknown
                ? new ClaimOutcome.Unknown(unknown.cause())
                : new ClaimOutcome.Lost();
    }

    /** An error that no retry can correct is thrown at once. */
    private static <T> CompletionStage<T> explained(CompletionStage<T> stage) {
        return stage.handle((value, thrown) -> {
                    if (thrown == null) {
                        return CompletableFuture.completedFuture(value);
                    }
                    return CompletableFuture.<T>failedFuture(Rights.explained(Stages.cause(thrown)));
                })
                .thenCompose(result -> result);
    }
}
