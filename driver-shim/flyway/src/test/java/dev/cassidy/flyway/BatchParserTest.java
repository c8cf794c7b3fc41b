package dev.cassidy.flyway;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.internal.parser.ParsingContext;
import org.flywaydb.core.internal.resource.StringResource;
import org.flywaydb.core.internal.sqlscript.SqlStatementIterator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BatchParserTest {

    private static List<String> batches(String script) {
        List<String> batches = new ArrayList<>();
        try (SqlStatementIterator statements =
                new BatchParser(Flyway.configure(), new ParsingContext()).parse(new StringResource(script))) {
            while (statements.hasNext()) {
                batches.add(statements.next().getSql());
            }
        }
        return batches;
    }

    @ParameterizedTest
    @ValueSource(strings = {"GO", "go", "\t Go  ", "GO\r"})
    void shouldSplitAtGoAloneInItsLine(String go) {
        assertThat(batches("SELECT 1;\nSELECT 2\n" + go + "\nSELECT 3\n" + go))
                .containsExactly("SELECT 1;\nSELECT 2", "SELECT 3");
    }

    @Test
    void shouldLeaveOutBatchesWithoutAStatement() {
        assertThat(batches("GO\n\nGO\n-- nothing\nGO\nSELECT 1\nGO\n/* nothing\n*/"))
                .containsExactly("SELECT 1");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "INSERT INTO t (a) VALUES ('it''s\nGO\nhere')",
                "SELECT 1 /* it's\nGO\n*/",
                "SELECT 1 -- GO",
                "SELECT a AS GO\nFROM t",
                "SELECT [\nGO\n] FROM t",
                "SELECT (\nGO\n)",
                "SELECT 1\nGO 5",
                "SELECT 1\nGO                                5",
                "SELECT 1\nGOTO x",
                "SELECT category, dbo.category FROM dbo.CATEGORY WHERE GOods = 1",
                "BEGIN\n  INSERT INTO t (a) VALUES (1);\n  INSERT INTO t (a) VALUES (2);\nEND",
                "BEGIN BATCH\n  INSERT INTO t (a) VALUES (1);\nAPPLY BATCH;",
                "CREATE FUNCTION f (a int) RETURNS NULL ON NULL INPUT RETURNS int LANGUAGE java AS $$\nreturn '\nGO\n; $$",
            })
    void shouldKeepTogetherWhatIsOneBatch(String batch) {
        assertThat(batches(batch + "\nGO\nSELECT 'next'")).containsExactly(batch, "SELECT 'next'");
    }
}
