package dev.cassidy.sequence.cassandra;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.servererrors.UnauthorizedException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What a refusal for want of a right tells, so that a message has the statement that gives it. */
final class Grants {

    private static final Pattern REFUSED = Pattern.compile("User (.+) has no .*");

    private Grants() {}

    /** Returns the role that was refused, as CQL names it; {@code <role>} if the server does not say. */
    static String roleOf(UnauthorizedException refused) {
        Matcher matcher = REFUSED.matcher(String.valueOf(refused.getMessage()));
        return matcher.matches() ? CqlIdentifier.fromInternal(matcher.group(1)).asCql(true) : "<role>";
    }
}
