package dev.cassidy.jdbc.run;

import com.datastax.oss.driver.api.core.type.DataType;
import dev.cassidy.cql.IdentitySession;
import dev.cassidy.definition.ConstraintDefinition;
import dev.cassidy.definition.TableDefinition;
import dev.cassidy.insert.CqlInsert;
import dev.cassidy.insert.Identifiers;
import dev.cassidy.jdbc.error.SqlServerErrors;
import dev.cassidy.jdbc.error.SqlStates;
import dev.cassidy.jdbc.error.Warnings;
import dev.cassidy.jdbc.session.SharedSession;
import dev.cassidy.jdbc.session.Tables;
import dev.cassidy.sequence.cassandra.InternalAccess;
import dev.cassidy.table.ColumnDefault;
import dev.cassidy.tsql.DeclaredDefault;
import dev.cassidy.tsql.Dropped;
import dev.cassidy.tsql.TsqlStep;
import java.sql.SQLException;
import java.sql.SQLSyntaxErrorException;
import java.sql.SQLWarning;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/** Serves T-SQL's DEFAULT constraints: registers and drops the defaults of a table's columns. */
final class DefaultConstraints {

    private static final int NO_COLUMN_FOR_DEFAULT = 1752;
    private static final int DEFAULT_OF_IDENTITY = 1754;
    private static final int HAS_DEFAULT = 1781;

    private final SharedSession session;
    private final Tables tables;
    private final UserRights rights;
    private final Consumer<SQLWarning> warnings;

    DefaultConstraints(SharedSession session, Tables tables, UserRights rights, Consumer<SQLWarning> warnings) {
        this.session = session;
        this.tables = tables;
        this.rights = rights;
        this.warnings = warnings;
    }

    /** Returns those that are registered; none on a cluster without Cassidy. */
    static List<ColumnDefault> registered(SharedSession session, CqlInsert.Table table) throws SQLException {
        if (!(session.writing() instanceof IdentitySession identities)) {
            return List.of();
        }
        return InternalAccess.tables(identities.sequences())
                .defaultsAsync(SequenceStatements.keyspace(session.plain(), table.keyspace()), table.name())
                .toCompletableFuture()
                .join();
    }

    private String keyspace(CqlInsert.Table table) throws SQLException {
        return SequenceStatements.keyspace(session.plain(), table.keyspace());
    }

    private ProvenChanges changes() {
        return new ProvenChanges(session.identity());
    }

    /** Returns those of columns that are about to be created; throws the error with which one would be refused. */
    List<ColumnDefault> of(CqlInsert.Table table, List<DeclaredDefault> given) throws SQLException {
        List<ColumnDefault> wanted = new ArrayList<>();
        for (DeclaredDefault each : given) {
            wanted.add(of(table, each));
        }
        return wanted;
    }

    private ColumnDefault of(CqlInsert.Table table, DeclaredDefault given) throws SQLException {
        String written = given.type();
        Optional<DataType> type = written == null
                ? Optional.ofNullable(tables.types(table).get(given.column()))
                : DefaultConverter.type(written);
        if (type.isEmpty()) {
            throw written == null
                    ? new SQLSyntaxErrorException(
                            "Column '" + given.column() + "' in table '" + tables.qualified(table)
                                    + "' is invalid for creating a default constraint: it does not exist",
                            SqlStates.NO_COLUMN,
                            NO_COLUMN_FOR_DEFAULT)
                    : new SQLSyntaxErrorException(
                            "DEFAULT " + given.value().expression() + " of column " + given.column() + " of type "
                                    + written + " is not served: give the value in every INSERT",
                            SqlStates.SYNTAX_OR_RULE);
        }
        CqlInsert.Table sequence = given.value().sequence();
        String name = sequence == null ? "" : new SequenceStatements(session.identity(), warnings).name(sequence);
        return DefaultConverter.of(new CqlInsert.Table(keyspace(table), table.name()), given, type.get(), name);
    }

    /** Refuses names that other constraints of the table have. What is declared already may be declared again, after a crash. */
    void requireFreeNames(CqlInsert.Table table, List<DeclaredDefault> given, List<ConstraintDefinition> constraints)
            throws SQLException {
        List<ColumnDefault> defaults = registered(session, table);
        List<ConstraintDefinition> declared =
                definition(table).map(TableDefinition::constraints).orElse(List.of());
        for (DeclaredDefault each : given) {
            String name = each.name();
            if (name == null) {
                continue;
            }
            boolean taken = declared.stream().anyMatch(other -> other.name().equalsIgnoreCase(name))
                    || defaults.stream()
                            .anyMatch(other -> other.name().equalsIgnoreCase(name)
                                    && !other.column().equals(each.column()));
            if (taken) {
                throw taken(table, name);
            }
        }
        for (ConstraintDefinition each : constraints) {
            boolean taken = !each.name().isEmpty()
                    && (declared.stream()
                                    .anyMatch(
                                            other -> other.name().equalsIgnoreCase(each.name()) && !other.saysAs(each))
                            || defaults.stream().anyMatch(other -> other.name().equalsIgnoreCase(each.name())));
            if (taken) {
                throw taken(table, each.name());
            }
        }
    }

    private SQLException taken(CqlInsert.Table table, String name) {
        return SqlServerErrors.exists("There is already an object named '" + name + "' in the database: table "
                + tables.qualified(table) + " has a constraint of this name. Give another name");
    }

