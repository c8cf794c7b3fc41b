package dev.cassidy.jdbc.run;

import dev.cassidy.cql.IdentitySession;
import dev.cassidy.sequence.IdentityColumn;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.cassandra.InternalAccess;
import dev.cassidy.sequence.cassandra.SequenceState;
import dev.cassidy.table.ColumnDefault;

/**
 * Every change of sequences and registrations that a statement asks for. This is the one class of the driver that makes any, and
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

    void registerIdentity(UserRights.Proof proof, IdentityColumn column) {
        require(proof.isOfTable(column.keyspace(), column.table()), proof, "identity " + column);
        session.sequences().registerIdentity(column);
    }

    void registerDefault(UserRights.Proof proof, ColumnDefault given) {
        require(proof.isOfTable(given.keyspace(), given.table()), proof, "default " + given);
        InternalAccess.tables(session.sequences()).registerDefault(given);
    }

    void dropDefault(UserRights.Proof proof, ColumnDefault given) {
        require(
                proof.isOfTable(given.keyspace(), given.table())
                        || proof.isOfColumn(given.keyspace(), given.table(), given.column()),
                proof,
                "default " + given);
        InternalAccess.tables(session.sequences()).dropDefault(given.keyspace(), given.table(), given.column());
    }

    private static void require(boolean covered, UserRights.Proof proof, String change) {
        if (!covered) {
            throw new IllegalStateException("was proven for " + proof + ", and not for " + change);
        }
    }
}
