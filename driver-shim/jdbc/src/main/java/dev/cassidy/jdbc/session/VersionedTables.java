package dev.cassidy.jdbc.session;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import dev.cassidy.insert.CqlInsert;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The tables whose rows have a version, as the option {@code versioned} declares them. Every write to them is
 * conditional, including writes that do not check the version: if a conditional write and a plain one change the same
 * row, the clock behind the plain one's timestamp would decide which is kept.
 *
 * @param columns the version column of each, all internal names; a table without a keyspace, if the URL has none
 *     either, stands for the table of that name in every keyspace
 */
public record VersionedTables(Map<CqlInsert.Table, String> columns) {

    private static final String NAME = "(\"[^\",:.]+\"|[A-Za-z][A-Za-z0-9_]*)";
    private static final Pattern ENTRY = Pattern.compile("(?:" + NAME + "\\.)?" + NAME + ":" + NAME);

    public VersionedTables {
        columns = Map.copyOf(columns);
    }

    /**
     * Reads the option's value.
     *
     * @param keyspace of tables that are given without
     * @throws IllegalArgumentException saying the rule
     */
    static VersionedTables parse(String option, Optional<CqlIdentifier> keyspace) {
        Map<CqlInsert.Table, String> columns = new HashMap<>();
        for (String entry : option.split(",", -1)) {
            Matcher matcher = ENTRY.matcher(entry.strip());
            if (!matcher.matches()) {
                throw new IllegalArgumentException("must be table:column,table:column..., such as orders:version or"
                        + " shop.orders:version, with a name in double quotes where its case matters");
            }
            String named = matcher.group(1) == null
                    ? keyspace.map(CqlIdentifier::asInternal).orElse(null)
                    : internal(matcher.group(1));
            columns.put(new CqlInsert.Table(named, internal(matcher.group(2))), internal(matcher.group(3)));
        }
        return new VersionedTables(columns);
    }

    private static String internal(String cql) {
        return CqlIdentifier.fromCql(cql).asInternal();
    }

    public boolean isEmpty() {
        return columns.isEmpty();
    }

    /**
     * Returns the version column of a table that has one.
     *
     * @param keyspace empty where neither the statement nor the session has one
     */
    Optional<String> column(Optional<CqlIdentifier> keyspace, String table) {
        @Nullable
        String column = columns.get(
                new CqlInsert.Table(keyspace.map(CqlIdentifier::asInternal).orElse(null), table));
        return Optional.ofNullable(column == null ? columns.get(new CqlInsert.Table(null, table)) : column);
    }
}
