package dev.cassidy.flyway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.servererrors.WriteTimeoutException;
import com.datastax.oss.driver.api.core.servererrors.WriteType;
import com.datastax.oss.driver.api.core.session.Request;
import com.datastax.oss.driver.api.core.type.reflect.GenericType;
import dev.cassidy.LogLines;
import dev.cassidy.cluster.ForwardingSession;
import dev.cassidy.jdbc.TestCluster;
import dev.cassidy.sequence.IdentityType;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.MigrationInfo;
import org.flywaydb.core.api.MigrationState;
import org.flywaydb.core.api.configuration.FluentConfiguration;
import org.flywaydb.core.api.migration.BaseJavaMigration;
import org.flywaydb.core.api.migration.Context;
import org.flywaydb.core.internal.strategy.RetryStrategy;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Flyway of Boot 3.5, and that of Boot 4.1 in some of the processes that start at once. */
class FlywayIT {

    private static final String LOCK = "flyway_schema_history_lock";

    private static TestCluster cluster;

    @TempDir
    private Path scripts;

    @BeforeAll
    static void prepare() {
        cluster = TestCluster.fresh("flyway_it");
        cluster.cql("CREATE TABLE $.installs_cassidy (id int PRIMARY KEY)");
        cluster.identity("installs_cassidy", "id", IdentityType.INT, 1);
    }

    @BeforeEach
    void empty() {
        cluster = TestCluster.fresh("flyway_it");
    }

    private void script(String name, String... lines) throws IOException {
        Files.writeString(scripts.resolve(name), String.join("\n", lines));
    }

    private FluentConfiguration configuration() {
        return Flyway.configure()
                .dataSource(cluster.url(), "", "")
                .locations("filesystem:" + scripts)
                .lockRetryCount(0);
    }

    private Flyway flyway() {
        return configuration().load();
    }

    private static List<String> strings(String sql) throws SQLException {
        try (Connection connection = cluster.connect();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            List<String> found = new ArrayList<>();
            while (rows.next()) {
                found.add(rows.getString(1));
            }
            return found;
        }
    }

