package dev.cassidy.migration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.cassidy.migration.error.ExitCode;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The command line, and everything else that needs no Cassandra. */
class MigrationToolTest {

    private SourceDatabase source;

    @BeforeEach
    void open() {
        source = SourceDatabase.h2("migration_tool_test");
    }

    @AfterEach
    void close() {
        source.close();
    }

    private ToolRun run(String command, String... rest) {
        return ToolRun.of(source.environment(), null, ToolRun.join(command, source.arguments(), rest));
    }

    private ToolRun plan(String... rest) {
        List<String> all = ToolRun.join("migrate plan", source.arguments(), rest);
        all.addAll(List.of("--keyspace", "shop", "--output", "json"));
        return ToolRun.of(source.environment(), null, all);
    }

    private static void assertRefused(ToolRun run, ExitCode code, String... fragments) {
        assertThat(run.exitCode()).as(run.err()).isEqualTo(code.code());
        assertThat(run.err()).contains(fragments);
    }

    @Test
    void shouldPlanAShopInUse() {
        source.loadMusicShop();

        ToolRun run = plan();

        assertThat(run.exitCode()).isEqualTo(ExitCode.OK.code());
        assertThat(run.tables("next"))
                .isEqualTo(Map.of(
                        "dbo.Basket", "16",
                        "dbo.Clerk", "180",
                        "dbo.Client", "1075",
                        "dbo.Format", "7",
                        "dbo.Performer", "181",
                        "dbo.Receipt", "421",
                        "dbo.ReceiptItem", "5000001900",
                        "dbo.Recording", "2604",
                        "dbo.Release", "321",
                        "dbo.Style", "25"));
    }

    @Test
    void shouldWriteTheDocumentedJson() {
        source.createTable("[dbo].[Order]", "INT", 1, 1);
        source.insert("[dbo].[Order]", 3);
        source.reseed("[dbo].[Order]", 1, 1);

        JsonNode document = plan().json();
        JsonNode table = document.get("tables").get(0);

        assertThat(document.fieldNames())
                .toIterable()
                .containsExactly("command", "exitCode", "source", "tables", "rows", "findings");
        assertThat(document.get("command").asText()).isEqualTo("plan");
        assertThat(document.get("exitCode").isInt()).isTrue();
        assertThat(document.get("source").asText()).isEqualTo(source.url());
        assertThat(table.toString())
                .isEqualTo("{\"table\":\"dbo.Order\",\"column\":\"id\",\"type\":\"int\",\"seed\":1,\"increment\":1,"
                        + "\"furthest\":3,\"lastValue\":1,\"basis\":\"maximum\",\"next\":4,\"percentLeft\":99.9,\"sample\":null,"
                        + "\"target\":{\"keyspace\":\"shop\",\"table\":\"order\",\"column\":\"id\","
                        + "\"sequence\":\"shop.order\",\"type\":\"int\",\"ready\":null,\"next\":null,\"floor\":null},\"after\":null,\"probe\":null,"
                        + "\"action\":\"unknown\",\"result\":null,\"findings\":[{\"level\":\"warning\",\"message\":"
                        + "\"last_value=1 lies behind MAX(id)=3: a RESEED, replication or bulk load; the table"
                        + " decides\"}]}");
    }

    @Test
    void shouldLayOutATable() {
        source.createTable("[dbo].[Down]", "SMALLINT", -1, -1);
        source.insert("[dbo].[Down]", 2);
        source.createTable("[dbo].[Unused]", "INT", 1, 1);

        ToolRun run = run("migrate plan", "--keyspace", "shop");

        assertThat(run.exitCode()).isEqualTo(ExitCode.REFUSED.code());
        assertThat(run.out().lines().map(String::stripTrailing))
                .startsWith(
                        "table          type      furthest  last value  decided by  next id  left %  target          action",
                        "dbo.Down.id    smallint        -2          -2  last_value       -3    99.9  shop.down:id    unknown",
                        "dbo.Unused.id  int              -           -  -                 -       -  shop.unused:id  refuse")
                .anyMatch(line -> line.startsWith("refused: dbo.Unused has no rows and no last value"));
    }

    @Test
    void shouldSayThatChangesArePending() {
        source.createTable("[dbo].[Order]", "INT", 1, 1);
        source.insert("[dbo].[Order]", 1);

        assertThat(plan("--detailed-exitcode").exitCode()).isEqualTo(ExitCode.PENDING.code());
    }

    @Test
    void shouldAcceptAnEmptyTableOrTakeItsFloor() {
        source.createTable("[dbo].[Unused]", "INT", 5, 1);

        assertThat(plan().exitCode()).isEqualTo(ExitCode.REFUSED.code());
        assertThat(plan("--accept-empty").tables("next")).containsEntry("dbo.Unused", "5");
        assertThat(plan("--floor", "DBO.unused=41").tables("next")).containsEntry("dbo.Unused", "42");
        assertThat(plan("--floor", "dbo.Unused=41").exitCode()).isEqualTo(ExitCode.OK.code());
    }

    @Test
    void shouldRefuseTwoTablesThatLeadToOneSequence() {
        source.execute("CREATE SCHEMA [sales]");
        source.createTable("[dbo].[Order]", "INT", 1, 1);
        source.createTable("[sales].[ORDER]", "INT", 1, 1);
        source.insert("[dbo].[Order]", 1);
        source.insert("[sales].[ORDER]", 1);

        ToolRun refused = plan();
        assertThat(refused.exitCode()).isEqualTo(ExitCode.REFUSED.code());
        assertThat(refused.tables("action"))
                .containsOnly(Map.entry("dbo.Order", "refuse"), Map.entry("sales.ORDER", "refuse"));
        assertThat(refused.out()).contains("sequence shop.order would serve [dbo.Order, sales.ORDER]");

        ToolRun mapped = plan("--map", "sales.Order=sales_order:order_id");
        assertThat(mapped.exitCode()).isEqualTo(ExitCode.OK.code());
        assertThat(mapped.out()).contains("\"shop.sales_order\"", "\"order_id\"");
        assertThat(plan("--exclude", "sales.*").tables("next")).containsOnlyKeys("dbo.Order");
    }

