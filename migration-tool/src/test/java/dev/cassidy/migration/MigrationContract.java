package dev.cassidy.migration;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInstance;

/** The whole way from a source to ids that a real Cassandra issues, by a source of one engine. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class MigrationContract
        implements SeedTests, FencedSeedTests, SeedRunTests, SeedConflictTests, RollbackPlanTests, RegisterTests {

    private static final AtomicInteger KEYSPACES = new AtomicInteger();

    private TargetNode node;
    private SourceDatabase source;
    private String keyspace;

    abstract SourceDatabase connect();

    /** Returns Cassidy's keyspace, which only this class uses. */
    abstract String globalKeyspace();

    @Override
    public TargetNode node() {
        return node;
    }

    @Override
    public SourceDatabase source() {
        return source;
    }

    @Override
    public String keyspace() {
        return keyspace;
    }

    @BeforeAll
    void install() {
        node = new TargetNode(globalKeyspace());
        node.init();
        // Once more changes nothing.
        node.init();
    }

    @AfterAll
    void disconnect() {
        node.close();
    }

    @BeforeEach
    void empty() {
        keyspace = "target_" + KEYSPACES.incrementAndGet() + "_" + globalKeyspace();
        source = connect();
        dropTables();
    }

    @AfterEach
    void close() {
        dropTables();
        source.close();
    }

    private void dropTables() {
        source.dropTables(List.of(A, Z));
        source.dropMusicShop();
    }
}
