package dev.cassidy.migration;

/** A user who can answer. */
public interface Terminal {

    /** Asks for a line; empty at the end of the input. */
    String readLine(String prompt);

    /** Asks for a password without echoing it; empty at the end of the input. */
    char[] readPassword(String prompt);
}
