package dev.cassidy.migration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.datastax.oss.driver.api.core.CqlSession;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.cassidy.embedded.EmbeddedCassandra;
import dev.cassidy.migration.error.ExitCode;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Collectors;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The executable jar, started as by a user. */
class MigrationJarIT {

    @TempDir
    private Path folder;

    /** Runs the command by a symbolic link in a folder of the PATH whose name has a blank. */
    private ToolRun cassidy(String... arguments) throws Exception {
        List<String> words = new ArrayList<>(List.of("cassidy"));
        words.addAll(List.of(arguments));
        return shell("exec \"$0\" \"$@\"", words);
    }

    private ToolRun shell(String line, List<String> words) throws Exception {
        Path bin = Files.createDirectories(folder.resolve("a bin"));
        if (!Files.exists(bin.resolve("cassidy"))) {
            Files.createSymbolicLink(
                    bin.resolve("cassidy"), Path.of("target", "bin", "cassidy").toAbsolutePath());
        }
        List<String> command = new ArrayList<>(List.of("sh", "-c", line));
        command.addAll(words);
        File out = folder.resolve("out").toFile();
        File err = folder.resolve("err").toFile();
        ProcessBuilder builder = new ProcessBuilder(command).redirectOutput(out).redirectError(err);
        builder.environment().put("PATH", bin + File.pathSeparator + System.getenv("PATH"));
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        // It ends before the second compiler pays off.
        builder.environment().put("JAVA_OPTS", "-XX:TieredStopAtLevel=1  -XX:+UseSerialGC -Dany=*");
        Process process = builder.start();
        assertThat(process.waitFor(2, TimeUnit.MINUTES)).as("ended in time").isTrue();
        return new ToolRun(process.exitValue(), Files.readString(out.toPath()), Files.readString(err.toPath()));
    }

    @Test
    void shouldWriteNothingButResultsToStandardOutput() throws Exception {
        EmbeddedCassandra node = EmbeddedCassandra.shared();
        List<String> cassandra = List.of(
                "--contact-points",
                node.host() + ":" + node.port(),
                "--local-dc",
                node.localDatacenter(),
                "--global-keyspace",
                "migration_jar");

        ToolRun init = cassidy(ToolRun.join("init", cassandra, "--replication", node.localDatacenter() + ":1")
                .toArray(String[]::new));
        ToolRun register = cassidy(ToolRun.join(
                        "ids register",
                        cassandra,
                        "--table",
                        "shop.album",
                        "--column",
                        "albumid",
                        "--start",
                        "348",
                        "--type",
                        "int",
                        "--output",
                        "json")
                .toArray(String[]::new));

        ToolRun status = cassidy(
                ToolRun.join("ids status", cassandra, "--output", "json").toArray(String[]::new));

        assertThat(init.exitCode()).as(init.err()).isZero();
        assertThat(register.exitCode()).as(register.err()).isZero();
        assertThat(new ObjectMapper().readTree(register.out()).get("sequence").asText())
                .isEqualTo("shop.album");
        assertThat(status.exitCode()).as(status.err()).isZero();
        assertThat(new ObjectMapper()
                        .readTree(status.out())
                        .get("sequences")
                        .get(0)
                        .get("sequence")
                        .asText())
                .isEqualTo("shop.album");
        assertThat(register.err().lines())
                .containsExactly(
                        "connecting to Cassandra at " + node.host() + ":" + node.port(),
                        "table shop.album does not exist in Cassandra yet");
    }

    @Test
    void shouldBringSqlServersDriver() throws Exception {
        ToolRun run = cassidy(
                "migrate",
                "plan",
                "--keyspace",
                "shop",
                "--source-url",
                "jdbc:sqlserver://127.0.0.1:1;loginTimeout=1;connectRetryCount=0");

        assertThat(run.exitCode()).isEqualTo(ExitCode.SOURCE.code());
        assertThat(run.err()).contains("cannot connect to jdbc:sqlserver://127.0.0.1:1", "08S01");
        assertThat(run.out()).isEmpty();
    }

    /** A component of META-INF/THIRD-PARTY.txt. */
    private record Component(String artifact, String licence, List<String> packages) {}

