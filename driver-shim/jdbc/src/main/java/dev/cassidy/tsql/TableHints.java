package dev.cassidy.tsql;

import dev.cassidy.insert.Kind;
import dev.cassidy.insert.Tokens;
import dev.cassidy.insert.UnsupportedSqlException;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds T-SQL's hints, which Cassandra does not know. Those that change how rows are found, and not which, may be left
 * out. Those that lock the rows of a SELECT are told to who runs it: at the commit, the rows must be as they were read. Those that
 * lock tables, or skip the rows that others have locked while they lock others, are refused: without them two transactions would both go on,
 * and nobody would be told.
 */
final class TableHints {

    private static final Set<String> WITHOUT_EFFECT = Set.of(
            "forcescan",
            "forceseek",
            "ignore_constraints",
            "ignore_triggers",
            "index",
            "keepdefaults",
            "keepidentity",
            "noexpand",
            "nolock",
            "nowait",
            "paglock",
            "readcommitted",
            "readcommittedlock",
            "readuncommitted",
            "rowlock",
            "snapshot");

    /** Changes nothing of a SELECT or INSERT, and locks the table of an UPDATE or DELETE until the transaction ends. */
    private static final String TABLE_LOCK = "tablock";

    /**
     * Skips rows that others lock. Without a lock of its own, a SELECT says by that that it does not wait, and no SELECT waits for a row
     * that another one writes: it shows the row as it is committed.
     */
    private static final String SKIPS = "readpast";

    private static final Set<String> EXCLUSIVE = Set.of(SKIPS, "tablockx");

    /** Lock the rows that a SELECT finds. What UPDATE and DELETE find is theirs anyway. */
    private static final Set<String> LOCKING = Set.of("repeatableread", "updlock", "xlock");

    /** Are held by one transaction alone. */
    private static final Set<String> LOCKING_ALONE = Set.of("updlock", "xlock");

    /** Keep others, too, from inserting rows that the SELECT would find. */
    private static final Set<String> LOCKING_RANGES = Set.of("holdlock", "serializable");

    /** What T-SQL takes without WITH; other hints may be names of columns. */
    private static final Set<String> SHORT = Set.of(
            "nolock",
            "readuncommitted",
            "rowlock",
            "paglock",
            "tablock",
            "tablockx",
            "updlock",
            "xlock",
            "holdlock",
            "readpast",
            "repeatableread",
            "serializable");

    private final Tokens tokens;

    /** Where {@link #SKIPS} is left out. */
    private int readingFrom;

    private int readingTo;

    TableHints(Tokens tokens) {
        this.tokens = tokens;
    }

    /** Says that between two tokens stands a SELECT that locks nothing. */
    void reads(int from, int to) {
        readingFrom = from;
        readingTo = to;
    }

    /** Returns whether {@code (hint ...)} begins here, as T-SQL also takes it without WITH. */
    boolean begin(int open) {
        return tokens.isSymbol(open, '(') && isHint(open + 1);
    }

    /** Returns the token after {@code [WITH] (hint, ...)}; {@code at} if none stands there. */
    int after(int at, int to) {
        int open = tokens.isWord(at, "with") ? at + 1 : at;
        int after = begin(open) ? end(open, to) : -1;
        return after < 0 ? at : after;
    }

    private boolean isHint(int token) {
        String word = word(token);
        return WITHOUT_EFFECT.contains(word)
                || EXCLUSIVE.contains(word)
                || LOCKING.contains(word)
                || LOCKING_RANGES.contains(word)
                || word.equals(TABLE_LOCK);
    }

    /** Returns what the hints of a SELECT lock; null if that is nothing. */
    Guard.@Nullable Locks locks(int select, int end) {
        boolean locks = false;
        boolean ranges = false;
        boolean exclusive = false;
        for (int open = select; open < end; open++) {
            if (!begin(open)) {
                continue;
            }
            for (int hint = open + 1; hint < end && !tokens.isSymbol(hint, ')'); hint = afterHint(hint)) {
                String word = word(hint);
                locks |= LOCKING.contains(word) || LOCKING_RANGES.contains(word);
                ranges |= LOCKING_RANGES.contains(word);
                exclusive |= LOCKING_ALONE.contains(word);
            }
        }
        return locks ? new Guard.Locks(ranges, exclusive) : null;
    }

    /** Returns the first hint of a SELECT that locks something; empty without one. */
    String locking(int select, int end) {
        for (int open = select; open < end; open++) {
            if (begin(open)) {
                for (int hint = open + 1; hint < end && !tokens.isSymbol(hint, ')'); hint = afterHint(hint)) {
                    if (isLocking(word(hint)) && !word(hint).equals(SKIPS)) {
                        return word(hint).toUpperCase(Locale.ROOT);
                    }
                }
            }
        }
        return "";
    }

