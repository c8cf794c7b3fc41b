package dev.cassidy.migration.rows;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.metadata.Metadata;
import com.datastax.oss.driver.api.core.metadata.schema.ColumnMetadata;
import com.datastax.oss.driver.api.core.metadata.schema.TableMetadata;
import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.migration.error.MigrationException;
import dev.cassidy.sequence.IdRange;
import dev.cassidy.sequence.IdScan;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Looks for ids in columns of Cassandra's tables. It reads all rows at consistency ALL: a row that one replica alone has is
 * found, and a replica that does not answer is an error.
 */
public final class IdColumnScan implements IdScan {

    private static final Duration TIMEOUT = Duration.ofMinutes(1);
    private static final Set<DataType> INTEGERS = Set.of(DataTypes.SMALLINT, DataTypes.INT, DataTypes.BIGINT);
    private static final int PAGE = 5_000;

    /** A column that holds ids, names in internal form. */
    public record Column(String keyspace, String table, String column) {
        @Override
        public String toString() {
            return keyspace + '.' + table + '.' + column;
        }
    }

    private record Place(Column name, TableMetadata table, ColumnMetadata column) {}

    private final CqlSession session;
    private final List<Place> places;
    private final int readers;
    private final Consumer<String> progress;

    /**
     * @param columns at least one
     * @param readers how many pieces of a table are read at the same time
     * @throws MigrationException if a column is not there, or is no integer
     */
    public IdColumnScan(CqlSession session, Set<Column> columns, int readers, Consumer<String> progress) {
        this.session = session;
        this.places = columns.stream().map(column -> place(session, column)).toList();
        this.readers = readers;
        this.progress = progress;
    }

    private static Place place(CqlSession session, Column name) {
        TableMetadata table = session.getMetadata()
                .getKeyspace(CqlIdentifier.fromInternal(name.keyspace()))
                .flatMap(keyspace -> keyspace.getTable(CqlIdentifier.fromInternal(name.table())))
                .orElseThrow(() -> new MigrationException(
                        ExitCode.USAGE,
                        "there is no table " + name.keyspace() + "." + name.table() + ": --column " + name));
        ColumnMetadata column = table.getColumn(CqlIdentifier.fromInternal(name.column()))
                .orElseThrow(() -> new MigrationException(
                        ExitCode.USAGE, "the table has no column " + name.column() + ": --column " + name));
        if (!INTEGERS.contains(column.getType())) {
            throw new MigrationException(
                    ExitCode.USAGE,
                    "must be smallint, int or bigint, and is "
                            + column.getType().asCql(false, false) + ": --column " + name);
        }
        return new Place(name, table, column);
    }

    /**
     * Returns those of some columns that are there, as integers. The schema is read again first, and the nodes must agree on it.
     *
     * @throws MigrationException if they do not agree
     */
    public static Set<Column> existing(CqlSession session, Set<Column> columns) {
        Metadata metadata = session.refreshSchema();
        if (!session.checkSchemaAgreement()) {
            throw new MigrationException(
                    ExitCode.CASSANDRA,
                    "the nodes do not agree on the schema, so it is not known which tables there are. Run it again");
        }
        return columns.stream()
                .filter(column -> metadata.getKeyspace(CqlIdentifier.fromInternal(column.keyspace()))
                        .flatMap(keyspace -> keyspace.getTable(CqlIdentifier.fromInternal(column.table())))
                        .flatMap(table -> table.getColumn(CqlIdentifier.fromInternal(column.column())))
                        .filter(found -> INTEGERS.contains(found.getType()))
                        .isPresent())
                .collect(Collectors.toCollection(LinkedHashSet::new));
    }

    /** Whether there is the table of a column, and not the column. */
    public static boolean isRenamed(CqlSession session, Column column) {
        return session.getMetadata()
                .getKeyspace(CqlIdentifier.fromInternal(column.keyspace()))
                .flatMap(keyspace -> keyspace.getTable(CqlIdentifier.fromInternal(column.table())))
                .filter(table -> table.getColumn(CqlIdentifier.fromInternal(column.column()))
                        .isEmpty())
                .isPresent();
    }

    @Override
    public Optional<Found> find(IdRange ids) {
        Optional<Found> found = Optional.empty();
        for (Place place : places) {
            progress.accept("looking for ids " + ids.first() + " to " + ids.last() + " in " + place.name()
                    + ", on all replicas");
            found = merge(found, find(place, ids));
        }
        return found;
    }

    private static Optional<Found> merge(Optional<Found> one, Optional<Found> other) {
        if (one.isEmpty() || other.isEmpty()) {
            return one.or(() -> other);
        }
        Found first = one.get();
        Found second = other.get();
        return Optional.of(new Found(
                Math.min(first.lowest(), second.lowest()),
                Math.max(first.highest(), second.highest()),
                first.highest() >= second.highest() ? first.where() : second.where()));
    }

    private Optional<Found> find(Place place, IdRange ids) {
        RingPieces ring = new RingPieces(session, readers);
        try {
            PreparedStatement select = session.prepare(SimpleStatement.newInstance(select(place, ring))
                    .setConsistencyLevel(ConsistencyLevel.ALL)
                    .setPageSize(PAGE)
                    .setTimeout(TIMEOUT)
                    .setIdempotent(true));
            Optional<Found> found = Optional.empty();
            for (Optional<Found> each : ring.read(piece -> piece(place, piece.bind(select), ids))) {
                found = merge(found, each);
            }
            return found;
        } catch (DriverException e) {
            throw unread(place, e);
        } catch (ExecutionException e) {
            throw unread(place, e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new MigrationException(ExitCode.INTERRUPTED, "interrupted while it read " + place.name(), e);
        }
    }

    private static MigrationException unread(Place place, @Nullable Throwable cause) {
        return new MigrationException(
                ExitCode.CASSANDRA,
                "not every replica of " + place.name().keyspace() + "."
                        + place.name().table()
                        + " could be read, and a row that is missed could be overwritten: "
                        + (cause == null ? "" : cause.getMessage())
                        + ". Bring all its nodes up, and run it again",
                cause == null ? new IllegalStateException("no cause") : cause);
    }

    private static String select(Place place, RingPieces ring) {
        return "SELECT " + place.column().getName().asCql(true) + " FROM "
                + place.table().getKeyspace().asCql(true) + "."
                + place.table().getName().asCql(true)
                + ring.where(place.table());
    }

    private Optional<Found> piece(Place place, BoundStatement select, IdRange ids) {
        @Nullable Found found = null;
        for (Row row : session.execute(select)) {
            Number value = (Number) row.getObject(0);
            if (value != null && contains(ids, value.longValue())) {
                long id = value.longValue();
                found = found == null
                        ? new Found(id, id, place.name().toString())
                        : new Found(Math.min(found.lowest(), id), Math.max(found.highest(), id), found.where());
            }
        }
        return Optional.ofNullable(found);
    }

    private static boolean contains(IdRange ids, long id) {
        long low = Math.min(ids.first(), ids.last());
        long high = Math.max(ids.first(), ids.last());
        // Unsigned: the distance of two longs may need 64 bits.
        return id >= low && id <= high && Long.remainderUnsigned(id - low, Math.abs(ids.increment())) == 0;
    }
}
