package dev.cassidy.insert;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/** A statement without its values, so that statements that differ only in values count as one, and values stay secret. */
public final class StatementShape {

    private static final int LONGEST = 2_000;

    /** How messages end that quote a part of a statement only, and more than they quote. */
    private static final String CUT = " ...";

    private static final int LONGEST_CUT = 200;
    private static final int MAX_PARTS = 20_000;

    private StatementShape() {}

    /**
     * Returns {@code sql} with {@code ?} for each string and number, one blank for blanks and comments, and cut off
     * after 2,000 characters.
     */
    public static String of(String sql) {
        Scanner scanner = new Scanner(sql, Scanner.Language.TSQL);
        StringBuilder shape = new StringBuilder();
        int end = 0;
        for (Kind kind = scanner.next(); kind != Kind.END; kind = scanner.next()) {
            if (scanner.start() > end && !shape.isEmpty()) {
                shape.append(' ');
            }
            end = scanner.end();
            switch (kind) {
                case STRING, NATIONAL, NUMBER -> shape.append('?');
                // It may contain a value.
                case UNTERMINATED -> shape.append("...");
                default -> shape.append(sql, scanner.start(), scanner.end());
            }
            if (kind == Kind.UNTERMINATED) {
                break;
            }
            if (shape.length() > LONGEST) {
                return shape.substring(0, LONGEST) + "...";
            }
        }
        return shape.toString();
    }

    /**
     * Returns {@code sql} with {@code n1}, {@code n2} and so on for the names and words that are not known, each word by the
     * same name wherever it stands, whatever its case, and a blank for each comment. What opens without an end is cut off
     * after the opening sign.
     *
     * @param known tells whether a name, without its quotes or brackets, may stay
     */
    public static String renamed(String sql, Predicate<String> known) {
        Scanner scanner = new Scanner(sql, Scanner.Language.TSQL);
        StringBuilder renamed = new StringBuilder(sql.length());
        Map<String, String> names = new HashMap<>();
        int end = 0;
        int number = 0;
        for (Kind kind = scanner.next(); kind != Kind.END; kind = scanner.next()) {
            renamed.append(blank(sql.substring(end, scanner.start())));
            end = scanner.end();
            String token = sql.substring(scanner.start(), end);
            String name = nameOf(token, kind);
            if (kind == Kind.UNTERMINATED) {
                return renamed.append(token, 0, Math.min(token.length(), token.startsWith("/*") ? 2 : 1))
                        .toString();
            }
            if (name.isEmpty() || known.test(name)) {
                renamed.append(token);
            } else {
                String other = names.get(name.toLowerCase(Locale.ROOT));
                if (other == null) {
                    do {
                        number++;
                    } while (known.test("n" + number));
                    other = "n" + number;
                    names.put(name.toLowerCase(Locale.ROOT), other);
                }
                renamed.append(quotedAs(token, kind, other));
            }
        }
        return renamed.append(blank(sql.substring(end))).toString();
    }

    /** Returns what is between two tokens, without the words of comments. */
    private static String blank(String gap) {
        return gap.isBlank() ? gap : gap.contains("\n") ? "\n" : " ";
    }

    /** Returns the name that a token of a statement holds, without quotes, brackets and signs; empty if it is no name. */
    public static String nameOf(String token, Kind kind) {
        return switch (kind) {
            case WORD -> token;
            case QUOTED -> token.substring(1, token.length() - 1).replace("\"\"", "\"");
            case BRACKETED -> token.substring(1, token.length() - 1).replace("]]", "]");
            case VARIABLE, NAMED_MARKER -> token.replaceFirst("^[@:\\s]+", "");
            default -> "";
        };
    }

    private static String quotedAs(String token, Kind kind, String name) {
        return switch (kind) {
            case QUOTED -> '"' + name + '"';
            case BRACKETED -> '[' + name + ']';
            case NAMED_MARKER -> ':' + name;
            case VARIABLE -> (token.startsWith("@@") ? "@@" : "@") + name;
            default -> name;
        };
    }

    /** Returns {@code message} with {@code ?} for each value of {@code sql} that it quotes. */
    public static String withoutValues(String message, String sql) {
        String cleaned = message;
        Scanner scanner = new Scanner(sql, Scanner.Language.TSQL);
        for (Kind kind = scanner.next(); kind != Kind.END && kind != Kind.UNTERMINATED; kind = scanner.next()) {
            if (kind == Kind.STRING || kind == Kind.NATIONAL || kind == Kind.NUMBER) {
                String token = sql.substring(scanner.start(), scanner.end());
                String value = kind == Kind.NUMBER
                        ? token
                        : token.replaceFirst("^N?('|\\$\\$)", "").replaceFirst("('|\\$\\$)$", "");
                cleaned = withoutValue(cleaned, value);
                // A message shows it as it is, or as the input has it.
                String plain = value.replace("''", "'");
                cleaned = withoutValue(cleaned, plain);
                for (String part : partsOfJson(plain)) {
                    cleaned = withoutValue(cleaned, part);
                }
                cleaned = withoutBeginning(cleaned, token);
            }
        }
        return cleaned;
    }

    private static String withoutValue(String message, String value) {
        return value.isBlank() || !message.contains(value)
                ? message
                : Pattern.compile("(?<![A-Za-z0-9_])" + Pattern.quote(value) + "(?![A-Za-z0-9_])")
                        .matcher(message)
                        .replaceAll("?");
    }

    /**
     * Returns the texts and the words of a JSON text, of which a server may say that one does not fit; nothing for another
     * statement.
     */
    public static List<String> partsOfJson(String text) {
        String json = text.strip();
        if (!json.startsWith("{") && !json.startsWith("[")) {
            return List.of();
        }
        List<String> parts = new ArrayList<>();
        for (String between : json.split("\"", -1)) {
            if (parts.size() >= MAX_PARTS) {
                return parts;
            }
            parts.add(between);
            parts.addAll(List.of(between.split("[\\s{}\\[\\],:]+", -1)));
        }
        parts.removeIf(String::isBlank);
        return parts;
    }

    /** Replaces the beginning of a value that a message shows before it is cut off with {@code ...}. */
    private static String withoutBeginning(String message, String token) {
        for (int length = Math.min(token.length(), LONGEST_CUT); length > 0; length--) {
            String shown = token.substring(0, length) + CUT;
            if (message.contains(shown)) {
                return message.replace(shown, "?" + CUT);
            }
        }
        return message;
    }
}
