package dev.cassidy.tsql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.cassidy.insert.CqlInsert;
import dev.cassidy.insert.UnsupportedSqlException;
import dev.cassidy.tsql.TsqlStep.CreateIndex;
import dev.cassidy.tsql.TsqlStep.CreateTable;
import dev.cassidy.tsql.TsqlStep.DropIndex;
import dev.cassidy.tsql.TsqlStep.LeftOut;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** T-SQL's CREATE INDEX and DROP INDEX. */
class TsqlIndexesTest {

    private static List<TsqlStep> steps(String sql) {
        return TsqlScript.parse(sql).asRead();
    }

    private static CqlInsert.Table table(@Nullable String keyspace, String name) {
        return new CqlInsert.Table(keyspace, name);
    }

    private static CreateIndex index(String sql) {
        return (CreateIndex) steps(sql).get(steps(sql).size() - 1);
    }

    private static List<String> leftOut(String sql) {
        return steps(sql).stream()
                .filter(LeftOut.class::isInstance)
                .map(step -> ((LeftOut) step).what())
                .toList();
    }

    @Test
    void shouldIndexTheFirstColumnAndNoteTheRest() {
        String sql = "CREATE NONCLUSTERED INDEX [IX_Order] ON [shop].[dbo].[Order Details] ([Customer] DESC, [Day] ASC,"
                + " no) INCLUDE (total, [note]) WITH (PAD_INDEX = OFF, ONLINE = ON) ON [PRIMARY]";
        assertThat(index(sql))
                .isEqualTo(new CreateIndex(table("shop", "order_details"), "ix_order", "customer", null, "", false));
        assertThat(index(sql).statements())
                .containsExactly("CREATE CUSTOM INDEX ix_order ON shop.order_details (customer) USING 'sai'");
        assertThat(leftOut(sql))
                .containsExactly(
                        "DESC of index IX_Order",
                        "the columns [Day] ASC, no of index IX_Order, which is on Customer alone",
                        "INCLUDE (total, [note]) of index IX_Order");
        assertThat(TsqlScript.parse(sql).unkept()).isNull();
        assertThat(leftOut("CREATE CLUSTERED INDEX i ON t (a ASC)")).containsExactly("CLUSTERED of index i");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "CREATE INDEX i ON t (a) WHERE b IS NOT NULL AND (c > 1) WITH (ONLINE = ON) | WHERE b IS NOT NULL AND (c > 1) of index i | CREATE INDEX ... WHERE",
            })
    void shouldSayWhatConstraintsWarnIsNeededFor(String sql, String left, String construct) {
        assertThat(leftOut(sql)).containsExactly(left);
        assertThat(index(sql)).isEqualTo(new CreateIndex(table(null, "t"), "i", "a", null, "", false));
        assertThat(TsqlScript.parse(sql).unkept().construct()).isEqualTo(construct);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "CREATE UNIQUE INDEX [I x] ON t (a) | a |",
                "CREATE UNIQUE NONCLUSTERED INDEX [I x] ON t (a ASC, [B]) WITH (IGNORE_DUP_KEY = OFF) | a | b",
                "CREATE UNIQUE INDEX [I x] ON t (a DESC, b) INCLUDE (c) | a | b",
            })
    void shouldReadAllColumnsOfAnIndexThatIsUnique(String sql, String first, String second) {
        CreateIndex.Unique unique = index(sql).unique();
        assertThat(unique.label()).isEqualTo("I x");
        assertThat(unique.columns()).isEqualTo(second == null ? List.of(first) : List.of(first, second));
        assertThat(TsqlScript.parse(sql).unkept()).isNull();
    }

    @Test
    void shouldRefuseAnIndexThatIsUniqueAmongSomeRows() {
        for (String filter :
                List.of("a > 1", "b IS NOT NULL", "a IS NOT NULL", "a IS NOT NULL AND b IS NOT NULL OR c = 1")) {
            assertThatExceptionOfType(UnsupportedSqlException.class)
                    .as(filter)
                    .isThrownBy(() -> TsqlScript.parse("CREATE UNIQUE INDEX i ON t (a, b) INCLUDE (c) WHERE " + filter))
                    .withMessageContaining("CREATE UNIQUE INDEX i ... WHERE");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "CREATE UNIQUE INDEX i ON t (a, b) WHERE a IS NOT NULL AND b IS NOT NULL",
                "CREATE UNIQUE INDEX i ON t (a, b) INCLUDE (c) WHERE ([b] IS NOT NULL) AND (a IS NOT NULL) WITH (FILLFACTOR = 80)",
            })
    void shouldLeaveNullsOfAUniqueIndexApart(String sql) {
        assertThat(index(sql).unique().nullsApart()).isTrue();
        assertThat(index("CREATE UNIQUE INDEX i ON t (a, b)").unique().nullsApart())
                .isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "CREATE INDEX ON t (a)",
                "CREATE INDEX IF NOT EXISTS i ON t (a)",
                "CREATE CUSTOM INDEX i ON t (a) USING 'sai'",
                "CREATE INDEX i ON t (a) USING 'sai'",
                "CREATE INDEX i ON t (keys(m))",
                "DROP INDEX i",
                "DROP INDEX IF EXISTS k.i",
            })
    void shouldPassCqlByteForByte(String cql) {
        assertThat(steps(cql)).singleElement().isInstanceOfSatisfying(TsqlStep.Cql.class, step -> assertThat(
                        step.text())
                .isEqualTo(cql));
    }

    @Test
    void shouldKeepTheTextOfAnIndexThatIsCqlAsWell() {
        assertThat(index(" CREATE INDEX i ON k.t (\"A\") ;"))
                .isEqualTo(new CreateIndex(table("k", "t"), "i", "A", null, "CREATE INDEX i ON k.t (\"A\")", false));
        for (String tsql :
                List.of("CREATE INDEX [i] ON t (a)", "CREATE INDEX i ON dbo.t (a)", "CREATE INDEX i ON t (a ASC)")) {
            assertThat(index(tsql)).isEqualTo(new CreateIndex(table(null, "t"), "i", "a", null, "", false));
        }
    }

    @Test
    void shouldReadIndexesWithinATable() {
        List<TsqlStep> steps = steps("IF OBJECT_ID('t') IS NULL CREATE TABLE t (id int PRIMARY KEY, a int, INDEX ix"
                + " NONCLUSTERED (a, id), INDEX iy (id))");
        assertThat(steps.get(0)).isInstanceOfSatisfying(CreateTable.class, create -> assertThat(create.cql())
                .isEqualTo("CREATE TABLE IF NOT EXISTS t (id int PRIMARY KEY, a int)"));
        assertThat(steps.subList(1, 4))
                .containsExactly(
                        new LeftOut("the columns id of index ix, which is on a alone"),
                        new CreateIndex(table(null, "t"), "ix", "a", null, "", true),
                        new CreateIndex(table(null, "t"), "iy", "id", null, "", true));
        assertThat(steps("ALTER TABLE t ADD INDEX ix (a)"))
                .containsExactly(new CreateIndex(table(null, "t"), "ix", "a", null, "", false));
    }

    @Test
    void shouldReadAScriptWithoutSemicolons() {
        assertThat(steps("CREATE INDEX i ON t (a DESC) CREATE INDEX j ON t (b) ON [PRIMARY] DROP INDEX i ON t, j ON"
                        + " dbo.t WITH (ONLINE = ON) DROP INDEX IF EXISTS k ON s.u INSERT INTO t (a) VALUES (1)"))
                .filteredOn(step -> !(step instanceof LeftOut))
                .startsWith(
                        new CreateIndex(table(null, "t"), "i", "a", null, "", false),
                        new CreateIndex(table(null, "t"), "j", "b", null, "", false),
                        new DropIndex(table(null, "t"), "i", false),
                        new DropIndex(table(null, "t"), "j", false),
                        new DropIndex(table("s", "u"), "k", true))
                .hasSize(6);
    }

    /** Before SQL Server 2005 the table stood in front of the index. */
    @Test
    void shouldReadTheTableInFrontOfTheIndexThatIsDropped() {
        assertThat(steps("DROP INDEX dbo.t.i, [s].[u].[j] SELECT 1"))
                .startsWith(new DropIndex(table(null, "t"), "i", false), new DropIndex(table("s", "u"), "j", false))
                .hasSize(3);
        Schema schema = new Schema() {
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
                return table.equals(table(null, "t")) ? List.of("id") : List.of();
            }
        };
        assertThat(TsqlScript.parse("DROP INDEX IF EXISTS t.i", schema).steps())
                .containsExactly(new DropIndex(table(null, "t"), "i", true));
        assertThat(TsqlScript.parse("DROP INDEX k.i", schema).steps())
                .singleElement()
                .isInstanceOf(TsqlStep.Cql.class);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "CREATE CLUSTERED COLUMNSTORE INDEX i ON t | CREATE CLUSTERED",
                "CREATE UNIQUE TABLE t | CREATE UNIQUE",
                "CREATE INDEX i ON t (a + 1 ASC, b) | '+' in the columns of index i",
                "CREATE NONCLUSTERED INDEX i ON t (1) | '1' in the columns of index i",
                "DROP INDEX i ON t, j | DROP INDEX ... j",
            })
    void shouldRefuseByName(String sql, String construct) {
        assertThatExceptionOfType(UnsupportedSqlException.class)
                .isThrownBy(() -> steps(sql))
                .satisfies(e -> assertThat(e.construct()).isEqualTo(construct));
    }
}
