package dev.cassidy.table;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.type.reflect.GenericType;
import dev.cassidy.definition.ColumnDefinition;
import dev.cassidy.definition.ConstraintDefinition;
import dev.cassidy.definition.Reservations;
import dev.cassidy.definition.SqlType;
import dev.cassidy.definition.TableDefinition;
import dev.cassidy.definition.Twin;
import dev.cassidy.lwt.ConditionalStatements;
import dev.cassidy.lwt.ConditionalStatements.Cas;
import dev.cassidy.sequence.IdentityColumn;
import dev.cassidy.sequence.SequenceException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * How a {@link TableContract} is stored: a row of the table {@code contracts}. What is not declared is an empty text, since
 * null would also mean that a replica lost a column (ADR 4).
 */
final class ContractRow {

    private static final List<String> VALUES = List.of(
            "column_name",
            "sequence",
            "claimed",
            "defaults",
            "mode",
            "home",
            "fresh",
            "changing",
            "drew",
            "table_id",
            "counters",
            "pending",
            "moved_to",
            "moved",
            "move",
            "columns",
            "constraints",
            "small",
            "revision");

    static final String COLUMNS = "keyspace_name, table_name, " + String.join(", ", VALUES);

    /** The columns that {@link #draws} and {@link #movingTo} read. */
    static final String DRAWING = "column_name, claimed, defaults, moved_to, moved";

    /** The columns that {@link #draws}, {@link #claims}, {@link #rulesByName} and {@link #defined} read. */
    static final String FOREIGN = "column_name, claimed, defaults, mode, table_id, counters";

    static final String WHERE = " WHERE keyspace_name = ? AND table_name = ?";

    /** The one mode that is declared; without it a table is written plainly. */
    private static final String EXACT = "EXACT";

    /** The keys of the columns of a constraint begin so, and end in numbers. */
    private static final String COLUMN = "column.";

    private static final String COLLATION = "collation.";

    private static final GenericType<List<Map<String, String>>> MAPS =
            GenericType.listOf(GenericType.mapOf(String.class, String.class));

    private ContractRow() {}

    static TableContract read(Row row) {
        String keyspace = text(row, "keyspace_name");
        String table = text(row, "table_name");
        String column = text(row, "column_name");
        IdentityColumn identity =
                column.isEmpty() ? null : new IdentityColumn(keyspace, table, column, text(row, "sequence"));
        boolean claimed = row.getBoolean("claimed");
        return new TableContract(
                keyspace,
                table,
                claimed ? null : identity,
                claimed ? identity : null,
                maps(row, "defaults").stream()
                        .map(each -> columnDefault(keyspace, table, each))
                        .toList(),
                writes(row, keyspace, table),
                maps(row, "drew").stream()
                        .map(each ->
                                new IdentityColumn(keyspace, table, value(each, "column"), value(each, "sequence")))
                        .toList(),
                definition(row),
                counters(row),
                row.getBoolean("pending"),
                move(row),
                row.getInt("revision"));
    }

    /** @throws SequenceException.Conflict if the mode is not known: a plain write could be lost, or hide a later one */
    private static @Nullable TableWrites writes(Row row, String keyspace, String table) {
        String mode = text(row, "mode");
        if (mode.isEmpty()) {
            return null;
        }
        if (!mode.equals(EXACT)) {
            throw new SequenceException.Conflict("the contract of table " + keyspace + "." + table
                    + " says that its rows are written '" + mode
                    + "', which this version of Cassidy does not know: it knows '"
                    + EXACT + "' alone. Nothing was written. Use the version that has declared it");
        }
        String fresh = Objects.requireNonNullElse(row.getString("fresh"), "");
        return new TableWrites(
                keyspace,
                table,
                Objects.requireNonNullElse(row.getString("home"), ""),
                fresh.isEmpty() ? null : UUID.fromString(fresh),
                row.getBoolean("changing"));
    }

    /** Returns the table of counters that is declared; null if none is. */
    static @Nullable CounterTable counters(Row row) {
        String kind = text(row, "counters");
        return kind.isEmpty() ? null : new CounterTable(UUID.fromString(text(row, "table_id")), kind);
    }

