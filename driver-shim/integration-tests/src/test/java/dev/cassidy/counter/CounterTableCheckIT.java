package dev.cassidy.counter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import dev.cassidy.Remedy;
import dev.cassidy.SharedNode;
import dev.cassidy.embedded.EmbeddedCassandra;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.cassandra.CassidySchema;
import dev.cassidy.sequence.cassandra.Replication;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Tables that cannot hold counters are refused, and the message's own statement corrects them. */
class CounterTableCheckIT {

    private static final String KEYSPACE = "counter_table_check_it";
    private static final String CASSIDY = "counter_table_check_cassidy";

    private static CqlSession session;

    @BeforeAll
    static void install() {
        EmbeddedCassandra node = SharedNode.get();
        session = connect(node);
        prepare(session, node.localDatacenter());
    }

    private static CqlSession connect(EmbeddedCassandra node) {
        return CqlSession.builder()
                .addContactPoint(node.contactPoint())
                .withLocalDatacenter(node.localDatacenter())
                .withConfigLoader(DriverConfigLoader.programmaticBuilder()
                        .withDuration(DefaultDriverOption.REQUEST_TIMEOUT, Duration.ofMinutes(1))
                        .build())
                .build();
    }

    private static void prepare(CqlSession session, String datacenter) {
        session.execute("CREATE KEYSPACE " + KEYSPACE + " WITH replication = {'class': 'NetworkTopologyStrategy', '"
                + datacenter + "': 1}");
        CassidySchema.install(
                session,
                Replication.parse(datacenter + ":1"),
                SequencesConfig.defaults().withGlobalKeyspace(CASSIDY));
    }

    @AfterAll
    static void disconnect() {
        session.close();
    }

    private static CountersConfig config(String table) {
        return CountersConfig.of(KEYSPACE + "." + table)
                .withGlobalKeyspace(CASSIDY)
                .withRequestTimeout(Duration.ofMinutes(1))
                .withIncrementTimeout(Duration.ofMinutes(2));
    }

    private static void open(String table) {
        Counters.open(session, config(table)).close();
    }

    private static CounterException.Unfit refusal(String table) {
        return catchThrowableOfType(CounterException.Unfit.class, () -> open(table));
    }

