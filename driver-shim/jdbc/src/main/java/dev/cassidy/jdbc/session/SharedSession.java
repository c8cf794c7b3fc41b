package dev.cassidy.jdbc.session;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverExecutionProfile;
import com.datastax.oss.driver.api.core.metadata.schema.SchemaChangeListenerBase;
import dev.cassidy.cql.ForeignTables;
import dev.cassidy.cql.IdentitySession;
import dev.cassidy.cql.OwnKeyspaces;
import dev.cassidy.insert.Identity;
import dev.cassidy.jdbc.error.SqlErrors;
import dev.cassidy.remedy.CommandLines;
import dev.cassidy.sequence.cassandra.InternalAccess;
import dev.cassidy.table.ColumnDefault;
import dev.cassidy.transaction.TransactionFigures;
import dev.cassidy.transaction.cassandra.Transactions;
import java.sql.SQLException;
import java.sql.SQLInvalidAuthorizationSpecException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What the connections of one URL and credentials share: the driver's session, the IdentitySession around it once
 * Cassidy's keyspaces exist, and the prepared statements. Safe for use by many threads.
 */
public final class SharedSession implements AutoCloseable {

    private final CqlSession plain;
    private final CommandLines lines;
    private final ForeignTables foreign;
    private final LazyIdentitySession identity;
    private final PreparedStatementCache prepared;
    private final StatementPreparer preparer;
    private final Tables tables;
    private final KnownStatements statements;
    private final FanOutDecisions fanOut;
    private final NearBounds nearBounds;
    private final AssistanceOff assistanceOff;
    private final CountedTables counts;

    private SharedSession(
            CqlSession plain,
            @Nullable CqlSession ofSequences,
            PreparedStatementCache prepared,
            ConnectionSettings settings,
            LongSupplier nanoTime,
            OpenSequences openSequences,
            TransactionFigures figures) {
        this.plain = plain;
        this.lines = settings.commandLines(NodeCounts.of(plain).datacenter());
        this.foreign = ForeignTables.of(plain, settings.sequences(), nanoTime);
        this.prepared = prepared;
        this.preparer = new StatementPreparer(prepared, OwnKeyspaces.of(plain, settings.sequences()));
        // Before what asks it.
        this.identity = new LazyIdentitySession(plain, ofSequences, settings, lines, nanoTime, openSequences, figures);
        this.tables = new Tables(
                plain,
                new ContractDeclarations(identity, nanoTime),
                new SchemaLag(plain, nanoTime),
                new SeenTwins(plain));
        this.statements = new KnownStatements(plain, tables, this::schema);
        this.assistanceOff = new AssistanceOff(identity, nanoTime);
        this.nearBounds = new NearBounds(nanoTime);
        this.fanOut = new FanOutDecisions(plain, settings.fanOut(), InstantSource.system(), nanoTime);
        this.counts = new CountedTables(ofSequences == null ? plain : ofSequences, settings.sequences());
    }

    public static SharedSession open(ConnectionSettings settings) throws SQLException {
        return open(settings, System::nanoTime);
    }

    public static SharedSession open(ConnectionSettings settings, LongSupplier nanoTime) throws SQLException {
        return open(settings, nanoTime, new OpenSequences(), new TransactionFigures(), true);
    }

    /** Opens a session that tells {@code openSequences} of its sequences. */
    public static SharedSession open(ConnectionSettings settings, OpenSequences openSequences) throws SQLException {
        return open(settings, openSequences, new TransactionFigures());
    }

    /** Opens a session that tells {@code openSequences} of its sequences, and whose transactions {@code figures} counts. */
    public static SharedSession open(
            ConnectionSettings settings, OpenSequences openSequences, TransactionFigures figures) throws SQLException {
        return open(settings, System::nanoTime, openSequences, figures, true);
    }

    /** As {@link #open(ConnectionSettings)}, also if Cassidy is not installed where the settings say: then writes are refused. */
    public static SharedSession openUninstalled(ConnectionSettings settings) throws SQLException {
        return open(settings, System::nanoTime, new OpenSequences(), new TransactionFigures(), false);
    }

    private static SharedSession open(
            ConnectionSettings settings,
            LongSupplier nanoTime,
            OpenSequences openSequences,
            TransactionFigures figures,
            boolean installed)
            throws SQLException {
        PreparedStatementCache prepared = new PreparedStatementCache();
        long start = nanoTime.getAsLong();
        CqlSession plain = new FixedKeyspaceSession(SessionOpener.open(settings, prepared, settings.connectTimeout()));
        @Nullable CqlSession ofSequences = null;
        try {
            ofSequences = openOfSequences(settings, left(settings, nanoTime.getAsLong() - start));
            SharedSession opened =
                    new SharedSession(plain, ofSequences, prepared, settings, nanoTime, openSequences, figures);
            if (installed) {
                opened.identity.requireInstalled(left(settings, nanoTime.getAsLong() - start));
            }
            return opened;
        } catch (Throwable e) {
            // Whatever it is: nobody else would close what is open.
            plain.closeAsync();
            if (ofSequences != null) {
                ofSequences.closeAsync();
            }
            if (e instanceof Error error) {
                throw error;
            }
            throw ConnectErrors.of(e, settings);
        }
    }

