package dev.cassidy.embedded.child;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import org.apache.cassandra.service.CassandraDaemon;

/**
 * The main of the child JVM. The argument is the parent's process id. Standard input is the lifeline: {@code s} asks
 * for an orderly stop, the end of the stream means that the parent is gone. Standard output carries one line,
 * {@value #READY}, once CQL clients are served; everything else goes to standard error, which is the log file.
 */
@SuppressWarnings("SystemExitOutsideMain") // Ending this JVM is what the lifeline is for.
public final class CassandraChild {
    static final String READY = "ready";

    private CassandraChild() {}

    public static void main(String[] args) {
        PrintStream handshake = System.out;
        System.setOut(System.err);

        Thread lifeline = new Thread(CassandraChild::followLifeline, "cassidy-lifeline");
        lifeline.setDaemon(true);
        lifeline.start();

        // Capabilities belong to the thread: this one starts the daemon, which calls mlockall.
        Kernel.dieWithParent(Long.parseLong(args[0]));
        Kernel.forbidMemoryLock();

        CassandraDaemon.main(new String[0]);
        handshake.println(READY);
        handshake.close();
    }

    private static void followLifeline() {
        try {
            InputStream in = System.in;
            if (in.read() == 's') {
                // The daemon's own shutdown hook drains: memtables and commit log are on disk when it ends.
                new Thread(() -> System.exit(0), "cassidy-stop").start();
            }
            while (in.read() >= 0) {
                // Nothing else is ever said.
            }
        } catch (IOException e) {
            // A broken lifeline is a lost parent.
        }
        Runtime.getRuntime().halt(1);
    }
}
