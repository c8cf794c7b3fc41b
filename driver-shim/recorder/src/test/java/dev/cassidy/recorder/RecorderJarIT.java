package dev.cassidy.recorder;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The jar that is put beside an old application. */
class RecorderJarIT {

    private static final int JAVA_8 = 52;
    private static final int MAX_BYTES = 60_000;

    private static Path jar() throws IOException {
        try (Stream<Path> files = Files.list(Path.of("target"))) {
            return files.filter(
                            file -> file.getFileName().toString().matches("cassidy-recorder-[^-]+(-SNAPSHOT)?\\.jar"))
                    .findFirst()
                    .orElseThrow();
        }
    }

    private record ClassFile(int major, Set<String> uses) {}

    /** Reads a class file's version, and the names of the classes in its pool of constants. */
    private static ClassFile read(InputStream bytes) throws IOException {
        DataInputStream in = new DataInputStream(bytes);
        assertThat(in.readInt()).isEqualTo(0xCAFEBABE);
        in.readUnsignedShort();
        int major = in.readUnsignedShort();
        int count = in.readUnsignedShort();
        Map<Integer, String> texts = new HashMap<>();
        Set<Integer> classes = new TreeSet<>();
        for (int i = 1; i < count; i++) {
            int tag = in.readUnsignedByte();
            switch (tag) {
                case 1 -> texts.put(i, in.readUTF());
                case 3, 4, 9, 10, 11, 12, 17, 18 -> in.readInt();
                case 5, 6 -> {
                    in.readLong();
                    i++;
                }
                case 7 -> classes.add(in.readUnsignedShort());
                case 8, 16, 19, 20 -> in.readUnsignedShort();
                case 15 -> {
                    in.readUnsignedByte();
                    in.readUnsignedShort();
                }
                default -> throw new IOException("constant of kind " + tag);
            }
        }
        Set<String> uses = new TreeSet<>();
        classes.forEach(index -> uses.add(texts.get(index)));
        return new ClassFile(major, uses);
    }

    @Test
    void shouldRunOnJava8WithoutADependency() throws IOException {
        try (JarFile jar = new JarFile(jar().toFile())) {
            List<JarEntry> classes = jar.stream()
                    .filter(entry -> entry.getName().endsWith(".class"))
                    .toList();
            assertThat(classes).hasSizeGreaterThan(10);
            for (JarEntry entry : classes) {
                assertThat(entry.getName()).startsWith("dev/cassidy/recorder/");
                ClassFile read = read(jar.getInputStream(entry));
                assertThat(read.major()).as(entry.getName()).isEqualTo(JAVA_8);
                assertThat(read.uses())
                        .as(entry.getName())
                        .allMatch(used -> used.startsWith("java/")
                                || used.startsWith("dev/cassidy/recorder/")
                                || used.startsWith("["));
            }
            assertThat(jar.getManifest().getMainAttributes().getValue("Automatic-Module-Name"))
                    .isEqualTo("dev.cassidy.recorder");
            assertThat(jar.getEntry("META-INF/services/java.sql.Driver")).isNotNull();
        }
    }

    @Test
    void shouldBeSmall() throws IOException {
        assertThat(Files.size(jar())).isLessThan(MAX_BYTES);
    }
}
