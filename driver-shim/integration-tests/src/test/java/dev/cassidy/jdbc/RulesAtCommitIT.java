package dev.cassidy.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.metadata.schema.RelationMetadata;
import com.datastax.oss.driver.api.core.metadata.schema.TableMetadata;
import dev.cassidy.cql.IdentitySession;
import dev.cassidy.definition.ColumnDefinition;
import dev.cassidy.definition.SqlType;
import dev.cassidy.definition.TableDefinition;
import dev.cassidy.sequence.IdentityType;
import dev.cassidy.sequence.cassandra.InternalAccess;
import dev.cassidy.table.TableRegistry;
import java.math.BigDecimal;
import java.sql.BatchUpdateException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTransactionRollbackException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Writes that wait, for a commit or in a batch, while another session changes their table. Those of a plain table wait. */
class RulesAtCommitIT {

    private static final String KEYSPACE = "rules_at_commit_it";

    private static TestCluster cluster;

    @AutoClose
    private final Connection connection = cluster.open("writes=plain");

    /** With a session, and a registry of contracts, of its own. */
    @AutoClose
    private final Connection other = cluster.open("fanOut=warn", "writes=plain");

    @BeforeAll
    static void prepare() {
        cluster = TestCluster.fresh(KEYSPACE);
        cluster.cql("CREATE TABLE $.installs_cassidy (id int PRIMARY KEY)");
        cluster.identity("installs_cassidy", "id", IdentityType.INT, 1);
    }

    @BeforeEach
    void create() throws SQLException {
        run(
                connection,
                "DROP TABLE IF EXISTS held",
                "CREATE TABLE held (id INT NOT NULL PRIMARY KEY, name VARCHAR(5), code VARCHAR(5), price DECIMAL(6,2))");
        await().atMost(Duration.ofMinutes(1)).until(() -> known(other).equals(known(connection)));
    }

    private static void run(Connection by, String... statements) throws SQLException {
        try (Statement statement = by.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    private List<Object> rows() throws SQLException {
        try (Statement statement = other.createStatement();
                ResultSet rows = statement.executeQuery("SELECT * FROM held")) {
            List<Object> values = new ArrayList<>();
            while (rows.next()) {
                for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++) {
                    values.add(rows.getObject(i));
                }
            }
            return values;
        }
    }

    private static TableRegistry registry(Connection of) throws SQLException {
        return InternalAccess.tables(of.unwrap(IdentitySession.class).sequences());
    }

    private static Optional<TableMetadata> seen(Connection by) throws SQLException {
        return by.unwrap(CqlSession.class)
                .getMetadata()
                .getKeyspace(KEYSPACE)
                .flatMap(keyspace -> keyspace.getTable("held"));
    }

    private static Optional<UUID> known(Connection by) throws SQLException {
        return seen(by).flatMap(RelationMetadata::getId);
    }

    /** Until the session that holds writes knows what the other one has made of the table. */
    private void awaitKnown() throws SQLException {
        TableDefinition now = registry(other).cachedDefinition(KEYSPACE, "held").orElseThrow();
        await().atMost(Duration.ofMinutes(1)).until(() -> {
            // Sooner than the next watch.
            registry(connection)
                    .identityNowAsync(KEYSPACE, "held")
                    .toCompletableFuture()
                    .join();
            return registry(connection).cachedDefinition(KEYSPACE, "held").equals(Optional.of(now))
                    && known(connection).filter(now::isOf).isPresent()
                    && seen(connection).orElseThrow().getColumns().size()
                            == now.columns().size();
        });
    }

    private void insert(int id, String name) throws SQLException {
        try (PreparedStatement insert =
                connection.prepareStatement("INSERT INTO held (id, name, price) VALUES (?, ?, 1.5)")) {
            insert.setInt(1, id);
            insert.setString(2, name);
            insert.executeUpdate();
        }
    }

    private void assertRefused(ThrowingCallable work, int number) throws SQLException {
        assertThatThrownBy(work).isInstanceOf(SQLException.class).hasFieldOrPropertyWithValue("errorCode", number);
        connection.rollback();
        assertThat(rows()).isEmpty();
    }

    @Test
    void shouldCommitWhatNothingForbids() throws SQLException {
        connection.setAutoCommit(false);
        insert(1, "abcde");
        run(
                other,
                "ALTER TABLE held ADD more INT",
                "ALTER TABLE held ALTER COLUMN name VARCHAR(9)",
                "ALTER TABLE held ALTER COLUMN price DECIMAL(9,3)",
                "ALTER TABLE held ADD CONSTRAINT positive CHECK (price > 0)");
        awaitKnown();

        connection.commit();

        // As the wider column has it.
        assertThat(rows()).containsExactly(1, "abcde", null, new BigDecimal("1.500"), null);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "ALTER TABLE held ADD CONSTRAINT short CHECK (name <> 'abcde')  | 547",
                "ALTER TABLE held ADD CONSTRAINT high CHECK (price > 2)         | 547",
                "ALTER TABLE held ADD more INT NOT NULL                         | 515",
                "ALTER TABLE held ADD more INT NOT NULL DEFAULT 7               | 515"
            })
    void shouldRefuseWhatIsForbiddenAtTheCommit(String change, int number) throws SQLException {
        connection.setAutoCommit(false);
        insert(1, "abcde");
        run(other, change);
        awaitKnown();

        assertRefused(connection::commit, number);

        if (change.contains("DEFAULT")) {
            insert(1, "abcde");
            connection.commit();
            assertThat(rows()).hasSize(5);
        }
    }

