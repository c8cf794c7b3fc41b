package dev.cassidy.migration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.cql.BatchStatement;
import com.datastax.oss.driver.api.core.cql.BatchType;
import com.datastax.oss.driver.api.core.cql.BatchableStatement;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.metadata.schema.TableMetadata;
import com.fasterxml.jackson.databind.JsonNode;
import dev.cassidy.definition.ColumnDefinition;
import dev.cassidy.definition.ConstraintDefinition;
import dev.cassidy.definition.SqlType;
import dev.cassidy.definition.TableDefinition;
import dev.cassidy.jdbc.run.TableDeclarations;
import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.migration.error.MigrationException;
import dev.cassidy.migration.rows.RowCheck;
import dev.cassidy.migration.target.Target;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.cassandra.InternalAccess;
import dev.cassidy.sequence.cassandra.Sequences;
import dev.cassidy.table.ColumnDefault;
import dev.cassidy.table.TableContract;
import dev.cassidy.table.TableRegistry;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** {@code tables alter} declares what rows may break, and {@code tables check --rows} finds rows that break it. */
class AlterRowsIT {

    private static final String KEYSPACE = "alter_rows";

    private static TargetNode node;

    /** Of processes that notice changes soon, so that little is waited for. */
    private static Sequences sequences;

    @BeforeAll
    static void install() {
        node = new TargetNode("alter_rows_it_cassidy");
        node.init();
        node.createKeyspace(KEYSPACE);
        sequences = Sequences.open(node.session(), node.config().withWatchInterval(Duration.ofMillis(100)));
    }

    @AfterAll
    static void drop() {
        sequences.close();
        node.close();
    }

    private static TableRegistry registry() {
        return InternalAccess.tables(sequences);
    }

    private static TableContract contract(String table) {
        return registry().contract(KEYSPACE, table);
    }

    private static void cql(String... statements) {
        for (String statement : statements) {
            node.session().execute(statement);
        }
    }

    private static Connection connect() throws SQLException {
        return DriverManager.getConnection(
                node.jdbc(KEYSPACE) + "&requestTimeout=1m&connectTimeout=1m&constraints=warn");
    }

    private static void tsql(String... statements) throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    private static ToolRun alter(String table, String... rest) {
        List<String> arguments = new ArrayList<>(List.of("--table", KEYSPACE + "." + table));
        arguments.addAll(List.of(rest));
        return node.run("tables alter", arguments.toArray(String[]::new));
    }

    private static ToolRun expect(ExitCode code, ToolRun run) {
        assertThat(run.exitCode()).as(run.out() + run.err()).isEqualTo(code.code());
        return run;
    }

    /** Returns the rules that rows break, as {@code rule: rows}. */
    private static List<String> broken(ToolRun run) {
        return StreamSupport.stream(run.json().get("broken").spliterator(), false)
                .map(each -> each.get("rule").asText() + ": " + each.get("rows").asLong())
                .toList();
    }

    // ---- what rows are held against

