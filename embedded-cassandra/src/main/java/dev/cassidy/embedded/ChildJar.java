package dev.cassidy.embedded;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.LocalDateTime;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/** The few classes of ours that run inside the child, as a jar: equal classes give equal bytes. */
final class ChildJar {
    private static final LocalDateTime EPOCH = LocalDateTime.of(2000, 1, 1, 0, 0);

    private ChildJar() {}

    static byte[] of(List<String> classes) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ZipOutputStream jar = new ZipOutputStream(bytes)) {
            for (String name : classes) {
                ZipEntry entry = new ZipEntry("dev/cassidy/embedded/child/" + name);
                entry.setTimeLocal(EPOCH);
                jar.putNextEntry(entry);
                try (InputStream in = ServerJars.resource("child/" + name).openStream()) {
                    in.transferTo(jar);
                }
                jar.closeEntry();
            }
        }
        return bytes.toByteArray();
    }
}
