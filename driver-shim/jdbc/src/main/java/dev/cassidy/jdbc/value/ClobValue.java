package dev.cassidy.jdbc.value;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.Reader;
import java.io.StringReader;
import java.io.StringWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.sql.Clob;
import java.sql.NClob;
import java.sql.SQLException;

/** A text that is in memory: CQL has no other. It grows as it is written. Not safe for use by several threads. */
public final class ClobValue implements NClob {

    private final StringBuilder text;

    public ClobValue(String text) {
        this.text = new StringBuilder(text);
    }

    @Override
    public long length() {
        return text.length();
    }

    @Override
    public String getSubString(long position, int length) throws SQLException {
        int from = Lobs.offset(position, text.length());
        return text.substring(from, from + Lobs.length(length, text.length() - from));
    }

    @Override
    public Reader getCharacterStream() {
        return new StringReader(text.toString());
    }

    @Override
    public Reader getCharacterStream(long position, long length) throws SQLException {
        int from = Lobs.offset(position, text.length());
        return new StringReader(text.substring(from, from + Lobs.exactLength(length, text.length() - from)));
    }

    @Override
    public InputStream getAsciiStream() throws SQLException {
        return new ByteArrayInputStream(Streams.ascii(text.toString()));
    }

    @Override
    public long position(String pattern, long start) throws SQLException {
        int at = text.indexOf(pattern, Lobs.offset(start, text.length()));
        return at < 0 ? -1 : at + 1L;
    }

    @Override
    public long position(Clob pattern, long start) throws SQLException {
        return position(pattern.getSubString(1, Math.toIntExact(pattern.length())), start);
    }

    @Override
    public int setString(long position, String given) throws SQLException {
        int from = Lobs.offset(position, text.length());
        text.replace(from, Math.min(text.length(), Math.addExact(from, given.length())), given);
        return given.length();
    }

    @Override
    public int setString(long position, String given, int offset, int length) throws SQLException {
        return setString(position, given.substring(offset, offset + length));
    }

    @Override
    public Writer setCharacterStream(long position) throws SQLException {
        int from = Lobs.offset(position, text.length());
        return new StringWriter() {
            @Override
            public void close() {
                flush();
            }

            @Override
            public void flush() {
                String written = getBuffer().toString();
                text.replace(from, Math.min(text.length(), from + written.length()), written);
            }
        };
    }

    @Override
    public OutputStream setAsciiStream(long position) throws SQLException {
        Writer writer = setCharacterStream(position);
        return new ByteArrayOutputStream() {
            @Override
            public void close() throws IOException {
                flush();
            }

            @Override
            public void flush() throws IOException {
                for (int i = 0; i < count; i++) {
                    if (buf[i] < 0) {
                        throw new IOException("must be ASCII, up to 127: byte " + (i + 1) + " is " + (buf[i] & 0xff)
                                + "; write it to setCharacterStream");
                    }
                }
                StringBuffer target = ((StringWriter) writer).getBuffer();
                target.replace(0, target.length(), toString(StandardCharsets.US_ASCII));
                ((StringWriter) writer).flush();
            }
        };
    }

    @Override
    public void truncate(long length) throws SQLException {
        text.setLength(Lobs.exactLength(length, text.length()));
    }

    @Override
    public void free() {
        text.setLength(0);
    }
}
