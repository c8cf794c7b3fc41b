package dev.cassidy.migration;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Lines for a shell, run by a real one in which {@code cassidy} only notes its arguments. */
final class ShellText {

    /** What lines may call beside {@code cassidy}, and what must not be done by a test: these do nothing. */
    private static final List<String> STAND_INS =
            List.of("mvn", "git", "java", "curl", "cqlsh", "nodetool", "dsbulk", "page-somebody");

    private ShellText() {}

    /**
     * Runs lines and returns the arguments of each call of {@code cassidy}.
     *
     * @param shell {@code sh}, {@code bash} or {@code zsh}
     * @param folder where they run; files that they name may stand there
     * @throws AssertionError if a line is not understood, calls what is not there, or fails
     */
    static List<List<String>> calls(String shell, Path folder, String lines) throws IOException, InterruptedException {
        Path bin = Files.createDirectories(folder.resolve("bin"));
        Path noted = folder.resolve("noted");
        Files.deleteIfExists(noted);
        program(bin.resolve("cassidy"), "printf '%s\\0' \"$#\" \"$@\" >> '" + noted + "'");
        for (String name : STAND_INS) {
            program(bin.resolve(name), ":");
        }
        ProcessBuilder builder = new ProcessBuilder(shell, "-euc", lines).directory(folder.toFile());
        builder.environment().put("PATH", bin + File.pathSeparator + System.getenv("PATH"));
        File said = folder.resolve("said").toFile();
        Process process = builder.redirectErrorStream(true).redirectOutput(said).start();
        if (!process.waitFor(1, TimeUnit.MINUTES)) {
            process.destroyForcibly();
            throw new AssertionError("does not end: " + lines);
        }
        if (process.exitValue() != 0) {
            throw new AssertionError(shell + " exits with " + process.exitValue() + ":\n" + lines + "\n"
                    + Files.readString(said.toPath()));
        }
        return Files.exists(noted) ? split(Files.readString(noted, StandardCharsets.UTF_8)) : List.of();
    }

    private static List<List<String>> split(String noted) {
        List<List<String>> calls = new ArrayList<>();
        List<String> words = Arrays.asList(noted.split("\0", -1));
        for (int at = 0; at < words.size() - 1; ) {
            int count = Integer.parseInt(words.get(at));
            calls.add(List.copyOf(words.subList(at + 1, at + 1 + count)));
            at += 1 + count;
        }
        return calls;
    }

    private static void program(Path file, String body) throws IOException {
        Files.writeString(file, "#!/bin/sh\n" + body + "\n");
        if (!file.toFile().setExecutable(true)) {
            throw new IOException("cannot make executable: " + file);
        }
    }
}
