package dev.cassidy.boot;

import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.annotation.AnnotatedBeanDefinition;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.BeanDefinitionRegistryPostProcessor;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.aot.AbstractAotProcessor;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/**
 * Removes Boot's health check of a cluster that nobody configured. The java-driver is on the class path for JDBC's sake, so Boot
 * would define a session with 127.0.0.1, which only the health check would ever open, and the service would be reported as down.
 */
final class UnconfiguredClusterHealth implements BeanDefinitionRegistryPostProcessor {

    private static final String HEALTH = "cassandraHealthContributor";

    /** By them an application configures the cluster in code. */
    private static final String[] IN_CODE = {
        "CassandraConnectionDetails", "CqlSessionBuilderCustomizer", "DriverConfigLoaderBuilderCustomizer"
    };

    private static final String[] PACKAGES = {
        "org.springframework.boot.autoconfigure.cassandra.", "org.springframework.boot.cassandra.autoconfigure."
    };

    /** By them the driver finds a cluster. Others, such as time-outs, may be meant for JDBC. */
    private static final List<DefaultDriverOption> PLACES = List.of(
            DefaultDriverOption.CONTACT_POINTS,
            DefaultDriverOption.CLOUD_SECURE_CONNECT_BUNDLE,
            DefaultDriverOption.LOAD_BALANCING_LOCAL_DATACENTER);

    private final Environment environment;

    UnconfiguredClusterHealth(Environment environment) {
        this.environment = environment;
    }

    @Override
    public void postProcessBeanDefinitionRegistry(BeanDefinitionRegistry registry) {
        if (!isAheadOfTime()
                && registry.containsBeanDefinition(HEALTH)
                && isBootsOwn(registry, "cassandraSession")
                && isBootsOwn(registry, "cassandraSessionBuilder")
                && isBootsOwn(registry, "cassandraDriverConfigLoader")
                && !isConfigured()
                && !isConfiguredForTheDriver()
                && !isConfiguredInCode(registry)) {
            registry.removeBeanDefinition(HEALTH);
        }
    }

    /** What is removed while the application is built would be missing where it runs, however the cluster is configured there. */
    private static boolean isAheadOfTime() {
        return Boolean.getBoolean(AbstractAotProcessor.AOT_PROCESSING);
    }

    private boolean isConfigured() {
        return Binder.get(environment)
                .bind("spring.cassandra", Bindable.mapOf(String.class, Object.class))
                .orElse(Map.of())
                .values()
                .stream()
                .findAny()
                .isPresent();
    }

    /**
     * System properties of the driver override what Boot tells it. Boot's session reads no application.conf: a file is named by
     * spring.cassandra.config.
     */
    private static boolean isConfiguredForTheDriver() {
        // As Boot does: they may have changed since they were read first.
        ConfigFactory.invalidateCaches();
        Config overrides = ConfigFactory.defaultOverrides();
        return PLACES.stream().anyMatch(option -> overrides.hasPath("datastax-java-driver." + option.getPath()));
    }

    private static boolean isConfiguredInCode(BeanDefinitionRegistry registry) {
        return registry instanceof ListableBeanFactory beans
                && Stream.of(IN_CODE)
                        .flatMap(name -> Stream.of(PACKAGES).map(each -> each + name))
                        .filter(name -> ClassUtils.isPresent(name, null))
                        .map(name -> ClassUtils.resolveClassName(name, null))
                        .flatMap(type -> Stream.of(beans.getBeanNamesForType(type, true, false)))
                        .anyMatch(name -> !isBootsOwn(registry, name));
    }

    /** Whether a configuration class of Boot makes the bean. */
    private static boolean isBootsOwn(BeanDefinitionRegistry registry, String name) {
        return registry.containsBeanDefinition(name)
                && factory(registry.getBeanDefinition(name)).startsWith("org.springframework.boot.");
    }

    /** Returns the name of the class whose method makes the bean; empty if it is made otherwise. */
    private static String factory(BeanDefinition definition) {
        if (definition instanceof AnnotatedBeanDefinition annotated && annotated.getFactoryMethodMetadata() != null) {
            return annotated.getFactoryMethodMetadata().getDeclaringClassName();
        }
        // Of a definition that was generated when the application was built.
        return definition instanceof RootBeanDefinition root && root.getResolvedFactoryMethod() != null
                ? root.getResolvedFactoryMethod().getDeclaringClass().getName()
                : "";
    }

    @Override
    public void postProcessBeanFactory(ConfigurableListableBeanFactory beanFactory) {
        // All is done when the definitions are known.
    }
}
