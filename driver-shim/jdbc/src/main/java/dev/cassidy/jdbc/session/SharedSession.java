package dev.cassidy.jdbc.session;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfig;
import com.datastax.oss.driver.api.core.config.DriverExecutionProfile;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.metadata.schema.SchemaChangeListenerBase;
import com.datastax.oss.driver.api.core.servererrors.InvalidQueryException;
import com.datastax.oss.driver.api.core.servererrors.SyntaxError;
import dev.cassidy.cluster.DriverThreads;
import dev.cassidy.cql.ExplicitIds;
import dev.cassidy.cql.FreshRows;
import dev.cassidy.cql.IdentitySession;
import dev.cassidy.cql.OwnKeyspaceException;
import dev.cassidy.cql.OwnKeyspaces;
import dev.cassidy.insert.CqlInsert;
import dev.cassidy.insert.CqlWrite;
import dev.cassidy.insert.Identity;
import dev.cassidy.insert.MarkedText;
import dev.cassidy.insert.RecentTexts;
import dev.cassidy.insert.UnsupportedSqlException;
import dev.cassidy.jdbc.error.SqlErrors;
import dev.cassidy.jdbc.error.SqlStates;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.cassandra.Sequences;
import dev.cassidy.tsql.TsqlScript;
import java.sql.SQLException;
import java.sql.SQLInvalidAuthorizationSpecException;
import java.sql.SQLSyntaxErrorException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What the connections of one URL and credentials share: the driver's session, the IdentitySession around it once
 * Cassidy's keyspaces exist, and the prepared statements. Safe for use by many threads.
 */
public final class SharedSession implements AutoCloseable {

    /** Long enough to cost nothing; installing Cassidy, registering a table and issuing an id takes longer. */
    private static final Duration ABSENCE_REMEMBERED = Duration.ofSeconds(1);

    /** Nodes join, and grow old, slowly. */
    private static final Duration DECISION_REMEMBERED = Duration.ofHours(1);

    private static final Duration LONGEST_WAIT_FOR_AGES = Duration.ofSeconds(2);

    /** @param at in nanoseconds */
    private record Decision(FanOutRule rule, long at) {}

    private final CqlSession plain;

    /** Of {@code sequencesUser}, for Cassidy's own statements; null if they go through {@link #plain}. */
    private final @Nullable CqlSession ofSequences;

    private final SequencesConfig config;
    private final OwnKeyspaces own;
    private final FreshRows freshRows;
    private final @Nullable String profile;
    private final PreparedTexts prepared;
    private final ReadPaths readPaths;
    private final FanOut fanOut;
    private final InstantSource clock;
    private volatile Scripts scripts;
    private volatile @Nullable Decision decision;
    private final RecentTexts<MarkedText> marked = new RecentTexts<>(MarkedText::of);
    private final RecentTexts<Optional<CqlWrite>> writes = new RecentTexts<>(CqlWrite::recognise);
    private final LongSupplier nanoTime;
    private final OpenSequences openSequences;
    private volatile @Nullable IdentitySession identity;
    private volatile @Nullable Long absentAt;
    private boolean closed;

    /** The caller that opens the sequences does so for all who want them: they share its failure too. */
    private final AtomicReference<@Nullable CompletableFuture<IdentitySession>> opening = new AtomicReference<>();

    private SharedSession(
            CqlSession plain,
            @Nullable CqlSession ofSequences,
            PreparedTexts prepared,
            ConnectionSettings settings,
            LongSupplier nanoTime,
            OpenSequences openSequences) {
        this.plain = plain;
        this.ofSequences = ofSequences;
        this.readPaths = new ReadPaths(plain);
        this.fanOut = settings.fanOut();
        this.clock = InstantSource.system();
        this.prepared = prepared;
        this.config = settings.sequences();
        this.own = OwnKeyspaces.of(plain, config);
        this.freshRows = settings.freshRows();
        // Here, and not at the first insert.
        freshRows.requireServable(plain);
        this.profile = settings.profile();
        this.nanoTime = nanoTime;
        this.openSequences = openSequences;
        this.scripts = scripts();
    }

