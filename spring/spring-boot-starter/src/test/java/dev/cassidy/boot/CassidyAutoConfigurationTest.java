package dev.cassidy.boot;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.CqlSession;
import com.zaxxer.hikari.HikariDataSource;
import dev.cassidy.cluster.WrappingCloseStage;
import dev.cassidy.cql.ExplicitIds;
import dev.cassidy.cql.IdentitySession;
import dev.cassidy.jdbc.CassidyDriver;
import dev.cassidy.sequence.Durability;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.ServerChecks;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.lang.reflect.RecordComponent;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.aot.BeanInstanceSupplier;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.actuate.autoconfigure.cassandra.CassandraHealthContributorAutoConfiguration;
import org.springframework.boot.actuate.health.Health;
import org.springframework.boot.actuate.health.HealthIndicator;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.cassandra.CassandraAutoConfiguration;
import org.springframework.boot.autoconfigure.cassandra.CqlSessionBuilderCustomizer;
import org.springframework.boot.autoconfigure.jdbc.DataSourceAutoConfiguration;
import org.springframework.boot.autoconfigure.jdbc.DataSourceProperties;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

/** What Boot 3.5 makes of the starter before there is a session. */
class CassidyAutoConfigurationTest {

    private static final String HEALTH = "cassandraHealthContributor";

