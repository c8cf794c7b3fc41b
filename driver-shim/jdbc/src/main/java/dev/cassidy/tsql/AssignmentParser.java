package dev.cassidy.tsql;

import dev.cassidy.insert.Kind;
import dev.cassidy.insert.Tokens;
import dev.cassidy.insert.UnsupportedSqlException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads the values that variables get and that SELECT shows of them, but for those that come from tables. */
final class AssignmentParser {

    private final Tokens tokens;
    private final VariableText variables;
    private final Schema schema;

    AssignmentParser(Tokens tokens, VariableText variables, Schema schema) {
        this.tokens = tokens;
        this.variables = variables;
        this.schema = schema;
    }

    /**
     * Returns the step that assigns a value. One that must be calculated is evaluated in the client.
     *
     * @param operator of {@code SET @x += value}; empty for {@code =}
     */
    TsqlStep value(Variable.Target target, int from, int to, String operator) {
        ValueTerm term = operator.isEmpty() ? ValueTerm.read(tokens, from, to) : null;
        if (term != null) {
            return new TsqlStep.AssignValue(target, term.parameter(), term.literal(), term.cast());
        }
        Variable variable = target.variable();
        List<Integer> parameters = new ArrayList<>();
        String value = "(" + tokens.text.substring(tokens.start(from), tokens.end(to - 1)) + ")";
        if (!operator.isEmpty()) {
            parameters.add(target.parameter());
            value = "(? " + operator + " " + value + ")";
        }
        for (int at = from; at < to; at++) {
            if (tokens.kind(at) == Kind.VARIABLE) {
                throw refused(variable);
            }
            if (tokens.kind(at) == Kind.MARKER) {
                parameters.add(tokens.markerIndex(at));
            }
        }
        TsqlStep.Written written =
                new TsqlStep.Written("SELECT CAST(" + value + " AS " + variable.type() + ")", parameters);
        if (!schema.mayAssist(written.text())) {
            throw refused(variable);
        }
        return new TsqlStep.AssignRows(new TsqlStep.Assisted(written, refused(variable)), List.of(target), true);
    }

    private static UnsupportedSqlException refused(Variable variable) {
        return new UnsupportedSqlException("SET " + variable.name(), "pass the value as a parameter, ?");
    }

    /** Reads a SELECT that shows variables, and nothing else; null for any other. */
    @Nullable
    TsqlStep values(int select, int end) {
        List<TsqlStep.SelectValues.Value> values = new ArrayList<>();
        int from = select + 1;
        while (from < end) {
            int to = from;
            while (to < end && !tokens.isSymbol(to, ',')) {
                to = tokens.opens(to) ? tokens.afterClosing(to) : to + 1;
            }
            TsqlStep.SelectValues.Value value = shown(from, to);
            if (value == null) {
                return null;
            }
            values.add(value);
            from = to + 1;
        }
        return values.isEmpty() ? null : new TsqlStep.SelectValues(values);
    }

    private TsqlStep.SelectValues.@Nullable Value shown(int from, int to) {
        String label = "";
        int first = from;
        int last = to;
        if (tokens.kind(first).isName() && tokens.isSymbol(first + 1, '=')) {
            label = tokens.content(first);
            first += 2;
        } else if (last - first > 1 && isLabel(last - 1)) {
            label = tokens.content(last - 1);
            last -= tokens.isWord(last - 2, "as") ? 2 : 1;
        }
        ValueTerm term = first < last ? ValueTerm.read(tokens, first, last) : null;
        return term != null && variables.isVariable(term.parameter())
                ? new TsqlStep.SelectValues.Value(label, variables.ofParameter(term.parameter()), term.cast())
                : null;
    }

    private boolean isLabel(int token) {
        return tokens.kind(token).isName() || tokens.kind(token) == Kind.STRING || tokens.kind(token) == Kind.NATIONAL;
    }
}
