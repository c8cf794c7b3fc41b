package dev.cassidy.migration;

import com.datastax.oss.driver.api.core.metadata.schema.TableMetadata;
import com.datastax.oss.driver.api.core.servererrors.UnauthorizedException;
import dev.cassidy.cluster.Grants;
import dev.cassidy.definition.Twin;
import dev.cassidy.definition.UniqueKey;
import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.migration.error.MigrationException;
import dev.cassidy.migration.rows.RowCheck;
import dev.cassidy.migration.rows.TwinCheck;
import dev.cassidy.migration.rows.UniqueCheck;
import dev.cassidy.migration.target.OpenTransactions;
import dev.cassidy.migration.target.Target;
import dev.cassidy.table.TableWrites;
import java.util.Map;
import picocli.CommandLine.Option;

/** How commands read the rows of tables of Cassandra. */
final class RowReading {

    @Option(
            names = "--readers",
            paramLabel = "N",
            defaultValue = "4",
            description = "How many pieces of a table are read at the same time: 1 to 64. Default: 4.")
    private int readers = 4;

    /** Refuses what is out of the range, before anything is connected to. */
    void require() {
        if (readers < 1 || readers > 64) {
            throw new MigrationException(ExitCode.USAGE, "must be from 1 to 64: --readers " + readers);
        }
    }

    RowCheck.Result check(Shell shell, Target opened, TableMetadata table, RowCheck.Rules rules) {
        String name = table.getKeyspace().asInternal() + "." + table.getName().asInternal();
        RowCheck check =
                new RowCheck(opened.session(), readers, Runtime.getRuntime().maxMemory() / 2, System::nanoTime);
        try (Progress.Bar bar = shell.bars().start("reading " + name, Progress.UNKNOWN, "rows")) {
            return check.check(table, rules, bar::step);
        } catch (UnauthorizedException e) {
            throw Grants.forbidden(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new MigrationException(ExitCode.INTERRUPTED, "interrupted while it read " + name, e);
        }
    }

    /** Holds rows and reservations against each other, and mends what differs if that is wanted. */
    UniqueCheck.Result check(
            Shell shell,
            Target opened,
            OpenTransactions transactions,
            TableMetadata table,
            TableWrites writes,
            UniqueKey key,
            boolean mends) {
        String name = writes.name() + " and " + key.reservations().table();
        try (Progress.Bar bar = shell.bars().start("reading " + name, Progress.UNKNOWN, "rows")) {
            return UniqueCheck.run(opened.session(), transactions, table, writes, key, readers, mends, bar::step);
        } catch (UnauthorizedException e) {
            throw Grants.forbidden(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new MigrationException(ExitCode.INTERRUPTED, "interrupted while it read " + name, e);
        }
    }

    /** Holds rows against the twins of columns, and mends those beside columns if that is wanted. */
    TwinCheck.Result check(
            Shell shell,
            Target opened,
            OpenTransactions transactions,
            TableMetadata table,
            TableWrites writes,
            Map<String, Twin> twins,
            boolean mends) {
        try (Progress.Bar bar = shell.bars().start("reading " + writes.name(), Progress.UNKNOWN, "rows")) {
            return TwinCheck.run(opened.session(), transactions, table, writes, twins, readers, mends, bar::step);
        } catch (UnauthorizedException e) {
            throw Grants.forbidden(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new MigrationException(ExitCode.INTERRUPTED, "interrupted while it read " + writes.name(), e);
        }
    }

    /** Reads a row, so that a missing right is known before anything is declared. */
    static void requireReadable(Target opened, TableMetadata table) {
        try {
            opened.session()
                    .execute("SELECT * FROM " + table.getKeyspace().asCql(true) + "."
                            + table.getName().asCql(true) + " LIMIT 1");
        } catch (UnauthorizedException e) {
            throw Grants.forbidden(e);
        }
    }
}
