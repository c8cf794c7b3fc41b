package dev.cassidy.jdbc.run;

import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import dev.cassidy.cql.WriteModeException;
import dev.cassidy.definition.Reservations;
import dev.cassidy.definition.UniqueKey;
import dev.cassidy.insert.CqlInsert;
import dev.cassidy.insert.CqlLiteral;
import dev.cassidy.insert.CqlWrite;
import dev.cassidy.insert.Identifiers;
import dev.cassidy.insert.Kind;
import dev.cassidy.insert.MarkedSelect;
import dev.cassidy.insert.ParameterizedStatement;
import dev.cassidy.insert.RowConditions;
import dev.cassidy.insert.Scanner;
import dev.cassidy.insert.Tokens;
import dev.cassidy.jdbc.overlay.Overlay;
import dev.cassidy.jdbc.overlay.RowImage;
import dev.cassidy.jdbc.overlay.UniqueValue;
import dev.cassidy.jdbc.session.SharedSession;
import dev.cassidy.jdbc.session.Tables;
import dev.cassidy.jdbc.value.Parameter;
import dev.cassidy.table.TableWrites;
import dev.cassidy.tsql.TsqlStep;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.sql.SQLException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Makes of a statement that names its row by a UNIQUE value one that names it by its key, which the reservation of the value has. The
 * value itself stays a condition, as the row has it: as the collation compares them, the two may be written differently.
 */
final class UniqueLookups {

    /** How often a row is looked for that others move. */
    private static final int MAX_TRIES = 5;

    /** Values of a key with which a row is looked for that is not there. */
    private static final Map<DataType, Object> ANY = Map.ofEntries(
            Map.entry(DataTypes.INT, 0),
            Map.entry(DataTypes.BIGINT, 0L),
            Map.entry(DataTypes.SMALLINT, (short) 0),
            Map.entry(DataTypes.TINYINT, (byte) 0),
            Map.entry(DataTypes.TEXT, "0"),
            Map.entry(DataTypes.ASCII, "0"),
            Map.entry(DataTypes.UUID, new UUID(0, 0)),
            Map.entry(DataTypes.TIMEUUID, new UUID(0x1000, 0)),
            Map.entry(DataTypes.DECIMAL, BigDecimal.ZERO),
            Map.entry(DataTypes.VARINT, BigInteger.ZERO),
            Map.entry(DataTypes.DOUBLE, 0.0),
            Map.entry(DataTypes.FLOAT, 0.0f),
            Map.entry(DataTypes.BOOLEAN, false),
            Map.entry(DataTypes.TIMESTAMP, Instant.EPOCH),
            Map.entry(DataTypes.DATE, LocalDate.EPOCH),
            Map.entry(DataTypes.TIME, LocalTime.MIDNIGHT),
            Map.entry(DataTypes.BLOB, ByteBuffer.wrap(new byte[1])));

    private final SharedSession session;
    private final Tables tables;
    private final Binder binder;
    private final ExactRows rows;

    UniqueLookups(SharedSession session, Tables tables, Binder binder, ExactRows rows) {
        this.session = session;
        this.tables = tables;
        this.binder = binder;
        this.rows = rows;
    }

    /**
     * A statement by key.
     *
     * @param marked the statement with a marker for each literal
     * @param text the same, with the key
     * @param added the columns of the key that were added to WHERE, and {@code first} the marker of the first of them
     * @param values the marker in {@code marked} of each column of {@code key}
     */
    private record Shape(
            CqlInsert.Table table,
            UniqueKey key,
            ParameterizedStatement marked,
            String text,
            List<String> added,
            int first,
            Map<String, Integer> values) {}

    /** Returns the statement as it is sent, for whoever describes or prepares it; the same if it names no row by a value. */
    TsqlStep.Cql described(TsqlStep.Cql step) {
        Shape shape = shape(step).orElse(null);
        if (shape == null) {
            return step;
        }
        List<Integer> markers = new ArrayList<>();
        for (ParameterizedStatement.Term term : shape.marked().terms()) {
            markers.add(term.literal() == null ? step.parameters().get(term.marker()) : Binder.AT_COMMIT);
        }
        for (int i = 0; i < shape.added().size(); i++) {
            markers.add(shape.first(), Binder.AT_COMMIT);
        }
        return step.withText(shape.text(), markers);
    }

