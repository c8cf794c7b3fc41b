package dev.cassidy.cql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.dse.driver.api.core.cql.reactive.ReactiveResultSet;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.ResultSet;
import com.datastax.oss.driver.api.mapper.annotations.CqlName;
import com.datastax.oss.driver.api.mapper.annotations.Dao;
import com.datastax.oss.driver.api.mapper.annotations.DaoFactory;
import com.datastax.oss.driver.api.mapper.annotations.Entity;
import com.datastax.oss.driver.api.mapper.annotations.Insert;
import com.datastax.oss.driver.api.mapper.annotations.Mapper;
import com.datastax.oss.driver.api.mapper.annotations.PartitionKey;
import com.datastax.oss.driver.api.mapper.annotations.Select;
import com.datastax.oss.driver.api.mapper.annotations.Update;
import dev.cassidy.SharedNode;
import dev.cassidy.embedded.EmbeddedCassandra;
import dev.cassidy.sequence.IdentityColumn;
import dev.cassidy.sequence.IdentityType;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.cassandra.CassidySchema;
import dev.cassidy.sequence.cassandra.Replication;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;

/** The driver's object mapper on an IdentitySession: an entity without an id gets one. */
class MapperIT {

    private static final SequencesConfig CONFIG = SequencesConfig.defaults().withGlobalKeyspace("mapper_it_ids");

    private static CqlSession setup;
    private static IdentitySession session;
    private static ProductDao products;

    @Entity
    @CqlName("product")
    public static class Product {
        @PartitionKey
        private Integer id;

        private String name;
        private int quantity;

        public Product() {}

        Product(Integer id, String name, int quantity) {
            this.id = id;
            this.name = name;
            this.quantity = quantity;
        }

        public Integer getId() {
            return id;
        }

        public void setId(Integer id) {
            this.id = id;
        }

        public String getName() {
            return name;
        }

        public void setName(String name) {
            this.name = name;
        }

        public int getQuantity() {
            return quantity;
        }

        public void setQuantity(int quantity) {
            this.quantity = quantity;
        }
    }

    @Dao
    public interface ProductDao {
        @Insert
        ResultSet save(Product product);

        @Insert
        CompletionStage<AsyncResultSet> saveAsync(Product product);

        @Insert
        ReactiveResultSet saveReactive(Product product);

        @Insert
        BoundStatement bind(Product product);

        @Insert(ttl = ":seconds", timestamp = ":micros", ifNotExists = false)
        ResultSet saveFor(Product product, int seconds, long micros);

        @Insert(ifNotExists = true)
        ResultSet saveNew(Product product);

        @Select
        Product find(Integer id);

        @Update
        void update(Product product);
    }

    @Mapper
    public interface ShopMapper {
        @DaoFactory
        ProductDao products();
    }

    @BeforeAll
    static void open() {
        EmbeddedCassandra node = SharedNode.get();
        setup = CqlSession.builder()
                .addContactPoint(node.contactPoint())
                .withLocalDatacenter(node.localDatacenter())
                .build();
        // With schema metadata, each CREATE would wait for a second for further changes.
        setup.setSchemaMetadataEnabled(false);
        CassidySchema.install(setup, Replication.parse("dc1:1"), CONFIG);
        setup.execute(
                "CREATE KEYSPACE mapper_it WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
        setup.execute("CREATE TABLE mapper_it.product (id int PRIMARY KEY, name text, quantity int)");
        session = IdentitySession.wrap(
                CqlSession.builder()
                        .addContactPoint(node.contactPoint())
                        .withLocalDatacenter(node.localDatacenter())
                        .withKeyspace("mapper_it")
                        .build(),
                CONFIG);
        session.sequences().create(SequenceSpec.of("mapper_it.product", IdentityType.INT, 348, 1));
        session.sequences().registerIdentity(new IdentityColumn("mapper_it", "product", "id", "mapper_it.product"));
        products = new MapperIT_ShopMapperBuilder(session).build().products();
    }

    @AfterAll
    static void close() {
        session.close();
        setup.close();
    }

    private static int only(GeneratedKeys keys) {
        assertThat(keys.keys()).hasSize(1);
        return Math.toIntExact(keys.ids().get(0));
    }

    private static void assertStored(int id, String name, int quantity) {
        Product found = products.find(id);
        assertThat(found).as("product %s", id).isNotNull();
        assertThat(found.getId()).isEqualTo(id);
        assertThat(found.getName()).isEqualTo(name);
        assertThat(found.getQuantity()).isEqualTo(quantity);
    }

    @Test
    void shouldGiveAnIdToAnEntityWithoutOne() throws Exception {
        int kettle = only(GeneratedKeys.of(products.save(new Product(null, "Kettle", 1))));
        int teapot = only(GeneratedKeys.of(products.saveAsync(new Product(null, "Teapot", 2))
                .toCompletableFuture()
                .get()));
        ReactiveResultSet reactive = products.saveReactive(new Product(null, "Cup", 3));
        Flux.from(reactive).blockLast();
        int cup = only(GeneratedKeys.of(reactive).toCompletableFuture().get());
        int spoon = only(GeneratedKeys.of(session.execute(products.bind(new Product(null, "Spoon", 4)))));

        assertThat(new int[] {kettle, teapot, cup, spoon}).isSorted().doesNotHaveDuplicates();
        assertThat(kettle).isGreaterThanOrEqualTo(348);
        assertStored(kettle, "Kettle", 1);
        assertStored(teapot, "Teapot", 2);
        assertStored(cup, "Cup", 3);
        assertStored(spoon, "Spoon", 4);
    }

    @Test
    void shouldKeepTimeToLiveAndTimestamp() {
        int id = only(GeneratedKeys.of(products.saveFor(new Product(null, "Ice", 1), 1_000, 123_456L)));

        var row = session.execute("SELECT TTL(name), WRITETIME(name) FROM product WHERE id = " + id)
                .one();
        assertThat(row.getInt(0)).isBetween(1, 1_000);
        assertThat(row.getLong(1)).isEqualTo(123_456L);
    }

    @Test
    void shouldInsertAnExplicitIdOutsideTheSequenceOnlyOnce() {
        assertThat(products.saveNew(new Product(7, "Old", 1)).wasApplied()).isTrue();
        ResultSet again = products.saveNew(new Product(7, "Other", 2));

        assertThat(again.wasApplied()).isFalse();
        assertThat(GeneratedKeys.of(again).isEmpty()).isTrue();
        assertStored(7, "Old", 1);
    }

    @Test
    void shouldInsertAnEntityWhoseIdWasDrawnBefore() {
        int id = session.sequences().allocator("mapper_it.product").nextInt();

        products.save(new Product(id, "Fork", 6));

        assertStored(id, "Fork", 6);
        assertThatThrownBy(() -> products.save(new Product(id + 1_000_000, "Knife", 6)))
                .isInstanceOf(IdentityInsertException.class)
                .hasMessageContaining("@Update");
    }

    @Test
    void shouldUpdateAnInsertedEntity() {
        int id = only(GeneratedKeys.of(products.save(new Product(null, "Plate", 1))));

        products.update(new Product(id, "Plate", 12));

        assertStored(id, "Plate", 12);
    }
}
