package dev.cassidy.cql;

import com.datastax.oss.driver.api.core.cql.ColumnDefinitions;
import com.datastax.oss.driver.api.core.cql.ExecutionInfo;
import com.datastax.oss.driver.api.core.cql.ResultSet;
import com.datastax.oss.driver.api.core.cql.Row;
import java.util.Iterator;
import java.util.List;
import java.util.Spliterator;
import org.jspecify.annotations.Nullable;

/** A result that knows its keys. */
record KeyedResultSet(ResultSet result, GeneratedKeys keys) implements ResultSet {

    @Override
    public ColumnDefinitions getColumnDefinitions() {
        return result.getColumnDefinitions();
    }

    @Override
    public ExecutionInfo getExecutionInfo() {
        return result.getExecutionInfo();
    }

    @Override
    public List<ExecutionInfo> getExecutionInfos() {
        return result.getExecutionInfos();
    }

    @Override
    public @Nullable Row one() {
        return result.one();
    }

    @Override
    public List<Row> all() {
        return result.all();
    }

    @Override
    public boolean isFullyFetched() {
        return result.isFullyFetched();
    }

    @Override
    public int getAvailableWithoutFetching() {
        return result.getAvailableWithoutFetching();
    }

    @Override
    public boolean wasApplied() {
        return result.wasApplied();
    }

    @Override
    public Iterator<Row> iterator() {
        return result.iterator();
    }

    @Override
    public Spliterator<Row> spliterator() {
        return result.spliterator();
    }
}
