package dev.cassidy.assist;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cassidy.jdbc.assist.AssistedSelect;
import dev.cassidy.jdbc.assist.Budget;
import dev.cassidy.jdbc.assist.ColumnModel;
import dev.cassidy.jdbc.assist.Evaluated;
import dev.cassidy.jdbc.assist.NotAssistedException;
import dev.cassidy.jdbc.assist.SessionLanguage;
import dev.cassidy.jdbc.assist.TableModel;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Long statements are served within a small stack, or refused. */
class LongStatementsTest {

    private static final long SMALL_STACK = 512 * 1024;

    private final H2Assistant assistant = new H2Assistant();

    /** An order with the id 7, whatever it is read by. */
    private static CompletionStage<List<List<@Nullable Object>>> order(
            TableModel table,
            List<ColumnModel> columns,
            List<ColumnModel> by,
            List<List<Object>> values,
            Budget budget) {
        List<@Nullable Object> row = new ArrayList<>();
        for (ColumnModel each : columns) {
            row.add(
                    switch (each.name()) {
                        case "id" -> 7;
                        case "status" -> "open";
                        default -> new BigDecimal("1.50");
                    });
        }
        return CompletableFuture.completedFuture(List.of(row));
    }

    private Evaluated evaluated(String sql, List<Object> parameters) {
        AssistedSelect select = assistant.plan(sql, Shop.TABLES, parameters, SessionLanguage.unset());
        return select.run(LongStatementsTest::order, new Budget(10_000, 10_000), new CompletableFuture<Void>())
                .toCompletableFuture()
                .join();
    }

    @ParameterizedTest
    @ValueSource(ints = {500, 2_000, 4_900})
    void shouldServeLongListsOfValues(int values) {
        String marks = String.join(", ", Collections.nCopies(values, "?"));
        List<Object> parameters =
                IntStream.range(0, values).<Object>mapToObj(each -> each).toList();
        String sql = "SELECT id FROM orders WHERE id IN (" + marks + ") ORDER BY total";
        assertThat(assistant.reads(sql)).isTrue();
        assertThat(evaluated(sql, parameters).rows()).hasSize(1);

        String literals = IntStream.range(0, values)
                .mapToObj(each -> (values == 500 ? "-" : "") + (each + 10))
                .collect(Collectors.joining(","));
        assertThat(evaluated("SELECT id FROM orders WHERE id NOT IN (" + literals + ") ORDER BY total", List.of())
                        .rows())
                .hasSize(1);
    }

    @Test
    void shouldEndWithinASmallStack() throws InterruptedException {
        List<IntFunction<String>> shapes = List.of(
                n -> "WHERE " + String.join(" OR ", Collections.nCopies(n, "id = 7")),
                n -> "WHERE " + String.join(" AND ", Collections.nCopies(n, "id = 7")),
                n -> "WHERE " + String.join(" AND ", Collections.nCopies(n, "(id = 7 OR status = 'x')")),
                n -> "WHERE " + "NOT ".repeat(2 * n) + "id = 7",
                n -> "WHERE id = 7 + " + String.join(" + ", Collections.nCopies(n, "0")),
                n -> "WHERE id = " + "- ".repeat(2 * n) + "7",
                n -> "WHERE id = " + "(".repeat(Math.min(n, 190)) + "7" + ")".repeat(Math.min(n, 190)),
                n -> "WHERE id = " + "CASE WHEN 1 = 1 THEN ".repeat(n) + "7" + " END".repeat(n),
                n -> "WHERE id IN (7) " + "OR id IN (1, 2, 3) ".repeat(n),
                n -> "UNION SELECT id FROM orders ".repeat(n),
                n -> "WHERE id = 7 AND id = "
                        + "(SELECT MAX(id) FROM orders WHERE id = ".repeat(Math.min(n, 90)) + "7"
                        + ")".repeat(Math.min(n, 90)));
        List<String> failures = Collections.synchronizedList(new ArrayList<>());
        for (IntFunction<String> shape : shapes) {
            int longest = 1;
            while (longest < 500 && assistant.reads("SELECT id FROM orders " + shape.apply(longest + 1))) {
                longest++;
            }
            for (int n : List.of(longest, longest + 1)) {
                String sql = "SELECT id FROM orders " + shape.apply(n);
                // A thread has its stack from the beginning, and the tree is read in it too.
                Thread thread = new Thread(null, () -> run(sql).ifPresent(failures::add), "small", SMALL_STACK);
                thread.start();
                thread.join();
            }
        }
        assertThat(failures).isEmpty();
    }

    /** Returns what went wrong, apart from a refusal. */
    private static Optional<String> run(String sql) {
        String shown = sql.substring(0, Math.min(sql.length(), 100)) + "... " + sql.length();
        LongStatementsTest own = new LongStatementsTest();
        try {
            return own.evaluated(sql, List.of()).rows().size() == 1 ? Optional.empty() : Optional.of(shown + ": rows");
        } catch (NotAssistedException refused) {
            return Optional.empty();
        } catch (CompletionException e) {
            return e.getCause() instanceof NotAssistedException
                    ? Optional.empty()
                    : Optional.of(shown + ": " + e.getCause());
        } catch (Throwable e) {
            return Optional.of(shown + ": " + e);
        }
    }
}
