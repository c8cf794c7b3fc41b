package dev.cassidy.migration.schema;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cassidy.migration.source.SourceTable;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class UniqueIndexTest {

    private static SourceTable.Column column(String name, boolean nullable) {
        return new SourceTable.Column(name, "int", 0, 10, 0, nullable, null, null, false, false);
    }

    private static Optional<String> keeping(String engine, boolean exact, @Nullable String filter, String... columns) {
        SourceTable table = new SourceTable(
                "dbo",
                "T",
                List.of(
                        column("Id", false),
                        column("A", true),
                        column("B", true),
                        column("C", false),
                        column("X", true)),
                List.of("Id"),
                List.of(),
                List.of());
        List<TableDesign.DesignedColumn> designed = Stream.of("Id", "A", "B", "C")
                .map(name -> table.column(name).orElseThrow())
                .map(each -> new TableDesign.DesignedColumn(
                        each,
                        TsqlType.of(engine, each),
                        each.name().toLowerCase(Locale.ROOT),
                        "int",
                        new TextComparison("", false, true),
                        null))
                .toList();
        TableDesign design =
                new TableDesign(table, "shop", "t", designed, KeyChoice.parse("Id", table, "--key"), exact);
        return UniqueIndex.keeping(new SourceTable.Index("u]x", true, List.of(columns), filter), design, engine);
    }

    @Test
    void shouldTakeNullAsTheSourceDoes() {
        assertThat(keeping("SQL Server", true, null, "A", "C")).contains("CONSTRAINT [u]]x] UNIQUE (a, c)");
        assertThat(keeping("PostgreSQL", true, null, "A", "C"))
                .contains("UNIQUE INDEX [u]]x] (a, c) WHERE a IS NOT NULL AND c IS NOT NULL");
        assertThat(keeping("PostgreSQL", true, null, "C")).contains("CONSTRAINT [u]]x] UNIQUE (c)");
        assertThat(keeping("SQL Server", true, "([A] IS NOT NULL AND [B] IS NOT NULL)", "B", "A"))
                .contains("UNIQUE INDEX [u]]x] (b, a) WHERE b IS NOT NULL AND a IS NOT NULL");
        assertThat(keeping("PostgreSQL", true, "((\"A\" is not null))", "A"))
                .contains("UNIQUE INDEX [u]]x] (a) WHERE a IS NOT NULL");
    }

    @Test
    void shouldKeepNothingElse() {
        assertThat(keeping("SQL Server", true, "([A] IS NOT NULL)", "A", "B")).isEmpty();
        assertThat(keeping("SQL Server", true, "([A]>(1))", "A")).isEmpty();
        assertThat(keeping("SQL Server", true, "([A] IS NOT NULL AND [C]=(1))", "A"))
                .isEmpty();
        assertThat(keeping("SQL Server", true, "([A] IS NOT NULL OR [B] IS NOT NULL)", "A"))
                .isEmpty();
        // A column that is left behind, the key, an expression, and a table that is written plainly.
        assertThat(keeping("SQL Server", true, null, "X")).isEmpty();
        assertThat(keeping("SQL Server", true, null, "Id")).isEmpty();
        assertThat(keeping("SQL Server", true, null)).isEmpty();
        assertThat(keeping("SQL Server", false, null, "A")).isEmpty();
    }
}
