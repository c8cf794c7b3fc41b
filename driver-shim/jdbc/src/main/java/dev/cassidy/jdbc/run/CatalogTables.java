package dev.cassidy.jdbc.run;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.metadata.schema.KeyspaceMetadata;
import com.datastax.oss.driver.api.core.metadata.schema.RelationMetadata;
import dev.cassidy.definition.CountMark;
import dev.cassidy.definition.Reservations;
import dev.cassidy.jdbc.session.SharedSession;
import dev.cassidy.jdbc.value.LikePattern;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The tables and views of a keyspace, which stands for a database with the schema dbo. */
record CatalogTables(SharedSession session) {

    private static final String DBO = "dbo";

    /** Returns the keyspace that a name of a schema or database stands for: of {@code dbo} and of none, the one in use. */
    Optional<KeyspaceMetadata> keyspace(@Nullable String named) {
        CqlIdentifier own = session.plain().getKeyspace().orElse(null);
        return session.plain().getMetadata().getKeyspaces().values().stream()
                .filter(keyspace -> (named == null || named.equalsIgnoreCase(DBO))
                        ? keyspace.getName().equals(own)
                        : keyspace.getName().asInternal().equalsIgnoreCase(named))
                .findFirst();
    }

    /**
     * Returns tables and views, in the order of their names.
     *
     * @param pattern of their names; null for all
     */
    List<CatalogTable> in(KeyspaceMetadata keyspace, @Nullable String pattern) throws SQLException {
        List<RelationMetadata> all = new ArrayList<>(keyspace.getTables().values());
        all.removeIf(table -> Reservations.isOne(table.getName().asInternal())
                || CountMark.isTable(table.getName().asInternal()));
        all.addAll(keyspace.getViews().values());
        all.sort(Comparator.comparing(relation -> relation.getName().asInternal()));
        List<CatalogTable> found = new ArrayList<>();
        for (RelationMetadata relation :
                LikePattern.matching(all, pattern, each -> each.getName().asInternal())) {
            found.add(new CatalogTable(relation, session));
        }
        return found;
    }
}
