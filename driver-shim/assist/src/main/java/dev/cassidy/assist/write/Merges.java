package dev.cassidy.assist.write;

import dev.cassidy.assist.tree.MergeText;
import dev.cassidy.assist.tree.MergeText.Action;
import dev.cassidy.assist.tree.MergeText.Clause;
import dev.cassidy.assist.tree.MergeText.Match;
import dev.cassidy.assist.tree.MergeText.Span;
import dev.cassidy.assist.tree.SpanBuilder;
import dev.cassidy.assist.tree.SqlNames;
import dev.cassidy.insert.Kind;
import dev.cassidy.insert.Tokens;
import dev.cassidy.jdbc.assist.AssistedChange;
import dev.cassidy.jdbc.assist.ColumnModel;
import dev.cassidy.jdbc.assist.EvaluationException;
import dev.cassidy.jdbc.assist.NotAssistedException;
import dev.cassidy.jdbc.assist.TableModel;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Writes a MERGE as the SELECT of what it does: the source with a LEFT JOIN of the target, or a FULL JOIN if rows of the target are written that
 * the source has not. So what is matched and what is not are known of the same reads.
 */
final class Merges {

    /** A column of the source that is never NULL. */
    private static final String THERE = "cassidy_there";

    private final MergeText merge;
    private final Tokens tokens;
    private final TableModel model;
    private final SpanBuilder out;
    private final Set<String> names;
    private final List<@Nullable Object> given;

    private final List<String> assigned = new ArrayList<>();
    private final List<String> inserted = new ArrayList<>();

    private Merges(MergeText merge, TableModel model, List<@Nullable Object> given) {
        this.merge = merge;
        this.given = given;
        this.tokens = merge.tokens();
        this.model = model;
        this.out = new SpanBuilder(tokens);
        this.names = model.columns().stream()
                .map(column -> column.name().toLowerCase(Locale.ROOT))
                .collect(Collectors.toSet());
    }

    /**
     * A MERGE as a SELECT.
     *
     * @param parameters for each {@code ?} of the SELECT the index of the statement's
     */
    record Selected(
            String text,
            List<Integer> parameters,
            List<String> key,
            List<String> compared,
            List<String> assigned,
            List<String> inserted,
            Outputs outputs) {}

    /** @param given the values of the statement's parameters */
    static Selected of(MergeText merge, TableModel model, List<@Nullable Object> given) {
        return new Merges(merge, model, given).select();
    }

    private Selected select() {
        requireKnown();
        Outputs outputs = Outputs.of(merge.output(), AssistedChange.Kind.MERGE, model, merge.alias(), model.columns());
        List<String> key = new ArrayList<>(model.partitionKey());
        key.addAll(model.clustering());
        List<String> compared = Assignments.compared(model, tokens.text, outputs);
        if (merge.with() != null) {
            out.add(merge.with()).add(" ");
        }
        out.add("SELECT ");
        key.forEach(each -> out.add(column(each)).add(", "));
        compared.forEach(each -> out.add(column(each)).add(", "));
        action();
        assigned();
        for (Clause clause : merge.clauses()) {
            if (clause.action() instanceof Action.Insert insert) {
                inserted(clause, insert);
            }
        }
        outputs.evaluated().forEach(each -> out.add(", ").add(each));
        from();
        return new Selected(out.text(), out.parameters(), key, compared, assigned, inserted, outputs);
    }

    private void requireKnown() {
        for (Match match : Match.values()) {
            requireKnown(
                    merge.clauses().stream()
                            .filter(each -> each.match() == match)
                            .toList(),
                    match);
        }
    }

    private static void requireKnown(List<Clause> ofMatch, Match match) {
        int updates = 0;
        int deletes = 0;
        int inserts = 0;
        for (Clause clause : ofMatch) {
            updates += clause.action() instanceof Action.Update ? 1 : 0;
            deletes += clause.action() instanceof Action.Delete ? 1 : 0;
            inserts += clause.action() instanceof Action.Insert ? 1 : 0;
        }
        if (updates > 1 || deletes > 1 || inserts > 1) {
            throw EvaluationException.rule(
                    10714,
                    "An action of type '" + (updates > 1 ? "UPDATE" : deletes > 1 ? "DELETE" : "INSERT")
                            + "' is not allowed more than once in a clause of a MERGE statement");
        }
        if (ofMatch.size() == 2 && ofMatch.get(0).condition() == null) {
            String when = match == Match.MATCHED ? "WHEN MATCHED" : "WHEN NOT MATCHED BY SOURCE";
            throw EvaluationException.rule(
                    5324,
                    "In a MERGE statement, a '" + when + "' clause with a search condition cannot appear after a" + " '"
                            + when + "' clause with no search condition");
        }
    }

