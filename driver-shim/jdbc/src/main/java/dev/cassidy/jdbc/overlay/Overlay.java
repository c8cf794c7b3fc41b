package dev.cassidy.jdbc.overlay;

import com.datastax.oss.driver.api.core.cql.BatchableStatement;
import com.datastax.oss.driver.api.core.cql.Statement;
import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.ListType;
import com.datastax.oss.driver.api.core.type.MapType;
import com.datastax.oss.driver.api.core.type.SetType;
import com.datastax.oss.driver.api.core.type.codec.registry.CodecRegistry;
import dev.cassidy.collation.Collation;
import dev.cassidy.definition.RowMark;
import dev.cassidy.insert.Assignments;
import dev.cassidy.insert.CqlWrite;
import dev.cassidy.insert.RecentStatements;
import dev.cassidy.insert.RowConditions;
import dev.cassidy.insert.RowConditions.Condition;
import dev.cassidy.insert.UnsupportedSqlException;
import dev.cassidy.table.TableWrites;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The rows of exact tables that one transaction has written, as it has them now. Statements are run against it: what they would
 * do to a row is done to its image. Nothing is sent. Used by one thread at a time.
 */
public final class Overlay {

    /** How many rows one transaction may write. */
    public static final int MAX_ROWS = 10_000;

    private static final RecentStatements<Optional<RowConditions>> CONDITIONS =
            new RecentStatements<>(RowConditions::of);
    private static final RecentStatements<Optional<Assignments>> ASSIGNMENTS = new RecentStatements<>(Assignments::of);
    private static final RecentStatements<Optional<CqlWrite>> WRITES = new RecentStatements<>(CqlWrite::recognise);

    /** Of columns as a whole: without an element's bracket. */
    private static final Pattern DELETE_OF_COLUMNS =
            Pattern.compile("\\s*delete\\s+[^\\[]+?\\s+from\\b", Pattern.CASE_INSENSITIVE);

    private final Map<String, Map<List<Object>, PendingRow>> tables = new LinkedHashMap<>();

    private final Map<String, Table> known = new HashMap<>();

    /** The rows that have a value now, of those that were written, by tables of reservations. */
    private final Map<String, Map<ByteBuffer, Set<List<Object>>>> holders = new HashMap<>();

    /** What was there before each change, so that a savepoint can be rolled back to. */
    private final List<Undo> undo = new ArrayList<>();

    private int rows;

    private record Undo(
            String table, List<Object> key, @Nullable PendingRow before) {}

    /**
     * A table, and how statements name and compare its columns.
     *
     * @param key the columns of the primary key, internal names
     * @param partition how many of them are the partition key
     * @param types by column
     * @param uniques what must be unique in it
     */
    public record Table(
            TableWrites writes, List<String> key, int partition, Map<String, DataType> types, UniqueValues uniques) {
        public Table {
            key = List.copyOf(key);
            types = Map.copyOf(types);
        }

        /** Returns the key of a row, so that two are equal if they name the same row. */
        public List<Object> keyOf(RowImage row) {
            return named(row.values(key));
        }

        /** Cassandra compares bytes of the partition key, and numbers of the other columns: there 1.5 and 1.50 are one row. */
        public List<Object> named(List<Object> values) {
            List<Object> named = new ArrayList<>(values);
            for (int i = partition; i < named.size(); i++) {
                if (named.get(i) instanceof BigDecimal number) {
                    named.set(i, number.stripTrailingZeros());
                }
            }
            return named;
        }
    }

    public boolean isEmpty() {
        return rows == 0;
    }

    /** Returns how many rows were written. */
    public int size() {
        return rows;
    }

    /** Returns whether rows of a table were written. */
    public boolean has(TableWrites table) {
        return tables.containsKey(table.name());
    }

    /** Returns a table as it was when this transaction first wrote to it. */
    public Table table(TableWrites writes, Function<TableWrites, Table> read) {
        return known.computeIfAbsent(writes.name(), name -> read.apply(writes));
    }

    /** Returns whether rows of a table of that name were written; internal names. */
    public boolean has(String keyspace, String table) {
        return tables.containsKey(keyspace + "." + table);
    }

    /** Returns the rows of a table, by their keys, in the order in which they were first written. */
    public Map<List<Object>, PendingRow> rows(TableWrites table) {
        return tables.getOrDefault(table.name(), Map.of());
    }

    /** Returns all rows, in the order in which they were first written. */
    public List<PendingRow> all() {
        return tables.values().stream()
                .map(Map::values)
                .flatMap(Collection::stream)
                .toList();
    }

