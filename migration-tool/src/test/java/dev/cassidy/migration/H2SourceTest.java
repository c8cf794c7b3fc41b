package dev.cassidy.migration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cassidy.migration.source.Source;
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
        try (SourceDatabase database = connect();
                Source source = database.open()) {
            assertThat(source.quote("a]b]]")).isEqualTo("[a]]b]]]]]");
        }
    }
}
