package dev.cassidy.transaction;

import dev.cassidy.table.TableWrites;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The rows of a transaction as the bytes that its record has. The first byte is the version, 1. Numbers are big-endian; strings and
 * values have their length before them, and null is the length -1. What was expected is not in it: only the commit needs it.
 */
public final class ChangesCodec {

    /** The largest size, in bytes: 4 MiB. A record is one write, and Cassandra refuses those of half a segment of its commit log. */
    public static final int MAX_BYTES = 4 << 20;

    private static final int VERSION = 1;

    /** By number, so that a kind may be renamed. */
    private static final List<RowChange.Kind> KINDS = List.of(
            RowChange.Kind.FRESH,
            RowChange.Kind.INSERT,
            RowChange.Kind.UPDATE,
            RowChange.Kind.DELETE,
            RowChange.Kind.REPLACE,
            RowChange.Kind.CHECK);

    private ChangesCodec() {}

    /**
     * Returns the bytes of the rows.
     *
     * @throws TransactionFailedException if they are more than {@link #MAX_BYTES}
     */
    public static ByteBuffer encode(List<RowChange> changes) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeByte(VERSION);
            out.writeInt(changes.size());
            for (RowChange row : changes) {
                write(row, out);
                if (out.size() > MAX_BYTES) {
                    throw new TransactionFailedException(
                            "the rows of a transaction must have at most " + MAX_BYTES + " bytes in all, and these "
                                    + changes.size() + " rows have more: nothing was written. Commit more often",
                            null);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return ByteBuffer.wrap(bytes.toByteArray());
    }

    /**
     * Returns the rows; the buffer's position does not change.
     *
     * @throws IllegalArgumentException if they are of a later version or broken
     */
    public static List<RowChange> decode(ByteBuffer encoded) {
        byte[] bytes = new byte[encoded.remaining()];
        encoded.duplicate().get(bytes);
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
            int version = in.readUnsignedByte();
            if (version != VERSION) {
                throw new IllegalArgumentException("a transaction's record is of version " + version
                        + ", and this release of Cassidy reads version " + VERSION + ": use the release that wrote it");
            }
            int count = in.readInt();
            List<RowChange> changes = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                changes.add(read(in));
            }
            return changes;
        } catch (IOException e) {
            throw new IllegalArgumentException("a transaction's record is broken: " + bytes.length + " bytes", e);
        }
    }

    private static void write(RowChange row, DataOutputStream out) throws IOException {
        TableWrites table = row.table();
        writeString(table.keyspace(), out);
        writeString(table.table(), out);
        writeString(table.home(), out);
        writeId(table.fresh(), out);
        writeId(row.tableId(), out);
        out.writeByte(KINDS.indexOf(row.kind()));
        out.writeInt(row.partitionColumns());
        writeColumns(row.key(), out);
        writeColumns(row.values(), out);
    }

    private static RowChange read(DataInputStream in) throws IOException {
        String keyspace = readString(in);
        String name = readString(in);
        String home = readString(in);
        UUID fresh = readId(in);
        UUID tableId = readId(in);
        int kind = in.readUnsignedByte();
        if (kind >= KINDS.size()) {
            throw new IllegalArgumentException("a transaction's record is broken: a row of kind " + kind);
        }
        int partitionColumns = in.readInt();
        return new RowChange(
                new TableWrites(keyspace, name, home, fresh, false),
                readColumns(in),
                partitionColumns,
                Map.of(),
                KINDS.get(kind),
                readColumns(in),
                tableId);
    }

    private static void writeId(@Nullable UUID id, DataOutputStream out) throws IOException {
        out.writeBoolean(id != null);
        if (id != null) {
            out.writeLong(id.getMostSignificantBits());
            out.writeLong(id.getLeastSignificantBits());
        }
    }

    private static @Nullable UUID readId(DataInputStream in) throws IOException {
        return in.readBoolean() ? new UUID(in.readLong(), in.readLong()) : null;
    }

    private static void writeColumns(Map<String, ? extends @Nullable ByteBuffer> columns, DataOutputStream out)
            throws IOException {
        out.writeInt(columns.size());
        for (Map.Entry<String, ? extends @Nullable ByteBuffer> column : columns.entrySet()) {
            writeString(column.getKey(), out);
            writeBytes(column.getValue(), out);
        }
    }

    private static Map<String, ByteBuffer> readColumns(DataInputStream in) throws IOException {
        Map<String, ByteBuffer> columns = new LinkedHashMap<>();
        int count = in.readInt();
        for (int i = 0; i < count; i++) {
            columns.put(readString(in), readBytes(in));
        }
        return columns;
    }

    private static void writeString(String text, DataOutputStream out) throws IOException {
        writeBytes(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)), out);
    }

    private static String readString(DataInputStream in) throws IOException {
        ByteBuffer bytes = readBytes(in);
        return bytes == null ? "" : StandardCharsets.UTF_8.decode(bytes).toString();
    }

    private static void writeBytes(@Nullable ByteBuffer value, DataOutputStream out) throws IOException {
        if (value == null) {
            out.writeInt(-1);
            return;
        }
        byte[] bytes = new byte[value.remaining()];
        value.duplicate().get(bytes);
        out.writeInt(bytes.length);
        out.write(bytes);
    }

    private static @Nullable ByteBuffer readBytes(DataInputStream in) throws IOException {
        int length = in.readInt();
        if (length < 0) {
            return null;
        }
        // No more than there is: a broken length must not ask for memory.
        byte[] bytes = in.readNBytes(length);
        if (bytes.length < length) {
            throw new IOException("ends within a value");
        }
        return ByteBuffer.wrap(bytes);
    }
}
