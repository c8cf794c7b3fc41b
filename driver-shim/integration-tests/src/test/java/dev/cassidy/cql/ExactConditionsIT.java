package dev.cassidy.cql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.BatchStatement;
import com.datastax.oss.driver.api.core.cql.BatchType;
import com.datastax.oss.driver.api.core.cql.BatchableStatement;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.ResultSet;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import dev.cassidy.jdbc.HeldRows;
import dev.cassidy.jdbc.TestCluster;
import dev.cassidy.transaction.LockMark;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

/** Code on java-driver whose session adds the conditions of exact tables. */
class ExactConditionsIT {

    private static final String KEYSPACE = "exact_conditions_it";

    /** 2^42 microseconds. */
    private static final long FRESH = 4_398_046_511_104L;

    private static final SeenRequests SEEN = new SeenRequests();

    private static TestCluster cluster;
    private static IdentitySession session;

    @BeforeAll
    static void open() throws SQLException {
        cluster = TestCluster.fresh(KEYSPACE);
        TestCluster.install("cassidy");
        try (Connection connection = cluster.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE [item] (id INT IDENTITY PRIMARY KEY, name NVARCHAR(50), stock INT)");
            statement.execute(
                    "CREATE TABLE [code] (code CHAR(5) COLLATE Latin1_General_BIN2 PRIMARY KEY, name NVARCHAR(50), n INT DEFAULT 7)");
            statement.execute("CREATE TABLE [line] (o INT, no INT, qty INT, note NVARCHAR(20), PRIMARY KEY (o, no))");
            statement.execute("CREATE TABLE [entry] (o INT, id INT IDENTITY, note NVARCHAR(20), PRIMARY KEY (o, id))");
            statement.execute("CREATE TABLE [price] (o INT, p DECIMAL(9, 2), n INT, PRIMARY KEY (o, p))");
            statement.execute("CREATE TABLE [free] (id INT PRIMARY KEY, name NVARCHAR(50)) WITH (plain)");
        }
        session = IdentitySession.builder()
                .addContactPoint(TestCluster.NODE.contactPoint())
                .withLocalDatacenter(TestCluster.NODE.localDatacenter())
                .withKeyspace(KEYSPACE)
                .addRequestTracker(SEEN)
                .withConfigLoader(DriverConfigLoader.programmaticBuilder()
                        .withDuration(DefaultDriverOption.REQUEST_TIMEOUT, Duration.ofMinutes(1))
                        .withInt(DefaultDriverOption.CONNECTION_POOL_LOCAL_SIZE, 1)
                        .startProfile("given")
                        .withString(ExactConditions.OPTION, "Given")
                        .endProfile()
                        .build())
                .withExactConditions(ExactConditions.ADDED)
                .build();
    }

    @AfterAll
    static void close() {
        if (session != null) {
            session.close();
        }
    }

    private static Row stored(String cql) {
        return TestCluster.session().execute(cql.replace("$", KEYSPACE)).one();
    }

    private static int item(String name) {
        ResultSet inserted = session.execute("INSERT INTO item (name, stock) VALUES (?, 1)", name);
        return Math.toIntExact(GeneratedKeys.of(inserted).ids().get(0));
    }

    private static void line(int o, int no) {
        assertThat(session.execute("INSERT INTO line (o, no, qty) VALUES (?, ?, 1)", o, no)
                        .wasApplied())
                .isTrue();
    }

    private static boolean applied(String cql, Object... values) {
        return session.execute(cql, values).wasApplied();
    }

