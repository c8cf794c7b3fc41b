package dev.cassidy.insert;

import java.util.Arrays;

/**
 * Cuts a statement into tokens, one at a time, and reads each character once: linear in the text, without recursion and
 * without an allocation. Not safe for use by many threads.
 *
 * <p>The two languages differ where a wrong guess would hide a statement: CQL's block comments do not nest and its
 * {@code [} always opens a list or an index, T-SQL's comments do nest and its {@code [} may open a name. A carriage
 * return alone ends the comment after {@code --} in CQL, and does not in T-SQL.
 */
public final class Scanner {

    public enum Language {
        CQL,
        TSQL
    }

    /** The content of the last round bracket within braces: {@code (type)} is a cast, and no term. */
    private enum Group {
        NONE,
        OPENED,
        TYPE,
        STRING,
        CLOSED_TYPE,
        CLOSED_STRING
    }

    /** A duration in the alternative format of ISO 8601; 0 stands for a digit. */
    private static final String LONG_DURATION = "P0000-00-00T00:00:00";

    private static final byte DIGIT = 1;
    private static final byte LETTER = 2;

    /** The kind of each ASCII character in a word; 0 if it ends the word. */
    private static final byte[] CLASSES = new byte[128];

    static {
        Arrays.fill(CLASSES, '0', '9' + 1, DIGIT);
        Arrays.fill(CLASSES, 'a', 'z' + 1, LETTER);
        Arrays.fill(CLASSES, 'A', 'Z' + 1, LETTER);
        CLASSES['_'] = LETTER;
    }

    private final String text;
    private final boolean tsql;
    private int position;
    private int start;
    private Kind kind = Kind.END;
    private int braces;
    private boolean afterTerm;
    private Group group = Group.NONE;
    private int nameStart;
    private boolean namesOnly;

    public Scanner(String text, Language language) {
        this.text = text;
        this.tsql = language == Language.TSQL;
    }

    /** Moves to the next token. */
    public Kind next() {
        Kind last = kind;
        boolean complete = skipBlanks();
        start = position;
        kind = complete ? scan(last) : unterminated();
        if (braces > 0) {
            group = group();
            afterTerm = kind != Kind.SYMBOL ? kind != Kind.END : isCloser(text.charAt(start));
        } else {
            group = Group.NONE;
        }
        return kind;
    }

    public Kind kind() {
        return kind;
    }

    /** Returns where the token begins. */
    public int start() {
        return start;
    }

    /** Returns where the token ends, exclusive. */
    public int end() {
        return position;
    }

    /** Returns the internal form of a named marker's name. */
    String markerName() {
        return Identifiers.toInternal(text.substring(nameStart, position));
    }

    /** Counts the places of CQL at which a named marker stands; the name is an internal one. */
    public static int markers(String cql, String name) {
        Scanner scanner = new Scanner(cql, Language.CQL);
        int markers = 0;
        while (scanner.next() != Kind.END && scanner.kind != Kind.UNTERMINATED) {
            markers += scanner.kind == Kind.NAMED_MARKER && scanner.markerName().equals(name) ? 1 : 0;
        }
        return markers;
    }

    public boolean isSymbol(char symbol) {
        return kind == Kind.SYMBOL && text.charAt(start) == symbol;
    }

    public boolean isWord(String word) {
        return kind == Kind.WORD && position - start == word.length() && is(text, start, word);
    }

    /** As {@code text.regionMatches(true, from, word, 0, word.length())} for a word in lower case, but faster. */
    static boolean is(String text, int from, String word) {
        for (int i = 0; i < word.length(); i++) {
            char c = text.charAt(from + i);
            char wanted = word.charAt(i);
            if (c > 127) {
                return text.regionMatches(true, from, word, 0, word.length());
            }
            if (c != wanted && ((c | ' ') != wanted || !isWordStart(c))) {
                return false;
            }
        }
        return true;
    }

    private Kind scan(Kind last) {
        if (position == text.length()) {
            return Kind.END;
        }
        char c = text.charAt(position);
        if (peek(8) == '-' && isUuid()) {
            position += 36;
            return Kind.NUMBER;
        }
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
        if (skipPattern(LONG_DURATION)) {
            return Kind.NUMBER;
        }
        if (!tsql && isSigned() && (skip("nan") || skip("infinity") || skipSignedDuration())) {
            return Kind.WORD;
        }
        skipWord();
        if (tsql) {
            noteInsertHead();
        }
        return Kind.WORD;
    }

