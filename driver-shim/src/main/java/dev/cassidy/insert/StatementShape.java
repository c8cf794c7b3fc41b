package dev.cassidy.insert;

import java.util.regex.Pattern;

/** A statement without its values, so that texts that differ only in values count as one, and values stay secret. */
public final class StatementShape {

    private static final int LONGEST = 2_000;

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
                if (!value.isBlank()) {
                    cleaned = Pattern.compile("(?<![A-Za-z0-9_])" + Pattern.quote(value) + "(?![A-Za-z0-9_])")
                            .matcher(cleaned)
                            .replaceAll("?");
                }
            }
        }
        return cleaned;
    }
}
