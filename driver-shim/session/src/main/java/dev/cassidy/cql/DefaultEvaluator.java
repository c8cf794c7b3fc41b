package dev.cassidy.cql;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import com.datastax.oss.driver.api.core.type.codec.TypeCodec;
import dev.cassidy.cql.IdentityInsertException.Reason;
import dev.cassidy.definition.ColumnDefinition;
import dev.cassidy.definition.RowMark;
import dev.cassidy.definition.TableDefinition;
import dev.cassidy.definition.Twin;
import dev.cassidy.insert.CqlInsert;
import dev.cassidy.insert.Identity;
import dev.cassidy.sequence.IdentityType;
import dev.cassidy.table.ColumnDefault;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Evaluates the defaults of the columns that an insert does not name, in the process that sends it: DEFAULT GETDATE() by this
 * process's clock, NEWID() and NEXT VALUE FOR. A column that the insert names gets no default, whatever the insert gives it: not
 * for NULL, and not for a marker that is left unset. Never blocks.
 */
final class DefaultEvaluator {

    private static final CompletionStage<List<ColumnDefault>> NONE = CompletableFuture.completedFuture(List.of());

    private final CqlSession session;
    private final TableCatalog catalog;
    private final TableShapes tables;
    private final Storing storing;
    private final IdentitySource ids;
    private final InstantSource clock;

    /** How often a default was left out because its column seemed not to exist. */
    private final AtomicLong withoutColumn = new AtomicLong();

    DefaultEvaluator(
            CqlSession session,
            TableCatalog catalog,
            TableShapes tables,
            Storing storing,
            IdentitySource ids,
            InstantSource clock) {
        this.session = session;
        this.catalog = catalog;
        this.tables = tables;
        this.storing = storing;
        this.ids = ids;
        this.clock = clock;
    }

    /** Gives the constants of a table's defaults the form in which the columns store them. */
    interface Storing {

        CompletionStage<List<ColumnDefault>> stored(List<ColumnDefault> defaults);
    }

    /** The time of one statement: that of all its rows. Not safe for use by several threads at the same time. */
    static final class Moment {

        private final InstantSource clock;
        private @Nullable Instant instant;

        private Moment(InstantSource clock) {
            this.clock = clock;
        }

        private synchronized Instant instant() {
            Instant known = instant;
            if (known == null) {
                known = clock.instant();
                instant = known;
            }
            return known;
        }
    }

    /** Begins a statement. */
    Moment moment() {
        return new Moment(clock);
    }

    /** Returns a number that grows with each change of what {@link #of} returns; to be read before it. */
    long generation() {
        return catalog.tables().generation() + withoutColumn.get();
    }

    /**
     * Returns the defaults that an insert's row gets, in the order of their columns, besides that of the table's generated key;
     * none for any other statement.
     *
     * @param keyspace of the statement, null for the session's own
     */
    CompletionStage<List<ColumnDefault>> of(Optional<CqlInsert> recognised, @Nullable String keyspace) {
        if (recognised.isEmpty()) {
            return NONE;
        }
        CqlInsert insert = recognised.get();
        CompletionStage<List<ColumnDefault>> found = catalog.defaults(keyspace, insert.table());
        if (found instanceof CompletableFuture<List<ColumnDefault>> known && known.isDone()) {
            // The usual case, without a stage of its own.
            return !known.isCompletedExceptionally() && known.join().isEmpty() ? NONE : wanted(insert, found);
        }
        return wanted(insert, found);
    }

