package dev.cassidy.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.datastax.oss.driver.api.core.cql.Row;
import dev.cassidy.collation.Collation;
import dev.cassidy.definition.ConstraintDefinition;
import dev.cassidy.definition.Reservations;
import dev.cassidy.definition.TableDefinition;
import dev.cassidy.definition.Twin;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.cassandra.InternalAccess;
import dev.cassidy.sequence.cassandra.Sequences;
import dev.cassidy.table.TableContract;
import dev.cassidy.table.TableRegistry;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLNonTransientException;
import java.sql.SQLTransactionRollbackException;
import java.sql.SQLTransientException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Writes that take long, while another process declares of their table what rows have to keep from then on. That one waits until all
 * others know, and then relies on each row. So what was judged before must not write later.
 */
class DeclaredMeanwhileIT {

    private static final String KEYSPACE = "declared_meanwhile_it";
    private static final Duration LONGEST = Duration.ofMinutes(2);

    /** Of transactions that others do not abort, as long as the test goes on. */
    private static final int MANY_ROWS = 1_000_000;

    private static TestCluster cluster;

    @AutoClose
    private final Connection connection = cluster.open();

    @AutoClose
    private final Connection reader = cluster.open();

    @BeforeAll
    static void create() {
        cluster = TestCluster.fresh(KEYSPACE);
        TestCluster.install("cassidy");
    }

    private static int run(Connection on, String sql, Object... parameters) throws SQLException {
        try (PreparedStatement statement = on.prepareStatement(sql)) {
            for (int i = 0; i < parameters.length; i++) {
                statement.setObject(i + 1, parameters[i]);
            }
            return statement.executeUpdate();
        }
    }

    private int run(String sql, Object... parameters) throws SQLException {
        return run(connection, sql, parameters);
    }

    private static List<Object> column(Connection on, String sql) throws SQLException {
        try (Statement statement = on.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            List<Object> found = new ArrayList<>();
            while (rows.next()) {
                found.add(rows.getObject(1));
            }
            return found;
        }
    }

    private static List<Row> stored(String table) {
        return TestCluster.session()
                .execute("SELECT * FROM " + KEYSPACE + "." + table)
                .all();
    }

    private static void cql(String statement, Object... values) {
        TestCluster.session().execute(statement, values);
    }

    private void lines(String table) throws SQLException {
        run("CREATE TABLE " + table + " (o INT, no INT, email NVARCHAR(50), v INT, PRIMARY KEY (o, no))");
        run("INSERT INTO " + table
                + " (o, no, email, v) VALUES (1, 1, 'Old', 1), (2, 1, 'Other', 1), (3, 1, 'Read', 1)");
    }

    private static void addTwin(String table) {
        cql("ALTER TABLE " + KEYSPACE + "." + table + " ADD cassidy_eq_email text");
    }

    private static TableDefinition twinned(TableDefinition known) {
        return known.replacing(known.column("email")
                .orElseThrow()
                .withTwin(new Twin(Collation.DEFAULT_NAME, Collation.NEWEST_VERSION, Twin.Place.BUILDING)));
    }

    private static TableDefinition unique(TableDefinition known) {
        ConstraintDefinition unique = new ConstraintDefinition(
                ConstraintDefinition.Kind.UNIQUE, "uq_email", List.of("email"), "UNIQUE (email)", null);
        return known.with(
                List.of(),
                List.of(unique.reservedIn(
                        new Reservations("cassidy_unique_it", Collation.NEWEST_VERSION, List.of(""), false))));
    }

    /** Declares, as another process does. */
    private static void declare(String table, UnaryOperator<TableDefinition> change, boolean waits) {
        try (Sequences declaring = Sequences.open(TestCluster.session(), SequencesConfig.defaults())) {
            TableRegistry registry = InternalAccess.tables(declaring);
            TableContract seen = registry.contract(KEYSPACE, table);
            registry.tighten(seen, change.apply(seen.definition()));
            if (waits) {
                registry.awaitNoticed();
            }
        }
    }

    private static long records() {
        return TestCluster.session()
                .execute("SELECT id FROM cassidy_" + TestCluster.NODE.localDatacenter() + ".transactions")
                .all()
                .size();
    }

