package dev.cassidy.migration.source;

import dev.cassidy.migration.error.Finding;
import java.math.BigInteger;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * MySQL and MariaDB: AUTO_INCREMENT, and MariaDB's SEQUENCE objects. What other databases call a schema is a database
 * here. The catalogue keeps the next id; a table whose next id is 1 counts as never used.
 */
final class MySqlSource extends JdbcSource {

    private static final String OWN = " IN (SELECT SCHEMA_NAME FROM information_schema.SCHEMATA WHERE SCHEMA_NAME"
            + " = COALESCE(DATABASE(), SCHEMA_NAME) AND SCHEMA_NAME NOT IN"
            + " ('information_schema', 'mysql', 'performance_schema', 'sys'))";

    private static final String IDENTITIES = """
            SELECT c.TABLE_SCHEMA AS schema_name, c.TABLE_NAME AS table_name, c.COLUMN_NAME AS column_name,
                c.DATA_TYPE AS type_name, c.COLUMN_TYPE AS full_type, c.NUMERIC_PRECISION AS type_precision,
                t.AUTO_INCREMENT AS next_value
            FROM information_schema.COLUMNS AS c
            JOIN information_schema.TABLES AS t ON t.TABLE_SCHEMA = c.TABLE_SCHEMA AND t.TABLE_NAME = c.TABLE_NAME
            WHERE c.EXTRA LIKE '%auto_increment%' AND c.TABLE_SCHEMA""" + OWN + " ORDER BY 1, 2";

    private static final String SEQUENCES = """
            SELECT TABLE_SCHEMA AS schema_name, TABLE_NAME AS table_name
            FROM information_schema.TABLES
            WHERE TABLE_TYPE = 'SEQUENCE' AND TABLE_SCHEMA""" + OWN + " ORDER BY 1, 2";

    private static final String DEFAULTS = """
            SELECT TABLE_SCHEMA AS schema_name, TABLE_NAME AS table_name, COLUMN_NAME AS column_name,
                COLUMN_DEFAULT AS default_expression
            FROM information_schema.COLUMNS
            WHERE COLUMN_DEFAULT LIKE 'nextval(%' AND TABLE_SCHEMA""" + OWN + " ORDER BY 1, 2, 3";

    private static final String FOREIGN_KEYS = """
            SELECT k.TABLE_SCHEMA AS schema_name, k.TABLE_NAME AS table_name, k.CONSTRAINT_NAME AS key_name,
                k.COLUMN_NAME AS column_name, k.REFERENCED_TABLE_SCHEMA AS referenced_schema,
                k.REFERENCED_TABLE_NAME AS referenced_table, k.REFERENCED_COLUMN_NAME AS referenced_column
            FROM information_schema.KEY_COLUMN_USAGE AS k
            WHERE k.REFERENCED_TABLE_NAME IS NOT NULL AND k.REFERENCED_TABLE_SCHEMA""" + OWN + " ORDER BY 1, 2, 3, k.ORDINAL_POSITION";

    private static final String COLUMNS = """
            SELECT c.TABLE_SCHEMA AS schema_name, c.TABLE_NAME AS table_name, c.COLUMN_NAME AS column_name,
                c.DATA_TYPE AS type_name, c.COLUMN_TYPE AS full_type, c.CHARACTER_MAXIMUM_LENGTH AS max_length,
                c.NUMERIC_PRECISION AS type_precision, COALESCE(c.NUMERIC_SCALE, c.DATETIME_PRECISION, 0) AS type_scale,
                c.IS_NULLABLE AS nullable, c.EXTRA AS extra, c.COLLATION_NAME AS collation_name,
                c.COLUMN_DEFAULT AS default_expression
            FROM information_schema.COLUMNS AS c
            JOIN information_schema.TABLES AS t ON t.TABLE_SCHEMA = c.TABLE_SCHEMA AND t.TABLE_NAME = c.TABLE_NAME
            WHERE t.TABLE_TYPE IN ('BASE TABLE', 'SYSTEM VERSIONED') AND c.TABLE_SCHEMA""" + OWN + " ORDER BY 1, 2, c.ORDINAL_POSITION";

    private static final String INDEXES = """
            SELECT TABLE_SCHEMA AS schema_name, TABLE_NAME AS table_name, INDEX_NAME AS index_name,
                NON_UNIQUE AS non_unique, COLUMN_NAME AS column_name
            FROM information_schema.STATISTICS
            WHERE TABLE_SCHEMA""" + OWN + " ORDER BY 1, 2, 3, SEQ_IN_INDEX";

