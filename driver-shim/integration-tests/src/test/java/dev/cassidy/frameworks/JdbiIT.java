package dev.cassidy.frameworks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cassidy.frameworks.Shop.Row;
import java.math.BigDecimal;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.mapper.reflect.ConstructorMapper;
import org.jdbi.v3.core.statement.PreparedBatch;
import org.jdbi.v3.core.transaction.TransactionIsolationLevel;
import org.jdbi.v3.sqlobject.SqlObjectPlugin;
import org.jdbi.v3.sqlobject.config.RegisterConstructorMapper;
import org.jdbi.v3.sqlobject.customizer.Bind;
import org.jdbi.v3.sqlobject.customizer.BindMethods;
import org.jdbi.v3.sqlobject.statement.GetGeneratedKeys;
import org.jdbi.v3.sqlobject.statement.SqlBatch;
import org.jdbi.v3.sqlobject.statement.SqlQuery;
import org.jdbi.v3.sqlobject.statement.SqlUpdate;
import org.jdbi.v3.sqlobject.transaction.Transaction;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class JdbiIT {

    private static Shop shop;
    private static Jdbi jdbi;

    public record Product(Integer id, String name, BigDecimal price, Integer stock) {}

    @RegisterConstructorMapper(Product.class)
    public interface Products {
        @SqlUpdate("INSERT INTO dbo.Product (Name, Price, Stock) VALUES (:name, :price, :stock)")
        @GetGeneratedKeys
        long insert(@BindMethods Product product);

        @SqlUpdate("INSERT INTO dbo.Product (Name) VALUES (:name)")
        @GetGeneratedKeys("id")
        int insert(@Bind("name") String name);

        @SqlBatch("INSERT INTO dbo.Product (Name) VALUES (:name)")
        @GetGeneratedKeys
        List<Integer> insertAll(@Bind("name") List<String> names);

        @SqlQuery("SELECT * FROM dbo.Product WHERE Id = :id")
        Optional<Product> find(@Bind("id") long id);

        @SqlUpdate("UPDATE dbo.Product SET Name = :name, Stock = :stock WHERE Id = :id")
        int update(@BindMethods Product product);

        @SqlUpdate("DELETE FROM dbo.Product WHERE Id = :id")
        boolean delete(@Bind("id") long id);

        @Transaction
        default int insertWithLid(String name, boolean fail, List<Integer> made) {
            made.add(insert(name));
            made.add(insert("lid of " + made.get(0)));
            if (fail) {
                throw new IllegalArgumentException("the application's own");
            }
            return made.get(0);
        }
    }

    @BeforeAll
    static void prepare() throws SQLException {
        shop = Shop.open("jdbi_it");
        jdbi = Jdbi.create(shop.pool()).installPlugin(new SqlObjectPlugin());
    }

    @AfterAll
    static void close() throws SQLException {
        shop.close();
    }

    @Test
    void shouldInsertReadUpdateAndDeleteThroughSqlObjects() {
        Products products = jdbi.onDemand(Products.class);

        long id = products.insert(new Product(null, "kettle", new BigDecimal("34.90"), null));

        assertThat(shop.row(id)).contains(Row.of("kettle", "34.90", null));
        assertThat(products.find(id)).contains(new Product((int) id, "kettle", new BigDecimal("34.90"), null));
        assertThat(products.update(new Product((int) id, "pot", null, 3))).isEqualTo(1);
        assertThat(shop.row(id)).contains(Row.of("pot", "34.90", 3));
        assertThat(products.delete(id)).isTrue();
        assertThat(shop.row(id)).isEmpty();
        assertThat(products.find(id)).isEmpty();
    }

    @Test
    void shouldInsertBatchesWithKeys() {
        List<Integer> ids = jdbi.onDemand(Products.class).insertAll(List.of("b1", "b2", "b3"));
        List<Long> fluent = jdbi.withHandle(handle -> {
            PreparedBatch batch = handle.prepareBatch("INSERT INTO product (name, stock) VALUES (?, ?)");
            batch.add("f1", 1).add("f2", null);
            return batch.executePreparedBatch("id").mapTo(Long.class).list();
        });

        assertThat(ids.stream().map(id -> shop.row(id).orElseThrow().name())).containsExactly("b1", "b2", "b3");
        assertThat(shop.row(fluent.get(0))).contains(Row.of("f1", null, 1));
        assertThat(shop.row(fluent.get(1))).contains(Row.of("f2", null, null));
    }

    @Test
    void shouldCommitAndRollBack() {
        Products products = jdbi.onDemand(Products.class);
        List<Integer> committed = new ArrayList<>();
        List<Integer> dropped = new ArrayList<>();

        products.insertWithLid("kettle", false, committed);
        assertThatThrownBy(() -> products.insertWithLid("gone", true, dropped)).hasMessage("the application's own");

        assertThat(shop.row(committed.get(1))).contains(Row.of("lid of " + committed.get(0), null, null));
        assertThat(dropped).hasSize(2).allSatisfy(id -> assertThat(shop.row(id)).isEmpty());
    }

    @Test
    void shouldWriteAtTheCommit() {
        int id = jdbi.inTransaction(TransactionIsolationLevel.SERIALIZABLE, handle -> {
            int made = handle.createUpdate("INSERT INTO product (name) VALUES (:name)")
                    .bind("name", "in transaction")
                    .executeAndReturnGeneratedKeys()
                    .mapTo(int.class)
                    .one();
            assertThat(shop.row(made)).isEmpty();
            return made;
        });

        assertThat(shop.row(id)).contains(Row.of("in transaction", null, null));
    }

    @Test
    void shouldReturnToASavepoint() {
        long[] ids = jdbi.inTransaction(handle -> {
            String insert = "INSERT INTO Product (Name) VALUES (?)";
            long before = handle.createUpdate(insert)
                    .bind(0, "before")
                    .executeAndReturnGeneratedKeys()
                    .mapTo(int.class)
                    .one();
            handle.savepoint("here");
            long after = handle.createUpdate(insert)
                    .bind(0, "after")
                    .executeAndReturnGeneratedKeys()
                    .mapTo(int.class)
                    .one();
            handle.rollbackToSavepoint("here");
            return new long[] {before, after};
        });
        assertThat(shop.row(ids[0])).contains(Row.of("before", null, null));
        assertThat(shop.row(ids[1])).isEmpty();
    }

    @Test
    void shouldReadWithAnAlias() {
        long id = jdbi.withExtension(
                Products.class, products -> products.insert(new Product(null, "aliased", BigDecimal.TEN, 1)));

        assertThat(jdbi.<List<Product>, RuntimeException>withHandle(handle -> handle.select(
                                "SELECT p.[Id], p.[Name], p.Price, p.Stock FROM [dbo].[Product] AS p WHERE p.Id = ?",
                                id)
                        .map(ConstructorMapper.of(Product.class))
                        .list()))
                .containsExactly(new Product((int) id, "aliased", BigDecimal.TEN, 1));
    }
}
