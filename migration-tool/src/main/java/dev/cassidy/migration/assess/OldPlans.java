package dev.cassidy.migration.assess;

import dev.cassidy.collation.Collation;
import dev.cassidy.definition.ColumnDefinition;
import dev.cassidy.definition.SqlType;
import dev.cassidy.insert.CqlInsert;
import dev.cassidy.jdbc.assist.Assistant;
import dev.cassidy.jdbc.assist.Assistants;
import dev.cassidy.jdbc.assist.ColumnModel;
import dev.cassidy.jdbc.assist.EvaluationException;
import dev.cassidy.jdbc.assist.NotAssistedException;
import dev.cassidy.jdbc.assist.SessionLanguage;
import dev.cassidy.jdbc.assist.TableModel;
import dev.cassidy.jdbc.assist.TableModels;
import dev.cassidy.jdbc.plan.Plan;
import dev.cassidy.jdbc.run.AssistedPlans;
import dev.cassidy.jdbc.run.TableDeclarations;
import dev.cassidy.tsql.TsqlStep;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * How the driver would evaluate statements in the client, if the new tables were exact, and had the keys of the old ones and no index.
 * Of a key with several columns only the whole leads surely to a row: which of them lead to a partition is not known.
 */
final class OldPlans {

    /** What is known of a statement. */
    sealed interface Answer {}

    /** @param plan by the dearest keys that the new tables may have */
    record Served(Plan.Assisted plan) implements Answer {}

    /**
     * @param why on what it depends
     * @param tables internal names
     */
    record Open(String why, List<String> tables) implements Answer {
        Open {
            tables = List.copyOf(tables);
        }
    }

    /** @param why it is not evaluated; empty if nothing is said of it */
    record Refused(String why) implements Answer {}

    /** What T-SQL may write in front of a table's name that means its schema dbo. */
    private static final Pattern OF_DBO = Pattern.compile("(.*\\.)?(dbo)?", Pattern.CASE_INSENSITIVE);

    private static final int WHOLE_KEY = -1;

    /** Of a column that is not read. */
    private static final SqlType ANY = new SqlType(SqlType.Name.NVARCHAR, SqlType.MAX, 0, 0);

    private final OldDatabase old;

    OldPlans(OldDatabase old) {
        this.old = old;
    }

    /** Judges what has no form in CQL. */
    Answer of(TsqlStep.InClient step) {
        return of(step.written(), !(step instanceof TsqlStep.AssistedWrite));
    }

    /** @param reads whether it is a SELECT */
    Answer of(TsqlStep.Written written, boolean reads) {
        Assistant assistant = Assistants.find()
                .filter(found -> reads ? found.reads(written.text()) : found.readsChange(written.text()))
                .orElse(null);
        if (assistant == null) {
            return new Refused(Assistants.whyNot(written.text(), "").orElse(""));
        }
        Models dearest = new Models(old, WHOLE_KEY);
        try {
            Plan.Assisted plan = plan(assistant, written, reads, dearest);
            List<String> partitions = scans(plan);
            int columns = partitions.isEmpty() ? 0 : dearest.longestKey;
            for (int column = 0; column < columns; column++) {
                List<String> then = scans(plan(assistant, written, reads, new Models(old, column)));
                if (!then.containsAll(partitions)) {
                    partitions.removeAll(then);
                    return new Open(
                            "which columns are the partition key of " + String.join(" and of ", partitions),
                            partitions);
                }
            }
            return new Served(plan);
        } catch (NotAssistedException | EvaluationException e) {
            List<String> missing = List.copyOf(dearest.missing);
            return missing.isEmpty()
                    ? new Refused(String.valueOf(e.getMessage()))
                    : new Open("the keys and columns of " + String.join(" and of ", missing), missing);
        }
    }

    private static Plan.Assisted plan(
            Assistant assistant, TsqlStep.Written written, boolean reads, TableModels models) {
        int parameters = written.parameters().size();
        return reads
                ? AssistedPlans.ofSelect(assistant, written.text(), parameters, models, SessionLanguage.unset())
                : AssistedPlans.ofChange(assistant, written.text(), parameters, models, SessionLanguage.unset());
    }

    private static List<String> scans(Plan.Assisted plan) {
        List<String> tables = new ArrayList<>();
        plan.reads().stream()
                .filter(read -> read.reach() == Plan.Assisted.Reach.SCAN)
                .map(Plan.Assisted.Read::table)
                .filter(table -> !tables.contains(table))
                .forEach(tables::add);
        return tables;
    }

    /** The tables of the old database as tables of Cassandra. For one statement. */
    private static final class Models implements TableModels {

        private final OldDatabase old;
        private final int partitionColumn;
        private final TreeSet<String> missing = new TreeSet<>();
        private int longestKey;

        /** @param partitionColumn which column of each key is the partition key, if it has so many; the whole key otherwise */
        Models(OldDatabase old, int partitionColumn) {
            this.old = old;
            this.partitionColumn = partitionColumn;
        }

        @Override
        public Optional<TableModel> find(@Nullable String qualifier, String name) {
            String table = TableDeclarations.tableName(name);
            boolean ofDbo = qualifier == null || OF_DBO.matcher(qualifier).matches();
            Optional<TableModel> found = old.table(new CqlInsert.Table(ofDbo ? null : qualifier, table))
                    .map(known -> model(table, known));
            if (found.isEmpty()) {
                missing.add(table);
            }
            return found;
        }

        private TableModel model(String name, OldTable table) {
            longestKey = Math.max(longestKey, table.key().size());
            List<String> partition = table.key();
            List<String> clustering = new ArrayList<>();
            if (partitionColumn != WHOLE_KEY && partitionColumn < table.key().size()) {
                partition = List.of(table.key().get(partitionColumn));
                clustering.addAll(table.key());
                clustering.removeAll(partition);
            }
            List<ColumnModel> columns = new ArrayList<>();
            for (Map.Entry<String, OldTable.Column> each : table.columns().entrySet()) {
                ColumnModel.Place place = partition.contains(each.getKey())
                        ? ColumnModel.Place.PARTITION_KEY
                        : clustering.contains(each.getKey()) ? ColumnModel.Place.CLUSTERING : ColumnModel.Place.REGULAR;
                columns.add(model(each.getKey(), each.getValue(), place));
            }
            return new TableModel("dbo", name, columns, partition, clustering, false);
        }

        private static ColumnModel model(String name, OldTable.Column column, ColumnModel.Place place) {
            ColumnDefinition definition = column.definition();
            // A key without a twin is its bytes.
            Optional<Collation> collation = place != ColumnModel.Place.REGULAR && !column.comparesAlike()
                    ? Optional.empty()
                    : definition.equality();
            return new ColumnModel(
                    name,
                    definition.label(),
                    definition.type() == null ? ANY : definition.type(),
                    collation.orElse(null),
                    place,
                    false,
                    definition.type() != null);
        }
    }
}
