package dev.cassidy.tsql;

import dev.cassidy.insert.Tokens;
import dev.cassidy.insert.UnsupportedSqlException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the definition of a table loses on its way to CQL: the clauses that CQL does not have are dropped, and what
 * Cassandra does not keep is noted. A definition that loses anything is T-SQL.
 */
final class DefinitionEdits {

    private final Tokens tokens;
    private final Normaliser normaliser;
    private final List<TsqlStep.LeftOut> leftOut = new ArrayList<>();
    private final Set<String> names = new HashSet<>();
    private boolean tsql;

    DefinitionEdits(Tokens tokens, Normaliser normaliser) {
        this.tokens = tokens;
        this.normaliser = normaliser;
    }

    boolean isTsql() {
        return tsql;
    }

    /** Says that the definition is T-SQL. */
    void beTsql() {
        tsql = true;
    }

    /** Returns which of the table's properties Cassandra does not keep. */
    List<TsqlStep.LeftOut> leftOut() {
        return leftOut;
    }

    /** Notes the name of a constraint. */
    void name(String constraint) {
        if (!names.add(constraint.toLowerCase(Locale.ROOT))) {
            throw UnsupportedSqlException.asSqlServer(
                    2714,
                    "There is already an object named '" + constraint
                            + "' in the database: the statement gives the name to two constraints");
        }
    }

    // ---- what is dropped

    /** Drops tokens and returns the one after them. */
    int drop(int from, int to) {
        tsql = true;
        normaliser.drop(from, to);
        return to;
    }

    /** Drops CLUSTERED or NONCLUSTERED at a token, if it is there, and returns the token after it. */
    int clustered(int token) {
        return tokens.isAnyWord(token, "clustered", "nonclustered") ? drop(token, token + 1) : token;
    }

    /** Drops {@code WITH (PAD_INDEX = OFF, ...)} and {@code ON [PRIMARY]}, which say how SQL Server stores a table. */
    int physical(int from, int to) {
        int token = from;
        while (token < to) {
            int after = token;
            if (tokens.isWord(token, "with") && tokens.isSymbol(token + 1, '(')) {
                after = tokens.afterClosing(token + 1);
            } else if (tokens.isAnyWord(token, "on", "textimage_on")
                    && tokens.kind(token + 1).isName()
                    && !tokens.isAnyWord(token + 1, "delete", "update")) {
                after = token + 2;
            }
            if (after == token) {
                return token;
            }
            token = drop(token, after);
        }
        return token;
    }

    /** Drops the ASC of a column of a key. */
    void direction(int token) {
        if (tokens.isWord(token, "desc")) {
            throw new UnsupportedSqlException(
                    "PRIMARY KEY (... DESC)", "leave it out, or add WITH CLUSTERING ORDER BY (column DESC)");
        }
        drop(token, token + 1);
    }

    // ---- what is noted

    /** Notes a property without which the data stays as it would be. */
    TsqlStep.LeftOut leaveOut(String what) {
        return leaveOut(what, null);
    }

    private TsqlStep.LeftOut leaveOut(String what, TsqlStep.@Nullable Refusal refusal) {
        TsqlStep.LeftOut note = new TsqlStep.LeftOut(what, refusal);
        leftOut.add(note);
        return note;
    }

    /** Notes a constraint as it is written, and whose it is. */
    TsqlStep.LeftOut leaveOut(int from, int to, String of, TsqlStep.@Nullable Refusal refusal) {
        return leaveOut(tokens.text.substring(tokens.start(from), tokens.end(to - 1)) + of, refusal);
    }

    /** Notes that the table got a key of the driver's choice. */
    void leaveOutKey(String what, TsqlStep.Refusal refusal) {
        leaveOut(what, refusal);
    }

    /** Takes notes back. */
    void keep(Set<TsqlStep.LeftOut> notes) {
        leftOut.removeIf(notes::contains);
    }

    /** Returns why a foreign key whose actions change rows must not be left out; null if it has no such action. */
    TsqlStep.@Nullable Refusal actions(int from, int to) {
        for (int token = from; token < to; token++) {
            if (tokens.isWord(token, "on")
                    && tokens.isAnyWord(token + 1, "delete", "update")
                    && !tokens.isWord(token + 2, "no")) {
                return new TsqlStep.Refusal(
                        "ON " + tokens.text(token + 1).toUpperCase(Locale.ROOT) + " "
                                + tokens.text(token + 2).toUpperCase(Locale.ROOT),
                        "Cassandra knows no foreign keys: change the rows that refer to it in the application, and connect"
                                + " with constraints=warn to leave it out");
            }
        }
        return null;
    }
}