    private final boolean mariaDb;

    MySqlSource(SourceLogin login, Connection connection, Duration queryTimeout, boolean mariaDb) {
        super(login, connection, queryTimeout);
        this.mariaDb = mariaDb;
        if (!mariaDb) {
            // MySQL 8 shows AUTO_INCREMENT as it was up to a day ago. Older versions do not know the variable.
            try (Statement statement = connection.createStatement()) {
                statement.execute("SET SESSION information_schema_stats_expiry = 0");
            } catch (SQLException e) {
                if (e.getErrorCode() != 1193) {
                    throw SourceLogin.failure("cannot ask for the present AUTO_INCREMENT of " + url(), e);
                }
            }
        }
    }

    @Override
    Map<String, Long> rowCounts() {
        return rowCounts("SELECT TABLE_SCHEMA AS schema_name, TABLE_NAME AS table_name, TABLE_ROWS AS row_count"
                + " FROM information_schema.TABLES WHERE TABLE_SCHEMA" + OWN);
    }

    @Override
    String indexedColumns() {
        return "SELECT TABLE_SCHEMA AS schema_name, TABLE_NAME AS table_name, COLUMN_NAME AS column_name"
                + " FROM information_schema.STATISTICS WHERE SEQ_IN_INDEX = 1 AND INDEX_TYPE = 'BTREE'"
                + " AND TABLE_SCHEMA" + OWN;
    }

    /** Two triggers with the same limit are a fence; one of them alone is a fence that is disabled. */
    @Override
    String fences() {
        return """
                SELECT schema_name, table_name, fence_name, MAX(definition) AS definition,
                    CASE WHEN COUNT(*) = 2 THEN 1 ELSE 0 END AS enabled
                FROM (
                    SELECT EVENT_OBJECT_SCHEMA AS schema_name, EVENT_OBJECT_TABLE AS table_name,
                        CASE EVENT_MANIPULATION WHEN 'UPDATE' THEN TRIM(TRAILING '_update' FROM TRIGGER_NAME)
                            ELSE TRIGGER_NAME END AS fence_name, ACTION_STATEMENT AS definition
                    FROM information_schema.TRIGGERS
                    WHERE EVENT_MANIPULATION IN ('INSERT', 'UPDATE') AND TRIGGER_NAME LIKE 'cassidy\\_fence\\_%'
                ) AS triggers
                GROUP BY schema_name, table_name, fence_name
                """;
    }

    /** In whole seconds, at least one. */
    @Override
    String limitLockWait(Duration time) {
        return "SET SESSION lock_wait_timeout = " + Math.max(1, time.toSeconds());
    }

    @Override
    boolean waitedForLock(SQLException e) {
        return e.getErrorCode() == 1205;
    }

    @Override
    String blockers() {
        return """
                SELECT CONCAT('session ', p.ID, ' of ', p.USER, ' on ', p.HOST, ' (', p.COMMAND, ')')
                FROM information_schema.PROCESSLIST AS p
                JOIN information_schema.INNODB_TRX AS x ON x.trx_mysql_thread_id = p.ID
                WHERE p.ID <> CONNECTION_ID() AND ? IS NOT NULL AND ? IS NOT NULL
                """;
    }

    @Override
    public String reseed(SourceColumn column, BigInteger next) {
        return column.isSequence()
                ? super.reseed(column, next)
                : "ALTER TABLE " + quoted(column.schema(), column.table()) + " AUTO_INCREMENT = " + next;
    }

    /** An explicit 0 would become the next id. */
    @Override
    public ExplicitIds explicitIds(String quotedTable) {
        return new ExplicitIds(
                List.of("SET SESSION sql_mode = CONCAT(@@SESSION.sql_mode, ',NO_AUTO_VALUE_ON_ZERO')"), "", List.of());
    }

    /*
     * Neither engine takes a column with AUTO_INCREMENT in a CHECK. Before the row is inserted a trigger sees 0 for its
     * id, so it looks after that; its error undoes the insert. An update names the id itself, also ON DUPLICATE KEY UPDATE.
     */
    @Override
    public List<String> addFence(SourceColumn column, BigInteger last, String name) {
        return List.of(
                trigger(column, name, "AFTER INSERT", last), trigger(column, ofUpdates(name), "BEFORE UPDATE", last));
    }