    private static List<Component> components(JarFile jar) throws IOException {
        return text(jar, "META-INF/THIRD-PARTY.txt")
                .lines()
                .dropWhile(line -> !line.startsWith("component |"))
                .skip(1)
                .takeWhile(line -> !line.isBlank())
                .map(line -> line.split(" \\| "))
                .map(parts -> new Component(parts[0].split(":")[1], parts[1], List.of(parts[2].split(", "))))
                .toList();
    }

    private static String text(JarFile jar, String entry) throws IOException {
        return new String(jar.getInputStream(jar.getEntry(entry)).readAllBytes(), StandardCharsets.UTF_8);
    }

    private static JarFile packaged() throws IOException {
        return new JarFile(Path.of("target", "cassidy.jar").toFile());
    }

    /** The jars of the test's class path of which the packaged jar has a class. */
    private static List<Path> contained(JarFile packaged) throws IOException {
        List<Path> contained = new ArrayList<>();
        for (String element : System.getProperty("java.class.path").split(File.pathSeparator)) {
            Path path = Path.of(element);
            if (!element.endsWith(".jar") || path.getFileName().toString().startsWith("cassidy-")) {
                continue;
            }
            try (JarFile jar = new JarFile(path.toFile())) {
                boolean has = jar.stream()
                        .filter(entry -> entry.getName().endsWith(".class")
                                && entry.getName().contains("/")
                                && !entry.getName().startsWith("META-INF"))
                        .anyMatch(entry -> packaged.getEntry(entry.getName()) != null);
                if (has) {
                    contained.add(path);
                }
            }
        }
        return contained;
    }

    @Test
    void shouldNameTheLicenceOfEveryClass() throws Exception {
        try (JarFile jar = packaged()) {
            Set<String> packages = components(jar).stream()
                    .flatMap(component -> component.packages().stream())
                    .map(name -> name.replace('.', '/') + "/")
                    .collect(Collectors.toSet());
            packages.add("dev/cassidy/");

            assertThat(jar.stream()
                            .map(JarEntry::getName)
                            .filter(name -> name.endsWith(".class"))
                            .map(name -> name.replaceFirst("META-INF/versions/[0-9]+/", ""))
                            .filter(name -> packages.stream().noneMatch(name::startsWith)))
                    .as("classes of nobody that THIRD-PARTY.txt names")
                    .isEmpty();
        }
    }

    @Test
    void shouldContainNothingThatMayNotBePassedOn() throws Exception {
        try (JarFile jar = packaged()) {
            assertThat(components(jar))
                    .extracting(Component::licence)
                    .isSubsetOf("Apache-2.0", "MIT", "BSD-2-Clause", "BSD-3-Clause", "CC0-1.0", "MPL-2.0");
            for (String licence : List.of("MIT", "BSD-2-Clause", "BSD-3-Clause", "CC0-1.0")) {
                assertThat(text(jar, "META-INF/THIRD-PARTY.txt")).containsPattern("(?m)^=+ " + licence + "$");
            }
            assertThat(text(jar, "META-INF/LICENSE-Apache-2.0.txt")).contains("Apache License", "END OF TERMS");
            assertThat(jar.stream().map(JarEntry::getName))
                    .as("spotbugs-annotations is LGPL, jnr-posix EPL, GPL or LGPL")
                    .noneMatch(name -> name.startsWith("edu/umd/cs/findbugs") || name.startsWith("jnr/"));
            assertThat(jar.stream().map(JarEntry::getName).filter(name -> name.startsWith("picocli/")))
                    .as("picocli's sources have documentation of OpenJDK under GPL, its binary has classes alone")
                    .allMatch(name -> name.endsWith("/") || name.endsWith(".class"));
        }
    }

    @Test
    void shouldContainTheLicencesAndNoticesOfItsComponents() throws Exception {
        try (JarFile jar = packaged()) {
            Set<String> listed =
                    components(jar).stream().map(Component::artifact).collect(Collectors.toSet());
            // They are within the jar of what evaluates statements.
            Set<String> present = new HashSet<>(Set.of("jsqlparser", "h2"));
            StringBuilder legal = new StringBuilder();
            for (JarEntry entry : jar.stream().filter(MigrationJarIT::legal).toList()) {
                legal.append(text(jar, entry.getName())).append('\n');
            }
            for (Path path : contained(jar)) {
                present.add(path.getFileName().toString().replaceFirst("-[0-9][^/]*\\.jar$", ""));
                try (JarFile component = new JarFile(path.toFile())) {
                    for (JarEntry entry :
                            component.stream().filter(MigrationJarIT::legal).toList()) {
                        assertThat(legal.toString())
                                .as(entry.getName() + " of " + path.getFileName())
                                .contains(text(component, entry.getName()).strip());
                    }
                }
            }
            assertThat(listed)
                    .as("components of src/main/shade/THIRD-PARTY.txt, which also has their licences and notices")
                    .isEqualTo(present);
        }
    }

