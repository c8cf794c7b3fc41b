package dev.cassidy.service;

import com.datastax.oss.driver.api.core.CqlSession;
import dev.cassidy.counter.Counter;
import dev.cassidy.counter.Counters;
import dev.cassidy.counter.CountersConfig;
import java.util.Map;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Counters that are a bean, in table {@code visits}. */
@Configuration(proxyBeanMethods = false)
class CounterWays {

    @Bean
    Counters visits(CqlSession session) {
        return Counters.open(
                session, CountersConfig.of(session.getKeyspace().orElseThrow().asCql(true) + ".visits"));
    }

    /** Two increments. */
    static Map<String, ?> count(Counters visits) {
        Counter home = visits.counter("/home");
        home.increment(1);
        home.increment(1);
        return Map.of("value", home.value());
    }
}
