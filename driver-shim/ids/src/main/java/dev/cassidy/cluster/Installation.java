package dev.cassidy.cluster;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.ResultSet;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.api.core.servererrors.InvalidQueryException;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.SequencesConfig;
import java.net.InetAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes Cassidy's keyspaces and tables of this version, from nothing or from an earlier version: it creates what is
 * missing, then adds the columns that tables lack, and finally raises the comments to this version. Each step may be
 * repeated, and two installations may run at once.
 */
public final class Installation {

    private static final Logger LOG = LoggerFactory.getLogger(Installation.class);

    /** A schema change waits for the nodes to agree; on a busy cluster that outlasts the driver's 2 s. */
    private static final Duration SCHEMA_TIMEOUT = Duration.ofMinutes(1);

    private final CqlSession session;
    private final Map<String, Integer> factors;
    private final SequencesConfig config;
    private final SchemaAgreement agreement;

    /** @param factors the replicas of each datacenter */
    public Installation(CqlSession session, Map<String, Integer> factors, SequencesConfig config) {
        this.session = session;
        this.factors = factors;
        this.config = config;
        this.agreement = SchemaAgreement.of(session);
    }

    /**
     * Returns the names of Cassidy's keyspaces in the session's cluster, whether they exist or not: the global one, and one for
     * each datacenter. Another datacenter's keyspace may have been given another name.
     */
    public static Set<String> keyspaces(CqlSession session, SequencesConfig config) {
        Set<String> names = new HashSet<>();
        names.add(config.globalKeyspace());
        config.datacenterKeyspace().ifPresent(names::add);
        for (Node node : session.getMetadata().getNodes().values()) {
            String datacenter = node.getDatacenter();
            if (datacenter != null) {
                names.add(Schema.nameOf(config.globalKeyspace(), datacenter));
            }
        }
        return names;
    }

    /**
     * Installs or brings up to date, and waits until every node that is up knows it.
     *
     * @throws SequenceException.Conflict if a table is of a later version; then nothing is changed
     */
    public void run() {
        // This node must not create a second time what another node already knows.
        agreement.await();
        // With schema metadata on, the driver waits a second after each statement for more of them.
        boolean metadata = session.isSchemaMetadataEnabled();
        session.setSchemaMetadataEnabled(false);
        try {
            List<String> creations = Schema.statements(factors, config);
            Map<String, List<Schema.Table>> all = Schema.tables(factors, config);
            all.keySet().forEach(this::refuseLater);
            creations.forEach(this::execute);
            all.forEach(this::addColumns);
            all.forEach(this::raiseComments);
        } finally {
            session.setSchemaMetadataEnabled(metadata);
        }
        Map<InetAddress, String> behind = agreement.await();
        if (!behind.isEmpty()) {
            LOG.warn(
                    "These nodes do not know Cassidy's tables yet, because they are down or busy: {}. A node learns of"
                            + " them once it is up; until then it tells clients that they are missing",
                    behind);
        }
    }

    private void refuseLater(String keyspace) {
        versions(keyspace).forEach((table, version) -> {
            if (version > Schema.VERSION) {
                throw new SequenceException.Conflict(Schema.later(keyspace + "." + table, version));
            }
        });
    }

    private void addColumns(String keyspace, List<Schema.Table> tables) {
        Map<String, Set<String>> there = columns(keyspace);
        for (Schema.Table table : tables) {
            for (String column : table.definitions().keySet()) {
                if (!there.getOrDefault(table.name(), Set.of()).contains(column)) {
                    add(keyspace, table, column);
                }
            }
        }
    }

    private Map<String, Set<String>> columns(String keyspace) {
        Map<String, Set<String>> there = new HashMap<>();
        for (Row row : execute(
                "SELECT table_name, column_name FROM system_schema.columns WHERE keyspace_name = '" + keyspace + "'")) {
            there.computeIfAbsent(row.getString("table_name"), first -> new HashSet<>())
                    .add(row.getString("column_name"));
        }
        return there;
    }

    private void add(String keyspace, Schema.Table table, String column) {
        try {
            execute(table.add(keyspace, column));
        } catch (InvalidQueryException e) {
            // Also refused if another client has just added it.
            if (!columns(keyspace).getOrDefault(table.name(), Set.of()).contains(column)) {
                throw e;
            }
        }
    }

    private void raiseComments(String keyspace, List<Schema.Table> tables) {
        Map<String, Integer> versions = versions(keyspace);
        for (Schema.Table table : tables) {
            if (versions.getOrDefault(table.name(), Schema.VERSION) < Schema.VERSION) {
                execute(table.raise(keyspace));
            }
        }
    }

    private Map<String, Integer> versions(String keyspace) {
        Map<String, Integer> versions = new HashMap<>();
        for (Row row : execute(
                "SELECT table_name, comment FROM system_schema.tables WHERE keyspace_name = '" + keyspace + "'")) {
            Schema.version(row.getString("comment"))
                    .ifPresent(version -> versions.put(row.getString("table_name"), version));
        }
        return versions;
    }

    /** Sent to one node, because another may not know yet what was just created. */
    private ResultSet execute(String cql) {
        return session.execute(SimpleStatement.newInstance(cql)
                .setNode(agreement.coordinator())
                .setTimeout(SCHEMA_TIMEOUT));
    }
}
