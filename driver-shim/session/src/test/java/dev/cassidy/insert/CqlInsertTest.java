package dev.cassidy.insert;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cassidy.insert.CqlInsert.Value;
import java.math.BigInteger;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CqlInsertTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "INSERT INTO t (a) VALUES (1) | INSERT INTO t (a, id) VALUES (1, 7)",
                "insert into Shop.Orders(a,b)values(?,?); | insert into Shop.Orders(a,b, id)values(?,?, 7);",
                "INSERT INTO t (a) VALUES (?) IF NOT EXISTS USING TTL ? | INSERT INTO t (a, id) VALUES (?, 7) IF NOT EXISTS USING TTL ?",
                "INSERT INTO t (a) VALUES (?) USING TIMESTAMP -1 AND TTL :x | INSERT INTO t (a, id) VALUES (?, 7) USING TIMESTAMP -1 AND TTL :x",
                "INSERT INTO t (a) VALUES ({'x)': [1, (2), ?], :k : {f: :v}}) | INSERT INTO t (a, id) VALUES ({'x)': [1, (2), ?], :k : {f: :v}}, 7)",
                "INSERT INTO t (a) VALUES ('it''s ), (') | INSERT INTO t (a, id) VALUES ('it''s ), (', 7)",
                "INSERT INTO t (a) VALUES ($$ it's ) $$) | INSERT INTO t (a, id) VALUES ($$ it's ) $$, 7)",
                "INSERT INTO t (a /* ) */) VALUES (1 -- )~) | INSERT INTO t (a /* ) */, id) VALUES (1 -- )~, 7)",
                "INSERT INTO t (a) VALUES (123e4567-e89b-12d3-a456-426614174000) | INSERT INTO t (a, id) VALUES (123e4567-e89b-12d3-a456-426614174000, 7)",
                "/* c */ INSERT INTO \"T\" (\"A\") VALUES (now()) -- end | /* c */ INSERT INTO \"T\" (\"A\", id) VALUES (now(), 7) -- end",
                "INSERT INTO t () VALUES () | INSERT INTO t (id) VALUES (7)",
                "INSERT INTO t (a) VALUES (?)USING TTL 5AND TIMESTAMP 1; | INSERT INTO t (a, id) VALUES (?, 7)USING TTL 5AND TIMESTAMP 1;",
                "INSERT INTO t (a) VALUES (1);;~; | INSERT INTO t (a, id) VALUES (1, 7);;~;",
                "INSERT INTO t (id, a) VALUES (NULL, 1) | INSERT INTO t (id, a) VALUES (7, 1)",
                "INSERT INTO t (a, ID) VALUES (?, ? ) | INSERT INTO t (a, ID) VALUES (?, 7 )",
            })
    void shouldSpliceTheIdAndKeepEveryOtherByte(String cql, String expected) {
        // A line break would end a record of CsvSource.
        CqlInsert insert = CqlInsert.recognise(cql.replace('~', '\n')).orElseThrow();

        assertThat(insert.rewrite("id").withLiteral(7)).isEqualTo(expected.replace('~', '\n'));
        assertThat(insert.rewrite("id").withMarker())
                .isEqualTo(expected.replace('~', '\n').replaceFirst("7(?=[^7]*$)", "?"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "SELECT * FROM t",
                "UPDATE t SET a = 1 WHERE id = 1",
                "BEGIN BATCH INSERT INTO t (a) VALUES (1); APPLY BATCH",
                "INSERT INTO t (a) VALUES (1), (2)",
                "INSERT INTO t (a) VALUES (1); INSERT INTO t (a) VALUES (2)",
                "INSERT INTO t (a, b) VALUES (1)",
                "INSERT INTO t (a) VALUES (1",
                "INSERT INTO t (a) VALUES ('1)",
                "INSERT INTO t (a) VALUES (1) /* open",
                "INSERT INTO t (a) VALUES (1,)",
                "INSERT INTO t (a,) VALUES (1)",
                "INSERT INTO t VALUES (1)",
                "INSERT INTO [t] (a) VALUES (1)",
                "INSERT INTO t (a) SELECT a FROM t",
                "INSERT INTO t (a) VALUES (1) OPTION (RECOMPILE)",
                "-- INSERT INTO t (a) VALUES (1)",
            })
    void shouldNotRecogniseAnythingElse(String text) {
        assertThat(CqlInsert.recognise(text)).isEmpty();
    }

    @Test
    void shouldResolveNamesAsCqlDoes() {
        CqlInsert insert = CqlInsert.recognise("INSERT INTO Shop.\"Or\"\"ders\" (Name, \"Id\") VALUES (1, 2)")
                .orElseThrow();

        assertThat(insert.keyspace()).contains("shop");
        assertThat(insert.table()).isEqualTo("Or\"ders");
        assertThat(insert.columns()).containsExactly("name", "Id");
        assertThat(insert.value("id")).isEmpty();
        assertThat(insert.rewrite("ID").withLiteral(-3))
                .isEqualTo("INSERT INTO Shop.\"Or\"\"ders\" (Name, \"Id\", \"ID\") VALUES (1, 2, -3)");
    }

    @Test
    void shouldReturnTheValueOfAColumn() {
        CqlInsert insert = CqlInsert.recognise(
                        "INSERT INTO t (a,b,c,d,e,f,g,h) VALUES ([?,?], ?, :Name, :\"Name\", -0012, null, f(?), 1.5)"
                                + " USING TTL ?")
                .orElseThrow();

        assertThat(List.of("b", "c", "d", "e", "f", "g", "h").stream()
                        .map(column -> insert.value(column).orElseThrow()))
                .containsExactly(
                        new Value.Marker(2, null),
                        new Value.Marker(3, "name"),
                        new Value.Marker(4, "Name"),
                        new Value.IntegerLiteral(BigInteger.valueOf(-12)),
                        new Value.Null(),
                        new Value.Term("f(?)"),
                        new Value.Term("1.5"));
        assertThat(insert.markerCount()).isEqualTo(7);
        assertThat(insert.rewrite("id").markerIndex()).isEqualTo(6);
        assertThat(insert.rewrite("c").markerIndex()).isEqualTo(3);
    }

    @Test
    void shouldDistinguishAMarkerFromTheColonOfAMap() {
        CqlInsert insert = CqlInsert.recognise(
                        "INSERT INTO t (a, b, id) VALUES ({'k':true, x:false, :k:null, ?:nan}, {f:infinity}, :id)")
                .orElseThrow();

        assertThat(insert.value("id")).contains(new Value.Marker(2, "id"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                ": a | a",
                ":~a | a",
                ": /* ' */ \"A\" | A",
                ":--~d | d",
                "{(int):a} | ",
                "{(frozen<list<ks.\"T\">>) : a} | ",
                "{f: (vector<float, 3>):a} | ",
                "{('Int32Type'):a} | ",
                "{1:(text):a} | ",
            })
    void shouldFindTheMarkerWhereverCassandraDoes(String term, String name) {
        CqlInsert insert = CqlInsert.recognise(
                        "INSERT INTO t (a, id) VALUES (" + term.replace('~', '\n') + ", ?) USING TTL ?")
                .orElseThrow();

        assertThat(insert.markerCount()).isEqualTo(3);
        assertThat(insert.value("id")).contains(new Value.Marker(1, null));
        if (name != null) {
            assertThat(insert.value("a")).contains(new Value.Marker(0, name));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{('a'):f()}",
                "{('a'):ks.f()}",
                "{('a'): \"F\" ()}",
                "{('a'):true}",
                "{('a'):P1Y}",
                "{('a'):a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11}",
                "{(true):false}",
                "{(a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11):nan}",
                "{(1):now()}",
                "{1 :/* x */ now()}",
            })
    void shouldFindNoMarkerInTheValueOfAMap(String term) {
        CqlInsert insert = CqlInsert.recognise("INSERT INTO t (a, b, id) VALUES (" + term + ", {'x'}, ?)")
                .orElseThrow();

        assertThat(insert.markerCount()).isEqualTo(1);
        assertThat(insert.value("id")).contains(new Value.Marker(0, null));
    }

    @Test
    void shouldForgetACastWhenTheBracesEnd() {
        CqlInsert insert = CqlInsert.recognise("INSERT INTO t (a, id) VALUES ({1: f('x')}, :--\nd )")
                .orElseThrow();

        assertThat(insert.value("id")).contains(new Value.Marker(0, "d"));
    }

    @Test
    void shouldQuoteAnyNameAsOneIdentifier() {
        for (String name : List.of("a\"b", "x\"); DROP TABLE t; --", "a.b", "/*", "--", "select", "", "\n", "\u00e9")) {
            CqlInsert insert =
                    CqlInsert.recognise("INSERT INTO t (a) VALUES (1)").orElseThrow();

            assertThat(insert.rewrite(name).withLiteral(7))
                    .isEqualTo("INSERT INTO t (a, \"" + name.replace("\"", "\"\"") + "\") VALUES (1, 7)");
        }
    }

    @Test
    void shouldRecogniseJsonAndConditions() {
        CqlInsert json = CqlInsert.recognise("INSERT INTO ks.t JSON ? DEFAULT UNSET IF NOT EXISTS USING TTL 5")
                .orElseThrow();

        assertThat(json.isJson()).isTrue();
        assertThat(json.isConditional()).isTrue();
        assertThat(json.table()).isEqualTo("t");
        assertThatThrownBy(() -> json.rewrite("id")).isInstanceOf(IllegalStateException.class);
        assertThat(CqlInsert.recognise("INSERT INTO t (a) VALUES (1)")
                        .orElseThrow()
                        .isConditional())
                .isFalse();
    }

    @Test
    void shouldEndACommentWhereCqlEndsIt() {
        // If comments nested, the explicit id would be hidden from its check.
        assertThat(CqlInsert.recognise("/* a /* b */ INSERT INTO t (id) VALUES (5)"))
                .isPresent();
    }

    @Test
    void shouldTakeTimeAndMemoryInProportionToTheText() {
        int many = 200_000;
        for (String text : List.of(
                "INSERT INTO t (a) VALUES (" + "[".repeat(many) + "1" + "]".repeat(many) + ")",
                "INSERT INTO t (a) VALUES (" + "(".repeat(many) + "1" + ")".repeat(many) + ")",
                "INSERT INTO t (a) VALUES ('" + "''".repeat(many) + "')",
                "/* ".repeat(many) + "*/ INSERT INTO t (a) VALUES (1)")) {
            assertThat(CqlInsert.recognise(text)).isPresent();
        }
        assertThat(CqlInsert.recognise("INSERT INTO t (a) VALUES (" + "{".repeat(many)))
                .isEmpty();
    }
}
