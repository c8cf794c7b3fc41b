package dev.cassidy.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.datastax.oss.driver.api.core.CqlSession;
import dev.cassidy.cql.IdentitySession;
import dev.cassidy.insert.IdentityCatalog;
import dev.cassidy.sequence.IdentityType;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class PreparedStatementCacheIT {

    private static TestCluster cluster;

    @AutoClose
    private final Connection connection = cluster.open();

    @BeforeAll
    static void prepare() {
        cluster = TestCluster.fresh("prepared_texts_it");
    }

    private String valueOf(String table, String key) throws SQLException {
        try (Statement select = connection.createStatement();
                ResultSet rows = select.executeQuery("SELECT v FROM " + table + " WHERE k = '" + key + "'")) {
            return rows.next() ? rows.getString(1) : null;
        }
    }

    private static void insert(PreparedStatement insert, String key) throws SQLException {
        insert.setString(1, key);
        insert.setString(2, "65");
        insert.executeUpdate();
    }

    @Test
    void shouldEncodeAsTheNewTypeAfterOurOwnChangeOfTheTable() throws SQLException {
        try (Statement change = connection.createStatement()) {
            change.execute("CREATE TABLE own (k text PRIMARY KEY, v int)");
            PreparedStatement held = connection.prepareStatement("INSERT INTO own (k, v) VALUES (?, ?)");
            insert(held, "before");
            change.execute("DROP TABLE own");
            change.execute("CREATE TABLE own (k text PRIMARY KEY, v text)");

            insert(held, "held");
            insert(connection.prepareStatement("INSERT INTO own (k, v) VALUES (?, ?)"), "anew");
        }
        assertThat(valueOf("own", "held")).isEqualTo("65");
        assertThat(valueOf("own", "anew")).isEqualTo("65");
    }

    @Test
    void shouldEncodeAsTheNewTypeAfterTheDriverReportedAnothersChange() throws Exception {
        cluster.cql("CREATE TABLE $.others (k text PRIMARY KEY, v int)");
        PreparedStatement held = connection.prepareStatement("INSERT INTO others (k, v) VALUES (?, ?)");
        insert(held, "before");
        // A statement that is still in the driver's own cache must not be used either.
        var driversOwn = connection.unwrap(CqlSession.class).prepare("INSERT INTO others (k, v) VALUES (?, ?)");
        cluster.cql("DROP TABLE $.others", "CREATE TABLE $.others (k text PRIMARY KEY, v text)");

        await().atMost(Duration.ofMinutes(2))
                .until(() -> held.getParameterMetaData().getParameterTypeName(2).equals("text"));
        insert(held, "held");
        assertThat(valueOf("others", "held")).isEqualTo("65");
        assertThat(driversOwn.getVariableDefinitions().size()).isEqualTo(2);
    }

    @Test
    void shouldPrepareAgainAfterTheIdentityIsRegistered() throws Exception {
        cluster.cql(
                "CREATE TABLE $.nonkey (k text PRIMARY KEY, v text, id int)",
                "CREATE TABLE $.another (id int PRIMARY KEY)");
        cluster.identity("another", "id", IdentityType.INT, 1);
        String text = "INSERT INTO nonkey (k, v) VALUES (?, ?)";
        PreparedStatement held = connection.prepareStatement(text);
        insert(held, "before");
        cluster.identity("nonkey", "id", IdentityType.INT, 41);
        IdentityCatalog catalog = connection.unwrap(IdentitySession.class).catalog();
        await().atMost(Duration.ofMinutes(2)).until(() -> catalog.find("prepared_texts_it", "nonkey")
                .toCompletableFuture()
                .join()
                .isPresent());

        insert(held, "held");
        try (PreparedStatement again = connection.prepareStatement(text, Statement.RETURN_GENERATED_KEYS)) {
            insert(again, "anew");
            try (ResultSet keys = again.getGeneratedKeys()) {
                assertThat(keys.next()).isTrue();
                assertThat(idOf("anew")).isEqualTo(keys.getInt(1)).isGreaterThanOrEqualTo(41);
            }
        }
        assertThat(idOf("before")).isNull();
        assertThat(idOf("held")).isGreaterThanOrEqualTo(41);
    }

    private Integer idOf(String key) throws SQLException {
        try (Statement select = connection.createStatement();
                ResultSet rows = select.executeQuery("SELECT id FROM nonkey WHERE k = '" + key + "'")) {
            rows.next();
            return (Integer) rows.getObject(1);
        }
    }
}
