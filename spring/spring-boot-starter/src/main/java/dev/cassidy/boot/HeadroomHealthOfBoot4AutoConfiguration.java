package dev.cassidy.boot;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

/** The health contributor {@code cassidy} of Boot 4. */
@AutoConfiguration(after = CassidyAutoConfiguration.class)
@ConditionalOnClass(
        name = {
            "org.springframework.boot.health.contributor.HealthIndicator",
            "org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator"
        })
@ConditionalOnEnabledHealthIndicator("cassidy")
class HeadroomHealthOfBoot4AutoConfiguration {

    @Bean
    HealthIndicator cassidyHealthIndicator(UsedSequences used) {
        return () -> {
            HeadroomDetails headroom = HeadroomDetails.of(used);
            Health.Builder health = headroom.exhausted() ? Health.down() : Health.up();
            return health.withDetails(headroom.sequences()).build();
        };
    }
}
