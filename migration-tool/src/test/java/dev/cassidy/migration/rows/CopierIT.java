package dev.cassidy.migration.rows;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DriverTimeoutException;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import dev.cassidy.collation.Collation;
import dev.cassidy.definition.Twin;
import dev.cassidy.embedded.EmbeddedCassandra;
import dev.cassidy.migration.error.MigrationException;
import dev.cassidy.migration.source.Source;
import dev.cassidy.migration.source.SourceTable;
import dev.cassidy.migration.source.SourceUrl;
import dev.cassidy.migration.source.Sources;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** What happens to copied rows when Cassandra does not answer, and what happens to rows that change in the source. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class CopierIT {

    private static final AtomicInteger NUMBERS = new AtomicInteger();
    private static final String T = "[dbo].[T]";

    private final EmbeddedCassandra node = EmbeddedCassandra.shared();
    private CqlSession session;
    private Connection h2;
    private Source source;
    private Journal journal;
    private RowTable table;
    private Changes feed;

    @TempDir
    private Path folder;

    @BeforeAll
    void connect() {
        session = CqlSession.builder()
                .addContactPoint(node.contactPoint())
                .withLocalDatacenter(node.localDatacenter())
                .withConfigLoader(DriverConfigLoader.programmaticBuilder()
                        .withDuration(DefaultDriverOption.REQUEST_TIMEOUT, Duration.ofSeconds(30))
                        .build())
                .build();
        session.execute("CREATE KEYSPACE copier_it WITH replication = {'class': 'NetworkTopologyStrategy', '"
                + node.localDatacenter() + "': 1}");
    }

    @AfterAll
    void disconnect() {
        session.close();
    }

    @BeforeEach
    void begin() throws SQLException, IOException {
        int number = NUMBERS.incrementAndGet();
        String url = "jdbc:h2:mem:copier_it_" + number + ";MODE=MSSQLServer;CASE_INSENSITIVE_IDENTIFIERS=TRUE";
        h2 = DriverManager.getConnection(url, "sa", "");
        sql("RUNSCRIPT FROM 'classpath:dev/cassidy/migration/h2-sqlserver-catalog.sql'");
        sql("CREATE TABLE " + T + " ([id] INT NOT NULL PRIMARY KEY, [x] INT)");
        sql("INSERT INTO " + T + " SELECT x, 10 * x FROM SYSTEM_RANGE(1, 40)");
        session.execute("CREATE TABLE copier_it.t" + number + " (id int PRIMARY KEY, x int)");
        source = Sources.open(new SourceUrl(url), "sa", Optional.of(""), Duration.ofMinutes(1));
        SourceTable from = source.tables("dbo.T"::equals).get(0);
        table = RowTable.of(
                source,
                from,
                session.getMetadata()
                        .getKeyspace("copier_it")
                        .orElseThrow()
                        .getTable("t" + number)
                        .orElseThrow(),
                Map.of(),
                Set.of(),
                Optional.empty());
        feed = new Changes();
        journal = Journal.open(folder.resolve("state" + number));
        journal.begin(new Journal.Header(url, "copier_it", 1_000, null));
    }

    @AfterEach
    void end() throws SQLException {
        journal.close();
        source.close();
        h2.close();
    }

    private void sql(String text) throws SQLException {
        try (Statement statement = h2.createStatement()) {
            statement.execute(text);
        }
    }

    private String rows() {
        return session.execute("SELECT id, x FROM " + table.target()).all().stream()
                .map(row -> row.getInt(0) + "=" + (row.isNull(1) ? "null" : row.getInt(1)))
                .sorted()
                .collect(Collectors.joining(" "));
    }

    private CopyResult copy(CqlSession through, CopySettings settings, LongSupplier clock)
            throws IOException, InterruptedException {
        Copier copier = new Copier(source, through, journal, settings, RangeProgress.NONE, clock);
        copier.plan(List.of(table), Optional.of(feed), Instant.EPOCH);
        return copier.copy(List.of(table));
    }

    /** Answers writes with a time-out, as long as it is told to, and carries out every second of them. */
    private CqlSession timesOut(AtomicInteger left) {
        return (CqlSession) Proxy.newProxyInstance(
                CqlSession.class.getClassLoader(), new Class<?>[] {CqlSession.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("executeAsync") && arguments[0] instanceof BoundStatement statement) {
                        int number = left.getAndDecrement();
                        if (number > 0) {
                            CompletionStage<?> before = number % 2 == 0
                                    ? session.executeAsync(statement)
                                    : CompletableFuture.completedStage(null);
                            return before.<AsyncResultSet>thenCompose(
                                    done -> CompletableFuture.failedStage(new DriverTimeoutException("planted")));
                        }
                    }
                    try {
                        return method.invoke(session, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    @Test
    void shouldSendAWriteAgainThatTimedOut() throws Exception {
        CopyResult result =
                copy(timesOut(new AtomicInteger(50)), CopySettings.defaults().withRangeSize(10), System::nanoTime);

        assertThat(result.complete()).isTrue();
        assertThat(result.rows()).isEqualTo(40);
        assertThat(new RowVerifier(source, session, journal, CopySettings.defaults(), System::nanoTime)
                        .compare(table, false)
                        .equal())
                .isTrue();
    }

    @Test
    void shouldNameWhatIsNotCopiedAndGoOnFromThere() throws Exception {
        CopyResult first = copy(session, CopySettings.defaults().withRangeSize(10), System::nanoTime);
        assertThat(first.complete()).isTrue();
        // As if the state file had been lost, but for its first two lines.
        journal.close();
        Path state = folder.resolve("again");
        journal = Journal.open(state);
        journal.begin(new Journal.Header("other", "copier_it", 2_000, null));
        CopySettings one =
                CopySettings.defaults().withRangeSize(10).withParallelism(1).withRetryFor(Duration.ofNanos(1));
        AtomicInteger timeouts = new AtomicInteger();

        CopyResult stopped = copy(timesOut(new AtomicInteger(1_000)), one, () -> timeouts.incrementAndGet() * 1_000L);

        assertThat(stopped.complete()).isFalse();
        assertThat(stopped.rows()).isZero();
        assertThat(stopped.stopped())
                .contains("Cassandra did not take a row of dbo.T")
                .contains("planted");
        journal.close();
        journal = Journal.open(state);
        assertThat(copy(session, one, System::nanoTime).rows()).isEqualTo(40);
    }

    @Test
    void shouldFindARowThatCassandraLost() throws Exception {
        copy(session, CopySettings.defaults().withRangeSize(10), System::nanoTime);
        session.execute("DELETE FROM " + table.target() + " USING TIMESTAMP 1001 WHERE id = 17");
        session.execute("UPDATE " + table.target() + " USING TIMESTAMP 999 SET x = 1 WHERE id = 41");

        RowVerifier.Comparison found = new RowVerifier(
                        source, session, journal, CopySettings.defaults(), System::nanoTime)
                .compare(table, false);

        assertThat(found.examples()).containsExactly("missing in Cassandra: id=17", "not in the source: id=41");
        assertThat(List.of(found.missing(), found.different(), found.extra())).containsExactly(1L, 0L, 1L);
        assertThat(found.equal()).isFalse();
        assertThat(found.changedRanges()).isZero();
    }

    @Test
    void shouldRememberWhatItWasToldUpToTheLastWholeLine() throws Exception {
        copy(session, CopySettings.defaults().withRangeSize(10), System::nanoTime);
        var done = journal.done("dbo.T");
        journal.close();
        Path state = folder.resolve("state" + NUMBERS.get());
        Files.writeString(state, "{\"done\":\"dbo.T\"", StandardOpenOption.APPEND);

        journal = Journal.open(state);

        assertThat(journal.done("dbo.T")).isEqualTo(done).hasSize(4);
        assertThat(journal.stamp(5)).isEqualTo(1_001);
        journal.close();
        journal = Journal.open(state);
        assertThat(journal.lastTimestamp()).isEqualTo(1_001);
        assertThat(journal.stamp(7_000)).isEqualTo(7_000);
    }

    /** Reads a table of changes that the test fills as SQL Server's Change Tracking would. */
    private class Changes implements ChangeFeed {
        private boolean tracked = true;
        private long oldest;

        @Override
        public OptionalLong version(Connection connection) throws SQLException {
            try (Statement statement = connection.createStatement();
                    ResultSet found = statement.executeQuery("SELECT COALESCE(MAX([v]), 0) FROM [dbo].[changes]")) {
                found.next();
                return OptionalLong.of(found.getLong(1));
            }
        }

        @Override
        public OptionalLong oldest(Connection connection, RowTable of) {
            return tracked ? OptionalLong.of(oldest) : OptionalLong.empty();
        }

        @Override
        public String changed(RowTable of, long after) {
            return "SELECT t.[id], t.[x], c.[id] AS key0 FROM (SELECT DISTINCT [id] FROM [dbo].[changes] WHERE [v] > "
                    + after + ") AS c LEFT OUTER JOIN " + T + " AS t ON t.[id] = c.[id]";
        }
    }

    @Test
    void shouldFollowInsertsUpdatesAndDeletes() throws Exception {
        sql("CREATE TABLE [dbo].[changes] ([v] INT, [id] INT)");
        copy(session, CopySettings.defaults(), System::nanoTime);
        sql("UPDATE " + T + " SET [x] = NULL WHERE [id] = 1");
        sql("UPDATE " + T + " SET [x] = 7 WHERE [id] = 2");
        sql("DELETE FROM " + T + " WHERE [id] IN (3, 4)");
        sql("INSERT INTO " + T + " VALUES (41, 410)");
        sql("INSERT INTO [dbo].[changes] VALUES (1, 1), (2, 2), (3, 3), (4, 4), (5, 41)");
        session.execute("UPDATE " + table.target() + " SET x = -1 WHERE id = 4");
        DeltaCopier delta =
                new DeltaCopier(source, feed, session, journal, CopySettings.defaults(), System::nanoTime, () -> 2_000);

        assertThat(delta.pending(table)).hasValue(5);
        assertThat(delta.follow(table)).isEqualTo(new DeltaCopier.Round("dbo.T", 0, 5, 3, 2));
        assertThat(delta.pending(table)).hasValue(0);

        assertThat(rows())
                .contains(" 1=null ")
                .contains(" 2=7 ")
                .doesNotContain(" 3=")
                .contains(" 4=-1 ")
                .contains("41=410");
        // A later round has a later timestamp, whatever the clock says.
        sql("UPDATE " + T + " SET [x] = 8 WHERE [id] = 2");
        sql("INSERT INTO [dbo].[changes] VALUES (6, 2)");
        delta.follow(table);
        assertThat(rows()).contains(" 2=8 ");
        feed.oldest = 7;
        assertThat(delta.pending(table)).isEmpty();
        assertThatThrownBy(() -> delta.follow(table))
                .isInstanceOf(MigrationException.class)
                .hasMessageContaining(
                        "knows those after version 7, and version 6 is needed; run cassidy migrate copy --repair");
    }

    /** A row may have come after the keys of all rows were read. */
    @Test
    void shouldNotRepairOneOfTwoRowsThatAreOneInCassandra() throws Exception {
        sql("CREATE TABLE [dbo].[Pair] ([name] NVARCHAR(20) NOT NULL PRIMARY KEY, [x] INT)");
        sql("INSERT INTO [dbo].[Pair] VALUES ('Admin', 1), ('bob', 2)");
        RowTable pairs = folded("Pair");
        Copier copier =
                new Copier(source, session, journal, CopySettings.defaults(), RangeProgress.NONE, System::nanoTime);
        copier.plan(List.of(pairs), Optional.empty(), Instant.EPOCH);
        assertThat(copier.copy(List.of(pairs)).complete()).isTrue();
        sql("INSERT INTO [dbo].[Pair] VALUES ('ADMIN ', 3)");
        RowVerifier verifier = new RowVerifier(source, session, journal, CopySettings.defaults(), System::nanoTime);

        assertThat(verifier.compare(pairs, true).equal()).isFalse();
        assertThatThrownBy(() -> verifier.repair(pairs, 2_000))
                .isInstanceOf(RowRefused.class)
                .hasMessageContaining("of dbo.Pair has the key of another row in Cassandra")
                .hasMessageContaining("name='A");
    }

    /** Returns a table whose key is its column {@code name}, as a collation compares it. */
    private RowTable folded(String name) {
        String table = name.toLowerCase(Locale.ROOT);
        session.execute("CREATE TABLE copier_it." + table + " (cassidy_eq_name text PRIMARY KEY, name text, x int)");
        return RowTable.of(
                source,
                source.tables(("dbo." + name)::equals).get(0),
                session.getMetadata()
                        .getKeyspace("copier_it")
                        .orElseThrow()
                        .getTable(table)
                        .orElseThrow(),
                Map.of("name", new Twin("Latin1_General_CI_AS", Collation.NEWEST_VERSION)),
                Set.of(),
                Optional.empty());
    }

    /** Two keys of the source are one in Cassandra, one after the other, and at the same time. */
    @Test
    void shouldFollowKeysThatAreOneInCassandra() throws Exception {
        sql("CREATE TABLE [dbo].[Login] ([name] NVARCHAR(20) NOT NULL PRIMARY KEY, [x] INT)");
        sql("CREATE TABLE [dbo].[changed] ([v] INT, [name] NVARCHAR(20))");
        sql("INSERT INTO [dbo].[Login] VALUES ('Admin', 1), ('bob', 2), ('strasse', 3), ('gone', 4)");
        RowTable logins = folded("Login");
        ChangeFeed changes = new Changes() {
            @Override
            public OptionalLong version(Connection connection) throws SQLException {
                try (Statement statement = connection.createStatement();
                        ResultSet found = statement.executeQuery("SELECT COALESCE(MAX([v]), 0) FROM [dbo].[changed]")) {
                    found.next();
                    return OptionalLong.of(found.getLong(1));
                }
            }

            @Override
            public String changed(RowTable of, long after) {
                return "SELECT t.[name] AS c0, t.[name] AS c1, t.[x] AS c2, c.[name] AS c3 FROM (SELECT DISTINCT [name] FROM"
                        + " [dbo].[changed] WHERE [v] > " + after
                        + ") AS c LEFT OUTER JOIN [dbo].[Login] AS t ON t.[name] = c.[name] ORDER BY c3 DESC";
            }
        };
        Copier copier =
                new Copier(source, session, journal, CopySettings.defaults(), RangeProgress.NONE, System::nanoTime);
        copier.plan(List.of(logins), Optional.of(changes), Instant.EPOCH);
        assertThat(copier.copy(List.of(logins)).complete()).isTrue();
        DeltaCopier delta = new DeltaCopier(
                source, changes, session, journal, CopySettings.defaults(), System::nanoTime, () -> 2_000);

        // Another spelling took its place, and so it did at the end of the list of changes.
        sql("DELETE FROM [dbo].[Login] WHERE [name] IN ('Admin', 'bob', 'gone')");
        sql("INSERT INTO [dbo].[Login] VALUES ('ADMIN', 5), ('Bob', 6)");
        // It came and went, and has the key of a row that did not change: meanwhile a round may have written it over
        // that.
        session.execute("INSERT INTO copier_it.login (cassidy_eq_name, name, x) VALUES ('strasse', 'Straße', 9)"
                + " USING TIMESTAMP 1500");
        sql("INSERT INTO [dbo].[changed] VALUES (1, 'Admin'), (1, 'ADMIN'), (1, 'bob'), (1, 'Bob'), (1, 'Straße'),"
                + " (1, 'gone'), (1, 'never')");

        assertThat(delta.pending(logins)).hasValue(7);
        assertThat(delta.follow(logins)).isEqualTo(new DeltaCopier.Round("dbo.Login", 0, 1, 3, 2));

        assertThat(session.execute("SELECT cassidy_eq_name, name, x FROM copier_it.login")
                        .all())
                .extracting(row -> row.getString(0) + "|" + row.getString(1) + "|" + row.getInt(2))
                .containsExactlyInAnyOrder("admin|ADMIN|5", "bob|Bob|6", "strasse|strasse|3");
    }

    @Test
    void shouldNotKnowTheChangesOfATableThatWasTrackedTooLate() throws Exception {
        sql("CREATE TABLE [dbo].[changes] ([v] INT, [id] INT)");
        sql("INSERT INTO [dbo].[changes] VALUES (5, 99)");
        feed.tracked = false;
        copy(session, CopySettings.defaults(), System::nanoTime);
        sql("UPDATE " + T + " SET [x] = 7 WHERE [id] = 2");
        // The database's version has not moved: no table that is tracked has changed.
        feed.tracked = true;
        feed.oldest = 5;
        DeltaCopier delta =
                new DeltaCopier(source, feed, session, journal, CopySettings.defaults(), System::nanoTime, () -> 2_000);

        assertThat(delta.pending(table)).isEmpty();
        assertThatThrownBy(() -> delta.check(table))
                .isInstanceOf(MigrationException.class)
                .hasMessageContaining("the changes of dbo.T are not tracked since its copy began");
    }

    @Test
    void shouldAskSqlServersChangeTracking() {
        assertThat(new SqlServerChangeTracking().changed(table, 5))
                .isEqualTo("SELECT t.[id] AS c0, t.[x] AS c1, c.[id] AS c2 FROM CHANGETABLE(CHANGES [dbo].[T], 5) AS c"
                        + " LEFT OUTER JOIN [dbo].[T] AS t ON t.[id] = c.[id]");
    }
}
