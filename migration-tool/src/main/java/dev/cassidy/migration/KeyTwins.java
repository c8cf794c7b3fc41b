package dev.cassidy.migration;

import com.datastax.oss.driver.api.core.metadata.schema.TableMetadata;
import dev.cassidy.definition.TableDefinition;
import dev.cassidy.definition.Twin;
import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.migration.error.MigrationException;
import dev.cassidy.migration.target.Target;
import dev.cassidy.migration.target.TargetTable;
import dev.cassidy.sequence.cassandra.InternalAccess;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** By which collations the key of a table of Cassandra is compared, as its contract says. */
final class KeyTwins {

    private KeyTwins() {}

    /**
     * Returns what stands in the key in place of columns, by their internal names. Reads the contract only if anything does.
     *
     * @throws MigrationException {@link ExitCode#REFUSED} if the contract does not say it of all of them, or this release does not have
     *     the characters that they were made with
     */
    static Map<String, Twin> of(Target target, TargetTable table, TableMetadata found) {
        Set<String> stored = found.getPrimaryKey().stream()
                .map(column -> column.getName().asInternal())
                .filter(Twin::isOne)
                .map(Twin::original)
                .collect(Collectors.toCollection(TreeSet::new));
        if (stored.isEmpty()) {
            return Map.of();
        }
        TableDefinition definition = InternalAccess.tables(target.sequences())
                .contract(table.keyspace(), table.table())
                .definition();
        Map<String, Twin> declared =
                definition == null || !definition.isOf(found.getId().orElse(null)) ? Map.of() : definition.twinsOfKey();
        if (!declared.keySet().containsAll(stored)) {
            stored.removeAll(declared.keySet());
            throw new MigrationException(
                    ExitCode.REFUSED,
                    "the key of " + table.sequence() + " has " + stored + " as their collations compare them, and which"
                            + " collations these are is not declared in the installation of keyspace "
                            + target.sequences().config().globalKeyspace()
                            + ": declare it by cassidy migrate schema --apply, which also creates it, or give"
                            + " --global-keyspace");
        }
        for (Twin twin : declared.values()) {
            try {
                String unused = twin.fold("");
            } catch (IllegalArgumentException e) {
                throw new MigrationException(
                        ExitCode.REFUSED,
                        "the key of " + table.sequence()
                                + " is compared by a collation that this release does not know: " + e.getMessage(),
                        e);
            }
        }
        return declared;
    }
}
