package dev.cassidy.migration;

import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.migration.error.MigrationException;
import dev.cassidy.sequence.IdentityColumn;
import dev.cassidy.sequence.Order;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.cassandra.InternalAccess;
import dev.cassidy.sequence.cassandra.SequenceAdmin;
import dev.cassidy.sequence.cassandra.SequenceState;
import dev.cassidy.sequence.cassandra.Sequences;
import dev.cassidy.table.ColumnDefault;
import dev.cassidy.table.Move;
import dev.cassidy.table.TableContract;
import dev.cassidy.table.TableKind;
import dev.cassidy.table.TableRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Gives a table to another installation, so that no id is issued twice. The order matters, and each step may be repeated:
 *
 * <ol>
 *   <li>The taker reserves the names of the table's sequences: they are dropped there, so nobody draws from them.
 *   <li>The giver's contract says that the table is being moved. From here on the giver refuses writes. The taker does already,
 *       since the giver still numbers the table.
 *   <li>The giver's sequences are dropped. Nothing is granted of them any more, and this waits until no process holds ids of
 *       them: an id that is still held could be inserted after the taker has accepted it as an explicit one.
 *   <li>The taker's sequences begin where the giver's ended: past all that was ever granted, and so past all that was issued.
 *   <li>The taker's contract numbers the table.
 *   <li>The giver's contract says that the table was moved, and nothing else.
 * </ol>
 *
 * <p>A crash leaves the table closed in both, or, after step 5, open in the taker alone.
 */
final class TableMove {

    /**
     * A sequence from which a column of the table draws.
     *
     * @param column with the sequence in the installation that gives the table away
     * @param taking the name of the sequence in the one that takes it
     * @param numbered whether that one numbers the column already, as after two registrations at the same moment
     */
    private record Drawn(IdentityColumn column, SequenceSpec spec, String taking, boolean numbered) {}

    private final Sequences from;
    private final Sequences to;
    private final TableContract contract;
    private final TableKind kind;
    private final List<Drawn> all;
    private final Consumer<String> progress;

    private TableMove(
            Sequences from,
            Sequences to,
            TableContract contract,
            TableKind kind,
            List<Drawn> all,
            Consumer<String> progress) {
        this.from = from;
        this.to = to;
        this.contract = contract;
        this.kind = kind;
        this.all = all;
        this.progress = progress;
    }

    /**
     * Reads what would be moved; nothing is changed.
     *
     * @param progress is told of each step before it is done
     * @throws MigrationException {@link ExitCode#REFUSED} if the table cannot be moved
     * @throws SequenceException.Conflict for the same reason
     */
    static TableMove of(Sequences from, Sequences to, String keyspace, String table, Consumer<String> progress) {
        TableContract contract = InternalAccess.tables(from).contract(keyspace, table);
        TableContract there = InternalAccess.tables(to).contract(keyspace, table);
        String giver = from.config().globalKeyspace();
        String taker = to.config().globalKeyspace();
        if (isMovedTo(contract, taker, true)) {
            return new TableMove(from, to, contract, there.kind(), List.of(), progress);
        }
        TableContract then = InternalAccess.tables(to).verifyMove(there, contract, giver);
        boolean begun = isMovedTo(contract, taker, false);
        if (isNothing(contract)) {
            throw refused(
                    contract, "has nothing to be moved: the installation " + giver + " has declared nothing of it");
        }
        if (contract.pending() && !begun) {
            throw refused(
                    contract,
                    "is about to be created. Complete CREATE TABLE first, or record by tables adopt that"
                            + " it exists");
        }
        if ((contract.writes() != null && contract.writes().changing())
                || (there.writes() != null && there.writes().changing())) {
            throw refused(contract, "is about to be written in another mode: complete tables declare first");
        }
        List<Drawn> all = new ArrayList<>();
        for (IdentityColumn column : contract.drawing()) {
            Drawn drawn = new Drawn(
                    column,
                    spec(from, contract, column, begun),
                    then.drawing().stream()
                            .filter(other -> other.column().equals(column.column()))
                            .map(IdentityColumn::sequence)
                            .findFirst()
                            .orElseThrow(),
                    there.drawing().stream().anyMatch(other -> other.column().equals(column.column())));
            requireTaken(to, contract, drawn, begun);
            all.add(drawn);
        }
        return new TableMove(from, to, contract, contract.kind(), all, progress);
    }

    private static boolean isMovedTo(TableContract contract, String taker, boolean complete) {
        Move move = contract.move();
        return move != null && move.to().equals(taker) && move.complete() == complete;
    }

