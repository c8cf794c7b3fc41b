package dev.cassidy.tsql;

import dev.cassidy.insert.CqlInsert;
import dev.cassidy.insert.Identifiers;
import dev.cassidy.insert.Kind;
import dev.cassidy.insert.OutputSpan;
import dev.cassidy.insert.TableName;
import dev.cassidy.insert.Tokens;
import dev.cassidy.insert.UnsupportedSqlException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;

/** Splits a script into statements. The first word of a statement decides how it is read, and by which parser. */
final class TsqlParser {

    private static final Set<String> VERBS = Set.of(
            "select",
            "insert",
            "update",
            "delete",
            "begin",
            "create",
            "alter",
            "drop",
            "truncate",
            "use",
            "grant",
            "revoke",
            "list",
            "describe",
            "desc",
            "set",
            "declare",
            "dbcc",
            "print",
            "if");

    /** Statements that may mean something else after a definition, because they name a table. */
    private static final Set<String> OF_TABLES =
            Set.of("select", "insert", "update", "delete", "truncate", "alter", "drop", "set");

    /** Statements in which a bare word that only CQL reserves is a name. */
    private static final Set<String> NAMES_WORDS =
            Set.of("select", "insert", "update", "delete", "create", "alter", "drop", "truncate");

    /** First words of statements that later versions of Cassandra, or its forks, may have. */
    private static final Set<String> OTHER_VERBS = Set.of("add", "comment", "security", "restrict", "unrestrict");

    private static final int MAX_STEPS = 100_000;
    private static final int MAX_NESTED = 30;

    private final Tokens tokens;
    private final Normaliser normaliser;
    private final List<TsqlStep> steps = new ArrayList<>();
    private final TableVariables tables;
    private final VariableText variables;
    private final AssignmentParser assignments;
    private final Statements statements;
    private final TableHints hints;
    private final DefinitionParser definitions;

    /** How many BEGIN are open. */
    private int blocks;

    /** How many IFs are open. */
    private int depth;

    /** Whether a definition was read: what follows it may meet other tables than there are now. */
    private boolean defined;

    /** How many statements do something of their own. */
    private int counted;

    /**
     * @param tokens those of the script, with its variables as parameters
     * @param variables which of the parameters they are
     */
    TsqlParser(Tokens tokens, Schema schema, VariableText variables) {
        this.tokens = tokens;
        this.variables = variables;
        this.normaliser = new Normaliser(tokens, schema);
        this.tables = new TableVariables(tokens, steps);
        this.statements = new Statements(tokens, normaliser, steps);
        this.assignments = new AssignmentParser(tokens, variables, schema);
        this.hints = new TableHints(tokens);
        this.definitions = new DefinitionParser(tokens, schema, normaliser, statements, steps);
    }

    List<TsqlStep> steps() {
        int token = 0;
        while (!tokens.isEnd(token)) {
            statements.inBlock(blocks > 0);
            token = tokens.isSymbol(token, ';') ? token + 1 : statement(token);
            if (steps.size() > MAX_STEPS) {
                throw new UnsupportedSqlException(
                        "a script of more than " + MAX_STEPS + " statements", "send it in parts");
            }
        }
        if (blocks > 0) {
            throw UnsupportedSqlException.asSqlServer(
                    102, "Incorrect syntax: " + blocks + " BEGIN without END; end each block with END");
        }
        variables.requireAllTaken();
        return steps;
    }

    /** Returns how many statements were read, without those that belong to an insert or an IF, or only set something. */
    int statements() {
        return counted;
    }

    /** Returns whether the steps that were read contain literals that the script does not. */
    boolean hasNow() {
        return normaliser.hasNow();
    }

    /** Reads the statement at a token, counts it, and returns the token after it. */
    private int statement(int token) {
        int first = steps.size();
        int before = counted;
        boolean behindDefinition = defined;
        int end = read(token);
        // What is behind an IF has counted itself.
        boolean counts = counted == before
                && steps.subList(first, steps.size()).stream().anyMatch(step -> !belongsToAnother(step));
        counted += counts ? 1 : 0;
        if (behindDefinition && isReadAgain(token, end, steps.subList(first, steps.size()))) {
            List<TsqlStep> read = List.copyOf(steps.subList(first, steps.size()));
            steps.subList(first, steps.size()).clear();
            steps.add(TsqlStep.Later.of(
                    tokens.text.substring(tokens.start(token), tokens.end(end - 1)), tokens.markerIndex(token), read));
        }
        return end;
    }

    /** Returns whether a statement behind a definition is read again when it is reached. One with variables needs its script. */
    private boolean isReadAgain(int token, int end, List<TsqlStep> read) {
        if (!OF_TABLES.contains(tokens.text(token).toLowerCase(Locale.ROOT))
                || definitions.addsTakenKey()
                || read.stream().noneMatch(TsqlParser::isOfATable)) {
            return false;
        }
        for (int at = token; at < end; at++) {
            if (tokens.kind(at) == Kind.VARIABLE) {
                return false;
            }
        }
        return !variables.isUsed(tokens, token, end);
    }

    private static boolean isOfATable(TsqlStep step) {
        return step instanceof TsqlStep.Cql
                || step instanceof TsqlStep.Assisted
                || step instanceof TsqlStep.AssistedWrite
                || step instanceof TsqlStep.Count
                || step instanceof TsqlStep.Insert
                || step instanceof TsqlStep.AddColumns
                || step instanceof TsqlStep.AddDefaults
                || step instanceof TsqlStep.AlterColumn
                || step instanceof TsqlStep.DropConstraints
                || step instanceof TsqlStep.DropIndex
                || step instanceof TsqlStep.SetIdentityInsert;
    }

