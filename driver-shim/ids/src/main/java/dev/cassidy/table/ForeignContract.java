package dev.cassidy.table;

import dev.cassidy.sequence.SequenceException;

/**
 * What another installation has declared of a table, as far as it concerns who else writes to it.
 *
 * @param installation its global keyspace
 * @param numbers whether columns of the table take the ids of its sequences
 * @param claims whether it is about to number the table, unless another installation does
 * @param rules whether it says anything else: columns, defaults, or how rows are written
 */
public record ForeignContract(String installation, boolean numbers, boolean claims, boolean rules) {

    /** Returns whether it is of effect: a claim alone is not. */
    boolean binds() {
        return numbers || rules;
    }

    /**
     * Returns what refuses to declare anything of the table.
     *
     * @param own the global keyspace of the installation that would declare it
     */
    SequenceException.Conflict refusal(TableName name, String own) {
        String ids = ": both would issue the same ids. ";
        String refused;
        if (numbers) {
            refused = " is numbered by the installation of keyspace " + installation + ", and this is that of " + own
                    + ids + "Register it with globalKeyspace=" + installation;
        } else if (rules) {
            refused = " has its contract in the installation of keyspace " + installation + ", and this is that of "
                    + own + ": neither would keep what the other declares. Declare it with globalKeyspace="
                    + installation;
        } else {
            refused = " is being registered with the installation of keyspace " + installation
                    + ", and this is that of " + own + ids + "Call again. If that does not help, a process of the other"
                    + " one has ended before it was done: register the table once more with globalKeyspace="
                    + installation + ", which completes that or takes it back";
        }
        return new SequenceException.Conflict("table " + name.keyspace() + "." + name.table() + refused);
    }
}
