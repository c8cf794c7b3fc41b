package dev.cassidy.assist.eval;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** In T-SQL the operators of bits bind as + does; the parser has another order. */
class OperatorsTest {

    @AutoClose
    private final Engine engine = Shop.engine();

    @ParameterizedTest
    @ValueSource(
            strings = {
                "1 & 2 + 1",
                "1 | 2 - 1",
                "2 + 1 ^ 3",
                "2 ^ 1 * 3",
                "2 * 3 ^ 1",
                "7 % 4 ^ 1",
                "4 | 1 ^ 3",
                "4 & 1 ^ 3",
                "1 & 2 + 3 * 4",
                "1 & -2 + 3",
                "CASE WHEN 1 & 2 + 1 = 1 THEN 1 END",
            })
    void shouldRefuseATreeThatTSqlWouldNotMake(String expression) {
        assertThatThrownBy(() -> Shop.empty().evaluate(engine, "SELECT " + expression))
                .isInstanceOf(NotEvaluatedException.class)
                .hasMessageContaining("Write brackets");
    }
}
