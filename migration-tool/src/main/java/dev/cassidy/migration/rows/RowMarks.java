package dev.cassidy.migration.rows;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.BoundStatementBuilder;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.metadata.schema.TableMetadata;
import dev.cassidy.definition.RowMark;
import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.migration.error.MigrationException;
import dev.cassidy.migration.error.Pause;
import dev.cassidy.table.TableWrites;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/**
 * Gives each row of a table its {@link RowMark}, while nothing else writes to the table. Every replica is asked for rows: an exact
 * write never finds one that was missed. Rows that have the mark stay as they are, so it may be repeated.
 */
public final class RowMarks {

    private static final int PAGE = 1_000;
    private static final Duration TIMEOUT = Duration.ofMinutes(1);
    private static final Duration RETRY_FOR = Duration.ofMinutes(5);
    private static final Duration PAUSE = Duration.ofMillis(200);

    private final CqlSession session;
    private final int readers;
    private final Consumer<String> progress;
    private final LongSupplier nanoClock;

    /** @param readers how many pieces of a table are read at the same time */
    public RowMarks(CqlSession session, int readers, Consumer<String> progress, LongSupplier nanoClock) {
        this.session = session;
        this.readers = readers;
        this.progress = progress;
        this.nanoClock = nanoClock;
    }

    /**
     * Adds the column where it is missing, and fills it.
     *
     * @param writes who decides their order
     * @throws MigrationException if not every replica can be read, or a row cannot be written
     */
    public void fill(TableMetadata table, TableWrites writes) {
        String name = table.getKeyspace().asCql(true) + "." + table.getName().asCql(true);
        try {
            addColumn(table, name);
            progress.accept("giving each row of " + name + " its mark, on all replicas");
            progress.accept(fill(table, name, writes) + " rows of " + name + " have got their mark");
        } catch (DriverException e) {
            throw failed(name, e);
        } catch (ExecutionException e) {
            throw failed(name, e.getCause() == null ? e : e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new MigrationException(
                    ExitCode.INTERRUPTED, "interrupted while rows of " + name + " got their mark", e);
        }
    }

    private void addColumn(TableMetadata table, String name) {
        if (table.getColumn(CqlIdentifier.fromInternal(RowMark.COLUMN)).isPresent()) {
            return;
        }
        progress.accept("adding the mark of each row to " + name);
        session.execute(SimpleStatement.newInstance("ALTER TABLE " + name + " ADD IF NOT EXISTS " + RowMark.DEFINITION)
                .setTimeout(TIMEOUT));
        if (!session.checkSchemaAgreement()) {
            throw new MigrationException(
                    ExitCode.CASSANDRA, "the nodes do not agree on the schema yet: run it again, which continues");
        }
    }

    private long fill(TableMetadata table, String name, TableWrites writes)
            throws InterruptedException, ExecutionException {
        RingPieces ring = new RingPieces(session, readers);
        List<String> key = table.getPrimaryKey().stream()
                .map(column -> column.getName().asCql(true))
                .toList();
        PreparedStatement select = session.prepare(SimpleStatement.newInstance("SELECT " + String.join(", ", key) + ", "
                        + RowMark.COLUMN + " FROM " + name + ring.where(table))
                .setConsistencyLevel(ConsistencyLevel.ALL)
                .setPageSize(PAGE)
                .setTimeout(TIMEOUT)
                .setIdempotent(true));
        PreparedStatement update = session.prepare(SimpleStatement.newInstance("UPDATE " + name + " SET "
                        + RowMark.COLUMN + " = " + RowMark.FREE + " WHERE "
                        + key.stream().map(column -> column + " = ?").collect(Collectors.joining(" AND "))
                        // Without it, a row that was deleted meanwhile would come into being.
                        + " IF EXISTS")
                .setSerialConsistencyLevel(
                        writes.isEverywhere() ? ConsistencyLevel.SERIAL : ConsistencyLevel.LOCAL_SERIAL)
                // A majority of all replicas need not be one of those in the datacenter that decides.
                .setConsistencyLevel(ConsistencyLevel.ALL)
                .setTimeout(TIMEOUT));
        long filled = 0;
        for (long each : ring.read(piece -> piece(piece.bind(select), update, key.size()))) {
            filled += each;
        }
        return filled;
    }

    private static MigrationException failed(String name, Throwable cause) {
        return new MigrationException(
                ExitCode.CASSANDRA,
                "not every row of " + name + " has its mark, so the table stays closed: " + cause.getMessage()
                        + ". Bring all its nodes up, and run the command again, which continues",
                cause);
    }

    private long piece(BoundStatement select, PreparedStatement update, int keys) {
        long filled = 0;
        for (Row row : session.execute(select)) {
            if (row.isNull(keys)) {
                BoundStatementBuilder bound = update.boundStatementBuilder();
                for (int i = 0; i < keys; i++) {
                    bound = bound.setBytesUnsafe(i, row.getBytesUnsafe(i));
                }
                write(bound.build());
                filled++;
            }
        }
        return filled;
    }

    /** It may be repeated: twice is once, and nothing but this writes the column. */
    private void write(BoundStatement update) {
        long begun = nanoClock.getAsLong();
        while (true) {
            try {
                session.execute(update);
                return;
            } catch (DriverException e) {
                if (!RowWriter.mayHelpToRepeat(e) || nanoClock.getAsLong() - begun > RETRY_FOR.toNanos()) {
                    throw e;
                }
                Pause.of(PAUSE);
            }
        }
    }
}
