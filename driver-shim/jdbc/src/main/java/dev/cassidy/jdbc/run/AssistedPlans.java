package dev.cassidy.jdbc.run;

import dev.cassidy.jdbc.assist.Assistant;
import dev.cassidy.jdbc.assist.AssistedChange;
import dev.cassidy.jdbc.assist.AssistedSelect;
import dev.cassidy.jdbc.assist.AssistedSelect.PlannedRead;
import dev.cassidy.jdbc.assist.ColumnModel;
import dev.cassidy.jdbc.assist.SessionLanguage;
import dev.cassidy.jdbc.assist.TableModel;
import dev.cassidy.jdbc.assist.TableModels;
import dev.cassidy.jdbc.plan.Plan;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** How statements are evaluated in the client whose parameters have no values yet. Nothing is read. */
public final class AssistedPlans {

    private AssistedPlans() {}

    /**
     * Plans a SELECT.
     *
     * @param sql a text that the assistant reads
     * @param parameters how many it has
     * @throws dev.cassidy.jdbc.assist.NotAssistedException if it is not served
     * @throws dev.cassidy.jdbc.assist.EvaluationException if SQL Server refuses it too
     */
    public static Plan.Assisted ofSelect(
            Assistant assistant, String sql, int parameters, TableModels models, SessionLanguage language) {
        AssistedSelect select = assistant.plan(sql, models, unknown(parameters), language);
        select.check();
        return new Plan.Assisted(
                StatementText.of(sql).hash(),
                reads(select, models, indexed -> assistant.plan(sql, indexed, unknown(parameters), language)),
                "");
    }

    /** Plans an UPDATE, DELETE or INSERT ... SELECT, as {@link #ofSelect}; whether its table takes it is not judged. */
    public static Plan.Assisted ofChange(
            Assistant assistant, String sql, int parameters, TableModels models, SessionLanguage language) {
        AssistedChange change = assistant.change(sql, models, unknown(parameters), language);
        change.select().check();
        return new Plan.Assisted(
                StatementText.of(sql).hash(),
                reads(change.select(), models, indexed -> assistant
                        .change(sql, indexed, unknown(parameters), language)
                        .select()),
                change.kind() + " of each row of " + change.target().qualified() + " by its key, in one transaction");
    }

    static List<@Nullable Object> unknown(int parameters) {
        return new ArrayList<>(Collections.nCopies(parameters, null));
    }

    private static List<Plan.Assisted.Read> reads(
            AssistedSelect select, TableModels models, Function<TableModels, AssistedSelect> planner) {
        List<Plan.Assisted.Read> reads = new ArrayList<>();
        List<PlannedRead> withIndexes = null;
        for (PlannedRead read : select.reads()) {
            List<String> helpful = List.of();
            if (read.reach() == AssistedSelect.Reach.SCAN) {
                if (withIndexes == null) {
                    withIndexes = planner.apply(new Indexed(models)).reads();
                }
                helpful = helpful(read.table(), withIndexes);
            }
            reads.add(new Plan.Assisted.Read(
                    read.table().keyspace(),
                    read.table().name(),
                    reach(read.reach()),
                    read.by(),
                    helpful,
                    read.table().small()));
        }
        return reads;
    }

    /** Returns the columns by which the rows of a table would be found if all had indexes; none if a place would still need all rows. */
    private static List<String> helpful(TableModel table, List<PlannedRead> withIndexes) {
        Set<String> columns = new LinkedHashSet<>();
        for (PlannedRead read : withIndexes) {
            if (read.table().qualified().equals(table.qualified())) {
                if (read.reach() == AssistedSelect.Reach.SCAN) {
                    return List.of();
                }
                if (read.reach() == AssistedSelect.Reach.INDEX) {
                    read.by().stream()
                            .filter(column -> table.column(column)
                                    .filter(each -> !each.indexed())
                                    .isPresent())
                            .forEach(columns::add);
                }
            }
        }
        return List.copyOf(columns);
    }

    private static Plan.Assisted.Reach reach(AssistedSelect.Reach reach) {
        return switch (reach) {
            case KEY -> Plan.Assisted.Reach.KEY;
            case PARTITION -> Plan.Assisted.Reach.PARTITION;
            case INDEX -> Plan.Assisted.Reach.INDEX;
            case SCAN -> Plan.Assisted.Reach.SCAN;
        };
    }

    /** The same tables if each column had an index. */
    private record Indexed(TableModels models) implements TableModels {
        @Override
        public Optional<TableModel> find(@Nullable String qualifier, String name) {
            return models.find(qualifier, name).map(Indexed::indexed);
        }

        private static TableModel indexed(TableModel table) {
            return new TableModel(
                    table.keyspace(),
                    table.name(),
                    table.columns().stream()
                            .map(column -> new ColumnModel(
                                    column.name(),
                                    column.label(),
                                    column.type(),
                                    column.collation(),
                                    column.place(),
                                    column.readable(),
                                    column.readable()))
                            .toList(),
                    table.partitionKey(),
                    table.clustering(),
                    table.small());
        }
    }
}
