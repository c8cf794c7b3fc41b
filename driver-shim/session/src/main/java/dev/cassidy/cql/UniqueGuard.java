package dev.cassidy.cql;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.cql.BatchStatement;
import com.datastax.oss.driver.api.core.cql.BatchableStatement;
import com.datastax.oss.driver.api.core.cql.Statement;
import dev.cassidy.definition.TableDefinition;
import dev.cassidy.definition.Twin;
import dev.cassidy.definition.UniqueKey;
import dev.cassidy.insert.Assignments;
import dev.cassidy.insert.CqlChange;
import dev.cassidy.insert.CqlInsert;
import dev.cassidy.insert.RecentStatements;
import dev.cassidy.table.TableRegistry;
import dev.cassidy.table.TableWrites;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Refuses statements that would write values of a UNIQUE past their reservations, or change a column by which its row is found by
 * its {@link Twin}, in the key or beside it: {@link IdentitySession} keeps neither, and the JDBC driver does. Does no I/O, and says
 * nothing of a table of which nothing is known yet: to be asked when a statement's tables were looked up.
 */
final class UniqueGuard {

    private static final String TRUNCATE = "TRUNCATE";

    private final StatementKeyspace keyspaces;
    private final TableRegistry tables;
    private final RecentStatements<List<Written>> written = new RecentStatements<>(Written::of);

    UniqueGuard(StatementKeyspace keyspaces, TableRegistry tables) {
        this.keyspaces = keyspaces;
        this.tables = tables;
    }

    /**
     * What a statement does to a table.
     *
     * @param columns the only ones that are given values, or NULL; null if a row is made or deleted
     */
    private record Written(
            @Nullable String keyspace,
            String table,
            @Nullable Set<String> columns) {

        static List<Written> of(String cql) {
            return CqlChange.of(cql).stream()
                    .filter(change -> change.writesRows() || change.verb().equals(TRUNCATE))
                    .map(each -> new Written(
                            each.keyspace(), Objects.requireNonNull(each.name()), columns(cql, each.verb())))
                    .toList();
        }

        private static @Nullable Set<String> columns(String cql, String verb) {
            Assignments update = verb.equals(CqlChange.INSERT) || verb.equals(TRUNCATE)
                    ? null
                    : Assignments.of(cql).orElse(null);
            if (update == null) {
                return null;
            }
            Set<String> columns = new HashSet<>();
            update.all().forEach(each -> columns.add(each.column()));
            return columns;
        }
    }

    /** @throws WriteModeException naming the constraint, or the column */
    void requireKept(Statement<?> statement) {
        if (tables.areNoneUnique() && tables.areNoneTwinned()) {
            return;
        }
        if (statement instanceof BatchStatement batch) {
            for (BatchableStatement<?> each : batch) {
                requireKept(each, batch.getKeyspace());
            }
        } else if (statement instanceof BatchableStatement<?> single) {
            requireKept(single, single.getKeyspace());
        }
    }

    /**
     * Requires that an insert has the twins that are kept now: it may have waited since it was filled.
     *
     * @param filled as it is sent
     * @throws WriteModeException naming the column; nothing was sent
     */
    void requireFilled(TableWrites table, Statement<?> filled) {
        if (tables.areNoneTwinned() || !(filled instanceof BatchableStatement<?> single)) {
            return;
        }
        Set<String> kept = tables.cachedDefinition(table.keyspace(), table.table())
                .map(definition -> definition.twinsBeside().keySet())
                .orElse(Set.of());
        CqlInsert insert = kept.isEmpty()
                ? null
                : CqlInsert.recognise(ParsedStatement.text(single)).orElse(null);
        if (insert == null) {
            return;
        }
        for (String column : kept) {
            if (insert.columns().contains(column) && !insert.columns().contains(Twin.nameOf(column))) {
                throw new WriteModeException(
                        "an index by which rows are compared by their collation was declared of column " + column
                                + " of table " + table.name()
                                + " since the statement was read, and nothing was written. Run it again",
                        true);
            }
        }
    }

    /** @param given the keyspace of the statement, or of its batch */
    private void requireKept(BatchableStatement<?> statement, @Nullable CqlIdentifier given) {
        String cql = ParsedStatement.text(statement);
        String keyspace = keyspaces.of(statement, given);
        for (Written each : cql.indexOf('?') < 0 ? Written.of(cql) : written.of(cql)) {
            String in = each.keyspace() == null ? keyspace : each.keyspace();
            if (in != null) {
                requireKept(in, each);
            }
        }
    }

    private void requireKept(String keyspace, Written each) {
        TableDefinition definition =
                tables.cachedDefinition(keyspace, each.table()).orElse(null);
        if (definition == null) {
            return;
        }
        List<UniqueKey> keys = definition.uniqueKeys();
        Set<String> columns = each.columns();
        for (Map.Entry<String, Twin> twinned : definition.twins().entrySet()) {
            String column = twinned.getKey();
            if (columns != null && (columns.contains(column) || columns.contains(Twin.nameOf(column)))) {
                throw new WriteModeException(
                        "column " + column + " of table " + keyspace + "." + each.table()
                                + (twinned.getValue().isOfKey()
                                        ? " is in the primary key, which is compared by its collation, and a row would not be"
                                                + " found by another value. Nothing was sent: insert the new row, and delete the"
                                                + " old one. The JDBC driver changes its case"
                                        : " has an index by which rows are compared by its collation, and a row would not be"
                                                + " found by its new value. Nothing was sent: write it by the JDBC driver. An"
                                                + " UPDATE of other columns is served"),
                        false);
            }
        }
        for (UniqueKey key : keys) {
            if (columns == null || key.columns().stream().anyMatch(columns::contains)) {
                throw new WriteModeException(
                        "table " + keyspace + "." + each.table() + " has " + key.shown(each.table())
                                + ", and no two of its rows may have the same values of "
                                + String.join(", ", key.columns())
                                + ". This session does not reserve them, and nothing was sent: write such rows by the JDBC"
                                + " driver. An UPDATE of other columns is served",
                        false);
            }
        }
    }
}
