package dev.cassidy.tsql;

import dev.cassidy.insert.Identifiers;
import dev.cassidy.insert.Kind;
import dev.cassidy.insert.Tokens;
import dev.cassidy.insert.UnsupportedSqlException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The order in which CREATE TABLE gave a table's columns, for an INSERT without a column list. Cassandra keeps the columns
 * in an order of its own. The order is in the table's comment, because every process sees that, and because it comes and
 * goes with the table: {@code [columns: id identity, name, "Unit Price"]}.
 *
 * @param columns internal names
 * @param identity the column among them that an INSERT without a list leaves out; null if there is none
 */
public record ColumnOrder(List<String> columns, @Nullable String identity) {

    private static final String OPENS = "[columns: ";
    private static final String CLOSES = "]";

    public ColumnOrder {
        columns = List.copyOf(columns);
    }

    /** Returns the comment that says the order. */
    public String comment() {
        List<String> shown = new ArrayList<>();
        for (String column : columns) {
            shown.add(Identifiers.toCql(column) + (column.equals(identity) ? " identity" : ""));
        }
        return OPENS + String.join(", ", shown) + CLOSES;
    }

    /** Reads the order from a comment; empty if it says none. */
    public static Optional<ColumnOrder> read(String comment) {
        int from = comment.indexOf(OPENS);
        int to = comment.lastIndexOf(CLOSES);
        if (from < 0 || to < from) {
            return Optional.empty();
        }
        Tokens tokens;
        try {
            tokens = new Tokens(comment.substring(from + OPENS.length(), to));
        } catch (UnsupportedSqlException e) {
            return Optional.empty();
        }
        List<String> columns = new ArrayList<>();
        String identity = null;
        int token = 0;
        while (tokens.kind(token) == Kind.WORD || tokens.kind(token) == Kind.QUOTED) {
            String column = Identifiers.toInternal(tokens.cqlName(token++));
            columns.add(column);
            if (tokens.isWord(token, "identity")) {
                identity = column;
                token++;
            }
            if (tokens.isEnd(token)) {
                return Optional.of(new ColumnOrder(columns, identity));
            }
            if (!tokens.isSymbol(token++, ',')) {
                return Optional.empty();
            }
        }
        return Optional.empty();
    }

    /**
     * Returns the columns that an INSERT without a list names, in order; none if the table has columns whose place is
     * not known. A column that was dropped is left out, and the only one that was added is the last, as in SQL Server.
     *
     * @param existing the table's columns
     */
    public List<String> inserted(Set<String> existing) {
        List<String> inserted = new ArrayList<>(columns);
        inserted.retainAll(existing);
        List<String> added =
                existing.stream().filter(column -> !columns.contains(column)).toList();
        if (added.size() > 1) {
            return List.of();
        }
        inserted.addAll(added);
        inserted.remove(identity);
        return inserted;
    }
}
