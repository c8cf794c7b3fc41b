package dev.cassidy.assist.eval;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cassidy.jdbc.assist.EvaluationException;
import java.sql.SQLException;
import org.h2.api.ErrorCode;
import org.junit.jupiter.api.Test;

/** In the jar H2 is relocated and finds no message of its own. */
class FailuresTest {

    private static RuntimeException of(int code) {
        return Failures.of(new SQLException("(Message of 'secret' not found)", "22001", code), Limits.defaults());
    }

    @Test
    void shouldDecideByTheCode() {
        assertThat(of(ErrorCode.VALUE_TOO_LONG_2))
                .isInstanceOfSatisfying(EvaluationException.class, failure -> assertThat(failure.number())
                        .isEqualTo(8115));
        assertThat(of(ErrorCode.DIVISION_BY_ZERO_1))
                .isInstanceOfSatisfying(EvaluationException.class, failure -> assertThat(failure.number())
                        .isEqualTo(8134));
    }

    @Test
    void shouldQuoteNothingOfH2() {
        assertThat(of(ErrorCode.GENERAL_ERROR_1))
                .isInstanceOf(NotEvaluatedException.class)
                .hasMessageContaining("50000")
                .hasMessageNotContaining("secret");
    }
}
