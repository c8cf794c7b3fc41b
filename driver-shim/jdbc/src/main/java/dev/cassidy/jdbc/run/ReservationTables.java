package dev.cassidy.jdbc.run;

import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import dev.cassidy.definition.ColumnDefinition;
import dev.cassidy.definition.ConstraintDefinition;
import dev.cassidy.definition.Reservations;
import dev.cassidy.definition.TableDefinition;
import dev.cassidy.definition.UniqueKey;
import dev.cassidy.insert.CqlChange;
import dev.cassidy.insert.CqlInsert;
import dev.cassidy.insert.Identifiers;
import dev.cassidy.insert.Tokens;
import dev.cassidy.jdbc.error.SqlErrors;
import dev.cassidy.jdbc.error.Unserved;
import dev.cassidy.jdbc.error.Warnings;
import dev.cassidy.jdbc.session.SharedSession;
import dev.cassidy.jdbc.session.Tables;
import dev.cassidy.table.TableWrites;
import dev.cassidy.tsql.Dropped;
import dev.cassidy.tsql.TsqlStep;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The tables in which the values of UNIQUE are reserved: which constraint gets one, and where it goes when the constraint does. They have
 * no contract: that of their table says how they are written, and without one nobody else writes a table whose rows have marks.
 */
final class ReservationTables {

    private final ConnectionState connection;
    private final SharedSession session;
    private final Tables tables;
    private final Binder binder;
    private final Consumer<SQLWarning> warnings;
    private final StatementSender sender;

    ReservationTables(
            ConnectionState connection,
            SharedSession session,
            Tables tables,
            Binder binder,
            Consumer<SQLWarning> warnings,
            StatementSender sender) {
        this.connection = connection;
        this.session = session;
        this.tables = tables;
        this.binder = binder;
        this.warnings = warnings;
        this.sender = sender;
    }

    /** Refuses UNIQUE of a table whose writes are plain, or warns of it, as the connection says. */
    void leaveOut(TsqlStep.CreateTable step) throws SQLException {
        for (ConstraintDefinition each : step.constraints()) {
            if (each.kind().isUnique() && !keyOf(step).equals(Set.copyOf(each.columns()))) {
                leaveOut(each, tables.qualified(step.table()));
            }
        }
    }

    void leaveOut(ConstraintDefinition unique, String table) throws SQLException {
        if (!connection.settings().leavesConstraintsOut()) {
            throw Unserved.feature("UNIQUE of table " + table
                    + ", whose writes are plain, is not served: Cassandra does not keep it, and the driver does where writes"
                    + " are exact. Make the table so, by leaving out WITH (plain) or writes=plain; or connect with"
                    + " constraints=warn to leave UNIQUE out");
        }
        warnings.accept(Warnings.general("Cassandra does not keep it, and it was left out: " + unique.text()));
    }

    /** Returns constraints with a table for the reservations of each UNIQUE, which are created. */
    List<ConstraintDefinition> reserving(
            List<ConstraintDefinition> constraints, Set<String> key, List<ColumnDefinition> columns, TableWrites writes)
            throws SQLException {
        for (ConstraintDefinition each : constraints) {
            if (each.kind().isUnique()) {
                UniqueDeclarations.requireCollations(each, columns);
            }
        }
        List<ConstraintDefinition> reserved = new ArrayList<>();
        for (ConstraintDefinition each : constraints) {
            boolean isKey = key.equals(Set.copyOf(each.columns()));
            reserved.add(
                    each.kind().isUnique() && !isKey ? each.reservedIn(reservations(each, columns, writes)) : each);
        }
        return reserved;
    }

    /** As the other, of a table that is there; of one whose writes are plain, UNIQUE is refused or left out. */
    List<ConstraintDefinition> reserving(
            CqlInsert.Table table,
            List<ConstraintDefinition> constraints,
            List<ConstraintDefinition> declared,
            List<ColumnDefinition> columns)
            throws SQLException {
        if (constraints.stream().noneMatch(each -> each.kind().isUnique())) {
            return constraints;
        }
        TableWrites writes = TableMode.of(session, tables, Optional.ofNullable(table.keyspace()), table.name())
                .orElse(null);
        Set<String> key = Set.copyOf(tables.namedKey(table));
        List<ConstraintDefinition> reserved = new ArrayList<>();
        for (ConstraintDefinition each : constraints) {
            boolean isKept = declared.stream().anyMatch(known -> each.saysAs(known) && known.reserved() != null)
                    || key.equals(Set.copyOf(each.columns()));
            if (!each.kind().isUnique() || isKept) {
                reserved.add(each);
            } else if (writes == null) {
                leaveOut(each, tables.qualified(table));
                reserved.add(each);
            } else {
                reserved.addAll(reserving(List.of(each), key, columns, writes));
            }
        }
        return reserved;
    }

