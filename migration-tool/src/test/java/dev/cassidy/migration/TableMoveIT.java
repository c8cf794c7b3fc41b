package dev.cassidy.migration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.datastax.oss.driver.api.core.CqlSession;
import dev.cassidy.cql.ColumnValueException;
import dev.cassidy.cql.GeneratedKeys;
import dev.cassidy.cql.IdentityInsertException;
import dev.cassidy.cql.IdentitySession;
import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.migration.error.MigrationException;
import dev.cassidy.sequence.IdentityColumn;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.cassandra.InternalAccess;
import dev.cassidy.sequence.cassandra.Sequences;
import dev.cassidy.snowflake.SnowflakeSpec;
import dev.cassidy.table.ColumnDefault;
import dev.cassidy.table.TableRegistry;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Tables that are given from one installation to another, by {@code tables move} and by its steps. */
class TableMoveIT {

    private static final String ONE = "move_it_one";
    private static final String TWO = "move_it_two";
    private static final Consumer<String> SILENT = step -> {};

    private static TargetNode node;
    private static CqlSession session;
    private static Sequences one;
    private static Sequences two;

    @BeforeAll
    static void install() {
        node = new TargetNode(ONE);
        session = node.session();
        node.init();
        assertThat(in(TWO, "init", "--replication", node.datacenter() + ":1").exitCode())
                .isZero();
        node.createKeyspace("moved");
        one = open(ONE, Duration.ofMillis(200));
        two = open(TWO, Duration.ofMillis(200));
    }

    @AfterAll
    static void drop() {
        one.close();
        two.close();
        node.close();
    }

    private static Sequences open(String installation, Duration watchInterval) {
        return Sequences.open(
                session,
                SequencesConfig.defaults().withGlobalKeyspace(installation).withWatchInterval(watchInterval));
    }

    /** Runs a command on an installation. */
    private static ToolRun in(String installation, String command, String... rest) {
        List<String> arguments = new ArrayList<>(node.arguments());
        arguments.set(arguments.indexOf(ONE), installation);
        return ToolRun.of(Map.of(), null, ToolRun.join(command, arguments, rest));
    }

    /** Creates a table with an identity in installation one. */
    private static void createTable(String name) {
        tsql(ONE, "CREATE TABLE " + name + " (id INT IDENTITY PRIMARY KEY, v NVARCHAR(50) DEFAULT 'x')");
    }

