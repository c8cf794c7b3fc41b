package dev.cassidy.migration.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cassidy.collation.Collation;
import dev.cassidy.definition.Twin;
import dev.cassidy.migration.source.SourceTable;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TextComparisonTest {

    private static SourceTable.Column column(
            String type, int length, @Nullable String collation, boolean comparesCharacters) {
        return new SourceTable.Column(
                "Name", type, length, 0, 0, false, null, collation, false, false, comparesCharacters);
    }

    private static TableDesign.DesignedColumn designed(
            String engine, SourceTable.Column column, @Nullable String chosen) {
        TsqlType type = TsqlType.of(engine, column);
        return new TableDesign.DesignedColumn(
                column, type, "name", type.cql().orElseThrow(), TextComparison.of(engine, column, type, chosen), null);
    }

    private static Optional<Twin> twin(String engine, SourceTable.Column column, @Nullable String chosen)
            throws SQLException {
        TableDesign.DesignedColumn designed = designed(engine, column, chosen);
        return designed.comparison().twin(designed.definition());
    }

    private static Twin by(String collation) {
        return new Twin(collation, Collation.NEWEST_VERSION);
    }

    @ParameterizedTest
    @CsvSource({
        "SQL Server, nvarchar, 20, Latin1_General_CI_AS, false, Latin1_General_CI_AS, true, Latin1_General_CI_AS",
        "SQL Server, char, 5, SQL_Latin1_General_CP1_CI_AS, false, SQL_Latin1_General_CP1_CI_AS, true,"
                + " SQL_Latin1_General_CP1_CI_AS",
        "SQL Server, varchar, 20, Latin1_General_BIN2, false, Latin1_General_BIN2, true,",
        "SQL Server, varchar, 20, Hungarian_BIN, false, Hungarian_BIN, true,",
        "SQL Server, nvarchar, -1, Latin1_General_CI_AS, false, Latin1_General_CI_AS, true,",
        "SQL Server, int, 0, , false, '', true,",
        "SQL Server, xml, -1, , false, '', true,",
        "PostgreSQL, character varying, 20, default, true, Latin1_General_BIN2, true,",
        "PostgreSQL, character varying, 20, nocase, false, Latin1_General_BIN2, false,",
        "PostgreSQL, citext, -1, default, false, Latin1_General_BIN2, false,",
        "PostgreSQL, uuid, 0, , true, '', true,",
        "MySQL, varchar, 20, utf8mb4_0900_ai_ci, false, Latin1_General_BIN2, false,",
        "MySQL, varchar, 20, Latin1_General_CI_AS, false, Latin1_General_BIN2, false,",
        "H2, varchar_ignorecase, 20, OFF, false, Latin1_General_BIN2, false,"
    })
    void shouldCompareAsTheSourceDoes(
            String engine,
            String type,
            int length,
            @Nullable String collation,
            boolean comparesCharacters,
            String declared,
            boolean known,
            @Nullable String twin)
            throws SQLException {
        SourceTable.Column column = column(type, length, collation, comparesCharacters);

        assertThat(designed(engine, column, null).comparison()).isEqualTo(new TextComparison(declared, false, known));
        assertThat(designed(engine, column, null).definition().collation()).isEqualTo(declared);
        assertThat(twin(engine, column, null))
                .isEqualTo(Optional.ofNullable(twin).map(TextComparisonTest::by));
    }

    @ParameterizedTest
    @CsvSource({
        "nvarchar, Latin1_General_CI_AS, false, , true",
        "nvarchar, Latin1_General_CS_AS, false, , true",
        "nvarchar, Latin1_General_BIN2, false, , false",
        "nvarchar, Latin1_General_100_BIN2_UTF8, false, , false",
        "nvarchar, Latin1_General_CI_AS, false, latin1_general_ci_as, false",
        "nvarchar, Latin1_General_CI_AS, false, Latin1_General_CS_AS, true",
        "nvarchar, Latin1_General_CI_AS, false, Latin1_General_CI_AS_KS, true",
        "nvarchar, Latin1_General_CI_AS_KS, false, Latin1_General_CI_AS, false",
        "nvarchar, Latin1_General_CS_AS, false, Latin1_General_CS_AS, false",
        "nvarchar, Latin1_General_CI_AI, false, Latin1_General_CI_AS, true",
        "nvarchar, Latin1_General_CS_AS, false, Latin1_General_CI_AI, false",
        "nvarchar, Hungarian_CI_AS, false, Latin1_General_CI_AS, false",
        "character varying, default, true, , false",
        "citext, default, false, , true",
        "citext, default, false, Latin1_General_CI_AS, false",
        "varchar, utf8mb4_0900_ai_ci, false, Latin1_General_CI_AS, true",
        "nvarchar, , false, , true"
    })
    void shouldKnowWhatCassandraTellsApart(
            String type, @Nullable String collation, boolean comparesCharacters, @Nullable String twin, boolean finer) {
        assertThat(TextComparison.isFiner(
                        column(type, 20, collation, comparesCharacters), twin == null ? null : by(twin)))
                .isEqualTo(finer);
    }

    /** T-SQL compares no text, so that a condition would compare bytes, and UNIQUE would not. */
    @Test
    void shouldCompareATextByTheCollationThatTheUserChooses() {
        SourceTable.Column citext = column("citext", -1, "default", false);

        assertThat(designed("PostgreSQL", citext, "Latin1_General_CI_AS")
                        .definition()
                        .equality())
                .contains(Collation.of("Latin1_General_CI_AS"));
        assertThat(designed("PostgreSQL", citext, null).definition().equality()).isEmpty();
        assertThat(designed("PostgreSQL", citext, null).definition().type()).hasToString("text");
    }

    @Test
    void shouldNotGuessWhatIsNotKnown() {
        assertThatThrownBy(() -> twin("SQL Server", column("nvarchar", 20, "Hungarian_CI_AS", false), null))
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("Hungarian_CI_AS");
        assertThatThrownBy(() -> twin("SQL Server", column("nvarchar", 20, null, false), null))
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("does not say");
    }

    @Test
    void shouldCompareAsTheUserChooses() throws SQLException {
        SourceTable.Column hungarian = column("nvarchar", 20, "Hungarian_CI_AS", false);

        assertThat(twin("SQL Server", hungarian, "Latin1_General_BIN2")).isEmpty();
        assertThat(twin("SQL Server", hungarian, "Latin1_General_100_CI_AI")).contains(by("Latin1_General_100_CI_AI"));
        assertThat(twin("PostgreSQL", column("citext", -1, "default", false), "Latin1_General_CI_AS"))
                .contains(by("Latin1_General_CI_AS"));
        assertThat(designed("SQL Server", hungarian, "Polish_CI_AS")
                        .definition()
                        .collation())
                .isEqualTo("Polish_CI_AS");
    }

    @Test
    void shouldPutTheTwinInTheKeyAndTheColumnBeside() {
        SourceTable.Column id = new SourceTable.Column("Id", "int", 0, 10, 0, false, null, null, false, false);
        SourceTable.Column name = column("nvarchar", 20, "Latin1_General_CI_AS", false);
        SourceTable table = new SourceTable(
                "dbo",
                "T",
                List.of(id, name),
                List.of("Id", "Name"),
                List.of(new SourceTable.Index("ix", false, List.of("Name"), null)),
                List.of());
        TableDesign design = new TableDesign(
                table,
                "shop",
                "t",
                List.of(
                        new TableDesign.DesignedColumn(
                                id,
                                TsqlType.of("SQL Server", id),
                                "id",
                                "int",
                                new TextComparison("", false, true),
                                null),
                        designed("SQL Server", name, null).with(by("Latin1_General_CI_AS"))),
                KeyChoice.parse("Id, Name DESC", table, "--key"),
                true);

        assertThat(design.cql().replaceAll("\\s+", " "))
                .isEqualTo(
                        "CREATE TABLE IF NOT EXISTS shop.t ( id int, name text, cassidy_eq_name text, cassidy_tx blob,"
                                + " PRIMARY KEY (id, cassidy_eq_name)) WITH CLUSTERING ORDER BY (cassidy_eq_name DESC)");
        assertThat(design.proposedIndexes())
                .containsExactly("CREATE INDEX IF NOT EXISTS t_name ON shop.t (cassidy_eq_name) USING 'sai'");
        assertThat(design.definition(UUID.randomUUID()).twins()).containsEntry("name", by("Latin1_General_CI_AS"));
    }
}
