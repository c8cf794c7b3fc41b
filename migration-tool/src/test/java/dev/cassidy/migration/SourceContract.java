package dev.cassidy.migration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
        return "[dbo]." + SqlServerSource.quote(oddName());
    }

    private void dropTables() {
        database.dropTables(List.of(TABLE, oddTable(), "[dbo].[Plain]"));
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
        try (SqlServerSource source = database.open()) {
            return source.readChosen(new Selection("shop", List.of(includes), List.of(), Map.of(), Map.of(), false));
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
}
