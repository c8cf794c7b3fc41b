package dev.cassidy.reliability.program;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A running program that has a {@link Recorder}, and what it did. */
public final class RecordedProcess implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(RecordedProcess.class);
    private static final long LONGEST_MINUTES = 5;

    private final String name;
    private final Process process;
    private final Thread listener;
    private final Pattern unusual;

    // Guarded by this.
    private final Map<String, Operation> operations = new HashMap<>();
    private boolean ready;
    private boolean ended;
    private int over;

    private RecordedProcess(String name, Process process, Pattern unusual) {
        this.name = name;
        this.process = process;
        this.unusual = unusual;
        this.listener = new Thread(this::listen, "listen-to-" + name);
        listener.setDaemon(true);
    }

    /**
     * Starts a program with {@code NAME ARGUMENTS...}.
     *
     * @param unusual which of the other lines that it prints are logged: what the faults that are injected do not explain
     */
    public static RecordedProcess start(String name, Class<?> program, Pattern unusual, String... arguments)
            throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xmx96m",
                "-cp",
                System.getProperty("java.class.path"),
                program.getName(),
                name));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        RecordedProcess started = new RecordedProcess(name, process, unusual);
        // One that is paused would not notice that this JVM ends.
        Runtime.getRuntime().addShutdownHook(new Thread(started::close, "end-" + name));
        started.listener.start();
        return started;
    }

    private void listen() {
        try (BufferedReader out = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = out.readLine(); line != null; line = out.readLine()) {
                hear(line);
            }
        } catch (IOException | UncheckedIOException e) {
            // The program has ended.
        }
        synchronized (this) {
            ended = true;
            notifyAll();
        }
    }

    private void hear(String line) {
        if (!line.startsWith(Recorder.TELLS) || !line.endsWith(Recorder.END_OF_LINE)) {
            if (unusual.matcher(line).find()) {
                LOG.info("{} logs: {}", name, line);
            }
            return;
        }
        String[] words = line.substring(Recorder.TELLS.length(), line.length() - Recorder.END_OF_LINE.length())
                .split(" ", -1);
        synchronized (this) {
            if (words[0].equals("ready")) {
                ready = true;
            } else if (words[0].equals("B")) {
                operations.put(
                        words[1],
                        new Operation(
                                name,
                                words[3],
                                List.of(words).subList(4, words.length),
                                Long.parseLong(words[2]),
                                Long.MAX_VALUE,
                                null));
            } else {
                Operation begun = operations.get(words[1]);
                operations.put(
                        words[1],
                        new Operation(
                                name,
                                begun.kind(),
                                begun.arguments(),
                                begun.begin(),
                                Long.parseLong(words[2]),
                                String.join(" ", List.of(words).subList(3, words.length))));
                over++;
            }
            notifyAll();
        }
    }

    public synchronized RecordedProcess awaitReady() throws InterruptedException {
        while (!ready) {
            waitForMore();
        }
        return this;
    }

    /** Waits until so many more operations are over. */
    public synchronized void awaitMore(int count) throws InterruptedException {
        int until = over + count;
        while (over < until) {
            waitForMore();
        }
    }

    private synchronized void waitForMore() throws InterruptedException {
        assertThat(ended).as("%s has ended", name).isFalse();
        long begun = System.nanoTime();
        TimeUnit.MINUTES.timedWait(this, LONGEST_MINUTES);
        assertThat(System.nanoTime() - begun)
                .as("%s says nothing", name)
                .isLessThan(TimeUnit.MINUTES.toNanos(LONGEST_MINUTES));
    }

    public synchronized List<Operation> operations() {
        return new ArrayList<>(operations.values());
    }

    /** Sends SIGKILL. What it did is complete when this returns. */
    public void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
        listener.join();
    }

    /** Lets the program end after the operation under way. */
    public void end() throws IOException, InterruptedException {
        process.getOutputStream().write('\n');
        process.getOutputStream().flush();
        assertThat(process.waitFor(LONGEST_MINUTES, TimeUnit.MINUTES)).as(name).isTrue();
        listener.join();
    }

    /** Freezes the program (SIGSTOP), or lets it continue (SIGCONT). */
    public void signal(String signal) throws IOException, InterruptedException {
        int exit = new ProcessBuilder("sh", "-c", "kill -" + signal + " " + process.pid())
                .inheritIO()
                .start()
                .waitFor();
        assertThat(exit).as("kill -%s of %s", signal, name).isZero();
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
