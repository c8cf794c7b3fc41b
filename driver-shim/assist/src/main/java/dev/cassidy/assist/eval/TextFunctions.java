package dev.cassidy.assist.eval;

import dev.cassidy.jdbc.assist.EvaluationException;
import java.nio.charset.Charset;
import org.h2.value.Value;
import org.jspecify.annotations.Nullable;

/** The functions of strings, as H2 calls them. Strings are measured in UTF-16 units; null gives null where T-SQL says so. */
public final class TextFunctions {

    private static final Charset CODE_PAGE = Charset.forName("windows-1252");
    private static final int MAX_BYTES = 8_000;
    private static final long FAR = 1L << 40;

    private TextFunctions() {}

    private static String made(String text) {
        Running.current().countCharacters(text.length());
        return text;
    }

    /** LIKE. */
    public static @Nullable Boolean like(
            @Nullable String value, @Nullable String pattern, @Nullable String escape, boolean unicode) {
        if (value == null || pattern == null || escape == null) {
            return null;
        }
        return Patterns.matches(value, pattern, escape, unicode);
    }

    /** The operator +. */
    public static @Nullable String join(@Nullable String left, @Nullable String right) {
        if (left == null || right == null) {
            return null;
        }
        Running.current().countCharacters((long) left.length() + right.length());
        return left.concat(right);
    }

    /** The first characters, as CAST leaves them. */
    public static @Nullable String cut(@Nullable String text, int length) {
        return text == null || text.length() <= length ? text : text.substring(0, length);
    }

    /** Blanks at the end up to a length, as CHAR has them. */
    public static @Nullable String pad(@Nullable String text, int length) {
        return text == null || text.length() >= length ? text : made(text + " ".repeat(length - text.length()));
    }

    /** LEN: without blanks at the end. */
    public static @Nullable Integer len(@Nullable String text) {
        if (text == null) {
            return null;
        }
        int end = text.length();
        while (end > 0 && text.charAt(end - 1) == ' ') {
            end--;
        }
        return end;
    }

    /** DATALENGTH of a VARCHAR, in code page 1252. */
    public static @Nullable Integer datalength(@Nullable String text) {
        if (text == null) {
            return null;
        }
        if (!CODE_PAGE.newEncoder().canEncode(text)) {
            throw new NotEvaluatedException(
                    "DATALENGTH of a varchar with characters beyond code page 1252",
                    "how many bytes they take is not known",
                    "Declare the column as nvarchar");
        }
        return text.length();
    }

    /** Returns a position of which no sum is too large, and which is beyond every string if the given one is. */
    private static long near(long position) {
        return Math.max(-FAR, Math.min(FAR, position));
    }

    /** SUBSTRING: positions begin at 1, and those before count. */
    public static @Nullable String substring(@Nullable String text, @Nullable Long start, @Nullable Long length) {
        if (text == null || start == null || length == null) {
            return null;
        }
        if (length < 0) {
            throw new EvaluationException(
                    537, "22011", "Invalid length parameter passed to the LEFT or SUBSTRING function: " + length);
        }
        long end = Math.min(text.length(), near(start) - 1 + near(length));
        long from = Math.max(0, near(start) - 1);
        return from >= end ? "" : made(text.substring((int) from, (int) end));
    }

    /** LEFT. */
    public static @Nullable String left(@Nullable String text, @Nullable Long length) {
        return substring(text, 1L, length);
    }

    /** RIGHT. */
    public static @Nullable String right(@Nullable String text, @Nullable Long length) {
        if (text == null || length == null) {
            return null;
        }
        if (length < 0) {
            throw new EvaluationException(
                    536, "22011", "Invalid length parameter passed to the RIGHT function: " + length);
        }
        return made(text.substring((int) Math.max(0, text.length() - length)));
    }

    /** CHARINDEX. */
    public static @Nullable Integer charindex(@Nullable String sought, @Nullable String text, @Nullable Long start) {
        if (sought == null || text == null) {
            return null;
        }
        long from = start == null ? 0 : Math.max(0, start - 1);
        return sought.isEmpty() || from >= text.length() ? 0 : Patterns.find(text, sought, (int) from) + 1;
    }

    /** REPLACE. */
    public static @Nullable String replace(@Nullable String text, @Nullable String old, @Nullable String fresh) {
        if (text == null || old == null || fresh == null) {
            return null;
        }
        if (old.isEmpty()) {
            return text;
        }
        StringBuilder result = new StringBuilder();
        int at = 0;
        for (int found = Patterns.find(text, old, 0); found >= 0; found = Patterns.find(text, old, at)) {
            Running.current().countCharacters((long) found - at + fresh.length());
            result.append(text, at, found).append(fresh);
            at = found + old.length();
        }
        return made(result.append(text.substring(at)).toString());
    }

