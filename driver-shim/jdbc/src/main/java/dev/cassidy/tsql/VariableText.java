package dev.cassidy.tsql;

import dev.cassidy.definition.SqlType;
import dev.cassidy.insert.Kind;
import dev.cassidy.insert.Tokens;
import dev.cassidy.insert.UnsupportedSqlException;
import dev.cassidy.tsql.Variable.Target;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A script whose variables are parameters. Each use of a variable is a {@code ?}, and so is each {@code @@ROWCOUNT}, {@code @@IDENTITY} and
 * {@code SCOPE_IDENTITY()} within a statement; {@code @x =} of a SELECT is left out. All else is as the script has it, each token at its
 * place. So every statement that takes a parameter takes a variable, and no value becomes part of a statement's text.
 *
 * <p>What DECLARE, SET and SELECT assign to stays known by the place of the word: of DECLARE that of the variable.
 */
final class VariableText {

    private static final SqlType INT = new SqlType(SqlType.Name.INT, 0, 10, 0);
    private static final SqlType IDENTITY = new SqlType(SqlType.Name.NUMERIC, 0, 38, 0);

    /** Statements whose first word tells what variables mean in them, and which end where another one begins. */
    private static final Set<String> VERBS = Set.of(
            "select",
            "insert",
            "update",
            "delete",
            "merge",
            "set",
            "declare",
            "exec",
            "execute",
            "if",
            "create",
            "alter",
            "drop",
            "truncate",
            "use",
            "print",
            "while",
            "with",
            "dbcc",
            "go");

    private final Tokens tokens;
    private final Statements statements;
    private final StringBuilder text = new StringBuilder();
    private final List<Variable> variables = new ArrayList<>();
    private final List<Integer> parameters = new ArrayList<>();
    private final Map<Integer, List<Target>> targets = new HashMap<>();

    /** Those of the batch that GO ends. */
    private final Map<String, Target> declared = new HashMap<>();

    private final Set<String> tables = new HashSet<>();

    private final Map<Variable.Source, Target> systems = new HashMap<>();

    /** The variables that are assigned to, which are no uses. */
    private final BitSet assigned = new BitSet();

    private int own;
    private boolean updates;
    private boolean sets;
    private boolean setOfUpdate;

    private VariableText(Tokens tokens) {
        this.tokens = tokens;
        this.statements = new Statements(tokens, new Normaliser(tokens, Schema.UNKNOWN), new ArrayList<>());
    }

    /** Reads a script; nothing of one without variables changes. */
    static VariableText of(Tokens tokens) {
        VariableText read = new VariableText(tokens);
        if (read.mayHave()) {
            read.text.append(tokens.text);
            read.read();
        }
        return read;
    }

    private boolean mayHave() {
        for (int at = 0; !tokens.isEnd(at); at++) {
            if (tokens.kind(at) == Kind.VARIABLE || tokens.isWord(at, "scope_identity")) {
                return true;
            }
        }
        return false;
    }

    /** Returns the tokens to read in place of the script's. */
    Tokens tokens() {
        if (variables.isEmpty()) {
            return tokens;
        }
        Tokens read = new Tokens(text.toString());
        read.takeParameters(parameters.stream().mapToInt(Integer::intValue).toArray());
        return read;
    }

    /** Returns the variables, which are parameters behind those of the script, in this order. */
    List<Variable> variables() {
        return variables;
    }

    /** Returns how many parameters the steps of the script have: its own, and its variables. */
    int parameters() {
        return tokens.markers() + variables.size();
    }

    /** Returns whether a parameter is a variable. */
    boolean isVariable(int parameter) {
        return parameter >= tokens.markers() && parameter < parameters();
    }

    /** Returns the variable that a parameter is. */
    Target ofParameter(int parameter) {
        return new Target(parameter, variables.get(parameter - tokens.markers()));
    }

    /**
     * Returns whether a variable stands in a part of the script.
     *
     * @param read as {@link #tokens} gave them
     */
    boolean isUsed(Tokens read, int from, int to) {
        for (int at = from; at < to; at++) {
            if (read.kind(at) == Kind.MARKER && isVariable(read.markerIndex(at))) {
                return true;
            }
        }
        return false;
    }

    /** Returns what is assigned to at a place of the text, and forgets it; null if nothing is. */
    @Nullable
    List<Target> take(int start) {
        return targets.remove(start);
    }

