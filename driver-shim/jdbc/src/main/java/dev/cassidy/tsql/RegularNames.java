package dev.cassidy.tsql;

import dev.cassidy.insert.Kind;
import dev.cassidy.insert.Scanner;

/**
 * Names with letters beyond ASCII, which T-SQL takes without brackets: {@code Straße}. CQL takes them in quotes alone, so they are
 * read as {@code [Straße]}.
 */
final class RegularNames {

    private RegularNames() {}

    /** Returns the statement with brackets around such names; their places in it move. */
    static String bracketed(String sql) {
        if (sql.chars().allMatch(c -> c < 128)) {
            return sql;
        }
        StringBuilder out = new StringBuilder();
        int copied = 0;
        int begin = -1;
        int end = -1;
        boolean foreign = false;
        Scanner scanner = new Scanner(sql, Scanner.Language.TSQL);
        Kind before = Kind.END;
        do {
            Kind kind = scanner.next();
            boolean letter = isForeign(sql, scanner, kind);
            boolean adjoins = scanner.start() == end;
            if (adjoins && begin >= 0 && (letter || kind == Kind.WORD || kind == Kind.NUMBER)) {
                foreign |= letter;
            } else {
                if (begin >= 0 && foreign) {
                    out.append(sql, copied, begin)
                            .append('[')
                            .append(sql, begin, end)
                            .append(']');
                    copied = end;
                }
                // Behind @ or :, and behind a digit, it is no name.
                boolean begins = (letter || kind == Kind.WORD)
                        && !(adjoins
                                && (before == Kind.VARIABLE || before == Kind.NAMED_MARKER || before == Kind.NUMBER));
                begin = begins ? scanner.start() : -1;
                foreign = letter;
            }
            end = scanner.end();
            before = kind;
        } while (before != Kind.END && before != Kind.UNTERMINATED);
        return out.append(sql, copied, sql.length()).toString();
    }

    /** Returns whether the token is a word with a letter beyond ASCII, or half of a letter of two UTF-16 units. */
    private static boolean isForeign(String sql, Scanner scanner, Kind kind) {
        int at = scanner.start();
        if (kind == Kind.WORD) {
            return sql.substring(at, scanner.end()).chars().anyMatch(c -> c > 127);
        }
        if (kind != Kind.SYMBOL || sql.charAt(at) < 128) {
            return false;
        }
        int first = Character.isLowSurrogate(sql.charAt(at)) && at > 0 ? at - 1 : at;
        int letter = sql.codePointAt(first);
        return Character.isLetterOrDigit(letter)
                || Character.getType(letter) == Character.NON_SPACING_MARK
                || Character.getType(letter) == Character.COMBINING_SPACING_MARK;
    }
}