    private Reservations reservations(ConstraintDefinition unique, List<ColumnDefinition> columns, TableWrites writes)
            throws SQLException {
        Reservations reservations = UniqueDeclarations.reservations(unique, columns, true);
        String cql = UniqueDeclarations.createTable(writes.keyspace(), writes.table(), unique, reservations);
        sender.execute(session.plain(), SimpleStatement.newInstance(cql).setTimeout(binder.timeout()), "CREATE");
        return reservations;
    }

    void drop(@Nullable TableWrites writes, List<ConstraintDefinition> constraints) {
        if (writes != null) {
            drop(writes.keyspace(), of(constraints));
        }
    }

    static List<Reservations> of(List<ConstraintDefinition> constraints) {
        return constraints.stream()
                .flatMap(each -> Stream.ofNullable(each.reserved()))
                .toList();
    }

    /** Drops tables of reservations that nobody uses any more. One that stays is in nobody's way. */
    void drop(String keyspace, List<Reservations> unused) {
        for (Reservations each : unused) {
            String cql = "DROP TABLE IF EXISTS " + Identifiers.toCql(keyspace) + "." + Identifiers.toCql(each.table());
            try {
                sender.execute(session.plain(), SimpleStatement.newInstance(cql).setTimeout(binder.timeout()), "DROP");
            } catch (SQLException | RuntimeException e) {
                warnings.accept(Warnings.general("Table " + each.table() + " of keyspace " + keyspace
                        + " has the reservations of a UNIQUE that is gone, and could not be dropped: "
                        + SqlErrors.brief(e)));
            }
        }
    }

    /**
     * Frees the values of a table that a statement has emptied.
     *
     * @return whether it has to be emptied once more: a row that was inserted since has no reservation any more
     */
    boolean truncateOf(String cql) throws SQLException {
        CqlChange change = CqlChange.of(cql).stream().findFirst().orElse(null);
        if (change == null || change.name() == null) {
            return false;
        }
        CqlInsert.Table table = new CqlInsert.Table(change.keyspace(), change.name());
        String keyspace = SequenceStatements.keyspace(session.plain(), table.keyspace());
        List<UniqueKey> keys = uniqueKeys(table);
        for (UniqueKey each : keys) {
            String truncate = "TRUNCATE " + Identifiers.toCql(keyspace) + "."
                    + Identifiers.toCql(each.reservations().table());
            sender.execute(
                    session.plain(), SimpleStatement.newInstance(truncate).setTimeout(binder.timeout()), "TRUNCATE");
        }
        return !keys.isEmpty();
    }

    /** As the other, of a table that a statement has dropped. */
    void dropOf(String cql, List<Reservations> unused) throws SQLException {
        Dropped dropped = Dropped.of(cql).orElse(null);
        if (dropped != null && !unused.isEmpty()) {
            drop(SequenceStatements.keyspace(session.plain(), dropped.table().keyspace()), unused);
        }
    }

    /** Returns the tables of reservations of a table, or of its columns, that a statement drops. */
    List<Reservations> of(String cql) throws SQLException {
        Dropped dropped = Dropped.of(cql).orElse(null);
        return dropped == null
                ? List.of()
                : uniqueKeys(dropped.table()).stream()
                        .filter(key -> dropped.columns().isEmpty()
                                || key.columns().stream().anyMatch(dropped.columns()::contains))
                        .map(UniqueKey::reservations)
                        .toList();
    }

    List<UniqueKey> uniqueKeys(CqlInsert.Table table) throws SQLException {
        return new StoredTables(session)
                .definition(SequenceStatements.keyspace(session.plain(), table.keyspace()), table.name())
                .map(TableDefinition::uniqueKeys)
                .orElse(List.of());
    }

    /** Returns the columns of the primary key that CREATE TABLE names; internal names. */
    static Set<String> keyOf(TsqlStep.CreateTable step) {
        Tokens tokens = new Tokens(step.cql());
        Set<String> key = new HashSet<>();
        int element = -1;
        for (int token = 1; !tokens.isEnd(token); token++) {
            boolean begins = tokens.isSymbol(token - 1, '(') || tokens.isSymbol(token - 1, ',');
            element = begins ? token : element;
            if (tokens.isWord(token, "primary") && tokens.isWord(token + 1, "key")) {
                if (!tokens.isSymbol(token + 2, '(')) {
                    return Set.of(Identifiers.toInternal(tokens.cqlName(element)));
                }
                int end = tokens.afterClosing(token + 2);
                for (int name = token + 3; name < end; name++) {
                    if (tokens.kind(name).isName()) {
                        key.add(Identifiers.toInternal(tokens.cqlName(name)));
                    }
                }
                return key;
            }
        }
        return key;
    }
}
