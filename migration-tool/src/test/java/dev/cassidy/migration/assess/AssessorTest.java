package dev.cassidy.migration.assess;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cassidy.recorder.KnownNames;
import dev.cassidy.tsql.Schema;
import java.sql.SQLException;
import java.sql.SQLSyntaxErrorException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
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
        OldDatabase old = new OldDatabase(Map.of("stock", Map.of("qty", "5", "size", "3")), Set.of());
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
