package dev.cassidy.migration.rows;

import com.datastax.oss.driver.api.core.CqlSession;
import dev.cassidy.migration.source.Source;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Compares the rows of the source with those of Cassandra, by number and checksum of each range. A row of which an application
 * has written a cell since the copy is not compared: it is meant to differ. Of ranges that differ, the rows are compared.
 */
public final class RowVerifier {

    private static final int MAX_EXAMPLES = 20;

    /** How many rows of ranges that differ are held in memory at a time. */
    private static final int MAX_ROWS = 1_000_000;

    /** How many rows with other spellings of their keys are held, with all of their values. */
    private static final int MAX_HELD_ROWS = 100_000;

    /**
     * What a comparison found.
     *
     * @param rows of the source that were compared
     * @param younger rows of Cassandra that an application has written to since the copy; they were not compared
     * @param missing rows of the source that Cassandra does not have
     * @param different rows that both have, with different values
     * @param extra rows of Cassandra that the source does not have, and that no application has written to since
     * @param wrongKeys rows of Cassandra that were written since, with a key that is not that of their value: no statement of Cassidy finds
     *     or changes them
     * @param changedRanges ranges of the source that are not what they were when they were copied
     * @param reread whether the source was read again; otherwise what was read by the copy was compared
     * @param examples keys of rows that differ, as CQL writes them
     */
    public record Comparison(
            String table,
            String target,
            long rows,
            long younger,
            long missing,
            long different,
            long extra,
            long wrongKeys,
            int changedRanges,
            boolean reread,
            List<String> examples) {

        public Comparison {
            examples = List.copyOf(examples);
        }

        public boolean equal() {
            return missing == 0 && different == 0 && extra == 0 && wrongKeys == 0;
        }

        /** Returns whether the table has rows, and all of them are younger than the copy: then nothing is known of them. */
        public boolean comparedNothing() {
            return equal() && rows == 0 && younger > 0;
        }
    }

    private final Source source;
    private final CqlSession session;
    private final Journal journal;
    private final CopySettings settings;
    private final LongSupplier nanoClock;
    private final TargetScan scan;

    public RowVerifier(
            Source source, CqlSession session, Journal journal, CopySettings settings, LongSupplier nanoClock) {
        this.source = source;
        this.session = session;
        this.journal = journal;
        this.settings = settings;
        this.nanoClock = nanoClock;
        this.scan = new TargetScan(this.session, settings.parallelism(), settings.retryFor(), nanoClock);
    }

    /** What Cassandra has of a piece of the ring. One thread. */
    private static final class Piece implements TargetScan.Visitor {
        private final RowTable table;
        private final IdRanges ranges;
        private final int split;
        private final RowSum hashes = new RowSum();
        private final Map<Integer, RowSum.Totals> sums = new HashMap<>();
        private final Set<RowSum.Hash> younger = new HashSet<>();
        private final Set<Integer> rangesOfYounger = new TreeSet<>();
        private final List<@Nullable ByteBuffer[]> examples = new ArrayList<>();
        private long wrongKeys;

        Piece(RowTable table, IdRanges ranges) {
            this.table = table;
            this.ranges = ranges;
            this.split = table.splitIndex();
        }

        @Override
        public void row(@Nullable ByteBuffer[] values, TargetScan.Age age) {
            int range = range(values);
            if (age == TargetScan.Age.YOUNGER) {
                younger.add(hashes.hash(values, table.keys()));
                rangesOfYounger.add(range);
                if (!table.hasOwnKey(values)) {
                    wrongKeys++;
                    if (examples.size() < MAX_EXAMPLES) {
                        examples.add(values);
                    }
                }
            } else {
                RowSum.Hash hash = hashes.hash(values, values.length);
                sums.merge(range, new RowSum.Totals(1, hash.high(), hash.low()), RowSum.Totals::plus);
            }
        }

