package dev.cassidy.jdbc.value;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.sql.Blob;
import java.sql.SQLException;
import java.util.Arrays;

/** A blob that is in memory: CQL has no other. It grows as it is written. Not safe for use by several threads. */
public final class BlobValue implements Blob {

    private byte[] bytes;

    public BlobValue(byte[] bytes) {
        this.bytes = bytes;
    }

    @Override
    public long length() {
        return bytes.length;
    }

    @Override
    public byte[] getBytes(long position, int length) throws SQLException {
        int from = Lobs.offset(position, bytes.length);
        return Arrays.copyOfRange(bytes, from, from + Lobs.length(length, bytes.length - from));
    }

    @Override
    public InputStream getBinaryStream() {
        return new ByteArrayInputStream(bytes);
    }

    @Override
    public InputStream getBinaryStream(long position, long length) throws SQLException {
        int from = Lobs.offset(position, bytes.length);
        return new ByteArrayInputStream(bytes, from, Lobs.exactLength(length, bytes.length - from));
    }

    @Override
    public long position(byte[] pattern, long start) throws SQLException {
        for (int at = Lobs.offset(start, bytes.length); at + pattern.length <= bytes.length; at++) {
            if (Arrays.equals(bytes, at, at + pattern.length, pattern, 0, pattern.length)) {
                return at + 1L;
            }
        }
        return -1;
    }

    @Override
    public long position(Blob pattern, long start) throws SQLException {
        return position(pattern.getBytes(1, Math.toIntExact(pattern.length())), start);
    }

    @Override
    public int setBytes(long position, byte[] given) throws SQLException {
        return setBytes(position, given, 0, given.length);
    }

    @Override
    public int setBytes(long position, byte[] given, int offset, int length) throws SQLException {
        int from = Lobs.offset(position, bytes.length);
        bytes = Arrays.copyOf(bytes, Math.max(bytes.length, Math.addExact(from, length)));
        System.arraycopy(given, offset, bytes, from, length);
        return length;
    }

    @Override
    public OutputStream setBinaryStream(long position) throws SQLException {
        int from = Lobs.offset(position, bytes.length);
        return new ByteArrayOutputStream() {
            @Override
            public void close() {
                flush();
            }

            @Override
            public void flush() {
                byte[] written = toByteArray();
                bytes = Arrays.copyOf(bytes, Math.max(bytes.length, from + written.length));
                System.arraycopy(written, 0, bytes, from, written.length);
            }
        };
    }

    @Override
    public void truncate(long length) throws SQLException {
        bytes = Arrays.copyOf(bytes, Lobs.exactLength(length, bytes.length));
    }

    @Override
    public void free() {
        bytes = new byte[0];
    }
}
