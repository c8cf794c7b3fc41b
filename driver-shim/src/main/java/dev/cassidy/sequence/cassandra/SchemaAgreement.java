package dev.cassidy.sequence.cassandra;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.Row;
import java.util.HashSet;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Waits until all datacenters have one schema. The driver's own check leaves out the nodes that its session does not use,
 * which are those of every other datacenter.
 */
final class SchemaAgreement {

    private static final Logger LOG = LoggerFactory.getLogger(SchemaAgreement.class);
    private static final int LOOKS = 200;
    private static final long BETWEEN_LOOKS = TimeUnit.MILLISECONDS.toNanos(50);

    private SchemaAgreement() {}

    static void await(CqlSession session) {
        Set<UUID> versions = versions(session);
        for (int look = 0; versions.size() > 1 && look < LOOKS; look++) {
            LockSupport.parkNanos(BETWEEN_LOOKS);
            versions = versions(session);
        }
        if (versions.size() > 1) {
            LOG.warn(
                    "not every node knows Cassidy's tables yet (schema versions {}); one of them may be down",
                    versions);
        }
    }

    private static Set<UUID> versions(CqlSession session) {
        Set<UUID> versions = new HashSet<>();
        for (String table : new String[] {"system.local", "system.peers"}) {
            for (Row row : session.execute("SELECT schema_version FROM " + table)) {
                UUID version = row.getUuid("schema_version");
                if (version != null) {
                    versions.add(version);
                }
            }
        }
        return versions;
    }
}
