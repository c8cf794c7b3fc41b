package dev.cassidy.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import dev.cassidy.embedded.EmbeddedCassandra;
import dev.cassidy.functions.CrdtScript;
import java.math.BigInteger;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Checks the results of crdt_sum on a real node, through each of its two doors. */
@ParameterizedClass
@EnumSource(CrdtSumIT.Door.class)
class CrdtSumIT {

    /**
     * A keyspace with the script's aggregates, and a keyspace without them, where the name refers to the jar's
     * function.
     */
    enum Door {
        SCRIPT("by_script"),
        JAR("by_jar");

        private final String keyspace;

        Door(String keyspace) {
            this.keyspace = keyspace;
        }
    }

    private static EmbeddedCassandra cassandra;
    private static CqlSession session;

    @Parameter
    Door door;

    @BeforeAll
    static void start() {
        cassandra = EmbeddedCassandra.builder()
                .serverJar(Path.of(System.getProperty("cassidy.serverJar")))
                .jvmOption("-Dcassandra.custom_query_handler_class=dev.cassidy.server.CrdtQueryHandler")
                .start();
        session = CqlSession.builder()
                .addContactPoint(cassandra.contactPoint())
                .withLocalDatacenter(cassandra.localDatacenter())
                .withConfigLoader(DriverConfigLoader.programmaticBuilder()
                        .withBoolean(DefaultDriverOption.METADATA_SCHEMA_ENABLED, false)
                        .withDuration(DefaultDriverOption.REQUEST_TIMEOUT, Duration.ofSeconds(20))
                        .build())
                .build();
        for (Door door : Door.values()) {
            session.execute("CREATE KEYSPACE " + door.keyspace
                    + " WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
            session.execute("CREATE TABLE " + door.keyspace + ".counter(type text, actor text, version bigint,"
                    + " increment bigint, small int, huge varint, PRIMARY KEY(type, actor, version))");
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
        // Sent again, as by a client that did not receive the answer.
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
    void shouldReturnIntoTheRangeOfABigint() {
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
        return query(cql).iterator().next();
    }

    /** The statement names only its table, so the door decides where the function is looked up. */
    private Iterable<Row> query(String cql) {
        return session.execute(cql.replace("FROM counter", "FROM " + door.keyspace + ".counter"));
    }
}
