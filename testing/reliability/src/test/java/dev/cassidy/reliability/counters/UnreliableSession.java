package dev.cassidy.reliability.counters;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DriverTimeoutException;
import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.Statement;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * A session on whose way to the nodes requests and answers are lost, late and repeated. A client cannot tell this from a
 * bad network. Only statements that may be repeated are repeated, as the driver does. Safe for use by many threads.
 */
final class UnreliableSession {

    /** What happens to a request. */
    enum Fault {
        /** It is executed, answered, and executed again. */
        TWICE,
        /** It is executed, and its sender gets a time-out. */
        ANSWER_LOST,
        /** It is not executed, and its sender gets a time-out. */
        REQUEST_LOST,
        /** Its sender gets a time-out, and it is executed some requests later. */
        LATE
    }

    /** One request in so many is late, lost or repeated. */
    private static final int FAULTY = 4;

    /** A late request is executed after about so many others. */
    private static final int LATENESS = 30;

    private final CqlSession session;

    // Guarded by this.
    private final Random random = new Random(7);
    private final List<Statement<?>> late = new ArrayList<>();
    private final Map<Fault, Integer> counts = new EnumMap<>(Fault.class);
    private boolean calm = true;

    UnreliableSession(CqlSession session) {
        this.session = session;
    }

    CqlSession asSession() {
        return (CqlSession) Proxy.newProxyInstance(
                UnreliableSession.class.getClassLoader(),
                new Class<?>[] {CqlSession.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals("executeAsync") && arguments[0] instanceof Statement<?> statement) {
                        return execute(statement);
                    }
                    try {
                        return method.invoke(session, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    synchronized void beginFaults() {
        calm = false;
    }

    /** Ends the faults. What is late lands at {@link #land}. */
    synchronized void calmDown() {
        calm = true;
    }

    /** Executes what is still late, and waits for it. */
    void land() {
        List<Statement<?>> landing;
        synchronized (this) {
            landing = List.copyOf(late);
            late.clear();
        }
        // What fails now is lost, as it may be.
        landing.forEach(statement -> session.executeAsync(statement)
                .handle((answer, failure) -> answer)
                .toCompletableFuture()
                .join());
    }

    /** Returns how often each fault happened. */
    synchronized Map<Fault, Integer> counts() {
        return Map.copyOf(counts);
    }

    private CompletionStage<AsyncResultSet> execute(Statement<?> statement) {
        Fault fault;
        List<Statement<?>> landing = new ArrayList<>();
        synchronized (this) {
            fault = calm || random.nextInt(FAULTY) > 0 ? null : Fault.values()[random.nextInt(Fault.values().length)];
            if (fault == Fault.TWICE && !Boolean.TRUE.equals(statement.isIdempotent())) {
                fault = Fault.ANSWER_LOST;
            }
            if (fault != null) {
                counts.merge(fault, 1, Integer::sum);
            }
            if (fault == Fault.LATE && !isRead(statement)) {
                late.add(statement);
            }
            if (!calm && !late.isEmpty() && random.nextInt(LATENESS) < late.size()) {
                landing.add(late.remove(random.nextInt(late.size())));
            }
        }
        landing.forEach(session::executeAsync);
        if (fault == null) {
            return session.executeAsync(statement);
        }
        return switch (fault) {
            case TWICE -> session.executeAsync(statement).thenCompose(first -> session.executeAsync(statement));
            case ANSWER_LOST -> session.executeAsync(statement).thenCompose(answer -> timedOut());
            case REQUEST_LOST, LATE -> timedOut();
        };
    }

    private static boolean isRead(Statement<?> statement) {
        return statement instanceof BoundStatement bound
                && bound.getPreparedStatement().getQuery().startsWith("SELECT");
    }

    private static CompletionStage<AsyncResultSet> timedOut() {
        return CompletableFuture.failedFuture(
                new DriverTimeoutException("Query timed out, for so the test will have it"));
    }
}
