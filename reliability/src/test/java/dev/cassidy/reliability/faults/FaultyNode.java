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
 * Two Simulacron nodes before a real one: they pass every statement on and every answer back, but for the one that is to
 * fail. So each condition is judged by Cassandra itself, also that of a statement that is held back and lands later.
 *
 * <p>One statement at a time. Safe for use by many threads.
 */
final class FaultyNode implements AutoCloseable {

    private static final String AT_THE_END = "at the end";

    /** Fair: on a machine under load, threads that take it by turns would leave a third one waiting until its client gives up. */
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

    /** A wrong answer that says how a statement ended. */
    private record Lie(Step step, List<ByteBuffer> values, Action answer) {}

    /** @param requests those of its client */
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
     * @param meanwhile what another process does before the client is told, where the outcome says that one does
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

    /** Whether the fault is over, but for a statement that lands when the cell ends. */
    boolean settled() {
        return locked(() -> injected && (held == null || held.table().equals(AT_THE_END)));
    }

    /** Returns how a statement that was held back landed; empty if none was. */
    String landing() {
        return locked(() -> landing);
    }

    /** Returns which conditional statements the driver has sent more often than its client wanted. */
    List<String> repeated() {
        return locked(() -> List.copyOf(repeated));
    }

    /** Returns what went wrong in this node itself; empty unless the test is wrong. */
    Optional<Throwable> broken() {
        return locked(() -> Optional.ofNullable(broken));
    }

    /** Returns a future that ends when a statement on the sequence, with this in its text, has been answered. */
    CompletableFuture<Void> answered(String text) {
        return locked(() -> awaited.computeIfAbsent(text, unseen -> new CompletableFuture<>()));
    }

    /** Whether a client of this node has sent this token. Takes no lock: the rival asks while the node waits for it. */
    boolean hasSent(UUID token) {
        return tokens.contains(token);
    }

    /** Lets what was held back land now, if its condition holds. */
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
            // A client that has not had its answer yet may send the statement a second time: it is to believe the same.
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

    /** What has the length of a UUID may be something else; that does no harm. */
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
