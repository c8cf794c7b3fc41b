package dev.cassidy.migration.assess;

import dev.cassidy.insert.CqlSelect;
import dev.cassidy.insert.StatementShape;
import dev.cassidy.insert.UnsupportedSqlException;
import dev.cassidy.jdbc.assist.Assistants;
import dev.cassidy.jdbc.plan.Plan;
import dev.cassidy.remedy.CommandLines;
import dev.cassidy.tsql.Guard;
import dev.cassidy.tsql.Schema;
import dev.cassidy.tsql.StepPrinter;
import dev.cassidy.tsql.TsqlScript;
import dev.cassidy.tsql.TsqlStep;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Judges statements by the driver's own parser and CQL's grammar, and with a target also by the cluster, which alone knows
 * tables, types and keys. Without one, the keys of the old database decide if they are known, and the rest stays open.
 */
public final class Judge {

    private static final Logger LOG = LoggerFactory.getLogger(Judge.class);

    /** SQLStates that concern the cluster and not the statement: no answer in time, overload. */
    private static final Set<String> OF_THE_CLUSTER = Set.of("HYT00", "53000");

    private static final Target.Findings NONE = new Target.Findings(List.of(), List.of());

    private final @Nullable Target target;
    private final OldDatabase old;
    private final TextWays ways;
    private final int nodes;

    private volatile boolean unreachable;

    /** @param nodes the size of the datacenter for which costs are judged; 0 for that of the target */
    public Judge(@Nullable Target target, OldDatabase old, int nodes) {
        this.target = target;
        this.old = old;
        this.ways = new TextWays(old, nodes);
        this.nodes = nodes;
    }

    /** Returns whether a target judged every statement so far. */
    boolean asksTheTarget() {
        return target != null && !unreachable;
    }

    /** Returns whether the keys of the old database judged, as if the new tables had them, and were exact. */
    boolean asksTheOldKeys() {
        return !asksTheTarget() && old.hasKeys();
    }

    Judgement judge(String sql, boolean generatedKeys) {
        TsqlScript script;
        try {
            script = TsqlScript.parse(sql, schema());
        } catch (UnsupportedSqlException e) {
            List<String> reasons = new ArrayList<>();
            reasons.add(StatementShape.withoutValues(String.valueOf(e.getMessage()), sql));
            for (String other : unsupported(sql)) {
                // What the parser said first, it says in other words.
                if (!reasons.get(0).startsWith(other.substring(0, other.indexOf(" is not supported")))) {
                    reasons.add(other);
                }
            }
            return Judgement.refused(reasons, List.of());
        }
        if (script.steps().isEmpty()) {
            return Judgement.refused(List.of("The SQL text holds no statement"), List.of());
        }
        TsqlStep.Refusal unkept = script.unkept();
        // A target's own option decides about them.
        if (unkept != null && !asksTheTarget()) {
            return Judgement.refused(List.of(String.valueOf(unkept.toException().getMessage())), List.of());
        }
        Target.Findings findings = ask(sql, generatedKeys);
        return asksTheTarget() ? byTarget(sql, script, findings) : byText(sql, script);
    }

    /** Some statements mean one thing or another, or are refused, depending on the tables. */
    private Schema schema() {
        if (target == null || unreachable) {
            return Schema.UNKNOWN;
        }
        try {
            return target.schema();
        } catch (SQLException e) {
            unreachable = true;
            LOG.warn("Cassidy's assessment no longer asks its target: it is closed", e);
            return Schema.UNKNOWN;
        }
    }

    private Target.Findings ask(String sql, boolean generatedKeys) {
        if (target == null || unreachable) {
            return NONE;
        }
        try {
            Target.Findings found = target.judge(sql, generatedKeys, nodes);
            // A message quotes the literals that stand for the application's.
            return new Target.Findings(
                    withoutValues(found.refusals(), sql),
                    found.plans(),
                    found.accesses(),
                    found.defaults(),
                    found.differences());
        } catch (SQLException e) {
            String state = String.valueOf(e.getSQLState());
            if (state.startsWith("08") || OF_THE_CLUSTER.contains(state)) {
                unreachable = true;
                LOG.warn("Cassidy's assessment no longer asks its target: it does not answer", e);
                return NONE;
            }
            return new Target.Findings(withoutValues(List.of(String.valueOf(e.getMessage())), sql), List.of());
        }
    }

