package dev.cassidy.migration.rows;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.metadata.schema.ColumnMetadata;
import com.datastax.oss.driver.api.core.metadata.schema.TableMetadata;
import com.datastax.oss.driver.api.core.type.DataTypes;
import com.fasterxml.jackson.core.JsonGenerator;
import dev.cassidy.definition.CountMark;
import dev.cassidy.definition.RowMark;
import dev.cassidy.definition.Twin;
import dev.cassidy.jdbc.run.TableDeclarations;
import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.migration.error.MigrationException;
import dev.cassidy.migration.schema.TsqlType;
import dev.cassidy.migration.source.Source;
import dev.cassidy.migration.source.SourceTable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A table of the source and the table of Cassandra that takes its rows. Columns are in one fixed order: those of Cassandra's
 * primary key first, in its order. Safe for use by many threads.
 */
public final class RowTable {

    private final SourceTable source;
    private final TableMetadata target;
    private final Set<String> leftOut;
    private final List<MovedColumn> columns;
    private final List<Conversion> conversions;
    private final Optional<ZoneId> zone;
    private final int keys;
    private final boolean folded;
    private final @Nullable MovedColumn split;
    private final UnaryOperator<String> quote;
    private final String quotedTable;
    private final List<String> quotedColumns;

    private RowTable(
            Source opened,
            SourceTable source,
            TableMetadata target,
            Set<String> leftOut,
            List<MovedColumn> columns,
            Optional<ZoneId> zone) {
        this.source = source;
        this.target = target;
        this.leftOut = Set.copyOf(leftOut);
        this.columns = List.copyOf(columns);
        this.conversions =
                columns.stream().map(column -> new Conversion(column, zone)).toList();
        this.zone = zone;
        this.keys = (int) columns.stream().filter(MovedColumn::key).count();
        this.folded = columns.stream().anyMatch(column -> column.twin() != null);
        this.quote = opened::quote;
        this.quotedTable = opened.quoted(source.schema(), source.name());
        this.quotedColumns = columns.stream()
                .map(column -> opened.quote(column.from().name()))
                .toList();
        this.split = source.primaryKey().stream()
                .limit(1)
                .flatMap(first ->
                        columns.stream().filter(column -> column.from().name().equals(first)))
                .filter(column -> column.tsql().kind() == TsqlType.Kind.INTEGER && isWhole(column))
                .findFirst()
                .orElse(null);
    }

    private static boolean isWhole(MovedColumn column) {
        return Set.of(DataTypes.SMALLINT, DataTypes.INT, DataTypes.BIGINT).contains(column.type());
    }

