package dev.cassidy.migration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.sequence.IdentityColumn;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.cassandra.InternalAccess;
import dev.cassidy.sequence.cassandra.Sequences;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Sequences that continue a source at rest. */
interface SeedTests extends Migrating {

    @Test
    default void shouldContinueTheTenSequencesOfAShopInUse() {
        source().loadMusicShop();

        assertExit(run(null, "migrate verify"), ExitCode.RISK, "\"missing\"");
        assertExit(run(null, "migrate plan", "--detailed-exitcode"), ExitCode.PENDING);
        assertThat(succeed(seed()).tables("result"))
                .hasSize(10)
                .containsValue("seeded")
                .doesNotContainValue("unchanged");
        succeed(run(null, "migrate verify"));
        succeed(run(null, "migrate plan", "--detailed-exitcode"));

        Map<String, Long> firstIds = new TreeMap<>();
        Map<String, Long> laterIds = new TreeMap<>();
        List<String> tables = List.of(
                "basket",
                "clerk",
                "client",
                "format",
                "performer",
                "receipt",
                "receiptitem",
                "recording",
                "release",
                "style");
        tables.forEach(table -> firstIds.put(table, nextId(table)));
        assertThat(firstIds)
                .isEqualTo(Map.of(
                        "basket", 16L,
                        "clerk", 180L,
                        "client", 1075L,
                        "format", 7L,
                        "performer", 181L,
                        "receipt", 421L,
                        "receiptitem", 5000001900L,
                        "recording", 2604L,
                        "release", 321L,
                        "style", 25L));
        try (Sequences sequences = Sequences.open(node().session(), node().config())) {
            assertThat(InternalAccess.tables(sequences).identities())
                    .contains(
                            new IdentityColumn(keyspace(), "receiptitem", "receiptitemid", keyspace() + ".receiptitem"),
                            new IdentityColumn(keyspace(), "basket", "basketid", keyspace() + ".basket"));
        }

        ToolRun again = succeed(seed());
        assertThat(again.tables("result"))
                .hasSize(10)
                .containsOnlyKeys(again.tables("next").keySet());
        assertThat(again.tables("result").values()).containsOnly("unchanged");
        succeed(run(null, "migrate verify"));
        tables.forEach(table -> laterIds.put(table, nextId(table)));
        assertThat(laterIds).allSatisfy((table, id) -> assertThat(id).isGreaterThan(firstIds.get(table)));
    }

    @Test
    default void shouldRaiseWhenTheSourceHasMovedOn() {
        source().createTable(A, "INT", 1, 1);
        source().insert(A, 3);
        succeed(seed());
        source().insert(A, 2);

        assertExit(run(null, "migrate verify"), ExitCode.RISK, "\"behind\"");
        assertThat(succeed(seed()).tables("result")).containsOnly(Map.entry("dbo.Aardvark", "raised"));
        succeed(run(null, "migrate verify"));
        assertThat(nextId("aardvark")).isEqualTo(6);
    }

    @Test
    default void shouldNeverLower() {
        source().createTable(A, "INT", 1, 1);
        source().insert(A, 3);
        succeed(seed("--floor", "dbo.Aardvark=1000"));

        assertThat(succeed(seed()).tables("result")).containsOnly(Map.entry("dbo.Aardvark", "unchanged"));
        assertThat(nextId("aardvark")).isEqualTo(1001);
    }

    @Test
    default void shouldDescendWithANegativeIncrement() {
        source().createTable(A, "DECIMAL(9,0)", -1, -5);
        source().insert(A, 3);
        source().createTable(Z, "BIGINT", 7, 1);

        assertExit(seed(), ExitCode.REFUSED, "no rows and no last value");
        assertThat(exists("aardvark")).isFalse();
        succeed(seed("--accept-empty"));
        succeed(run(null, "migrate verify"));
        assertThat(nextId("aardvark")).isEqualTo(-16);
        assertThat(nextId("zebra")).isEqualTo(7);
    }

    @Test
    default void shouldContinueFromAnIdOffTheSeedsGrid() {
        source().createTable(A, "INT", 1, 10);
        source().insert(A, 2);
        source().insertWithId(A, 1004);

        succeed(seed());
        assertThat(nextId("aardvark")).isEqualTo(1014);
    }

    @Test
    default void shouldNotIssueOldIdsAgainAfterIdsHaveWrapped() {
        source().createTable(A, "INT", 1, 1);
        source().insert(A, 1);
        source().insertWithId(A, Integer.MAX_VALUE);
        source().insertWithId(A, -100);
        source().reseed(A, -103, 1);
        source().insert(A, 1);

        succeed(seed());
        assertThat(nextId("aardvark")).isEqualTo(-101);
        assertThatThrownBy(() -> nextId("aardvark")).isInstanceOf(SequenceException.Exhausted.class);
    }
}
