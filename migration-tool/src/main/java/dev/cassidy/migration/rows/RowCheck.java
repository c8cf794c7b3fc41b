package dev.cassidy.migration.rows;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.metadata.schema.ColumnMetadata;
import com.datastax.oss.driver.api.core.metadata.schema.TableMetadata;
import com.datastax.oss.driver.api.core.type.DataTypes;
import com.datastax.oss.driver.api.core.type.codec.TypeCodecs;
import com.datastax.oss.protocol.internal.util.Bytes;
import dev.cassidy.definition.ColumnDefinition;
import dev.cassidy.definition.ConstraintDefinition;
import dev.cassidy.definition.Twin;
import dev.cassidy.insert.CheckExpression;
import dev.cassidy.insert.Identifiers;
import dev.cassidy.jdbc.run.TableDeclarations;
import dev.cassidy.migration.error.MigrationException;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Reads all rows of a table of Cassandra, and finds those that break what its contract says: rules of columns, by the code that
 * keeps them for writes, UNIQUE and CHECK. Keys and sizes are told of such rows, and no values.
 */
public final class RowCheck {

    private static final int PAGE = 1_000;
    private static final int MAX_EXAMPLES = 5;
    private static final int MAX_KEYS = 3;
    private static final int MAX_KEY_LENGTH = 200;
    private static final String UNDECODABLE = "holds bytes that are no value of the column's type";
    private static final Duration RETRY_FOR = Duration.ofMinutes(1);
    private static final long PAUSE_MILLIS = 200;

    /**
     * What rows are held against.
     *
     * @param columns with their new rules
     * @param uniques UNIQUE constraints
     * @param checks CHECK constraints that can be decided
     * @param twins of columns whose place in the key they take; by internal name of the column
     */
    public record Rules(
            List<ColumnDefinition> columns,
            List<ConstraintDefinition> uniques,
            List<Check> checks,
            Map<String, Twin> twins) {

        public Rules {
            columns = columns.stream()
                    .filter(column -> new RowRule(column).asksForAnything())
                    .toList();
            uniques = List.copyOf(uniques);
            checks = List.copyOf(checks);
            twins = Map.copyOf(twins);
        }

        /** Rules of which none is about the key. */
        public Rules(List<ColumnDefinition> columns, List<ConstraintDefinition> uniques, List<Check> checks) {
            this(columns, uniques, checks, Map.of());
        }

        /** Returns whether no row can break them. */
        public boolean areNone() {
            return columns.isEmpty() && uniques.isEmpty() && checks.isEmpty() && twins.isEmpty();
        }
    }

    /** A CHECK and its condition. */
    public record Check(ConstraintDefinition constraint, CheckExpression condition) {}

    /**
     * A rule that rows break.
     *
     * @param rule as T-SQL writes it
     * @param rows how many; of UNIQUE, those whose values an earlier row has
     * @param examples keys, and what is wrong
     */
    public record Broken(String rule, long rows, List<String> examples) {

        public Broken {
            examples = List.copyOf(examples);
        }

        @Override
        public String toString() {
            return rows + (rows == 1 ? " row breaks " : " rows break ") + rule + ": " + String.join("; ", examples)
                    + (rows > examples.size() ? "; ..." : "");
        }
    }

    /**
     * What was found in a table.
     *
     * @param rows how many were read
     */
    public record Result(long rows, List<Broken> broken) {

        public Result {
            broken = List.copyOf(broken);
        }
    }

    private final CqlSession session;
    private final int readers;
    private final long memory;
    private final LongSupplier nanoClock;

    /**
     * @param readers how many pieces of a table are read at the same time
     * @param memory the most bytes that the values of UNIQUE may take
     */
    public RowCheck(CqlSession session, int readers, long memory, LongSupplier nanoClock) {
        this.session = session;
        this.readers = readers;
        this.memory = memory;
        this.nanoClock = nanoClock;
    }

