package dev.cassidy.assist.plan;

import java.util.List;
import java.util.Objects;
import net.sf.jsqlparser.statement.select.Select;

/**
 * What has to be read so that a statement can be evaluated over the rows alone.
 *
 * @param statement its tree
 * @param reads in the order of dependence: what a read takes from other tables is read before it
 */
public record ReadPlan(Select statement, List<TableRead> reads) {

    public ReadPlan {
        Objects.requireNonNull(statement, "statement");
        reads = List.copyOf(reads);
    }
}