    @Test
    void shouldRefuseNamesThatCqlWouldHaveToQuote() {
        source.createTable("[dbo].[Order Details]", "INT", 1, 1);
        source.insert("[dbo].[Order Details]", 1);

        assertThat(plan().exitCode()).isEqualTo(ExitCode.REFUSED.code());
        assertThat(plan().out()).contains("--map 'dbo.Order Details=table:column'");
        assertThat(plan("--map", "dbo.Order Details=\"Archive\".details").out()).contains("Archive.details");
    }

    @ParameterizedTest
    @CsvSource({
        "--include, dbo.Nothing*, --include dbo.Nothing* matches no table",
        "--floor, Order=5, --floor Order names no chosen table",
        "--map, sales.Order=x, --map sales.Order names no chosen table",
        "--exclude, *, no table with an identity column is chosen"
    })
    void shouldRefuseANameThatTheSourceDoesNotHave(String option, String value, String message) {
        source.createTable("[dbo].[Order]", "INT", 1, 1);

        assertRefused(plan(option, value), ExitCode.REFUSED, message, "VIEW DEFINITION");
    }

    @Test
    void shouldRefuseToSeedALiveSourceWithoutAFence() {
        source.createTable("[dbo].[Order]", "INT", 1, 1);
        source.insert("[dbo].[Order]", 3);
        String[] seed = {"--keyspace", "shop", "--contact-points", "127.0.0.1:1", "--local-dc", "dc1", "--yes"};

        assertRefused(
                run("migrate seed", seed),
                ExitCode.REFUSED,
                "dbo.Order.id has no fence",
                "fence --apply",
                "seed --offline");
        assertThat(run("migrate fence", "--apply", "--yes", "--margin", "0").exitCode())
                .isZero();
        source.execute("INSERT INTO [dbo].[Order] ([x]) SELECT 1 WHERE 1 = 0");
        assertRefused(run("migrate seed", seed), ExitCode.CASSANDRA, "cannot connect to Cassandra");
    }

    @Test
    void shouldFenceATableAndTightenTheFenceButNotMoveItOutwards() {
        source.createTable("[dbo].[Order]", "INT", 1, 1);
        source.insert("[dbo].[Order]", 3);

        ToolRun printed = run("migrate fence", "--margin", "5");
        assertThat(printed.exitCode()).isZero();
        assertThat(printed.out()).contains("ALTER TABLE [dbo].[Order]", "CHECK ([id] <= 8)", "Bulk loads skip it");
        source.insert("[dbo].[Order]", 1);
        assertThat(run("migrate fence", "--margin", "5", "--apply").exitCode()).isEqualTo(ExitCode.REFUSED.code());
        ToolRun applied = run("migrate fence", "--margin", "5", "--apply", "--yes", "--output", "json");
        assertThat(applied.exitCode()).as(applied.err()).isZero();
        assertThat(applied.tables("result")).containsOnly(Map.entry("dbo.Order", "fenced"));

        source.insert("[dbo].[Order]", 5);
        assertThatThrownBy(() -> source.insert("[dbo].[Order]", 1)).hasStackTraceContaining("fence");
        assertThatThrownBy(() -> source.insertWithId("[dbo].[Order]", 100)).hasStackTraceContaining("fence");
        JsonNode table = plan().json().get("tables").get(0);
        assertThat(table.get("next").asLong()).as("failed inserts burn ids").isEqualTo(10);
        assertThat(table.get("basis").asText()).isEqualTo("fence");

        assertThat(run("migrate fence", "--output", "json").tables("action"))
                .containsOnly(Map.entry("dbo.Order", "keep"));
        assertThat(run("migrate fence", "--margin", "0", "--apply", "--yes", "--output", "json")
                        .tables("result"))
                .as("ids that failed inserts burnt")
                .containsOnly(Map.entry("dbo.Order", "kept"));
        ToolRun beyond = run("migrate fence", "--margin", "0", "--floor", "dbo.Order=20");
        assertThat(beyond.exitCode()).as(beyond.out()).isEqualTo(ExitCode.REFUSED.code());
        ToolRun outwards = run("migrate fence", "--margin", "50", "--apply", "--yes");
        assertThat(outwards.exitCode()).isEqualTo(ExitCode.REFUSED.code());
        assertThat(outwards.out()).contains("has a fence at 9", "is not moved to");
        ToolRun removed = run("migrate fence", "--remove", "--apply", "--yes", "--output", "json");
        assertThat(removed.tables("result")).containsOnly(Map.entry("dbo.Order", "removed"));
        source.insert("[dbo].[Order]", 1);
    }

    @Test
    void shouldPutAFenceBeyondEveryIdThatMayBeUsed() {
        source.createTable("[dbo].[Order]", "INT", 1, 1);
        source.insert("[dbo].[Order]", 5);
        source.execute("DELETE FROM [dbo].[Order] WHERE [id] > 2");

        assertThat(run("migrate fence", "--margin", "10").out())
                .as("the last value is 5")
                .contains("CHECK ([id] <= 15)");
        assertThat(run("migrate fence").out()).as("a restart skips 1,000 ids").contains("CHECK ([id] <= 1005)");
        assertThat(run("migrate fence", "--margin", "10", "--floor", "dbo.Order=90")
                        .out())
                .contains("CHECK ([id] <= 100)");
    }

    @Test
    void shouldTellOfARowThatCameBeforeTheFenceStood() {
        source.createTable("[dbo].[Order]", "INT", 1, 1);
        source.insert("[dbo].[Order]", 3);

        ToolRun run = ToolRun.of(
                source.environment(),
                ToolRun.meanwhile(() -> source.insert("[dbo].[Order]", 3)),
                ToolRun.join("migrate fence", source.arguments(), "--margin", "2", "--apply"));

        assertThat(run.exitCode()).as(run.out() + run.err()).isEqualTo(ExitCode.RISK.code());
        assertThat(run.out()).contains("id 6 lies beyond the fence");
    }

    @Test
    void shouldTightenAFence() {
        source.createTable("[dbo].[Down]", "BIGINT", -1, -10);
        source.insert("[dbo].[Down]", 2);
        assertThat(run("migrate fence", "--apply", "--yes").out()).contains("fenced, last id -100011");

        ToolRun tightened = run("migrate fence", "--margin", "1", "--apply", "--yes");
        assertThat(tightened.exitCode()).as(tightened.out()).isZero();
        assertThat(tightened.out()).contains("fenced, last id -21");
        source.insert("[dbo].[Down]", 1);
        assertThatThrownBy(() -> source.insert("[dbo].[Down]", 1)).hasStackTraceContaining("fence");
    }

