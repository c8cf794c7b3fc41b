package dev.cassidy.tsql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.cassidy.insert.CqlInsert;
import dev.cassidy.insert.UnsupportedSqlException;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CountParserTest {

    /** Of table page, with the key (site, id), hits and bytes count. */
    private static final Schema PAGE = new Schema() {
        @Override
        public boolean isType(@Nullable String keyspace, String type) {
            return false;
        }

        @Override
        public boolean isField(CqlInsert.Table table, String column, String field) {
            return false;
        }

        @Override
        public List<String> namedKey(CqlInsert.Table table) {
            return List.of("site", "id");
        }

        @Override
        public Set<String> countedColumns(CqlInsert.Table table) {
            return table.name().equals("page") ? Set.of("hits", "bytes") : Set.of();
        }
    };

    private static TsqlStep.Count count(String sql) {
        List<TsqlStep> steps = TsqlScript.parse(sql, PAGE).steps();
        assertThat(steps).singleElement().isInstanceOf(TsqlStep.Count.class);
        return (TsqlStep.Count) steps.get(0);
    }

    private static String shown(TsqlStep.Count count) {
        return count.increments().stream()
                .map(each -> each.column()
                        + (each.negative() ? " - " : " + ")
                        + (each.parameter() < 0 ? each.literal() : "?" + each.parameter()))
                .collect(Collectors.joining(", "));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "hits = hits + 1 | hits + 1",
                "hits=hits-?, bytes += (2) | hits - ?0, bytes + 2",
                "[hits] = 3 + [HITS] | hits + 3",
                "hits = (page.hits + -5) | hits - 5",
                "page.hits -= - 7 | hits + 7",
                "hits = (hits) + 1 |",
                "hits = hits + ? + 1 |",
                "hits = hits |",
                "hits = - hits + 1 |",
                "hits = bytes + 1 |",
                "hits = hits + bytes |",
                "hits = hits * 2 |",
                "hits = 1 - hits |",
                "hits *= 2 |",
                "hits = ISNULL(hits, 0) + 1 |",
                "hits = ? |",
                "hits = NULL |"
            })
    void shouldReadWhatIsAdded(String set, @Nullable String added) {
        String sql = "UPDATE page SET " + set + " WHERE site = 1 AND id = 2";
        if (added == null) {
            assertThatExceptionOfType(UnsupportedSqlException.class)
                    .isThrownBy(() -> TsqlScript.parse(sql, PAGE))
                    .withMessageContaining("which counts");
        } else {
            assertThat(shown(count(sql))).isEqualTo(added);
        }
    }

    @Test
    void shouldFindTheRowsByAllThatTheStatementSaysOfThem() {
        TsqlStep.Count count = count(
                "UPDATE [shop].[page] WITH (ROWLOCK) SET hits = hits + ?, title = ?, bytes -= ? WHERE site = ? AND id IN (?, 3)");

        assertThat(shown(count)).isEqualTo("hits + ?0, bytes - ?2");
        assertThat(count.table()).isEqualTo(new CqlInsert.Table("shop", "page"));
        assertThat(count.marks())
                .isEqualTo(new TsqlStep.Written(
                        "SELECT cassidy_counts FROM [shop].[page] WHERE site = ? AND id IN (?, 3)", List.of(3, 4)));
        assertThat(count.keys())
                .isEqualTo(new TsqlStep.Written(
                        "SELECT site, id FROM [shop].[page] WHERE site = ? AND id IN (?, 3)", List.of(3, 4)));
        assertThat(count.others())
                .isEqualTo(new TsqlStep.Written(
                        "UPDATE [shop].[page] WITH (ROWLOCK) SET title = ? WHERE site = ? AND id IN (?, 3)",
                        List.of(1, 3, 4)));
    }

    @Test
    void shouldReadTheTableByItsAlias() {
        TsqlStep.Count count = count("UPDATE p SET hits = p.hits + 1 FROM page p WHERE p.site = 1 AND p.id = ?");

        assertThat(shown(count)).isEqualTo("hits + 1");
        assertThat(count.marks())
                .isEqualTo(new TsqlStep.Written(
                        "SELECT cassidy_counts FROM page p WHERE p.site = 1 AND p.id = ?", List.of(0)));
        assertThat(count.others()).isNull();
    }

    @Test
    void shouldMeanAllRowsWithoutWhere() {
        TsqlStep.Count count = count("UPDATE page SET hits = hits + 1");

        assertThat(count.marks()).isNull();
        assertThat(count.keys().text()).isEqualTo("SELECT site, id FROM page");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "UPDATE other SET hits = hits + 1 WHERE id = 1",
                "UPDATE page SET title = 'hits = hits + 1' WHERE site = 1 AND id = 1"
            })
    void shouldLeaveOtherStatementsAsTheyAre(String sql) {
        assertThat(TsqlScript.parse(sql, PAGE).steps()).noneMatch(TsqlStep.Count.class::isInstance);
    }

    @Test
    void shouldAddToAColumnOnce() {
        assertThatExceptionOfType(UnsupportedSqlException.class)
                .isThrownBy(
                        () -> TsqlScript.parse("UPDATE page SET hits += 1, Hits += 1 WHERE site = 1 AND id = 1", PAGE))
                .satisfies(e -> assertThat(e.number()).isEqualTo(264));
    }

    @Test
    void shouldReadColumnsThatCount() {
        TsqlStep.CreateTable table = (TsqlStep.CreateTable) TsqlScript.parse(
                        "CREATE TABLE page (id INT PRIMARY KEY, hits INT COUNTED, bytes BIGINT COUNTED DEFAULT 7, name"
                                + " NVARCHAR(5))")
                .steps()
                .get(0);

        assertThat(table.cql().replaceAll("\\s+", " "))
                .isEqualTo("CREATE TABLE page (id INT PRIMARY KEY, hits INT , bytes BIGINT , name text)");
        assertThat(table.columns())
                .extracting(column -> column.counted() + " " + column.required())
                .containsExactly("false true", "true true", "true true", "false false");
        assertThat(table.defaults())
                .extracting(each -> each.column() + " " + each.value().constant())
                .containsExactlyInAnyOrder("hits 0", "bytes 7");
    }
}
