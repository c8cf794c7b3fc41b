package dev.cassidy.jdbc.run;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.cql.BatchStatement;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.cql.Statement;
import com.datastax.oss.driver.api.core.time.TimestampGenerator;
import dev.cassidy.cql.GeneratedKeys;
import dev.cassidy.cql.IdentitySession;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class TransactionTest {

    private static final GeneratedKeys NO_KEYS = new GeneratedKeys(List.of());

    private long now = 100;

    private final TimestampGenerator clock = new TimestampGenerator() {
        @Override
        public long next() {
            return now++;
        }

        @Override
        public void close() {}
    };

    private static IdentitySession.Held held(SimpleStatement statement) {
        return new IdentitySession.Held(statement, NO_KEYS);
    }

    private static List<String> texts(Statement<?> statement) {
        List<String> texts = new ArrayList<>();
        ((BatchStatement) statement)
                .forEach(child -> texts.add(((SimpleStatement) child).getQuery().replace("\n", "")));
        return texts;
    }

    /** It may have been written by the first attempt, and changed since. */
    @Test
    void shouldKeepTheTimeOfANewRowOfAnExactTableWhenItIsSentAgain() {
        Transaction transaction = new Transaction();
        transaction.add(held(SimpleStatement.newInstance("INSERT INTO t (id) VALUES (5)")
                .setQueryTimestamp(4_398_046_511_104L)
                .setConsistencyLevel(ConsistencyLevel.LOCAL_QUORUM)));
        transaction.add(held(SimpleStatement.newInstance("INSERT INTO u (id) VALUES (6)")
                .setQueryTimestamp(4_398_046_511_104L)
                .setConsistencyLevel(ConsistencyLevel.QUORUM)));
        transaction.add(held(SimpleStatement.newInstance("UPDATE plain SET a = 1 WHERE id = 5")));

        assertThat(texts(transaction.statement(clock)))
                .containsExactly(
                        "INSERT INTO t (id) VALUES (5)USING TIMESTAMP 4398046511104 ",
                        "INSERT INTO u (id) VALUES (6)USING TIMESTAMP 4398046511104 ",
                        "UPDATE plain USING TIMESTAMP 102 SET a = 1 WHERE id = 5");
        Statement<?> again = transaction.statement(clock);
        assertThat(texts(again))
                .containsExactly(
                        "INSERT INTO t (id) VALUES (5)USING TIMESTAMP 4398046511104 ",
                        "INSERT INTO u (id) VALUES (6)USING TIMESTAMP 4398046511104 ",
                        "UPDATE plain USING TIMESTAMP 105 SET a = 1 WHERE id = 5");
        assertThat(again.getConsistencyLevel()).as("the stronger of two").isEqualTo(ConsistencyLevel.QUORUM);
    }
}
