package dev.cassidy.migration.source;

import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.migration.error.Finding;
import dev.cassidy.migration.error.MigrationException;
import dev.cassidy.migration.error.Pause;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What all engines have in common: how often and in which order the identity columns are read. */
abstract class JdbcSource implements Source {

    /** Its pieces are limited, as each takes its part of the stack. SQL Server's names have 128 characters. */
    private static final String NAME = "(\\[(?:[^]]++|]]){1,128}]|\"(?:[^\"]++|\"\"){1,128}\"|\\w+)";

    private static final Logger LOG = LoggerFactory.getLogger(JdbcSource.class);

    static final Pattern NEXT_VALUE =
            Pattern.compile("(?i)NEXT\\s+VALUE\\s+FOR\\s+(?:" + NAME + "\\s*\\.\\s*)?" + NAME + "(?![\\w.\\[\"])");

    private final SourceLogin login;
    private final Connection connection;
    private final int queryTimeoutSeconds;

    /** Whether the maximum of a column is read. Decided once, so that statistics that change make no difference. */
    private final Map<SourceColumn.User, Optional<Reading.Unread>> unread = new HashMap<>();

    private @Nullable Map<String, Long> sizes;
    private @Nullable Set<SourceColumn.User> indexed;

    JdbcSource(SourceLogin login, Connection connection, Duration queryTimeout) {
        this.login = login;
        this.connection = connection;
        this.queryTimeoutSeconds = Math.toIntExact(queryTimeout.toSeconds());
    }

    /** Returns the number of rows of each table, by {@code schema.table}, as far as the catalogue has it. */
    abstract Map<String, Long> rowCounts();

    /**
     * Returns a query for the columns with which an index begins that gives their maximum: schema_name, table_name,
     * column_name.
     */
    abstract String indexedColumns();

    /**
     * Returns columns that hold ids of others, by the column that they hold ids of: foreign keys, and the history of
     * tables that keep one.
     */
    abstract Map<SourceColumn.User, List<SourceColumn.User>> references();

    /** Returns a query for fences: schema_name, table_name, fence_name, definition, enabled. */
    abstract String fences();

    /** Returns the statement that limits how long the next statements wait for a lock. */
    abstract String limitLockWait(Duration time);

    abstract boolean waitedForLock(SQLException e);

    /** Returns a query, with a schema and a table as parameters, for the sessions that hold locks on the table. */
    abstract String blockers();

    /**
     * Refuses a login to which the catalogue hides what is not its own, in engines that tell.
     *
     * @throws MigrationException {@link ExitCode#REFUSED}
     */
    void requireRights() {}

    /** Adds what this engine can tell. */
    abstract void find(List<SourceColumn> chosen, List<Finding> findings);

    @Override
    public final List<Finding> findings(List<SourceColumn> chosen) {
        List<Finding> findings = new ArrayList<>();
        find(chosen, findings);
        return findings;
    }

    /** Adds a finding that names what a query returns in its columns {@code kind} and {@code name}, a line each kind. */
    final void list(List<Finding> findings, String sql, String suffix) {
        Map<String, List<String>> byKind = new TreeMap<>();
        optional("cannot read the catalogue of " + url(), sql, row -> byKind.computeIfAbsent(
                        row.getString("kind"), none -> new ArrayList<>())
                .add(row.getString("name")));
        byKind.forEach((kind, names) -> findings.add(Finding.info(kind + suffix + ": " + String.join(", ", names))));
    }

    @Override
    public final Map<SourceColumn, Fence> fences(List<SourceColumn> columns) {
        Map<SourceColumn, Fence> strictest = new LinkedHashMap<>();
        rows("cannot read the fences of " + url(), fences(), row -> {
            for (SourceColumn column : columns) {
                if (column.schema().equals(row.getString("schema_name"))
                        && column.table().equals(row.getString("table_name"))) {
                    Fence.parse(
                                    column,
                                    row.getString("fence_name"),
                                    row.getString("definition"),
                                    row.getBoolean("enabled"))
                            .ifPresent(fence ->
                                    strictest.merge(column, fence, (some, other) -> stricter(column, some, other)));
                }
            }
            return true;
        });
        return strictest;
    }

    private static Fence stricter(SourceColumn column, Fence some, Fence other) {
        if (some.enabled() != other.enabled()) {
            return some.enabled() ? some : other;
        }
        return column.beyond(some.last(), other.last()) ? other : some;
    }

