package dev.cassidy.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import com.datastax.oss.driver.api.core.cql.BatchStatement;
import com.datastax.oss.driver.api.core.cql.BatchType;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.ResultSet;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.servererrors.FunctionFailureException;
import com.datastax.oss.driver.api.core.servererrors.InvalidQueryException;
import dev.cassidy.embedded.EmbeddedCassandra;
import dev.cassidy.functions.CrdtPackVersion;
import dev.cassidy.functions.CrdtScript;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** What the aggregates answer on a real node, asked through each of their two doors. */
@ParameterizedClass
@EnumSource(CrdtAggregatesIT.Door.class)
class CrdtAggregatesIT {

    /** A keyspace with the script's aggregates, and one without, where the name means the jar's function. */
    enum Door {
        SCRIPT("by_script"),
        JAR("by_jar");

        private final String keyspace;

        Door(String keyspace) {
            this.keyspace = keyspace;
        }
    }

    private static final long EPOCH_1 = 1L << 32;
    private static final long BOOKEND = 0xFFFFFFFFL;
    private static final Pattern AGGREGATE = Pattern.compile("^CREATE OR REPLACE AGGREGATE (\\w+)\\((.*)\\)");

    private static EmbeddedCassandra cassandra;
    private static CqlSession session;

    @Parameter
    Door door;

