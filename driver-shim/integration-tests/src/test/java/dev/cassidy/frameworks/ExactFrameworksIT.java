package dev.cassidy.frameworks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.cassidy.jdbc.TestCluster;
import jakarta.persistence.CascadeType;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.FetchType;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.IdClass;
import jakarta.persistence.JoinColumn;
import jakarta.persistence.LockModeType;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.OneToMany;
import jakarta.persistence.OptimisticLockException;
import jakarta.persistence.Table;
import jakarta.persistence.Version;
import java.io.Serializable;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.hibernate.SessionFactory;
import org.hibernate.boot.registry.StandardServiceRegistryBuilder;
import org.hibernate.cfg.AvailableSettings;
import org.hibernate.cfg.Configuration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/** Spring's and Hibernate's transactions over exact tables. */
class ExactFrameworksIT {

    private static HikariDataSource pool;
    private static JdbcTemplate jdbc;
    private static JdbcTransactionManager manager;
    private static SessionFactory factory;

    @Entity(name = "Account")
    @Table(name = "account")
    public static class Account {
        @Id
        private String id;

        private int balance;

        @Version
        private int version;

        protected Account() {}

        Account(String id, int balance) {
            this.id = id;
            this.balance = balance;
        }
    }

    @Entity(name = "Purchase")
    @Table(name = "purchase")
    public static class Purchase {
        @Id
        @GeneratedValue(strategy = GenerationType.IDENTITY)
        private Integer id;

        private String customer;

        @OneToMany(mappedBy = "purchase", cascade = CascadeType.ALL, fetch = FetchType.LAZY)
        private List<Line> lines = new ArrayList<>();

        protected Purchase() {}

        Purchase(String customer, String... items) {
            this.customer = customer;
            for (String item : items) {
                lines.add(new Line(this, lines.size() + 1, item));
            }
        }
    }

    /** The key of a line. */
    public static class LineKey implements Serializable {
        private static final long serialVersionUID = 1L;

        private Integer purchase;
        private int no;

        @Override
        public boolean equals(Object other) {
            return other instanceof LineKey key && Objects.equals(purchase, key.purchase) && no == key.no;
        }

        @Override
        public int hashCode() {
            return Objects.hash(purchase, no);
        }
    }

    @Entity(name = "Line")
    @Table(name = "purchase_line")
    @IdClass(LineKey.class)
    public static class Line {
        @Id
        @ManyToOne(fetch = FetchType.LAZY)
        @JoinColumn(name = "purchase_id")
        private Purchase purchase;

        @Id
        private int no;

        private String item;

        protected Line() {}

        Line(Purchase purchase, int no, String item) {
            this.purchase = purchase;
            this.no = no;
            this.item = item;
        }
    }

    @BeforeAll
    static void prepare() {
        TestCluster cluster = TestCluster.fresh("exact_frameworks_it");
        TestCluster.install("cassidy");
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(cluster.url() + "&presentAs=sqlserver");
        config.setMaximumPoolSize(4);
        config.setMinimumIdle(1);
        pool = new HikariDataSource(config);
        jdbc = new JdbcTemplate(pool);
        manager = new JdbcTransactionManager(pool);
        jdbc.execute(
                "CREATE TABLE account (id VARCHAR(20) PRIMARY KEY, balance INT NOT NULL, version INT NOT NULL DEFAULT 0)");
        jdbc.execute("CREATE TABLE purchase (id INT IDENTITY PRIMARY KEY, customer VARCHAR(50))");
        jdbc.execute(
                "CREATE TABLE purchase_line (purchase_id INT, no INT, item VARCHAR(50), PRIMARY KEY (purchase_id, no))");
        jdbc.execute("CREATE TABLE audit (id INT IDENTITY PRIMARY KEY, what VARCHAR(50))");
        factory = new Configuration()
                .addAnnotatedClass(Account.class)
                .addAnnotatedClass(Purchase.class)
                .addAnnotatedClass(Line.class)
                .buildSessionFactory(new StandardServiceRegistryBuilder()
                        .applySetting(AvailableSettings.JAKARTA_NON_JTA_DATASOURCE, pool)
                        .build());
    }

