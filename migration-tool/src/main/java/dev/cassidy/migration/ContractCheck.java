package dev.cassidy.migration;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.metadata.Metadata;
import com.datastax.oss.driver.api.core.metadata.schema.ColumnMetadata;
import com.datastax.oss.driver.api.core.metadata.schema.TableMetadata;
import com.datastax.oss.driver.api.core.type.DataTypes;
import dev.cassidy.definition.ColumnDefinition;
import dev.cassidy.definition.ConstraintDefinition;
import dev.cassidy.definition.Reservations;
import dev.cassidy.definition.RowMark;
import dev.cassidy.definition.TableDefinition;
import dev.cassidy.definition.Twin;
import dev.cassidy.jdbc.run.TableDeclarations;
import dev.cassidy.jdbc.run.UniqueDeclarations;
import dev.cassidy.migration.error.Finding;
import dev.cassidy.migration.rows.RowCheck;
import dev.cassidy.migration.rows.TwinCheck;
import dev.cassidy.migration.rows.UniqueCheck;
import dev.cassidy.migration.target.Target;
import dev.cassidy.remedy.Remedy;
import dev.cassidy.sequence.IdentityColumn;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.table.ColumnDefault;
import dev.cassidy.table.CounterTable;
import dev.cassidy.table.ForeignTable;
import dev.cassidy.table.Move;
import dev.cassidy.table.TableContract;
import dev.cassidy.table.TableWrites;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Compares contracts of tables with the schema of the cluster.
 *
 * @param sequences looks up a sequence; empty if there is none of a name
 * @param others what other installations number or give away
 * @param own the global keyspace of the contracts' installation
 */