    private CompletionStage<List<ColumnDefault>> wanted(CqlInsert insert, CompletionStage<List<ColumnDefault>> found) {
        return found.thenCompose(defaults -> {
            if (defaults.isEmpty()) {
                return NONE;
            }
            ColumnDefault first = defaults.get(0);
            if (insert.isJson()) {
                throw new IdentityInsertException(
                        Reason.JSON,
                        "INSERT JSON into " + table(first) + ", whose column " + first.column() + " has the default "
                                + first.expression() + ", is not supported: name the columns and give VALUES (...)");
            }
            refuseTwins(insert, defaults);
            List<ColumnDefault> missing = defaults.stream()
                    .filter(each -> !insert.columns().contains(each.column()))
                    .toList();
            return withoutKey(missing)
                    .thenCompose(left -> left.isEmpty()
                            ? NONE
                            : tables.find(first.keyspace(), first.table()).thenCompose(shape -> {
                                if (shape.isEmpty()) {
                                    return storing.stored(left);
                                }
                                return shape.get().writesStaticsAlone(insert.columns())
                                        ? NONE
                                        : ofColumns(left, shape.get()).thenCompose(storing::stored);
                            }));
        });
    }

    /** What a twin has is made of its column: one that it had otherwise would be found by nobody. */
    private static void refuseTwins(CqlInsert insert, List<ColumnDefault> defaults) {
        for (ColumnDefault each : defaults) {
            if (each.kind() == ColumnDefault.Kind.TWIN && insert.columns().contains(each.column())) {
                throw new WriteModeException(
                        "column " + each.column() + " of table " + table(each) + " is made of column " + each.value()
                                + ", as that is compared, and not to be written: leave it out. Nothing was sent",
                        false);
            }
        }
    }

    /**
     * Returns the defaults whose columns the table has: ALTER TABLE declares a default before it adds the column, and the process
     * that does it may end in between.
     */
    private CompletionStage<List<ColumnDefault>> ofColumns(List<ColumnDefault> defaults, TableShape seen) {
        if (defaults.stream().allMatch(each -> seen.has(each.column()))) {
            return CompletableFuture.completedFuture(defaults);
        }
        // What was prepared without a default must not stay so once the column is there.
        withoutColumn.incrementAndGet();
        ColumnDefault first = defaults.get(0);
        // The driver's view of the schema lags, and a row must not lack a default because of that.
        return tables.findNow(first.keyspace(), first.table()).thenApply(shape -> {
            shape.ifPresent(now -> requireTwins(defaults, now));
            return defaults.stream()
                    .filter(each -> shape.filter(now -> now.has(each.column())).isPresent())
                    .toList();
        });
    }

    /** Unlike a default, a twin is declared when its column is there: a row without it would be found by nobody. */
    private void requireTwins(List<ColumnDefault> defaults, TableShape now) {
        if (!now.has(RowMark.COLUMN)) {
            // The table was made again, as one that is not exact.
            return;
        }
        for (ColumnDefault each : defaults) {
            if (each.kind() == ColumnDefault.Kind.TWIN && !now.has(each.column())) {
                // Its column is there before a twin is declared, and long before that is complete.
                boolean complete = catalog.tables()
                        .cachedDefinition(each.keyspace(), each.table())
                        .map(TableDefinition::twins)
                        .map(twins -> twins.get(each.value()))
                        .filter(Twin::isComplete)
                        .isPresent();
                throw new WriteModeException(
                        "what stands beside column " + each.value() + " of table " + table(each)
                                + ", by which rows are compared by its collation, "
                                + (complete
                                        ? "was dropped by CQL. Nothing was sent: cassidy tables rebuild makes it again"
                                        : "is not seen by this client yet. Nothing was sent: run it again"),
                        !complete);
            }
        }
    }

    /** Returns the defaults without that of the generated key, which is filled as an identity is. */
    private CompletionStage<List<ColumnDefault>> withoutKey(List<ColumnDefault> missing) {
        if (missing.stream().noneMatch(each -> each.kind() == ColumnDefault.Kind.NEXT_VALUE)) {
            return CompletableFuture.completedFuture(missing);
        }
        ColumnDefault first = missing.get(0);
        return catalog.drawn(first.keyspace(), first.table()).thenApply(drawn -> missing.stream()
                .filter(each -> drawn.isEmpty() || !drawn.get(0).column().equals(each.column()))
                .toList());
    }

    static String table(ColumnDefault given) {
        return given.keyspace() + '.' + given.table();
    }

