package dev.cassidy.assist;

import com.google.auto.service.AutoService;
import dev.cassidy.assist.eval.Engine;
import dev.cassidy.assist.eval.FedTable;
import dev.cassidy.assist.eval.Limits;
import dev.cassidy.assist.eval.StoredTexts;
import dev.cassidy.assist.plan.Access;
import dev.cassidy.assist.plan.Planner;
import dev.cassidy.assist.plan.ReadPlan;
import dev.cassidy.assist.plan.TableRead;
import dev.cassidy.assist.read.Reader;
import dev.cassidy.assist.tree.RowCounts;
import dev.cassidy.assist.tree.StatementTrees;
import dev.cassidy.assist.tree.WriteText;
import dev.cassidy.assist.write.Change;
import dev.cassidy.assist.write.Changes;
import dev.cassidy.collation.Collation;
import dev.cassidy.definition.SqlType;
import dev.cassidy.jdbc.assist.Assistant;
import dev.cassidy.jdbc.assist.AssistedChange;
import dev.cassidy.jdbc.assist.AssistedSelect;
import dev.cassidy.jdbc.assist.Budget;
import dev.cassidy.jdbc.assist.ColumnModel;
import dev.cassidy.jdbc.assist.Evaluated;
import dev.cassidy.jdbc.assist.EvaluationException;
import dev.cassidy.jdbc.assist.NotAssistedException;
import dev.cassidy.jdbc.assist.ResultColumn;
import dev.cassidy.jdbc.assist.RowSource;
import dev.cassidy.jdbc.assist.SessionLanguage;
import dev.cassidy.jdbc.assist.TableModels;
import dev.cassidy.jdbc.assist.TypedValue;
import java.math.BigDecimal;
import java.time.InstantSource;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import net.sf.jsqlparser.schema.Table;
import net.sf.jsqlparser.statement.select.Select;
import org.jspecify.annotations.Nullable;

/** Plans reads by the statement's tree, and evaluates the statement in H2. */
@AutoService(Assistant.class)
public final class H2Assistant implements Assistant {

    private final StatementTrees trees = new StatementTrees();
    private final Engine engine = new Engine(InstantSource.system(), ZoneId::systemDefault, Limits.defaults());

    @Override
    public boolean reads(String sql) {
        return trees.select(sql).isPresent();
    }

    @Override
    public Optional<String> unread(String sql) {
        return trees.unread(sql);
    }

    @Override
    public List<String> unsupported(String sql) {
        return trees.unsupported(sql);
    }

    @Override
    public AssistedSelect plan(
            String sql, TableModels models, List<? extends @Nullable Object> parameters, SessionLanguage language) {
        Select statement =
                trees.select(sql).orElseThrow(() -> new NotAssistedException("The text is no SELECT that can be read"));
        List<@Nullable Object> given = new ArrayList<>(parameters);
        return planned(statement, models, given, language);
    }

    @Override
    public boolean readsChange(String sql) {
        return trees.change(sql).isPresent();
    }

    @Override
    public AssistedChange change(
            String sql, TableModels models, List<? extends @Nullable Object> parameters, SessionLanguage language) {
        WriteText text =
                trees.change(sql).orElseThrow(() -> new NotAssistedException("The text is no change that can be read"));
        List<@Nullable Object> given = new ArrayList<>(parameters);
        Change change = Changes.of(text, models, trees, bare(given));
        List<@Nullable Object> ofSelect = new ArrayList<>();
        change.parameters().forEach(index -> ofSelect.add(given.get(index)));
        return new AssistedChange(
                change.target(),
                change.kind(),
                change.key(),
                change.compared(),
                change.assigned(),
                change.inserted(),
                change.ofRows(),
                change.tested(),
                change.output(),
                change.top(),
                planned(change.select(), models, ofSelect, language));
    }

    private Planned planned(
            Select statement, TableModels models, List<@Nullable Object> parameters, SessionLanguage language) {
        try {
            return new Planned(Planner.plan(statement, models, bare(parameters)), parameters, language, engine);
        } catch (StackOverflowError e) {
            throw new NotAssistedException("The statement is nested too deeply for the stack of its thread");
        }
    }

    /** Returns the values by which rows are found. No row is found by a string that was filled up: beside others, its blanks do not count. */
    private static List<@Nullable Object> bare(List<@Nullable Object> parameters) {
        List<@Nullable Object> bare = new ArrayList<>(parameters);
        bare.replaceAll(each -> each instanceof TypedValue typed && !isFilled(typed) ? typed.value() : each);
        return bare;
    }

