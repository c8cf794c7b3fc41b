package dev.cassidy.cql;

/**
 * Which explicit ids an {@link IdentitySession} accepts where the column's sequence issues ids. Before the first id that the
 * sequence may ever issue, each of these accepts every id. It concerns each id that an INSERT names, as a literal or as a bound
 * value, alone or in a batch. An UPDATE names an id without creating a risk, and is never refused for it.
 */
public enum ExplicitIds {
    /**
     * None. An INSERT in Cassandra overwrites the row that has the id. This is what JDBC connections do; their option
     * {@code identityInsert} is documented in docs/jdbc.md.
     */
    REFUSE,

    /**
     * Those that an allocator of this session's {@link IdentitySession#sequences()} has issued and still knows, as
     * {@link dev.cassidy.sequence.cassandra.Sequences#hasIssued} says: nothing issues them again. So an id can be drawn first
     * and inserted then. An INSERT with an id that this process has inserted before overwrites that row, as it does in
     * Cassandra. Ids that other processes issued are refused, and so are those that this process has forgotten.
     */
    ISSUED,

    /**
     * All that fit the column, as in CQL. For frameworks whose {@code save} of a row is an INSERT. <b>Nothing keeps an id that
     * the application makes up from being issued later</b>: the later insert then overwrites the row.
     */
    PASS
}
