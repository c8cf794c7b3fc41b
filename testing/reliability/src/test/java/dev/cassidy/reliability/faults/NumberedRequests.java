package dev.cassidy.reliability.faults;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DriverTimeoutException;
import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.Statement;
import com.datastax.oss.protocol.internal.Frame;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The requests of a session. Each has a number, which the driver repeats whenever it repeats the request. So a node can
 * distinguish repetitions by the driver from new requests of its client. A request times out when a node says so, not
 * by a clock. Safe for use by many threads.
 */
final class NumberedRequests {

    private static final String NUMBER = "request";

    private final AtomicLong last = new AtomicLong();
    private final ConcurrentMap<Long, CompletableFuture<AsyncResultSet>> inProgress = new ConcurrentHashMap<>();

    /** Returns the session, with numbers on its asynchronous requests. */
    CqlSession of(CqlSession session) {
        return (CqlSession) Proxy.newProxyInstance(
                NumberedRequests.class.getClassLoader(),
                new Class<?>[] {CqlSession.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals("executeAsync") && arguments[0] instanceof Statement<?> statement) {
                        return execute(session, statement);
                    }
                    try {
                        return method.invoke(session, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private CompletableFuture<AsyncResultSet> execute(CqlSession session, Statement<?> statement) {
        long number = last.incrementAndGet();
        CompletableFuture<AsyncResultSet> result = new CompletableFuture<>();
        inProgress.put(number, result);
        CompletableFuture<AsyncResultSet> answer = session.executeAsync(statement.setCustomPayload(
                        Map.of(NUMBER, ByteBuffer.allocate(Long.BYTES).putLong(0, number))))
                .toCompletableFuture();
        answer.whenComplete((rows, failure) -> {
            if (failure == null) {
                result.complete(rows);
            } else {
                result.completeExceptionally(failure);
            }
        });
        result.whenComplete((rows, failure) -> {
            inProgress.remove(number);
            // As the driver does after a time-out: a later answer is ignored.
            answer.cancel(true);
        });
        return result;
    }

    /** Returns the number of the request in a frame; empty if it does not come from such a session. */
    static OptionalLong numberOf(Frame frame) {
        ByteBuffer number = frame.customPayload.get(NUMBER);
        return number == null ? OptionalLong.empty() : OptionalLong.of(number.getLong(number.position()));
    }

    /** Tells the client that a request has timed out, and returns when the client has been told. */
    void timeOut(long number) {
        CompletableFuture<AsyncResultSet> request = inProgress.get(number);
        if (request == null) {
            throw new IllegalStateException("no caller waits for request " + number);
        }
        // Not on this thread, which is the node's: the client continues on the thread that completes the request.
        CompletableFuture.runAsync(() -> request.completeExceptionally(
                new DriverTimeoutException("Query timed out, for so the test will have it")));
        request.handle((rows, failure) -> failure).join();
    }
}
