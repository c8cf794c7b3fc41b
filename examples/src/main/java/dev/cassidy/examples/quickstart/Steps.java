package dev.cassidy.examples.quickstart;

import com.datastax.oss.driver.api.core.CqlSession;
import java.io.PrintStream;
import java.util.List;

/** The steps that the quickstart demonstrates; a test replaces one of them and must see it fail. */
record Steps(Migration migration, CounterFunctions counterFunctions) {

    /** The migration tool's command line. */
    interface Migration {

        /** Returns the command's exit code. */
        int run(List<String> arguments, PrintStream out);
    }

    /** Brings {@code crdt_sum} to a keyspace. */
    interface CounterFunctions {
        void install(CqlSession session, String keyspace);
    }
}