    private static boolean belongsToAnother(TsqlStep step) {
        return step instanceof TsqlStep.SelectIdentity
                || step instanceof TsqlStep.SelectRowCount
                || step instanceof TsqlStep.SelectOutput
                || step instanceof TsqlStep.SelectValues
                || step instanceof TsqlStep.AssignValue
                || step instanceof TsqlStep.IfExists
                || step instanceof TsqlStep.IfHolds
                || step instanceof TsqlStep.Otherwise
                || step instanceof TsqlStep.SwitchConstraints
                || step instanceof TsqlStep.LeftOut
                || (step instanceof TsqlStep.Setting && !(step instanceof TsqlStep.Use));
    }

    private int read(int token) {
        if (tokens.isSymbol(token, '{')) {
            throw new UnsupportedSqlException(
                    "{call ...}", "Cassandra has no stored procedures; send the procedure's statements");
        }
        if (tokens.kind(token) != Kind.WORD) {
            requireFirst(token);
            return statements.addCql(token, "", statements.end(token));
        }
        String verb = tokens.text(token).toLowerCase(Locale.ROOT);
        normaliser.quoteWords(NAMES_WORDS.contains(verb));
        return switch (verb) {
            case "go" -> go(token);
            case "end" -> endOfBlock(token);
            case "insert" -> changed(token, this::insert);
            case "select" -> query(token);
            case "update" -> changed(token, this::update);
            case "delete" -> changed(token, this::delete);
            case "merge" -> changed(token, this::merge);
            case "set" -> set(token);
            case "print" -> print(token);
            case "use" -> use(token);
            case "begin" -> begin(token);
            case "truncate" -> {
                normaliser.namesOf(TableName.read(tokens, tokens.isWord(token + 1, "table") ? token + 2 : token + 1));
                yield statements.addCql(token, verb, statements.endOfQuery(token));
            }
            case "create", "alter", "drop" -> {
                defined = true;
                yield definitions.parse(token, verb);
            }
            case "if" -> {
                int end = guarded(token);
                if (end < 0) {
                    end = ifOfRows(token);
                }
                if (end < 0) {
                    refuseVerb(verb);
                }
                yield end;
            }
            case "declare" -> declare(token);
            case "dbcc" -> new SequenceParser(tokens, steps).dbcc(token);
            default -> {
                // T-SQL demands EXEC, except of the first statement.
                boolean executes = verb.equals("exec") || verb.equals("execute");
                if ((executes || steps.isEmpty()) && ProcedureParser.isCall(tokens, token)) {
                    yield new ProcedureParser(tokens, normaliser.schema(), token, statements.blockEnd()).parse(steps);
                }
                int assisted = verb.equals("with") ? expressions(token) : -1;
                if (assisted >= 0) {
                    yield assisted;
                }
                refuseVerb(verb);
                if (!VERBS.contains(verb)) {
                    requireFirst(token);
                    if (!OTHER_VERBS.contains(verb)) {
                        throw unknownVerb(token);
                    }
                }
                yield statements.addCql(token, verb, statements.end(token));
            }
        };
    }

    private UnsupportedSqlException unknownVerb(int token) {
        return UnsupportedSqlException.asSqlServer(
                102,
                "Incorrect syntax near '" + tokens.text(token) + "': no statement begins with it. Begin with SELECT,"
                        + " INSERT, UPDATE, DELETE, or another statement of T-SQL or CQL; check the spelling");
    }

    private int go(int token) {
        if (!statements.isGo(token)) {
            throw new UnsupportedSqlException(
                    "GO within a line, or with a count", "write GO alone in its line, between two statements");
        }
        return token + 1;
    }

    private int endOfBlock(int token) {
        if (blocks == 0) {
            throw UnsupportedSqlException.asSqlServer(
                    102, "Incorrect syntax near 'END': no BEGIN is open; leave END out, or add BEGIN");
        }
        blocks--;
        return token + 1;
    }

    /**
     * Refuses a word that no statement begins with, unless it begins the script. Cassandra would refuse it too, but
     * only after the statements before it have run.
     */
    private void requireFirst(int token) {
        if (!steps.isEmpty()) {
            throw statements.unseparated(token);
        }
    }

    private int insert(int token) {
        InsertParser parser = new InsertParser(tokens, normaliser, tables, variables, token, defined);
        steps.add(parser.parse());
        int after = parser.end();
        if (hints.isOption(after)) {
            after = hints.afterOption(after);
        }
        if (tokens.isWord(after, "returning")) {
            throw new UnsupportedSqlException(
                    "INSERT ... RETURNING",
                    "use OUTPUT INSERTED.<column>, or getGeneratedKeys(), as jOOQ does in MYSQL");
        }
        if (tokens.isWord(after, "on") && tokens.isAnyWord(after + 1, "duplicate", "conflict")) {
            throw new UnsupportedSqlException(
                    "INSERT ... ON " + tokens.text(after + 1).toUpperCase(Locale.ROOT),
                    "an INSERT also writes a row that is there, unless its table is written under conditions: leave the"
                            + " clause out, or to keep such a row, end the INSERT with IF NOT EXISTS");
        }
        if (!isSeparated(after)) {
            throw new UnsupportedSqlException(
                    "'" + tokens.text(after) + "' after INSERT", "end the statement with ';' before it");
        }
        return after;
    }

