package dev.cassidy.reliability.program;

import java.util.concurrent.atomic.AtomicInteger;

/** Prints what a program does before it begins and when it is over, for {@link RecordedProcess}. Safe for use by many threads. */
public final class Recorder {

    /** Begins the lines that are meant for the test; others are logged. */
    static final String TELLS = "> ";

    /** Ends them: a kill may cut the last line short. */
    static final String END_OF_LINE = " ;";

    private final AtomicInteger operations = new AtomicInteger();

    /** Does something, and returns what it was told. */
    public interface Call {
        String run();
    }

    /** Tells that the program begins. */
    public void ready() {
        tell("ready");
    }

    /**
     * Records an operation.
     *
     * @param arguments with single spaces between them
     */
    public String record(String kind, String arguments, Call call) {
        int number = operations.getAndIncrement();
        tell("B " + number + " " + System.nanoTime() + " " + kind + " " + arguments);
        String outcome = call.run();
        tell("E " + number + " " + System.nanoTime() + " " + outcome);
        return outcome;
    }

    private static void tell(String line) {
        System.out.println(TELLS + line + END_OF_LINE);
    }
}
