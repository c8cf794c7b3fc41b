package dev.cassidy.counter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.servererrors.InvalidQueryException;
import dev.cassidy.SharedNode;
import dev.cassidy.counter.store.Versions;
import dev.cassidy.cql.CqlSessions;
import dev.cassidy.embedded.EmbeddedCassandra;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.cassandra.CassidySchema;
import dev.cassidy.sequence.cassandra.Replication;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A table of counters is opened as what its contract says, by the installation whose it is. */
class CounterContractsIT {

    private static final String KEYSPACE = "counter_contracts_it";
    private static final String ONE = "counter_contracts_one";
    private static final String TWO = "counter_contracts_two";

    private static CqlSession session;
    private static String datacenter;

    @BeforeAll
    static void install() {
        EmbeddedCassandra node = SharedNode.get();
        datacenter = node.localDatacenter();
        session = CqlSessions.builder()
                .addContactPoint(node.contactPoint())
                .withLocalDatacenter(datacenter)
                .withConfigLoader(DriverConfigLoader.programmaticBuilder()
                        .withBoolean(DefaultDriverOption.METADATA_SCHEMA_ENABLED, false)
                        .withDuration(DefaultDriverOption.REQUEST_TIMEOUT, Duration.ofMinutes(1))
                        .build())
                .build();
        session.execute("CREATE KEYSPACE " + KEYSPACE + " WITH replication = {'class': 'NetworkTopologyStrategy', '"
                + datacenter + "': 1}");
        for (String installation : List.of(ONE, TWO)) {
            CassidySchema.install(
                    session,
                    Replication.parse(datacenter + ":1"),
                    SequencesConfig.defaults().withGlobalKeyspace(installation));
        }
    }

    @AfterAll
    static void disconnect() {
        session.close();
    }

    private static CountersConfig config(String table, CounterKind kind) {
        CountersConfig config = CountersConfig.of(KEYSPACE + "." + table)
                .withGlobalKeyspace(ONE)
                .withRequestTimeout(Duration.ofMinutes(1))
                .withIncrementTimeout(Duration.ofSeconds(30))
                .withKind(kind);
        return switch (kind) {
            case CUMULATIVE, VERSIONED -> config.withActor("P1");
            case BUCKETED -> config.withActor("P1").withApproximate(true);
            default -> config;
        };
    }

    private static void count(CountersConfig config, int times, long delta) {
        try (Counters counters = Counters.open(session, config)) {
            for (int i = 0; i < times; i++) {
                counters.counter("IBM").add(delta);
            }
        }
    }

    private static long value(CountersConfig config) {
        try (Counters counters = Counters.open(session, config)) {
            return counters.counter("IBM").value();
        }
    }

    private static List<String> rows(String table) {
        return session.execute("SELECT * FROM " + KEYSPACE + "." + table).all().stream()
                .map(Row::getFormattedContents)
                // That of the generation.
                .filter(row -> !row.contains("'~cassidy'"))
                .toList();
    }

    private static void assertUnfit(ThrowingCallable call, String... words) {
        assertThatThrownBy(call).isInstanceOf(CounterException.Unfit.class).hasMessageContainingAll(words);
    }

    /** As after a restore of Cassidy's keyspaces, or of a table that was made by CQL. */
    private static void loseContract(String table) {
        for (String keyspace : List.of(ONE, ONE + "_" + datacenter, TWO, TWO + "_" + datacenter)) {
            session.execute(
                    "DELETE FROM " + keyspace + ".contracts WHERE keyspace_name = ? AND table_name = ?",
                    KEYSPACE,
                    table);
        }
    }

    private static UUID idOf(String table) {
        return session.execute(
                        "SELECT id FROM system_schema.tables WHERE keyspace_name = ? AND table_name = ?",
                        KEYSPACE,
                        table)
                .one()
                .getUuid("id");
    }

    // ---- kinds

