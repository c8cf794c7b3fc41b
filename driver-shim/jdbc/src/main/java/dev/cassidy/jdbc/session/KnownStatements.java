package dev.cassidy.jdbc.session;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import dev.cassidy.definition.RowMark;
import dev.cassidy.definition.Twin;
import dev.cassidy.insert.Assignments;
import dev.cassidy.insert.CollatedSelect;
import dev.cassidy.insert.ConditionalWrite;
import dev.cassidy.insert.CqlInsert;
import dev.cassidy.insert.CqlSelect;
import dev.cassidy.insert.CqlWrite;
import dev.cassidy.insert.MarkedSelect;
import dev.cassidy.insert.ParameterizedStatement;
import dev.cassidy.insert.RecentStatements;
import dev.cassidy.insert.RowConditions;
import dev.cassidy.insert.TwinNames;
import dev.cassidy.insert.UnsupportedSqlException;
import dev.cassidy.jdbc.assist.Assistant;
import dev.cassidy.jdbc.assist.Assistants;
import dev.cassidy.tsql.Guard;
import dev.cassidy.tsql.TsqlScript;
import dev.cassidy.tsql.TsqlStep;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/** How the most used statements were read. Asks nobody. Safe for use by many threads. */
public final class KnownStatements {

    private static final Set<DataType> NUMBERS = Set.of(
            DataTypes.TINYINT,
            DataTypes.SMALLINT,
            DataTypes.INT,
            DataTypes.BIGINT,
            DataTypes.VARINT,
            DataTypes.DECIMAL);

    private final Tables tables;
    private final ReadPaths readPaths;
    private final LongSupplier schema;
    private final RecentStatements<ParameterizedStatement> marked = new RecentStatements<>(ParameterizedStatement::of);
    private final RecentStatements<Optional<CqlWrite>> writes = new RecentStatements<>(CqlWrite::recognise);
    private final RecentStatements<Optional<MarkedSelect>> selects = new RecentStatements<>(MarkedSelect::of);
    private volatile Scripts scripts;

    /** @param schema a number that changes with the schema and with what is declared of tables */
    KnownStatements(CqlSession session, Tables tables, LongSupplier schema) {
        this.tables = tables;
        this.readPaths = new ReadPaths(session, tables);
        this.schema = schema;
        this.scripts = scripts();
    }

    /** What was read under one schema: after a change, a statement may mean something else. */
    private record Scripts(
            long schema,
            RecentStatements<TsqlScript> texts,
            RecentStatements<Optional<ConditionalWrite>> conditions,
            RecentStatements<Optional<CollatedSelect>> collated,
            RecentStatements<TwinNames.Named> twinned,
            RecentStatements<AtomicBoolean> assisted,
            RecentStatements<ReadPath> paths,
            RecentStatements<ReadPath> pathsOfLiterals) {}

    private Scripts scripts() {
        return new Scripts(
                schema.getAsLong(),
                new RecentStatements<>(text -> TsqlScript.parse(text, tables)),
                new RecentStatements<>(this::conditional),
                new RecentStatements<>(this::collated),
                new RecentStatements<>(cql -> twinned(cql, Set.of())),
                new RecentStatements<>(text -> new AtomicBoolean()),
                new RecentStatements<>(readPaths::of),
                new RecentStatements<>(readPaths::of));
    }

    /** Reads a statement that is to be prepared, and so may be used often; throws what {@link TsqlScript#parse} throws. */
    public TsqlScript script(String sql) {
        return current().texts().of(sql);
    }

    private Scripts current() {
        Scripts known = scripts;
        if (known.schema() != schema.getAsLong()) {
            known = scripts();
            scripts = known;
        }
        return known;
    }