        private int range(@Nullable ByteBuffer[] values) {
            return rangeOf(table, ranges, split, values);
        }
    }

    private static int rangeOf(RowTable table, IdRanges ranges, int split, @Nullable ByteBuffer[] values) {
        return split < 0 ? 0 : ranges.indexOf(table.splitValue(values));
    }

    /**
     * Compares a table.
     *
     * @param reread whether the source is read again; otherwise what the copy read is compared, and only ranges that differ are
     *     read again
     */
    public Comparison compare(RowTable table, boolean reread) throws InterruptedException {
        return compare(table, reread, null);
    }

    /**
     * Reads the source again, and brings the rows that differ to what the source has now. What an application has written since
     * the copy stays.
     *
     * @param wanted the timestamp to write with, in microseconds since 1970, if it is later than all before
     * @return what differed
     */
    public Comparison repair(RowTable table, long wanted) throws InterruptedException, IOException {
        try (RowChanges changes = new RowChanges(session, table, settings, journal, wanted, nanoClock)) {
            Comparison found = compare(table, true, changes);
            changes.await();
            return found;
        }
    }

    private Comparison compare(RowTable table, boolean reread, @Nullable RowChanges repair)
            throws InterruptedException {
        IdRanges ranges = journal.ranges(table.name()).orElseThrow();
        Map<Integer, RowSum.Totals> copied = journal.done(table.name());
        Map<Integer, RowSum.Totals> there = new TreeMap<>();
        Set<RowSum.Hash> younger = new HashSet<>();
        Set<Integer> doubtful = new TreeSet<>();
        Differences found = new Differences(table, repair);
        for (Piece piece : scan.read(table, journal.lastTimestamp(), () -> new Piece(table, ranges))) {
            piece.sums.forEach((range, totals) -> there.merge(range, totals, RowSum.Totals::plus));
            younger.addAll(piece.younger);
            doubtful.addAll(piece.rangesOfYounger);
            found.wrongKeys += piece.wrongKeys;
            piece.examples.forEach(values -> found.example("has the key of another value", values));
        }
        if (repair != null && found.wrongKeys > 0) {
            // The row that should have that key would be written beside it.
            throw new RowRefused(
                    found.wrongKeys + " rows of " + table.target()
                            + " have keys that are not those of their values, because CQL wrote them that does not know how a collation"
                            + " compares: " + String.join("; ", found.examples)
                            + ". Delete them by CQL, with the whole key, and write them through the JDBC driver or a session of Cassidy");
        }
        long rows = 0;
        int changed = 0;
        List<Integer> differing = new ArrayList<>();
        Consumer<@Nullable ByteBuffer[]> apart =
                apart(table, repair, Runtime.getRuntime().maxMemory() / 2);
        try (Connection connection = source.connect()) {
            connection.setAutoCommit(false);
            for (int range = 0; range < ranges.count(); range++) {
                RowSum.Totals target = there.getOrDefault(range, RowSum.Totals.NONE);
                RowSum.Totals before = copied.get(range);
                if (!reread && !doubtful.contains(range) && target.equals(before)) {
                    rows += target.rows();
                    continue;
                }
                SourceRange now = read(connection, table, ranges, range, younger, apart);
                changed += before != null && !before.equals(now.all) ? 1 : 0;
                rows += now.compared.rows();
                if (!now.compared.equals(target)) {
                    differing.add(range);
                }
            }
            // Since they were read first, another one may have come.
            apart = apart(table, repair, memory());
            for (List<Integer> some : inParts(differing, there)) {
                compareRows(connection, table, ranges, some, younger, found, apart);
            }
            return new Comparison(
                    table.name(),
                    table.target(),
                    rows,
                    younger.size(),
                    found.missing,
                    found.different,
                    found.extra,
                    found.wrongKeys,
                    changed,
                    reread,
                    found.examples);
        } catch (SQLException e) {
            throw RangeRunner.sourceFailure(table.select(), e);
        }
    }

