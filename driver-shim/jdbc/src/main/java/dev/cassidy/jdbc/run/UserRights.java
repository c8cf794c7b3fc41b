package dev.cassidy.jdbc.run;

import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.servererrors.InvalidQueryException;
import com.datastax.oss.driver.api.core.servererrors.UnauthorizedException;
import dev.cassidy.async.Stages;
import dev.cassidy.cluster.Grants;
import dev.cassidy.insert.Identifiers;
import dev.cassidy.jdbc.error.SqlErrors;
import dev.cassidy.jdbc.session.SharedSession;
import dev.cassidy.sequence.IdentityColumn;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Proves that the user's own role may make a change, before Cassidy makes it on the user's behalf. The role that writes Cassidy's
 * tables can be another one ({@code sequencesUser}), and if it is the same, it may write them only so that ids can be drawn. So a
 * right on Cassidy's tables says nothing of the table that a default or an identity is for.
 *
 * <p>Cassandra itself decides. A question is a statement of the user's session that wants the right in question, and names a
 * column or a type that does not exist. Cassandra looks at the right first, so it answers either that the right is missing or
 * that there is nothing of this name, and changes nothing. Therefore superusers, inherited roles, rights on a keyspace and on all
 * keyspaces, and clusters without permissions need no rule here. Any other answer is no proof. Nothing is remembered.
 */
final class UserRights {

    /** No table, type or column is called this. */
    private static final String NOTHING = "cassidy_asks_for_a_right";

    /** What is to be altered is not there; Cassandra says so only to a role that might alter it. */
    private static final Pattern MISSING = Pattern.compile("(Table|Keyspace) '[^']*' doesn't exist");

    private final SharedSession session;
    private final Cancellation cancellation;
    private final @Nullable Duration timeout;

    /** @param timeout that of each question; null for the connection's */
    UserRights(SharedSession session, Cancellation cancellation, @Nullable Duration timeout) {
        this.session = session;
        this.cancellation = cancellation;
        this.timeout = timeout;
    }

    /** That one change is the user's right. Nothing but {@link UserRights} makes one, and {@link ProvenChanges} asks for it. */
    static final class Proof {

        private final String subject;

        private Proof(String subject) {
            this.subject = subject;
        }

        boolean isOfTable(String keyspace, String table) {
            return subject.equals(table(keyspace, table));
        }

        boolean isOfColumn(String keyspace, String table, String column) {
            return subject.equals(column(keyspace, table, column));
        }

        boolean isOfSequence(String name) {
            return subject.equals(sequence(name));
        }

        private static String table(String keyspace, String table) {
            return "table " + cql(keyspace, table);
        }

        private static String column(String keyspace, String table, String column) {
            return "column " + cql(keyspace, table) + "." + Identifiers.toCql(column);
        }

        private static String sequence(String name) {
            return "sequence " + name;
        }

        @Override
        public String toString() {
            return subject;
        }
    }

    // ---- tables; all names are internal ones

    /** For a table that is about to be created, with its identity and its defaults: CREATE on the tables of the keyspace. */
    Proof toCreateTable(String keyspace, String table) throws SQLException {
        refuseOwn("CREATE TABLE", keyspace, table);
        require(create(keyspace));
        return new Proof(Proof.table(keyspace, table));
    }

    /** For the defaults of an existing table: ALTER on the table. */
    Proof toAlterTable(String keyspace, String table) throws SQLException {
        refuseOwn("ALTER TABLE", keyspace, table);
        require(alter(keyspace, table));
        return new Proof(Proof.table(keyspace, table));
    }

    /**
     * For the defaults of columns that Cassandra has dropped: the schema no longer has them, so they are nobody's. It does not
     * matter who dropped them, nor whether a statement was read as Cassandra reads it.
     *
     * @return proofs by column, of those alone that are gone
     */
    Map<String, Proof> toForget(String keyspace, String table, List<String> columns) throws SQLException {
        Set<String> existing = new StoredTables(session).columns(keyspace, table);
        Map<String, Proof> gone = new HashMap<>();
        for (String column : columns) {
            if (!existing.contains(column)) {
                gone.put(column, new Proof(Proof.column(keyspace, table, column)));
            }
        }
        return gone;
    }

    // ---- sequences, whose names begin with a keyspace

