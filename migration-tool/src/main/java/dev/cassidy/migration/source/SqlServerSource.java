package dev.cassidy.migration.source;

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
import java.util.Set;
import java.util.function.Predicate;

/** SQL Server 2012 and later, and what stands in for it with its catalogue views. */
final class SqlServerSource extends JdbcSource {

    /*
     * system_type_id, not user_type_id: a column of an alias type is known by the type under it. The three values are
     * sql_variant, which only an explicit CAST makes comparable whatever its base type. sys views list what the login
     * may see, and leave out the rest without a word.
     */
    private static final String IDENTITIES = """
            SELECT s.name AS schema_name, t.name AS table_name, c.name AS column_name, y.name AS type_name,
                c.[precision] AS type_precision, c.scale AS type_scale,
                CAST(c.seed_value AS DECIMAL(38, 0)) AS seed_value,
                CAST(c.increment_value AS DECIMAL(38, 0)) AS increment_value,
                CAST(c.last_value AS DECIMAL(38, 0)) AS last_value
            FROM sys.identity_columns AS c
            JOIN sys.tables AS t ON t.object_id = c.object_id
            JOIN sys.schemas AS s ON s.schema_id = t.schema_id
            JOIN sys.types AS y ON y.user_type_id = c.system_type_id
            WHERE t.is_ms_shipped = 0
            ORDER BY s.name, t.name
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

    SqlServerSource(SourceLogin login, Connection connection, Duration queryTimeout) {
        super(login, connection, queryTimeout);
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
    Map<SourceColumn, Optional<BigInteger>> lastValues() {
        Map<SourceColumn, Optional<BigInteger>> values = new LinkedHashMap<>();
        catalogue(IDENTITIES, row -> values.put(identity(row), integer(row.getBigDecimal("last_value"))));
        return values;
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