    /**
     * Matches a table with a table of Cassandra. Nothing is read from either.
     *
     * @param twins by which columns are compared that have others in their place in Cassandra's key, by internal name
     * @param leftOut {@code schema.table.column} of columns that stay behind
     * @param zone in which dates and times without one are; empty if it was not given
     * @throws MigrationException {@link ExitCode#REFUSED} naming everything that cannot be matched
     */
    public static RowTable of(
            Source opened,
            SourceTable source,
            TableMetadata target,
            Map<String, Twin> twins,
            Set<String> leftOut,
            Optional<ZoneId> zone) {
        List<String> problems = new ArrayList<>();
        List<MovedColumn> columns = new ArrayList<>();
        for (SourceTable.Column column : source.columns()) {
            String name = source.qualifiedName() + "." + column.name();
            if (!leftOut.contains(name)) {
                match(opened, source, column, target, problems).ifPresent(columns::add);
            }
        }
        List<MovedColumn> ordered = new ArrayList<>();
        for (ColumnMetadata key : target.getPrimaryKey()) {
            String name = key.getName().asInternal();
            String original = Twin.original(name);
            MovedColumn filling = columns.stream()
                    .filter(column -> column.to().asInternal().equals(original))
                    .findFirst()
                    .orElse(null);
            Twin twin = twins.get(original);
            if (filling == null) {
                problems.add("no column of the source fills "
                        + CqlIdentifier.fromInternal(original).asCql(true) + ", which is part of the key of "
                        + shown(target));
            } else if (!Twin.isOne(name)) {
                ordered.add(filling);
            } else if (twin == null) {
                problems.add("column " + original + " is in the key of " + shown(target)
                        + " as its collation compares it, and which collation that is, is not declared");
            } else {
                ordered.add(filling.twinned(twin));
            }
        }
        for (MovedColumn column : columns) {
            if (zone.isEmpty() && Conversion.needsZone(column.tsql().kind(), column.type())) {
                problems.add(column.qualifiedName() + " is " + column.tsql().text()
                        + ", a time without a zone, and Cassandra's timestamp is an instant: give --zone, the zone of the"
                        + " JVMs that show these times, for example --zone Europe/Berlin or --zone UTC");
            }
        }
        if (!problems.isEmpty()) {
            throw new MigrationException(
                    ExitCode.REFUSED,
                    source.qualifiedName() + " cannot be copied to " + shown(target) + ":\n  "
                            + String.join("\n  ", problems));
        }
        columns.stream().filter(column -> !column.key()).forEach(ordered::add);
        return new RowTable(
                opened,
                source,
                target,
                leftOut.stream()
                        .filter(name -> source.columns().stream()
                                .anyMatch(column -> name.equals(source.qualifiedName() + "." + column.name())))
                        .collect(Collectors.toSet()),
                ordered,
                zone);
    }

    private static Optional<MovedColumn> match(
            Source opened, SourceTable source, SourceTable.Column column, TableMetadata target, List<String> problems) {
        String name = source.qualifiedName() + "." + column.name();
        String wanted = TableDeclarations.columnName(column.name());
        ColumnMetadata to = target.getColumns().values().stream()
                .filter(each -> each.getName().asInternal().equals(wanted))
                .findFirst()
                .orElse(null);
        String leaveOut = "; to leave it behind, give --leave-out '" + name + "'";
        if (to == null) {
            problems.add(shown(target) + " has no column " + wanted + " for " + name + leaveOut);
            return Optional.empty();
        }
        TsqlType type = TsqlType.of(opened.engine(), column);
        if (to.isStatic() || !Conversion.serves(type.kind(), to.getType())) {
            problems.add(name + " is " + type.text() + ", which cannot fill "
                    + to.getName().asCql(true) + " of type "
                    + (to.isStatic() ? "static " : "") + to.getType().asCql(true, true) + leaveOut);
            return Optional.empty();
        }
        return Optional.of(new MovedColumn(
                source.qualifiedName(),
                column,
                type,
                to.getName(),
                to.getType(),
                target.getPrimaryKey().contains(to),
                null));
    }

    private static String shown(TableMetadata table) {
        return table.getKeyspace().asCql(true) + "." + table.getName().asCql(true);
    }

    /** Returns the source's {@code schema.table}. */
    public String name() {
        return source.qualifiedName();
    }

    /** Returns Cassandra's table as CQL writes it. */
    public String target() {
        return shown(target);
    }

    /** Returns for how long Cassandra remembers that a row was deleted: the table's gc_grace_seconds. */
    public Duration deletesKept() {
        Object seconds = target.getOptions().get(CqlIdentifier.fromInternal("gc_grace_seconds"));
        return seconds instanceof Number number ? Duration.ofSeconds(number.longValue()) : Duration.ZERO;
    }

    /** Returns the id of Cassandra's table, which one that is created anew does not have. */
    @Nullable
    String targetId() {
        return target.getId().map(UUID::toString).orElse(null);
    }

    public List<MovedColumn> columns() {
        return columns;
    }

    /** Returns where the rows go, as a state file remembers it. */
    Journal.Copied copied() {
        return new Journal.Copied(
                name(), target.getKeyspace().asInternal(), target.getName().asInternal(), leftOut);
    }

    SourceTable source() {
        return source;
    }

    TableMetadata metadata() {
        return target;
    }

