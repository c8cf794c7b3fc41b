package dev.cassidy.tsql;

/** The types of identities and sequences, and those that an identity can be cast to. */
public enum NumericType {
    /** SQL Server's numeric(38, 0). */
    NUMERIC,
    BIGINT,
    INT,
    SMALLINT
}
