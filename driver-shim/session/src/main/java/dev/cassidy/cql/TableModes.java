package dev.cassidy.cql;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.Statement;
import dev.cassidy.definition.CountMark;
import dev.cassidy.definition.RowMark;
import dev.cassidy.insert.CqlChange;
import dev.cassidy.insert.CqlInsert;
import dev.cassidy.insert.CqlWrite;
import dev.cassidy.insert.Identity;
import dev.cassidy.insert.Kind;
import dev.cassidy.insert.RecentStatements;
import dev.cassidy.insert.Scanner;
import dev.cassidy.insert.Tokens;
import dev.cassidy.table.TableWrites;
import dev.cassidy.transaction.cassandra.HomeNodes;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Refuses writes that are not exact to tables whose writes are, and says how the others are sent. Never blocks. */
final class TableModes {

    private static final CompletionStage<Sending> AS_IT_IS = CompletableFuture.completedFuture(Sending.AsItIs.INSTANCE);

    private static final Pattern DELETES_MARK = deletes(RowMark.COLUMN);

    private static final Pattern DELETES_COUNTS = deletes(CountMark.COLUMN);

    /** The one write of it that counts on: a row that has none yet gets one. */
    private static final Pattern GIVES_COUNTS = Pattern.compile(
            "\\A\\s*update\\b[^;]*?\\bif\\b[^;]*?\\b" + CountMark.COLUMN + "\\s*=\\s*(?:null\\b|\\?)[^;]*",
            Pattern.CASE_INSENSITIVE);

    private static final Pattern FREE = Pattern.compile("\\s*" + RowMark.FREE + "\\b", Pattern.CASE_INSENSITIVE);

    private static Pattern deletes(String column) {
        return Pattern.compile(
                "\\A\\s*delete\\b(?!\\s+from\\b)[^;]*?\\b" + column + "\\b[^;]*?\\bfrom\\b", Pattern.CASE_INSENSITIVE);
    }

    private final TableCatalog catalog;
    private final RecentStatements<Reading> readings = new RecentStatements<>(Reading::of);
    private final HomeNodes nodes;
    private final FreshInserts fresh;

    TableModes(TableCatalog catalog, CqlSession session) {
        this.catalog = catalog;
        this.nodes =
                new HomeNodes(session, catalog.tables().datacenter(), message -> new WriteModeException(message, true));
        this.fresh = new FreshInserts(session, System::nanoTime);
    }

    /** Returns whether no table is written exactly; false also if that is not known without a read. */
    boolean areNone() {
        return catalog.tables().areAllPlain() && !fresh.isAnyMarked();
    }

    /** Returns whether what is declared of every table is known without a read. */
    boolean areKnown() {
        return catalog.tables().isKnown();
    }

    /**
     * What else is in the batch of a statement.
     *
     * @param conditional whether one of its statements has a condition, which makes all of it conditional
     * @param inserted the tables that it inserts into without a condition
     */
    record Batched(boolean conditional, Set<CqlInsert.Table> inserted) {

        /** Of a statement that is sent by itself. */
        static final Batched NOT = new Batched(false, Set.of());
    }

    /**
     * Refuses a statement that must not be sent; returns how another one is.
     *
     * @param keyspace of a table that is named without one; null if there is none
     */
    CompletionStage<Sending> requireAllowed(
            String cql, List<CqlChange> changes, @Nullable String keyspace, Batched batched) {
        List<CqlChange> written = changes.stream().filter(CqlChange::writesRows).toList();
        boolean condition =
                batched.conditional() || (!written.isEmpty() && reading(cql).conditional());
        CompletionStage<Sending> all = AS_IT_IS;
        for (CqlChange each : written) {
            String in = each.keyspace() == null ? keyspace : each.keyspace();
            // Without a keyspace the server refuses the statement.
            all = in == null
                    ? all
                    : all.thenCombine(
                            sending(in, Objects.requireNonNull(each.name()), cql, written, condition, batched),
                            TableModes::both);
        }
        return all;
    }

    /** Of a batch in one text: a batch with a condition is of one partition, and so of one table. */
    private static Sending both(Sending one, Sending other) {
        return one == Sending.AsItIs.INSTANCE ? other : one;
    }

    /** Returns whether a statement has an IF; one is enough to make all of a batch conditional. */
    static boolean isConditional(String cql) {
        return CqlWrite.recognise(cql).map(CqlWrite::isConditional).orElseGet(() -> CqlWrite.isConditionalBatch(cql));
    }

