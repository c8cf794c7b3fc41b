package dev.cassidy.migration.source;

import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.migration.error.Finding;
import dev.cassidy.migration.error.MigrationException;
import java.math.BigInteger;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** PostgreSQL 10 and later, and what speaks its catalogue: identity columns, serials and other sequences. */
final class PostgreSqlSource extends JdbcSource {

    /*
     * One row for each sequence and column that uses it: by identity ('i'), by OWNED BY ('a'), or by a default. The view's
     * last value is NULL of a sequence that was not used since it was made or restarted, and of one that the role may not
     * read. The sequence itself tells those apart, see uncalled().
     */
    private static final String SEQUENCES = """
            SELECT qn.nspname AS sequence_schema, q.relname AS sequence_name, s.seqtypid::regtype::text AS sequence_type,
                s.seqstart AS seed_value, s.seqincrement AS increment_value, s.seqcycle AS cycles,
                v.last_value, v.last_value IS NOT NULL OR (has_schema_privilege(qn.oid, 'USAGE')
                    AND has_sequence_privilege(q.oid, 'SELECT')) AS readable,
                n.nspname AS schema_name, t.relname AS table_name, a.attname AS column_name,
                format_type(a.atttypid, NULL) AS type_name
            FROM pg_sequence AS s
            JOIN pg_class AS q ON q.oid = s.seqrelid
            JOIN pg_namespace AS qn ON qn.oid = q.relnamespace
            JOIN pg_sequences AS v ON v.schemaname = qn.nspname AND v.sequencename = q.relname
            LEFT JOIN (
                SELECT d.objid AS sequence_id, d.refobjid AS table_id, d.refobjsubid AS column_number
                FROM pg_depend AS d
                WHERE d.classid = 'pg_class'::regclass AND d.refclassid = 'pg_class'::regclass
                    AND d.deptype IN ('i', 'a') AND d.refobjsubid > 0
                UNION
                SELECT d.refobjid, e.adrelid, e.adnum
                FROM pg_depend AS d
                JOIN pg_attrdef AS e ON e.oid = d.objid
                WHERE d.classid = 'pg_attrdef'::regclass AND d.refclassid = 'pg_class'::regclass
            ) AS u ON u.sequence_id = s.seqrelid AND NOT (SELECT p.relispartition FROM pg_class AS p WHERE p.oid = u.table_id)
            LEFT JOIN pg_class AS t ON t.oid = u.table_id
            LEFT JOIN pg_namespace AS n ON n.oid = t.relnamespace
            LEFT JOIN pg_attribute AS a ON a.attrelid = u.table_id AND a.attnum = u.column_number
            WHERE q.relpersistence <> 't'
            ORDER BY qn.nspname, q.relname, n.nspname, t.relname, a.attnum
            """;

    private static final String FOREIGN_KEYS = """
            SELECT n.nspname AS schema_name, t.relname AS table_name, f.conname AS key_name, a.attname AS column_name,
                rn.nspname AS referenced_schema, rt.relname AS referenced_table, ra.attname AS referenced_column
            FROM pg_constraint AS f
            CROSS JOIN LATERAL unnest(f.conkey, f.confkey) WITH ORDINALITY AS k (own, referenced, position)
            JOIN pg_class AS t ON t.oid = f.conrelid
            JOIN pg_namespace AS n ON n.oid = t.relnamespace
            JOIN pg_attribute AS a ON a.attrelid = f.conrelid AND a.attnum = k.own
            JOIN pg_class AS rt ON rt.oid = f.confrelid
            JOIN pg_namespace AS rn ON rn.oid = rt.relnamespace
            JOIN pg_attribute AS ra ON ra.attrelid = f.confrelid AND ra.attnum = k.referenced
            WHERE f.contype = 'f' AND f.conparentid = 0
            ORDER BY n.nspname, t.relname, f.conname, k.position
            """;

