package dev.cassidy.frameworks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cassidy.frameworks.Shop.Row;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.namedparam.MapSqlParameterSource;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcTemplate;
import org.springframework.jdbc.core.namedparam.SqlParameterSource;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.support.GeneratedKeyHolder;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.jdbc.support.KeyHolder;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionException;
import org.springframework.transaction.support.TransactionTemplate;

/** Spring's transaction managers on a pool. */
class SpringTransactionsIT {

    private static Shop shop;
    private static JdbcTemplate jdbc;
    private static PlatformTransactionManager manager;

    @BeforeAll
    static void prepare() throws SQLException {
        shop = Shop.open("spring_transactions_it");
        jdbc = new JdbcTemplate(shop.pool());
        manager = new DataSourceTransactionManager(shop.pool());
    }

    @AfterAll
    static void close() throws SQLException {
        shop.close();
    }

    private static TransactionTemplate transactions(int propagation) {
        TransactionTemplate template = new TransactionTemplate(manager);
        template.setPropagationBehavior(propagation);
        return template;
    }

    private static Number insert(String name) {
        KeyHolder keys = new GeneratedKeyHolder();
        jdbc.update(
                connection -> {
                    PreparedStatement insert = connection.prepareStatement(
                            "INSERT INTO product (name) VALUES (?)", Statement.RETURN_GENERATED_KEYS);
                    insert.setString(1, name);
                    return insert;
                },
                keys);
        return keys.getKey();
    }

    @Test
    void shouldWriteEverythingAtTheCommitWithIdsKnownBefore() {
        TransactionTemplate template = new TransactionTemplate(new JdbcTransactionManager(shop.pool()));

        List<Number> ids = template.execute(status -> {
            List<Number> made = new ArrayList<>();
            made.add(insert("kettle"));
            made.add(insert("lid of " + made.get(0)));
            jdbc.update("UPDATE product SET stock = 5 WHERE id = ?", made.get(0));
            KeyHolder batch = new GeneratedKeyHolder();
            new NamedParameterJdbcTemplate(jdbc)
                    .batchUpdate(
                            "INSERT INTO product (name) VALUES (:name)",
                            new SqlParameterSource[] {
                                new MapSqlParameterSource("name", "b1"), new MapSqlParameterSource("name", "b2")
                            },
                            batch);
            batch.getKeyList().forEach(key -> made.add((Number) key.get("id")));
            assertThat(shop.row(made.get(3))).isEmpty();
            assertThat(shop.row(made.get(0))).isEmpty();
            assertThat(shop.row(made.get(1))).isEmpty();
            return made;
        });

        assertThat(shop.row(ids.get(0))).contains(Row.of("kettle", null, 5));
        assertThat(shop.row(ids.get(1))).contains(Row.of("lid of " + ids.get(0), null, null));
        assertThat(shop.row(ids.get(2))).contains(Row.of("b1", null, null));
        assertThat(shop.row(ids.get(3))).contains(Row.of("b2", null, null));
    }

    @Test
    void shouldLeaveNothingBehindAfterARollback() {
        Number kept = insert("kept");
        List<Number> ids = new ArrayList<>();

        assertThatThrownBy(() -> transactions(TransactionDefinition.PROPAGATION_REQUIRED)
                        .executeWithoutResult(status -> {
                            ids.add(insert("gone"));
                            jdbc.update("UPDATE product SET name = 'changed' WHERE id = ?", kept);
                            jdbc.update("DELETE FROM product WHERE id = ?", kept);
                            throw new IllegalArgumentException("the application's own");
                        }))
                .hasMessage("the application's own");
        transactions(TransactionDefinition.PROPAGATION_REQUIRED).executeWithoutResult(status -> {
            ids.add(insert("gone, too"));
            status.setRollbackOnly();
        });

        assertThat(shop.row(ids.get(0))).isEmpty();
        assertThat(shop.row(ids.get(1))).isEmpty();
        assertThat(shop.row(kept)).contains(Row.of("kept", null, null));
    }

