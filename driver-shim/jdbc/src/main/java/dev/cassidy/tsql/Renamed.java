package dev.cassidy.tsql;

import dev.cassidy.insert.CqlInsert;
import dev.cassidy.insert.Identifiers;
import dev.cassidy.insert.TableName;
import dev.cassidy.insert.Tokens;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What a statement of CQL renames. Names are internal ones.
 *
 * @param columns the names before
 */
public record Renamed(CqlInsert.Table table, List<String> columns) {

    public Renamed {
        columns = List.copyOf(columns);
    }

    /** Reads {@code ALTER TABLE [IF EXISTS] t RENAME [IF EXISTS] a TO b [AND ...]}; empty for any other statement. */
    public static Optional<Renamed> of(String cql) {
        Tokens tokens = new Tokens(cql);
        if (!tokens.isWord(0, "alter") || !tokens.isAnyWord(1, "table", "columnfamily")) {
            return Optional.empty();
        }
        int name = afterIfExists(tokens, 2);
        int rename = TableName.read(tokens, name).end();
        if (rename < 0 || !tokens.isWord(rename, "rename")) {
            return Optional.empty();
        }
        List<String> columns = new ArrayList<>();
        for (int token = afterIfExists(tokens, rename + 1); !tokens.isEnd(token + 1); token++) {
            if (tokens.kind(token).isName() && tokens.isWord(token + 1, "to")) {
                columns.add(Identifiers.toInternal(tokens.cqlName(token)));
            }
        }
        return columns.isEmpty()
                ? Optional.empty()
                : Optional.of(new Renamed(TableName.internal(tokens, name), columns));
    }

    private static int afterIfExists(Tokens tokens, int token) {
        return tokens.isWord(token, "if") && tokens.isWord(token + 1, "exists") ? token + 2 : token;
    }
}
