package dev.cassidy.migration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.metadata.schema.RelationMetadata;
import com.fasterxml.jackson.databind.JsonNode;
import dev.cassidy.definition.ColumnDefinition;
import dev.cassidy.definition.SqlType;
import dev.cassidy.definition.TableDefinition;
import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.sequence.cassandra.InternalAccess;
import dev.cassidy.sequence.cassandra.Sequences;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Tables of H2 in SQL Server mode as tables of a real Cassandra. Each test has its own target keyspace. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SchemaIT {

    private static final AtomicInteger KEYSPACES = new AtomicInteger();

    private TargetNode node;
    private CqlSession session;
    private SourceDatabase source;
    private String keyspace;

    @TempDir
    private Path folder;

    @BeforeAll
    void connect() {
        node = new TargetNode("schema_it");
        session = node.session();
        node.init();
    }

    @AfterAll
    void disconnect() {
        node.close();
    }

    @BeforeEach
    void begin() {
        int number = KEYSPACES.incrementAndGet();
        keyspace = "schema_it_" + number;
        source = SourceDatabase.h2WithoutFunctions("schema_it_" + number);
        node.createKeyspace(keyspace);
    }

    @AfterEach
    void end() {
        source.close();
    }

    private ToolRun schema(ExitCode code, String... rest) {
        List<String> all = ToolRun.join("migrate schema", node.arguments(), rest);
        all.addAll(source.arguments());
        all.addAll(List.of("--keyspace", keyspace, "--output", "json"));
        ToolRun run = ToolRun.of(source.environment(), null, all);
        assertThat(run.exitCode()).as(run.out() + run.err()).isEqualTo(code.code());
        return run;
    }

    private static JsonNode table(ToolRun run) {
        return run.json().get("tables").get(0);
    }

    private String described(String inKeyspace, String table) {
        session.refreshSchema();
        return session.getMetadata()
                .getKeyspace(inKeyspace)
                .orElseThrow()
                .getTable(table)
                .orElseThrow()
                .describe(true)
                .replace(inKeyspace + ".", "ks.");
    }

    @Test
    void shouldProposeToDeclareTablesSmall() {
        List<Integer> sizes = List.of(3, 600, 6_000);
        for (int rows : sizes) {
            source.execute("CREATE TABLE [dbo].[T" + rows + "] ([Id] INT NOT NULL PRIMARY KEY)");
            source.execute("INSERT INTO [dbo].[T" + rows + "] SELECT X FROM SYSTEM_RANGE(1, " + rows + ")");
        }

        JsonNode tables = schema(ExitCode.OK, "--key", "dbo.T3=Id", "--key", "dbo.T600=Id", "--key", "dbo.T6000=Id")
                .json()
                .get("tables");

        assertThat(tables)
                .filteredOn(table -> table.toString().contains("tables small"))
                .singleElement()
                .satisfies(table -> assertThat(table.get("findings").toString())
                        .contains(
                                "say 600 rows", "cassidy tables small --table " + keyspace + ".t600 --contact-points"));
    }

    @Test
    void shouldCreateTheTableThatTheJdbcDriverCreates() throws SQLException {
        String columns =
                "([Id] INT IDENTITY(5,2) NOT NULL, [Ti] TINYINT, [Sm] SMALLINT, [Bi] BIGINT, [Bit] BIT DEFAULT 1,"
                        + " [Dec] DECIMAL(10,2), [Mon] MONEY, [Re] REAL, [Fl] FLOAT, [Nv] NVARCHAR(50) DEFAULT N'new', [Ch] CHAR(3),"
                        + " [Tx] NTEXT, [Vb] VARBINARY(10), [Im] IMAGE, [Da] DATE, [Tm] TIME(6), [Dt] DATETIME DEFAULT"
                        + " CURRENT_TIMESTAMP, [Dt2] DATETIME2(3), [Do] DATETIMEOFFSET(3), [Ui] UNIQUEIDENTIFIER, [Odd Name]"
                        + " NVARCHAR(5), [Order] INT, PRIMARY KEY ([Id], [Sm]))";
        source.execute("CREATE TABLE [dbo].[Every Type] " + columns);
        node.createKeyspace(keyspace + "_jdbc");
        try (Connection connection = DriverManager.getConnection(node.jdbc(keyspace + "_jdbc"));
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE [dbo].[Every Type] " + columns);
        }

        ToolRun run = schema(ExitCode.OK, "--apply", "--key", "dbo.Every Type=Id, Sm");

        assertThat(described(keyspace, "every_type")).isEqualTo(described(keyspace + "_jdbc", "every_type"));
        assertThat(table(run).get("result").asText()).isEqualTo("created");
        try (Sequences sequences = Sequences.open(session, node.config())) {
            var ours = sequences.admin().find(keyspace + ".every_type").orElseThrow();
            var jdbc = sequences.admin().find(keyspace + "_jdbc.every_type").orElseThrow();
            assertThat(ours.ready()).isFalse();
            assertThat(List.of(
                            ours.spec().start(),
                            ours.spec().increment(),
                            ours.spec().type()))
                    .isEqualTo(List.of(
                            jdbc.spec().start(),
                            jdbc.spec().increment(),
                            jdbc.spec().type()));
            var defaults = InternalAccess.tables(sequences)
                    .defaultsAsync(keyspace, "every_type")
                    .toCompletableFuture()
                    .join();
            assertThat(defaults)
                    .extracting(each -> each.column() + " " + each.kind())
                    .containsExactlyInAnyOrder("bit CONSTANT", "nv CONSTANT", "dt NOW");
            // The types are those of the source's catalogue, which knows fewer than T-SQL.
            assertThat(definition(sequences, keyspace).columns())
                    .extracting(ColumnDefinition::name, ColumnDefinition::label, ColumnDefinition::required)
                    .isEqualTo(definition(sequences, keyspace + "_jdbc").columns().stream()
                            .map(column -> tuple(column.name(), column.label(), column.required()))
                            .toList());
            assertThat(definition(sequences, keyspace).column("vb")).get().satisfies(column -> assertThat(column.type())
                    .isEqualTo(SqlType.parse("varbinary(10)").orElseThrow()));
        }
        assertThat(table(schema(ExitCode.OK, "--apply", "--key", "dbo.Every Type=Id, Sm"))
                        .get("result")
                        .asText())
                .isEqualTo("exists");
        assertThat(schema(ExitCode.REFUSED, "--apply", "--key", "dbo.Every Type=(Id, Sm)")
                        .out())
                .contains("exists and is another one");
    }

    private TableDefinition definition(Sequences sequences, String of) {
        return InternalAccess.tables(sequences)
                .definitionAsync(
                        of,
                        "every_type",
                        session.getMetadata()
                                .getKeyspace(of)
                                .flatMap(found -> found.getTable("every_type"))
                                .flatMap(RelationMetadata::getId)
                                .orElseThrow())
                .toCompletableFuture()
                .join()
                .orElseThrow();
    }

    @Test
    void shouldAskForKeysAndReadThemFromAFile() throws IOException {
        source.execute("CREATE TABLE [dbo].[A] ([Id] INT NOT NULL PRIMARY KEY, [y] INT, [x] NVARCHAR(10))");
        source.execute("CREATE TABLE [dbo].[B] ([Id] INT NOT NULL PRIMARY KEY)");
        source.execute("CREATE INDEX [ix] ON [dbo].[A] ([x], [y])");

        ToolRun run = schema(ExitCode.REFUSED, "--apply", "--key", "dbo.B=Id");

        assertThat(run.out())
                .contains("no key is given")
                .contains("--key 'dbo.A=...'")
                .contains("primary key is [Id]");
        session.refreshSchema();
        assertThat(session.getMetadata().getKeyspace(keyspace).orElseThrow().getTables())
                .isEmpty();
        Path file = Files.writeString(folder.resolve("keys"), "# by customer\n\ndbo.a=(y), id desc\ndbo.B=Id\n");
        run = schema(ExitCode.REFUSED, "--apply", "--keys", file.toString(), "--key", "dbo.C=Id");
        assertThat(run.err()).contains("--key dbo.C names no chosen table");
        run = schema(ExitCode.OK, "--apply", "--indexes", "--keys", file.toString());
        assertThat(table(run).get("cql").asText())
                .contains("PRIMARY KEY (y, id)")
                .contains("CLUSTERING ORDER BY (id DESC)");
        assertThat(table(run).get("indexes").get(0).asText()).contains("a_x ON " + keyspace + ".a (x) USING 'sai'");
        session.refreshSchema();
        assertThat(session.getMetadata()
                        .getKeyspace(keyspace)
                        .orElseThrow()
                        .getTable("a")
                        .orElseThrow()
                        .getIndex("a_x"))
                .isPresent();
    }

    @Test
    void shouldRefuseAKeyThatRowsShareAndOneWithNulls() {
        source.execute("CREATE TABLE [dbo].[T] ([a] INT NOT NULL, [b] INT NOT NULL, [c] INT, PRIMARY KEY ([a], [b]))");
        source.execute("INSERT INTO [dbo].[T] VALUES (1, 1, NULL), (1, 2, 3)");

        assertThat(schema(ExitCode.REFUSED, "--key", "dbo.T=a").out())
                .contains("1 keys are those of several rows, which would be one row in Cassandra");
        assertThat(schema(ExitCode.REFUSED, "--key", "dbo.T=(c), a, b").out()).contains("1 rows have NULL in [c]");
        assertThat(schema(ExitCode.OK, "--key", "dbo.T=b").out()).contains("nothing keeps it so");
        assertThat(schema(ExitCode.USAGE, "--key", "dbo.T=d").err())
                .contains("has no column 'd': dbo.T has [a, b, c]: --key dbo.T 'd'");
    }

    @Test
    void shouldCountTheValuesThatWouldChange() {
        source.execute(
                "CREATE TABLE [dbo].[T] ([id] INT NOT NULL PRIMARY KEY, [d2] DATETIME2(7), [do] DATETIMEOFFSET(7),"
                        + " [ci] VARCHAR_IGNORECASE(20), [fine] DATETIME2(7))");
        source.execute(
                "INSERT INTO [dbo].[T] VALUES (1, '2024-01-01 00:00:00.0000001', '2024-01-01 00:00:00+02:00', 'Bob',"
                        + " '2024-01-01'), (2, '2024-01-01 00:00:00.001', '2024-01-01 00:00:00+00:00', 'BOB', NULL),"
                        + " (3, '2024-03-31 02:30:00', NULL, 'Eve', NULL)");

        ToolRun run = schema(ExitCode.REFUSED, "--key", "dbo.T=id", "--zone", "UTC");

        assertThat(table(run).get("losses"))
                .extracting(loss ->
                        loss.get("column").asText() + " " + loss.get("values").asText())
                .containsExactly("dbo.T.d2 1", "dbo.T.do 1", "dbo.T.fine 0", "dbo.T.ci 1");
        assertThat(run.out())
                .contains("1 values of dbo.T.d2 would change")
                .contains("2024-01-01T00:00:00.000000100 becomes 2024-01-01T00:00:00Z")
                .doesNotContain("values of dbo.T.fine would change");
        String[] accepted = {
            "--key", "dbo.T=id", "--accept-loss", "dbo.T.d2", "--accept-loss", "dbo.T.do", "--accept-loss", "dbo.T.ci"
        };
        assertThat(schema(
                                ExitCode.OK,
                                ToolRun.join("--zone", List.of("UTC"), accepted).toArray(String[]::new))
                        .out())
                .contains("\"accepted\" : true");
        assertThat(schema(
                                ExitCode.OK,
                                ToolRun.join("--zone", List.of("Europe/Berlin"), accepted)
                                        .toArray(String[]::new))
                        .out())
                .contains("the zone's clocks skip this time");
        assertThat(schema(ExitCode.REFUSED, "--no-measure", "--key", "dbo.T=id").out())
                .contains("an unknown number of values of dbo.T.fine would change");
    }

    @Test
    void shouldRefuseWhatCassandraHasNoTypeOrDefaultFor() {
        source.execute("CREATE TABLE [dbo].[T] ([id] INT NOT NULL PRIMARY KEY, [g] GEOMETRY, [x] FLOAT DEFAULT RAND(),"
                + " [double] INT GENERATED ALWAYS AS ([id] * 2))");

        assertThat(schema(ExitCode.REFUSED, "--key", "dbo.T=id").out())
                .contains("--leave-out 'dbo.T.g'")
                .contains("dbo.T.double is computed by the source")
                .contains("--skip-default 'dbo.T.x'");
        ToolRun run = schema(
                ExitCode.OK,
                "--key",
                "dbo.T=id",
                "--leave-out",
                "dbo.T.g",
                "--leave-out",
                "dbo.T.double",
                "--skip-default",
                "dbo.T.x");
        assertThat(table(run).get("cql").asText()).contains("x double").doesNotContain("double int");
    }
}
