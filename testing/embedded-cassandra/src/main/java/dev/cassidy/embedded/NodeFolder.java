package dev.cassidy.embedded;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** The folder of one node: its configuration, its log, its data and its temporary files. */
record NodeFolder(Path root) {
    private static final List<String> DATA = List.of("data", "commitlog", "saved_caches", "hints", "cdc_raw", "tmp");
    private static final List<String> ACCOUNT = List.of("conf", "logs");

    /** Follows from the address and the folder; another value would contradict what the node reports of itself. */
    static final Set<String> OWN_KEYS = Set.of(
            "cluster_name",
            "listen_address",
            "broadcast_address",
            "rpc_address",
            "storage_port",
            "native_transport_port",
            "seed_provider",
            "initial_token",
            "data_file_directories",
            "commitlog_directory",
            "saved_caches_directory",
            "hints_directory",
            "cdc_raw_directory");

    private static final String LOGBACK = """
            <configuration>
              <appender name="LOG" class="ch.qos.logback.core.ConsoleAppender">
                <target>System.err</target>
                <encoder>
                  <pattern>%-5level [%thread] %date{ISO8601} %F:%L - %msg%n</pattern>
                </encoder>
              </appender>
              <root level="INFO">
                <appender-ref ref="LOG"/>
              </root>
            </configuration>
            """;

    static NodeFolder temporary() throws IOException {
        return new NodeFolder(Files.createTempDirectory("cassidy-node-"));
    }

    Path log() {
        return root.resolve("logs").resolve("server.log");
    }

    Path yaml() {
        return root.resolve("conf").resolve("cassandra.yaml");
    }

    Path logback() {
        return root.resolve("conf").resolve("logback.xml");
    }

    Path rackdc() {
        return root.resolve("conf").resolve("cassandra-rackdc.properties");
    }

    /** Native libraries are unpacked here and removed with the folder: a killed JVM leaves them behind. */
    Path temporaryFiles() {
        return root.resolve("tmp");
    }

    /** There if the node has begun to write its classes into an archive. */
    Path archiveBegun() {
        return temporaryFiles().resolve("classes.begun");
    }

    Path lock() {
        return root.resolve("lock");
    }

    /** Writes the configuration, unless a node is alive on this folder. */
    void write(NodeSettings settings, NodeAddress address) throws IOException {
        if (isUsed()) {
            throw new EmbeddedCassandraException("in use by another node: " + root
                    + "; stop that one first, or give this one a dataDirectory of its own");
        }
        Trees.delete(temporaryFiles());
        for (Path folder : List.of(yaml().getParent(), log().getParent(), temporaryFiles())) {
            Files.createDirectories(folder);
        }
        Files.writeString(yaml(), yamlText(settings, address));
        Files.writeString(logback(), LOGBACK);
        Files.writeString(rackdc(), "dc=" + settings.datacenter() + "\nrack=rack1\n");
    }

    private boolean isUsed() throws IOException {
        try (FileChannel channel = FileChannel.open(lock(), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                FileLock held = channel.tryLock()) {
            return held == null;
        } catch (OverlappingFileLockException e) {
            // Another thread of this JVM asks the same question.
            return true;
        }
    }

    /**
     * Removes what the node wrote, and also the folder if nothing else is in it. Removes nothing if another node is
     * alive on it.
     */
    void delete() throws IOException {
        if (isUsed()) {
            return;
        }
        deleteData();
        for (String name : ACCOUNT) {
            Trees.delete(root.resolve(name));
        }
        Files.deleteIfExists(lock());
        try {
            Files.deleteIfExists(root);
        } catch (DirectoryNotEmptyException e) {
            // Not ours to remove.
        }
    }

    /** Removes the data. Leaves the log and the configuration, from which a failure can be explained. */
    void deleteData() throws IOException {
        if (isUsed()) {
            return;
        }
        for (String name : DATA) {
            Trees.delete(root.resolve(name));
        }
    }

    private String yamlText(NodeSettings settings, NodeAddress address) {
        Map<String, String> yaml = new LinkedHashMap<>();
        yaml.put("cluster_name", quoted(settings.clusterName()));
        yaml.put("num_tokens", "1");
        yaml.put("initial_token", quoted(address.token()));
        yaml.put("partitioner", "org.apache.cassandra.dht.Murmur3Partitioner");
        yaml.put("endpoint_snitch", "GossipingPropertyFileSnitch");
        yaml.put("listen_address", address.host());
        yaml.put("broadcast_address", address.knownAs());
        yaml.put("rpc_address", address.host());
        yaml.put("storage_port", Integer.toString(address.storagePort()));
        yaml.put("native_transport_port", Integer.toString(address.port()));
        yaml.put(
                "seed_provider",
                "[{class_name: org.apache.cassandra.locator.SimpleSeedProvider, parameters: [{seeds: "
                        + quoted(address.seeds()) + "}]}]");
        yaml.put("auto_bootstrap", "false");
        yaml.put("data_file_directories", "[" + quoted(root.resolve("data")) + "]");
        for (String name : List.of("commitlog", "saved_caches", "hints")) {
            yaml.put(name + "_directory", quoted(root.resolve(name)));
        }
        yaml.put("cdc_raw_directory", quoted(root.resolve("cdc_raw")));
        // Under the default, periodic, a killed node forgets writes that it has acknowledged (CASSANDRA-13987).
        yaml.put("commitlog_sync", "batch");
        // The default gives a megabyte of heap to each table that was written to, and does not count the unused part.
        yaml.put("memtable_allocation_type", "unslabbed_heap_buffers");
        yaml.put("auto_snapshot", "false");
        yaml.put("user_defined_functions_enabled", "true");
        // The default, die, ends the server when a function is slow, as on a busy build machine.
        yaml.put("user_function_timeout_policy", "ignore");
        yaml.put("paxos_variant", "v2");
        // By default each node calculates which replicas are fast ten times a second, also while it is idle.
        yaml.put("dynamic_snitch_update_interval", "2s");
        yaml.putAll(settings.yaml());
        return yaml.entrySet().stream()
                .map(entry -> entry.getKey() + ": " + entry.getValue() + "\n")
                .collect(Collectors.joining());
    }

    private static String quoted(Object value) {
        return "'" + value.toString().replace("'", "''") + "'";
    }
}
