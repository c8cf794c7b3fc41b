package dev.cassidy.jdbc.run;

import dev.cassidy.cql.IdentitySession;
import dev.cassidy.definition.ColumnDefinition;
import dev.cassidy.definition.ConstraintDefinition;
import dev.cassidy.definition.TableDefinition;
import dev.cassidy.sequence.IdentityColumn;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.cassandra.InternalAccess;
import dev.cassidy.sequence.cassandra.SequenceState;
import dev.cassidy.table.AddedColumns;
import dev.cassidy.table.ColumnDefault;
import dev.cassidy.table.Declared;
import dev.cassidy.table.TableContract;
import dev.cassidy.table.TableDeclaration;
import dev.cassidy.table.TableRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * Every change of sequences and contracts that a statement asks for. This is the one class of the driver that makes any, and
 * each needs the proof that it is the user's right: the role that writes them may do more than the user's.
 */
record ProvenChanges(IdentitySession session) {

    void createSequence(UserRights.Proof proof, SequenceSpec spec) {
        require(proof.isOfSequence(spec.name()), proof, "sequence " + spec.name());
        session.sequences().create(spec);
    }

    SequenceState restartSequence(UserRights.Proof proof, String name, long next) {
        require(proof.isOfSequence(name), proof, "sequence " + name);
        return session.sequences().admin().restart(name, next);
    }

    void dropSequence(UserRights.Proof proof, String name) {
        require(proof.isOfSequence(name), proof, "sequence " + name);
        session.sequences().admin().drop(name);
    }

    /** Creates the sequence of a table's identity column, which is registered afterwards. */
    void createSequenceOf(UserRights.Proof proof, IdentityColumn column, SequenceSpec spec) {
        require(
                proof.isOfTable(column.keyspace(), column.table())
                        && column.sequence().equals(spec.name()),
                proof,
                "sequence " + spec.name() + " of " + column);
        session.sequences().create(spec);
    }

    Declared declare(UserRights.Proof proof, TableDeclaration wanted) {
        require(proof.isOfTable(wanted.keyspace(), wanted.table()), proof, "declaration of " + wanted);
        return tables().declare(wanted);
    }

    void created(UserRights.Proof proof, TableDeclaration declared, UUID id) {
        require(proof.isOfTable(declared.keyspace(), declared.table()), proof, "declaration of " + declared);
        tables().created(declared.keyspace(), declared.table(), id);
    }

    /** Returns whether the declaration of a table that was refused is of no effect. */
    boolean withdraw(UserRights.Proof proof, TableDeclaration declared) {
        require(proof.isOfTable(declared.keyspace(), declared.table()), proof, "declaration of " + declared);
        return tables().withdraw(
                        declared.keyspace(),
                        declared.table(),
                        declared.definition().id());
    }

    /** Returns whether a table is declared anew, because the declaration under whose id it was created was withdrawn. */
    boolean resume(UserRights.Proof proof, TableDeclaration declared, UUID id) {
        require(proof.isOfTable(declared.keyspace(), declared.table()), proof, "declaration of " + declared);
        TableDefinition definition = declared.definition();
        return tables().resume(
                        declared.keyspace(),
                        declared.table(),
                        new TableDefinition(id, definition.columns(), definition.constraints(), definition.small()));
    }

    /**
     * Records that a table exists, if its CREATE TABLE ended before it had recorded that. Needs no right: the schema shows it to
     * everybody.
     */
    void completed(String keyspace, String table, UUID id) {
        boolean defined = tables().definitionAsync(keyspace, table, id)
                .toCompletableFuture()
                .join()
                .isPresent();
        if (defined && tables().isPending(keyspace, table)) {
            tables().created(keyspace, table, id);
        }
    }

    /** Tells others of a change that is made already. */
    void tell(String keyspace, String table) {
        tables().tell(keyspace, table);
    }

    /** @param lost the id that no table has */
    void restore(UserRights.Proof proof, UUID lost, TableDeclaration before) {
        require(proof.isOfTable(before.keyspace(), before.table()), proof, "declaration of " + before);
        tables().restore(lost, before);
    }

    AddedColumns addColumns(
            UserRights.Proof proof,
            String keyspace,
            String table,
            UUID id,
            List<ColumnDefinition> columns,
            List<ConstraintDefinition> constraints,
            List<ColumnDefault> defaults) {
        require(proof.isOfTable(keyspace, table), proof, "columns of " + keyspace + "." + table);
        return tables().addColumns(keyspace, table, id, columns, constraints, defaults);
    }

    /** @param added which the same statement has declared, by its user's right */
    void takeBack(AddedColumns added) {
        tables().takeBack(added);
    }

    void alterColumn(
            UserRights.Proof proof,
            String keyspace,
            String table,
            UUID id,
            ColumnDefinition from,
            ColumnDefinition to) {
        require(proof.isOfTable(keyspace, table), proof, "column " + keyspace + "." + table + "." + to.name());
        tables().alterColumn(keyspace, table, id, from, to);
    }

    /**
     * Declares a twin beside a column, which writers keep from then on.
     *
     * @param seen the contract by which it was decided
     */
    void declareTwin(UserRights.Proof proof, TableContract seen, TableDefinition definition) {
        require(proof.isOfTable(seen.keyspace(), seen.table()), proof, "twin of table " + seen.name());
        tables().tighten(seen, definition);
    }

    /** Returns how long it takes until every process knows what was declared. */
    Duration noticeTime() {
        return tables().noticeTime();
    }

    void completeTwin(UserRights.Proof proof, String keyspace, String table, UUID id, String column) {
        require(proof.isOfTable(keyspace, table), proof, "twin of table " + keyspace + "." + table);
        tables().completeTwin(keyspace, table, id, column);
    }

    /** @param proofs of each column */
    void dropColumns(Map<String, UserRights.Proof> proofs, String keyspace, String table) {
        proofs.forEach((column, proof) -> require(
                proof.isOfColumn(keyspace, table, column), proof, "column " + keyspace + "." + table + "." + column));
        tables().dropColumns(keyspace, table, List.copyOf(proofs.keySet()));
    }

    void dropConstraints(UserRights.Proof proof, String keyspace, String table, List<String> names) {
        require(proof.isOfTable(keyspace, table), proof, "constraints " + names + " of " + keyspace + "." + table);
        tables().dropConstraints(keyspace, table, names);
    }

    void insertConditionally(UserRights.Proof proof, String keyspace, String table) {
        require(proof.isOfTable(keyspace, table), proof, "new rows of " + keyspace + "." + table);
        tables().insertConditionally(keyspace, table);
    }

    private TableRegistry tables() {
        return InternalAccess.tables(session.sequences());
    }

    void registerDefault(UserRights.Proof proof, ColumnDefault given) {
        require(proof.isOfTable(given.keyspace(), given.table()), proof, "default " + given);
        tables().registerDefault(given);
    }

    private static void require(boolean covered, UserRights.Proof proof, String change) {
        if (!covered) {
            throw new IllegalStateException("was proven for " + proof + ", and not for " + change);
        }
    }
}