    /** 10 increments of 100 were read as 100 instead of 1,000 where a FOLDED table was opened as VERSIONED. */
    @ParameterizedTest
    @EnumSource
    void shouldOpenATableAsItsOwnKindAlone(CounterKind created) {
        String table = "made_" + created.name().toLowerCase(Locale.ROOT);
        CountersConfig own = config(table, created);
        Counters.create(session, own);
        count(own, 10, 100);
        List<String> rows = rows(table);

        Stream.of(CounterKind.values()).filter(kind -> kind != created).forEach(other -> {
            CountersConfig wrong = config(table, other);
            String[] named = {KEYSPACE + "." + table, "of the kind " + created, "as one of " + other};
            assertUnfit(() -> Counters.open(session, wrong), named);
            assertUnfit(() -> Counters.create(session, wrong), named);
            assertUnfit(() -> Counters.adopt(session, wrong), named);
        });

        assertThat(rows(table)).isEqualTo(rows);
        assertThat(value(own)).isEqualTo(1_000);
        Counters.create(session, own);
        Counters.adopt(session, own);
        assertThat(value(own)).isEqualTo(1_000);
    }

    @ParameterizedTest
    @EnumSource
    void shouldAdoptATableOnlyAsWhatItsColumnsAndRowsAre(CounterKind is) {
        String table = "lost_" + is.name().toLowerCase(Locale.ROOT);
        CountersConfig own = config(table, is);
        Counters.create(session, own);
        count(own, 3, 100);
        loseContract(table);

        for (CounterKind kind : CounterKind.values()) {
            CountersConfig any = config(table, kind);
            String[] remedy = {
                "Counters.adopt(", "cassidy counters adopt", "--kind " + kind + " --global-keyspace " + ONE
            };
            assertUnfit(() -> Counters.open(session, any), remedy);
            assertUnfit(() -> Counters.create(session, any), remedy);
            if (kind != is) {
                assertUnfit(() -> Counters.adopt(session, any), KEYSPACE + "." + table);
            }
        }
        Counters.adopt(session, own);

        count(own, 2, 1);
        assertThat(value(own)).isEqualTo(302);
    }

    /** As nodes leave it that forget, when they are killed, what a process has written just now. */
    @Test
    void shouldLoseNoCountsIfTheContractIsForgottenAndTheGeneration() {
        CountersConfig config = config("forgotten", CounterKind.FOLDED);
        Counters.create(session, config);
        try (Counters counting = Counters.open(session, config)) {
            Counter ibm = counting.counter("IBM");
            ibm.increment(1);
            loseContract("forgotten");
            forgetGeneration("forgotten");

            ibm.increment(10);
            assertUnfit(() -> Counters.create(session, config), "cassidy counters adopt");
            assertUnfit(ibm::fold, "cassidy counters adopt");
            Counters.adopt(session, config);
            ibm.increment(100);
            ibm.fold();
            count(config, 1, 1_000);
            assertThat(ibm.value()).isEqualTo(1_111);
        }
        fold(config);
        assertThat(value(config)).isEqualTo(1_111);
    }

    private static void forgetGeneration(String table) {
        String name = KEYSPACE + "." + table;
        for (Row row : session.execute(
                "SELECT actor, version, WRITETIME(increment) AS written FROM " + name + " WHERE type = '~cassidy'")) {
            session.execute(SimpleStatement.newInstance(
                    "DELETE FROM " + name + " USING TIMESTAMP ? WHERE type = '~cassidy' AND actor = ? AND version = ?",
                    row.getLong("written"),
                    row.getString("actor"),
                    row.getLong("version")));
        }
    }

    /** The columns of both are the same then. */
    @Test
    void shouldTellTotalsFromIncrementsByTheirRows() {
        CountersConfig totals = config("totals", CounterKind.VERSIONED);
        Counters.create(session, totals);
        count(totals, 1, 50);
        loseContract("totals");
        session.execute("ALTER TABLE " + KEYSPACE + ".totals ADD upto bigint");
        session.execute(Counters.ddl(KEYSPACE + ".increments", CounterKind.VERSIONED));
        long version = Versions.of(60_000_000, 1);
        session.execute("INSERT INTO " + KEYSPACE + ".increments (type, actor, version, increment) VALUES ('IBM', '"
                + datacenter + "/0', " + version + ", 50) USING TIMESTAMP " + version);

        assertUnfit(
                () -> Counters.adopt(session, config("totals", CounterKind.FOLDED)),
                "cannot be adopted as one of FOLDED counters",
                "type='IBM'",
                "a total of VERSIONED counters");
        assertUnfit(
                () -> Counters.adopt(session, config("totals", CounterKind.VERSIONED)),
                "cannot be adopted as one of VERSIONED counters",
                "column 'upto'");
        assertUnfit(
                () -> Counters.adopt(session, config("increments", CounterKind.VERSIONED)),
                "cannot be adopted as one of VERSIONED counters",
                "of FOLDED counters");
        session.execute("ALTER TABLE " + KEYSPACE + ".totals DROP upto");
        Counters.adopt(session, totals);
        assertThat(value(totals)).isEqualTo(50);
    }

