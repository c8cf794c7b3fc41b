package dev.cassidy.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Writes that have no form in CQL: the rows are found by the assistant, and written by their keys, in one transaction. */
class AssistedWritesIT {

    private static TestCluster cluster;

    @AutoClose
    private final Connection connection = cluster.open();

    @BeforeAll
    static void create() throws SQLException {
        cluster = TestCluster.fresh("assisted_writes_it");
        TestCluster.install("cassidy");
        try (Connection connection = cluster.open();
                Statement statement = connection.createStatement()) {
            statement.execute(
                    "CREATE TABLE person (id INT PRIMARY KEY, name NVARCHAR(20), city NVARCHAR(20), points INT,"
                            + " level INT)");
            statement.execute("CREATE TABLE visit (person INT, no INT, cost DECIMAL(9,2), PRIMARY KEY (person, no))");
            statement.execute("CREATE TABLE archive (id INT IDENTITY PRIMARY KEY, name NVARCHAR(20), points BIGINT)");
            statement.execute("CREATE TABLE numbered (name NVARCHAR(20) PRIMARY KEY, id INT IDENTITY, points INT)");
            statement.execute("INSERT INTO numbered (name, points) VALUES ('Ann', 5)");
            statement.execute("CREATE TABLE plain (id INT PRIMARY KEY, name NVARCHAR(20)) WITH (plain)");
        }
    }

    @BeforeEach
    void fill() throws SQLException {
        for (String table : List.of("person", "visit", "archive")) {
            run("TRUNCATE TABLE " + table);
        }
        for (String row : List.of(
                "1, N'Ann', N'Oslo', 5, 1",
                "2, N'Bob', N'oslo', 7, 1",
                "3, N'Cid', N'Rome', 9, 2",
                "4, N'Dan', NULL, NULL, 2")) {
            run("INSERT INTO person (id, name, city, points, level) VALUES (" + row + ")");
        }
        for (String row : List.of("1, 1, 10.00", "1, 2, 5.50", "3, 1, 1")) {
            run("INSERT INTO visit (person, no, cost) VALUES (" + row + ")");
        }
    }

