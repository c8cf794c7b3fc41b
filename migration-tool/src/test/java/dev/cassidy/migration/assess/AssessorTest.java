package dev.cassidy.migration.assess;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cassidy.migration.source.SourceTable;
import dev.cassidy.recorder.KnownNames;
import dev.cassidy.tsql.Schema;
import java.sql.SQLException;
import java.sql.SQLSyntaxErrorException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AssessorTest {

    /** A target with one way to judge. */
    private static class MadeUpTarget implements Target {
        @Override
        public Findings judge(String sql, boolean generatedKeys, int nodes) throws SQLException {
            return new Findings(List.of(), List.of());
        }

        @Override
        public int nodes() {
            return 20;
        }

        @Override
        public Set<String> names() {
            return Set.of();
        }

        @Override
        public Schema schema() throws SQLException {
            return Schema.UNKNOWN;
        }

        @Override
        public void close() {}
    }

    private static Assessment assess(Target target, OldDatabase old, int nodes, String... statements) {
        Observation seen = new Observation();
        for (String sql : statements) {
            Sent.add(sql, 1, KnownNames.ofEveryWord(), seen);
        }
        seen.addInput(new Observation.Input("a test", statements.length, 0, 0, Set.of()));
        return new Assessor(new Judge(target, old, nodes), nodes).assess(seen);
    }

    private static Assessment.Seen one(Assessment assessment) {
        assertThat(assessment.statements()).hasSize(1);
        return assessment.statements().get(0);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "SELECT TOP 5 a FROM t WHERE b = N'x' | SELECT TOP 1 a FROM t WHERE b = N'abc'",
                "WHERE a = -3000000000 | WHERE a = -3000000000",
                "WHERE a = 1E-3 AND b = .5 AND c = $3 | WHERE a = 1.5E0 AND b = 1.5 AND c = $1.5",
                "WHERE a = 0xCAFE AND b = '17' AND c = N'1.7' | WHERE a = 0x0a AND b = '1' AND c = N'1.5'",
                "WHERE a = '2024-05-06T07:08:09.123Z' | WHERE a = '2000-01-01T01:01:01.001Z'",
                "WHERE a = '06/05/2024' AND b = '20240506' | WHERE a = '01/01/2000' AND b = '20000101'",
                "WHERE a = '10:20 PM' | WHERE a = '01:01 AM'",
                "WHERE a LIKE '%x[a-z]y_' AND b LIKE '[^q]%' | WHERE a LIKE '%abc[a]abc_' AND b LIKE '[^a]%'",
                "WHERE a = '6F9619FF-8B86-D011-B42D-00C04FC964FF' | WHERE a = '123e4567-e89b-12d3-a456-426614174000'",
                "WHERE 1 = 0 OR 2 = 2 OFFSET 0 | WHERE 1 = 2 OR 1 = 1 OFFSET 0"
            })
    void shouldPutALiteralOfTheTypeInThePlaceOfAMarker(String sent, String judged) {
        Observation seen = new Observation();
        Sent.add(sent, 1, KnownNames.ofEveryWord(), seen);
        assertThat(Representatives.in(
                        seen.statements().keySet().iterator().next().sql()))
                .isEqualTo(judged);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldShowNoLiteralThatStandsForAValue(boolean throwing) {
        Target target = new MadeUpTarget() {
            @Override
            public Findings judge(String sql, boolean generatedKeys, int nodes) throws SQLException {
                String message = "Invalid constant (" + sql.replaceAll(".*'(.*)'.*", "$1") + ")";
                if (throwing) {
                    throw new SQLSyntaxErrorException(message, "42000");
                }
                return new Findings(List.of(message), List.of());
            }
        };
        assertThat(one(assess(target, OldDatabase.UNKNOWN, 0, "UPDATE product SET name = 'hunter2' WHERE id = 1"))
                        .reasons())
                .containsExactly("Invalid constant (?)");
    }

    @Test
    void shouldReportWhatItCannotJudge() {
        Target broken = new MadeUpTarget() {
            @Override
            public Findings judge(String sql, boolean generatedKeys, int nodes) {
                throw new IllegalStateException("a defect of the judge");
            }
        };
        Assessment assessment = assess(broken, OldDatabase.UNKNOWN, 0, "SELECT name FROM product", "SELECT 'x");
        assertThat(assessment.statements())
                .extracting(Assessment.Seen::verdict)
                .containsExactly(Verdict.NOT_JUDGED, Verdict.NOT_JUDGED);
        assertThat(assessment.statements())
                .flatExtracting(Assessment.Seen::reasons)
                .containsExactlyInAnyOrder(
                        "not judged: the judge failed: IllegalStateException",
                        "not judged: it could not be read: a string has no end");
        assertThat(assessment.isClean()).isFalse();
        assertThat(assessment.executionsOut()).isEqualTo(assessment.executionsIn());
    }

    @Test
    void shouldJudgeByTheStatementAloneWhenTheTargetDoesNotAnswer() {
        Target silent = new MadeUpTarget() {
            @Override
            public Findings judge(String sql, boolean generatedKeys, int nodes) throws SQLException {
                throw new SQLException("no answer", "HYT00");
            }
        };
        Assessment assessment = assess(silent, OldDatabase.UNKNOWN, 0, "INSERT INTO product (name) VALUES ('a')");
        assertThat(one(assessment).verdict()).isEqualTo(Verdict.SERVED);
        assertThat(assessment.verified()).isFalse();
    }

    @Test
    void shouldLeaveOutTheDefaultsThatTheTargetHas() {
        Target declared = new MadeUpTarget() {
            @Override
            public Findings judge(String sql, boolean generatedKeys, int nodes) {
                return new Findings(List.of(), List.of(), Map.of("stock", Set.of("qty")));
            }
        };
        OldDatabase old = new OldDatabase(Map.of("stock", Map.of("qty", "5", "size", "3")), Set.of(), Map.of());
        assertThat(one(assess(declared, old, 0, "INSERT INTO stock (id) VALUES (1)"))
                        .differences())
                .singleElement()
                .asString()
                .startsWith("It leaves out size, which got its default 3");
    }

    /** A target with one table, on which no statement but by its key is served. */
    @ParameterizedTest
    @ValueSource(ints = {3, 20})
    void shouldEndWithAPlan(int nodes) {
        String table = "CREATE TABLE shop.product_by_name (id int, name text, PRIMARY KEY (name, id))";
        String index = "CREATE INDEX product_name ON shop.product (name) USING 'sai'";
        Target planned = new MadeUpTarget() {
            @Override
            public Findings judge(String sql, boolean generatedKeys, int nodes) {
                if (sql.startsWith("INSERT")) {
                    return new Findings(
                            List.of(
                                    "no sequence is registered for it. Run: cassidy ids register --table shop.product --column"
                                            + " id --contact-points 10.0.0.1:9042 --local-dc dc1."),
                            List.of());
                }
                return new Findings(
                        List.of("shop.product is read by name"),
                        List.of(new Access(
                                "shop.product",
                                Access.Kind.REFUSED,
                                0,
                                "",
                                "shop.product is read by name",
                                Optional.of(table),
                                List.of(index),
                                List.of("name"))));
            }
        };
        Assessment assessment = assess(
                planned,
                OldDatabase.UNKNOWN,
                nodes,
                "SELECT id FROM product WHERE name = 'a'",
                "SELECT id FROM product WHERE name = 'b'",
                "INSERT INTO product (name) VALUES ('a')");
        Plan plan = Plan.of(assessment);
        Plan.Step step = (nodes == 3 ? plan.indexes() : plan.tables()).get(0);
        assertThat(step.text()).isEqualTo((nodes == 3 ? index : table) + ";");
        assertThat(step.serves().get(0).sql()).isEqualTo("SELECT id FROM product WHERE name = ?");
        assertThat(step.executions()).isEqualTo(2);
        assertThat(nodes == 3 ? plan.tables() : plan.indexes()).isEmpty();
        assertThat(plan.commands().get(0).text())
                .isEqualTo("cassidy ids register --table shop.product --column id --contact-points 10.0.0.1:9042"
                        + " --local-dc dc1");
        for (String text :
                List.of(new AssessmentPrinter(assessment).summary(), new AssessmentPage(assessment).page())) {
            assertThat(text).contains("Plan", "shop.product");
        }
    }

    // ---- by the old database's keys

    private static SourceTable.Column column(String name, String type) {
        return new SourceTable.Column(
                name, type, type.equals("nvarchar") ? 9 : 0, 0, 0, true, null, null, false, false);
    }

    private static SourceTable product(List<String> key, List<String> index) {
        return new SourceTable(
                "dbo",
                "Product",
                List.of(column("Id", "int"), column("Line", "int"), column("Name", "nvarchar"), column("Price", "int")),
                key,
                List.of(new SourceTable.Index("ix", false, index, null)),
                List.of());
    }

    private static OldDatabase old(SourceTable... tables) {
        return OldDatabase.of("SQL Server", List.of(tables));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "SELECT Name FROM Product WHERE Id = 1 | KEY |",
                "SELECT COUNT(*), MAX(price) FROM [Product] WHERE [Id] IN (1, 2) | KEY |",
                "SELECT * FROM dbo.product WHERE id = ? AND price > 3 | KEY |",
                "SELECT * FROM sales.product WHERE id = ? | UNKNOWN | whether WHERE gives the partition key",
                "UPDATE product SET price = 1, name = 'abc' WHERE id = 1 | KEY |",
                "DELETE FROM product WHERE id = 1 OR id = 2 | KEY |",
                "SELECT name FROM product WHERE price > 3 | FAN_OUT |",
                "SELECT name FROM product WHERE id > 3 | FAN_OUT |",
                "UPDATE product SET price = 1 WHERE name = 'a' | FAN_OUT |",
                "DELETE FROM product WHERE price = 1 | FAN_OUT |",
                "SELECT name FROM product FOR XML AUTO | UNKNOWN | whether Cassandra takes FOR",
                "SELECT SOUNDEX(name) FROM product WHERE id = 1 | UNKNOWN | of its column's type",
                "SELECT SOUNDEX(a.name) FROM product a JOIN product b ON b.id = a.line WHERE a.id = ? | REFUSED | soundex",
                "SELECT a.name FROM product a JOIN product b ON b.id = a.line WHERE a.id = ? | EVALUATED |",
                "SELECT a.name FROM product a JOIN other b ON b.id = a.line WHERE a.id = ? | UNKNOWN | the keys and columns of other",
                "SELECT name FROM product WHERE id = 'a' | UNKNOWN | of its column's type",
                "SELECT name + 'x' FROM product WHERE id = 1 | EVALUATED |",
                "SELECT name FROM product WHERE id = 1 AND colour = 3 | UNKNOWN | whether WHERE gives the partition key",
                "SELECT name FROM product WHERE id IN (1, 2) AND price = 3 | EVALUATED |",
                "SELECT DISTINCT name FROM product WHERE id = 1 | EVALUATED |",
                "SELECT name FROM product WHERE id = 1 ORDER BY name | EVALUATED |",
                "UPDATE product SET price = price + 1, name = 'b' WHERE id = 1 | KEY |",
                "UPDATE product SET price = 2 + price WHERE id IN (1, 2) AND price >= 2 | KEY |",
                "UPDATE product SET price = 1 WHERE id = 1 AND name = 'a' | KEY |",
                "UPDATE product SET price = 1 WHERE id = 1 AND price <> 3 AND name IS NOT NULL | KEY |",
                "DELETE FROM product WHERE id = ? AND price IN (1, ?) | KEY |",
                "UPDATE product SET price = 1 WHERE id = 1 AND price = 'a' | UNKNOWN | of its column's type",
                "UPDATE product SET price = price + 1 WHERE id = 1 AND price IN (1, 2) | EVALUATED |",
                "UPDATE product SET id = 2 WHERE id = 1 | UNKNOWN | whether SET gives the key",
                "UPDATE product SET name = 'abcdefghij' WHERE id = 1 | KEY |"
            })
    void shouldJudgeByTheOldKey(String sql, String way, String reason) {
        OldDatabase old = old(product(List.of("Id"), List.of("Line")));
        Assessment assessment = assess(null, old, 0, sql);
        Assessment.Seen seen = one(assessment);
        switch (way) {
            case "REFUSED" -> assertThat(seen.verdict()).isEqualTo(Verdict.REFUSED);
            case "UNKNOWN" -> assertThat(seen.verdict()).isEqualTo(Verdict.UNKNOWN);
            case "EVALUATED" -> {
                assertThat(seen.verdict()).isEqualTo(Verdict.ASSISTED);
                assertThat(seen.accesses()).extracting(Access::kind).containsOnly(Access.Kind.KEY);
                assertThat(seen.cql().get(1)).isEqualTo("-- dbo.product by its key (id)");
                assertThat(seen.differences()).noneMatch(each -> each.contains("all rows"));
            }
            case "FAN_OUT" -> {
                assertThat(seen.verdict()).isEqualTo(Verdict.ASSISTED);
                assertThat(seen.accesses()).extracting(Access::kind).containsExactly(Access.Kind.FAN_OUT);
                assertThat(seen.differences())
                        .anyMatch(each -> each.startsWith("It reads all rows of product, and is refused once"));
            }
            default -> {
                assertThat(seen.verdict()).isIn(Verdict.SERVED, Verdict.REWRITTEN);
                assertThat(seen.accesses()).extracting(Access::kind).containsExactly(Access.Kind.valueOf(way));
            }
        }
        if (reason == null) {
            assertThat(seen.reasons()).isEmpty();
        } else {
            assertThat(String.join("; ", seen.reasons())).containsIgnoringCase(reason);
        }
        assertThat(new AssessmentPrinter(assessment).summary())
                .contains("on exact tables with keys as in the old database");
    }

    /** What schema makes of a key compares as in the old database; other columns, and collations that are not known, do not. */
    @ParameterizedTest
    @CsvSource({"SQL_Latin1_General_CP1_CI_AS, false", "Hungarian_CI_AS, true", ", true"})
    void shouldTellOfCaseWhereItIsLost(@Nullable String collation, boolean lost) {
        SourceTable login = new SourceTable(
                "dbo",
                "Login",
                List.of(
                        new SourceTable.Column("Name", "nvarchar", 20, 0, 0, false, null, collation, false, false),
                        column("Role", "int")),
                List.of("Name"),
                List.of(),
                List.of());

        Assessment.Seen seen = one(assess(null, old(login), 0, "SELECT role FROM login WHERE name = 'admin'"));

        assertThat(seen.differences().stream().anyMatch(each -> each.startsWith("Column name of login is text")))
                .isEqualTo(lost);
    }

    /** An exact table counts rows as the old database does. */
    @Test
    void shouldTellOfNoCountsWhereTablesAreExact() {
        Observation seen = new Observation();
        for (String sql : List.of(
                "UPDATE product SET price = 1 WHERE id = 1",
                "DELETE FROM product WHERE id = 1",
                "SELECT price FROM product WHERE id = 1")) {
            Sent.add(sql, 1, KnownNames.ofEveryWord(), seen);
        }
        seen.statements().values().forEach(each -> {
            each.rows.addAll(List.of("0", "more"));
            each.afterWrite = true;
        });
        OldDatabase old = old(product(List.of("Id"), List.of()));
        assertThat(new Assessor(new Judge(null, old, 0), 0).assess(seen).statements())
                .extracting(Assessment.Seen::differences)
                .containsExactlyInAnyOrder(
                        List.of(),
                        List.of(),
                        List.of("It ran after a write of the same transaction. If that was to its table, it must select"
                                + " columns or COUNT(*)"));
        assertThat(new Assessor(new Judge(null, OldDatabase.UNKNOWN, 0), 0)
                        .assess(seen)
                        .statements())
                .allSatisfy(each ->
                        assertThat(each.differences()).isNotEmpty().allMatch(text -> text.contains("not exact")));
    }

    @Test
    void shouldShowNoValueOfARefusedCondition() {
        OldDatabase old = old(product(List.of("Id"), List.of()));
        Assessment.Seen seen = one(assess(
                null,
                old,
                0,
                "SELECT SOUNDEX('hunter2') FROM product a JOIN product b ON b.id = a.line WHERE a.name = 'hunter2'"));
        assertThat(seen.verdict()).isEqualTo(Verdict.REFUSED);
        assertThat(seen.reasons()).isNotEmpty().noneMatch(reason -> reason.contains("hunter2"));
    }

    /** Any of its columns could be the partition key. */
    @ParameterizedTest
    @CsvSource({
        "SELECT name FROM product WHERE id = 1 AND line = 2, SERVED",
        "SELECT name FROM product WHERE id = 1, UNKNOWN",
        "SELECT name FROM product WHERE line = 1 AND price = 2, UNKNOWN",
        "SELECT name FROM product WHERE id > 1, ASSISTED",
        "DELETE FROM product WHERE id = 1, UNKNOWN",
        "DELETE FROM product WHERE name = 'a', ASSISTED",
        "UPDATE product SET price = 3 WHERE id = 1, UNKNOWN",
        "UPDATE product SET price = 3 WHERE line = 1 AND id > 2, UNKNOWN",
        "UPDATE product SET price = 3 WHERE name = 'a', ASSISTED",
        "SELECT p.name FROM product p JOIN product q ON q.line = p.price WHERE p.id = 1 AND p.line = 2, UNKNOWN",
        "SELECT p.name FROM product p JOIN product q ON q.id = p.price AND q.line = 3 WHERE p.id = 1 AND p.line = 2, ASSISTED",
        "UPDATE product SET price = 3 WHERE id = 1 AND line = 2, SERVED"
    })
    void shouldLeaveThePartitionOfAnOldKeyOpen(String sql, Verdict verdict) {
        OldDatabase old = old(product(List.of("Id", "Line"), List.of("Name")));
        assertThat(one(assess(null, old, 0, sql)).verdict()).isEqualTo(verdict);
    }

    @Test
    void shouldProposeTheIndexesOfTheOldDatabase() {
        OldDatabase old = old(product(List.of("Id"), List.of("Line", "Name")));
        String line = "CREATE INDEX product_line ON product (line) USING 'sai'";
        String name = "CREATE INDEX product_name ON product (name)";
        Assessment assessment = assess(
                null,
                old,
                20,
                "SELECT name FROM product WHERE line = 1",
                "SELECT name FROM product WHERE line = 1 AND name = 'a'",
                "SELECT line FROM product WHERE name = 'a'",
                "SELECT line FROM product WHERE line = 1 AND name > 'a'");
        assertThat(assessment.statements())
                .extracting(seen -> seen.accesses().get(0).indexes())
                .containsExactly(List.of(), List.of(), List.of(line), List.of(line, name));
        assertThat(assessment.count(Verdict.REFUSED)).isEqualTo(4);
        assertThat(Plan.of(assessment).indexes()).extracting(Plan.Step::text).containsExactly(line + ";", name + ";");
        assertThat(new AssessmentPrinter(assessment).summary())
                .contains(
                        "make the index that the old database has, by which each read asks nodes all over the cluster, and"
                                + " is refused by default in a datacenter of more than 12 nodes: " + line);
    }

    @Test
    void shouldJudgeByNoKeyOfTwoTables() {
        SourceTable product = product(List.of("Id"), List.of());
        SourceTable other =
                new SourceTable("sales", "PRODUCT", product.columns(), List.of("Name"), List.of(), List.of());
        assertThat(one(assess(null, old(product, other), 0, "SELECT name FROM product WHERE id = 1"))
                        .verdict())
                .isEqualTo(Verdict.UNKNOWN);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldNotPromiseLikeWithAParameter(boolean byTarget) {
        OldDatabase old = old(product(List.of("Name"), List.of()));
        assertThat(one(assess(
                                byTarget ? new MadeUpTarget() : null,
                                old,
                                0,
                                "SELECT price FROM product WHERE name LIKE ?"))
                        .differences())
                .anySatisfy(difference ->
                        assertThat(difference).contains("by LIKE with a parameter", "is refused when it runs"));
    }

    @Test
    void shouldTellWhatDecidesAboutHowMany() {
        List<String> statements = new ArrayList<>();
        for (int table = 1; table <= 12; table++) {
            for (int statement = 0; statement < table; statement++) {
                statements.add("UPDATE t" + table + " SET c" + statement + " = 1 WHERE id = 1");
            }
        }
        statements.add("SELECT a FROM t12 WHERE id = 1");
        Assessment assessment = assess(null, OldDatabase.UNKNOWN, 0, statements.toArray(String[]::new));
        assertThat(assessment.count(Verdict.UNKNOWN)).isEqualTo(79);
        OpenTables open = OpenTables.of(assessment);
        assertThat(open.lines())
                .hasSize(11)
                .startsWith(
                        "13 statements depend on the key and the indexes of table t12",
                        "11 statements depend on the key and the indexes of table t11")
                .endsWith("3 statements depend on the key and the indexes of 2 further tables");
        AssessmentPrinter printer = new AssessmentPrinter(assessment);
        for (String text : List.of(printer.summary(), new AssessmentPage(assessment).page())) {
            assertThat(text).contains(open.lines()).contains("--source-url gives the keys");
        }
        assertThat(printer.json(3)).contains("\"furtherTables\" : 2", "\"furtherStatements\" : 3");
    }

    @Test
    void shouldCutOffWhatItKeepsOfLongStatements() {
        Assessment.Seen seen = one(assess(
                new MadeUpTarget(),
                OldDatabase.UNKNOWN,
                0,
                "INSERT INTO [product] (name) VALUES " + "(N'x'), ".repeat(1_000) + "(N'x')"));
        assertThat(seen.sql()).hasSizeLessThan(2_100);
        assertThat(seen.cql()).isNotEmpty().hasSizeLessThanOrEqualTo(100);
        assertThat(seen.cql()).allSatisfy(cql -> assertThat(cql).hasSizeLessThan(2_100));
    }

    /** Whatever an application sends is in the report, and ends nothing. */
    @Test
    void shouldLoseNoneOfRandomStatements() {
        String[] parts = {
            "SELECT",
            "name",
            "FROM",
            "product",
            "WHERE",
            "id",
            "=",
            "1",
            "'a'",
            "'2024-01-31'",
            "N'%x_'",
            "LIKE",
            "(",
            ")",
            ",",
            "INSERT INTO",
            "VALUES",
            "UPDATE",
            "SET",
            "DELETE",
            "?",
            "TOP",
            "ORDER BY",
            "OFFSET",
            "0",
            "ROWS",
            "IF",
            "BEGIN",
            "END",
            ";",
            "CREATE TABLE",
            "INT",
            "DEFAULT",
            "$5",
            "0x1F",
            "1E3",
            "GETDATE()",
            "--\n",
            "/*",
            "*/",
            "[",
            "]",
            "\"",
            "'",
            "EXEC",
            "@x",
            "DECLARE",
            "JOIN",
            "UNION",
            "CASE",
            "+",
            "/",
            "IN",
            "NULL",
            "MERGE",
            "ALTER TABLE",
            "ADD",
            "{d"
        };
        Random random = new Random(3707);
        String[] statements = new String[20_000];
        for (int i = 0; i < statements.length; i++) {
            StringBuilder sql = new StringBuilder();
            for (int words = 1 + random.nextInt(12); words > 0; words--) {
                sql.append(parts[random.nextInt(parts.length)]).append(random.nextInt(8) == 0 ? "" : " ");
            }
            statements[i] = sql.toString();
        }
        Assessment assessment = assess(null, OldDatabase.UNKNOWN, 0, statements);
        assertThat(assessment.executionsOut()).isEqualTo(statements.length).isEqualTo(assessment.executionsIn());
        assertThat(assessment.statements())
                .flatExtracting(Assessment.Seen::reasons)
                .noneMatch(reason -> String.valueOf(reason).contains("the judge failed"));
    }
}
