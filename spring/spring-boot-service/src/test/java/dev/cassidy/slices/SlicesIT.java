package dev.cassidy.slices;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import dev.cassidy.embedded.EmbeddedCassandra;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.cassandra.CassidySchema;
import dev.cassidy.sequence.cassandra.Replication;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.autoconfigure.data.cassandra.DataCassandraTest;
import org.springframework.boot.test.autoconfigure.data.jdbc.DataJdbcTest;
import org.springframework.boot.test.autoconfigure.jdbc.AutoConfigureTestDatabase;
import org.springframework.boot.test.autoconfigure.jdbc.JdbcTest;
import org.springframework.data.cassandra.core.CassandraTemplate;
import org.springframework.data.cassandra.core.mapping.PrimaryKey;
import org.springframework.data.cassandra.core.mapping.Table;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

/** The starter in the slices of Boot's tests: a slice has only the auto-configurations that name it. */
class SlicesIT {

    private static final EmbeddedCassandra NODE = EmbeddedCassandra.shared();
    private static final String ADDRESS = NODE.host() + ":" + NODE.port();
    private static final String URL = "jdbc:cassidy://" + ADDRESS + "/slices?localDatacenter=" + NODE.localDatacenter();

    @BeforeAll
    static void prepare() throws SQLException {
        try (CqlSession session = CqlSession.builder()
                .addContactPoint(NODE.contactPoint())
                .withLocalDatacenter(NODE.localDatacenter())
                .withConfigLoader(DriverConfigLoader.programmaticBuilder()
                        .withDuration(DefaultDriverOption.REQUEST_TIMEOUT, Duration.ofSeconds(30))
                        .build())
                .build()) {
            CassidySchema.install(
                    session, Replication.parse(NODE.localDatacenter() + ":1"), SequencesConfig.defaults());
            session.execute("CREATE KEYSPACE slices WITH replication = {'class': 'NetworkTopologyStrategy', '"
                    + NODE.localDatacenter() + "': 1}");
        }
        try (Connection connection = DriverManager.getConnection(URL);
                Statement statement = connection.createStatement()) {
            statement.execute(
                    "CREATE TABLE note (id INT IDENTITY(100, 1) PRIMARY KEY, text NVARCHAR(50)) WITH (plain)");
        }
    }

    @SpringBootConfiguration
    @EnableAutoConfiguration
    static class Application {}

    @Table("note")
    record StoredNote(@PrimaryKey @Nullable Integer id, String text) {}

    @Nested
    @JdbcTest
    @AutoConfigureTestDatabase(replace = AutoConfigureTestDatabase.Replace.NONE)
    class OfJdbc {

        @DynamicPropertySource
        static void connect(DynamicPropertyRegistry properties) {
            properties.add("spring.datasource.url", () -> URL);
        }

        @Test
        void shouldGenerateAKey(@Autowired JdbcTemplate jdbc) {
            assertThat(jdbc.queryForObject("INSERT INTO note (text) OUTPUT INSERTED.id VALUES ('jdbc')", Integer.class))
                    .isGreaterThanOrEqualTo(100);
        }
    }

    @Nested
    @DataJdbcTest
    @AutoConfigureTestDatabase(replace = AutoConfigureTestDatabase.Replace.NONE)
    class OfDataJdbc {

        @DynamicPropertySource
        static void connect(DynamicPropertyRegistry properties) {
            properties.add("spring.datasource.url", () -> URL);
        }

        @Test
        @Transactional(propagation = Propagation.NOT_SUPPORTED)
        void shouldSaveANewEntity(@Autowired Notes notes) {
            Note saved = notes.save(new Note(null, "data jdbc"));
            assertThat(saved.id()).isGreaterThanOrEqualTo(100);
            assertThat(notes.findAllById(List.of(Objects.requireNonNull(saved.id()))))
                    .containsExactly(saved);
        }
    }

    @Nested
    @DataCassandraTest(properties = {"spring.cassandra.keyspace-name=slices", "spring.cassandra.request.timeout=10s"})
    class OfDataCassandra {

        @DynamicPropertySource
        static void connect(DynamicPropertyRegistry properties) {
            properties.add("spring.cassandra.contact-points", () -> ADDRESS);
            properties.add("spring.cassandra.local-datacenter", NODE::localDatacenter);
        }

        @Test
        void shouldInsertANewEntity(@Autowired CassandraTemplate template) {
            StoredNote stored = template.insert(new StoredNote(null, "data cassandra"));
            assertThat(stored.id()).isGreaterThanOrEqualTo(100);
            assertThat(template.selectOneById(Objects.requireNonNull(stored.id()), StoredNote.class))
                    .isEqualTo(stored);
        }
    }
}
