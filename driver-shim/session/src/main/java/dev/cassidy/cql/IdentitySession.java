package dev.cassidy.cql;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.BatchableStatement;
import com.datastax.oss.driver.api.core.cql.Statement;
import dev.cassidy.cluster.WrappingSession;
import dev.cassidy.insert.IdentityCatalog;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.cassandra.Sequences;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * A {@link CqlSession} that fills identity columns. An insert into a registered table that leaves the identity column
 * out, or gives it null or an unset value, gets the next id of its sequence before it is sent, so that the driver's
 * retries and speculative executions carry the same id. {@link GeneratedKeys} returns the ids of a result. Every other
 * statement is sent unchanged, unless T-SQL has made its table.
 *
 * <p>An explicit id is accepted before the first id that the sequence may ever issue. From there on {@link ExplicitIds} says
 * which are accepted; by default those that this session's {@link #sequences()} have issued. Others are refused, because
 * Cassandra would silently overwrite the row that has this id or gets it later. Before a sequence is seeded, it has issued no
 * ids and every explicit id is accepted (a backfill); the seed must then be past all of them.
 *
 * <p>Of a table that T-SQL has made, values are filled up, rounded and refused by the rules of its columns, with a {@link
 * ColumnValueException}; what a column is compared with is given the form that the column stores.
 *
 * <p>Writes to a table that CREATE TABLE in T-SQL has made are exact, unless it was made {@code plain}: a new row whose id is drawn for
 * it is inserted without a condition, at a time before every other write. Every other write needs the condition of such a table, and {@link
 * ExactConditions} says whether the statement must have it, which is the default, or the session adds it.
 *
 * <p>Refused by name: INSERT JSON into a registered table, an insert into one within BEGIN BATCH, an id that
 * is an expression, and an insert through the continuous methods, whose results have no place for keys (as far as the
 * table is known to be registered without asking Cassandra).
 *
 * <p>Whatever would change Cassidy's own keyspaces is refused by an {@link OwnKeyspaceException}: INSERT, UPDATE, DELETE and
 * TRUNCATE of their tables, within batches too, and CREATE, ALTER and DROP. Reading them, USE and GRANT pass.
 *
 * <p>A table that a statement names without a keyspace is looked for where the server looks for it: in the keyspace of the
 * statement or its batch, or else in the session's; for a prepared statement in the keyspace of its preparation, whichever
 * session that was and whatever USE has come since. A change that was prepared where nothing shows is refused; the workaround is
 * to qualify the name. A statement that is sent as text while another thread changes the session's keyspace by USE is judged by
 * one of the two.
 *
 * <p>Refusals are {@link IdentityInsertException}s, {@link ColumnValueException}s, {@link OwnKeyspaceException}s,
 * {@link WriteModeException}s and {@link dev.cassidy.sequence.SequenceException}s. They are thrown, or reported by the stage or the publisher, before
 * anything is sent. The asynchronous and the reactive methods never block. The synchronous ones may block, and refuse calls
 * on the driver's threads, as the driver does. A reactive statement is filled and sent when
 * its result is subscribed to.
 */
public interface IdentitySession extends CqlSession, WrappingSession {

    /**
     * Wraps a session and opens its sequences with the default configuration; closing the result closes both. A session
     * that is an IdentitySession already is returned as it is. If telemetry has put a proxy around an IdentitySession, the
     * result sends through that proxy, and fills no statement twice. The session may itself be such a proxy around the
     * driver's session.
     *
     * @throws dev.cassidy.sequence.SequenceException.SchemaMissing if Cassidy's keyspaces do not exist
     */
    static IdentitySession wrap(CqlSession session) {
        return wrap(session, SequencesConfig.defaults());
    }

    /**
     * Wraps a session; closing the result closes the session and leaves {@code sequences} to its owner. A session that
     * is an IdentitySession already is returned as it is. The sequences may have been opened with a session of another role;
     * then the role of this one needs no right on Cassidy's keyspaces.
     */
    static IdentitySession wrap(CqlSession session, Sequences sequences) {
        IdentitySession wrapped = FillingSession.found(session);
        return wrapped != null
                ? wrapped
                : new FillingSession(session, sequences, false, ExplicitIds.ISSUED, ExactConditions.GIVEN);
    }

    /** Wraps a session and opens its sequences with {@code config}; closing the result closes both. */
    static IdentitySession wrap(CqlSession session, SequencesConfig config) {
        IdentitySession wrapped = FillingSession.found(session);
        return wrapped != null
                ? wrapped
                : new FillingSession(
                        session, Sequences.open(session, config), true, ExplicitIds.ISSUED, ExactConditions.GIVEN);
    }

