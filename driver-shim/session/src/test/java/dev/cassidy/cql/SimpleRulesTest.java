package dev.cassidy.cql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.type.DataTypes;
import com.datastax.oss.driver.api.core.type.codec.registry.CodecRegistry;
import dev.cassidy.definition.ColumnDefinition;
import dev.cassidy.definition.SqlType;
import dev.cassidy.insert.Assignments;
import dev.cassidy.insert.Comparisons;
import dev.cassidy.insert.CqlInsert;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How the values of simple statements are found, and what is sent in their place. */
class SimpleRulesTest {

    private final SimpleRules rules = new SimpleRules(CodecRegistry.DEFAULT);

    private static String type(String column) {
        return switch (column) {
            case "a", "also" -> "char(3)";
            case "b" -> "char(5)";
            case "s" -> "varchar(3)";
            case "n" -> "tinyint";
            case "f" -> "float";
            case "r" -> "real";
            case "d" -> "date";
            case "tm" -> "time(3)";
            case "dt" -> "datetime";
            case "dt2" -> "datetime2(0)";
            case "sdt" -> "smalldatetime";
            default -> "nvarchar(max)";
        };
    }

    private static ColumnRule rule(String column) {
        return new ColumnRule(
                "k.t",
                new ColumnDefinition(
                        column, column, SqlType.parse(type(column)).orElseThrow(), column.equals("a"), ""));
    }

    private static RulePlan plan(String cql) {
        Assignments assignments = Assignments.of(cql).orElseThrow();
        List<Comparisons.Comparison> comparisons =
                Comparisons.of(cql).map(Comparisons::all).orElse(List.of());
        List<RulePlan.Given> given = new ArrayList<>();
        List<RulePlan.Compared> compared = new ArrayList<>();
        List<RulePlan.Parameter> parameters = new ArrayList<>();
        for (Assignments.Assignment each : assignments.all()) {
            if (rule(each.column()).asksForAnything()) {
                given.add(new RulePlan.Given(each, rule(each.column()), false));
            }
            parameter(parameters, each.column(), each.value(), false);
        }
        for (Comparisons.Comparison each : comparisons) {
            compared.add(new RulePlan.Compared(each, rule(each.column())));
            parameter(parameters, each.column(), each.value(), each.list());
        }
        return new RulePlan(
                new RulePlan.Time("k", 0, 0),
                assignments.insert(),
                assignments.creates(),
                given,
                compared,
                List.of(),
                parameters,
                null,
                null,
                null,
                Map.of(),
                List.of(),
                false,
                null);
    }

    private static void parameter(List<RulePlan.Parameter> all, String column, CqlInsert.Value value, boolean list) {
        if (value instanceof CqlInsert.Value.Marker marker) {
            all.add(new RulePlan.Parameter(marker, list, rule(column), DataTypes.TEXT));
        }
    }

    private SimpleStatement applied(String cql, Map<String, Object> values) {
        return rules.apply(SimpleStatement.newInstance(cql, values), plan(cql));
    }

    private @Nullable Object sent(SimpleStatement statement, String name) {
        return statement.getNamedValues().get(CqlIdentifier.fromInternal(name));
    }

