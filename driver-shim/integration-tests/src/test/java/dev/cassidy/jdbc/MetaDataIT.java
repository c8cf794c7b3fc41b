package dev.cassidy.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cassidy.sequence.IdentityType;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class MetaDataIT {

    private static Connection connection;
    private static DatabaseMetaData metadata;

    @BeforeAll
    static void prepare() throws SQLException {
        TestCluster cluster = TestCluster.fresh("metadata_it");
        cluster.cql(
                "CREATE TABLE $.orders (id int PRIMARY KEY, customer text, qty bigint) WITH comment = 'what was sold'",
                "CREATE TABLE $.lines (order_id int, line int, sku text, PRIMARY KEY (order_id, line))",
                "CREATE INDEX orders_by_customer ON $.orders (customer)",
                "CREATE TABLE $.\"Mixed\" (\"Id\" int PRIMARY KEY)");
        cluster.identity("orders", "id", IdentityType.INT, 1);
        connection = cluster.connect();
        metadata = connection.getMetaData();
    }

    @AfterAll
    static void close() throws SQLException {
        connection.close();
    }

    private static List<String> column(ResultSet rows, String name) throws SQLException {
        List<String> values = new ArrayList<>();
        try (rows) {
            while (rows.next()) {
                values.add(rows.getString(name));
            }
        }
        return values;
    }

    @Test
    void shouldListTheTablesOfTheConnectionsKeyspace() throws SQLException {
        assertThat(column(metadata.getTables(null, null, "%", null), "TABLE_NAME"))
                .containsExactly("Mixed", "lines", "orders");
        assertThat(column(metadata.getTables(null, "dbo", "ORDERS", new String[] {"TABLE"}), "TABLE_NAME"))
                .containsExactly("orders");
        assertThat(column(metadata.getTables(null, "metadata\\_it", "order_", null), "REMARKS"))
                .containsExactly("what was sold");
        assertThat(column(metadata.getTables(null, null, "%", new String[] {"VIEW"}), "TABLE_NAME"))
                .isEmpty();
        assertThat(column(metadata.getSchemas(), "TABLE_SCHEM")).contains("metadata_it");
    }

    @Test
    void shouldRefuseToLookForATableWithoutAName() {
        List<ThrowingCallable> calls = List.of(
                () -> metadata.getPrimaryKeys(null, null, null),
                () -> metadata.getIndexInfo(null, null, null, false, true),
                () -> metadata.getBestRowIdentifier(null, null, null, DatabaseMetaData.bestRowSession, true));
        for (ThrowingCallable call : calls) {
            assertThatThrownBy(call)
                    .isInstanceOf(SQLException.class)
                    .hasMessage("must be the name of a table: table=null")
                    .hasFieldOrPropertyWithValue("SQLState", "HY024");
        }
    }

    @Test
    void shouldDescribeColumnsAndTheirKeys() throws SQLException {
        try (ResultSet rows = metadata.getColumns(null, null, "orders", null)) {
            rows.next();
            assertThat(rows.getString("COLUMN_NAME")).isEqualTo("id");
            assertThat(rows.getInt("DATA_TYPE")).isEqualTo(Types.INTEGER);
            assertThat(rows.getString("IS_AUTOINCREMENT")).isEqualTo("YES");
            assertThat(rows.getInt("NULLABLE")).isEqualTo(DatabaseMetaData.columnNoNulls);
            rows.next();
            assertThat(rows.getString("COLUMN_NAME")).isEqualTo("customer");
            assertThat(rows.getString("TYPE_NAME")).isEqualTo("text");
            assertThat(rows.getString("IS_AUTOINCREMENT")).isEqualTo("NO");
            assertThat(rows.getInt("ORDINAL_POSITION")).isEqualTo(2);
        }
        assertThat(column(metadata.getPrimaryKeys(null, null, "lines"), "COLUMN_NAME"))
                .containsExactly("line", "order_id");
        assertThat(column(metadata.getPrimaryKeys(null, null, "lines"), "PK_NAME"))
                .containsExactly("PK_lines", "PK_lines");
        assertThat(column(metadata.getPrimaryKeys(null, null, "lines"), "KEY_SEQ"))
                .containsExactly("2", "1");
        assertThat(column(metadata.getIndexInfo(null, null, "orders", false, false), "INDEX_NAME"))
                .containsExactly("orders_by_customer");
        assertThat(column(metadata.getColumns(null, null, "Mixed", "%"), "COLUMN_NAME"))
                .containsExactly("Id");
    }

    static Stream<Method> methodsWithoutParameters() {
        return Stream.of(DatabaseMetaData.class.getMethods())
                .filter(method -> method.getParameterCount() == 0 && !Modifier.isStatic(method.getModifiers()));
    }

    @ParameterizedTest
    @MethodSource("methodsWithoutParameters")
    void shouldAnswerTheCallsOfTools(Method method) throws Exception {
        Object answer = method.invoke(metadata);

        assertThat(answer).isNotNull();
        if (answer instanceof ResultSet rows) {
            assertThat(rows.getMetaData().getColumnCount()).isPositive();
        }
    }

    @Test
    void shouldNameTheProductAndItsCapabilities() throws SQLException {
        assertThat(metadata.getDatabaseProductName()).isEqualTo("Apache Cassandra");
        assertThat(metadata.getDatabaseMajorVersion()).isEqualTo(5);
        assertThat(metadata.storesLowerCaseIdentifiers()).isTrue();
        assertThat(metadata.storesUpperCaseIdentifiers()).isFalse();
        assertThat(metadata.supportsGetGeneratedKeys()).isTrue();
        assertThat(metadata.supportsBatchUpdates()).isTrue();
    }
}