    @Override
    public String reseed(SourceColumn column, BigInteger next) {
        return column.isSequence()
                ? "ALTER SEQUENCE " + quoted(column.schema(), column.table()) + " RESTART WITH " + next
                : "ALTER TABLE " + quoted(column.schema(), column.table()) + " ALTER COLUMN " + quote(column.column())
                        + " RESTART WITH " + next;
    }

    @Override
    public List<String> addFence(SourceColumn column, BigInteger last, String name) {
        return List.of(addConstraint(column, last, name));
    }

    String addConstraint(SourceColumn column, BigInteger last, String name) {
        return "ALTER TABLE " + quoted(column.schema(), column.table()) + " ADD CONSTRAINT " + quote(name) + " CHECK ("
                + within(column, last) + ")";
    }

    final String within(SourceColumn column, BigInteger last) {
        return quote(column.column()) + (column.increment().signum() > 0 ? " <= " : " >= ") + last;
    }

    @Override
    public List<String> dropFence(SourceColumn column, Fence fence) {
        return List.of(
                "ALTER TABLE " + quoted(column.schema(), column.table()) + " DROP CONSTRAINT " + quote(fence.name()));
    }

    @Override
    public final void change(
            SourceColumn column, String sql, Duration lockTimeout, int tries, Consumer<String> progress) {
        for (int attempt = 1; ; attempt++) {
            MigrationException.throwIfInterrupted();
            try (Connection writing = login.connect(false);
                    Statement statement = writing.createStatement()) {
                statement.setQueryTimeout(queryTimeoutSeconds);
                statement.execute(limitLockWait(lockTimeout));
                statement.execute(sql);
                return;
            } catch (SQLException e) {
                if (!waitedForLock(e) || attempt >= tries) {
                    throw SourceLogin.failure(
                            "cannot change " + column.qualifiedTable() + " (" + sql + ")"
                                    + (waitedForLock(e)
                                            ? " after " + tries + " tries, because it is locked by " + blockers(column)
                                            : ""),
                            e);
                }
                progress.accept("try " + attempt + " of " + tries + ": " + column.qualifiedTable() + " is locked by "
                        + blockers(column));
                // Everybody who waited behind this statement goes first.
                Pause.of(lockTimeout);
            }
        }
    }

    private String blockers(SourceColumn column) {
        try {
            List<String> found = rows(
                    "cannot read who locks " + column.qualifiedTable(),
                    blockers(),
                    row -> row.getString(1),
                    column.schema(),
                    column.table());
            return found.isEmpty() ? "a session that has ended since" : String.join("; ", found);
        } catch (MigrationException e) {
            return "sessions that this login may not see (" + e.getMessage() + ")";
        }
    }

    @Override
    public final SourceUrl url() {
        return login.url();
    }

    @Override
    public final Connection connection() {
        return connection;
    }

    @Override
    public final Connection connect() {
        return login.connect();
    }

    @Override
    public final Connection connectToWrite() {
        return login.connect(false);
    }

    /** As the SQL standard has it. */
    @Override
    public ExplicitIds explicitIds(String quotedTable) {
        return new ExplicitIds(List.of(), "OVERRIDING SYSTEM VALUE", List.of());
    }

    @Override
    public final List<Reading> read(UnaryOperator<List<SourceColumn>> choose, ScanLimit limit) {
        List<SourceColumn> columns = choose.apply(List.copyOf(lastValues().keySet()));
        Map<SourceColumn, Optional<BigInteger>> furthest = new LinkedHashMap<>();
        columns.forEach(column -> furthest.put(column, furthest(column, limit)));
        Map<SourceColumn.User, List<SourceColumn.User>> references = references();
        Map<SourceColumn, List<Reading.Elsewhere>> elsewhere = new LinkedHashMap<>();
        columns.forEach(column -> elsewhere.put(column, elsewhere(column, holders(column, references), limit)));
        // Last: an id that is generated while the tables are read is then in last_value, if not in MAX.
        Map<SourceColumn, Optional<BigInteger>> lastValues = lastValues();
        List<Reading> readings = new ArrayList<>();
        for (SourceColumn column : columns) {
            Optional<BigInteger> lastValue = lastValues.get(column);
            if (lastValue == null) {
                throw new MigrationException(
                        ExitCode.RISK,
                        (column.isSequence() ? "sequence " : "identity column ") + column.name()
                                + " was changed or dropped while it was read; run again when the source is at rest");
            }
            List<SourceColumn.User> all = new ArrayList<>(places(column));
            all.addAll(holders(column, references));
            readings.add(reading(
                    column,
                    furthest.getOrDefault(column, Optional.empty()),
                    lastValue,
                    elsewhere.getOrDefault(column, List.of()),
                    all.stream().flatMap(place -> unread(place, limit).stream()).toList()));
        }
        return readings;
    }

