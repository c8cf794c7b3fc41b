package dev.cassidy.migration.rows;

/** Is told how a run goes on. Called by many threads. */
public interface RangeProgress {

    RangeProgress NONE = new RangeProgress() {
        @Override
        public void ranges(int ranges, int done) {}

        @Override
        public void done(String table, long rows) {}
    };

    /** A table has so many ranges, of which some were done before. */
    void ranges(int ranges, int done);

    /** A range of a table is done. */
    void done(String table, long rows);
}