    /** A row with its key. */
    public record Keyed(List<Object> key, PendingRow row) {}

    /** Returns all rows with their keys. */
    public List<Keyed> keyed() {
        List<Keyed> all = new ArrayList<>();
        tables.values().forEach(ofTable -> ofTable.forEach((key, row) -> all.add(new Keyed(key, row))));
        return all;
    }

    public Optional<PendingRow> find(TableWrites table, List<Object> key) {
        return Optional.ofNullable(rows(table).get(key));
    }

    /** Returns the tables of which rows were written, as they were then. */
    public List<Table> tables() {
        return tables.keySet().stream()
                .map(name -> Objects.requireNonNull(known.get(name)))
                .toList();
    }

    /** Returns whether one of the tables that were written has values that must be unique. */
    public boolean hasUniques() {
        return tables.keySet().stream()
                .anyMatch(name ->
                        !Objects.requireNonNull(known.get(name)).uniques().isEmpty());
    }

    /** Returns whether nothing but rows was inserted whose ids were drawn for them, each as its insert says. */
    public boolean isFreshAlone() {
        return !hasUniques()
                && all().stream().allMatch(row -> row.isNothing() || (row.fresh() != null && !row.changed()));
    }

    /** Returns the inserts of rows whose ids were drawn for them, without those that were deleted. */
    public List<BatchableStatement<?>> freshInserts() {
        List<BatchableStatement<?>> inserts = new ArrayList<>();
        for (PendingRow row : all()) {
            if (row.fresh() != null && row.now() != null) {
                inserts.add(row.fresh());
            }
        }
        return inserts;
    }

    /**
     * Replaces the inserts of rows whose ids were drawn for them.
     *
     * @param inserts in the order of {@link #freshInserts}
     */
    public void replaceFresh(List<BatchableStatement<?>> inserts) {
        int next = 0;
        for (Map<List<Object>, PendingRow> ofTable : tables.values()) {
            for (Map.Entry<List<Object>, PendingRow> each : ofTable.entrySet()) {
                PendingRow row = each.getValue();
                if (row.fresh() != null && row.now() != null) {
                    each.setValue(row.with(inserts.get(next++)));
                }
            }
        }
    }

    public void clear() {
        tables.clear();
        holders.clear();
        known.clear();
        undo.clear();
        rows = 0;
    }

    /** Returns the point to which {@link #rollbackTo} may return. */
    public int mark() {
        return undo.size();
    }

    /** Forgets how to return to the marks until now. */
    public void forgetMarks() {
        undo.clear();
    }

    /** Takes back what was written since a mark. */
    public void rollbackTo(int mark) {
        while (undo.size() > mark) {
            Undo last = undo.remove(undo.size() - 1);
            Map<List<Object>, PendingRow> ofTable = tables.get(last.table());
            if (ofTable == null) {
                throw new IllegalStateException("a change of a table without rows: " + last.table());
            }
            holds(last.table(), last.key(), ofTable.get(last.key()), last.before());
            if (last.before() != null) {
                ofTable.put(last.key(), last.before());
                continue;
            }
            ofTable.remove(last.key());
            rows--;
            if (ofTable.isEmpty()) {
                tables.remove(last.table());
            }
        }
    }

    private void put(TableWrites table, List<Object> key, PendingRow row) {
        PendingRow before = tables.computeIfAbsent(table.name(), name -> new LinkedHashMap<>())
                .put(key, row);
        undo.add(new Undo(table.name(), key, before));
        holds(table.name(), key, before, row);
        rows += before == null ? 1 : 0;
    }

    private void holds(String name, List<Object> key, @Nullable PendingRow before, @Nullable PendingRow now) {
        UniqueValues uniques = Objects.requireNonNull(known.get(name)).uniques();
        if (uniques.isEmpty()) {
            return;
        }
        values(uniques, before).forEach(value -> holdersOf(value).remove(key));
        values(uniques, now).forEach(value -> holdersOf(value).add(key));
    }

    private static List<UniqueValue> values(UniqueValues uniques, @Nullable PendingRow row) {
        RowImage now = row == null ? null : row.now();
        return now == null ? List.of() : uniques.of(now);
    }

    private Set<List<Object>> holdersOf(UniqueValue value) {
        return holders.computeIfAbsent(value.key().reservations().table(), name -> new HashMap<>())
                .computeIfAbsent(value.bytes(), bytes -> new HashSet<>());
    }

    /** Returns the keys of the rows that were written and have a value now. */
    public Set<List<Object>> holders(UniqueValue value) {
        return Set.copyOf(holdersOf(value));
    }

