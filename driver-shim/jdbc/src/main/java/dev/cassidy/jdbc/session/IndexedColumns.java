package dev.cassidy.jdbc.session;

import com.datastax.oss.driver.api.core.metadata.schema.IndexMetadata;
import com.datastax.oss.driver.api.core.metadata.schema.RelationMetadata;
import com.datastax.oss.driver.api.core.metadata.schema.TableMetadata;
import dev.cassidy.insert.Identifiers;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.stream.Collectors;

/** The columns that have an index, as the driver sees the schema. */
final class IndexedColumns {

    private IndexedColumns() {}

    static Set<String> of(RelationMetadata relation) {
        if (!(relation instanceof TableMetadata table)) {
            return Set.of();
        }
        Set<String> targets = table.getIndexes().values().stream()
                .map(IndexMetadata::getTarget)
                // Of a collection, its values, keys or entries are indexed.
                .map(target -> target.replaceFirst("^(?:values|keys|entries|full)\\((.*)\\)$", "$1"))
                .map(Identifiers::toInternal)
                .collect(Collectors.toSet());
        Set<String> indexed = new LinkedHashSet<>(targets);
        // The target of an index on a name that is not in lower case may be without its quotes.
        table.getIndexes().values().forEach(index -> indexed.add(index.getTarget()));
        return indexed;
    }
}
