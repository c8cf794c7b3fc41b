package dev.cassidy.async;

import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;

/** Helpers for {@link CompletionStage}. */
public final class Stages {

    private Stages() {}

    /** Returns what a stage failed with, without the exceptions that stages and futures wrap around it. */
    public static Throwable cause(Throwable thrown) {
        Throwable cause = thrown;
        while ((cause instanceof CompletionException || cause instanceof ExecutionException)
                && cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause;
    }
}
