package dev.cassidy.recorder;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The file of a process: one JSON object a line, appended. Its name has the host and the process, and it is locked, so that no
 * two write to one file; it continues a file that a recorder began, and no other. Safe for use by many threads.
 */
final class FactFile {

    /** What each session of a recorder begins with. */
    static final String BEGINNING = "{\"recorder\":";

    private static final int MAX_NAMES = 100;

    /** Lines that wait to be written; further ones are counted and left out. */
    private static final int MAX_WAITING = 100_000;

    private final Path path;
    private final FileChannel channel;
    /** Held for as long as the channel is open. */
    @SuppressWarnings("unused")
    private final FileLock lock;

    private final long maxBytes;
    private final ConcurrentLinkedQueue<String> waiting = new ConcurrentLinkedQueue<>();
    private final AtomicInteger waitingCount = new AtomicInteger();
    private final AtomicLong leftOut = new AtomicLong();

    /** Guarded by this. */
    private long size;

    private volatile boolean ended;

    private FactFile(Path path, FileChannel channel, FileLock lock, long maxBytes) throws IOException {
        this.path = path;
        this.channel = channel;
        this.lock = lock;
        this.size = channel.size();
        this.maxBytes = maxBytes;
    }

    /**
     * Opens the file of this process: {@code base-host-pid.jsonl}, or {@code base-host-pid-2.jsonl} and so on if another class
     * loader or process has that one, or something else has its name.
     *
     * @param process host and number of the process
     * @param maxBytes its largest size
     */
    static FactFile open(String base, String process, long maxBytes) throws IOException {
        String name = base + '-' + process.replaceAll("[^A-Za-z0-9._-]", "_");
        for (int number = 1; number <= MAX_NAMES; number++) {
            Path path = java.nio.file.Paths.get(name + (number == 1 ? "" : "-" + number) + ".jsonl");
            FactFile file = isOurs(path) ? lock(path, maxBytes) : null;
            if (file != null) {
                return file;
            }
        }
        throw new IOException(MAX_NAMES + " files that begin with " + name + " are in use, or are no records");
    }

    /** Returns whether the file is missing, empty or a record. */
    private static boolean isOurs(Path path) throws IOException {
        if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
            return true;
        }
        if (!Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS)) {
            return false;
        }
        try (FileChannel in = FileChannel.open(path, StandardOpenOption.READ)) {
            ByteBuffer begins = ByteBuffer.allocate(BEGINNING.length());
            while (begins.hasRemaining() && in.read(begins) >= 0) {
                // Reads on.
            }
            String read = new String(begins.array(), 0, begins.position(), StandardCharsets.US_ASCII);
            return read.isEmpty() || read.equals(BEGINNING);
        }
    }

    private static @Nullable FactFile lock(Path path, long maxBytes) throws IOException {
        Set<OpenOption> options = new HashSet<>(Arrays.asList(
                StandardOpenOption.CREATE,
                StandardOpenOption.WRITE,
                StandardOpenOption.APPEND,
                LinkOption.NOFOLLOW_LINKS));
        FileChannel channel = FileChannel.open(path, options);
        boolean locked = false;
        try {
            FileLock lock = channel.tryLock();
            if (lock != null) {
                FactFile file = new FactFile(path, channel, lock, maxBytes);
                locked = true;
                return file;
            }
            return null;
        } catch (OverlappingFileLockException e) {
            // Another class loader of this process.
            return null;
        } finally {
            if (!locked) {
                channel.close();
            }
        }
    }

    Path path() {
        return path;
    }

    /** Adds a line, to be written soon; counts it as left out if too many wait. Never waits. */
    void add(JsonLine line) {
        if (ended || waitingCount.get() >= MAX_WAITING) {
            leftOut.incrementAndGet();
            return;
        }
        waitingCount.incrementAndGet();
        waiting.add(line.toString());
    }

    /** Returns how many lines were left out, because there was no room for them. */
    long leftOut() {
        return leftOut.get();
    }

    /**
     * Writes what waits, as far as the file may grow.
     *
     * @param last whether these are a session's last lines, of which there are few: they are written in any case
     */
    synchronized void flush(boolean last) throws IOException {
        StringBuilder text = new StringBuilder();
        for (String line = waiting.poll(); line != null; line = waiting.poll()) {
            waitingCount.decrementAndGet();
            if (last || size + text.length() + line.length() <= maxBytes) {
                text.append(line);
            } else {
                leftOut.incrementAndGet();
            }
        }
        ByteBuffer bytes = ByteBuffer.wrap(text.toString().getBytes(StandardCharsets.US_ASCII));
        size += bytes.remaining();
        while (bytes.hasRemaining()) {
            channel.write(bytes);
        }
    }

    /** Writes nothing any more. */
    synchronized void close() throws IOException {
        ended = true;
        channel.close();
    }
}
