package dev.cassidy.migration;

import com.datastax.oss.driver.api.core.metadata.schema.TableMetadata;
import dev.cassidy.definition.TableDefinition;
import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.migration.error.MigrationException;
import dev.cassidy.migration.target.Target;
import dev.cassidy.migration.target.TargetTable;
import dev.cassidy.remedy.CommandLines;
import dev.cassidy.remedy.Remedy;
import dev.cassidy.sequence.cassandra.InternalAccess;
import dev.cassidy.table.TableContract;
import dev.cassidy.table.TableRegistry;

/**
 * A table whose contract a command is about to change.
 *
 * @param contract read before the table: it comes before its table
 * @param found the table that exists
 */
record ContractedTable(TableRegistry registry, TableContract contract, TableMetadata found) {

    /**
     * Reads both.
     *
     * @throws MigrationException {@link ExitCode#REFUSED} if the table does not exist, is one of Cassidy's own, or has a
     *     contract in another installation
     */
    static ContractedTable read(Target opened, TargetTable target) {
        opened.requireOfApplication(target);
        TableRegistry registry = InternalAccess.tables(opened.sequences());
        TableContract contract = registry.contract(target.keyspace(), target.table());
        requireOwn(opened, registry, target);
        TableMetadata found = Target.table(opened.schemaNow(), target.keyspace(), target.table())
                .orElseThrow(() -> new MigrationException(
                        ExitCode.REFUSED,
                        "table " + target.sequence() + " does not exist in Cassandra: create it first, by T-SQL if you"
                                + " can, which declares it too"));
        return new ContractedTable(registry, contract, found);
    }

    /**
     * Returns what is declared of the table's columns.
     *
     * @param lines for the command that declares them
     * @throws MigrationException {@link ExitCode#REFUSED} if nothing is
     */
    TableDefinition known(CommandLines lines) {
        TableDefinition known = contract.definition();
        if (known == null
                || known.columns().isEmpty()
                || !known.isOf(found.getId().orElseThrow())) {
            throw new MigrationException(
                    ExitCode.REFUSED,
                    "nothing is declared of the columns of table " + contract.name() + " that exists. "
                            + lines.tell(new Remedy.AdoptTable(contract.keyspace(), contract.table())));
        }
        return known;
    }

    private static void requireOwn(Target opened, TableRegistry registry, TargetTable target) {
        String own = opened.sequences().config().globalKeyspace();
        registry.ofAnother(target.keyspace(), target.table()).ifPresent(other -> {
            throw new MigrationException(
                    ExitCode.REFUSED,
                    "table " + target.sequence() + (other.numbers() ? " is numbered by" : " has its contract in")
                            + " the installation of keyspace " + other.installation() + ", and this is that of " + own
                            + ": run the command there, with --global-keyspace " + other.installation());
        });
    }
}
