package dev.cassidy.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.sql.BatchUpdateException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLDataException;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import java.sql.Types;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Sums and arithmetic have SQL Server's types, and what does not fit is an error. */
class ArithmeticIT {

    private static TestCluster cluster;

    @AutoClose
    private final Connection connection = cluster.open();

    @BeforeAll
    static void prepare() {
        cluster = TestCluster.fresh("arithmetic_it");
        cluster.cql(
                "CREATE TABLE $.t (p int, c int, y tinyint, s smallint, n int, b bigint, v varint, d decimal, f float,"
                        + " x double, name text, at timestamp, flag boolean, PRIMARY KEY (p, c))",
                "CREATE TABLE $.hits (id int PRIMARY KEY, c counter)",
                "CREATE TABLE $.empty (id int PRIMARY KEY, n int)",
                "CREATE TABLE $.stored (id int PRIMARY KEY, n int, b bigint, d decimal, x double, flag boolean,"
                        + " l list<int>)",
                "CREATE TABLE $.random (p int, c int, s smallint, n int, b bigint, d decimal, x double,"
                        + " PRIMARY KEY (p, c))",
                "CREATE TABLE $.\"Odd\" (id int PRIMARY KEY, \"N\" int, \"order\" int)");
        for (int c = 1; c <= 3; c++) {
            cluster.cql("INSERT INTO $.t (p, c, y, s, n, b, v, d, f, x) VALUES (1, " + c
                    + ", 100, 30000, 1000000000, 4000000000000000000, 7, 1.25, 1.5, 2.5)");
        }
        cluster.cql(
                "INSERT INTO $.t (p, c) VALUES (2, 1)",
                "INSERT INTO $.t (p, c) VALUES (2, 2)",
                "INSERT INTO $.t (p, c, s, n, b, d, name) VALUES (3, 1, 7, 7, 7, 7.50, 'seven')",
                "INSERT INTO $.t (p, c, n) VALUES (3, 2, -2)",
                "INSERT INTO $.t (p, c) VALUES (3, 3)",
                "INSERT INTO $.t (p, c, s, n, b) VALUES (4, 1, -32768, -2147483648, -9223372036854775808)",
                "INSERT INTO $.t (p, c, s, n, b) VALUES (4, 2, 32767, 2147483647, 9223372036854775807)",
                "UPDATE $.hits SET c = c + 5 WHERE id = 1",
                "INSERT INTO $.\"Odd\" (id, \"N\", \"order\") VALUES (1, 20, 3)");
    }

