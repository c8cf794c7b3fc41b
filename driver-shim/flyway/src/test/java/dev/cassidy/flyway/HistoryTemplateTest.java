package dev.cassidy.flyway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTransientException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class HistoryTemplateTest {

    private static final String INSERT = "INSERT INTO history";
    private static final Object[] ROW = {7, "2", "two", "SQL", "V2__two.sql", 1, "", 5, true};
    private static final Map<String, Object> APPLIED = Map.of("[applied]", true);
    private static final SQLException LOST = new SQLTransientException("lost", "HYT00");

    private final Progress progress = new Progress();

    private static Map<String, Object> found(String script) {
        return Map.of("[applied]", false, "script", script);
    }

    /** @param answers to one execution after the other: a row, or an exception */
    private HistoryTemplate template(Object... answers) {
        progress.begins();
        Deque<Object> left = new ArrayDeque<>(List.of(answers));
        return new HistoryTemplate(
                stub(
                        Connection.class,
                        Map.of("prepareStatement", stub(PreparedStatement.class, Map.of("executeQuery", left)))),
                new CassidyDatabaseType(),
                progress);
    }

    private static <T> T stub(Class<T> type, Map<String, ?> answers) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (self, method, given) -> {
            Object answer = answers.get(method.getName());
            if (answer instanceof Deque<?> left) {
                Object next = left.remove();
                if (next instanceof SQLException failure) {
                    throw failure;
                }
                Map<?, ?> row = (Map<?, ?>) next;
                return stub(
                        ResultSet.class,
                        Map.of(
                                "next",
                                true,
                                "getBoolean",
                                row.get("[applied]"),
                                "getString",
                                String.valueOf(row.get("script"))));
            }
            return answer;
        }));
    }

    @Test
    void shouldFindItsOwnRowIfAnAnswerWasLost() {
        assertThatCode(() -> template(LOST, found("V2__two.sql")).update(INSERT, ROW))
                .doesNotThrowAnyException();
        assertThat(progress.isOpen()).isFalse();
    }

    @Test
    void shouldNotTakeTheRowOfAnotherProcessForItsOwn() {
        for (Object[] answers : new Object[][] {{found("V2__two.sql")}, {LOST, found("V3__three.sql")}}) {
            assertThatThrownBy(() -> template(answers).update(INSERT, ROW)).hasMessageContaining("Another process");
            assertThat(progress.isOpen()).isTrue();
        }
    }

    @Test
    void shouldNotTakeARowThatIsMissingForWritten() {
        assertThatThrownBy(() -> template(LOST, Map.of("[applied]", false)).update("UPDATE history", "d", "SQL", 1, 7))
                .hasMessageContaining("Another process");
        assertThat(progress.isOpen()).isTrue();
    }

    @Test
    void shouldGiveUpIfNoAnswerComes() {
        assertThatThrownBy(() -> template(LOST, LOST, LOST, APPLIED).update(INSERT, ROW))
                .isSameAs(LOST);
        assertThat(progress.isOpen()).isTrue();
    }

    @Test
    void shouldWriteARow() throws SQLException {
        template(APPLIED).update(INSERT, ROW);

        assertThat(progress.isOpen()).isFalse();
    }
}
