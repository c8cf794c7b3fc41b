package dev.cassidy.migration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.ResultSet;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.servererrors.InvalidQueryException;
import dev.cassidy.counter.CounterException;
import dev.cassidy.counter.CounterKind;
import dev.cassidy.counter.Counters;
import dev.cassidy.counter.CountersConfig;
import dev.cassidy.counter.CrdtFunctions;
import dev.cassidy.counter.Receipt;
import dev.cassidy.counter.ReceiptStatus;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The fenced blocks of docs/counters.md, executed as they stand there, in the order of the page. */
class CountersPageIT {

    private static final Path ROOT = Path.of("..");
    private static final CountersConfig TRADED = CountersConfig.of("shop.traded");

    @AutoClose
    private static final TargetNode NODE = new TargetNode("cassidy");

    private static CqlSession session;

    @TempDir
    private Path folder;

    private int compiled;

    @BeforeAll
    static void prepare() {
        session = NODE.session();
        // Otherwise each statement that changes the schema waits a second for the driver.
        session.setSchemaMetadataEnabled(false);
        NODE.init();
        NODE.createKeyspace("shop");
    }

    /**
     * How a block is executed and judged.
     *
     * @param words a part of the block by which it is known
     */
    private record Example(String language, String words, Execution execution) {}

    @FunctionalInterface
    private interface Execution {
        void run(String block) throws Exception;
    }

    private List<Example> examples() {
        return List.of(
                new Example("java", "ibm.increment(500)", this::countsOnce),
                new Example("java", "Counters.adopt(", block -> adopts(() -> java(block))),
                new Example("sh", "cassidy counters adopt", block -> adopts(() -> shell(block))),
                new Example("sh", "cassidy counters copy", this::copies),
                new Example("java", "Counters.truncate(", block -> empties(() -> java(block))),
                new Example("sh", "cassidy counters truncate", block -> empties(() -> shell(block))),
                new Example("sh", "cassidy migrate counters", this::moves),
                new Example("java", "CounterKind.LINEARIZABLE", this::opensAnotherKind),
                new Example("sql", "SELECT crdt_sum(increment)", this::sums),
                new Example("sh", "cqlsh ", this::namesTheScript),
                new Example("yaml", "user_defined_functions_enabled", this::hasTheSettings),
                new Example("sql", "ON ALL FUNCTIONS", this::grantsAll),
                new Example("sql", "EXECUTE ON FUNCTION", this::grantsOneByOne),
                new Example("", "-Dcassandra.custom_query_handler_class", this::namesTheQueryHandler),
                new Example("dockerfile", "FROM cassandra", this::namesTheQueryHandler),
                new Example("sql", "crdt_pack_version()", this::isUnknownWithoutTheJar),
                new Example("", "-Dcassidy.query_handler", this::namesTheOptionOfAnotherHandler),
                new Example("sh", "mvn ", this::namesTheTest));
    }

    @Test
    void shouldRunEveryBlock() throws Exception {
        List<ShellPages.Block> blocks = ShellPages.blocks(page());
        List<Example> examples = examples();
        assertThat(blocks)
                .as("each block of the page has an example here that executes and judges it, in this order")
                .zipSatisfy(examples, (block, example) -> {
                    assertThat(block.language()).as(block.text()).isEqualTo(example.language());
                    assertThat(block.text()).contains(example.words());
                });
        for (int i = 0; i < blocks.size(); i++) {
            try {
                examples.get(i).execution().run(blocks.get(i).text());
            } catch (Exception | AssertionError e) {
                throw new AssertionError("docs/counters.md:\n" + blocks.get(i).text(), e);
            }
        }
    }

    private static String page() throws IOException {
        return Files.readString(ROOT.resolve("docs/counters.md"));
    }

    // ---- executed

    private void countsOnce(String block) throws Exception {
        Map<String, Object> seen = java(block);

        assertThat(seen).containsEntry("shares", 500L);
        Receipt receipt = (Receipt) seen.get("receipt");
        assertThat(receipt.toString())
                .matches("\\d+\\.\\d+:" + NODE.datacenter()
                        + "~[0-9a-f]{8}/\\d+:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}:shop\\.traded:IBM");
        String printed = "60393600.17:dc1~5bc52f80/0:5bc52f80-245b-11ee-b0d5-a1e2cd56ef1b:shop.traded:IBM";
        assertThat(page()).contains("`" + printed + "`");
        assertThat(Receipt.parse(printed)).hasToString(printed);
        // What the block says of create.
        assertThat(java(block)).containsEntry("shares", 1000L);
        try (Counters counters = Counters.open(session, TRADED)) {
            assertThat(counters.status(receipt)).isEqualTo(ReceiptStatus.COUNTED);
        }
    }

