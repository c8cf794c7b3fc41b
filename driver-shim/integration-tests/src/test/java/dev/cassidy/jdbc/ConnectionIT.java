package dev.cassidy.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;

class ConnectionIT {

    private static TestCluster cluster;

    @BeforeAll
    static void prepare() {
        cluster = TestCluster.fresh("connection_it");
        cluster.cql("CREATE TABLE $.t (id int PRIMARY KEY, v text)", "INSERT INTO $.t (id, v) VALUES (1, 'one')");
    }

    @Test
    void shouldBeFoundByDriverManagerAndRead() throws SQLException {
        try (Connection connection = cluster.connect();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT id, v FROM t WHERE id = 1")) {
            assertThat(rows.next()).isTrue();
            assertThat(rows.getInt("ID")).isEqualTo(1);
            assertThat(rows.getString(2)).isEqualTo("one");
            assertThat(rows.next()).isFalse();
        }
    }

    @Test
    void shouldFindTheOnlyDatacenterOfAClusterByItself() throws SQLException {
        try (Connection connection =
                DriverManager.getConnection("jdbc:cassidy://" + TestCluster.hosts() + "/connection_it")) {
            assertThat(connection.isValid(60)).isTrue();
        }
    }

    @Test
    void shouldRefuseADatacenterThatHasNoNodes() {
        assertThatThrownBy(() -> DriverManager.getConnection(
                        "jdbc:cassidy://" + TestCluster.hosts() + "/connection_it?localDatacenter=dc9"))
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("localDatacenter='dc9' has no nodes; the cluster's datacenters are "
                        + TestCluster.NODE.localDatacenter())
                .hasFieldOrPropertyWithValue("SQLState", "08001");
    }

    @Test
    void shouldNameAKeyspaceThatIsMissingAndHowToCreateIt() {
        assertThatThrownBy(() -> DriverManager.getConnection("jdbc:cassidy://" + TestCluster.hosts() + "/nowhere"))
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("Keyspace nowhere does not exist")
                .hasMessageContaining("CREATE KEYSPACE nowhere WITH replication")
                .hasFieldOrPropertyWithValue("SQLState", "3F000");
    }

    @Test
    void shouldNameAHostThatRefuses() throws Exception {
        int port;
        try (ServerSocket closedAgain = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            port = closedAgain.getLocalPort();
        }

        assertThatThrownBy(() -> DriverManager.getConnection("jdbc:cassidy://127.0.0.1:" + port + "/k"))
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("Cannot connect to 127.0.0.1:" + port + ": no node answered (")
                .hasMessageContaining("check the hosts and ports")
                .hasFieldOrPropertyWithValue("SQLState", "08001");
    }

    @Test
    void shouldGiveUpOnAHostThatNeverAnswersAndName() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            String url = "jdbc:cassidy://127.0.0.1:" + silent.getLocalPort() + "/k?connectTimeout=300ms";

