package dev.cassidy.jdbc.session;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.servererrors.InvalidQueryException;
import com.datastax.oss.driver.api.core.servererrors.SyntaxError;
import dev.cassidy.cluster.DriverThreads;
import dev.cassidy.cql.IdentitySession;
import dev.cassidy.cql.OwnKeyspaceException;
import dev.cassidy.cql.OwnKeyspaces;
import dev.cassidy.insert.CqlInsert;
import dev.cassidy.insert.ParameterizedStatement;
import dev.cassidy.insert.UnsupportedSqlException;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Prepares the statements of a session's connections, each once. Safe for use by many threads. */
public final class StatementPreparer {

    private final PreparedStatementCache prepared;
    private final OwnKeyspaces own;

    StatementPreparer(PreparedStatementCache prepared, OwnKeyspaces own) {
        this.prepared = prepared;
        this.own = own;
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
    public record Prepared(PreparedStatement statement, List<ParameterizedStatement.Term> terms) {}

    /**
     * Prepares a statement without its values, once for each of the two sessions, until the schema changes. If the server
     * cannot tell the type of an argument or of a literal in the list of a SELECT, these stay in the statement; this is
     * remembered for all statements of this shape.
     *
     * @throws UnsupportedSqlException if one that stays may be a date, which the server would read in its own way
     */
    public Prepared prepare(CqlSession session, ParameterizedStatement text, Preparing preparing) throws SQLException {
        if (text.tried() && !prepared.isUncertain(text.text())) {
            int schema = prepared.schema();
            try {
                return new Prepared(prepare(session, text.text(), preparing), text.terms());
            } catch (InvalidQueryException | SyntaxError e) {
                ParameterizedStatement certain;
                try {
                    certain = text.certain();
                } catch (UnsupportedSqlException refused) {
                    // What the server says may have another reason, and other plans depend on it.
                    e.addSuppressed(refused);
                    throw e;
                }
                Prepared statement = new Prepared(prepare(session, certain.text(), preparing), certain.terms());
                prepared.uncertain(text.text(), schema);
                return statement;
            }
        }
        ParameterizedStatement certain = text.certain();
        return new Prepared(prepare(session, certain.text(), preparing), certain.terms());
    }

    /** As {@link #prepare(CqlSession, ParameterizedStatement, Preparing)}, of an insert without literals. */
    public PreparedStatement prepare(CqlSession session, CqlInsert insert, Preparing preparing) throws SQLException {
        return prepared.prepare(session, insert.text(), () -> Optional.of(insert), this::refuseChanges, preparing);
    }

    /**
     * Refuses a statement that changes Cassidy's own keyspaces and would be sent without the IdentitySession.
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
}
