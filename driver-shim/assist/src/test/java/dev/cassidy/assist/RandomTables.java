package dev.cassidy.assist;

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
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Tables with keys and indexes at random, whose rows are in memory and are read as Cassandra reads: by whole keys, or all. */
final class RandomTables implements TableModels, RowSource {

    private static final SqlType INT = SqlType.parse("int").orElseThrow();
    private static final SqlType BIGINT = SqlType.parse("bigint").orElseThrow();
    private static final SqlType TEXT = SqlType.parse("nvarchar(9)").orElseThrow();

    private final Map<String, TableModel> tables = new LinkedHashMap<>();
    private final Map<String, List<List<@Nullable Object>>> rows = new LinkedHashMap<>();
    private int scans;

    RandomTables(Random random) {
        for (String name : List.of("t0", "t1", "t2", "t3")) {
            TableModel table = table(random, name);
            tables.put(name, table);
            rows.put(name, rows(random, table));
        }
    }

    private static TableModel table(Random random, String name) {
        int partition = random.nextInt(3) == 0 ? 2 : 1;
        int clustering = random.nextInt(3);
        List<ColumnModel> columns = new ArrayList<>();
        for (String column : List.of("a", "b", "c", "d", "s", "u")) {
            int at = columns.size();
            ColumnModel.Place place = at < partition
                    ? ColumnModel.Place.PARTITION_KEY
                    : at < partition + clustering ? ColumnModel.Place.CLUSTERING : ColumnModel.Place.REGULAR;
            SqlType type = List.of("s", "u").contains(column) ? TEXT : random.nextInt(4) == 0 ? BIGINT : INT;
            boolean indexed = place == ColumnModel.Place.REGULAR && random.nextInt(4) == 0;
            columns.add(new ColumnModel(column, type, null, place, indexed));
        }
        // A string may be the key, too.
        if (random.nextInt(4) == 0) {
            ColumnModel first = columns.get(0);
            columns.set(0, new ColumnModel("s", TEXT, null, first.place(), false));
            columns.set(4, new ColumnModel("a", INT, null, ColumnModel.Place.REGULAR, random.nextBoolean()));
        }
        List<String> names = columns.stream().map(ColumnModel::name).toList();
        return new TableModel(
                "ks",
                name,
                columns,
                names.subList(0, partition),
                names.subList(partition, partition + clustering),
                random.nextInt(3) == 0);
    }

    private static List<List<@Nullable Object>> rows(Random random, TableModel table) {
        Map<List<@Nullable Object>, List<@Nullable Object>> rows = new LinkedHashMap<>();
        int key = table.partitionKey().size() + table.clustering().size();
        for (int i = random.nextInt(14); i > 0; i--) {
            List<@Nullable Object> row = new ArrayList<>();
            for (ColumnModel column : table.columns()) {
                boolean isNull = row.size() >= key && random.nextInt(5) == 0;
                row.add(isNull ? null : value(random, column));
            }
            rows.put(List.copyOf(row.subList(0, key)), row);
        }
        return List.copyOf(rows.values());
    }

    private static Object value(Random random, ColumnModel column) {
        int number = random.nextInt(5);
        return column.isString()
                ? "xyzXY".substring(number, number + 1)
                : column.type().equals(INT) ? (Object) number : (Object) (long) number;
    }

    List<TableModel> all() {
        return List.copyOf(tables.values());
    }

    List<List<@Nullable Object>> rows(String table) {
        return rows.get(table);
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
