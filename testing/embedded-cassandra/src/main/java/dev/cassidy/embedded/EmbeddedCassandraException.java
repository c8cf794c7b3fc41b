package dev.cassidy.embedded;

import org.jspecify.annotations.Nullable;

/** A node could not be started, stopped or signalled; the message names the log file where there is one. */
public final class EmbeddedCassandraException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final boolean portTaken;

    private EmbeddedCassandraException(String message, @Nullable Throwable cause, boolean portTaken) {
        super(message, cause);
        this.portTaken = portTaken;
    }

    EmbeddedCassandraException(String message, @Nullable Throwable cause) {
        this(message, cause, false);
    }

    EmbeddedCassandraException(String message) {
        this(message, null, false);
    }

    static EmbeddedCassandraException ofStart(String message, boolean portTaken) {
        return new EmbeddedCassandraException(message, null, portTaken);
    }

    /** Whether another program was faster to a port: the same start may succeed on other ports. */
    boolean isPortTaken() {
        return portTaken;
    }
}
