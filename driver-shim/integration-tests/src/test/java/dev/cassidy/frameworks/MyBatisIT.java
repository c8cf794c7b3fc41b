package dev.cassidy.frameworks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cassidy.frameworks.Shop.Row;
import java.math.BigDecimal;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.apache.ibatis.annotations.Delete;
import org.apache.ibatis.annotations.Insert;
import org.apache.ibatis.annotations.Options;
import org.apache.ibatis.annotations.Param;
import org.apache.ibatis.annotations.Select;
import org.apache.ibatis.annotations.SelectKey;
import org.apache.ibatis.annotations.Update;
import org.apache.ibatis.executor.BatchResult;
import org.apache.ibatis.mapping.Environment;
import org.apache.ibatis.session.Configuration;
import org.apache.ibatis.session.ExecutorType;
import org.apache.ibatis.session.SqlSession;
import org.apache.ibatis.session.SqlSessionFactory;
import org.apache.ibatis.session.SqlSessionFactoryBuilder;
import org.apache.ibatis.session.TransactionIsolationLevel;
import org.apache.ibatis.transaction.jdbc.JdbcTransactionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class MyBatisIT {

    private static Shop shop;
    private static SqlSessionFactory factory;

    public static final class Product {
        private Integer id;
        private String name;
        private BigDecimal price;
        private Integer stock;

        public Product() {}

        Product(String name, String price, Integer stock) {
            this.name = name;
            this.price = price == null ? null : new BigDecimal(price);
            this.stock = stock;
        }

        private Row row() {
            return new Row(name, price, stock);
        }
    }

    public interface Products {
        @Insert("INSERT INTO dbo.Product (Name, Price, Stock) VALUES (#{name}, #{price}, #{stock})")
        @Options(useGeneratedKeys = true, keyProperty = "id")
        int insert(Product product);

        @Insert("INSERT INTO dbo.Product (Name, Price, Stock) VALUES (#{name}, #{price}, #{stock})")
        @Options(useGeneratedKeys = true, keyProperty = "id", keyColumn = "Id")
        int insertByColumn(Product product);

        @Insert("INSERT INTO dbo.Product (Name, Price, Stock) VALUES (#{name}, #{price}, #{stock})")
        @SelectKey(
                statement = "SELECT SCOPE_IDENTITY()",
                keyProperty = "id",
                before = false,
                resultType = Integer.class)
        int insertAndSelectKey(Product product);

        @Insert({
            "<script>INSERT INTO dbo.Product (Name, Price, Stock) VALUES",
            "<foreach collection='list' item='p' separator=','>(#{p.name}, #{p.price}, #{p.stock})</foreach></script>"
        })
        @Options(useGeneratedKeys = true, keyProperty = "id")
        int insertAll(List<Product> products);

        @Select("SELECT p.Id, p.Name, p.Price, p.Stock FROM dbo.Product p WHERE p.Id = #{id}")
        Product find(int id);

        @Update("UPDATE dbo.Product SET Name = #{name}, Price = #{price}, Stock = #{stock} WHERE Id = #{id}")
        int update(Product product);

        @Update("UPDATE dbo.Product SET Stock = #{stock} WHERE Id = #{id}")
        int restock(@Param("id") int id, @Param("stock") Integer stock);

        @Delete("DELETE FROM dbo.Product WHERE Id = #{id}")
        int delete(int id);
    }

    @BeforeAll
    static void prepare() throws SQLException {
        shop = Shop.open("mybatis_it");
        Configuration configuration =
                new Configuration(new Environment("test", new JdbcTransactionFactory(), shop.pool()));
        configuration.addMapper(Products.class);
        configuration.addMapper(Refused.class);
        factory = new SqlSessionFactoryBuilder().build(configuration);
    }

    @AfterAll
    static void close() throws SQLException {
        shop.close();
    }

    @Test
    void shouldFillTheKeyPropertyByTheFlagTheColumnAndSelectKey() {
        Product byFlag = new Product("by flag", "34.90", 7);
        Product byColumn = new Product("by column", null, null);
        Product bySelect = new Product("by select key", "1", null);
        try (SqlSession session = factory.openSession(true)) {
            Products products = session.getMapper(Products.class);
            assertThat(products.insert(byFlag)).isEqualTo(1);
            assertThat(products.insertByColumn(byColumn)).isEqualTo(1);
            assertThat(products.insertAndSelectKey(bySelect)).isEqualTo(1);
        }

        for (Product product : List.of(byFlag, byColumn, bySelect)) {
            assertThat(shop.row(product.id)).contains(product.row());
        }
    }

    @Test
    void shouldFillTheKeysOfSeveralRowsInOneStatement() {
        List<Product> rows =
                List.of(new Product("r1", "1", 1), new Product("r2", null, 2), new Product("r3", "3", null));
        try (SqlSession session = factory.openSession(true)) {
            assertThat(session.getMapper(Products.class).insertAll(rows)).isEqualTo(3);
        }

        assertThat(rows).allSatisfy(product -> assertThat(shop.row(product.id)).contains(product.row()));
    }

    @Test
    void shouldFillTheKeysOfTheBatchExecutor() {
        List<Product> rows = new ArrayList<>();
        List<BatchResult> results;
        try (SqlSession session = factory.openSession(ExecutorType.BATCH)) {
            Products products = session.getMapper(Products.class);
            for (int i = 0; i < 5; i++) {
                rows.add(new Product("batch " + i, null, i));
                products.insert(rows.get(i));
            }
            results = session.flushStatements();
            session.commit();
        }

        assertThat(results).hasSize(1);
        assertThat(results.get(0).getUpdateCounts()).containsExactly(1, 1, 1, 1, 1);
        assertThat(rows).allSatisfy(product -> assertThat(shop.row(product.id)).contains(product.row()));
    }

    @Test
    void shouldReadUpdateAndDelete() {
        Product product = new Product("old", "1.5", 1);
        try (SqlSession session = factory.openSession(true)) {
            Products products = session.getMapper(Products.class);
            products.insert(product);
            assertThat(products.find(product.id).row()).isEqualTo(Row.of("old", "1.5", 1));

            product.name = "new";
            product.price = null;
            assertThat(products.update(product)).isEqualTo(1);
            assertThat(shop.row(product.id)).contains(Row.of("new", null, 1));
            assertThat(products.restock(product.id, null)).isEqualTo(1);
            assertThat(shop.row(product.id)).contains(Row.of("new", null, null));
            assertThat(products.delete(product.id)).isEqualTo(1);
            assertThat(shop.row(product.id)).isEmpty();
            assertThat(products.find(product.id)).isNull();
        }
    }

    @Test
    void shouldWriteEverythingAtTheCommitWithIdsKnownBefore() {
        Product kettle = new Product("kettle", null, null);
        Product lid;
        try (SqlSession session = factory.openSession(TransactionIsolationLevel.READ_COMMITTED)) {
            Products products = session.getMapper(Products.class);
            products.insert(kettle);
            lid = new Product("lid of " + kettle.id, null, null);
            products.insertAndSelectKey(lid);
            assertThat(shop.row(kettle.id)).isEmpty();
            assertThat(shop.row(lid.id)).isEmpty();
            session.commit();
        }

        assertThat(shop.row(kettle.id)).contains(kettle.row());
        assertThat(shop.row(lid.id)).contains(lid.row());
    }

    @Test
    void shouldLeaveNothingBehindAfterARollback() {
        Product rolledBack = new Product("rolled back", null, null);
        Product closed = new Product("closed without a commit", null, null);
        try (SqlSession session = factory.openSession()) {
            session.getMapper(Products.class).insert(rolledBack);
            session.rollback();
        }
        try (SqlSession session = factory.openSession(ExecutorType.REUSE)) {
            session.getMapper(Products.class).insert(closed);
        }

        assertThat(shop.row(rolledBack.id)).isEmpty();
        assertThat(shop.row(closed.id)).isEmpty();
    }

    @Test
    void shouldSayWhichStatementWasRefusedAndWhy() {
        try (SqlSession session = factory.openSession(true)) {
            assertThatThrownBy(() -> session.getMapper(Refused.class).join())
                    .hasStackTraceContaining("read one table a statement");
        }
    }

    /** Needs a feature that Cassandra does not have. */
    public interface Refused {
        @Select("SELECT a.Name FROM Product a INNER JOIN Stock b ON a.Id = b.Id")
        List<String> join();
    }
}