    /** Returns what refuses the second of two rows with one key: it would be written over the other, and which one would be chance. */
    private Consumer<@Nullable ByteBuffer[]> apart(RowTable table, @Nullable RowChanges repair, long memory) {
        if (repair == null || !table.mayBeAlike()) {
            return values -> {};
        }
        RowSum hashes = new RowSum();
        SeenValues seen = new SeenValues(memory, "whether keys of " + table.name() + " are equal");
        return values -> {
            if (!seen.add(hashes.hash(values, table.keys()))) {
                throw FoldedKeys.refusal(source, table, values);
            }
        };
    }

    /** What the source has of a range: all of its rows, and those that are compared. */
    private record SourceRange(RowSum.Totals all, RowSum.Totals compared) {}

    private interface RowUser {
        void row(@Nullable ByteBuffer[] values) throws InterruptedException;
    }

    /** Of rows that are only compared: a row whose values are not accepted was not copied, and differs. */
    private static final Losses COUNTED_AS_DIFFERENT = (column, kind, was, becomes) -> {};

    private void each(Connection connection, RowTable table, IdRanges ranges, int range, Losses losses, RowUser user)
            throws SQLException, InterruptedException {
        try (Statement statement = RangeRunner.statement(source, connection);
                ResultSet found = statement.executeQuery(RangeRunner.select(table, ranges, range))) {
            while (found.next()) {
                user.row(table.read(found, losses));
            }
        }
        connection.rollback();
    }

    private SourceRange read(
            Connection connection,
            RowTable table,
            IdRanges ranges,
            int range,
            Set<RowSum.Hash> younger,
            Consumer<@Nullable ByteBuffer[]> apart)
            throws SQLException, InterruptedException {
        RowSum all = new RowSum();
        RowSum compared = new RowSum();
        each(connection, table, ranges, range, COUNTED_AS_DIFFERENT, values -> {
            apart.accept(values);
            RowSum.Hash hash = all.hash(values, values.length);
            all.add(hash);
            if (younger.isEmpty() || !younger.contains(all.hash(values, table.keys()))) {
                compared.add(hash);
            }
        });
        return new SourceRange(all.totals(), compared.totals());
    }

    /** Divides ranges so that the rows of each part fit into memory. */
    private static List<List<Integer>> inParts(List<Integer> differing, Map<Integer, RowSum.Totals> there) {
        List<List<Integer>> parts = new ArrayList<>();
        List<Integer> part = new ArrayList<>();
        long rows = 0;
        for (int range : differing) {
            part.add(range);
            rows += there.getOrDefault(range, RowSum.Totals.NONE).rows();
            if (rows > MAX_ROWS) {
                parts.add(part);
                part = new ArrayList<>();
                rows = 0;
            }
        }
        if (!part.isEmpty()) {
            parts.add(part);
        }
        return parts;
    }

    private static final class Differences {
        private final RowTable table;
        private final @Nullable RowChanges repair;
        private long missing;
        private long different;
        private long extra;
        private long wrongKeys;
        private final List<@Nullable ByteBuffer[]> held = new ArrayList<>();
        private final List<String> examples = new ArrayList<>();

        Differences(RowTable table, @Nullable RowChanges repair) {
            this.table = table;
            this.repair = repair;
        }

        Losses losses(CopySettings settings) {
            return repair == null ? COUNTED_AS_DIFFERENT : settings.losses();
        }

        void write(@Nullable ByteBuffer[] values) throws InterruptedException {
            if (repair != null) {
                repair.write(values);
            }
        }

        /** As the other, of a row in place of one with another spelling: that may come from a row of the source that is yet to be read. */
        void writeLater(@Nullable ByteBuffer[] values) throws InterruptedException {
            if (repair == null) {
                return;
            }
            held.add(values);
            if (held.size() == MAX_HELD_ROWS) {
                writeHeld();
            }
        }

