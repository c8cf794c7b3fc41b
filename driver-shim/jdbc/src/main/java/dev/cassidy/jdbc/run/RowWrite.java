package dev.cassidy.jdbc.run;

import java.sql.SQLException;
import java.util.concurrent.CompletableFuture;

/** How far the write of one row of an exact table has come, which takes one request after the other. */
sealed interface RowWrite {

    /** It has ended. */
    record Ended(StepResult result) implements RowWrite {

        static Ended written(long rows) {
            return new Ended(StepResult.written(rows));
        }
    }

    /**
     * A request was sent.
     *
     * @param answer cancelling it cancels the request
     * @param next to be called once there is an answer, or an error in its place
     */
    record UnderWay(CompletableFuture<?> answer, Next next) implements RowWrite {}

    /** Takes a write on. */
    @FunctionalInterface
    interface Next {
        RowWrite go() throws SQLException;
    }
}
