package dev.cassidy.embedded.child;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.apache.cassandra.schema.KeyspaceParams;
import org.apache.cassandra.service.CassandraDaemon;
import org.apache.cassandra.service.StorageService;

/**
 * The main of the child JVM. Arguments: the parent's process id, the node's lock file.
 *
 * <p>Standard input is the lifeline: its end means that the parent is gone. The parent says {@code s} for an orderly
 * stop, {@code j} and the number of the cluster's nodes for an answer once all of them are up, {@code d} to leave the
 * cluster, {@code f} to flush. Standard output carries the answers: {@code ready} once CQL clients are served, {@code
 * joined N} for the Nth {@code j}, {@code left} or {@code stays}, {@code flushed N} or {@code not flushed N} for the Nth
 * {@code f}. Everything else goes to standard error, which is the log file.
 */
@SuppressWarnings("SystemExitOutsideMain") // The lifeline exists to end this JVM.
public final class CassandraChild {
    private static final int IN_USE = 4;
    private static final int FIRST_WITHOUT_SECURITY_MANAGER = 24;

    private CassandraChild() {}

    public static void main(String[] args) throws IOException, InterruptedException {
        PrintStream answers = System.out;
        System.setOut(System.err);
        if (Runtime.version().feature() >= FIRST_WITHOUT_SECURITY_MANAGER) {
            System.err.println("WARN  JDK " + Runtime.version().feature() + " has no Security Manager:"
                    + " user-defined functions run without a sandbox in this node. It is for tests and demonstrations;"
                    + " a JDK from 17 to 23, named by JAVA17_HOME, runs it with one.");
        }

        Thread lifeline = new Thread(() -> followLifeline(answers), "cassidy-lifeline");
        lifeline.setDaemon(true);
        lifeline.start();

        // Capabilities belong to the thread: this one starts the daemon, which calls mlockall.
        Kernel.dieWithParent(Long.parseLong(args[0]));
        Kernel.forbidMemoryLock();

        // Two servers on one data folder ruin it. The lock ends with the process, however that ends, but also when its
        // channel is garbage-collected: so this thread always keeps a reference to it.
        try (FileChannel file =
                        FileChannel.open(Path.of(args[1]), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                FileLock lock = file.tryLock()) {
            if (lock == null) {
                System.err.println("ERROR in use by another node: " + args[1]);
                System.exit(IN_USE);
            }
            if (Boolean.getBoolean("cassidy.embedded.startsOnce")) {
                // As UnloggedMemtable, for Cassandra's own tables.
                KeyspaceParams.DEFAULT_LOCAL_DURABLE_WRITES = false;
            }
            RequestWorkers.sleepSooner();
            CassandraDaemon.main(new String[0]);
            // Before a client waits for an answer.
            ClassArchiveWriter.write();
            answers.println("ready");
            Thread.currentThread().join();
        }
    }

    private static void followLifeline(PrintStream answers) {
        try {
            InputStream in = System.in;
            int questions = 0;
            int flushes = 0;
            for (int said = in.read(); said >= 0; said = in.read()) {
                if (said == 's') {
                    // The daemon's own shutdown hook drains: memtables and commit log are on disk when it ends.
                    new Thread(() -> System.exit(0), "cassidy-stop").start();
                } else if (said == 'j') {
                    Cluster cluster = new Cluster(in.read());
                    String answer = "joined " + ++questions;
                    Thread watch = new Thread(
                            () -> {
                                cluster.awaitAllUp();
                                answers.println(answer);
                            },
                            "cassidy-join");
                    watch.setDaemon(true);
                    watch.start();
                } else if (said == 'd') {
                    Thread leave = new Thread(() -> leave(answers), "cassidy-leave");
                    leave.setDaemon(true);
                    leave.start();
                } else if (said == 'f') {
                    String answer = "flushed " + ++flushes;
                    Thread flush =
                            new Thread(() -> answers.println(flush() ? answer : "not " + answer), "cassidy-flush");
                    flush.setDaemon(true);
                    flush.start();
                }
            }
        } catch (IOException e) {
            // A broken lifeline is a lost parent.
        }
        Runtime.getRuntime().halt(1);
    }

    private static void leave(PrintStream answers) {
        try {
            StorageService.instance.decommission(false);
            answers.println("left");
        } catch (InterruptedException | RuntimeException e) {
            System.err.println("ERROR does not leave: " + e);
            answers.println("stays");
        }
    }

    private static boolean flush() {
        try {
            for (String keyspace : StorageService.instance.getNonSystemKeyspaces()) {
                StorageService.instance.forceKeyspaceFlush(keyspace);
            }
            return true;
        } catch (IOException | RuntimeException e) {
            System.err.println("ERROR does not flush: " + e);
            return false;
        }
    }
}
