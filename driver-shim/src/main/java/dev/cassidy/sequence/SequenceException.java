package dev.cassidy.sequence;

/** No id can be had, or a sequence cannot be created or changed. The message names the sequence, the rule and the way out. */
public abstract sealed class SequenceException extends RuntimeException {

    private static final long serialVersionUID = 1;

    private SequenceException(String message) {
        super(message);
    }

    private SequenceException(String message, Throwable cause) {
        super(message, cause);
    }

    /** There is no sequence of that name; nothing creates one at 1. */
    public static final class NotFound extends SequenceException {
        private static final long serialVersionUID = 1;

        public NotFound(String message) {
            super(message);
        }
    }

    /** The sequence is registered and waits for its seed. */
    public static final class NotReady extends SequenceException {
        private static final long serialVersionUID = 1;

        public NotReady(String message) {
            super(message);
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
     * The sequence was raised, restarted or dropped, but somebody has not yet let go of older ids and may still issue
     * them. The message names who; the same call again waits for them again.
     */
    public static final class NotAcknowledged extends SequenceException {
        private static final long serialVersionUID = 1;

        public NotAcknowledged(String message) {
            super(message);
        }
    }

    /** Every id of the sequence has been issued or is owned by another process. */
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

    /** What was asked contradicts what is stored: another specification, a lower seed, a spoiled row. */
    public static final class Conflict extends SequenceException {
        private static final long serialVersionUID = 1;

        public Conflict(String message) {
            super(message);
        }
    }

    /** Cassidy's keyspaces or tables are missing, or of a version that this one does not know. */
    public static final class SchemaMissing extends SequenceException {
        private static final long serialVersionUID = 1;

        public SchemaMissing(String message, Throwable cause) {
            super(message, cause);
        }

        public SchemaMissing(String message) {
            super(message);
        }
    }

    /** A time-ordered sequence has no node number in this process now; it may issue ids again once it is attached. */
    public static final class Detached extends SequenceException {
        private static final long serialVersionUID = 1;

        public Detached(String message) {
            super(message);
        }

        public Detached(String message, Throwable cause) {
            super(message, cause);
        }
    }

    /** A time-ordered sequence was destroyed, for ever. */
    public static final class Destroyed extends SequenceException {
        private static final long serialVersionUID = 1;

        public Destroyed(String message) {
            super(message);
        }
    }
}
