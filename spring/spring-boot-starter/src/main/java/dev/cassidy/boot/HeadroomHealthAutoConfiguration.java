package dev.cassidy.boot;

import org.springframework.boot.actuate.autoconfigure.health.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.actuate.health.Health;
import org.springframework.boot.actuate.health.HealthIndicator;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;

/** The health contributor {@code cassidy} of Boot 3. */
@AutoConfiguration(after = CassidyAutoConfiguration.class)
@ConditionalOnClass(
        name = {
            "org.springframework.boot.actuate.health.HealthIndicator",
            "org.springframework.boot.actuate.autoconfigure.health.ConditionalOnEnabledHealthIndicator"
        })
@ConditionalOnEnabledHealthIndicator("cassidy")
class HeadroomHealthAutoConfiguration {

    @Bean
    HealthIndicator cassidyHealthIndicator(UsedSequences used) {
        return () -> {
            HeadroomDetails headroom = HeadroomDetails.of(used);
            Health.Builder health = headroom.exhausted() ? Health.down() : Health.up();
            return health.withDetails(headroom.sequences()).build();
        };
    }
}
