package dev.cassidy.reliability.model;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import tlc2.TLC;

/** Runs TLC in its own JVM, because TLC keeps its state in statics. */
final class Tlc {

    /**
     * TLC's exit codes: all states were explored and every property holds; an invariant is violated; a temporal
     * property is violated.
     */
    static final int HOLDS = 0;

    static final int INVARIANT_BROKEN = 12;

    static final int PROPERTY_BROKEN = 13;

    private static final Path SPECIFICATION = Path.of("src/test/tla");

    /** TLC's classes as a JVM maps them into memory; the first run writes it. */
    private static final Path CLASSES = Path.of("target/tlc/classes.jsa");

    private static final Pattern DISTINCT = Pattern.compile("([0-9,]+) distinct states found");

    private Tlc() {}

    record Result(int exitCode, String output) {

        /** Returns how many different states were seen; 0 if TLC did not get that far. */
        long distinctStates() {
            return DISTINCT.matcher(output)
                    .results()
                    .map(MatchResult::group)
                    .map(count -> Long.parseLong(count.replaceAll("[^0-9]", "")))
                    .reduce(0L, (earlier, later) -> later);
        }
    }

    /**
     * @param module the module that the configuration is of
     * @param configuration the name of a {@code .cfg} file beside the specification
     * @param constants replace those of the configuration
     * @param invariants replace the configuration's invariants and properties; if empty, both are kept
     */
    static Result check(
            String module,
            String name,
            String configuration,
            Map<String, String> constants,
            List<String> invariants,
            String heap,
            List<String> options)
            throws IOException, InterruptedException {
        Path folder = Files.createDirectories(Path.of("target/tlc", name.replaceAll("[^a-z0-9-]", "-")));
        try (Stream<Path> files = Files.list(SPECIFICATION)) {
            for (Path file :
                    files.filter(each -> each.toString().endsWith(".tla")).toList()) {
                Files.writeString(folder.resolve(file.getFileName().toString()), Files.readString(file));
            }
        }
        String text = Files.readString(SPECIFICATION.resolve(configuration + ".cfg"));
        Files.writeString(folder.resolve("run.cfg"), changed(text, constants, invariants));

        Path written = folder.resolve("classes.jsa").toAbsolutePath();
        List<String> command = Stream.of(
                        Stream.of(
                                Path.of(System.getProperty("java.home"), "bin", "java")
                                        .toString(),
                                "-Xmx" + heap,
                                "-XX:+UseSerialGC",
                                Files.exists(CLASSES)
                                        ? "-XX:SharedArchiveFile=" + CLASSES.toAbsolutePath()
                                        : "-XX:ArchiveClassesAtExit=" + written,
                                "-Xlog:cds=off",
                                "-Xlog:cds+dynamic=off",
                                "-Djava.io.tmpdir=" + folder.toAbsolutePath()),
                        options.stream(),
                        Stream.of(
                                "-cp",
                                Path.of(TLC.class
                                                .getProtectionDomain()
                                                .getCodeSource()
                                                .getLocation()
                                                .getPath())
                                        .toString(),
                                TLC.class.getName(),
                                "-workers",
                                "1",
                                "-nowarning",
                                "-metadir",
                                "states",
                                "-config",
                                "run.cfg",
                                module + ".tla"))
                .flatMap(part -> part)
                .toList();
        Path output = folder.resolve("output.txt");
        Process process = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            if (!process.waitFor(12, TimeUnit.HOURS)) {
                throw new IllegalStateException("TLC did not end: " + folder);
            }
        } finally {
            process.destroyForcibly();
        }
        if (Files.exists(written)) {
            Files.move(written, CLASSES, StandardCopyOption.ATOMIC_MOVE);
        }
        delete(folder.resolve("states"));
        return new Result(process.exitValue(), Files.readString(output));
    }

    private static String changed(String configuration, Map<String, String> constants, List<String> invariants) {
        String text = configuration;
        for (Map.Entry<String, String> constant : constants.entrySet()) {
            Pattern line = Pattern.compile("(?m)^( +" + constant.getKey() + " = ).*$");
            if (!line.matcher(text).find()) {
                throw new IllegalArgumentException("no such constant: " + constant.getKey());
            }
            text = line.matcher(text).replaceFirst("$1" + constant.getValue());
        }
        return invariants.isEmpty()
                ? text
                : text.replaceAll(
                        "(?s)INVARIANTS.*CHECK_DEADLOCK",
                        "INVARIANTS\n    " + String.join("\n    ", invariants) + "\nCHECK_DEADLOCK");
    }

    private static void delete(Path folder) throws IOException {
        if (Files.exists(folder)) {
            try (Stream<Path> files = Files.walk(folder)) {
                for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(file);
                }
            }
        }
    }
}