    /** Throws the error of an assignment that no statement has taken. */
    void requireAllTaken() {
        for (List<Target> left : targets.values()) {
            throw new UnsupportedSqlException(
                    "an assignment to " + left.get(0).variable().name() + " within another statement",
                    "give it a SET or SELECT of its own");
        }
    }

    // ---- reading

    private void read() {
        // T-SQL demands EXEC, except of the first statement.
        int at = ProcedureParser.isCall(tokens, 0) ? call(0) : 0;
        int depth = 0;
        boolean starts = true;
        while (!tokens.isEnd(at)) {
            boolean begins = depth == 0
                    && tokens.kind(at) == Kind.WORD
                    && VERBS.contains(tokens.text(at).toLowerCase(Locale.ROOT))
                    && (starts || statements.beginsStatement(at))
                    && !(updates && !setOfUpdate && tokens.isWord(at, "set"));
            if (begins) {
                at = begin(at);
                starts = false;
                continue;
            }
            if (depth == 0 && tokens.isWord(at, "option") && tokens.isSymbol(at + 1, '(')) {
                // OPTIMIZE FOR names variables, and changes nothing here.
                int end = tokens.afterClosing(at + 1);
                while (at < end) {
                    at = pass(at);
                }
                starts = false;
                continue;
            }
            setOfUpdate |= depth == 0 && tokens.isWord(at, "set");
            depth = Math.max(0, depth + (tokens.opens(at) ? 1 : tokens.closes(at) ? -1 : 0));
            starts = depth == 0
                    && (tokens.isSymbol(at, ';')
                            || tokens.isAnyWord(at, "begin", "else", "end")
                            || (sets && tokens.isAnyWord(at, "on", "off")));
            at = use(at, depth);
        }
    }

    /** Reads the beginning of a statement, or the whole of one in which variables mean something else; returns the token after it. */
    private int begin(int verb) {
        updates = tokens.isWord(verb, "update");
        sets = tokens.isWord(verb, "set");
        setOfUpdate = false;
        if (tokens.isWord(verb, "go") && statements.isGo(verb)) {
            declared.clear();
            tables.clear();
        } else if (tokens.isWord(verb, "declare") && tokens.kind(verb + 1) == Kind.VARIABLE) {
            return declare(verb);
        } else if (tokens.isWord(verb, "set") && tokens.kind(verb + 1) == Kind.VARIABLE) {
            targets.put(tokens.start(verb), List.of(target(verb + 1)));
            assigned.set(verb + 1);
        } else if (tokens.isWord(verb, "select")) {
            select(verb);
        } else if (tokens.isAnyWord(verb, "exec", "execute")) {
            return call(verb + 1);
        } else if (tokens.isWord(verb, "set") && tokens.kind(verb + 2) == Kind.VARIABLE) {
            // The value of a setting is read as it is written.
            return verb + 3;
        } else if (isBody(verb)) {
            int at = verb + 1;
            while (!tokens.isEnd(at) && !statements.isGo(at)) {
                at = pass(at);
            }
            return at;
        }
        return verb + 1;
    }

    /** Returns whether a CREATE or ALTER has parameters and statements of its own. */
    private boolean isBody(int verb) {
        int what = tokens.isWord(verb + 1, "or") ? verb + 3 : verb + 1;
        return tokens.isAnyWord(verb, "create", "alter")
                && tokens.isAnyWord(what, "procedure", "proc", "function", "trigger");
    }

    /** Passes a call: there {@code @name = value} names a parameter of the procedure. */
    private int call(int from) {
        int at = from;
        while (!tokens.isEnd(at) && !tokens.isSymbol(at, ';') && !(at > from && statements.beginsStatement(at))) {
            at = pass(at);
        }
        return at;
    }

    /** Passes a token in which nothing is a variable. */
    private int pass(int at) {
        if (tokens.kind(at) == Kind.MARKER) {
            parameters.add(own++);
        }
        return at + 1;
    }

    // ---- DECLARE

