package dev.cassidy.migration.rows;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.migration.error.MigrationException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The state file of a copy: what it was given, and each range that is in Cassandra completely. A line is appended, and on the
 * disk, before what it says is relied on. A line without an end, which a kill or a full disk left, says nothing. One process at a
 * time has the file. Safe for use by many threads.
 */
public final class Journal implements AutoCloseable {

    private static final int FORMAT = 1;
    private static final ObjectMapper JSON = new ObjectMapper();

    /**
     * What a copy was begun with.
     *
     * @param timestamp of the rows that are written, in microseconds since 1970
     */
    public record Header(
            String source,
            String keyspace,
            long timestamp,
            @Nullable String zone) {

        public Header withTimestamp(long micros) {
            return new Header(source, keyspace, micros, zone);
        }
    }

    /**
     * Where a table's rows go.
     *
     * @param table the source's, as {@code schema.table}
     * @param keyspace internal name, as {@code name}
     * @param leftOut {@code schema.table.column} of columns that stay behind
     */
    public record Copied(String table, String keyspace, String name, Set<String> leftOut) {

        public Copied {
            leftOut = Set.copyOf(leftOut);
        }
    }

    /** What is known of a table. */
    private static final class TableState {
        private final Copied copied;
        private final String shape;
        private final IdRanges ranges;
        private final Instant begun;
        private final Map<Integer, RowSum.Totals> done = new TreeMap<>();
        private @Nullable Long changes;
        private @Nullable String id;
        private boolean differs;

        TableState(
                Copied copied,
                String shape,
                IdRanges ranges,
                Instant begun,
                @Nullable Long changes,
                @Nullable String id) {
            this.copied = copied;
            this.shape = shape;
            this.ranges = ranges;
            this.begun = begun;
            this.changes = changes;
            this.id = id;
        }
    }

    private final Path file;
    private final FileChannel channel;
    private final Map<String, TableState> tables = new LinkedHashMap<>();
    private @Nullable Header header;
    private long lastTimestamp;
    private long end;

    private Journal(Path file, FileChannel channel) {
        this.file = file;
        this.channel = channel;
    }

