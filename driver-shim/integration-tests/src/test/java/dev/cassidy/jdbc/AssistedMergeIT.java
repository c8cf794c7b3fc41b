package dev.cassidy.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Timestamp;
import java.sql.Types;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** MERGE: what is matched and what is not is found by the assistant, and written in one transaction. */
class AssistedMergeIT {

    private static final String UPSERT = "MERGE INTO tally AS t USING (VALUES (?, ?)) AS s (id, n) ON t.id = s.id"
            + " WHEN MATCHED THEN UPDATE SET n = t.n + s.n WHEN NOT MATCHED THEN INSERT (id, n) VALUES (s.id, s.n);";

    private static TestCluster cluster;

    @AutoClose
    private final Connection connection = cluster.open();

    @BeforeAll
    static void create() throws SQLException {
        cluster = TestCluster.fresh("assisted_merge_it");
        TestCluster.install("cassidy");
        try (Connection connection = cluster.open();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE tally (id INT PRIMARY KEY, n INT, name NVARCHAR(10) DEFAULT 'none')");
            statement.execute("CREATE TABLE feed (id INT PRIMARY KEY, n INT, gone BIT)");
            statement.execute("CREATE TABLE seat (hall INT, row_no INT, label NVARCHAR(10), price DECIMAL(9,2),"
                    + " PRIMARY KEY (hall, row_no))");
            statement.execute("CREATE TABLE person (no INT IDENTITY PRIMARY KEY, mail NVARCHAR(20) UNIQUE, age INT)");
            statement.execute(
                    "CREATE TABLE setting ([key] NVARCHAR(20) PRIMARY KEY, changed DATETIME2, [value] NVARCHAR(20))");
            statement.execute("CREATE TABLE cal (id INT PRIMARY KEY, year INT, day INT, date DATE)");
            statement.execute("CREATE TABLE usr (id INT PRIMARY KEY, mail NVARCHAR(20), age INT)");
            statement.execute("CREATE UNIQUE INDEX usr_mail ON usr (mail)");
            statement.execute(
                    "CREATE TABLE conv (id INT PRIMARY KEY, s NVARCHAR(60), short NVARCHAR(5), x FLOAT, r REAL,"
                            + " d DATETIME2(3), dd DATE, t TIME(0), dt DATETIME, sd SMALLDATETIME, m MONEY, p DECIMAL(9,3), bt BIT,"
                            + " a TINYINT, o DATETIMEOFFSET(2), u UNIQUEIDENTIFIER)");
            statement.execute("CREATE TABLE plain (id INT PRIMARY KEY, n INT) WITH (plain)");
        }
    }

    @BeforeEach
    void fill() throws SQLException {
        for (String table : List.of("tally", "feed", "seat", "person", "setting", "cal", "usr", "conv")) {
            rows("TRUNCATE TABLE " + table);
        }
        rows("INSERT INTO tally (id, n) VALUES (1, 10)");
        rows("INSERT INTO tally (id, n) VALUES (2, 20)");
    }

