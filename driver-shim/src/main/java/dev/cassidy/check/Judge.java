package dev.cassidy.check;

import dev.cassidy.insert.StatementShape;
import dev.cassidy.insert.UnsupportedSqlException;
import dev.cassidy.tsql.Schema;
import dev.cassidy.tsql.TsqlScript;
import dev.cassidy.tsql.TsqlStep;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Judges texts by the driver's own parser, and with a target also by the cluster, which alone knows tables, types and
 * keys.
 */
final class Judge {

    private static final Logger LOG = LoggerFactory.getLogger(Judge.class);

    /** SQLStates that concern the cluster and not the statement: no answer in time, overload. */
    private static final Set<String> OF_THE_CLUSTER = Set.of("HYT00", "53000");

    /** As many as a report can hold, each with and without generated keys. */
    private static final int MOST_ASKED = 2 * Recorder.MOST_STATEMENTS;

    private record Asked(String shape, boolean generatedKeys) {}

    private final @Nullable Target target;
    /** By shape: asking for each text would delay the application, and take a place in the server's cache. */
    private final Map<Asked, String> refusals = new ConcurrentHashMap<>();

    private volatile boolean unreachable;

    Judge(@Nullable Target target) {
        this.target = target;
    }

    /** Returns whether a target judged every statement so far. */
    boolean asksTheTarget() {
        return target != null && !unreachable;
    }

    Judgement judge(String sql, String shape, boolean generatedKeys) {
        TsqlScript script;
        try {
            script = TsqlScript.parse(sql, schema());
        } catch (UnsupportedSqlException e) {
            return Judgement.refused(StatementShape.withoutValues(String.valueOf(e.getMessage()), sql));
        }
        if (script.steps().isEmpty()) {
            return Judgement.refused("The SQL text holds no statement");
        }
        TsqlStep.Refusal unkept = script.unkept();
        // A target's own option decides about them.
        if (unkept != null && !asksTheTarget()) {
            return Judgement.refused(String.valueOf(unkept.toException().getMessage()));
        }
        Asked asked = new Asked(shape, generatedKeys);
        String refusal = refusals.size() < MOST_ASKED
                ? refusals.computeIfAbsent(asked, absent -> verify(sql, generatedKeys))
                : refusals.getOrDefault(asked, "");
        return refusal.isEmpty() ? byText(sql, script) : Judgement.refused(refusal);
    }

    /** Some texts mean one thing or another, or are refused, depending on the tables. */
    private Schema schema() {
        if (target == null || unreachable) {
            return Schema.UNKNOWN;
        }
        try {
            return target.schema();
        } catch (SQLException e) {
            unreachable = true;
            LOG.warn("Cassidy's check no longer asks its target: it is closed", e);
            return Schema.UNKNOWN;
        }
    }

    /** Returns why the target refuses the statement; empty if it does not, or cannot be asked. */
    private String verify(String sql, boolean generatedKeys) {
        if (target == null || unreachable) {
            return "";
        }
        try {
            target.verify(sql, generatedKeys);
            return "";
        } catch (SQLException e) {
            String state = String.valueOf(e.getSQLState());
            if (state.startsWith("08") || OF_THE_CLUSTER.contains(state)) {
                unreachable = true;
                LOG.warn("Cassidy's check no longer asks its target: it does not answer", e);
                return "";
            }
            return StatementShape.withoutValues(String.valueOf(e.getMessage()), sql);
        }
    }

    private static Judgement byText(String sql, TsqlScript script) {
        List<String> texts = new ArrayList<>();
        for (TsqlStep step : script.steps()) {
            if (step instanceof TsqlStep.LeftOut left) {
                texts.add("-- left out: " + StatementShape.withoutValues(left.what(), sql));
            } else if (step.texts().isEmpty()) {
                texts.add("-- by the driver itself: " + step.getClass().getSimpleName());
            } else {
                step.texts().stream().distinct().forEach(texts::add);
            }
        }
        return texts.equals(List.of(sql.strip()))
                ? new Judgement(Verdict.SERVED, List.of(), "")
                : new Judgement(Verdict.REWRITTEN, texts, "");
    }
}
