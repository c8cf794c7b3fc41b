package dev.cassidy.jdbc.session;

/** What the option identityInsert makes of ids that an insert gives itself. */
public enum IdentityInsertMode {
    LENIENT,
    STRICT,
    IF_NOT_EXISTS
}