    @AfterAll
    static void close() throws SQLException {
        factory.close();
        pool.close();
    }

    private static TransactionTemplate transactions(int propagation) {
        TransactionTemplate template = new TransactionTemplate(manager);
        template.setPropagationBehavior(propagation);
        return template;
    }

    private static void account(String id, int balance) {
        jdbc.update("INSERT INTO account (id, balance) VALUES (?, ?)", id, balance);
    }

    private static Integer balance(String id) {
        return jdbc.queryForObject("SELECT balance FROM account WHERE id = ?", Integer.class, id);
    }

    private static void transfer(String from, String to, int amount) {
        int taken = jdbc.update(
                "UPDATE account SET balance = balance - ? WHERE id = ? AND balance >= ?", amount, from, amount);
        int given = jdbc.update("UPDATE account SET balance = balance + ? WHERE id = ?", amount, to);
        if (taken != 1 || given != 1) {
            throw new IllegalStateException("no transfer");
        }
    }

    // ---- Spring

    @Test
    void shouldFollowTheRollbackRulesOfSpring() {
        account("ann", 10);
        account("bob", 0);
        TransactionTemplate template = transactions(TransactionDefinition.PROPAGATION_REQUIRED);
        assertThatThrownBy(() -> template.executeWithoutResult(status -> transfer("ann", "nobody", 4)))
                .isInstanceOf(IllegalStateException.class);
        assertThat(balance("ann")).isEqualTo(10);
        template.executeWithoutResult(status -> {
            transfer("ann", "bob", 4);
            assertThat(balance("ann")).isEqualTo(6);
        });
        assertThat(balance("ann")).isEqualTo(6);
        assertThat(balance("bob")).isEqualTo(4);
    }

    @Test
    void shouldCommitAnInnerTransactionThoughTheOuterIsRolledBack() {
        account("outer", 10);
        transactions(TransactionDefinition.PROPAGATION_REQUIRED).executeWithoutResult(outer -> {
            jdbc.update("UPDATE account SET balance = 1 WHERE id = 'outer'");
            transactions(TransactionDefinition.PROPAGATION_REQUIRES_NEW).executeWithoutResult(inner -> {
                assertThat(balance("outer")).as("not committed").isEqualTo(10);
                account("inner", 5);
            });
            transactions(TransactionDefinition.PROPAGATION_NESTED).executeWithoutResult(nested -> {
                jdbc.update("UPDATE account SET balance = 2 WHERE id = 'outer'");
                nested.setRollbackOnly();
            });
            assertThat(balance("outer")).isEqualTo(1);
            outer.setRollbackOnly();
        });
        assertThat(balance("outer")).isEqualTo(10);
        assertThat(balance("inner")).isEqualTo(5);
    }

    @Test
    void shouldTellSpringOfAConflictAndOfADuplicate() {
        account("raced", 10);
        account("other", 10);
        TransactionTemplate template = transactions(TransactionDefinition.PROPAGATION_REQUIRED);
        assertThatThrownBy(() -> template.executeWithoutResult(status -> {
                    transfer("raced", "other", 1);
                    transactions(TransactionDefinition.PROPAGATION_REQUIRES_NEW)
                            .executeWithoutResult(
                                    inner -> jdbc.update("UPDATE account SET balance = 0 WHERE id = 'raced'"));
                }))
                .isInstanceOf(ConcurrencyFailureException.class);
        assertThat(balance("raced")).isZero();
        assertThat(balance("other")).isEqualTo(10);
        assertThatThrownBy(() -> template.executeWithoutResult(status -> account("raced", 1)))
                .isInstanceOf(DuplicateKeyException.class);
    }

