package dev.cassidy.assist.tree;

import dev.cassidy.insert.Tokens;
import java.util.ArrayList;
import java.util.List;
import net.sf.jsqlparser.statement.select.AllColumns;
import net.sf.jsqlparser.statement.select.PlainSelect;
import net.sf.jsqlparser.statement.select.Select;
import net.sf.jsqlparser.statement.select.SelectItem;
import net.sf.jsqlparser.statement.select.SetOperationList;
import org.jspecify.annotations.Nullable;

/**
 * VALUES of an INSERT of which a value is a subquery: a SELECT of the same values without FROM means the same, and so do several with UNION ALL
 * between them.
 *
 * @param values the word
 * @param columns the terms of the column list; empty without one
 * @param rows the terms of each row
 */
record InsertedRows(Tokens tokens, int values, List<Term> columns, List<List<Term>> rows) {

    /** The tokens of a column or a value, {@code to} exclusive. */
    private record Term(int from, int to) {}

    InsertedRows {
        columns = List.copyOf(columns);
        rows = List.copyOf(rows);
    }

    /** Returns whether VALUES with its rows begins at a token. */
    static boolean begin(Tokens tokens, int token) {
        return tokens.isWord(token, "values") && tokens.isSymbol(token + 1, '(');
    }

    /**
     * Reads the rows of an INSERT to the end of the text.
     *
     * @param values the word VALUES
     * @param end where the columns end: VALUES, or OUTPUT before it
     * @return null if no value is a subquery, or if something stands there that is not known
     */
    static @Nullable InsertedRows of(Tokens tokens, int insert, int values, int end) {
        boolean subquery = false;
        List<List<Term>> rows = new ArrayList<>();
        int row = values + 1;
        while (true) {
            if (!tokens.isSymbol(row, '(')) {
                return null;
            }
            int after = tokens.afterClosing(row);
            for (int at = row; at < after; at++) {
                subquery |= tokens.opens(at) && tokens.isWord(at + 1, "select");
            }
            rows.add(terms(tokens, row + 1, after - 1));
            if (tokens.isEnd(after) || tokens.isSymbol(after, ';') || tokens.isWord(after, "option")) {
                break;
            }
            if (!tokens.isSymbol(after, ',')) {
                return null;
            }
            row = after + 1;
        }
        InsertedRows inserted = new InsertedRows(tokens, values, columns(tokens, insert, end), rows);
        return subquery && inserted.hasKnownDefaults() ? inserted : null;
    }

    private static List<Term> columns(Tokens tokens, int insert, int end) {
        int open = tokens.closes(end - 1) ? insert + 1 : end;
        while (open < end) {
            if (tokens.opens(open)) {
                int after = tokens.afterClosing(open);
                if (after == end) {
                    boolean columns = tokens.isSymbol(open, '(') && !tokens.isAnyWord(open - 1, "with", "top");
                    return columns ? terms(tokens, open + 1, end - 1) : List.of();
                }
                open = after;
            } else {
                open++;
            }
        }
        return List.of();
    }

    private static List<Term> terms(Tokens tokens, int from, int to) {
        List<Term> terms = new ArrayList<>();
        int first = from;
        int at = from;
        while (at < to) {
            if (tokens.isSymbol(at, ',')) {
                terms.add(new Term(first, at));
                first = at + 1;
            }
            at = tokens.opens(at) ? tokens.afterClosing(at) : at + 1;
        }
        terms.add(new Term(first, to));
        return terms;
    }

    private boolean isDefault(Term term) {
        return term.to == term.from + 1 && tokens.isWord(term.from, "default");
    }

    /** A column that has its default in each row may be left out; a SELECT has no word for the default of one row. */
    private boolean hasKnownDefaults() {
        List<Term> first = rows.get(0);
        for (List<Term> row : rows) {
            if (row.size() != first.size() || (!columns.isEmpty() && row.size() != columns.size())) {
                return false;
            }
            for (int i = 0; i < row.size(); i++) {
                boolean left = isDefault(first.get(i));
                if (isDefault(row.get(i)) != left || (left && columns.isEmpty())) {
                    return false;
                }
            }
        }
        return true;
    }

    /** Writes a SELECT in place of VALUES. All that stands before it keeps its place in the text. */
    void select(StringBuilder text) {
        for (int i = rows.size() - 1; i >= 0; i--) {
            List<Term> row = rows.get(i);
            int open = row.get(0).from - 1;
            int close = row.get(row.size() - 1).to;
            text.setCharAt(tokens.start(close), ' ');
            withoutDefaults(text, row);
            text.replace(tokens.start(open), tokens.end(open), " ");
            if (i > 0) {
                text.replace(tokens.start(open - 1), tokens.end(open - 1), " UNION ALL SELECT ");
            }
        }
        text.replace(tokens.start(values), tokens.end(values), "SELECT");
        if (!columns.isEmpty()) {
            withoutDefaults(text, columns);
        }
    }

    /** Blanks the columns, or the values of a row, that have their defaults, with a comma each. */
    private void withoutDefaults(StringBuilder text, List<Term> terms) {
        boolean before = false;
        for (int i = 0; i < terms.size(); i++) {
            Term term = terms.get(i);
            if (!isDefault(rows.get(0).get(i))) {
                before = true;
                continue;
            }
            // The comma behind it, or before it if a term that stays stands there.
            int from = before ? term.from - 1 : term.from;
            int to = before || i == terms.size() - 1 ? term.to : term.to + 1;
            blank(text, tokens.start(from), tokens.end(to - 1));
        }
    }

    /** Leaves out a part of a text, so that all others keep their places. */
    static void blank(StringBuilder text, int from, int to) {
        for (int at = from; at < to; at++) {
            text.setCharAt(at, ' ');
        }
    }

    /** Returns whether a tree is a SELECT of values for each row, and nothing else: other words of the text may have made more of it. */
    static boolean isOf(Select select, int rows) {
        List<? extends Select> each = select instanceof SetOperationList list ? list.getSelects() : List.of(select);
        return each.size() == rows && each.stream().allMatch(one -> one instanceof PlainSelect row && isRow(row));
    }

    private static boolean isRow(PlainSelect row) {
        PlainSelect values = new PlainSelect();
        values.setSelectItems(row.getSelectItems());
        values.setWithItemsList(row.getWithItemsList());
        return values.toString().equals(row.toString())
                && row.getSelectItems().stream().allMatch(InsertedRows::isValue);
    }

    private static boolean isValue(SelectItem<?> item) {
        return item.getAlias() == null && !(item.getExpression() instanceof AllColumns);
    }
}
