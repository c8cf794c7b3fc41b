package dev.cassidy.migration;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class H2SourceTest extends SourceContract {

    @Override
    SourceDatabase connect() {
        return SourceDatabase.h2("source_contract");
    }

    @Override
    String oddName() {
        // H2 accepts brackets, but no closing bracket inside; SqlServerSourceTest and the test below cover that.
        return "Odd \"name; --";
    }

    @Test
    void shouldDoubleAClosingBracket() {
        assertThat(SqlServerSource.quote("a]b]]")).isEqualTo("[a]]b]]]]]");
    }
}