    @Test
    void shouldKeepAnInnerTransactionSeparate() {
        List<Number> ids = new ArrayList<>();

        transactions(TransactionDefinition.PROPAGATION_REQUIRED).executeWithoutResult(outer -> {
            ids.add(insert("outer"));
            transactions(TransactionDefinition.PROPAGATION_REQUIRES_NEW)
                    .executeWithoutResult(inner -> ids.add(insert("inner")));
            assertThat(shop.row(ids.get(1))).contains(Row.of("inner", null, null));
            transactions(TransactionDefinition.PROPAGATION_NOT_SUPPORTED)
                    .executeWithoutResult(none -> ids.add(insert("at once")));
            assertThat(shop.row(ids.get(2))).contains(Row.of("at once", null, null));
            outer.setRollbackOnly();
        });

        assertThat(shop.row(ids.get(0))).isEmpty();
        assertThat(shop.row(ids.get(1))).isPresent();
    }

    @Test
    void shouldRollBackANestedTransactionAlone() {
        List<Number> ids = new ArrayList<>();

        transactions(TransactionDefinition.PROPAGATION_REQUIRED).executeWithoutResult(outer -> {
            ids.add(insert("outer"));
            transactions(TransactionDefinition.PROPAGATION_NESTED).executeWithoutResult(nested -> {
                ids.add(insert("nested"));
                nested.setRollbackOnly();
            });
            transactions(TransactionDefinition.PROPAGATION_NESTED)
                    .executeWithoutResult(nested -> ids.add(insert("kept")));
        });

        assertThat(shop.row(ids.get(0))).isPresent();
        assertThat(shop.row(ids.get(1))).isEmpty();
        assertThat(shop.row(ids.get(2))).isPresent();
    }

    @Test
    void shouldRefuseASavepointOutsideATransaction() throws SQLException {
        try (Connection connection = shop.pool().getConnection()) {
            assertThatThrownBy(connection::setSavepoint)
                    .hasMessageContaining("setAutoCommit(false)")
                    .hasFieldOrPropertyWithValue("SQLState", "HY010");
        }
    }

    @ParameterizedTest
    @ValueSource(
            ints = {
                TransactionDefinition.ISOLATION_READ_UNCOMMITTED,
                TransactionDefinition.ISOLATION_READ_COMMITTED,
                TransactionDefinition.ISOLATION_REPEATABLE_READ,
                TransactionDefinition.ISOLATION_SERIALIZABLE
            })
    void shouldAcceptEveryIsolationLevelAndRestoreTheConnections(int level) throws SQLException {
        TransactionTemplate template = transactions(TransactionDefinition.PROPAGATION_REQUIRED);
        template.setIsolationLevel(level);

        Number id = template.execute(status -> {
            assertThat(jdbc.execute(Connection::getTransactionIsolation)).isEqualTo(level);
            return insert("level " + level);
        });

        assertThat(shop.row(id)).isPresent();
        assertThat(jdbc.execute(Connection::getTransactionIsolation)).isEqualTo(Connection.TRANSACTION_READ_COMMITTED);
        assertThat(jdbc.execute(Connection::getAutoCommit)).isTrue();
    }

    @Test
    void shouldServeAReadOnlyTransactionWithATimeout() {
        Number id = insert("read");
        TransactionTemplate template = transactions(TransactionDefinition.PROPAGATION_REQUIRED);
        template.setReadOnly(true);
        template.setTimeout(60);

        String name = template.execute(status -> {
            assertThat(jdbc.execute(Connection::isReadOnly)).isTrue();
            return jdbc.queryForObject("SELECT name FROM product WHERE id = ?", String.class, id);
        });

        assertThat(name).isEqualTo("read");
        assertThat(jdbc.execute(Connection::isReadOnly)).isFalse();
    }

    @Test
    void shouldReportAFailedCommitAndWriteNothing() {
        List<Number> ids = new ArrayList<>();

        assertThatThrownBy(() -> transactions(TransactionDefinition.PROPAGATION_REQUIRED)
                        .executeWithoutResult(status -> {
                            for (int i = 0; i < 4; i++) {
                                ids.add(insert("x".repeat(30_000)));
                            }
                        }))
                .isInstanceOf(TransactionException.class)
                .hasStackTraceContaining("batch_size_fail_threshold");

        assertThat(ids).hasSize(4).allSatisfy(id -> assertThat(shop.row(id)).isEmpty());
        // The connection whose commit failed is back in the pool, without the writes that it could not commit.
        Number next = transactions(TransactionDefinition.PROPAGATION_REQUIRED).execute(status -> insert("next"));
        assertThat(shop.row(next)).isPresent();
    }
}
