package dev.cassidy.jdbc.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import dev.cassidy.insert.CqlInsert;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.SQLWarning;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FanOutRuleTest {

    private static final Instant NOW = Instant.parse("2026-03-01T12:00:00Z");
    private static final ReadPath BY_INDEX = new ReadPath(
            ReadPath.Kind.INDEX,
            null,
            new CqlInsert.Table("shop", "orders"),
            List.of("id"),
            Map.of("dc1", 3),
            List.of("customer"),
            true,
            Optional.of(new ReadPath.Cures(
                    "id = ?", Optional.of("CREATE TABLE shop.orders_by_customer (...)"), List.of())));

    private final List<SQLWarning> warnings = new ArrayList<>();

    private static NodeCounts nodes(int local) {
        return new NodeCounts("dc1", Map.of("dc1", local, "dc2", 7));
    }

    private static FanOutRule rule(String option, int nodes, Instant grownAt) {
        return FanOutRule.decide(
                FanOut.parse(option),
                nodes(nodes),
                DefaultConsistencyLevel.LOCAL_QUORUM,
                () -> Optional.ofNullable(grownAt),
                NOW);
    }

    private static void assertRefused(FanOutRule rule, String message) {
        assertThatThrownBy(() -> rule.apply(BY_INDEX, warning -> {}))
                .isInstanceOf(SQLFeatureNotSupportedException.class)
                .hasMessageContaining(message)
                .hasMessageContaining("Give its key, id = ?; or read a table by that key: CREATE TABLE")
                .hasMessageContaining("fanOut=allow:shop.orders");
    }

    private String warning(FanOutRule rule) throws SQLException {
        warnings.clear();
        rule.apply(BY_INDEX, warnings::add);
        assertThat(warnings).hasSize(1);
        return warnings.get(0).getMessage();
    }

    @Test
    void shouldWarnUpToTwelveNodesAndRefuseAbove() throws SQLException {
        Instant longAgo = NOW.minus(Duration.ofDays(31));

        assertThat(warning(rule("auto", 12, longAgo)))
                .contains("Reading shop.orders by an index without its partition key asks about 8 nodes at LOCAL_QUORUM"
                        + " (datacenter dc1 has 12)")
                .contains("or accept the cost: fanOut=allow:shop.orders");
        assertRefused(rule("auto", 13, longAgo), "because the datacenter has more than 12 nodes");
        assertRefused(rule("auto", 500, longAgo), "asks about 334 nodes at LOCAL_QUORUM (datacenter dc1 has 500)");
        assertThat(warning(rule("warn", 500, longAgo))).contains("334 nodes");
        assertRefused(rule("refuse", 1, null), "the connection has fanOut=refuse");
    }

    @Test
    void shouldWarnForThirtyDaysAfterTheDatacenterGrew() throws SQLException {
        assertThat(warning(rule("auto", 13, NOW.minus(Duration.ofDays(29)))))
                .contains("From 2026-03-03 on it is refused");
        assertThat(warning(rule("auto", 13, null))).doesNotContain("it is refused");
    }

    @Test
    void shouldAcceptWhatTheOptionNames() throws SQLException {
        for (String option : List.of("allow:orders", "allow:x,shop.orders")) {
            FanOutRule rule = rule(option, 500, NOW.minus(Duration.ofDays(31)));
            rule.apply(BY_INDEX, warnings::add);
            assertThat(rule.refuses(BY_INDEX)).isFalse();
        }
        assertThat(warnings).isEmpty();
        assertRefused(rule("allow:other.orders", 500, NOW.minus(Duration.ofDays(31))), "more than 12 nodes");
    }

    @Test
    void shouldPlanForAnotherNumberOfNodes() {
        assertRefused(rule("auto", 1, null).withNodes(60), "asks about 40 nodes");
        assertThat(rule("warn", 1, null).withNodes(60).refuses(BY_INDEX)).isFalse();
    }

    @Test
    void shouldPlanForAnotherNumberOfNodesPastAnyGrace() throws SQLException {
        FanOutRule growing = rule("auto", 13, NOW.minus(Duration.ofDays(29)));

        assertRefused(growing.withNodes(13), "because the datacenter has more than 12 nodes");
        assertThat(warning(growing.withNodes(12))).doesNotContain("it is refused");
    }

    @Test
    void shouldDecideAgainWhenNodesJoinOrAnHourHasPassed() {
        AtomicLong nanos = new AtomicLong();
        FanOutDecisions decisions = new FanOutDecisions(null, FanOut.parse("warn"), () -> NOW, nanos::get);
        FanOutRule first = decisions.current(nodes(3), DefaultConsistencyLevel.ONE);

        assertThat(decisions.current(nodes(3), DefaultConsistencyLevel.ONE)).isSameAs(first);
        FanOutRule second = decisions.current(nodes(4), DefaultConsistencyLevel.ONE);
        assertThat(second.nodes()).isEqualTo(nodes(4));
        nanos.addAndGet(Duration.ofHours(1).toNanos());
        assertThat(decisions.current(nodes(4), DefaultConsistencyLevel.ONE)).isNotSameAs(second);
    }

    private static ReadPath path(ReadPath.Kind kind, String... indexes) {
        return new ReadPath(
                kind,
                null,
                BY_INDEX.table(),
                BY_INDEX.partitionKey(),
                BY_INDEX.replicas(),
                BY_INDEX.columns(),
                true,
                Optional.of(new ReadPath.Cures("id = ?", Optional.empty(), List.of(indexes))));
    }

    /** Of another statement, the plan says nothing of why the server refused it. */
    @Test
    void shouldSayWhyTheServerRefusesWhatHasNoWay() {
        FanOutRule rule = rule("auto", 3, null);
        Throwable filtering =
                new IllegalArgumentException("Cannot execute this query as it might involve data filtering");

        for (ReadPath refused : List.of(path(ReadPath.Kind.REFUSED), path(ReadPath.Kind.INDEX, "CREATE INDEX ..."))) {
            assertThat(rule.refusal(refused, filtering)).get().asString().contains("shop.orders is read by customer");
            assertThat(rule.refusal(refused, new IllegalArgumentException("Undefined column name x")))
                    .isEmpty();
        }
        for (ReadPath served : List.of(path(ReadPath.Kind.PARTITION), path(ReadPath.Kind.INDEX))) {
            assertThat(rule.refusal(served, filtering)).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "allow", "allow:", "allow:a.b.c", "WARN", "refuse,allow:x"})
    void shouldRefuseAnOptionThatSaysNothing(String option) {
        assertThatThrownBy(() -> FanOut.parse(option))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("must be auto, warn, refuse, or allow:table,table...");
    }

    @ParameterizedTest
    @CsvSource({
        "LOCAL_QUORUM, 334",
        "LOCAL_ONE, 167",
        "ONE, 167",
        "TWO, 334",
        "ALL, 507",
        "EACH_QUORUM, 341",
        "QUORUM, 305",
    })
    void shouldCountTheNodesThatALevelAsks(DefaultConsistencyLevel level, int asked) {
        assertThat(nodes(500).asked(Map.of("dc1", 3, "dc2", 2), (ConsistencyLevel) level))
                .isEqualTo(asked);
    }

    @Test
    void shouldCountTheNodesOfASimpleStrategy() {
        NodeCounts one = new NodeCounts("dc1", Map.of("dc1", 1));
        assertThat(one.asked(Map.of("", 1), DefaultConsistencyLevel.LOCAL_QUORUM))
                .isEqualTo(1);
        assertThat(one.asked(Map.of("", 3), DefaultConsistencyLevel.LOCAL_QUORUM))
                .isEqualTo(1);
    }

    // ---- the age of nodes

    private static List<CompletableFuture<Optional<Instant>>> births(int old, int young, int silent) {
        List<CompletableFuture<Optional<Instant>>> births = new ArrayList<>();
        IntStream.range(0, young).forEach(i -> births.add(born(NOW.minus(Duration.ofDays(5)))));
        IntStream.range(0, old).forEach(i -> births.add(born(NOW.minus(Duration.ofDays(100 + i)))));
        IntStream.range(0, silent)
                .forEach(i -> births.add(CompletableFuture.failedFuture(new IllegalStateException())));
        return births;
    }

    private static CompletableFuture<Optional<Instant>> born(Instant instant) {
        return CompletableFuture.completedFuture(Optional.of(instant));
    }

    private static Optional<Instant> passed(List<CompletableFuture<Optional<Instant>>> births) {
        return NodeBirths.passed(births, birth -> birth, 12, NOW.minus(FanOutRule.GRACE), Duration.ofSeconds(1));
    }

    @Test
    void shouldSayWhenTheThirteenthNodeJoined() {
        assertThat(passed(births(12, 1, 0))).contains(NOW.minus(Duration.ofDays(5)));
        assertThat(passed(births(13, 4, 0))).contains(NOW.minus(Duration.ofDays(100)));
        assertThat(passed(births(12, 0, 5))).isEmpty();
        assertThat(passed(births(100, 30, 3))).get().matches(NOW.minus(FanOutRule.GRACE)::isAfter);
    }
}
