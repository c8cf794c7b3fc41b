package dev.cassidy.insert;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/** A statement without its values, so that statements that differ only in values count as one, and values stay secret. */
public final class StatementShape {

    private static final int LONGEST = 2_000;

    /** How messages end that quote a part of a statement only, and more than they quote. */
    private static final String CUT = " ...";

    private static final int LONGEST_CUT = 200;
    private static final int MAX_PARTS = 20_000;
    private static final int MAX_VALUES = 1_000;

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
     * Returns {@code message} with {@code ?} for each value of {@code sql} that it quotes. Each value is a walk over the message, so
     * one about more than {@value #MAX_VALUES} different values is not shown.
     */
    public static String withoutValues(String message, String sql) {
        Set<String> values = new LinkedHashSet<>();
        Scanner scanner = new Scanner(sql, Scanner.Language.TSQL);
        for (Kind kind = scanner.next(); kind != Kind.END && kind != Kind.UNTERMINATED; kind = scanner.next()) {
            if (kind == Kind.STRING || kind == Kind.NATIONAL || kind == Kind.NUMBER) {
                values.add(sql.substring(scanner.start(), scanner.end()));
            }
            if (values.size() > MAX_VALUES) {
                return "(not shown, as it may hold one of more than " + MAX_VALUES + " values)";
            }
        }
        String cleaned = message;
        for (String token : values) {
            String value = token.replaceFirst("^N?('|\\$\\$)", "").replaceFirst("('|\\$\\$)$", "");
            cleaned = withoutValue(cleaned, value);
            // A message shows it as it is, or as the input has it.
            String plain = value.replace("''", "'");
            cleaned = withoutValue(cleaned, plain);
            for (String part : new LinkedHashSet<>(partsOfJson(plain))) {
                cleaned = withoutValue(cleaned, part);
            }
            cleaned = withoutBeginning(cleaned, token);
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
        for (int length = message.contains(CUT) ? Math.min(token.length(), LONGEST_CUT) : 0; length > 0; length--) {
            String shown = token.substring(0, length) + CUT;
            if (message.contains(shown)) {
                return message.replace(shown, "?" + CUT);
            }
        }
        return message;
    }
}
