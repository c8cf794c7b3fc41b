package dev.cassidy.sequence.cassandra;

import com.datastax.oss.driver.api.core.CqlSession;
import dev.cassidy.embedded.EmbeddedCassandra;
import dev.cassidy.lwt.ConditionalStatements;
import dev.cassidy.reliability.contract.RangeStoreContract;
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

/** The real store on a real node. It is in the store's package, because the store is not visible outside. */
class CassandraRangeStoreIT extends RangeStoreContract {

    private static final String GLOBAL = "contract_it";
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    private static CqlSession session;

    @BeforeAll
    static void open() {
        EmbeddedCassandra node = EmbeddedCassandra.shared();
        session = CqlSession.builder()
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
