package dev.cassidy.assist.eval;

import dev.cassidy.collation.Collation;
import dev.cassidy.jdbc.assist.ColumnModel;
import dev.cassidy.jdbc.assist.Evaluated;
import dev.cassidy.jdbc.assist.EvaluationException;
import dev.cassidy.jdbc.assist.EvaluationTimeoutException;
import dev.cassidy.jdbc.assist.SessionLanguage;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import net.sf.jsqlparser.schema.Table;
import net.sf.jsqlparser.statement.select.Select;
import org.h2.api.ErrorCode;
import org.jspecify.annotations.Nullable;

/**
 * Evaluates SELECTs of T-SQL over rows that were read, in H2, with SQL Server's meaning. What it does not evaluate as SQL Server does,
 * it refuses. No row of an evaluation is left after it, and none sees the rows of another. Safe for use by many threads.
 *
 * <p>Strings are compared by the collation of the columns that the statement uses; by UTF-16 units if these have none or a binary one, where
 * blanks at the end count. A statement that uses columns of different collations is refused, but for columns of TEXT, NTEXT and XML. A column
 * that is only shown may have any.
 */
public final class Engine implements AutoCloseable {

    private final InstantSource clock;
    private final Supplier<ZoneId> zones;
    private final Limits limits;
    private final Map<Optional<Collation>, Evaluations> databases = new ConcurrentHashMap<>();

    /**
     * Opens no database yet: the first evaluation of a collation does, or {@link #warm}.
     *
     * @param clock gives the time of a statement
     * @param zones gives the zone of whose clocks a statement sees the times; it is asked once for each
     */
    public Engine(InstantSource clock, Supplier<ZoneId> zones, Limits limits) {
        this.clock = Objects.requireNonNull(clock, "clock");
        this.zones = Objects.requireNonNull(zones, "zones");
        this.limits = Objects.requireNonNull(limits, "limits");
    }

    /** Opens the database of a collation, which takes some hundred milliseconds in a new process. Null is that of UTF-16 units. */
    public void warm(@Nullable Collation collation) {
        database(key(collation));
    }

    /** As {@link #evaluate(Select, IdentityHashMap, List, SessionLanguage, Duration, CompletableFuture)}, for as long as the engine's limits say. */
    public Evaluated evaluate(
            Select tree,
            IdentityHashMap<Table, FedTable> tables,
            List<? extends @Nullable Object> parameters,
            SessionLanguage language) {
        return evaluate(tree, tables, parameters, language, limits.time(), new CompletableFuture<Void>());
    }

    /**
     * Evaluates a SELECT.
     *
     * @param tree as JSqlParser reads it, with square brackets as quotes
     * @param tables the rows for each node of the tree that names a table, by identity; a common table expression is none
     * @param parameters a value for each {@code ?}, of the classes that {@link FedTable} names
     * @param language how the session reads and shows dates
     * @param time how long it may take
     * @param stop ends it, if it is cancelled by another thread
     * @throws EvaluationTimeoutException if it takes longer
     * @throws CancellationException if it was ended
     * @throws NotEvaluatedException if a part of the statement is not evaluated here
     * @throws EvaluationException if SQL Server refuses it too
     */
    public Evaluated evaluate(
            Select tree,
            IdentityHashMap<Table, FedTable> tables,
            List<? extends @Nullable Object> parameters,
            SessionLanguage language,
            Duration time,
            CompletableFuture<?> stop) {
        Limits own = limits.within(time);
        ZoneId zone = zones.get();
        try {
            Instant now = clock.instant();
            Dialect.Written written =
                    Dialect.write(tree, tables, new ArrayList<>(parameters), language, now, zone, false);
            Optional<Collation> collation = collation(written.used());
            if (collation.isEmpty()) {
                // Only now it is known that strings are compared by code.
                written = Dialect.write(tree, tables, new ArrayList<>(parameters), language, now, zone, true);
            }
            Evaluations evaluations = database(collation);
            Running.begin(collation.orElse(null), language, zone, own);
            return evaluations.run(written, tables, language, zone, own, stop);
        } catch (SQLException e) {
            if (e.getErrorCode() == ErrorCode.STATEMENT_WAS_CANCELED && stop.isCancelled()) {
                throw new CancellationException("The evaluation was ended");
            }
            throw Failures.of(e, own);
        } catch (StackOverflowError e) {
            // The connection is closed by now, and nothing of H2 is shared but what it had read before.
            throw Failures.nested();
        } finally {
            Running.end();
        }
    }

    private Evaluations database(Optional<Collation> collation) {
        return databases.computeIfAbsent(collation, each -> new Evaluations(Database.open(each.orElse(null))));
    }

    private static Optional<Collation> key(@Nullable Collation collation) {
        return collation == null || collation.isBinary() ? Optional.empty() : Optional.of(collation);
    }

    private static Optional<Collation> collation(Set<ColumnModel> columns) {
        Optional<Collation> found = Optional.empty();
        ColumnModel first = null;
        for (ColumnModel column : columns) {
            if (!isCompared(column)) {
                continue;
            }
            Optional<Collation> own = key(column.collation());
            if (first != null && !found.equals(own)) {
                throw new NotEvaluatedException(
                        "A statement that uses the columns " + first.name() + " and " + column.name(),
                        "their collations differ",
                        "Declare both with one collation, or only show one of them");
            }
            first = column;
            found = own;
        }
        return first == null ? Optional.of(Collation.standard()) : found;
    }

    private static boolean isCompared(ColumnModel column) {
        return switch (column.type().name()) {
            case CHAR, VARCHAR, NCHAR, NVARCHAR -> true;
            default -> false;
        };
    }

    /** Closes the databases. Evaluations that run fail or end. */
    @Override
    public void close() {
        for (Evaluations each : databases.values()) {
            try {
                each.close();
            } catch (SQLException e) {
                throw new IllegalStateException("H2 does not close its database in memory", e);
            }
        }
    }
}
