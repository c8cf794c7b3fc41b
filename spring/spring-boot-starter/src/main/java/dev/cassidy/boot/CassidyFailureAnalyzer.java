package dev.cassidy.boot;

import dev.cassidy.remedy.CommandLines;
import dev.cassidy.sequence.SequenceException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.env.Environment;

/** Shows why sequences could not be opened in place of a stack trace: what is wrong, and how to correct it. */
final class CassidyFailureAnalyzer extends AbstractFailureAnalyzer<SequenceException> {

    private final Environment environment;

    CassidyFailureAnalyzer(Environment environment) {
        this.environment = environment;
    }

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable rootFailure, SequenceException cause) {
        return new FailureAnalysis(
                cause.problem(),
                cause.remedy().map(remedy -> lines().tell(remedy)).orElse(null),
                cause);
    }

    /** The lines of the command for the cluster of {@code spring.cassandra}; the command takes passwords from elsewhere. */
    private CommandLines lines() {
        List<String> further = new ArrayList<>();
        String user = environment.getProperty("spring.cassandra.username");
        if (user != null) {
            further.addAll(List.of("--cassandra-user", user));
        }
        if (environment.getProperty("spring.cassandra.ssl.enabled", Boolean.class, false)) {
            further.add("--cassandra-tls");
        }
        String port = environment.getProperty("spring.cassandra.port", "9042");
        List<String> contactPoints = Binder.get(environment)
                .bind("spring.cassandra.contact-points", Bindable.listOf(String.class))
                .orElse(List.of("127.0.0.1"));
        return CommandLines.of(
                contactPoints.stream()
                        .map(each -> each.contains(":") ? each : each + ":" + port)
                        .toList(),
                environment.getProperty("spring.cassandra.local-datacenter", "datacenter1"),
                environment.getProperty("cassidy.global-keyspace", "cassidy"),
                further);
    }
}
