package dev.cassidy.assist.eval;

import dev.cassidy.collation.Collation;
import dev.cassidy.definition.SqlType;
import dev.cassidy.jdbc.assist.ColumnModel;
import dev.cassidy.jdbc.assist.ColumnModel.Place;
import dev.cassidy.jdbc.assist.Evaluated;
import dev.cassidy.jdbc.assist.SessionLanguage;
import dev.cassidy.jdbc.assist.TableModel;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import net.sf.jsqlparser.parser.CCJSqlParser;
import net.sf.jsqlparser.parser.ParseException;
import net.sf.jsqlparser.schema.Table;
import net.sf.jsqlparser.statement.select.Select;
import org.jspecify.annotations.Nullable;

/** Tables of a shop, and statements over them. */
final class Shop {

    static final Instant NOW = Instant.parse("2024-02-29T13:14:15.678Z");

    private final Map<String, FedTable> tables = new HashMap<>();

    private Shop() {}

    static Engine engine() {
        return engine(Limits.defaults());
    }

    static Engine engine(Limits limits) {
        return new Engine(() -> NOW, () -> ZoneOffset.ofHours(1), limits);
    }

    /** Returns items, and sales of them: one of an item that does not exist, one of none. */
    static Shop standard() {
        return new Shop()
                .with(
                        "item",
                        Collation.standard(),
                        "id int, name nvarchar(20), price decimal(10,2), qty int, made date, changed datetime, sold bit",
                        row(1, "Tea", "2.50", 10, "2024-01-31", "2024-01-31T10:00:00Z", true),
                        row(2, "tea ", "3.00", 0, "2024-02-01", "2024-02-01T23:59:59.997Z", false),
                        row(3, "Coffee", "7.25", null, null, null, null),
                        row(4, "Milk", null, 7, "2023-12-31", "2023-12-31T00:00:00Z", true))
                .with(
                        "sale",
                        Collation.standard(),
                        "id int, item_id int, amount int, buyer varchar(10)",
                        row(10, 1, 2, "Ann"),
                        row(11, 1, 3, "ann"),
                        row(12, 3, 1, "Bob"),
                        row(13, 99, 4, "Bob"),
                        row(14, null, null, null));
    }

    static Shop empty() {
        return new Shop();
    }

    static @Nullable Object[] row(@Nullable Object... values) {
        return values;
    }

    Shop with(String name, @Nullable Collation collation, String columns, @Nullable Object[]... rows) {
        List<ColumnModel> models = new ArrayList<>();
        for (String each : columns.split(", *(?![0-9])")) {
            int blank = each.indexOf(' ');
            SqlType type = SqlType.parse(each.substring(blank + 1)).orElseThrow();
            ColumnModel model = new ColumnModel(
                    each.substring(0, blank),
                    type,
                    null,
                    models.isEmpty() ? Place.PARTITION_KEY : Place.REGULAR,
                    false);
            models.add(model.isString() ? new ColumnModel(model.name(), type, collation, model.place(), false) : model);
        }
        TableModel model =
                new TableModel("shop", name, models, List.of(models.get(0).name()), List.of(), false);
        List<@Nullable Object[]> converted = new ArrayList<>();
        for (@Nullable Object[] each : rows) {
            @Nullable Object[] row = new @Nullable Object[each.length];
            for (int i = 0; i < row.length; i++) {
                row[i] = value(each[i], models.get(i).type());
            }
            converted.add(row);
        }
        List<String> read = models.stream().map(ColumnModel::name).toList();
        tables.put(name, new FedTable(model, read, converted));
        return this;
    }

    Shop with(FedTable table) {
        tables.put(table.model().name(), table);
        return this;
    }

    FedTable table(String name) {
        return tables.get(name);
    }

