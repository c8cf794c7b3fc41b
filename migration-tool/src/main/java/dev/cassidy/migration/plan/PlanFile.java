package dev.cassidy.migration.plan;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.migration.error.MigrationException;
import dev.cassidy.migration.source.ScanLimit;
import dev.cassidy.migration.source.SourceUrl;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What {@code plan --plan FILE} writes and other commands read: the choice of tables, what the source looked like, and
 * where each sequence is to continue. Its hash covers everything else in it, so that what is executed is what was read
 * and signed.
 *
 * @param version the form of the file; another one is refused
 * @param created when it was planned, as an instant of ISO 8601
 * @param tool the version of this tool that wrote it
 * @param source the source's URL without secrets
 * @param hash {@code sha256:} and the hash of everything else
 */
public record PlanFile(
        int version, String created, String tool, String source, Choice choice, List<TableReport> tables, String hash) {

    /** The version that this tool writes and reads. */
    public static final int VERSION = 1;

    private static final JsonMapper MAPPER = JsonMapper.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
            .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
            .enable(SerializationFeature.INDENT_OUTPUT)
            .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
            .build();

    /** The tables that were chosen, by the options of the command line. */
    public record Choice(
            String keyspace,
            List<String> include,
            List<String> exclude,
            Map<String, String> map,
            Map<String, BigInteger> floor,
            boolean acceptEmpty,
            String maxScan) {

        public static Choice of(Selection selection) {
            return new Choice(
                    selection.keyspace(),
                    selection.includes(),
                    selection.excludes(),
                    selection.maps(),
                    selection.floors(),
                    selection.acceptEmpty(),
                    selection.maxScan().text());
        }

        public Selection selection() {
            return new Selection(keyspace, include, exclude, map, floor, acceptEmpty, ScanLimit.parse(maxScan));
        }
    }

    public PlanFile {
        tables = List.copyOf(tables);
    }

    /** Makes a plan, and its hash. */
    public static PlanFile of(
            String created, String tool, String source, Selection selection, List<TableReport> tables) {
        PlanFile unsigned = new PlanFile(VERSION, created, tool, source, Choice.of(selection), tables, "");
        return new PlanFile(
                VERSION, created, tool, source, unsigned.choice, tables, hash(MAPPER.valueToTree(unsigned)));
    }

    public void write(Path file) {
        try {
            Files.writeString(file, MAPPER.writeValueAsString(this) + "\n");
        } catch (IOException e) {
            throw new MigrationException(
                    ExitCode.USAGE,
                    "cannot write --plan " + file + ": " + e.getClass().getSimpleName() + " " + e.getMessage(),
                    e);
        }
    }

    /**
     * Reads a plan.
     *
     * @param signed the hash that the user expects, or null
     * @throws MigrationException {@link ExitCode#USAGE} if it is no plan of this version, {@link ExitCode#REFUSED} if its
     *     hash is not that of its content, or not the expected one
     */
    public static PlanFile read(Path file, @Nullable String signed) {
        try {
            JsonNode tree = MAPPER.readTree(Files.readString(file));
            if (!(tree instanceof ObjectNode object) || !object.path("version").isInt() || !object.has("hash")) {
                throw new MigrationException(
                        ExitCode.USAGE,
                        "is no plan: --plan " + file + "; write one with cassidy migrate plan --plan FILE");
            }
            if (object.path("version").intValue() != VERSION) {
                throw new MigrationException(
                        ExitCode.USAGE,
                        "--plan " + file + " has version " + object.path("version") + ", and this tool reads version "
                                + VERSION + ": make the plan again with this tool");
            }
            String actual = hash(object);
            String stated = object.path("hash").asText();
            if (!actual.equals(stated)) {
                throw new MigrationException(
                        ExitCode.REFUSED,
                        "--plan " + file + " was changed after it was written: its hash is " + actual + ", it states "
                                + stated + ". Make the plan again; options change it, an editor does not");
            }
            if (signed != null && !signed.equals(actual)) {
                throw new MigrationException(
                        ExitCode.REFUSED,
                        "--plan " + file + " has the hash " + actual + ", and --plan-hash is " + signed
                                + ": it is another plan than the one that was agreed on");
            }
            return MAPPER.treeToValue(object, PlanFile.class);
        } catch (JsonProcessingException e) {
            throw new MigrationException(
                    ExitCode.USAGE, "is no plan: --plan " + file + ": " + e.getOriginalMessage(), e);
        } catch (IOException e) {
            throw new MigrationException(
                    ExitCode.USAGE,
                    "cannot read --plan " + file + ": " + e.getClass().getSimpleName(),
                    e);
        }
    }

    /** Returns the hash of everything but the hash. Layout does not matter, the order of properties does. */
    private static String hash(ObjectNode plan) {
        ObjectNode rest = plan.deepCopy().without("hash");
        try {
            byte[] digest =
                    MessageDigest.getInstance("SHA-256").digest(rest.toString().getBytes(StandardCharsets.UTF_8));
            return "sha256:" + HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JVM has SHA-256", e);
        }
    }

    /** Says in what the source differs from the plan, a line for each table; empty if in nothing. */
    public List<String> differences(List<PlannedTable> now) {
        Map<String, TableReport> planned =
                tables.stream().collect(Collectors.toMap(PlanFile::column, Function.identity()));
        List<String> differences = new ArrayList<>();
        for (PlannedTable each : now) {
            TableReport found = TableReport.of(each, null);
            TableReport was = planned.remove(column(found));
            if (was == null) {
                differences.add(column(found) + " is not in the plan");
            } else if (!inputs(was).equals(inputs(found))) {
                differences.add(column(found) + " was " + inputs(was) + ", is " + inputs(found));
            }
        }
        planned.keySet().forEach(gone -> differences.add(gone + " is gone"));
        return differences;
    }

    private static String column(TableReport table) {
        return table.table() + "." + table.column();
    }

    /** What decides; a target that has moved on is no difference, since seeding only raises. */
    private static String inputs(TableReport table) {
        return table.type() + " seed " + table.seed() + " increment " + table.increment() + " furthest "
                + table.furthest() + " last value " + table.lastValue() + " next " + table.next() + " target "
                + (table.target() == null
                        ? "none"
                        : table.target().sequence() + ":" + table.target().column());
    }

    /** Refuses a plan of another source: the tables of a test system look like those of the real one. */
    public void requireSource(SourceUrl url) {
        if (!Objects.equals(source, url.toString())) {
            throw new MigrationException(
                    ExitCode.REFUSED,
                    "the plan was made of " + source + ", and --source-url is " + url
                            + ": make the plan of this source");
        }
    }
}
