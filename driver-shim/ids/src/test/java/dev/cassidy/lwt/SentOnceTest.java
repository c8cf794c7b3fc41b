package dev.cassidy.lwt;

import static dev.cassidy.lwt.Answers.APPLIED;
import static dev.cassidy.lwt.Answers.FIRST;
import static dev.cassidy.lwt.Answers.SECOND;
import static dev.cassidy.lwt.Answers.ignored;
import static dev.cassidy.lwt.Answers.noConnection;
import static dev.cassidy.lwt.Answers.refused;
import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.AllNodesFailedException;
import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.connection.BusyConnectionException;
import com.datastax.oss.driver.api.core.connection.ClosedConnectionException;
import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.loadbalancing.NodeDistance;
import com.datastax.oss.driver.api.core.metadata.Metadata;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.api.core.metadata.TokenMap;
import com.datastax.oss.driver.api.core.servererrors.BootstrappingException;
import com.datastax.oss.driver.api.core.servererrors.ReadTimeoutException;
import com.datastax.oss.driver.api.core.servererrors.UnavailableException;
import dev.cassidy.lwt.Answers.Sent;
import dev.cassidy.lwt.ConditionalStatements.Cas;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

/** Which nodes a conditional statement is sent to, and which answers are trusted. */
class SentOnceTest {

    private static final Throwable UNAVAILABLE_AT_COMMIT =
            new UnavailableException(FIRST, ConsistencyLevel.QUORUM, 2, 1);
    private static final Throwable UNAVAILABLE = new UnavailableException(FIRST, ConsistencyLevel.SERIAL, 2, 1);

    private static CompletableFuture<AsyncResultSet> send(Answers answers) {
        return SentOnce.execute(answers.session(), Answers.statement(null, true));
    }

    private static Throwable failureOf(CompletableFuture<?> sent) {
        return sent.handle((done, failure) -> failure instanceof CompletionException ? failure.getCause() : failure)
                .join();
    }

    private static Throwable allNodesFailed(Throwable... errors) {
        return AllNodesFailedException.fromErrors(
                List.of(errors).stream().map(error -> Map.entry(FIRST, error)).toList());
    }

    @Test
    void shouldSendToTheFirstNodeOfThePlanAndNeverAsIdempotent() {
        Answers answers = new Answers(APPLIED);

        assertThat(send(answers).join().wasApplied()).isTrue();
        assertThat(answers.sent).containsExactly(new Sent(FIRST, false));
    }

    @Test
    void shouldSendToTheNextNodeIfNothingWasSentToTheFirst() {
        for (Throwable nothing : List.of(
                noConnection(),
                allNodesFailed(new BusyConnectionException(1)),
                allNodesFailed(new BootstrappingException(FIRST)))) {
            Answers answers = new Answers(nothing, APPLIED);

            assertThat(send(answers).join().wasApplied()).isTrue();
            assertThat(answers.sent).containsExactly(new Sent(FIRST, false), new Sent(SECOND, false));
        }
    }

    @Test
    void shouldSayThatNoNodeHadAConnection() {
        Answers answers = new Answers(noConnection());

        assertThat(failureOf(send(answers)))
                .isInstanceOfSatisfying(AllNodesFailedException.class, failed -> assertThat(failed.getAllErrors())
                        .containsOnlyKeys(FIRST, SECOND));
    }

    /** The driver found no other node for its retry. */
    @Test
    void shouldReturnTheErrorThatTheRetryPolicyWantedToRetry() {
        Answers answers = new Answers(allNodesFailed(UNAVAILABLE_AT_COMMIT), APPLIED);

        assertThat(failureOf(send(answers))).isSameAs(UNAVAILABLE_AT_COMMIT);
        assertThat(answers.sent).hasSize(1);
    }

    @Test
    void shouldReturnTheErrorThatHidesTheOutcomeAmongSeveral() {
        Throwable timeout = new ReadTimeoutException(FIRST, ConsistencyLevel.SERIAL, 1, 1, false);

        assertThat(failureOf(send(new Answers(allNodesFailed(timeout, UNAVAILABLE)))))
                .isSameAs(timeout);
        assertThat(failureOf(send(new Answers(allNodesFailed(UNAVAILABLE, UNAVAILABLE)))))
                .isSameAs(UNAVAILABLE);
    }

    @Test
    void shouldNotTrustARefusalOfAStatementThatWasSentTwiceToOneNode() {
        assertThat(failureOf(send(new Answers(refused(UNAVAILABLE_AT_COMMIT))))).isSameAs(UNAVAILABLE_AT_COMMIT);
        assertThat(send(new Answers(refused(UNAVAILABLE))).join().wasApplied()).isFalse();
        assertThat(send(new Answers(refused())).join().wasApplied()).isFalse();
    }

    @Test
    void shouldTreatAnErrorThatAPolicyIgnoredAsAnUnknownOutcome() {
        assertThat(failureOf(send(new Answers(ignored()))))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("retry policy has ignored an error");
        assertThat(new Answers(ignored()).statements().execute(new Cas("UPDATE ...")))
                .isCompletedWithValueMatching(CasOutcome.Unknown.class::isInstance);
    }

    @Test
    void shouldKeepTheNodeThatTheStatementHas() {
        Answers answers = new Answers(noConnection(), APPLIED);

        assertThat(failureOf(SentOnce.execute(answers.session(), Answers.statement(SECOND, null))))
                .isInstanceOf(AllNodesFailedException.class);
        assertThat(answers.sent).containsExactly(new Sent(SECOND, false));
    }

    @Test
    void shouldCancelTheRequestAndSendNoOther() {
        CompletableFuture<Object> first = new CompletableFuture<>();
        Answers answers = new Answers(first, APPLIED);

        CompletableFuture<AsyncResultSet> sent = send(answers);
        sent.cancel(true);

        assertThat(first).isCancelled();
        assertThat(answers.sent).hasSize(1);
    }

    @Test
    void shouldFindTheReplicasIfTheSessionIsNotTheDriversOwn() {
        Node near = node("near", NodeDistance.LOCAL);
        Node replica = node("replica", NodeDistance.LOCAL);
        Node far = node("far", NodeDistance.REMOTE);
        TokenMap tokens = Answers.proxy(TokenMap.class, (method, arguments) -> Set.of(far, replica));
        Metadata metadata = Answers.proxy(Metadata.class, (method, arguments) -> Optional.of(tokens));
        Answers answers = new Answers(noConnection(), noConnection(), APPLIED)
                .with(Map.of("getMetadata", metadata, "getKeyspace", Optional.of(CqlIdentifier.fromCql("ks"))))
                .withPlan(session -> {
                    if (session != null) {
                        throw new ClassCastException("as of the driver's DefaultLoadBalancingPolicy");
                    }
                    return new ArrayDeque<>(List.of(near, replica, far));
                });
        SentOnce.execute(answers.session(), Answers.statement(null, null)).join();

        assertThat(answers.sent).extracting(Sent::node).containsExactly(replica, near, far);
    }

    private static Node node(String name, NodeDistance distance) {
        return Answers.proxy(Node.class, (method, arguments) -> switch (method) {
            case "getDistance" -> distance;
            case "toString" -> name;
            default -> null;
        });
    }

    @Test
    void shouldTreatALostConnectionAsAnUnknownOutcome() {
        Answers answers = new Answers(new ClosedConnectionException("gone"), APPLIED);

        assertThat(failureOf(send(answers))).isInstanceOf(ClosedConnectionException.class);
        assertThat(answers.sent).hasSize(1);
    }
}
