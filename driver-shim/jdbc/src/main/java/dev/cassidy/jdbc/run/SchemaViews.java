package dev.cassidy.jdbc.run;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.metadata.schema.KeyspaceMetadata;
import com.datastax.oss.driver.api.core.type.DataTypes;
import dev.cassidy.cql.IdentitySession;
import dev.cassidy.definition.SqlType;
import dev.cassidy.jdbc.error.SqlServerErrors;
import dev.cassidy.jdbc.error.Unserved;
import dev.cassidy.jdbc.session.ConnectionSettings;
import dev.cassidy.jdbc.session.SharedSession;
import dev.cassidy.jdbc.value.Column;
import dev.cassidy.jdbc.value.DeclaredType;
import dev.cassidy.jdbc.value.LikePattern;
import dev.cassidy.jdbc.value.MetaRows;
import dev.cassidy.jdbc.value.Parameter;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.cassandra.SequenceState;
import dev.cassidy.tsql.SchemaQuery;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The views of INFORMATION_SCHEMA. They show the keyspace in use, or those that a condition names as schemas; {@code dbo} is the
 * keyspace in use.
 */
final class SchemaViews {

    private static final Set<String> SCHEMA_COLUMNS = Set.of("TABLE_SCHEMA", "CONSTRAINT_SCHEMA", "SEQUENCE_SCHEMA");

    private static final int COMPATIBILITY_LEVEL = ConnectionSettings.SQL_SERVER_MAJOR * 10;

    private final SharedSession session;
    private final CatalogTables tables;

    SchemaViews(SharedSession session) {
        this.session = session;
        this.tables = new CatalogTables(session);
    }

    /** Returns the columns of a query's result. */
    List<Column> columns(SchemaQuery query) throws SQLException {
        List<Column> all = view(query.view()).columns();
        if (query.items().isEmpty()) {
            return all;
        }
        List<Column> columns = new ArrayList<>();
        for (SchemaQuery.Item item : query.items()) {
            columns.add(
                    item.column() == null
                            ? Column.of(item.label(), DataTypes.INT)
                            : Column.of(
                                    item.label(),
                                    all.get(index(all, item.column())).type()));
        }
        return columns;
    }

    /** Answers a query. */
    Cursor rows(SchemaQuery query, List<@Nullable Parameter> parameters) throws SQLException {
        Map<String, List<String>> wanted = new LinkedHashMap<>();
        for (SchemaQuery.Condition condition : query.conditions()) {
            List<String> values = new ArrayList<>();
            for (SchemaQuery.Value value : condition.values()) {
                if (value.equals(SchemaQuery.Value.KEYSPACE)) {
                    session.plain().getKeyspace().ifPresent(keyspace -> values.add(keyspace.asInternal()));
                } else if (value.parameter() < 0) {
                    values.add(value.literal());
                } else {
                    Object given = Guards.set(value.parameter(), parameters).value();
                    if (given != null) {
                        values.add(given.toString());
                    }
                }
            }
            wanted.merge(condition.column(), values, (before, more) -> before.stream()
                    .filter(each -> more.stream().anyMatch(other -> isSame(each, other)))
                    .toList());
        }
        MetaRows view = view(query.view());
        if (query.view().equals("DATABASES")) {
            for (CqlIdentifier keyspace :
                    session.plain().getMetadata().getKeyspaces().keySet()) {
                view.add(keyspace.asInternal(), COMPATIBILITY_LEVEL);
            }
            return new Cursor.Listed(columns(query), selected(query, view, wanted));
        }
        for (Map.Entry<KeyspaceMetadata, String> schema : schemas(wanted).entrySet()) {
            fill(query.view(), view, schema.getKey(), schema.getValue(), wanted.get("TABLE_NAME"));
        }
        return new Cursor.Listed(columns(query), selected(query, view, wanted));
    }

