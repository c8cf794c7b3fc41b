package dev.cassidy.migration.schema;

import dev.cassidy.jdbc.run.TableDeclarations;
import dev.cassidy.migration.source.SourceTable;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * A column's type as T-SQL would write it, whatever the engine. What it becomes in Cassandra is decided by the JDBC
 * driver's own mapping of T-SQL.
 *
 * @param text for example {@code decimal(10,2)}; what T-SQL does not know stays as the source writes it
 * @param kind what its values are
 */
public record TsqlType(String text, Kind kind) {

    /** What the values of a type are. */
    public enum Kind {
        INTEGER,
        BIT,
        DECIMAL,
        REAL,
        DOUBLE,
        TEXT,
        BINARY,
        DATE,
        TIME,
        /** A date and time without a zone. */
        LOCAL_DATE_TIME,
        /** A date and time with an offset. */
        OFFSET_DATE_TIME,
        UUID,
        /** Cassandra has no type for it. */
        NONE
    }

    private static final Map<String, Kind> KINDS = Map.ofEntries(
            Map.entry("tinyint", Kind.INTEGER),
            Map.entry("smallint", Kind.INTEGER),
            Map.entry("int", Kind.INTEGER),
            Map.entry("bigint", Kind.INTEGER),
            Map.entry("bit", Kind.BIT),
            Map.entry("decimal", Kind.DECIMAL),
            Map.entry("numeric", Kind.DECIMAL),
            Map.entry("money", Kind.DECIMAL),
            Map.entry("smallmoney", Kind.DECIMAL),
            Map.entry("real", Kind.REAL),
            Map.entry("float", Kind.DOUBLE),
            Map.entry("char", Kind.TEXT),
            Map.entry("varchar", Kind.TEXT),
            Map.entry("nchar", Kind.TEXT),
            Map.entry("nvarchar", Kind.TEXT),
            Map.entry("text", Kind.TEXT),
            Map.entry("ntext", Kind.TEXT),
            Map.entry("sysname", Kind.TEXT),
            Map.entry("xml", Kind.TEXT),
            Map.entry("binary", Kind.BINARY),
            Map.entry("varbinary", Kind.BINARY),
            Map.entry("image", Kind.BINARY),
            Map.entry("date", Kind.DATE),
            Map.entry("time", Kind.TIME),
            Map.entry("datetime", Kind.LOCAL_DATE_TIME),
            Map.entry("datetime2", Kind.LOCAL_DATE_TIME),
            Map.entry("smalldatetime", Kind.LOCAL_DATE_TIME),
            Map.entry("datetimeoffset", Kind.OFFSET_DATE_TIME),
            Map.entry("uniqueidentifier", Kind.UUID));

    /** Types of other engines, and of the SQL standard, that T-SQL calls by another name. */
    private static final Map<String, String> NAMES = Map.ofEntries(
            Map.entry("integer", "int"),
            Map.entry("int2", "smallint"),
            Map.entry("int4", "int"),
            Map.entry("int8", "bigint"),
            Map.entry("smallserial", "smallint"),
            Map.entry("serial", "int"),
            Map.entry("bigserial", "bigint"),
            Map.entry("year", "smallint"),
            Map.entry("mediumint", "int"),
            Map.entry("smallint unsigned", "int"),
            Map.entry("mediumint unsigned", "int"),
            Map.entry("int unsigned", "bigint"),
            Map.entry("integer unsigned", "bigint"),
            Map.entry("tinyint unsigned", "tinyint"),
            Map.entry("bigint unsigned", "decimal(20,0)"),
            Map.entry("bool", "bit"),
            Map.entry("boolean", "bit"),
            Map.entry("dec", "decimal"),
            Map.entry("decfloat", "decimal"),
            Map.entry("float4", "real"),
            Map.entry("float8", "float"),
            Map.entry("double", "float"),
            Map.entry("double precision", "float"),
            Map.entry("character", "char"),
            Map.entry("bpchar", "char"),
            Map.entry("character varying", "varchar"),
            Map.entry("varchar_ignorecase", "varchar"),
            Map.entry("character large object", "text"),
            Map.entry("clob", "text"),
            Map.entry("tinytext", "text"),
            Map.entry("mediumtext", "text"),
            Map.entry("longtext", "text"),
            Map.entry("citext", "text"),
            Map.entry("name", "sysname"),
            Map.entry("json", "text"),
            Map.entry("jsonb", "text"),
            Map.entry("enum", "text"),
            Map.entry("set", "text"),
            Map.entry("inet", "text"),
            Map.entry("cidr", "text"),
            Map.entry("macaddr", "text"),
            Map.entry("bytea", "varbinary"),
            Map.entry("binary varying", "varbinary"),
            Map.entry("binary large object", "varbinary"),
            Map.entry("blob", "varbinary"),
            Map.entry("tinyblob", "varbinary"),
            Map.entry("mediumblob", "varbinary"),
            Map.entry("longblob", "varbinary"),
            Map.entry("time without time zone", "time"),
            Map.entry("timestamp without time zone", "datetime2"),
            Map.entry("timestamptz", "datetimeoffset"),
            Map.entry("timestamp with time zone", "datetimeoffset"),
            Map.entry("uuid", "uniqueidentifier"));