    /**
     * Reads the table.
     *
     * @param progress takes the number of further rows that were read; called by several threads
     * @throws DriverException if a piece cannot be read
     * @throws MigrationException if the values of UNIQUE need more memory
     */
    public Result check(TableMetadata table, Rules rules, LongConsumer progress) throws InterruptedException {
        if (rules.areNone()) {
            return new Result(0, List.of());
        }
        Reading reading = new Reading(table, rules, memory);
        LongAdder rows = new LongAdder();
        read(reading, () -> new Judge(reading), read -> {
            rows.add(read);
            progress.accept(read);
        });
        if (reading.uniques.stream().anyMatch(unique -> !unique.keys.isEmpty())) {
            // Of the first row with a value it was not known that others have it.
            read(reading, () -> new Finder(reading), progress);
        }
        return new Result(rows.sum(), reading.broken());
    }

    /** Takes the rows of a piece. One thread. */
    private interface Visitor {
        void row(Row row);
    }

    private interface Visitors {
        Visitor next();
    }

    private void read(Reading reading, Visitors visitors, LongConsumer progress) throws InterruptedException {
        RingPieces ring = new RingPieces(session, readers);
        PreparedStatement select =
                session.prepare(SimpleStatement.newInstance(reading.select() + ring.where(reading.table))
                        .setConsistencyLevel(ConsistencyLevel.LOCAL_QUORUM)
                        .setPageSize(PAGE)
                        .setIdempotent(true));
        try {
            ring.read(piece -> piece(piece.bind(select), visitors.next(), progress));
        } catch (ExecutionException e) {
            if (e.getCause() instanceof DriverException || e.getCause() instanceof MigrationException) {
                throw (RuntimeException) e.getCause();
            }
            throw new IllegalStateException("cannot read " + reading.name(), e.getCause());
        }
    }

    private Visitor piece(BoundStatement select, Visitor visitor, LongConsumer progress) throws InterruptedException {
        ByteBuffer state = null;
        do {
            AsyncResultSet page = page(select.setPagingState(state));
            long rows = 0;
            for (Row row : page.currentPage()) {
                visitor.row(row);
                rows++;
            }
            progress.accept(rows);
            state = page.getExecutionInfo().getPagingState();
        } while (state != null);
        return visitor;
    }

    /** Reads a page, again if it fails: so no row of an earlier page comes twice. */
    private AsyncResultSet page(BoundStatement select) throws InterruptedException {
        long begun = nanoClock.getAsLong();
        while (true) {
            try {
                return session.executeAsync(select).toCompletableFuture().get();
            } catch (ExecutionException e) {
                if (!(e.getCause() instanceof DriverException failed)) {
                    throw new IllegalStateException("cannot read rows", e.getCause());
                }
                if (!RowWriter.mayHelpToRepeat(failed) || nanoClock.getAsLong() - begun > RETRY_FOR.toNanos()) {
                    throw failed;
                }
                Thread.sleep(PAUSE_MILLIS);
            }
        }
    }

    // ---- what is read, and what was found

    /** The rules of a table with what breaks them. */
    private static final class Reading {
        private final TableMetadata table;
        private final List<Tally> columns = new ArrayList<>();
        private final List<Twins> uniques = new ArrayList<>();
        private final List<CheckTally> checks = new ArrayList<>();
        private final List<KeyTally> twins = new ArrayList<>();
        private final Set<String> selected = new LinkedHashSet<>();

        Reading(TableMetadata table, Rules rules, long memory) {
            this.table = table;
            List<String> key = table.getPrimaryKey().stream()
                    .map(column -> column.getName().asInternal())
                    .toList();
            selected.addAll(key);
            for (ColumnDefinition column : rules.columns()) {
                selected.add(column.name());
                columns.add(new Tally(column));
            }
            rules.twins().forEach((column, twin) -> {
                selected.add(column);
                twins.add(new KeyTally(column, twin));
            });
            for (Check check : rules.checks()) {
                selected.addAll(check.condition().columns());
                checks.add(new CheckTally(check));
            }
            // What has the whole key is unique.
            List<ConstraintDefinition> asking = rules.uniques().stream()
                    .filter(unique -> !unique.columns().containsAll(key))
                    .toList();
            for (ConstraintDefinition unique : asking) {
                selected.addAll(unique.columns());
                uniques.add(new Twins(
                        unique,
                        new SeenValues(
                                memory / asking.size(), TableDeclarations.written(unique) + " of table " + name())));
            }
        }

