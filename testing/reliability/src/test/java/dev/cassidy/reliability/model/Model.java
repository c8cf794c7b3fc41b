package dev.cassidy.reliability.model;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A model in {@code src/test/tla}. TLC explores every state, so what it finds depends on nothing but the texts that it reads.
 * Therefore results are recorded beside the model, under the hash of these texts and TLC's version, and TLC runs only what is
 * not recorded. {@code -Dmodel.again=true} runs everything. {@code target/tlc} has the record of the last test.
 *
 * @param module its name
 */
record Model(String module) {

    static final String CONFIGURATION = "run.cfg";

    private static final Path SPECIFICATIONS = Path.of("src/test/tla");
    private static final Path TARGET = Path.of("target/tlc");
    private static final Pattern EXTENDS = Pattern.compile("(?m)^EXTENDS (.*)$");
    private static final boolean AGAIN = Boolean.getBoolean("model.again");

    /**
     * One exploration.
     *
     * @param configuration the name of a {@code .cfg} file beside the model
     * @param constants replace those of the configuration
     * @param invariants replace the configuration's invariants and properties; if empty, both are kept
     */
    record Run(String name, String configuration, Map<String, String> constants, List<String> invariants) {}

    /** Returns what is recorded, or else runs TLC. */
    Found check(Run run, List<String> options) throws IOException, InterruptedException {
        if (!AGAIN) {
            String hash = hash(run);
            for (Line line : Line.read(SPECIFICATIONS.resolve(recordFile()))) {
                if (line.hash.equals(hash)) {
                    record(line);
                    return line.found.withAccount(
                            "in " + SPECIFICATIONS.resolve(recordFile()) + "; -Dmodel.again=true runs TLC");
                }
            }
        }
        return explore(run, options);
    }

    /** Runs TLC. */
    Found explore(Run run, List<String> options) throws IOException, InterruptedException {
        Path folder = Files.createDirectories(TARGET.resolve(run.name.replaceAll("[^a-z0-9-]", "-")));
        for (Map.Entry<String, String> text : texts(run).entrySet()) {
            Files.writeString(folder.resolve(text.getKey()), text.getValue());
        }
        Found found = Tlc.run(folder, module, options);
        record(new Line(hash(run), found, run.name));
        return found;
    }

    private String recordFile() {
        return module + ".found";
    }

    /** One line of the record. */
    private record Line(String hash, Found found, String name) {

        static List<Line> read(Path file) throws IOException {
            if (!Files.exists(file)) {
                return List.of();
            }
            List<Line> lines = new ArrayList<>();
            for (String text : Files.readAllLines(file)) {
                String[] parts = text.split("\\|", -1);
                lines.add(new Line(
                        parts[1],
                        new Found(Integer.parseInt(parts[2]), Long.parseLong(parts[3]), parts[4], ""),
                        parts[0]));
            }
            return lines;
        }

        String text() {
            return String.join(
                    "|",
                    name,
                    hash,
                    Integer.toString(found.exitCode()),
                    Long.toString(found.states()),
                    found.violated());
        }
    }

    private void record(Line line) throws IOException {
        Path file = Files.createDirectories(TARGET).resolve(recordFile());
        Stream<Line> others = Line.read(file).stream().filter(each -> !each.name.equals(line.name));
        Files.write(
                file,
                Stream.concat(others, Stream.of(line)).map(Line::text).sorted().toList());
    }

    private String hash(Run run) throws IOException {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update(Tlc.version().getBytes(StandardCharsets.UTF_8));
            for (Map.Entry<String, String> text : texts(run).entrySet()) {
                for (String part : List.of(text.getKey(), text.getValue())) {
                    byte[] bytes = part.getBytes(StandardCharsets.UTF_8);
                    digest.update((bytes.length + ":").getBytes(StandardCharsets.UTF_8));
                    digest.update(bytes);
                }
            }
            return HexFormat.of().formatHex(digest.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has it", e);
        }
    }

    /** Returns all that TLC reads, by the names of the files. */
    private Map<String, String> texts(Run run) throws IOException {
        Map<String, String> texts = new LinkedHashMap<>();
        addModule(module, texts);
        texts.put(
                CONFIGURATION,
                changed(
                        Files.readString(SPECIFICATIONS.resolve(run.configuration + ".cfg")),
                        run.constants,
                        run.invariants));
        return texts;
    }

    /** Adds the module and those that it extends, apart from TLC's own. */
    private static void addModule(String name, Map<String, String> texts) throws IOException {
        Path file = SPECIFICATIONS.resolve(name + ".tla");
        if (!Files.exists(file) || texts.containsKey(name + ".tla")) {
            return;
        }
        String text = Files.readString(file);
        texts.put(name + ".tla", text);
        Matcher matcher = EXTENDS.matcher(text);
        if (matcher.find()) {
            for (String extended : Arrays.stream(matcher.group(1).split(","))
                    .map(String::strip)
                    .toList()) {
                addModule(extended, texts);
            }
        }
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
}
