package dev.cassidy.recorder;

import java.util.List;

/** Writes one JSON object on one line, in ASCII, so that no character set can spoil it. Not safe for use by many threads. */
final class JsonLine {

    private final StringBuilder text = new StringBuilder("{");

    JsonLine put(String key, String value) {
        key(key);
        string(value);
        return this;
    }

    JsonLine put(String key, long value) {
        key(key);
        text.append(value);
        return this;
    }

    JsonLine put(String key, boolean value) {
        key(key);
        text.append(value);
        return this;
    }

    JsonLine put(String key, List<Integer> values) {
        key(key);
        text.append('[');
        for (int i = 0; i < values.size(); i++) {
            text.append(i == 0 ? "" : ",").append(values.get(i));
        }
        text.append(']');
        return this;
    }

    private void key(String key) {
        if (text.length() > 1) {
            text.append(',');
        }
        string(key);
        text.append(':');
    }

    private void string(String value) {
        text.append('"');
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c == '"' || c == '\\') {
                text.append('\\').append(c);
            } else if (c >= ' ' && c < 127) {
                text.append(c);
            } else {
                text.append(String.format("\\u%04x", (int) c));
            }
        }
        text.append('"');
    }

    /** Returns the line, with its end. */
    @Override
    public String toString() {
        return text + "}\n";
    }
}