    private boolean isVerb(int token) {
        String verb = tokens.text(token).toLowerCase(Locale.ROOT);
        refuseVerb(verb);
        return VERBS.contains(verb);
    }

    /** Reads a SELECT, which may assign to variables. */
    private int query(int token) {
        List<Variable.Target> targets = variables.take(tokens.start(token));
        if (targets == null) {
            return rows(token);
        }
        int end = statements.endOfQuery(token);
        for (String operator : List.of("union", "intersect", "except")) {
            if (topLevel(operator, token, end) < end) {
                throw UnsupportedSqlException.asSqlServer(
                        10734,
                        "Variable assignment is not allowed in a statement containing a top level UNION, INTERSECT or"
                                + " EXCEPT operator: assign from a derived table");
            }
        }
        if (topLevel("from", token, end) == end && topLevel("where", token, end) == end) {
            int value = token + 1;
            for (Variable.Target target : targets) {
                int after = VariableText.endOfValue(tokens, statements, value);
                assign(target, value, after, "");
                value = after + 1;
            }
            return end;
        }
        int first = steps.size();
        int after = rows(token);
        steps.add(new TsqlStep.AssignRows(rowsOf(first, token), targets, false));
        return after;
    }

    /** Takes back the only step that was added for a query. */
    private TsqlStep rowsOf(int first, int token) {
        if (steps.size() != first + 1 || steps.get(first).outcome() != TsqlStep.Outcome.ROWS) {
            throw new UnsupportedSqlException(
                    "an assignment from " + tokens.text(token).toUpperCase(Locale.ROOT),
                    "assign what a SELECT of tables gives");
        }
        return steps.remove(first);
    }

    /**
     * Adds the step that assigns a value to a variable.
     *
     * @param operator of {@code SET @x += value}; empty for {@code =}
     */
    private void assign(Variable.Target target, int from, int to, String operator) {
        if (from == to) {
            throw UnsupportedSqlException.asSqlServer(
                    102,
                    "Incorrect syntax near '=': a value for "
                            + target.variable().name() + " must follow it");
        }
        boolean selects = operator.isEmpty()
                && tokens.isSymbol(from, '(')
                && tokens.isWord(from + 1, "select")
                && tokens.afterClosing(from) == to;
        if (!selects) {
            steps.add(assignments.value(target, from, to, operator));
            return;
        }
        int outer = statements.blockEnd();
        statements.blockEnd(to - 1);
        int first = steps.size();
        int end = rows(from + 1);
        statements.blockEnd(outer);
        if (end != to - 1) {
            throw statements.unseparated(end);
        }
        steps.add(new TsqlStep.AssignRows(rowsOf(first, from + 1), List.of(target), true));
    }

    /** Reads a DECLARE: its variables are known, their first values are assigned. */
    private int declare(int token) {
        int at = token;
        do {
            int variable = at + 1;
            DeclaredVariable declared = DeclaredVariable.read(tokens, variable);
            at = declared.end();
            if (declared.type() == null) {
                tables.declare(variable, declared);
                continue;
            }
            Variable.Target target = Objects.requireNonNull(variables.take(tokens.start(variable)))
                    .get(0);
            if (tokens.isSymbol(at, '=')) {
                int end = Math.min(statements.blockEnd(), VariableText.endOfValue(tokens, statements, at + 1));
                assign(target, at + 1, end, "");
                at = end;
            }
        } while (tokens.isSymbol(at, ','));
        return at;
    }

    /** Reads a SELECT. One that has no form in CQL is left to what serves it in the client. */
    private int rows(int token) {
        int first = steps.size();
        try {
            return select(token);
        } catch (UnsupportedSqlException refusal) {
            int end = statements.endOfQuery(token);
            TsqlStep.Written written = refusal.number() == 0 ? written(token, end) : null;
            if (written == null) {
                throw refusal.number() == 0 ? refusal.ofLocking(hints.locking(token, end)) : refusal;
            }
            if (!normaliser.schema().mayAssist(written.text())) {
                throw refusal.ofUnread(written.text());
            }
            steps.subList(first, steps.size()).clear();
            steps.add(new TsqlStep.Assisted(written, refusal));
            return end;
        }
    }

    /** Reads a statement that writes. One that has no form in CQL is left to what serves it in the client. */
    private int changed(int token, IntUnaryOperator reader) {
        int first = steps.size();
        int end;
        try {
            end = reader.applyAsInt(token);
        } catch (UnsupportedSqlException refusal) {
            int last = endOfChange(token);
            if (last < 0 || refusal.number() != 0) {
                throw refusal;
            }
            OutputSpan output = outputOf(token, last);
            TsqlStep.Written written = writing(token, token, last);
            if (written == null) {
                throw refusal;
            }
            if (!normaliser.schema().mayAssistChange(written.text())) {
                throw refusal.ofUnread(written.text());
            }
            steps.subList(first, steps.size()).clear();
            steps.add(new TsqlStep.AssistedWrite(written, refusal, output != null));
            return last;
        }
        if (steps.size() == first + 1 && steps.get(first) instanceof TsqlStep.Cql cql && cql.writesRows()) {
            steps.set(first, cql.withWritten(writing(token, token, end)));
        }
        return end;
    }

