package dev.cassidy.cql;

/**
 * A change of Cassidy's own keyspaces was refused before anything was sent. The message names what was to be changed, the
 * rule and a workaround.
 */
public final class OwnKeyspaceException extends RuntimeException {

    private static final long serialVersionUID = 1;

    OwnKeyspaceException(String change) {
        super("refused: " + change
                + ". Cassidy's own tables are written by Cassidy alone: a change could make ids be issued"
                + " twice. To move a sequence call seed, restart, advancePast or drop of Sequences, or use the migration"
                + " tool; an operator who has to write to the tables themselves does it by a session that is not"
                + " Cassidy's, such as cqlsh's");
    }
}