    private String trigger(SourceColumn column, String name, String event, BigInteger last) {
        return "CREATE TRIGGER " + quoted(column.schema(), name) + " " + event + " ON "
                + quoted(column.schema(), column.table()) + " FOR EACH ROW IF NEW." + quote(column.column()) + " > "
                + last
                + " THEN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'beyond the fence: new rows go to Cassandra';"
                + " END IF";
    }

    private static String ofUpdates(String fence) {
        return fence + "_update";
    }

    /** Begins by removing what a run that ended in the middle left of the new fence: its name is taken otherwise. */
    @Override
    public List<String> replaceFence(SourceColumn column, Fence fence, BigInteger last) {
        List<String> statements = new ArrayList<>(dropTriggers(column, Fence.nameBeside(column, last, fence)));
        statements.addAll(super.replaceFence(column, fence, last));
        return statements;
    }

    @Override
    public List<String> dropFence(SourceColumn column, Fence fence) {
        return dropTriggers(column, fence.name());
    }

    private List<String> dropTriggers(SourceColumn column, String fence) {
        return Stream.of(fence, ofUpdates(fence))
                .map(name -> "DROP TRIGGER IF EXISTS " + quoted(column.schema(), name))
                .toList();
    }

    @Override
    public String fenceNote() {
        return "Two triggers refuse the rows, of inserts and of updates, since no CHECK may name a column with"
                + " AUTO_INCREMENT. They read no rows, and each needs a metadata lock, which waits for every transaction"
                + " on the table. Their error undoes an insert in transactional tables alone: tables of MyISAM or Aria"
                + " keep the row. They need the right TRIGGER, and"
                + " SUPER or log_bin_trust_function_creators if the server writes a binary log. LOAD DATA fires them; rows"
                + " that a replica or Galera applies do not: fence every node that takes inserts.";
    }

    @Override
    void find(List<SourceColumn> chosen, List<Finding> findings) {
        catalogue("SELECT @@GLOBAL.auto_increment_increment", row -> row.getInt(1)).stream()
                .filter(increment -> increment > 1)
                .forEach(increment -> findings.add(Finding.warning("auto_increment_increment=" + increment
                        + ": several servers insert, and each remembers only its own last ids. Read each of them, or give"
                        + " --floor, and fence every one")));
        catalogue(
                        "SELECT CONCAT(TABLE_SCHEMA, '.', TABLE_NAME) AS name, ENGINE FROM information_schema.TABLES"
                                + " WHERE ENGINE IN ('MyISAM', 'Aria', 'MEMORY')",
                        row -> row.getString("name"))
                .stream()
                .filter(table -> chosen.stream()
                        .anyMatch(column -> column.qualifiedTable().equals(table)))
                .forEach(table -> findings.add(Finding.warning(
                        table + " is not transactional: a fence reports an error there and keeps the row")));
        list(
                findings,
                "SELECT 'views' AS kind, CONCAT(TABLE_SCHEMA, '.', TABLE_NAME) AS name FROM"
                        + " information_schema.VIEWS WHERE TABLE_SCHEMA" + OWN + " UNION ALL SELECT 'routines', CONCAT("
                        + "ROUTINE_SCHEMA, '.', ROUTINE_NAME) FROM information_schema.ROUTINES WHERE ROUTINE_SCHEMA"
                        + OWN
                        + " UNION ALL SELECT 'triggers', CONCAT(TRIGGER_SCHEMA, '.', TRIGGER_NAME) FROM"
                        + " information_schema.TRIGGERS WHERE TRIGGER_NAME NOT LIKE 'cassidy\\_fence\\_%' AND TRIGGER_SCHEMA"
                        + OWN + " UNION ALL SELECT 'events', CONCAT(EVENT_SCHEMA, '.', EVENT_NAME) FROM"
                        + " information_schema.EVENTS WHERE EVENT_SCHEMA" + OWN + " ORDER BY 1, 2",
                " do not move");
    }

    @Override
    public String engine() {
        return mariaDb ? "MariaDB" : "MySQL";
    }

    @Override
    public String quote(String name) {
        return "`" + name.replace("`", "``") + "`";
    }

