package dev.cassidy.jdbc.plan;

import java.util.ArrayList;
import java.util.List;

/**
 * How a statement is served, by the tables and rights of now: {@code preparedStatement.unwrap(StatementPlan.class)}. Making it
 * prepares what would be sent, and runs nothing. Immutable.
 *
 * @param sql the statement, of one step or several
 * @param plans one for each step, in the order in which they run; of what the condition of an IF excludes now, none
 */
public record StatementPlan(String sql, List<Plan> plans) {
    public StatementPlan {
        plans = List.copyOf(plans);
    }

    /** Returns what {@code SET SHOWPLAN_TEXT} shows: the statement, and below it how each step is served. */
    public List<String> lines() {
        List<String> lines = new ArrayList<>();
        sql.strip().lines().forEach(lines::add);
        plans.forEach(plan -> lines.addAll(plan.lines()));
        return List.copyOf(lines);
    }

    /** Returns whether nothing of it is refused. */
    public boolean isServed() {
        return plans.stream().noneMatch(plan -> plan.kind() == Plan.Kind.REFUSED);
    }
}
