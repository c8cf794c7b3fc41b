package dev.cassidy.migration.plan;

import dev.cassidy.migration.error.Finding;
import dev.cassidy.migration.source.Reading;
import dev.cassidy.migration.source.SourceColumn;
import dev.cassidy.migration.target.Target;
import dev.cassidy.migration.target.TargetTable;
import dev.cassidy.sequence.IdentityColumn;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.cassandra.SequenceState;
import dev.cassidy.sequence.cassandra.TakenIds;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Compares what the source needs with what Cassandra has, and says what to do. Changes nothing. */
public final class Planner {

    private static final BigDecimal LITTLE_HEADROOM = BigDecimal.TEN;

    private final Selection selection;
    private final @Nullable Target cassandra;
    private final int parallelism;
    private final Map<String, SequenceState> states = new ConcurrentHashMap<>();
    private final Map<String, List<TakenIds>> taken = new ConcurrentHashMap<>();
    private List<IdentityColumn> identities = List.of();

    /** Plans against {@code cassandra}, or without its state when that is null. */
    public Planner(Selection selection, @Nullable Target cassandra) {
        this(selection, cassandra, 1);
    }

    /**
     * Plans as {@link #Planner(Selection, Target)} does, with several reads at once.
     *
     * @param parallelism how many sequences are read at once, at least 1
     */
    public Planner(Selection selection, @Nullable Target cassandra, int parallelism) {
        this.selection = selection;
        this.cassandra = cassandra;
        this.parallelism = parallelism;
    }

    public List<PlannedTable> plan(List<Reading> readings) {
        identities = cassandra == null ? List.of() : cassandra.identityColumns();
        List<SourceColumn> columns = readings.stream().map(Reading::column).toList();
        Map<String, List<SourceColumn>> bySequence = columns.stream()
                .filter(column -> selection.target(column, columns).isPresent())
                .collect(Collectors.groupingBy(column ->
                        selection.target(column, columns).orElseThrow().sequence()));
        read(columns);
        return readings.stream()
                .map(reading -> plan(reading, columns, bySequence))
                .toList();
    }

    private void read(List<SourceColumn> columns) {
        states.clear();
        taken.clear();
        Target asked = cassandra;
        if (asked != null) {
            new Steps(parallelism).forEach(columns, column -> selection
                    .target(column, columns)
                    .ifPresent(target -> asked.state(target).ifPresent(state -> {
                        states.put(target.sequence(), state);
                        // Only a sequence that was created again may have been repaired.
                        if (state.isCreatedAgain()) {
                            taken.put(
                                    target.sequence(), asked.sequences().admin().takenIds(target.sequence()));
                        }
                    })));
        }
    }

    private PlannedTable plan(Reading reading, List<SourceColumn> columns, Map<String, List<SourceColumn>> bySequence) {
        SourceColumn column = reading.column();
        List<Finding> findings = new ArrayList<>();
        Seed seed = SeedRule.decide(reading, selection.floor(column, columns), selection.acceptEmpty());
        if (seed instanceof Seed.Refused refused) {
            findings.add(Finding.refused(refused.reason()));
        }
        Optional<TargetTable> target = selection.target(column, columns);
        if (target.isEmpty()) {
            findings.add(Finding.refused(column.name()
                    + " gives no plain CQL names (lower-case letters, digits and '_', at most 48); give --map '"
                    + column.qualifiedTable() + "=table:column'"));
            return new PlannedTable(reading, seed, null, null, null, PlannedTable.Action.REFUSE, findings);
        }
        List<SourceColumn> sharing = bySequence.getOrDefault(target.get().sequence(), List.of());
        if (sharing.size() > 1) {
            findings.add(Finding.refused("sequence " + target.get().sequence() + " would serve "
                    + sharing.stream().map(SourceColumn::qualifiedTable).toList()
                    + ": give all but one another target with --map schema.table=keyspace.table"));
        }
        SequenceState state = states.get(target.get().sequence());
        return seed instanceof Seed.Next next
                ? plan(reading, next, target.get(), state, findings)
                : new PlannedTable(reading, seed, target.get(), state, null, PlannedTable.Action.REFUSE, findings);
    }