    /** Of the article that the counters are made after. */
    @Test
    void shouldAdoptRowsThatAnotherProgramWrote() {
        session.execute("CREATE TABLE " + KEYSPACE + ".seed (type text, actor text, version bigint, increment int,"
                + " upto bigint, PRIMARY KEY (type, actor, version)) WITH read_repair = 'NONE'");
        session.execute(
                "INSERT INTO " + KEYSPACE + ".seed (type, actor, version, increment) VALUES ('IBM', 'P1', 1, 1000)");
        session.execute(
                "INSERT INTO " + KEYSPACE + ".seed (type, actor, version, increment) VALUES ('IBM', 'P2', 1, 500)");
        session.execute(
                "INSERT INTO " + KEYSPACE + ".seed (type, actor, version, increment) VALUES ('IBM', 'P1', 2, 500)");
        CountersConfig config = config("seed", CounterKind.FOLDED);

        Counters.adopt(session, config);

        count(config, 1, 1);
        assertThat(value(config)).isEqualTo(2_001);
    }

    /** Cassandra cannot alter a column that is an int. */
    @Test
    void shouldCopyVersionedTotalsOf32BitsWhileTheyAreCounted() {
        session.execute(
                "CREATE TABLE " + KEYSPACE + ".seed_versions (type text, actor text, version int, increment int,"
                        + " PRIMARY KEY (type, actor, version)) WITH read_repair = 'NONE'");
        seedVersion("P1", 1, 1_000);
        seedVersion("P2", 1, 500);
        seedVersion("P1", 2, 1_500);
        CountersConfig config = config("wide_versions", CounterKind.VERSIONED);
        Counters.create(session, config);

        assertUnfit(
                () -> Counters.adopt(session, config("seed_versions", CounterKind.VERSIONED)),
                "must be bigint",
                "is int",
                "Counters.copyTotals(session, \"" + KEYSPACE + ".seed_versions\", config)",
                "cassidy counters copy");
        assertThat(copy("seed_versions", config)).isEqualTo(3);
        assertThat(value(config)).isEqualTo(2_000);

        seedVersion("P1", 3, 1_700);
        count(config, 2, 1L << 40);
        fold(config);
        assertThat(value(config)).isEqualTo(2_000 + (1L << 41));
        assertThat(copy("seed_versions", config)).isEqualTo(4);
        assertThat(copy("seed_versions", config)).isEqualTo(4);
        assertThat(value(config)).isEqualTo(2_200 + (1L << 41));
        fold(config);
        assertThat(rows("wide_versions")).as("one for each actor").hasSize(3);
        assertThat(value(config)).isEqualTo(2_200 + (1L << 41));
    }

    private static void seedVersion(String actor, int version, int total) {
        session.execute(
                "INSERT INTO " + KEYSPACE + ".seed_versions (type, actor, version, increment) VALUES ('IBM', ?, ?, ?)",
                actor,
                version,
                total);
    }

    private static long copy(String from, CountersConfig config) {
        return Counters.copyTotals(session, KEYSPACE + "." + from, config);
    }

    @Test
    void shouldCopyCumulativeTotalsOf32BitsWhileTheyAreCounted() {
        session.execute("CREATE TABLE " + KEYSPACE
                + ".seed_totals (type text, actor text, increment int, PRIMARY KEY (type, actor))");
        // It has the name that Cassidy's own actor has.
        String actor = datacenter + "/P1";
        seedTotal(actor, 1_000, 1);
        seedTotal("P2", 500, 1);
        CountersConfig config = config("wide_totals", CounterKind.CUMULATIVE);
        Counters.create(session, config);
        count(config, 1, 1L << 40);

        assertUnfit(
                () -> Counters.adopt(session, config("seed_totals", CounterKind.CUMULATIVE)),
                "must be bigint, and is int",
                "cassidy counters copy");
        assertThat(copy("seed_totals", config)).isEqualTo(2);
        assertThat(value(config)).isEqualTo(1_500 + (1L << 40));
        seedTotal(actor, 900, 2);
        assertThat(copy("seed_totals", config)).isEqualTo(2);
        assertThat(value(config)).isEqualTo(1_400 + (1L << 40));
        count(config, 1, 1);
        assertThat(value(config)).isEqualTo(1_401 + (1L << 40));
    }