    private <T> List<T> catalogue(String sql, Row<T> mapper) {
        return rows("cannot read the catalogue of " + url(), sql, mapper);
    }

    @Override
    public Map<SourceColumn, Optional<BigInteger>> lastValues() {
        Map<SourceColumn, Optional<BigInteger>> values = new LinkedHashMap<>();
        catalogue(
                IDENTITIES,
                row -> values.put(
                        new SourceColumn(
                                row.getString("schema_name"),
                                row.getString("table_name"),
                                row.getString("column_name"),
                                type(row),
                                row.getInt("type_precision"),
                                0,
                                BigInteger.ONE,
                                BigInteger.ONE),
                        integer(row.getBigDecimal("next_value"))
                                .map(next -> next.subtract(BigInteger.ONE))
                                .filter(last -> last.signum() > 0)));
        if (mariaDb) {
            sequences(values);
        }
        return values;
    }

    private void sequences(Map<SourceColumn, Optional<BigInteger>> values) {
        Map<String, List<SourceColumn.User>> users = new LinkedHashMap<>();
        catalogue(DEFAULTS, row -> {
            // nextval(`database`.`sequence`)
            String drawn = row.getString("default_expression");
            String name = drawn.substring("nextval(".length(), drawn.length() - 1)
                    .replace("`.`", ".")
                    .replaceAll("^`|`$", "")
                    .replace("``", "`");
            return users.computeIfAbsent(name.toLowerCase(Locale.ROOT), none -> new ArrayList<>())
                    .add(new SourceColumn.User(
                            row.getString("schema_name"), row.getString("table_name"), row.getString("column_name")));
        });
        for (String[] name :
                catalogue(SEQUENCES, row -> new String[] {row.getString("schema_name"), row.getString("table_name")})) {
            // What is cached counts as used: other sessions may issue it.
            catalogue(
                    "SELECT next_not_cached_value, start_value, increment, cycle_option FROM "
                            + quoted(name[0], name[1]),
                    row -> {
                        BigInteger start = row.getBigDecimal("start_value").toBigIntegerExact();
                        BigInteger increment = row.getBigDecimal("increment").toBigIntegerExact();
                        BigInteger next =
                                row.getBigDecimal("next_not_cached_value").toBigIntegerExact();
                        SourceColumn sequence = new SourceColumn(
                                name[0],
                                name[1],
                                "",
                                "bigint",
                                19,
                                0,
                                start,
                                increment.signum() == 0 ? BigInteger.ONE : increment,
                                row.getBoolean("cycle_option"),
                                users.getOrDefault(sequenceKey(name[0], name[1]), List.of()));
                        return values.put(
                                sequence,
                                next.equals(start)
                                        ? Optional.empty()
                                        : Optional.of(next.subtract(sequence.increment())));
                    });
        }
    }

    private static String type(ResultSet row) throws SQLException {
        String type = row.getString("type_name").toLowerCase(Locale.ROOT);
        return row.getString("full_type").toLowerCase(Locale.ROOT).contains("unsigned") ? type + " unsigned" : type;
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
                row -> "PRIMARY".equals(row.getString("index_name"))
                        ? tables.addKey(row)
                        : tables.addIndex(row, !row.getBoolean("non_unique"), null));
        catalogue(FOREIGN_KEYS, tables::addForeignKey);
        return tables.build();
    }

    private static SourceTable.Column described(ResultSet row) throws SQLException {
        String extra = row.getString("extra").toLowerCase(Locale.ROOT);
        String collation = row.getString("collation_name");
        return new SourceTable.Column(
                row.getString("column_name"),
                type(row),
                Math.toIntExact(Math.min(row.getLong("max_length"), Integer.MAX_VALUE)),
                row.getInt("type_precision"),
                row.getInt("type_scale"),
                "YES".equals(row.getString("nullable")),
                row.getString("default_expression"),
                collation,
                extra.contains("auto_increment"),
                extra.contains("virtual generated") || extra.contains("stored generated"),
                collation == null || comparesCharacters(collation.toLowerCase(Locale.ROOT)));
    }

    /**
     * One that ends in _cs tells A from a, but may ignore accents (MariaDB's uca1400_ai_cs), kana, and characters without weight. Of most
     * binary ones blanks at the end do not count, which Cassandra has as a difference.
     */
    static boolean comparesCharacters(String collation) {
        return collation.equals("binary") || collation.endsWith("_bin");
    }
}
