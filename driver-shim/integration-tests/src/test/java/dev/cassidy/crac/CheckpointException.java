package dev.cassidy.crac;

public final class CheckpointException extends Exception {
    private static final long serialVersionUID = 1;
}
