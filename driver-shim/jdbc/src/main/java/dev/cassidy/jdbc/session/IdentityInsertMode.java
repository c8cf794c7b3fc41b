package dev.cassidy.jdbc.session;

/** How the option identityInsert treats ids that an insert gives itself. */
public enum IdentityInsertMode {
    LENIENT,
    STRICT,
    IF_NOT_EXISTS
}
