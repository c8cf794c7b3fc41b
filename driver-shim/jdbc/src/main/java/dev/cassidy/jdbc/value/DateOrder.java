package dev.cassidy.jdbc.value;

/** In which order the parts of a date such as {@code 1/2/2024} are read, as SET DATEFORMAT says it in SQL Server. */
public enum DateOrder {
    /** Such a date is refused: in SQL Server, the language of the session decides. */
    NONE,
    MDY,
    DMY,
    YMD
}
