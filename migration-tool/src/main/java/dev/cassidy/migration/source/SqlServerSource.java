package dev.cassidy.migration.source;

import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.migration.error.Finding;
import dev.cassidy.migration.error.MigrationException;
import java.math.BigInteger;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** SQL Server 2012 and later, and what stands in for it with its catalogue views. */
final class SqlServerSource extends JdbcSource {

    /*
     * system_type_id, not user_type_id: a column of an alias type is known by the type under it. The three values are
     * sql_variant, which only an explicit CAST makes comparable whatever its base type. Engines that speak T-SQL state
     * them wrongly in the view, so the functions come first. sys views list what the login may see, and leave out the
     * rest without a word.
     */
    private static final String IDENTITIES =
            """
            SELECT s.name AS schema_name, t.name AS table_name, c.name AS column_name, y.name AS type_name,
                c.[precision] AS type_precision, c.scale AS type_scale,
                COALESCE(CAST(IDENT_SEED(${table}) AS DECIMAL(38, 0)), CAST(c.seed_value AS DECIMAL(38, 0)))
                    AS seed_value,
                COALESCE(CAST(IDENT_INCR(${table}) AS DECIMAL(38, 0)), CAST(c.increment_value AS DECIMAL(38, 0)))
                    AS increment_value,
                CAST(c.last_value AS DECIMAL(38, 0)) AS last_value,
                CAST(IDENT_CURRENT(${table}) AS DECIMAL(38, 0)) AS ident_current
            FROM sys.identity_columns AS c
            JOIN sys.tables AS t ON t.object_id = c.object_id
            JOIN sys.schemas AS s ON s.schema_id = t.schema_id
            JOIN sys.types AS y ON y.user_type_id = c.system_type_id
            WHERE t.is_ms_shipped = 0
            ORDER BY s.name, t.name
            """.replace("${table}", "'[' + REPLACE(s.name, ']', ']]') + '].[' + REPLACE(t.name, ']', ']]') + ']'");

    /* last_used_value exists since 2017. Before it, current_value is the start of a sequence that was never used. */
    private static final String SEQUENCES = """
            SELECT s.name AS schema_name, q.name AS table_name, y.name AS type_name, q.[precision] AS type_precision,
                CAST(q.start_value AS DECIMAL(38, 0)) AS seed_value,
                CAST(q.increment AS DECIMAL(38, 0)) AS increment_value, q.is_cycling,
                CAST(q.${last} AS DECIMAL(38, 0)) AS last_value
            FROM sys.sequences AS q
            JOIN sys.schemas AS s ON s.schema_id = q.schema_id
            JOIN sys.types AS y ON y.user_type_id = q.system_type_id
            ORDER BY s.name, q.name
            """;

    /* Babelfish's sys.sequences is empty. In SQL Server both show what the login may see. */
    private static final String UNKNOWN_SEQUENCES = """
            SELECT i.SEQUENCE_SCHEMA + '.' + i.SEQUENCE_NAME AS name
            FROM INFORMATION_SCHEMA.SEQUENCES AS i
            WHERE NOT EXISTS (
                SELECT 1 FROM sys.sequences AS q JOIN sys.schemas AS s ON s.schema_id = q.schema_id
                WHERE s.name = i.SEQUENCE_SCHEMA AND q.name = i.SEQUENCE_NAME)
            ORDER BY 1
            """;

    /* The history table of a temporal table has its columns, without the identity. Since 2016. */
    private static final String HISTORIES = """
            SELECT hs.name AS schema_name, h.name AS table_name, c.name AS column_name, s.name AS referenced_schema,
                t.name AS referenced_table, c.name AS referenced_column
            FROM sys.tables AS t
            JOIN sys.identity_columns AS c ON c.object_id = t.object_id
            JOIN sys.schemas AS s ON s.schema_id = t.schema_id
            JOIN sys.tables AS h ON h.object_id = t.history_table_id
            JOIN sys.schemas AS hs ON hs.schema_id = h.schema_id
            """;

