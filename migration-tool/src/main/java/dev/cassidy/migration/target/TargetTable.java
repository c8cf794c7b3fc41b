package dev.cassidy.migration.target;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.migration.error.MigrationException;
import dev.cassidy.migration.source.SourceColumn;
import dev.cassidy.sequence.IdentityColumn;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Where the ids of a source table go: a table and column of Cassandra, in their internal (case-exact) form. The sequence
 * is named after the table. A SEQUENCE object becomes a sequence of its name alone, and {@code column} is empty.
 */
public record TargetTable(String keyspace, String table, String column) {

    private static final String IDENTIFIER = "([A-Za-z][A-Za-z0-9_]*|\"[^\"]+\")";
    private static final Pattern TABLE =
            Pattern.compile("(?:" + IDENTIFIER + "\\.)?" + IDENTIFIER + "(?::" + IDENTIFIER + ")?");
    private static final Pattern UNQUOTED = Pattern.compile("[a-z][a-z0-9_]{0,47}");

    /**
     * Parses {@code [keyspace.]table[:column]}, lower-casing what is not in double quotes, as CQL does.
     *
     * @param keyspace the keyspace of a name without one
     * @param column the column of a name without one
     * @throws MigrationException {@link ExitCode#USAGE} naming {@code option}
     */
    public static TargetTable parse(String text, @Nullable String keyspace, @Nullable String column, String option) {
        Matcher matcher = TABLE.matcher(text);
        if (!matcher.matches()) {
            throw new MigrationException(
                    ExitCode.USAGE,
                    "must be [keyspace.]table[:column], in double quotes where case matters: " + option + " '" + text
                            + "'");
        }
        String keyspaceName = matcher.group(1) != null ? internal(matcher.group(1)) : keyspace;
        String columnName = matcher.group(3) != null ? internal(matcher.group(3)) : column;
        if (keyspaceName == null) {
            throw new MigrationException(
                    ExitCode.USAGE,
                    "names no keyspace; write keyspace.table or give --keyspace: " + option + " '" + text + "'");
        }
        if (columnName == null) {
            throw new MigrationException(
                    ExitCode.USAGE,
                    "names no column; write table:column or give --column: " + option + " '" + text + "'");
        }
        return new TargetTable(keyspaceName, internal(matcher.group(2)), columnName);
    }

    /** Returns the default target of a source column: its names in lower case; empty if they are no CQL names then. */
    public static Optional<TargetTable> defaultOf(SourceColumn source, String keyspace) {
        Optional<String> column = source.isSequence() ? Optional.of("") : plain(source.column());
        return plain(source.table()).flatMap(table -> column.map(name -> new TargetTable(keyspace, table, name)));
    }

    /** Returns {@code name} in lower case, if that is a name that CQL takes without quotes. */
    public static Optional<String> plain(String name) {
        return Optional.of(name.toLowerCase(Locale.ROOT))
                .filter(lowerCase -> UNQUOTED.matcher(lowerCase).matches());
    }

    /** Parses a keyspace name. */
    public static String keyspace(String text) {
        if (!text.matches(IDENTIFIER)) {
            throw new MigrationException(
                    ExitCode.USAGE,
                    "must be a CQL name, in double quotes where case matters: --keyspace '" + text + "'");
        }
        return internal(text);
    }

    /** CQL wants quotes around its reserved words, such as order; here a name can be nothing else. */
    private static String internal(String cql) {
        return cql.startsWith("\"") ? CqlIdentifier.fromCql(cql).asInternal() : cql.toLowerCase(Locale.ROOT);
    }

    public String sequence() {
        return keyspace + "." + table;
    }

    /** Returns whether a column of Cassandra is filled by the sequence. */
    public boolean hasColumn() {
        return !column.isEmpty();
    }

    public IdentityColumn identityColumn() {
        return new IdentityColumn(keyspace, table, column, sequence());
    }

    public boolean sameTable(IdentityColumn other) {
        return other.keyspace().equals(keyspace) && other.table().equals(table);
    }

    @Override
    public String toString() {
        return column.isEmpty() ? sequence() : sequence() + ":" + column;
    }
}
