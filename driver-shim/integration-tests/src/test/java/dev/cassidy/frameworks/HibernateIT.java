package dev.cassidy.frameworks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cassidy.frameworks.Shop.Row;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.OptimisticLockException;
import jakarta.persistence.SecondaryTable;
import jakarta.persistence.SequenceGenerator;
import jakarta.persistence.Table;
import jakarta.persistence.Version;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.hibernate.SessionFactory;
import org.hibernate.boot.registry.StandardServiceRegistryBuilder;
import org.hibernate.cfg.AvailableSettings;
import org.hibernate.cfg.Configuration;
import org.hibernate.dialect.SQLServerDialect;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Hibernate 6.6 with the dialect of SQL Server. */
class HibernateIT {

    private static Shop shop;
    private static SessionFactory factory;

    @Entity(name = "Product")
    @Table(name = "product", schema = "dbo")
    public static class Product {
        @Id
        @GeneratedValue(strategy = GenerationType.IDENTITY)
        private Integer id;

        private String name;

        @Column(precision = 10, scale = 2)
        private BigDecimal price;

        private Integer stock;

        protected Product() {}

        Product(String name, String price, Integer stock) {
            this.name = name;
            this.price = price == null ? null : new BigDecimal(price);
            this.stock = stock;
        }
    }

    @Entity(name = "Item")
    @Table(name = "item")
    public static class Item {
        @Id
        @GeneratedValue(strategy = GenerationType.IDENTITY)
        private Integer id;

        private String name;

        @Version
        private int version;

        protected Item() {}

        Item(String name) {
            this.name = name;
        }
    }

    @Entity(name = "Ticket")
    @Table(name = "ticket")
    public static class Ticket {
        @Id
        @GeneratedValue(strategy = GenerationType.SEQUENCE, generator = "ticket_seq")
        @SequenceGenerator(name = "ticket_seq", sequenceName = "ticket_seq")
        private Integer id;

        private UUID code;

        private LocalTime opens;

        protected Ticket() {}

        Ticket(UUID code, LocalTime opens) {
            this.code = code;
            this.opens = opens;
        }
    }

    @Entity(name = "Place")
    @Table(name = "place")
    @SecondaryTable(name = "place_note")
    public static class Place {
        @Id
        private String code;

        private Integer seats;

        @Column(table = "place_note")
        private String note;

        protected Place() {}

        Place(String code, Integer seats) {
            this.code = code;
            this.seats = seats;
        }
    }

    @BeforeAll
    static void prepare() throws SQLException {
        shop = Shop.open("hibernate_it", "&presentAs=sqlserver");
        try (Connection connection = shop.pool().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(
                    "CREATE TABLE [item] (id INT IDENTITY PRIMARY KEY, name NVARCHAR(50), version INT NOT NULL)");
        }
        factory = new Configuration()
                .addAnnotatedClass(Product.class)
                .addAnnotatedClass(Item.class)
                .buildSessionFactory(new StandardServiceRegistryBuilder()
                        .applySetting(AvailableSettings.JAKARTA_NON_JTA_DATASOURCE, shop.pool())
                        // The tables are those of the entities, as the metadata shows them.
                        .applySetting(AvailableSettings.HBM2DDL_AUTO, "validate")
                        .build());
    }

    @AfterAll
    static void close() throws SQLException {
        factory.close();
        shop.close();
    }

    @Test
    void shouldPersistSeveralEntitiesWithIdsKnownBeforeTheCommit() {
        List<Product> made =
                List.of(new Product("a", "34.90", 1), new Product("b", null, null), new Product("c", "3.00", 3));

        factory.inTransaction(session -> {
            made.forEach(session::persist);
            assertThat(made)
                    .allSatisfy(product -> assertThat(shop.row(product.id)).isEmpty());
        });

        assertThat(made).extracting(product -> product.id).doesNotContainNull().doesNotHaveDuplicates();
        assertThat(shop.row(made.get(0).id)).contains(Row.of("a", "34.90", 1));
        assertThat(shop.row(made.get(1).id)).contains(Row.of("b", null, null));
        assertThat(shop.row(made.get(2).id)).contains(Row.of("c", "3.00", 3));
    }

