package dev.cassidy.assist.eval;

import org.jspecify.annotations.Nullable;

/** Names as statements write them. */
final class Names {

    private Names() {}

    /** Returns a name without its quotes or brackets. */
    static String bare(String written) {
        int last = written.length() - 1;
        if (last < 1) {
            return written;
        }
        char first = written.charAt(0);
        char end = written.charAt(last);
        String inner = written.substring(1, last);
        if (first == '[' && end == ']') {
            return inner.replace("]]", "]");
        }
        if (first == '"' && end == '"') {
            return inner.replace("\"\"", "\"");
        }
        return first == '\'' && end == '\'' ? inner.replace("''", "'") : written;
    }

    /** Returns a name without its quotes or brackets; empty if there is none. */
    static String bareOrEmpty(@Nullable String written) {
        return written == null ? "" : bare(written);
    }
}
