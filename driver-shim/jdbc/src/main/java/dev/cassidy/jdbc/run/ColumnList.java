package dev.cassidy.jdbc.run;

import dev.cassidy.definition.ColumnDefinition;
import dev.cassidy.definition.SqlType;
import dev.cassidy.insert.Identifiers;
import dev.cassidy.insert.Tokens;
import dev.cassidy.insert.UnsupportedSqlException;
import dev.cassidy.tsql.ColumnTypes;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads a list of columns as CREATE TABLE in T-SQL writes it, {@code id int, "Name" nvarchar(50) NOT NULL}, in which all that
 * stands behind a name may be left out.
 */
final class ColumnList {

    private static final String RULE =
            "write names with commas between, each with or without its type of T-SQL, COLLATE, NULL and NOT NULL";

    private final Tokens tokens;
    private int token;

    /** @throws UnsupportedSqlException if the list is incomplete */
    ColumnList(String columns) {
        this.tokens = new Tokens(columns);
    }

    /**
     * What is written of a column.
     *
     * @param name internal name
     * @param label the name as it is written, without quotes
     * @param type null if it is left out
     * @param required null if neither NULL nor NOT NULL is written
     * @param collation empty if it is left out
     */
    record Written(
            String name,
            String label,
            @Nullable SqlType type,
            @Nullable Boolean required,
            String collation) {

        /** Returns what holds after it, by what was known of the column before. */
        ColumnDefinition over(ColumnDefinition before) {
            return new ColumnDefinition(
                    name,
                    // A name as CQL shows it says nothing of how it was written once.
                    label.equals(name) ? before.label() : label,
                    type == null ? before.type() : type,
                    required != null ? required : type == null && before.required(),
                    type == null && collation.isEmpty() ? before.collation() : collation,
                    before.twin(),
                    before.counted());
        }
    }

    /** @throws UnsupportedSqlException naming what is no column */
    List<Written> read() {
        List<Written> columns = new ArrayList<>();
        do {
            columns.add(column());
        } while (tokens.isSymbol(token++, ','));
        if (!tokens.isEnd(token - 1)) {
            throw refused(token - 1);
        }
        return columns;
    }

    private Written column() {
        if (!tokens.kind(token).isName()) {
            throw refused(token);
        }
        String name = Identifiers.toInternal(tokens.cqlName(token));
        String label = tokens.content(token);
        token++;
        SqlType type = type();
        Boolean required = null;
        String collation = "";
        while (!tokens.isEnd(token) && !tokens.isSymbol(token, ',')) {
            if (tokens.isWord(token, "collate") && tokens.kind(token + 1).isName()) {
                collation = tokens.content(token + 1);
                token += 2;
            } else if (tokens.isWord(token, "null")) {
                required = false;
                token++;
            } else if (tokens.isWord(token, "not") && tokens.isWord(token + 1, "null")) {
                required = true;
                token += 2;
            } else {
                throw refused(token);
            }
        }
        return new Written(name, label, type, required, collation);
    }

    private @Nullable SqlType type() {
        if (!tokens.kind(token).isName() || tokens.isAnyWord(token, "collate", "null", "not")) {
            return null;
        }
        StringBuilder text = new StringBuilder(tokens.content(token++));
        if (tokens.isAnyWord(token, "varying", "precision")) {
            text.append(' ').append(tokens.text(token++));
        }
        if (tokens.isSymbol(token, '(')) {
            int after = tokens.afterClosing(token);
            while (token < after) {
                text.append(tokens.text(token++));
            }
        }
        ColumnTypes.requireSize(text.toString(), "");
        return SqlType.parse(text.toString())
                .orElseThrow(() -> new UnsupportedSqlException(
                        "type " + text, "give a type of T-SQL that Cassandra has a type for, or the name alone"));
    }

    private UnsupportedSqlException refused(int at) {
        return new UnsupportedSqlException(
                tokens.isEnd(at) ? "an incomplete list of columns" : "'" + tokens.text(at) + "' in a list of columns",
                RULE);
    }
}
