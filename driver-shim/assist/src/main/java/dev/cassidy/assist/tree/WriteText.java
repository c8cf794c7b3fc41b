package dev.cassidy.assist.tree;

import dev.cassidy.insert.Kind;
import dev.cassidy.insert.OutputSpan;
import dev.cassidy.insert.Tokens;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import net.sf.jsqlparser.statement.Statement;
import org.jspecify.annotations.Nullable;

/** A statement that writes, as it is read: what JSqlParser does not know of it stands apart. */
public sealed interface WriteText permits WriteText.Tree, MergeText {

    /** Returns the whole statement as it is written. */
    String written();

    /** Returns what TOP says; null without TOP. */
    @Nullable
    Top top();

    /** Returns what OUTPUT shows, without that word; empty without OUTPUT. */
    String output();

    /**
     * TOP of a write.
     *
     * @param number if it is written
     * @param parameter the index of the statement's parameter that says it; -1 if it is written
     */
    record Top(@Nullable Long number, int parameter) {

        /** Reads {@code TOP (n)} at a token; returns null if something else stands there, such as PERCENT. */
        static @Nullable Top at(Tokens tokens, int token) {
            boolean bracket = tokens.isSymbol(token + 1, '(');
            int value = bracket ? token + 2 : token + 1;
            int after = end(tokens, token);
            if ((bracket && !tokens.isSymbol(value + 1, ')')) || tokens.isAnyWord(after, "percent", "with")) {
                return null;
            }
            if (tokens.kind(value) == Kind.MARKER) {
                return new Top(null, tokens.markerIndex(value));
            }
            String text = tokens.text(value);
            return tokens.kind(value) == Kind.NUMBER && text.matches("[0-9]{1,18}")
                    ? new Top(Long.parseLong(text), -1)
                    : null;
        }

        /** Returns whether TOP begins at a token, and is no name. */
        static boolean begins(Tokens tokens, int token) {
            return tokens.isWord(token, "top")
                    && (tokens.isSymbol(token + 1, '(') || tokens.kind(token + 1) == Kind.NUMBER);
        }

        /** Returns the token behind a TOP that {@link #at} reads. */
        static int end(Tokens tokens, int token) {
            return tokens.isSymbol(token + 1, '(') ? tokens.afterClosing(token + 1) : token + 2;
        }
    }

    /**
     * An UPDATE, DELETE or INSERT of a SELECT.
     *
     * @param tree without TOP and OUTPUT; it must not be changed
     * @param deletes whether the tree is an UPDATE and the statement a DELETE: JSqlParser reads no DELETE from a subquery
     * @param parameters for each {@code ?} of the tree the index of the statement's
     */
    record Tree(
            String written,
            Statement tree,
            boolean deletes,
            List<Integer> parameters,
            @Nullable Top top,
            String output) implements WriteText {
        public Tree {
            parameters = List.copyOf(parameters);
        }
    }

    /**
     * An UPDATE, DELETE or INSERT as JSqlParser reads it.
     *
     * @param text the statement without TOP and OUTPUT; a SELECT stands for VALUES
     * @param rows how many rows of VALUES that SELECT stands for; 0 if the statement has none
     * @param parameters for each {@code ?} of the text the index of the statement's
     */
    record Parts(
            String text,
            int rows,
            boolean deletes,
            List<Integer> parameters,
            @Nullable Top top,
            String output) {

        /** Returns the parts of a statement; empty if it has a clause that is not known, such as OUTPUT INTO. */
        static Optional<Parts> of(Tokens tokens) {
            int verb = verb(tokens);
            if (verb < 0 || !tokens.isAnyWord(verb, "update", "delete", "insert")) {
                return Optional.empty();
            }
            StringBuilder text = new StringBuilder(tokens.text);
            List<Integer> parameters =
                    new ArrayList<>(IntStream.range(0, tokens.markers()).boxed().toList());
            Top top = null;
            if (Top.begins(tokens, verb + 1)) {
                top = Top.at(tokens, verb + 1);
                if (top == null) {
                    return Optional.empty();
                }
                InsertedRows.blank(text, tokens.start(verb + 1), tokens.end(Top.end(tokens, verb + 1) - 1));
                parameters.remove((Object) top.parameter());
            }
            int end = tokens.size() - 1;
            int last = tokens.isWord(verb, "insert") ? Math.max(verb, source(tokens, verb)) : end;
            OutputSpan span = OutputSpan.find(tokens, verb + 1, last);
            String output = "";
            if (span != null) {
                if (span.isInto(tokens)) {
                    return Optional.empty();
                }
                for (int at = span.from(); at < span.to(); at++) {
                    if (tokens.kind(at) == Kind.MARKER) {
                        return Optional.empty();
                    }
                }
                output = tokens.text.substring(tokens.end(span.from()), tokens.end(span.to() - 1));
                InsertedRows.blank(text, tokens.start(span.from()), tokens.end(span.to() - 1));
            }
            int source = tokens.isWord(verb, "insert") ? source(tokens, verb) : -1;
            int rows = 0;
            if (source >= 0 && tokens.isWord(source, "values")) {
                InsertedRows values = InsertedRows.of(tokens, verb, source, span == null ? source : span.from());
                if (values == null) {
                    return Optional.empty();
                }
                values.select(text);
                rows = values.rows().size();
            }
            if (tokens.isWord(verb, "insert") && verb > 0) {
                // JSqlParser takes WITH behind the columns; T-SQL has it before INSERT.
                if (source < 0) {
                    return Optional.empty();
                }
                String with = text.substring(0, tokens.start(verb));
                text.insert(tokens.start(source), with).delete(0, tokens.start(verb));
            }
            boolean deletes = tokens.isWord(verb, "delete") && isFromSubquery(tokens, verb);
            if (deletes) {
                int from = from(tokens, verb);
                text.insert(tokens.start(from), "SET cassidy_deleted = 1 ");
                text.replace(tokens.start(verb), tokens.end(verb), "UPDATE");
            }
            return Optional.of(new Parts(text.toString(), rows, deletes, parameters, top, output));
        }

        /** Returns the SELECT or VALUES that an INSERT writes; -1 without one. */
        private static int source(Tokens tokens, int insert) {
            int at = insert + 1;
            while (!tokens.isEnd(at) && !tokens.isWord(at, "select") && !InsertedRows.begin(tokens, at)) {
                at = tokens.opens(at) ? tokens.afterClosing(at) : at + 1;
            }
            return tokens.isEnd(at) ? -1 : at;
        }

        private static int from(Tokens tokens, int verb) {
            int at = verb + 1;
            while (!tokens.isEnd(at) && !tokens.isWord(at, "from")) {
                at = tokens.opens(at) ? tokens.afterClosing(at) : at + 1;
            }
            return at;
        }

        /** Returns whether a DELETE names what it deletes before FROM, behind which a subquery stands first. */
        private static boolean isFromSubquery(Tokens tokens, int verb) {
            int from = from(tokens, verb);
            return from > verb + 1 && tokens.isSymbol(from + 1, '(') && tokens.isWord(from + 2, "select");
        }
    }

    /** Returns the verb of a statement, behind its common table expressions; -1 without one. */
    static int verb(Tokens tokens) {
        if (!tokens.isWord(0, "with")) {
            return 0;
        }
        int at = 1;
        while (!tokens.isEnd(at)) {
            if (tokens.isAnyWord(at, "update", "delete", "insert", "merge", "select")) {
                return at;
            }
            at = tokens.opens(at) ? tokens.afterClosing(at) : at + 1;
        }
        return -1;
    }
}
