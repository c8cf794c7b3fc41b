package dev.cassidy.reliability.counters;

import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;
import dev.cassidy.embedded.EmbeddedCassandra;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.management.Attribute;
import javax.management.JMException;
import javax.management.MBeanServerConnection;
import javax.management.NotificationListener;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;

/** What an operator does with nodetool, by JMX. */
final class Repair implements AutoCloseable {

    private static final String STORAGE = "org.apache.cassandra.db:type=StorageService";

    // Ordinals of Cassandra's ProgressEventType.
    private static final int ERROR = 2;
    private static final int ABORT = 3;
    private static final int COMPLETE = 5;

    private static final String[] MAP = {"java.lang.String", "java.util.Map"};

    private final JMXConnector connector;
    private final MBeanServerConnection node;
    private final ObjectName storage;

    Repair(EmbeddedCassandra of) throws IOException, AttachNotSupportedException, JMException {
        VirtualMachine machine = VirtualMachine.attach(Long.toString(of.pid()));
        String address;
        try {
            address = machine.startLocalManagementAgent();
        } finally {
            machine.detach();
        }
        connector = JMXConnectorFactory.connect(new JMXServiceURL(address));
        node = connector.getMBeanServerConnection();
        storage = new ObjectName(STORAGE);
    }

    /** Makes all replicas of a keyspace's tables equal. */
    void repair(String keyspace)
            throws IOException, JMException, InterruptedException, ExecutionException, TimeoutException {
        repair(keyspace, Map.of());
    }

    /** Makes the replicas of a table equal where a partition's token is larger than {@code after} and at most {@code last}. */
    void repairRange(String keyspace, String table, long after, long last)
            throws IOException, JMException, InterruptedException, ExecutionException, TimeoutException {
        repair(keyspace, Map.of("columnFamilies", table, "ranges", after + ":" + last));
    }

    private void repair(String keyspace, Map<String, String> ofPart)
            throws IOException, JMException, InterruptedException, ExecutionException, TimeoutException {
        CompletableFuture<Void> done = new CompletableFuture<>();
        NotificationListener listener = (told, of) -> {
            if (told.getUserData() instanceof Map<?, ?> progress && progress.get("type") instanceof Integer type) {
                if (type == ERROR || type == ABORT) {
                    done.completeExceptionally(new IllegalStateException("the repair failed: " + told.getMessage()));
                } else if (type == COMPLETE) {
                    done.complete(null);
                }
            }
        };
        node.addNotificationListener(storage, listener, null, null);
        Map<String, String> options = new HashMap<>(Map.of("incremental", "false", "parallelism", "parallel"));
        options.putAll(ofPart);
        node.invoke(storage, "repairAsync", new Object[] {keyspace, options}, MAP);
        done.get(15, TimeUnit.MINUTES);
        node.removeNotificationListener(storage, listener);
    }

    /** What a replica misses from now on arrives by a repair only. */
    void keepNoHints() throws IOException, JMException {
        setHints(false);
    }

    void keepHints() throws IOException, JMException {
        setHints(true);
    }

    private void setHints(boolean enabled) throws IOException, JMException {
        node.setAttribute(
                new ObjectName("org.apache.cassandra.db:type=StorageProxy"),
                new Attribute("HintedHandoffEnabled", enabled));
    }

    void flush(String keyspace, String table) throws IOException, JMException {
        node.invoke(storage, "forceKeyspaceFlush", new Object[] {keyspace, new String[] {table}}, new String[] {
            "java.lang.String", "[Ljava.lang.String;"
        });
    }

    /** Merges all files of a table, and so drops what is deleted for longer than gc_grace_seconds. */
    void compact(String keyspace, String table) throws IOException, JMException {
        node.invoke(
                storage, "forceKeyspaceCompaction", new Object[] {false, keyspace, new String[] {table}}, new String[] {
                    "boolean", "java.lang.String", "[Ljava.lang.String;"
                });
    }

    @Override
    public void close() throws IOException {
        connector.close();
    }
}