    /** CREATE on the tables of the sequence's keyspace. */
    Proof toCreateSequence(String keyspace, String name) throws SQLException {
        refuseOwn("CREATE TABLE", keyspace, name);
        require(create(keyspace));
        return new Proof(Proof.sequence(keyspace + "." + name));
    }

    /** DROP on the tables of the sequence's keyspace. */
    Proof toDropSequence(String keyspace, String name) throws SQLException {
        refuseOwn("DROP TABLE", keyspace, name);
        require("DROP TYPE " + cql(keyspace, NOTHING));
        return new Proof(Proof.sequence(keyspace + "." + name));
    }

    /**
     * ALTER on one of the tables whose identity column takes the sequence's ids, or on the tables of the sequence's keyspace. A
     * default NEXT VALUE FOR does not count: everybody can give one to a table of their own.
     *
     * @param identities the columns that are registered for the sequence
     */
    Proof toRestartSequence(String keyspace, String name, List<IdentityColumn> identities) throws SQLException {
        refuseOwn("ALTER TABLE", keyspace, name);
        Proof proof = new Proof(Proof.sequence(keyspace + "." + name));
        UnauthorizedException first = null;
        for (IdentityColumn column : identities) {
            Optional<UnauthorizedException> refusal = ask(alter(column.keyspace(), column.table()));
            if (refusal.isEmpty()) {
                return proof;
            }
            first = first == null ? refusal.get() : first;
        }
        Optional<UnauthorizedException> refusal =
                ask("ALTER TYPE " + cql(keyspace, NOTHING) + " RENAME " + NOTHING + " TO " + NOTHING);
        if (refusal.isPresent()) {
            throw SqlErrors.lacksRight(first == null ? refusal.get() : first);
        }
        return proof;
    }

    /**
     * For the sequence of a table's identity: ALTER on the table.
     *
     * @param sequence the one that is registered for the table
     */
    Proof toReseed(String keyspace, String table, String sequence) throws SQLException {
        refuseOwn("ALTER TABLE", keyspace, table);
        require(alter(keyspace, table));
        return new Proof(Proof.sequence(sequence));
    }

    // ---- questions

    private static String create(String keyspace) {
        return "CREATE TABLE " + cql(keyspace, NOTHING) + " (id int, PRIMARY KEY (" + NOTHING + "))";
    }

    private static String alter(String keyspace, String table) {
        return "ALTER TABLE " + cql(keyspace, table) + " RENAME " + NOTHING + " TO " + NOTHING;
    }

    private static String cql(String keyspace, String name) {
        return Identifiers.toCql(keyspace) + "." + Identifiers.toCql(name);
    }

    /** Whatever the role may do: nothing in Cassidy's own keyspaces has a default, an identity or a sequence. */
    private void refuseOwn(String change, String keyspace, String name) {
        session.preparer().refuseChanges(session.plain(), change + " " + cql(keyspace, name));
    }

    private void require(String question) throws SQLException {
        Optional<UnauthorizedException> refusal = ask(question);
        if (refusal.isPresent()) {
            throw SqlErrors.lacksRight(refusal.get());
        }
    }

    /** Returns why the user's role lacks the right; empty if it has it. */
    private Optional<UnauthorizedException> ask(String question) throws SQLException {
        // It changes nothing, so it may be sent twice.
        SimpleStatement statement =
                SimpleStatement.newInstance(question).setIdempotent(true).setTimeout(timeout);
        CompletableFuture<Optional<UnauthorizedException>> answered = session.plain()
                .executeAsync(statement)
                .toCompletableFuture()
                .handle((rows, failure) -> refusal(question, failure));
        return cancellation.awaitUnsent(answered, null);
    }

    /** Returns what an answer says; throws what is not one. */
    static Optional<UnauthorizedException> refusal(String question, @Nullable Throwable failure) {
        @Nullable Throwable answer = failure == null ? null : Stages.cause(failure);
        if (answer instanceof UnauthorizedException refused && Grants.isMissing(refused)) {
            return Optional.of(refused);
        }
        if (answer instanceof InvalidQueryException) {
            String message = String.valueOf(answer.getMessage());
            if (message.contains(NOTHING)
                    || MISSING.matcher(message).matches()
                    // Guardrails, too, are looked at after the right.
                    || SqlErrors.isByGuardrail(message)) {
                return Optional.empty();
            }
        } else if (answer != null) {
            // Such as a time-out: it says what to do about it.
            throw new CompletionException(answer);
        }
        throw new CompletionException(SqlErrors.rightUnknown(question, answer));
    }
}