    /** Returns how many of the columns, from the first on, are Cassandra's primary key. */
    int keys() {
        return keys;
    }

    /** Returns the columns of Cassandra's primary key. */
    public List<MovedColumn> keyColumns() {
        return columns.subList(0, keys);
    }

    /** Returns whether the key has a form of some column's values in their place. */
    public boolean isFolded() {
        return folded;
    }

    /** Returns the place of the column that has the values of a column of the key as the source has them. */
    int valueIndex(int key) {
        if (columns.get(key).twin() == null) {
            return key;
        }
        for (int i = keys; i < columns.size(); i++) {
            if (columns.get(i).from().equals(columns.get(key).from())) {
                return i;
            }
        }
        throw new IllegalStateException(
                "no column takes the values of " + columns.get(key).qualifiedName());
    }

    /** Returns the place of the column by whose values the table is read in ranges; -1 if it is read in one go. */
    int splitIndex() {
        return split == null ? -1 : columns.indexOf(split);
    }

    /** Returns the column by whose values the table is read in ranges, as the source's SQL takes it. */
    Optional<String> quotedSplit() {
        return split == null ? Optional.empty() : Optional.of(quotedColumns.get(splitIndex()));
    }

    /** Returns the number of the split column of a row; 0 if the table is read in one go. */
    long splitValue(@Nullable ByteBuffer[] values) {
        int index = splitIndex();
        Object id = index < 0 ? null : conversions.get(index).decoded(values[index]);
        return id instanceof Number number ? number.longValue() : 0;
    }

    /** Returns the columns as the source's SQL takes them, in their order. */
    List<String> quotedColumns() {
        return quotedColumns;
    }

    /** Returns the zone of dates and times that have none. */
    ZoneId zone() {
        return zone.orElse(ZoneOffset.UTC);
    }

    /** Returns whether each row of Cassandra's table has {@link RowMark}. */
    boolean isMarked() {
        return target.getColumn(CqlIdentifier.fromInternal(RowMark.COLUMN)).isPresent();
    }

    /** Returns Cassandra's columns that no column of the source fills. */
    List<String> unmatched() {
        return target.getColumns().keySet().stream()
                .filter(name -> !name.asInternal().equals(RowMark.COLUMN)
                        && !name.asInternal().equals(CountMark.COLUMN))
                .filter(name -> columns.stream().noneMatch(column -> column.to().equals(name)))
                .map(name -> name.asCql(true))
                .toList();
    }

    /** Returns a name as the source's SQL takes it. */
    String quote(String name) {
        return quote.apply(name);
    }

    String quotedTable() {
        return quotedTable;
    }

    List<Conversion> conversions() {
        return conversions;
    }

    /**
     * Returns whether Cassandra's key identifies a row of the source: it has all columns of the primary key, or of a unique
     * index without nulls.
     */
    public boolean keyIsUnique() {
        Set<String> key = columns.stream()
                .filter(MovedColumn::key)
                .map(column -> column.from().name())
                .collect(Collectors.toCollection(HashSet::new));
        if (!source.primaryKey().isEmpty() && key.containsAll(source.primaryKey())) {
            return true;
        }
        return source.indexes().stream()
                .filter(index -> index.unique()
                        && index.filter() == null
                        && !index.columns().isEmpty())
                .filter(index -> index.columns().stream().allMatch(name -> source.column(name)
                        .filter(column -> !column.nullable())
                        .isPresent()))
                .anyMatch(index -> key.containsAll(index.columns()));
    }

    /**
     * Returns whether the key of a row of Cassandra is that of its values. What Cassidy writes is always so; CQL that does not know of
     * twins writes anything.
     */
    boolean hasOwnKey(@Nullable ByteBuffer[] values) {
        for (int i = 0; folded && i < keys; i++) {
            Twin twin = columns.get(i).twin();
            Object value = twin == null ? null : conversions.get(valueIndex(i)).decoded(values[valueIndex(i)]);
            if (twin != null
                    && (value == null
                            || !twin.fold(value.toString())
                                    .equals(conversions.get(i).decoded(values[i])))) {
                return false;
            }
        }
        return true;
    }

