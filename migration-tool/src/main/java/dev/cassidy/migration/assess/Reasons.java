package dev.cassidy.migration.assess;

import dev.cassidy.insert.Kind;
import dev.cassidy.insert.Tokens;
import dev.cassidy.insert.UnsupportedSqlException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** Finds in a query or a write what CQL's grammar has no words for, whatever the tables are. All of it, not the first. */
final class Reasons {

    /** Functions of T-SQL that CQL has not; it has COUNT, SUM, MIN, MAX, AVG, CAST and some of numbers and dates. */
    private static final Set<String> FUNCTIONS = Set.of(
            "isnull",
            "coalesce",
            "nullif",
            "iif",
            "choose",
            "convert",
            "try_convert",
            "try_cast",
            "parse",
            "format",
            "lower",
            "upper",
            "len",
            "datalength",
            "substring",
            "left",
            "right",
            "ltrim",
            "rtrim",
            "trim",
            "replace",
            "charindex",
            "patindex",
            "concat",
            "concat_ws",
            "stuff",
            "str",
            "reverse",
            "replicate",
            "space",
            "string_agg",
            "string_split",
            "year",
            "month",
            "day",
            "dateadd",
            "datediff",
            "datepart",
            "datename",
            "eomonth",
            "ceiling",
            "floor",
            "power",
            "sqrt",
            "sign",
            "rand",
            "stdev",
            "var",
            "checksum",
            "isnumeric",
            "isdate",
            "openjson",
            "json_value",
            "freetext");

    private static final Set<String> WINDOWS =
            Set.of("row_number", "rank", "dense_rank", "ntile", "lag", "lead", "first_value", "last_value");

    private final Tokens tokens;
    private final Set<String> found = new LinkedHashSet<>();

    private Reasons(Tokens tokens) {
        this.tokens = tokens;
    }

    /** Returns what no table could make CQL of; nothing for a statement that is no query and no write. */
    static List<String> never(String text) {
        try {
            Reasons reasons = new Reasons(new Tokens(text));
            reasons.find();
            return new ArrayList<>(reasons.found);
        } catch (UnsupportedSqlException e) {
            // The parser says so better.
            return List.of();
        }
    }

    private void find() {
        if (!tokens.isAnyWord(0, "select", "insert", "update", "delete", "with", "merge")) {
            return;
        }
        boolean where = false;
        boolean from = false;
        for (int token = 0; !tokens.isEnd(token); token++) {
            where |= tokens.isWord(token, "where");
            from |= tokens.isWord(token, "from");
            boolean call = tokens.isSymbol(token + 1, '(');
            if (tokens.isSymbol(token, '(') && tokens.isWord(token + 1, "select")) {
                add("a subquery", "run it first, and pass its values");
            } else if (tokens.isAnyWord(token, "join", "apply") && isName(token + 1)) {
                add("a join", "read one table a statement, or keep the joined rows in a table of their own");
            } else if (tokens.isAnyWord(token, "union", "except", "intersect") && !isPart(token)) {
                add(upper(token), "combine the rows in the application");
            } else if (tokens.isWord(token, "having") && !isPart(token)) {
                add("HAVING", "leave the groups out in the application");
            } else if (tokens.isWord(token, "case") && tokens.kind(token + 1) != Kind.SYMBOL && !isPart(token)) {
                add("CASE", "decide in the application");
            } else if (call && tokens.isWord(token, "over")) {
                add("OVER (a window)", "number and add up the rows in the application");
            } else if (call && tokens.isAnyWord(token, "pivot", "unpivot")) {
                add(upper(token), "arrange the rows in the application");
            } else if (call && tokens.kind(token) == Kind.WORD) {
                call(token);
            } else if (where && isComparison(token) && isColumn(token + 1) && !isPart(token + 1)) {
                add(
                        "a comparison of two columns",
                        "Cassandra compares a column with a value: keep what they have in common in a column of its own");
            } else if (where && tokens.isWord(token, "or") && !isPart(token) && from) {
                // Values of one column of the key are joined by the driver; then this statement has no OR any more.
                add("OR", "run one statement for each side, and leave out the rows that both return");
            }
        }
    }

    private void call(int token) {
        String name = tokens.text(token).toLowerCase(Locale.ROOT);
        if (WINDOWS.contains(name)) {
            add("OVER (a window)", "number and add up the rows in the application");
        } else if (FUNCTIONS.contains(name) && !isPart(token)) {
            add(
                    "the function " + name.toUpperCase(Locale.ROOT),
                    "read the columns, and compute in the application; for a condition keep the result in a column");
        }
    }

    private boolean isPart(int token) {
        return tokens.isSymbol(token - 1, '.');
    }

    private boolean isName(int token) {
        return tokens.kind(token).isName() || tokens.isSymbol(token, '(');
    }

    private boolean isComparison(int token) {
        return tokens.isSymbol(token, '=') || tokens.isSymbol(token, '<') || tokens.isSymbol(token, '>');
    }

    private boolean isColumn(int token) {
        return tokens.kind(token).isName()
                && !tokens.isSymbol(token + 1, '(')
                && !tokens.isAnyWord(token, "null", "true", "false", "nan", "infinity");
    }

    private String upper(int token) {
        return tokens.text(token).toUpperCase(Locale.ROOT);
    }

    private void add(String what, String wayOut) {
        found.add(what + " is not supported: " + wayOut);
    }
}
