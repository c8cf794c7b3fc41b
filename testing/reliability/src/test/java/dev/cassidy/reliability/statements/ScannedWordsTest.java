package dev.cassidy.reliability.statements;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cassidy.insert.Kind;
import dev.cassidy.insert.Scanner;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Compares how the product cuts texts into words with Cassandra's own lexer: a word that the product overlooks may be a
 * statement that it does not judge. {@code -Dwords=N} compares more texts, {@code -Dwords.seed=N} one again.
 */
class ScannedWordsTest {

    private static final Logger LOG = LoggerFactory.getLogger(ScannedWordsTest.class);

    private static final long TEXTS = Long.getLong("words", 50_000);

    private static final List<String> PIECES = List.of(
            "-",
            "+",
            "NaN",
            "nAn",
            "Infinity",
            "infinity",
            "true",
            "FALSE",
            "null",
            "UPDATE",
            "update",
            "a",
            "_",
            "d",
            "e",
            "E",
            "x",
            "X",
            "f",
            "1",
            "12",
            "0",
            "0x",
            "0X",
            "0xA",
            "1e5",
            "1E",
            "1e-",
            "e+3",
            "1.",
            ".5",
            ".",
            "..",
            "1.5",
            "1d",
            "1h30m",
            "1mo",
            "2us",
            "3\u00b5s",
            "4ns",
            "5ms",
            "6MS",
            "7w",
            "8y",
            "P",
            "p",
            "P1Y",
            "P1Y2M3D",
            "PT1H",
            "P1W",
            "T",
            "H",
            "M",
            "S",
            "D",
            "Y",
            "W",
            "mo",
            "us",
            "\u00b5",
            "P0001-02-03T04:05:06",
            "123e4567-e89b-12d3-a456-426614174000",
            "123e4567-",
            "123e4567-e89b-",
            "abcdefab-",
            "deadbeef",
            "cafe",
            "'",
            "''",
            "'a'",
            "\"",
            "\"\"",
            "\"a\"",
            "$",
            "$$",
            "$$a$$",
            "--",
            "//",
            "/",
            "/*",
            "*/",
            "*",
            "\n",
            "\r",
            "\t",
            " ",
            "  ",
            "?",
            ":",
            ":a",
            ": ",
            "{",
            "}",
            "(",
            ")",
            "[",
            "]",
            ",",
            ";",
            "=",
            "<",
            "%",
            "!",
            "@",
            "\u00a0",
            "\u000b",
            "\f",
            "\ufeff",
            "\u00e9",
            "\0");

    private static final String CHARACTERS = "--0123456789abcdefNnAaIiFfTtYyPTYMDWHSumxXeE.._'\"$$//*\n\r :;{}";

    private final CassandraParser cassandra = new CassandraParser();

    @Test
    void shouldFindCassandrasWords() {
        Long only = Long.getLong("words.seed");
        long compared = 0;
        List<String> wrong = new ArrayList<>();
        for (long seed = only == null ? 0 : only; seed < (only == null ? TEXTS : only + 1); seed++) {
            String text = text(seed);
            Optional<List<String>> theirs = cassandra.words(text).map(words -> theirs(text, words));
            if (theirs.isEmpty()) {
                continue;
            }
            compared++;
            List<String> ours = ours(text);
            if (!ours.equals(theirs.get()) && !ours.contains("refused")) {
                wrong.add(seed + ": " + text + ": " + ours + " and not " + theirs.get());
            }
        }
        LOG.info("{} texts of which Cassandra cuts {}", TEXTS, compared);
        assertThat(wrong).isEmpty();
        if (only == null) {
            assertThat(compared).as("that Cassandra can cut").isGreaterThan(TEXTS / 4);
        }
    }

    private static String text(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        StringBuilder text = new StringBuilder();
        boolean letters = random.nextBoolean();
        int parts = 1 + random.nextInt(letters ? 12 : 6);
        for (int i = 0; i < parts; i++) {
            if (letters) {
                text.append(CHARACTERS.charAt(random.nextInt(CHARACTERS.length())));
            } else {
                text.append(PIECES.get(random.nextInt(PIECES.size())));
            }
        }
        return text.toString();
    }

    /** Returns the words, names and strings, each with its place. */
    private static List<String> theirs(String text, List<CassandraParser.Word> words) {
        List<String> found = new ArrayList<>();
        for (CassandraParser.Word word : words) {
            switch (word.rule()) {
                case "QUOTED_NAME", "EMPTY_QUOTED_NAME" -> found.add("name " + word.start() + "-" + word.end());
                case "STRING_LITERAL" -> found.add("string " + word.start() + "-" + word.end());
                case "DURATION" -> {
                    int from = text.charAt(word.start()) == '-' ? word.start() + 1 : word.start();
                    if (text.charAt(from) == 'P' && text.charAt(word.end() - 3) != ':') {
                        found.add("word " + from + "-" + word.end());
                    }
                }
                case "K_NEGATIVE_NAN", "K_NEGATIVE_INFINITY" ->
                    found.add("word " + (word.start() + 1) + "-" + word.end());
                default -> {
                    if (Character.isLetter(text.charAt(word.start()))
                            && !word.rule().equals("UUID")
                            && !word.rule().equals("DURATION")) {
                        found.add("word " + word.start() + "-" + word.end());
                    }
                }
            }
        }
        return found;
    }

    private static List<String> ours(String text) {
        List<String> found = new ArrayList<>();
        Scanner scanner = new Scanner(text, Scanner.Language.CQL);
        for (Kind kind = scanner.next(); kind != Kind.END; kind = scanner.next()) {
            String place = " " + scanner.start() + "-" + scanner.end();
            switch (kind) {
                case UNTERMINATED -> found.add("refused");
                case WORD -> found.add("word" + place);
                case QUOTED -> found.add("name" + place);
                case STRING -> found.add("string" + place);
                case NAMED_MARKER -> {
                    int after = scanner.start() + 1;
                    Scanner name = new Scanner(text.substring(after), Scanner.Language.CQL);
                    String what = name.next() == Kind.QUOTED ? "name " : "word ";
                    found.add(what + (after + name.start()) + "-" + (after + name.end()));
                }
                default -> {}
            }
        }
        return found;
    }
}