    private static final String DEFAULTS = """
            SELECT s.name AS schema_name, t.name AS table_name, c.name AS column_name,
                d.definition AS default_expression
            FROM sys.columns AS c
            JOIN sys.tables AS t ON t.object_id = c.object_id
            JOIN sys.schemas AS s ON s.schema_id = t.schema_id
            JOIN sys.default_constraints AS d ON d.object_id = c.default_object_id
            WHERE d.definition LIKE '%NEXT VALUE FOR%'
            ORDER BY s.name, t.name, c.name
            """;

    /* A CLR type such as geography has no row of its own under its system_type_id. */
    private static final String COLUMNS = """
            SELECT s.name AS schema_name, t.name AS table_name, c.name AS column_name,
                COALESCE(y.name, u.name) AS type_name, c.max_length, c.[precision] AS type_precision,
                c.scale AS type_scale, c.is_nullable, c.is_identity, c.is_computed, c.collation_name,
                d.definition AS default_expression
            FROM sys.columns AS c
            JOIN sys.tables AS t ON t.object_id = c.object_id
            JOIN sys.schemas AS s ON s.schema_id = t.schema_id
            LEFT JOIN sys.types AS y ON y.user_type_id = c.system_type_id
            LEFT JOIN sys.types AS u ON u.user_type_id = c.user_type_id
            LEFT JOIN sys.default_constraints AS d ON d.object_id = c.default_object_id
            WHERE t.is_ms_shipped = 0
            ORDER BY s.name, t.name, c.column_id
            """;

    private static final String INDEXES = """
            SELECT s.name AS schema_name, t.name AS table_name, i.name AS index_name, i.is_primary_key, i.is_unique,
                i.filter_definition, c.name AS column_name
            FROM sys.indexes AS i
            JOIN sys.index_columns AS k ON k.object_id = i.object_id AND k.index_id = i.index_id
            JOIN sys.columns AS c ON c.object_id = k.object_id AND c.column_id = k.column_id
            JOIN sys.tables AS t ON t.object_id = i.object_id
            JOIN sys.schemas AS s ON s.schema_id = t.schema_id
            WHERE t.is_ms_shipped = 0 AND k.key_ordinal > 0 AND i.name IS NOT NULL
            ORDER BY s.name, t.name, i.name, k.key_ordinal
            """;

    private static final String FOREIGN_KEYS = """
            SELECT s.name AS schema_name, t.name AS table_name, f.name AS key_name, c.name AS column_name,
                rs.name AS referenced_schema, rt.name AS referenced_table, rc.name AS referenced_column
            FROM sys.foreign_keys AS f
            JOIN sys.foreign_key_columns AS k ON k.constraint_object_id = f.object_id
            JOIN sys.tables AS t ON t.object_id = f.parent_object_id
            JOIN sys.schemas AS s ON s.schema_id = t.schema_id
            JOIN sys.columns AS c ON c.object_id = k.parent_object_id AND c.column_id = k.parent_column_id
            JOIN sys.tables AS rt ON rt.object_id = f.referenced_object_id
            JOIN sys.schemas AS rs ON rs.schema_id = rt.schema_id
            JOIN sys.columns AS rc ON rc.object_id = k.referenced_object_id AND rc.column_id = k.referenced_column_id
            WHERE t.is_ms_shipped = 0
            ORDER BY s.name, t.name, f.name, k.constraint_column_id
            """;

    private static final Set<String> TWO_BYTES = Set.of("nchar", "nvarchar");
    private static final Set<String> BYTES = Set.of("char", "varchar", "binary", "varbinary");
    private static final Set<String> UNLIMITED = Set.of("text", "ntext", "image", "xml");
    private static final Set<String> NUMBERS = Set.of(
            "tinyint", "smallint", "int", "bigint", "decimal", "numeric", "money", "smallmoney", "float", "real");

    /* A disabled constraint checks nothing, and one that is not for replication lets agents' rows pass. */
    private static final String FENCES = """
            SELECT s.name AS schema_name, t.name AS table_name, k.name AS fence_name, k.definition,
                CASE WHEN k.is_disabled = 0 AND k.is_not_for_replication = 0 THEN 1 ELSE 0 END AS enabled
            FROM sys.check_constraints AS k
            JOIN sys.tables AS t ON t.object_id = k.parent_object_id
            JOIN sys.schemas AS s ON s.schema_id = t.schema_id
            WHERE k.name LIKE 'cassidy!_fence!_%' ESCAPE '!'
            """;