    /** Returns the token after a statement that writes; of an INSERT, of one with a SELECT or a subquery alone, and otherwise -1. */
    private int endOfChange(int token) {
        if (tokens.isWord(token, "merge")) {
            // Within it stand words that begin other statements; T-SQL demands the semicolon.
            return statements.end(token);
        }
        if (!tokens.isWord(token, "insert")) {
            return statements.endOfQuery(token);
        }
        int depth = 0;
        for (int at = token + 1; !tokens.isEnd(at) && !tokens.isSymbol(at, ';'); at++) {
            depth += tokens.opens(at) ? 1 : tokens.closes(at) ? -1 : 0;
            if (depth == 0 && tokens.isWord(at, "select")) {
                return statements.endOfQuery(at);
            }
            if (depth == 0 && tokens.isWord(at, "values") && tokens.isSymbol(at + 1, '(')) {
                return endOfRows(at + 1);
            }
        }
        return -1;
    }

    /** Returns the token after the rows of VALUES; -1 if none has a subquery, or if something stands behind them that is not known. */
    private int endOfRows(int first) {
        boolean subquery = false;
        int row = first;
        int after;
        while (true) {
            after = tokens.afterClosing(row);
            for (int at = row; at < after; at++) {
                subquery |= tokens.isWord(at, "select");
            }
            if (!tokens.isSymbol(after, ',') || !tokens.isSymbol(after + 1, '(')) {
                break;
            }
            row = after + 1;
        }
        if (!subquery) {
            return -1;
        }
        after = hints.isOption(after) ? hints.afterOption(after) : after;
        return isSeparated(after) ? after : -1;
    }

    /** Returns whether an INSERT may end before a token. */
    private boolean isSeparated(int after) {
        boolean separated = tokens.isEnd(after) || tokens.isSymbol(after, ';') || after == statements.blockEnd();
        return separated || statements.beginsStatement(after) || (tokens.kind(after) == Kind.WORD && isVerb(after));
    }

    /** Returns the OUTPUT of a statement that writes; null without one. What it would write itself is refused. */
    private @Nullable OutputSpan outputOf(int verb, int end) {
        int to = verb;
        // Behind the SELECT of an INSERT, the word is a column.
        while (to < end && !(tokens.isWord(verb, "insert") && tokens.isAnyWord(to, "select", "values"))) {
            to = tokens.opens(to) ? tokens.afterClosing(to) : to + 1;
        }
        OutputSpan output = OutputSpan.find(tokens, verb + 1, to);
        if (output != null && output.isInto(tokens)) {
            throw new UnsupportedSqlException(
                    tokens.text(verb).toUpperCase(Locale.ROOT) + " ... OUTPUT ... INTO",
                    "leave INTO out, read the rows that OUTPUT shows as a result, and insert them");
        }
        return output;
    }

    /** MERGE has no form in CQL. */
    private int merge(int token) {
        refuseVerb("merge");
        throw new IllegalStateException("is refused: " + tokens.text(token));
    }

    /** Reads a write behind common table expressions; returns -1 if nothing serves it. */
    private int write(int with, int verb) {
        int end = endOfChange(verb);
        OutputSpan output = end < 0 ? null : outputOf(verb, end);
        TsqlStep.Written written = end < 0 ? null : writing(with, verb, end);
        if (written == null || !normaliser.schema().mayAssistChange(written.text())) {
            return -1;
        }
        steps.add(new TsqlStep.AssistedWrite(
                written,
                new UnsupportedSqlException("WITH", "run the common table expression as a statement of its own"),
                output != null));
        return end;
    }

    /** Reads a statement behind common table expressions, for what serves it in the client; returns -1 if nothing does. */
    private int expressions(int token) {
        int select = token + 1;
        for (int depth = 0; !tokens.isEnd(select) && !tokens.isSymbol(select, ';'); select++) {
            depth += tokens.opens(select) ? 1 : tokens.closes(select) ? -1 : 0;
            if (depth == 0 && tokens.isAnyWord(select, "update", "delete", "insert", "merge")) {
                return write(token, select);
            }
            if (depth == 0 && tokens.isWord(select, "select")) {
                int end = statements.endOfQuery(select);
                TsqlStep.Written written = written(token, end);
                if (written != null && normaliser.schema().mayAssist(written.text())) {
                    List<Variable.Target> targets = variables.take(tokens.start(select));
                    TsqlStep query = new TsqlStep.Assisted(
                            written,
                            new UnsupportedSqlException(
                                    "WITH", "run the common table expression as a statement of its own"));
                    steps.add(targets == null ? query : new TsqlStep.AssignRows(query, targets, false));
                    return end;
                }
                return -1;
            }
        }
        return -1;
    }

    /** Returns a SELECT as the script has it; null if it has variables, or locks what it reads. */
    private TsqlStep.@Nullable Written written(int token, int end) {
        return written(token, end, hints.withoutHints(token, end));
    }

    /** As {@link #written(int, int)}, of a statement that writes: what it finds to write is its own. */
    private TsqlStep.@Nullable Written writing(int from, int verb, int end) {
        return written(from, end, hints.withoutHintsOfWrite(from, verb, end));
    }

    private TsqlStep.@Nullable Written written(int token, int end, @Nullable String text) {
        List<Integer> parameters = new ArrayList<>();
        for (int at = token; at < end; at++) {
            if (tokens.kind(at) == Kind.VARIABLE && !tokens.text(at).startsWith("@@")) {
                return null;
            }
            if (tokens.kind(at) == Kind.MARKER) {
                parameters.add(tokens.markerIndex(at));
            }
        }
        return text == null ? null : new TsqlStep.Written(text, parameters);
    }