    private List<List<Object>> rows(String sql, Object... parameters) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < parameters.length; i++) {
                statement.setObject(i + 1, parameters[i]);
            }
            try (ResultSet rows = statement.executeQuery()) {
                List<List<Object>> all = new ArrayList<>();
                while (rows.next()) {
                    List<Object> row = new ArrayList<>();
                    for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++) {
                        row.add(rows.getObject(i));
                    }
                    all.add(row);
                }
                return all;
            }
        }
    }

    private Object value(String sql, Object... parameters) throws SQLException {
        List<List<Object>> rows = rows(sql, parameters);
        assertThat(rows).hasSize(1);
        assertThat(rows.get(0)).hasSize(1);
        return rows.get(0).get(0);
    }

    private int run(String sql, Object... parameters) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < parameters.length; i++) {
                statement.setObject(i + 1, parameters[i]);
            }
            return statement.executeUpdate();
        }
    }

    private static void assertOverflow(ThrowingCallable call) {
        assertError(call, 8115, "22003");
    }

    private static void assertError(ThrowingCallable call, int number, String state) {
        assertThatThrownBy(call).isInstanceOfSatisfying(SQLDataException.class, e -> {
            assertThat(e.getErrorCode()).isEqualTo(number);
            assertThat(e.getSQLState()).isEqualTo(state);
        });
    }

    // ---- aggregates

    @Test
    void shouldNotWrapASum() throws SQLException {
        assertOverflow(() -> rows("SELECT SUM(n) FROM t WHERE p = 1"));
        assertOverflow(() -> rows("SELECT SUM(n) FROM t WHERE p = ?", 1));
        assertOverflow(() -> rows("SELECT SUM(b) FROM t WHERE p = 1"));
        assertOverflow(() -> rows("SELECT AVG(n) FROM t WHERE p = 1"));
        assertOverflow(() -> rows("SELECT AVG(b) FROM t WHERE p = 1"));
        assertThat(value("SELECT SUM(CAST(n AS BIGINT)) FROM t WHERE p = 1")).isEqualTo(3_000_000_000L);
        assertThat(value("SELECT SUM(n * 1.0) FROM t WHERE p = 1")).isEqualTo(new BigDecimal("3000000000.0"));
        assertThat(value("SELECT SUM(n) FROM t WHERE p = 1 AND c IN (1, 2)")).isEqualTo(2_000_000_000);
        assertThat(value("SELECT SUM(n) FROM t WHERE p = 4")).isEqualTo(-1);
        assertThat(value("SELECT SUM(b) FROM t WHERE p = 4")).isEqualTo(-1L);
    }

    @Test
    void shouldGiveAggregatesSqlServersTypes() throws SQLException {
        assertThat(rows("SELECT SUM(y), SUM(s), SUM(v), SUM(d), SUM(f), SUM(x) FROM t WHERE p = 1"))
                .containsExactly(List.of(300, 90000, new BigDecimal("21"), new BigDecimal("3.75"), 4.5, 7.5));
        assertThat(rows("SELECT AVG(y), AVG(s), AVG(v), AVG(d), AVG(f), AVG(x) FROM t WHERE p = 1"))
                .containsExactly(List.of(100, 30000, new BigDecimal("7.000000"), new BigDecimal("1.250000"), 1.5, 2.5));
        assertThat(rows("SELECT SUM(c), AVG(c) FROM hits WHERE id = 1")).containsExactly(List.of(5L, 5L));
        assertThat(rows("SELECT AVG(n), AVG(n * 1.0), AVG(CAST(n AS FLOAT)) FROM t WHERE p = 3"))
                .containsExactly(List.of(2, new BigDecimal("2.500000"), 2.5));
    }

    @Test
    void shouldGiveNullWhereThereIsNothingToSum() throws SQLException {
        List<Object> nulls = Arrays.asList(null, null, null, null, 0L);
        assertThat(rows("SELECT SUM(n), AVG(n), SUM(d), AVG(x), COUNT(n) FROM t WHERE p = 2"))
                .containsExactly(nulls);
        assertThat(rows("SELECT SUM(n), AVG(n), SUM(d), AVG(x), COUNT(n) FROM t WHERE p = 99"))
                .containsExactly(nulls);
        assertThat(rows("SELECT SUM(n), AVG(n) FROM empty")).containsExactly(Arrays.asList(null, null));
        assertThat(rows("SELECT SUM(n) + 1, ISNULL(SUM(n), 0), COALESCE(SUM(n), 5) * 2 FROM empty"))
                .containsExactly(Arrays.asList(null, 0, 10));
        assertThat(rows("SELECT p, SUM(n), SUM(d) FROM t WHERE p IN (2, 3) GROUP BY p"))
                .containsExactlyInAnyOrder(Arrays.asList(2, null, null), Arrays.asList(3, 5, new BigDecimal("7.50")));
        assertThat(rows("SELECT p, c, SUM(n) AS total FROM t WHERE p = 3 GROUP BY p, c"))
                .containsExactly(Arrays.asList(3, 1, 7), Arrays.asList(3, 2, -2), Arrays.asList(3, 3, null));
    }

    @Test
    void shouldCalculateWithAggregates() throws SQLException {
        assertThat(rows("SELECT SUM(n) * 1.0 / COUNT(*), MAX(n) + 1, SUM(n * c), SUM(n + c) - 1, SUM(-n) FROM t"
                        + " WHERE p = 3"))
                .containsExactly(List.of(new BigDecimal("1.666666666666"), 8, 3, 7, -5));
        assertThat(rows("SELECT SUM(d * n), SUM((n + 1) * (c - 3)) FROM t WHERE p = 3 AND c < 3"))
                .containsExactly(List.of(new BigDecimal("52.50"), -15));
        assertOverflow(() -> rows("SELECT MAX(n) + 1 FROM t WHERE p = 4"));
        assertOverflow(() -> rows("SELECT CAST(SUM(n) AS BIGINT) FROM t WHERE p = 1"));
        assertThat(value("SELECT COUNT(*) * 2 FROM t WHERE p = 1")).isEqualTo(6);
    }

    // ---- arithmetic of columns

    @Test
    void shouldCalculateInTheTypesOfTheOperands() throws SQLException {
        assertThat(rows("SELECT n + 1, n * 2, n / 2, n % 2, -n, s + s, b - 1, n / 2.0, d * 2, d / 2 FROM t"
                        + " WHERE p = 3 AND c = 1"))
                .containsExactly(List.of(
                        8,
                        14,
                        3,
                        1,
                        -7,
                        (short) 14,
                        6L,
                        new BigDecimal("3.500000"),
                        new BigDecimal("15.00"),
                        new BigDecimal("3.750000")));
        assertThat(rows("SELECT n + 1, n * n, -d FROM t WHERE p = 3 AND c = 3"))
                .containsExactly(Arrays.asList(null, null, null));
        assertThat(rows("SELECT x * 2, f + 1, n + x, CAST(x AS INT), CAST(n AS DECIMAL(12,2)) FROM t"
                        + " WHERE p = 1 AND c = 1"))
                .containsExactly(List.of(5.0, 2.5f, 1000000002.5, 2, new BigDecimal("1000000000.00")));
        assertThat(rows("SELECT ABS(n), ABS(d), ABS(n - 5) FROM t WHERE p = 3 AND c = 2"))
                .containsExactly(Arrays.asList(2, null, 7));
        assertThat(rows("SELECT name, t.n + c next, c FROM t WHERE p = 3 AND c = 1"))
                .containsExactly(List.of("seven", 8, 1));
        assertThat(rows("SELECT [N] / [order], o.\"order\" % 2 FROM [Odd] o WHERE id = 1"))
                .containsExactly(List.of(6, 1));
        assertThat(rows("SELECT 7/2, 7/2.0, 1+1, -7%2, 1e0/3"))
                .containsExactly(List.of(3, new BigDecimal("3.500000"), 2, -1, 1e0 / 3));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT n + 1 FROM t WHERE p = 4 AND c = 2",
                "SELECT n - 1 FROM t WHERE p = 4 AND c = 1",
                "SELECT n * 2 FROM t WHERE p = 4 AND c = 2",
                "SELECT -n FROM t WHERE p = 4 AND c = 1",
                "SELECT -b FROM t WHERE p = 4 AND c = 1",
                "SELECT s + s FROM t WHERE p = 4 AND c = 2",
                "SELECT ABS(n) FROM t WHERE p = 4 AND c = 1",
                "SELECT b + 1 FROM t WHERE p = 4 AND c = 2",
                "SELECT b * n FROM t WHERE p = 4 AND c = 2",
                "SELECT n + n + n FROM t WHERE p = 1 AND c = 1",
                "SELECT CAST(b AS INT) FROM t WHERE p = 4 AND c = 2",
                "SELECT CAST(n AS SMALLINT) FROM t WHERE p = 1 AND c = 1",
                "SELECT n + 1 FROM t WHERE p = 4",
            })
    void shouldRefuseWhatDoesNotFit(String sql) {
        assertOverflow(() -> rows(sql));
        assertOverflow(() -> {
            try (Statement statement = connection.createStatement();
                    ResultSet rows = statement.executeQuery(sql)) {
                while (rows.next()) {
                    // The error comes with its row, whether the column is read or not.
                }
            }
        });
    }

    @Test
    void shouldRefuseADivisionByZero() {
        assertError(() -> rows("SELECT n / 0 FROM t WHERE p = 3 AND c = 1"), 8134, "22012");
        assertError(() -> rows("SELECT 1 / (c - 1) FROM t WHERE p = 3"), 8134, "22012");
        assertError(() -> rows("SELECT n % 0 FROM t WHERE p = 3 AND c = 1"), 8134, "22012");
        assertError(() -> run("INSERT INTO stored (id, n) VALUES (1, 1/0)"), 8134, "22012");
    }

    @Test
    void shouldReadRowsUpToTheOneThatFails() throws SQLException {
        try (Statement statement =
                        connection.createStatement(ResultSet.TYPE_SCROLL_INSENSITIVE, ResultSet.CONCUR_READ_ONLY);
                ResultSet rows = statement.executeQuery("SELECT c, n + 1 AS next FROM t WHERE p = 4")) {
            assertThat(rows.next()).isTrue();
            assertThat(rows.getInt("next")).isEqualTo(-2147483647);
            assertOverflow(rows::next);
        }
        try (Statement statement =
                        connection.createStatement(ResultSet.TYPE_SCROLL_INSENSITIVE, ResultSet.CONCUR_READ_ONLY);
                ResultSet rows = statement.executeQuery("SELECT c * 10, c FROM t WHERE p = 3")) {
            assertThat(rows.last()).isTrue();
            assertThat(rows.getInt(1)).isEqualTo(30);
            assertThat(rows.absolute(2)).isTrue();
            assertThat(rows.getInt(1)).isEqualTo(20);
        }
    }

    @Test
    void shouldCalculateOverSeveralPages() throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("SELECT c * 2, c FROM t WHERE p = ?")) {
            statement.setFetchSize(1);
            statement.setInt(1, 1);
            try (ResultSet rows = statement.executeQuery()) {
                for (int c = 1; c <= 3; c++) {
                    assertThat(rows.next()).isTrue();
                    assertThat(rows.getInt(1)).isEqualTo(2 * c);
                    assertThat(rows.getInt(2)).isEqualTo(c);
                }
                assertThat(rows.next()).isFalse();
            }
        }
    }

    @Test
    void shouldFindNoRowWhereNoneIs() throws SQLException {
        assertThat(rows("SELECT n + 1 FROM t WHERE p = 3 AND 1 = 0")).isEmpty();
        assertThat(rows("SELECT TOP 0 n + 1 FROM t WHERE p = 3")).isEmpty();
        assertThat(rows("SELECT TOP 1 n + 1 FROM t WHERE p = 3")).containsExactly(List.of(8));
        assertThat(rows("SELECT n + 1 FROM t WHERE p = 99")).isEmpty();
    }

    // ---- metadata

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "SUM(n)                  | INTEGER  | java.lang.Integer    | 10 | 0 | system.sum(n)",
                "SUM(s) AS total         | INTEGER  | java.lang.Integer    | 10 | 0 | total",
                "AVG(b)                  | BIGINT   | java.lang.Long       | 19 | 0 | system.avg(b)",
                "SUM(x)                  | DOUBLE   | java.lang.Double     | 15 | 0 | system.sum(x)",
                "SUM(d)                  | DECIMAL  | java.math.BigDecimal | 38 | 0 | system.sum(d)",
                "SUM(n * 1.5)            | DECIMAL  | java.math.BigDecimal | 38 | 1 | ''",
                "AVG(n * 1.50)           | DECIMAL  | java.math.BigDecimal | 38 | 6 | ''",
                "MAX(n) + 1              | INTEGER  | java.lang.Integer    | 10 | 0 | ''",
                "COUNT(*) / 2            | INTEGER  | java.lang.Integer    | 10 | 0 | ''",
                "n + 1 AS x              | INTEGER  | java.lang.Integer    | 10 | 0 | x",
                "s * s                   | SMALLINT | java.lang.Short      | 5  | 0 | ''",
                "n / 3.0                 | DECIMAL  | java.math.BigDecimal | 17 | 6 | ''",
                "n * 1.5                 | DECIMAL  | java.math.BigDecimal | 13 | 1 | ''",
                "f * n                   | REAL     | java.lang.Float      | 7  | 0 | ''",
                "x / 3                   | DOUBLE   | java.lang.Double     | 15 | 0 | ''",
                "CAST(n AS DECIMAL(9,4)) | DECIMAL  | java.math.BigDecimal | 9  | 4 | ''",
                "7 / 2.0                 | DECIMAL  | java.math.BigDecimal | 8  | 6 | ''",
            })
    void shouldDescribeResults(String item, String type, String javaClass, int precision, int scale, String label)
            throws SQLException {
        String sql = "SELECT " + item + " FROM t WHERE p = ?";
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            assertDescribed(statement.getMetaData(), type, javaClass, precision, scale, label);
            assertThat(statement.getParameterMetaData().getParameterType(1)).isEqualTo(Types.INTEGER);
            statement.setInt(1, 99);
            try (ResultSet rows = statement.executeQuery()) {
                assertDescribed(rows.getMetaData(), type, javaClass, precision, scale, label);
            }
        }
    }

    private static void assertDescribed(
            ResultSetMetaData columns, String type, String javaClass, int precision, int scale, String label)
            throws SQLException {
        assertThat(columns.getColumnCount()).isEqualTo(1);
        assertThat(java.sql.JDBCType.valueOf(columns.getColumnType(1)).name()).isEqualTo(type);
        assertThat(columns.getColumnClassName(1)).isEqualTo(javaClass);
        assertThat(columns.getPrecision(1)).isEqualTo(precision);
        assertThat(columns.getScale(1)).isEqualTo(scale);
        assertThat(columns.getColumnDisplaySize(1)).isGreaterThan(precision);
        assertThat(columns.getColumnLabel(1)).isEqualTo(label);
        assertThat(columns.isSigned(1)).isTrue();
    }

    // ---- what is stored and found

    @Test
    void shouldStoreWhatSqlServerStores() throws SQLException {
        run("INSERT INTO stored (id, n, d, flag, l) VALUES (10, 7/2, 7/2, 2-2, [1+1, 2*3])");
        assertThat(rows("SELECT n, d, flag, l FROM stored WHERE id = 10"))
                .containsExactly(List.of(3, new BigDecimal("3"), false, List.of(2, 6)));
        run("INSERT INTO stored (id, d, x) VALUES (5 * 2 + 1, 7/2.0, 1e0/8), (12, -7/2, 2)");
        assertThat(rows("SELECT id, d, x FROM stored WHERE id IN (11, 6 * 2)"))
                .containsExactlyInAnyOrder(
                        List.of(11, new BigDecimal("3.500000"), 0.125), List.of(12, new BigDecimal("-3"), 2.0));
        run("UPDATE stored SET d = 9/2, n = 2 * ? WHERE id = 10".replace("2 * ?", "2 * 21"));
        assertThat(rows("SELECT d, n FROM stored WHERE id = ?", 10)).containsExactly(List.of(new BigDecimal("4"), 42));
        run("UPDATE stored SET n = ?, d = 9/4 WHERE id = 4 + 6", 5);
        assertThat(rows("SELECT d, n FROM stored WHERE id = 20/2")).containsExactly(List.of(new BigDecimal("2"), 5));
        run("DELETE FROM stored WHERE id = 2 * 5");
        assertThat(rows("SELECT id FROM stored WHERE id = 10")).isEmpty();
        run("UPDATE hits SET c = c + 2 WHERE id = 1 + 1");
        run("UPDATE hits SET c = c - ? WHERE id = 2", 5L);
        assertThat(value("SELECT c FROM hits WHERE id = 2")).isEqualTo(-3L);
    }

    @Test
    void shouldStoreNothingThatDoesNotFit() throws SQLException {
        assertOverflow(() -> run("INSERT INTO stored (id, n) VALUES (20, 2147483647 + 1)"));
        assertOverflow(() -> run("INSERT INTO stored (id, b) VALUES (20, 2147483647 * 2)"));
        assertOverflow(() -> run("UPDATE stored SET n = 65536 * 65536 WHERE id = 20"));
        assertOverflow(() -> run("DELETE FROM stored WHERE id = 2147483647 + 1"));
        try (Statement batch = connection.createStatement()) {
            batch.addBatch("INSERT INTO stored (id, n) VALUES (21, 20 + 1)");
            assertThatThrownBy(() -> {
                        batch.addBatch("INSERT INTO stored (id, n) VALUES (22, 2147483647 + 1)");
                        batch.executeBatch();
                    })
                    .isInstanceOfAny(BatchUpdateException.class, SQLDataException.class)
                    .satisfies(
                            e -> assertThat(((SQLException) e).getErrorCode()).isEqualTo(8115));
        }
        try (Statement batch = connection.createStatement()) {
            batch.addBatch("INSERT INTO stored (id, n) VALUES (23, 20 + 3)");
            batch.addBatch("INSERT INTO stored (id, n) VALUES (24, 48 / 2)");
            assertThat(batch.executeBatch()).containsExactly(1, 1);
        }
        assertThat(rows("SELECT id, n FROM stored WHERE id IN (20, 22, 23, 24)"))
                .containsExactlyInAnyOrder(List.of(23, 23), List.of(24, 24));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT n + ? FROM t WHERE p = 3",
                "SELECT n FROM t WHERE p = ? + 1",
                "INSERT INTO stored (id, n) VALUES (30, ? + 1)",
                "SELECT name * n FROM t WHERE p = 3",
                "SELECT at - 1 FROM t WHERE p = 3",
                "SELECT SUM(name) FROM t WHERE p = 3",
                "SELECT SUM(flag) FROM t WHERE p = 3",
                "SELECT flag * 2 FROM t WHERE p = 3",
                "SELECT SUM(CAST(d AS INT)) FROM t WHERE p = 3",
            })
    void shouldRefuseOthersByName(String sql) {
        assertThatThrownBy(() -> {
                    try (Connection direct = cluster.open("assist=off");
                            PreparedStatement statement = direct.prepareStatement(sql)) {
                        for (int i = 1; i <= statement.getParameterMetaData().getParameterCount(); i++) {
                            statement.setInt(i, 1);
                        }
                        statement.execute();
                    }
                })
                .isInstanceOf(SQLFeatureNotSupportedException.class)
                .hasMessageContaining("is not supported: ");
    }

    /** What the driver does not calculate itself is evaluated in the client, with SQL Server's errors. */
    @Test
    void shouldEvaluateOthers() throws SQLException {
        assertThat(rows("SELECT n + ? FROM t WHERE p = 3 AND c < 3 ORDER BY c", 1))
                .containsExactly(List.of(8), List.of(-1));
        assertThat(rows("SELECT n FROM t WHERE p = ? + 1 AND c = 1", 2)).containsExactly(List.of(7));
        for (String sql : List.of(
                "SELECT name * n FROM t WHERE p = 3",
                "SELECT at - 1 FROM t WHERE p = 3",
                "SELECT SUM(name) FROM t WHERE p = 3",
                "SELECT SUM(flag) FROM t WHERE p = 3")) {
            assertThatThrownBy(() -> rows(sql)).as(sql).isInstanceOfSatisfying(SQLException.class, e -> assertThat(
                            e.getErrorCode())
                    .isIn(245, 206, 8117));
        }
    }

    @Test
    void shouldLeaveCqlsOwnOperators() throws SQLException {
        assertThat(rows("SELECT at - 1d, c FROM t WHERE p = 3 AND c = 1")).containsExactly(Arrays.asList(null, 1));
        assertThat(rows("SELECT name + name AS twice, n FROM t WHERE p = 3 AND c = 1"))
                .containsExactly(List.of("sevenseven", 7));
    }

    // ---- beside exact arithmetic

    /** Sums of random columns, in groups: the exact sum, or an error if it does not fit. */
    @Test
    void shouldSumAsExactlyAsTheTypeAllows() throws SQLException {
        Random random = new Random(8115);
        List<String> columns = List.of("s", "n", "b", "d");
        BigInteger[] most = {
            BigInteger.valueOf(Short.MAX_VALUE),
            BigInteger.valueOf(Integer.MAX_VALUE),
            BigInteger.valueOf(Long.MAX_VALUE)
        };
        for (int p = 100; p < 130; p++) {
            BigDecimal[] sums = {BigDecimal.ZERO, BigDecimal.ZERO, BigDecimal.ZERO, BigDecimal.ZERO};
            int[] counts = new int[4];
            int shift = random.nextInt(40);
            for (int c = 0; c < 1 + random.nextInt(8); c++) {
                List<Object> values = new ArrayList<>();
                for (int i = 0; i < 4; i++) {
                    Number value = random.nextInt(4) == 0 ? null : number(random, i, shift);
                    values.add(value);
                    if (value != null) {
                        sums[i] = sums[i].add(new BigDecimal(value.toString()));
                        counts[i]++;
                    }
                }
                run(
                        "INSERT INTO random (p, c, s, n, b, d) VALUES (?, ?, ?, ?, ?, ?)",
                        p,
                        c,
                        values.get(0),
                        values.get(1),
                        values.get(2),
                        values.get(3));
            }
            for (int i = 0; i < 4; i++) {
                String column = columns.get(i);
                String sum = "SELECT SUM(" + column + ") FROM random WHERE p = " + p;
                String average = "SELECT p, AVG(" + column + ") FROM random WHERE p = " + p + " GROUP BY p";
                BigInteger limit = most[Math.max(1, Math.min(i, 2))];
                if (counts[i] == 0) {
                    assertThat(value(sum)).isNull();
                    assertThat(rows(average)).containsExactly(Arrays.asList(p, null));
                } else if (i == 3) {
                    assertThat((BigDecimal) value(sum)).isEqualTo(sums[i]);
                    BigDecimal exact = sums[i].divide(
                            BigDecimal.valueOf(counts[i]), Math.max(6, sums[i].scale()), java.math.RoundingMode.DOWN);
                    assertThat(rows(average)).containsExactly(List.of(p, exact));
                } else if (sums[i].toBigInteger().abs().compareTo(limit) > 0) {
                    assertOverflow(() -> value(sum));
                    assertOverflow(() -> rows(average));
                } else {
                    BigInteger exact = sums[i].toBigInteger();
                    assertThat(new BigInteger(value(sum).toString())).isEqualTo(exact);
                    assertThat(new BigInteger(rows(average).get(0).get(1).toString()))
                            .isEqualTo(exact.divide(BigInteger.valueOf(counts[i])));
                }
            }
        }
    }

    private static Number number(Random random, int column, int shift) {
        return switch (column) {
            case 0 -> (short) random.nextInt();
            case 1 -> random.nextInt() >> Math.min(shift, 30);
            case 2 -> random.nextLong() >> shift;
            default -> new BigDecimal(new BigInteger(60, random), random.nextInt(6));
        };
    }

    /** Random expressions of whole columns: the exact value, or an error where SQL Server's type of a part ends. */
    @Test
    void shouldCalculateAsExactlyAsTheTypesAllow() throws SQLException {
        Random random = new Random(22003);
        int errors = 0;
        for (int i = 0; i < 400; i++) {
            Operands operands = new Operands(
                    random.nextInt(3) == 0 ? random.nextInt(5) - 2 : (short) random.nextInt(),
                    random.nextInt(3) == 0 ? random.nextInt(5) - 2 : random.nextInt(),
                    random.nextInt(3) == 0 ? random.nextInt(5) - 2 : random.nextLong());
            run(
                    "INSERT INTO random (p, c, s, n, b) VALUES (1, 1, ?, ?, ?)",
                    (short) operands.s,
                    (int) operands.n,
                    operands.b);
            Made made = make(random, operands, 1 + random.nextInt(4));
            String sql = "SELECT " + made.text + " FROM random WHERE p = 1";
            if (made.error == 0) {
                assertThat(new BigInteger(value(sql).toString()))
                        .as("%s of %s", made.text, operands)
                        .isEqualTo(made.value);
            } else {
                errors++;
                assertThatThrownBy(() -> value(sql))
                        .as("%s of %s", made.text, operands)
                        .isInstanceOfSatisfying(SQLDataException.class, e -> assertThat(e.getErrorCode())
                                .isEqualTo(made.error));
            }
        }
        assertThat(errors).isBetween(40, 360);
    }

    private record Operands(long s, long n, long b) {}

    /**
     * An expression and what it gives.
     *
     * @param bits of its type
     * @param error SQL Server's number; 0 if there is a value
     */
    private record Made(String text, int bits, BigInteger value, int error) {}

    private static Made make(Random random, Operands operands, int operators) {
        if (operators == 0) {
            return switch (random.nextInt(4)) {
                case 0 -> new Made("s", 15, BigInteger.valueOf(operands.s), 0);
                case 1 -> new Made("n", 31, BigInteger.valueOf(operands.n), 0);
                case 2 -> new Made("b", 63, BigInteger.valueOf(operands.b), 0);
                default -> {
                    int literal = random.nextInt(1 << (1 + random.nextInt(30)));
                    yield new Made(Integer.toString(literal), 31, BigInteger.valueOf(literal), 0);
                }
            };
        }
        if (random.nextInt(6) == 0) {
            Made of = make(random, operands, operators - 1);
            return checked("(-(" + of.text + "))", of.bits, of.value.negate(), of.error);
        }
        int left = random.nextInt(operators);
        Made a = make(random, operands, left);
        Made b = make(random, operands, operators - 1 - left);
        char sign = "+-*/%".charAt(random.nextInt(5));
        String text = "(" + a.text + " " + sign + " " + b.text + ")";
        int bits = Math.max(a.bits, b.bits);
        int error = a.error != 0 ? a.error : b.error;
        if (error == 0 && (sign == '/' || sign == '%') && b.value.signum() == 0) {
            error = 8134;
        }
        if (error != 0) {
            return new Made(text, bits, BigInteger.ZERO, error);
        }
        BigInteger value =
                switch (sign) {
                    case '+' -> a.value.add(b.value);
                    case '-' -> a.value.subtract(b.value);
                    case '*' -> a.value.multiply(b.value);
                    case '/' -> a.value.divide(b.value);
                    default -> a.value.remainder(b.value);
                };
        return checked(text, bits, value, 0);
    }

    private static Made checked(String text, int bits, BigInteger value, int error) {
        return new Made(text, bits, value, error != 0 ? error : value.bitLength() > bits ? 8115 : 0);
    }
}
