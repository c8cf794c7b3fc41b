package dev.cassidy.cql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import com.datastax.oss.driver.api.core.config.DriverExecutionProfile;
import com.datastax.oss.driver.api.core.cql.BatchStatement;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.DefaultBatchType;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.cql.Statement;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.api.core.session.Request;
import com.datastax.oss.driver.api.core.tracker.RequestTracker;
import com.datastax.oss.protocol.internal.util.Bytes;
import dev.cassidy.jdbc.TestCluster;
import dev.cassidy.sequence.IdentityType;
import dev.cassidy.sequence.SequencesConfig;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A statement that gets its id is sent with all that its user set: what is lost, nobody misses at first. */
class StatementAttributesIT {

    private static final ByteBuffer BYTES = Bytes.fromHexString("0x0badc0de");
    private static final String INSERT = "INSERT INTO attributed (note) VALUES (?)";

    private static CqlSession plain;
    private static IdentitySession session;

    /** What the driver does not take over from a statement that it prepares. */
    private static final Set<Attribute> NOT_PASSED_ON =
            EnumSet.of(Attribute.NODE, Attribute.QUERY_TIMESTAMP, Attribute.NOW_IN_SECONDS, Attribute.KEYSPACE);

    private static final Queue<Statement<?>> SENT = new ConcurrentLinkedQueue<>();

    /** A getter of Statement, and what sets it to something that is not its default. */
    private enum Attribute {
        NODE(
                "getNode",
                statement -> statement.setNode(
                        plain.getMetadata().getNodes().values().iterator().next())),
        TRACING("isTracing", statement -> statement.setTracing(true)),
        PAGE_SIZE("getPageSize", statement -> statement.setPageSize(77)),
        PAGING_STATE("getPagingState", statement -> statement.setPagingState(BYTES)),
        QUERY_TIMESTAMP("getQueryTimestamp", statement -> statement.setQueryTimestamp(1_700_000_000_000_000L)),
        NOW_IN_SECONDS("getNowInSeconds", statement -> statement.setNowInSeconds(1_700_000_000)),
        CONSISTENCY("getConsistencyLevel", statement -> statement.setConsistencyLevel(ConsistencyLevel.ALL)),
        SERIAL_CONSISTENCY(
                "getSerialConsistencyLevel",
                statement -> statement.setSerialConsistencyLevel(ConsistencyLevel.LOCAL_SERIAL)),
        IDEMPOTENCE("isIdempotent", statement -> statement.setIdempotent(true)),
        PROFILE_NAME("getExecutionProfileName", statement -> statement.setExecutionProfileName("slow")),
        PROFILE("getExecutionProfile", statement -> statement.setExecutionProfile(profile())),
        TIMEOUT("getTimeout", statement -> statement.setTimeout(Duration.ofSeconds(77))),
        CUSTOM_PAYLOAD("getCustomPayload", statement -> statement.setCustomPayload(Map.of("key", BYTES))),
        ROUTING_KEY("getRoutingKey", statement -> statement.setRoutingKey(BYTES)),
        ROUTING_TOKEN(
                "getRoutingToken",
                statement -> statement.setRoutingToken(
                        plain.getMetadata().getTokenMap().orElseThrow().newToken(BYTES))),
        ROUTING_KEYSPACE(
                "getRoutingKeyspace", statement -> statement.setRoutingKeyspace(CqlIdentifier.fromCql("system"))),
        KEYSPACE("getKeyspace", StatementAttributesIT::inKeyspace);

        final String getter;
        final Function<Statement<?>, Statement<?>> setting;

        Attribute(String getter, Function<Statement<?>, Statement<?>> setting) {
            this.getter = getter;
            this.setting = setting;
        }

        @Nullable
        Object of(Statement<?> statement) throws ReflectiveOperationException {
            Method method = Statement.class.getMethod(getter);
            return method.invoke(statement);
        }
    }

    private static DriverExecutionProfile profile() {
        return plain.getContext()
                .getConfig()
                .getDefaultProfile()
                .withDuration(DefaultDriverOption.REQUEST_TIMEOUT, Duration.ofSeconds(78));
    }

    private static Statement<?> inKeyspace(Statement<?> statement) {
        CqlIdentifier keyspace = CqlIdentifier.fromCql("attributes_it");
        if (statement instanceof BatchStatement batch) {
            return batch.setKeyspace(keyspace);
        }
        // A bound statement has that in which it was prepared.
        return statement instanceof SimpleStatement simple ? simple.setKeyspace(keyspace) : statement;
    }

    private static final class Sent implements RequestTracker {
        private static void note(Request request) {
            if (request instanceof Statement<?> statement && isOfRow(statement)) {
                SENT.add(statement);
            }
        }

        private static boolean isOfRow(Statement<?> statement) {
            if (statement instanceof BatchStatement batch) {
                return isOfRow(batch.iterator().next());
            }
            String cql = statement instanceof SimpleStatement simple
                    ? simple.getQuery()
                    : ((BoundStatement) statement).getPreparedStatement().getQuery();
            return cql.contains("attributed");
        }

        @Override
        public void onSuccess(Request request, long nanos, DriverExecutionProfile profile, Node node, String prefix) {
            note(request);
        }

