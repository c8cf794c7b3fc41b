package dev.cassidy.remedy;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What a user can do about an error. It is made where the error is found, and told where the user is: as a line for a shell
 * ({@link CommandLines}), as SQL, or as Java. Names are those of Cassandra, without quotes.
 */
public sealed interface Remedy extends Serializable {

    /** Returns the sentence that tells of this in Java. */
    String inJava();

    /** Returns the statement that does it in SQL; empty if none does. */
    default Optional<String> sql() {
        return Optional.empty();
    }

    /** A remedy that the command {@code cassidy} has. */
    sealed interface ByCommand extends Remedy {

        /** Returns the words of the command line, without {@code cassidy} and without what names the cluster. */
        List<String> words();
    }

    /** Cassidy's keyspaces and tables are to be created, or brought up to date. */
    record Init(String datacenter, int replicas) implements ByCommand {
        @Override
        public String inJava() {
            return "Call: CassidySchema.install(session, Replication.parse(\"" + datacenter + ":" + replicas
                    + "\"), config)";
        }

        @Override
        public List<String> words() {
            return List.of("init", "--replication", datacenter + ":" + replicas);
        }
    }

    /** A column is to become an identity column, with a sequence of the table's name. */
    record RegisterIdentity(String keyspace, String table, String column) implements ByCommand {
        @Override
        public String inJava() {
            String sequence = keyspace + "." + table;
            return "Call: sequences.create for " + sequence + ", with a start past every id of the table, then"
                    + " sequences.registerIdentity(new IdentityColumn(\"" + keyspace + "\", \"" + table + "\", \""
                    + column + "\", \"" + sequence + "\"))";
        }

        @Override
        public List<String> words() {
            return List.of("ids", "register", "--table", cql(keyspace) + "." + cql(table), "--column", cql(column));
        }
    }

    /**
     * The writes to a table are to be exact.
     *
     * @param writes as the command takes it: exact, exact:datacenter or serial
     */
    record DeclareWrites(String keyspace, String table, String writes) implements ByCommand {
        @Override
        public String inJava() {
            return "Run cassidy tables declare for table " + keyspace + "." + table + " with --writes " + writes;
        }

        @Override
        public List<String> words() {
            return List.of("tables", "declare", "--table", cql(keyspace) + "." + cql(table), "--writes", writes);
        }
    }

    /** A table is to be declared small, so that a statement may read all of its rows. */
    record DeclareSmall(String keyspace, String table) implements ByCommand {
        @Override
        public String inJava() {
            return "Run cassidy tables small for table " + keyspace + "." + table;
        }

        @Override
        public List<String> words() {
            return List.of("tables", "small", "--table", cql(keyspace) + "." + cql(table));
        }
    }

    /**
     * Statements are to be evaluated in the client again, which an operator has turned off.
     *
     * @param statement the hash of one; empty for all
     */
    record AssistOn(String statement) implements ByCommand {
        @Override
        public String inJava() {
            return "Run cassidy assist on" + (statement.isEmpty() ? "" : " for statement " + statement);
        }

        @Override
        public List<String> words() {
            return statement.isEmpty() ? List.of("assist", "on") : List.of("assist", "on", "--statement", statement);
        }
    }

    /** What Cassandra does not keep of a table's columns is to be declared, since the table was made or changed by other means. */
    record AdoptTable(String keyspace, String table) implements ByCommand {
        @Override
        public String inJava() {
            return "Run cassidy tables adopt for table " + keyspace + "." + table;
        }

        @Override
        public List<String> words() {
            return List.of("tables", "adopt", "--table", cql(keyspace) + "." + cql(table));
        }
    }

    /**
     * What rows that are there may break is to be declared of a table, which needs a look at all of them.
     *
     * @param columns as T-SQL writes them after ALTER COLUMN; empty if there are none
     * @param constraint as T-SQL writes it after ADD; empty if there is none
     */
    record AlterTable(String keyspace, String table, String columns, String constraint) implements ByCommand {
        @Override
        public String inJava() {
            return "Run cassidy tables alter for table " + keyspace + "." + table + " with "
                    + String.join(" ", change());
        }