    private static List<SourceColumn.User> holders(
            SourceColumn column, Map<SourceColumn.User, List<SourceColumn.User>> references) {
        return references.getOrDefault(
                new SourceColumn.User(column.schema(), column.table(), column.column()), List.of());
    }

    private Reading reading(
            SourceColumn column,
            Optional<BigInteger> furthest,
            Optional<BigInteger> lastValue,
            List<Reading.Elsewhere> elsewhere,
            List<Reading.Unread> left) {
        BigInteger last = lastValue.orElse(null);
        BigInteger ahead = last != null && left.isEmpty() && !column.isSequence() && column.beyond(column.seed(), last)
                ? ahead(column, last)
                : null;
        return new Reading(column, furthest.orElse(null), last, ahead, null, elsewhere, left);
    }

    /** Returns the column itself, or those that a SEQUENCE object fills. */
    private static List<SourceColumn.User> places(SourceColumn column) {
        return column.isSequence()
                ? column.users()
                : List.of(new SourceColumn.User(column.schema(), column.table(), column.column()));
    }

    private Optional<BigInteger> furthest(SourceColumn column, ScanLimit limit) {
        return places(column).stream()
                .filter(place -> unread(place, limit).isEmpty())
                .flatMap(place -> furthest(column, place).stream())
                .reduce((some, more) -> column.beyond(more, some) ? more : some);
    }

    private Optional<BigInteger> furthest(SourceColumn column, SourceColumn.User where) {
        String function = column.increment().signum() > 0 ? "MAX" : "MIN";
        return integer(
                where.name(),
                "SELECT " + function + "(" + quote(where.column()) + ") FROM " + quoted(where.schema(), where.table()));
    }

    private List<Reading.Elsewhere> elsewhere(SourceColumn column, List<SourceColumn.User> holders, ScanLimit limit) {
        List<Reading.Elsewhere> found = new ArrayList<>();
        for (SourceColumn.User holder : holders) {
            if (unread(holder, limit).isEmpty()) {
                furthest(column, holder).ifPresent(id -> found.add(new Reading.Elsewhere(holder.name(), id)));
            }
        }
        return found;
    }

    /** Returns the column if its maximum is not to be read. */
    private Optional<Reading.Unread> unread(SourceColumn.User column, ScanLimit limit) {
        if (limit.isAlways()) {
            return Optional.empty();
        }
        return unread.computeIfAbsent(column, asked -> {
            // The indexes last: their query costs more, and most databases have no table beyond the limit.
            long rows = tableSizes().getOrDefault(asked.schema() + "." + asked.table(), -1L);
            return limit.allows(rows) || indexed().contains(asked)
                    ? Optional.empty()
                    : Optional.of(new Reading.Unread(asked.name(), rows));
        });
    }

    private Set<SourceColumn.User> indexed() {
        Set<SourceColumn.User> known = indexed;
        if (known == null) {
            known = new HashSet<>(optional(
                    "cannot read the indexes of " + url(),
                    indexedColumns(),
                    row -> new SourceColumn.User(
                            row.getString("schema_name"), row.getString("table_name"), row.getString("column_name"))));
            indexed = known;
        }
        return known;
    }

    @Override
    public final Map<String, Long> tableSizes() {
        Map<String, Long> known = sizes;
        if (known == null) {
            known = rowCounts();
            sizes = known;
        }
        return known;
    }

    /**
     * Reads numbers of rows.
     *
     * @param sql returns schema_name, table_name and row_count, which may be NULL
     */
    final Map<String, Long> rowCounts(String sql) {
        Map<String, Long> counts = new HashMap<>();
        optional("cannot read how many rows the tables of " + url() + " have", sql, row -> {
            long rows = row.getLong("row_count");
            return !row.wasNull()
                    && counts.put(row.getString("schema_name") + "." + row.getString("table_name"), rows) == null;
        });
        return counts;
    }

