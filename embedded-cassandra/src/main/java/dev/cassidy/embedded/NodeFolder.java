package dev.cassidy.embedded;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** The folder of one node: its configuration, its log and its data. */
record NodeFolder(Path root) {
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

    void write(NodeSettings settings, NodeAddress address) throws IOException {
        Files.createDirectories(yaml().getParent());
        Files.createDirectories(log().getParent());
        Files.writeString(yaml(), yamlText(settings, address));
        Files.writeString(logback(), LOGBACK);
        Files.writeString(rackdc(), "dc=" + settings.datacenter() + "\nrack=rack1\n");
    }

    private String yamlText(NodeSettings settings, NodeAddress address) {
        Map<String, String> yaml = new LinkedHashMap<>();
        yaml.put("cluster_name", quoted(settings.clusterName()));
        yaml.put("num_tokens", "1");
        yaml.put("partitioner", "org.apache.cassandra.dht.Murmur3Partitioner");
        yaml.put("endpoint_snitch", "GossipingPropertyFileSnitch");
        yaml.put("listen_address", address.host());
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
        yaml.put("auto_snapshot", "false");
        yaml.put("user_defined_functions_enabled", "true");
        // The default, die, ends the server when a function is slow, as on a busy build machine.
        yaml.put("user_function_timeout_policy", "ignore");
        yaml.put("paxos_variant", "v2");
        yaml.putAll(settings.yaml());
        return yaml.entrySet().stream()
                .map(entry -> entry.getKey() + ": " + entry.getValue() + "\n")
                .collect(Collectors.joining());
    }

    private static String quoted(Object value) {
        return "'" + value.toString().replace("'", "''") + "'";
    }

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
}
