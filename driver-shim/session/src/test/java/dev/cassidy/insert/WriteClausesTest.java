package dev.cassidy.insert;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class WriteClausesTest {

    @Test
    void shouldTakeWhereApartAtEachAndOutsideOfBrackets() {
        Tokens tokens = new Tokens("UPDATE t SET v = 1 WHERE k = 1 AND (a = 2 AND b = 3) AND c IN (4, 5)");
        WriteClauses clauses = WriteClauses.of(tokens);
        assertThat(clauses).isNotNull();
        assertThat(clauses.conditions(tokens))
                .extracting(each -> tokens.text.substring(tokens.start(each.from()), tokens.end(each.to() - 1)))
                .containsExactly("k = 1", "(a = 2 AND b = 3)", "c IN (4, 5)");
    }
}