    private static CompletableFuture<Void> commit(Connection on) {
        return CompletableFuture.runAsync(() -> {
            try {
                on.commit();
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        });
    }

    private static void end(UUID transaction) {
        cql(
                "UPDATE cassidy_" + TestCluster.NODE.localDatacenter()
                        + ".transactions SET state = 'ABORTED' WHERE id = ? IF EXISTS",
                transaction);
    }

    /** Begins a commit that has been judged and waits for a row, and returns it when something is declared that all know. */
    private CompletableFuture<Void> committed(String table, UnaryOperator<TableDefinition> change) throws SQLException {
        UUID slow = HeldRows.pending(MANY_ROWS);
        new HeldRows(KEYSPACE + "." + table).hold(slow, 1, 1);
        new HeldRows(KEYSPACE + "." + table).hold(slow, 2, 1);
        long before = records();
        CompletableFuture<Void> commit = commit(connection);
        await().atMost(LONGEST).until(() -> records() > before);
        declare(table, change, true);
        end(slow);
        return commit;
    }

    /** A client whose schema lacks the ids by which rows count would take what a row began with for the number. */
    @Test
    void shouldNotTakeAColumnThatCountsForAPlainOne() throws SQLException {
        run("CREATE TABLE page (id INT PRIMARY KEY, hits INT NOT NULL DEFAULT 0)");
        run("INSERT INTO page (id) VALUES (1)");
        assertThat(column(reader, "SELECT hits FROM page WHERE id = 1")).containsExactly(0);
        declare(
                "page",
                known -> known.replacing(known.column("hits").orElseThrow().asCounted()),
                true);

        for (String sql :
                List.of("UPDATE page SET hits = hits + 1 WHERE id = 1", "UPDATE page SET hits = 7 WHERE id = 1")) {
            assertThatThrownBy(() -> run(sql))
                    .isInstanceOf(SQLTransientException.class)
                    .hasMessageContaining("count since a moment ago")
                    .satisfies(e -> assertThat(((SQLException) e).getSQLState()).isEqualTo("40001"));
        }
        assertThatThrownBy(() -> column(reader, "SELECT hits FROM page WHERE id = 1"))
                .isInstanceOf(SQLTransientException.class)
                .hasMessageContaining("count since a moment ago");
        assertThat(stored("page")).singleElement().satisfies(row -> assertThat(row.getInt("hits"))
                .isZero());
    }

    @Test
    void shouldNotLockRowsWhenATwinWasDeclaredSinceTheCommitWasJudged() throws SQLException {
        lines("twin");
        reader.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
        reader.setAutoCommit(false);
        assertThat(column(reader, "SELECT email FROM twin WHERE o = 3 AND no = 1"))
                .containsExactly("Read");
        connection.setAutoCommit(false);
        run("UPDATE twin SET email = 'New' WHERE o IN (1, 2) AND no = 1");
        addTwin("twin");

        CompletableFuture<Void> commit = committed("twin", DeclaredMeanwhileIT::twinned);

        assertThatThrownBy(commit::join)
                .rootCause()
                .isInstanceOf(SQLTransactionRollbackException.class)
                .hasMessageContaining("the definition of a table has changed")
                .hasFieldOrPropertyWithValue("SQLState", "40001");
        assertThat(stored("twin"))
                .extracting(row -> row.getString("email"))
                .containsExactlyInAnyOrder("Old", "Other", "Read");
        assertThatThrownBy(() -> column(reader, "SELECT email FROM twin WHERE o = 3 AND no = 1"))
                .as("what it has read lacks the form")
                .isInstanceOf(SQLTransactionRollbackException.class)
                .hasMessageContaining("email");
        connection.rollback();
        run("UPDATE twin SET email = 'New' WHERE o IN (1, 2) AND no = 1");
        connection.commit();
        assertThat(stored("twin"))
                .filteredOn(row -> row.getInt("o") < 3)
                .extracting(row -> row.getString("cassidy_eq_email"))
                .containsOnly(Collation.standard().fold("New"));
    }

    @Test
    void shouldNotLockRowsWhenAUniqueWasDeclaredSinceTheCommitWasJudged() throws SQLException {
        lines("uniq");
        connection.setAutoCommit(false);
        run("UPDATE uniq SET email = 'New' WHERE o IN (1, 2) AND no = 1");

        CompletableFuture<Void> commit = committed("uniq", DeclaredMeanwhileIT::unique);

        assertThatThrownBy(commit::join)
                .rootCause()
                .isInstanceOf(SQLTransactionRollbackException.class)
                .hasMessageContaining("the definition of a table has changed");
        assertThat(stored("uniq"))
                .extracting(row -> row.getString("email"))
                .containsExactlyInAnyOrder("Old", "Other", "Read");
    }

    /** All rows are made before the first one is sent. */
    @Test
    void shouldAskBeforeEachRowOfAnInsert() throws SQLException {
        lines("many");
        addTwin("many");
        StringBuilder insert = new StringBuilder("INSERT INTO many (o, no, email) VALUES (10, 0, 'a')");
        for (int no = 1; no < 1_000; no++) {
            insert.append(", (10, ").append(no).append(", 'a')");
        }

        CompletableFuture<Void> inserted = CompletableFuture.runAsync(() -> {
            try (Statement statement = connection.createStatement()) {
                statement.executeUpdate(insert.toString());
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        });
        // At once: the rows that are left take a second or two.
        await().atMost(LONGEST)
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(5))
                .until(() -> !stored("many").isEmpty());
        declare("many", DeclaredMeanwhileIT::twinned, false);

        assertThatThrownBy(inserted::join)
                .rootCause()
                .isInstanceOf(SQLTransientException.class)
                .hasMessageContaining("was declared of column email");
        run("INSERT INTO many (o, no, email) VALUES (11, 1, 'B')");
        assertThat(stored("many"))
                .filteredOn(row -> row.getInt("o") == 11)
                .extracting(row -> row.getString("cassidy_eq_email"))
                .containsExactly(Collation.standard().fold("b"));
    }

    @Test
    void shouldSayThatItsColumnWasDropped() throws SQLException {
        run("CREATE TABLE dropped (id INT PRIMARY KEY, email NVARCHAR(50), v INT, INDEX ix_dropped (email))");
        run("INSERT INTO dropped (id, email, v) VALUES (1, 'Ann', 1), (2, 'Bob', 1)");
        cql("DROP INDEX " + KEYSPACE + ".ix_dropped");
        cql("ALTER TABLE " + KEYSPACE + ".dropped DROP cassidy_eq_email");

        // Another session has dropped it, and the server refuses what this one sends before it knows.
        await().atMost(LONGEST)
                .untilAsserted(() -> assertThatThrownBy(() -> run("UPDATE dropped SET email = 'Zoe' WHERE id = 1"))
                        .isInstanceOf(SQLNonTransientException.class)
                        .hasMessageContaining("column email")
                        .hasMessageContaining("cassidy tables rebuild"));
        assertThatThrownBy(() -> run("INSERT INTO dropped (id, email, v) VALUES (3, 'Zoe', 1)"))
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("column email")
                .hasMessageContaining("cassidy tables rebuild");
        assertThat(run("UPDATE dropped SET v = 2 WHERE id = 1")).isEqualTo(1);
        assertThat(run("DELETE FROM dropped WHERE id = 2")).isEqualTo(1);
        assertThat(stored("dropped")).extracting(row -> row.getInt("v")).containsExactly(2);
    }

    @Test
    void shouldRefuseToWriteWhatIsMadeOfAColumn() throws SQLException {
        run("CREATE TABLE made (id INT PRIMARY KEY, email NVARCHAR(50), v INT, INDEX ix_made (email))");
        run("INSERT INTO made (id, email, v) VALUES (1, 'Ann', 1)");
        for (String refused : List.of(
                "UPDATE made SET cassidy_eq_email = 'x' WHERE id = 1",
                "UPDATE made SET v = 2, cassidy_eq_email = 'x' WHERE id = 1",
                "DELETE cassidy_eq_email FROM made WHERE id = 1",
                "INSERT INTO made (id, email, cassidy_eq_email) VALUES (2, 'a', 'b')",
                "ALTER TABLE made ADD cassidy_eq_v NVARCHAR(9)")) {
            assertThatThrownBy(() -> run(refused)).as(refused).hasMessageContaining("cassidy_eq_");
        }
        assertThat(column(connection, "SELECT v FROM made WHERE email = 'ANN'")).containsExactly(1);
    }
}