        String name() {
            return table.getKeyspace().asInternal() + "." + table.getName().asInternal();
        }

        String select() {
            return "SELECT "
                    + selected.stream().map(name -> id(name).asCql(true)).collect(Collectors.joining(", "))
                    + " FROM " + table.getKeyspace().asCql(true) + "."
                    + table.getName().asCql(true);
        }

        /** Returns a row's key as CQL writes it. */
        String key(Row row) {
            StringBuilder key = new StringBuilder();
            for (ColumnMetadata column : table.getPrimaryKey()) {
                key.append(key.length() == 0 ? "" : ", ")
                        .append(column.getName().asCql(true))
                        .append('=')
                        .append(Decoded.of(row, column.getName()).asCql(row, column));
            }
            return key.length() > MAX_KEY_LENGTH ? key.substring(0, MAX_KEY_LENGTH) + "..." : key.toString();
        }

        List<Broken> broken() {
            List<Broken> broken = new ArrayList<>();
            for (Tally each : columns) {
                if (each.rows.sum() > 0) {
                    broken.add(new Broken(each.text, each.rows.sum(), each.examples));
                }
            }
            for (KeyTally each : twins) {
                if (each.rows.sum() > 0) {
                    broken.add(new Broken(
                            "the key of " + Identifiers.toCql(each.column.asInternal()) + " by collation "
                                    + each.twin.collation(),
                            each.rows.sum(),
                            each.examples));
                }
            }
            for (CheckTally each : checks) {
                if (each.rows.sum() > 0) {
                    broken.add(new Broken(each.text, each.rows.sum(), each.examples));
                }
            }
            for (Twins each : uniques) {
                if (each.rows.sum() > 0) {
                    broken.add(new Broken(
                            TableDeclarations.written(each.constraint),
                            each.rows.sum(),
                            each.keys.values().stream()
                                    .filter(keys -> keys.size() > 1)
                                    .map(keys -> String.join(" and ", keys) + " have the same")
                                    .toList()));
                }
            }
            return broken;
        }
    }

    /**
     * A value as the driver's codec gives it, or what keeps it from doing so: a column can hold bytes that were written by others
     * than Cassandra's own statements, or before its type was changed.
     *
     * @param value null also of a CQL null
     */
    private record Decoded(@Nullable Object value, boolean fails) {

        static Decoded of(Row row, CqlIdentifier column) {
            try {
                return new Decoded(row.getObject(column), false);
            } catch (RuntimeException e) {
                return new Decoded(null, true);
            }
        }

        String asCql(Row row, ColumnMetadata column) {
            return fails
                    ? Bytes.toHexString(row.getBytesUnsafe(column.getName()))
                    : row.codecRegistry().codecFor(column.getType()).format(value);
        }
    }

    private static CqlIdentifier id(String name) {
        return CqlIdentifier.fromInternal(name);
    }

    /** How many rows break the rule of a column. Safe for use by many threads. */
    private static final class Tally {
        private final CqlIdentifier column;
        private final RowRule rule;
        private final String text;
        private final LongAdder rows = new LongAdder();
        private final List<String> examples = new ArrayList<>();

        Tally(ColumnDefinition column) {
            this.column = id(column.name());
            this.rule = new RowRule(column);
            this.text = TableDeclarations.written(column);
        }

        void row(Row row, Reading reading) {
            Decoded value = Decoded.of(row, column);
            Optional<String> breach = value.fails() ? Optional.of(UNDECODABLE) : rule.breach(value.value());
            if (breach.isPresent()) {
                rows.increment();
                synchronized (examples) {
                    if (examples.size() < MAX_EXAMPLES) {
                        examples.add(reading.key(row) + " " + breach.get());
                    }
                }
            }
        }
    }

    /** How many rows have a key that is not that of a column's value. Safe for use by many threads. */
    private static final class KeyTally {
        private final CqlIdentifier column;
        private final CqlIdentifier inKey;
        private final Twin twin;
        private final LongAdder rows = new LongAdder();
        private final List<String> examples = new ArrayList<>();

        KeyTally(String column, Twin twin) {
            this.column = id(column);
            this.inKey = id(Twin.nameOf(column));
            this.twin = twin;
        }