    /**
     * Returns the conditional form of a write, if it has no condition of its own and its table is exact.
     *
     * @throws UnsupportedSqlException naming what cannot be a condition
     */
    public Optional<ConditionalWrite> conditional(TsqlStep.Cql step) {
        Set<String> byBytes = step.comparedByBytes();
        requireOneWay(step, byBytes);
        return step.parameters().isEmpty() || !byBytes.isEmpty()
                ? CqlWrite.recognise(step.text()).flatMap(write -> conditional(step.text(), write, byBytes, Set.of()))
                : current().conditions().of(step.text());
    }

    private Optional<ConditionalWrite> conditional(String cql) {
        return CqlWrite.recognise(cql).flatMap(write -> conditional(cql, write, Set.of(), Set.of()));
    }

    /**
     * As {@link #conditional(TsqlStep.Cql)}, of a statement that was recognised.
     *
     * @param nulls which {@code ?} of the statement are NULL
     */
    public Optional<ConditionalWrite> conditional(TsqlStep.Cql step, CqlWrite write, Set<Integer> nulls) {
        return conditional(step.text(), write, step.comparedByBytes(), nulls);
    }

    /** @param byBytes the columns of which the statement says that they compare so */
    private Optional<ConditionalWrite> conditional(
            String cql, CqlWrite write, Set<String> byBytes, Set<Integer> nulls) {
        CqlInsert.Table table = new CqlInsert.Table(write.keyspace().orElse(null), write.table());
        Set<String> numbers = new HashSet<>();
        tables.types(table).forEach((column, type) -> {
            if (NUMBERS.contains(type)) {
                numbers.add(column);
            }
        });
        Set<String> collated = new HashSet<>(tables.collations(table).keySet());
        collated.removeAll(byBytes);
        return ConditionalWrite.of(cql, new LinkedHashSet<>(tables.key(table)), numbers, collated, nulls);
    }

    /**
     * Returns a SELECT of an exact table without its conditions on strings that are equal by a collation; empty if it has none, or
     * does not give the partition key.
     */
    public Optional<CollatedSelect> collated(TsqlStep.Cql step) {
        requireOneWay(step, step.comparedByBytes());
        return step.parameters().isEmpty() || !step.comparedByBytes().isEmpty()
                ? collated(step.text(), step.comparedByBytes())
                : current().collated().of(step.text());
    }

    /** A column compares in one way in all conditions of a statement. */
    private static void requireOneWay(TsqlStep.Cql step, Set<String> byBytes) {
        for (String column : byBytes) {
            long conditions = RowConditions.of(step.text()).map(RowConditions::where).orElse(List.of()).stream()
                    .filter(each -> each.column().equals(column))
                    .count();
            long binary = step.guards().stream()
                    .filter(guard ->
                            guard instanceof Guard.ByBytes each && each.column().equals(column))
                    .count();
            if (conditions > binary) {
                throw new UnsupportedSqlException(
                        "conditions of column " + column + ", one with a binary COLLATE and another one without",
                        "give it to all of them, or read the row, and compare in the application");
            }
        }
    }

    private Optional<CollatedSelect> collated(String cql) {
        return collated(cql, Set.of());
    }

    private Optional<CollatedSelect> collated(String cql, Set<String> byBytes) {
        CqlInsert.Table table = MarkedSelect.of(cql).map(MarkedSelect::table).orElse(null);
        if (table == null || !tables.isColumn(table, RowMark.COLUMN)) {
            return Optional.empty();
        }
        List<String> key = tables.key(table);
        return CollatedSelect.of(
                cql,
                Set.copyOf(key.subList(0, tables.partition(table))),
                // What is declared may have to be read, and most statements compare no strings but those of a key.
                column -> !key.contains(column)
                        && !byBytes.contains(column)
                        && tables.isText(table, column)
                        && tables.collationsForReads(table).containsKey(column));
    }