    /** Returns whether rows of an exact table may be inserted plainly once a column of theirs has a drawn value. */
    CompletionStage<Boolean> insertsFresh(String keyspace, String table, String column) {
        return catalog.tables().writesAsync(keyspace, table).thenApply(found -> found.filter(
                        writes -> fresh.refusal(writes, column).isEmpty())
                .isPresent());
    }

    /** Returns how a table is written, if its writes are exact now, and not only about to be. */
    CompletionStage<Optional<TableWrites>> exactNow(String keyspace, String table) {
        return writesNow(keyspace, table)
                .thenCompose(this::seen)
                .thenApply(found -> found.filter(writes -> !writes.changing()));
    }

    /** Returns a statement of an exact table as those who decide need it. */
    Statement<?> inOrder(Statement<?> statement, TableWrites writes) {
        return nodes.ordered(statement, writes);
    }

    private CompletionStage<Sending> sending(
            String keyspace, String table, String cql, List<CqlChange> written, boolean conditional, Batched batched) {
        return writesNow(keyspace, table).thenCompose(this::seen).thenApply(found -> {
            TableWrites writes = found.orElse(null);
            if (writes == null) {
                refuseMarked(keyspace, table);
                return Sending.AsItIs.INSTANCE;
            }
            requireOpen(writes);
            return exact(writes, cql, written, conditional, batched);
        });
    }

    /** Returns how an insert whose id is drawn is sent, as far as that is known without a look at its table each time. */
    CompletionStage<@Nullable Sending> ofDrawn(Identity identity, CqlInsert insert) {
        String keyspace = identity.keyspace();
        String table = insert.table();
        boolean plain = CqlWrite.recognise(insert.text())
                .filter(write -> !write.isConditional() && !write.isTimestamped() && !write.expires())
                .isPresent();
        if (!plain || identity.byDefault()) {
            return CompletableFuture.completedFuture(null);
        }
        return catalog.tables().writesAsync(keyspace, table).handle((found, failure) -> {
            TableWrites writes = found == null ? null : found.orElse(null);
            if (failure != null || (writes == null ? fresh.isMarked(keyspace, table) : writes.changing())) {
                return null;
            }
            return writes == null
                    ? Sending.AsItIs.INSTANCE
                    : insert.callsFunctions() ? null : new Sending.IfFresh(nodes, fresh, writes);
        });
    }

    /** A contract is read again where the table has the mark, or is not known: it may have been created a moment ago. */
    private CompletionStage<Optional<TableWrites>> writesNow(String keyspace, String table) {
        return catalog.tables()
                .writesAsync(keyspace, table)
                .thenCompose(found -> found.isPresent() || !fresh.mayBeMarked(keyspace, table)
                        ? CompletableFuture.completedFuture(found)
                        : catalog.tables().readAnewAsync(keyspace, table).thenCompose(read -> catalog.tables()
                                .writesAsync(keyspace, table)));
    }

    private CompletionStage<Optional<TableWrites>> seen(Optional<TableWrites> writes) {
        return writes.isEmpty()
                ? CompletableFuture.completedFuture(writes)
                : fresh.see(writes.get()).thenApply(seen -> writes);
    }

    /**
     * What the text of a write says.
     *
     * @param write null of a batch in one text
     * @param namesMark whether it gives {@link RowMark} a value
     * @param changesCounts whether it gives {@link CountMark} a value that a row may not have
     * @param hasMark whether it has the condition on it
     */
    private record Reading(
            @Nullable CqlWrite write, boolean namesMark, boolean changesCounts, boolean hasMark, boolean conditional) {

        static Reading of(String cql) {
            CqlWrite write = CqlWrite.recognise(cql).orElse(null);
            boolean changesCounts = gives(write, cql, CountMark.COLUMN, DELETES_COUNTS)
                    && !GIVES_COUNTS.matcher(cql).matches();
            boolean conditional = isConditional(cql);
            return new Reading(
                    write,
                    gives(write, cql, RowMark.COLUMN, DELETES_MARK),
                    changesCounts,
                    conditional && TableModes.hasMark(cql),
                    conditional);
        }

        private static boolean gives(@Nullable CqlWrite write, String cql, String column, Pattern deletes) {
            return write != null
                    && (write.assigned().contains(column)
                            || deletes.matcher(cql).find()
                            || CqlInsert.recognise(cql)
                                    .filter(insert -> insert.columns().contains(column))
                                    .isPresent());
        }
    }

