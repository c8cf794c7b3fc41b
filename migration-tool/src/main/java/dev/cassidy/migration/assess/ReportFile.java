package dev.cassidy.migration.assess;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * A file of a report. It replaces nothing but an older report.
 *
 * @param beginning what such a file begins with
 */
public record ReportFile(Path path, Pattern beginning) {

    private static final int LONGEST_BEGINNING = 1_000;

    /** Returns the file of a report, by its name: JSON, or a page. */
    public static ReportFile of(Path path) {
        return new ReportFile(
                path,
                path.toString().toLowerCase(Locale.ROOT).endsWith(".json")
                        ? Pattern.compile("\\{\\s*\"command\"\\s*:\\s*\"assess\"")
                        : Pattern.compile("<!DOCTYPE html>[^\\x00]*?<title>Cassidy's assessment</title>"));
    }

    /** Returns whether the file is missing, or an older report. */
    public boolean isReplaceable() {
        if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
            return true;
        }
        if (!Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS)) {
            return false;
        }
        try (InputStream in = Files.newInputStream(path, LinkOption.NOFOLLOW_LINKS)) {
            String begins = new String(in.readNBytes(LONGEST_BEGINNING), StandardCharsets.UTF_8);
            return beginning.matcher(begins).lookingAt();
        } catch (IOException e) {
            return false;
        }
    }

    /** Writes the text as a whole, or changes nothing. */
    public void replace(String text) throws IOException {
        if (!isReplaceable()) {
            throw new IOException(path + " is no report of an assessment, and is not replaced");
        }
        Path fresh = Files.createTempFile(
                path.toAbsolutePath().getParent(), path.getFileName().toString(), ".new");
        try {
            Files.writeString(fresh, text);
            Files.move(fresh, path, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            Files.deleteIfExists(fresh);
        }
    }
}