    /** What was read under one schema: after a change, a text may mean something else. */
    private record Scripts(
            int schema,
            RecentTexts<TsqlScript> texts,
            RecentTexts<ReadPath> paths,
            RecentTexts<ReadPath> pathsOfLiterals) {}

    private Scripts scripts() {
        Tables tables = new Tables(plain);
        return new Scripts(
                prepared.schema(),
                new RecentTexts<>(text -> TsqlScript.parse(text, tables)),
                new RecentTexts<>(readPaths::of),
                new RecentTexts<>(readPaths::of));
    }

    public static SharedSession open(ConnectionSettings settings) throws SQLException {
        return open(settings, System::nanoTime);
    }

    public static SharedSession open(ConnectionSettings settings, LongSupplier nanoTime) throws SQLException {
        return open(settings, nanoTime, new OpenSequences());
    }

    /** Opens a session that tells {@code openSequences} of its sequences. */
    public static SharedSession open(ConnectionSettings settings, OpenSequences openSequences) throws SQLException {
        return open(settings, System::nanoTime, openSequences);
    }

    private static SharedSession open(ConnectionSettings settings, LongSupplier nanoTime, OpenSequences openSequences)
            throws SQLException {
        PreparedTexts prepared = new PreparedTexts();
        long start = nanoTime.getAsLong();
        CqlSession plain = SessionOpener.open(settings, prepared, settings.connectTimeout());
        @Nullable CqlSession ofSequences = null;
        try {
            Duration left = settings.connectTimeout().minusNanos(nanoTime.getAsLong() - start);
            ofSequences = openOfSequences(settings, left.isNegative() ? Duration.ZERO : left);
            return new SharedSession(plain, ofSequences, prepared, settings, nanoTime, openSequences);
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

    /** Reads a text that is to be prepared, and so may be used often; throws what {@link TsqlScript#parse} throws. */
    public TsqlScript script(String sql) {
        return current().texts().of(sql);
    }

    private Scripts current() {
        Scripts known = scripts;
        if (known.schema() != prepared.schema()) {
            known = scripts();
            scripts = known;
        }
        return known;
    }

    /**
     * Returns by which way a SELECT reads; what was learnt of a text is kept with it.
     *
     * @param markers those of the text; texts without any contain their values, and do not drive the others out
     */
    public ReadPath readPath(String cql, List<Integer> markers) {
        Scripts known = current();
        return (markers.isEmpty() ? known.pathsOfLiterals() : known.paths()).of(cql);
    }

    /**
     * Returns what is done with statements that ask many nodes. Asks nodes for their age, at most once an hour, if the
     * datacenter is large; for the opening of a connection.
     */
    public FanOutRule fanOut() {
        NodeCounts nodes = NodeCounts.of(plain);
        long now = nanoTime.getAsLong();
        Decision known = decision;
        if (known != null && known.rule().nodes().equals(nodes) && now - known.at() < DECISION_REMEMBERED.toNanos()) {
            return known.rule();
        }
        Instant time = clock.instant();
        FanOutRule rule = FanOutRule.decide(
                fanOut,
                nodes,
                DefaultConsistencyLevel.valueOf(consistency()),
                () -> NodeBirths.passed(
                        plain,
                        nodes.datacenter(),
                        FanOutRule.MOST_NODES,
                        time.minus(FanOutRule.GRACE),
                        LONGEST_WAIT_FOR_AGES),
                time);
        decision = new Decision(rule, now);
        return rule;
    }

    /**
     * Recognises a write.
     *
     * @param markers those of the text; a text without any contains its values, and is rarely used twice
     */
    public Optional<CqlWrite> write(String cql, List<Integer> markers) {
        return markers.isEmpty() ? CqlWrite.recognise(cql) : writes.of(cql);
    }

    /**
     * Returns a statement with a marker for each of its literals.
     *
     * @param markers those of the text; a text without any contains its values, and is rarely used twice
     * @throws UnsupportedSqlException if a literal that stays may be a date
     */
    public MarkedText marked(String cql, List<Integer> markers) {
        return markers.isEmpty() ? MarkedText.of(cql) : marked.of(cql);
    }

    /** Returns the driver's own session, for statements that cannot insert. */
    public CqlSession plain() {
        return plain;
    }

    /** Returns the name of the execution profile of the application's statements; null for the default one. */
    @Nullable
    public String profile() {
        return profile;
    }

    /** Returns the settings for the application's statements, wherever they were configured. */
    private DriverExecutionProfile effective() {
        DriverConfig all = plain.getContext().getConfig();
        return profile == null ? all.getDefaultProfile() : all.getProfile(profile);
    }

    public int fetchSize() {
        return effective().getInt(DefaultDriverOption.REQUEST_PAGE_SIZE);
    }

    /** Returns the serial level of the application's conditional statements. */
    public String serialConsistency() {
        return effective().getString(DefaultDriverOption.REQUEST_SERIAL_CONSISTENCY);
    }

    public String consistency() {
        return effective().getString(DefaultDriverOption.REQUEST_CONSISTENCY);
    }

    /**
     * Returns the session for statements that may insert: it fills identities and keeps explicit ids from overwriting
     * issued ones. It is the driver's own session only on a cluster without Cassidy, where no table can be registered.
     */
    public CqlSession writing() throws SQLException {
        IdentitySession known = identity;
        if (known != null) {
            return known;
        }
        Long noticed = absentAt;
        if (noticed != null && nanoTime.getAsLong() - noticed < ABSENCE_REMEMBERED.toNanos()) {
            return plain;
        }
        try {
            // The cluster is asked, because the driver's view of the schema lags, and may be switched off.
            if (isCassidyAbsent()) {
                absentAt = nanoTime.getAsLong();
                return plain;
            }
            return identity();
        } catch (RuntimeException e) {
            throw withoutIdentities(SqlErrors.of(e));
        }
    }

    private boolean isCassidyAbsent() {
        return plain.execute(SimpleStatement.newInstance(
                                        "SELECT keyspace_name FROM system_schema.keyspaces WHERE keyspace_name = ?",
                                        config.globalKeyspace())
                                .setConsistencyLevel(ConsistencyLevel.ONE))
                        .one()
                == null;
    }

    private SQLException withoutIdentities(SQLException cause) {
        if (!SqlStates.NO_KEYSPACE.equals(cause.getSQLState())) {
            return cause;
        }
        return new SQLSyntaxErrorException(
                "Nothing was written: keyspace " + config.globalKeyspace()
                        + " exists, so tables may have identities, or be"
                        + " written under conditions, but this cannot be looked up. An explicit id might overwrite an"
                        + " issued one, and a plain write might be lost. "
                        + cause.getMessage() + ". Restore Cassidy's keyspaces, or use the release of Cassidy that made"
                        + " them",
                cause.getSQLState(),
                cause);
    }

    /**
     * Returns the session that fills identities.
     *
     * @throws SequenceException.SchemaMissing if Cassidy's keyspaces do not exist; it says how to create them
     */
    public IdentitySession identity() {
        IdentitySession known = identity;
        if (known != null) {
            return known;
        }
        CompletableFuture<IdentitySession> mine = new CompletableFuture<>();
        CompletableFuture<IdentitySession> others = opening.compareAndExchange(null, mine);
        if (others != null) {
            return others.join();
        }
        try {
            IdentitySession opened = openIdentity();
            mine.complete(opened);
            return opened;
        } catch (Throwable e) {
            mine.completeExceptionally(e);
            throw e;
        } finally {
            opening.set(null);
        }
    }

    private IdentitySession openIdentity() {
        IdentitySession known = identity;
        if (known != null) {
            return known;
        }
        IdentitySession opened = (ofSequences == null
                        ? IdentitySession.wrap(plain, config)
                        : IdentitySession.wrap(plain, Sequences.open(ofSequences, config)))
                .withFreshRows(freshRows)
                .withExplicitIds(ExplicitIds.REFUSE);
        synchronized (this) {
            if (!closed) {
                identity = opened;
                openSequences.opened(opened.sequences());
                return opened;
            }
        }
        close(opened);
        throw new IllegalStateException("The session is closed");
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
        if (!(writing() instanceof IdentitySession identities)) {
            return Map.of();
        }
        try {
            Map<String, String> expressions = new HashMap<>();
            identities
                    .sequences()
                    .columnDefaultsAsync(keyspace, table)
                    .toCompletableFuture()
                    .join()
                    .forEach(each -> expressions.put(each.column(), each.expression()));
            return expressions;
        } catch (RuntimeException e) {
            throw SqlErrors.of(e);
        }
    }

    /** Prepares {@code cql} once for each of the two sessions, until the schema changes. */
    private PreparedStatement prepare(CqlSession session, String cql, Preparing preparing) throws SQLException {
        return prepared.prepare(session, cql, () -> CqlInsert.recognise(cql), this::refuseChanges, preparing);
    }

    /**
     * A prepared statement.
     *
     * @param terms where the value of each of its markers comes from
     */
    public record Prepared(PreparedStatement statement, List<MarkedText.Term> terms) {}

    /**
     * Prepares a text without its values, once for each of the two sessions, until the schema changes. If the server
     * cannot tell the type of an argument or of a literal in the list of a SELECT, these stay in the text; this is
     * remembered for all texts of this shape.
     *
     * @throws UnsupportedSqlException if one that stays may be a date, which the server would read in its own way
     */
    public Prepared prepare(CqlSession session, MarkedText text, Preparing preparing) throws SQLException {
        if (text.tried() && !prepared.isUncertain(text.text())) {
            int schema = prepared.schema();
            try {
                return new Prepared(prepare(session, text.text(), preparing), text.terms());
            } catch (InvalidQueryException | SyntaxError e) {
                MarkedText certain;
                try {
                    certain = text.certain();
                } catch (UnsupportedSqlException refused) {
                    // What the server says may have another reason, and other ways to read depend on it.
                    e.addSuppressed(refused);
                    throw e;
                }
                Prepared statement = new Prepared(prepare(session, certain.text(), preparing), certain.terms());
                prepared.uncertain(text.text(), schema);
                return statement;
            }
        }
        MarkedText certain = text.certain();
        return new Prepared(prepare(session, certain.text(), preparing), certain.terms());
    }

    /** As {@link #prepare(CqlSession, MarkedText, Preparing)}, of an insert without literals. */
    public PreparedStatement prepare(CqlSession session, CqlInsert insert, Preparing preparing) throws SQLException {
        return prepared.prepare(session, insert.text(), () -> Optional.of(insert), this::refuseChanges, preparing);
    }

    /**
     * Refuses a text that changes Cassidy's own keyspaces and would be sent without the IdentitySession.
     *
     * @throws OwnKeyspaceException naming the change
     */
    public void refuseChanges(CqlSession target, String cql) {
        if (target instanceof IdentitySession) {
            return;
        }
        CompletableFuture<Void> allowed = own.refuse(cql).toCompletableFuture();
        if (!allowed.isDone()) {
            DriverThreads.refuseToWait();
        }
        allowed.join();
    }

    /** Returns a number that changes with the schema. */
    public int schema() {
        return prepared.schema();
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
        IdentitySession known;
        synchronized (this) {
            closed = true;
            known = identity;
        }
        if (known != null) {
            try {
                openSequences.closing(known.sequences());
            } finally {
                close(known);
            }
            return;
        }
        try {
            if (ofSequences != null) {
                ofSequences.close();
            }
        } finally {
            plain.close();
        }
    }

    /** The sequences close first, because they return unused ids through their session. */
    private void close(IdentitySession opened) {
        try {
            if (ofSequences != null) {
                try {
                    opened.sequences().close();
                } finally {
                    ofSequences.close();
                }
            }
        } finally {
            opened.close();
        }
    }
}
