package dev.cassidy.jdbc.error;

import java.sql.SQLDataException;
import java.sql.SQLException;
import java.sql.SQLSyntaxErrorException;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Statements that Cassandra refuses, in the driver's own words: what is wrong and what to do instead. Cassandra's words
 * are written for those who know its storage; they remain the cause of the exception.
 */
final class ServerRefusals {

    /**
     * One kind of refusal.
     *
     * @param server matches Cassandra's whole message
     * @param message what the driver says; {@code $1} is the first group of {@code server}
     * @param number SQL Server's; 0 if it has none
     */
    private record Rule(Pattern server, String state, int number, String message) {}

    /** The server's parser says so of an UPDATE. */
    private static final Pattern ASSIGNED_TWICE = Pattern.compile("Multiple incompatible setting of column ([^\\s)]+)");

    private static final List<Rule> RULES = List.of(
            // ---- names
            rule(
                    "Keyspace '?([^' ]+)'? does ?n(?:o|')t exist.*",
                    SqlStates.NO_KEYSPACE,
                    0,
                    "Keyspace $1 does not exist: create it, or name another one in the URL or in front of the table"),
            rule(
                    "(?:unconfigured table|unknown table|unknown keyspace/cf pair|table) '?\\(?([^' )]+)\\)?'?"
                            + "(?: does ?n(?:o|')t exist.*)?",
                    SqlStates.NO_TABLE,
                    SqlServerErrors.NO_TABLE,
                    "Table $1 does not exist: check its name and its keyspace, or create it first"),
            rule(
                    "(?:Undefined (?:column )?name|Unknown identifier|Unknown column(?: name)?) '?([^' ]+)'?"
                            + "(?: in table (\\S+))?",
                    SqlStates.NO_COLUMN,
                    SqlServerErrors.NO_COLUMN,
                    "Invalid column name '$1': the table $2 has no such column"),
            rule(
                    "Column (?:with name )?'?([^' ]+)'? (?:does ?n(?:o|')t exist.*|was not found in table '?([^' ]+)'?)",
                    SqlStates.NO_COLUMN,
                    SqlServerErrors.NO_COLUMN,
                    "Invalid column name '$1': the table $2 has no such column"),
            rule(
                    "(?:Index|index) '?([^' ]+)'? (?:does ?n(?:o|')t exist|could not be found).*",
                    SqlStates.SYNTAX_OR_RULE,
                    0,
                    "Index $1 does not exist: check its name and its keyspace"),
            rule(
                    "Unsupported type: (\\S+)",
                    SqlStates.SYNTAX_OR_RULE,
                    0,
                    "No storage-attached index (SAI) takes a column of type $1: keep a table with that column as its key"),
            rule(
                    "Unsupported (null|unset) value for column (\\S+)",
                    SqlStates.SYNTAX_OR_RULE,
                    0,
                    "$2 is compared with a value that is $1: give it one. Cassandra finds no rows by IS NULL"),
            rule(
                    "Unknown function '?([^' ]*crdt_[^' ]+?)'?(?: called.*)?",
                    SqlStates.SYNTAX_OR_RULE,
                    0,
                    "Cassandra has no function $1 in the keyspace of the table: Cassidy installs it there by"
                            + " CrdtFunctions.install(session, keyspace), or by cqlsh -k KEYSPACE -f crdt-functions.cql"),
            rule(
                    "Unknown function '?([^' ]+?)'?(?: called.*)?",
                    SqlStates.SYNTAX_OR_RULE,
                    0,
                    "Cassandra has no function $1: calculate its result in the application and pass it as a parameter, or"
                            + " create a function of that name"),
            rule(
                    "Invalid (?:call to|number of arguments (?:in call to|specified for)) function ([^ ,:]+).*"
                            + "|Incorrect number of arguments specified for function (\\S+).*"
                            + "|Type error: .* cannot be passed as argument \\d+ of function (\\S+) .*"
                            + "|Ambiguous call to function (\\S+) .*",
                    SqlStates.SYNTAX_OR_RULE,
                    0,
                    "The function $1$2$3$4 takes other arguments, or arguments of other types: give it columns or values of"
                            + " the types that it takes, with CAST where they are not clear"),
            // ---- WHERE
            rule(
                    "Cannot execute this query as it might involve data filtering.* has been disabled by the"
                            + " allow_filtering_enabled property.*",
                    SqlStates.SYNTAX_OR_RULE,
                    0,
                    "Cassandra would read the whole table to find these rows, and this cluster forbids that by"
                            + " allow_filtering_enabled: name the whole partition key in WHERE, create an index on a column of"
                            + " WHERE, or keep a table with those columns as its key"),
            rule(
                    "Cannot execute this query as it might involve data filtering.*",
                    SqlStates.SYNTAX_OR_RULE,
                    0,
                    "Cassandra would read the whole table to find these rows: name the whole partition key in WHERE, create"
                            + " an index on a column of WHERE, or keep a table with those columns as its key. ALLOW"
                            + " FILTERING at the end accepts the cost"),
            rule(
                    "Non PRIMARY KEY columns found in where clause: (.*?)\\s*",
                    SqlStates.SYNTAX_OR_RULE,
                    0,
                    "WHERE of an UPDATE or DELETE names $1, which is no part of the primary key: name the row by its"
                            + " primary key alone; if it shall change only if $1 has a certain value, write that behind IF,"
                            + " as WHERE id = 1 IF version = 2"),
            rule(
                    "Some (?:partition key parts|clustering keys) are missing: (.*?)\\s*",
                    SqlStates.SYNTAX_OR_RULE,
                    0,
                    "$1 is part of the primary key and has no value here: an INSERT, UPDATE or DELETE names each row by its"
                            + " whole primary key. Find the keys by a SELECT, and write one row a statement"),
            rule(
                    "DELETE statements must restrict all PRIMARY KEY columns with equality relations.*"
                            + "|Range deletions are not supported for specific columns",
                    SqlStates.SYNTAX_OR_RULE,
                    0,
                    "A DELETE of single columns, or with IF, names one row: give all columns of the primary key in WHERE"),
            rule(
                    "Only EQ and IN relation are supported on the partition key .*",
                    SqlStates.SYNTAX_OR_RULE,
                    0,
                    "WHERE compares the partition key by something else than = and IN, and its rows are in no order: name"
                            + " the keys, or keep the range's column behind another column in the primary key"),
            rule(
                    "Slice restrictions are not supported on the clustering columns in (\\S+) statements",
                    SqlStates.SYNTAX_OR_RULE,
                    0,
                    "An $1 names each row: find the keys of the range by a SELECT, and send one statement for each"),
            rule(
                    "(?:Clustering|PRIMARY KEY) column \"([^\"]+)\" cannot be restricted (?:\\(|as )preceding column"
                            + " \"([^\"]+)\" is (?:not restricted|restricted by a non-EQ relation)\\)?",
                    SqlStates.SYNTAX_OR_RULE,
                    0,
                    "Rows are ordered by $2 first: give $2 a value by = in WHERE as well, or keep a table with $1 before $2"
                            + " in its key. To write, find the keys by a SELECT without the condition on $1, and write those"
                            + " rows that have the value"),
            rule(
                    "(?:LIKE restriction is only supported on properly indexed columns\\. (.*) is not valid\\."
                            + "|(\\S+) is only supported on properly indexed columns)",
                    SqlStates.SYNTAX_OR_RULE,
                    0,
                    "LIKE ($1$2) needs an index for strings, which few clusters have: compare by =, keep the"
                            + " searched words in"
                            + " a table with them as its key, or send the search to a search engine"),
            rule(
                    "Select on indexed columns and with IN clause for the PRIMARY KEY are not supported"
                            + "|IN (?:restrictions|predicates) .*indexed.*",
                    SqlStates.SYNTAX_OR_RULE,
                    0,
                    "IN cannot be combined with a condition on an indexed column: run one statement for each value"),
            rule(
                    "(\\S+) cannot be restricted by more than one relation if it includes (?:an Equal|a IN|a .*)"
                            + "|More than one restriction was found for the (?:start|end) bound on (\\S+)"
                            + "|Column \"([^\"]+)\" cannot be restricted by both an equality and an inequality relation",
                    SqlStates.SYNTAX_OR_RULE,
                    0,
                    "WHERE has two conditions on $1$2$3, and Cassandra takes one = or IN of a column, or one bound on each"
                            + " side: write the one that is left when both hold, as a = 2 for a > 1 AND a = 2. If none is"
                            + " left, as of a = 1 AND a = 2, no row is found, and nothing has to be sent"),
            rule(
                    "Unsupported \"!=\" relation: (.*)",
                    SqlStates.SYNTAX_OR_RULE,
                    0,
                    "$1: Cassandra finds what is equal and what lies between two values, and nothing by <> or !=: read"
                            + " the rows, and leave out those that are not wanted"),
            rule(
                    "Invalid (null|unset) value (?:in condition )?for (?:partition key part |column |part )?(\\S+)"
                            + "|(Key) may not be (?:empty|unset)"
                            + "|Invalid null value in condition for column (\\S+)"
                            + "|Invalid empty or null value for column (\\S+)",
                    SqlStates.SYNTAX_OR_RULE,
                    0,
                    "$2$3$4$5 has no value, and a key cannot be null: give it one. Cassandra finds no rows by IS NULL"),
            // ---- SET, VALUES
            rule(
                    "Invalid operation \\((.*)\\) for non counter column (\\S+)",
                    SqlStates.SYNTAX_OR_RULE,
                    0,
                    "SET $1: Cassandra calculates with counters alone. Read $2, calculate, and write the result with IF $2 ="
                            + " and the value that was read, again from the start if another one was faster"),
            rule(
                    "PRIMARY KEY part (\\S+) found in SET part",
                    SqlStates.SYNTAX_OR_RULE,
                    0,
                    "SET of $1, which is part of the primary key: a key names the row and does not change. Insert the row"
                            + " under its new key, and delete the old one"),
            rule(
                    "Cannot set the value of counter column (\\S+) .*|INSERT statements are not allowed on counter tables.*",
                    SqlStates.SYNTAX_OR_RULE,
                    0,
                    "A counter of Cassandra ($1) can only be added to: UPDATE ... SET n = n + ?; it begins at 0"),
            rule(
                    "Unmatched column names/values",
                    SqlStates.SYNTAX_OR_RULE,
                    0,
                    "INSERT names more or fewer columns than it has values: give each column one value"),
            rule(
                    "The column names contains duplicates",
                    SqlStates.SYNTAX_OR_RULE,
                    SqlServerErrors.ASSIGNED_TWICE,
                    "INSERT names a column twice: name each column once"),
            rule(
                    "Unable to make (?:byte|short|int|long|tinyint|smallint|bigint) from '(-?[0-9]+)'",
                    SqlStates.OUT_OF_RANGE,
                    0,
                    "The value $1 is out of the range of its column's type: give a smaller one, or widen the column"),
            rule(
                    "Invalid \\S+ constant \\((.*)\\) for \"?([^\"]+?)\"? of type (.*)",
                    SqlStates.BAD_TEXT,
                    0,
                    "The value $1 is no $3, the type of column $2: give a value of that type, or CAST it"),
            rule(
                    "((?:Unable to (?:make|coerce|parse) |Invalid \\S+ constant \\().*)",
                    SqlStates.BAD_TEXT,
                    0,
                    "A value is of another type than its column, or not written as that type is: $1"),
            rule(
                    "Key length of (\\d+) is longer than maximum of 65535",
                    SqlStates.SYNTAX_OR_RULE,
                    0,
                    "A key of $1 bytes: Cassandra's keys have at most 65,535. Take a shorter one, for instance a hash of"
                            + " the value, and keep the value in a column beside it"),
            // ---- the result
            rule(
                    "ORDER BY with 2ndary indexes is not supported.*",
                    SqlStates.SYNTAX_OR_RULE,
                    0,
                    "ORDER BY of rows that an index finds: sort them in the application, or keep a table whose key begins"
                            + " with the columns of WHERE and continues with those of ORDER BY"),
            rule(
                    "ORDER BY is only supported when the partition key is restricted by an EQ or an IN\\.",
                    SqlStates.SYNTAX_OR_RULE,
                    0,
                    "ORDER BY without the partition key in WHERE: partitions are in no order. Sort the rows in the"
                            + " application, or name the partition"),
            rule(
                    "Order by (?:is )?currently only support.*?(?:, got (\\S+))?" + "|Unsupported order by relation",
                    SqlStates.SYNTAX_OR_RULE,
                    0,
                    "ORDER BY $1: within a partition the rows are in the order of the clustering columns, which are the rest"
                            + " of the primary key. Order by these, in their order, all as declared or all the other way"
                            + " round, or sort in the application"),
            rule(
                    "Cannot page queries with both ORDER BY and a IN restriction on the partition key.*",
                    SqlStates.SYNTAX_OR_RULE,
                    0,
                    "ORDER BY over several partitions (IN): run one statement for each, or sort in the application"),
            rule(
                    "SELECT DISTINCT with WHERE.*",
                    SqlStates.SYNTAX_OR_RULE,
                    0,
                    "SELECT DISTINCT with other columns in WHERE than those of the partition key: Cassandra gives each"
                            + " different key without looking into its rows. Leave DISTINCT out, and take each key once in"
                            + " the application"),
            rule(
                    "SELECT DISTINCT queries must.*?(?:\\((?:not|missing) (.*)\\))?",
                    SqlStates.SYNTAX_OR_RULE,
                    0,
                    "SELECT DISTINCT ($1): Cassandra knows the different partition keys and no other different values."
                            + " Select the whole partition key, or leave out what is twice in the application"),
            rule(
                    "(?:Group by|GROUP BY|Grouping|Functions are only|Aggregate functions are not supported within).*?"
                            + "(?:, got:? (\\S+))?",
                    SqlStates.SYNTAX_OR_RULE,
                    0,
                    "GROUP BY $1: Cassandra groups by the columns of the primary key, in their order from the first."
                            + " Group by these, keep a table with such a key, or group in the application"),
            rule(
                    "Cannot infer type for term (.*?) in selection clause.*",
                    SqlStates.SYNTAX_OR_RULE,
                    0,
                    "The list of a SELECT has $1, whose type is not known: name a column, or CAST it"),
            rule(
                    "Aggregation function are not supported in the where clause"
                            + "|aggregate functions cannot be used as arguments of aggregate functions",
                    SqlStates.SYNTAX_OR_RULE,
                    0,
                    "An aggregate within WHERE or within another aggregate: read it by a statement of its own"),
            rule(
                    "the '(.*)' operation is not supported between (\\S+) and (\\S+)" + "|(.*) cannot be cast to (.*)",
                    SqlStates.SYNTAX_OR_RULE,
                    0,
                    "Cassandra does not calculate or convert this ($1$4: $2 $3$5): do it in the application"),
            rule(
                    "LIMIT must be strictly positive|Invalid (?:null value of |)limit(?: value)?",
                    SqlStates.SYNTAX_OR_RULE,
                    0,
                    "The limit of rows is null, 0 or negative: give a positive one"),
            // ---- IF
            rule(
                    "IN on the (?:partition key|clustering key columns) is not supported with conditional (\\S+)",
                    SqlStates.SYNTAX_OR_RULE,
                    0,
                    "$1 ... IF of several rows: send one statement for each row"),
            rule(
                    "PRIMARY KEY column '(\\S+)' cannot have IF conditions",
                    SqlStates.SYNTAX_OR_RULE,
                    0,
                    "$1 is part of the primary key: its condition belongs in WHERE"),
            rule(
                    "Conditional updates are not supported on counter tables|Conditions on counters are not supported",
                    SqlStates.SYNTAX_OR_RULE,
                    0,
                    "IF on a table of Cassandra's counters: add without a condition, or use Cassidy's counters"),
            rule(
                    "Batch with conditions cannot span multiple (?:tables|partitions).*",
                    SqlStates.SYNTAX_OR_RULE,
                    0,
                    "Statements with IF in one batch write several partitions or tables: send them one by one"),
            // ---- definitions
            rule(
                    "Column with name '(.*)' already exists",
                    SqlStates.SYNTAX_OR_RULE,
                    SqlServerErrors.COLUMN_TWICE,
                    "The table has a column $1 already: leave it out of ALTER TABLE"),
            rule(
                    "Cannot (?:re-)?add .*column '?([^' ]+)'?.*previous.*",
                    SqlStates.SYNTAX_OR_RULE,
                    0,
                    "The table had a column $1 of another type or kind, and old data may still have it: choose another"
                            + " name"),
            rule(
                    "Cannot drop PRIMARY KEY column (\\S+)",
                    SqlStates.SYNTAX_OR_RULE,
                    0,
                    "$1 is part of the primary key, which stays: create a table with another key, and copy the rows"),
            rule(
                    "Cannot rename non PRIMARY KEY column (\\S+)",
                    SqlStates.SYNTAX_OR_RULE,
                    0,
                    "Cassandra renames columns of the primary key alone, and $1 is none: add a column with the new name, and"
                            + " copy the values"),
            rule(
                    "Altering (?:column|field) types is no longer supported",
                    SqlStates.SYNTAX_OR_RULE,
                    0,
                    "Cassandra changes no column's type: add a column of the new type, and copy the values"),
            rule(
                    "No PRIMARY KEY specifi?ed for table '(.*)'.*",
                    SqlStates.SYNTAX_OR_RULE,
                    0,
                    "CREATE TABLE $1 without PRIMARY KEY: say which columns identify a row"),
            rule(
                    "Multiple PRIMARY KEY specified for table '(.*)'.*",
                    SqlStates.SYNTAX_OR_RULE,
                    0,
                    "CREATE TABLE $1 with two primary keys: name all of its columns in one PRIMARY KEY (a, b)"),
            rule(
                    "Unknown column '(.*)' referenced in PRIMARY KEY for table '(.*)'",
                    SqlStates.SYNTAX_OR_RULE,
                    0,
                    "PRIMARY KEY of table $2 names $1, which is no column of it"),
            rule(
                    "Cannot mix counter and non counter columns in the same table",
                    SqlStates.SYNTAX_OR_RULE,
                    0,
                    "A table with a column of type counter has no other columns beside its key: keep the counter in a"
                            + " table of its own"),
            rule(
                    "Cannot create secondary index on the only partition key column (\\S+)",
                    SqlStates.SYNTAX_OR_RULE,
                    0,
                    "$1 is the partition key, by which rows are found without an index: leave this index out"),
            // ---- limits of the cluster
            rule(
                    "Guardrail (allow_filtering) violated: (.*)",
                    SqlStates.SYNTAX_OR_RULE,
                    0,
                    "This cluster's guardrail $1 forbids the statement ($2): read by a table whose key begins with the"
                            + " columns of WHERE, or ask the cluster's operators for allow_filtering_enabled in"
                            + " cassandra.yaml"),
            rule(
                    "Guardrail (page_size) violated: (.*)",
                    SqlStates.SYNTAX_OR_RULE,
                    0,
                    "This cluster's guardrail $1 forbids the statement ($2): fetch fewer rows at a time, by setFetchSize or"
                            + " basic.request.page-size in a configFile, or ask the cluster's operators to raise page_size_fail_threshold in"
                            + " cassandra.yaml"),
            rule(
                    "Guardrail (\\S+) violated: (.*)",
                    SqlStates.SYNTAX_OR_RULE,
                    0,
                    "This cluster's guardrail $1 forbids the statement ($2): stay below the limit, or ask the cluster's"
                            + " operators to raise it"),
            rule(
                    "Too many markers\\(\\?\\)\\. (\\d+) markers exceed the allowed maximum of (\\d+)",
                    SqlStates.SYNTAX_OR_RULE,
                    0,
                    "A statement of $1 parameters: Cassandra takes at most $2. Send it in parts"));