    /** There the value would change too. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "UPDATE t USING TTL :x SET a = :x WHERE plain = 'y'",
                "INSERT INTO t (plain, a) VALUES (f(:x), :x)",
                "INSERT INTO t (a, plain) VALUES (:x, 'y') USING TIMESTAMP :X",
                "UPDATE t SET a = :x, m[:\"x\"] = 'y' WHERE plain = 'z'",
                "UPDATE t SET plain = f(:x) WHERE a = :x",
                "UPDATE t SET plain = 'y' WHERE plain = 'z' IF a = :x AND plain = concat(:x, 'y')"
            })
    void shouldRefuseANameThatAlsoStandsWhereNoColumnIs(String cql) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> applied(cql, Map.of("x", "v")))
                .withMessageContaining("marker 'x' is for column 'a'")
                .withMessageContaining("and also for another place of the statement")
                .withMessageContaining("use two markers");
        assertThat(sent(applied(cql, Map.of("x", "abc")), "x"))
                .as("what is sent as it is")
                .isEqualTo("abc");
    }

    @Test
    void shouldFindNoMarkerInAText() {
        String cql = "UPDATE t SET plain = ':x' /* :x */ WHERE plain = 'y' IF a = :x";
        assertThat(sent(applied(cql, Map.of("x", "v")), "x")).isEqualTo("v  ");
    }

    /** Cassandra names a marker without a name after its column. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "INSERT INTO t (plain, a) VALUES ('x', ?)",
                "INSERT INTO t (plain, a) VALUES ('x', (text)?)",
                "INSERT INTO t (plain, a) VALUES ('x', :a)",
                "UPDATE t SET a = ? WHERE plain = 'x'",
                "UPDATE t SET plain = 'x' WHERE a = ?",
                "UPDATE t SET plain = 'x' WHERE plain = 'y' IF a = ?"
            })
    void shouldFindValuesByName(String cql) {
        assertThat(sent(applied(cql, Map.of("a", "x")), "a")).isEqualTo("x  ");
        assertThat(rules.apply(SimpleStatement.newInstance(cql, "x"), plan(cql)).getPositionalValues())
                .containsExactly("x  ");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "INSERT INTO t (plain, a) VALUES ('x', ?)",
                "INSERT INTO t (plain, a) VALUES ('x', (text)?)",
                "UPDATE t SET a = ? WHERE plain = 'x'"
            })
    void shouldRefuseValuesGivenByName(String cql) {
        assertThatExceptionOfType(ColumnValueException.class)
                .isThrownBy(() -> applied(cql, Map.of("a", "toolong")))
                .satisfies(e -> assertThat(e.reason()).isEqualTo(ColumnValueException.Reason.TRUNCATION));
        assertThatExceptionOfType(ColumnValueException.class)
                .isThrownBy(() -> applied(cql, Map.of("a", 1)))
                .satisfies(e -> assertThat(e.reason()).isEqualTo(ColumnValueException.Reason.CLASS));
        Map<String, Object> missing = new HashMap<>();
        missing.put("a", null);
        assertThatExceptionOfType(ColumnValueException.class)
                .isThrownBy(() -> applied(cql, missing))
                .satisfies(e -> assertThat(e.reason()).isEqualTo(ColumnValueException.Reason.NULL));
    }

    @Test
    void shouldFindListsByName() {
        String cql = "UPDATE t SET plain = 'x' WHERE plain = 'y' IF a IN ?";
        assertThat(sent(applied(cql, Map.of("\"in(a)\"", List.of("x", "yy"))), "in(a)"))
                .isEqualTo(List.of("x  ", "yy "));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "INSERT INTO t (a, b) VALUES (:x, :x) | 'b'",
                "INSERT INTO t (a, plain) VALUES (:x, :x) | 'plain'",
                "INSERT INTO t (plain, a) VALUES (:x, :x) | 'plain'",
                "UPDATE t SET a = :x WHERE plain = :x | 'plain'",
                "UPDATE t SET s = 'x', plain = :x WHERE plain = 'y' IF a = :x | 'plain'"
            })
    void shouldRefuseOneMarkerForTwoForms(String cql, String other) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> applied(cql, Map.of("x", "ab")))
                .withMessageContaining("marker 'x'")
                .withMessageContaining("'a'")
                .withMessageContaining(other)
                .withMessageContaining("use two markers");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "UPDATE t SET n += 200 WHERE plain = 'x' IF EXISTS",
                "UPDATE t SET n -= 1 WHERE plain = 'x' IF EXISTS",
                "UPDATE t SET n = n + 200 WHERE plain = 'x' IF EXISTS",
                "UPDATE t SET n = 200 + n WHERE plain = 'x' IF EXISTS"
            })
    void shouldRefuseWhatTheServerComputesFromTheColumn(String cql) {
        assertThatExceptionOfType(ColumnValueException.class)
                .isThrownBy(() -> rules.apply(SimpleStatement.newInstance(cql), plan(cql)))
                .withMessageContaining("'n'")
                .withMessageContaining("tinyint")
                .satisfies(e -> assertThat(e.reason()).isEqualTo(ColumnValueException.Reason.COMPUTED));
        String plain = "UPDATE t SET plain += 'x' WHERE plain = 'x' IF EXISTS";
        assertThat(rules.apply(SimpleStatement.newInstance(plain), plan(plain)).getQuery())
                .isEqualTo(plain);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "f   | NaN                           | NOT_A_NUMBER",
                "f   | -infinity                     | NOT_A_NUMBER",
                "r   | Infinity                      | NOT_A_NUMBER",
                "r   | (float)NaN                    | NOT_A_NUMBER",
                "dt  | '1700-01-01'                  | DATE_RANGE",
                "dt  | '1752-12-30 10:00:00+0000'    | DATE_RANGE",
                "dt  | '1752-12-30T10:00:00.123Z'    | DATE_RANGE",
                "dt  | -9223372036854775000          | DATE_RANGE",
                "sdt | '1899-01-01'                  | DATE_RANGE",
                "sdt | (timestamp)'1899-01-01 00:00' | DATE_RANGE",
                "sdt | '2079-06-08'                  | DATE_RANGE",
                "sdt | '2079-06-06 23:59:30'         | DATE_RANGE",
                "sdt | 3471292800000000              | DATE_RANGE",
                "dt2 | '9999-12-31 23:59:59.999'     | DATE_RANGE",
                "dt2 | '0000-01-01'                  | DATE_RANGE",
                "d   | '10000-01-01'                 | DATE_RANGE",
                "d   | 0                             | DATE_RANGE",
                "d   | '-0001-01-01'                 | DATE_RANGE"
            })
    void shouldRefuseLiteralsThatTheTypeDoesNotHave(String column, String literal, ColumnValueException.Reason reason) {
        for (String cql : List.of(
                "INSERT INTO t (plain, " + column + ") VALUES ('x', " + literal + ")",
                "UPDATE t SET " + column + " = " + literal + " WHERE plain = 'x'")) {
            assertThatExceptionOfType(ColumnValueException.class)
                    .isThrownBy(() -> rules.apply(SimpleStatement.newInstance(cql), plan(cql)))
                    .withMessageContaining("'" + column + "'")
                    .satisfies(e -> assertThat(e.reason()).isEqualTo(reason));
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "f   | 1.5                          | 1.5",
                "dt  | '1753-01-01'                 | '1753-01-01'",
                "dt  | '2020-02-30'                 | '2020-02-30'",
                "dt  | 'now'                        | 'now'",
                "dt  | toTimestamp(now())           | toTimestamp(now())",
                "dt2 | '0001-01-01'                 | '0001-01-01'",
                "dt2 | '2020-01-01 10:20:30.500'    | '2020-01-01 10:20:31.000'",
                "dt2 | '2020-12-31T23:59:59.5+0200' | '2021-01-01 00:00:00.000+0200'",
                "sdt | '2020-01-01 10:20:30Z'       | '2020-01-01 10:21:00.000Z'",
                "sdt | 30000                        | 60000",
                "sdt | '2020-01-01 10:20'           | '2020-01-01 10:20'",
                "tm  | '10:20:30.1235'              | '10:20:30.124000000'",
                "tm  | 1499999                      | 1000000",
                "d   | '9999-12-31'                 | '9999-12-31'",
                "d   | 2147483648                   | 2147483648"
            })
    void shouldStoreLiteralsAsTheTypeHasThem(String column, String literal, String stored) {
        String insert = "INSERT INTO t (plain, " + column + ") VALUES ('x', ";
        String cql = insert + literal + ")";
        assertThat(rules.apply(SimpleStatement.newInstance(cql), plan(cql)).getQuery())
                .isEqualTo(insert + stored + ")");
    }

    @Test
    void shouldTakeOneMarkerForOneForm() {
        assertThat(sent(applied("INSERT INTO t (a, also) VALUES (:x, :x)", Map.of("x", "ab")), "x"))
                .isEqualTo("ab ");
        assertThat(sent(applied("INSERT INTO t (a, plain) VALUES (:x, :x)", Map.of("x", "abc")), "x"))
                .isEqualTo("abc");
        assertThat(sent(applied("UPDATE t SET a = :x WHERE plain = 'y' IF a = :x", Map.of("x", "ab")), "x"))
                .isEqualTo("ab ");
    }
}
