package dev.cassidy.reliability.faults;

import com.datastax.oss.protocol.internal.Frame;
import com.datastax.oss.protocol.internal.Message;
import com.datastax.oss.protocol.internal.ProtocolConstants.ConsistencyLevel;
import com.datastax.oss.protocol.internal.request.Batch;
import com.datastax.oss.protocol.internal.request.Execute;
import com.datastax.oss.protocol.internal.request.Prepare;
import com.datastax.oss.protocol.internal.response.error.ReadTimeout;
import com.datastax.oss.protocol.internal.response.result.Rows;
import com.datastax.oss.simulacron.common.stubbing.Action;
import com.datastax.oss.simulacron.common.stubbing.MessageResponseAction;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Two Simulacron nodes in front of a real one. They forward every statement and every answer, except for the one that
 * must fail. So Cassandra itself judges each condition, also for a statement that is held back and lands later.
 *
 * <p>Handles one statement at a time. Safe for use by many threads.
 */
final class FaultyNode implements AutoCloseable {

    private static final String AT_THE_END = "at the end";

    /**
     * The lock is fair: on a loaded machine, threads that take turns could otherwise keep a third one waiting until its
     * client gives up.
     */
    private final ReentrantLock oneAtATime = new ReentrantLock(true);

    private final TwoFronts fronts;
    private final NumberedRequests requests;
    private final Set<UUID> tokens = ConcurrentHashMap.newKeySet();
    private final Map<String, CompletableFuture<Void>> awaited = new HashMap<>();

    private @Nullable Cell armed;
    private ByteBuffer sequence = ByteBuffer.allocate(0);
    private Runnable rival = () -> {};
    private boolean injected;
    private @Nullable String unprovable;
    private @Nullable Held held;
    private @Nullable Lie lie;
    private String landing = "";
    private @Nullable Throwable broken;
    private final Map<Long, Integer> sent = new HashMap<>();
    private final List<String> repeated = new ArrayList<>();

    private record Held(Message statement, String table) {}

    /** A wrong answer about the result of a statement. */
    private record Lie(Step step, List<ByteBuffer> values, Action answer) {}

    /** @param requests the requests of this node's client */
    FaultyNode(InetSocketAddress real, NumberedRequests requests) throws IOException {
        this.requests = requests;
        this.fronts = new TwoFronts(real, this::answer);
    }

    InetSocketAddress contactPoint() {
        return fronts.contactPoint();
    }

    /**
     * Makes the next execution of a step on a sequence fail.
     *
     * @param meanwhile the actions of another process before the client gets its answer, if the outcome includes them
     */
    void arm(Cell cell, String name, Runnable meanwhile) {
        locked(() -> {
            armed = cell;
            sequence = ByteBuffer.wrap(name.getBytes(StandardCharsets.UTF_8));
            rival = meanwhile;
            injected = false;
            unprovable = null;
            held = null;
            lie = null;
            landing = "";
            broken = null;
            awaited.clear();
            sent.clear();
            repeated.clear();
            return null;
        });
    }

    private <T> T locked(Supplier<T> step) {
        oneAtATime.lock();
        try {
            return step.get();
        } finally {
            oneAtATime.unlock();
        }
    }

    boolean injected() {
        return locked(() -> injected);
    }

    /** Returns whether the fault is over, except for a statement that lands at the end of the cell. */
    boolean settled() {
        return locked(() -> injected && (held == null || held.table().equals(AT_THE_END)));
    }

    /** Returns the result of the statement that was held back; empty if there was none. */
    String landing() {
        return locked(() -> landing);
    }

    /** Returns the conditional statements that the driver has sent more often than its client requested. */
    List<String> repeated() {
        return locked(() -> List.copyOf(repeated));
    }

    /** Returns an error in this node itself; empty unless the test is wrong. */
    Optional<Throwable> broken() {
        return locked(() -> Optional.ofNullable(broken));
    }

    /** Returns a future that completes when a statement on the sequence that contains this text has been answered. */
    CompletableFuture<Void> answered(String text) {
        return locked(() -> awaited.computeIfAbsent(text, unseen -> new CompletableFuture<>()));
    }

    /**
     * Returns whether a client of this node has sent this token. Takes no lock, because the rival calls it while the
     * node waits for the rival.
     */
    boolean hasSent(UUID token) {
        return tokens.contains(token);
    }

