package dev.cassidy.migration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.cql.Row;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.migration.source.SourceUrl;
import dev.cassidy.sequence.SequenceException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How a run of {@code seed} begins and ends: agreed on, confirmed, disturbed, recorded. */
interface SeedRunTests extends Migrating {

    @Test
    default void shouldRefuseASourceThatIsNotAtRest() {
        source().createTable(A, "INT", 1, 1);
        source().insert(A, 3);

        ToolRun run = run(ToolRun.meanwhile(() -> source().insert(A, 1)), "migrate seed", "--offline");

        assertExit(run, ExitCode.RISK, "the source is not at rest", "dbo.Aardvark (furthest 4, last value 4)");
        assertThat(exists("aardvark")).isFalse();
    }

    @Test
    default void shouldRefuseASourceWhereATableAppears() {
        source().createTable(A, "INT", 1, 1);
        source().insert(A, 3);

        ToolRun run = run(
                ToolRun.meanwhile(() -> {
                    source().createTable(Z, "INT", 1, 1);
                    source().insert(Z, 1);
                }),
                "migrate seed",
                "--offline");

        assertExit(run, ExitCode.RISK, "dbo.Zebra (furthest 1, last value 1)");
        assertThat(exists("aardvark")).isFalse();
    }

    @Test
    default void shouldReportItsWritesWhenItCannotContinue() {
        source().createTable(A, "INT", 1, 1);
        source().createTable(Z, "INT", 1, 1);
        source().insert(A, 3);
        source().insert(Z, 3);

        ToolRun run = run(
                ToolRun.meanwhile(() -> succeed(cassandra(
                        "ids register",
                        "--table",
                        keyspace() + ".zebra",
                        "--column",
                        "id",
                        "--start",
                        "1",
                        "--increment",
                        "7",
                        "--type",
                        "int"))),
                "migrate seed",
                "--offline");

        assertExit(run, ExitCode.PARTIAL, "exists with another specification");
        assertThat(run.tables("result")).isEqualTo(Map.of("dbo.Aardvark", "registered", "dbo.Zebra", "failed"));
        assertThatThrownBy(() -> nextId("aardvark")).isInstanceOf(SequenceException.NotReady.class);
    }

    @Test
    default void shouldStopBeforeItWritesWhenInterrupted() {
        source().createTable(A, "INT", 1, 1);
        source().insert(A, 3);

        ToolRun run = run(ToolRun.meanwhile(Thread.currentThread()::interrupt), "migrate seed", "--offline");

        assertThat(Thread.interrupted()).isTrue();
        assertExit(run, ExitCode.INTERRUPTED, "interrupted");
        assertThat(exists("aardvark")).isFalse();
    }

    @Test
    default void shouldLetTwoRunAtOnce() throws Exception {
        source().loadMusicShop();
        ExecutorService both = Executors.newFixedThreadPool(2);
        try {
            List<Future<ToolRun>> runs = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                runs.add(both.submit(() -> seed()));
            }
            for (Future<ToolRun> run : runs) {
                succeed(run.get());
            }
        } finally {
            both.shutdownNow();
        }
        succeed(run(null, "migrate verify"));
        assertThat(nextId("recording")).isEqualTo(2604);
    }

    @Test
    default void shouldWriteNothingInADryRunOrUnconfirmed() {
        source().createTable(A, "INT", 1, 1);
        source().insert(A, 3);

        assertThat(succeed(seed("--dry-run")).tables("action")).containsOnly(Map.entry("dbo.Aardvark", "create"));
        assertExit(run(null, "migrate seed", "--offline"), ExitCode.REFUSED, "add --yes");
        assertExit(run(ToolRun.answering("n"), "migrate seed", "--offline"), ExitCode.REFUSED, "not confirmed");
        assertThat(exists("aardvark")).isFalse();
        succeed(run(ToolRun.answering("y"), "migrate seed", "--offline"));
        assertThat(exists("aardvark")).isTrue();
    }

    @Test
    default void shouldExecuteThePlanThatWasAgreedOn(@TempDir Path folder) throws Exception {
        source().createTable(A, "INT", 1, 1);
        source().insert(A, 3);
        source().createTable(Z, "INT", 1, 1);
        Path plan = folder.resolve("plan.json");
        Path html = folder.resolve("seed.html");
        Path json = folder.resolve("seed.json");
        String[] choice = {"--plan", plan.toString(), "--floor", "dbo.Zebra=41"};
        succeed(run(null, "migrate plan", choice));
        source().insert(A, 1);

        assertExit(
                seedPlan(plan),
                ExitCode.REFUSED,
                "the source has changed since the plan was made",
                "dbo.Aardvark.id was int seed 1 increment 1 furthest 3 last value 3");
        succeed(run(null, "migrate plan", choice));
        assertExit(seedPlan(plan, "--plan-hash", "sha256:0"), ExitCode.REFUSED, "is another plan");
        assertThat(exists("aardvark")).isFalse();
        String hash =
                new ObjectMapper().readTree(Files.readString(plan)).get("hash").asText();
        ToolRun seeded =
                succeed(seedPlan(plan, "--plan-hash", hash, "--report", html.toString(), "--report", json.toString()));

        assertThat(seeded.tables("result")).isEqualTo(Map.of("dbo.Aardvark", "seeded", "dbo.Zebra", "seeded"));
        assertThat(seeded.json().get("tables").get(0).get("after").toString())
                .isEqualTo("{\"ready\":true,\"next\":5,\"floor\":5}");
        assertThat(nextId("aardvark")).isEqualTo(5);
        assertThat(nextId("zebra")).isEqualTo(42);
        assertThat(Files.readString(json)).isEqualTo(seeded.out());
        assertThat(Files.readString(html)).contains(hash, "ready, next id 5, floor 5", "Exit code 0");
        Row recorded = node().session()
                .execute(
                        "SELECT command, plan, exit_code, tables, ended, process FROM " + node().globalKeyspace()
                                + ".migration_run WHERE source = ? LIMIT 1",
                        SourceUrl.redact(source().url()))
                .one();
        assertThat(recorded.getString("command")).isEqualTo("seed");
        assertThat(recorded.getString("plan")).isEqualTo(hash);
        assertThat(recorded.getInt("exit_code")).isZero();
        assertThat(recorded.getInt("tables")).isEqualTo(2);
        assertThat(recorded.getInstant("ended")).isNotNull();
        assertThat(recorded.getString("process")).contains("@");
    }

    @Test
    default void shouldSeedWithoutTheTableOfRuns() {
        source().createTable(A, "INT", 1, 1);
        source().insert(A, 3);
        node().session().execute("DROP TABLE " + node().globalKeyspace() + ".migration_run");
        try {
            ToolRun run = succeed(seed());

            assertThat(run.err()).contains("this run is not recorded", "cassidy init creates table");
            assertThat(nextId("aardvark")).isEqualTo(4);
        } finally {
            cassandra("init", "--replication", node().datacenter() + ":1");
        }
    }
}