    private static boolean isNothing(TableContract contract) {
        return contract.definition() == null
                && contract.writes() == null
                && contract.identity() == null
                && contract.defaults().isEmpty();
    }

    private static MigrationException refused(TableContract contract, String why) {
        return new MigrationException(ExitCode.REFUSED, "table " + contract.name() + " " + why);
    }

    /** Returns the sequence of a column, if it can be moved. */
    private static SequenceSpec spec(Sequences from, TableContract contract, IdentityColumn column, boolean begun) {
        String name = column.sequence();
        SequenceState state = from.admin()
                .find(name)
                .orElseThrow(() -> refused(contract, "draws from the sequence " + name + ", which does not exist"));
        if (state.spec().order() == Order.TIME || SequenceSpec.isStream(name)) {
            throw refused(
                    contract,
                    "draws from the sequence " + name + ", which is "
                            + (SequenceSpec.isStream(name) ? "one of several streams" : "time-ordered")
                            + ": where it ended is not known from its ids, so no other installation can continue it");
        }
        if (!begun && (state.dropped() || !state.ready())) {
            throw refused(
                    contract,
                    "draws from the sequence " + name + ", which "
                            + (state.dropped() ? "was dropped: create it again" : "awaits its seed: seed it")
                            + " first");
        }
        if (state.next().isEmpty()) {
            throw refused(contract, "draws from the sequence " + name + ", which has granted all of its ids");
        }
        InternalAccess.tables(from).contracts().stream()
                .filter(each -> !each.name().equals(contract.name())
                        && Stream.concat(each.drawing().stream(), Stream.ofNullable(each.claim()))
                                .anyMatch(other -> other.sequence().equals(name)))
                .findFirst()
                .ifPresent(other -> {
                    throw refused(
                            contract,
                            "draws from the sequence " + name + ", from which table " + other.name()
                                    + " draws too: give each a sequence of its own first");
                });
        return state.spec();
    }

    /** Refuses a sequence that cannot continue the giver's, before anything is changed. */
    private static void requireTaken(Sequences to, TableContract contract, Drawn drawn, boolean begun) {
        String taker = to.config().globalKeyspace();
        String name = drawn.taking;
        SequenceState there = to.admin().find(name).orElse(null);
        if (there == null) {
            return;
        }
        if (there.spec().order() == Order.TIME
                || Long.signum(there.spec().increment()) != Long.signum(drawn.spec.increment())
                || there.next().isEmpty()
                || !to.admin().takenIds(name).isEmpty()) {
            throw refused(
                    contract,
                    "cannot continue by the sequence " + name + " of installation " + taker
                            + ": that one is time-ordered, counts the other way, has granted all of its ids, or was"
                            + " repaired");
        }
        if (begun || drawn.numbered) {
            return;
        }
        boolean used = InternalAccess.tables(to).contracts().stream()
                .anyMatch(each -> !each.name().equals(contract.name())
                        && each.drawing().stream()
                                .anyMatch(other -> other.sequence().equals(name)));
        if (there.ready() || used) {
            throw refused(
                    contract,
                    "draws from the sequence " + name + ", and installation " + taker
                            + " has one of this name for something else: drop that one first, or give its users another");
        }
    }

    /** Returns whether there is nothing left to do. */
    boolean isComplete() {
        return isMovedTo(contract, to.config().globalKeyspace(), true);
    }

    /** Returns whether an earlier run has closed the table. */
    boolean isBegun() {
        return isMovedTo(contract, to.config().globalKeyspace(), false);
    }

    TableKind kind() {
        return kind;
    }

    /** Returns what would be moved, for an operator. */
    List<String> shown() {
        String giver = from.config().globalKeyspace();
        String taker = to.config().globalKeyspace();
        List<String> lines = new ArrayList<>();
        lines.add("Table " + contract.name() + ", a " + kind + ", moves from installation " + giver + " to " + taker
                + ", with");
        for (Drawn drawn : all) {
            lines.add("  column '" + drawn.column.column() + "', which takes ids of the sequence "
                    + drawn.column.sequence() + ": " + giver + " drops that, and " + taker
                    + (drawn.numbered ? ", which numbers the column as well, raises " : " begins ") + drawn.taking
                    + " past every id that it granted");
        }
        for (ColumnDefault each : contract.defaults()) {
            lines.add("  default " + each.expression() + " of '" + each.column() + "'");
        }
        if (contract.writes() != null) {
            lines.add("  rows written exactly, " + contract.writes().deciders());
        }
        if (contract.definition() != null) {
            lines.add("  what T-SQL has said of its columns");
        }
        lines.add(
                all.stream().anyMatch(Drawn::numbered)
                        ? "Both number the table now. Stop its clients that use " + taker + " until this is done"
                        : "Neither writes to the table until this is done");
        lines.add("From then on " + giver + " refuses writes: give the table's clients globalKeyspace=" + taker);
        return lines;
    }

