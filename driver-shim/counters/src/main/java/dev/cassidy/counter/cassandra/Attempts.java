package dev.cassidy.counter.cassandra;

import com.datastax.oss.driver.api.core.AllNodesFailedException;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.cql.ExecutionInfo;
import com.datastax.oss.driver.api.core.servererrors.UnavailableException;
import dev.cassidy.lwt.ConditionalStatements;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** What became of a plain write that failed. */
final class Attempts {

    private Attempts() {}

    /** Returns whether no replica was sent the write of one partition, in any of the driver's attempts. */
    static boolean executedNothing(Throwable cause) {
        return executedNothing(cause, true);
    }

    /** @param onePartition whether the write was of one partition */
    static boolean executedNothing(Throwable cause, boolean onePartition) {
        return every(cause).allMatch(error -> attemptExecutedNothing(error, onePartition));
    }

    /** The driver may have sent the statement more than once, and then each attempt counts. */
    private static Stream<Throwable> every(Throwable cause) {
        if (cause instanceof AllNodesFailedException failed) {
            return failed.getAllErrors().values().stream().flatMap(List::stream);
        }
        ExecutionInfo info = cause instanceof DriverException failed ? failed.getExecutionInfo() : null;
        if (info == null || info.getSpeculativeExecutionCount() > 0) {
            // The driver does not report the other speculative executions.
            return Stream.of(cause, new IllegalStateException("unknown attempts"));
        }
        return Stream.concat(Stream.of(cause), info.getErrors().stream().map(Map.Entry::getValue));
    }

    private static boolean attemptExecutedNothing(Throwable cause, boolean onePartition) {
        // A plain write is sent to no replica if the coordinator does not see enough of them. Of a batch, the
        // coordinator
        // may have sent the partitions before that one.
        return (onePartition && cause instanceof UnavailableException)
                || ConditionalStatements.certainlyNotExecuted(cause);
    }
}
