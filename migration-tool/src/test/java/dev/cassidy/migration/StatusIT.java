package dev.cassidy.migration;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.CqlSession;
import com.fasterxml.jackson.databind.JsonNode;
import dev.cassidy.embedded.EmbeddedCassandra;
import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.sequence.IdAllocator;
import dev.cassidy.sequence.IdentityType;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.cassandra.CassidySchema;
import dev.cassidy.sequence.cassandra.Replication;
import dev.cassidy.sequence.cassandra.Sequences;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class StatusIT {

    private static final String KEYSPACE = "status_it";
    private static EmbeddedCassandra node;

    @BeforeAll
    static void issue() {
        node = EmbeddedCassandra.shared();
        SequencesConfig config = SequencesConfig.defaults().withGlobalKeyspace(KEYSPACE);
        try (CqlSession session = CqlSession.builder()
                .addContactPoint(node.contactPoint())
                .withLocalDatacenter(node.localDatacenter())
                .build()) {
            CassidySchema.install(session, Replication.parse(node.localDatacenter() + ":1"), config);
            try (Sequences sequences = Sequences.open(session, config)) {
                sequences.create(SequenceSpec.of("shop.album").withBlock(100, 100));
                sequences.admin().register(SequenceSpec.of("shop.later", IdentityType.SMALLINT, 1, 1));
                // The sequence is granted 50 ids at a time, so that little is in reserve and much is used.
                sequences.create(new SequenceSpec("shop.tiny", IdentityType.INT, 1, 1, 1, 1_000).withReserve(1, 50));
                draw(sequences.allocator("shop.album"), 130);
                draw(sequences.allocator("shop.tiny"), 600);
            }
        }
    }

    @AfterAll
    static void drop() {
        new TargetNode(KEYSPACE).close();
    }

    private static void draw(IdAllocator allocator, int count) {
        for (int i = 0; i < count; i++) {
            allocator.nextLong();
        }
    }

    private static ToolRun status(String... rest) {
        return ToolRun.of(
                Map.of(),
                null,
                ToolRun.join(
                        "ids status",
                        List.of(
                                "--contact-points",
                                node.host() + ":" + node.port(),
                                "--local-dc",
                                node.localDatacenter(),
                                "--global-keyspace",
                                KEYSPACE),
                        rest));
    }

    @Test
    void shouldShowEverySequenceOnOneScreen() {
        ToolRun run = status();

        assertThat(run.exitCode()).as(run.err()).isZero();
        // The process that drew ended, perhaps between a grant and its absorption: a note tells it then.
        List<String> lines = run.out()
                .lines()
                .filter(line -> !line.endsWith(" ids are granted, not absorbed"))
                .toList();
        assertThat(lines).hasSize(4).allMatch(line -> line.length() <= 120);
        assertThat(lines.get(0).split(" {2,}"))
                .containsExactly(
                        "sequence",
                        "left %",
                        "next id",
                        "dc",
                        "reserved %",
                        "issued %",
                        "ids/h",
                        "peak/h",
                        "blocks",
                        "tails",
                        "ends");
        assertThat(lines.get(1))
                .matches("shop.album +99.9 +10001 +dc1 +<0.1 +<0.1 +\\d+ +\\d+ +0 +70 +less than a day old");
        assertThat(lines.get(2)).matches("shop.later +100.0 +1 +dc1 +0.0 +0.0 +0 +0 +0 +0 +awaits its seed");
        assertThat(lines.get(3)).startsWith("shop.tiny ").endsWith("less than a day old");
    }

    @Test
    void shouldCountIssuedIdsInJson() {
        JsonNode document =
                status("--sequence", "shop.album", "--output", "json").json();
        JsonNode album = document.get("sequences").get(0);
        JsonNode here = album.get("datacenters").get(0);

        assertThat(document.get("sequences")).hasSize(1);
        assertThat(document.fieldNames())
                .toIterable()
                .containsExactly("command", "exitCode", "minHeadroom", "sequences");
        assertThat(album.fieldNames())
                .toIterable()
                .containsExactly(
                        "sequence",
                        "type",
                        "ready",
                        "incarnation",
                        "next",
                        "last",
                        "space",
                        "used",
                        "headroomPercent",
                        "low",
                        "perDay7",
                        "perDay28",
                        "ends",
                        "endsNote",
                        "note",
                        "datacenters");
        assertThat(album.get("next").asLong()).isEqualTo(10_001);
        assertThat(album.get("last").asLong()).isEqualTo(Integer.MAX_VALUE);
        assertThat(album.get("ends").isNull()).isTrue();
        assertThat(here.get("granted").asLong()).isEqualTo(10_000);
        assertThat(here.get("reserved").asLong()).isEqualTo(9_800);
        assertThat(here.get("issuedAtMost").asLong()).isEqualTo(130);
        assertThat(here.get("tails").asLong()).isEqualTo(70);
        assertThat(here.get("blocks").asInt()).isZero();
        assertThat(here.get("note").isNull()).isTrue();
    }

    @Test
    void shouldExitWith3WhenASequenceHasTooLittleLeft() {
        ToolRun low = status("--min-headroom", "50");
        assertThat(low.exitCode()).isEqualTo(3);
        assertThat(low.out().lines().filter(line -> line.startsWith("low: ")))
                .singleElement()
                .asString()
                .matches("low: shop.tiny: 3\\d\\.\\d % left, below --min-headroom 50.0");

        assertThat(status("--min-headroom", "10").exitCode()).isZero();
        assertThat(status("--min-headroom", "50", "--sequence", "shop.album").exitCode())
                .isZero();
    }

    @Test
    void shouldRefuseANonexistentSequence() {
        ToolRun run = status("--sequence", "shop.nowhere");

        assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE.code());
        assertThat(run.err()).contains("--sequence: there is no sequence shop.nowhere in keyspace " + KEYSPACE);
    }
}