    private static void seedTotal(String actor, int total, long version) {
        session.execute(
                "INSERT INTO " + KEYSPACE
                        + ".seed_totals (type, actor, increment) VALUES ('IBM', ?, ?) USING TIMESTAMP ?",
                actor,
                total,
                version);
    }

    @ParameterizedTest
    @EnumSource(
            mode = EnumSource.Mode.EXCLUDE,
            names = {"CUMULATIVE", "VERSIONED"})
    void shouldNotCopyWhatIsNoTotalOfAnActor(CounterKind kind) {
        assertThatThrownBy(() -> Counters.copyTotals(session, KEYSPACE + ".seed_totals", config("any", kind)))
                .isInstanceOf(CounterException.Refused.class)
                .hasMessageContaining(kind.name());
    }

    @Test
    void shouldCopyNoRowThatExpiresAndNothingIntoAnUndeclaredTable() {
        session.execute("CREATE TABLE " + KEYSPACE
                + ".expiring (type text, actor text, increment int, PRIMARY KEY (type, actor))");
        session.execute(
                "INSERT INTO " + KEYSPACE + ".expiring (type, actor, increment) VALUES ('IBM', 'P1', 1) USING TTL 600");
        CountersConfig config = config("not_expiring", CounterKind.CUMULATIVE);
        session.execute(Counters.ddl(config.table(), CounterKind.CUMULATIVE));

        assertUnfit(() -> copy("expiring", config), "Counters.adopt(");
        Counters.adopt(session, config);
        assertUnfit(() -> copy("expiring", config), "actor='P1'", "time to live");
        assertUnfit(() -> copy("seed_missing", config), "column 'type'", "missing");
        assertThat(rows("not_expiring")).isEmpty();
    }

    @Test
    void shouldBeOfAnotherKindAfterDropAndCreate() {
        Counters.create(session, config("remade", CounterKind.FOLDED));
        count(config("remade", CounterKind.FOLDED), 1, 5);
        session.execute("DROP TABLE " + KEYSPACE + ".remade");
        CountersConfig versioned = config("remade", CounterKind.VERSIONED);

        Counters.create(session, versioned);

        count(versioned, 1, 7);
        assertThat(value(versioned)).isEqualTo(7);
        session.execute("DROP TABLE " + KEYSPACE + ".remade");
        session.execute(Counters.ddl(KEYSPACE + ".remade", CounterKind.VERSIONED));
        assertUnfit(() -> Counters.open(session, versioned), "Counters.adopt(");
    }

    /** The sums would be counted in the new table. */
    @Test
    void shouldNotCreateATableBesideTheSumsOfAnEarlierOne() {
        CountersConfig config = config("collected", CounterKind.BUCKETED);
        Counters.create(session, config);
        session.execute("INSERT INTO " + KEYSPACE + ".collected_compact (type, value) VALUES ('IBM', 5)");
        session.execute("DROP TABLE " + KEYSPACE + ".collected");

        assertUnfit(
                () -> Counters.create(session, config),
                "has the sums of an earlier table",
                "DROP TABLE " + KEYSPACE + ".collected_compact");
    }

    // ---- DROP and CREATE

    private static void makeAnew(CountersConfig config) {
        session.execute("DROP TABLE " + config.table());
        Counters.create(session, config);
    }

    /** What was settled of the earlier table was written into the new one: 32 instead of 2. */
    @Test
    void shouldForgetTheCountsOfATableThatWasDropped() {
        CountersConfig config = config("anew", CounterKind.FOLDED);
        Counters.create(session, config);
        for (int i = 0; i < 3; i++) {
            count(config, 10, 1);
        }
        fold(config);
        Receipt receipt;
        try (Counters counters = Counters.open(session, config)) {
            receipt = counters.counter("IBM").increment(1);
        }

        makeAnew(config);

        for (int i = 0; i < 2; i++) {
            count(config, 1, 1);
            fold(config);
        }
        assertThat(value(config)).isEqualTo(2);
        try (Counters counters = Counters.open(session, config)) {
            assertThat(counters.status(receipt)).isEqualTo(ReceiptStatus.UNKNOWN);
        }
    }

    private static void fold(CountersConfig config) {
        try (Counters counters = Counters.open(session, config)) {
            counters.counter("IBM").fold();
        }
    }

