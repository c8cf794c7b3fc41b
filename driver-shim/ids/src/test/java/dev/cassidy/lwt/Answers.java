package dev.cassidy.lwt;

import com.datastax.oss.driver.api.core.AllNodesFailedException;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.NodeUnavailableException;
import com.datastax.oss.driver.api.core.config.DriverConfig;
import com.datastax.oss.driver.api.core.config.DriverExecutionProfile;
import com.datastax.oss.driver.api.core.context.DriverContext;
import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.ColumnDefinitions;
import com.datastax.oss.driver.api.core.cql.ExecutionInfo;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.Statement;
import com.datastax.oss.driver.api.core.loadbalancing.LoadBalancingPolicy;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.api.core.session.Session;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A session that gives the configured answers, and repeats the last one. Its statements are {@link #statement}s. */
final class Answers {

    static final Node FIRST = node("first");
    static final Node SECOND = node("second");
    static final Object APPLIED = answer(true, true, List.of());

    /** The node and the idempotence with which a statement was sent. */
    record Sent(@Nullable Node node, @Nullable Boolean idempotent) {}

    final List<Sent> sent = new ArrayList<>();
    private final Object[] answers;
    private Function<Session, Queue<Node>> plan = session -> new ArrayDeque<>(List.of(FIRST, SECOND));
    private Map<String, Object> others = Map.of();

    /** @param answers results, exceptions, or futures of them */
    Answers(Object... answers) {
        this.answers = answers;
    }

    /** @param policy gives the query plan of the load balancing policy for the session that asks it */
    Answers withPlan(Function<Session, Queue<Node>> policy) {
        plan = policy;
        return this;
    }

    /** @param methods the results of the session's other methods */
    Answers with(Map<String, Object> methods) {
        others = methods;
        return this;
    }

    static Node node(String name) {
        return proxy(Node.class, (method, arguments) -> switch (method) {
            case "toString" -> name;
            default -> null;
        });
    }

    static Object refused(Throwable... retried) {
        return answer(true, false, List.of(retried));
    }

    /** Returns the driver's result for an error that its retry policy ignores. */
    static Object ignored() {
        return answer(false, true, List.of());
    }

    private static Object answer(boolean conditional, boolean applied, List<Throwable> retried) {
        ExecutionInfo info = proxy(ExecutionInfo.class, (method, arguments) -> retried.stream()
                .map(error -> Map.entry(FIRST, error))
                .toList());
        ColumnDefinitions columns = proxy(ColumnDefinitions.class, (method, arguments) -> conditional);
        return proxy(AsyncResultSet.class, (method, arguments) -> switch (method) {
            case "wasApplied" -> applied;
            case "getColumnDefinitions" -> columns;
            case "getExecutionInfo" -> info;
            case "currentPage" -> List.of();
            case "hasMorePages" -> false;
            default -> null;
        });
    }

    /** Returns the first of several pages, each of as many rows as its number says. */
    static AsyncResultSet pages(int... sizes) {
        int[] rest = Arrays.copyOfRange(sizes, 1, sizes.length);
        Row row = proxy(Row.class, (method, arguments) -> null);
        return proxy(AsyncResultSet.class, (method, arguments) -> switch (method) {
            case "currentPage" -> Collections.nCopies(sizes[0], row);
            case "hasMorePages" -> rest.length > 0;
            case "fetchNextPage" -> CompletableFuture.completedFuture(pages(rest));
            default -> null;
        });
    }

    static Throwable noConnection() {
        return AllNodesFailedException.fromErrors(List.of(Map.entry(FIRST, new NodeUnavailableException(FIRST))));
    }

    /** Returns an immutable statement with a routing key, a node and an idempotence, and nothing else. */
    static BoundStatement statement(@Nullable Node node, @Nullable Boolean idempotent) {
        return (BoundStatement) Proxy.newProxyInstance(
                Answers.class.getClassLoader(),
                new Class<?>[] {BoundStatement.class},
                (self, method, arguments) -> switch (method.getName()) {
                    case "setNode" -> statement((Node) arguments[0], idempotent);
                    case "setIdempotent" -> statement(node, (Boolean) arguments[0]);
                    case "getNode" -> node;
                    case "isIdempotent" -> idempotent;
                    case "getRoutingKey" -> ByteBuffer.allocate(1);
                    default -> method.getName().startsWith("set") ? self : null;
                });
    }

    CqlSession session() {
        LoadBalancingPolicy policy =
                proxy(LoadBalancingPolicy.class, (method, arguments) -> plan.apply((Session) arguments[1]));
        DriverExecutionProfile profile = proxy(DriverExecutionProfile.class, (method, arguments) -> null);
        DriverConfig config = proxy(DriverConfig.class, (method, arguments) -> profile);
        DriverContext context = proxy(
                DriverContext.class, (method, arguments) -> method.equals("getLoadBalancingPolicy") ? policy : config);
        PreparedStatement prepared = proxy(PreparedStatement.class, (method, arguments) -> statement(null, null));
        return proxy(CqlSession.class, (method, arguments) -> switch (method) {
            case "prepareAsync" -> CompletableFuture.completedFuture(prepared);
            case "getContext" -> context;
            case "executeAsync" -> next((Statement<?>) arguments[0]);
            default -> others.get(method);
        });
    }

    ConditionalStatements statements() {
        return statements(Duration.ofMinutes(1));
    }

    ConditionalStatements statements(Duration timeout) {
        return ConditionalStatements.acrossDatacenters(session(), timeout);
    }

    private Object next(Statement<?> statement) {
        Object answer = answers[Math.min(sent.size(), answers.length - 1)];
        sent.add(new Sent(statement.getNode(), statement.isIdempotent()));
        if (answer instanceof CompletableFuture<?>) {
            return answer;
        }
        return answer instanceof Throwable failure
                ? CompletableFuture.failedFuture(failure)
                : CompletableFuture.completedFuture(answer);
    }

    static <T> T proxy(Class<T> type, BiFunction<String, Object[], @Nullable Object> answer) {
        InvocationHandler handler = (self, method, arguments) -> switch (method.getName()) {
            case "hashCode" -> System.identityHashCode(self);
            case "equals" -> self == arguments[0];
            default -> answer.apply(method.getName(), arguments);
        };
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }
}
