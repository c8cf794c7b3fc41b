package dev.cassidy.insert;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where the clauses of an UPDATE or DELETE begin.
 *
 * @param set the token of SET; -1 if there is none
 * @param where the token of WHERE
 * @param end the token after the last condition of WHERE
 * @param own the token of IF; -1 if there is none
 * @param after the token after the statement
 */
record WriteClauses(int set, int where, int end, int own, int after) {

    /** Finds them; null if the statement is another one, has its own condition, or no WHERE. */
    static @Nullable WriteClauses of(Tokens tokens) {
        WriteClauses found = ofAny(tokens);
        return found == null || found.own >= 0 ? null : found;
    }

    /** Finds them, also of a statement that has its own condition; null if it is another one, or has no WHERE. */
    static @Nullable WriteClauses ofAny(Tokens tokens) {
        if (!tokens.isAnyWord(0, "update", "delete")) {
            return null;
        }
        int set = -1;
        int where = -1;
        int own = -1;
        int depth = 0;
        int token = 0;
        for (; !tokens.isEnd(token) && !(depth == 0 && tokens.isSymbol(token, ';')); token++) {
            depth += tokens.opens(token) ? 1 : tokens.closes(token) ? -1 : 0;
            if (depth != 0 || tokens.kind(token) != Kind.WORD) {
                continue;
            }
            if (set < 0 && where < 0 && tokens.isWord(0, "update") && tokens.isWord(token, "set") && token > 1) {
                set = token;
            } else if (where < 0 && tokens.isWord(token, "where")) {
                where = token;
            } else if (where >= 0 && own < 0 && tokens.isWord(token, "if")) {
                own = token;
            }
        }
        return where < 0 ? null : new WriteClauses(set, where, own < 0 ? token : own, own, token);
    }

    /**
     * A condition of WHERE.
     *
     * @param from its first token
     * @param to the token after it
     */
    record Condition(int from, int to) {}

    /** Returns what AND joins. */
    List<Condition> conditions(Tokens tokens) {
        List<Condition> conditions = new ArrayList<>();
        int depth = 0;
        int start = where + 1;
        for (int token = where + 1; token <= end; token++) {
            if (token == end || (depth == 0 && tokens.isWord(token, "and"))) {
                conditions.add(new Condition(start, token));
                start = token + 1;
            } else {
                depth += tokens.opens(token) ? 1 : tokens.closes(token) ? -1 : 0;
            }
        }
        return conditions;
    }
}
