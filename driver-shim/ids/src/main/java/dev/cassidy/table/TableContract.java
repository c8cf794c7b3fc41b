package dev.cassidy.table;

import dev.cassidy.sequence.IdentityColumn;
import dev.cassidy.sequence.SequenceException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What is declared of a table of the application: its identity column, the defaults of its columns, and how its rows are
 * written. It is one value, which changes as a whole: each change gives it the next revision. Names are internal ones
 * (case-exact, unquoted).
 *
 * @param identity the column that takes a sequence's ids; null if there is none
 * @param defaults in the order of their columns' names, so that equal defaults give equal statements
 * @param writes how rows are written; null if nothing is declared of it
 * @param drew columns that took values of a sequence by a default that was dropped since: the rows keep them
 * @param revision 0 if nothing is stored, and nothing is declared
 */
record TableContract(
        String keyspace,
        String table,
        @Nullable IdentityColumn identity,
        List<ColumnDefault> defaults,
        @Nullable TableWrites writes,
        List<IdentityColumn> drew,
        int revision) {

    TableContract {
        Objects.requireNonNull(keyspace, "keyspace");
        Objects.requireNonNull(table, "table");
        defaults = defaults.stream()
                .sorted(Comparator.comparing(ColumnDefault::column))
                .toList();
        drew = List.copyOf(drew);
    }

    /** Returns that of a table of which nothing is declared. */
    static TableContract none(String keyspace, String table) {
        return new TableContract(keyspace, table, null, List.of(), null, List.of(), 0);
    }

    String name() {
        return keyspace + "." + table;
    }

    // ---- changes: each returns the next revision; empty if there is nothing to change

    /** @throws SequenceException.Conflict if the table has another identity */
    Optional<TableContract> withIdentity(IdentityColumn wanted) {
        if (identity == null) {
            return Optional.of(next(wanted, defaults, writes, drew));
        }
        if (!identity.equals(wanted)) {
            throw new SequenceException.Conflict(
                    "table " + name() + " has another identity: stored " + identity + ", asked " + wanted);
        }
        return Optional.empty();
    }

    /** @throws SequenceException.Conflict if the column has another default */
    Optional<TableContract> withDefault(ColumnDefault wanted) {
        for (ColumnDefault each : defaults) {
            if (each.equals(wanted)) {
                return Optional.empty();
            }
            if (each.column().equals(wanted.column())) {
                throw new SequenceException.Conflict("column " + wanted.column() + " of table " + name()
                        + " has the default " + each.expression() + " already, as " + each.name()
                        + "; drop it first: ALTER TABLE " + table + " DROP CONSTRAINT " + each.name());
            }
        }
        List<ColumnDefault> all = new ArrayList<>(defaults);
        all.add(wanted);
        return Optional.of(next(identity, all, writes, drew));
    }

    Optional<TableContract> withoutDefault(String column) {
        List<ColumnDefault> left = new ArrayList<>(defaults);
        List<IdentityColumn> drawn = new ArrayList<>(drew);
        for (ColumnDefault each : defaults) {
            if (each.column().equals(column)) {
                left.remove(each);
                drawnBy(each).filter(past -> !drawn.contains(past)).ifPresent(drawn::add);
            }
        }
        return left.size() == defaults.size() ? Optional.empty() : Optional.of(next(identity, left, writes, drawn));
    }

    /**
     * Begins a change of how rows are written.
     *
     * @throws SequenceException.Conflict if another change is not complete, or the table is to become PLAIN again
     */
    Optional<TableContract> beginning(TableWrites wanted) {
        TableWrites begun = new TableWrites(keyspace, table, wanted.mode(), wanted.version(), true);
        if (writes == null) {
            return Optional.of(next(identity, defaults, begun, drew));
        }
        boolean same = writes.mode() == wanted.mode() && writes.version().equals(wanted.version());
        boolean plain = wanted.mode() == TableWrites.Mode.PLAIN;
        if (plain || (writes.changing() && !same)) {
            throw new SequenceException.Conflict(
                    "table " + name() + (writes.changing() ? " is about to be" : " is") + " written " + writes.mode()
                            + (plain
                                    ? ", and stays so: what was written under a condition has the servers' time, and a"
                                            + " plain write by a clock behind it would be lost in silence. Copy the rows"
                                            + " to another table"
                                    : "; complete that first, by the same command"));
        }
        return same ? Optional.empty() : Optional.of(next(identity, defaults, begun, drew));
    }

    /** Completes a change that was begun; changes nothing if it is not the one under way. */
    Optional<TableContract> completed(TableWrites begun) {
        return begun.equals(writes)
                ? Optional.of(next(
                        identity,
                        defaults,
                        new TableWrites(keyspace, table, begun.mode(), begun.version(), false),
                        drew))
                : Optional.empty();
    }

    private TableContract next(
            @Nullable IdentityColumn identityThen,
            List<ColumnDefault> defaultsThen,
            @Nullable TableWrites writesThen,
            List<IdentityColumn> drewThen) {
        return new TableContract(keyspace, table, identityThen, defaultsThen, writesThen, drewThen, revision + 1);
    }

    /** Returns every column that takes or took values of a sequence. */
    List<IdentityColumn> columns() {
        List<IdentityColumn> all = new ArrayList<>(drew);
        if (identity != null) {
            all.add(identity);
        }
        defaults.forEach(each -> drawnBy(each).ifPresent(all::add));
        return all;
    }

    private static Optional<IdentityColumn> drawnBy(ColumnDefault each) {
        return each.kind() == ColumnDefault.Kind.NEXT_VALUE
                ? Optional.of(new IdentityColumn(each.keyspace(), each.table(), each.column(), each.value()))
                : Optional.empty();
    }
}
