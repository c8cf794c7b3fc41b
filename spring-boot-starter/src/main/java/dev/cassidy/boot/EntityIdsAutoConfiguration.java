package dev.cassidy.boot;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import org.reactivestreams.Publisher;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.cassandra.core.mapping.CassandraMappingContext;
import org.springframework.data.cassandra.core.mapping.event.BeforeConvertCallback;
import org.springframework.data.cassandra.core.mapping.event.ReactiveBeforeConvertCallback;
import reactor.core.publisher.Mono;

/** Entities of Spring Data Cassandra that get their ids before they are inserted. */
@AutoConfiguration(after = CassidyAutoConfiguration.class)
@ConditionalOnClass({CqlSession.class, CassandraMappingContext.class})
@ConditionalOnSingleCandidate(CqlSession.class)
@ConditionalOnProperty(name = "cassidy.enabled", matchIfMissing = true)
class EntityIdsAutoConfiguration {

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
