package dev.cassidy.assist.write;

import dev.cassidy.jdbc.assist.AssistedChange;
import dev.cassidy.jdbc.assist.TableModel;
import java.util.List;
import java.util.Objects;
import net.sf.jsqlparser.statement.select.Select;
import org.jspecify.annotations.Nullable;

/**
 * A statement that writes, as the SELECT of what it writes; see {@link AssistedChange}.
 *
 * @param key see there
 * @param compared see there
 * @param assigned see there
 * @param inserted see there
 * @param ofRows see there
 * @param tested see there
 * @param output see there
 * @param top see there
 * @param parameters for each {@code ?} of the SELECT the index of the statement's
 */
public record Change(
        TableModel target,
        AssistedChange.Kind kind,
        List<String> key,
        List<String> compared,
        List<String> assigned,
        List<String> inserted,
        List<String> ofRows,
        List<String> tested,
        List<AssistedChange.Output> output,
        @Nullable Long top,
        List<Integer> parameters,
        Select select) {

    public Change {
        Objects.requireNonNull(target, "target");
        Objects.requireNonNull(kind, "kind");
        key = List.copyOf(key);
        compared = List.copyOf(compared);
        assigned = List.copyOf(assigned);
        inserted = List.copyOf(inserted);
        ofRows = List.copyOf(ofRows);
        tested = List.copyOf(tested);
        output = List.copyOf(output);
        parameters = List.copyOf(parameters);
        Objects.requireNonNull(select, "select");
    }
}