    /** A text without markers contains its values, and is rarely used twice. */
    private Reading reading(String cql) {
        return cql.indexOf('?') < 0 ? Reading.of(cql) : readings.of(cql);
    }

    private Sending exact(
            TableWrites writes, String cql, List<CqlChange> written, boolean conditional, Batched batched) {
        Reading read = reading(cql);
        CqlWrite write = read.write();
        if (read.namesMark()) {
            throw new WriteModeException(
                    "column " + RowMark.COLUMN + " of table " + writes.name()
                            + " is the mark of its rows, and not to be written:" + " leave it out",
                    false);
        }
        if (read.changesCounts()) {
            throw new WriteModeException(
                    "column " + CountMark.COLUMN + " of table " + writes.name()
                            + " has the ids by which its rows count: with another one, a row would lose what was counted."
                            + " Leave it out",
                    false);
        }
        if (write != null && write.expires()) {
            throw new WriteModeException(
                    "USING TTL is not served for table " + writes.name()
                            + ", whose writes are exact: the row's mark would"
                            + " expire before what is written later. Delete the row, or make the table WITH (plain)",
                    false);
        }
        if (write == null) {
            throw new WriteModeException(
                    "table " + writes.name() + " is written exactly, and BEGIN BATCH is not served: send its writes by"
                            + " themselves",
                    false);
        }
        boolean inserts = written.stream().allMatch(each -> each.verb().equals(CqlChange.INSERT));
        // A condition of another statement of a batch does not look at this row.
        if (!write.isConditional()) {
            if (inserts && !conditional) {
                return new Sending.IfFresh(nodes, fresh, writes);
            }
            if (!inserts && batched.inserted().contains(new CqlInsert.Table(writes.keyspace(), writes.table()))) {
                throw new WriteModeException(
                        "a batch that inserts new rows of table " + writes.name()
                                + ", which is written exactly, changes rows of it: put the values into the INSERT, or"
                                + " send the change after the batch, for " + BatchRows.ONE_TIME
                                + ". Nothing was sent",
                        false);
            }
            throw plain(
                    writes,
                    "give the statement IF " + (inserts ? "NOT EXISTS" : RowMark.IS_FREE)
                            + (conditional ? "" : ", or have the session do so, by ExactConditions.ADDED"));
        }
        if (!inserts && !read.hasMark()) {
            // IF EXISTS holds for a row that a transaction holds, and IF of another column alone for null in a missing
            // row.
            throw new WriteModeException(
                    "table " + writes.name()
                            + " is written exactly, and the statement lacks the condition on each row's mark:" + " add "
                            + RowMark.IS_FREE + " to its IF, in place of EXISTS. Nothing was sent",
                    false);
        }
        return new Sending.InOrder(nodes, writes);
    }

    private static boolean hasMark(String cql) {
        Tokens tokens = new Tokens(cql, Scanner.Language.CQL);
        for (int token = 0; !tokens.isEnd(token); token++) {
            if (tokens.isWord(token, RowMark.COLUMN)
                    && tokens.isSymbol(token + 1, '>')
                    && tokens.isSymbol(token + 2, '=')
                    // JDBC sends literals as markers.
                    && (tokens.kind(token + 3) == Kind.MARKER
                            || FREE.matcher(cql.substring(tokens.end(token + 2)))
                                    .lookingAt())) {
                return true;
            }
        }
        return false;
    }

    /** A table with the mark and without its contract: its declaration was lost, or another installation has it. */
    private void refuseMarked(String keyspace, String table) {
        if (fresh.isMarked(keyspace, table)) {
            throw new WriteModeException(
                    "table " + keyspace + "." + table + " has the column " + RowMark.COLUMN
                            + ", so each write to it is under a condition, and nothing is declared of it here: a plain write"
                            + " could be lost, or hide a later one. If it was created a moment ago, try again; otherwise give"
                            + " the globalKeyspace of the installation that created it",
                    true);
        }
    }

    private static void requireOpen(TableWrites writes) {
        if (writes.changing()) {
            throw new WriteModeException(
                    "table " + writes.name()
                            + " is about to be written exactly, and takes no writes until every process"
                            + " knows: try again in a minute. If the command that declares it has failed, repeat it. "
                            + writes.declaration().inJava(),
                    true);
        }
    }

    private static WriteModeException plain(TableWrites writes, String instead) {
        return new WriteModeException(
                "table " + writes.name()
                        + " is written exactly, each write under a condition, and a plain write after a"
                        + " conditional one can be lost: " + instead,
                false);
    }
}