    @Test
    void shouldFindTheRowsThatAreThere() {
        line(1, 1);
        assertThat(applied("UPDATE line SET qty = 2 WHERE o = 1 AND no = 1")).isTrue();
        assertThat(applied("UPDATE line SET qty = ?, note = ? WHERE no = ? AND o = ?", 3, "x", 1, 1))
                .isTrue();
        Row changed = stored("SELECT qty, note FROM $.line WHERE o = 1 AND no = 1");
        assertThat(List.of(changed.getInt(0), changed.getString(1))).isEqualTo(List.of(3, "x"));
        assertThat(session.execute(SimpleStatement.newInstance(
                                "UPDATE line SET qty = :q WHERE o = :o AND no = :o", Map.of("q", 4, "o", 1)))
                        .wasApplied())
                .isTrue();
        assertThat(applied("DELETE note FROM line WHERE o = 1 AND no = 1")).isTrue();
        Row cut = stored("SELECT qty, note, cassidy_tx FROM $.line WHERE o = 1 AND no = 1");
        assertThat(cut.getInt(0)).isEqualTo(4);
        assertThat(cut.isNull(1)).isTrue();
        assertThat(cut.isNull(2)).isFalse();
        assertThat(applied("DELETE FROM line WHERE o = 1 AND no = 1")).isTrue();
        assertThat(applied("DELETE FROM line WHERE o = 1 AND no = 1")).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "UPDATE line SET qty = 2 WHERE o = 2 AND no = 1",
                "UPDATE line SET qty = 2 WHERE o = 2 AND no = 1 IF qty = 1",
                "UPDATE line SET qty = 2 WHERE o = 2 AND no = 1 IF EXISTS",
                "DELETE note FROM line WHERE o = 2 AND no = 1",
                "DELETE FROM line WHERE o = 2 AND no = 1",
            })
    void shouldLeaveNoGhostWhereNoRowIs(String cql) {
        ResultSet result = session.execute(cql);
        assertThat(result.wasApplied()).isFalse();
        assertThat(result.getColumnDefinitions().contains("[applied]")).isTrue();
        assertThat(result.getExecutionInfo()).isNotNull();
        assertThat(result.all()).hasSize(1).allSatisfy(row -> assertThat(row.getBoolean("[applied]"))
                .isFalse());
        assertThat(stored("SELECT * FROM $.line WHERE o = 2 AND no = 1")).isNull();
    }

    /** The read makes a majority agree on what a failed insert has left on a replica. */
    @Test
    void shouldReadARowBeforeItChangesAPartOfIt() {
        line(3, 1);
        SEEN.upToNow(session);
        SEEN.clear();
        applied("UPDATE line SET qty = 2 WHERE o = 3 AND no = 1");
        applied("UPDATE line SET qty = 2 WHERE o = 3 AND no = 2");
        applied("DELETE FROM line WHERE o = 3 AND no = 1");
        String read = "SELECT * FROM " + KEYSPACE + ".line WHERE o = 3 AND no = ";
        assertThat(SEEN.upToNow(session))
                .extracting(SeenRequests.Seen::cql)
                .filteredOn(cql -> cql.contains(KEYSPACE))
                .containsExactly(
                        read + "1",
                        "UPDATE " + KEYSPACE + ".line SET qty = 2 WHERE o = 3 AND no = 1 IF cassidy_tx >= 0xff",
                        read + "2",
                        "DELETE FROM " + KEYSPACE + ".line WHERE o = 3 AND no = 1 IF cassidy_tx >= 0xff");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "UPDATE line SET qty = ? WHERE o = ? AND no = ? | 4",
                "UPDATE line SET qty = :qty WHERE o = :o AND no = :no | 5",
                "UPDATE line SET qty = :qty WHERE o = :o AND no = :no IF qty = 1 | 6",
                "UPDATE line SET qty = ? WHERE o = ? AND no = ? IF EXISTS | 7",
            })
    void shouldAddItToPreparedStatements(String cql, int o) {
        line(o, 1);
        PreparedStatement update = session.prepare(cql);
        ResultSet result = session.execute(update.bind(9, o, 1));
        assertThat(result.wasApplied()).isTrue();
        assertThat(stored("SELECT qty FROM $.line WHERE o = " + o + " AND no = 1")
                        .getInt(0))
                .isEqualTo(9);
        assertThat(session.execute(update.bind(9, o, 2)).wasApplied()).isFalse();
        assertThat(stored("SELECT qty FROM $.line WHERE o = " + o + " AND no = 2"))
                .isNull();
    }

    /** The server makes one variable or two of it. */
    @Test
    void shouldTakeANameThatStandsTwiceForOneValue() {
        line(8, 8);
        PreparedStatement update = session.prepare("UPDATE line SET qty = :k WHERE o = :k AND no = :k");
        assertThat(session.execute(update.bind().setInt("k", 8)).wasApplied()).isTrue();
        assertThat(stored("SELECT qty FROM $.line WHERE o = 8 AND no = 8").getInt(0))
                .isEqualTo(8);
    }

    @Test
    void shouldAnswerEveryKindOfExecution() {
        line(9, 1);
        String update = "UPDATE line SET qty = 2 WHERE o = 9 AND no = ";
        AsyncResultSet async =
                session.executeAsync(update + "1").toCompletableFuture().join();
        assertThat(async.wasApplied()).isTrue();
        AsyncResultSet missing =
                session.executeAsync(update + "2").toCompletableFuture().join();
        assertThat(missing.wasApplied()).isFalse();
        assertThat(missing.remaining()).isEqualTo(1);
        assertThat(missing.hasMorePages()).isFalse();
        assertThat(Mono.from(session.executeReactive(update + "1")).block().getBoolean("[applied]"))
                .isTrue();
        assertThat(Mono.from(session.executeReactive(update + "2")).block().getBoolean("[applied]"))
                .isFalse();
    }

    @Test
    void shouldKeepAStatementsOwnCondition() {
        line(10, 1);
        String update = "UPDATE line SET qty = 2 WHERE o = 10 AND no = 1 IF qty = ";
        ResultSet refused = session.execute(update + "7");
        assertThat(refused.wasApplied()).isFalse();
        assertThat(refused.one().getInt("qty")).as("the row as it is").isEqualTo(1);
        assertThat(applied(update + "?", 1)).isTrue();
        assertThat(applied("DELETE FROM line WHERE o = 10 AND no = 1 IF cassidy_tx >= 0xff AND qty = 2"))
                .isTrue();
    }

    @Test
    void shouldInsertARowWithItsOwnKeyOnce() {
        assertThat(applied("INSERT INTO line (o, no, note) VALUES (11, 1, 'first')"))
                .isTrue();
        ResultSet second = session.execute("INSERT INTO line (o, no, qty) VALUES (11, 1, 5)");
        assertThat(second.wasApplied()).isFalse();
        assertThat(second.one().getString("note")).isEqualTo("first");
        PreparedStatement insert = session.prepare("INSERT INTO line (o, no, qty, note) VALUES (:o, :no, :qty, :note)");
        assertThat(session.execute(insert.bind(11, 1, 5, "second")).wasApplied())
                .isFalse();
        assertThat(session.execute(insert.bind().setInt("o", 11).setInt("no", 2).setInt("qty", 5))
                        .wasApplied())
                .isTrue();
        assertThat(stored("SELECT note FROM $.line WHERE o = 11 AND no = 1").getString(0))
                .isEqualTo("first");
        assertThat(stored("SELECT qty FROM $.line WHERE o = 11 AND no = 2").getInt(0))
                .isEqualTo(5);
    }

    /** An insert of this key that failed may have left a value on a replica that is down. */
    @Test
    void shouldGiveNullToWhatAnInsertDoesNotName() {
        SEEN.upToNow(session);
        SEEN.clear();
        assertThat(applied("INSERT INTO code (code) VALUES ('null')")).isTrue();
        assertThat(SEEN.upToNow(session))
                .extracting(SeenRequests.Seen::cql)
                .filteredOn(cql -> cql.startsWith("INSERT"))
                .singleElement()
                .asString()
                .containsIgnoringCase("name")
                .contains("null", "IF NOT EXISTS");
        Row row = stored("SELECT n, name, cassidy_tx FROM $.code WHERE code = 'null '");
        assertThat(row.getInt("n")).as("its default").isEqualTo(7);
        assertThat(row.isNull("cassidy_tx")).isFalse();
        PreparedStatement insert = session.prepare("INSERT INTO code (code, name) VALUES (?, ?)");
        SEEN.clear();
        assertThat(session.execute(insert.bind().setString(0, "unset")).wasApplied())
                .isTrue();
        assertThat(stored("SELECT n FROM $.code WHERE code = 'unset'").getInt("n"))
                .isEqualTo(7);
    }

    @Test
    void shouldKeepTheRulesOfColumns() {
        assertThat(applied("INSERT INTO code (code, name) VALUES ('ab', 'x')")).isTrue();
        assertThat(applied("UPDATE code SET name = ? WHERE code = ?", "y", "ab"))
                .as("it is stored with blanks")
                .isTrue();
        assertThat(stored("SELECT name FROM $.code WHERE code = 'ab   '").getString(0))
                .isEqualTo("y");
        PreparedStatement update = session.prepare("UPDATE code SET name = ? WHERE code = ?");
        assertThat(session.execute(update.bind("z", "ab")).wasApplied()).isTrue();
        assertThatExceptionOfType(ColumnValueException.class)
                .isThrownBy(() -> session.execute(update.bind("x".repeat(51), "ab")));
    }

    @Test
    void shouldLeaveNewRowsPlain() {
        int id = item("kettle");
        assertThat(stored("SELECT WRITETIME(name) FROM $.item WHERE id = " + id).getLong(0))
                .isEqualTo(FRESH);
        PreparedStatement insert = session.prepare("INSERT INTO item (id, name) VALUES (?, ?)");
        ResultSet inserted = session.execute(insert.bind().setString(1, "pan"));
        long drawn = GeneratedKeys.of(inserted).ids().get(0);
        assertThat(stored("SELECT WRITETIME(name) FROM $.item WHERE id = " + drawn)
                        .getLong(0))
                .isEqualTo(FRESH);
        assertThat(session.execute(insert.bind(Math.toIntExact(drawn), "own")).wasApplied())
                .isFalse();
        assertThat(stored("SELECT name FROM $.item WHERE id = " + drawn).getString(0))
                .isEqualTo("pan");
        assertThat(applied("UPDATE item SET stock = 2 WHERE id = ?", id)).isTrue();
        assertThat(stored("SELECT stock FROM $.item WHERE id = " + id).getInt(0))
                .isEqualTo(2);
    }

    /** Of these the deletion of the partition would hide a plain row. */
    @Test
    void shouldInsertADrawnIdUnderTheConditionWhereItNeedsOne() {
        ResultSet inserted = session.execute("INSERT INTO entry (o, note) VALUES (1, 'x')");
        assertThat(inserted.wasApplied()).isTrue();
        long id = GeneratedKeys.of(inserted).ids().get(0);
        assertThat(stored("SELECT note FROM $.entry WHERE o = 1 AND id = " + id).getString(0))
                .isEqualTo("x");
        PreparedStatement insert = session.prepare("INSERT INTO entry (o, note) VALUES (?, ?)");
        assertThat(GeneratedKeys.of(session.execute(insert.bind(1, "y"))).ids())
                .singleElement()
                .satisfies(next -> assertThat(next).isGreaterThan(id));
        assertThat(GeneratedKeys.of(session.executeAsync(insert.bind(1, "z"))
                                .toCompletableFuture()
                                .join())
                        .ids())
                .hasSize(1);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "DELETE FROM line WHERE o = 1 | whole key",
                "UPDATE line SET qty = 1 WHERE o = 1 AND no IN (1, 2) | whole key",
                "UPDATE line SET qty = 1 WHERE o = 1 AND no = 1 AND note = 'x' | behind IF",
                "UPDATE line USING TTL 5 SET qty = 1 WHERE o = 1 AND no = 1 | TTL",
                "UPDATE line SET cassidy_tx = 0x00 WHERE o = 1 AND no = 1 | mark",
            })
    void shouldRefuseByName(String cql, String name) {
        assertThatExceptionOfType(WriteModeException.class)
                .isThrownBy(() -> session.execute(cql))
                .withMessageContaining(name);
    }

    @Test
    void shouldLetAStatementChooseOtherwise() {
        line(12, 1);
        SimpleStatement update = SimpleStatement.newInstance("UPDATE line SET qty = 3 WHERE o = 12 AND no = 1");
        assertThatExceptionOfType(WriteModeException.class)
                .isThrownBy(() -> session.execute(update.setExecutionProfileName("given")))
                .withMessageContaining("ExactConditions.ADDED");
        IdentitySession guarded = session.withExactConditions(ExactConditions.GIVEN);
        assertThat(guarded).isNotSameAs(session);
        assertThatExceptionOfType(WriteModeException.class).isThrownBy(() -> guarded.execute(update));
        assertThat(guarded.execute(update.setExecutionProfile(session.getContext()
                                .getConfig()
                                .getDefaultProfile()
                                .withString(ExactConditions.OPTION, "added")))
                        .wasApplied())
                .isTrue();
        PreparedStatement prepared = guarded.prepare(update.setExecutionProfile(
                session.getContext().getConfig().getDefaultProfile().withString(ExactConditions.OPTION, "ADDED")));
        assertThat(guarded.execute(prepared.bind()).wasApplied()).isTrue();
        assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(() -> session.execute(update.setExecutionProfile(session.getContext()
                        .getConfig()
                        .getDefaultProfile()
                        .withString(ExactConditions.OPTION, "perhaps"))))
                .withMessageContaining("cassidy.exact-conditions=perhaps");
    }

    @Test
    void shouldLeaveOtherTablesAndStatementsAlone() {
        assertThat(applied("UPDATE free SET name = 'x' WHERE id = 1")).isTrue();
        assertThat(stored("SELECT name FROM $.free WHERE id = 1").getString(0)).isEqualTo("x");
        assertThat(session.execute("SELECT id FROM free WHERE id = 1").one().getInt(0))
                .isEqualTo(1);
        assertThatExceptionOfType(WriteModeException.class)
                .as("a batch has its conditions itself")
                .isThrownBy(() -> session.execute(BatchStatement.newInstance(
                        BatchType.UNLOGGED,
                        SimpleStatement.newInstance("UPDATE line SET qty = 3 WHERE o = 13 AND no = 1"))));
    }

    @Test
    void shouldSayThatARowLacksItsMark() {
        cluster.cql("INSERT INTO $.line (o, no, qty) VALUES (14, 1, 1)");
        for (String cql : List.of(
                "UPDATE line SET qty = 2 WHERE o = 14 AND no = 1", "DELETE FROM line WHERE o = 14 AND no = 1")) {
            assertThatExceptionOfType(ExactWriteException.class)
                    .isThrownBy(() -> session.execute(cql))
                    .withMessageContaining("lacks its mark")
                    .returns(ExactWriteException.Reason.UNMARKED, ExactWriteException::reason);
        }
    }

    @Nested
    class Locks {

        private static final HeldRows ROWS = new HeldRows(KEYSPACE + ".line");

        @Test
        void shouldWriteRowsThatNoTransactionHoldsAnyMore() {
            UUID ended = UUID.randomUUID();
            for (int no = 1; no <= 4; no++) {
                line(20, no);
                ROWS.hold(ended, 20, no);
            }
            ROWS.placeholder(ended, 20, 5);
            ROWS.placeholder(ended, 20, 6);
            assertThat(applied("UPDATE line SET qty = 2 WHERE o = 20 AND no = 1"))
                    .isTrue();
            assertThat(applied("UPDATE line SET qty = 2 WHERE o = 20 AND no = 2 IF qty = 1"))
                    .isTrue();
            assertThat(applied("DELETE FROM line WHERE o = 20 AND no = 3")).isTrue();
            assertThat(applied("INSERT INTO line (o, no, qty) VALUES (20, 4, 2)"))
                    .as("there is a row behind the lock")
                    .isFalse();
            assertThat(applied("INSERT INTO line (o, no, qty) VALUES (20, 5, 2)"))
                    .as("there is none")
                    .isTrue();
            assertThat(applied("UPDATE line SET qty = 2 WHERE o = 20 AND no = 6"))
                    .isFalse();
            assertThat(stored("SELECT * FROM $.line WHERE o = 20 AND no = 6")).isNull();
            assertThat(stored("SELECT qty FROM $.line WHERE o = 20 AND no = 2").getInt(0))
                    .isEqualTo(2);
        }

        /** A writer that waits for good would be held up by every process that ends. */
        @Test
        void shouldAbortWhoHoldsARowTooLong() {
            line(21, 1);
            line(21, 2);
            UUID slow = HeldRows.pending();
            ROWS.hold(slow, 21, 1);
            ROWS.hold(slow, 21, 2);
            ROWS.placeholder(slow, 21, 3);
            PreparedStatement update = session.prepare("UPDATE line SET qty = :qty WHERE o = :o AND no = :no");
            assertThat(session.execute(update.bind(5, 21, 1)).wasApplied()).isTrue();
            assertThat(HeldRows.state(slow)).isEqualTo("ABORTED");
            assertThat(session.executeAsync("DELETE FROM line WHERE o = 21 AND no = 2")
                            .toCompletableFuture()
                            .join()
                            .wasApplied())
                    .isTrue();
            PreparedStatement insert = session.prepare("INSERT INTO line (o, no, qty) VALUES (?, ?, ?)");
            assertThat(session.execute(insert.bind(21, 3, 7)).wasApplied()).isTrue();
            assertThat(stored("SELECT qty FROM $.line WHERE o = 21 AND no = 3").getInt(0))
                    .isEqualTo(7);
        }

        /** What it has committed counts, although it is not written yet. */
        @Test
        void shouldWriteWhatIsCommittedFirst() {
            line(22, 1);
            line(22, 2);
            UUID committed = ROWS.committed(22, Map.of(1, 50, 2, 60));
            ResultSet refused = session.execute("UPDATE line SET note = 'x' WHERE o = 22 AND no = 1 IF qty = 1");
            assertThat(refused.wasApplied()).isFalse();
            assertThat(refused.one().getInt("qty")).isEqualTo(50);
            assertThat(applied("DELETE FROM line WHERE o = 22 AND no = 2 IF qty = 60"))
                    .isTrue();
            assertThat(HeldRows.state(committed)).isEqualTo("none");
        }

        /** The answer shows the lock, and the application decides. */
        @Test
        void shouldLeaveLocksToAStatementThatHasItsConditionItself() {
            line(23, 1);
            ROWS.hold(UUID.randomUUID(), 23, 1);
            ResultSet refused = session.execute(
                    SimpleStatement.newInstance("UPDATE line SET qty = 2 WHERE o = 23 AND no = 1 IF cassidy_tx >= 0xff")
                            .setExecutionProfileName("given"));
            assertThat(refused.wasApplied()).isFalse();
            assertThat(LockMark.isLock(refused.one().getByteBuffer("cassidy_tx")))
                    .isTrue();
        }
    }

    /** All of a batch has one time, and of two values of one time the larger wins. */
    @Nested
    class Batches {

        private static final String INSERT = "INSERT INTO line (o, no, qty) VALUES (?, ?, ?) IF NOT EXISTS";

        private static BatchStatement batch(BatchableStatement<?>... statements) {
            return BatchStatement.newInstance(BatchType.UNLOGGED, statements);
        }

        private static SimpleStatement cql(String cql, Object... values) {
            return SimpleStatement.newInstance(cql, values);
        }

        static Stream<Arguments> ofOneRow() {
            SimpleStatement insert = cql(INSERT, 30, 1, 5);
            return Stream.of(
                    Arguments.of(insert, insert, "inserts it again"),
                    Arguments.of(insert, cql("INSERT INTO line (no, o) VALUES (1, 30) IF NOT EXISTS"), "again"),
                    Arguments.of(
                            insert,
                            SimpleStatement.newInstance(
                                    "UPDATE line SET qty = :q WHERE no = :no AND o = 30 IF cassidy_tx >= 0xff",
                                    Map.of("q", 3, "no", 1)),
                            "put the values into the INSERT"),
                    Arguments.of(
                            cql("DELETE FROM line WHERE o = 30 AND no = 1 IF cassidy_tx >= 0xff"),
                            insert,
                            "put the values into the INSERT"),
                    Arguments.of(
                            insert,
                            cql("INSERT INTO line (o, no) VALUES (30, cast(1 as int)) IF NOT EXISTS"),
                            "give the columns of both keys as parameters"));
        }

        @ParameterizedTest
        @MethodSource("ofOneRow")
        void shouldNotWriteOneRowTwice(SimpleStatement one, SimpleStatement other, String name) {
            assertThatExceptionOfType(WriteModeException.class)
                    .isThrownBy(() -> session.execute(batch(one, other)))
                    .withMessageContaining(name)
                    .withMessageContaining(KEYSPACE + ".line");
            PreparedStatement insert = session.prepare(INSERT);
            assertThatExceptionOfType(WriteModeException.class)
                    .isThrownBy(() -> session.execute(batch(insert.bind(30, 1, 5), other)));
            assertThat(stored("SELECT * FROM $.line WHERE o = 30 AND no = 1")).isNull();
        }

        @Test
        void shouldWriteSeveralRowsOfAPartition() {
            line(31, 3);
            PreparedStatement insert = session.prepare(INSERT);
            assertThat(session.execute(batch(
                                    insert.bind(31, 1, 5),
                                    cql("INSERT INTO line (o, no) VALUES (31, 2) IF NOT EXISTS"),
                                    cql("UPDATE line SET qty = 9 WHERE o = 31 AND no = 3 IF cassidy_tx >= 0xff")))
                            .wasApplied())
                    .isTrue();
            assertThat(stored("SELECT qty FROM $.line WHERE o = 31 AND no = 3").getInt(0))
                    .isEqualTo(9);
        }

        /** What a drawn id is, nobody knows before; so it can only be meant for the new row, or belongs elsewhere. */
        @Test
        void shouldNotChangeRowsBesideNewOnes() {
            assertThatExceptionOfType(WriteModeException.class)
                    .isThrownBy(() -> session.execute(batch(
                            cql("INSERT INTO item (name) VALUES ('new')"),
                            cql("UPDATE item SET name = 'old' WHERE id = 1"))))
                    .withMessageContaining("put the values into the INSERT");
        }

        @Test
        void shouldKnowNumbersOfDifferentScales() {
            BatchableStatement<?> insert =
                    cql("INSERT INTO price (o, p, n) VALUES (1, ?, 1) IF NOT EXISTS", new BigDecimal("1.5"));
            assertThatExceptionOfType(WriteModeException.class)
                    .isThrownBy(() -> session.execute(
                            batch(insert, cql("INSERT INTO price (o, p, n) VALUES (1, 1.50, 2) IF NOT EXISTS"))))
                    .withMessageContaining("inserts it again");
        }
    }
}
