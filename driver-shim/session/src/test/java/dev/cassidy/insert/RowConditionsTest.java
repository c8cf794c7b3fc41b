package dev.cassidy.insert;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cassidy.insert.CqlInsert.Value;
import dev.cassidy.insert.RowConditions.Condition;
import dev.cassidy.insert.RowConditions.Operator;
import java.math.BigInteger;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RowConditionsTest {

    private static Value marker(int index) {
        return new Value.Marker(index, null);
    }

    private static Condition condition(String column, Operator operator, Value... values) {
        return new Condition(column, operator, List.of(values), false);
    }

    @Test
    void shouldReadWhatWhereAndIfDemand() {
        RowConditions read = RowConditions.of(
                        "UPDATE ks.t SET a = ?, \"B\" = 2 WHERE k = ? AND c >= ? AND \"D\" IN (?, 5)"
                                + " IF cassidy_tx >= 0xff AND n = ? AND m != null AND s IS NOT NULL AND x < 'and'")
                .orElseThrow();
        assertThat(read.where())
                .containsExactly(
                        condition("k", Operator.EQUAL, marker(1)),
                        condition("c", Operator.AT_LEAST, marker(2)),
                        condition("D", Operator.IN, marker(3), new Value.IntegerLiteral(BigInteger.valueOf(5))));
        assertThat(read.conditions())
                .containsExactly(
                        condition("cassidy_tx", Operator.AT_LEAST, new Value.Term("0xff")),
                        condition("n", Operator.EQUAL, marker(4)),
                        condition("m", Operator.NOT_EQUAL, new Value.Null()),
                        condition("s", Operator.IS_NOT_NULL),
                        condition("x", Operator.LESS, new Value.Term("'and'")));
    }

    @Test
    void shouldEndWhereTheOtherClausesBegin() {
        assertThat(RowConditions.of(
                                "SELECT a, limit FROM t WHERE k IN ? AND c > -3 ORDER BY c DESC LIMIT ? ALLOW FILTERING;")
                        .orElseThrow()
                        .where())
                .containsExactly(
                        new Condition("k", Operator.IN, List.of(marker(0)), true),
                        condition("c", Operator.GREATER, new Value.IntegerLiteral(BigInteger.valueOf(-3))));
        assertThat(RowConditions.of("SELECT a FROM t").orElseThrow().where()).isEmpty();
        assertThat(RowConditions.of("DELETE FROM t WHERE k <= 1 IF a = 'x'").orElseThrow())
                .isEqualTo(new RowConditions(
                        List.of(condition("k", Operator.AT_MOST, new Value.IntegerLiteral(BigInteger.ONE))),
                        List.of(condition("a", Operator.EQUAL, new Value.Term("'x'")))));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT a FROM t WHERE token(k) > 5",
                "SELECT a FROM t WHERE (k, c) = (1, 2)",
                "SELECT a FROM t WHERE (k, c) IN ((1, 2))",
                "SELECT a FROM t WHERE name LIKE 'a%'",
                "SELECT a FROM t WHERE tags CONTAINS 'x'",
                "SELECT a FROM t WHERE m['k'] = 1",
                "SELECT a FROM t WHERE k BETWEEN 1 AND 2",
                "UPDATE t SET a = 1 WHERE k = 1 IF EXISTS",
                "UPDATE t SET a = 1 WHERE k = 1 IF m['x'] = 2",
                "INSERT INTO t (a) VALUES (1)",
                "SELECT a FROM t WHERE k = 'open"
            })
    void shouldNotReadWhatARowAloneDoesNotDecide(String cql) {
        assertThat(RowConditions.of(cql)).isEmpty();
    }
}
