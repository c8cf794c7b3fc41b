package dev.cassidy.embedded;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** One child JVM: its start, its readiness and the signals sent to it. */
final class ServerProcess {
    /**
     * The kernel ends a child when the thread that forked it ends, so every child is forked by one thread that lives as
     * long as this JVM.
     */
    private static final ExecutorService FORKER = Executors.newSingleThreadExecutor(work -> {
        Thread thread = new Thread(work, "cassidy-forker");
        thread.setDaemon(true);
        return thread;
    });

    private final Process process;

    private ServerProcess(Process process) {
        this.process = process;
    }

    /** Forks the child; what it prints is appended to the log. */
    static ServerProcess fork(List<String> command, Path log) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.redirectError(Redirect.appendTo(log.toFile()));
        // Options meant for the parent (a debugger's port, an agent) must not reach the child.
        builder.environment().keySet().removeAll(List.of("JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS"));
        Future<Process> forked = FORKER.submit(builder::start);
        try {
            return new ServerProcess(forked.get());
        } catch (ExecutionException e) {
            throw new IOException("could not be started: " + command.get(0), e.getCause());
        }
    }

    /** Waits until CQL clients are served; false if the child ended first. */
    boolean awaitReady(Duration timeout) throws InterruptedException, TimeoutException {
        FutureTask<Boolean> handshake = new FutureTask<>(() -> {
            try (BufferedReader out = process.inputReader(StandardCharsets.UTF_8)) {
                return "ready".equals(out.readLine());
            }
        });
        Thread reader = new Thread(handshake, "cassidy-handshake-" + process.pid());
        reader.setDaemon(true);
        reader.start();
        try {
            return handshake.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            return false;
        }
    }

    long pid() {
        return process.pid();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** An orderly end; a child that has not ended by the timeout is killed. */
    void stop(Duration timeout) throws InterruptedException {
        try (OutputStream lifeline = process.getOutputStream()) {
            lifeline.write('s');
            lifeline.flush();
            if (process.waitFor(timeout.toMillis(), TimeUnit.MILLISECONDS)) {
                return;
            }
        } catch (IOException e) {
            // The child has ended, or is ending.
        }
        kill();
    }

    void kill() throws InterruptedException {
        process.destroyForcibly();
        process.waitFor();
    }

    void pause() throws IOException, InterruptedException {
        signal("STOP");
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