    /** Returns whether a minus precedes the token: to Cassandra, -0x1 is -0 and x1, and -NaNUPDATE is -NaN and UPDATE. */
    private boolean isSigned() {
        return start > 0 && text.charAt(start - 1) == '-';
    }

    /** Moves past as much of P1Y2M3DT4H5M6S or P4W as there is. */
    private boolean skipSignedDuration() {
        if (peek(0) != 'P') {
            return false;
        }
        position++;
        if (skipDesignators("W") == 0) {
            skipDesignators("YMD");
            if (peek(0) == 'T' && isDigit(peek(1))) {
                position++;
                skipDesignators("HMS");
            }
        }
        return true;
    }

    /** Moves past digits and designators in the order of {@code designators}; returns how many. */
    private int skipDesignators(String designators) {
        int skipped = 0;
        for (int i = 0; i < designators.length(); i++) {
            int before = position;
            skipDigits();
            if (position > before && peek(0) == designators.charAt(i)) {
                position++;
                skipped++;
            } else {
                position = before;
            }
        }
        return skipped;
    }

    /** Moves past what is like {@code pattern}, in which 0 stands for a digit. */
    private boolean skipPattern(String pattern) {
        for (int i = 0; i < pattern.length(); i++) {
            if (pattern.charAt(i) == '0' ? !isDigit(peek(i)) : peek(i) != pattern.charAt(i)) {
                return false;
            }
        }
        position += pattern.length();
        return true;
    }

    /** Moves past {@code word} in lower case, if it begins here. */
    private boolean skip(String word) {
        boolean begins = position + word.length() <= text.length() && is(text, position, word);
        position += begins ? word.length() : 0;
        return begins;
    }

    private void skipWord() {
        do {
            position++;
        } while (position < text.length() && isWordPart(text.charAt(position)));
    }

    // Between INSERT and VALUES a '[' can only open a name, whatever follows it.
    private void noteInsertHead() {
        int length = position - start;
        if (length == 6 && is(text, start, "insert")) {
            namesOnly = true;
        } else if (length == 6 && namesOnly && is(text, start, "values")) {
            namesOnly = false;
        }
    }

    // What does not belong to the number is the next word, as in Cassandra: 1.5AND is 1.5 AND. A duration ends after
    // its last
    // unit, so that 1dUPDATE is 1d UPDATE; in T-SQL, 5WHERE is 5 WHERE.
    private Kind number() {
        int first = position;
        skipDigits();
        int digits = position;
        if (!isSigned() && digits == first + 1 && (peek(0) | ' ') == 'x' && text.charAt(first) == '0') {
            do {
                position++;
            } while (isHex(peek(0)));
            return Kind.NUMBER;
        }
        while (isDigit(text.charAt(position - 1)) && unit() > 0) {
            position += unit();
            skipDigits();
        }
        boolean whole = !isWordPart(peek(0)) && !isDigit(text.charAt(position - 1));
        if (position > digits && (whole || !tsql)) {
            return Kind.NUMBER;
        }
        position = digits;
        if (peek(0) == '.' && (tsql ? isDigit(peek(1)) : peek(1) != '.')) {
            position++;
            skipDigits();
        }
        skipExponent();
        return Kind.NUMBER;
    }

    private void skipDigits() {
        while (isDigit(peek(0))) {
            position++;
        }
    }

    private void skipExponent() {
        int sign = peek(1) == '-' || peek(1) == '+' ? 1 : 0;
        if ((peek(0) | ' ') == 'e' && isDigit(peek(1 + sign))) {
            position += 1 + sign;
            skipDigits();
        }
    }