    @Test
    void shouldReadTheSameInAReadOnlyTransactionThatAsksForIt() {
        account("read", 10);
        TransactionTemplate template = transactions(TransactionDefinition.PROPAGATION_REQUIRED);
        template.setReadOnly(true);
        template.setIsolationLevel(TransactionDefinition.ISOLATION_REPEATABLE_READ);
        assertThat(template.<Integer>execute(status -> balance("read") + balance("read")))
                .isEqualTo(20);
    }

    // ---- Hibernate

    @Test
    void shouldWriteAParentWithItsChildrenOrNothing() {
        Purchase kept = new Purchase("ann", "kettle", "pan");
        factory.inTransaction(session -> session.persist(kept));
        assertThat(jdbc.queryForList("SELECT item FROM purchase_line WHERE purchase_id = ?", String.class, kept.id))
                .containsExactly("kettle", "pan");

        Purchase dropped = new Purchase("bob", "pot");
        assertThatThrownBy(() -> factory.inTransaction(session -> {
                    session.persist(dropped);
                    session.flush();
                    assertThat(session.createQuery("select l.item from Line l where l.purchase.id = :id", String.class)
                                    .setParameter("id", dropped.id)
                                    .getResultList())
                            .containsExactly("pot");
                    throw new IllegalStateException("the application's own");
                }))
                .isInstanceOf(IllegalStateException.class);
        assertThat(jdbc.queryForList("SELECT item FROM purchase_line WHERE purchase_id = ?", String.class, dropped.id))
                .isEmpty();
        assertThat(jdbc.queryForList("SELECT id FROM purchase WHERE id = ?", Integer.class, dropped.id))
                .isEmpty();

        factory.inTransaction(session -> {
            Purchase found = session.find(Purchase.class, kept.id);
            found.customer = "ann b";
            session.remove(session.find(Line.class, key(kept, 1)));
        });
        assertThat(jdbc.queryForList("SELECT item FROM purchase_line WHERE purchase_id = ?", String.class, kept.id))
                .containsExactly("pan");
    }

    private static LineKey key(Purchase purchase, int no) {
        LineKey key = new LineKey();
        key.purchase = purchase.id;
        key.no = no;
        return key;
    }

    @Test
    void shouldLetOneOfTwoSessionsChangeAVersion() {
        factory.inTransaction(session -> session.persist(new Account("versioned", 10)));
        try (EntityManager late = factory.createEntityManager()) {
            late.getTransaction().begin();
            Account seen = late.find(Account.class, "versioned");
            seen.balance = 1;
            late.flush();
            factory.inTransaction(session -> session.find(Account.class, "versioned").balance = 2);
            assertThatThrownBy(() -> late.getTransaction().commit())
                    .as("the flush counted 1, and another has committed since")
                    .satisfiesAnyOf(e -> assertThat(e).isInstanceOf(OptimisticLockException.class), e -> assertThat(e)
                            .hasStackTraceContaining("nothing was written"));
        }
        assertThat(balance("versioned")).isEqualTo(2);
    }

    @Test
    void shouldKeepAPessimisticLock() {
        factory.inTransaction(session -> session.persist(new Account("locked", 10)));
        factory.inTransaction(session -> {
            Account locked = session.find(Account.class, "locked", LockModeType.PESSIMISTIC_WRITE);
            locked.balance = locked.balance + 1;
        });
        assertThat(balance("locked")).isEqualTo(11);
        assertThatThrownBy(() -> factory.inTransaction(session -> {
                    Account locked = session.find(Account.class, "locked", LockModeType.PESSIMISTIC_WRITE);
                    assertThat(locked.balance).isEqualTo(11);
                    jdbc.update("UPDATE account SET balance = 5 WHERE id = 'locked'");
                }))
                .hasStackTraceContaining("nothing was written");
        assertThat(balance("locked")).isEqualTo(5);
    }
}
