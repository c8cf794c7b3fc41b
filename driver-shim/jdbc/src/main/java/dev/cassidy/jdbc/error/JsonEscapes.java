package dev.cassidy.jdbc.error;

import java.util.ArrayList;
import java.util.List;

/** The escapes of JSON texts, of which a message may show a part. Linear in a text's length. */
final class JsonEscapes {

    private JsonEscapes() {}

    /** Returns a text with its escapes replaced by what they stand for. What is no escape stays. */
    static String decoded(String text) {
        if (text.indexOf('\\') < 0) {
            return text;
        }
        StringBuilder decoded = new StringBuilder(text.length());
        int i = 0;
        while (i < text.length()) {
            int length = length(text, i);
            decoded.append(length == 1 ? text.charAt(i) : meant(text, i));
            i += length;
        }
        return decoded.toString();
    }

    /** Returns what the quoted texts in a JSON text stand for; at most {@code most}. The last one may have no end. */
    static List<String> strings(String json, int most) {
        List<String> strings = new ArrayList<>();
        int i = json.indexOf('"');
        while (i >= 0 && strings.size() < most) {
            int end = i + 1;
            while (end < json.length() && json.charAt(end) != '"') {
                end += length(json, end);
            }
            strings.add(decoded(json.substring(i + 1, Math.min(end, json.length()))));
            i = json.indexOf('"', end + 1);
        }
        return strings;
    }

    /** Returns how many characters the one at {@code at} is written with. */
    private static int length(String text, int at) {
        if (text.charAt(at) != '\\' || at + 1 == text.length()) {
            return 1;
        }
        char kind = text.charAt(at + 1);
        if (kind != 'u') {
            return "\"\\/bfnrt".indexOf(kind) < 0 ? 1 : 2;
        }
        for (int i = at + 2; i < at + 6; i++) {
            if (i >= text.length() || Character.digit(text.charAt(i), 16) < 0) {
                return 1;
            }
        }
        return 6;
    }

    private static char meant(String text, int at) {
        char kind = text.charAt(at + 1);
        return switch (kind) {
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            case 'u' -> (char) Integer.parseInt(text.substring(at + 2, at + 6), 16);
            default -> kind;
        };
    }
}
