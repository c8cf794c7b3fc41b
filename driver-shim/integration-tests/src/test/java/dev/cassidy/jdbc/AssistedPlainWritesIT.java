package dev.cassidy.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Writes of plain tables whose rows the assistant finds. */
class AssistedPlainWritesIT {

    private static TestCluster cluster;

    @AutoClose
    private final Connection connection = cluster.open();

    @BeforeAll
    static void create() throws SQLException {
        cluster = TestCluster.fresh("assisted_plain_writes_it");
        TestCluster.install("cassidy");
        try (Connection connection = cluster.open();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE item (shelf INT, no INT, name NVARCHAR(20), price DECIMAL(9,2), state INT,"
                    + " PRIMARY KEY (shelf, no)) WITH (plain)");
            statement.execute("CREATE TABLE old (shelf INT PRIMARY KEY, name NVARCHAR(20)) WITH (plain)");
            statement.execute("CREATE TABLE closed (shelf INT PRIMARY KEY)");
            statement.execute("INSERT INTO closed (shelf) VALUES (2)");
        }
    }

    @BeforeEach
    void fill() throws SQLException {
        run("TRUNCATE TABLE item");
        run("TRUNCATE TABLE old");
        for (String row : List.of(
                "1, 1, N'Ale', 3.50, 0", "1, 2, N'Bun', 1.25, 1", "2, 1, N'Cup', 9.00, 0", "2, 2, NULL, NULL, 1")) {
            run("INSERT INTO item (shelf, no, name, price, state) VALUES (" + row + ")");
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

    private String items() throws SQLException {
        StringBuilder rows = new StringBuilder();
        try (Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery("SELECT * FROM item ORDER BY shelf, no")) {
            while (result.next()) {
                rows.append(rows.isEmpty() ? "" : ",");
                for (int i = 1; i <= 5; i++) {
                    rows.append(i == 1 ? "" : "|").append(result.getString(i));
                }
            }
        }
        return rows.toString();
    }

    @Test
    void shouldUpdateRowsOfAnyColumns() throws SQLException {
        assertThat(run("UPDATE item SET state = ?, name = UPPER(?) WHERE price > 3 OR price IS NULL", 7, "x"))
                .isEqualTo(3);
        assertThat(run("UPDATE item SET price = 1 WHERE name = 'nobody'")).isZero();

        assertThat(items()).isEqualTo("1|1|X|3.50|7,1|2|Bun|1.25|1,2|1|X|9.00|7,2|2|X|null|7");
    }

    @Test
    void shouldFindRowsByOtherTables() throws SQLException {
        assertThat(run("UPDATE i SET state = 9 FROM item i JOIN closed c ON c.shelf = i.shelf"))
                .isEqualTo(2);
        assertThat(run("DELETE FROM item WHERE shelf IN (SELECT shelf FROM closed) AND price IS NULL"))
                .isEqualTo(1);

        assertThat(items()).isEqualTo("1|1|Ale|3.50|0,1|2|Bun|1.25|1,2|1|Cup|9.00|9");
    }

    @Test
    void shouldDeleteRowsOfAnyColumns() throws SQLException {
        assertThat(run("DELETE FROM item WHERE name LIKE '%u%'")).isEqualTo(2);
        assertThat(items()).isEqualTo("1|1|Ale|3.50|0,2|2|null|null|1");

        assertThat(run("WITH x AS (SELECT *, ROW_NUMBER() OVER (ORDER BY shelf DESC) AS rn FROM item)"
                        + " DELETE FROM x WHERE rn > 1"))
                .isEqualTo(1);
        assertThat(items()).isEqualTo("2|2|null|null|1");
    }

    @Test
    void shouldInsertWhatIsSelected() throws SQLException {
        assertThat(run("INSERT INTO old (shelf, name) SELECT shelf, MAX(name) FROM item GROUP BY shelf"))
                .isEqualTo(2);
        try (Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery("SELECT name FROM old WHERE shelf = 1")) {
            assertThat(result.next()).isTrue();
            assertThat(result.getString(1)).isEqualTo("Bun");
        }
    }

    /** Of plain tables, a transaction is one batch at the commit. */
    @Test
    void shouldWriteAtTheCommit() throws SQLException {
        connection.setAutoCommit(false);
        assertThat(run("DELETE FROM item WHERE price < 4")).isEqualTo(2);
        // What it has written is not found: rather nothing than half of it.
        assertThatThrownBy(() -> run("UPDATE item SET price = 0 WHERE state = 1"))
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("item is plain, where what the transaction has written to it")
                .hasMessageContaining("Commit first");
        connection.rollback();
        connection.setAutoCommit(true);
        assertThat(items()).startsWith("1|1|Ale");

        connection.setAutoCommit(false);
        assertThat(run("DELETE FROM item WHERE price < 4")).isEqualTo(2);
        connection.commit();
        connection.setAutoCommit(true);
        assertThat(items()).isEqualTo("2|1|Cup|9.00|0,2|2|null|null|1");
    }

    @ParameterizedTest
    @CsvSource(delimiter = ';', textBlock = """
            UPDATE item SET price = price * 2 WHERE state = 1; the new value of price
            UPDATE item SET name = (SELECT MAX(name) FROM old) WHERE state = 1; the new value of name
            UPDATE i SET price = c.shelf FROM item i JOIN closed c ON c.shelf = i.shelf; the new value of price
            UPDATE item SET state = 2 WHERE state = 1; state cannot be tested and set
            UPDATE item SET state = 2 WHERE shelf = 1 AND no = 1 AND state = 1; state cannot be tested and set
            DELETE FROM item WHERE shelf = 1 AND no = 1 AND price > 1; cannot be tested and then written
            DELETE FROM item OUTPUT deleted.name WHERE price > 1; OUTPUT cannot show
            MERGE item t USING closed s ON t.shelf = s.shelf WHEN MATCHED THEN DELETE; a MERGE
            """)
    void shouldRefuseWhatDependsOnRowsThatMayChange(String sql, String why) throws SQLException {
        String before = items();
        assertThatThrownBy(() -> {
                    try (Statement statement = connection.createStatement()) {
                        statement.execute(sql);
                    }
                })
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("item is plain, where ")
                .hasMessageContaining(why)
                .hasMessageContaining("make the table exact");
        assertThat(items()).isEqualTo(before);
    }
}
