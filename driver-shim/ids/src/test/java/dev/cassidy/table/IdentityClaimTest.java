package dev.cassidy.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import com.datastax.oss.driver.api.core.uuid.Uuids;
import dev.cassidy.definition.TableDefinition;
import dev.cassidy.sequence.IdentityColumn;
import dev.cassidy.sequence.SequenceException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.IntUnaryOperator;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Processes of two installations register one table. Each look and each change is one step, and any process may go next, or never. */
class IdentityClaimTest {

    private static final TableName TABLE = new TableName("shop", "album");
    private static final IdentityColumn IDENTITY = new IdentityColumn("shop", "album", "id", "shop.album");

    private static final ContractChanges.Step REGISTER = contract -> contract.claiming(IDENTITY);

    private record Step(int process, String installation, String does, Object answer) {}

    /** The contracts of both installations, and what processes wait for. */
    private static final class World {

        private final Map<String, TableContract> contracts = new HashMap<>(Map.of(
                "one", TableContract.none("shop", "album"),
                "two", TableContract.none("shop", "album")));
        private final List<Process> processes = new ArrayList<>();
        private final List<Step> steps = new ArrayList<>();

        World with(String... installations) {
            for (String each : installations) {
                processes.add(new Process(this, each, processes.size(), REGISTER));
            }
            return this;
        }

        void withCreateTable(String installation) {
            TableDeclaration declaration = new TableDeclaration(
                    "shop",
                    "album",
                    new TableDefinition(Uuids.timeBased(), List.of(), List.of()),
                    IDENTITY,
                    List.of(new ColumnDefault("shop", "album", "n", "df_n", ColumnDefault.Kind.CONSTANT, "1", "(1)")));
            processes.add(
                    new Process(this, installation, processes.size(), contract -> contract.declared(declaration)));
        }

        private List<Process> waiting() {
            return processes.stream().filter(each -> each.step != null).toList();
        }

        /** @param choice of a number of processes that wait, which goes next */
        void run(IntUnaryOperator choice) {
            for (List<Process> all = waiting(); !all.isEmpty(); all = waiting()) {
                all.get(choice.applyAsInt(all.size())).goOn();
                requireSafe();
            }
        }

        /** In each state, since in each of them processes may end. */
        private void requireSafe() {
            boolean one = numbered("one");
            boolean two = numbered("two");
            if (one && two) {
                fail("both number it: " + steps);
            }
            for (Process each : processes) {
                if (each.isAcknowledged() && !(each.installation.equals("one") ? one : two)) {
                    fail("process " + each.number + " was told that it is registered: " + steps);
                }
            }
        }

        boolean numbered(String installation) {
            return IDENTITY.equals(contracts.get(installation).identity());
        }

        /** Returns whether a process that nobody disturbs registers the table. */
        boolean registers(String installation) {
            Process process = new Process(this, installation, processes.size(), REGISTER);
            processes.add(process);
            while (process.step != null) {
                process.goOn();
            }
            requireSafe();
            return process.isAcknowledged();
        }
    }

    private static final class Process implements IdentityClaim.Store {

        private final World world;
        private final String installation;
        private final int number;
        private final CompletableFuture<TableContract> result;
        private @Nullable Runnable step;

        Process(World world, String installation, int number, ContractChanges.Step claim) {
            this.world = world;
            this.installation = installation;
            this.number = number;
            this.result =
                    new IdentityClaim(TABLE, installation, this).make(claim).toCompletableFuture();
        }

        void goOn() {
            Runnable next = step;
            step = null;
            next.run();
        }

        boolean isAcknowledged() {
            return result.isDone() && !result.isCompletedExceptionally();
        }

        private <T> CompletionStage<T> later(String what, Supplier<T> look) {
            CompletableFuture<T> answer = new CompletableFuture<>();
            step = () -> {
                T found = look.get();
                world.steps.add(new Step(number, installation, what, found));
                answer.complete(found);
            };
            return answer;
        }

        @Override
        public CompletionStage<Optional<ForeignContract>> ofAnother() {
            String other = installation.equals("one") ? "two" : "one";
            return later("looks", () -> Optional.of(world.contracts.get(other))
                    .map(found -> new ForeignContract(
                            other,
                            found.identity() != null,
                            found.claim() != null,
                            !found.defaults().isEmpty()))
                    .filter(found -> found.binds() || found.claims()));
        }

