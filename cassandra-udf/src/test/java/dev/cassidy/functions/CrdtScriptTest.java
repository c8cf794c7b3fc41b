package dev.cassidy.functions;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class CrdtScriptTest {

    private static final Path SCRIPT = Path.of("crdt-functions.cql");
    private static final Path DROP_SCRIPT = Path.of("crdt-functions-drop.cql");
    private static final Pattern FUNCTION = Pattern.compile("^CREATE OR REPLACE FUNCTION (\\w+)");
    private static final Pattern USED = Pattern.compile("(?m)^    (?:SFUNC|FINALFUNC) (\\w+)");
    private static final Path SOURCES = Path.of("src/main/java/dev/cassidy/functions");

    @Test
    void shouldBeWhatTheSourcesGenerate() throws IOException {
        shouldBe(SCRIPT, ScriptGenerator.generate(SOURCES));
        shouldBe(DROP_SCRIPT, ScriptGenerator.generateDrop(SOURCES));
    }

    private static void shouldBe(Path script, String generated) throws IOException {
        if (Boolean.getBoolean("crdt.regenerate")) {
            Files.writeString(script, generated);
        }
        assertThat(Files.readString(script))
                .as("%s is out of date: regenerate it with -Dcrdt.regenerate=true, see docs/counters.md", script)
                .isEqualToNormalizingNewlines(generated);
    }

    @Test
    void shouldOfferEveryOverload() {
        assertThat(heads(CrdtScript.statements()))
                .filteredOn(head -> head.startsWith("CREATE OR REPLACE AGGREGATE "))
                .extracting(head -> head.substring("CREATE OR REPLACE AGGREGATE ".length()))
                .containsExactlyInAnyOrder(
                        "crdt_exact(text, text, bigint, bigint, varint)",
                        "crdt_flag(text, boolean)",
                        "crdt_flag(uuid, boolean)",
                        "crdt_gaps(text, bigint, bigint)",
                        "crdt_gcounter(text, text, bigint, varint)",
                        "crdt_gcounter(text, uuid, bigint, varint)",
                        "crdt_latest_sum(text, text, int, varint)",
                        "crdt_latest_sum(text, text, bigint, varint)",
                        "crdt_lww(text, bigint)",
                        "crdt_lww(int, bigint)",
                        "crdt_lww(bigint, bigint)",
                        "crdt_lww(varint, bigint)",
                        "crdt_lww(decimal, bigint)",
                        "crdt_lww(double, bigint)",
                        "crdt_lww(boolean, bigint)",
                        "crdt_lww(timestamp, bigint)",
                        "crdt_lww(uuid, bigint)",
                        "crdt_orset_elements(text, text, boolean)",
                        "crdt_orset_elements(text, uuid, boolean)",
                        "crdt_orset_size(text, text, boolean)",
                        "crdt_orset_size(text, uuid, boolean)",
                        "crdt_pn(int, int)",
                        "crdt_pn(bigint, bigint)",
                        "crdt_pn(varint, varint)",
                        "crdt_sum(tinyint)",
                        "crdt_sum(smallint)",
                        "crdt_sum(int)",
                        "crdt_sum(bigint)",
                        "crdt_sum(counter)",
                        "crdt_sum(varint)",
                        "crdt_sum(decimal)",
                        "crdt_sum(float)",
                        "crdt_sum(double)",
                        "crdt_sum_long(tinyint)",
                        "crdt_sum_long(smallint)",
                        "crdt_sum_long(int)",
                        "crdt_sum_long(bigint)");
    }

    @Test
    void shouldCreateFunctionsBeforeTheAggregatesThatNeedThem() {
        Set<String> created = new HashSet<>();
        for (String statement : CrdtScript.statements()) {
            Matcher function = FUNCTION.matcher(statement);
            if (function.find()) {
                created.add(function.group(1));
            }
            USED.matcher(statement)
                    .results()
                    .forEach(used -> assertThat(created).as(statement).contains(used.group(1)));
        }
    }

    /** What an older version of the functions is recognised by. */
    @Test
    void shouldHaveAVersionOfItsOwn() throws Exception {
        byte[] digest = MessageDigest.getInstance("SHA-256")
                .digest(ScriptGenerator.generate(SOURCES).getBytes(UTF_8));

        assertThat(CrdtPackVersion.version() + " " + HexFormat.of().formatHex(digest, 0, 8))
                .as("the functions have changed: raise CrdtPackVersion, unless it has been raised since the last"
                        + " release, and then this digest")
                .isEqualTo("1 8008bd2e1df9444a");
    }

    @Test
    void shouldNameTheKeyspaceOfWhatIsCreated() {
        assertThat(heads(CrdtScript.statements("\"My$1\"")))
                .hasSameSizeAs(CrdtScript.statements())
                .allMatch(head -> head.matches("CREATE OR REPLACE (FUNCTION|AGGREGATE) \"My\\$1\"\\.crdt_.*"));
    }

    private static List<String> heads(List<String> statements) {
        return statements.stream()
                .map(statement -> statement.lines().findFirst().orElseThrow())
                .toList();
    }

    @Test
    void shouldKeepTheSemicolonsOfABody() throws IOException {
        assertThat(split("-- a comment;\n\nCREATE a AS $$\n\n  -- b;\n  return;\n$$;\nCREATE b AS $$ c; $$;\n"))
                .isEqualTo(List.of("CREATE a AS $$\n\n  -- b;\n  return;\n$$", "CREATE b AS $$ c; $$"));
    }

    @Test
    void shouldRefuseAStatementThatDoesNotEnd() {
        assertThatThrownBy(() -> split("CREATE a AS $$ return;\n"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("CREATE a");
    }

    private static List<String> split(String script) throws IOException {
        return CrdtScript.split(new BufferedReader(new StringReader(script)));
    }
}
