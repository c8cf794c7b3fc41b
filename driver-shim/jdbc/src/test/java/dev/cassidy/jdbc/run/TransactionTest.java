package dev.cassidy.jdbc.run;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.cql.BatchStatement;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.cql.Statement;
import com.datastax.oss.driver.api.core.time.TimestampGenerator;
import dev.cassidy.cql.GeneratedKeys;
import dev.cassidy.cql.IdentitySession;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
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

    private static IdentitySession.Held held(String cql, String deletion) {
        return new IdentitySession.Held(
                SimpleStatement.newInstance(cql),
                NO_KEYS,
                Optional.ofNullable(deletion).map(SimpleStatement::newInstance));
    }

    private static List<String> texts(Statement<?> statement) {
        List<String> texts = new ArrayList<>();
        ((BatchStatement) statement)
                .forEach(child -> texts.add(((SimpleStatement) child).getQuery().replace("\n", "")));
        return texts;
    }

    @Test
    void shouldKeepTheTimestampOfADeletionWhenItIsSentAgain() {
        Transaction transaction = new Transaction();
        transaction.add(held("INSERT INTO t (id) VALUES (5)", "DELETE FROM t WHERE id = 5"));
        transaction.add(held("UPDATE t SET a = 1 WHERE id = 5", null));

        assertThat(texts(transaction.statement(clock)))
                .containsExactly(
                        "DELETE FROM t USING TIMESTAMP 99 WHERE id = 5",
                        "INSERT INTO t (id) VALUES (5)USING TIMESTAMP 100 ",
                        "UPDATE t USING TIMESTAMP 101 SET a = 1 WHERE id = 5");
        // The first attempt may have been applied. What other clients wrote to the row since then must stay.
        assertThat(texts(transaction.statement(clock)))
                .containsExactly(
                        "DELETE FROM t USING TIMESTAMP 99 WHERE id = 5",
                        "INSERT INTO t (id) VALUES (5)USING TIMESTAMP 102 ",
                        "UPDATE t USING TIMESTAMP 103 SET a = 1 WHERE id = 5");
    }

    @Test
    void shouldForgetDeletionsAtARollback() {
        Transaction transaction = new Transaction();
        transaction.add(held("INSERT INTO t (id) VALUES (5)", "DELETE FROM t WHERE id = 5"));
        transaction.clear();
        transaction.add(held("INSERT INTO t (id) VALUES (6)", null));
        transaction.add(held("INSERT INTO t (id) VALUES (7)", "DELETE FROM t WHERE id = 7"));

        assertThat(texts(transaction.statement(clock)))
                .containsExactly(
                        "INSERT INTO t (id) VALUES (6)USING TIMESTAMP 100 ",
                        "DELETE FROM t USING TIMESTAMP 100 WHERE id = 7",
                        "INSERT INTO t (id) VALUES (7)USING TIMESTAMP 101 ");
    }
}
