package dev.cassidy.async;

/** Which threads must not wait for an answer, because they deliver it. Safe for use by many threads. */
@FunctionalInterface
public interface Waiting {

    /** Every thread may wait. */
    Waiting ANYWHERE = () -> {};

    /**
     * To be called before the calling thread begins to wait.
     *
     * @throws IllegalStateException if it must not wait; the message says what to do
     */
    void requireAllowed();
}
