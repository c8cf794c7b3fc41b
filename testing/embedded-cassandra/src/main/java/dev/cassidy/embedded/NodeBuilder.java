package dev.cassidy.embedded;

import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What a node and each node of a cluster have in common. One instance is used by one thread at a time. */
abstract sealed class NodeBuilder<B extends NodeBuilder<B>> permits EmbeddedCassandra.Builder, EmbeddedCluster.Builder {
    private static final String UNLOGGED = "dev.cassidy.embedded.child.UnloggedMemtable";

    NodeSettings settings;

    @Nullable
    Path dataDirectory;

    int port;
    private @Nullable Boolean keepData;

    NodeBuilder(NodeSettings settings) {
        this.settings = settings;
    }

    abstract B self();

    boolean keepsData() {
        return keepData == null ? dataDirectory != null : keepData;
    }

    /** Default {@code cassidy}. Kept data remembers its cluster's name and refuses another. */
    public B clusterName(String name) {
        settings = settings.withClusterName(name);
        return self();
    }

    /**
     * The node's folder, or the one with a folder per node; created if absent, kept on close. Default: a temporary one,
     * removed on close.
     */
    public B dataDirectory(Path folder) {
        dataDirectory = folder.toAbsolutePath();
        return self();
    }

    /** Whether {@code close()} leaves the files. Default: true for a folder that was given, else false. */
    public B keepData(boolean keep) {
        keepData = keep;
        return self();
    }

    /** The native transport's port, on every address. Default: a free one. */
    public B port(int number) {
        port = Ports.require(number);
        return self();
    }

    /** Adds a jar to the classpath of every server. */
    public B serverJar(Path jar) {
        settings = settings.withServerJar(jar);
        return self();
    }

    /**
     * Adds an option of every child JVM, after ours: the last one wins. For throughput rather than a quick start:
     * {@code -XX:TieredStopAtLevel=4}, {@code -XX:-UseSerialGC} and {@code -XX:+UseG1GC}. Cassandra's MBeans are registered
     * with {@code -Dorg.apache.cassandra.disable_mbean_registration=false}.
     */
    public B jvmOption(String option) {
        settings = settings.withJvmOption(option);
        return self();
    }

    /**
     * For nodes that are never started again: nothing is written to the commit log, and Cassandra's own tables are not flushed
     * at the start and at changes of the schema. A start takes half a second less of CPU time, and a DROP flushes no other
     * table. A node that is killed and started again has lost what was not flushed.
     */
    public B startsOnce() {
        return jvmOption("-Dcassidy.embedded.startsOnce=true")
                .jvmOption("-Dcassandra.unsafesystem=true")
                .jvmOption("-Dcassandra.test.flush_local_schema_changes=false")
                .yaml("memtable", "{configurations: {default: {class_name: " + UNLOGGED + "}}}");
    }

    /**
     * Each child's heap in the JVM's notation, all of it from the start. Default: 128 MB, which grow with need to 1 GB; 500
     * tables need about 250 MB.
     */
    public B heap(String size) {
        settings = settings.withHeap(size);
        return self();
    }

    /**
     * Sets a key of every cassandra.yaml; the value is YAML and is written as it is. Addresses, ports and folders are
     * refused: they have options of their own.
     */
    public B yaml(String key, String value) {
        settings = settings.withYaml(key, value);
        return self();
    }

    /**
     * How long a node works on a request before it answers with a time-out. Cassandra's defaults are from 1.8 to 10 s,
     * depending on the request; on a busy machine, tests that expect no time-out set a minute.
     */
    public B requestTimeout(Duration timeout) {
        settings = settings.withRequestTimeout(timeout);
        return self();
    }

    /**
     * How long the start of one node may take. Default 10 minutes, for machines under load: a node that cannot start ends
     * at once.
     */
    public B startTimeout(Duration timeout) {
        settings = settings.withStartTimeout(timeout);
        return self();
    }
}