    /** Lets the statement that was held back land now, if its condition holds. */
    void land() {
        locked(() -> {
            if (held != null) {
                Message answer = fronts.ask(held.statement());
                held = null;
                boolean applied = answer instanceof Rows rows
                        && rows.getData().peek().get(0).get(0) == 1;
                landing = applied ? "landed" : "refused";
            }
            return null;
        });
    }

    private Action answer(int node, Frame frame, String cql) {
        return locked(() -> {
            try {
                return answer(node, frame, frame.message, cql);
            } catch (RuntimeException e) {
                broken = e;
                throw e;
            }
        });
    }

    private Action answer(int node, Frame frame, Message request, String cql) {
        Optional<Step> step = request instanceof Prepare
                ? Optional.empty()
                : Step.of(cql).map(found -> found.with(values(request).toList()));
        if (step.isPresent()) {
            values(request).forEach(this::collectToken);
            Integer before = sent.put(NumberedRequests.numberOf(frame).orElseThrow(), node);
            if (before != null) {
                repeated.add(step.get() + " was sent to node " + before + ", and once more to node " + node);
            }
        }
        if (armed != null && step.filter(armed.step()::equals).isPresent() && hasValue(request, sequence)) {
            return inject(armed, frame, request, cql);
        }
        if (lie != null
                && step.filter(lie.step()::equals).isPresent()
                && values(request).toList().equals(lie.values())) {
            // A client that has not received its answer yet may send the statement again, and must get the same answer.
            return lie.answer();
        }
        String table = Step.tableOf(cql);
        if (table.equals(unprovable) && request instanceof Execute read && isSerial(read.options.consistency)) {
            unprovable = null;
            return new MessageResponseAction(new ReadTimeout("injected", read.options.consistency, 0, 1, false));
        }
        Message answer = fronts.ask(request);
        if (!(request instanceof Prepare) && held != null && held.table().equals(table)) {
            land();
        }
        awaited.forEach((text, seen) -> {
            if (cql.contains(text) && request instanceof Execute && hasValue(request, sequence)) {
                seen.complete(null);
            }
        });
        return new MessageResponseAction(answer);
    }

    private Action inject(Cell cell, Frame frame, Message request, String cql) {
        armed = null;
        injected = true;
        String table = Step.tableOf(cql);
        int serial = serialOf(request);
        int commit = serial == ConsistencyLevel.SERIAL ? ConsistencyLevel.QUORUM : ConsistencyLevel.LOCAL_QUORUM;
        Message answer = Failure.casTimeout(serial);
        switch (cell.outcome()) {
            case APPLIED -> {
                answer = fronts.ask(request);
                rival.run();
            }
            case OVERTAKEN -> {
                rival.run();
                held = new Held(request, AT_THE_END);
            }
            case APPLIED_LATER -> held = new Held(request, table);
            case NOT_APPLIED -> {}
        }
        if (cell.failure() == Failure.PROOF_TIMES_OUT) {
            unprovable = table;
        }
        if (cell.failure() == Failure.LATE_ANSWER) {
            requests.timeOut(NumberedRequests.numberOf(frame).orElseThrow());
        }
        Action action = cell.failure().action(serial, commit, answer);
        if (cell.failure().isLie()) {
            lie = new Lie(cell.step(), values(request).toList(), action);
        }
        return action;
    }

    private static Stream<ByteBuffer> values(Message request) {
        return request instanceof Batch batch
                ? batch.values.stream().flatMap(List::stream)
                : ((Execute) request).options.positionalValues.stream();
    }

    private static boolean hasValue(Message request, ByteBuffer value) {
        return values(request).anyMatch(value::equals);
    }

    /** A value with the length of a UUID may be something else. This is harmless. */
    private void collectToken(ByteBuffer value) {
        if (value.remaining() == 2 * Long.BYTES) {
            tokens.add(new UUID(value.getLong(value.position()), value.getLong(value.position() + Long.BYTES)));
        }
    }

    private static int serialOf(Message request) {
        return request instanceof Batch batch ? batch.serialConsistency : ((Execute) request).options.serialConsistency;
    }

    private static boolean isSerial(int consistency) {
        return consistency == ConsistencyLevel.SERIAL || consistency == ConsistencyLevel.LOCAL_SERIAL;
    }

    @Override
    public void close() throws IOException {
        fronts.close();
    }
}
