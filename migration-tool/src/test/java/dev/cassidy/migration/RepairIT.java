package dev.cassidy.migration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.CqlSession;
import com.fasterxml.jackson.databind.JsonNode;
import dev.cassidy.embedded.EmbeddedCassandra;
import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.sequence.IdScan;
import dev.cassidy.sequence.IdentityColumn;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.cassandra.InternalAccess;
import dev.cassidy.sequence.cassandra.Repair;
import dev.cassidy.sequence.cassandra.Sequences;
import dev.cassidy.table.ColumnDefault;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class RepairIT {

    private static final String KEYSPACE = "repair_it";
    private static final int END = Integer.MAX_VALUE;
    private static EmbeddedCassandra node;
    private static CqlSession session;
    private static SequencesConfig config;

    @BeforeAll
    static void install() {
        node = EmbeddedCassandra.shared();
        config = SequencesConfig.defaults().withGlobalKeyspace(KEYSPACE).withWatchInterval(Duration.ofMillis(200));
        session = CqlSession.builder()
                .addContactPoint(node.contactPoint())
                .withLocalDatacenter(node.localDatacenter())
                .build();
        ToolRun init = run(null, "init", "--replication", node.localDatacenter() + ":1");
        assertThat(init.exitCode()).as(init.err()).isZero();
        session.execute("CREATE KEYSPACE repair_shop WITH replication ="
                + " {'class': 'NetworkTopologyStrategy', 'replication_factor': 1}");
        session.execute("CREATE TABLE repair_shop.product (id int PRIMARY KEY, name text)");
        session.execute("CREATE TABLE repair_shop.part (id uuid PRIMARY KEY, number int)");
        session.execute("CREATE TABLE repair_shop.line (shop text, id int, product bigint, PRIMARY KEY (shop, id))");
    }

    @AfterAll
    static void close() {
        TargetNode.dropKeyspacesAndClose(session);
    }

    private static ToolRun repair(Terminal terminal, String... rest) {
        return run(terminal, "ids repair", rest);
    }

    private static ToolRun run(Terminal terminal, String command, String... rest) {
        return ToolRun.of(
                Map.of(),
                terminal,
                ToolRun.join(
                        command,
                        List.of(
                                "--contact-points",
                                node.host() + ":" + node.port(),
                                "--local-dc",
                                node.localDatacenter(),
                                "--global-keyspace",
                                KEYSPACE),
                        rest));
    }

    private static void row(long id) {
        session.execute("INSERT INTO repair_shop.product (id, name) VALUES (?, 'x')", (int) id);
    }

    @Test
    void shouldRepairASequenceThatOneStatementUsedUp() {
        String name = "repair_shop.product";
        try (Sequences sequences = Sequences.open(session, config)) {
            sequences.create(SequenceSpec.of(name));
            sequences.registerIdentity(new IdentityColumn("repair_shop", "product", "id", name));
            // Of a table that was dropped, and of a default that was: its rows keep their ids.
            InternalAccess.tables(sequences)
                    .registerIdentityAhead(new IdentityColumn("repair_shop", "gone", "id", name));
            registerDefault(sequences, name);
            InternalAccess.tables(sequences).dropDefault("repair_shop", "part", "number");
            row(sequences.allocator(name).nextLong());
            sequences.admin().restart(name, END, name);
            row(sequences.allocator(name).nextLong());
        }
        // Of an old client that ignores the registration.
        row(15_000);
        session.execute("INSERT INTO repair_shop.line (shop, id, product) VALUES ('a', 1, 16000)");

        ToolRun planned = repair(null, "--sequence", name, "--column", "repair_shop.line.product", "--output", "json");
        assertThat(planned.exitCode()).as(planned.err()).isZero();
        JsonNode plan = planned.json();
        assertThat(plan.at("/result").asText()).isEqualTo("planned");
        assertThat(plan.at("/passedOver/first").asLong()).isEqualTo(10_001);
        assertThat(plan.at("/passedOver/last").asLong()).isEqualTo(END - 1);
        assertThat(plan.at("/grantedSince").asBoolean()).isTrue();
        assertThat(plan.at("/used/lowest").asLong()).isEqualTo(15_000);
        assertThat(plan.at("/used/highest").asLong()).isEqualTo(16_000);
        assertThat(plan.at("/used/where").asText()).isEqualTo("repair_shop.line.product");
        assertThat(plan.at("/next").asLong()).isEqualTo(26_001);
        assertThat(plan.at("/clientsStopped").asBoolean()).isFalse();
        assertThat(plan.at("/columns").toString())
                .isEqualTo("[\"repair_shop.line.product\",\"repair_shop.part.number\",\"repair_shop.product.id\"]");
        assertThat(plan.at("/missing").toString()).isEqualTo("[\"repair_shop.gone.id\"]");
        assertThat(planned.err()).contains("WARNING: repair_shop.gone.id is registered");
        assertThat(plan.at("/gaps/0/first").asLong()).isEqualTo(10_001);

        ToolRun text = repair(null, "--sequence", name);
        assertThat(text.out())
                .contains("nothing was changed")
                .contains("15000 to 15000 (repair_shop.product.id)")
                .contains("--next 25001 --confirm " + name);

        ToolRun unconfirmed = repair(null, "--sequence", name, "--next", "26001");
        assertThat(unconfirmed.exitCode()).isEqualTo(ExitCode.REFUSED.code());
        assertThat(unconfirmed.err()).contains("add --confirm " + name);
        assertThat(repair(null, "--sequence", name, "--next", "26001", "--confirm", "other")
                        .exitCode())
                .isEqualTo(ExitCode.REFUSED.code());
        ToolRun used = repair(null, "--sequence", name, "--next", "14000", "--confirm", name);
        assertThat(used.exitCode()).isEqualTo(ExitCode.REFUSED.code());
        assertThat(used.err()).contains("ids from 15000 to 15000 are used (repair_shop.product.id)");

        ToolRun repaired = repair(
                null,
                "--sequence",
                name,
                "--column",
                "repair_shop.line.product",
                "--next",
                "26001",
                "--confirm",
                name,
                "--output",
                "json");
        assertThat(repaired.exitCode()).as(repaired.err()).isZero();
        assertThat(repaired.json().at("/result").asText()).isEqualTo("repaired");
        assertThat(repaired.json().at("/last").asLong()).isEqualTo(END - 1);
        try (Sequences sequences = Sequences.open(session, config)) {
            assertThat(sequences.allocator(name).nextLong()).isEqualTo(26_001);
        }
        ToolRun again = repair(null, "--sequence", name, "--next", "26001", "--confirm", name);
        assertThat(again.exitCode()).as(again.err()).isZero();
        assertThat(again.out()).contains("to " + (END - 1) + " now");
        assertThat(session.execute(
                                "SELECT command, exit_code FROM " + KEYSPACE + ".migration_run WHERE source = ?", name)
                        .all())
                .extracting(row -> row.getInt("exit_code"))
                .contains(ExitCode.OK.code(), ExitCode.REFUSED.code());
    }

    private static void registerDefault(Sequences sequences, String name) {
        ColumnDefault number = new ColumnDefault(
                "repair_shop",
                "part",
                "number",
                "df_number",
                ColumnDefault.Kind.NEXT_VALUE,
                name,
                "NEXT VALUE FOR " + name);
        InternalAccess.tables(sequences).registerDefault(number);
    }

    @Test
    void shouldWaitForAProcessThatHoldsIds() {
        String name = "repair_shop.held";
        try (Sequences sequences = Sequences.open(session, config);
                Sequences paused = Sequences.open(session, config.withWatchInterval(Duration.ofDays(1)))) {
            sequences.create(SequenceSpec.of(name));
            sequences.allocator(name).nextLong();
            sequences.admin().restart(name, 2_000_000_000, name);
            paused.allocator(name).nextLong();
            String[] repair = {
                "--sequence", name, "--column", "repair_shop.product.id", "--next", "1000000", "--confirm", name
            };

            ToolRun held = repair(null, repair);
            assertThat(held.exitCode()).isEqualTo(ExitCode.PARTIAL.code());
            assertThat(held.err()).contains(paused.holder()).contains("issues nothing until the same repair");

            paused.close();
            assertThat(repair(null, repair).exitCode()).isZero();
        }
        try (Sequences sequences = Sequences.open(session, config)) {
            assertThat(sequences.allocator(name).nextLong()).isEqualTo(1_000_000);
        }
    }

    @Test
    void shouldSayThatTheSequenceWasDroppedWhateverFailsAfterTheDrop() {
        String name = "repair_shop.late";
        try (Sequences sequences = Sequences.open(session, config)) {
            sequences.create(SequenceSpec.of(name));
            sequences.allocator(name).nextLong();
            sequences.admin().restart(name, 2_000_000_000, name);
            Repair repair = Repair.of(name, 1_000_000);
            AtomicInteger scans = new AtomicInteger();

            assertThatThrownBy(() -> sequences.admin().repair(repair, name, ids -> {
                        if (scans.incrementAndGet() == 2) {
                            throw new IllegalStateException("the second scan failed");
                        }
                        return Optional.empty();
                    }))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("the second scan failed")
                    .satisfies(thrown -> assertThat(thrown.getSuppressed())
                            .singleElement()
                            .asInstanceOf(InstanceOfAssertFactories.THROWABLE)
                            .hasMessageContaining("issues nothing until the same repair"));
            scans.set(0);
            assertThatThrownBy(() -> sequences
                            .admin()
                            .repair(
                                    repair,
                                    name,
                                    ids -> scans.incrementAndGet() == 2
                                            ? Optional.of(new IdScan.Found(1_000_005, 1_000_005, "a table"))
                                            : Optional.empty()))
                    .isInstanceOf(SequenceException.Conflict.class)
                    .hasMessageContaining("ids from 1000005 to 1000005 are used (a table)")
                    .hasMessageContaining("was dropped for this repair");

            sequences.admin().repair(repair, name, ids -> Optional.empty());
            assertThat(sequences.allocator(name).nextLong()).isEqualTo(1_000_000);
        }
    }

    @Test
    void shouldNotPassOverAColumnThatWasRenamed() {
        String name = "repair_shop.client";
        session.execute("CREATE TABLE repair_shop.client (id int PRIMARY KEY)");
        try (Sequences sequences = Sequences.open(session, config)) {
            sequences.create(SequenceSpec.of(name));
            sequences.registerIdentity(new IdentityColumn("repair_shop", "client", "id", name));
            // As if the table had been dropped, and created again with other ids.
            InternalAccess.tables(sequences)
                    .registerIdentityAhead(new IdentityColumn("repair_shop", "ticket", "id", name));
            session.execute("CREATE TABLE repair_shop.ticket (id uuid PRIMARY KEY)");
            sequences.allocator(name).nextLong();
            sequences.admin().restart(name, END, name);
        }
        session.execute("ALTER TABLE repair_shop.client RENAME id TO number");

        ToolRun renamed = repair(null, "--sequence", name, "--column", "repair_shop.product.id");
        assertThat(renamed.exitCode()).as(renamed.err()).isEqualTo(ExitCode.REFUSED.code());
        assertThat(renamed.err())
                .contains("the table of repair_shop.client.id")
                .contains("--column repair_shop.client.COLUMN");
        ToolRun named = repair(null, "--sequence", name, "--column", "repair_shop.client.number", "--output", "json");
        assertThat(named.exitCode()).as(named.err()).isZero();
        assertThat(named.json().at("/missing").toString())
                .isEqualTo("[\"repair_shop.client.id\",\"repair_shop.ticket.id\"]");
        assertThat(named.err()).contains("repair_shop.ticket.id is registered");
    }

    @Test
    void shouldRefuseWhatItCannotLookAt() {
        try (Sequences sequences = Sequences.open(session, config)) {
            sequences.create(SequenceSpec.of("repair_shop.looked"));
            sequences.allocator("repair_shop.looked").nextLong();
        }
        Map<List<String>, String> refusals = Map.of(
                List.of("--sequence", "repair_shop.looked"), "name the columns that hold its ids",
                List.of("--sequence", "repair_shop.looked", "--column", "repair_shop.product"),
                        "must be keyspace.table.column",
                List.of("--sequence", "repair_shop.looked", "--column", "repair_shop.product.name"),
                        "must be smallint, int or bigint, and is text",
                List.of("--sequence", "repair_shop.looked", "--column", "repair_shop.nowhere.id"), "there is no table",
                List.of("--sequence", "repair_shop.nowhere", "--column", "repair_shop.product.id"),
                        "there is no sequence repair_shop.nowhere",
                List.of("--sequence", "repair_shop.looked", "--confirm", "x"), "need --next");
        refusals.forEach((arguments, because) -> {
            ToolRun run = repair(null, arguments.toArray(String[]::new));
            assertThat(run.exitCode()).as(run.err()).isEqualTo(ExitCode.USAGE.code());
            assertThat(run.err()).contains(because);
        });
        ToolRun nothing = repair(null, "--sequence", "repair_shop.looked", "--column", "repair_shop.product.id");
        assertThat(nothing.exitCode()).isEqualTo(ExitCode.REFUSED.code());
        assertThat(nothing.err()).contains("nothing to repair");
    }
}
