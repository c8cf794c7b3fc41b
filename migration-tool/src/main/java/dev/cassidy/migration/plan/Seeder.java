package dev.cassidy.migration.plan;

import com.datastax.oss.driver.api.core.DriverException;
import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.migration.error.Finding;
import dev.cassidy.migration.error.MigrationException;
import dev.cassidy.migration.error.Pause;
import dev.cassidy.migration.source.Reading;
import dev.cassidy.migration.source.Source;
import dev.cassidy.migration.target.Target;
import dev.cassidy.migration.target.TargetTable;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.cassandra.InternalAccess;
import dev.cassidy.sequence.cassandra.SequenceState;
import dev.cassidy.sequence.cassandra.Sequences;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/**
 * Seeds the sequences of a source that has stopped, or that inserts within fences.
 *
 * <p>The order matters. Everything that can be refused is refused before the first write. Sequences are created unready
 * and columns registered before any sequence is made ready, so that a conflict with another run or user shows while no
 * id can be issued. The source is read a second time right before the first write, and a third time after everything.
 * What fails after the first write ends in the result, which says what was written, and not in an exception.
 */
public final class Seeder {

    /**
     * What was done.
     *
     * @param tables in the plan's order
     */
    public record Result(ExitCode exitCode, List<TableReport> tables) {}

    /** A process that runs has noticed a raise by then. */
    private static final int WATCH_INTERVALS = 3;

    private static final int LOOKS = 4;

    private static final Set<String> WRITTEN = Set.of("registered", "seeded", "raised");

    private final Selection selection;
    private final Source source;
    private final Target target;
    private final boolean fenced;
    private final Consumer<String> progress;
    private final LongConsumer confirm;
    private final int parallelism;
    private final Map<PlannedTable, String> results = new ConcurrentHashMap<>();
    private final Map<PlannedTable, List<Finding>> found = new ConcurrentHashMap<>();
    private final Map<PlannedTable, SequenceState> after = new ConcurrentHashMap<>();
    private final Set<PlannedTable> stillHeld = ConcurrentHashMap.newKeySet();
    private volatile boolean partial;

    /**
     * Prepares a seeding; nothing is read before {@link #seed}.
     *
     * @param fenced whether the source still inserts, so that every column needs a fence
     * @param confirm receives the number of sequences that will be written, and throws to refuse
     * @param parallelism how many sequences are written at once, at least 1
     */
    public Seeder(
            Selection selection,
            Source source,
            Target target,
            boolean fenced,
            Consumer<String> progress,
            LongConsumer confirm,
            int parallelism) {
        this.selection = selection;
        this.source = source;
        this.target = target;
        this.fenced = fenced;
        this.progress = progress;
        this.confirm = confirm;
        this.parallelism = parallelism;
    }

    /**
     * Seeds.
     *
     * @param dryRun whether to write nothing
     * @param agreed throws if what is found now is not what was agreed on
     * @throws MigrationException before the first write, or if the thread was interrupted
     */
    public Result seed(boolean dryRun, Consumer<List<PlannedTable>> agreed) {
        List<Reading> before = look();
        List<PlannedTable> plan = new Planner(selection, target, parallelism).plan(before);
        agreed.accept(plan);
        if (plan.stream().anyMatch(table -> table.has(Finding.Level.REFUSED))) {
            return result(plan, ExitCode.REFUSED);
        }
        if (dryRun) {
            target.missing()
                    .ifPresent(why -> progress.accept(
                            "Cassidy's keyspaces are missing: " + why.problem() + ". Run cassidy init first"));
            return result(plan, risk(plan) ? ExitCode.RISK : ExitCode.OK);
        }
        List<PlannedTable> pending = plan.stream().filter(Seeder::pending).toList();
        plan.stream().filter(table -> !pending(table)).forEach(table -> results.put(table, "unchanged"));
        Sequences sequences = target.sequences();
        if (!pending.isEmpty()) {
            confirm.accept(pending.size());
        }
        MigrationException.throwIfInterrupted();
        requireAtRest(before, look());

        Optional<ExitCode> failure = write(sequences, pending);
        if (failure.isPresent()) {
            stillHeld.forEach(table -> find(
                    table,
                    Finding.risk("raised, but not waited for: processes may still issue ids from before the raise;"
                            + " run cassidy migrate seed again")));
            return result(plan, failure.get());
        }
        afterwards(plan, "it is not known whether processes hold older ids", () -> letGo(sequences, plan));
        afterwards(plan, "the sequences could not be read back", () -> readBack(plan, before));
        afterwards(plan, "the last check of the source failed", () -> {
            List<Reading> now = look();
            if (!now.equals(before)) {
                plan.forEach(table -> changes(table, now));
            }
        });
        return result(plan, risk(plan) ? ExitCode.RISK : ExitCode.OK);
    }

