package dev.cassidy.benchmarks.driver;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.Row;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/** UPDATE and DELETE of rows that exist, under conditions, as one writes them by hand on the java-driver alone. */
final class BareWrites implements Work {

    /** Has the same columns as an exact table. */
    static final String TABLE = "by_hand";

    /** Makes the statement that writes a row. */
    private interface Write {
        BoundStatement bind(int id);
    }

    private final CqlSession session;
    private final PreparedStatement insert;
    private final PreparedStatement read;
    private final Write write;
    private final OwnRows rows;
    private final AtomicInteger ids;
    private int number;

    /** @param ids those of all threads */
    private BareWrites(CqlSession session, AtomicInteger ids, String cql, Kind kind) {
        this.session = session;
        this.ids = ids;
        this.insert = session.prepare("INSERT INTO " + TABLE
                + " (id, name, quantity, cassidy_tx) VALUES (?, 'Kettle', ?, 0xff) USING TIMESTAMP 4398046511104");
        this.read = session.prepare("SELECT * FROM " + TABLE + " WHERE id = ?");
        PreparedStatement prepared = session.prepare(cql);
        this.write = switch (kind) {
            case UPDATE ->
                id -> {
                    read(id);
                    return prepared.bind(number++, id);
                };
            case DECREMENT ->
                id -> {
                    int quantity = read(id).getInt("quantity");
                    if (quantity < 1) {
                        throw new IllegalStateException("nothing is left of row " + id);
                    }
                    return prepared.bind(quantity - 1, id, quantity);
                };
            case DELETE -> prepared::bind;
        };
        this.rows = new OwnRows(this::insert, kind == Kind.DELETE);
    }

    private enum Kind {
        UPDATE,
        DECREMENT,
        DELETE
    }

    static BareWrites update(CqlSession session, AtomicInteger ids) {
        return new BareWrites(
                session, ids, "UPDATE " + TABLE + " SET quantity = ? WHERE id = ? IF cassidy_tx >= 0xff", Kind.UPDATE);
    }

    static BareWrites decrement(CqlSession session, AtomicInteger ids) {
        return new BareWrites(
                session, ids, "UPDATE " + TABLE + " SET quantity = ? WHERE id = ? IF quantity = ?", Kind.DECREMENT);
    }

    static BareWrites delete(CqlSession session, AtomicInteger ids) {
        return new BareWrites(
                session, ids, "DELETE FROM " + TABLE + " WHERE id = ? IF cassidy_tx >= 0xff", Kind.DELETE);
    }

    private List<Integer> insert(int count) {
        List<Integer> inserted = new ArrayList<>();
        List<CompletableFuture<?>> pending = new ArrayList<>();
        for (int row = 0; row < count; row++) {
            int id = ids.incrementAndGet();
            inserted.add(id);
            pending.add(session.executeAsync(insert.bind(id, OwnRows.QUANTITY)).toCompletableFuture());
            if (pending.size() == InsertClient.UNDER_WAY || row == count - 1) {
                pending.forEach(CompletableFuture::join);
                pending.clear();
            }
        }
        return inserted;
    }

    private Row read(int id) {
        return Objects.requireNonNull(session.execute(read.bind(id)).one(), "the row is missing");
    }

    @Override
    public void prepare() throws Exception {
        rows.prepare();
    }

    @Override
    public int call() {
        Integer id = rows.next();
        if (id == null) {
            return 0;
        }
        if (!session.execute(write.bind(id)).wasApplied()) {
            throw new IllegalStateException("the condition did not hold of row " + id);
        }
        return 1;
    }
}
