package dev.cassidy.boot;

import com.datastax.oss.driver.api.core.CqlSession;
import dev.cassidy.sequence.cassandra.Sequences;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;

/** JDBC by a {@code jdbc:cassidy:} URL, and identity columns that the application's CqlSession fills. */
@AutoConfiguration(
        afterName = {
            "org.springframework.boot.autoconfigure.cassandra.CassandraAutoConfiguration",
            "org.springframework.boot.cassandra.autoconfigure.CassandraAutoConfiguration"
        })
@EnableConfigurationProperties(CassidyProperties.class)
class CassidyAutoConfiguration {

    @Bean
    UsedSequences cassidyUsedSequences() {
        return new UsedSequences();
    }

    @Bean
    static DriverClassPostProcessor cassidyDriverClass() {
        return new DriverClassPostProcessor();
    }

    @Bean
    static UnconfiguredClusterHealth cassidyUnconfiguredClusterHealth(Environment environment) {
        return new UnconfiguredClusterHealth(environment);
    }

    @Bean
    static ContextEnd cassidyContextEnd() {
        return new ContextEnd();
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnProperty(name = "cassidy.enabled", matchIfMissing = true)
    static class Sessions {

        @Bean
        static IdentitySessionPostProcessor cassidySessionPostProcessor(BeanFactory beans) {
            return new IdentitySessionPostProcessor(beans);
        }

        /** The session closes them. */
        @Bean(destroyMethod = "")
        @Lazy
        @ConditionalOnSingleCandidate(CqlSession.class)
        @ConditionalOnMissingBean
        Sequences cassidySequences(CqlSession session) {
            return IdentitySessions.of(session).sequences();
        }
    }
}
