package dev.cassidy.jdbc.run;

import dev.cassidy.insert.CqlInsert;
import dev.cassidy.insert.Identifiers;
import dev.cassidy.insert.Scanner;
import dev.cassidy.insert.TableName;
import dev.cassidy.insert.Tokens;
import java.util.ArrayList;
import java.util.List;

/**
 * {@code SET n = n + 1} and {@code SET n += 1}, which the server computes in a conditional UPDATE. It wraps in the type of the
 * column, and the rules of the column never see the result. Names are internal ones.
 *
 * @param written the assignment as the statement has it
 */
record SelfAssignment(CqlInsert.Table table, String column, String written) {

    /** Finds those of an UPDATE, and of the UPDATEs within BEGIN BATCH; of collections and counters too. */
    static List<SelfAssignment> of(String cql) {
        if (cql.indexOf('+') < 0 && cql.indexOf('-') < 0) {
            return List.of();
        }
        Tokens tokens = new Tokens(cql, Scanner.Language.CQL);
        List<SelfAssignment> found = new ArrayList<>();
        boolean batch = tokens.isWord(0, "begin");
        for (int token = 0; !tokens.isEnd(token); token++) {
            if (tokens.isWord(token, "update")
                    && (batch || token == 0)
                    && tokens.kind(token + 1).isName()) {
                ofUpdate(tokens, token, found);
            }
        }
        return found;
    }

    private static void ofUpdate(Tokens tokens, int update, List<SelfAssignment> found) {
        int token = TableName.read(tokens, update + 1).end();
        while (!tokens.isEnd(token) && !tokens.isWord(token, "set")) {
            token++;
        }
        CqlInsert.Table table = TableName.internal(tokens, update + 1);
        int depth = 0;
        int from = token + 1;
        for (token = from; !tokens.isEnd(token); token++) {
            boolean end = depth == 0 && tokens.isWord(token, "where");
            if (end || (depth == 0 && tokens.isSymbol(token, ','))) {
                if (isComputed(tokens, from, token)) {
                    found.add(new SelfAssignment(
                            table,
                            column(tokens, from),
                            tokens.text.substring(tokens.start(from), tokens.end(token - 1))));
                }
                from = token + 1;
            }
            if (end) {
                return;
            }
            depth += tokens.opens(token) ? 1 : tokens.closes(token) ? -1 : 0;
        }
    }

    private static boolean isComputed(Tokens tokens, int from, int to) {
        if (!tokens.kind(from).isName()) {
            return false;
        }
        if ((tokens.isSymbol(from + 1, '+') || tokens.isSymbol(from + 1, '-')) && tokens.isSymbol(from + 2, '=')) {
            return true;
        }
        if (!tokens.isSymbol(from + 1, '=')) {
            return false;
        }
        boolean operator = false;
        boolean itself = false;
        for (int token = from + 2; token < to; token++) {
            operator |= tokens.isSymbol(token, '+') || tokens.isSymbol(token, '-');
            itself |= tokens.kind(token).isName() && column(tokens, token).equals(column(tokens, from));
        }
        return operator && itself;
    }

    private static String column(Tokens tokens, int token) {
        return Identifiers.toInternal(tokens.cqlName(token));
    }
}
