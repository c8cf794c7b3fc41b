package dev.cassidy.jdbc.run;

import dev.cassidy.cql.IdentitySession;
import dev.cassidy.definition.RowMark;
import dev.cassidy.insert.CqlInsert;
import dev.cassidy.jdbc.error.SqlStates;
import dev.cassidy.jdbc.session.SharedSession;
import dev.cassidy.jdbc.session.Tables;
import dev.cassidy.remedy.Remedy;
import dev.cassidy.sequence.cassandra.InternalAccess;
import dev.cassidy.table.TableWrites;
import java.sql.SQLException;
import java.sql.SQLTransientException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How a table's rows are written, as the registry says.
 *
 * @param conditional whether each write has a condition
 * @param version the version column, if the table has one
 * @param exact who decides the order of the writes, if they are exact: then each row has {@link RowMark}
 */
record TableMode(boolean conditional, Optional<String> version, Optional<TableWrites.Exact> exact) {

    static final TableMode PLAIN = new TableMode(false, Optional.empty(), Optional.empty());

    /** Returns the condition that every row fulfils, and no missing one; empty if there is none. */
    String mark() {
        return exact.isEmpty() ? "" : RowMark.IS_FREE;
    }

    /** Returns whether every table takes plain (not conditional) writes, as far as is known; the usual case. */
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

    /**
     * Returns the mode of a table.
     *
     * @throws SQLTransientException while the table's mode is about to change
     */
    static TableMode of(SharedSession session, Tables tables, Optional<String> keyspace, String table)
            throws SQLException {
        if (areAllPlain(session) || !(session.writing() instanceof IdentitySession identities)) {
            return PLAIN;
        }
        String in = SequenceStatements.keyspace(session.plain(), keyspace.orElse(null));
        TableWrites writes = writes(identities, in, table);
        if (writes == null && tables.isColumn(new CqlInsert.Table(in, table), RowMark.COLUMN)) {
            // It may have been created a moment ago.
            InternalAccess.tables(identities.sequences())
                    .readAnewAsync(in, table)
                    .toCompletableFuture()
                    .join();
            writes = writes(identities, in, table);
        }
        if (writes == null || writes.mode() == TableWrites.Mode.PLAIN) {
            return PLAIN;
        }
        if (writes.changing()) {
            String name = tables.qualified(new CqlInsert.Table(keyspace.orElse(null), table));
            throw new SQLTransientException(
                    "Table " + name + " is about to be written " + writes.mode() + ", and takes no writes until every"
                            + " process knows; nothing was written. Try again in a minute, or if the command that declares"
                            + " it has failed, run it again: "
                            + session.commandLines()
                                    .of(new Remedy.DeclareWrites(
                                            in,
                                            table,
                                            writes.mode() == TableWrites.Mode.VERSIONED ? writes.version() : null)),
                    SqlStates.CONFLICT);
        }
        return new TableMode(
                true,
                writes.mode() == TableWrites.Mode.VERSIONED ? Optional.of(writes.version()) : Optional.empty(),
                Optional.ofNullable(writes.exact()));
    }
}
