package dev.cassidy.sequence.protocol;

import dev.cassidy.sequence.SequenceException;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The holder of claims: one instance of {@code Sequences}, written {@code pid@host/uuid}. The process's own name is not
 * enough: in containers it is {@code 1@web} for every process of one hostname, and for the successor of one that was
 * killed.
 *
 * @param process {@code pid@host}
 * @param instance a new one for each instance; empty for a holder that no instance is, such as {@code unknown}
 */
public record HolderName(String process, Optional<UUID> instance) {

    private static final Pattern WITH_INSTANCE =
            Pattern.compile("(.*)/([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})");

    /** Reads what {@link #toString} wrote; any other text has no instance. */
    public static HolderName of(String text) {
        Matcher matcher = WITH_INSTANCE.matcher(text);
        return matcher.matches()
                ? new HolderName(matcher.group(1), Optional.of(UUID.fromString(matcher.group(2))))
                : new HolderName(text, Optional.empty());
    }

    /**
     * Finds the one holder that an operator means.
     *
     * @param asked the whole name; or {@code pid@host} alone, if exactly one holder has it
     * @param borne the names of all holders
     * @return the whole name; empty if no holder has it
     * @throws SequenceException.Conflict if several have it
     */
    static Optional<String> find(String asked, Collection<String> borne) {
        if (of(asked).instance().isPresent()) {
            return borne.contains(asked) ? Optional.of(asked) : Optional.empty();
        }
        List<String> bearers = borne.stream()
                .distinct()
                .filter(each -> of(each).process().equals(asked))
                .sorted()
                .toList();
        if (bearers.size() > 1) {
            throw new SequenceException.Conflict(
                    "must name one holder: '" + asked + "' stands for " + bearers + "; name one of them");
        }
        return bearers.stream().findFirst();
    }

    @Override
    public String toString() {
        return process + instance.map(id -> "/" + id).orElse("");
    }
}
