package dev.cassidy.migration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.Row;
import com.fasterxml.jackson.databind.JsonNode;
import dev.cassidy.collation.Collation;
import dev.cassidy.definition.ColumnDefinition;
import dev.cassidy.definition.TableDefinition;
import dev.cassidy.definition.Twin;
import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.sequence.cassandra.InternalAccess;
import dev.cassidy.sequence.cassandra.Sequences;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tables whose keys are compared by a collation, on their way from H2 in SQL Server mode to a real Cassandra and back. There
 * VARCHAR_IGNORECASE has the collation Latin1_General_CI_AS, but tells 'Admin' from 'Admin '. Each test has its own target keyspace.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class FoldedTablesIT {

    private static final AtomicInteger KEYSPACES = new AtomicInteger();
    private static final String CI = "Latin1_General_CI_AS";

    private TargetNode node;
    private CqlSession session;
    private SourceDatabase source;
    private String keyspace;

    @TempDir
    private Path folder;

    @BeforeAll
    void connect() {
        node = new TargetNode("folded_tables_it");
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
        keyspace = "folded_tables_it_" + number;
        source = SourceDatabase.h2WithoutFunctions("folded_tables_it_" + number);
        node.createKeyspace(keyspace);
    }

    @AfterEach
    void end() {
        source.close();
    }

    private ToolRun run(ExitCode code, String command, String... rest) {
        List<String> all = ToolRun.join(command, node.arguments(), rest);
        all.addAll(List.of("--output", "json"));
        all.addAll(source.arguments());
        if (!command.equals("migrate copy-back")) {
            all.addAll(List.of("--keyspace", keyspace));
        }
        if (command.startsWith("migrate copy") || command.equals("migrate verify")) {
            all.addAll(List.of("--state", folder.resolve("state").toString()));
        }
        if (List.of("migrate schema", "migrate copy", "migrate export").contains(command)) {
            all.addAll(List.of("--exclude", "dbo.Tick"));
        }
        ToolRun run = ToolRun.of(source.environment(), null, all);
        assertThat(run.exitCode()).as(command + "\n" + run.out() + run.err()).isEqualTo(code.code());
        return run;
    }

    private ToolRun schema(ExitCode code, String key, String... rest) {
        return run(
                code,
                "migrate schema",
                ToolRun.join("--key", List.of(key), rest).toArray(String[]::new));
    }

    private ToolRun create(String key, String... rest) {
        return schema(ExitCode.OK, key, ToolRun.join("--apply", List.of(), rest).toArray(String[]::new));
    }

    /** Compares the copied rows; {@code verify} wants a table with an identity column, too. */
    private ToolRun verify(ExitCode code) throws SQLException {
        if (inSource("SELECT table_name FROM INFORMATION_SCHEMA.TABLES WHERE table_name = 'Tick'")
                .isEmpty()) {
            source.createTable("[dbo].[Tick]", "INT", 1, 1);
            source.insert("[dbo].[Tick]", 1);
            cql("CREATE TABLE ks.tick (id int PRIMARY KEY, x int)");
            run(ExitCode.OK, "migrate seed", "--offline", "--yes");
        }
        return run(code, "migrate verify", "--rows", "--strict");
    }

    private static JsonNode table(ToolRun run) {
        return run.json().get("tables").get(0);
    }

    private static String counts(ToolRun run) {
        JsonNode found = table(run).get("comparison");
        return "missing " + found.get("missing") + ", different " + found.get("different") + ", extra "
                + found.get("extra");
    }

    private void cql(String text) {
        session.execute(text.replace("ks.", keyspace + "."));
    }

    private List<Row> rows(String text) {
        return session.execute(text.replace("ks.", keyspace + ".")).all();
    }

    private Connection jdbc() throws SQLException {
        return DriverManager.getConnection(node.jdbc(keyspace) + "&requestTimeout=1m&connectTimeout=1m");
    }

    private void tsql(String... statements) throws SQLException {
        try (Connection connection = jdbc();
                Statement statement = connection.createStatement()) {
            for (String each : statements) {
                statement.execute(each);
            }
        }
    }

    private static List<String> texts(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet found = statement.executeQuery(sql)) {
            List<String> texts = new ArrayList<>();
            while (found.next()) {
                texts.add(found.getString(1));
            }
            return texts;
        }
    }

    private List<String> found(String sql) throws SQLException {
        try (Connection connection = jdbc()) {
            return texts(connection, sql);
        }
    }

    private List<String> inSource(String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection(source.url(), source.user(), "")) {
            return texts(connection, sql);
        }
    }

    private TableDefinition definition(String table) {
        try (Sequences sequences = Sequences.open(session, node.config())) {
            return InternalAccess.tables(sequences).contract(keyspace, table).definition();
        }
    }

    private static String form(String value) {
        return new Twin(CI, Collation.NEWEST_VERSION).fold(value);
    }

    private void logins(String... names) {
        source.execute("CREATE TABLE [dbo].[Login] ([Name] VARCHAR_IGNORECASE(20) NOT NULL PRIMARY KEY, [Role]"
                + " NVARCHAR(20))");
        for (String name : names) {
            source.execute("INSERT INTO [dbo].[Login] VALUES ('" + name + "', 'r')");
        }
    }

    // ---- the table

    @Test
    void shouldMakeKeysThatCompareAsTheSourceDoes() throws SQLException {
        source.execute(
                "CREATE TABLE [dbo].[Member] ([Tenant] INT NOT NULL, [Name] VARCHAR_IGNORECASE(20) NOT NULL, [Code]"
                        + " NVARCHAR(9) NOT NULL, [Mail] VARCHAR_IGNORECASE(50), PRIMARY KEY ([Tenant], [Name], [Code]))");
        source.execute("CREATE UNIQUE INDEX [ux_mail] ON [dbo].[Member] ([Mail])");
        source.execute("INSERT INTO [dbo].[Member] VALUES (1, 'Bob', 'x', 'a@b'), (2, 'BOB', 'x', 'c@d')");

        JsonNode made = table(create("dbo.Member=Tenant, Name DESC, Code"));

        assertThat(made.get("cql").asText())
                .contains("PRIMARY KEY (tenant, cassidy_eq_name, code)", "cassidy_eq_name DESC")
                .doesNotContain("cassidy_eq_code", "cassidy_eq_mail");
        // Two tenants have one name in two spellings, of which nothing is lost.
        assertThat(made.get("losses"))
                .extracting(loss -> loss.get("column").asText())
                .containsExactly("dbo.Member.Mail");
        assertThat(made.get("findings").toString()).doesNotContain("its characters");
        assertThat(definition("member").columns())
                .extracting(ColumnDefinition::collation)
                .containsExactly("", CI, "Latin1_General_BIN2", CI);
        assertThat(definition("member").twins()).isEqualTo(Map.of("name", new Twin(CI, Collation.NEWEST_VERSION)));
        assertThat(table(create("dbo.Member=Tenant, Name DESC, Code"))
                        .get("result")
                        .asText())
                .isEqualTo("exists");
        assertThat(node.run("tables check", "--keyspace", keyspace).exitCode()).isZero();
        run(ExitCode.OK, "migrate copy");
        assertThat(found("SELECT mail FROM member WHERE tenant = 2 AND name = 'bob ' AND code = 'x'"))
                .containsExactly("c@d");
        assertThat(found("SELECT mail FROM member WHERE tenant = 2 AND name = 'bob' AND code = 'X'"))
                .isEmpty();
        ToolRun added = node.run(
                "tables add-unique", "--table", keyspace + ".member", "--unique", "CONSTRAINT uq UNIQUE (mail)");
        assertThat(added.exitCode()).as(added.out() + added.err()).isZero();
        assertThatThrownBy(() -> tsql("INSERT INTO member VALUES (3, 'Eve', 'x', 'A@B')"))
                .hasFieldOrPropertyWithValue("errorCode", 2627);
    }

    @Test
    void shouldComparePlainTablesByCharactersAndSaySo() {
        logins("Admin");

        JsonNode made = table(schema(ExitCode.OK, "dbo.Login=Name", "--writes", "plain"));

        assertThat(made.get("cql").asText()).doesNotContain("cassidy_eq_");
        assertThat(made.get("findings").toString())
                .contains(
                        "dbo.Login.Name is part of the key, and Cassandra compares its characters, because the table's"
                                + " writes are plain: what nvarchar with collation " + CI + " takes for equal");
        assertThat(made.get("losses")).hasSize(1);
    }

    @Test
    void shouldRefuseWhatIsNotKnownUntilACollationIsChosen() {
        logins("Admin");
        hungarian();

        assertThat(schema(ExitCode.REFUSED, "dbo.Login=Name").out())
                .contains(
                        "dbo.Login.Name is part of the key, and what its collation Hungarian_CI_AS takes for equal is not"
                                + " known: give --collation 'dbo.Login.Name=");
        assertThat(schema(ExitCode.USAGE, "dbo.Login=Name", "--collation", "dbo.Login.Name=Hungarian_CI_AS")
                        .err())
                .contains("must be a collation of SQL Server of which is known");
        assertThat(schema(ExitCode.USAGE, "dbo.Login=Name", "--collation", "dbo.Login.Nam=" + CI)
                        .err())
                .contains("names no column of a chosen table");
        source.execute("ALTER TABLE [dbo].[Login] ADD [n] INT");
        assertThat(schema(ExitCode.REFUSED, "dbo.Login=Name", "--collation", "dbo.Login.n=" + CI)
                        .out())
                .contains("dbo.Login.n is int, which has no collation");
        assertThat(table(schema(ExitCode.OK, "dbo.Login=Name", "--collation", "dbo.login.name=Latin1_General_BIN2"))
                        .get("cql")
                        .asText())
                .contains("PRIMARY KEY (name)");
        assertThat(table(schema(ExitCode.OK, "dbo.Login=Name", "--collation", "dbo.Login.Name=" + CI))
                        .get("cql")
                        .asText())
                .contains("PRIMARY KEY (cassidy_eq_name)");
    }

    @Test
    void shouldRefuseATableWhoseKeyIsComparedOtherwise() throws SQLException {
        logins("Admin");
        tsql("CREATE TABLE login (name NVARCHAR(20) PRIMARY KEY, role NVARCHAR(20))");

        assertThat(schema(ExitCode.REFUSED, "dbo.Login=Name", "--apply").out())
                .contains(
                        "its key is compared by {name=sql_latin1_general_cp1_ci_as}, not by {name=latin1_general_ci_as}");
        create("dbo.Login=Name", "--collation", "dbo.Login.Name=SQL_Latin1_General_CP1_CI_AS");
        run(ExitCode.OK, "migrate copy");
        assertThat(found("SELECT name FROM login WHERE name = 'ADMIN'")).containsExactly("Admin");
    }

    /** What compares a column that is there is not changed in passing. */
    @Test
    void shouldKeepTheCollationsOfATableThatExists() throws SQLException {
        source.execute("CREATE TABLE [dbo].[Member] ([Id] INT NOT NULL PRIMARY KEY, [Mail] NVARCHAR(50) NOT NULL)");
        source.execute("CREATE UNIQUE INDEX [ux_mail] ON [dbo].[Member] ([Mail])");
        create("dbo.Member=Id", "--collation", "dbo.Member.Mail=" + CI);
        tsql("ALTER TABLE member ALTER COLUMN mail NVARCHAR(60) COLLATE " + CI + " NOT NULL");

        ToolRun again = create("dbo.Member=Id");

        assertThat(table(again).get("findings").toString())
                .contains("column mail of table " + keyspace + ".member exists, and compares by " + CI);
        assertThat(definition("member").column("mail").orElseThrow().collation())
                .isEqualTo(CI);
        assertThat(definition("member").column("mail").orElseThrow().type()).hasToString("nvarchar(60)");
        assertThat(schema(
                                ExitCode.REFUSED,
                                "dbo.Member=Id",
                                "--apply",
                                "--collation",
                                "dbo.Member.Mail=Latin1_General_BIN2")
                        .out())
                .contains("compares by " + CI + ", not by Latin1_General_BIN2: leave out --collation");
    }

    /** As an earlier release made it. */
    @Test
    void shouldTellOfATableWhoseKeyComparesCharacters() {
        logins("Admin");
        create("dbo.Login=Name", "--collation", "dbo.Login.Name=Latin1_General_BIN2");

        assertThat(schema(ExitCode.REFUSED, "dbo.Login=Name", "--apply").out())
                .contains("exists and is another one")
                .contains("copy again; or go on with it, and give --collation 'dbo.Login.Name=Latin1_General_BIN2'");
        assertThat(run(ExitCode.OK, "migrate copy").err())
                .contains("warning: dbo.Login.Name is part of the key of " + keyspace
                        + ".login, which tells strings apart that the source takes for equal");
        cql("DROP TABLE ks.login");
        create("dbo.Login=Name", "--writes", "plain");
        assertThat(schema(ExitCode.REFUSED, "dbo.Login=Name", "--apply").out())
                .contains("give --writes 'dbo.Login=plain'");
    }

    @Test
    void shouldRefuseACollationThatDecidesNothing() {
        logins("Admin");

        assertThat(schema(
                                ExitCode.REFUSED,
                                "dbo.Login=Name",
                                "--writes",
                                "plain",
                                "--collation",
                                "dbo.Login.Name=" + CI)
                        .out())
                .contains("--collation 'dbo.Login.Name=" + CI + "' decides nothing");
        assertThat(schema(
                                ExitCode.REFUSED,
                                "dbo.Login=Name",
                                "--leave-out",
                                "dbo.Login.Role",
                                "--collation",
                                "dbo.Login.Role=" + CI)
                        .out())
                .contains("dbo.Login.Role is left out: leave out --collation 'dbo.Login.Role=" + CI + "', too");
    }

    /** Nothing compares by it, so that each write would fail. */
    @Test
    void shouldKeepNoUniqueByACollationThatIsNotKnown() throws SQLException {
        tsql(
                "CREATE TABLE mail (id INT PRIMARY KEY, mail NVARCHAR(50) COLLATE Hungarian_CI_AS)",
                "INSERT INTO mail VALUES (1, 'a')");

        ToolRun refused =
                node.run("tables add-unique", "--table", keyspace + ".mail", "--unique", "CONSTRAINT uq UNIQUE (mail)");

        assertThat(refused.exitCode()).as(refused.out()).isEqualTo(ExitCode.REFUSED.code());
        assertThat(refused.err()).contains("Hungarian_CI_AS", "Nothing was changed", "ALTER COLUMN");
        tsql("INSERT INTO mail VALUES (2, 'b')");
        assertThat(definition("mail").uniqueKeys()).isEmpty();
        // The same of what schema would print.
        source.execute("CREATE TABLE [dbo].[Mail] ([Id] INT NOT NULL PRIMARY KEY, [Mail] VARCHAR_IGNORECASE(50))");
        source.execute("CREATE UNIQUE INDEX [ux_mail] ON [dbo].[Mail] ([Mail])");
        hungarian();
        assertThat(schema(ExitCode.REFUSED, "dbo.Mail=Id").out())
                .contains(
                        "dbo.Mail.Mail is in a unique index, and what its collation Hungarian_CI_AS takes for equal is not"
                                + " known: give --collation 'dbo.Mail.Mail=");
    }

    /** What had the collation that is known has one that is not. */
    private void hungarian() {
        source.execute("ALTER VIEW sys.[columns] RENAME TO sys.[columns of H2]");
        source.execute("CREATE VIEW sys.[columns] AS SELECT object_id, name, column_id, system_type_id, user_type_id,"
                + " max_length, [precision], scale, is_nullable, is_identity, is_computed, REPLACE(collation_name, '"
                + CI
                + "', 'Hungarian_CI_AS') AS collation_name, default_object_id FROM sys.[columns of H2]");
    }

    @Test
    void shouldDeclareATableThatTheScriptHasMade() throws SQLException {
        logins("Admin");
        cql(table(schema(ExitCode.OK, "dbo.Login=Name")).get("cql").asText());

        assertThat(run(ExitCode.REFUSED, "migrate copy").err())
                .contains("the key of " + keyspace + ".login has [name] as their collations compare them")
                .contains("is not declared");
        assertThat(schema(ExitCode.REFUSED, "dbo.Login=Name", "--apply").out())
                .contains("give --writes 'dbo.Login=exact'");
        create("dbo.Login=Name", "--writes", "dbo.Login=exact");
        run(ExitCode.OK, "migrate copy");
        assertThatThrownBy(() -> tsql("INSERT INTO login VALUES ('ADMIN ', 'x')"))
                .hasFieldOrPropertyWithValue("errorCode", 2627);
    }

    // ---- its rows

    @Test
    void shouldCopyRowsThatTheDriverFindsInAnySpelling() throws SQLException {
        logins("Admin", "bob ", "", "Müller");
        create("dbo.Login=Name");

        ToolRun copied = run(ExitCode.OK, "migrate copy");

        assertThat(table(copied).get("comparison").get("rows").asLong()).isEqualTo(4);
        assertThat(rows("SELECT cassidy_eq_name, name FROM ks.login"))
                .extracting(row -> row.getString(0) + "|" + row.getString(1))
                .containsExactlyInAnyOrder(
                        form("Admin") + "|Admin", form("bob") + "|bob ", "\0|", form("MÜLLER") + "|Müller");
        assertThat(found("SELECT name FROM login WHERE name = 'admin'")).containsExactly("Admin");
        assertThat(found("SELECT name FROM login WHERE name IN ('BOB', 'müller', '  ')"))
                .containsExactlyInAnyOrder("bob ", "Müller", "");
        assertThatThrownBy(() -> tsql("INSERT INTO login VALUES ('ADMIN ', 'x')"))
                .hasFieldOrPropertyWithValue("errorCode", 2627);
        verify(ExitCode.OK);
    }

    @Test
    void shouldCopyRangesOfCompositeKeys() throws SQLException {
        source.execute("CREATE TABLE [dbo].[Line] ([Id] INT NOT NULL, [Code] VARCHAR_IGNORECASE(9) NOT NULL, [v] INT,"
                + " PRIMARY KEY ([Id], [Code]))");
        source.execute("INSERT INTO [dbo].[Line] SELECT x, 'Code' || MOD(x, 7), x FROM SYSTEM_RANGE(1, 60)");
        source.execute("INSERT INTO [dbo].[Line] SELECT x, 'other', -x FROM SYSTEM_RANGE(1, 60)");
        create("dbo.Line=Id, Code");

        ToolRun copied = run(ExitCode.OK, "migrate copy", "--range-size", "20");

        assertThat(table(copied).get("ranges").asInt()).isEqualTo(3);
        assertThat(table(copied).get("rows").asInt()).isEqualTo(120);
        assertThat(found("SELECT v FROM line WHERE id = 8 AND code = 'CODE1'")).containsExactly("8");
        assertThat(found("SELECT v FROM line WHERE id = 8 AND code = 'OTHER '")).containsExactly("-8");
        // For H2, an UPDATE to what it takes for equal is none.
        source.execute("DELETE FROM [dbo].[Line] WHERE [Id] IN (31, 32) AND [v] < 0");
        source.execute("INSERT INTO [dbo].[Line] VALUES (31, 'OTHER', -31), (33, 'New', 5)");
        assertThat(counts(run(ExitCode.OK, "migrate copy", "--repair"))).isEqualTo("missing 1, different 1, extra 1");
        assertThat(found("SELECT code FROM line WHERE id = 31 AND code = 'other'"))
                .containsExactly("OTHER");
        assertThat(found("SELECT code FROM line WHERE id = 32")).containsExactly("Code4");
        verify(ExitCode.OK);
    }

    @Test
    void shouldNameRowsThatWouldBecomeOneBeforeItWrites() {
        logins("Admin", "ADMIN ", "bob", "Straße", "strasse", "STRASSE ");

        ToolRun refused = schema(ExitCode.REFUSED, "dbo.Login=Name", "--apply");
        assertThat(table(refused).get("findings").get(0).get("message").asText())
                .contains(
                        "3 rows of dbo.Login would be one with another row in Cassandra, because their keys are equal by "
                                + CI)
                .contains("Name='Admin' and Name='ADMIN '", "Name='Straße'", "Name='strasse'", "Name='STRASSE '")
                .doesNotContain("and more", "bob");
        // What was created before the rows came to be.
        schema(ExitCode.OK, "dbo.Login=Name", "--apply", "--no-measure");
        for (ToolRun run : List.of(
                run(ExitCode.REFUSED, "migrate copy"),
                run(ExitCode.REFUSED, "migrate copy", "--dry-run"),
                run(
                        ExitCode.REFUSED,
                        "migrate export",
                        "--folder",
                        folder.resolve("out").toString()))) {
            assertThat(run.err()).containsPattern("Name='(Admin|ADMIN )' and Name='(Admin|ADMIN )'");
        }
        assertThat(rows("SELECT name FROM ks.login")).isEmpty();
        source.execute("DELETE FROM [dbo].[Login] WHERE [Name] IN ('ADMIN ', 'strasse', 'STRASSE ')");
        run(ExitCode.OK, "migrate copy");
        assertThat(rows("SELECT name FROM ks.login")).hasSize(3);
        source.execute("INSERT INTO [dbo].[Login] VALUES ('ADMIN ', 'other')");
        assertThat(run(ExitCode.REFUSED, "migrate copy", "--repair").err()).contains("Name='ADMIN '");
        assertThat(rows("SELECT role FROM ks.login"))
                .extracting(row -> row.getString(0))
                .containsOnly("r");
    }

    @Test
    void shouldRepairRowsByTheirFoldedKeys() throws SQLException {
        logins("Admin", "bob", "Carl");
        create("dbo.Login=Name");
        run(ExitCode.OK, "migrate copy");
        tsql("UPDATE login SET role = 'application' WHERE name = 'CARL'");
        source.execute("UPDATE [dbo].[Login] SET [Name] = 'ADMIN ' WHERE [Name] = 'Admin'");
        source.execute("DELETE FROM [dbo].[Login] WHERE [Name] = 'bob'");
        source.execute("INSERT INTO [dbo].[Login] VALUES ('Dan', 'r')");

        ToolRun repaired = run(ExitCode.OK, "migrate copy", "--repair");

        assertThat(counts(repaired)).isEqualTo("missing 1, different 1, extra 1");
        assertThat(table(repaired).get("comparison").get("examples").toString())
                .contains("missing in Cassandra: name='Dan'", "different: name='ADMIN '", "not in the source: name='")
                .doesNotContain("cassidy_eq");
        assertThat(found("SELECT name FROM login")).containsExactlyInAnyOrder("ADMIN ", "Carl", "Dan");
        assertThat(found("SELECT role FROM login WHERE name = 'carl'")).containsExactly("application");
        verify(ExitCode.OK);
    }

    @Test
    void shouldFindAKeyThatIsNotThatOfItsValue() throws SQLException {
        logins("Admin", "bob");
        create("dbo.Login=Name");
        long timestamp =
                run(ExitCode.OK, "migrate copy").json().get("timestamp").asLong();
        cql("DELETE FROM ks.login USING TIMESTAMP " + timestamp + " WHERE cassidy_eq_name = '" + form("Admin") + "'");
        cql("INSERT INTO ks.login (cassidy_eq_name, name, role) VALUES ('Admin', 'Admin', 'r') USING TIMESTAMP "
                + timestamp);

        ToolRun verified = verify(ExitCode.RISK);

        assertThat(verified.json()
                        .get("rows")
                        .get(0)
                        .get("comparison")
                        .get("examples")
                        .toString())
                .isEqualTo("[\"missing in Cassandra: name='Admin'\",\"not in the source: name='Admin'\"]");
        run(ExitCode.OK, "migrate copy", "--repair");
        assertThat(rows("SELECT cassidy_eq_name FROM ks.login"))
                .extracting(row -> row.getString(0))
                .containsExactlyInAnyOrder(form("Admin"), form("bob"));
        verify(ExitCode.OK);
    }

    /** CQL may have written it at any time. */
    @Test
    void shouldFindAKeyThatIsNotThatOfItsValueAlsoOfAYoungerRow() throws SQLException {
        logins("Admin", "bob");
        create("dbo.Login=Name");
        run(ExitCode.OK, "migrate copy");
        cql("INSERT INTO ks.login (cassidy_eq_name, name, role, cassidy_tx) VALUES ('Admin', 'Admin', 'cql', 0xff)");

        JsonNode found = verify(ExitCode.RISK).json().get("rows").get(0).get("comparison");

        assertThat(found.get("wrongKeys").asInt()).isEqualTo(1);
        assertThat(found.get("examples").toString()).isEqualTo("[\"has the key of another value: name='Admin'\"]");
        // It would write the row that is missing beside the one that stands for it.
        ToolRun repaired = run(ExitCode.PARTIAL, "migrate copy", "--repair");
        assertThat(repaired.out())
                .contains("1 rows of " + keyspace + ".login have keys that are not those of their values");
        ToolRun checked = node.run("tables check", "--keyspace", keyspace, "--rows");
        assertThat(checked.exitCode()).isEqualTo(ExitCode.DISAGREES.code());
        assertThat(checked.out()).contains("breaks the key of name by collation " + CI, "is not the key of its value");
        cql("DELETE FROM ks.login WHERE cassidy_eq_name = 'Admin'");
        verify(ExitCode.OK);
        assertThat(node.run("tables check", "--keyspace", keyspace, "--rows").exitCode())
                .isZero();
    }

    // ---- the way back, and files

    /** What an application wrote before the later copy is not younger than the earlier one. */
    @Test
    void shouldNotTakeATableForTheOneThatWasCopiedBefore() throws SQLException {
        logins("Admin");
        create("dbo.Login=Name");
        run(ExitCode.OK, "migrate copy");
        cql("DROP TABLE ks.login");
        create("dbo.Login=Name");

        assertThat(run(ExitCode.REFUSED, "migrate copy-back", "--yes").err())
                .contains(keyspace + ".login was created anew since the copy of the state file began");
        assertThat(verify(ExitCode.REFUSED).err()).contains("was created anew");
        assertThat(run(ExitCode.REFUSED, "migrate copy").err()).contains("was created anew");
    }

    /** Of two that are one in Cassandra, either could get its row. */
    @Test
    void shouldBringNoRowBackToOneOfTwo() throws SQLException {
        logins("Admin");
        create("dbo.Login=Name");
        run(ExitCode.OK, "migrate copy");
        source.execute("INSERT INTO [dbo].[Login] VALUES ('ADMIN ', 'other')");
        tsql("UPDATE login SET role = 'boss' WHERE name = 'admin'");

        assertThat(run(ExitCode.REFUSED, "migrate copy-back", "--yes").err()).contains("Name='Admin'", "Name='ADMIN '");

        assertThat(inSource("SELECT [Role] FROM [dbo].[Login]")).containsExactlyInAnyOrder("r", "other");
    }

    /** The source takes less for equal than Cassandra does, so a row is found there by its own spelling. */
    @Test
    void shouldBringRowsBackToTheRowsThatTheyCameFrom() throws SQLException {
        source.execute(
                "CREATE TABLE [dbo].[Login] ([Id] INT NOT NULL, [Name] NVARCHAR(20) NOT NULL, [Role] NVARCHAR(20),"
                        + " PRIMARY KEY ([Id], [Name]))");
        source.execute("INSERT INTO [dbo].[Login] VALUES (1, 'Admin', 'r'), (2, 'bob', 'r'), (3, 'Carl', 'r')");
        create("dbo.Login=Id, Name", "--collation", "dbo.Login.Name=" + CI);
        run(ExitCode.OK, "migrate copy");
        tsql(
                "UPDATE login SET role = 'boss' WHERE id = 1 AND name = 'ADMIN'",
                "UPDATE login SET name = 'BOB' WHERE id = 2 AND name = 'Bob '",
                "INSERT INTO login VALUES (4, 'Dan', 'new')");

        ToolRun back = run(ExitCode.OK, "migrate copy-back", "--yes");

        assertThat(back.tables("inserted")).containsEntry("dbo.Login", "1");
        assertThat(back.tables("updated")).containsEntry("dbo.Login", "2");
        assertThat(inSource("SELECT [Id] || [Name] || [Role] FROM [dbo].[Login] ORDER BY [Id]"))
                .containsExactly("1Adminboss", "2BOBr", "3Carlr", "4Dannew");
    }

    @Test
    void shouldExportTheKeysThatDsbulkLoads() throws IOException {
        logins("Admin", " ");
        create("dbo.Login=Name");
        String json = folder.resolve("json").toString();

        run(ExitCode.OK, "migrate export", "--folder", json, "--format", "json");
        ToolRun csv = run(ExitCode.PARTIAL, "migrate export", "--folder", folder.toString(), "--format", "csv");

        assertThat(Files.readString(folder.resolve("json")
                                .resolve(keyspace + ".login")
                                .resolve("00001.json"))
                        .lines())
                .containsExactlyInAnyOrder(
                        "{\"cassidy_eq_name\":\"" + form("Admin")
                                + "\",\"name\":\"Admin\",\"role\":\"r\",\"cassidy_tx\":\"0xff\"}",
                        "{\"cassidy_eq_name\":\"\\u0000\",\"name\":\" \",\"role\":\"r\",\"cassidy_tx\":\"0xff\"}");
        assertThat(csv.out()).contains("column name has a text with U+0000", "--format json");
        source.execute("DELETE FROM [dbo].[Login] WHERE [Name] = ' '");
        run(ExitCode.OK, "migrate export", "--folder", folder.toString(), "--format", "csv");
        assertThat(Files.readString(folder.resolve(keyspace + ".login").resolve("00001.csv")))
                .startsWith("\"cassidy_eq_name\",\"name\",\"role\"")
                .contains("\n\"" + form("Admin") + "\",\"Admin\",\"r\"");
    }
}