    /* Collations say whether they are deterministic since PostgreSQL 12; before, all are. */
    private static final String COLUMNS = """
            SELECT n.nspname AS schema_name, t.relname AS table_name, a.attname AS column_name,
                format_type(COALESCE(NULLIF(y.typbasetype, 0), a.atttypid), NULL) AS type_name,
                c.character_maximum_length AS max_length, c.numeric_precision AS type_precision,
                COALESCE(c.numeric_scale, c.datetime_precision, 0) AS type_scale, NOT a.attnotnull AS nullable,
                pg_get_expr(e.adbin, e.adrelid) AS default_expression, l.collname AS collation_name,
                COALESCE((to_jsonb(l) ->> 'collisdeterministic')::boolean, TRUE) AS deterministic,
                a.attidentity <> '' OR EXISTS (
                    SELECT 1 FROM pg_depend AS d
                    WHERE d.classid = 'pg_attrdef'::regclass AND d.objid = e.oid
                        AND d.refobjid IN (SELECT seqrelid FROM pg_sequence)) AS identity,
                a.attgenerated <> '' AS computed
            FROM pg_attribute AS a
            JOIN pg_class AS t ON t.oid = a.attrelid
            JOIN pg_namespace AS n ON n.oid = t.relnamespace
            JOIN pg_type AS y ON y.oid = a.atttypid
            LEFT JOIN information_schema.columns AS c ON c.table_schema = n.nspname AND c.table_name = t.relname
                AND c.column_name = a.attname
            LEFT JOIN pg_attrdef AS e ON e.adrelid = a.attrelid AND e.adnum = a.attnum
            LEFT JOIN pg_collation AS l ON l.oid = a.attcollation
            WHERE t.relkind IN ('r', 'p') AND NOT t.relispartition AND a.attnum > 0 AND NOT a.attisdropped
                AND n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname NOT LIKE 'pg\\_toast%'
                AND t.relpersistence <> 't'
            ORDER BY n.nspname, t.relname, a.attnum
            """;

    private static final String INDEXES = """
            SELECT n.nspname AS schema_name, t.relname AS table_name, x.relname AS index_name,
                i.indisprimary AS is_primary_key, i.indisunique AS is_unique,
                pg_get_expr(i.indpred, i.indrelid) AS filter_definition, a.attname AS column_name
            FROM pg_index AS i
            CROSS JOIN LATERAL unnest(i.indkey::int2[]) WITH ORDINALITY AS k (number, position)
            JOIN pg_class AS x ON x.oid = i.indexrelid
            JOIN pg_class AS t ON t.oid = i.indrelid
            JOIN pg_namespace AS n ON n.oid = t.relnamespace
            LEFT JOIN pg_attribute AS a ON a.attrelid = i.indrelid AND a.attnum = k.number AND k.number > 0
            WHERE k.position <= i.indnkeyatts
            ORDER BY n.nspname, t.relname, x.relname, k.position
            """;

    /** As the catalogue was read last. */
    private final Map<SourceColumn, String> sequenceNames = new HashMap<>();

    PostgreSqlSource(SourceLogin login, Connection connection, Duration queryTimeout) {
        super(login, connection, queryTimeout);
    }

    /* A table that was never analysed has -1 rows: its size then tells, at 100 bytes a row. Partitions count for their table. */
    @Override
    Map<String, Long> rowCounts() {
        return rowCounts("""
                WITH RECURSIVE parts (root, part) AS (
                    SELECT oid, oid FROM pg_class WHERE relkind IN ('r', 'p') AND NOT relispartition
                    UNION ALL
                    SELECT p.root, i.inhrelid FROM parts AS p JOIN pg_inherits AS i ON i.inhparent = p.part
                )
                SELECT n.nspname AS schema_name, t.relname AS table_name,
                    SUM(CASE WHEN c.relkind = 'p' THEN 0 WHEN c.reltuples < 0 THEN pg_relation_size(c.oid) / 100
                        ELSE c.reltuples END)::bigint AS row_count
                FROM parts AS p
                JOIN pg_class AS t ON t.oid = p.root
                JOIN pg_namespace AS n ON n.oid = t.relnamespace
                JOIN pg_class AS c ON c.oid = p.part
                GROUP BY n.nspname, t.relname
                """);
    }

    @Override
    String indexedColumns() {
        return """
                SELECT n.nspname AS schema_name, t.relname AS table_name, a.attname AS column_name
                FROM pg_index AS i
                JOIN pg_class AS x ON x.oid = i.indexrelid
                JOIN pg_am AS m ON m.oid = x.relam
                JOIN pg_class AS t ON t.oid = i.indrelid
                JOIN pg_namespace AS n ON n.oid = t.relnamespace
                JOIN pg_attribute AS a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]
                WHERE m.amname = 'btree' AND i.indisvalid AND i.indpred IS NULL
                """;
    }

    @Override
    String fences() {
        return """
                SELECT n.nspname AS schema_name, t.relname AS table_name, k.conname AS fence_name,
                    pg_get_constraintdef(k.oid) AS definition, true AS enabled
                FROM pg_constraint AS k
                JOIN pg_class AS t ON t.oid = k.conrelid
                JOIN pg_namespace AS n ON n.oid = t.relnamespace
                WHERE k.contype = 'c' AND k.conname LIKE 'cassidy\\_fence\\_%'
                """;
    }