    private int select(int token) {
        int end = statements.endOfQuery(token);
        SelectIdentityParser identity = new SelectIdentityParser(tokens, token);
        if (identity.matches(end)) {
            steps.add(identity.step());
            return end;
        }
        TsqlStep values = assignments.values(token, end);
        if (values != null) {
            steps.add(values);
            return end;
        }
        int variable = tables.tableOf(token, end);
        if (variable >= 0) {
            steps.add(tables.select(token, variable, end));
            return end;
        }
        if (nextValue(token, end) || rowCount(token, end)) {
            return end;
        }
        SchemaQuery query = new SchemaQueryParser(tokens, token, end).read();
        if (query != null) {
            steps.add(new TsqlStep.SchemaView(query));
            return end;
        }
        CqlBuilder out = new CqlBuilder();
        Guard.Locks locks = hints.locks(token, end);
        if (locks == null) {
            normaliser.reads(token, end);
        }
        SelectParser parser = new SelectParser(tokens, normaliser, token, hints.option(token, end));
        parser.write(out);
        List<Guard> guards = new ArrayList<>(parser.guards());
        if (locks != null) {
            guards.add(locks);
        }
        steps.add(new TsqlStep.Cql(
                out.toString(),
                "SELECT",
                out.parameters(),
                guards,
                parser.calculation(),
                parser.selection(),
                written(token, end)));
        return end;
    }

    /** Reads {@code SELECT [label =] @@ROWCOUNT [[AS] label]}; false for any other SELECT. */
    private boolean rowCount(int select, int end) {
        boolean labelled = tokens.kind(select + 1).isName() && tokens.isSymbol(select + 2, '=');
        int value = labelled ? select + 3 : select + 1;
        if (tokens.kind(value) != Kind.VARIABLE || !tokens.text(value).equalsIgnoreCase("@@rowcount")) {
            return false;
        }
        int alias = tokens.isWord(value + 1, "as") ? value + 2 : value + 1;
        boolean named = alias + 1 == end && isLabel(alias);
        if (value + 1 != end && !named) {
            return false;
        }
        String label = named ? tokens.content(alias) : labelled ? tokens.content(select + 1) : "";
        steps.add(new TsqlStep.SelectRowCount(label));
        return true;
    }

    private boolean isLabel(int token) {
        return tokens.kind(token).isName() || tokens.kind(token) == Kind.STRING || tokens.kind(token) == Kind.NATIONAL;
    }

    /** Reads {@code SELECT [label =] NEXT VALUE FOR sequence [[AS] label]}; false for any other SELECT. */
    private boolean nextValue(int select, int end) {
        boolean labelled = tokens.kind(select + 1).isName() && tokens.isSymbol(select + 2, '=');
        int next = labelled ? select + 3 : select + 1;
        if (!tokens.isWord(next, "next") || !tokens.isWord(next + 1, "value") || !tokens.isWord(next + 2, "for")) {
            return false;
        }
        CqlInsert.Table sequence = TableName.internal(tokens, next + 3);
        int after = TableName.read(tokens, next + 3).end();
        int alias = tokens.isWord(after, "as") ? after + 1 : after;
        boolean named = alias + 1 == end && isLabel(alias);
        if (after != end && !named) {
            throw new UnsupportedSqlException(
                    "'" + tokens.text(after) + "' after NEXT VALUE FOR", "read one value a statement");
        }
        String label = named ? tokens.content(alias) : labelled ? tokens.content(select + 1) : "";
        steps.add(new TsqlStep.NextValue(sequence, label));
        return true;
    }

    private int update(int token) {
        int end = statements.endOfQuery(token);
        TableName table = TableName.read(tokens, token + 1);
        if (topLevel("from", token + 1, end) == end) {
            // A FROM within a condition is that of the rows to be found.
            TsqlStep.Count counting = counting(token, end, table);
            if (counting != null) {
                refuseClauses(token, end, "UPDATE");
                steps.add(counting);
                return end;
            }
        }
        for (int at = token + 2; at < end; at++) {
            if (tokens.isWord(at, "from")) {
                TableName source = onlyTable(at + 1, end);
                if (!isTarget(token + 1, table.end(), source)) {
                    throw clause("UPDATE", "FROM");
                }
                // UPDATE p SET ... FROM product p: the table takes the place of its alias.
                normaliser.replace(
                        token,
                        tokens.text(token) + " "
                                + TableName.read(tokens, at + 1).cql(tokens));
                normaliser.drop(token + 1, table.end());
                normaliser.drop(at, source.end());
                table = source;
            }
        }
        refuseClauses(token, end, "UPDATE");
        TsqlStep.Count counting = counting(token, end, table);
        if (counting != null) {
            steps.add(counting);
            return end;
        }
        return change(token, "update", end, table);
    }

    /** Returns an UPDATE that adds to columns that count; null for any other. */
    private TsqlStep.@Nullable Count counting(int token, int end, TableName source) {
        TableName target = TableName.read(tokens, token + 1);
        int set = topLevel("set", target.end(), end);
        if (target.first() < 0 || set == end || hints.after(target.end(), end) != set) {
            return null;
        }
        int option = hints.option(token, end);
        int where = topLevel("where", set, option);
        int from = Math.min(topLevel("from", set, option), where);
        return CountParser.read(
                tokens, normaliser.schema(), target, from < where ? source : target, set, from, where, option);
    }