    /**
     * A row that was written since a mark.
     *
     * @param before as it was then; null if there was none
     * @param now null if it was deleted
     */
    public record Changed(
            Table table,
            List<Object> key,
            @Nullable RowImage before,
            @Nullable RowImage now) {}

    /** Returns the rows that were written since a mark, each once. */
    public List<Changed> changedSince(int mark) {
        Map<String, Map<List<Object>, Changed>> changed = new LinkedHashMap<>();
        for (Undo each : undo.subList(mark, undo.size())) {
            PendingRow now = Objects.requireNonNull(tables.get(each.table())).get(each.key());
            Table table = Objects.requireNonNull(known.get(each.table()));
            if (now != null) {
                changed.computeIfAbsent(each.table(), name -> new LinkedHashMap<>())
                        .putIfAbsent(
                                each.key(),
                                new Changed(
                                        table,
                                        each.key(),
                                        each.before() == null
                                                ? now.before()
                                                : each.before().now(),
                                        now.now()));
            }
        }
        return changed.values().stream()
                .map(Map::values)
                .flatMap(Collection::stream)
                .toList();
    }

    private void requireRoom(TableWrites table, List<Object> key) {
        if (rows >= MAX_ROWS && find(table, key).isEmpty()) {
            throw new UnsupportedSqlException(
                    "a transaction that writes more than " + MAX_ROWS + " rows",
                    "its writes are kept in memory until the commit: commit in between");
        }
    }

    // ---- statements

    /**
     * Remembers a row that was read, and must be the same at the commit.
     *
     * @param held the row's mark, if no other transaction may hold the row until the commit; null if that does not matter
     */
    public void check(Table table, RowImage row, @Nullable ByteBuffer held) {
        List<Object> key = table.keyOf(row);
        Optional<PendingRow> known = find(table.writes(), key);
        if (held != null
                && known.filter(each -> each.before() != null && !held.equals(each.held()))
                        .isPresent()) {
            put(table.writes(), key, known.get().holding(held));
        } else if (known.isEmpty()) {
            requireRoom(table.writes(), key);
            Set<String> columns = new HashSet<>(table.types().keySet());
            table.key().forEach(columns::remove);
            columns.remove(RowMark.COLUMN);
            put(table.writes(), key, PendingRow.checked(table.writes(), row, columns, held));
        }
    }

    /**
     * Remembers that the transaction itself has given a row that it holds another mark. No rollback to a savepoint takes that back.
     *
     * @param key of a row that was written, or read so that it must stay
     */
    public void hold(TableWrites table, List<Object> key, ByteBuffer mark) {
        Map<List<Object>, PendingRow> ofTable = Objects.requireNonNull(tables.get(table.name()), table.name());
        ofTable.computeIfPresent(key, (same, row) -> row.holding(mark));
        undo.replaceAll(each -> {
            PendingRow before = each.before();
            return before != null
                            && before.held() != null
                            && each.table().equals(table.name())
                            && each.key().equals(key)
                    ? new Undo(each.table(), each.key(), before.holding(mark))
                    : each;
        });
    }

    /** Remembers a row that was shown, of those that were written: what others may have changed of it must be the same at the commit. */
    public void rely(Table table, RowImage row) {
        List<Object> key = table.keyOf(row);
        find(table.writes(), key)
                .filter(known -> known.before() != null && !known.replaced())
                .ifPresent(known -> {
                    Set<String> columns = new HashSet<>(table.types().keySet());
                    table.key().forEach(columns::remove);
                    columns.remove(RowMark.COLUMN);
                    put(table.writes(), key, known.relying(columns));
                });
    }

    /** The row that one bound insert makes. */
    public static RowImage inserted(Statement<?> insert, Table table, CodecRegistry codecs) {
        BoundValues values = BoundValues.of(insert, codecs);
        Map<String, Object> row = new HashMap<>();
        for (Assignments.Assignment each :
                ASSIGNMENTS.of(values.text()).orElseThrow().all()) {
            DataType type = table.types().get(each.column());
            Object value = stored(values.of(each.value(), type), type);
            if (value != null) {
                row.put(each.column(), value);
            }
        }
        row.remove(RowMark.COLUMN);
        return new RowImage(row);
    }

    /** Adds a row whose id was drawn for it, with the statement that inserts it. */
    public void insertFresh(Table table, RowImage row, BatchableStatement<?> insert) {
        List<Object> key = table.keyOf(row);
        requireRoom(table.writes(), key);
        put(table.writes(), key, PendingRow.fresh(table.writes(), row, insert));
    }

