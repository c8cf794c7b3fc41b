package dev.cassidy.jdbc.session;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.metadata.Metadata;
import com.datastax.oss.driver.api.core.metadata.schema.KeyspaceMetadata;
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

    private record Seen(Metadata schema, boolean any) {}

    SeenTwins(CqlSession session) {
        this.session = session;
    }

    boolean areNone() {
        Metadata now = session.getMetadata();
        Seen seen = last;
        if (seen == null || seen.schema != now) {
            seen = new Seen(now, now.getKeyspaces().values().stream().anyMatch(SeenTwins::any));
            last = seen;
        }
        return !seen.any;
    }

    private static boolean any(KeyspaceMetadata keyspace) {
        return Stream.concat(keyspace.getTables().values().stream(), keyspace.getViews().values().stream())
                .flatMap(relation -> relation.getColumns().keySet().stream())
                .anyMatch(column -> Twin.isOne(column.asInternal()));
    }
}
