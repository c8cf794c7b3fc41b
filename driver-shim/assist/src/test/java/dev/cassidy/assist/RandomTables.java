package dev.cassidy.assist;

import dev.cassidy.collation.Collation;
import dev.cassidy.definition.SqlType;
import dev.cassidy.jdbc.assist.Budget;
import dev.cassidy.jdbc.assist.ColumnModel;
import dev.cassidy.jdbc.assist.RowSource;
import dev.cassidy.jdbc.assist.TableModel;
import dev.cassidy.jdbc.assist.TableModels;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Tables with keys and indexes at random, whose rows are in memory and are read as Cassandra reads: by whole keys, or all. They can be made
 * on a real node, too, and changed there and here alike.
 */
public final class RandomTables implements TableModels, RowSource {

    private static final SqlType INT = SqlType.parse("int").orElseThrow();
    private static final SqlType BIGINT = SqlType.parse("bigint").orElseThrow();
    private static final SqlType TEXT = SqlType.parse("nvarchar(9)").orElseThrow();
    private static final SqlType CHAR = SqlType.parse("char(3)").orElseThrow();

    /** The driver makes no more indexes of a table. */
    private static final int MAX_INDEXES = 4;

    /**
     * What is not by chance.
     *
     * @param suffix of the names of the tables
     * @param collation of strings; null if they are compared by code
     * @param plain how many of the four tables, from the last on, are written plainly; their strings are compared by code
     * @param blanks whether strings may have a blank at the end
     * @param numbers how many different numbers there are
     * @param fewest as many rows a table has at least, but for those with the key of another one
     * @param rows one more than it has at most besides
     * @param chars whether strings may be filled up with blanks
     * @param small whether tables may be declared small
     */
    public record Form(
            String suffix,
            @Nullable Collation collation,
            int plain,
            boolean blanks,
            int numbers,
            int fewest,
            int rows,
            boolean chars,
            boolean small) {

        static final Form BY_CODE = new Form("", null, 0, false, 5, 0, 14, false, true);
    }

    /**
     * A change of rows by their key.
     *
     * @param sql T-SQL
     * @param count how many rows it changes
     */
    public record Change(String sql, int count) {}

    private final Form form;
    private final Map<String, TableModel> tables = new LinkedHashMap<>();
    private final Set<String> tablesWithIndexesOfBytes = new HashSet<>();
    private final Map<String, List<List<@Nullable Object>>> rows = new LinkedHashMap<>();
    private int scans;

    public RandomTables(Random random) {
        this(random, Form.BY_CODE);
    }

    public RandomTables(Random random, Form form) {
        this.form = form;
        for (int i = 0; i < 4; i++) {
            String name = "t" + i + form.suffix();
            TableModel table = table(random, name, 4 - i <= form.plain() ? null : form.collation());
            tables.put(name, table);
            if (form.collation() != null && random.nextInt(3) == 0) {
                tablesWithIndexesOfBytes.add(name);
            }
            rows.put(name, rows(random, table));
        }
    }

    private TableModel table(Random random, String name, @Nullable Collation collation) {
        int partition = random.nextInt(3) == 0 ? 2 : 1;
        int clustering = random.nextInt(3);
        int indexes = 0;
        List<ColumnModel> columns = new ArrayList<>();
        for (String column : List.of("a", "b", "c", "d", "s", "u")) {
            int at = columns.size();
            ColumnModel.Place place = at < partition
                    ? ColumnModel.Place.PARTITION_KEY
                    : at < partition + clustering ? ColumnModel.Place.CLUSTERING : ColumnModel.Place.REGULAR;
            boolean text = List.of("s", "u").contains(column);
            SqlType type = text ? text(random) : random.nextInt(4) == 0 ? BIGINT : INT;
            boolean indexed = place == ColumnModel.Place.REGULAR && random.nextInt(4) == 0 && indexes++ < MAX_INDEXES;
            columns.add(new ColumnModel(column, type, text ? collation : null, place, indexed));
        }
        // A string may be the key, too.
        if (random.nextInt(4) == 0) {
            ColumnModel first = columns.get(0);
            columns.set(0, new ColumnModel("s", text(random), collation, first.place(), false));
            columns.set(
                    4,
                    new ColumnModel(
                            "a", INT, null, ColumnModel.Place.REGULAR, random.nextBoolean() && indexes < MAX_INDEXES));
        }
        List<String> names = columns.stream().map(ColumnModel::name).toList();
        return new TableModel(
                "ks",
                name,
                columns,
                names.subList(0, partition),
                names.subList(partition, partition + clustering),
                random.nextInt(3) == 0 && form.small());
    }

    private SqlType text(Random random) {
        return form.chars() && random.nextInt(3) == 0 ? CHAR : TEXT;
    }

