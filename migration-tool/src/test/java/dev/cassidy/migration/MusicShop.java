package dev.cassidy.migration;

import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A source database in T-SQL, with ten tables that have identity columns and one that does not: a music shop that has
 * been in use. Rows were deleted between others ({@code Performer}), at the end ({@code Release}, {@code Client}), and
 * completely ({@code Basket}). Inserts were rolled back between others ({@code Receipt}) and at the end ({@code
 * Recording}). The script is always the same.
 */
final class MusicShop {

    /** The tables in an order in which they can be dropped. */
    static final List<String> TABLES = List.of(
            "ReleaseStyle",
            "ReceiptItem",
            "Receipt",
            "Basket",
            "Client",
            "Clerk",
            "Recording",
            "Release",
            "Performer",
            "Style",
            "Format");

    /** SQL Server accepts no more rows in one statement. */
    private static final int MAX_ROWS = 1_000;

    private static final List<String> ADJECTIVES =
            List.of("Amber", "Quiet", "Northern", "Paper", "Seventh", "Copper", "Müder", "Last", "Électrique");
    private static final List<String> NOUNS =
            List.of("Harbour", "Orchard", "Lantern", "O'Brien", "Glacier", "Telegraph", "Sparrow", "Meridian");
    private static final LocalDateTime OPENING = LocalDateTime.of(2019, 2, 28, 9, 30);

    private MusicShop() {}

    /** Returns the batches of the script, without the word that ends each batch. */
    static List<String> batches() {
        List<String> batches = new ArrayList<>();
        createTables(batches);
        insert(batches, "Style", "[Name]", 24, i -> text(name(i)));
        insert(batches, "Format", "[Name], [Digital]", 6, i -> text("Format " + i) + ", " + i % 2);
        insert(batches, "Performer", "[Name]", 180, i -> text(name(i)));
        batches.add("DELETE FROM [dbo].[Performer] WHERE [PerformerId] IN (40, 41, 95)");
        insert(batches, "Release", "[Title], [PerformerId]", 320, i -> text(name(i)) + ", " + (1 + i % 39));
        batches.add("DELETE FROM [dbo].[Release] WHERE [ReleaseId] > 315");
        insert(
                batches,
                "Recording",
                "[Title], [ReleaseId], [FormatId], [Milliseconds], [Price]",
                2_600,
                MusicShop::recording);
        insertAndRollBack(
                batches,
                "Recording",
                "[Title], [ReleaseId], [FormatId], [Milliseconds], [Price]",
                3,
                MusicShop::recording);
        insert(batches, "ReleaseStyle", "[ReleaseId], [StyleId]", 315, i -> (i + 1) + ", " + (1 + i % 24));
        insert(batches, "Clerk", "[Name], [ReportsTo]", 8, i -> text(name(i)) + ", " + (i == 0 ? "NULL" : "100"));
        insert(
                batches,
                "Client",
                "[Name], [Email], [ClerkId]",
                75,
                i -> text(name(i)) + ", " + text("client" + i + "@example.com") + ", " + (100 + 10 * (i % 8)));
        batches.add("DELETE FROM [dbo].[Client] WHERE [ClientId] > 1072");
        insert(batches, "Basket", "[ClientId]", 15, i -> Integer.toString(1_000 + i));
        batches.add("DELETE FROM [dbo].[Basket]");
        insert(batches, "Receipt", "[ClientId], [IssuedAt], [Total]", 200, MusicShop::receipt);
        insertAndRollBack(batches, "Receipt", "[ClientId], [IssuedAt], [Total]", 10, MusicShop::receipt);
        insert(batches, "Receipt", "[ClientId], [IssuedAt], [Total]", 210, MusicShop::receipt);
        insert(
                batches,
                "ReceiptItem",
                "[ReceiptId], [RecordingId], [Price], [Quantity]",
                1_900,
                i -> (1 + i % 200) + ", " + (1 + i) + ", " + price(i) + ", " + (1 + i % 3));
        return batches;
    }

