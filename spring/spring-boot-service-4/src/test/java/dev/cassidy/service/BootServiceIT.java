package dev.cassidy.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import dev.cassidy.counter.Counters;
import dev.cassidy.counter.CountersConfig;
import dev.cassidy.embedded.EmbeddedCassandra;
import dev.cassidy.sequence.IdentityColumn;
import dev.cassidy.sequence.IdentityType;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.cassandra.CassidySchema;
import dev.cassidy.sequence.cassandra.Holder;
import dev.cassidy.sequence.cassandra.InternalAccess;
import dev.cassidy.sequence.cassandra.Replication;
import dev.cassidy.sequence.cassandra.Sequences;
import dev.cassidy.table.ColumnDefault;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.boot.json.JsonParserFactory;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.data.cassandra.ReactiveSession;
import org.springframework.data.cassandra.core.cql.session.DefaultBridgedReactiveSession;

/** The service's fat jars, each in a JVM of its own, on a real node. What it says is compared with the rows. */
@ParameterizedClass(name = "Boot {0}")
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@CsvSource({"3.5, spring-boot-service, boot3", "4.1, spring-boot-service-4, boot4"})
class BootServiceIT {

    private static final String VERSION = "-0.1.0-SNAPSHOT-boot.jar";

    private static EmbeddedCassandra node;
    private static CqlSession session;
    private static BootService service;
    private static Sequences sequences;

    @Parameter(0)
    String boot;

    @Parameter(1)
    String module;

    @Parameter(2)
    String keyspace;

    @BeforeParameterizedClassInvocation(injectArguments = true)
    static void start(String boot, String module, String keyspace) throws Exception {
        node = EmbeddedCassandra.shared();
        session = CqlSession.builder()
                .addContactPoint(node.contactPoint())
                .withLocalDatacenter(node.localDatacenter())
                .withConfigLoader(DriverConfigLoader.programmaticBuilder()
                        .withDuration(DefaultDriverOption.REQUEST_TIMEOUT, Duration.ofSeconds(30))
                        .build())
                .build();
        CassidySchema.install(session, Replication.parse(node.localDatacenter() + ":1"), SequencesConfig.defaults());
        sequences = Sequences.open(session, SequencesConfig.defaults());
        session.execute("CREATE KEYSPACE " + keyspace + " WITH replication = {'class': 'NetworkTopologyStrategy', '"
                + node.localDatacenter() + "': 1}");
        create(keyspace, "book", "id int PRIMARY KEY, title text, pages int");
        create(keyspace, "product", "id int PRIMARY KEY, name text, price decimal");
        create(keyspace, "customer", "id int PRIMARY KEY, name text");
        create(keyspace, "purchase", "id bigint PRIMARY KEY, item text");
        create(keyspace, "account", "id int PRIMARY KEY, owner text, version bigint");
        create(keyspace, "line", "basket bigint, id int, item text, PRIMARY KEY (basket, id)");
        session.execute("CREATE TABLE " + keyspace + ".stray (id int PRIMARY KEY, item text)");
        Counters.create(session, CountersConfig.of(keyspace + ".visits"));
        Path target = Path.of("..", module, "target");
        service = BootService.start(
                target.resolve("cassidy-" + module + VERSION),
                node,
                keyspace,
                Files.createDirectories(Path.of("target")).resolve("service-" + boot + ".log"));
    }

    private static void create(String keyspace, String table, String columns) {
        session.execute("CREATE TABLE " + keyspace + "." + table + " (" + columns + ")");
        String name = keyspace + "." + table;
        sequences.create(SequenceSpec.of(
                name, columns.contains("id bigint PRIMARY") ? IdentityType.BIGINT : IdentityType.INT, 1, 1));
        if (table.equals("account")) {
            // Its entities get ids all the same.
            InternalAccess.tables(sequences)
                    .registerDefault(new ColumnDefault(
                            keyspace,
                            table,
                            "id",
                            "df_id",
                            ColumnDefault.Kind.NEXT_VALUE,
                            name,
                            "(NEXT VALUE FOR account)"));
        } else {
            sequences.registerIdentity(new IdentityColumn(keyspace, table, "id", name));
        }
    }

    @AfterParameterizedClassInvocation
    static void stop() throws Exception {
        if (service != null) {
            service.close();
        }
        sequences.close();
        session.close();
    }

