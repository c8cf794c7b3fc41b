package dev.cassidy.jdbc.run;

import dev.cassidy.table.TableWrites;
import dev.cassidy.tsql.TsqlStep;
import java.nio.ByteBuffer;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** An entry of a batch that writes one row of an exact table. */
record RowEntry(TsqlStep step, Binding binding) implements EntryWrite {

    /** Gives the write its values, and the ids that it lacks. */
    @FunctionalInterface
    interface Binding {
        Bound bind() throws SQLException;
    }

    /**
     * The write with its values.
     *
     * @param partition of its row; null if it cannot be told before the write is sent
     * @param first sends its first request
     */
    record Bound(@Nullable Partition partition, RowWrite.Next first) {}

    /** A partition of a table. */
    record Partition(String table, ByteBuffer key) {

        /** @param key as the statement is routed by; null if it says nothing of it */
        static @Nullable Partition of(TableWrites table, @Nullable ByteBuffer key) {
            return key == null ? null : new Partition(table.name(), key.duplicate());
        }
    }
}