    /** The 20 that were acknowledged after it were settled away. */
    @Test
    void shouldCountWhatAProcessCountsOnInATableThatWasMadeAnew() {
        CountersConfig config = config("anew_counted", CounterKind.FOLDED);
        Counters.create(session, config);
        try (Counters counting = Counters.open(session, config)) {
            Counter ibm = counting.counter("IBM");
            for (int i = 0; i < 10; i++) {
                ibm.increment(100);
            }

            makeAnew(config);

            int acknowledged = countUntilItIsNoticed(ibm, 20);
            count(config, 1, 1_000);
            fold(config);
            assertThat(value(config)).isEqualTo(1_000 + acknowledged);
            assertThatThrownBy(ibm::fold).hasMessageContainingAll("is not the one", "open them again");
            assertThatThrownBy(() -> ibm.increment(1))
                    .isInstanceOf(CounterException.NotSent.class)
                    .hasMessageContaining("open them again");
        }
        long counted = value(config);
        count(config, 1, 1_000);
        fold(config);
        assertThat(value(config)).isEqualTo(counted + 1_000);
    }

    /** The process's own fold in the background may notice the new table at any time: what follows is refused. */
    private static int countUntilItIsNoticed(Counter counter, int increments) {
        for (int acknowledged = 0; acknowledged < increments; acknowledged++) {
            try {
                counter.increment(1);
            } catch (CounterException.NotSent refused) {
                assertThat(refused).hasMessageContaining("open them again");
                return acknowledged;
            }
        }
        return increments;
    }

    /** It is not counted any more. */
    @Test
    void shouldTellNothingOfReceiptsWhileTheEarlierTableIsOpen() {
        CountersConfig config = config("anew_told", CounterKind.FOLDED);
        Counters.create(session, config);
        try (Counters counting = Counters.open(session, config)) {
            Counter ibm = counting.counter("IBM");
            Receipt receipt = ibm.increment(1);

            makeAnew(config);

            assertThatThrownBy(() -> counting.status(receipt))
                    .hasMessageContainingAll("is not the one", "open them again");
            assertThatThrownBy(() -> ibm.increment(1)).isInstanceOf(CounterException.NotSent.class);
        }
    }

    /** A total holds all that its actor has counted. */
    @ParameterizedTest
    @EnumSource(names = {"CUMULATIVE", "VERSIONED"})
    void shouldNotWriteTotalsOfATableThatWasDropped(CounterKind kind) {
        CountersConfig config = config("anew_" + kind.name().toLowerCase(Locale.ROOT), kind);
        Counters.create(session, config);
        try (Counters counting = Counters.open(session, config)) {
            counting.counter("IBM").add(10);

            makeAnew(config);

            assertThatThrownBy(() -> counting.counter("IBM").add(1))
                    .isInstanceOf(CounterException.NotSent.class)
                    .hasMessageContaining("open them again");
        }
        assertThat(value(config)).isZero();
        count(config, 1, 3);
        assertThat(value(config)).isEqualTo(3);
    }

    @ParameterizedTest
    @EnumSource(names = {"LINEARIZABLE", "SERIALIZABLE", "NATIVE"})
    void shouldCountOnFromNothingWhereNothingIsKeptElsewhere(CounterKind kind) {
        CountersConfig config = config("anew_" + kind.name().toLowerCase(Locale.ROOT), kind);
        Counters.create(session, config);
        try (Counters counting = Counters.open(session, config)) {
            counting.counter("IBM").add(10);

            makeAnew(config);

            counting.counter("IBM").add(1);
            assertThat(counting.counter("IBM").value()).isEqualTo(1);
        }
    }

    // ---- processes

    @Test
    void shouldMakeOneTableIfManyProcessesCreateIt() {
        CountersConfig config = config("together", CounterKind.FOLDED);
        List<CompletableFuture<Void>> all = IntStream.range(0, 4)
                .mapToObj(i -> CompletableFuture.runAsync(() -> Counters.create(session, config)))
                .toList();
        all.forEach(CompletableFuture::join);

        count(config, 1, 5);
        assertThat(value(config)).isEqualTo(5);
    }

