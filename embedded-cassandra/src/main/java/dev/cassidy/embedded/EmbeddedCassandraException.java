package dev.cassidy.embedded;

import org.jspecify.annotations.Nullable;

/** A node could not be started, stopped or signalled; the message names the log file where there is one. */
public final class EmbeddedCassandraException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    EmbeddedCassandraException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    EmbeddedCassandraException(String message) {
        this(message, null);
    }
}
