package dev.cassidy.sequence;

/** The integer types that an identity column may have in both SQL Server and Cassandra. */
public enum IdentityType {
    SMALLINT(Short.MIN_VALUE, Short.MAX_VALUE),
    INT(Integer.MIN_VALUE, Integer.MAX_VALUE),
    BIGINT(Long.MIN_VALUE, Long.MAX_VALUE);

    private final long lowest;
    private final long highest;

    IdentityType(long lowest, long highest) {
        this.lowest = lowest;
        this.highest = highest;
    }

    /** Returns the lowest value of the type. */
    public long lowest() {
        return lowest;
    }

    /** Returns the highest value of the type. */
    public long highest() {
        return highest;
    }
}
