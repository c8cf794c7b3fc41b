package dev.cassidy.migration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.Row;
import com.fasterxml.jackson.databind.JsonNode;
import dev.cassidy.migration.error.ExitCode;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.h2.api.Trigger;
import org.h2.tools.Server;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Rows on their way from H2 in SQL Server mode to a real Cassandra. Each test has its own target keyspace. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class CopyIT {

    private static final AtomicInteger KEYSPACES = new AtomicInteger();

    private TargetNode node;
    private CqlSession session;
    private SourceDatabase source;
    private String keyspace;

    @TempDir
    private Path folder;

    @BeforeAll
    void connect() {
        node = new TargetNode("copy_it");
        node.init();
        session = node.session();
    }

    @AfterAll
    void disconnect() {
        node.close();
    }

    @BeforeEach
    void begin() {
        int number = KEYSPACES.incrementAndGet();
        keyspace = "copy_it_" + number;
        source = SourceDatabase.h2WithoutFunctions("copy_it_" + number);
        node.createKeyspace(keyspace);
    }

    @AfterEach
    void end() {
        source.close();
    }

    private List<String> arguments(String command, String... rest) {
        List<String> all = ToolRun.join(command, node.arguments(), rest);
        all.addAll(List.of("--output", "json"));
        all.addAll(source.arguments());
        if (!command.equals("migrate copy-back")) {
            all.addAll(List.of("--keyspace", keyspace));
        }
        if (command.startsWith("migrate copy")) {
            all.addAll(List.of("--state", folder.resolve("state").toString()));
        }
        return all;
    }

    private ToolRun run(String command, String... rest) {
        return ToolRun.of(source.environment(), null, arguments(command, rest));
    }

    private ToolRun copy(ExitCode code, String... rest) {
        ToolRun run = run("migrate copy", rest);
        assertThat(run.exitCode()).as(run.out() + run.err()).isEqualTo(code.code());
        return run;
    }

    private void cql(String text) {
        session.execute(text.replace("ks.", keyspace + "."));
    }

    private Row one(String text) {
        return session.execute(text.replace("ks.", keyspace + ".")).one();
    }

    private static JsonNode table(ToolRun run) {
        return run.json().get("tables").get(0);
    }

    private void numbers(int rows) {
        source.execute("CREATE TABLE [dbo].[T] ([id] INT NOT NULL PRIMARY KEY, [x] INT, [s] NVARCHAR(20))");
        source.execute(
                "INSERT INTO [dbo].[T] SELECT x, CASE WHEN MOD(x, 3) = 0 THEN NULL ELSE 10 * x END, 'v' || x FROM"
                        + " SYSTEM_RANGE(1, " + rows + ")");
        cql("CREATE TABLE ks.t (id int PRIMARY KEY, x int, s text)");
    }

    @Test
    void shouldKeepTheValuesOfEveryType() {
        source.execute("""
                CREATE TABLE [dbo].[Every Type] ([Id] INT NOT NULL PRIMARY KEY, [Ti] TINYINT, [Sm] SMALLINT, [Bi] BIGINT,
                    [Bit] BIT, [Dec] DECIMAL(38,10), [Mon] MONEY, [Re] REAL, [Fl] FLOAT, [Nv] NVARCHAR(50), [Ch] CHAR(3),
                    [Tx] NTEXT, [Vb] VARBINARY(10), [Da] DATE, [Tm] TIME(6), [Dt] DATETIME, [Dt2] DATETIME2(3),
                    [Do] DATETIMEOFFSET(3), [Ui] UNIQUEIDENTIFIER, [Odd Name] NVARCHAR(5))""");
        source.execute("""
                INSERT INTO [dbo].[Every Type] VALUES (1, 127, -32768, 9223372036854775807, 1,
                    -1234567890123456789012345678.0123456789, 12.3400, 1.5, 0.1, N'Müder O''Brien', 'ab', N'', X'00FF',
                    '2024-02-29', '23:59:59.123456', '1900-01-01 00:00:00.003', '2024-03-31 02:30:00.123',
                    '2024-01-31 12:00:00.001+00:00', '6F9619FF-8B86-D011-B42D-00C04FC964FF', N'odd'),
                    (2, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
                    NULL, NULL, NULL)""");
        cql("""
                CREATE TABLE ks.every_type (id int PRIMARY KEY, ti smallint, sm smallint, bi bigint, bit boolean, dec decimal,
                    mon decimal, re float, fl double, nv text, ch text, tx text, vb blob, da date, tm time, dt timestamp,
                    dt2 timestamp, do timestamp, ui uuid, "Odd Name" text)""");

        ToolRun run = copy(ExitCode.OK, "--zone", "UTC");

        assertThat(table(run).get("comparison").get("rows").asLong()).isEqualTo(2);
        Row row = one("SELECT * FROM ks.every_type WHERE id = 1");
        assertThat(row.getShort("ti")).isEqualTo((short) 127);
        assertThat(row.getShort("sm")).isEqualTo((short) -32768);
        assertThat(row.getLong("bi")).isEqualTo(Long.MAX_VALUE);
        assertThat(row.getBoolean("bit")).isTrue();
        assertThat(row.getBigDecimal("dec")).isEqualTo(new BigDecimal("-1234567890123456789012345678.0123456789"));
        assertThat(row.getBigDecimal("mon")).isEqualByComparingTo("12.34");
        assertThat(row.getFloat("re")).isEqualTo(1.5f);
        assertThat(row.getDouble("fl")).isEqualTo(0.1);
        assertThat(row.getString("nv")).isEqualTo("Müder O'Brien");
        assertThat(row.getString("ch")).startsWith("ab");
        assertThat(row.getString("tx")).isEmpty();
        assertThat(row.getByteBuffer("vb").array()).containsExactly(0, -1);
        assertThat(row.getLocalDate("da")).isEqualTo(LocalDate.of(2024, 2, 29));
        assertThat(row.getLocalTime("tm")).isEqualTo(LocalTime.parse("23:59:59.123456"));
        assertThat(row.getInstant("dt")).isEqualTo(Instant.parse("1900-01-01T00:00:00.003Z"));
        assertThat(row.getInstant("dt2")).isEqualTo(Instant.parse("2024-03-31T02:30:00.123Z"));
        assertThat(row.getInstant("do")).isEqualTo(Instant.parse("2024-01-31T12:00:00.001Z"));
        assertThat(row.getUuid("ui")).isEqualTo(UUID.fromString("6f9619ff-8b86-d011-b42d-00c04fc964ff"));
        assertThat(row.getString("\"Odd Name\"")).isEqualTo("odd");
        Row nulls = one("SELECT * FROM ks.every_type WHERE id = 2");
        assertThat(nulls.getColumnDefinitions()).allSatisfy(column -> {
            if (!column.getName().asInternal().equals("id")) {
                assertThat(nulls.isNull(column.getName())).isTrue();
            }
        });

        cql("""
                INSERT INTO ks.every_type (id, ti, sm, bi, bit, dec, mon, re, fl, nv, ch, tx, vb, da, tm, dt, dt2, do, ui, "Odd Name")
                VALUES (3, -128, 5, -9223372036854775808, false, 0.0000000001, -12.34, 2.5, 0.2, 'Größe ''', 'abc', 'long', 0x0001,
                    '1999-12-31', '00:00:00.000001', '2024-02-29 01:02:03.004+0000', '1969-12-31 23:59:59.999+0000',
                    '2024-01-31 12:00:00.001+0000', 6f9619ff-8b86-d011-b42d-00c04fc964ff, 'new')""");
        cql("INSERT INTO ks.every_type (id) VALUES (4)");
        ToolRun back = run("migrate copy-back", "--yes");
        assertThat(back.exitCode()).as(back.out() + back.err()).isZero();
        assertThat(back.tables("inserted")).containsEntry("dbo.Every Type", "2");
    }

    @Test
    void shouldNeverOverwriteWhatAnApplicationWrote() {
        numbers(10);
        cql("INSERT INTO ks.t (id, s) VALUES (4, 'application')");
        cql("UPDATE ks.t SET s = 'conditional' WHERE id = 5 IF s = null");
        cql("INSERT INTO ks.t (id, s) VALUES (11, 'beyond the fence')");
        cql("DELETE FROM ks.t WHERE id = 7");

        ToolRun run = copy(ExitCode.RISK);

        assertThat(one("SELECT s, x FROM ks.t WHERE id = 4").getFormattedContents())
                .isEqualTo("[s:'application', x:40]");
        assertThat(one("SELECT s FROM ks.t WHERE id = 5").getString(0)).isEqualTo("conditional");
        assertThat(one("SELECT s FROM ks.t WHERE id = 11").getString(0)).isEqualTo("beyond the fence");
        JsonNode found = table(run).get("comparison");
        assertThat(found.get("younger").asLong()).isEqualTo(3);
        // Only the row that the application deleted: it cannot be told from one that was lost.
        assertThat(found.get("examples").toString()).isEqualTo("[\"missing in Cassandra: id=7\"]");
        assertThat(one("SELECT WRITETIME(s) FROM ks.t WHERE id = 1").getLong(0))
                .isEqualTo(run.json().get("timestamp").asLong())
                .isLessThan(10_000_000_000_000L);
    }

    @Test
    void shouldCopyCompositeKeysOddNamesAndEmptyTables() {
        source.execute(
                "CREATE TABLE [dbo].[Order Details] ([Order] INT NOT NULL, [Line No] SMALLINT NOT NULL, [Käse] INT,"
                        + " PRIMARY KEY ([Order], [Line No]))");
        source.execute("INSERT INTO [dbo].[Order Details] VALUES (1, 1, 5), (1, 2, 6), (2, 1, NULL)");
        source.execute("CREATE TABLE [dbo].[Empty] ([id] UNIQUEIDENTIFIER NOT NULL PRIMARY KEY, [x] INT)");
        cql("CREATE TABLE ks.order_details (\"order\" int, \"Line No\" smallint, \"Käse\" int,"
                + " PRIMARY KEY (\"order\", \"Line No\"))");
        cql("CREATE TABLE ks.empty (id uuid PRIMARY KEY, x int)");

        ToolRun run = copy(ExitCode.OK);

        assertThat(run.tables("rows")).containsEntry("dbo.Order Details", "3").containsEntry("dbo.Empty", "0");
        assertThat(one("SELECT \"Käse\" FROM ks.order_details WHERE \"order\" = 1 AND \"Line No\" = 2")
                        .getInt(0))
                .isEqualTo(6);
    }

    /** A table comes without them, its rows are copied past them, and the lines of {@code schema} add them. */
    @Test
    void shouldKeepUniqueOnceTheRowsAreThere() throws Exception {
        source.execute(
                "CREATE TABLE [dbo].[Client] ([Id] INT NOT NULL PRIMARY KEY, [E-Mail] NVARCHAR(50) NOT NULL, [Code]"
                        + " INT, [Gone] INT)");
        source.execute("CREATE UNIQUE INDEX [ux mail] ON [dbo].[Client] ([E-Mail])");
        source.execute("CREATE UNIQUE INDEX [ux_code] ON [dbo].[Client] ([Code])");
        source.execute("CREATE UNIQUE INDEX [ux_gone] ON [dbo].[Client] ([Gone])");
        source.execute("INSERT INTO [dbo].[Client] VALUES (1, 'a', NULL, 1), (2, 'b', 6, 2), (3, 'c', 7, 3)");
        String[] schema = {"--apply", "--key", "dbo.Client=Id", "--leave-out", "dbo.Client.Gone"};

        JsonNode made = table(run("migrate schema", schema));

        assertThat(made.get("findings").toString())
                .contains("nothing keeps the values of unique index ux_gone")
                .doesNotContain("ux_code", "ux mail");
        List<String> lines = new ArrayList<>();
        made.get("uniques").forEach(line -> lines.add(line.asText()));
        assertThat(lines)
                .hasSize(2)
                .anySatisfy(line -> assertThat(line)
                        .contains("--unique 'CONSTRAINT [ux mail] UNIQUE (\"E-Mail\")' --contact-points"))
                .anySatisfy(line -> assertThat(line).contains("--unique 'CONSTRAINT [ux_code] UNIQUE (code)'"));
        assertThat(table(run("migrate schema", "--key", "dbo.Client=Id", "--writes", "plain"))
                        .toString())
                .contains("ux mail", "because the table's writes are plain", "\"uniques\":[]");
        copy(ExitCode.OK, "--leave-out", "dbo.Client.Gone");
        for (List<String> words : ShellText.calls("sh", folder, String.join("\n", lines))) {
            ToolRun added = ToolRun.of(Map.of(), null, words);
            assertThat(added.exitCode()).as(added.out() + added.err()).isZero();
        }
        try (Connection connection = DriverManager.getConnection(node.jdbc(keyspace));
                Statement statement = connection.createStatement()) {
            assertThatThrownBy(() -> statement.execute("INSERT INTO Client VALUES (4, 'b', 8)"))
                    .hasFieldOrPropertyWithValue("errorCode", 2627);
            assertThatThrownBy(() -> statement.execute("INSERT INTO Client VALUES (4, 'd', NULL)"))
                    .hasFieldOrPropertyWithValue("errorCode", 2627);
            statement.execute("INSERT INTO Client VALUES (4, 'd', 8)");
        }
        for (String[] again : new String[][] {{}, {"--repair"}, {"--dry-run"}}) {
            assertThat(copy(
                                    ExitCode.REFUSED,
                                    ToolRun.join("", List.of("--leave-out", "dbo.Client.Gone"), again).stream()
                                            .filter(word -> !word.isEmpty())
                                            .toArray(String[]::new))
                            .err())
                    .contains("CONSTRAINT [ux mail] UNIQUE (\"E-Mail\")", "CONSTRAINT [ux_code] UNIQUE (code)");
        }
    }

    /** The rows would not be found by them. */
    @Test
    void shouldRefuseATableWithIndexesThatCompareByCollations() throws SQLException {
        source.execute("CREATE TABLE [dbo].[Person] ([Id] INT NOT NULL PRIMARY KEY, [Mail] NVARCHAR(50))");
        source.execute("INSERT INTO [dbo].[Person] VALUES (1, 'a')");
        try (Connection connection = DriverManager.getConnection(node.jdbc(keyspace));
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE Person (Id INT PRIMARY KEY, Mail NVARCHAR(50), INDEX ix_mail (Mail))");
        }

        assertThat(copy(ExitCode.REFUSED).err())
                .contains("has indexes by which the collations of mail compare", "cassidy tables add-twin");

        assertThat(one("SELECT COUNT(*) FROM ks.person").getLong(0)).isZero();
    }

    @Test
    void shouldRefuseAKeyThatWouldMakeOneRowOfTwo() {
        source.execute("CREATE TABLE [dbo].[T] ([a] INT NOT NULL, [b] INT NOT NULL, PRIMARY KEY ([a], [b]))");
        source.execute("INSERT INTO [dbo].[T] VALUES (1, 1), (1, 2), (2, 1)");
        cql("CREATE TABLE ks.t (a int PRIMARY KEY, b int)");

        ToolRun run = copy(ExitCode.REFUSED);

        assertThat(run.err()).contains("1 keys [a] of dbo.T are those of several rows");
        assertThat(one("SELECT COUNT(*) FROM ks.t").getLong(0)).isZero();
    }

    @Test
    void shouldNameEverythingThatCannotBeCopied() {
        source.execute(
                "CREATE TABLE [dbo].[T] ([id] INT NOT NULL PRIMARY KEY, [more] INT, [at] DATETIME, [s] NVARCHAR(5))");
        source.execute("CREATE TABLE [dbo].[U] ([id] INT NOT NULL PRIMARY KEY)");
        cql("CREATE TABLE ks.t (id int PRIMARY KEY, at timestamp, s int)");

        ToolRun run = copy(ExitCode.REFUSED);

        assertThat(run.err())
                .contains("has no column more for dbo.T.more; to leave it behind, give --leave-out 'dbo.T.more'")
                .contains("dbo.T.s is nvarchar(5), which cannot fill s of type int")
                .contains("dbo.T.at is datetime2(3), a time without a zone")
                .contains("table " + keyspace + ".u does not exist in Cassandra");
        copy(ExitCode.OK, "--include", "dbo.T", "--leave-out", "dbo.T.more", "--zone", "UTC", "--leave-out", "dbo.T.s");
    }

    @Test
    void shouldTellARangeWhoseValuesWouldChangeUntilThatIsAccepted() {
        source.execute("CREATE TABLE [dbo].[T] ([id] INT NOT NULL PRIMARY KEY, [at] DATETIME2(7))");
        source.execute("INSERT INTO [dbo].[T] VALUES (1, '2024-01-31 12:00:00'), (101, '2024-01-31 12:00:00.1234567')");
        cql("CREATE TABLE ks.t (id int PRIMARY KEY, at timestamp)");
        String[] options = {"--zone", "UTC", "--range-size", "50"};

        ToolRun run = copy(ExitCode.PARTIAL, options);

        assertThat(table(run).get("done").asInt()).isEqualTo(2);
        assertThat(table(run).get("ranges").asInt()).isEqualTo(3);
        assertThat(table(run).get("failures").get("[id] >= 101").asText())
                .contains("dbo.T.at would change from 2024-01-31T12:00:00.123456700 to 2024-01-31T12:00:00.123Z")
                .contains("--accept-loss 'dbo.T.at'");
        assertThat(one("SELECT COUNT(*) FROM ks.t").getLong(0)).isOne();
        copy(ExitCode.OK, "--zone", "UTC", "--accept-loss", "dbo.t.at");
        assertThat(one("SELECT at FROM ks.t WHERE id = 101").getInstant(0))
                .isEqualTo(Instant.parse("2024-01-31T12:00:00.123Z"));
    }

    @Test
    void shouldRefuseDatesThatWouldBecomeOthers() {
        source.execute("CREATE TABLE [dbo].[T] ([id] INT NOT NULL PRIMARY KEY, [d] DATE, [at] DATETIME2(3))");
        source.execute("INSERT INTO [dbo].[T] VALUES (1, DATE '5000000-01-01', NULL), (51, DATE '6000000-01-01', NULL),"
                + " (101, NULL, TIMESTAMP '300000000-01-01 00:00:00')");
        cql("CREATE TABLE ks.t (id int PRIMARY KEY, d date, at timestamp)");

        ToolRun run = copy(ExitCode.PARTIAL, "--zone", "UTC", "--range-size", "50");

        assertThat(table(run).get("done").asInt()).isOne();
        assertThat(table(run).get("failures").toString())
                .contains("dbo.T.d has a value that date cannot hold: +6000000-01-01")
                .contains("dbo.T.at has a value that timestamp cannot hold: +300000000-01-01T00:00:00Z");
        assertThat(one("SELECT d FROM ks.t").getLocalDate(0)).isEqualTo(LocalDate.of(5_000_000, 1, 1));
    }

    @Test
    void shouldCopyRowsThatDoNotExpire() {
        numbers(3);
        cql("ALTER TABLE ks.t WITH default_time_to_live = 1000000");
        copy(ExitCode.OK);
        source.execute("UPDATE [dbo].[T] SET [s] = 'later' WHERE [id] = 2");
        copy(ExitCode.OK, "--repair");

        assertThat(one("SELECT TTL(s) FROM ks.t WHERE id = 1").isNull(0)).isTrue();
        assertThat(one("SELECT s, TTL(s) AS ttl FROM ks.t WHERE id = 2").getFormattedContents())
                .isEqualTo("[s:'later', ttl:NULL]");
    }

    @Test
    void shouldNotWriteWhenDeletesOfApplicationsMayBeForgotten() {
        numbers(3);
        cql("ALTER TABLE ks.t WITH gc_grace_seconds = 0");
        copy(ExitCode.OK);
        assertThat(copy(ExitCode.OK).json().get("rows").asLong()).isZero();
        source.execute("UPDATE [dbo].[T] SET [s] = 'later' WHERE [id] = 2");

        assertThat(copy(ExitCode.REFUSED, "--repair").err())
                .contains("longer ago than the gc_grace_seconds of " + keyspace + ".t (0)")
                .contains("--accept-late");
        assertThat(one("SELECT s FROM ks.t WHERE id = 2").getString(0)).isEqualTo("v2");
        copy(ExitCode.OK, "--repair", "--accept-late");
        assertThat(one("SELECT s FROM ks.t WHERE id = 2").getString(0)).isEqualTo("later");
    }

    @Test
    void shouldSayThatSomeIsRepairedWhenARowIsRefused() {
        for (String name : List.of("A", "B")) {
            source.execute("CREATE TABLE [dbo].[" + name + "] ([id] INT NOT NULL PRIMARY KEY, [at] DATETIME2(7))");
            source.execute("INSERT INTO [dbo].[" + name + "] VALUES (1, '2024-01-31 12:00:00')");
            cql("CREATE TABLE ks." + name + " (id int PRIMARY KEY, at timestamp)");
        }
        copy(ExitCode.OK, "--zone", "UTC");
        source.execute("INSERT INTO [dbo].[A] VALUES (2, '2024-01-31 12:00:00.1234567')");
        source.execute("INSERT INTO [dbo].[B] VALUES (2, '2024-01-31 12:00:00')");

        ToolRun run = copy(ExitCode.PARTIAL, "--zone", "UTC", "--repair");

        assertThat(table(run).get("failures").get("--repair").asText()).contains("dbo.A.at would change");
        assertThat(one("SELECT COUNT(*) FROM ks.b").getLong(0)).isEqualTo(2);
    }

    @Test
    void shouldNeverChangeAKey() {
        source.execute("CREATE TABLE [dbo].[T] ([at] DATETIME2(7) NOT NULL PRIMARY KEY)");
        source.execute("INSERT INTO [dbo].[T] VALUES ('2024-01-31 12:00:00.1234567')");
        cql("CREATE TABLE ks.t (at timestamp PRIMARY KEY)");

        ToolRun run = copy(ExitCode.PARTIAL, "--zone", "UTC", "--accept-loss", "dbo.T.at");

        assertThat(run.out()).contains("is part of Cassandra's key and would change");
    }

    @Test
    void shouldNotGoOnWithAnotherCopy() {
        numbers(3);
        copy(ExitCode.OK);

        assertThat(copy(ExitCode.OK).json().get("rows").asLong()).isZero();
        assertThat(copy(ExitCode.REFUSED, "--timestamp", "2024-01-31T00:00:00Z").err())
                .contains("was begun with --timestamp")
                .contains("not 1706659200000000 us");
        cql("ALTER TABLE ks.t DROP s");
        cql("ALTER TABLE ks.t ADD s2 text");
        assertThat(copy(ExitCode.REFUSED, "--leave-out", "dbo.T.s").err())
                .contains("dbo.T is not what it was when it was begun");
    }

    @Test
    void shouldRepairWhatChangedInTheSourceAndNothingElse() {
        numbers(200);
        copy(ExitCode.OK, "--range-size", "50");
        cql("UPDATE ks.t SET s = 'application' WHERE id = 60");
        source.execute("UPDATE [dbo].[T] SET [x] = NULL WHERE [id] = 10");
        source.execute("UPDATE [dbo].[T] SET [s] = 'later' WHERE [id] IN (20, 60)");
        source.execute("DELETE FROM [dbo].[T] WHERE [id] = 120");
        source.execute("INSERT INTO [dbo].[T] VALUES (201, 1, 'new')");

        ToolRun run = copy(ExitCode.OK, "--repair");

        JsonNode found = table(run).get("comparison");
        assertThat(List.of(
                        found.get("missing").asInt(),
                        found.get("different").asInt(),
                        found.get("extra").asInt(),
                        found.get("younger").asInt()))
                .containsExactly(1, 2, 1, 1);
        assertThat(one("SELECT x FROM ks.t WHERE id = 10").isNull(0)).isTrue();
        assertThat(one("SELECT s FROM ks.t WHERE id = 20").getString(0)).isEqualTo("later");
        assertThat(one("SELECT s FROM ks.t WHERE id = 60").getString(0)).isEqualTo("application");
        assertThat(one("SELECT s FROM ks.t WHERE id = 120")).isNull();
        assertThat(one("SELECT s FROM ks.t WHERE id = 201").getString(0)).isEqualTo("new");
        JsonNode again = table(copy(ExitCode.OK, "--repair")).get("comparison");
        assertThat(again.get("missing").asInt()
                        + again.get("different").asInt()
                        + again.get("extra").asInt())
                .isZero();
    }

    /** Lets the reading of a range wait, so that the program that reads can be ended in the middle. */
    public static final class WaitsAtTheThirdLook implements Trigger {

        private static final AtomicInteger LOOKS = new AtomicInteger();
        private static volatile CountDownLatch open = new CountDownLatch(1);

        @Override
        public void fire(Connection connection, Object[] before, Object[] after) throws SQLException {
            // The first look is for the least and the greatest id.
            if (LOOKS.incrementAndGet() == 4) {
                try {
                    open.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
        }
    }

    private static Process program(List<String> jvm, List<String> arguments) throws IOException {
        List<String> command = new ArrayList<>(jvm);
        command.addAll(List.of(
                "-XX:-UsePerfData",
                "-Xmx256m",
                "-XX:TieredStopAtLevel=1",
                "-classpath",
                System.getProperty("java.class.path"),
                MigrationTool.class.getName()));
        command.addAll(arguments);
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("SOURCE_PASSWORD", "");
        return builder.start();
    }

    private static String java() {
        return Path.of(System.getProperty("java.home"), "bin", "java").toString();
    }

    @Test
    void shouldGoOnAfterAKillAndAfterAFullDisk() throws Exception {
        numbers(500);
        source.execute("CREATE TRIGGER [dbo].[slow] BEFORE SELECT ON [dbo].[T] CALL '"
                + WaitsAtTheThirdLook.class.getName() + "'");
        Server server = Server.createTcpServer("-tcpPort", "0", "-baseDir", folder.toString())
                .start();
        try {
            List<String> arguments = arguments("migrate copy", "--readers", "1", "--range-size", "50");
            arguments.replaceAll(
                    each -> each.replace("jdbc:h2:mem:", "jdbc:h2:tcp://127.0.0.1:" + server.getPort() + "/mem:"));
            Path state = folder.resolve("state");
            Process killed = program(List.of(java()), arguments);
            Awaitility.await()
                    .atMost(Duration.ofMinutes(3))
                    .until(() -> !killed.isAlive()
                            || (Files.exists(state) && Files.readString(state).split("\"done\"", -1).length == 3));
            assertThat(killed.isAlive()).isTrue();
            killed.destroyForcibly().waitFor();
            WaitsAtTheThirdLook.open.countDown();
            // As a kill in the middle of a line leaves it.
            Files.writeString(state, "{\"done\":\"dbo.T\",\"ra", StandardOpenOption.APPEND);

            // 1,024 bytes, by the kernel: as on a disk that is full, a part of a line can be written.
            Process full = program(List.of("bash", "-c", "ulimit -f 1; exec \"$0\" \"$@\"", java()), arguments);
            String said = new String(full.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(full.waitFor()).as(said).isEqualTo(ExitCode.PARTIAL.code());
            assertThat(said).contains("cannot write to the state file").contains("run the same command again");
            int done = Files.readString(state).split("\"done\"", -1).length - 1;
            assertThat(done).isBetween(3, 9);
            assertThat(Files.readString(state)).endsWith("}\n");

            Process last = program(List.of(java()), arguments);
            String out = new String(last.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(last.waitFor()).as(out).isZero();
            assertThat(out).contains("\"rows\" : " + (500 - 50 * done) + ",");
            assertThat(one("SELECT COUNT(*) FROM ks.t").getLong(0)).isEqualTo(500);
        } finally {
            WaitsAtTheThirdLook.open.countDown();
            server.stop();
        }
    }

    @Test
    void shouldRefuseAStateFileThatAnotherProcessHas() throws IOException {
        numbers(3);
        Path state = folder.resolve("state");
        try (var channel = FileChannel.open(state, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                var lock = channel.lock()) {
            assertThat(lock.isValid()).isTrue();
            assertThat(copy(ExitCode.REFUSED).err()).contains("another process copies with the state file");
        }
        Files.writeString(state, "something else\n");
        assertThat(copy(ExitCode.REFUSED).err())
                .contains("is no state file of a copy")
                .contains("line 1");
    }

    @Test
    void shouldExportFilesThatSayWhatTheRowsSay() throws IOException {
        source.execute("CREATE TABLE [dbo].[T] ([id] INT NOT NULL PRIMARY KEY, [s] NVARCHAR(50), [d] DECIMAL(30,5), [b]"
                + " VARBINARY(5), [at] DATETIME2(3), [t] BIT)");
        source.execute(
                "INSERT INTO [dbo].[T] VALUES (1, N'say \"hello\", Müder" + '\n' + "line', 12345678901234567890.12345,"
                        + " X'00FF', '2024-01-31 12:00:00.123', 1), (2, N'', 0.00001, X'', NULL, 0), (3, NULL, NULL, NULL, NULL, NULL)");
        cql("CREATE TABLE ks.t (id int PRIMARY KEY, s text, d decimal, b blob, at timestamp, t boolean)");

        assertThat(run(
                                "migrate export",
                                ToolRun.join(
                                                "--zone",
                                                List.of("UTC", "--range-size", "2"),
                                                "--folder",
                                                folder.toString(),
                                                "--format",
                                                "csv")
                                        .toArray(String[]::new))
                        .exitCode())
                .isZero();
        ToolRun json = run(
                "migrate export",
                ToolRun.join(
                                "--zone",
                                List.of("UTC", "--range-size", "2"),
                                "--folder",
                                folder.toString(),
                                "--format",
                                "json")
                        .toArray(String[]::new));
        assertThat(json.exitCode()).as(json.err()).isZero();

        Path files = folder.resolve(keyspace + ".t");
        assertThat(Files.readString(files.resolve("00001.csv")))
                .isEqualTo(
                        "\"id\",\"s\",\"d\",\"b\",\"at\",\"t\"\n1,\"say \"\"hello\"\", Müder\nline\",12345678901234567890.12345,\"AP8=\","
                                + "\"2024-01-31T12:00:00.123Z\",true\n2,\"\",0.00001,\"\",,false\n");
        assertThat(Files.readString(files.resolve("00002.csv")))
                .isEqualTo("\"id\",\"s\",\"d\",\"b\",\"at\",\"t\"\n3,,,,,\n");
        assertThat(Files.readString(files.resolve("00002.json")))
                .isEqualTo("{\"id\":3,\"s\":null,\"d\":null,\"b\":null,\"at\":null,\"t\":null}");
    }

    @Test
    void shouldVerifyWhetherRowsChangedAfterTheCopy() throws Exception {
        source.execute(
                "CREATE TABLE [dbo].[T] ([id] INT IDENTITY(1,1) NOT NULL PRIMARY KEY, [x] INT, [s] NVARCHAR(20))");
        source.insert("[dbo].[T]", 3);
        cql("CREATE TABLE ks.t (id int PRIMARY KEY, x int, s text)");
        node.init();
        assertThat(run("migrate seed", "--offline", "--yes").exitCode()).isZero();
        String state = folder.resolve("state").toString();

        copy(ExitCode.OK, "--dry-run");
        ToolRun planned = run("migrate verify", "--state", state);
        assertThat(planned.exitCode()).isEqualTo(ExitCode.RISK.code());
        assertThat(planned.json().get("rows").get(0).get("rangesLeft").asInt()).isOne();
        cql("DELETE FROM ks.t WHERE id = 3");
        copy(ExitCode.RISK);
        ToolRun differed = run("migrate verify", "--state", state);
        assertThat(differed.exitCode()).isEqualTo(ExitCode.RISK.code());
        assertThat(differed.json().get("rows").get(0).get("differed").asBoolean())
                .isTrue();
        cql("INSERT INTO ks.t (id, x) VALUES (3, 3)");
        copy(ExitCode.OK, "--repair");

        ToolRun unknown = run("migrate verify", "--state", state);
        assertThat(unknown.exitCode()).as(unknown.err()).isZero();
        assertThat(unknown.json().get("rows").get(0).get("changedAfterCopy").isNull())
                .isTrue();
        assertThat(run("migrate verify", "--state", state, "--strict").exitCode())
                .isEqualTo(ExitCode.RISK.code());
        assertThat(run("migrate verify", "--state", state, "--rows", "--strict").exitCode())
                .isZero();
        source.execute("UPDATE [dbo].[T] SET [x] = 77 WHERE [id] = 2");
        Path html = folder.resolve("verify.html");
        ToolRun changed = run("migrate verify", "--state", state, "--rows", "--report", html.toString());
        assertThat(changed.exitCode()).isEqualTo(ExitCode.RISK.code());
        assertThat(changed.json()
                        .get("rows")
                        .get(0)
                        .get("comparison")
                        .get("examples")
                        .toString())
                .isEqualTo("[\"different: id=2\"]");
        assertThat(Files.readString(html))
                .contains("Copied rows", "rows changed after copy: 1", "different: id&#x3D;2")
                .doesNotContain("The database as a whole", "{{");
        // As DSBulk loads rows without the copy's timestamp.
        for (int id = 1; id <= 3; id++) {
            cql("INSERT INTO ks.t (id, x) VALUES (" + id + ", 0)");
        }
        ToolRun younger = run("migrate verify", "--state", state, "--rows");
        assertThat(younger.exitCode()).as(younger.err()).isZero();
        assertThat(younger.json().get("rows").get(0).get("changedAfterCopy").isNull())
                .isTrue();
        assertThat(run("migrate verify", "--state", state, "--rows", "--strict").exitCode())
                .isEqualTo(ExitCode.RISK.code());
        assertThat(run("migrate verify", "--strict").err()).contains("give the state file of their copy with --state");
    }
}
