package dev.cassidy.migration.assess;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.migration.error.MigrationException;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/** A file of a recorder: the sessions of one process after the other, each a line for each fact. */
public final class RecordFile {

    /** Of the lines that this reads. */
    private static final int VERSION = 1;

    private static final String STATEMENT = "statement ";
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Observation seen;
    private final Set<String> notes = new TreeSet<>();
    private final Map<Integer, Observation.Statement> statements = new HashMap<>();
    private final Map<String, Long> counts = new HashMap<>();
    private long executions;
    private boolean begun;
    private boolean ended;

    private RecordFile(Observation seen) {
        this.seen = seen;
    }

    /** Returns the files that a path names: itself, or the files of a folder that end with {@code .jsonl}. */
    public static List<Path> files(Path path) {
        if (!Files.isDirectory(path)) {
            return List.of(path);
        }
        try (Stream<Path> files = Files.list(path)) {
            return files.filter(file -> file.toString().endsWith(".jsonl"))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw unreadable(path, e);
        }
    }

    /**
     * Adds what a file holds.
     *
     * @throws MigrationException {@link ExitCode#USAGE} if it is no record, or of a later version
     */
    public static void read(Path file, Observation seen) {
        RecordFile record = new RecordFile(seen);
        long unread = 0;
        try (BufferedReader lines = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (!record.add(file, line)) {
                    unread++;
                }
            }
        } catch (IOException e) {
            throw unreadable(file, e);
        }
        if (!record.begun) {
            throw new MigrationException(
                    ExitCode.USAGE,
                    "must be the file of a recorder, which begins with {\"recorder\": --record " + file);
        }
        record.endSession();
        seen.addInput(new Observation.Input("record " + file, record.executions, 0, unread, record.notes));
    }

    private static MigrationException unreadable(Path file, IOException e) {
        return new MigrationException(
                ExitCode.USAGE,
                "cannot read --record " + file + ": " + e.getClass().getSimpleName(),
                e);
    }

    /** Returns whether the line could be read: a process that is killed may leave the beginning of one. */
    private boolean add(Path file, String line) {
        JsonNode fact;
        try {
            fact = JSON.readTree(line);
        } catch (JsonProcessingException e) {
            return false;
        }
        if (fact.has("recorder")) {
            beginSession(file, fact.get("recorder").asInt());
        } else if (!begun) {
            return false;
        } else if (fact.has("product")) {
            seen.addDatabase(fact.get("product").asText());
        } else if (fact.has("statement")) {
            addStatement(fact);
        } else if (fact.has("call")) {
            addCall(fact);
        } else if (fact.has("bound")) {
            notes.add("it has room for " + fact.path("most").asInt() + " "
                    + fact.get("bound").asText() + ", and there were more");
        } else if (fact.has("end")) {
            end(fact);
        } else {
            // Transactions are for a later judge.
            return fact.has("transaction");
        }
        return true;
    }

    private void beginSession(Path file, int version) {
        if (version > VERSION) {
            throw new MigrationException(
                    ExitCode.USAGE,
                    "was written by a later recorder, whose version is " + version + " and not " + VERSION
                            + ": --record " + file + ". Use the tool of the same release");
        }
        endSession();
        begun = true;
        ended = false;
        statements.clear();
        counts.clear();
    }

    private void addStatement(JsonNode fact) {
        int id = fact.get("statement").asInt();
        if (fact.has("kind")) {
            statements.put(
                    id,
                    seen.statement(
                            fact.get("kind").asText(),
                            fact.path("sql").asText(),
                            fact.path("unread").asText()));
        }
        Observation.Statement statement = statements.get(id);
        if (statement == null) {
            // Its first line had no room; the end of the session tells how often it ran.
            return;
        }
        statement.keys |= fact.path("keys").asBoolean();
        statement.afterWrite |= fact.path("afterWrite").asBoolean();
        if (fact.has("rows")) {
            statement.rows.add(fact.get("rows").asText());
        }
        if (fact.has("at")) {
            statement.addSite(fact.get("at").asText());
        }
        if (fact.has("count")) {
            long more = more(STATEMENT + id, fact);
            statement.executions += more;
            executions += more;
        }
    }

    private void addCall(JsonNode fact) {
        String method = fact.get("call").asText()
                + (fact.has("with") ? " " + fact.get("with").asText() : "");
        Observation.Call call = seen.call(method);
        if (fact.has("at")) {
            call.addSite(fact.get("at").asText());
        }
        if (fact.has("count")) {
            call.times += more("call " + method, fact);
        }
    }

    /** Returns by how much a count has grown since the last line with it. */
    private long more(String of, JsonNode fact) {
        long now = fact.get("count").asLong();
        Long before = counts.put(of, now);
        return Math.max(0, now - (before == null ? 0 : before));
    }

    private void end(JsonNode fact) {
        ended = true;
        long notRecorded = fact.path("notRecorded").asLong();
        executions += notRecorded;
        seen.dropped(notRecorded);
        long leftOut = fact.path("leftOut").asLong();
        if (leftOut > 0) {
            notes.add("it had no room for " + leftOut + " facts");
        }
        long counted = counts.entrySet().stream()
                .filter(each -> each.getKey().startsWith(STATEMENT))
                .mapToLong(Map.Entry::getValue)
                .sum();
        long lost = fact.path("executions").asLong() - counted - notRecorded;
        if (lost > 0) {
            // Of statements whose first line had no room.
            executions += lost;
            seen.dropped(lost);
        }
    }

    private void endSession() {
        if (begun && !ended) {
            notes.add("a process did not end, or still runs: what its statements ran is a lower bound");
        }
    }
}
