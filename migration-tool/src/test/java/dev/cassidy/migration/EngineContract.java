package dev.cassidy.migration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.migration.plan.Fences;
import dev.cassidy.migration.plan.Selection;
import dev.cassidy.migration.source.Reading;
import dev.cassidy.migration.source.ScanLimit;
import dev.cassidy.migration.source.Source;
import dev.cassidy.migration.source.SourceColumn;
import dev.cassidy.migration.source.SourceTable;
import dev.cassidy.migration.source.SourceUrl;
import dev.cassidy.migration.source.Sources;
import java.math.BigInteger;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** What the tool finds in an engine that is no SQL Server. Table names are quoted, so that they keep their case. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class EngineContract {

    Connection connection;

    abstract String url();

    abstract String user();

    /** Returns the schema in which the tests' tables are. */
    abstract String schema();

    /** Returns the definition of an identity column {@code id} of a type. */
    abstract String identity(String type);

    /** Returns what makes the table's next id {@code next}. */
    abstract String restart(String table, long next);

    /** Returns {@code name} as the engine quotes it. */
    abstract String quoted(String name);

    /** Returns the names of the tables and sequences that the tests make, in an order in which they can be dropped. */
    private List<String> tables() {
        return List.of("Line", "Order", "Odd \"]`.name; --", "Number", "Tiny");
    }

    @BeforeAll
    void connect() throws SQLException {
        connection = DriverManager.getConnection(url(), user(), "");
    }

    @AfterAll
    void disconnect() throws SQLException {
        connection.close();
    }

    @BeforeEach
    @AfterEach
    void dropTables() {
        tables().forEach(table -> execute("DROP TABLE IF EXISTS " + quoted(table)));
    }

    void execute(String sql) {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }

    Source open() {
        return Sources.open(
                new SourceUrl(url()), user(), Optional.of(""), null, new java.util.Properties(), Duration.ofMinutes(1));
    }

    void create(String table, String type) {
        execute("CREATE TABLE " + quoted(table) + " (" + identity(type) + ", " + quoted("x") + " INT)");
    }

    void insert(String table, int rows) {
        for (int i = 0; i < rows; i++) {
            execute("INSERT INTO " + quoted(table) + " (" + quoted("x") + ") VALUES (" + i + ")");
        }
    }

    Reading read(String table) {
        try (Source source = open()) {
            return source.read(new Selection(
                            "shop", List.of(schema() + "." + table), List.of(), Map.of(), Map.of(), false)::choose)
                    .get(0);
        }
    }

    @Test
    void shouldReadTheLastValueAndTheMaximum() {
        create("Order", "BIGINT");
        insert("Order", 5);
        execute("DELETE FROM " + quoted("Order") + " WHERE " + quoted("id") + " > 3");

        Reading reading = read("Order");

        assertThat(reading.column())
                .extracting(
                        SourceColumn::qualifiedTable,
                        SourceColumn::column,
                        SourceColumn::type,
                        SourceColumn::seed,
                        SourceColumn::increment)
                .containsExactly(schema() + ".Order", "id", "bigint", BigInteger.ONE, BigInteger.ONE);
        assertThat(reading.furthest()).isEqualTo(3);
        assertThat(reading.lastValue()).isEqualTo(5);
    }

    /** Runs what a rollback plan prints. */
    void reseed(String table, long next) {
        String sql;
        try (Source source = open()) {
            SourceColumn column = source.read(new Selection(
                            "shop", List.of(schema() + "." + table), List.of(), Map.of(), Map.of(), false)::choose)
                    .get(0)
                    .column();
            sql = source.reseed(column, BigInteger.valueOf(next));
        }
        execute(sql);
    }

    @Test
    void shouldContinueWhereItIsReseeded() {
        create("Order", "INT");
        insert("Order", 2);

        reseed("Order", 500);

        insert("Order", 1);
        assertThat(read("Order").furthest()).isEqualTo(500);
    }

    @Test
    void shouldReadNothingFromATableThatWasNeverUsedOrWasTruncated() {
        create("Order", "INT");
        assertThat(read("Order").empty()).isTrue();
        insert("Order", 2);
        execute("TRUNCATE TABLE " + quoted("Order"));
        execute(restart("Order", 1));
        assertThat(read("Order").empty()).isTrue();
    }

    @Test
    void shouldReadAMaximumInAReferencingTable() {
        create("Order", "INT");
        insert("Order", 3);
        execute("CREATE TABLE " + quoted("Line") + " (" + quoted("n") + " INT PRIMARY KEY, " + quoted("of")
                + " INT, FOREIGN KEY (" + quoted("of") + ") REFERENCES " + quoted("Order") + " (" + quoted("id")
                + "))");
        execute("INSERT INTO " + quoted("Line") + " VALUES (1, 2)");

        assertThat(read("Order").elsewhere())
                .containsExactly(new Reading.Elsewhere(schema() + ".Line.of", BigInteger.TWO));
    }

    @Test
    void shouldQuoteNames() {
        String odd = tables().get(2);
        create(odd, "SMALLINT");
        insert(odd, 2);

        Reading reading = read("Odd*");

        assertThat(reading.column().table()).isEqualTo(odd);
        assertThat(reading.furthest()).isEqualTo(2);
        assertThat(reading.column().type()).isEqualTo("smallint");
    }

    @Test
    void shouldDescribeATable() {
        create("Order", "INT");
        execute("CREATE TABLE " + quoted("Line") + " (" + quoted("a") + " INT NOT NULL, " + quoted("b")
                + " VARCHAR(40) NOT NULL DEFAULT 'new', " + quoted("c") + " DECIMAL(9,2), " + quoted("of")
                + " INT, PRIMARY KEY (" + quoted("b") + ", " + quoted("a") + "), CONSTRAINT " + quoted("LineOf")
                + " FOREIGN KEY (" + quoted("of") + ") REFERENCES " + quoted("Order") + " (" + quoted("id") + "))");
        execute("CREATE UNIQUE INDEX " + quoted("LineC") + " ON " + quoted("Line") + " (" + quoted("c") + ", "
                + quoted("a") + ")");

        try (Source source = open()) {
            SourceTable line = source.tables((schema() + ".Line")::equals).get(0);
            assertThat(line.columns())
                    .extracting(column -> column.name() + " " + column.precision() + " " + column.scale() + " "
                            + column.nullable() + " " + column.identity())
                    .containsExactly(
                            "a " + line.columns().get(0).precision() + " 0 false false",
                            "b 0 0 false false",
                            "c 9 2 true false",
                            "of " + line.columns().get(0).precision() + " 0 true false");
            assertThat(line.columns().get(1).length()).isEqualTo(40);
            assertThat(line.columns().get(1).comparesCharacters()).isEqualTo(comparesCharacters());
            assertThat(line.columns().get(1).defaultExpression()).contains("new");
            assertThat(line.primaryKey()).containsExactly("b", "a");
            assertThat(line.indexes()).contains(new SourceTable.Index("LineC", true, List.of("c", "a"), null));
            assertThat(line.foreignKeys())
                    .containsExactly(
                            new SourceTable.ForeignKey("LineOf", List.of("of"), schema(), "Order", List.of("id")));
            assertThat(source.tables((schema() + ".Order")::equals))
                    .singleElement()
                    .satisfies(
                            order -> assertThat(order.column("id").orElseThrow().identity())
                                    .isTrue());
        }
    }

    /** Returns whether the engine takes no strings for equal that have other characters. */
    boolean comparesCharacters() {
        return true;
    }

    /** Returns whether the engine makes an index for each foreign key. */
    boolean indexesForeignKeys() {
        return true;
    }

    @Test
    void shouldReadOnlyTheMaximaThatAnIndexGives() {
        create("Order", "INT");
        insert("Order", 3);
        execute("CREATE TABLE " + quoted("Line") + " (" + quoted("n") + " INT PRIMARY KEY, " + quoted("of")
                + " INT, FOREIGN KEY (" + quoted("of") + ") REFERENCES " + quoted("Order") + " (" + quoted("id")
                + "))");
        execute("INSERT INTO " + quoted("Line") + " VALUES (1, 2)");
        Selection order = new Selection("shop", List.of(schema() + ".Order"), List.of(), Map.of(), Map.of(), false);

        try (Source source = open()) {
            Reading reading = source.read(order::choose, ScanLimit.NEVER).get(0);
            assertThat(reading.furthest()).isEqualTo(3);
            assertThat(reading.elsewhere()).hasSize(indexesForeignKeys() ? 1 : 0);
            assertThat(reading.unread())
                    .extracting(Reading.Unread::where)
                    .isEqualTo(indexesForeignKeys() ? List.of() : List.of(schema() + ".Line.of"));
        }
        try (Source source = open()) {
            assertThat(source.read(order::choose, ScanLimit.parse("1000"))
                            .get(0)
                            .elsewhere())
                    .hasSize(1);
            assertThat(source.lastValues()).anySatisfy((column, last) -> assertThat(column.table() + last)
                    .isEqualTo("OrderOptional[3]"));
        }
    }

    ToolRun fence(String... rest) {
        return ToolRun.of(
                Map.of("SOURCE_PASSWORD", ""),
                null,
                ToolRun.join(
                        "migrate fence",
                        List.of("--source-url", url(), "--source-user", user(), "--include", schema() + ".Order"),
                        rest));
    }

    @Test
    void shouldHoldTheSourceBehindAFence() {
        create("Order", "INT");
        insert("Order", 3);

        ToolRun applied = fence("--apply", "--yes", "--margin", "2");
        assertThat(applied.exitCode()).as(applied.out() + applied.err()).isZero();
        assertThat(applied.out()).contains(schema() + ".Order.id: fenced, last id 5");
        insert("Order", 2);
        assertThatThrownBy(() -> insert("Order", 1)).hasStackTraceContaining("fence");
        assertThatThrownBy(() -> insert("Order", 1)).hasStackTraceContaining("fence");
        assertThat(read("Order").furthest()).isEqualTo(5);

        try (Source source = open()) {
            Reading fenced = Fences.read(
                            source,
                            all -> all.stream()
                                    .filter(column -> column.table().equals("Order"))
                                    .toList(),
                            true)
                    .get(0);
            assertThat(fenced.lastValue()).as("ids that failed inserts burnt").isEqualTo(5);
        }
        assertThat(fence().out()).contains("keep");
        ToolRun closed = fence("--margin", "0", "--apply", "--yes");
        assertThat(closed.exitCode()).as(closed.out() + closed.err()).isZero();
        assertThat(closed.out()).contains(schema() + ".Order.id: kept, last id 5");
        assertThat(fence("--margin", "99", "--apply", "--yes").exitCode()).isEqualTo(ExitCode.REFUSED.code());
        assertThat(fence("--remove", "--apply", "--yes").out()).contains("removed");
        insert("Order", 1);
    }
}