    /**
     * Moves the table, or completes an earlier run.
     *
     * @return where the taker's sequences began
     * @throws MigrationException {@link ExitCode#PARTIAL} if a process or a datacenter may still hold ids
     */
    List<MoveReport.Sequence> run() {
        TableRegistry giving = InternalAccess.tables(from);
        TableRegistry taking = InternalAccess.tables(to);
        String giver = from.config().globalKeyspace();
        String taker = to.config().globalKeyspace();
        if (!isBegun()) {
            for (Drawn drawn : all) {
                if (!drawn.numbered) {
                    progress.accept("reserving the sequence " + drawn.taking + " in " + taker);
                    reserve(drawn);
                }
            }
        }
        progress.accept("closing the table in " + giver + ", and waiting until its processes know");
        TableContract begun = giving.beginMove(contract, taker);
        List<MoveReport.Sequence> sequences = new ArrayList<>();
        try {
            for (Drawn drawn : all) {
                progress.accept("dropping the sequence " + drawn.column.sequence() + " in " + giver
                        + ", and waiting until no process holds ids of it");
                from.admin().drop(drawn.column.sequence());
            }
            for (Drawn drawn : all) {
                progress.accept("beginning the sequence " + drawn.taking + " in " + taker);
                sequences.add(new MoveReport.Sequence(drawn.column.column(), drawn.taking, continued(drawn)));
            }
        } catch (SequenceException.NotAcknowledged e) {
            throw new MigrationException(
                    ExitCode.PARTIAL,
                    e.getMessage() + ". Neither installation writes to table " + contract.name()
                            + " until this command was repeated and has succeeded",
                    e);
        }
        progress.accept("opening the table in " + taker);
        // In this order: if another run completes the move between the two, and the table is moved on, this one's
        // contract
        // has changed, and is not written.
        TableContract there = taking.contract(contract.keyspace(), contract.table());
        requireStill(giving, begun);
        taking.takeOver(there, begun);
        progress.accept("recording in " + giver + " that the table was moved");
        giving.endMove(begun);
        return sequences;
    }

    /** A name that is dropped issues nothing, and what begins again under it knows that ids before it were issued. */
    private void reserve(Drawn drawn) {
        SequenceAdmin admin = to.admin();
        SequenceState there = admin.find(drawn.taking).orElse(null);
        if (there == null) {
            admin.register(named(drawn.spec, drawn.taking, drawn.spec.start()));
        }
        if (there == null || !there.dropped()) {
            admin.drop(drawn.taking);
        }
    }

    private static SequenceSpec named(SequenceSpec spec, String name, long start) {
        return new SequenceSpec(
                name,
                spec.type(),
                start,
                spec.increment(),
                spec.minimum(),
                spec.maximum(),
                spec.order(),
                spec.stripes(),
                spec.block(),
                spec.reserve());
    }

    /** Begins or raises the taker's sequence past all that the giver's, which was dropped, has granted. */
    private long continued(Drawn drawn) {
        long next = from.admin()
                .find(drawn.column.sequence())
                .orElseThrow()
                .next()
                .orElseThrow(() -> refused(contract, "has granted all ids of " + drawn.column.sequence()));
        SequenceAdmin admin = to.admin();
        SequenceState there = admin.find(drawn.taking).orElse(null);
        if (there == null || there.dropped()) {
            admin.register(named(drawn.spec, drawn.taking, start(drawn.spec, there)));
        }
        return admin.seed(drawn.taking, next).next().orElse(next);
    }

    /** Past what the taker has granted itself of a sequence of this name. */
    private static long start(SequenceSpec spec, @Nullable SequenceState dropped) {
        long granted = dropped == null ? spec.start() : dropped.next().orElse(spec.start());
        return spec.increment() > 0 ? Math.max(spec.start(), granted) : Math.min(spec.start(), granted);
    }

    private void requireStill(TableRegistry giving, TableContract begun) {
        TableContract now = giving.contract(contract.keyspace(), contract.table());
        if (!Objects.equals(now, begun)) {
            throw refused(contract, "was changed meanwhile, perhaps by another run of this command: run it again");
        }
    }
}
