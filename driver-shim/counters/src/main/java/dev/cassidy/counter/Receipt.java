package dev.cassidy.counter;

import dev.cassidy.counter.store.Actor;
import dev.cassidy.counter.store.Versions;
import java.util.Objects;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Names an increment for ever, so that its outcome can be asked for: after a time-out, after a crash, in another process.
 * Increments that were written as one row have the same receipt: all of them count, or none does.
 *
 * @param table the full name of the counters' table, as CQL writes it
 * @param generation of the table: one that is created later under the same name has another, and so has an emptied one
 * @param type the counter
 * @param actor who wrote it: datacenter, beginning of the generation, and slot
 * @param epoch the lease of the slot, from 1
 * @param number of the row within the epoch and the counter, from 1
 */
public record Receipt(String table, UUID generation, String type, String actor, int epoch, long number) {

    private static final Pattern FORM = Pattern.compile(
            "([1-9]\\d{0,9})\\.([1-9]\\d{0,9}):([^:]+/\\d{1,9}):([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}):([^:]+):(.+)",
            Pattern.DOTALL);

    public Receipt {
        Objects.requireNonNull(generation, "generation");
        if (table.isEmpty() || table.contains(":")) {
            throw new IllegalArgumentException("must be keyspace.table: table='" + table + "'");
        }
        CounterNames.require(type);
        if (Actor.of(actor).isEmpty()) {
            throw new IllegalArgumentException("must be datacenter~generation/slot: actor='" + actor + "'");
        }
        if (epoch < 1 || epoch > Versions.LAST_EPOCH) {
            throw new IllegalArgumentException("must be from 1 to " + Versions.LAST_EPOCH + ": epoch=" + epoch);
        }
        if (number < 1 || number > Versions.LAST_NUMBER) {
            throw new IllegalArgumentException("must be from 1 to " + Versions.LAST_NUMBER + ": number=" + number);
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
            throw new IllegalArgumentException(
                    "must be epoch.number:datacenter~generation/slot:generation:keyspace.table:type: receipt='" + text
                            + "'");
        }
        long epoch = Long.parseLong(matcher.group(1));
        if (epoch > Versions.LAST_EPOCH) {
            throw new IllegalArgumentException(
                    "must be from 1 to " + Versions.LAST_EPOCH + ": epoch=" + epoch + " of receipt='" + text + "'");
        }
        Receipt receipt = new Receipt(
                matcher.group(5),
                UUID.fromString(matcher.group(4)),
                matcher.group(6),
                matcher.group(3).replace("%3A", ":").replace("%25", "%"),
                (int) epoch,
                Long.parseLong(matcher.group(2)));
        if (!receipt.toString().equals(text)) {
            throw new IllegalArgumentException("must be written as " + receipt + ": receipt='" + text + "'");
        }
        return receipt;
    }

    /** Returns the version of the row that holds the increment: the epoch in the upper 32 bits, the number in the lower. */
    public long version() {
        return Versions.of(epoch, number);
    }

    /** Returns the receipt as a text to keep: {@code epoch.number:datacenter~generation/slot:generation:keyspace.table:type}. */
    @Override
    public String toString() {
        return epoch + "." + number + ":" + actor.replace("%", "%25").replace(":", "%3A") + ":" + generation + ":"
                + table + ":" + type;
    }
}
