package dev.cassidy.jdbc.value;

import java.sql.ResultSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Makes a result set of rows in memory. The JDBC objects implement it; they are above this package. */
@FunctionalInterface
public interface ResultSets {

    ResultSet of(List<Column> columns, List<List<@Nullable Object>> rows);
}
