package dev.cassidy.cql;

import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.ColumnDefinitions;
import com.datastax.oss.driver.api.core.cql.ExecutionInfo;
import com.datastax.oss.driver.api.core.cql.ResultSet;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.detach.AttachmentPoint;
import com.datastax.oss.driver.internal.core.cql.DefaultColumnDefinition;
import com.datastax.oss.driver.internal.core.cql.DefaultColumnDefinitions;
import com.datastax.oss.driver.internal.core.cql.DefaultRow;
import com.datastax.oss.driver.internal.core.cql.ResultSets;
import com.datastax.oss.protocol.internal.ProtocolConstants;
import com.datastax.oss.protocol.internal.response.result.ColumnSpec;
import com.datastax.oss.protocol.internal.response.result.RawType;
import dev.cassidy.table.TableWrites;
import java.nio.ByteBuffer;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** The results of conditional statements that the session makes in place of the driver. */
final class ConditionalResults {

    private static final String APPLIED = "[applied]";

    private ConditionalResults() {}

    /** Returns the result of a synchronous execution. */
    static ResultSet blocking(AsyncResultSet result) {
        return ResultSets.newInstance(result);
    }

    /** Returns the answer that {@code refused} was, of which {@code row} was taken. */
    static AsyncResultSet refused(AsyncResultSet refused, Row row) {
        return new Refused(refused.getColumnDefinitions(), refused.getExecutionInfo(), row);
    }

    /**
     * Returns the answer to a statement that was not sent, because there is no row: what the server would say of it.
     *
     * @param read of the query that has not found the row
     */
    static AsyncResultSet missing(TableWrites table, ExecutionInfo read) {
        ColumnSpec spec = new ColumnSpec(
                table.keyspace(),
                table.table(),
                APPLIED,
                0,
                RawType.PRIMITIVES.get(ProtocolConstants.DataType.BOOLEAN));
        ColumnDefinitions columns =
                DefaultColumnDefinitions.valueOf(List.of(new DefaultColumnDefinition(spec, AttachmentPoint.NONE)));
        Row row = new DefaultRow(columns, List.of(ByteBuffer.allocate(1)), AttachmentPoint.NONE);
        return new Refused(columns, read, row);
    }

    /** The only page of a statement that was not applied. */
    private static final class Refused implements AsyncResultSet {

        private final ColumnDefinitions columns;
        private final ExecutionInfo info;
        private final Iterator<Row> rows;

        private Refused(ColumnDefinitions columns, ExecutionInfo info, Row row) {
            this.columns = columns;
            this.info = info;
            this.rows = List.of(row).iterator();
        }

        @Override
        public ColumnDefinitions getColumnDefinitions() {
            return columns;
        }

        @Override
        public ExecutionInfo getExecutionInfo() {
            return info;
        }

        @Override
        public int remaining() {
            return rows.hasNext() ? 1 : 0;
        }

        @Override
        public Iterable<Row> currentPage() {
            return () -> rows;
        }

        @Override
        public @Nullable Row one() {
            return rows.hasNext() ? rows.next() : null;
        }

        @Override
        public boolean hasMorePages() {
            return false;
        }

        @Override
        public CompletionStage<AsyncResultSet> fetchNextPage() {
            return CompletableFuture.failedFuture(
                    new IllegalStateException("there is one page: check hasMorePages() first"));
        }

        @Override
        public boolean wasApplied() {
            return false;
        }
    }
}
