package dev.cassidy.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.CqlSession;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

class EmbeddedCassandraIT {
    private static EmbeddedCassandra node;
    private static CqlSession session;

    @BeforeAll
    static void connect() {
        node = EmbeddedCassandra.shared();
        session = Cql.connect(node);
    }

    @AfterAll
    static void disconnect() {
        session.close();
    }

    @Test
    void shouldBeARealCassandraInItsDatacenter() {
        var local = session.execute("SELECT release_version, data_center FROM system.local")
                .one();

        assertThat(local.getString(0)).startsWith("5.0.");
        assertThat(local.getString(1)).isEqualTo("dc1").isEqualTo(node.localDatacenter());
    }

    @Test
    void shouldBeSharedWithinTheJvm() {
        assertThat(EmbeddedCassandra.shared()).isSameAs(node);
    }

    @Test
    void shouldRunFunctionsAndLinearizablePaxosOnADurableLog() {
        assertThat(setting("commitlog_sync")).isEqualTo("batch");
        assertThat(setting("paxos_variant")).isEqualTo("v2");
        assertThat(setting("user_defined_functions_enabled")).isEqualTo("true");
        assertThat(setting("user_function_timeout_policy")).isEqualTo("ignore");
    }

    @Test
    void shouldWriteMemtablesToDiskWhenItIsFlushed() throws IOException {
        session.execute("CREATE KEYSPACE flushed WITH replication = {'class': 'NetworkTopologyStrategy', 'dc1': 1}");
        session.execute("CREATE TABLE flushed.rows (id int PRIMARY KEY)");
        session.execute("INSERT INTO flushed.rows (id) VALUES (1)");
        assertThat(dataFiles("flushed")).isEmpty();

        node.flush();

        assertThat(dataFiles("flushed")).hasSize(1);
        session.execute("INSERT INTO flushed.rows (id) VALUES (2)");
        node.flush();
        assertThat(dataFiles("flushed")).hasSize(2);
    }

    /** It starts once: its commit log is empty, so a DROP has no table to flush. */
    @Test
    void shouldFlushNoTableWhenAnotherOneIsDropped() throws IOException {
        session.execute("CREATE KEYSPACE dropped WITH replication = {'class': 'NetworkTopologyStrategy', 'dc1': 1}");
        session.execute("CREATE TABLE dropped.kept (id int PRIMARY KEY)");
        session.execute("CREATE TABLE dropped.gone (id int PRIMARY KEY)");
        session.execute("INSERT INTO dropped.kept (id) VALUES (1)");

        session.execute("DROP TABLE dropped.gone");

        assertThat(dataFiles("dropped")).isEmpty();
        assertThat(session.execute("SELECT id FROM dropped.kept").all()).hasSize(1);
    }

    private static List<Path> dataFiles(String keyspace) throws IOException {
        Path data = node.logFile().getParent().resolveSibling("data").resolve(keyspace);
        try (Stream<Path> files = Files.walk(data)) {
            return files.filter(file -> file.toString().endsWith("-Data.db")).toList();
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void shouldListenOnLoopbackOnly() throws IOException {
        assertThat(listeners(node.pid()))
                .as("CQL and storage; no JMX")
                .hasSize(2)
                // Addresses are little-endian words: 7F00... is written ...007F.
                .allMatch(address -> address.endsWith("0100007F"));
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void shouldNotPinItsHeapInMemory() throws IOException {
        assertThat(Files.readAllLines(Path.of("/proc/" + node.pid() + "/status")))
                .contains("VmLck:\t       0 kB");
    }

    private static String setting(String name) {
        return session.execute("SELECT value FROM system_views.settings WHERE name = ?", name)
                .one()
                .getString(0);
    }

    /** Returns the local addresses, in the kernel's hexadecimal form, of the sockets on which the process listens. */
    private static List<String> listeners(long pid) throws IOException {
        Set<String> inodes;
        try (Stream<Path> descriptors = Files.list(Path.of("/proc/" + pid + "/fd"))) {
            inodes = descriptors
                    .map(EmbeddedCassandraIT::target)
                    .filter(target -> target.startsWith("socket:["))
                    .map(target -> target.substring("socket:[".length(), target.length() - 1))
                    .collect(Collectors.toSet());
        }
        return Stream.of("tcp", "tcp6")
                .flatMap(table -> lines("/proc/" + pid + "/net/" + table))
                .map(line -> line.strip().split("\\s+"))
                .filter(columns -> columns[3].equals("0A") && inodes.contains(columns[9]))
                .map(columns -> columns[1].replaceFirst(":.*", ""))
                .toList();
    }

    private static Stream<String> lines(String file) {
        try {
            return Files.readAllLines(Path.of(file)).stream().skip(1);
        } catch (IOException e) {
            return Stream.empty();
        }
    }

    private static String target(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString();
        } catch (IOException e) {
            return "closed meanwhile";
        }
    }
}
