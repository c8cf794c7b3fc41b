package dev.cassidy.check;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KnownNamesTest {

    /** Parts of words and names, with which the parsers do not compare words. */
    private static final Set<String> NO_WORDS = Set.of("fewer", "n", "x", "ywdhms", "ymwdths");

    private final KnownNames names = new KnownNames(Set.of("product", "name"), word -> false);

    /** The check would refuse what the driver serves, if it replaced a word that the driver's parsers know. */
    @Test
    void shouldKnowTheWordsOfTheParsers() throws IOException {
        Set<String> words = new TreeSet<>();
        for (String folder :
                new String[] {"jdbc/src/main/java/dev/cassidy/tsql", "session/src/main/java/dev/cassidy/insert"}) {
            try (Stream<Path> files = Files.list(Path.of("..", folder))) {
                files.forEach(file -> addWords(file, words));
            }
        }
        words.removeAll(NO_WORDS);

        assertThat(words).contains("select", "checkident", "noreseed");
        assertThat(words).allSatisfy(word -> assertThat(names.shown(word)).isEqualTo(word));
    }

    private static void addWords(Path file, Set<String> words) {
        try {
            Matcher literals = Pattern.compile("\"@{0,2}([a-z][a-z0-9_]*)\"").matcher(Files.readString(file));
            while (literals.find()) {
                words.add(literals.group(1));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "CREATE TABLE t (id INT) SELECT name FROM product WHERE name = \"hunter2\"",
                "CREATE TABLE t (c VARCHAR(9) CHECK (c <> \"hunter2\") DEFAULT \"hunter2\", PRIMARY KEY (c))",
                "CREATE UNIQUE INDEX i ON t (c) WHERE c = \"hunter2\"",
                "CREATE TABLE t AS SELECT hunter2 FROM product",
                "ALTER TABLE t ADD c VARCHAR(9) DEFAULT \"hunter2\"",
                "ALTER TABLE t CHECK CONSTRAINT i /* hunter2 */, c",
                "CREATE LOGIN t WITH PASSWORD = hunter2",
                "-- hunter2\nSELECT name /* hunter2 */ FROM product // hunter2"
            })
    void shouldShowNoValueOfADefinition(String sql) {
        assertThat(names.shown(sql)).doesNotContain("hunter2");
        assertThat(names.shown("SELECT name FROM product WHERE name = hunter2"))
                .isEqualTo("SELECT name FROM product WHERE name = n1");
    }

    @Test
    void shouldLearnTheNamesOfADefinition() {
        names.shown("CREATE TABLE shop.[Order Line] (No INT, \"of\" NVARCHAR(9), CONSTRAINT pk PRIMARY KEY (No))");
        names.shown("CREATE UNIQUE NONCLUSTERED INDEX IF NOT EXISTS by_of ON shop.[Order Line] (\"of\" DESC)");
        names.shown("ALTER TABLE shop.[Order Line] ADD Weight INT");

        String sql = "SELECT No, \"of\", weight FROM shop.[order line] WITH (INDEX (by_of)) -- pk";
        assertThat(names.shown(sql)).isEqualTo(sql.replace(" -- pk", " "));
    }
}
