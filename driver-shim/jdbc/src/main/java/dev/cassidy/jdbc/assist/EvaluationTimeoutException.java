package dev.cassidy.jdbc.assist;

import java.time.Duration;

/** The evaluation of a statement took longer than it may. It only read. */
public final class EvaluationTimeoutException extends RuntimeException {

    private static final long serialVersionUID = 1;

    /** @param time how long it may take */
    public EvaluationTimeoutException(Duration time) {
        super("The statement was evaluated in the client for " + time.toMillis()
                + " ms, and was not done. Join and filter by keys, so that there are fewer rows");
    }
}
