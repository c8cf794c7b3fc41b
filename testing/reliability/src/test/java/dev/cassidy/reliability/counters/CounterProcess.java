package dev.cassidy.reliability.counters;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cassidy.embedded.EmbeddedCassandra;
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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A running {@link CounterProgram}, and what it said. */
final class CounterProcess implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(CounterProcess.class);
    private static final long LONGEST_MINUTES = 15;

    private final String name;
    private final Process process;
    private final Ledger ledger;
    private final Thread listener;

    // Guarded by this.
    private final Map<String, Integer> said = new HashMap<>();
    private boolean ended;

    private CounterProcess(String name, Process process, Ledger ledger) {
        this.name = name;
        this.process = process;
        this.ledger = ledger;
        this.listener = new Thread(this::listen, "listen-to-" + name);
        listener.setDaemon(true);
    }

    /** Starts the program; {@link #awaitReady} waits for it. */
    static CounterProcess start(String name, EmbeddedCassandra contact, String kind) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                CounterProgram.class.getName(),
                contact.host(),
                Integer.toString(contact.port()),
                kind));
        CounterProcess started = new CounterProcess(
                name,
                new ProcessBuilder(command)
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start(),
                kind.equals("native") ? Ledger.ofMany() : new Ledger());
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
        if (!line.startsWith(CounterProgram.TELLS) || !line.endsWith(CounterProgram.END_OF_LINE)) {
            LOG.info("{} logs: {}", name, line);
            return;
        }
        String told =
                line.substring(CounterProgram.TELLS.length(), line.length() - CounterProgram.END_OF_LINE.length());
        if (Character.isUpperCase(told.charAt(0))) {
            ledger.read(told);
        }
        synchronized (this) {
            said.merge(told.split(" ", 2)[0], 1, Integer::sum);
            notifyAll();
        }
    }

    Ledger ledger() {
        return ledger;
    }

    CounterProcess awaitReady() throws InterruptedException {
        await(CounterProgram.READY, 1);
        return this;
    }

    /** Lets the program increment counters of this name. */
    void load(String counters, int callers) throws IOException {
        say("load " + counters + " " + callers);
    }

    /** Ends the load after the increments under way. */
    void stop() throws IOException, InterruptedException {
        say(CounterProgram.STOP);
        await(CounterProgram.STOPPED, 1);
    }

    /** Lets the program fold, until it is killed. */
    void fold(List<String> counters) throws IOException {
        say("fold " + String.join(" ", counters));
    }

    private void say(String line) throws IOException {
        process.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
        process.getOutputStream().flush();
    }

    void awaitAcknowledged(int more) throws InterruptedException {
        String word = Ledger.Known.ACKNOWLEDGED.name();
        await(word, said(word) + more);
    }

    void awaitFolds(int count) throws InterruptedException {
        await(CounterProgram.FOLDING, count);
    }

    private synchronized int said(String word) {
        return said.getOrDefault(word, 0);
    }

    private synchronized void await(String word, int times) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(LONGEST_MINUTES);
        while (said(word) < times) {
            long left = deadline - System.nanoTime();
            assertThat(!ended && left > 0).as("%s says %s", name, word).isTrue();
            TimeUnit.NANOSECONDS.timedWait(this, left);
        }
    }

    /** Sends SIGKILL. Its ledger is complete when this returns. */
    void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
        listener.join();
    }

    /** Freezes the program (SIGSTOP). */
    void pause() throws IOException, InterruptedException {
        signal("STOP");
    }

    /** Lets a paused program continue (SIGCONT). */
    void resume() throws IOException, InterruptedException {
        signal("CONT");
    }

    private void signal(String signal) throws IOException, InterruptedException {
        // The shell's own kill: a small machine may lack the program.
        int exit = new ProcessBuilder("sh", "-c", "kill -" + signal + " " + process.pid())
                .inheritIO()
                .start()
                .waitFor();
        assertThat(exit).as("kill -%s of %s", signal, name).isZero();
    }

    /** Lets the program end in an orderly way. */
    void end() throws IOException, InterruptedException {
        say("end");
        assertThat(process.waitFor(LONGEST_MINUTES, TimeUnit.MINUTES)).isTrue();
        listener.join();
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
