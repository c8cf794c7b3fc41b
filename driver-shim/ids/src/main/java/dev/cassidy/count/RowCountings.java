package dev.cassidy.count;

import java.util.Optional;
import java.util.ServiceLoader;

/** Finds what counts, once for the process. */
public final class RowCountings {

    /** What has to be on the class path. */
    public static final String ARTIFACT = "dev.cassidy:cassidy-counters";

    private RowCountings() {}

    private static final class Holder {
        static final Optional<RowCounting> FOUND = ServiceLoader.load(
                        RowCounting.class, RowCounting.class.getClassLoader())
                .findFirst();
    }

    /** Returns it; empty if {@link #ARTIFACT} is not on the class path. */
    public static Optional<RowCounting> find() {
        return Holder.FOUND;
    }
}
