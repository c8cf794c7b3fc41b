package dev.cassidy.counter;

import dev.cassidy.counter.cassandra.CountedTable;

/** What the name of a counter must be, so that there is room for it in every table. */
final class CounterNames {

    /** Of UTF-8. A partition key holds 65,535 bytes, and those of Cassidy's own tables hold more than the name. */
    private static final int MAX_BYTES = 65_000;

    private static final int SHOWN = 40;

    private CounterNames() {}

    /**
     * Returns the name.
     *
     * @throws IllegalArgumentException if Cassandra cannot store it, or Cassidy uses it
     */
    static String require(String type) {
        if (type.isEmpty()) {
            throw new IllegalArgumentException("must not be empty: type");
        }
        if (type.equals(CountedTable.COUNTER)) {
            throw new IllegalArgumentException(
                    "must be another name than that of Cassidy's own row in each table: type='" + type
                            + "'; use for instance '" + type + "/1'");
        }
        int bytes = 0;
        for (int i = 0; i < type.length(); i++) {
            char c = type.charAt(i);
            if (Character.isHighSurrogate(c) && i + 1 < type.length() && Character.isLowSurrogate(type.charAt(i + 1))) {
                bytes += 4;
                i++;
            } else if (Character.isSurrogate(c)) {
                throw new IllegalArgumentException("must be Unicode text: type has the single surrogate \\u"
                        + Integer.toHexString(c) + " at index " + i + "; use a name that UTF-8 can encode");
            } else {
                bytes += c < 0x80 ? 1 : c < 0x800 ? 2 : 3;
            }
        }
        if (bytes > MAX_BYTES) {
            throw new IllegalArgumentException("must have at most " + MAX_BYTES + " bytes of UTF-8: type='"
                    + type.substring(0, SHOWN) + "...' has " + bytes + "; use a digest of it as the name");
        }
        return type;
    }
}
