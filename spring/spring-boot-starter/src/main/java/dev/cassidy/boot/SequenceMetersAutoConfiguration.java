package dev.cassidy.boot;

import dev.cassidy.jdbc.StatementMetrics;
import dev.cassidy.jdbc.TransactionMetrics;
import io.micrometer.core.instrument.binder.MeterBinder;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;

/** Meters of the sequences, of JDBC's statements and transactions, and of counters that are beans; Boot binds them to its registry. */
@AutoConfiguration(after = CassidyAutoConfiguration.class)
@ConditionalOnClass(MeterBinder.class)
class SequenceMetersAutoConfiguration {

    @Bean
    SequenceMeters cassidySequenceMeters(UsedSequences used) {
        return new SequenceMeters(used);
    }

    @Bean
    StatementMetrics cassidyStatementMetrics() {
        return new StatementMetrics();
    }

    @Bean
    TransactionMetrics cassidyTransactionMetrics() {
        return new TransactionMetrics();
    }

    @Bean
    CounterMeters cassidyCounterMeters(ListableBeanFactory beans) {
        return new CounterMeters(beans);
    }
}