    /** A statement with its parameters. */
    record Named(TsqlStep.Cql step, List<@Nullable Parameter> parameters) {}

    /**
     * Returns the statement by the key of its row; as it is if it names no row by a value.
     *
     * @param overlay of an open transaction; null if there is none
     */
    Named named(TsqlStep.Cql step, List<@Nullable Parameter> parameters, @Nullable Overlay overlay)
            throws SQLException {
        Shape shape = shape(step).orElse(null);
        TableWrites writes = shape == null
                ? null
                : TableMode.of(
                                session,
                                tables,
                                Optional.ofNullable(shape.table().keyspace()),
                                shape.table().name())
                        .orElse(null);
        if (shape == null || writes == null) {
            return new Named(step, parameters);
        }
        List<@Nullable Parameter> all = new ArrayList<>(parameters);
        List<Integer> markers = new ArrayList<>();
        for (ParameterizedStatement.Term term : shape.marked().terms()) {
            CqlLiteral literal = term.literal();
            markers.add(literal == null ? step.parameters().get(term.marker()) : all.size());
            if (literal != null) {
                all.add(new Parameter(literal, null));
            }
        }
        Overlay.Table table = rows.table(writes);
        RowImage row = row(shape, table, markers, all, step.reads(), overlay);
        if (row != null) {
            for (String column : shape.key().columns()) {
                markers.set(Objects.requireNonNull(shape.values().get(column)), all.size());
                all.add(ExactStatement.bindable(row.value(column)));
            }
        }
        for (int i = 0; i < shape.added().size(); i++) {
            String column = shape.added().get(i);
            markers.add(shape.first() + i, all.size());
            all.add(ExactStatement.bindable(row == null ? ANY.get(table.types().get(column)) : row.value(column)));
        }
        return new Named(step.withText(shape.text(), markers), all);
    }

    // ---- the row

    private @Nullable RowImage row(
            Shape shape,
            Overlay.Table table,
            List<Integer> markers,
            List<@Nullable Parameter> parameters,
            boolean reads,
            @Nullable Overlay overlay)
            throws SQLException {
        UniqueValue value = table.uniques().of(shape.key(), values(shape, markers, parameters));
        for (int tries = 0; tries < MAX_TRIES; tries++) {
            if (overlay != null) {
                for (List<Object> holder : overlay.holders(value)) {
                    return overlay.find(table.writes(), holder).orElseThrow().now();
                }
            }
            RowImage reservation =
                    standing(Uniques.reservations(table.writes(), shape.key()), List.of(value.bytes()), reads);
            if (reservation == null) {
                return null;
            }
            List<Object> key =
                    table.uniques().rowOf((ByteBuffer) Objects.requireNonNull(reservation.value(Reservations.ROW)));
            if (overlay != null
                    && overlay.find(table.writes(), table.named(key))
                            .filter(written -> !written.isRead())
                            .isPresent()) {
                // It has another value now, or is deleted.
                return null;
            }
            RowImage row = standing(table.writes(), key, reads);
            if (row != null && table.uniques().of(row).contains(value)) {
                return row;
            }
        }
        return null;
    }

    /** A query needs no connection to the nodes that decide: it shows what its own have. */
    private @Nullable RowImage standing(TableWrites writes, List<Object> key, boolean reads) throws SQLException {
        try {
            return rows.standing(writes, key);
        } catch (WriteModeException e) {
            if (!reads) {
                throw e;
            }
            return rows.seen(writes, key);
        }
    }

