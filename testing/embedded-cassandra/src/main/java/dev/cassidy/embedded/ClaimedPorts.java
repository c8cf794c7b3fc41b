package dev.cassidy.embedded;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.Map;

/**
 * The ports of this JVM's nodes, which other JVMs do not draw as long as it lives. While a node is down, its port is free, and a node
 * of another JVM that took it would keep it from starting again. Safe for use by many threads.
 */
final class ClaimedPorts {

    private static final Path FOLDER = Path.of(System.getProperty("java.io.tmpdir"), "cassidy-ports");

    /** Open files keep their locks. The system releases them when the JVM ends, however it does. */
    private static final Map<Integer, FileChannel> CLAIMED = new HashMap<>();

    private ClaimedPorts() {}

    /** Returns whether the port is this call's from now on. */
    static synchronized boolean claim(int port) {
        if (CLAIMED.containsKey(port)) {
            return false;
        }
        try {
            Files.createDirectories(FOLDER);
            FileChannel file =
                    FileChannel.open(FOLDER.resolve("" + port), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            if (file.tryLock() == null) {
                file.close();
                return false;
            }
            CLAIMED.put(port, file);
            return true;
        } catch (IOException e) {
            // The folder may be another user's. Without a claim a port is rarely lost, too.
            return true;
        }
    }
}
