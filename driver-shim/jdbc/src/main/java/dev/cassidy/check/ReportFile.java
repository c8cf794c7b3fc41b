package dev.cassidy.check;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.regex.Pattern;

/**
 * A file of a report. It replaces nothing but an older report.
 *
 * @param beginning what such a file begins with
 */
record ReportFile(Path path, Pattern beginning) {

    private static final int LONGEST_BEGINNING = 1_000;

    /** Returns the files of a report: JSON, the text beside it, and the page. */
    static List<ReportFile> of(Path json) {
        return List.of(
                new ReportFile(json, Pattern.compile("\\{\\s*(\"version\"\\s*:\\s*[0-9]+\\s*,\\s*)?\"database\"\\s*:")),
                new ReportFile(beside(json, ".txt"), Pattern.compile("Cassidy's check of an application on ")),
                new ReportFile(
                        beside(json, ".html"),
                        Pattern.compile("<!DOCTYPE html>[^\\x00]*?<title>Cassidy's check</title>")));
    }

    private static Path beside(Path json, String extension) {
        return json.resolveSibling(json.getFileName().toString().replaceFirst("\\.json$", "") + extension);
    }

    /** Returns whether the file is missing, or an older report. */
    boolean isReplaceable() {
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
    void replace(String text) throws IOException {
        if (!isReplaceable()) {
            throw new IOException(path + " is no report of a check, and is not replaced");
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
