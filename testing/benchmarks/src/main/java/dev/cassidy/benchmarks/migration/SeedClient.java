package dev.cassidy.benchmarks.migration;

import com.sun.management.OperatingSystemMXBean;
import dev.cassidy.migration.MigrationTool;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Plans and seeds, as two commands do: {@code PLAN-FILE PARALLELISM ARGUMENTS}, of which the arguments name both systems. Prints
 * the line {@code cpu NANOSECONDS}, the CPU time of this JVM.
 */
final class SeedClient {

    private SeedClient() {}

    public static void main(String[] arguments) {
        System.exit(run(arguments, System.out, System.err));
    }

    private static int run(String[] arguments, PrintStream out, PrintStream err) {
        Path plan = Path.of(arguments[0]);
        List<String> systems = List.of(arguments).subList(2, arguments.length);
        List<String> planning =
                new ArrayList<>(List.of("migrate", "plan", "--keyspace", "seed_race", "--plan", plan.toString()));
        List<String> seeding =
                new ArrayList<>(List.of("migrate", "seed", "--offline", "--yes", "--plan", plan.toString()));
        for (List<String> command : List.of(planning, seeding)) {
            command.addAll(systems);
            command.addAll(List.of("--parallelism", arguments[1]));
            ByteArrayOutputStream said = new ByteArrayOutputStream();
            ByteArrayOutputStream errors = new ByteArrayOutputStream();
            int code = new MigrationTool(
                            new PrintStream(said, true, StandardCharsets.UTF_8),
                            new PrintStream(errors, true, StandardCharsets.UTF_8),
                            Map.of("SOURCE_PASSWORD", ""),
                            Optional.empty())
                    .run(command.toArray(String[]::new));
            if (code != 0) {
                err.println(errors.toString(StandardCharsets.UTF_8) + said.toString(StandardCharsets.UTF_8));
                return code;
            }
        }
        OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        out.println("cpu " + system.getProcessCpuTime());
        return 0;
    }
}
