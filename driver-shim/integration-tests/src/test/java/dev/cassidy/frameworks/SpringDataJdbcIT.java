package dev.cassidy.frameworks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cassidy.frameworks.Shop.Row;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.dao.OptimisticLockingFailureException;
import org.springframework.data.annotation.Id;
import org.springframework.data.annotation.Version;
import org.springframework.data.jdbc.core.JdbcAggregateOperations;
import org.springframework.data.jdbc.core.dialect.DialectResolver;
import org.springframework.data.jdbc.repository.config.AbstractJdbcConfiguration;
import org.springframework.data.jdbc.repository.config.EnableJdbcRepositories;
import org.springframework.data.jdbc.repository.query.Modifying;
import org.springframework.data.jdbc.repository.query.Query;
import org.springframework.data.relational.core.mapping.Table;
import org.springframework.data.repository.ListCrudRepository;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcOperations;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.transaction.TransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

// With Spring Data Cassandra beside it, only @Table tells whose a repository is.
class SpringDataJdbcIT {

    private static Shop shop;
    private static AnnotationConfigApplicationContext context;
    private static Products products;
    private static TransactionTemplate transactions;

    @Table
    record Product(@Id Integer id, String name, BigDecimal price, Integer stock) {
        static Product of(String name, String price, Integer stock) {
            return new Product(null, name, price == null ? null : new BigDecimal(price), stock);
        }
    }

    @Table
    record Item(@Id Integer id, String name, @Version Integer version) {}

    interface Items extends ListCrudRepository<Item, Integer> {}

    interface Products extends ListCrudRepository<Product, Integer> {
        @Query("SELECT TOP 1 p.* FROM dbo.Product p WHERE p.Id = :id")
        Product one(int id);

        @Modifying
        @Query("UPDATE dbo.Product SET Stock = :stock WHERE Id = :id")
        boolean restock(int id, int stock);
    }

    @Configuration
    @EnableJdbcRepositories(considerNestedRepositories = true)
    static class Setup extends AbstractJdbcConfiguration {
        @Bean
        DataSource dataSource() {
            return shop.pool();
        }

        @Bean
        NamedParameterJdbcOperations operations(DataSource source) {
            return new NamedParameterJdbcTemplate(source);
        }

        @Bean
        TransactionManager transactionManager(DataSource source) {
            return new DataSourceTransactionManager(source);
        }
    }

    @BeforeAll
    static void prepare() throws SQLException {
        shop = Shop.open("spring_data_jdbc_it", "&presentAs=sqlserver");
        try (Connection connection = shop.pool().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(
                    "CREATE TABLE [item] (id INT IDENTITY PRIMARY KEY, name NVARCHAR(50), version INT NOT NULL)");
        }
        context = new AnnotationConfigApplicationContext(Setup.class);
        products = context.getBean(Products.class);
        transactions = new TransactionTemplate(context.getBean(DataSourceTransactionManager.class));
    }

    @AfterAll
    static void close() throws SQLException {
        context.close();
        shop.close();
    }

    @Test
    void shouldSaveFindUpdateAndDelete() {
        Product kettle = products.save(Product.of("kettle", "34.90", null));

        assertThat(shop.row(kettle.id())).contains(Row.of("kettle", "34.90", null));
        assertThat(products.findById(kettle.id())).contains(kettle);
        assertThat(products.existsById(kettle.id())).isTrue();
        assertThat(products.one(kettle.id())).isEqualTo(kettle);

        products.save(new Product(kettle.id(), "pot", null, 3));
        assertThat(shop.row(kettle.id())).contains(Row.of("pot", null, 3));
        assertThat(products.restock(kettle.id(), 4)).isTrue();
        assertThat(shop.row(kettle.id())).contains(Row.of("pot", null, 4));

        products.deleteById(kettle.id());
        assertThat(shop.row(kettle.id())).isEmpty();
        assertThat(products.findById(kettle.id())).isEmpty();
    }

