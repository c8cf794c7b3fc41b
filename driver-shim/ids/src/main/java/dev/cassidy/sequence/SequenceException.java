package dev.cassidy.sequence;

import dev.cassidy.remedy.Remedied;
import dev.cassidy.remedy.Remedy;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * No id can be issued, or a sequence cannot be created or changed. The message names the sequence, the rule and what to do.
 */
public abstract sealed class SequenceException extends RuntimeException implements Remedied {

    private static final long serialVersionUID = 1;

    private final String problem;
    private final @Nullable Remedy remedy;

    private SequenceException(String message) {
        super(message);
        this.problem = message;
        this.remedy = null;
    }

    private SequenceException(String message, Throwable cause) {
        super(message, cause);
        this.problem = message;
        this.remedy = null;
    }

    private SequenceException(String problem, Remedy remedy) {
        super(Remedied.message(problem, Optional.of(remedy.inJava())));
        this.problem = problem;
        this.remedy = remedy;
    }

    @Override
    public String problem() {
        return problem;
    }

    @Override
    public Optional<Remedy> remedy() {
        return Optional.ofNullable(remedy);
    }

    /** There is no sequence of this name. It is not created implicitly, since it would begin at 1. */
    public static final class NotFound extends SequenceException {
        private static final long serialVersionUID = 1;

        public NotFound(String message) {
            super(message);
        }

        public NotFound(String problem, Remedy remedy) {
            super(problem, remedy);
        }
    }

    /** The sequence is registered, but has not been seeded yet. */
    public static final class NotReady extends SequenceException {
        private static final long serialVersionUID = 1;

        public NotReady(String message) {
            super(message);
        }

        public NotReady(String problem, Remedy remedy) {
            super(problem, remedy);
        }
    }

    /** The sequence was dropped, or dropped and created again: its old ids are never issued again. */
    public static final class Dropped extends SequenceException {
        private static final long serialVersionUID = 1;

        public Dropped(String message) {
            super(message);
        }
    }

    /**
     * The sequence was raised, restarted or dropped, but a process or datacenter has not acknowledged it yet and may still
     * issue older ids. The message names which. To wait for it again, repeat the call.
     */
    public static final class NotAcknowledged extends SequenceException {
        private static final long serialVersionUID = 1;

        private final Duration forgettable;

        public NotAcknowledged(String message) {
            this(message, Duration.ZERO);
        }

        public NotAcknowledged(String message, Duration forgettable) {
            super(message);
            this.forgettable = forgettable;
        }

        /**
         * Returns how long nodes that are killed may still forget what was done; zero if that is over, and processes or
         * datacenters hold older ids.
         */
        public Duration forgettable() {
            return forgettable;
        }
    }

    /** Every id of the sequence has been issued or is held by another process. */
    public static final class Exhausted extends SequenceException {
        private static final long serialVersionUID = 1;

        public Exhausted(String message) {
            super(message);
        }
    }

    /** Cassandra did not answer in time, or not enough of its replicas did; a later call may succeed. */
    public static final class Unavailable extends SequenceException {
        private static final long serialVersionUID = 1;

        public Unavailable(String message) {
            super(message);
        }

        public Unavailable(String message, Throwable cause) {
            super(message, cause);
        }
    }

    /** The request contradicts what is stored: another specification, a lower seed, a damaged row, tables of another version. */
    public static final class Conflict extends SequenceException {
        private static final long serialVersionUID = 1;

        public Conflict(String message) {
            super(message);
        }

        public Conflict(String problem, Remedy remedy) {
            super(problem, remedy);
        }
    }

    /** Cassidy's keyspaces or tables are missing. */
    public static final class SchemaMissing extends SequenceException {
        private static final long serialVersionUID = 1;

        public SchemaMissing(String message, Throwable cause) {
            super(message, cause);
        }

        public SchemaMissing(String message) {
            super(message);
        }

        public SchemaMissing(String problem, Remedy remedy) {
            super(problem, remedy);
        }
    }

    /** The session's role lacks a right. The message names the statement that grants it, if the server says what is missing. */
    public static final class Forbidden extends SequenceException {
        private static final long serialVersionUID = 1;

        public Forbidden(String message) {
            super(message);
        }

        public Forbidden(String message, Throwable cause) {
            super(message, cause);
        }
    }

    /** A time-ordered sequence has no node number in this process now. It issues ids again once it has one. */
    public static final class Detached extends SequenceException {
        private static final long serialVersionUID = 1;

        public Detached(String message) {
            super(message);
        }

        public Detached(String message, Throwable cause) {
            super(message, cause);
        }
    }

    /** A time-ordered sequence was destroyed. It cannot be created again. */
    public static final class Destroyed extends SequenceException {
        private static final long serialVersionUID = 1;

        public Destroyed(String message) {
            super(message);
        }
    }
}
