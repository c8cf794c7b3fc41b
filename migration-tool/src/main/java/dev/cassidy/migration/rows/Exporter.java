package dev.cassidy.migration.rows;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.StreamWriteFeature;
import com.fasterxml.jackson.core.util.MinimalPrettyPrinter;
import com.fasterxml.jackson.dataformat.csv.CsvFactory;
import com.fasterxml.jackson.dataformat.csv.CsvGenerator;
import com.fasterxml.jackson.dataformat.csv.CsvSchema;
import dev.cassidy.definition.RowMark;
import dev.cassidy.definition.Twin;
import dev.cassidy.migration.source.Source;
import java.io.IOException;
import java.io.OutputStream;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Writes rows to files that DSBulk loads: a folder for each table, and a file for each of its ranges. A file has its name when
 * it is complete and on the disk; the state file in the folder of the export says which ones are.
 */
public final class Exporter {

    /** The form of the files. */
    public enum Format {
        /**
         * With a line of names. Texts are in quotes, which are doubled within them; an empty text is {@code ""}, and nothing is
         * NULL.
         */
        CSV,
        /** An object in each line. */
        JSON;

        String extension() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private final Source source;
    private final CopySettings settings;
    private final Path folder;
    private final Format format;
    private final RangeRunner runner;

    /** @param journal begun */
    public Exporter(
            Source source,
            Journal journal,
            CopySettings settings,
            Path folder,
            Format format,
            RangeProgress progress,
            LongSupplier nanoClock) {
        this.source = source;
        this.settings = settings;
        this.folder = folder;
        this.format = format;
        this.runner = new RangeRunner(source, journal, settings, progress, nanoClock);
    }

    /** Returns the folder of a table's files. */
    public static Path folderOf(Path folder, RowTable table) {
        return folder.resolve(table.metadata().getKeyspace().asInternal() + "."
                + table.metadata().getName().asInternal());
    }

    /**
     * Writes what the state file does not have.
     *
     * @param now when tables begin that are not begun yet
     */
    public CopyResult export(List<RowTable> tables, Instant now) throws IOException, InterruptedException {
        runner.plan(tables, Optional.empty(), now);
        for (RowTable table : tables) {
            Files.createDirectories(folderOf(folder, table));
        }
        return runner.run(tables, this::write);
    }

    private RowSum.Totals write(
            Connection connection, RowTable table, int range, String select, BooleanSupplier stopped)
            throws SQLException, IOException {
        Path file =
                folderOf(folder, table).resolve(String.format(Locale.ROOT, "%05d.%s", range + 1, format.extension()));
        Path part = file.resolveSibling(file.getFileName() + ".part");
        try {
            RowSum.Totals totals;
            try (FileChannel channel = FileChannel.open(
                            part,
                            StandardOpenOption.CREATE,
                            StandardOpenOption.WRITE,
                            StandardOpenOption.TRUNCATE_EXISTING);
                    OutputStream out = Channels.newOutputStream(channel)) {
                totals = write(connection, table, select, out, stopped);
                channel.force(true);
            }
            if (!stopped.getAsBoolean()) {
                Files.move(part, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            }
            return totals;
        } catch (IOException e) {
            throw new IOException("cannot write " + file + ": " + e.getMessage(), e);
        } finally {
            Files.deleteIfExists(part);
        }
    }

    /** Writes all rows of a query, and closes nothing but what it opened. */
    private RowSum.Totals write(
            Connection connection, RowTable table, String select, OutputStream out, BooleanSupplier stopped)
            throws SQLException, IOException {
        RowSum sum = new RowSum();
        try (JsonGenerator generator = generator(table, out);
                Statement statement = RangeRunner.statement(source, connection);
                ResultSet found = statement.executeQuery(select)) {
            while (found.next() && !stopped.getAsBoolean()) {
                sum.add(table.read(
                        found,
                        settings.losses(),
                        generator,
                        format == Format.CSV ? Exporter::writeCsv : Exporter::write));
            }
        }
        return sum.totals();
    }

    private JsonGenerator generator(RowTable table, OutputStream out) throws IOException {
        if (format == Format.JSON) {
            JsonGenerator generator = new JsonFactory().createGenerator(out);
            generator.enable(StreamWriteFeature.WRITE_BIGDECIMAL_AS_PLAIN.mappedFeature());
            generator.disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET);
            return generator.setPrettyPrinter(new MinimalPrettyPrinter("\n"));
        }
        CsvSchema.Builder schema = CsvSchema.builder().setUseHeader(true);
        table.columns().forEach(column -> schema.addColumn(column.to().asInternal()));
        if (table.isMarked()) {
            schema.addColumn(RowMark.COLUMN);
        }
        CsvGenerator generator = CsvFactory.builder()
                .enable(CsvGenerator.Feature.ALWAYS_QUOTE_STRINGS)
                .build()
                .createGenerator(out);
        generator.setSchema(schema.build());
        generator.enable(StreamWriteFeature.WRITE_BIGDECIMAL_AS_PLAIN.mappedFeature());
        generator.disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET);
        return generator;
    }

    /** The form of a key of blanks is U+0000, which readers of CSV take for other things. */
    private static void writeCsv(JsonGenerator generator, String name, @Nullable Object value) throws IOException {
        if (value instanceof String text && text.indexOf('\0') >= 0) {
            throw new RowRefused("column " + Twin.original(name)
                    + " has a text with U+0000, as the key of a text of blanks has, and CSV has no form for it: export"
                    + " with --format json");
        }
        write(generator, name, value);
    }

    private static void write(JsonGenerator generator, String name, @Nullable Object value) throws IOException {
        generator.writeFieldName(name);
        if (value == null) {
            generator.writeNull();
        } else if (value instanceof Boolean truth) {
            generator.writeBoolean(truth);
        } else if (value instanceof BigDecimal number) {
            generator.writeNumber(number);
        } else if (value instanceof Double number) {
            generator.writeNumber(number);
        } else if (value instanceof Float number) {
            generator.writeNumber(number);
        } else if (value instanceof BigInteger number) {
            generator.writeNumber(number);
        } else if (value instanceof Number number) {
            generator.writeNumber(number.longValue());
        } else if (value instanceof ByteBuffer bytes) {
            byte[] copy = new byte[bytes.remaining()];
            bytes.duplicate().get(copy);
            generator.writeString(Base64.getEncoder().encodeToString(copy));
        } else if (value instanceof Instant instant) {
            generator.writeString(instant.toString());
        } else {
            generator.writeString(value.toString());
        }
    }
}