    private int topLevel(String word, int from, int end) {
        int depth = 0;
        for (int token = from; token < end; token++) {
            depth += tokens.opens(token) ? 1 : tokens.closes(token) ? -1 : 0;
            if (depth == 0 && tokens.isWord(token, word)) {
                return token;
            }
        }
        return end;
    }

    /** Reads a table, with its alias and its hints if it has any. Returns NONE if anything but WHERE follows it. */
    private TableName onlyTable(int token, int end) {
        TableName table = TableName.read(tokens, token);
        if (table.first() < 0) {
            return table;
        }
        int after = hints.after(table.end(), end);
        int alias = tokens.isWord(after, "as") ? after + 1 : after;
        boolean named = alias < end && tokens.kind(alias).isName() && !tokens.isAnyWord(alias, "where", "option");
        after = named ? hints.after(alias + 1, end) : after;
        boolean alone = after >= end || tokens.isWord(after, "where") || hints.isOption(after);
        return !alone
                ? TableName.NONE
                : new TableName(
                        table.first(), after, table.keyspace(), table.table(), named ? tokens.content(alias) : null);
    }

    private int change(int token, String verb, int end, TableName table) {
        hints.refuseTableLock(token, end);
        int option = hints.option(token, end);
        List<Guard> guards = new ChangeParser(tokens, normaliser, table, token, option, defined).rewrite();
        statements.addCql(token, verb, option, table, guards);
        return end;
    }

    private int delete(int token) {
        int end = statements.endOfQuery(token);
        refuseClauses(token, end, "DELETE");
        int from = token;
        while (from < end && !tokens.isWord(from, "from") && !tokens.isWord(from, "where")) {
            from++;
        }
        if (from < end && tokens.isWord(from, "from")) {
            TableName table = onlyTable(from + 1, end);
            if (isTarget(token + 1, from, table)) {
                // DELETE p FROM product p, and DELETE product FROM product: in CQL this would delete a column.
                normaliser.drop(token + 1, from);
                normaliser.drop(TableName.read(tokens, from + 1).end(), table.end());
                return change(token, "delete", end, table);
            }
            return change(token, "delete", end, TableName.read(tokens, from + 1));
        }
        // T-SQL allows DELETE without FROM.
        normaliser.replace(token, tokens.text(token) + " FROM");
        return change(token, "delete", end, TableName.read(tokens, token + 1));
    }

    /** Returns whether what stands between DELETE and FROM is the table, by its alias or, without one, by its name. */
    private boolean isTarget(int first, int from, TableName table) {
        TableName target = TableName.read(tokens, first);
        if (target.first() < 0 || target.end() != from || table.first() < 0) {
            return false;
        }
        if (table.hasAlias()) {
            return from == first + 1 && table.isQualifier(tokens, first);
        }
        String keyspace = target.keyspace();
        return table.isTable(tokens, from - 1) && (keyspace == null || keyspace.equalsIgnoreCase(table.keyspace()));
    }

    private void refuseClauses(int verb, int end, String name) {
        if (tokens.isWord(verb + 1, "top")
                && (tokens.isSymbol(verb + 2, '(') || tokens.kind(verb + 2) == Kind.NUMBER)) {
            throw clause(name, "TOP");
        }
        for (int token = verb + 1; token < end; token++) {
            if (tokens.isWord(token, "output") && tokens.isAnyWord(token + 1, "deleted", "inserted")) {
                throw clause(name, "OUTPUT");
            }
            if (tokens.isWord(token, "join")
                    && tokens.kind(token + 1).isName()
                    && tokens.kind(token - 1).isName()) {
                throw clause(name, "JOIN");
            }
        }
    }

    private static UnsupportedSqlException clause(String verb, String clause) {
        return new UnsupportedSqlException(
                verb + " ... " + clause, "name the rows by their primary key in WHERE, one table a statement");
    }

    private int set(int token) {
        if (tokens.isWord(token + 1, "nocount") && tokens.isAnyWord(token + 2, "on", "off")) {
            steps.add(new TsqlStep.SetNoCount(tokens.isWord(token + 2, "on")));
            return token + 3;
        }
        if (tokens.isWord(token + 1, "identity_insert")) {
            return identityInsert(token);
        }
        List<Variable.Target> target = variables.take(tokens.start(token));
        if (target != null) {
            int end = statements.endOfQuery(token);
            boolean changes = tokens.kind(token + 2) == Kind.SYMBOL && tokens.isSymbol(token + 3, '=');
            int equals = changes ? token + 3 : token + 2;
            if (!tokens.isSymbol(equals, '=')) {
                throw UnsupportedSqlException.asSqlServer(
                        102, "Incorrect syntax near '" + tokens.text(token + 1) + "': = and a value must follow it");
            }
            assign(target.get(0), equals + 1, end, changes ? tokens.text(token + 2) : "");
            return end;
        }
        return new SettingParser(tokens, statements, steps).parse(token);
    }

    /** {@code PRINT 'text'}; what is calculated for it is the application's. */
    private int print(int token) {
        int text = token + 1;
        int end = statements.endOfQuery(token);
        boolean literal = tokens.kind(text) == Kind.STRING || tokens.kind(text) == Kind.NATIONAL;
        if (!literal || end != text + 1) {
            throw new UnsupportedSqlException(
                    "PRINT of anything but one text", "print it in the application, or give a text: PRINT 'text'");
        }
        steps.add(new TsqlStep.Print(tokens.content(text)));
        return end;
    }