    @Test
    void shouldFindUpdateAndRemove() {
        Product kettle = new Product("kettle", "34.90", 1);
        factory.inTransaction(session -> session.persist(kettle));

        try (EntityManager entities = factory.createEntityManager()) {
            assertThat(entities.find(Product.class, kettle.id).name).isEqualTo("kettle");
        }
        factory.inTransaction(session -> {
            Product found = session.find(Product.class, kettle.id);
            found.name = "pot";
            found.stock = null;
        });
        assertThat(shop.row(kettle.id)).contains(Row.of("pot", "34.90", null));
        factory.inTransaction(session -> session.remove(session.find(Product.class, kettle.id)));
        assertThat(shop.row(kettle.id)).isEmpty();
        try (EntityManager entities = factory.createEntityManager()) {
            assertThat(entities.find(Product.class, kettle.id)).isNull();
        }
    }

    @Test
    void shouldServeSimpleQueries() {
        Product kettle = new Product("queried", "1.50", 7);
        factory.inTransaction(session -> session.persist(kettle));

        try (EntityManager entities = factory.createEntityManager()) {
            assertThat(entities.createQuery("from Product p where p.id = :id", Product.class)
                            .setParameter("id", kettle.id)
                            .getSingleResult()
                            .name)
                    .isEqualTo("queried");
            assertThat(entities.createQuery("select p.name from Product p where p.id = :id", String.class)
                            .setParameter("id", kettle.id)
                            .setMaxResults(1)
                            .getResultList())
                    .containsExactly("queried");
            assertThat(entities.createQuery("select count(*) from Product p where p.id = :id", Long.class)
                            .setParameter("id", kettle.id)
                            .getSingleResult())
                    .isEqualTo(1);
        }
        factory.inTransaction(
                session -> assertThat(session.createMutationQuery("update Product p set p.stock = 8 where p.id = :id")
                                .setParameter("id", kettle.id)
                                .executeUpdate())
                        .isEqualTo(1));
        assertThat(shop.row(kettle.id)).contains(Row.of("queried", "1.50", 8));
        factory.inTransaction(
                session -> assertThat(session.createMutationQuery("delete from Product p where p.id = :id")
                                .setParameter("id", kettle.id)
                                .executeUpdate())
                        .isEqualTo(1));
        assertThat(shop.row(kettle.id)).isEmpty();
    }

    @Test
    void shouldLockOptimisticallyByAVersion() {
        Item item = new Item("first");
        factory.inTransaction(session -> session.persist(item));
        factory.inTransaction(session -> session.find(Item.class, item.id).name = "second");

        try (EntityManager late = factory.createEntityManager()) {
            late.getTransaction().begin();
            Item seen = late.find(Item.class, item.id);
            assertThat(seen.version).isEqualTo(1);
            factory.inTransaction(session -> session.find(Item.class, item.id).name = "third");
            seen.name = "lost";
            assertThatThrownBy(late::flush).isInstanceOf(OptimisticLockException.class);
            late.getTransaction().rollback();
        }
        try (EntityManager entities = factory.createEntityManager()) {
            Item read = entities.find(Item.class, item.id);
            assertThat(read.name).isEqualTo("third");
            assertThat(read.version).isEqualTo(2);
        }
        factory.inTransaction(session -> session.remove(session.find(Item.class, item.id)));
        try (EntityManager entities = factory.createEntityManager()) {
            assertThat(entities.find(Item.class, item.id)).isNull();
        }
    }