        void writeHeld() throws InterruptedException {
            for (@Nullable ByteBuffer[] values : held) {
                write(values);
            }
            held.clear();
        }

        void delete(@Nullable ByteBuffer[] key) throws InterruptedException {
            if (repair != null) {
                repair.delete(key);
            }
        }

        void example(String what, @Nullable ByteBuffer[] values) {
            if (examples.size() < MAX_EXAMPLES) {
                examples.add(what + ": " + table.shownKey(values));
            }
        }
    }

    /** A row of Cassandra, of a range that differs. */
    private record Known(RowSum.Hash hash, RowSum.Hash spelling, List<ByteBuffer> key) {}

    /** Returns the hash of a key as the source has it. */
    private static RowSum.Hash spelling(RowSum hashes, RowTable table, @Nullable ByteBuffer[] values) {
        @Nullable ByteBuffer[] key = new ByteBuffer[table.keys()];
        for (int i = 0; i < key.length; i++) {
            key[i] = values[table.valueIndex(i)];
        }
        return hashes.hash(key, key.length);
    }

    private static final class Rows implements TargetScan.Visitor {
        private final RowTable table;
        private final IdRanges ranges;
        private final Collection<Integer> wanted;
        private final RowSum hashes = new RowSum();
        private final Map<RowSum.Hash, Known> rows = new HashMap<>();
        private final Set<RowSum.Hash> younger = new HashSet<>();

        Rows(RowTable table, IdRanges ranges, Collection<Integer> wanted) {
            this.table = table;
            this.ranges = ranges;
            this.wanted = wanted;
        }

        @Override
        public void row(@Nullable ByteBuffer[] values, TargetScan.Age age) {
            if (!wanted.contains(rangeOf(table, ranges, table.splitIndex(), values))) {
                return;
            }
            RowSum.Hash key = hashes.hash(values, table.keys());
            if (age == TargetScan.Age.YOUNGER) {
                younger.add(key);
            } else {
                rows.put(
                        key,
                        new Known(
                                hashes.hash(values, values.length),
                                spelling(hashes, table, values),
                                List.of(Arrays.copyOf(values, table.keys()))));
            }
        }
    }

    private static long memory() {
        return Runtime.getRuntime().maxMemory() / 4;
    }

    private void compareRows(
            Connection connection,
            RowTable table,
            IdRanges ranges,
            List<Integer> some,
            Set<RowSum.Hash> younger,
            Differences found,
            Consumer<@Nullable ByteBuffer[]> apart)
            throws SQLException, InterruptedException {
        Set<Integer> wanted = new HashSet<>(some);
        Map<RowSum.Hash, Known> there = new HashMap<>();
        for (Rows piece : scan.read(table, journal.lastTimestamp(), () -> new Rows(table, ranges, wanted))) {
            there.putAll(piece.rows);
            // An application may have written since the first look.
            younger.addAll(piece.younger);
        }
        RowSum hashes = new RowSum();
        for (int range : some) {
            each(connection, table, ranges, range, found.losses(settings), values -> {
                apart.accept(values);
                RowSum.Hash key = hashes.hash(values, table.keys());
                if (younger.contains(key)) {
                    return;
                }
                Known known = there.remove(key);
                if (known == null) {
                    found.missing++;
                    found.example("missing in Cassandra", values);
                    found.write(values);
                } else if (!known.hash().equals(hashes.hash(values, values.length))) {
                    found.different++;
                    found.example("different", values);
                    if (known.spelling().equals(spelling(hashes, table, values))) {
                        found.write(values);
                    } else {
                        found.writeLater(values);
                    }
                }
            });
        }
        found.writeHeld();
        for (Known known : there.values()) {
            found.extra++;
            @Nullable ByteBuffer[] key = known.key().toArray(new ByteBuffer[0]);
            found.example("not in the source", key);
            found.delete(key);
        }
    }
}
