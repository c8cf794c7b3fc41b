package dev.cassidy.tsql;

import dev.cassidy.insert.CqlInsert;
import dev.cassidy.insert.Identifiers;
import dev.cassidy.insert.TableName;
import dev.cassidy.insert.Tokens;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What a statement of CQL removes from the schema. Names are internal ones.
 *
 * @param columns those that ALTER TABLE drops; empty for DROP TABLE
 */
public record Dropped(CqlInsert.Table table, List<String> columns) {

    public Dropped {
        columns = List.copyOf(columns);
    }

    /** Reads {@code DROP TABLE [IF EXISTS] t} and {@code ALTER TABLE t DROP a}; empty for any other statement. */
    public static Optional<Dropped> of(String cql) {
        Tokens tokens = new Tokens(cql);
        if (!tokens.isAnyWord(0, "drop", "alter") || !tokens.isWord(1, "table")) {
            return Optional.empty();
        }
        int name = tokens.isWord(2, "if") && tokens.isWord(3, "exists") ? 4 : 2;
        int end = TableName.read(tokens, name).end();
        if (end < 0) {
            return Optional.empty();
        }
        CqlInsert.Table table = TableName.internal(tokens, name);
        if (tokens.isWord(0, "drop")) {
            return Optional.of(new Dropped(table, List.of()));
        }
        if (!tokens.isWord(end, "drop")) {
            return Optional.empty();
        }
        List<String> columns = new ArrayList<>();
        for (int token = end + 1; !tokens.isEnd(token); token++) {
            boolean first = token == end + 1 || tokens.isSymbol(token - 1, '(') || tokens.isSymbol(token - 1, ',');
            if (tokens.kind(token).isName() && first) {
                columns.add(Identifiers.toInternal(tokens.cqlName(token)));
            }
        }
        return columns.isEmpty() ? Optional.empty() : Optional.of(new Dropped(table, columns));
    }
}
