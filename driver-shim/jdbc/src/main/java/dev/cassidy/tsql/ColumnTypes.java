package dev.cassidy.tsql;

import dev.cassidy.definition.SqlType;
import dev.cassidy.insert.UnsupportedSqlException;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Which type of CQL a column of T-SQL has in Cassandra. The only place that knows it. Names are in lower case. */
public final class ColumnTypes {

    /** The digits of a {@code float} that is given none. */
    static final int DOUBLE_BITS = 53;

    private static final int MAX_SINGLE_BITS = 24;

    private static final Map<String, String> TYPES = Map.ofEntries(
            Map.entry("integer", "int"),
            Map.entry("bit", "boolean"),
            Map.entry("numeric", "decimal"),
            Map.entry("dec", "decimal"),
            Map.entry("money", "decimal"),
            Map.entry("smallmoney", "decimal"),
            Map.entry("real", "float"),
            Map.entry("char", "text"),
            Map.entry("character", "text"),
            Map.entry("nchar", "text"),
            Map.entry("nvarchar", "text"),
            Map.entry("ntext", "text"),
            Map.entry("sysname", "text"),
            Map.entry("xml", "text"),
            Map.entry("datetime", "timestamp"),
            Map.entry("datetime2", "timestamp"),
            Map.entry("smalldatetime", "timestamp"),
            Map.entry("datetimeoffset", "timestamp"),
            Map.entry("uniqueidentifier", "uuid"),
            Map.entry("binary", "blob"),
            Map.entry("varbinary", "blob"),
            Map.entry("image", "blob"));

    private static final Set<String> OF_BOTH =
            Set.of("int", "bigint", "smallint", "decimal", "varchar", "text", "date", "time", "double");
    private static final Set<String> AMBIGUOUS = Set.of("float", "tinyint", "timestamp");
    private static final Set<String> FOREIGN =
            Set.of("rowversion", "sql_variant", "hierarchyid", "geography", "geometry", "national");
    private static final Pattern TYPE = Pattern.compile(
            "\\s*\\[?(\\w+)]?(?:\\s+(?:varying|precision))?\\s*(?:\\(\\s*(\\d{1,9}|max)\\s*(?:,\\s*\\d{1,9}\\s*)?\\))?\\s*");

    private ColumnTypes() {}

    /**
     * Returns the type of CQL for a type that T-SQL writes like this, with or without a length: {@code nvarchar(50)}.
     *
     * @throws UnsupportedSqlException if CQL has none for it, or if it is no type of T-SQL
     */
    public static String cql(String tsql) {
        Matcher matcher = TYPE.matcher(tsql.toLowerCase(Locale.ROOT));
        if (!matcher.matches()) {
            throw unknown(tsql);
        }
        String type = matcher.group(1);
        if (isForeign(type) || type.equals("timestamp")) {
            throw new UnsupportedSqlException("type " + tsql, workaround(type));
        }
        String size = matcher.group(2);
        return inTsql(type, size == null || size.equals("max") ? DOUBLE_BITS : Integer.parseInt(size))
                .orElseThrow(() -> unknown(tsql));
    }

    /**
     * Refuses a size that SQL Server refuses.
     *
     * @param tsql the type
     * @param whose what it is the type of, for the message
     */
    public static void requireSize(String tsql, String whose) {
        SqlType.wrongSize(tsql).ifPresent(wrong -> {
            throw UnsupportedSqlException.asSqlServer(
                    wrong.number(), "Type " + tsql + whose + ": " + wrong.rule() + ". Give another size");
        });
    }

    private static UnsupportedSqlException unknown(String tsql) {
        return new UnsupportedSqlException("type " + tsql, workaround(""));
    }

    /** Returns the other name that CQL has for a type of T-SQL alone; empty for a type of both, and an ambiguous one. */
    static Optional<String> renamed(String type) {
        return Optional.ofNullable(TYPES.get(type));
    }

    /** Returns whether the name is a type of both languages, with different meanings. */
    static boolean isAmbiguous(String type) {
        return AMBIGUOUS.contains(type);
    }

    /** Returns whether the name is a type of both languages with one meaning. */
    static boolean isOfBoth(String type) {
        return OF_BOTH.contains(type);
    }

    /** Returns whether the name is a type of T-SQL that CQL has no type for. */
    static boolean isForeign(String type) {
        return FOREIGN.contains(type);
    }

    /** Says what to do instead of a type that CQL has no type for. */
    static String workaround(String type) {
        return type.equals("rowversion") || type.equals("timestamp")
                ? "keep a version in a bigint column that the application raises, and compare it: UPDATE ... WHERE id = ? AND version = ?;"
                        + " for a time, write datetime2"
                : "choose a type of CQL for what it holds";
    }

    /**
     * Returns the type of CQL for a type of T-SQL; empty if it has none.
     *
     * @param bits the digits of a {@code float}; ignored for other types
     */
    static Optional<String> inTsql(String type, int bits) {
        return switch (type) {
            case "float" -> Optional.of(bits <= MAX_SINGLE_BITS ? "float" : "double");
            case "tinyint" -> Optional.of("smallint");
            case "varchar" -> Optional.of("text");
            default -> isOfBoth(type) ? Optional.of(type) : renamed(type);
        };
    }
}
