package dev.cassidy.embedded;

import java.io.BufferedReader;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** One child JVM: its start, its answers and the signals sent to it. Used by one thread at a time. */
final class ServerProcess {
    /**
     * The kernel ends a child when the thread that forked it ends, so every child is forked by one thread that lives as
     * long as this JVM.
     */
    private static final ExecutorService FORKER =
            Executors.newSingleThreadExecutor(work -> daemon(work, "cassidy-forker"));

    private static final String ENDED = "";

    private final Process process;
    private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();
    private volatile boolean endWanted;
    private int questions;
    private int flushes;

    private ServerProcess(Process process) {
        this.process = process;
        daemon(this::readAnswers, "cassidy-answers-" + process.pid()).start();
    }

    /** Forks the child; what it prints is appended to the log. */
    static ServerProcess fork(List<String> command, Path folder, Path log) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile());
        builder.redirectError(Redirect.appendTo(log.toFile()));
        // Options meant for the parent (a debugger's port, an agent) must not reach the child.
        List.of("JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS").forEach(builder.environment()::remove);
        Future<Process> forked = FORKER.submit(builder::start);
        try {
            return new ServerProcess(forked.get());
        } catch (ExecutionException e) {
            throw new IOException("could not be started: " + command.get(0), e.getCause());
        }
    }

    private static Thread daemon(Runnable work, String name) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        return thread;
    }

    private void readAnswers() {
        try (BufferedReader out = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = out.readLine(); line != null; line = out.readLine()) {
                answers.add(line);
            }
        } catch (IOException e) {
            // The child has ended.
        }
        answers.add(ENDED);
    }

    /** Waits until CQL clients are served; false if the child ended first. */
    boolean awaitReady(Duration timeout) throws InterruptedException, TimeoutException {
        return await("ready", ENDED, timeout);
    }

    /** Waits until the child sees that many nodes up; false if it ended first, or that can no longer happen. */
    boolean awaitJoined(int size, Duration timeout, CompletionStage<?> hopeless)
            throws InterruptedException, TimeoutException {
        try {
            say('j', size);
        } catch (IOException e) {
            // The child has ended, or is ending.
            return false;
        }
        String joined = "joined " + ++questions;
        String inVain = "in vain " + questions;
        CompletionStage<?> unused = hopeless.whenComplete((ended, failure) -> answers.add(inVain));
        return await(joined, inVain, timeout);
    }

    /** Lets the node stream its data to the others and leave the ring; false if it ended first, or could not. */
    boolean awaitLeft(Duration timeout) throws InterruptedException, TimeoutException {
        try {
            say('d');
        } catch (IOException e) {
            return false;
        }
        return await("left", "stays", timeout);
    }

    /** Lets the node write its memtables to disk; false if it ended first, or could not. */
    boolean awaitFlushed(Duration timeout) throws InterruptedException, TimeoutException {
        try {
            say('f');
        } catch (IOException e) {
            return false;
        }
        String flushed = "flushed " + ++flushes;
        return await(flushed, "not " + flushed, timeout);
    }

    private boolean await(String answer, String inVain, Duration timeout)
            throws InterruptedException, TimeoutException {
        long start = System.nanoTime();
        while (true) {
            String said = answers.poll(timeout.toNanos() - (System.nanoTime() - start), TimeUnit.NANOSECONDS);
            if (said == null) {
                throw new TimeoutException();
            }
            if (said.equals(answer)) {
                return true;
            }
            if (said.equals(ENDED)) {
                answers.add(ENDED);
                return false;
            }
            if (said.equals(inVain)) {
                return false;
            }
            // A late answer, to a question that has timed out.
        }
    }

    private void say(int... request) throws IOException {
        for (int each : request) {
            process.getOutputStream().write(each);
        }
        process.getOutputStream().flush();
    }

    long pid() {
        return process.pid();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** Whether the child has ended unexpectedly. */
    boolean hasDied() {
        return !endWanted && !isAlive();
    }

    /** Runs a callback once the child {@linkplain #hasDied() has died}, on a thread of the JDK. */
    void onDeath(Runnable listener) {
        CompletableFuture<?> unused = process.onExit().thenRun(() -> {
            if (hasDied()) {
                listener.run();
            }
        });
    }

    /** The exit code of a child that has ended, or is about to. */
    int exitCode() throws InterruptedException {
        return process.waitFor();
    }

    /** Ends the child in an orderly way; a child that has not ended by the timeout is killed. */
    void stop(Duration timeout) throws InterruptedException {
        endWanted = true;
        try {
            say('s');
            if (process.waitFor(timeout.toMillis(), TimeUnit.MILLISECONDS)) {
                return;
            }
        } catch (IOException e) {
            // The child has ended, or is ending.
        }
        kill();
    }

    void destroy() {
        // One that has died stays so.
        if (isAlive()) {
            endWanted = true;
        }
        process.destroyForcibly();
    }

    /** Returns once the child has ended: its ports are free and its data folder is unlocked. */
    void kill() throws InterruptedException {
        destroy();
        process.waitFor();
    }

    /** Returns once no thread of the process runs: on a busy machine the signal may take a while to stop them all. */
    void pause() throws IOException, InterruptedException {
        signal("STOP");
        long begun = System.nanoTime();
        while (!isStopped()) {
            if (System.nanoTime() - begun > TimeUnit.MINUTES.toNanos(1)) {
                throw new EmbeddedCassandraException("process " + process.pid() + " did not stop within a minute");
            }
            Thread.sleep(1);
        }
    }

    /** Returns whether each thread is stopped or has ended, by proc(5); true where there is no such file system. */
    private boolean isStopped() {
        Path threads = Path.of("/proc", Long.toString(process.pid()), "task");
        if (!Files.isDirectory(threads)) {
            return true;
        }
        try (DirectoryStream<Path> all = Files.newDirectoryStream(threads)) {
            for (Path thread : all) {
                String stat = Files.readString(thread.resolve("stat"), StandardCharsets.ISO_8859_1);
                // Its name, in brackets, may hold any character.
                if ("TZX".indexOf(stat.charAt(stat.lastIndexOf(')') + 2)) < 0) {
                    return false;
                }
            }
            return true;
        } catch (IOException | DirectoryIteratorException e) {
            // A thread has just ended.
            return false;
        }
    }

    void resume() throws IOException, InterruptedException {
        signal("CONT");
    }

    private void signal(String name) throws IOException, InterruptedException {
        // The shell's own kill: a small machine may lack the program.
        Process shell = new ProcessBuilder("sh", "-c", "kill -" + name + " " + process.pid())
                .redirectErrorStream(true)
                .start();
        String said;
        try (BufferedReader out = shell.inputReader(StandardCharsets.UTF_8)) {
            said = String.join("\n", out.lines().toList());
        }
        if (shell.waitFor() != 0) {
            throw new EmbeddedCassandraException("kill -" + name + " " + process.pid() + " failed: " + said);
        }
    }
}
