package dev.cassidy.migration;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.sequence.IdentityType;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.cassandra.Repair;
import dev.cassidy.sequence.cassandra.Sequences;
import dev.cassidy.sequence.cassandra.TakenIds;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** How the source goes on after Cassandra issued ids. */
interface RollbackPlanTests extends Migrating {

    @Test
    default void shouldSayHowTheSourceContinuesAfterCassandra() {
        source().createTable(A, "INT", 1, 1);
        source().insert(A, 3);
        source().createTable(Z, "SMALLINT", -1, -5);
        source().insert(Z, 2);
        assertExit(run(null, "migrate rollback-plan"), ExitCode.RISK, "has no sequence");
        try (Sequences sequences = Sequences.open(node().session(), node().config())) {
            sequences.admin().register(SequenceSpec.of(keyspace() + ".aardvark", IdentityType.INT, 1, 1));
            sequences.admin().register(SequenceSpec.of(keyspace() + ".zebra", IdentityType.SMALLINT, -1, -5));
        }
        assertThat(succeed(run(null, "migrate rollback-plan")).tables("result"))
                .containsOnly(Map.entry("dbo.Aardvark", "none"), Map.entry("dbo.Zebra", "none"));
        succeed(seed());
        long lastA = 0;
        long lastZ = 0;
        for (int i = 0; i < 3; i++) {
            lastA = nextId("aardvark");
            lastZ = nextId("zebra");
        }

        ToolRun back = succeed(run(null, "migrate rollback-plan"));

        assertThat(back.tables("result"))
                .containsOnly(Map.entry("dbo.Aardvark", "reseed"), Map.entry("dbo.Zebra", "reseed"));
        // A client may still hold what it was granted, so the ceiling counts and not what was issued.
        back.json().get("tables").forEach(table -> {
            long granted = table.get("granted").asLong();
            try (Sequences sequences = Sequences.open(node().session(), node().config())) {
                assertThat(sequences
                                .admin()
                                .find(keyspace() + "."
                                        + table.get("target").asText().split("[.:]")[1])
                                .orElseThrow()
                                .next())
                        .hasValue(granted);
            }
            assertThat(table.get("reseed").asLong()).isEqualTo(granted);
            source().execute(source().portable(table.get("statement").asText()));
        });
        source().insert(A, 1);
        source().insert(Z, 1);
        Map<String, String> furthest = run(null, "migrate plan").tables("furthest");
        assertThat(Long.parseLong(furthest.get("dbo.Aardvark"))).isGreaterThan(lastA);
        assertThat(Long.parseLong(furthest.get("dbo.Zebra"))).isLessThan(lastZ);
        for (JsonNode table : back.json().get("tables")) {
            assertThat(Math.abs(Long.parseLong(furthest.get(table.get("table").asText()))))
                    .as("past everything that was granted")
                    .isGreaterThanOrEqualTo(Math.abs(table.get("granted").asLong()));
        }
    }

    @Test
    default void shouldContinuePastWhatWasIssuedBeforeARepair() {
        source().createTable(A, "INT", 1, 1);
        source().insert(A, 3);
        succeed(seed());
        String name = keyspace() + ".aardvark";
        long furthest;
        try (Sequences sequences = Sequences.open(node().session(), node().config())) {
            sequences.allocator(name).nextLong();
            sequences.admin().restart(name, 2_000_000_000, name);
            assertThat(sequences.allocator(name).nextLong()).isEqualTo(2_000_000_000);
            sequences.admin().repair(Repair.of(name, 1_000_000), name, ids -> Optional.empty());
            TakenIds taken = sequences.admin().takenIds(name).get(0);
            assertThat(taken.lowest()).isEqualTo(2_000_000_000);
            furthest = taken.highest();
        }

        assertExit(
                run(null, "migrate rollback-plan"),
                ExitCode.REFUSED,
                "may have been issued before sequence " + name + " was repaired",
                "--floor dbo.Aardvark=" + furthest);
        ToolRun back = succeed(run(null, "migrate rollback-plan", "--floor", "dbo.Aardvark=" + furthest));

        assertThat(back.json().at("/tables/0/reseed").asLong()).isEqualTo(furthest + 1);
        // Its floor, 1000000, does not tell of them.
        String risk =
                "Cassandra may have issued ids from 2000000000 to " + furthest + " before its sequence was repaired";
        source().insertWithId(A, 1_999_999_999);
        ToolRun before = run(null, "migrate plan");
        assertThat(before.out() + before.err()).doesNotContain("before its sequence was repaired");
        source().insertWithId(A, 2_000_000_000);
        assertExit(run(null, "migrate plan"), ExitCode.REFUSED, risk, "the source used ids up to 2000000000");
    }

    @Test
    default void shouldRefuseAWayBackThatTheSourcesTypeCannotHold() {
        source().createTable(A, "TINYINT", 1, 1);
        source().insert(A, 3);
        succeed(seed());
        try (Sequences sequences = Sequences.open(node().session(), node().config())) {
            sequences.admin().restart(keyspace() + ".aardvark", 300);
        }

        assertExit(
                run(null, "migrate rollback-plan"), ExitCode.REFUSED, "must continue at 300, and its type ends at 255");
    }

    /** It awaits its seed, and issued ids before it was dropped. */
    @Test
    default void shouldContinuePastWhatADroppedSequenceIssued() {
        source().createTable(A, "INT", 1, 1);
        source().insert(A, 3);
        succeed(seed());
        String name = keyspace() + ".aardvark";
        try (Sequences sequences = Sequences.open(node().session(), node().config())) {
            sequences.allocator(name).nextLong();
            sequences.admin().drop(name);
            sequences.admin().register(new SequenceSpec(name, IdentityType.INT, 500_000, 1, 1, Integer.MAX_VALUE));
        }

        assertThat(succeed(run(null, "migrate rollback-plan")).tables("reseed"))
                .containsOnly(Map.entry("dbo.Aardvark", "500000"));
    }

    /** As by rows that a source took past its fence, or ids that somebody else remembers. */
    @Test
    default void shouldContinuePastWhatTheSourceUsedItself() {
        source().createTable(A, "INT", 1, 1);
        source().insert(A, 3);
        succeed(seed());
        long granted = succeed(run(null, "migrate rollback-plan"))
                .json()
                .get("tables")
                .get(0)
                .get("reseed")
                .asLong();
        source().insertWithId(A, granted + 500);

        assertThat(succeed(run(null, "migrate rollback-plan")).tables("reseed"))
                .containsOnly(Map.entry("dbo.Aardvark", String.valueOf(granted + 501)));
        assertThat(succeed(run(null, "migrate rollback-plan", "--floor", "dbo.Aardvark=" + (granted + 900)))
                        .tables("reseed"))
                .containsOnly(Map.entry("dbo.Aardvark", String.valueOf(granted + 901)));
    }
}