    private static void run(String sql) throws SQLException {
        try (Connection connection = cluster.connect();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static List<String> states(Flyway flyway) {
        return Stream.of(flyway.info().all())
                .map(info -> info.getScript() + " " + info.getState())
                .toList();
    }

    /** Runs the statement that an error says, in the way that it says. */
    private static void freeLock(String message) throws SQLException {
        Matcher statement = Pattern.compile("DELETE FROM .*").matcher(message);
        assertThat(statement.find()).as(message).isTrue();
        run(statement.group());
        assertThat(strings("SELECT holder FROM " + LOCK)).isEmpty();
    }

    @Test
    void shouldApplyScriptsOfSqlServer() throws Exception {
        script(
                "V1__tables.sql",
                "SET ANSI_NULLS ON",
                "GO",
                "CREATE TABLE dbo.[Category] (Id INT IDENTITY(10,1) PRIMARY KEY, Name NVARCHAR(50) NOT NULL)",
                "INSERT INTO Category (Name) VALUES (N'one; two')",
                "  go  ",
                "-- it's a comment with GO",
                "INSERT INTO dbo.CATEGORY (Name) VALUES ('it''s",
                "GO",
                "here')",
                "GO",
                "BEGIN",
                "  INSERT INTO Category (Name) VALUES ('three');",
                "  INSERT INTO Category (Name) VALUES ('four');",
                "END");
        script(
                "V1.1__more.sql",
                "ALTER TABLE Category ADD Rank INT",
                "GO",
                "UPDATE Category SET Rank = 7 WHERE Id = 10");
        script("R__again.sql", "UPDATE Category SET Rank = 8 WHERE Id = 11");

        try (LogLines flywayLog = new LogLines("org.flywaydb")) {
            // SQL Server's class of Flyway would take such a connection, too.
            FluentConfiguration configuration =
                    configuration().dataSource(cluster.url() + "&presentAs=sqlserver", "", "");
            assertThat(configuration.load().migrate().migrationsExecuted).isEqualTo(3);
            assertThat(flywayLog.at(Level.ERROR)).isEmpty();
            assertThat(flywayLog.at(Level.WARN)).allMatch(line -> line.contains("ANSI_NULLS"));
        }

        assertThat(strings("SELECT Name FROM Category WHERE Id IN (10, 11, 12, 13)"))
                .containsExactlyInAnyOrder("one; two", "it's\nGO\nhere", "three", "four");
        assertThat(strings("SELECT Rank FROM Category WHERE Id IN (10, 11)")).containsExactlyInAnyOrder("7", "8");
        Flyway flyway = flyway();
        assertThat(states(flyway))
                .containsExactly("V1__tables.sql SUCCESS", "V1.1__more.sql SUCCESS", "R__again.sql SUCCESS");
        assertThat(flyway.info().all()).allSatisfy(info -> {
            assertThat(info.getChecksum()).isNotNull();
            assertThat(info.getInstalledOn()).isNotNull();
        });
        assertThat(flyway.migrate().migrationsExecuted).isZero();

        script("V1.1__more.sql", "ALTER TABLE Category ADD Rank INT");
        assertThatThrownBy(flyway()::validate).hasMessageContaining("checksum mismatch");
        assertThat(flyway().repair().migrationsAligned).hasSize(1);
        flyway().validate();
        assertThat(strings("SELECT holder FROM " + LOCK)).isEmpty();
    }

    @Test
    void shouldDemandARepairAfterAMigrationThatFailed() throws Exception {
        script("V1__table.sql", "CREATE TABLE t (id INT PRIMARY KEY, what NVARCHAR(10))");
        script(
                "V2__broken.sql",
                "INSERT INTO t (id, what) VALUES (1, 'kept')",
                "GO",
                "INSERT INTO nowhere (id) VALUES (1)");

        assertThatThrownBy(flyway()::migrate).hasMessageContaining("nowhere").hasMessageContaining("V2__broken.sql");

        assertThat(states(flyway())).containsExactly("V1__table.sql SUCCESS", "V2__broken.sql FAILED");
        assertThat(strings("SELECT what FROM t WHERE id = 1")).containsExactly("kept");
        script("V2__broken.sql", "INSERT INTO t (id, what) VALUES (2, 'later')");
        assertThatThrownBy(flyway()::migrate).hasMessageContaining("failed migration");
        assertThat(flyway().repair().migrationsRemoved).hasSize(1);
        assertThat(flyway().migrate().migrationsExecuted).isEqualTo(1);
        assertThat(strings("SELECT what FROM t WHERE id = 2")).containsExactly("later");

        script("R__again.sql", "UPDATE t SET what = 'again' WHERE id = 1");
        flyway().migrate();
        script("R__again.sql", "UPDATE nowhere SET what = 'again' WHERE id = 1");
        assertThatThrownBy(flyway()::migrate).hasMessageContaining("R__again.sql");
        flyway().repair();
        script("R__again.sql", "UPDATE t SET what = 'more' WHERE id = 1");
        assertThat(flyway().migrate().migrationsExecuted).isEqualTo(1);
        assertThat(strings("SELECT what FROM t WHERE id = 1")).containsExactly("more");
    }

    /** Two of them with Flyway 12. One of them has a further migration, in which it is killed. */
    @Test
    void shouldApplyEachMigrationOnceIfFiveProcessesStartAtOnceAndOneIsKilled() throws Exception {
        script("V1__table.sql", "CREATE TABLE done (id INT IDENTITY(1,1) PRIMARY KEY, what NVARCHAR(10) NOT NULL)");
        for (int version = 2; version <= 5; version++) {
            script("V" + version + "__row.sql", "INSERT INTO done (what) VALUES ('V" + version + "')");
        }
        List<Service> services = new ArrayList<>();
        try {
            List<String> jars = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                // One after the other until they are connected, so that they then begin at once.
                services.add(
                        i == 0
                                ? Service.start(scripts, Service.flyway11(), "hang")
                                : Service.start(scripts, i < 3 ? Service.flyway12() : Service.flyway11()));
                jars.add(services.get(i).read("jar="));
            }
            assertThat(jars.stream().filter(jar -> jar.contains("flyway-core-12")))
                    .hasSize(2);
            Service killed = services.get(0);
            for (Service service : services) {
                service.begin();
            }
            killed.read("migrating");
            killed.close();

            String message = refusal(flyway());
            assertThat(message)
                    .contains("process " + killed.process.pid() + "@")
                    .contains("If it is certainly gone");
            freeLock(message);
            for (Service service : services.subList(1, 5)) {
                service.read("applied=");
            }

            assertThat(strings("SELECT what FROM done")).containsExactlyInAnyOrder("V2", "V3", "V4", "V5");
            assertThat(states(flyway())).hasSize(5).allMatch(state -> state.endsWith(" SUCCESS"));
        } finally {
            services.forEach(Service::close);
        }
    }

    private static String refusal(Flyway flyway) {
        try {
            flyway.migrate();
        } catch (FlywayException e) {
            return e.getMessage();
        }
        throw new AssertionError("nobody had the lock");
    }

    /** Does what another process, or an operator, does while this one migrates. */
    public static final class V1__Meanwhile extends BaseJavaMigration {
        private final String meanwhile;

        V1__Meanwhile(String meanwhile) {
            this.meanwhile = meanwhile;
        }

        @Override
        public void migrate(Context context) throws SQLException {
            run(meanwhile);
        }
    }

    @Test
    void shouldRecordNothingOnceItsLockWasDeleted() throws Exception {
        Flyway flyway = configuration()
                .javaMigrations(
                        new V1__Meanwhile("DELETE FROM " + LOCK + " WHERE history = 'flyway_schema_history' IF EXISTS"))
                .load();

        assertThatThrownBy(flyway::migrate).hasMessageContaining("Somebody has deleted this process's lock");

        assertThat(strings("SELECT script FROM flyway_schema_history")).isEmpty();
        assertThat(strings("SELECT holder FROM " + LOCK)).isEmpty();
    }

    @Test
    void shouldKeepTheLockIfTheHistoryLacksAMigrationThatRan() throws Exception {
        Flyway flyway = configuration()
                .javaMigrations(new V1__Meanwhile("DROP TABLE flyway_schema_history"))
                .load();

        try (LogLines flywayLog = new LogLines("dev.cassidy.flyway")) {
            assertThatThrownBy(flyway::migrate).hasMessageContaining("Unable to insert row");
            assertThat(strings("SELECT holder FROM " + LOCK)).hasSize(1);
            freeLock(flywayLog.at(Level.ERROR).get(0));
        }
    }

    @Test
    void shouldGiveTheLockBackAfterAGroupWithCallbacks() throws Exception {
        script("V1__table.sql", "CREATE TABLE t (id INT PRIMARY KEY)");
        script("V2__row.sql", "INSERT INTO t (id) VALUES (2)");
        script("beforeMigrate.sql", "SELECT id FROM installs");
        script("beforeEachMigrate.sql", "SELECT id FROM installs");
        script("afterVersioned.sql", "INSERT INTO t (id) VALUES (3)");
        run("CREATE TABLE installs (id INT PRIMARY KEY)");

        Flyway flyway = configuration()
                .group(true)
                .baselineOnMigrate(true)
                .baselineVersion("0")
                .load();

        assertThat(flyway.migrate().migrationsExecuted).isEqualTo(2);
        assertThat(strings("SELECT id FROM t")).containsExactlyInAnyOrder("2", "3");
        assertThat(strings("SELECT holder FROM " + LOCK)).isEmpty();
    }

    @Test
    void shouldBaselineAKeyspaceThatHasTables() throws Exception {
        run("CREATE TABLE old (id INT PRIMARY KEY, what NVARCHAR(10))");
        script("V1__old.sql", "CREATE TABLE old (id INT PRIMARY KEY)");
        script("V2__new.sql", "INSERT INTO old (id, what) VALUES (1, 'new')");
        assertThatThrownBy(flyway()::migrate).hasMessageContaining("no schema history table");

        Flyway flyway = configuration().baselineOnMigrate(true).load();

        assertThat(flyway.migrate().migrationsExecuted).isEqualTo(1);
        assertThat(Stream.of(flyway.info().all()).map(MigrationInfo::getState))
                .contains(MigrationState.BASELINE)
                .doesNotContain(MigrationState.PENDING);
        assertThat(strings("SELECT what FROM old")).containsExactly("new");
    }

    @Test
    void shouldTakeSqlServersSchemaAndAnyNameOfTheHistory() throws Exception {
        script("V1__table.sql", "CREATE TABLE ${flyway:defaultSchema}.t (id INT PRIMARY KEY)");

        Flyway flyway = configuration()
                .defaultSchema("dbo")
                .table("SchemaHistory")
                .installedBy("x".repeat(500))
                .load();

        assertThat(flyway.migrate().migrationsExecuted).isEqualTo(1);
        assertThat(flyway.migrate().migrationsExecuted).isZero();
        assertThat(strings("SELECT script FROM \"SchemaHistory\"")).containsExactly("V1__table.sql");
        assertThat(strings("SELECT holder FROM \"SchemaHistory_lock\"")).isEmpty();
        assertThat(strings("SELECT id FROM t")).isEmpty();
    }

    @Test
    void shouldRefuseWhatItDoesNotServe() throws Exception {
        script("V1__table.sql", "CREATE TABLE t (id INT PRIMARY KEY)");
        flyway().migrate();

        assertThatThrownBy(configuration().cleanDisabled(false).load()::clean)
                .hasMessageContaining("clean is not served")
                .hasMessageContaining("DROP KEYSPACE");
        assertThat(strings("SELECT id FROM t")).isEmpty();
        assertThatThrownBy(configuration().schemas("nowhere").load()::migrate)
                .hasMessageContaining("CREATE KEYSPACE \"nowhere\" WITH replication");
        assertThatThrownBy(configuration()
                        .dataSource(cluster.url() + "&consistency=ONE", "", "")
                        .load()::migrate)
                .hasMessageContaining("consistency=ONE")
                .hasMessageContaining("spring.flyway.url");
    }

    /** A session that loses the answers to conditional statements, as a coordinator does whose replicas are slow. */
    private static final class LossySession extends ForwardingSession {
        private int toLose;

        LossySession(CqlSession session, int toLose) {
            super(session);
            this.toLose = toLose;
        }

        // The caller names the type of the result.
        @SuppressWarnings("unchecked")
        @Override
        public <RequestT extends Request, ResultT> ResultT execute(RequestT request, GenericType<ResultT> resultType) {
            ResultT answer = unwrap().execute(request, resultType);
            if (!(request instanceof BoundStatement bound)
                    || !bound.getPreparedStatement().getQuery().contains(" IF ")
                    || toLose-- <= 0) {
                return answer;
            }
            return (ResultT) ((CompletionStage<AsyncResultSet>) answer)
                    .thenCompose(applied -> CompletableFuture.failedStage(new WriteTimeoutException(
                            Objects.requireNonNull(applied.getExecutionInfo().getCoordinator()),
                            ConsistencyLevel.SERIAL,
                            0,
                            1,
                            WriteType.CAS)));
        }
    }

    @Test
    void shouldKnowItsOwnLockIfTheAnswersAreLost() throws Exception {
        try (Connection connection = cluster.connect();
                LogLines log = new LogLines("dev.cassidy.flyway")) {
            CqlSession session = connection.unwrap(CqlSession.class);
            RetryStrategy.setNumberOfRetries(1);
            run(new MigrationLock(session, "flyway_it", "flyway_schema_history").definition());

            MigrationLock taken = new MigrationLock(new LossySession(session, 1), "flyway_it", "flyway_schema_history");
            taken.take();
            taken.requireHeld();
            taken.release();
            assertThat(strings("SELECT holder FROM " + LOCK)).isEmpty();

            MigrationLock deleted = new MigrationLock(session, "flyway_it", "flyway_schema_history");
            deleted.take();
            assertThatThrownBy(taken::requireHeld).isInstanceOf(FlywayException.class);
            run("DELETE FROM " + LOCK + " WHERE history = 'flyway_schema_history' IF EXISTS");
            MigrationLock later = new MigrationLock(session, "flyway_it", "flyway_schema_history");
            later.take();
            deleted.release();
            later.requireHeld();
            later.release();

            MigrationLock abandoned =
                    new MigrationLock(new LossySession(session, 2), "flyway_it", "flyway_schema_history");
            RetryStrategy.setNumberOfRetries(0);
            assertThatThrownBy(abandoned::take).isInstanceOf(FlywayException.class);
            assertThat(strings("SELECT holder FROM " + LOCK)).isEmpty();
            assertThat(log.at(Level.ERROR)).isEmpty();
        }
    }

    /** A process of {@link FlywayProgram}. */
    private record Service(Process process, BufferedReader output) implements AutoCloseable {

        static String flyway11() {
            return System.getProperty("java.class.path");
        }

        static String flyway12() {
            return Stream.concat(
                            Stream.of(Objects.requireNonNull(new File("target/flyway-12").listFiles()))
                                    .map(File::getAbsolutePath),
                            Stream.of(flyway11().split(File.pathSeparator)).filter(jar -> !jar.contains("flyway-core")))
                    .collect(Collectors.joining(File.pathSeparator));
        }

        static Service start(Path scripts, String classPath, String... further) throws IOException {
            List<String> command = new ArrayList<>(List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-XX:TieredStopAtLevel=1",
                    "-XX:+UseSerialGC",
                    "-cp",
                    classPath,
                    FlywayProgram.class.getName(),
                    cluster.url(),
                    scripts.toString()));
            command.addAll(List.of(further));
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            return new Service(process, process.inputReader());
        }

        void begin() throws IOException {
            process.outputWriter().append('\n').flush();
        }

        /** Returns the rest of the next line that begins so. */
        String read(String start) {
            StringBuilder said = new StringBuilder();
            try {
                for (String line = output.readLine(); line != null; line = output.readLine()) {
                    if (line.startsWith(start)) {
                        return line.substring(start.length());
                    }
                    said.append(line).append('\n');
                }
            } catch (IOException e) {
                throw new AssertionError(said.toString(), e);
            }
            throw new AssertionError("no '" + start + "' from the program:\n" + said);
        }

        /** Kills it, if it has not ended. */
        @Override
        public void close() {
            process.destroyForcibly();
            try {
                assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }
}
