package dev.cassidy.embedded;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What a user may choose about a node, apart from where it listens. The yaml values are YAML, written as they are. */
record NodeSettings(
        String clusterName,
        String datacenter,
        String heap,
        List<Path> serverJars,
        List<String> jvmOptions,
        Map<String, String> yaml,
        Duration startTimeout) {

    NodeSettings {
        requireText("clusterName", clusterName);
        requireText("datacenter", datacenter);
        requireText("heap", heap);
        if (startTimeout.isNegative() || startTimeout.isZero()) {
            throw new IllegalArgumentException("must be > 0: startTimeout=" + startTimeout);
        }
        serverJars = List.copyOf(serverJars);
        jvmOptions = List.copyOf(jvmOptions);
        yaml = Map.copyOf(yaml);
    }

    static NodeSettings defaults() {
        return new NodeSettings("cassidy", "dc1", "512m", List.of(), List.of(), Map.of(), Duration.ofMinutes(3));
    }

    NodeSettings withClusterName(String name) {
        return new NodeSettings(name, datacenter, heap, serverJars, jvmOptions, yaml, startTimeout);
    }

    NodeSettings withDatacenter(String name) {
        return new NodeSettings(clusterName, name, heap, serverJars, jvmOptions, yaml, startTimeout);
    }

    NodeSettings withHeap(String size) {
        return new NodeSettings(clusterName, datacenter, size, serverJars, jvmOptions, yaml, startTimeout);
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
