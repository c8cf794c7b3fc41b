package dev.cassidy.functions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class CrdtScriptTest {

    private static final Path SCRIPT = Path.of("crdt-functions.cql");
    private static final Path SOURCES = Path.of("src/main/java/dev/cassidy/functions");

    @Test
    void shouldBeWhatTheSourcesGenerate() throws IOException {
        String generated = ScriptGenerator.generate(SOURCES);
        if (Boolean.getBoolean("crdt.regenerate")) {
            Files.writeString(SCRIPT, generated);
        }
        assertThat(Files.readString(SCRIPT))
                .as(
                        "crdt-functions.cql is out of date: regenerate it with -Dcrdt.regenerate=true, see docs/counters.md")
                .isEqualToNormalizingNewlines(generated);
    }

    @Test
    void shouldOfferEveryOverloadFunctionsFirst() {
        assertThat(CrdtScript.statements())
                .extracting(statement -> statement.lines().findFirst().orElseThrow())
                .containsExactly(
                        "CREATE OR REPLACE FUNCTION crdt_sum_add(state varint, value int)",
                        "CREATE OR REPLACE FUNCTION crdt_sum_add(state varint, value bigint)",
                        "CREATE OR REPLACE FUNCTION crdt_sum_add(state varint, value varint)",
                        "CREATE OR REPLACE AGGREGATE crdt_sum(int)",
                        "CREATE OR REPLACE AGGREGATE crdt_sum(bigint)",
                        "CREATE OR REPLACE AGGREGATE crdt_sum(varint)");
    }

    @Test
    void shouldNameTheKeyspaceOfEachCreatedFunction() {
        assertThat(CrdtScript.statements("\"My$1\""))
                .hasSize(6)
                .allMatch(statement ->
                        statement.matches("(?s)CREATE OR REPLACE (FUNCTION|AGGREGATE) \"My\\$1\"\\.crdt_sum.*"));
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
