package dev.cassidy.tsql;

import dev.cassidy.insert.CqlInsert;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What decides, when the parameters are known, whether a statement of CQL says the same as that of T-SQL. */
public sealed interface Guard {

    /**
     * The rows that a SELECT shows must be the same when its transaction commits: UPDLOCK and the like.
     *
     * @param ranges whether further rows must not appear either: HOLDLOCK
     * @param exclusive whether no other transaction that has locked one of the rows so may commit in between: UPDLOCK and XLOCK
     */
    record Locks(boolean ranges, boolean exclusive) implements Guard {}

    /** The statement finds no row, whatever the table contains: TOP 0, {@code WHERE 1 = 0}. */
    record NoRows() implements Guard {}

    /**
     * The number of rows that TOP allows. CQL has no LIMIT 0.
     *
     * @param parameter the index of the script's {@code ?}
     */
    record Limit(int parameter) implements Guard {}

    /**
     * A comparison of two parameters, {@code ? = ?}, as mappers write what is always true or never.
     *
     * @param left the index of the script's {@code ?}
     * @param equal whether the two must be equal, or must differ
     */
    record Compared(int left, int right, boolean equal) implements Guard {}

    /**
     * The statement finds the rows of all these reads; each finds the row of a whole key.
     *
     * @param reads the first is the statement itself
     * @param limit how many rows at most; null for all
     */
    record Rows(List<Read> reads, @Nullable Operand limit) implements Guard {

        /** More are refused: each is a read of its own. */
        public static final int MAX_READS = 100;

        public Rows {
            reads = List.copyOf(reads);
        }
    }

    /**
     * A SELECT of CQL.
     *
     * @param parameters for each of its {@code ?} the index of the script's
     */
    record Read(String cql, List<Integer> parameters) {
        public Read {
            parameters = List.copyOf(parameters);
        }
    }

    /**
     * The number of rows that OFFSET skips, which must be 0: CQL skips none.
     *
     * @param parameter the index of the script's {@code ?}
     */
    record NoOffset(int parameter) implements Guard {

        public static final String INSTEAD =
                "read on behind the key of the last row, WHERE key > ?, or read all pages with setFetchSize";
    }

    /**
     * A pattern of LIKE that must be a plain text, because {@code =} is sent for LIKE.
     *
     * @param parameter the index of the script's {@code ?}
     */
    record NoWildcard(int parameter, String column) implements Guard {

        /** Returns whether a pattern may match other texts than {@code =}: more of them, or fewer by its blank at the end. */
        public static boolean isIn(String pattern) {
            return pattern.indexOf('%') >= 0
                    || pattern.indexOf('_') >= 0
                    || pattern.indexOf('[') >= 0
                    || pattern.endsWith(" ");
        }
    }

    /**
     * The strings of a column compare by their bytes, whatever its collation: the statement says so by a binary one.
     *
     * @param column its internal name
     */
    record ByBytes(String column) implements Guard {}

    /**
     * A column of the key that an UPDATE sets. It must be set to the value that it has in WHERE; it is left out of the
     * statement that is sent.
     *
     * @param column its internal name
     */
    record SameKey(CqlInsert.Table table, String column, Operand assigned, Operand key) implements Guard {}

    /**
     * A value of a statement: a parameter or a literal.
     *
     * @param parameter the index of the script's {@code ?}; -1 for a literal
     * @param literal without its quotes; null for a parameter, and for NULL
     */
    record Operand(int parameter, @Nullable String literal) {}
}
