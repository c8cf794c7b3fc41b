package dev.cassidy.migration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.sequence.cassandra.Sequences;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** A source and a Cassandra, and what tests do with them. Each test has its own target keyspace. */
interface Migrating {

    String A = "[dbo].[Aardvark]";
    String Z = "[dbo].[Zebra]";

    TargetNode node();

    SourceDatabase source();

    String keyspace();

    default ToolRun cassandra(String command, String... rest) {
        return ToolRun.of(Map.of(), null, ToolRun.join(command, node().arguments(), rest));
    }

    default ToolRun run(Terminal terminal, String command, String... rest) {
        List<String> all = ToolRun.join(command, node().arguments(), rest);
        all.addAll(source().arguments());
        all.addAll(List.of("--keyspace", keyspace(), "--output", "json"));
        return ToolRun.of(source().environment(), terminal, all);
    }

    default ToolRun seed(String... rest) {
        return run(
                null,
                "migrate seed",
                ToolRun.join("--offline", List.of("--yes"), rest).toArray(String[]::new));
    }

    default ToolRun succeed(ToolRun run) {
        assertThat(run.exitCode()).as(run.out() + run.err()).isZero();
        return run;
    }

    default void assertExit(ToolRun run, ExitCode code, String... fragments) {
        assertThat(run.exitCode()).as(run.out() + run.err()).isEqualTo(code.code());
        for (String fragment : fragments) {
            assertThat(run.out() + run.err()).contains(fragment);
        }
    }

    /** Issues the next id of a sequence as a new client would, and returns it. */
    default long nextId(String table) {
        try (Sequences sequences = Sequences.open(node().session(), node().config())) {
            return sequences.allocator(keyspace() + "." + table).nextLong();
        }
    }

    default boolean exists(String table) {
        try (Sequences sequences = Sequences.open(node().session(), node().config())) {
            return sequences.admin().find(keyspace() + "." + table).isPresent();
        }
    }

    /** Puts a fence at 8 before ids 1 to 3. */
    default List<String> fenceAtEight() {
        source().createTable(A, "INT", 1, 1);
        source().insert(A, 3);
        List<String> fence =
                ToolRun.join("migrate fence", source().arguments(), "--include", "dbo.Aardvark", "--margin", "5");
        fence.addAll(List.of("--apply", "--yes"));
        succeed(ToolRun.of(source().environment(), null, fence));
        return fence;
    }

    default ToolRun seedPlan(Path plan, String... rest) {
        List<String> all = ToolRun.join("migrate seed", node().arguments(), rest);
        all.addAll(source().arguments());
        all.addAll(List.of("--offline", "--yes", "--output", "json", "--plan", plan.toString()));
        return ToolRun.of(source().environment(), null, all);
    }
}