    /** Refuses the BEGIN BATCH whose inserts are into these tables if one of them has defaults. */
    CompletionStage<Void> refuseBatchText(List<CqlInsert.Table> written) {
        CompletionStage<Void> all = CompletableFuture.completedFuture(null);
        for (CqlInsert.Table table : written) {
            all = all.thenCompose(before -> catalog.defaults(table.keyspace(), table.name()))
                    .thenAccept(DefaultEvaluator::refuseWithin);
        }
        return all;
    }

    private static void refuseWithin(List<ColumnDefault> defaults) {
        if (!defaults.isEmpty()) {
            throw new IdentityInsertException(
                    Reason.BATCH_TEXT,
                    "an insert into " + table(defaults.get(0)) + ", whose column "
                            + defaults.get(0).column() + " has the default "
                            + defaults.get(0).expression() + ", within BEGIN BATCH is not supported:"
                            + " send the statements in a BatchStatement");
        }
    }

    // ---- as literals

    private static boolean isConstant(ColumnDefault given) {
        return given.kind() == ColumnDefault.Kind.CONSTANT;
    }

    /** Returns those that have another value for each statement or row. */
    static List<ColumnDefault> generated(List<ColumnDefault> defaults) {
        return defaults.stream().filter(each -> !isConstant(each)).toList();
    }

    /** Returns the insert with the constants, and with a marker for each other default, in their order. */
    static CqlInsert withMarkers(CqlInsert insert, List<ColumnDefault> defaults) {
        return insert.with(defaults.stream()
                .map(each -> new CqlInsert.Added(each.column(), isConstant(each) ? each.value() : "?"))
                .toList());
    }

    /** Returns the insert with all values as literals. */
    CqlInsert withLiterals(CqlInsert insert, List<ColumnDefault> defaults, List<@Nullable Object> generated) {
        List<CqlInsert.Added> added = new ArrayList<>();
        int next = 0;
        for (ColumnDefault each : defaults) {
            added.add(new CqlInsert.Added(
                    each.column(), isConstant(each) ? each.value() : literal(each, generated.get(next++))));
        }
        return insert.with(added);
    }

    private String literal(ColumnDefault given, @Nullable Object value) {
        if (value == null) {
            return "NULL";
        }
        return value instanceof Long number
                ? Long.toString(number)
                : codec(type(given)).format(value);
    }

    private TypeCodec<Object> codec(DataType type) {
        return session.getContext().getCodecRegistry().codecFor(type);
    }

    private static DataType type(ColumnDefault given) {
        if (given.kind() == ColumnDefault.Kind.TWIN) {
            return DataTypes.TEXT;
        }
        return switch (given.value()) {
            case "date" -> DataTypes.DATE;
            case "time" -> DataTypes.TIME;
            case "uuid" -> DataTypes.UUID;
            case "text" -> DataTypes.TEXT;
            default -> DataTypes.TIMESTAMP;
        };
    }

    // ---- values

    /** What a statement gives its markers. */
    interface Given {

        /** Returns null for NULL, and for nothing. */
        @Nullable
        Object of(CqlInsert.Value.Marker marker, String column);
    }

    /**
     * Returns the values of the {@link #generated} ones for one row, null for NULL. One sequence gives a row one value, as in SQL Server.
     *
     * @param insert as its user wrote it
     * @param defaults all that the row gets
     */
    CompletionStage<List<@Nullable Object>> values(
            CqlInsert insert, List<ColumnDefault> defaults, Given given, Moment moment) {
        List<ColumnDefault> generated = generated(defaults);
        Map<String, CompletableFuture<Long>> draws = new HashMap<>();
        for (ColumnDefault each : generated) {
            if (each.kind() == ColumnDefault.Kind.NEXT_VALUE) {
                draws.computeIfAbsent(
                        each.value(), sequence -> ids.drawOne(sequence).toCompletableFuture());
            }
        }
        return CompletableFuture.allOf(draws.values().toArray(CompletableFuture<?>[]::new))
                .thenApply(drawn -> {
                    Map<String, Object> made = new HashMap<>();
                    for (ColumnDefault each : defaults) {
                        switch (each.kind()) {
                            case CONSTANT -> {
                                Object constant = LiteralValues.of(each.value());
                                if (constant != null) {
                                    made.put(each.column(), constant);
                                }
                            }
                            case NOW, NEW_ID -> made.put(each.column(), value(each, moment));
                            case NEXT_VALUE ->
                                made.put(
                                        each.column(),
                                        Objects.requireNonNull(draws.get(each.value()))
                                                .join());
                            case TWIN -> {
                                // Of what the others give the row.
                            }
                        }
                    }
                    List<@Nullable Object> values = new ArrayList<>();
                    for (ColumnDefault each : generated) {
                        values.add(
                                each.kind() == ColumnDefault.Kind.TWIN
                                        ? twin(each, insert, made, given)
                                        : Objects.requireNonNull(made.get(each.column())));
                    }
                    return values;
                });
    }

