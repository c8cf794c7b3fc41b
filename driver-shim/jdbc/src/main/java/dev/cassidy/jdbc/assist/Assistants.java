package dev.cassidy.jdbc.assist;

import java.util.Optional;
import java.util.ServiceLoader;

/** Finds the assistant, once for the process. */
public final class Assistants {

    private Assistants() {}

    private static final class Holder {
        static final Optional<Assistant> FOUND = ServiceLoader.load(Assistant.class, Assistant.class.getClassLoader())
                .findFirst();
    }

    /** Returns the assistant; empty if there is none beside this driver. */
    public static Optional<Assistant> find() {
        return Holder.FOUND;
    }
}