    private static List<String> withoutValues(List<String> messages, String sql) {
        return messages.stream()
                .map(message -> StatementShape.withoutValues(message, sql))
                .toList();
    }

    // ---- with a target

    private Judgement byTarget(String sql, TsqlScript script, Target.Findings findings) {
        Set<String> reasons = new LinkedHashSet<>(findings.refusals());
        for (Access access : findings.accesses()) {
            if (!access.refusal().isEmpty()) {
                reasons.add(access.refusal());
            }
        }
        if (!reasons.isEmpty()) {
            // The server says its first reason alone.
            for (String text : texts(script)) {
                reasons.addAll(unsupported(text));
            }
            return Judgement.refused(List.copyOf(reasons), findings.accesses());
        }
        List<String> differences = new ArrayList<>(cases(findings.accesses()));
        differences.addAll(patterns(script));
        differences.addAll(leftOut(script, findings.defaults(), findings.accesses()));
        differences.addAll(findings.differences());
        return findings.plans().isEmpty()
                ? served(sql, script, findings.accesses(), differences)
                : served(sql, texts(findings.plans(), sql), findings.accesses(), differences);
    }

    /**
     * What an insert leaves to the old database's defaults.
     *
     * @param registered the columns that have one here
     * @param accesses which name the tables with their keyspace, if that is known
     */
    private List<String> leftOut(TsqlScript script, Map<String, Set<String>> registered, List<Access> accesses) {
        List<String> differences = new ArrayList<>();
        for (TsqlStep step : script.asRead()) {
            if (step instanceof TsqlStep.Insert insert) {
                TsqlStep.Row row = insert.rows().get(0);
                String name = row.insert().table();
                String table = accesses.stream()
                        .map(Access::table)
                        .filter(each -> each.endsWith("." + name))
                        .findFirst()
                        .orElse("<keyspace>." + name);
                old.defaultsOf(name).forEach((column, expression) -> {
                    boolean given = row.insert().columns().stream()
                            .anyMatch(each -> OldDatabase.small(each).equals(column));
                    boolean known = registered.getOrDefault(name, Set.of()).stream()
                            .anyMatch(each -> OldDatabase.small(each).equals(column));
                    if (!given && !known && !row.insert().isJson()) {
                        differences.add("It leaves out " + column + ", which got its default " + expression
                                + "; here it stays without a value until the default is declared: cassidy tables"
                                + " declare --table " + CommandLines.quoted(table) + " --defaults "
                                + CommandLines.quoted(column + "=" + expression));
                    }
                });
            }
        }
        differences.sort(null);
        return differences;
    }

    private static List<String> cases(List<Access> accesses) {
        return accesses.stream()
                .filter(access -> !access.texts().isEmpty())
                .map(access -> caseOf(access.table(), access.texts()))
                .distinct()
                .toList();
    }

    /** The patterns that only the application knows. */
    private static List<String> patterns(TsqlScript script) {
        return script.asRead().stream()
                .filter(TsqlStep.Cql.class::isInstance)
                .flatMap(step -> ((TsqlStep.Cql) step).guards().stream())
                .filter(Guard.NoWildcard.class::isInstance)
                .map(guard -> "It compares " + ((Guard.NoWildcard) guard).column()
                        + " by LIKE with a parameter, for which = is sent. A pattern with %, _ or [ is refused when it"
                        + " runs: read the rows by their key, and leave out the others in the application")
                .distinct()
                .toList();
    }

    private static String caseOf(String table, List<String> columns) {
        return "Column " + String.join(", ", columns) + " of " + table
                + " is text, and rows are found by it. SQL Server's"
                + " default collation ignores case and trailing blanks, Cassandra does not: 'admin' does not find 'Admin',"
                + " and an insert of 'Admin' makes a second row. Write and look up one form, such as lower case without"
                + " trailing blanks";
    }

    private static List<String> texts(TsqlScript script) {
        return script.steps().stream()
                .flatMap(step -> step.statements().stream())
                .toList();
    }

    // ---- by the statement alone