    private String column(String name) {
        return merge.alias() + "." + Outputs.bracketed(name);
    }

    /** A row was found if it has its key, which is never NULL. */
    private String found() {
        return column(model.partitionKey().get(0)) + " IS NOT NULL";
    }

    private String missing() {
        return column(model.partitionKey().get(0)) + " IS NULL";
    }

    private boolean needsTarget() {
        return merge.clauses().stream().anyMatch(each -> each.match() == Match.NOT_MATCHED_BY_SOURCE);
    }

    /** Returns what holds of the rows of a clause. */
    private String matches(Clause clause) {
        String there = merge.source().alias() + "." + THERE;
        return switch (clause.match()) {
            case MATCHED -> needsTarget() ? found() + " AND " + there + " IS NOT NULL" : found();
            case NOT_MATCHED -> missing();
            case NOT_MATCHED_BY_SOURCE -> there + " IS NULL";
        };
    }

    // ---- what is done

    private void action() {
        out.add("CASE");
        for (Clause clause : merge.clauses()) {
            when(clause);
            String kind = clause.action() instanceof Action.Update
                    ? "UPDATE"
                    : clause.action() instanceof Action.Delete ? "DELETE" : "INSERT";
            out.add("'" + kind + "'");
        }
        out.add(" END");
    }

    /** Writes {@code WHEN ... THEN}. */
    private void when(Clause clause) {
        out.add(" WHEN ").add(matches(clause));
        Span condition = clause.condition();
        if (condition != null) {
            out.add(" AND (");
            add(condition, clause);
            out.add(")");
        }
        out.add(" THEN ");
    }

    /** Of what is not matched, the source alone has columns, and of what is not matched by the source, the target. */
    private void add(Span part, Clause clause) {
        switch (clause.match()) {
            case MATCHED -> out.add(part);
            case NOT_MATCHED -> out.add(part, names, merge.source().alias());
            case NOT_MATCHED_BY_SOURCE -> out.add(part, names, merge.alias());
        }
    }

    /** A value is calculated where its clause applies alone: elsewhere it may be an error. */
    private void value(Clause clause, Consumer<SpanBuilder> value) {
        out.add("CASE");
        whenValue(clause, value);
        out.add(" END");
    }

    private void whenValue(Clause clause, Consumer<SpanBuilder> value) {
        for (Clause each : merge.clauses()) {
            if (each.equals(clause)) {
                break;
            }
            if (each.match() == clause.match()) {
                when(each);
                out.add("NULL");
            }
        }
        when(clause);
        value.accept(out);
    }

    private void assigned() {
        List<Clause> updates = merge.clauses().stream()
                .filter(each -> each.action() instanceof Action.Update)
                .toList();
        Map<String, Map<Clause, Span>> values = new LinkedHashMap<>();
        for (Clause clause : updates) {
            Set<String> ofClause = new HashSet<>();
            for (MergeText.Assignment each : ((Action.Update) clause.action()).assignments()) {
                ColumnModel column = assignable(each);
                if (!ofClause.add(column.name())) {
                    throw Assignments.twice(column);
                }
                values.computeIfAbsent(column.name(), ignored -> new LinkedHashMap<>())
                        .put(clause, each.value());
            }
        }
        values.forEach((name, ofClauses) -> {
            ColumnModel column = Outputs.column(model, name);
            assigned.add(name);
            out.add(", ");
            if (updates.size() == 1) {
                converted(updates.get(0), Objects.requireNonNull(ofClauses.get(updates.get(0))), column);
                return;
            }
            // A row of the clause that does not set it keeps what it has.
            out.add("CASE");
            for (Clause clause : updates) {
                Span value = ofClauses.get(clause);
                whenValue(clause, sql -> {
                    if (value == null) {
                        sql.add(column(name));
                    } else {
                        asType(value, clause, type(column));
                    }
                });
            }
            out.add(" END");
        });
    }

    private ColumnModel assignable(MergeText.Assignment assignment) {
        String table = assignment.table();
        if (table != null && !SqlNames.plain(table).equals(SqlNames.plain(merge.alias()))) {
            throw EvaluationException.rule(
                    4104,
                    "The multi-part identifier \"" + table + "." + assignment.column()
                            + "\" could not be bound: SET of a MERGE writes columns of " + merge.alias());
        }
        ColumnModel column = Outputs.column(model, SqlNames.plain(assignment.column()));
        Assignments.requireAssignable(model, column);
        if (isDefault(assignment.value())) {
            throw new NotAssistedException("SET " + column.name()
                    + " = DEFAULT is not served in a MERGE. Write the value in place of DEFAULT");
        }
        return column;
    }