    /** The process that created it ended before, between, or after its two steps. Its id may have been used. */
    @Test
    void shouldCompleteWhatAProcessHasBegun() {
        UUID id = UUID.fromString("5f6e0a0e-cc4e-11f0-8de9-0242ac120002");
        CountersConfig config = config("begun", CounterKind.FOLDED);
        claim(ONE, "begun", id);

        Counters.create(session, config);

        UUID created = idOf("begun");
        assertThat(created).as("of the contract").isNotEqualTo(id);
        count(config, 1, 5);
        for (Consumer<CountersConfig> remedy : List.<Consumer<CountersConfig>>of(
                each -> Counters.create(session, each), each -> Counters.adopt(session, each))) {
            claim(ONE, "begun", created);
            assertUnfit(
                    () -> Counters.open(session, config),
                    KEYSPACE + ".begun is not declared completely",
                    "Counters.create(",
                    "cassidy counters adopt --table " + KEYSPACE + ".begun --kind FOLDED --global-keyspace " + ONE);
            remedy.accept(config);
            assertThat(value(config)).isEqualTo(5);
        }
    }

    /** The next process that creates it would wait for a minute for a table that never comes. */
    @Test
    void shouldTakeBackWhatItHasBegunIfCreateTableIsRefused() {
        CountersConfig config =
                CountersConfig.of("nowhere.refused").withGlobalKeyspace(ONE).withRequestTimeout(Duration.ofMinutes(1));

        assertThatThrownBy(() -> Counters.create(session, config)).isInstanceOf(CounterException.class);

        Row contract = session.execute("SELECT JSON counters, pending FROM " + ONE
                        + ".contracts WHERE keyspace_name = 'nowhere' AND table_name = 'refused'")
                .one();
        assertThat(contract).isNotNull();
        assertThat(contract.getString(0)).isEqualTo("{\"counters\": \"\", \"pending\": false}");
    }

    /** As a process leaves it that ends while it creates or adopts a table of counters. */
    private static void claim(String installation, String table, UUID id) {
        declare(installation, table, id, true);
    }

    private static void declare(String installation, String table, UUID id, boolean pending) {
        Counters.create(session, config("pattern", CounterKind.FOLDED));
        Row pattern = session.execute(
                        "SELECT JSON * FROM " + ONE + ".contracts WHERE keyspace_name = ? AND table_name = 'pattern'",
                        KEYSPACE)
                .one();
        session.execute(
                "INSERT INTO " + installation + ".contracts JSON ?",
                pattern.getString(0)
                        .replace("\"pattern\"", "\"" + table + "\"")
                        .replace(idOf("pattern").toString(), id.toString())
                        .replace("\"pending\": false", "\"pending\": " + pending));
    }

    // ---- installations

    /** Of 30 increments, two installations counted 20. */
    @Test
    void shouldRefuseTheTableOfAnotherInstallation() {
        List<CounterKind> kinds = List.of(CounterKind.FOLDED, CounterKind.LINEARIZABLE);
        for (CounterKind kind : kinds) {
            String table = "one_of_" + kind.name().toLowerCase(Locale.ROOT);
            CountersConfig one = config(table, kind);
            CountersConfig two = one.withGlobalKeyspace(TWO);
            Counters.create(session, one);
            count(one, 10, 1);

            String[] named = {"the installation of keyspace " + ONE, "this is that of " + TWO};
            assertUnfit(() -> Counters.open(session, two), named);
            assertUnfit(() -> Counters.create(session, two), named);
            assertUnfit(() -> Counters.adopt(session, two), named);

            count(one, 20, 1);
            assertThat(value(one)).isEqualTo(30);
        }
    }

    /** As after a restore of the keyspaces of one. */
    @Test
    void shouldRefuseATableThatTwoInstallationsHaveDeclared() {
        CountersConfig one = config("both", CounterKind.FOLDED);
        Counters.create(session, one);
        declare(TWO, "both", idOf("both"), false);

        assertUnfit(() -> Counters.open(session, one), "the installation of keyspace " + TWO);
        assertUnfit(() -> Counters.open(session, one.withGlobalKeyspace(TWO)), "the installation of keyspace " + ONE);
    }

    /** Both refused the table for ever. */
    @Test
    void shouldEndWithOneInstallationIfProcessesOfBothHaveEndedWhileTheyDeclared() {
        CountersConfig one = config("claimed", CounterKind.FOLDED);
        CountersConfig two = one.withGlobalKeyspace(TWO);
        session.execute(Counters.ddl(one.table(), CounterKind.FOLDED));
        claim(ONE, "claimed", idOf("claimed"));
        claim(TWO, "claimed", idOf("claimed"));

        assertUnfit(() -> Counters.create(session, one), completedBy(two));
        Counters.adopt(session, two);

        count(two, 3, 1);
        assertThat(value(two)).isEqualTo(3);
        String[] named = {"the installation of keyspace " + TWO, "globalKeyspace=" + TWO};
        assertUnfit(() -> Counters.open(session, one), named);
        assertUnfit(() -> Counters.adopt(session, one), named);
    }