    private static boolean isFilled(TypedValue typed) {
        boolean fixed = typed.type().name() == SqlType.Name.CHAR || typed.type().name() == SqlType.Name.NCHAR;
        return fixed && typed.value() instanceof String text && text.endsWith(" ");
    }

    @Override
    public String text(Object value, SqlType type, SessionLanguage language) {
        return StoredTexts.of(value, type, language);
    }

    @Override
    public void warm() {
        engine.warm(Collation.standard());
    }

    private record Planned(ReadPlan plan, List<@Nullable Object> parameters, SessionLanguage language, Engine engine)
            implements AssistedSelect {

        /** A value of each type on which the type of a result may depend. */
        private static final List<Object> OF_SOME_TYPES = List.of(
                1L,
                new BigDecimal("1.5"),
                1.5d,
                "1",
                true,
                LocalDate.EPOCH,
                LocalTime.MIDNIGHT,
                LocalDateTime.of(LocalDate.EPOCH, LocalTime.MIDNIGHT),
                OffsetDateTime.of(LocalDate.EPOCH, LocalTime.MIDNIGHT, ZoneOffset.UTC),
                new UUID(0, 0),
                new byte[1]);

        @Override
        public List<PlannedRead> reads() {
            return plan.reads().stream()
                    .map(read -> new PlannedRead(
                            read.table(), reach(read.access()), by(read.access()), unindexed(read.access())))
                    .toList();
        }

        private static Reach reach(Access access) {
            return access instanceof Access.Keyed keyed
                    ? switch (keyed.reach()) {
                        case KEY -> Reach.KEY;
                        case PARTITION -> Reach.PARTITION;
                        case INDEX -> Reach.INDEX;
                    }
                    : Reach.SCAN;
        }

        private static List<String> by(Access access) {
            return access instanceof Access.Keyed keyed
                    ? keyed.parts().stream().map(part -> part.column().name()).toList()
                    : List.of();
        }

        private static List<String> unindexed(Access access) {
            return access instanceof Access.Scan scan
                    ? scan.unindexed().stream().map(ColumnModel::name).toList()
                    : List.of();
        }

        @Override
        public List<ResultColumn> check() {
            Set<Integer> counts = RowCounts.parameters(plan.statement());
            try {
                return checkWith(null, counts);
            } catch (NotAssistedException | EvaluationException e) {
                if (parameters.isEmpty()) {
                    throw e;
                }
                return checkWithNumbers(counts, e);
            }
        }

        @Override
        public List<ResultColumn> columns() {
            List<ResultColumn> found = check();
            if (parameters.isEmpty()) {
                return found;
            }
            Set<Integer> counts = RowCounts.parameters(plan.statement());
            for (Object each : OF_SOME_TYPES) {
                try {
                    if (!checkWith(each, counts).equals(found)) {
                        return List.of();
                    }
                } catch (NotAssistedException | EvaluationException e) {
                    // With values of this type, it has no result.
                }
            }
            return found;
        }

        /** Some parts take no NULL without a type. */
        private List<ResultColumn> checkWithNumbers(Set<Integer> counts, RuntimeException first) {
            try {
                return checkWith(1, counts);
            } catch (NotAssistedException | EvaluationException e) {
                throw first;
            }
        }

        private List<ResultColumn> checkWith(@Nullable Object unknown, Set<Integer> counts) {
            List<@Nullable Object> values = new ArrayList<>();
            for (int i = 1; i <= parameters.size(); i++) {
                values.add(counts.contains(i) ? Integer.valueOf(1) : unknown);
            }
            List<List<List<@Nullable Object>>> none = new ArrayList<>();
            plan.reads().forEach(read -> none.add(List.of()));
            return engine.evaluate(plan.statement(), fed(none), values, language)
                    .columns();
        }

        @Override
        public CompletionStage<Evaluated> run(RowSource source, Budget budget, CompletableFuture<?> stop) {
            return Reader.read(plan, bare(parameters), source, budget)
                    .thenApply(rows ->
                            engine.evaluate(plan.statement(), fed(rows), parameters, language, budget.time(), stop));
        }

        private IdentityHashMap<Table, FedTable> fed(List<List<List<@Nullable Object>>> rows) {
            IdentityHashMap<Table, FedTable> fed = new IdentityHashMap<>();
            for (TableRead read : plan.reads()) {
                List<@Nullable Object[]> ofRead = new ArrayList<>();
                rows.get(read.id()).forEach(row -> ofRead.add(row.toArray()));
                fed.put(
                        read.node(),
                        new FedTable(
                                read.table(),
                                read.columns().stream().map(ColumnModel::name).toList(),
                                ofRead));
            }
            return fed;
        }
    }
}
