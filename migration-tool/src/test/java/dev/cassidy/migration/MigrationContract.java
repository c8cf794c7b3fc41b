package dev.cassidy.migration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import com.datastax.oss.driver.api.core.cql.Row;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.cassidy.embedded.EmbeddedCassandra;
import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.migration.source.SourceUrl;
import dev.cassidy.sequence.IdentityType;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.cassandra.IdentityColumn;
import dev.cassidy.sequence.cassandra.Sequences;
import dev.cassidy.sequence.cassandra.TableWrites;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** The whole way from a source to ids that a real Cassandra issues. Each test has its own target keyspace. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class MigrationContract {

    static final String A = "[dbo].[Aardvark]";
    static final String Z = "[dbo].[Zebra]";
    private static final AtomicInteger KEYSPACES = new AtomicInteger();

    final EmbeddedCassandra node = EmbeddedCassandra.shared();
    SourceDatabase source;
    String keyspace;
    SequencesConfig config;
    CqlSession session;

    abstract SourceDatabase connect();

    /** Returns Cassidy's keyspace, which only this class uses. */
    abstract String globalKeyspace();

    @BeforeAll
    void install() {
        config = SequencesConfig.defaults().withGlobalKeyspace(globalKeyspace());
        session = CqlSession.builder()
                .addContactPoint(node.contactPoint())
                .withLocalDatacenter(node.localDatacenter())
                .withConfigLoader(DriverConfigLoader.programmaticBuilder()
                        .withDuration(DefaultDriverOption.REQUEST_TIMEOUT, Duration.ofMinutes(1))
                        .build())
                .build();
        ToolRun init = cassandra("init", "--replication", node.localDatacenter() + ":1");
        assertThat(init.exitCode()).as(init.err()).isZero();
        assertThat(init.out()).contains("Cassidy's keyspaces and tables exist");
        assertThat(cassandra("init", "--replication", node.localDatacenter() + ":1")
                        .exitCode())
                .isZero();
    }

    @AfterAll
    void disconnect() {
        session.close();
    }

    @BeforeEach
    void empty() {
        keyspace = "target_" + KEYSPACES.incrementAndGet() + "_" + globalKeyspace();
        source = connect();
        dropTables();
    }

    @AfterEach
    void close() {
        dropTables();
        source.close();
    }

    private void dropTables() {
        source.dropTables(List.of(A, Z));
        source.dropMusicShop();
    }

    private List<String> cassandraArguments() {
        return List.of(
                "--contact-points",
                node.host() + ":" + node.port(),
                "--local-dc",
                node.localDatacenter(),
                "--global-keyspace",
                globalKeyspace());
    }

    private ToolRun cassandra(String command, String... rest) {
        return ToolRun.of(Map.of(), null, ToolRun.join(command, cassandraArguments(), rest));
    }

    ToolRun run(Terminal terminal, String command, String... rest) {
        List<String> all = ToolRun.join(command, cassandraArguments(), rest);
        all.addAll(source.arguments());
        all.addAll(List.of("--keyspace", keyspace, "--output", "json"));
        return ToolRun.of(source.environment(), terminal, all);
    }

    ToolRun seed(String... rest) {
        return run(
                null, "seed", ToolRun.join("--offline", List.of("--yes"), rest).toArray(String[]::new));
    }

    ToolRun succeed(ToolRun run) {
        assertThat(run.exitCode()).as(run.out() + run.err()).isZero();
        return run;
    }

    void assertExit(ToolRun run, ExitCode code, String... fragments) {
        assertThat(run.exitCode()).as(run.out() + run.err()).isEqualTo(code.code());
        for (String fragment : fragments) {
            assertThat(run.out() + run.err()).contains(fragment);
        }
    }

    /** Issues the next id of a sequence as a new client would, and returns it. */
    long nextId(String table) {
        try (Sequences sequences = Sequences.open(session, config)) {
            return sequences.allocator(keyspace + "." + table).nextLong();
        }
    }

    boolean exists(String table) {
        try (Sequences sequences = Sequences.open(session, config)) {
            return sequences.find(keyspace + "." + table).isPresent();
        }
    }

    @Test
    void shouldContinueTheTenSequencesOfAShopInUse() {
        source.loadMusicShop();

        assertExit(run(null, "verify"), ExitCode.RISK, "\"missing\"");
        assertExit(run(null, "plan", "--detailed-exitcode"), ExitCode.PENDING);
        assertThat(succeed(seed()).tables("result"))
                .hasSize(10)
                .containsValue("seeded")
                .doesNotContainValue("unchanged");
        succeed(run(null, "verify"));
        succeed(run(null, "plan", "--detailed-exitcode"));

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
        try (Sequences sequences = Sequences.open(session, config)) {
            assertThat(sequences.identityColumns())
                    .contains(
                            new IdentityColumn(keyspace, "receiptitem", "receiptitemid", keyspace + ".receiptitem"),
                            new IdentityColumn(keyspace, "basket", "basketid", keyspace + ".basket"));
        }

        ToolRun again = succeed(seed());
        assertThat(again.tables("result"))
                .hasSize(10)
                .containsOnlyKeys(again.tables("next").keySet());
        assertThat(again.tables("result").values()).containsOnly("unchanged");
        succeed(run(null, "verify"));
        tables.forEach(table -> laterIds.put(table, nextId(table)));
        assertThat(laterIds).allSatisfy((table, id) -> assertThat(id).isGreaterThan(firstIds.get(table)));
    }

    @Test
    void shouldRaiseWhenTheSourceHasMovedOn() {
        source.createTable(A, "INT", 1, 1);
        source.insert(A, 3);
        succeed(seed());
        source.insert(A, 2);

        assertExit(run(null, "verify"), ExitCode.RISK, "\"behind\"");
        assertThat(succeed(seed()).tables("result")).containsOnly(Map.entry("dbo.Aardvark", "raised"));
        succeed(run(null, "verify"));
        assertThat(nextId("aardvark")).isEqualTo(6);
    }

    @Test
    void shouldContinueBehindAFenceWhileTheSourceInserts() {
        source.createTable(A, "INT", 1, 1);
        source.insert(A, 3);
        List<String> fence = ToolRun.join("fence", source.arguments(), "--include", "dbo.Aardvark", "--margin", "5");
        fence.addAll(List.of("--apply", "--yes"));
        assertExit(run(null, "seed", "--yes"), ExitCode.REFUSED, "dbo.Aardvark.id has no fence");
        succeed(ToolRun.of(source.environment(), null, fence));
        source.insert(A, 2);

        assertThat(succeed(run(ToolRun.meanwhile(() -> source.insert(A, 1)), "seed"))
                        .tables("basis"))
                .containsOnly(Map.entry("dbo.Aardvark", "fence"));
        assertThat(nextId("aardvark")).isEqualTo(9);
        source.insert(A, 2);
        assertThatThrownBy(() -> source.insert(A, 1)).hasStackTraceContaining("fence");
        assertThatThrownBy(() -> source.insert(A, 1)).hasStackTraceContaining("fence");

        succeed(run(null, "verify"));
        assertThat(succeed(run(null, "seed", "--yes")).tables("result"))
                .containsOnly(Map.entry("dbo.Aardvark", "unchanged"));
        assertThat(nextId("aardvark")).isGreaterThan(9);
    }

    /** Puts a fence at 8 before ids 1 to 3. */
    List<String> fenceAtEight() {
        source.createTable(A, "INT", 1, 1);
        source.insert(A, 3);
        List<String> fence = ToolRun.join("fence", source.arguments(), "--include", "dbo.Aardvark", "--margin", "5");
        fence.addAll(List.of("--apply", "--yes"));
        succeed(ToolRun.of(source.environment(), null, fence));
        return fence;
    }

    @Test
    void shouldContinueAfterTheFenceOfASourceThatHasStopped(@TempDir Path folder) {
        fenceAtEight();
        Path plan = folder.resolve("plan.json");
        assertThat(succeed(run(null, "plan", "--plan", plan.toString())).tables("next"))
                .containsOnly(Map.entry("dbo.Aardvark", "9"));

        assertThat(succeed(seedPlan(plan)).tables("basis")).containsOnly(Map.entry("dbo.Aardvark", "fence"));

        assertThat(nextId("aardvark")).isEqualTo(9);
    }

    @Test
    void shouldNotVerifyASourceThatLostItsFence() {
        List<String> fence = fenceAtEight();
        succeed(run(null, "seed", "--yes"));
        succeed(run(null, "verify", "--require-fence"));
        fence.add("--remove");
        succeed(ToolRun.of(source.environment(), null, fence));

        ToolRun run = run(null, "verify", "--require-fence");

        assertExit(run, ExitCode.RISK, "dbo.Aardvark.id has no fence");
        assertThat(run.tables("result")).containsOnly(Map.entry("dbo.Aardvark", "unfenced"));
        succeed(run(null, "verify"));
    }

    @Test
    void shouldNotSeedIfTheFenceIsRemovedMeanwhile() {
        source.createTable(A, "INT", 1, 1);
        source.insert(A, 3);
        List<String> fence = ToolRun.join("fence", source.arguments(), "--include", "dbo.Aardvark", "--margin", "5");
        fence.addAll(List.of("--apply", "--yes"));
        succeed(ToolRun.of(source.environment(), null, fence));

        ToolRun run = run(
                ToolRun.meanwhile(() -> {
                    fence.add("--remove");
                    succeed(ToolRun.of(source.environment(), null, fence));
                }),
                "seed");

        assertExit(run, ExitCode.REFUSED, "dbo.Aardvark.id has no fence");
        assertThat(exists("aardvark")).isFalse();
    }

    @Test
    void shouldNeverLower() {
        source.createTable(A, "INT", 1, 1);
        source.insert(A, 3);
        succeed(seed("--floor", "dbo.Aardvark=1000"));

        assertThat(succeed(seed()).tables("result")).containsOnly(Map.entry("dbo.Aardvark", "unchanged"));
        assertThat(nextId("aardvark")).isEqualTo(1001);
    }

    @Test
    void shouldDescendWithANegativeIncrement() {
        source.createTable(A, "DECIMAL(9,0)", -1, -5);
        source.insert(A, 3);
        source.createTable(Z, "BIGINT", 7, 1);

        assertExit(seed(), ExitCode.REFUSED, "no rows and no last value");
        assertThat(exists("aardvark")).isFalse();
        succeed(seed("--accept-empty"));
        succeed(run(null, "verify"));
        assertThat(nextId("aardvark")).isEqualTo(-16);
        assertThat(nextId("zebra")).isEqualTo(7);
    }

    @Test
    void shouldContinueFromAnIdOffTheSeedsGrid() {
        source.createTable(A, "INT", 1, 10);
        source.insert(A, 2);
        source.insertWithId(A, 1004);

        succeed(seed());
        assertThat(nextId("aardvark")).isEqualTo(1014);
    }

    @Test
    void shouldNotIssueOldIdsAgainAfterIdsHaveWrapped() {
        source.createTable(A, "INT", 1, 1);
        source.insert(A, 1);
        source.insertWithId(A, Integer.MAX_VALUE);
        source.insertWithId(A, -100);
        source.reseed(A, -103, 1);
        source.insert(A, 1);

        succeed(seed());
        assertThat(nextId("aardvark")).isEqualTo(-101);
        assertThatThrownBy(() -> nextId("aardvark")).isInstanceOf(SequenceException.Exhausted.class);
    }

    @Test
    void shouldReportThatBothSidesHaveUsedTheSameIds() {
        source.createTable(A, "INT", 1, 1);
        source.insert(A, 3);
        succeed(seed());
        assertThat(nextId("aardvark")).isEqualTo(4);
        source.insert(A, 1);

        assertExit(run(null, "verify"), ExitCode.RISK, "\"collision\"", "Cassandra may have issued ids from 4 on");
        assertExit(run(null, "plan"), ExitCode.RISK);
        assertExit(seed(), ExitCode.RISK, "the source used ids up to 4");
    }

    @Test
    void shouldRefuseAnExistingSequenceThatCannotTakeOver() {
        source.createTable(A, "INT", 1, 1);
        source.insert(A, 3);
        source.createTable(Z, "INT", 1, 1);
        source.insert(Z, 3);
        succeed(cassandra(
                "register",
                "--table",
                keyspace + ".zebra",
                "--column",
                "id",
                "--start",
                "1",
                "--increment",
                "7",
                "--type",
                "int"));

        assertExit(seed(), ExitCode.REFUSED, "exists as INT with increment=7");
        assertExit(run(null, "verify"), ExitCode.RISK, "\"refused\"");
        assertThat(exists("aardvark")).isFalse();
    }

    @Test
    void shouldRefuseATableWithAnotherRegisteredColumn() {
        source.createTable(A, "INT", 1, 1);
        source.insert(A, 3);
        succeed(cassandra(
                "register",
                "--table",
                keyspace + ".aardvark",
                "--column",
                "other",
                "--start",
                "1",
                "--type",
                "int",
                "--unready"));

        assertExit(seed(), ExitCode.REFUSED, "is registered with column 'other'");
    }

    @Test
    void shouldDeclareDefaultsAndTheOrderOfColumns() {
        session.execute("CREATE KEYSPACE " + keyspace
                + " WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
        session.execute("CREATE TABLE " + keyspace
                + ".zebra (id int PRIMARY KEY, qty int, state text, at timestamp) WITH comment = 'of the zoo'");
        String table = keyspace + ".zebra";
        assertExit(
                cassandra("register", "--table", table, "--defaults", "qty='x'"),
                ExitCode.REFUSED,
                "DEFAULT 'x' of column qty");
        assertExit(
                cassandra("register", "--table", table, "--defaults", "none=0"),
                ExitCode.REFUSED,
                "has no column 'none'");
        succeed(cassandra("register", "--table", table, "--writes", "conditional"));
        assertExit(
                cassandra("register", "--table", table, "--defaults", "qty"),
                ExitCode.USAGE,
                "must be column=expression");
        assertExit(
                cassandra("register", "--table", table, "--columns", "id, qty"),
                ExitCode.REFUSED,
                "missing=[at, state]");
        assertExit(cassandra("register", "--table", table), ExitCode.USAGE, "nothing to register");
        assertExit(cassandra("register", "--table", table, "--start", "1"), ExitCode.USAGE, "given together");
        succeed(cassandra(
                "register",
                "--table",
                table,
                "--column",
                "id",
                "--start",
                "1",
                "--defaults",
                "qty=((0))",
                "--defaults",
                "state=N'new'",
                "--columns",
                "id, state, qty, at"));
        succeed(cassandra("register", "--table", table, "--defaults", "at=GETDATE()"));
        assertExit(
                cassandra("register", "--table", table, "--writes", "often"), ExitCode.USAGE, "must be conditional or");
        assertExit(
                cassandra("register", "--table", table, "--writes", "versioned:none"),
                ExitCode.REFUSED,
                "has no column 'none'");

        try (Sequences sequences = Sequences.open(session, config)) {
            assertThat(sequences
                            .tableWritesAsync(keyspace, "zebra")
                            .toCompletableFuture()
                            .join())
                    .hasValueSatisfying(declared -> {
                        assertThat(declared.mode()).isEqualTo(TableWrites.Mode.CONDITIONAL);
                        assertThat(declared.changing()).isFalse();
                    });
            assertThat(sequences
                            .columnDefaultsAsync(keyspace, "zebra")
                            .toCompletableFuture()
                            .join())
                    .extracting(each -> each.column() + " " + each.kind() + " " + each.value())
                    .containsExactly("at NOW timestamp", "qty CONSTANT 0", "state CONSTANT 'new'");
        }
        assertThat(session.execute(
                                "SELECT comment FROM system_schema.tables WHERE keyspace_name = ? AND table_name = 'zebra'",
                                keyspace)
                        .one()
                        .getString(0))
                .isEqualTo("of the zoo [columns: id identity, state, qty, at]");
    }

    @Test
    void shouldSeedASequenceThatWasRegisteredUnready() {
        source.createTable(A, "INT", 1, 1);
        source.insert(A, 3);
        succeed(cassandra(
                "register",
                "--table",
                keyspace + ".aardvark",
                "--column",
                "id",
                "--start",
                "1",
                "--type",
                "int",
                "--unready"));

        assertThatThrownBy(() -> nextId("aardvark")).isInstanceOf(SequenceException.NotReady.class);
        assertExit(run(null, "verify"), ExitCode.RISK, "\"unready\"");
        succeed(seed());
        assertThat(nextId("aardvark")).isEqualTo(4);
    }

    @Test
    void shouldRegisterAColumnWhoseSequenceExists() {
        source.createTable(A, "INT", 1, 1);
        source.insert(A, 3);
        try (Sequences sequences = Sequences.open(session, config)) {
            sequences.create(SequenceSpec.of(keyspace + ".aardvark", IdentityType.INT, 4, 1));
        }

        assertExit(run(null, "verify"), ExitCode.RISK, "\"unregistered\"");
        assertThat(succeed(seed()).tables("result")).containsOnly(Map.entry("dbo.Aardvark", "registered"));
        succeed(run(null, "verify"));
    }

    @Test
    void shouldCheckTheTargetsTable() {
        session.execute("CREATE KEYSPACE " + keyspace
                + " WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
        session.execute("CREATE TABLE " + keyspace + ".aardvark (id text PRIMARY KEY, x int)");
        session.execute("CREATE TABLE " + keyspace + ".zebra (zebra_id bigint PRIMARY KEY, x int)");
        source.createTable(A, "INT", 1, 1);
        source.createTable(Z, "INT", 1, 1);
        source.insert(A, 1);
        source.insert(Z, 1);

        assertExit(
                run(null, "plan"),
                ExitCode.REFUSED,
                "column " + keyspace + ".aardvark:id is text and cannot hold every id of a int sequence",
                "table " + keyspace + ".zebra has no column 'id'");
        succeed(seed("--exclude", "dbo.Aardvark", "--map", "dbo.Zebra=zebra:zebra_id"));
        assertThat(nextId("zebra")).isEqualTo(2);
    }

    @Test
    void shouldWriteNothingInADryRunOrUnconfirmed() {
        source.createTable(A, "INT", 1, 1);
        source.insert(A, 3);

        assertThat(succeed(seed("--dry-run")).tables("action")).containsOnly(Map.entry("dbo.Aardvark", "create"));
        assertExit(run(null, "seed", "--offline"), ExitCode.REFUSED, "add --yes");
        assertExit(run(ToolRun.answering("n"), "seed", "--offline"), ExitCode.REFUSED, "not confirmed");
        assertThat(exists("aardvark")).isFalse();
        succeed(run(ToolRun.answering("y"), "seed", "--offline"));
        assertThat(exists("aardvark")).isTrue();
    }

    private ToolRun seedPlan(Path plan, String... rest) {
        List<String> all = ToolRun.join("seed", cassandraArguments(), rest);
        all.addAll(source.arguments());
        all.addAll(List.of("--offline", "--yes", "--output", "json", "--plan", plan.toString()));
        return ToolRun.of(source.environment(), null, all);
    }

    @Test
    void shouldExecuteThePlanThatWasAgreedOn(@TempDir Path folder) throws Exception {
        source.createTable(A, "INT", 1, 1);
        source.insert(A, 3);
        source.createTable(Z, "INT", 1, 1);
        Path plan = folder.resolve("plan.json");
        Path html = folder.resolve("seed.html");
        Path json = folder.resolve("seed.json");
        String[] choice = {"--plan", plan.toString(), "--floor", "dbo.Zebra=41"};
        succeed(run(null, "plan", choice));
        source.insert(A, 1);

        assertExit(
                seedPlan(plan),
                ExitCode.REFUSED,
                "the source has changed since the plan was made",
                "dbo.Aardvark.id was int seed 1 increment 1 furthest 3 last value 3");
        succeed(run(null, "plan", choice));
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
        Row recorded = session.execute(
                        "SELECT command, plan, exit_code, tables, ended, process FROM " + globalKeyspace()
                                + ".migration_run WHERE source = ? LIMIT 1",
                        SourceUrl.redact(source.url()))
                .one();
        assertThat(recorded.getString("command")).isEqualTo("seed");
        assertThat(recorded.getString("plan")).isEqualTo(hash);
        assertThat(recorded.getInt("exit_code")).isZero();
        assertThat(recorded.getInt("tables")).isEqualTo(2);
        assertThat(recorded.getInstant("ended")).isNotNull();
        assertThat(recorded.getString("process")).contains("@");
    }

    @Test
    void shouldSeedWithoutTheTableOfRuns() {
        source.createTable(A, "INT", 1, 1);
        source.insert(A, 3);
        session.execute("DROP TABLE " + globalKeyspace() + ".migration_run");
        try {
            ToolRun run = succeed(seed());

            assertThat(run.err()).contains("this run is not recorded", "migration-tool init creates table");
            assertThat(nextId("aardvark")).isEqualTo(4);
        } finally {
            cassandra("init", "--replication", node.localDatacenter() + ":1");
        }
    }

    @Test
    void shouldSayHowTheSourceContinuesAfterCassandra() {
        source.createTable(A, "INT", 1, 1);
        source.insert(A, 3);
        source.createTable(Z, "SMALLINT", -1, -5);
        source.insert(Z, 2);
        assertExit(run(null, "rollback-plan"), ExitCode.RISK, "has no sequence");
        try (Sequences sequences = Sequences.open(session, config)) {
            sequences.register(SequenceSpec.of(keyspace + ".aardvark", IdentityType.INT, 1, 1));
            sequences.register(SequenceSpec.of(keyspace + ".zebra", IdentityType.SMALLINT, -1, -5));
        }
        assertThat(succeed(run(null, "rollback-plan")).tables("result"))
                .containsOnly(Map.entry("dbo.Aardvark", "none"), Map.entry("dbo.Zebra", "none"));
        succeed(seed());
        long lastA = 0;
        long lastZ = 0;
        for (int i = 0; i < 3; i++) {
            lastA = nextId("aardvark");
            lastZ = nextId("zebra");
        }

        ToolRun back = succeed(run(null, "rollback-plan"));

        assertThat(back.tables("result"))
                .containsOnly(Map.entry("dbo.Aardvark", "reseed"), Map.entry("dbo.Zebra", "reseed"));
        // A client may still hold what it was granted, so the ceiling counts and not what was issued.
        back.json().get("tables").forEach(table -> {
            long granted = table.get("granted").asLong();
            try (Sequences sequences = Sequences.open(session, config)) {
                assertThat(sequences
                                .find(keyspace + "."
                                        + table.get("target").asText().split("[.:]")[1])
                                .orElseThrow()
                                .next())
                        .hasValue(granted);
            }
            assertThat(table.get("reseed").asLong()).isEqualTo(granted);
            source.execute(source.portable(table.get("statement").asText()));
        });
        source.insert(A, 1);
        source.insert(Z, 1);
        Map<String, String> furthest = run(null, "plan").tables("furthest");
        assertThat(Long.parseLong(furthest.get("dbo.Aardvark"))).isGreaterThan(lastA);
        assertThat(Long.parseLong(furthest.get("dbo.Zebra"))).isLessThan(lastZ);
        for (JsonNode table : back.json().get("tables")) {
            assertThat(Math.abs(Long.parseLong(furthest.get(table.get("table").asText()))))
                    .as("past everything that was granted")
                    .isGreaterThanOrEqualTo(Math.abs(table.get("granted").asLong()));
        }
    }

    @Test
    void shouldRefuseAWayBackThatTheSourcesTypeCannotHold() {
        source.createTable(A, "TINYINT", 1, 1);
        source.insert(A, 3);
        succeed(seed());
        try (Sequences sequences = Sequences.open(session, config)) {
            sequences.restart(keyspace + ".aardvark", 300);
        }

        assertExit(run(null, "rollback-plan"), ExitCode.REFUSED, "must continue at 300, and its type ends at 255");
    }

    @Test
    void shouldRefuseASourceThatIsNotAtRest() {
        source.createTable(A, "INT", 1, 1);
        source.insert(A, 3);

        ToolRun run = run(ToolRun.meanwhile(() -> source.insert(A, 1)), "seed", "--offline");

        assertExit(run, ExitCode.RISK, "the source is not at rest", "dbo.Aardvark (furthest 4, last value 4)");
        assertThat(exists("aardvark")).isFalse();
    }

    @Test
    void shouldRefuseASourceWhereATableAppears() {
        source.createTable(A, "INT", 1, 1);
        source.insert(A, 3);

        ToolRun run = run(
                ToolRun.meanwhile(() -> {
                    source.createTable(Z, "INT", 1, 1);
                    source.insert(Z, 1);
                }),
                "seed",
                "--offline");

        assertExit(run, ExitCode.RISK, "dbo.Zebra (furthest 1, last value 1)");
        assertThat(exists("aardvark")).isFalse();
    }

    @Test
    void shouldReportItsWritesWhenItCannotContinue() {
        source.createTable(A, "INT", 1, 1);
        source.createTable(Z, "INT", 1, 1);
        source.insert(A, 3);
        source.insert(Z, 3);

        ToolRun run = run(
                ToolRun.meanwhile(() -> succeed(cassandra(
                        "register",
                        "--table",
                        keyspace + ".zebra",
                        "--column",
                        "id",
                        "--start",
                        "1",
                        "--increment",
                        "7",
                        "--type",
                        "int"))),
                "seed",
                "--offline");

        assertExit(run, ExitCode.PARTIAL, "exists with another specification");
        assertThat(run.tables("result")).isEqualTo(Map.of("dbo.Aardvark", "registered", "dbo.Zebra", "failed"));
        assertThatThrownBy(() -> nextId("aardvark")).isInstanceOf(SequenceException.NotReady.class);
    }

    @Test
    void shouldStopBeforeItWritesWhenInterrupted() {
        source.createTable(A, "INT", 1, 1);
        source.insert(A, 3);

        ToolRun run = run(ToolRun.meanwhile(Thread.currentThread()::interrupt), "seed", "--offline");

        assertThat(Thread.interrupted()).isTrue();
        assertExit(run, ExitCode.INTERRUPTED, "interrupted");
        assertThat(exists("aardvark")).isFalse();
    }

    @Test
    void shouldLetTwoRunAtOnce() throws Exception {
        source.loadMusicShop();
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
        succeed(run(null, "verify"));
        assertThat(nextId("recording")).isEqualTo(2604);
    }

    @Test
    void shouldRegisterWithoutASource() {
        String[] arguments = {
            "--table",
            keyspace + ".album",
            "--column",
            "AlbumId",
            "--start",
            "500",
            "--type",
            "bigint",
            "--output",
            "json"
        };

        ToolRun created = succeed(cassandra("register", arguments));
        assertThat(created.json().get("result").asText()).isEqualTo("created");
        assertThat(created.json().get("column").asText()).isEqualTo("albumid");
        assertThat(nextId("album")).isEqualTo(500);
        assertThat(succeed(cassandra("register", arguments))
                        .json()
                        .get("result")
                        .asText())
                .isEqualTo("unchanged");
        arguments[5] = "600";
        assertExit(cassandra("register", arguments), ExitCode.REFUSED, "exists with another specification");
        arguments[3] = "other";
        assertExit(cassandra("register", arguments), ExitCode.REFUSED, "is registered with column 'albumid'");
    }

    @Test
    void shouldUseTheTypeOfTheTableIfItExists() {
        assertExit(
                cassandra("register", "--table", keyspace + ".album", "--column", "id", "--start", "1"),
                ExitCode.USAGE,
                "--type is needed");
        session.execute("CREATE KEYSPACE " + keyspace
                + " WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
        session.execute("CREATE TABLE " + keyspace + ".album (id smallint PRIMARY KEY)");

        assertExit(
                cassandra("register", "--table", keyspace + ".album", "--column", "id", "--start", "40000"),
                ExitCode.USAGE,
                "start=40000");
        assertExit(
                cassandra(
                        "register", "--table", keyspace + ".album", "--column", "id", "--start", "1", "--type", "int"),
                ExitCode.REFUSED,
                "is smallint and cannot hold");
        assertThat(succeed(cassandra("register", "--table", keyspace + ".album", "--column", "id", "--start", "1"))
                        .out())
                .contains("(smallint, start 1, increment 1, ready) fills column id: created");
    }

    @Test
    void shouldSayWhatIsMissingInCassandra() {
        source.createTable(A, "INT", 1, 1);
        source.insert(A, 1);
        List<String> elsewhere = new ArrayList<>(List.of(
                "--contact-points",
                node.host() + ":" + node.port(),
                "--keyspace",
                keyspace,
                "--global-keyspace",
                "nowhere"));
        elsewhere.addAll(source.arguments());

        assertExit(
                ToolRun.of(
                        source.environment(),
                        null,
                        ToolRun.join("seed", elsewhere, "--offline", "--yes", "--local-dc", node.localDatacenter())),
                ExitCode.CASSANDRA,
                "keyspace nowhere_",
                "init");
        assertExit(
                ToolRun.of(
                        source.environment(),
                        null,
                        ToolRun.join("plan", elsewhere, "--local-dc", node.localDatacenter())),
                ExitCode.OK,
                "Cassidy's keyspaces are missing");
        assertExit(
                ToolRun.of(source.environment(), null, ToolRun.join("plan", elsewhere, "--local-dc", "mars")),
                ExitCode.CASSANDRA,
                "'mars'",
                "it has [" + node.localDatacenter() + "]");
        assertExit(cassandra("init", "--replication", "mars:1"), ExitCode.USAGE, "names a datacenter", "mars");
    }
}
