package dev.cassidy.cluster;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.servererrors.UnauthorizedException;
import dev.cassidy.sequence.SequenceException;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads the missing right from a refusal, so that a message can name the statement that grants it, and no more than it. */
public final class Grants {

    private static final Pattern REFUSED = Pattern.compile("User (.+) has no .*");

    private static final Pattern MISSING =
            Pattern.compile("User (.+) has no ([A-Z_]+) permission on <(.+)> or any of its parents");

    /** Permissions are rows too, in system_auth: this is said of a node that cannot read them now. */
    private static final String NOT_KNOWN = "Unable to perform authorization";

    private static final Pattern TABLE = Pattern.compile("table (\\w+)\\.(\\w+)");

    private static final Pattern KEYSPACE = Pattern.compile("keyspace (\\w+)");

    private static final Pattern TABLES_OF_KEYSPACE = Pattern.compile("all tables in (\\w+)");

    private static final Pattern FUNCTION = Pattern.compile("function (\\w+)\\.(\\w+)\\(([\\w<>, ]*)\\)");

    private Grants() {}

    /** Returns the role that was refused, as CQL names it; {@code <role>} if the server does not say. */
    public static String roleOf(UnauthorizedException refused) {
        Matcher matcher = REFUSED.matcher(String.valueOf(refused.getMessage()));
        return matcher.matches() ? quoted(matcher.group(1)) : "<role>";
    }

    /** Returns the GRANT of the right that was missing, on nothing but what it was missing on; empty if that is not known. */
    public static Optional<String> statement(UnauthorizedException refused) {
        Matcher missing = MISSING.matcher(String.valueOf(refused.getMessage()));
        if (!missing.matches()) {
            return Optional.empty();
        }
        return resource(missing.group(3))
                .map(resource -> "GRANT " + missing.group(2) + " ON " + resource + " TO " + quoted(missing.group(1)));
    }

    /** Never that of all keyspaces or all roles, which would grant more than what was tried. */
    private static Optional<String> resource(String shown) {
        Matcher table = TABLE.matcher(shown);
        if (table.matches()) {
            return Optional.of(quoted(table.group(1)) + "." + quoted(table.group(2)));
        }
        Matcher keyspace = KEYSPACE.matcher(shown);
        if (keyspace.matches()) {
            return Optional.of("KEYSPACE " + quoted(keyspace.group(1)));
        }
        Matcher tables = TABLES_OF_KEYSPACE.matcher(shown);
        if (tables.matches()) {
            return Optional.of("ALL TABLES IN KEYSPACE " + quoted(tables.group(1)));
        }
        Matcher function = FUNCTION.matcher(shown);
        return function.matches()
                ? Optional.of("FUNCTION " + quoted(function.group(1)) + "." + quoted(function.group(2)) + "("
                        + function.group(3) + ")")
                : Optional.empty();
    }

    /** Returns whether a right is missing, and not only unknown to a node that cannot read the permissions now. */
    public static boolean isMissing(UnauthorizedException refused) {
        return !String.valueOf(refused.getMessage()).startsWith(NOT_KNOWN);
    }

    /** Returns the refusal that caused a failure, if a right is missing; null if the failure has another cause. */
    public static @Nullable UnauthorizedException refusal(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof UnauthorizedException refused && isMissing(refused)) {
                return refused;
            }
        }
        return null;
    }

    /** Returns what a server says of a missing right, and the statement that grants it if that is known. */
    public static String message(UnauthorizedException refused) {
        return refused.getMessage()
                + statement(refused)
                        .map(grant -> ". This statement grants that right and no other: " + grant)
                        .orElse("");
    }

    /** Returns a refusal as callers get it. */
    public static SequenceException.Forbidden forbidden(UnauthorizedException refused) {
        return new SequenceException.Forbidden(message(refused), refused);
    }

    private static String quoted(String internal) {
        return CqlIdentifier.fromInternal(internal).asCql(true);
    }
}