    /** Looks up what a keyspace's contracts declare of the table of counters that has an id. */
    static CompletionStage<Optional<DeclaredCounters>> counters(
            ConditionalStatements statements, ConsistencyLevel consistency, String keyspace, TableName name, UUID id) {
        return statements
                .peek(
                        consistency,
                        "SELECT table_id, counters, pending FROM " + keyspace + ".contracts" + WHERE,
                        name.keyspace(),
                        name.table())
                .thenApply(rows -> rows.stream()
                        .flatMap(row -> Optional.ofNullable(counters(row))
                                .map(table -> new DeclaredCounters(table, row.getBoolean("pending")))
                                .stream())
                        .filter(declared -> declared.table().id().equals(id))
                        .findFirst());
    }

    private static @Nullable Move move(Row row) {
        String to = text(row, "moved_to");
        return to.isEmpty() ? null : new Move(to, row.getBoolean("moved"), text(row, "move"));
    }

    private static @Nullable TableDefinition definition(Row row) {
        String id = text(row, "table_id");
        // Of counters it is the id alone.
        return id.isEmpty() || !text(row, "counters").isEmpty()
                ? null
                : new TableDefinition(
                        UUID.fromString(id),
                        maps(row, "columns").stream().map(ContractRow::column).toList(),
                        maps(row, "constraints").stream()
                                .map(ContractRow::constraint)
                                .toList(),
                        row.getBoolean("small"));
    }

    /** Returns whether a column of the table takes a sequence's ids. */
    static boolean draws(Row row) {
        return (!text(row, "column_name").isEmpty() && !row.getBoolean("claimed"))
                || maps(row, "defaults").stream()
                        .anyMatch(each -> value(each, "kind").equals(ColumnDefault.Kind.NEXT_VALUE.name()));
    }

    /** Returns whether an identity of the table is claimed, and nothing draws by it yet. */
    static boolean claims(Row row) {
        return !text(row, "column_name").isEmpty() && row.getBoolean("claimed");
    }

    /** Returns whether anything is declared of whatever table has the name, besides its ids. */
    static boolean rulesByName(Row row) {
        return !maps(row, "defaults").isEmpty() || !text(row, "mode").isEmpty();
    }

    /** Returns the id of the one table of which columns are declared. */
    static Optional<UUID> defined(Row row) {
        return text(row, "counters").isEmpty() && !text(row, "table_id").isEmpty()
                ? Optional.of(UUID.fromString(text(row, "table_id")))
                : Optional.empty();
    }

    /** Returns the installation to which the table is being moved; null if it is not. */
    static @Nullable String movingTo(Row row) {
        String to = text(row, "moved_to");
        return to.isEmpty() || row.getBoolean("moved") ? null : to;
    }

    /** Returns the statement that replaces one revision by another. */
    static Cas replace(String table, TableContract before, TableContract after) {
        List<Object> values = new ArrayList<>();
        if (before.revision() == 0) {
            values.add(after.keyspace());
            values.add(after.table());
            values.addAll(values(after));
            return new Cas(
                    "INSERT INTO " + table + " (" + COLUMNS + ") VALUES ("
                            + String.join(", ", Collections.nCopies(values.size(), "?")) + ") IF NOT EXISTS",
                    values);
        }
        values.addAll(values(after));
        values.add(after.keyspace());
        values.add(after.table());
        values.add(before.revision());
        return new Cas(
                "UPDATE " + table + " SET " + String.join(" = ?, ", VALUES) + " = ?" + WHERE + " IF revision = ?",
                values);
    }

    private static List<Object> values(TableContract contract) {
        IdentityColumn claim = contract.claim();
        IdentityColumn identity = claim == null ? contract.identity() : claim;
        TableWrites writes = contract.writes();
        TableDefinition definition = contract.definition();
        CounterTable counters = contract.counters();
        Move move = contract.move();
        return List.of(
                identity == null ? "" : identity.column(),
                identity == null ? "" : identity.sequence(),
                claim != null,
                contract.defaults().stream().map(ContractRow::map).toList(),
                writes == null ? "" : EXACT,
                writes == null ? "" : writes.home(),
                writes == null || writes.fresh() == null ? "" : writes.fresh().toString(),
                writes != null && writes.changing(),
                contract.drew().stream()
                        .map(each -> Map.of("column", each.column(), "sequence", each.sequence()))
                        .toList(),
                definition != null
                        ? definition.id().toString()
                        : counters != null ? counters.id().toString() : "",
                counters == null ? "" : counters.kind(),
                contract.pending(),
                move == null ? "" : move.to(),
                move != null && move.complete(),
                move == null ? "" : move.mark(),
                definition == null
                        ? List.of()
                        : definition.columns().stream().map(ContractRow::map).toList(),
                definition == null
                        ? List.of()
                        : definition.constraints().stream()
                                .map(ContractRow::map)
                                .toList(),
                definition != null && definition.small(),
                contract.revision());
    }

