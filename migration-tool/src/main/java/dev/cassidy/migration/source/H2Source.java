package dev.cassidy.migration.source;

import dev.cassidy.migration.error.Finding;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/** H2 2.x. It keeps the next id, so a column whose next id is its seed counts as never used. */
final class H2Source extends JdbcSource {

    private static final String IDENTITIES = """
            SELECT c.TABLE_SCHEMA AS "schema_name", c.TABLE_NAME AS "table_name", c.COLUMN_NAME AS "column_name",
                c.DATA_TYPE AS "type_name", c.NUMERIC_PRECISION AS "type_precision", c.NUMERIC_SCALE AS "type_scale",
                c.IDENTITY_START AS "seed_value", c.IDENTITY_INCREMENT AS "increment_value",
                c.IDENTITY_BASE AS "next_value", c.IDENTITY_CYCLE AS "cycles"
            FROM INFORMATION_SCHEMA.COLUMNS AS c
            WHERE c.IS_IDENTITY = 'YES'
            ORDER BY 1, 2
            """;

    private static final String SEQUENCES = """
            SELECT SEQUENCE_SCHEMA AS "schema_name", SEQUENCE_NAME AS "table_name", '' AS "column_name",
                DATA_TYPE AS "type_name", NUMERIC_PRECISION AS "type_precision", 0 AS "type_scale",
                START_VALUE AS "seed_value", INCREMENT AS "increment_value", BASE_VALUE AS "next_value",
                CYCLE_OPTION AS "cycles"
            FROM INFORMATION_SCHEMA.SEQUENCES
            ORDER BY 1, 2
            """;

    private static final String DEFAULTS = """
            SELECT TABLE_SCHEMA AS "schema_name", TABLE_NAME AS "table_name", COLUMN_NAME AS "column_name",
                COLUMN_DEFAULT AS "default_expression"
            FROM INFORMATION_SCHEMA.COLUMNS
            WHERE COLUMN_DEFAULT LIKE 'NEXT VALUE FOR %'
            ORDER BY 1, 2, 3
            """;

    private static final String FOREIGN_KEYS = """
            SELECT k.TABLE_SCHEMA AS "schema_name", k.TABLE_NAME AS "table_name", r.CONSTRAINT_NAME AS "key_name",
                k.COLUMN_NAME AS "column_name", u.TABLE_SCHEMA AS "referenced_schema",
                u.TABLE_NAME AS "referenced_table", u.COLUMN_NAME AS "referenced_column"
            FROM INFORMATION_SCHEMA.REFERENTIAL_CONSTRAINTS AS r
            JOIN INFORMATION_SCHEMA.KEY_COLUMN_USAGE AS k
                ON k.CONSTRAINT_SCHEMA = r.CONSTRAINT_SCHEMA AND k.CONSTRAINT_NAME = r.CONSTRAINT_NAME
            JOIN INFORMATION_SCHEMA.KEY_COLUMN_USAGE AS u
                ON u.CONSTRAINT_SCHEMA = r.UNIQUE_CONSTRAINT_SCHEMA AND u.CONSTRAINT_NAME = r.UNIQUE_CONSTRAINT_NAME
                AND u.ORDINAL_POSITION = k.POSITION_IN_UNIQUE_CONSTRAINT
            ORDER BY 1, 2, 3, k.ORDINAL_POSITION
            """;

    private static final String COLUMNS = """
            SELECT c.TABLE_SCHEMA AS "schema_name", c.TABLE_NAME AS "table_name", c.COLUMN_NAME AS "column_name",
                c.DATA_TYPE AS "type_name", c.CHARACTER_MAXIMUM_LENGTH AS "max_length",
                c.NUMERIC_PRECISION AS "type_precision", COALESCE(c.NUMERIC_SCALE, c.DATETIME_PRECISION, 0) AS "type_scale",
                c.IS_NULLABLE AS "nullable", c.IS_IDENTITY AS "identity", c.IS_GENERATED AS "computed",
                c.COLLATION_NAME AS "collation_name", c.COLUMN_DEFAULT AS "default_expression"
            FROM INFORMATION_SCHEMA.COLUMNS AS c
            JOIN INFORMATION_SCHEMA.TABLES AS t ON t.TABLE_SCHEMA = c.TABLE_SCHEMA AND t.TABLE_NAME = c.TABLE_NAME
            WHERE t.TABLE_TYPE = 'BASE TABLE' AND t.TABLE_SCHEMA <> 'INFORMATION_SCHEMA'
            ORDER BY 1, 2, c.ORDINAL_POSITION
            """;

