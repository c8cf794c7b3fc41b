package dev.cassidy.tsql;

import dev.cassidy.insert.TableName;
import dev.cassidy.insert.Tokens;
import dev.cassidy.insert.UnsupportedSqlException;
import java.util.List;
import java.util.Locale;

/** What the parsers of all statements need: where a statement ends, and how it becomes a step that sends it as CQL. */
final class Statements {

    private final Tokens tokens;
    private final Normaliser normaliser;
    private final List<TsqlStep> steps;

    /** Where the innermost block ends; the end of the script outside of blocks. */
    private int blockEnd;

    Statements(Tokens tokens, Normaliser normaliser, List<TsqlStep> steps) {
        this.tokens = tokens;
        this.normaliser = normaliser;
        this.steps = steps;
        this.blockEnd = tokens.size();
    }

    /** Returns the token of the next {@code ;}, or the end of the block or script. */
    int end(int token) {
        return end(token, blockEnd);
    }

    /** Returns the token of the innermost block's END; the number of all tokens outside of blocks. */
    int blockEnd() {
        return blockEnd;
    }

    /** Sets where statements end at the latest. */
    void blockEnd(int token) {
        blockEnd = token;
    }

    /**
     * Returns the token of the next {@code ;}, or the end of the script, or {@code limit} if that comes first. The
     * limit keeps the time linear: each of many short statements would otherwise look at all the text after it.
     */
    int end(int token, int limit) {
        int end = token;
        while (end < Math.min(limit, blockEnd) && !tokens.isEnd(end) && !tokens.isSymbol(end, ';')) {
            end++;
        }
        return end;
    }

    /** Adds the step that sends a statement as CQL, and returns {@code end}. */
    int addCql(int from, String verb, int end) {
        return addCql(from, verb, end, TableName.NONE);
    }

    /**
     * Adds the step that sends a statement as CQL.
     *
     * @param table the only table of the statement, whose name or alias CQL does not take in front of a column
     * @return {@code end}
     */
    int addCql(int from, String verb, int end, TableName table) {
        normaliser.normalise(from, end, table);
        CqlText out = new CqlText();
        normaliser.copy(out, from, end);
        steps.add(new TsqlStep.Cql(out.toString(), verb.toUpperCase(Locale.ROOT), out.parameters()));
        return end;
    }

    /** The error for a token that may belong to this statement or begin the next one. */
    UnsupportedSqlException unseparated(int token) {
        return new UnsupportedSqlException(
                "'" + tokens.text(token) + "' within or after this statement", "end each statement with ';'");
    }
}