    /** As a platform ends it. For JDBC the hook of the process's exit returns them, within 2 s: ShortLivedProcessesIT shows that. */
    @Test
    @Order(Integer.MAX_VALUE)
    void shouldReturnTheIdsOfItsCqlSessionWhenItIsEnded() throws Exception {
        run("cqlSession");
        assertThat(holders("customer")).isNotEmpty();
        CompletableFuture<String> late = CompletableFuture.supplyAsync(() -> {
            try {
                return service.post("/ways/late", "");
            } catch (IOException | InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        await().atMost(Duration.ofMinutes(1)).until(() -> service.log().contains("A request waits for the end"));

        service.close();

        // Boot lets requests finish that began before.
        assertThat(late.get(1, TimeUnit.MINUTES)).contains("200");
        for (String table : List.of("customer", "purchase", "account", "line")) {
            assertThat(holders(table)).as(table).isEmpty();
        }
    }

    private List<Holder> holders(String table) {
        return sequences.admin().holders(keyspace + "." + table);
    }

    /** Boot's ReactiveSession closes the session that it was made of, before the context does. */
    @ParameterizedTest
    @ValueSource(classes = {Made.class, MadeByFactory.class})
    void shouldReturnTheIdsOfASessionWhenItsContextEnds(Class<?> configuration) throws Exception {
        try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
            context.register(Class.forName("dev.cassidy.boot.CassidyAutoConfiguration"), configuration);
            context.refresh();
            context.getBean(CqlSession.class).execute("INSERT INTO " + keyspace + ".customer (name) VALUES ('Fay')");
            assertThat(holders("customer")).anyMatch(BootServiceIT::isOurs);
        }

        assertThat(holders("customer")).noneMatch(BootServiceIT::isOurs);
    }

    private static boolean isOurs(Holder holder) {
        return holder.process().startsWith(ProcessHandle.current().pid() + "@");
    }

    private static CqlSession connect() {
        return CqlSession.builder()
                .addContactPoint(node.contactPoint())
                .withLocalDatacenter(node.localDatacenter())
                .build();
    }

    static class Made {

        @Bean
        CqlSession session() {
            return connect();
        }

        @Bean
        ReactiveSession reactive(CqlSession session) {
            return new DefaultBridgedReactiveSession(session);
        }
    }

    static class MadeByFactory {

        @Bean
        SessionFactory session() {
            return new SessionFactory();
        }
    }

    /** As that of Spring Data, in short. */
    static class SessionFactory implements FactoryBean<CqlSession>, DisposableBean {

        private final CqlSession made = connect();

        @Override
        public CqlSession getObject() {
            return made;
        }

        @Override
        public Class<?> getObjectType() {
            return CqlSession.class;
        }

        @Override
        public void destroy() {
            made.close();
        }
    }

    @Test
    void shouldServeTheExample() throws Exception {
        Map<String, Object> book = object(service.post("/books", "{\"title\": \"Emma\", \"pages\": 474}"));

        assertThat(book).containsEntry("title", "Emma").containsKey("id");
        assertThat(object(service.get("/books/" + book.get("id")))).isEqualTo(book);
        assertThat(session.execute("SELECT title FROM " + keyspace + ".book WHERE id = " + book.get("id"))
                        .one()
                        .getString(0))
                .isEqualTo("Emma");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "jdbcTemplate",
                "jdbcClient",
                "springDataJdbc",
                "cqlSession",
                "template",
                "repository",
                "version",
                "clustering",
                "reactiveTemplate",
                "reactiveRepository"
            })
    void shouldInsertLoadChangeSaveAndDelete(String way) throws Exception {
        Map<String, Object> seen = run(way);

        assertThat(seen.get("inserted")).isIn("Kettle", "Ann");
        assertThat(seen.get("changed")).isIn("Teapot", "Bea");
        assertThat(((Number) seen.get("id")).longValue()).isPositive();
        assertThat(((Number) seen.get("left")).longValue()).isZero();
    }

    @Test
    void shouldSaveAll() throws Exception {
        for (String way : List.of("springDataJdbc", "repository", "reactiveRepository")) {
            assertThat((List<?>) run(way).get("all"))
                    .as(way)
                    .hasSize(2)
                    .doesNotHaveDuplicates()
                    .doesNotContainNull();
        }
        assertThat(run("springDataJdbc")).containsEntry("limited", 1).containsEntry("sameId", true);
        assertThat(run("repository")).containsEntry("renamed", "Cyd").containsEntry("sameObject", true);
    }

    @Test
    void shouldRefuseAStaleVersion() throws Exception {
        assertThat(run("version")).containsEntry("stale", "refused");
    }

    /** As the documents say. */
    @Test
    void shouldGiveIdsToTheRowsOfABatchButNotToItsEntities() throws Exception {
        assertThat(run("batch")).containsEntry("known", false);

        assertThat(session.execute("SELECT id FROM " + keyspace + ".customer WHERE name = 'Eve' ALLOW FILTERING")
                        .all())
                .hasSize(1);
    }

    @Test
    void shouldNameTheWorkaroundWhenItRefuses() throws Exception {
        Map<String, Object> refused = run("refusals");

        assertThat((String) refused.get("narrow"))
                .isEqualTo("MappingException: must hold each id of sequence " + keyspace
                        + ".purchase, 1 to 9223372036854775807, in a column of type BIGINT: Integer id of"
                        + " dev.cassidy.service.Refusals$Narrow; declare it Long");
        assertThat((String) refused.get("twice"))
                .isEqualTo("MappingException: must be one property: column id, the identity of " + keyspace
                        + ".purchase, has [id, number] of dev.cassidy.service.Refusals$Twice");
        assertThat((String) refused.get("stray"))
                .contains("sequences.registerIdentity(new IdentityColumn(\"" + keyspace + "\", \"stray\", \"id\"");
        assertThat(session.execute("SELECT id FROM " + keyspace + ".stray").all())
                .isEmpty();
    }

    @Test
    void shouldHaveSequencesAsABean() throws Exception {
        assertThat(run("allocator").get("id")).isNotEqualTo(run("allocator").get("id"));
    }

    @Test
    void shouldTellHealthWithHeadroom() throws Exception {
        run("jdbcTemplate");
        run("cqlSession");

        await().untilAsserted(() -> {
            Map<String, Object> health = object(service.get("/actuator/health"));
            assertThat(health).containsEntry("status", "UP");
            Map<?, ?> components = (Map<?, ?>) health.get("components");
            assertThat(components.keySet().toString()).contains("db", "cassandra", "cassidy");
            Map<?, ?> cassidy = (Map<?, ?>) ((Map<?, ?>) components.get("cassidy")).get("details");
            assertThat(figures(cassidy, "jdbc", "product")).matches("(99|100)\\.[0-9]{2} %");
            assertThat(figures(cassidy, "cassandraSession", "customer")).matches("(99|100)\\.[0-9]{2} %");
        });
    }

    private String figures(Map<?, ?> details, String from, String table) {
        Map<?, ?> sequence = (Map<?, ?>) ((Map<?, ?>) details.get(from)).get(keyspace + "." + table);
        return sequence == null ? "not seen yet" : String.valueOf(sequence.get("free"));
    }

    @Test
    void shouldHaveMetersOfEachSession() throws Exception {
        run("jdbcTemplate");
        run("cqlSession");

        assertThat(issued("jdbc", "product")).isPositive();
        assertThat(issued("cassandraSession", "customer")).isPositive();
    }

    private double issued(String from, String table) throws Exception {
        return measured("cassidy.sequence.issued?tag=session:" + from + "&tag=sequence:" + keyspace + "." + table);
    }

    private static double measured(String query) throws Exception {
        Map<String, Object> meter = object(service.get("/actuator/metrics/" + query));
        Map<?, ?> measured = (Map<?, ?>) ((List<?>) meter.get("measurements")).get(0);
        return ((Number) measured.get("value")).doubleValue();
    }

    /** The bean's name is the tag. */
    @Test
    void shouldHaveMetersOfCounters() throws Exception {
        double acknowledged = counters("acknowledged");

        assertThat(run("counters")).containsEntry("value", (int) acknowledged + 2);

        assertThat(counters("acknowledged")).isEqualTo(acknowledged + 2);
        assertThat(counters("unfolded")).isPositive();
        assertThat(counters("unknown")).isZero();
    }

    private double counters(String meter) throws Exception {
        return measured("cassidy.counter." + meter + "?tag=counters:visits&tag=table:" + keyspace + ".visits");
    }

    @Test
    void shouldHaveSpansOfStatements() throws Exception {
        run("cqlSession");
        run("reactiveTemplate");

        // The request's own span ends after its answer.
        await().untilAsserted(() ->
                assertThat(service.get("/spans")).contains("post /ways/{way}").contains("INSERT INTO customer"));
    }

    @Test
    void shouldStartWithoutAWarning() throws Exception {
        assertThat(service.log().lines())
                .filteredOn(line -> line.contains(" WARN ") || line.contains(" ERROR "))
                .filteredOn(line -> line.contains("cassidy"))
                .isEmpty();
        assertThat(service.log()).contains(":: Spring Boot ::").contains("(v" + boot + ".");
    }

    private static Map<String, Object> run(String way) throws Exception {
        return object(service.post("/ways/" + way, ""));
    }

    private static Map<String, Object> object(String json) {
        return JsonParserFactory.getJsonParser().parseMap(json);
    }
}