    private static final String BLOCKERS = """
            SELECT 'session ' + CAST(l.request_session_id AS VARCHAR(10)) + ' of '
                + COALESCE(e.login_name, '?') + ' on ' + COALESCE(e.host_name, '?') + ' ('
                + COALESCE(e.program_name, '?') + ', ' + COALESCE(e.status, '?') + ')'
            FROM sys.dm_tran_locks AS l
            JOIN sys.dm_exec_sessions AS e ON e.session_id = l.request_session_id
            WHERE l.resource_type = 'OBJECT' AND l.request_status = 'GRANT' AND l.request_session_id <> @@SPID
                AND l.resource_database_id = DB_ID() AND l.resource_associated_entity_id = (
                    SELECT t.object_id FROM sys.tables AS t JOIN sys.schemas AS s ON s.schema_id = t.schema_id
                    WHERE s.name = ? AND t.name = ?)
            """;

    private static final String H2_BLOCKERS = """
            SELECT DISTINCT 'session ' || l.SESSION_ID || ' of ' || s.USER_NAME
            FROM INFORMATION_SCHEMA.LOCKS AS l
            JOIN INFORMATION_SCHEMA.SESSIONS AS s ON s.SESSION_ID = l.SESSION_ID
            WHERE l.TABLE_SCHEMA = ? AND l.TABLE_NAME = ? AND l.SESSION_ID <> SESSION_ID()
            """;

    private static final String MODULES = """
            SELECT CASE o.type WHEN 'P' THEN 'procedures' WHEN 'PC' THEN 'procedures' WHEN 'V' THEN 'views'
                WHEN 'TR' THEN 'triggers' WHEN 'TA' THEN 'triggers'
                WHEN 'SN' THEN 'synonyms' ELSE 'functions' END AS kind, s.name + '.' + o.name AS name
            FROM sys.objects AS o
            JOIN sys.schemas AS s ON s.schema_id = o.schema_id
            WHERE o.is_ms_shipped = 0
                AND o.type IN ('P', 'PC', 'V', 'TR', 'TA', 'FN', 'IF', 'TF', 'AF', 'FS', 'FT', 'SN')
            ORDER BY 1, 2
            """;

    private static final List<String> DATA_FLOWS = List.of("""
            SELECT 'replicated tables' AS kind, s.name + '.' + t.name AS name
            FROM sys.tables AS t JOIN sys.schemas AS s ON s.schema_id = t.schema_id
            WHERE t.is_published = 1 OR t.is_replicated = 1
            ORDER BY 2
            """, """
            SELECT 'tables with change data capture' AS kind, s.name + '.' + t.name AS name
            FROM sys.tables AS t JOIN sys.schemas AS s ON s.schema_id = t.schema_id
            WHERE t.is_tracked_by_cdc = 1
            ORDER BY 2
            """, """
            SELECT 'tables with change tracking' AS kind, s.name + '.' + t.name AS name
            FROM sys.change_tracking_tables AS c
            JOIN sys.tables AS t ON t.object_id = c.object_id JOIN sys.schemas AS s ON s.schema_id = t.schema_id
            ORDER BY 2
            """, """
            SELECT 'temporal tables' AS kind, s.name + '.' + t.name AS name
            FROM sys.tables AS t JOIN sys.schemas AS s ON s.schema_id = t.schema_id
            WHERE t.history_table_id IS NOT NULL
            ORDER BY 2
            """);

    private static final String MERGED = """
            SELECT s.name + '.' + t.name AS name
            FROM sys.tables AS t JOIN sys.schemas AS s ON s.schema_id = t.schema_id
            WHERE t.is_merge_published = 1
            ORDER BY 1
            """;

    private static final String ROW_SECURITY = """
            SELECT s.name AS schema_name, t.name AS table_name, p.name AS policy_name
            FROM sys.security_policies AS p
            JOIN sys.security_predicates AS f ON f.object_id = p.object_id
            JOIN sys.tables AS t ON t.object_id = f.target_object_id
            JOIN sys.schemas AS s ON s.schema_id = t.schema_id
            WHERE p.is_enabled = 1
            ORDER BY 1, 2
            """;