    private int run(String sql, Object... parameters) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < parameters.length; i++) {
                statement.setObject(i + 1, parameters[i]);
            }
            return statement.executeUpdate();
        }
    }

    private String rows(String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(sql)) {
            List<String> rows = new ArrayList<>();
            int columns = result.getMetaData().getColumnCount();
            while (result.next()) {
                List<String> row = new ArrayList<>();
                for (int i = 1; i <= columns; i++) {
                    row.add(result.getString(i));
                }
                rows.add(String.join("|", row));
            }
            return String.join(",", rows);
        }
    }

    private String people() throws SQLException {
        return rows("SELECT id, name, city, points FROM person ORDER BY id");
    }

    @Test
    void shouldUpdateByOtherColumns() throws SQLException {
        assertThat(run("UPDATE person SET points = points + ? WHERE city = ?", 10, "OSLO"))
                .isEqualTo(2);
        assertThat(run("UPDATE person SET name = UPPER(name), city = 'x' WHERE points > 15 AND level IN (1, 2)"))
                .isEqualTo(1);

        assertThat(people()).isEqualTo("1|Ann|Oslo|15,2|BOB|x|17,3|Cid|Rome|9,4|Dan|null|null");
    }

    @Test
    void shouldConvertNumbersAsCastDoes() throws SQLException {
        assertThat(run("UPDATE person SET points = points * 1.5 WHERE city LIKE 'os%'"))
                .isEqualTo(2);
        assertThat(run("UPDATE visit SET cost = cost / 3 WHERE cost > 9")).isEqualTo(1);

        assertThat(people()).startsWith("1|Ann|Oslo|7,2|Bob|oslo|10,3");
        assertThat(rows("SELECT cost FROM visit WHERE person = 1 AND no = 1")).isEqualTo("3.33");
        assertThatThrownBy(() -> run("UPDATE person SET points = points + 2147483647.0 WHERE points IS NOT NULL"))
                .isInstanceOfSatisfying(
                        SQLException.class, e -> assertThat(e.getErrorCode()).isEqualTo(8115));
    }

    @Test
    void shouldDeleteByOtherColumns() throws SQLException {
        assertThat(run("DELETE FROM person WHERE name LIKE 'a%' OR points IS NULL"))
                .isEqualTo(2);
        assertThat(run("DELETE FROM person WHERE city = 'nowhere'")).isZero();

        assertThat(people()).isEqualTo("2|Bob|oslo|7,3|Cid|Rome|9");
    }

    @Test
    void shouldWriteAllRows() throws SQLException {
        assertThat(run("UPDATE person SET level = level * 10")).isEqualTo(4);
        assertThat(rows("SELECT SUM(level) FROM person WHERE id > 0")).isEqualTo("60");
        assertThat(run("DELETE FROM visit")).isEqualTo(3);
        assertThat(rows("SELECT COUNT(*) FROM visit")).isEqualTo("0");
    }

    @Test
    void shouldWriteByJoins() throws SQLException {
        assertThat(run("UPDATE p SET p.points = v.cost FROM person p JOIN visit v ON v.person = p.id WHERE v.no = 1"))
                .isEqualTo(2);
        assertThat(run("DELETE v FROM visit v INNER JOIN person p ON p.id = v.person WHERE p.name = 'ann'"))
                .isEqualTo(2);
        assertThat(run("DELETE FROM person WHERE id NOT IN (SELECT person FROM visit)"))
                .isEqualTo(3);

        assertThat(people()).isEqualTo("3|Cid|Rome|1");
        assertThat(rows("SELECT person, no FROM visit WHERE cost > 0")).isEqualTo("3|1");
    }

    @Test
    void shouldInsertWhatASelectGives() throws SQLException {
        assertThat(run(
                        "INSERT INTO archive (name, points) SELECT name, points FROM person WHERE points >= ? ORDER BY id",
                        7))
                .isEqualTo(2);

        assertThat(rows("SELECT name, points FROM archive ORDER BY id")).isEqualTo("Bob|7,Cid|9");
        assertThat(run("INSERT INTO person SELECT id + 10, name, city, points, level FROM person WHERE id < 3"))
                .isEqualTo(2);
        assertThat(rows("SELECT name FROM person WHERE id = 12")).isEqualTo("Bob");
        assertThatThrownBy(() -> run("INSERT INTO person (id, name) SELECT person, 'twice' FROM visit"))
                .isInstanceOfSatisfying(
                        SQLException.class, e -> assertThat(e.getErrorCode()).isEqualTo(2627));
        assertThat(rows("SELECT COUNT(*) FROM person WHERE name = 'twice'"))
                .as("none of it")
                .isEqualTo("0");
    }

    @Test
    void shouldInsertSubqueriesOfValues() throws SQLException {
        assertThat(run(
                        "INSERT INTO visit (person, no, cost) VALUES (?, (SELECT * FROM (SELECT COALESCE(MAX(no), 0) + 1 AS n FROM visit"
                                + " WHERE person = ?) AS m), ?)",
                        1,
                        1,
                        2.25))
                .isEqualTo(1);
        assertThat(run(
                        "INSERT visit VALUES (?, (SELECT points FROM person p JOIN visit v ON v.person = p.id WHERE p.name = ? AND"
                                + " v.cost > 9), 1), (4, ?, (SELECT MAX(cost) FROM visit))",
                        4,
                        "ANN",
                        8))
                .isEqualTo(2);

        assertThat(rows("SELECT person, no, cost FROM visit WHERE person IN (1, 4) ORDER BY person, no"))
                .isEqualTo("1|1|10.00,1|2|5.50,1|3|2.25,4|5|1.00,4|8|10.00");
        assertThatThrownBy(() ->
                        run("INSERT INTO person (id, points) VALUES (9, (SELECT points FROM person WHERE points > 5))"))
                .isInstanceOfSatisfying(
                        SQLException.class, e -> assertThat(e.getErrorCode()).isEqualTo(512));
        assertThatThrownBy(() -> run("INSERT INTO person (id, points) VALUES ((SELECT 1), 5)"))
                .isInstanceOfSatisfying(
                        SQLException.class, e -> assertThat(e.getErrorCode()).isEqualTo(2627));
        assertThat(
                        run(
                                "INSERT INTO person (id, points, name) VALUES (9, (SELECT points FROM person WHERE id = 0), NULL)"))
                .isEqualTo(1);
        assertThat(rows("SELECT name, points FROM person WHERE id = 9")).isEqualTo("null|null");
    }

    @Test
    void shouldShowWhatSubqueriesOfValuesHaveInserted() throws SQLException {
        run(
                "CREATE TABLE registered (id INT IDENTITY PRIMARY KEY, name NVARCHAR(20) DEFAULT 'nobody', points INT DEFAULT 3,"
                        + " city NVARCHAR(20))");
        String insert =
                "INSERT INTO registered (name, city, points) VALUES (DEFAULT, ?, (SELECT points FROM person WHERE id = ?))";
        try (PreparedStatement statement = connection.prepareStatement(insert, Statement.RETURN_GENERATED_KEYS)) {
            statement.setString(1, "Oslo");
            statement.setInt(2, 2);
            assertThat(statement.executeUpdate()).isEqualTo(1);
            try (ResultSet keys = statement.getGeneratedKeys()) {
                assertThat(keys.next()).isTrue();
                assertThat(keys.getInt(1)).isEqualTo(1);
            }
            for (int id : List.of(1, 3)) {
                statement.setString(1, "Rome");
                statement.setInt(2, id);
                statement.addBatch();
            }
            assertThat(statement.executeBatch()).containsExactly(1, 1);
        }
        assertThat(rows(
                        "INSERT INTO registered (city, points) OUTPUT inserted.id, inserted.name, inserted.points VALUES"
                                + " ('Bern', (SELECT COUNT(*) FROM visit)), ('Rome', 0)"))
                .isEqualTo("4|nobody|3,5|nobody|0");
        assertThat(rows(
                        "WITH best AS (SELECT MAX(points) AS p FROM person) INSERT INTO registered (points, city, name) OUTPUT"
                                + " inserted.points VALUES ((SELECT p FROM best), 'x', DEFAULT) OPTION (RECOMPILE)"))
                .isEqualTo("9");

        assertThat(rows("SELECT name, city, points FROM registered ORDER BY id"))
                .isEqualTo("nobody|Oslo|7,nobody|Rome|5,nobody|Rome|9,nobody|Bern|3,nobody|Rome|0,nobody|x|9");
        assertThatThrownBy(() ->
                        run("INSERT INTO registered (name, points) VALUES (DEFAULT, (SELECT 1)), ('x', (SELECT 2))"))
                .hasMessageContaining("a subquery is not supported");
        assertThatThrownBy(() -> run("INSERT INTO registered (name) VALUES ((SELECT 'x')) IF NOT EXISTS"))
                .isInstanceOf(SQLException.class);
        assertThat(rows("SELECT COUNT(*) FROM registered")).isEqualTo("6");
    }

    @Test
    void shouldInsertSubqueriesOfValuesIntoPlainTables() throws SQLException {
        assertThat(run("INSERT INTO plain (id, name) VALUES (?, (SELECT name FROM person WHERE id = 3))", 71))
                .isEqualTo(1);

        assertThat(rows("SELECT name FROM plain WHERE id = 71")).isEqualTo("Cid");
    }

    @Test
    void shouldTakePartInATransaction() throws SQLException {
        connection.setAutoCommit(false);
        run("INSERT INTO person (id, name, points) VALUES (5, 'Eve', 1)");
        assertThat(run("UPDATE person SET points = 100 WHERE points < 6")).isEqualTo(2);
        assertThat(run("DELETE FROM person WHERE points = 100 AND name = 'eve'"))
                .isEqualTo(1);
        assertThat(people()).startsWith("1|Ann|Oslo|100").doesNotContain("Eve");
        connection.rollback();
        connection.setAutoCommit(true);

        assertThat(people()).startsWith("1|Ann|Oslo|5,2").doesNotContain("Eve");
    }

    @Test
    void shouldWriteNothingInATransactionIfOneOfItsRowsFails() throws SQLException {
        connection.setAutoCommit(false);
        run("UPDATE person SET city = 'Bonn' WHERE id = 3");
        assertThatThrownBy(() -> run("UPDATE person SET name = REPLICATE('x', points * 3) WHERE points < 9"))
                .isInstanceOfSatisfying(
                        SQLException.class, e -> assertThat(e.getErrorCode()).isEqualTo(2628));
        connection.commit();
        connection.setAutoCommit(true);

        assertThat(people()).isEqualTo("1|Ann|Oslo|5,2|Bob|oslo|7,3|Cid|Bonn|9,4|Dan|null|null");
    }

    @Test
    void shouldKeepEachRuleOfTheTable() throws SQLException {
        assertThatThrownBy(
                        () -> run("UPDATE person SET name = 'a name of more than twenty characters' WHERE level = 1"))
                .isInstanceOfSatisfying(
                        SQLException.class, e -> assertThat(e.getErrorCode()).isEqualTo(2628));
        assertThatThrownBy(() -> run("UPDATE person SET id = id + 1 WHERE level = 1"))
                .hasMessageContaining("primary key");
        assertThatThrownBy(() -> run("UPDATE plain SET name = 'x' WHERE name = 'y'"))
                .hasMessageContaining("is plain");
        assertThat(people()).startsWith("1|Ann|Oslo|5,2|Bob");
    }

    /** Also if no row is found, as in SQL Server. */
    @Test
    void shouldRefuseWhatSqlServerRefuses() throws SQLException {
        for (int points : List.of(5, 1000)) {
            assertNumber(
                    "UPDATE n SET n.id = 7 FROM numbered n JOIN person p ON p.name = n.name WHERE p.points = " + points,
                    8102);
            assertNumber("UPDATE numbered SET id = 7 WHERE points = " + points, 8102);
            assertNumber("UPDATE person SET level = 1, city = 'x', Level = 2 WHERE points = " + points, 264);
            assertNumber("UPDATE person SET level = 1, level = 2 WHERE id = " + points, 264);
            assertNumber("UPDATE person SET nothing = 1 WHERE points = " + points, 207);
        }
        assertThatThrownBy(() -> run("UPDATE person SET level = DEFAULT WHERE points = 5"))
                .hasMessageContaining("SET level = DEFAULT is served where WHERE gives the key");

        assertThat(rows("SELECT level FROM person WHERE id > 0 ORDER BY id")).isEqualTo("1,1,2,2");
    }

    private void assertNumber(String sql, int number) {
        assertThatThrownBy(() -> run(sql)).as(sql).isInstanceOfSatisfying(SQLException.class, e -> assertThat(
                        e.getErrorCode())
                .isEqualTo(number));
    }

    @Test
    void shouldDecideByRows() throws SQLException {
        String upsert = "IF EXISTS (SELECT 1 FROM person WHERE name = ?) UPDATE person SET points = ? WHERE name = ?"
                + " ELSE INSERT INTO person (id, name, points) VALUES (?, ?, ?)";

        assertThat(run(upsert, "ANN", 50, "ann", 9, "Ann", 0)).isEqualTo(1);
        assertThat(run(upsert, "Zoe", 50, "Zoe", 9, "Zoe", 1)).isEqualTo(1);
        assertThat(run("IF (SELECT COUNT(*) FROM person) > 100 BEGIN DELETE FROM person WHERE id = 1 END ELSE BEGIN"
                        + " UPDATE person SET points = CASE WHEN points > 6 THEN 60 ELSE 0 END WHERE id = 2;"
                        + " UPDATE person SET points = 90 WHERE id = 3 END"))
                .isEqualTo(1);
        run("IF NOT EXISTS (SELECT * FROM visit WHERE cost > 100) DELETE FROM visit WHERE cost < 5;"
                + " UPDATE person SET points = 4 WHERE id = 4");

        assertThat(people()).isEqualTo("1|Ann|Oslo|50,2|Bob|oslo|60,3|Cid|Rome|90,4|Dan|null|4,9|Zoe|null|1");
        assertThat(rows("SELECT COUNT(*) FROM visit")).isEqualTo("2");
    }

    @Test
    void shouldInsertWhatWasNotUpdated() throws SQLException {
        String upsert =
                "UPDATE person SET points = ? WHERE id = ? IF @@ROWCOUNT = 0 INSERT INTO person (id, points) VALUES (?, ?)";
        try (PreparedStatement statement = connection.prepareStatement(upsert)) {
            for (int id : List.of(1, 9)) {
                for (int i = 1; i <= 4; i++) {
                    statement.setInt(i, i == 2 || i == 3 ? id : 33);
                }
                statement.execute();
            }
        }
        assertThat(people()).startsWith("1|Ann|Oslo|33,2").endsWith("9|null|null|33");
        assertThatThrownBy(() ->
                        run("UPDATE person SET points = 1 WHERE id = 1 IF @@ERROR = 0 DELETE FROM person WHERE id = 1"))
                .isInstanceOf(SQLException.class);
        assertThat(people()).as("nothing ran").startsWith("1|Ann|Oslo|33,2");
        run(
                "IF 1 = 1 IF 1 = 2 UPDATE person SET points = 1 WHERE id = 1 ELSE UPDATE person SET points = 2 WHERE id = 1");
        run("IF 1 = 2 UPDATE person SET points = 3 WHERE id = 2 ELSE IF 1 = 1 UPDATE person SET points = 4 WHERE id = 2"
                + " ELSE UPDATE person SET points = 5 WHERE id = 2");
        assertThat(people()).startsWith("1|Ann|Oslo|2,2|Bob|oslo|4,3");
    }

    @Test
    void shouldLoseNoChangeOfARowThatItsTransactionHadWritten() throws SQLException {
        try (Connection other = cluster.open();
                Statement others = other.createStatement()) {
            for (String second : List.of(
                    "UPDATE person SET points = points + 1 WHERE city = 'rome'",
                    "SELECT points FROM person WITH (UPDLOCK) WHERE id = 3")) {
                connection.setAutoCommit(false);
                run("UPDATE person SET name = N'Cyd' WHERE id = 3");
                if (second.startsWith("SELECT")) {
                    rows(second);
                    run("UPDATE person SET points = 10 WHERE id = 3");
                } else {
                    assertThat(run(second)).isEqualTo(1);
                }
                int points = second.length();
                others.execute("UPDATE person SET points = " + points + " WHERE id = 3");
                assertThatThrownBy(connection::commit, second)
                        .isInstanceOfSatisfying(SQLException.class, e -> assertThat(e.getErrorCode())
                                .isEqualTo(1205));
                connection.rollback();
                connection.setAutoCommit(true);
                assertThat(people()).contains("3|Cid|Rome|" + points);
            }
        }
    }

    @Test
    void shouldWriteTheTableThatIsNamed() throws SQLException {
        assertThatThrownBy(() -> run("UPDATE person SET points = 0 FROM person a JOIN person b ON a.id = b.id"))
                .hasMessageContaining("several times");
        assertThat(run("UPDATE b SET b.points = 0 FROM person a JOIN person b ON a.id = b.id - 1 WHERE a.id = 1"))
                .isEqualTo(1);
        assertThat(run("DELETE p FROM visit v LEFT JOIN person p ON p.id = v.person AND p.id > 1"))
                .isEqualTo(1);
        assertThat(people()).isEqualTo("1|Ann|Oslo|5,2|Bob|oslo|0,4|Dan|null|null");
    }

    @Test
    void shouldWriteEntriesOfABatch() throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement("UPDATE person SET points = points + 1 WHERE name = ?")) {
            for (String name : List.of("ann", "bob", "nobody")) {
                statement.setString(1, name);
                statement.addBatch();
            }
            assertThat(statement.executeBatch()).containsExactly(1, 1, 0);
        }
        assertThat(people()).startsWith("1|Ann|Oslo|6,2|Bob|oslo|8,3");
    }

    @Test
    void shouldLoseNoChangeOfOthers() throws Exception {
        int threads = 4;
        int times = 15;
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        try {
            List<Future<Integer>> counts = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                counts.add(executor.submit(() -> {
                    int count = 0;
                    try (Connection own = cluster.open();
                            Statement statement = own.createStatement()) {
                        for (int n = 0; n < times; n++) {
                            count += statement.executeUpdate(
                                    "UPDATE person SET points = points + 1 WHERE city = 'oslo'");
                        }
                    }
                    return count;
                }));
            }
            int sum = 0;
            for (Future<Integer> each : counts) {
                sum += each.get(3, TimeUnit.MINUTES);
            }
            assertThat(sum).isEqualTo(2 * threads * times);
        } finally {
            executor.shutdownNow();
        }
        assertThat(people())
                .startsWith("1|Ann|Oslo|" + (5 + threads * times) + ",2|Bob|oslo|" + (7 + threads * times) + ",3");
    }
}
