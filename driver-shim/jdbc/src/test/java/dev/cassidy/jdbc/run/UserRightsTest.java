package dev.cassidy.jdbc.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.DriverTimeoutException;
import com.datastax.oss.driver.api.core.servererrors.InvalidQueryException;
import com.datastax.oss.driver.api.core.servererrors.SyntaxError;
import com.datastax.oss.driver.api.core.servererrors.UnauthorizedException;
import java.sql.SQLException;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What an answer of Cassandra proves. */
@SuppressWarnings("NullAway") // No node sent these.
class UserRightsTest {

    private static final String QUESTION = "ALTER TABLE shop.orders RENAME a TO a";

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Undefined column name cassidy_asks_for_a_right in table shop.orders",
                "Column cassidy_asks_for_a_right was not found in table shop.orders",
                "Type shop.cassidy_asks_for_a_right doesn't exist",
                "Unknown column 'cassidy_asks_for_a_right' referenced in PRIMARY KEY for table 'cassidy_asks_for_a_right'",
                "Table 'shop.orders' doesn't exist",
                "Keyspace 'shop' doesn't exist",
                "Guardrail alter_table_enabled violated: ALTER TABLE changing columns is not allowed"
            })
    void shouldTakeForAProofThatThereIsNothingOfTheName(String answer) {
        assertThat(UserRights.refusal(QUESTION, new CompletionException(new InvalidQueryException(null, answer))))
                .isEmpty();
    }

    @Test
    void shouldTakeAMissingRightForARefusal() {
        UnauthorizedException refused = new UnauthorizedException(
                null, "User app has no ALTER permission on <table shop.orders> or any of its parents");

        assertThat(UserRights.refusal(QUESTION, new CompletionException(refused)))
                .containsSame(refused);
    }

    @Test
    void shouldTakeNoOtherAnswerForAProof() {
        for (Throwable answer : new Throwable[] {
            null,
            new InvalidQueryException(null, "Cannot use ALTER TABLE on a materialized view"),
            new InvalidQueryException(null, "You have not set a keyspace for this session")
        }) {
            assertThatThrownBy(() -> UserRights.refusal(QUESTION, answer))
                    .hasCauseInstanceOf(SQLException.class)
                    .cause()
                    .hasFieldOrPropertyWithValue("SQLState", "42501")
                    .hasMessageStartingWith("Nothing was changed, because it is not known whether the role")
                    .hasMessageContaining(QUESTION)
                    .hasMessageEndingWith("answered: " + (answer == null ? "executed" : answer.getMessage()));
        }
        for (Throwable failure : new Throwable[] {
            new DriverTimeoutException("late"),
            new SyntaxError(null, "line 1:0"),
            new UnauthorizedException(null, "Unable to perform authorization of permissions: no replicas"),
            new IllegalStateException("closed")
        }) {
            assertThatThrownBy(() -> UserRights.refusal(QUESTION, failure)).hasCause(failure);
        }
    }
}