    /** H2 with SQL Server's views has a few statements of its own. */
    private final boolean standIn;

    private @Nullable Boolean babelfish;

    SqlServerSource(SourceLogin login, Connection connection, Duration queryTimeout, boolean standIn) {
        super(login, connection, queryTimeout);
        this.standIn = standIn;
    }

    /* Two queries: a join of theirs takes H2 seconds for a thousand tables. */
    @Override
    Map<String, Long> rowCounts() {
        String failure = "cannot read how many rows the tables of " + url() + " have";
        Map<String, Long> byObject = new HashMap<>();
        optional(
                failure,
                "SELECT object_id, SUM(rows) AS row_count FROM sys.partitions WHERE index_id IN (0, 1) GROUP BY object_id",
                row -> byObject.put(row.getString("object_id"), row.getLong("row_count")));
        Map<String, Long> counts = new HashMap<>();
        catalogue(
                "SELECT s.name AS schema_name, t.name AS table_name, t.object_id FROM sys.tables AS t"
                        + " JOIN sys.schemas AS s ON s.schema_id = t.schema_id",
                row -> {
                    Long rows = byObject.get(row.getString("object_id"));
                    return rows != null
                            && counts.put(row.getString("schema_name") + "." + row.getString("table_name"), rows)
                                    == null;
                });
        return counts;
    }

    /* Of a columnstore or a filtered index, the first column does not give the maximum. */
    @Override
    String indexedColumns() {
        return """
                SELECT s.name AS schema_name, t.name AS table_name, c.name AS column_name
                FROM sys.indexes AS i
                JOIN sys.index_columns AS k ON k.object_id = i.object_id AND k.index_id = i.index_id
                JOIN sys.columns AS c ON c.object_id = k.object_id AND c.column_id = k.column_id
                JOIN sys.tables AS t ON t.object_id = i.object_id
                JOIN sys.schemas AS s ON s.schema_id = t.schema_id
                WHERE k.key_ordinal = 1 AND i.type IN (1, 2) AND i.is_disabled = 0 AND i.filter_definition IS NULL
                """;
    }

    @Override
    String fences() {
        return FENCES;
    }

    @Override
    String limitLockWait(Duration time) {
        return "SET LOCK_TIMEOUT " + time.toMillis();
    }

    /** Error 1222; H2's 50200. */
    @Override
    boolean waitedForLock(SQLException e) {
        return e.getErrorCode() == 1222 || (standIn && e.getErrorCode() == 50200);
    }

    @Override
    String blockers() {
        return standIn ? H2_BLOCKERS : BLOCKERS;
    }

    @Override
    public String reseed(SourceColumn column, BigInteger next) {
        // A table that never had a row begins at the value itself, every other one after it. Both are past the rest.
        return column.isSequence()
                ? super.reseed(column, next)
                : "DBCC CHECKIDENT ('" + quoted(column.schema(), column.table()).replace("'", "''") + "', RESEED, "
                        + next + ")";
    }

    /** Of one table at a time in a session, and not undone by a rollback. */
    @Override
    public ExplicitIds explicitIds(String quotedTable) {
        String set = "SET IDENTITY_INSERT " + quotedTable;
        return standIn
                ? new ExplicitIds(List.of(), "", List.of())
                : new ExplicitIds(List.of(set + " ON"), "", List.of(set + " OFF"));
    }

    @Override
    String addConstraint(SourceColumn column, BigInteger last, String name) {
        String table = "ALTER TABLE " + quoted(column.schema(), column.table());
        String check = " ADD CONSTRAINT " + quote(name) + " CHECK (" + within(column, last) + ")";
        return standIn ? table + check + " NOCHECK" : table + " WITH NOCHECK" + check;
    }

    @Override
    public String fenceNote() {
        return "A CHECK binds every login, sysadmin too, and WITH NOCHECK reads no rows. It needs a schema lock, which"
                + " waits for every statement on the table. Bulk loads skip it: BULK INSERT, bcp and SqlBulkCopy, unless"
                + " they ask for CHECK_CONSTRAINTS. Stop those, and replicated writers on other servers, yourself.";
    }