    private void inserted(Clause clause, Action.Insert insert) {
        for (int i = 0; i < insert.values().size(); i++) {
            Span value = insert.values().get(i);
            ColumnModel column = insert.columns().isEmpty()
                    ? null
                    : Outputs.column(model, SqlNames.plain(insert.columns().get(i)));
            if (isDefault(value)) {
                if (column == null) {
                    throw new NotAssistedException(
                            "DEFAULT among the values of a MERGE's INSERT is served where the INSERT names its columns");
                }
                continue;
            }
            if (column != null) {
                if (inserted.contains(column.name())) {
                    throw Assignments.twice(column);
                }
                inserted.add(column.name());
            }
            out.add(", ");
            converted(clause, value, column);
        }
    }

    private boolean isDefault(Span value) {
        return value.to() == value.from() + 1 && tokens.isWord(value.from(), "default");
    }

    /** @param column that gets the value; null if only the INSERT knows */
    private void converted(Clause clause, Span value, @Nullable ColumnModel column) {
        Kind kind = tokens.kind(value.from());
        boolean constant = value.to() == value.from() + 1
                && (kind == Kind.MARKER
                        || kind == Kind.STRING
                        || kind == Kind.NATIONAL
                        || kind == Kind.NUMBER
                        || tokens.isWord(value.from(), "null"));
        String type = column == null ? null : type(column);
        if (constant) {
            out.add(value);
        } else if (type == null && isName(value)) {
            add(value, clause);
        } else {
            value(clause, sql -> asType(value, clause, type));
        }
    }

    private void asType(Span value, Clause clause, @Nullable String type) {
        out.add(type == null ? "(" : "CAST(");
        add(value, clause);
        out.add(type == null ? ")" : " AS " + type + ")");
    }

    private static @Nullable String type(ColumnModel column) {
        return Assignments.isConverted(column) ? column.type().toString() : null;
    }

    private boolean isName(Span value) {
        for (int at = value.from(); at < value.to(); at++) {
            boolean name = (at - value.from()) % 2 == 0;
            if (name ? !tokens.kind(at).isName() : !tokens.isSymbol(at, '.')) {
                return false;
            }
        }
        return true;
    }

    // ---- from what

    private void from() {
        out.add(" FROM ");
        if (needsTarget()) {
            // What is always there says which rows have one of the source.
            out.add("(SELECT 1 AS " + THERE + ", " + merge.source().alias() + ".* FROM ");
            source();
            out.add(") " + merge.source().alias() + " FULL JOIN ").add(merge.target());
        } else {
            source();
            out.add(" LEFT JOIN ").add(merge.target());
        }
        if (!merge.alias().equals(tokens.text(merge.target().to() - 1))) {
            out.add(" " + merge.alias());
        }
        out.add(" ON (").add(merge.on()).add(")");
        if (!needsTarget()) {
            keys();
        }
    }

    private void source() {
        MergeText.Source source = merge.source();
        if (!source.values()) {
            out.add(source.all());
            return;
        }
        out.add("(");
        for (int row = 0; row < source.rows().size(); row++) {
            out.add(row == 0 ? "SELECT " : " UNION ALL SELECT ");
            List<Span> values = source.rows().get(row);
            for (int i = 0; i < values.size(); i++) {
                out.add(i == 0 ? "" : ", ")
                        .add(values.get(i))
                        .add(" AS " + source.columns().get(i));
            }
        }
        out.add(") " + source.alias());
    }

    /**
     * Says again of the target what ON says by the source: that its key is one of the values that the source has. By these its rows are
     * found, and not by a calculated source.
     */
    private void keys() {
        List<List<Span>> rows = merge.source().rows();
        if (rows.isEmpty()) {
            return;
        }
        for (MergeConditions.Equal each : MergeConditions.of(merge)) {
            ColumnModel column = model.column(each.target()).orElse(null);
            int index = index(each.source());
            if (column == null || index < 0) {
                continue;
            }
            List<Span> constants = new ArrayList<>();
            for (List<Span> row : rows) {
                Span constant = MergeConditions.constant(tokens, row.get(index), given);
                if (constant != null) {
                    constants.add(constant);
                }
            }
            if (constants.size() == rows.size()) {
                out.add(" AND " + column(column.name()) + " IN (");
                for (int i = 0; i < constants.size(); i++) {
                    out.add(i == 0 ? "" : ", ").add(constants.get(i));
                }
                out.add(")");
            }
        }
    }

    private int index(String name) {
        List<@Nullable String> columns = merge.source().columns();
        for (int i = 0; i < columns.size(); i++) {
            String column = columns.get(i);
            if (column != null && SqlNames.plain(column).equals(SqlNames.plain(name))) {
                return i;
            }
        }
        return -1;
    }
}