    /**
     * Returns a SELECT, UPDATE or DELETE with the twins of columns: with those of its table's key in their place; a SELECT that does not
     * give the partition key also with those by which rows are found; a write with those beside the columns that it sets. Any other
     * statement as it is.
     *
     * @param markers those of the statement
     * @param byBytes the columns of which the statement says that they compare so
     * @throws UnsupportedSqlException naming what cannot be compared by a twin, or is not known before it is sent
     */
    public TwinNames.Named twinned(String cql, List<Integer> markers, Set<String> byBytes) {
        return markers.isEmpty() || !byBytes.isEmpty()
                ? twinned(cql, byBytes)
                : current().twinned().of(cql);
    }

    private TwinNames.Named twinned(String cql, Set<String> byBytes) {
        CqlSelect select = CqlSelect.of(cql).orElse(null);
        CqlInsert.Table table = select != null
                ? select.table()
                : CqlWrite.recognise(cql)
                        .map(write -> new CqlInsert.Table(write.keyspace().orElse(null), write.table()))
                        .orElse(null);
        if (table == null) {
            return TwinNames.Named.of(cql);
        }
        Set<String> key = tables.twinned(table);
        if (select == null) {
            Set<String> written = Assignments.of(cql)
                    .map(found -> found.all().stream()
                            .map(Assignments.Assignment::column)
                            .collect(Collectors.toSet()))
                    .orElse(Set.of());
            return TwinNames.ofWrite(cql, key, tables.twinsToKeep(table, written));
        }
        Set<String> found = new HashSet<>(givesPartition(select, table) ? Set.of() : tables.twinsToReadBy(table));
        found.removeAll(byBytes);
        return TwinNames.ofSelect(cql, key, found);
    }

    /** Then the server reads its rows without what the driver compares. */
    private boolean givesPartition(CqlSelect select, CqlInsert.Table table) {
        Set<String> given = new HashSet<>();
        select.where().stream().filter(CqlSelect.Restriction::isDirect).forEach(each -> each.columns()
                .forEach(column -> given.add(Twin.original(column))));
        List<String> partition = tables.namedKey(table).subList(0, tables.partition(table));
        return given.containsAll(partition);
    }

    /**
     * Returns the plan by which a SELECT reads; what was learnt of a statement is kept with it.
     *
     * @param markers those of the statement; statements without any contain their values, and do not drive the others out
     */
    public ReadPath readPath(String cql, List<Integer> markers) {
        Scripts known = current();
        return (markers.isEmpty() ? known.pathsOfLiterals() : known.paths()).of(cql);
    }

    /** As {@link Assistant#unsupported}; none without an assistant. */
    public List<String> unsupported(String sql) {
        return Assistants.find().map(found -> found.unsupported(sql)).orElse(List.of());
    }

    /** Returns whether a SELECT was served in the client, because Cassandra refuses it as it is; to be set with what it gives. */
    public AtomicBoolean assisted(TsqlStep.Written select) {
        return current().assisted().of(select.text());
    }

    /**
     * Recognises a write.
     *
     * @param markers those of the statement; a statement without any contains its values, and is rarely used twice
     */
    public Optional<CqlWrite> write(String cql, List<Integer> markers) {
        return markers.isEmpty() ? CqlWrite.recognise(cql) : writes.of(cql);
    }

    /**
     * Recognises a SELECT, as far as it has to be known to read the mark of its rows with it.
     *
     * @param markers those of the statement; a statement without any contains its values, and is rarely used twice
     */
    public Optional<MarkedSelect> marked(String cql, List<Integer> markers) {
        return markers.isEmpty() ? MarkedSelect.of(cql) : selects.of(cql);
    }

    /**
     * Returns a statement with a marker for each of its literals.
     *
     * @param markers those of the statement; a statement without any contains its values, and is rarely used twice
     * @throws UnsupportedSqlException if a literal that stays may be a date
     */
    public ParameterizedStatement parameterized(String cql, List<Integer> markers) {
        return markers.isEmpty() ? ParameterizedStatement.of(cql) : marked.of(cql);
    }
}