    /** A column with a fence reads the same each time, as in a plan; the others do so at rest. */
    private List<Reading> look() {
        return Fences.read(source, selection, fenced);
    }

    /** Runs a check that follows the writes. Where it fails, ids may collide without a sign of it. */
    private void afterwards(List<PlannedTable> plan, String failure, Runnable check) {
        try {
            check.run();
        } catch (MigrationException | SequenceException | DriverException e) {
            if (ExitCode.of(e) == ExitCode.INTERRUPTED) {
                throw e;
            }
            plan.forEach(table -> find(
                    table,
                    Finding.risk(failure + ": " + e.getMessage()
                            + ". What was written stays: see the results, correct this, and run"
                            + " cassidy migrate seed again")));
        }
    }

    private static void requireAtRest(List<Reading> before, List<Reading> now) {
        if (!now.equals(before)) {
            List<String> moved = new ArrayList<>();
            now.stream().filter(reading -> !before.contains(reading)).forEach(reading -> moved.add(describe(reading)));
            throw new MigrationException(
                    ExitCode.RISK,
                    "the source is not at rest: between two readings it changed to " + moved
                            + ". Nothing was written. Stop what inserts there, then run again");
        }
    }

    private void changes(PlannedTable table, List<Reading> after) {
        if (!after.contains(table.reading())) {
            String now = after.stream()
                    .filter(reading -> reading.column().equals(table.reading().column()))
                    .map(Seeder::describe)
                    .findFirst()
                    .orElse("gone");
            find(
                    table,
                    Finding.risk(
                            "the source changed while it was seeded: was " + describe(table.reading()) + ", is " + now
                                    + ". Stop what inserts there and run cassidy migrate seed again before"
                                    + " Cassandra issues ids"));
        }
    }

    private static String describe(Reading reading) {
        return reading.column().qualifiedTable() + " (furthest " + reading.furthest() + ", last value "
                + reading.lastValue() + ")";
    }

    /** Returns why not everything was written. */
    private Optional<ExitCode> write(Sequences sequences, List<PlannedTable> pending) {
        pending.forEach(table -> results.put(table, "not_tried"));
        try {
            for (Step step : List.<Step>of(this::register, this::raise)) {
                new Steps(parallelism).forEach(pending, table -> {
                    try {
                        step.run(sequences, table);
                    } catch (SequenceException | DriverException e) {
                        String before = results.put(table, "failed");
                        find(table, Finding.risk(String.valueOf(e.getMessage())));
                        if ("registered".equals(before)) {
                            partial = true;
                        }
                        throw e;
                    }
                });
            }
            return Optional.empty();
        } catch (SequenceException | DriverException e) {
            partial |= results.values().stream().anyMatch(WRITTEN::contains);
            return Optional.of(partial ? ExitCode.PARTIAL : ExitCode.of(e));
        }
    }

    private interface Step {
        void run(Sequences sequences, PlannedTable table);
    }

    private void register(Sequences sequences, PlannedTable table) {
        TargetTable to = Objects.requireNonNull(table.target());
        if (table.action() == PlannedTable.Action.CREATE) {
            SequenceSpec spec = ((Seed.Next) table.seed()).spec(to.sequence());
            if (to.hasColumn()) {
                sequences.admin().register(spec, to.identityColumn());
            } else {
                sequences.admin().register(spec);
            }
        } else if (to.hasColumn()) {
            InternalAccess.tables(sequences).registerIdentityAhead(to.identityColumn());
        }
        results.put(table, "registered");
    }

    private void raise(Sequences sequences, PlannedTable table) {
        if (table.action() == PlannedTable.Action.REGISTER) {
            return;
        }
        TargetTable to = Objects.requireNonNull(table.target());
        long next = Objects.requireNonNull(table.next());
        progress.accept("seeding " + to.sequence() + " at " + next);
        boolean raised = seed(sequences, table, Duration.ZERO, behind -> stillHeld.add(table));
        results.put(
                table,
                switch (table.action()) {
                    case RAISE -> "raised";
                    case NONE -> raised ? "raised" : "unchanged";
                    default -> "seeded";
                });
    }

    /**
     * Seeds, and waits until no process holds ids from before it.
     *
     * @param most how long to wait at most
     * @param held is called if a process still holds some then
     * @return whether the sequence was raised, by this or by another run, since it was planned
     */
    private boolean seed(
            Sequences sequences, PlannedTable table, Duration most, Consumer<SequenceException.NotAcknowledged> held) {
        SequenceState before = table.state();
        TargetTable to = Objects.requireNonNull(table.target());
        Optional<SequenceState> now;
        try {
            now = Optional.of(sequences.admin().seed(to.sequence(), Objects.requireNonNull(table.next()), most));
        } catch (SequenceException.NotAcknowledged behind) {
            held.accept(behind);
            now = target.state(to);
        }
        return now.map(state -> before == null || state.incarnation() != before.incarnation())
                .orElse(false);
    }