    @Test
    void shouldServeAnExplicitDialect() throws SQLException {
        Product made = new Product("by hand", null, null);
        try (SessionFactory byHand = new Configuration()
                .addAnnotatedClass(Product.class)
                .setProperty(AvailableSettings.DIALECT, SQLServerDialect.class.getName())
                .setProperty(AvailableSettings.JAKARTA_JDBC_URL, shop.cluster().url())
                .setProperty(AvailableSettings.USE_GET_GENERATED_KEYS, "false")
                .buildSessionFactory()) {
            byHand.inTransaction(session -> session.persist(made));
        }

        assertThat(shop.row(made.id)).contains(Row.of("by hand", null, null));
    }

    /** As tests of applications do, with Hibernate's own pool, which hands its settings to the driver. */
    @Test
    void shouldCreateAndDropTablesAndSequencesAgainAndAgain() {
        List<Integer> ids = new ArrayList<>();
        for (int run = 0; run < 3; run++) {
            try (SessionFactory created = new Configuration()
                    .addAnnotatedClass(Ticket.class)
                    .setProperty(
                            AvailableSettings.JAKARTA_JDBC_URL, shop.cluster().url() + "&presentAs=sqlserver")
                    .setProperty(AvailableSettings.AUTOCOMMIT, "false")
                    .setProperty(AvailableSettings.HBM2DDL_AUTO, "create-drop")
                    .buildSessionFactory()) {
                Ticket made = new Ticket(UUID.randomUUID(), LocalTime.of(9, 30));
                created.inTransaction(session -> session.persist(made));
                ids.add(made.id);
                try (EntityManager entities = created.createEntityManager()) {
                    Ticket read = entities.find(Ticket.class, made.id);
                    assertThat(read.code).isEqualTo(made.code);
                    assertThat(read.opens).isEqualTo(made.opens);
                }
            }
        }
        assertThat(ids).doesNotContainNull().doesNotHaveDuplicates();
    }

    /** Both are MERGE in SQL Server's dialect. */
    @Test
    void shouldUpsertAndWriteOptionalSecondaryTables() {
        try (SessionFactory created = new Configuration()
                .addAnnotatedClass(Place.class)
                .setProperty(AvailableSettings.JAKARTA_JDBC_URL, shop.cluster().url() + "&presentAs=sqlserver")
                .setProperty(AvailableSettings.HBM2DDL_AUTO, "create-drop")
                .buildSessionFactory()) {
            for (int seats : List.of(10, 20)) {
                created.inStatelessTransaction(session -> session.upsert(new Place("a", seats)));
                assertThat(found(created, "a").seats).isEqualTo(seats);
            }
            for (String note : Arrays.asList("one", "two", null, "three")) {
                created.inTransaction(session -> session.find(Place.class, "a").note = note);
                assertThat(found(created, "a").note).isEqualTo(note);
                assertThat(found(created, "a").seats).isEqualTo(20);
            }
        }
    }

    private static Place found(SessionFactory factory, String code) {
        try (EntityManager entities = factory.createEntityManager()) {
            return entities.find(Place.class, code);
        }
    }

    @Test
    void shouldLeaveNothingBehindAfterARollback() {
        List<Product> made = new ArrayList<>();

        assertThatThrownBy(() -> factory.inTransaction(session -> {
                    made.add(new Product("gone", null, null));
                    session.persist(made.get(0));
                    throw new IllegalArgumentException("the application's own");
                }))
                .hasMessage("the application's own");

        assertThat(made.get(0).id).isNotNull();
        assertThat(shop.row(made.get(0).id)).isEmpty();
    }

    @Test
    void shouldServeAJoin() {
        factory.inTransaction(session -> session.persist(new Product("joined", null, null)));

        try (EntityManager entities = factory.createEntityManager()) {
            assertThat(entities.createQuery(
                                    "select p.name from Product p join Product q on p.id = q.id where q.name = 'joined'",
                                    String.class)
                            .getResultList())
                    .containsExactly("joined");
        }
    }
}
