package dev.cassidy.jdbc.error;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.data.TupleValue;
import com.datastax.oss.driver.api.core.type.DataTypes;
import java.io.IOException;
import java.io.StringReader;
import java.sql.BatchUpdateException;
import java.sql.ClientInfoStatus;
import java.sql.SQLClientInfoException;
import java.sql.SQLDataException;
import java.sql.SQLException;
import java.sql.SQLNonTransientException;
import java.sql.SQLTransientConnectionException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RedactionTest {

    private final Redaction redaction = new Redaction();

    private String shown(String message) {
        return redaction.message(message, true);
    }

    private static TupleValue tuple(String text) {
        return DataTypes.tupleOf(DataTypes.TEXT, DataTypes.INT).newValue(text, 7);
    }

    // ---- errors

    @Test
    void shouldHideTheValuesOfErrorsAndKeepThoseOfTheJvm() {
        Error asserted = redaction.fatal(new AssertionError("c4nary", new IOException("c4nary")));
        assertThat(asserted).isInstanceOf(AssertionError.class).hasMessage(Redaction.MASK);
        assertThat(asserted.getCause()).hasMessage("java.io.IOException: " + Redaction.MASK);
        Error other = redaction.fatal(new Error("the value is 'c4nary'"));
        assertThat(other).hasMessage("java.lang.Error: " + Redaction.MASK);
        Error memory = new OutOfMemoryError("Java heap space");
        assertThat(redaction.fatal(memory)).isSameAs(memory);
        Error missing = new NoClassDefFoundError("a/B");
        assertThat(redaction.fatal(missing)).isSameAs(missing);
    }

    // ---- what looks like a value

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SQL Server's value is 'c4nary'",
                "the columns' value is 'c4nary'",
                "is not int: 'O''Brien and c4nary'",
                "is not int: N'c4nary'",
                "is not int: '[x, O''Brien, c4nary]'",
                "near 'c4nary and what is cut off",
                "the value ''c4nary'' of it",
                "Invalid STRING constant (c4nary) for it",
                "Expected an int value, but got a String: c4nary",
                "execution of 'ks.f[text]' failed: java.lang.RuntimeException: c4nary",
                "got \"c4nary\" for it",
                "got \"a\" and \"c4nary\"",
                "got {\"v\": \"say \\\"c4nary\\\" now\"}",
                "got \"5\" pipe and c4nary\"",
                "got \"a\"\"c4nary\"",
                "got \"O'Brien\" and \"c4nary",
            })
    void shouldHideWhatLooksLikeAValue(String message) {
        assertThat(shown(message)).doesNotContain("c4nary").contains(Redaction.MASK);
    }

    @Test
    void shouldNotTakeAnApostropheForAQuote() {
        redaction.addText("SELECT v FROM t");

        assertThat(shown("SQL Server's table 't' and its columns' names, 'v' and 'x'"))
                .isEqualTo("SQL Server's table 't' and its columns' names, 'v' and '***'");
    }

    @Test
    void shouldKeepNamesInDoubleQuotes() {
        redaction.addText("SELECT v FROM \"Orders\"");

        assertThat(shown("\"Orders\" has \"v\" of 5\"")).isEqualTo("\"Orders\" has \"v\" of ***\"***");
        assertThat(shown("\"v\" is \"x\" of \"Orders\" and all")).isEqualTo("\"v\" is \"***\" and all");
    }

    /** A reader whose work grows with the square of the length would not end. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                ", but got a",
                ", but got an ",
                "execution of ",
                "execution of x failed",
                "constant (",
                "constant ",
                "\"",
                "\\\"",
                "\\",
                "\\u0041",
                "'",
                "\"v\"",
                "-1e",
                "12345678-",
                "0x",
            })
    void shouldReadHostileTexts(String part) {
        String text = part.repeat(1_000_000 / part.length());
        redaction.addText("SELECT v FROM orders WHERE v = 'c4nary'");
        redaction.setParameter(1, "{\"k\": \"" + text);

        assertThat(shown(text + " c4nary " + text)).doesNotContain("c4nary");
    }

    @Test
    void shouldReadLongTexts() {
        assertThat(shown("is not int: '" + "''c4nary".repeat(100_000) + "'")).isEqualTo("is not int: '***'");
        redaction.addText("INSERT INTO t (v) VALUES ('" + "''c4nary".repeat(100_000) + "')");
        assertThat(shown("'c4nary")).isEqualTo("'***'");
    }

    // ---- what is known to be one

    @Test
    void shouldKnowTheValuesOfAText() {
        redaction.addText("INSERT INTO t (v, w) VALUES ('a\nc4nary''s', \"dquoted1\") -- 'x'");
        redaction.addText("SELECT \"Name\" FROM t WHERE v = \"dquoted2\"");

        assertThat(shown("a\\nc4nary's or a\nc4nary's or a\\nc4nary''s")).isEqualTo("*** or *** or ***");
        assertThat(shown("dquoted1 dquoted2 Name 'Name'")).isEqualTo("*** *** Name 'Name'");
    }

    @Test
    void shouldKnowThePartsOfJson() {
        redaction.addText("INSERT INTO t JSON '{\"id\": 4711, \"v\": [\"two words\", true]}'");

        assertThat(shown("got two words and 4711 and true")).isEqualTo("got *** and *** and ***");
    }

    /** A value may be quoted as JSON quotes it, and a JSON text may have it so. */
    @Test
    void shouldKnowValuesInTheEscapesOfJson() {
        redaction.setParameter(1, "the \"big\" café");
        redaction.addText("INSERT INTO t JSON '{\"v\": \"two \\\"odd\\\" caf\\u00e9s\\nthere\"}'");

        assertThat(shown("got {the \\\"big\\\" caf\\u00e9} in t")).isEqualTo("got {***} in t");
        assertThat(shown("got {the \\\"big\\\" caf\\u00E9} in t")).isEqualTo("got {***} in t");
        assertThat(shown("got {the \\\\\\\"big\\\\\\\" caf\\\\u00e9} in t")).isEqualTo("got {***} in t");
        assertThat(shown("got two \"odd\" cafés\nthere")).isEqualTo("got ***");
        assertThat(shown("C:\\new has \\u00e9")).as("as it is without a value").isEqualTo("C:\\new has \\u00e9");
    }

    @Test
    void shouldKnowThePartsOfAParameter() {
        redaction.setParameter(1, Map.of("key1", List.of("inner1", tuple("inner2"))));
        redaction.setParameter(2, new Object[] {"inner3", new String[] {"O'Brien"}});

        assertThat(shown("key1 inner1 inner2 inner3 O'Brien O''Brien")).isEqualTo("*** *** *** *** *** ***");
    }

    @Test
    void shouldWithholdWhatMayHoldAnUnknownValue() {
        for (Object unknown : new Object[] {new StringReader("c4nary"), new int[] {1}, endless()}) {
            redaction.setParameter(1, unknown);
            assertThat(shown("c4nary")).isEqualTo(Redaction.WITHHELD);
        }
        redaction.setParameter(1, 5);
        assertThat(shown("known")).isEqualTo("known");
    }

    private static Object endless() {
        Object[] itself = new Object[1];
        itself[0] = itself;
        return itself;
    }

    @Test
    void shouldKnowWhatRanWhileItsResultsAreRead() {
        redaction.setParameter("p", "before");
        redaction.addParametersToBatch();
        redaction.endBatch();
        redaction.runParameters();
        redaction.setParameter("p", "after");

        assertThat(shown("before after")).isEqualTo("*** ***");
        redaction.addParametersToBatch();
        redaction.runParameters();
        assertThat(shown("before after")).isEqualTo("before ***");
    }

    @Test
    void shouldKnowTheValuesOfATransactionUntilTheNext() {
        Redaction connection = new Redaction();
        for (String value : List.of("value1", "value2")) {
            redaction.clearTexts();
            redaction.addText("INSERT INTO orders (v) VALUES ('" + value + "')");
            connection.addTransaction(redaction);
        }

        assertThat(connection.message("value1 value2 'orders'", true)).isEqualTo("*** *** 'orders'");
        connection.endTransaction();
        assertThat(connection.message("value1 value2", true)).isEqualTo("*** ***");
        redaction.clearTexts();
        redaction.addText("INSERT INTO u (v) VALUES ('value3')");
        connection.addTransaction(redaction);
        assertThat(connection.message("value1 value3", true)).isEqualTo("value1 ***");
    }

    // ---- errors

    @Test
    void shouldKeepTheCauseOfABatch() {
        Throwable redacted = redaction.error(new BatchUpdateException(
                "'c4nary'",
                "23000",
                5,
                new long[] {1, 2},
                new SQLDataException("'c4nary'", new IOException("'c4nary'"))));

        assertThat(redacted.getCause())
                .isExactlyInstanceOf(SQLDataException.class)
                .hasMessage("'***'");
        assertThat(redacted.getCause().getCause()).hasMessage("java.io.IOException: ***");
        assertThat(redacted.getSuppressed()).isEmpty();
        assertThat(((BatchUpdateException) redacted).getLargeUpdateCounts()).containsExactly(1, 2);
    }

    @Test
    void shouldKeepTheClassOfAnErrorOfClientInfo() {
        Map<String, ClientInfoStatus> failed = Map.of("ApplicationName", ClientInfoStatus.REASON_UNKNOWN);

        SQLException redacted = redaction.error(new SQLClientInfoException("'c4nary'", "08003", 3, failed));

        assertThat((Throwable) redacted)
                .isExactlyInstanceOf(SQLClientInfoException.class)
                .hasMessage("'***'");
        assertThat(redacted.getSQLState()).isEqualTo("08003");
        assertThat(((SQLClientInfoException) redacted).getFailedProperties()).isEqualTo(failed);
    }

    @Test
    void shouldHideTheValuesOfErrorsThatJdbcDoesNotKnow() {
        assertThat(redaction.unchecked(new IllegalArgumentException("'c4nary'", new IOException("'c4nary'"))))
                .isExactlyInstanceOf(IllegalArgumentException.class)
                .hasMessage("***")
                .cause()
                .hasMessage("java.io.IOException: ***");
        assertThat(redaction.unchecked(new RuntimeException("'c4nary'") {}))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageEndingWith(": '***'");
    }

    /** Whose messages quote values in double quotes, or not at all. */
    @Test
    void shouldHideWhatTheJdkAndFunctionsSay() {
        SQLException read = new SQLDataException("column 1", "22018", new NumberFormatException("For \"c4nary\""));
        SQLException failed = new SQLNonTransientException("c4nary is wrong", "38000", new IOException("c4nary"));

        assertThat(redaction.error(read).getCause()).hasMessage("java.lang.NumberFormatException: ***");
        assertThat((Throwable) redaction.error(failed)).hasMessage(Redaction.WITHHELD);
        assertThat(redaction.error(failed).getCause()).hasMessage("java.io.IOException: ***");
        assertThat(redaction
                        .error(new SQLTransientConnectionException(
                                "gone", "08006", new IOException("reset by /10.0.0.1")))
                        .getCause())
                .hasMessage("java.io.IOException: reset by /10.0.0.1");
    }
}