    @BeforeAll
    static void start() {
        cassandra = EmbeddedCassandra.builder()
                .startsOnce()
                .serverJar(Path.of(System.getProperty("cassidy.serverJar")))
                .jvmOption("-Dcassandra.custom_query_handler_class=dev.cassidy.server.CrdtQueryHandler")
                // So that a busy machine fails no test.
                .yaml("read_request_timeout", "300s")
                .yaml("range_request_timeout", "300s")
                .yaml("write_request_timeout", "300s")
                .yaml("user_defined_functions_warn_timeout", "150s")
                .yaml("user_defined_functions_fail_timeout", "300s")
                .start();
        session = CqlSession.builder()
                .addContactPoint(cassandra.contactPoint())
                .withLocalDatacenter(cassandra.localDatacenter())
                .withConfigLoader(DriverConfigLoader.programmaticBuilder()
                        .withBoolean(DefaultDriverOption.METADATA_SCHEMA_ENABLED, false)
                        .withDuration(DefaultDriverOption.REQUEST_TIMEOUT, Duration.ofMinutes(5))
                        .build())
                .build();
        for (Door door : Door.values()) {
            session.execute("CREATE KEYSPACE " + door.keyspace
                    + " WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
            session.execute(
                    "CREATE TABLE " + door.keyspace + ".counter(type text, actor text, version bigint, upto bigint,"
                            + " note text STATIC, increment bigint, small int, huge varint,"
                            + " PRIMARY KEY(type, actor, version))");
            session.execute("CREATE TABLE " + door.keyspace + ".types(k int, i int, c_tinyint tinyint,"
                    + " c_smallint smallint, c_int int, c_bigint bigint, c_varint varint, c_decimal decimal,"
                    + " c_float float, c_double double, c_text text, c_boolean boolean, c_timestamp timestamp,"
                    + " c_uuid uuid, c_ascii ascii, c_timeuuid timeuuid, PRIMARY KEY(k, i))");
            session.execute("CREATE TABLE " + door.keyspace + ".native(k int, i int, c_counter counter,"
                    + " PRIMARY KEY(k, i))");
        }
        CrdtScript.statements(Door.SCRIPT.keyspace).forEach(session::execute);
    }

    @AfterAll
    static void stop() {
        session.close();
        cassandra.close();
    }

    @Test
    void shouldCountTheSharesOfIbm() {
        insert("IBM", "P1", 1, 1000L, null, null);
        insert("IBM", "P2", 1, 500L, null, null);
        insert("IBM", "P1", 2, 500L, null, null);
        // Sent again, as a client does that did not hear the answer.
        insert("IBM", "P1", 2, 500L, null, null);

        assertThat(sum("increment", "IBM")).isEqualTo("2000");
    }

    @Test
    void shouldLeaveTheRangeOfAnIntWhereTheBuiltInSumWraps() {
        insert("int", "P1", 1, null, Integer.MAX_VALUE, null);
        insert("int", "P1", 2, null, 1, null);

        assertThat(sum("small", "int")).isEqualTo("2147483648");
        assertThat(one("SELECT sum(small) FROM counter WHERE type = 'int'").getInt(0))
                .isEqualTo(Integer.MIN_VALUE);
    }

    @Test
    void shouldLeaveTheRangeOfABigintWhereTheBuiltInSumWraps() {
        insert("bigint", "P1", 1, Long.MAX_VALUE, null, null);
        insert("bigint", "P1", 2, Long.MAX_VALUE, null, null);
        insert("-bigint", "P1", 1, Long.MIN_VALUE, null, null);
        insert("-bigint", "P1", 2, -1L, null, null);

        assertThat(sum("increment", "bigint")).isEqualTo("18446744073709551614");
        assertThat(sum("increment", "-bigint")).isEqualTo("-9223372036854775809");
        assertThat(one("SELECT sum(increment) FROM counter WHERE type = 'bigint'")
                        .getLong(0))
                .isEqualTo(-2);
    }

    @Test
    void shouldComeBackFromBeyondABigint() {
        insert("back", "P1", 1, Long.MAX_VALUE, null, null);
        insert("back", "P1", 2, Long.MAX_VALUE, null, null);
        insert("back", "P1", 3, Long.MIN_VALUE, null, null);
        insert("back", "P1", 4, Long.MIN_VALUE, null, null);

        assertThat(sum("increment", "back")).isEqualTo("-2");
    }

    @Test
    void shouldSkipNulls() {
        insert("nulls", "P1", 1, null, null, null);
        insert("nulls", "P1", 2, 7L, null, null);
        insert("nulls", "P1", 3, null, null, null);

        assertThat(sum("increment", "nulls")).isEqualTo("7");
        assertThat(sum("small", "nulls")).isEqualTo("0");
        assertThat(sum("huge", "nulls")).isEqualTo("0");
    }

    @Test
    void shouldAnswerZeroForAPartitionWithoutRows() {
        assertThat(sum("increment", "nobody")).isEqualTo("0");
        assertThat(sum("small", "nobody")).isEqualTo("0");
        assertThat(sum("huge", "nobody")).isEqualTo("0");
    }

    @Test
    void shouldAddColumnsOfDifferentTypesInOneQuery() {
        BigInteger huge = BigInteger.TEN.pow(40);
        insert("mixed", "P1", 1, 1L, 10, huge);
        insert("mixed", "P1", 2, 2L, 20, huge.negate().subtract(BigInteger.ONE));

        Row row = one("SELECT crdt_sum(increment), crdt_sum(small), crdt_sum(huge), count(*) FROM counter"
                + " WHERE type = 'mixed'");
        assertThat(row.getBigInteger(0)).isEqualTo("3");
        assertThat(row.getBigInteger(1)).isEqualTo("30");
        assertThat(row.getBigInteger(2)).isEqualTo("-1");
        assertThat(row.getLong(3)).isEqualTo(2);
    }

    @Test
    void shouldCountEachGroupFromZero() {
        insert("groups", "P1", 1, 5L, null, null);
        insert("groups", "P1", 2, 6L, null, null);
        insert("groups", "P2", 1, null, null, null);
        insert("groups", "P3", 1, -1L, null, null);

        Map<String, BigInteger> sums = new HashMap<>();
        query("SELECT actor, crdt_sum(increment) FROM counter WHERE type = 'groups' GROUP BY type, actor")
                .forEach(row -> sums.put(row.getString(0), row.getBigInteger(1)));
        assertThat(sums)
                .containsOnly(
                        entry("P1", BigInteger.valueOf(11)),
                        entry("P2", BigInteger.ZERO),
                        entry("P3", BigInteger.valueOf(-1)));
    }

    @Test
    void shouldAgreeWithArithmeticOfAnySizeOnRandomRowsWhateverThePageSize() {
        session.execute("CREATE TABLE " + door.keyspace + ".random(type text, version int, small int, increment bigint,"
                + " PRIMARY KEY(type, version))");
        Random random = new Random(20150521);
        PreparedStatement insert = session.prepare(
                "INSERT INTO " + door.keyspace + ".random(type, version, small, increment) VALUES (?, ?, ?, ?)");
        Map<String, BigInteger> small = new HashMap<>();
        Map<String, BigInteger> increments = new HashMap<>();
        for (int version = 0; version < 500; version++) {
            String type = "type" + random.nextInt(3);
            Integer ofInt = random.nextInt(10) == 0 ? null : random.nextInt();
            Long ofBigint = random.nextInt(10) == 0 ? null : random.nextLong();
            session.execute(insert.bind(type, version, ofInt, ofBigint));
            small.merge(type, BigInteger.valueOf(ofInt == null ? 0 : ofInt), BigInteger::add);
            increments.merge(type, BigInteger.valueOf(ofBigint == null ? 0 : ofBigint), BigInteger::add);
        }
        BigInteger total = increments.values().stream().reduce(BigInteger.ZERO, BigInteger::add);

        for (int pageSize : new int[] {1, 7, 499, 500, 5000}) {
            Map<String, BigInteger> smallRead = new HashMap<>();
            Map<String, BigInteger> incrementsRead = new HashMap<>();
            session.execute(SimpleStatement.newInstance("SELECT type, crdt_sum(small), crdt_sum(increment) FROM "
                                    + door.keyspace + ".random GROUP BY type")
                            .setPageSize(pageSize))
                    .forEach(row -> {
                        smallRead.put(row.getString(0), row.getBigInteger(1));
                        incrementsRead.put(row.getString(0), row.getBigInteger(2));
                    });
            assertThat(smallRead).as("page size %d", pageSize).isEqualTo(small);
            assertThat(incrementsRead).as("page size %d", pageSize).isEqualTo(increments);
            assertThat(session.execute(SimpleStatement.newInstance(
                                            "SELECT crdt_sum(increment) FROM " + door.keyspace + ".random")
                                    .setPageSize(pageSize))
                            .one()
                            .getBigInteger(0))
                    .as("all partitions, page size %d", pageSize)
                    .isEqualTo(total);
        }
    }

    @Test
    void shouldAnswerAPreparedStatement() {
        insert("prepared", "P1", 1, 40L, null, null);
        insert("prepared", "P1", 2, 2L, null, null);
        PreparedStatement select =
                session.prepare("SELECT crdt_sum(increment) FROM " + door.keyspace + ".counter WHERE type = ?");

        assertThat(session.execute(select.bind("prepared")).one().getBigInteger(0))
                .isEqualTo("42");
        assertThat(session.execute(select.bind("nobody")).one().getBigInteger(0))
                .isEqualTo("0");
    }

    @Test
    void shouldStayReachableAsSystemFunctionWhereTheKeyspaceHasOneOfThatName() {
        String shadowed = door.keyspace + "_shadowed";
        session.execute("CREATE KEYSPACE " + shadowed
                + " WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
        session.execute("CREATE TABLE " + shadowed + ".counter(type text PRIMARY KEY, increment bigint)");
        session.execute("INSERT INTO " + shadowed + ".counter(type, increment) VALUES ('IBM', 2000)");
        session.execute("CREATE FUNCTION " + shadowed + ".always_42(state varint, value bigint) CALLED ON NULL INPUT"
                + " RETURNS varint LANGUAGE java AS $$ return java.math.BigInteger.valueOf(42); $$");
        session.execute("CREATE AGGREGATE " + shadowed + ".crdt_sum(bigint) SFUNC always_42 STYPE varint INITCOND 0");

        Row row = session.execute(
                        "SELECT crdt_sum(increment), system.crdt_sum(increment) FROM " + shadowed + ".counter")
                .one();
        assertThat(row.getBigInteger(0)).as("the keyspace's own").isEqualTo("42");
        assertThat(row.getBigInteger(1)).as("the jar's").isEqualTo("2000");
    }

    @Test
    void shouldSumEveryNumericType() {
        for (int i = 1; i <= 2; i++) {
            session.execute(
                    "INSERT INTO " + door.keyspace + ".types(k, i, c_tinyint, c_smallint, c_int, c_bigint, c_varint,"
                            + " c_decimal, c_float, c_double) VALUES (1, ?, 127, 32767, 2147483647, 9223372036854775807,"
                            + " 9223372036854775807, 0.10, 0.1, 0.1)",
                    i);
            session.execute("UPDATE " + door.keyspace + ".native SET c_counter = c_counter + 9223372036854775807"
                    + " WHERE k = 1 AND i = " + i);
        }

        Row sums = one(
                "SELECT crdt_sum(c_tinyint), crdt_sum(c_smallint), crdt_sum(c_int), crdt_sum(c_bigint),"
                        + " crdt_sum(c_varint), crdt_sum(c_decimal), crdt_sum(c_float), crdt_sum(c_double) FROM types WHERE k = 1");
        assertThat(sums.getBigInteger(0)).isEqualTo("254");
        assertThat(sums.getBigInteger(1)).isEqualTo("65534");
        assertThat(sums.getBigInteger(2)).isEqualTo("4294967294");
        assertThat(sums.getBigInteger(3)).isEqualTo("18446744073709551614");
        assertThat(sums.getBigInteger(4)).isEqualTo("18446744073709551614");
        assertThat(sums.getBigDecimal(5)).isEqualTo("0.20");
        assertThat(sums.getDouble(6)).isEqualTo(2 * (double) 0.1f);
        assertThat(sums.getDouble(7)).isEqualTo(0.2);
        assertThat(one("SELECT crdt_sum(c_counter) FROM native WHERE k = 1").getBigInteger(0))
                .isEqualTo("18446744073709551614");
    }

    @Test
    void shouldRefuseALongSumThatLeavesBigint() {
        insert("long", "P1", 1, Long.MAX_VALUE, Integer.MAX_VALUE, null);
        insert("long", "P1", 2, 1L, 1, null);

        assertThat(one("SELECT crdt_sum_long(small) FROM counter WHERE type = 'long'")
                        .getLong(0))
                .isEqualTo(1L + Integer.MAX_VALUE);
        assertThatThrownBy(() -> one("SELECT crdt_sum_long(increment) FROM counter WHERE type = 'long'"))
                .isInstanceOf(FunctionFailureException.class)
                .hasMessageContaining("crdt_sum_long: the sum leaves bigint, use crdt_sum: 9223372036854775807 + 1");
    }

    @Test
    void shouldAnswerExactlyWhatIsFolded() {
        insert("exact", "P1", 0, 4L, 10L);
        insert("exact", "P1", 3, null, 1000L);
        insert("exact", "P1", 5, null, 1L);
        insert("exact", "P1", EPOCH_1, EPOCH_1 + 2, 20L);
        insert("exact", "P1", EPOCH_1 + 3, null, 2L);
        insert("exact", "P1", EPOCH_1 | BOOKEND, EPOCH_1 + 2, null);
        insert("exact", "P1", Long.MAX_VALUE, 4L, null);
        insert("exact", "P2", 1, null, 4L);
        insert("exact2", "P2", 1, null, 8L);
        session.execute("INSERT INTO " + door.keyspace + ".counter(type, note) VALUES ('exact3', 'no rows')");
        session.execute("UPDATE " + door.keyspace
                + ".counter SET small = 4, huge = 4 WHERE type = 'exact' AND actor = 'P2'" + " AND version = 1");

        assertThat(exact("WHERE type = 'exact'")).containsExactly("37");
        assertThat(exact("WHERE type = 'exact3'")).containsExactly("0");
        assertThat(exact("WHERE type = 'nobody'")).containsExactly("0");
        assertThat(exact("WHERE type IN ('exact', 'exact2', 'exact3')")).containsExactly("45");
        assertThat(exact("WHERE type IN ('exact', 'exact2', 'exact3') GROUP BY type"))
                .containsExactlyInAnyOrder("37", "8", "0");
        assertThat(exact("WHERE type IN ('exact', 'exact2') GROUP BY type, actor"))
                .containsExactlyInAnyOrder("33", "4", "8");
        // Both are of types that have no column of their own here: int, and varint.
        Row others =
                one("SELECT crdt_exact(type, actor, version, upto, small), crdt_exact(type, actor, version, upto, huge)"
                        + " FROM counter WHERE type = 'exact' AND actor = 'P2'");
        assertThat(others.getBigInteger(0)).isEqualTo("4");
        assertThat(others.getBigInteger(1)).isEqualTo("4");
    }

    @Test
    void shouldAnswerNullForATornRead() {
        insert("torn", "P1", 0, 4L, 10L);
        insert("torn", "P1", Long.MAX_VALUE, 5L, null);
        insert("torn", "P2", 1, null, 4L);

        assertThat(exact("WHERE type = 'torn'")).containsExactly((String) null);
        assertThat(exact("WHERE type = 'torn' GROUP BY type, actor")).containsExactly(null, "4");
    }

    @Test
    void shouldRefuseVersionsInDescendingOrder() {
        insert("descending", "P1", 1, null, 1L);
        insert("descending", "P1", 2, null, 1L);

        assertThatThrownBy(() -> exact("WHERE type = 'descending' ORDER BY actor DESC"))
                .isInstanceOf(FunctionFailureException.class)
                .hasMessageContaining("crdt_exact: the versions of an actor must ascend: version=1 after version=2");
    }

    /** Folds change the partition between the pages of a read. */
    @Test
    void shouldBeExactOrNullWhileAnotherSessionFolds() throws Exception {
        int increments = 300;
        PreparedStatement insert = session.prepare("INSERT INTO " + door.keyspace
                + ".counter(type, actor, version, increment) VALUES ('folding', 'P1', ?, 1) USING TIMESTAMP ?");
        for (long version = 1; version <= increments; version++) {
            session.execute(insert.bind(version, version));
        }
        CompletableFuture<Void> folds = CompletableFuture.runAsync(() -> {
            for (long upto = 2; upto <= increments; upto += 2) {
                session.execute(BatchStatement.newInstance(
                        BatchType.UNLOGGED,
                        written(
                                "INSERT INTO counter(type, actor, version, increment, upto)"
                                        + " VALUES ('folding', 'P1', 0, %1$d, %1$d) USING TIMESTAMP %1$d",
                                upto),
                        written(
                                "INSERT INTO counter(type, actor, version, upto)"
                                        + " VALUES ('folding', 'P1', 9223372036854775807, %1$d) USING TIMESTAMP %1$d",
                                upto),
                        written(
                                "DELETE FROM counter USING TIMESTAMP %1$d WHERE type = 'folding' AND actor = 'P1'"
                                        + " AND version > 0 AND version <= %1$d",
                                upto)));
            }
        });
        SimpleStatement read = SimpleStatement.newInstance(
                        "SELECT crdt_exact(type, actor, version, upto, increment) FROM " + door.keyspace
                                + ".counter WHERE type = 'folding'")
                .setPageSize(2);
        List<BigInteger> sums = new ArrayList<>();
        boolean folded;
        do {
            folded = folds.isDone();
            sums.add(session.execute(read).one().getBigInteger(0));
        } while (!folded);
        folds.get();

        assertThat(sums).containsOnly(BigInteger.valueOf(increments), null);
        assertThat(sums).last().as("after the last fold").isEqualTo(BigInteger.valueOf(increments));
    }

    @Test
    void shouldSumTheLatestOfEachActor() {
        insert("latest", "P1", 1, 100L, 100, null);
        insert("latest", "P1", 2, 5L, 5, BigInteger.TEN);
        insert("latest", "P2", 9, 7L, 7, null);
        insert("latest2", "P2", 1, 30L, 30, null);

        assertThat(one("SELECT crdt_latest_sum(type, actor, version, increment) FROM counter WHERE type = 'latest'")
                        .getBigInteger(0))
                .isEqualTo("12");
        assertThat(column("SELECT crdt_latest_sum(type, actor, version, small) FROM counter"
                        + " WHERE type IN ('latest', 'latest2') GROUP BY type"))
                .containsExactlyInAnyOrder("12", "30");
        assertThat(column("SELECT crdt_latest_sum(type, actor, version, huge) FROM counter WHERE type = 'latest'"))
                .containsExactly("10");
        assertThat(column("SELECT crdt_gcounter(type, actor, version, increment) FROM counter"
                        + " WHERE type IN ('latest', 'latest2')"))
                .containsExactly("42");
        // By another column than the one that puts an actor's rows side by side.
        insert("latest3", "P1", 1, 1L, null, null);
        insert("latest3", "P2", 1, 1L, null, null);
        insert("latest3", "P3", 1, 1L, null, null);
        session.execute("UPDATE " + door.keyspace + ".counter SET note = 'x' WHERE type = 'latest3'");
        assertThat(column("SELECT crdt_latest_sum(note, actor, version, increment) FROM counter WHERE type = 'latest3'"
                        + " ORDER BY actor DESC"))
                .containsExactly("3");
    }

    @Test
    void shouldRefuseActorsThatComeBack() {
        session.execute(
                "CREATE TABLE " + door.keyspace + ".by_version(type text, version int, actor text, increment int,"
                        + " PRIMARY KEY(type, version, actor))");
        for (int version = 1; version <= 2; version++) {
            for (String actor : List.of("P1", "P2")) {
                session.execute(
                        "INSERT INTO " + door.keyspace + ".by_version(type, version, actor, increment)"
                                + " VALUES ('IBM', ?, ?, 1)",
                        version,
                        actor);
            }
        }
        assertThatThrownBy(() -> query("SELECT crdt_latest_sum(type, actor, version, increment) FROM " + door.keyspace
                                + ".by_version")
                        .iterator()
                        .next())
                .isInstanceOf(FunctionFailureException.class)
                .hasMessageContaining("crdt_latest_sum: the rows of an actor must be side by side")
                .hasMessageContaining("type=IBM has actor=P1 after actor=P2");
    }

    @Test
    void shouldListMissingVersions() {
        insert("gaps", "P1", 2, null, 1L);
        insert("gaps", "P1", 4, null, 1L);
        insert("gaps", "P2", 0, 6L, 1L);
        insert("gaps", "P2", 9, null, 1L);

        assertThat(one("SELECT crdt_gaps(actor, version, upto) FROM counter WHERE type = 'gaps'")
                        .getList(0, String.class))
                .containsExactly("P1:1..1", "P1:3..3", "P2:7..8");
        assertThat(one("SELECT crdt_gaps(actor, version, upto) FROM counter WHERE type = 'nobody'")
                        .getList(0, String.class))
                .isEmpty();
    }

    @Test
    void shouldCountTheElementsOfASet() {
        session.execute("CREATE TABLE " + door.keyspace + ".orset(name text, elem text, tag uuid, removed boolean,"
                + " PRIMARY KEY(name, elem, tag))");
        String insert = "INSERT INTO " + door.keyspace + ".orset(name, elem, tag, removed) VALUES (?, ?, uuid(), ?)";
        session.execute(insert, "cart", "apple", true);
        session.execute(insert, "cart", "apple", false);
        session.execute(insert, "cart", "pear", true);
        session.execute(insert, "cart", "quince", null);
        session.execute(insert, "wishes", "quince", null);

        assertThat(column("SELECT crdt_orset_size(elem, tag, removed) FROM " + door.keyspace + ".orset GROUP BY name"))
                .containsExactlyInAnyOrder("2", "1");
        assertThat(column("SELECT crdt_orset_size(elem, tag, removed) FROM " + door.keyspace
                        + ".orset WHERE name = 'none'"))
                .containsExactly("0");
        assertThat(column("SELECT crdt_orset_elements(elem, tag, removed) FROM " + door.keyspace
                        + ".orset WHERE name = 'cart'"))
                .containsExactly("[apple, quince]");
        assertThat(column("SELECT crdt_flag(tag, removed) FROM " + door.keyspace
                        + ".orset WHERE name = 'cart' GROUP BY name, elem"))
                .containsExactly("true", "false", "true");
    }

    @Test
    void shouldTellTheVersionOfTheFunctions() {
        assertThat(one("SELECT system.crdt_pack_version() FROM system.local").getInt(0))
                .isEqualTo(CrdtPackVersion.version());
        assertThat(one("SELECT crdt_pack_version() FROM counter WHERE type = 'IBM' LIMIT 1"))
                .isNull();
        insert("version", "P1", 1, 1L, null, null);
        assertThat(one("SELECT crdt_pack_version() FROM counter WHERE type = 'version'")
                        .getInt(0))
                .isEqualTo(CrdtPackVersion.version());
    }

    private static final List<String> TEXTS = List.of("c_text", "c_ascii");
    private static final List<String> TAGS = List.of("c_text", "c_ascii", "c_uuid", "c_timeuuid");
    private static final List<String> BIGINTS = List.of("c_bigint");
    private static final List<String> UPTOS = List.of("c_bigint", "null", "(bigint) null");
    private static final List<String> NUMBERS = List.of("c_int", "c_bigint", "c_varint");
    private static final List<String> REMOVED = List.of("c_boolean", "null", "false");

    /** The calls of docs/counters.md: a function's parameters, and with which types they may be called. */
    private static final List<Call> CALLS = List.of(
            new Call("crdt_sum", List.of("c_tinyint", "c_smallint", "c_int", "c_bigint", "c_counter", "c_varint")),
            new Call("crdt_sum", List.of("c_decimal", "c_float", "c_double")),
            new Call("crdt_sum_long", List.of("c_tinyint", "c_smallint", "c_int", "c_bigint")),
            new Call("crdt_exact", TEXTS, TEXTS, BIGINTS, UPTOS, NUMBERS),
            new Call("crdt_latest_sum", TEXTS, TEXTS, List.of("c_int", "c_bigint"), NUMBERS),
            new Call("crdt_gcounter", TEXTS, TAGS, BIGINTS, NUMBERS),
            new Call("crdt_pn", NUMBERS, NUMBERS),
            new Call(
                    "crdt_lww",
                    List.of(
                            "c_text",
                            "c_ascii",
                            "c_int",
                            "c_bigint",
                            "c_varint",
                            "c_decimal",
                            "c_double",
                            "c_boolean",
                            "c_timestamp",
                            "c_uuid",
                            "c_timeuuid"),
                    BIGINTS),
            new Call("crdt_orset_size", TEXTS, TAGS, REMOVED),
            new Call("crdt_orset_elements", TEXTS, TAGS, REMOVED),
            new Call("crdt_flag", TAGS, REMOVED),
            new Call("crdt_gaps", TEXTS, BIGINTS, UPTOS),
            new Call("crdt_pack_version"));

    private record Call(String function, List<List<String>> parameters) {

        @SafeVarargs
        Call(String function, List<String>... parameters) {
            this(function, List.of(parameters));
        }

        List<String> withEachArgument() {
            List<String> lists = List.of("");
            for (List<String> parameter : parameters) {
                lists = lists.stream()
                        .flatMap(list -> parameter.stream().map(one -> list.isEmpty() ? one : list + ", " + one))
                        .toList();
            }
            return lists.stream().map(list -> function + "(" + list + ")").toList();
        }
    }

    @Test
    void shouldCallWhatTheDocsList() throws IOException {
        Matcher row =
                Pattern.compile("(?m)^\\| `(crdt_\\w+)\\(").matcher(Files.readString(Path.of("../docs/counters.md")));
        Set<String> listed = row.results().map(found -> found.group(1)).collect(Collectors.toSet());
        assertThat(CALLS.stream().map(Call::function).collect(Collectors.toSet()))
                .isEqualTo(listed);
        List<String> calls =
                CALLS.stream().flatMap(call -> call.withEachArgument().stream()).toList();
        assertThat(CrdtScript.statements().stream()
                        .map(AGGREGATE::matcher)
                        .filter(Matcher::find)
                        .map(found -> found.group(1) + "("
                                + Arrays.stream(found.group(2).split(", "))
                                        .map(type -> "c_" + type)
                                        .collect(Collectors.joining(", "))
                                + ")"))
                .as("overloads")
                .isSubsetOf(calls);
    }

    /**
     * Every call with every type, on random rows and on none: script and jar answer the same, of the same type. The
     * script's keyspace is on nodes that have the jar, too.
     */
    @Test
    void shouldAnswerAsTheOtherDoor() {
        Random random = new Random(20150521);
        for (int i = 0; i < 30; i++) {
            Object[] values = {
                i,
                (byte) random.nextInt(),
                (short) random.nextInt(),
                random.nextInt(100),
                (long) i,
                new BigInteger(100, random),
                BigDecimal.valueOf(random.nextInt(), 3),
                random.nextFloat(),
                random.nextDouble(),
                "text" + (char) ('a' + i / 4),
                random.nextBoolean(),
                Instant.ofEpochMilli(random.nextInt()),
                new UUID(4 << 12, i),
                "text" + (char) ('a' + i / 4),
                new UUID(((long) i << 32) | 1 << 12, Long.MIN_VALUE)
            };
            for (int nullable = 1; nullable < values.length; nullable++) {
                values[nullable] = random.nextInt(10) == 0 ? null : values[nullable];
            }
            for (Door each : Door.values()) {
                session.execute(SimpleStatement.newInstance(
                        "INSERT INTO " + each.keyspace
                                + ".types(k, i, c_tinyint, c_smallint, c_int, c_bigint, c_varint,"
                                + " c_decimal, c_float, c_double, c_text, c_boolean, c_timestamp, c_uuid, c_ascii,"
                                + " c_timeuuid) VALUES (7, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                        values));
            }
        }
        SoftAssertions softly = new SoftAssertions();
        for (Call call : CALLS) {
            for (String one : call.withEachArgument()) {
                String table = one.contains("c_counter") ? "native" : "types";
                for (String rows : List.of("WHERE k = 7 LIMIT 1", "WHERE k = 8 LIMIT 1")) {
                    String answer = answer(one, table, rows, Door.JAR);
                    softly.assertThat(answer(one, table, rows, Door.SCRIPT))
                            .as("%s %s", one, rows)
                            .isEqualTo(answer)
                            .doesNotStartWith("refused: ");
                }
            }
        }
        softly.assertAll();
    }

    /** The errors name both, and which of them are there decides nothing. */
    @Test
    void shouldRefuseOtherTypesByName() {
        for (String call :
                List.of("crdt_lww(c_float, c_bigint)", "crdt_pn(c_int)", "crdt_orset_size(c_text, null, true)")) {
            assertThatThrownBy(() -> one("SELECT " + call + " FROM types WHERE k = 7"))
                    .as(call)
                    .isInstanceOf(InvalidQueryException.class)
                    .hasMessageContaining("crdt_")
                    .hasMessageContaining("signatures");
        }
    }

    @Test
    void shouldTellOneDecimalOfOneTimestamp() {
        for (List<String> order : List.of(List.of("1.0", "1.00"), List.of("1.00", "1.0"))) {
            for (int i = 0; i < 2; i++) {
                session.execute(
                        "INSERT INTO " + door.keyspace + ".types(k, i, c_bigint, c_decimal) VALUES (9, ?, 5, ?)",
                        i,
                        new BigDecimal(order.get(i)));
            }
            assertThat(one("SELECT crdt_lww(c_decimal, c_bigint) FROM types WHERE k = 9")
                            .getBigDecimal(0))
                    .isEqualTo("1.00");
        }
    }

    private static String answer(String call, String table, String rows, Door of) {
        try {
            ResultSet answer =
                    session.execute("SELECT " + call + " AS a FROM " + of.keyspace + "." + table + " " + rows);
            Row row = answer.one();
            return answer.getColumnDefinitions().get(0).getType().asCql(false, false) + " "
                    + (row == null ? "no row" : row.getObject(0));
        } catch (FunctionFailureException e) {
            return e.getMessage();
        } catch (InvalidQueryException e) {
            return "refused: " + e.getMessage();
        }
    }

    private SimpleStatement written(String cql, long upto) {
        return SimpleStatement.newInstance(
                cql.formatted(upto).replaceFirst(" counter", " " + door.keyspace + ".counter"));
    }

    private List<String> exact(String rows) {
        return column("SELECT crdt_exact(type, actor, version, upto, increment) FROM counter " + rows);
    }

    /** The first column as text. */
    private List<String> column(String cql) {
        List<String> values = new ArrayList<>();
        query(cql).forEach(row -> values.add(row.isNull(0) ? null : String.valueOf(row.getObject(0))));
        return values;
    }

    private void insert(String type, String actor, long version, Long upto, Long increment) {
        session.execute(SimpleStatement.newInstance(
                "INSERT INTO " + door.keyspace
                        + ".counter(type, actor, version, upto, increment) VALUES (?, ?, ?, ?, ?)",
                type,
                actor,
                version,
                upto,
                increment));
    }

    private void insert(String type, String actor, long version, Long increment, Integer small, BigInteger huge) {
        session.execute(SimpleStatement.newInstance(
                "INSERT INTO " + door.keyspace
                        + ".counter(type, actor, version, increment, small, huge) VALUES (?, ?, ?, ?, ?, ?)",
                type,
                actor,
                version,
                increment,
                small,
                huge));
    }

    private BigInteger sum(String column, String type) {
        return one("SELECT crdt_sum(" + column + ") FROM counter WHERE type = '" + type + "'")
                .getBigInteger(0);
    }

    private Row one(String cql) {
        Iterator<Row> rows = query(cql).iterator();
        return rows.hasNext() ? rows.next() : null;
    }

    /** The statement names its table alone, so that the door decides where the function is looked for. */
    private Iterable<Row> query(String cql) {
        return session.execute(cql.replaceFirst("FROM (counter|types|native)\\b", "FROM " + door.keyspace + ".$1"));
    }
}
