package dev.cassidy;

import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** The statements in a message, as a user would copy them. */
public final class Remedy {

    private static final Pattern STATEMENT =
            Pattern.compile("(ALTER TABLE|ALTER KEYSPACE|CREATE TABLE|GRANT) [A-Za-z].*?(?=[.;] |; |$)");

    private Remedy() {}

    public static List<String> of(String message) {
        return STATEMENT.matcher(message).results().map(MatchResult::group).toList();
    }
}