    private static List<List<@Nullable Object>> selected(
            SchemaQuery query, MetaRows view, Map<String, List<String>> wanted) throws SQLException {
        List<Column> all = view.columns();
        List<List<@Nullable Object>> rows = new ArrayList<>(view.rows());
        for (Map.Entry<String, List<String>> condition : wanted.entrySet()) {
            int column = index(all, condition.getKey());
            rows.removeIf(row -> condition.getValue().stream()
                    .noneMatch(value -> row.get(column) != null && isSame(String.valueOf(row.get(column)), value)));
        }
        for (int i = query.order().size() - 1; i >= 0; i--) {
            int column = index(all, query.order().get(i).column());
            Comparator<List<@Nullable Object>> ascending = Comparator.comparing(
                    (List<@Nullable Object> row) -> row.get(column), Comparator.nullsFirst(SchemaViews::compare));
            rows.sort(query.order().get(i).descending() ? ascending.reversed() : ascending);
        }
        if (query.limit() >= 0 && query.limit() < rows.size()) {
            rows = rows.subList(0, query.limit());
        }
        if (query.items().isEmpty()) {
            return rows;
        }
        List<List<@Nullable Object>> selected = new ArrayList<>();
        if (query.items().stream().anyMatch(SchemaQuery.Item::counts)) {
            if (query.items().size() > 1) {
                throw Unserved.feature("COUNT(*) beside columns of INFORMATION_SCHEMA is not served: select it alone");
            }
            selected.add(List.of(rows.size()));
            return selected;
        }
        for (List<@Nullable Object> row : rows) {
            List<@Nullable Object> values = new ArrayList<>();
            for (SchemaQuery.Item item : query.items()) {
                values.add(item.column() == null ? item.number() : row.get(index(all, String.valueOf(item.column()))));
            }
            selected.add(values);
        }
        return selected;
    }

    private static int compare(Object left, Object right) {
        return left instanceof Number first && right instanceof Number second
                ? Long.compare(first.longValue(), second.longValue())
                : left.toString().compareToIgnoreCase(right.toString());
    }

    /** As SQL Server's default collation compares. */
    private static boolean isSame(String left, String right) {
        return left.stripTrailing().equalsIgnoreCase(right.stripTrailing());
    }

    private static int index(List<Column> columns, String name) throws SQLException {
        for (int i = 0; i < columns.size(); i++) {
            if (columns.get(i).label().equals(name)) {
                return i;
            }
        }
        throw SqlServerErrors.noColumn("Invalid column name '" + name + "'; the columns of this view are "
                + String.join(", ", columns.stream().map(Column::label).toList()));
    }

    /** Returns the keyspaces that are shown, and the name by which each is. */
    private Map<KeyspaceMetadata, String> schemas(Map<String, List<String>> wanted) {
        Map<KeyspaceMetadata, String> schemas = new LinkedHashMap<>();
        boolean named = false;
        for (String column : SCHEMA_COLUMNS) {
            for (String schema : wanted.getOrDefault(column, List.of())) {
                tables.keyspace(schema).ifPresent(keyspace -> schemas.putIfAbsent(keyspace, schema));
            }
            named |= wanted.containsKey(column);
        }
        if (!named) {
            tables.keyspace(null)
                    .ifPresent(
                            keyspace -> schemas.put(keyspace, keyspace.getName().asInternal()));
        }
        return schemas;
    }

    private static MetaRows view(String name) throws SQLException {
        return switch (name) {
            case "DATABASES" -> new MetaRows("NAME", "COMPATIBILITY_LEVEL int");
            case "TABLES" -> new MetaRows("TABLE_CATALOG", "TABLE_SCHEMA", "TABLE_NAME", "TABLE_TYPE");
            case "COLUMNS" ->
                new MetaRows(
                        "TABLE_CATALOG",
                        "TABLE_SCHEMA",
                        "TABLE_NAME",
                        "COLUMN_NAME",
                        "ORDINAL_POSITION int",
                        "COLUMN_DEFAULT",
                        "IS_NULLABLE",
                        "DATA_TYPE",
                        "CHARACTER_MAXIMUM_LENGTH int",
                        "CHARACTER_OCTET_LENGTH int",
                        "NUMERIC_PRECISION smallint",
                        "NUMERIC_PRECISION_RADIX smallint",
                        "NUMERIC_SCALE int",
                        "DATETIME_PRECISION smallint",
                        "CHARACTER_SET_CATALOG",
                        "CHARACTER_SET_SCHEMA",
                        "CHARACTER_SET_NAME",
                        "COLLATION_CATALOG",
                        "COLLATION_SCHEMA",
                        "COLLATION_NAME",
                        "DOMAIN_CATALOG",
                        "DOMAIN_SCHEMA",
                        "DOMAIN_NAME");
            case "TABLE_CONSTRAINTS" ->
                new MetaRows(
                        "CONSTRAINT_CATALOG",
                        "CONSTRAINT_SCHEMA",
                        "CONSTRAINT_NAME",
                        "TABLE_CATALOG",
                        "TABLE_SCHEMA",
                        "TABLE_NAME",
                        "CONSTRAINT_TYPE",
                        "IS_DEFERRABLE",
                        "INITIALLY_DEFERRED");
            case "KEY_COLUMN_USAGE" ->
                new MetaRows(
                        "CONSTRAINT_CATALOG",
                        "CONSTRAINT_SCHEMA",
                        "CONSTRAINT_NAME",
                        "TABLE_CATALOG",
                        "TABLE_SCHEMA",
                        "TABLE_NAME",
                        "COLUMN_NAME",
                        "ORDINAL_POSITION int");
            case "SEQUENCES" ->
                new MetaRows(
                        "SEQUENCE_CATALOG",
                        "SEQUENCE_SCHEMA",
                        "SEQUENCE_NAME",
                        "DATA_TYPE",
                        "START_VALUE bigint",
                        "MINIMUM_VALUE bigint",
                        "MAXIMUM_VALUE bigint",
                        "INCREMENT bigint");
            default ->
                throw Unserved.feature("INFORMATION_SCHEMA." + name + " is not served: TABLES, COLUMNS,"
                        + " TABLE_CONSTRAINTS, KEY_COLUMN_USAGE and SEQUENCES are; others find nothing in Cassandra");
        };
    }

