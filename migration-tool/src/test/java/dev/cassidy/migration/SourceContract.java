package dev.cassidy.migration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.migration.error.MigrationException;
import dev.cassidy.migration.plan.Selection;
import dev.cassidy.migration.source.Reading;
import dev.cassidy.migration.source.Source;
import dev.cassidy.migration.source.SourceColumn;
import dev.cassidy.migration.source.SourceTable;
import java.math.BigInteger;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What reading a source must find, in every database engine. */
abstract class SourceContract {

    private static final String TABLE = "[dbo].[Contract]";

    private SourceDatabase database;

    abstract SourceDatabase connect();

    /** Returns a table name with the most unusual characters that the engine accepts. */
    abstract String oddName();

    private String oddTable() {
        return "[dbo].[" + oddName().replace("]", "]]") + "]";
    }

    private void dropTables() {
        database.dropTables(List.of("[dbo].[Detail]", TABLE, oddTable(), "[dbo].[Plain]"));
        database.dropMusicShop();
    }

    @BeforeEach
    void empty() {
        database = connect();
        dropTables();
    }

    @AfterEach
    void close() {
        dropTables();
        database.close();
    }

    private Reading read() {
        return readAll("dbo.Contract").get(0);
    }

    private List<Reading> readAll(String... includes) {
        try (Source source = database.open()) {
            return source.read(new Selection("shop", List.of(includes), List.of(), Map.of(), Map.of(), false)::choose);
        }
    }

    @Test
    void shouldFindTenIdentityColumnsWithGapsAndRowsDeletedAtTheEnd() {
        database.loadMusicShop();

        assertThat(readAll("dbo.*"))
                .extracting(reading -> reading.column().qualifiedTable() + "."
                        + reading.column().column() + " " + reading.column().type() + " " + reading.furthest() + " "
                        + reading.lastValue())
                .containsExactlyInAnyOrder(
                        "dbo.Basket.BasketId int null 15",
                        "dbo.Clerk.ClerkId int 170 170",
                        "dbo.Client.ClientId int 1072 1074",
                        "dbo.Format.FormatId tinyint 6 6",
                        "dbo.Performer.PerformerId int 180 180",
                        "dbo.Receipt.ReceiptId int 420 420",
                        "dbo.ReceiptItem.ReceiptItemId bigint 5000001899 5000001899",
                        "dbo.Recording.RecordingId int 2600 2603",
                        "dbo.Release.ReleaseId int 315 320",
                        "dbo.Style.StyleId smallint 24 24");
    }

    @Test
    void shouldReadSeedIncrementAndPrecisionOfADescendingDecimal() {
        database.createTable(TABLE, "DECIMAL(12,0)", -5, -10);
        database.insert(TABLE, 3);

        assertThat(read())
                .isEqualTo(new Reading(
                        new SourceColumn(
                                "dbo",
                                "Contract",
                                "id",
                                "decimal",
                                12,
                                0,
                                BigInteger.valueOf(-5),
                                BigInteger.valueOf(-10)),
                        BigInteger.valueOf(-25),
                        BigInteger.valueOf(-25),
                        null));
    }

    @Test
    void shouldReadNothingFromATableThatWasNeverUsed() {
        database.createTable(TABLE, "BIGINT", 1, 1);

        assertThat(read().furthest()).isNull();
        assertThat(read().lastValue()).isNull();
        assertThat(read().empty()).isTrue();
    }

    @Test
    void shouldRememberTheLastValueOfRowsThatWereDeleted() {
        database.createTable(TABLE, "SMALLINT", 1, 1);
        database.insert(TABLE, 4);
        database.execute("DELETE FROM " + TABLE + " WHERE [id] > 2");

        assertThat(read().furthest()).isEqualTo(2);
        assertThat(read().lastValue()).isEqualTo(4);
    }

    @Test
    void shouldReadAMaximumBeyondAReseededLastValue() {
        database.createTable(TABLE, "INT", 1, 1);
        database.insert(TABLE, 9);
        database.reseed(TABLE, 5, 1);

        assertThat(read().furthest()).isEqualTo(9);
        assertThat(read().lastValue()).isEqualTo(5);
    }