    private final ApplicationContextRunner service = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    CassidyAutoConfiguration.class,
                    CassandraAutoConfiguration.class,
                    CassandraHealthContributorAutoConfiguration.class,
                    DataSourceAutoConfiguration.class,
                    EntityIdsAutoConfiguration.class,
                    HeadroomHealthAutoConfiguration.class,
                    SequenceMetersAutoConfiguration.class));

    private final ApplicationContextRunner jdbc =
            service.withPropertyValues("spring.datasource.url=jdbc:cassidy://127.0.0.1:1/shop?localDatacenter=dc1");

    /** Makes no beans, so that none connects. */
    private final ApplicationContextRunner lazy = jdbc.withInitializer(
            context -> context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()));

    @Test
    void shouldNameTheDriver() {
        jdbc.run(context -> assertThat(context)
                .hasNotFailed()
                .getBean(HikariDataSource.class)
                .returns(CassidyDriver.class.getName(), HikariDataSource::getDriverClassName));
    }

    @Test
    void shouldLeaveOtherDatabasesToBoot() {
        service.withPropertyValues("spring.datasource.url=jdbc:unknown:somewhere")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContaining("Failed to determine a suitable driver class"));
    }

    @Test
    void shouldKeepADriverThatIsNamed() {
        DataSourceProperties properties = new DataSourceProperties();
        properties.setUrl("jdbc:cassidy://127.0.0.1/shop");
        properties.setDriverClassName("com.example.RecordingDriver");

        new DriverClassPostProcessor().postProcessAfterInitialization(properties, "dataSourceProperties");

        assertThat(properties.getDriverClassName()).isEqualTo("com.example.RecordingDriver");
    }

    /** It looks for counters when Boot has a registry. */
    @Test
    void shouldBindMetersOfCountersThatAreBeans() {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        jdbc.run(context -> {
            context.getBean(CounterMeters.class).bindTo(registry);
            assertThat(registry.getMeters()).as("there are no counters").isEmpty();
        });
    }

    @Test
    void shouldNotAskAClusterThatNobodyConfigured() {
        jdbc.run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(HEALTH));
    }

    @Test
    void shouldAskAClusterThatIsConfigured() {
        lazy.withPropertyValues("spring.cassandra.contact-points=127.0.0.1:1")
                .run(context -> assertThat(context.getBeanFactory().containsBeanDefinition(HEALTH))
                        .isTrue());
        lazy.run(context -> assertThat(context.getBeanFactory().containsBeanDefinition(HEALTH))
                .isFalse());
    }

    @Test
    void shouldAskAClusterThatIsConfiguredInCode() {
        lazy.withBean(CqlSessionBuilderCustomizer.class, () -> builder -> builder.withLocalDatacenter("dc1"))
                .run(context -> assertThat(context.getBeanFactory().containsBeanDefinition(HEALTH))
                        .isTrue());
    }

    @Test
    void shouldAskTheSessionOfTheApplicationsOwn() {
        jdbc.withPropertyValues("cassidy.enabled=false")
                .withBean(CqlSession.class, CassidyAutoConfigurationTest::session)
                .run(context -> assertThat(context).hasNotFailed().hasBean(HEALTH));
    }

    /** An id of one cluster's sequence could replace a row of another one's table. */
    @Test
    void shouldGiveEntitiesNoIdsIfThereAreSeveralSessions() {
        ApplicationContextRunner one = lazy.withBean("one", CqlSession.class, CassidyAutoConfigurationTest::session);

        one.run(context -> assertThat(context).hasNotFailed().hasSingleBean(EntityIds.class));
        one.withBean(
                        "primary",
                        CqlSession.class,
                        CassidyAutoConfigurationTest::session,
                        definition -> definition.setPrimary(true))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(EntityIds.class));
    }

    @Test
    void shouldAskAClusterThatIsConfiguredForTheDriver() {
        for (String name : List.of(
                "basic.contact-points.0",
                "basic.cloud.secure-connect-bundle",
                "basic.load-balancing-policy.local-datacenter")) {
            lazy.withSystemProperties("datastax-java-driver." + name + "=there")
                    .run(context -> assertThat(context.getBeanFactory().containsBeanDefinition(HEALTH))
                            .as(name)
                            .isTrue());
        }
        // For the sessions of JDBC.
        lazy.withSystemProperties("datastax-java-driver.advanced.heartbeat.interval=10s")
                .run(context -> assertThat(context.getBeanFactory().containsBeanDefinition(HEALTH))
                        .isFalse());
    }

    @Test
    void shouldDecideWhereTheServiceRunsAndNotWhereItIsBuilt() {
        lazy.withSystemProperties("spring.aot.processing=true")
                .run(context -> assertThat(context.getBeanFactory().containsBeanDefinition(HEALTH))
                        .isTrue());

        assertThat(healthOfGeneratedDefinitions()).isFalse();
        assertThat(healthOfGeneratedDefinitions("spring.cassandra.contact-points=10.0.0.1"))
                .isTrue();
    }

    /** Returns whether the check stays in a context as Spring generates it when a service is built. */
    private static boolean healthOfGeneratedDefinitions(String... properties) {
        DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
        for (Method method : CassandraAutoConfiguration.class.getDeclaredMethods()) {
            if (method.isAnnotationPresent(Bean.class)) {
                RootBeanDefinition generated = new RootBeanDefinition(method.getReturnType());
                generated.setInstanceSupplier(BeanInstanceSupplier.forFactoryMethod(
                        CassandraAutoConfiguration.class, method.getName(), method.getParameterTypes()));
                beans.registerBeanDefinition(method.getName(), generated);
            }
        }
        beans.registerBeanDefinition(HEALTH, new RootBeanDefinition(Object.class));
        StandardEnvironment environment = new StandardEnvironment();
        TestPropertyValues.of(properties).applyTo(environment);
        new UnconfiguredClusterHealth(environment).postProcessBeanDefinitionRegistry(beans);
        return beans.containsBeanDefinition(HEALTH);
    }

    @Test
    void shouldCloseASessionThatItRefuses() {
        for (String property : List.of("cassidy.claim-timeout=0s", "cassidy.claim-timeout=1s")) {
            AtomicInteger closed = new AtomicInteger();
            jdbc.withPropertyValues(property)
                    .withBean(CqlSession.class, () -> session(closed))
                    .run(context -> assertThat(context).hasFailed());
            // The context has no bean that it would close.
            assertThat(closed).as(property).hasValue(1);
        }
    }

    @Test
    void shouldLeaveASessionThatItRefusesToItsOwner() {
        AtomicInteger closed = new AtomicInteger();
        jdbc.withPropertyValues("cassidy.claim-timeout=0s")
                .withBean(CqlSession.class, () -> session(closed), definition -> ((AbstractBeanDefinition) definition)
                        .setDestroyMethodName(""))
                .run(context -> assertThat(context).hasFailed());
        assertThat(closed).hasValue(0);
    }

    private static CqlSession session() {
        return session(new AtomicInteger());
    }

    private static CqlSession session(AtomicInteger closed) {
        return (CqlSession) Proxy.newProxyInstance(
                CqlSession.class.getClassLoader(), new Class<?>[] {CqlSession.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("close")) {
                        closed.incrementAndGet();
                    }
                    return method.getName().equals("hashCode") ? 1 : null;
                });
    }

    /** It would open the sequences a second time. */
    @Test
    void shouldUseTheIdentitySessionBehindAProxy() {
        IdentitySession identities = (IdentitySession) Proxy.newProxyInstance(
                IdentitySession.class.getClassLoader(),
                new Class<?>[] {IdentitySession.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "closeFuture" -> new CompletableFuture<Void>();
                    case "unwrap" -> proxy;
                    default -> null;
                });
        WrappingCloseStage closing = new WrappingCloseStage(identities);
        CqlSession telemetry = (CqlSession) Proxy.newProxyInstance(
                CqlSession.class.getClassLoader(),
                new Class<?>[] {CqlSession.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "closeFuture" -> closing;
                    case "hashCode" -> 1;
                    case "equals" -> proxy == arguments[0];
                    default -> null;
                });

        jdbc.withBean("traced", CqlSession.class, () -> telemetry).run(context -> {
            assertThat(context.getBean(CqlSession.class) == telemetry).isTrue();
            assertThat(context.getBean(UsedSequences.class).all()).containsOnlyKeys("traced");
        });
    }

    @Test
    void shouldReportHealthBeforeAnythingIsOpen() {
        jdbc.run(context -> assertThat(context.getBean("cassidyHealthIndicator", HealthIndicator.class)
                        .health())
                .isEqualTo(Health.up().build()));
    }

    @Test
    void shouldTakeItsDefaultsFromTheLibrary() {
        jdbc.run(context -> assertThat(context.getBean(CassidyProperties.class))
                .returns(SequencesConfig.defaults(), CassidyProperties::sequences));
    }

    @Test
    void shouldTakeItsProperties() {
        jdbc.withPropertyValues(
                        "cassidy.global-keyspace=ids",
                        "cassidy.datacenter-keyspace=ids_here",
                        "cassidy.request-timeout=2s",
                        "cassidy.claim-timeout=4s",
                        "cassidy.durability=wait",
                        "cassidy.server-checks=skip")
                .run(context -> assertThat(context.getBean(CassidyProperties.class))
                        .returns(
                                SequencesConfig.defaults()
                                        .withGlobalKeyspace("ids")
                                        .withDatacenterKeyspace("ids_here")
                                        .withRequestTimeout(Duration.ofSeconds(2))
                                        .withClaimTimeout(Duration.ofSeconds(4))
                                        .withDurability(Durability.WAIT)
                                        .withServerChecks(ServerChecks.SKIP),
                                CassidyProperties::sequences));
    }

    @Test
    void shouldAcceptTheIdsOfLoadedEntitiesUnlessToldOtherwise() {
        jdbc.run(context -> assertThat(context.getBean(CassidyProperties.class))
                .returns(ExplicitIds.PASS, properties -> properties.acceptedIds(true))
                .returns(ExplicitIds.ISSUED, properties -> properties.acceptedIds(false)));
        jdbc.withPropertyValues("cassidy.explicit-ids=refuse")
                .run(context -> assertThat(context.getBean(CassidyProperties.class))
                        .returns(ExplicitIds.REFUSE, properties -> properties.acceptedIds(true)));
    }

    @Test
    void shouldNameTheRuleWhenAPropertyIsWrong() {
        jdbc.withPropertyValues(
                        "cassidy.claim-timeout=0s",
                        "spring.cassandra.contact-points=127.0.0.1:1",
                        "spring.cassandra.local-datacenter=dc1")
                .run(context -> assertThat(context).getFailure().rootCause().hasMessageContaining("claimTimeout"));
    }

    @Test
    void shouldDescribeEachPropertyForIdes() throws IOException {
        try (InputStream in =
                CassidyProperties.class.getResourceAsStream("/META-INF/spring-configuration-metadata.json")) {
            String metadata = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            for (RecordComponent component : CassidyProperties.class.getRecordComponents()) {
                String name = StringUtils.collectionToDelimitedString(
                        List.of(component.getName().split("(?=[A-Z])")), "-");
                assertThat(metadata).contains("\"cassidy." + name.toLowerCase(Locale.ROOT) + "\"");
            }
            assertThat(metadata).contains("the longest time that a caller waits for an id");
        }
    }

    @Test
    void shouldListAutoConfigurationsThatExist() {
        assertThat(ImportCandidates.load(
                        org.springframework.boot.autoconfigure.AutoConfiguration.class,
                        CassidyProperties.class.getClassLoader()))
                .filteredOn(name -> name.startsWith("dev.cassidy"))
                .hasSize(5)
                .allMatch(name -> ClassUtils.isPresent(name, CassidyProperties.class.getClassLoader()));
    }
}
