package dev.cassidy.migration.target;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.metadata.Metadata;
import com.datastax.oss.driver.api.core.metadata.schema.ColumnMetadata;
import com.datastax.oss.driver.api.core.metadata.schema.TableMetadata;
import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.migration.error.Finding;
import dev.cassidy.migration.error.MigrationException;
import dev.cassidy.sequence.IdentityColumn;
import dev.cassidy.sequence.IdentityType;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.cassandra.InternalAccess;
import dev.cassidy.sequence.cassandra.SequenceState;
import dev.cassidy.sequence.cassandra.Sequences;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Cassandra, as the commands use it. Owns its sessions. */
public final class Target implements AutoCloseable {

    /** Which sequence types a column of Cassandra can hold, by the column's type. */
    private static final Map<DataType, IdentityType> WIDEST = Map.of(
            DataTypes.SMALLINT, IdentityType.SMALLINT,
            DataTypes.INT, IdentityType.INT,
            DataTypes.BIGINT, IdentityType.BIGINT);

    private final CqlSession session;
    private final CqlSession ofSequences;
    private final @Nullable Sequences sequences;

    /** Why there are no sequences; null if there are. */
    private final SequenceException.@Nullable SchemaMissing missing;

    private Target(
            CqlSession session,
            CqlSession ofSequences,
            @Nullable Sequences sequences,
            SequenceException.@Nullable SchemaMissing missing) {
        this.session = session;
        this.ofSequences = ofSequences;
        this.sequences = sequences;
        this.missing = missing;
    }

    /**
     * Opens what is installed; a missing installation shows only when a sequence is needed. Owns the sessions then.
     *
     * @param session for the user's own tables
     * @param ofSequences for Cassidy's keyspaces; it may be the same
     */
    public static Target open(CqlSession session, CqlSession ofSequences, SequencesConfig config) {
        try {
            return new Target(session, ofSequences, Sequences.open(ofSequences, config), null);
        } catch (SequenceException.SchemaMissing e) {
            return new Target(session, ofSequences, null, e);
        }
    }

    /** Returns the session for the user's own tables. */
    public CqlSession session() {
        return session;
    }

    /** Returns why nothing can be asked of Cassidy; empty if it is installed. */
    public Optional<SequenceException> missing() {
        return Optional.ofNullable(missing);
    }

    /**
     * Returns the sequences.
     *
     * @throws SequenceException.SchemaMissing when Cassidy's keyspaces are missing
     */
    public Sequences sequences() {
        return Optional.ofNullable(sequences).orElseThrow(() -> Objects.requireNonNull(missing));
    }

    /** Opens another installation by the session for Cassidy's keyspaces. The caller closes it, before this. */
    public Sequences openOther(SequencesConfig config) {
        return Sequences.open(ofSequences, config);
    }

    /**
     * Refuses a table of Cassidy's own, of which nothing is ever declared.
     *
     * @throws MigrationException {@link ExitCode#REFUSED}
     */
    public void requireOfApplication(TargetTable table) {
        try {
            InternalAccess.tables(sequences()).refuseOwn(table.keyspace(), table.table());
        } catch (IllegalArgumentException e) {
            throw new MigrationException(ExitCode.REFUSED, "--table " + e.getMessage(), e);
        }
    }

    public Optional<SequenceState> state(TargetTable table) {
        return sequences == null ? Optional.empty() : sequences.admin().find(table.sequence());
    }

    public List<IdentityColumn> identityColumns() {
        return sequences == null ? List.of() : InternalAccess.tables(sequences).identities();
    }

    /** Returns the type of sequence that fills the column; empty while the table does not exist. */
    public Optional<IdentityType> typeOf(TargetTable table) {
        return column(table).map(ColumnMetadata::getType).flatMap(type -> Optional.ofNullable(WIDEST.get(type)));
    }

    /** Looks at the user's own table, which may not exist yet; empty if all is well. */
    public Optional<Finding> check(TargetTable table, IdentityType type) {
        if (table(table).isEmpty()) {
            return Optional.of(Finding.info("table " + table.sequence() + " does not exist in Cassandra yet"));
        }
        Optional<ColumnMetadata> column = column(table);
        if (column.isEmpty()) {
            return Optional.of(Finding.refused("table " + table.sequence() + " has no column '" + table.column()
                    + "'; the name after ':' in --map schema.table=" + table.sequence() + ":column sets another"));
        }
        DataType columnType = column.get().getType();
        IdentityType widest = WIDEST.get(columnType);
        return widest != null && widest.compareTo(type) >= 0
                ? Optional.empty()
                : Optional.of(Finding.refused("column " + table + " is " + columnType.asCql(false, false)
                        + " and cannot hold every id of a " + type.name().toLowerCase(Locale.ROOT) + " sequence"));
    }

    /** Returns whether a column of a type can hold every id of a sequence. */
    public static boolean holds(DataType column, SequenceSpec spec) {
        IdentityType widest = WIDEST.get(column);
        long first = spec.start();
        long last = spec.idAt(spec.count() - 1);
        return widest != null && widest.lowest() <= Math.min(first, last) && Math.max(first, last) <= widest.highest();
    }

    /** Reads the schema of the cluster anew; a session learns of changes some time after they were made. */
    public Metadata schemaNow() {
        return session.refreshSchema();
    }

    /** Returns a table of a schema; empty if it does not exist. */
    public static Optional<TableMetadata> table(Metadata schema, String keyspace, String table) {
        return schema.getKeyspace(CqlIdentifier.fromInternal(keyspace))
                .flatMap(found -> found.getTable(CqlIdentifier.fromInternal(table)));
    }

    /** Returns the user's own table; empty if it does not exist. */
    public Optional<TableMetadata> table(TargetTable table) {
        return table(session.getMetadata(), table.keyspace(), table.table());
    }

    /** Returns whether a table that exists has a row anywhere; every replica must answer. */
    public boolean hasRows(TargetTable table) {
        return session.execute(SimpleStatement.newInstance("SELECT * FROM "
                                        + CqlIdentifier.fromInternal(table.keyspace())
                                                .asCql(true) + "."
                                        + CqlIdentifier.fromInternal(table.table())
                                                .asCql(true) + " LIMIT 1")
                                .setConsistencyLevel(ConsistencyLevel.ALL))
                        .one()
                != null;
    }

    /** Returns the records of transactions. Reads which datacenters there are. */
    public OpenTransactions transactions() {
        return OpenTransactions.of(session, ofSequences, sequences());
    }

    /** Returns the record of runs. */
    public RunLog runs(InstantSource clock, Consumer<String> notes) {
        return new RunLog(ofSequences, sequences().config().globalKeyspace(), clock, notes);
    }

    private Optional<ColumnMetadata> column(TargetTable table) {
        return table(table).flatMap(found -> found.getColumn(CqlIdentifier.fromInternal(table.column())));
    }

    @Override
    public void close() {
        try {
            if (sequences != null) {
                sequences.close();
            }
        } finally {
            if (ofSequences != session) {
                ofSequences.close();
            }
            session.close();
        }
    }
}
