package dev.cassidy.table;

import com.datastax.oss.driver.api.core.uuid.Uuids;
import dev.cassidy.definition.ColumnDefinition;
import dev.cassidy.definition.ConstraintDefinition;
import dev.cassidy.definition.CountMark;
import dev.cassidy.definition.RowMark;
import dev.cassidy.definition.TableDefinition;
import dev.cassidy.definition.Twin;
import dev.cassidy.remedy.Remedy;
import dev.cassidy.sequence.IdentityColumn;
import dev.cassidy.sequence.SequenceException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What is declared of a table of the application: its columns as T-SQL defined them, its identity column, the defaults of its
 * columns, and how its rows are written. It is one value, which changes as a whole: each change gives it the next revision. Names
 * are internal ones (case-exact, unquoted).
 *
 * <p>Identity and mode protect rows, so they are of whatever table has the name. The definition is of one table alone, by its id.
 *
 * @param identity the column that takes a sequence's ids; null if there is none
 * @param claim the identity that it is to have if no other installation numbers the table, which is not known yet: nothing draws
 *     by it. Null if there is none
 * @param defaults in the order of their columns' names, so that equal defaults give equal statements
 * @param writes how rows are written, if that is exactly; null if it is plainly
 * @param drew columns that took values of a sequence once: by a default that was dropped since, whose rows keep them, or as the
 *     identity of a table that was
 * @param definition null if no T-SQL has defined the table
 * @param counters null if it is no table of counters; then there is nothing else
 * @param pending whether it is not known that the table of the definition, or of the counters, was created; or that no other
 *     installation counts in it
 * @param move the last move from or to another installation; null if there was none
 * @param revision 0 if nothing is stored, and nothing is declared
 */
