package dev.cassidy.migration.assess;

import dev.cassidy.insert.CqlInsert;
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

    private static final String NOT_EVALUATED = "The driver does not evaluate the statement in the client: ";

    private static final Logger LOG = LoggerFactory.getLogger(Judge.class);

    /** SQLStates that concern the cluster and not the statement: no answer in time, overload. */
    private static final Set<String> OF_THE_CLUSTER = Set.of("HYT00", "53000");

    /** Tells nothing of tables; what has no form in CQL may be evaluated. */
    private static final Schema UNKNOWN_TABLES = new Schema() {
        @Override
        public boolean isType(@Nullable String keyspace, String type) {
            return false;
        }

        @Override
        public boolean isField(CqlInsert.Table table, String column, String field) {
            return false;
        }

        @Override
        public boolean mayAssist(String select) {
            return Assistants.find().filter(found -> found.reads(select)).isPresent();
        }

        @Override
        public boolean mayAssistChange(String change) {
            return Assistants.find().filter(found -> found.readsChange(change)).isPresent();
        }
    };

    /** Of a step that is sent. */
    private static final OldPlans.Answer NOT_ASKED = new OldPlans.Refused("");

    private static final Target.Findings NONE = new Target.Findings(List.of(), List.of());

    private final @Nullable Target target;
    private final OldDatabase old;
    private final TextWays ways;
    private final OldPlans plans;
    private final int nodes;

    private volatile boolean unreachable;

    /** @param nodes the size of the datacenter for which costs are judged; 0 for that of the target */
    public Judge(@Nullable Target target, OldDatabase old, int nodes) {
        this.target = target;
        this.old = old;
        this.ways = new TextWays(old, nodes);
        this.plans = new OldPlans(old);
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
            Assistants.whyNot(e.unread(), e.locking()).ifPresent(why -> reasons.add(0, NOT_EVALUATED + why));
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
            return UNKNOWN_TABLES;
        }
        try {
            return target.schema();
        } catch (SQLException e) {
            unreachable = true;
            LOG.warn("Cassidy's assessment no longer asks its target: it is closed", e);
            return UNKNOWN_TABLES;
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
        boolean assisted = false;
        for (Plan plan : findings.plans()) {
            if (plan instanceof Plan.Assisted evaluated) {
                assisted = true;
                differences.addAll(scans(evaluated));
            }
        }
        List<String> texts = new ArrayList<>(texts(findings.plans(), sql));
        if (texts.isEmpty()) {
            script.asRead().forEach(step -> texts.addAll(texts(step, sql)));
        }
        return served(sql, texts, assisted, findings.accesses(), differences);
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
        List<String> texts = new ArrayList<>();
        boolean assisted = false;
        for (TsqlStep step : script.asRead()) {
            TextWays.Way way = ways.of(step).orElse(null);
            List<String> refusals = refusals(step, way);
            // Of a write whose values the driver may refuse, the evaluation does not decide.
            boolean reads = step instanceof TsqlStep.Cql cql && cql.reads();
            boolean asked =
                    !refusals.isEmpty() || (reads && way != null && !way.open().isEmpty());
            OldPlans.Answer answer = asked ? answer(step) : NOT_ASKED;
            if (answer instanceof OldPlans.Served evaluated) {
                List<Access> accessed =
                        evaluated.plan().reads().stream().map(ways::access).toList();
                boolean dear =
                        accessed.stream().anyMatch(read -> !read.refusal().isEmpty());
                if (!dear || way == null || way.access().refusal().isEmpty()) {
                    assisted = true;
                    texts.addAll(comments(evaluated.plan(), sql));
                    accesses.addAll(accessed);
                    differences.addAll(scans(evaluated.plan()));
                    continue;
                }
                // Of what is refused for its costs, the statement's own plan says more.
                answer = new OldPlans.Refused("");
            }
            texts.addAll(texts(step, sql));
            if (answer instanceof OldPlans.Open undecided) {
                if (!refusals.isEmpty()) {
                    open.add(undecided.why());
                }
                if (way == null) {
                    undecided.tables().forEach(table -> accesses.add(ways.open(table)));
                }
            } else if (answer instanceof OldPlans.Refused refused) {
                if (!refusals.isEmpty() && !refused.why().isEmpty()) {
                    // First: what is evaluated needs no form in CQL.
                    never.add(NOT_EVALUATED + StatementShape.withoutValues(refused.why(), sql));
                }
                never.addAll(refusals);
            }
            if (way != null) {
                accesses.add(way.access());
                open.addAll(way.open());
                if (way.access().kind() == Access.Kind.UNKNOWN) {
                    differences.addAll(literalCases(step));
                }
            }
        }
        accesses.stream()
                .filter(access -> access.kind() == Access.Kind.FAN_OUT)
                .map(Access::refusal)
                .filter(refusal -> !refusal.isEmpty())
                .forEach(never::add);
        if (!never.isEmpty()) {
            return Judgement.refused(List.copyOf(never), accesses);
        }
        differences.addAll(cases(accesses));
        differences.addAll(patterns(script));
        differences.addAll(leftOut(script, Map.of(), List.of()));
        if (!open.isEmpty()) {
            return new Judgement(
                    Verdict.UNKNOWN,
                    texts,
                    List.of("unknown without a target: " + String.join("; ", open)),
                    accesses,
                    differences);
        }
        return served(sql, texts, assisted, accesses, differences);
    }

    /** Returns why the driver does not send a step; none if it does, as far as that is known. */
    private static List<String> refusals(TsqlStep step, TextWays.@Nullable Way way) {
        List<String> refusals = new ArrayList<>();
        if (step instanceof TsqlStep.InClient inClient) {
            refusals.add(String.valueOf(inClient.refusal().getMessage()));
        }
        step.statements().forEach(text -> refusals.addAll(unsupported(text)));
        if (way != null && !way.access().refusal().isEmpty()) {
            refusals.add(way.access().refusal());
        }
        return refusals;
    }

    private OldPlans.Answer answer(TsqlStep step) {
        if (step instanceof TsqlStep.InClient inClient) {
            return plans.of(inClient);
        }
        if (step instanceof TsqlStep.Cql cql && cql.written() != null) {
            return plans.of(cql.written(), cql.keyword().equals("SELECT"));
        }
        return new OldPlans.Refused("");
    }

    /** Returns what depends on how many rows tables have. */
    private static List<String> scans(Plan.Assisted plan) {
        return plan.reads().stream()
                .filter(read -> read.reach() == Plan.Assisted.Reach.SCAN && !read.small())
                .map(read -> "It reads all rows of " + read.table()
                        + ", and is refused once these are more than 1,000, unless the table is declared small"
                        + (read.helpful().isEmpty()
                                ? ""
                                : ". An index finds its rows without that: on "
                                        + String.join(", and one on ", read.helpful())))
                .distinct()
                .toList();
    }

    private static List<String> comments(Plan.Assisted plan, String sql) {
        List<String> comments = new ArrayList<>();
        comments.add("-- evaluated in the client, over rows that are read:");
        plan.steps().forEach(each -> comments.add("-- " + StatementShape.withoutValues(each, sql)));
        return comments;
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
            } else if (plan instanceof Plan.Assisted assisted) {
                texts.addAll(comments(assisted, sql));
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

    /** Returns what a step sends, or as a comment what it does. */
    private static List<String> texts(TsqlStep step, String sql) {
        if (step.statements().isEmpty()) {
            String printed = StatementShape.withoutValues(StepPrinter.of(step).strip(), sql);
            return List.of(printed.startsWith("--") ? printed : "-- " + printed);
        }
        return step.statements().stream().distinct().toList();
    }

    private static Judgement served(
            String sql, List<String> texts, boolean assisted, List<Access> accesses, List<String> differences) {
        if (assisted) {
            return new Judgement(Verdict.ASSISTED, texts, List.of(), accesses, differences);
        }
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
