package dev.cassidy.reliability.faults;

import com.datastax.oss.protocol.internal.Frame;
import com.datastax.oss.protocol.internal.Message;
import com.datastax.oss.protocol.internal.request.Batch;
import com.datastax.oss.protocol.internal.request.Execute;
import com.datastax.oss.protocol.internal.request.Prepare;
import com.datastax.oss.protocol.internal.request.Query;
import com.datastax.oss.protocol.internal.response.result.Prepared;
import com.datastax.oss.simulacron.common.cluster.AbstractNode;
import com.datastax.oss.simulacron.common.cluster.ClusterSpec;
import com.datastax.oss.simulacron.common.stubbing.Action;
import com.datastax.oss.simulacron.common.stubbing.PeerMetadataHandler;
import com.datastax.oss.simulacron.common.stubbing.StubMapping;
import com.datastax.oss.simulacron.server.BoundCluster;
import com.datastax.oss.simulacron.server.BoundNode;
import com.datastax.oss.simulacron.server.Server;
import com.datastax.oss.simulacron.server.StubStore;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A real node behind two Simulacron nodes, which the driver sees as two nodes. So a test sees what the driver sends to
 * the second node, and both nodes use the same store. Handles one request at a time.
 */
final class TwoFronts implements AutoCloseable {

    /** Decides how a node answers. */
    interface Answers {
        /**
         * @param node the node's index, from 0
         * @param cql the request's text; a batch's statements are joined by {@code "; "}
         */
        Action to(int node, Frame frame, String cql);
    }

    private final Answers answers;
    private final Upstream store;
    private final Server server;
    private final BoundCluster cluster;
    private final Map<ByteBuffer, String> prepared = new ConcurrentHashMap<>();
    /** The lock is fair, so that no client waits for long while others take turns. */
    private final ReentrantLock oneAtATime = new ReentrantLock(true);

    TwoFronts(InetSocketAddress real, Answers answers) throws IOException {
        this.answers = answers;
        this.store = new Upstream(real);
        StubStore stubs = new StubStore();
        // The real node must not say which nodes there are.
        stubs.register(new PeerMetadataHandler(true));
        stubs.register(new Relay());
        Iterator<InetSocketAddress> free = freeAddresses().iterator();
        this.server = Server.builder()
                .withStubStore(stubs)
                .withActivityLoggingEnabled(false)
                .withAddressResolver(free::next)
                .build();
        this.cluster = server.register(ClusterSpec.builder().withNodes(2));
    }

    /** Returns addresses in the order of their ports. */
    private static List<InetSocketAddress> freeAddresses() throws IOException {
        InetAddress loopback = InetAddress.getLoopbackAddress();
        try (ServerSocket first = new ServerSocket(0, 1, loopback);
                ServerSocket second = new ServerSocket(0, 1, loopback)) {
            return Stream.of(first, second)
                    .map(ServerSocket::getLocalPort)
                    .sorted()
                    .map(port -> new InetSocketAddress(loopback, port))
                    .toList();
        }
    }

    /** @param index from 0 */
    BoundNode node(int index) {
        return cluster.node(index);
    }

    InetSocketAddress contactPoint() {
        return (InetSocketAddress) node(0).getAddress();
    }

    /** Returns the real node's answer. */
    Message ask(Message request) {
        Message answer;
        oneAtATime.lock();
        try {
            answer = store.ask(request);
        } finally {
            oneAtATime.unlock();
        }
        if (request instanceof Prepare prepare && answer instanceof Prepared known) {
            prepared.put(ByteBuffer.wrap(known.preparedQueryId), prepare.cqlQuery);
        }
        return answer;
    }

    private String textOf(Message request) {
        if (request instanceof Prepare prepare) {
            return prepare.cqlQuery;
        }
        if (request instanceof Query query) {
            return query.query;
        }
        if (request instanceof Execute execute) {
            return known(execute.queryId);
        }
        return ((Batch) request)
                .queriesOrIds.stream()
                        .map(each -> each instanceof byte[] id ? known(id) : each.toString())
                        .collect(Collectors.joining("; "));
    }

    private String known(byte[] id) {
        return Objects.requireNonNull(prepared.get(ByteBuffer.wrap(id)), "prepared elsewhere");
    }

    @Override
    public void close() throws IOException {
        server.close();
        store.close();
    }

    private final class Relay extends StubMapping {
        @Override
        public boolean matches(Frame frame) {
            return frame.message instanceof Query
                    || frame.message instanceof Prepare
                    || frame.message instanceof Execute
                    || frame.message instanceof Batch;
        }

        @Override
        public List<Action> getActions(AbstractNode node, Frame frame) {
            int index = node.getAddress().equals(contactPoint()) ? 0 : 1;
            return List.of(answers.to(index, frame, textOf(frame.message)));
        }
    }
}
