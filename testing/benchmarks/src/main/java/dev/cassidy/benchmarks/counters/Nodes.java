package dev.cassidy.benchmarks.counters;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import com.sun.management.OperatingSystemMXBean;
import dev.cassidy.embedded.EmbeddedCassandra;
import dev.cassidy.embedded.EmbeddedCluster;
import dev.cassidy.functions.CrdtPackVersion;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.cassandra.CassidySchema;
import dev.cassidy.sequence.cassandra.Replication;
import java.lang.management.ManagementFactory;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** The nodes on which counters race, and how a client connects to them. */
final class Nodes {

    static final String ONE = "one embedded Cassandra with the jar of native functions, RF 1, heap 1g,"
            + " -XX:TieredStopAtLevel=4, commitlog_sync periodic as Cassandra ships it";
    static final String THREE = "three embedded Cassandras without the jar, RF 3, heap 512m each,"
            + " -XX:TieredStopAtLevel=4, commitlog_sync periodic as Cassandra ships it, 32 concurrent reads, writes and"
            + " counter writes";

    /** Longer than the server's, so that the server says why. */
    static final Duration TIMEOUT = Duration.ofSeconds(60);

    private static final OperatingSystemMXBean SYSTEM =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    private Nodes() {}

    static EmbeddedCassandra one() {
        return EmbeddedCassandra.builder()
                .heap("1g")
                .jvmOption("-XX:TieredStopAtLevel=4")
                .serverJar(serverJar())
                .jvmOption("-Dcassandra.custom_query_handler_class=dev.cassidy.server.CrdtQueryHandler")
                .yaml("commitlog_sync", "periodic")
                .yaml("commitlog_sync_period", "10000ms")
                // A machine that stands still for two seconds would otherwise end the race. The time-out of reads
                // stays:
                // it decides which sums the server allows.
                .yaml("write_request_timeout", "20000ms")
                .yaml("counter_write_request_timeout", "20000ms")
                // The rows to sum are inserted in large batches.
                .yaml("batch_size_warn_threshold", "256KiB")
                .yaml("batch_size_fail_threshold", "1024KiB")
                .start();
    }

    static EmbeddedCluster three() {
        return EmbeddedCluster.builder()
                .datacenter("dc1", 3)
                .heap("512m")
                .jvmOption("-XX:TieredStopAtLevel=4")
                .yaml("commitlog_sync", "periodic")
                .yaml("commitlog_sync_period", "10000ms")
                .yaml("write_request_timeout", "20000ms")
                .yaml("counter_write_request_timeout", "20000ms")
                // A node of a cluster for tests has fewer threads for plain writes than for counter writes.
                .yaml("concurrent_reads", "32")
                .yaml("concurrent_writes", "32")
                .yaml("concurrent_counter_writes", "32")
                .yaml("memtable_heap_space", "128MiB")
                .yaml("memtable_offheap_space", "128MiB")
                .yaml("commitlog_segment_size", "32MiB")
                .yaml("commitlog_total_space", "512MiB")
                .start();
    }

    /** The jar in which the native functions are; a folder of classes if the build made no jar yet. */
    static Path serverJar() {
        try {
            return Path.of(CrdtPackVersion.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI());
        } catch (URISyntaxException e) {
            throw new IllegalStateException("the class path is not of this file system", e);
        }
    }

    static CqlSession connect(List<EmbeddedCassandra> nodes) {
        return CqlSession.builder()
                .addContactPoints(
                        nodes.stream().map(EmbeddedCassandra::contactPoint).toList())
                .withLocalDatacenter(nodes.get(0).localDatacenter())
                .withConfigLoader(DriverConfigLoader.programmaticBuilder()
                        .withString(DefaultDriverOption.REQUEST_CONSISTENCY, "LOCAL_QUORUM")
                        .withDuration(DefaultDriverOption.REQUEST_TIMEOUT, TIMEOUT)
                        // The default, 1,024, is less than what a hot counter has in flight.
                        .withInt(DefaultDriverOption.CONNECTION_MAX_REQUESTS, 16_384)
                        .build())
                .build();
    }

    /** Creates a keyspace for counters and one for Cassidy's own tables, on every node. */
    static void createKeyspaces(CqlSession session, List<EmbeddedCassandra> nodes, String keyspace, String cassidy) {
        String datacenter = nodes.get(0).localDatacenter();
        session.execute("CREATE KEYSPACE " + keyspace + " WITH replication = {'class': 'NetworkTopologyStrategy', '"
                + datacenter + "': " + nodes.size() + "}");
        CassidySchema.install(
                session,
                Replication.parse(datacenter + ":" + nodes.size()),
                SequencesConfig.defaults().withGlobalKeyspace(cassidy).withRequestTimeout(TIMEOUT));
    }

    /** Returns the CPU time of the nodes and of this JVM, the client's. */
    static long cpuNanos(List<EmbeddedCassandra> nodes) {
        long servers = nodes.stream()
                .mapToLong(node -> ProcessHandle.of(node.pid())
                        .flatMap(process -> process.info().totalCpuDuration())
                        .orElse(Duration.ZERO)
                        .toNanos())
                .sum();
        return servers + SYSTEM.getProcessCpuTime();
    }
}
