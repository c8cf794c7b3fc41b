package dev.cassidy.tsql;

import dev.cassidy.insert.Identifiers;
import dev.cassidy.insert.TableName;
import dev.cassidy.insert.Tokens;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The primary key of a table that is created: the one that the statement gives, the one that a later ALTER TABLE of the
 * script adds, or else what identifies the rows.
 */
final class TableKey {

    private final Tokens tokens;
    private final Normaliser normaliser;
    private final DefinitionEdits edits;
    private final LaterKeys laterKeys;

    /** The key's columns, in lower case. */
    private final Set<String> columns = new HashSet<>();

    /** The columns of each UNIQUE, by internal name. */
    private final List<List<String>> uniques = new ArrayList<>();

    private boolean given;

    TableKey(Tokens tokens, Normaliser normaliser, DefinitionEdits edits, LaterKeys laterKeys) {
        this.tokens = tokens;
        this.normaliser = normaliser;
        this.edits = edits;
        this.laterKeys = laterKeys;
    }

    boolean isGiven() {
        return given;
    }

    /** Returns whether the key has a column; its name in lower case. */
    boolean contains(String column) {
        return columns.contains(column);
    }

    // ---- as the statement gives it

    /** Makes one column the key. */
    void ofColumn(String column) {
        given = true;
        columns.add(column.toLowerCase(Locale.ROOT));
    }

    /** Reads a constraint of the table that begins at PRIMARY. */
    void ofTable(int primary, int to) {
        given = true;
        int open = edits.clustered(primary + 2);
        if (!tokens.isSymbol(open, '(')) {
            return;
        }
        int after = tokens.afterClosing(open);
        for (int token = open; token < after; token++) {
            if (tokens.kind(token).isName()) {
                columns.add(tokens.content(token).toLowerCase(Locale.ROOT));
            }
            if (tokens.kind(token - 1).isName() && tokens.isAnyWord(token, "asc", "desc")) {
                edits.direction(token);
            }
        }
        edits.physical(after, to);
    }

    /** Notes that the values of columns are unique. */
    void unique(List<String> columns) {
        uniques.add(columns);
    }

    /** Notes that the values of the columns in a bracket are unique, and returns them. */
    List<String> unique(int open) {
        List<String> unique = listed(open);
        unique(unique);
        return unique;
    }

    /** Returns the columns in a bracket, by internal name. */
    List<String> listed(int open) {
        List<String> listed = new ArrayList<>();
        int after = tokens.afterClosing(open);
        for (int token = open + 1; token < after; token++) {
            if (tokens.kind(token).isName() && (tokens.isSymbol(token - 1, '(') || tokens.isSymbol(token - 1, ','))) {
                listed.add(Identifiers.toInternal(tokens.cqlName(token)));
            }
        }
        return listed;
    }

    // ---- as a later ALTER TABLE gives it

    /**
     * Takes the key that a later ALTER TABLE of the script adds, if there is one.
     *
     * @param name the token where the table's name begins
     * @param close the bracket that ends the columns
     */
    void takeLater(int name, int close) {
        LaterKeys.@Nullable Key key = laterKeys.take(TableName.internal(tokens, name), close);
        if (key == null) {
            return;
        }
        edits.beTsql();
        given = true;
        StringBuilder cql = new StringBuilder();
        int after = tokens.afterClosing(key.open());
        for (int token = key.open() + 1; token < after - 1; token++) {
            if (tokens.kind(token - 1).isName() && tokens.isAnyWord(token, "asc", "desc")) {
                edits.direction(token);
            } else {
                columns.add(tokens.content(token).toLowerCase(Locale.ROOT));
                cql.append(tokens.isSymbol(token, ',') ? ", " : tokens.cqlName(token));
            }
        }
        normaliser.replace(close, ", PRIMARY KEY (" + cql + "))");
    }

    /** Returns whether CREATE TABLE has taken the key at a token already. */
    boolean isTaken(int primary) {
        return laterKeys.isTaken(primary);
    }

    /**
     * Returns the token after a key that CREATE TABLE has taken already; -1 if the element at a token is no such key.
     *
     * @param end of the statement
     */
    int afterTaken(int element, int end) {
        int primary = tokens.isWord(element, "constraint") ? element + 2 : element;
        if (!isTaken(primary)) {
            return -1;
        }
        return edits.physical(tokens.afterClosing(edits.clustered(primary + 2)), end);
    }

    // ---- what identifies the rows instead

    /**
     * Takes what identifies the rows of a table without a primary key, unless constraints are to be refused: columns that
     * are UNIQUE and NOT NULL, or the identity column.
     *
     * @param close the bracket that ends the columns
     * @param required the columns, by internal name, that are NOT NULL
     */
    void choose(int close, Set<String> required, @Nullable DeclaredIdentity identity) {
        for (List<String> unique : uniques) {
            if (required.containsAll(unique)) {
                choose(close, unique, "UNIQUE and NOT NULL");
                return;
            }
        }
        if (identity != null) {
            choose(close, List.of(identity.column()), "the identity column");
        }
    }

    private void choose(int close, List<String> chosen, String because) {
        given = true;
        chosen.forEach(column -> columns.add(column.toLowerCase(Locale.ROOT)));
        String key = chosen.stream().map(Identifiers::toCql).collect(Collectors.joining(", "));
        normaliser.replace(close, ", PRIMARY KEY (" + key + "))");
        edits.leaveOutKey(
                "that the table has no PRIMARY KEY; (" + key + "), " + because + ", is its key now",
                new TsqlStep.Refusal(
                        "CREATE TABLE without PRIMARY KEY",
                        "say which columns identify a row: PRIMARY KEY (" + key + "), or another; or connect with"
                                + " constraints=warn to take (" + key + "), " + because));
    }
}
