package dev.cassidy.jdbc.run;

import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import dev.cassidy.cql.WriteModeException;
import dev.cassidy.definition.Reservations;
import dev.cassidy.definition.Twin;
import dev.cassidy.definition.UniqueKey;
import dev.cassidy.insert.CqlInsert;
import dev.cassidy.insert.CqlLiteral;
import dev.cassidy.insert.Identifiers;
import dev.cassidy.insert.Kind;
import dev.cassidy.insert.MarkedSelect;
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
import java.util.Collections;
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
     * @param text with a marker for each column of the key that was added, and for each value of {@code key}
     * @param markers where the value of each comes from, in order
     */
    private record Shape(CqlInsert.Table table, UniqueKey key, String text, List<Marker> markers) {}

    /**
     * The value of a marker.
     *
     * @param given which parameter of the script it is; {@link Binder#AT_COMMIT} for none
     * @param literal that stood in its place; null if none did
     * @param value the column of the UNIQUE that is compared with it; null if none is
     * @param added the column of the key that was added; null if none was
     */
    private record Marker(
            int given,
            @Nullable CqlLiteral literal,
            @Nullable String value,
            @Nullable String added) {}

    /** Returns whether a statement names its row by a value. */
    boolean namesByValue(TsqlStep.Cql step) {
        return shape(step).isPresent();
    }

    /** Returns the statement as it is sent, for whoever describes or prepares it; the same if it names no row by a value. */
    TsqlStep.Cql described(TsqlStep.Cql step) {
        return shape(step)
                .map(shape -> step.withText(
                        shape.text(),
                        shape.markers().stream().map(Marker::given).toList()))
                .orElse(step);
    }

    /**
     * A statement with its parameters.
     *
     * @param row the one that has the value; null if none has, or if the statement names none by a value
     */
    record Named(
            TsqlStep.Cql step,
            List<@Nullable Parameter> parameters,
            @Nullable RowImage row) {}

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
            return new Named(step, parameters, null);
        }
        List<@Nullable Parameter> all = new ArrayList<>(parameters);
        List<Integer> markers = new ArrayList<>();
        Map<String, Integer> values = new HashMap<>();
        for (Marker marker : shape.markers()) {
            markers.add(marker.literal() == null ? marker.given() : all.size());
            if (marker.literal() != null) {
                all.add(new Parameter(marker.literal(), null));
            }
            if (marker.value() != null) {
                values.put(marker.value(), markers.get(markers.size() - 1));
            }
        }
        Overlay.Table table = rows.table(writes);
        UniqueValue value = table.uniques().of(shape.key(), values(shape, values, all));
        RowImage row = row(shape, table, value, step.reads(), overlay);
        for (int i = 0; i < markers.size(); i++) {
            Marker marker = shape.markers().get(i);
            String column = marker.added() == null ? marker.value() : marker.added();
            if (marker.added() != null || (marker.value() != null && row != null)) {
                markers.set(i, all.size());
                all.add(ExactStatement.bindable(
                        row == null ? ANY.get(table.types().get(column)) : row.value(Objects.requireNonNull(column))));
            }
        }
        return new Named(step.withText(shape.text(), markers), all, row);
    }

    // ---- the row

    private @Nullable RowImage row(
            Shape shape, Overlay.Table table, UniqueValue value, boolean reads, @Nullable Overlay overlay)
            throws SQLException {
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

    /**
     * Returns the values that the statement compares, as the driver's codecs give them.
     *
     * @param given the parameter of each column
     */
    private List<@Nullable Object> values(Shape shape, Map<String, Integer> given, List<@Nullable Parameter> parameters)
            throws SQLException {
        StringBuilder query = new StringBuilder("SELECT * FROM ")
                .append(
                        shape.table().keyspace() == null
                                ? ""
                                : Identifiers.toCql(shape.table().keyspace()) + ".")
                .append(Identifiers.toCql(shape.table().name()));
        List<Integer> markers = new ArrayList<>();
        String separator = " WHERE ";
        for (String column : shape.key().columns()) {
            query.append(separator).append(Identifiers.toCql(column)).append(" = ?");
            markers.add(Objects.requireNonNull(given.get(column)));
            separator = " AND ";
        }
        // It is never sent: it says of which types the values are.
        BoundStatement bound = (BoundStatement) binder.bind(
                session.plain(), new Binder.Unbound(query + " ALLOW FILTERING", markers, false), parameters);
        List<@Nullable Object> values = new ArrayList<>();
        for (int i = 0; i < markers.size(); i++) {
            values.add(bound.isNull(i) ? null : bound.getObject(i));
        }
        return values;
    }

    // ---- the statement

    private Optional<Shape> shape(TsqlStep.Cql step) {
        boolean selects = step.keyword().equals("SELECT");
        boolean changes = step.writesRows() && !step.keyword().equals("INSERT");
        if (tables.areNoneUnique() || step.rows().isPresent() || !(selects || changes)) {
            return Optional.empty();
        }
        CqlInsert.Table named = selects
                ? session.statements()
                        .marked(step.text(), step.parameters())
                        .map(MarkedSelect::table)
                        .orElse(null)
                : session.statements()
                        .write(step.text(), step.parameters())
                        .filter(write -> !write.isConditional())
                        .map(write -> new CqlInsert.Table(write.keyspace().orElse(null), write.table()))
                        .orElse(null);
        if (named == null) {
            return Optional.empty();
        }
        List<UniqueKey> keys = selects ? tables.uniqueKeysForReads(named) : tables.uniqueKeys(named);
        List<RowConditions.Condition> where = keys.isEmpty()
                ? List.of()
                : RowConditions.of(step.text()).map(RowConditions::where).orElse(List.of());
        if (where.isEmpty()) {
            return Optional.empty();
        }
        Compared compared = Compared.of(step.text());
        List<String> key = tables.key(named);
        List<String> added = key.stream()
                .filter(column -> !compared.values().containsKey(Twin.original(column)))
                .toList();
        // The server takes one condition of a column of the key.
        boolean isTwice = where.stream().anyMatch(each -> added.contains(each.column()));
        return added.isEmpty() || isTwice
                ? Optional.empty()
                : keys.stream()
                        .filter(each -> each.reservations().complete()
                                // It would find what the collation takes for equal.
                                && Collections.disjoint(each.columns(), step.comparedByBytes())
                                && compared.values().keySet().containsAll(each.columns()))
                        .findFirst()
                        .map(each -> shape(step, named, each, compared, added));
    }

    private static Shape shape(
            TsqlStep.Cql step, CqlInsert.Table table, UniqueKey key, Compared compared, List<String> added) {
        Tokens tokens = compared.tokens();
        StringBuilder text = new StringBuilder();
        List<Marker> markers = new ArrayList<>();
        int copied = 0;
        int given = 0;
        for (int token = 0; !tokens.isEnd(token); token++) {
            Value value = compared.at(token, key);
            if (value != null && value.literal() != null) {
                text.append(step.text(), copied, tokens.start(token)).append('?');
                copied = tokens.end(value.end() - 1);
                markers.add(new Marker(Binder.AT_COMMIT, value.literal(), value.column(), null));
            } else if (tokens.kind(token) == Kind.MARKER) {
                markers.add(
                        new Marker(step.parameters().get(given++), null, value == null ? null : value.column(), null));
            } else if (token == compared.where()) {
                text.append(step.text(), copied, tokens.end(token));
                copied = tokens.end(token);
                for (String column : added) {
                    text.append(' ').append(Identifiers.toCql(column)).append(" = ? AND");
                    markers.add(new Marker(Binder.AT_COMMIT, null, null, column));
                }
            }
        }
        return new Shape(table, key, text.append(step.text().substring(copied)).toString(), markers);
    }

    /**
     * A value that WHERE compares a column with.
     *
     * @param first its token
     * @param end the token after it
     * @param literal null for a marker
     */
    private record Value(
            String column, int first, int end, @Nullable CqlLiteral literal) {}

    /**
     * The columns that WHERE compares with one value each, by =, and that AND joins.
     *
     * @param where its token
     */
    private record Compared(Tokens tokens, int where, Map<String, Value> values) {

        static Compared of(String cql) {
            Tokens tokens = new Tokens(cql, Scanner.Language.CQL);
            int where = 0;
            while (!tokens.isEnd(where) && !tokens.isWord(where, "where")) {
                where = tokens.afterClosing(where);
            }
            Map<String, Value> values = new HashMap<>();
            Set<String> twice = new HashSet<>();
            for (int token = where + 1;
                    !tokens.isEnd(token) && !tokens.isEnd(where);
                    token = tokens.afterClosing(token)) {
                boolean begins = token == where + 1 || tokens.isWord(token - 1, "and");
                Value value = begins ? value(tokens, token) : null;
                if (value != null && values.put(value.column(), value) != null) {
                    twice.add(value.column());
                }
            }
            values.keySet().removeAll(twice);
            return new Compared(tokens, where, values);
        }

        private static @Nullable Value value(Tokens tokens, int token) {
            if (!tokens.kind(token).isName() || !tokens.isSymbol(token + 1, '=')) {
                return null;
            }
            int first = token + 2;
            int end = tokens.isSymbol(first, '-') ? first + 2 : first + 1;
            Kind kind = tokens.kind(end - 1);
            CqlLiteral literal = kind == Kind.STRING || kind == Kind.NUMBER
                    ? CqlLiteral.read(tokens.text.substring(tokens.start(first), tokens.end(end - 1)))
                    : null;
            boolean ends = tokens.isEnd(end)
                    || tokens.isSymbol(end, ';')
                    || tokens.isAnyWord(end, "and", "order", "limit", "group", "per", "allow");
            return ends && (kind == Kind.MARKER || literal != null)
                    // What a twin is compared with is the value of its column.
                    ? new Value(Twin.original(Identifiers.toInternal(tokens.cqlName(token))), first, end, literal)
                    : null;
        }

        /** Returns the value of a column of a key that begins at a token; null if none does. */
        @Nullable
        Value at(int token, UniqueKey key) {
            for (String column : key.columns()) {
                Value value = values.get(column);
                if (value != null && value.first() == token) {
                    return value;
                }
            }
            return null;
        }
    }
}
