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
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Writes a MERGE as the SELECT of what it does: the source with a LEFT JOIN of the target. So what is matched and what is not are known of the
 * same reads.
 */
final class Merges {

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
        for (Clause clause : merge.clauses()) {
            if (clause.action() instanceof Action.Update update) {
                update.assignments().forEach(each -> assigned(clause, each));
            }
        }
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
        int updates = 0;
        int deletes = 0;
        int inserts = 0;
        List<Clause> matched = new ArrayList<>();
        for (Clause clause : merge.clauses()) {
            if (clause.match() == Match.NOT_MATCHED_BY_SOURCE) {
                throw new NotAssistedException("WHEN NOT MATCHED BY SOURCE needs each row of " + model.qualified()
                        + ", and is not served. Run a DELETE or UPDATE with NOT EXISTS beside the MERGE");
            }
            updates += clause.action() instanceof Action.Update ? 1 : 0;
            deletes += clause.action() instanceof Action.Delete ? 1 : 0;
            inserts += clause.action() instanceof Action.Insert ? 1 : 0;
            if (clause.match() == Match.MATCHED) {
                matched.add(clause);
            }
        }
        if (updates > 1 || deletes > 1 || inserts > 1) {
            throw EvaluationException.rule(
                    10714,
                    "An action of type '" + (updates > 1 ? "UPDATE" : deletes > 1 ? "DELETE" : "INSERT")
                            + "' is not allowed more than once in a clause of a MERGE statement");
        }
        if (matched.size() == 2 && matched.get(0).condition() == null) {
            throw EvaluationException.rule(
                    5324,
                    "In a MERGE statement, a 'WHEN MATCHED' clause with a search condition cannot appear after a"
                            + " 'WHEN MATCHED' clause with no search condition");
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
        boolean matched = clause.match() == Match.MATCHED;
        out.add(" WHEN ").add(matched ? found() : missing());
        Span condition = clause.condition();
        if (condition != null) {
            out.add(" AND (");
            // Of what is not matched, the source alone has columns.
            add(condition, !matched);
            out.add(")");
        }
        out.add(" THEN ");
    }

    private void add(Span part, boolean ofSource) {
        if (ofSource) {
            out.add(part, names, merge.source().alias());
        } else {
            out.add(part);
        }
    }

    /** A value is calculated where its clause applies alone: elsewhere it may be an error. */
    private void value(Clause clause, Consumer<SpanBuilder> value) {
        out.add("CASE");
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
        out.add(" END");
    }

    private void assigned(Clause clause, MergeText.Assignment assignment) {
        String table = assignment.table();
        if (table != null && !SqlNames.plain(table).equals(SqlNames.plain(merge.alias()))) {
            throw EvaluationException.rule(
                    4104,
                    "The multi-part identifier \"" + table + "." + assignment.column()
                            + "\" could not be bound: SET of a MERGE writes columns of " + merge.alias());
        }
        ColumnModel column = Outputs.column(model, SqlNames.plain(assignment.column()));
        Assignments.requireAssignable(model, column);
        if (assigned.contains(column.name())) {
            throw Assignments.twice(column);
        }
        if (isDefault(assignment.value())) {
            throw new NotAssistedException("SET " + column.name()
                    + " = DEFAULT is not served in a MERGE. Write the value in place of DEFAULT");
        }
        assigned.add(column.name());
        out.add(", ");
        converted(clause, assignment.value(), column, false);
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
            converted(clause, value, column, true);
        }
    }

    private boolean isDefault(Span value) {
        return value.to() == value.from() + 1 && tokens.isWord(value.from(), "default");
    }

    /** @param column that gets the value; null if only the INSERT knows */
    private void converted(Clause clause, Span value, @Nullable ColumnModel column, boolean ofSource) {
        Kind kind = tokens.kind(value.from());
        boolean constant = value.to() == value.from() + 1
                && (kind == Kind.MARKER
                        || kind == Kind.STRING
                        || kind == Kind.NATIONAL
                        || kind == Kind.NUMBER
                        || tokens.isWord(value.from(), "null"));
        String type = column != null && Assignments.isConverted(column)
                ? column.type().toString()
                : null;
        if (constant) {
            out.add(value);
        } else if (type == null && isName(value)) {
            add(value, ofSource);
        } else {
            value(clause, sql -> {
                sql.add(type == null ? "(" : "CAST(");
                add(value, ofSource);
                sql.add(type == null ? ")" : " AS " + type + ")");
            });
        }
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
        source();
        out.add(" LEFT JOIN ").add(merge.target());
        if (!merge.alias().equals(tokens.text(merge.target().to() - 1))) {
            out.add(" " + merge.alias());
        }
        out.add(" ON (").add(merge.on()).add(")");
        keys();
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
