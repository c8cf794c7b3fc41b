package dev.cassidy.transaction.cassandra;

import com.datastax.oss.driver.api.core.cql.Statement;
import dev.cassidy.table.TableWrites;

/** Says at which level and on which node a statement is sent, by who decides the order of a table's writes. */
@FunctionalInterface
public interface Ordering {

    /**
     * Returns the statement with its serial level, its level (that of a majority) and, if need be, its node.
     *
     * @throws RuntimeException if it cannot be sent; nothing is sent then
     */
    Statement<?> ordered(Statement<?> statement, TableWrites table);
}
