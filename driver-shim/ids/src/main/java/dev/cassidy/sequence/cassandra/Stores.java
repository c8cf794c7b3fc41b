package dev.cassidy.sequence.cassandra;

import com.datastax.oss.driver.api.core.CqlSession;
import dev.cassidy.async.StandingWrites;
import dev.cassidy.async.Timer;
import dev.cassidy.cluster.ClusterState;
import dev.cassidy.cluster.Datacenters;
import dev.cassidy.cluster.Identity;
import dev.cassidy.cluster.Installation;
import dev.cassidy.cluster.Installations;
import dev.cassidy.cluster.LocalCluster;
import dev.cassidy.lwt.ConditionalStatements;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.store.ChangeLog;
import dev.cassidy.sequence.store.SequenceCatalog;
import dev.cassidy.snowflake.store.NodeStore;
import dev.cassidy.table.Contracts;
import java.time.Duration;
import java.time.InstantSource;

/**
 * What one instance keeps in Cassandra: in the global keyspace, and in that of its datacenter.
 *
 * @param global statements that are ordered among all datacenters
 * @param status how much is left
 */
record Stores(
        ConditionalStatements global,
        String globalKeyspace,
        String localKeyspace,
        String localDatacenter,
        Datacenters datacenters,
        CassandraRangeStore ranges,
        SequenceCatalog catalog,
        ChangeLog changes,
        NodeStore nodes,
        Contracts contracts,
        StatusReader status) {

    static Stores of(LocalCluster cluster, SequencesConfig config, Identity identity, Timer timer) {
        CqlSession session = cluster.session();
        ClusterState state = cluster.state();
        Duration timeout = config.requestTimeout();
        ConditionalStatements global = ConditionalStatements.acrossDatacenters(session, timeout);
        ConditionalStatements local = ConditionalStatements.withinDatacenter(session, timeout);
        String everywhere = config.globalKeyspace();
        String here = cluster.keyspace();
        String datacenter = cluster.datacenter();
        Datacenters datacenters = Datacenters.of(session, everywhere, datacenter, timeout);
        InstantSource clock = InstantSource.system();
        ChangeLog changes = new CassandraChangeLog(global, local, everywhere, here, identity::token);
        return new Stores(
                global,
                everywhere,
                here,
                datacenter,
                datacenters,
                new CassandraRangeStore(
                        global, local, everywhere, here, datacenter, datacenters, identity::holder, clock),
                new CassandraSequenceCatalog(global, local, everywhere, here, datacenter, datacenters),
                changes,
                new CassandraNodeStore(global, local, everywhere, here, datacenter, identity::holder, clock, state),
                new Contracts(
                        global,
                        local,
                        everywhere,
                        here,
                        keyspace -> Installation.keyspaces(session, config).contains(keyspace)
                                || Installations.isOwn(session, keyspace),
                        changes,
                        () -> session.getMetadata().getNodes().keySet(),
                        new StandingWrites(state::standing, timer, System::nanoTime),
                        System::nanoTime),
                new StatusReader(global, everywhere, here, datacenter, datacenters, config.isolation(), clock));
    }
}
