package dev.cassidy.migration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cassidy.migration.error.ExitCode;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Sequences that continue after the fence of a source that still inserts. */
interface FencedSeedTests extends Migrating {

    @Test
    default void shouldContinueBehindAFenceWhileTheSourceInserts() {
        source().createTable(A, "INT", 1, 1);
        source().insert(A, 3);
        List<String> fence =
                ToolRun.join("migrate fence", source().arguments(), "--include", "dbo.Aardvark", "--margin", "5");
        fence.addAll(List.of("--apply", "--yes"));
        assertExit(run(null, "migrate seed", "--yes"), ExitCode.REFUSED, "dbo.Aardvark.id has no fence");
        succeed(ToolRun.of(source().environment(), null, fence));
        source().insert(A, 2);

        assertThat(succeed(run(ToolRun.meanwhile(() -> source().insert(A, 1)), "migrate seed"))
                        .tables("basis"))
                .containsOnly(Map.entry("dbo.Aardvark", "fence"));
        assertThat(nextId("aardvark")).isEqualTo(9);
        source().insert(A, 2);
        assertThatThrownBy(() -> source().insert(A, 1)).hasStackTraceContaining("fence");
        assertThatThrownBy(() -> source().insert(A, 1)).hasStackTraceContaining("fence");

        succeed(run(null, "migrate verify"));
        assertThat(succeed(run(null, "migrate seed", "--yes")).tables("result"))
                .containsOnly(Map.entry("dbo.Aardvark", "unchanged"));
        assertThat(nextId("aardvark")).isGreaterThan(9);
    }

    @Test
    default void shouldContinueAfterTheFenceOfASourceThatHasStopped(@TempDir Path folder) {
        fenceAtEight();
        Path plan = folder.resolve("plan.json");
        assertThat(succeed(run(null, "migrate plan", "--plan", plan.toString())).tables("next"))
                .containsOnly(Map.entry("dbo.Aardvark", "9"));

        assertThat(succeed(seedPlan(plan)).tables("basis")).containsOnly(Map.entry("dbo.Aardvark", "fence"));

        assertThat(nextId("aardvark")).isEqualTo(9);
    }

    @Test
    default void shouldNotVerifyASourceThatLostItsFence() {
        List<String> fence = fenceAtEight();
        succeed(run(null, "migrate seed", "--yes"));
        succeed(run(null, "migrate verify", "--require-fence"));
        fence.add("--remove");
        succeed(ToolRun.of(source().environment(), null, fence));

        ToolRun run = run(null, "migrate verify", "--require-fence");

        assertExit(run, ExitCode.RISK, "dbo.Aardvark.id has no fence");
        assertThat(run.tables("result")).containsOnly(Map.entry("dbo.Aardvark", "unfenced"));
        succeed(run(null, "migrate verify"));
    }

    @Test
    default void shouldNotSeedIfTheFenceIsRemovedMeanwhile() {
        source().createTable(A, "INT", 1, 1);
        source().insert(A, 3);
        List<String> fence =
                ToolRun.join("migrate fence", source().arguments(), "--include", "dbo.Aardvark", "--margin", "5");
        fence.addAll(List.of("--apply", "--yes"));
        succeed(ToolRun.of(source().environment(), null, fence));

        ToolRun run = run(
                ToolRun.meanwhile(() -> {
                    fence.add("--remove");
                    succeed(ToolRun.of(source().environment(), null, fence));
                }),
                "migrate seed");

        assertExit(run, ExitCode.REFUSED, "dbo.Aardvark.id has no fence");
        assertThat(exists("aardvark")).isFalse();
    }

    /** A row that came before the fence stood, or past it. */
    @Test
    default void shouldNotSeedIfARowLiesBeyondTheFence() {
        source().createTable(A, "INT", 1, 1);
        source().insert(A, 3);
        List<String> fence =
                ToolRun.join("migrate fence", source().arguments(), "--include", "dbo.Aardvark", "--margin", "5");
        fence.add("--apply");
        assertExit(
                ToolRun.of(source().environment(), ToolRun.meanwhile(() -> source().insertWithId(A, 100)), fence),
                ExitCode.RISK,
                "id 100 lies beyond the fence");

        assertExit(run(null, "migrate seed", "--yes"), ExitCode.RISK, "dbo.Aardvark.id has id 100 beyond its fence 8");

        assertThat(exists("aardvark")).isFalse();
    }
}
