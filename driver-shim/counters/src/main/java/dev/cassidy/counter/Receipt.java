package dev.cassidy.counter;

import dev.cassidy.counter.store.Actor;
import dev.cassidy.counter.store.Versions;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Names an increment for ever, so that its outcome can be asked for: after a time-out, after a crash, in another process.
 * Increments that were written as one row have the same receipt: all of them count, or none does.
 *
 * @param type the counter
 * @param actor who wrote it: datacenter and slot
 * @param version the version of the row that holds it
 */
public record Receipt(String type, String actor, long version) {

    private static final Pattern FORM = Pattern.compile("(\\d{1,19}):(.+?/\\d{1,9}):(.*)", Pattern.DOTALL);

    public Receipt {
        if (Actor.of(actor).isEmpty()) {
            throw new IllegalArgumentException("must be datacenter/slot: actor='" + actor + "'");
        }
        if (!Versions.isIncrement(version)) {
            throw new IllegalArgumentException("is no version of an increment: version=" + version);
        }
    }

    /**
     * Reads what {@link #toString} wrote.
     *
     * @throws IllegalArgumentException if the text has another form
     */
    public static Receipt parse(String text) {
        Matcher matcher = FORM.matcher(text);
        if (!matcher.matches()) {
            throw new IllegalArgumentException("must be version:datacenter/slot:type: receipt='" + text + "'");
        }
        return new Receipt(matcher.group(3), matcher.group(2), Long.parseLong(matcher.group(1)));
    }

    /** Returns the receipt as a text to keep: {@code version:datacenter/slot:type}. */
    @Override
    public String toString() {
        return version + ":" + actor + ":" + type;
    }
}
