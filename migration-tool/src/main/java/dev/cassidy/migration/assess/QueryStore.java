package dev.cassidy.migration.assess;

import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.dataformat.csv.CsvMapper;
import com.fasterxml.jackson.dataformat.csv.CsvSchema;
import dev.cassidy.insert.Kind;
import dev.cassidy.insert.Scanner;
import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.migration.error.MigrationException;
import dev.cassidy.migration.source.Source;
import dev.cassidy.recorder.KnownNames;
import java.io.IOException;
import java.io.Reader;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** SQL Server's Query Store: its own views, a table or view with the same columns, or an export of one. */
public final class QueryStore {

    static final String SQL = "query_sql_text";
    static final String COUNT = "count_executions";

    private static final String VIEWS =
            "SELECT t.query_sql_text, c.count_executions FROM sys.query_store_query_text t JOIN ("
                    + "SELECT q.query_text_id, SUM(s.count_executions) AS count_executions FROM sys.query_store_query q"
                    + " JOIN sys.query_store_plan p ON p.query_id = q.query_id"
                    + " JOIN sys.query_store_runtime_stats s ON s.plan_id = p.plan_id"
                    + " WHERE q.is_internal_query = 0 GROUP BY q.query_text_id"
                    + ") c ON c.query_text_id = t.query_text_id";

    private static final Pattern PARAMETER = Pattern.compile("\\s*+@[\\w@$#]++ ");

    private static final Pattern NAME = Pattern.compile("@[\\w@$#]+");

    private QueryStore() {}

    /**
     * Adds what an export holds.
     *
     * @param file CSV, or with tabs if its name ends with .tsv; its first line names the columns
     * @param names of words that are no values
     * @throws MigrationException {@link ExitCode#USAGE} if it has no column query_sql_text
     */
    public static void read(Path file, KnownNames names, Observation seen) {
        boolean tabs = file.toString().toLowerCase(Locale.ROOT).endsWith(".tsv");
        CsvSchema schema = CsvSchema.emptySchema().withHeader().withColumnSeparator(tabs ? '\t' : ',');
        Counts counts = new Counts();
        try (Reader text = Files.newBufferedReader(file, StandardCharsets.UTF_8);
                MappingIterator<Map<String, String>> rows = new CsvMapper()
                        .readerForMapOf(String.class)
                        .with(schema)
                        .readValues(text)) {
            while (rows.hasNextValue()) {
                Map<String, String> row = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
                // Some programs write a mark of the character set before the first name.
                rows.nextValue()
                        .forEach((name, value) ->
                                row.put(name.replace("\ufeff", "").strip(), value));
                if (!row.containsKey(SQL)) {
                    throw new MigrationException(
                            ExitCode.USAGE,
                            "must have a column " + SQL + ", and has " + row.keySet() + ": --query-store " + file);
                }
                counts.add(row.get(SQL), row.get(COUNT), names, seen);
            }
        } catch (IOException e) {
            throw new MigrationException(
                    ExitCode.USAGE,
                    "cannot read --query-store " + file + ": " + e.getClass().getSimpleName(),
                    e);
        }
        seen.addInput(counts.input("Query Store's export " + file));
    }

    /**
     * Adds what a database holds.
     *
     * @param table with the columns query_sql_text and count_executions, perhaps after its schema; null for Query Store's own
     *     views
     * @throws MigrationException {@link ExitCode#SOURCE} if it cannot be read
     */
    public static void read(Source source, @Nullable String table, KnownNames names, Observation seen) {
        String query = table == null
                ? VIEWS
                : "SELECT query_sql_text, count_executions FROM "
                        + Arrays.stream(table.split("\\.", -1))
                                .map(source::quote)
                                .collect(Collectors.joining("."));
        Counts counts = new Counts();
        try (Statement statement = source.connection().createStatement();
                ResultSet rows = statement.executeQuery(query)) {
            while (rows.next()) {
                counts.add(rows.getString(1), rows.getString(2), names, seen);
            }
        } catch (SQLException e) {
            throw new MigrationException(
                    ExitCode.SOURCE,
                    "cannot read " + (table == null ? "Query Store's views" : table) + " of " + source.url() + ": "
                            + e.getMessage(),
                    e);
        }
        seen.addInput(counts.input("Query Store" + (table == null ? "" : "'s table " + table) + " of " + source.url()));
    }

    private static final class Counts {
        private long executions;
        private long unread;

        void add(@Nullable String sql, @Nullable String count, KnownNames names, Observation seen) {
            long ran = executions(count);
            if (sql == null || sql.isBlank() || ran < 0) {
                unread++;
                return;
            }
            Sent.add(withMarkers(sql), ran, names, seen);
            executions += ran;
        }

        /** Without a count it ran once at least. */
        private static long executions(@Nullable String count) {
            if (count == null || count.isBlank()) {
                return 1;
            }
            try {
                return new BigDecimal(count.strip()).longValueExact();
            } catch (ArithmeticException | NumberFormatException e) {
                return -1;
            }
        }

        Observation.Input input(String what) {
            return new Observation.Input(what, executions, 0, unread, Set.of());
        }
    }

    /** Returns where {@code (@P0 nvarchar(4000),@P1 decimal(9,2))} ends before the statement that it is about; -1 if it is none. */
    private static int afterParameters(String text) {
        Matcher parameter = PARAMETER.matcher(text);
        if (!text.startsWith("(") || !parameter.region(1, text.length()).lookingAt()) {
            return -1;
        }
        boolean bracket = false;
        // A parameter's type has one bracket at most.
        boolean sized = false;
        for (int i = parameter.end(); i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == ',' && !bracket && parameter.region(i + 1, text.length()).lookingAt()) {
                sized = false;
                i = parameter.end() - 1;
            } else if (c == '\'' || c == '"' || (c == '(' && sized)) {
                return -1;
            } else if (c == ')' && !bracket) {
                return i + 1;
            } else if (c == '(' || c == ')') {
                bracket = c == '(';
                sized = true;
            }
        }
        return -1;
    }

    /** Returns the statement that the application sent, with {@code ?} for the parameters that are declared before it. */
    static String withMarkers(String text) {
        int end = afterParameters(text);
        if (end < 0) {
            return text;
        }
        Set<String> parameters = new HashSet<>();
        Matcher name = NAME.matcher(text.substring(0, end));
        while (name.find()) {
            parameters.add(name.group().toLowerCase(Locale.ROOT));
        }
        String sql = text.substring(end);
        Scanner scanner = new Scanner(sql, Scanner.Language.TSQL);
        StringBuilder marked = new StringBuilder(sql.length());
        int copied = 0;
        for (Kind kind = scanner.next(); kind != Kind.END && kind != Kind.UNTERMINATED; kind = scanner.next()) {
            marked.append(sql, copied, scanner.start());
            copied = scanner.end();
            String token = sql.substring(scanner.start(), copied);
            marked.append(kind == Kind.VARIABLE && parameters.contains(token.toLowerCase(Locale.ROOT)) ? "?" : token);
        }
        return marked.append(sql, copied, sql.length()).toString();
    }
}