        @Override
        public List<String> words() {
            return Stream.concat(
                            Stream.of("tables", "alter", "--table", cql(keyspace) + "." + cql(table)),
                            change().stream())
                    .toList();
        }

        private List<String> change() {
            List<String> change = new ArrayList<>();
            if (!columns.isEmpty()) {
                change.addAll(List.of("--columns", columns));
            }
            if (!constraint.isEmpty()) {
                change.addAll(List.of("--add", constraint));
            }
            return change;
        }
    }

    /**
     * A UNIQUE is to be kept of a table that has rows, each of which needs a reservation.
     *
     * @param unique as T-SQL writes it after ADD, or a unique index as after CREATE, without its table
     */
    record AddUnique(String keyspace, String table, String unique) implements ByCommand {
        @Override
        public String inJava() {
            return "Run cassidy tables add-unique for table " + keyspace + "." + table + " with --unique " + unique;
        }

        @Override
        public List<String> words() {
            return List.of("tables", "add-unique", "--table", cql(keyspace) + "." + cql(table), "--unique", unique);
        }
    }

    /** An index is to compare strings of a table that has rows, each of which needs the form that is compared. */
    record AddTwin(String keyspace, String table, String column) implements ByCommand {
        @Override
        public String inJava() {
            return "Run cassidy tables add-twin for table " + keyspace + "." + table + " with --column " + cql(column);
        }

        @Override
        public List<String> words() {
            return List.of("tables", "add-twin", "--table", cql(keyspace) + "." + cql(table), "--column", cql(column));
        }
    }

    /** A column of a table that is there is to count. */
    record CountColumn(String keyspace, String table, String column) implements ByCommand {
        @Override
        public String inJava() {
            return "Run cassidy tables count for table " + keyspace + "." + table + " with --column " + cql(column);
        }

        @Override
        public List<String> words() {
            return List.of("tables", "count", "--table", cql(keyspace) + "." + cql(table), "--column", cql(column));
        }
    }

    /** Rows and reservations of a table's UNIQUE are to be made to agree. */
    record RebuildUnique(String keyspace, String table) implements ByCommand {
        @Override
        public String inJava() {
            return "Run cassidy tables rebuild for table " + keyspace + "." + table;
        }

        @Override
        public List<String> words() {
            return List.of("tables", "rebuild", "--table", cql(keyspace) + "." + cql(table));
        }
    }

    /** A table is to be given to another installation, or this was begun and not completed. */
    record MoveTable(String keyspace, String table, String to) implements ByCommand {
        @Override
        public String inJava() {
            return "Run cassidy tables move for table " + keyspace + "." + table + " with --to " + to;
        }

        @Override
        public List<String> words() {
            return List.of("tables", "move", "--table", cql(keyspace) + "." + cql(table), "--to", cql(to));
        }
    }

    /** A sequence is to be created. */
    record CreateSequence(String sequence) implements Remedy {
        @Override
        public String inJava() {
            return "Call: sequences.create(SequenceSpec.of(\"" + sequence + "\", type, start, increment))";
        }

        @Override
        public Optional<String> sql() {
            return Optional.of("CREATE SEQUENCE " + sequence + " AS BIGINT START WITH n");
        }
    }

    /** A sequence is to begin, past every id that exists. */
    record Seed(String sequence) implements Remedy {
        @Override
        public String inJava() {
            return "Call: sequences.admin().seed(\"" + sequence + "\", next), or run cassidy migrate seed";
        }

        @Override
        public Optional<String> sql() {
            return Optional.of("ALTER SEQUENCE " + sequence
                    + " RESTART WITH n, past every id that exists, or cassidy migrate seed");
        }
    }

    private static String cql(String name) {
        return name.matches("[a-z][a-z0-9_]*") ? name : '"' + name.replace("\"", "\"\"") + '"';
    }
}
