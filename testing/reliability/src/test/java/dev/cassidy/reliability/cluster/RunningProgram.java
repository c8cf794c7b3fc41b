package dev.cassidy.reliability.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A running {@link Program}. Each start has its own name, because the order of ids holds only within one process. */
final class RunningProgram implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(RunningProgram.class);
    private static final String END = "";

    private final String name;
    private final Process process;
    private final BlockingQueue<String> said = new LinkedBlockingQueue<>();

    private RunningProgram(String name, Process process) {
        this.name = name;
        this.process = process;
    }

    static RunningProgram start(String name, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                Program.class.getName()));
        command.addAll(List.of(arguments));
        RunningProgram program = new RunningProgram(
                name,
                new ProcessBuilder(command)
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start());
        Thread listener = new Thread(program::listen, "listen-to-" + name);
        listener.setDaemon(true);
        listener.start();
        return program;
    }

    private void listen() {
        try (BufferedReader out = process.inputReader(StandardCharsets.UTF_8)) {
            out.lines().forEach(this::hear);
        } catch (IOException | java.io.UncheckedIOException e) {
            // The program has ended.
        }
        said.add(END);
    }

    private void hear(String line) {
        if (line.matches("-?\\d+")) {
            said.add(line);
        } else {
            LOG.info("{} logs: {}", name, line);
        }
    }

    String name() {
        return name;
    }

    /** Lets the program draw this number of ids, and waits for all of them. */
    List<Long> take(int count) throws IOException, InterruptedException {
        begin(count);
        return await(count);
    }

    /** Lets the program draw this number of ids. */
    void begin(int count) throws IOException {
        say(Integer.toString(count));
    }

    void say(String line) throws IOException {
        process.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
        process.getOutputStream().flush();
    }

    List<Long> await(int count) throws InterruptedException {
        List<Long> ids = new ArrayList<>();
        while (ids.size() < count) {
            String line = said.poll(10, TimeUnit.MINUTES);
            assertThat(line).as("what %s says", name).isNotNull().isNotEqualTo(END);
            ids.add(Long.valueOf(line));
        }
        return ids;
    }

    /** Sends SIGKILL, and returns the other ids that the program had printed. */
    List<Long> kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
        List<Long> ids = new ArrayList<>();
        // The kill may cut the last line short; nobody has received its id.
        for (String line = said.take(); !line.equals(END); line = said.take()) {
            ids.add(Long.valueOf(line));
        }
        return ids;
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
