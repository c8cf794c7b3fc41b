package dev.cassidy.migration.rows;

import com.datastax.oss.driver.api.core.CqlSession;
import dev.cassidy.migration.rows.SourceWriter.Change;
import dev.cassidy.migration.source.Source;
import dev.cassidy.migration.source.SourceTable;
import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Brings the rows that Cassandra took back into the source, with their ids. What to write follows from a comparison of all
 * rows, so it may end anywhere and run again. A row is written if an application wrote it to Cassandra since the copy, as its
 * cells' write times tell: it is inserted if the source does not have its key, and updated if it has other values. Everything
 * else that differs is counted and left alone. Both sides are at rest meanwhile.
 */
public final class BackCopier {

    private static final int MAX_EXAMPLES = 20;
    private static final int MAX_RANGES = 10_000;

    /** How many rows of ranges that differ are held in memory at a time. */
    private static final int MAX_ROWS = 100_000;

    /**
     * What was done to a table, and what still differs.
     *
     * @param rows of Cassandra
     * @param inserted rows; of a dry run those that would be
     * @param updated rows; of a dry run those that would be
     * @param left rows that an application wrote to Cassandra and that the source does not have so; of a dry run 0
     * @param onlyInSource rows that Cassandra does not have: an application deleted them, or they were never copied
     * @param changedInSource rows with other values in the source, of which Cassandra has no younger cell than the copy's
     * @param deletedInSource rows that were copied, and that the source does not have any more
     * @param unmatched columns of Cassandra that no column of the source takes; their values stay behind
     * @param refusals why the source refused rows, by their key; at most 20
     * @param examples keys of rows that differ, as CQL writes them; at most 20
     */
    public record Result(
            String table,
            String target,
            long rows,
            long inserted,
            long updated,
            long left,
            long onlyInSource,
            long changedInSource,
            long deletedInSource,
            List<String> unmatched,
            Map<String, String> refusals,
            List<String> examples) {

        public Result {
            unmatched = List.copyOf(unmatched);
            examples = List.copyOf(examples);
        }

        /** Returns whether the source has every row of Cassandra, with the same values, and no other one. */
        public boolean equal() {
            return left + onlyInSource + changedInSource + deletedInSource == 0;
        }
    }

    private final Source source;
    private final TargetScan scan;
    private final long copied;
    private final CopySettings settings;
    private final LongConsumer progress;

    /**
     * @param copied the latest timestamp of the copy, in microseconds since 1970
     * @param progress gets the number of rows that were written
     */
    public BackCopier(
            Source source,
            CqlSession session,
            long copied,
            CopySettings settings,
            LongConsumer progress,
            LongSupplier nanoClock) {
        this.source = source;
        this.scan = new TargetScan(session, settings.parallelism(), settings.retryFor(), nanoClock);
        this.copied = copied;
        this.settings = settings;
        this.progress = progress;
    }

    /** Returns the tables in an order in which rows follow those that they point to, as far as there is one. */
    public static List<RowTable> parentsFirst(List<RowTable> tables) {
        List<RowTable> waiting = new ArrayList<>(tables);
        List<RowTable> ordered = new ArrayList<>();
        while (!waiting.isEmpty()) {
            RowTable next = waiting.stream()
                    .filter(table -> waiting.stream().noneMatch(other -> other != table && pointsTo(table, other)))
                    .findFirst()
                    .orElse(waiting.get(0));
            waiting.remove(next);
            ordered.add(next);
        }
        return ordered;
    }

    private static boolean pointsTo(RowTable table, RowTable other) {
        SourceTable to = other.source();
        return table.source().foreignKeys().stream()
                .anyMatch(key -> key.referencedSchema().equals(to.schema())
                        && key.referencedTable().equals(to.name()));
    }