    private static void createTables(List<String> batches) {
        create(batches, "Style", "SMALLINT", "IDENTITY", "[Name] NVARCHAR(120)");
        create(batches, "Format", "TINYINT", "IDENTITY", "[Name] NVARCHAR(120), [Digital] BIT NOT NULL");
        create(batches, "Performer", "INT", "IDENTITY", "[Name] NVARCHAR(120)");
        create(batches, "Release", "INT", "IDENTITY", "[Title] NVARCHAR(160) NOT NULL, [PerformerId] INT NOT NULL");
        create(
                batches,
                "Recording",
                "INT",
                "IDENTITY",
                "[Title] NVARCHAR(200) NOT NULL, [ReleaseId] INT, [FormatId] TINYINT NOT NULL, [Milliseconds] INT NOT NULL,"
                        + " [Price] NUMERIC(10,2) NOT NULL");
        create(batches, "Clerk", "INT", "IDENTITY(100,10)", "[Name] NVARCHAR(40) NOT NULL, [ReportsTo] INT");
        create(
                batches,
                "Client",
                "INT",
                "IDENTITY(1000,1)",
                "[Name] NVARCHAR(40) NOT NULL, [Email] VARCHAR(60) NOT NULL, [ClerkId] INT");
        create(batches, "Basket", "INT", "IDENTITY", "[ClientId] INT NOT NULL");
        create(
                batches,
                "Receipt",
                "INT",
                "IDENTITY",
                "[ClientId] INT NOT NULL, [IssuedAt] DATETIME NOT NULL, [Total] NUMERIC(10,2) NOT NULL");
        create(
                batches,
                "ReceiptItem",
                "BIGINT",
                "IDENTITY(5000000000,1)",
                "[ReceiptId] INT NOT NULL, [RecordingId] INT NOT NULL, [Price] NUMERIC(10,2) NOT NULL, [Quantity] INT NOT NULL");
        batches.add("CREATE TABLE [dbo].[ReleaseStyle] ([ReleaseId] INT NOT NULL, [StyleId] SMALLINT NOT NULL,"
                + " CONSTRAINT [PK_ReleaseStyle] PRIMARY KEY NONCLUSTERED ([ReleaseId], [StyleId]))");
        refer(batches, "Release", "PerformerId", "Performer");
        refer(batches, "Recording", "ReleaseId", "Release");
        refer(batches, "Recording", "FormatId", "Format");
        refer(batches, "ReleaseStyle", "ReleaseId", "Release");
        refer(batches, "ReleaseStyle", "StyleId", "Style");
        refer(batches, "Clerk", "ReportsTo", "Clerk");
        refer(batches, "Client", "ClerkId", "Clerk");
        refer(batches, "Basket", "ClientId", "Client");
        refer(batches, "Receipt", "ClientId", "Client");
        refer(batches, "ReceiptItem", "ReceiptId", "Receipt");
        refer(batches, "ReceiptItem", "RecordingId", "Recording");
    }

    private static void create(List<String> batches, String table, String type, String identity, String columns) {
        batches.add("CREATE TABLE [dbo].[" + table + "]\n(\n    [" + table + "Id] " + type + " NOT NULL " + identity
                + ",\n    " + columns + ",\n    CONSTRAINT [PK_" + table + "] PRIMARY KEY CLUSTERED ([" + table
                + "Id])\n)");
    }

    private static void refer(List<String> batches, String table, String column, String other) {
        batches.add("ALTER TABLE [dbo].[" + table + "] ADD CONSTRAINT [FK_" + table + column + "] FOREIGN KEY (["
                + column + "]) REFERENCES [dbo].[" + other + "] ([" + other
                + "Id]) ON DELETE NO ACTION ON UPDATE NO ACTION");
        batches.add("CREATE INDEX [IFK_" + table + column + "] ON [dbo].[" + table + "] ([" + column + "])");
    }

    private static void insert(
            List<String> batches, String table, String columns, int rows, IntFunction<String> values) {
        for (int from = 0; from < rows; from += MAX_ROWS) {
            batches.add(insertion(table, columns, from, Math.min(rows, from + MAX_ROWS), values));
        }
    }

    /** Inserts rows and rolls them back. Their ids are used up nevertheless. */
    private static void insertAndRollBack(
            List<String> batches, String table, String columns, int rows, IntFunction<String> values) {
        batches.add("BEGIN TRANSACTION; " + insertion(table, columns, 0, rows, values) + "; ROLLBACK TRANSACTION");
    }

    private static String insertion(String table, String columns, int from, int to, IntFunction<String> values) {
        return IntStream.range(from, to)
                .mapToObj(i -> "(" + values.apply(i) + ")")
                .collect(Collectors.joining(
                        ",\n    ", "INSERT INTO [dbo].[" + table + "] (" + columns + ") VALUES\n    ", ""));
    }

    private static String recording(int i) {
        return text(name(i)) + ", " + (1 + i % 315) + ", " + (1 + i % 6) + ", " + (120_000 + 137 * i) + ", " + price(i);
    }

    private static String receipt(int i) {
        return (1_000 + i % 73) + ", '" + OPENING.plusHours(7L * i) + ":00', " + price(3 * i);
    }

    private static String price(int i) {
        return String.format(Locale.ROOT, "%d.%02d", i % 20, i % 100);
    }

    private static String name(int i) {
        return ADJECTIVES.get(i % ADJECTIVES.size()) + " " + NOUNS.get(i % NOUNS.size());
    }

    private static String text(String value) {
        return "N'" + value.replace("'", "''") + "'";
    }
}