    private static Duration left(ConnectionSettings settings, long nanos) {
        Duration left = settings.connectTimeout().minusNanos(nanos);
        return left.isNegative() ? Duration.ZERO : left;
    }

    /** At once, and not at the first insert, so that a wrong password shows when the application starts. */
    private static @Nullable CqlSession openOfSequences(ConnectionSettings settings, Duration limit)
            throws SQLException {
        @Nullable ConnectionSettings own = settings.ofSequences().orElse(null);
        if (own == null) {
            return null;
        }
        try {
            return SessionOpener.open(own, new SchemaChangeListenerBase() {}, limit);
        } catch (SQLInvalidAuthorizationSpecException e) {
            throw new SQLInvalidAuthorizationSpecException(
                    "Cannot connect to " + settings.hosts() + ": the cluster refused the login of sequencesUser '"
                            + own.user().orElse("") + "'; check the options sequencesUser and sequencesPassword",
                    e.getSQLState(),
                    e);
        }
    }

    /** Returns the tables that statements name. */
    public Tables tables() {
        return tables;
    }

    /** Returns how statements were read. */
    public KnownStatements statements() {
        return statements;
    }

    /** Returns the counters of tables whose columns count. */
    public CountedTables counts() {
        return counts;
    }

    /** Returns what prepares statements. */
    public StatementPreparer preparer() {
        return preparer;
    }

    /**
     * Returns what is done with statements that ask many nodes. Asks nodes for their age, at most once an hour, if the
     * datacenter is large; for the opening of a connection.
     */
    public FanOutRule fanOut() {
        return fanOut.current(DefaultConsistencyLevel.valueOf(consistency()));
    }

    /** Returns what warns of statements that come near to a bound. */
    public NearBounds nearBounds() {
        return nearBounds;
    }

    /** Returns what operators have turned off of the statements that are evaluated in the client. */
    public AssistanceOff assistanceOff() {
        return assistanceOff;
    }

    /** Refuses inserts into tables of other installations, for a session without an installation. */
    public ForeignTables foreign() {
        return foreign;
    }

    /** Returns the lines that run the command {@code cassidy} on this cluster. */
    public CommandLines commandLines() {
        return lines;
    }

    /** Returns the driver's own session, for statements that cannot insert. */
    public CqlSession plain() {
        return plain;
    }

    /** Returns the settings of statements, wherever they were configured. */
    private DriverExecutionProfile effective() {
        return plain.getContext().getConfig().getDefaultProfile();
    }

    public int fetchSize() {
        return effective().getInt(DefaultDriverOption.REQUEST_PAGE_SIZE);
    }

    public String consistency() {
        return effective().getString(DefaultDriverOption.REQUEST_CONSISTENCY);
    }

    /** As {@link LazyIdentitySession#writing}. */
    public CqlSession writing() throws SQLException {
        return identity.writing();
    }

    /** As {@link LazyIdentitySession#identity}. */
    public IdentitySession identity() {
        return identity.identity();
    }

    /** As {@link LazyIdentitySession#transactions}. */
    public Transactions transactions() {
        return identity.transactions();
    }

    /** Returns the identity column of a table, names in internal form; empty if it has none. */
    public Optional<String> identityColumn(String keyspace, String table) throws SQLException {
        if (!(writing() instanceof IdentitySession identities)) {
            return Optional.empty();
        }
        try {
            return identities
                    .catalog()
                    .find(keyspace, table)
                    .toCompletableFuture()
                    .join()
                    .map(Identity::column);
        } catch (RuntimeException e) {
            throw SqlErrors.of(e);
        }
    }

    /** Returns the defaults of a table's columns as they were declared, by the columns' names. Names are internal ones. */
    public Map<String, String> columnDefaults(String keyspace, String table) throws SQLException {
        Map<String, String> expressions = new HashMap<>();
        defaults(keyspace, table).forEach(each -> expressions.put(each.column(), each.expression()));
        return expressions;
    }

    /** Returns the defaults of a table's columns. Names are internal ones. */
    public List<ColumnDefault> defaults(String keyspace, String table) throws SQLException {
        if (!(writing() instanceof IdentitySession identities)) {
            return List.of();
        }
        try {
            return InternalAccess.tables(identities.sequences())
                    .defaultsAsync(keyspace, table)
                    .toCompletableFuture()
                    .join();
        } catch (RuntimeException e) {
            throw SqlErrors.of(e);
        }
    }

    /** Returns a number that changes with the schema, and with what is declared of tables. */
    public long schema() {
        return ((long) prepared.schema() << Integer.SIZE) + identity.generation();
    }

    /** To be called after every statement that may have changed the schema. */
    public void schemaChanged() {
        prepared.schemaChanged();
    }

    boolean isClosed() {
        return plain.isClosed();
    }

    @Override
    public void close() {
        try {
            // They give back what they hold through their session.
            counts.close();
        } finally {
            identity.close();
        }
    }
}
