package dev.cassidy.migration.assess;

import dev.cassidy.insert.Kind;
import dev.cassidy.insert.Scanner;
import java.util.Map;

/**
 * Puts a literal in the place of each marker of a recorded statement, because the parsers take a literal and a parameter
 * differently: a number in TOP, a date in a string, a pattern. The literal has the marker's type, so it is judged as the
 * application's own would be.
 */
final class Representatives {

    private static final Map<String, String> LITERALS = Map.ofEntries(
            Map.entry("int", "1"),
            Map.entry("otherint", "2"),
            Map.entry("zero", "0"),
            Map.entry("bigint", "3000000000"),
            Map.entry("decimal", "1.5"),
            Map.entry("float", "1.5E0"),
            Map.entry("money", "$1.5"),
            Map.entry("binary", "0x0a"),
            Map.entry("digits", "'1'"),
            Map.entry("numeric", "'1.5'"),
            Map.entry("uuid", "'123e4567-e89b-12d3-a456-426614174000'"));

    private Representatives() {}

    /** Returns the statement as an application could have sent it. */
    static String in(String recorded) {
        Scanner scanner = new Scanner(recorded, Scanner.Language.TSQL);
        StringBuilder sql = new StringBuilder(recorded.length());
        int copied = 0;
        for (Kind kind = scanner.next(); kind != Kind.END && kind != Kind.UNTERMINATED; kind = scanner.next()) {
            sql.append(recorded, copied, scanner.start());
            copied = scanner.end();
            String token = recorded.substring(scanner.start(), copied);
            boolean national = kind == Kind.NATIONAL;
            sql.append(
                    kind == Kind.STRING || national
                            ? literal(token.substring(national ? 2 : 1, token.length() - 1), national ? "N" : "")
                            : token);
        }
        return sql.append(recorded, copied, recorded.length()).toString();
    }

    private static String literal(String marker, String prefix) {
        String type = marker.startsWith("#") ? marker.substring(1) : marker;
        String known = LITERALS.get(type);
        if (known != null) {
            return known.startsWith("'") ? prefix + known : known;
        }
        if (type.startsWith("date ")) {
            return prefix + "'" + date(type.substring(5)) + "'";
        }
        if (type.startsWith("like ")) {
            return prefix + "'"
                    + type.substring(5)
                            .replace("[^]", "[^a]")
                            .replace("[]", "[a]")
                            .replace("*", "abc") + "'";
        }
        return prefix + "'abc'";
    }

    /** Returns the first of January 2000, one minute and one second after one o'clock, in the form that the marker has. */
    private static String date(String form) {
        if (form.equals("dddddddd")) {
            return "20000101";
        }
        StringBuilder date = new StringBuilder();
        for (int i = 0; i < form.length(); ) {
            int digits = i;
            while (digits < form.length() && form.charAt(digits) == 'd') {
                digits++;
            }
            if (digits == i) {
                date.append(form.charAt(i));
                i++;
            } else {
                boolean fraction = i > 0 && form.charAt(i - 1) == '.' && form.indexOf(':') >= 0;
                date.append(digits - i == 4 && !fraction ? "2000" : "0".repeat(digits - i - 1) + "1");
                i = digits;
            }
        }
        return date.toString().replace("xx", "AM");
    }
}