    private void fill(
            String view, MetaRows rows, KeyspaceMetadata keyspace, String schema, @Nullable List<String> names)
            throws SQLException {
        if (view.equals("SEQUENCES")) {
            sequences(rows, keyspace.getName(), schema);
            return;
        }
        String pattern = names != null && names.size() == 1 ? LikePattern.escaped(names.get(0)) : null;
        String catalog = keyspace.getName().asInternal();
        for (CatalogTable table : tables.in(keyspace, pattern)) {
            switch (view) {
                case "TABLES" -> rows.add(catalog, schema, table.name(), table.isView() ? "VIEW" : "BASE TABLE");
                case "COLUMNS" -> {
                    for (CatalogTable.Shown column : table.columns()) {
                        rows.add(row(catalog, schema, table, column));
                    }
                }
                case "TABLE_CONSTRAINTS" -> {
                    for (CatalogTable.Constraint each : table.constraints()) {
                        rows.add(catalog, schema, each.name(), catalog, schema, table.name(), each.kind(), "NO", "NO");
                    }
                }
                default -> {
                    for (CatalogTable.Constraint each : table.constraints()) {
                        int position = 1;
                        for (String column : each.kind().equals("CHECK") ? List.<String>of() : each.columns()) {
                            rows.add(catalog, schema, each.name(), catalog, schema, table.name(), column, position++);
                        }
                    }
                }
            }
        }
    }

    private static @Nullable Object[] row(
            String catalog, String schema, CatalogTable table, CatalogTable.Shown column) {
        DeclaredType type = column.type();
        DeclaredType number = type != null && type.isNumber() ? type : null;
        return new @Nullable Object[] {
            catalog,
            schema,
            table.name(),
            column.label(),
            column.position(),
            column.defaultValue(),
            column.required() ? "NO" : "YES",
            column.typeName(),
            length(type, false),
            length(type, true),
            number == null ? null : Short.valueOf((short) number.bitsOrDigits()),
            number == null ? null : Short.valueOf((short) (number.isApproximate() ? 2 : 10)),
            number == null ? null : number.digits(),
            type == null || !type.isTime()
                    ? null
                    : Short.valueOf((short) type.type().scale()),
            null,
            null,
            characterSet(type),
            null,
            null,
            column.collation(),
            null,
            null,
            null
        };
    }

    /** Returns the length of a text or binary, in bytes or in characters; null for other types. */
    private static @Nullable Integer length(@Nullable DeclaredType type, boolean inBytes) {
        Integer octets = type == null ? null : type.octets();
        if (type == null || octets == null) {
            return null;
        }
        if (type.bytes() == SqlType.MAX) {
            return SqlType.MAX;
        }
        return inBytes ? octets : Integer.valueOf(type.size());
    }

    private static @Nullable String characterSet(@Nullable DeclaredType type) {
        if (type == null || !type.isText()) {
            return null;
        }
        return type.isUnicode() ? "UNICODE" : "iso_1";
    }

    private void sequences(MetaRows rows, CqlIdentifier keyspace, String schema) throws SQLException {
        String prefix = keyspace.asInternal() + ".";
        if (session.writing() instanceof IdentitySession identities) {
            for (SequenceState state : identities.sequences().admin().list()) {
                SequenceSpec spec = state.spec();
                if (!state.dropped() && spec.name().startsWith(prefix)) {
                    rows.add(
                            null,
                            schema,
                            spec.name().substring(prefix.length()),
                            spec.type().name().toLowerCase(Locale.ROOT),
                            spec.start(),
                            spec.minimum(),
                            spec.maximum(),
                            spec.increment());
                }
            }
        }
    }
}