    private Judgement byText(String sql, TsqlScript script) {
        Set<String> never = new LinkedHashSet<>();
        Set<String> open = new LinkedHashSet<>();
        List<Access> accesses = new ArrayList<>();
        List<String> differences = new ArrayList<>();
        for (TsqlStep step : script.asRead()) {
            step.statements().forEach(text -> never.addAll(unsupported(text)));
            ways.of(step).ifPresent(way -> {
                accesses.add(way.access());
                open.addAll(way.open());
                if (way.access().kind() == Access.Kind.UNKNOWN) {
                    differences.addAll(literalCases(step));
                }
            });
        }
        accesses.stream()
                .map(Access::refusal)
                .filter(refusal -> !refusal.isEmpty())
                .forEach(never::add);
        if (!never.isEmpty()) {
            return Judgement.refused(List.copyOf(never), accesses);
        }
        differences.addAll(cases(accesses));
        differences.addAll(patterns(script));
        differences.addAll(leftOut(script, Map.of(), List.of()));
        Judgement served = served(sql, script, accesses, differences);
        return open.isEmpty()
                ? served
                : new Judgement(
                        Verdict.UNKNOWN,
                        served.cql(),
                        List.of("unknown without a target: " + String.join("; ", open)),
                        accesses,
                        differences);
    }

    /** Of a table whose types are not known. */
    private static List<String> literalCases(TsqlStep step) {
        CqlSelect select =
                step instanceof TsqlStep.Cql cql ? CqlSelect.of(cql.text()).orElse(null) : null;
        if (select == null) {
            return List.of();
        }
        List<String> columns = select.where().stream()
                .filter(each -> holdsText(each.text()))
                .flatMap(each -> each.columns().stream())
                .toList();
        return columns.isEmpty() ? List.of() : List.of(caseOf(select.table().name(), columns));
    }

    /** Returns whether a word stands between two quotes that is no date, time or uuid. */
    private static boolean holdsText(String condition) {
        boolean quoted = false;
        boolean letter = false;
        for (int i = 0; i < condition.length(); i++) {
            char c = condition.charAt(i);
            if (c == '\'') {
                if (quoted && letter) {
                    return true;
                }
                quoted = true;
                letter = false;
            } else if (c >= '0' && c <= '9') {
                quoted = false;
            } else {
                letter |= (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
            }
        }
        return false;
    }

    /** Returns what is sent, and as comments what the driver does besides. */
    private static List<String> texts(List<Plan> plans, String sql) {
        List<String> texts = new ArrayList<>();
        for (Plan plan : plans) {
            if (plan instanceof Plan.Direct direct) {
                texts.addAll(direct.cql().isEmpty() ? List.of("-- " + direct.way()) : direct.cql());
                direct.filled().forEach(each -> texts.add("-- " + each));
            } else if (plan instanceof Plan.Definition definition
                    && !definition.cql().isEmpty()) {
                texts.addAll(definition.cql());
            } else {
                String what = plan instanceof Plan.Definition definition
                        ? definition.what()
                        : plan instanceof Plan.Setting setting ? setting.what() : "";
                texts.add("-- " + StatementShape.withoutValues(what, sql));
            }
        }
        return texts;
    }

    private static Judgement served(String sql, TsqlScript script, List<Access> accesses, List<String> differences) {
        List<String> texts = new ArrayList<>();
        for (TsqlStep step : script.asRead()) {
            if (step.statements().isEmpty()) {
                String printed =
                        StatementShape.withoutValues(StepPrinter.of(step).strip(), sql);
                texts.add(printed.startsWith("--") ? printed : "-- " + printed);
            } else {
                step.statements().stream().distinct().forEach(texts::add);
            }
        }
        return served(sql, texts, accesses, differences);
    }

    private static Judgement served(String sql, List<String> texts, List<Access> accesses, List<String> differences) {
        // What the driver adds to a row changes nothing of the statement.
        List<String> sent =
                texts.stream().filter(text -> !text.startsWith("-- ")).toList();
        return sent.equals(List.of(sql.strip()))
                ? new Judgement(Verdict.SERVED, List.of(), List.of(), accesses, differences)
                : new Judgement(Verdict.REWRITTEN, texts, List.of(), accesses, differences);
    }

    private static List<String> unsupported(String sql) {
        return Assistants.find().map(found -> found.unsupported(sql)).orElse(List.of());
    }
}
