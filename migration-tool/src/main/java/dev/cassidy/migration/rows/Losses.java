package dev.cassidy.migration.rows;

/** Receives each value that Cassandra cannot keep as it is. Called by the thread that reads the row. */
public interface Losses {

    /** How a value changes. */
    enum Kind {
        /** Digits of a second after the millisecond. */
        FRACTION_OF_SECOND("the time after the millisecond is cut off"),
        OFFSET("the offset is lost, the instant stays"),
        /** A time that the clocks of the zone skip. */
        SKIPPED_HOUR("the zone's clocks skip this time"),
        SCALE("digits after the point are cut off"),
        PRECISION("a floating-point number has fewer digits"),
        TIME_OF_DAY("the time of day is cut off");

        private final String meaning;

        Kind(String meaning) {
            this.meaning = meaning;
        }

        public String meaning() {
            return meaning;
        }
    }

    /**
     * A value would change.
     *
     * @throws RowRefused if that is not accepted
     */
    void changed(MovedColumn column, Kind kind, Object was, Object becomes);
}