    @Override
    String limitLockWait(Duration time) {
        return "SET lock_timeout = " + time.toMillis();
    }

    @Override
    boolean waitedForLock(SQLException e) {
        return "55P03".equals(e.getSQLState());
    }

    @Override
    String blockers() {
        return """
                SELECT DISTINCT 'session ' || l.pid || ' of ' || COALESCE(a.usename, '?') || ' ('
                    || COALESCE(a.application_name, '') || ', ' || COALESCE(a.state, '?') || ')'
                FROM pg_locks AS l
                LEFT JOIN pg_stat_activity AS a ON a.pid = l.pid
                JOIN pg_class AS t ON t.oid = l.relation
                JOIN pg_namespace AS n ON n.oid = t.relnamespace
                WHERE l.granted AND l.pid <> pg_backend_pid() AND n.nspname = ? AND t.relname = ?
                """;
    }

    /** By the sequence itself: a serial's column has no RESTART. */
    @Override
    public String reseed(SourceColumn column, BigInteger next) {
        String sequence = sequenceNames.get(column);
        return sequence == null ? super.reseed(column, next) : "ALTER SEQUENCE " + sequence + " RESTART WITH " + next;
    }

    @Override
    String addConstraint(SourceColumn column, BigInteger last, String name) {
        return super.addConstraint(column, last, name) + " NOT VALID";
    }

    @Override
    public String fenceNote() {
        return "A CHECK binds every role, and COPY too. NOT VALID reads no rows. It needs an ACCESS EXCLUSIVE lock, which"
                + " waits for every transaction on the table. Logical replication checks it on the subscriber as well.";
    }

    @Override
    void find(List<SourceColumn> chosen, List<Finding> findings) {
        catalogue(
                        "SELECT n.nspname || '.' || t.relname FROM pg_class AS t JOIN pg_namespace AS n ON n.oid ="
                                + " t.relnamespace WHERE t.relrowsecurity AND row_security_active(t.oid) ORDER BY 1",
                        row -> row.getString(1))
                .stream()
                .filter(table -> chosen.stream()
                        .anyMatch(column -> column.qualifiedTable().equals(table)))
                .forEach(table -> findings.add(Finding.warning("row-level security may hide rows of " + table
                        + " from this role, so MAX may be too low and rows would not be copied. Use a role with"
                        + " BYPASSRLS, or give --floor " + table + "=n")));
        list(findings, """
                SELECT CASE t.relkind WHEN 'v' THEN 'views' ELSE 'materialized views' END AS kind,
                    n.nspname || '.' || t.relname AS name
                FROM pg_class AS t JOIN pg_namespace AS n ON n.oid = t.relnamespace
                WHERE t.relkind IN ('v', 'm') AND n.nspname NOT IN ('pg_catalog', 'information_schema')
                UNION ALL
                SELECT 'routines', n.nspname || '.' || p.proname
                FROM pg_proc AS p JOIN pg_namespace AS n ON n.oid = p.pronamespace
                WHERE n.nspname NOT IN ('pg_catalog', 'information_schema')
                UNION ALL
                SELECT 'triggers', t.tgrelid::regclass || '.' || t.tgname FROM pg_trigger AS t WHERE NOT t.tgisinternal
                ORDER BY 1, 2
                """, " do not move");
        list(findings, """
                SELECT 'publications' AS kind, pubname AS name FROM pg_publication ORDER BY 2
                """, ": what subscribes to them does not move");
    }

    @Override
    public String engine() {
        return "PostgreSQL";
    }

    @Override
    public String quote(String name) {
        return "\"" + name.replace("\"", "\"\"") + "\"";
    }

    private <T> List<T> catalogue(String sql, Row<T> mapper) {
        return rows("cannot read the catalogue of " + url(), sql, mapper);
    }

    /** A row of {@link #SEQUENCES}. */
    private record Use(
            String schema,
            String name,
            String type,
            BigInteger seed,
            BigInteger increment,
            boolean cycles,
            Optional<BigInteger> lastValue,
            SourceColumn.@Nullable User user,
            @Nullable String columnType) {}

