package dev.cassidy.jdbc.session;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.metadata.Metadata;
import com.datastax.oss.driver.api.core.metadata.schema.KeyspaceMetadata;
import dev.cassidy.definition.CountMark;
import dev.cassidy.definition.Twin;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Whether any table has a twin, in its key or beside a column, as the driver sees the schema. Asked for every statement, and looked up once for each
 * view of the schema. Safe for use by many threads.
 */
final class SeenTwins {

    private final CqlSession session;

    /** The driver makes a new view for each change. */
    private volatile @Nullable Seen last;

    private static final CqlIdentifier COUNTED = CqlIdentifier.fromInternal(CountMark.COLUMN);

    private record Seen(Metadata schema, boolean any, boolean counted) {}

    SeenTwins(CqlSession session) {
        this.session = session;
    }

    boolean areNone() {
        return !seen().any;
    }

    /** Returns whether no table has columns that count. */
    boolean areNoneCounted() {
        return !seen().counted;
    }

    private Seen seen() {
        Metadata now = session.getMetadata();
        Seen seen = last;
        if (seen == null || seen.schema != now) {
            seen = new Seen(
                    now,
                    now.getKeyspaces().values().stream().anyMatch(SeenTwins::any),
                    now.getKeyspaces().values().stream()
                            .flatMap(keyspace -> keyspace.getTables().values().stream())
                            .anyMatch(table -> table.getColumn(COUNTED).isPresent()));
            last = seen;
        }
        return seen;
    }

    private static boolean any(KeyspaceMetadata keyspace) {
        return Stream.concat(keyspace.getTables().values().stream(), keyspace.getViews().values().stream())
                .flatMap(relation -> relation.getColumns().keySet().stream())
                .anyMatch(column -> Twin.isOne(column.asInternal()));
    }
}
