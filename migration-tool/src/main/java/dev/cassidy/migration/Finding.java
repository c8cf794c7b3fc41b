package dev.cassidy.migration;

/** Something that the user should know about a table. */
record Finding(Level level, String message) {

    enum Level {
        INFO,
        WARNING,
        /** The target may issue, or may have issued, an id of the source. */
        RISK,
        /** Nothing is changed before this is resolved. */
        REFUSED
    }

    static Finding info(String message) {
        return new Finding(Level.INFO, message);
    }

    static Finding warning(String message) {
        return new Finding(Level.WARNING, message);
    }

    static Finding risk(String message) {
        return new Finding(Level.RISK, message);
    }

    static Finding refused(String message) {
        return new Finding(Level.REFUSED, message);
    }
}