    @Override
    void find(List<SourceColumn> chosen, List<Finding> findings) {
        if (viewDefinition() < 0) {
            findings.add(
                    Finding.warning("this engine does not tell whether the login has VIEW DEFINITION. Without it the"
                            + " catalogue hides tables: compare the tables here with a list of your own"));
        }
        optional("cannot read the row-level security of " + url(), ROW_SECURITY, row -> {
            String table = row.getString("schema_name") + "." + row.getString("table_name");
            return chosen.stream().anyMatch(column -> column.qualifiedTable().equals(table))
                    && findings.add(Finding.warning("row-level security: policy " + row.getString("policy_name")
                            + " may hide rows of " + table
                            + " from this login, so MAX may be too low and rows would not"
                            + " be copied. Use a login that the policy does not filter, or give --floor " + table
                            + "=n"));
        });
        optional("cannot read the replication of " + url(), MERGED, row -> row.getString("name"))
                .forEach(table -> findings.add(Finding.warning("merge replication of " + table
                        + ": subscribers have ranges of ids of their own. Give --floor " + table
                        + "=n above every range, and fence every node")));
        List<String> unknown =
                optional("cannot read the sequences of " + url(), UNKNOWN_SEQUENCES, row -> row.getString("name"));
        if (!unknown.isEmpty()) {
            findings.add(Finding.warning("this engine does not tell the last values of sequences: "
                    + String.join(", ", unknown) + " are not migrated. Find out which id each of them issued last, and"
                    + " register each: cassidy ids register --table ... --column ... --start n"));
        }
        list(findings, MODULES, " do not move");
        DATA_FLOWS.forEach(sql -> list(findings, sql, ": what reads the changes does not move"));
        jobs(findings);
    }

    /** Returns 1 if the login has VIEW DEFINITION, 0 if not, -1 if the engine does not tell. */
    private int viewDefinition() {
        try {
            return rows(
                            "cannot ask for the rights on " + url(),
                            "SELECT HAS_PERMS_BY_NAME(DB_NAME(), 'DATABASE', 'VIEW DEFINITION')",
                            row -> row.getObject(1) == null ? -1 : row.getInt(1))
                    .get(0);
        } catch (MigrationException e) {
            return -1;
        }
    }

    /** Babelfish for PostgreSQL speaks T-SQL, and shows the seed as the last value of a column that was never used. */
    private boolean babelfish() {
        Boolean known = babelfish;
        if (known == null) {
            try {
                known = rows(
                                "cannot ask which engine " + url() + " is",
                                "SELECT CAST(SERVERPROPERTY('babelfishversion') AS VARCHAR(40)) AS version",
                                row -> row.getString("version") != null)
                        .get(0);
            } catch (MigrationException e) {
                known = false;
            }
            babelfish = known;
        }
        return known;
    }

    @Override
    void requireRights() {
        if (viewDefinition() == 0) {
            throw new MigrationException(
                    ExitCode.REFUSED,
                    "the login has no VIEW DEFINITION on the database, and the catalogue then hides tables and columns"
                            + " without a word: GRANT VIEW DEFINITION TO the user of --source-user");
        }
    }

    private void jobs(List<Finding> findings) {
        if (standIn) {
            return;
        }
        try {
            list(findings, "SELECT 'jobs' AS kind, name FROM msdb.dbo.sysjobs ORDER BY 2", " do not move");
        } catch (MigrationException e) {
            findings.add(Finding.info("jobs of the SQL Server Agent do not move; this login may not list them"));
        }
    }

    @Override
    public String engine() {
        return "SQL Server";
    }

    @Override
    public String quote(String name) {
        return "[" + name.replace("]", "]]") + "]";
    }

    private <T> List<T> catalogue(String sql, Row<T> mapper) {
        return rows("cannot read the catalogue views of " + url(), sql, mapper);
    }

