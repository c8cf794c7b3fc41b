package dev.cassidy.migration.error;

/** Something that the user should know about a table. */
public record Finding(Level level, String message) {

    public enum Level {
        INFO,
        WARNING,
        /** The target may issue, or may have issued, an id of the source. */
        RISK,
        /** Nothing is changed before this is resolved. */
        REFUSED
    }

    public static Finding info(String message) {
        return new Finding(Level.INFO, message);
    }

    public static Finding warning(String message) {
        return new Finding(Level.WARNING, message);
    }

    public static Finding risk(String message) {
        return new Finding(Level.RISK, message);
    }

    public static Finding refused(String message) {
        return new Finding(Level.REFUSED, message);
    }
}
