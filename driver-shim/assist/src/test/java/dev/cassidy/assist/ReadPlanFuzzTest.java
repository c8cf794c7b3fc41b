package dev.cassidy.assist;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cassidy.assist.plan.Planner;
import dev.cassidy.assist.plan.ReadPlan;
import dev.cassidy.assist.plan.TableRead;
import dev.cassidy.assist.read.Reader;
import dev.cassidy.jdbc.assist.Budget;
import dev.cassidy.jdbc.assist.TableModel;
import java.sql.SQLException;
import java.util.List;
import java.util.Random;
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
            try (Judge h2 = new Judge(false)) {
                for (TableModel table : tables.all()) {
                    h2.create(table.name(), table.columns(), tables.rows(table.name()));
                }
                Random random = new Random(~(seed + schema));
                for (int i = 0; i < STATEMENTS; i++) {
                    RandomStatements statements = new RandomStatements(random, tables.all());
                    String sql = statements.statement();
                    int scans = tables.scans();
                    List<String> wanted = sorted(h2.rows(sql, statements.parameters()));
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
            Judge h2, RandomTables tables, String sql, List<@Nullable Object> parameters) throws SQLException {
        Select tree = Trees.select(sql);
        ReadPlan plan = Planner.plan(tree, tables, parameters);
        List<List<List<@Nullable Object>>> rows = Reader.read(plan, parameters, tables, new Budget(10_000, 10_000))
                .toCompletableFuture()
                .join();
        for (TableRead read : plan.reads()) {
            h2.create("r" + read.id(), read.columns(), rows.get(read.id()));
            if (read.node().getAlias() == null) {
                read.node().setAlias(new Alias(read.node().getName()));
            }
            read.node().setName("r" + read.id());
        }
        try {
            return sorted(h2.rows(tree.toString(), parameters));
        } finally {
            for (TableRead read : plan.reads()) {
                h2.drop("r" + read.id());
            }
        }
    }

    private static List<String> sorted(List<String> rows) {
        return rows.stream().sorted().toList();
    }
}
