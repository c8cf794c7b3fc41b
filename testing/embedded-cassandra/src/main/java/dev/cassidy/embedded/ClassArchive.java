package dev.cassidy.embedded;

import java.io.File;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * The server's classes in a file that the JVM maps into memory (dynamic class data sharing, JEP 350): a node starts with a
 * fifth less CPU time. The first node that starts without one writes it, see {@code child.ClassArchiveWriter}. A JVM
 * that cannot use a file ignores it.
 *
 * @param file there or not
 */
record ClassArchive(Path file) {
    private static final Logger LOG = System.getLogger(ClassArchive.class.getName());

    /** It has the size of all jars together, and each JDK and each copy of the jars has its own. */
    private static final int MAX_FILES = 4;

    private static final String PREFIX = "classes-";
    private static final String SUFFIX = ".jsa";

    /** @param jars the class path, as long as every node has it */
    static ClassArchive of(Cache cache, HostJdk jdk, List<Path> jars) throws IOException {
        StringBuilder key = new StringBuilder();
        // The JVM refuses an archive of another version than its own, or of a jar that has changed.
        for (Path file : Stream.concat(Stream.of(jdk.java()), jars.stream()).toList()) {
            BasicFileAttributes found = Files.readAttributes(file, BasicFileAttributes.class);
            key.append(file.toAbsolutePath())
                    .append(File.pathSeparatorChar)
                    .append(found.size())
                    .append(File.pathSeparatorChar)
                    .append(found.lastModifiedTime().toMillis())
                    .append('\n');
        }
        return new ClassArchive(
                cache.folder().resolve(PREFIX + Cache.hash(key.toString().getBytes(StandardCharsets.UTF_8)) + SUFFIX));
    }

    /**
     * The JVM's options to use the file, or to write it.
     *
     * @param mayWrite whether the JVM can write one, and this node's class path is that of every node
     */
    List<String> options(boolean mayWrite) {
        if (Files.exists(file)) {
            try {
                // Those not used for long are deleted first.
                Files.setLastModifiedTime(file, FileTime.from(Instant.now()));
            } catch (IOException e) {
                // In a folder that this user may only read, nothing is deleted.
            }
            return List.of("-XX:SharedArchiveFile=" + file);
        }
        if (!mayWrite || Files.exists(failed()) || !Files.isWritable(file.getParent())) {
            return List.of();
        }
        makeRoom();
        return List.of("-XX:+RecordDynamicDumpInfo", "-Dcassidy.embedded.archive=" + file);
    }

    /** A JVM died while it wrote: no other one tries. */
    void giveUp() throws IOException {
        Files.writeString(
                failed(), "A JVM died while it wrote " + file + ". If this file is deleted, another one tries.\n");
    }

    private Path failed() {
        return file.resolveSibling(file.getFileName() + ".failed");
    }

    /** A node that uses a file which is deleted still has it. */
    private void makeRoom() {
        try (Stream<Path> files = Files.list(file.getParent())) {
            List<Path> surplus = files.filter(ClassArchive::isArchive)
                    .sorted(Comparator.comparing(ClassArchive::usedAt).reversed())
                    .skip(MAX_FILES - 1)
                    .toList();
            for (Path each : surplus) {
                Files.deleteIfExists(each);
            }
        } catch (IOException e) {
            LOG.log(Level.DEBUG, "archives of classes that are not used any more stay", e);
        }
    }

    private static boolean isArchive(Path file) {
        String name = file.getFileName().toString();
        return name.startsWith(PREFIX) && name.endsWith(SUFFIX);
    }

    private static FileTime usedAt(Path file) {
        try {
            return Files.getLastModifiedTime(file);
        } catch (IOException e) {
            // Another JVM has just deleted it.
            return FileTime.fromMillis(0);
        }
    }
}
