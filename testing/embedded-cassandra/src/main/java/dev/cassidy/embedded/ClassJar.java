package dev.cassidy.embedded;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.LocalDateTime;
import java.util.Map;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/** The few classes of ours that run inside the child, as a jar: equal classes give equal bytes. */
final class ClassJar {
    private static final LocalDateTime EPOCH = LocalDateTime.of(2000, 1, 1, 0, 0);

    private ClassJar() {}

    /** @param classes the resource of each entry of the jar, by the entry's name */
    static byte[] of(Map<String, String> classes) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ZipOutputStream jar = new ZipOutputStream(bytes)) {
            for (Map.Entry<String, String> each : classes.entrySet()) {
                ZipEntry entry = new ZipEntry(each.getKey());
                entry.setTimeLocal(EPOCH);
                jar.putNextEntry(entry);
                try (InputStream in = ServerJars.resource(each.getValue()).openStream()) {
                    in.transferTo(jar);
                }
                jar.closeEntry();
            }
        }
        return bytes.toByteArray();
    }
}
