package dev.cassidy.insert;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The value of a literal of CQL, before the type of its column is known. Immutable. */
public sealed interface CqlLiteral {

    /** A text in quotes, without them. */
    record Text(String content) implements CqlLiteral {}

    /** A number, with its sign; {@code NaN} and {@code Infinity} within a collection too. */
    record Numeral(String digits) implements CqlLiteral {}

    /** {@code 0x...}, without the prefix. */
    record Blob(String digits) implements CqlLiteral {}

    /** A uuid without quotes. */
    record Uuid(String text) implements CqlLiteral {}

    /** {@code true} or {@code false}. */
    record Truth(boolean value) implements CqlLiteral {}

    /** A duration, such as {@code 1h30m}. */
    record Duration(String text) implements CqlLiteral {}

    /** {@code NULL}, within a tuple or a user-defined type. */
    record Null() implements CqlLiteral {}

    /** {@code [a, b]}, or the values of an IN. */
    record Listed(List<CqlLiteral> elements) implements CqlLiteral {
        public Listed {
            elements = List.copyOf(elements);
        }
    }

    /** {@code (a, b)}. */
    record Tuple(List<CqlLiteral> parts) implements CqlLiteral {
        public Tuple {
            parts = List.copyOf(parts);
        }
    }

    /** {@code {a, b}}; an empty one may be a map too. */
    record SetOf(List<CqlLiteral> elements) implements CqlLiteral {
        public SetOf {
            elements = List.copyOf(elements);
        }
    }

    /** {@code {a: b}}, the keys and the values in their order. */
    record MapOf(List<CqlLiteral> keys, List<CqlLiteral> values) implements CqlLiteral {
        public MapOf {
            keys = List.copyOf(keys);
            values = List.copyOf(values);
        }
    }

    /** {@code {field: b}}, with internal names. */
    record Fields(List<String> names, List<CqlLiteral> values) implements CqlLiteral {
        public Fields {
            names = List.copyOf(names);
            values = List.copyOf(values);
        }
    }

    /** Reads a text that is one literal; null for any other. */
    static @Nullable CqlLiteral read(String text) {
        Tokens tokens;
        try {
            tokens = new Tokens(text);
        } catch (UnsupportedSqlException e) {
            return null;
        }
        Found found = read(tokens, 0);
        return found != null && tokens.isEnd(found.end) ? found.literal : null;
    }

    /**
     * A literal in a text.
     *
     * @param end the token after it
     */
    record Found(CqlLiteral literal, int end) {}

    /** Reads the literal that begins at a token; null if none begins there, or it holds something that is none. */
    static @Nullable Found read(Tokens tokens, int token) {
        return new Reader(tokens).read(token, 0);
    }

    /** Reads literals within each other. */
    final class Reader {

        /** Deeper ones are no literals for us: the server says what it thinks of them. */
        private static final int DEEPEST = 50;

        private final Tokens tokens;

        private Reader(Tokens tokens) {
            this.tokens = tokens;
        }

        private @Nullable Found read(int token, int depth) {
            if (depth > DEEPEST) {
                return null;
            }
            return switch (tokens.kind(token)) {
                case STRING, NATIONAL -> new Found(new Text(tokens.content(token)), token + 1);
                case NUMBER -> new Found(number(tokens.text(token), ""), token + 1);
                case WORD -> word(token, depth);
                case SYMBOL -> symbol(token, depth);
                default -> null;
            };
        }

        private static CqlLiteral number(String text, String sign) {
            if (text.length() == 36 && text.charAt(8) == '-') {
                return new Uuid(text);
            }
            if (text.length() > 1 && (text.charAt(1) == 'x' || text.charAt(1) == 'X')) {
                return new Blob(text.substring(2));
            }
            char last = text.charAt(text.length() - 1);
            return last >= '0' && last <= '9' ? new Numeral(sign + text) : new Duration(sign + text);
        }

        private @Nullable Found word(int token, int depth) {
            if (tokens.isWord(token, "true") || tokens.isWord(token, "false")) {
                return new Found(new Truth(tokens.isWord(token, "true")), token + 1);
            }
            if (depth > 0 && tokens.isWord(token, "null")) {
                return new Found(new Null(), token + 1);
            }
            if (depth > 0 && tokens.isWord(token, "nan")) {
                return new Found(new Numeral("NaN"), token + 1);
            }
            return depth > 0 && tokens.isWord(token, "infinity") ? new Found(new Numeral("Infinity"), token + 1) : null;
        }

        private @Nullable Found symbol(int token, int depth) {
            if (tokens.isSymbol(token, '-')) {
                if (depth > 0 && tokens.isWord(token + 1, "infinity")) {
                    return new Found(new Numeral("-Infinity"), token + 2);
                }
                return tokens.kind(token + 1) == Kind.NUMBER && isSignable(token + 1)
                        ? new Found(number(tokens.text(token + 1), "-"), token + 2)
                        : null;
            }
            if (tokens.isSymbol(token, '[')) {
                Items items = items(token, ']', depth);
                return items == null || !items.values.isEmpty() || !items.names.isEmpty()
                        ? null
                        : new Found(new Listed(items.first), items.end);
            }
            if (tokens.isSymbol(token, '(')) {
                Items items = items(token, ')', depth);
                return items == null || items.first.isEmpty() || !items.values.isEmpty()
                        ? null
                        : new Found(new Tuple(items.first), items.end);
            }
            if (!tokens.isSymbol(token, '{')) {
                return null;
            }
            Items items = items(token, '}', depth);
            if (items == null) {
                return null;
            }
            if (!items.names.isEmpty()) {
                return items.names.size() == items.values.size() && items.first.isEmpty()
                        ? new Found(new Fields(items.names, items.values), items.end)
                        : null;
            }
            if (items.values.isEmpty()) {
                return new Found(new SetOf(items.first), items.end);
            }
            return items.values.size() == items.first.size()
                    ? new Found(new MapOf(items.first, items.values), items.end)
                    : null;
        }

        private boolean isSignable(int token) {
            CqlLiteral literal = number(tokens.text(token), "");
            return literal instanceof Numeral || literal instanceof Duration;
        }

        private record Items(List<CqlLiteral> first, List<String> names, List<CqlLiteral> values, int end) {}

        /** Reads what stands between two brackets: terms, or pairs of a key or a field and a term. */
        private @Nullable Items items(int open, char closer, int depth) {
            Items items = new Items(new ArrayList<>(), new ArrayList<>(), new ArrayList<>(), 0);
            int at = open + 1;
            if (tokens.isSymbol(at, closer)) {
                return new Items(items.first, items.names, items.values, at + 1);
            }
            while (true) {
                if (closer == '}' && tokens.kind(at).isName() && tokens.isSymbol(at + 1, ':')) {
                    items.names.add(Identifiers.toInternal(tokens.cqlName(at)));
                    at++;
                } else {
                    Found key = read(at, depth + 1);
                    if (key == null) {
                        return null;
                    }
                    items.first.add(key.literal);
                    at = key.end;
                }
                if (closer == '}' && tokens.isSymbol(at, ':')) {
                    Found value = read(at + 1, depth + 1);
                    if (value == null) {
                        return null;
                    }
                    items.values.add(value.literal);
                    at = value.end;
                }
                if (tokens.isSymbol(at, closer)) {
                    return new Items(items.first, items.names, items.values, at + 1);
                }
                if (!tokens.isSymbol(at, ',')) {
                    return null;
                }
                at++;
            }
        }
    }
}