    private static void tsql(String installation, String... statements) {
        String url = node.jdbc("moved").replace("=" + ONE, "=" + installation)
                + "&requestTimeout=1m&connectTimeout=1m&writes=plain";
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e.getMessage(), e);
        }
    }

    private static IdentitySession client(Sequences installation) {
        return IdentitySession.wrap(session, installation);
    }

    /** Inserts a row, and returns its id. */
    private static long insert(Sequences installation, String table) {
        return GeneratedKeys.of(client(installation).execute("INSERT INTO moved." + table + " (v) VALUES ('x')"))
                .keys()
                .get(0)
                .id();
    }

    private static void assertRefused(Sequences installation, String table, String... fragments) {
        assertThatThrownBy(() -> insert(installation, table)).hasMessageContainingAll(fragments);
        assertThatThrownBy(() -> client(installation)
                        .execute("INSERT INTO moved." + table + " (id, v) VALUES (1, 'overwritten')"))
                .hasMessageContainingAll(fragments);
    }

    private static TableMove move(Sequences from, Sequences to, String table, Consumer<String> progress) {
        return TableMove.of(from, to, "moved", table, progress);
    }

    private static void move(Sequences from, Sequences to, String table) {
        move(from, to, table, SILENT).run();
    }

    private static List<Integer> ids(String table) {
        return session.execute("SELECT id FROM moved." + table).all().stream()
                .map(row -> row.getInt(0))
                .sorted()
                .toList();
    }

    /** Returns what check finds, as {@code table kind level}. */
    private static List<String> check(String installation) {
        ToolRun run = in(installation, "tables check", "--keyspace", "moved", "--output", "json");
        return StreamSupport.stream(run.json().get("findings").spliterator(), false)
                .map(each -> each.get("table").asText().substring("moved.".length()) + " "
                        + each.get("kind").asText() + " " + each.get("level").asText())
                .toList();
    }

    private static void assertMoved(String table) {
        assertRefused(
                one,
                table,
                "moved." + table + " was moved to the installation of keyspace " + TWO,
                "globalKeyspace=" + TWO);
        assertThatThrownBy(() -> client(one).execute("UPDATE moved." + table + " SET v = 'y' WHERE id = 1"))
                .hasMessageContaining("was moved to the installation of keyspace " + TWO);
    }

    @Test
    void shouldNumberATableByOneWhileClientsOfBothInsert() throws Exception {
        createTable("busy");
        ConcurrentLinkedQueue<Long> issuedByOne = new ConcurrentLinkedQueue<>();
        ConcurrentLinkedQueue<Long> issuedByTwo = new ConcurrentLinkedQueue<>();
        AtomicBoolean over = new AtomicBoolean();
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try (Sequences another = open(ONE, Duration.ofMillis(300))) {
            List<Future<Void>> clients = List.of(
                    threads.submit(() -> inserting(one, issuedByOne, over)),
                    threads.submit(() -> inserting(another, issuedByOne, over)),
                    threads.submit(() -> inserting(two, issuedByTwo, over)),
                    threads.submit(() -> inserting(two, issuedByTwo, over)));
            await().atMost(Duration.ofMinutes(2)).until(() -> issuedByOne.size() > 100);
            assertThat(issuedByTwo).isEmpty();

            move(one, two, "busy");

            int before = issuedByOne.size();
            await().atMost(Duration.ofMinutes(2)).until(() -> issuedByTwo.size() > 100);
            over.set(true);
            for (Future<Void> each : clients) {
                each.get(2, TimeUnit.MINUTES);
            }
            assertThat(issuedByOne).as("after the move").hasSize(before);
        } finally {
            over.set(true);
            threads.shutdownNow();
        }

        List<Long> all = new ArrayList<>(issuedByOne);
        all.addAll(issuedByTwo);
        assertThat(all).doesNotHaveDuplicates();
        assertThat(Collections.min(issuedByTwo)).isGreaterThan(Collections.max(issuedByOne));
        assertThat(ids("busy")).as("no row was overwritten").hasSize(all.size());
        assertMoved("busy");
        ToolRun again = in(ONE, "tables move", "--table", "moved.busy", "--to", TWO);
        assertThat(again.exitCode()).as(again.err()).isZero();
        assertThat(again.out()).contains("moved.busy: unchanged");
        tsql(TWO, "INSERT INTO busy VALUES ('in declared order')", "ALTER TABLE busy ADD w INT");
        assertThatThrownBy(() -> tsql(ONE, "ALTER TABLE busy ADD z INT DEFAULT 1"))
                .hasMessageContaining("was moved to the installation of keyspace " + TWO);
    }

    /** Inserts until it is over; a refusal is none of an id. */
    private static Void inserting(Sequences installation, Collection<Long> issued, AtomicBoolean over) {
        while (!over.get()) {
            try {
                issued.add(insert(installation, "busy"));
            } catch (SequenceException | IdentityInsertException | ColumnValueException e) {
                // Of NULL in the column that had an identity a moment ago, too.
                assertThat(e).hasMessageContaining("busy");
            }
        }
        return null;
    }

    /** Ends the move at a step. */
    private static final class Crash extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    @Test
    void shouldCompleteWhatEndedAtAnyStep() {
        List<String> tables = List.of("c1", "c2", "c3", "c4", "c5", "c6");
        Map<String, List<Integer>> before = new HashMap<>();
        try (Sequences holding = open(ONE, Duration.ofMillis(200))) {
            for (String table : tables) {
                createTable(table);
                insert(holding, table);
                int end = tables.indexOf(table);
                AtomicInteger said = new AtomicInteger();
                assertThatThrownBy(() -> move(one, two, table, each -> {
                                    if (said.getAndIncrement() == end) {
                                        throw new Crash();
                                    }
                                })
                                .run())
                        .isInstanceOf(Crash.class);
            }
            List<String> moving =
                    List.of("c3 moving warning", "c4 moving warning", "c5 moving warning", "c6 moving warning");
            assertThat(check(ONE))
                    .filteredOn(finding -> finding.startsWith("c"))
                    .isEqualTo(moving);
            assertThat(check(TWO))
                    .filteredOn(finding -> finding.startsWith("c"))
                    .containsExactlyInAnyOrderElementsOf(moving);

            String numbers = "which the installation of keyspace " + ONE + " numbers";
            for (String table : tables) {
                if (tables.indexOf(table) < 2) {
                    assertThat(insert(holding, table)).isEqualTo(2);
                } else {
                    assertRefused(
                            holding, table, "is being moved to the installation of keyspace " + TWO, "tables move");
                }
                if (tables.indexOf(table) < 5) {
                    assertRefused(two, table, numbers);
                } else {
                    insert(two, table);
                }
                before.put(table, ids(table));
                assertThat(move(one, two, table, SILENT).isBegun()).isEqualTo(tables.indexOf(table) >= 2);
                move(one, two, table);
            }
        }

        for (String table : tables) {
            assertThat(insert(two, table)).isGreaterThan(Collections.max(before.get(table)));
            assertThat(ids(table)).hasSize(before.get(table).size() + 1);
            assertMoved(table);
        }
        assertThat(check(ONE))
                .filteredOn(finding -> finding.startsWith("c"))
                .isEqualTo(tables.stream().map(table -> table + " moved info").toList());
        assertThat(check(TWO)).filteredOn(finding -> finding.startsWith("c")).isEmpty();
    }

    /** It holds ids, and learns nothing: the taker's explicit ids could be those that it inserts next. */
    @Test
    void shouldWaitForAProcessThatHoldsIds() {
        createTable("held");
        try (Sequences deaf = open(ONE, Duration.ofDays(1))) {
            insert(deaf, "held");

            assertThatThrownBy(() -> move(one, two, "held"))
                    .isInstanceOfSatisfying(MigrationException.class, e -> assertThat(e.exitCode())
                            .isEqualTo(ExitCode.PARTIAL))
                    .hasMessageContaining("have not let go of older ids")
                    .hasMessageContaining("until this command was repeated");

            assertRefused(two, "held", "which the installation of keyspace " + ONE + " numbers");
            assertThat(insert(deaf, "held")).as("what it holds is its own").isEqualTo(2);
        }
        move(one, two, "held");
        assertThat(insert(two, "held")).isGreaterThan(2);
        assertThat(ids("held")).hasSize(3);
        assertMoved("held");
    }

    @Test
    void shouldTellOfTheMoveAClientThatHasNotHeardOfIt() {
        createTable("told");
        try (Sequences deaf = open(ONE, Duration.ofDays(1))) {
            TableRegistry tables = InternalAccess.tables(deaf);
            assertThat(tables.contract("moved", "told").move())
                    .as("known from now on")
                    .isNull();
            move(one, two, "told");

            assertThatThrownBy(() -> tables.registerDefault(new ColumnDefault(
                            "moved", "told", "v", "df_v", ColumnDefault.Kind.CONSTANT, "'y'", "('y')")))
                    .hasMessageContaining("was moved to the installation of keyspace " + TWO);
        }
    }

    @Test
    void shouldMoveATableBackAndForth() {
        createTable("back");
        List<Long> issued = new ArrayList<>();
        for (int round = 0; round < 2; round++) {
            issued.add(insert(one, "back"));
            move(one, two, "back");
            issued.add(insert(two, "back"));
            move(two, one, "back");
            issued.add(insert(one, "back"));
        }

        assertThat(issued).isSorted().doesNotHaveDuplicates();
        assertThat(ids("back")).hasSize(issued.size());
        assertRefused(two, "back", "was moved to the installation of keyspace " + ONE);
    }

    /** An explicit id of a key by default is accepted before the floor, and there are the rows of the other installation. */
    @Test
    void shouldNotOverwriteWhatTheOtherInstallationHasNumbered() {
        tsql(
                ONE,
                "CREATE SEQUENCE keyed_seq AS INT START WITH 1",
                "CREATE TABLE keyed (id INT PRIMARY KEY DEFAULT (NEXT VALUE FOR keyed_seq), v NVARCHAR(50))",
                "INSERT INTO keyed (v) VALUES ('first')");
        // The process that has inserted lets go of its ids within its own watch interval.
        await().atMost(Duration.ofMinutes(2))
                .ignoreExceptionsInstanceOf(MigrationException.class)
                .untilAsserted(() -> move(one, two, "keyed"));

        assertThatThrownBy(() -> tsql(TWO, "INSERT INTO keyed (id, v) VALUES (1, 'overwritten')"));

        tsql(TWO, "INSERT INTO keyed (v) VALUES ('second')");
        assertThat(session.execute("SELECT v FROM moved.keyed").all())
                .extracting(row -> row.getString(0))
                .containsExactlyInAnyOrder("first", "second");
        assertThatThrownBy(() -> tsql(ONE, "INSERT INTO keyed (v) VALUES ('third')"))
                .hasMessageContaining("was moved to the installation of keyspace " + TWO);
    }

    /** As a process leaves it that ended between the write of its registration and its second look at the other's. */
    @Test
    void shouldGiveATableThatTwoNumberToOne() {
        session.execute("CREATE TABLE moved.twice (id int PRIMARY KEY, v text)");
        register(one, "twice");
        session.execute("INSERT INTO " + TWO + ".contracts (keyspace_name, table_name, column_name, sequence, mode,"
                + " changing, table_id, counters, pending, moved_to, moved, move, revision) VALUES"
                + " ('moved', 'twice', 'id', 'moved.twice', '', false, '', '', false, '', false, '', 1) IF NOT EXISTS");
        two.create(SequenceSpec.of("moved.twice"));
        List<Long> issued = new ArrayList<>(List.of(insert(one, "twice"), insert(one, "twice")));
        try (Sequences late = open(TWO, Duration.ofMillis(200))) {
            assertThat(insert(late, "twice")).as("numbered twice").isEqualTo(1);
            assertThat(check(TWO)).contains("twice numbered_twice risk");
            ToolRun run = in(ONE, "tables check", "--keyspace", "moved", "--output", "json");
            String line = StreamSupport.stream(run.json().get("findings").spliterator(), false)
                    .filter(each -> each.get("kind").asText().equals("numbered_twice"))
                    .map(each -> each.get("run").asText())
                    .findFirst()
                    .orElseThrow();
            assertThat(line).startsWith("cassidy tables move --table moved.twice --to " + TWO);
            List<String> words = new ArrayList<>(List.of(line.split(" ")));
            words.remove(0);
            words.addAll(List.of("--yes", "--output", "json"));

            ToolRun moved = ToolRun.of(Map.of(), null, words);

            assertThat(moved.exitCode()).as(moved.out() + moved.err()).isZero();
            assertThat(moved.err()).contains("Both number the table now");
            assertThat(moved.json().get("result").asText()).isEqualTo("moved");
            assertThat(moved.json().get("kind").asText()).isEqualTo("CQL table");
            assertThat(moved.json().get("sequences").get(0).get("name").asText())
                    .isEqualTo("moved.twice");
            assertThat(insert(late, "twice")).as("past what both have issued").isGreaterThan(2);
        }
        assertThat(ids("twice")).hasSizeGreaterThan(issued.size());
        assertThat(check(ONE)).contains("twice moved info");
        assertThat(check(TWO)).contains("twice undefined info").doesNotContain("twice numbered_twice risk");
    }

    private static void register(Sequences installation, String table) {
        installation.create(SequenceSpec.of("moved." + table));
        installation.registerIdentity(new IdentityColumn("moved", table, "id", "moved." + table));
    }

    @Test
    void shouldRefuseWhatItCannotMove() {
        for (String table : List.of("unknown", "shared", "sharing", "timed", "named", "counted")) {
            session.execute("CREATE TABLE moved." + table + " (id bigint PRIMARY KEY, v text)");
        }
        register(one, "shared");
        one.registerIdentity(new IdentityColumn("moved", "sharing", "id", "moved.shared"));
        one.create(SnowflakeSpec.of("moved.timed", Instant.EPOCH));
        one.registerIdentity(new IdentityColumn("moved", "timed", "id", "moved.timed"));
        register(one, "named");
        two.create(SequenceSpec.of("moved.named"));
        InternalAccess.tables(one).declareCounters("moved", "counted", 0, id("counted"), "FOLDED");

        assertThatThrownBy(() -> one.registerIdentity(new IdentityColumn("moved", "counted", "id", "moved.shared")))
                .hasMessageContaining("is a table of FOLDED counters, and cannot become a CQL table");
        assertThat(in(ONE, "tables check", "--keyspace", "moved").out()).contains("table of FOLDED counters: 1)");
        assertThatThrownBy(() -> move(one, two, "unknown", SILENT)).hasMessageContaining("has nothing to be moved");
        assertThatThrownBy(() -> move(one, two, "shared", SILENT))
                .hasMessageContaining("from which table moved.sharing draws too");
        assertThatThrownBy(() -> move(one, two, "timed", SILENT)).hasMessageContaining("is time-ordered");
        assertRefused("moved.named", TWO + " has one of this name for something else");
        assertRefused("moved.counted", "is a table of FOLDED counters");
        assertRefused(ONE + ".seq", "must not be one of Cassidy's own tables");
        assertThat(in(ONE, "tables move", "--table", "moved.named", "--to", ONE, "--yes")
                        .exitCode())
                .isEqualTo(ExitCode.USAGE.code());
        ToolRun missing = in(ONE, "tables move", "--table", "moved.named", "--to", "nowhere", "--yes");
        assertThat(missing.exitCode()).isEqualTo(ExitCode.CASSANDRA.code());
        assertThat(missing.err()).contains("nowhere names no installation", TWO);
        two.admin().drop("moved.named");
        ToolRun unasked = in(ONE, "tables move", "--table", "moved.named", "--to", TWO);
        assertThat(unasked.exitCode()).isEqualTo(ExitCode.REFUSED.code());
        assertThat(unasked.err()).contains("add --yes", "a CQL table, moves from installation " + ONE + " to " + TWO);
        assertThat(insert(one, "named")).as("nothing was changed").isEqualTo(1);
    }

    private static UUID id(String table) {
        return session.execute(
                        "SELECT id FROM system_schema.tables WHERE keyspace_name = 'moved' AND table_name = ?", table)
                .one()
                .getUuid(0);
    }

    private static void assertRefused(String table, String fragment) {
        ToolRun run = in(ONE, "tables move", "--table", table, "--to", TWO, "--yes");
        assertThat(run.exitCode()).as(run.out() + run.err()).isEqualTo(ExitCode.REFUSED.code());
        assertThat(run.err()).contains(fragment);
    }
}