    /** Returns the length of the unit of a duration that begins here, or 0. */
    private int unit() {
        char first = (char) (peek(0) | ' ');
        char second = (char) (peek(1) | ' ');
        if ((second == 's' && "mun\u00b5".indexOf(first) >= 0) || (first == 'm' && second == 'o')) {
            return 2;
        }
        return "ywdhms".indexOf(first) >= 0 ? 1 : 0;
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

    // In {street:'x'} and {1:true} the colon follows a term and separates; everywhere else it opens a marker's name,
    // which blanks and comments may precede.
    private Kind namedMarkerOrColon() {
        position++;
        if (braces > 0 && afterTerm && group != Group.CLOSED_TYPE && group != Group.CLOSED_STRING) {
            return Kind.SYMBOL;
        }
        int afterColon = position;
        boolean named =
                skipBlanks() && position < text.length() && skipName() && !(group == Group.CLOSED_STRING && isTerm());
        if (!named) {
            position = afterColon;
        }
        return named ? Kind.NAMED_MARKER : Kind.SYMBOL;
    }

    private boolean skipName() {
        nameStart = position;
        if (text.charAt(position) == '"') {
            return quoted('"', position, Kind.QUOTED) == Kind.QUOTED;
        }
        if (!isWordStart(text.charAt(position)) || skipPattern(LONG_DURATION)) {
            return false;
        }
        skipWord();
        return true;
    }

    private Group group() {
        if (kind == Kind.SYMBOL && text.charAt(start) == '(') {
            return Group.OPENED;
        }
        boolean closes = kind == Kind.SYMBOL && text.charAt(start) == ')';
        return switch (group) {
            case OPENED ->
                kind == Kind.STRING
                        ? Group.STRING
                        : kind == Kind.QUOTED || (kind == Kind.WORD && !isConstant(start, position))
                                ? Group.TYPE
                                : Group.NONE;
            case TYPE ->
                closes
                        ? Group.CLOSED_TYPE
                        : kind != Kind.SYMBOL || "<>,.".indexOf(text.charAt(start)) >= 0 ? Group.TYPE : Group.NONE;
            case STRING -> closes ? Group.CLOSED_STRING : Group.NONE;
            default -> Group.NONE;
        };
    }

    /** Returns whether the name just passed, after {@code ('x'):}, belongs to a value and not to a marker. */
    private boolean isTerm() {
        int end = position;
        boolean uuid = end - nameStart == 8 && peek(0) == '-';
        boolean call = skipBlanks() && (peek(0) == '(' || peek(0) == '.');
        position = end;
        return call || uuid || isConstant(nameStart, end);
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
        // T-SQL's name wins over CQL's list of one column's value, in a selection. Other lists of a bare word are of
        // constants.
        return i < text.length() && text.charAt(i) == ']' && !areConstants(position + 1, i);
    }

    /** Returns whether each word of what may be a name, or a list such as {@code [true ]} or {@code [NaN / 2]}, is a constant. */
    private boolean areConstants(int from, int to) {
        int word = from;
        while (word < to) {
            int end = word;
            if (to - word >= 36 && text.charAt(word + 8) == '-' && text.charAt(word + 23) == '-') {
                end = word + 36;
            } else if (isWordPart(text.charAt(word))) {
                while (end < to && isWordPart(text.charAt(end))) {
                    end++;
                }
                if (!isDigit(text.charAt(word)) && !isConstant(word, end)) {
                    return false;
                }
            }
            word = end + 1;
        }
        return true;
    }

    /** Returns whether a uuid begins here. */
    private boolean isUuid() {
        if (position + 36 > text.length()) {
            return false;
        }
        for (int i = 0; i < 36; i++) {
            char c = text.charAt(position + i);
            boolean dash = i == 8 || i == 13 || i == 18 || i == 23;
            if (dash ? c != '-' : !isHex(c)) {
                return false;
            }
        }
        return true;
    }

    private boolean isConstant(int from, int to) {
        int length = to - from;
        boolean duration = length > 2 && (text.charAt(from) | ' ') == 'p' && isDurationBody(from + 1, to);
        return duration
                || (length == 4 && (is(text, from, "true") || is(text, from, "null")))
                || (length == 5 && is(text, from, "false"))
                || (length == 3 && is(text, from, "nan"))
                || (length == 8 && is(text, from, "infinity"));
    }

    /** Digits, each run of them with a unit, as in P1Y2MT3S, and PT1H; a name like p1 has none at its end. */
    private boolean isDurationBody(int from, int to) {
        boolean digits = false;
        for (int i = from; i < to; i++) {
            char c = text.charAt(i);
            if (isDigit(c)) {
                digits = true;
            } else if ("ymwdths".indexOf(c | ' ') < 0) {
                return false;
            }
        }
        return digits && !isDigit(text.charAt(to - 1));
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
        // T-SQL has no comment that begins with //.
        boolean endsAtReturn = !tsql || text.charAt(position) == '/';
        while (position < text.length()
                && text.charAt(position) != '\n'
                && !(endsAtReturn && text.charAt(position) == '\r')) {
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

    private static boolean isHex(char c) {
        return isDigit(c) || ((c | ' ') >= 'a' && (c | ' ') <= 'f');
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    private static boolean isWordStart(char c) {
        return c < 128 ? CLASSES[c] == LETTER : Character.isLetter(c);
    }

    private static boolean isWordPart(char c) {
        return c < 128 ? CLASSES[c] > 0 : Character.isLetter(c);
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
