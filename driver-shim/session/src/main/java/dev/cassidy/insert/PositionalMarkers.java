package dev.cassidy.insert;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A CQL statement with {@code ?} in place of each named marker. Immutable.
 *
 * @param names for each {@code ?} the internal name that it had; null if it had none
 */
public record PositionalMarkers(String text, List<@Nullable String> names) {

    /** Replaces the named markers of a statement. */
    public static PositionalMarkers of(String cql) {
        Scanner scanner = new Scanner(cql, Scanner.Language.CQL);
        StringBuilder text = new StringBuilder();
        List<@Nullable String> names = new ArrayList<>();
        int copied = 0;
        for (Kind kind = scanner.next(); kind != Kind.END && kind != Kind.UNTERMINATED; kind = scanner.next()) {
            if (kind == Kind.NAMED_MARKER) {
                text.append(cql, copied, scanner.start()).append('?');
                copied = scanner.end();
                names.add(scanner.markerName());
            } else if (kind == Kind.MARKER) {
                names.add(null);
            }
        }
        return new PositionalMarkers(text.append(cql, copied, cql.length()).toString(), names);
    }
}
