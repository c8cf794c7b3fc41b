package dev.cassidy.migration;

import dev.cassidy.definition.TableDefinition;
import dev.cassidy.definition.UniqueKey;
import dev.cassidy.jdbc.run.UniqueDeclarations;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/**
 * A UNIQUE of a table whose values are reserved.
 *
 * @param written as {@code tables add-unique} takes it
 */
record KeptUnique(String written, UniqueKey key) {

    static List<KeptUnique> of(TableDefinition definition) {
        Iterator<UniqueKey> keys = definition.uniqueKeys().iterator();
        List<KeptUnique> kept = new ArrayList<>();
        definition.constraints().stream()
                .filter(each -> each.reserved() != null)
                .forEach(each -> kept.add(new KeptUnique(UniqueDeclarations.written(each), keys.next())));
        return kept;
    }
}