    @Test
    void shouldFindTheRowsThatBreakEachKindOfRule() throws SQLException {
        tsql("CREATE TABLE kinds (id INT PRIMARY KEY, Name NVARCHAR(50), price DECIMAL(10,3), note VARCHAR(9),"
                + " code VARCHAR(9), n SMALLINT, bin VARBINARY(9), email NVARCHAR(50)) WITH (plain)");
        cql(
                "INSERT INTO alter_rows.kinds (id, name, price, note, code, n, bin, email)"
                        + " VALUES (1, 'abc', 7.5, 'a', 'ab', 255, 0x0102, 'a@x')",
                "INSERT INTO alter_rows.kinds (id, name, price, note, code, n, bin, email)"
                        + " VALUES (2, 'ab', 999.90, 'b', 'cd', 0, 0x01, 'A@x')",
                "INSERT INTO alter_rows.kinds (id, name, price, note, code, n, bin, email)"
                        + " VALUES (3, '', 7.500, 'c', 'ef', 1, 0x, 'b@x')");
        String kept = "name nvarchar(3) not null, PRICE decimal(4,1), note nvarchar(1), code char(2), n tinyint,"
                + " bin varbinary(2), email nvarchar(3)";
        String[] arguments = {
            "--columns",
            kept,
            "--add",
            "CONSTRAINT u UNIQUE (email)",
            "--add",
            "CONSTRAINT ck CHECK (price > n OR email LIKE '_@%')",
            "--add",
            "CHECK (id < 18)",
            "--dry-run",
            "--output",
            "json"
        };

        ToolRun keeps = expect(ExitCode.OK, alter("kinds", arguments));
        assertThat(broken(keeps)).isEmpty();
        assertThat(keeps.json().get("result").asText()).isEqualTo("checked");
        assertThat(keeps.json().get("rows").asLong()).isEqualTo(3);

        cql(
                "INSERT INTO alter_rows.kinds (id, price, note, code, n, bin, email)"
                        + " VALUES (17, 7.25, 'secret', 'g', 256, 0x010203, 'b@x')",
                "INSERT INTO alter_rows.kinds (id, name, price, n, bin, email) VALUES (16, 'abc', 1, 1, 0x05, 'abc')",
                "INSERT INTO alter_rows.kinds (id, name, price, email) VALUES (18, 'secret', 1000, 'b@x')");
        ToolRun breaks = expect(ExitCode.DISAGREES, alter("kinds", arguments));
        assertThat(broken(breaks))
                .containsExactly(
                        "Name nvarchar(3) NOT NULL: 2",
                        "price decimal(4,1): 2",
                        "note nvarchar(1): 1",
                        "code char(2): 1",
                        "n tinyint: 1",
                        "bin varbinary(2): 1",
                        "CONSTRAINT [ck] CHECK (price > n OR email LIKE '_@%'): 1",
                        "CHECK (id < 18): 1",
                        "CONSTRAINT [u] UNIQUE (email): 2");
        assertThat(breaks.out())
                .contains(
                        "id=17 has no value",
                        "id=18 has 6 characters",
                        "id=17 has 1 digit before the point and 2 after it",
                        "id=18 has 4 digits before the point and 0 after it",
                        "id=17 has 3 bytes",
                        "id=17 is out of the range",
                        "id=16 breaks it",
                        "id=18 breaks it",
                        " have the same")
                .doesNotContain("secret", "b@x");
        JsonNode twins = breaks.json().get("broken").get(8).get("examples");
        assertThat(twins).hasSize(1);
        assertThat(twins.get(0).asText()).contains("id=3", "id=17", "id=18");
        assertThat(contract("kinds").definition().constraints()).isEmpty();
        // Values of other columns, and decimals that are equal.
        assertThat(broken(expect(
                        ExitCode.DISAGREES,
                        alter(
                                "kinds",
                                "--add",
                                "UNIQUE (price)",
                                "--add",
                                "UNIQUE (id, email)",
                                "--dry-run",
                                "--output",
                                "json"))))
                .containsExactly("UNIQUE (price): 1");
        // SQL Server takes one NULL.
        expect(ExitCode.OK, alter("kinds", "--add", "UNIQUE (bin)", "--dry-run"));
        cql("INSERT INTO alter_rows.kinds (id, n) VALUES (19, 2)");
        assertThat(broken(expect(
                        ExitCode.DISAGREES, alter("kinds", "--add", "UNIQUE (bin)", "--dry-run", "--output", "json"))))
                .containsExactly("UNIQUE (bin): 1");
    }

    /** All pages of all pieces of the ring. */
    @Test
    void shouldReadEveryRow() throws SQLException {
        tsql(
                "CREATE TABLE spread (id INT PRIMARY KEY, a NVARCHAR(9))",
                "CREATE TABLE long_partition (id INT, line INT, a NVARCHAR(9), PRIMARY KEY (id, line)) WITH (plain)");
        PreparedStatement spread = node.session().prepare("INSERT INTO alter_rows.spread (id, a) VALUES (?, ?)");
        List<CompletableFuture<?>> sent = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            sent.add(node.session().executeAsync(spread.bind(i, "abcd")).toCompletableFuture());
        }
        sent.forEach(CompletableFuture::join);
        PreparedStatement line =
                node.session().prepare("INSERT INTO alter_rows.long_partition (id, line, a) VALUES (1, ?, ?)");
        for (int i = 0; i < 2_500; i += 500) {
            List<BatchableStatement<?>> batch = new ArrayList<>();
            for (int j = i; j < i + 500; j++) {
                // Each value twice.
                batch.add(line.bind(j, "a" + j / 2));
            }
            node.session().execute(BatchStatement.newInstance(BatchType.UNLOGGED, batch));
        }