    /** Returns the values that the statement compares, as the driver's codecs give them. */
    private List<@Nullable Object> values(Shape shape, List<Integer> markers, List<@Nullable Parameter> parameters)
            throws SQLException {
        StringBuilder query = new StringBuilder("SELECT * FROM ")
                .append(
                        shape.table().keyspace() == null
                                ? ""
                                : Identifiers.toCql(shape.table().keyspace()) + ".")
                .append(Identifiers.toCql(shape.table().name()));
        List<Integer> given = new ArrayList<>();
        String separator = " WHERE ";
        for (String column : shape.key().columns()) {
            query.append(separator).append(Identifiers.toCql(column)).append(" = ?");
            given.add(markers.get(Objects.requireNonNull(shape.values().get(column))));
            separator = " AND ";
        }
        // It is never sent: it says of which types the values are.
        BoundStatement bound = (BoundStatement)
                binder.bind(session.plain(), new Binder.Unbound(query + " ALLOW FILTERING", given, false), parameters);
        List<@Nullable Object> values = new ArrayList<>();
        for (int i = 0; i < given.size(); i++) {
            values.add(bound.isNull(i) ? null : bound.getObject(i));
        }
        return values;
    }

    // ---- the statement

    private Optional<Shape> shape(TsqlStep.Cql step) {
        if (step.rows().isPresent() || !(step.keyword().equals("SELECT") || step.writesRows())) {
            return Optional.empty();
        }
        CqlInsert.Table named = step.keyword().equals("SELECT")
                ? session.statements()
                        .marked(step.text(), step.parameters())
                        .map(MarkedSelect::table)
                        .orElse(null)
                : session.statements()
                        .write(step.text(), step.parameters())
                        .filter(write -> !write.isConditional())
                        .map(UniqueLookups::table)
                        .orElse(null);
        List<UniqueKey> keys = named == null || step.keyword().equals("INSERT")
                ? List.of()
                : tables.uniqueKeys(named, step.keyword().equals("SELECT"));
        if (named == null || keys.isEmpty()) {
            return Optional.empty();
        }
        ParameterizedStatement marked = binder.parameterized(Binder.Unbound.of(step));
        Map<String, Integer> compared = compared(marked.text());
        List<String> key = tables.key(named);
        if (compared.keySet().containsAll(key.subList(0, tables.partition(named)))) {
            return Optional.empty();
        }
        return keys.stream()
                .filter(each -> compared.keySet().containsAll(each.columns()))
                .findFirst()
                .map(each -> shape(named, each, marked, compared, key));
    }

    private static CqlInsert.Table table(CqlWrite write) {
        return new CqlInsert.Table(write.keyspace().orElse(null), write.table());
    }

    private static Shape shape(
            CqlInsert.Table table,
            UniqueKey key,
            ParameterizedStatement marked,
            Map<String, Integer> compared,
            List<String> primaryKey) {
        Tokens tokens = new Tokens(marked.text(), Scanner.Language.CQL);
        int where = 0;
        int markers = 0;
        while (!tokens.isWord(where, "where")) {
            markers += tokens.kind(where) == Kind.MARKER ? 1 : 0;
            where++;
        }
        List<String> added = primaryKey.stream()
                .filter(column -> !compared.containsKey(column))
                .toList();
        StringBuilder text = new StringBuilder(marked.text());
        StringBuilder conditions = new StringBuilder();
        added.forEach(column ->
                conditions.append(' ').append(Identifiers.toCql(column)).append(" = ? AND"));
        text.insert(tokens.end(where), conditions);
        Map<String, Integer> values = new HashMap<>();
        key.columns().forEach(column -> values.put(column, Objects.requireNonNull(compared.get(column))));
        return new Shape(table, key, marked, text.toString(), added, markers, values);
    }

    /** Returns the columns that WHERE compares with one value each, by =, with its marker. */
    private static Map<String, Integer> compared(String cql) {
        Map<String, Integer> compared = new HashMap<>();
        Set<String> twice = new HashSet<>();
        for (RowConditions.Condition each :
                RowConditions.of(cql).map(RowConditions::where).orElse(List.of())) {
            boolean equal = each.operator() == RowConditions.Operator.EQUAL
                    && each.values().get(0) instanceof CqlInsert.Value.Marker;
            if (equal
                    && compared.put(
                                    each.column(),
                                    ((CqlInsert.Value.Marker) each.values().get(0)).index())
                            != null) {
                twice.add(each.column());
            }
        }
        compared.keySet().removeAll(twice);
        return compared;
    }
}
