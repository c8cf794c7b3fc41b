package dev.cassidy.examples.quickstart;

/**
 * Something that the quickstart claims.
 *
 * @param claim with the figures that show it
 */
record Check(String claim, boolean held) {

    @Override
    public String toString() {
        return (held ? "[ok]   " : "[FAIL] ") + claim;
    }
}
