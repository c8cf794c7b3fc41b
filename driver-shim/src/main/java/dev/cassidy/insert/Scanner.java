package dev.cassidy.insert;

/**
 * Cuts a statement into tokens, one at a time and each character once: linear in the text, without recursion and without
 * an allocation. Not safe for use by many threads.
 *
 * <p>The two languages differ where a wrong guess would hide a statement: CQL's block comments do not nest and its
 * {@code [} always opens a list or an index, T-SQL's comments do nest and its {@code [} may open a name.
 */
final class Scanner {

    enum Language {
        CQL,
        TSQL
    }

    private final String text;
    private final boolean tsql;
    private int position;
    private int start;
    private Kind kind = Kind.END;
    private int braces;
    private boolean afterTerm;
    private boolean namesOnly;

    Scanner(String text, Language language) {
        this.text = text;
        this.tsql = language == Language.TSQL;
    }

    /** Moves to the next token. */
    Kind next() {
        Kind last = kind;
        boolean complete = skipBlanks();
        start = position;
        kind = complete ? scan(last) : unterminated();
        afterTerm = kind != Kind.SYMBOL ? kind != Kind.END : isCloser(text.charAt(start));
        return kind;
    }

    Kind kind() {
        return kind;
    }

    /** Returns where the token begins. */
    int start() {
        return start;
    }

    /** Returns where the token ends, exclusive. */
    int end() {
        return position;
    }

    boolean isSymbol(char symbol) {
        return kind == Kind.SYMBOL && text.charAt(start) == symbol;
    }

    boolean isWord(String word) {
        return kind == Kind.WORD
                && position - start == word.length()
                && text.regionMatches(true, start, word, 0, word.length());
    }

    private Kind scan(Kind last) {
        if (position == text.length()) {
            return Kind.END;
        }
        char c = text.charAt(position);
        if (isWordStart(c)) {
            return word();
        }
        if (isDigit(c)) {
            return number();
        }
        return switch (c) {
            case '\'' -> quoted('\'', position, Kind.STRING);
            case '"' -> quoted('"', position, Kind.QUOTED);
            case '$' -> peek(1) == '$' ? dollarString() : symbol();
            case '?' -> {
                position++;
                yield Kind.MARKER;
            }
            case ':' -> namedMarkerOrColon();
            case '@' -> tsql ? variable() : symbol();
            case '[' -> tsql && opensName(last) ? quoted(']', position, Kind.BRACKETED) : symbol();
            case '{' -> {
                braces++;
                yield symbol();
            }
            case '}' -> {
                braces--;
                yield symbol();
            }
            default -> symbol();
        };
    }

    private Kind word() {
        char first = text.charAt(position);
        if ((first == 'N' || first == 'n') && peek(1) == '\'' && tsql) {
            return quoted('\'', position + 1, Kind.NATIONAL);
        }
        do {
            position++;
        } while (position < text.length() && isWordPart(text.charAt(position)));
        if (tsql) {
            noteInsertHead();
        }
        return Kind.WORD;
    }

    // Between INSERT and VALUES a '[' can only open a name, whatever follows it.
    private void noteInsertHead() {
        int length = position - start;
        if (length == 6 && text.regionMatches(true, start, "insert", 0, 6)) {
            namesOnly = true;
        } else if (length == 6 && namesOnly && text.regionMatches(true, start, "values", 0, 6)) {
            namesOnly = false;
        }
    }

    private Kind number() {
        do {
            position++;
        } while (position < text.length()
                && (isWordPart(text.charAt(position)) || (text.charAt(position) == '.' && isDigit(peek(1)))));
        return Kind.NUMBER;
    }

    private Kind quoted(char quote, int open, Kind result) {
        position = open + 1;
        while (true) {
            int close = text.indexOf(quote, position);
            if (close < 0) {
                return unterminated();
            }
            position = close + 1;
            if (position == text.length() || text.charAt(position) != quote) {
                return result;
            }
            position++;
        }
    }

    private Kind dollarString() {
        int close = text.indexOf("$$", position + 2);
        if (close < 0) {
            return unterminated();
        }
        position = close + 2;
        return Kind.STRING;
    }