    /**
     * Returns a SELECT without hints that change nothing, each replaced by blanks; null if one of its hints locks.
     */
    @Nullable
    String withoutHints(int verb, int end) {
        return withoutHints(verb, end, end, locks(verb, end) == null ? Set.of(SKIPS) : Set.of());
    }

    /**
     * As {@link #withoutHints(int, int)}, of a statement that writes. Hints that lock the rows of its own table are left out, and READPAST:
     * a row that two find is written by one, and the other begins again or is told at its commit.
     *
     * @param from the first token of the statement, before its verb if it has common table expressions
     */
    @Nullable
    String withoutHintsOfWrite(int from, int verb, int end) {
        if (tokens.isWord(verb, "insert")) {
            // It reads as a SELECT does.
            return withoutHints(from, end);
        }
        Set<String> left = new HashSet<>(LOCKING);
        left.add(SKIPS);
        if (tokens.isWord(verb, "merge")) {
            // A row that another one inserts meanwhile ends it, and it begins again.
            left.addAll(LOCKING_RANGES);
            int using = verb;
            while (using < end && !tokens.isWord(using, "using")) {
                using++;
            }
            return withoutHints(from, end, using, left);
        }
        return withoutHints(from, end, isOfOneTable(from, verb, end) ? end : from, left);
    }

    /** Returns whether a statement reads one table alone, which is the one that it writes: what is locked are the rows that it writes. */
    private boolean isOfOneTable(int from, int verb, int end) {
        int selects = 0;
        for (int token = from; token < end; token++) {
            selects += tokens.isWord(token, "select") ? 1 : 0;
            if (tokens.isAnyWord(token, "join", "apply") || (tokens.isWord(token, "from") && hasComma(token, end))) {
                return false;
            }
        }
        boolean top = tokens.isWord(verb + 1, "top") && tokens.isSymbol(verb + 2, '(');
        int at = top ? tokens.afterClosing(verb + 2) : verb + 1;
        at = tokens.isWord(at, "from") ? at + 1 : at;
        int target = lastPart(at);
        int source = target + 1;
        while (source < end && !tokens.isWord(source, "from")) {
            source = tokens.opens(source) ? tokens.afterClosing(source) : source + 1;
        }
        boolean subquery = source < end && tokens.isSymbol(source + 1, '(');
        boolean same = source >= end || isShown(target, source + 1);
        boolean with = from < verb;
        if (with) {
            boolean read = source >= end || isSame(from + 1, lastPart(source + 1));
            return same && selects == 1 && !subquery && read && (source < end || isSame(from + 1, target));
        }
        return same && selects == (subquery ? 1 : 0) && tokens.isAnyWord(verb, "update", "delete");
    }

    /** Returns the last token of {@code a.b.c}. */
    private int lastPart(int first) {
        int at = first;
        while (tokens.isSymbol(at + 1, '.')) {
            at += tokens.isSymbol(at + 2, '.') ? 3 : 2;
        }
        return at;
    }

    /** Returns whether a name is that of the table or subquery at a token, or its alias. */
    private boolean isShown(int name, int source) {
        int last = tokens.isSymbol(source, '(') ? tokens.afterClosing(source) - 1 : lastPart(source);
        int alias = tokens.isWord(last + 1, "as") ? last + 2 : last + 1;
        return isSame(name, last) || isSame(name, alias);
    }

    private boolean isSame(int name, int other) {
        return tokens.kind(name).isName()
                && tokens.kind(other).isName()
                && tokens.content(name).equalsIgnoreCase(tokens.content(other));
    }

    /** Returns whether FROM names several tables with commas between them. */
    private boolean hasComma(int from, int end) {
        int token = from + 1;
        while (token < end && !tokens.closes(token) && !tokens.isAnyWord(token, "where", "order", "option")) {
            if (tokens.isSymbol(token, ',')) {
                return true;
            }
            token = tokens.opens(token) ? tokens.afterClosing(token) : token + 1;
        }
        return false;
    }

    /** @param left the hints that are left out, too, before the token {@code until} */
    private @Nullable String withoutHints(int verb, int end, int until, Set<String> left) {
        int from = tokens.start(verb);
        StringBuilder text = new StringBuilder(tokens.text.substring(from, tokens.end(end - 1)));
        for (int open = verb + 1; open < end; open++) {
            boolean with = tokens.isWord(open - 1, "with");
            if (tokens.isSymbol(open, '(') && isOption(open - 1)) {
                for (int token = open; token < end; token++) {
                    if (isLocking(word(token))) {
                        return null;
                    }
                }
            } else if (begin(open) && (with || SHORT.contains(word(open + 1)))) {
                int close = open + 1;
                while (close < end && !tokens.isSymbol(close, ')')) {
                    boolean locks = isLocking(word(close)) && !(close < until && left.contains(word(close)));
                    if (locks || (!isHint(close) && !tokens.isSymbol(close, ','))) {
                        return null;
                    }
                    close = afterHint(close);
                }
                if (close >= end) {
                    return null;
                }
                for (int at = tokens.start(with ? open - 1 : open); at < tokens.end(close); at++) {
                    text.setCharAt(at - from, ' ');
                }
                open = close;
            }
        }
        return text.toString();
    }