    /**
     * Writes back what an application wrote to Cassandra, and compares again.
     *
     * @param dryRun whether to count alone
     */
    public Result copyBack(RowTable table, boolean dryRun) throws InterruptedException {
        if (dryRun) {
            Differences found = compare(table, changes -> {});
            return found.result(found.missing, found.different, 0, Map.of());
        }
        long[] written = new long[2];
        Map<String, String> refusals;
        Differences found;
        try (SourceWriter writer = new SourceWriter(source, table)) {
            found = compare(table, changes -> {
                long[] some = writer.write(changes);
                written[0] += some[0];
                written[1] += some[1];
                progress.accept(some[0] + some[1]);
            });
            refusals = writer.refusals();
        }
        if (found.missing + found.different > 0) {
            // What counts is what the source holds now.
            found = compare(table, changes -> {});
        }
        return found.result(written[0], written[1], found.missing + found.different, refusals);
    }

    /** What Cassandra has of a piece of the ring, by parts of the split column's values. One thread. */
    private static final class Piece implements TargetScan.Visitor {
        private final RowTable table;
        private final long width;
        private final RowSum hashes = new RowSum();
        private final Map<Long, RowSum.Totals> sums = new HashMap<>();

        Piece(RowTable table, long width) {
            this.table = table;
            this.width = width;
        }

        @Override
        public void row(@Nullable ByteBuffer[] values, TargetScan.Age age) {
            RowSum.Hash hash = table.meaning(hashes, values);
            sums.merge(
                    Math.floorDiv(table.splitValue(values), width),
                    new RowSum.Totals(1, hash.high(), hash.low()),
                    RowSum.Totals::plus);
        }
    }

    /** A row of Cassandra, of a range that differs. */
    private static final class Known {
        private final @Nullable ByteBuffer[] values;
        private final RowSum.Hash hash;
        private final TargetScan.Age age;

        Known(@Nullable ByteBuffer[] values, RowSum.Hash hash, TargetScan.Age age) {
            this.values = values;
            this.hash = hash;
            this.age = age;
        }
    }

    private static final class Rows implements TargetScan.Visitor {
        private final RowTable table;
        private final IdRanges ranges;
        private final Set<Integer> wanted;
        private final RowSum hashes = new RowSum();
        private final Map<RowSum.Hash, Known> rows = new HashMap<>();

        Rows(RowTable table, IdRanges ranges, Set<Integer> wanted) {
            this.table = table;
            this.ranges = ranges;
            this.wanted = wanted;
        }

        @Override
        public void row(@Nullable ByteBuffer[] values, TargetScan.Age age) {
            if (wanted.contains(ranges.indexOf(table.splitValue(values)))) {
                rows.put(hashes.hash(values, table.keys()), new Known(values, table.meaning(hashes, values), age));
            }
        }
    }

    private static final class Differences {
        private final RowTable table;
        private long rows;
        private long missing;
        private long different;
        private long onlyInSource;
        private long changedInSource;
        private long deletedInSource;
        private final List<String> examples = new ArrayList<>();

        Differences(RowTable table) {
            this.table = table;
        }

        void example(String what, @Nullable ByteBuffer[] values) {
            if (examples.size() < MAX_EXAMPLES) {
                examples.add(what + ": " + table.shownKey(values));
            }
        }

        Result result(long inserted, long updated, long left, Map<String, String> refusals) {
            return new Result(
                    table.name(),
                    table.target(),
                    rows,
                    inserted,
                    updated,
                    left,
                    onlyInSource,
                    changedInSource,
                    deletedInSource,
                    table.unmatched(),
                    refusals,
                    examples);
        }
    }

    /** Values that the source keeps more exactly than Cassandra are the same where Cassandra's are. */
    private static final Losses LOST_BEFORE = (column, kind, was, becomes) -> {};