    private List<List<@Nullable Object>> rows(Random random, TableModel table) {
        Map<List<Object>, List<@Nullable Object>> rows = new LinkedHashMap<>();
        for (int i = form.fewest() + random.nextInt(form.rows()); i > 0; i--) {
            List<@Nullable Object> row = row(random, table);
            rows.putIfAbsent(keyOf(table, row), row);
        }
        return new ArrayList<>(rows.values());
    }

    private List<@Nullable Object> row(Random random, TableModel table) {
        List<@Nullable Object> row = new ArrayList<>();
        for (ColumnModel column : table.columns()) {
            boolean isNull = row.size() >= keyColumns(table) && random.nextInt(5) == 0;
            row.add(isNull ? null : value(random, column));
        }
        return row;
    }

    private Object value(Random random, ColumnModel column) {
        int number = random.nextInt(form.numbers());
        if (column.isString()) {
            String text = "xyzXY".substring(number % 5, number % 5 + 1);
            return form.blanks() && random.nextInt(4) == 0 ? text + " " : text;
        }
        return column.type().equals(INT) ? (Object) number : (Object) (long) number;
    }

    private static int keyColumns(TableModel table) {
        return table.partitionKey().size() + table.clustering().size();
    }

    /** Returns what two rows have in common if they cannot be there both. */
    private static List<Object> keyOf(TableModel table, List<@Nullable Object> row) {
        List<Object> key = new ArrayList<>();
        for (int i = 0; i < keyColumns(table); i++) {
            Object value = Objects.requireNonNull(row.get(i));
            // Not by the product's own collation, which is judged here.
            key.add(
                    value instanceof String text && table.columns().get(i).collation() != null
                            ? text.toLowerCase(Locale.ROOT).stripTrailing()
                            : value);
        }
        return key;
    }

    // ---- on a node

    /** Returns whether the writes of a table are plain. */
    public boolean isPlain(TableModel table) {
        return List.copyOf(tables.values()).indexOf(table) >= 4 - form.plain();
    }

    /** Returns whether a table has an index that compares bytes, of a column whose strings are equal by a collation. */
    public boolean hasIndexOfBytes(TableModel table) {
        return table.columns().stream().anyMatch(column -> hasIndexOfBytes(table, column));
    }

    private boolean hasIndexOfBytes(TableModel table, ColumnModel column) {
        return column.collation() != null
                && column.place() == ColumnModel.Place.REGULAR
                && !column.indexed()
                && tablesWithIndexesOfBytes.contains(table.name());
    }

    /** Returns the statements that create the tables, without rows. */
    public List<String> definitions() {
        List<String> statements = new ArrayList<>();
        for (TableModel table : tables.values()) {
            List<String> parts = new ArrayList<>();
            List<String> after = new ArrayList<>();
            for (ColumnModel column : table.columns()) {
                parts.add(column.name() + " "
                        + (column.type().equals(CHAR)
                                ? "CHAR(3)"
                                : column.isString()
                                        ? "NVARCHAR(9)"
                                        : column.type().equals(INT) ? "INT" : "BIGINT"));
            }
            parts.add("PRIMARY KEY (("
                    + String.join(", ", table.partitionKey()) + ")"
                    + table.clustering().stream().map(each -> ", " + each).collect(Collectors.joining()) + ")");
            for (ColumnModel column : table.columns()) {
                String index = "ix_" + table.name() + "_" + column.name();
                if (column.indexed()) {
                    if (column.collation() != null) {
                        // By CREATE INDEX it would wait for the other processes.
                        parts.add("INDEX " + index + " (" + column.name() + ")");
                    } else {
                        after.add("CREATE NONCLUSTERED INDEX " + index + " ON " + table.name() + " (" + column.name()
                                + ")");
                    }
                } else if (hasIndexOfBytes(table, column)) {
                    after.add("CREATE INDEX " + index + " ON " + table.name() + " (" + column.name() + ") USING 'sai'");
                }
            }
            statements.add("CREATE TABLE " + table.name() + " (" + String.join(", ", parts) + ")"
                    + (isPlain(table) ? " WITH (plain)" : ""));
            statements.addAll(after);
        }
        return statements;
    }

    /** Returns the statements that insert the rows. */
    public List<String> inserts() {
        List<String> statements = new ArrayList<>();
        for (TableModel table : tables.values()) {
            String rows =
                    rows(table.name()).stream().map(RandomTables::literals).collect(Collectors.joining(", "));
            if (!rows.isEmpty()) {
                statements.add("INSERT INTO " + table.name() + names(table) + " VALUES " + rows);
            }
        }
        return statements;
    }

    private static String names(TableModel table) {
        return table.columns().stream().map(ColumnModel::name).collect(Collectors.joining(", ", " (", ")"));
    }

    private static String literals(List<@Nullable Object> row) {
        return row.stream().map(RandomTables::literal).collect(Collectors.joining(", ", "(", ")"));
    }

    private static String literal(@Nullable Object value) {
        return value instanceof String text ? "N'" + text + "'" : String.valueOf(value);
    }