    private @Nullable BigInteger ahead(SourceColumn column, BigInteger lastValue) {
        boolean ascending = column.increment().signum() > 0;
        String id = quote(column.column());
        String sql = "SELECT " + (ascending ? "MIN(" : "MAX(") + id + ") FROM "
                + quoted(column.schema(), column.table()) + " WHERE " + id + (ascending ? " > ?" : " < ?");
        return integer(column.qualifiedTable(), sql, new BigDecimal(lastValue)).orElse(null);
    }

    private Optional<BigInteger> integer(String what, String sql, Object... parameters) {
        return rows("cannot read " + what + " (" + sql + ")", sql, row -> integer(row.getBigDecimal(1)), parameters)
                .get(0);
    }

    /**
     * Returns the columns whose default draws from a SEQUENCE object, by its {@code schema.name} in lower case.
     *
     * @param sql returns schema_name, table_name, column_name and default_expression
     */
    final Map<String, List<SourceColumn.User>> usersOfSequences(String failure, String sql) {
        Map<String, List<SourceColumn.User>> users = new LinkedHashMap<>();
        rows(failure, sql, row -> {
            String schema = row.getString("schema_name");
            Matcher matcher = NEXT_VALUE.matcher(String.valueOf(row.getString("default_expression")));
            return matcher.find()
                    && users.computeIfAbsent(
                                    sequenceKey(
                                            matcher.group(1) == null ? schema : unquoted(matcher.group(1)),
                                            unquoted(matcher.group(2))),
                                    none -> new ArrayList<>())
                            .add(new SourceColumn.User(
                                    schema, row.getString("table_name"), row.getString("column_name")));
        });
        return users;
    }

    static String sequenceKey(String schema, String name) {
        return (schema + "." + name).toLowerCase(Locale.ROOT);
    }

    private static String unquoted(String name) {
        return switch (name.charAt(0)) {
            case '[' -> name.substring(1, name.length() - 1).replace("]]", "]");
            case '"' -> name.substring(1, name.length() - 1).replace("\"\"", "\"");
            default -> name;
        };
    }

    static Optional<BigInteger> integer(@Nullable BigDecimal value) {
        return Optional.ofNullable(value).map(BigDecimal::toBigIntegerExact);
    }

    /** Puts the columns that hold ids of others under those, from rows with the names of {@link TableBuilders}. */
    final Map<SourceColumn.User, List<SourceColumn.User>> references(String failure, String... queries) {
        Map<SourceColumn.User, List<SourceColumn.User>> found = new LinkedHashMap<>();
        for (String sql : queries) {
            optional(failure, sql, row -> found.computeIfAbsent(
                            new SourceColumn.User(
                                    row.getString("referenced_schema"),
                                    row.getString("referenced_table"),
                                    row.getString("referenced_column")),
                            none -> new ArrayList<>())
                    .add(new SourceColumn.User(
                            row.getString("schema_name"), row.getString("table_name"), row.getString("column_name"))));
        }
        return found;
    }

    /** Runs a query on a view or column that older versions of the engine, or its relatives, do not have. */
    final <T> List<T> optional(String failure, String sql, Row<T> mapper) {
        try {
            return rows(failure, sql, mapper);
        } catch (MigrationException e) {
            if (e.getCause() instanceof SQLException cause && unknownName(cause)) {
                return List.of();
            }
            throw e;
        }
    }

    /** Invalid object name (208) and column name (207) of SQL Server; the standard's classes for both elsewhere. */
    private static boolean unknownName(SQLException e) {
        return Set.of("42S02", "42S03", "42S04", "42S22", "42P01", "42703", "S0002")
                        .contains(String.valueOf(e.getSQLState()))
                || e.getErrorCode() == 207
                || e.getErrorCode() == 208;
    }

    /** Takes one row of a result. */
    interface Row<T> {
        T read(ResultSet row) throws SQLException;
    }

    /** Runs a query; a failure is {@link ExitCode#SOURCE} and begins with {@code failure}. */
    final <T> List<T> rows(String failure, String sql, Row<T> mapper, Object... parameters) {
        List<T> found = new ArrayList<>();
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setQueryTimeout(queryTimeoutSeconds);
            for (int i = 0; i < parameters.length; i++) {
                statement.setObject(i + 1, parameters[i]);
            }
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    found.add(mapper.read(rows));
                }
            }
        } catch (SQLException e) {
            throw SourceLogin.failure(failure, e);
        }
        return found;
    }

    @Override
    public final void close() {
        try {
            connection.close();
        } catch (SQLException e) {
            // Everything has been read: the answer is complete.
            LOG.debug("cannot close the connection to {}", login, e);
        }
    }
}