    void add(TsqlStep.AddDefaults step, Optional<String> identity, UserRights.Proof proof) throws SQLException {
        requireFreeNames(step.table(), step.defaults(), List.of());
        List<ColumnDefault> known = registered(session, step.table());
        List<ColumnDefault> wanted = new ArrayList<>();
        for (DeclaredDefault each : step.defaults()) {
            if (identity.filter(each.column()::equals).isPresent()) {
                throw SqlServerErrors.rule(
                        DEFAULT_OF_IDENTITY,
                        "Defaults cannot be created on columns with an IDENTITY attribute: column " + each.column()
                                + " of table " + tables.qualified(step.table()));
            }
            ColumnDefault made = of(step.table(), each);
            for (ColumnDefault other : known) {
                if (other.column().equals(each.column()) && !other.equals(made)) {
                    throw SqlServerErrors.rule(
                            HAS_DEFAULT,
                            "Column already has a DEFAULT bound to it: column " + each.column() + " of table "
                                    + tables.qualified(step.table()) + " has " + other.expression() + ". Drop it first:"
                                    + " ALTER TABLE " + tables.qualified(step.table()) + " DROP CONSTRAINT "
                                    + other.name());
                }
            }
            wanted.add(made);
        }
        for (int i = 0; i < wanted.size(); i++) {
            // Also if it is known: the process that declared it may have ended before it had told anybody.
            changes().registerDefault(proof, wanted.get(i));
            if (step.defaults().get(i).required()) {
                warnOfOldRows(step.table(), wanted.get(i));
            }
            if (wanted.get(i).kind() == ColumnDefault.Kind.NEXT_VALUE
                    && tables.namedKey(step.table()).contains(wanted.get(i).column())) {
                warnOfOldKeys(step.table(), wanted.get(i));
            }
        }
        session.schemaChanged();
    }

    private void warnOfOldRows(CqlInsert.Table table, ColumnDefault added) {
        List<String> key = new ArrayList<>();
        tables.namedKey(table).forEach(column -> key.add(Identifiers.toCql(column) + " = ?"));
        String value = added.kind() == ColumnDefault.Kind.CONSTANT ? added.value() : "?";
        warnings.accept(
                Warnings.general("Rows that table " + tables.qualified(table) + " has already keep null in column "
                        + added.column() + ": DEFAULT " + added.expression()
                        + " is filled in when a row is inserted. For each of"
                        + " them: UPDATE " + tables.qualified(table) + " SET " + Identifiers.toCql(added.column())
                        + " = " + value
                        + " WHERE " + String.join(" AND ", key)));
    }

    private void warnOfOldKeys(CqlInsert.Table table, ColumnDefault added) {
        warnings.accept(Warnings.general("If table " + tables.qualified(table) + " has rows, sequence " + added.value()
                + " must continue past their " + added.column()
                + ", because the INSERT that draws one of these overwrites its row. For that: ALTER SEQUENCE "
                + added.value() + " RESTART WITH n"));
    }

    /**
     * Drops what is declared of the named constraints, and returns the other names.
     *
     * @throws SQLException naming one that a table of T-SQL does not have; then none is dropped
     */
    List<String> drop(TsqlStep.DropConstraints step) throws SQLException {
        List<String> others = new ArrayList<>(step.names());
        Optional<TableDefinition> definition = definition(step.table());
        names(step.table(), definition).forEach(known -> others.removeIf(known::equalsIgnoreCase));
        if (!others.isEmpty()) {
            tell(step.table());
        }
        if (!others.isEmpty() && definition.isPresent() && !step.ifExists()) {
            throw SqlServerErrors.rule(
                    SqlServerErrors.NO_CONSTRAINT,
                    "'" + others.get(0) + "' is not a constraint of table " + tables.qualified(step.table())
                            + " that can be dropped; nothing was. Its primary key stays; sp_help shows the others");
        }
        if (others.size() < step.names().size()) {
            String keyspace = keyspace(step.table());
            String table = step.table().name();
            changes().dropConstraints(rights.toAlterTable(keyspace, table), keyspace, table, step.names());
            session.schemaChanged();
        }
        return others;
    }

    private Optional<TableDefinition> definition(CqlInsert.Table table) throws SQLException {
        return new StoredTables(session).definition(keyspace(table), table.name());
    }

    /** Returns the names of a table's constraints and defaults. */
    private List<String> names(CqlInsert.Table table, Optional<TableDefinition> definition) throws SQLException {
        List<String> names = new ArrayList<>();
        registered(session, table).forEach(each -> names.add(each.name()));
        definition.ifPresent(known -> known.constraints().forEach(each -> names.add(each.name())));
        names.removeIf(String::isEmpty);
        return names;
    }

    /**
     * Tells other processes of what is declared of a table: what a statement drops may have been dropped before, by a process
     * that ended before it had told anybody.
     */
    void tell(CqlInsert.Table table) throws SQLException {
        String keyspace = keyspace(table);
        if (session.writing() instanceof IdentitySession identities
                && InternalAccess.tables(identities.sequences()).isDeclared(keyspace, table.name())) {
            changes().tell(keyspace, table.name());
        }
    }

    /** Forgets what is declared of columns that Cassandra has dropped. */
    void forget(Dropped dropped) throws SQLException {
        if (!(session.writing() instanceof IdentitySession identities)) {
            return;
        }
        String keyspace = keyspace(dropped.table());
        String table = dropped.table().name();
        Set<String> kept = new LinkedHashSet<>();
        registered(session, dropped.table()).forEach(each -> kept.add(each.column()));
        if (!dropped.columns().isEmpty()) {
            InternalAccess.tables(identities.sequences())
                    .cachedDefinition(keyspace, table)
                    .ifPresent(definition -> definition.columns().forEach(each -> kept.add(each.name())));
            kept.retainAll(dropped.columns());
        }
        if (kept.isEmpty()) {
            return;
        }
        Map<String, UserRights.Proof> proofs = rights.toForget(keyspace, table, List.copyOf(kept));
        if (!proofs.isEmpty()) {
            changes().dropColumns(proofs, keyspace, table);
        }
    }
}
