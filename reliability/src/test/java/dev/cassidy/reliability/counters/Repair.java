package dev.cassidy.reliability.counters;

import static org.awaitility.Awaitility.await;

import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;
import dev.cassidy.embedded.EmbeddedCassandra;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import javax.management.JMException;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;

/** What an operator does with nodetool, by JMX. */
final class Repair implements AutoCloseable {

    private static final String STORAGE = "org.apache.cassandra.db:type=StorageService";
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
    void repair(String keyspace) throws IOException, JMException {
        Map<String, String> options = new HashMap<>(Map.of("incremental", "false", "parallelism", "parallel"));
        Object command = node.invoke(storage, "repairAsync", new Object[] {keyspace, options}, MAP);
        await("repair of " + keyspace).atMost(15, TimeUnit.MINUTES).until(() -> {
            List<?> status = (List<?>)
                    node.invoke(storage, "getParentRepairStatus", new Object[] {command}, new String[] {"int"});
            if (status != null && "FAILED".equals(status.get(0))) {
                throw new IllegalStateException("the repair failed: " + status);
            }
            return status != null && "COMPLETED".equals(status.get(0));
        });
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

    /** Returns the share of what is deleted and not dropped yet. */
    double droppableTombstones(String keyspace, String table) throws IOException, JMException {
        return (Double) node.getAttribute(
                new ObjectName("org.apache.cassandra.db:type=Tables,keyspace=" + keyspace + ",table=" + table),
                "DroppableTombstoneRatio");
    }

    @Override
    public void close() throws IOException {
        connector.close();
    }
}
