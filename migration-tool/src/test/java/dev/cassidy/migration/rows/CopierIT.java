package dev.cassidy.migration.rows;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DriverTimeoutException;
import com.datastax.oss.driver.api.core.ProtocolVersion;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.type.codec.TypeCodecs;
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
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
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
import java.util.ArrayList;
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
import java.util.stream.IntStream;
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
        copied(pairs, feed);
        sql("INSERT INTO [dbo].[Pair] VALUES ('ADMIN ', 3)");
        RowVerifier verifier = verifier(session);

        assertThat(verifier.compare(pairs, true).equal()).isFalse();
        assertThatThrownBy(() -> verifier.repair(pairs, 2_000))
                .isInstanceOf(RowRefused.class)
                .hasMessageContaining("1 row of dbo.Pair would be one with another row in Cassandra")
                .hasMessageContaining("name='Admin'")
                .hasMessageContaining("name='ADMIN '");
        assertThat(keyed("pair")).containsExactlyInAnyOrder("admin|Admin|1", "bob|bob|2");
    }

    /** Also not if the second one comes between the two times that the rows are read: it is read before the first one. */
    @Test
    void shouldWriteNoRowOverAnotherOneThatCameLate() throws Exception {
        sql("CREATE TABLE [dbo].[Late] ([name] NVARCHAR(20) NOT NULL PRIMARY KEY, [x] INT)");
        sql("INSERT INTO [dbo].[Late] VALUES ('Admin', 1), ('bob', 2)");
        RowTable late = folded("Late");
        copied(late, feed);
        sql("UPDATE [dbo].[Late] SET [x] = 20 WHERE [name] = 'bob'");
        // What writes, what deletes, and what reads all rows; then what reads those that differ.
        AtomicInteger prepared = new AtomicInteger();
        CqlSession second = (CqlSession) Proxy.newProxyInstance(
                CqlSession.class.getClassLoader(), new Class<?>[] {CqlSession.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("prepare") && prepared.incrementAndGet() == 4) {
                        // H2 reads rows in the order in which they came.
                        sql("DELETE FROM [dbo].[Late] WHERE [name] = 'Admin'");
                        sql("INSERT INTO [dbo].[Late] VALUES ('ADMIN ', 3), ('Admin', 1)");
                    }
                    try {
                        return method.invoke(session, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });

        assertThatThrownBy(() -> verifier(second).repair(late, 2_000))
                .isInstanceOf(RowRefused.class)
                .hasMessageContaining("name='ADMIN '");

        assertThat(prepared).hasValue(4);
        assertThat(keyed("late")).contains("admin|Admin|1");
    }

    /** A row that is gone may have had the key that another one has now, wherever the two are read. */
    @Test
    void shouldKeepWhatIsThereWhateverIsDeletedAfterIt() throws Exception {
        sql("CREATE TABLE [dbo].[Moved] ([name] NVARCHAR(20) NOT NULL PRIMARY KEY, [x] INT)");
        sql("INSERT INTO [dbo].[Moved] VALUES ('Admin', 1)");
        RowTable moved = folded("Moved");
        copied(moved, feed);

        try (RowChanges changes =
                new RowChanges(session, moved, CopySettings.defaults(), journal, 2_000, System::nanoTime)) {
            changes.write(row("admin", "ADMIN", 9));
            changes.await();
            changes.delete(row("admin", "Admin", 1));
            changes.await();
        }

        assertThat(keyed("moved")).containsExactly("admin|ADMIN|9");
        assertThat(journal.lastTimestamp()).isEqualTo(2_001);
    }

    private static ByteBuffer[] row(String form, String name, int x) {
        return new ByteBuffer[] {
            TypeCodecs.TEXT.encode(form, ProtocolVersion.DEFAULT),
            TypeCodecs.TEXT.encode(name, ProtocolVersion.DEFAULT),
            TypeCodecs.INT.encode(x, ProtocolVersion.DEFAULT)
        };
    }

    /** A trigger of the source, or a foreign key, may refuse to see it set. */
    @Test
    void shouldSetAKeyInTheSourceOnlyIfItsSpellingIsAnother() throws Exception {
        sql("CREATE TABLE [dbo].[Spelt] ([name] NVARCHAR(20) NOT NULL PRIMARY KEY, [x] INT)");
        sql("INSERT INTO [dbo].[Spelt] VALUES ('Admin', 1), ('bob', 2)");
        RowTable rows = folded("Spelt");
        List<String> prepared = new ArrayList<>();
        Source listening = (Source) Proxy.newProxyInstance(
                Source.class.getClassLoader(), new Class<?>[] {Source.class}, (proxy, method, arguments) -> {
                    Object result = invoked(source, method, arguments);
                    return method.getName().equals("connectToWrite")
                            ? listening((Connection) result, prepared)
                            : result;
                });

        try (SourceWriter writer = new SourceWriter(listening, rows)) {
            assertThat(writer.write(List.of(
                            SourceWriter.Change.update(row("admin", "ADMIN", 10), row("admin", "Admin", 1)),
                            SourceWriter.Change.update(row("bob", "bob", 20), row("bob", "bob", 2)))))
                    .containsExactly(0, 2);
        }

        assertThat(prepared)
                .containsExactly(
                        "UPDATE [dbo].[Spelt] SET [x] = ? WHERE [name] = ?",
                        "UPDATE [dbo].[Spelt] SET [name] = ?, [x] = ? WHERE [name] = ?");
        try (Statement statement = h2.createStatement();
                ResultSet found =
                        statement.executeQuery("SELECT SUM([x]) FROM [dbo].[Spelt] WHERE [name] IN ('ADMIN', 'bob')")) {
            found.next();
            assertThat(found.getInt(1)).isEqualTo(30);
        }
    }

    private static Connection listening(Connection connection, List<String> prepared) {
        return (Connection) Proxy.newProxyInstance(
                Connection.class.getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("prepareStatement")) {
                        prepared.add((String) arguments[0]);
                    }
                    return invoked(connection, method, arguments);
                });
    }

    private static Object invoked(Object object, Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(object, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private RowVerifier verifier(CqlSession through) {
        return new RowVerifier(source, through, journal, CopySettings.defaults(), System::nanoTime);
    }

    private void copied(RowTable rows, ChangeFeed changes) throws Exception {
        Copier copier =
                new Copier(source, session, journal, CopySettings.defaults(), RangeProgress.NONE, System::nanoTime);
        copier.plan(List.of(rows), Optional.of(changes), Instant.EPOCH);
        assertThat(copier.copy(List.of(rows)).complete()).isTrue();
    }

    private List<String> keyed(String of) {
        return session.execute("SELECT cassidy_eq_name, name, x FROM copier_it." + of).all().stream()
                .map(row -> row.getString(0) + "|" + row.getString(1) + "|" + row.getInt(2))
                .toList();
    }

    /** The names of rows that changed, in a table of changes; SQL Server finds rows by what it takes for equal. */
    private class Names extends Changes {
        private final String of;
        private final String same;

        Names(String of, String same) throws SQLException {
            this.of = of;
            this.same = same;
            sql("CREATE TABLE [dbo].[" + of + "Changes] ([v] INT, [name] NVARCHAR(20))");
        }

        void add(int version, String... names) throws SQLException {
            for (String name : names) {
                sql("INSERT INTO [dbo].[" + of + "Changes] VALUES (" + version + ", '" + name + "')");
            }
        }

        @Override
        public OptionalLong version(Connection connection) throws SQLException {
            try (Statement statement = connection.createStatement();
                    ResultSet found =
                            statement.executeQuery("SELECT COALESCE(MAX([v]), 0) FROM [dbo].[" + of + "Changes]")) {
                found.next();
                return OptionalLong.of(found.getLong(1));
            }
        }

        @Override
        public String changed(RowTable rows, long after) {
            // A subquery takes no two columns of one name.
            String read = IntStream.range(0, rows.columns().size())
                    .mapToObj(i -> "t.[" + rows.columns().get(i).from().name() + "] AS c" + i + ", ")
                    .collect(Collectors.joining());
            return "SELECT " + read + "c.[name] AS k FROM (SELECT DISTINCT [name] FROM [dbo].[" + of
                    + "Changes] WHERE [v] > " + after + ") AS c LEFT OUTER JOIN [dbo].[" + of + "] AS t ON " + same
                    + " ORDER BY k";
        }
    }

    private DeltaCopier following(ChangeFeed changes, long memory) {
        return new DeltaCopier(
                source, changes, session, journal, CopySettings.defaults(), System::nanoTime, () -> 2_000, memory);
    }

    @Test
    void shouldFollowNoneOfTwoRowsThatAreOneInCassandra() throws Exception {
        sql("CREATE TABLE [dbo].[Twice] ([name] NVARCHAR(20) NOT NULL PRIMARY KEY, [x] INT)");
        sql("INSERT INTO [dbo].[Twice] VALUES ('Admin', 1), ('bob', 2)");
        RowTable twice = folded("Twice");
        Names changes = new Names("Twice", "t.[name] = c.[name]");
        copied(twice, changes);
        sql("UPDATE [dbo].[Twice] SET [x] = 10 * [x]");
        sql("INSERT INTO [dbo].[Twice] VALUES ('ADMIN', 3)");
        changes.add(1, "Admin", "ADMIN", "bob");
        DeltaCopier delta = following(changes, 1_000_000);

        assertThatThrownBy(() -> delta.follow(twice))
                .isInstanceOf(RowRefused.class)
                .hasMessageContaining("name='Admin'")
                .hasMessageContaining("name='ADMIN'");

        // Before anything was written.
        assertThat(keyed("twice")).containsExactlyInAnyOrder("admin|Admin|1", "bob|bob|2");
        assertThat(delta.pending(twice)).hasValue(3);
    }

    /** Of the two that are one, only the later one has changed. */
    @Test
    void shouldNotBeDoneWithARoundThatBroughtTheSecondOfTwoRows() throws Exception {
        sql("CREATE TABLE [dbo].[Other] ([name] NVARCHAR(20) NOT NULL PRIMARY KEY, [x] INT)");
        sql("INSERT INTO [dbo].[Other] VALUES ('Admin', 1)");
        RowTable other = folded("Other");
        Names changes = new Names("Other", "t.[name] = c.[name]");
        copied(other, changes);
        sql("INSERT INTO [dbo].[Other] VALUES ('ADMIN', 3)");
        changes.add(1, "ADMIN");
        DeltaCopier delta = following(changes, 1_000_000);

        assertThatThrownBy(() -> delta.follow(other))
                .isInstanceOf(RowRefused.class)
                .hasMessageContaining("name='Admin'")
                .hasMessageContaining("name='ADMIN'");

        assertThat(delta.pending(other)).hasValue(1);
        // What is corrected there is right here, too.
        sql("DELETE FROM [dbo].[Other] WHERE [name] = 'ADMIN'");
        delta.follow(other);
        assertThat(keyed("other")).containsExactly("admin|Admin|1");
    }

    @Test
    void shouldNotHoldMoreKeysThanFitIntoMemory() throws Exception {
        sql("CREATE TABLE [dbo].[Purged] ([name] NVARCHAR(20) NOT NULL PRIMARY KEY, [x] INT)");
        RowTable purged = folded("Purged");
        Names changes = new Names("Purged", "t.[name] = c.[name]");
        copied(purged, changes);
        changes.add(1, "a", "b", "c");

        assertThat(following(changes, 1_200).follow(purged).deleted()).isEqualTo(3);
        changes.add(2, "a", "b", "c", "d");
        assertThatThrownBy(() -> following(changes, 1_200).follow(purged))
                .isInstanceOf(MigrationException.class)
                .hasMessageContaining("too many rows of dbo.Purged have changed");
    }

    // ---- keys that Cassandra compares by code

    private RowTable byCode(String name, String key) {
        String to = name.toLowerCase(Locale.ROOT);
        session.execute("CREATE TABLE copier_it." + to + " (id int, name text, x int, PRIMARY KEY (" + key + "))");
        return RowTable.of(
                source,
                source.tables(("dbo." + name)::equals).get(0),
                session.getMetadata()
                        .getKeyspace("copier_it")
                        .orElseThrow()
                        .getTable(to)
                        .orElseThrow(),
                Map.of(),
                Set.of(),
                Optional.empty());
    }

    private List<String> coded(String of) {
        return session.execute("SELECT id, name, x FROM copier_it." + of).all().stream()
                .map(row -> row.getInt(0) + "|" + row.getString(1) + "|" + row.getInt(2))
                .toList();
    }

    /** Whatever spelling the source tells of a row that changed, another one could be in Cassandra. */
    @Test
    void shouldNotFollowStringsThatAreEqualInTheSourceAlone() throws Exception {
        sql("CREATE TABLE [dbo].[Loose] ([id] INT, [name] VARCHAR_IGNORECASE(20) NOT NULL PRIMARY KEY, [x] INT)");
        sql("INSERT INTO [dbo].[Loose] VALUES (1, 'Admin', 1)");
        RowTable loose = byCode("Loose", "name");
        copied(loose, feed);

        assertThatThrownBy(() -> following(feed, 1_000_000).check(loose))
                .isInstanceOf(MigrationException.class)
                .hasMessageContaining(
                        "changes of dbo.Loose cannot be followed: its collation Latin1_General_CI_AS takes"
                                + " strings of name for equal")
                .hasMessageContaining("copy --repair");
    }

    /** Blanks at the end count in Cassandra, and in no collation of SQL Server. */
    @Test
    void shouldDeleteTheSpellingThatARowHadBefore() throws Exception {
        sql("CREATE TABLE [dbo].[Blank] ([id] INT, [name] NVARCHAR(20) NOT NULL PRIMARY KEY, [x] INT)");
        sql("INSERT INTO [dbo].[Blank] VALUES (1, 'a', 1), (2, 'b', 2)");
        RowTable blank = byCode("Blank", "name");
        Names changes = new Names("Blank", "RTRIM(t.[name]) = RTRIM(c.[name])");
        copied(blank, changes);
        sql("UPDATE [dbo].[Blank] SET [name] = 'a ', [x] = 10 WHERE [name] = 'a'");
        changes.add(1, "a", "b");

        following(changes, 1_000_000).follow(blank);

        assertThat(coded("blank")).containsExactlyInAnyOrder("1|a |10", "2|b|2");
    }

    /** Cassandra's key is a unique column, which another row of the source has taken over. */
    @Test
    void shouldKeepTheRowThatTookOverAKey() throws Exception {
        sql("CREATE TABLE [dbo].[Taken] ([id] INT NOT NULL, [name] NVARCHAR(20) NOT NULL UNIQUE, [x] INT,"
                + " PRIMARY KEY ([id], [name]))");
        sql("INSERT INTO [dbo].[Taken] VALUES (1, 'a', 1), (2, 'b', 2)");
        RowTable taken = byCode("Taken", "name");
        sql("CREATE TABLE [dbo].[TakenChanges] ([v] INT, [id] INT, [name] NVARCHAR(20))");
        ChangeFeed changes = new Changes() {
            @Override
            public OptionalLong version(Connection connection) {
                return OptionalLong.of(1);
            }

            @Override
            public String changed(RowTable rows, long after) {
                return "SELECT t.[name], t.[id], t.[x], c.[id] AS k, c.[name] AS n FROM [dbo].[TakenChanges] AS c LEFT OUTER"
                        + " JOIN [dbo].[Taken] AS t ON t.[id] = c.[id] AND t.[name] = c.[name] ORDER BY k DESC, n";
            }
        };
        copied(taken, changes);
        sql("DELETE FROM [dbo].[Taken]");
        sql("INSERT INTO [dbo].[Taken] VALUES (3, 'a', 3)");
        sql("INSERT INTO [dbo].[TakenChanges] VALUES (1, 1, 'a'), (1, 2, 'b'), (1, 3, 'a')");

        following(changes, 1_000_000).follow(taken);

        assertThat(coded("taken")).containsExactly("3|a|3");
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
