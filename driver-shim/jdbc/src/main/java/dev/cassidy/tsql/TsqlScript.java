package dev.cassidy.tsql;

import dev.cassidy.insert.CurrentTimes;
import dev.cassidy.insert.Tokens;
import dev.cassidy.insert.UnsupportedSqlException;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A JDBC statement's SQL, T-SQL or CQL, as the steps that serve it. Text that is CQL already passes through byte for
 * byte.
 *
 * <p>Recognised and normalised: {@code [x]}, {@code dbo.t}, {@code db..t}, {@code N'...'}, {@code INSERT t} without INTO,
 * table hints, {@code TOP n}, several rows of VALUES, {@code DEFAULT} and {@code DEFAULT VALUES}, {@code OUTPUT
 * INSERTED.x}, also INTO a table variable that is read next, {@code SELECT SCOPE_IDENTITY()} and its kin, also through a
 * variable, {@code NEXT VALUE FOR} and what manages sequences, {@code SET IDENTITY_INSERT}, {@code SET NOCOUNT}, {@code
 * @@ROWCOUNT}; DECLARE, SET and SELECT of variables, which are parameters of the statements that use them; scripts without {@code ;}, with BEGIN, END and GO; names that only CQL reserves; every form of an alias;
 * literals in the list of a SELECT; sums and arithmetic; constant conditions; OR of values of one key. A plain {@code [x]} becomes lower case,
 * as CQL takes an unquoted name, another one is the schema's name that differs in case alone; {@code "x"} stays
 * exact.
 *
 * @param steps in the order in which they run; empty for a blank string
 * @param statements how many statements made them. One counts if it does something of its own: not if it reads what an insert
 *     has generated, sets something, asks for an IF, or is left out
 * @param parameterCount how many {@code ?} the statement holds
 * @param hasTimes whether it may hold what {@link CurrentTimes} looks for
 * @param variables what the steps take as parameters behind those of the statement, in this order
 */
public record TsqlScript(
        List<TsqlStep> steps, int statements, int parameterCount, boolean hasTimes, List<Variable> variables) {

    public TsqlScript {
        steps = List.copyOf(steps);
        variables = List.copyOf(variables);
    }

    /** A script without variables. */
    public TsqlScript(List<TsqlStep> steps, int statements, int parameterCount, boolean hasTimes) {
        this(steps, statements, parameterCount, hasTimes, List.of());
    }

    /** Returns how many parameters the steps have: those of the statement, and the variables. */
    public int allParameters() {
        return parameterCount + variables.size();
    }

    /** Returns the same script with other steps. */
    public TsqlScript withSteps(List<TsqlStep> others, boolean times) {
        return new TsqlScript(others, statements, parameterCount, times, variables);
    }

    /** Recognises the steps of {@code sql} without knowing the schema. */
    public static TsqlScript parse(String sql) {
        return parse(sql, Schema.UNKNOWN);
    }

    /**
     * Recognises the steps of {@code sql}, in time linear in its length.
     *
     * @throws UnsupportedSqlException naming the first construct that is T-SQL and cannot be served
     */
    public static TsqlScript parse(String sql, Schema schema) {
        return parseBracketed(RegularNames.bracketed(sql), schema);
    }

    private static TsqlScript parseBracketed(String sql, Schema schema) {
        PlainInsert plain = PlainInsert.read(sql);
        return plain == null || plain.mayBeSpelledOtherwise(schema)
                ? parseAny(sql, schema)
                : new TsqlScript(List.of(plain.step()), 1, plain.markers(), false);
    }

    /**
     * Returns the steps as the tables before the script make them, also of statements that are read again; of an assignment the
     * query whose rows it takes.
     */
    public List<TsqlStep> asRead() {
        return steps.stream()
                .flatMap(step ->
                        step instanceof TsqlStep.Later later && !later.read().isEmpty()
                                ? later.read().stream()
                                : Stream.of(step instanceof TsqlStep.AssignRows rows ? rows.query() : step))
                .toList();
    }

    /**
     * Returns the first constraint that is left out although the data may differ without it.
     *
     * @return null if there is none
     */
    public TsqlStep.@Nullable Refusal unkept() {
        for (TsqlStep step : asRead()) {
            if (step instanceof TsqlStep.LeftOut left && left.refusal() != null) {
                return left.refusal();
            }
        }
        return null;
    }

    /** Returns how many values {@code NEXT VALUE FOR} draws in the step that draws most. */
    public int maxDraws() {
        return steps.stream()
                .filter(TsqlStep.Insert.class::isInstance)
                .mapToInt(step -> ((TsqlStep.Insert) step).draws().size())
                .max()
                .orElse(0);
    }

    /** As {@link #parse}, by way of all tokens. */
    static TsqlScript parseAny(String sql) {
        return parseAny(sql, Schema.UNKNOWN);
    }

    private static TsqlScript parseAny(String sql, Schema schema) {
        Tokens tokens = new Tokens(sql);
        VariableText variables = VariableText.of(tokens);
        TsqlParser parser = new TsqlParser(variables.tokens(), schema, variables);
        List<TsqlStep> steps = parser.steps();
        return new TsqlScript(steps, parser.statements(), tokens.markers(), parser.hasNow(), variables.variables());
    }
}