        @Override
        public CompletionStage<TableContract> change(ContractChanges.Telling telling, ContractChanges.Step step) {
            return later("changes", () -> {
                world.contracts.computeIfPresent(
                        installation, (key, found) -> step.next(found).orElse(found));
                return world.contracts.get(installation);
            });
        }
    }

    /** Runs every schedule: the choices of the last one, with the last one that can be raised raised by one. */
    private static int everySchedule(Supplier<World> worlds) {
        List<Integer> choices = new ArrayList<>();
        int schedules = 0;
        while (true) {
            List<Integer> sizes = new ArrayList<>();
            World world = worlds.get();
            world.run(size -> {
                if (sizes.size() == choices.size()) {
                    choices.add(0);
                }
                sizes.add(size);
                return choices.get(sizes.size() - 1);
            });
            requireEnds(world);
            schedules++;
            int last = choices.size() - 1;
            while (last >= 0 && choices.get(last) + 1 == sizes.get(last)) {
                choices.remove(last--);
            }
            if (last < 0) {
                return schedules;
            }
            choices.set(last, choices.get(last) + 1);
        }
    }

    private static void requireEnds(World world) {
        for (Process each : world.processes) {
            if (!each.isAcknowledged()) {
                assertThat(failure(each)).isInstanceOf(SequenceException.class);
            }
        }
        // Whatever was left, the second one that asks again gets an installation to number the table.
        boolean one = world.registers("one");
        boolean two = world.registers("two");
        assertThat(world.registers("one")).as("%s", world.steps).isEqualTo(!two);
        assertThat(one && two).isFalse();
        assertThat(world.numbered("one") || world.numbered("two")).isTrue();
    }

    private static Throwable failure(Process process) {
        try {
            process.result.join();
            return new AssertionError("was acknowledged");
        } catch (CompletionException e) {
            return e.getCause();
        }
    }

    @Test
    void shouldLeaveATableToOneInstallationInEverySchedule() {
        assertThat(everySchedule(() -> new World().with("one", "two"))).isGreaterThan(60);
        assertThat(everySchedule(() -> new World().with("one", "one", "two"))).isGreaterThan(10_000);
    }

    /** Some processes end before they are done, others come later, and others change the contract meanwhile. */
    @Test
    void shouldLeaveATableToOneInstallationWhereProcessesEndAndCome() {
        for (int seed = 0; seed < 20_000; seed++) {
            Random random = new Random(seed);
            World world = new World().with("one", "one", "two", "two");
            int late = random.nextInt(4);
            // What waits then has ended, or stands still and continues much later.
            boolean over = false;
            while (!over && !world.waiting().isEmpty()) {
                List<Process> waiting = world.waiting();
                waiting.get(random.nextInt(waiting.size())).goOn();
                world.requireSafe();
                if (random.nextInt(8) == 0) {
                    String installation = random.nextBoolean() ? "one" : "two";
                    // It binds nobody: no table has that id.
                    world.contracts.computeIfPresent(
                            installation,
                            (key, found) -> found.pending()
                                    ? found
                                    : found.adopted(new TableDefinition(UUID.randomUUID(), List.of(), List.of()))
                                            .orElseThrow());
                }
                if (random.nextInt(10) == 0 && late-- > 0) {
                    String installation = random.nextBoolean() ? "one" : "two";
                    if (random.nextBoolean()) {
                        world.with(installation);
                    } else {
                        world.withCreateTable(installation);
                    }
                }
                over = random.nextInt(25) == 0;
            }
            List<Process> still = world.waiting();
            boolean one = world.registers("one");
            boolean two = world.registers("two");
            boolean again = world.registers("one");
            assertThat(again).as("seed %s: %s", seed, world.steps).isEqualTo(!two);
            assertThat(one && two).isFalse();
            assertThat(world.numbered("one") || world.numbered("two")).isTrue();
            while (!world.waiting().isEmpty()) {
                still.stream()
                        .filter(each -> each.step != null)
                        .findAny()
                        .orElseThrow()
                        .goOn();
                world.requireSafe();
            }
        }
    }
}
