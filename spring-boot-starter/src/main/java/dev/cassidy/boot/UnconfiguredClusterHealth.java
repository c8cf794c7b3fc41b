package dev.cassidy.boot;

import java.util.Map;
import java.util.stream.Stream;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.BeanDefinitionRegistryPostProcessor;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
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

    private final Environment environment;

    UnconfiguredClusterHealth(Environment environment) {
        this.environment = environment;
    }

    @Override
    public void postProcessBeanDefinitionRegistry(BeanDefinitionRegistry registry) {
        if (registry.containsBeanDefinition(HEALTH)
                && isBootsOwn(registry, "cassandraSession")
                && isBootsOwn(registry, "cassandraSessionBuilder")
                && isBootsOwn(registry, "cassandraDriverConfigLoader")
                && !isConfigured()
                && !isConfiguredInCode(registry)) {
            registry.removeBeanDefinition(HEALTH);
        }
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

    private static boolean isConfiguredInCode(BeanDefinitionRegistry registry) {
        return registry instanceof ListableBeanFactory beans
                && Stream.of(IN_CODE)
                        .flatMap(name -> Stream.of(PACKAGES).map(each -> each + name))
                        .filter(name -> ClassUtils.isPresent(name, null))
                        .map(name -> ClassUtils.resolveClassName(name, null))
                        .flatMap(type -> Stream.of(beans.getBeanNamesForType(type, true, false)))
                        .anyMatch(name -> !isBootsOwn(registry, name));
    }

    /** As the names of the packages tell: a configuration class of Boot makes the bean. */
    private static boolean isBootsOwn(BeanDefinitionRegistry registry, String name) {
        if (!registry.containsBeanDefinition(name)) {
            return false;
        }
        BeanDefinition definition = registry.getBeanDefinition(name);
        String factory = definition.getFactoryBeanName();
        return factory != null && factory.startsWith("org.springframework.boot.");
    }

    @Override
    public void postProcessBeanFactory(ConfigurableListableBeanFactory beanFactory) {
        // All is done when the definitions are known.
    }
}