    /** The parser's words, with the text around the place and the place itself in brackets. */
    private static final Pattern SYNTAX = Pattern.compile(
            "line -?\\d+:-?\\d+ .*?(?: input '(.*?)'.*?| character '(.*?)'.*?)?(?:\\(.*?\\[(.*?)].*)?", Pattern.DOTALL);

    private static final Map<String, String> INSTEAD = instead();

    private static Map<String, String> instead() {
        Map<String, String> instead = new HashMap<>(Map.of(
                "over", "Cassandra has no window functions: calculate in the application",
                "exists", "ask by a statement of its own whether there is such a row",
                "for",
                        "Cassandra locks no rows by FOR UPDATE: leave it out, and write what was read under a condition, as"
                                + " UPDATE ... WHERE id = ? AND version = ?",
                "when", "CASE is not served: choose the value in the application, and pass it as a parameter"));
        for (String part : List.of("year", "month", "day", "hour", "minute", "second", "millisecond")) {
            instead.put(
                    part,
                    "functions of dates, such as DATEADD, are not served: calculate the date in the application, and"
                            + " pass it as a parameter");
        }
        return instead;
    }

    private ServerRefusals() {}

    private static Rule rule(String server, String state, int number, String message) {
        return new Rule(Pattern.compile(server, Pattern.DOTALL | Pattern.CASE_INSENSITIVE), state, number, message);
    }

