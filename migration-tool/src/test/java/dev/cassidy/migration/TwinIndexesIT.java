package dev.cassidy.migration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.metadata.schema.TableMetadata;
import dev.cassidy.definition.ColumnDefinition;
import dev.cassidy.definition.TableDefinition;
import dev.cassidy.definition.Twin;
import dev.cassidy.jdbc.run.TableDeclarations;
import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.sequence.cassandra.InternalAccess;
import dev.cassidy.sequence.cassandra.Sequences;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Indexes that {@code tables add-twin} makes beside others, and what {@code tables adopt} says of columns that have twins. */
class TwinIndexesIT {

    private static final String KEYSPACE = "twin_indexes_it";

    private static TargetNode node;
    private static Sequences sequences;

    @BeforeAll
    static void install() {
        node = new TargetNode("twin_indexes_it_cassidy");
        node.init();
        node.createKeyspace(KEYSPACE);
        sequences = Sequences.open(node.session(), node.config().withWatchInterval(Duration.ofMillis(100)));
    }

    @AfterAll
    static void drop() {
        sequences.close();
        node.close();
    }

    private static void tsql(String... statements) throws SQLException {
        try (Connection connection = DriverManager.getConnection(node.jdbc(KEYSPACE) + "&requestTimeout=1m");
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    private static List<Integer> ids(String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection(node.jdbc(KEYSPACE) + "&requestTimeout=1m");
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            List<Integer> ids = new ArrayList<>();
            while (rows.next()) {
                ids.add(rows.getInt(1));
            }
            return ids;
        }
    }

    private static void cql(String statement) {
        node.session().execute(statement.replace("$.", KEYSPACE + "."));
    }

    private static List<String> indexes(String table) {
        return node
                .session()
                .execute(
                        "SELECT index_name FROM system_schema.indexes WHERE keyspace_name = ? AND table_name = ?",
                        KEYSPACE,
                        table)
                .all()
                .stream()
                .map(row -> row.getString(0))
                .toList();
    }

    private static String add(String table, String... options) {
        List<String> arguments = new ArrayList<>(List.of("--table", KEYSPACE + "." + table, "--column", "email"));
        arguments.addAll(Arrays.asList(options));
        ToolRun run = node.run("tables add-twin", arguments.toArray(String[]::new));
        assertThat(run.exitCode()).as(run.out() + run.err()).isEqualTo(ExitCode.OK.code());
        return run.out();
    }

    private static TableDefinition definition(String table) {
        return InternalAccess.tables(sequences).contract(KEYSPACE, table).definition();
    }

    /** In Cassandra a name of an index is one of the keyspace's. */
    @Test
    void shouldTakeAFreeName() throws SQLException {
        tsql(
                "CREATE TABLE t (id INT PRIMARY KEY, email NVARCHAR(20))",
                "INSERT INTO t VALUES (1, 'Ann')",
                "CREATE TABLE u (id INT PRIMARY KEY, y INT)",
                "INSERT INTO u (id, y) VALUES (1, 7)");
        cql("CREATE INDEX t_ix ON $.t (email) USING 'sai'");
        cql("CREATE INDEX t_ix_eq ON $.u (y) USING 'sai'");

        assertThat(add("t")).contains("index t_t_ix_eq was made in place of t_ix");

        assertThat(indexes("t")).containsExactly("t_t_ix_eq");
        assertThat(ids("SELECT id FROM t WHERE email = 'ANN'")).containsExactly(1);
        assertThatThrownBy(() -> tsql("DROP INDEX t_ix ON u"))
                .as("it is not what was made in place of one")
                .hasFieldOrPropertyWithValue("errorCode", 3701);
        assertThat(indexes("u")).containsExactly("t_ix_eq");
        tsql("DROP INDEX t_ix ON t");
        assertThat(indexes("t")).isEmpty();
    }

    /** Before the other index can be asked, nobody reads by the form. */
    @Test
    void shouldReplaceAnIndexOfBytesWhenEachRowHasItsForm() throws SQLException {
        tsql(
                "CREATE TABLE k (id INT PRIMARY KEY, email NVARCHAR(20), INDEX ix_k (email))",
                "INSERT INTO k VALUES (1, 'Ann'), (2, 'bob')",
                "DROP INDEX ix_k ON k");
        cql("CREATE INDEX old_k ON $.k (email) USING 'sai'");
        assertThat(ids("SELECT id FROM k WHERE email = 'Ann'")).containsExactly(1);

        assertThatThrownBy(() -> tsql("CREATE INDEX ix_k ON k (email)"))
                .hasMessageContaining("old_k")
                .hasMessageContaining("cassidy tables add-twin");
        tsql("CREATE INDEX IF NOT EXISTS old_k ON k (email)");
        assertThat(indexes("k")).containsExactly("old_k");

        add("k", "--keep-index");
        assertThat(indexes("k")).containsExactlyInAnyOrder("old_k", "old_k_eq");
        assertThat(ids("SELECT id FROM k WHERE email = 'ANN'")).containsExactly(1);
        assertThat(node.session()
                        .execute("SELECT id FROM " + KEYSPACE + ".k WHERE email = 'Ann'")
                        .all())
                .hasSize(1);
        assertThat(add("k")).contains("index old_k_eq was made in place of old_k");
        assertThat(indexes("k")).containsExactly("old_k_eq");
        assertThat(definition("k").twins().values()).allMatch(Twin::isComplete);
    }

    @Test
    void shouldCompareAsBeforeWhenATableIsAdopted() throws SQLException {
        tsql(
                "CREATE TABLE adopted (id INT PRIMARY KEY, email NVARCHAR(20) COLLATE French_CI_AI, n INT, INDEX ix_a (email))");
        TableMetadata table = node.session()
                .refreshSchema()
                .getKeyspace(KEYSPACE)
                .flatMap(keyspace -> keyspace.getTable(CqlIdentifier.fromInternal("adopted")))
                .orElseThrow();
        TableDefinition known = definition("adopted");

        assertThat(TableDeclarations.columns(table, "id int, email nvarchar(40), n int", known.columns()))
                .extracting(ColumnDefinition::collation)
                .containsExactly("", "French_CI_AI", "");
        for (String refused :
                List.of("nvarchar(20) COLLATE Latin1_General_BIN2", "nvarchar(20) COLLATE French_CS_AS")) {
            assertThatThrownBy(() -> TableDeclarations.columns(table, "id, email " + refused + ", n", known.columns()))
                    .as(refused)
                    .hasMessageContaining("it has had an index, by which rows are compared by French_CI_AI");
        }
        // The rows of another table are not known to have it.
        TableDefinition other = new TableDefinition(UUID.randomUUID(), known.columns(), known.constraints());
        assertThat(TableDeclarations.fitting(table, known))
                .extracting(ColumnDefinition::twin)
                .containsExactlyElementsOf(
                        known.columns().stream().map(ColumnDefinition::twin).toList());
        assertThat(TableDeclarations.fitting(table, other).get(1).twin().place())
                .isEqualTo(Twin.Place.BUILDING);
        TableDefinition ofKey = new TableDefinition(
                UUID.randomUUID(),
                known.columns().stream()
                        .map(column -> column.twin() == null
                                ? column
                                : column.withTwin(column.twin().in(Twin.Place.KEY)))
                        .toList(),
                List.of());
        assertThat(TableDeclarations.fitting(table, ofKey).get(1).twin().place())
                .isEqualTo(Twin.Place.BUILDING);
    }
}
