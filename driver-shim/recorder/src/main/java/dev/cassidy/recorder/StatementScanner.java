package dev.cassidy.recorder;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Makes a statement without its values. Each literal becomes a marker: a string literal that begins with {@code #} and names a
 * type, such as {@code '#int'}, {@code N'#string'} or {@code '#date dddd-dd-dd'}. Of a LIKE pattern its wildcards stay. Comments
 * are dropped, because they may hold values, and a word that is no known name becomes {@code n1}, {@code n2} and so on. A string,
 * a name or a comment without its end may hide a value anywhere: of such a statement only the kind is kept.
 *
 * <p>Two numbers stay known in part, since they decide what a statement means: {@code '#zero'} after OFFSET, and
 * {@code '#otherint'} in a comparison of two different numbers, such as {@code 1 = 0}.
 */
public final class StatementScanner {

    /** Of a statement without its values. */
    static final int MAX_LENGTH = 20_000;

    /** Of a statement with its values. */
    static final int MAX_READ = 1_000_000;

    /** Markers in a list after IN; further ones are left out, so that lists of many lengths are one statement. */
    private static final int MAX_IN = 20;

    private static final String SYMBOLS = "+-*/%=<>!&|^~(),.;:{}@#$?";
    private static final String CURRENCIES =
            "\u00a2\u00a3\u00a4\u00a5\u20ac\u20a0\u20a1\u20a2\u20a3\u20a4\u20a6\u20a9\u20aa\u20ab";

    private static final Set<String> KINDS = new HashSet<>(Arrays.asList(
            "SELECT",
            "INSERT",
            "UPDATE",
            "DELETE",
            "MERGE",
            "WITH",
            "EXEC",
            "EXECUTE",
            "CALL",
            "CREATE",
            "ALTER",
            "DROP",
            "TRUNCATE",
            "BEGIN",
            "COMMIT",
            "ROLLBACK",
            "SAVE",
            "SET",
            "DECLARE",
            "IF",
            "USE",
            "GRANT",
            "REVOKE",
            "DENY",
            "DBCC",
            "PRINT",
            "BULK",
            "WAITFOR",
            "VALUES"));

    private static final Set<String> AFTER_LIKE =
            new HashSet<>(Arrays.asList("and", "or", "escape", "where", "then", "when", "group", "order", "union"));

    private static final Set<String> BEFORE_CONDITION =
            new HashSet<>(Arrays.asList("where", "and", "or", "not", "on", "having", "when", "("));

    private enum Kind {
        WORD,
        /** A name in quotes, brackets or backticks. */
        QUOTED,
        VARIABLE,
        STRING,
        NUMBER,
        SYMBOL
    }

    private static final class Token {
        private final Kind kind;
        private final String text;
        private final boolean gap;

        /** Of a string what is between its quotes, of a name the name. */
        private final String content;

        /** Of a literal. */
        private final String type;

        Token(Kind kind, String text, boolean gap, String content, String type) {
            this.kind = kind;
            this.text = text;
            this.gap = gap;
            this.content = content;
            this.type = type;
        }

        boolean isWord(String... words) {
            return kind == Kind.WORD && Arrays.asList(words).contains(text.toLowerCase(Locale.ROOT));
        }

        boolean isSymbol(char symbol) {
            return kind == Kind.SYMBOL && text.charAt(0) == symbol;
        }
    }

    private static final class Unread extends Exception {
        private static final long serialVersionUID = 1;

        Unread(String why) {
            super(why, null, false, false);
        }
    }

    private final String sql;
    private final KnownNames names;
    private final List<Token> tokens = new ArrayList<>();
    private int at;

    /** The number of the last name that was given to a word. */
    private int lastOther;

    private StatementScanner(String sql, KnownNames names) {
        this.sql = sql;
        this.names = names;
    }

    /**
     * Returns the statement without its values.
     *
     * @param names may stay; those that a definition makes are added
     */
    public static Scanned scan(String sql, KnownNames names) {
        StatementScanner scanner = new StatementScanner(sql, names);
        try {
            if (sql.length() > MAX_READ) {
                throw new Unread("it is longer than " + MAX_READ + " characters");
            }
            scanner.read();
            new Definition(scanner).learn();
            return Scanned.read(scanner.kind(), scanner.shape());
        } catch (Unread e) {
            return Scanned.unread(scanner.kind(), String.valueOf(e.getMessage()));
        }
    }

    private String kind() {
        for (Token token : tokens) {
            if (token.kind == Kind.WORD) {
                String word = token.text.toUpperCase(Locale.ROOT);
                return KINDS.contains(word) ? word : "OTHER";
            }
            if (token.kind != Kind.SYMBOL) {
                return "OTHER";
            }
        }
        return "OTHER";
    }

    // ---- tokens

    private void read() throws Unread {
        boolean gap = skipGap();
        while (at < sql.length()) {
            token(gap);
            gap = skipGap();
        }
    }

    private char peek(int ahead) {
        return at + ahead < sql.length() ? sql.charAt(at + ahead) : 0;
    }

    /** Skips blanks and comments; returns whether there were any. */
    private boolean skipGap() throws Unread {
        int from = at;
        while (at < sql.length()) {
            char c = sql.charAt(at);
            if (Character.isWhitespace(c) || Character.isISOControl(c) || c == '\u00a0' || c == '\ufeff') {
                at++;
            } else if (c == '-' && peek(1) == '-') {
                // A carriage return alone does not end it, as in T-SQL.
                int end = sql.indexOf('\n', at);
                at = end < 0 ? sql.length() : end;
            } else if (c == '/' && peek(1) == '*') {
                skipComment();
            } else {
                break;
            }
        }
        return at > from;
    }

    private void skipComment() throws Unread {
        int depth = 0;
        do {
            if (at >= sql.length()) {
                throw new Unread("a comment has no end");
            }
            if (peek(0) == '/' && peek(1) == '*') {
                depth++;
                at += 2;
            } else if (peek(0) == '*' && peek(1) == '/') {
                depth--;
                at += 2;
            } else {
                at++;
            }
        } while (depth > 0);
    }

    private void token(boolean gap) throws Unread {
        int start = at;
        char c = sql.charAt(at);
        if (c == '\'') {
            string(gap, start, false);
        } else if (c == '"' || c == '[' || c == '`') {
            char close = c == '[' ? ']' : c;
            String content = quoted(close, false, "a name in quotes or brackets has no end");
            tokens.add(new Token(Kind.QUOTED, sql.substring(start, at), gap, content, ""));
        } else if (isDigit(c) || (c == '.' && isDigit(peek(1)))) {
            number(gap);
        } else if (isWordStart(c)) {
            word(gap);
        } else if (c == '@') {
            skipWord();
            tokens.add(new Token(Kind.VARIABLE, sql.substring(start, at), gap, "", ""));
        } else if (c == '$' || CURRENCIES.indexOf(c) >= 0) {
            dollar(gap);
        } else if (SYMBOLS.indexOf(c) >= 0) {
            at++;
            tokens.add(new Token(Kind.SYMBOL, sql.substring(start, at), gap, "", ""));
        } else {
            throw new Unread("it has a character that is no part of SQL");
        }
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    private static boolean isWordStart(char c) {
        return c == '_' || (Character.isLetter(c) || Character.isSurrogate(c));
    }

    private static boolean isWordPart(char c) {
        return isWordStart(c) || Character.isLetterOrDigit(c) || c == '$' || c == '#' || c == '@';
    }

    private void skipWord() {
        do {
            at++;
        } while (at < sql.length() && isWordPart(sql.charAt(at)));
    }

    private void word(boolean gap) throws Unread {
        int start = at;
        skipWord();
        String word = sql.substring(start, at);
        if (peek(0) == '\'' && word.length() == 1 && "NnEeBbXx".indexOf(word.charAt(0)) >= 0) {
            string(gap, start, word.equalsIgnoreCase("E"));
        } else {
            tokens.add(new Token(Kind.WORD, word, gap, word, ""));
        }
    }

    /** Reads a string at whose quote the scanner is. What stands before the quote, from {@code start} on, says how it is written. */
    private void string(boolean gap, int start, boolean backslashes) throws Unread {
        String prefix = sql.substring(start, at).toUpperCase(Locale.ROOT);
        String content = quoted('\'', backslashes, "a string has no end");
        boolean binary = prefix.equals("X") || prefix.equals("B");
        tokens.add(new Token(
                Kind.STRING,
                prefix.equals("N") ? "N" : "",
                gap,
                content,
                binary ? "binary" : Literals.string(content)));
    }

    private String quoted(char close, boolean backslashes, String noEnd) throws Unread {
        StringBuilder content = new StringBuilder();
        at++;
        while (true) {
            if (at >= sql.length()) {
                throw new Unread(noEnd);
            }
            char c = sql.charAt(at);
            if (backslashes && c == '\\' && at + 1 < sql.length()) {
                content.append(c).append(sql.charAt(at + 1));
                at += 2;
            } else if (c != close) {
                content.append(c);
                at++;
            } else if (peek(1) == close) {
                content.append(c);
                at += 2;
            } else {
                at++;
                return content.toString();
            }
        }
    }

    private void number(boolean gap) {
        int start = at;
        if (peek(0) == '0' && (peek(1) == 'x' || peek(1) == 'X')) {
            at += 2;
            while (Character.digit(peek(0), 16) >= 0) {
                at++;
            }
            add(gap, start, "binary");
            return;
        }
        skipDigits();
        if (peek(0) == '.') {
            at++;
            skipDigits();
        }
        if (peek(0) == 'e' || peek(0) == 'E') {
            boolean signed = peek(1) == '+' || peek(1) == '-';
            if (isDigit(peek(signed ? 2 : 1)) || !isWordPart(peek(1))) {
                at += signed ? 2 : 1;
                skipDigits();
            }
        }
        add(gap, start, Literals.number(sql.substring(start, at)));
    }

    private void skipDigits() {
        while (isDigit(peek(0))) {
            at++;
        }
    }

    private void add(boolean gap, int start, String type) {
        String text = sql.substring(start, at);
        tokens.add(new Token(Kind.NUMBER, "", gap, text, type));
    }

    /** Reads an amount of money, PostgreSQL's string between dollars, or a word such as $action. */
    private void dollar(boolean gap) throws Unread {
        int start = at;
        char next = peek(1);
        if (next == '$' || isWordStart(next)) {
            int word = at;
            do {
                at++;
            } while (at < sql.length() && (isWordStart(peek(0)) || isDigit(peek(0))));
            String tag = peek(0) == '$' ? sql.substring(word, at + 1) : "";
            if (!tag.isEmpty()) {
                int close = sql.indexOf(tag, at + 1);
                if (close < 0) {
                    throw new Unread("a string has no end");
                }
                String content = sql.substring(at + 1, close);
                at = close + tag.length();
                tokens.add(new Token(Kind.STRING, "", gap, content, Literals.string(content)));
            } else {
                tokens.add(new Token(Kind.SYMBOL, "$", gap, "", ""));
                String name = sql.substring(start + 1, at);
                tokens.add(new Token(Kind.WORD, name, false, name, ""));
            }
            return;
        }
        at++;
        if ((next == '-' || next == '+') && (isDigit(peek(1)) || peek(1) == '.')) {
            at++;
        }
        skipDigits();
        if (peek(0) == '.') {
            at++;
            skipDigits();
        }
        add(gap, start, "money");
    }

    // ---- the statement without its values

    private String shape() throws Unread {
        StringBuilder shape = new StringBuilder();
        Map<String, String> others = new HashMap<>();
        boolean like = false;
        boolean in = false;
        int same = 0;
        int comma = -1;
        String last = "";
        for (int i = 0; i < tokens.size(); i++) {
            Token token = tokens.get(i);
            if (token.kind == Kind.WORD) {
                like = (like && !AFTER_LIKE.contains(token.text.toLowerCase(Locale.ROOT)))
                        || token.isWord("like", "patindex");
            }
            like &= !token.isSymbol(';');
            in = (in && !token.isSymbol('(') && !token.isSymbol(')'))
                    || (token.isSymbol('(') && i > 0 && tokens.get(i - 1).isWord("in"));
            String shown = shown(i, like, others);
            boolean listed = in && (token.kind == Kind.STRING || token.kind == Kind.NUMBER || token.isSymbol('?'));
            if (listed && comma >= 0 && shown.equals(last)) {
                same++;
                if (same > MAX_IN) {
                    shape.setLength(comma);
                    comma = -1;
                    continue;
                }
            } else if (listed) {
                same = 1;
            }
            if (listed) {
                last = shown;
            } else if (!token.isSymbol(',')) {
                last = "";
            }
            comma = in && token.isSymbol(',') ? shape.length() : -1;
            boolean quotes = shape.length() > 0 && shape.charAt(shape.length() - 1) == '\'' && shown.startsWith("'");
            if ((token.gap && shape.length() > 0) || quotes) {
                shape.append(' ');
            }
            shape.append(shown);
            if (shape.length() > MAX_LENGTH) {
                throw new Unread("it is longer than " + MAX_LENGTH + " characters without its values");
            }
        }
        return shape.toString();
    }

    private String shown(int i, boolean like, Map<String, String> others) {
        Token token = tokens.get(i);
        switch (token.kind) {
            case STRING:
                return token.text + "'#"
                        + (like && !token.type.equals("binary")
                                ? Literals.pattern(token.content, escape(i))
                                : token.type)
                        + "'";
            case NUMBER:
                return "'#" + number(i) + "'";
            case WORD:
                return names.isKnown(token.content) ? token.text : other(token.content, others);
            case QUOTED:
                return names.isKnown(token.content)
                        ? token.text
                        : token.text.charAt(0)
                                + other(token.content, others)
                                + token.text.charAt(token.text.length() - 1);
            case VARIABLE:
                return variable(token.text, others);
            default:
                return token.text;
        }
    }

    /** Returns the character after ESCAPE behind a pattern; 0 for none. */
    private char escape(int pattern) {
        boolean given = pattern + 2 < tokens.size()
                && tokens.get(pattern + 1).isWord("escape")
                && tokens.get(pattern + 2).kind == Kind.STRING
                && tokens.get(pattern + 2).content.length() == 1;
        return given ? tokens.get(pattern + 2).content.charAt(0) : 0;
    }

    private String number(int i) {
        Token token = tokens.get(i);
        if (!token.type.equals("int")) {
            return token.type;
        }
        if (i > 0 && tokens.get(i - 1).isWord("offset") && token.content.matches("0+")) {
            return "zero";
        }
        boolean compared = i > 2
                && tokens.get(i - 1).isSymbol('=')
                && tokens.get(i - 2).kind == Kind.NUMBER
                && tokens.get(i - 2).type.equals("int")
                && BEFORE_CONDITION.contains(tokens.get(i - 3).text.toLowerCase(Locale.ROOT));
        return compared && Integer.parseInt(token.content) != Integer.parseInt(tokens.get(i - 2).content)
                ? "otherint"
                : "int";
    }

    private String variable(String text, Map<String, String> others) {
        String name = text.replaceFirst("^@+", "");
        String signs = text.substring(0, text.length() - name.length());
        return name.isEmpty() || names.isKnown(name) ? text : signs + other(name, others);
    }

    /** Returns the same name for a word wherever it stands, whatever its case. */
    private String other(String word, Map<String, String> others) {
        String small = word.toLowerCase(Locale.ROOT);
        String name = others.get(small);
        if (name == null) {
            do {
                lastOther++;
                name = "n" + lastOther;
            } while (names.isKnown(name));
            others.put(small, name);
        }
        return name;
    }

    /**
     * Takes the names that a definition of a table, index, sequence or schema makes, because an application may create its
     * tables: that of the object, and the first name of each element in the brackets. Nothing else of the statement, which may
     * continue with another one.
     */
    private static final class Definition {

        private final List<Token> tokens;
        private final KnownNames names;

        Definition(StatementScanner scanner) {
            this.tokens = scanner.tokens;
            this.names = scanner.names;
        }

        private boolean isWord(int at, String... words) {
            return at < tokens.size() && tokens.get(at).isWord(words);
        }

        private boolean isSymbol(int at, char symbol) {
            return at < tokens.size() && tokens.get(at).isSymbol(symbol);
        }

        private boolean isName(int at) {
            return at < tokens.size() && (tokens.get(at).kind == Kind.WORD || tokens.get(at).kind == Kind.QUOTED);
        }

        void learn() {
            if (!isWord(0, "create", "alter")) {
                return;
            }
            int at = 1;
            while (isWord(at, "unique", "clustered", "nonclustered", "custom")) {
                at++;
            }
            if (!isWord(at, "table", "index", "sequence", "schema")) {
                return;
            }
            at++;
            while (isWord(at, "if", "not", "exists")) {
                at++;
            }
            at = learnName(at);
            if (isWord(at, "on")) {
                at = learnName(at + 1);
            }
            if (isSymbol(at, '(')) {
                learnElements(at);
            } else if (isWord(at, "add")) {
                learnElement(isWord(at + 1, "column") ? at + 2 : at + 1);
            }
        }

        /** Takes a name with what qualifies it; returns the token after it. */
        private int learnName(int from) {
            int at = from;
            while (isName(at)) {
                learnElement(at);
                if (!isSymbol(at + 1, '.')) {
                    return at + 1;
                }
                at += 2;
            }
            return at;
        }

        private void learnElements(int bracket) {
            int depth = 0;
            for (int at = bracket; at < tokens.size(); at++) {
                depth += isSymbol(at, '(') ? 1 : isSymbol(at, ')') ? -1 : 0;
                if (depth == 0) {
                    return;
                }
                if (depth == 1 && (at == bracket || isSymbol(at, ','))) {
                    learnElement(isWord(at + 1, "constraint") ? at + 2 : at + 1);
                }
            }
        }

        private void learnElement(int at) {
            if (isName(at)) {
                names.add(tokens.get(at).content);
            }
        }
    }
}