    /** A rule of CQL, a name, or a limit that the statement breaks. */
    static SQLException invalid(String message, Throwable cause) {
        for (Rule rule : RULES) {
            Matcher matcher = rule.server.matcher(message);
            if (matcher.matches()) {
                return error(tidied(expanded(matcher, rule.message)), rule.state, rule.number, cause);
            }
        }
        return error(
                "Cassandra refuses the statement: \"" + message + "\". Write it otherwise; docs/jdbc.md lists what"
                        + " is served",
                SqlStates.SYNTAX_OR_RULE,
                0,
                cause);
    }

    /** A text that is no CQL. */
    static SQLException syntax(String message, Throwable cause) {
        Matcher twice = ASSIGNED_TWICE.matcher(message);
        if (twice.find()) {
            return error(
                    "The column name '" + twice.group(1)
                            + "' is specified more than once in the SET clause: give it one" + " value",
                    SqlStates.SYNTAX_OR_RULE,
                    SqlServerErrors.ASSIGNED_TWICE,
                    cause);
        }
        String token = placeOf(message);
        String instead = INSTEAD.get(token.toLowerCase(Locale.ROOT));
        String near = token.isEmpty() ? "the end of the statement" : "'" + token + "'";
        return error(
                "Incorrect syntax near " + near + ": "
                        + (instead != null
                                ? instead
                                : "neither the T-SQL that is served nor CQL has this here. Look for a spelling mistake, a"
                                        + " missing comma or bracket; functions and calculations belong in the application"
                                        + " (docs/jdbc.md lists what is served)"),
                SqlStates.SYNTAX_OR_RULE,
                SqlServerErrors.SYNTAX,
                cause);
    }

    private static String expanded(Matcher matched, String message) {
        StringBuilder out = new StringBuilder();
        matched.appendReplacement(out, message);
        return out.toString();
    }

    /** Returns the token at which the server's parser stopped; empty at the end of the text. */
    private static String placeOf(String message) {
        Matcher matcher = SYNTAX.matcher(message);
        if (!matcher.matches()) {
            return "";
        }
        String token = matcher.group(1);
        // Before a bracket the name in front of it says more.
        if (matcher.group(3) != null && (token == null || !Character.isLetter((token + " ").charAt(0)))) {
            token = matcher.group(3);
        }
        return token == null || token.equals("<EOF>") ? "" : token;
    }

    /** Takes out what groups without a value leave behind. */
    private static String tidied(String message) {
        return message.replace(" ()", "")
                .replace("the table  has", "the table has")
                .replace("  ", " ")
                .replace(" :", ":");
    }

    private static SQLException error(String message, String state, int number, Throwable cause) {
        return state.startsWith("22")
                ? new SQLDataException(message, state, number, cause)
                : new SQLSyntaxErrorException(message, state, number, cause);
    }
}
