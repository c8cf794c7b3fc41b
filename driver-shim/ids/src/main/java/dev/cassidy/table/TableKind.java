package dev.cassidy.table;

/**
 * What kind of table a contract is of. It follows from what the contract says, so the two cannot contradict each other: a table of
 * T-SQL is one whose columns are declared. Only the kind of counters is stored in so many words.
 */
public sealed interface TableKind {

    /** T-SQL created the table, or an operator has adopted it: its columns are declared. */
    record Tsql() implements TableKind {
        @Override
        public String toString() {
            return "T-SQL table";
        }
    }

    /** Made by CQL. Its identity, defaults or write mode are registered; its columns are not declared. */
    record Cql() implements TableKind {
        @Override
        public String toString() {
            return "CQL table";
        }
    }

    /**
     * A table of counters, which nothing but counters of this kind writes.
     *
     * @param kind the name of the kind, {@code FOLDED} for instance
     */
    record Counters(String kind) implements TableKind {
        @Override
        public String toString() {
            return "table of " + kind + " counters";
        }
    }
}
