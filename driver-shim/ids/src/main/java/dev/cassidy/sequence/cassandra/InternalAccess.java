package dev.cassidy.sequence.cassandra;

import com.datastax.oss.driver.api.core.CqlSession;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.table.TableRegistry;
import dev.cassidy.toggle.Assistance;
import java.util.concurrent.CompletionStage;

/**
 * What the session, the JDBC driver and the migration tool need of {@link Sequences} beyond what an application sees. Not for
 * applications: it may change without notice.
 */
public final class InternalAccess {

    private InternalAccess() {}

    /** Returns what is registered of the application's tables; it is closed with the sequences. */
    public static TableRegistry tables(Sequences sequences) {
        return sequences.tables();
    }

    /** Returns which statements are not evaluated in the client, because an operator has turned that off. */
    public static Assistance assistance(Sequences sequences) {
        return sequences.assistance();
    }

    /** Returns the session through which the sequences read and write Cassidy's own tables, with the rights that this takes. */
    public static CqlSession session(Sequences sequences) {
        return sequences.session();
    }

    /**
     * Draws the next id of a sequence for an application that asked for it, and not for a row. Blocks, and fails, as {@link
     * Sequences#allocator} and its {@code nextLong}.
     */
    public static long nextShown(Sequences sequences, String name) {
        return sequences.nextShown(name);
    }

    /**
     * Returns whether {@link #nextShown} of these sequences has drawn an id, so that no row has got it or gets it otherwise, and
     * they still know it. Also whether an id lies between two of a sequence with an increment, and is next to one that was
     * drawn: an application that counts in blocks makes such ids itself, and the sequence issues none of them. Does no I/O.
     */
    public static boolean hasShown(Sequences sequences, String name, long id) {
        return sequences.hasShown(name, id);
    }

    /**
     * Returns this datacenter's copy of a sequence: specification, incarnation, readiness and floor, but not the global
     * level's {@code next}, which is left empty. A copy that is ready is remembered for a watch interval; its floor can only
     * be higher than remembered.
     *
     * @return a stage that fails with {@link SequenceException.NotFound} if there is no such sequence
     */
    public static CompletionStage<SequenceState> localStateAsync(Sequences sequences, String name) {
        return sequences.localStateAsync(name);
    }
}
