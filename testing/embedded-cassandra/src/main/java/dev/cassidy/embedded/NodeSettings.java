package dev.cassidy.embedded;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** What a user may choose about a node, apart from where it listens. The yaml values are YAML, written as they are. */
record NodeSettings(
        String clusterName,
        String datacenter,
        Heap heap,
        List<Path> serverJars,
        List<String> jvmOptions,
        Map<String, String> yaml,
        Duration startTimeout) {
    private static final List<String> REQUEST_TIMEOUTS = List.of(
            "read_request_timeout",
            "range_request_timeout",
            "write_request_timeout",
            "counter_write_request_timeout",
            "cas_contention_timeout",
            "truncate_request_timeout");
    private static final String MOVED = "-Dcassandra.clock=dev.cassidy.embedded.child.MovedClock";
    private static final Pattern DATACENTER = Pattern.compile("[A-Za-z0-9_.-]+");

    NodeSettings {
        requireText("clusterName", clusterName);
        if (!DATACENTER.matcher(datacenter).matches()) {
            throw new IllegalArgumentException(
                    "must be letters, digits, dots, dashes and underscores: datacenter=" + datacenter);
        }
        for (Path jar : serverJars) {
            if (!Files.exists(jar)) {
                throw new IllegalArgumentException("must exist: serverJar=" + jar.toAbsolutePath());
            }
        }
        for (String key : yaml.keySet()) {
            if (NodeFolder.OWN_KEYS.contains(key)) {
                throw new IllegalArgumentException("is set by the node itself, not by yaml(...): " + key);
            }
        }
        if (startTimeout.isNegative() || startTimeout.isZero()) {
            throw new IllegalArgumentException("must be > 0: startTimeout=" + startTimeout);
        }
        serverJars = List.copyOf(serverJars);
        jvmOptions = List.copyOf(jvmOptions);
        yaml = Map.copyOf(yaml);
    }

    /** A child's heap in the JVM's notation. */
    record Heap(String first, String most) {
        Heap {
            requireText("heap", first);
            requireText("heap", most);
        }
    }

    static NodeSettings defaults() {
        return new NodeSettings(
                "cassidy", "dc1", new Heap("128m", "1g"), List.of(), List.of(), Map.of(), Duration.ofMinutes(10));
    }

    /** Small enough for six nodes on a developer's machine. */
    static NodeSettings ofClusterNode() {
        return defaults()
                .withJvmOption("-XX:MaxDirectMemorySize=128m")
                .withYaml("memtable_heap_space", "32MiB")
                .withYaml("memtable_offheap_space", "32MiB")
                .withYaml("key_cache_size", "4MiB")
                .withYaml("commitlog_segment_size", "8MiB")
                .withYaml("commitlog_total_space", "64MiB")
                .withYaml("concurrent_compactors", "1")
                .withYaml("networking_cache_size", "16MiB")
                .withYaml("file_cache_size", "16MiB")
                .withYaml("concurrent_reads", "8")
                .withYaml("concurrent_writes", "8");
    }

    NodeSettings withClusterName(String name) {
        return new NodeSettings(name, datacenter, heap, serverJars, jvmOptions, yaml, startTimeout);
    }

    NodeSettings withDatacenter(String name) {
        return new NodeSettings(clusterName, name, heap, serverJars, jvmOptions, yaml, startTimeout);
    }

    NodeSettings withHeap(String size) {
        return new NodeSettings(
                clusterName, datacenter, new Heap(size, size), serverJars, jvmOptions, yaml, startTimeout);
    }

    NodeSettings withServerJar(Path jar) {
        return new NodeSettings(clusterName, datacenter, heap, with(serverJars, jar), jvmOptions, yaml, startTimeout);
    }

    NodeSettings withJvmOption(String option) {
        return new NodeSettings(
                clusterName, datacenter, heap, serverJars, with(jvmOptions, option), yaml, startTimeout);
    }

    NodeSettings withYaml(String key, String value) {
        Map<String, String> more = new LinkedHashMap<>(yaml);
        more.put(key, value);
        return new NodeSettings(clusterName, datacenter, heap, serverJars, jvmOptions, more, startTimeout);
    }

    NodeSettings withRequestTimeout(Duration timeout) {
        if (timeout.toMillis() <= 0) {
            throw new IllegalArgumentException("must be at least a millisecond: requestTimeout=" + timeout);
        }
        NodeSettings set = this;
        for (String key : REQUEST_TIMEOUTS) {
            set = set.withYaml(key, timeout.toMillis() + "ms");
        }
        return set;
    }

    /** To the millisecond. The last one wins. */
    NodeSettings withClockOffset(Duration offset) {
        return withJvmOption(MOVED)
                .withJvmOption("-Dcassidy.embedded.clockOffset=" + offset.toMillis())
                .withForeignClocks();
    }

    boolean hasMovedClock() {
        return jvmOptions.contains(MOVED);
    }

    /**
     * Lets the node take no notice of when others sent a request. By default it drops those of a slower node, which seem to be late, unless
     * its clock differs by more than 15 minutes.
     */
    NodeSettings withForeignClocks() {
        return withYaml("internode_timeout", "false");
    }

    NodeSettings withStartTimeout(Duration timeout) {
        return new NodeSettings(clusterName, datacenter, heap, serverJars, jvmOptions, yaml, timeout);
    }

    private static <T> List<T> with(List<T> list, T last) {
        List<T> more = new ArrayList<>(list);
        more.add(last);
        return more;
    }

    private static void requireText(String name, String value) {
        if (value.isBlank()) {
            throw new IllegalArgumentException("must not be blank: " + name);
        }
    }
}
