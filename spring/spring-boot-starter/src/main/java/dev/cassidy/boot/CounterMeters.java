package dev.cassidy.boot;

import dev.cassidy.counter.CounterMetrics;
import dev.cassidy.counter.Counters;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.ArrayList;
import java.util.List;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.ListableBeanFactory;

/** Binds the meters of the {@link Counters} that are beans, with the tag {@code counters}: the bean's name. */
final class CounterMeters implements MeterBinder, DisposableBean {

    private final ListableBeanFactory beans;
    private final List<CounterMetrics> bound = new ArrayList<>();

    CounterMeters(ListableBeanFactory beans) {
        this.beans = beans;
    }

    @Override
    public synchronized void bindTo(MeterRegistry registry) {
        beans.getBeansOfType(Counters.class).forEach((name, counters) -> {
            CounterMetrics metrics = new CounterMetrics(counters, Tags.of("counters", name));
            bound.add(metrics);
            metrics.bindTo(registry);
        });
    }

    @Override
    public synchronized void destroy() {
        bound.forEach(CounterMetrics::close);
        bound.clear();
    }
}