    /**
     * As {@link #wrap(CqlSession, Sequences)}, with another choice of the explicit ids that pass. Of a session that is an
     * IdentitySession already, it returns one with this choice, which takes its place.
     */
    static IdentitySession wrap(CqlSession session, Sequences sequences, ExplicitIds explicitIds) {
        return wrap(session, sequences).withExplicitIds(explicitIds);
    }

    /**
     * As {@link #wrap(CqlSession, SequencesConfig)}, with another choice of the explicit ids that pass. Of a session that is
     * an IdentitySession already, it returns one with this choice, which takes its place.
     */
    static IdentitySession wrap(CqlSession session, SequencesConfig config, ExplicitIds explicitIds) {
        return wrap(session, config).withExplicitIds(explicitIds);
    }

    /**
     * Returns the IdentitySession that a session is, or that its requests go through: telemetry and frameworks put proxies and
     * other sessions around a session, which pass on what they do not know. What is sent through the result bypasses these.
     * Does no I/O.
     *
     * @return empty if there is none
     */
    static Optional<IdentitySession> within(CqlSession session) {
        return WrappingSession.of(session).map(IdentitySession.class::cast);
    }

    /** Builds the driver's session and wraps it. */
    static IdentitySessionBuilder builder() {
        return new IdentitySessionBuilder();
    }

    /**
     * Returns a session of the same sequences that accepts these explicit ids; by default {@link ExplicitIds#ISSUED}. It takes
     * this one's place: closing either closes both.
     */
    IdentitySession withExplicitIds(ExplicitIds explicitIds);

    /**
     * Returns a session of the same sequences that does this with writes which lack the condition of an exact table; by default
     * {@link ExactConditions#GIVEN}. It takes this one's place: closing either closes both.
     */
    IdentitySession withExactConditions(ExactConditions conditions);

    /** Returns the sequences that the ids come from. */
    Sequences sequences();

    /** Returns the session that requests are sent through: the driver's own, which neither fills nor refuses anything. */
    @Override
    CqlSession unwrap();

    /**
     * Returns whether every table takes writes without a condition; false also if that is not known without a read. Does no I/O.
     */
    boolean writesPlainly();

    /**
     * Looks up how the rows of a table are written whose ids are drawn for them, if its writes are exact.
     *
     * @param column whose value is drawn
     * @return whether such a row may be inserted without IF NOT EXISTS
     */
    CompletionStage<Boolean> insertsFreshAsync(String keyspace, String table, String column);

    /**
     * Returns a read or a conditional write of a table whose writes are exact as the nodes that decide need it: at their levels, and
     * on a node of the home datacenter.
     *
     * @param home the datacenter that decides; empty if all do
     * @throws WriteModeException if there is no connection to the home datacenter
     */
    Statement<?> inOrder(Statement<?> statement, String keyspace, String table, String home);

    /** Returns which column of a table is its identity, from the sequences' cache where that knows it. */
    IdentityCatalog catalog();

    /**
     * Gives a statement, or each statement of a batch, the id that it lacks, and sends nothing. Execute the result with
     * {@link #unwrap()}: this session would fill or check it again. An id that is never sent is a gap.
     */
    CompletionStage<Filled> fillAsync(Statement<?> statement);

    /**
     * As {@link #fillAsync}, for writes that wait for others, such as those of a transaction, to be sent with them in a batch
     * statement. All of them get the same time where the time is a column's default.
     *
     * @return a stage with one element for each statement, in their order
     */
    CompletionStage<List<Held>> holdAsync(List<? extends BatchableStatement<?>> statements);

    /** As {@link #holdAsync(List)}, of one write. */
    default CompletionStage<Held> holdAsync(BatchableStatement<?> statement) {
        return holdAsync(List.of(statement)).thenApply(held -> held.get(0));
    }

    /**
     * Judges writes that were {@linkplain #holdAsync held} by what T-SQL says of their tables now, and sends nothing. Their values
     * are refused, filled up and rounded as if they were held now; no id is drawn, and no default given.
     *
     * @return a stage with one element for each statement, in their order, with the values that are stored
     */
    CompletionStage<List<BatchableStatement<?>>> judgeAsync(List<? extends BatchableStatement<?>> held);

    /**
     * A statement that carries its ids.
     *
     * @param keys what {@link GeneratedKeys} will not give of the result
     */
    record Filled(Statement<?> statement, GeneratedKeys keys) {}

    /**
     * A statement that carries its id, and waits.
     */
    record Held(BatchableStatement<?> statement, GeneratedKeys keys) {}
}
