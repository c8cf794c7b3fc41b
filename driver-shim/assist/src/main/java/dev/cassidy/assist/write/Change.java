package dev.cassidy.assist.write;

import dev.cassidy.jdbc.assist.AssistedChange;
import dev.cassidy.jdbc.assist.TableModel;
import java.util.List;
import java.util.Objects;
import net.sf.jsqlparser.statement.select.Select;

/**
 * A statement that writes, as the SELECT of what it writes; see {@link AssistedChange}.
 *
 * @param key see there
 * @param compared see there
 * @param assigned see there
 */
public record Change(
        TableModel target,
        AssistedChange.Kind kind,
        List<String> key,
        List<String> compared,
        List<String> assigned,
        Select select) {

    public Change {
        Objects.requireNonNull(target, "target");
        Objects.requireNonNull(kind, "kind");
        key = List.copyOf(key);
        compared = List.copyOf(compared);
        assigned = List.copyOf(assigned);
        Objects.requireNonNull(select, "select");
    }
}