    /** Returns null for NULL. */
    private @Nullable String twin(ColumnDefault twin, CqlInsert insert, Map<String, Object> made, Given given) {
        String name = twin.value();
        ColumnDefinition column = catalog.tables()
                .cachedDefinition(twin.keyspace(), twin.table())
                .flatMap(known -> known.column(name))
                .filter(known -> known.twin() != null)
                .orElseThrow(() -> new WriteModeException(
                        "table " + table(twin) + " was made again meanwhile: try again. Nothing was sent", true));
        Twin kept = Objects.requireNonNull(column.twin());
        CqlInsert.Value written = insert.value(name).orElse(null);
        Object value = written == null
                ? made.get(name)
                : written instanceof CqlInsert.Value.Marker marker ? given.of(marker, name) : LiteralValues.of(written);
        if (value instanceof String text) {
            return kept.fold(text);
        }
        if (value == null && (written == null || !(written instanceof CqlInsert.Value.Term))) {
            if (!kept.isOfKey()) {
                return null;
            }
            throw new ColumnRule(table(twin), column).refuseNull("INSERT");
        }
        throw new WriteModeException(
                "column " + column.label() + " of table " + table(twin)
                        + (kept.isOfKey() ? " is in the primary key, which is" : " has an index by which rows are")
                        + " compared by its collation, so that the value has to be known before it is sent: give it as a"
                        + " string or a parameter, and not by an expression. Nothing was sent",
                false);
    }

    /** Returns which of the {@link #values} of a row comes from a sequence; null if none does. */
    static @Nullable Long drawn(List<ColumnDefault> generated, List<@Nullable Object> values, String sequence) {
        for (int i = 0; i < values.size(); i++) {
            if (generated.get(i).kind() == ColumnDefault.Kind.NEXT_VALUE
                    && generated.get(i).value().equals(sequence)) {
                return (Long) values.get(i);
            }
        }
        return null;
    }

    private static Object value(ColumnDefault given, Moment moment) {
        if (given.kind() == ColumnDefault.Kind.NEW_ID) {
            UUID id = UUID.randomUUID();
            // SQL Server writes one as text in upper case.
            return given.value().equals("text") ? id.toString().toUpperCase(Locale.ROOT) : id;
        }
        Instant now = moment.instant();
        return switch (given.value()) {
            case "date" -> now.atZone(ZoneId.systemDefault()).toLocalDate();
            case "time" -> now.atZone(ZoneId.systemDefault()).toLocalTime();
            default -> now;
        };
    }

    /** Returns a value as the marker of its column takes it. */
    @Nullable
    ByteBuffer encoded(ColumnDefault given, @Nullable Object value, DataType type, BoundStatement settings) {
        if (value == null) {
            return null;
        }
        if (value instanceof Long id) {
            Identity column = new Identity(given.keyspace(), given.table(), given.column(), given.value());
            IdentityType integer = Registration.type(column, type);
            return GivenIds.encode(IdentitySource.requireFit(id, integer, column), integer);
        }
        ByteBuffer bytes = codec(type).encode(value, settings.protocolVersion());
        return Objects.requireNonNull(bytes);
    }
}
