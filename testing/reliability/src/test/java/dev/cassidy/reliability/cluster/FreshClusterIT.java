package dev.cassidy.reliability.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.datastax.oss.driver.api.core.CqlSession;
import dev.cassidy.embedded.EmbeddedCassandra;
import dev.cassidy.embedded.EmbeddedCluster;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.cassandra.CassidySchema;
import dev.cassidy.sequence.cassandra.Replication;
import dev.cassidy.sequence.cassandra.Sequences;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;

/**
 * Creates Cassidy's tables in a cluster of two datacenters as soon as its nodes are up. {@code -Dinstalls=N} creates
 * them N times, in different keyspaces, and gives the second datacenter three nodes as well; the default is for every
 * build.
 */
@Timeout(value = 30, unit = TimeUnit.MINUTES)
class FreshClusterIT {

    private static final int INSTALLS = Integer.getInteger("installs", 0);
    private static final int REMOTE = INSTALLS == 0 ? 1 : 3;
    private static final Replication REPLICATION = Replication.parse("dc1:3,dc2:" + REMOTE);

    private static EmbeddedCluster cluster;

    private final Logger log = (Logger) LoggerFactory.getLogger("dev.cassidy.cluster.Installation");
    private final ListAppender<ILoggingEvent> warnings = new ListAppender<>();

    @BeforeAll
    static void start() {
        EmbeddedCluster.Builder builder =
                EmbeddedCluster.builder().datacenter("dc1", 3).datacenter("dc2", REMOTE);
        // No node is killed: a node that stops writes its schema then.
        builder.requestTimeout(Clients.PATIENT_NODE).jvmOption("-Dcassandra.test.flush_local_schema_changes=false");
        cluster = builder.start();
    }

    @AfterAll
    static void stop() {
        if (cluster != null) {
            cluster.close();
        }
    }

    @BeforeEach
    void listen() {
        warnings.start();
        log.addAppender(warnings);
    }

    @AfterEach
    void leave() {
        log.detachAppender(warnings);
    }

    @Test
    void shouldCreateTablesThatEveryNodeKnowsImmediately() {
        for (int install = 0; install < Math.max(1, INSTALLS); install++) {
            SequencesConfig config = Clients.CONFIG.withGlobalKeyspace("fresh" + install);
            try (CqlSession session = Clients.connect(cluster.node("dc1", install % 3))) {
                CassidySchema.install(session, REPLICATION, config);
            }
            cluster.nodes().forEach(node -> open(node, config));
        }
        assertThat(warnings.list).isEmpty();
    }

    @Test
    void shouldNameANodeThatIsDownAndContinueWithoutIt() {
        SequencesConfig config = Clients.CONFIG.withGlobalKeyspace("without_one");
        EmbeddedCassandra down = cluster.node("dc2", REMOTE - 1);
        down.stop();
        try (CqlSession session = Clients.connect(cluster.node("dc1", 0))) {
            CassidySchema.install(session, REPLICATION, config);
            cluster.nodes().stream().filter(node -> node != down).forEach(node -> open(node, config));
            assertThat(warnings.list)
                    .singleElement()
                    .asString()
                    .contains("WARN", "do not know Cassidy's tables yet", "{/" + down.host() + "=dc2}");
        } finally {
            down.restart();
        }
        cluster.awaitAllUp();
        open(down, config);
    }

    private static void open(EmbeddedCassandra node, SequencesConfig config) {
        try (CqlSession session = Clients.connectTo(node)) {
            Sequences.open(session, config).close();
        }
    }
}
