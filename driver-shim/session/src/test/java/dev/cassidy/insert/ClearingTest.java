package dev.cassidy.insert;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cassidy.insert.CqlInsert.Value;
import java.math.BigInteger;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ClearingTest {

    private static Clearing of(String cql, String... primaryKey) {
        return Clearing.of(cql, "shop", List.of(primaryKey)).orElseThrow();
    }

    @Test
    void shouldDeleteTheRowInOneStatementWithItsInsert() {
        Clearing clearing = of("INSERT INTO orders (name, id) VALUES (?, ?)", "id");

        assertThat(clearing.together("?"))
                .isEqualTo("BEGIN UNLOGGED BATCH INSERT INTO shop.orders (name, id) VALUES (?, ?);"
                        + " DELETE FROM shop.orders USING TIMESTAMP ? WHERE id = ?; APPLY BATCH");
        assertThat(clearing.alone("41")).isEqualTo("DELETE FROM shop.orders USING TIMESTAMP 41 WHERE id = ?");
        assertThat(clearing.unstamped()).isEqualTo("DELETE FROM shop.orders WHERE id = ?");
        assertThat(clearing.markers()).containsExactly(1);
        assertThat(clearing.timestamp()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            INSERT INTO t (a, id) VALUES (1, 5)                  | INSERT INTO shop.t (a, id) VALUES (1, 5)
            INSERT INTO t (id) VALUES (5);                       | INSERT INTO shop.t (id) VALUES (5)
            INSERT INTO t (id) VALUES (5) ;; -- the end          | INSERT INTO shop.t (id) VALUES (5)
            INSERT INTO t (id) VALUES (5) -- the end             | INSERT INTO shop.t (id) VALUES (5)
            INSERT INTO t (id) VALUES (5) USING TTL 6;           | INSERT INTO shop.t (id) VALUES (5) USING TTL 6
            INSERT INTO ks.t (id) VALUES (5)                     | INSERT INTO ks.t (id) VALUES (5)
            /* x */ insert into "T" (id) values (5)              | /* x */ insert into shop."T" (id) values (5)
            """)
    void shouldNotChangeTheInsert(String cql, String insert) {
        assertThat(of(cql, "id").together("1"))
                .startsWith("BEGIN UNLOGGED BATCH " + insert + "; DELETE FROM shop.")
                .endsWith(" USING TIMESTAMP 1 WHERE id = 5; APPLY BATCH");
    }

    @Test
    void shouldDeleteByTheKeyValuesOfTheInsert() {
        Clearing clearing = of(
                "INSERT INTO t (b, \"Id\", a, d, c, e) VALUES (:b, :\"Id\", 'it''s', -1.5, true, ?)",
                "a",
                "b",
                "c",
                "d",
                "Id",
                "e");

        assertThat(clearing.unstamped())
                .isEqualTo("DELETE FROM shop.t WHERE a = 'it''s' AND b = :b AND c = true AND d = -1.5"
                        + " AND \"Id\" = :\"Id\" AND e = ?");
        assertThat(clearing.markers()).containsExactly(0, 1, 2);
    }

    /** Cassandra reads a value behind a type as the type of its column. */
    @Test
    void shouldReadThroughTypes() {
        assertThat(of("INSERT INTO t (id, k) VALUES ((int) 5, (int) ?)", "k", "id")
                        .unstamped())
                .isEqualTo("DELETE FROM shop.t WHERE k = ? AND id = 5");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "'it''s'",
                "-1.5",
                "0xcafe",
                "[1, 2]",
                "{'a': 1}",
                "1 + 2",
                "123e4567-e89b-12d3-a456-426614174000"
            })
    void shouldCopyValuesThatAreTheSameEachTime(String term) {
        assertThat(of("INSERT INTO t (id, k) VALUES (5, " + term + ")", "k", "id")
                        .unstamped())
                .isEqualTo("DELETE FROM shop.t WHERE k = " + term + " AND id = 5");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "INSERT INTO t (id, k) VALUES (5, uuid())",
                "INSERT INTO t (id, k) VALUES (5, (int) uuid())",
                "INSERT INTO t (id, k) VALUES (5, [1, ?])",
                "INSERT INTO t (id, k) VALUES (5, null)",
                "INSERT INTO t (id, other) VALUES (5, 6)",
                "INSERT INTO t (id, k) VALUES (5, 6) IF NOT EXISTS",
                "INSERT INTO t (id, k) VALUES (5, 6) USING TIMESTAMP 1.5",
                "INSERT INTO t (id, k) VALUES (5, 6) USING TIMESTAMP 12345678901234567890",
                "INSERT INTO t JSON '{\"id\": 5, \"k\": 6}'",
                "UPDATE t SET a = 1 WHERE id = 5 AND k = 6",
                "INSERT INTO t (id, k) VALUES (5, 6); DROP TABLE t"
            })
    void shouldNotGuess(String cql) {
        assertThat(Clearing.of(cql, "shop", List.of("id", "k"))).isEmpty();
    }

    @Test
    void shouldNotDeleteWithoutAKey() {
        assertThat(Clearing.of("INSERT INTO t (id) VALUES (5)", "shop", List.of()))
                .isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', nullValues = "-", textBlock = """
            USING TIMESTAMP ?               | 2 | -
            USING TTL ? AND TIMESTAMP ?     | 3 | -
            USING TIMESTAMP :at AND TTL ?   | 2 | at
            USING TIMESTAMP : /* x */ "At"  | 2 | At
            """)
    void shouldFindTheMarkerOfTheTimestamp(String using, int index, String name) {
        assertThat(of("INSERT INTO t (id, a) VALUES (?, ?) " + using, "id").timestamp())
                .contains(new Value.Marker(index, name));
    }

    @Test
    void shouldReadTheTimestamp() {
        assertThat(of("INSERT INTO t (id) VALUES (?) USING TTL 5 AND TIMESTAMP -12", "id")
                        .timestamp())
                .isEqualTo(Optional.of(new Value.IntegerLiteral(BigInteger.valueOf(-12))));
    }
}