            assertThatThrownBy(() -> DriverManager.getConnection(url))
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("Cannot connect to 127.0.0.1:" + silent.getLocalPort())
                    .hasFieldOrPropertyWithValue("SQLState", "08001");
        }
    }

    @Test
    void shouldNameAHostThatHasNoAddress() {
        assertThatThrownBy(() -> DriverManager.getConnection("jdbc:cassidy://no-such-host.invalid/k"))
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("no address is known for no-such-host.invalid")
                .hasFieldOrPropertyWithValue("SQLState", "08001");
    }

    @Test
    void shouldUseTheHostThatAnswersWhenOthersDoNot() throws SQLException {
        String url = "jdbc:cassidy://no-such-host.invalid,127.0.0.1:1," + TestCluster.hosts() + "/connection_it";

        try (Connection connection = DriverManager.getConnection(url)) {
            assertThat(connection.isValid(60)).isTrue();
        }
    }

    @Test
    void shouldShareOneSessionAmongConnectionsOfOneUrl() throws SQLException {
        try (Connection first = cluster.connect();
                Connection second = cluster.connect();
                Connection other = DriverManager.getConnection(cluster.url() + "&fanOut=warn")) {
            CqlSession session = first.unwrap(CqlSession.class);

            assertThat(second.unwrap(CqlSession.class)).isSameAs(session);
            assertThat(other.unwrap(CqlSession.class)).isNotSameAs(session);
            first.close();
            assertThat(session.isClosed()).isFalse();
            assertThat(second.isValid(60)).isTrue();
        }
    }

    @Test
    void shouldOpenANewSessionAfterAUserClosedTheSharedOne() throws SQLException {
        String url = cluster.url() + "&dateFormat=ymd";
        try (Connection first = DriverManager.getConnection(url)) {
            first.unwrap(CqlSession.class).close();
            assertThat(first.isValid(60)).isFalse();

            try (Connection second = DriverManager.getConnection(url)) {
                assertThat(second.isValid(60)).isTrue();
            }
        }
    }

    @Test
    void shouldRefuseAllCallsAfterClose() throws SQLException {
        Connection connection = cluster.connect();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("SELECT * FROM t");
        connection.close();
        connection.close();

        assertThat(connection.isClosed()).isTrue();
        assertThat(connection.isValid(1)).isFalse();
        assertThat(statement.isClosed()).isTrue();
        assertThat(rows.isClosed()).isTrue();
        assertThatThrownBy(connection::createStatement).hasFieldOrPropertyWithValue("SQLState", "08003");
        assertThatThrownBy(() -> statement.execute("SELECT * FROM t")).isInstanceOf(SQLException.class);
        assertThatThrownBy(rows::next).isInstanceOf(SQLException.class);
    }

    @Test
    void shouldChangeTheKeyspaceWithoutAffectingOtherConnections() throws SQLException {
        TestCluster.fresh("connection_it_other").cql("CREATE TABLE $.only_there (id int PRIMARY KEY)");
        try (Connection moved = cluster.connect();
                Connection stays = cluster.connect();
                Statement statement = moved.createStatement()) {
            statement.execute("USE connection_it_other");
            assertThat(moved.getSchema()).isEqualTo("connection_it_other");
            assertThat(statement.executeQuery("SELECT * FROM only_there").next())
                    .isFalse();
            moved.setSchema("connection_it");
            assertThat(statement.executeQuery("SELECT * FROM t").next()).isTrue();

            assertThat(stays.getSchema()).isEqualTo("connection_it");
            assertThat(stays.createStatement().executeQuery("SELECT * FROM t").next())
                    .isTrue();
            assertThatThrownBy(() -> moved.setSchema("nowhere")).hasFieldOrPropertyWithValue("SQLState", "3F000");
            assertThat(moved.getSchema()).isEqualTo("connection_it");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "USE connection_it_moved",
                "use \"connection_it_moved\";",
                " \n\tUsE/* */connection_it_moved",
                "-- on purpose\nUSE connection_it_moved",
                "// on purpose\rUSE connection_it_moved",
                "/* on */ /* purpose */ uSE connection_it_moved"
            })
    void shouldNotMoveOtherConnectionsByTheSessionThatTheyShare(String use) throws Exception {
        TestCluster.fresh("connection_it_moved").cql("CREATE TABLE $.t (id int PRIMARY KEY, v text)");
        try (Connection connection = cluster.connect();
                Connection other = cluster.connect();
                Statement statement = other.createStatement();
                CqlSession elsewhere = CqlSession.builder()
                        .addContactPoint(TestCluster.NODE.contactPoint())
                        .withLocalDatacenter(TestCluster.NODE.localDatacenter())
                        .build()) {
            CqlSession shared = connection.unwrap(CqlSession.class);
            PreparedStatement waiting = other.prepareStatement("SELECT v FROM t WHERE id = 1");

            assertNoUse(() -> shared.execute(use));
            assertNoUse(() -> shared.execute(SimpleStatement.newInstance(use)));
            assertNoUse(() -> get(shared.executeAsync(use)));
            assertNoUse(() -> shared.prepare(use));
            assertNoUse(() -> get(shared.prepareAsync(use)));
            assertNoUse(() -> shared.execute(elsewhere.prepare(use).bind()));
            assertNoUse(() -> Flux.from(shared.executeReactive(use)).blockLast());

            assertThat(other.getSchema()).isEqualTo("connection_it");
            assertThat(statement.executeQuery("SELECT v FROM t WHERE id = 1").next())
                    .isTrue();
            assertThat(waiting.executeQuery().next()).isTrue();
            statement.executeUpdate("INSERT INTO t (id, v) VALUES (2, 'here')");
            assertThat(shared.execute("SELECT * FROM connection_it_moved.t").one())
                    .isNull();
        }
    }

    private static void assertNoUse(ThrowingCallable use) {
        assertThatThrownBy(use)
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("is in keyspace connection_it: unqualified statements of the other connections")
                .hasMessageContaining("Qualify the names, or call Connection.setSchema");
    }

    private static <T> T get(CompletionStage<T> stage) {
        try {
            return stage.toCompletableFuture().join();
        } catch (CompletionException e) {
            throw (RuntimeException) e.getCause();
        }
    }

    @Test
    void shouldRefuseUseAmongOtherStatementsAndInABatchBeforeAnythingIsWritten() throws SQLException {
        TestCluster.fresh("connection_it_use").cql("CREATE TABLE $.t (id int PRIMARY KEY, v text)");
        try (Connection connection = cluster.connect();
                Statement statement = connection.createStatement();
                PreparedStatement use = connection.prepareStatement("USE connection_it_use")) {
            assertThatThrownBy(() ->
                            statement.execute("USE connection_it_use; INSERT INTO t (id, v) VALUES (77, 'astray')"))
                    .hasMessageContaining("USE is not served among other statements")
                    .hasFieldOrPropertyWithValue("SQLState", "HYC00");
            assertThatThrownBy(() -> connection.prepareStatement("SELECT v FROM t; USE connection_it_use"))
                    .hasFieldOrPropertyWithValue("SQLState", "HYC00");
            assertThatThrownBy(() -> statement.addBatch("USE connection_it_use"))
                    .hasMessageContaining("USE is not served in a batch")
                    .hasFieldOrPropertyWithValue("SQLState", "HYC00");
            assertThatThrownBy(use::addBatch).hasFieldOrPropertyWithValue("SQLState", "HYC00");

            assertThat(statement.executeQuery("SELECT * FROM t WHERE id = 77").next())
                    .isFalse();
            use.execute();
            assertThat(connection.getSchema()).isEqualTo("connection_it_use");
            statement.addBatch("INSERT INTO t (id, v) VALUES (77, 'there')");
            statement.executeBatch();
            assertThat(statement
                            .executeQuery("SELECT * FROM connection_it_use.t WHERE id = 77")
                            .next())
                    .isTrue();
        }
    }

    @Test
    void shouldAcceptEveryIsolationLevelAndSayThatItHasNoEffect() throws SQLException {
        try (Connection connection = cluster.connect()) {
            connection.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);

            assertThat(connection.getTransactionIsolation()).isEqualTo(Connection.TRANSACTION_SERIALIZABLE);
            assertThat(connection.getWarnings().getMessage()).contains("what was read is the same at the commit");
            connection.clearWarnings();
            assertThat((Object) connection.getWarnings()).isNull();
            assertThatThrownBy(() -> connection.setTransactionIsolation(99)).hasMessageContaining("isolation=99");
        }
    }

    @Test
    void shouldRefuseUnsupportedFeaturesByNameAndWithoutAStateThatPoolsEvictOn() throws SQLException {
        try (Connection connection = cluster.connect();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT * FROM t")) {
            assertThatThrownBy(() -> connection.prepareCall("{call p}"))
                    .isInstanceOf(SQLFeatureNotSupportedException.class)
                    .hasMessageContaining("Connection.prepareCall(String)")
                    .hasFieldOrPropertyWithValue("SQLState", "HYC00");
            assertThatThrownBy(rows::previous)
                    .hasMessageContaining("ResultSet.previous()")
                    .hasFieldOrPropertyWithValue("SQLState", "HYC00");
            assertThatThrownBy(
                            () -> connection.createStatement(ResultSet.TYPE_FORWARD_ONLY, ResultSet.CONCUR_UPDATABLE))
                    .hasMessageContaining("CONCUR_READ_ONLY")
                    .hasFieldOrPropertyWithValue("SQLState", "HYC00");
        }
    }

    @Test
    void shouldRefuseSqlThatIsNull() throws SQLException {
        try (Connection connection = cluster.connect();
                Statement statement = connection.createStatement()) {
            List<ThrowingCallable> calls = List.of(
                    () -> connection.prepareStatement(null),
                    () -> connection.prepareStatement(null, Statement.RETURN_GENERATED_KEYS),
                    () -> connection.nativeSQL(null),
                    () -> statement.execute(null),
                    () -> statement.executeQuery(null),
                    () -> statement.executeUpdate(null),
                    () -> statement.addBatch(null));
            assertThat(calls).allSatisfy(call -> assertThatThrownBy(call)
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("sql=null")
                    .hasFieldOrPropertyWithValue("SQLState", "HY024"));
        }
    }

    @Test
    void shouldNotShowThePasswordAnywhere() throws SQLException {
        Properties properties = new Properties();
        properties.setProperty("user", "u");
        properties.setProperty("password", "s3cret");
        try (Connection connection = DriverManager.getConnection(cluster.url(), properties)) {
            assertThat(connection.toString()).doesNotContain("s3cret");
            assertThat(connection.getMetaData().getURL())
                    .isEqualTo(cluster.url())
                    .doesNotContain("s3cret");
            assertThat(connection.getMetaData().getUserName()).isEqualTo("u");
        }
    }

    @Test
    void shouldTakeALoginTimeoutUnlessTheOptionIsSet() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            CassidyDataSource source = new CassidyDataSource();
            source.setUrl("jdbc:cassidy://127.0.0.1:" + silent.getLocalPort() + "/k");
            source.setLoginTimeout(1);

            assertThatThrownBy(source::getConnection).hasFieldOrPropertyWithValue("SQLState", "08001");
            assertThat(source.getLoginTimeout()).isEqualTo(1);
        }
    }

    @Test
    void shouldConnectWithAnEmptyUserAndAnEmptyPassword() throws SQLException {
        CassidyDataSource source = new CassidyDataSource();
        source.setUrl(cluster.url());
        try (Connection connection = DriverManager.getConnection(cluster.url(), "", "");
                Connection sourced = source.getConnection("", "");
                Connection plain = cluster.connect()) {
            assertThat(connection.isValid(60)).isTrue();
            assertThat(connection.unwrap(CqlSession.class)).isSameAs(plain.unwrap(CqlSession.class));
            assertThat(sourced.unwrap(CqlSession.class)).isSameAs(plain.unwrap(CqlSession.class));
            assertThat((Object) connection.getWarnings()).isNull();
        }
        assertThatThrownBy(() -> DriverManager.getConnection(cluster.url(), "ada", ""))
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("user 'ada' needs the option password")
                .hasFieldOrPropertyWithValue("SQLState", "08001");
    }

    @Test
    void shouldWarnOfPropertiesOfSqlServerThatHaveNoEffect() throws SQLException {
        Properties properties = new Properties();
        properties.setProperty("sendTimeAsDatetime", "false");
        properties.setProperty("encrypt", "false");
        try (Connection connection = DriverManager.getConnection(cluster.url() + "&applicationName=shop", properties);
                Connection plain = DriverManager.getConnection(cluster.url() + "&ssl=false")) {
            assertThat(connection.getWarnings().getMessage()).contains("applicationName has no effect");
            assertThat(connection.getWarnings().getNextWarning().getMessage())
                    .contains("sendTimeAsDatetime has no effect");
            assertThat(connection.unwrap(CqlSession.class)).isSameAs(plain.unwrap(CqlSession.class));
            connection.clearWarnings();
            assertThat((Object) connection.getWarnings()).isNull();
        }
    }
}
