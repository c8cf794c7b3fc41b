package dev.cassidy.assist.tree;

import dev.cassidy.insert.Kind;
import dev.cassidy.insert.Tokens;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** Writes a statement from parts of another one, and remembers which parameters of that one it has. Not safe for use by many threads. */
public final class SpanBuilder {

    private final Tokens tokens;
    private final StringBuilder text = new StringBuilder();
    private final List<Integer> parameters = new ArrayList<>();

    public SpanBuilder(Tokens tokens) {
        this.tokens = tokens;
    }

    /** Adds text of which no {@code ?} is a parameter. */
    public SpanBuilder add(String part) {
        text.append(part);
        return this;
    }

    /** Adds a part of the other statement. */
    public SpanBuilder add(MergeText.Span part) {
        return add(part, Set.of(), "");
    }

    /**
     * Adds a part of the other statement.
     *
     * @param names columns, in small letters; where one of them stands without a table, it is one of {@code table}. Not in a subquery, whose
     *     own tables may have it
     */
    public SpanBuilder add(MergeText.Span part, Set<String> names, String table) {
        int afterSubquery = part.from();
        for (int at = part.from(); at < part.to(); at++) {
            if (tokens.opens(at) && tokens.isAnyWord(at + 1, "select", "with")) {
                afterSubquery = Math.max(afterSubquery, tokens.afterClosing(at));
            }
            if (at > part.from()) {
                int gap = tokens.end(at - 1);
                int next = tokens.start(at);
                text.append(tokens.text, gap, next);
            }
            if (tokens.kind(at) == Kind.MARKER) {
                parameters.add(tokens.markerIndex(at));
            }
            boolean bare = at >= afterSubquery
                    && !names.isEmpty()
                    && tokens.kind(at).isName()
                    && !(at > part.from() && tokens.isSymbol(at - 1, '.'))
                    && !(at > part.from() && tokens.isWord(at - 1, "as"))
                    && !isPartOfTime(at)
                    && !tokens.isSymbol(at + 1, '.')
                    && !tokens.isSymbol(at + 1, '(')
                    && names.contains(tokens.content(at).toLowerCase(Locale.ROOT));
            text.append(bare ? table + "." : "").append(tokens.text(at));
        }
        return this;
    }

    /** The {@code year} of {@code DATEPART(year, d)} and the {@code date} of {@code CONVERT(date, d)} are no columns. */
    private boolean isPartOfTime(int at) {
        return tokens.isSymbol(at - 1, '(')
                && tokens.isAnyWord(
                        at - 2,
                        "datepart",
                        "datename",
                        "dateadd",
                        "datediff",
                        "datediff_big",
                        "datetrunc",
                        "date_bucket",
                        "convert",
                        "try_convert");
    }

    /** Returns whether nothing was added. */
    public boolean isEmpty() {
        return text.length() == 0;
    }

    public String text() {
        return text.toString();
    }

    /** Returns for each {@code ?} that was added the index of the other statement's. */
    public List<Integer> parameters() {
        return List.copyOf(parameters);
    }
}
