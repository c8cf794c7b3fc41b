package dev.cassidy.lwt;

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
import java.lang.reflect.Proxy;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Which errors are proof that nothing was executed; everything else may hide a success. */
class ConditionalStatementsTest {

    private static final Node NODE = (Node) Proxy.newProxyInstance(
            Node.class.getClassLoader(),
            new Class<?>[] {Node.class},
            (proxy, method, arguments) -> switch (method.getName()) {
                case "hashCode" -> 1;
                case "equals" -> proxy == arguments[0];
                case "toString" -> "node";
                default -> null;
            });

    @Test
    void shouldTakeWhatPrecedesTheProposalForNotExecuted() {
        assertThat(ConditionalStatements.certainlyNotExecuted(
                        new UnavailableException(NODE, ConsistencyLevel.SERIAL, 2, 1)))
                .isTrue();
        assertThat(ConditionalStatements.certainlyNotExecuted(new InvalidQueryException(NODE, "no such table")))
                .isTrue();
        assertThat(ConditionalStatements.certainlyNotExecuted(new NoNodeAvailableException()))
                .isTrue();
    }

    @Test
    void shouldTakeEveryOtherErrorForUnknown() {
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
    void shouldTakeSeveralNodesErrorsForUnknownIfOneMayHideASuccess() {
        AllNodesFailedException mixed = AllNodesFailedException.fromErrors(List.of(
                Map.entry(NODE, new UnavailableException(NODE, ConsistencyLevel.SERIAL, 2, 1)),
                Map.entry(NODE, new ClosedConnectionException("gone"))));
        AllNodesFailedException certain = AllNodesFailedException.fromErrors(
                List.of(Map.entry(NODE, new UnavailableException(NODE, ConsistencyLevel.SERIAL, 2, 1))));

        assertThat(ConditionalStatements.certainlyNotExecuted(mixed)).isFalse();
        assertThat(ConditionalStatements.certainlyNotExecuted(certain)).isTrue();
    }
}