    private static boolean legal(JarEntry entry) {
        return !entry.isDirectory()
                && entry.getName()
                        .matches("(?i)(META-INF/)?([^/]*(LICEN[CS]E|NOTICE|COPYING|THIRD-PARTY)[^/]*)(?<!\\.class)");
    }

    /** What an error says is typed as it stands, until the statement works. */
    @Test
    void shouldCorrectWhatJdbcRefusesByTheLinesThatItPrints() throws Exception {
        EmbeddedCassandra node = EmbeddedCassandra.shared();
        String url = "jdbc:cassidy://" + node.host() + ":" + node.port()
                + "/remedies?globalKeyspace=remedied&localDatacenter=" + node.localDatacenter();
        try (CqlSession session = CqlSession.builder()
                .addContactPoint(node.contactPoint())
                .withLocalDatacenter(node.localDatacenter())
                .build()) {
            session.execute("CREATE KEYSPACE remedies WITH replication = {'class': 'NetworkTopologyStrategy', '"
                    + node.localDatacenter() + "': 1}");
            session.execute("CREATE TABLE remedies.album (id int PRIMARY KEY, title text)");
        }
        typed("cassidy init --replication ", () -> DriverManager.getConnection(url));
        try (Connection connection = DriverManager.getConnection(url);
                PreparedStatement insert = connection.prepareStatement(
                        "INSERT INTO album (title) VALUES ('a')", Statement.RETURN_GENERATED_KEYS)) {
            typed("cassidy ids register --table remedies.album", insert::executeUpdate);
            assertThat(insert.executeUpdate()).isEqualTo(1);
            try (ResultSet keys = insert.getGeneratedKeys()) {
                assertThat(keys.next()).isTrue();
                assertThat(keys.getInt(1)).isEqualTo(1);
            }
        }
    }

    /** Types the line that an error prints. */
    private void typed(String command, ThrowingCallable refused) throws Exception {
        SQLException error = catchThrowableOfType(SQLException.class, refused);
        assertThat(error.getMessage()).contains("Run: " + command);
        String line = error.getMessage().replaceFirst("(?s).*Run: ", "");
        ToolRun run = shell(line, List.of());
        assertThat(run.exitCode()).as(line + "\n" + run.err()).isZero();
    }

    @Test
    void shouldPassArgumentsOnAsTheyAre() throws Exception {
        ToolRun run = cassidy("tables", "declare", "--table", "a  b; $(touch x) *'\"", "--defaults", "");

        assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE.code());
        assertThat(run.err()).contains("--table 'a  b; $(touch x) *'\"'");
    }

    @Test
    void shouldSayWhatIsMissing() throws Exception {
        ToolRun none = shell("JAVA_HOME=/nowhere exec cassidy --version", List.of());
        assertThat(none.exitCode()).isEqualTo(1);
        assertThat(none.err())
                .isEqualToIgnoringNewLines(
                        "cassidy: there is no java in /nowhere/bin: JAVA_HOME must name a JDK or JRE, 17 or later");

        Path alone = Files.copy(Path.of("target", "bin", "cassidy"), folder.resolve("a bin/alone"));
        ToolRun withoutJar = shell("sh '" + alone + "' --version", List.of());
        assertThat(withoutJar.exitCode()).isEqualTo(1);
        assertThat(withoutJar.err()).contains("cassidy.jar is missing");
    }

    @Test
    void shouldKnowItsVersion() throws Exception {
        assertThat(cassidy("--version").out()).startsWith("cassidy 0.");
    }

    @Test
    void shouldRefuseAPasswordOnTheCommandLine() throws Exception {
        assertThat(cassidy("migrate", "seed", "--password=s3cret").exitCode()).isEqualTo(ExitCode.USAGE.code());
    }
}
