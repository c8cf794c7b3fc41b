package dev.cassidy.migration.schema;

import dev.cassidy.collation.Collation;
import dev.cassidy.definition.ColumnDefinition;
import dev.cassidy.definition.SqlType;
import dev.cassidy.definition.Twin;
import dev.cassidy.jdbc.run.TableDeclarations;
import dev.cassidy.migration.source.SourceTable;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * By what the strings of a column are compared, in the source and in Cassandra.
 *
 * @param collation one of SQL Server, as the column's declaration has it; empty for its default, and of what is no string
 * @param chosen whether the user has chosen it
 * @param known whether it takes for equal what the source does
 */
public record TextComparison(String collation, boolean chosen, boolean known) {

    /** The collation that compares characters by their codes. */
    public static final String BY_CODE = "Latin1_General_BIN2";

    private static final TextComparison OF_NO_STRING = new TextComparison("", false, true);

    public TextComparison {
        Objects.requireNonNull(collation, "collation");
    }

    /**
     * Returns how a column is compared.
     *
     * @param engine the source's name
     * @param chosen a known collation that the user has chosen; null if none was
     */
    public static TextComparison of(String engine, SourceTable.Column column, TsqlType type, @Nullable String chosen) {
        if (!isString(type)) {
            return OF_NO_STRING;
        }
        if (chosen != null) {
            return new TextComparison(chosen, true, true);
        }
        if (column.comparesCharacters()) {
            return new TextComparison(BY_CODE, false, true);
        }
        String own = Objects.requireNonNullElse(column.collation(), "");
        return engine.startsWith("SQL Server")
                ? new TextComparison(own, false, isKnown(own))
                // A name of another engine could be that of one of SQL Server.
                : new TextComparison(BY_CODE, false, false);
    }

    /** Returns whether a type is one of strings, which have a collation. */
    public static boolean isString(TsqlType type) {
        return type.kind() == TsqlType.Kind.TEXT
                && SqlType.parse(type.text())
                        .map(SqlType::name)
                        .filter(name -> name != SqlType.Name.XML)
                        .isPresent();
    }

    /** Returns whether it is the name of a collation of which is known what it takes for equal. */
    public static boolean isKnown(String collation) {
        try {
            Collation unused = Collation.of(collation);
            return true;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /**
     * Returns whether strings that the source takes for equal may be different ones in Cassandra, so far as names of collations say it.
     * Blanks at the end are left aside: no engine's binary collation but PostgreSQL's, H2's and a few of MySQL's counts them.
     *
     * @param twin by which they are compared in Cassandra; null if they are compared by code
     */
    public static boolean isFiner(SourceTable.Column column, @Nullable Twin twin) {
        String own = Objects.requireNonNullElse(column.collation(), "").toUpperCase(Locale.ROOT);
        if (column.comparesCharacters() || own.matches(".*_BIN2?(_UTF8)?")) {
            return false;
        }
        if (twin == null) {
            return true;
        }
        List<String> source = List.of(own.split("_", -1));
        List<String> there = List.of(twin.collation().toUpperCase(Locale.ROOT).split("_", -1));
        // What says nothing of case ignores it: citext, and a collation that somebody made.
        return (there.contains("CS") && !source.contains("CS"))
                || (there.contains("AS") && source.contains("AI"))
                || List.of("KS", "WS", "VSS").stream().anyMatch(each -> there.contains(each) && !source.contains(each));
    }

    /** Returns whether characters are compared by their codes. */
    public boolean isByCode() {
        return isKnown(collation) && Collation.of(collation).isBinary();
    }

    /**
     * Returns what stands in the key of an exact table in place of a column; empty if the column itself does. A collation that the user has
     * chosen compares texts without a length, too.
     *
     * @param column with this collation
     * @throws SQLException naming the collation, if what it takes for equal is not known
     */
    public Optional<Twin> twin(ColumnDefinition column) throws SQLException {
        if (!chosen) {
            Optional<Twin> twin = TableDeclarations.twin(column);
            if (twin.isPresent() && collation.isEmpty()) {
                throw new SQLException("the source does not say which collation column " + column.label() + " has");
            }
            return twin;
        }
        Collation of = Collation.of(collation);
        return of.isBinary() ? Optional.empty() : Optional.of(new Twin(of.name(), of.version()));
    }
}
