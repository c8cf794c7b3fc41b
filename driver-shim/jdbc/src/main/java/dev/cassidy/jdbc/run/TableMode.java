package dev.cassidy.jdbc.run;

import dev.cassidy.cql.IdentitySession;
import dev.cassidy.definition.RowMark;
import dev.cassidy.insert.CqlInsert;
import dev.cassidy.jdbc.error.SqlStates;
import dev.cassidy.jdbc.session.SharedSession;
import dev.cassidy.jdbc.session.Tables;
import dev.cassidy.sequence.cassandra.InternalAccess;
import dev.cassidy.table.TableWrites;
import java.sql.SQLException;
import java.sql.SQLTransientException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** How a table's rows are written, as the registry says. */
final class TableMode {

    private TableMode() {}

    /** Returns whether no table is written exactly, as far as is known. */
    static boolean areAllPlain(SharedSession session) throws SQLException {
        return !(session.writing() instanceof IdentitySession identities) || identities.writesPlainly();
    }

    private static @Nullable TableWrites writes(IdentitySession identities, String keyspace, String table) {
        return InternalAccess.tables(identities.sequences())
                .writesAsync(keyspace, table)
                .toCompletableFuture()
                .join()
                .orElse(null);
    }

    /** Returns whether a table has the mark of exact writes, or is not known: it may have been created a moment ago. */
    static boolean mayBeMarked(Tables tables, CqlInsert.Table table) {
        return tables.isColumn(table, RowMark.COLUMN) || tables.types(table).isEmpty();
    }

    /**
     * Returns how a table is written; empty if that is plainly.
     *
     * @throws SQLTransientException while the table's writes are about to be exact
     */
    static Optional<TableWrites> of(SharedSession session, Tables tables, Optional<String> keyspace, String table)
            throws SQLException {
        if (areAllPlain(session) || !(session.writing() instanceof IdentitySession identities)) {
            return Optional.empty();
        }
        String in = SequenceStatements.keyspace(session.plain(), keyspace.orElse(null));
        TableWrites writes = writes(identities, in, table);
        if (writes == null && mayBeMarked(tables, new CqlInsert.Table(in, table))) {
            // It may have been created a moment ago.
            InternalAccess.tables(identities.sequences())
                    .readAnewAsync(in, table)
                    .toCompletableFuture()
                    .join();
            writes = writes(identities, in, table);
        }
        if (writes != null && writes.changing()) {
            String name = tables.qualified(new CqlInsert.Table(keyspace.orElse(null), table));
            throw new SQLTransientException(
                    "Table " + name + " is about to be written exactly, and takes no writes until every process knows;"
                            + " nothing was written. Try again in a minute, or if the command that declares it has failed,"
                            + " run it again: "
                            + session.commandLines().of(writes.declaration()),
                    SqlStates.CONFLICT);
        }
        return Optional.ofNullable(writes);
    }
}
