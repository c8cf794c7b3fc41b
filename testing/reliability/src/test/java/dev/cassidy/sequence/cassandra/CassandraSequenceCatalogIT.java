package dev.cassidy.sequence.cassandra;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import dev.cassidy.embedded.EmbeddedCassandra;
import dev.cassidy.lwt.ConditionalStatements;
import dev.cassidy.reliability.contract.SequenceCatalogContract;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.store.RangeStore;
import dev.cassidy.sequence.store.SequenceCatalog;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** The real catalog on a real node. It is in the catalog's package, because the catalog is not visible outside. */
class CassandraSequenceCatalogIT extends SequenceCatalogContract {

    private static final String GLOBAL = "catalog_it";
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    private static CqlSession session;

    @BeforeAll
    static void open() {
        EmbeddedCassandra node = EmbeddedCassandra.shared();
        // What is read has more rows than a page.
        session = CqlSession.builder()
                .withConfigLoader(DriverConfigLoader.programmaticBuilder()
                        .withInt(DefaultDriverOption.REQUEST_PAGE_SIZE, 2)
                        .build())
                .addContactPoint(node.contactPoint())
                .withLocalDatacenter(node.localDatacenter())
                .build();
        CassidySchema.install(
                session, Replication.parse("dc1:1"), SequencesConfig.defaults().withGlobalKeyspace(GLOBAL));
    }

    @AfterAll
    static void close() {
        session.close();
    }

    private static ConditionalStatements global() {
        return ConditionalStatements.acrossDatacenters(session, TIMEOUT);
    }

    private static ConditionalStatements local() {
        return ConditionalStatements.withinDatacenter(session, TIMEOUT);
    }

    @Override
    protected SequenceCatalog catalog() {
        return new CassandraSequenceCatalog(
                global(), local(), GLOBAL, GLOBAL + "_dc1", "dc1", () -> CompletableFuture.completedFuture(Map.of()));
    }

    @Override
    protected RangeStore store() {
        return new CassandraRangeStore(
                global(),
                local(),
                GLOBAL,
                GLOBAL + "_dc1",
                "dc1",
                () -> CompletableFuture.completedFuture(Map.of()),
                () -> "contract",
                InstantSource.system());
    }

    @Override
    protected <T> T await(CompletionStage<T> stage) {
        return stage.toCompletableFuture().join();
    }
}