    /** Runs a statement, and returns its rows; a count as {@code #count}. */
    private String rows(String sql, Object... parameters) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < parameters.length; i++) {
                if (parameters[i] == null) {
                    statement.setNull(i + 1, Types.VARCHAR);
                } else {
                    statement.setObject(i + 1, parameters[i]);
                }
            }
            if (!statement.execute()) {
                return "#" + statement.getUpdateCount();
            }
            List<String> rows = new ArrayList<>();
            try (ResultSet result = statement.getResultSet()) {
                int columns = result.getMetaData().getColumnCount();
                while (result.next()) {
                    List<String> row = new ArrayList<>();
                    for (int i = 1; i <= columns; i++) {
                        row.add(result.getString(i));
                    }
                    rows.add(String.join("|", row));
                }
            }
            Collections.sort(rows);
            return String.join(",", rows);
        }
    }

    private String tallies() throws SQLException {
        return rows("SELECT id, n, name FROM tally WHERE id > 0");
    }

    private void assertNumber(int number, String sql, Object... parameters) {
        assertThatThrownBy(() -> rows(sql, parameters))
                .as(sql)
                .isInstanceOfSatisfying(
                        SQLException.class, e -> assertThat(e.getErrorCode()).isEqualTo(number));
    }

    @Test
    void shouldUpdateOrInsert() throws SQLException {
        assertThat(rows(UPSERT, 1, 5)).isEqualTo("#1");
        assertThat(rows(UPSERT, 3, 30)).isEqualTo("#1");

        assertThat(tallies()).isEqualTo("1|15|none,2|20|none,3|30|none");
        assertThat(rows(
                        "MERGE tally USING (SELECT ? AS id, ? AS n UNION ALL SELECT ?, ?) s ON tally.id = s.id"
                                + " WHEN NOT MATCHED THEN INSERT (id, n, name) VALUES (id, n, 'new') WHEN MATCHED AND s.n > tally.n"
                                + " THEN UPDATE SET tally.n = s.n, name = UPPER(name)",
                        2,
                        21,
                        9,
                        9))
                .isEqualTo("#2");
        assertThat(rows(
                        "MERGE INTO dbo.[tally] WITH (HOLDLOCK) t USING (VALUES (1, 1), (2, 100)) s (id, n) ON (s.id = t.id)"
                                + " WHEN MATCHED AND t.n < s.n THEN DELETE WHEN MATCHED THEN UPDATE SET n = 0;"))
                .isEqualTo("#2");
        assertThat(tallies()).isEqualTo("1|0|none,3|30|none,9|9|new");
    }

    @Test
    void shouldWriteRowsThatTheSourceHasNot() throws SQLException {
        rows("INSERT INTO tally (id, n) VALUES (3, 30)");
        rows("INSERT INTO tally (id, n) VALUES (4, NULL)");
        rows("INSERT INTO feed (id, n) VALUES (2, 22)");
        rows("INSERT INTO feed (id, n) VALUES (5, 55)");
        assertThat(rows("MERGE tally t USING feed s ON t.id = s.id WHEN MATCHED THEN UPDATE SET n = s.n"
                        + " WHEN NOT MATCHED BY TARGET THEN INSERT (id, n) VALUES (s.id, s.n)"
                        + " WHEN NOT MATCHED BY SOURCE AND t.n IS NULL THEN DELETE"
                        + " WHEN NOT MATCHED BY SOURCE THEN UPDATE SET name = 'left';"))
                .isEqualTo("#5");
        // What a clause does not set stays.
        assertThat(tallies()).isEqualTo("1|10|left,2|22|none,3|30|left,5|55|none");

        // A name without a table is the target's there, also one that the source has.
        assertThat(rows("MERGE tally t USING feed s ON t.id = s.id WHEN NOT MATCHED BY SOURCE AND n > 15"
                        + " THEN UPDATE SET n = n + 1 OUTPUT $action, deleted.n, inserted.n;"))
                .isEqualTo("UPDATE|30|31");
        assertThat(rows(
                        "MERGE tally t USING (VALUES (1, ?), (9, 9)) s (id, n) ON t.id = s.id"
                                + " WHEN MATCHED THEN UPDATE SET n = s.n WHEN NOT MATCHED BY SOURCE THEN DELETE;",
                        7))
                .isEqualTo("#4");
        assertThat(tallies()).isEqualTo("1|7|left");
        assertThat(rows("MERGE tally t USING (SELECT id FROM feed WHERE id < 0) s ON t.id = s.id"
                        + " WHEN NOT MATCHED BY SOURCE THEN DELETE OUTPUT $action, deleted.id;"))
                .isEqualTo("DELETE|1");
        assertNumber(
                10714,
                "MERGE tally t USING feed s ON t.id = s.id WHEN NOT MATCHED BY SOURCE AND t.n = 1 THEN DELETE"
                        + " WHEN NOT MATCHED BY SOURCE THEN DELETE;");
    }

    /** Values that a clause does not use are not calculated: 1 / 0 would end it. */
    @Test
    void shouldCalculateWhereAClauseApplies() throws SQLException {
        rows("INSERT INTO tally (id, n) VALUES (3, 0)");
        assertThat(rows("MERGE tally t USING (VALUES (1), (3), (4)) s (id) ON t.id = s.id WHEN MATCHED AND t.n = 0 THEN"
                        + " DELETE WHEN MATCHED THEN UPDATE SET n = 100 / t.n WHEN NOT MATCHED AND s.id > 3 THEN INSERT"
                        + " (id, n) VALUES (s.id, 100 / (s.id - 3));"))
                .isEqualTo("#3");
        assertThat(tallies()).isEqualTo("1|10|none,2|20|none,4|100|none");
    }

    @Test
    void shouldShowWhatWasDone() throws SQLException {
        assertThat(
                        rows(
                                "MERGE tally t USING (VALUES (1, 1), (2, 2), (3, 3)) s (id, n) ON t.id = s.id WHEN MATCHED AND s.n = 2"
                                        + " THEN DELETE WHEN MATCHED THEN UPDATE SET n = s.n WHEN NOT MATCHED THEN INSERT (id, n) VALUES"
                                        + " (s.id, s.n) OUTPUT $action, deleted.n, inserted.n AS now, inserted.name, s.id, $action AS again;"))
                .isEqualTo("DELETE|20|null|null|2|DELETE,INSERT|null|3|none|3|INSERT,UPDATE|10|1|none|1|UPDATE");
        try (Statement statement = connection.createStatement()) {
            ResultSet result = statement.executeQuery(
                    "MERGE TOP (1) tally t USING (VALUES (7), (8)) s (id) ON t.id = s.id"
                            + " WHEN NOT MATCHED THEN INSERT (id, n) VALUES (s.id, DEFAULT) OUTPUT $action, inserted.*;");
            assertThat(result.getMetaData().getColumnLabel(1)).isEqualTo("$action");
            assertThat(result.getMetaData().getColumnLabel(3)).isEqualTo("n");
            assertThat(result.next()).isTrue();
            assertThat(result.next()).isFalse();
            result = statement.executeQuery("SELECT @@ROWCOUNT");
            assertThat(result.next() ? result.getInt(1) : -1).isEqualTo(1);
        }
    }

    @Test
    void shouldMergeTables() throws SQLException {
        rows("INSERT INTO feed (id, n, gone) VALUES (1, 5, 0), (2, 6, 1), (3, 7, 0)");
        String merge =
                "WITH f AS (SELECT * FROM feed WHERE n < ?) MERGE INTO tally AS t USING f ON f.id = t.id WHEN MATCHED"
                        + " AND f.gone = 1 THEN DELETE WHEN MATCHED THEN UPDATE SET t.n = f.n + ? WHEN NOT MATCHED BY TARGET THEN"
                        + " INSERT (id, n) VALUES (f.id, f.n);";
        assertThat(rows(merge, 100, 1)).isEqualTo("#3");
        assertThat(tallies()).isEqualTo("1|6|none,3|7|none");
        assertThat(rows(
                        "MERGE tally USING feed ON feed.id = tally.id AND feed.gone = 0 WHEN NOT MATCHED AND gone = 1 THEN"
                                + " INSERT (id, n) VALUES (id * 10, n);"))
                .isEqualTo("#1");
        assertThat(tallies()).isEqualTo("1|6|none,20|6|none,3|7|none");
    }

    /** As Hibernate 6 and 7 write StatelessSession.upsert and rows of optional secondary tables. */
    @Test
    void shouldServeWhatHibernateWrites() throws SQLException {
        String seat =
                "merge into seat as t using (select cast(? as int) hall, cast(? as int) row_no, cast(? as varchar(max))"
                        + " label, cast(? as numeric(38,2)) price) as s on (t.hall=s.hall and t.row_no=s.row_no) when not matched then"
                        + " insert (hall, row_no, label, price) values (s.hall, s.row_no, s.label, s.price) when matched then update"
                        + " set label=s.label, price=s.price;";
        assertThat(rows(seat, 1, 2, "A", 10.5)).isEqualTo("#1");
        assertThat(rows(seat, 1, 2, "B", null)).isEqualTo("#1");
        assertThat(rows(seat, 1, 3, null, 7)).isEqualTo("#1");
        assertThat(rows("SELECT row_no, label, price FROM seat WHERE hall = 1")).isEqualTo("2|B|null,3|null|7.00");

        String version =
                "merge into tally as t using (select cast(? as int) id,cast(? as int) n) as s on (t.id=s.id) when not"
                        + " matched then insert (id,n) values (s.id,s.n) when matched and t.n=? then update set n=s.n;";
        assertThat(rows(version, 1, 11, 10)).isEqualTo("#1");
        assertThat(rows(version, 1, 12, 10)).as("another version").isEqualTo("#0");
        assertThat(rows(
                        "merge into tally as t using (select cast(? as int) id, cast(? as int) n) as s on (t.id=s.id) when"
                                + " matched and s.n is null then delete when matched then update set n=s.n when not matched then"
                                + " insert (id, n) values (s.id, s.n);",
                        2,
                        null))
                .isEqualTo("#1");
        assertThat(tallies()).isEqualTo("1|11|none");

        String setting =
                "merge into setting as t using (select cast(? as varchar(255)) [key],cast(? as datetime2(7)) changed,"
                        + "cast(? as varchar(255)) [value]) as s on (t.[key]=s.[key]) when not matched then insert ([key],changed,"
                        + "[value]) values (s.[key],s.changed,s.[value]) when matched then update set changed=s.changed,"
                        + "[value]=s.[value];";
        // 'ab' is all that the CAST leaves, and no key is found by what it was given.
        assertThat(rows(
                        "MERGE setting t USING (SELECT CAST(? AS VARCHAR(2)) [key]) s ON t.[key] = s.[key] WHEN NOT MATCHED"
                                + " THEN INSERT ([key], [value]) VALUES (s.[key], '') WHEN MATCHED THEN UPDATE SET [value] = '';",
                        "abc"))
                .isEqualTo("#1");
        assertThat(rows(
                        "MERGE setting t USING (SELECT CAST(? AS VARCHAR(2)) [key]) s ON t.[key] = s.[key] WHEN NOT MATCHED"
                                + " THEN INSERT ([key], [value]) VALUES (s.[key], '') WHEN MATCHED THEN UPDATE SET [value] = '';",
                        "abd"))
                .isEqualTo("#1");
        Timestamp time = Timestamp.valueOf("2024-03-31 12:30:00");
        assertThat(rows(setting, "Color", time, "red")).isEqualTo("#1");
        assertThat(rows(setting, "COLOR", time, "blue")).isEqualTo("#1");
        assertThat(rows("SELECT [key], changed, [value] FROM setting WHERE [value] > ''"))
                .isEqualTo("Color|2024-03-31 12:30:00.0000000|blue");
    }

    @Test
    void shouldFindRowsByTheKeysOfTheSource() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            for (String using : List.of(
                    "(VALUES (1, 2), (3, 4)) AS s (id, n)",
                    "(SELECT 1 AS id, 2 AS n UNION ALL SELECT CAST('3' AS INT), 4) AS s",
                    "(SELECT id = 1, 2 n) s",
                    "(VALUES (CAST('1' AS INT), 1 + 1), (CAST(3 AS BIGINT), ABS(4))) AS s (id, n)",
                    "feed s")) {
                statement.execute("SET SHOWPLAN_TEXT ON");
                List<String> lines = new ArrayList<>();
                try (ResultSet plan = statement.executeQuery(
                        "MERGE tally t USING " + using + " ON (t.id = s.id) WHEN MATCHED THEN UPDATE SET n = s.n;")) {
                    while (plan.next()) {
                        lines.add(plan.getString(1));
                    }
                }
                statement.execute("SET SHOWPLAN_TEXT OFF");
                assertThat(String.join("\n", lines)).as(using).contains("tally by its key (id)");
            }
        }
    }

    @Test
    void shouldDrawIdsAndKeepRules() throws SQLException {
        String merge =
                "MERGE person t USING (SELECT ? AS mail, ? AS age) s ON t.mail = s.mail WHEN MATCHED THEN UPDATE SET"
                        + " age = s.age WHEN NOT MATCHED THEN INSERT (mail, age) VALUES (s.mail, s.age)";
        try (PreparedStatement statement = connection.prepareStatement(merge, Statement.RETURN_GENERATED_KEYS)) {
            statement.setString(1, "a@x");
            statement.setInt(2, 30);
            assertThat(statement.executeUpdate()).isEqualTo(1);
            try (ResultSet keys = statement.getGeneratedKeys()) {
                assertThat(keys.next()).isTrue();
                assertThat(String.valueOf(keys.getLong(1))).isEqualTo(rows("SELECT no FROM person WHERE mail = 'a@x'"));
            }
        }
        assertThat(rows(merge + ";", "A@X", 31)).isEqualTo("#1");
        assertThat(rows("SELECT mail, age FROM person WHERE age > 0")).isEqualTo("a@x|31");
        assertThat(rows(
                        "MERGE person t USING (SELECT 'b@x' AS mail) s ON t.mail = s.mail WHEN NOT MATCHED THEN INSERT (mail)"
                                + " VALUES (mail) OUTPUT inserted.no, inserted.mail;"))
                .isEqualTo(rows("SELECT no, mail FROM person WHERE mail = 'b@x'"));
    }

    @Test
    void shouldRefuseWhatSqlServerRefuses() throws SQLException {
        assertNumber(
                8672,
                "MERGE tally t USING (VALUES (1, 1), (1, 2)) s (id, n) ON t.id = s.id WHEN MATCHED THEN UPDATE"
                        + " SET n = s.n;");
        assertNumber(
                2627,
                "MERGE tally t USING (VALUES (5, 1), (5, 2)) s (id, n) ON t.id = s.id WHEN NOT MATCHED THEN INSERT"
                        + " (id, n) VALUES (s.id, s.n);");
        // It matches no row, but for its key.
        assertNumber(
                2627,
                "MERGE tally t USING (VALUES (1, 1)) s (id, n) ON t.id = s.id AND t.n = s.n WHEN NOT MATCHED THEN"
                        + " INSERT (id, n) VALUES (s.id, s.n);");
        assertNumber(
                207,
                "MERGE tally t USING (VALUES (1)) s (id) ON t.id = s.id WHEN MATCHED THEN UPDATE SET nothing = 1;");
        assertNumber(
                264,
                "MERGE tally t USING (VALUES (1)) s (id) ON t.id = s.id WHEN MATCHED THEN UPDATE SET n = 1, N = 2;");
        assertNumber(
                8134, "MERGE tally t USING (VALUES (1)) s (id) ON t.id = s.id WHEN MATCHED THEN UPDATE SET n = 1 / 0;");
        assertNumber(
                2628,
                "MERGE tally t USING (VALUES (1)) s (id) ON t.id = s.id WHEN MATCHED THEN UPDATE SET name ="
                        + " 'a name that is too long';");
        assertThat(tallies()).isEqualTo("1|10|none,2|20|none");
    }

    @Test
    void shouldRefuseByName() throws SQLException {
        assertThatThrownBy(() ->
                        rows("MERGE tally t USING feed s ON t.id = s.id WHEN MATCHED THEN DELETE OUTPUT deleted.id"
                                + " INTO feed;"))
                .hasMessageContaining("OUTPUT ... INTO");
        assertThatThrownBy(() -> rows("MERGE plain t USING feed s ON t.id = s.id WHEN MATCHED THEN DELETE;"))
                .hasMessageContaining("is plain");
        assertThatThrownBy(() -> rows("MERGE tally t USING feed s ON t.id = s.id WHEN MATCHED THEN UPDATE SET id = 5;"))
                .hasMessageContaining("primary key");
        assertThatThrownBy(() -> rows("MERGE tally USING feed ON 1 = 1"))
                .hasMessageContaining("MERGE is not supported");
        assertThatThrownBy(() ->
                        rows("MERGE tally t USING feed s WITH (UPDLOCK) ON t.id = s.id WHEN MATCHED THEN DELETE;"))
                .hasMessageContaining("MERGE is not supported");
        assertThat(tallies()).isEqualTo("1|10|none,2|20|none");
    }

    /** A name in a subquery is first one of the subquery's tables. */
    @Test
    void shouldReadTheTablesOfSubqueries() throws SQLException {
        rows("INSERT INTO feed (id, n) VALUES (5, 50), (6, 60)");
        assertThat(rows(
                        "MERGE tally t USING (VALUES (10, 5), (11, 7)) s (id, n) ON t.id = s.id WHEN NOT MATCHED AND NOT"
                                + " EXISTS (SELECT 1 FROM feed WHERE id = s.n) THEN INSERT (id, n) VALUES (id, (SELECT MAX(n) FROM"
                                + " feed WHERE id > 5)) OUTPUT inserted.id, inserted.n;"))
                .isEqualTo("11|60");
    }

    @Test
    void shouldKnowPartsOfTimesFromColumns() throws SQLException {
        assertThat(rows(
                        "MERGE cal t USING (VALUES (1, 2, '2024-01-05')) s (id, year, d) ON t.id = s.id WHEN NOT MATCHED THEN"
                                + " INSERT (id, year, day, date) VALUES (id, year + DATEPART(year, s.d), DATEDIFF(day, '2024-01-01', s.d),"
                                + " CONVERT(date, s.d)) OUTPUT inserted.year, inserted.day, inserted.date;"))
                .isEqualTo("2026|4|2024-01-05");
    }

    @Test
    void shouldWriteTheTargetAlone() throws SQLException {
        rows("INSERT INTO feed (id, n) VALUES (50, 5)");
        assertNumber(
                4104,
                "MERGE tally t USING (VALUES (1, 5)) s (id, n) ON t.id = s.id WHEN MATCHED THEN UPDATE SET s.n = 99;");
        for (String statement : List.of(
                "WITH tally AS (SELECT id, n FROM feed) MERGE tally USING (VALUES (51, 1)) s (id, n) ON tally.id = s.id WHEN"
                        + " NOT MATCHED THEN INSERT (id, n) VALUES (s.id, 77);",
                "WITH a (x) AS (SELECT id FROM feed), [Tally] AS (SELECT id, n FROM feed) MERGE INTO tally AS t USING (VALUES"
                        + " (51, 1)) s (id, n) ON t.id = s.id WHEN NOT MATCHED THEN INSERT (id, n) VALUES (s.id, 77);",
                "WITH tally AS (SELECT id, n FROM feed) UPDATE tally SET n = 3 FROM feed JOIN tally ON tally.id = feed.id",
                "WITH tally AS (SELECT id, n FROM feed) UPDATE t SET n = 3 FROM feed JOIN tally t ON t.id = feed.id",
                "WITH tally AS (SELECT id, n FROM feed) DELETE tally FROM feed WHERE feed.id = 50")) {
            assertThatThrownBy(() -> rows(statement)).as(statement).hasMessageContaining("common table expression");
        }
        assertThat(tallies()).isEqualTo("1|10|none,2|20|none");
        assertThat(rows("SELECT id, n FROM feed WHERE n > 0")).isEqualTo("50|5");
    }

    /** As SQL Server writes numbers and times into columns of strings, and times of day into columns of moments. */
    @Test
    void shouldConvertWhatIsStoredInColumnsOfAnotherType() throws SQLException {
        rows(
                "INSERT INTO conv (id, x, r, d, dd, t, dt, sd, m, p, bt, a, o, u) VALUES (1, 1e10, 1.1, '2024-01-02 03:04:35.678',"
                        + " '2024-01-02', '03:04:05', '2024-01-02T03:04:05.677', '2024-01-02T03:04:00', 12.3456, 1.5, 1, 200,"
                        + " '2024-01-02 03:04:05.67 +02:00', '6F9619FF-8B86-D011-B42D-00C04FC964FF')");
        List<List<String>> texts = List.of(
                List.of("x", "1e+010"),
                List.of("r", "1.1"),
                List.of("d", "2024-01-02 03:04:35.678"),
                List.of("dd", "2024-01-02"),
                List.of("t", "03:04:05"),
                List.of("dt", "Jan  2 2024  3:04AM"),
                List.of("sd", "Jan  2 2024  3:04AM"),
                List.of("m", "12.35"),
                List.of("p", "1.500"),
                List.of("bt", "1"),
                List.of("a", "200"),
                List.of("u", "6F9619FF-8B86-D011-B42D-00C04FC964FF"),
                List.of("1e10", "1e+010"));
        for (List<String> each : texts) {
            String value = each.get(0);
            String text = each.get(1);
            String of = value.equals("1e10") ? value : "s." + value;
            assertThat(rows("UPDATE conv SET s = " + value + " OUTPUT inserted.s WHERE bt = 1"))
                    .as("UPDATE: " + value)
                    .isEqualTo(text);
            assertThat(rows("MERGE conv t USING conv s ON t.id = s.id WHEN MATCHED THEN UPDATE SET s = " + of
                            + " OUTPUT inserted.s;"))
                    .as("MERGE: " + value)
                    .isEqualTo(text);
            assertThat(rows("MERGE conv t USING conv s ON t.id = s.id + 1 WHEN NOT MATCHED THEN INSERT (id, s) VALUES"
                            + " (s.id + 1, " + of + ") OUTPUT inserted.s;"))
                    .as("INSERT of MERGE: " + value)
                    .isEqualTo(text);
            rows("DELETE FROM conv WHERE id = 2");
            assertThat(rows("INSERT INTO conv (id, s) OUTPUT inserted.s SELECT 2, " + value + " FROM conv"))
                    .as("INSERT: " + value)
                    .isEqualTo(text);
            rows("DELETE FROM conv WHERE id = 2");
        }
        assertNumber(2628, "UPDATE conv SET short = dt WHERE bt = 1");
        assertThatThrownBy(() -> rows("UPDATE conv SET s = o WHERE bt = 1"))
                .hasMessageContaining("format is not known");
        assertThat(rows("UPDATE conv SET d = t, dt = t OUTPUT inserted.d, inserted.dt WHERE bt = 1"))
                .isEqualTo("1900-01-01 03:04:05.000|1900-01-01 03:04:05.0");
        assertThat(rows("INSERT INTO conv (id, d) OUTPUT inserted.d SELECT 3, t FROM conv"))
                .isEqualTo("1900-01-01 03:04:05.000");
    }

    /** The unique values are those of an index, whose error has a number of its own. */
    @Test
    void shouldFindRowsThatOthersInsertMeanwhileByAUniqueIndex() throws Exception {
        int threads = 6;
        int rounds = 5;
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        CyclicBarrier barrier = new CyclicBarrier(threads);
        try {
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                int id = i * 100;
                all.add(executor.submit(() -> {
                    try (Connection own = cluster.open();
                            PreparedStatement statement = own.prepareStatement(
                                    "MERGE usr t USING (VALUES (?, ?, 1)) s (id, mail, age) ON t.mail = s.mail WHEN MATCHED THEN"
                                            + " UPDATE SET age = t.age + 1 WHEN NOT MATCHED THEN INSERT (id, mail, age) VALUES"
                                            + " (s.id, s.mail, s.age);")) {
                        for (int round = 0; round < rounds; round++) {
                            barrier.await(2, TimeUnit.MINUTES);
                            statement.setInt(1, id + round);
                            statement.setString(2, "m" + round);
                            assertThat(statement.executeUpdate()).isEqualTo(1);
                        }
                    }
                    return null;
                }));
            }
            for (Future<?> each : all) {
                each.get(5, TimeUnit.MINUTES);
            }
        } finally {
            executor.shutdownNow();
        }
        assertThat(rows("SELECT mail, age FROM usr WHERE age > 0")).isEqualTo("m0|6,m1|6,m2|6,m3|6,m4|6");
    }

    @Test
    void shouldShowTheTypesOfWhatWasWritten() throws SQLException {
        rows("INSERT INTO conv (id, a, bt) VALUES (1, 200, 1)");
        String update =
                "UPDATE conv SET d = '2024-01-02', m = 1.5, p = 2 OUTPUT inserted.a, inserted.d, inserted.sd, inserted.m,"
                        + " inserted.p, inserted.short FROM conv WHERE bt = 1";
        String merge = "MERGE conv t USING (VALUES (1)) s (id) ON t.id = s.id WHEN MATCHED THEN UPDATE SET m = 1 OUTPUT"
                + " inserted.a, inserted.d, inserted.sd, inserted.m, inserted.p, inserted.short;";
        for (String sql : List.of(update, merge)) {
            try (Statement statement = connection.createStatement();
                    ResultSet result = statement.executeQuery(sql)) {
                List<String> types = new ArrayList<>();
                for (int i = 1; i <= 6; i++) {
                    types.add(result.getMetaData().getColumnTypeName(i));
                }
                assertThat(types)
                        .as(sql)
                        .containsExactly("tinyint", "datetime2", "smalldatetime", "money", "decimal", "nvarchar");
                assertThat(result.getMetaData().getPrecision(5)).isEqualTo(9);
                assertThat(result.next()).isTrue();
                assertThat(result.getObject(1)).isEqualTo((short) 200);
            }
        }
    }

    @Test
    void shouldTakePartInATransaction() throws SQLException {
        connection.setAutoCommit(false);
        rows("INSERT INTO tally (id, n) VALUES (3, 30)");
        assertThat(rows(UPSERT, 3, 1)).isEqualTo("#1");
        assertThat(rows(UPSERT, 4, 40)).isEqualTo("#1");
        assertThat(rows(UPSERT, 4, 2)).isEqualTo("#1");
        assertThat(tallies()).isEqualTo("1|10|none,2|20|none,3|31|none,4|42|none");
        connection.rollback();
        assertThat(tallies()).isEqualTo("1|10|none,2|20|none");
        rows(UPSERT, 1, 1);
        connection.commit();
        connection.setAutoCommit(true);
        assertThat(tallies()).isEqualTo("1|11|none,2|20|none");
    }

    /** As in SQL Server without HOLDLOCK: one of the two is told, and no change is lost. */
    @Test
    void shouldTellAnOpenTransactionWhatAnotherHasWrittenMeanwhile() throws SQLException {
        try (Connection other = cluster.open();
                PreparedStatement others = other.prepareStatement(UPSERT)) {
            for (int id : List.of(1, 50)) {
                connection.setAutoCommit(false);
                assertThat(rows(UPSERT, id, 1)).isEqualTo("#1");
                others.setInt(1, id);
                others.setInt(2, 7);
                assertThat(others.executeUpdate()).isEqualTo(1);
                assertThatThrownBy(connection::commit)
                        .isInstanceOfSatisfying(SQLException.class, e -> assertThat(e.getErrorCode())
                                .isEqualTo(id == 1 ? 1205 : 2627));
                connection.rollback();
                connection.setAutoCommit(true);
                assertThat(rows("SELECT n FROM tally WHERE id = ?", id)).isEqualTo(id == 1 ? "17" : "7");
            }
        }
    }

    @Test
    void shouldWriteEntriesOfABatch() throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(UPSERT)) {
            for (int id = 1; id <= 3; id++) {
                statement.setInt(1, id);
                statement.setInt(2, 1);
                statement.addBatch();
            }
            assertThat(statement.executeBatch()).containsExactly(1, 1, 1);
        }
        assertThat(tallies()).isEqualTo("1|11|none,2|21|none,3|1|none");
    }

    /** The row is there for none of them at first: one inserts it, and the others find it. */
    @Test
    void shouldLoseNoChangeOfOthers() throws Exception {
        int threads = 8;
        int times = 6;
        int rounds = 3;
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        CyclicBarrier barrier = new CyclicBarrier(threads);
        try {
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                all.add(executor.submit(() -> {
                    try (Connection own = cluster.open();
                            PreparedStatement statement = own.prepareStatement(UPSERT)) {
                        for (int round = 0; round < rounds; round++) {
                            barrier.await(2, TimeUnit.MINUTES);
                            for (int n = 0; n < times; n++) {
                                statement.setInt(1, 100 + round);
                                statement.setInt(2, 1);
                                assertThat(statement.executeUpdate()).isEqualTo(1);
                            }
                        }
                    }
                    return null;
                }));
            }
            for (Future<?> each : all) {
                each.get(5, TimeUnit.MINUTES);
            }
        } finally {
            executor.shutdownNow();
        }
        for (int round = 0; round < rounds; round++) {
            assertThat(rows("SELECT n FROM tally WHERE id = ?", 100 + round))
                    .isEqualTo(String.valueOf(threads * times));
        }
    }
}