    /**
     * Opens a state file, which is created if it is not there.
     *
     * @throws MigrationException {@link ExitCode#REFUSED} if another process has it, or if it is none
     */
    public static Journal open(Path file) {
        FileChannel channel;
        try {
            channel = FileChannel.open(
                    file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
        } catch (IOException e) {
            throw unusable(file, e);
        }
        try {
            FileLock lock = lock(channel);
            if (lock == null) {
                throw new MigrationException(
                        ExitCode.REFUSED,
                        "another process copies with the state file " + file
                                + ": wait until it ends, or name another file with --state");
            }
            Journal journal = new Journal(file, channel);
            journal.read();
            return journal;
        } catch (IOException e) {
            close(channel);
            throw unusable(file, e);
        } catch (RuntimeException e) {
            close(channel);
            throw e;
        }
    }

    private static @Nullable FileLock lock(FileChannel channel) throws IOException {
        try {
            return channel.tryLock();
        } catch (OverlappingFileLockException e) {
            return null;
        }
    }

    private static void close(FileChannel channel) {
        try {
            channel.close();
        } catch (IOException e) {
            // Nothing was written: the error that is on its way says more.
            return;
        }
    }

    private static MigrationException unusable(Path file, IOException e) {
        return new MigrationException(
                ExitCode.REFUSED,
                "cannot use the state file " + file + ": " + e + "; name another one with --state",
                e);
    }

    private void read() throws IOException {
        ByteBuffer content = ByteBuffer.allocate(Math.toIntExact(channel.size()));
        int read = 0;
        while (content.hasRemaining() && read >= 0) {
            read = channel.read(content, content.position());
        }
        String text = new String(content.array(), 0, content.position(), StandardCharsets.UTF_8);
        int whole = text.lastIndexOf('\n') + 1;
        int number = 0;
        for (String line : text.substring(0, whole).split("\n", -1)) {
            number++;
            if (line.isEmpty()) {
                continue;
            }
            try {
                apply(JSON.readTree(line));
            } catch (JsonProcessingException | IllegalArgumentException e) {
                throw new MigrationException(
                        ExitCode.REFUSED,
                        "is no state file of a copy, or was changed by other means: " + file + ", line " + number
                                + "; name another one with --state");
            }
        }
        end = text.substring(0, whole).getBytes(StandardCharsets.UTF_8).length;
        channel.truncate(end);
    }

    private void apply(JsonNode line) {
        if (line.has("format")) {
            if (line.get("format").asInt() != FORMAT) {
                throw new MigrationException(
                        ExitCode.REFUSED,
                        "was written by another version of this tool: " + file + ", format "
                                + line.get("format").asInt() + " instead of " + FORMAT
                                + "; finish the copy with that version");
            }
            header = new Header(
                    line.required("source").asText(),
                    line.required("keyspace").asText(),
                    line.required("timestamp").asLong(),
                    line.hasNonNull("zone") ? line.get("zone").asText() : null);
            lastTimestamp = header.timestamp();
        } else if (line.has("table")) {
            List<Long> bounds = new ArrayList<>();
            line.required("bounds").forEach(bound -> bounds.add(bound.asLong()));
            Set<String> leftOut = new HashSet<>();
            line.required("leftOut").forEach(column -> leftOut.add(column.asText()));
            Copied copied = new Copied(
                    line.get("table").asText(),
                    line.required("keyspace").asText(),
                    line.required("name").asText(),
                    leftOut);
            tables.put(
                    copied.table(),
                    new TableState(
                            copied,
                            line.required("shape").asText(),
                            new IdRanges(bounds),
                            // A file that does not say when is taken for an old one.
                            Instant.ofEpochMilli(line.path("begun").asLong()),
                            line.hasNonNull("changes") ? line.get("changes").asLong() : null,
                            // Files of earlier releases do not have it.
                            line.hasNonNull("id") ? line.get("id").asText() : null));
        } else if (line.has("done")) {
            state(line.get("done").asText())
                    .done
                    .put(
                            line.required("range").asInt(),
                            RowSum.Totals.of(
                                    line.required("rows").asLong(),
                                    line.required("sum").asText()));
        } else if (line.has("delta")) {
            state(line.get("delta").asText()).changes = line.required("to").asLong();
        } else if (line.has("compared")) {
            state(line.get("compared").asText()).differs =
                    !line.required("equal").asBoolean();
        } else if (line.has("stamp")) {
            lastTimestamp = Math.max(lastTimestamp, line.get("stamp").asLong());
        } else {
            throw new IllegalArgumentException("unknown line");
        }
    }

    private TableState state(String table) {
        TableState state = tables.get(table);
        if (state == null) {
            throw new IllegalArgumentException("no table " + table);
        }
        return state;
    }

    /** Returns what the copy was begun with; empty for a new file. */
    public synchronized Optional<Header> header() {
        return Optional.ofNullable(header);
    }

    /** Returns the latest timestamp that anything was written with, in microseconds since 1970. */
    public synchronized long lastTimestamp() {
        return lastTimestamp;
    }

    /** Begins a copy. */
    public synchronized void begin(Header given) throws IOException {
        ObjectNode line = JSON.createObjectNode()
                .put("format", FORMAT)
                .put("source", given.source())
                .put("keyspace", given.keyspace())
                .put("timestamp", given.timestamp())
                .put("zone", given.zone());
        append(line);
        apply(line);
    }

    /** Returns the ranges of a table; empty if it was not begun. */
    synchronized Optional<IdRanges> ranges(String table) {
        return Optional.ofNullable(tables.get(table)).map(state -> state.ranges);
    }

    /**
     * Requires that a table, if it was begun, still is what it was then.
     *
     * @throws MigrationException {@link ExitCode#REFUSED} if its columns are others, or it was created anew
     */
    public synchronized void requireSame(RowTable table) {
        TableState state = tables.get(table.name());
        if (state == null) {
            return;
        }
        String shape = table.target() + ": " + table.shape();
        if (!state.shape.equals(shape)) {
            throw new MigrationException(
                    ExitCode.REFUSED,
                    table.name() + " is not what it was when it was begun: was " + state.shape + ", is " + shape
                            + "; begin again with another state file, and an empty target");
        }
        String id = table.targetId();
        if (state.id != null && !state.id.equals(id)) {
            throw new MigrationException(
                    ExitCode.REFUSED,
                    table.target() + " was created anew since the copy of the state file began: it had the id "
                            + state.id + ", and has " + id
                            + ". Begin again with another state file, or name that of the later copy");
        }
    }

    /** Returns whether a table was begun. */
    synchronized boolean isBegun(String table) {
        return tables.containsKey(table);
    }

    /**
     * Begins a table.
     *
     * @param begun before anything of it is read
     * @param changes the version since which the source knows the table's changes, before anything of it is read; empty if it does
     *     not track them
     * @param id of Cassandra's table
     */
    synchronized void begin(
            Copied copied, String shape, IdRanges ranges, Instant begun, OptionalLong changes, @Nullable String id)
            throws IOException {
        ObjectNode line = JSON.createObjectNode()
                .put("table", copied.table())
                .put("keyspace", copied.keyspace())
                .put("name", copied.name())
                .put("shape", shape)
                .put("begun", begun.toEpochMilli())
                .put("changes", changes.isPresent() ? changes.getAsLong() : null)
                .put("id", id);
        ArrayNode leftOut = line.putArray("leftOut");
        copied.leftOut().forEach(leftOut::add);
        ArrayNode bounds = line.putArray("bounds");
        ranges.bounds().forEach(bounds::add);
        append(line);
        apply(line);
    }

    /** Returns the tables that were begun. */
    public synchronized List<Copied> tables() {
        return tables.values().stream().map(state -> state.copied).toList();
    }

    /** Returns when a table was begun. */
    public synchronized Instant begun(String table) {
        return state(table).begun;
    }

    /** Returns how many ranges of a table are not done. */
    public synchronized int rangesLeft(String table) {
        TableState state = state(table);
        return state.ranges.count() - state.done.size();
    }

    /** Records that every row of a range is in Cassandra. */
    synchronized void done(String table, int range, RowSum.Totals totals) throws IOException {
        ObjectNode line = JSON.createObjectNode()
                .put("done", table)
                .put("range", range)
                .put("rows", totals.rows())
                .put("sum", totals.sum());
        append(line);
        apply(line);
    }

    /** Records whether a table's rows were equal when they were compared last, or were made equal. */
    public synchronized void compared(String table, boolean equal) throws IOException {
        ObjectNode line = JSON.createObjectNode().put("compared", table).put("equal", equal);
        append(line);
        apply(line);
    }

    /** Returns whether rows of a table differed when they were compared last, and were not repaired since. */
    public synchronized boolean differs(String table) {
        return state(table).differs;
    }

    /** Returns what was copied of the ranges that are complete. */
    synchronized Map<Integer, RowSum.Totals> done(String table) {
        TableState state = tables.get(table);
        return state == null ? Map.of() : Map.copyOf(state.done);
    }

    /**
     * Records a timestamp that is about to be used, so that what it is written with is known to be the copy's.
     *
     * @param wanted is taken if it is later than every one before
     * @return in microseconds since 1970
     */
    synchronized long stamp(long wanted) throws IOException {
        long stamp = Math.max(wanted, lastTimestamp + 1);
        ObjectNode line = JSON.createObjectNode().put("stamp", stamp);
        append(line);
        apply(line);
        return stamp;
    }

    /** Records that a table has the source's changes up to a version. */
    synchronized void delta(String table, long version) throws IOException {
        ObjectNode line = JSON.createObjectNode().put("delta", table).put("to", version);
        append(line);
        apply(line);
    }

    /** Returns the version up to which a table has the source's changes; empty if they are not tracked. */
    synchronized OptionalLong changes(String table) {
        TableState state = tables.get(table);
        Long version = state == null ? null : state.changes;
        return version == null ? OptionalLong.empty() : OptionalLong.of(version);
    }

    private void append(ObjectNode line) throws IOException {
        byte[] bytes = (JSON.writeValueAsString(line) + "\n").getBytes(StandardCharsets.UTF_8);
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        try {
            long at = end;
            while (buffer.hasRemaining()) {
                at += channel.write(buffer, at);
            }
            channel.force(false);
        } catch (IOException e) {
            try {
                // Half a line would be dropped anyway; without it, the file reads well for people too.
                channel.truncate(end);
            } catch (IOException again) {
                e.addSuppressed(again);
            }
            throw new IOException("cannot write to the state file " + file + ": " + e.getMessage(), e);
        }
        end += bytes.length;
    }

    @Override
    public void close() {
        close(channel);
    }
}
