package dev.cassidy.applications;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.session.FindByIndexNameSessionRepository;
import org.springframework.session.Session;
import org.springframework.session.jdbc.JdbcIndexedSessionRepository;
import org.springframework.session.jdbc.SqlServerJdbcIndexedSessionRepositoryCustomizer;
import org.springframework.transaction.support.TransactionTemplate;

/** Spring Session with the tables that it has for SQL Server. */
class SpringSessionIT {

    private static final String PRINCIPAL = FindByIndexNameSessionRepository.PRINCIPAL_NAME_INDEX_NAME;

    private static TestDatabase database;
    private static JdbcTemplate queries;
    private static TransactionTemplate transactions;

    @BeforeAll
    static void start() throws SQLException, IOException {
        database = TestDatabase.cassidy(
                "spring_session",
                4,
                List.of(TestDatabase.script(JdbcIndexedSessionRepository.class, "schema-sqlserver.sql")));
        queries = new JdbcTemplate(database.dataSource());
        transactions = new TransactionTemplate(new JdbcTransactionManager(database.dataSource()));
    }

    @AfterAll
    static void stop() {
        if (database != null) {
            database.close();
        }
    }

    private static JdbcIndexedSessionRepository repository() {
        return new JdbcIndexedSessionRepository(queries, transactions);
    }

    /** The repository names its class of sessions to nobody. */
    @SuppressWarnings("unchecked")
    private static FindByIndexNameSessionRepository<Session> sessions(JdbcIndexedSessionRepository repository) {
        return (FindByIndexNameSessionRepository<Session>) (FindByIndexNameSessionRepository<?>) repository;
    }

    private static Session saved(FindByIndexNameSessionRepository<Session> sessions, String principal) {
        Session session = sessions.createSession();
        session.setAttribute(PRINCIPAL, principal);
        session.setAttribute("cart", new ArrayList<>(List.of("kettle")));
        sessions.save(session);
        return session;
    }

    private static int rows(String table) {
        return queries.queryForObject("SELECT COUNT(*) FROM " + table, Integer.class);
    }

    @Test
    void shouldKeepSessions() {
        keepSessions(repository());
    }

    /** It writes an attribute by MERGE. */
    @Test
    void shouldKeepSessionsWithTheCustomizerForSqlServer() {
        JdbcIndexedSessionRepository repository = repository();
        new SqlServerJdbcIndexedSessionRepositoryCustomizer().customize(repository);
        keepSessions(repository);
    }

    private static void keepSessions(JdbcIndexedSessionRepository repository) {
        FindByIndexNameSessionRepository<Session> sessions = sessions(repository);
        Session session = saved(sessions, "ann");
        Session other = saved(sessions, "bob");
        Session found = sessions.findById(session.getId());
        assertThat(found.<List<String>>getAttribute("cart")).containsExactly("kettle");
        found.setAttribute("cart", new ArrayList<>(List.of("kettle", "cup")));
        found.setAttribute("step", 2);
        sessions.save(found);
        found = sessions.findById(session.getId());
        assertThat(found.<List<String>>getAttribute("cart")).containsExactly("kettle", "cup");
        assertThat(found.<Integer>getAttribute("step")).isEqualTo(2);
        found.removeAttribute("step");
        String before = found.getId();
        String after = found.changeSessionId();
        sessions.save(found);
        assertThat(sessions.findById(before)).isNull();
        assertThat(sessions.findById(after).getAttributeNames()).containsExactlyInAnyOrder(PRINCIPAL, "cart");
        assertThat(sessions.findByPrincipalName("ann")).containsOnlyKeys(after);
        assertThat(sessions.findByPrincipalName("nobody")).isEmpty();
        sessions.deleteById(after);
        assertThat(sessions.findById(after)).isNull();
        assertThat(sessions.findByPrincipalName("ann")).isEmpty();
        assertThat(sessions.findByPrincipalName("bob")).containsOnlyKeys(other.getId());
        sessions.deleteById(other.getId());
    }

    /** As the scripts for SQL Server leave it to ON DELETE CASCADE. */
    @Test
    void shouldRemoveAttributesWithTheirSessions() {
        JdbcIndexedSessionRepository repository = repository();
        repository.setDeleteSessionQuery(
                "UPDATE SPRING_SESSION SET PRINCIPAL_NAME = NULL, LAST_ACCESS_TIME = 0, EXPIRY_TIME = 0 WHERE SESSION_ID = ?");
        FindByIndexNameSessionRepository<Session> sessions = sessions(repository);
        repository.cleanUpExpiredSessions();
        Session left = saved(sessions, "left");
        Session out = saved(sessions, "out");
        Session expired = saved(sessions, "expired");
        expired.setLastAccessedTime(Instant.now().minusSeconds(100_000));
        sessions.save(expired);
        sessions.deleteById(out.getId());
        assertThat(sessions.findById(out.getId())).isNull();
        assertThat(sessions.findByPrincipalName("out")).isEmpty();
        assertThat(sessions.findById(expired.getId())).isNull();
        int attributes = rows("SPRING_SESSION_ATTRIBUTES");
        long now = System.currentTimeMillis();
        transactions.executeWithoutResult(status -> {
            queries.update(
                    "DELETE a FROM SPRING_SESSION_ATTRIBUTES a JOIN SPRING_SESSION s ON s.PRIMARY_ID = a.SESSION_PRIMARY_ID"
                            + " WHERE s.EXPIRY_TIME < ?",
                    now);
            queries.update("DELETE FROM SPRING_SESSION WHERE EXPIRY_TIME < ?", now);
        });
        assertThat(rows("SPRING_SESSION_ATTRIBUTES")).isEqualTo(attributes - 4);
        assertThat(sessions.findById(left.getId()).getAttributeNames()).containsExactlyInAnyOrder(PRINCIPAL, "cart");
        assertThat(sessions.findByPrincipalName("expired")).isEmpty();
    }
}
