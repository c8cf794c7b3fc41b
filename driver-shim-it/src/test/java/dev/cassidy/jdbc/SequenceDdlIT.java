package dev.cassidy.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cassidy.sequence.IdentityType;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** An injected statement must not use up a sequence. */
class SequenceDdlIT {

    private static final String INJECTED = "SELECT name FROM part WHERE id = 1; ";

    private static TestCluster cluster;

    @BeforeAll
    static void prepare() {
        cluster = TestCluster.fresh("sequence_ddl_it");
        cluster.cql("CREATE TABLE $.part (id int PRIMARY KEY, name text)");
        cluster.identity("part", "id", IdentityType.INT, 1);
    }

    private static void run(String options, String... texts) throws SQLException {
        try (Connection connection = DriverManager.getConnection(cluster.url() + options);
                Statement statement = connection.createStatement()) {
            for (String text : texts) {
                statement.execute(text);
            }
        }
    }

    private static int insertedId() throws SQLException {
        try (Connection connection = cluster.connect();
                Statement statement = connection.createStatement()) {
            statement.executeUpdate("INSERT INTO part (name) VALUES ('bolt')", Statement.RETURN_GENERATED_KEYS);
            try (ResultSet keys = statement.getGeneratedKeys()) {
                keys.next();
                return keys.getInt(1);
            }
        }
    }

    @Test
    void shouldWantAConfirmationByNameForALargeRaise() throws Exception {
        for (String raise : new String[] {
            "ALTER SEQUENCE part RESTART WITH 2147483647", "DBCC CHECKIDENT ('part', RESEED, 200000000)"
        }) {
            assertThatThrownBy(() -> run("", INJECTED + raise))
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("never issue the ids between them")
                    .hasMessageContaining("confirmedRaises=sequence_ddl_it.part");
            assertThatThrownBy(() -> run("&confirmedRaises=sequence_ddl_it.other", raise))
                    .hasMessageContaining("confirmedRaises");
        }
        assertThatThrownBy(() -> run(
                        "",
                        INJECTED + "ALTER SEQUENCE part RESTART WITH 100000001;"
                                + " DBCC CHECKIDENT ('part', RESEED, 200000000)"))
                .hasMessageContaining("restarts sequence part more than once");
        assertThat(insertedId()).isLessThan(100_000);

        // 4.7 % of an int's ids.
        run("", "ALTER SEQUENCE part RESTART WITH 100000001");
        assertThat(insertedId()).isBetween(100_000_001, 100_100_000);

        run("&confirmedRaises=a.b,sequence_ddl_it.part", "ALTER SEQUENCE part RESTART WITH 1000000001");
        assertThat(insertedId()).isGreaterThan(1_000_000_000);
    }

    @Test
    void shouldRefuseSequenceDdlIfAsked() throws Exception {
        for (String text : new String[] {
            "CREATE SEQUENCE refused START WITH 1",
            "ALTER SEQUENCE part RESTART WITH 50000",
            "DROP SEQUENCE part",
            "DBCC CHECKIDENT ('part', RESEED, 50000)",
            INJECTED + "ALTER SEQUENCE part RESTART WITH 50000",
            "IF NOT EXISTS (SELECT 1 FROM sys.tables WHERE name = 'x') CREATE TABLE x (id INT IDENTITY PRIMARY KEY)",
            "CREATE TABLE refused (id INT IDENTITY(1,1) PRIMARY KEY)"
        }) {
            assertThatThrownBy(() -> run("&sequenceDdl=refused", text))
                    .as(text)
                    .isInstanceOf(SQLFeatureNotSupportedException.class)
                    .hasMessageContaining("sequenceDdl=refused");
        }
        run(
                "&sequenceDdl=refused",
                "CREATE TABLE served (id INT PRIMARY KEY)",
                "DBCC CHECKIDENT ('part')",
                "INSERT INTO part (name) VALUES ('nut'); SELECT SCOPE_IDENTITY()");
    }

    @Test
    void shouldRefuseSeveralStatementsIfAsked() throws Exception {
        for (String text : new String[] {
            INJECTED + "DELETE FROM part WHERE id = 1",
            INJECTED + "INSERT INTO part (name) VALUES ('x')",
            "INSERT INTO part (name) VALUES ('x') INSERT INTO part (name) VALUES ('y')",
            "BEGIN INSERT INTO part (name) VALUES ('x'); DELETE FROM part WHERE id = 1 END"
        }) {
            assertThatThrownBy(() -> run("&multipleStatements=false", text))
                    .as(text)
                    .isInstanceOf(SQLFeatureNotSupportedException.class)
                    .hasMessageContaining("A text of 2 statements is refused by multipleStatements=false");
        }
        run(
                "&multipleStatements=false",
                "SET NOCOUNT ON; INSERT INTO part (name) VALUES ('nut'); SELECT SCOPE_IDENTITY()",
                "INSERT INTO part (name) VALUES ('nut'), ('bolt'); SELECT @@ROWCOUNT",
                "DECLARE @ids TABLE (id INT); INSERT INTO part (name) OUTPUT INSERTED.id INTO @ids VALUES ('nut');"
                        + " SELECT id FROM @ids",
                "SET IDENTITY_INSERT part ON; INSERT INTO part (id, name) VALUES (-5, 'old'); SET IDENTITY_INSERT part OFF",
                "CREATE TABLE shelf (id INT PRIMARY KEY, name NVARCHAR(9), INDEX by_name (name))",
                "ALTER TABLE shelf ADD weight INT DEFAULT 5",
                "IF OBJECT_ID('part') IS NULL BEGIN CREATE TABLE part (id INT PRIMARY KEY) END");
    }

    @Test
    void shouldRefuseValuesOutsideTheRule() {
        assertThatThrownBy(() -> run("&confirmedRaises=part", "SELECT 1"))
                .hasMessageContaining("must be names of sequences with their keyspace")
                .hasMessageContaining("confirmedRaises='part'");
        assertThatThrownBy(() -> run("&sequenceDdl=off", "SELECT 1")).hasMessageContaining("allowed, refused");
    }
}
