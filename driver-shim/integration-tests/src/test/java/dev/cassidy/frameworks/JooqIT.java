package dev.cassidy.frameworks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.table;

import dev.cassidy.frameworks.Shop.Row;
import java.math.BigDecimal;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Record;
import org.jooq.Result;
import org.jooq.SQLDialect;
import org.jooq.Table;
import org.jooq.conf.RenderNameCase;
import org.jooq.conf.RenderQuotedNames;
import org.jooq.conf.Settings;
import org.jooq.impl.DSL;
import org.jooq.impl.SQLDataType;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class JooqIT {

    private static final Table<Record> PRODUCT = table(name("product"));
    private static final Field<Integer> ID = field(name("id"), SQLDataType.INTEGER.identity(true));
    private static final Field<String> NAME = field(name("name"), SQLDataType.VARCHAR);
    private static final Field<BigDecimal> PRICE = field(name("price"), SQLDataType.DECIMAL(10, 2));
    private static final Field<Integer> STOCK = field(name("stock"), SQLDataType.INTEGER);

    private static Shop shop;
    private static DSLContext mysql;
    private static DSLContext plain;

    @BeforeAll
    static void prepare() throws SQLException {
        System.setProperty("org.jooq.no-logo", "true");
        System.setProperty("org.jooq.no-tips", "true");
        shop = Shop.open("jooq_it");
        Settings unquoted =
                new Settings().withRenderQuotedNames(RenderQuotedNames.NEVER).withRenderNameCase(RenderNameCase.LOWER);
        mysql = DSL.using(shop.pool(), SQLDialect.MYSQL, unquoted);
        plain = DSL.using(shop.pool(), SQLDialect.DEFAULT);
    }

    @AfterAll
    static void close() throws SQLException {
        shop.close();
    }

    @Test
    void shouldInsertReturningTheKey() {
        for (DSLContext jooq : List.of(mysql)) {
            Record record = jooq.insertInto(PRODUCT, NAME, PRICE, STOCK)
                    .values("kettle", new BigDecimal("34.90"), null)
                    .returning(ID)
                    .fetchOne();

            assertThat(shop.row(record.get(ID))).contains(Row.of("kettle", "34.90", null));
        }
    }

    @Test
    void shouldInsertSeveralRowsReturningTheKeys() {
        for (DSLContext jooq : List.of(mysql)) {
            Result<? extends Record> records = jooq.insertInto(PRODUCT, NAME, STOCK)
                    .values("r1", 1)
                    .values("r2", null)
                    .returning(ID)
                    .fetch();

            assertThat(records).hasSize(2);
            assertThat(shop.row(records.get(0).get(ID))).contains(Row.of("r1", null, 1));
            assertThat(shop.row(records.get(1).get(ID))).contains(Row.of("r2", null, null));
        }
    }

    @Test
    void shouldReadUpdateAndDelete() {
        for (DSLContext jooq : List.of(mysql, plain)) {
            int id = mysql.insertInto(PRODUCT, NAME).values("old").returning(ID).fetchOne(ID);

            assertThat(jooq.update(PRODUCT)
                            .set(NAME, "new")
                            .set(STOCK, 5)
                            .where(ID.eq(id))
                            .execute())
                    .isEqualTo(1);
            assertThat(shop.row(id)).contains(Row.of("new", null, 5));
            assertThat(jooq.select(ID, NAME, PRICE, STOCK)
                            .from(PRODUCT)
                            .where(ID.eq(id))
                            .fetchOne())
                    .satisfies(read -> assertThat(read.get(NAME)).isEqualTo("new"))
                    .satisfies(read -> assertThat(read.get(STOCK)).isEqualTo(5));
            assertThat(jooq.select(NAME)
                            .from(PRODUCT)
                            .where(ID.in(id, 1))
                            .limit(1)
                            .fetch(NAME))
                    .containsExactly("new");
            assertThat(jooq.deleteFrom(PRODUCT).where(ID.eq(id)).execute()).isEqualTo(1);
            assertThat(shop.row(id)).isEmpty();
        }
    }

    /** Sends the statements of jOOQ's SQL Server dialect, which only its commercial editions contain. */
    @Test
    void shouldServeStatementsOfTheSqlServerDialect() {
        List<Result<Record>> results = plain.fetchMany(
                "declare @result table ([id] int); insert into [product] ([name], [stock]) output [inserted].[id]"
                        + " into @result values (?, ?); select [r].[id] from @result [r];",
                "declared",
                3);

        assertThat(results).singleElement().satisfies(records -> assertThat(
                        shop.row(records.get(0).get(ID)))
                .contains(Row.of("declared", null, 3)));
    }

    @Test
    void shouldRefuseReturningAndNameTheDialectThatDoesWithoutIt() {
        assertThatThrownBy(() -> plain.insertInto(PRODUCT, NAME)
                        .values("refused")
                        .returning(ID)
                        .fetchOne())
                .hasStackTraceContaining("INSERT ... RETURNING")
                .hasStackTraceContaining("as jOOQ does in MYSQL");
    }

    @Test
    void shouldSendBatches() {
        int[] counts = mysql.batch(mysql.insertInto(PRODUCT, NAME, STOCK).values((String) null, null))
                .bind("b1", 1)
                .bind("b2", 2)
                .execute();

        assertThat(counts).containsExactly(1, 1);
    }

    @Test
    void shouldCommitAndRollBack() {
        List<Integer> ids = new ArrayList<>();
        mysql.transaction(configuration -> {
            ids.add(DSL.using(configuration)
                    .insertInto(PRODUCT, NAME)
                    .values("committed")
                    .returning(ID)
                    .fetchOne(ID));
            assertThat(shop.row(ids.get(0))).isEmpty();
        });
        assertThatThrownBy(() -> mysql.transaction(configuration -> {
                    ids.add(DSL.using(configuration)
                            .insertInto(PRODUCT, NAME)
                            .values("gone")
                            .returning(ID)
                            .fetchOne(ID));
                    throw new IllegalArgumentException("the application's own");
                }))
                .hasMessage("the application's own");

        assertThat(shop.row(ids.get(0))).contains(Row.of("committed", null, null));
        assertThat(shop.row(ids.get(1))).isEmpty();
    }
}
