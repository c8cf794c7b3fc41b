package dev.cassidy.sequence.cassandra;

import com.datastax.oss.driver.api.core.CqlSession;
import dev.cassidy.sequence.IdAllocator;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.SequencesConfig;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** SKELETON: signatures that others code against while the implementation is written. */
public final class Sequences implements AutoCloseable {

    private Sequences() {}

    /** The CQL that creates Cassidy's keyspaces and tables, one statement an element, for a DBA to run. */
    public static List<String> schema(Replication replication, SequencesConfig config) {
        throw new UnsupportedOperationException();
    }

    /** Creates what {@link #schema} says where it is missing, and joins every datacenter named. Idempotent. */
    public static void install(CqlSession session, Replication replication, SequencesConfig config) {
        throw new UnsupportedOperationException();
    }

    /** Opens the sequences of the session's local datacenter. @throws SequenceException.SchemaMissing with the way out */
    public static Sequences open(CqlSession session, SequencesConfig config) {
        throw new UnsupportedOperationException();
    }

    /** Creates a sequence, ready; no-op if it exists with the same spec, Conflict otherwise. */
    public void create(SequenceSpec spec) {
        throw new UnsupportedOperationException();
    }

    /** Creates a sequence that refuses (NotReady) until it is seeded. No-op if any sequence of that name exists with same type/increment. */
    public void register(SequenceSpec spec) {
        throw new UnsupportedOperationException();
    }

    /**
     * Raises the sequence so that {@code next} is the lowest id still to be issued, and marks it ready; never lowers. A sequence that is
     * already at or past {@code next} is left as it is. Creates nothing. Returns the state after.
     */
    public SequenceState seed(String name, long next) {
        throw new UnsupportedOperationException();
    }

    /** Raises a live sequence past {@code id}, so that {@code id} may be used explicitly. */
    public SequenceState advancePast(String name, long id) {
        throw new UnsupportedOperationException();
    }

    /** Reads one sequence at SERIAL. */
    public Optional<SequenceState> find(String name) {
        throw new UnsupportedOperationException();
    }

    /** All sequences, by name. */
    public List<SequenceState> list() {
        throw new UnsupportedOperationException();
    }

    /** The allocator of this process for the sequence: one per name, shared; nothing is claimed before the first id. NotFound if there is none. */
    public IdAllocator allocator(String name) {
        throw new UnsupportedOperationException();
    }

    /** Same, without blocking. */
    public CompletionStage<IdAllocator> allocatorAsync(String name) {
        throw new UnsupportedOperationException();
    }

    /** Registers the column; no-op when the same, Conflict when the table has another. */
    public void registerIdentity(IdentityColumn column) {
        throw new UnsupportedOperationException();
    }

    /** Cached; looks again (asynchronously, at most every second) when a table is not known. Case-exact internal names. */
    public CompletionStage<Optional<IdentityColumn>> identityColumnAsync(String keyspace, String table) {
        throw new UnsupportedOperationException();
    }

    /** From the cache alone, never any I/O: the column if it is known now. */
    public Optional<IdentityColumn> cachedIdentityColumn(String keyspace, String table) {
        throw new UnsupportedOperationException();
    }

    /** All registered columns. */
    public List<IdentityColumn> identityColumns() {
        throw new UnsupportedOperationException();
    }

    /** The floor of the sequence, from this datacenter's copy (cached): an explicit id behind it may pass. */
    public CompletionStage<SequenceState> localStateAsync(String name) {
        throw new UnsupportedOperationException();
    }

    /** Closes every allocator, returning what they hold. Leaves the session open. */
    @Override
    public void close() {}
}
