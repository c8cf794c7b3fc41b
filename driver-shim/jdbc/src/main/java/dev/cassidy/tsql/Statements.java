package dev.cassidy.tsql;

import dev.cassidy.insert.Kind;
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
    private boolean inBlock;

    /** Where the innermost block ends; the end of the script outside of blocks. */
    private int blockEnd;

    Statements(Tokens tokens, Normaliser normaliser, List<TsqlStep> steps) {
        this.tokens = tokens;
        this.normaliser = normaliser;
        this.steps = steps;
        this.blockEnd = tokens.size();
    }

    /** Returns the token of the next {@code ;} or GO, or the end of the block or script. */
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
     * Returns the token of the next {@code ;} or GO, or the end of the script, or {@code limit} if that comes first. The
     * limit keeps the time linear: each of many short statements would otherwise read all that follows it.
     */
    int end(int token, int limit) {
        int end = token;
        while (end < Math.min(limit, blockEnd)
                && !tokens.isEnd(end)
                && !tokens.isSymbol(end, ';')
                && !(end > token && isGo(end))) {
            end++;
        }
        return end;
    }

    // ---- scripts without semicolons

    /** Sets whether the script is within BEGIN and END, so that END is no name. */
    void inBlock(boolean within) {
        inBlock = within;
    }

    /**
     * Returns the token after the SELECT, UPDATE or DELETE that begins at a token: the next {@code ;}, or the word that
     * begins another statement, which T-SQL needs no {@code ;} before.
     */
    int endOfQuery(int verb) {
        boolean set = !tokens.isWord(verb, "update");
        int depth = 0;
        int cases = 0;
        int token = verb + 1;
        while (token < blockEnd && !tokens.isEnd(token) && !tokens.isSymbol(token, ';')) {
            depth += tokens.opens(token) ? 1 : tokens.closes(token) ? -1 : 0;
            if (depth == 0 && tokens.kind(token) == Kind.WORD) {
                if (tokens.isWord(token, "case")) {
                    cases++;
                } else if (cases > 0 && tokens.isWord(token, "end")) {
                    // Of CASE, and not of the block.
                    cases--;
                } else if (!set && tokens.isWord(token, "set")) {
                    set = true;
                } else if (beginsStatement(token)) {
                    return token;
                }
            }
            token++;
        }
        return token;
    }

    /**
     * Returns the token after the CREATE, ALTER or DROP that begins at a token: the next {@code ;} or GO, the end of the
     * block, or the word that begins another statement.
     */
    int endOfDefinition(int verb) {
        boolean action = !tokens.isWord(verb, "alter");
        int depth = 0;
        int token = verb + 1;
        for (; token < blockEnd && !tokens.isEnd(token) && !tokens.isSymbol(token, ';'); token++) {
            depth += tokens.opens(token) ? 1 : tokens.closes(token) ? -1 : 0;
            if (depth != 0 || tokens.kind(token) != Kind.WORD) {
                continue;
            }
            if (!action && tokens.isAnyWord(token, "add", "alter", "check", "drop", "nocheck", "rename", "with")) {
                // ALTER TABLE t DROP c: what is done to the table, and no statement.
                action = true;
            } else if (endsDefinition(token - 1) && isStart(token)) {
                return token;
            }
        }
        return token;
    }

    /** Returns whether a definition may end with a token: with {@code set<int>}, but not before the SET of ON DELETE SET NULL. */
    private boolean endsDefinition(int token) {
        return tokens.isSymbol(token, '>') || (Words.endsTerm(tokens, token) && !tokens.isWord(token, "add"));
    }

    /**
     * Returns whether a statement begins at a word behind another statement. Almost all of the words are reserved in CQL
     * too, so that no name of CQL is taken for them.
     */
    boolean beginsStatement(int token) {
        return Words.endsTerm(tokens, token - 1) && isStart(token);
    }

    private boolean isStart(int token) {
        int after = token + 1;
        boolean name = tokens.kind(after).isName();
        if (tokens.isWord(token, "select")) {
            return !tokens.isEnd(after) && !tokens.isSymbol(after, ';');
        }
        if (tokens.isAnyWord(token, "insert", "update", "delete", "truncate", "create", "alter", "drop", "use")) {
            return name;
        }
        if (tokens.isWord(token, "set")) {
            return name || tokens.kind(after) == Kind.VARIABLE;
        }
        if (tokens.isAnyWord(token, "declare", "exec", "execute")) {
            return tokens.kind(after) == Kind.VARIABLE || (name && !tokens.isWord(token, "declare"));
        }
        if (tokens.isWord(token, "print")) {
            return tokens.kind(after) == Kind.STRING || tokens.kind(after) == Kind.NATIONAL;
        }
        if (tokens.isWord(token, "begin")) {
            return name;
        }
        if (tokens.isWord(token, "if")) {
            // A variable is a marker by now.
            return tokens.kind(after) == Kind.VARIABLE
                    || tokens.kind(after) == Kind.MARKER
                    || tokens.isSymbol(after, '(')
                    || (tokens.isAnyWord(after, "exists", "object_id") && tokens.isSymbol(after + 1, '('))
                    || (tokens.isWord(after, "not") && tokens.isSymbol(after + 2, '('));
        }
        return (inBlock && tokens.isWord(token, "end")) || isGo(token);
    }

    /** Returns whether the token is the GO of SQL Server's tools: alone in its line, before the end or a statement. */
    boolean isGo(int token) {
        if (!tokens.isWord(token, "go")) {
            return false;
        }
        boolean beginsLine = token == 0 || isLineBreak(tokens.end(token - 1), tokens.start(token));
        return beginsLine
                && (tokens.isEnd(token + 1)
                        || (isLineBreak(tokens.end(token), tokens.start(token + 1))
                                && (tokens.isWord(token + 1, "go") || isVerb(token + 1))));
    }

    private boolean isLineBreak(int from, int to) {
        return from < to && tokens.text.substring(from, to).indexOf('\n') >= 0;
    }

    private boolean isVerb(int token) {
        return tokens.isAnyWord(
                token,
                "select",
                "insert",
                "update",
                "delete",
                "set",
                "use",
                "create",
                "alter",
                "drop",
                "truncate",
                "declare",
                "if",
                "begin",
                "exec",
                "execute",
                "dbcc",
                "grant",
                "revoke",
                "merge",
                "list",
                "describe",
                "print");
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
        return addCql(from, verb, end, table, List.of());
    }

    /** As {@link #addCql(int, String, int, TableName)}, with what has to be checked before it is sent. */
    int addCql(int from, String verb, int end, TableName table, List<Guard> guards) {
        normaliser.normalise(from, end, table);
        CqlBuilder out = new CqlBuilder();
        normaliser.copy(out, from, end);
        steps.add(new TsqlStep.Cql(out.toString(), verb.toUpperCase(Locale.ROOT), out.parameters(), guards));
        return end;
    }

    /** The error for a token that may belong to this statement or begin the next one. */
    UnsupportedSqlException unseparated(int token) {
        return new UnsupportedSqlException(
                "'" + tokens.text(token) + "' within or after this statement", "end each statement with ';'");
    }
}