    @Test
    void shouldSaveAndFindSeveral() {
        List<Product> saved = products.saveAll(
                List.of(Product.of("a", "1", 1), Product.of("b", null, null), Product.of("c", "3", 3)));

        assertThat(saved).extracting(Product::name).containsExactly("a", "b", "c");
        assertThat(saved)
                .allSatisfy(product ->
                        assertThat(shop.row(product.id()).orElseThrow().name()).isEqualTo(product.name()));
        assertThat(products.findAll()).containsAll(saved);
        assertThat(products.findAllById(List.of(saved.get(0).id(), saved.get(2).id())))
                .containsExactlyInAnyOrder(saved.get(0), saved.get(2));
        assertThat(products.count()).isGreaterThanOrEqualTo(3);
        products.deleteAllById(List.of(saved.get(0).id(), saved.get(1).id()));
        assertThat(shop.row(saved.get(0).id())).isEmpty();
        assertThat(shop.row(saved.get(2).id())).isPresent();
    }

    @Test
    void shouldCommitAndRollBack() {
        List<Product> dropped = new ArrayList<>();

        Product committed = transactions.execute(status -> {
            Product made = products.save(Product.of("committed", null, null));
            assertThat(shop.row(made.id())).isEmpty();
            return made;
        });
        transactions.executeWithoutResult(status -> {
            dropped.add(products.save(Product.of("dropped", null, null)));
            products.deleteById(committed.id());
            status.setRollbackOnly();
        });

        assertThat(shop.row(committed.id())).contains(Row.of("committed", null, null));
        assertThat(shop.row(dropped.get(0).id())).isEmpty();
    }

    @Test
    void shouldLockOptimisticallyByAVersion() {
        Items items = context.getBean(Items.class);
        Item first = items.save(new Item(null, "first", null));

        Item second = items.save(new Item(first.id(), "second", first.version()));
        assertThat(second.version()).isEqualTo(first.version() + 1);
        assertThat(items.findById(first.id())).contains(second);
        assertThatThrownBy(() -> items.save(new Item(first.id(), "lost", first.version())))
                .isInstanceOf(OptimisticLockingFailureException.class);
        assertThatThrownBy(() -> items.delete(first)).isInstanceOf(OptimisticLockingFailureException.class);
        assertThat(items.findById(first.id())).contains(second);
        items.delete(second);
        assertThat(items.findById(first.id())).isEmpty();
    }

    @Table
    record Token(@Id UUID id, UUID other, LocalTime opens) {}

    @Test
    void shouldMapUniqueidentifiersToUuids() {
        new JdbcTemplate(shop.pool())
                .execute("CREATE TABLE token (id UNIQUEIDENTIFIER PRIMARY KEY, other UNIQUEIDENTIFIER, opens TIME)");
        JdbcAggregateOperations entities = context.getBean(JdbcAggregateOperations.class);
        Token token = new Token(UUID.randomUUID(), UUID.randomUUID(), LocalTime.of(9, 30));

        entities.insert(token);

        assertThat(entities.findById(token.id(), Token.class)).isEqualTo(token);
        assertThat(entities.findAllById(List.of(token.id()), Token.class)).containsExactly(token);
    }

    record Label(String text) {}

    record Labelled(@Id Integer id, Label label) {}

    @Test
    void shouldRefuseToJoinAReferenceByName() {
        assertThatThrownBy(() -> context.getBean(JdbcAggregateOperations.class).findById(1, Labelled.class))
                .hasStackTraceContaining("read one table a statement");
    }

    @Test
    void shouldFindNoDialectWithoutTheOptionAndNameTheProduct() throws SQLException {
        JdbcTemplate plain =
                new JdbcTemplate(new DriverManagerDataSource(shop.cluster().url()));

        assertThatThrownBy(() -> DialectResolver.getDialect(plain))
                .isInstanceOf(DialectResolver.NoDialectException.class)
                .hasMessageContaining("Cannot determine a dialect");
    }
}
