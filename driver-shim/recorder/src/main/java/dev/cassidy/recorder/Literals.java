package dev.cassidy.recorder;

import java.util.regex.Pattern;

/**
 * The markers that stand for literals. A marker is a string literal that begins with {@code #}; no other string is in a recorded
 * statement, so nothing else can be taken for one.
 */
final class Literals {

    /** In decimal digits. */
    private static final int MAX_INT_DIGITS = 10;

    private static final int MAX_BIGINT_DIGITS = 19;
    private static final int MAX_DATE_LENGTH = 40;

    /** What looks like a date, a time or both, whatever order its parts have. */
    private static final Pattern DATE = Pattern.compile(
            "(?i)(?:[0-9]{4}([-/.])[0-9]{1,2}\\1[0-9]{1,2}|[0-9]{1,2}([-/.])[0-9]{1,2}\\2[0-9]{2,4})?"
                    + "(?:(?:^|[ T])[0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:[.:][0-9]{1,9})?)?(?: ?[AP]M)?(?:Z| ?[+-][0-9]{2}:?[0-9]{2})?)?");

    private static final Pattern DIGITS = Pattern.compile("[+-]?[0-9]{1,18}");
    private static final Pattern DATE_OF_DIGITS =
            Pattern.compile("[0-9]{4}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])");
    private static final Pattern NUMERIC = Pattern.compile("[+-]?[0-9]*[.][0-9]+");
    private static final Pattern UUID = Pattern.compile("\\{?[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}\\}?");

    private Literals() {}

    /** Returns the type of a number, which is that of T-SQL's literals; bigint for those that only fit there. */
    static String number(String digits) {
        if (digits.indexOf('e') >= 0 || digits.indexOf('E') >= 0) {
            return "float";
        }
        if (digits.indexOf('.') >= 0) {
            return "decimal";
        }
        String plain = digits.replaceFirst("^0+(?=.)", "");
        if (fits(plain, MAX_INT_DIGITS, String.valueOf(Integer.MAX_VALUE))) {
            return "int";
        }
        return fits(plain, MAX_BIGINT_DIGITS, String.valueOf(Long.MAX_VALUE)) ? "bigint" : "decimal";
    }

    private static boolean fits(String digits, int length, String largest) {
        return digits.length() < length || (digits.length() == length && digits.compareTo(largest) <= 0);
    }

    /** Returns the type of a string: what a database could convert it to, or string. */
    static String string(String content) {
        if (content.length() <= MAX_DATE_LENGTH) {
            if (DATE_OF_DIGITS.matcher(content).matches()) {
                return "date dddddddd";
            }
            if (DIGITS.matcher(content).matches()) {
                return "digits";
            }
            if (NUMERIC.matcher(content).matches()) {
                return "numeric";
            }
            if (UUID.matcher(content).matches()) {
                return "uuid";
            }
            if (content.indexOf(':') + content.indexOf('-') + content.indexOf('/') + content.indexOf('.') > -4
                    && DATE.matcher(content).matches()) {
                return "date " + form(content);
            }
        }
        return "string";
    }

    /** Returns how a date is written: its signs, with d for each digit, and xx for AM and PM. */
    private static String form(String date) {
        StringBuilder form = new StringBuilder();
        for (int i = 0; i < date.length(); i++) {
            char c = date.charAt(i);
            form.append(c >= '0' && c <= '9' ? 'd' : Character.toUpperCase(c));
        }
        return form.toString().replaceFirst("[AP]M", "xx");
    }

    /**
     * Returns what a LIKE pattern is made of: its wildcards, {@code []} or {@code [^]} for a set of characters, and {@code *} for
     * any other characters, however many.
     *
     * @param escape the character after which a wildcard is an ordinary character; 0 for none
     */
    static String pattern(String content, char escape) {
        StringBuilder pattern = new StringBuilder("like ");
        int lastClose = content.lastIndexOf(']');
        for (int i = 0; i < content.length(); i++) {
            char c = content.charAt(i);
            int close = c == '[' && i < lastClose ? content.indexOf(']', i + 1) : -1;
            if (escape != 0 && c == escape) {
                i++;
                other(pattern);
            } else if (c == '%' || c == '_') {
                pattern.append(c);
            } else if (close >= 0) {
                pattern.append(content.charAt(i + 1) == '^' ? "[^]" : "[]");
                i = close;
            } else {
                other(pattern);
            }
        }
        return pattern.toString();
    }

    private static void other(StringBuilder pattern) {
        if (pattern.charAt(pattern.length() - 1) != '*') {
            pattern.append('*');
        }
    }
}