    /**
     * A sequence that was granted its next id, and issued ids that the source used, may be held by processes before its next
     * id: they would go on to issue those.
     */
    private static boolean pending(PlannedTable table) {
        return table.pending() || (table.action() == PlannedTable.Action.NONE && table.has(Finding.Level.RISK));
    }

    /**
     * Waits for the processes that hold ids from before a raise, of all sequences together. Also where another run raised: that
     * run may have ended before they had let go.
     */
    private void letGo(Sequences sequences, List<PlannedTable> plan) {
        List<PlannedTable> waited = plan.stream()
                .filter(table ->
                        stillHeld.contains(table) || !pending(table) || table.action() == PlannedTable.Action.REGISTER)
                .toList();
        Duration standing = sequences.admin().standing();
        if (!standing.isZero() && !waited.isEmpty()) {
            progress.accept("waiting " + standing.plusSeconds(1).toSeconds()
                    + " s until no node can forget what was written, if it is" + " killed; all sequences together");
        }
        stand(sequences, waited, standing);
        long deadline = System.nanoTime()
                + standing.plus(sequences.config().watchInterval().multipliedBy(WATCH_INTERVALS))
                        .toNanos();
        new Steps(parallelism).forEach(waited, table -> {
            Duration left = Duration.ofNanos(Math.max(0, deadline - System.nanoTime()));
            boolean raised = seed(
                    sequences,
                    table,
                    left,
                    behind -> find(
                            table,
                            Finding.risk(
                                    "processes may still issue ids from before the raise: " + behind.getMessage())));
            if (raised) {
                results.replace(table, "unchanged", "raised");
            }
        });
    }

    /**
     * Waits until no node can forget what was written, for all sequences together. A look proves something only within as long
     * again as has to be waited; so those for which it comes too late are looked at again together, not each on its own.
     */
    private void stand(Sequences sequences, List<PlannedTable> waited, Duration standing) {
        List<PlannedTable> left = waited;
        for (int look = 0; look < LOOKS && !standing.isZero() && !left.isEmpty(); look++) {
            long begun = System.nanoTime();
            left = forgettable(sequences, left);
            if (!left.isEmpty()) {
                Pause.of(standing.plusSeconds(1).minusNanos(System.nanoTime() - begun));
            }
        }
    }

    private List<PlannedTable> forgettable(Sequences sequences, List<PlannedTable> tables) {
        Set<PlannedTable> found = ConcurrentHashMap.newKeySet();
        new Steps(parallelism).forEach(tables, table -> {
            try {
                seed(sequences, table, Duration.ZERO, behind -> {
                    if (!behind.forgettable().isZero()) {
                        found.add(table);
                    }
                });
            } catch (SequenceException | DriverException unavailable) {
                // Who waits for the processes afterwards comes across it again, and reports it.
            }
        });
        return tables.stream().filter(found::contains).toList();
    }

    /** Plans once more: what is stored counts, and another run may have written too. Nothing may be left to do. */
    private void readBack(List<PlannedTable> plan, List<Reading> readings) {
        List<PlannedTable> now = new Planner(selection, target, parallelism).plan(readings);
        for (int i = 0; i < plan.size(); i++) {
            PlannedTable table = plan.get(i);
            SequenceState state = now.get(i).state();
            if (state != null) {
                after.put(table, state);
            }
            if (now.get(i).action() != PlannedTable.Action.NONE) {
                find(
                        table,
                        Finding.risk("was to continue at " + table.next() + ", but its sequence reads back as "
                                + now.get(i).state()));
            }
            now.get(i).findings().stream()
                    .filter(finding -> finding.level() == Finding.Level.RISK)
                    .filter(finding -> !table.findings().contains(finding))
                    .forEach(finding -> find(table, finding));
        }
    }

    private void find(PlannedTable table, Finding finding) {
        found.merge(table, List.of(finding), Seeder::both);
    }

    private static List<Finding> both(List<Finding> some, List<Finding> more) {
        List<Finding> all = new ArrayList<>(some);
        all.addAll(more);
        return all;
    }

    private boolean risk(List<PlannedTable> plan) {
        return plan.stream().anyMatch(table -> table.has(Finding.Level.RISK))
                || found.values().stream()
                        .flatMap(List::stream)
                        .anyMatch(finding -> finding.level() == Finding.Level.RISK);
    }

    private Result result(List<PlannedTable> plan, ExitCode exitCode) {
        return new Result(
                exitCode,
                plan.stream()
                        .map(table -> TableReport.of(
                                table.with(found.getOrDefault(table, List.of())),
                                results.get(table),
                                after.get(table),
                                null))
                        .toList());
    }
}