    private PlannedTable plan(
            Reading reading, Seed.Next seed, TargetTable table, @Nullable SequenceState state, List<Finding> findings) {
        seed.warnings().forEach(warning -> findings.add(Finding.warning(warning)));
        if (seed.percentLeft().compareTo(LITTLE_HEADROOM) < 0) {
            findings.add(
                    Finding.warning("only " + seed.percentLeft() + " % of its ids are left, up to " + seed.limit()));
        }
        SequenceSpec spec = state == null ? seed.spec(table.sequence()) : state.spec();
        BigInteger next = SeedRule.onGridOf(spec, seed.next());
        boolean registered = !table.hasColumn();
        users(reading.column()).forEach(findings::add);
        if (cassandra != null) {
            conflict(seed, spec, next).map(Finding::refused).ifPresent(findings::add);
            collision(reading.column(), seed, state).ifPresent(findings::add);
            taken.getOrDefault(table.sequence(), List.of()).stream()
                    .map(ids -> earlier(reading.column(), seed, ids))
                    .flatMap(Optional::stream)
                    .forEach(findings::add);
        }
        if (cassandra != null && table.hasColumn()) {
            cassandra.check(table, spec.type()).ifPresent(findings::add);
            Optional<IdentityColumn> known = registered(table);
            registered = known.isPresent();
            known.filter(found -> !found.equals(table.identityColumn()))
                    .ifPresent(found -> findings.add(Finding.refused("table " + table.sequence()
                            + " is registered with column '" + found.column() + "' and sequence " + found.sequence()
                            + ", not with column '" + table.column() + "' and sequence " + table.sequence())));
        }
        if (findings.stream().anyMatch(finding -> finding.level() == Finding.Level.REFUSED)) {
            return new PlannedTable(reading, seed, table, state, null, PlannedTable.Action.REFUSE, findings);
        }
        return new PlannedTable(
                reading, seed, table, state, next.longValueExact(), action(reading, state, next, registered), findings);
    }

    private static List<Finding> users(SourceColumn column) {
        return column.users().stream()
                .map(user -> Finding.info(user.name() + " takes its values from " + column.qualifiedTable()
                        + " by its default: cassidy tables declare --table ... --defaults '" + user.column()
                        + "=NEXT VALUE FOR "
                        + column.table() + "' declares that in Cassandra"))
                .toList();
    }

    private Optional<IdentityColumn> registered(TargetTable table) {
        return identities.stream().filter(table::sameTable).findFirst();
    }

    /** Says why an existing sequence cannot take over, whatever its state; a wider one than the source's type can. */
    private static Optional<String> conflict(Seed.Next seed, SequenceSpec spec, BigInteger next) {
        if (spec.increment() != seed.increment() || spec.type().compareTo(seed.type()) < 0) {
            return Optional.of("sequence " + spec.name() + " exists as " + spec.type() + " with increment="
                    + spec.increment() + ", the source needs " + seed.type() + " with increment=" + seed.increment());
        }
        boolean ascending = spec.increment() > 0;
        long limit = ascending ? spec.maximum() : spec.minimum();
        if (seed.basis() == Seed.Basis.WRAPPED && (ascending ? limit > seed.limit() : limit < seed.limit())) {
            return Optional.of("sequence " + spec.name() + " exists and ends at " + limit
                    + ", beyond the source's next existing id: it must end at " + seed.limit());
        }
        return next.compareTo(BigInteger.valueOf(limit)) * (ascending ? 1 : -1) > 0
                ? Optional.of(
                        "sequence " + spec.name() + " exists and ends at " + limit + ", before the next id " + next)
                : Optional.empty();
    }

    /** A sequence that has issued ids keeps the first one as its floor: the source must not have passed it. */
    private static Optional<Finding> collision(SourceColumn column, Seed.Next seed, @Nullable SequenceState state) {
        if (state == null || !state.ready() || untouched(state)) {
            return Optional.empty();
        }
        BigInteger floor = BigInteger.valueOf(state.floor());
        return column.beyond(BigInteger.valueOf(seed.next()), floor)
                ? Optional.of(
                        Finding.risk("Cassandra may have issued ids from " + floor + " on, and the source used ids"
                                + " up to " + (seed.next() - seed.increment()) + ": search for ids from " + floor
                                + " on that stand for two rows; use a sequence only once its source has stopped"))
                : Optional.empty();
    }

    /** What a repaired sequence issued before its repair lies past its end, and its floor does not tell of it. */
    private static Optional<Finding> earlier(SourceColumn column, Seed.Next seed, TakenIds ids) {
        boolean ascending = seed.increment() > 0;
        BigInteger nearest = BigInteger.valueOf(ascending ? ids.lowest() : ids.highest());
        return column.beyond(BigInteger.valueOf(seed.next()), nearest)
                ? Optional.of(Finding.risk("Cassandra may have issued ids from " + ids.lowest() + " to " + ids.highest()
                        + " before its sequence was repaired, and the source used ids up to "
                        + (seed.next() - seed.increment()) + ": search for ids among them that stand for two rows"))
                : Optional.empty();
    }

    private static boolean untouched(SequenceState state) {
        return state.next().isPresent() && state.next().getAsLong() == state.floor();
    }

    private PlannedTable.Action action(
            Reading reading, @Nullable SequenceState state, BigInteger next, boolean registered) {
        if (cassandra == null) {
            return PlannedTable.Action.UNKNOWN;
        }
        if (state == null) {
            return PlannedTable.Action.CREATE;
        }
        if (!state.ready()) {
            return PlannedTable.Action.SEED;
        }
        if (state.next().isPresent()
                && reading.column().beyond(next, BigInteger.valueOf(state.next().getAsLong()))) {
            return PlannedTable.Action.RAISE;
        }
        return registered ? PlannedTable.Action.NONE : PlannedTable.Action.REGISTER;
    }
}