    /** STUFF. */
    public static @Nullable String stuff(
            @Nullable String text, @Nullable Long start, @Nullable Long length, @Nullable String fresh) {
        if (text == null || start == null || length == null || start < 1 || start > text.length() || length < 0) {
            return null;
        }
        int end = (int) Math.min(text.length(), start - 1 + near(length));
        return made(text.substring(0, (int) (start - 1)) + (fresh == null ? "" : fresh) + text.substring(end));
    }

    /** REPLICATE. */
    public static @Nullable String replicate(@Nullable String text, @Nullable Long times, int most) {
        if (text == null || times == null || times < 0) {
            return null;
        }
        long length = text.isEmpty() ? 0 : Math.min(times, most / text.length() + 1L) * text.length();
        Running.current().countCharacters(length);
        String repeated = text.repeat((int) (text.isEmpty() ? 0 : length / text.length()));
        return repeated.length() > most ? repeated.substring(0, most) : repeated;
    }

    /** SPACE. */
    public static @Nullable String space(@Nullable Long times) {
        return replicate(" ", times, MAX_BYTES);
    }

    /** UPPER, one character for each. */
    public static @Nullable String upper(@Nullable String text) {
        if (text == null) {
            return null;
        }
        char[] characters = made(text).toCharArray();
        for (int i = 0; i < characters.length; i++) {
            characters[i] = Character.toUpperCase(characters[i]);
        }
        return new String(characters);
    }

    /** LOWER, one character for each. */
    public static @Nullable String lower(@Nullable String text) {
        if (text == null) {
            return null;
        }
        char[] characters = made(text).toCharArray();
        for (int i = 0; i < characters.length; i++) {
            characters[i] = Character.toLowerCase(characters[i]);
        }
        return new String(characters);
    }

    /** LTRIM: blanks only. */
    public static @Nullable String ltrim(@Nullable String text) {
        int begin = 0;
        while (text != null && begin < text.length() && text.charAt(begin) == ' ') {
            begin++;
        }
        return text == null ? null : made(text.substring(begin));
    }

    /** RTRIM: blanks only. */
    public static @Nullable String rtrim(@Nullable String text) {
        Integer length = len(text);
        return text == null || length == null ? null : made(text.substring(0, length));
    }

    /** TRIM: blanks only. */
    public static @Nullable String trim(@Nullable String text) {
        return ltrim(rtrim(text));
    }

    /** REVERSE, by UTF-16 units. */
    public static @Nullable String reverse(@Nullable String text) {
        if (text == null) {
            return null;
        }
        char[] characters = made(text).toCharArray();
        char[] reversed = new char[characters.length];
        for (int i = 0; i < characters.length; i++) {
            reversed[characters.length - 1 - i] = characters[i];
        }
        return new String(reversed);
    }

    /** CONCAT: null is an empty string. */
    public static String concat(String... texts) {
        long length = 0;
        for (String each : texts) {
            length += each == null ? 0 : each.length();
        }
        Running.current().countCharacters(length);
        StringBuilder all = new StringBuilder();
        for (String each : texts) {
            all.append(each == null ? "" : each);
        }
        return all.toString();
    }

    /** CONCAT_WS: null is left out, and its separator. */
    public static String concatws(@Nullable String separator, String... texts) {
        String between = separator == null ? "" : separator;
        StringBuilder all = new StringBuilder();
        boolean first = true;
        for (String each : texts) {
            if (each != null) {
                Running.current().countCharacters((long) each.length() + between.length());
                all.append(first ? "" : between).append(each);
                first = false;
            }
        }
        return all.toString();
    }

    /** ASCII: the code of the first character in code page 1252. */
    public static @Nullable Integer ascii(@Nullable String text) {
        return text == null || text.isEmpty() ? null : text.substring(0, 1).getBytes(CODE_PAGE)[0] & 0xff;
    }

    /** CHAR. */
    public static @Nullable String character(@Nullable Long code) {
        return code == null || code < 0 || code > 255 ? null : new String(new byte[] {(byte) (long) code}, CODE_PAGE);
    }

    /** UNICODE: the first UTF-16 unit. */
    public static @Nullable Integer unicode(@Nullable String text) {
        return text == null || text.isEmpty() ? null : (int) text.charAt(0);
    }

    /** NCHAR. */
    public static @Nullable String nchar(@Nullable Long code) {
        return code == null || code < 0 || code > 65_535 ? null : String.valueOf((char) (long) code);
    }

    /**
     * Counts a row of a join. Always true, so that it may stand among conditions.
     *
     * @param any a column of the row
     */
    public static boolean step(@Nullable Value any) {
        Running.current().countRow();
        return true;
    }
}
