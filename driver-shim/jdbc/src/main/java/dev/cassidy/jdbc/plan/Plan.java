package dev.cassidy.jdbc.plan;

import java.util.ArrayList;
import java.util.List;

/** How one step of a statement is served. Nothing of it has run. Immutable. */
public sealed interface Plan {

    /** What is counted of the statements that run. */
    enum Kind {
        /** Rows are read or written by CQL, or the driver answers by itself. */
        DIRECT,
        /** Rows are read by CQL, and the driver evaluates the statement over them. */
        ASSISTED,
        /** Tables, indexes, sequences, constraints or rights change. */
        DEFINITION,
        /** What follows is read or shown otherwise, or not at all. */
        SETTING,
        /** Nothing is done. */
        REFUSED
    }

    Kind kind();

    /** Returns the plan as {@code SET SHOWPLAN_TEXT} shows it: a line that says how, and below it the CQL. */
    List<String> lines();

    /**
     * Rows are read or written by CQL, or the driver answers by itself.
     *
     * @param way by which way the rows are reached, or under which condition they are written
     * @param cql what is sent, in this order; {@code ?} are the statement's own; empty if nothing is sent
     * @param filled what the driver gives the rows in addition: each a column and where its value comes from
     */
    record Direct(String way, List<String> cql, List<String> filled) implements Plan {
        public Direct {
            cql = List.copyOf(cql);
            filled = List.copyOf(filled);
        }

        @Override
        public Kind kind() {
            return Kind.DIRECT;
        }

        @Override
        public List<String> lines() {
            List<String> below = new ArrayList<>(cql);
            below.addAll(filled);
            return Plan.lines("Direct: " + way, below);
        }
    }

    /**
     * Rows are read by CQL, and the driver evaluates the statement over them.
     *
     * @param statement by what operators name the statement
     * @param reads what is read, in this order
     * @param writes what is done with each row that is found; empty of a SELECT
     */
    record Assisted(String statement, List<Read> reads, String writes) implements Plan {
        public Assisted {
            reads = List.copyOf(reads);
        }

        /** By what rows are found, from the cheapest to the dearest. */
        public enum Reach {
            /** The whole primary key: one row for each key. */
            KEY,
            /** The partition key, and perhaps the first clustering columns. */
            PARTITION,
            /** A column with an index, or with UNIQUE. */
            INDEX,
            /** Nothing: the rows of the whole table are read, as far as a bound allows that. */
            SCAN
        }

        /**
         * A read of one table.
         *
         * @param keyspace internal name
         * @param table internal name
         * @param columns by which its rows are found, by internal name; none of a scan
         * @param helpful the columns of which indexes would spare a scan; none if it is none, or no index would
         * @param small whether the table is declared small, so that a scan is bounded by {@code assistRows} alone
         */
        public record Read(
                String keyspace, String table, Reach reach, List<String> columns, List<String> helpful, boolean small) {
            public Read {
                columns = List.copyOf(columns);
                helpful = List.copyOf(helpful);
            }

            @Override
            public String toString() {
                String named = keyspace + "." + table;
                String by = String.join(", ", columns);
                return switch (reach) {
                    case KEY -> named + " by its key (" + by + ")";
                    case PARTITION -> named + " within partitions, by (" + by + ")";
                    case INDEX -> named + " by the index on " + by;
                    case SCAN ->
                        named + ", all rows"
                                + (helpful.isEmpty()
                                        ? ""
                                        : "; found by an index on " + String.join(" and by one on ", helpful));
                };
            }
        }

        /** Returns the reads and writes, a line each. */
        public List<String> steps() {
            List<String> steps = new ArrayList<>();
            reads.forEach(read -> steps.add(read.toString()));
            if (!writes.isEmpty()) {
                steps.add(writes);
            }
            return List.copyOf(steps);
        }

        @Override
        public Kind kind() {
            return Kind.ASSISTED;
        }

        @Override
        public List<String> lines() {
            return Plan.lines(
                    "Assisted: evaluated in the client, over rows that are read; statement " + statement, steps());
        }
    }

    /**
     * Tables, indexes, sequences, constraints or rights change.
     *
     * @param what the change, as T-SQL
     * @param cql what is sent; empty if Cassandra's own tables stay as they are
     */
    record Definition(String what, List<String> cql) implements Plan {
        public Definition {
            cql = List.copyOf(cql);
        }

        @Override
        public Kind kind() {
            return Kind.DEFINITION;
        }

        @Override
        public List<String> lines() {
            return Plan.lines("Definition: " + what, cql);
        }
    }

    /** What follows is read or shown otherwise, or not at all; {@code what} is T-SQL. */
    record Setting(String what) implements Plan {
        @Override
        public Kind kind() {
            return Kind.SETTING;
        }

        @Override
        public List<String> lines() {
            return Plan.lines("Setting: " + what, List.of());
        }
    }

    /**
     * Nothing is done.
     *
     * @param reason what is refused, and what to do instead
     * @param sqlState of the error
     */
    record Refused(String reason, String sqlState) implements Plan {
        @Override
        public Kind kind() {
            return Kind.REFUSED;
        }

        @Override
        public List<String> lines() {
            return Plan.lines("Refused: " + reason, List.of());
        }
    }

    private static List<String> lines(String first, List<String> below) {
        List<String> lines = new ArrayList<>();
        lines.add("  |--" + first.strip().replaceAll("\\s*\\R\\s*", " "));
        below.forEach(line -> lines.add("       " + line.strip().replaceAll("\\s*\\R\\s*", " ")));
        return List.copyOf(lines);
    }
}