        @Override
        public void onError(
                Request request,
                Throwable error,
                long nanos,
                DriverExecutionProfile profile,
                @Nullable Node node,
                String prefix) {
            note(request);
        }

        @Override
        public void close() {}
    }

    @BeforeAll
    static void open() {
        TestCluster cluster = TestCluster.fresh("attributes_it");
        cluster.cql("CREATE TABLE $.attributed (id bigint PRIMARY KEY, note text)");
        cluster.identity("attributed", "id", IdentityType.BIGINT, 1);
        plain = CqlSession.builder()
                .addContactPoint(TestCluster.NODE.contactPoint())
                .withLocalDatacenter(TestCluster.NODE.localDatacenter())
                .withKeyspace("attributes_it")
                .addRequestTracker(new Sent())
                .withConfigLoader(DriverConfigLoader.programmaticBuilder()
                        .withDuration(DefaultDriverOption.REQUEST_TIMEOUT, Duration.ofMinutes(1))
                        .startProfile("slow")
                        .withDuration(DefaultDriverOption.REQUEST_TIMEOUT, Duration.ofMinutes(2))
                        .endProfile()
                        .build())
                .build();
        session = IdentitySession.wrap(plain, SequencesConfig.defaults());
    }

    @AfterAll
    static void close() {
        session.close();
    }

    @Test
    void shouldKnowEveryAttributeOfAStatement() {
        assertThat(Stream.of(Attribute.values()).map(attribute -> attribute.getter))
                .containsExactlyInAnyOrderElementsOf(Arrays.stream(Statement.class.getMethods())
                        .filter(method ->
                                method.getParameterCount() == 0 && !method.isAnnotationPresent(Deprecated.class))
                        .map(Method::getName)
                        .filter(name -> name.startsWith("get") || name.startsWith("is"))
                        .distinct()
                        .toList());
    }

    @ParameterizedTest
    @EnumSource(Attribute.class)
    void shouldSendWhatWasSet(Attribute attribute) throws ReflectiveOperationException {
        PreparedStatement prepared = session.prepare(INSERT);
        assertSent(session, attribute, prepared.bind("bound"));
        assertSent(session, attribute, prepared.boundStatementBuilder("built").build());
        assertSent(
                session,
                attribute,
                session.prepare("INSERT INTO attributed (id, note) VALUES (?, ?)")
                        .bind());
        assertSent(session, attribute, SimpleStatement.newInstance(INSERT, "simple"));
        assertSent(session, attribute, SimpleStatement.newInstance("INSERT INTO attributed (note) VALUES ('text')"));
        assertSent(
                session,
                attribute,
                SimpleStatement.newInstance("INSERT INTO attributed (note) VALUES (:note)", Map.of("note", "named")));
        assertSent(
                session,
                attribute,
                BatchStatement.newInstance(
                        DefaultBatchType.LOGGED, prepared.bind("two"), SimpleStatement.newInstance(INSERT, "rows")));
        assertSent(
                session,
                attribute,
                BatchStatement.newInstance(DefaultBatchType.UNLOGGED, SimpleStatement.newInstance(INSERT, "one")));
    }

    private static void assertSent(IdentitySession by, Attribute attribute, Statement<?> given)
            throws ReflectiveOperationException {
        Statement<?> set = attribute.setting.apply(given);
        Object wanted = attribute.of(set);
        boolean settable = set != given
                // The driver forgets it.
                && !(attribute == Attribute.TIMEOUT && set instanceof BatchStatement);
        if (!settable) {
            return;
        }
        assertThat(wanted).as("not its default").isNotEqualTo(attribute.of(given));
        assertThat(attribute.of(sentBy(by, set)))
                .as("%s of %s", attribute, set.getClass().getSimpleName())
                .isEqualTo(wanted);
    }

    private static Statement<?> sentBy(IdentitySession by, Statement<?> statement) {
        SENT.clear();
        try {
            by.execute(statement);
        } catch (DriverException e) {
            // What the node says of it does not matter here.
        }
        return await().atMost(Duration.ofMinutes(1))
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(1))
                .until(SENT::poll, sent -> sent != null);
    }

    /** What the driver's prepared statement passes on to its bound ones, ours does too. */
    @ParameterizedTest
    @EnumSource(Attribute.class)
    void shouldSendWhatWasSetBeforeItWasPrepared(Attribute attribute) throws ReflectiveOperationException {
        SimpleStatement given = (SimpleStatement) attribute.setting.apply(SimpleStatement.newInstance(INSERT));
        SimpleStatement whole = given.setQuery("INSERT INTO attributed (note, id) VALUES (?, ?)");
        Object wanted = attribute.of(plain.prepare(whole).bind("bare", 1L));
        boolean passedOn = !Objects.equals(
                wanted, attribute.of(plain.prepare(whole.getQuery()).bind("bare", 1L)));
        assertThat(passedOn).as("what the driver passes on").isEqualTo(!NOT_PASSED_ON.contains(attribute));
        if (!passedOn) {
            return;
        }
        assertThat(attribute.of(sentBy(session, session.prepare(given).bind("prepared"))))
                .isEqualTo(wanted);
    }
}
