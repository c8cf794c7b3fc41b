package dev.cassidy.jdbc.assist;

import dev.cassidy.collation.Collation;
import dev.cassidy.definition.SqlType;
import java.math.BigInteger;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A column as a statement sees it.
 *
 * @param name internal name in Cassandra
 * @param label the name as it was declared, which {@code SELECT *} shows; it differs in case alone
 * @param type as T-SQL declares it, or the nearest type of T-SQL to Cassandra's
 * @param collation by which its strings are equal; null if they are by their code, or if it has none
 * @param place what it is to the table's key
 * @param indexed whether an index of the column serves {@code =}
 * @param readable whether T-SQL has a type for its values; a statement that uses another one is refused. Those of the key are
 */
public record ColumnModel(
        String name,
        String label,
        SqlType type,
        @Nullable Collation collation,
        Place place,
        boolean indexed,
        boolean readable) {

    /** What a column is to the key of its table. */
    public enum Place {
        PARTITION_KEY,
        CLUSTERING,
        REGULAR
    }

    public ColumnModel {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(label, "label");
        Objects.requireNonNull(type, "type");
        Objects.requireNonNull(place, "place");
    }

    /** A column that is declared by its internal name. */
    public ColumnModel(String name, SqlType type, @Nullable Collation collation, Place place, boolean indexed) {
        this(name, name, type, collation, place, indexed, true);
    }

    /** Returns whether the values of the column are strings. */
    public boolean isString() {
        return switch (type.name()) {
            case CHAR, VARCHAR, NCHAR, NVARCHAR, TEXT, NTEXT, XML -> true;
            default -> false;
        };
    }

    /** Returns whether the values of the column are whole numbers. */
    public boolean isWhole() {
        return switch (type.name()) {
            case TINYINT, SMALLINT, INT, BIGINT -> true;
            default -> false;
        };
    }

    /** Returns whether a whole number is in the range of the column, whose values are such numbers. */
    public boolean isWithin(BigInteger number) {
        return switch (type.name()) {
            case TINYINT -> number.signum() >= 0 && number.bitLength() <= Byte.SIZE;
            case SMALLINT -> number.bitLength() < Short.SIZE;
            case INT -> number.bitLength() < Integer.SIZE;
            default -> number.bitLength() < Long.SIZE;
        };
    }
}