    private static @Nullable Object value(@Nullable Object value, SqlType type) {
        if (!(value instanceof String text)) {
            return value;
        }
        return switch (type.name()) {
            case DECIMAL, MONEY -> new BigDecimal(text);
            case DATE -> LocalDate.parse(text);
            case DATETIME, DATETIME2 -> LocalDateTime.ofInstant(Instant.parse(text), ZoneOffset.UTC);
            case UNIQUEIDENTIFIER -> java.util.UUID.fromString(text);
            default -> text;
        };
    }

    /** Dates are read as in us_english. */
    Evaluated evaluate(Engine engine, String sql, @Nullable Object... parameters) {
        return evaluate(engine, SessionLanguage.unset().withOrder(SessionLanguage.Order.MDY), sql, parameters);
    }

    Evaluated evaluate(Engine engine, SessionLanguage language, String sql, @Nullable Object... parameters) {
        Select tree = parse(sql);
        return engine.evaluate(tree, fed(tree), java.util.Arrays.asList(parameters), language);
    }

    /** Evaluates a statement that another thread may end. */
    Evaluated evaluate(Engine engine, Duration time, CompletableFuture<?> stop, String sql) {
        Select tree = parse(sql);
        return engine.evaluate(tree, fed(tree), List.of(), SessionLanguage.unset(), time, stop);
    }

    private IdentityHashMap<Table, FedTable> fed(Select tree) {
        IdentityHashMap<Table, FedTable> fed = new IdentityHashMap<>();
        List<Table> named = new ArrayList<>();
        collect(tree, named, new IdentityHashMap<>());
        for (Table each : named) {
            FedTable table = tables.get(Names.bareOrEmpty(each.getName()).toLowerCase(Locale.ROOT));
            if (table != null) {
                fed.put(each, table);
            }
        }
        return fed;
    }

    /** Returns the rows of a result: values with commas between them, rows with bars. */
    String rows(Engine engine, String sql, @Nullable Object... parameters) {
        return evaluate(engine, sql, parameters).rows().stream()
                .map(row -> java.util.Arrays.stream(row).map(Shop::shown).collect(Collectors.joining(",")))
                .collect(Collectors.joining(" | "));
    }

    static String shown(@Nullable Object value) {
        if (value instanceof byte[] bytes) {
            return java.util.HexFormat.of().formatHex(bytes);
        }
        if (value instanceof BigDecimal decimal) {
            return decimal.toPlainString();
        }
        return value == null ? "NULL" : value.toString();
    }

    static Select parse(String sql) {
        try {
            CCJSqlParser parser = new CCJSqlParser(sql).withSquareBracketQuotation(true);
            Object statement = parser.Statement();
            if (parser.getToken(1).kind != 0) {
                throw new IllegalArgumentException("must be one statement: " + sql);
            }
            return (Select) statement;
        } catch (ParseException e) {
            throw new IllegalArgumentException("must be a SELECT: " + sql, e);
        }
    }

    /** Collects the tables of a tree by its fields, so that none is forgotten. */
    private static void collect(@Nullable Object node, List<Table> tables, Map<Object, Boolean> seen) {
        if (node == null || seen.put(node, true) != null) {
            return;
        }
        if (node instanceof Table table) {
            tables.add(table);
        }
        if (node instanceof Collection<?> all) {
            all.forEach(each -> collect(each, tables, seen));
        }
        if (!node.getClass().getName().startsWith("net.sf.jsqlparser.") || node instanceof Enum<?>) {
            return;
        }
        for (Class<?> type = node.getClass(); type != null && type != Object.class; type = type.getSuperclass()) {
            if (!type.getName().startsWith("net.sf.jsqlparser.")) {
                continue;
            }
            for (Field field : type.getDeclaredFields()) {
                // The tree of the parser leads to the whole text.
                if (Modifier.isStatic(field.getModifiers()) || field.getName().equals("node")) {
                    continue;
                }
                try {
                    field.setAccessible(true);
                    collect(field.get(node), tables, seen);
                } catch (IllegalAccessException e) {
                    throw new AssertionError(e);
                }
            }
        }
    }
}
