package dev.cassidy.insert;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Walks once over a statement and notes where an insert's lists begin and end. Used once, by {@link CqlInsert}. */
final class CqlInsertScanner {

    /** More than any table has: Cassandra would refuse the statement. */
    private static final int MAX_COLUMNS = 65_536;

    /** As many as the protocol can count: Cassandra refuses a statement with more. */
    private static final int MAX_MARKERS = 65_535;

    final String text;
    final List<String> columns = new ArrayList<>();
    final List<CqlInsert.Term> terms = new ArrayList<>();
    final List<String> markerNames = new ArrayList<>(0);

    @Nullable
    String keyspace;

    String table = "";
    int columnsEnd;
    int valuesEnd;
    int markersInValues;
    int markers;
    boolean json;
    boolean conditional;

    /** Where the table's name begins, or its keyspace's. */
    int targetStart;

    /** Where the statement ends, before its terminator. */
    int end;

    /** What follows USING TIMESTAMP; -1 if nothing does. */
    int timestampStart = -1;

    int timestampEnd;

    /** How many markers stand before it. */
    int markersBeforeTimestamp;

    private final Scanner scanner;

    CqlInsertScanner(String text) {
        this.text = text;
        this.scanner = new Scanner(text, Scanner.Language.CQL);
    }

    /** Returns whether the statement is exactly one insert. */
    boolean scan() {
        advance();
        if (!word("insert") || !word("into") || !target()) {
            return false;
        }
        if (word("json")) {
            json = true;
            return jsonTail();
        }
        return columns()
                && word("values")
                && values()
                && columns.size() == terms.size()
                && tail()
                && markers <= MAX_MARKERS;
    }

    static List<CqlInsert.Table> tablesOfBatch(String text) {
        CqlInsertScanner batch = new CqlInsertScanner(text);
        batch.advance();
        if (!batch.word("begin")) {
            return List.of();
        }
        List<CqlInsert.Table> tables = new ArrayList<>();
        while (batch.scanner.kind() != Kind.END && batch.scanner.kind() != Kind.UNTERMINATED) {
            if (batch.word("insert") && batch.word("into")) {
                batch.keyspace = null;
                if (batch.target()) {
                    tables.add(new CqlInsert.Table(batch.keyspace, batch.table));
                }
            } else {
                batch.advance();
            }
        }
        return tables;
    }

    private boolean target() {
        if (!scanner.kind().isName()) {
            return false;
        }
        targetStart = scanner.start();
        table = name();
        if (symbol('.')) {
            if (!scanner.kind().isName()) {
                return false;
            }
            keyspace = table;
            table = name();
        }
        return true;
    }

    private boolean columns() {
        if (!symbol('(')) {
            return false;
        }
        columnsEnd = scanner.start();
        if (symbol(')')) {
            return true;
        }
        while (scanner.kind().isName() && columns.size() < MAX_COLUMNS) {
            columns.add(name());
            columnsEnd = scanner.start();
            if (symbol(')')) {
                return true;
            }
            if (!symbol(',')) {
                return false;
            }
        }
        return false;
    }

    private boolean values() {
        if (!symbol('(')) {
            return false;
        }
        int depth = 0;
        int start = -1;
        int end = -1;
        int markersBefore = 0;
        while (scanner.kind() != Kind.END && scanner.kind() != Kind.UNTERMINATED) {
            boolean closes = depth == 0 && scanner.isSymbol(')');
            if (closes || (depth == 0 && scanner.isSymbol(','))) {
                if (terms.size() == columns.size() && start >= 0) {
                    return false;
                }
                if (start >= 0) {
                    terms.add(new CqlInsert.Term(start, end, markersBefore));
                } else if (!closes || !terms.isEmpty()) {
                    return false;
                }
                if (closes) {
                    valuesEnd = scanner.start();
                    markersInValues = markers;
                    advance();
                    return true;
                }
                start = -1;
            } else {
                if (start < 0) {
                    start = scanner.start();
                    markersBefore = markers - (isMarker() ? 1 : 0);
                }
                end = scanner.end();
                depth += nesting();
            }
            advance();
        }
        return false;
    }

    private int nesting() {
        if (scanner.kind() != Kind.SYMBOL) {
            return 0;
        }
        return switch (text.charAt(scanner.start())) {
            case '(', '[', '{' -> 1;
            case ')', ']', '}' -> -1;
            default -> 0;
        };
    }

    private boolean tail() {
        if (word("if")) {
            if (!word("not") || !word("exists")) {
                return false;
            }
            conditional = true;
        }
        if (word("using")) {
            do {
                boolean timestamp = word("timestamp");
                if (!timestamp && !word("ttl")) {
                    return false;
                }
                int start = scanner.start();
                int before = markers - (isMarker() ? 1 : 0);
                symbol('-');
                if (scanner.kind() != Kind.NUMBER && !isMarker()) {
                    return false;
                }
                if (timestamp) {
                    timestampStart = start;
                    timestampEnd = scanner.end();
                    markersBeforeTimestamp = before;
                }
                advance();
            } while (word("and"));
        }
        return end();
    }

    private boolean jsonTail() {
        if (scanner.kind() != Kind.STRING && !isMarker()) {
            return false;
        }
        advance();
        if (word("default") && !word("unset") && !word("null")) {
            return false;
        }
        return tail();
    }

    private boolean end() {
        while (symbol(';')) {
            // Cassandra takes any number of them.
        }
        return scanner.kind() == Kind.END;
    }

    private boolean isMarker() {
        return scanner.kind() == Kind.MARKER || scanner.kind() == Kind.NAMED_MARKER;
    }

    private String name() {
        String name = scanner.kind() == Kind.WORD
                ? Identifiers.wordToInternal(text, scanner.start(), scanner.end())
                : Identifiers.toInternal(text.substring(scanner.start(), scanner.end()));
        advance();
        return name;
    }

    private boolean word(String word) {
        boolean is = scanner.isWord(word);
        if (is) {
            advance();
        }
        return is;
    }

    private boolean symbol(char symbol) {
        boolean is = scanner.isSymbol(symbol);
        if (is) {
            advance();
        }
        return is;
    }

    private void advance() {
        if (!scanner.isSymbol(';')) {
            end = scanner.end();
        }
        scanner.next();
        if (isMarker()) {
            markers++;
            if (scanner.kind() == Kind.NAMED_MARKER && markers <= MAX_MARKERS) {
                markerNames.add(scanner.markerName());
            }
        }
    }
}
