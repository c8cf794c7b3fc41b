package dev.cassidy.functions;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The script {@code crdt-functions.cql} as statements, for those who install it through a driver. */
public final class CrdtScript {

    private static final String RESOURCE = "crdt-functions.cql";
    private static final Pattern CREATED = Pattern.compile("^(CREATE OR REPLACE (?:FUNCTION|AGGREGATE)) ");

    private CrdtScript() {}

    /**
     * Returns the script's statements in the order in which they must run, without their terminators. They replace what
     * an earlier run created, and create it in the given keyspace.
     *
     * @param keyspace as CQL writes it: in double quotes if it is case-sensitive
     */
    public static List<String> statements(String keyspace) {
        String qualified = "$1 " + Matcher.quoteReplacement(keyspace) + ".";
        return statements().stream()
                .map(statement -> CREATED.matcher(statement).replaceFirst(qualified))
                .collect(Collectors.toUnmodifiableList());
    }

    /** As {@link #statements(String)}, for the keyspace that the session uses. */
    public static List<String> statements() {
        try (InputStream script = CrdtScript.class.getResourceAsStream(RESOURCE)) {
            if (script == null) {
                throw new IllegalStateException("missing from the class path: dev/cassidy/functions/" + RESOURCE);
            }
            return split(new BufferedReader(new InputStreamReader(script, UTF_8)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Splits a script whose statements end at a line's end, and whose comments are lines between statements. */
    static List<String> split(BufferedReader script) throws IOException {
        List<String> statements = new ArrayList<>();
        StringBuilder statement = new StringBuilder();
        boolean insideBody = false;
        for (String line = script.readLine(); line != null; line = script.readLine()) {
            if (statement.length() == 0 && (line.isBlank() || line.startsWith("--"))) {
                continue;
            }
            // A body's own semicolons end nothing.
            for (int at = line.indexOf("$$"); at >= 0; at = line.indexOf("$$", at + 2)) {
                insideBody = !insideBody;
            }
            statement.append(line);
            if (!insideBody && line.endsWith(";")) {
                statements.add(statement.substring(0, statement.length() - 1));
                statement.setLength(0);
            } else {
                statement.append('\n');
            }
        }
        if (statement.length() > 0) {
            throw new IllegalStateException("a statement without an end: " + statement);
        }
        return List.copyOf(statements);
    }
}