    private void disable(String fence) {
        source.execute("CREATE TABLE IF NOT EXISTS sys.disabled (name VARCHAR)");
        source.execute("INSERT INTO sys.disabled SELECT CONSTRAINT_NAME FROM INFORMATION_SCHEMA.TABLE_CONSTRAINTS"
                + " WHERE CONSTRAINT_NAME LIKE 'cassidy_fence_%" + fence + "'");
        source.execute("CREATE OR REPLACE VIEW sys.check_constraints"
                + " (name, parent_object_id, definition, is_disabled, is_not_for_replication) AS"
                + " SELECT t.CONSTRAINT_NAME, t.TABLE_SCHEMA || '.' || t.TABLE_NAME, k.CHECK_CLAUSE,"
                + " CASE WHEN t.CONSTRAINT_NAME IN (SELECT name FROM sys.disabled) THEN 1 ELSE 0 END, 0"
                + " FROM INFORMATION_SCHEMA.TABLE_CONSTRAINTS AS t JOIN INFORMATION_SCHEMA.CHECK_CONSTRAINTS AS k"
                + " ON k.CONSTRAINT_SCHEMA = t.CONSTRAINT_SCHEMA AND k.CONSTRAINT_NAME = t.CONSTRAINT_NAME");
    }

    @Test
    void shouldRestoreADisabledFenceWhereItWasOrWithin() {
        source.createTable("[dbo].[Order]", "INT", 1, 1);
        source.insert("[dbo].[Order]", 3);
        assertThat(run("migrate fence", "--margin", "5", "--apply", "--yes").exitCode())
                .isZero();
        disable("_8");

        ToolRun outwards = run("migrate fence", "--margin", "9", "--apply", "--yes");
        assertThat(outwards.exitCode()).isEqualTo(ExitCode.REFUSED.code());
        assertThat(outwards.out()).contains("it is not moved to 12", "It is disabled; without --margin it is restored");
        ToolRun restored = run("migrate fence", "--apply", "--yes", "--output", "json");
        assertThat(restored.exitCode()).as(restored.out() + restored.err()).isZero();
        assertThat(restored.tables("action")).containsOnly(Map.entry("dbo.Order", "restore"));
        assertThat(restored.tables("result")).containsOnly(Map.entry("dbo.Order", "fenced"));
        assertThat(run("migrate fence").out()).contains("keep, last id 8");
        assertThat(restored.json().at("/tables/0/statements").toString())
                .as("the new one stands before the old one goes")
                .containsSubsequence("ADD CONSTRAINT", "_8_again]", "DROP CONSTRAINT", "_8]");

        disable("_8_again");
        assertThat(run("migrate fence", "--margin", "1", "--apply", "--yes").out())
                .contains("fenced, last id 4");
        assertThat(run("migrate fence").out()).contains("keep, last id 4");
    }

    @Test
    void shouldNotRestoreAFenceThatRowsHavePassed() {
        source.createTable("[dbo].[Order]", "INT", 1, 1);
        source.insertWithId("[dbo].[Order]", 12);
        String name =
                run("migrate fence", "--margin", "0").out().replaceAll("(?s).*(cassidy_fence_[0-9a-f]+_).*", "$1");
        source.execute("ALTER TABLE [dbo].[Order] ADD CONSTRAINT [" + name + "8] CHECK ([id] <= 8) NOCHECK");
        disable("_8");

        ToolRun run = run("migrate fence", "--apply", "--yes");

        assertThat(run.exitCode()).as(run.out() + run.err()).isEqualTo(ExitCode.REFUSED.code());
        assertThat(run.out()).contains("has id 12 beyond its fence 8, which is disabled", "fence --remove --apply");
        assertThat(run.out()).doesNotContain("_8_again");
    }

    @Test
    void shouldRefuseToFenceASequence() {
        source.createTable("[dbo].[Order]", "INT", 1, 1);
        source.insert("[dbo].[Order]", 3);
        source.execute("CREATE SEQUENCE [dbo].[Numbers] START WITH 100");

        ToolRun run = run("migrate fence", "--apply", "--yes");

        assertThat(run.exitCode()).as(run.err()).isEqualTo(ExitCode.REFUSED.code());
        assertThat(run.out()).contains("dbo.Numbers: refuse; is a SEQUENCE object", "--exclude dbo.Numbers");
        source.insert("[dbo].[Order]", 1);
        assertThat(run("migrate fence", "--exclude", "dbo.Numbers", "--apply", "--yes")
                        .exitCode())
                .isZero();
        assertThat(run("migrate fence", "--remove", "--apply", "--yes").exitCode())
                .isZero();
    }

    @Test
    void shouldKeepTheOldFenceIfARowComesWhileItIsTightened() {
        source.createTable("[dbo].[Order]", "INT", 1, 1);
        source.insert("[dbo].[Order]", 3);
        assertThat(run("migrate fence", "--margin", "5", "--apply", "--yes").exitCode())
                .isZero();

        ToolRun run = ToolRun.of(
                source.environment(),
                ToolRun.meanwhile(() -> source.insert("[dbo].[Order]", 1)),
                ToolRun.join("migrate fence", source.arguments(), "--margin", "0", "--apply"));

        assertThat(run.exitCode()).as(run.out() + run.err()).isEqualTo(ExitCode.RISK.code());
        assertThat(run.out()).contains("id 4 was inserted beyond 3", "the old one stands");
        source.insert("[dbo].[Order]", 4);
        assertThatThrownBy(() -> source.insert("[dbo].[Order]", 1)).hasStackTraceContaining("fence");
    }

    @Test
    void shouldSayWhoLocksATableThatIsToBeFenced() throws Exception {
        source.createTable("[dbo].[Order]", "INT", 1, 1);
        source.insert("[dbo].[Order]", 1);
        try (Connection blocker = DriverManager.getConnection(source.url(), "sa", "");
                Statement statement = blocker.createStatement()) {
            blocker.setAutoCommit(false);
            statement.execute("INSERT INTO [dbo].[Order] ([x]) VALUES (7)");

            ToolRun run = run("migrate fence", "--apply", "--yes", "--lock-timeout", "1s", "--tries", "2");

            assertThat(run.exitCode()).isEqualTo(ExitCode.RISK.code());
            assertThat(run.out()).contains("failed", "after 2 tries, because it is locked by session");
            assertThat(run.err()).contains("try 1 of 2: dbo.Order is locked by session");
            blocker.rollback();
        }
        assertThat(run("migrate fence", "--apply", "--yes").exitCode()).isZero();
    }

