package dev.cassidy.counter;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DriverTimeoutException;
import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.BatchStatement;
import com.datastax.oss.driver.api.core.cql.BatchableStatement;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.cql.Statement;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/** A session on a real cluster, whose asynchronous statements go astray as a test wants it. */
final class LossySession {

    /** Where the statements go that it is for. */
    interface Road {
        CompletionStage<AsyncResultSet> send(Supplier<CompletionStage<AsyncResultSet>> onward);
    }

    private final CqlSession real;
    private final String cql;
    private final AtomicInteger sent = new AtomicInteger();
    private final List<Supplier<CompletionStage<AsyncResultSet>>> held = new CopyOnWriteArrayList<>();
    private volatile Road road = Supplier::get;
    private volatile int left;

    /** @param cql a part of the statements that go astray */
    LossySession(CqlSession real, String cql) {
        this.real = real;
        this.cql = cql;
    }

    CqlSession session() {
        return (CqlSession) Proxy.newProxyInstance(
                CqlSession.class.getClassLoader(), new Class<?>[] {CqlSession.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("executeAsync")
                            && arguments[0] instanceof Statement<?> statement
                            && text(statement).contains(cql)) {
                        return send(() -> real.executeAsync(statement));
                    }
                    try {
                        return method.invoke(real, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private static String text(Statement<?> statement) {
        if (statement instanceof BatchStatement batch) {
            List<String> texts = new ArrayList<>();
            for (BatchableStatement<?> one : batch) {
                texts.add(text(one));
            }
            return String.join("; ", texts);
        }
        return statement instanceof BoundStatement bound
                ? bound.getPreparedStatement().getQuery()
                : ((SimpleStatement) statement).getQuery();
    }

    private synchronized CompletionStage<AsyncResultSet> send(Supplier<CompletionStage<AsyncResultSet>> onward) {
        sent.incrementAndGet();
        if (left == 0) {
            return onward.get();
        }
        left--;
        return road.send(onward);
    }

    /** The next statements take this road. */
    synchronized LossySession next(int statements, Road taken) {
        left = statements;
        road = taken;
        return this;
    }

    /** The next statements are executed, and their answers are lost. */
    LossySession loseAnswers(int statements) {
        return next(statements, onward -> onward.get().thenCompose(rows -> timeOut()));
    }

    /** The next statements are lost. */
    LossySession loseRequests(int statements) {
        return next(statements, onward -> timeOut());
    }

    /** The next statements time out, and stay under way until {@link #deliver}. */
    LossySession hold(int statements) {
        return next(statements, onward -> {
            held.add(onward);
            return timeOut();
        });
    }

    static CompletionStage<AsyncResultSet> timeOut() {
        return CompletableFuture.failedFuture(new DriverTimeoutException("lost by the test"));
    }

    /** Executes what is under way, and returns the answers. */
    List<AsyncResultSet> deliver() {
        List<AsyncResultSet> answers =
                held.stream().map(one -> one.get().toCompletableFuture().join()).toList();
        held.clear();
        return answers;
    }

    /** How often such a statement was sent. */
    int sent() {
        return sent.get();
    }
}
