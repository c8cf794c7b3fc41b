package dev.cassidy.assist;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cassidy.assist.plan.Planner;
import dev.cassidy.assist.plan.ReadPlan;
import dev.cassidy.assist.plan.TableRead;
import dev.cassidy.assist.read.Reader;
import dev.cassidy.jdbc.assist.Budget;
import dev.cassidy.jdbc.assist.ColumnModel;
import dev.cassidy.jdbc.assist.TableModel;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import net.sf.jsqlparser.expression.Alias;
import net.sf.jsqlparser.statement.select.Select;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A statement over the rows that its plan reads gives what it gives over whole tables. The judge of both is H2, without the driver. */
class ReadPlanFuzzTest {

    private static final int SCHEMAS = Integer.getInteger("assist.schemas", 60);
    private static final int STATEMENTS = 30;

    @Test
    void shouldReadEveryRowThatAStatementNeeds() throws SQLException {
        long seed = Long.getLong("assist.seed", 20_261_130L);
        int equal = 0;
        int withoutScan = 0;
        int rowsThere = 0;
        for (int schema = 0; schema < SCHEMAS; schema++) {
            RandomTables tables = new RandomTables(new Random(seed + schema));
            try (Connection h2 = DriverManager.getConnection("jdbc:h2:mem:;DATABASE_TO_UPPER=FALSE")) {
                for (TableModel table : tables.all()) {
                    fill(h2, table.name(), table.columns(), tables.rows(table.name()));
                }
                Random random = new Random(~(seed + schema));
                for (int i = 0; i < STATEMENTS; i++) {
                    RandomStatements statements = new RandomStatements(random, tables.all());
                    String sql = statements.statement();
                    int scans = tables.scans();
                    List<String> wanted = run(h2, sql, statements.parameters());
                    List<String> given = overRowsRead(h2, tables, sql, statements.parameters());
                    assertThat(given)
                            .as("schema %d: %s %s over %s", schema, sql, statements.parameters(), tables.all())
                            .isEqualTo(wanted);
                    equal++;
                    withoutScan += tables.scans() == scans ? 1 : 0;
                    rowsThere += wanted.isEmpty() ? 0 : 1;
                }
            }
        }
        assertThat(equal).isEqualTo(SCHEMAS * STATEMENTS);
        assertThat(withoutScan).as("of %d", equal).isGreaterThan(equal / 20);
        assertThat(rowsThere).as("of %d", equal).isGreaterThan(equal / 4);
    }

    private static List<String> overRowsRead(
            Connection h2, RandomTables tables, String sql, List<@Nullable Object> parameters) throws SQLException {
        Select tree = Trees.select(sql);
        ReadPlan plan = Planner.plan(tree, tables, parameters);
        List<List<List<@Nullable Object>>> rows = Reader.read(plan, parameters, tables, new Budget(10_000, 10_000))
                .toCompletableFuture()
                .join();
        for (TableRead read : plan.reads()) {
            fill(h2, "r" + read.id(), read.columns(), rows.get(read.id()));
            if (read.node().getAlias() == null) {
                read.node().setAlias(new Alias(read.node().getName()));
            }
            read.node().setName("r" + read.id());
        }
        try {
            return run(h2, tree.toString(), parameters);
        } finally {
            try (Statement statement = h2.createStatement()) {
                for (TableRead read : plan.reads()) {
                    statement.execute("DROP TABLE r" + read.id());
                }
            }
        }
    }

    private static void fill(Connection h2, String name, List<ColumnModel> columns, List<List<@Nullable Object>> rows)
            throws SQLException {
        try (Statement statement = h2.createStatement()) {
            statement.execute("CREATE LOCAL TEMPORARY TABLE " + name
                    + columns.stream()
                            .map(column -> column.name() + (column.isString() ? " VARCHAR" : " BIGINT"))
                            .collect(Collectors.joining(", ", " (", ")")));
        }
        String markers = columns.stream().map(column -> "?").collect(Collectors.joining(", "));
        try (PreparedStatement insert = h2.prepareStatement("INSERT INTO " + name + " VALUES (" + markers + ")")) {
            for (List<@Nullable Object> row : rows) {
                for (int i = 0; i < row.size(); i++) {
                    insert.setObject(i + 1, row.get(i));
                }
                insert.addBatch();
            }
            insert.executeBatch();
        }
    }

    private static List<String> run(Connection h2, String sql, List<@Nullable Object> parameters) throws SQLException {
        List<String> rows = new ArrayList<>();
        try (PreparedStatement statement = h2.prepareStatement(sql)) {
            for (int i = 0; i < parameters.size(); i++) {
                statement.setObject(i + 1, parameters.get(i));
            }
            try (ResultSet found = statement.executeQuery()) {
                int columns = found.getMetaData().getColumnCount();
                while (found.next()) {
                    StringBuilder row = new StringBuilder();
                    for (int i = 1; i <= columns; i++) {
                        row.append(found.getString(i)).append('|');
                    }
                    rows.add(row.toString());
                }
            }
        }
        rows.sort(null);
        return rows;
    }
}
