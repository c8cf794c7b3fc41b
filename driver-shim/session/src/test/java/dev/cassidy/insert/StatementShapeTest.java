package dev.cassidy.insert;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class StatementShapeTest {

    @Test
    void shouldContainNoValues() {
        assertThat(StatementShape.of("INSERT INTO [t] (a, b)\n VALUES (N'secret', 12) /* why */ -- end"))
                .isEqualTo("INSERT INTO [t] (a, b) VALUES (?, ?)");
        assertThat(StatementShape.of("SELECT a FROM t WHERE b = 'no end")).doesNotContain("no end");
    }

    @Test
    void shouldRemoveTheValuesOfAStatementFromAMessage() {
        String sql = "UPDATE t SET a = 'O''Brien', b = N'secret' WHERE id = 123456789";

        assertThat(StatementShape.withoutValues(
                        "Invalid INTEGER constant (123456789) for \"id\" of type text near 'secret' in t1234567890",
                        sql))
                .isEqualTo("Invalid INTEGER constant (?) for \"id\" of type text near '?' in t1234567890");
        assertThat(StatementShape.withoutValues("near 'O''Brien'", sql)).isEqualTo("near '?'");
    }

    @Test
    void shouldRemoveTheBeginningOfAValueThatAMessageCutsOff() {
        assertThat(StatementShape.withoutValues(
                        "an operator with a text, price - N'my long secr ...: write the number",
                        "SELECT price - N'my long secret' FROM t"))
                .isEqualTo("an operator with a text, price - ? ...: write the number");
    }

    @Test
    void shouldRemoveWhatAMessageShowsOfAValue() {
        String sql = "UPDATE t SET v = 'O''Brien', w = N'{\"id\": \"two words\", \"n\": [4711, tr]}'";

        assertThat(StatementShape.withoutValues("(O'Brien) near O''Brien", sql)).isEqualTo("(?) near ?");
        assertThat(StatementShape.withoutValues("got a String: two words, not 4711 and not tr of t", sql))
                .isEqualTo("got a String: ?, not ? and not ? of t");
    }
}
