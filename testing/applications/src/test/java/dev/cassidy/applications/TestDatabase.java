package dev.cassidy.applications;

import com.datastax.oss.driver.api.core.CqlSession;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.cassidy.embedded.EmbeddedCassandra;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.cassandra.CassidySchema;
import dev.cassidy.sequence.cassandra.Replication;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.sql.DataSource;

/** A database with the tables of one application, behind a pool as an application has it. */
public final class TestDatabase implements AutoCloseable {

    private static final Pattern OBJECT = Pattern.compile("(?m)^CREATE \\S+ \\S+");

    private final HikariDataSource pool;

    private TestDatabase(HikariConfig config) {
        pool = new HikariDataSource(config);
    }

    private TestDatabase(String url) {
        this(config(url));
    }

    private static HikariConfig config(String url) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setMaximumPoolSize(2);
        return config;
    }

    /**
     * A database of H2 in its mode for SQL Server, whose strings ignore case as SQL Server's do.
     *
     * @param application the class beside whose resources {@code schema.sql} and {@code schema-h2.sql} are
     */
    public static TestDatabase h2(Class<?> application) throws SQLException, IOException {
        TestDatabase database = new TestDatabase("jdbc:h2:mem:" + application.getSimpleName()
                + ";MODE=MSSQLServer;DATABASE_TO_UPPER=FALSE;CASE_INSENSITIVE_IDENTIFIERS=TRUE;IGNORECASE=TRUE"
                + ";INIT=CREATE SCHEMA IF NOT EXISTS dbo\\;SET SCHEMA dbo");
        Map<String, String> statements = statements(application, "schema.sql");
        statements(application, "schema-h2.sql").forEach((object, statement) -> {
            if (statements.replace(object, statement) == null) {
                throw new IllegalStateException("must be in schema.sql, too: " + object);
            }
        });
        return database.with(statements.values());
    }

    /** A keyspace on the node of this JVM, of the same tables. */
    public static TestDatabase cassidy(Class<?> application) throws SQLException, IOException {
        return new TestDatabase(cassidyUrl(application.getSimpleName()) + "&assist=on")
                .with(statements(application, "schema.sql").values());
    }

    /**
     * A keyspace on the node of this JVM, with the tables that a library has for SQL Server, and others.
     *
     * @param scripts each is executed as a whole
     */
    public static TestDatabase cassidy(String keyspace, int connections, List<String> scripts) throws SQLException {
        HikariConfig config = config(cassidyUrl(keyspace) + "&constraints=warn");
        config.setMaximumPoolSize(connections);
        return new TestDatabase(config).with(scripts);
    }

    /** Returns a script of a library's own jar, with lines that end as those of Unix. */
    public static String script(Class<?> ofLibrary, String resource) throws IOException {
        try (InputStream in = ofLibrary.getResourceAsStream(resource)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8).replace("\r\n", "\n");
        }
    }

    private static String cassidyUrl(String keyspace) {
        EmbeddedCassandra node = EmbeddedCassandra.shared();
        try (CqlSession session = CqlSession.builder()
                .addContactPoint(node.contactPoint())
                .withLocalDatacenter(node.localDatacenter())
                .build()) {
            CassidySchema.install(
                    session, Replication.parse(node.localDatacenter() + ":1"), SequencesConfig.defaults());
            session.execute("CREATE KEYSPACE " + keyspace
                    + " WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
        }
        return "jdbc:cassidy://" + node.host() + ":" + node.port() + "/" + keyspace + "?localDatacenter="
                + node.localDatacenter() + "&requestTimeout=1m&connectTimeout=1m";
    }

    public DataSource dataSource() {
        return pool;
    }

    @Override
    public void close() {
        pool.close();
    }

    private TestDatabase with(Collection<String> statements) throws SQLException {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
            return this;
        } catch (SQLException | RuntimeException e) {
            close();
            throw e;
        }
    }

    /** Returns the statements of a script, each by its beginning: CREATE TABLE and the table's name. */
    private static Map<String, String> statements(Class<?> application, String script) throws IOException {
        Map<String, String> statements = new LinkedHashMap<>();
        try (InputStream in = application.getResourceAsStream(script)) {
            String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            for (String statement : text.split("(?m)^GO$")) {
                Matcher object = OBJECT.matcher(statement);
                if (object.find()) {
                    statements.put(object.group(), statement.strip());
                }
            }
        }
        return statements;
    }
}