    private Kind variable() {
        do {
            position++;
        } while (position < text.length() && (isWordPart(text.charAt(position)) || text.charAt(position) == '@'));
        return Kind.VARIABLE;
    }

    // In {street:'x'} and {1:true} the colon follows a term and separates; everywhere else it opens a marker's name.
    private Kind namedMarkerOrColon() {
        char following = peek(1);
        boolean separator = braces > 0 && afterTerm;
        if (!separator && isWordStart(following)) {
            position += 2;
            while (position < text.length() && isWordPart(text.charAt(position))) {
                position++;
            }
            return Kind.NAMED_MARKER;
        }
        if (!separator && following == '"') {
            return quoted('"', position + 1, Kind.NAMED_MARKER);
        }
        return symbol();
    }

    /** Returns whether the '[' here opens a T-SQL name and not a CQL list or index. */
    private boolean opensName(Kind last) {
        if (namesOnly || (last == Kind.SYMBOL && start > 0 && text.charAt(start - 1) == '.')) {
            return true;
        }
        char first = peek(1);
        if (!isWordStart(first) && first != '#') {
            return false;
        }
        int i = position + 2;
        while (i < text.length() && isNamePart(text.charAt(i))) {
            i++;
        }
        // A list of bare words does not exist in CQL, but for these constants and for uuids.
        return i < text.length() && text.charAt(i) == ']' && !isConstant(position + 1, i);
    }

    private boolean isConstant(int from, int to) {
        int length = to - from;
        return (length == 4
                        && (text.regionMatches(true, from, "true", 0, 4)
                                || text.regionMatches(true, from, "null", 0, 4)))
                || (length == 5 && text.regionMatches(true, from, "false", 0, 5))
                || (length == 3 && text.regionMatches(true, from, "nan", 0, 3))
                || (length == 8 && text.regionMatches(true, from, "infinity", 0, 8))
                || (length == 36 && text.charAt(from + 8) == '-' && text.charAt(from + 23) == '-');
    }

    private Kind symbol() {
        position++;
        return Kind.SYMBOL;
    }

    private Kind unterminated() {
        position = text.length();
        return Kind.UNTERMINATED;
    }

    /** Moves past blanks and comments; false if a comment has no end. */
    private boolean skipBlanks() {
        while (position < text.length()) {
            char c = text.charAt(position);
            if (c <= ' ' || c == '\u00a0' || c == '\ufeff') {
                position++;
            } else if ((c == '-' || c == '/') && peek(1) == c) {
                skipLine();
            } else if (c == '/' && peek(1) == '*') {
                if (!skipBlock()) {
                    return false;
                }
            } else {
                return true;
            }
        }
        return true;
    }

    private void skipLine() {
        while (position < text.length() && text.charAt(position) != '\n' && text.charAt(position) != '\r') {
            position++;
        }
    }

    private boolean skipBlock() {
        int depth = 0;
        int from = position;
        do {
            if (position + 1 >= text.length()) {
                start = from;
                return false;
            }
            char c = text.charAt(position);
            char following = text.charAt(position + 1);
            if (c == '/' && following == '*' && (tsql || depth == 0)) {
                depth++;
                position += 2;
            } else if (c == '*' && following == '/') {
                depth--;
                position += 2;
            } else {
                position++;
            }
        } while (depth > 0);
        return true;
    }

    private char peek(int distance) {
        int at = position + distance;
        return at < text.length() ? text.charAt(at) : '\0';
    }

    private static boolean isCloser(char c) {
        return c == ')' || c == ']' || c == '}';
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    private static boolean isWordStart(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c > 127 && Character.isLetter(c));
    }

    private static boolean isWordPart(char c) {
        return isWordStart(c) || isDigit(c);
    }

    private static boolean isNamePart(char c) {
        return isWordPart(c)
                || c == ' '
                || c == '-'
                || c == '#'
                || c == '$'
                || c == '@'
                || c == '.'
                || c == '&'
                || c == '/';
    }
}