    /** What {@code cassidy tables alter} declares before it reads the rows. */
    @ParameterizedTest
    @CsvSource({"name, VARCHAR(4), false, 2628", "price, 'DECIMAL(2,2)', false, 8115", "code, VARCHAR(5), true, 515"})
    void shouldRefuseWhatAStricterColumnForbids(String column, String type, boolean required, int number)
            throws SQLException {
        connection.setAutoCommit(false);
        insert(1, "abcde");
        TableDefinition before = registry(other)
                .definitionAsync(KEYSPACE, "held", known(other).orElseThrow())
                .toCompletableFuture()
                .join()
                .orElseThrow();
        ColumnDefinition from = before.column(column).orElseThrow();
        registry(other)
                .alterColumn(
                        KEYSPACE,
                        "held",
                        before.id(),
                        from,
                        new ColumnDefinition(
                                column, column, SqlType.parse(type).orElseThrow(), required, from.collation()));
        awaitKnown();

        assertRefused(connection::commit, number);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "id INT NOT NULL PRIMARY KEY, price VARCHAR(9), name VARCHAR(9)",
                "id INT NOT NULL PRIMARY KEY, name VARCHAR(5), code VARCHAR(5), price DECIMAL(6,2)",
            })
    void shouldRefuseWritesToATableThatIsAnotherOneNow(String columns) throws SQLException {
        connection.setAutoCommit(false);
        insert(1, "abcde");
        run(other, "DROP TABLE held", "CREATE TABLE held (" + columns + ")");
        awaitKnown();

        assertThatThrownBy(connection::commit)
                .isInstanceOf(SQLTransactionRollbackException.class)
                .hasMessageContaining("Nothing was committed: rules_at_commit_it.held was dropped, and created again");
        connection.rollback();
        assertThat(rows()).isEmpty();
        // The transaction that is begun again is one of the new table.
        run(connection, "INSERT INTO held (id, name) VALUES (2, 'x')");
        connection.commit();
        assertThat(rows()).contains(2, "x");
    }

    @Test
    void shouldRefuseWritesToATableThatIsGone() throws SQLException {
        connection.setAutoCommit(false);
        insert(1, "abcde");
        run(other, "DROP TABLE held");
        await().atMost(Duration.ofMinutes(1)).until(() -> known(connection).isEmpty());

        assertThatThrownBy(connection::commit)
                .isInstanceOf(SQLTransactionRollbackException.class)
                .hasMessageContaining("held was dropped since this transaction wrote to it");
        connection.rollback();
    }

    @Test
    void shouldWriteNothingIfOneOfSeveralIsRefused() throws SQLException {
        run(connection, "CREATE TABLE beside (id INT NOT NULL PRIMARY KEY)");
        connection.setAutoCommit(false);
        run(connection, "INSERT INTO beside (id) VALUES (1)");
        insert(1, "abcd");
        run(connection, "UPDATE held SET name = 'abcde' WHERE id = 1");
        run(other, "ALTER TABLE held ADD CONSTRAINT short CHECK (name <> 'abcde')");
        awaitKnown();

        assertRefused(connection::commit, 547);

        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT id FROM beside")) {
            assertThat(rows.next()).isFalse();
        }
    }

    @Test
    void shouldJudgeABatchWhenItRuns() throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO held (id, name) VALUES (?, 'abcde')");
                Statement plain = connection.createStatement()) {
            insert.setInt(1, 1);
            insert.addBatch();
            plain.addBatch("INSERT INTO held (id, name) VALUES (2, 'abcde')");
            run(other, "ALTER TABLE held ADD CONSTRAINT short CHECK (name <> 'abcde')");
            awaitKnown();

            for (Statement batch : List.of(insert, plain)) {
                assertThatThrownBy(batch::executeBatch)
                        .isInstanceOf(BatchUpdateException.class)
                        .hasFieldOrPropertyWithValue("errorCode", 547);
            }
        }
        assertThat(rows()).isEmpty();
    }

    @Test
    void shouldJudgeAPreparedStatementByTheTableThatItMeets() throws SQLException {
        try (PreparedStatement listed = connection.prepareStatement("INSERT INTO held VALUES (?, ?, ?, 1)");
                PreparedStatement named =
                        connection.prepareStatement("INSERT INTO held (id, code, name) VALUES (?, ?, ?)")) {
            for (PreparedStatement each : List.of(listed, named)) {
                each.setInt(1, 1);
                each.setString(2, "first");
                each.setString(3, "last");
            }
            run(
                    other,
                    "DROP TABLE held",
                    "CREATE TABLE held (id INT NOT NULL PRIMARY KEY, code CHAR(7), name VARCHAR(4), price DECIMAL(6,2))");
            awaitKnown();

            listed.executeUpdate();
            assertThat(rows()).containsExactly(1, "first  ", "last", new BigDecimal("1.00"));
            named.setString(3, "longer");
            assertThatThrownBy(named::executeUpdate).hasFieldOrPropertyWithValue("errorCode", 2628);
        }
    }
}