    /** Inserts, updates or deletes a row here. Of a plain table no row that is not there: an UPDATE would make it. */
    public Change change(Random random, TableModel table) {
        List<List<@Nullable Object>> present = rows(table.name());
        List<@Nullable Object> row = row(random, table);
        int key = keyColumns(table);
        int at = at(table, row);
        int kind = random.nextInt(3);
        if (at < 0 && (kind == 0 || isPlain(table))) {
            present.add(row);
            return new Change("INSERT INTO " + table.name() + names(table) + " VALUES " + literals(row), 1);
        }
        if (at < 0 && !present.isEmpty() && random.nextInt(4) > 0) {
            at = random.nextInt(present.size());
        }
        List<@Nullable Object> named = at < 0 ? row : present.get(at);
        List<String> where = new ArrayList<>();
        for (int i = 0; i < key; i++) {
            ColumnModel column = table.columns().get(i);
            Object value = named.get(i);
            boolean other = value instanceof String && column.collation() != null && random.nextBoolean();
            where.add(column.name() + " = " + literal(other ? ((String) value).toUpperCase(Locale.ROOT) : value));
        }
        String condition = " WHERE " + String.join(" AND ", where);
        if (kind == 1) {
            if (at >= 0) {
                present.remove(at);
            }
            return new Change("DELETE FROM " + table.name() + condition, at < 0 ? 0 : 1);
        }
        List<@Nullable Object> changed = new ArrayList<>(named);
        List<String> set = new ArrayList<>();
        for (int i = key; i < table.columns().size(); i++) {
            if (i == key || random.nextBoolean()) {
                changed.set(i, row.get(i));
                set.add(table.columns().get(i).name() + " = " + literal(row.get(i)));
            }
        }
        if (at >= 0) {
            present.set(at, changed);
        }
        return new Change("UPDATE " + table.name() + " SET " + String.join(", ", set) + condition, at < 0 ? 0 : 1);
    }

    private int at(TableModel table, List<@Nullable Object> row) {
        List<Object> key = keyOf(table, row);
        return rows(table.name()).stream()
                .map(each -> keyOf(table, each))
                .toList()
                .indexOf(key);
    }

    /** Returns the rows as they are now. */
    public Map<String, List<List<@Nullable Object>>> copy() {
        Map<String, List<List<@Nullable Object>>> copy = new LinkedHashMap<>();
        rows.forEach((name, each) -> copy.put(name, new ArrayList<>(each)));
        return copy;
    }

    /** Makes the rows those of a {@link #copy}. */
    public void restore(Map<String, List<List<@Nullable Object>>> copy) {
        rows.clear();
        rows.putAll(copy);
    }

    // ---- in memory

    public List<TableModel> all() {
        return List.copyOf(tables.values());
    }

    public List<List<@Nullable Object>> rows(String table) {
        return Objects.requireNonNull(rows.get(table));
    }

    int scans() {
        return scans;
    }

    @Override
    public Optional<TableModel> find(@Nullable String qualifier, String name) {
        return Optional.ofNullable(tables.get(name));
    }

    @Override
    public CompletionStage<List<List<@Nullable Object>>> read(
            TableModel table,
            List<ColumnModel> columns,
            List<ColumnModel> by,
            List<List<Object>> values,
            Budget budget) {
        requireServed(table, by, values);
        scans += by.isEmpty() ? 1 : 0;
        Set<List<Object>> wanted = new HashSet<>(values);
        List<List<@Nullable Object>> found = new ArrayList<>();
        for (List<@Nullable Object> row : rows.get(table.name())) {
            List<@Nullable Object> key = new ArrayList<>();
            for (ColumnModel each : by) {
                Object value = row.get(table.columns().indexOf(each));
                key.add(value instanceof Integer number ? (Object) number.longValue() : value);
            }
            if (by.isEmpty() || wanted.contains(key)) {
                List<@Nullable Object> shown = new ArrayList<>();
                columns.forEach(each -> shown.add(row.get(table.columns().indexOf(each))));
                found.add(shown);
            }
        }
        budget.rows(table, found.size());
        return CompletableFuture.completedFuture(found);
    }

    private static void requireServed(TableModel table, List<ColumnModel> by, List<List<Object>> values) {
        if (new HashSet<>(values).size() != values.size()) {
            throw new AssertionError("twice the same of " + table + ": " + values);
        }
        List<String> key = new ArrayList<>(table.partitionKey());
        key.addAll(table.clustering());
        List<String> given = by.stream().map(ColumnModel::name).toList();
        boolean byKey = given.size() >= table.partitionKey().size()
                && given.size() <= key.size()
                && key.subList(0, given.size()).equals(given);
        boolean byIndex = by.size() == 1 && by.get(0).indexed();
        if (!by.isEmpty() && !byKey && !byIndex) {
            throw new AssertionError("Cassandra does not find rows of " + table + " by " + given);
        }
    }
}