    @Test
    void shouldListWhatDoesNotMoveAndRowsThatMayBeHidden() {
        source.createTable("[dbo].[Order]", "INT", 1, 1);
        source.insert("[dbo].[Order]", 1);
        source.execute("CREATE VIEW [dbo].[Recent] AS SELECT [id] FROM [dbo].[Order]");
        source.execute("CREATE TABLE sys.security_policies (name VARCHAR, object_id INT, is_enabled INT)");
        source.execute("CREATE TABLE sys.security_predicates (object_id INT, target_object_id VARCHAR)");
        source.execute("INSERT INTO sys.security_policies VALUES ('Mine', 1, 1)");
        source.execute("INSERT INTO sys.security_predicates VALUES (1, 'dbo.Order')");

        JsonNode findings = plan().json().get("findings");

        assertThat(findings.toString())
                .contains("views do not move: dbo.Recent", "policy Mine may hide rows of dbo.Order");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "migrate plan --keyspace shop",
                "migrate fence",
                "migrate schema --keyspace shop",
                "migrate seed --offline --yes --keyspace shop --contact-points 127.0.0.1:1 --local-dc dc1",
                "migrate verify --keyspace shop --contact-points 127.0.0.1:1 --local-dc dc1",
                "migrate copy --keyspace shop --contact-points 127.0.0.1:1 --local-dc dc1"
            })
    void shouldRefuseALoginThatDoesNotSeeTheCatalogue(String line) {
        source.createTable("[dbo].[Order]", "INT", 1, 1);
        source.execute("CREATE USER IF NOT EXISTS [reader] PASSWORD ''");
        source.execute("GRANT SELECT ON SCHEMA [dbo] TO [reader]");
        source.execute("GRANT SELECT ON SCHEMA sys TO [reader]");

        List<String> all = new ArrayList<>(List.of(line.split(" ")));
        all.addAll(List.of("--source-url", source.url(), "--source-user", "reader"));
        ToolRun run = ToolRun.of(all.toArray(String[]::new));

        assertRefused(run, ExitCode.REFUSED, "GRANT VIEW DEFINITION");
    }

    @Test
    void shouldNotReadTheMaximumOfALargeTableThatNoIndexGives() {
        source.createTable("[dbo].[Order]", "INT", 1, 1);
        source.insert("[dbo].[Order]", 6);
        source.execute("CREATE TABLE [dbo].[Log] ([id] INT NOT NULL IDENTITY(1,1), [x] INT)");
        source.insert("[dbo].[Log]", 6);

        ToolRun refused = plan("--max-scan", "5");
        assertThat(refused.exitCode()).as(refused.out()).isEqualTo(ExitCode.REFUSED.code());
        assertThat(refused.tables("next")).containsOnly(Map.entry("dbo.Order", "7"), Map.entry("dbo.Log", "null"));
        assertThat(refused.tables("furthest")).containsEntry("dbo.Log", "null");
        assertThat(refused.out())
                .contains("MAX was not read of dbo.Log.id (about 6 rows)", "--max-scan always", "--floor dbo.Log=n");
        for (String limit : List.of("6", "auto", "always")) {
            assertThat(plan("--max-scan", limit).tables("next")).as(limit).containsEntry("dbo.Log", "7");
        }
        assertThat(plan().tables("next")).containsEntry("dbo.Log", "7");

        ToolRun floored = plan("--max-scan", "never", "--floor", "dbo.Log=9");
        assertThat(floored.exitCode()).as(floored.out()).isZero();
        assertThat(floored.tables("next")).containsOnly(Map.entry("dbo.Order", "7"), Map.entry("dbo.Log", "10"));
        assertThat(floored.out()).contains("the floor 9 stands in for what was not read: dbo.Log.id");
        assertThat(plan("--max-scan", "never", "--floor", "dbo.Log=2").tables("next"))
                .as("the last value counts too")
                .containsEntry("dbo.Log", "7");

        source.execute("CREATE TABLE [dbo].[Empty] ([id] INT NOT NULL IDENTITY(1,1), [x] INT)");
        assertThat(plan("--max-scan", "never", "--floor", "dbo.Log=9").out())
                .as("statistics that say 0 rows may be old")
                .contains("MAX was not read of dbo.Empty.id");
    }

    @Test
    void shouldTakeNoFloorForAMaximumThatIsNeededAsAWitness() {
        source.execute("CREATE TABLE [dbo].[Log] ([id] INT NOT NULL IDENTITY(1,1), [x] INT)");
        source.insert("[dbo].[Log]", 6);
        String[] unread = {"--max-scan", "never", "--floor", "dbo.Log=9"};
        assertThat(run("migrate fence", "--margin", "20", "--apply", "--yes").exitCode())
                .isZero();

        assertThat(plan().tables("next")).containsOnly(Map.entry("dbo.Log", "27"));
        ToolRun fenced = plan(unread);
        assertThat(fenced.exitCode()).isEqualTo(ExitCode.REFUSED.code());
        assertThat(fenced.out()).contains("Whether rows lie beyond the fence of dbo.Log.id is then not known");

        assertThat(run("migrate fence", "--remove", "--apply", "--yes").exitCode())
                .isZero();
        source.reseed("[dbo].[Log]", -2_000_000_000, 1);
        ToolRun wrapped = plan(unread);
        assertThat(wrapped.exitCode()).isEqualTo(ExitCode.REFUSED.code());
        assertThat(wrapped.out()).contains("lies behind its seed, so its ids may have wrapped");
    }

    @Test
    void shouldCompareTheSourceWithWhatIsExpected(@TempDir Path folder) {
        source.createTable("[dbo].[Order]", "INT", 1, 1);
        source.insert("[dbo].[Order]", 6);
        source.createTable("[dbo].[Unused]", "INT", 1, 1);
        String[] right = {"--accept-empty", "--expect", "2", "--expect", "dbo.order=6", "--expect", "dbo.Unused=none"};
        assertThat(plan(right).exitCode()).as(plan(right).out()).isZero();
        assertThat(plan("--accept-empty", "--expect", "DBO.Order").exitCode()).isZero();
        Path file = folder.resolve("plan.json");

        ToolRun run = plan(
                "--accept-empty",
                "--plan",
                file.toString(),
                "--expect",
                "3",
                "--expect",
                "dbo.Order=7",
                "--expect",
                "dbo.Hidden",
                "--expect",
                "dbo.Unused=0");

        assertThat(run.exitCode()).isEqualTo(ExitCode.REFUSED.code());
        assertThat(run.tables("action"))
                .containsOnly(Map.entry("dbo.Order", "refuse"), Map.entry("dbo.Unused", "refuse"));
        assertThat(run.json().get("tables").toString())
                .contains(
                        "--expect dbo.Order=7, and the furthest id that this login sees in dbo.Order.id is 6",
                        "--expect dbo.Unused=0, and the furthest id that this login sees in dbo.Unused.id is none");
        assertThat(run.json().get("findings").toString())
                .contains(
                        "--expect 3, and 2 columns and SEQUENCE objects are chosen",
                        "--expect dbo.Hidden names no chosen table");
        assertThat(file).doesNotExist();
        assertThat(run.err()).contains("no plan is written to " + file);

        assertThat(run("migrate fence", "--margin", "5", "--apply", "--yes").exitCode())
                .isZero();
        assertThat(plan("--accept-empty", "--expect", "dbo.Order=6").out())
                .contains("--expect dbo.Order=6 cannot be compared, because the source may still insert");
        source.execute("CREATE TABLE [dbo].[Log] ([id] INT NOT NULL IDENTITY(1,1), [x] INT)");
        source.insert("[dbo].[Log]", 1);
        assertThat(plan("--max-scan", "never", "--floor", "dbo.Log=1", "--expect", "dbo.Log=1")
                        .out())
                .contains("--expect dbo.Log=1 cannot be compared", "was not read");
    }

    @Test
    void shouldMeasureHowFastTheSourceUsesIds() {
        source.createTable("[dbo].[Busy]", "SMALLINT", 1, 2);
        source.insert("[dbo].[Busy]", 3);
        source.createTable("[dbo].[Idle]", "INT", 1, 1);
        source.insert("[dbo].[Idle]", 1);
        source.createTable("[dbo].[New]", "INT", 5, 1);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        OutputStream meanwhile = new OutputStream() {
            private final StringBuilder told = new StringBuilder();

            @Override
            public void write(int b) {
                told.append((char) b);
                if (b == '\n') {
                    if (told.toString().startsWith("measuring")) {
                        source.insert("[dbo].[Busy]", 5);
                        source.insert("[dbo].[New]", 1);
                    }
                    told.setLength(0);
                }
            }
        };
        List<String> arguments =
                ToolRun.join("migrate plan", source.arguments(), "--keyspace", "shop", "--sample", "1s");
        arguments.addAll(List.of("--output", "json"));

        int exitCode = new MigrationTool(
                        new PrintStream(out, true, StandardCharsets.UTF_8),
                        new PrintStream(meanwhile, true, StandardCharsets.UTF_8),
                        source.environment(),
                        Optional.empty())
                .run(arguments.toArray(String[]::new));

        ToolRun run = new ToolRun(exitCode, out.toString(StandardCharsets.UTF_8), "");
        assertThat(exitCode).as(run.out()).isZero();
        assertThat(run.json().at("/tables/0/sample").toString())
                .as("16,376 ids of a smallint are left, two apart")
                .isEqualTo("{\"seconds\":1,\"used\":5,\"perHour\":18000,\"lastsHours\":0}");
        assertThat(run.json().at("/tables/1/sample").toString())
                .isEqualTo("{\"seconds\":1,\"used\":0,\"perHour\":0,\"lastsHours\":null}");
        assertThat(run.json().at("/tables/2/sample/used").asInt()).isEqualTo(1);
        assertThat(run.out())
                .contains(
                        "dbo.Busy.id used 5 ids in 1 s, which is 18000 in an hour: what is left lasts 0 hours, less than a",
                        "dbo.New.id used 1 ids in 1 s, which is 3600 in an hour: what is left lasts about 68 years");
    }

    @Test
    void shouldReadSequencesAndRefuseThoseThatCycle() {
        source.execute("CREATE SEQUENCE [dbo].[Numbers] START WITH 100 INCREMENT BY 10");
        source.execute("CREATE SEQUENCE [dbo].[Round] START WITH 1 MAXVALUE 10 CYCLE");
        source.execute("CREATE TABLE [dbo].[Bill] ([n] BIGINT DEFAULT NEXT VALUE FOR [dbo].[Numbers], [x] INT)");
        source.insert("[dbo].[Bill]", 3);

        ToolRun both = plan("--accept-empty");
        assertThat(both.exitCode()).isEqualTo(ExitCode.REFUSED.code());
        assertThat(both.out()).contains("dbo.Round begins anew after its last id (CYCLE)");
        ToolRun one = plan("--include", "dbo.Numbers");
        assertThat(one.tables("next")).containsOnly(Map.entry("dbo.Numbers", "130"));
        assertThat(one.out()).contains("\"shop.numbers\"", "dbo.Bill.n takes its values from dbo.Numbers");
        source.execute("INSERT INTO [dbo].[Bill] VALUES (500, 0)");
        assertThat(plan("--include", "dbo.Numbers").tables("next")).containsOnly(Map.entry("dbo.Numbers", "510"));
    }

    @Test
    void shouldTakeAMaximumFromAReferencingTable() {
        source.createTable("[dbo].[Order]", "INT", 1, 1);
        source.insert("[dbo].[Order]", 9);
        source.execute("CREATE TABLE [dbo].[Line] ([n] INT PRIMARY KEY, [of] INT, FOREIGN KEY ([of]) REFERENCES"
                + " [dbo].[Order] ([id]))");
        source.execute("INSERT INTO [dbo].[Line] VALUES (1, 9)");
        source.execute("SET REFERENTIAL_INTEGRITY FALSE");
        source.execute("DELETE FROM [dbo].[Order]");
        source.execute("SET REFERENTIAL_INTEGRITY TRUE");
        source.reseed("[dbo].[Order]", 2, 1);

        JsonNode table = plan().json().get("tables").get(0);

        assertThat(table.get("next").asLong()).isEqualTo(10);
        assertThat(table.get("basis").asText()).isEqualTo("elsewhere");
        assertThat(table.toString()).contains("id 9 in dbo.Line.of");
    }

    /** Of a table whose id 40 is in the history alone, and which was reseeded since. */
    @Test
    void shouldTakeAMaximumFromAHistoryTable() {
        source.createTable("[dbo].[Order]", "INT", 1, 1);
        source.execute("CREATE TABLE [dbo].[OrderHistory] ([id] INT NOT NULL, [x] INT)");
        source.execute("INSERT INTO [dbo].[OrderHistory] VALUES (3, 0), (40, 0)");
        source.insert("[dbo].[Order]", 3);
        assertThat(plan().tables("next")).containsOnly(Map.entry("dbo.Order", "4"));
        source.execute("CREATE OR REPLACE VIEW sys.tables"
                + " (name, object_id, schema_id, is_ms_shipped, history_table_id) AS"
                + " SELECT TABLE_NAME, TABLE_SCHEMA || '.' || TABLE_NAME, TABLE_SCHEMA, 0,"
                + " CASE TABLE_NAME WHEN 'Order' THEN 'dbo.OrderHistory' END FROM INFORMATION_SCHEMA.TABLES"
                + " WHERE TABLE_TYPE = 'BASE TABLE' AND TABLE_SCHEMA <> 'INFORMATION_SCHEMA'");

        ToolRun run = plan();

        JsonNode table = run.json().get("tables").get(0);
        assertThat(table.get("next").asLong()).isEqualTo(41);
        assertThat(table.get("basis").asText()).isEqualTo("elsewhere");
        assertThat(table.toString()).contains("id 40 in dbo.OrderHistory.id");
        assertThat(run.json().get("findings").toString())
                .contains("temporal tables: what reads the changes does not move: dbo.Order");
    }

    @Test
    void shouldFollowARenamedTableAndListSynonyms() {
        source.createTable("[dbo].[Order]", "INT", 1, 1);
        source.insert("[dbo].[Order]", 5);
        source.execute("DELETE FROM [dbo].[Order] WHERE [id] > 2");
        source.execute("ALTER TABLE [dbo].[Order] RENAME TO [dbo].[Purchase]");
        source.execute("CREATE SYNONYM [dbo].[Order] FOR [dbo].[Purchase]");

        ToolRun run = plan();

        assertThat(run.tables("next")).isEqualTo(Map.of("dbo.Purchase", "6"));
        assertThat(run.json().get("findings").toString()).contains("synonyms do not move: dbo.Order");
        assertRefused(plan("--floor", "dbo.Order=9"), ExitCode.REFUSED, "--floor dbo.Order names no chosen table");
        assertRefused(plan("--include", "dbo.Order"), ExitCode.REFUSED, "--include dbo.Order matches no table");
    }

    /** Answers as IDENT_CURRENT, whatever the view says. */
    public static final class Current {

        public static BigDecimal seven(String table) {
            return BigDecimal.valueOf(7);
        }

        public static BigDecimal one(String table) {
            return BigDecimal.ONE;
        }

        public static BigDecimal none(String table) {
            return null;
        }

        public static String babelfish(String property) {
            return property.equals("babelfishversion") ? "4.3.0" : null;
        }
    }

    private void identCurrent(String method) {
        source.execute("DROP ALIAS IDENT_CURRENT");
        source.execute("CREATE ALIAS IDENT_CURRENT FOR '" + Current.class.getName() + "." + method + "'");
    }

    @Test
    void shouldTakeTheFurthestOfTheViewTheFunctionAndTheTable() {
        source.createTable("[dbo].[Order]", "INT", 1, 1);
        source.insert("[dbo].[Order]", 3);
        identCurrent("seven");
        assertThat(plan().tables("next")).as("the function is ahead").containsEntry("dbo.Order", "8");
        identCurrent("one");
        assertThat(plan().tables("next")).as("the function says the seed").containsEntry("dbo.Order", "4");
        identCurrent("none");
        assertThat(plan().tables("next")).as("the function says nothing").containsEntry("dbo.Order", "4");
        identCurrent("seven");
        source.insertWithId("[dbo].[Order]", 9);
        JsonNode table = plan().json().get("tables").get(0);
        assertThat(table.get("next").asLong()).as("both are behind MAX").isEqualTo(10);
        assertThat(table.toString()).contains("last_value=7 lies behind MAX(id)=9");
        source.createTable("[dbo].[Down]", "INT", -1, -1);
        source.insert("[dbo].[Down]", 4);
        assertThat(plan().tables("next")).as("7 is behind -4").containsEntry("dbo.Down", "-5");
    }

    /** Where the last value of a column that was never used is its seed, and {@code sys.sequences} is empty. */
    @Test
    void shouldReadBabelfish() {
        source.execute("CREATE ALIAS SERVERPROPERTY FOR '" + Current.class.getName() + ".babelfish'");
        source.createTable("[dbo].[Order]", "INT", 1, 1);
        source.execute("CREATE SEQUENCE [dbo].[Numbers] START WITH 100");
        source.execute(
                "CREATE OR REPLACE VIEW sys.sequences (name, schema_id, system_type_id, [precision], start_value,"
                        + " increment, is_cycling, current_value, last_used_value) AS SELECT '', '', 56, 0, 0, 0, 0, 0, 0"
                        + " WHERE 1 = 0");
        source.execute("CREATE OR REPLACE VIEW sys.identity_columns (object_id, name, system_type_id, user_type_id,"
                + " [precision], scale, seed_value, increment_value, last_value) AS"
                + " SELECT TABLE_SCHEMA || '.' || TABLE_NAME, COLUMN_NAME, 56, 56, 10, 0, 1, 1, 1"
                + " FROM INFORMATION_SCHEMA.COLUMNS WHERE IS_IDENTITY = 'YES'");

        ToolRun never = plan();
        assertThat(never.exitCode()).isEqualTo(ExitCode.REFUSED.code());
        assertThat(never.out())
                .contains("dbo.Order has no rows and no last value: never used, or truncated")
                .contains("does not tell the last values of sequences: dbo.Numbers are not migrated");
        assertThat(plan("--accept-empty").tables("next")).isEqualTo(Map.of("dbo.Order", "1"));
        source.insert("[dbo].[Order]", 1);
        assertThat(plan().tables("next")).isEqualTo(Map.of("dbo.Order", "2"));
        source.insert("[dbo].[Order]", 2);
        source.execute("DELETE FROM [dbo].[Order]");
        assertThat(plan().tables("next")).as("IDENT_CURRENT knows").isEqualTo(Map.of("dbo.Order", "4"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "migrate plan --keyspace shop --source-url jdbc:h2:mem:x --floor dbo.T|must be schema.table=value: --floor",
                "migrate plan --keyspace shop --source-url jdbc:h2:mem:x --floor dbo.T=ten|must be schema.table=integer: --floor",
                "migrate plan --keyspace shop --source-url jdbc:h2:mem:x --floor dbo.T=1 --floor dbo.T=2|--floor is given twice for 'dbo.T'",
                "migrate plan --keyspace sh-op --source-url jdbc:h2:mem:x|must be a CQL name, in double quotes where case matters: --keyspace 'sh-op'",
                "migrate plan --keyspace shop --source-url oracle:x|must start with jdbc:",
                "migrate plan --keyspace shop --source-url jdbc:h2:mem:x --query-timeout 5|must be a number up to 99999 and s, m or h",
                "migrate plan --keyspace shop --source-url jdbc:h2:mem:x --output xml|expected one of [TABLE, JSON] (case-insensitive) but was 'xml'",
                "migrate plan --keyspace shop --source-url jdbc:h2:mem:x --output json --output table|--output",
                "migrate plan --keyspace shop --source-url jdbc:h2:mem:x --max-scan 0|must be auto, always, never or a number of rows > 0: --max-scan '0'",
                "migrate plan --keyspace shop --source-url jdbc:h2:mem:x --max-scan some|must be auto, always, never or a number of rows > 0: --max-scan 'some'",
                "migrate plan --keyspace shop --source-url jdbc:h2:mem:x --sample 5|must be a number up to 99999 and s, m or h",
                "migrate plan --keyspace shop --source-url jdbc:h2:mem:x --expect Order|schema.table=id or schema.table=none: --expect 'Order'",
                "migrate plan --keyspace shop --source-url jdbc:h2:mem:x --expect dbo.Order=ten|must be a number of columns, schema.table,",
                "migrate plan --keyspace shop --source-url jdbc:h2:mem:x --expect dbo.Order=|must be a number of columns, schema.table,",
                "migrate plan --keyspace shop --source-url jdbc:h2:mem:x --expect dbo.T --expect dbo.T=1|--expect is given twice for 'dbo.T'",
                "migrate plan --keyspace shop --source-url jdbc:h2:mem:x --expect 3 --expect 4|--expect is given two numbers of columns: 3 and 4",
                "migrate plan --keyspace shop|Missing required option: '--source-url=URL'",
                "init --replication dc1|must be datacenter:factor",
                "init --replication dc1:3|--contact-points is needed",
                "init --replication dc1:3 --contact-points 127.0.0.1|--local-dc is needed",
                "init --replication dc1:3 --local-dc dc1 --contact-points 127.0.0.1:x|must be host or host:port",
                "init --replication dc1:3 --local-dc dc1 --contact-points 127.0.0.1:70000|must be host or host:port",
                "init --replication dc1:3 --print --global-keyspace Cassidy|--global-keyspace must be a lower-case keyspace name",
                "init --replication dc1:3 --print --server-checks no|expected one of [CHECK, SKIP] (case-insensitive) but was 'no'",
                "ids register --table shop.album|Missing required option: '--column=NAME'",
                "ids status --contact-points 127.0.0.1:1 --local-dc dc1 --cassandra-user a|there is no password of role a: set CASSANDRA_PASSWORD",
                "tables declare --table shop.album|nothing to declare: give --defaults or --writes",
                "ids register --table album --column a --start 1|names no keyspace",
                "ids register --table shop.album --column a --start one|'one' is not a long",
                "ids register --table shop.al-bum --column a --start 1|must be [keyspace.]table[:column]",
                "migrate exports|unknown argument: exports. Did you mean: export?",
                "migrate plan --source-url jdbc:h2:mem:x --keyspaces=s3cret|unknown argument: --keyspaces",
                "status --min-headroom 5|unknown argument: status. Did you mean: cassidy ids status, cassidy transactions status?",
                "tables register --table shop.album|unknown argument: register. Did you mean: cassidy ids register?",
                "|name a command: init, assess, ids, tables, transactions, assist, counters, migrate",
                "ids|name a command: status, register, repair",
                "tables|name a command: check, adopt, alter, declare",
                "transactions|name a command: list, status, resolve",
                "transactions status|Missing required parameter: 'ID'",
                "transactions status 12|Invalid value for positional parameter at index 0 (ID): cannot convert '12' to UUID",
                "transactions resolve|give the ID of a transaction, or --older for all that are older",
                "transactions resolve --process-gone|give the ID of a transaction, or --older for all that are older",
                "transactions resolve 7d5c1f3e-2a94-4d0b-9c61-0f4b8a6e2d15 --older 5m|give either an ID or --older",
                "transactions resolve --older 5|must be a number up to 99999 and s, m or h, for example 30s: '5'",
                "transactions list|--contact-points is needed",
                "tables adopt|Missing required option: '--table=NAME'",
                "counters truncate --table shop.traded|Missing required option: '--kind=KIND'",
                "counters adopt --table shop.traded|Missing required option: '--kind=KIND'",
                "counters adopt --table shop.traded --kind sum|expected one of [FOLDED, CUMULATIVE",
                "tables adopt --table t --columns a|names no keyspace",
                "tables check --keyspace a.b|must be a CQL name, in double quotes where case matters: --keyspace 'a.b'",
                "tables check|--contact-points is needed",
                "tables small|--contact-points is needed",
                "tables small --not|names no table: give --table with --not",
                "assist|name a command: off, on, list",
                "assist off --statement 3F9C2A7B61D0|must be twelve hexadecimal digits",
                "assist on --statement x|must be twelve hexadecimal digits",
                "assist list|--contact-points is needed",
            })
    void shouldSayWhatIsWrongWithTheCommandLine(String line, String message) {
        ToolRun run = ToolRun.of(line == null ? new String[0] : line.split(" "));

        assertRefused(run, ExitCode.USAGE, message);
        assertThat(run.out()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"-1", "100.5", "NaN"})
    void shouldRefuseAHeadroomThatIsNoShare(String percent) {
        assertRefused(
                ToolRun.of("ids status", "--min-headroom", percent),
                ExitCode.USAGE,
                "must be from 0 to 100: --min-headroom " + Double.valueOf(percent));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "migrate plan --source-password=s3cret",
                "migrate plan --source-password s3cret",
                "migrate plan --cassandra-password=s3cret",
                "migrate plan --password=s3cret",
                "migrate plan --PWD=s3cret",
                "migrate plan --sorce-pasword=s3cret --source-url jdbc:h2:mem:x --keyspace shop",
                "migrate plan --keyspace shop --source-url jdbc:sqlserver://db;user=sa;password=s3cret",
                "migrate plan --keyspace shop --source-url jdbc:mysql://address=(host=db)(user=u)(password=s3cret)/shop",
                "migrate plan --keyspace shop --source-url jdbc:mysql://(host=db,password=s3cret)/shop",
                "migrate plan --keyspace shop --source-url mysql://(host=db,password=s3cret)/shop",
                "migrate plan --keyspace shop --source-url jdbc:sqlserver://db;user=sa;Password={s3cret;}}x};encrypt=true",
                "migrate plan --keyspace shop --source-url jdbc:sqlserver://db;trustStorePassword=s3cret",
                "migrate plan --keyspace shop --source-url jdbc:sqlserver://db;accessToken=s3cret",
                "migrate plan --keyspace shop --source-url jdbc:h2:mem:x;USER=sa;PASSWORD=s3cret",
                "migrate plan --keyspace shop --source-url jdbc:postgresql://sa:s3cret@db/shop",
                "migrate plan --keyspace shop --source-url sqlserver://db;password=s3cret"
            })
    void shouldRefuseASecretOnTheCommandLineWithoutRepeatingIt(String line) {
        ToolRun run = ToolRun.of(line.split(" "));

        assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE.code());
        assertThat(run.out() + run.err()).doesNotContain("s3cret").containsPattern("(?i)password|secret|pwd|pasword");
    }

    @Test
    void shouldTakeThePasswordFromAFileBeforeTheEnvironment(@TempDir Path folder) throws Exception {
        Path right = Files.writeString(folder.resolve("right"), "\n");
        Path wrong = Files.writeString(folder.resolve("wrong"), "s3cret\n");
        source.createTable("[dbo].[Order]", "INT", 1, 1);

        assertThat(plan("--accept-empty", "--source-password-file", right.toString())
                        .exitCode())
                .isEqualTo(ExitCode.OK.code());
        ToolRun refused = plan("--accept-empty", "--source-password-file", wrong.toString());
        assertRefused(refused, ExitCode.SOURCE, "cannot connect to jdbc:h2:mem:migration_tool_test", "SQLState 28000");
        assertThat(refused.err()).doesNotContain("s3cret");
        assertRefused(
                plan("--source-password-file", folder.resolve("none").toString()),
                ExitCode.USAGE,
                "cannot read the password file");
    }

    @Test
    void shouldAskForThePasswordOnATerminal() {
        List<String> arguments =
                ToolRun.join("migrate plan", source.arguments(), "--keyspace", "shop", "--accept-empty");
        source.createTable("[dbo].[Order]", "INT", 1, 1);

        assertThat(ToolRun.of(Map.of(), ToolRun.answering(""), arguments).exitCode())
                .isEqualTo(ExitCode.OK.code());
        assertThat(ToolRun.of(Map.of(), ToolRun.answering("wrong"), arguments).exitCode())
                .isEqualTo(ExitCode.SOURCE.code());
    }

    @Test
    void shouldNameASourceThatDoesNotAnswer() {
        ToolRun run = ToolRun.of(
                "migrate plan",
                "--keyspace",
                "shop",
                "--source-url",
                "jdbc:sqlserver://127.0.0.1:1;loginTimeout=1;connectRetryCount=0");

        assertRefused(run, ExitCode.SOURCE, "cannot connect to jdbc:sqlserver://127.0.0.1:1", "SQLState 08S01");
        assertRefused(
                ToolRun.of("migrate plan", "--keyspace", "shop", "--source-url", "jdbc:nosuch:x"),
                ExitCode.SOURCE,
                "No suitable driver");
    }

    @Test
    void shouldReadAnH2WithoutTheCatalogueViewsAsItself() {
        assertRefused(
                ToolRun.of("migrate plan", "--keyspace", "shop", "--source-url", "jdbc:h2:mem:bare;MODE=MSSQLServer"),
                ExitCode.REFUSED,
                "no table with an identity column is chosen");
        assertRefused(
                ToolRun.of("migrate plan", "--keyspace", "shop", "--source-url", "jdbc:mysql://127.0.0.1:1/x"),
                ExitCode.USAGE,
                "com.mysql:mysql-connector-j",
                "--source-driver FILE.jar");
        assertRefused(
                ToolRun.of(
                        "migrate plan",
                        "--keyspace",
                        "shop",
                        "--source-url",
                        "jdbc:mysql://127.0.0.1:1/x",
                        "--source-driver",
                        "none.jar"),
                ExitCode.USAGE,
                "no such file: --source-driver none.jar");
    }

    @Test
    void shouldNameACassandraThatDoesNotAnswer() {
        source.createTable("[dbo].[Order]", "INT", 1, 1);

        assertRefused(
                plan("--contact-points", "127.0.0.1:1", "--local-dc", "dc1"),
                ExitCode.CASSANDRA,
                "cannot connect to Cassandra at 127.0.0.1:1");
    }

    @Test
    void shouldReportItsOwnDefect() {
        Terminal broken = ToolRun.meanwhile(() -> {
            throw new IllegalStateException("broken");
        });

        ToolRun run =
                ToolRun.of(Map.of(), broken, ToolRun.join("migrate plan", source.arguments(), "--keyspace", "shop"));

        assertRefused(run, ExitCode.INTERNAL, "internal error, please report it", "IllegalStateException: broken");
    }

    @Test
    void shouldPrintTheSchemaForADba() {
        ToolRun text = ToolRun.of("init", "--print", "--replication", "dc1:3,Dc-2:2");
        ToolRun json = ToolRun.of("init", "--print", "--replication", "dc1:3,Dc-2:2", "--output", "json");

        assertThat(text.exitCode()).isZero();
        assertThat(text.out())
                .contains("CREATE KEYSPACE IF NOT EXISTS cassidy WITH", "'Dc-2': 2", "cassidy_dc_2.reserve")
                .endsWith(";\n");
        assertThat(json.json().get("executed").asBoolean()).isFalse();
        assertThat(json.json().get("statements").get(0).asText()).startsWith("CREATE KEYSPACE");
    }
}
