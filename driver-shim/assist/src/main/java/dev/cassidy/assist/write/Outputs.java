package dev.cassidy.assist.write;

import dev.cassidy.assist.tree.SqlNames;
import dev.cassidy.insert.Tokens;
import dev.cassidy.jdbc.assist.AssistedChange.Kind;
import dev.cassidy.jdbc.assist.AssistedChange.Output;
import dev.cassidy.jdbc.assist.ColumnModel;
import dev.cassidy.jdbc.assist.EvaluationException;
import dev.cassidy.jdbc.assist.NotAssistedException;
import dev.cassidy.jdbc.assist.TableModel;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;

/**
 * What OUTPUT shows. What a row was before is a value of the SELECT: {@code deleted.x} is the target's column there. What it is afterwards
 * is read when it is written.
 *
 * @param items in order
 * @param evaluated the items of the SELECT, one for each {@link Output.Evaluated}
 * @param deleted the names of the target's columns that it shows as they were, in small letters
 */
record Outputs(List<Output> items, List<String> evaluated, Set<String> deleted) {

    private static final String INSERTED = "inserted";
    private static final String DELETED = "deleted";

    /**
     * Reads what stands behind OUTPUT.
     *
     * @param target the name by which the SELECT names the target's columns
     * @param all those that {@code *} shows
     * @throws NotAssistedException naming what is not known
     */
    static Outputs of(String text, Kind kind, TableModel model, String target, List<ColumnModel> all) {
        Outputs found = new Outputs(new ArrayList<>(), new ArrayList<>(), new TreeSet<>());
        if (text.isBlank()) {
            return found;
        }
        Tokens tokens = new Tokens(text);
        int start = 0;
        int at = 0;
        while (!tokens.isEnd(at)) {
            if (tokens.isSymbol(at, ',')) {
                found.item(tokens, start, at, kind, model, target, all);
                start = at + 1;
            }
            at = tokens.opens(at) ? tokens.afterClosing(at) : at + 1;
        }
        found.item(tokens, start, at, kind, model, target, all);
        return found;
    }

    private void item(
            Tokens tokens, int from, int to, Kind kind, TableModel model, String target, List<ColumnModel> all) {
        if (from >= to) {
            throw EvaluationException.rule(102, "Incorrect syntax near 'OUTPUT': name what it shows");
        }
        if (tokens.isSymbol(from, '$')) {
            action(tokens, from, to, kind);
            return;
        }
        boolean ofRow = isPseudo(tokens, from, INSERTED) || isPseudo(tokens, from, DELETED);
        boolean inserted = isPseudo(tokens, from, INSERTED);
        if (ofRow) {
            requireThere(inserted, kind);
        }
        if (ofRow && tokens.isSymbol(from + 2, '*') && to == from + 3) {
            for (ColumnModel each : all) {
                column(each, each.label(), inserted, target);
            }
            return;
        }
        if (ofRow && tokens.kind(from + 2).isName()) {
            int label = tokens.isWord(from + 3, "as") ? from + 4 : from + 3;
            boolean whole =
                    to == from + 3 || (to == label + 1 && tokens.kind(label).isName());
            if (whole) {
                ColumnModel column = column(model, tokens.content(from + 2));
                column(column, tokens.content(to - 1), inserted, target);
                return;
            }
        }
        expression(tokens, from, to, kind, model, target);
    }

    private void action(Tokens tokens, int from, int to, Kind kind) {
        int label = tokens.isWord(from + 2, "as") ? from + 3 : from + 2;
        boolean whole = to == from + 2 || (to == label + 1 && tokens.kind(label).isName());
        if (kind != Kind.MERGE || !tokens.isWord(from + 1, "action") || !whole) {
            throw new NotAssistedException(
                    "OUTPUT of " + text(tokens, from, to) + " is not served: $action stands alone, in a MERGE");
        }
        items.add(new Output.Action(to == from + 2 ? "$action" : tokens.content(label)));
    }

    private static void requireThere(boolean inserted, Kind kind) {
        boolean there = inserted ? kind != Kind.DELETE : kind != Kind.INSERT;
        if (!there) {
            String name = inserted ? INSERTED : DELETED;
            throw EvaluationException.rule(
                    4104,
                    "The multi-part identifier \"" + name + "\" could not be bound: " + kind
                            + " has no rows of that name");
        }
    }

    private void column(ColumnModel column, String label, boolean inserted, String target) {
        if (inserted) {
            items.add(new Output.Inserted(column.name(), label));
        } else {
            deleted.add(column.name().toLowerCase(Locale.ROOT));
            items.add(new Output.Evaluated());
            evaluated.add(target + "." + bracketed(column.name()) + " AS " + bracketed(label));
        }
    }

    private void expression(Tokens tokens, int from, int to, Kind kind, TableModel model, String target) {
        if (kind == Kind.INSERT) {
            throw new NotAssistedException("OUTPUT of " + text(tokens, from, to)
                    + " by INSERT ... SELECT is not served: name columns, as OUTPUT inserted.id");
        }
        StringBuilder written = new StringBuilder();
        for (int at = from; at < to; at++) {
            if (isPseudo(tokens, at, INSERTED)) {
                throw new NotAssistedException("OUTPUT of " + text(tokens, from, to)
                        + " is not served: show inserted." + tokens.content(at + 2)
                        + " alone, and calculate in the application");
            }
            written.append(at == from ? "" : tokens.text.substring(tokens.end(at - 1), tokens.start(at)));
            if (isPseudo(tokens, at, DELETED)) {
                requireThere(false, kind);
                deleted.add(column(model, tokens.content(at + 2)).name().toLowerCase(Locale.ROOT));
                written.append(target);
            } else {
                written.append(tokens.text(at));
            }
        }
        items.add(new Output.Evaluated());
        evaluated.add(written.toString());
    }

    private static boolean isPseudo(Tokens tokens, int at, String name) {
        return tokens.kind(at).isName()
                && tokens.content(at).equalsIgnoreCase(name)
                && tokens.isSymbol(at + 1, '.')
                && !tokens.isSymbol(at - 1, '.');
    }

    static ColumnModel column(TableModel model, String name) {
        return model.column(name)
                .orElseThrow(() -> new EvaluationException(
                        207,
                        "42S22",
                        "Invalid column name '" + SqlNames.plain(name) + "': the table " + model.qualified()
                                + " has no such column"));
    }

    static String bracketed(String name) {
        return "[" + name + "]";
    }

    private static String text(Tokens tokens, int from, int to) {
        return tokens.text.substring(tokens.start(from), tokens.end(to - 1));
    }
}
