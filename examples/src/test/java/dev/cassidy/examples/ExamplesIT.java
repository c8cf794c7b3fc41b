package dev.cassidy.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.cassidy.embedded.EmbeddedCassandra;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class ExamplesIT {

    private static ExampleCluster cluster;

    private interface Example {
        void run(ExampleCluster cluster, PrintStream out) throws Exception;
    }

    @BeforeAll
    static void connect() {
        EmbeddedCassandra node = EmbeddedCassandra.shared();
        cluster = ExampleCluster.of(node.host() + ":" + node.port(), node.localDatacenter());
    }

    @Test
    void shouldInsertAndReadByJdbc() throws Exception {
        assertThat(lines(JdbcExample::run))
                .startsWith("one row: id 1", "a batch: id 2", "a batch: id 3", "SCOPE_IDENTITY(): id 4")
                .contains("note 1: buy milk", "note 2: buy bread", "note 3: buy tea", "note 4: call home")
                .hasSize(8);
    }

    @Test
    void shouldInsertAndReadBySpring() throws Exception {
        assertThat(lines(SpringExample::run))
                .containsExactly("KeyHolder: id 1", "SimpleJdbcInsert: id 2", "book 2: Persuasion");
    }

    @Test
    void shouldAllocateWithoutTables() throws Exception {
        List<String> lines = lines(SequencesExample::run);
        assertThat(lines).startsWith("one: 1000", "the next: 1010").contains("without blocking: 1070");
        assertThat(lines.get(4)).matches("10000 more took [0-9]{1,3} LWTs");
    }

    @Test
    void shouldInsertAndReadByTheDriversSession() throws Exception {
        assertThat(lines(IdentitySessionExample::run))
                .startsWith("an insert: ids [1]", "a batch: ids [2, 3]", "without blocking: ids [4]")
                .contains("song 1: Blackbird", "song 2: Michelle", "song 3: Yesterday", "song 4: Help!")
                .hasSize(7);
    }

    @Test
    void shouldSumOnTheServer() throws Exception {
        assertThat(lines(CrdtSumExample::run)).containsExactly("IBM: 2000", "IBM, the last one sent again: 2000");
    }

    @Test
    void shouldCountOnce() throws Exception {
        assertThat(lines(CountersExample::run))
                .containsExactly("/home: 5", "the first increment is COUNTED", "/home, folded: 5");
    }

    @Test
    void shouldPrintTheUsageWhenTheCommandLineIsWrong() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ExampleCluster.of("127.0.0.1"))
                .withMessage("must be nothing, for an embedded node, or: host:port datacenter; got 127.0.0.1");
    }

    private static List<String> lines(Example example) throws Exception {
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        example.run(cluster, new PrintStream(text, true, StandardCharsets.UTF_8));
        return text.toString(StandardCharsets.UTF_8).lines().toList();
    }
}