        ToolRun all = expect(
                ExitCode.DISAGREES,
                alter("spread", "--columns", "a nvarchar(3)", "--dry-run", "--output", "json", "--readers", "3"));
        assertThat(broken(all)).containsExactly("a nvarchar(3): 500");
        assertThat(all.json().get("rows").asLong()).isEqualTo(500);
        assertThat(broken(expect(
                        ExitCode.DISAGREES,
                        alter("long_partition", "--add", "UNIQUE (a)", "--dry-run", "--output", "json"))))
                .containsExactly("UNIQUE (a): 1250");
    }

    @Test
    void shouldRefuseWhatRowsDoNotDecide() throws SQLException {
        tsql("CREATE TABLE [Refused] (id INT IDENTITY, price DECIMAL(4,2), a NVARCHAR(9), at DATETIME2(3), n INT,"
                + " CONSTRAINT u UNIQUE (a), PRIMARY KEY (id, price)) WITH (plain)");
        cql("CREATE TABLE alter_rows.of_cql (id int PRIMARY KEY, a text)");
        TableContract before = contract("refused");
        for (String[] refused : new String[][] {
            {"a int", "is text in Cassandra"},
            {"n bigint", "is int in Cassandra"},
            {"missing int", "must be declared columns of the table"},
            {"a nvarchar(3), A nvarchar(4)", "each once: column='a'"},
            {"price decimal(5,3)", "it is part of the key"},
            {"a nvarchar(3) default 'x'", "'default' in a list of columns"}
        }) {
            ToolRun run = expect(ExitCode.REFUSED, alter("refused", "--columns", refused[0]));
            assertThat(run.err()).contains(refused[1]);
        }
        for (String[] refused : new String[][] {
            {"FOREIGN KEY (n) REFERENCES kinds (id)", "must be UNIQUE (column, ...) or CHECK (condition)"},
            {"CHECK (at > '2000')", "must be a condition that can be decided"},
            {"CHECK (missing > 0)", "must be a condition that can be decided"},
            {"CONSTRAINT u CHECK (n > 0)", "has a constraint u already: UNIQUE (a)"},
            {"b INT UNIQUE", "must be UNIQUE (column, ...)"},
            {"UNIQUE (a); DROP TABLE refused", "must be UNIQUE (column, ...)"},
            {"UNIQUE (b)", "has no column 'b'"},
            {"CONSTRAINT U UNIQUE (n)", "has a constraint u already: UNIQUE (a)"}
        }) {
            ToolRun run = expect(ExitCode.REFUSED, alter("refused", "--add", refused[0]));
            assertThat(run.err()).contains(refused[1]);
        }
        assertThat(expect(ExitCode.REFUSED, alter("of_cql", "--columns", "a nvarchar(3)"))
                        .err())
                .contains("nothing is declared of the columns of table alter_rows.of_cql")
                .contains("Run: cassidy tables adopt --table alter_rows.of_cql --contact-points");
        expect(ExitCode.USAGE, alter("refused"));
        expect(ExitCode.USAGE, alter("refused", "--columns", "a nvarchar(3)", "--readers", "0"));
        assertThat(contract("refused")).isEqualTo(before);
    }

    // ---- the order of the steps, by way of the command and its real waits

    /** Two commands at the same time, because each waits. */
    @Test
    void shouldDeclareWhatRowsKeepOnceEveryProcessObeys() throws Exception {
        tsql(
                "CREATE TABLE kept (id INT PRIMARY KEY, Name NVARCHAR(50), price DECIMAL(10,3)) WITH (plain)",
                "INSERT INTO kept VALUES (1, 'abc', 7.5)",
                "CREATE TABLE broken (id INT PRIMARY KEY, Name NVARCHAR(50))",
                "INSERT INTO broken VALUES (17, 'abcd')");
        TableContract before = contract("broken");
        try (Connection other = connect();
                Statement statement = other.createStatement()) {
            statement.execute("UPDATE kept SET name = 'abcd' WHERE id = 1");
            statement.execute("UPDATE kept SET name = 'abc' WHERE id = 1");
            CompletableFuture<ToolRun> breaking =
                    CompletableFuture.supplyAsync(() -> alter("broken", "--columns", "name nvarchar(3)"));

            ToolRun run = expect(
                    ExitCode.OK,
                    alter(
                            "kept",
                            "--columns",
                            "name nvarchar(3) not null, price decimal(4,1)",
                            "--add",
                            "CONSTRAINT u UNIQUE (name)",
                            "--add",
                            "CONSTRAINT positive CHECK (price > 0)"));

            assertThat(run.out())
                    .contains(
                            "alter_rows.kept: Name nvarchar(3) NOT NULL; price decimal(4,1); CONSTRAINT [u] UNIQUE (name); CONSTRAINT [positive]"
                                    + " CHECK (price > 0): declared, and no row breaks it\n",
                            "1 row was read\n");
            // A session that was open before, and knows the table as it was.
            assertThatThrownBy(() -> statement.execute("UPDATE kept SET name = 'abcd' WHERE id = 1"))
                    .hasFieldOrPropertyWithValue("errorCode", 2628);
            assertThatThrownBy(() -> statement.execute("UPDATE kept SET price = 0 WHERE id = 1"))
                    .hasFieldOrPropertyWithValue("errorCode", 547);
            assertThatThrownBy(() -> statement.execute("INSERT INTO kept (id) VALUES (2)"))
                    .hasFieldOrPropertyWithValue("errorCode", 515);
            ToolRun broken = expect(ExitCode.DISAGREES, breaking.get());
            assertThat(broken.out())
                    .contains(
                            "not declared, because rows break it; the contract is what it was before",
                            "warning: 1 row breaks Name nvarchar(3): id=17 has 4 characters\n");
        }
        TableDefinition kept = contract("kept").definition();
        assertThat(kept.columns().stream().map(TableDeclarations::written))
                .containsExactly("id int NOT NULL", "Name nvarchar(3) NOT NULL", "price decimal(4,1)");
        assertThat(kept.constraints().stream().map(ConstraintDefinition::name)).containsExactly("u", "positive");
        assertThat(contract("broken").definition()).isEqualTo(before.definition());
    }

    // ---- what happens in between

    private static TableMetadata table(String name) {
        return Target.table(node.session().refreshSchema(), KEYSPACE, name).orElseThrow();
    }

    /** A table whose one row breaks {@code a nvarchar(3)}, or keeps it. */
    private static Alteration alteration(String table, String value, Consumer<String> progress) throws SQLException {
        tsql(
                "CREATE TABLE " + table + " (id INT PRIMARY KEY, a NVARCHAR(9), b INT)",
                "INSERT INTO " + table + " VALUES (1, '" + value + "', 2)");
        return again(table, progress);
    }

    private static Alteration again(String table, Consumer<String> progress) throws SQLException {
        TableContract contract = contract(table);
        TableDefinition definition = contract.definition();
        return new Alteration(
                registry(),
                contract,
                definition.replacing(altered(table, definition).get(0)),
                progress);
    }

    private static List<ColumnDefinition> altered(String table, TableDefinition definition) throws SQLException {
        return TableDeclarations.altered(table(table), "a nvarchar(3)", definition);
    }

    private static RowCheck.Result rows(String table) {
        try {
            return new RowCheck(node.session(), 2, 1_000_000, System::nanoTime)
                    .check(
                            table(table),
                            new RowCheck.Rules(altered(table, contract(table).definition()), List.of(), List.of()),
                            read -> {});
        } catch (SQLException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static String declared(String table) {
        return contract(table).definition().column("a").orElseThrow().type().toString();
    }

    @Test
    void shouldReadRowsOnlyUnderTheRule() throws SQLException {
        List<String> seen = new ArrayList<>();
        Alteration alteration = alteration("ordered", "abcd", step -> seen.add(step + " " + declared("ordered")));

        Alteration.Outcome outcome = alteration.apply(() -> {
            seen.add("rows are read " + declared("ordered"));
            return rows("ordered");
        });

        assertThat(outcome.result()).isEqualTo(Alteration.Result.TAKEN_BACK);
        assertThat(seen)
                .containsExactly(
                        "it is declared; waiting until every process obeys it nvarchar(3)",
                        "rows are read nvarchar(3)");
        assertThat(declared("ordered")).isEqualTo("nvarchar(9)");
    }

    @Test
    void shouldLeaveWhatOthersHaveChangedMeanwhile() throws SQLException {
        ColumnDefault given =
                new ColumnDefault(KEYSPACE, "meanwhile", "b", "d", ColumnDefault.Kind.CONSTANT, "1", "(1)");
        Alteration alteration =
                alteration("meanwhile", "abcd", step -> registry().registerDefault(given));

        assertThat(alteration.apply(() -> rows("meanwhile")).result()).isEqualTo(Alteration.Result.LEFT);

        assertThat(contract("meanwhile").defaults()).containsExactly(given);
        assertThat(declared("meanwhile")).isEqualTo("nvarchar(3)");
        // The same again, decided by what was seen before: somebody else has declared it meanwhile.
        assertThat(alteration.apply(() -> rows("meanwhile")).result()).isEqualTo(Alteration.Result.LEFT);
        assertThat(declared("meanwhile")).isEqualTo("nvarchar(3)");
        // The column itself, of which no row breaks the rule.
        Alteration loosened = alteration("loosened", "abc", step -> {
            TableDefinition tight = contract("loosened").definition();
            registry()
                    .alterColumn(
                            KEYSPACE,
                            "loosened",
                            tight.id(),
                            tight.column("a").orElseThrow(),
                            new ColumnDefinition(
                                    "a", "a", SqlType.parse("nvarchar(20)").orElseThrow(), false, ""));
        });
        assertThatThrownBy(() -> loosened.apply(() -> rows("loosened")))
                .isInstanceOf(SequenceException.Conflict.class)
                .hasMessageContaining("says something else now");
        assertThatThrownBy(() -> loosened.apply(() -> rows("loosened")))
                .isInstanceOf(SequenceException.Conflict.class)
                .hasMessageContaining("was changed meanwhile");
        assertThat(declared("loosened")).isEqualTo("nvarchar(20)");
    }

    /** The first one must not take back what the second one relies on. */
    @Test
    void shouldServeTwoCommandsThatWantTheSame() throws Exception {
        Semaphore read = new Semaphore(0);
        Semaphore corrected = new Semaphore(0);
        Alteration first = alteration("twice", "abcd", step -> {});
        CompletableFuture<Alteration.Outcome> one = CompletableFuture.supplyAsync(() -> first.apply(() -> {
            RowCheck.Result found = rows("twice");
            read.release();
            corrected.acquireUninterruptibly();
            return found;
        }));
        read.acquire();
        cql("UPDATE alter_rows.twice SET a = 'abc' WHERE id = 1");

        assertThat(again("twice", step -> {}).apply(() -> rows("twice")).result())
                .isEqualTo(Alteration.Result.CONFIRMED);
        corrected.release();

        assertThat(one.get().result()).isEqualTo(Alteration.Result.LEFT);
        assertThat(declared("twice")).isEqualTo("nvarchar(3)");
    }

    @Test
    void shouldTakeItBackIfRowsCannotBeRead() throws Exception {
        Alteration dropped = alteration("unreadable", "abc", step -> cql("DROP TABLE alter_rows.unreadable"));
        TableContract before = contract("unreadable");
        TableMetadata table = table("unreadable");
        RowCheck.Rules rules = new RowCheck.Rules(altered("unreadable", before.definition()), List.of(), List.of());

        assertThatThrownBy(() -> dropped.apply(() -> {
                    try {
                        return new RowCheck(node.session(), 2, 1_000_000, System::nanoTime)
                                .check(table, rules, read -> {});
                    } catch (InterruptedException e) {
                        throw new AssertionError(e);
                    }
                }))
                .isInstanceOfSatisfying(
                        MigrationException.class, e -> assertThat(e.exitCode()).isEqualTo(ExitCode.CASSANDRA))
                .hasMessageContaining("The contract is what it was before");
        assertThat(contract("unreadable").definition()).isEqualTo(before.definition());
        // Also by a command that is to end while it waits.
        Alteration interrupted =
                alteration("interrupted", "abc", step -> Thread.currentThread().interrupt());
        CompletableFuture<Boolean> flag = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                interrupted.apply(() -> rows("interrupted"));
                flag.completeExceptionally(new AssertionError("was not interrupted"));
            } catch (MigrationException e) {
                assertThat(e.exitCode()).isEqualTo(ExitCode.INTERRUPTED);
                flag.complete(Thread.currentThread().isInterrupted());
            } catch (RuntimeException | Error e) {
                flag.completeExceptionally(e);
            }
        });
        thread.start();
        assertThat(flag.get()).isTrue();
        assertThat(declared("interrupted")).isEqualTo("nvarchar(9)");
    }

    /** As after a crash: nobody knows what was declared before. */
    @Test
    void shouldReadRowsAgainForWhatIsDeclared() throws SQLException {
        Alteration crashed = alteration("crashed", "abcd", step -> {});
        registry().tighten(crashed.contract(), crashed.wanted());

        ToolRun check = expect(
                ExitCode.DISAGREES, node.run("tables check", "--rows", "--keyspace", KEYSPACE, "--output", "json"));
        assertThat(findings(check))
                .contains("alter_rows.crashed rows warning 1 row breaks a nvarchar(3): id=1 has 4 characters");
        assertThat(again("crashed", step -> {}).apply(() -> rows("crashed")).result())
                .isEqualTo(Alteration.Result.BROKEN);
        assertThat(declared("crashed")).isEqualTo("nvarchar(3)");
        cql("UPDATE alter_rows.crashed SET a = 'abc' WHERE id = 1");
        assertThat(again("crashed", step -> {}).apply(() -> rows("crashed")).result())
                .isEqualTo(Alteration.Result.CONFIRMED);
    }

    // ---- check

    private static List<String> findings(ToolRun run) {
        return StreamSupport.stream(run.json().get("findings").spliterator(), false)
                .map(each -> each.get("table").asText() + " " + each.get("kind").asText() + " "
                        + each.get("level").asText() + " " + each.get("message").asText())
                .toList();
    }

    @Test
    void shouldNameTheTablesWhoseRowsBreakTheirContracts() throws SQLException {
        node.createKeyspace("checked");
        try (Connection connection = DriverManager.getConnection(
                        node.jdbc("checked") + "&requestTimeout=1m&connectTimeout=1m&constraints=warn");
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE good (id INT IDENTITY PRIMARY KEY, a CHAR(3) NOT NULL, p MONEY UNIQUE)");
            statement.execute("INSERT INTO good (a, p) VALUES ('a', 7.12345)");
            statement.execute("INSERT INTO good (a, p) VALUES ('b', 7.12)");
            statement.execute("CREATE TABLE bad (id INT PRIMARY KEY, a CHAR(3) NOT NULL, p MONEY UNIQUE, gone INT NOT"
                    + " NULL, t NVARCHAR(2)) WITH (plain)");
            statement.execute("CREATE TABLE dropped (id INT PRIMARY KEY, a INT NOT NULL)");
        }
        cql(
                "ALTER TABLE checked.bad DROP gone",
                "ALTER TABLE checked.bad DROP t",
                "ALTER TABLE checked.bad ADD t blob",
                "DROP TABLE checked.dropped",
                "INSERT INTO checked.bad (id, a, p, t) VALUES (1, 'a', 7.50, 0x010203)",
                "INSERT INTO checked.bad (id, p) VALUES (2, 7.5)",
                "CREATE TABLE checked.of_cql (id int PRIMARY KEY, a text)",
                "INSERT INTO checked.of_cql (id) VALUES (1)");

        ToolRun run = expect(ExitCode.DISAGREES, node.run("tables check", "--keyspace", "checked", "--rows"));

        assertThat(run.out().lines().filter(line -> line.contains(" break")).toList())
                .satisfiesExactly(
                        columns -> assertThat(columns)
                                .startsWith("warning: checked.bad (T-SQL table): 2 rows break a char(3) NOT NULL: ")
                                .contains("id=1 has 1 character", "id=2 has no value"),
                        twins -> assertThat(twins)
                                .startsWith("warning: checked.bad (T-SQL table): 1 row breaks UNIQUE (p): ")
                                .contains("id=1", "id=2", " have the same"));
        assertThat(run.out()).endsWith(" 1 disagrees with the schema or with rows; 4 rows were read\n");
        assertThat(node.run("tables check", "--keyspace", "checked").out()).doesNotContain(" break");
    }

    /** Cassandra asks of the bytes of a time only that there are eight. */
    @Test
    void shouldNameBytesThatAreNoValue() throws SQLException {
        node.createKeyspace("undecodable");
        try (Connection connection = DriverManager.getConnection(
                        node.jdbc("undecodable") + "&requestTimeout=1m&connectTimeout=1m&constraints=warn");
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE t (at TIME(3) PRIMARY KEY, till TIME(0), since TIME(0) NOT NULL,"
                    + " UNIQUE (till)) WITH (plain)");
        }
        for (long at = -2; at < 0; at++) {
            ByteBuffer noTime = ByteBuffer.allocate(Long.BYTES).putLong(0, at);
            ByteBuffer noTimeEither = ByteBuffer.allocate(Long.BYTES).putLong(0, Long.MAX_VALUE);
            node.session()
                    .execute(node.session()
                            .prepare("INSERT INTO undecodable.t (at, till, since) VALUES (?, ?, '10:00:00')")
                            .bind()
                            .setBytesUnsafe(0, noTime)
                            .setBytesUnsafe(1, noTimeEither));
        }

        ToolRun run = expect(ExitCode.DISAGREES, node.run("tables check", "--keyspace", "undecodable", "--rows"));

        assertThat(run.out().lines().filter(line -> line.contains(" break")).toList())
                .hasSize(3)
                .anySatisfy(line -> assertThat(line)
                        .contains("2 rows break at time(3) NOT NULL")
                        .contains("at=0xfffffffffffffffe holds bytes that are no value of the column's type"))
                .anySatisfy(line -> assertThat(line).contains("2 rows break till time(0)"))
                .anySatisfy(line -> assertThat(line).contains("1 row breaks UNIQUE (till)"));
    }

    // ---- long forms

    /**
     * A table of many rows, by the command in a process of its own.
     * {@code -Drows=1000000}
     */
    @Test
    @EnabledIfSystemProperty(named = "rows", matches = "[0-9]+")
    void shouldReadManyRowsInLittleMemory() throws Exception {
        int rows = Integer.getInteger("rows");
        tsql(
                "CREATE TABLE many (id INT PRIMARY KEY, Name NVARCHAR(50), price DECIMAL(10,3), email NVARCHAR(50)) WITH (plain)");
        PreparedStatement insert =
                node.session().prepare("INSERT INTO alter_rows.many (id, name, price, email) VALUES (?, ?, ?, ?)");
        Semaphore underWay = new Semaphore(256);
        for (int i = 0; i < rows; i++) {
            underWay.acquire();
            node.session()
                    .executeAsync(insert.bind(i, "name " + i, BigDecimal.valueOf(i, 2), i + "@example.com"))
                    .whenComplete((done, failure) -> underWay.release());
        }
        underWay.acquire(256);
        List<String> command = new ArrayList<>(List.of(
                System.getProperty("java.home") + "/bin/java",
                "-Xmx256m",
                "-cp",
                System.getProperty("java.class.path"),
                MigrationTool.class.getName()));
        command.addAll(ToolRun.join(
                "tables alter",
                node.arguments(),
                "--table",
                "alter_rows.many",
                "--columns",
                "name nvarchar(20) not null, price decimal(8,2)",
                "--add",
                "CONSTRAINT u UNIQUE (email)",
                "--output",
                "json"));
        long begun = System.nanoTime();
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(process.waitFor()).as(out).isZero();
        assertThat(new ToolRun(0, out, "").json().get("rows").asLong()).isEqualTo(rows);
        System.out.println(rows + " rows in " + Duration.ofNanos(System.nanoTime() - begun));
    }
}