    private static final String INDEXES = """
            SELECT i.TABLE_SCHEMA AS "schema_name", i.TABLE_NAME AS "table_name", i.INDEX_NAME AS "index_name",
                i.INDEX_TYPE_NAME AS "index_type", k.COLUMN_NAME AS "column_name"
            FROM INFORMATION_SCHEMA.INDEXES AS i
            JOIN INFORMATION_SCHEMA.INDEX_COLUMNS AS k
                ON k.INDEX_SCHEMA = i.INDEX_SCHEMA AND k.INDEX_NAME = i.INDEX_NAME
            ORDER BY 1, 2, 3, k.ORDINAL_POSITION
            """;

    H2Source(SourceLogin login, Connection connection, Duration queryTimeout) {
        super(login, connection, queryTimeout);
    }

    @Override
    Map<String, Long> rowCounts() {
        return rowCounts("""
                SELECT TABLE_SCHEMA AS "schema_name", TABLE_NAME AS "table_name", ROW_COUNT_ESTIMATE AS "row_count"
                FROM INFORMATION_SCHEMA.TABLES
                """);
    }

    @Override
    String indexedColumns() {
        return """
                SELECT TABLE_SCHEMA AS "schema_name", TABLE_NAME AS "table_name", COLUMN_NAME AS "column_name"
                FROM INFORMATION_SCHEMA.INDEX_COLUMNS
                WHERE ORDINAL_POSITION = 1
                """;
    }

    @Override
    String fences() {
        return """
                SELECT t.TABLE_SCHEMA AS "schema_name", t.TABLE_NAME AS "table_name", t.CONSTRAINT_NAME AS "fence_name",
                    k.CHECK_CLAUSE AS "definition", TRUE AS "enabled"
                FROM INFORMATION_SCHEMA.TABLE_CONSTRAINTS AS t
                JOIN INFORMATION_SCHEMA.CHECK_CONSTRAINTS AS k
                    ON k.CONSTRAINT_SCHEMA = t.CONSTRAINT_SCHEMA AND k.CONSTRAINT_NAME = t.CONSTRAINT_NAME
                """;
    }

    @Override
    String limitLockWait(Duration time) {
        return "SET LOCK_TIMEOUT " + time.toMillis();
    }

    @Override
    boolean waitedForLock(SQLException e) {
        return e.getErrorCode() == 50200;
    }

    @Override
    String blockers() {
        return """
                SELECT DISTINCT 'session ' || l.SESSION_ID || ' of ' || s.USER_NAME
                FROM INFORMATION_SCHEMA.LOCKS AS l
                JOIN INFORMATION_SCHEMA.SESSIONS AS s ON s.SESSION_ID = l.SESSION_ID
                WHERE l.TABLE_SCHEMA = ? AND l.TABLE_NAME = ? AND l.SESSION_ID <> SESSION_ID()
                """;
    }

    @Override
    String addConstraint(SourceColumn column, BigInteger last, String name) {
        return super.addConstraint(column, last, name) + " NOCHECK";
    }

    @Override
    public String fenceNote() {
        return "A CHECK binds every user. NOCHECK reads no rows. It needs an exclusive lock on the" + " table.";
    }

