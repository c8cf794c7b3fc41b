package dev.cassidy.assist.eval;

import dev.cassidy.collation.Collation;
import dev.cassidy.jdbc.assist.SessionLanguage;
import java.time.ZoneId;
import org.jspecify.annotations.Nullable;

/**
 * The evaluation that a thread is in. H2 runs the functions in the thread of the statement, and gives them nothing but their
 * arguments.
 */
final class Running {

    /** H2's own limit, whose error is that of a number with too many digits. */
    private static final int LONGEST = 1_048_576;

    private static final ThreadLocal<Running> CURRENT = new ThreadLocal<>();

    private final @Nullable Collation collation;
    private final SessionLanguage language;
    private final ZoneId zone;
    private final Limits limits;
    private long rows;
    private long characters;

    private Running(@Nullable Collation collation, SessionLanguage language, ZoneId zone, Limits limits) {
        this.collation = collation;
        this.language = language;
        this.zone = zone;
        this.limits = limits;
    }

    /** Begins an evaluation in this thread. */
    static void begin(@Nullable Collation collation, SessionLanguage language, ZoneId zone, Limits limits) {
        CURRENT.set(new Running(collation, language, zone, limits));
    }

    /** Ends the evaluation in this thread. */
    static void end() {
        CURRENT.remove();
    }

    static Running current() {
        Running running = CURRENT.get();
        if (running == null) {
            throw new IllegalStateException("must be within an evaluation");
        }
        return running;
    }

    /** Returns by what strings are compared; null if by their codes. */
    @Nullable
    Collation collation() {
        return collation;
    }

    /** Returns how the session reads and shows dates. */
    SessionLanguage language() {
        return language;
    }

    /** Refuses what is written with the names of months and days, unless these are English. */
    void requireEnglish(String what) {
        if (language.names() == SessionLanguage.Names.OTHER) {
            throw new NotEvaluatedException(
                    what,
                    "only English names are known, and SET LANGUAGE has chosen others",
                    "SET LANGUAGE us_english");
        }
    }

    /** Returns the zone of whose clocks the statement sees the times. */
    ZoneId zone() {
        return zone;
    }

    void countRow() {
        if (++rows > limits.joinedRows()) {
            throw new NotEvaluatedException(
                    "The statement",
                    "it makes more than " + limits.joinedRows() + " rows",
                    "Join and filter by keys, so that fewer rows are read");
        }
    }

    /** Returns how many characters functions have made so far. */
    long characters() {
        return characters;
    }

    /** Counts a string before it is made. */
    void countCharacters(long made) {
        if (made > LONGEST) {
            throw new NotEvaluatedException(
                    "A string of more than " + LONGEST + " characters",
                    "H2 has none so long",
                    "Make the string in the application");
        }
        characters += made;
        if (characters > limits.characters()) {
            throw new NotEvaluatedException(
                    "The statement",
                    "its functions make more than " + limits.characters() + " characters",
                    "Make the strings in the application");
        }
    }
}
