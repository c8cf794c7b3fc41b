package dev.cassidy.reliability.model;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import tlc2.TLC;

/** Runs TLC in its own JVM, because TLC keeps its state in statics. */
final class Tlc {

    private static final Path JAR = Path.of(
            TLC.class.getProtectionDomain().getCodeSource().getLocation().getPath());

    /** TLC's classes as a JVM maps them into memory; the first run writes it. */
    private static final Path CLASSES = Path.of("target/tlc/classes.jsa");

    private Tlc() {}

    static String version() {
        return JAR.getFileName().toString();
    }

    /**
     * @param folder has the modules and the configuration
     * @param options of the JVM
     */
    static Found run(Path folder, String module, List<String> options) throws IOException, InterruptedException {
        Path written = folder.resolve("classes.jsa").toAbsolutePath();
        List<String> command = Stream.of(
                        Stream.of(
                                Path.of(System.getProperty("java.home"), "bin", "java")
                                        .toString(),
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
                                JAR.toString(),
                                TLC.class.getName(),
                                "-workers",
                                "1",
                                "-nowarning",
                                "-metadir",
                                "states",
                                "-config",
                                Model.CONFIGURATION,
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
        return Found.of(process.exitValue(), Files.readString(output));
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
