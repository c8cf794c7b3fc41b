package dev.cassidy.embedded.child;

import java.util.concurrent.atomic.AtomicReference;
import org.apache.cassandra.db.commitlog.CommitLogPosition;
import org.apache.cassandra.db.memtable.Memtable;
import org.apache.cassandra.db.memtable.SkipListMemtable;
import org.apache.cassandra.schema.TableMetadataRef;

/**
 * Cassandra's default memtable, for tables that the commit log does not contain. A DROP flushes each table that the log contains,
 * also those that stay.
 */
public final class UnloggedMemtable implements Memtable.Factory {

    /** Cassandra finds it by its name. */
    public static final Memtable.Factory FACTORY = new UnloggedMemtable();

    private UnloggedMemtable() {}

    @Override
    public Memtable create(
            AtomicReference<CommitLogPosition> lowerBound, TableMetadataRef table, Memtable.Owner owner) {
        return SkipListMemtable.FACTORY.create(lowerBound, table, owner);
    }

    @Override
    public boolean writesShouldSkipCommitLog() {
        return true;
    }
}