    private int declare(int verb) {
        // The first value of one cannot use another of the same DECLARE.
        Map<String, Target> fresh = new LinkedHashMap<>();
        int token = verb;
        do {
            int variable = token + 1;
            DeclaredVariable read = DeclaredVariable.read(tokens, variable);
            String name = name(variable);
            if (declared.containsKey(name) || tables.contains(name) || fresh.containsKey(name)) {
                throw UnsupportedSqlException.asSqlServer(
                        134,
                        "The variable name '" + tokens.text(variable)
                                + "' has already been declared: names must be unique within a batch");
            }
            token = read.end();
            SqlType type = read.type();
            if (type == null) {
                tables.add(name);
            } else {
                Target target = add(new Variable(tokens.text(variable), type, Variable.Source.SCRIPT));
                targets.put(tokens.start(variable), List.of(target));
                fresh.put(name, target);
                if (tokens.isSymbol(token, '=')) {
                    int end = endOfValue(tokens, statements, token + 1);
                    for (int at = token + 1; at < end; ) {
                        at = use(at, 1);
                    }
                    token = end;
                }
            }
        } while (tokens.isSymbol(token, ','));
        declared.putAll(fresh);
        return token;
    }

    /** Returns the token after the value that DECLARE gives a variable, or SELECT assigns. */
    static int endOfValue(Tokens tokens, Statements statements, int from) {
        int cases = 0;
        int at = from;
        while (!tokens.isEnd(at) && !tokens.isSymbol(at, ';') && !tokens.isSymbol(at, ',')) {
            if (tokens.isWord(at, "case")) {
                cases++;
            } else if (cases > 0 && tokens.isWord(at, "end")) {
                cases--;
            } else if (cases == 0
                    && (tokens.isAnyWord(at, "end", "else", "from", "where")
                            || (at > from && statements.beginsStatement(at)))) {
                return at;
            }
            at = tokens.opens(at) ? tokens.afterClosing(at) : at + 1;
        }
        return at;
    }

    // ---- SELECT

    private void select(int verb) {
        int item = verb + 1;
        if (tokens.isAnyWord(item, "all", "distinct")) {
            item++;
        }
        if (tokens.isWord(item, "top")) {
            item = tokens.isSymbol(item + 1, '(') ? tokens.afterClosing(item + 1) : item + 2;
            item += tokens.isWord(item, "percent") ? 1 : 0;
            item += tokens.isWord(item, "with") && tokens.isWord(item + 1, "ties") ? 2 : 0;
        }
        List<Integer> assignments = new ArrayList<>();
        int items = 0;
        int from = item;
        int end;
        do {
            boolean assigns =
                    tokens.kind(item) == Kind.VARIABLE && !tokens.text(item).startsWith("@@");
            if (assigns && tokens.isSymbol(item + 1, '=')) {
                assignments.add(item);
            } else if (assigns && tokens.kind(item + 1) == Kind.SYMBOL && tokens.isSymbol(item + 2, '=')) {
                throw new UnsupportedSqlException(
                        "SELECT " + tokens.text(item) + " " + tokens.text(item + 1) + "=",
                        "calculate it by SET, or read the rows and calculate in the application; an aggregate, such as"
                                + " SUM or STRING_AGG, adds up rows");
            }
            items++;
            end = endOfValue(tokens, statements, item);
            item = end + 1;
        } while (tokens.isSymbol(end, ','));
        if (!assignments.isEmpty()) {
            assign(verb, assignments, items, from, end);
        }
    }

    private void assign(int verb, List<Integer> assignments, int items, int from, int end) {
        if (assignments.size() < items) {
            throw UnsupportedSqlException.asSqlServer(
                    141,
                    "A SELECT statement that assigns a value to a variable must not be combined with data-retrieval"
                            + " operations: assign all of its columns, or none");
        }
        List<Target> of = new ArrayList<>();
        Set<String> names = new HashSet<>();
        for (int variable : assignments) {
            of.add(target(variable));
            names.add(name(variable));
            assigned.set(variable);
            for (int at = tokens.start(variable); at < tokens.end(variable + 1); at++) {
                text.setCharAt(at, ' ');
            }
        }
        if (tokens.isWord(end, "from")) {
            // SQL Server calculates it row by row, in an order that nobody has said.
            for (int at = from; at < end; at++) {
                if (tokens.kind(at) == Kind.VARIABLE && !assigned.get(at) && names.contains(name(at))) {
                    throw new UnsupportedSqlException(
                            "SELECT " + tokens.text(at) + " = ... " + tokens.text(at) + " ... FROM",
                            "use an aggregate, such as SUM or STRING_AGG, or read the rows and calculate in the application");
                }
            }
        }
        targets.put(tokens.start(verb), of);
    }

    // ---- uses