record ContractCheck(
        Metadata schema, Function<String, Optional<SequenceSpec>> sequences, List<ForeignTable> others, String own) {

    /** In what a contract and a schema differ. */
    enum Kind {
        /** The table of the contract was dropped. */
        DROPPED,
        /** The table of the contract was declared and not created. */
        PENDING,
        /** There is no table of a name for which something is registered. */
        ABSENT,
        /** The table is registered, and no T-SQL has defined it. */
        UNDEFINED,
        /** The table was created, or is to draw ids, and it was not recorded that it was, or does. */
        UNRECORDED,
        /** The table is another one than the contract's. */
        REPLACED,
        /** The table has other columns. */
        COLUMNS,
        /** Columns have other types. */
        TYPES,
        IDENTITY,
        /** Another installation numbers the table too. */
        NUMBERED_TWICE,
        /** The table is being moved to another installation, or from one to this. */
        MOVING,
        /** The table was moved to another installation. */
        MOVED,
        DEFAULT,
        WRITES,
        /** The key is not compared as the contract says. */
        KEY,
        /** What stands beside a column, by which an index compares it, is not as the contract says. */
        TWIN,
        /** Values of UNIQUE are not reserved as the contract says. */
        RESERVATIONS,
        /** Rows break a rule. */
        ROWS,
        /** The rows could not be read. */
        UNREAD
    }

    /**
     * A difference.
     *
     * @param remedy the command that ends it; null if none does
     * @param installation in which to run the command
     */
    record Difference(Kind kind, Finding finding, Remedy.@Nullable ByCommand remedy, String installation) {}

    /** Returns a difference that no command ends. */
    Difference of(Kind kind, Finding finding) {
        return new Difference(kind, finding, null, own);
    }

    /** Returns a difference that {@code tables adopt} ends. */
    private Difference adoptable(TableContract contract, Kind kind, Finding finding) {
        return new Difference(kind, finding, new Remedy.AdoptTable(contract.keyspace(), contract.table()), own);
    }

    /** Returns what is to be said of a table that is being moved here, and of which there may be no contract yet. */
    Difference arriving(String keyspace, String table, String from) {
        return new Difference(
                Kind.MOVING,
                Finding.warning("is being moved here from the installation of keyspace " + from
                        + ", and neither writes to it: the command that moves it has ended before it was done, or is"
                        + " under way. Repeat it"),
                new Remedy.MoveTable(keyspace, table, own),
                from);
    }

    /** Returns how a contract and the schema differ; nothing if they agree. */
    List<Difference> of(TableContract contract) {
        TableMetadata table =
                Target.table(schema, contract.keyspace(), contract.table()).orElse(null);
        TableDefinition definition = contract.definition();
        Move move = contract.move();
        if (move != null && !move.to().equals(own)) {
            return List.of(leaving(contract, move));
        }
        if (table == null) {
            return absent(contract, definition);
        }
        List<Difference> differences = new ArrayList<>();
        if (contract.claim() != null) {
            differences.add(claimed(contract.claim()));
        }
        boolean registered = contract.identity() != null || !contract.defaults().isEmpty() || contract.writes() != null;
        if (definition != null) {
            differences.addAll(definition(contract, definition, table));
        } else if (contract.counters() != null) {
            differences.addAll(counters(contract, contract.counters(), table));
        } else if (registered) {
            differences.add(
                    adoptable(
                            contract,
                            Kind.UNDEFINED,
                            Finding.info(
                                    "is registered, and no T-SQL has defined it: lengths, precision, NOT NULL and the order"
                                            + " of its columns are not known, and an INSERT without a column list is refused")));
        }
        differences.addAll(uses(contract, table));
        return differences;
    }

    /** Returns the table that a contract's definition is of; empty if there is none. */
    Optional<TableMetadata> defined(TableContract contract) {
        TableDefinition definition = contract.definition();
        return Target.table(schema, contract.keyspace(), contract.table())
                .filter(table ->
                        definition != null && definition.isOf(table.getId().orElseThrow()));
    }

    /** Returns what rows of that table are held against: what its columns that exist declare of their own types. */
    RowCheck.Rules rules(TableContract contract, TableMetadata table) {
        TableDefinition definition = Objects.requireNonNull(contract.definition());
        Map<String, Twin> twins = new TreeMap<>();
        definition.twinsOfKey().forEach((column, twin) -> {
            if (isKnown(twin)
                    && column(table, column).isPresent()
                    && column(table, Twin.nameOf(column)).isPresent()) {
                twins.put(column, twin);
            }
        });
        return rules(TableDeclarations.fitting(table, definition), definition.constraints(), table, definition, twins);
    }

    /** Returns whether this release has the characters that keys were made with. */
    private static boolean isKnown(Twin twin) {
        try {
            String unused = twin.fold("");
            return true;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /** Returns columns and constraints as rules of rows; of CHECKs those that can be decided. */
    static RowCheck.Rules rules(
            List<ColumnDefinition> columns,
            List<ConstraintDefinition> constraints,
            TableMetadata table,
            TableDefinition definition,
            Map<String, Twin> twins) {
        List<RowCheck.Check> checks = new ArrayList<>();
        constraints.stream()
                .filter(each -> each.kind() == ConstraintDefinition.Kind.CHECK)
                .forEach(each -> TableDeclarations.check(table, each, definition)
                        .ifPresent(condition -> checks.add(new RowCheck.Check(each, condition))));
        return new RowCheck.Rules(
                columns,
                constraints.stream()
                        // Of one that is kept, the reservations tell.
                        .filter(each -> each.kind() == ConstraintDefinition.Kind.UNIQUE && each.reserved() == null)
                        .filter(each -> each.columns().stream()
                                .allMatch(name -> column(table, name).isPresent()))
                        .toList(),
                checks,
                twins);
    }

    private Difference claimed(IdentityColumn claim) {
        return of(
                Kind.UNRECORDED,
                Finding.warning("is not registered completely, and its column " + claim.column()
                        + " draws nothing yet: a process is at it, or has ended before it was done. Register it once more, by"
                        + " cassidy ids register or by the statement or call that began it"));
    }

    private Difference leaving(TableContract contract, Move move) {
        return move.complete()
                ? of(
                        Kind.MOVED,
                        Finding.info("was moved to the installation of keyspace " + move.to()
                                + "; this one refuses writes to it"))
                : new Difference(
                        Kind.MOVING,
                        Finding.warning("is being moved to the installation of keyspace " + move.to()
                                + ", and neither writes to it: the command that moves it has ended before it was done,"
                                + " or is under way. Repeat it"),
                        new Remedy.MoveTable(contract.keyspace(), contract.table(), move.to()),
                        own);
    }

    private List<Difference> absent(TableContract contract, @Nullable TableDefinition definition) {
        String sequence =
                contract.identity() == null ? "" : ". Its sequence continues if a table of this name is created again";
        if (contract.counters() != null) {
            return List.of(of(
                    contract.pending() ? Kind.PENDING : Kind.DROPPED,
                    Finding.info(
                            contract.pending()
                                    ? "was declared and is not created yet; nothing of it is of effect"
                                    : "was dropped; nothing of its contract is of effect")));
        }
        if (definition != null && contract.pending()) {
            return List.of(of(
                    Kind.PENDING,
                    Finding.info(
                            "was declared by a CREATE TABLE that ended before it created the table, or that is under"
                                    + " way; nothing of it is of effect. The same CREATE TABLE continues it"
                                    + sequence)));
        }
        if (definition != null) {
            return List.of(of(
                    Kind.DROPPED,
                    Finding.info("was dropped; nothing of its contract is of effect, and CREATE TABLE in T-SQL begins"
                            + " another" + sequence)));
        }
        if (contract.claim() != null) {
            return List.of(claimed(contract.claim()));
        }
        return contract.identity() == null && contract.defaults().isEmpty() && contract.writes() == null
                ? List.of()
                : List.of(of(
                        Kind.ABSENT,
                        Finding.info("is registered and does not exist: it was dropped, or is not created yet")));
    }

    private List<Difference> counters(TableContract contract, CounterTable counters, TableMetadata table) {
        UUID id = table.getId().orElseThrow();
        if (id.equals(counters.id()) && contract.pending()) {
            return List.of(of(
                    Kind.UNRECORDED,
                    Finding.warning("is not declared completely as one of counters of the kind " + counters.kind()
                            + ", and nobody can open it: a process is at it, or has ended before it was done. Complete it by"
                            + " cassidy counters adopt --table " + contract.name() + " --kind " + counters.kind())));
        }
        return id.equals(counters.id())
                ? List.of()
                : List.of(of(
                        Kind.REPLACED,
                        Finding.warning(
                                "has the id " + id + ", and its contract is of the table of counters with the id "
                                        + counters.id() + ": that one was dropped"
                                        + (contract.pending() ? ", or is not created yet" : ""))));
    }

    private List<Difference> definition(TableContract contract, TableDefinition definition, TableMetadata table) {
        UUID id = table.getId().orElseThrow();
        if (!definition.isOf(id)) {
            return List.of(adoptable(
                    contract,
                    Kind.REPLACED,
                    Finding.warning("has the id " + id + ", and its contract is of the table with the id "
                            + definition.id() + ": that one was dropped and this one created by other means than T-SQL,"
                            + " or a CREATE TABLE ended before it had restored the contract. Lengths, precision, NOT"
                            + " NULL and the order of its columns are not known")));
        }
        List<Difference> differences = new ArrayList<>();
        if (contract.pending()) {
            differences.add(adoptable(
                    contract,
                    Kind.UNRECORDED,
                    Finding.info(
                            "was created as its contract says, and CREATE TABLE ended before it recorded that, or is"
                                    + " under way: all of the contract is of effect")));
        }
        List<String> existing = names(table.getColumns().values().stream()).stream()
                .filter(name -> !TableDefinition.isHidden(name))
                .toList();
        List<String> declared =
                definition.columns().stream().map(ColumnDefinition::name).toList();
        List<String> added =
                existing.stream().filter(name -> !declared.contains(name)).toList();
        List<String> gone =
                declared.stream().filter(name -> !existing.contains(name)).toList();
        // Without columns, CREATE TABLE was CQL's.
        if (!added.isEmpty() && !declared.isEmpty()) {
            differences.add(adoptable(
                    contract,
                    Kind.COLUMNS,
                    Finding.warning("has columns that its contract does not have: " + added
                            + ". They were added or renamed by CQL, so what T-SQL would say of them is not known"
                            + (added.size() > 1
                                    ? "; an INSERT without a column list is refused, because their order is not"
                                            + " known either"
                                    : ""))));
        }
        if (!gone.isEmpty()) {
            differences.add(adoptable(
                    contract,
                    Kind.COLUMNS,
                    Finding.warning("lacks columns that its contract has: " + gone
                            + ". They were dropped or renamed by CQL, or an ALTER TABLE ADD ended before it added them,"
                            + " or is under way")));
        }
        twins(definition, table).map(problem -> problem(Kind.KEY, problem)).ifPresent(differences::add);
        twinsBeside(contract, definition, table, differences);
        if (contract.writes() != null) {
            definition.constraints().forEach(each -> reservations(contract, each)
                    .ifPresent(differences::add));
        }
        for (ColumnDefinition column : definition.columns()) {
            if (existing.contains(column.name()) && !TableDeclarations.fits(table, column)) {
                differences.add(adoptable(
                        contract,
                        Kind.TYPES,
                        Finding.warning("has the column '" + column.name() + "' as " + type(table, column.name())
                                + ", and its contract says " + column.type()
                                + ": it was dropped and added again by CQL")));
            }
        }
        return differences;
    }

    // ---- by what a key is compared

    private static Optional<String> twins(TableDefinition definition, TableMetadata table) {
        Set<String> stored = names(table.getPrimaryKey().stream()).stream()
                .filter(Twin::isOne)
                .map(Twin::original)
                .collect(Collectors.toCollection(TreeSet::new));
        Set<String> declared = new TreeSet<>(definition.twinsOfKey().keySet());
        return stored.equals(declared)
                ? Optional.empty()
                : Optional.of("has a key that is compared by the collations of " + stored
                        + ", and its contract says by those of " + declared
                        + ": statements that name rows by their key fail. It was created again or changed by other means"
                        + " than T-SQL: create a table by T-SQL, and copy the rows");
    }

    // ---- by what indexes compare strings

    private void twinsBeside(
            TableContract contract, TableDefinition definition, TableMetadata table, List<Difference> differences) {
        Set<String> stored = names(table.getColumns().values().stream()).stream()
                .filter(Twin::isOne)
                .map(Twin::original)
                .collect(Collectors.toCollection(TreeSet::new));
        names(table.getPrimaryKey().stream()).stream().map(Twin::original).forEach(stored::remove);
        definition.twinsBeside().forEach((column, twin) -> {
            if (!stored.contains(column)) {
                differences.add(new Difference(
                        Kind.TWIN,
                        Finding.warning("lacks the column " + Twin.nameOf(column) + ", which writers keep beside "
                                + column + ": what sets that fails. It was dropped by other means than T-SQL"),
                        new Remedy.RebuildUnique(contract.keyspace(), contract.table()),
                        own));
            } else if (!twin.isComplete()) {
                differences.add(new Difference(
                        Kind.TWIN,
                        Finding.warning("has the form by which " + twin.collation() + " compares column " + column
                                + " declared, and not every row is known to have it: the command or the CREATE INDEX that"
                                + " adds it is under way, or has ended before it was done. Repeat it"),
                        new Remedy.AddTwin(contract.keyspace(), contract.table(), column),
                        own));
            }
        });
        stored.removeAll(definition.twinsBeside().keySet());
        if (!stored.isEmpty()) {
            differences.add(of(
                    Kind.TWIN,
                    Finding.warning("has forms beside the columns " + stored
                            + " by which nobody compares and which nobody keeps: a command or a CREATE INDEX has ended"
                            + " before it had declared them. Repeat it, or drop "
                            + stored.stream().map(Twin::nameOf).collect(Collectors.joining(", ")) + " by CQL")));
        }
    }

    /** Returns the twins beside columns that can be held against rows; those of keys are rules of rows. */
    Map<String, Twin> twins(TableContract contract, TableMetadata table) {
        TableDefinition definition = contract.definition();
        if (contract.writes() == null || definition == null) {
            return Map.of();
        }
        Map<String, Twin> twins = definition.twinsBeside();
        twins.keySet()
                .removeIf(name -> column(table, name).isEmpty()
                        || column(table, Twin.nameOf(name)).isEmpty());
        return twins;
    }

    /** Returns what rows and twins say against each other. */
    List<Difference> twins(TableContract contract, TwinCheck.Result found) {
        List<Difference> differences = new ArrayList<>();
        if (found.wrong().count() > 0) {
            differences.add(new Difference(
                    Kind.TWIN,
                    Finding.warning(found.wrong().count() + (found.wrong().count() == 1 ? " row has" : " rows have")
                            + " not the form by which an index compares their strings, and are not found by it: "
                            + found.wrong().shown()
                            + ". A client that does not know of it has written, or rows were restored from before it"),
                    remedy(contract),
                    own));
        }
        if (found.unsettled().count() > 0) {
            differences.add(of(
                    Kind.UNREAD,
                    Finding.warning(
                            "whether rows have the form by which their strings are compared is not known of those"
                                    + " that were written all the time: "
                                    + found.unsettled().shown())));
        }
        return differences;
    }

    /** What is being built, the command that builds it goes on with. */
    private static Remedy.ByCommand remedy(TableContract contract) {
        TableDefinition definition = contract.definition();
        return (definition == null ? Map.<String, Twin>of() : definition.twinsBeside())
                .entrySet().stream()
                        .filter(each -> !each.getValue().isComplete())
                        .map(Map.Entry::getKey)
                        .findFirst()
                        .<Remedy.ByCommand>map(
                                column -> new Remedy.AddTwin(contract.keyspace(), contract.table(), column))
                        .orElseGet(() -> new Remedy.RebuildUnique(contract.keyspace(), contract.table()));
    }

    static String unmarked(UniqueCheck.Found found) {
        return found.count() + (found.count() == 1 ? " row lacks its mark" : " rows lack their mark")
                + ", so that no exact write finds them: " + found.shown()
                + ". They were written past the driver; insert them again by JDBC";
    }

    // ---- where values of UNIQUE are reserved

    private Optional<Difference> reservations(TableContract contract, ConstraintDefinition unique) {
        Reservations reserved = unique.reserved();
        if (reserved == null) {
            return Optional.empty();
        }
        TableMetadata table =
                Target.table(schema, contract.keyspace(), reserved.table()).orElse(null);
        String written = UniqueDeclarations.written(unique);
        if (table == null || !isOfReservations(table)) {
            return Optional.of(new Difference(
                    Kind.RESERVATIONS,
                    Finding.warning("keeps " + written + " by the table " + reserved.table() + ", which "
                            + (table == null ? "does not exist" : "has other columns")
                            + ": what changes a value fails. "
                            + (table == null
                                    ? "It is made from the rows"
                                    : "Drop it by CQL; then it is made from the rows")),
                    new Remedy.RebuildUnique(contract.keyspace(), contract.table()),
                    own));
        }
        return reserved.complete()
                ? Optional.empty()
                : Optional.of(new Difference(
                        Kind.RESERVATIONS,
                        Finding.warning("has " + written
                                + " declared, and not every row is known to have its reservation: the command that adds it is"
                                + " under way, or has ended before it was done. Repeat it"),
                        new Remedy.AddUnique(contract.keyspace(), contract.table(), written),
                        own));
    }

    /** Returns whether a table has the columns of reservations. */
    static boolean isOfReservations(TableMetadata table) {
        return names(table.getPrimaryKey().stream()).equals(List.of(Reservations.VALUE))
                && Stream.of(Reservations.VALUE, Reservations.ROW, RowMark.COLUMN)
                        .allMatch(name -> column(table, name)
                                .filter(found -> found.getType().equals(DataTypes.BLOB))
                                .isPresent());
    }

    /** Returns the constraints whose reservations can be held against rows. */
    List<KeptUnique> reserved(TableContract contract) {
        TableDefinition definition = contract.definition();
        return contract.writes() == null || definition == null
                ? List.of()
                : KeptUnique.of(definition).stream()
                        .filter(each -> Target.table(
                                        schema,
                                        contract.keyspace(),
                                        each.key().reservations().table())
                                .filter(ContractCheck::isOfReservations)
                                .isPresent())
                        .toList();
    }

    /** Returns what rows and reservations of a constraint say against each other. */
    List<Difference> reservations(TableContract contract, KeptUnique unique, UniqueCheck.Result found) {
        List<Difference> differences = new ArrayList<>();
        if (found.duplicates().count() > 0) {
            differences.add(of(
                    Kind.ROWS,
                    Finding.warning(new RowCheck.Broken(
                                    unique.written(),
                                    found.duplicates().count(),
                                    found.duplicates().examples())
                            .toString())));
        }
        if (found.unmarked().count() > 0) {
            differences.add(of(Kind.ROWS, Finding.warning(unmarked(unique, found.unmarked()))));
        }
        if (found.unsettled().count() > 0) {
            differences.add(of(
                    Kind.UNREAD,
                    Finding.warning("whether the reservations of " + unique.written()
                            + " agree is not known of rows that were written all the time: "
                            + found.unsettled().shown())));
        }
        if (found.isToBeMended()) {
            differences.add(new Difference(
                    Kind.RESERVATIONS,
                    Finding.warning(differing(unique, found)
                            + ". A client that does not know of the constraint has written, or the tables were restored from"
                            + " different moments"),
                    unique.key().reservations().complete()
                            ? new Remedy.RebuildUnique(contract.keyspace(), contract.table())
                            : new Remedy.AddUnique(contract.keyspace(), contract.table(), unique.written()),
                    own));
        }
        return differences;
    }

    /** Returns what is to be said of rows that no exact write finds. */
    static String unmarked(KeptUnique unique, UniqueCheck.Found rows) {
        return counted(rows.count(), "row") + " cannot be held against " + unique.written()
                + ", because no exact write finds what lacks the mark " + RowMark.COLUMN
                + ", which a client has written that does not know of it: " + rows.shown();
    }

    private static String differing(KeptUnique unique, UniqueCheck.Result found) {
        List<String> parts = new ArrayList<>();
        differing(parts, found.unreserved(), "row", "without a reservation");
        differing(parts, found.misnamed(), "row", "with a reservation of another row, which does not have the value");
        differing(parts, found.orphans(), "reservation", "of no row that has its value");
        return "has, of " + unique.written() + ", " + String.join(", and ", parts);
    }

    private static void differing(List<String> parts, UniqueCheck.Found found, String what, String how) {
        if (found.count() > 0) {
            parts.add(counted(found.count(), what) + " " + how + " (" + found.shown() + ")");
        }
    }

    private static String counted(long count, String what) {
        return count + " " + what + (count == 1 ? "" : "s");
    }

    private static List<String> names(Stream<ColumnMetadata> columns) {
        return columns.map(column -> column.getName().asInternal()).toList();
    }

    private static String type(TableMetadata table, String column) {
        return column(table, column)
                .map(found -> found.getType().asCql(false, false))
                .orElse("");
    }

    private static Optional<ColumnMetadata> column(TableMetadata table, String name) {
        return table.getColumn(CqlIdentifier.fromInternal(name));
    }

    // ---- what inserts and updates would do with the table

    /** Adoption takes the writes back, too. */
    private static boolean isReplaced(TableContract contract, TableMetadata table) {
        TableDefinition definition = contract.definition();
        return definition != null && !definition.isOf(table.getId().orElse(null));
    }

    /** Returns where the columns that a contract uses are not what it needs. That holds for whatever table has the name. */
    List<Difference> uses(TableContract contract, TableMetadata table) {
        List<Difference> differences = new ArrayList<>();
        IdentityColumn identity = contract.identity();
        if (identity != null) {
            identity(identity, table).ifPresent(problem -> differences.add(problem(Kind.IDENTITY, problem)));
        }
        if (!contract.drawing().isEmpty()) {
            others.stream()
                    .filter(other -> other.name().equals(contract.name()) && !own.equals(other.movingTo()))
                    .forEach(other -> differences.add(numberedTwice(contract, other)));
        }
        for (ColumnDefault each : contract.defaults()) {
            columnDefault(each, table)
                    .ifPresent(problem -> differences.add(problem(
                            Kind.DEFAULT,
                            problem + ". Drop the default: ALTER TABLE " + cql(contract) + " DROP CONSTRAINT ["
                                    + each.name() + "], by JDBC")));
        }
        TableWrites writes = contract.writes();
        if (writes != null
                // Until then, the command that declares it has not added the column.
                && !writes.changing()
                && column(table, RowMark.COLUMN).isEmpty()
                && !isReplaced(contract, table)) {
            differences.add(adoptable(
                    contract,
                    Kind.WRITES,
                    Finding.warning("its writes are exact, and it lacks the column " + RowMark.COLUMN
                            + ", the mark of each row: every write to it fails. Adopt it, which makes its writes plain, and"
                            + " declare them exact again")));
        }
        return differences;
    }

    private Difference numberedTwice(TableContract contract, ForeignTable other) {
        return new Difference(
                Kind.NUMBERED_TWICE,
                Finding.risk("is numbered by the installation of keyspace " + other.installation()
                        + " too: both issue the same ids. Stop the clients of one of the two at once. This command gives"
                        + " the table to the other; to keep it here, exchange --to and --global-keyspace"),
                new Remedy.MoveTable(contract.keyspace(), contract.table(), other.installation()),
                own);
    }

    private static String cql(TableContract contract) {
        return CqlIdentifier.fromInternal(contract.keyspace()).asCql(true) + "."
                + CqlIdentifier.fromInternal(contract.table()).asCql(true);
    }

    private Difference problem(Kind kind, String problem) {
        return of(kind, Finding.warning(problem));
    }

    private Optional<String> identity(IdentityColumn identity, TableMetadata table) {
        SequenceSpec sequence = sequences.apply(identity.sequence()).orElse(null);
        if (column(table, identity.column()).isEmpty()) {
            return Optional.of("its identity column '" + identity.column()
                    + "' does not exist, so inserts fail: it was dropped or renamed by CQL, or another table was created."
                    + " Add or rename it"
                    + (sequence == null ? "" : ", as " + sequence.type().name().toLowerCase(Locale.ROOT))
                    + ", or create the table again by T-SQL");
        }
        return drawn("its identity column", identity, sequence, table);
    }

    private static Optional<String> drawn(
            String what, IdentityColumn column, @Nullable SequenceSpec sequence, TableMetadata table) {
        if (sequence == null) {
            return Optional.of(what + " '" + column.column() + "' takes ids of the sequence " + column.sequence()
                    + ", which does not exist, so inserts fail. Create the sequence past every id that was issued");
        }
        return Target.holds(column(table, column.column()).orElseThrow().getType(), sequence)
                ? Optional.empty()
                : Optional.of(what + " '" + column.column() + "' is " + type(table, column.column())
                        + " and cannot hold every id of the sequence " + sequence.name() + ", which ends with "
                        + sequence.idAt(sequence.count() - 1)
                        + ": inserts fail from some id on. Copy the rows to a table with a wider column");
    }

    private Optional<String> columnDefault(ColumnDefault known, TableMetadata table) {
        String shown = "its default " + known.expression() + " is of the column '" + known.column() + "'";
        if (column(table, known.column()).isEmpty()) {
            return Optional.of(shown + ", which does not exist: it gives nothing until there is one");
        }
        try {
            ColumnDefault now = TableDeclarations.columnDefault(table, known.column(), known.expression());
            boolean draws = known.kind() == ColumnDefault.Kind.NEXT_VALUE;
            if (now.kind() != known.kind() || !(draws || Objects.equals(now.value(), known.value()))) {
                return Optional.of(
                        shown + ", which is " + type(table, known.column()) + ", and gives it a value of another type");
            }
            return draws
                    ? drawn(
                            "the column",
                            new IdentityColumn(known.keyspace(), known.table(), known.column(), known.value()),
                            sequences.apply(known.value()).orElse(null),
                            table)
                    : Optional.empty();
        } catch (SQLException e) {
            return Optional.of(
                    shown + ", which is " + type(table, known.column()) + " and cannot take it: " + e.getMessage());
        }
    }
}