    /** Of a table that another program has made and written. */
    private static void adopts(Work adoption) throws Exception {
        session.execute("DROP TABLE shop.traded");
        session.execute(Counters.ddl("shop.traded", CounterKind.FOLDED));
        session.execute("INSERT INTO shop.traded (type, actor, version, increment) VALUES ('IBM', 'P1', 1, 500)");
        assertThatThrownBy(() -> Counters.open(session, TRADED))
                .isInstanceOf(CounterException.Unfit.class)
                .hasMessageContaining("cassidy counters adopt --table shop.traded --kind FOLDED");

        adoption.run();

        assertThat(value(TRADED)).isEqualTo(500);
    }

    private void copies(String block) throws Exception {
        session.execute("DROP TABLE shop.traded");
        session.execute("CREATE TABLE shop.counter (type text, actor text, version bigint, increment int,"
                + " PRIMARY KEY (type, actor, version))");
        CountersConfig versioned = TRADED.withKind(CounterKind.VERSIONED).withActor("another");
        for (int version = 1; version <= 2; version++) {
            session.execute("INSERT INTO shop.counter (type, actor, version, increment) VALUES ('IBM', 'P1', " + version
                    + ", " + 500 * version + ")");

            shell(block);

            assertThat(value(versioned)).isEqualTo(500L * version);
        }
        assertThat(session.execute("SELECT DISTINCT type FROM shop.traded").all())
                .extracting(row -> row.getString(0))
                .contains("IBM");
        assertThat(session.execute("SELECT actor FROM shop.traded WHERE type = 'IBM'")
                        .all())
                .extracting(row -> row.getString(0))
                .containsOnly("~copied/P1");
        session.execute("DROP TABLE shop.traded");
        Counters.create(session, TRADED);
    }

    /** While a process has the table open. */
    private static void empties(Work truncation) throws Exception {
        try (Counters counters = Counters.open(session, TRADED)) {
            counters.counter("IBM").increment(500);

            truncation.run();

            assertThat(counters.counter("IBM").value()).isZero();
            counters.counter("IBM").increment(1);
            assertThat(counters.counter("IBM").value()).isEqualTo(1);
        }
        assertThat(session.execute("SELECT increment FROM shop.traded WHERE type = '~cassidy'")
                        .all())
                .extracting(row -> row.getLong(0))
                .containsExactly(0L);
    }

    private void moves(String block) throws Exception {
        session.execute("CREATE TABLE shop.visits (page text PRIMARY KEY, visits counter)");
        session.execute("UPDATE shop.visits SET visits = visits + 41 WHERE page = 'IBM'");
        CountersConfig visited = CountersConfig.of("shop.visited");
        Counters.create(session, visited);

        shell(block);

        assertThat(value(visited)).isEqualTo(41);
    }

    private void opensAnotherKind(String block) throws Exception {
        try (Counters counters = (Counters) java(block).get("counters")) {
            counters.counter("IBM").add(3);
            assertThat(counters.counter("IBM").value()).isEqualTo(3);
        }
    }

    private void sums(String block) {
        try (Counters counters = Counters.open(session, TRADED)) {
            counters.counter("IBM").increment(Long.MAX_VALUE);
        }
        CrdtFunctions.install(session, "shop", List.of("crdt_sum"));

        assertThat(sql(block).all())
                .extracting(row -> row.getBigInteger(0).toString())
                .containsExactly("9223372036854775808");

        // What the page says of Cassandra's own.
        session.execute(
                "INSERT INTO shop.counter (type, actor, version, increment) VALUES ('max', 'P1', 1, 2147483647)");
        session.execute("INSERT INTO shop.counter (type, actor, version, increment) VALUES ('max', 'P1', 2, 1)");
        assertThat(session.execute("SELECT sum(increment) FROM shop.counter WHERE type = 'max'")
                        .one()
                        .getInt(0))
                .isEqualTo(-2147483648);
    }

    /** The node was started with them. */
    private void hasTheSettings(String block) {
        Map<String, String> settings = new HashMap<>();
        block.lines().filter(line -> !line.startsWith("#")).forEach(line -> {
            String[] setting = line.split(": ");
            settings.put(setting[0], setting[1]);
        });
        assertThat(settings).isNotEmpty().allSatisfy((name, value) -> assertThat(
                        session.execute("SELECT value FROM system_views.settings WHERE name = ?", name)
                                .one()
                                .getString(0))
                .as(name)
                .isEqualTo(value));
    }

    private void isUnknownWithoutTheJar(String block) {
        assertThatThrownBy(() -> sql(block))
                .isInstanceOf(InvalidQueryException.class)
                .hasMessageContaining("Unknown function");
        assertThat(CrdtFunctions.nativeFunctions(session)).noneMatch(node -> node.isInstalled());
    }

