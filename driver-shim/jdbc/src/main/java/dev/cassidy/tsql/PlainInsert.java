package dev.cassidy.tsql;

import dev.cassidy.insert.CqlInsert;
import dev.cassidy.insert.Identifiers;
import dev.cassidy.insert.Kind;
import dev.cassidy.insert.ReservedWords;
import dev.cassidy.insert.Scanner;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads, in one pass, the most common INSERT of applications: INTO, a list of columns, one row of markers and literals.
 * Names and strings may be T-SQL's. Gives the same result as {@link TsqlParser}, and leaves everything else to it,
 * including a statement with comments.
 */
final class PlainInsert {

    /** In front of a bracket, {@link Normaliser} may take these words for something other than a table. */
    private static final Set<String> NOT_ALWAYS_TABLES =
            Set.of("count_big", "ident_current", "ident_incr", "ident_seed", "scope_identity", "with");

    /** A longer list is left to {@link TsqlParser}. */
    private static final int MAX_COLUMNS = 1_000;

    private final String sql;
    private final Scanner scanner;
    private final List<String> columns = new ArrayList<>();
    private final List<CqlInsert.Term> terms = new ArrayList<>();
    private @Nullable String keyspace;
    private String table = "";
    private int columnsEnd;
    private int valuesEnd;
    private int markers;
    private boolean brackets;

    /** Where the token before ended. */
    private int before;

    private int end;

    /** The CQL up to its last difference from {@link #sql}; null while there is none. */
    private @Nullable StringBuilder cql;

    /** Up to here the input is in {@link #cql}. */
    private int copied;

    /** What to add to a place in the input for its place in the CQL. */
    private int shift;

    private PlainInsert(String sql) {
        this.sql = sql;
        this.scanner = new Scanner(sql, Scanner.Language.TSQL);
    }

    /** Reads a statement that is one such INSERT and nothing else; null for any other. */
    static @Nullable PlainInsert read(String sql) {
        PlainInsert insert = new PlainInsert(sql);
        return insert.scan() ? insert : null;
    }

    private boolean scan() {
        scanner.next();
        copied = scanner.start();
        shift = -copied;
        return word("insert")
                && word("into")
                && target()
                && symbol('(')
                && columns()
                && word("values")
                && symbol('(')
                && values()
                && end();
    }

    TsqlStep.Insert step() {
        CqlInsert insert = new CqlInsert(text(), keyspace, table, columns, terms, columnsEnd, valuesEnd, markers);
        Integer[] parameters = new Integer[markers];
        for (int i = 0; i < markers; i++) {
            parameters[i] = i;
        }
        TsqlStep.Row row = new TsqlStep.Row(insert, List.of(parameters), List.of());
        return new TsqlStep.Insert(List.of(row), List.of(), false, List.of());
    }

    /** Returns how many {@code ?} the statement holds. */
    int markers() {
        return markers;
    }

    private String text() {
        return cql == null
                ? sql.substring(copied, end)
                : cql.append(sql, copied, end).toString();
    }

    private boolean target() {
        // Apart from INTO: a name that loses its brackets would merge with it.
        if (!isName() || scanner.start() == before) {
            return false;
        }
        Kind kind = scanner.kind();
        int from = scanner.start();
        int to = scanner.end();
        if (!advance()) {
            return false;
        }
        if (!scanner.isSymbol('.')) {
            table = table(kind, from, to);
            return kind == Kind.BRACKETED || !NOT_ALWAYS_TABLES.contains(table);
        }
        int afterDot = scanner.end();
        if (!advance() || !isName() || scanner.start() != afterDot) {
            return false;
        }
        if (isDbo(kind, from, to)) {
            replace(from, afterDot, "");
        } else {
            keyspace = table(kind, from, to);
        }
        table = table(scanner.kind(), scanner.start(), scanner.end());
        return advance();
    }

    private boolean isDbo(Kind kind, int from, int to) {
        int open = kind == Kind.BRACKETED ? 1 : 0;
        return to - from == 3 + 2 * open && sql.regionMatches(true, from + open, "dbo", 0, 3);
    }

    private boolean columns() {
        if (scanner.isWord("select")) {
            return false;
        }
        do {
            if (!isName() || columns.size() == MAX_COLUMNS) {
                return false;
            }
            columns.add(name(scanner.kind(), scanner.start(), scanner.end()));
            if (!advance()) {
                return false;
            }
        } while (symbol(','));
        columnsEnd = scanner.start() + shift;
        return symbol(')');
    }

    private boolean values() {
        do {
            if (!value()) {
                return false;
            }
        } while (symbol(','));
        valuesEnd = scanner.start() + shift;
        end = scanner.end();
        return terms.size() == columns.size() && symbol(')');
    }

    private boolean value() {
        if (terms.size() == columns.size()) {
            return false;
        }
        int start = scanner.start() + shift;
        int markersBefore = markers;
        boolean plain =
                switch (scanner.kind()) {
                    case MARKER -> {
                        markers++;
                        yield true;
                    }
                    case NUMBER, STRING -> true;
                    case NATIONAL -> {
                        replace(scanner.start(), scanner.start() + 1, "");
                        yield true;
                    }
                    case WORD -> scanner.isWord("null") || scanner.isWord("true") || scanner.isWord("false");
                    case SYMBOL -> symbol('-') && scanner.kind() == Kind.NUMBER;
                    default -> false;
                };
        terms.add(new CqlInsert.Term(start, scanner.end() + shift, markersBefore));
        return plain && advance();
    }

    private boolean end() {
        while (symbol(';')) {
            // As many as there are.
        }
        return scanner.kind() == Kind.END;
    }

    private boolean isName() {
        return scanner.kind() == Kind.WORD || scanner.kind() == Kind.BRACKETED;
    }

    /** As {@link #name}, of a table or keyspace. */
    private String table(Kind kind, int from, int to) {
        if (kind == Kind.WORD) {
            return name(kind, from, to);
        }
        brackets = true;
        String name =
                Identifiers.bracketedTableToCql(sql.substring(from + 1, to - 1).replace("]]", "]"));
        replace(from, to, name);
        return Identifiers.toInternal(name);
    }

    /** Returns whether the schema may write it in another case than a name in brackets. */
    boolean mayBeSpelledOtherwise(Schema schema) {
        return brackets && !schema.hasAll(new CqlInsert.Table(keyspace, table), columns);
    }

    /** Returns the internal form of a name, and notes how CQL writes it. */
    private String name(Kind kind, int from, int to) {
        if (kind == Kind.WORD) {
            String word = Identifiers.wordToInternal(sql, from, to);
            if (ReservedWords.isReservedByCqlAlone(sql, from, to)) {
                replace(from, to, Identifiers.toCql(word));
            }
            return word;
        }
        brackets = true;
        String name = Identifiers.bracketedToCql(sql.substring(from + 1, to - 1).replace("]]", "]"));
        replace(from, to, name);
        return Identifiers.toInternal(name);
    }

    private void replace(int from, int to, String by) {
        if (cql == null) {
            cql = new StringBuilder(sql.length() + 16);
        }
        cql.append(sql, copied, from).append(by);
        copied = to;
        shift = cql.length() - to;
    }

    private boolean word(String word) {
        return scanner.isWord(word) && advance();
    }

    private boolean symbol(char symbol) {
        return scanner.isSymbol(symbol) && advance();
    }

    /** Moves to the next token; false if anything but blanks lies between. */
    private boolean advance() {
        before = scanner.end();
        scanner.next();
        for (int i = before; i < scanner.start(); i++) {
            if (sql.charAt(i) > ' ') {
                return false;
            }
        }
        return true;
    }
}
