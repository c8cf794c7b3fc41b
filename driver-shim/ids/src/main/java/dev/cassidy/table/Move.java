package dev.cassidy.table;

/**
 * The last time that a table was given to another installation, or taken from one. An installation that gives a table away refuses
 * every write to it, and every change of its contract, from the beginning of the move on.
 *
 * @param to the global keyspace of the installation that gets the table
 * @param complete whether that one has it; before, it refuses writes as well
 * @param mark says which move it is: the installation that gave the table away, and the revision of its contract that began it
 */
public record Move(String to, boolean complete, String mark) {

    Move completed() {
        return new Move(to, true, mark);
    }
}
