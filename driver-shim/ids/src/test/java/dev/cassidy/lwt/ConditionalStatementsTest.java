package dev.cassidy.lwt;

import static dev.cassidy.lwt.Answers.APPLIED;
import static dev.cassidy.lwt.Answers.noConnection;
import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.AllNodesFailedException;
import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.DriverTimeoutException;
import com.datastax.oss.driver.api.core.NoNodeAvailableException;
import com.datastax.oss.driver.api.core.connection.ClosedConnectionException;
import com.datastax.oss.driver.api.core.connection.HeartbeatException;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.api.core.servererrors.CASWriteUnknownException;
import com.datastax.oss.driver.api.core.servererrors.DefaultWriteType;
import com.datastax.oss.driver.api.core.servererrors.InvalidQueryException;
import com.datastax.oss.driver.api.core.servererrors.OverloadedException;
import com.datastax.oss.driver.api.core.servererrors.ServerError;
import com.datastax.oss.driver.api.core.servererrors.UnavailableException;
import com.datastax.oss.driver.api.core.servererrors.WriteTimeoutException;
import dev.cassidy.lwt.ConditionalStatements.Cas;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;

/** Which errors prove that nothing was executed. Every other error may hide a success. */
class ConditionalStatementsTest {

    private static final Node NODE = Answers.FIRST;

    @Test
    void shouldTreatErrorsBeforeTheProposalAsNotExecuted() {
        assertThat(ConditionalStatements.certainlyNotExecuted(
                        new UnavailableException(NODE, ConsistencyLevel.SERIAL, 2, 1)))
                .isTrue();
        assertThat(ConditionalStatements.certainlyNotExecuted(new InvalidQueryException(NODE, "no such table")))
                .isTrue();
        assertThat(ConditionalStatements.certainlyNotExecuted(new NoNodeAvailableException()))
                .isTrue();
    }

    @Test
    void shouldTreatEveryOtherErrorAsUnknown() {
        assertThat(List.of(
                        new WriteTimeoutException(NODE, ConsistencyLevel.SERIAL, 1, 2, DefaultWriteType.CAS),
                        new CASWriteUnknownException(NODE, ConsistencyLevel.SERIAL, 1, 2),
                        new DriverTimeoutException("too late"),
                        new ClosedConnectionException("gone"),
                        new HeartbeatException(
                                new InetSocketAddress("127.0.0.1", 9042), "gone", new RuntimeException()),
                        new OverloadedException(NODE, "busy"),
                        new UnavailableException(NODE, ConsistencyLevel.LOCAL_QUORUM, 2, 1),
                        new ServerError(NODE, "broken")))
                .noneMatch(ConditionalStatements::certainlyNotExecuted);
    }

    @Test
    void shouldTreatErrorsOfSeveralNodesAsUnknownIfOneMayHideASuccess() {
        AllNodesFailedException mixed = AllNodesFailedException.fromErrors(List.of(
                Map.entry(NODE, new UnavailableException(NODE, ConsistencyLevel.SERIAL, 2, 1)),
                Map.entry(NODE, new ClosedConnectionException("gone"))));
        AllNodesFailedException certain = AllNodesFailedException.fromErrors(
                List.of(Map.entry(NODE, new UnavailableException(NODE, ConsistencyLevel.SERIAL, 2, 1))));

        assertThat(ConditionalStatements.certainlyNotExecuted(mixed)).isFalse();
        assertThat(ConditionalStatements.certainlyNotExecuted(certain)).isTrue();
    }

    @Test
    void shouldRepeatAStatementThatWasSentToNoNode() {
        Answers answers = new Answers(noConnection(), noConnection(), APPLIED);

        assertThat(answers.statements().execute(new Cas("UPDATE ...")))
                .succeedsWithin(A_MINUTE)
                .isInstanceOf(CasOutcome.Applied.class);
        assertThat(answers.sent).hasSize(3);
    }

    @Test
    void shouldNeverRepeatAWriteThatMayHaveTakenEffect() {
        for (Throwable unknown : List.of(superseded(), new ClosedConnectionException("gone"))) {
            Answers answers = new Answers(unknown, APPLIED);

            assertThat(answers.statements().execute(new Cas("UPDATE ...")))
                    .succeedsWithin(A_MINUTE)
                    .isInstanceOf(CasOutcome.Unknown.class);
            assertThat(answers.sent).hasSize(1);
        }
    }

    @Test
    void shouldRepeatASupersededRead() {
        Throwable closed =
                AllNodesFailedException.fromErrors(List.of(Map.entry(NODE, new ClosedConnectionException("gone"))));
        Answers answers =
                new Answers(superseded(), new ClosedConnectionException("gone"), closed, noConnection(), APPLIED);

        assertThat(answers.statements().read("SELECT ...")).succeedsWithin(A_MINUTE);
        assertThat(answers.sent).hasSize(5);
    }

    /** A sequence of many grants has more rows than a page. */
    @Test
    void shouldReadEveryPage() {
        ConditionalStatements statements = new Answers(Answers.pages(3, 3, 0, 2)).statements();

        assertThat(statements.read("SELECT ..."))
                .succeedsWithin(A_MINUTE)
                .asList()
                .hasSize(8);
        assertThat(statements.peek(ConsistencyLevel.ONE, "SELECT ..."))
                .succeedsWithin(A_MINUTE)
                .asList()
                .hasSize(8);
    }

    @Test
    void shouldNotWaitForReplicasThatAreDown() {
        Answers answers = new Answers(new UnavailableException(NODE, ConsistencyLevel.SERIAL, 2, 1), APPLIED);

        assertThat(answers.statements().read("SELECT ..."))
                .failsWithin(A_MINUTE)
                .withThrowableOfType(ExecutionException.class)
                .withCauseInstanceOf(UnavailableException.class);
    }

    @Test
    void shouldGiveUpWithinTheTimeOut() {
        Answers answers = new Answers(noConnection());

        assertThat(answers.statements(Duration.ofMillis(300)).execute(new Cas("UPDATE ...")))
                .failsWithin(A_MINUTE)
                .withThrowableOfType(ExecutionException.class)
                .withCauseInstanceOf(AllNodesFailedException.class);
        assertThat(answers.sent).hasSizeGreaterThan(2);
    }

    private static final Duration A_MINUTE = Duration.ofMinutes(1);

    private static Throwable superseded() {
        return new WriteTimeoutException(NODE, ConsistencyLevel.SERIAL, 0, 2, DefaultWriteType.CAS);
    }
}
