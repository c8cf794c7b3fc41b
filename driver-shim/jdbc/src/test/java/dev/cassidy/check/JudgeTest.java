package dev.cassidy.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cassidy.insert.StatementShape;
import dev.cassidy.tsql.Schema;
import java.sql.SQLException;
import java.sql.SQLSyntaxErrorException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JudgeTest {

    /** Says what a server says, with the value of each statement. */
    private record Refusing(boolean throwing, AtomicInteger asked) implements Target {
        @Override
        public Findings judge(String sql, boolean generatedKeys, int nodes) throws SQLException {
            asked.incrementAndGet();
            String message = "Invalid constant (" + sql.replaceAll(".*'(.*)'.*", "$1") + ")";
            if (throwing) {
                throw new SQLSyntaxErrorException(message, "42000");
            }
            return new Findings(List.of(message), List.of());
        }

        @Override
        public int nodes() {
            return 1;
        }

        @Override
        public boolean hasName(String name) {
            return true;
        }

        @Override
        public Schema schema() {
            return Schema.UNKNOWN;
        }

        @Override
        public void close() {}
    }

    /** The target is asked once for a shape, and its answer is about the values of the statement that came first. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldShowNoValueOfAnotherStatementOfTheSameShape(boolean throwing) {
        Refusing target = new Refusing(throwing, new AtomicInteger());
        Judge judge = new Judge(target, new OldDatabase(Map.of(), Set.of()), 0);

        for (String value : List.of("hunter2", "other")) {
            String sql = "UPDATE product SET name = '" + value + "' WHERE id = 1";
            assertThat(judge.judge(sql, StatementShape.of(sql), false).reasons())
                    .containsExactly("Invalid constant (?)");
        }
        assertThat(target.asked()).hasValue(1);
    }
}
