package dev.cassidy.migration;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.uuid.Uuids;
import com.fasterxml.jackson.databind.JsonNode;
import dev.cassidy.definition.ColumnDefinition;
import dev.cassidy.definition.SqlType;
import dev.cassidy.definition.TableDefinition;
import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.sequence.IdentityColumn;
import dev.cassidy.sequence.IdentityType;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.cassandra.InternalAccess;
import dev.cassidy.sequence.cassandra.Sequences;
import dev.cassidy.table.ColumnDefault;
import dev.cassidy.table.Declared;
import dev.cassidy.table.TableContract;
import dev.cassidy.table.TableDeclaration;
import dev.cassidy.table.TableRegistry;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What {@code tables check} finds of tables that were made or changed by other means, and what {@code tables adopt} declares. */
class TablesIT {

    private static TargetNode node;

    @BeforeAll
    static void install() {
        node = new TargetNode("tables_it_cassidy");
        node.init();
    }

    @AfterAll
    static void drop() {
        node.close();
    }

    /** Makes a keyspace for one test. */
    private static void fresh(String keyspace) {
        node.createKeyspace(keyspace);
    }

    private static void cql(String... statements) {
        for (String statement : statements) {
            node.session().execute(statement);
        }
    }

    private static void tsql(String keyspace, String... statements) throws SQLException {
        try (Connection connection = connect(keyspace);
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    private static Connection connect(String keyspace) throws SQLException {
        return DriverManager.getConnection(
                node.jdbc(keyspace) + "&requestTimeout=1m&connectTimeout=1m&constraints=warn");
    }

    private static void registry(Consumer<TableRegistry> change) {
        try (Sequences sequences = Sequences.open(node.session(), node.config())) {
            change.accept(InternalAccess.tables(sequences));
        }
    }

    private static TableContract contract(String keyspace, String table) {
        try (Sequences sequences = Sequences.open(node.session(), node.config())) {
            return InternalAccess.tables(sequences).contract(keyspace, table);
        }
    }

    private static UUID id(String keyspace, String table) {
        return node.session()
                .execute(
                        "SELECT id FROM system_schema.tables WHERE keyspace_name = ? AND table_name = ?",
                        keyspace,
                        table)
                .one()
                .getUuid(0);
    }

    private static ColumnDefinition column(String name, String label, String type, boolean required) {
        return new ColumnDefinition(
                name, label, type.isEmpty() ? null : SqlType.parse(type).orElseThrow(), required, "");
    }

    private static ToolRun adopt(Terminal terminal, String... rest) {
        return ToolRun.of(Map.of(), terminal, ToolRun.join("tables adopt", node.arguments(), rest));
    }

    private static ToolRun succeed(ToolRun run) {
        assertThat(run.exitCode()).as(run.out() + run.err()).isZero();
        return run;
    }

    private static void assertRefused(ToolRun run, String... fragments) {
        assertThat(run.exitCode()).as(run.out() + run.err()).isEqualTo(ExitCode.REFUSED.code());
        assertThat(run.err()).contains(fragments);
    }

    /** Returns what check finds, as {@code table kind level}. */
    private static List<String> check(String keyspace, ExitCode code) {
        ToolRun run = node.run("tables check", "--keyspace", keyspace, "--output", "json");
        assertThat(run.exitCode()).as(run.out() + run.err()).isEqualTo(code.code());
        return StreamSupport.stream(run.json().get("findings").spliterator(), false)
                .map(each -> each.get("table").asText().substring(keyspace.length() + 1) + " "
                        + each.get("kind").asText() + " " + each.get("level").asText())
                .toList();
    }

    private static TableDeclaration declaration(String keyspace, String table) {
        return new TableDeclaration(
                keyspace,
                table,
                new TableDefinition(Uuids.timeBased(), List.of(column("id", "Id", "int", true)), List.of()),
                null,
                List.of());
    }

    @Test
    void shouldNameEachTableOfWhichContractAndSchemaDisagree() throws SQLException {
        fresh("disagreeing");
        tsql(
                "disagreeing",
                "CREATE TABLE agreed (id INT IDENTITY PRIMARY KEY, a NVARCHAR(5) DEFAULT 'x', at DATETIME2)",
                "CREATE TABLE gone (id INT NOT NULL PRIMARY KEY)",
                "CREATE TABLE forgotten (id INT IDENTITY PRIMARY KEY, a INT)",
                "DROP TABLE forgotten",
                "CREATE TABLE replaced (id INT PRIMARY KEY, a NVARCHAR(5))",
                "CREATE TABLE [Order] (id INT PRIMARY KEY, [Unit Price] DECIMAL(10,2))",
                "CREATE TABLE overtaken (id INT NOT NULL PRIMARY KEY)",
                "CREATE TABLE wider (id INT NOT NULL PRIMARY KEY)",
                "CREATE TABLE narrower (id INT PRIMARY KEY, a NVARCHAR(5) DEFAULT 'x')",
                "CREATE TABLE retyped (id INT PRIMARY KEY, a NVARCHAR(5) DEFAULT 'x')",
                "CREATE TABLE renamed (id INT IDENTITY PRIMARY KEY)");
        cql(
                "DROP TABLE disagreeing.gone",
                "DROP TABLE disagreeing.replaced",
                "CREATE TABLE disagreeing.replaced (a text, id int PRIMARY KEY)",
                "ALTER TABLE disagreeing.\"order\" DROP \"Unit Price\"",
                "ALTER TABLE disagreeing.wider ADD b int",
                "ALTER TABLE disagreeing.narrower DROP a",
                "ALTER TABLE disagreeing.retyped DROP a",
                "ALTER TABLE disagreeing.retyped ADD a blob",
                "ALTER TABLE disagreeing.renamed RENAME id TO number",
                "CREATE TABLE disagreeing.registered (id int PRIMARY KEY)",
                "CREATE TABLE disagreeing.claimed (id int PRIMARY KEY)",
                "CREATE TABLE disagreeing.too_small (id smallint PRIMARY KEY)",
                "CREATE TABLE disagreeing.marked (id int PRIMARY KEY, v int)",
                "CREATE TABLE disagreeing.unknown (id int PRIMARY KEY)");
        succeed(node.run("ids register", "--table", "disagreeing.registered", "--column", "id"));
        succeed(node.run("ids register", "--table", "disagreeing.claimed", "--column", "id"));
        // As a process leaves it that ended before it had looked at other installations.
        cql("UPDATE tables_it_cassidy.contracts SET claimed = true WHERE keyspace_name = 'disagreeing' AND table_name ="
                + " 'claimed'");
        registry(tables -> {
            tables.declare(declaration("disagreeing", "pending"));
            // As a process leaves it that was slower than another, and ended before it had restored the contract.
            tables.declare(declaration("disagreeing", "overtaken"));
            Declared unrecorded = tables.declare(declaration("disagreeing", "unrecorded"));
            cql("CREATE TABLE disagreeing.unrecorded (id int PRIMARY KEY) WITH id = " + unrecorded.id());
        });
        try (Sequences sequences = Sequences.open(node.session(), node.config())) {
            sequences.create(SequenceSpec.of("disagreeing.too_small", IdentityType.INT, 1, 1));
            sequences.registerIdentity(new IdentityColumn("disagreeing", "too_small", "id", "disagreeing.too_small"));
            sequences.create(SequenceSpec.of("disagreeing.absent", IdentityType.INT, 1, 1));
            InternalAccess.tables(sequences)
                    .registerIdentityAhead(new IdentityColumn("disagreeing", "absent", "id", "disagreeing.absent"));
        }
        succeed(node.run("tables declare", "--table", "disagreeing.marked", "--writes", "exact"));
        cql("ALTER TABLE disagreeing.marked DROP cassidy_tx");

        assertThat(check("disagreeing", ExitCode.DISAGREES))
                .containsExactly(
                        "absent absent info",
                        "claimed unrecorded warning",
                        "forgotten dropped info",
                        "gone dropped info",
                        "marked undefined info",
                        "marked writes warning",
                        "narrower columns warning",
                        "narrower default warning",
                        "order columns warning",
                        "overtaken replaced warning",
                        "pending pending info",
                        "registered undefined info",
                        "renamed columns warning",
                        "renamed columns warning",
                        "renamed identity warning",
                        "replaced replaced warning",
                        "retyped types warning",
                        "retyped default warning",
                        "too_small undefined info",
                        "too_small identity warning",
                        "unrecorded unrecorded info",
                        "wider columns warning");
        ToolRun text = node.run("tables check", "--keyspace", "disagreeing");
        assertThat(text.out())
                .contains(
                        "warning: disagreeing.too_small (CQL table): its identity column 'id' is smallint and cannot hold every id of"
                                + " the sequence disagreeing.too_small, which ends with 2147483647",
                        "warning: disagreeing.narrower (T-SQL table): its default 'x' is of the column 'a', which does not exist: it"
                                + " gives nothing until there is one. Drop the default: ALTER TABLE disagreeing.narrower DROP CONSTRAINT"
                                + " [DF_narrower_a], by JDBC\n",
                        "\n  cassidy tables adopt --table disagreeing.replaced --contact-points " + node.contactPoint()
                                + " --local-dc " + node.datacenter() + " --global-keyspace tables_it_cassidy\n",
                        " contracts (CQL table: 5, T-SQL table: 12), 10 disagree with the schema\n")
                .doesNotContain("agreed (", "agreed:", "disagreeing.unknown");
        // What the messages say.
        tsql("disagreeing", "ALTER TABLE disagreeing.narrower DROP CONSTRAINT [DF_narrower_a]");
        for (String table : List.of("order", "narrower", "wider", "replaced", "unrecorded")) {
            succeed(node.run("tables adopt", "--table", "disagreeing." + table, "--yes"));
        }
        assertThat(check("disagreeing", ExitCode.DISAGREES))
                .noneMatch(line -> line.matches("(order|narrower|wider|replaced|unrecorded) .*"));
        assertThat(check("tables_it_cassidy", ExitCode.OK)).isEmpty();
        assertThat(node.run("tables check", "--keyspace", "nowhere").err()).contains("there is no keyspace nowhere");
    }

    @Test
    void shouldKnowByWhatAKeyIsCompared() throws SQLException {
        fresh("compared");
        tsql(
                "compared",
                "CREATE TABLE kept (name NVARCHAR(20) PRIMARY KEY, v INT)",
                "CREATE TABLE other (name NVARCHAR(20) PRIMARY KEY, v INT)");
        assertThat(check("compared", ExitCode.OK)).isEmpty();
        succeed(node.run("tables adopt", "--table", "compared.kept", "--columns", "name nvarchar(30), v int", "--yes"));
        assertThat(contract("compared", "kept").definition().twins()).containsOnlyKeys("name");

        cql(
                "DROP TABLE compared.other",
                "CREATE TABLE compared.other (name text PRIMARY KEY, v int)",
                "CREATE TABLE compared.unknown (cassidy_eq_name text PRIMARY KEY, name text)");
        succeed(node.run("tables adopt", "--table", "compared.other", "--yes"));
        assertThat(contract("compared", "other").definition().twins()).isEmpty();
        assertRefused(
                node.run("tables adopt", "--table", "compared.unknown", "--columns", "name nvarchar(20)", "--yes"),
                "the key of compared.unknown has column name as its collation compares it");
    }

    @Test
    void shouldDeclareTablesSmall() throws SQLException {
        fresh("sized");
        tsql(
                "sized",
                "CREATE TABLE Colour (Id INT PRIMARY KEY, Name NVARCHAR(9)) WITH (small)",
                "CREATE TABLE visit (id INT PRIMARY KEY, v INT) WITH (plain, small)",
                "CREATE TABLE item (id INT PRIMARY KEY, v INT)");
        cql("CREATE TABLE sized.old (id int PRIMARY KEY, v int)");
        assertThat(small()).isEqualTo("sized.colour\nsized.visit\n");
        assertThat(contract("sized", "visit").writes()).isNull();

        assertThat(succeed(node.run("tables small", "--table", "sized.old")).out())
                .isEqualTo("table sized.old is declared small; processes know it within a watch interval\n");
        assertThat(succeed(node.run("tables small", "--table", "sized.old")).out())
                .isEqualTo("table sized.old was declared small already\n");
        succeed(node.run("tables small", "--table", "sized.item"));
        succeed(node.run("tables small", "--table", "sized.colour", "--not"));

        assertThat(small()).isEqualTo("sized.item\nsized.old\nsized.visit\n");
        assertThat(contract("sized", "colour").definition().columns())
                .extracting(ColumnDefinition::label)
                .containsExactly("Id", "Name");
        cql("DROP TABLE sized.old", "CREATE TABLE sized.old (id int PRIMARY KEY)");
        assertThat(small()).as("another table of the name").isEqualTo("sized.item\nsized.visit\n");
        assertThat(succeed(node.run("tables small", "--keyspace", "sized", "--output", "json"))
                        .json()
                        .get("tables")
                        .toString())
                .isEqualTo("[\"sized.item\",\"sized.visit\"]");
        assertThat(node.run("tables small", "--not").exitCode()).isEqualTo(ExitCode.USAGE.code());
        assertRefused(node.run("tables small", "--table", "sized.nowhere"), "does not exist");
    }

    @Test
    void shouldTurnStatementsOffAndOn() {
        String statement = "3f9c2a7b61d0";
        assertThat(succeed(node.run("assist list")).out()).isEqualTo("nothing is turned off\n");
        assertThat(succeed(node.run("assist off", "--statement", statement, "--note", "slow"))
                        .out())
                .isEqualTo("statement " + statement + " is off; processes know it within a watch interval\n");
        assertThat(succeed(node.run("assist off", "--statement", statement)).out())
                .isEqualTo("statement " + statement + " was off already\n");
        assertThat(succeed(node.run("assist off")).out()).startsWith("evaluation in the client is off;");

        assertThat(succeed(node.run("assist list")).out()).isEqualTo("all statements\n" + statement + "  slow\n");
        JsonNode listed = succeed(node.run("assist list", "--output", "json")).json();
        assertThat(listed.get("all").asBoolean()).isTrue();
        assertThat(listed.get("off").get(1).get("note").asText()).isEqualTo("slow");

        assertThat(succeed(node.run("assist on")).out()).startsWith("evaluation in the client is on;");
        assertThat(succeed(node.run("assist on")).out()).isEqualTo("evaluation in the client was on already\n");
        succeed(node.run("assist on", "--statement", statement));
        assertThat(succeed(node.run("assist list")).out()).isEqualTo("nothing is turned off\n");
        assertThat(node.run("assist off", "--statement", "3f9c").exitCode()).isEqualTo(ExitCode.USAGE.code());
    }

    private static String small() {
        return succeed(node.run("tables small", "--keyspace", "sized")).out();
    }

    /** Each row gets its mark, also one of a key alone. */
    @Test
    void shouldMakeTheWritesOfATableExact() throws SQLException {
        fresh("marking");
        tsql("marking", "CREATE TABLE [item] (id INT IDENTITY PRIMARY KEY, name NVARCHAR(9), n INT) WITH (plain)");
        tsql("marking", "INSERT INTO item (name, n) VALUES ('a', 1)", "INSERT INTO item (name) VALUES ('b')");
        cql("CREATE TABLE marking.line (o int, no int, note text, PRIMARY KEY (o, no))");
        for (int row = 0; row < 300; row++) {
            cql("INSERT INTO marking.line (o, no) VALUES (" + row / 30 + ", " + row % 30 + ")");
        }
        cql("CREATE TABLE marking.shared (id int PRIMARY KEY, s int)", "ALTER TABLE marking.shared ADD note text");
        cql("CREATE TABLE marking.statics (id int, c int, s int static, PRIMARY KEY (id, c))");
        assertRefused(
                node.run("tables declare", "--table", "marking.statics", "--writes", "exact"), "has static columns");
        ToolRun nowhere = node.run("tables declare", "--table", "marking.item", "--writes", "exact:mars");
        assertThat(nowhere.exitCode()).isEqualTo(ExitCode.USAGE.code());
        assertThat(nowhere.err()).contains("exact:mars", "datacenter");

        ToolRun line = succeed(node.run("tables declare", "--table", "marking.line", "--writes", "exact"));
        assertThat(line.err()).contains("300 rows of marking.line have got their mark");
        assertThat(succeed(node.run("tables declare", "--table", "marking.line", "--writes", "exact"))
                        .err())
                .as("it is declared")
                .doesNotContain("mark");
        succeed(node.run("tables declare", "--table", "marking.item", "--writes", "exact"));
        assertRefused(node.run("tables declare", "--table", "marking.item", "--writes", "serial"), "stays so");
        ToolRun plain = node.run("tables declare", "--table", "marking.item", "--writes", "plain");
        assertThat(plain.exitCode()).isEqualTo(ExitCode.USAGE.code());

        assertThat(node.session().execute("SELECT cassidy_tx FROM marking.line").all())
                .hasSize(300)
                .noneMatch(row -> row.isNull(0));
        assertThat(check("marking", ExitCode.OK)).doesNotContain("item COLUMNS WARNING");
        try (Connection connection = connect("marking");
                Statement statement = connection.createStatement()) {
            assertThat(statement.executeUpdate("UPDATE item SET n = 2 WHERE id IN (1, 2, 3)"))
                    .isEqualTo(2);
            assertThat(statement.executeUpdate("DELETE FROM line WHERE o = 7 AND no < 10"))
                    .isEqualTo(10);
            assertThat(statement.executeUpdate("INSERT INTO item (name) VALUES ('c')"))
                    .isEqualTo(1);
            assertThat(node.session()
                            .execute("SELECT WRITETIME(name) FROM marking.item WHERE id = 3")
                            .one()
                            .getLong(0))
                    .as("of a table that had rows before, the row might be there")
                    .isGreaterThan(1_700_000_000_000_000L);
            assertThat(statement.executeUpdate("DELETE FROM item WHERE id = 3")).isEqualTo(1);
        }
    }

    @Test
    void shouldAdoptWhatTheOperatorSays() throws SQLException {
        fresh("adopting");
        cql("CREATE TABLE adopting.\"Order\" (\"Unit Price\" decimal, note text, id int, tags set<text>,"
                + " PRIMARY KEY (id))");
        succeed(node.run("ids register", "--table", "adopting.\"Order\"", "--column", "id"));
        succeed(node.run(
                "tables declare", "--table", "adopting.\"Order\"", "--defaults", "note=N'new'", "--writes", "exact"));
        String[] table = {"--table", "adopting.\"Order\"", "--yes", "--columns"};

        assertRefused(adopt(null, table[0], table[1], table[2]), "nothing was declared", "\"Unit Price\" decimal");
        assertRefused(adopt(null, with(table, "id, note")), "missing=[Unit Price, tags] unknown=[]");
        assertRefused(
                adopt(null, with(table, "id, note, tags, \"Unit Price\", \"unit price\"")), "unknown=[unit price]");
        assertRefused(
                adopt(null, with(table, "id, note, tags, \"Unit Price\", NOTE")), "each column of the table once");
        assertRefused(
                adopt(null, with(table, "id, note, tags, [Unit Price] int")),
                "column 'Unit Price' is decimal in Cassandra, and CREATE TABLE makes int of int");
        assertRefused(adopt(null, with(table, "id, note, tags nvarchar(5), [Unit Price]")), "'tags' is set<text>");
        assertRefused(adopt(null, with(table, "id, note rowversion, tags, [Unit Price]")), "type rowversion");
        assertRefused(
                adopt(null, with(table, "id, note primary key, tags, [Unit Price]")), "type primary is not supported");
        assertRefused(adopt(null, with(table, "id, note nvarchar(5, tags, [Unit Price]")), "--columns: ");
        assertRefused(adopt(null, with(table, "")), "an incomplete list of columns");
        assertThat(contract("adopting", "Order").definition()).isNull();

        ToolRun run = succeed(
                adopt(
                        null,
                        with(
                                table,
                                "Id int, [Unit Price] dec(10, 2) not null, NOTE nvarchar(50) collate Latin1_General_CI_AS, tags")));

        TableContract contract = contract("adopting", "Order");
        assertThat(contract.definition().id()).isEqualTo(id("adopting", "Order"));
        assertThat(contract.definition().columns())
                .containsExactly(
                        column("id", "Id", "int", true),
                        column("Unit Price", "Unit Price", "decimal(10,2)", true),
                        new ColumnDefinition(
                                "note",
                                "NOTE",
                                SqlType.parse("nvarchar(50)").orElseThrow(),
                                false,
                                "Latin1_General_CI_AS"),
                        column("tags", "tags", "", false));
        assertThat(contract.identity().column()).isEqualTo("id");
        assertThat(contract.defaults()).singleElement().satisfies(each -> assertThat(each.column())
                .isEqualTo("note"));
        assertThat(contract.writes().home()).isEqualTo(node.datacenter());
        assertThat(run.out())
                .contains("contract of adopting.Order: adopted", "  [Unit Price] decimal(10,2) NOT NULL\n");
        assertThat(run.err())
                .contains(
                        "  tags set<text>\n",
                        "  tags (of no known type of T-SQL)\n",
                        "key: id",
                        "default N'new' of 'note'",
                        "rows written exactly, at home in " + node.datacenter());
        assertThat(check("adopting", ExitCode.OK)).isEmpty();
        assertThat(succeed(adopt(null, "--table", "adopting.\"Order\"")).out()).contains("unchanged");
        // What is not said stays.
        succeed(adopt(null, with(table, "id, tags, note nvarchar(60), \"Unit Price\" null")));
        assertThat(contract("adopting", "Order").definition().columns())
                .containsExactly(
                        column("id", "Id", "int", true),
                        column("tags", "tags", "", false),
                        column("note", "NOTE", "nvarchar(60)", false),
                        column("Unit Price", "Unit Price", "decimal(10,2)", false));
        // What is shown can be given again.
        cql("CREATE TABLE adopting.cased (id int PRIMARY KEY, \"Id\" int, \"a]\" text)");
        ToolRun cased = succeed(
                adopt(null, "--table", "adopting.cased", "--yes", "--columns", "\"a]\" text, ID int, \"Id\" int"));
        assertThat(cased.out()).contains("  [a]]] text\n  ID int NOT NULL\n  \"Id\" int\n");
        assertThat(succeed(adopt(null, "--table", "adopting.cased", "--columns", "[a]]] text, ID int, \"Id\" int"))
                        .out())
                .contains("unchanged");
    }

    private static String[] with(String[] arguments, String last) {
        List<String> all = new ArrayList<>(List.of(arguments));
        all.add(last);
        return all.toArray(String[]::new);
    }

    /** As after a restore, or a script of CREATE TABLE for cqlsh. */
    @Test
    void shouldProposeWhatWasSaidOfTheTableThatHadTheName() throws SQLException {
        fresh("again");
        tsql(
                "again",
                "CREATE TABLE album (b NVARCHAR(7) NOT NULL, Id INT IDENTITY PRIMARY KEY, a DECIMAL(5,1), c INT,"
                        + " CONSTRAINT ub UNIQUE (b), CONSTRAINT uc UNIQUE (c), CHECK (a > 0 AND c > 0))",
                "INSERT INTO album VALUES ('x', 2, 3)");
        cql(
                "DROP TABLE again.album",
                "CREATE TABLE again.album (a decimal, b text, c text, d int, id int PRIMARY KEY)");

        assertRefused(adopt(null, "--table", "again.album"), "there is no terminal to ask", "then add --yes");
        assertRefused(adopt(ToolRun.answering("n"), "--table", "again.album"), "not confirmed; nothing was changed");
        assertThat(check("again", ExitCode.DISAGREES)).containsExactly("album replaced warning");
        ToolRun run = succeed(adopt(ToolRun.answering("y"), "--table", "again.album", "--output", "json"));

        JsonNode columns = run.json().get("columns");
        assertThat(StreamSupport.stream(columns.spliterator(), false)
                        .map(each -> each.get("label").asText() + " "
                                + each.get("type").asText() + " "
                                + each.get("required").asBoolean()))
                .containsExactly(
                        "b nvarchar(7) true", "Id int true", "a decimal(5,1) false", "c null false", "d null false");
        assertThat(run.json().get("constraints")).hasSize(3);
        assertThat(run.err())
                .contains(
                        "The contract is of the table that had the name, id ",
                        "b nvarchar(7) NOT NULL, Id int NOT NULL, a decimal(5,1), c int",
                        "identity 'id' of the sequence again.album");
        tsql("again", "INSERT INTO album VALUES ('y', 4, 'z', 5)");
        try (Connection connection = connect("again");
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT b, a, c, d FROM album WHERE id = 2")) {
            assertThat(rows.next()).as("the sequence goes on").isTrue();
            assertThat(List.of(rows.getString(1), rows.getInt(2), rows.getString(3), rows.getInt(4)))
                    .containsExactly("y", 4, "z", 5);
        }
        // A constraint of a column that is gone, and a CHECK that may name it.
        cql("ALTER TABLE again.album DROP c", "ALTER TABLE again.album ADD e int", "ALTER TABLE again.album ADD f int");
        assertRefused(adopt(null, "--table", "again.album", "--yes"), "their order is not known: give --columns");
        assertThat(succeed(adopt(null, "--table", "again.album", "--yes", "--columns", "b, id, a, d, f, e"))
                        .err())
                .contains("no longer: UNIQUE (c)", "no longer: CHECK (a > 0 AND c > 0)");
        assertThat(contract("again", "album").definition().constraints())
                .singleElement()
                .satisfies(left -> assertThat(left.name()).isEqualTo("ub"));
    }

    @Test
    void shouldDeclareNothingOfATableThatChangesWhileItAsks() throws SQLException {
        fresh("meanwhile");
        tsql("meanwhile", "CREATE TABLE t (id INT PRIMARY KEY, a NVARCHAR(5))");
        String[] arguments = {"--table", "meanwhile.t", "--columns", "a, id"};
        TableContract before = contract("meanwhile", "t");

        assertRefused(
                adopt(ToolRun.meanwhile(() -> cql("DROP TABLE meanwhile.t")), arguments), "was dropped meanwhile");
        assertRefused(adopt(null, arguments), "table meanwhile.t does not exist in Cassandra");
        cql("CREATE TABLE meanwhile.t (id int PRIMARY KEY, a text)");
        assertRefused(
                adopt(
                        ToolRun.meanwhile(() ->
                                cql("DROP TABLE meanwhile.t", "CREATE TABLE meanwhile.t (id int PRIMARY KEY, a text)")),
                        arguments),
                "was changed meanwhile");
        assertRefused(
                adopt(ToolRun.meanwhile(() -> cql("ALTER TABLE meanwhile.t ADD b int")), arguments),
                "was changed meanwhile");
        assertThat(contract("meanwhile", "t")).isEqualTo(before);
        String[] three = {"--table", "meanwhile.t", "--columns", "a, id, b"};
        assertRefused(
                adopt(
                        ToolRun.meanwhile(() -> registry(tables -> tables.registerDefault(new ColumnDefault(
                                "meanwhile", "t", "b", "d", ColumnDefault.Kind.CONSTANT, "1", "(1)")))),
                        three),
                "the contract of table meanwhile.t was changed meanwhile");
        assertThat(contract("meanwhile", "t").definition()).isEqualTo(before.definition());
        succeed(adopt(ToolRun.answering("yes"), three));
        assertThat(check("meanwhile", ExitCode.OK)).isEmpty();
    }

    @Test
    void shouldLeaveATableToTheInstallationThatNumbersIt() {
        fresh("numbered");
        cql("CREATE TABLE numbered.t (id int PRIMARY KEY, a text)");
        succeed(node.run("ids register", "--table", "numbered.t", "--column", "id"));
        TargetNode other = new TargetNode("tables_it_other");
        // Closing the other one would drop the keyspaces of this one.
        try (CqlSession session = other.session()) {
            other.init();

            assertRefused(
                    other.run("tables adopt", "--table", "numbered.t", "--columns", "id, a", "--yes"),
                    "is numbered by the installation of keyspace tables_it_cassidy",
                    "--global-keyspace tables_it_cassidy");
            assertThat(other.run("tables check").out()).isEqualTo("0 contracts, 0 disagree with the schema\n");
            // As two registrations at the same moment leave it.
            session.execute(
                    "INSERT INTO tables_it_other.contracts (keyspace_name, table_name, column_name, sequence, mode,"
                            + " changing, table_id, counters, pending, moved_to, moved, move, revision) VALUES ('numbered', 't', 'id',"
                            + " 'numbered.t', '', false, '', '', false, '', false, '', 1)");
            assertThat(check("numbered", ExitCode.DISAGREES))
                    .containsExactly("t undefined info", "t numbered_twice risk");
            session.execute("TRUNCATE tables_it_other.contracts");
        }
    }

    @Test
    void shouldDeclareNothingOfTablesOfCassidys() {
        for (String table : List.of("tables_it_cassidy.seq", "tables_it_cassidy_dc1.reserve")) {
            for (String[] rest : List.of(
                    with(new String[] {"tables adopt", "--yes", "--columns"}, "seq"),
                    with(new String[] {"tables declare", "--defaults"}, "seq='x'"),
                    with(new String[] {"tables declare", "--writes"}, "exact"),
                    with(new String[] {"ids register", "--type", "int", "--start", "1", "--column"}, "floor"))) {
                String[] arguments = Stream.concat(
                                Stream.of("--table", table), Arrays.stream(rest).skip(1))
                        .toArray(String[]::new);
                assertRefused(node.run(rest[0], arguments), "--table must not be one of Cassidy's own tables");
            }
        }
        assertThat(node.session()
                        .execute("SELECT seq FROM tables_it_cassidy.seq")
                        .all())
                .as("no sequence is left")
                .noneMatch(row -> row.getString(0).startsWith("tables_it_cassidy"));
    }
}