    // ---- not executed here

    /** There is no cqlsh here. CrdtAggregatesIT loads this script. */
    private void namesTheScript(String block) {
        assertThat(ROOT.resolve(block.strip().replaceAll(".* ", ""))).exists();
    }

    /** This node checks no roles. CrdtFunctionsGrantsIT reads the statements from the page, and executes them. */
    private void grantsAll(String block) {
        assertThat(block.lines()).hasSize(2);
    }

    /** As {@link #grantsAll}. */
    private void grantsOneByOne(String block) {
        assertThat(CrdtFunctions.readerGrants("shop", "reader", "crdt_sum"))
                .containsAll(
                        block.lines().map(line -> line.replaceAll(";$", "")).toList());
    }

    /** It would be a node, or an image, of its own. CrdtAggregatesIT starts a node with this option. */
    private void namesTheQueryHandler(String block) {
        String name = block.replaceAll("(?s).*-Dcassandra.custom_query_handler_class=([\\w.]+).*", "$1");
        assertThat(udf("main", name)).exists();
    }

    /** It would be a node of its own. CrdtQueryHandlerIT starts one with another handler. */
    private void namesTheOptionOfAnotherHandler(String block) {
        assertThat(udf("main", "dev.cassidy.server.CrdtQueryHandler"))
                .content()
                .contains('"' + block.replaceAll("(?s)-D(.*)=.*", "$1") + '"');
    }

    /** It would be a build within the build, and writes into the sources. */
    private void namesTheTest(String block) {
        String[] test = block.replaceAll("(?s).*-Dtest='(.*?)'.*", "$1").split("#");
        assertThat(udf("test", "dev.cassidy.functions." + test[0]))
                .content()
                .contains("void " + test[1] + "(", block.replaceAll("(?s).*-D(crdt\\.\\w+)=.*", "$1"));
    }

    private static Path udf(String sources, String className) {
        return ROOT.resolve("cassandra-udf/src/" + sources + "/java/" + className.replace('.', '/') + ".java");
    }

    // ---- how

    @FunctionalInterface
    private interface Work {
        void run() throws Exception;
    }

    private static long value(CountersConfig config) {
        try (Counters counters = Counters.open(session, config)) {
            if (config.kind() == CounterKind.FOLDED) {
                counters.counter("IBM").fold();
            }
            return counters.counter("IBM").value();
        }
    }

    private static ResultSet sql(String block) {
        return session.execute(SimpleStatement.newInstance(block).setKeyspace("shop"));
    }

    /** Runs what a block gives to {@code cassidy}, with this node in place of the page's. Whoever is asked says yes. */
    private void shell(String block) throws Exception {
        List<List<String>> calls = ShellText.calls("sh", folder, block);
        assertThat(calls).hasSize(1);
        List<String> words = calls.get(0).stream()
                .map(word -> word.equals("10.0.0.1:9042") ? NODE.contactPoint() : word)
                .map(word -> word.equals("dc1") ? NODE.datacenter() : word)
                .toList();
        assertThat(words).contains(NODE.contactPoint());
        ToolRun run = ToolRun.of(Map.of(), ToolRun.answering("y"), words);
        assertThat(run.exitCode()).as(run.out() + run.err()).isZero();
    }

    /** Compiles and runs statements that are given {@code session}, and returns what they have declared. */
    private Map<String, Object> java(String block) throws Exception {
        String name = "Example" + ++compiled;
        Path source = Files.writeString(folder.resolve(name + ".java"), """
                import com.datastax.oss.driver.api.core.CqlSession;
                import dev.cassidy.counter.*;

                public class %s {
                    public static void run(CqlSession session, java.util.Map<String, Object> seen) {
                %s
                    }
                }
                """.formatted(
                        name, block.replaceAll("(?m)^ *\\w+ (\\w+) = [^/\\n]*;.*$", "$0\nseen.put(\"$1\", $1);")));
        int errors = ToolProvider.getSystemJavaCompiler()
                .run(
                        null,
                        null,
                        null,
                        "-proc:none",
                        "-cp",
                        System.getProperty("java.class.path"),
                        "-d",
                        folder.toString(),
                        source.toString());
        assertThat(errors).as("javac; its messages are in the standard error").isZero();
        Map<String, Object> seen = new HashMap<>();
        try (URLClassLoader loader = new URLClassLoader(
                new URL[] {folder.toUri().toURL()}, getClass().getClassLoader())) {
            loader.loadClass(name).getMethod("run", CqlSession.class, Map.class).invoke(null, session, seen);
        }
        return seen;
    }
}
