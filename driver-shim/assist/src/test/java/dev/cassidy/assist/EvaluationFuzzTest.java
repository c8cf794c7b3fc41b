package dev.cassidy.assist;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cassidy.assist.eval.Engine;
import dev.cassidy.assist.eval.FedTable;
import dev.cassidy.assist.eval.Limits;
import dev.cassidy.assist.plan.Planner;
import dev.cassidy.assist.plan.ReadPlan;
import dev.cassidy.assist.plan.TableRead;
import dev.cassidy.assist.read.Reader;
import dev.cassidy.jdbc.assist.Budget;
import dev.cassidy.jdbc.assist.ColumnModel;
import dev.cassidy.jdbc.assist.Evaluated;
import dev.cassidy.jdbc.assist.NotAssistedException;
import dev.cassidy.jdbc.assist.SessionLanguage;
import dev.cassidy.jdbc.assist.TableModel;
import java.sql.SQLException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Collectors;
import net.sf.jsqlparser.schema.Table;
import net.sf.jsqlparser.statement.select.Select;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * A statement that is written for H2 by the driver, over the rows that its plan reads, gives what H2 gives for the statement itself
 * over whole tables. The statements are in what H2 and T-SQL have in common, and their strings are compared by code.
 */
class EvaluationFuzzTest {

    private static final int SCHEMAS = Integer.getInteger("assist.schemas", 60);
    private static final int STATEMENTS = 30;

    @Test
    void shouldGiveWhatH2GivesOverWholeTables() throws SQLException {
        long seed = Long.getLong("assist.seed", 20_261_130L);
        int rowsThere = 0;
        int refused = 0;
        try (Engine engine = new Engine(() -> Instant.EPOCH, () -> ZoneOffset.UTC, Limits.defaults())) {
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
                        List<String> wanted = sorted(h2.rows(sql, statements.parameters()));
                        Optional<List<String>> given = evaluated(engine, tables, sql, statements.parameters());
                        if (given.isEmpty()) {
                            refused++;
                            continue;
                        }
                        assertThat(given.get())
                                .as("schema %d: %s %s over %s", schema, sql, statements.parameters(), tables.all())
                                .isEqualTo(wanted);
                        rowsThere += wanted.isEmpty() ? 0 : 1;
                    }
                }
            }
        }
        assertThat(rowsThere).as("of %d", SCHEMAS * STATEMENTS).isGreaterThan(SCHEMAS * STATEMENTS / 4);
        assertThat(refused).as("of %d", SCHEMAS * STATEMENTS).isLessThanOrEqualTo(SCHEMAS * STATEMENTS / 100);
    }

    /** Empty where a UNION of two types names a column from outside, which H2 does not find within the conversion, and where H2 fails. */
    private static Optional<List<String>> evaluated(
            Engine engine, RandomTables tables, String sql, List<@Nullable Object> parameters) {
        Select tree = Trees.select(sql);
        ReadPlan plan = Planner.plan(tree, tables, parameters);
        List<List<List<@Nullable Object>>> rows = Reader.read(plan, parameters, tables, new Budget(10_000, 10_000))
                .toCompletableFuture()
                .join();
        IdentityHashMap<Table, FedTable> fed = new IdentityHashMap<>();
        for (TableRead read : plan.reads()) {
            fed.put(
                    read.node(),
                    new FedTable(
                            read.table(),
                            read.columns().stream().map(ColumnModel::name).toList(),
                            rows.get(read.id()).stream().map(List::toArray).toList()));
        }
        Evaluated result;
        try {
            result = engine.evaluate(tree, fed, parameters, SessionLanguage.unset());
        } catch (NotAssistedException e) {
            assertThat(e.getMessage()).as("%s %s", sql, e.getCause()).containsAnyOf("42122", "50000");
            return Optional.empty();
        }
        return Optional.of(result.rows().stream()
                .map(row -> Arrays.stream(row).map(each -> each + "|").collect(Collectors.joining()))
                .sorted()
                .toList());
    }

    private static List<String> sorted(List<String> rows) {
        return rows.stream().sorted().toList();
    }
}
