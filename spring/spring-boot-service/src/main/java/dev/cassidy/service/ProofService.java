package dev.cassidy.service;

import dev.cassidy.counter.Counters;
import dev.cassidy.examples.boot.ShopService;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.data.cassandra.repository.config.EnableCassandraRepositories;
import org.springframework.data.cassandra.repository.config.EnableReactiveCassandraRepositories;
import org.springframework.data.jdbc.repository.config.EnableJdbcRepositories;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** The example's service, and a request for each way to insert. */
@SpringBootApplication(scanBasePackageClasses = {ProofService.class, ShopService.class})
@EnableJdbcRepositories(basePackageClasses = {ProofService.class, ShopService.class})
@EnableCassandraRepositories(basePackageClasses = ProofService.class)
@EnableReactiveCassandraRepositories(basePackageClasses = ProofService.class)
@RestController
public class ProofService {

    private final Map<String, Callable<Map<String, ?>>> ways;
    private final Spans spans;

    ProofService(
            JdbcWays jdbc,
            CqlWays cql,
            CassandraWays cassandra,
            ReactiveWays reactive,
            Refusals refusals,
            Counters visits,
            Spans spans) {
        this.spans = spans;
        ways = Map.ofEntries(
                Map.entry("jdbcTemplate", jdbc::template),
                Map.entry("jdbcClient", jdbc::client),
                Map.entry("late", jdbc::late),
                Map.entry("springDataJdbc", jdbc::repository),
                Map.entry("cqlSession", cql::session),
                Map.entry("allocator", cql::allocator),
                Map.entry("template", cassandra::template),
                Map.entry("repository", cassandra::repository),
                Map.entry("version", cassandra::version),
                Map.entry("clustering", cassandra::clustering),
                Map.entry("batch", cassandra::batch),
                Map.entry("reactiveTemplate", reactive::template),
                Map.entry("reactiveRepository", reactive::repository),
                Map.entry("refusals", refusals::all),
                Map.entry("counters", () -> CounterWays.count(visits)));
    }

    public static void main(String[] args) {
        SpringApplication.run(ProofService.class, args);
    }

    /** Inserts, loads, changes, saves and deletes in one way; returns what it saw. */
    @PostMapping("/ways/{way}")
    Map<String, ?> run(@PathVariable String way) throws Exception {
        Callable<Map<String, ?>> known = ways.get(way);
        if (known == null) {
            throw new IllegalArgumentException("must be one of " + ways.keySet() + ": way=" + way);
        }
        return known.call();
    }

    @GetMapping("/spans")
    List<String> spans() {
        return spans.ended();
    }
}
