package dev.cassidy.boot;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import org.reactivestreams.Publisher;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.ConfigurationCondition;
import org.springframework.core.type.AnnotatedTypeMetadata;
import org.springframework.data.cassandra.core.mapping.CassandraMappingContext;
import org.springframework.data.cassandra.core.mapping.event.BeforeConvertCallback;
import org.springframework.data.cassandra.core.mapping.event.ReactiveBeforeConvertCallback;
import reactor.core.publisher.Mono;

/** Entities of Spring Data Cassandra that get their ids before they are inserted. */
@AutoConfiguration(after = CassidyAutoConfiguration.class)
@ConditionalOnClass({CqlSession.class, CassandraMappingContext.class})
@Conditional(EntityIdsAutoConfiguration.OneSession.class)
@ConditionalOnProperty(name = "cassidy.enabled", matchIfMissing = true)
class EntityIdsAutoConfiguration {

    /**
     * Spring Data does not tell a callback by which session an entity is inserted. With an id of another cluster's sequence, it
     * could replace a row.
     */
    static final class OneSession extends SpringBootCondition implements ConfigurationCondition {

        @Override
        public ConfigurationPhase getConfigurationPhase() {
            return ConfigurationPhase.REGISTER_BEAN;
        }

        @Override
        public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
            ConfigurableListableBeanFactory beans = context.getBeanFactory();
            int sessions = beans == null
                    ? 0
                    : BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beans, CqlSession.class, true, false).length;
            return new ConditionOutcome(sessions == 1, "there must be one CqlSession: found " + sessions);
        }
    }

    @Bean
    EntityIds cassidyEntityIds(ObjectProvider<CqlSession> session, ObjectProvider<CassandraMappingContext> mapping) {
        return new EntityIds(session::getObject, mapping::getObject);
    }

    @Bean
    Callback cassidyBeforeConvert(EntityIds ids) {
        return new Callback(ids);
    }

    /** No lambda: Spring Data reads from the class which entities it is for. */
    static final class Callback implements BeforeConvertCallback<Object> {

        private final EntityIds ids;

        Callback(EntityIds ids) {
            this.ids = ids;
        }

        @Override
        public Object onBeforeConvert(Object entity, CqlIdentifier tableName) {
            return ids.fill(entity, tableName);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(Mono.class)
    static class Reactive {

        @Bean
        ReactiveCallback cassidyReactiveBeforeConvert(EntityIds ids) {
            return new ReactiveCallback(ids);
        }
    }

    static final class ReactiveCallback implements ReactiveBeforeConvertCallback<Object> {

        private final EntityIds ids;

        ReactiveCallback(EntityIds ids) {
            this.ids = ids;
        }

        @Override
        public Publisher<Object> onBeforeConvert(Object entity, CqlIdentifier tableName) {
            return Mono.fromCompletionStage(() -> ids.fillAsync(entity, tableName));
        }
    }
}