    @Override
    public Map<SourceColumn, Optional<BigInteger>> lastValues() {
        boolean seedIsNothing = babelfish();
        Map<SourceColumn, Optional<BigInteger>> values = new LinkedHashMap<>();
        catalogue(IDENTITIES, row -> {
            SourceColumn column = identity(row);
            return values.put(
                    column, lastValue(column, row).filter(last -> !seedIsNothing || !last.equals(column.seed())));
        });
        boolean tellsUse = !optional("", "SELECT last_used_value FROM sys.sequences WHERE 1 = 1", row -> 1)
                .isEmpty();
        Map<String, List<SourceColumn.User>> users = usersOfSequences("cannot read the catalogue views", DEFAULTS);
        optional(
                "cannot read the sequences of " + url(),
                SEQUENCES.replace("${last}", tellsUse ? "last_used_value" : "current_value"),
                row -> values.put(sequence(row, users), integer(row.getBigDecimal("last_value"))));
        return values;
    }

    /**
     * The catalogue's last value and IDENT_CURRENT say the same; where they differ, the further one counts.
     * IDENT_CURRENT is the seed of a table that was never used, too, and so says nothing then.
     */
    private static Optional<BigInteger> lastValue(SourceColumn column, ResultSet row) throws SQLException {
        Optional<BigInteger> last = integer(row.getBigDecimal("last_value"));
        Optional<BigInteger> current = integer(row.getBigDecimal("ident_current"));
        if (current.isEmpty() || (last.isEmpty() && current.get().equals(column.seed()))) {
            return last;
        }
        return last.isPresent() && !column.beyond(current.get(), last.get()) ? last : current;
    }

    private static SourceColumn sequence(ResultSet row, Map<String, List<SourceColumn.User>> users)
            throws SQLException {
        String schema = row.getString("schema_name");
        String name = row.getString("table_name");
        return new SourceColumn(
                schema,
                name,
                "",
                row.getString("type_name"),
                row.getInt("type_precision"),
                0,
                row.getBigDecimal("seed_value").toBigIntegerExact(),
                row.getBigDecimal("increment_value").toBigIntegerExact(),
                row.getBoolean("is_cycling"),
                users.getOrDefault(sequenceKey(schema, name), List.of()));
    }

    @Override
    Map<SourceColumn.User, List<SourceColumn.User>> references() {
        return references("cannot read the foreign keys of " + url(), FOREIGN_KEYS, HISTORIES);
    }

    private static SourceColumn identity(ResultSet row) throws SQLException {
        return new SourceColumn(
                row.getString("schema_name"),
                row.getString("table_name"),
                row.getString("column_name"),
                row.getString("type_name"),
                row.getInt("type_precision"),
                row.getInt("type_scale"),
                row.getBigDecimal("seed_value").toBigIntegerExact(),
                row.getBigDecimal("increment_value").toBigIntegerExact());
    }

    @Override
    public List<SourceTable> tables(Predicate<String> chosen) {
        TableBuilders tables = new TableBuilders(chosen);
        catalogue(COLUMNS, row -> tables.add(row, column(row)));
        catalogue(
                INDEXES,
                row -> row.getBoolean("is_primary_key")
                        ? tables.addKey(row)
                        : tables.addIndex(row, row.getBoolean("is_unique"), row.getString("filter_definition")));
        catalogue(FOREIGN_KEYS, tables::addForeignKey);
        return tables.build();
    }

    private static SourceTable.Column column(ResultSet row) throws SQLException {
        String type = row.getString("type_name").toLowerCase(Locale.ROOT);
        int bytes = row.getInt("max_length");
        int length = UNLIMITED.contains(type)
                ? -1
                : TWO_BYTES.contains(type) ? (bytes < 0 ? -1 : bytes / 2) : BYTES.contains(type) ? bytes : 0;
        return new SourceTable.Column(
                row.getString("column_name"),
                type,
                length,
                NUMBERS.contains(type) ? row.getInt("type_precision") : 0,
                row.getInt("type_scale"),
                row.getBoolean("is_nullable"),
                row.getString("default_expression"),
                row.getString("collation_name"),
                row.getBoolean("is_identity"),
                // timestamp is the old name of rowversion.
                row.getBoolean("is_computed") || type.equals("timestamp"));
    }
}