    /**
     * Adds a row with a key of the user's.
     *
     * @param before the row of that key as it was read; of one that the transaction has written, it is ignored
     * @return whether there was no such row
     */
    public boolean insert(Table table, RowImage row, @Nullable RowImage before) {
        List<Object> key = table.keyOf(row);
        PendingRow known = find(table.writes(), key).orElseGet(() -> PendingRow.read(table.writes(), before));
        if (known.now() != null) {
            return false;
        }
        requireRoom(table.writes(), key);
        put(table.writes(), key, known.inserted(row));
        return true;
    }

    /** The key that a bound query or write of one row names. */
    public static List<Object> key(Statement<?> bound, Table table, CodecRegistry codecs) {
        BoundValues values = BoundValues.of(bound, codecs);
        Map<String, Object> key = new HashMap<>();
        for (Condition each : conditions(values).where()) {
            Object value = each.values().isEmpty()
                    ? null
                    : values.of(each.values().get(0), table.types().get(each.column()));
            if (value != null) {
                key.put(each.column(), value);
            }
        }
        return table.keyOf(new RowImage(key));
    }

    private static RowConditions conditions(BoundValues values) {
        return CONDITIONS
                .of(values.text())
                .orElseThrow(() -> new UnsupportedSqlException(
                        "a statement whose conditions do not compare single columns, in a transaction that writes its table"
                                + " exactly",
                        "run it with setAutoCommit(true), or commit first"));
    }

    /**
     * Runs an UPDATE or DELETE of one row.
     *
     * @param before the row as it was read; of one that the transaction has written, it is ignored
     * @return whether the row was found
     */
    public boolean write(Table table, List<Object> key, Write write, @Nullable RowImage before, CodecRegistry codecs)
            throws SQLException {
        Optional<PendingRow> known = find(table.writes(), key);
        After then = after(table, known.orElseGet(() -> PendingRow.read(table.writes(), before)), write, codecs);
        boolean found = then.isFoundLast();
        if (found || known.isPresent()) {
            requireRoom(table.writes(), key);
            put(table.writes(), key, then.row());
        }
        return found;
    }

    private record After(PendingRow row, boolean isFoundLast) {}

    private static After after(Table table, PendingRow row, Write write, CodecRegistry codecs) throws SQLException {
        RowImage now = row.now();
        if (now == null) {
            return new After(row.missed(write, Set.of()), false);
        }
        Set<String> relied = new HashSet<>(write.decisive());
        Write.Bound bound = write.bound(now);
        if (bound == null) {
            return new After(row.missed(write, relied), false);
        }
        BoundValues values = BoundValues.of(bound.statement(), codecs);
        List<Condition> conditions = conditionsOfColumns(values);
        conditions.forEach(each -> relied.add(each.column()));
        if (!new RowFilter(values, table.types(), Map.of()).meets(conditions, now)) {
            return new After(row.missed(write, relied), false);
        }
        if (bound.refusal() != null) {
            throw bound.refusal();
        }
        Map<String, @Nullable Object> changes = changes(table, values);
        return new After(
                changes == null
                        ? row.deleted(write, relied)
                        : row.changed(write, now.with(changes), changes.keySet(), relied),
                true);
    }

    /** The conditions of a write but for that on the mark. */
    private static List<Condition> conditionsOfColumns(BoundValues values) {
        return conditions(values).conditions().stream()
                .filter(each -> !each.column().equals(RowMark.COLUMN))
                .toList();
    }

    /** Returns whether a row that has its mark is as the conditions of a bound write say. */
    public static boolean meets(RowImage row, Statement<?> write, Table table, CodecRegistry codecs) {
        BoundValues values = BoundValues.of(write, codecs);
        return new RowFilter(values, table.types(), Map.of()).meets(conditionsOfColumns(values), row);
    }

    /**
     * Runs the writes of a row again on the row as others have left it.
     *
     * @param now null if there is none
     * @return whether each write has found the row as before; if not, the row stays as it was
     */
    public boolean replay(Table table, List<Object> key, @Nullable RowImage now, CodecRegistry codecs)
            throws SQLException {
        PendingRow row = find(table.writes(), key).orElseThrow();
        After again = new After(PendingRow.read(table.writes(), now), false);
        for (PendingRow.Step step : row.steps()) {
            again = after(table, again.row(), step.write(), codecs);
            if (again.isFoundLast() != step.found()) {
                return false;
            }
        }
        holds(table.writes().name(), key, row, again.row());
        Objects.requireNonNull(tables.get(table.writes().name())).put(key, again.row());
        return true;
    }