    private int identityInsert(int token) {
        CqlInsert.Table table = TableName.internal(tokens, token + 2);
        int after = TableName.read(tokens, token + 2).end();
        if (!tokens.isAnyWord(after, "on", "off")) {
            throw new UnsupportedSqlException("SET IDENTITY_INSERT ... " + tokens.text(after), "say ON or OFF");
        }
        steps.add(new TsqlStep.SetIdentityInsert(
                SelectList.exact(table, normaliser.schema()), tokens.isWord(after, "on")));
        return after + 1;
    }

    private int use(int token) {
        if (!tokens.kind(token + 1).isName()) {
            return statements.addCql(token, "use", statements.end(token));
        }
        steps.add(new TsqlStep.Use(Identifiers.toInternal(tokens.cqlTable(token + 1))));
        return token + 2;
    }

    private int begin(int token) {
        if (tokens.isAnyWord(token + 1, "tran", "transaction", "distributed")) {
            throw new UnsupportedSqlException(
                    "BEGIN TRANSACTION", "use Connection.setAutoCommit(false), commit() and rollback()");
        }
        boolean batch = tokens.isWord(token + 1, "batch")
                || (tokens.isAnyWord(token + 1, "unlogged", "logged", "counter") && tokens.isWord(token + 2, "batch"));
        if (!batch) {
            if (tokens.isAnyWord(token + 1, "try", "catch", "dialog", "conversation", "atomic")) {
                throw new UnsupportedSqlException(
                        "BEGIN " + tokens.text(token + 1).toUpperCase(Locale.ROOT), "do this in the application");
            }
            blocks++;
            return token + 1;
        }
        int end = token;
        while (!tokens.isEnd(end)) {
            if (tokens.isWord(end, "apply") && tokens.isWord(end + 1, "batch")) {
                return statements.addCql(token, "begin", end + 2);
            }
            end++;
        }
        return statements.addCql(token, "begin", end);
    }

    // ---- IF around definitions

    /** Reads an IF that asks for an object of the schema, and what it guards; -1 for any other IF. */
    private int guarded(int token) {
        IfParser.Condition condition = new IfParser(tokens, token + 1).read();
        if (condition == null) {
            return -1;
        }
        int then = condition.end();
        boolean block = tokens.isWord(then, "begin") && !isOther(then + 1);
        int end = block ? endOf(then) : -1;
        int first = block ? then + 1 : then;
        int after;
        if (definitions.servesByItself(condition, first) && (!block || isOneStatement(first, end))) {
            int outer = statements.blockEnd();
            statements.blockEnd(block ? end : outer);
            defined = true;
            after = definitions.guarded(first);
            statements.blockEnd(outer);
            if (block) {
                after += tokens.isSymbol(after, ';') ? 1 : 0;
                if (after != end) {
                    throw statements.unseparated(after);
                }
            }
        } else {
            after = guardedSteps(condition, first, end);
        }
        after = block ? end + 1 : after;
        int next = tokens.isSymbol(after, ';') ? after + 1 : after;
        if (tokens.isWord(next, "else")) {
            throw new UnsupportedSqlException(
                    "ELSE behind an IF", "send what follows it as a statement of its own, behind an IF of its own");
        }
        return after;
    }

    /** Reads an IF whose condition depends on rows, for what serves it in the client; returns -1 if nothing does. */
    private int ifOfRows(int token) {
        int then = token + 1;
        for (int nested = 0; !tokens.isEnd(then); then++) {
            nested += tokens.opens(then) ? 1 : tokens.closes(then) ? -1 : 0;
            boolean begins =
                    statements.beginsStatement(then) || (tokens.isWord(then, "if") && Words.endsTerm(tokens, then - 1));
            if (nested == 0 && then > token + 1 && tokens.kind(then) == Kind.WORD && begins) {
                break;
            }
        }
        if (tokens.isEnd(then)) {
            return -1;
        }
        TsqlStep.Written condition = written(token + 1, then);
        TsqlStep.Written select = condition == null
                ? null
                : new TsqlStep.Written(
                        "SELECT CASE WHEN " + condition.text() + " THEN 1 ELSE 0 END", condition.parameters());
        if (select == null || asksOther(token + 1, then) || !normaliser.schema().mayAssist(select.text())) {
            return -1;
        }
        if (++depth > MAX_NESTED) {
            throw new UnsupportedSqlException(
                    "IF within more than " + MAX_NESTED + " others", "send its statements one by one");
        }
        UnsupportedSqlException refusal =
                new UnsupportedSqlException("IF", "decide in the application, and send the statement that is to run");
        int guard = steps.size();
        // Its place must not change later: steps know others by their index.
        steps.add(new TsqlStep.IfHolds(select, refusal, 0));
        int after = branch(then);
        int next = tokens.isSymbol(after, ';') ? after + 1 : after;
        if (tokens.isWord(next, "else")) {
            int otherwise = steps.size();
            steps.add(new TsqlStep.Otherwise(0));
            after = branch(next + 1);
            steps.set(otherwise, new TsqlStep.Otherwise(steps.size() - otherwise - 1));
            steps.set(guard, new TsqlStep.IfHolds(select, refusal, otherwise - guard));
        } else {
            steps.set(guard, new TsqlStep.IfHolds(select, refusal, steps.size() - guard - 1));
        }
        depth--;
        return after;
    }

    /** Returns whether a condition asks for anything of the session that is not known to be refused before a step runs. */
    private boolean asksOther(int from, int to) {
        for (int at = from; at < to; at++) {
            if (tokens.kind(at) == Kind.VARIABLE) {
                return true;
            }
        }
        return false;
    }

