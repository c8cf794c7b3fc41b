package dev.cassidy.counter.store;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The name under which the holder of a slot writes increments: {@code datacenter~generation/slot}.
 *
 * @param home the datacenter and the beginning of the table's generation, so that tables that had one name have no actor in
 *     common
 */
public record Actor(String home, int slot) {

    private static final Pattern FORM = Pattern.compile("(.+)/(0|[1-9]\\d{0,8})");

    public Actor {
        if (slot < 0) {
            throw new IllegalArgumentException("must be >= 0: slot=" + slot);
        }
    }

    /** Reads what {@link #toString} wrote; empty for the name of an actor that has no slot. */
    public static Optional<Actor> of(String name) {
        Matcher matcher = FORM.matcher(name);
        return matcher.matches()
                ? Optional.of(new Actor(matcher.group(1), Integer.parseInt(matcher.group(2))))
                : Optional.empty();
    }

    @Override
    public String toString() {
        return home + "/" + slot;
    }
}
