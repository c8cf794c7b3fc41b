package dev.cassidy.jdbc.assist;

import java.util.Optional;
import java.util.ServiceLoader;
import java.util.concurrent.atomic.AtomicBoolean;

/** Finds the assistant, once for the process. */
public final class Assistants {

    private static final AtomicBoolean WARM = new AtomicBoolean();

    private Assistants() {}

    private static final class Holder {
        static final Optional<Assistant> FOUND = ServiceLoader.load(Assistant.class, Assistant.class.getClassLoader())
                .findFirst();
    }

    /** Has the assistant ready before it is needed, in a thread of its own; only the first call does anything. */
    public static void warm() {
        if (WARM.compareAndSet(false, true) && find().isPresent()) {
            Thread thread = new Thread(() -> find().orElseThrow().warm(), "cassidy-assist");
            thread.setDaemon(true);
            thread.start();
        }
    }

    /** Returns the assistant; empty if there is none beside this driver. */
    public static Optional<Assistant> find() {
        return Holder.FOUND;
    }

    /**
     * Returns why a statement that the driver's parser refuses is not evaluated in the client; empty if nothing is said of it.
     *
     * @param unread the statement as it was to be read; empty if nothing was
     * @param locking the hint that locks its rows; empty without one
     */
    public static Optional<String> whyNot(String unread, String locking) {
        if (!locking.isEmpty()) {
            return find().map(
                            found -> "the hint " + locking
                                    + " locks rows, and there no row is locked. Leave it out, or lock the rows by a SELECT of their keys");
        }
        return find().filter(found -> !unread.isEmpty())
                .flatMap(found -> found.unread(unread))
                .map(why -> "it cannot be read " + why);
    }
}