    /** Returns whether two rows of the source could have one key in Cassandra: a collation compares it, or nothing keeps it unique. */
    boolean mayBeAlike() {
        return folded || !keyIsUnique();
    }

    /** Returns the query that reads the columns in their order, without a condition. */
    public String select() {
        return "SELECT " + String.join(", ", quotedColumns) + " FROM " + quotedTable;
    }

    /** Reads the row at the cursor. The array is in the order of {@link #columns}, with null for NULL. */
    @Nullable
    ByteBuffer[] read(ResultSet rows, Losses losses) throws SQLException {
        @Nullable ByteBuffer[] values = new ByteBuffer[conversions.size()];
        for (int i = 0; i < values.length; i++) {
            values[i] = conversions.get(i).bytes(rows, i + 1, losses);
            if (i < keys && values[i] == null) {
                throw new RowRefused(columns.get(i).qualifiedName()
                        + " is NULL, and a key of Cassandra has no nulls: choose another key, or correct the row");
            }
        }
        return values;
    }

    /** Reads the key at the cursor alone, as {@link #read} gives it. */
    @Nullable
    ByteBuffer[] readKey(ResultSet rows) throws SQLException {
        @Nullable ByteBuffer[] values = new ByteBuffer[keys];
        for (int i = 0; i < keys; i++) {
            values[i] = conversions.get(i).bytes(rows, i + 1, (column, kind, was, becomes) -> {});
        }
        return values;
    }

    /** Returns the hash of a row, which is that of all rows with the same key that say the same in the source. */
    RowSum.Hash meaning(RowSum hashes, @Nullable ByteBuffer[] values) {
        @Nullable ByteBuffer[] canonical = values.clone();
        for (int i = keys; i < canonical.length; i++) {
            canonical[i] = conversions.get(i).canonical(canonical[i]);
        }
        return hashes.hash(canonical, canonical.length);
    }

    /** Takes each value of a row as Cassandra's Java type. */
    interface Writer {
        void write(JsonGenerator generator, String column, @Nullable Object value) throws IOException;
    }

    /** Reads the row at the cursor as {@link #read}, and writes it as an object. */
    @Nullable
    ByteBuffer[] read(ResultSet rows, Losses losses, JsonGenerator generator, Writer writer)
            throws SQLException, IOException {
        @Nullable ByteBuffer[] values = read(rows, losses);
        generator.writeStartObject();
        for (int i = 0; i < values.length; i++) {
            writer.write(
                    generator,
                    columns.get(i).to().asInternal(),
                    conversions.get(i).decoded(values[i]));
        }
        if (isMarked()) {
            generator.writeStringField(RowMark.COLUMN, RowMark.FREE);
        }
        generator.writeEndObject();
        return values;
    }

    /**
     * Returns the key of a row as CQL writes it: {@code id=5}.
     *
     * @param values of all columns, or of the key alone, of which the form is shown where it stands in place of a value
     */
    String shownKey(@Nullable ByteBuffer[] values) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < keys; i++) {
            int index = values.length > keys ? valueIndex(i) : i;
            text.append(i == 0 ? "" : ", ")
                    .append(columns.get(valueIndex(i)).to().asCql(true))
                    .append('=')
                    .append(conversions.get(index).shown(values[index]));
        }
        return text.toString();
    }

    /** Returns what must not have changed when an interrupted copy goes on. */
    String shape() {
        return columns.stream()
                .map(column -> column.from().name() + " " + column.tsql().text() + " -> "
                        + column.to().asCql(false) + " " + column.type().asCql(false, false)
                        + (column.key() ? " key" : "")
                        + (column.twin() == null
                                ? ""
                                : " by " + column.twin().collation() + ", version "
                                        + column.twin().folding()))
                .collect(Collectors.joining(", "));
    }
}
