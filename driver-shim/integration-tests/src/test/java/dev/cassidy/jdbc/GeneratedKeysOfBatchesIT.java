package dev.cassidy.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.BatchUpdateException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GeneratedKeysOfBatchesIT {

    private static TestCluster cluster;

    @AutoClose
    private final Connection connection = cluster.open();

    private final Orders orders = new Orders(connection);

    @BeforeAll
    static void prepare() {
        cluster = Orders.fresh("batch_keys_it");
        cluster.cql("CREATE TABLE $.plain (k text PRIMARY KEY, v int)");
    }

    /**
     * Most rows are in progress before the first id is available: first because the session is new, then while blocks
     * are claimed.
     */
    @Test
    void shouldDrawIdsInTheOrderOfTheRowsWhileTheSequenceIsBeingOpened() throws SQLException {
        try (Connection cold = DriverManager.getConnection(cluster.url() + "&fanOut=warn");
                PreparedStatement insert = cold.prepareStatement(Orders.INSERT, Statement.RETURN_GENERATED_KEYS)) {
            for (int row = 0; row < 500; row++) {
                insert.setString(1, "row " + row);
                insert.setInt(2, row);
                insert.addBatch();
            }
            assertThat(insert.executeBatch()).hasSize(500).containsOnly(1);
            List<Long> keys = Orders.keys(insert);
            assertThat(keys).hasSize(500).isSorted().doesNotHaveDuplicates();
            assertThat(orders.customerOf(keys.get(0))).isEqualTo("row 0");
            assertThat(orders.customerOf(keys.get(499))).isEqualTo("row 499");
        }
    }

    @Test
    void shouldGiveEveryKeyOfABatchInOrder() throws SQLException {
        try (PreparedStatement insert = orders.insert()) {
            for (int i = 0; i < 300; i++) {
                insert.setString(1, "batch " + i);
                insert.setInt(2, i);
                insert.addBatch();
            }
            assertThat(insert.executeBatch()).hasSize(300).containsOnly(1);

            List<Long> keys = Orders.keys(insert);
            assertThat(keys).hasSize(300).doesNotHaveDuplicates();
            assertThat(orders.customerOf(keys.get(0))).isEqualTo("batch 0");
            assertThat(orders.customerOf(keys.get(137))).isEqualTo("batch 137");
            assertThat(orders.customerOf(keys.get(299))).isEqualTo("batch 299");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "INSERT INTO orders (customer) VALUES (?); SELECT SCOPE_IDENTITY()",
                "INSERT INTO orders (customer) OUTPUT INSERTED.id VALUES (?)",
                "SELECT * FROM plain WHERE k = ?"
            })
    void shouldRefuseABatchEntryWithAResultSetBeforeItIsWritten(String sql) throws SQLException {
        String customer = "refused by addBatch";
        try (PreparedStatement insert = connection.prepareStatement(sql)) {
            insert.setString(1, customer);
            assertThatThrownBy(insert::addBatch)
                    .hasMessageContaining("A batch cannot hold a statement that gives a result set")
                    .hasFieldOrPropertyWithValue("SQLState", "HY010");
            assertThat(insert.executeBatch()).isEmpty();
        }
        try (Statement select = connection.createStatement()) {
            assertThat(select.executeQuery("SELECT * FROM orders WHERE customer = '" + customer + "' ALLOW FILTERING")
                            .next())
                    .isFalse();
        }
    }

    @Test
    void shouldCountTheConditionalEntriesOfABatch() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.addBatch("INSERT INTO plain (k, v) VALUES ('conditional entry', 1) IF NOT EXISTS");
            statement.addBatch("INSERT INTO plain (k, v) VALUES ('conditional entry', 2) IF NOT EXISTS");
            assertThat(statement.executeBatch()).containsExactly(1, 0);
        }
    }

    @Test
    void shouldGiveTheKeysOfTheLastInsertOfAnEntry() throws SQLException {
        try (PreparedStatement batch =
                connection.prepareStatement(Orders.HEAD_AND_LINES, Statement.RETURN_GENERATED_KEYS)) {
            batch.addBatch();
            batch.executeBatch();

            List<Long> keys = Orders.keys(batch);
            assertThat(keys).hasSize(2);
            assertThat(orders.customerOf(keys.get(0))).isEqualTo("line 1");
        }
    }

    @Test
    void shouldKeepParametersAfterAddBatch() throws SQLException {
        try (PreparedStatement insert = orders.insert()) {
            insert.setString(1, "same");
            insert.setInt(2, 1);
            insert.addBatch();
            insert.setInt(2, 2);
            insert.addBatch();
            insert.executeBatch();

            List<Long> keys = Orders.keys(insert);
            assertThat(orders.customerOf(keys.get(0))).isEqualTo("same");
            assertThat(orders.customerOf(keys.get(1))).isEqualTo("same");
            assertThat(insert.executeBatch()).isEmpty();
        }
    }

    @Test
    void shouldReturnTheKeysOfSuccessfulEntriesWhenPartOfABatchFails() throws SQLException {
        try (PreparedStatement insert = orders.insert()) {
            for (Object qty : new Object[] {1, 5_000_000_000L, 3}) {
                insert.setString(1, "partial " + qty);
                insert.setObject(2, qty);
                insert.addBatch();
            }
            assertThatThrownBy(insert::executeBatch).isInstanceOfSatisfying(BatchUpdateException.class, e -> {
                assertThat(e.getUpdateCounts()).containsExactly(1, Statement.EXECUTE_FAILED, 1);
                assertThat(e.getSQLState()).isEqualTo("22003");
                assertThat(e.getMessage()).contains("1 of 3 entries failed", "5000000000");
            });
            List<Long> keys = Orders.keys(insert);
            assertThat(keys).hasSize(2);
            assertThat(orders.customerOf(keys.get(1))).isEqualTo("partial 3");
        }
    }

    @Test
    void shouldChainEveryFailureOfABatchInOrder() throws SQLException {
        try (PreparedStatement insert = orders.insert()) {
            for (long qty : List.of(5_000_000_001L, 2L, 5_000_000_002L, 5_000_000_003L)) {
                insert.setString(1, "chain");
                insert.setLong(2, qty);
                insert.addBatch();
            }
            assertThatThrownBy(insert::executeBatch).isInstanceOfSatisfying(BatchUpdateException.class, e -> {
                List<String> chain = new ArrayList<>();
                for (SQLException next = e.getNextException(); next != null; next = next.getNextException()) {
                    chain.add(next.getMessage());
                }
                assertThat(chain).hasSize(3);
                assertThat(chain.get(0)).contains("5000000001");
                assertThat(chain.get(1)).contains("5000000002");
                assertThat(chain.get(2)).contains("5000000003");
            });
        }
    }
}
