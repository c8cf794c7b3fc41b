package dev.cassidy.definition;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class TableDefinitionTest {

    private static final List<String> KEY = List.of("id");

    private static TableDefinition of(String... columns) {
        return new TableDefinition(
                UUID.randomUUID(),
                Stream.of(columns).map(ColumnDefinition::named).toList(),
                List.of());
    }

    @Test
    void shouldInsertInTheOrderOfTheDeclaration() {
        TableDefinition table = of("b", "id", "a");

        assertThat(table.inserted(List.of("a", "b", "id"), KEY, null)).containsExactly("b", "id", "a");
        assertThat(table.inserted(List.of("a", "b", "id"), KEY, "id")).containsExactly("b", "a");
    }

    @Test
    void shouldFollowWhatWasDroppedAndAddedByOtherMeans() {
        TableDefinition table = of("b", "id", "a");

        assertThat(table.inserted(List.of("a", "id"), KEY, null)).containsExactly("id", "a");
        assertThat(table.inserted(List.of("c", "a", "id"), KEY, null)).containsExactly("id", "a", "c");
        assertThat(table.inserted(List.of("c", "d", "a", "b", "id"), KEY, null))
                .as("two, in an unknown order")
                .isEmpty();
        assertThat(table.inserted(List.of("a", "b", "number"), List.of("number"), null))
                .as("a key that was renamed")
                .isEmpty();
    }

    @Test
    void shouldOrderAllColumns() {
        TableDefinition table = of("b", "id", "a");

        assertThat(table.ordered(List.of("id", "a", "b"))).containsExactly("b", "id", "a");
        assertThat(table.ordered(List.of("id", "c", "a", "d"))).containsExactly("id", "a", "c", "d");
    }
}
