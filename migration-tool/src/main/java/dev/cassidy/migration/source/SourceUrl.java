package dev.cassidy.migration.source;

import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.migration.error.MigrationException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/** A JDBC URL of the source. It carries no secret: command lines are visible to every user of a machine. */
public record SourceUrl(String url) {

    /** What the name of a property with a secret contains. */
    private static final List<String> WORDS = List.of("password", "passwd", "pwd", "secret", "token");

    private static final Pattern USER_INFO = Pattern.compile("(//[^/@;?\\s:]*):([^/@;?\\s]*)@");

    /** A property with a secret, and where its value stands in the text. */
    private record Secret(String name, int from, int to) {}

    /** Values may stand in braces, and a closing brace in them is doubled, as mssql-jdbc has it. */
    private static List<Secret> secrets(String text) {
        return secrets(text, ";?&", ";&", text.lastIndexOf('}'));
    }

    /** Of lists in parentheses, as Connector/J has them: {@code address=(host=db)(password=p)} and {@code (host=db,password=p)}. */
    private static List<Secret> secretsOfLists(String text) {
        return secrets(text, "(,", "),", -1);
    }

    /**
     * By hand: a regular expression would look for the sign again after each word, and need a stack for a long value.
     *
     * @param before what precedes a property
     * @param after what ends its value
     * @param lastBrace where the last brace closes; -1 if values do not stand in braces
     */
    private static List<Secret> secrets(String text, String before, String after, int lastBrace) {
        List<Secret> secrets = new ArrayList<>();
        for (int i = 0; i < text.length(); i++) {
            if (before.indexOf(text.charAt(i)) < 0) {
                continue;
            }
            int first = afterBlanks(text, i + 1);
            int end = first;
            while (end < text.length() && isWordPart(text.charAt(end))) {
                end++;
            }
            int sign = afterBlanks(text, end);
            if (text.startsWith("=", sign) && isSecret(text.substring(first, end))) {
                int from = afterBlanks(text, sign + 1);
                boolean braces = text.startsWith("{", from) && from < lastBrace;
                int to = braces ? afterBraces(text, from) : afterValue(text, from, after);
                secrets.add(new Secret(text.substring(first, end), from, to));
                i = to - 1;
            }
        }
        return secrets;
    }

    private static int afterBlanks(String text, int from) {
        int at = from;
        while (at < text.length() && " \t\n\u000b\f\r".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
        return at;
    }

    private static int afterValue(String text, int from, String after) {
        int at = from;
        while (at < text.length() && after.indexOf(text.charAt(at)) < 0) {
            at++;
        }
        return at;
    }

    /** Returns where a value in braces ends. If the last brace is one of two, the first of them ends it. */
    private static int afterBraces(String text, int open) {
        int after = open;
        for (int i = open + 1; i < text.length(); i++) {
            if (text.charAt(i) == '}') {
                after = i + 1;
                if (!text.startsWith("}}", i)) {
                    return after;
                }
                i++;
            }
        }
        return after;
    }

    private static boolean isWordPart(char c) {
        return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    }

    private static boolean isSecret(String name) {
        String small = name.toLowerCase(Locale.ROOT);
        return WORDS.stream().anyMatch(small::contains);
    }

    public SourceUrl {
        if (!url.startsWith("jdbc:")) {
            throw new MigrationException(
                    ExitCode.USAGE,
                    "must start with jdbc:, for example jdbc:sqlserver://host: --source-url=" + redact(url));
        }
        List<Secret> secrets = new ArrayList<>(secrets(url));
        secrets.addAll(secretsOfLists(url));
        if (!secrets.isEmpty()) {
            String name = secrets.get(0).name();
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
        String masked = masked(text, secrets(text));
        masked = masked(masked, secretsOfLists(masked));
        return USER_INFO.matcher(masked).replaceAll("$1:***@");
    }

    private static String masked(String text, List<Secret> secrets) {
        StringBuilder masked = new StringBuilder(text.length());
        int copied = 0;
        for (Secret secret : secrets) {
            masked.append(text, copied, secret.from).append("***");
            copied = secret.to;
        }
        return masked.append(text, copied, text.length()).toString();
    }

    @Override
    public String toString() {
        return redact(url);
    }
}
