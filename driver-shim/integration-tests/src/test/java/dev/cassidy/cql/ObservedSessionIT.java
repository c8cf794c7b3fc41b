package dev.cassidy.cql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.config.DriverConfig;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import com.datastax.oss.driver.api.core.context.DriverContext;
import com.datastax.oss.driver.api.core.cql.BatchStatement;
import com.datastax.oss.driver.api.core.cql.DefaultBatchType;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.session.SessionBuilder;
import dev.cassidy.SharedNode;
import dev.cassidy.embedded.EmbeddedCassandra;
import dev.cassidy.sequence.IdentityColumn;
import dev.cassidy.sequence.IdentityType;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.cassandra.CassidySchema;
import dev.cassidy.sequence.cassandra.Replication;
import dev.cassidy.sequence.cassandra.Sequences;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.data.cassandra.observability.ObservableCqlSessionFactory;
import org.springframework.data.cassandra.observability.ObservationRequestTracker;

/** Spring Data's observed sessions, and proxies, on both sides of an IdentitySession. */
class ObservedSessionIT {

    private static final SequencesConfig CONFIG = SequencesConfig.defaults().withGlobalKeyspace("observed_it_ids");
    private static final String INSERT = "INSERT INTO orders (customer) VALUES (?)";

    private static CqlSession plain;
    private static Sequences sequences;

    private final BlockingQueue<Observation.Context> stopped = new LinkedBlockingQueue<>();
    private final ObservationRegistry registry = ObservationRegistry.create();

