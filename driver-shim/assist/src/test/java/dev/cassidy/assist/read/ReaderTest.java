package dev.cassidy.assist.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cassidy.assist.Shop;
import dev.cassidy.assist.Trees;
import dev.cassidy.assist.plan.Planner;
import dev.cassidy.jdbc.assist.BoundExceededException;
import dev.cassidy.jdbc.assist.Budget;
import dev.cassidy.jdbc.assist.ColumnModel;
import dev.cassidy.jdbc.assist.RowSource;
import dev.cassidy.jdbc.assist.TableModel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ReaderTest {

    private final List<String> sent = new ArrayList<>();

    /** Answers each read of a table with all of its rows. */
    private record Answers(Map<String, List<List<@Nullable Object>>> rows, List<String> sent) implements RowSource {

        @Override
        public CompletionStage<List<List<@Nullable Object>>> read(
                TableModel table,
                List<ColumnModel> columns,
                List<ColumnModel> by,
                List<List<Object>> values,
                Budget budget) {
            sent.add(table.name() + " " + by.stream().map(ColumnModel::name).toList() + " " + values);
            List<List<@Nullable Object>> found = rows.getOrDefault(table.name(), List.of());
            budget.rows(table, found.size());
            return CompletableFuture.completedFuture(found);
        }
    }

    private List<List<List<@Nullable Object>>> read(
            String sql, Map<String, List<List<@Nullable Object>>> rows, Budget budget, @Nullable Object... parameters) {
        List<@Nullable Object> given = Arrays.asList(parameters);
        return Reader.read(Planner.plan(Trees.select(sql), Shop.TABLES, given), given, new Answers(rows, sent), budget)
                .toCompletableFuture()
                .join();
    }

    private static Budget enough() {
        return new Budget(1_000, 1_000);
    }

    @Test
    void shouldAskForEachKeyOnce() {
        read("SELECT name FROM member WHERE email IN ('Ann', 'ANN ', ?, 'bob')", Map.of(), enough(), "ann");
        read("SELECT total FROM orders WHERE id IN (1, ?, 3000000000, 2)", Map.of(), enough(), 1L);

        assertThat(sent).containsExactly("member [email] [[Ann], [bob]]", "orders [id] [[1], [2]]");
    }

    @Test
    void shouldTakeTheValuesOfOneRowTogether() {
        Map<String, List<List<@Nullable Object>>> rows =
                Map.of("line", List.of(Arrays.asList(1, (short) 1, "a", 5), Arrays.asList(1, (short) 2, "b", 6)));

        read(
                "SELECT b.qty FROM line a JOIN line b ON a.order_id = b.order_id AND a.no = b.no WHERE a.order_id = 1",
                rows,
                enough());

        assertThat(sent).containsExactly("line [order_id] [[1]]", "line [order_id, no] [[1, 1], [1, 2]]");
    }

    @Test
    void shouldSendNothingForNothing() {
        List<List<List<@Nullable Object>>> rows = read(
                "SELECT l.qty FROM orders o JOIN line l ON l.order_id = o.id WHERE o.id = 5000000000",
                Map.of(),
                enough());

        assertThat(rows).containsExactly(List.of(), List.of());
        assertThat(sent).isEmpty();
    }

    @Test
    void shouldFindNothingByNull() {
        Map<String, List<List<@Nullable Object>>> rows =
                Map.of("line", List.of(Arrays.asList(1, (short) 1, null, 5), Arrays.asList(1, (short) 2, "b", 6)));

        read("SELECT i.name FROM line l LEFT JOIN item i ON i.sku = l.sku WHERE l.order_id = 1", rows, enough());

        assertThat(sent).containsExactly("line [order_id] [[1]]", "item [sku] [[b]]");
    }

    @Test
    void shouldEndAtItsBounds() {
        Map<String, List<List<@Nullable Object>>> rows =
                Map.of("line", List.of(Arrays.asList(1, (short) 1, "a", 5), Arrays.asList(1, (short) 2, "b", 6)));

        assertThatThrownBy(() -> read("SELECT qty FROM line WHERE order_id = 1", rows, new Budget(1, 100)))
                .hasMessageContaining("more than 1 rows of shop.line");
        assertThatThrownBy(() -> read("SELECT total FROM orders WHERE id IN (1, 2, 3)", rows, new Budget(100, 2)))
                .isInstanceOf(CompletionException.class)
                .hasMessageContaining("more than 2 requests of shop.orders")
                .hasCauseInstanceOf(BoundExceededException.class);
    }

    @Test
    void shouldShowARowOnce() {
        Map<String, List<List<@Nullable Object>>> rows = Map.of(
                "member", List.of(Arrays.asList("Ann", "x"), Arrays.asList("ANN", "x"), Arrays.asList("bob", "y")));

        assertThat(read("SELECT name FROM member", rows, enough()).get(0)).hasSize(2);
    }
}