    private Differences compare(RowTable table, Consumer<List<Change>> changes) throws InterruptedException {
        SortedMap<Long, RowSum.Totals> parts = new TreeMap<>();
        for (Piece piece : scan.read(table, copied, () -> new Piece(table, settings.rangeSize()))) {
            piece.sums.forEach((part, totals) -> parts.merge(part, totals, RowSum.Totals::plus));
        }
        IdRanges ranges = ranges(table, parts);
        Map<Integer, RowSum.Totals> there = new TreeMap<>();
        parts.forEach((part, totals) -> there.merge(ranges.indexOf(first(part)), totals, RowSum.Totals::plus));
        Differences found = new Differences(table);
        found.rows = parts.values().stream().mapToLong(RowSum.Totals::rows).sum();
        try (Connection connection = source.connect()) {
            connection.setAutoCommit(false);
            Set<Integer> differing = new TreeSet<>();
            long held = 0;
            for (int range = 0; range < ranges.count(); range++) {
                RowSum sum = new RowSum();
                each(connection, table, ranges, range, values -> sum.add(table.meaning(sum, values)));
                RowSum.Totals target = there.getOrDefault(range, RowSum.Totals.NONE);
                if (!sum.totals().equals(target)) {
                    differing.add(range);
                    held += target.rows();
                }
                if (held > MAX_ROWS || range == ranges.count() - 1) {
                    compareRows(connection, table, ranges, differing, found, changes);
                    differing.clear();
                    held = 0;
                }
            }
            return found;
        } catch (SQLException e) {
            throw RangeRunner.sourceFailure(table.select(), e);
        }
    }

    /** Of the parts in which Cassandra has rows; what the source has elsewhere belongs to the range before. */
    private IdRanges ranges(RowTable table, SortedMap<Long, RowSum.Totals> parts) {
        if (table.splitIndex() < 0) {
            return new IdRanges(List.of());
        }
        int step = parts.size() / MAX_RANGES + 1;
        List<Long> bounds = new ArrayList<>();
        int number = 0;
        for (long part : parts.keySet()) {
            if (number > 0 && number % step == 0) {
                bounds.add(first(part));
            }
            number++;
        }
        return new IdRanges(bounds);
    }

    private long first(long part) {
        // The least part may begin below the least number.
        return Math.max(part, Long.MIN_VALUE / settings.rangeSize()) * settings.rangeSize();
    }

    private interface RowUser {
        void row(@Nullable ByteBuffer[] values);
    }

    private void each(Connection connection, RowTable table, IdRanges ranges, int range, RowUser user)
            throws SQLException {
        try (Statement statement = RangeRunner.statement(source, connection);
                ResultSet found = statement.executeQuery(RangeRunner.select(table, ranges, range))) {
            while (found.next()) {
                user.row(table.read(found, LOST_BEFORE));
            }
        }
        connection.rollback();
    }

    private void compareRows(
            Connection connection,
            RowTable table,
            IdRanges ranges,
            Set<Integer> differing,
            Differences found,
            Consumer<List<Change>> writer)
            throws SQLException, InterruptedException {
        if (differing.isEmpty()) {
            return;
        }
        Set<Integer> wanted = Set.copyOf(differing);
        Map<RowSum.Hash, Known> there = new HashMap<>();
        scan.read(table, copied, () -> new Rows(table, ranges, wanted)).forEach(piece -> there.putAll(piece.rows));
        List<Change> changes = new ArrayList<>();
        RowSum hashes = new RowSum();
        for (int range : wanted) {
            each(connection, table, ranges, range, values -> {
                Known known = there.remove(hashes.hash(values, table.keys()));
                if (known == null) {
                    found.onlyInSource++;
                    found.example("only in the source", values);
                } else if (!known.hash.equals(table.meaning(hashes, values))) {
                    if (known.age == TargetScan.Age.YOUNGER) {
                        found.different++;
                        found.example("different", values);
                        changes.add(Change.update(known.values, values));
                    } else {
                        found.changedInSource++;
                        found.example("different, and not written in Cassandra since the copy", values);
                    }
                }
            });
        }
        for (Known known : there.values()) {
            if (known.age == TargetScan.Age.COPIED) {
                found.deletedInSource++;
                found.example("was copied and is gone in the source", known.values);
            } else {
                found.missing++;
                found.example("missing in the source", known.values);
                changes.add(Change.insert(known.values));
            }
        }
        changes.sort(Comparator.comparingLong(change -> table.splitValue(change.values())));
        writer.accept(changes);
    }
}
