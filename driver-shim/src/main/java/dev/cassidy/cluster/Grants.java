package dev.cassidy.cluster;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.servererrors.UnauthorizedException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads the missing right from a refusal, so that a message can name the statement that grants it. */
public final class Grants {

    private static final Pattern REFUSED = Pattern.compile("User (.+) has no .*");

    private Grants() {}

    /** Returns the role that was refused, as CQL names it; {@code <role>} if the server does not say. */
    public static String roleOf(UnauthorizedException refused) {
        Matcher matcher = REFUSED.matcher(String.valueOf(refused.getMessage()));
        return matcher.matches() ? CqlIdentifier.fromInternal(matcher.group(1)).asCql(true) : "<role>";
    }
}