    /** Returns what a write gives columns; null if it deletes the row. */
    private static @Nullable Map<String, @Nullable Object> changes(Table table, BoundValues values) {
        if (CqlWrite.deletesRows(values.text())) {
            return null;
        }
        Assignments assignments = ASSIGNMENTS.of(values.text()).orElseThrow(Overlay::ofElements);
        Set<String> whole =
                assignments.all().stream().map(Assignments.Assignment::column).collect(Collectors.toSet());
        Set<String> assigned = WRITES.of(values.text()).orElseThrow().assigned();
        boolean ofColumns = DELETE_OF_COLUMNS.matcher(values.text()).lookingAt();
        if (ofColumns ? whole.size() != columnsOfDelete(values.text()) : !whole.equals(assigned)) {
            throw ofElements();
        }
        Map<String, @Nullable Object> changes = new HashMap<>();
        for (Assignments.Assignment each : assignments.all()) {
            if (each.ofItself()) {
                throw new UnsupportedSqlException(
                        "SET " + each.column() + " of itself in a transaction that writes its table exactly",
                        "read the row, and give the new value");
            }
            DataType type = table.types().get(each.column());
            changes.put(each.column(), stored(values.of(each.value(), type), type));
        }
        return changes;
    }

    private static long columnsOfDelete(String delete) {
        Matcher columns = DELETE_OF_COLUMNS.matcher(delete);
        return columns.lookingAt()
                ? columns.group().chars().filter(each -> each == ',').count() + 1
                : 0;
    }

    /** Returns a value as Cassandra gives it back: of a collection that is not frozen, an empty one is NULL. */
    private static @Nullable Object stored(@Nullable Object value, @Nullable DataType type) {
        boolean frozen = !((type instanceof ListType list && !list.isFrozen())
                || (type instanceof SetType set && !set.isFrozen())
                || (type instanceof MapType map && !map.isFrozen()));
        boolean empty = (value instanceof Collection<?> collection && collection.isEmpty())
                || (value instanceof Map<?, ?> map && map.isEmpty());
        return empty && !frozen ? null : value;
    }

    private static UnsupportedSqlException ofElements() {
        return new UnsupportedSqlException(
                "a write of a part of a collection in a transaction that writes its table exactly",
                "give the column its whole value");
    }

    /**
     * Returns the rows of a table, by their keys, that a bound SELECT finds. The application sees them, and which were not found:
     * afterwards no write to a row that it could find is run again.
     *
     * @param collations as {@link #found} takes them
     */
    public Map<List<Object>, RowImage> shown(
            Table table, Statement<?> select, Map<String, Collation> collations, CodecRegistry codecs) {
        BoundValues values = BoundValues.of(select, codecs);
        List<Condition> ofKey = conditions(values).where().stream()
                .filter(each -> table.key().contains(each.column()))
                .toList();
        RowFilter filter = new RowFilter(values, table.types(), Map.of());
        Map<List<Object>, RowImage> found = found(table, select, collations, codecs);
        for (Map.Entry<List<Object>, PendingRow> each :
                tables.getOrDefault(table.writes().name(), Map.of()).entrySet()) {
            if (filter.finds(ofKey, keyImage(table, each.getKey()))) {
                each.setValue(each.getValue().seen());
            }
        }
        return found;
    }

    private static RowImage keyImage(Table table, List<Object> key) {
        Map<String, Object> values = new HashMap<>();
        for (int i = 0; i < key.size(); i++) {
            values.put(table.key().get(i), key.get(i));
        }
        return new RowImage(values);
    }

    /**
     * Returns whether a bound SELECT finds a row.
     *
     * @param collations as {@link #found} takes them
     */
    public static boolean finds(
            Table table, Statement<?> select, Map<String, Collation> collations, CodecRegistry codecs, RowImage row) {
        BoundValues values = BoundValues.of(select, codecs);
        return new RowFilter(values, table.types(), collations)
                .finds(conditions(values).where(), row);
    }

    /**
     * Returns the rows of a table, by their keys, that a bound SELECT finds.
     *
     * @param collations by which strings of columns apart from the key are equal, if the statement reads within partitions
     */
    public Map<List<Object>, RowImage> found(
            Table table, Statement<?> select, Map<String, Collation> collations, CodecRegistry codecs) {
        BoundValues values = BoundValues.of(select, codecs);
        List<Condition> where = conditions(values).where();
        RowFilter filter = new RowFilter(values, table.types(), collations);
        Map<List<Object>, RowImage> found = new LinkedHashMap<>();
        rows(table.writes()).forEach((key, row) -> {
            RowImage now = row.now();
            if (now != null && filter.finds(where, now)) {
                found.put(key, now);
            }
        });
        return found;
    }
}