    @BeforeAll
    static void open() {
        try (CqlSession setup = CqlSession.builder()
                .addContactPoint(SharedNode.get().contactPoint())
                .withLocalDatacenter(SharedNode.get().localDatacenter())
                .build()) {
            setup.setSchemaMetadataEnabled(false);
            CassidySchema.install(setup, Replication.parse("dc1:1"), CONFIG);
            setup.execute(
                    "CREATE KEYSPACE observed_it WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
            setup.execute("CREATE TABLE observed_it.orders (id bigint PRIMARY KEY, customer text)");
        }
        plain = CqlSession.builder()
                .addContactPoint(SharedNode.get().contactPoint())
                .withLocalDatacenter(SharedNode.get().localDatacenter())
                .withKeyspace("observed_it")
                .addRequestTracker(ObservationRequestTracker.INSTANCE)
                .build();
        sequences = Sequences.open(plain, CONFIG);
        sequences.create(SequenceSpec.of("observed_it.orders", IdentityType.BIGINT, 1, 1));
        sequences.registerIdentity(new IdentityColumn("observed_it", "orders", "id", "observed_it.orders"));
    }

    @AfterAll
    static void close() {
        sequences.close();
        plain.close();
    }

    @BeforeEach
    void observe() {
        registry.observationConfig().observationHandler(new ObservationHandler<>() {
            @Override
            public void onStop(Observation.Context context) {
                stopped.add(context);
            }

            @Override
            public boolean supportsContext(Observation.Context context) {
                return true;
            }
        });
    }

    @AfterEach
    void empty() {
        plain.execute("TRUNCATE orders");
    }

    private CqlSession observed(CqlSession session) {
        return ObservableCqlSessionFactory.wrap(session, registry);
    }

    /** Ten rows in every way in which a statement lacks its id, with as many observations as statements. */
    private void assertFillsAndIsObserved(CqlSession session) throws Exception {
        List<Long> ids = new ArrayList<>();
        PreparedStatement prepared = session.prepare(INSERT);
        PreparedStatement later = session.prepareAsync(SimpleStatement.newInstance(INSERT + " USING TTL 1000"))
                .toCompletableFuture()
                .get(60, TimeUnit.SECONDS);
        assertObserved("prepare", "prepareAsync");

        ids.addAll(GeneratedKeys.of(session.execute(prepared.bind("bound"))).ids());
        assertObserved("execute");
        ids.addAll(GeneratedKeys.of(session.executeAsync(later.bind("later"))
                        .toCompletableFuture()
                        .get(60, TimeUnit.SECONDS))
                .ids());
        assertObserved("executeAsync");
        ids.addAll(GeneratedKeys.of(session.execute("INSERT INTO orders (customer) VALUES ('text')"))
                .ids());
        assertObserved("execute");
        ids.addAll(GeneratedKeys.of(session.execute(INSERT, "position")).ids());
        assertObserved("execute");
        ids.addAll(GeneratedKeys.of(session.execute("INSERT INTO orders (customer) VALUES (:c)", Map.of("c", "name")))
                .ids());
        assertObserved("execute");
        ids.addAll(GeneratedKeys.of(session.execute(BatchStatement.newInstance(
                        DefaultBatchType.LOGGED, prepared.bind("b1"), SimpleStatement.newInstance(INSERT, "b2"))))
                .ids());
        assertObserved("execute");
        assertThat(session.execute("SELECT id FROM orders").all()).hasSize(7);
        assertObserved("execute");
        assertThat(ids).hasSize(7).isSorted().doesNotHaveDuplicates();
        assertThat(plain.execute("SELECT id FROM orders").all().stream().map(row -> row.getLong(0)))
                .containsExactlyInAnyOrderElementsOf(ids);
        assertThat(ids.get(6) - ids.get(0)).as("each id was drawn once").isEqualTo(6);
    }

    /** A request tracker may be told after its caller. */
    private void assertObserved(String... names) throws InterruptedException {
        List<String> seen = new ArrayList<>();
        for (int i = 0; i < names.length; i++) {
            Observation.Context context = stopped.poll(60, TimeUnit.SECONDS);
            assertThat(context).as("observation of %s", names[i]).isNotNull();
            seen.add(context.getName());
        }
        assertThat(stopped).isEmpty();
        assertThat(seen).hasSize(names.length);
    }

    @Test
    void shouldBeObservedFromOutside() throws Exception {
        assertFillsAndIsObserved(observed(IdentitySession.wrap(plain, sequences)));
    }

    @Test
    void shouldFillAnObservedSession() throws Exception {
        assertFillsAndIsObserved(IdentitySession.wrap(observed(plain), sequences));
    }

    @Test
    void shouldFindAnIdentitySessionBehindAnObservedOne() throws Exception {
        IdentitySession inside = IdentitySession.wrap(plain, sequences);

        IdentitySession again = IdentitySession.wrap(observed(inside), sequences);

        assertFillsAndIsObserved(again);
        assertThat(again.sequences()).isSameAs(sequences);
        assertThat(again.unwrap()).isSameAs(plain);
        assertThatThrownBy(() -> again.withExplicitIds(ExplicitIds.PASS))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("withExplicitIds(PASS)");
    }

    @Test
    void shouldFindAnIdentitySessionBehindAProxy() {
        IdentitySession inside = IdentitySession.wrap(plain, sequences);
        List<String> called = new ArrayList<>();
        CqlSession proxy = (CqlSession) Proxy.newProxyInstance(
                CqlSession.class.getClassLoader(), new Class<?>[] {CqlSession.class}, (self, method, arguments) -> {
                    called.add(method.getName());
                    try {
                        return method.invoke(inside, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });

        assertThat(List.of(inside, proxy, observed(proxy), observed(observed(inside))))
                .allSatisfy(
                        session -> assertThat(IdentitySession.within(session)).containsSame(inside));
        assertThat(List.of(plain, observed(plain))).allSatisfy(session -> assertThat(IdentitySession.within(session))
                .isEmpty());
        IdentitySession again = IdentitySession.wrap(proxy, CONFIG);

        long first = GeneratedKeys.of(again.execute("INSERT INTO orders (customer) VALUES ('x')"))
                .ids()
                .get(0);
        long second = GeneratedKeys.of(again.execute(again.prepare(INSERT).bind("y")))
                .ids()
                .get(0);
        assertThat(second).isEqualTo(first + 1);
        assertThat(called).contains("execute", "prepare");
        assertThat(again.sequences()).isSameAs(sequences);
        assertThatThrownBy(() -> again.execute("INSERT INTO orders (id, customer) VALUES (1000000, 'x')"))
                .isInstanceOf(IdentityInsertException.class);
        // Cassidy's own statements go to the driver's session.
        try (Sequences own = Sequences.open(proxy, CONFIG)) {
            assertThat(own.allocator("observed_it.orders").nextLong()).isPositive();
        }
        assertThat(again.isClosed()).isFalse();
        assertThat(again).isEqualTo(again).isNotEqualTo(inside);
    }

    /** Agents put their session around the driver's where the driver's builder returns it. */
    @Test
    void shouldBuildTheDriversSessionWhereAgentsLookForIt() {
        EmbeddedCassandra node = SharedNode.get();
        List<StackTraceElement> callers = new ArrayList<>();
        DriverConfigLoader loader = DriverConfigLoader.fromClasspath("reference");
        try (IdentitySession built = IdentitySession.builder()
                .withConfigLoader(new DriverConfigLoader() {
                    @Override
                    public DriverConfig getInitialConfig() {
                        callers.addAll(Arrays.asList(Thread.currentThread().getStackTrace()));
                        return loader.getInitialConfig();
                    }

                    @Override
                    public void onDriverInit(DriverContext context) {
                        loader.onDriverInit(context);
                    }

                    @Override
                    public CompletionStage<Boolean> reload() {
                        return loader.reload();
                    }

                    @Override
                    public boolean supportsReloading() {
                        return loader.supportsReloading();
                    }

                    @Override
                    public void close() {
                        loader.close();
                    }
                })
                .addContactPoint(node.contactPoint())
                .withLocalDatacenter(node.localDatacenter())
                .withKeyspace("observed_it")
                .withSequences(CONFIG)
                .build()) {
            assertThat(GeneratedKeys.of(built.execute("INSERT INTO orders (customer) VALUES ('z')"))
                            .ids())
                    .hasSize(1);
        }

        assertThat(callers)
                .anyMatch(caller -> caller.getClassName().equals(SessionBuilder.class.getName())
                        && caller.getMethodName().equals("buildAsync"));
    }
}