    @Override
    void find(List<SourceColumn> chosen, List<Finding> findings) {
        list(
                findings,
                "SELECT 'views' AS \"kind\", TABLE_SCHEMA || '.' || TABLE_NAME AS \"name\""
                        + " FROM INFORMATION_SCHEMA.VIEWS ORDER BY 2",
                " do not move");
        list(
                findings,
                "SELECT 'triggers' AS \"kind\", TRIGGER_SCHEMA || '.' || TRIGGER_NAME AS \"name\""
                        + " FROM INFORMATION_SCHEMA.TRIGGERS ORDER BY 2",
                " do not move");
        list(
                findings,
                "SELECT 'routines' AS \"kind\", ROUTINE_SCHEMA || '.' || ROUTINE_NAME AS \"name\""
                        + " FROM INFORMATION_SCHEMA.ROUTINES ORDER BY 2",
                " do not move");
    }

    @Override
    public String engine() {
        return "H2";
    }

    @Override
    public String quote(String name) {
        return "\"" + name.replace("\"", "\"\"") + "\"";
    }

    private <T> List<T> catalogue(String sql, Row<T> mapper) {
        return rows("cannot read the catalogue of " + url(), sql, mapper);
    }

    @Override
    public Map<SourceColumn, Optional<BigInteger>> lastValues() {
        Map<SourceColumn, Optional<BigInteger>> values = new LinkedHashMap<>();
        Map<String, List<SourceColumn.User>> users =
                usersOfSequences("cannot read the catalogue of " + url(), DEFAULTS);
        for (String sql : List.of(IDENTITIES, SEQUENCES)) {
            catalogue(sql, row -> {
                SourceColumn column = column(row, users);
                BigInteger next = row.getBigDecimal("next_value").toBigIntegerExact();
                return values.put(
                        column,
                        next.equals(column.seed()) ? Optional.empty() : Optional.of(next.subtract(column.increment())));
            });
        }
        return values;
    }

    private static SourceColumn column(ResultSet row, Map<String, List<SourceColumn.User>> users) throws SQLException {
        String schema = row.getString("schema_name");
        String table = row.getString("table_name");
        String column = row.getString("column_name");
        return new SourceColumn(
                schema,
                table,
                column,
                type(row),
                row.getInt("type_precision"),
                row.getInt("type_scale"),
                whole(row.getBigDecimal("seed_value")),
                whole(row.getBigDecimal("increment_value")),
                "YES".equals(row.getString("cycles")),
                column.isEmpty() ? users.getOrDefault(sequenceKey(schema, table), List.of()) : List.of());
    }

    private static BigInteger whole(BigDecimal value) {
        return value.toBigIntegerExact();
    }

    private static String type(ResultSet row) throws SQLException {
        String type = row.getString("type_name").toLowerCase(Locale.ROOT);
        return switch (type) {
            case "integer" -> "int";
            // Signed here; in the target both are a smallint.
            case "numeric" -> "decimal";
            default -> type;
        };
    }

    @Override
    Map<SourceColumn.User, List<SourceColumn.User>> references() {
        return references("cannot read the foreign keys of " + url(), FOREIGN_KEYS);
    }

    @Override
    public List<SourceTable> tables(Predicate<String> chosen) {
        TableBuilders tables = new TableBuilders(chosen);
        catalogue(COLUMNS, row -> tables.add(row, described(row)));
        catalogue(
                INDEXES,
                row -> "PRIMARY KEY".equals(row.getString("index_type"))
                        ? tables.addKey(row)
                        : tables.addIndex(row, row.getString("index_type").startsWith("UNIQUE"), null));
        catalogue(FOREIGN_KEYS, tables::addForeignKey);
        return tables.build();
    }

    private static SourceTable.Column described(ResultSet row) throws SQLException {
        String type = type(row);
        String collation = row.getString("collation_name");
        return new SourceTable.Column(
                row.getString("column_name"),
                type,
                Math.toIntExact(Math.min(row.getLong("max_length"), Integer.MAX_VALUE)),
                row.getInt("type_precision"),
                row.getInt("type_scale"),
                "YES".equals(row.getString("nullable")),
                row.getString("default_expression"),
                collation,
                "YES".equals(row.getString("identity")),
                "ALWAYS".equals(row.getString("computed")),
                // Without SET COLLATION, texts compare by their characters.
                (collation == null || collation.equals("OFF")) && !type.equals("varchar_ignorecase"));
    }
}
