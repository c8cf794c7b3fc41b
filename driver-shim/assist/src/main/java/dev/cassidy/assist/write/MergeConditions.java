package dev.cassidy.assist.write;

import dev.cassidy.assist.tree.MergeText;
import dev.cassidy.assist.tree.MergeText.Span;
import dev.cassidy.assist.tree.SqlNames;
import dev.cassidy.insert.Tokens;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Finds in ON of a MERGE which columns of the target are equal to columns of the source. */
final class MergeConditions {

    private MergeConditions() {}

    /** Two columns that are equal in each row for which ON is true; names without quotes. */
    record Equal(String target, String source) {}

    static List<Equal> of(MergeText merge) {
        List<Equal> found = new ArrayList<>();
        conjunction(merge, merge.on(), found);
        return found;
    }

    /** Reads the parts of an AND; those of an OR need not be true. */
    private static void conjunction(MergeText merge, Span condition, List<Equal> found) {
        Tokens tokens = merge.tokens();
        Span bare = bare(tokens, condition);
        List<Span> parts = new ArrayList<>();
        int start = bare.from();
        int at = bare.from();
        while (at < bare.to()) {
            if (tokens.isAnyWord(at, "or", "not", "case", "between")) {
                return;
            }
            if (tokens.isWord(at, "and")) {
                parts.add(new Span(start, at));
                start = at + 1;
            }
            at = tokens.opens(at) ? tokens.afterClosing(at) : at + 1;
        }
        parts.add(new Span(start, bare.to()));
        if (parts.size() > 1) {
            parts.forEach(part -> conjunction(merge, part, found));
            return;
        }
        equal(merge, bare, found);
    }

    private static void equal(MergeText merge, Span bare, List<Equal> found) {
        Tokens tokens = merge.tokens();
        int length = bare.to() - bare.from();
        if (length == 7
                && isColumn(tokens, bare.from())
                && tokens.isSymbol(bare.from() + 3, '=')
                && isColumn(tokens, bare.from() + 4)) {
            String target = SqlNames.plain(merge.alias());
            String source = SqlNames.plain(merge.source().alias());
            String left = SqlNames.plain(tokens.text(bare.from()));
            String right = SqlNames.plain(tokens.text(bare.from() + 4));
            if (left.equals(target) && right.equals(source)) {
                found.add(new Equal(tokens.content(bare.from() + 2), tokens.content(bare.from() + 6)));
            } else if (left.equals(source) && right.equals(target)) {
                found.add(new Equal(tokens.content(bare.from() + 6), tokens.content(bare.from() + 2)));
            }
        }
    }

    private static boolean isColumn(Tokens tokens, int at) {
        return tokens.kind(at).isName()
                && tokens.isSymbol(at + 1, '.')
                && tokens.kind(at + 2).isName();
    }

    private static Span bare(Tokens tokens, Span span) {
        Span bare = span;
        while (tokens.isSymbol(bare.from(), '(') && tokens.afterClosing(bare.from()) == bare.to()) {
            bare = new Span(bare.from() + 1, bare.to() - 1);
        }
        return bare;
    }

    /**
     * Returns the parameter or literal that an expression is, or a CAST of it; null if it is neither. A CAST to a string that changes nothing is
     * left out: rows are not found by it.
     */
    static @Nullable Span constant(Tokens tokens, Span value, List<@Nullable Object> parameters) {
        Span bare = bare(tokens, value);
        if (tokens.isWord(bare.from(), "cast")
                && tokens.isSymbol(bare.from() + 1, '(')
                && tokens.afterClosing(bare.from() + 1) == bare.to()) {
            int as = bare.from() + 2;
            while (as < bare.to() && !tokens.isWord(as, "as")) {
                as = tokens.opens(as) ? tokens.afterClosing(as) : as + 1;
            }
            Span inner = as < bare.to() ? constant(tokens, new Span(bare.from() + 2, as), parameters) : null;
            return inner == null || !tokens.isAnyWord(as + 1, "char", "varchar", "nchar", "nvarchar")
                    ? (inner == null ? null : bare)
                    : fits(tokens, inner, as + 1, parameters) ? inner : null;
        }
        return literal(tokens, bare);
    }

    /** Returns whether a string stays as it is as a string of a type. */
    private static boolean fits(Tokens tokens, Span value, int type, List<@Nullable Object> parameters) {
        Object given =
                switch (tokens.kind(value.from())) {
                    case MARKER -> parameters.get(tokens.markerIndex(value.from()));
                    case STRING, NATIONAL -> tokens.content(value.from());
                    default -> null;
                };
        if (!(given instanceof String text)) {
            return false;
        }
        if (tokens.isWord(type + 2, "max")) {
            return true;
        }
        String length = tokens.isSymbol(type + 1, '(') ? tokens.text(type + 2) : "30";
        return length.matches("[0-9]{1,4}") && text.length() <= Integer.parseInt(length);
    }

    private static @Nullable Span literal(Tokens tokens, Span bare) {
        int last = tokens.isSymbol(bare.from(), '-') ? bare.from() + 1 : bare.from();
        boolean one = last == bare.to() - 1;
        return switch (tokens.kind(last)) {
            case MARKER, STRING, NATIONAL -> one && last == bare.from() ? bare : null;
            case NUMBER -> one ? bare : null;
            default -> null;
        };
    }
}
