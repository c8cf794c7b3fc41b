package dev.cassidy.cql;

import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.ColumnDefinitions;
import com.datastax.oss.driver.api.core.cql.ExecutionInfo;
import com.datastax.oss.driver.api.core.cql.Row;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** A page of a result, which knows the keys of the whole. */
record KeyedAsyncResultSet(AsyncResultSet result, GeneratedKeys keys) implements AsyncResultSet {

    @Override
    public ColumnDefinitions getColumnDefinitions() {
        return result.getColumnDefinitions();
    }

    @Override
    public ExecutionInfo getExecutionInfo() {
        return result.getExecutionInfo();
    }

    @Override
    public int remaining() {
        return result.remaining();
    }

    @Override
    public Iterable<Row> currentPage() {
        return result.currentPage();
    }

    @Override
    public @Nullable Row one() {
        return result.one();
    }

    @Override
    public boolean hasMorePages() {
        return result.hasMorePages();
    }

    @Override
    public CompletionStage<AsyncResultSet> fetchNextPage() {
        return result.fetchNextPage().thenApply(page -> new KeyedAsyncResultSet(page, keys));
    }

    @Override
    public boolean wasApplied() {
        return result.wasApplied();
    }
}
