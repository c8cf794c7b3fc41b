package dev.cassidy.boot;

import io.micrometer.core.instrument.binder.MeterBinder;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;

/** Meters of the sequences; Boot binds them to its registry. */
@AutoConfiguration(after = CassidyAutoConfiguration.class)
@ConditionalOnClass(MeterBinder.class)
class SequenceMetersAutoConfiguration {

    @Bean
    SequenceMeters cassidySequenceMeters(UsedSequences used) {
        return new SequenceMeters(used);
    }
}
