package dev.cassidy.migration.source;

import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.migration.error.MigrationException;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A JDBC URL of the source. It carries no secret: command lines are visible to every user of a machine. */
public record SourceUrl(String url) {

    /** Values may stand in braces, and a closing brace in them is doubled, as mssql-jdbc has it. */
    private static final Pattern SECRET = secret("[;?&]", "\\{(?:[^}]|}})*}|[^;&]*");

    /** A list in parentheses, as Connector/J has it: {@code address=(host=db)(password=p)} and {@code (host=db,password=p)}. */
    private static final Pattern SECRET_OF_LIST = secret("[(,]", "[^),]*");

    private static final Pattern USER_INFO = Pattern.compile("(//[^/@;?\\s:]*):([^/@;?\\s]*)@");

    private static Pattern secret(String before, String value) {
        return Pattern.compile(
                "(" + before + "\\s*)(\\w*(?:password|passwd|pwd|secret|token)\\w*)(\\s*=\\s*)(" + value + ")",
                Pattern.CASE_INSENSITIVE);
    }

    public SourceUrl {
        if (!url.startsWith("jdbc:")) {
            throw new MigrationException(
                    ExitCode.USAGE,
                    "must start with jdbc:, for example jdbc:sqlserver://host: --source-url=" + redact(url));
        }
        for (Pattern pattern : List.of(SECRET, SECRET_OF_LIST)) {
            Matcher secret = pattern.matcher(url);
            if (!secret.find()) {
                continue;
            }
            String name = secret.group(2);
            String wayOut = name.equalsIgnoreCase("password") || name.equalsIgnoreCase("pwd")
                    ? "give it in the environment variable SOURCE_PASSWORD or with --source-password-file"
                    : "give it to the JVM by other means, such as javax.net.ssl properties in JDK_JAVA_OPTIONS";
            throw new MigrationException(
                    ExitCode.USAGE, "--source-url must not carry a secret: property '" + name + "'; " + wayOut);
        }
        if (USER_INFO.matcher(url).find()) {
            throw new MigrationException(
                    ExitCode.USAGE,
                    "--source-url must not carry a password before '@'; give it in the environment variable"
                            + " SOURCE_PASSWORD or with --source-password-file");
        }
    }

    /** Returns {@code text} with the values of password-like properties, and passwords before an {@code @}, masked. */
    public static String redact(String text) {
        String masked = SECRET.matcher(text).replaceAll("$1$2$3***");
        masked = SECRET_OF_LIST.matcher(masked).replaceAll("$1$2$3***");
        return USER_INFO.matcher(masked).replaceAll("$1:***@");
    }

    @Override
    public String toString() {
        return redact(url);
    }
}