    private static boolean isLocking(String word) {
        return LOCKING.contains(word)
                || LOCKING_RANGES.contains(word)
                || EXCLUSIVE.contains(word)
                || word.equals(TABLE_LOCK);
    }

    private String word(int token) {
        return tokens.kind(token) == Kind.WORD ? tokens.text(token).toLowerCase(Locale.ROOT) : "";
    }

    /** Returns the token after {@code (hint, ...)}; -1 if that is not before {@code to}. */
    int end(int open, int to) {
        int token = open + 1;
        while (token < to && !tokens.isSymbol(token, ')')) {
            if (!isHint(token) && !tokens.isSymbol(token, ',')) {
                throw new UnsupportedSqlException("WITH (" + tokens.text(token) + " ...)", "leave it out");
            }
            refuseExclusive(token);
            token = afterHint(token);
        }
        return token < to ? token + 1 : -1;
    }

    /** Returns the token after a hint: after {@code INDEX (a, b)}, {@code INDEX = a} and {@code FORCESEEK (a (b))}, too. */
    private int afterHint(int token) {
        int after = token + 1;
        if (tokens.isAnyWord(token, "index", "forceseek")) {
            after += tokens.isSymbol(after, '=') ? 1 : 0;
            if (tokens.isSymbol(after, '(')) {
                return tokens.afterClosing(after);
            }
            return after > token + 1 ? after + 1 : after;
        }
        return after;
    }

    private void refuseExclusive(int token) {
        boolean left = word(token).equals(SKIPS) && token >= readingFrom && token < readingTo;
        if (EXCLUSIVE.contains(word(token)) && !left) {
            throw exclusive(token);
        }
    }

    /** Refuses the lock of a whole table in an UPDATE or DELETE. */
    void refuseTableLock(int verb, int end) {
        for (int token = verb; token < end; token++) {
            if (tokens.isWord(token, "with") && begin(token + 1)) {
                for (int hint = token + 2; hint < end && !tokens.isSymbol(hint, ')'); hint = afterHint(hint)) {
                    if (tokens.isWord(hint, TABLE_LOCK)) {
                        throw exclusive(hint);
                    }
                }
            }
        }
    }

    private UnsupportedSqlException exclusive(int token) {
        return new UnsupportedSqlException(
                "the hint " + tokens.text(token).toUpperCase(Locale.ROOT),
                "Cassandra locks no rows, so two connections would both go on. Instead of a lock, make the write"
                        + " conditional: UPDATE ... WHERE <key> = ? IF <column> = <the value that was read>; its update"
                        + " count is 0 if another connection came first. Draw numbers with NEXT VALUE FOR a sequence");
    }

    /**
     * Returns the token {@code OPTION} of {@code OPTION (hint, ...)} at the end of a statement, which tells SQL Server how
     * to plan it; {@code end} if there is none.
     */
    int option(int verb, int end) {
        int open = opening(verb, end - 1);
        if (open <= verb || !isOption(open - 1)) {
            return end;
        }
        refuseWithin(open, end);
        return open - 1;
    }

    /** Returns the bracket that the last token closes; -1 if it closes none behind {@code verb}. */
    private int opening(int verb, int last) {
        int depth = 0;
        for (int token = last; token > verb; token--) {
            depth += tokens.closes(token) ? 1 : tokens.opens(token) ? -1 : 0;
            if (depth == 0) {
                return tokens.isSymbol(token, '(') ? token : -1;
            }
        }
        return -1;
    }

    /** Returns whether {@code OPTION (} stands where a statement could end. */
    boolean isOption(int token) {
        return tokens.isWord(token, "option") && tokens.isSymbol(token + 1, '(') && Words.endsTerm(tokens, token - 1);
    }

    /** Returns the token after {@code OPTION (hint, ...)}. */
    int afterOption(int option) {
        int end = tokens.afterClosing(option + 1);
        refuseWithin(option + 1, end);
        return end;
    }

    /** {@code OPTION (TABLE HINT (t, UPDLOCK))} is the hint of a table. */
    private void refuseWithin(int open, int end) {
        for (int token = open; token < end; token++) {
            refuseExclusive(token);
            if (tokens.isWord(token, TABLE_LOCK)
                    || LOCKING.contains(word(token))
                    || LOCKING_RANGES.contains(word(token))) {
                throw exclusive(token);
            }
        }
    }
}
