package dev.cassidy.cql;

import dev.cassidy.remedy.Remedied;
import dev.cassidy.remedy.Remedy;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A statement, mostly an insert, was refused before anything was sent. The message names the value, the rule and a workaround. */
public final class IdentityInsertException extends RuntimeException implements Remedied {

    private static final long serialVersionUID = 1;

    /** Why a statement was refused. */
    public enum Reason {
        /** The only key column is an integer, the insert leaves it out, and no sequence is registered for it. */
        NOT_REGISTERED,
        /** An explicit key of a table that may be registered: the global keyspace has not answered since the start. */
        REGISTRATION_UNKNOWN,
        /** Another installation of Cassidy than the session's numbers the table, or keeps its contract; of UPDATE and DELETE too. */
        OTHER_INSTALLATION,
        /** Prepared before the table's identity was registered: it has no place for an id. Prepared again it has. */
        PREPARED_BEFORE_REGISTRATION,
        /** An explicit id lies where the sequence issues: Cassandra would overwrite the row that has or gets this id. */
        EXPLICIT_ID,
        /** An id lies outside the range of the column's type. */
        DOES_NOT_FIT,
        /** The identity column is not a smallint, int or bigint, or is missing from the table. */
        COLUMN_TYPE,
        /** The id is an expression, which only the server could evaluate. */
        ID_EXPRESSION,
        /** INSERT JSON into a table with an identity. */
        JSON,
        /** An identity insert within BEGIN BATCH. */
        BATCH_TEXT,
        /** An identity insert through the reactive or the continuous API. */
        RESULT_TYPE,
        /** ALTER TABLE ... RENAME of a column of which something is declared, which would be lost. */
        RENAME
    }

    private final Reason reason;
    private final String problem;
    private final @Nullable Remedy remedy;

    IdentityInsertException(Reason reason, String message) {
        super(message);
        this.reason = Objects.requireNonNull(reason, "reason");
        this.problem = message;
        this.remedy = null;
    }

    IdentityInsertException(Reason reason, String problem, Remedy remedy) {
        super(Remedied.message(problem, Optional.of(remedy.inJava())));
        this.reason = Objects.requireNonNull(reason, "reason");
        this.problem = problem;
        this.remedy = remedy;
    }

    IdentityInsertException(Reason reason, String message, Throwable cause) {
        super(message, cause);
        this.reason = Objects.requireNonNull(reason, "reason");
        this.problem = message;
        this.remedy = null;
    }

    @Override
    public String problem() {
        return problem;
    }

    @Override
    public Optional<Remedy> remedy() {
        return Optional.ofNullable(remedy);
    }

    public Reason reason() {
        return reason;
    }
}