        void row(Row row, Reading reading) {
            Object value = Decoded.of(row, column).value();
            if (value instanceof String text
                    && twin.fold(text).equals(Decoded.of(row, inKey).value())) {
                return;
            }
            rows.increment();
            synchronized (examples) {
                if (examples.size() < MAX_EXAMPLES) {
                    examples.add(reading.key(row) + " is not the key of its value");
                }
            }
        }
    }

    /** How many rows break a CHECK. Safe for use by many threads. */
    private static final class CheckTally {
        private final CheckExpression condition;
        private final String text;
        private final LongAdder rows = new LongAdder();
        private final List<String> examples = new ArrayList<>();

        CheckTally(Check check) {
            this.condition = check.condition();
            this.text = TableDeclarations.written(check.constraint());
        }

        void row(Row row, Reading reading) {
            // Cassandra checks the bytes of every type that a CHECK can speak of.
            Map<String, Object> values = new HashMap<>();
            for (String column : condition.columns()) {
                Object value = row.getObject(id(column));
                if (value != null) {
                    values.put(column, value);
                }
            }
            if (condition.isBrokenBy(values)) {
                rows.increment();
                synchronized (examples) {
                    if (examples.size() < MAX_EXAMPLES) {
                        examples.add(reading.key(row) + " breaks it");
                    }
                }
            }
        }
    }

    /** How many rows have values of a UNIQUE that another row has. Safe for use by many threads. */
    private static final class Twins {
        private final ConstraintDefinition constraint;
        private final SeenValues seen;
        private final LongAdder rows = new LongAdder();

        /** Keys of rows with the same values, of a few values. */
        private final Map<RowSum.Hash, List<String>> keys = new HashMap<>();

        Twins(ConstraintDefinition constraint, SeenValues seen) {
            this.constraint = constraint;
            this.seen = seen;
        }

        RowSum.Hash hash(Row row, RowSum hashes) {
            @Nullable ByteBuffer[] values = new ByteBuffer[constraint.columns().size()];
            for (int i = 0; i < values.length; i++) {
                CqlIdentifier column = id(constraint.columns().get(i));
                values[i] = row.getType(column).equals(DataTypes.DECIMAL)
                                && Decoded.of(row, column).value() instanceof BigDecimal number
                        ? stripped(number, row)
                        : row.getBytesUnsafe(column);
            }
            return hashes.hash(values, values.length);
        }

        /** 7.5 and 7.50 are one value. */
        private static @Nullable ByteBuffer stripped(BigDecimal number, Row row) {
            return TypeCodecs.DECIMAL.encode(number.stripTrailingZeros(), row.protocolVersion());
        }

        void row(Row row, RowSum hashes) {
            RowSum.Hash hash = hash(row, hashes);
            if (!seen.add(hash)) {
                rows.increment();
                synchronized (keys) {
                    if (keys.size() < MAX_EXAMPLES) {
                        keys.putIfAbsent(hash, new ArrayList<>());
                    }
                }
            }
        }
    }

    /** Judges each row. */
    private static final class Judge implements Visitor {
        private final Reading reading;
        private final RowSum hashes = new RowSum();

        Judge(Reading reading) {
            this.reading = reading;
        }

        @Override
        public void row(Row row) {
            for (Tally each : reading.columns) {
                each.row(row, reading);
            }
            for (KeyTally each : reading.twins) {
                each.row(row, reading);
            }
            for (CheckTally each : reading.checks) {
                each.row(row, reading);
            }
            for (Twins each : reading.uniques) {
                each.row(row, hashes);
            }
        }
    }

    /** Finds the rows with values that several have. */
    private static final class Finder implements Visitor {
        private final Reading reading;
        private final RowSum hashes = new RowSum();

        Finder(Reading reading) {
            this.reading = reading;
        }

        @Override
        public void row(Row row) {
            for (Twins each : reading.uniques) {
                List<String> keys = each.keys.get(each.hash(row, hashes));
                if (keys != null) {
                    synchronized (keys) {
                        if (keys.size() < MAX_KEYS) {
                            keys.add(reading.key(row));
                        }
                    }
                }
            }
        }
    }
}
