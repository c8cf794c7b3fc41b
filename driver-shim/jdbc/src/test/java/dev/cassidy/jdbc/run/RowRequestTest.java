package dev.cassidy.jdbc.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.ExecutionInfo;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import dev.cassidy.cql.GeneratedKeys;
import dev.cassidy.cql.IdentitySession;
import dev.cassidy.sequence.IdentityType;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

class RowRequestTest {

    private static final GeneratedKeys.Key KEY =
            new GeneratedKeys.Key("shop", "orders", "id", IdentityType.INT, "orders", 7, true);
    private static final IdentitySession.Filled ROW = new IdentitySession.Filled(
            SimpleStatement.newInstance("INSERT INTO orders (id) VALUES (7)"), new GeneratedKeys(List.of(KEY)));

    private final List<Object> sent = new ArrayList<>();
    private final CompletableFuture<AsyncResultSet> answer = new CompletableFuture<>();
    private final RowRequest request = new RowRequest();

    /** A session that has one method. */
    private CqlSession session(Supplier<CompletableFuture<AsyncResultSet>> executing) {
        return proxy(CqlSession.class, "executeAsync", statement -> {
            sent.add(statement);
            return executing.get();
        });
    }

    private interface Answering {
        Object to(Object argument);
    }

    private static <T> T proxy(Class<T> type, String only, Answering answering) {
        return type.cast(
                Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    assertThat(method.getName()).isEqualTo(only);
                    return answering.to(arguments == null ? proxy : arguments[0]);
                }));
    }

    @Test
    void shouldGiveTheKeyAndTheWarningsOfTheAnswer() {
        request.send(session(() -> answer), ROW);
        assertThat(request).isNotDone();
        ExecutionInfo info = proxy(ExecutionInfo.class, "getWarnings", any -> List.of("large"));
        answer.complete(proxy(AsyncResultSet.class, "getExecutionInfo", any -> info));

        assertThat(request.join()).isEqualTo(StepResult.inserted(1, List.of(KEY), List.of("large")));
        assertThat(sent).containsExactly(ROW.statement());
    }

    @Test
    void shouldFailAsTheRequestDoes() {
        request.send(session(() -> answer), ROW);
        IllegalStateException failure = new IllegalStateException("no answer");
        answer.completeExceptionally(failure);
        assertThatThrownBy(request::join).hasCause(failure);
    }

    @Test
    void shouldFailIfTheSessionThrows() {
        IllegalStateException failure = new IllegalStateException("the session is closed");
        request.send(
                session(() -> {
                    throw failure;
                }),
                ROW);
        assertThatThrownBy(request::join).hasCause(failure);
    }

    @Test
    void shouldFailIfTheSessionThrowsAnError() {
        StackOverflowError failure = new StackOverflowError();
        request.send(
                session(() -> {
                    throw failure;
                }),
                ROW);
        assertThat(request).isCompletedExceptionally();
        assertThatThrownBy(request::join).hasCause(failure);
    }

    @Test
    void shouldCancelWhatWasSent() {
        request.send(session(() -> answer), ROW);
        request.cancel(true);
        assertThat(answer).isCancelled();
        assertThatThrownBy(request::join).isInstanceOf(CancellationException.class);
    }

    @Test
    void shouldSendNothingThatIsCancelled() {
        request.cancel(true);
        request.send(session(() -> answer), ROW);
        assertThat(sent).isEmpty();
    }

    @Test
    void shouldCancelWhatIsSentWhileItIsCancelled() {
        request.send(
                session(() -> {
                    request.cancel(true);
                    return answer;
                }),
                ROW);
        assertThat(answer).isCancelled();
    }
}
