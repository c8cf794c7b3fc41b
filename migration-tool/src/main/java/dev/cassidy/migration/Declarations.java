package dev.cassidy.migration;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.metadata.schema.ColumnMetadata;
import com.datastax.oss.driver.api.core.metadata.schema.TableMetadata;
import com.datastax.oss.driver.api.core.type.DataTypes;
import dev.cassidy.jdbc.run.TableDeclarations;
import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.migration.error.MigrationException;
import dev.cassidy.migration.rows.RowMarks;
import dev.cassidy.migration.target.Target;
import dev.cassidy.migration.target.TargetTable;
import dev.cassidy.sequence.IdentityColumn;
import dev.cassidy.sequence.cassandra.InternalAccess;
import dev.cassidy.table.ColumnDefault;
import dev.cassidy.table.TableWrites;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What {@code tables declare} says of a table.
 *
 * @param writes how its rows are written, if that is exactly; null if that is not declared
 */
record Declarations(List<ColumnDefault> defaults, @Nullable TableWrites writes) {

    private static final String EXACT = "exact";
    private static final String AT_HOME = EXACT + ":";

    /** How many pieces of a table get the marks of their rows at the same time. */
    private static final int MARKERS = 16;

    /**
     * Checks what was given; nothing is written.
     *
     * @throws MigrationException {@link ExitCode#USAGE} or {@link ExitCode#REFUSED} naming what cannot be declared
     */
    static Declarations of(Target opened, TargetTable target, List<String> defaults, @Nullable String mode) {
        if (defaults.isEmpty() && mode == null) {
            return new Declarations(List.of(), null);
        }
        TableMetadata table = opened.table(target)
                .orElseThrow(() -> new MigrationException(
                        ExitCode.REFUSED,
                        "table " + target.sequence() + " does not exist in Cassandra; create it first, or let CREATE"
                                + " TABLE in T-SQL declare its defaults"));
        Optional<String> id = opened.identityColumns().stream()
                .filter(target::sameTable)
                .map(IdentityColumn::column)
                .findFirst();
        try {
            List<ColumnDefault> read = new ArrayList<>();
            for (String each : defaults) {
                ColumnDefault given = columnDefault(table, each);
                if (id.filter(given.column()::equals).isPresent()) {
                    throw new MigrationException(
                            ExitCode.REFUSED,
                            "column '" + given.column() + "' is the identity of " + target.sequence()
                                    + " and has no default: --defaults '" + each + "'");
                }
                read.add(given);
            }
            return new Declarations(List.copyOf(read), mode == null ? null : writes(opened, table, target, mode));
        } catch (SQLException e) {
            throw new MigrationException(ExitCode.REFUSED, String.valueOf(e.getMessage()), e);
        }
    }

    private static ColumnDefault columnDefault(TableMetadata table, String declared) throws SQLException {
        int equals = declared.indexOf('=');
        if (equals < 1) {
            throw new MigrationException(
                    ExitCode.USAGE, "must be column=expression, such as qty=0: --defaults '" + declared + "'");
        }
        CqlIdentifier column;
        try {
            column = CqlIdentifier.fromCql(declared.substring(0, equals).strip());
        } catch (IllegalArgumentException e) {
            throw new MigrationException(
                    ExitCode.USAGE, "must begin with the name of a column: --defaults '" + declared + "'", e);
        }
        return TableDeclarations.columnDefault(
                table, column.asInternal(), declared.substring(equals + 1).strip());
    }

    private static TableWrites writes(Target opened, TableMetadata table, TargetTable target, String mode) {
        requireExact(mode);
        if (table.getColumns().values().stream()
                .anyMatch(column -> column.getType().equals(DataTypes.COUNTER))) {
            throw new MigrationException(
                    ExitCode.REFUSED,
                    "table " + target.sequence() + " has counters, which Cassandra cannot write under a condition");
        }
        if (table.getColumns().values().stream().anyMatch(ColumnMetadata::isStatic)) {
            throw new MigrationException(
                    ExitCode.REFUSED,
                    "table " + target.sequence()
                            + " has static columns, which are no row's: its writes cannot be exact");
        }
        return exact(opened, target, mode, null);
    }

    /** @throws MigrationException {@link ExitCode#USAGE} if a mode does not say that writes are exact */
    static void requireExact(String mode) {
        if (!isExact(mode)) {
            throw new MigrationException(
                    ExitCode.USAGE, "must be exact, exact:<datacenter> or serial: --writes '" + mode + "'");
        }
    }

    /** Returns whether a mode says that writes are exact: exact, exact:datacenter or serial. */
    static boolean isExact(@Nullable String mode) {
        return mode != null
                && (mode.equals(EXACT)
                        || mode.equals("serial")
                        || (mode.startsWith(AT_HOME) && !home(mode).isBlank()));
    }

    private static String home(String mode) {
        return mode.substring(AT_HOME.length());
    }

    /**
     * Returns how a table is written whose writes are exact.
     *
     * @param mode for which {@link #isExact} is true
     * @param fresh the table, if it is about to be created; null if it has rows already
     * @throws MigrationException {@link ExitCode#USAGE} naming the datacenters, if none of them is meant
     */
    static TableWrites exact(Target opened, TargetTable target, String mode, @Nullable UUID fresh) {
        if (mode.equals("serial")) {
            return new TableWrites(target.keyspace(), target.table(), "", fresh, false);
        }
        Optional<String> home = mode.startsWith(AT_HOME) ? Optional.of(home(mode)) : Optional.empty();
        try {
            return InternalAccess.tables(opened.sequences()).exactOf(target.keyspace(), target.table(), home, fresh);
        } catch (IllegalArgumentException e) {
            throw new MigrationException(
                    ExitCode.USAGE,
                    home.isPresent()
                            ? "--writes '" + mode + "' " + e.getMessage()
                            : "--writes 'exact' needs a datacenter where there are several: give exact:<datacenter>, whose nodes"
                                    + " decide the order of the table's writes, or serial, where those of all do",
                    e);
        }
    }

    /** Returns the mode as a report shows it; null if none is declared. */
    @Nullable
    String mode() {
        return writes == null ? null : "exactly, " + writes.deciders();
    }

    /** @param skew by how much clocks may be ahead */
    void register(Target opened, TargetTable table, Duration skew, Consumer<String> progress) {
        for (ColumnDefault each : defaults) {
            InternalAccess.tables(opened.sequences()).registerDefault(each);
        }
        if (writes != null) {
            InternalAccess.tables(opened.sequences()).declareWrites(writes, skew, () -> new RowMarks(
                            opened.session(), MARKERS, progress, System::nanoTime)
                    .fill(opened.table(table).orElseThrow(), writes));
        }
    }

    /** Returns the defaults as a report shows them. */
    List<Report.DeclaredDefault> shown() {
        return defaults.stream()
                .map(each -> new Report.DeclaredDefault(each.column(), each.name(), each.expression()))
                .toList();
    }
}