    private static Map<String, String> map(ColumnDefinition each) {
        SqlType type = each.type();
        Map<String, String> map = new HashMap<>();
        map.put("name", each.name());
        map.put("label", each.label());
        map.put("type", type == null ? "" : type.toString());
        map.put("required", String.valueOf(each.required()));
        map.put("collation", each.collation());
        if (each.counted()) {
            map.put("counted", "true");
        }
        Twin twin = each.twin();
        if (twin != null) {
            map.put("twin", twin.collation());
            map.put("folding", String.valueOf(twin.folding()));
            if (!twin.isOfKey()) {
                map.put("place", twin.place().name());
            }
        }
        return map;
    }

    private static ColumnDefinition column(Map<String, String> map) {
        String twin = map.get("twin");
        return new ColumnDefinition(
                value(map, "name"),
                value(map, "label"),
                SqlType.parse(value(map, "type")).orElse(null),
                Boolean.parseBoolean(value(map, "required")),
                value(map, "collation"),
                twin == null
                        ? null
                        : new Twin(
                                twin,
                                Integer.parseInt(value(map, "folding")),
                                Twin.Place.valueOf(map.getOrDefault("place", Twin.Place.KEY.name()))),
                Boolean.parseBoolean(map.getOrDefault("counted", "false")));
    }

    private static Map<String, String> map(ConstraintDefinition each) {
        Map<String, String> map = new HashMap<>();
        map.put("kind", each.kind().name());
        map.put("name", each.name());
        map.put("text", each.text());
        for (int i = 0; i < each.columns().size(); i++) {
            map.put(COLUMN + i, each.columns().get(i));
        }
        Reservations reserved = each.reserved();
        if (reserved != null) {
            map.put("reserved", reserved.table());
            map.put("folding", String.valueOf(reserved.folding()));
            for (int i = 0; i < reserved.collations().size(); i++) {
                map.put(COLLATION + i, reserved.collations().get(i));
            }
            map.put("complete", String.valueOf(reserved.complete()));
        }
        return map;
    }

    private static ConstraintDefinition constraint(Map<String, String> map) {
        List<String> columns = new ArrayList<>();
        for (String column = map.get(COLUMN + 0); column != null; column = map.get(COLUMN + columns.size())) {
            columns.add(column);
        }
        String reserved = map.get("reserved");
        return new ConstraintDefinition(
                ConstraintDefinition.Kind.valueOf(value(map, "kind")),
                value(map, "name"),
                columns,
                value(map, "text"),
                reserved == null
                        ? null
                        : new Reservations(
                                reserved,
                                Integer.parseInt(value(map, "folding")),
                                collations(map, columns.size()),
                                Boolean.parseBoolean(value(map, "complete"))));
    }

    private static List<String> collations(Map<String, String> map, int columns) {
        List<String> collations = new ArrayList<>();
        for (int i = 0; i < columns; i++) {
            collations.add(value(map, COLLATION + i));
        }
        return collations;
    }

    private static Map<String, String> map(ColumnDefault each) {
        return Map.of(
                "column", each.column(),
                "constraint", each.name(),
                "kind", each.kind().name(),
                "value", each.value(),
                "expression", each.expression());
    }

    private static ColumnDefault columnDefault(String keyspace, String table, Map<String, String> map) {
        return new ColumnDefault(
                keyspace,
                table,
                value(map, "column"),
                value(map, "constraint"),
                ColumnDefault.Kind.valueOf(value(map, "kind")),
                value(map, "value"),
                value(map, "expression"));
    }

    private static List<Map<String, String>> maps(Row row, String column) {
        List<Map<String, String>> found = row.get(column, MAPS);
        // Cassandra stores an empty collection as none.
        return found == null ? List.of() : found;
    }

    private static String value(Map<String, String> map, String key) {
        return Objects.requireNonNull(map.get(key), key);
    }

    private static String text(Row row, String column) {
        return Objects.requireNonNull(row.getString(column), column);
    }
}
