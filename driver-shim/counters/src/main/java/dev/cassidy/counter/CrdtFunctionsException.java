package dev.cassidy.counter;

/** The server's functions cannot be installed. The message names the keyspace, the rule and what to do. */
public final class CrdtFunctionsException extends RuntimeException {

    private static final long serialVersionUID = 1;

    CrdtFunctionsException(String message) {
        super(message);
    }

    CrdtFunctionsException(String message, Throwable cause) {
        super(message, cause);
    }
}
