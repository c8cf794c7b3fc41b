package dev.cassidy.embedded;

import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The command line of the child JVM. */
final class ServerCommand {
    private static final String MAIN = "dev.cassidy.embedded.child.CassandraChild";

    private static final List<String> EXPORTS = List.of(
            "java.base/sun.nio.ch",
            "java.base/jdk.internal.ref",
            "java.base/jdk.internal.misc",
            "java.management.rmi/com.sun.jmx.remote.internal.rmi",
            "java.rmi/sun.rmi.registry",
            "java.rmi/sun.rmi.server",
            "java.sql/java.sql");

    private static final List<String> OPENS = List.of(
            "java.base/java.io",
            "java.base/sun.nio.ch",
            "java.base/java.lang.module",
            "java.base/jdk.internal.loader",
            "java.base/jdk.internal.ref",
            "java.base/jdk.internal.reflect",
            "java.base/jdk.internal.math",
            "java.base/jdk.internal.module",
            "java.base/jdk.internal.util.jar",
            "java.base/java.nio",
            "java.base/java.util",
            "java.base/java.util.concurrent",
            "java.base/java.util.concurrent.atomic",
            "java.base/java.lang",
            "java.base/java.lang.reflect",
            "java.base/java.math",
            "java.base/java.net",
            "jdk.management/com.sun.management.internal");

    private ServerCommand() {}

    static List<String> of(
            HostJdk jdk, NodeSettings settings, NodeFolder folder, List<Path> jars, ClassArchive archive) {
        List<String> command = new ArrayList<>();
        command.add(jdk.java().toString());
        // Standard output is the handshake; the JVM's own words belong in the log.
        command.add("-XX:+DisplayVMOutputToStderr");
        command.add("-Xlog:disable");
        // An archive that does not fit is no news.
        command.add("-Xlog:all=warning,cds*=off:stderr");
        // The jars of this node alone come last in its class path, and would make the archive one of this node alone.
        command.addAll(archive.options(settings.serverJars().isEmpty() && jdk.writesClassArchives()));
        EXPORTS.forEach(name -> command.add("--add-exports=" + name + "=ALL-UNNAMED"));
        OPENS.forEach(name -> command.add("--add-opens=" + name + "=ALL-UNNAMED"));
        command.add("-Djdk.attach.allowAttachSelf=true");
        if (jdk.hasSecurityManager()) {
            command.add("-Djava.security.manager=allow");
        } else {
            // Else a JDK as new as this fills the log with warnings about Cassandra's libraries.
            command.add("--enable-native-access=ALL-UNNAMED");
            command.add("--sun-misc-unsafe-memory-access=allow");
        }
        command.add("-Xms" + settings.heap().first());
        command.add("-Xmx" + settings.heap().most());
        command.add("-XX:+UseSerialGC");
        command.add("-XX:TieredStopAtLevel=1");
        command.add("-XX:+ExitOnOutOfMemoryError");
        command.add("-XX:-UsePerfData");
        command.add("-Djava.io.tmpdir=" + folder.temporaryFiles());
        command.add("-Dcassandra-foreground=yes");
        command.add("-Dcassandra.storagedir=" + folder.root());
        command.add("-Dcassandra.logdir=" + folder.log().getParent());
        command.add("-Dcassandra.config=" + folder.yaml().toUri());
        command.add("-Dlogback.configurationFile=" + folder.logback().toUri());
        command.add("-Dcassandra-rackdc.properties=" + folder.rackdc().toUri());
        command.add("-Dcassandra.skip_wait_for_gossip_to_settle=0");
        command.add("-Dcassandra.ring_delay_ms=0");
        command.add("-Dcassandra.shutdown_announce_in_ms=0");
        // Each start measures what a row costs in memory, by default of 100,000 rows: a third of the CPU time of a
        // start.
        command.add("-Dcassandra.memtable_row_overhead_computation_step=1000");
        // A node reads the clock for its time-outs every 2 ms by default: a third of what an idle node costs.
        command.add("-Dcassandra.approximate_time_precision_ms=50");
        // Every node hashes the password of the first role, whether anybody logs in or not. By default this takes 0.2 s
        // of
        // CPU time; this is the least that Cassandra accepts.
        command.add("-Dcassandra.auth_bcrypt_gensalt_log2_rounds=4");
        // Each table has MBeans of its own. They took 3 % of the nodes' CPU time in our build, and no JMX port is open.
        command.add("-Dorg.apache.cassandra.disable_mbean_registration=true");
        // Netty looks for OpenSSL at each start, with or without TLS.
        command.add("-Dcassandra.disable_tcactive_openssl=true");
        // A worker would be renamed for each task.
        command.add("-Dcassandra.set_sep_thread_name=false");
        command.addAll(settings.jvmOptions());
        command.add("-cp");
        command.add(Stream.concat(jars.stream(), settings.serverJars().stream())
                .map(jar -> jar.toAbsolutePath().toString())
                .collect(Collectors.joining(File.pathSeparator)));
        command.add(MAIN);
        command.add(Long.toString(ProcessHandle.current().pid()));
        command.add(folder.lock().toString());
        return command;
    }
}