    /** Reads a statement or a block of an IF; returns the token behind it. */
    private int branch(int first) {
        requireStatement(first);
        boolean block = tokens.isWord(first, "begin") && !isOther(first + 1);
        int outer = statements.blockEnd();
        // The first ELSE behind an IF within this one is its own.
        int end = block ? endOf(first) : tokens.isWord(first, "if") ? outer : Math.min(outer, otherwise(first));
        statements.blockEnd(end);
        int token = block ? first + 1 : first;
        if (block) {
            while (token < end) {
                // A block within the block has an END of its own.
                statements.inBlock(true);
                token = tokens.isSymbol(token, ';') ? token + 1 : statement(token);
            }
            token = end + 1;
        } else {
            token = statement(token);
        }
        statements.blockEnd(outer);
        return token;
    }

    /** Returns the token of the ELSE that ends a statement; the number of all tokens without one. */
    private int otherwise(int first) {
        int cases = 0;
        int at = first;
        while (!tokens.isEnd(at) && !tokens.isSymbol(at, ';')) {
            cases += tokens.isWord(at, "case") ? 1 : cases > 0 && tokens.isWord(at, "end") ? -1 : 0;
            if (cases == 0 && tokens.isWord(at, "else")) {
                return at;
            }
            at = tokens.opens(at) ? tokens.afterClosing(at) : at + 1;
        }
        return tokens.size();
    }

    /** @param end the token of the block's END; -1 for a single statement */
    private int guardedSteps(IfParser.Condition condition, int first, int end) {
        SchemaObject object = definitions.resolved(condition.object(), first);
        if (++depth > MAX_NESTED) {
            throw new UnsupportedSqlException(
                    "IF within more than " + MAX_NESTED + " others", "send its statements one by one");
        }
        definitions.behindIf(true);
        int guard = steps.size();
        // Its place must not change later: steps know others by their index.
        steps.add(new TsqlStep.IfExists(object, condition.exists(), 0));
        int token = first;
        if (end < 0) {
            requireStatement(token);
            token = statement(token);
        } else {
            int outer = statements.blockEnd();
            statements.blockEnd(end);
            while (token < end) {
                // A block within the block has an END of its own.
                statements.inBlock(true);
                token = tokens.isSymbol(token, ';') ? token + 1 : statement(token);
            }
            statements.blockEnd(outer);
        }
        steps.set(guard, new TsqlStep.IfExists(object, condition.exists(), steps.size() - guard - 1));
        depth--;
        definitions.behindIf(depth > 0);
        return token;
    }

    private void requireStatement(int token) {
        if (tokens.isEnd(token) || tokens.isSymbol(token, ';')) {
            throw new UnsupportedSqlException("an IF without a statement", "say what runs if its condition holds");
        }
    }

    /** Returns whether a BEGIN begins something else than a block. */
    private boolean isOther(int token) {
        return tokens.isAnyWord(
                token, "tran", "transaction", "distributed", "batch", "unlogged", "logged", "counter", "try", "catch");
    }

    /** Returns the END that belongs to a BEGIN. */
    private int endOf(int begin) {
        int depth = 0;
        int at = begin;
        do {
            if (tokens.isEnd(at)) {
                throw new UnsupportedSqlException("BEGIN without END", "close the block with END");
            }
            boolean opens = tokens.isWord(at, "case") || (tokens.isWord(at, "begin") && !isOther(at + 1));
            depth += opens ? 1 : tokens.isWord(at, "end") ? -1 : 0;
            at++;
        } while (depth > 0);
        return at - 1;
    }

    /** Returns whether no second statement begins in a block. */
    private boolean isOneStatement(int first, int end) {
        for (int at = first + 1; at < end; at = tokens.opens(at) ? tokens.afterClosing(at) : at + 1) {
            boolean begins = tokens.kind(at) == Kind.WORD
                    && (VERBS.contains(tokens.text(at).toLowerCase(Locale.ROOT))
                            || tokens.isAnyWord(at, "exec", "execute", "print", "go", "merge", "with"));
            if (begins && !(tokens.isWord(at, "with") && tokens.isSymbol(at + 1, '('))) {
                return false;
            }
        }
        return true;
    }

    private static void refuseVerb(String verb) {
        String workaround =
                switch (verb) {
                    case "merge" -> "an INSERT or UPDATE of Cassandra writes the row whether it exists or not";
                    case "exec", "execute", "call" ->
                        "Cassandra has no stored procedures; send the procedure's statements";
                    case "if" ->
                        "an IF may ask whether a table, column, index or sequence exists, as IF OBJECT_ID('t') IS NULL;"
                                + " for a row whose whole key the statement gives, put IF NOT EXISTS at the end of the INSERT,"
                                + " or IF <condition> at the end of the UPDATE; a generated key never exists, so make what"
                                + " must be there once the key of a table";
                    case "with" -> "run the common table expression as a statement of its own";
                    case "commit", "rollback", "save" -> "use Connection.commit() and rollback()";
                    case "while",
                            "raiserror",
                            "throw",
                            "return",
                            "goto",
                            "waitfor",
                            "open",
                            "fetch",
                            "close",
                            "deallocate",
                            "bulk" -> "Cassandra runs single statements; do this in the" + " application";
                    default -> "";
                };
        if (!workaround.isEmpty()) {
            throw new UnsupportedSqlException(verb.toUpperCase(Locale.ROOT), workaround);
        }
    }
}
