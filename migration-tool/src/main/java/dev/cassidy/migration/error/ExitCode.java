package dev.cassidy.migration.error;

import com.datastax.oss.driver.api.core.DriverException;
import dev.cassidy.sequence.SequenceException;

/** The exit codes of the command. */
public enum ExitCode {
    /** Done, or there was nothing to do. */
    OK(0),
    /** A defect of this tool. */
    INTERNAL(1),
    /** The command line is wrong. */
    USAGE(2),
    /** Source and target disagree: ids may collide. */
    RISK(3),
    /** {@code status --min-headroom}: a sequence has less left. */
    LOW(3),
    /** {@code assess}: something would be refused, would behave differently, or was not judged. */
    UNSERVED(3),
    /** {@code tables check}: the contract of a table and its schema or rows disagree. {@code tables alter}: rows break it. */
    DISAGREES(3),
    /** {@code transactions list --older}: there are some. {@code transactions status}: it is pending. */
    UNDECIDED(3),
    /** Refused, because it cannot be done safely; nothing was changed. */
    REFUSED(4),
    /** Some sequences were written and some were not; run it again. */
    PARTIAL(5),
    /** The source could not be read. */
    SOURCE(6),
    /** Cassandra could not be reached, read or written; no sequence was made ready. */
    CASSANDRA(7),
    /** {@code plan --detailed-exitcode}: {@code seed} would change something. */
    PENDING(10),
    INTERRUPTED(130);

    private final int code;

    ExitCode(int code) {
        this.code = code;
    }

    public int code() {
        return code;
    }

    /** Returns what a failure of a command means to its caller. */
    public static ExitCode of(Exception e) {
        if (e instanceof MigrationException known) {
            return known.exitCode();
        }
        if (Thread.currentThread().isInterrupted()) {
            return INTERRUPTED;
        }
        if (e instanceof SequenceException.Conflict || e instanceof SequenceException.Exhausted) {
            return REFUSED;
        }
        return e instanceof SequenceException || e instanceof DriverException ? CASSANDRA : INTERNAL;
    }
}
