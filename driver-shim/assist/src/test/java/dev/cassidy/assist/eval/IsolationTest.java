package dev.cassidy.assist.eval;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cassidy.collation.Collation;
import dev.cassidy.jdbc.assist.EvaluationException;
import dev.cassidy.jdbc.assist.SessionLanguage;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Evaluations beside each other, and after each other. */
class IsolationTest {

    private static final int ROUNDS = 100;

    /** Returns a table with rows that no other owner has. */
    private static Shop owned(int owner, int rows) {
        @Nullable Object[][] all = new @Nullable Object[rows][];
        for (int i = 0; i < rows; i++) {
            all[i] = Shop.row(i, owner, "owner " + owner);
        }
        return Shop.empty().with("part", Collation.standard(), "id int, owner int, name nvarchar(20)", all);
    }

    @Test
    void shouldShowNoRowOfAnotherThread() throws Exception {
        int threads = 4;
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        CyclicBarrier begin = new CyclicBarrier(threads);
        try (Engine engine = Shop.engine()) {
            List<Future<?>> all = new ArrayList<>();
            for (int thread = 0; thread < threads; thread++) {
                int owner = thread;
                all.add(executor.submit(() -> {
                    begin.await();
                    for (int round = 1; round <= ROUNDS; round++) {
                        assertThat(owned(owner, round)
                                        .rows(engine, "SELECT COUNT(*), MIN(owner), MAX(owner), MAX(name) FROM part"))
                                .isEqualTo(round + "," + owner + "," + owner + ",owner " + owner);
                    }
                    return null;
                }));
            }
            for (Future<?> each : all) {
                each.get();
            }
        } finally {
            executor.shutdownNow();
        }
    }

    @Test
    void shouldLeaveNothingAfterAFailure() {
        try (Engine engine = Shop.engine()) {
            Shop part = owned(1, 3);
            for (int i = 0; i < 5; i++) {
                assertThatThrownBy(() -> part.rows(engine, "SELECT 1 / (id - 1) FROM part"))
                        .isInstanceOf(EvaluationException.class);
                assertThat(part.rows(engine, "SELECT COUNT(*) FROM part")).isEqualTo("3");
            }
        }
    }

    @Test
    void shouldCompareByEachCollationInTurn() {
        try (Engine engine = Shop.engine()) {
            for (String name : new String[] {"Latin1_General_CI_AS", "Latin1_General_CS_AS", "Latin1_General_CI_AI"}) {
                Shop words = Shop.empty()
                        .with(
                                "word",
                                Collation.of(name),
                                "id int, text nvarchar(9)",
                                Shop.row(1, "e"),
                                Shop.row(2, "E"),
                                Shop.row(3, "é"));
                String expected = name.endsWith("AI") ? "3" : name.contains("CI") ? "2" : "1";
                assertThat(words.rows(engine, "SELECT COUNT(*) FROM word WHERE text = 'e'"))
                        .isEqualTo(expected);
                assertThat(words.rows(engine, "SELECT COUNT(*) FROM word WHERE CHARINDEX('e', text) > 0"))
                        .isEqualTo(expected);
            }
        }
    }

    /** H2 calculates what is constant while it prepares a statement. */
    @Test
    void shouldReadDatesByEachLanguageInTurn() {
        Shop part = owned(1, 1);
        String sql = "SELECT CAST('02/01/2024' AS DATE) FROM part";
        try (Engine engine = Shop.engine()) {
            for (int i = 0; i < 2; i++) {
                assertThat(shown(part, engine, SessionLanguage.Order.MDY, sql)).isEqualTo("2024-02-01");
                assertThat(shown(part, engine, SessionLanguage.Order.DMY, sql)).isEqualTo("2024-01-02");
            }
        }
    }

    private static String shown(Shop shop, Engine engine, SessionLanguage.Order order, String sql) {
        SessionLanguage language = SessionLanguage.unset().withOrder(order);
        return Shop.shown(shop.evaluate(engine, language, sql).rows().get(0)[0]);
    }

    @Test
    void shouldEvaluateMoreStatementsThanStayPrepared() {
        try (Engine engine = Shop.engine()) {
            for (int round = 1; round <= 2; round++) {
                for (int i = 0; i < 150; i++) {
                    assertThat(owned(i, round).rows(engine, "SELECT COUNT(*), MAX(owner) + " + i + " FROM part"))
                            .isEqualTo(round + "," + 2 * i);
                }
            }
        }
    }

    @Test
    void shouldEvaluateOneStatementOverFewRowsAndMany() {
        try (Engine engine = Shop.engine()) {
            for (int rows : new int[] {0, 3, 2_000, 0, 40, 1, 2_000}) {
                assertThat(owned(rows, rows)
                                .rows(
                                        engine,
                                        "SELECT COUNT(*) FROM part a JOIN part b ON a.name = b.name AND a.id = b.id"))
                        .isEqualTo("" + rows);
            }
        }
    }

    @Test
    void shouldRefuseToEvaluateOnceItIsClosed() {
        Engine engine = Shop.engine();
        Shop part = owned(1, 1);
        assertThat(part.rows(engine, "SELECT COUNT(*) FROM part")).isEqualTo("1");

        engine.close();

        assertThatThrownBy(() -> part.rows(engine, "SELECT COUNT(*) FROM part"))
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void shouldEvaluateTheSameTableTwiceInOneStatement() {
        try (Engine engine = Shop.engine()) {
            Shop part = owned(7, 2);
            assertThat(part.rows(engine, "SELECT a.id, b.id FROM part a JOIN part b ON a.id = b.id + 1"))
                    .isEqualTo("1,0");
        }
    }
}