    /** Reads one token within a statement, or what stands for one parameter; returns the token after it. */
    private int use(int at, int depth) {
        if (tokens.kind(at) == Kind.VARIABLE && !assigned.get(at)) {
            variable(at, depth);
        } else if (tokens.isWord(at, "scope_identity")
                && tokens.isSymbol(at + 1, '(')
                && tokens.isSymbol(at + 2, ')')
                && !tokens.isSymbol(at - 1, '.')
                && !isSelected(at, at + 3)) {
            replace(at, at + 3, system(Variable.Source.IDENTITY));
            return at + 3;
        }
        return pass(at);
    }

    private void variable(int at, int depth) {
        String name = name(at);
        if (name.startsWith("@@")) {
            boolean known = name.equals("@@rowcount") || name.equals("@@identity");
            if (known && !isSelected(at, at + 1)) {
                replace(
                        at,
                        at + 1,
                        system(name.equals("@@rowcount") ? Variable.Source.ROW_COUNT : Variable.Source.IDENTITY));
            }
            return;
        }
        // A table stands there; what is served of it, its readers say.
        if (tables.contains(name) || tokens.isAnyWord(at - 1, "from", "join", "into", "insert", "delete", "update")) {
            return;
        }
        if (updates
                && depth == 0
                && tokens.isSymbol(at + 1, '=')
                && (tokens.isWord(at - 1, "set") || tokens.isSymbol(at - 1, ','))) {
            throw new UnsupportedSqlException(
                    "UPDATE ... SET " + tokens.text(at) + " =", "read the value by SELECT @x = ..., or by OUTPUT");
        }
        replace(at, at + 1, target(at));
    }

    /** Returns whether it is all that a SELECT shows: {@code SELECT [label =] x [[AS] label]}, where x may be cast. That is a step of its own. */
    private boolean isSelected(int from, int to) {
        int before = from - 1;
        int after = to;
        if (tokens.isSymbol(before, '(') && tokens.isWord(before - 1, "cast")) {
            after = tokens.afterClosing(before);
            before -= 2;
        } else if (tokens.isSymbol(before, ',')) {
            int open = before;
            while (open > Math.max(0, before - 6) && !tokens.isWord(open, "convert")) {
                open--;
            }
            if (!tokens.isWord(open, "convert") || !tokens.isSymbol(open + 1, '(')) {
                return false;
            }
            after = tokens.afterClosing(open + 1);
            before = open - 1;
        }
        if (tokens.isSymbol(before, '=') && tokens.kind(before - 1).isName() && tokens.isWord(before - 2, "select")) {
            before -= 2;
        }
        if (!tokens.isWord(before, "select")) {
            return false;
        }
        if (tokens.isWord(after, "as")) {
            after += 2;
        } else if (isLabel(after) && !statements.beginsStatement(after) && !tokens.isAnyWord(after, "end", "else")) {
            after++;
        }
        return tokens.isEnd(after)
                || tokens.isSymbol(after, ';')
                || tokens.isAnyWord(after, "end", "else")
                || statements.beginsStatement(after);
    }

    private boolean isLabel(int token) {
        return tokens.kind(token).isName() || tokens.kind(token) == Kind.STRING || tokens.kind(token) == Kind.NATIONAL;
    }

    private Target system(Variable.Source source) {
        Target known = systems.get(source);
        if (known == null) {
            known = add(
                    source == Variable.Source.ROW_COUNT
                            ? new Variable("@@ROWCOUNT", INT, source)
                            : new Variable("SCOPE_IDENTITY()", IDENTITY, source));
            systems.put(source, known);
        }
        return known;
    }

    private Target target(int variable) {
        Target known = declared.get(name(variable));
        if (known == null) {
            throw UnsupportedSqlException.asSqlServer(
                    137,
                    "Must declare the scalar variable \"" + tokens.text(variable) + "\": by DECLARE before it, in the"
                            + " same statement of JDBC and before any GO");
        }
        return known;
    }

    private Target add(Variable variable) {
        variables.add(variable);
        return new Target(tokens.markers() + variables.size() - 1, variable);
    }

    private void replace(int from, int to, Target target) {
        parameters.add(target.parameter());
        text.setCharAt(tokens.start(from), '?');
        for (int at = tokens.start(from) + 1; at < tokens.end(to - 1); at++) {
            text.setCharAt(at, ' ');
        }
    }

    private String name(int variable) {
        return tokens.text(variable).toLowerCase(Locale.ROOT);
    }
}
