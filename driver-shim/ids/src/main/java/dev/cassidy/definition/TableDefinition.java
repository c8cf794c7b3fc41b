package dev.cassidy.definition;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What CREATE TABLE and ALTER TABLE in T-SQL say of one table. It is of the table with this id, and not of another one that has
 * the name later.
 *
 * @param id Cassandra's id of the table
 * @param columns in the order in which they were declared; one that the table does not have (yet) counts for nothing
 * @param small whether it has, and will have, so few rows that a statement may read all of them to find some
 */
public record TableDefinition(
        UUID id, List<ColumnDefinition> columns, List<ConstraintDefinition> constraints, boolean small) {

    public TableDefinition {
        Objects.requireNonNull(id, "id");
        columns = List.copyOf(columns);
        constraints = List.copyOf(constraints);
    }

    /** That of a table of which it is not said that it is small. */
    public TableDefinition(UUID id, List<ColumnDefinition> columns, List<ConstraintDefinition> constraints) {
        this(id, columns, constraints, false);
    }

    /** Returns the same of a table that is small, or is not. */
    public TableDefinition small(boolean then) {
        return new TableDefinition(id, columns, constraints, then);
    }

    /** Returns whether this is of the table that has an id now. */
    public boolean isOf(@Nullable UUID table) {
        return id.equals(table);
    }

    /** Returns the column of an internal name. */
    public Optional<ColumnDefinition> column(String name) {
        return columns.stream().filter(column -> column.name().equals(name)).findFirst();
    }

    /** Returns whether both say the same, of whatever table. */
    public boolean saysAs(TableDefinition other) {
        return small == other.small && columns.equals(other.columns) && sayAlike(constraints, other.constraints);
    }

    private static boolean sayAlike(List<ConstraintDefinition> some, List<ConstraintDefinition> others) {
        for (int i = 0; i < some.size() && some.size() == others.size(); i++) {
            if (!some.get(i).saysAs(others.get(i))) {
                return false;
            }
        }
        return some.size() == others.size();
    }

    /** Returns the UNIQUE constraints and indexes that are kept. */
    public List<UniqueKey> uniqueKeys() {
        return constraints.stream()
                .flatMap(each -> Stream.ofNullable(each.reserved()).map(reserved -> uniqueKey(each, reserved)))
                .toList();
    }

    private static UniqueKey uniqueKey(ConstraintDefinition constraint, Reservations reserved) {
        return new UniqueKey(
                constraint.name(),
                constraint.kind().isUniqueIndex(),
                constraint.kind() == ConstraintDefinition.Kind.UNIQUE_INDEX_NOT_NULL,
                constraint.columns(),
                reserved);
    }

    /**
     * Returns a definition with more columns at its end. What was said of earlier ones of these names is forgotten; a constraint
     * that is declared already is not declared twice.
     */
    public TableDefinition with(List<ColumnDefinition> added, List<ConstraintDefinition> more) {
        TableDefinition kept =
                without(added.stream().map(ColumnDefinition::name).toList());
        List<ColumnDefinition> all = new ArrayList<>(kept.columns);
        all.addAll(added);
        List<ConstraintDefinition> constraining = new ArrayList<>(kept.constraints);
        for (ConstraintDefinition each : more) {
            ConstraintDefinition same =
                    constraining.stream().filter(each::saysAs).findFirst().orElse(null);
            if (same == null) {
                constraining.add(each);
            } else if (same.reserved() == null && each.reserved() != null) {
                // It was declared, and nobody kept it.
                constraining.set(constraining.indexOf(same), each);
            }
        }
        return new TableDefinition(id, all, constraining, small);
    }

    /** Returns another definition of this table, with what is known here of columns and constraints that it says nothing of. */
    public TableDefinition correctedBy(TableDefinition given) {
        return new TableDefinition(
                id,
                given.columns.stream().map(this::withItsTwin).toList(),
                given.constraints.isEmpty()
                        ? constraints
                        : given.constraints.stream().map(this::asReserved).toList(),
                small || given.small);
    }

    /** By what rows are found stays, and that it counts, whatever is said of its column. */
    private ColumnDefinition withItsTwin(ColumnDefinition given) {
        ColumnDefinition known = column(given.name()).orElse(given);
        if (given.type() == null) {
            return known;
        }
        ColumnDefinition twinned = given.withTwin(known.twin());
        return known.counted() ? twinned.asCounted() : twinned;
    }

    /** Returns the columns that have twins, in the primary key or beside them, with these; by internal name. */
    public Map<String, Twin> twins() {
        Map<String, Twin> twins = new LinkedHashMap<>();
        for (ColumnDefinition column : columns) {
            if (column.twin() != null) {
                twins.put(column.name(), column.twin());
            }
        }
        return twins;
    }

    /** Returns the columns in whose place twins stand in the primary key, with these; by internal name. */
    public Map<String, Twin> twinsOfKey() {
        Map<String, Twin> ofKey = twins();
        ofKey.values().removeIf(twin -> !twin.isOfKey());
        return ofKey;
    }

    /** Returns the columns that have twins beside them, complete or not, with these; by internal name. */
    public Map<String, Twin> twinsBeside() {
        Map<String, Twin> beside = twins();
        beside.values().removeIf(Twin::isOfKey);
        return beside;
    }

    /** Returns the columns that count, by internal name. */
    public Set<String> counted() {
        return columns.stream()
                .filter(ColumnDefinition::counted)
                .map(ColumnDefinition::name)
                .collect(Collectors.toSet());
    }

    /** Returns whether a column of an internal name is Cassidy's own, which neither queries nor metadata show. */
    public static boolean isHidden(String column) {
        return column.equals(RowMark.COLUMN) || column.equals(CountMark.COLUMN) || Twin.isOne(column);
    }

    /** What keeps a constraint is not lost because somebody says it once more. */
    private ConstraintDefinition asReserved(ConstraintDefinition given) {
        return constraints.stream().filter(given::saysAs).findFirst().orElse(given);
    }

    /** Returns a definition in which a column is another one, at its place. */
    public TableDefinition replacing(ColumnDefinition column) {
        return new TableDefinition(
                id,
                columns.stream()
                        .map(each -> each.name().equals(column.name()) ? column : each)
                        .toList(),
                constraints,
                small);
    }

    /** Returns a definition without columns, and without the constraints that are of one of them. */
    public TableDefinition without(Collection<String> names) {
        return new TableDefinition(
                id,
                columns.stream()
                        .filter(column -> !names.contains(column.name()))
                        .toList(),
                constraints.stream()
                        .filter(constraint -> constraint.columns().stream().noneMatch(names::contains))
                        .toList(),
                small);
    }

    /**
     * Returns the same of no table: nobody creates one of its id, which is always the same one, and nobody reserves values for it.
     */
    public TableDefinition ofNoTable() {
        return new TableDefinition(
                UUID.nameUUIDFromBytes(id.toString().getBytes(StandardCharsets.UTF_8)),
                columns,
                constraints.stream().map(ConstraintDefinition::unreserved).toList(),
                small);
    }

    /** Returns whether the values of a constraint are reserved in a table of this internal name. */
    public boolean reservesIn(String table) {
        return constraints.stream().anyMatch(each -> each.isReservedIn(table));
    }

    /** Returns a definition in which every row that is there has its reservation in the table of this internal name. */
    public TableDefinition completing(String table) {
        return new TableDefinition(
                id,
                columns,
                constraints.stream()
                        .map(each -> each.isReservedIn(table) ? each.completed() : each)
                        .toList(),
                small);
    }

    /** Returns a definition without a constraint. */
    public TableDefinition withoutSame(ConstraintDefinition constraint) {
        return new TableDefinition(
                id,
                columns,
                constraints.stream().filter(each -> !each.saysAs(constraint)).toList(),
                small);
    }

    /** Returns a definition without the constraint whose values are reserved in the table of this internal name. */
    public TableDefinition withoutReserved(String table) {
        return new TableDefinition(
                id,
                columns,
                constraints.stream().filter(each -> !each.isReservedIn(table)).toList(),
                small);
    }

    /** Returns a definition without the constraints of some names, whose case does not matter. */
    public TableDefinition withoutConstraints(Collection<String> names) {
        return new TableDefinition(
                id,
                columns,
                constraints.stream()
                        .filter(constraint -> names.stream().noneMatch(constraint.name()::equalsIgnoreCase))
                        .toList(),
                small);
    }

    /**
     * Returns the columns of a table in the order in which they were declared; those of which nothing is known are the last.
     * {@link RowMark}, {@link CountMark} and twins are not among them.
     *
     * @param existing internal names of the table's columns
     */
    public List<String> ordered(Collection<String> existing) {
        List<String> ordered =
                new ArrayList<>(columns.stream().map(ColumnDefinition::name).toList());
        ordered.retainAll(existing);
        existing.stream()
                .filter(column -> !ordered.contains(column) && !isHidden(column))
                .forEach(ordered::add);
        return ordered;
    }

    /**
     * Returns the columns that an INSERT without a list names, in order; none if the table has columns whose place is not known.
     * A column that was dropped is left out, and the only one that was added by other means is the last, as in SQL Server. A column
     * of the key cannot be added: it was renamed.
     *
     * @param existing internal names of the table's columns
     * @param key those of the primary key
     * @param identity the one that such an INSERT leaves out; null if there is none
     */
    public List<String> inserted(Collection<String> existing, Collection<String> key, @Nullable String identity) {
        List<String> inserted =
                new ArrayList<>(columns.stream().map(ColumnDefinition::name).toList());
        List<String> added = existing.stream()
                .filter(column -> !inserted.contains(column) && !isHidden(column))
                .toList();
        if (added.size() > 1 || added.stream().anyMatch(key::contains)) {
            return List.of();
        }
        inserted.retainAll(existing);
        inserted.addAll(added);
        inserted.remove(identity);
        return inserted;
    }
}