public record TableContract(
        String keyspace,
        String table,
        @Nullable IdentityColumn identity,
        @Nullable IdentityColumn claim,
        List<ColumnDefault> defaults,
        @Nullable TableWrites writes,
        List<IdentityColumn> drew,
        @Nullable TableDefinition definition,
        @Nullable CounterTable counters,
        boolean pending,
        @Nullable Move move,
        int revision) {

    /** For how long two CREATE TABLE may be under way at the same time, by the clocks of their processes. */
    private static final Duration AT_ONCE = Duration.ofMinutes(1);

    public TableContract {
        Objects.requireNonNull(keyspace, "keyspace");
        Objects.requireNonNull(table, "table");
        defaults = sorted(defaults);
        drew = List.copyOf(drew);
        if (identity != null && claim != null) {
            throw new IllegalArgumentException(
                    "must have an identity or claim one, not both: table " + keyspace + "." + table);
        }
        if (counters != null
                && (identity != null || claim != null || !defaults.isEmpty() || writes != null || definition != null)) {
            throw new IllegalArgumentException(
                    "must have no columns, identity, defaults or write mode of its own: table of counters " + keyspace
                            + "." + table);
        }
    }

    private static List<ColumnDefault> sorted(List<ColumnDefault> defaults) {
        return defaults.stream()
                .sorted(Comparator.comparing(ColumnDefault::column))
                .toList();
    }

    /** Returns that of a table of which nothing is declared. */
    static TableContract none(String keyspace, String table) {
        return new TableContract(keyspace, table, null, null, List.of(), null, List.of(), null, null, false, null, 0);
    }

    /** Returns {@code keyspace.table}. */
    public String name() {
        return keyspace + "." + table;
    }

    /** Returns what kind of table this is of. */
    public TableKind kind() {
        if (counters != null) {
            return new TableKind.Counters(counters.kind());
        }
        boolean tsql = definition != null && !definition.columns().isEmpty();
        return tsql ? new TableKind.Tsql() : new TableKind.Cql();
    }

    /**
     * Returns what refuses a write to the table, and a change of its contract; empty if the table is this installation's.
     *
     * @param own the global keyspace of this installation
     */
    Optional<SequenceException.Conflict> elsewhere(String own) {
        if (move == null || move.to().equals(own)) {
            return Optional.empty();
        }
        return Optional.of(
                move.complete()
                        ? new SequenceException.Conflict("table " + name()
                                + " was moved to the installation of keyspace " + move.to() + ", and this is that of "
                                + own + ": give globalKeyspace=" + move.to())
                        : new SequenceException.Conflict(
                                "table " + name() + " is being moved to the installation of keyspace " + move.to()
                                        + " from that of " + own + ", and neither writes to it until that is done. Then"
                                        + " give globalKeyspace=" + move.to()
                                        + ". If the command that moves it has failed, repeat it",
                                new Remedy.MoveTable(keyspace, table, move.to())));
    }

    // ---- changes: each returns the next revision; empty if there is nothing to change

    /**
     * Begins to register an identity; stays if the table has it, or it is claimed already. It replaces the claim of another
     * one, which was not acknowledged to anybody.
     *
     * @throws SequenceException.Conflict if the table has another identity
     */
    Optional<TableContract> claiming(IdentityColumn wanted) {
        if (identity != null) {
            requireIdentity(wanted);
            return Optional.empty();
        }
        return wanted.equals(claim)
                ? Optional.empty()
                : Optional.of(next(null, wanted, defaults, drew, withoutFresh(writes), definition, pending));
    }

    /** Has every row inserted under a condition from now on; stays if that is so already. */
    Optional<TableContract> withoutFresh() {
        TableWrites then = withoutFresh(writes);
        return then == null || then.equals(writes) ? Optional.empty() : Optional.of(written(then));
    }

    /** Rows of a table that gets an identity later may have the ids that it will draw. */
    private static @Nullable TableWrites withoutFresh(@Nullable TableWrites writes) {
        return writes == null ? null : writes.withoutFresh();
    }

    private void requireIdentity(IdentityColumn wanted) {
        if (!wanted.equals(identity)) {
            throw new SequenceException.Conflict(
                    "table " + name() + " has another identity: stored " + identity + ", asked " + wanted);
        }
    }

    /**
     * Completes {@link #claiming} after it was seen that no other installation numbers or claims the table. Only the revision that
     * was there before that look: a claim that was taken back and begun again is not seen by an installation that has looked in
     * between.
     */
    Optional<TableContract> completing(TableContract seen) {
        return claim != null && revision == seen.revision
                ? Optional.of(next(claim, null, defaults, drew, writes, definition, pending))
                : Optional.empty();
    }

    /**
     * Takes {@link #claiming} back; changes nothing if that was completed. No process was told that it has the identity, so any may.
     * The defaults of a table that is about to be created go with it: its CREATE TABLE fails, and they would bind the others.
     */
    Optional<TableContract> withoutClaim() {
        if (claim == null) {
            return Optional.empty();
        }
        List<ColumnDefault> left = pending ? List.of() : defaults;
        return Optional.of(next(null, null, left, drewBesides(null, left), writes, definition, pending));
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
        // The sequence may have given numbers to rows before.
        TableWrites then = wanted.kind() == ColumnDefault.Kind.NEXT_VALUE ? withoutFresh(writes) : writes;
        return Optional.of(next(identity, all, drew, then, definition, pending));
    }

    Optional<TableContract> withoutDefault(String column) {
        List<ColumnDefault> left = without(List.of(column));
        return left.size() == defaults.size()
                ? Optional.empty()
                : Optional.of(next(identity, left, drewBesides(identity, left)));
    }

    private List<ColumnDefault> without(Collection<String> columns) {
        return defaults.stream()
                .filter(each -> !columns.contains(each.column()))
                .toList();
    }

    /** Returns the columns that drew values, and will not by an identity and defaults. */
    private List<IdentityColumn> drewBesides(@Nullable IdentityColumn identityThen, List<ColumnDefault> defaultsThen) {
        List<IdentityColumn> drawn = new ArrayList<>(drew);
        if (identity != null && !identity.equals(identityThen)) {
            drawn.add(identity);
        }
        defaults.stream().filter(each -> !defaultsThen.contains(each)).forEach(each -> drawnBy(each)
                .ifPresent(drawn::add));
        return drawn.stream().distinct().toList();
    }

    /**
     * Becomes what a CREATE TABLE declares, in place of what was declared of a table that had the name before. Stays if another
     * CREATE TABLE has declared the same and may be under way: both create the table under the id of that one, so one of them does.
     * One that began long before has ended, and its table may have been dropped since. Under its id, a node that was down meanwhile
     * would show the rows of that table again.
     *
     * <p>An identity that the table did not have is claimed, as by {@link #claiming}.
     *
     * @throws SequenceException.Conflict if another identity was registered for the table that is about to be created
     */
    Optional<TableContract> declared(TableDeclaration wanted) {
        IdentityColumn given = wanted.identity();
        if (definition == null && identity != null && given != null) {
            requireIdentity(given);
        }
        // CREATE TABLE in words that CQL has, too, says nothing of identities and defaults.
        boolean isOfCql = wanted.definition().columns().isEmpty();
        // What was registered for the table that is about to be created stays.
        IdentityColumn then = given == null && (definition == null || isOfCql) ? asked() : given;
        List<ColumnDefault> all = isOfCql ? defaults : sorted(wanted.defaults());
        // Two of CQL may be of different columns, and must not have one id.
        if (pending
                && !isOfCql
                && definition != null
                && definition.saysAs(wanted.definition())
                && isAtOnce(definition.id(), wanted.definition().id())
                && Objects.equals(asked(), then)
                && defaults.equals(all)
                && Objects.equals(home(writes), home(wanted.writes()))) {
            return Optional.empty();
        }
        return Optional.of(declaring(then, all, wanted.definition(), wanted.writes(), true));
    }

    private static @Nullable String home(@Nullable TableWrites writes) {
        return writes == null ? null : writes.home();
    }

    /** @param asked the identity, which is claimed if the table does not have it */
    private TableContract declaring(
            @Nullable IdentityColumn asked,
            List<ColumnDefault> defaultsThen,
            TableDefinition definitionThen,
            @Nullable TableWrites writesThen,
            boolean pendingThen) {
        boolean had = asked == null || asked.equals(identity);
        return next(
                had ? asked : null,
                had ? null : asked,
                defaultsThen,
                drewBesides(asked, defaultsThen),
                writesThen,
                definitionThen,
                pendingThen);
    }

    private @Nullable IdentityColumn asked() {
        return identity == null ? claim : identity;
    }

    /** Returns whether two CREATE TABLE that drew these ids may be under way at the same time. */
    private static boolean isAtOnce(UUID one, UUID other) {
        if (one.equals(other)) {
            return true;
        }
        return one.version() == 1
                && other.version() == 1
                && Math.abs(Uuids.unixTimestamp(one) - Uuids.unixTimestamp(other)) <= AT_ONCE.toMillis();
    }

    /** Completes a CREATE TABLE; changes nothing if another table is declared. */
    Optional<TableContract> created(UUID id) {
        return pending && definition != null && definition.isOf(id)
                ? Optional.of(next(identity, defaults, drew, writes, definition, false))
                : Optional.empty();
    }

    /**
     * Takes back that a table is about to be created under an id, because the server has refused that: no other CREATE TABLE that declares
     * the same takes the id over any more, nor its reservations. What else it said stays, for the corrected one. Changes nothing if the
     * table was created meanwhile, or another one is declared.
     */
    Optional<TableContract> withdrawn(UUID refused) {
        return pending && definition != null && definition.isOf(refused)
                ? Optional.of(next(identity, defaults, drew, writes, definition.ofNoTable(), true))
                : Optional.empty();
    }

    /**
     * Says of a table that was created under the id of another CREATE TABLE what its own one did, if that other one was
     * {@link #withdrawn} meanwhile.
     */
    Optional<TableContract> resumed(TableDefinition created) {
        return pending
                        && definition != null
                        && definition.isOf(created.ofNoTable().id())
                ? Optional.of(next(identity, defaults, drew, writes, created, false))
                : Optional.empty();
    }

    /**
     * Becomes again what it was before a CREATE TABLE declared a table that another one's table was faster than. Its identity is
     * claimed, as in {@link #declared}: another installation may have numbered the table meanwhile.
     */
    Optional<TableContract> restored(UUID lost, TableDeclaration before) {
        return definition != null && definition.isOf(lost)
                ? Optional.of(
                        declaring(before.identity(), before.defaults(), before.definition(), before.writes(), false))
                : Optional.empty();
    }

    /**
     * Takes over what an operator says of a table that exists. What is known of a column already stays where nothing is said of it,
     * and so do the constraints.
     *
     * @throws SequenceException.Conflict if a constraint would be of a column that counts
     */
    Optional<TableContract> adopted(TableDefinition given) {
        TableDefinition known = definitionOf(given.id()).orElse(null);
        TableDefinition then = known == null ? given : known.correctedBy(given);
        if (then.equals(definition) && !pending) {
            return Optional.empty();
        }
        requireKeepable(then);
        return Optional.of(next(identity, defaults, drew, writes, then, false));
    }

    /**
     * Takes over what an operator says of a table that exists, in place of all that is known of its columns and constraints.
     *
     * @param marked whether the table's rows can have the mark of exact writes
     * @param seen the revision that the operator has seen
     * @throws SequenceException.Conflict if it was changed since, or if a constraint would be of a column that counts
     */
    Optional<TableContract> adopted(TableDefinition given, boolean marked, int seen) {
        if (!marked && writes != null && writes.changing()) {
            throw new SequenceException.Conflict("table " + name()
                    + " is about to be written exactly, and its rows have no mark yet: repeat the command that declares it"
                    + " first");
        }
        TableWrites then = marked ? writes : null;
        // Nothing is said of how many rows it has.
        TableDefinition wanted = isSmall(given.id()) ? given.small(true) : given;
        if (wanted.equals(definition) && !pending && Objects.equals(then, writes)) {
            return Optional.empty();
        }
        requireSeen(seen);
        requireKeepable(wanted);
        return Optional.of(next(identity, defaults, drew, then, wanted, false));
    }

    /**
     * Says that a table that exists is small, or that it is not; of a table that T-SQL has not defined, nothing else is said.
     *
     * @throws SequenceException.Conflict if what is declared is of another table that had the name
     */
    Optional<TableContract> sized(UUID id, boolean small) {
        if (definition != null && !definition.isOf(id) && !definition.columns().isEmpty()) {
            throw new SequenceException.Conflict(
                    "what is declared of table " + name()
                            + " is of another one that had its name: adopt this one first",
                    new Remedy.AdoptTable(keyspace, table));
        }
        TableDefinition known =
                definition != null && definition.isOf(id) ? definition : new TableDefinition(id, List.of(), List.of());
        return known.small() == small
                ? Optional.empty()
                : Optional.of(next(identity, defaults, drew, writes, known.small(small), false));
    }

    /** Returns whether the table that has an id is declared small. */
    public boolean isSmall(UUID id) {
        return definition != null && definition.isOf(id) && definition.small();
    }

    /**
     * Declares what rows that are there may break, so that no further row breaks it while they are read. This is a revision of
     * its own even if the same is declared already: whoever declared it before can then not take it back any more, and a try whose
     * answer was lost does no harm.
     *
     * @param seen the revision by which it was decided
     * @throws SequenceException.Conflict if something else was declared since, or if a constraint would be of a column that counts
     */
    Optional<TableContract> tightened(TableDefinition wanted, int seen) {
        if (!wanted.equals(definition)) {
            requireSeen(seen);
            requireKeepable(wanted);
        }
        return Optional.of(next(identity, defaults, drew, writes, wanted, pending));
    }

    /** Nobody can keep a constraint of a column to which others add without a condition, and of which Cassandra has the beginning. */
    private void requireKeepable(TableDefinition wanted) {
        for (String column : wanted.counted()) {
            for (ConstraintDefinition each : wanted.constraints()) {
                if (each.columns().contains(column)
                        || (each.kind() == ConstraintDefinition.Kind.CHECK && names(each.text(), column))) {
                    throw new SequenceException.Conflict("table " + name() + " would have a constraint of column "
                            + column + ", which counts: nobody can keep it while others add: " + each.text());
                }
            }
        }
    }

    /** Returns whether a condition may name a column; also if the name is in a string. */
    private static boolean names(String condition, String column) {
        return Pattern.compile("(?<![\\w@#$])" + Pattern.quote(column) + "(?![\\w@#$])", Pattern.CASE_INSENSITIVE)
                .matcher(condition)
                .find();
    }

    /**
     * Takes {@link #tightened} back.
     *
     * @param tightened the revision that it made
     * @throws SequenceException.Conflict if the contract was changed since, by whatever
     */
    Optional<TableContract> loosened(TableDefinition before, int tightened) {
        if (revision == tightened + 1 && before.equals(definition)) {
            // By a try whose answer was lost.
            return Optional.empty();
        }
        requireSeen(tightened);
        return Optional.of(next(identity, defaults, drew, writes, before, pending));
    }

    /**
     * Says that every row that is there has its reservation.
     *
     * @param reservations the table of those of a UNIQUE
     * @throws SequenceException.Conflict if there is none any more
     */
    Optional<TableContract> completed(String reservations) {
        if (definition == null || !definition.reservesIn(reservations)) {
            throw new SequenceException.Conflict("the UNIQUE of table " + name() + " whose values are reserved in "
                    + reservations + " was dropped meanwhile");
        }
        TableDefinition then = definition.completing(reservations);
        return then.equals(definition)
                ? Optional.empty()
                : Optional.of(next(identity, defaults, drew, writes, then, pending));
    }

    /** Forgets the UNIQUE whose values are reserved in a table, whatever else was changed. */
    Optional<TableContract> withoutReserved(String reservations) {
        return definition == null || !definition.reservesIn(reservations)
                ? Optional.empty()
                : Optional.of(
                        next(identity, defaults, drew, writes, definition.withoutReserved(reservations), pending));
    }

    /**
     * Says that every row has the twin that stands beside a column, so that rows are found by it.
     *
     * @param id that of the table
     * @throws SequenceException.Conflict if nobody keeps it any more
     */
    Optional<TableContract> completedTwin(UUID id, String column) {
        ColumnDefinition known = definitionOf(id)
                .flatMap(table -> table.column(column))
                .filter(found -> found.twin() != null && !found.twin().isOfKey())
                .orElseThrow(() -> new SequenceException.Conflict("column " + column + " of table " + name()
                        + " was dropped meanwhile, or the table was made again: nothing is declared complete"));
        Twin twin = Objects.requireNonNull(known.twin());
        return twin.isComplete() || definition == null
                ? Optional.empty()
                : Optional.of(next(
                        identity,
                        defaults,
                        drew,
                        writes,
                        definition.replacing(known.withTwin(twin.in(Twin.Place.BESIDE))),
                        pending));
    }

    /**
     * Declares columns with their defaults, in place of what was said of earlier ones of these names; of a table that T-SQL has not
     * defined, the defaults alone. This is a revision of its own even if the same is declared already: another process that
     * declared it before can then not {@linkplain #takenBack take it back} any more, and a try whose answer was lost does no
     * harm.
     *
     * @param id that of the table
     */
    Optional<TableContract> withColumns(
            UUID id,
            List<ColumnDefinition> added,
            List<ConstraintDefinition> constraints,
            List<ColumnDefault> ofAdded) {
        TableDefinition known = definitionOf(id).orElse(null);
        if (known == null && ofAdded.isEmpty()) {
            return Optional.empty();
        }
        TableDefinition then = known == null ? definition : known.with(added, constraints);
        List<ColumnDefault> all = new ArrayList<>(without(Stream.concat(
                        added.stream().map(ColumnDefinition::name),
                        ofAdded.stream().map(ColumnDefault::column))
                .toList()));
        all.addAll(ofAdded);
        return Optional.of(next(identity, all, drewBesides(identity, all), writes, then, pending));
    }

    /**
     * Declares again what was declared before {@link #withColumns}; changes nothing if the contract was changed since, by
     * whatever.
     *
     * @param added what that made
     */
    Optional<TableContract> takenBack(TableContract before, TableContract added) {
        return revision == added.revision()
                ? Optional.of(next(
                        identity,
                        before.defaults,
                        drewBesides(identity, before.defaults),
                        writes,
                        before.definition,
                        pending))
                : Optional.empty();
    }

    /**
     * Changes a column from what it was known as.
     *
     * @throws SequenceException.Conflict if the column has changed since
     */
    Optional<TableContract> altered(UUID id, ColumnDefinition from, ColumnDefinition to) {
        ColumnDefinition known =
                definitionOf(id).flatMap(table -> table.column(from.name())).orElse(null);
        if (to.equals(known)) {
            return Optional.empty();
        }
        if (definition == null || !from.equals(known)) {
            throw new SequenceException.Conflict("column " + from.label() + " of table " + name()
                    + " was altered at the same time by another process; run it again");
        }
        if (!from.collation().equals(to.collation())
                && definition.uniqueKeys().stream()
                        .anyMatch(key -> key.columns().contains(from.name()))) {
            throw new SequenceException.Conflict("column " + from.label() + " of table " + name()
                    + " is in a UNIQUE, whose values are reserved by its collation: drop the constraint, change the"
                    + " collation, and add it again");
        }
        Twin twin = from.twin();
        boolean compares =
                twin == null || to.collation().isEmpty() || to.collation().equalsIgnoreCase(twin.collation());
        if (!Objects.equals(twin, to.twin()) || !compares) {
            throw new SequenceException.Conflict("column " + from.label() + " of table " + name()
                    + (twin == null || twin.isOfKey()
                            ? " is in the primary key, which is compared by its collation"
                            : " has a form beside it by which rows are found, which is that of its collation")
                    + ": create a table with the other collation, and copy the rows");
        }
        return Optional.of(next(identity, defaults, drew, writes, definition.replacing(to), pending));
    }

    /** Forgets columns, with their defaults. */
    Optional<TableContract> withoutColumns(Collection<String> columns) {
        List<ColumnDefault> left = without(columns);
        TableDefinition then = definition == null ? null : definition.without(columns);
        return left.size() == defaults.size() && Objects.equals(then, definition)
                ? Optional.empty()
                : Optional.of(next(identity, left, drewBesides(identity, left), writes, then, pending));
    }

    /** Drops constraints and defaults by their names, whose case does not matter. */
    Optional<TableContract> withoutConstraints(Collection<String> names) {
        TableDefinition then = definition == null ? null : definition.withoutConstraints(names);
        List<ColumnDefault> left = defaults.stream()
                .filter(each -> names.stream().noneMatch(each.name()::equalsIgnoreCase))
                .toList();
        return left.size() == defaults.size() && Objects.equals(then, definition)
                ? Optional.empty()
                : Optional.of(next(identity, left, drewBesides(identity, left), writes, then, pending));
    }

    /**
     * Begins to write the table exactly; stays if it is, or is about to be.
     *
     * @throws SequenceException.Conflict if another datacenter decides the order of its writes
     */
    Optional<TableContract> beginning(TableWrites wanted) {
        if (writes == null) {
            return Optional.of(written(wanted.changing(true)));
        }
        if (!writes.home().equals(wanted.home())) {
            throw new SequenceException.Conflict("table " + name()
                    + (writes.changing() ? " is about to be" : " is") + " written exactly, " + writes.deciders()
                    + ", and stays so: of two writes that different nodes order, both could win. Copy the rows to another"
                    + " table");
        }
        return Optional.empty();
    }

    /** Completes a change that was begun; changes nothing if it is not the one under way. */
    Optional<TableContract> completed(TableWrites begun) {
        return begun.equals(writes) ? Optional.of(written(begun.changing(false))) : Optional.empty();
    }

    // ---- counters

    /**
     * Declares a table of counters that is about to be created while there is none of the name. Stays if it was changed since the
     * caller has looked for the table: another process may be creating it, or have created it meanwhile.
     *
     * @param seen the revision before that look
     * @throws SequenceException.Conflict if something else than counters is declared of the name
     */
    Optional<TableContract> beginningCounters(CounterTable wanted, int seen) {
        requireNothingBut(wanted);
        return revision == seen ? Optional.of(ofCounters(wanted, true)) : Optional.empty();
    }

    /** Whether this very table is about to be created. */
    boolean isBeginning(CounterTable wanted) {
        return pending && wanted.equals(counters);
    }

    /**
     * Begins to declare a table of counters that exists. Nobody counts in it before that is complete: another installation may do the
     * same. Another table of counters that had the name, or was to have it, does not exist: an id is used once. Stays if that other
     * one was declared since the caller has looked for the table: then it is this one that does not exist any more.
     *
     * @param seen the revision before that look
     * @return empty if it is begun, or complete, or the other one was declared
     * @throws SequenceException.Conflict if the table is of another kind
     */
    Optional<TableContract> claimingCounters(CounterTable existing, int seen) {
        requireNothingBut(existing);
        if (counters != null
                && counters.id().equals(existing.id())
                && !counters.kind().equals(existing.kind())) {
            throw becomes(new TableKind.Counters(existing.kind()));
        }
        return existing.equals(counters) || revision != seen
                ? Optional.empty()
                : Optional.of(ofCounters(existing, true));
    }

    /**
     * Completes {@link #claimingCounters} after it was seen that no other installation claims the table. Only the revision that
     * was there then: one that was taken back and begun again is not seen by an installation that has looked in between.
     *
     * @throws SequenceException.Unavailable if it was changed since
     */
    Optional<TableContract> completingCounters(TableContract claimed) {
        if (!pending && Objects.equals(counters, claimed.counters)) {
            return Optional.empty();
        }
        if (revision != claimed.revision) {
            throw new SequenceException.Unavailable(
                    "table " + name() + " was changed at the same time by another process; call again");
        }
        return Optional.of(ofCounters(counters, false));
    }

    /** Takes {@link #beginningCounters} back: the table will not be created under that id. */
    Optional<TableContract> withoutBegun(UUID id) {
        return pending && counters != null && counters.id().equals(id)
                ? Optional.of(ofCounters(null, false))
                : Optional.empty();
    }

    /** Takes {@link #claimingCounters} back; changes nothing if the contract was changed since, or that was completed. */
    Optional<TableContract> withoutCounters(TableContract claimed) {
        return pending && revision == claimed.revision ? Optional.of(ofCounters(null, false)) : Optional.empty();
    }

    private void requireNothingBut(CounterTable wanted) {
        if (identity != null || !defaults.isEmpty() || writes != null || definition != null) {
            throw becomes(new TableKind.Counters(wanted.kind()));
        }
    }

    private TableContract ofCounters(@Nullable CounterTable then, boolean pendingThen) {
        return new TableContract(
                keyspace, table, null, null, List.of(), null, drew, null, then, pendingThen, move, revision + 1);
    }

    private SequenceException.Conflict becomes(TableKind wanted) {
        return new SequenceException.Conflict("table " + name() + " is a " + kind() + ", and cannot become a " + wanted
                + ": nothing was changed. Give one of the two another name");
    }

    // ---- moves to another installation

    /**
     * Begins to give the table to another installation.
     *
     * @param own the global keyspace of this one
     * @param seen the revision on which an operator has decided
     * @throws SequenceException.Conflict if it was changed since, or is being moved elsewhere
     */
    Optional<TableContract> movingTo(String to, String own, int seen) {
        if (move != null && !move.to().equals(own)) {
            if (move.to().equals(to)) {
                return Optional.empty();
            }
            throw elsewhere(own).orElseThrow();
        }
        if (counters != null) {
            throw new SequenceException.Conflict("table " + name() + " is a " + kind()
                    + ", whose counts are kept by the installation of keyspace " + own + ": it cannot be moved");
        }
        if (definition != null && !definition.counted().isEmpty()) {
            throw new SequenceException.Conflict("table " + name() + " has columns that count, " + definition.counted()
                    + ", and what they have counted is kept by the installation of keyspace " + own
                    + ": it cannot be moved");
        }
        requireSeen(seen);
        return Optional.of(movedBy(
                identity,
                defaults,
                drew,
                writes,
                definition,
                pending,
                new Move(to, false, own + "/" + (revision + 1))));
    }

    /**
     * Takes over what another installation has declared of the table. What is declared here stays beside it, unless the table was
     * moved away since. If two installations number the table, this one's identity stays.
     *
     * @param from the contract of the other one, which is being moved here
     * @param seen the revision of this one that was read before it was known that {@code from} is still being moved
     * @throws SequenceException.Conflict if the two contradict each other, or this one was changed since
     */
    Optional<TableContract> takenOver(TableContract from, int seen) {
        Move taken = Objects.requireNonNull(from.move, "move").completed();
        if (taken.equals(move)) {
            return Optional.empty();
        }
        boolean here = move == null || move.to().equals(taken.to());
        if (move != null && !here && !move.complete()) {
            throw elsewhere(taken.to()).orElseThrow();
        }
        if (counters != null) {
            throw becomes(from.kind());
        }
        requireSeen(seen);
        return Optional.of((here ? this : cleared()).with(from, taken));
    }

    private TableContract cleared() {
        return new TableContract(keyspace, table, null, null, List.of(), null, drew, null, null, false, move, revision);
    }

    private TableContract with(TableContract from, Move taken) {
        requireSame(
                "identity",
                identity == null ? null : identity.column(),
                from.identity == null ? null : from.identity.column());
        requireSame("write mode", withoutFresh(writes), withoutFresh(from.writes));
        // What draws here already keeps its sequence, which is raised past the other's.
        List<ColumnDefault> all = new ArrayList<>(defaults);
        from.defaults.stream()
                .filter(each -> defaults.stream().noneMatch(own -> own.column().equals(each.column())))
                .forEach(all::add);
        IdentityColumn then = identity == null ? from.identity : identity;
        if (then != null && all.stream().anyMatch(each -> each.column().equals(then.column()))) {
            throw new SequenceException.Conflict("column " + then.column() + " of table " + name()
                    + " is the identity in one of two installations, and has a default in the other: drop the default"
                    + " first");
        }
        return movedBy(
                then,
                all,
                Stream.concat(drew.stream(), from.drew.stream()).distinct().toList(),
                withoutFresh(writes == null ? from.writes : writes),
                from.definition == null ? definition : from.definition,
                pending,
                taken);
    }

    private void requireSame(String what, @Nullable Object here, @Nullable Object other) {
        if (here != null && other != null && !here.equals(other)) {
            throw new SequenceException.Conflict("table " + name() + " has another " + what
                    + " in the installation to which it is to be moved: there " + here + ", and here " + other
                    + ". Make them the same first");
        }
    }

    /** Completes a move: nothing is declared here any more, except which columns drew ids. */
    Optional<TableContract> moved(Move begun) {
        if (begun.completed().equals(move)) {
            return Optional.empty();
        }
        if (!begun.equals(move)) {
            throw new SequenceException.Conflict(
                    "table " + name() + " is not being moved to the installation of keyspace " + begun.to()
                            + " any more: its contract was changed meanwhile");
        }
        return Optional.of(
                movedBy(null, List.of(), drewBesides(null, List.of()), null, null, false, begun.completed()));
    }

    private void requireSeen(int seen) {
        if (revision != seen) {
            throw new SequenceException.Conflict("the contract of table " + name()
                    + " was changed meanwhile: it had revision " + seen + ", and has " + revision
                    + " now. Nothing was changed; run the command again, which shows what is declared now");
        }
    }

    /** A claim is not moved: its process finds it gone. */
    private TableContract movedBy(
            @Nullable IdentityColumn identityThen,
            List<ColumnDefault> defaultsThen,
            List<IdentityColumn> drewThen,
            @Nullable TableWrites writesThen,
            @Nullable TableDefinition definitionThen,
            boolean pendingThen,
            @Nullable Move moveThen) {
        return new TableContract(
                keyspace,
                table,
                identityThen,
                null,
                defaultsThen,
                writesThen,
                drewThen,
                definitionThen,
                null,
                pendingThen,
                moveThen,
                revision + 1);
    }

    private TableContract written(TableWrites then) {
        return next(identity, defaults, drew, then, definition, pending);
    }

    private TableContract next(
            @Nullable IdentityColumn identityThen, List<ColumnDefault> defaultsThen, List<IdentityColumn> drewThen) {
        return next(identityThen, defaultsThen, drewThen, writes, definition, pending);
    }

    private TableContract next(
            @Nullable IdentityColumn identityThen,
            List<ColumnDefault> defaultsThen,
            List<IdentityColumn> drewThen,
            @Nullable TableWrites writesThen,
            @Nullable TableDefinition definitionThen,
            boolean pendingThen) {
        return next(
                identityThen,
                identityThen == null ? claim : null,
                defaultsThen,
                drewThen,
                writesThen,
                definitionThen,
                pendingThen);
    }

    private TableContract next(
            @Nullable IdentityColumn identityThen,
            @Nullable IdentityColumn claimThen,
            List<ColumnDefault> defaultsThen,
            List<IdentityColumn> drewThen,
            @Nullable TableWrites writesThen,
            @Nullable TableDefinition definitionThen,
            boolean pendingThen) {
        if (counters != null) {
            throw becomes(definitionThen == null ? new TableKind.Cql() : new TableKind.Tsql());
        }
        return new TableContract(
                keyspace,
                table,
                identityThen,
                claimThen,
                defaultsThen,
                writesThen,
                drewThen,
                definitionThen,
                null,
                pendingThen,
                move,
                revision + 1);
    }

    /** Returns what is declared of the table that has an id; empty if it is of another, and if its CREATE TABLE was CQL's. */
    Optional<TableDefinition> definitionOf(UUID id) {
        return Optional.ofNullable(definition)
                .filter(known -> known.isOf(id) && !known.columns().isEmpty());
    }

    /** Returns what a CREATE TABLE has declared, an identity that it claims included; empty if none has. */
    Optional<TableDeclaration> declaration() {
        return Optional.ofNullable(definition)
                .map(known -> new TableDeclaration(keyspace, table, known, asked(), defaults, writes));
    }

    /** Returns every column that takes or took values of a sequence. */
    List<IdentityColumn> columns() {
        List<IdentityColumn> all = new ArrayList<>(drew);
        all.addAll(drawing());
        return all;
    }

    /**
     * Returns what inserts add to a row: the defaults, twins of columns, {@link RowMark} where rows have it, and {@link CountMark} where
     * columns count.
     */
    List<ColumnDefault> added() {
        if (writes == null) {
            return defaults;
        }
        List<ColumnDefault> all = new ArrayList<>(defaults);
        all.add(new ColumnDefault(
                keyspace,
                table,
                RowMark.COLUMN,
                RowMark.COLUMN,
                ColumnDefault.Kind.CONSTANT,
                RowMark.FREE,
                RowMark.FREE));
        if (definition != null) {
            for (String column : definition.twins().keySet()) {
                String twin = Twin.nameOf(column);
                all.add(new ColumnDefault(keyspace, table, twin, twin, ColumnDefault.Kind.TWIN, column, ""));
            }
            if (!definition.counted().isEmpty()) {
                all.add(new ColumnDefault(
                        keyspace, table, CountMark.COLUMN, CountMark.COLUMN, ColumnDefault.Kind.NEW_ID, "uuid", ""));
            }
        }
        return all;
    }

    /** Returns every column that takes values of a sequence. */
    public List<IdentityColumn> drawing() {
        List<IdentityColumn> all = new ArrayList<>();
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
