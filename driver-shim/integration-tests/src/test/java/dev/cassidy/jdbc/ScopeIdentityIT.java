package dev.cassidy.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cassidy.sequence.IdentityType;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** T-SQL's ways to read a new id: SCOPE_IDENTITY(), @@IDENTITY and OUTPUT. */
class ScopeIdentityIT {

    private static TestCluster cluster;

    @AutoClose
    private final Connection connection = cluster.open();

    private final Orders orders = new Orders(connection);

    @BeforeAll
    static void prepare() {
        cluster = Orders.fresh("scope_identity_it");
        cluster.cql(
                "CREATE TABLE $.big (id bigint PRIMARY KEY, v text)",
                "CREATE TABLE $.plain (k text PRIMARY KEY, v int)");
        cluster.identity("big", "id", IdentityType.BIGINT, 5_000_000_001L);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "INSERT INTO orders (customer) VALUES (?); SELECT SCOPE_IDENTITY()",
                "SET NOCOUNT ON; INSERT INTO [dbo].[Orders] ([Customer]) VALUES (?) SELECT SCOPE_IDENTITY() AS id",
                "insert into orders (customer) values (?) select @@IDENTITY",
                "INSERT INTO orders (customer) OUTPUT INSERTED.id VALUES (?)"
            })
    void shouldServeSqlServersWaysToReadAnIdentity(String sql) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(sql)) {
            insert.setString(1, "idiom");
            try (ResultSet rows = insert.executeQuery()) {
                assertThat(rows.next()).isTrue();
                assertThat(orders.customerOf(rows.getLong(1))).isEqualTo("idiom");
            }
        }
    }

    @Test
    void shouldGiveResultsInSqlServersOrder() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            assertThat(statement.execute("INSERT INTO orders (customer) VALUES ('x'); SELECT SCOPE_IDENTITY() AS id"))
                    .isFalse();
            assertThat(statement.getUpdateCount()).isEqualTo(1);
            assertThat(statement.getMoreResults()).isTrue();
            try (ResultSet rows = statement.getResultSet()) {
                assertThat(rows.next()).isTrue();
                assertThat(rows.getObject("id")).isInstanceOf(BigDecimal.class);
            }
            assertThat(statement.getMoreResults()).isFalse();
            assertThat(statement.getUpdateCount()).isEqualTo(-1);

            assertThat(statement.execute(
                            "SET NOCOUNT ON; INSERT INTO orders (customer) VALUES ('x'); SELECT SCOPE_IDENTITY()"))
                    .isTrue();
        }
    }

    @Test
    void shouldRememberTheLastIdentityOfEachConnection() throws SQLException {
        try (Connection other = cluster.connect();
                Statement mine = connection.createStatement();
                Statement theirs = other.createStatement()) {
            ResultSet before = mine.executeQuery("SELECT SCOPE_IDENTITY()");
            assertThat(before.next()).isTrue();
            assertThat(before.getObject(1)).isNull();
            mine.executeUpdate("INSERT INTO orders (customer) VALUES ('mine')");
            theirs.executeUpdate("INSERT INTO orders (customer) VALUES ('theirs')");

            ResultSet last = mine.executeQuery("SELECT SCOPE_IDENTITY()");
            last.next();
            assertThat(orders.customerOf(last.getLong(""))).isEqualTo("mine");
            mine.executeUpdate("INSERT INTO plain (k, v) VALUES ('k', 1)");
            ResultSet none = mine.executeQuery("SELECT @@IDENTITY");
            none.next();
            assertThat(none.getLong(1)).isZero();
            assertThat(none.wasNull()).isTrue();
        }
    }

    @Test
    void shouldReturnScopeIdentityAsADecimalThatAlsoIsALong() throws SQLException {
        CassidyDataSource source = new CassidyDataSource();
        source.setUrl(cluster.url());
        try (Connection own = source.getConnection();
                Statement statement = own.createStatement()) {
            ResultSet rows =
                    statement.executeQuery("INSERT INTO orders (customer) VALUES ('x'); SELECT SCOPE_IDENTITY()");
            rows.next();
            assertThat(rows.getObject(1)).isInstanceOf(BigDecimal.class);
            assertThat(rows.getObject(1, Long.class)).isEqualTo(rows.getLong(1));
        }
    }

    @Test
    void shouldServeOutputOfSentValues() throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(
                "INSERT INTO orders (customer, qty) OUTPUT INSERTED.id, INSERTED.customer AS who, INSERTED.qty"
                        + " VALUES (?, 7), (?, NULL)")) {
            insert.setString(1, "out 1");
            insert.setString(2, "out 2");
            try (ResultSet rows = insert.executeQuery()) {
                assertThat(rows.next()).isTrue();
                assertThat(orders.customerOf(rows.getLong("id"))).isEqualTo("out 1");
                assertThat(rows.getString("who")).isEqualTo("out 1");
                assertThat(rows.getObject("qty")).isEqualTo(7);
                assertThat(rows.next()).isTrue();
                assertThat(rows.getString("who")).isEqualTo("out 2");
                assertThat(rows.getObject("qty")).isNull();
                assertThat(rows.next()).isFalse();
            }
        }
    }

    @Test
    void shouldRefuseOutputOfServerSideValuesBeforeTheRowIsWritten() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            assertThatThrownBy(() -> statement.executeQuery("INSERT INTO big (v) OUTPUT INSERTED.v VALUES (toJson(1))"))
                    .hasMessageContaining("OUTPUT INSERTED.v is not served where the value is an expression")
                    .hasFieldOrPropertyWithValue("SQLState", "HYC00");
            assertThatThrownBy(() -> statement.executeQuery(
                            "INSERT INTO plain (k, v) OUTPUT INSERTED.k VALUES ('output', 1) IF NOT EXISTS"))
                    .hasMessageContaining("OUTPUT with IF NOT EXISTS is not served")
                    .hasFieldOrPropertyWithValue("SQLState", "HYC00");
            assertThat(statement
                            .executeQuery("SELECT * FROM plain WHERE k = 'output'")
                            .next())
                    .isFalse();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "INSERT INTO orders (customer) OUTPUT INSERTED.id VALUES ('not an update')",
                "SET NOCOUNT ON; INSERT INTO orders (customer) OUTPUT INSERTED.id VALUES ('not an update')",
                "SET ANSI_NULLS ON; INSERT INTO orders (customer) OUTPUT INSERTED.id VALUES ('not an update')"
            })
    void shouldRefuseOutputInAnUpdateBeforeTheRowIsWritten(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            assertThatThrownBy(() -> statement.executeUpdate(sql))
                    .hasMessageContaining("run it with executeQuery or execute")
                    .hasFieldOrPropertyWithValue("SQLState", "HY010");
            assertThat(statement
                            .executeQuery("SELECT * FROM orders WHERE customer = 'not an update' ALLOW FILTERING")
                            .next())
                    .isFalse();
            assertThat(statement.executeUpdate("SET NOCOUNT ON")).isZero();
        }
    }
}