    /** The remedy as it is printed, without what names the cluster. */
    private static String completedBy(CountersConfig config) {
        return "cassidy counters adopt --table " + config.table() + " --kind " + config.kind() + " --global-keyspace "
                + config.globalKeyspace() + ", and count with globalKeyspace=" + config.globalKeyspace();
    }

    /**
     * Before each statement that a process of one installation sends to the contracts, another one adopts the table. Then the first
     * one ends with that statement, or continues.
     */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldEndWithOneInstallationWhereverAProcessOfTheOtherEnds(boolean ends) {
        CountersConfig one = config("ending_" + ends, CounterKind.FOLDED);
        CountersConfig two = one.withGlobalKeyspace(TWO);
        session.execute(Counters.ddl(one.table(), CounterKind.FOLDED));
        Set<String> winners = new HashSet<>();
        boolean reached = true;
        for (int last = 0; reached; last++) {
            loseContract("ending_" + ends);
            AtomicInteger sent = new AtomicInteger();
            CompletableFuture<Boolean> adopted = new CompletableFuture<>();
            int at = last;
            LossySession ending = new LossySession(session, ".contracts").next(Integer.MAX_VALUE, onward -> {
                int number = sent.getAndIncrement();
                if (number == at) {
                    return CompletableFuture.supplyAsync(() -> isAdopted(one)).thenCompose(done -> {
                        adopted.complete(done);
                        return onward.get();
                    });
                }
                return number > at && ends
                        ? CompletableFuture.failedFuture(new InvalidQueryException(null, "ended by the test"))
                        : onward.get();
            });
            boolean other = isAdopted(ending.session(), two);
            reached = sent.get() > last;

            boolean first = adopted.getNow(false);
            assertThat(first && other).as("both, at %s", last).isFalse();
            winners.add(requireOneEnding(first, one, other, two));
        }
        assertThat(winners).containsExactlyInAnyOrder(ONE, TWO);
    }

    /** Returns the installation that counts in the end, by what refusals say. */
    private static String requireOneEnding(
            boolean adoptedOne, CountersConfig one, boolean adoptedTwo, CountersConfig two) {
        if (adoptedOne || adoptedTwo) {
            // Whatever the other process has left.
            count(adoptedOne ? one : two, 1, 1);
        }
        CountersConfig counting = one;
        CountersConfig refused = two;
        try {
            Counters.adopt(session, one);
        } catch (CounterException.Unfit e) {
            assertThat(e).hasMessageContaining("globalKeyspace=" + TWO);
            if (e.getMessage().contains("is being declared")) {
                assertThat(e).hasMessageContaining(completedBy(two));
                Counters.adopt(session, two);
            }
            counting = two;
            refused = one;
        }
        count(counting, 1, 1);
        CountersConfig other = refused;
        assertUnfit(() -> Counters.open(session, other), "globalKeyspace=" + counting.globalKeyspace());
        if (adoptedOne || adoptedTwo) {
            assertThat(counting).isEqualTo(adoptedOne ? one : two);
        }
        return counting.globalKeyspace();
    }

    @Test
    void shouldLetOneOfTwoInstallationsAdoptATableAtTheSameMoment() {
        List<Boolean> both = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            String table = "raced" + i;
            session.execute(Counters.ddl(KEYSPACE + "." + table, CounterKind.FOLDED));
            CountersConfig one = config(table, CounterKind.FOLDED);
            List<CompletableFuture<Boolean>> all = Stream.of(one, one.withGlobalKeyspace(TWO))
                    .map(config -> CompletableFuture.supplyAsync(() -> isAdopted(config)))
                    .toList();

            both.add(all.stream().allMatch(CompletableFuture::join));
        }
        assertThat(both).doesNotContain(true);
    }

    private static boolean isAdopted(CountersConfig config) {
        return isAdopted(session, config);
    }

    private static boolean isAdopted(CqlSession through, CountersConfig config) {
        try {
            Counters.adopt(through, config);
            return true;
        } catch (CounterException e) {
            return false;
        }
    }
}
