package dev.cassidy.definition;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
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

    @Test
    void shouldHideTwins() {
        TableDefinition table = new TableDefinition(
                UUID.randomUUID(),
                List.of(
                        ColumnDefinition.named("name").withTwin(new Twin("Latin1_General_CI_AS", 1)),
                        ColumnDefinition.named("v")),
                List.of());
        List<String> existing = List.of("cassidy_eq_name", "cassidy_tx", "name", "v");

        assertThat(table.ordered(existing)).containsExactly("name", "v");
        assertThat(table.inserted(existing, List.of("name"), null)).containsExactly("name", "v");
        assertThat(table.twins()).containsExactlyEntriesOf(Map.of("name", new Twin("Latin1_General_CI_AS", 1)));
    }

    @Test
    void shouldTellTwinsBesideColumnsFromThoseOfTheKey() {
        Twin twin = new Twin("Latin1_General_CI_AS", 1);
        Twin building = twin.in(Twin.Place.BUILDING);
        TableDefinition table = new TableDefinition(
                UUID.randomUUID(),
                List.of(
                        ColumnDefinition.named("name").withTwin(twin),
                        ColumnDefinition.named("mail").withTwin(building)),
                List.of());

        assertThat(table.twins()).containsOnlyKeys("name", "mail");
        assertThat(table.twinsBeside()).containsExactlyEntriesOf(Map.of("mail", building));
        assertThat(twin.isOfKey() && twin.isComplete()).isTrue();
        assertThat(building.isOfKey() || building.isComplete()).isFalse();
        assertThat(building.in(Twin.Place.BESIDE).isComplete()).isTrue();
        assertThat(building.fold("A")).isEqualTo(twin.fold("a"));
    }

    @Test
    void shouldKeepTwinsWhateverIsSaidOfTheirColumns() {
        Twin twin = new Twin("Latin1_General_CI_AS", 1);
        TableDefinition known = new TableDefinition(
                UUID.randomUUID(), List.of(ColumnDefinition.named("name").withTwin(twin)), List.of());
        TableDefinition given = new TableDefinition(
                known.id(),
                List.of(new ColumnDefinition(
                        "name", "Name", SqlType.parse("nvarchar(20)").orElseThrow(), true, "")),
                List.of());

        assertThat(known.correctedBy(given).column("name").orElseThrow().twin()).isEqualTo(twin);
    }
}