    /** Of a table that was made by CQL. */
    private static CounterException.Unfit refusedAdoption(String table) {
        return catchThrowableOfType(CounterException.Unfit.class, () -> Counters.adopt(session, config(table)));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            ttl        | default_time_to_live = 60                                                    | would expire
            grace      | gc_grace_seconds = 60                                                        | would come back
            repair     | read_repair = 'BLOCKING'                                                     | a part of a fold
            windows    | compaction = {'class': 'TimeWindowCompactionStrategy'}                       | not times
            """)
    void shouldRefuseASettingAndNameTheStatementThatCorrectsIt(String table, String setting, String why) {
        Counters.create(session, config(table));
        session.execute("ALTER TABLE " + KEYSPACE + "." + table + " WITH " + setting);

        CounterException.Unfit refusal = refusal(table);

        assertThat(refusal).hasMessageContaining(why);
        List<String> remedy = Remedy.of(String.valueOf(refusal.getMessage()));
        assertThat(remedy).hasSize(1);
        session.execute(remedy.get(0));
        open(table);
    }

    @ParameterizedTest
    @CsvSource({"CUMULATIVE, is empty", "VERSIONED, deletions of a fold", "BUCKETED, is empty"})
    void shouldRefuseReadRepairForOtherKindsToo(CounterKind kind, String why) {
        CountersConfig config = config("repairs_" + kind.name().toLowerCase(Locale.ROOT))
                .withIncrementTimeout(Duration.ofSeconds(30))
                .withKind(kind)
                .withActor("P1")
                .withApproximate(kind == CounterKind.BUCKETED);
        Counters.create(session, config);
        session.execute("ALTER TABLE " + config.table() + " WITH read_repair = 'BLOCKING'");

        CounterException.Unfit refusal =
                catchThrowableOfType(CounterException.Unfit.class, () -> Counters.open(session, config));

        assertThat(refusal).hasMessageContaining(why);
        session.execute(Remedy.of(String.valueOf(refusal.getMessage())).get(0));
        Counters.open(session, config).close();
    }

    @Test
    void shouldNameTheStatementThatCreatesAMissingTable() {
        CounterException.Unfit refusal = refusal("missing");

        session.execute(Remedy.of(String.valueOf(refusal.getMessage())).get(0));
        Counters.adopt(session, config("missing"));
        open("missing");
    }

    @Test
    void shouldNameTheColumnThatIsMissing() {
        session.execute("CREATE TABLE " + KEYSPACE + ".seeds (type text, actor text, version bigint, increment int,"
                + " PRIMARY KEY (type, actor, version)) WITH read_repair = 'NONE'");

        CounterException.Unfit refusal = refusedAdoption("seeds");

        assertThat(refusal).hasMessageContaining("no column 'upto'");
        session.execute(Remedy.of(String.valueOf(refusal.getMessage())).get(0));
        Counters.adopt(session, config("seeds"));
        open("seeds");
    }

    @Test
    void shouldRefuseTheOrderOfVersionsThatCannotBeFolded() {
        session.execute("CREATE TABLE " + KEYSPACE + ".descending (type text, actor text, version bigint, increment"
                + " bigint, upto bigint, PRIMARY KEY (type, actor, version)) WITH CLUSTERING ORDER BY (actor ASC,"
                + " version DESC) AND read_repair = 'NONE'");

        assertThat(refusedAdoption("descending"))
                .hasMessageContainingAll("'version'", "must be bigint, clustering 1 asc", "clustering 1 desc");
    }

    @Test
    void shouldRefuseATypeThatIsNoNumber() {
        session.execute("CREATE TABLE " + KEYSPACE + ".texts (type text, actor text, version bigint, increment text,"
                + " upto bigint, PRIMARY KEY (type, actor, version)) WITH read_repair = 'NONE'");

        assertThat(refusedAdoption("texts"))
                .hasMessageContainingAll("'increment'", "int, a bigint or a varint", "is text");
    }

    @Test
    void shouldRefuseATableWhoseKeyspaceForgetsWrites() {
        session.execute("CREATE KEYSPACE counter_forgets WITH replication = {'class': 'NetworkTopologyStrategy', '"
                + SharedNode.get().localDatacenter() + "': 1} AND durable_writes = false");
        CountersConfig config = CountersConfig.of("counter_forgets.t")
                .withGlobalKeyspace(CASSIDY)
                .withRequestTimeout(Duration.ofMinutes(1));
        Counters.create(session, config);

        CounterException.Unfit refusal =
                catchThrowableOfType(CounterException.Unfit.class, () -> Counters.open(session, config));

        assertThat(refusal).hasMessageContaining("durable_writes = false");
        session.execute(Remedy.of(String.valueOf(refusal.getMessage())).get(0));
        Counters.open(session, config).close();
    }

    /** What becomes of a write with the clock's timestamp; docs/counters.md tells the same. */
    private enum ForeignWrite {
        AFTER_THE_LAST_ROW(
                "INSERT INTO %s (type, actor, version, increment) VALUES ('%s', '%s', %d, 100)", 9, 100, true),
        OF_AN_OLD_VERSION("INSERT INTO %s (type, actor, version, increment) VALUES ('%s', '%s', 1, 100)", 0, 100, true),
        WITHOUT_INCREMENT("INSERT INTO %s (type, actor, version, increment) VALUES ('%s', '%s', %d, null)", 9, 0, true),
        WITH_TIME_TO_LIVE(
                "INSERT INTO %s (type, actor, version, increment) VALUES ('%s', '%s', %d, 100) USING TTL 3600",
                9, 100, true),
        OF_A_NEGATIVE_VERSION(
                "INSERT INTO %s (type, actor, version, increment) VALUES ('%s', 'elsewhere/7', -7, 100)", 0, 100, true),
        OF_VERSION_ZERO(
                "INSERT INTO %s (type, actor, version, increment) VALUES ('%s', 'elsewhere/7', 0, 100)", 0, 100, true),
        OF_THE_LAST_VERSION(
                "INSERT INTO %s (type, actor, version, increment) VALUES ('%s', 'elsewhere/7', 9223372036854775807, 100)",
                0, 100, true),
        OVER_AN_INCREMENT(
                "UPDATE %s SET increment = 100 WHERE type = '%s' AND actor = '%s' AND version = %d", 3, 0, false),
        OF_A_FOLDED_VERSION(
                "INSERT INTO %s (type, actor, version, increment) VALUES ('%s', '%s', %d, 100)", 1, 0, false),
        DELETED("DELETE FROM %s WHERE type = '%s' AND actor = '%s' AND version = %d", 3, 0, false),
        OF_ANOTHER_ACTOR(
                "INSERT INTO %s (type, actor, version, increment) VALUES ('%s', 'somebody', 5, 100)", 0, 100, false);

        private final String cql;
        private final long number;
        private final long added;
        private final boolean named;

        /**
         * @param number of the row in the epoch; 1 and 2 are folded, 3 is the last row
         * @param added to the value
         * @param named whether a fold fails and names the row
         */
        ForeignWrite(String cql, long number, long added, boolean named) {
            this.cql = cql;
            this.number = number;
            this.added = added;
            this.named = named;
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldTellWhatAnotherClientWrites(ForeignWrite write) {
        Counters.create(session, config("shared"));
        try (Counters counters = Counters.open(session, config("shared").withFoldAfter(1_000))) {
            Counter counter = counters.counter(write.name());
            counter.increment(5);
            counter.increment(6);
            counter.fold();
            Receipt receipt = counter.increment(7);
            assertThat(receipt.number()).isEqualTo(3);

            session.execute(write.cql.formatted(
                    KEYSPACE + ".shared", write.name(), receipt.actor(), receipt.version() - 3 + write.number));

            assertThat(counter.value()).isEqualTo(18 + write.added);
            if (write.named) {
                assertThatThrownBy(counter::fold)
                        .isInstanceOf(CounterException.ForeignWrite.class)
                        .hasMessageContainingAll("'" + write.name() + "'", "version ");
            } else {
                counter.fold();
            }
            assertThat(counter.value()).isEqualTo(18 + write.added);
            counter.increment(1);
            assertThat(counter.value()).isEqualTo(19 + write.added);
        }
    }

    /** The process does not read before it writes: its row replaces the other one. */
    @Test
    void shouldReplaceARowThatTookItsNextVersion() {
        Counters.create(session, config("replaced"));
        try (Counters counters = Counters.open(session, config("replaced"))) {
            Counter counter = counters.counter("c");
            Receipt receipt = counter.increment(5);
            session.execute(
                    "INSERT INTO " + KEYSPACE + ".replaced (type, actor, version, increment) VALUES ('c', ?, ?, 100)",
                    receipt.actor(),
                    receipt.version() + 1);
            assertThat(counter.value()).isEqualTo(105);

            counter.increment(6);

            assertThat(counter.value()).isEqualTo(11);
            counter.fold();
            assertThat(counter.value()).isEqualTo(11);
        }
    }

    @Test
    void shouldLoseNothingWhenAnotherClientDeletes() {
        Counters.create(session, config("deleted"));
        try (Counters counters = Counters.open(session, config("deleted"))) {
            Counter counter = counters.counter("c");
            counter.increment(5);
            counter.fold();
            counter.increment(6);

            session.execute("DELETE FROM " + KEYSPACE + ".deleted WHERE type = 'c'");

            assertThat(counter.value()).isEqualTo(11);
        }
    }

    @Test
    void shouldLoseNothingWhenAnotherClientOverwrites() {
        Counters.create(session, config("overwritten"));
        try (Counters counters = Counters.open(session, config("overwritten"))) {
            Counter counter = counters.counter("c");
            Receipt receipt = counter.increment(5);

            session.execute(
                    "UPDATE " + KEYSPACE + ".overwritten SET increment = 100 WHERE type = 'c' AND actor = ? AND version"
                            + " = ?",
                    receipt.actor(),
                    receipt.version());

            assertThat(counter.value()).isEqualTo(5);
        }
    }

    @Test
    void shouldRefuseNegativeIncrementsOfGrowOnlyCounters() {
        Counters.create(session, config("growing"));
        try (Counters counters = Counters.open(session, config("growing").withGrowOnly(true))) {
            assertThatThrownBy(() -> counters.counter("c").increment(-1))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("delta=-1");
            assertThat(counters.counter("c").value()).isZero();
        }
    }

    @Test
    void shouldNameTheRuleWhenAllSlotsAreHeld() {
        Counters.create(session, config("narrow"));
        try (Counters one = Counters.open(session, config("narrow").withMaxSlots(1));
                Counters other = Counters.open(session, config("narrow").withMaxSlots(1))) {
            one.counter("c").increment(1);

            assertThatThrownBy(() -> other.counter("c").increment(1))
                    .isInstanceOf(CounterException.NoSlot.class)
                    .hasMessageContainingAll("maxSlots", "all 1 slots");
            assertThat(other.counter("c").value()).isEqualTo(1);
        }
    }

    @Test
    void shouldRefuseAnIncrementThatDoesNotFitTheColumn() {
        Counters.create(session, config("ints"), IncrementType.INT);
        try (Counters counters = Counters.open(session, config("ints"))) {
            Counter counter = counters.counter("c");
            assertThatThrownBy(() -> counter.increment(1L << 31))
                    .isInstanceOf(CounterException.Overflow.class)
                    .hasMessageContainingAll("2147483648", "int");
            counter.increment(Integer.MAX_VALUE);
            counter.increment(Integer.MAX_VALUE);
            assertThat(counter.value()).isEqualTo(2L * Integer.MAX_VALUE);
            assertThatThrownBy(counter::fold).isInstanceOf(CounterException.Overflow.class);
            assertThat(counter.value()).isEqualTo(2L * Integer.MAX_VALUE);
        }
    }
}
