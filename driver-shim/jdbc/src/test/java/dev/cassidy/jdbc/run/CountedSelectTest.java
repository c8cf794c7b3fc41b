package dev.cassidy.jdbc.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CountedSelectTest {

    private static final Set<String> HITS = Set.of("hits");

    /** A column that counts may be shown, and nothing else. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "SELECT id, hits FROM page WHERE id = ? | id hits |",
                "SELECT hits AS \"H\", \"hits\", \"Hits\" FROM k.page | hits hits - |",
                "SELECT name AS hits FROM page | - |",
                "SELECT id FROM hits WHERE id = 'hits' | - |",
                "SELECT count(*) FROM page | - |",
                "SELECT sum(hits) FROM page | - | hits",
                "SELECT DISTINCT hits FROM page | - | hits",
                "SELECT JSON * FROM page | - | hits",
                "SELECT * FROM page | - | hits",
                "SELECT id FROM page WHERE hits = 1 | - | hits",
                "SELECT id FROM page WHERE id = 1 ORDER BY hits | - | hits",
                "UPDATE page SET name = ? WHERE id = ? || ",
                "UPDATE hits SET name = ? WHERE id = ? || ",
                "UPDATE page SET hits = ? WHERE id = ? || hits",
                "UPDATE page SET name = ? WHERE id = ? IF hits = 1 || hits",
                "DELETE FROM page WHERE id = ? || ",
                "DELETE hits FROM page WHERE id = ? || hits",
                "DELETE FROM page WHERE hits = ? || hits",
            })
    void shouldTellWhereColumnsThatCountAreNamed(String cql, @Nullable String items, @Nullable String elsewhere) {
        CountedSelect found = CountedSelect.of(cql, HITS);

        assertThat(found.elsewhere()).isEqualTo(elsewhere);
        String shown =
                found.items().stream().map(item -> item == null ? "-" : item).collect(Collectors.joining(" "));
        assertThat(shown).isEqualTo(items == null ? "" : items.replace("id hits", "- hits"));
    }

    @Test
    void shouldFindThemInConditionsOfTsql() {
        assertThat(CountedSelect.ofConditions("SELECT id FROM hits WHERE p.[Hits] > 3", HITS))
                .isEqualTo("hits");
        assertThat(CountedSelect.ofConditions("SELECT hits FROM hits WHERE id = 'hits'", HITS))
                .isNull();
        assertThat(CountedSelect.ofConditions("SELECT id FROM page", HITS)).isNull();
    }
}