    /**
     * Returns the type of a column.
     *
     * @param engine the source's name, see {@link dev.cassidy.migration.source.Source#engine}
     */
    public static TsqlType of(String engine, SourceTable.Column column) {
        String own = column.type().toLowerCase(Locale.ROOT);
        String name = named(engine, own);
        String base = name.replaceFirst("\\(.*", "");
        Kind kind = KINDS.getOrDefault(base, Kind.NONE);
        String text = name.equals(base) ? name + size(base, kind, column) : name;
        if (column.identity() && kind == Kind.DECIMAL) {
            // The sequence's type: ids are whole numbers.
            return new TsqlType("bigint", Kind.INTEGER);
        }
        return new TsqlType(text, base.equals("float") && single(column) ? Kind.REAL : kind);
    }

    private static String named(String engine, String own) {
        boolean sqlServer = engine.startsWith("SQL Server");
        boolean mysql = engine.startsWith("MySQL") || engine.startsWith("MariaDB");
        if (own.equals("timestamp") && !sqlServer) {
            return mysql ? "datetimeoffset" : "datetime2";
        }
        if (mysql && (own.equals("float") || own.equals("datetime"))) {
            return own.equals("float") ? "real" : "datetime2";
        }
        if (mysql && own.equals("real")) {
            return "float";
        }
        if (engine.startsWith("PostgreSQL") && (own.equals("bit") || own.equals("money"))) {
            return own + " of PostgreSQL";
        }
        return NAMES.getOrDefault(own, own);
    }

    private static boolean single(SourceTable.Column column) {
        return column.type().equalsIgnoreCase("float") && column.precision() > 0 && column.precision() <= 24;
    }

    private static String size(String base, Kind kind, SourceTable.Column column) {
        return switch (kind) {
            case DECIMAL ->
                base.endsWith("money") || column.precision() <= 0
                        ? ""
                        : "(" + column.precision() + "," + column.scale() + ")";
            case TEXT, BINARY ->
                base.contains("char") || base.contains("binary")
                        ? column.length() > 0 ? "(" + column.length() + ")" : column.length() < 0 ? "(max)" : ""
                        : "";
            case LOCAL_DATE_TIME, OFFSET_DATE_TIME, TIME ->
                base.equals("datetime2") || base.equals("datetimeoffset") || base.equals("time")
                        ? "(" + column.scale() + ")"
                        : "";
            case DOUBLE -> single(column) ? "(" + column.precision() + ")" : "";
            default -> "";
        };
    }

    /** Returns the type of CQL that the JDBC driver's CREATE TABLE gives it; empty if Cassandra has none. */
    public Optional<String> cql() {
        if (kind == Kind.NONE) {
            return Optional.empty();
        }
        try {
            return Optional.of(TableDeclarations.columnType(text));
        } catch (SQLException e) {
            return Optional.empty();
        }
    }

    /** Returns whether equal texts may differ in case or accents, so far as the catalogue says. */
    public static boolean ignoresCase(SourceTable.Column column) {
        String collation = column.collation() == null ? "" : column.collation().toLowerCase(Locale.ROOT);
        List<String> parts = List.of(collation.split("_", -1));
        String type = column.type().toLowerCase(Locale.ROOT);
        return type.equals("varchar_ignorecase")
                || type.equals("citext")
                || parts.contains("ci")
                || parts.contains("ai")
                // One that somebody made: its name tells nothing.
                || (!column.comparesCharacters()
                        && !collation.isEmpty()
                        && !collation.equals("default")
                        && List.of("cs", "as", "bin", "bin2").stream().noneMatch(parts::contains));
    }
}
