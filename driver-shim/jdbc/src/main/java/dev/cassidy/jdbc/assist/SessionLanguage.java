package dev.cassidy.jdbc.assist;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How a session reads and shows dates, as SET DATEFORMAT, SET DATEFIRST and SET LANGUAGE say it.
 *
 * @param order in which order the parts of {@code 1/2/2024} are; null if nobody has said so, and such a date is refused
 * @param names the language of months, of days and of FORMAT
 * @param firstDay the first day of a week, 1 is Monday and 7 Sunday; 0 if it is not known
 */
public record SessionLanguage(@Nullable Order order, Names names, int firstDay) {

    /** SQL Server's first day of a week in us_english. */
    public static final int SUNDAY = 7;

    /** An order of the parts of a date. */
    public enum Order {
        MDY,
        DMY,
        YMD
    }

    /** Languages, as far as they differ here. */
    public enum Names {
        US_ENGLISH,
        /** Its months are those of us_english; what FORMAT writes without a culture is not. */
        BRITISH,
        OTHER
    }

    public SessionLanguage {
        Objects.requireNonNull(names, "names");
        if (firstDay < 0 || firstDay > SUNDAY) {
            throw new IllegalArgumentException("must be from 0 to 7: firstDay=" + firstDay);
        }
    }

    /** Returns that of a session that has told nothing: us_english, but for the order of dates. */
    public static SessionLanguage unset() {
        return new SessionLanguage(null, Names.US_ENGLISH, SUNDAY);
    }

    /** Returns the same with an order. */
    public SessionLanguage withOrder(@Nullable Order given) {
        return new SessionLanguage(given, names, firstDay);
    }

    /** Returns the same with names. */
    public SessionLanguage withNames(Names given) {
        return new SessionLanguage(order, given, firstDay);
    }

    /** Returns the same with a first day of the week. */
    public SessionLanguage withFirstDay(int day) {
        return new SessionLanguage(order, names, day);
    }
}
