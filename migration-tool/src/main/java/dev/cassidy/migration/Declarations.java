package dev.cassidy.migration;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.metadata.schema.TableMetadata;
import com.datastax.oss.driver.api.core.type.DataTypes;
import dev.cassidy.jdbc.run.TableDeclarations;
import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.migration.error.MigrationException;
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
import org.jspecify.annotations.Nullable;

/**
 * What {@code tables declare} says of a table.
 *
 * @param writes how its rows are written; null if that is not declared
 */
record Declarations(List<ColumnDefault> defaults, @Nullable TableWrites writes) {

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
            return new Declarations(List.copyOf(read), mode == null ? null : writes(table, target, mode));
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

    private static TableWrites writes(TableMetadata table, TargetTable target, String mode) {
        String[] parts = mode.split(":", 2);
        boolean versioned = parts.length == 2 && parts[0].equals("versioned");
        if (!versioned && !mode.equals("conditional") && !mode.equals("plain")) {
            throw new MigrationException(
                    ExitCode.USAGE, "must be conditional or versioned:<column>: --writes '" + mode + "'");
        }
        if (table.getColumns().values().stream()
                .anyMatch(column -> column.getType().equals(DataTypes.COUNTER))) {
            throw new MigrationException(
                    ExitCode.REFUSED,
                    "table " + target.sequence() + " has counters, which Cassandra cannot write under a condition");
        }
        if (!versioned) {
            return new TableWrites(
                    target.keyspace(),
                    target.table(),
                    mode.equals("plain") ? TableWrites.Mode.PLAIN : TableWrites.Mode.CONDITIONAL,
                    "",
                    false);
        }
        CqlIdentifier version;
        try {
            version = CqlIdentifier.fromCql(parts[1]);
        } catch (IllegalArgumentException e) {
            throw new MigrationException(
                    ExitCode.USAGE, "must end in the name of a column: --writes '" + mode + "'", e);
        }
        if (table.getColumn(version).isEmpty()) {
            throw new MigrationException(
                    ExitCode.REFUSED,
                    "table " + target.sequence() + " has no column '" + version.asInternal() + "': --writes '" + mode
                            + "'");
        }
        return new TableWrites(
                target.keyspace(), target.table(), TableWrites.Mode.VERSIONED, version.asInternal(), false);
    }

    /** Returns the mode as a report shows it; null if none is declared. */
    @Nullable
    String mode() {
        return writes == null ? null : writes.mode() + (writes.version().isEmpty() ? "" : " by " + writes.version());
    }

    /** @param skew by how much clocks may be ahead */
    void register(Target opened, TargetTable table, Duration skew) {
        for (ColumnDefault each : defaults) {
            InternalAccess.tables(opened.sequences()).registerDefault(each);
        }
        if (writes != null) {
            InternalAccess.tables(opened.sequences()).declareWrites(writes, skew);
        }
    }

    /** Returns the defaults as a report shows them. */
    List<Report.DeclaredDefault> shown() {
        return defaults.stream()
                .map(each -> new Report.DeclaredDefault(each.column(), each.name(), each.expression()))
                .toList();
    }
}
