package dev.cassidy.lwt;

import com.datastax.oss.driver.api.core.cql.Row;
import java.util.List;

/** How a conditional statement ended. There are only these three: what certainly was not executed is an exception. */
public sealed interface CasOutcome {

    /** The condition held and the write took effect. */
    record Applied() implements CasOutcome {}

    /**
     * The condition did not hold and nothing was written.
     *
     * @param found what Cassandra returned of the rows that the condition looked at; it may lack columns
     */
    record Refused(List<Row> found) implements CasOutcome {
        public Refused {
            found = List.copyOf(found);
        }
    }

    /**
     * The write took effect, or it did not, or it will later: the statement may still be under way. Do not act on a
     * guess here; only a linearizable read of evidence that the write itself left can tell.
     *
     * @param cause why it is not known
     */
    record Unknown(Throwable cause) implements CasOutcome {}
}
