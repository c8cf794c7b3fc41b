package dev.cassidy.jdbc.run;

import com.datastax.oss.driver.api.core.type.codec.registry.CodecRegistry;
import dev.cassidy.insert.ConditionalWrite;
import dev.cassidy.insert.RowConditions;
import dev.cassidy.jdbc.error.SqlServerErrors;
import dev.cassidy.jdbc.error.Unserved;
import dev.cassidy.jdbc.overlay.Overlay;
import dev.cassidy.jdbc.overlay.PendingRow;
import dev.cassidy.jdbc.overlay.RowImage;
import dev.cassidy.jdbc.overlay.Write;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Runs UPDATE and DELETE of exact tables against what their transaction has written so far. Rows are read, and nothing is written
 * before the commit.
 */
final class PendingWrites {

    private final Binder binder;
    private final StatementSender sender;
    private final ExactRows rows;
    private final Transaction transaction;
    private final int isolation;
    private final CodecRegistry codecs;

    /** @param isolation of the connection, as {@link Connection} numbers it */
    PendingWrites(Binder binder, StatementSender sender, ExactRows rows, Transaction transaction, int isolation) {
        this.binder = binder;
        this.sender = sender;
        this.rows = rows;
        this.transaction = transaction;
        this.isolation = isolation;
        this.codecs = binder.session().plain().getContext().getCodecRegistry();
    }

    /** Returns how many rows are written. A statement that fails has written none. */
    long run(ExactStatement statement) throws SQLException {
        transaction.judges(statement.table(), binder.session());
        // It was read before.
        KeptDeclarations.requireTwins(
                binder.session().tables(), statement.table(), statement.write().text());
        Overlay overlay = transaction.overlay();
        int before = overlay.mark();
        int number = transaction.number();
        try {
            long count = 0;
            if (statement.write().keys().isEmpty()) {
                count = one(statement) ? 1 : 0;
            } else {
                for (List<Object> key : keys(statement)) {
                    count += one(statement.of(key)) ? 1 : 0;
                }
            }
            new Uniques(rows).check(overlay, before);
            return count;
        } catch (SQLException | RuntimeException e) {
            if (transaction.number() == number) {
                overlay.rollbackTo(before);
            }
            throw e;
        } finally {
            transaction.statementEnded();
        }
    }

    private List<List<Object>> keys(ExactStatement statement) throws SQLException {
        if (isolation == Connection.TRANSACTION_SERIALIZABLE && !namesWholeKeys(statement)) {
            throw Unserved.feature("An " + statement.step().keyword() + " that does not name its rows of table "
                    + statement.writes().name()
                    + " by their keys is not served at SERIALIZABLE: nobody keeps others from"
                    + " inserting further rows that it would find. Name the keys, or write at REPEATABLE READ");
        }
        Overlay overlay = transaction.overlay();
        Set<List<Object>> written = overlay.rows(statement.writes()).keySet();
        List<List<Object>> keys = new ArrayList<>(rows.keys(statement));
        if (!written.isEmpty()) {
            Overlay.Table table = transaction.overlay().table(statement.writes(), rows::table);
            keys.removeIf(key -> written.contains(table.named(key)));
            ConditionalWrite write = statement.write();
            keys.addAll(overlay.found(
                            transaction.overlay().table(statement.writes(), rows::table),
                            rows.bound(statement, write.keys(), write.keyMarkers()),
                            Map.of(),
                            codecs)
                    .keySet());
        }
        return keys;
    }

    private boolean one(ExactStatement statement) throws SQLException {
        Overlay.Table table = transaction.overlay().table(statement.writes(), rows::table);
        List<Object> key = rows.key(statement);
        PendingRow known = transaction.overlay().find(statement.writes(), key).orElse(null);
        // Read again before its first write: it has to be whole on the majority that decides.
        RowImage read = known == null || known.isRead() ? rows.image(statement) : null;
        if (known != null && known.isRead() && (read == null || !known.isAsBefore(read))) {
            transaction.clear();
            throw SqlServerErrors.deadlock("The transaction was rolled back, and nothing was written: a row of table "
                    + statement.writes().name() + " is not as it has read it any more. Run it again");
        }
        if (known == null && read == null) {
            return false;
        }
        boolean found =
                transaction.overlay().write(table, key, new OneRow(statement, table, binder, sender), read, codecs);
        if (!found && read != null && isolation >= Connection.TRANSACTION_REPEATABLE_READ) {
            // That it was not found depends on what was read.
            transaction.overlay().check(table, read, null);
        }
        return found;
    }

    private static boolean namesWholeKeys(ExactStatement statement) {
        Set<String> named = new HashSet<>();
        RowConditions.of(statement.write().keys()).ifPresent(conditions -> conditions.where().stream()
                .filter(each ->
                        each.operator() == RowConditions.Operator.EQUAL || each.operator() == RowConditions.Operator.IN)
                .forEach(each -> named.add(each.column())));
        return statement.write().rowMarkers().size() <= named.size();
    }

    /** One row's part of a statement. */
    private record OneRow(ExactStatement statement, Overlay.Table table, Binder binder, StatementSender sender)
            implements Write {

        @Override
        public @Nullable Bound bound(RowImage row) throws SQLException {
            RowValues old = RowValues.of(statement.write(), row::value);
            return SetArithmetic.holds(statement, old)
                    ? SetArithmetic.judged(statement, old, table.types(), binder, sender)
                    : null;
        }

        @Override
        public Set<String> decisive() {
            Set<String> decisive = new HashSet<>();
            statement.write().changes().forEach(change -> decisive.add(change.column()));
            statement.write().matches().forEach(match -> decisive.add(match.column()));
            return decisive;
        }
    }
}
