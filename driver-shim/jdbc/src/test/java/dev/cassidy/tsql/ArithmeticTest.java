package dev.cassidy.tsql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cassidy.insert.UnsupportedSqlException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is sent for statements with arithmetic and aggregates. */
class ArithmeticTest {

    private static List<String> sent(String sql) {
        return TsqlScript.parse(sql).steps().stream()
                .flatMap(step -> step.statements().stream())
                // What was left out may leave a blank.
                .map(text -> text.replaceAll(" (?=[,)\\]])", ""))
                .toList();
    }

    private static TsqlStep.Cql cql(String sql) {
        return (TsqlStep.Cql) TsqlScript.parse(sql).steps().get(0);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "SELECT n + 1 FROM t WHERE id = 1           | SELECT n FROM t WHERE id = 1",
                "SELECT n FROM t WHERE id = 1               | SELECT n FROM t WHERE id = 1",
                "SELECT -n AS x, name FROM t                | SELECT n, name FROM t",
                "SELECT x = n * 2 FROM t                    | SELECT n FROM t",
                "SELECT n * m FROM t                        | SELECT n, m FROM t",
                "SELECT n * m p FROM t                      | SELECT n, m FROM t",
                "SELECT a.n + a.m FROM t a WHERE a.id = 1   | SELECT n, m FROM t WHERE id = 1",
                "SELECT [n] % 3 FROM dbo.t                  | SELECT n FROM t",
                "SELECT 1 + 1 FROM t                        | SELECT (int)1 FROM t",
                "SELECT 7 / 2                               | SELECT (int)1 FROM system.local",
                "SELECT TOP 3 n / 2 FROM t                  | SELECT n FROM t LIMIT 3",
                "SELECT SUM(n) FROM t          | SELECT SUM(CAST(n AS decimal)), COUNT(n) FROM t",
                "SELECT p, avg(n) a FROM t GROUP BY p | SELECT p, SUM(CAST(n AS decimal)), COUNT(n) FROM t GROUP BY p",
                "SELECT SUM(n * 2) FROM t"
                        + " | SELECT SUM(CAST(n AS decimal) * (decimal)2), COUNT(CAST(n AS decimal) * (decimal)2) FROM t",
                "SELECT SUM((a + b) * c) FROM t"
                        + " | SELECT SUM((CAST(a AS decimal) + CAST(b AS decimal)) * CAST(c AS decimal)),"
                        + " COUNT((CAST(a AS decimal) + CAST(b AS decimal)) * CAST(c AS decimal)) FROM t",
                "SELECT SUM(CAST(n AS BIGINT)) FROM t"
                        + " | SELECT SUM(CAST(n AS decimal)), COUNT(CAST(n AS decimal)) FROM t",
                "SELECT SUM(n) * 1.0 / COUNT(*) FROM t"
                        + " | SELECT SUM(CAST(n AS decimal)), COUNT(n), COUNT(*) FROM t",
                "SELECT \"sum\"(n), system.avg(m) FROM t"
                        + " | SELECT SUM(CAST(n AS decimal)), COUNT(n), SUM(CAST(m AS decimal)), COUNT(m) FROM t",
                "SELECT f.sum(n) FROM t                     | SELECT f.sum(n) FROM t",
                "SELECT ABS(n), ABS(n - m) FROM t           | SELECT n, n, m FROM t",
                "SELECT MAX(n) + 1 FROM t                   | SELECT MAX(n) FROM t",
                "SELECT MAX(n), COUNT(*) FROM t             | SELECT MAX(n), COUNT(*) FROM t",
                "SELECT CAST(n AS DECIMAL(10,2)) FROM t     | SELECT n FROM t",
                "SELECT CONVERT(BIGINT, n) * n FROM t       | SELECT n, n FROM t",
                "SELECT CAST(n AS text) FROM t              | SELECT CAST(n AS text) FROM t",
                "SELECT at - 1d FROM t                      | SELECT at - 1d FROM t",
                "SELECT 'a' + name FROM t                   | SELECT 'a' + name FROM t",
                "SELECT -1, 1.5 FROM t                      | SELECT (int)-1, (decimal)1.5 FROM t",
                "SELECT writetime(n) / 1000 FROM t          | SELECT writetime(n) FROM t",
                "SELECT ISNULL(SUM(n), 0) FROM t            | SELECT SUM(CAST(n AS decimal)), COUNT(n) FROM t",
            })
    void shouldSelectTheOperands(String sql, String expected) {
        assertThat(sent(sql)).containsExactly(expected);
    }

    @Test
    void shouldKeepTheResultsColumnsInTheirOrder() {
        Calculation calculation = cql("SELECT a, b + c AS d, e, SUM(n) FROM t GROUP BY a, b, c, e")
                .calculation();

        assertThat(calculation).isNotNull();
        assertThat(calculation.outputs()).hasSize(4);
        assertThat(calculation.outputs().get(0)).isEqualTo(new Calculation.Output.Served(0));
        assertThat(calculation.outputs().get(1))
                .isEqualTo(new Calculation.Output.Calculated(
                        "d",
                        new Expression.Binary(
                                NumberType.Operator.PLUS,
                                new Expression.Column(1, null),
                                new Expression.Column(2, null))));
        assertThat(calculation.outputs().get(2)).isEqualTo(new Calculation.Output.Served(3));
        assertThat(((Calculation.Output.Calculated) calculation.outputs().get(3)).label())
                .isEqualTo("system.sum(n)");
        assertThat(calculation.probe()).isEqualTo("SELECT n FROM t");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT n FROM t WHERE id = ?",
                "SELECT COUNT(*) FROM t",
                "SELECT * FROM t WHERE id = -1",
                "SELECT t.* FROM t",
                "SELECT MAX(n) m, -1 FROM t",
                "SELECT id, similarity_cosine(v, [-0.1, 0.2]) FROM t ORDER BY v ANN OF [-0.1, 0.2] LIMIT 3",
                "SELECT m[-1], ks.fmt(price, -2) AS p, toJson(-1), ks.f({a: -1}) FROM t",
                "SELECT sum, avg FROM t"
            })
    void shouldNotCalculateOtherStatements(String sql) {
        assertThat(cql(sql).calculation()).isNull();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "INSERT INTO t (id, n) VALUES (1, 7 / 2)  | INSERT INTO t (id, n) VALUES (1, 3)",
                "INSERT INTO t (id, n) VALUES (1+1, -7/2) | INSERT INTO t (id, n) VALUES (2, -3)",
                "INSERT INTO t (id, d) VALUES (1, 7 / 2.0) | INSERT INTO t (id, d) VALUES (1, 3.500000)",
                // A literal has its own digits: 3 is a numeric(1,0) here.
                "INSERT INTO t (id, d) VALUES (1, 1.0 / 3) | INSERT INTO t (id, d) VALUES (1, 0.333333)",
                "INSERT INTO t (id, d) VALUES (1, .5 + 1) | INSERT INTO t (id, d) VALUES (1, 1.5)",
                "INSERT INTO t (id, n) VALUES (1, (2 + 3) * 4) | INSERT INTO t (id, n) VALUES (1, 20)",
                "INSERT INTO t (id, n) VALUES (1, NULL + 1) | INSERT INTO t (id, n) VALUES (1, NULL)",
                "INSERT INTO t (id, n) VALUES (1, CAST('7' AS INT) / 2) | INSERT INTO t (id, n) VALUES (1, 3)",
                "INSERT INTO t (id, l) VALUES (1, [1 + 1, 2]) | INSERT INTO t (id, l) VALUES (1, [2, 2])",
                "INSERT INTO t (id, l) VALUES (1, [ null - 1 ]) | INSERT INTO t (id, l) VALUES (1, [ NULL])",
                "INSERT INTO t (id, n) VALUES (1, abs(2 - 5)) | INSERT INTO t (id, n) VALUES (1, abs(-3))",
                "INSERT INTO t (id, n) VALUES (1, -5)     | INSERT INTO t (id, n) VALUES (1, -5)",
                "INSERT INTO t (id, at) VALUES (1, now() - 1d) | INSERT INTO t (id, at) VALUES (1, now() - 1d)",
                "INSERT INTO t (id, x) VALUES (1, 1e0 / 3) | INSERT INTO t (id, x) VALUES (1, 0.3333333333333333)",
                "INSERT INTO t (id, s) VALUES (1, 'a' + 'b' + ?) | INSERT INTO t (id, s) VALUES (1, 'a' + 'b' + ?)",
                "INSERT INTO t (id, s) VALUES (1, 'a' + NULL) | INSERT INTO t (id, s) VALUES (1, NULL)",
                "INSERT INTO t (id, s) VALUES (1, NULL + N'a' + 'b') | INSERT INTO t (id, s) VALUES (1, NULL)",
                "INSERT INTO t (id, s) VALUES (1, ('a' + (NULL)) + 'b') | INSERT INTO t (id, s) VALUES (1, NULL)",
                "INSERT INTO t (id, s) VALUES (1, 'a' + CAST(NULL AS NVARCHAR(3))) | INSERT INTO t (id, s) VALUES (1, NULL)",
                "INSERT INTO t (id, s) VALUES (1, CONVERT(VARCHAR(3), NULL) + 'a') | INSERT INTO t (id, s) VALUES (1, NULL)",
                "INSERT INTO t (id, s) VALUES (1, 'a' + ks.f(NULL)) | INSERT INTO t (id, s) VALUES (1, 'a' + ks.f(NULL))",
                "UPDATE t SET s = 'a' + NULL WHERE id = 1  | UPDATE t SET s = NULL WHERE id = 1",
                "UPDATE t SET s = NULL + 'a' WHERE id = 1  | UPDATE t SET s = NULL WHERE id = 1",
                "UPDATE t SET s = 'a' + CAST(NULL AS NVARCHAR(3)) WHERE id = 1 | UPDATE t SET s = NULL WHERE id = 1",
                "UPDATE t SET s = s + 'a' + NULL WHERE id = 1 | UPDATE t SET s = NULL WHERE id = 1",
                "UPDATE t SET n = 7 / 2, m = 1 WHERE id = 1 | UPDATE t SET n = 3, m = 1 WHERE id = 1",
                "UPDATE t SET n = 1 WHERE id = 3 - 2      | UPDATE t SET n = 1 WHERE id = 1",
                "UPDATE t SET n = 1 WHERE id = 1 IF m = 1 + 1 | UPDATE t SET n = 1 WHERE id = 1 IF m = 2",
                "UPDATE t SET c = c + 1 WHERE id = 1      | UPDATE t SET c = c + 1 WHERE id = 1",
                "UPDATE i SET c = i.c - 1 FROM t i WHERE i.id = 1 | UPDATE t SET c = c - 1 WHERE id = 1",
                "UPDATE i SET i.c = (i.c - 1) FROM t i WHERE i.id = 1 | UPDATE t SET c = c - 1 WHERE id = 1",
                "UPDATE t SET c = c - ? WHERE id = 1      | UPDATE t SET c = c - ? WHERE id = 1",
                "UPDATE t SET l = l + [1 + 1] WHERE id = 1 | UPDATE t SET l = l + [2] WHERE id = 1",
                "UPDATE t SET l = [0] + l WHERE id = 1    | UPDATE t SET l = [0] + l WHERE id = 1",
                "DELETE FROM t WHERE id = 2 * 3           | DELETE FROM t WHERE id = 6",
                "SELECT n FROM t WHERE id = 1 + 1         | SELECT n FROM t WHERE id = 2",
                "SELECT n FROM t WHERE id IN (1 + 1, 5)   | SELECT n FROM t WHERE id IN (2, 5)",
                "SELECT n FROM t WHERE id = 1 AND c > 7/2 | SELECT n FROM t WHERE id = 1 AND c > 3",
                "SELECT n FROM t WHERE id = 1 AND c BETWEEN -1 AND 2 + 3"
                        + " | SELECT n FROM t WHERE id = 1 AND c >= -1 AND c <= 5",
                "SELECT n FROM t WHERE id = -1            | SELECT n FROM t WHERE id = -1",
                // A sign binds less than a multiplication: the known result of SQL Server is 0.1.
                "INSERT INTO t (id, d) VALUES (1, -100.0 / -100.0 * 10.0) | INSERT INTO t (id, d) VALUES (1, 0.1000000000)",
            })
    void shouldCalculateConstants(String sql, String expected) {
        assertThat(sent(sql)).containsExactly(expected);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "INSERT INTO t (id, n) VALUES (1, 2147483647 + 1) | 8115",
                "UPDATE t SET n = 65536 * 65536 WHERE id = 1      | 8115",
                "SELECT 2147483647 + 1                            | 8115",
                "SELECT n FROM t WHERE id = 2147483647 + 1        | 8115",
                "DELETE FROM t WHERE id = -2147483647 - 2         | 8115",
                "INSERT INTO t (id, n) VALUES (1, 1 / 0)          | 8134",
                "SELECT 1 % 0                                     | 8134",
                "SELECT 5e0 % 2                                   | 402",
            })
    void shouldRefuseAsSqlServerDoes(String sql, int number) {
        assertThatThrownBy(() -> TsqlScript.parse(sql))
                .isInstanceOfSatisfying(UnsupportedSqlException.class, e -> assertThat(e.number())
                        .isEqualTo(number));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT n + ? FROM t",
                "SELECT SUM(n * ?) FROM t",
                "SELECT 'a' - name FROM t",
                "SELECT n * '1' FROM t",
                "SELECT $5 + n FROM t",
                "SELECT *, n + 1 FROM t",
                "SELECT DISTINCT n / 2 FROM t",
                "SELECT DISTINCT TOP 5 n / 2 FROM t",
                "SELECT JSON n + 1 FROM t",
                "SELECT MAX(n + 1) FROM t",
                "SELECT round(SUM(n), 2) FROM t",
                "SELECT m[NaN / 2] FROM t",
                "SELECT CAST(SUM(n) AS text) FROM t",
                "SELECT SUM(n / 2) FROM t",
                "SELECT SUM(SUM(n)) FROM t",
                "SELECT SUM(DISTINCT n) FROM t",
                "SELECT SUM(n) OVER (ORDER BY m) FROM t",
                "SELECT n + 1 AS x FROM t WHERE p = 1 ORDER BY x",
                "SELECT n + 1 FROM t WHERE p = 1 ORDER BY 1",
                "SELECT n & 1 + 2 FROM t",
                "SELECT n FROM t WHERE id = ? + 1",
                "SELECT n FROM t WHERE n + 1 = 2",
                "SELECT n FROM t WHERE id = abs(1) + 1",
                "INSERT INTO t (id, n) VALUES (1, ? + 1)",
                "INSERT INTO t (id, n) VALUES (1, 'a' - 'b')",
                "INSERT INTO t (id, s) VALUES (1, 'a' + ? + NULL)",
                "INSERT INTO t (id, n) VALUES (1, $7 / 2)",
                "INSERT INTO t (id, at) VALUES (1, GETDATE() - 1)",
                "INSERT INTO t (id, d) VALUES (1, (double)7 / 2)",
                "INSERT INTO t (id, l) VALUES (1, [1] + 3 + 4)",
                "INSERT INTO t (id, b) VALUES (1, true - - 1.5)",
                "INSERT INTO t (id, l) VALUES (1, {1} * 3 - 4)",
                "SELECT (int)1 + 1 FROM t",
                "UPDATE t SET n = m * 2 WHERE id = 1",
                "UPDATE t SET c = c - 2 + 3 WHERE id = 1",
                "UPDATE t SET n = ? * 2 WHERE id = 1",
            })
    void shouldRefuseByName(String sql) {
        assertThatThrownBy(() -> TsqlScript.parse(sql))
                .isInstanceOfSatisfying(UnsupportedSqlException.class, e -> assertThat(e.number())
                        .isZero())
                .hasMessageContaining(" is not supported: ");
    }

    @Test
    void shouldLimitAnExpression() {
        assertThatThrownBy(() -> TsqlScript.parse("SELECT n" + " + n".repeat(1_000) + " FROM t"))
                .hasMessageContaining("more than 200 operators");
        assertThatThrownBy(
                        () -> TsqlScript.parse("SELECT " + "(".repeat(5_000) + "n + 1" + ")".repeat(5_000) + " FROM t"))
                .isInstanceOf(UnsupportedSqlException.class);
    }
}
