package dev.cassidy.embedded.child;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import javax.management.JMException;
import javax.management.ObjectName;

/** Writes the classes of this JVM into the file that the parent has named, for the nodes that start later. */
final class ClassArchiveWriter {
    private static final String TARGET = System.getProperty("cassidy.embedded.archive", "");

    private ClassArchiveWriter() {}

    /** Does nothing if no file is named. All threads stand still meanwhile, for a few seconds. */
    static void write() {
        if (TARGET.isEmpty()) {
            return;
        }
        // In the node's folder, which goes with the node if the parent kills it now.
        Path written =
                Path.of(System.getProperty("java.io.tmpdir"), "classes.jsa").toAbsolutePath();
        Path target = Path.of(TARGET);
        Path begun = written.resolveSibling("classes.begun");
        try {
            // If it is still there when this JVM is gone, the parent lets no other one try.
            Files.writeString(begun, "");
            ManagementFactory.getPlatformMBeanServer()
                    .invoke(
                            new ObjectName("com.sun.management:type=DiagnosticCommand"),
                            "vmCds",
                            new Object[] {new String[] {"dynamic_dump", written.toString()}},
                            new String[] {String[].class.getName()});
            Path beside = Files.createTempFile(target.getParent(), "classes-", ".tmp");
            try {
                Files.copy(written, beside, StandardCopyOption.REPLACE_EXISTING);
                Files.move(beside, target, StandardCopyOption.ATOMIC_MOVE);
            } finally {
                Files.deleteIfExists(beside);
            }
            Files.delete(written);
            Files.delete(begun);
        } catch (IOException | JMException | RuntimeException e) {
            System.err.println("INFO  the classes were not archived in " + target
                    + ", so the next node starts more slowly than it could: " + e);
        }
    }
}