    @Override
    public Map<SourceColumn, Optional<BigInteger>> lastValues() {
        Map<String, List<Use>> sequences = new LinkedHashMap<>();
        catalogue(SEQUENCES, row -> {
            Use use = use(row);
            return sequences
                    .computeIfAbsent(use.schema() + "\0" + use.name(), none -> new ArrayList<>())
                    .add(use);
        });
        Map<SourceColumn, Optional<BigInteger>> values = new LinkedHashMap<>();
        sequences.values().forEach(uses -> {
            Use use = uses.get(0);
            SourceColumn column = column(uses);
            values.put(column, use.lastValue().isPresent() ? use.lastValue() : uncalled(use));
            sequenceNames.put(column, quoted(use.schema(), use.name()));
        });
        return values;
    }

    /**
     * Returns the last value of a sequence that the catalogue does not give: after {@code RESTART WITH n} and
     * {@code setval(s, n, false)} that is the one before n. One whose next value is its start was never used, or was restarted there.
     */
    private Optional<BigInteger> uncalled(Use use) {
        String sequence = quoted(use.schema(), use.name());
        return rows("cannot read sequence " + sequence, "SELECT last_value, is_called FROM " + sequence, row -> {
                    BigInteger value = row.getBigDecimal("last_value").toBigIntegerExact();
                    // It may have been called since the catalogue was read.
                    if (row.getBoolean("is_called")) {
                        return Optional.of(value);
                    }
                    return value.equals(use.seed())
                            ? Optional.<BigInteger>empty()
                            : Optional.of(value.subtract(use.increment()));
                })
                .get(0);
    }

    private Use use(ResultSet row) throws SQLException {
        String schema = row.getString("sequence_schema");
        String name = row.getString("sequence_name");
        if (!row.getBoolean("readable")) {
            throw new MigrationException(
                    ExitCode.REFUSED,
                    "the role may not read sequence " + quoted(schema, name)
                            + ", which then looks as if it had never been used: GRANT SELECT ON SEQUENCE "
                            + quoted(schema, name) + " TO the role of --source-user, and USAGE on its schema");
        }
        String table = row.getString("table_name");
        return new Use(
                schema,
                name,
                base(row.getString("sequence_type")),
                row.getBigDecimal("seed_value").toBigIntegerExact(),
                row.getBigDecimal("increment_value").toBigIntegerExact(),
                row.getBoolean("cycles"),
                integer(row.getBigDecimal("last_value")),
                table == null
                        ? null
                        : new SourceColumn.User(row.getString("schema_name"), table, row.getString("column_name")),
                base(row.getString("type_name")));
    }

    /** A sequence of one column alone is that column's identity. */
    private static SourceColumn column(List<Use> uses) {
        Use first = uses.get(0);
        SourceColumn.User only = uses.size() == 1 ? first.user() : null;
        if (only == null) {
            List<SourceColumn.User> users = new ArrayList<>();
            for (Use use : uses) {
                if (use.user() != null) {
                    users.add(use.user());
                }
            }
            return new SourceColumn(
                    first.schema(),
                    first.name(),
                    "",
                    first.type(),
                    0,
                    0,
                    first.seed(),
                    first.increment(),
                    first.cycles(),
                    users);
        }
        String columnType = first.columnType();
        String type = columnType != null && List.of("smallint", "int", "bigint").contains(columnType)
                ? columnType
                : first.type();
        return new SourceColumn(
                only.schema(),
                only.table(),
                only.column(),
                type,
                0,
                0,
                first.seed(),
                first.increment(),
                first.cycles(),
                List.of());
    }

    private static String base(@Nullable String type) {
        return type == null ? "" : type.equals("integer") ? "int" : type.toLowerCase(Locale.ROOT);
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
                row -> row.getBoolean("is_primary_key")
                        ? tables.addKey(row)
                        : tables.addIndex(row, row.getBoolean("is_unique"), row.getString("filter_definition")));
        catalogue(FOREIGN_KEYS, tables::addForeignKey);
        return tables.build();
    }

    private static SourceTable.Column described(ResultSet row) throws SQLException {
        String type = base(row.getString("type_name"));
        int length = row.getInt("max_length");
        boolean unlimited = List.of("text", "bytea", "json", "jsonb", "xml", "character varying")
                .contains(type);
        return new SourceTable.Column(
                row.getString("column_name"),
                type,
                length == 0 && unlimited ? -1 : length,
                row.getInt("type_precision"),
                row.getInt("type_scale"),
                row.getBoolean("nullable"),
                row.getString("default_expression"),
                row.getString("collation_name"),
                row.getBoolean("identity"),
                row.getBoolean("computed"),
                row.getBoolean("deterministic") && !type.endsWith("citext"));
    }
}