    @Test
    void shouldReadTheNextExistingIdIfIdsHaveWrapped() {
        database.createTable(TABLE, "INT", 1, 1);
        database.insert(TABLE, 1);
        database.insertWithId(TABLE, Integer.MAX_VALUE);
        database.insertWithId(TABLE, -1_000_000);
        database.reseed(TABLE, -2_000_000, 1);
        database.insert(TABLE, 1);

        assertThat(read().furthest()).isEqualTo(Integer.MAX_VALUE);
        assertThat(read().lastValue()).isEqualTo(-1_999_999);
        assertThat(read().ahead()).isEqualTo(-1_000_000);
    }

    @Test
    void shouldEscapeTheNamesOfTables() {
        database.createTable(oddTable(), "TINYINT", 1, 1);
        database.insert(oddTable(), 2);

        Reading reading = readAll("dbo.Odd*").get(0);
        assertThat(reading.furthest()).isEqualTo(2);
        assertThat(reading.column().table()).isEqualTo(oddName());
        assertThat(reading.column().type()).isEqualTo("tinyint");
    }

    @Test
    void shouldRefuseANameThatTheCatalogueDoesNotShow() {
        database.execute("CREATE TABLE [dbo].[Plain] ([id] INT)");

        assertThatThrownBy(() -> readAll("dbo.Plain"))
                .isInstanceOfSatisfying(
                        MigrationException.class, e -> assertThat(e.exitCode()).isEqualTo(ExitCode.REFUSED))
                .hasMessageContaining("--include dbo.Plain matches no table with an identity column")
                .hasMessageContaining("VIEW DEFINITION");
    }

    @Test
    void shouldDescribeATable() {
        database.execute("CREATE TABLE " + TABLE + " ([id] INT NOT NULL, [part] SMALLINT NOT NULL,"
                + " [title] NVARCHAR(40) NOT NULL, [price] DECIMAL(9,2) NULL, [at] DATETIME2(7) NULL,"
                + " [data] VARBINARY(16) NULL, [qty] INT NOT NULL DEFAULT 0, PRIMARY KEY ([part], [id]))");
        database.execute("CREATE UNIQUE INDEX [ContractTitle] ON " + TABLE + " ([title], [qty])");
        database.execute("CREATE TABLE [dbo].[Detail] ([id] BIGINT NOT NULL IDENTITY(1,1) PRIMARY KEY,"
                + " [p] SMALLINT NOT NULL, [i] INT NOT NULL,"
                + " CONSTRAINT [DetailOf] FOREIGN KEY ([p], [i]) REFERENCES " + TABLE + " ([part], [id]))");

        SourceTable table;
        SourceTable detail;
        try (Source source = database.open()) {
            table = source.tables("dbo.Contract"::equals).get(0);
            detail = source.tables("dbo.Detail"::equals).get(0);
        }

        assertThat(table.columns())
                .extracting(column -> column.name() + " " + column.type() + " " + column.length() + " "
                        + column.precision() + " " + column.scale() + " " + column.nullable() + " " + column.identity())
                .containsExactly(
                        "id int 0 10 0 false false",
                        "part smallint 0 5 0 false false",
                        "title nvarchar 40 0 0 false false",
                        "price decimal 0 9 2 true false",
                        "at datetime2 0 0 7 true false",
                        "data varbinary 16 0 0 true false",
                        "qty int 0 10 0 false false");
        assertThat(table.column("qty").orElseThrow().defaultExpression()).contains("0");
        assertThat(table.column("title").orElseThrow().defaultExpression()).isNull();
        assertThat(table.primaryKey()).containsExactly("part", "id");
        assertThat(table.indexes())
                .contains(new SourceTable.Index("ContractTitle", true, List.of("title", "qty"), null));
        assertThat(detail.column("id").orElseThrow().identity()).isTrue();
        assertThat(detail.foreignKeys())
                .containsExactly(new SourceTable.ForeignKey(
                        "DetailOf", List.of("p", "i"), "dbo", "Contract", List.of("part", "id")));
    }
}
